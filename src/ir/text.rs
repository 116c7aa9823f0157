//! Typed expressions as `.tq` text, for people to read, with as few parentheses as the grammar needs.

use std::collections::BTreeSet;

use num_bigint::Sign;

use super::operators::{
    Precedence, binary_precedence, binary_symbol, compare_symbol, operand_precedences,
    quantifier_word,
};
use super::{ClassId, Expr, ExprKind, Program};

/// The expression as it would be written in the class: its own fields without `this`. All conversions are
/// written, also those (to `int`) that the source need not write.
pub fn expr_text(program: &Program, class: ClassId, e: &Expr) -> String {
    expr_text_among(program, class, e, &BTreeSet::new())
}

/// The same where there are variables of these names: own fields that are called so are written with `this`.
pub(crate) fn expr_text_among(
    program: &Program,
    class: ClassId,
    e: &Expr,
    variables: &BTreeSet<String>,
) -> String {
    let mut writer = ExprWriter {
        program,
        class,
        variables,
        text: String::new(),
    };
    writer.whole(e);
    writer.text
}

/// Writes typed expressions as they stand in a class.
struct ExprWriter<'a> {
    program: &'a Program,
    /// The class whose fields need no object before them.
    class: ClassId,
    /// The names of variables around, which own fields are told apart from.
    variables: &'a BTreeSet<String>,
    text: String,
}

impl ExprWriter<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// An expression with a delimiter behind it.
    fn whole(&mut self, e: &Expr) {
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

    /// `Mode.Idle`: a type's name, and that of one of its values.
    fn value_of(&mut self, declared: Option<(&String, &Vec<String>)>, index: usize) {
        if let Some((name, values)) = declared {
            self.push(name);
            self.push(".");
            self.push(values.get(index).map_or("", String::as_str));
        }
    }

    fn bare(&mut self, e: &Expr, last: bool) {
        match &*e.kind {
            ExprKind::Int(value) => self.push(&value.to_string()),
            ExprKind::Bool(value) => self.push(if *value { "true" } else { "false" }),
            ExprKind::Null => self.push("null"),
            ExprKind::This => self.push("this"),
            ExprKind::Member(id, index) => {
                let declared = self.program.enums.get(id.0);
                self.value_of(declared.map(|e| (&e.name, &e.members)), *index);
            }
            ExprKind::Named(id, index) => {
                let declared = self.program.opaques.get(id.0);
                self.value_of(declared.map(|o| (&o.name, &o.values)), *index);
            }
            ExprKind::Var(id) => self.push(&self.program.var(*id).name),
            ExprKind::Field(object, field) => {
                let own = matches!(*object.kind, ExprKind::This) && field.class == self.class;
                let name = &self.program.field(*field).name;
                if !own || self.variables.contains(name) {
                    self.receiver(object);
                }
                self.push(name);
            }
            ExprKind::Length(array) => {
                self.receiver(array);
                self.push("length");
            }
            ExprKind::Element(base, index) | ExprKind::Select(base, index) => {
                self.base(base);
                self.push("[");
                self.whole(index);
                self.push("]");
            }
            ExprKind::Store(map, key, value) => {
                self.base(map);
                self.push("[");
                self.whole(key);
                self.push(" := ");
                self.whole(value);
                self.push("]");
            }
            ExprKind::Everywhere(value) => {
                self.applied(&self.program.type_name(&e.ty), std::slice::from_ref(value));
            }
            ExprKind::Call {
                receiver,
                function,
                args,
            } => {
                if !matches!(*receiver.kind, ExprKind::This) {
                    self.receiver(receiver);
                }
                self.applied(&self.program.function(*function).name, args);
            }
            ExprKind::Convert(inner) => {
                self.applied(&self.program.type_name(&e.ty), std::slice::from_ref(inner));
            }
            ExprKind::Old(inner) => self.applied("old", std::slice::from_ref(inner)),
            ExprKind::Neg(inner) => self.unary("-", inner, last),
            ExprKind::Not(inner) => self.unary("!", inner, last),
            ExprKind::Binary(op, left, right) => {
                let (least_left, least_right) = operand_precedences(*op);
                self.expr(left, least_left, false);
                self.operator(binary_symbol(*op));
                self.expr(right, least_right, last);
            }
            ExprKind::Compare(op, left, right) => {
                self.expr(left, Precedence::Sum, false);
                self.operator(compare_symbol(*op));
                self.expr(right, Precedence::Sum, last);
            }
            ExprKind::If(condition, then, otherwise) => {
                self.push("if ");
                self.whole(condition);
                self.push(" then ");
                self.whole(then);
                self.push(" else ");
                self.whole(otherwise);
            }
            ExprKind::Quantified(quantifier, ids, body) => {
                let bound = ids.iter().map(|id| {
                    let var = self.program.var(*id);
                    format!("{}: {}", var.name, self.program.type_name(&var.ty))
                });
                let bound = bound.collect::<Vec<_>>().join(", ");
                self.push(&format!("{} {bound} :: ", quantifier_word(*quantifier)));
                self.whole(body);
            }
        }
    }

    fn unary(&mut self, sign: &str, operand: &Expr, last: bool) {
        self.push(sign);
        self.expr(operand, Precedence::Unary, last);
    }

    fn operator(&mut self, symbol: &str) {
        self.push(&format!(" {symbol} "));
    }

    /// What stands before `.` or `[`.
    fn base(&mut self, e: &Expr) {
        self.expr(e, Precedence::Postfix, false);
    }

    fn receiver(&mut self, object: &Expr) {
        self.base(object);
        self.push(".");
    }

    fn applied(&mut self, name: &str, args: &[Expr]) {
        self.push(name);
        self.push("(");
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.whole(arg);
        }
        self.push(")");
    }
}

fn precedence(kind: &ExprKind) -> Precedence {
    match kind {
        // A negative number is written with a sign.
        ExprKind::Int(value) if value.sign() == Sign::Minus => Precedence::Unary,
        ExprKind::Binary(op, ..) => binary_precedence(*op),
        ExprKind::Compare(..) => Precedence::Compare,
        ExprKind::Neg(_) | ExprKind::Not(_) => Precedence::Unary,
        _ => Precedence::Postfix,
    }
}
