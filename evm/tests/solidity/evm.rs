//! A chain of one's own, with the real machine (revm): contracts are deployed and called, and what they keep in storage
//! can be looked at. What lies outside of the contract that is looked at answers as it is told to.

use std::collections::{BTreeMap, VecDeque};

use revm::bytecode::Bytecode;
use revm::context::result::{ExecutionResult, Output};
use revm::context::{BlockEnv, CfgEnv, Context, ContextSetters, JournalTr, TxEnv};
use revm::database::{CacheDB, EmptyDB};
use revm::inspector::Inspector;
use revm::interpreter::{
    CallInputs, CallOutcome, CallScheme, CreateInputs, CreateOutcome, Gas, InstructionResult,
    InterpreterResult,
};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address, Bytes, TxKind, U256};
use revm::state::AccountInfo;
use revm::{InspectCommitEvm, MainBuilder, MainContext};

use crate::foundry::Cheats;

/// Gas for a call: what needs more does not end.
pub const GAS: u64 = 40_000_000;
/// What a test has, as with Foundry: its contract may be large.
const GAS_OF_A_TEST: u64 = 1 << 30;

/// A chain.
#[derive(Clone)]
pub struct Chain {
    state: CacheDB<EmptyDB>,
    /// `block.timestamp`
    pub time: u64,
    /// `block.number`
    pub number: u64,
    /// The machine's rules.
    pub rules: SpecId,
}

/// A call from outside.
#[derive(Clone, Debug)]
pub struct Call {
    pub sender: Address,
    pub to: Address,
    pub value: U256,
    pub data: Vec<u8>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Well, with what it returns.
    Success(Vec<u8>),
    /// It reverted, with what it says, or stopped the machine.
    Revert(Vec<u8>),
    /// There was not enough gas for it.
    OutOfGas,
}

/// What somebody outside answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Whether the call succeeds.
    pub success: bool,
    /// What comes back.
    pub data: Vec<u8>,
}

/// The address that a contract gets that a script makes.
pub fn made(number: usize) -> Address {
    Address::with_last_byte(0xc0 + u8::try_from(number % 32).expect("below 32"))
}

impl Default for Chain {
    fn default() -> Self {
        Chain {
            state: CacheDB::new(EmptyDB::default()),
            time: 1_700_000_000,
            number: 1_000_000,
            rules: SpecId::PRAGUE,
        }
    }
}

impl Chain {
    /// Gives an account ether.
    pub fn set_balance(&mut self, account: Address, balance: U256) {
        let mut info = self.info(account);
        info.balance = balance;
        self.state.insert_account_info(account, info);
    }

    /// Gives an account code.
    pub fn set_code(&mut self, account: Address, code: Vec<u8>) {
        let mut info = self.info(account);
        info.code_hash = revm::primitives::keccak256(&code);
        info.code = Some(Bytecode::new_raw(code.into()));
        self.state.insert_account_info(account, info);
    }

    /// Whether an account is a contract.
    pub fn has_code(&self, account: Address) -> bool {
        self.info(account).code.is_some_and(|code| !code.is_empty())
    }

    pub fn balance(&self, account: Address) -> U256 {
        self.info(account).balance
    }

    fn info(&self, account: Address) -> AccountInfo {
        let known = self.state.cache.accounts.get(&account);
        known.map(|known| known.info.clone()).unwrap_or_default()
    }

    /// What a contract keeps in storage, without zeros.
    pub fn storage(&self, contract: Address) -> BTreeMap<U256, U256> {
        let known = self.state.cache.accounts.get(&contract);
        let storage = known.map(|known| known.storage.clone()).unwrap_or_default();
        storage
            .into_iter()
            .filter(|(_, value)| !value.is_zero())
            .collect()
    }

    /// Makes a contract: its address, or why it could not be made.
    pub fn deploy(
        &mut self,
        sender: Address,
        code: &[u8],
        value: U256,
        outside: &mut Outside,
    ) -> Result<Address, Ended> {
        let created = sender.create(self.info(sender).nonce);
        outside.own = created;
        let result = self.execute(sender, TxKind::Create, value, code.to_vec(), outside);
        match result {
            ExecutionResult::Success {
                output: Output::Create(_, Some(address)),
                ..
            } => Ok(address),
            other => Err(ended(other)),
        }
    }

    /// Calls a contract. What it changes stays.
    pub fn call(&mut self, call: &Call, outside: &mut Outside) -> Ended {
        outside.own = call.to;
        let kind = TxKind::Call(call.to);
        ended(self.execute(call.sender, kind, call.value, call.data.clone(), outside))
    }

