//! Calls, backwards: bodies are gone through, contracts take the place of bodies, and new objects were not there.

use std::collections::BTreeSet;

use super::diagram::Bdd;
use super::{Backwards, Behind, By, RoutineFrame};
use crate::ir::effects::walk;
use crate::ir::facts::{self, Fact};
use crate::ir::formula::{self, Substitution};
use crate::ir::{
    BuiltinException, ClassId, CompareOp, Expr, ExprKind, FieldRef, Place, Routine, RoutineRef,
    Type, VarId,
};

/// Calls are not followed deeper than this.
const DEEPEST: usize = 12;

/// A place of which the parts have been evaluated: variables that stand for them, and their values.
type Settled = (Place, Vec<(VarId, Expr)>);

impl Backwards {
    pub(super) fn call(
        &mut self,
        (targets, receiver): (&[Place], &Expr),
        routine: RoutineRef,
        args: &[Expr],
        next: Bdd,
        behind: &Behind,
    ) -> Bdd {
        let settled = self.settle(targets);
        let is_this = matches!(*receiver.kind, ExprKind::This);
        let on = match is_this {
            true => self.frame.this.clone(),
            false => {
                let id = self.variable("object", &receiver.ty);
                formula::var(&self.program, id)
            }
        };
        let mut callee = self.frame_of(routine, on.clone());
        let results = self.program.routine(routine).results.clone();
        let results: Vec<Expr> = results
            .iter()
            .map(|id| callee.var(&self.program, *id))
            .collect();
        let after = self.before_results(&settled, &results, next, behind);
        if self.first_rounds {
            callee.constants = self.constant_arguments(routine, &callee, args);
        }
        let caller = std::mem::replace(&mut self.frame, callee);
        let inside = behind.of_callee(after);
        let body = self.routine(routine, &inside);
        let body = self.if_possible(body);
        let refused = behind.throws(BuiltinException::RequiresViolation.id(), By::Body);
        let body = self.if_required(routine, body, refused);
        let callee = std::mem::replace(&mut self.frame, caller);
        let mut given = self.arguments(routine, &callee, args);
        if let (ExprKind::Var(id), false) = (&*on.kind, is_this) {
            given.vars.insert(*id, self.here(receiver));
        }
        let before = self.substituted(body, &given);
        let mut before = self.if_possible(before);
        for arg in args.iter().rev() {
            before = self.if_defined(arg, before, behind);
        }
        before = self.if_not_null(receiver, before, behind);
        before = self.if_defined(receiver, before, behind);
        self.if_settled(targets, settled, before, behind)
    }

    pub(super) fn new_object(
        &mut self,
        target: &Place,
        (class, constructor): (ClassId, Option<RoutineRef>),
        args: &[Expr],
        next: Bdd,
        behind: &Behind,
    ) -> Bdd {
        let targets = std::slice::from_ref(target);
        let settled = self.settle(targets);
        let object = self.new_reference(class);
        let after = self.before_results(&settled, std::slice::from_ref(&object), next, behind);
        let callee = match constructor {
            Some(constructor) => self.frame_of(constructor, object.clone()),
            None => RoutineFrame::of(object.clone()),
        };
        let caller = std::mem::replace(&mut self.frame, callee);
        let refused = behind.throws(BuiltinException::RequiresViolation.id(), By::Body);
        let made = self.constructed(class, constructor, &behind.of_callee(after), refused);
        let callee = std::mem::replace(&mut self.frame, caller);
        let mut before = made;
        if let Some(constructor) = constructor {
            let given = self.arguments(constructor, &callee, args);
            before = self.substituted(before, &given);
        }
        before = self.unmade(&object, before);
        for arg in args.iter().rev() {
            before = self.if_defined(arg, before, behind);
        }
        self.if_settled(targets, settled, before, behind)
    }

    /// Before the object of the frame is constructed: its fields have any values.
    pub(super) fn constructed(
        &mut self,
        class: ClassId,
        constructor: Option<RoutineRef>,
        behind: &Behind,
        refused: Bdd,
    ) -> Bdd {
        let Some(constructor) = constructor else {
            let declared = self.program.class(class);
            let clauses = declared.initially.iter().chain(&declared.invariants);
            let clauses: Vec<Expr> = clauses.map(|e| formula::clause(&self.program, e)).collect();
            let started = self.condition_here(&formula::all(clauses));
            let before = self.diagrams.and(started, behind.returns);
            return self.before_initial_values(class, before);
        };
        let body = self.routine(constructor, behind);
        let before = self.before_initial_values(class, body);
        self.if_required(constructor, before, refused)
    }

