//! What a routine leaves without a value: fields that a constructor does not assign, and results.

use std::collections::BTreeSet;

use super::flow::{Follower, Slot, Slots, follow, slot_of};
use super::walk;
use crate::ir::span::Span;
use crate::ir::{
    Expr, ExprKind, FieldRef, Place, Program, Routine, RoutineKind, RoutineRef, Stmt, StmtKind,
    VarId,
};

/// Routines with more fields and results than this are not looked at: the search takes its time.
const MOST: usize = 200;

/// What a routine leaves with any value of its type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unset {
    /// Fields of the object that a constructor makes, in the order declared: on some way to a normal end, nobody has
    /// given them a value.
    pub fields: Vec<FieldRef>,
    /// Results, in the order declared, and where: at the end of the body, or at these `return`s, nobody can have given
    /// them a value.
    pub results: Vec<(VarId, Vec<Option<Span>>)>,
}

/// What the routine leaves unset. A `havoc` sets; so does a call of a routine of the same object that may assign the
/// field. Constants have a value of their own.
///
/// Of a field, one way on which it is forgotten is enough to be told: a constructor sets up its object. A result often
/// has a value just where its reader looks at it, so that all ways have to have forgotten it.
pub fn unset(program: &Program, reference: RoutineRef) -> Unset {
    let routine = program.routine(reference);
    let Some(body) = &routine.body else {
        return Unset::default();
    };
    let fields = match routine.kind {
        RoutineKind::Constructor => open_fields(program, reference),
        _ => Slots::new(),
    };
    if fields.len() > MOST || routine.results.len() > MOST {
        return Unset::default();
    }
    let fields = fields_left(program, body, fields);
    Unset {
        fields: fields.unwrap_or_default(),
        results: results_left(routine, body).unwrap_or_default(),
    }
}

/// The fields that have no value when a constructor starts.
fn open_fields(program: &Program, constructor: RoutineRef) -> Slots {
    let class = constructor.class;
    let fields = program.class(class).fields.iter().enumerate();
    fields
        .filter(|(_, field)| field.value.is_none() && !field.constant)
        .map(|(index, _)| Slot::Field(FieldRef { class, index }))
        .collect()
}

fn fields_left(program: &Program, body: &[Stmt], open: Slots) -> Option<Vec<FieldRef>> {
    if open.is_empty() {
        return None;
    }
    let mut left = Fields {
        program,
        left: Slots::new(),
        lost: false,
    };
    follow(body, open, &mut left);
    let fields = left.left.into_iter().filter_map(|slot| match slot {
        Slot::Field(field) => Some(field),
        Slot::Var(_) => None,
    });
    (!left.lost).then(|| fields.collect())
}

/// The slots are the fields that may not be assigned yet.
struct Fields<'a> {
    program: &'a Program,
    /// Those that are open at some end.
    left: Slots,
    lost: bool,
}

impl Follower for Fields<'_> {
    fn assigns(&mut self, _: &Stmt, place: &Place, open: &mut Slots) {
        if let Some(slot) = slot_of(place) {
            open.remove(&slot);
        }
    }

    fn havoc(&mut self, _: VarId, _: &mut Slots) {}

    fn call(&mut self, callee: RoutineRef, receiver: Option<&Expr>, open: &mut Slots) {
        if receiver.is_some_and(|receiver| matches!(*receiver.kind, ExprKind::This)) {
            for field in written(self.program, callee) {
                open.remove(&Slot::Field(field));
            }
        }
    }

    fn ends(&mut self, open: &Slots, _: Option<Span>) {
        self.left.extend(open);
    }

    fn lost(&mut self) {
        self.lost = true;
    }
}

/// The fields that a routine may assign, with the routines that it calls.
fn written(program: &Program, routine: RoutineRef) -> BTreeSet<FieldRef> {
    let mut written = BTreeSet::new();
    let mut seen = BTreeSet::from([routine]);
    let mut open = vec![routine];
    while let Some(routine) = open.pop() {
        let routine = program.routine(routine);
        written.extend(routine.modifies.iter().flatten().copied());
        for stmt in walk::statements(routine.body.iter().map(Vec::as_slice)) {
            for place in walk::places(stmt) {
                if let Place::Field(_, field) = place {
                    written.insert(*field);
                }
            }
            if let StmtKind::Call { routine, .. } = &stmt.kind
                && seen.insert(*routine)
            {
                open.push(*routine);
            }
        }
    }
    written
}

fn results_left(routine: &Routine, body: &[Stmt]) -> Option<Vec<(VarId, Vec<Option<Span>>)>> {
    if routine.results.is_empty() {
        return None;
    }
    let mut left = Results {
        left: routine.results.iter().map(|id| (*id, Vec::new())).collect(),
        lost: false,
    };
    follow(body, Slots::new(), &mut left);
    let forgotten = left.left.into_iter().filter(|(_, ends)| !ends.is_empty());
    (!left.lost).then(|| forgotten.collect())
}

/// The slots are the variables that may be assigned.
struct Results {
    /// Each result, with the ends at which it is none of them.
    left: Vec<(VarId, Vec<Option<Span>>)>,
    lost: bool,
}

impl Follower for Results {
    fn assigns(&mut self, _: &Stmt, place: &Place, assigned: &mut Slots) {
        if let Place::Var(variable) = place {
            self.havoc(*variable, assigned);
        }
    }

    fn havoc(&mut self, variable: VarId, assigned: &mut Slots) {
        if self.left.iter().any(|(result, _)| *result == variable) {
            assigned.insert(Slot::Var(variable));
        }
    }

    fn ends(&mut self, assigned: &Slots, at: Option<Span>) {
        for (result, ends) in &mut self.left {
            if !assigned.contains(&Slot::Var(*result)) {
                ends.push(at);
            }
        }
    }

    fn lost(&mut self) {
        self.lost = true;
    }

    fn added(&self, block: &[Stmt]) -> Slots {
        let mut added = Slots::new();
        for stmt in walk::statements(std::iter::once(block)) {
            for place in walk::places(stmt) {
                if let Place::Var(variable) = place
                    && self.left.iter().any(|(result, _)| result == variable)
                {
                    added.insert(Slot::Var(*variable));
                }
            }
        }
        added
    }
}
