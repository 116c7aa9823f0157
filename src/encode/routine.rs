//! Routines as Boogie procedures.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::ir::RoutineKind;
use crate::ir::{
    ClassId, ExceptionId, Expr, ExprKind, FieldRef, Place, Program, Routine, RoutineRef, Stmt,
    StmtKind, Type, VarId,
};
use crate::ir::{effects::Effects, effects::RoutineEffects};
use crate::ir::{effects::walk::evaluated, effects::walk::place_operands, effects::walk::places};
use crate::ir::{formula, formula::Substitution};

use super::body::BodyEncoder;
use super::changed::ChangedField;
use super::expr::ExprEncoder;
use super::names::{BoogieNames, identifier};
use super::promises::broken_promise;
use super::storage::{Storage, recording};
use super::term::BoogieTerm;

/// The constant that stands for an exception: `Exception.IllegalState`.
pub(super) fn exception_name(program: &Program, exception: ExceptionId) -> String {
    format!("Exception.{}", program.exception(exception))
}

/// The name of a routine's procedure: `VendingMachine.insert_money`; of a constructor without a name:
/// `VendingMachine.new`, numbered from the second on.
pub(super) fn procedure_name(program: &Program, routine: RoutineRef) -> String {
    let class = identifier(&program.class(routine.class).name);
    format!("{class}.{}", program.word(routine))
}

/// Which clauses of an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of them.
    Whole,
    /// Those that hold by construction.
    Facts,
    /// All others, and what types promise.
    Breakable,
}

/// What holds of an object of a class: its invariants, and what the types of its fields promise. Behind it, the
/// facts about what it reads from the heap.
pub(super) fn invariant_of(
    storage: &Storage,
    names: &mut BoogieNames,
    (class, part): (ClassId, Part),
    this: &Expr,
) -> (Vec<BoogieTerm>, Vec<BoogieTerm>) {
    let program = storage.program();
    let declared = program.class(class);
    let substitution = Substitution {
        this: Some(this.clone()),
        ..Substitution::default()
    };
    let clauses = match part {
        Part::Whole => &declared.invariants,
        Part::Facts => declared.facts(),
        Part::Breakable => declared.breakable(),
    };
    let clauses: Vec<Expr> = clauses
        .iter()
        .map(|e| substitution.apply(&formula::clause_under_invariant(program, e)))
        .collect();
    for clause in &clauses {
        names.add_bound(program, bound_vars(clause));
    }
    let exprs = ExprEncoder::new(storage, names);
    let reads = clauses
        .iter()
        .flat_map(|clause| exprs.closed_reads(clause))
        .collect();
    let mut terms: Vec<BoogieTerm> = clauses
        .into_iter()
        .flat_map(formula::conjuncts_of)
        .filter(|c| !formula::is_bool(c, true))
        .map(|c| exprs.encode(&c))
        .collect();
    if part != Part::Facts {
        terms.extend(promises_kept(storage, names, class, this));
    }
    (terms, reads)
}

/// What the types of an object's fields promise.
pub(super) fn promises(
    storage: &Storage,
    names: &BoogieNames,
    class: ClassId,
    this: &Expr,
) -> Vec<BoogieTerm> {
    let exprs = ExprEncoder::new(storage, names);
    let fields = storage.program().class(class).fields.iter().enumerate();
    fields
        .flat_map(|(index, field)| {
            let value = exprs.field(this, FieldRef { class, index });
            storage.promise(&field.ty, &value)
        })
        .collect()
}

/// The same where a call ends: of maps, unless nothing was written to them that breaks it.
fn promises_kept(
    storage: &Storage,
    names: &BoogieNames,
    class: ClassId,
    this: &Expr,
) -> Vec<BoogieTerm> {
    let exprs = ExprEncoder::new(storage, names);
    let fields = storage.program().class(class).fields.iter().enumerate();
    let kept = fields.flat_map(|(index, field)| {
        let at = FieldRef { class, index };
        let promised = storage.promise(&field.ty, &exprs.field(this, at));
        let broken = broken_promise(storage, at).map(BoogieTerm::atom);
        promised.into_iter().map(move |promised| match &broken {
            Some(broken) => BoogieTerm::binary("==>", broken.clone(), promised),
            None => promised,
        })
    });
    kept.collect()
}

