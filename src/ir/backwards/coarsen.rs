//! Conditions that become too large, cut to a few atoms.
//!
//! ```text
//! on && (n > 0 || left == 0 && (k < 3 || full))      as it is
//! on && open                                         of two atoms: `on` has to hold, and whether that is enough is open
//! ```
//!
//! What is dropped is taken to be any: the condition holds surely where it does whatever that is, and perhaps where it does for
//! some. Kept is first of all what the call begins with, its object and its arguments, and of that what a run looks at first: a
//! guard is mostly asked for before anything is done.

use super::diagram::{AtomId, Bdd};
use super::{Backwards, Mentioned, mentioned};

impl Backwards {
    /// The condition with no more atoms than are kept.
    pub(super) fn coarsened(&mut self, node: Bdd) -> Bdd {
        let Some(most) = self.most_atoms else {
            return node;
        };
        let mut atoms: Vec<AtomId> = self.diagrams.support(node).into_iter().collect();
        if atoms.len() <= most {
            return node;
        }
        atoms.sort_by_key(|atom| {
            (
                !self.is_given(*atom),
                std::cmp::Reverse(self.atoms.earliness(*atom)),
            )
        });
        let is_open = |atom: &AtomId| self.is_open(*atom);
        let (open, known): (Vec<AtomId>, Vec<AtomId>) = atoms.into_iter().partition(is_open);
        // What is open is part of what is open of the whole.
        let dropped = known.into_iter().skip(most - 1).chain(open);
        let (surely, perhaps) = self.whatever(dropped.collect(), node);
        if surely == perhaps {
            return surely;
        }
        let open = self.anything("a condition has too many cases");
        let possibly = self.diagrams.and(open, perhaps);
        self.diagrams.or(surely, possibly)
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
