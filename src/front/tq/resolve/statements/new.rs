//! New objects and arrays.

use crate::front::tq::{ast, ast::Ident};
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{Block, StmtKind, Type};

use super::super::TypeEntity;
use super::super::places::AssignedPlace;
use super::super::scope::Scope;
use super::super::types::type_span;

impl<'a> Scope<'_, 'a> {
    pub(super) fn new_object(
        &mut self,
        target: Option<AssignedPlace>,
        class_name: &'a Ident,
        constructor: Option<&'a Ident>,
        args: &'a [ast::ExprSyntax],
        span: Span,
        out: &mut Block,
    ) {
        let class = match self.resolver.types.get(class_name.name.as_str()) {
            Some(&TypeEntity::Class(class)) => class,
            Some(_) => {
                let message = format!("`{}` is not a class", class_name.name);
                return self.report(Diagnostic::error(message).at(class_name.span, ""));
            }
            None => {
                let classes: Vec<&str> = self
                    .resolver
                    .classes
                    .iter()
                    .map(|c| c.decl.name.name.as_str())
                    .collect();
                return self.resolver.unknown("class", class_name, classes);
            }
        };
        if constructor.is_some() || !self.has_constructor(class) {
            // Otherwise the name stands for the constructor.
            self.resolver.mention_global(class_name);
        }
        let Some((constructor, args)) = self.construction(class, class_name, constructor, args)
        else {
            return;
        };
        let ty = Type::Class {
            class,
            nullable: false,
        };
        let Some(target) = self.receives(target, &ty, span) else {
            return;
        };
        self.through(target, &ty, span, out, |target| StmtKind::New {
            target,
            class,
            constructor,
            args,
        });
    }

    pub(super) fn new_array(
        &mut self,
        target: Option<AssignedPlace>,
        element: &'a ast::TypeSyntax,
        (length, fill): (&'a ast::ExprSyntax, Option<&'a ast::ExprSyntax>),
        span: Span,
        out: &mut Block,
    ) {
        let length = self.value(length, &Type::Int);
        let Some(ty) = self.resolver.ty(element) else {
            return;
        };
        let is_never_null = matches!(
            ty,
            Type::Class {
                nullable: false,
                ..
            } | Type::Array {
                nullable: false,
                ..
            }
        );
        if fill.is_none() && is_never_null {
            let text = self.type_name(&ty);
            let help = match &ty {
                Type::Array { element, .. } => {
                    let inner = self.type_name(element);
                    format!(
                        "write `new {inner}[…]` for an `{text}`; `new {text}?[…]` has arrays in it, which may be `null`"
                    )
                }
                _ => format!("write `new {text}?[…]`: its elements may be `null`"),
            };
            self.report(
                Diagnostic::error(format!(
                    "the elements of a new array cannot be of type `{text}`"
                ))
                .at(type_span(element), "they would have to be objects at once")
                .help(help),
            );
            return;
        }
        let fill = match fill {
            Some(fill) => match self.value(fill, &ty) {
                Some(fill) => Some(fill),
                None => return,
            },
            None => None,
        };
        let array = Type::Array {
            element: Box::new(ty.clone()),
            nullable: false,
        };
        let (Some(target), Some(length)) = (self.receives(target, &array, span), length) else {
            return;
        };
        self.through(target, &array, span, out, |target| StmtKind::NewArray {
            target,
            element: ty,
            length,
            fill,
        });
    }
}
