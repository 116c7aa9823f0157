//! Trees made by hand, for front ends: what they write has no place in a `.tq` text.

use num_bigint::BigInt;
use num_traits::Signed;

use super::ast::{
    BlockSyntax, ExprSyntax, ExprSyntaxKind, Ident, Origin, ParamSyntax, Rhs, ShownText,
    StmtSyntax, StmtSyntaxKind, TypeSyntax,
};
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp, Quantifier};

/// A name.
pub fn ident(name: impl Into<String>) -> Ident {
    Ident {
        name: name.into(),
        span: Span::default(),
    }
}

/// How something is shown.
pub fn shown(text: impl Into<String>) -> ShownText {
    ShownText {
        text: text.into(),
        span: Span::default(),
    }
}

/// An expression.
pub fn expr(kind: ExprSyntaxKind) -> ExprSyntax {
    ExprSyntax {
        kind: Box::new(kind),
        span: Span::default(),
    }
}

/// A statement.
pub fn stmt(kind: StmtSyntaxKind) -> StmtSyntax {
    StmtSyntax {
        kind,
        span: Span::default(),
        origin: Origin::default(),
    }
}

/// A name as an expression.
pub fn name(name: impl Into<String>) -> ExprSyntax {
    expr(ExprSyntaxKind::Name(ident(name)))
}

/// `object.field`, `Mode.Idle`
pub fn dot(base: ExprSyntax, member: &str) -> ExprSyntax {
    expr(ExprSyntaxKind::Dot(base, ident(member)))
}

/// `this`
pub fn this() -> ExprSyntax {
    expr(ExprSyntaxKind::This)
}

/// `null`
pub fn null() -> ExprSyntax {
    expr(ExprSyntaxKind::Null)
}

/// `*`, a choice that nobody knows.
pub fn star() -> ExprSyntax {
    expr(ExprSyntaxKind::Star)
}

/// `name(args)`
pub fn call(name: &str, args: Vec<ExprSyntax>) -> ExprSyntax {
    expr(ExprSyntaxKind::Call {
        receiver: None,
        name: ident(name),
        args,
    })
}

/// A number; one that is negative is a negation.
pub fn int(value: impl Into<BigInt>) -> ExprSyntax {
    let value = value.into();
    let digits = expr(ExprSyntaxKind::Int(value.abs()));
    if value.is_negative() {
        negate(digits)
    } else {
        digits
    }
}

/// `-e`
pub fn negate(e: ExprSyntax) -> ExprSyntax {
    expr(ExprSyntaxKind::Neg(e))
}

/// `true`, `false`
pub fn bool(value: bool) -> ExprSyntax {
    expr(ExprSyntaxKind::Bool(value))
}

/// `a op b`
pub fn binary(op: BinaryOp, left: ExprSyntax, right: ExprSyntax) -> ExprSyntax {
    expr(ExprSyntaxKind::Binary(op, left, right))
}

/// `a < b`
pub fn compare(op: CompareOp, left: ExprSyntax, right: ExprSyntax) -> ExprSyntax {
    expr(ExprSyntaxKind::Compare(left, vec![(op, right)]))
}

/// `a == b`
pub fn equal(left: ExprSyntax, right: ExprSyntax) -> ExprSyntax {
    compare(CompareOp::Eq, left, right)
}

/// `!e`, said as simply as it can be.
pub fn not(e: ExprSyntax) -> ExprSyntax {
    match *e.kind {
        ExprSyntaxKind::Not(inner) => inner,
        ExprSyntaxKind::Bool(value) => bool(!value),
        ExprSyntaxKind::Compare(left, rest) => match <[(CompareOp, ExprSyntax); 1]>::try_from(rest)
        {
            Ok([(op, right)]) => compare(op.negated(), left, right),
            Err(rest) => expr(ExprSyntaxKind::Not(expr(ExprSyntaxKind::Compare(
                left, rest,
            )))),
        },
        kind => expr(ExprSyntaxKind::Not(expr(kind))),
    }
}

/// `a && b`, without what says nothing.
pub fn and(left: ExprSyntax, right: ExprSyntax) -> ExprSyntax {
    match (&*left.kind, &*right.kind) {
        (ExprSyntaxKind::Bool(true), _) => right,
        (_, ExprSyntaxKind::Bool(true)) => left,
        _ => joined(BinaryOp::And, left, right),
    }
}

