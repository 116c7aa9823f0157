//! Runs of the second pass, done by the machine: each call with the values that the run has, at the time that the run says.

use std::collections::BTreeMap;

use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;
use revm::primitives::{Address, U256};
use tranquera::ask::{Named, Run, RunCall};
use tranquera::front::solidity::flat::{Contract, EntryPoint, FlatType};
use tranquera::ir::{ArgumentType, Clock, MessagePart, Messages};

use super::explore::{Action, Exploration, Extent, RICH, State, encoded};
use super::tried::{fixed, longer, person};
use crate::evm::{Answer, Call, Chain, Ended, Outside};
use crate::machine::{Data, local_type, underlying};

/// How many calls are tried of a function before it is said that it cannot be called.
const CALLS: usize = 2_000;
/// No more ways for the outside to answer are followed than this.
const WAYS: usize = 200;

/// A contract whose runs are done.
pub struct Replay<'f> {
    pub flat: &'f Contract,
    pub messages: &'f Messages,
    /// Its actions.
    pub actions: &'f [Action<'f>],
    /// The code, libraries among it, and the chain that they are on.
    pub made_of: (Chain, Vec<u8>),
    /// What can be called in each state.
    pub states: &'f BTreeMap<String, State>,
}

/// Who the addresses of a run are: only whether two are the same matters.
#[derive(Default)]
struct Persons {
    known: Vec<BigInt>,
    /// Those that are contracts.
    contracts: Vec<usize>,
}

impl Persons {
    fn number(&mut self, address: &BigInt) -> usize {
        let known = self.known.iter().position(|known| known == address);
        known.unwrap_or_else(|| {
            self.known.push(address.clone());
            self.known.len() - 1
        })
    }

    fn address(&mut self, address: &BigInt) -> Address {
        match address.sign() {
            Sign::NoSign => Address::ZERO,
            _ => person(self.number(address)),
        }
    }
}

/// Why a run is not seen to be so.
pub enum NotSo {
    /// It has something that is not done here.
    NotDone(String),
    /// It is not as it is told.
    Wrong(String),
}

impl<T: Into<String>> From<T> for NotSo {
    fn from(why: T) -> NotSo {
        NotSo::Wrong(why.into())
    }
}

/// A call as the machine wants it.
#[derive(Clone, Debug)]
struct Transaction {
    sender: Address,
    value: U256,
    data: Vec<u8>,
    /// What the clocks show from then on.
    clocks: BTreeMap<Clock, u64>,
    /// Whether it is a message, not only time that goes on.
    is_message: bool,
}

impl<'f> Replay<'f> {
    /// Does a run. What it says of the state after each call has to be so.
    pub fn run(&self, run: &Run) -> Result<(), NotSo> {
        let mut persons = Persons::default();
        let calls = run.calls.iter().enumerate();
        let calls = calls.map(|(at, call)| self.transaction(&mut persons, at, call));
        let calls: Vec<Transaction> = calls.collect::<Result<_, _>>()?;
        let (mut chain, code) = self.made_of.clone();
        for number in &persons.contracts {
            chain.set_code(person(*number), vec![0]);
        }
        let mut ways = Vec::new();
        for (at, (call, done)) in run.calls.iter().zip(&calls).enumerate() {
            ways = match at {
                0 => self.made(&chain, &code, done),
                _ => ways.iter().flat_map(|way| self.called(way, done)).collect(),
            };
            ways.truncate(WAYS);
            let told = || format!("call {}, {}", at + 1, call.name);
            if ways.is_empty() {
                return Err(format!("{}: it reverts", told()).into());
            }
            let target = call.target.as_ref().ok_or("a run without an object")?;
            let state = &self.states[target];
            let seen: Vec<State> = ways
                .iter()
                .map(|way| self.state(way, run, &persons))
                .collect();
            let mut fits = seen.iter().map(|seen| seen == state);
            ways.retain(|_| fits.next().unwrap_or_default());
            if ways.is_empty() {
                let why = format!("{}: {target} is {state:?}, but it is {seen:?}", told());
                return Err(why.into());
            }
        }
        Ok(())
    }

