//! Files, top-level declarations, classes and their members.

use super::super::ast::{
    ClassSyntax, ExprSyntax, FileSyntax, FunctionSyntax, Ident, ItemSyntax, Member, TypeSyntax,
};
use super::super::token::TokenKind;
use super::{Parsed, Parser};
use crate::ir::{Diagnostic, Hint};

const ITEM_WORDS: [&str; 4] = ["enum", "type", "exception", "class"];

impl Parser<'_> {
    pub(super) fn file(&mut self) -> FileSyntax {
        let mut items = Vec::new();
        while !self.is_end() {
            let start = self.at;
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => self.skip_to_item(start),
            }
        }
        FileSyntax { items }
    }

    pub(super) fn at_item(&self) -> bool {
        ITEM_WORDS.iter().any(|word| self.is_word(word))
    }

    fn skip_to_item(&mut self, start: usize) {
        self.holes = true;
        if self.at == start {
            self.skip_group();
        }
        while !self.is_end() && !self.at_item() {
            self.skip_group();
        }
    }

    fn item(&mut self) -> Parsed<ItemSyntax> {
        self.skip_other_modifiers();
        if self.eat_word("enum") {
            return self.enum_item();
        }
        if self.eat_word("type") {
            let name = self.name("the name of a type")?;
            let values = match self.eat_word("with") {
                true => self.names("the name of a value")?,
                false => Vec::new(),
            };
            self.other_declaration("type")?;
            return Ok(ItemSyntax::Opaque { name, values });
        }
        if self.eat_word("exception") {
            let name = self.name("the name of an exception")?;
            let shown = match self.at_shown_as() {
                true => Some(self.shown_as()?),
                false => None,
            };
            self.other_declaration("exception")?;
            return Ok(ItemSyntax::Exception { name, shown });
        }
        if self.is_word("class") {
            return self.class().map(ItemSyntax::Class);
        }
        if self.at_member() {
            let text = self.text();
            let diagnostic = Diagnostic::error(format!("`{text}` outside of a class"))
                .at(self.span(), "")
                .help("members stand inside `class Name { … }`; is there a `}` too many before?");
            return Err(self.fail(diagnostic));
        }
        Err(self.other_item())
    }

    fn enum_item(&mut self) -> Parsed<ItemSyntax> {
        let name = self.name("the name of an enum")?;
        if !self.eat("{") {
            return Err(self.expected_with("`{`", "an enum is `enum Name { A, B }`"));
        }
        let mut members = Vec::new();
        while !self.is("}") {
            members.push(self.name("the name of a value")?);
            if !self.eat(",") {
                break;
            }
        }
        if !self.eat("}") {
            return Err(self.other_enum());
        }
        Ok(ItemSyntax::Enum { name, members })
    }

    fn class(&mut self) -> Parsed<ClassSyntax> {
        let start = self.span();
        self.expect_word("class")?;
        let name = self.name("the name of a class")?;
        let open = self.span();
        if !self.eat("{") {
            return Err(self.other_class_header());
        }
        self.class = Some(self.source.at(name.span));
        let mut members = Vec::new();
        while !self.is("}") {
            if self.is_word("class") && self.text_ahead(1) == "invariant" {
                self.skip_word("class");
                continue;
            }
            if self.is_end() || self.is_word("class") {
                let inside = "no class stands inside another: is a `}` missing before this one?";
                let help = self.is_word("class").then(|| inside.to_owned());
                self.report(
                    Diagnostic::error(format!("the class `{}` is not closed", name.name))
                        .at(self.behind(), "expected `}` here")
                        .at(open, "opened here")
                        .maybe_help(help),
                );
                let span = self.since(start);
                self.class = None;
                return Ok(ClassSyntax {
                    name,
                    members,
                    span,
                });
            }
            let before = self.at;
            match self.member() {
                Ok(member) => members.push(member),
                Err(_) => self.skip_to_member(before),
            }
        }
        self.bump();
        self.class = None;
        let span = self.since(start);
        Ok(ClassSyntax {
            name,
            members,
            span,
        })
    }

    /// Whether a member starts here, as far as one or two words tell.
    pub(super) fn at_member(&self) -> bool {
        let word = self.text();
        match self.token().kind {
            TokenKind::Keyword => matches!(
                word,
                "const" | "var" | "invariant" | "function" | "constructor" | "action" | "procedure"
            ),
            TokenKind::Name => match word {
                "pure" | "controllable" | "monitored" => {
                    matches!(
                        self.text_ahead(1),
                        "pure"
                            | "controllable"
                            | "monitored"
                            | "action"
                            | "constructor"
                            | "procedure"
                    )
                }
                "state" => self.text_ahead(1) == "{",
                "initially" | "fact" => true,
                _ => false,
            },
            _ => false,
        }
    }

    /// Skips to where a member may start, behind one that begins with the token `start`.
    fn skip_to_member(&mut self, start: usize) {
        self.holes = true;
        let mut open = self.open_since(start);
        while !self.is_end() && !self.is_word("class") {
            if self.at > start && self.at_member() && (open == 0 || !self.balanced) {
                return;
            }
            let ends = match self.token().kind {
                TokenKind::Symbol("}") if open == 0 => return,
                TokenKind::Symbol("}") => {
                    open -= 1;
                    self.bump();
                    open == 0
                }
                kind => {
                    self.skip_group();
                    open == 0 && matches!(kind, TokenKind::Symbol(";" | "{"))
                }
            };
            if ends {
                return;
            }
        }
    }

    fn member(&mut self) -> Parsed<Member> {
        self.skip_other_modifiers();
        if self.eat_word("const") {
            let (name, ty, value) = self.typed_value("const", "the name of a constant")?;
            return Ok(Member::Const { name, ty, value });
        }
        if self.eat_word("var") {
            let (name, ty, value) = self.typed_value("var", "the name of a field")?;
            return Ok(Member::Var { name, ty, value });
        }
        if self.eat_word("invariant") {
            return self.clause_member("invariant").map(Member::Invariant);
        }
        if self.eat_word("function") {
            return self.function().map(Member::Function);
        }
        if self.at_member() && self.is_word("fact") {
            self.bump();
            return self.clause_member("fact").map(Member::Fact);
        }
        if self.at_member() && self.is_word("initially") {
            self.bump();
            return self.clause_member("initially").map(Member::Initially);
        }
        if self.at_member() && self.is_word("state") {
            return self.state();
        }
        if self.at_member() {
            return self.routine().map(Member::Routine);
        }
        self.other_member()
    }

    /// `name: T := e;`, the value optional
    fn typed_value(
        &mut self,
        word: &str,
        what: &str,
    ) -> Parsed<(Ident, TypeSyntax, Option<ExprSyntax>)> {
        let name = self.name(what)?;
        if !self.eat(":") {
            return Err(self.other_declared(word, &name));
        }
        let ty = self.ty()?;
        let value = if self.assignment_sign() {
            Some(self.expr()?)
        } else {
            None
        };
        self.end_of_declaration(word)?;
        Ok((name, ty, value))
    }

    /// `:=`, or `=` with a hint.
    pub(super) fn assignment_sign(&mut self) -> bool {
        if self.is("=") {
            let diagnostic = Diagnostic::error("`=` does not assign")
                .at(self.span(), "")
                .help(Hint::instead("write `:=` to assign, `==` to compare", ":="));
            self.report(diagnostic);
            self.bump();
            return true;
        }
        self.eat(":=")
    }

    fn clause_member(&mut self, word: &str) -> Parsed<ExprSyntax> {
        let e = self.condition_of(word)?;
        self.semicolon()?;
        Ok(e)
    }

    fn state(&mut self) -> Parsed<Member> {
        let start = self.span();
        self.expect_word("state")?;
        self.expect("{")?;
        let enabled = if self.is("}") {
            Vec::new()
        } else {
            self.names("the name of an action")?
        };
        self.expect("}")?;
        if !self.eat_word("assumes") {
            let help = "what is assumed of a state is `state { a, b } assumes e;`";
            return Err(self.expected_with("`assumes`", help));
        }
        let assumes = self.expr()?;
        self.semicolon()?;
        let span = self.since(start);
        Ok(Member::State {
            enabled,
            assumes,
            span,
        })
    }

    fn function(&mut self) -> Parsed<FunctionSyntax> {
        let name = self.name("the name of a function")?;
        if !self.is("(") {
            return Err(self.other_params(Some(&name)));
        }
        let params = self.params()?;
        self.other_function_type()?;
        let result = self.ty()?;
        self.other_function_body()?;
        let returned = self.skip_return_in_function();
        let body = self.expr()?;
        self.end_of_function(returned)?;
        Ok(FunctionSyntax {
            name,
            params,
            result,
            body,
        })
    }
}
