//! Which globals a procedure reads and writes, its callees included.

use std::collections::BTreeSet;

use super::graph::{Proc, Simple};
use crate::boogie::typed::{ExprKind, Var};

/// The globals a procedure reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// Those it reads or writes.
    pub uses: BTreeSet<usize>,
    /// Those it writes.
    pub writes: BTreeSet<usize>,
}

/// The effects of procedures that call each other and those already known, in the order of `procs`.
pub fn effects(procs: &[&Proc], known: &[Effects]) -> Vec<Effects> {
    let mut all = known.to_vec();
    let own = procs.iter().skip(known.len()).map(|p| own(p));
    all.extend(own);
    let calls: Vec<BTreeSet<usize>> = procs.iter().map(|p| p.callees()).collect();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); procs.len()];
    for (caller, callees) in calls.iter().enumerate() {
        for callee in callees {
            if let Some(c) = callers.get_mut(*callee) {
                c.push(caller);
            }
        }
    }
    let mut work: Vec<usize> = (0..procs.len()).collect();
    while let Some(callee) = work.pop() {
        let Some(effects) = all.get(callee).cloned() else {
            continue;
        };
        for caller in callers.get(callee).into_iter().flatten() {
            let Some(mine) = all.get_mut(*caller) else {
                continue;
            };
            let before = (mine.uses.len(), mine.writes.len());
            mine.uses.extend(&effects.uses);
            mine.writes.extend(&effects.writes);
            if before != (mine.uses.len(), mine.writes.len()) {
                work.push(*caller);
            }
        }
    }
    all
}

fn own(proc: &Proc) -> Effects {
    let mut effects = Effects::default();
    for cmd in proc.nodes.iter().flat_map(|n| &n.cmds) {
        cmd.kind.exprs(&mut |e| {
            e.visit(&mut |e| {
                if let ExprKind::Var(Var::Global(g)) = e.kind {
                    effects.uses.insert(g);
                }
            });
        });
        cmd.kind.writes(&mut |v| {
            if let Var::Global(g) = v {
                effects.writes.insert(*g);
            }
        });
    }
    effects.uses.extend(&effects.writes);
    effects
}

impl Proc {
    /// The procedures it calls.
    pub fn callees(&self) -> BTreeSet<usize> {
        let cmds = self.nodes.iter().flat_map(|n| &n.cmds);
        let callees = cmds.filter_map(|c| match &c.kind {
            Simple::Call { callee, .. } => Some(*callee),
            _ => None,
        });
        callees.collect()
    }
}
