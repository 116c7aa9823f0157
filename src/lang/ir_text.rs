//! Typed expressions as source text, for people to read: back to the syntax tree, which the printer writes.

use num_bigint::Sign;

use super::ast::{self, Ident};
use super::ir::{ClassId, Expr, ExprKind, Program, Type};
use super::printer::print_expr;
use super::span::Span;

/// The expression as it would be written in the class: its own fields without `this`. All conversions are
/// written, also those (to `int`) that the source need not write.
pub fn expr_text(program: &Program, class: ClassId, e: &Expr) -> String {
    print_expr(&Written { program, class }.expr(e))
}

/// How typed expressions are written in a class.
struct Written<'a> {
    program: &'a Program,
    /// The class whose fields need no object before them.
    class: ClassId,
}

impl Written<'_> {
    fn expr(&self, e: &Expr) -> ast::Expr {
        tree(match &*e.kind {
            // A negative number is written with a sign.
            ExprKind::Int(value) if value.sign() == Sign::Minus => {
                ast::ExprKind::Neg(tree(ast::ExprKind::Int(-value)))
            }
            ExprKind::Int(value) => ast::ExprKind::Int(value.clone()),
            ExprKind::Bool(value) => ast::ExprKind::Bool(*value),
            ExprKind::Null => ast::ExprKind::Null,
            ExprKind::This => ast::ExprKind::This,
            ExprKind::Member(id, index) => {
                let declared = self.program.enums.get(id.0);
                let member = declared.and_then(|declared| declared.members.get(*index));
                let name = declared.map_or("", |declared| &declared.name);
                let name = tree(ast::ExprKind::Name(ident(name)));
                ast::ExprKind::Dot(name, ident(member.map_or("", String::as_str)))
            }
            ExprKind::Var(id) => ast::ExprKind::Name(ident(&self.program.var(*id).name)),
            ExprKind::Field(object, field) => {
                let name = ident(&self.program.field(*field).name);
                let own = matches!(*object.kind, ExprKind::This) && field.class == self.class;
                if own {
                    ast::ExprKind::Name(name)
                } else {
                    ast::ExprKind::Dot(self.expr(object), name)
                }
            }
            ExprKind::Length(array) => ast::ExprKind::Dot(self.expr(array), ident("length")),
            ExprKind::Element(base, index) | ExprKind::Select(base, index) => {
                ast::ExprKind::Index(self.expr(base), self.expr(index))
            }
            ExprKind::Store(map, key, value) => {
                ast::ExprKind::Update(self.expr(map), self.expr(key), self.expr(value))
            }
            ExprKind::Call {
                receiver,
                function,
                args,
            } => {
                let own = matches!(*receiver.kind, ExprKind::This);
                ast::ExprKind::Call {
                    receiver: (!own).then(|| self.expr(receiver)),
                    name: ident(&self.program.function(*function).name),
                    args: args.iter().map(|arg| self.expr(arg)).collect(),
                }
            }
            ExprKind::Convert(inner) => {
                ast::ExprKind::Convert(self.type_name(&e.ty), self.expr(inner))
            }
            ExprKind::Neg(inner) => ast::ExprKind::Neg(self.expr(inner)),
            ExprKind::Not(inner) => ast::ExprKind::Not(self.expr(inner)),
            ExprKind::Old(inner) => ast::ExprKind::Old(self.expr(inner)),
            ExprKind::Binary(op, left, right) => {
                ast::ExprKind::Binary(*op, self.expr(left), self.expr(right))
            }
            ExprKind::Compare(op, left, right) => {
                ast::ExprKind::Compare(self.expr(left), vec![(*op, self.expr(right))])
            }
            ExprKind::If(condition, then, otherwise) => {
                ast::ExprKind::If(self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            ExprKind::Quantified(quantifier, ids, body) => {
                let params = ids.iter().map(|id| {
                    let var = self.program.var(*id);
                    ast::Param {
                        name: ident(&var.name),
                        ty: ast::Type::Name(self.type_name(&var.ty)),
                    }
                });
                ast::ExprKind::Quantified(*quantifier, params.collect(), self.expr(body))
            }
        })
    }

    /// The whole type as one name: the printer writes a name as it is.
    fn type_name(&self, ty: &Type) -> Ident {
        ident(&self.program.type_name(ty))
    }
}

fn tree(kind: ast::ExprKind) -> ast::Expr {
    ast::Expr {
        kind: Box::new(kind),
        span: Span::default(),
    }
}

fn ident(name: &str) -> Ident {
    Ident {
        name: name.to_owned(),
        span: Span::default(),
    }
}
