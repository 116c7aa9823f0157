//! Expressions: names, fields, elements, quantifiers. Operators are in [`super::operators`], calls in
//! [`super::calls`].

use std::sync::Arc;

use num_bigint::BigInt;

use super::super::ast::{self, Ident, ParamSyntax};
use super::super::habits;
use super::scope::{Position, Scope, VariableKind};
use super::types::is_integer;
use super::{NamedValue, TypeEntity, ValueEntity};
use crate::ir::Quantifier;
use crate::ir::span::Span;
use crate::ir::{ClassId, EnumId, Expr, ExprKind, FieldRef, MachineInt, OpaqueId, Type};
use crate::ir::{Diagnostic, Hint};

pub(super) fn make(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr {
        kind: Arc::new(kind),
        ty,
        span,
    }
}

/// `this`, as a part of a name at `span`.
pub(super) fn this(class: ClassId, span: Span) -> Expr {
    let nullable = false;
    make(ExprKind::This, Type::Class { class, nullable }, span)
}

impl<'a> Scope<'_, 'a> {
    /// The expression; `expected` is the type wanted, which literals adapt to. It is not checked.
    pub(super) fn expr(&mut self, e: &'a ast::ExprSyntax, expected: Option<&Type>) -> Option<Expr> {
        let span = e.span;
        match &*e.kind {
            ast::ExprSyntaxKind::Int(value) => self.literal(value.clone(), expected, span),
            ast::ExprSyntaxKind::Bool(value) => {
                Some(make(ExprKind::Bool(*value), Type::Bool, span))
            }
            ast::ExprSyntaxKind::Null => Some(make(ExprKind::Null, Type::Null, span)),
            ast::ExprSyntaxKind::This => self.this(span),
            ast::ExprSyntaxKind::Star => self.star(span),
            ast::ExprSyntaxKind::Name(name) => self.name(name),
            ast::ExprSyntaxKind::Dot(object, name) => self.dot(object, name, span),
            ast::ExprSyntaxKind::Index(base, index) => self.index(base, index, span),
            ast::ExprSyntaxKind::Update(map, key, value) => self.update(map, key, value, span),
            ast::ExprSyntaxKind::Everywhere {
                key,
                value,
                everywhere,
            } => self.everywhere((key, value), everywhere, span),
            ast::ExprSyntaxKind::Call {
                receiver,
                name,
                args,
            } => self.function_call(receiver.as_ref(), name, args, span),
            ast::ExprSyntaxKind::Convert(name, inner) => self.convert(name, inner, span),
            ast::ExprSyntaxKind::Neg(inner) => self.negation(inner, expected, span),
            ast::ExprSyntaxKind::Not(inner) => {
                let inner = self.value(inner, &Type::Bool)?;
                Some(make(ExprKind::Not(inner), Type::Bool, span))
            }
            ast::ExprSyntaxKind::Binary(op, left, right) => {
                self.binary(*op, left, right, expected, span)
            }
            ast::ExprSyntaxKind::Compare(first, rest) => self.comparison(first, rest, span),
            ast::ExprSyntaxKind::If(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, expected, span)
            }
            ast::ExprSyntaxKind::Quantified(quantifier, params, body) => {
                self.quantified(*quantifier, params, body, span)
            }
            ast::ExprSyntaxKind::Old(inner) => self.old(inner, expected, span),
        }
    }

    /// The expression as a value of a declared type.
    pub(super) fn value(&mut self, e: &'a ast::ExprSyntax, ty: &Type) -> Option<Expr> {
        let expr = self.expr(e, Some(&ty.of_value()))?;
        self.resolver.coerce(expr, ty)
    }

    /// An integer literal, in the machine type that is expected or else as an `int`.
    pub(super) fn literal(
        &mut self,
        value: BigInt,
        expected: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        let Some(Type::Machine(machine)) = expected else {
            return Some(make(ExprKind::Int(value), Type::Int, span));
        };
        let (min, max) = (MachineInt::min(*machine), MachineInt::max(*machine));
        if value < min || value > max {
            let name = machine.name();
            self.report(
                Diagnostic::error(format!("this number does not fit into `{name}`"))
                    .at(span, "")
                    .help(format!("`{name}` holds {min} to {max}")),
            );
            return None;
        }
        Some(make(ExprKind::Int(value), Type::Machine(*machine), span))
    }

    fn star(&mut self, span: Span) -> Option<Expr> {
        self.report(
            Diagnostic::error("`*` cannot be part of an expression")
                .at(span, "")
                .help(
                    "`*` is a whole condition of `if` or `while`, or the whole right side of `:=`",
                ),
        );
        None
    }

    pub(super) fn this(&mut self, span: Span) -> Option<Expr> {
        match self.no_this() {
            None => Some(this(self.class, span)),
            Some(place) => {
                self.report(
                    Diagnostic::error(format!("`this` is not known in {place}")).at(span, ""),
                );
                None
            }
        }
    }

    pub(super) fn name(&mut self, name: &'a Ident) -> Option<Expr> {
        if let Some(entry) = self.lookup(&name.name) {
            self.resolver.mention(name, Some(entry.span));
            if entry.kind == VariableKind::Result {
                self.check_result(name)?;
            }
            let ty = self.resolver.variable_type(entry.id)?;
            return Some(make(ExprKind::Var(entry.id), ty.of_value(), name.span));
        }
        let value = self
            .resolver
            .class_info(self.class)
            .values
            .get(name.name.as_str());
        if let Some(&value) = value {
            return self.own_value(value, name);
        }
        self.named_value(name)
    }

    /// Results have a value only in the body and behind it.
    fn check_result(&mut self, name: &Ident) -> Option<()> {
        let known = matches!(
            self.position,
            Position::Ensures
                | Position::ConstructorEnsures
                | Position::Body
                | Position::LoopInvariant
        );
        if known && !self.inside_old {
            return Some(());
        }
        let place = if self.inside_old {
            "`old(…)`"
        } else {
            "`requires`"
        };
        self.report(
            Diagnostic::error(format!(
                "the result `{}` has no value in {place}",
                name.name
            ))
            .at(name.span, ""),
        );
        None
    }

    /// A field or constant of this class.
    fn own_value(&mut self, value: ValueEntity, name: &'a Ident) -> Option<Expr> {
        self.resolver.mention_value(name, self.class, value);
        match value {
            ValueEntity::Constant(index) => self.constant(self.class, index, name.span),
            ValueEntity::Field(index) => {
                if let Some(place) = self.no_this() {
                    self.report(
                        Diagnostic::error(format!(
                            "the field `{}` is not known in {place}",
                            name.name
                        ))
                        .at(name.span, ""),
                    );
                    return None;
                }
                let field = FieldRef {
                    class: self.class,
                    index,
                };
                self.field(this(self.class, name.span), field, name.span)
            }
        }
    }

    fn constant(&mut self, class: ClassId, index: usize, span: Span) -> Option<Expr> {
        let constant = self.resolver.class_info(class).constants.get(index)?;
        let mut value = constant.value.clone()?;
        value.span = span;
        Some(value)
    }

    pub(super) fn field(&mut self, object: Expr, field: FieldRef, span: Span) -> Option<Expr> {
        let info = self
            .resolver
            .class_info(field.class)
            .fields
            .get(field.index)?;
        let ty = info.ty.as_ref()?.of_value();
        Some(make(ExprKind::Field(object, field), ty, span))
    }

    /// A name that is no variable, field or constant: a value of an enum or an opaque type, if just one has it.
    fn named_value(&mut self, name: &'a Ident) -> Option<Expr> {
        let found = self.resolver.named_values.get(name.name.as_str());
        let found = found.cloned().unwrap_or_default();
        match found[..] {
            [value] => {
                self.resolver.mention_named_value(name, value);
                Some(value.expr(name.span))
            }
            [] => {
                self.unknown_name(name);
                None
            }
            [first, ..] => {
                let first = self.type_name(&first.ty());
                let is_enum = |value: &NamedValue| matches!(value, NamedValue::Member(..));
                let what = if found.iter().all(is_enum) {
                    "enum"
                } else {
                    "type"
                };
                let help = format!("write `{first}.{}`, or another {what}'s name", name.name);
                self.report(
                    Diagnostic::error(format!("several {what}s have a value `{}`", name.name))
                        .at(name.span, "")
                        .help(help),
                );
                None
            }
        }
    }

    fn unknown_name(&mut self, name: &'a Ident) {
        let info = self.resolver.class_info(self.class);
        if info.callables.contains_key(name.name.as_str()) {
            self.report(
                Diagnostic::error(format!("`{}` is not a value", name.name))
                    .at(name.span, "")
                    .help(format!("call it with `{}(…)`", name.name)),
            );
            return;
        }
        if self.resolver.types.contains_key(name.name.as_str()) {
            self.report(
                Diagnostic::error(format!("`{}` is a type, not a value", name.name))
                    .at(name.span, ""),
            );
            return;
        }
        let values = info.values.keys().copied();
        let members = self.resolver.named_values.keys().copied();
        let candidates: Vec<&str> = self.variable_names().chain(values).chain(members).collect();
        let habit = self
            .result_meant(&name.name)
            .or_else(|| habits::literal(&name.name).map(Hint::write))
            .or_else(|| habits::value(&name.name).map(Hint::from));
        self.resolver
            .unknown_or("variable, field or constant", name, candidates, habit);
    }

    /// What is said of `result`, which is what many languages call what they give.
    fn result_meant(&self, name: &str) -> Option<Hint> {
        if !matches!(name, "result" | "res" | "ret" | "retval" | "output") {
            return None;
        }
        match &self.result_names()[..] {
            [] => Some(Hint::from(format!(
                "a result has a name: write `returns ({name}: T)` in the header"
            ))),
            [result] => {
                let help = format!("the result is called `{result}`");
                Some(Hint::instead(help, *result))
            }
            _ => Some(Hint::from("the results have names of their own")),
        }
    }

    /// The type that a name before a dot stands for, where it is not a variable or field.
    pub(super) fn type_before_dot(&self, object: &ast::ExprSyntax) -> Option<TypeEntity> {
        let ast::ExprSyntaxKind::Name(name) = &*object.kind else {
            return None;
        };
        let values = &self.resolver.class_info(self.class).values;
        if self.lookup(&name.name).is_some() || values.contains_key(name.name.as_str()) {
            return None;
        }
        self.resolver.types.get(name.name.as_str()).copied()
    }

    fn dot(&mut self, object: &'a ast::ExprSyntax, name: &'a Ident, span: Span) -> Option<Expr> {
        let before_dot = self.type_before_dot(object);
        if let (Some(_), ast::ExprSyntaxKind::Name(named)) = (before_dot, &*object.kind) {
            self.resolver.mention_global(named);
        }
        match before_dot {
            Some(TypeEntity::Enum(id)) => return self.member_of(id, name, span),
            Some(TypeEntity::Class(id)) => return self.constant_of(id, name, span),
            Some(TypeEntity::Opaque(id)) => return self.value_of(id, name, span),
            None => {}
        }
        let object = self.expr(object, None)?;
        match &object.ty {
            Type::Array { .. } if name.name == "length" => {
                Some(make(ExprKind::Length(object), Type::Int, span))
            }
            Type::Array { .. } => {
                self.report(
                    Diagnostic::error(format!("an array has no `{}`", name.name))
                        .at(name.span, "")
                        .help(habits::of_array(&name.name)),
                );
                None
            }
            Type::Class { class, .. } => {
                let field = self.field_of(*class, name)?;
                self.field(object, field, span)
            }
            other => {
                let ty = self.type_name(other);
                let is_map = matches!(other, Type::Map(..));
                let help = is_map.then(|| habits::of_map(&name.name).to_owned());
                self.report(
                    Diagnostic::error(format!("a value of type `{ty}` has no fields"))
                        .at(name.span, "")
                        .at(object.span, format!("this is `{ty}`"))
                        .maybe_help(help),
                );
                None
            }
        }
    }

    fn member_of(&mut self, id: EnumId, name: &Ident, span: Span) -> Option<Expr> {
        let decl = &self.resolver.program.enums[id.0];
        if let Some(index) = decl.members.iter().position(|member| *member == name.name) {
            let member = NamedValue::Member(id, index);
            self.resolver.mention_named_value(name, member);
            return Some(member.expr(span));
        }
        let what = format!("value of the enum `{}` called", decl.name);
        let members = decl.members.clone();
        self.resolver
            .unknown(&what, name, members.iter().map(String::as_str));
        None
    }

    /// `Address.ZERO`
    fn value_of(&mut self, id: OpaqueId, name: &Ident, span: Span) -> Option<Expr> {
        let declared = &self.resolver.program.opaques[id.0];
        if let Some(index) = declared.values.iter().position(|value| *value == name.name) {
            let value = NamedValue::Opaque(id, index);
            self.resolver.mention_named_value(name, value);
            return Some(value.expr(span));
        }
        let what = format!("value of the type `{}` called", declared.name);
        let values = declared.values.clone();
        self.resolver
            .unknown(&what, name, values.iter().map(String::as_str));
        None
    }

    /// `C.MAX`
    fn constant_of(&mut self, class: ClassId, name: &Ident, span: Span) -> Option<Expr> {
        let info = self.resolver.class_info(class);
        let class_name = &info.decl.name.name;
        match info.values.get(name.name.as_str()) {
            Some(&constant @ ValueEntity::Constant(index)) => {
                self.resolver.mention_value(name, class, constant);
                self.constant(class, index, span)
            }
            Some(ValueEntity::Field(_)) => {
                let message = format!(
                    "the field `{}` belongs to an object, not to the class `{class_name}`",
                    name.name
                );
                self.report(
                    Diagnostic::error(message)
                        .at(span, "")
                        .help("write the object before the dot"),
                );
                None
            }
            None => {
                let what = format!("constant of the class `{class_name}` called");
                let known: Vec<&str> = info
                    .constants
                    .iter()
                    .map(|c| c.name.name.as_str())
                    .collect();
                self.resolver.unknown(&what, name, known);
                None
            }
        }
    }

    /// The field of this name.
    pub(super) fn field_of(&mut self, class: ClassId, name: &Ident) -> Option<FieldRef> {
        let info = self.resolver.class_info(class);
        let class_name = &info.decl.name.name;
        match info.values.get(name.name.as_str()) {
            Some(&field @ ValueEntity::Field(index)) => {
                self.resolver.mention_value(name, class, field);
                Some(FieldRef { class, index })
            }
            Some(ValueEntity::Constant(_)) => {
                let help = format!("write `{class_name}.{}`", name.name);
                self.report(
                    Diagnostic::error(format!(
                        "`{}` is a constant of the class, not a field",
                        name.name
                    ))
                    .at(name.span, "")
                    .help(help),
                );
                None
            }
            None => {
                let what = format!("field of the class `{class_name}` called");
                let known: Vec<&str> = info.values.keys().copied().collect();
                self.resolver.unknown(&what, name, known);
                None
            }
        }
    }

    fn index(
        &mut self,
        base: &'a ast::ExprSyntax,
        index: &'a ast::ExprSyntax,
        span: Span,
    ) -> Option<Expr> {
        let Some(base) = self.expr(base, None) else {
            self.expr(index, None);
            return None;
        };
        match base.ty.clone() {
            Type::Array { element, .. } => {
                let index = self.value(index, &Type::Int)?;
                Some(make(
                    ExprKind::Element(base, index),
                    element.of_value(),
                    span,
                ))
            }
            Type::Map(key, value) => {
                let key = self.value(index, &key)?;
                Some(make(ExprKind::Select(base, key), value.of_value(), span))
            }
            other => {
                self.expr(index, None);
                self.no_elements(&other, base.span);
                None
            }
        }
    }

    pub(super) fn no_elements(&mut self, ty: &Type, span: Span) {
        let ty = self.type_name(ty);
        self.report(
            Diagnostic::error(format!("a value of type `{ty}` has no elements"))
                .at(span, format!("this is `{ty}`"))
                .help("only arrays and maps have elements"),
        );
    }

    fn update(
        &mut self,
        map: &'a ast::ExprSyntax,
        key: &'a ast::ExprSyntax,
        value: &'a ast::ExprSyntax,
        span: Span,
    ) -> Option<Expr> {
        let map = self.expr(map, None)?;
        let Type::Map(key_type, value_type) = map.ty.clone() else {
            let ty = self.type_name(&map.ty);
            self.report(
                Diagnostic::error(format!("`[… := …]` needs a map, and this is `{ty}`"))
                    .at(map.span, ""),
            );
            return None;
        };
        let key = self.value(key, &key_type);
        let value = self.value(value, &value_type);
        let ty = map.ty.clone();
        Some(make(ExprKind::Store(map, key?, value?), ty, span))
    }

    fn everywhere(
        &mut self,
        (key, value): (&'a ast::TypeSyntax, &'a ast::TypeSyntax),
        everywhere: &'a ast::ExprSyntax,
        span: Span,
    ) -> Option<Expr> {
        let (key, value) = (self.resolver.ty(key), self.resolver.ty(value));
        let (Some(key), Some(value)) = (key, value) else {
            self.expr(everywhere, None);
            return None;
        };
        let everywhere = self.value(everywhere, &value)?;
        let ty = Type::Map(Box::new(key), Box::new(value));
        Some(make(ExprKind::Everywhere(everywhere), ty, span))
    }

    fn convert(&mut self, name: &Ident, inner: &'a ast::ExprSyntax, span: Span) -> Option<Expr> {
        let inner = self.expr(inner, None)?;
        if !is_integer(&inner.ty) {
            let ty = self.type_name(&inner.ty);
            self.report(
                Diagnostic::error(format!(
                    "`{}(…)` converts integers, and this is `{ty}`",
                    name.name
                ))
                .at(inner.span, ""),
            );
            return None;
        }
        // The parser makes conversions of integer types only; JSON is checked by way of the parser.
        let ty = MachineInt::named(&name.name).map_or(Type::Int, Type::Machine);
        Some(make(ExprKind::Convert(inner), ty, span))
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        params: &'a [ParamSyntax],
        body: &'a ast::ExprSyntax,
        span: Span,
    ) -> Option<Expr> {
        self.block(|scope| {
            let mut ids = Vec::new();
            for param in params {
                let ty = scope.resolver.ty(&param.ty);
                scope.resolver.not_a_type(&param.name);
                let id = scope.resolver.variable(&param.name.name, ty);
                scope.declare(&param.name, id, VariableKind::Bound);
                ids.push(id);
            }
            let body = scope.value(body, &Type::Bool)?;
            Some(make(
                ExprKind::Quantified(quantifier, ids, body),
                Type::Bool,
                span,
            ))
        })
    }

    fn old(
        &mut self,
        inner: &'a ast::ExprSyntax,
        expected: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        let allowed = matches!(
            self.position,
            Position::Ensures | Position::ConstructorEnsures
        );
        if !allowed || self.inside_old {
            let message = if allowed {
                "`old` inside `old`"
            } else {
                "`old` outside of `ensures`"
            };
            self.report(Diagnostic::error(message).at(span, "").help(
                "`old(e)` is the value of `e` when the routine started, and stands in `ensures`",
            ));
            return None;
        }
        self.inside_old = true;
        let inner = self.expr(inner, expected);
        self.inside_old = false;
        let inner = inner?;
        let ty = inner.ty.clone();
        Some(make(ExprKind::Old(inner), ty, span))
    }
}
