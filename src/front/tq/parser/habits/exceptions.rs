//! Exceptions: thrown, caught, and what stands around them.

use super::super::super::ast::{Ident, StmtKind};
use super::super::super::token::TokenKind;
use super::super::{Parsed, Parser, shortened};
use crate::ir::Diagnostic;

impl Parser<'_> {
    /// Behind a word for `throw`.
    pub(super) fn raised(&mut self) -> Parsed<StmtKind> {
        let exception = self.name("the name of an exception")?;
        self.skip_parentheses();
        self.semicolon()?;
        Ok(StmtKind::Throw(exception))
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
                .help(format!(
                    "write `throw {};`: it has a name, and carries nothing",
                    shortened(&exception.name)
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
        let is_one = matches!(word, "except" | "rescue" | "on") && self.is_name();
        if is_one {
            self.report(
                Diagnostic::error(format!("there is no `{word}`"))
                    .at(self.span(), "")
                    .help("write `catch E { … }`"),
            );
            self.bump();
        }
        is_one
    }

    /// What a handler catches: its name. None, where all is to be caught; that is reported.
    pub(in super::super) fn caught(&mut self) -> Parsed<Option<Ident>> {
        let start = self.span();
        if self.is("{") {
            self.report(
                Diagnostic::error("a `catch` names its exception")
                    .at(self.behind(), "")
                    .help("write `catch E { … }`, one for each exception"),
            );
            return Ok(None);
        }
        let parenthesised = self.is("(") && self.ahead(1).kind == TokenKind::Name;
        if parenthesised {
            self.bump();
        }
        let first = self.name("the name of an exception")?;
        if !parenthesised && self.is("{") {
            return Ok(Some(first));
        }
        let (caught, several) = self.rest_of_caught(first)?;
        let help = if several {
            "write a `catch` for each exception".to_owned()
        } else {
            format!(
                "write `catch {} {{ … }}`: it has a name, and carries nothing",
                shortened(&caught.name)
            )
        };
        let place = self.since(start);
        self.report_at(
            Diagnostic::error("an exception is caught by its name")
                .at(place, "")
                .help(help),
        );
        Ok(Some(caught))
    }

    /// The exception that is caught, and whether there are several, up to the block.
    fn rest_of_caught(&mut self, first: Ident) -> Parsed<(Ident, bool)> {
        let mut caught = first;
        let mut several = false;
        for _ in 0..LONGEST_LIST {
            if self.is("{") {
                return Ok((caught, several));
            }
            several |= self.is("|") || self.is(",");
            let typed = self.eat(":");
            if !typed && !self.is_name() && !matches!(self.text(), "|" | "," | ")") {
                break;
            }
            if typed {
                caught = self.name("the name of an exception")?;
            } else {
                self.bump();
            }
        }
        Err(self.expected_with("`{`", "write `catch E { … }`"))
    }

    /// `finally { … }`: reported; what is in it is looked at. Whether there was one.
    pub(in super::super) fn other_finally(&mut self) -> Parsed<bool> {
        if !self.is_word("finally") || self.text_ahead(1) != "{" {
            return Ok(false);
        }
        self.report(
            Diagnostic::error("there is no `finally`")
                .at(self.span(), "")
                .help("write its statements behind the `try`, and at the end of each `catch`"),
        );
        self.bump();
        self.block()?;
        Ok(true)
    }
}

/// How far the exceptions of one handler are read.
const LONGEST_LIST: usize = 200;
