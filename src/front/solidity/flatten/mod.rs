//! From the syntax tree to one flattened contract.
//!
//! It begins at what can be called from outside and makes a routine of each function that is reached, once for each form
//! of its *static* arguments: storage references and functions (`instance`). A routine is written by a [`Writer`]:
//! statements, expressions with their effects before them, modifiers around the body.
//!
//! What is not taken is a [`Rejection`]. It goes up to the nearest pure or view function, which then becomes opaque; else to
//! what can be called from outside, which then is refused. All of them are collected.

mod assembly;
mod assign;
mod attempt;
mod builtin;
mod call;
mod choice;
mod constructor;
mod convert;
mod entries;
mod expression;
mod external;
mod frame;
mod getter;
mod hierarchy;
mod inline;
mod instance;
mod internal;
mod member;
mod modifier;
mod operator;
mod place;
mod pointer;
mod reached;
mod statement;
mod tidy;
mod types;
mod walk;
mod writer;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hierarchy::Hierarchy;
use instance::{Instance, InstanceKey};
use types::Types;

use super::ast::{self, Mutability, NodeId, SolidityProgram};
use super::flat::{
    Constant, ConstantId, Contract, FlatRoutine, FlatType, NotTaken, Note, Opaque, RoutineId,
    StateVariable, VariableId,
};
use super::place::FileRange;
use crate::stack::on_large_stack;

/// The stack for flattening, in bytes: a function is flattened while its caller is.
const STACK: usize = 512 << 20;

/// How many functions may be flattened inside each other.
const MAX_CALLS: u32 = 100;

/// How many statements and expressions a contract may have. Modifiers and storage references multiply code.
const MAX_SIZE: usize = 1_000_000;

/// What the user says of how a contract is flattened.
#[derive(Clone, Debug, Default)]
pub struct FlattenOptions {
    /// Functions that are left out, by the names of their entries.
    pub without: Vec<String>,
}

/// Flattens a contract. None if there is not enough memory.
pub fn flatten(
    program: &SolidityProgram,
    contract: &ast::ContractDefinition,
    options: &FlattenOptions,
) -> Option<Contract> {
    on_large_stack(STACK, || {
        let mut flattener = Flattener::new(program, contract);
        let parts = flattener.parts(options);
        flattener.finish(contract, parts)
    })
}

/// Why something is not taken. Empty where that has been said already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rejection(pub Vec<NotTaken>);

impl Rejection {
    fn at(place: FileRange, what: impl Into<String>) -> Rejection {
        let what = what.into();
        Rejection(vec![NotTaken { place, what }])
    }
}

/// Result of flattening something.
type Flat<T> = Result<T, Rejection>;

/// What is known while a contract is flattened.
struct Flattener<'p> {
    program: &'p SolidityProgram,
    hierarchy: Hierarchy,
    types: Types,
    variables: Vec<StateVariable>,
    variable_ids: HashMap<NodeId, VariableId>,
    constants: Vec<Constant>,
    constant_ids: HashMap<NodeId, ConstantId>,
    /// Those that are being made, or cannot be, are none.
    routines: Vec<Option<FlatRoutine>>,
    /// Why routines that calls may go to are not there.
    dead: BTreeMap<RoutineId, Vec<NotTaken>>,
    instances: HashMap<InstanceKey, Instance>,
    getters: HashMap<NodeId, RoutineId>,
    /// Variables at slots that are constants.
    slot_variables: HashMap<assembly::SlotKey, VariableId>,
    /// Why state variables are not taken.
    untaken: HashMap<NodeId, Vec<NotTaken>>,
    /// Names that a routine may have, the best first.
    plans: BTreeMap<RoutineId, Vec<String>>,
    opaque: Vec<Opaque>,
    notes: Vec<Note>,
    /// How many functions are being flattened inside each other.
    calls: u32,
    /// How much has been written.
    size: usize,
}

impl<'p> Flattener<'p> {
    fn new(program: &'p SolidityProgram, contract: &ast::ContractDefinition) -> Flattener<'p> {
        Flattener {
            program,
            hierarchy: Hierarchy::of(program, contract),
            types: Types::default(),
            variables: Vec::new(),
            variable_ids: HashMap::new(),
            constants: Vec::new(),
            constant_ids: HashMap::new(),
            routines: Vec::new(),
            dead: BTreeMap::new(),
            instances: HashMap::new(),
            getters: HashMap::new(),
            slot_variables: HashMap::new(),
            untaken: HashMap::new(),
            plans: BTreeMap::new(),
            opaque: Vec::new(),
            notes: Vec::new(),
            calls: 0,
            size: 0,
        }
    }

    fn ty(&mut self, ty: &ast::SolidityType, place: FileRange) -> Flat<FlatType> {
        self.types.of(self.program, ty, place)
    }

    /// Counts something that is written.
    fn count(&mut self, place: FileRange) -> Flat<()> {
        self.size += 1;
        if self.size > MAX_SIZE {
            return Err(Rejection::at(
                place,
                "the contract becomes too large when it is flattened",
            ));
        }
        Ok(())
    }

    /// Whether the compiled code is of the compiler's newer way, which evaluates from left to right.
    fn via_ir(&self) -> bool {
        self.program.via_ir
    }

    /// The contract or library in which something is declared.
    fn contract_of(&self, id: NodeId) -> Option<&Arc<ast::ContractDefinition>> {
        self.program.contract(self.program.contract_of(id)?)
    }

    /// Whether a routine may change storage. One that is being written may.
    fn writes(&self, routine: RoutineId) -> bool {
        let known = self.routines.get(routine.index()).and_then(Option::as_ref);
        known.is_none_or(|routine| routine.mutability > Mutability::View)
    }
}
