//! Types and expressions.

use num_bigint::BigInt;

use super::{Attribute, Body, Pos, VarDecl};

/// A type and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// Where it is.
    pub pos: Pos,
    /// What it is.
    pub kind: TypeKind,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `bool`.
    Bool,
    /// `int`.
    Int,
    /// `real`.
    Real,
    /// `bvN`.
    Bv(u32),
    /// A type constructor, synonym or variable, with its arguments.
    Named(String, Vec<Type>),
    /// `<a>[T, U]V`.
    Map(Vec<String>, Vec<Type>, Box<Type>),
}

/// An expression and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Where it is: an operator's own place, else where it begins.
    pub pos: Pos,
    /// What it is.
    pub kind: ExprKind,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `true`, `false`.
    Bool(bool),
    /// `7`.
    Int(BigInt),
    /// `7.5`, `2e3`: as written.
    Real(String),
    /// `7bv8`: value and width.
    Bv(BigInt, u32),
    /// `-0x1.8e0f24e8`, `0NaN24e8`: as written.
    Float(String),
    /// `"text"`: as written between the quotes.
    Str(String),
    /// A name.
    Var(String),
    /// `f(x)`.
    Call(String, Vec<Expr>),
    /// `old(e)`.
    Old(Box<Expr>),
    /// `!e`, `-e`.
    Unary(UnOp, Box<Expr>),
    /// Two operands.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// Two or more operands of `&&`, `||`, in a row.
    Chain(ChainOp, Vec<Expr>),
    /// `if c then a else b`.
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `m[i, j]`.
    Select(Box<Expr>, Vec<Expr>),
    /// `m[i, j := e]`.
    Store(Box<Expr>, Vec<Expr>, Box<Expr>),
    /// `d->f`.
    Field(Box<Expr>, String),
    /// `d->(f := e)`.
    Update(Box<Expr>, String, Box<Expr>),
    /// `d is C`.
    Is(Box<Expr>, String),
    /// `b[8:4]`: high end excluded, low end included.
    Extract(Box<Expr>, u32, u32),
    /// `(forall<a> x: T :: {t} e)`, `exists`, `lambda`.
    Quantified(Box<Quantified>),
    /// `(var x, y := e, f; g)`.
    Let(Vec<String>, Vec<Expr>, Box<Expr>),
    /// `int(e)`.
    ToInt(Box<Expr>),
    /// `real(e)`.
    ToReal(Box<Expr>),
    /// `e: T`.
    Coerce(Box<Expr>, Type),
    /// `|{ … }|`.
    Code(Box<Body>),
}

/// A quantified expression or a lambda.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantified {
    /// Which.
    pub kind: QuantKind,
    /// Type parameters.
    pub type_params: Vec<String>,
    /// The bound variables.
    pub vars: Vec<VarDecl>,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// Triggers; a single expression with `nopats` is not a trigger but its opposite, and is an attribute here.
    pub triggers: Vec<Vec<Expr>>,
    /// The body.
    pub body: Expr,
}

/// Which binder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantKind {
    /// `forall`.
    Forall,
    /// `exists`.
    Exists,
    /// `lambda`.
    Lambda,
}

/// An operator of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// `!`.
    Not,
    /// `-`.
    Neg,
}

/// An associative Boolean operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainOp {
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinOp {
    /// `<==>`.
    Iff,
    /// `==>`.
    Implies,
    /// `<==`.
    Explies,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `<:`.
    Subtype,
    /// `++`.
    Concat,
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `div`.
    Div,
    /// `mod`.
    Mod,
    /// `/`.
    RealDiv,
    /// `**`.
    Pow,
}

impl BinOp {
    /// The operator as it is written.
    pub fn text(self) -> &'static str {
        match self {
            BinOp::Iff => "<==>",
            BinOp::Implies => "==>",
            BinOp::Explies => "<==",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::Subtype => "<:",
            BinOp::Concat => "++",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "div",
            BinOp::Mod => "mod",
            BinOp::RealDiv => "/",
            BinOp::Pow => "**",
        }
    }
}

impl Expr {
    /// An expression at a place.
    pub fn new(pos: Pos, kind: ExprKind) -> Self {
        Expr { pos, kind }
    }
}
