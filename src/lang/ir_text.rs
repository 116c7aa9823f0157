//! Typed expressions as source text, for people to read.

use super::ir::{ClassId, Expr, ExprKind, FieldRef, Program};
use super::precedence::{
    Precedence, binary_precedence, binary_symbol, compare_symbol, operand_precedences,
    quantifier_word,
};

/// The expression as it would be written in the class: its own fields without `this`. All conversions are
/// written, also those (to `int`) that the source need not write.
pub fn expr_text(program: &Program, class: ClassId, e: &Expr) -> String {
    let mut writer = Writer {
        program,
        class,
        text: String::new(),
    };
    writer.whole(e);
    writer.text
}

struct Writer<'a> {
    program: &'a Program,
    /// The class whose fields need no object before them.
    class: ClassId,
    text: String,
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// An expression with a delimiter behind it.
    fn whole(&mut self, e: &Expr) {
        self.expr(e, Precedence::Iff, true);
    }

    /// See the printer of the syntax tree: `last` says that an `if` or a quantifier may stand here without
    /// parentheses.
    fn expr(&mut self, e: &Expr, least: Precedence, last: bool) {
        let bare = match &*e.kind {
            ExprKind::If(..) | ExprKind::Quantified(..) => last,
            _ => precedence(e) >= least,
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
            ExprKind::Member(id, index) => {
                let decl = self.program.enums.get(id.0);
                let member = decl.and_then(|decl| decl.members.get(*index));
                let name = decl.map_or("", |decl| decl.name.as_str());
                self.push(&format!("{name}.{}", member.map_or("", String::as_str)));
            }
            ExprKind::Var(id) => self.push(&self.program.var(*id).name),
            ExprKind::Field(object, field) => self.field(object, *field),
            ExprKind::Length(array) => {
                self.base(array);
                self.push(".length");
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
            ExprKind::Call {
                receiver,
                function,
                args,
            } => {
                if !matches!(*receiver.kind, ExprKind::This) {
                    self.base(receiver);
                    self.push(".");
                }
                self.push(&self.program.function(*function).name);
                self.args(args);
            }
            ExprKind::Convert(inner) => {
                self.push(&self.program.type_name(&e.ty));
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
                self.push(quantifier_word(*quantifier));
                let params = ids.iter().map(|&id| {
                    let var = self.program.var(id);
                    format!("{}: {}", var.name, self.program.type_name(&var.ty))
                });
                let params: Vec<String> = params.collect();
                self.push(&format!(" {} :: ", params.join(", ")));
                self.whole(body);
            }
        }
    }

    fn field(&mut self, object: &Expr, field: FieldRef) {
        let own = matches!(*object.kind, ExprKind::This) && field.class == self.class;
        if !own {
            self.base(object);
            self.push(".");
        }
        self.push(&self.program.field(field).name);
    }

    fn operator(&mut self, symbol: &str) {
        self.push(" ");
        self.push(symbol);
        self.push(" ");
    }

    fn base(&mut self, e: &Expr) {
        self.expr(e, Precedence::Postfix, false);
    }

    fn args(&mut self, args: &[Expr]) {
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

fn precedence(e: &Expr) -> Precedence {
    match &*e.kind {
        ExprKind::Binary(op, ..) => binary_precedence(*op),
        ExprKind::Compare(..) => Precedence::Compare,
        ExprKind::Neg(_) | ExprKind::Not(_) => Precedence::Unary,
        // A negative number is written with a sign.
        ExprKind::Int(value) if value.sign() == num_bigint::Sign::Minus => Precedence::Unary,
        _ => Precedence::Postfix,
    }
}
