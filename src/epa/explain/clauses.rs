//! Clauses that may take an edge away: what the class mentions, put where a clause can stand.

use num_bigint::BigInt;

use crate::epa::confirm;
use crate::ir::formula;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{Expr, ExprKind, Program, RoutineRef, Type, VarId};
use crate::query::{Step, Subject};

/// No more clauses than these are tried at one place.
const MOST: usize = 400;

/// Where a clause is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// To the invariant.
    Invariant,
    /// To what the call requires.
    Requires,
    /// To what the call ensures: only where it has no body.
    Ensures,
}

/// A clause that may take the edge away.
#[derive(Clone, Debug)]
pub(super) struct ClauseCandidate {
    pub place: ClauseKind,
    pub clause: Expr,
}

/// All clauses to be tried, the simple ones first.
pub(super) fn candidates(subject: &Subject, step: &Step) -> Vec<ClauseCandidate> {
    let (atoms, implications) = confirm::clauses_of_class(subject);
    let program = &subject.program;
    let at = |place, clauses: Vec<Expr>| {
        let clauses = clauses.into_iter().take(MOST);
        clauses.map(move |clause| ClauseCandidate { place, clause })
    };
    let mut found: Vec<ClauseCandidate> = at(ClauseKind::Invariant, atoms.clone()).collect();
    if let Some(routine) = subject.routine(step.callee) {
        let of_parameters = about_parameters(program, routine);
        found.extend(at(ClauseKind::Requires, of_parameters));
        if !step.callee.is_constructor() {
            found.extend(at(ClauseKind::Requires, atoms.clone()));
        }
        if program.routine(routine).body.is_none() {
            found.extend(at(ClauseKind::Ensures, frames(program, routine)));
            found.extend(at(ClauseKind::Ensures, atoms));
        }
    }
    let says_more = |e: &Expr| match &*e.kind {
        ExprKind::Binary(BinaryOp::Implies, p, q) => !formula::same(&formula::not(p.clone()), q),
        _ => true,
    };
    let implications = implications.into_iter().filter(says_more).collect();
    found.extend(at(ClauseKind::Invariant, implications));
    found
}

/// Comparisons of the parameters with small numbers, with each other and with the fields.
fn about_parameters(program: &Program, routine: RoutineRef) -> Vec<Expr> {
    let params = &program.routine(routine).params;
    let fields = formula::own_fields(program, routine.class);
    let mut found = Vec::new();
    for (index, param) in params.iter().enumerate() {
        let value = formula::var(program, *param);
        let others = others(program, &params[index + 1..], &fields);
        match &value.ty {
            Type::Bool => found.extend([value.clone(), formula::not(value)]),
            Type::Enum(id) => {
                for member in formula::members(program, *id) {
                    found.push(formula::compare(
                        CompareOp::Eq,
                        value.clone(),
                        member.clone(),
                    ));
                    found.push(formula::compare(CompareOp::Ne, value.clone(), member));
                }
            }
            Type::Int | Type::Machine(_) => {
                let numbers = [0, 1].map(|n| formula::int(BigInt::from(n)));
                let integers = others.into_iter().filter(|e| is_integer(&e.ty));
                for other in numbers.into_iter().chain(integers) {
                    found
                        .extend(ORDER.map(|op| formula::compare(op, value.clone(), other.clone())));
                }
            }
            Type::Class { .. } | Type::Array { .. } | Type::Opaque(_) => {
                let alike = others.into_iter().filter(|e| same_kind(&e.ty, &value.ty));
                for other in alike {
                    let ops = [CompareOp::Ne, CompareOp::Eq];
                    found.extend(ops.map(|op| formula::compare(op, value.clone(), other.clone())));
                }
            }
            _ => {}
        }
    }
    found.retain(|e| !matches!(&*e.kind, ExprKind::Bool(_)));
    found
}

/// The comparisons, the weak ones first.
const ORDER: [CompareOp; 6] = [
    CompareOp::Ne,
    CompareOp::Le,
    CompareOp::Ge,
    CompareOp::Lt,
    CompareOp::Gt,
    CompareOp::Eq,
];

fn others(program: &Program, params: &[VarId], fields: &[Expr]) -> Vec<Expr> {
    let params = params.iter().map(|p| formula::var(program, *p));
    params.chain(fields.iter().cloned()).collect()
}

fn is_integer(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Machine(_))
}

fn same_kind(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Class { class: a, .. }, Type::Class { class: b, .. }) => a == b,
        (Type::Array { element: a, .. }, Type::Array { element: b, .. }) => a == b,
        _ => a == b,
    }
}

/// `f == old(f)`, for every field that the routine may change.
fn frames(program: &Program, routine: RoutineRef) -> Vec<Expr> {
    let declared = program.routine(routine);
    let changed = declared
        .modifies
        .iter()
        .flatten()
        .filter(|f| f.class == routine.class);
    changed
        .filter_map(|f| {
            let field = formula::own_fields(program, routine.class)
                .into_iter()
                .nth(f.index)?;
            let old = formula::expr(ExprKind::Old(field.clone()), field.ty.clone());
            Some(formula::compare(CompareOp::Eq, field, old))
        })
        .collect()
}

/// Whether the first clause says less than the second: comparisons of the same two things.
pub(super) fn is_weaker(a: &Expr, b: &Expr) -> bool {
    let (ExprKind::Compare(p, a, x), ExprKind::Compare(q, b, y)) = (&*a.kind, &*b.kind) else {
        return false;
    };
    let (p, q) = (orders(*p), orders(*q));
    formula::same(a, b) && formula::same(x, y) && p != q && p & q == q
}

/// The orders of two numbers that a comparison allows, a bit each: less, equal, greater.
fn orders(op: CompareOp) -> u8 {
    match op {
        CompareOp::Lt => 0b001,
        CompareOp::Eq => 0b010,
        CompareOp::Gt => 0b100,
        CompareOp::Le => 0b011,
        CompareOp::Ge => 0b110,
        CompareOp::Ne => 0b101,
    }
}