/// The variables that an expression binds itself.
pub(super) fn bound_vars(e: &Expr) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if let ExprKind::Quantified(_, vars, _) = &*e.kind {
            found.extend(vars);
        }
        stack.extend(e.children());
    }
    found
}

/// `templates/routine.bpl`
#[derive(Template)]
#[template(path = "routine.bpl")]
struct ProcedureText {
    comment: String,
    name: String,
    params: String,
    returns: String,
    modifies: String,
    locals: Vec<(String, String)>,
    /// Whether there is a variable `thrown`.
    thrown: bool,
    body: String,
}

/// The procedure of a routine.
pub(super) fn procedure(
    storage: &Storage,
    effects: &Effects,
    routine: RoutineRef,
) -> Result<String, askama::Error> {
    let program = storage.program();
    let declared = program.routine(routine);
    let own = effects.routine(routine);
    let mut names = BoogieNames::default();
    names.add(
        program,
        declared.params.iter().chain(&declared.results).copied(),
        "",
    );
    names.add(program, body_vars(declared), "");
    let typed = |ids: &[VarId]| -> Vec<String> {
        ids.iter()
            .map(|id| {
                format!(
                    "{}: {}",
                    names.of(program, *id),
                    storage.boogie_type(&program.var(*id).ty)
                )
            })
            .collect()
    };
    let mut params = typed(&declared.params);
    if storage.in_heap(routine.class) {
        params.insert(0, "this: Ref".into());
    }
    let mut returns = typed(&declared.results);
    let throws = !own.throws.is_empty();
    if throws {
        returns.push("thrown: Exception".into());
    }
    let known: BTreeSet<VarId> = declared
        .params
        .iter()
        .chain(&declared.results)
        .copied()
        .collect();
    let mut body = BodyEncoder::new(storage, effects, names, known);
    if declared.body.is_some() {
        for result in &declared.results {
            body.assume_declared(*result);
        }
    }
    if declared.kind == RoutineKind::Constructor {
        let ty = Type::Class {
            class: routine.class,
            nullable: false,
        };
        initial_values(
            storage,
            &mut body,
            &formula::expr(ExprKind::This, ty),
            routine.class,
        );
    }
    match &declared.body {
        Some(block) => body.block(block),
        None => contract(storage, &mut body, routine),
    }
    let mut body = body.finish();
    if body.throws && !throws {
        body.locals.push(("thrown".into(), "Exception".into()));
    }
    ProcedureText {
        comment: heading(program, routine),
        name: procedure_name(program, routine),
        params: params.join(", "),
        returns: returns.join(", "),
        modifies: modified_globals(storage, own).join(", "),
        locals: body.locals,
        thrown: throws || body.throws,
        body: body.text,
    }
    .render()
}

/// What the routine is in the source.
fn heading(program: &Program, routine: RoutineRef) -> String {
    let declared = program.routine(routine);
    let kind = match declared.kind {
        RoutineKind::Constructor => "constructor",
        RoutineKind::Action if declared.pure => "pure action",
        RoutineKind::Action => "action",
        RoutineKind::Procedure => "procedure",
    };
    let body = if declared.body.is_none() {
        ", by its contract"
    } else {
        ""
    };
    format!("{kind} {}{body}", program.signature(routine))
}

/// The globals that a routine may change.
pub(super) fn modified_globals(storage: &Storage, effects: &RoutineEffects) -> Vec<String> {
    let mut globals: Vec<String> = effects.writes.iter().map(|f| storage.field(*f)).collect();
    let broken = effects.writes.iter();
    globals.extend(broken.filter_map(|field| broken_promise(storage, *field)));
    let changed = effects.writes.iter();
    let changed = changed.filter_map(|field| ChangedField::of(storage, *field));
    globals.extend(changed.flat_map(|changed| changed.names().collect::<Vec<_>>()));
    globals.extend(
        effects
            .allocates
            .iter()
            .filter(|c| storage.in_heap(**c))
            .map(|c| storage.objects(*c)),
    );
    let elements: BTreeSet<String> = effects
        .writes_elements
        .iter()
        .map(|ty| format!("{}.elements", storage.array(ty)))
        .collect();
    globals.extend(elements);
    let arrays: BTreeSet<String> = effects
        .allocates_arrays
        .iter()
        .map(|ty| storage.array(ty))
        .collect();
    for array in arrays {
        globals.push(format!("{array}.length"));
        globals.push(format!("{array}.alloc"));
    }
    globals
}

