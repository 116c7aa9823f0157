//! Calls: functions in expressions, routines in statements, constructors.

use super::super::ast::{self, Ident};
use super::super::habits;
use super::super::names::did_you_mean;
use super::expressions::make;
use super::scope::Scope;
use super::{CallableEntity, RoutineInfo, TypeEntity};
use crate::ir::RoutineKind;
use crate::ir::span::Span;
use crate::ir::{ClassId, Expr, ExprKind, FunctionRef, RoutineRef, Type, VarId};
use crate::ir::{Diagnostic, Hint};
use crate::words::counted;

/// A call of an action or procedure.
pub(super) struct RoutineCall {
    pub receiver: Expr,
    pub routine: RoutineRef,
    pub args: Vec<Expr>,
}

/// A parameter, and whether no caller gives it.
#[derive(Clone, Copy)]
pub(super) struct Input {
    pub id: VarId,
    pub hidden: bool,
}

/// Parameters that callers give.
fn inputs(params: &[VarId]) -> Vec<Input> {
    let given = |id: &VarId| Input {
        id: *id,
        hidden: false,
    };
    params.iter().map(given).collect()
}

impl RoutineInfo<'_> {
    /// What it takes.
    fn inputs(&self) -> Vec<Input> {
        let both = self.decl.params.iter().zip(&self.params);
        both.map(|(param, id)| Input {
            id: *id,
            hidden: param.hidden,
        })
        .collect()
    }
}

