//! Types and parameters.

use super::super::super::ast::{Ident, ParamSyntax, TypeSyntax};
use super::super::super::habits::{self, Container};
use super::super::super::names::{did_you_mean, is_builtin_type};
use super::super::super::token::TokenKind;
use super::super::{Failed, Parsed, Parser, shortened};
use crate::ir::span::Span;
use crate::ir::{Diagnostic, Hint};

impl Parser<'_> {
    /// Reports a type that is written in another way here; it is taken for what is meant.
    fn type_is_written(&mut self, place: Span, meant: &str) {
        let written = shortened(self.source.at(place)).to_owned();
        self.report_at(
            Diagnostic::error(format!("`{written}` is not a type here"))
                .at(place, "")
                .help(Hint::write(meant)),
        );
    }

    /// `[T]`, `?T`, `&T`, `*T`
    pub(in super::super) fn other_prefix(&mut self) -> Parsed<TypeSyntax> {
        let start = self.span();
        let prefix = self.text();
        if !matches!(prefix, "[" | "?" | "&" | "*") {
            let help = (prefix == "(").then(|| {
                "a value has no parts: write a class with a field for each, or several results"
                    .to_owned()
            });
            let diagnostic = self.unexpected("a type", "a type").maybe_help(help);
            return Err(self.fail(diagnostic));
        }
        self.bump();
        let inner_start = self.span();
        let inner = self.nested(Self::element_type)?;
        let written = self.written(inner_start);
        match prefix {
            "[" => {
                self.expect("]")?;
                self.type_is_written(self.since(start), &format!("array<{written}>"));
                Ok(TypeSyntax::Array(Box::new(inner)))
            }
            "?" => {
                self.type_is_written(self.since(start), &format!("{written}?"));
                Ok(TypeSyntax::Nullable(Box::new(inner)))
            }
            _ => {
                self.type_is_written(self.since(start), &written);
                Ok(inner)
            }
        }
    }

    /// What is written since a place, in short.
    pub(in super::super) fn written(&self, start: Span) -> String {
        shortened(self.source.at(self.since(start)))
    }

    /// Behind the name of a type that is neither `array<` nor `map<`.
    pub(in super::super) fn other_type(&mut self, name: Ident) -> Parsed<TypeSyntax> {
        let start = name.span;
        if self.is("<") {
            return self.other_container(name);
        }
        let named = name.name.as_str();
        if named == "array" && self.is_word("of") {
            self.bump();
            return self.other_array(start, None);
        }
        if named == "array" && self.is("[") && self.ahead(1).kind == TokenKind::Name {
            self.bump();
            return self.other_array(start, Some("]"));
        }
        if named == "mapping" && self.eat("(") {
            let key_start = self.span();
            let key = self.element_type()?;
            let key_text = self.written(key_start);
            if !self.eat("=>") {
                self.expect("->")?;
            }
            let value_start = self.span();
            let value = self.element_type()?;
            let meant = format!("map<{key_text}, {}>", self.written(value_start));
            self.expect(")")?;
            self.type_is_written(self.since(start), &meant);
            return Ok(TypeSyntax::Map(Box::new(key), Box::new(value)));
        }
        if matches!(named, "unsigned" | "signed" | "long" | "short") && self.is_name() {
            let meant = if named == "unsigned" { "nat" } else { "int" };
            self.bump();
            self.type_is_written(self.since(start), meant);
            return Ok(type_called(meant, start));
        }
        Ok(TypeSyntax::Name(name))
    }

    /// The element type of an array whose type is written in another way.
    fn other_array(&mut self, start: Span, end: Option<&'static str>) -> Parsed<TypeSyntax> {
        let inner = self.span();
        let element = self.nested(Self::element_type)?;
        let meant = format!("array<{}>", self.written(inner));
        if let Some(end) = end {
            self.expect(end)?;
        }
        self.type_is_written(self.since(start), &meant);
        Ok(TypeSyntax::Array(Box::new(element)))
    }

    /// `set<T>` and its like, at the `<`.
    fn other_container(&mut self, name: Ident) -> Parsed<TypeSyntax> {
        let start = name.span;
        self.bump();
        let mut inner = Vec::new();
        let mut texts = Vec::new();
        loop {
            let place = self.span();
            inner.push(self.ty()?);
            texts.push(self.written(place));
            if !self.eat(",") {
                break;
            }
        }
        self.expect(">")?;
        let Some(container) = habits::container(&name.name, inner.len()) else {
            let known = ["array", "map"];
            let no_more = "no type has others in it but `array<T>` and `map<K, V>`".to_owned();
            let help = did_you_mean(&name.name, known).unwrap_or(no_more.into());
            let place = self.since(start);
            self.report_at(
                Diagnostic::error(format!("there is no type `{}<…>`", name.name))
                    .at(place, "")
                    .help(help),
            );
            return Err(Failed);
        };
        let (meant, ty) = container.of(&texts, inner, start);
        self.type_is_written(self.since(start), &meant);
        Ok(ty)
    }

    /// `T[]`, `T*`, `T | null`, `T -> U`
    pub(in super::super) fn other_suffix(
        &mut self,
        start: Span,
        ty: &TypeSyntax,
    ) -> Option<Parsed<TypeSyntax>> {
        let inner = self.written(start);
        let (skipped, meant, ty) = match (self.text(), self.text_ahead(1)) {
            ("[", "]") => (
                2,
                format!("array<{inner}>"),
                TypeSyntax::Array(Box::new(ty.clone())),
            ),
            ("|", "null") => (
                2,
                format!("{inner}?"),
                TypeSyntax::Nullable(Box::new(ty.clone())),
            ),
            ("*" | "&", _) => (1, format!("{inner}?"), ty.clone()),
            ("->" | "=>", to) if is_type_name(to) => {
                self.bump();
                return Some(self.other_arrow(start, &inner, ty.clone()));
            }
            _ => return None,
        };
        for _ in 0..skipped {
            self.bump();
        }
        self.type_is_written(self.since(start), &meant);
        Some(Ok(ty))
    }

    fn other_arrow(&mut self, start: Span, key_text: &str, key: TypeSyntax) -> Parsed<TypeSyntax> {
        let value_start = self.span();
        let value = self.nested(Self::element_type)?;
        let meant = format!("map<{key_text}, {}>", self.written(value_start));
        self.type_is_written(self.since(start), &meant);
        Ok(TypeSyntax::Map(Box::new(key), Box::new(value)))
    }

    /// `var x: T`, `final x: T`
    pub(in super::super) fn skip_word_before_param(&mut self) {
        let word = self.text();
        let is_one = matches!(
            word,
            "var" | "val" | "let" | "const" | "ref" | "out" | "in" | "final" | "mut"
        );
        if !is_one || !matches!(self.ahead(1).kind, TokenKind::Name) {
            return;
        }
        // `in: T` and its like are names.
        self.report(
            Diagnostic::error(format!("`{word}` before a parameter"))
                .at(self.span(), "")
                .help(Hint::leave_out("leave it out: a parameter never changes")),
        );
        self.bump();
    }

    /// Behind the name of a parameter without a `:`.
    pub(in super::super) fn other_param(&mut self, name: Ident) -> Parsed<ParamSyntax> {
        if self.is_name() {
            let second = self.name("the name of a variable")?;
            let (name, ty) = type_first(name, second);
            let place = name.span.to(ty.span);
            self.report_at(
                Diagnostic::error("a parameter is its name, `:` and its type")
                    .at(place, "")
                    .help(Hint::write(format!("{}: {}", name.name, ty.name))),
            );
            let ty = TypeSyntax::Name(ty);
            return Ok(ParamSyntax::new(name, ty));
        }
        if matches!(name.name.as_str(), "self" | "this") {
            let diagnostic = Diagnostic::error(format!("`{}` is no parameter", name.name))
                .at(name.span, "")
                .help("leave it out: the object itself is always there, as `this`");
            return Err(self.fail(diagnostic));
        }
        if self.is(")") || self.is(",") {
            let help = format!("write `{}: int`, with its type", name.name);
            let diagnostic = Diagnostic::error(format!("the type of `{}` is missing", name.name))
                .at(name.span, "")
                .help(help);
            return Err(self.fail(diagnostic));
        }
        self.expect(":")?;
        Err(Failed)
    }

    /// `x: int = 3`
    pub(in super::super) fn other_end_of_param(&mut self, params: &[ParamSyntax]) -> Parsed<()> {
        if !self.is("=") && !self.is(":=") || params.is_empty() {
            return Ok(());
        }
        let diagnostic = Diagnostic::error("a parameter has no first value")
            .at(self.span(), "")
            .help("write it in each call: every parameter is given");
        Err(self.fail(diagnostic))
    }
}

