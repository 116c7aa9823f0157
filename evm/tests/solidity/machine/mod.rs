//! An interpreter of the flattened contract, as its documentation says that it works: for tests, which compare it with the
//! real machine.

mod abi;
mod builtin;
mod convert;
mod eval;
mod exec;
mod layout;
mod operator;
mod outside;
mod storage;

use std::collections::{BTreeMap, VecDeque};

use num_bigint::{BigInt, BigUint};
use tranquera::front::solidity::flat::{
    Contract, EntryKind, FlatType, Lifetime, LocalId, RoutineId,
};

use super::evm::Answer;
pub use abi::{decode, encode};
pub use builtin::selector;
use storage::Cell;

/// Steps that a call may take.
const FUEL: u64 = 2_000_000;
/// How long an array in memory may be.
const MAX_LENGTH: u64 = 100_000;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Bool(bool),
    /// Of an integer, address, contract or enum.
    Number(BigInt),
    /// The bytes of a `bytesN`.
    Fixed(Vec<u8>),
    /// A reference to an object in memory.
    Reference(usize),
}

/// An object in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Object {
    Bytes(Vec<u8>),
    /// The elements of an array, or the members of a struct; those that are mappings are none.
    List(Vec<Option<Value>>),
}

/// Why a call did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    Revert,
    /// Too long.
    Fuel,
    /// Something that this interpreter does not do.
    Unsupported(String),
}

pub type Run<T> = Result<T, Stop>;

pub fn unsupported<T>(what: impl Into<String>) -> Run<T> {
    Err(Stop::Unsupported(what.into()))
}

/// What a message and the chain give.
#[derive(Clone, Debug)]
pub struct Message {
    pub sender: BigUint,
    pub value: BigUint,
    /// The bytes; of a message to itself they are not made.
    pub data: Option<Vec<u8>>,
}

/// What there is beside the contract.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub time: u64,
    pub number: u64,
    pub origin: BigUint,
    pub own: BigUint,
    /// What the contract owns.
    pub balance: BigUint,
    /// Accounts with code.
    pub with_code: Vec<BigUint>,
    /// What the outside answers.
    pub script: VecDeque<Answer>,
    /// How many contracts were made.
    pub made: usize,
    /// How many questions were asked.
    pub asked: usize,
    /// How many bytes came back with the last answer.
    pub returned: usize,
}

/// A contract with its state.
#[derive(Clone)]
pub struct Machine<'c> {
    pub contract: &'c Contract,
    pub state: Vec<Cell>,
    pub world: World,
    memory: Vec<Object>,
    fuel: u64,
}

/// The variables of a routine while it runs.
struct Frame {
    routine: RoutineId,
    locals: BTreeMap<LocalId, Value>,
    message: Message,
}

/// Data as it comes from outside: values without references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    Bool(bool),
    Number(BigInt),
    Fixed(Vec<u8>),
    Bytes(Vec<u8>),
    List(Vec<Data>),
}

