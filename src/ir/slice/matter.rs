//! What matters: grown from what is asked about until nothing new does.

use std::collections::BTreeSet;

use super::body::Walk;
use super::promises;
use crate::ir::backwards::Which;
use crate::ir::effects::{Effects, walk};
use crate::ir::{
    ClassId, ExceptionId, Expr, ExprKind, FieldRef, Program, RoutineRef, Type, VarId, facts,
};

/// What matters.
#[derive(Clone, Debug)]
pub(super) struct Matter {
    /// What each routine may raise, at most.
    effects: Effects,
    /// Fields that are read by something that is kept.
    pub(super) fields: BTreeSet<FieldRef>,
    /// Types of arrays whose elements are read.
    pub(super) elements: BTreeSet<Type>,
    pub(super) vars: BTreeSet<VarId>,
    /// Routines in which something is kept: they are called.
    pub(super) routines: BTreeSet<RoutineRef>,
    /// Routines that may raise something that matters to somebody who calls them.
    raised: BTreeSet<(RoutineRef, ExceptionId)>,
    /// Loops and handlers in which something is kept, by their numbers in the body.
    parts: BTreeSet<(RoutineRef, usize)>,
    changed: bool,
}

impl Matter {
    /// What the calls of these routines of a class depend on, where these exceptions are asked about.
    pub(super) fn of(
        program: &Program,
        class: ClassId,
        studied: &[RoutineRef],
        asked: &Which,
    ) -> Matter {
        let mut matter = Matter {
            effects: Effects::of(program),
            fields: BTreeSet::new(),
            elements: BTreeSet::new(),
            vars: BTreeSet::new(),
            routines: BTreeSet::new(),
            raised: BTreeSet::new(),
            parts: BTreeSet::new(),
            changed: true,
        };
        matter.invariants(program, class);
        for routine in studied {
            matter.contract_of(program, *routine);
            for exception in (0..program.exceptions.len()).map(ExceptionId) {
                if asked.has(exception) {
                    matter.raised.insert((*routine, exception));
                }
            }
        }
        let reachable = walk::reachable(program, studied);
        while std::mem::take(&mut matter.changed) {
            for routine in &reachable {
                matter.look_at(program, *routine);
            }
            matter.initial_values(program);
        }
        matter
    }

    /// What is assumed of all objects before and after a call, and what is known of the states.
    fn invariants(&mut self, program: &Program, class: ClassId) {
        for declared in &program.classes {
            let clauses = declared.invariants.iter().chain(&declared.initially);
            clauses.for_each(|clause| self.reads(program, clause));
        }
        let states = program.class(class).states.iter();
        states.for_each(|known| self.reads(program, &known.assumes));
        let (fields, elements) = promises::breakable(program);
        self.fields.extend(fields);
        self.elements.extend(elements);
    }

    /// What the contract of a routine under study speaks of.
    fn contract_of(&mut self, program: &Program, routine: RoutineRef) {
        let declared = program.routine(routine);
        let split = &declared.split;
        let claims = split.over.iter().chain(&split.under);
        let claims = claims.chain(split.witness.iter().map(|(_, value)| value));
        for clause in declared
            .requires
            .iter()
            .chain(&declared.ensures)
            .chain(claims)
        {
            self.reads(program, clause);
        }
        self.keep_routine(program, routine);
        self.vars.extend(&declared.params);
        self.vars.extend(&declared.outcomes);
    }

    fn look_at(&mut self, program: &Program, routine: RoutineRef) {
        let declared = program.routine(routine);
        let Some(body) = &declared.body else {
            self.answer(program, routine);
            return;
        };
        // Also of what is not called yet: once something in it matters, all calls of it do.
        let kept = Walk::new(program, self, routine).body(body);
        if !kept.is_empty() {
            self.keep_routine(program, routine);
        }
    }

    /// What the fields that matter have at the start.
    fn initial_values(&mut self, program: &Program) {
        for field in self.fields.clone() {
            if let Some(value) = &program.field(field).value {
                self.reads(program, value);
            }
        }
    }

    /// A routine without a body matters where it changes what matters, or answers it; whether what it raises matters, its
    /// callers say.
    fn answer(&mut self, program: &Program, routine: RoutineRef) {
        let declared = program.routine(routine);
        let mut changes = declared.modifies.iter().flatten();
        // What it ensures may be impossible: then other runs do not count.
        if changes.any(|field| self.fields.contains(field)) || !declared.ensures.is_empty() {
            self.keep_routine(program, routine);
        }
        if self.routines.contains(&routine) {
            for clause in &declared.ensures {
                self.reads(program, clause);
            }
        }
    }

    /// The routine is called: what its calls are checked for matters.
    pub(super) fn keep_routine(&mut self, program: &Program, routine: RoutineRef) {
        if !self.routines.insert(routine) {
            return;
        }
        self.changed = true;
        let declared = program.routine(routine);
        for clause in declared.written_requires() {
            self.reads(program, clause);
        }
        let promise = |id: &&VarId| facts::invariant(&program.var(**id).ty).is_some();
        self.vars.extend(declared.params.iter().filter(promise));
    }

    /// Whatever the expression reads matters.
    pub(super) fn reads(&mut self, program: &Program, e: &Expr) {
        let mut found = Vec::new();
        walk::visit_through_functions(program, e, |e| found.push(e));
        for e in found {
            self.changed |= match &*e.kind {
                ExprKind::Var(id) => self.vars.insert(*id),
                ExprKind::Field(_, field) => self.fields.insert(*field),
                ExprKind::Element(array, _) => match &array.ty {
                    Type::Array { element, .. } => self.elements.insert((**element).clone()),
                    _ => false,
                },
                _ => false,
            };
        }
    }

    /// The variable is read.
    pub(super) fn var(&mut self, id: VarId) {
        self.changed |= self.vars.insert(id);
    }

    /// The field is read.
    pub(super) fn field(&mut self, field: FieldRef) {
        self.changed |= self.fields.insert(field);
    }

    /// An exception that leaves the routine matters to somebody who called it.
    pub(super) fn raises(&mut self, routine: RoutineRef, exception: ExceptionId) {
        self.changed |= self.raised.insert((routine, exception));
    }

    /// Whether it matters to somebody who called the routine that it ends in this exception.
    pub(super) fn is_raised(&self, routine: RoutineRef, exception: ExceptionId) -> bool {
        self.raised.contains(&(routine, exception))
    }

    /// Something is kept in this loop or handler.
    pub(super) fn keep_part(&mut self, routine: RoutineRef, part: usize) {
        self.changed |= self.parts.insert((routine, part));
    }

    /// Whether something is kept in this loop or handler, as far as is known.
    pub(super) fn has_part(&self, routine: RoutineRef, part: usize) -> bool {
        self.parts.contains(&(routine, part))
    }

    /// What the routine may raise.
    pub(super) fn may_raise(&self, routine: RoutineRef) -> Vec<ExceptionId> {
        let raised = &self.effects.routine(routine).throws;
        raised.iter().copied().collect()
    }
}

/// All routines.
pub(super) fn routines(program: &Program) -> Vec<RoutineRef> {
    let classes = program.classes.iter().enumerate();
    let all = classes.flat_map(|(class, declared)| {
        (0..declared.routines.len()).map(move |index| RoutineRef {
            class: ClassId(class),
            index,
        })
    });
    all.collect()
}
