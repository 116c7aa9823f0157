//! How tightly operators bind: the one table that the parser and the printers share.

use super::ast::BinaryOp;

/// Binding strength, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precedence {
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
    pub(super) fn tighter(self) -> Self {
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
pub(super) fn binary_precedence(op: BinaryOp) -> Precedence {
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
pub(super) fn operand_precedences(op: BinaryOp) -> (Precedence, Precedence) {
    let own = binary_precedence(op);
    if op == BinaryOp::Implies {
        (own.tighter(), own)
    } else {
        (own, own.tighter())
    }
}
