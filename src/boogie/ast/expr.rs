//! Types and expressions.

use num_bigint::BigInt;

use super::{Attribute, Pos, ProcedureBody, VarDecl};

/// A type and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
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
    Named(String, Vec<TypeExpr>),
    /// `<a>[T, U]V`.
    Map(Vec<String>, Vec<TypeExpr>, Box<TypeExpr>),
}

/// An expression and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct BoogieExpr {
    /// Where it is: an operator's own place, else where it begins.
    pub pos: Pos,
    /// What it is.
    pub kind: BoogieExprKind,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum BoogieExprKind {
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
    Call(String, Vec<BoogieExpr>),
    /// `old(e)`.
    Old(Box<BoogieExpr>),
    /// `!e`, `-e`.
    Unary(UnOp, Box<BoogieExpr>),
    /// Two operands.
    Binary(BinOp, Box<BoogieExpr>, Box<BoogieExpr>),
    /// Two or more operands of `&&`, `||`, in a row.
    Chain(ChainOp, Vec<BoogieExpr>),
    /// `if c then a else b`.
    Ite(Box<BoogieExpr>, Box<BoogieExpr>, Box<BoogieExpr>),
    /// `m[i, j]`.
    Select(Box<BoogieExpr>, Vec<BoogieExpr>),
    /// `m[i, j := e]`.
    Store(Box<BoogieExpr>, Vec<BoogieExpr>, Box<BoogieExpr>),
    /// `d->f`.
    Field(Box<BoogieExpr>, String),
    /// `d->(f := e)`.
    Update(Box<BoogieExpr>, String, Box<BoogieExpr>),
    /// `d is C`.
    Is(Box<BoogieExpr>, String),
    /// `b[8:4]`: high end excluded, low end included.
    Extract(Box<BoogieExpr>, u32, u32),
    /// `(forall<a> x: T :: {t} e)`, `exists`, `lambda`.
    Quantified(Box<QuantifiedExpr>),
    /// `(var x, y := e, f; g)`.
    Let(Vec<String>, Vec<BoogieExpr>, Box<BoogieExpr>),
    /// `int(e)`.
    ToInt(Box<BoogieExpr>),
    /// `real(e)`.
    ToReal(Box<BoogieExpr>),
    /// `e: T`.
    Coerce(Box<BoogieExpr>, TypeExpr),
    /// `|{ … }|`.
    Code(Box<ProcedureBody>),
}

/// A quantified expression or a lambda.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantifiedExpr {
    /// Which.
    pub kind: QuantKind,
    /// Type parameters.
    pub type_params: Vec<String>,
    /// The bound variables.
    pub vars: Vec<VarDecl>,
    /// Attributes.
    pub attrs: Vec<Attribute>,
    /// Triggers; a single expression with `nopats` is not a trigger but its opposite, and is an attribute here.
    pub triggers: Vec<Vec<BoogieExpr>>,
    /// The body.
    pub body: BoogieExpr,
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
    /// The comparison that holds of integers exactly where this one does not; itself, if it is none.
    pub fn negated(self) -> BinOp {
        match self {
            BinOp::Eq => BinOp::Ne,
            BinOp::Ne => BinOp::Eq,
            BinOp::Lt => BinOp::Ge,
            BinOp::Le => BinOp::Gt,
            BinOp::Gt => BinOp::Le,
            BinOp::Ge => BinOp::Lt,
            other => other,
        }
    }

    /// The comparison that says the same with its sides exchanged; itself, if it is none, or one of equality.
    pub fn mirrored(self) -> BinOp {
        match self {
            BinOp::Lt => BinOp::Gt,
            BinOp::Le => BinOp::Ge,
            BinOp::Gt => BinOp::Lt,
            BinOp::Ge => BinOp::Le,
            other => other,
        }
    }

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

impl BoogieExpr {
    /// An expression at a place.
    pub fn new(pos: Pos, kind: BoogieExprKind) -> Self {
        BoogieExpr { pos, kind }
    }
}
