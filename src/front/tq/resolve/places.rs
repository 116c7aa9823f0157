//! What can be assigned: variables, fields, elements of arrays, and elements of maps, which are values in a
//! variable, field or element themselves.

use super::super::ast;
use super::expressions::{make, this};
use super::scope::{Scope, VariableKind};
use super::{TypeEntity, ValueEntity};
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{Expr, ExprKind, FieldRef, Place, Type};

/// How many maps inside each other an assignment changes: each key is looked at once for each map below.
const MAX_KEYS: usize = 8;

/// Something to assign to.
pub(super) struct AssignedPlace {
    pub place: Place,
    /// For `m[k1][k2] := v`, the keys with the types of the maps they are keys of, outermost first: the place is
    /// the one of `m`.
    pub keys: Vec<(Expr, Type)>,
    /// The declared type of what is assigned.
    pub ty: Type,
    pub span: Span,
}

impl AssignedPlace {
    /// What is to be assigned to the place so that `value` is what the target holds.
    pub(super) fn stored(&self, value: Expr) -> Expr {
        let mut maps = Vec::new();
        let mut map = self.current();
        for (key, ty) in &self.keys {
            let span = self.span;
            let element = match ty {
                Type::Map(_, element) => element.of_value(),
                other => other.clone(),
            };
            let inner = make(ExprKind::Select(map.clone(), key.clone()), element, span);
            maps.push((map, key.clone(), ty.clone()));
            map = inner;
        }
        maps.into_iter().rev().fold(value, |value, (map, key, ty)| {
            make(ExprKind::Store(map, key, value), ty, self.span)
        })
    }

    /// The value of the place.
    fn current(&self) -> Expr {
        let ty = self.keys.first().map_or(&self.ty, |(_, ty)| ty);
        let kind = match &self.place {
            Place::Var(id) => ExprKind::Var(*id),
            Place::Field(object, field) => ExprKind::Field(object.clone(), *field),
            Place::Element(array, index) => ExprKind::Element(array.clone(), index.clone()),
        };
        make(kind, ty.of_value(), self.span)
    }
}

