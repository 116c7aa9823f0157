//! Trees made by hand, for front ends: what they write has no place in a `.tq` text.

use num_bigint::BigInt;
use num_traits::Signed;

use super::ast::{Block, Expr, ExprKind, Ident, Param, Rhs, Stmt, StmtKind, Type};
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp, Quantifier};

/// A name.
pub fn ident(name: impl Into<String>) -> Ident {
    Ident {
        name: name.into(),
        span: Span::default(),
    }
}

/// An expression.
pub fn expr(kind: ExprKind) -> Expr {
    Expr {
        kind: Box::new(kind),
        span: Span::default(),
    }
}

/// A statement.
pub fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}

/// A name as an expression.
pub fn name(name: impl Into<String>) -> Expr {
    expr(ExprKind::Name(ident(name)))
}

/// `object.field`, `Mode.Idle`
pub fn dot(base: Expr, member: &str) -> Expr {
    expr(ExprKind::Dot(base, ident(member)))
}

/// `this`
pub fn this() -> Expr {
    expr(ExprKind::This)
}

/// `null`
pub fn null() -> Expr {
    expr(ExprKind::Null)
}

/// `*`, a choice that nobody knows.
pub fn star() -> Expr {
    expr(ExprKind::Star)
}

/// `name(args)`
pub fn call(name: &str, args: Vec<Expr>) -> Expr {
    expr(ExprKind::Call {
        receiver: None,
        name: ident(name),
        args,
    })
}

/// A number; one that is negative is a negation.
pub fn int(value: impl Into<BigInt>) -> Expr {
    let value = value.into();
    let digits = expr(ExprKind::Int(value.abs()));
    if value.is_negative() {
        negate(digits)
    } else {
        digits
    }
}

/// `-e`
pub fn negate(e: Expr) -> Expr {
    expr(ExprKind::Neg(e))
}

/// `true`, `false`
pub fn bool(value: bool) -> Expr {
    expr(ExprKind::Bool(value))
}

/// `a op b`
pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, left, right))
}

/// `a < b`
pub fn compare(op: CompareOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Compare(left, vec![(op, right)]))
}

/// `a == b`
pub fn equal(left: Expr, right: Expr) -> Expr {
    compare(CompareOp::Eq, left, right)
}

/// `!e`, said as simply as it can be.
pub fn not(e: Expr) -> Expr {
    match *e.kind {
        ExprKind::Not(inner) => inner,
        ExprKind::Bool(value) => bool(!value),
        ExprKind::Compare(left, rest) => match <[(CompareOp, Expr); 1]>::try_from(rest) {
            Ok([(op, right)]) => compare(op.negated(), left, right),
            Err(rest) => expr(ExprKind::Not(expr(ExprKind::Compare(left, rest)))),
        },
        kind => expr(ExprKind::Not(expr(kind))),
    }
}

/// `a && b`, without what says nothing.
pub fn and(left: Expr, right: Expr) -> Expr {
    match (&*left.kind, &*right.kind) {
        (ExprKind::Bool(true), _) => right,
        (_, ExprKind::Bool(true)) => left,
        _ => joined(BinaryOp::And, left, right),
    }
}

/// `a op (b op c)` as `a op b op c`, which is the same.
fn joined(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    match *right.kind {
        ExprKind::Binary(inner, first, second) if inner == op => {
            binary(op, joined(op, left, first), second)
        }
        kind => binary(op, left, expr(kind)),
    }
}

/// `a || b`, without what says nothing.
pub fn or(left: Expr, right: Expr) -> Expr {
    match (&*left.kind, &*right.kind) {
        (ExprKind::Bool(false), _) => right,
        (_, ExprKind::Bool(false)) => left,
        _ => joined(BinaryOp::Or, left, right),
    }
}

/// `if c then a else b`
pub fn choice(condition: Expr, yes: Expr, no: Expr) -> Expr {
    expr(ExprKind::If(condition, yes, no))
}

/// `m[i][j]`
pub fn indexed(base: Expr, indices: impl IntoIterator<Item = Expr>) -> Expr {
    indices
        .into_iter()
        .fold(base, |base, index| expr(ExprKind::Index(base, index)))
}

/// A type that has a name.
pub fn ty(name: impl Into<String>) -> Type {
    Type::Name(ident(name))
}

/// `T?`
pub fn nullable(ty: Type) -> Type {
    Type::Nullable(Box::new(ty))
}

/// `map<K, V>`
pub fn map(key: Type, value: Type) -> Type {
    Type::Map(Box::new(key), Box::new(value))
}

/// `map<K, V>(v)`
pub fn everywhere(key: Type, value: Type, everywhere: Expr) -> Expr {
    expr(ExprKind::Everywhere {
        key,
        value,
        everywhere,
    })
}

/// `exists x: T :: e`
pub fn exists(bound: Param, e: Expr) -> Expr {
    expr(ExprKind::Quantified(Quantifier::Exists, vec![bound], e))
}

/// A parameter.
pub fn param(name: impl Into<String>, ty: Type) -> Param {
    Param::new(ident(name), ty)
}

/// `{ … }`
pub fn block(statements: Vec<Stmt>) -> Block {
    Block { statements }
}

/// `var name: T := value;`
pub fn declare(name: &str, ty: Type, value: Option<Expr>) -> Stmt {
    stmt(StmtKind::Var {
        name: ident(name),
        ty,
        value: value.map(Rhs::Expr),
    })
}

/// `assume e;`
pub fn assume(e: Expr) -> Stmt {
    stmt(StmtKind::Assume(e))
}

/// `throw E;`
pub fn throw(exception: &str) -> Stmt {
    stmt(StmtKind::Throw(Some(ident(exception))))
}

/// `target := value;`
pub fn assign(target: Expr, value: Expr) -> Stmt {
    stmt(StmtKind::Assign {
        targets: vec![target],
        value: Rhs::Expr(value),
    })
}

/// `if (c) { … } else { … }`, without an `else` that does nothing.
pub fn conditional(condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    let otherwise = (!otherwise.is_empty()).then(|| block(otherwise));
    stmt(StmtKind::If {
        condition,
        then: block(then),
        otherwise,
    })
}
