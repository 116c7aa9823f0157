//! Statements.

use std::collections::{HashMap, HashSet};

use super::super::ast::{self, Ident, Rhs};
use super::super::diagnostic::Diagnostic;
use super::super::ir::{
    Block, Condition, ExceptionId, Expr, ExprKind, Place, Stmt, StmtKind, Type, VarId,
};
use super::super::span::Span;
use super::TypeEntity;
use super::calls::{RoutineCall, count};
use super::expressions::make;
use super::places::Target;
use super::scope::{Position, Scope, VariableKind};
use super::types::{same_reference, type_span};

impl<'a> Scope<'_, 'a> {
    pub(super) fn statements(&mut self, block: &'a ast::Block) -> Block {
        self.block(|scope| {
            let mut out = Vec::new();
            let mut ended = false;
            for statement in &block.statements {
                if std::mem::replace(&mut ended, false) {
                    scope.report(
                        Diagnostic::warning("this statement is never executed")
                            .at(statement.span, ""),
                    );
                }
                scope.statement(statement, &mut out);
                ended = match statement.kind {
                    ast::StmtKind::Return(_) | ast::StmtKind::Throw(_) => true,
                    ast::StmtKind::Break | ast::StmtKind::Continue => scope.loops > 0,
                    _ => false,
                };
            }
            out
        })
    }

    fn statement(&mut self, statement: &'a ast::Stmt, out: &mut Block) {
        let span = statement.span;
        let kind = match &statement.kind {
            ast::StmtKind::Var { name, ty, value } => {
                return self.local(name, ty, value.as_ref(), span, out);
            }
            ast::StmtKind::Assign { targets, value } => {
                return self.assignment(targets, value, span, out);
            }
            ast::StmtKind::Call(call) => return self.call_statement(call, span, out),
            ast::StmtKind::Return(value) => {
                return self.return_statement(value.as_ref(), span, out);
            }
            ast::StmtKind::Havoc(targets) => return self.havoc(targets, span, out),
            ast::StmtKind::Block(block) => return out.extend(self.statements(block)),
            ast::StmtKind::If {
                condition,
                then,
                otherwise,
            } => self.branch(condition, then, otherwise.as_ref()),
            ast::StmtKind::While {
                condition,
                invariants,
                body,
            } => self.while_loop(condition, invariants, body),
            ast::StmtKind::Break => self.inside_loop("break", StmtKind::Break, span),
            ast::StmtKind::Continue => self.inside_loop("continue", StmtKind::Continue, span),
            ast::StmtKind::Assume(e) => self.value(e, &Type::Bool).map(StmtKind::Assume),
            ast::StmtKind::Assert(e) => self.value(e, &Type::Bool).map(StmtKind::Assert),
            ast::StmtKind::Throw(name) => self.exception(name).map(StmtKind::Throw),
            ast::StmtKind::Try { body, catches } => self.try_statement(body, catches),
        };
        out.extend(kind.map(|kind| Stmt { kind, span }));
    }

    fn local(
        &mut self,
        name: &'a Ident,
        ty: &'a ast::Type,
        value: Option<&'a Rhs>,
        span: Span,
        out: &mut Block,
    ) {
        let ty = self.resolver.ty(ty);
        self.resolver.not_a_type(name);
        let id = self.resolver.variable(&name.name, ty.clone());
        let target = ty.map(|ty| Target {
            place: Place::Var(id),
            keys: Vec::new(),
            ty,
            span: name.span,
        });
        match value {
            Some(value) => self.assign(vec![target], value, span, out),
            None => {
                let kind = StmtKind::Havoc(Place::Var(id));
                out.push(Stmt { kind, span });
            }
        }
        // Only now: the value does not see the variable.
        self.declare(name, id, VariableKind::Local);
    }

    fn assignment(
        &mut self,
        targets: &'a [ast::Expr],
        value: &'a Rhs,
        span: Span,
        out: &mut Block,
    ) {
        let resolved: Vec<Option<Target>> =
            targets.iter().map(|target| self.target(target)).collect();
        self.check_distinct(&resolved);
        self.assign(resolved, value, span, out);
    }

    /// Several results do not go to the same place.
    fn check_distinct(&mut self, targets: &[Option<Target>]) {
        let mut seen = HashSet::new();
        for target in targets.iter().flatten() {
            let own = match &target.place {
                Place::Var(id) => Ok(*id),
                Place::Field(object, field) if matches!(*object.kind, ExprKind::This) => {
                    Err(*field)
                }
                _ => continue,
            };
            if !seen.insert(own) {
                self.report(Diagnostic::error("this is assigned twice").at(target.span, ""));
                return;
            }
        }
    }

    /// Assigns a right-hand side; poisoned targets are looked past.
    fn assign(
        &mut self,
        targets: Vec<Option<Target>>,
        value: &'a Rhs,
        span: Span,
        out: &mut Block,
    ) {
        match value {
            Rhs::Expr(e) => {
                if let Some(call) = self.routine_call(e) {
                    if let Some(call) = call {
                        self.call(call, targets, e.span, span, out);
                    }
                    return;
                }
                let target = self.single(targets, span);
                if matches!(*e.kind, ast::ExprKind::Star) {
                    return self.arbitrary(target, e.span, span, out);
                }
                let Some(target) = target else {
                    self.expr(e, None);
                    return;
                };
                if let Some(value) = self.value(e, &target.ty) {
                    self.store(target, value, span, out);
                }
            }
            Rhs::New {
                class,
                constructor,
                args,
            } => {
                let target = self.single(targets, span);
                self.new_object(target, class, constructor.as_ref(), args, span, out);
            }
            Rhs::NewArray { element, length } => {
                let target = self.single(targets, span);
                self.new_array(target, element, length, span, out);
            }
        }
    }

    /// The target, where there may be only one.
    fn single(&mut self, mut targets: Vec<Option<Target>>, span: Span) -> Option<Target> {
        if targets.len() > 1 {
            self.report(
                Diagnostic::error("several places are assigned, but there is one value")
                    .at(span, "")
                    .help("only the results of a call can go to several places at once"),
            );
            return None;
        }
        targets.pop().flatten()
    }

    fn store(&mut self, target: Target, value: Expr, span: Span, out: &mut Block) {
        let value = target.stored(value);
        let kind = StmtKind::Assign(target.place, value);
        out.push(Stmt { kind, span });
    }

    /// Does something that gives a value of type `ty` to a place, so that it ends in the target.
    fn through(
        &mut self,
        target: Target,
        ty: &Type,
        span: Span,
        out: &mut Block,
        run: impl FnOnce(Place) -> StmtKind,
    ) {
        let (place, after) = self.landing(target, ty, span);
        let kind = run(place);
        out.push(Stmt { kind, span });
        out.extend(after);
    }

    /// The place for a value of type `ty` that is to end in the target, and the statement that brings it there:
    /// a new variable, where the target is an element of a map or of a wider type.
    fn landing(&mut self, target: Target, ty: &Type, span: Span) -> (Place, Option<Stmt>) {
        let same = target.ty.of_value() == ty.of_value() || same_reference(&target.ty, ty);
        if target.keys.is_empty() && same {
            return (target.place, None);
        }
        let (id, value) = self.temporary(ty, target.span);
        let store = self.resolver.coerce(value, &target.ty).map(|value| {
            let value = target.stored(value);
            let kind = StmtKind::Assign(target.place, value);
            Stmt { kind, span }
        });
        (Place::Var(id), store)
    }

    /// A variable that the source does not have. Its name is none that a source can have.
    fn temporary(&mut self, ty: &Type, span: Span) -> (VarId, Expr) {
        let id = self.resolver.variable("result'", Some(ty.clone()));
        (id, make(ExprKind::Var(id), ty.of_value(), span))
    }

    fn arbitrary(&mut self, target: Option<Target>, star: Span, span: Span, out: &mut Block) {
        let Some(target) = target else { return };
        if target.ty != Type::Bool {
            let ty = self.type_name(&target.ty);
            self.report(
                Diagnostic::error(format!("`*` is a boolean, and this is `{ty}`"))
                    .at(star, "")
                    .help("write `havoc x;` for an arbitrary value of another type"),
            );
            return;
        }
        self.through(target, &Type::Bool, span, out, StmtKind::Havoc);
    }

    fn havoc(&mut self, targets: &'a [ast::Expr], span: Span, out: &mut Block) {
        for target in targets {
            if let Some(target) = self.target(target) {
                let ty = target.ty.clone();
                self.through(target, &ty, span, out, StmtKind::Havoc);
            }
        }
    }

    fn call_statement(&mut self, call: &'a ast::Expr, span: Span, out: &mut Block) {
        match self.routine_call(call) {
            Some(Some(resolved)) => {
                let kind = StmtKind::Call {
                    targets: Vec::new(),
                    receiver: resolved.receiver,
                    routine: resolved.routine,
                    args: resolved.args,
                };
                out.push(Stmt { kind, span });
            }
            Some(None) => {}
            None => {
                if self.expr(call, None).is_some() {
                    self.report(
                        Diagnostic::error("the value of this function is not used")
                            .at(call.span, "")
                            .help("a function changes nothing; only its value is of use"),
                    );
                }
            }
        }
    }

    fn call(
        &mut self,
        call: RoutineCall,
        targets: Vec<Option<Target>>,
        called: Span,
        span: Span,
        out: &mut Block,
    ) {
        let info = self
            .resolver
            .class_info(call.routine.class)
            .routines
            .get(call.routine.index);
        let results = info.map(|info| info.results.clone()).unwrap_or_default();
        if results.len() != targets.len() {
            let gives = count(results.len(), "result");
            self.report(
                Diagnostic::error(format!(
                    "this call gives {gives}, and {} assigned",
                    match targets.len() {
                        1 => "1 place is".to_owned(),
                        n => format!("{n} places are"),
                    }
                ))
                .at(called, ""),
            );
            return;
        }
        let mut places = Vec::new();
        let mut after = Vec::new();
        for (target, result) in targets.into_iter().zip(results) {
            let (Some(target), Some(ty)) = (target, self.resolver.variable_type(result)) else {
                return;
            };
            let Some(target) = self.receives(Some(target), &ty.of_value(), called) else {
                return;
            };
            let (place, store) = self.landing(target, &ty, span);
            places.push(place);
            after.extend(store);
        }
        let kind = StmtKind::Call {
            targets: places,
            receiver: call.receiver,
            routine: call.routine,
            args: call.args,
        };
        out.push(Stmt { kind, span });
        out.extend(after);
    }

    fn new_object(
        &mut self,
        target: Option<Target>,
        class_name: &'a Ident,
        constructor: Option<&'a Ident>,
        args: &'a [ast::Expr],
        span: Span,
        out: &mut Block,
    ) {
        let class = match self.resolver.types.get(class_name.name.as_str()) {
            Some(TypeEntity::Class(class)) => *class,
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

    fn new_array(
        &mut self,
        target: Option<Target>,
        element: &'a ast::Type,
        length: &'a ast::Expr,
        span: Span,
        out: &mut Block,
    ) {
        let length = self.value(length, &Type::Int);
        let Some(ty) = self.resolver.ty(element) else {
            return;
        };
        if let Type::Class {
            nullable: false, ..
        }
        | Type::Array {
            nullable: false, ..
        } = ty
        {
            let text = self.type_name(&ty);
            self.report(
                Diagnostic::error(format!(
                    "the elements of a new array cannot be of type `{text}`"
                ))
                .at(type_span(element), "they would have to be objects at once")
                .help(format!(
                    "write `new {text}?[…]`: its elements may be `null`"
                )),
            );
            return;
        }
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
        });
    }

    /// The target, if a new value of this type fits it.
    fn receives(&mut self, target: Option<Target>, ty: &Type, span: Span) -> Option<Target> {
        let target = target?;
        if self.resolver.fits(ty, &target.ty) {
            return Some(target);
        }
        let (given, wanted) = (self.type_name(ty), self.type_name(&target.ty));
        self.report(
            Diagnostic::error(format!(
                "a value of type `{given}` for a place of type `{wanted}`"
            ))
            .at(target.span, format!("this is `{wanted}`"))
            .at(span, format!("this gives `{given}`")),
        );
        None
    }

    /// A condition, where `*` is either.
    fn condition(&mut self, e: &'a ast::Expr) -> Option<Condition> {
        if matches!(*e.kind, ast::ExprKind::Star) {
            return Some(Condition::Any);
        }
        self.value(e, &Type::Bool).map(Condition::Expr)
    }

    fn branch(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Block,
        otherwise: Option<&'a ast::Block>,
    ) -> Option<StmtKind> {
        let condition = self.condition(condition);
        let then = self.statements(then);
        let otherwise = otherwise
            .map(|block| self.statements(block))
            .unwrap_or_default();
        Some(StmtKind::If(condition?, then, otherwise))
    }

    fn while_loop(
        &mut self,
        condition: &'a ast::Expr,
        invariants: &'a [ast::Expr],
        body: &'a ast::Block,
    ) -> Option<StmtKind> {
        let condition = self.condition(condition);
        let before = std::mem::replace(&mut self.position, Position::LoopInvariant);
        let invariants: Vec<Option<Expr>> = invariants
            .iter()
            .map(|e| self.value(e, &Type::Bool))
            .collect();
        self.position = before;
        self.loops += 1;
        let body = self.statements(body);
        self.loops -= 1;
        Some(StmtKind::While {
            condition: condition?,
            invariants: invariants.into_iter().flatten().collect(),
            body,
        })
    }

    fn inside_loop(&mut self, word: &str, kind: StmtKind, span: Span) -> Option<StmtKind> {
        if self.loops == 0 {
            self.report(Diagnostic::error(format!("`{word}` outside of a loop")).at(span, ""));
            return None;
        }
        Some(kind)
    }

    fn return_statement(&mut self, value: Option<&'a ast::Expr>, span: Span, out: &mut Block) {
        if let Some(value) = value {
            self.assign_result(value, span, out);
        }
        let kind = StmtKind::Return;
        out.push(Stmt { kind, span });
    }

    /// `return e;` assigns the one result.
    fn assign_result(&mut self, value: &'a ast::Expr, span: Span, out: &mut Block) {
        let [result] = self.results[..] else {
            let results = count(self.results.len(), "result");
            let help = match self.results.len() {
                0 => "write `return;`, or declare a result with `returns (name: T)`",
                _ => "assign the results by their names, then write `return;`",
            };
            self.report(
                Diagnostic::error(format!(
                    "`return` with a value, in a routine with {results}"
                ))
                .at(value.span, "")
                .help(help),
            );
            self.expr(value, None);
            return;
        };
        let Some(ty) = self.resolver.variable_type(result) else {
            self.expr(value, None);
            return;
        };
        if let Some(value) = self.value(value, &ty) {
            let kind = StmtKind::Assign(Place::Var(result), value);
            out.push(Stmt { kind, span });
        }
    }

    fn exception(&mut self, name: &Ident) -> Option<ExceptionId> {
        self.resolver.exception(name)
    }

    fn try_statement(
        &mut self,
        body: &'a ast::Block,
        catches: &'a [ast::Catch],
    ) -> Option<StmtKind> {
        let body = self.statements(body);
        let mut seen: HashMap<ExceptionId, Span> = HashMap::new();
        let mut handlers = Vec::new();
        for catch in catches {
            let exception = self.exception(&catch.exception);
            let handler = self.statements(&catch.body);
            let Some(exception) = exception else { continue };
            if let Some(&first) = seen.get(&exception) {
                self.report(
                    Diagnostic::error(format!("`{}` is caught twice", catch.exception.name))
                        .at(catch.exception.span, "this is never reached")
                        .at(first, "caught here first"),
                );
                continue;
            }
            seen.insert(exception, catch.exception.span);
            handlers.push((exception, handler));
        }
        Some(StmtKind::Try {
            body,
            catches: handlers,
        })
    }
}
