//! What running a routine may do: a sound over-approximation, by fixed point over the call graph.
//!
//! ```text
//! let effects = Effects::of(&program);
//! let of_push = effects.routine(push);
//! of_push.throws.contains(&BuiltinException::IndexOutOfRange.id())
//! ```
//!
//! Nothing here depends on values, except that a division by a literal other than zero cannot fail, nor can an array of a
//! literal length that is not negative; and that a reference is not null where the body has looked (`non_null`). Other
//! dereferences may fail, but for that of `this`: that a field's type is not nullable is a fact of invariants only, and
//! can be broken.

mod begin;
mod definite;
mod flow;
mod footprint;
mod non_null;
mod owned;
mod pruned;
mod raises;
mod support;
#[cfg(test)]
mod tests;
mod unset;
pub(crate) mod walk;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub use footprint::Footprint;
pub use owned::owned;
pub use pruned::thrown_when_legal;
pub use raises::may_raise;
pub(crate) use raises::{raised_by, raised_in};
pub use support::finite_support;
pub use unset::{Unset, unset};
pub(crate) use written::Written;

use non_null::NullDereferences;

use super::{
    BuiltinException, ClassId, Condition, ExceptionId, Expr, ExprKind, FieldRef, Place, Program,
    Routine, RoutineRef, Stmt, StmtKind, Type,
};
use crate::ir::RoutineKind;

/// What running one routine may do, with everything it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoutineEffects {
    /// Fields it may read, of any object: in its contract or its body.
    pub reads: BTreeSet<FieldRef>,
    /// The element types of the arrays of which it may read an element.
    pub reads_elements: BTreeSet<Type>,
    /// Fields it may write, of any object, new ones included.
    pub writes: BTreeSet<FieldRef>,
    /// The element types of the arrays of which it may write an element, new ones included.
    pub writes_elements: BTreeSet<Type>,
    /// Classes of which it may create an object.
    pub allocates: BTreeSet<ClassId>,
    /// The element types of the arrays it may create.
    pub allocates_arrays: BTreeSet<Type>,
    /// Exceptions it may end in.
    pub throws: BTreeSet<ExceptionId>,
    /// Whether configuration and arguments decide everything: the way it ends, its results, and all it leaves
    /// behind (up to the names of new objects). For a constructor: whatever the fields were before.
    /// An `assume` that fails, or a loop that does not end, is no second way to end.
    pub deterministic: bool,
}

/// The effects of every routine of a program.
#[derive(Clone, Debug)]
pub struct Effects {
    routines: Vec<Vec<RoutineEffects>>,
}

impl Effects {
    /// Computes the effects of every routine.
    pub fn of(program: &Program) -> Effects {
        let all: Vec<RoutineRef> = routine_refs(program).collect();
        let mut effects = Effects {
            routines: program
                .classes
                .iter()
                .map(|c| vec![RoutineEffects::default(); c.routines.len()])
                .collect(),
        };
        let (mut calls, mut raising) = (BTreeMap::new(), Vec::new());
        for &routine in &all {
            let direct = Direct::of(program, routine);
            *effects.slot(routine) = direct.effects;
            calls.insert(routine, direct.calls);
            raising.push((routine, direct.raising));
        }
        effects.close(&all, &calls, absorb);
        // What is written is known now, and with it where a reference cannot be null.
        let kept = non_null::kept(program, &effects);
        for (routine, raising) in raising {
            let null = NullDereferences::of(program, &effects, &kept, routine);
            let escaping = escaping(program, &null, &raising);
            effects.slot(routine).throws.extend(escaping);
        }
        effects.close(&all, &calls, |caller, callee, call| {
            let escaping = callee.throws.difference(&call.caught).copied().collect();
            add(&mut caller.throws, &escaping)
        });
        for &routine in &all {
            effects.slot(routine).deterministic =
                definite::deterministic(program, &effects, routine);
        }
        effects.close(&all, &calls, |caller, callee, _| {
            let before = caller.deterministic;
            caller.deterministic &= callee.deterministic;
            before != caller.deterministic
        });
        effects
    }

    /// The effects of this routine.
    pub fn routine(&self, routine: RoutineRef) -> &RoutineEffects {
        &self.routines[routine.class.0][routine.index]
    }

