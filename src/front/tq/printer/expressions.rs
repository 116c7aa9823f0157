//! Expressions, with as few parentheses as the grammar needs.

use super::super::ast::{ExprSyntax, ExprSyntaxKind};
use super::Printer;
use crate::ir::operators::{
    Precedence, binary_precedence, binary_symbol, compare_symbol, operand_precedences,
    quantifier_word,
};

impl Printer {
    /// An expression with a delimiter behind it.
    pub(super) fn whole(&mut self, e: &ExprSyntax) {
        self.expr(e, Precedence::Iff, true);
    }

    /// An expression where one that binds at least as tightly as `least` can stand. `last` says that nothing
    /// comes behind it that an `if` or a quantifier, which extend as far as they can, would take for its own.
    fn expr(&mut self, e: &ExprSyntax, least: Precedence, last: bool) {
        let bare = match &*e.kind {
            ExprSyntaxKind::If(..) | ExprSyntaxKind::Quantified(..) => last,
            kind => precedence(kind) >= least,
        };
        if bare {
            self.bare(e, last);
        } else {
            self.push("(");
            self.bare(e, true);
            self.push(")");
        }
    }

    fn bare(&mut self, e: &ExprSyntax, last: bool) {
        match &*e.kind {
            ExprSyntaxKind::Int(value) => self.push(&value.to_string()),
            ExprSyntaxKind::Bool(true) => self.push("true"),
            ExprSyntaxKind::Bool(false) => self.push("false"),
            ExprSyntaxKind::Null => self.push("null"),
            ExprSyntaxKind::This => self.push("this"),
            ExprSyntaxKind::Star => self.push("*"),
            ExprSyntaxKind::Name(name) => self.push(&name.name),
            ExprSyntaxKind::Dot(object, name) => {
                self.base(object);
                self.push(".");
                self.push(&name.name);
            }
            ExprSyntaxKind::Index(base, index) => {
                self.base(base);
                self.push("[");
                self.whole(index);
                self.push("]");
            }
            ExprSyntaxKind::Update(map, key, value) => {
                self.base(map);
                self.push("[");
                self.whole(key);
                self.push(" := ");
                self.whole(value);
                self.push("]");
            }
            ExprSyntaxKind::Everywhere {
                key,
                value,
                everywhere,
            } => {
                self.map_type(key, value);
                self.args(std::slice::from_ref(everywhere));
            }
            ExprSyntaxKind::Call {
                receiver,
                name,
                args,
            } => {
                if let Some(receiver) = receiver {
                    self.base(receiver);
                    self.push(".");
                }
                self.push(&name.name);
                self.args(args);
            }
            ExprSyntaxKind::Convert(name, inner) => {
                self.push(&name.name);
                self.args(std::slice::from_ref(inner));
            }
            ExprSyntaxKind::Old(inner) => {
                self.push("old");
                self.args(std::slice::from_ref(inner));
            }
            ExprSyntaxKind::Neg(inner) => {
                self.push("-");
                self.expr(inner, Precedence::Unary, last);
            }
            ExprSyntaxKind::Not(inner) => {
                self.push("!");
                self.expr(inner, Precedence::Unary, last);
            }
            ExprSyntaxKind::Binary(op, left, right) => {
                let (least_left, least_right) = operand_precedences(*op);
                self.expr(left, least_left, false);
                self.operator(binary_symbol(*op));
                self.expr(right, least_right, last);
            }
            ExprSyntaxKind::Compare(first, rest) => {
                self.expr(first, Precedence::Sum, false);
                for (i, (op, operand)) in rest.iter().enumerate() {
                    self.operator(compare_symbol(*op));
                    self.expr(operand, Precedence::Sum, last && i + 1 == rest.len());
                }
            }
            ExprSyntaxKind::If(condition, then, otherwise) => {
                self.push("if ");
                self.whole(condition);
                self.push(" then ");
                self.whole(then);
                self.push(" else ");
                self.whole(otherwise);
            }
            ExprSyntaxKind::Quantified(quantifier, params, body) => {
                self.push(quantifier_word(*quantifier));
                self.push(" ");
                self.param_list(params);
                self.push(" :: ");
                self.whole(body);
            }
        }
    }

    fn operator(&mut self, symbol: &str) {
        self.push(" ");
        self.push(symbol);
        self.push(" ");
    }

    /// What stands before `.` or `[`.
    fn base(&mut self, e: &ExprSyntax) {
        self.expr(e, Precedence::Postfix, false);
    }

    pub(super) fn args(&mut self, args: &[ExprSyntax]) {
        self.push("(");
        for (i, arg) in args.iter().enumerate() {
            self.comma(i);
            self.whole(arg);
        }
        self.push(")");
    }
}

fn precedence(kind: &ExprSyntaxKind) -> Precedence {
    match kind {
        ExprSyntaxKind::Binary(op, ..) => binary_precedence(*op),
        ExprSyntaxKind::Compare(..) => Precedence::Compare,
        ExprSyntaxKind::Neg(_) | ExprSyntaxKind::Not(_) => Precedence::Unary,
        _ => Precedence::Postfix,
    }
}
