//! Statements, and where they go: branches, loops, exceptions and their handlers.

use super::{BodyEncoder, Enclosing};
use crate::encode::promises::written;
use crate::encode::routine::exception_name;
use crate::encode::term::BoogieTerm;
use crate::ir::formula;
use crate::ir::{BuiltinException, Catch, Condition, ExceptionId, LabelId, Stmt, StmtKind, Type};

impl BodyEncoder<'_> {
    /// Either goes on, or does what is given and raises the exception.
    pub(crate) fn may_throw(&mut self, exception: ExceptionId, before: impl FnOnce(&mut Self)) {
        let choice = self.temporary("throws", &Type::Bool);
        self.choose_variable(&choice, &Type::Bool);
        self.open(format!("if ({choice}) {{"));
        before(self);
        self.raise(exception);
        self.close("}");
    }

    /// A block of statements. What follows a statement that never continues is dead, and left out.
    pub(crate) fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
            if matches!(
                stmt.kind,
                StmtKind::Return
                    | StmtKind::Throw(_)
                    | StmtKind::ThrowAgain
                    | StmtKind::Break(_)
                    | StmtKind::Continue(_)
            ) {
                break;
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                self.evaluate_operands(place);
                self.evaluate(value);
                self.check_place(place);
                self.note_written(place, written(place, value));
                let value = self.term(value);
                self.set(place, value);
            }
            StmtKind::Havoc(place) | StmtKind::Guess(place) => {
                self.evaluate_operands(place);
                self.check_place(place);
                self.choose(place);
                let is_guess = matches!(stmt.kind, StmtKind::Guess(_));
                if is_guess && !self.storage.guesses {
                    self.line("assume false;");
                }
            }
            StmtKind::Call {
                targets,
                receiver,
                routine,
                args,
            } => self.call(targets, receiver, *routine, args),
            StmtKind::New {
                target,
                class,
                constructor,
                args,
            } => self.new_object(target, *class, *constructor, args),
            StmtKind::NewArray {
                target,
                element,
                length,
                fill,
            } => self.new_array(target, element, length, fill.as_ref()),
            StmtKind::Assume(e) => {
                self.evaluate(e);
                let term = self.term(e);
                self.line(format!("assume {term};"));
            }
            StmtKind::Assert(e) => {
                self.evaluate(e);
                let fails = self.term(&formula::not(e.clone()));
                self.raise_if(fails, BuiltinException::AssertionFailure.id());
            }
            StmtKind::If(condition, then, otherwise) => self.branch(condition, then, otherwise),
            StmtKind::While {
                label,
                condition,
                body,
                ..
            } => self.repeat(*label, condition, body),
            StmtKind::Labelled(label, body) => self.labelled(*label, body),
            StmtKind::Break(label) => self.break_out(*label),
            StmtKind::Continue(label) => self.next_round(*label),
            StmtKind::Return => self.line("return;"),
            StmtKind::Throw(exception) => self.raise(*exception),
            StmtKind::ThrowAgain => self.raise_again(),
            StmtKind::Try { body, catches } => self.attempt(body, catches),
        }
    }

    /// Sets the exception and leaves.
    fn raise(&mut self, exception: ExceptionId) {
        self.throws = true;
        self.line(format!(
            "thrown := {};",
            exception_name(self.program(), exception)
        ));
        self.leave();
    }

    /// Raises what the handler around has caught.
    fn raise_again(&mut self) {
        if let Some(caught) = self.caught.last() {
            let again = format!("thrown := {caught};");
            self.line(again);
            self.leave();
        }
    }

    /// Leaves with the exception that is set.
    pub(super) fn leave(&mut self) {
        match self.handlers.last() {
            Some(label) => {
                let jump = format!("goto {label};");
                self.line(jump);
            }
            None => self.line("return;"),
        }
    }

    pub(super) fn raise_if(&mut self, condition: BoogieTerm, exception: ExceptionId) {
        self.open(format!("if ({condition}) {{"));
        self.raise(exception);
        self.close("}");
    }

    /// The condition of a branch in Boogie; a free choice is made, and recorded, before it.
    fn condition(&mut self, condition: &Condition) -> BoogieTerm {
        match condition {
            Condition::Any => {
                let name = self.temporary("choice", &Type::Bool);
                self.choose_variable(&name, &Type::Bool);
                BoogieTerm::atom(name)
            }
            Condition::Expr(e) => {
                self.evaluate(e);
                self.term(e)
            }
        }
    }

    fn branch(&mut self, condition: &Condition, then: &[Stmt], otherwise: &[Stmt]) {
        let condition = self.condition(condition);
        self.open(format!("if ({condition}) {{"));
        self.block(then);
        if !otherwise.is_empty() {
            self.close("} else {");
            self.out.indent();
            self.block(otherwise);
        }
        self.close("}");
    }

    fn enter(&mut self, label: LabelId, is_loop: bool) {
        let next = if is_loop {
            self.label("continue")
        } else {
            String::new()
        };
        let behind = (String::new(), false);
        self.around.push(Enclosing {
            label,
            is_loop,
            behind,
            next: (next, false),
        });
    }

    fn break_out(&mut self, label: LabelId) {
        let innermost = self.around.iter().rfind(|around| around.is_loop);
        if innermost.is_some_and(|around| around.label == label) {
            return self.line("break;");
        }
        let name = match self.around.iter().rfind(|around| around.label == label) {
            Some(around) if around.behind.1 => around.behind.0.clone(),
            _ => self.label("behind"),
        };
        let jump = format!("goto {name};");
        if let Some(around) = self.around.iter_mut().rfind(|a| a.label == label) {
            around.behind = (name, true);
        }
        self.line(jump);
    }

    fn next_round(&mut self, label: LabelId) {
        if let Some(around) = self.around.iter_mut().rfind(|a| a.label == label) {
            around.next.1 = true;
            let jump = format!("goto {};", around.next.0);
            self.line(jump);
        }
    }

    /// A label that something goes to.
    fn set_label(&mut self, (name, used): (String, bool)) {
        if used {
            self.out.dedent();
            self.line(format!("{name}:"));
            self.out.indent();
        }
    }

    fn labelled(&mut self, label: LabelId, body: &[Stmt]) {
        self.enter(label, false);
        self.block(body);
        if let Some(around) = self.around.pop() {
            self.set_label(around.behind);
        }
    }

    fn repeat(&mut self, label: LabelId, condition: &Condition, body: &[Stmt]) {
        self.enter(label, true);
        let plain = match condition {
            Condition::Any => false,
            Condition::Expr(e) => {
                formula::hazards(self.program(), e).is_empty()
                    && self.exprs().closed_reads(e).is_empty()
                    && self.exprs().shares_in(e).is_empty()
            }
        };
        if plain {
            let condition = self.condition(condition);
            self.open(format!("while ({condition}) {{"));
        } else {
            // The condition raises or chooses something: it is worked out inside the loop.
            self.open("while (true) {");
            let condition = self.condition(condition);
            self.open(format!("if ({}) {{", BoogieTerm::not(condition)));
            self.line("break;");
            self.close("}");
        }
        self.block(body);
        let around = self.around.pop();
        let (next, behind) = around.map(|a| (a.next, a.behind)).unwrap_or_default();
        self.set_label(next);
        self.close("}");
        self.set_label(behind);
        if self.around.iter().any(|around| around.is_loop) {
            // Boogie 2.4 loses the executions that leave a loop by `break` where nothing comes behind the loop in the
            // body of an outer one.
            self.line("assume true;");
        }
    }

    /// `try`: the body with a handler behind it, which a normal end passes with `thrown` still unset.
    fn attempt(&mut self, body: &[Stmt], catches: &[Catch]) {
        self.throws = true;
        let label = self.label("catch");
        self.handlers.push(label.clone());
        self.block(body);
        self.handlers.pop();
        self.out.dedent();
        self.line(format!("{label}:"));
        self.out.indent();
        let mut first = true;
        for catch in catches {
            let test = format!("if ({}) {{", self.is_thrown(&catch.exceptions));
            if first {
                self.open(test);
            } else {
                self.close(&format!("}} else {test}"));
                self.out.indent();
            }
            first = false;
            let keeps = catch.throws_again();
            if keeps {
                let name = self.names.fresh("caught#");
                self.locals.push((name.clone(), "Exception".into()));
                self.line(format!("{name} := thrown;"));
                self.caught.push(name);
            }
            self.line("thrown := Exception.none;");
            self.block(&catch.body);
            if keeps {
                self.caught.pop();
            }
        }
        let rest = "if (thrown != Exception.none) {";
        if first {
            self.open(rest);
        } else {
            self.close(&format!("}} else {rest}"));
            self.out.indent();
        }
        self.leave();
        self.close("}");
    }

    /// That one of these exceptions is on its way. All are `thrown` itself, so that the text stays short.
    fn is_thrown(&self, exceptions: &[ExceptionId]) -> String {
        if exceptions.len() == self.program().exceptions.len() {
            return "thrown != Exception.none".into();
        }
        let names = exceptions.iter();
        let names = names.map(|e| format!("thrown == {}", exception_name(self.program(), *e)));
        names.collect::<Vec<_>>().join(" || ")
    }
}
