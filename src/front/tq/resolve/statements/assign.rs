//! Values into places: declarations, assignments, `havoc`, `return e`.

use std::collections::HashSet;

use crate::front::tq::{ast, ast::Ident, ast::Rhs};
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{Block, Expr, ExprKind, Place, Stmt, StmtKind, Type, VarId};
use crate::words::counted;

use super::super::expressions::make;
use super::super::places::AssignedPlace;
use super::super::scope::{Scope, VariableKind};
use super::super::types::same_reference;

impl<'a> Scope<'_, 'a> {
    pub(super) fn local(
        &mut self,
        name: &'a Ident,
        ty: &'a ast::TypeSyntax,
        value: Option<&'a Rhs>,
        span: Span,
        out: &mut Block,
    ) {
        let ty = self.resolver.ty(ty);
        self.resolver.not_a_type(name);
        let id = self.resolver.variable(&name.name, ty.clone());
        let target = ty.map(|ty| AssignedPlace {
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

    pub(super) fn assignment(
        &mut self,
        targets: &'a [ast::ExprSyntax],
        value: &'a Rhs,
        span: Span,
        out: &mut Block,
    ) {
        let resolved: Vec<Option<AssignedPlace>> =
            targets.iter().map(|target| self.target(target)).collect();
        self.check_distinct(&resolved);
        self.assign(resolved, value, span, out);
    }

    /// Several results do not go to the same place.
    fn check_distinct(&mut self, targets: &[Option<AssignedPlace>]) {
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
        targets: Vec<Option<AssignedPlace>>,
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
                if matches!(*e.kind, ast::ExprSyntaxKind::Star) {
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
            Rhs::NewArray {
                element,
                length,
                fill,
            } => {
                let target = self.single(targets, span);
                self.new_array(target, element, (length, fill.as_ref()), span, out);
            }
        }
    }

    /// The target, where there may be only one.
    fn single(
        &mut self,
        mut targets: Vec<Option<AssignedPlace>>,
        span: Span,
    ) -> Option<AssignedPlace> {
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

    fn store(&mut self, target: AssignedPlace, value: Expr, span: Span, out: &mut Block) {
        let value = target.stored(value);
        let kind = StmtKind::Assign(target.place, value);
        out.push(Stmt { kind, span });
    }

    /// Does something that gives a value of type `ty` to a place, so that it ends in the target.
    pub(super) fn through(
        &mut self,
        target: AssignedPlace,
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
    pub(super) fn landing(
        &mut self,
        target: AssignedPlace,
        ty: &Type,
        span: Span,
    ) -> (Place, Option<Stmt>) {
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

    /// The target, if a new value of this type fits it.
    pub(super) fn receives(
        &mut self,
        target: Option<AssignedPlace>,
        ty: &Type,
        span: Span,
    ) -> Option<AssignedPlace> {
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

    fn arbitrary(
        &mut self,
        target: Option<AssignedPlace>,
        star: Span,
        span: Span,
        out: &mut Block,
    ) {
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

    /// `havoc`, certain or not.
    pub(super) fn given_any(
        &mut self,
        targets: &'a [ast::ExprSyntax],
        kind: fn(Place) -> StmtKind,
        span: Span,
        out: &mut Block,
    ) {
        for target in targets {
            if let Some(target) = self.target(target) {
                // Where it is declared right before, it had any value for nothing.
                let is_declared = |stmt: &Stmt| match (&stmt.kind, &target.place) {
                    (StmtKind::Havoc(Place::Var(declared)), Place::Var(id)) => declared == id,
                    _ => false,
                };
                if out.last().is_some_and(is_declared) {
                    out.pop();
                }
                let ty = target.ty.clone();
                self.through(target, &ty, span, out, kind);
            }
        }
    }

    /// `return e, f;` assigns the results: all values are those from before it.
    pub(super) fn assign_results(
        &mut self,
        values: &'a [ast::ExprSyntax],
        span: Span,
        out: &mut Block,
    ) {
        let results = self.results.clone();
        if values.len() != results.len() {
            self.other_results(values, results.len());
            return;
        }
        let values: Vec<Option<Expr>> = (results.iter().zip(values))
            .map(
                |(&result, value)| match self.resolver.variable_type(result) {
                    Some(ty) => self.value(value, &ty),
                    None => {
                        self.expr(value, None);
                        None
                    }
                },
            )
            .collect();
        let Some(mut values) = values.into_iter().collect::<Option<Vec<Expr>>>() else {
            return;
        };
        let assign = |id: VarId, value: Expr| {
            let kind = StmtKind::Assign(Place::Var(id), value);
            Stmt { kind, span }
        };
        if is_read_too_late(&results, &values) {
            for value in &mut values {
                let ty = value.ty.clone();
                let (id, copy) = self.temporary(&ty, value.span);
                out.push(assign(id, std::mem::replace(value, copy)));
            }
        }
        out.extend(
            results
                .into_iter()
                .zip(values)
                .map(|(id, value)| assign(id, value)),
        );
    }

    fn other_results(&mut self, values: &'a [ast::ExprSyntax], results: usize) {
        let given = match values.len() {
            1 => "a value".to_owned(),
            _ => counted(values.len(), "value"),
        };
        let help = match results {
            0 => "write `return;`, or declare what it gives with `returns (name: T)`".to_owned(),
            1 => "write `return` with one value".to_owned(),
            _ => "write `return` with a value for each result, or assign them by name before `return;`"
                .to_owned(),
        };
        let place = values
            .iter()
            .map(|value| value.span)
            .reduce(Span::to)
            .unwrap_or_default();
        let results = counted(results, "result");
        self.report(
            Diagnostic::error(format!(
                "`return` with {given}, in a routine with {results}"
            ))
            .at(place, "")
            .help(help),
        );
        for value in values {
            self.expr(value, None);
        }
    }
}

/// Whether a value reads a result that is assigned before it, when they are assigned one after the other.
fn is_read_too_late(results: &[VarId], values: &[Expr]) -> bool {
    let mut open: Vec<(usize, &Expr)> = values.iter().enumerate().collect();
    while let Some((index, e)) = open.pop() {
        if let ExprKind::Var(id) = &*e.kind
            && results.iter().take(index).any(|result| result == id)
        {
            return true;
        }
        open.extend(e.children().into_iter().map(|child| (index, child)));
    }
    false
}
