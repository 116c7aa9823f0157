//! Where an expression is defined, and the clauses of contracts as formulas that are defined everywhere.

use super::rewrite::arguments;
use super::{
    all, and, compare, conjuncts_of, expr, inline_functions, int, is_bool, not, null, or, same,
};
use crate::ir::{BinaryOp, CompareOp, Quantifier};
use crate::ir::{BuiltinException, Expr, ExprKind, Program, Type};

/// A condition under which evaluating an expression raises an exception.
#[derive(Clone, Debug)]
pub struct Hazard {
    /// When: a formula that is itself defined wherever the hazards before it do not strike.
    pub when: Expr,
    /// What is raised.
    pub exception: BuiltinException,
    /// Whether it can strike only where a declared type is not kept to: a parameter or field whose type has no
    /// `?` is null. Wherever the invariant holds, it does not.
    pub against_type: bool,
}

/// What can go wrong in evaluating an expression, in the order of evaluation. The right side of a short-circuit
/// operator is evaluated only where the left side does not decide. The conditions are free of function calls.
pub fn hazards(program: &Program, e: &Expr) -> Vec<Hazard> {
    use ExprKind::*;
    match &*e.kind {
        Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), a, b) => {
            let left = inline_functions(program, a);
            let looked_at = if *op == BinaryOp::Or { not(left) } else { left };
            let mut found = hazards(program, a);
            found.extend(guarded(hazards(program, b), &looked_at));
            found
        }
        If(condition, then, otherwise) => {
            let mut found = hazards(program, condition);
            let condition = inline_functions(program, condition);
            found.extend(guarded(hazards(program, then), &condition));
            found.extend(guarded(hazards(program, otherwise), &not(condition)));
            found
        }
        Quantified(_, vars, body) => wrapped(hazards(program, body), |when| {
            expr(
                Quantified(Quantifier::Exists, vars.clone(), when),
                Type::Bool,
            )
        }),
        Old(inner) => wrapped(hazards(program, inner), |when| expr(Old(when), Type::Bool)),
        Call {
            receiver,
            function,
            args,
        } => {
            // As with routines: the receiver is looked at, and found null, before the arguments.
            let mut found = hazards(program, receiver);
            found.extend(own_hazards(program, e));
            found.extend(args.iter().flat_map(|arg| hazards(program, arg)));
            let body = &program.function(*function).body;
            let substitution = arguments(program, *function, receiver, args);
            found.extend(wrapped(hazards(program, body), |when| {
                substitution.apply(&when)
            }));
            found
        }
        _ => {
            let mut found: Vec<Hazard> = e
                .children()
                .into_iter()
                .flat_map(|c| hazards(program, c))
                .collect();
            found.extend(own_hazards(program, e));
            found
        }
    }
}

fn wrapped(found: Vec<Hazard>, wrap: impl Fn(Expr) -> Expr) -> Vec<Hazard> {
    found
        .into_iter()
        .map(|h| Hazard {
            when: wrap(h.when),
            ..h
        })
        .collect()
}

fn guarded(found: Vec<Hazard>, condition: &Expr) -> Vec<Hazard> {
    let known = conjuncts_of(condition.clone());
    found
        .into_iter()
        .filter(|h| !known.iter().any(|k| same(k, &not(h.when.clone()))))
        .map(|h| Hazard {
            when: and(condition.clone(), h.when),
            ..h
        })
        .collect()
}

/// What the operation itself can raise, its operands being defined.
fn own_hazards(program: &Program, e: &Expr) -> Vec<Hazard> {
    use ExprKind::*;
    let hazard = |when: Expr, exception, against_type| Hazard {
        when: inline_functions(program, &when),
        exception,
        against_type,
    };
    let null_hazard = |object: &Expr| {
        let is_null = compare(CompareOp::Eq, object.clone(), null());
        let not_nullable = matches!(
            object.ty,
            Type::Class {
                nullable: false,
                ..
            } | Type::Array {
                nullable: false,
                ..
            }
        );
        match &*object.kind {
            This => None,
            Field(..) | Var(_) => Some(hazard(
                is_null,
                BuiltinException::NullDereference,
                not_nullable,
            )),
            _ => Some(hazard(is_null, BuiltinException::NullDereference, false)),
        }
    };
    match &*e.kind {
        Field(object, _)
        | Length(object)
        | Call {
            receiver: object, ..
        } => null_hazard(object).into_iter().collect(),
        Element(array, index) => {
            let length = expr(Length(array.clone()), Type::Int);
            let outside = or(
                compare(CompareOp::Lt, index.clone(), int(0)),
                compare(CompareOp::Ge, index.clone(), length),
            );
            null_hazard(array)
                .into_iter()
                .chain([hazard(outside, BuiltinException::IndexOutOfRange, false)])
                .collect()
        }
        Binary(BinaryOp::Div | BinaryOp::Mod, _, divisor) => {
            let zero = compare(CompareOp::Eq, divisor.clone(), int(0));
            if is_bool(&zero, false) {
                vec![]
            } else {
                vec![hazard(zero, BuiltinException::DivisionByZero, false)]
            }
        }
        _ => vec![],
    }
}

/// A clause of a contract as a total formula: where it is not defined, it does not hold. Functions are inlined.
pub fn clause(program: &Program, e: &Expr) -> Expr {
    total(program, e, |_| true)
}

/// The same formula, for where the invariant and the types of parameters are known to hold: shorter, as nothing
/// is said of references that cannot be null.
pub fn clause_under_invariant(program: &Program, e: &Expr) -> Expr {
    total(program, e, |hazard| !hazard.against_type)
}

fn total(program: &Program, e: &Expr, counts: impl Fn(&Hazard) -> bool) -> Expr {
    let defined = hazards(program, e)
        .into_iter()
        .filter(counts)
        .map(|h| not(h.when));
    all(defined.chain([inline_functions(program, e)]))
}
