//! Which name a value will have where ways meet.
//!
//! ```text
//!   if (c) { call a(); } else { call b(); }        both calls change 300 globals:
//!
//!   each result with a name of its own             r₁ … r₃₀₀ and s₁ … s₃₀₀, and for each global on each way
//!                                                  x = rᵢ, x = sᵢ
//!   the names that they have where the ways meet   x₁ … x₃₀₀, and nothing to say
//! ```
//!
//! Compilers do the same to the values that meet in a φ when they leave SSA form (coalescing; Sreedhar et al., *Translating Out of
//! Static Single Assignment Form*, SAS 1999). Here a name may stand for several values if no execution gives it more than one.
//! A result gets the name of the meeting that its value goes to if it goes there on *every* way, without another write in
//! between: then an execution comes through that one call, and on its way the meeting says nothing of the name, or not
//! through the call, whose own Boolean all hangs on that it says of its results. So what a meeting says of a shared name it must say of
//! single ways, not of all that meet there: at the exit there are also ways that fail, of which nothing is said.
//!
//! Where a meeting's value itself goes on to another meeting in that way, both have one name; at the exit it is that of the
//! procedure's own result, so that a chain of calls hands the same names down.
//!
//! It is done where procedures write many globals only ([`is_wide`]): what a copy says of its results may then hang on nothing but
//! its own Boolean, where otherwise linear arithmetic is told of integers whatever is called.

use std::collections::{BTreeMap, BTreeSet};

use super::encoder::Ways;
use super::passive::Slot;
use super::{Callees, for_writes};
use crate::boogie::typed::VariableRef;
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure};
use crate::reach::effects::GlobalEffects;
use crate::reach::graph::{Cmd, NodeId, Proc, Simple};

/// Procedures that write at least so many globals share the names of their results with others.
const WIDE: usize = 16;

/// Does a procedure write so many globals that its results share names with others?
pub(super) fn is_wide(effects: &GlobalEffects) -> bool {
    effects.writes.len() >= WIDE
}

/// Where the value that a variable has somewhere goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    /// To no meeting.
    Nowhere,
    /// On every way to where it gets the name of this meeting.
    Meeting(NodeId),
    /// It is overwritten on some way, or gets different names.
    Lost,
}

impl Destination {
    fn or(self, other: Destination) -> Destination {
        match (self, other) {
            (Destination::Nowhere, only) | (only, Destination::Nowhere) => only,
            (a, b) if a == b => a,
            _ => Destination::Lost,
        }
    }

    fn meeting(
        all: Option<&Table<Slot, Destination>>,
        slot: Slot,
    ) -> Result<Option<NodeId>, Internal> {
        Ok(match all.map(|all| all.at(slot)).transpose()? {
            Some(Destination::Meeting(n)) => Some(*n),
            _ => None,
        })
    }
}

/// Where the values of a procedure's variables go.
#[derive(Default)]
pub(super) struct Names {
    /// Where the values at the end of each node with a call go.
    ends: BTreeMap<NodeId, Table<Slot, Destination>>,
    /// For each node where ways meet: where the values that come in go, that is to this meeting itself or to the one whose
    /// name it takes.
    meetings: BTreeMap<NodeId, Table<Slot, Destination>>,
}

impl Names {
    /// Finds where values go. `order` has each node before its successors; `error` is the result that says whether the procedure
    /// fails.
    pub(super) fn find(
        proc: &Proc,
        error: Option<Slot>,
        order: &[NodeId],
        ways: &Ways,
        slots: &BTreeMap<VariableRef, Slot>,
        callees: &dyn Callees,
    ) -> Result<Names, Internal> {
        let mut names = Names::default();
        let mut begins: BTreeMap<NodeId, Table<Slot, Destination>> = BTreeMap::new();
        for n in order.iter().rev() {
            let node = proc.nodes.at(*n)?;
            let mut values = Table::like(&ways.vars, Destination::Nowhere);
            if *n == proc.exit {
                for (slot, _) in &ways.outs {
                    *values.at_mut(*slot)? = Destination::Meeting(*n);
                }
            }
            for next in ways.edges.succs(*n)? {
                // A procedure that fails says nothing of its results but the error.
                let says_nothing = *next == proc.exit && node.failure.is_some();
                let meeting = names.meetings.get(next);
                let behind = meeting.or_else(|| begins.get(next)).sure()?;
                for (slot, destination) in behind.pairs() {
                    if !says_nothing || error == Some(slot) {
                        let value = values.at_mut(slot)?;
                        *value = value.or(*destination);
                    }
                }
            }
            let calls = |cmd: &Cmd| matches!(cmd.kind, Simple::Call { .. });
            if node.cmds.iter().any(calls) {
                names.ends.insert(*n, values.clone());
            }
            for cmd in &node.cmds {
                for slot in written(&cmd.kind, slots, callees)? {
                    *values.at_mut(slot)? = Destination::Lost;
                }
            }
            if ways.edges.preds(*n)?.len() > 1 {
                let mut meeting = values.clone();
                for slot in ways.live.get(n).sure()?.ones().map(Slot::new) {
                    let value = meeting.at_mut(slot)?;
                    if !matches!(value, Destination::Meeting(_)) {
                        *value = Destination::Meeting(*n);
                    }
                }
                names.meetings.insert(*n, meeting);
            }
            begins.insert(*n, values);
        }
        Ok(names)
    }

    /// The meeting whose name the value at the end of a node will have.
    pub(super) fn behind(&self, n: NodeId, slot: Slot) -> Result<Option<NodeId>, Internal> {
        Destination::meeting(self.ends.get(&n), slot)
    }

    /// The meeting whose name a variable gets where ways meet in this node.
    pub(super) fn met(&self, n: NodeId, slot: Slot) -> Result<Option<NodeId>, Internal> {
        Destination::meeting(self.meetings.get(&n), slot)
    }
}

/// The slots of the variables that a command gives a value.
pub(super) fn written(
    cmd: &Simple,
    slots: &BTreeMap<VariableRef, Slot>,
    callees: &dyn Callees,
) -> Result<BTreeSet<Slot>, Internal> {
    let mut written = BTreeSet::new();
    let mut all = true;
    for_writes(cmd, callees, &mut |v| match slots.get(&v) {
        Some(slot) => {
            written.insert(*slot);
        }
        None => all = false,
    })?;
    all.then_some(written).sure()
}