/// `a op (b op c)` as `a op b op c`, which is the same.
fn joined(op: BinaryOp, left: ExprSyntax, right: ExprSyntax) -> ExprSyntax {
    match *right.kind {
        ExprSyntaxKind::Binary(inner, first, second) if inner == op => {
            binary(op, joined(op, left, first), second)
        }
        kind => binary(op, left, expr(kind)),
    }
}

/// `a || b`, without what says nothing.
pub fn or(left: ExprSyntax, right: ExprSyntax) -> ExprSyntax {
    match (&*left.kind, &*right.kind) {
        (ExprSyntaxKind::Bool(false), _) => right,
        (_, ExprSyntaxKind::Bool(false)) => left,
        _ => joined(BinaryOp::Or, left, right),
    }
}

/// `if c then a else b`
pub fn choice(condition: ExprSyntax, yes: ExprSyntax, no: ExprSyntax) -> ExprSyntax {
    expr(ExprSyntaxKind::If(condition, yes, no))
}

/// `m[i][j]`
pub fn indexed(base: ExprSyntax, indices: impl IntoIterator<Item = ExprSyntax>) -> ExprSyntax {
    indices
        .into_iter()
        .fold(base, |base, index| expr(ExprSyntaxKind::Index(base, index)))
}

/// A type that has a name.
pub fn ty(name: impl Into<String>) -> TypeSyntax {
    TypeSyntax::Name(ident(name))
}

/// `T?`
pub fn nullable(ty: TypeSyntax) -> TypeSyntax {
    TypeSyntax::Nullable(Box::new(ty))
}

/// `map<K, V>`
pub fn map(key: TypeSyntax, value: TypeSyntax) -> TypeSyntax {
    TypeSyntax::Map(Box::new(key), Box::new(value))
}

/// `map<K, V>(v)`
pub fn everywhere(key: TypeSyntax, value: TypeSyntax, everywhere: ExprSyntax) -> ExprSyntax {
    expr(ExprSyntaxKind::Everywhere {
        key,
        value,
        everywhere,
    })
}

/// `exists x: T :: e`
pub fn exists(bound: ParamSyntax, e: ExprSyntax) -> ExprSyntax {
    quantified(Quantifier::Exists, bound, e)
}

/// `forall x: T :: e`
pub fn forall(bound: ParamSyntax, e: ExprSyntax) -> ExprSyntax {
    quantified(Quantifier::Forall, bound, e)
}

fn quantified(quantifier: Quantifier, bound: ParamSyntax, e: ExprSyntax) -> ExprSyntax {
    expr(ExprSyntaxKind::Quantified(quantifier, vec![bound], e))
}

/// A parameter.
pub fn param(name: impl Into<String>, ty: TypeSyntax) -> ParamSyntax {
    ParamSyntax::new(ident(name), ty)
}

/// `{ … }`
pub fn block(statements: Vec<StmtSyntax>) -> BlockSyntax {
    BlockSyntax { statements }
}

/// `var name: T := value;`
pub fn declare(name: &str, ty: TypeSyntax, value: Option<ExprSyntax>) -> StmtSyntax {
    stmt(StmtSyntaxKind::Var {
        name: ident(name),
        ty,
        value: value.map(Rhs::Expr),
    })
}

/// `assume e;`
pub fn assume(e: ExprSyntax) -> StmtSyntax {
    stmt(StmtSyntaxKind::Assume(e))
}

/// `throw E;`
pub fn throw(exception: &str) -> StmtSyntax {
    stmt(StmtSyntaxKind::Throw(Some(ident(exception))))
}

/// `target := value;`
pub fn assign(target: ExprSyntax, value: ExprSyntax) -> StmtSyntax {
    stmt(StmtSyntaxKind::Assign {
        targets: vec![target],
        value: Rhs::Expr(value),
    })
}

/// `if (c) { … } else { … }`, without an `else` that does nothing.
pub fn conditional(
    condition: ExprSyntax,
    then: Vec<StmtSyntax>,
    otherwise: Vec<StmtSyntax>,
) -> StmtSyntax {
    let otherwise = (!otherwise.is_empty()).then(|| block(otherwise));
    stmt(StmtSyntaxKind::If {
        condition,
        then: block(then),
        otherwise,
    })
}