impl<'a> Scope<'_, 'a> {
    /// A call as a part of an expression: of a function.
    pub(super) fn function_call(
        &mut self,
        receiver: Option<&'a ast::ExprSyntax>,
        name: &'a Ident,
        args: &'a [ast::ExprSyntax],
        span: Span,
    ) -> Option<Expr> {
        let Some((receiver, class)) = self.receiver(receiver, name) else {
            self.poisoned_args(args);
            return None;
        };
        match self.callable(class, name) {
            Some(CallableEntity::Function(index)) => {
                let function = FunctionRef { class, index };
                let info = self.resolver.class_info(class).functions.get(index)?;
                let (params, result) = (info.params.clone(), info.result.clone());
                if let Some(caller) = self.function {
                    self.resolver
                        .function_calls
                        .push((caller, function, name.span));
                }
                let args = self.args(&inputs(&params), args, name);
                let kind = ExprKind::Call {
                    receiver,
                    function,
                    args: args?,
                };
                Some(make(kind, result?.of_value(), span))
            }
            Some(CallableEntity::Routine(index)) => {
                self.poisoned_args(args);
                self.not_a_function(RoutineRef { class, index }, name);
                None
            }
            None => {
                self.poisoned_args(args);
                None
            }
        }
    }

    /// A call as a statement or a whole right-hand side, if it is one of a routine. The outer `None`: it is not.
    pub(super) fn routine_call(&mut self, e: &'a ast::ExprSyntax) -> Option<Option<RoutineCall>> {
        let ast::ExprSyntaxKind::Call {
            receiver,
            name,
            args,
        } = &*e.kind
        else {
            return None;
        };
        let class = match receiver {
            None => self.class,
            Some(_) => return self.foreign_call(receiver.as_ref(), name, args),
        };
        let callables = &self.resolver.class_info(class).callables;
        match callables.get(name.name.as_str()) {
            Some(&CallableEntity::Routine(index)) => {
                let receiver = self.receiver(None, name).map(|(receiver, _)| receiver);
                Some(self.finish_call(receiver, RoutineRef { class, index }, name, args))
            }
            _ => None,
        }
    }

    /// `o.m(args)`; a function of `o` counts as no routine call only after `o` was looked at, so it is made one
    /// by the caller from the expression itself.
    fn foreign_call(
        &mut self,
        receiver: Option<&'a ast::ExprSyntax>,
        name: &'a Ident,
        args: &'a [ast::ExprSyntax],
    ) -> Option<Option<RoutineCall>> {
        let Some((object, class)) = self.receiver(receiver, name) else {
            self.poisoned_args(args);
            return Some(None);
        };
        let callables = &self.resolver.class_info(class).callables;
        match callables.get(name.name.as_str()) {
            Some(CallableEntity::Function(_)) => None,
            Some(&CallableEntity::Routine(index)) => {
                Some(self.finish_call(Some(object), RoutineRef { class, index }, name, args))
            }
            None => {
                self.poisoned_args(args);
                self.callable(class, name);
                Some(None)
            }
        }
    }

    fn finish_call(
        &mut self,
        receiver: Option<Expr>,
        routine: RoutineRef,
        name: &'a Ident,
        args: &'a [ast::ExprSyntax],
    ) -> Option<RoutineCall> {
        let info = self
            .resolver
            .class_info(routine.class)
            .routines
            .get(routine.index)?;
        let (kind, params) = (info.decl.kind, info.inputs());
        let called = CallableEntity::Routine(routine.index);
        self.resolver.mention_callable(name, routine.class, called);
        if kind == RoutineKind::Constructor {
            self.poisoned_args(args);
            let class = &self.resolver.class_info(routine.class).decl.name.name;
            let help = format!("write `new {class}.{}(…)`", name.name);
            self.report(
                Diagnostic::error(format!("`{}` is a constructor", name.name))
                    .at(name.span, "")
                    .help(help),
            );
            return None;
        }
        let args = self.args(&params, args, name);
        Some(RoutineCall {
            receiver: receiver?,
            routine,
            args: args?,
        })
    }

    /// The object of a call and its class.
    fn receiver(
        &mut self,
        receiver: Option<&'a ast::ExprSyntax>,
        name: &Ident,
    ) -> Option<(Expr, ClassId)> {
        let Some(object) = receiver else {
            let known = self
                .resolver
                .class_info(self.class)
                .callables
                .contains_key(name.name.as_str());
            if !known {
                self.callable(self.class, name);
                return None;
            }
            return Some((self.this(name.span)?, self.class));
        };
        if let Some(TypeEntity::Class(class)) = self.type_before_dot(object) {
            let class = &self.resolver.class_info(class).decl.name.name;
            let message = format!(
                "`{}` is called on an object, not on the class `{class}`",
                name.name
            );
            self.report(Diagnostic::error(message).at(object.span, ""));
            return None;
        }
        let object = self.expr(object, None)?;
        if let Type::Class { class, .. } = object.ty {
            return Some((object, class));
        }
        let ty = self.type_name(&object.ty);
        let help = match &object.ty {
            Type::Array { .. } => Some(habits::of_array(&name.name)),
            Type::Map(..) => Some(habits::of_map(&name.name)),
            _ => habits::function(&name.name),
        };
        let help = help.or(Some("only an object has something to call"));
        self.report(
            Diagnostic::error(format!("a value of type `{ty}` has nothing to call"))
                .at(name.span, "")
                .at(object.span, format!("this is `{ty}`"))
                .maybe_help(help),
        );
        None
    }

    /// What can be called by this name; reported if there is nothing.
    fn callable(&mut self, class: ClassId, name: &Ident) -> Option<CallableEntity> {
        let info = self.resolver.class_info(class);
        if let Some(&entity) = info.callables.get(name.name.as_str()) {
            self.resolver.mention_callable(name, class, entity);
            return Some(entity);
        }
        let class_name = &info.decl.name.name;
        if let Some(TypeEntity::Enum(id)) = self.resolver.types.get(name.name.as_str()) {
            let members = self.resolver.program.enums.get(id.0).map(|e| &e.members);
            let first = members.and_then(|members| members.first()).cloned();
            self.report(
                Diagnostic::error(format!("`{}` is an enum", name.name))
                    .at(name.span, "")
                    .maybe_help(first.map(|first| {
                        format!("write one of its values, such as `{}.{first}`", name.name)
                    })),
            );
            return None;
        }
        if let Some(TypeEntity::Class(_)) = self.resolver.types.get(name.name.as_str()) {
            self.report(
                Diagnostic::error(format!("`{}` is a class", name.name))
                    .at(name.span, "")
                    .help(format!("write `new {}(…)` for a new object", name.name)),
            );
            return None;
        }
        let what = format!("function, action or procedure of the class `{class_name}` called");
        let known: Vec<&str> = info
            .callables
            .keys()
            .copied()
            .chain(["assert", "assume", "havoc"])
            .collect();
        let habit = habits::function(&name.name).map(Hint::from);
        self.resolver.unknown_or(&what, name, known, habit);
        None
    }

    /// Looks at the arguments of a call that came to nothing, for what is wrong in them.
    fn poisoned_args(&mut self, args: &'a [ast::ExprSyntax]) {
        for arg in args {
            self.expr(arg, None);
        }
    }

    /// The arguments, with variables of their own for what no caller gives.
    fn args(
        &mut self,
        params: &[Input],
        args: &'a [ast::ExprSyntax],
        name: &Ident,
    ) -> Option<Vec<Expr>> {
        let given = params.iter().filter(|param| !param.hidden).count();
        if given != args.len() {
            self.poisoned_args(args);
            let takes = counted(given, "argument");
            self.report(
                Diagnostic::error(format!("`{}` takes {takes}, not {}", name.name, args.len()))
                    .at(name.span, ""),
            );
            return None;
        }
        let mut args = args.iter();
        let mut values: Vec<Option<Expr>> = Vec::new();
        for param in params {
            let ty = self.resolver.variable_type(param.id);
            if param.hidden {
                values.push(ty.map(|ty| self.answered(param.id, ty, name.span)));
                continue;
            }
            let Some(arg) = args.next() else { continue };
            values.push(match ty {
                Some(ty) => self.value(arg, &ty),
                None => {
                    self.expr(arg, None);
                    None
                }
            });
        }
        values.into_iter().collect()
    }

    /// A new variable for what the outside answers.
    fn answered(&mut self, param: VarId, ty: Type, span: Span) -> Expr {
        let name = self.resolver.program.var(param).name.clone();
        let id = self.resolver.variable(&name, Some(ty.clone()));
        self.answers.push(id);
        make(ExprKind::Var(id), ty.of_value(), span)
    }

    fn not_a_function(&mut self, routine: RoutineRef, name: &Ident) {
        let info = self
            .resolver
            .class_info(routine.class)
            .routines
            .get(routine.index);
        let kind = match info.map(|info| info.decl.kind) {
            Some(RoutineKind::Action) => "an action",
            Some(RoutineKind::Procedure) => "a procedure",
            _ => "a constructor",
        };
        self.report(
            Diagnostic::error(format!("`{}` is {kind}, and cannot be called inside an expression", name.name))
                .at(name.span, "")
                .help("assign its result to a variable first; only a `function` can be part of an expression"),
        );
    }

    /// The constructor that `new C(args)` or `new C.name(args)` means, and its arguments. The inner `None`: the
    /// class has no constructor.
    pub(super) fn construction(
        &mut self,
        class: ClassId,
        class_name: &'a Ident,
        constructor: Option<&'a Ident>,
        args: &'a [ast::ExprSyntax],
    ) -> Option<(Option<RoutineRef>, Vec<Expr>)> {
        let candidates = self.constructors(class, constructor);
        let name = constructor.unwrap_or(class_name);
        if candidates.is_empty() {
            let none = !self.has_constructor(class);
            if none && constructor.is_none() {
                return Some((None, self.args(&[], args, name)?));
            }
            self.poisoned_args(args);
            self.no_constructor(class, class_name, constructor);
            return None;
        }
        let given = |params: &[Input]| params.iter().filter(|param| !param.hidden).count();
        let fitting: Vec<&(RoutineRef, Vec<Input>)> = candidates
            .iter()
            .filter(|(_, params)| given(params) == args.len())
            .collect();
        let (routine, params) = match (&candidates[..], &fitting[..]) {
            ([one], _) => one,
            (_, [one]) => one,
            (_, []) => {
                self.poisoned_args(args);
                self.no_overload(class, name, args.len());
                return None;
            }
            (_, several) => self.overload(class, name, several, args)?,
        };
        let made_by = CallableEntity::Routine(routine.index);
        self.resolver.mention_callable(name, class, made_by);
        let args = self.args(params, args, name)?;
        Some((Some(*routine), args))
    }

    pub(super) fn has_constructor(&self, class: ClassId) -> bool {
        let routines = &self.resolver.class_info(class).routines;
        routines
            .iter()
            .any(|routine| routine.decl.kind == RoutineKind::Constructor)
    }

    /// The constructors of a name, or without one.
    fn constructors(&self, class: ClassId, name: Option<&Ident>) -> Vec<(RoutineRef, Vec<Input>)> {
        let routines = self.resolver.class_info(class).routines.iter().enumerate();
        routines
            .filter(|(_, routine)| {
                routine.decl.kind == RoutineKind::Constructor && routine.decl.name.as_ref() == name
            })
            .map(|(index, routine)| (RoutineRef { class, index }, routine.inputs()))
            .collect()
    }

    /// The one of several constructors whose parameters the arguments fit best.
    fn overload<'c>(
        &mut self,
        class: ClassId,
        name: &Ident,
        candidates: &[&'c (RoutineRef, Vec<Input>)],
        args: &'a [ast::ExprSyntax],
    ) -> Option<&'c (RoutineRef, Vec<Input>)> {
        // Looking at the arguments makes the variables they bind; the final look makes them again.
        let variables = self.resolver.program.vars.len();
        let values: Vec<Option<Expr>> = args.iter().map(|arg| self.expr(arg, None)).collect();
        self.resolver.program.vars.truncate(variables);
        let values: Vec<Expr> = values.into_iter().collect::<Option<_>>()?;
        let types = |candidate: &(RoutineRef, Vec<Input>)| -> Option<Vec<Type>> {
            let given = candidate.1.iter().filter(|param| !param.hidden);
            given
                .map(|param| self.resolver.variable_type(param.id))
                .collect()
        };
        let mut fitting = Vec::new();
        for candidate in candidates {
            let types = types(candidate)?;
            let exact = values
                .iter()
                .zip(&types)
                .all(|(value, ty)| value.ty == ty.of_value());
            if exact {
                return Some(candidate);
            }
            if values
                .iter()
                .zip(&types)
                .all(|(value, ty)| self.may_fit(value, ty))
            {
                fitting.push(*candidate);
            }
        }
        match fitting[..] {
            [one] => Some(one),
            [] => {
                self.no_overload(class, name, args.len());
                None
            }
            _ => {
                let help = self.overloads(class);
                self.report(
                    Diagnostic::error(format!(
                        "it is not clear which constructor of `{}` is meant",
                        name.name
                    ))
                    .at(name.span, "")
                    .help(help),
                );
                None
            }
        }
    }

    /// Whether an argument fits a parameter, where a literal fits every integer type.
    fn may_fit(&self, value: &Expr, ty: &Type) -> bool {
        let literal = matches!(*value.kind, ExprKind::Int(_)) && matches!(ty, Type::Machine(_));
        literal || self.resolver.fits(&value.ty, ty)
    }

    fn no_overload(&mut self, class: ClassId, name: &Ident, given: usize) {
        let help = self.overloads(class);
        let given = counted(given, "argument");
        self.report(
            Diagnostic::error(format!(
                "no constructor of `{}` takes {given} of these types",
                name.name
            ))
            .at(name.span, "")
            .help(help),
        );
    }

    fn overloads(&self, class: ClassId) -> String {
        let class_name = &self.resolver.class_info(class).decl.name.name;
        let signatures: Vec<String> = self
            .constructors(class, None)
            .iter()
            .map(|(_, params)| {
                let types: Vec<String> = params
                    .iter()
                    .filter(|param| !param.hidden)
                    .map(|param| match self.resolver.variable_type(param.id) {
                        Some(ty) => self.type_name(&ty),
                        None => "?".to_owned(),
                    })
                    .collect();
                format!("`{class_name}({})`", types.join(", "))
            })
            .collect();
        format!("there is {}", signatures.join(", "))
    }

    fn no_constructor(&mut self, class: ClassId, class_name: &Ident, constructor: Option<&Ident>) {
        if self.resolver.holes {
            return;
        }
        let info = self.resolver.class_info(class);
        let named: Vec<&str> = info
            .routines
            .iter()
            .filter(|routine| routine.decl.kind == RoutineKind::Constructor)
            .filter_map(|routine| routine.decl.name.as_ref())
            .map(|name| name.name.as_str())
            .collect();
        let diagnostic = match constructor {
            Some(name) => Diagnostic::error(format!(
                "the class `{}` has no constructor called `{}`",
                class_name.name, name.name
            ))
            .at(name.span, "")
            .maybe_help(did_you_mean(&name.name, named)),
            None => Diagnostic::error(format!(
                "every constructor of the class `{}` has a name",
                class_name.name
            ))
            .at(class_name.span, "")
            .maybe_help(
                named
                    .first()
                    .map(|name| format!("write `new {}.{name}(…)`", class_name.name)),
            ),
        };
        self.report(diagnostic);
    }
}
