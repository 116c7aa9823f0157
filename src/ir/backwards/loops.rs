//! Loops, backwards: rounds are put in front of each other until nothing changes. What goes on beyond the bound is not known,
//! but it ends in a last round, and what no round writes is there what it was before the loop.

use super::constants;
use super::diagram::{AtomId, Bdd};
use super::{Backwards, Behind, Mentioned, mentioned};
use crate::ir::effects::{Written, walk};
use crate::ir::loops::before_another_round;
use crate::ir::{Block, Condition, Expr, ExprKind, FieldRef, LabelId, Stmt, Type};

/// A loop: its label, condition and body.
type Loop<'l> = (LabelId, &'l Condition, &'l Block);

/// Loops are not gone through again once their condition has more atoms than this.
const LONGEST: usize = 24;

/// Of a variable of which more atoms than this speak, each is taken by itself where a loop goes on beyond the bound.
const MOST_RELATED: usize = 6;

/// Whether an expression reads a field or an element that may change.
fn is_read_in(written: &Written, e: &Expr) -> bool {
    let mut found = false;
    walk::visit(e, |e| match &*e.kind {
        ExprKind::Field(_, field) => found |= written.fields.contains(field),
        ExprKind::Element(array, _) => {
            if let Type::Array { element, .. } = &array.ty {
                found |= written.elements.contains(element);
            }
        }
        _ => {}
    });
    found
}

impl Backwards {
    /// A loop. Its rounds are put in front of each other until the condition does not change any more; then it is exact.
    /// Where it does not settle within the bound, what comes behind more rounds than that is not known, but for what the
    /// last round says of what no round writes. With a bound of 0 that is not tried, and what comes behind the first round is
    /// not known.
    pub(super) fn repeat(&mut self, looped: Loop<'_>, next: Bdd, behind: &Behind) -> Bdd {
        if self.first_rounds {
            return self.first_round(looped, next, behind);
        }
        // A loop that changes nothing that matters is as good as none: it is taken to end.
        if self.round(looped, next, next, behind) == next {
            return next;
        }
        let rounds = self.limits.bound;
        if rounds > 0
            && let Some(before) = self.settled(looped, next, behind)
        {
            return before;
        }
        let beyond = self.beyond(looped, next, behind);
        let mut before = self.branch(looped.1, beyond, next, behind);
        for _ in 0..rounds.max(1) {
            let again = self.round(looped, before, next, behind);
            if self.is_long(again) {
                break;
            }
            before = again;
        }
        before
    }

    /// A loop that is left in its first round; but a plain one may have any number of them, and is taken to end.
    fn first_round(&mut self, looped: Loop<'_>, next: Bdd, behind: &Behind) -> Bdd {
        if constants::is_plain(looped.0, looped.2) {
            self.frame.constants = self.constants_but_of(looped.2);
            if self.round(looped, next, next, behind) == next {
                return next;
            }
        }
        self.round(looped, Bdd::FALSE, next, behind)
    }

    /// The condition before more rounds of a loop than are looked at: it is not known, but none where even with other values
    /// of all that the loop writes no round could be the last one.
    fn beyond(&mut self, looped: Loop<'_>, next: Bdd, behind: &Behind) -> Bdd {
        let last = self.round(looped, Bdd::FALSE, next, behind);
        let last = self.if_possible(last);
        let written = self.written(&before_another_round(looped.0, looped.2));
        let some = self.before_writes(&written, last);
        let open = self.any_end("a loop goes on beyond the bound");
        self.diagrams.and(open, some)
    }

    /// The condition before a loop, where it does not change any more within the bound.
    fn settled(&mut self, looped: Loop<'_>, next: Bdd, behind: &Behind) -> Option<Bdd> {
        let mut before = self.branch(looped.1, Bdd::FALSE, next, behind);
        for _ in 0..=self.limits.bound {
            let again = self.round(looped, before, next, behind);
            if again == before {
                return Some(before);
            }
            if self.is_long(again) {
                break;
            }
            before = again;
        }
        None
    }

    /// Whether a condition speaks of so much that another round in front of it would only make it longer.
    fn is_long(&self, node: Bdd) -> bool {
        self.diagrams.support(node).len() > LONGEST
    }

    /// The condition before a round of a loop, with one before the rounds that follow and one behind the loop.
    fn round(&mut self, looped: Loop<'_>, again: Bdd, next: Bdd, behind: &Behind) -> Bdd {
        let (label, condition, body) = looped;
        let mut inside = behind.clone();
        inside.labels.insert(label, (next, again));
        let once = self.block(body, again, &inside);
        self.branch(condition, once, next, behind)
    }

    /// The condition that some values meet of all that is written: of fields and elements, and of variables of which much is
    /// said, each atom by itself.
    fn before_writes(&mut self, written: &Written, node: Bdd) -> Bdd {
        let node = self.without_atoms(node, |e| is_read_in(written, e));
        let mut node = node;
        for var in &written.vars {
            let about = |e: &Expr| mentioned(e).contains(&Mentioned::Var(*var));
            node = match self.atoms_of(node, about).len() > MOST_RELATED {
                true => self.without_atoms(node, about),
                false => self.forget(&[*var], node),
            };
        }
        node
    }

    /// The condition without what such atoms say: what holds in some case, holds.
    fn without_atoms(&mut self, node: Bdd, such: impl Fn(&Expr) -> bool) -> Bdd {
        let atoms = self.atoms_of(node, such);
        self.in_some_case(&atoms, node)
    }

    fn atoms_of(&self, node: Bdd, such: impl Fn(&Expr) -> bool) -> Vec<AtomId> {
        let support = self.diagrams.support(node).into_iter();
        support
            .filter(|atom| such(self.atoms.shown(*atom)))
            .collect()
    }

    /// What statements may change, with their variables as they are called here. An object that they make had any fields before.
    pub(super) fn written(&self, statements: &[&Stmt]) -> Written {
        let mut written = Written::of(&self.effects, statements);
        let vars = written.vars.iter().map(|id| self.frame.renamed(*id));
        written.vars = vars.collect();
        for class in &written.made {
            let fields = 0..self.program.class(*class).fields.len();
            let fields = fields.map(|index| FieldRef {
                class: *class,
                index,
            });
            written.fields.extend(fields);
        }
        written
    }
}
