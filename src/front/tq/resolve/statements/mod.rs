//! Statements: which there are, and those that say where control goes. What gives a
//! place a value is beside it: `assign` puts it there, `call` and `new` are values that only statements have.

mod assign;
mod call;
mod new;

use std::collections::HashMap;

use super::super::ast;
use super::scope::{Position, Scope};
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{Block, Condition, ExceptionId, Expr, Stmt, StmtKind, Type};

impl<'a> Scope<'_, 'a> {
    pub(in super::super) fn statements(&mut self, block: &'a ast::Block) -> Block {
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
            ast::StmtKind::Return(values) => return self.return_statement(values, span, out),
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
            ast::StmtKind::Throw(name) => self.resolver.exception(name).map(StmtKind::Throw),
            ast::StmtKind::Try { body, catches } => self.try_statement(body, catches),
        };
        out.extend(kind.map(|kind| Stmt { kind, span }));
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

    fn return_statement(&mut self, values: &'a [ast::Expr], span: Span, out: &mut Block) {
        if !values.is_empty() {
            self.assign_results(values, span, out);
        }
        let kind = StmtKind::Return;
        out.push(Stmt { kind, span });
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
            let exception = self.resolver.exception(&catch.exception);
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
