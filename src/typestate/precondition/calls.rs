//! Calls along all paths: bodies are run, contracts take the place of bodies, and new objects start.

use std::rc::Rc;

use crate::ir::facts;
use crate::ir::formula;
use crate::ir::{
    BuiltinException, ClassId, Expr, ExprKind, FieldRef, Place, Routine, RoutineRef, Type, VarId,
};
use crate::ir::{CompareOp, RoutineKind};

use super::PathAnalysis;
use super::execute::{Flows, thrown};
use super::path::{Completion, RoutinePath, Write};

/// Calls are not followed deeper than this.
const DEEPEST: usize = 12;

impl PathAnalysis {
    pub(super) fn call(
        &mut self,
        path: RoutinePath,
        targets: &[Place],
        receiver: &Expr,
        routine: RoutineRef,
        args: &[Expr],
    ) -> Flows {
        let (mut flows, paths) = self.settled(path, targets);
        for (path, targets) in paths {
            for path in self.evaluated(path, receiver, &mut flows) {
                for path in self.not_null(path, receiver, &mut flows) {
                    let paths = self.arguments(path, args, &mut flows);
                    for path in paths {
                        let this = self.value(&path, receiver);
                        let values = self.values(&path, args);
                        let ends = self.enter(path, routine, &this, &values, &mut flows);
                        self.give(ends, &targets, &mut flows);
                    }
                }
            }
        }
        flows
    }

    /// Evaluates the operands of places now: what is done before they are assigned may change them.
    fn settled(
        &mut self,
        path: RoutinePath,
        targets: &[Place],
    ) -> (Flows, Vec<(RoutinePath, Vec<Place>)>) {
        let mut flows = Flows::new();
        let mut paths = vec![(path, Vec::new())];
        for target in targets {
            let mut next = Vec::new();
            for (path, settled) in paths {
                let (raised, on) = self.operands(path, target);
                flows.extend(raised);
                for path in on {
                    let mut settled = settled.clone();
                    settled.push(self.settle(&path, target));
                    next.push((path, settled));
                }
            }
            paths = next;
        }
        (flows, paths)
    }

    fn settle(&mut self, path: &RoutinePath, place: &Place) -> Place {
        match place {
            Place::Var(id) => Place::Var(*id),
            Place::Field(object, field) => Place::Field(self.saved(path, object), *field),
            Place::Element(array, index) => {
                Place::Element(self.saved(path, array), self.saved(path, index))
            }
        }
    }

    /// An expression that has the value which this one has now: a variable that no one assigns.
    fn saved(&mut self, path: &RoutinePath, e: &Expr) -> Expr {
        let value = self.value(path, e);
        let id = self.variable("saved", &e.ty);
        self.held.insert(id, value);
        formula::expr(ExprKind::Var(id), e.ty.clone())
    }

    fn arguments(
        &mut self,
        path: RoutinePath,
        args: &[Expr],
        flows: &mut Flows,
    ) -> Vec<RoutinePath> {
        let mut paths = vec![path];
        for arg in args {
            let mut next = Vec::new();
            for path in paths {
                next.extend(self.evaluated(path, arg, flows));
            }
            paths = next;
        }
        paths
    }

    fn values(&mut self, path: &RoutinePath, args: &[Expr]) -> Vec<Expr> {
        args.iter().map(|arg| self.value(path, arg)).collect()
    }

    /// Checks what the routine requires, and runs it. The paths on which it ends normally, with its variables; the
    /// others go to `flows`.
    fn enter(
        &mut self,
        path: RoutinePath,
        routine: RoutineRef,
        this: &Expr,
        args: &[Expr],
        flows: &mut Flows,
    ) -> Vec<(RoutinePath, Vec<Expr>)> {
        let mut ends = Vec::new();
        let caller = (path.vars.clone(), path.this.clone());
        let mut path = path;
        self.frame(&mut path, routine, this, args);
        let (passed, failed) = self.required(path, routine);
        let back = |mut path: RoutinePath| {
            (path.vars, path.this) = caller.clone();
            path
        };
        let failed = failed.into_iter().map(back).collect();
        flows.extend(thrown(failed, BuiltinException::RequiresViolation));
        for path in passed {
            for (path, flow) in self.run(path, routine) {
                let results = self.known.program.routine(routine).results.clone();
                match flow {
                    Completion::Throw(_) => flows.push((back(path), flow)),
                    _ => {
                        let vars = results
                            .iter()
                            .map(|id| formula::var(&self.known.program, *id));
                        let vars: Vec<Expr> = vars.collect();
                        let values = self.values(&path, &vars);
                        ends.push((back(path), values));
                    }
                }
            }
        }
        ends
    }

    /// The variables of a routine that starts: parameters, and results that may be anything.
    pub(super) fn frame(
        &mut self,
        path: &mut RoutinePath,
        routine: RoutineRef,
        this: &Expr,
        args: &[Expr],
    ) {
        let declared = self.known.program.routine(routine);
        let (params, results) = (declared.params.clone(), declared.results.clone());
        path.vars = params.into_iter().zip(args.iter().cloned()).collect();
        path.this = this.clone();
        for result in results {
            let ty = self.known.program.var(result).ty.clone();
            path.vars.insert(result, self.unknown(&ty));
        }
    }

