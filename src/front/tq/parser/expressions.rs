//! Expressions, by precedence climbing.

use num_bigint::BigInt;

use super::super::ast::{ExprSyntax, ExprSyntaxKind, Ident, ParamSyntax, TypeSyntax};
use super::super::names::is_conversion;
use super::super::token::TokenKind;
use super::{MAX_DEPTH, Parsed, Parser};
use crate::ir::operators::{Precedence, binary_precedence};
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp, Quantifier};

/// An expression and the height of its tree.
pub(super) struct Tall {
    pub expr: ExprSyntax,
    pub height: u32,
}

/// An operator between two operands.
pub(super) enum Operator {
    Binary(BinaryOp),
    Compare(CompareOp),
}

impl Operator {
    fn precedence(&self) -> Precedence {
        match self {
            Operator::Binary(op) => binary_precedence(*op),
            Operator::Compare(_) => Precedence::Compare,
        }
    }
}

/// How many words of a type are looked at before a map is taken for a name.
const LONGEST_TYPE: usize = 500;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<ExprSyntax> {
        self.whole().map(|e| e.expr)
    }

    /// What may be assigned or called; the resolver looks closer.
    pub(super) fn place(&mut self) -> Parsed<ExprSyntax> {
        self.postfix().map(|e| e.expr)
    }

    pub(super) fn args(&mut self) -> Parsed<Vec<ExprSyntax>> {
        self.tall_args().map(|(args, _)| args)
    }

    pub(super) fn whole(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let e = self.nested(|parser| parser.binary(Precedence::Iff))?;
        self.other_conditional(start, e)
    }

    /// Makes a node whose highest child has this height.
    pub(super) fn node(&mut self, start: Span, kind: ExprSyntaxKind, below: u32) -> Parsed<Tall> {
        let span = self.since(start);
        let height = below + 1;
        if self.depth + height > MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        let kind = Box::new(kind);
        Ok(Tall {
            expr: ExprSyntax { kind, span },
            height,
        })
    }

    pub(super) fn binary(&mut self, least: Precedence) -> Parsed<Tall> {
        let start = self.span();
        let mut left = self.unary()?;
        while let Some(operator) = self.operator() {
            let precedence = operator.precedence();
            if precedence < least {
                break;
            }
            left = match operator {
                Operator::Compare(_) => self.comparison(start, left)?,
                Operator::Binary(op) => {
                    self.bump();
                    let right = if op == BinaryOp::Implies {
                        self.nested(|parser| parser.binary(precedence))?
                    } else {
                        self.binary(precedence.tighter())?
                    };
                    let below = left.height.max(right.height);
                    self.node(
                        start,
                        ExprSyntaxKind::Binary(op, left.expr, right.expr),
                        below,
                    )?
                }
            };
        }
        Ok(left)
    }

    fn comparison(&mut self, start: Span, first: Tall) -> Parsed<Tall> {
        let mut below = first.height;
        let mut rest = Vec::new();
        while let Some(Operator::Compare(op)) = self.operator() {
            self.bump();
            let operand = self.binary(Precedence::Compare.tighter())?;
            // Each link of a chain counts as a level: it becomes one when the chain is taken apart.
            below = below.max(operand.height) + u32::from(!rest.is_empty());
            if below > MAX_DEPTH {
                return Err(self.too_deep(operand.expr.span));
            }
            rest.push((op, operand.expr));
        }
        self.node(start, ExprSyntaxKind::Compare(first.expr, rest), below)
    }

    /// The operator that stands here. What is written for it by mistake is reported, and taken for it.
    fn operator(&mut self) -> Option<Operator> {
        let text = self.text();
        let operator = match (self.token().kind, text) {
            (TokenKind::Symbol(_), "+") => Operator::Binary(BinaryOp::Add),
            (TokenKind::Symbol(_), "-") => Operator::Binary(BinaryOp::Sub),
            (TokenKind::Symbol(_), "*") => Operator::Binary(BinaryOp::Mul),
            (TokenKind::Keyword, "div") => Operator::Binary(BinaryOp::Div),
            (TokenKind::Keyword, "mod") => Operator::Binary(BinaryOp::Mod),
            (TokenKind::Symbol(_), "&&") => Operator::Binary(BinaryOp::And),
            (TokenKind::Symbol(_), "||") => Operator::Binary(BinaryOp::Or),
            (TokenKind::Symbol(_), "==>") => Operator::Binary(BinaryOp::Implies),
            (TokenKind::Symbol(_), "<==>") => Operator::Binary(BinaryOp::Iff),
            (TokenKind::Symbol(_), "==") => Operator::Compare(CompareOp::Eq),
            (TokenKind::Symbol(_), "!=") => Operator::Compare(CompareOp::Ne),
            (TokenKind::Symbol(_), "<") => Operator::Compare(CompareOp::Lt),
            (TokenKind::Symbol(_), "<=") => Operator::Compare(CompareOp::Le),
            (TokenKind::Symbol(_), ">") => Operator::Compare(CompareOp::Gt),
            (TokenKind::Symbol(_), ">=") => Operator::Compare(CompareOp::Ge),
            (TokenKind::Symbol(_) | TokenKind::Name, _) => return self.other_operator(),
            _ => return None,
        };
        Some(operator)
    }

    pub(super) fn unary(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let make = if self.is("!") {
            ExprSyntaxKind::Not
        } else if self.is("-") {
            ExprSyntaxKind::Neg
        } else {
            return self
                .other_prefix_operator()
                .unwrap_or_else(|| self.postfix());
        };
        self.bump();
        let operand = self.nested(Self::unary)?;
        self.node(start, make(operand.expr), operand.height)
    }

    pub(super) fn postfix(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let mut e = self.primary()?;
        loop {
            if self.eat(".") || self.other_dot() {
                e = self.member_access(start, e)?;
            } else if self.eat("[") {
                e = self.index(start, e)?;
            } else {
                return Ok(e);
            }
        }
    }

    fn member_access(&mut self, start: Span, object: Tall) -> Parsed<Tall> {
        let name = self.name("the name of a field or routine")?;
        if !self.is("(") {
            return self.node(start, ExprSyntaxKind::Dot(object.expr, name), object.height);
        }
        let (args, below) = self.tall_args()?;
        let kind = ExprSyntaxKind::Call {
            receiver: Some(object.expr),
            name,
            args,
        };
        self.node(start, kind, object.height.max(below))
    }

    fn index(&mut self, start: Span, base: Tall) -> Parsed<Tall> {
        let around = std::mem::replace(&mut self.in_key, true);
        let index = self.whole();
        self.in_key = around;
        let index = index?;
        let below = base.height.max(index.height);
        if !self.eat(":=") {
            if !self.eat("]") {
                return Err(self.other_index());
            }
            return self.node(start, ExprSyntaxKind::Index(base.expr, index.expr), below);
        }
        let value = self.whole()?;
        self.expect("]")?;
        let kind = ExprSyntaxKind::Update(base.expr, index.expr, value.expr);
        self.node(start, kind, below.max(value.height))
    }

    /// The arguments, and the height of the highest.
    fn tall_args(&mut self) -> Parsed<(Vec<ExprSyntax>, u32)> {
        self.expect("(")?;
        let mut args = Vec::new();
        let mut height = 0;
        while !self.is(")") {
            let arg = self.whole()?;
            height = height.max(arg.height);
            args.push(arg.expr);
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok((args, height))
    }

    fn primary(&mut self) -> Parsed<Tall> {
        let start = self.span();
        match self.token().kind {
            TokenKind::Number => self.number(),
            TokenKind::Name => self.name_or_call(),
            TokenKind::Symbol("(") => {
                self.bump();
                let inner = self.whole()?;
                self.expect(")")?;
                self.other_conversion(start, inner)
            }
            TokenKind::Keyword => match self.text() {
                "true" => self.leaf(ExprSyntaxKind::Bool(true)),
                "false" => self.leaf(ExprSyntaxKind::Bool(false)),
                "null" => self.leaf(ExprSyntaxKind::Null),
                "this" => self.leaf(ExprSyntaxKind::This),
                "old" => {
                    self.bump();
                    if !self.eat("(") {
                        return Err(self.other_old());
                    }
                    let inner = self.whole()?;
                    self.expect(")")?;
                    self.node(start, ExprSyntaxKind::Old(inner.expr), inner.height)
                }
                "if" => self.conditional(),
                "forall" => self.quantified(Quantifier::Forall),
                "exists" => self.quantified(Quantifier::Exists),
                _ => self.other_primary(),
            },
            _ => self.other_primary(),
        }
    }

    fn leaf(&mut self, kind: ExprSyntaxKind) -> Parsed<Tall> {
        let start = self.span();
        self.bump();
        self.node(start, kind, 0)
    }

    fn number(&mut self) -> Parsed<Tall> {
        let text = self.text();
        // What the lexer has reported as no number, or too long a one, is any number.
        let value = if text.len() <= super::super::lexer::MAX_DIGITS {
            text.parse().unwrap_or_default()
        } else {
            BigInt::default()
        };
        self.leaf(ExprSyntaxKind::Int(value))
    }

    fn name_or_call(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let name = Ident {
            name: self.text().to_owned(),
            span: start,
        };
        if self.at_map() {
            return self.everywhere();
        }
        self.bump();
        if !self.is("(") {
            if let Some(other) = self.other_word_before_operand(&name) {
                return other;
            }
            return self.node(start, ExprSyntaxKind::Name(name), 0);
        }
        if is_conversion(&name.name) {
            self.bump();
            let inner = self.whole()?;
            self.expect(")")?;
            return self.node(
                start,
                ExprSyntaxKind::Convert(name, inner.expr),
                inner.height,
            );
        }
        let (args, below) = self.tall_args()?;
        let kind = ExprSyntaxKind::Call {
            receiver: None,
            name,
            args,
        };
        self.node(start, kind, below)
    }

    /// Whether `map<K, V>(` stands here, and not a comparison of something that is called `map`.
    fn at_map(&self) -> bool {
        if !self.is_word("map") || self.text_ahead(1) != "<" {
            return false;
        }
        let (mut open, mut has_two) = (0_usize, false);
        for ahead in 1..LONGEST_TYPE {
            match self.text_ahead(ahead) {
                "<" => open += 1,
                ">" if open == 1 => return has_two && self.text_ahead(ahead + 1) == "(",
                ">" => open -= 1,
                "," => has_two = true,
                "?" => {}
                _ if self.ahead(ahead).kind == TokenKind::Name => {}
                _ => return false,
            }
        }
        false
    }

    /// `map<K, V>(v)`
    fn everywhere(&mut self) -> Parsed<Tall> {
        let start = self.span();
        let TypeSyntax::Map(key, value) = self.element_type()? else {
            return Err(self.expected("`map<K, V>`"));
        };
        self.expect("(")?;
        let inner = self.whole()?;
        self.expect(")")?;
        let kind = ExprSyntaxKind::Everywhere {
            key: *key,
            value: *value,
            everywhere: inner.expr,
        };
        self.node(start, kind, inner.height)
    }

    fn conditional(&mut self) -> Parsed<Tall> {
        let start = self.span();
        self.bump();
        let condition = self.whole()?;
        let (then, otherwise) = if self.eat_word("then") {
            let then = self.whole()?;
            if !self.eat_word("else") {
                let help = "an `if` that is a value has an `else`";
                return Err(self.expected_with("`else`", help));
            }
            (then, self.whole()?)
        } else {
            self.other_branches()?
        };
        let below = condition.height.max(then.height).max(otherwise.height);
        let kind = ExprSyntaxKind::If(condition.expr, then.expr, otherwise.expr);
        self.node(start, kind, below)
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Tall> {
        let start = self.span();
        self.bump();
        let parenthesised = self.other_parenthesis(quantifier);
        let mut params = vec![self.bound(quantifier)?];
        while self.eat(",") {
            params.push(self.bound(quantifier)?);
        }
        let closed = parenthesised && self.eat(")");
        if !self.eat("::") {
            self.other_range(quantifier)?;
        }
        let body = self.whole()?;
        if parenthesised && !closed {
            self.expect(")")?;
        }
        let kind = ExprSyntaxKind::Quantified(quantifier, params, body.expr);
        self.node(start, kind, body.height)
    }

    fn bound(&mut self, quantifier: Quantifier) -> Parsed<ParamSyntax> {
        if self.text_ahead(1) == ":" {
            self.param()
        } else {
            self.other_bound(quantifier)
        }
    }
}
