//! The question that certifies preconditions: can a call end in a target without being in one of the target's cases?

use super::calls::exit;
use crate::ir::{CompareOp, Expr, ExprKind, Type, formula};
use crate::query::{End, Query, Step, Subject, TargetClaim};

/// Can the call end in one of the targets without being in one of its cases?
pub fn coverage(subject: &Subject, step: &Step, covers: Vec<TargetClaim>) -> Query {
    let plain = exit(subject, step);
    let formulas = covers
        .iter()
        .flat_map(|c| c.target.iter().chain([&c.cases]));
    Query {
        kind: "coverage",
        name: format!("coverage.{}", plain.name),
        sentence: format!(
            "can {} end where no case of its preconditions says so?",
            subject.called_words(step.callee)
        ),
        facts: formulas.flat_map(reads_of_null).collect(),
        end: End::Uncovered(covers),
        ..plain
    }
}

/// That what the formula reads from `null`, if it does, is the first value of its type: no execution reads it, so it
/// may be taken to be anything.
pub fn reads_of_null(e: &Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        open.extend(e.children());
        let (read, ty) = match &*e.kind {
            ExprKind::Field(object, field) if !matches!(*object.kind, ExprKind::This) => {
                let null = formula::expr(ExprKind::Null, object.ty.clone());
                (ExprKind::Field(null, *field), e.ty.clone())
            }
            ExprKind::Length(array) => {
                let null = formula::expr(ExprKind::Null, array.ty.clone());
                (ExprKind::Length(null), Type::Int)
            }
            _ => continue,
        };
        let first = match &ty {
            Type::Bool => formula::bool(false),
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => formula::int(0),
            Type::Enum(id) => formula::expr(ExprKind::Member(*id, 0), ty.clone()),
            Type::Class { .. } | Type::Array { .. } => formula::null(),
            Type::Opaque(_) | Type::Map(..) | Type::Null => continue,
        };
        let read = formula::expr(read, ty);
        found.push(formula::compare(CompareOp::Eq, read, first));
    }
    found
}