    fn before_initial_values(&mut self, class: ClassId, node: Bdd) -> Bdd {
        let fields = self.program.class(class).fields.iter().enumerate();
        let values: Vec<(usize, Expr)> = fields
            .filter_map(|(index, field)| Some((index, field.value.clone()?)))
            .collect();
        values.into_iter().rev().fold(node, |node, (index, value)| {
            let place = Place::Field(self.frame.this.clone(), FieldRef { class, index });
            let value = self.here(&value);
            self.before_write(node, &place, &value)
        })
    }

    pub(super) fn new_array(
        &mut self,
        target: &Place,
        element: &Type,
        (length, fill): (&Expr, Option<&Expr>),
        next: Bdd,
        behind: &Behind,
    ) -> Bdd {
        let targets = std::slice::from_ref(target);
        let settled = self.settle(targets);
        let ty = Type::Array {
            element: Box::new(element.clone()),
            nullable: false,
        };
        let id = self.variable("new", &ty);
        let array = formula::var(&self.program, id);
        let after = self.before_results(&settled, std::slice::from_ref(&array), next, behind);
        let size = self.here(length);
        let made = self.with_length(id, &size, after);
        let made = self.unmade(&array, made);
        let negative = formula::compare(CompareOp::Lt, size, formula::int(0));
        let negative = self.condition(&negative);
        let raised = behind.throws(BuiltinException::NegativeLength.id(), By::Body);
        let before = self.diagrams.choice(negative, raised, made);
        // What the elements are is not looked at; what working it out raises is.
        let before = match fill {
            Some(fill) => self.if_defined(fill, before, behind),
            None => before,
        };
        let before = self.if_defined(length, before, behind);
        self.if_settled(targets, settled, before, behind)
    }

    /// Places whose parts are variables that stand for the values which they have now: what is done before the places are
    /// assigned may change them.
    fn settle(&mut self, targets: &[Place]) -> Vec<Settled> {
        let save = |analysis: &mut Backwards, e: &Expr, saved: &mut Vec<(VarId, Expr)>| {
            let id = analysis.variable("saved", &e.ty);
            saved.push((id, analysis.here(e)));
            formula::expr(ExprKind::Var(id), e.ty.clone())
        };
        let settled = targets.iter().map(|target| {
            let mut saved = Vec::new();
            let place = match target {
                Place::Var(_) => self.place_here(target),
                Place::Field(object, field) => Place::Field(save(self, object, &mut saved), *field),
                Place::Element(array, index) => {
                    let array = save(self, array, &mut saved);
                    Place::Element(array, save(self, index, &mut saved))
                }
            };
            (place, saved)
        });
        settled.collect()
    }

    /// Before what came out of a call is assigned.
    fn before_results(
        &mut self,
        settled: &[Settled],
        results: &[Expr],
        next: Bdd,
        behind: &Behind,
    ) -> Bdd {
        let both = settled.iter().zip(results).rev();
        let node = both.fold(next, |node, ((place, _), result)| {
            self.before_write(node, place, result)
        });
        let places = settled.iter().rev();
        places.fold(node, |node, (place, _)| self.if_place(place, node, behind))
    }

    fn if_settled(
        &mut self,
        targets: &[Place],
        settled: Vec<Settled>,
        node: Bdd,
        behind: &Behind,
    ) -> Bdd {
        let vars = settled.into_iter().flat_map(|(_, saved)| saved).collect();
        let node = self.substituted(node, &Substitution { vars, this: None });
        let targets = targets.iter().rev();
        targets.fold(node, |node, target| self.if_operands(target, node, behind))
    }

    fn arguments(&self, routine: RoutineRef, callee: &RoutineFrame, args: &[Expr]) -> Substitution {
        let params = self.program.routine(routine).params.iter();
        let vars = params
            .map(|id| callee.renamed(*id))
            .zip(args.iter().map(|arg| self.here(arg)));
        Substitution {
            vars: vars.collect(),
            this: None,
        }
    }

    /// The frame of a routine on an object. The variables of one that is called within itself are others each time.
    fn frame_of(&mut self, routine: RoutineRef, this: Expr) -> RoutineFrame {
        let mut frame = RoutineFrame::of(this);
        if self.stack.contains(&routine) {
            for id in own_vars(self.program.routine(routine)) {
                let var = self.program.var(id).clone();
                let other = self.variable(&var.name, &var.ty);
                frame.renamed.insert(id, other);
            }
        }
        frame
    }

