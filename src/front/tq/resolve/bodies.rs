//! What stands in classes: clauses, functions, routines with their contracts.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::super::ast::{self, ContractClause, FieldPath, Ident, Member};
use super::scope::{Position, Scope, VariableKind};
use super::{CallableEntity, Resolver};
use crate::ir::Diagnostic;
use crate::ir::RoutineKind;
use crate::ir::span::Span;
use crate::ir::{
    ClassId, ExceptionId, Expr, ExprKind, FieldRef, Function, FunctionRef, Routine, RoutineRef,
    StateAssumption, Type, VarId,
};

impl<'a> Resolver<'a> {
    pub(super) fn bodies(&mut self) {
        for index in 0..self.classes.len() {
            let class = ClassId(index);
            self.field_values(class);
            self.functions(class);
        }
        for index in 0..self.classes.len() {
            let class = ClassId(index);
            self.clauses(class);
            for routine in 0..self.class_info(class).routines.len() {
                self.routine_body(class, routine);
            }
            self.check_shown(class);
            self.check_beginning(class);
        }
    }

    fn field_values(&mut self, class: ClassId) {
        for index in 0..self.class_info(class).fields.len() {
            let info = &self.class_info(class).fields[index];
            let (Some(value), Some(ty)) = (info.value, info.ty.clone()) else {
                continue;
            };
            let value = Scope::new(self, class, Position::FieldValue).value(value, &ty);
            self.program.classes[class.0].fields[index].value = value;
        }
    }

    fn functions(&mut self, class: ClassId) {
        for index in 0..self.class_info(class).functions.len() {
            let info = &self.class_info(class).functions[index];
            let (decl, params, result) = (info.decl, info.params.clone(), info.result.clone());
            let mut scope = Scope::new(self, class, Position::Function);
            scope.function = Some(FunctionRef { class, index });
            let names = decl.params.iter().map(|param| &param.name);
            scope.declare_header(names, &params, VariableKind::Param);
            let body = match &result {
                Some(ty) => scope.value(&decl.body, ty),
                None => scope.expr(&decl.body, None),
            };
            self.program.classes[class.0].functions.push(Function {
                name: decl.name.name.clone(),
                params,
                result: result.unwrap_or(Type::Null),
                body: body.unwrap_or_else(|| poison(&decl.body)),
            });
        }
    }

    fn clauses(&mut self, class: ClassId) {
        let decl = self.class_info(class).decl;
        let mut states: HashSet<Vec<usize>> = HashSet::new();
        for member in &decl.members {
            match member {
                Member::Invariant(e) => {
                    let clause = self.class_clause(class, e);
                    self.program.classes[class.0].invariants.extend(clause);
                }
                Member::Fact(e) => {
                    if let Some(clause) = self.class_clause(class, e) {
                        let class = &mut self.program.classes[class.0];
                        class.invariants.insert(class.facts, clause);
                        class.facts += 1;
                    }
                }
                Member::Initially(e) => {
                    let clause = self.class_clause(class, e);
                    self.program.classes[class.0].initially.extend(clause);
                }
                Member::State {
                    enabled,
                    assumes,
                    span,
                } => {
                    let assumes = self.class_clause(class, assumes);
                    let Some(enabled) = self.enabled_set(class, enabled) else {
                        continue;
                    };
                    if !states.insert(enabled.clone()) {
                        let message = "this state has been described before";
                        let help = "join what is assumed with `&&`";
                        self.report(Diagnostic::error(message).at(*span, "").help(help));
                        continue;
                    }
                    let state = assumes.map(|assumes| StateAssumption { enabled, assumes });
                    self.program.classes[class.0].states.extend(state);
                }
                _ => {}
            }
        }
    }

    pub(super) fn class_clause(&mut self, class: ClassId, e: &'a ast::ExprSyntax) -> Option<Expr> {
        Scope::new(self, class, Position::ClassClause).value(e, &Type::Bool)
    }

