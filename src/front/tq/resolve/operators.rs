//! Operators: arithmetic, comparison, boolean operators, `if … then … else`.

use super::super::ast;
use super::expressions::make;
use super::scope::{Position, Scope};
use super::types::{is_integer, is_reference, nullable, same_reference};
use crate::ir::Diagnostic;
use crate::ir::operators::{binary_symbol, compare_symbol};
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{Expr, ExprKind, Type};

impl<'a> Scope<'_, 'a> {
    pub(super) fn negation(
        &mut self,
        inner: &'a ast::ExprSyntax,
        expected: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        if let ast::ExprSyntaxKind::Int(value) = &*inner.kind {
            return self.literal(-value.clone(), expected, span);
        }
        let inner = self.expr(inner, expected)?;
        let ty = inner.ty.clone();
        self.integer(&inner, "-")?;
        Some(make(ExprKind::Neg(inner), ty, span))
    }

    /// Checks that an operand is an integer.
    fn integer(&mut self, e: &Expr, operator: &str) -> Option<()> {
        if is_integer(&e.ty) {
            return Some(());
        }
        let ty = self.type_name(&e.ty);
        let help = (e.ty == Type::Bool).then(|| match operator {
            "-" => "a condition is negated with `!`".to_owned(),
            _ => "conditions are joined with `&&` and `||`, and compared with `==` and `!=`"
                .to_owned(),
        });
        self.report(
            Diagnostic::error(format!("`{operator}` needs integers"))
                .at(e.span, format!("this is `{ty}`"))
                .maybe_help(help),
        );
        None
    }

    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        left: &'a ast::ExprSyntax,
        right: &'a ast::ExprSyntax,
        expected: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff => {
                let left = self.value(left, &Type::Bool);
                let right = self.value(right, &Type::Bool);
                Some(make(ExprKind::Binary(op, left?, right?), Type::Bool, span))
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                let symbol = binary_symbol(op);
                let (left, right) = self.pair(left, right, expected);
                let (left_ok, right_ok) = (
                    left.as_ref().and_then(|e| self.integer(e, symbol)),
                    right.as_ref().and_then(|e| self.integer(e, symbol)),
                );
                left_ok.and(right_ok)?;
                let (left, right, ty) = self.common_integer(left?, right?, symbol)?;
                Some(make(ExprKind::Binary(op, left, right), ty, span))
            }
        }
    }

    /// Two operands that may take their type from each other: literals follow what is no literal.
    fn pair(
        &mut self,
        left: &'a ast::ExprSyntax,
        right: &'a ast::ExprSyntax,
        expected: Option<&Type>,
    ) -> (Option<Expr>, Option<Expr>) {
        match (is_literal(left), is_literal(right)) {
            (true, false) => {
                let right = self.expr(right, expected);
                let ty = right.as_ref().map(|e| e.ty.clone());
                (self.expr(left, ty.as_ref()), right)
            }
            (false, true) => {
                let left = self.expr(left, expected);
                let ty = left.as_ref().map(|e| e.ty.clone());
                let right = self.expr(right, ty.as_ref());
                (left, right)
            }
            _ => (self.expr(left, expected), self.expr(right, expected)),
        }
    }

    /// Two integers in a type that holds both: the same type, or `int`.
    fn common_integer(
        &mut self,
        left: Expr,
        right: Expr,
        symbol: &str,
    ) -> Option<(Expr, Expr, Type)> {
        if left.ty == right.ty {
            let ty = left.ty.clone();
            return Some((left, right, ty));
        }
        if left.ty != Type::Int && right.ty != Type::Int {
            let (a, b) = (self.type_name(&left.ty), self.type_name(&right.ty));
            self.report(
                Diagnostic::error(format!("`{symbol}` on `{a}` and `{b}`"))
                    .at(left.span, format!("this is `{a}`"))
                    .at(right.span, format!("this is `{b}`"))
                    .help(format!(
                        "convert one of them: `{a}(…)`, `{b}(…)` or `int(…)`"
                    )),
            );
            return None;
        }
        let left = self.resolver.coerce(left, &Type::Int)?;
        let right = self.resolver.coerce(right, &Type::Int)?;
        Some((left, right, Type::Int))
    }

    /// A comparison, or a chain of them: the conjunction of its links.
    pub(super) fn comparison(
        &mut self,
        first: &'a ast::ExprSyntax,
        rest: &'a [(CompareOp, ast::ExprSyntax)],
        span: Span,
    ) -> Option<Expr> {
        if rest.len() > 1 {
            self.check_chain(rest, span)?;
        }
        let mut left = first;
        let mut links: Option<Expr> = None;
        let mut poisoned = false;
        for (op, right) in rest {
            match self.link(*op, left, right) {
                Some(link) => {
                    links = Some(match links {
                        None => link,
                        Some(before) => {
                            let span = before.span.to(link.span);
                            make(
                                ExprKind::Binary(BinaryOp::And, before, link),
                                Type::Bool,
                                span,
                            )
                        }
                    });
                }
                None => poisoned = true,
            }
            left = right;
        }
        links.filter(|_| !poisoned)
    }

    /// A chain goes in one direction, and what stands in its middle, which is looked at twice, is no chain itself.
    fn check_chain(&mut self, rest: &[(CompareOp, ast::ExprSyntax)], span: Span) -> Option<()> {
        let (mut up, mut down, mut unequal) = (false, false, false);
        for (op, _) in rest {
            up |= matches!(op, CompareOp::Lt | CompareOp::Le);
            down |= matches!(op, CompareOp::Gt | CompareOp::Ge);
            unequal |= *op == CompareOp::Ne;
        }
        if up && down || unequal {
            self.report(
                Diagnostic::error("a chain of comparisons goes in one direction")
                    .at(span, "")
                    .help("`==` with `<` and `<=`, or `==` with `>` and `>=`; otherwise join two comparisons with `&&`"),
            );
            return None;
        }
        let middle = rest.split_last().map_or(&[][..], |(_, middle)| middle);
        let inner = middle.iter().find(|(_, operand)| contains_chain(operand));
        if let Some((_, operand)) = inner {
            self.report(
                Diagnostic::error("a chain of comparisons in the middle of another")
                    .at(operand.span, "")
                    .help("join two comparisons with `&&`"),
            );
            return None;
        }
        Some(())
    }

    fn link(
        &mut self,
        op: CompareOp,
        left: &'a ast::ExprSyntax,
        right: &'a ast::ExprSyntax,
    ) -> Option<Expr> {
        let (left, right) = self.pair(left, right, None);
        let (mut left, mut right) = (left?, right?);
        if matches!(op, CompareOp::Eq | CompareOp::Ne) {
            self.check_equality(&left, &right)?;
            // `null` is of the type of what it is compared with.
            if right.ty == Type::Null {
                right.ty = nullable(&left.ty);
            } else if left.ty == Type::Null {
                left.ty = nullable(&right.ty);
            }
        } else {
            let (left_ok, right_ok) = (
                self.integer(&left, compare_symbol(op)),
                self.integer(&right, compare_symbol(op)),
            );
            left_ok.and(right_ok)?;
        }
        let span = left.span.to(right.span);
        Some(make(ExprKind::Compare(op, left, right), Type::Bool, span))
    }

    fn check_equality(&mut self, left: &Expr, right: &Expr) -> Option<()> {
        let integers = is_integer(&left.ty) && is_integer(&right.ty);
        let references = same_reference(&left.ty, &right.ty)
            || is_reference(&left.ty) && right.ty == Type::Null
            || left.ty == Type::Null && is_reference(&right.ty);
        if !integers && !references && left.ty != right.ty {
            let (a, b) = (self.type_name(&left.ty), self.type_name(&right.ty));
            let null = (left.ty == Type::Null || right.ty == Type::Null)
                .then(|| "only classes and arrays can be compared with `null`".to_owned());
            self.report(
                Diagnostic::error(format!("`{a}` and `{b}` cannot be compared"))
                    .at(left.span, format!("this is `{a}`"))
                    .at(right.span, format!("this is `{b}`"))
                    .maybe_help(null),
            );
            return None;
        }
        let executed = matches!(
            self.position,
            Position::Body | Position::Function | Position::FieldValue
        );
        if matches!(left.ty, Type::Map(..)) && executed {
            self.report(
                Diagnostic::error("maps cannot be compared here")
                    .at(left.span.to(right.span), "")
                    .help("whole maps are compared in contracts and invariants only"),
            );
            return None;
        }
        Some(())
    }

    pub(super) fn conditional(
        &mut self,
        condition: &'a ast::ExprSyntax,
        then: &'a ast::ExprSyntax,
        otherwise: &'a ast::ExprSyntax,
        expected: Option<&Type>,
        span: Span,
    ) -> Option<Expr> {
        let condition = self.value(condition, &Type::Bool);
        let (then, otherwise) = self.pair(then, otherwise, expected);
        let (condition, mut then, mut otherwise) = (condition?, then?, otherwise?);
        if is_integer(&then.ty) && is_integer(&otherwise.ty) {
            let (then, otherwise, ty) = self.common_integer(then, otherwise, "if … then … else")?;
            return Some(make(ExprKind::If(condition, then, otherwise), ty, span));
        }
        if then.ty == Type::Null && is_reference(&otherwise.ty) {
            then.ty = nullable(&otherwise.ty);
        } else if otherwise.ty == Type::Null && is_reference(&then.ty) {
            otherwise.ty = nullable(&then.ty);
        }
        let ty = if then.ty == otherwise.ty {
            then.ty.clone()
        } else if same_reference(&then.ty, &otherwise.ty) {
            nullable(&then.ty)
        } else {
            let (a, b) = (self.type_name(&then.ty), self.type_name(&otherwise.ty));
            self.report(
                Diagnostic::error("the branches of this `if` have different types")
                    .at(otherwise.span, format!("this is `{b}`"))
                    .at(then.span, format!("this is `{a}`")),
            );
            return None;
        };
        Some(make(ExprKind::If(condition, then, otherwise), ty, span))
    }
}

/// Whether an expression is made of integer literals only.
fn is_literal(e: &ast::ExprSyntax) -> bool {
    match &*e.kind {
        ast::ExprSyntaxKind::Int(_) => true,
        ast::ExprSyntaxKind::Neg(inner) => is_literal(inner),
        ast::ExprSyntaxKind::Binary(
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod,
            left,
            right,
        ) => is_literal(left) && is_literal(right),
        _ => false,
    }
}

fn contains_chain(e: &ast::ExprSyntax) -> bool {
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        if matches!(&*e.kind, ast::ExprSyntaxKind::Compare(_, rest) if rest.len() > 1) {
            return true;
        }
        open.extend(e.children());
    }
    false
}
