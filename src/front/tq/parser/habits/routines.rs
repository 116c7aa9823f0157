//! Headers of routines, their contracts, and functions.

use super::super::super::ast::{Ident, ParamSyntax};
use super::super::super::habits;
use super::super::super::token::TokenKind;
use super::super::{Failed, Parsed, Parser, shortened};
use crate::ir::span::Span;
use crate::ir::{Diagnostic, Hint};

/// The words with which a clause starts, or results.
const CLAUSES: [&str; 7] = [
    "enabled", "ensures", "modifies", "outcomes", "requires", "returns", "throws",
];

impl Parser<'_> {
    /// Behind the name of a routine that has no `(`.
    pub(in super::super) fn other_params(&mut self, name: Option<&Ident>) -> Failed {
        let name = name.map_or("constructor", |name| name.name.as_str());
        if self.is_name() {
            let help = format!("leave `{}` out: a name is one word", shortened(name));
            return self.expected_with("`(`", &help);
        }
        let help = format!("without parameters it is `{}()`", shortened(name));
        self.expected_with("`(`", &help)
    }

    /// `: T` or `-> T` behind the parameters: read as `returns (result: T)`.
    pub(in super::super) fn other_results(&mut self) -> Parsed<Option<Vec<ParamSyntax>>> {
        if !self.is(":") && !self.is("->") && !self.is("=>") {
            return Ok(None);
        }
        let sign = self.span();
        self.bump();
        if self.is("(") {
            self.report_at(
                Diagnostic::error("results are declared with `returns`")
                    .at(sign, "")
                    .help("write `returns (name: T)`"),
            );
            return self.params().map(Some);
        }
        if matches!(self.text(), "void" | "unit" | "None") {
            let help = "leave it out: what gives nothing has no `returns`";
            return Err(self.expected_with("a result", help));
        }
        let start = self.span();
        let ty = self.ty()?;
        let written = self.written(start);
        self.report_at(
            Diagnostic::error("results have names")
                .at(self.since(sign), "")
                .help(format!("write `returns (result: {written})`")),
        );
        let name = named_result(self.since(sign));
        Ok(Some(vec![ParamSyntax::new(name, ty)]))
    }

    /// `returns T` and `returns r: T`, behind the word.
    pub(in super::super) fn results(&mut self) -> Parsed<Vec<ParamSyntax>> {
        if self.is("(") && self.is_one_type_in_parentheses() {
            return self.results_without_names();
        }
        if !self.is_name() {
            return self.params();
        }
        let start = self.span();
        if self.text_ahead(1) == ":" {
            let param = self.param()?;
            let written = self.written(start);
            self.report_at(
                Diagnostic::error("results stand in parentheses")
                    .at(self.since(start), "")
                    .help(Hint::instead(
                        format!("write `returns ({written})`"),
                        format!("({written})"),
                    )),
            );
            return Ok(vec![param]);
        }
        let ty = self.ty()?;
        let written = self.written(start);
        self.unnamed_result(start, &written);
        let name = named_result(self.since(start));
        Ok(vec![ParamSyntax::new(name, ty)])
    }

    /// Whether `(T)` stands here.
    fn is_one_type_in_parentheses(&self) -> bool {
        self.ahead(1).kind == TokenKind::Name && self.text_ahead(2) == ")"
    }

    fn results_without_names(&mut self) -> Parsed<Vec<ParamSyntax>> {
        self.bump();
        let start = self.span();
        let ty = self.ty()?;
        let written = self.written(start);
        self.unnamed_result(start, &written);
        self.expect(")")?;
        let name = named_result(start);
        Ok(vec![ParamSyntax::new(name, ty)])
    }

    fn unnamed_result(&mut self, start: Span, written: &str) {
        self.report_at(
            Diagnostic::error("results have names")
                .at(self.since(start), "")
                .help(format!("write `returns (result: {written})`")),
        );
    }

    /// Behind `throws` and behind its exception.
    pub(in super::super) fn other_throws(&mut self) -> Parsed<()> {
        match self.text() {
            "," => Err(self.expected_with(
                "the next clause",
                "write `throws` before each: `throws E throws F`",
            )),
            "(" => {
                Err(self.expected_with("the name of an exception", "write it alone: `throws E`"))
            }
            _ => Ok(()),
        }
    }

    /// Where a field is named in `modifies`.
    pub(in super::super) fn other_field_path(&mut self) -> Option<Failed> {
        let help = match (self.text(), self.text_ahead(1)) {
            ("this", ".") => "leave out `this.`: fields are named alone, `modifies f, g`",
            ("this", _) | ("*", _) | ("{", _) => "name the fields: `modifies f, g`",
            ("(", _) => "write the names of fields without parentheses: `modifies f, g`",
            _ => return None,
        };
        Some(self.expected_with("the name of a field", help))
    }

    /// Where neither a body nor a clause follows a header.
    pub(in super::super) fn other_clause(&mut self) -> Failed {
        let help = match self.text() {
            "," => Some(Hint::from(
                "join conditions with `&&`, or write another clause",
            )),
            "=" => Some(Hint::from("write the body in braces: `{ … }`")),
            text => habits::clause(text)
                .map(Hint::from)
                .or_else(|| self.meant(&CLAUSES)),
        };
        let what = "a body `{ … }`, a clause of the contract or `;`";
        let diagnostic = self.unexpected(what, what).maybe_help(help);
        self.fail(diagnostic)
    }
}

/// Functions.
impl Parser<'_> {
    /// Behind the parameters of a function that has no `:`.
    pub(in super::super) fn other_function_type(&mut self) -> Parsed<()> {
        let help = match self.text() {
            "->" | "=>" => "write `:` and the type of its value",
            "returns" => "a function has one value without a name: write `: T`",
            "{" | "=" | ":=" => "write `: T`, the type of its value, before it",
            _ => return self.expect(":"),
        };
        Err(self.expected_with("`:`", help))
    }

    /// Before the body of a function.
    pub(in super::super) fn other_function_body(&mut self) -> Parsed<()> {
        let help = match self.text() {
            "=" | ":=" | "=>" => "write its value in braces: `{ e }`",
            "requires" | "ensures" | "reads" | "decreases" => {
                "a function has no contract: it is a name for an expression"
            }
            _ => return self.expect("{"),
        };
        Err(self.expected_with("`{`", help))
    }

    /// `return` before the value of a function: goes past it.
    pub(in super::super) fn skip_return_in_function(&mut self) -> bool {
        if !self.is_word("return") {
            return false;
        }
        self.report(
            Diagnostic::error("`return` in a function")
                .at(self.span(), "")
                .help("its body is its value: write the expression alone, `{ e }`"),
        );
        self.bump();
        true
    }

    /// Behind the value of a function.
    pub(in super::super) fn end_of_function(&mut self, returned: bool) -> Parsed<()> {
        if returned {
            self.eat(";");
        } else if self.is(";") && self.text_ahead(1) == "}" {
            self.report(
                Diagnostic::error("a `;` in a function")
                    .at(self.span(), "")
                    .help("leave it out: its body is an expression, not a statement"),
            );
            self.bump();
        }
        if self.is("}") {
            self.bump();
            return Ok(());
        }
        Err(self.expected_with("`}`", "the body of a function is one expression"))
    }
}

/// A result that was given no name.
fn named_result(span: Span) -> Ident {
    Ident {
        name: "result".to_owned(),
        span,
    }
}
