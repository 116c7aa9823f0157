//! What evaluating an expression, or running one statement, may raise. Nothing depends on values, except that a division by a
//! literal other than zero cannot fail, nor can an array of a literal length that is not negative.

use std::collections::BTreeSet;

use num_traits::{Signed, Zero};

use super::walk;
use crate::ir::{
    BinaryOp, BuiltinException, ExceptionId, Expr, ExprKind, Place, Program, RoutineRef, Stmt,
    StmtKind, facts,
};

/// The exceptions that evaluating an expression may raise, in the functions it calls too.
pub fn may_raise(program: &Program, expr: &Expr) -> BTreeSet<BuiltinException> {
    let mut raised = BTreeSet::new();
    walk::visit_through_functions(program, expr, |e| match e.kind.as_ref() {
        ExprKind::Field(object, _)
        | ExprKind::Length(object)
        | ExprKind::Call {
            receiver: object, ..
        } => raised.extend(null_dereference(object)),
        ExprKind::Element(array, _) => {
            raised.extend(null_dereference(array));
            raised.insert(BuiltinException::IndexOutOfRange);
        }
        ExprKind::Binary(BinaryOp::Div | BinaryOp::Mod, _, divisor)
            if !is_nonzero_literal(divisor) =>
        {
            raised.insert(BuiltinException::DivisionByZero);
        }
        _ => {}
    });
    raised
}

fn null_dereference(object: &Expr) -> Option<BuiltinException> {
    (!matches!(*object.kind, ExprKind::This)).then_some(BuiltinException::NullDereference)
}

fn is_nonzero_literal(expr: &Expr) -> bool {
    match expr.kind.as_ref() {
        ExprKind::Int(n) => !n.is_zero(),
        ExprKind::Neg(e) => matches!(e.kind.as_ref(), ExprKind::Int(n) if !n.is_zero()),
        _ => false,
    }
}

/// The exceptions that a statement itself may raise: not those of the statements inside it, nor of the routine that it calls,
/// but for what the call is checked for. What a handler raises again is not its own.
pub(crate) fn raised_by(program: &Program, stmt: &Stmt) -> BTreeSet<ExceptionId> {
    let mut raised = BTreeSet::new();
    for expr in walk::evaluated(stmt) {
        raised.extend(may_raise(program, expr).into_iter().map(|e| e.id()));
    }
    for place in walk::places(stmt) {
        raised.extend(raised_in(program, place));
    }
    match &stmt.kind {
        StmtKind::Call {
            receiver, routine, ..
        } => {
            raised.extend(null_dereference(receiver).map(|e| e.id()));
            raised.extend(unmet(program, *routine));
        }
        StmtKind::New {
            constructor: Some(routine),
            ..
        } => raised.extend(unmet(program, *routine)),
        StmtKind::NewArray { length, .. } => {
            let is_literal = matches!(length.kind.as_ref(), ExprKind::Int(n) if !n.is_negative());
            raised.extend((!is_literal).then(|| BuiltinException::NegativeLength.id()));
        }
        StmtKind::Assert(e) if !matches!(*e.kind, ExprKind::Bool(true)) => {
            raised.insert(BuiltinException::AssertionFailure.id());
        }
        StmtKind::Throw(exception) => {
            raised.insert(*exception);
        }
        _ => {}
    }
    raised
}

/// What assigning to the place may raise.
pub(crate) fn raised_in(program: &Program, place: &Place) -> BTreeSet<ExceptionId> {
    let operands = walk::place_operands(place).into_iter();
    let mut raised: BTreeSet<ExceptionId> = operands
        .flat_map(|expr| may_raise(program, expr))
        .map(|e| e.id())
        .collect();
    match place {
        Place::Var(_) => {}
        Place::Field(object, _) => raised.extend(null_dereference(object).map(|e| e.id())),
        Place::Element(..) => {
            raised.insert(BuiltinException::NullDereference.id());
            raised.insert(BuiltinException::IndexOutOfRange.id());
        }
    }
    raised
}

/// What a call raises that is not legal, where some are not.
fn unmet(program: &Program, callee: RoutineRef) -> Option<ExceptionId> {
    let routine = program.routine(callee);
    let typed = |v: &_| facts::invariant(&program.var(*v).ty).is_some();
    let mut of_callers = routine.written_requires().iter();
    let asks = of_callers.any(|clause| !routine.is_about_outside(clause))
        || routine.params.iter().any(typed);
    asks.then(|| BuiltinException::RequiresViolation.id())
}
