//! Files, top-level declarations, classes and their members.

use super::super::ast::{Class, Expr, File, Function, Ident, Item, Member, Type};
use super::super::token::TokenKind;
use super::{Parsed, Parser};
use crate::ir::Diagnostic;

const ITEM_WORDS: [&str; 4] = ["enum", "type", "exception", "class"];

impl Parser<'_> {
    pub(super) fn file(&mut self) -> File {
        let mut items = Vec::new();
        while !self.is_end() {
            let start = self.at;
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => self.skip_to_item(start),
            }
        }
        File { items }
    }

    fn at_item(&self) -> bool {
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

    fn item(&mut self) -> Parsed<Item> {
        if self.eat_word("enum") {
            return self.enum_item();
        }
        if self.eat_word("type") {
            let name = self.name("the name of a type")?;
            self.semicolon()?;
            return Ok(Item::Opaque { name });
        }
        if self.eat_word("exception") {
            let name = self.name("the name of an exception")?;
            self.semicolon()?;
            return Ok(Item::Exception { name });
        }
        if self.is_word("class") {
            return self.class().map(Item::Class);
        }
        if self.at_member() {
            let text = self.text();
            let diagnostic = Diagnostic::error(format!("`{text}` outside of a class"))
                .at(self.span(), "")
                .help("members stand inside `class Name { … }`; is there a `}` too many before?");
            return Err(self.fail(diagnostic));
        }
        Err(self.expected("`class`, `enum`, `type` or `exception`"))
    }

    fn enum_item(&mut self) -> Parsed<Item> {
        let name = self.name("the name of an enum")?;
        self.expect("{")?;
        let mut members = Vec::new();
        while !self.is("}") {
            members.push(self.name("the name of a value")?);
            if !self.eat(",") {
                break;
            }
        }
        self.expect("}")?;
        Ok(Item::Enum { name, members })
    }

    fn class(&mut self) -> Parsed<Class> {
        let start = self.span();
        self.expect_word("class")?;
        let name = self.name("the name of a class")?;
        let open = self.span();
        if matches!(self.text(), "extends" | "implements" | ":") {
            let help = "no class inherits from another: write its members here";
            return Err(self.expected_with("`{`", help));
        }
        self.expect("{")?;
        let mut members = Vec::new();
        while !self.is("}") {
            if self.is_end() || self.is_word("class") {
                self.report(
                    Diagnostic::error(format!("the class `{}` is not closed", name.name))
                        .at(self.behind(), "expected `}` here")
                        .at(open, "opened here"),
                );
                let span = self.since(start);
                return Ok(Class {
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
        let span = self.since(start);
        Ok(Class {
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
                "initially" => true,
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
            if self.at > start && self.at_member() {
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
        if self.eat_word("const") {
            let (name, ty, value) = self.typed_value("the name of a constant")?;
            return Ok(Member::Const { name, ty, value });
        }
        if self.eat_word("var") {
            let (name, ty, value) = self.typed_value("the name of a field")?;
            return Ok(Member::Var { name, ty, value });
        }
        if self.eat_word("invariant") {
            return self.clause_member().map(Member::Invariant);
        }
        if self.eat_word("function") {
            return self.function().map(Member::Function);
        }
        if self.at_member() && self.is_word("initially") {
            self.bump();
            return self.clause_member().map(Member::Initially);
        }
        if self.at_member() && self.is_word("state") {
            return self.state();
        }
        if self.at_member() {
            return self.routine().map(Member::Routine);
        }
        Err(self.no_member())
    }

    fn no_member(&mut self) -> super::Failed {
        let text = self.text();
        let method = self.is_name() && self.text_ahead(1) == "(";
        let field = self.is_name() && self.text_ahead(1) == ":";
        let hint = match text {
            "method" | "func" | "fn" | "def" | "public" | "void" => {
                Some("what others call a method is an `action` or a `procedure` here".to_owned())
            }
            _ if method => Some(format!("write `action {text}(…)` or `procedure {text}(…)`")),
            _ if field => Some(format!("write `var {text}: …;`")),
            _ => None,
        };
        let what =
            "a member of the class (`const`, `var`, `invariant`, `constructor`, `action`, …)";
        let diagnostic = self.unexpected(what, "a member").maybe_help(hint);
        self.fail(diagnostic)
    }

    /// `name: T := e;`, the value optional
    fn typed_value(&mut self, what: &str) -> Parsed<(Ident, Type, Option<Expr>)> {
        let name = self.name(what)?;
        self.expect(":")?;
        let ty = self.ty()?;
        let value = if self.assignment_sign() {
            Some(self.expr()?)
        } else {
            None
        };
        self.semicolon()?;
        Ok((name, ty, value))
    }

    /// `:=`, or `=` with a hint.
    pub(super) fn assignment_sign(&mut self) -> bool {
        if self.is("=") {
            let diagnostic = Diagnostic::error("`=` does not assign")
                .at(self.span(), "")
                .help("write `:=` to assign, `==` to compare");
            self.report(diagnostic);
            self.bump();
            return true;
        }
        self.eat(":=")
    }

    fn clause_member(&mut self) -> Parsed<Expr> {
        let e = self.expr()?;
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
        self.expect_word("assumes")?;
        let assumes = self.expr()?;
        self.semicolon()?;
        let span = self.since(start);
        Ok(Member::State {
            enabled,
            assumes,
            span,
        })
    }

    fn function(&mut self) -> Parsed<Function> {
        let name = self.name("the name of a function")?;
        let params = self.params()?;
        self.expect(":")?;
        let result = self.ty()?;
        self.expect("{")?;
        let body = self.expr()?;
        self.expect("}")?;
        Ok(Function {
            name,
            params,
            result,
            body,
        })
    }
}