impl<'c> Machine<'c> {
    pub fn new(contract: &'c Contract, world: World) -> Machine<'c> {
        let state = contract.variables.iter();
        let state = state.map(|variable| Cell::zero(contract, &variable.ty));
        Machine {
            contract,
            state: state.collect(),
            world,
            memory: Vec::new(),
            fuel: FUEL,
        }
    }

    /// A message from outside: what is returned, encoded. A revert leaves nothing behind.
    pub fn message(
        &mut self,
        entry: &tranquera::front::solidity::flat::EntryPoint,
        message: &Message,
        arguments: &[Data],
    ) -> Run<Vec<u8>> {
        let before = (self.state.clone(), self.world.clone());
        self.memory.clear();
        self.fuel = FUEL;
        self.world.balance += &message.value;
        let result = if message.value != BigUint::default() && !entry.is_payable() {
            Err(Stop::Revert)
        } else {
            self.run_entry(entry, message, arguments)
        };
        if result.is_err() {
            (self.state, self.world) = before;
        }
        for (variable, cell) in self.contract.variables.iter().zip(&mut self.state) {
            if variable.lifetime == Lifetime::Transient {
                *cell = Cell::zero(self.contract, &variable.ty);
            }
        }
        result
    }

    fn run_entry(
        &mut self,
        entry: &tranquera::front::solidity::flat::EntryPoint,
        message: &Message,
        arguments: &[Data],
    ) -> Run<Vec<u8>> {
        let routine = self.contract.routine(entry.routine).expect("a routine");
        let types: Vec<FlatType> = routine
            .parameters
            .iter()
            .map(|id| local_type(routine, *id))
            .collect();
        let mut values = Vec::new();
        for (ty, data) in types.iter().zip(arguments) {
            values.push(self.take_in(ty, data)?);
        }
        let results = self.call(entry.routine, values, message)?;
        let types: Vec<FlatType> = routine
            .results
            .iter()
            .map(|id| local_type(routine, *id))
            .collect();
        let mut data = Vec::new();
        for (ty, value) in types.iter().zip(&results) {
            data.push(self.give_out(ty, value)?);
        }
        // What a fallback returns is not encoded.
        if entry.kind == EntryKind::Fallback {
            return match data.first() {
                Some(Data::Bytes(bytes)) => Ok(bytes.clone()),
                _ => Ok(Vec::new()),
            };
        }
        Ok(encode(self.contract, &types, &data))
    }

    /// Allocates an object.
    fn new_object(&mut self, object: Object) -> Value {
        self.memory.push(object);
        Value::Reference(self.memory.len() - 1)
    }

    fn object(&self, value: &Value) -> Run<&Object> {
        match value {
            Value::Reference(at) => Ok(&self.memory[*at]),
            other => unsupported(format!("{other:?} is not a reference")),
        }
    }

    /// Data from outside as a value.
    fn take_in(&mut self, ty: &FlatType, data: &Data) -> Run<Value> {
        Ok(match (data, ty) {
            (Data::Bool(value), _) => Value::Bool(*value),
            (Data::Number(value), _) => Value::Number(value.clone()),
            (Data::Fixed(bytes), _) => Value::Fixed(bytes.clone()),
            (Data::Bytes(bytes), _) => self.new_object(Object::Bytes(bytes.clone())),
            (Data::List(items), FlatType::Array(element, _)) => {
                let mut values = Vec::new();
                for item in items {
                    values.push(Some(self.take_in(element, item)?));
                }
                self.new_object(Object::List(values))
            }
            (Data::List(items), FlatType::Struct(id)) => {
                let members = self
                    .contract
                    .structure(*id)
                    .expect("a struct")
                    .members
                    .clone();
                let mut values = Vec::new();
                for ((_, ty), item) in members.iter().zip(items) {
                    values.push(Some(self.take_in(ty, item)?));
                }
                self.new_object(Object::List(values))
            }
            (data, ty) => return unsupported(format!("{data:?} as {ty:?}")),
        })
    }

    /// A value as data, without references.
    fn give_out(&self, ty: &FlatType, value: &Value) -> Run<Data> {
        Ok(match value {
            Value::Bool(value) => Data::Bool(*value),
            Value::Number(value) => Data::Number(value.clone()),
            Value::Fixed(bytes) => Data::Fixed(bytes.clone()),
            Value::Reference(_) => match (self.object(value)?, ty) {
                (Object::Bytes(bytes), _) => Data::Bytes(bytes.clone()),
                (Object::List(items), FlatType::Array(element, _)) => {
                    let items = items.iter().flatten();
                    let items = items.map(|item| self.give_out(element, item));
                    Data::List(items.collect::<Run<_>>()?)
                }
                (Object::List(items), FlatType::Struct(id)) => {
                    let members = &self.contract.structure(*id).expect("a struct").members;
                    let items = items.iter().zip(members);
                    let items = items.filter_map(|(item, (_, ty))| Some((item.as_ref()?, ty)));
                    let items = items.map(|(item, ty)| self.give_out(ty, item));
                    Data::List(items.collect::<Run<_>>()?)
                }
                (object, ty) => return unsupported(format!("{object:?} as {ty:?}")),
            },
        })
    }

    /// The next answer of the outside.
    fn answer(&mut self) -> Answer {
        self.world.asked += 1;
        let answer = self.world.script.pop_front().unwrap_or(Answer {
            success: false,
            data: Vec::new(),
        });
        self.world.returned = answer.data.len();
        answer
    }

    fn burn(&mut self) -> Run<()> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Stop::Fuel)?;
        Ok(())
    }
}

pub fn local_type(
    routine: &tranquera::front::solidity::flat::FlatRoutine,
    id: LocalId,
) -> FlatType {
    routine.local(id).expect("a local variable").ty.clone()
}

/// The type whose values a type has.
pub fn underlying<'a>(contract: &'a Contract, ty: &'a FlatType) -> &'a FlatType {
    match ty {
        FlatType::Alias(id) => &contract.aliases[id.index()].underlying,
        _ => ty,
    }
}

/// A number in the range of a type, by wrapping around.
pub fn wrapped(value: &BigInt, signed: bool, bits: u16) -> BigInt {
    convert::wrap(value, tranquera::front::solidity::ast::Int { signed, bits })
}
