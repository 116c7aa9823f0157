//! What stands in a file and in a class, and the headers of routines.

use super::super::super::ast::{Ident, Member, TypeSyntax};
use super::super::super::habits;
use super::super::super::names::did_you_mean;
use super::super::super::token::TokenKind;
use super::super::{Failed, Parsed, Parser, shortened};
use super::types::type_first;
use crate::ir::{Diagnostic, Hint};

/// The words with which a declaration of a file starts.
const ITEMS: [&str; 4] = ["class", "enum", "exception", "type"];

/// The words with which a member starts.
const MEMBERS: [&str; 14] = [
    "action",
    "const",
    "constructor",
    "controllable",
    "fact",
    "function",
    "initially",
    "invariant",
    "monitored",
    "procedure",
    "pure",
    "state",
    "var",
    "class",
];

impl Parser<'_> {
    /// Modifiers before something that starts a declaration all the same: reports them, and goes past them.
    pub(in super::super) fn skip_other_modifiers(&mut self) {
        let count = (0..MOST_MODIFIERS)
            .take_while(|ahead| {
                let is_word = matches!(self.ahead(*ahead).kind, TokenKind::Name);
                is_word && habits::modifier(self.text_ahead(*ahead)).is_some()
            })
            .count();
        if count == 0 || !matches!(self.ahead(count).kind, TokenKind::Name | TokenKind::Keyword) {
            return;
        }
        let first = self.text();
        let place = self.span();
        let before = self.at;
        self.at += count;
        if !self.at_member() && !self.at_item() {
            // The rest is said in another way, too, and that is what there is to say.
            return;
        }
        let help = habits::modifier(first).unwrap_or_default();
        let here = std::mem::replace(&mut self.at, before);
        self.report(
            Diagnostic::error(format!("there is no `{first}`"))
                .at(place, "")
                .help(Hint::leave_out(help)),
        );
        self.at = here;
    }

    /// Where no declaration of a file starts.
    pub(in super::super) fn other_item(&mut self) -> Failed {
        let text = self.text();
        if text == "-" && self.text_ahead(1) == "-" {
            return self.expected_with("a declaration", "a comment starts with `//`");
        }
        if text == ";" && self.at > 0 {
            let help = Hint::leave_out("leave it out: nothing stands behind the `}` of a class");
            return self.expected_with("`class`, `enum`, `type` or `exception`", help);
        }
        let help = habits::item(text)
            .map(Hint::from)
            .or_else(|| self.meant(&ITEMS));
        let what = "`class`, `enum`, `type` or `exception`";
        let diagnostic = self.unexpected(what, what).maybe_help(help);
        self.fail(diagnostic)
    }

    /// Reports a word that nothing is without, and goes past it.
    pub(in super::super) fn skip_word(&mut self, word: &str) {
        self.report(
            Diagnostic::error(format!("there is no `{word}` here"))
                .at(self.span(), "")
                .help(Hint::leave_out("leave it out")),
        );
        self.bump();
    }

    /// The word that is nearest to the next one, where that is misspelt.
    pub(super) fn meant(&self, words: &[&'static str]) -> Option<Hint> {
        match self.token().kind {
            TokenKind::Name => did_you_mean(self.text(), words.iter().copied()),
            _ => None,
        }
    }

    /// Behind the name of a class, where no `{` is.
    pub(in super::super) fn other_class_header(&mut self) -> Failed {
        let help = match self.text() {
            "extends" | "implements" => "no class inherits from another: write its members here",
            ":" => "its members stand in braces, `{ … }`; no class inherits from another",
            "<" => {
                "no type is a parameter of a class: `type T;` outside of it declares one of which nothing is known"
            }
            "(" => "what an object begins with is given to a `constructor(…)` in the class",
            ";" => "a class is written with its members: `class Name { … }`",
            _ => return self.expected("`{`"),
        };
        self.expected_with("`{`", help)
    }

    /// Behind a value of an enum.
    pub(in super::super) fn other_enum(&mut self) -> Failed {
        let help = match self.text() {
            ";" => "values stand with commas between them: `enum E { A, B }`",
            "=" | ":=" => "a value has no number: leave it out",
            "(" => "a value has no parts: write a class with a field for each",
            _ => return self.expected("`}`"),
        };
        self.expected_with("`}`", help)
    }

    /// Behind the name of a type or an exception, where no `;` is.
    pub(in super::super) fn other_declaration(&mut self, what: &str) -> Parsed<()> {
        let help = match (what, self.text()) {
            ("type", "=" | ":=" | "is") => {
                "no type has a second name: `type T;` declares one of which nothing is known"
            }
            ("exception", "(" | "{") => "an exception has a name, and carries nothing",
            ("exception", "extends" | ":") => "no exception inherits from another: leave it out",
            ("exception", ",") => "declare each with an `exception` of its own",
            ("type", ",") => "declare each with a `type` of its own",
            _ => return self.semicolon(),
        };
        Err(self.expected_with("`;`", help))
    }

    /// Where no member starts.
    pub(in super::super) fn other_member(&mut self) -> Parsed<Member> {
        let field = self.is_name()
            && self.ahead(1).kind == TokenKind::Name
            && matches!(self.text_ahead(2), ";" | ":=" | "=" | ",");
        if field && habits::member(self.text()).is_none() {
            return self.other_field();
        }
        let help = self.help_for_member();
        let what =
            "a member of the class (`const`, `var`, `invariant`, `constructor`, `action`, …)";
        let diagnostic = self.unexpected(what, "a member").maybe_help(help);
        Err(self.fail(diagnostic))
    }

    fn help_for_member(&self) -> Option<Hint> {
        let text = self.text();
        if text == ";" {
            let help = "leave it out: nothing stands behind a `}`";
            return Some(Hint::leave_out(help));
        }
        if text == "state" {
            let help = "a state is named by its actions: `state { a, b } assumes e;`";
            return Some(Hint::from(help));
        }
        if self.is_name() && self.text_ahead(1) == "(" {
            return Some(self.help_for_header());
        }
        if let Some(help) = habits::member(text) {
            return Some(Hint::from(help));
        }
        if !self.is_name() {
            return None;
        }
        let routine = self.ahead(1).kind == TokenKind::Name && self.text_ahead(2) == "(";
        if routine && self.meant(&MEMBERS).is_none() {
            let name = self.text_ahead(1);
            return Some(Hint::from(format!(
                "write `action {name}(…) returns (name: {})` for what callers can call, `procedure …` for what only bodies call",
                shortened(text)
            )));
        }
        if self.text_ahead(1) == ":" {
            let help = format!("write `var {}: …;`", shortened(text));
            return Some(Hint::instead(help, format!("var {text}")));
        }
        self.meant(&MEMBERS)
    }

    /// For `name(…)` at the place of a member.
    fn help_for_header(&self) -> Hint {
        let text = shortened(self.text());
        if self.class == Some(self.text())
            || matches!(self.text(), "init" | "__init__" | "initialize" | "new")
        {
            let help = "a constructor without a name is written `constructor(…)`";
            return Hint::instead(help, "constructor");
        }
        did_you_mean(self.text(), ["constructor"]).unwrap_or_else(|| {
            Hint::from(format!("write `action {text}(…)` or `procedure {text}(…)`"))
        })
    }

    /// `T x;`, `T x := e;`: read as `var x: T := e;`.
    fn other_field(&mut self) -> Parsed<Member> {
        let first = self.name("the name of a type")?;
        let second = self.name("the name of a field")?;
        let (name, ty) = type_first(first, second);
        let place = name.span.to(ty.span);
        self.report_at(
            Diagnostic::error("a field is declared with `var`")
                .at(place, "")
                .help(Hint::instead(
                    format!("write `var {}: {};`", name.name, ty.name),
                    format!("var {}: {}", name.name, ty.name),
                )),
        );
        let value = if self.eat("=") || self.eat(":=") {
            Some(self.expr()?)
        } else {
            None
        };
        self.end_of_declaration("var")?;
        let ty = TypeSyntax::Name(ty);
        Ok(Member::Var { name, ty, value })
    }

    /// Behind the name of a field, a constant or a variable that has no `:`.
    pub(in super::super) fn other_declared(&mut self, word: &str, name: &Ident) -> Failed {
        let declared = &name.name;
        let place = name.span;
        if self.is_name() {
            let other = Ident {
                name: self.text().to_owned(),
                span: self.span(),
            };
            let (name, ty) = type_first(name.clone(), other);
            let place = name.span.to(ty.span);
            let diagnostic = Diagnostic::error("the type stands behind the name and a `:`")
                .at(place, "")
                .help(Hint::instead(
                    format!("write `{word} {}: {}`", name.name, ty.name),
                    format!("{}: {}", name.name, ty.name),
                ));
            return self.fail(diagnostic);
        }
        let help = match self.text() {
            ":=" | "=" => {
                let ty = self.type_of_value(1);
                format!("write `{word} {declared}: {ty} := …;`, with its type")
            }
            ";" => format!("write `{word} {declared}: T;`, with its type"),
            "," => format!("declare each with a `{word}` and a type of its own"),
            _ => {
                let expected = self.unexpected("`:`", "`:`");
                return self.fail(expected);
            }
        };
        let diagnostic = Diagnostic::error(format!("the type of `{declared}` is missing"))
            .at(place, "")
            .help(help);
        self.fail(diagnostic)
    }

    /// The type of a value, as far as its first word tells.
    pub(super) fn type_of_value(&self, ahead: usize) -> String {
        match (self.ahead(ahead).kind, self.text_ahead(ahead)) {
            (_, "true" | "false" | "!") => "bool".to_owned(),
            (_, "new") if self.text_ahead(ahead + 2) == "[" => {
                format!("array<{}>", shortened(self.text_ahead(ahead + 1)))
            }
            (_, "new") => shortened(self.text_ahead(ahead + 1)),
            (TokenKind::Number, _) | (_, "-") => "int".to_owned(),
            _ => "T".to_owned(),
        }
    }

    /// Behind a declaration: its `;`, or what stands there for another one.
    pub(in super::super) fn end_of_declaration(&mut self, word: &str) -> Parsed<()> {
        if self.is(",") {
            let help = format!("declare each with a `{word}` of its own");
            return Err(self.expected_with("`;`", &help));
        }
        self.semicolon()
    }

    /// Behind an expression that is an invariant or a clause: a comma.
    pub(in super::super) fn other_condition_list(&mut self, word: &str) -> Parsed<()> {
        if !self.is(",") {
            return Ok(());
        }
        let help = format!("join the conditions with `&&`, or write a second `{word}`");
        Err(self.expected_with("one condition", &help))
    }

    /// Before an expression that is an invariant or a clause: a `:`, a brace.
    pub(in super::super) fn other_condition_start(&mut self, word: &str) -> Parsed<()> {
        let help = match self.text() {
            ":" | "{" => format!("write `{word}` and the condition, with nothing around it"),
            "(" if self.text_ahead(1) == ")" => format!("write `{word}` and the condition"),
            _ => return Ok(()),
        };
        Err(self.expected_with("a condition", &help))
    }
}

/// So many modifiers stand before a declaration at the most.
const MOST_MODIFIERS: usize = 8;