    /// Before a routine whose frame is there: its body, or what its contract allows.
    pub(super) fn routine(&mut self, routine: RoutineRef, behind: &Behind) -> Bdd {
        let recursive = self.stack.iter().filter(|r| **r == routine).count();
        if recursive > self.limits.bound as usize || self.stack.len() >= DEEPEST {
            return self.any_end("calls go deeper than the bound");
        }
        let declared = self.program.routine(routine).clone();
        self.stack.push(routine);
        self.frame.held = self.held_in(routine);
        let before = match &declared.body {
            Some(body) => self.block(body, behind.returns, behind),
            None => self.contract(routine, &declared, behind),
        };
        self.stack.pop();
        let results: Vec<VarId> = declared
            .results
            .iter()
            .map(|id| self.frame.renamed(*id))
            .collect();
        self.forget(&results, before)
    }

    /// Where the routine whose frame is there may be called; else this. Where only the outside would not answer so, nothing
    /// happens at all.
    pub(super) fn if_required(&mut self, routine: RoutineRef, node: Bdd, refused: Bdd) -> Bdd {
        let declared = self.program.routine(routine);
        let promises = declared.params.iter().filter_map(|p| {
            let value = formula::var(&self.program, *p);
            promise(&self.program.var(*p).ty, value)
        });
        let clauses = |about_outside: bool| {
            let clauses = declared.written_requires().iter();
            let clauses = clauses.filter(move |e| declared.is_about_outside(e) == about_outside);
            clauses.map(|e| formula::clause(&self.program, e))
        };
        let required = formula::all(promises.chain(clauses(false)));
        let outside = formula::all(clauses(true));
        let outside = self.condition_here(&outside);
        let node = self.diagrams.and(outside, node);
        let required = self.condition_here(&required);
        self.diagrams.choice(required, node, refused)
    }

    /// A routine without a body does whatever its contract allows.
    fn contract(&mut self, routine: RoutineRef, declared: &Routine, behind: &Behind) -> Bdd {
        let ensures = declared.ensures.iter();
        let ensures = ensures.map(|e| formula::clause(&self.program, e));
        let ensured = self.condition_here(&formula::all(ensures));
        let normal = self.diagrams.and(ensured, behind.returns);
        let mut before = self.before_frame(routine, declared, normal);
        for exception in &declared.throws {
            let raised = behind.throws(*exception, By::Outside);
            let raised = self.before_frame(routine, declared, raised);
            before = self.diagrams.or(before, raised);
        }
        before
    }

    /// Before what a contract lets change has any values: a field of the object itself, or of all objects of another class.
    fn before_frame(&mut self, routine: RoutineRef, declared: &Routine, node: Bdd) -> Bdd {
        let mut node = node;
        let mut values = Vec::new();
        for field in declared.modifies.iter().flatten() {
            let constant = self.program.field(*field).constant;
            if constant {
                continue;
            }
            if field.class == routine.class {
                let ty = self.program.field(*field).ty.clone();
                let id = self.variable("any", &ty);
                let value = formula::var(&self.program, id);
                let place = Place::Field(self.frame.this.clone(), *field);
                node = self.before_write(node, &place, &value);
                values.push(id);
            } else {
                node = self.before_any(*field, node, &mut values);
            }
        }
        // From here on, what was before the call is what is now.
        node = self.mapped(node, &mut without_old);
        self.forget(&values, node)
    }
}

/// The parameters, results and locals of a routine.
fn own_vars(routine: &Routine) -> BTreeSet<VarId> {
    let mut vars: BTreeSet<VarId> = routine
        .params
        .iter()
        .chain(&routine.results)
        .copied()
        .collect();
    for stmt in walk::statements(routine.body.iter().map(Vec::as_slice)) {
        for place in walk::places(stmt) {
            if let Place::Var(id) = place {
                vars.insert(*id);
            }
        }
    }
    vars
}

fn without_old(e: &Expr) -> Expr {
    match &*e.kind {
        ExprKind::Old(inner) => without_old(inner),
        _ => formula::map_children(e, without_old),
    }
}

/// What a declared type promises of a value, as a formula; nothing is said of the values of a map.
fn promise(ty: &Type, value: Expr) -> Option<Expr> {
    match facts::invariant(ty)? {
        Fact::NonNull => Some(formula::compare(CompareOp::Ne, value, formula::null())),
        Fact::Range { low, high } => {
            let low =
                low.map(|low| formula::compare(CompareOp::Ge, value.clone(), formula::int(low)));
            let high = high.map(|high| formula::compare(CompareOp::Le, value, formula::int(high)));
            Some(formula::all(low.into_iter().chain(high)))
        }
        _ => None,
    }
}
