//! Statements.

use super::super::ast::{
    BlockSyntax, CaseSyntax, CatchSyntax, ExprSyntax, Ident, Rhs, StmtSyntax, StmtSyntaxKind,
};
use super::Printer;

impl Printer {
    /// `{ … }`, without the end of the line.
    pub(super) fn block(&mut self, block: &BlockSyntax) {
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

    fn statement(&mut self, statement: &StmtSyntax) {
        match &statement.kind {
            StmtSyntaxKind::Var { name, ty, value } => {
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
            StmtSyntaxKind::Assign { targets, value } => {
                self.list(targets);
                self.push(" := ");
                self.rhs(value);
                self.push(";");
            }
            StmtSyntaxKind::Call(call) => {
                self.whole(call);
                self.push(";");
            }
            StmtSyntaxKind::If { .. } => self.if_statement(statement),
            StmtSyntaxKind::Switch {
                subject,
                cases,
                default,
            } => self.switch_statement(subject, cases, default.as_ref()),
            StmtSyntaxKind::While {
                label,
                condition,
                invariants,
                body,
            } => {
                if let Some(label) = label {
                    self.label(label);
                }
                self.push("while (");
                self.whole(condition);
                self.push(")");
                self.rounds(invariants, body);
            }
            StmtSyntaxKind::For(counted) => {
                if let Some(label) = &counted.label {
                    self.label(label);
                }
                self.push("for ");
                self.push(&counted.name.name);
                if let Some(ty) = &counted.ty {
                    self.push(": ");
                    self.ty(ty);
                }
                self.push(" := ");
                self.whole(&counted.from);
                self.push(if counted.down { " downto " } else { " to " });
                self.whole(&counted.to);
                self.rounds(&counted.invariants, &counted.body);
            }
            StmtSyntaxKind::Labelled(label, body) => {
                self.label(label);
                self.block(body);
            }
            StmtSyntaxKind::Break(label) => self.named("break", label.as_ref()),
            StmtSyntaxKind::Continue(label) => self.named("continue", label.as_ref()),
            StmtSyntaxKind::Return(values) if values.is_empty() => self.push("return;"),
            StmtSyntaxKind::Return(values) => {
                self.push("return ");
                self.list(values);
                self.push(";");
            }
            StmtSyntaxKind::Havoc(places) => self.given_any("havoc ", places),
            StmtSyntaxKind::Guess(places) => self.given_any("havoc? ", places),
            StmtSyntaxKind::Assume(e) => self.line("assume ", e),
            StmtSyntaxKind::Assert(e) => self.line("assert ", e),
            StmtSyntaxKind::Throw(name) => self.named("throw", name.as_ref()),
            StmtSyntaxKind::Try {
                body,
                catches,
                finally,
            } => self.try_statement(body, catches, finally.as_ref()),
            StmtSyntaxKind::Block(block) => self.block(block),
        }
    }

    fn label(&mut self, label: &Ident) {
        self.push(&label.name);
        self.push(": ");
    }

    fn given_any(&mut self, word: &str, places: &[ExprSyntax]) {
        self.push(word);
        self.list(places);
        self.push(";");
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

    fn try_statement(
        &mut self,
        body: &BlockSyntax,
        catches: &[CatchSyntax],
        finally: Option<&BlockSyntax>,
    ) {
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

    fn line(&mut self, word: &str, e: &ExprSyntax) {
        self.push(word);
        self.whole(e);
        self.push(";");
    }

    fn list(&mut self, list: &[ExprSyntax]) {
        for (i, e) in list.iter().enumerate() {
            self.comma(i);
            self.whole(e);
        }
    }

    /// `if`, with the `else if`s behind it.
    fn if_statement(&mut self, statement: &StmtSyntax) {
        let mut next = Some(statement);
        while let Some(StmtSyntax {
            kind:
                StmtSyntaxKind::If {
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
                [only] if matches!(only.kind, StmtSyntaxKind::If { .. }) => next = Some(only),
                _ => self.block(block),
            }
        }
    }

    fn switch_statement(
        &mut self,
        subject: &ExprSyntax,
        cases: &[CaseSyntax],
        default: Option<&BlockSyntax>,
    ) {
        self.push("switch (");
        self.whole(subject);
        self.end(") {");
        self.indented(|printer| {
            for case in cases {
                printer.start();
                printer.push("case ");
                printer.list(&case.values);
                printer.push(" ");
                printer.block(&case.body);
                printer.blank_line();
            }
            if let Some(default) = default {
                printer.start();
                printer.push("default ");
                printer.block(default);
                printer.blank_line();
            }
        });
        self.start();
        self.push("}");
    }

    /// Behind the head of a loop: its invariants, and its body.
    fn rounds(&mut self, invariants: &[ExprSyntax], body: &BlockSyntax) {
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