    fn slot(&mut self, routine: RoutineRef) -> &mut RoutineEffects {
        &mut self.routines[routine.class.0][routine.index]
    }

    /// Lets every caller take over from its callees until nothing changes; `take` says whether it did.
    fn close(
        &mut self,
        all: &[RoutineRef],
        calls: &BTreeMap<RoutineRef, Vec<CallEffect>>,
        take: impl Fn(&mut RoutineEffects, &RoutineEffects, &CallEffect) -> bool,
    ) {
        let mut callers: BTreeMap<RoutineRef, BTreeSet<RoutineRef>> = BTreeMap::new();
        for (caller, calls) in calls {
            for call in calls {
                callers.entry(call.callee).or_default().insert(*caller);
            }
        }
        let mut open: BTreeSet<RoutineRef> = all.iter().copied().collect();
        while let Some(routine) = open.pop_first() {
            let mut mine = self.routine(routine).clone();
            let mut changed = false;
            for call in calls.get(&routine).into_iter().flatten() {
                changed |= take(&mut mine, self.routine(call.callee), call);
            }
            if changed {
                *self.slot(routine) = mine;
                open.extend(callers.get(&routine).into_iter().flatten());
                // A routine that calls itself has to look at itself again, which `callers` sees to.
            }
        }
    }
}

/// All routines, in the order declared.
fn routine_refs(program: &Program) -> impl Iterator<Item = RoutineRef> + '_ {
    program.classes.iter().enumerate().flat_map(|(class, c)| {
        (0..c.routines.len()).map(move |index| RoutineRef {
            class: ClassId(class),
            index,
        })
    })
}

/// A call in a body, with the exceptions that are caught around it.
struct CallEffect {
    callee: RoutineRef,
    caught: Rc<BTreeSet<ExceptionId>>,
}

/// A statement in a body, with the exceptions that are caught around it.
type Guarded<'a> = (&'a Stmt, Rc<BTreeSet<ExceptionId>>);

/// The exceptions that these statements of a routine raise, and nobody catches.
fn escaping(
    program: &Program,
    null: &NullDereferences,
    stmts: &[Guarded<'_>],
) -> BTreeSet<ExceptionId> {
    let mut escaping = BTreeSet::new();
    for (stmt, caught) in stmts {
        let mut raised = raised_by(program, stmt);
        let is_thrown = matches!(stmt.kind, StmtKind::Throw(_));
        if !is_thrown && !null.are_in(stmt) {
            raised.remove(&BuiltinException::NullDereference.id());
        }
        escaping.extend(raised.difference(caught));
    }
    escaping
}

fn add<T: Ord + Clone>(to: &mut BTreeSet<T>, from: &BTreeSet<T>) -> bool {
    let before = to.len();
    to.extend(from.iter().cloned());
    to.len() > before
}

/// What a caller takes over from a callee, but for the exceptions.
fn absorb(caller: &mut RoutineEffects, callee: &RoutineEffects, _: &CallEffect) -> bool {
    let changes = [
        add(&mut caller.reads, &callee.reads),
        add(&mut caller.reads_elements, &callee.reads_elements),
        add(&mut caller.writes, &callee.writes),
        add(&mut caller.writes_elements, &callee.writes_elements),
        add(&mut caller.allocates, &callee.allocates),
        add(&mut caller.allocates_arrays, &callee.allocates_arrays),
    ];
    changes.contains(&true)
}

/// What a routine does itself, before its callees are looked at.
struct Direct<'a> {
    program: &'a Program,
    effects: RoutineEffects,
    calls: Vec<CallEffect>,
    /// The statements that may raise an exception.
    raising: Vec<Guarded<'a>>,
}