    /// The actions named in `state { … }`, sorted.
    fn enabled_set(&mut self, class: ClassId, names: &[Ident]) -> Option<Vec<usize>> {
        let mut enabled = BTreeSet::new();
        let mut complete = true;
        for name in names {
            match self.action_named(class, name) {
                Some(index) if enabled.insert(index) => {}
                Some(_) => {
                    let message = format!("`{}` is named twice", name.name);
                    self.report(Diagnostic::error(message).at(name.span, ""));
                }
                None => complete = false,
            }
        }
        complete.then(|| enabled.into_iter().collect())
    }

    fn action_named(&mut self, class: ClassId, name: &Ident) -> Option<usize> {
        let info = self.class_info(class);
        let is_action = |index: usize| {
            let routine = info.routines.get(index);
            routine.is_some_and(|routine| routine.decl.kind == RoutineKind::Action)
        };
        if let Some(&CallableEntity::Routine(index)) = info.callables.get(name.name.as_str())
            && is_action(index)
        {
            self.mention_callable(name, class, CallableEntity::Routine(index));
            return Some(index);
        }
        let known: Vec<&str> = info
            .routines
            .iter()
            .filter(|routine| routine.decl.kind == RoutineKind::Action)
            .filter_map(|routine| routine.decl.name.as_ref())
            .map(|name| name.name.as_str())
            .collect();
        self.unknown("action", name, known);
        None
    }

    /// How a routine is shown.
    fn shown(
        &mut self,
        decl: &ast::RoutineSyntax,
        written: &ast::ShownText,
        shown: &mut Option<String>,
    ) {
        let wrong = match decl.kind {
            RoutineKind::Procedure => Some("only an action or a constructor is shown"),
            _ if shown.is_some() => Some("this is shown in two ways"),
            _ => written.wrong(),
        };
        match wrong {
            Some(message) => self.report(Diagnostic::error(message).at(written.span, "")),
            None => *shown = Some(written.text.clone()),
        }
    }

    /// Actions are told apart by what they are called where they are shown, and so are constructors.
    fn check_shown(&mut self, class: ClassId) {
        let mut seen: HashMap<(RoutineKind, String), (bool, Span)> = HashMap::new();
        let routines = 0..self.program.class(class).routines.len();
        for index in routines {
            let reference = RoutineRef { class, index };
            let routine = self.program.routine(reference);
            let shown = match routine.kind {
                RoutineKind::Procedure => continue,
                RoutineKind::Action => routine.shown().to_owned(),
                RoutineKind::Constructor => self.program.signature(reference),
            };
            let (is_said, span) = (routine.shown.is_some(), routine.span);
            let before = seen.insert((routine.kind, shown.clone()), (is_said, span));
            let Some((was_said, first)) = before else {
                continue;
            };
            // What has the same name has been reported.
            if is_said || was_said {
                self.report(
                    Diagnostic::error(format!("two are shown as `{shown}`"))
                        .at(span, "the second")
                        .at(first, "the first"),
                );
            }
        }
    }

    /// A class begins with a constructor or with an initial condition.
    fn check_beginning(&mut self, class: ClassId) {
        let decl = self.class_info(class).decl;
        let constructor = self
            .class_info(class)
            .routines
            .iter()
            .find(|routine| routine.decl.kind == RoutineKind::Constructor)
            .map(|routine| routine.decl.span);
        let initially = decl.members.iter().find_map(|member| match member {
            Member::Initially(e) => Some(e.span),
            _ => None,
        });
        let actions = self
            .class_info(class)
            .routines
            .iter()
            .any(|routine| routine.decl.kind == RoutineKind::Action);
        match (constructor, initially) {
            (Some(constructor), Some(initially)) => self.report(
                Diagnostic::error("`initially` in a class with a constructor")
                    .at(initially, "")
                    .at(constructor, "the constructor")
                    .help("a class begins with its constructors, or, where it has none, with any object as `initially` says"),
            ),
            (None, None) if actions && !self.holes => self.open_beginning(class),
            _ => {}
        }
    }

