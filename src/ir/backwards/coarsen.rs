//! Conditions that become too large, cut to a few atoms.
//!
//! ```text
//! on && (n > 0 || left == 0 && (k < 3 || full))      as it is
//! on && n > 0                                        surely, of two atoms
//! on                                                 perhaps, of one
//! ```
//!
//! What is dropped is taken to be any: the condition holds surely where it does whatever that is, and perhaps where it does for
//! some. The atoms are not the same ones for both. *Perhaps* keeps what the call begins with, its object and its arguments, and of
//! that what a run looks at first: a guard is mostly asked for before anything is done. That would leave nothing of *surely*, where
//! what comes last decides; this keeps what suffices with the fewest atoms, as the shortest paths through a diagram do (K. Ravi and
//! F. Somenzi, "High-Density Reachability Analysis", ICCAD 1995): of a method that reads to the end of a file, that the file ends at
//! once.

use std::collections::BTreeSet;

use super::diagram::{AtomId, Bdd};
use super::{Backwards, Mentioned, WantedEnd, mentioned};
use crate::ir::RoutineRef;

/// A condition between two, each with what was left open; they are the same where nothing was cut.
#[derive(Clone, Copy)]
pub(super) struct Between {
    pub(super) surely: Bdd,
    pub(super) perhaps: Bdd,
}

impl Between {
    /// The condition itself.
    pub(super) fn exactly(node: Bdd) -> Between {
        Between {
            surely: node,
            perhaps: node,
        }
    }
}

impl Backwards {
    /// The condition before a call that ends as wanted. Where something of it is left open, the runs with fewest rounds are looked at
    /// by themselves for what suffices; and where conditions are cut they are on one side, so that it takes going through the body
    /// twice.
    pub(super) fn between(&mut self, routine: Option<RoutineRef>, wanted: &WantedEnd) -> Between {
        let perhaps = self.at_start(routine, wanted);
        let is_open = self.with_first_rounds && self.has_open_atoms(perhaps);
        if self.most_atoms.is_none() && !is_open {
            return Between::exactly(perhaps);
        }
        let suffices = self.in_first_rounds(routine, wanted);
        let surely = match self.most_atoms {
            Some(_) => suffices,
            None => self.diagrams.or(perhaps, suffices),
        };
        Between { surely, perhaps }
    }

    /// Forgets all diagrams but those of these conditions.
    pub(super) fn keep_only(&mut self, all: &mut [&mut Between]) {
        let roots = all.iter_mut();
        let roots = roots.flat_map(|between| [&mut between.surely, &mut between.perhaps]);
        self.diagrams.keep_only(roots);
    }

    /// The condition before a run that ends as wanted and leaves each loop in its first round.
    pub(super) fn in_first_rounds(
        &mut self,
        routine: Option<RoutineRef>,
        wanted: &WantedEnd,
    ) -> Bdd {
        // That all is met once more says nothing of when it is looked at.
        let met = self.atoms.all_met();
        self.first_rounds = true;
        let before = self.at_start(routine, wanted);
        self.first_rounds = false;
        self.atoms.were_met(met);
        before
    }

    /// The condition with no more atoms than are kept: one that suffices for it where that is looked for (which has twice as many,
    /// since nothing of it may be forgotten), else one that holds wherever it does.
    pub(super) fn coarsened(&mut self, node: Bdd) -> Bdd {
        let Some(most) = self.most_atoms else {
            return node;
        };
        if self.diagrams.support(node).len() <= most {
            return node;
        }
        self.reasons.insert("a condition has too many cases");
        match self.first_rounds {
            true => self.sufficient(node, 2 * most),
            false => self.necessary(node, most),
        }
    }

    /// A condition of so many atoms that holds wherever this one may.
    fn necessary(&mut self, node: Bdd, most: usize) -> Bdd {
        let (open, mut known) = self.open_and_known(node);
        known.sort_by_key(|atom| {
            (
                !self.is_given(*atom),
                std::cmp::Reverse(self.atoms.earliness(*atom)),
            )
        });
        let dropped: Vec<AtomId> = known.into_iter().skip(most).chain(open).collect();
        self.in_some_case(&dropped, node)
    }

    /// A condition of so many atoms that suffices for this one, whatever the open ones are: what the fewest atoms say, and as far
    /// as there is room what the fewest further ones say.
    pub(super) fn sufficient(&mut self, node: Bdd, most: usize) -> Bdd {
        let (open, _) = self.open_and_known(node);
        let whole = self.in_every_case(&open, node);
        let all = self.diagrams.support(whole);
        let mut kept = BTreeSet::new();
        let mut surely = Bdd::FALSE;
        loop {
            let not_yet = self.diagrams.not(surely);
            let rest = self.diagrams.and(whole, not_yet);
            let Some(path) = self.diagrams.shortest_path(rest, &kept) else {
                return surely;
            };
            kept.extend(path.into_iter().map(|(atom, _)| atom));
            let enough = kept.len() > most && surely != Bdd::FALSE;
            // Where diagrams are not made any more, nothing that they say would end this.
            if enough || self.diagrams.is_full() {
                return surely;
            }
            let dropped: Vec<AtomId> = all.difference(&kept).copied().collect();
            surely = self.in_every_case(&dropped, whole);
        }
    }

    /// The atoms of a diagram: those of what is left open, and the others.
    fn open_and_known(&self, node: Bdd) -> (Vec<AtomId>, Vec<AtomId>) {
        let support = self.diagrams.support(node).into_iter();
        support.partition(|atom| self.is_open(*atom))
    }

    /// Whether an atom speaks of nothing but what the call begins with.
    fn is_given(&self, atom: AtomId) -> bool {
        let outermost = self
            .stack
            .first()
            .map(|routine| self.program.routine(*routine));
        let params = outermost.map_or(&[][..], |routine| &routine.params);
        let about = mentioned(self.atoms.shown(atom));
        about.iter().all(|mentioned| match mentioned {
            Mentioned::Var(id) => params.contains(id),
            Mentioned::Field(_) => true,
        })
    }
}
