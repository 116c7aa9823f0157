//! Statements.

use super::super::ast::{Block, Catch, Expr, Ident, Rhs, Stmt, StmtKind};
use super::Printer;

impl Printer {
    /// `{ … }`, without the end of the line.
    pub(super) fn block(&mut self, block: &Block) {
        if block.statements.is_empty() {
            return self.push("{}");
        }
        self.end("{");
        self.indented(|printer| {
            for statement in &block.statements {
                printer.start();
                printer.statement(statement);
                printer.blank_line();
            }
        });
        self.start();
        self.push("}");
    }

    fn statement(&mut self, statement: &Stmt) {
        match &statement.kind {
            StmtKind::Var { name, ty, value } => {
                self.push("var ");
                self.push(&name.name);
                self.push(": ");
                self.ty(ty);
                if let Some(value) = value {
                    self.push(" := ");
                    self.rhs(value);
                }
                self.push(";");
            }
            StmtKind::Assign { targets, value } => {
                self.list(targets);
                self.push(" := ");
                self.rhs(value);
                self.push(";");
            }
            StmtKind::Call(call) => {
                self.whole(call);
                self.push(";");
            }
            StmtKind::If { .. } => self.if_statement(statement),
            StmtKind::While {
                label,
                condition,
                invariants,
                body,
            } => {
                if let Some(label) = label {
                    self.label(label);
                }
                self.while_statement(condition, invariants, body);
            }
            StmtKind::Labelled(label, body) => {
                self.label(label);
                self.block(body);
            }
            StmtKind::Break(label) => self.named("break", label.as_ref()),
            StmtKind::Continue(label) => self.named("continue", label.as_ref()),
            StmtKind::Return(values) if values.is_empty() => self.push("return;"),
            StmtKind::Return(values) => {
                self.push("return ");
                self.list(values);
                self.push(";");
            }
            StmtKind::Havoc(places) => {
                self.push("havoc ");
                self.list(places);
                self.push(";");
            }
            StmtKind::Assume(e) => self.line("assume ", e),
            StmtKind::Assert(e) => self.line("assert ", e),
            StmtKind::Throw(name) => self.named("throw", name.as_ref()),
            StmtKind::Try {
                body,
                catches,
                finally,
            } => self.try_statement(body, catches, finally.as_ref()),
            StmtKind::Block(block) => self.block(block),
        }
    }

    fn label(&mut self, label: &Ident) {
        self.push(&label.name);
        self.push(": ");
    }

    /// A word with a name behind it, or none.
    fn named(&mut self, word: &str, name: Option<&Ident>) {
        self.push(word);
        if let Some(name) = name {
            self.push(" ");
            self.push(&name.name);
        }
        self.push(";");
    }

    fn try_statement(&mut self, body: &Block, catches: &[Catch], finally: Option<&Block>) {
        self.push("try ");
        self.block(body);
        for catch in catches {
            self.push(" catch ");
            for (i, exception) in catch.exceptions.iter().enumerate() {
                self.comma(i);
                self.push(&exception.name);
            }
            if !catch.exceptions.is_empty() {
                self.push(" ");
            }
            self.block(&catch.body);
        }
        if let Some(finally) = finally {
            self.push(" finally ");
            self.block(finally);
        }
    }

    fn line(&mut self, word: &str, e: &Expr) {
        self.push(word);
        self.whole(e);
        self.push(";");
    }

    fn list(&mut self, list: &[Expr]) {
        for (i, e) in list.iter().enumerate() {
            self.comma(i);
            self.whole(e);
        }
    }

    /// `if`, with the `else if`s behind it.
    fn if_statement(&mut self, statement: &Stmt) {
        let mut next = Some(statement);
        while let Some(Stmt {
            kind:
                StmtKind::If {
                    condition,
                    then,
                    otherwise,
                },
            ..
        }) = next.take()
        {
            self.push("if (");
            self.whole(condition);
            self.push(") ");
            self.block(then);
            let Some(block) = otherwise else { return };
            self.push(" else ");
            match &block.statements[..] {
                [only] if matches!(only.kind, StmtKind::If { .. }) => next = Some(only),
                _ => self.block(block),
            }
        }
    }

    fn while_statement(&mut self, condition: &Expr, invariants: &[Expr], body: &Block) {
        self.push("while (");
        self.whole(condition);
        self.push(")");
        if invariants.is_empty() {
            self.push(" ");
        } else {
            self.indented(|printer| {
                for invariant in invariants {
                    printer.blank_line();
                    printer.start();
                    printer.push("invariant ");
                    printer.whole(invariant);
                }
            });
            self.blank_line();
            self.start();
        }
        self.block(body);
    }

    fn rhs(&mut self, rhs: &Rhs) {
        match rhs {
            Rhs::Expr(e) => self.whole(e),
            Rhs::New {
                class,
                constructor,
                args,
            } => {
                self.push("new ");
                self.push(&class.name);
                if let Some(constructor) = constructor {
                    self.push(".");
                    self.push(&constructor.name);
                }
                self.push("(");
                self.list(args);
                self.push(")");
            }
            Rhs::NewArray {
                element,
                length,
                fill,
            } => {
                self.push("new ");
                self.ty(element);
                self.push("[");
                self.whole(length);
                self.push("]");
                if let Some(fill) = fill {
                    self.args(std::slice::from_ref(fill));
                }
            }
        }
    }
}
