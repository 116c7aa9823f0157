//! The verification condition of a procedure: a formula over its interface that is true when it has an execution from
//! its entry to its exit.
//!
//! This is symbolic execution of all ways at once, by way of the *passive form* (Flanagan & Saxe, *Avoiding Exponential
//! Explosion*, POPL 2001; Barnett & Leino, *Weakest-Precondition of Unstructured Programs*, PASTE 2005): each value that a
//! variable gets has a name of its own, so that nothing is assigned any more. Every block of the (acyclic) passive form
//! has a Boolean that says "the execution comes through here". It implies what the block assumes and that one of its ways
//! out is taken; a way out implies the next block's Boolean and, where ways meet, that the variables' new names equal what
//! they were called on this way. So the formula is as large as the graph, not as its number of paths. A call implies the
//! Boolean of its *site*, which is the guard of the callee's own formula once that is there; until then the callee's results
//! are free.
//!
//! The formula is a text with places for names, so that one encoding serves every inlined copy.

mod call;
mod command;
mod encoder;
mod join;
mod names;
mod passive;
mod vc;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::effects::GlobalEffects;
use super::error::Result;
use super::graph::{FailedCheck, NodeId, Proc, ProcId, Simple};
use super::shared::CallPlace;
use super::symbols::Symbols;
use super::term::{Symbol, Template};
use crate::boogie::ast::Pos;
use crate::boogie::typed::{BoogieType, GlobalId, TypedVariable, VariableRef};
use crate::ids::{Table, id};
use crate::internal::Internal;

use encoder::Encoder;
pub use passive::{Passive, PassiveBlock, PassiveEdge};

id! {
    /// A call of a verification condition.
    pub SiteId;
    /// A node of a verification condition.
    pub VcNodeId;
}

/// The verification condition of a procedure.
#[derive(Clone, Debug)]
pub struct Vc {
    /// The procedure's name.
    pub name: Arc<str>,
    /// Is it a loop?
    pub is_loop: bool,
    /// The sorts of its symbols: first the guard, then the interface, then its own.
    pub sorts: Table<Symbol, String>,
    /// How many symbols are the guard and the interface.
    pub interface: usize,
    /// Those of its own symbols that stand for any value.
    pub free: Vec<Symbol>,
    /// The formula: these all hold.
    pub facts: Vec<Template>,
    /// Its calls.
    pub sites: Table<SiteId, InlineSite>,
    /// What to read off a model: the nodes, the first being the entry.
    pub nodes: Table<VcNodeId, VcNode>,
    /// Where its parts come from.
    pub sources: Sources,
}

/// Where the parts of a verification condition come from in the procedure's graph.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The nodes that lead from the entry to the exit.
    pub nodes: BTreeMap<NodeId, VcNodeId>,
    /// The calls.
    pub calls: BTreeMap<CallPlace, SiteId>,
    /// The commands that give variables any values, and these values.
    pub choices: BTreeMap<CallPlace, Vec<(Symbol, BoogieType)>>,
    /// What variables are worth at the entry that are not given.
    pub first: Vec<(VariableRef, (Symbol, BoogieType))>,
}

/// A call.
#[derive(Clone, Debug)]
pub struct InlineSite {
    /// The callee.
    pub callee: ProcId,
    /// Its Boolean.
    pub guard: Symbol,
    /// What the callee's interface stands for: names and literals.
    pub interface: Vec<Template>,
}

/// A node of a verification condition.
#[derive(Clone, Debug, Default)]
pub struct VcNode {
    /// The next nodes, each with the symbol that says it is next; none if it is the only one.
    pub next: Vec<(Option<Symbol>, VcNodeId)>,
    /// What happens there, for the trace.
    pub events: Vec<TraceEvent>,
    /// Why the procedure fails there.
    pub failure: Option<FailedCheck>,
    /// Does every execution of the procedure come there?
    pub is_unavoidable: bool,
}

/// Something for the trace.
#[derive(Clone, Debug)]
pub enum TraceEvent {
    /// A block of the text begins.
    Block(Pos, String),
    /// A command.
    Command(Pos),
    /// A call: its site.
    Call(Option<Pos>, SiteId),
    /// A recorded value, and its type.
    Record(Pos, Option<String>, Template, BoogieType),
}

/// A procedure's interface: parameters, then results; of each the local variables by name, then the globals.
pub fn interface(proc: &Proc, effects: &GlobalEffects) -> (Vec<VariableRef>, Vec<VariableRef>) {
    let ins = proc.ins.iter().copied().map(VariableRef::Local);
    let outs = proc.outs.iter().copied().map(VariableRef::Local);
    let (uses, writes) = (effects.uses.iter(), effects.writes.iter());
    (
        ins.chain(uses.copied().map(VariableRef::Global)).collect(),
        outs.chain(writes.copied().map(VariableRef::Global))
            .collect(),
    )
}

/// What is known of the procedures that are called. There being no procedure of a number is an error that cannot be.
pub trait Callees {
    /// The globals that a procedure uses and writes.
    fn effects(&self, callee: ProcId) -> Result<&GlobalEffects, Internal>;
    /// The types of its results by name.
    fn result_types(&self, callee: ProcId) -> Result<Vec<BoogieType>, Internal>;
    /// The types of its parameters by name.
    fn param_types(&self, callee: ProcId) -> Result<Vec<BoogieType>, Internal>;
    /// Does it call none?
    fn is_leaf(&self, callee: ProcId) -> Result<bool, Internal>;
}

/// Calls `each` on the variables a command reads, globals of callees included.
pub(super) fn for_reads(
    cmd: &Simple,
    callees: &dyn Callees,
    each: &mut dyn FnMut(VariableRef),
) -> Result<(), Internal> {
    cmd.reads(each);
    if let Simple::Call { callee, .. } = cmd {
        let uses = &callees.effects(*callee)?.uses;
        uses.iter().for_each(|g| each(VariableRef::Global(*g)));
    }
    Ok(())
}

/// Calls `each` on the variables a command gives a value, globals of callees included.
pub(super) fn for_writes(
    cmd: &Simple,
    callees: &dyn Callees,
    each: &mut dyn FnMut(VariableRef),
) -> Result<(), Internal> {
    cmd.writes(each);
    if let Simple::Call { callee, .. } = cmd {
        let writes = &callees.effects(*callee)?.writes;
        writes.iter().for_each(|g| each(VariableRef::Global(*g)));
    }
    Ok(())
}

/// What a verification condition is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The entry: no guard and no interface. It is true when the whole program has an execution.
    Root,
    /// A procedure that is called.
    Callee,
    /// A piece of a procedure as a Horn clause: as few variables as can be.
    Clause,
}

/// The passive form of an acyclic procedure.
///
/// # Errors
///
/// A construct that cannot be said to the solver, or a mistake of ours.
pub fn passive(
    proc: &Proc,
    effects: &GlobalEffects,
    style: Style,
    callees: &dyn Callees,
    globals: &Table<GlobalId, TypedVariable>,
    symbols: &mut Symbols,
) -> Result<Passive> {
    Encoder::new(proc, effects, style, callees, globals, symbols).run()
}
