//! Statements.

use std::collections::BTreeSet;

use super::Writer;
use super::names::place_of;
use crate::ir::effects::walk;
use crate::ir::{
    ClassId, Condition, Expr, ExprKind, LabelId, Place, Program, Routine, RoutineRef, Stmt,
    StmtKind, VarId, formula,
};

impl Writer<'_> {
    pub(super) fn block(&mut self, class: ClassId, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.statement(class, stmt));
    }

    fn place(&self, class: ClassId, place: &Place) -> String {
        let e = match place {
            Place::Var(id) => return self.program.var(*id).name.clone(),
            Place::Field(object, field) => {
                let ty = self.program.field(*field).ty.of_value();
                formula::expr(ExprKind::Field(object.clone(), *field), ty)
            }
            Place::Element(array, index) => {
                let kind = ExprKind::Element(array.clone(), index.clone());
                formula::expr(kind, crate::ir::Type::Int)
            }
        };
        self.expr(class, &e)
    }

    fn places(&self, class: ClassId, places: &[Place]) -> String {
        let texts = places.iter().map(|place| self.place(class, place));
        let texts: Vec<String> = texts.collect();
        match texts.is_empty() {
            true => String::new(),
            false => format!("{} := ", texts.join(", ")),
        }
    }

    /// The arguments that a caller gives.
    fn args(&self, class: ClassId, routine: Option<RoutineRef>, args: &[Expr]) -> String {
        let routine = routine.map(|routine| self.program.routine(routine));
        let hidden = routine.map(|routine| hidden_of(routine, args));
        let hidden = hidden.unwrap_or_default();
        let given = args.iter().enumerate();
        let given = given.filter(|(index, _)| !hidden.contains(index));
        let texts = given.map(|(_, arg)| self.expr(class, arg));
        texts.collect::<Vec<_>>().join(", ")
    }

    fn condition(&self, class: ClassId, condition: &Condition) -> String {
        match condition {
            Condition::Any => "*".into(),
            Condition::Expr(e) => self.expr(class, e),
        }
    }

    fn label(&self, label: LabelId) -> String {
        match self.labels.contains(&label) {
            true => format!("l{}: ", label.0),
            false => String::new(),
        }
    }

    fn statement(&mut self, class: ClassId, stmt: &Stmt) {
        // What the outside answers is not for the caller to write.
        if matches!(&stmt.kind, StmtKind::Havoc(Place::Var(id)) if self.answers.contains(id)) {
            return;
        }
        self.written
            .insert(self.lines + 1, stmt.span.start as usize);
        let line = match &stmt.kind {
            StmtKind::Assign(place, value) => {
                format!(
                    "{} := {};",
                    self.place(class, place),
                    self.expr(class, value)
                )
            }
            StmtKind::Havoc(place) => format!("havoc {};", self.place(class, place)),
            StmtKind::Guess(place) => format!("havoc? {};", self.place(class, place)),
            StmtKind::Call {
                targets,
                receiver,
                routine,
                args,
            } => {
                let object = match &*receiver.kind {
                    ExprKind::This => String::new(),
                    ExprKind::Var(_) | ExprKind::Field(..) => {
                        format!("{}.", self.expr(class, receiver))
                    }
                    _ => format!("({}).", self.expr(class, receiver)),
                };
                let name = &self.program.routine(*routine).name;
                let args = self.args(class, Some(*routine), args);
                format!("{}{object}{name}({args});", self.places(class, targets))
            }
            StmtKind::New {
                target,
                class: of,
                constructor,
                args,
            } => {
                let made = &self.program.class(*of).name;
                let named = constructor.map(|c| self.program.routine(c).name.clone());
                let named = named
                    .filter(|name| name != made)
                    .map(|name| format!(".{name}"));
                let (place, args) = (
                    self.place(class, target),
                    self.args(class, *constructor, args),
                );
                format!(
                    "{place} := new {made}{}({args});",
                    named.unwrap_or_default()
                )
            }
            StmtKind::NewArray {
                target,
                element,
                length,
                fill,
            } => {
                let (place, length) = (self.place(class, target), self.expr(class, length));
                let element = self.program.type_name(element);
                let fill = fill.as_ref().map(|fill| self.expr(class, fill));
                let fill = fill.map_or(String::new(), |fill| format!("({fill})"));
                format!("{place} := new {element}[{length}]{fill};")
            }
            StmtKind::Assume(e) => format!("assume {};", self.expr(class, e)),
            StmtKind::Assert(e) => format!("assert {};", self.expr(class, e)),
            StmtKind::Break(label) => format!("break l{};", label.0),
            StmtKind::Continue(label) => format!("continue l{};", label.0),
            StmtKind::Return => "return;".into(),
            StmtKind::Throw(exception) => format!("throw {};", self.program.exception(*exception)),
            StmtKind::ThrowAgain => "throw;".into(),
            StmtKind::If(..)
            | StmtKind::While { .. }
            | StmtKind::Labelled(..)
            | StmtKind::Try { .. } => {
                return self.structured(class, stmt);
            }
        };
        // `x := e;` as `var x: T := e;`
        let begun = self.begun.get(&place_of(stmt)).copied();
        if let (Some(id), StmtKind::Guess(_)) = (begun, &stmt.kind) {
            let declaration = self.vars(&[id]);
            self.line(&format!("var {declaration};"));
            return self.line(&line);
        }
        let rest = begun.and_then(|id| line.strip_prefix(self.program.var(id).name.as_str()));
        match (begun, rest) {
            (Some(id), Some(rest)) => self.line(&format!("var {}{rest}", self.vars(&[id]))),
            _ => self.line(&line),
        }
    }

    fn structured(&mut self, class: ClassId, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::If(condition, then, otherwise) => {
                let condition = self.condition(class, condition);
                self.line(&format!("if ({condition}) {{"));
                self.block(class, then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(class, otherwise);
                }
            }
            StmtKind::While {
                label,
                condition,
                body,
                ..
            } => {
                let condition = self.condition(class, condition);
                self.line(&format!("{}while ({condition}) {{", self.label(*label)));
                self.block(class, body);
            }
            StmtKind::Labelled(label, body) => {
                self.line(&format!("{}{{", self.label(*label)));
                self.block(class, body);
            }
            StmtKind::Try { body, catches } => {
                self.line("try {");
                self.block(class, body);
                for catch in catches {
                    let names = catch
                        .exceptions
                        .iter()
                        .map(|e| self.program.exception(*e).to_owned());
                    let names: Vec<String> = names.collect();
                    let all = names.len() == self.program.exceptions.len();
                    let names = if all { String::new() } else { names.join(", ") };
                    self.line(&format!("}} catch {names} {{"));
                    self.block(class, &catch.body);
                }
            }
            _ => return,
        }
        self.line("}");
    }
}

