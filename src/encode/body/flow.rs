//! Statements, and where they go: branches, loops, exceptions and their handlers.

use super::BodyEncoder;
use crate::encode::routine::exception_name;
use crate::encode::term::Term;
use crate::ir::formula;
use crate::ir::{BuiltinException, Condition, ExceptionId, Stmt, StmtKind, Type};

impl BodyEncoder<'_> {
    /// Either goes on, or does what is given and raises the exception.
    pub fn may_throw(&mut self, exception: ExceptionId, before: impl FnOnce(&mut Self)) {
        let choice = self.temporary("throws", &Type::Bool);
        self.choose_variable(&choice, &Type::Bool);
        self.open(format!("if ({choice}) {{"));
        before(self);
        self.raise(exception);
        self.close("}");
    }

    /// A block of statements. What follows a statement that never continues is dead, and left out.
    pub fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            self.stmt(stmt);
            if matches!(
                stmt.kind,
                StmtKind::Return | StmtKind::Throw(_) | StmtKind::Break | StmtKind::Continue
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
                let value = self.term(value);
                self.assign(place, value);
            }
            StmtKind::Havoc(place) => {
                self.evaluate_operands(place);
                self.check_place(place);
                self.choose(place);
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
            } => self.new_array(target, element, length),
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
                condition, body, ..
            } => self.repeat(condition, body),
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => {
                if let Some((label, used)) = self.loops.last_mut() {
                    *used = true;
                    let jump = format!("goto {label};");
                    self.line(jump);
                }
            }
            StmtKind::Return => self.line("return;"),
            StmtKind::Throw(exception) => self.raise(*exception),
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

    pub(super) fn raise_if(&mut self, condition: Term, exception: ExceptionId) {
        self.open(format!("if ({condition}) {{"));
        self.raise(exception);
        self.close("}");
    }

    /// The condition of a branch in Boogie; a free choice is made, and recorded, before it.
    fn condition(&mut self, condition: &Condition) -> Term {
        match condition {
            Condition::Any => {
                let name = self.temporary("choice", &Type::Bool);
                self.choose_variable(&name, &Type::Bool);
                Term::atom(name)
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

    fn repeat(&mut self, condition: &Condition, body: &[Stmt]) {
        let label = self.label("continue");
        let plain = match condition {
            Condition::Any => false,
            Condition::Expr(e) => {
                formula::hazards(self.program(), e).is_empty()
                    && self.exprs().closed_reads(e).is_empty()
            }
        };
        if plain {
            let condition = self.condition(condition);
            self.open(format!("while ({condition}) {{"));
        } else {
            // The condition raises or chooses something: it is worked out inside the loop.
            self.open("while (true) {");
            let condition = self.condition(condition);
            self.open(format!("if ({}) {{", Term::not(condition)));
            self.line("break;");
            self.close("}");
        }
        self.loops.push((label.clone(), false));
        self.block(body);
        if self.loops.pop().is_some_and(|(_, used)| used) {
            self.out.dedent();
            self.line(format!("{label}:"));
            self.out.indent();
        }
        self.close("}");
        if !self.loops.is_empty() {
            // Boogie 2.4 loses the executions that leave a loop by `break` where nothing comes behind the loop in the
            // body of an outer one.
            self.line("assume true;");
        }
    }

    /// `try`: the body with a handler behind it, which a normal end passes with `thrown` still unset.
    fn attempt(&mut self, body: &[Stmt], catches: &[(ExceptionId, Vec<Stmt>)]) {
        self.throws = true;
        let label = self.label("catch");
        self.handlers.push(label.clone());
        self.block(body);
        self.handlers.pop();
        self.out.dedent();
        self.line(format!("{label}:"));
        self.out.indent();
        let mut first = true;
        for (exception, handler) in catches {
            let test = format!(
                "if (thrown == {}) {{",
                exception_name(self.program(), *exception)
            );
            if first {
                self.open(test);
            } else {
                self.close(&format!("}} else {test}"));
                self.out.indent();
            }
            first = false;
            self.line("thrown := Exception.none;");
            self.block(handler);
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
}
