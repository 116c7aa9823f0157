//! Constructors, actions and procedures: headers and contracts.

use super::super::ast::{
    Bound, ContractClause, ExprSyntax, FieldPath, Ident, RoutineSyntax, ShownText, SplitSyntax,
};
use super::super::token::TokenKind;
use super::{Parsed, Parser};
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{Control, RoutineKind};

/// The words before `constructor`, `action` or `procedure`.
#[derive(Default)]
struct Modifiers {
    pure: bool,
    control: Option<Control>,
}

impl Parser<'_> {
    pub(super) fn routine(&mut self) -> Parsed<RoutineSyntax> {
        let start = self.span();
        let modifiers = self.modifiers();
        let kind = self.routine_kind()?;
        let name = match kind {
            RoutineKind::Constructor if self.is("(") => None,
            RoutineKind::Constructor => Some(self.name("the name of a constructor or `(`")?),
            RoutineKind::Action => Some(self.name("the name of an action")?),
            RoutineKind::Procedure => Some(self.name("the name of a procedure")?),
        };
        if !self.is("(") {
            return Err(self.other_params(name.as_ref()));
        }
        let params = self.inputs()?;
        let mut returns = self.other_results()?;
        let mut outcomes = None;
        loop {
            let place = self.span();
            if self.eat_word("returns") {
                let results = self.results()?;
                if returns.replace(results).is_some() {
                    self.second("returns", place);
                }
            } else if self.eat_word("outcomes") {
                let names = self.names("the name of a result")?;
                if outcomes.replace(names).is_some() {
                    self.second("outcomes", place);
                }
            } else {
                break;
            }
        }
        let contract = self.contract()?;
        let span = self.since(start);
        let body = if self.is("{") {
            Some(self.block()?)
        } else {
            self.end_of_header()?;
            None
        };
        Ok(RoutineSyntax {
            kind,
            pure: modifiers.pure,
            control: modifiers.control,
            name,
            params,
            returns: returns.unwrap_or_default(),
            outcomes: outcomes.unwrap_or_default(),
            contract,
            body,
            span,
        })
    }

    fn modifiers(&mut self) -> Modifiers {
        let mut modifiers = Modifiers::default();
        loop {
            let place = self.span();
            let control = if self.eat_word("pure") {
                if std::mem::replace(&mut modifiers.pure, true) {
                    self.second("pure", place);
                }
                continue;
            } else if self.eat_word("controllable") {
                Control::Controllable
            } else if self.eat_word("monitored") {
                Control::Monitored
            } else {
                return modifiers;
            };
            if modifiers.control.replace(control).is_some() {
                self.found.push(
                    Diagnostic::error("an action is either `controllable` or `monitored`, once")
                        .at(place, ""),
                );
            }
        }
    }

    fn second(&mut self, word: &str, place: Span) {
        self.found
            .push(Diagnostic::error(format!("`{word}` is written twice")).at(place, "the second"));
    }

    fn routine_kind(&mut self) -> Parsed<RoutineKind> {
        let kinds = [
            ("constructor", RoutineKind::Constructor),
            ("action", RoutineKind::Action),
            ("procedure", RoutineKind::Procedure),
        ];
        for (word, kind) in kinds {
            if self.eat_word(word) {
                return Ok(kind);
            }
        }
        Err(self.expected("`constructor`, `action` or `procedure`"))
    }

    fn contract(&mut self) -> Parsed<Vec<ContractClause>> {
        let mut clauses = Vec::new();
        loop {
            let clause = if self.eat_word("requires") {
                ContractClause::Requires(self.condition_of("requires")?)
            } else if self.eat_word("ensures") {
                ContractClause::Ensures(self.condition_of("ensures")?)
            } else if self.eat_word("modifies") {
                ContractClause::Modifies(self.field_paths()?)
            } else if self.eat_word("throws") {
                ContractClause::Throws(self.thrown()?)
            } else if self.is_word("enabled") {
                ContractClause::Enabled(self.split()?)
            } else if self.at_shown_as() {
                ContractClause::Shown(self.shown_as()?)
            } else {
                return Ok(clauses);
            };
            clauses.push(clause);
            self.eat(";");
        }
    }

    /// The condition behind the word of a clause or an invariant.
    pub(super) fn condition_of(&mut self, word: &str) -> Parsed<ExprSyntax> {
        self.other_condition_start(word)?;
        let e = self.expr()?;
        self.other_condition_list(word)?;
        Ok(e)
    }

    pub(super) fn at_shown_as(&self) -> bool {
        self.is_word("shown") && self.text_ahead(1) == "as"
    }

    /// `shown as "text"`
    pub(super) fn shown_as(&mut self) -> Parsed<ShownText> {
        self.eat_word("shown");
        self.eat_word("as");
        let span = self.span();
        if self.token().kind != TokenKind::Text {
            return Err(self.expected("a text in quotes"));
        }
        let text = self.text().trim_matches('"').to_owned();
        self.bump();
        Ok(ShownText { text, span })
    }

    fn thrown(&mut self) -> Parsed<Ident> {
        self.other_throws()?;
        let exception = self.name("the name of an exception")?;
        self.other_throws()?;
        Ok(exception)
    }

    /// `enabled when e with p := f`
    fn split(&mut self) -> Parsed<SplitSyntax> {
        let span = self.span();
        self.eat_word("enabled");
        let bound = if self.eat_word("over") {
            Bound::Over
        } else if self.eat_word("under") {
            Bound::Under
        } else if self.eat_word("when") {
            Bound::When
        } else {
            return Err(self.expected("`when`, `over` or `under`"));
        };
        let condition = self.expr()?;
        let mut with = Vec::new();
        if self.eat_word("with") {
            loop {
                let name = self.name("the name of a parameter")?;
                self.expect(":=")?;
                with.push((name, self.expr()?));
                if !self.eat(",") {
                    break;
                }
            }
        }
        Ok(SplitSyntax {
            bound,
            condition,
            with,
            span,
        })
    }

    fn field_paths(&mut self) -> Parsed<Vec<FieldPath>> {
        let mut paths = vec![self.field_path()?];
        while self.eat(",") {
            paths.push(self.field_path()?);
        }
        Ok(paths)
    }

    fn field_path(&mut self) -> Parsed<FieldPath> {
        if let Some(failed) = self.other_field_path() {
            return Err(failed);
        }
        let first = self.name("the name of a field")?;
        if !self.eat(".") {
            return Ok(FieldPath {
                class: None,
                field: first,
            });
        }
        let field = self.name("the name of a field")?;
        Ok(FieldPath {
            class: Some(first),
            field,
        })
    }

    /// Behind a routine without a body.
    fn end_of_header(&mut self) -> Parsed<()> {
        // A clause has taken its own `;` already.
        if self.eat(";") || self.at_member() || self.is("}") || self.is_end() {
            return Ok(());
        }
        if self.is_word("class") || self.behind_semicolon() {
            return Ok(());
        }
        Err(self.other_clause())
    }

    fn behind_semicolon(&self) -> bool {
        let before = self.behind().end as usize;
        self.source
            .text
            .get(..before)
            .is_some_and(|text| text.ends_with(';'))
    }
}