    /// The paths on which the routine that starts may be called, and those on which it may not. What is known of the
    /// outside no caller can break.
    pub(super) fn required(
        &mut self,
        path: RoutinePath,
        routine: RoutineRef,
    ) -> (Vec<RoutinePath>, Vec<RoutinePath>) {
        let program = &self.known.program;
        let declared = program.routine(routine);
        let promises = declared.params.iter().filter_map(|p| {
            let value = formula::var(program, *p);
            promise(&program.var(*p).ty, value).map(|e| (e, false))
        });
        let clauses = declared
            .requires
            .iter()
            .map(|e| (formula::clause(program, e), declared.is_about_outside(e)));
        let all: Vec<(Expr, bool)> = promises.chain(clauses).collect();
        let (mut passed, mut failed) = (vec![path], Vec::new());
        for (clause, about_outside) in all {
            let mut next = Vec::new();
            for path in passed {
                let clause = self.value(&path, &clause);
                let (yes, no) = self.decide(path, &clause);
                next.extend(yes);
                failed.extend(no.into_iter().filter(|_| !about_outside));
            }
            passed = next;
        }
        (passed, failed)
    }

    /// Runs the routine that has started: its body, or what its contract allows.
    pub(super) fn run(&mut self, path: RoutinePath, routine: RoutineRef) -> Flows {
        let declared = self.known.program.routine(routine).clone();
        let recursive = self.stack.iter().filter(|r| **r == routine).count();
        if recursive > self.options.bound as usize || self.stack.len() >= DEEPEST {
            self.give_up(path, "calls go deeper than the bound");
            return Flows::new();
        }
        self.stack.push(routine);
        let path = match declared.kind {
            RoutineKind::Constructor => self.with_initial_values(path, routine.class),
            _ => path,
        };
        let flows = match &declared.body {
            Some(body) => self.block(path, body),
            None => self.contract(path, routine, &declared),
        };
        self.stack.pop();
        flows
    }

    /// Assigns what came out of a call.
    fn give(&mut self, ends: Vec<(RoutinePath, Vec<Expr>)>, targets: &[Place], flows: &mut Flows) {
        for (path, values) in ends {
            let mut paths = vec![path];
            for target in targets {
                let mut next = Vec::new();
                for path in paths {
                    next.extend(self.place_checked(path, target, flows));
                }
                paths = next;
            }
            for mut path in paths {
                for (target, value) in targets.iter().zip(&values) {
                    self.assign(&mut path, target, value.clone());
                }
                flows.push((path, Completion::Next));
            }
        }
    }

    /// A routine without a body does whatever its contract allows.
    fn contract(&mut self, path: RoutinePath, routine: RoutineRef, declared: &Routine) -> Flows {
        if declared.requires.is_empty()
            && declared.ensures.is_empty()
            && declared.modifies.as_ref().is_none_or(Vec::is_empty)
            && declared.throws.is_empty()
        {
            self.skipped.insert(routine);
        }
        let mut flows = Flows::new();
        let before = Rc::new(path.heap.clone());
        for exception in &declared.throws {
            let mut path = path.clone();
            self.change_frame(&mut path, routine, declared);
            flows.push((path, Completion::Throw(*exception)));
        }
        let mut path = path;
        self.change_frame(&mut path, routine, declared);
        let outer = path.old.replace(before);
        for mut path in self.holding(path, &declared.ensures) {
            path.old.clone_from(&outer);
            flows.push((path, Completion::Next));
        }
        flows
    }

    /// Arbitrary values for what a contract lets change: a field of the object itself, or a whole field of another
    /// class.
    fn change_frame(&mut self, path: &mut RoutinePath, routine: RoutineRef, declared: &Routine) {
        for field in declared.modifies.iter().flatten() {
            let ty = self.known.program.field(*field).ty.clone();
            if self.known.program.field(*field).constant {
                continue;
            }
            let own = field.class == routine.class;
            if own || (field.class == self.known.class && !self.has_references()) {
                let object = if own { path.this.clone() } else { self.this() };
                let value = self.unknown(&ty);
                self.set_field(path, object, *field, value);
            } else {
                let class = Type::Class {
                    class: field.class,
                    nullable: true,
                };
                let map = self.unknown(&Type::Map(Box::new(class), Box::new(ty)));
                path.heap.fields.insert(*field, vec![Write::All(map)]);
            }
        }
    }

    fn set_field(&mut self, path: &mut RoutinePath, object: Expr, field: FieldRef, value: Expr) {
        let writes = path.heap.fields.entry(field).or_default();
        writes.push(Write::One(object, value));
    }

