//! Expressions.

use super::super::super::ast::{ExprSyntaxKind, Ident};
use super::super::super::habits;
use super::super::super::names::is_conversion;
use super::super::super::token::TokenKind;
use super::super::expressions::{Operator, Tall};
use super::super::{Failed, Parsed, Parser};
use crate::ir::operators::Precedence;
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{Diagnostic, Hint};

impl Parser<'_> {
    /// An operator that is written in another way here. What has no equal here is no operator: `None`, and reported.
    pub(in super::super) fn other_operator(&mut self) -> Option<Operator> {
        let text = self.text();
        let is_word = self.is_name();
        if is_word && !self.is_on_line_of_last() {
            return None;
        }
        if self.in_key && matches!(text, "=" | "->" | "=>") {
            // Meant as `m[k := v]`; the bracket knows.
            return None;
        }
        let (operator, meant) = match text {
            "=" | "===" | "eq" => (Operator::Compare(CompareOp::Eq), "=="),
            "<>" | "!==" | "/=" | "ne" | "xor" => (Operator::Compare(CompareOp::Ne), "!="),
            "=<" => (Operator::Compare(CompareOp::Le), "<="),
            "&" | "|" if self.is_next_to_number() => return self.no_operator(text),
            "&" | "and" => (Operator::Binary(BinaryOp::And), "&&"),
            "|" | "or" => (Operator::Binary(BinaryOp::Or), "||"),
            "=>" | "->" | "implies" => (Operator::Binary(BinaryOp::Implies), "==>"),
            "<=>" | "iff" => (Operator::Binary(BinaryOp::Iff), "<==>"),
            "/" => (Operator::Binary(BinaryOp::Div), "div"),
            "%" => (Operator::Binary(BinaryOp::Mod), "mod"),
            "not" if self.text_ahead(1) == "in" => return self.no_operator("in"),
            "!" if self.text_ahead(1) == "in" => return self.no_operator("in"),
            "<==" => {
                return self.reported_operator(
                    "<==",
                    "write the implication the other way round, with `==>`",
                );
            }
            _ => return self.no_operator(text),
        };
        self.report(
            Diagnostic::error(format!("`{text}` is not an operator"))
                .at(self.span(), "")
                .help(Hint::write(meant)),
        );
        Some(operator)
    }

    /// Whether the token before the next one, or behind it, is a number.
    fn is_next_to_number(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let is_number = |kind| kind == TokenKind::Number;
        is_number(self.ahead(1).kind) || before.is_some_and(|token| is_number(token.kind))
    }

    fn no_operator(&mut self, text: &str) -> Option<Operator> {
        let help = habits::operator(text)?;
        self.reported_operator(text, help)
    }

    fn reported_operator(&mut self, text: &str, help: &str) -> Option<Operator> {
        self.report(
            Diagnostic::error(format!("`{text}` is not an operator"))
                .at(self.span(), "")
                .help(help),
        );
        None
    }

    /// Whether the next token stands on the line of the one before it.
    pub(in super::super) fn is_on_line_of_last(&self) -> bool {
        let between = Span::new(self.behind().end as usize, self.span().start as usize);
        !self.source.at(between).contains('\n')
    }

    /// Whether nothing stands between the next token and the one before it.
    fn is_close_to_last(&self) -> bool {
        self.behind().end == self.span().start
    }

    /// Whether an operand starts with the token `ahead`, or an operator before one.
    fn is_operand(&self, ahead: usize) -> bool {
        match self.ahead(ahead).kind {
            TokenKind::Name | TokenKind::Number => true,
            TokenKind::Keyword => matches!(
                self.text_ahead(ahead),
                "true" | "false" | "null" | "this" | "old"
            ),
            TokenKind::Symbol("(" | "!") => true,
            _ => false,
        }
    }

    /// `not a`, `~a`, `+a`, `++a`: read as `!a` and `a`.
    pub(in super::super) fn other_prefix_operator(&mut self) -> Option<Parsed<Tall>> {
        let start = self.span();
        let text = self.text();
        let (help, negates) = match (self.token().kind, text) {
            // `not(a)` may be a call; the resolver knows.
            // What it is said of may be longer than what `!` is said of, so that a word for a word is not enough.
            (TokenKind::Name, "not") if self.is_operand(1) && self.text_ahead(1) != "(" => {
                (Hint::from("write `!`"), true)
            }
            (TokenKind::Symbol("~"), _) => (Hint::write("!"), true),
            (TokenKind::Symbol("+"), _) if self.text_ahead(1) == "+" => {
                return Some(Err(self.no_increment("+")));
            }
            (TokenKind::Symbol("+"), _) => (
                Hint::leave_out("leave it out: a number without a sign is not negative"),
                false,
            ),
            _ => return None,
        };
        self.report(
            Diagnostic::error(format!("`{text}` is not an operator"))
                .at(start, "")
                .help(help),
        );
        self.bump();
        // `not a == b` is what Python reads it as.
        let operand = self.nested(|parser| match text {
            "not" => parser.binary(Precedence::Compare),
            _ => parser.unary(),
        });
        let operand = match operand {
            Ok(operand) => operand,
            Err(failed) => return Some(Err(failed)),
        };
        Some(if negates {
            self.node(start, ExprSyntaxKind::Not(operand.expr), operand.height)
        } else {
            Ok(operand)
        })
    }

    /// `c ? a : b` and `a if c else b`, behind the first part: read as `if c then a else b`.
    pub(in super::super) fn other_conditional(&mut self, start: Span, first: Tall) -> Parsed<Tall> {
        let asks = self.is("?");
        if !asks && !self.is_value_before_if() {
            return Ok(first);
        }
        self.report(
            Diagnostic::error("a choice of two values is written in another way")
                .at(self.span(), "")
                .help("write `if c then a else b`"),
        );
        self.bump();
        let second = self.nested(Self::whole)?;
        let separated = if asks {
            self.eat(":")
        } else {
            self.eat_word("else")
        };
        if !separated {
            return Err(Failed);
        }
        let third = self.nested(Self::whole)?;
        let below = first.height.max(second.height).max(third.height);
        let (condition, then) = if asks {
            (first, second)
        } else {
            (second, first)
        };
        let kind = ExprSyntaxKind::If(condition.expr, then.expr, third.expr);
        self.node(start, kind, below)
    }

    /// Whether `if c else b` stands here, to the end of its line.
    fn is_value_before_if(&self) -> bool {
        if !self.is_word("if") || !self.is_on_line_of_last() {
            return false;
        }
        (1..LONGEST_LOOK)
            .map(|ahead| self.text_ahead(ahead))
            .take_while(|text| !matches!(*text, "{" | "}" | ";" | "then" | ""))
            .any(|text| text == "else")
    }

    /// `o->f`, `o?.f`, `o!.f`, `E::V` behind the part before them: whether there is one, which is then read as a dot.
    pub(in super::super) fn other_dot(&mut self) -> bool {
        if !self.is_close_to_last() {
            return false;
        }
        let (symbols, help) = match (self.text(), self.text_ahead(1)) {
            ("->" | "::", _) if self.ahead(1).kind == TokenKind::Name => (1, Hint::write(".")),
            ("?", ".") | ("!", ".") => (
                2,
                Hint::from("write `.`, and ask before whether it is `null`: `o != null && …`"),
            ),
            _ => return false,
        };
        let start = self.span();
        let end = self.ahead(symbols - 1).span;
        let place = start.to(end);
        let written = self.source.at(place).to_owned();
        self.report(
            Diagnostic::error(format!("`{written}` is not an operator"))
                .at(place, "")
                .help(help),
        );
        for _ in 0..symbols {
            self.bump();
        }
        true
    }

    /// `(int) e`, behind the `)`: read as `int(e)`.
    pub(in super::super) fn other_conversion(&mut self, start: Span, inner: Tall) -> Parsed<Tall> {
        let ExprSyntaxKind::Name(name) = &*inner.expr.kind else {
            return Ok(inner);
        };
        let name = name.clone();
        let converts = is_conversion(&name.name);
        let known = converts || matches!(name.name.as_str(), "bool" | "nat");
        if !known || !self.is_operand(0) || self.is("!") || !self.is_on_line_of_last() {
            return Ok(inner);
        }
        let help = match name.name.as_str() {
            "bool" => "write a comparison: `… != 0`".to_owned(),
            "nat" => {
                "leave it out: a `nat` is an `int` that is promised not to be negative".to_owned()
            }
            other => format!("write `{other}(…)`"),
        };
        let place = self.since(start);
        self.report_at(
            Diagnostic::error("a conversion is written in another way")
                .at(place, "")
                .help(help),
        );
        let operand = self.nested(Self::unary)?;
        if name.name == "bool" {
            return Err(Failed);
        }
        if !converts {
            return Ok(operand);
        }
        self.node(
            start,
            ExprSyntaxKind::Convert(name, operand.expr),
            operand.height,
        )
    }

    /// `u8 e` and `let x := …` behind their first word.
    pub(in super::super) fn other_word_before_operand(
        &mut self,
        word: &Ident,
    ) -> Option<Parsed<Tall>> {
        let converts = is_conversion(&word.name);
        let declares = word.name == "let" && self.is_name();
        if !converts && !declares
            || !self.is_operand(0)
            || self.is("!")
            || !self.is_on_line_of_last()
        {
            return None;
        }
        if declares {
            let help =
                "an expression declares nothing: write a statement before, or the value itself";
            return Some(Err(self.expected_with("an expression", help)));
        }
        self.report_at(
            Diagnostic::error("a conversion is written in another way")
                .at(word.span, "")
                .help(format!("write `{}(…)`", word.name)),
        );
        let operand = match self.nested(Self::unary) {
            Ok(operand) => operand,
            Err(failed) => return Some(Err(failed)),
        };
        let kind = ExprSyntaxKind::Convert(word.clone(), operand.expr);
        Some(self.node(word.span, kind, operand.height))
    }

    /// Behind `old`, which has no `(`.
    pub(in super::super) fn other_old(&mut self) -> Failed {
        self.expected_with("`(`", "write `old(…)`, with the whole expression in it")
    }

    /// Behind `a[i`.
    pub(in super::super) fn other_index(&mut self) -> Failed {
        let help = match self.text() {
            "," => Some("write `a[i][j]`"),
            ":" | ".." => Some("there are no parts of arrays: write a loop over the elements"),
            "=" | "->" | "=>" => Some("write `m[k := v]`"),
            _ => None,
        };
        match help {
            Some(help) => self.expected_with("`]`", help),
            None => self.expected("`]`"),
        }
    }

    /// `|a|`: read as `a.length`.
    fn length_in_bars(&mut self) -> Parsed<Tall> {
        let start = self.span();
        self.bump();
        let array = self.nested(Self::postfix)?;
        if !self.eat("|") {
            return Err(self.expected("`|`"));
        }
        let place = self.since(start);
        let written = self.source.at(array.expr.span);
        let help = Hint::write(format!("{}.length", super::super::shortened(written)));
        self.report_at(
            Diagnostic::error("the length of an array is written in another way")
                .at(place, "")
                .help(help),
        );
        let name = Ident {
            name: "length".to_owned(),
            span: place,
        };
        self.node(start, ExprSyntaxKind::Dot(array.expr, name), array.height)
    }

    /// Where an expression starts with something that no expression starts with.
    pub(in super::super) fn other_primary(&mut self) -> Parsed<Tall> {
        let help = match self.text() {
            "|" if self.token().kind == TokenKind::Symbol("|") => return self.length_in_bars(),
            "*" => {
                let diagnostic = Diagnostic::error("`*` cannot be part of an expression")
                    .at(self.span(), "")
                    .help("`*` is a whole condition of `if` or `while`, or the whole right side of `:=`");
                return Err(self.fail(diagnostic));
            }
            "new" => {
                let diagnostic = Diagnostic::error("`new` cannot be part of an expression")
                    .at(self.span(), "")
                    .help("assign it to a variable first: `x := new …;`");
                return Err(self.fail(diagnostic));
            }
            "[" => Some(
                "there are no arrays in expressions: make one with `a := new T[n];`, and assign its elements",
            ),
            "{" => Some("there are no sets and no maps in expressions, and no blocks"),
            "?" => Some("write `havoc x;` for any value of its type, `x := *;` for a boolean"),
            "var" => Some(
                "an expression declares nothing: write a statement before, or the value itself",
            ),
            "]" => Some("write the index of an element, or the key of a map"),
            ">" if self.is_close_to_last() => habits::operator(">>"),
            ":" => Some("leave the `:` out"),
            "else" | "catch" => Some("it stands behind the `}` of what it belongs to"),
            _ => None,
        };
        match help {
            Some(help) => Err(self.expected_with("an expression", help)),
            None => Err(self.expected("an expression")),
        }
    }

    /// `if c { a } else { b }` and `if (c) a else b`, behind the condition: read as `if c then a else b`.
    pub(in super::super) fn other_branches(&mut self) -> Parsed<(Tall, Tall)> {
        self.report(
            Diagnostic::error("`then` is missing")
                .at(self.span(), "expected `then`")
                .help("write `if c then a else b` for a choice of two values"),
        );
        let then = self.branch_in_braces()?;
        if !self.eat_word("else") {
            return Err(Failed);
        }
        Ok((then, self.branch_in_braces()?))
    }

    fn branch_in_braces(&mut self) -> Parsed<Tall> {
        if !self.eat("{") {
            return self.whole();
        }
        let value = self.whole()?;
        self.eat(";");
        self.expect("}")?;
        Ok(value)
    }
}

/// How far is looked for what a word belongs to.
const LONGEST_LOOK: usize = 100;
