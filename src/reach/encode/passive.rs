//! The passive form: the blocks of a procedure after symbolic execution. Values have names, and nothing is assigned.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::{InlineSite, SiteId, Sources, Style, TraceEvent};
use crate::ids::{Table, id};
use crate::reach::graph::{FailedCheck, NodeId};
use crate::reach::term::{Symbol, Term};

id! {
    /// A variable of a procedure while it is executed symbolically.
    pub(super) Slot;
}

/// The values of variables; none where a variable's value does not matter.
pub(super) type Values = Table<Slot, Option<Term>>;

/// The passive form of a procedure.
#[derive(Clone, Debug)]
pub struct Passive {
    /// The procedure's name.
    pub name: Arc<str>,
    /// Is it a loop?
    pub is_loop: bool,
    /// What it is for.
    pub style: Style,
    /// The sorts of its symbols: first the guard, then the interface, then its own.
    pub sorts: Table<Symbol, String>,
    /// How many symbols are the guard and the interface.
    pub interface: usize,
    /// Those of its own symbols that stand for any value.
    pub free: Vec<Symbol>,
    /// Its calls.
    pub sites: Table<SiteId, InlineSite>,
    /// Where its calls and free values come from.
    pub sources: Sources,
    /// The blocks that lead from the entry to the exit, each before those it leads to. None if nothing does.
    pub blocks: Vec<(NodeId, PassiveBlock)>,
}

/// A block.
#[derive(Clone, Debug, Default)]
pub struct PassiveBlock {
    /// The Boolean that says that the execution comes here; none is `true`.
    pub guard: Option<Term>,
    /// What it implies.
    pub facts: Vec<Term>,
    /// What holds whether or not the execution comes here: names for terms.
    pub always: Vec<Term>,
    /// The ways out.
    pub edges: Vec<PassiveEdge>,
    /// What happens here, for the trace.
    pub events: Vec<TraceEvent>,
    /// Why the procedure fails here.
    pub failure: Option<FailedCheck>,
    /// The meetings of ways that executions have come through.
    pub(super) passed: FixedBitSet,
    /// The values of variables at its end, until the only block behind it has taken them.
    pub(super) env: Values,
    /// Does no execution come here?
    pub(super) dead: bool,
}

/// A way from a block to another.
#[derive(Clone, Debug)]
pub struct PassiveEdge {
    /// Where it leads.
    pub to: NodeId,
    /// The Boolean that says that it is taken; none if it is the only one.
    pub taken: Option<Term>,
    /// What that implies.
    pub facts: Vec<Term>,
}
