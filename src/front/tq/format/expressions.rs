//! Expressions.
//!
//! Where an expression does not fit a line, it is broken before its outermost operators: before all of one chain, so
//! that what they join stands below each other.

use super::super::ast::{ExprSyntax, ExprSyntaxKind, ParamSyntax};
use super::gap::Sep;
use super::{Doc, INDENT, TokenLayout};
use crate::ir::BinaryOp;
use crate::ir::operators::binary_precedence;

impl<'a> TokenLayout<'a> {
    /// An expression, with the parentheses around it.
    pub(super) fn expr(&mut self, e: &ExprSyntax) -> Doc<'a> {
        let mut open = self.nil();
        let mut parentheses = 0;
        while !self.is_bare(e) {
            open = open.append(self.word());
            parentheses += 1;
        }
        let mut doc = open.append(self.bare(e));
        for _ in 0..parentheses {
            doc = doc.append(self.word());
        }
        doc
    }

    /// Whether the expression starts with the next token, and not with a parenthesis around it.
    fn is_bare(&self, e: &ExprSyntax) -> bool {
        self.start() >= e.span.start as usize
    }

    fn bare(&mut self, e: &ExprSyntax) -> Doc<'a> {
        match &*e.kind {
            ExprSyntaxKind::Int(_)
            | ExprSyntaxKind::Bool(_)
            | ExprSyntaxKind::Null
            | ExprSyntaxKind::This
            | ExprSyntaxKind::Star
            | ExprSyntaxKind::Name(_) => self.word(),
            ExprSyntaxKind::Dot(object, _) => {
                let object = self.expr(object);
                object.append(self.word()).append(self.word())
            }
            ExprSyntaxKind::Index(base, index) => {
                let base = self.expr(base).append(self.word());
                base.append(self.expr(index)).append(self.word())
            }
            ExprSyntaxKind::Update(map, key, value) => self.update(map, key, value),
            ExprSyntaxKind::Everywhere {
                key,
                value,
                everywhere,
            } => {
                let map = self.map_type(key, value);
                map.append(self.args(std::slice::from_ref(everywhere)))
            }
            ExprSyntaxKind::Call { receiver, args, .. } => self.call(receiver.as_ref(), args),
            ExprSyntaxKind::Convert(_, inner) | ExprSyntaxKind::Old(inner) => {
                let word = self.word();
                word.append(self.args(std::slice::from_ref(inner)))
            }
            ExprSyntaxKind::Neg(inner) | ExprSyntaxKind::Not(inner) => {
                self.word().append(self.expr(inner))
            }
            ExprSyntaxKind::Binary(BinaryOp::Implies, left, right) => {
                self.implications(left, right)
            }
            ExprSyntaxKind::Binary(..) => self.chain(e),
            ExprSyntaxKind::Compare(first, rest) => {
                let first = self.expr(first);
                let rest: Vec<&ExprSyntax> = rest.iter().map(|(_, operand)| operand).collect();
                self.operands(first, &rest)
            }
            ExprSyntaxKind::If(..) => self.conditional(e).nest(INDENT).group(),
            ExprSyntaxKind::Quantified(_, params, body) => self.quantified(params, body),
        }
    }

    /// The body of a function: a conditional there stands at the margin.
    pub(super) fn whole_body(&mut self, e: &ExprSyntax) -> Doc<'a> {
        if self.is_bare(e) && matches!(*e.kind, ExprSyntaxKind::If(..)) {
            return self.conditional(e).group();
        }
        self.expr(e)
    }

    fn update(&mut self, map: &ExprSyntax, key: &ExprSyntax, value: &ExprSyntax) -> Doc<'a> {
        let map = self.expr(map).append(self.word());
        let key = map.append(self.expr(key));
        let sign = self.word_after(Sep::Space).append(self.gap(Sep::Space));
        let value = sign.append(self.expr(value));
        key.append(value).append(self.word())
    }

    fn call(&mut self, receiver: Option<&ExprSyntax>, args: &[ExprSyntax]) -> Doc<'a> {
        let object = match receiver {
            Some(receiver) => self.expr(receiver).append(self.word()),
            None => self.nil(),
        };
        object.append(self.word()).append(self.args(args))
    }

    /// `(a, b)`
    pub(super) fn args(&mut self, args: &[ExprSyntax]) -> Doc<'a> {
        self.bracketed(args.len(), |layout, i| layout.expr(&args[i]))
    }

    /// Operands joined by operators of one precedence that group to the left.
    fn chain(&mut self, e: &ExprSyntax) -> Doc<'a> {
        let mut rest = Vec::new();
        let mut first = e;
        while let ExprSyntaxKind::Binary(op, left, right) = &*first.kind {
            if !rest.is_empty() && !joins(e, *op, first) {
                break;
            }
            rest.push(right);
            first = left;
        }
        rest.reverse();
        let first = self.expr(first);
        self.operands(first, &rest)
    }

    /// `a ==> b ==> c`, which groups to the right.
    fn implications(&mut self, left: &ExprSyntax, right: &ExprSyntax) -> Doc<'a> {
        let first = self.expr(left);
        let mut rest = self.nil();
        let mut next = right;
        loop {
            let sign = self.word_after(Sep::Line).append(self.gap(Sep::Space));
            rest = rest.append(sign);
            match &*next.kind {
                ExprSyntaxKind::Binary(BinaryOp::Implies, left, right) if self.is_bare(next) => {
                    rest = rest.append(self.expr(left));
                    next = right;
                }
                _ => {
                    rest = rest.append(self.expr(next));
                    return first.append(rest.nest(INDENT)).group();
                }
            }
        }
    }

    /// The first operand, and behind it or below it operators with the others.
    fn operands(&mut self, first: Doc<'a>, rest: &[&ExprSyntax]) -> Doc<'a> {
        let mut doc = self.nil();
        for operand in rest {
            let sign = self.word_after(Sep::Line).append(self.gap(Sep::Space));
            doc = doc.append(sign).append(self.expr(operand));
        }
        first.append(doc.nest(INDENT)).group()
    }

    /// `if`, `then` and `else` below each other, or on one line; so for all that come behind an `else`.
    fn conditional(&mut self, e: &ExprSyntax) -> Doc<'a> {
        let mut doc = self.nil();
        let mut next = e;
        while let (ExprSyntaxKind::If(condition, then, otherwise), true) =
            (&*next.kind, self.is_bare(next))
        {
            doc = doc.append(self.word_and(condition));
            doc = doc.append(self.gap(Sep::Line)).append(self.word_and(then));
            doc = doc.append(self.word_after(Sep::Line));
            doc = doc.append(self.gap(Sep::Space));
            next = otherwise;
        }
        doc.append(self.expr(next))
    }

    /// `forall x: int ::`, and behind it or below it the rest.
    fn quantified(&mut self, params: &[ParamSyntax], body: &ExprSyntax) -> Doc<'a> {
        let word = self.word();
        let params = self.listed(params.len(), Sep::Space, |l, i| l.param(&params[i]));
        let params = params.nest(INDENT);
        let head = word.append(params).append(self.word_after(Sep::Space));
        let body = self.gap(Sep::Line).append(self.expr(body));
        head.append(body.nest(INDENT)).group()
    }
}

/// Whether the left operand of `chain` belongs to the chain: it has operators of the same precedence, and no
/// parentheses around it.
fn joins(chain: &ExprSyntax, op: BinaryOp, left: &ExprSyntax) -> bool {
    let same = match &*chain.kind {
        ExprSyntaxKind::Binary(first, ..) => binary_precedence(*first) == binary_precedence(op),
        _ => false,
    };
    same && left.span.start == chain.span.start
}
