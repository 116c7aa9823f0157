//! Statements.

use super::super::super::ast::{BlockSyntax, StmtSyntaxKind};
use super::super::super::habits;
use super::super::super::names::did_you_mean;
use super::super::super::token::TokenKind;
use super::super::{Failed, Parsed, Parser, shortened};
use crate::ir::{Diagnostic, Hint};

/// The reserved words with which a statement starts.
const STATEMENTS: [&str; 13] = [
    "assert", "assume", "break", "continue", "for", "havoc", "if", "return", "switch", "throw",
    "try", "var", "while",
];

impl Parser<'_> {
    /// A statement that is none here, if there is one; reported, and read as what is meant where that is clear.
    pub(in super::super) fn other_statement(&mut self) -> Option<Parsed<StmtSyntaxKind>> {
        let word = self.text();
        match self.token().kind {
            TokenKind::Symbol("+" | "-") if self.text_ahead(1) == word => {
                Some(Err(self.no_increment(word)))
            }
            TokenKind::Keyword => self.keyword_elsewhere(word).map(Err),
            TokenKind::Name => self.other_name_first(word),
            _ => None,
        }
    }

    /// A `;` where a statement may start: whether there was one, which is reported.
    pub(in super::super) fn skip_empty_statement(&mut self) -> bool {
        if !self.is(";") {
            return false;
        }
        self.report(
            Diagnostic::error("there is no empty statement")
                .at(self.span(), "")
                .help(Hint::leave_out(
                    "leave the `;` out: none stands behind a `}`",
                )),
        );
        self.bump();
        true
    }

    /// A reserved word that starts something else.
    fn keyword_elsewhere(&mut self, word: &str) -> Option<Failed> {
        let help = match word {
            "else" | "catch" | "finally" => "it stands behind the `}` of what it belongs to",
            "case" | "default" => "it stands in a `switch (e) { case A { … } default { … } }`",
            _ => habits::statement(word)?,
        };
        Some(self.expected_with("a statement", help))
    }

    fn other_name_first(&mut self, word: &str) -> Option<Parsed<StmtSyntaxKind>> {
        let next = self.ahead(1).kind;
        // `raise E;`
        if matches!(word, "raise" | "rethrow") && next == TokenKind::Name {
            let diagnostic = Diagnostic::error(format!("there is no `{word}`"))
                .at(self.span(), "")
                .help(Hint::write("throw"));
            self.report(diagnostic);
            self.bump();
            return Some(self.raised());
        }
        if let Some(help) = self.help_before_block(word) {
            self.foreign(word, help);
            return Some(Ok(StmtSyntaxKind::Block(BlockSyntax::default())));
        }
        if self.ahead(1).kind == TokenKind::Symbol(":") {
            return Some(self.name_and_colon());
        }
        if let (Some(help), TokenKind::Name) = (habits::modifier(word), next) {
            self.report(
                Diagnostic::error(format!("there is no `{word}`"))
                    .at(self.span(), "")
                    .help(Hint::leave_out(help)),
            );
            self.bump();
            return Some(self.nested(Self::statement_kind));
        }
        let declares =
            next == TokenKind::Name && matches!(self.text_ahead(2), ":=" | "=" | ";" | ":" | ",");
        let misspelt = did_you_mean(word, STATEMENTS);
        let declares = declares && misspelt.is_none();
        if declares && habits::statement(word).is_none_or(|help| help.contains("var ")) {
            return Some(self.declared_without_var(word));
        }
        let is_odd = matches!(
            next,
            TokenKind::Name | TokenKind::Keyword | TokenKind::Number | TokenKind::Symbol("{" | ";")
        );
        let help = habits::statement(word).map(Hint::from).or(misspelt);
        match help {
            Some(help) if is_odd => {
                let diagnostic = Diagnostic::error(format!("there is no `{}`", shortened(word)))
                    .at(self.span(), "")
                    .help(help);
                Some(Err(self.fail(diagnostic)))
            }
            _ => None,
        }
    }

    /// What is said of a statement with a block that only other languages have, if one starts here.
    fn help_before_block(&self, word: &str) -> Option<Hint> {
        let assigns = matches!(self.text_ahead(1), ":=" | "=" | "." | "[" | ",");
        if assigns || !self.is_before_block() {
            return None;
        }
        let misspelt = || did_you_mean(word, ["if", "try", "while"]);
        habits::statement(word).map(Hint::from).or_else(misspelt)
    }

    /// Says what to write for such a statement, and skips it.
    fn foreign(&mut self, word: &str, help: Hint) {
        self.report(
            Diagnostic::error(format!("there is no `{}`", shortened(word)))
                .at(self.span(), "")
                .help(help),
        );
        self.skip_head();
        self.skip_group();
        if self.eat_word("until") || word == "do" && self.eat_word("while") {
            while !self.is(";") && !self.is("}") && !self.is_end() {
                self.bump();
            }
            self.eat(";");
        }
    }

    /// Whether a block follows on this line, before anything ends.
    fn is_before_block(&self) -> bool {
        let mut open = 0_usize;
        for ahead in 1..LONGEST_HEAD {
            match self.text_ahead(ahead) {
                "(" => open += 1,
                ")" if open > 0 => open -= 1,
                "{" => return open == 0,
                "" | "}" | ")" => return false,
                ";" if open == 0 => return false,
                _ => {}
            }
        }
        false
    }

    /// Behind `for`, where something else stands than the variable that counts.
    pub(in super::super) fn other_count(&mut self) -> Parsed<()> {
        let is_named = self.is_name() && matches!(self.text_ahead(1), ":=" | ":" | "=");
        if is_named && self.is_on_line_of_last() {
            return Ok(());
        }
        Err(self.no_count("the variable that counts"))
    }

    /// A `for` that does not count.
    pub(in super::super) fn no_count(&mut self, expected: &str) -> Failed {
        let help = "write `for i := a to b { … }`, which counts from `a` to `b - 1`; all other loops are `while`s, with what they start with \
                    before them";
        let failed = self.expected_with(expected, help);
        self.skip_head();
        failed
    }

    /// Skips what is left of the head of a statement: a `;` in parentheses is part of it.
    fn skip_head(&mut self) {
        let mut open = 0_usize;
        while !self.is("{") && !self.is("}") && !self.is_end() && !self.at_outside() {
            match self.text() {
                "(" => open += 1,
                ")" => open = open.saturating_sub(1),
                ";" if open == 0 => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Behind the condition of `assert` or `assume`.
    pub(in super::super) fn end_of_condition(&mut self) -> Parsed<()> {
        if self.is(",") {
            let help = "leave out what stands behind the condition: there are no messages";
            return Err(self.expected_with("`;`", help));
        }
        self.semicolon()
    }

    /// Behind `break` and `continue`.
    pub(in super::super) fn end_of_jump(&mut self, word: &str) -> Parsed<()> {
        if matches!(self.token().kind, TokenKind::Name | TokenKind::Number)
            && self.is_on_line_of_last()
        {
            let help =
                format!("`{word}` belongs to the innermost loop, or to the one that it names");
            return Err(self.expected_with("`;`", &help));
        }
        self.semicolon()
    }

    /// Behind the condition of `if` or `while`, before the block.
    pub(in super::super) fn other_block_start(&mut self) -> Parsed<()> {
        let help = match self.text() {
            "then" | "do" | ":" => "leave it out, and write the statements in braces: `{ … }`",
            "decreases" | "variant" => "leave it out: that a loop ends is not asked here",
            "modifies" => "leave it out: what a loop changes is seen",
            "," => "join the conditions with `&&`, or write a second `invariant`",
            _ => return Ok(()),
        };
        Err(self.expected_with("`{`", help))
    }

    /// `case A => …`, where the sign would be taken for a part of the value.
    pub(in super::super) fn other_case(&mut self) -> Parsed<()> {
        let Some(sign) = [1, 3].into_iter().find(|n| self.text_ahead(*n) == "=>") else {
            return Ok(());
        };
        for _ in 0..sign {
            self.bump();
        }
        self.case_start()
    }

    /// Behind the values of a case, before its block.
    pub(in super::super) fn case_start(&mut self) -> Parsed<()> {
        let help = match self.text() {
            ":" | "=>" | "->" => {
                "leave it out, and write the statements in braces: `case A, B { … }`"
            }
            "when" | "if" => "write an `if` in the case: a case has values, and nothing else",
            _ => return Ok(()),
        };
        Err(self.expected_with("`{`", help))
    }

    /// Behind the last case.
    pub(in super::super) fn end_of_cases(&mut self, has_default: bool) -> Failed {
        let expected = match has_default {
            true => "`}`",
            false => "`case`, `default` or `}`",
        };
        let help = match self.text() {
            "case" | "default" => "there is one `default`, behind all cases",
            _ => "each case is a block: `case A, B { … }`",
        };
        self.expected_with(expected, help)
    }

    /// `elif`, behind a block: read as `else if`, at whose `if` the parser stands then.
    pub(in super::super) fn other_else_if(&mut self) -> bool {
        let word = self.text();
        if !self.is_name() || !matches!(word, "elif" | "elsif" | "elseif") {
            return false;
        }
        self.report(
            Diagnostic::error(format!("there is no `{word}`"))
                .at(self.span(), "")
                .help(Hint::write("else if")),
        );
        true
    }
}

/// How far the head of a statement is looked through for its block.
const LONGEST_HEAD: usize = 200;
