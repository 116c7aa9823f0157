//! Quantifiers.

use super::super::super::ast::ParamSyntax;
use super::super::{Parsed, Parser};
use super::types::type_called;
use crate::ir::{Diagnostic, Quantifier};

impl Parser<'_> {
    /// The bound variables where they are not `x: T` one after the other.
    pub(in super::super) fn other_bound(&mut self, quantifier: Quantifier) -> Parsed<ParamSyntax> {
        let word = word_of(quantifier);
        let name = self.name("the name of a variable")?;
        if self.is_name() && !self.is_word("in") {
            return self.other_param(name);
        }
        if self.is_word("in") {
            let help = format!(
                "write `{word} i: int :: {}`",
                within("0 <= i < a.length", quantifier)
            );
            return Err(self.expected_with("`:`", &help));
        }
        if !self.is("::") && !self.is(",") {
            return Err(self.expected("`:`"));
        }
        self.report_at(
            Diagnostic::error(format!("the type of `{}` is missing", name.name))
                .at(name.span, "")
                .help(format!("write `{word} {}: int :: …`", name.name)),
        );
        let ty = type_called("int", name.span);
        Ok(ParamSyntax::new(name, ty))
    }

    /// `forall (x: T) :: e`, `exists(x: T :: e)`: reports the parenthesis, and goes past it.
    pub(in super::super) fn other_parenthesis(&mut self, quantifier: Quantifier) -> bool {
        if !self.is("(") {
            return false;
        }
        let word = word_of(quantifier);
        self.report(
            Diagnostic::error(format!(
                "the variables of `{word}` stand without parentheses"
            ))
            .at(self.span(), "")
            .help(format!("write `{word} x: T :: …`")),
        );
        self.bump();
        true
    }

    /// Behind the bound variables, where `::` is expected.
    pub(in super::super) fn other_range(&mut self, quantifier: Quantifier) -> Parsed<()> {
        let word = word_of(quantifier);
        match self.text() {
            "|" => {
                let help = format!("write `{word} x: T :: {}`", within("range", quantifier));
                Err(self.expected_with("`::`", &help))
            }
            "." | ":" | "=>" | "->" | "," => {
                self.report(
                    Diagnostic::error(format!("expected `::`, found `{}`", self.text()))
                        .at(self.span(), "expected `::`")
                        .help(format!("write `{word} x: T :: …`")),
                );
                self.bump();
                Ok(())
            }
            _ => {
                let help = format!("write `{word} x: T :: …`");
                Err(self.expected_with("`::`", &help))
            }
        }
    }
}

fn word_of(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Forall => "forall",
        Quantifier::Exists => "exists",
    }
}

/// What is said of the values in a range only.
fn within(range: &str, quantifier: Quantifier) -> String {
    match quantifier {
        Quantifier::Forall => format!("{range} ==> …"),
        Quantifier::Exists => format!("{range} && …"),
    }
}