impl Container {
    /// How it is written here, and what it is.
    fn of(self, texts: &[String], mut inner: Vec<TypeSyntax>, place: Span) -> (String, TypeSyntax) {
        let mut next = || Box::new(inner.pop().unwrap_or_else(|| type_called("int", place)));
        match (self, texts) {
            (Container::Map, [key, value]) => {
                let (value_type, key_type) = (next(), next());
                (
                    format!("map<{key}, {value}>"),
                    TypeSyntax::Map(key_type, value_type),
                )
            }
            (Container::Bag, texts) => {
                let value = Box::new(type_called("nat", place));
                (
                    format!("map<{}, nat>", texts.join(", ")),
                    TypeSyntax::Map(next(), value),
                )
            }
            (Container::Set, texts) => {
                let value = Box::new(type_called("bool", place));
                (
                    format!("map<{}, bool>", texts.join(", ")),
                    TypeSyntax::Map(next(), value),
                )
            }
            (Container::Nullable, texts) => (
                format!("{}?", texts.join(", ")),
                TypeSyntax::Nullable(next()),
            ),
            (Container::Array | Container::Map, texts) => (
                format!("array<{}>", texts.join(", ")),
                TypeSyntax::Array(next()),
            ),
        }
    }
}

/// The type of this name.
pub(in super::super) fn type_called(name: &str, span: Span) -> TypeSyntax {
    let name = name.to_owned();
    TypeSyntax::Name(Ident { name, span })
}

/// Whether a type is called so, here or in other languages.
fn is_type_name(name: &str) -> bool {
    is_builtin_type(name)
        || habits::type_named(name).is_some()
        || habits::type_sentence(name).is_some()
}

/// Of two names side by side, the one that is declared and its type: `int x` in most languages, `x int` in Go.
pub(super) fn type_first(first: Ident, second: Ident) -> (Ident, Ident) {
    if is_type_name(&second.name) && !is_type_name(&first.name) {
        (first, second)
    } else {
        (second, first)
    }
}
