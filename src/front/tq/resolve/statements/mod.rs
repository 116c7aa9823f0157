//! Statements: which there are, and those that say where control goes. What gives a
//! place a value is beside it: `assign` puts it there, `call` and `new` are values that only statements have.

mod assign;
mod call;
mod counted;
mod finally;
mod jumps;
mod new;
mod switch;

use std::collections::HashMap;

use super::super::ast;
use super::scope::{Enclosing, Position, Scope};
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{Block, Catch, Condition, ExceptionId, Expr, Place, Stmt, StmtKind, Type};

impl<'a> Scope<'_, 'a> {
    pub(in super::super) fn statements(&mut self, block: &'a ast::BlockSyntax) -> Block {
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
                let before = out.len();
                scope.statement(statement, &mut out);
                scope.answer(statement.span, before, &mut out);
                ended = match statement.kind {
                    ast::StmtSyntaxKind::Return(_) | ast::StmtSyntaxKind::Throw(_) => true,
                    ast::StmtSyntaxKind::Break(_) | ast::StmtSyntaxKind::Continue(_) => {
                        scope.is_in_loop()
                    }
                    _ => false,
                };
            }
            out
        })
    }

    /// What the outside answers to the calls of a statement is any value.
    fn answer(&mut self, span: Span, before: usize, out: &mut Block) {
        let answers = std::mem::take(&mut self.answers).into_iter();
        let any = answers.map(|answer| Stmt {
            kind: StmtKind::Havoc(Place::Var(answer)),
            span,
        });
        out.splice(before..before, any.collect::<Block>());
    }

    fn statement(&mut self, statement: &'a ast::StmtSyntax, out: &mut Block) {
        let span = statement.span;
        let kind = match &statement.kind {
            ast::StmtSyntaxKind::Var { name, ty, value } => {
                return self.local(name, ty, value.as_ref(), span, out);
            }
            ast::StmtSyntaxKind::Assign { targets, value } => {
                return self.assignment(targets, value, span, out);
            }
            ast::StmtSyntaxKind::Call(call) => return self.call_statement(call, span, out),
            ast::StmtSyntaxKind::Return(values) => return self.return_statement(values, span, out),
            ast::StmtSyntaxKind::Havoc(targets) => {
                return self.given_any(targets, StmtKind::Havoc, span, out);
            }
            ast::StmtSyntaxKind::Guess(targets) => {
                return self.given_any(targets, StmtKind::Guess, span, out);
            }
            ast::StmtSyntaxKind::Block(block) => return out.extend(self.statements(block)),
            ast::StmtSyntaxKind::If {
                condition,
                then,
                otherwise,
            } => self.branch(condition, then, otherwise.as_ref()),
            ast::StmtSyntaxKind::Switch {
                subject,
                cases,
                default,
            } => self.switch(subject, cases, default.as_ref(), span),
            ast::StmtSyntaxKind::While {
                label,
                condition,
                invariants,
                body,
            } => self.while_loop(label.as_ref(), condition, invariants, body),
            ast::StmtSyntaxKind::For(counted) => return self.for_loop(counted, span, out),
            ast::StmtSyntaxKind::Labelled(label, block) => {
                let kind = Enclosing::Block;
                let (id, body) = self.called(Some(label), kind, |scope| scope.statements(block));
                Some(StmtKind::Labelled(id, body))
            }
            ast::StmtSyntaxKind::Break(label) => self.break_of(label.as_ref(), span),
            ast::StmtSyntaxKind::Continue(label) => self.continue_of(label.as_ref(), span),
            ast::StmtSyntaxKind::Assume(e) => self.value(e, &Type::Bool).map(StmtKind::Assume),
            ast::StmtSyntaxKind::Assert(e) => self.value(e, &Type::Bool).map(StmtKind::Assert),
            ast::StmtSyntaxKind::Throw(Some(name)) => {
                self.resolver.exception(name).map(StmtKind::Throw)
            }
            ast::StmtSyntaxKind::Throw(None) => self.throw_again(span),
            ast::StmtSyntaxKind::Try {
                body,
                catches,
                finally,
            } => return self.try_statement(body, catches, finally.as_ref(), span, out),
        };
        out.extend(kind.map(|kind| Stmt { kind, span }));
    }

    /// A condition, where `*` is either.
    fn condition(&mut self, e: &'a ast::ExprSyntax) -> Option<Condition> {
        if matches!(*e.kind, ast::ExprSyntaxKind::Star) {
            return Some(Condition::Any);
        }
        self.value(e, &Type::Bool).map(Condition::Expr)
    }

    fn branch(
        &mut self,
        condition: &'a ast::ExprSyntax,
        then: &'a ast::BlockSyntax,
        otherwise: Option<&'a ast::BlockSyntax>,
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
        label: Option<&'a ast::Ident>,
        condition: &'a ast::ExprSyntax,
        invariants: &'a [ast::ExprSyntax],
        body: &'a ast::BlockSyntax,
    ) -> Option<StmtKind> {
        let condition = self.condition(condition);
        let invariants = self.loop_invariants(invariants);
        let (label, body) = self.called(label, Enclosing::Loop, |scope| scope.statements(body));
        Some(StmtKind::While {
            label,
            condition: condition?,
            invariants,
            body,
        })
    }

    fn loop_invariants(&mut self, invariants: &'a [ast::ExprSyntax]) -> Vec<Expr> {
        let before = std::mem::replace(&mut self.position, Position::LoopInvariant);
        let resolved = invariants.iter().map(|e| self.value(e, &Type::Bool));
        let resolved: Vec<Option<Expr>> = resolved.collect();
        self.position = before;
        resolved.into_iter().flatten().collect()
    }

    fn return_statement(&mut self, values: &'a [ast::ExprSyntax], span: Span, out: &mut Block) {
        if !values.is_empty() {
            self.assign_results(values, span, out);
        }
        let kind = StmtKind::Return;
        out.push(Stmt { kind, span });
    }

    fn try_statement(
        &mut self,
        body: &'a ast::BlockSyntax,
        catches: &'a [ast::CatchSyntax],
        finally: Option<&'a ast::BlockSyntax>,
        span: Span,
        out: &mut Block,
    ) {
        let mut body = self.statements(body);
        let catches = self.catches(catches);
        if !catches.is_empty() {
            let kind = StmtKind::Try { body, catches };
            body = vec![Stmt { kind, span }];
        }
        match finally {
            Some(last) => {
                // What a handler around has caught cannot be raised again in there: the block is run in another handler, too.
                let handlers = std::mem::take(&mut self.handlers);
                let last = self.last_statements(last, span);
                self.handlers = handlers;
                self.finally(body, last, span, out);
            }
            None => out.extend(body),
        }
    }

    fn catches(&mut self, catches: &'a [ast::CatchSyntax]) -> Vec<Catch> {
        let mut seen: HashMap<ExceptionId, Span> = HashMap::new();
        let mut handlers = Vec::new();
        for catch in catches {
            let exceptions = self.caught(catch, &mut seen);
            self.handlers += 1;
            let body = self.statements(&catch.body);
            self.handlers -= 1;
            if !exceptions.is_empty() {
                handlers.push(Catch { exceptions, body });
            }
        }
        handlers
    }

    /// What a handler catches: what it names, or all that those before it do not.
    fn caught(
        &mut self,
        catch: &ast::CatchSyntax,
        seen: &mut HashMap<ExceptionId, Span>,
    ) -> Vec<ExceptionId> {
        if catch.exceptions.is_empty() {
            let mut all = self.resolver.all_exceptions();
            all.retain(|exception| seen.insert(*exception, catch.span).is_none());
            return all;
        }
        let mut caught = Vec::new();
        for name in &catch.exceptions {
            let Some(exception) = self.resolver.exception(name) else {
                continue;
            };
            match seen.insert(exception, name.span) {
                Some(first) => self.report(
                    Diagnostic::error(format!("`{}` is caught twice", name.name))
                        .at(name.span, "this is never reached")
                        .at(first, "caught here first"),
                ),
                None => caught.push(exception),
            }
        }
        caught
    }

    /// `throw;`
    fn throw_again(&mut self, span: Span) -> Option<StmtKind> {
        if self.handlers > 0 {
            return Some(StmtKind::ThrowAgain);
        }
        self.report(
            Diagnostic::error("`throw;` outside of a handler")
                .at(span, "")
                .help("write `throw E;`, with the name of the exception"),
        );
        None
    }
}
