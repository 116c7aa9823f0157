//! Expressions, with as few parentheses as the grammar needs.

use super::super::ast::{Expr, ExprKind};
use super::Printer;
use crate::ir::operators::{
    Precedence, binary_precedence, binary_symbol, compare_symbol, operand_precedences,
    quantifier_word,
};

impl Printer {
    /// An expression with a delimiter behind it.
    pub(super) fn whole(&mut self, e: &Expr) {
        self.expr(e, Precedence::Iff, true);
    }

    /// An expression where one that binds at least as tightly as `least` can stand. `last` says that nothing
    /// comes behind it that an `if` or a quantifier, which extend as far as they can, would take for its own.
    fn expr(&mut self, e: &Expr, least: Precedence, last: bool) {
        let bare = match &*e.kind {
            ExprKind::If(..) | ExprKind::Quantified(..) => last,
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

    fn bare(&mut self, e: &Expr, last: bool) {
        match &*e.kind {
            ExprKind::Int(value) => self.push(&value.to_string()),
            ExprKind::Bool(true) => self.push("true"),
            ExprKind::Bool(false) => self.push("false"),
            ExprKind::Null => self.push("null"),
            ExprKind::This => self.push("this"),
            ExprKind::Star => self.push("*"),
            ExprKind::Name(name) => self.push(&name.name),
            ExprKind::Dot(object, name) => {
                self.base(object);
                self.push(".");
                self.push(&name.name);
            }
            ExprKind::Index(base, index) => {
                self.base(base);
                self.push("[");
                self.whole(index);
                self.push("]");
            }
            ExprKind::Update(map, key, value) => {
                self.base(map);
                self.push("[");
                self.whole(key);
                self.push(" := ");
                self.whole(value);
                self.push("]");
            }
            ExprKind::Everywhere {
                key,
                value,
                everywhere,
            } => {
                self.map_type(key, value);
                self.args(std::slice::from_ref(everywhere));
            }
            ExprKind::Call {
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
            ExprKind::Convert(name, inner) => {
                self.push(&name.name);
                self.args(std::slice::from_ref(inner));
            }
            ExprKind::Old(inner) => {
                self.push("old");
                self.args(std::slice::from_ref(inner));
            }
            ExprKind::Neg(inner) => {
                self.push("-");
                self.expr(inner, Precedence::Unary, last);
            }
            ExprKind::Not(inner) => {
                self.push("!");
                self.expr(inner, Precedence::Unary, last);
            }
            ExprKind::Binary(op, left, right) => {
                let (least_left, least_right) = operand_precedences(*op);
                self.expr(left, least_left, false);
                self.operator(binary_symbol(*op));
                self.expr(right, least_right, last);
            }
            ExprKind::Compare(first, rest) => {
                self.expr(first, Precedence::Sum, false);
                for (i, (op, operand)) in rest.iter().enumerate() {
                    self.operator(compare_symbol(*op));
                    self.expr(operand, Precedence::Sum, last && i + 1 == rest.len());
                }
            }
            ExprKind::If(condition, then, otherwise) => {
                self.push("if ");
                self.whole(condition);
                self.push(" then ");
                self.whole(then);
                self.push(" else ");
                self.whole(otherwise);
            }
            ExprKind::Quantified(quantifier, params, body) => {
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
    fn base(&mut self, e: &Expr) {
        self.expr(e, Precedence::Postfix, false);
    }

    pub(super) fn args(&mut self, args: &[Expr]) {
        self.push("(");
        for (i, arg) in args.iter().enumerate() {
            self.comma(i);
            self.whole(arg);
        }
        self.push(")");
    }
}

fn precedence(kind: &ExprKind) -> Precedence {
    match kind {
        ExprKind::Binary(op, ..) => binary_precedence(*op),
        ExprKind::Compare(..) => Precedence::Compare,
        ExprKind::Neg(_) | ExprKind::Not(_) => Precedence::Unary,
        _ => Precedence::Postfix,
    }
}
