//! `switch`: the branch of the value that is looked at.
//!
//! It is an `if`, with an `else if` for each further case. What is looked at is an expression, which changes nothing: that each
//! condition looks at it anew makes no difference.

use super::super::super::ast;
use super::super::expressions::make;
use super::super::scope::Scope;
use super::super::types::is_integer;
use crate::ir::formula;
use crate::ir::span::Span;
use crate::ir::{
    BinaryOp, Block, CompareOp, Condition, Diagnostic, Expr, ExprKind, Stmt, StmtKind, Type,
};

/// A case, resolved.
struct Branch {
    condition: Expr,
    body: Block,
    span: Span,
}

impl<'a> Scope<'_, 'a> {
    pub(super) fn switch(
        &mut self,
        subject: &'a ast::ExprSyntax,
        cases: &'a [ast::CaseSyntax],
        default: Option<&'a ast::BlockSyntax>,
        span: Span,
    ) -> Option<StmtKind> {
        let looked_at = self
            .expr(subject, None)
            .filter(|e| self.has_cases(e).is_some());
        let mut values: Vec<Expr> = Vec::new();
        let mut branches = Some(Vec::new());
        for case in cases {
            let looked_at = looked_at.as_ref();
            let condition = looked_at.and_then(|e| self.case_condition(e, case, &mut values));
            let body = self.statements(&case.body);
            match (condition, &mut branches) {
                (Some(condition), Some(branches)) => branches.push(Branch {
                    condition,
                    body,
                    span: case.span,
                }),
                _ => branches = None,
            }
        }
        let otherwise = default.map(|block| self.statements(block));
        if cases.is_empty() {
            self.report(
                Diagnostic::error("a `switch` has a `case`")
                    .at(span, "")
                    .help("write `case A, B { … }` before the `default`"),
            );
        }
        let (looked_at, branches) = (looked_at?, branches?);
        let last = match otherwise {
            Some(block) => Some(block),
            None => {
                self.every_value(&looked_at, &values, span)?;
                None
            }
        };
        chain(branches, last)
    }

    /// Checks that it is told apart by its values what to do.
    fn has_cases(&mut self, e: &Expr) -> Option<()> {
        if is_integer(&e.ty) || matches!(e.ty, Type::Enum(_) | Type::Opaque(_) | Type::Bool) {
            return Some(());
        }
        let ty = self.type_name(&e.ty);
        self.report(
            Diagnostic::error("a `switch` is about a value of an enum, a number, or a named value")
                .at(e.span, format!("this is `{ty}`"))
                .help("write `if (…) { … } else if (…) { … }`"),
        );
        None
    }

    /// That what is looked at has one of the values of a case; these join those of the cases before.
    fn case_condition(
        &mut self,
        looked_at: &Expr,
        case: &'a ast::CaseSyntax,
        before: &mut Vec<Expr>,
    ) -> Option<Expr> {
        let mut conditions = Vec::new();
        for value in &case.values {
            let value = self.value(value, &looked_at.ty)?;
            self.is_value(&value)?;
            if let Some(first) = before.iter().find(|other| formula::same(other, &value)) {
                let first = first.span;
                self.report(
                    Diagnostic::error("this value has a case already")
                        .at(value.span, "this is never reached")
                        .at(first, "here first")
                        .help("leave it out"),
                );
                return None;
            }
            before.push(value.clone());
            let span = value.span;
            let equal = ExprKind::Compare(CompareOp::Eq, looked_at.clone(), value);
            conditions.push(make(equal, Type::Bool, span));
        }
        let all = conditions.into_iter();
        all.reduce(|a, b| {
            let span = a.span.to(b.span);
            make(ExprKind::Binary(BinaryOp::Or, a, b), Type::Bool, span)
        })
    }

    /// Checks that a case is a value, and no question.
    fn is_value(&mut self, e: &Expr) -> Option<()> {
        let is_value = matches!(
            *e.kind,
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Member(..) | ExprKind::Named(..)
        );
        if is_value {
            return Some(());
        }
        self.report(
            Diagnostic::error("a case is a value: a number, a value of an enum, a named value")
                .at(e.span, "")
                .help("write `if (…) { … } else if (…) { … }`"),
        );
        None
    }

    /// Checks that there is a case for every value.
    fn every_value(&mut self, looked_at: &Expr, values: &[Expr], span: Span) -> Option<()> {
        let has = |wanted: &ExprKind| {
            let wanted = make(wanted.clone(), looked_at.ty.clone(), span);
            values.iter().any(|value| formula::same(value, &wanted))
        };
        let all: Vec<(String, ExprKind)> = match &looked_at.ty {
            Type::Enum(id) => {
                let members = self.resolver.program.enums[id.0].members.clone();
                let members = members.into_iter().enumerate();
                members
                    .map(|(index, name)| (name, ExprKind::Member(*id, index)))
                    .collect()
            }
            Type::Bool => [true, false]
                .map(|value| (value.to_string(), ExprKind::Bool(value)))
                .into(),
            _ => {
                self.report(
                    Diagnostic::error("this `switch` has no `default`")
                        .at(span, "")
                        .help("there are values without a case: write `default { … }` behind the cases"),
                );
                return None;
            }
        };
        let missing = all.into_iter().filter(|(_, value)| !has(value));
        let missing: Vec<String> = missing.map(|(name, _)| format!("`{name}`")).collect();
        if missing.is_empty() {
            return Some(());
        }
        self.report(
            Diagnostic::error(format!(
                "this `switch` has no case for {}",
                missing.join(", ")
            ))
            .at(span, "")
            .help("write `case … { … }` for each, or `default { … }` behind the cases"),
        );
        None
    }
}

/// The branches one in the other. Where there is nothing else to be done, the last one needs no condition.
fn chain(branches: Vec<Branch>, otherwise: Option<Block>) -> Option<StmtKind> {
    let mut branches = branches.into_iter().rev().peekable();
    let mut rest = match otherwise {
        Some(block) => block,
        None => {
            let last = branches.next()?;
            if branches.peek().is_none() {
                // What is looked at may not be there.
                let condition = Condition::Expr(last.condition);
                return Some(StmtKind::If(condition, last.body, Block::new()));
            }
            last.body
        }
    };
    while let Some(branch) = branches.next() {
        let condition = Condition::Expr(branch.condition);
        let kind = StmtKind::If(condition, branch.body, rest);
        if branches.peek().is_none() {
            return Some(kind);
        }
        rest = vec![Stmt {
            kind,
            span: branch.span,
        }];
    }
    None
}
