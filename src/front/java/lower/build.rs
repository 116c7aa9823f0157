//! Pieces of the language's syntax tree, made without places.

use num_bigint::BigInt;

use crate::front::tq::ast::{Block, Expr, ExprKind, Ident, Rhs, Stmt, StmtKind, Type};
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp};

pub fn ident(name: impl Into<String>) -> Ident {
    Ident {
        name: name.into(),
        span: Span::default(),
    }
}

pub fn named_type(name: &str) -> Type {
    Type::Name(ident(name))
}

pub fn nullable(ty: Type) -> Type {
    Type::Nullable(Box::new(ty))
}

pub fn expr(kind: ExprKind) -> Expr {
    Expr {
        kind: Box::new(kind),
        span: Span::default(),
    }
}

pub fn name(name: &str) -> Expr {
    expr(ExprKind::Name(ident(name)))
}

pub fn dot(object: Expr, field: &str) -> Expr {
    expr(ExprKind::Dot(object, ident(field)))
}

pub fn this() -> Expr {
    expr(ExprKind::This)
}

pub fn null() -> Expr {
    expr(ExprKind::Null)
}

pub fn star() -> Expr {
    expr(ExprKind::Star)
}

pub fn boolean(value: bool) -> Expr {
    expr(ExprKind::Bool(value))
}

pub fn int(value: impl Into<BigInt>) -> Expr {
    let value = value.into();
    match value.sign() {
        num_bigint::Sign::Minus => negate(expr(ExprKind::Int(-value))),
        _ => expr(ExprKind::Int(value)),
    }
}

pub fn negate(operand: Expr) -> Expr {
    expr(ExprKind::Neg(operand))
}

pub fn not(operand: Expr) -> Expr {
    match *operand.kind {
        ExprKind::Not(inner) => inner,
        ExprKind::Bool(value) => boolean(!value),
        ExprKind::Compare(left, mut rest) if rest.len() == 1 => {
            for (op, _) in &mut rest {
                *op = opposite(*op);
            }
            expr(ExprKind::Compare(left, rest))
        }
        kind => expr(ExprKind::Not(expr(kind))),
    }
}

/// What holds where this does not.
fn opposite(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::Ne,
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Lt => CompareOp::Ge,
        CompareOp::Ge => CompareOp::Lt,
        CompareOp::Gt => CompareOp::Le,
        CompareOp::Le => CompareOp::Gt,
    }
}

pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Binary(op, left, right))
}

pub fn compare(op: CompareOp, left: Expr, right: Expr) -> Expr {
    expr(ExprKind::Compare(left, vec![(op, right)]))
}

pub fn equal(left: Expr, right: Expr) -> Expr {
    compare(CompareOp::Eq, left, right)
}

pub fn conditional(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    expr(ExprKind::If(condition, then, otherwise))
}

pub fn statement(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}

pub fn declare(name: &str, ty: Type, value: Option<Expr>) -> Stmt {
    statement(StmtKind::Var {
        name: ident(name),
        ty,
        value: value.map(Rhs::Expr),
    })
}

pub fn assign(target: Expr, value: Expr) -> Stmt {
    statement(StmtKind::Assign {
        targets: vec![target],
        value: Rhs::Expr(value),
    })
}

pub fn assume(condition: Expr) -> Stmt {
    statement(StmtKind::Assume(condition))
}

pub fn throw(exception: &str) -> Stmt {
    statement(StmtKind::Throw(Some(ident(exception))))
}

pub fn block(statements: Vec<Stmt>) -> Block {
    Block { statements }
}

pub fn when(condition: Expr, then: Vec<Stmt>, otherwise: Vec<Stmt>) -> Stmt {
    let otherwise = (!otherwise.is_empty()).then(|| block(otherwise));
    statement(StmtKind::If {
        condition,
        then: block(then),
        otherwise,
    })
}

pub fn call(name: &str, args: Vec<Expr>) -> Expr {
    expr(ExprKind::Call {
        receiver: None,
        name: ident(name),
        args,
    })
}
