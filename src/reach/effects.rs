//! Which globals a procedure reads and writes, its callees included.

use std::collections::BTreeSet;

use super::faults::{self, Fault};
use super::graph::{Proc, ProcId};
use crate::boogie::typed::{GlobalId, VariableRef};
use crate::ids::Id;
use crate::internal::{Internal, Sure, internal};

/// The globals a procedure reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GlobalEffects {
    /// Those it reads or writes.
    pub uses: BTreeSet<GlobalId>,
    /// Those it writes.
    pub writes: BTreeSet<GlobalId>,
}

impl GlobalEffects {
    /// Adds those of another. Are there more now?
    fn add(&mut self, other: &GlobalEffects) -> bool {
        let before = (self.uses.len(), self.writes.len());
        self.uses.extend(&other.uses);
        self.writes.extend(&other.writes);
        before != (self.uses.len(), self.writes.len())
    }

    /// What a procedure reads and writes itself.
    fn own(proc: &Proc) -> Self {
        let mut effects = GlobalEffects::default();
        for cmd in proc.nodes.iter().flat_map(|n| &n.cmds) {
            cmd.kind.reads(&mut |v| {
                if let VariableRef::Global(g) = v {
                    effects.uses.insert(g);
                }
            });
            cmd.kind.writes(&mut |v| {
                if let VariableRef::Global(g) = v {
                    effects.writes.insert(g);
                }
            });
        }
        effects.uses.extend(&effects.writes);
        effects
    }
}

/// The effects of procedures that call each other, and those whose effects are `known`, which are numbered before them.
///
/// # Errors
///
/// A call of a procedure that is not there, which cannot be.
pub fn effects(procs: &[&Proc], known: &[GlobalEffects]) -> Result<Vec<GlobalEffects>, Internal> {
    let mut all: Vec<GlobalEffects> = procs.iter().map(|p| GlobalEffects::own(p)).collect();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); all.len()];
    for (caller, proc) in procs.iter().enumerate() {
        for callee in proc.callees() {
            match callee.index().checked_sub(known.len()) {
                Some(callee) => callers.get_mut(callee).sure()?.push(caller),
                None => {
                    let effects = known.get(callee.index()).sure()?;
                    all.get_mut(caller).sure()?.add(effects);
                }
            }
        }
    }
    // What a callee does its callers do, until nothing is new.
    let mut work: Vec<usize> = (0..all.len()).collect();
    while let Some(callee) = work.pop() {
        let effects = all.get(callee).sure()?.clone();
        for caller in callers.get(callee).sure()? {
            if all.get_mut(*caller).sure()?.add(&effects) {
                work.push(*caller);
            }
        }
    }
    let all = faults::at(Fault::MissingUse, all, |all| without(all, |e| &mut e.uses));
    let all = faults::at(Fault::MissingWrite, all, |all| {
        without(all, |e| &mut e.writes)
    });
    check(procs, known, &all)?;
    Ok(all)
}

/// Has every procedure its own effects, and those of its callees? An effect that callers do not know of would be none.
fn check(procs: &[&Proc], known: &[GlobalEffects], all: &[GlobalEffects]) -> Result<(), Internal> {
    for (proc, effects) in procs.iter().zip(all) {
        let has = |part: &GlobalEffects| {
            part.uses.is_subset(&effects.uses) && part.writes.is_subset(&effects.writes)
        };
        let mut complete = has(&GlobalEffects::own(proc));
        for callee in proc.calls() {
            complete &= has(known.iter().chain(all).nth(callee.index()).sure()?);
        }
        if !complete {
            return Err(internal("a procedure does what its effects do not tell"));
        }
    }
    Ok(())
}

/// The mistake that of each procedure's effects of a kind one is not there.
fn without(
    mut all: Vec<GlobalEffects>,
    kind: impl Fn(&mut GlobalEffects) -> &mut BTreeSet<GlobalId>,
) -> Vec<GlobalEffects> {
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
