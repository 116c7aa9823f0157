//! Types: what a written type means, and which value goes where.

use std::sync::Arc;

use super::super::ast;
use super::super::habits;
use super::super::names::BUILTIN_TYPES;
use super::{Resolver, TypeEntity};
use crate::ir::span::Span;
use crate::ir::{Diagnostic, Hint};
use crate::ir::{Expr, ExprKind, MachineInt, Type};

/// How many parts a type may have. Every expression carries its type along.
const MAX_TYPE: usize = 32;

pub(super) fn is_integer(ty: &Type) -> bool {
    matches!(ty, Type::Int | Type::Machine(_))
}

/// Whether values of the type are references.
pub(super) fn is_reference(ty: &Type) -> bool {
    matches!(ty, Type::Class { .. } | Type::Array { .. } | Type::Null)
}

/// The type that may also be `null`.
pub(super) fn nullable(ty: &Type) -> Type {
    let mut ty = ty.clone();
    if let Type::Class { nullable, .. } | Type::Array { nullable, .. } = &mut ty {
        *nullable = true;
    }
    ty
}

/// Whether two types are the same but for `null`.
pub(super) fn same_reference(a: &Type, b: &Type) -> bool {
    is_reference(a) && is_reference(b) && nullable(a) == nullable(b)
}

impl<'a> Resolver<'a> {
    /// What a written type means.
    pub(super) fn ty(&mut self, ty: &ast::TypeSyntax) -> Option<Type> {
        if size(ty) > MAX_TYPE {
            self.report(
                Diagnostic::error("this type is too long")
                    .at(type_span(ty), "")
                    .help(format!("a type consists of at most {MAX_TYPE} parts")),
            );
            return None;
        }
        self.checked_type(ty)
    }

    fn checked_type(&mut self, ty: &ast::TypeSyntax) -> Option<Type> {
        match ty {
            ast::TypeSyntax::Name(name) => self.named_type(name),
            ast::TypeSyntax::Within(name) => self.type_within(name),
            ast::TypeSyntax::Nullable(inner) => self.nullable_type(inner),
            ast::TypeSyntax::Array(element) => {
                let element = Box::new(self.checked_type(element)?);
                Some(Type::Array {
                    element,
                    nullable: false,
                })
            }
            ast::TypeSyntax::Map(key, value) => {
                let (key, value) = (self.checked_type(key), self.checked_type(value));
                Some(Type::Map(Box::new(key?), Box::new(value?)))
            }
        }
    }

    fn named_type(&mut self, name: &ast::Ident) -> Option<Type> {
        match name.name.as_str() {
            "int" => return Some(Type::Int),
            "nat" => return Some(Type::Nat),
            "bool" => return Some(Type::Bool),
            _ => {}
        }
        if let Some(machine) = MachineInt::named(&name.name) {
            return Some(Type::Machine(machine));
        }
        self.mention_global(name);
        match self.types.get(name.name.as_str()) {
            Some(TypeEntity::Enum(id)) => Some(Type::Enum(*id)),
            Some(TypeEntity::Opaque(id)) => Some(Type::Opaque(*id)),
            Some(TypeEntity::Class(id)) => Some(Type::Class {
                class: *id,
                nullable: false,
            }),
            None => {
                self.unknown_type(name);
                None
            }
        }
    }

    /// `int in u8`
    fn type_within(&mut self, name: &ast::Ident) -> Option<Type> {
        let machine = MachineInt::named(&name.name);
        if machine.is_none() {
            self.report(
                Diagnostic::error(format!("`{}` is no machine integer type", name.name))
                    .at(name.span, "")
                    .help("write `i8`, `u8`, `i16` … `u256`: the integers that have so many bits"),
            );
        }
        machine.map(Type::Within)
    }

    fn unknown_type(&mut self, name: &ast::Ident) {
        let meant = habits::type_named(&name.name).map(Hint::write);
        let habit = meant.or_else(|| {
            habits::type_sentence(&name.name).map(|help| help.replace('#', &name.name).into())
        });
        let known: Vec<&str> = self.types.keys().copied().chain(BUILTIN_TYPES).collect();
        self.unknown_or("type", name, known, habit);
    }