    pub(super) fn new_object(
        &mut self,
        path: RoutinePath,
        target: &Place,
        class: ClassId,
        constructor: Option<RoutineRef>,
        args: &[Expr],
    ) -> Flows {
        let targets = std::slice::from_ref(target);
        let (mut flows, paths) = self.settled(path, targets);
        for (path, targets) in paths {
            for mut path in self.arguments(path, args, &mut flows) {
                let ty = Type::Class {
                    class,
                    nullable: false,
                };
                let object = self.new_reference(&ty);
                self.arbitrary_fields(&mut path, &object, class);
                let values = self.values(&path, args);
                let made = match constructor {
                    Some(constructor) => {
                        let ends = self.enter(path, constructor, &object, &values, &mut flows);
                        ends.into_iter().map(|(path, _)| path).collect()
                    }
                    None => self.started(path, &object, class),
                };
                let ends = made.into_iter().map(|p| (p, vec![object.clone()]));
                self.give(ends.collect(), &targets, &mut flows);
            }
        }
        flows
    }

    /// A new object's fields: anything, before a constructor assigns them.
    pub(super) fn arbitrary_fields(
        &mut self,
        path: &mut RoutinePath,
        object: &Expr,
        class: ClassId,
    ) {
        for index in 0..self.known.program.class(class).fields.len() {
            let field = FieldRef { class, index };
            let ty = self.known.program.field(field).ty.clone();
            let value = self.unknown(&ty);
            self.set_field(path, object.clone(), field, value);
        }
    }

    /// The values that fields are declared with.
    fn with_initial_values(&mut self, path: RoutinePath, class: ClassId) -> RoutinePath {
        let mut path = path;
        for index in 0..self.known.program.class(class).fields.len() {
            let field = FieldRef { class, index };
            if let Some(value) = self.known.program.field(field).value.clone() {
                let value = self.value(&path, &value);
                let place = Place::Field(path.this.clone(), field);
                self.assign(&mut path, &place, value);
            }
        }
        path
    }

    /// An object of a class without a constructor: anything that its declarations allow.
    pub(super) fn started(
        &mut self,
        path: RoutinePath,
        object: &Expr,
        class: ClassId,
    ) -> Vec<RoutinePath> {
        let mut path = path;
        let outer = std::mem::replace(&mut path.this, object.clone());
        let path = self.with_initial_values(path, class);
        let declared = self.known.program.class(class);
        let clauses = [&declared.initially[..], &declared.invariants].concat();
        let mut paths = self.holding(path, &clauses);
        for path in &mut paths {
            path.this = outer.clone();
        }
        paths
    }

    /// The ways on which clauses hold.
    fn holding(&mut self, path: RoutinePath, clauses: &[Expr]) -> Vec<RoutinePath> {
        let mut paths = vec![path];
        for clause in clauses {
            let clause = formula::clause(&self.known.program, clause);
            let mut next = Vec::new();
            for path in paths {
                let value = self.value(&path, &clause);
                next.extend(self.decide(path, &value).0);
            }
            paths = next;
        }
        paths
    }

    pub(super) fn new_array(
        &mut self,
        path: RoutinePath,
        target: &Place,
        element: &Type,
        length: &Expr,
        fill: Option<&Expr>,
    ) -> Flows {
        let targets = std::slice::from_ref(target);
        let (mut flows, paths) = self.settled(path, targets);
        for (path, targets) in paths {
            let mut evaluated = self.evaluated(path, length, &mut flows);
            if let Some(fill) = fill {
                // What the elements are is not looked at; what working it out raises is.
                let paths = evaluated.into_iter();
                evaluated = paths
                    .flat_map(|path| self.evaluated(path, fill, &mut flows))
                    .collect();
            }
            for path in evaluated {
                let value = self.value(&path, length);
                let negative = formula::compare(CompareOp::Lt, value.clone(), formula::int(0));
                let (struck, passed) = self.decide(path, &negative);
                flows.extend(thrown(struck, BuiltinException::NegativeLength));
                for mut path in passed {
                    let ty = Type::Array {
                        element: Box::new(element.clone()),
                        nullable: false,
                    };
                    let array = self.new_reference(&ty);
                    if let ExprKind::Var(id) = &*array.kind {
                        path.heap.lengths.push((*id, value.clone()));
                    }
                    self.give(vec![(path, vec![array])], &targets, &mut flows);
                }
            }
        }
        flows
    }

    /// A reference to what was not there before.
    fn new_reference(&mut self, ty: &Type) -> Expr {
        let id = self.variable("new", ty);
        self.fresh.insert(id);
        formula::expr(ExprKind::Var(id), ty.clone())
    }

    fn variable(&mut self, name: &str, ty: &Type) -> VarId {
        self.known.program.new_var(name, ty.clone())
    }

    /// A value of the type of which nothing else is known.
    pub(super) fn unknown(&mut self, ty: &Type) -> Expr {
        let id = self.variable("unknown", ty);
        self.unknown.insert(id);
        formula::var(&self.known.program, id)
    }
}

/// What a declared type promises of a value, as a formula; nothing is said of the values of a map.
pub(super) fn promise(ty: &Type, value: Expr) -> Option<Expr> {
    match facts::invariant(ty)? {
        facts::Fact::NonNull => Some(formula::compare(CompareOp::Ne, value, formula::null())),
        facts::Fact::Range { low: Some(low), .. } => {
            Some(formula::compare(CompareOp::Ge, value, formula::int(low)))
        }
        _ => None,
    }
}
