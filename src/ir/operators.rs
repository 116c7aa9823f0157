//! Operators: how tightly they bind and how they are written, for the parser and the printers alike.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// `forall` or `exists`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantifier {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
}

/// Operators with two operands, but for comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `div`: Euclidean, as in Boogie and SMT-LIB (the remainder is never negative)
    Div,
    /// `mod`: the remainder of `div`
    Mod,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `==>`
    Implies,
    /// `<==>`
    Iff,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl CompareOp {
    /// The comparison that holds exactly where this one does not.
    pub fn negated(self) -> CompareOp {
        match self {
            CompareOp::Eq => CompareOp::Ne,
            CompareOp::Ne => CompareOp::Eq,
            CompareOp::Lt => CompareOp::Ge,
            CompareOp::Le => CompareOp::Gt,
            CompareOp::Gt => CompareOp::Le,
            CompareOp::Ge => CompareOp::Lt,
        }
    }

    /// The comparison that says the same with its sides exchanged.
    pub fn mirrored(self) -> CompareOp {
        match self {
            CompareOp::Lt => CompareOp::Gt,
            CompareOp::Le => CompareOp::Ge,
            CompareOp::Gt => CompareOp::Lt,
            CompareOp::Ge => CompareOp::Le,
            CompareOp::Eq | CompareOp::Ne => self,
        }
    }

    /// Whether it holds of values in this order.
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            CompareOp::Eq => order.is_eq(),
            CompareOp::Ne => order.is_ne(),
            CompareOp::Lt => order.is_lt(),
            CompareOp::Le => order.is_le(),
            CompareOp::Gt => order.is_gt(),
            CompareOp::Ge => order.is_ge(),
        }
    }
}

/// Binding strength, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precedence {
    Iff,
    Implies,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Unary,
    Postfix,
}

impl Precedence {
    /// The next tighter one.
    pub(crate) fn tighter(self) -> Self {
        match self {
            Precedence::Iff => Precedence::Implies,
            Precedence::Implies => Precedence::Or,
            Precedence::Or => Precedence::And,
            Precedence::And => Precedence::Compare,
            Precedence::Compare => Precedence::Sum,
            Precedence::Sum => Precedence::Product,
            Precedence::Product => Precedence::Unary,
            Precedence::Unary | Precedence::Postfix => Precedence::Postfix,
        }
    }
}

/// How tightly a binary operator binds.
pub(crate) fn binary_precedence(op: BinaryOp) -> Precedence {
    match op {
        BinaryOp::Add | BinaryOp::Sub => Precedence::Sum,
        BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => Precedence::Product,
        BinaryOp::And => Precedence::And,
        BinaryOp::Or => Precedence::Or,
        BinaryOp::Implies => Precedence::Implies,
        BinaryOp::Iff => Precedence::Iff,
    }
}

/// The least precedence of the left and of the right operand.
pub(crate) fn operand_precedences(op: BinaryOp) -> (Precedence, Precedence) {
    let own = binary_precedence(op);
    if op == BinaryOp::Implies {
        (own.tighter(), own)
    } else {
        (own, own.tighter())
    }
}

/// The operator as it is written.
pub(crate) fn binary_symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "div",
        BinaryOp::Mod => "mod",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Implies => "==>",
        BinaryOp::Iff => "<==>",
    }
}

/// The comparison as it is written.
pub(crate) fn compare_symbol(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}

/// The quantifier as it is written.
pub(crate) fn quantifier_word(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Forall => "forall",
        Quantifier::Exists => "exists",
    }
}
