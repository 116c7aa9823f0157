//! What a class does that matters to its protocol: the statements on which it depends which calls are refused, which outcome
//! they have, and what the contracts say. The rest is dropped (M. Weiser, "Program Slicing", ICSE 1981).
//!
//! A statement is kept where something depends on it:
//!
//! - **by what it raises**: one of the exceptions that are asked about, or any that a handler around it handles, where that
//!   leaves out something that is kept, or where the handler does something that is;
//! - **by data**: it writes a field, the elements of arrays of a type, or a variable, that something reads which is kept; or
//!   it may break what the type of a field promises;
//! - **by control**: something that is kept is inside it, or is skipped by it (a `return`, a `break`).
//!
//! Whatever a kept statement reads matters then, too, and so on through calls, until nothing new does. `assume` and `throw` are
//! always kept. The slice has the abstraction of the class, but for one thing: loops and calls in which nothing is kept are
//! dropped, and so are taken to end.
//!
//! | step | where |
//! |---|---|
//! | what matters, grown until nothing new does | `matter`, `promises` |
//! | one body, backwards: what is kept | `body` |
//! | parameters and results that do not matter, out of routines and calls | `interface` |

mod body;
mod interface;
mod matter;
mod promises;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::backwards::Which;
use super::effects::walk;
use super::{Block, ClassId, FieldRef, Program, Routine, RoutineKind, RoutineRef, StmtKind};
use body::Walk;
use matter::Matter;

/// A part of a program.
#[derive(Clone, Debug)]
pub struct Slice {
    /// The program. Classes, fields and routines have the places that they had; what is dropped is mentioned nowhere.
    pub program: Program,
    fields: BTreeSet<FieldRef>,
    routines: BTreeSet<RoutineRef>,
    /// What was dropped, in the order of the program.
    pub dropped: Vec<Dropped>,
}

/// Something that nothing depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// A field that nothing that is kept reads.
    Field(FieldRef),
    /// A routine that nothing that is kept calls.
    Routine(RoutineRef),
    /// Statements of a routine that is kept.
    Statements {
        /// The routine.
        routine: RoutineRef,
        /// How many, those inside others included.
        dropped: usize,
        /// Of how many.
        all: usize,
        /// How many of them are loops, which are taken to end.
        loops: usize,
    },
}

impl Slice {
    /// The whole program, nothing dropped.
    pub fn whole(program: &Program) -> Slice {
        let fields = |(class, declared): (usize, &super::Class)| {
            let class = ClassId(class);
            (0..declared.fields.len()).map(move |index| FieldRef { class, index })
        };
        Slice {
            fields: program
                .classes
                .iter()
                .enumerate()
                .flat_map(fields)
                .collect(),
            routines: matter::routines(program).into_iter().collect(),
            program: program.clone(),
            dropped: Vec::new(),
        }
    }

    /// Whether the field is kept.
    pub fn has_field(&self, field: FieldRef) -> bool {
        self.fields.contains(&field)
    }

    /// Whether the routine is kept.
    pub fn has_routine(&self, routine: RoutineRef) -> bool {
        self.routines.contains(&routine)
    }
}

/// The part of a program on which it depends which calls of these actions of the class are refused and how they end: normally,
/// with which outcomes, or in one of the exceptions that are asked about; and what becomes of the object then.
///
/// An exception that nobody asks about, and nobody handles, is taken not to be raised where its statement is dropped: that
/// leaves the normal ends as they are where only routines without a body raise it, which might as well not raise it.
pub fn slice(program: &Program, class: ClassId, actions: &[RoutineRef], asked: &Which) -> Slice {
    let constructors = program.constructors(class).into_iter().flatten();
    let studied: Vec<RoutineRef> = constructors.chain(actions.iter().copied()).collect();
    let mut slicer = Slicer {
        program,
        matter: Matter::of(program, class, &studied, asked),
        studied,
        sliced: program.clone(),
        dropped: Vec::new(),
    };
    slicer.fields();
    for routine in matter::routines(program) {
        slicer.routine(routine);
    }
    slicer.states(class);
    interface::narrow(&mut slicer.sliced, &slicer.matter, &slicer.studied);
    Slice {
        program: slicer.sliced,
        fields: slicer.matter.fields,
        routines: slicer.matter.routines,
        dropped: slicer.dropped,
    }
}

struct Slicer<'p> {
    program: &'p Program,
    matter: Matter,
    /// The actions under study, and the constructors.
    studied: Vec<RoutineRef>,
    sliced: Program,
    dropped: Vec<Dropped>,
}

impl Slicer<'_> {
    fn fields(&mut self) {
        for (class, declared) in self.program.classes.iter().enumerate() {
            let class = ClassId(class);
            let fields = (0..declared.fields.len()).map(|index| FieldRef { class, index });
            let dropped = fields.filter(|field| !self.matter.fields.contains(field));
            self.dropped.extend(dropped.map(Dropped::Field));
        }
    }

    fn routine(&mut self, routine: RoutineRef) {
        let declared = self.program.routine(routine);
        let mut left = declared.clone();
        if !self.matter.routines.contains(&routine) {
            self.dropped.push(Dropped::Routine(routine));
            left.body = left.body.map(|_| Block::new());
            left.requires.clear();
            left.ensures.clear();
            left.modifies = left.modifies.map(|_| Vec::new());
        } else if let Some(body) = &declared.body {
            let kept = Walk::new(self.program, &mut self.matter, routine).body(body);
            self.count(routine, body, &kept);
            left.body = Some(kept);
        }
        if !self.studied.contains(&routine) {
            if left.kind == RoutineKind::Action {
                left.kind = RoutineKind::Procedure;
            }
            // With a body, the body is the meaning.
            if left.body.is_some() {
                left.ensures.clear();
            }
        }
        self.may_change(&mut left);
        self.sliced.classes[routine.class.0].routines[routine.index] = left;
    }

    /// What the routine may change, of what is left.
    fn may_change(&mut self, left: &mut Routine) {
        let Some(modifies) = &mut left.modifies else {
            return;
        };
        let first = modifies.first().copied();
        modifies.retain(|field| self.matter.fields.contains(field));
        // Without a clause, it may change what its `ensures` speak of.
        if modifies.is_empty() && left.body.is_none() && !left.ensures.is_empty() {
            let kept = first.filter(|field| self.matter.fields.insert(*field));
            modifies.extend(kept);
        }
    }

    fn count(&mut self, routine: RoutineRef, body: &Block, kept: &Block) {
        let counted = |block: &Block| {
            let all = walk::statements([block.as_slice()]);
            let loops = all
                .iter()
                .filter(|s| matches!(s.kind, StmtKind::While { .. }));
            (all.len(), loops.count())
        };
        let ((all, loops), (left, left_loops)) = (counted(body), counted(kept));
        if left < all {
            self.dropped.push(Dropped::Statements {
                routine,
                dropped: all - left,
                all,
                loops: loops - left_loops,
            });
        }
    }

    /// What is known of states, where all of their actions are studied.
    fn states(&mut self, class: ClassId) {
        let studied = &self.studied;
        let is_studied = |index: &usize| {
            let index = *index;
            studied.contains(&RoutineRef { class, index })
        };
        let states = &mut self.sliced.classes[class.0].states;
        states.retain(|known| known.enabled.iter().all(is_studied));
    }
}