    /// What can be called, with values of the run and others, by people who have much or all that there can be: who has
    /// all cannot be paid.
    fn state(&self, way: &(Chain, Address), run: &Run, persons: &Persons) -> State {
        let of = |balance| self.state_where(balance, way, run, persons);
        [RICH, U256::MAX].into_iter().flat_map(of).collect()
    }

    fn state_where(
        &self,
        balance: U256,
        (chain, at): &(Chain, Address),
        run: &Run,
        persons: &Persons,
    ) -> State {
        let mut chain = chain.clone();
        for number in 0..persons.known.len() + 2 {
            chain.set_balance(person(number), balance);
        }
        // Time goes on, whatever the contract does.
        let (time, messages): (Vec<&Action<'_>>, _) = self
            .actions
            .iter()
            .partition(|action| action.entry.is_none());
        let extent = Extent {
            configurations: 0,
            calls: 0,
        };
        let messages = messages.into_iter().cloned().collect();
        let mut exploration = Exploration::empty(self.flat, Vec::new(), messages, extent);
        let values = run.calls.iter().flat_map(|call| &call.arguments);
        let numbers: Vec<BigInt> = values
            .filter_map(|named| named.value.parse().ok())
            .collect();
        exploration.try_too(numbers.iter().flat_map(|n| [n - 1, n.clone(), n + 1]));
        let placed = exploration.place(chain, *at, persons.known.len() + 1);
        let mut state = exploration.state_with(placed, CALLS);
        state.extend(time.into_iter().map(|action| action.name.clone()));
        state
    }

    fn made(&self, chain: &Chain, code: &[u8], done: &Transaction) -> Vec<(Chain, Address)> {
        let code = [code, &done.data].concat();
        self.ways(chain, done, |chain, outside| {
            chain.deploy(done.sender, &code, done.value, outside).ok()
        })
    }

    fn called(&self, (chain, at): &(Chain, Address), done: &Transaction) -> Vec<(Chain, Address)> {
        self.ways(chain, done, |chain, outside| {
            let call = Call {
                sender: done.sender,
                to: *at,
                value: done.value,
                data: done.data.clone(),
            };
            let went = !done.is_message || matches!(chain.call(&call, outside), Ended::Success(_));
            went.then_some(*at)
        })
    }

    /// A transaction, with each way in which the outside may answer.
    fn ways(
        &self,
        chain: &Chain,
        done: &Transaction,
        run: impl Fn(&mut Chain, &mut Outside) -> Option<Address>,
    ) -> Vec<(Chain, Address)> {
        let mut found = Vec::new();
        let mut scripts: Vec<Vec<Answer>> = vec![Vec::new()];
        while let Some(script) = scripts.pop() {
            let mut chain = chain.clone();
            for (clock, now) in &done.clocks {
                match clock {
                    Clock::Timestamp => chain.time = *now,
                    Clock::Number => chain.number = *now,
                }
            }
            if done.is_message {
                chain.set_balance(done.sender, done.value);
            }
            let mut outside = Outside::new(script.clone());
            if let Some(at) = run(&mut chain, &mut outside) {
                found.push((chain, at));
            }
            scripts.extend(longer(self.flat, &script, outside.asked));
        }
        found
    }

    /// A call of a run, as the machine wants it. The first makes the contract.
    fn transaction(
        &self,
        persons: &mut Persons,
        at: usize,
        call: &RunCall,
    ) -> Result<Transaction, NotSo> {
        let mut done = Transaction {
            sender: person(usize::from(u8::MAX)),
            value: U256::ZERO,
            data: Vec::new(),
            clocks: BTreeMap::new(),
            is_message: true,
        };
        let (form, entry) = if at == 0 {
            (&self.messages.constructor, &self.flat.constructor)
        } else {
            let mut actions = self.actions.iter();
            let action = actions.find(|action| action.name == call.name);
            let Some(entry) = action.ok_or("no such action")?.entry else {
                done.is_message = false;
                done.clocks = self.clocks(call)?;
                return Ok(done);
            };
            (&self.messages.actions[&call.name], entry)
        };
        let mut arguments = Vec::new();
        for (part, named) in form.parts.iter().zip(&call.arguments) {
            match part {
                MessagePart::Argument(ty) => {
                    let types = self.types(entry);
                    let flat = types.get(arguments.len()).ok_or("an argument too many")?;
                    arguments.push(self.argument(persons, ty, flat, named)?);
                }
                MessagePart::Inside => {
                    return Err(NotSo::NotDone("an array or a struct as an argument".into()));
                }
                MessagePart::Sender => {
                    done.sender = persons.address(&number(named)?);
                }
                MessagePart::Value => {
                    done.value = U256::from_be_slice(&number(named)?.to_bytes_be().1);
                }
                MessagePart::Now(clock) => {
                    let now = number(named)?.to_u64();
                    done.clocks
                        .insert(*clock, now.ok_or("a time beyond all times")?);
                }
                // What the outside does is tried, one after the other.
                MessagePart::Answer | MessagePart::Taken => {}
                MessagePart::Origin | MessagePart::Block => {
                    return Err(NotSo::NotDone(named.name.clone()));
                }
            }
        }
        done.data = encoded(self.flat, entry, &self.types(entry), &arguments);
        Ok(done)
    }

    fn types(&self, entry: &EntryPoint) -> Vec<FlatType> {
        let routine = self.flat.routine(entry.routine).expect("a routine");
        let types = routine.parameters.iter();
        types.map(|id| local_type(routine, *id)).collect()
    }

    fn argument(
        &self,
        persons: &mut Persons,
        ty: &ArgumentType,
        flat: &FlatType,
        named: &Named,
    ) -> Result<Data, String> {
        Ok(match ty {
            ArgumentType::Bool => Data::Bool(named.value == "true"),
            ArgumentType::Integer => Data::Number(number(named)?),
            ArgumentType::Address | ArgumentType::Contract(_) => {
                let given = number(named)?;
                let address = persons.address(&given);
                if matches!(ty, ArgumentType::Contract(_)) && !address.is_zero() {
                    let at = persons.number(&given);
                    persons.contracts.push(at);
                }
                Data::Number(BigInt::from_bytes_be(Sign::Plus, address.as_slice()))
            }
            ArgumentType::FixedBytes(size) => {
                Data::Fixed(fixed(&number(named)?, *size).ok_or("too many bytes")?)
            }
            ArgumentType::Enum(..) => {
                let FlatType::Enum(id) = underlying(self.flat, flat) else {
                    return Err("no enum".to_owned());
                };
                let (_, member) = named.value.rsplit_once('.').ok_or("no member")?;
                let mut members = self.flat.enums[id.index()].members.iter();
                let at = members.position(|known| known == member);
                Data::Number(at.ok_or("no such member")?.into())
            }
            ArgumentType::Bytes | ArgumentType::String => {
                let name = named.value.rsplit_once('.').map(|(_, name)| name);
                let known = name.and_then(|name| self.messages.texts.get(name));
                Data::Bytes(known.cloned().unwrap_or_else(|| named.value.clone().into()))
            }
            ArgumentType::Alias(_, inner) => self.argument(persons, inner, flat, named)?,
        })
    }

    /// What the clocks show after a call.
    fn clocks(&self, call: &RunCall) -> Result<BTreeMap<Clock, u64>, String> {
        let mut clocks = BTreeMap::new();
        for (clock, field) in &self.messages.clocks {
            let shows = call.fields.iter().find(|named| named.name == *field);
            let now = number(shows.ok_or("a clock that is not known")?)?.to_u64();
            clocks.insert(*clock, now.ok_or("a time beyond all times")?);
        }
        Ok(clocks)
    }
}

fn number(named: &Named) -> Result<BigInt, String> {
    let value = named.value.parse();
    value.map_err(|_| format!("{} = {}: no number", named.name, named.value))
}