impl<'a> Scope<'_, 'a> {
    pub(super) fn target(&mut self, e: &'a ast::ExprSyntax) -> Option<AssignedPlace> {
        let target = |place, ty| AssignedPlace {
            place,
            keys: Vec::new(),
            ty,
            span: e.span,
        };
        match &*e.kind {
            ast::ExprSyntaxKind::Name(name) => {
                let (place, ty) = self.named_place(name)?;
                Some(target(place, ty))
            }
            ast::ExprSyntaxKind::Dot(object, name) => {
                let (place, ty) = self.field_place(object, name, e.span)?;
                Some(target(place, ty))
            }
            ast::ExprSyntaxKind::Index(base, index) => self.element_target(base, index, e.span),
            _ => {
                self.report(
                    Diagnostic::error("this cannot be assigned")
                        .at(e.span, "")
                        .help("variables, fields and elements can"),
                );
                None
            }
        }
    }

    fn named_place(&mut self, name: &'a ast::Ident) -> Option<(Place, Type)> {
        if let Some(entry) = self.lookup(&name.name) {
            self.resolver.mention(name, Some(entry.span));
            if matches!(entry.kind, VariableKind::Param | VariableKind::Bound) {
                self.report(
                    Diagnostic::error(format!("the parameter `{}` cannot be assigned", name.name))
                        .at(name.span, "")
                        .at(entry.span, "declared here")
                        .help("copy it to a variable first: `var …: … := …;`"),
                );
                return None;
            }
            if entry.kind == VariableKind::Counter {
                self.report(
                    Diagnostic::error(format!(
                        "`{}` is what a `for` counts with, and cannot be assigned",
                        name.name
                    ))
                    .at(name.span, "")
                    .at(entry.span, "it counts here")
                    .help("write a `while` for a loop that goes on otherwise"),
                );
                return None;
            }
            let ty = self.resolver.variable_type(entry.id)?;
            return Some((Place::Var(entry.id), ty));
        }
        let value = self
            .resolver
            .class_info(self.class)
            .values
            .get(name.name.as_str());
        match value {
            Some(&value @ ValueEntity::Field(index)) => {
                self.resolver.mention_value(name, self.class, value);
                let field = FieldRef {
                    class: self.class,
                    index,
                };
                self.assignable(this(self.class, name.span), field, name.span)
            }
            Some(ValueEntity::Constant(_)) => {
                self.constant_assigned(&name.name, name.span);
                None
            }
            None => {
                // Says what is wrong with the name; if nothing is, it is a value of an enum.
                if self.name(name).is_some() {
                    self.report(
                        Diagnostic::error(format!("`{}` cannot be assigned", name.name))
                            .at(name.span, ""),
                    );
                }
                None
            }
        }
    }

    fn field_place(
        &mut self,
        object: &'a ast::ExprSyntax,
        name: &'a ast::Ident,
        span: Span,
    ) -> Option<(Place, Type)> {
        if let Some(TypeEntity::Enum(_) | TypeEntity::Class(_)) = self.type_before_dot(object) {
            self.report(
                Diagnostic::error("this cannot be assigned")
                    .at(span, "it belongs to no object")
                    .help("fields are those of an object: write the name alone, or the object before the dot"),
            );
            return None;
        }
        let object = self.expr(object, None)?;
        match &object.ty {
            Type::Class { class, .. } => {
                let field = self.field_of(*class, name)?;
                self.assignable(object, field, name.span)
            }
            Type::Array { .. } if name.name == "length" => {
                self.report(
                    Diagnostic::error("the length of an array never changes")
                        .at(name.span, "")
                        .help("make a new array, `a := new T[n];`, and copy what is to be kept"),
                );
                None
            }
            other => {
                let ty = self.type_name(other);
                self.report(
                    Diagnostic::error(format!(
                        "a value of type `{ty}` has no field `{}`",
                        name.name
                    ))
                    .at(name.span, "")
                    .at(object.span, format!("this is `{ty}`")),
                );
                None
            }
        }
    }

    fn assignable(&mut self, object: Expr, field: FieldRef, span: Span) -> Option<(Place, Type)> {
        let decl = self.resolver.program.field(field);
        if decl.constant {
            let name = decl.name.clone();
            self.constant_assigned(&name, span);
            return None;
        }
        let info = self
            .resolver
            .class_info(field.class)
            .fields
            .get(field.index)?;
        let ty = info.ty.clone()?;
        Some((Place::Field(object, field), ty))
    }

    fn constant_assigned(&mut self, name: &str, span: Span) {
        self.report(
            Diagnostic::error(format!("the constant `{name}` cannot be assigned"))
                .at(span, "")
                .help("what changes is declared with `var`"),
        );
    }

    /// `a[i]` for an array, or an element of a map that is in a target itself.
    fn element_target(
        &mut self,
        base: &'a ast::ExprSyntax,
        index: &'a ast::ExprSyntax,
        span: Span,
    ) -> Option<AssignedPlace> {
        // The type decides whether the base is a reference, which is read, or a value, which is changed.
        let Some(value) = self.expr(base, None) else {
            self.expr(index, None);
            return None;
        };
        match value.ty.clone() {
            Type::Array { element, .. } => {
                let index = self.value(index, &Type::Int)?;
                Some(AssignedPlace {
                    place: Place::Element(value, index),
                    keys: Vec::new(),
                    ty: *element,
                    span,
                })
            }
            Type::Map(key_type, element) => {
                let key = self.value(index, &key_type);
                let mut target = self.target(base)?;
                if target.keys.len() == MAX_KEYS {
                    self.report(
                        Diagnostic::error("this is a map in too many maps")
                            .at(span, "")
                            .help(format!(
                                "at most {MAX_KEYS} maps are changed at once; use a variable"
                            )),
                    );
                    return None;
                }
                target.keys.push((key?, value.ty));
                target.ty = *element;
                target.span = span;
                Some(target)
            }
            other => {
                self.expr(index, None);
                self.no_elements(&other, value.span);
                None
            }
        }
    }
}