    fn routine_body(&mut self, class: ClassId, index: usize) {
        let info = &self.class_info(class).routines[index];
        let (decl, params, results) = (info.decl, info.params.clone(), info.results.clone());
        self.check_modifiers(decl);
        let outcomes = self.outcomes(decl, &results);
        let constructor = decl.kind == RoutineKind::Constructor;
        let (before, after) = if constructor {
            (Position::ConstructorRequires, Position::ConstructorEnsures)
        } else {
            (Position::Requires, Position::Ensures)
        };
        let name = decl.name.as_ref().map_or_else(
            || self.program.class(class).name.clone(),
            |name| name.name.clone(),
        );
        let mut routine = Routine {
            pure: decl.pure,
            control: decl.control,
            params: params.clone(),
            hidden: hidden(decl, &params).collect(),
            results: results.clone(),
            outcomes,
            ..Routine::new(decl.kind, name, decl.span)
        };
        let mut modifies: Option<Vec<FieldRef>> = None;
        for clause in &decl.contract {
            match clause {
                ContractClause::Requires(e) => {
                    let mut scope = self.header_scope(class, decl, &params, &results, before);
                    routine.requires.extend(scope.value(e, &Type::Bool));
                }
                ContractClause::Ensures(e) => {
                    let mut scope = self.header_scope(class, decl, &params, &results, after);
                    routine.ensures.extend(scope.value(e, &Type::Bool));
                }
                ContractClause::Modifies(paths) => {
                    let fields = self.modified(class, paths);
                    modifies.get_or_insert_default().extend(fields);
                }
                ContractClause::Throws(name) => self.throws(name, &mut routine.throws),
                ContractClause::Enabled(split) => {
                    self.split(class, decl, &params, split, &mut routine.split)
                }
                ContractClause::Shown(shown) => self.shown(decl, shown, &mut routine.shown),
            }
        }
        routine.modifies = modifies.map(|mut fields| {
            fields.sort_unstable();
            fields.dedup();
            fields
        });
        if let Some(body) = &decl.body {
            let mut scope = self.header_scope(class, decl, &params, &results, Position::Body);
            scope.results = results;
            routine.body = Some(scope.statements(body));
        } else if routine.modifies.is_none() {
            let frame = if routine.pure {
                Vec::new()
            } else {
                self.mentioned(&routine.ensures)
            };
            routine.modifies = Some(frame);
        }
        self.program.classes[class.0].routines.push(routine);
    }