    fn execute(
        &mut self,
        sender: Address,
        kind: TxKind,
        value: U256,
        data: Vec<u8>,
        outside: &mut Outside,
    ) -> ExecutionResult {
        let nonce = self.info(sender).nonce;
        let (time, number, rules) = (self.time, self.number, self.rules);
        let gas = match outside.test {
            Some(_) => GAS_OF_A_TEST,
            None => GAS,
        };
        let context = Context::mainnet()
            .with_db(&mut self.state)
            .modify_cfg_chained(|cfg: &mut CfgEnv| {
                cfg.set_spec_and_mainnet_gas_params(rules);
                cfg.limit_contract_code_size = Some(usize::MAX);
                cfg.limit_contract_initcode_size = Some(usize::MAX);
                cfg.tx_gas_limit_cap = Some(u64::MAX);
            })
            .modify_block_chained(|block: &mut BlockEnv| {
                block.timestamp = U256::from(time);
                block.number = U256::from(number);
                block.gas_limit = u64::MAX;
                block.basefee = 0;
                block.prevrandao = Some(U256::from(7).into());
            });
        let tx = TxEnv::builder()
            .caller(sender)
            .kind(kind)
            .value(value)
            .data(data.into())
            .nonce(nonce)
            .gas_limit(gas)
            .gas_price(0)
            .build()
            .expect("a transaction");
        let mut evm = context.build_mainnet_with_inspector(outside);
        evm.inspect_tx_commit(tx).expect("the machine runs")
    }
}

fn ended(result: ExecutionResult) -> Ended {
    match result {
        ExecutionResult::Success { output, .. } => Ended::Success(output.into_data().to_vec()),
        ExecutionResult::Revert { output, .. } => Ended::Revert(output.to_vec()),
        ExecutionResult::Halt { reason, .. } => {
            if format!("{reason:?}").contains("OutOfGas") {
                Ended::OutOfGas
            } else {
                Ended::Revert(Vec::new())
            }
        }
    }
}

/// All that is not the contract.
#[derive(Clone, Debug, Default)]
pub struct Outside {
    /// The contract.
    pub own: Address,
    /// What is answered, in order; behind the end, everything fails.
    pub script: VecDeque<Answer>,
    /// How many contracts were made.
    pub made: usize,
    /// How many questions were asked.
    pub asked: usize,
    /// The test that runs, with what it has asked for; none where no test does.
    pub test: Option<Cheats>,
}

impl Outside {
    pub fn new(script: impl IntoIterator<Item = Answer>) -> Outside {
        Outside {
            script: script.into_iter().collect(),
            ..Outside::default()
        }
    }

    fn answer(&mut self) -> Answer {
        self.asked += 1;
        self.script.pop_front().unwrap_or(Answer {
            success: false,
            data: Vec::new(),
        })
    }
}

/// Contracts that the machine itself has.
fn is_precompiled(address: Address) -> bool {
    let last = address.as_slice()[19];
    address == Address::with_last_byte(last) && (1..=0x11).contains(&last)
}

impl<C: ContextSetters<Block = BlockEnv>> Inspector<C> for Outside {
    fn call(&mut self, context: &mut C, inputs: &mut CallInputs) -> Option<CallOutcome> {
        if let Some(test) = &mut self.test {
            return test.call(context, inputs);
        }
        let to = inputs.bytecode_address;
        // Code of libraries runs as the contract's own.
        let is_library = matches!(
            inputs.scheme,
            CallScheme::DelegateCall | CallScheme::CallCode
        );
        if to == self.own || is_precompiled(to) || is_library || inputs.caller != self.own {
            return None;
        }
        let value = inputs.value.transfer().unwrap_or_default();
        let balance = context
            .journal_mut()
            .load_account(self.own)
            .ok()?
            .info
            .balance;
        if value > balance {
            // The machine says no by itself.
            return None;
        }
        let answer = self.answer();
        if answer.success {
            context.journal_mut().transfer(self.own, to, value).ok()?;
        }
        let result = if answer.success {
            InstructionResult::Return
        } else {
            InstructionResult::Revert
        };
        let result = InterpreterResult::new(result, answer.data.into(), Gas::new(inputs.gas_limit));
        Some(CallOutcome::new(
            result,
            inputs.return_memory_offset.clone(),
        ))
    }

    fn call_end(&mut self, _: &mut C, _: &CallInputs, outcome: &mut CallOutcome) {
        if let Some(test) = &mut self.test {
            test.call_end(outcome);
        }
    }

    fn create_end(&mut self, _: &mut C, _: &CreateInputs, outcome: &mut CreateOutcome) {
        if let Some(test) = &mut self.test {
            test.create_end(outcome);
        }
    }

    fn create(&mut self, context: &mut C, inputs: &mut CreateInputs) -> Option<CreateOutcome> {
        if let Some(test) = &mut self.test {
            test.create(inputs);
            return None;
        }
        if inputs.caller() != self.own {
            return None;
        }
        let balance = context
            .journal_mut()
            .load_account(self.own)
            .ok()?
            .info
            .balance;
        if inputs.value() > balance {
            return None;
        }
        let answer = self.answer();
        let gas = Gas::new(inputs.gas_limit());
        if !answer.success {
            let result = InterpreterResult::new(InstructionResult::Revert, answer.data.into(), gas);
            return Some(CreateOutcome::new(result, None));
        }
        let address = made(self.made);
        self.made += 1;
        context
            .journal_mut()
            .transfer(self.own, address, inputs.value())
            .ok()?;
        let result = InterpreterResult::new(InstructionResult::Return, Bytes::new(), gas);
        Some(CreateOutcome::new(result, Some(address)))
    }
}