    fn nullable_type(&mut self, inner: &ast::TypeSyntax) -> Option<Type> {
        let ty = self.checked_type(inner)?;
        if matches!(ty, Type::Class { .. } | Type::Array { .. }) {
            return Some(nullable(&ty));
        }
        let text = self.program.type_name(&ty);
        self.report(
            Diagnostic::error(format!("`{text}` cannot be `null`"))
                .at(type_span(inner), "")
                .help("only classes and arrays can be marked with `?`"),
        );
        None
    }

    /// The expression as a value of a declared type, or a report that it is none.
    pub(super) fn coerce(&mut self, e: Expr, to: &Type) -> Option<Expr> {
        if self.fits(&e.ty, to) {
            return Some(adapted(e, to));
        }
        self.mismatch(&e, to);
        None
    }

    /// Whether a value of type `from` can be assigned to a declared type.
    pub(super) fn fits(&self, from: &Type, to: &Type) -> bool {
        let to = to.of_value();
        match (from, &to) {
            (Type::Machine(_), Type::Int) => true,
            (Type::Null, Type::Class { nullable, .. } | Type::Array { nullable, .. }) => *nullable,
            _ => *from == to || same_reference(from, &to) && *from != Type::Null,
        }
    }

    fn mismatch(&mut self, e: &Expr, to: &Type) {
        let (from, wanted) = (self.program.type_name(&e.ty), self.program.type_name(to));
        let help = match (&e.ty, to) {
            (Type::Int | Type::Machine(_), Type::Machine(_)) => {
                Some(format!("write `{wanted}(…)` to convert; the value wraps"))
            }
            (Type::Null, Type::Class { .. } | Type::Array { .. }) => {
                Some(format!("only `{wanted}?` can be `null`"))
            }
            (Type::Int | Type::Machine(_), Type::Bool) => {
                Some("compare it with something: `… != 0`".to_owned())
            }
            (Type::Int | Type::Machine(_), Type::Enum(id)) => {
                let members = self.program.enums.get(id.0).map(|e| &e.members);
                let first = members.and_then(|members| members.first());
                first.map(|first| format!("write one of its values, such as `{wanted}.{first}`"))
            }
            (Type::Enum(_), Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_)) => {
                Some("a value of an enum has no number: write `if … then 1 else 0`".to_owned())
            }
            (Type::Class { .. } | Type::Array { .. }, Type::Bool) => {
                Some("compare it with `null`: `… != null`".to_owned())
            }
            (Type::Bool, Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_)) => {
                Some("write `if … then 1 else 0`".to_owned())
            }
            _ => None,
        };
        self.report(
            Diagnostic::error(format!(
                "expected a value of type `{wanted}`, found `{from}`"
            ))
            .at(e.span, format!("this is `{from}`"))
            .maybe_help(help),
        );
    }
}

/// The expression with the type that it takes in a place of a declared type that it fits.
fn adapted(mut e: Expr, to: &Type) -> Expr {
    let to = to.of_value();
    match (&e.ty, &to) {
        (Type::Machine(_), Type::Int) => Expr {
            span: e.span,
            kind: Arc::new(ExprKind::Convert(e)),
            ty: Type::Int,
        },
        (Type::Null, _) => {
            e.ty = to;
            e
        }
        _ => e,
    }
}

/// How many parts a type consists of.
fn size(ty: &ast::TypeSyntax) -> usize {
    let mut size = 0;
    let mut open = vec![ty];
    while let Some(ty) = open.pop() {
        size += 1;
        match ty {
            ast::TypeSyntax::Name(_) | ast::TypeSyntax::Within(_) => {}
            ast::TypeSyntax::Nullable(inner) | ast::TypeSyntax::Array(inner) => open.push(inner),
            ast::TypeSyntax::Map(key, value) => open.extend([&**key, &**value]),
        }
    }
    size
}

/// Where a type is written.
pub(super) fn type_span(ty: &ast::TypeSyntax) -> Span {
    match ty {
        ast::TypeSyntax::Name(name) | ast::TypeSyntax::Within(name) => name.span,
        ast::TypeSyntax::Nullable(inner) | ast::TypeSyntax::Array(inner) => type_span(inner),
        ast::TypeSyntax::Map(key, value) => type_span(key).to(type_span(value)),
    }
}