impl<'a> Direct<'a> {
    fn of(program: &'a Program, reference: RoutineRef) -> Direct<'a> {
        let routine = program.routine(reference);
        let mut direct = Direct {
            program,
            effects: RoutineEffects::default(),
            calls: Vec::new(),
            raising: Vec::new(),
        };
        for clause in routine.requires.iter().chain(&routine.ensures) {
            direct.reads(clause);
        }
        if routine.kind == RoutineKind::Constructor {
            direct.initial_values(reference.class);
        }
        match &routine.body {
            Some(body) => direct.body(body),
            None => direct.contract(routine),
        }
        direct
    }

    /// Without a body the contract is the meaning.
    fn contract(&mut self, routine: &Routine) {
        self.effects
            .writes
            .extend(routine.modifies.iter().flatten().copied());
        self.effects.throws.extend(routine.throws.iter().copied());
    }

    /// A constructor starts by giving the fields the values declared with them.
    fn initial_values(&mut self, class: ClassId) {
        for (index, field) in self.program.class(class).fields.iter().enumerate() {
            if let Some(value) = &field.value {
                self.effects.writes.insert(FieldRef { class, index });
                self.reads(value);
            }
        }
    }

    fn body(&mut self, body: &'a [Stmt]) {
        let nothing = Rc::new(BTreeSet::new());
        let mut open: Vec<(&'a [Stmt], Rc<BTreeSet<ExceptionId>>)> = vec![(body, nothing)];
        while let Some((block, caught)) = open.pop() {
            for stmt in block {
                self.statement(stmt, &caught);
                match &stmt.kind {
                    StmtKind::Try { body, catches } => {
                        let mut inside = caught.as_ref().clone();
                        // What is raised again goes on as if nobody had caught it.
                        let ended = catches.iter().filter(|catch| !catch.throws_again());
                        inside.extend(ended.flat_map(|catch| &catch.exceptions));
                        open.push((body, Rc::new(inside)));
                        for catch in catches {
                            open.push((&catch.body, caught.clone()));
                        }
                    }
                    _ => {
                        for inner in stmt.blocks() {
                            open.push((inner, caught.clone()));
                        }
                    }
                }
            }
        }
    }

    /// The statement itself, without the statements inside it.
    fn statement(&mut self, stmt: &'a Stmt, caught: &Rc<BTreeSet<ExceptionId>>) {
        if !raised_by(self.program, stmt).is_subset(caught) {
            self.raising.push((stmt, caught.clone()));
        }
        for expr in walk::evaluated(stmt) {
            self.reads(expr);
        }
        for place in walk::places(stmt) {
            self.assigns(place);
        }
        match &stmt.kind {
            StmtKind::Call { routine, .. } => self.calls(*routine, caught),
            StmtKind::New {
                class, constructor, ..
            } => self.creates(*class, *constructor, caught),
            StmtKind::NewArray { element, .. } => {
                self.effects.allocates_arrays.insert(element.clone());
                self.effects.writes_elements.insert(element.clone());
            }
            _ => {}
        }
    }

    fn calls(&mut self, callee: RoutineRef, caught: &Rc<BTreeSet<ExceptionId>>) {
        self.calls.push(CallEffect {
            callee,
            caught: caught.clone(),
        });
    }

    /// A new object's fields are all written: they are arbitrary until its constructor assigns them.
    fn creates(
        &mut self,
        class: ClassId,
        constructor: Option<RoutineRef>,
        caught: &Rc<BTreeSet<ExceptionId>>,
    ) {
        let declaration = self.program.class(class);
        self.effects.allocates.insert(class);
        let fields = 0..declaration.fields.len();
        self.effects
            .writes
            .extend(fields.map(|index| FieldRef { class, index }));
        match constructor {
            Some(callee) => self.calls(callee, caught),
            None => {
                self.initial_values(class);
                for clause in &declaration.initially {
                    self.reads(clause);
                }
            }
        }
    }

    fn assigns(&mut self, place: &Place) {
        for expr in walk::place_operands(place) {
            self.reads(expr);
        }
        match place {
            Place::Var(_) => {}
            Place::Field(_, field) => {
                self.effects.writes.insert(*field);
            }
            Place::Element(array, _) => {
                if let Type::Array { element, .. } = &array.ty {
                    let written = &mut self.effects.writes_elements;
                    written.insert(element.as_ref().clone());
                }
            }
        }
    }

    fn reads(&mut self, expr: &Expr) {
        let effects = &mut self.effects;
        walk::visit_through_functions(self.program, expr, |e| match e.kind.as_ref() {
            ExprKind::Field(_, field) => {
                effects.reads.insert(*field);
            }
            ExprKind::Element(array, _) => {
                if let Type::Array { element, .. } = &array.ty {
                    effects.reads_elements.insert(element.as_ref().clone());
                }
            }
            _ => {}
        });
    }
}

/// Whether a branch is taken by chance.
fn by_chance(condition: &Condition) -> bool {
    matches!(condition, Condition::Any)
}
