//! What Foundry does for tests: messages to one address set clocks and balances, say who calls next, and that what comes next
//! has to revert.

use revm::context::{BlockEnv, ContextSetters, JournalTr};
use revm::context_interface::journaled_state::account::JournaledAccountTr;
use revm::interpreter::{
    CallInputs, CallOutcome, CreateInputs, CreateOutcome, Gas, InstructionResult, InterpreterResult,
};
use revm::primitives::{Address, Bytes, U256, keccak256};
use revm::state::Bytecode;

use crate::machine::selector;

/// What a caller gets of a call that has reverted as it should: enough to be read as any result.
const NOTHING: [u8; 512] = [0; 512];

/// The address of the messages.
pub fn vm() -> Address {
    Address::from_slice(&keccak256("hevm cheat code")[12..])
}

/// A test that runs.
#[derive(Clone, Debug, Default)]
pub struct Cheats {
    /// How many calls are open.
    depth: usize,
    /// Who calls next.
    sender: Option<Address>,
    /// Whether the next call has to revert.
    expects: bool,
    /// The calls that have to revert, by their depths.
    expected: Vec<usize>,
    /// Whether the call that ends next is a message to us.
    is_own: bool,
    /// A call that should have reverted, and did not.
    pub failed: bool,
}

impl Cheats {
    pub fn call<C: ContextSetters<Block = BlockEnv>>(
        &mut self,
        context: &mut C,
        inputs: &mut CallInputs,
    ) -> Option<CallOutcome> {
        self.depth += 1;
        if inputs.target_address == vm() {
            self.is_own = true;
            let data = inputs.input.bytes(context);
            let result = self.message(context, &data);
            let result = InterpreterResult::new(result, Bytes::new(), Gas::new(inputs.gas_limit));
            let memory = inputs.return_memory_offset.clone();
            return Some(CallOutcome::new(result, memory));
        }
        if let Some(sender) = self.sender.take() {
            inputs.caller = sender;
        }
        self.begins();
        None
    }

    pub fn call_end(&mut self, outcome: &mut CallOutcome) {
        let is_own = std::mem::take(&mut self.is_own);
        if self.is_expected(is_own) {
            self.judge(&mut outcome.result);
        }
    }

    /// A call that may be the next one begins.
    fn begins(&mut self) {
        if std::mem::take(&mut self.expects) {
            self.expected.push(self.depth);
        }
    }

    /// Whether the call that ends has to revert.
    fn is_expected(&mut self, is_own: bool) -> bool {
        let depth = self.depth;
        self.depth -= 1;
        let is_it = !is_own && self.expected.last() == Some(&depth);
        if is_it {
            self.expected.pop();
        }
        is_it
    }

    /// A call that has to revert has ended so.
    fn judge(&mut self, result: &mut InterpreterResult) {
        if result.result.is_ok() {
            self.failed = true;
            result.result = InstructionResult::Revert;
        } else {
            result.result = InstructionResult::Return;
            result.output = Bytes::from_static(&NOTHING);
        }
    }

    pub fn create_end(&mut self, outcome: &mut CreateOutcome) {
        if self.is_expected(false) {
            self.judge(&mut outcome.result);
            // Who makes a contract reads where it is.
            outcome.address = Some(vm());
        }
    }

    pub fn create(&mut self, inputs: &mut CreateInputs) {
        self.depth += 1;
        self.begins();
        if let Some(sender) = self.sender.take() {
            inputs.set_call(sender);
        }
    }

    fn message<C: ContextSetters<Block = BlockEnv>>(
        &mut self,
        context: &mut C,
        data: &[u8],
    ) -> InstructionResult {
        let (name, words) = data.split_at(4);
        let word = |at: usize| U256::from_be_slice(&words[32 * at..32 * at + 32]);
        let address = |at: usize| Address::from_slice(&words[32 * at + 12..32 * at + 32]);
        let is = |signature: &str| name == selector(signature).as_slice();
        let mut block = context.block().clone();
        if is("warp(uint256)") {
            block.timestamp = word(0);
        } else if is("roll(uint256)") {
            block.number = word(0);
        } else if is("deal(address,uint256)") {
            let account = context.journal_mut().load_account_mut(address(0));
            account.expect("an account").data.set_balance(word(1));
        } else if is("prank(address)") {
            self.sender = Some(address(0));
        } else if is("etch(address,bytes)") {
            // Where the bytes begin, how many there are, and they.
            let from = usize::try_from(word(1)).expect("an offset") / 32;
            let length = usize::try_from(word(from)).expect("a length");
            let code = &words[32 * (from + 1)..][..length];
            let code = Bytecode::new_legacy(Bytes::copy_from_slice(code));
            let account = context.journal_mut().load_account(address(0));
            account.expect("an account");
            context.journal_mut().set_code(address(0), code);
        } else if is("expectRevert()") {
            self.expects = true;
        } else {
            return InstructionResult::Revert;
        }
        context.set_block(block);
        InstructionResult::Return
    }
}
