//! The names and signatures in each class.
//!
//! Fields and constants share one name space; functions, actions, procedures and named constructors another. A
//! use says which is meant: calls have parentheses.

use std::collections::HashMap;

use super::super::ast::{self, Ident, Member, ParamSyntax};
use super::super::names::{is_builtin_type, is_conversion};
use super::bodies::hidden;
use super::{
    CallableEntity, ConstantInfo, FieldInfo, FunctionInfo, Resolver, RoutineInfo, ValueEntity,
};
use crate::ir::Diagnostic;
use crate::ir::RoutineKind;
use crate::ir::span::Span;
use crate::ir::{ClassId, Field, Type, VarId};

impl<'a> Resolver<'a> {
    pub(super) fn members(&mut self) {
        for index in 0..self.classes.len() {
            let class = ClassId(index);
            let mut seen = TakenMembers::default();
            let decl = self.class_info(class).decl;
            for member in &decl.members {
                self.member(class, member, &mut seen);
            }
            self.check_constructors(class);
        }
    }

    fn member(&mut self, class: ClassId, member: &'a Member, seen: &mut TakenMembers<'a>) {
        match member {
            Member::Var { name, ty, value } => {
                self.value_name(name, seen);
                self.field(class, name, ty, value.as_ref(), false);
            }
            Member::Const {
                name,
                ty,
                value: None,
            } => {
                self.value_name(name, seen);
                self.field(class, name, ty, None, true);
            }
            Member::Const {
                name,
                ty,
                value: Some(expr),
            } => {
                self.value_name(name, seen);
                let ty = self.ty(ty);
                let info = &mut self.classes[class.0];
                let entity = ValueEntity::Constant(info.constants.len());
                info.values.entry(&name.name).or_insert(entity);
                info.constants.push(ConstantInfo {
                    name,
                    ty,
                    expr,
                    value: None,
                });
            }
            Member::Function(decl) => {
                self.callable_name(class, &decl.name, seen);
                let params = self.params(&decl.params, &mut HashMap::new());
                let result = self.ty(&decl.result);
                let info = &mut self.classes[class.0];
                let entity = CallableEntity::Function(info.functions.len());
                info.callables.entry(&decl.name.name).or_insert(entity);
                info.functions.push(FunctionInfo {
                    decl,
                    params,
                    result,
                });
            }
            Member::Routine(decl) => self.routine(class, decl, seen),
            Member::Invariant(_)
            | Member::Fact(_)
            | Member::Initially(_)
            | Member::State { .. } => {}
        }
    }

    fn value_name(&mut self, name: &'a Ident, seen: &mut TakenMembers<'a>) {
        self.not_a_type(name);
        match seen.values.get(name.name.as_str()) {
            Some(&first) => self.duplicate(name, first, " in this class"),
            None => _ = seen.values.insert(&name.name, name.span),
        }
    }

    fn callable_name(&mut self, class: ClassId, name: &'a Ident, seen: &mut TakenMembers<'a>) {
        if is_conversion(&name.name) {
            self.not_a_type(name);
        }
        if name.name == self.class_info(class).decl.name.name {
            self.report(
                Diagnostic::error(format!("`{}` is the name of the class", name.name))
                    .at(name.span, "")
                    .help("a constructor without a name is written `constructor(…)`"),
            );
        }
        match seen.callables.get(name.name.as_str()) {
            Some(&first) => self.duplicate(name, first, " in this class"),
            None => _ = seen.callables.insert(&name.name, name.span),
        }
    }

    /// Reports a variable or field that is called like a type that is always there.
    pub(super) fn not_a_type(&mut self, name: &Ident) {
        if is_builtin_type(&name.name) && name.name != "array" && name.name != "map" {
            self.report(
                Diagnostic::error(format!("`{}` is the name of a type", name.name))
                    .at(name.span, ""),
            );
        }
    }

    fn field(
        &mut self,
        class: ClassId,
        name: &'a Ident,
        ty: &'a ast::TypeSyntax,
        value: Option<&'a ast::ExprSyntax>,
        constant: bool,
    ) {
        let ty = self.ty(ty);
        let info = &mut self.classes[class.0];
        let entity = ValueEntity::Field(info.fields.len());
        info.values.entry(&name.name).or_insert(entity);
        info.fields.push(FieldInfo {
            ty: ty.clone(),
            value,
        });
        self.program.classes[class.0].fields.push(Field {
            name: name.name.clone(),
            ty: ty.unwrap_or(Type::Null),
            constant,
            value: None,
            span: name.span,
        });
    }

    fn routine(
        &mut self,
        class: ClassId,
        decl: &'a ast::RoutineSyntax,
        seen: &mut TakenMembers<'a>,
    ) {
        let index = self.class_info(class).routines.len();
        match &decl.name {
            Some(name) => {
                self.callable_name(class, name, seen);
                let entity = CallableEntity::Routine(index);
                let callables = &mut self.classes[class.0].callables;
                callables.entry(&name.name).or_insert(entity);
            }
            None if decl.kind != RoutineKind::Constructor => {
                self.report(Diagnostic::error("only a constructor has no name").at(decl.span, ""));
            }
            None => {}
        }
        let mut names = HashMap::new();
        let params = self.params(&decl.params, &mut names);
        let results = self.params(&decl.returns, &mut names);
        self.classes[class.0].routines.push(RoutineInfo {
            decl,
            params,
            results,
        });
    }

    fn params(
        &mut self,
        params: &'a [ParamSyntax],
        names: &mut HashMap<&'a str, Span>,
    ) -> Vec<VarId> {
        let mut ids = Vec::new();
        for param in params {
            self.not_a_type(&param.name);
            match names.get(param.name.name.as_str()) {
                Some(&first) => self.duplicate(&param.name, first, " in this header"),
                None => _ = names.insert(&param.name.name, param.name.span),
            }
            let ty = self.ty(&param.ty);
            ids.push(self.variable(&param.name.name, ty));
        }
        ids
    }

    /// Unnamed constructors differ in the types of their parameters.
    fn check_constructors(&mut self, class: ClassId) {
        let unnamed: Vec<&RoutineInfo> = self
            .class_info(class)
            .routines
            .iter()
            .filter(|routine| {
                routine.decl.kind == RoutineKind::Constructor && routine.decl.name.is_none()
            })
            .collect();
        let mut seen: HashMap<Vec<Type>, Span> = HashMap::new();
        let mut reports = Vec::new();
        for routine in unnamed {
            let hidden: Vec<VarId> = hidden(routine.decl, &routine.params).collect();
            let given = routine.params.iter().filter(|p| !hidden.contains(p));
            let types: Option<Vec<Type>> = given.map(|&p| self.variable_type(p)).collect();
            let Some(types) = types else { continue };
            if let Some(&first) = seen.get(&types) {
                reports.push(
                    Diagnostic::error(
                        "there are two constructors with the same types of parameters",
                    )
                    .at(routine.decl.span, "the second")
                    .at(first, "the first")
                    .help("give one of them a name: `constructor name(…)`"),
                );
            } else {
                seen.insert(types, routine.decl.span);
            }
        }
        for report in reports {
            self.report(report);
        }
    }
}

/// The names taken in a class, and where.
#[derive(Default)]
struct TakenMembers<'a> {
    values: HashMap<&'a str, Span>,
    callables: HashMap<&'a str, Span>,
}
