//! The verification condition of a procedure: a formula over its interface that is true when it has an execution from
//! its entry to its exit.
//!
//! Every node of the (acyclic) graph has a Boolean that says "the execution comes through here". It implies what the
//! node assumes and that one of its ways out is taken; a way out implies the next node's Boolean and, where ways meet,
//! that the variables' new names equal what they were called on this way. So the formula is as large as the graph, not
//! as its number of paths. A call implies the Boolean of its *site*, which is the guard of the callee's own formula once
//! that is there; until then the callee's results are free.
//!
//! The formula is a text with places for names, so that one encoding serves every inlined copy.

mod call;
mod command;
mod encoder;
mod finish;
mod join;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::effects::Effects;
use super::graph::{Failure, Proc, Unsupported};
use super::linear::Indicators;
use super::shared::Shared;
use super::symbols::Symbols;
use super::term::Template;
use crate::boogie::ast::Pos;
use crate::boogie::typed::{Type, Var};

use encoder::Encoder;

/// The verification condition of a procedure.
#[derive(Clone, Debug)]
pub struct Vc {
    /// The procedure's name.
    pub name: Arc<str>,
    /// Is it a loop?
    pub is_loop: bool,
    /// The sorts of its symbols: first the guard, then the interface, then its own.
    pub sorts: Vec<String>,
    /// How many symbols are the guard and the interface.
    pub interface: u32,
    /// The formula: these all hold.
    pub facts: Vec<Template>,
    /// Its calls.
    pub sites: Vec<Site>,
    /// What to read off a model: the nodes, the first being the entry.
    pub nodes: Vec<VcNode>,
    /// The entry node.
    pub entry: usize,
}

impl Vc {
    /// A condition that says nothing.
    pub(super) fn nothing() -> Self {
        Vc {
            name: "".into(),
            is_loop: false,
            sorts: Vec::new(),
            interface: 0,
            facts: Vec::new(),
            sites: Vec::new(),
            nodes: Vec::new(),
            entry: 0,
        }
    }
}

/// A call.
#[derive(Clone, Debug)]
pub struct Site {
    /// The callee.
    pub callee: usize,
    /// Its Boolean.
    pub guard: u32,
    /// What the callee's interface stands for: names and literals.
    pub interface: Vec<Template>,
}

/// A node of a verification condition.
#[derive(Clone, Debug, Default)]
pub struct VcNode {
    /// The next nodes, each with the symbol that says it is next; none if it is the only one.
    pub next: Vec<(Option<u32>, usize)>,
    /// What happens there, for the trace.
    pub events: Vec<Event>,
    /// Why the procedure fails there.
    pub failure: Option<Failure>,
}

/// Something for the trace.
#[derive(Clone, Debug)]
pub enum Event {
    /// A block of the text begins.
    Block(Pos, String),
    /// A command.
    Command(Pos),
    /// A call: the number of its site.
    Call(Option<Pos>, usize),
    /// A recorded value, and its type.
    Record(Pos, Option<String>, Template, Type),
}

/// The sorts of a procedure's interface: parameters, then results.
pub fn interface(proc: &Proc, effects: &Effects) -> (Vec<Var>, Vec<Var>) {
    let ins = proc.ins.iter().map(|i| Var::Local(*i));
    let outs = proc.outs.iter().map(|i| Var::Local(*i));
    (
        ins.chain(effects.uses.iter().map(|g| Var::Global(*g)))
            .collect(),
        outs.chain(effects.writes.iter().map(|g| Var::Global(*g)))
            .collect(),
    )
}

/// What is known of the procedures that are called.
pub trait Callees {
    /// The globals that the procedure of that number uses and writes.
    fn effects(&self, callee: usize) -> &Effects;
    /// The types of the results by name of that procedure.
    fn result_types(&self, callee: usize) -> Vec<Type>;
    /// The types of the parameters by name of that procedure.
    fn param_types(&self, callee: usize) -> Vec<Type>;
    /// Does that procedure call none?
    fn is_leaf(&self, callee: usize) -> bool;
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

/// Encodes an acyclic procedure.
///
/// # Errors
///
/// A construct that cannot be said to the solver.
pub fn encode(
    proc: &Proc,
    effects: &Effects,
    style: Style,
    callees: &dyn Callees,
    globals: &[crate::boogie::typed::Variable],
    symbols: &mut Symbols,
) -> Result<Vc, Unsupported> {
    let encoder = Encoder {
        proc,
        style,
        callees,
        globals,
        symbols,
        sorts: Vec::new(),
        sites: Vec::new(),
        results: Vec::new(),
        shared: Shared::default(),
        shared_sites: BTreeMap::new(),
        slots: BTreeMap::new(),
        indicators: Indicators::default(),
        meetings: 0,
    };
    encoder.run(effects, style == Style::Root)
}
