//! Which globals a procedure reads and writes, its callees included.

use std::collections::BTreeSet;

use super::faults::{self, Fault};
use super::graph::{Proc, ProcId};
use crate::boogie::typed::{GlobalId, Var};
use crate::ids::{Id, Table};
use crate::internal::{Internal, internal};

/// The globals a procedure reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Those it reads or writes.
    pub uses: BTreeSet<GlobalId>,
    /// Those it writes.
    pub writes: BTreeSet<GlobalId>,
}

impl Effects {
    /// Adds those of another. Are there more now?
    fn add(&mut self, other: &Effects) -> bool {
        let before = (self.uses.len(), self.writes.len());
        self.uses.extend(&other.uses);
        self.writes.extend(&other.writes);
        before != (self.uses.len(), self.writes.len())
    }

    /// What a procedure reads and writes itself.
    fn own(proc: &Proc) -> Self {
        let mut effects = Effects::default();
        for cmd in proc.nodes.iter().flat_map(|n| &n.cmds) {
            cmd.kind.reads(&mut |v| {
                if let Var::Global(g) = v {
                    effects.uses.insert(g);
                }
            });
            cmd.kind.writes(&mut |v| {
                if let Var::Global(g) = v {
                    effects.writes.insert(g);
                }
            });
        }
        effects.uses.extend(&effects.writes);
        effects
    }
}

/// The effects of procedures that call each other, behind those that are already `known`.
///
/// # Errors
///
/// A call of a procedure that is not there, which cannot be.
pub fn effects(procs: &[&Proc], known: &[Effects]) -> Result<Vec<Effects>, Internal> {
    let own = procs.iter().skip(known.len()).map(|p| Effects::own(p));
    let mut all: Table<ProcId, Effects> = known.iter().cloned().chain(own).collect();
    let mut callers: Table<ProcId, Vec<ProcId>> = Table::like(&all, Vec::new());
    for (caller, proc) in procs.iter().enumerate() {
        for callee in proc.callees() {
            callers.at_mut(callee)?.push(ProcId::new(caller));
        }
    }
    // What a callee does its callers do, until nothing is new.
    let mut work: Vec<ProcId> = all.ids().collect();
    while let Some(callee) = work.pop() {
        let effects = all.at(callee)?.clone();
        for caller in callers.at(callee)? {
            if all.at_mut(*caller)?.add(&effects) {
                work.push(*caller);
            }
        }
    }
    let all = faults::at(Fault::MissingUse, all, |all| without(all, |e| &mut e.uses));
    let all = faults::at(Fault::MissingWrite, all, |all| {
        without(all, |e| &mut e.writes)
    });
    check(procs, &all)?;
    Ok(all.into_iter().skip(known.len()).collect())
}

/// Has every procedure its own effects, and those of its callees? An effect that callers do not know of would be none.
fn check(procs: &[&Proc], all: &Table<ProcId, Effects>) -> Result<(), Internal> {
    for (proc, effects) in procs.iter().zip(all) {
        let has = |part: &Effects| {
            part.uses.is_subset(&effects.uses) && part.writes.is_subset(&effects.writes)
        };
        let mut complete = has(&Effects::own(proc));
        for callee in proc.calls() {
            complete &= has(all.at(callee)?);
        }
        if !complete {
            return Err(internal("a procedure does what its effects do not tell"));
        }
    }
    Ok(())
}

/// The mistake that of each procedure's effects of a kind one is not there.
fn without(
    mut all: Table<ProcId, Effects>,
    kind: impl Fn(&mut Effects) -> &mut BTreeSet<GlobalId>,
) -> Table<ProcId, Effects> {
    for effects in &mut all {
        kind(effects).pop_last();
    }
    all
}

impl Proc {
    /// The procedures it calls.
    pub fn callees(&self) -> BTreeSet<ProcId> {
        self.calls().collect()
    }
}
