//! Variables that are declared, and what is assigned.

use super::super::super::ast::{
    ExprSyntax, ExprSyntaxKind, Ident, Rhs, StmtSyntaxKind, TypeSyntax,
};
use super::super::super::habits;
use super::super::super::token::TokenKind;
use super::super::{Failed, Parsed, Parser, shortened};
use super::types::type_first;
use crate::ir::span::Span;
use crate::ir::{Diagnostic, Hint};

impl Parser<'_> {
    /// `++x` and `--x`
    pub(in super::super) fn no_increment(&mut self, operator: &str) -> Failed {
        let target = shortened(self.text_ahead(2));
        let diagnostic = Diagnostic::error("there is no such assignment")
            .at(self.span().to(self.ahead(1).span), "")
            .help(format!("write `{target} := {target} {operator} 1;`"));
        self.fail(diagnostic)
    }

    /// `name: …` at the start of a statement: a label, or a declaration without `var`.
    pub(super) fn name_and_colon(&mut self) -> Parsed<StmtSyntaxKind> {
        let name = self.name("a name")?;
        let labels = matches!(
            self.text_ahead(1),
            "for" | "foreach" | "do" | "loop" | "if" | "try" | "switch"
        );
        if labels {
            self.report_at(
                Diagnostic::error("only a `while` and a block have a label")
                    .at(name.span, "")
                    .help("write a block around it: `name: { … }`, which `break name;` leaves"),
            );
            self.bump();
            return self.nested(Self::statement_kind);
        }
        let ty = match self.ahead(1).kind {
            TokenKind::Name => shortened(self.text_ahead(1)),
            _ => "T".to_owned(),
        };
        self.report_at(
            Diagnostic::error("a variable is declared with `var`")
                .at(name.span, "")
                .help(Hint::instead(
                    format!("write `var {}: {ty} := …;`", shortened(&name.name)),
                    format!("var {}", name.name),
                )),
        );
        self.rest_of_declaration(name, None)
    }

    /// `T x := e;`, `let x := e;`: read as `var x: T := e;`, where the type is said.
    pub(super) fn declared_without_var(&mut self, word: &str) -> Parsed<StmtSyntaxKind> {
        let first = self.name("a name")?;
        let second = self.name("a name")?;
        let place = first.span.to(second.span);
        let (name, ty) = if habits::statement(word).is_some() {
            (second, None)
        } else {
            let (name, ty) = type_first(first, second);
            (name, Some(ty))
        };
        let written = match (&ty, self.text()) {
            (Some(ty), _) => shortened(&ty.name),
            (None, ":") => "T".to_owned(),
            _ => self.type_of_value(1),
        };
        let help = format!("write `var {}: {written} := …;`", shortened(&name.name));
        let help = match (&ty, self.text()) {
            (Some(ty), _) => Hint::instead(help, format!("var {}: {}", name.name, ty.name)),
            (None, ":") => Hint::instead(help, format!("var {}", name.name)),
            // The type is no more than likely.
            _ => Hint::from(help),
        };
        self.report_at(
            Diagnostic::error("a variable is declared with `var`")
                .at(place, "")
                .help(help),
        );
        self.rest_of_declaration(name, ty.map(TypeSyntax::Name))
    }

    fn rest_of_declaration(
        &mut self,
        name: Ident,
        ty: Option<TypeSyntax>,
    ) -> Parsed<StmtSyntaxKind> {
        let ty = match ty {
            Some(ty) => ty,
            None if self.eat(":") => self.ty()?,
            None => {
                self.holes = true;
                return Err(Failed);
            }
        };
        let value = if self.eat("=") || self.eat(":=") {
            Some(self.rhs()?)
        } else {
            None
        };
        self.end_of_declaration("var")?;
        Ok(StmtSyntaxKind::Var { name, ty, value })
    }

    /// `const x: T := e;` in a body.
    pub(in super::super) fn constant_in_body(&mut self) -> Parsed<StmtSyntaxKind> {
        self.report(
            Diagnostic::error("a constant stands in the class, not in a body")
                .at(self.span(), "")
                .help(Hint::instead("write `var` here", "var")),
        );
        self.var_statement()
    }

    /// What cannot be assigned, and is no call.
    pub(in super::super) fn no_statement(&mut self, e: &ExprSyntax) -> Failed {
        let name = match &*e.kind {
            ExprSyntaxKind::Name(name) => Some(shortened(&name.name)),
            _ => None,
        };
        let help = match (self.text(), name) {
            ("==", _) => {
                let diagnostic = Diagnostic::error("a comparison is not a statement")
                    .at(self.span(), "")
                    .help(Hint::instead("write `:=` to assign", ":="));
                return self.fail(diagnostic);
            }
            ("=>" | "->" | "<=" | "=<", _) => "write `:=` to assign".to_owned(),
            ("<", _) if self.text_ahead(1) == "-" => "write `:=` to assign".to_owned(),
            (";", Some(name)) => format!("a call is written `{name}();`"),
            (_, Some(name)) if self.token().kind == TokenKind::Number => {
                format!("a call is written `{name}(…);`")
            }
            _ => return self.expected("`:=`"),
        };
        self.expected_with("`:=`", &help)
    }

    /// Behind the right side of an assignment.
    pub(in super::super) fn end_of_assignment(&mut self) -> Parsed<()> {
        let help = match self.text() {
            "," => "write an assignment for each place: only the results of one call go to several",
            ":=" | "=" => "write one assignment after the other",
            _ => return self.semicolon(),
        };
        Err(self.expected_with("`;`", help))
    }

    /// Behind `new T` where neither `[` nor `(` stands, or the wrong one.
    pub(in super::super) fn other_allocation(
        &mut self,
        ty: &TypeSyntax,
        start: Span,
    ) -> Parsed<Rhs> {
        let written = self.written(start);
        let help = match (ty, self.text()) {
            (TypeSyntax::Array(_), "(") => {
                let element = written
                    .strip_prefix("array<")
                    .and_then(|rest| rest.strip_suffix('>'))
                    .unwrap_or("T");
                format!("write `new {element}[n]`")
            }
            (TypeSyntax::Map(..), _) => {
                "a map is not made: it has a value for every key, and `havoc m;` gives any such map"
                    .to_owned()
            }
            (TypeSyntax::Name(class), ";") => format!("write `new {}()`", shortened(&class.name)),
            _ => return Err(self.expected("`(` or `[`")),
        };
        Err(self.expected_with("`(` or `[`", &help))
    }

    /// Behind `new T[n]` or `new C(…)`.
    pub(in super::super) fn end_of_allocation(&mut self) -> Parsed<()> {
        let help = match self.text() {
            "{" => "assign the elements one after the other",
            "." => "assign the object to a variable first",
            "[" => {
                "an array of arrays is `new array<T>?[n]`, whose elements are made one after the other"
            }
            _ => return Ok(()),
        };
        Err(self.expected_with("`;`", help))
    }
}