/// The values that the fields are declared with.
pub(super) fn initial_values(
    storage: &Storage,
    body: &mut BodyEncoder<'_>,
    this: &Expr,
    class: ClassId,
) {
    for (index, field) in storage.program().class(class).fields.iter().enumerate() {
        if let Some(value) = &field.value {
            let place = Place::Field(this.clone(), FieldRef { class, index });
            let kind = StmtKind::Assign(place, value.clone());
            body.block(&[Stmt {
                kind,
                span: field.span,
            }]);
        }
    }
}

/// A routine without a body does whatever its contract allows: the frame and the results take any values for
/// which the `ensures` clauses hold.
fn contract(storage: &Storage, body: &mut BodyEncoder<'_>, routine: RoutineRef) {
    let program = storage.program();
    let declared = program.routine(routine);
    let ensures: Vec<Expr> = declared
        .ensures
        .iter()
        .map(|e| formula::clause(program, e))
        .collect();
    for (global, ty) in old_globals(storage, &ensures) {
        body.declare_local(&format!("old.{global}"), &ty);
        body.line(format!("old.{global} := {global};"));
    }
    for exception in &declared.throws {
        body.may_throw(*exception, |body| {
            choose_frame(storage, body, declared, routine.class)
        });
    }
    choose_frame(storage, body, declared, routine.class);
    for result in &declared.results {
        body.choose_var(*result);
    }
    for clause in ensures.into_iter().flat_map(formula::conjuncts_of) {
        body.assume(&clause);
    }
}

/// Arbitrary values for what a contract lets change: a field of the object itself, or a whole field of another
/// class.
fn choose_frame(storage: &Storage, body: &mut BodyEncoder<'_>, declared: &Routine, class: ClassId) {
    for field in declared.modifies.iter().flatten() {
        let declared = storage.program().field(*field);
        let ty = &declared.ty;
        if declared.constant {
            continue;
        }
        if !storage.in_heap(field.class) {
            body.choose_variable(&storage.field(*field), ty);
        } else if field.class == class {
            let this_ty = Type::Class {
                class,
                nullable: false,
            };
            body.choose_place(&Place::Field(
                formula::expr(ExprKind::This, this_ty),
                *field,
            ));
        } else {
            let global = storage.field(*field);
            body.line(format!("havoc {global};"));
            let word = storage.recorded_column(*field);
            body.line(recording(&global, &word, &BoogieTerm::atom(&global)));
            if let Some(changed) = ChangedField::of(storage, *field) {
                changed.copy().for_each(|copy| body.line(copy));
            } else if let Some(fact) = storage.every_object(*field) {
                body.line(format!("assume {fact};"));
            }
        }
    }
}

/// The globals that occur inside `old(…)`, with their types.
pub(super) fn old_globals(storage: &Storage, clauses: &[Expr]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut stack: Vec<(&Expr, bool)> = clauses.iter().map(|e| (e, false)).collect();
    while let Some((e, old)) = stack.pop() {
        match &*e.kind {
            ExprKind::Field(_, field) if old => {
                found.insert(storage.field(*field), storage.field_type(*field));
            }
            ExprKind::Length(array) | ExprKind::Element(array, _) if old => {
                if let Type::Array { element, .. } = &array.ty {
                    let [length, elements, _] = storage.array_globals(element);
                    found.extend([length, elements]);
                }
            }
            _ => {}
        }
        let inside = old || matches!(&*e.kind, ExprKind::Old(_));
        stack.extend(e.children().into_iter().map(|child| (child, inside)));
    }
    found
}

/// The variables that a routine's body, contract and callees' contracts mention.
fn body_vars(routine: &Routine) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut exprs: Vec<&Expr> = routine.ensures.iter().collect();
    let mut blocks: Vec<&[Stmt]> = routine.body.iter().map(Vec::as_slice).collect();
    while let Some(block) = blocks.pop() {
        for stmt in block {
            for place in places(stmt) {
                if let Place::Var(id) = place {
                    found.push(*id);
                }
                exprs.extend(place_operands(place));
            }
            exprs.extend(evaluated(stmt));
            blocks.extend(stmt.blocks().into_iter().map(Vec::as_slice));
        }
    }
    for e in exprs {
        found.extend(formula::vars_of(e));
        found.extend(bound_vars(e));
    }
    found
}
