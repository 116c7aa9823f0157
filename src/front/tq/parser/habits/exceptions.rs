//! Exceptions: thrown, caught, and what stands around them.

use super::super::super::ast::{Ident, StmtSyntaxKind};
use super::super::super::token::TokenKind;
use super::super::{Parsed, Parser, shortened};
use crate::ir::{Diagnostic, Hint};

impl Parser<'_> {
    /// Behind a word for `throw`.
    pub(super) fn raised(&mut self) -> Parsed<StmtSyntaxKind> {
        let exception = self.name("the name of an exception")?;
        self.skip_parentheses();
        self.semicolon()?;
        Ok(StmtSyntaxKind::Throw(Some(exception)))
    }

    /// `throw new E(…);`, `throw E(…);` behind the `throw`: read as `throw E;`.
    pub(in super::super) fn thrown_exception(&mut self) -> Parsed<Ident> {
        let start = self.span();
        let makes = self.eat_word("new");
        if self.is(";") {
            let help = "write `throw E;`, with the name of the exception";
            return Err(self.expected_with("the name of an exception", help));
        }
        let exception = self.name("the name of an exception")?;
        if !makes && !self.is("(") {
            return Ok(exception);
        }
        self.skip_parentheses();
        let place = self.since(start);
        self.report_at(
            Diagnostic::error("an exception is no object")
                .at(place, "")
                .help(Hint::instead(
                    format!(
                        "write `throw {};`: it has a name, and carries nothing",
                        shortened(&exception.name)
                    ),
                    exception.name.as_str(),
                )),
        );
        Ok(exception)
    }

    /// Goes past `( … )`, if there is one, as far as it is closed before the statement ends.
    fn skip_parentheses(&mut self) {
        if !self.is("(") {
            return;
        }
        let mut open = 0_usize;
        while !self.is_end() && !matches!(self.text(), ";" | "{" | "}") {
            match self.text() {
                "(" => open += 1,
                ")" => open = open.saturating_sub(1),
                _ => {}
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }

    /// Whether a handler starts here; one that is called otherwise is reported.
    pub(in super::super) fn at_handler(&mut self) -> bool {
        if self.eat_word("catch") {
            return true;
        }
        let word = self.text();
        let is_one =
            matches!(word, "except" | "rescue" | "on") && self.is_name() && self.opens_handler();
        if is_one {
            self.report(
                Diagnostic::error(format!("there is no `{word}`"))
                    .at(self.span(), "")
                    .help(Hint::instead("write `catch E { … }`", "catch")),
            );
            self.bump();
        }
        is_one
    }

    /// Whether what is behind the next word is that of a handler: what is called so may also be a variable or a routine.
    fn opens_handler(&self) -> bool {
        const MOST: usize = 16;
        if self.text_ahead(1) != "(" {
            return self.text_ahead(1) == "{" || self.ahead(1).kind == TokenKind::Name;
        }
        let closed = (2..MOST).find(|n| self.text_ahead(*n) == ")");
        closed.is_some_and(|n| matches!(self.text_ahead(n + 1), "{" | ":"))
    }

    /// What a handler catches: their names; none for all.
    pub(in super::super) fn caught(&mut self) -> Parsed<Vec<Ident>> {
        if self.is("{") {
            return Ok(Vec::new());
        }
        let start = self.span();
        let parenthesised = self.is("(") && self.ahead(1).kind == TokenKind::Name;
        if parenthesised {
            self.bump();
        }
        let mut caught = self.names("the name of an exception")?;
        if !parenthesised && self.is("{") {
            return Ok(caught);
        }
        let several = caught.len() > 1 || self.is("|");
        self.rest_of_caught(&mut caught)?;
        let first = caught.last().map_or("E", |last| shortened_name(last));
        let help = if several {
            "write `catch E, F { … }`".to_owned()
        } else {
            format!("write `catch {first} {{ … }}`: it has a name, and carries nothing")
        };
        let place = self.since(start);
        self.report_at(
            Diagnostic::error("an exception is caught by its name")
                .at(place, "")
                .help(help),
        );
        Ok(caught)
    }

    /// What else stands before the block of a handler: a variable, or a type behind it.
    fn rest_of_caught(&mut self, caught: &mut Vec<Ident>) -> Parsed<()> {
        for _ in 0..LONGEST_LIST {
            if self.is("{") {
                return Ok(());
            }
            let typed = self.eat(":");
            if !typed && !self.is_name() && !matches!(self.text(), "|" | "," | ")") {
                break;
            }
            if typed {
                *caught = vec![self.name("the name of an exception")?];
            } else {
                self.bump();
            }
        }
        Err(self.expected_with("`{`", "write `catch E { … }`"))
    }
}

/// A name that is short enough for a message; else a letter for it.
fn shortened_name(name: &Ident) -> &str {
    if name.name.len() <= 40 {
        &name.name
    } else {
        "E"
    }
}

/// How far the exceptions of one handler are read.
const LONGEST_LIST: usize = 200;
