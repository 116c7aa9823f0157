//! Expressions.

use std::sync::Arc;

use num_bigint::BigInt;

use super::{EnumId, FieldRef, FunctionRef, OpaqueId, Type, VarId};
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp, Quantifier};

/// An expression with its type and place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it says. Shared, for most of an expression is that of another one.
    pub kind: Arc<ExprKind>,
    /// Its type; never one that only promises, as [`Type::Nat`].
    pub ty: Type,
    /// Where.
    pub span: Span,
}

impl Expr {
    /// The expressions directly in this one, in the order they are looked at.
    pub fn children(&self) -> Vec<&Expr> {
        match &*self.kind {
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Member(..)
            | ExprKind::Named(..)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Var(_) => Vec::new(),
            ExprKind::Field(e, _)
            | ExprKind::Length(e)
            | ExprKind::Everywhere(e)
            | ExprKind::Convert(e)
            | ExprKind::Neg(e)
            | ExprKind::Not(e)
            | ExprKind::Quantified(_, _, e)
            | ExprKind::Old(e) => vec![e],
            ExprKind::Element(a, b)
            | ExprKind::Select(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b) => vec![a, b],
            ExprKind::Store(a, b, c) | ExprKind::If(a, b, c) => vec![a, b, c],
            ExprKind::Call { receiver, args, .. } => {
                std::iter::once(receiver).chain(args).collect()
            }
        }
    }
}

/// An expression. Arithmetic on a machine type wraps into the type of the expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer, negative ones included.
    Int(BigInt),
    /// A boolean.
    Bool(bool),
    /// A value of an enum, by its index.
    Member(EnumId, usize),
    /// A value with a name of an opaque type, by its index.
    Named(OpaqueId, usize),
    /// `null`
    Null,
    /// The object itself.
    This,
    /// A variable.
    Var(VarId),
    /// A field of an object.
    Field(Expr, FieldRef),
    /// The length of an array.
    Length(Expr),
    /// An element of an array.
    Element(Expr, Expr),
    /// The value of a map at a key.
    Select(Expr, Expr),
    /// The map of this expression's type that has this value at every key.
    Everywhere(Expr),
    /// A map, changed at a key.
    Store(Expr, Expr, Expr),
    /// A function's value.
    Call {
        /// The object the function looks at.
        receiver: Expr,
        /// The function.
        function: FunctionRef,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// Into the type of this expression: wrapped into a machine type, or unchanged into `int`.
    Convert(Expr),
    /// `-e`
    Neg(Expr),
    /// `!e`
    Not(Expr),
    /// Arithmetic and boolean operators. `&&`, `||` and `==>` look at the right side only when the left side
    /// does not decide.
    Binary(BinaryOp, Expr, Expr),
    /// A comparison. `<` and its kin only on integers (of any types: values are compared).
    Compare(CompareOp, Expr, Expr),
    /// `if c then a else b`
    If(Expr, Expr, Expr),
    /// `forall x: T :: e`: over all values of the types
    Quantified(Quantifier, Vec<VarId>, Expr),
    /// `old(e)`: its value when the routine started
    Old(Expr),
}