/// The places of the arguments that no caller gives.
fn hidden_of(routine: &Routine, args: &[Expr]) -> Vec<usize> {
    let params = routine.params.iter().zip(args).enumerate();
    let hidden = params.filter(|(_, (param, _))| routine.hidden.contains(param));
    hidden.map(|(index, _)| index).collect()
}

/// The variables of a body that are what the outside answers to its calls.
pub(super) fn answers(program: &Program, body: &[Stmt]) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    for stmt in walk::statements([body]) {
        let (routine, args) = match &stmt.kind {
            StmtKind::Call { routine, args, .. } => (*routine, args),
            StmtKind::New {
                constructor: Some(routine),
                args,
                ..
            } => (*routine, args),
            _ => continue,
        };
        for index in hidden_of(program.routine(routine), args) {
            if let Some(ExprKind::Var(id)) = args.get(index).map(|arg| &*arg.kind) {
                found.insert(*id);
            }
        }
    }
    found
}

pub(super) fn named_labels(body: &[Stmt]) -> BTreeSet<LabelId> {
    let all = walk::statements([body]).into_iter();
    let named = all.filter_map(|stmt| match &stmt.kind {
        StmtKind::Break(label) | StmtKind::Continue(label) => Some(*label),
        _ => None,
    });
    named.collect()
}