    fn header_scope<'r>(
        &'r mut self,
        class: ClassId,
        decl: &'a ast::RoutineSyntax,
        params: &[VarId],
        results: &[VarId],
        position: Position,
    ) -> Scope<'r, 'a> {
        let mut scope = Scope::new(self, class, position);
        let names = decl.params.iter().map(|param| &param.name);
        scope.declare_header(names, params, VariableKind::Param);
        let names = decl.returns.iter().map(|param| &param.name);
        scope.declare_header(names, results, VariableKind::Result);
        scope
    }

    /// Words and clauses that a kind of routine does not have.
    fn check_modifiers(&mut self, decl: &ast::RoutineSyntax) {
        let constructor = decl.kind == RoutineKind::Constructor;
        let wrong = if constructor && decl.pure {
            Some("a constructor cannot be `pure`")
        } else if decl.kind != RoutineKind::Action && decl.control.is_some() {
            Some("only an action is `controllable` or `monitored`")
        } else if constructor && !decl.returns.is_empty() {
            Some("a constructor has no results")
        } else if decl.kind != RoutineKind::Action && !decl.outcomes.is_empty() {
            Some("only an action has `outcomes`")
        } else {
            None
        };
        if let Some(message) = wrong {
            self.report(Diagnostic::error(message).at(decl.span, ""));
        }
    }

    fn outcomes(&mut self, decl: &ast::RoutineSyntax, results: &[VarId]) -> Vec<VarId> {
        let mut outcomes = Vec::new();
        for name in &decl.outcomes {
            let position = decl.returns.iter().position(|result| result.name == *name);
            let Some(&id) = position.and_then(|position| results.get(position)) else {
                let known = decl.returns.iter().map(|result| result.name.name.as_str());
                self.unknown("result", name, known);
                continue;
            };
            let declared = position.and_then(|position| decl.returns.get(position));
            self.mention(name, declared.map(|result| result.name.span));
            if outcomes.contains(&id) {
                let message = format!("`{}` is named twice", name.name);
                self.report(Diagnostic::error(message).at(name.span, ""));
                continue;
            }
            match self.variable_type(id) {
                Some(Type::Bool | Type::Enum(_)) => outcomes.push(id),
                Some(other) => {
                    let ty = self.program.type_name(&other);
                    self.report(
                        Diagnostic::error(format!(
                            "an action cannot be split by values of type `{ty}`"
                        ))
                        .at(name.span, "")
                        .help("the results in `outcomes` are `bool` or of an enum"),
                    );
                }
                None => {}
            }
        }
        outcomes
    }

    fn modified(&mut self, class: ClassId, paths: &'a [FieldPath]) -> Vec<FieldRef> {
        let mut fields = Vec::new();
        for path in paths {
            let owner = match &path.class {
                None => Some(class),
                Some(name) => match self.types.get(name.name.as_str()) {
                    Some(&super::TypeEntity::Class(id)) => {
                        self.mention_global(name);
                        Some(id)
                    }
                    _ => {
                        let classes: Vec<&str> = self
                            .classes
                            .iter()
                            .map(|c| c.decl.name.name.as_str())
                            .collect();
                        self.unknown("class", name, classes);
                        None
                    }
                },
            };
            let Some(owner) = owner else { continue };
            let field = Scope::new(self, class, Position::ClassClause).field_of(owner, &path.field);
            let Some(field) = field else { continue };
            if self.program.field(field).constant {
                self.report(
                    Diagnostic::error(format!(
                        "the constant `{}` is never modified",
                        path.field.name
                    ))
                    .at(path.field.span, ""),
                );
            }
            fields.push(field);
        }
        fields
    }

    fn throws(&mut self, name: &Ident, throws: &mut Vec<ExceptionId>) {
        let Some(id) = self.exception(name) else {
            return;
        };
        if throws.contains(&id) {
            let message = format!("`{}` is named twice", name.name);
            self.report(Diagnostic::error(message).at(name.span, ""));
            return;
        }
        throws.push(id);
    }

    pub(super) fn exception(&mut self, name: &Ident) -> Option<ExceptionId> {
        if let Some(&id) = self.exceptions.get(name.name.as_str()) {
            self.mention_global(name);
            return Some(id);
        }
        if self.holes {
            return None;
        }
        let declare = format!(
            "declare it with `exception {};` outside of the class",
            name.name
        );
        let nearest = self.nearest(&name.name, self.exceptions.keys().copied());
        let help = nearest.unwrap_or(declare.into());
        self.report(
            Diagnostic::error(format!("there is no exception `{}`", name.name))
                .at(name.span, "")
                .help(help),
        );
        None
    }

    /// All exceptions that there are.
    pub(super) fn all_exceptions(&self) -> Vec<ExceptionId> {
        (0..self.program.exceptions.len())
            .map(ExceptionId)
            .collect()
    }

    /// The fields that occur outside of `old`, also by way of functions: what a contract without `modifies` can
    /// change.
    fn mentioned(&self, clauses: &[Expr]) -> Vec<FieldRef> {
        let mut fields = BTreeSet::new();
        let mut functions = BTreeSet::new();
        let mut open: Vec<&Expr> = clauses.iter().collect();
        while let Some(e) = open.pop() {
            match &*e.kind {
                ExprKind::Old(_) => continue,
                ExprKind::Field(_, field) if !self.program.field(*field).constant => {
                    fields.insert(*field);
                }
                ExprKind::Call { function, .. } if functions.insert(*function) => {
                    open.push(&self.program.function(*function).body);
                }
                _ => {}
            }
            open.extend(e.children());
        }
        fields.into_iter().collect()
    }
}

/// Stands where the program needs an expression and there is none. The program is not used then.
fn poison(e: &ast::ExprSyntax) -> Expr {
    Expr {
        kind: Arc::new(ExprKind::Null),
        ty: Type::Null,
        span: e.span,
    }
}

/// Those of the parameters of a routine that no caller gives.
pub(super) fn hidden(decl: &ast::RoutineSyntax, params: &[VarId]) -> impl Iterator<Item = VarId> {
    let both = decl.params.iter().zip(params);
    both.filter(|(param, _)| param.hidden).map(|(_, id)| *id)
}
