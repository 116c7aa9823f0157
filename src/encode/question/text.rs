//! What is assumed where a question ends, and its text as a whole.

use std::collections::BTreeSet;

use askama::Template;

use super::builder::{Assumption, Builder, Frame, unique};
use super::{EncodedQuestion, Exit, Question, Step};
use crate::encode::Encoding;
use crate::encode::term::Term;
use crate::query::ActionSet;
use crate::query::Entry;

/// A variable that says whether an action is enabled.
struct Flag {
    name: String,
    /// The statement that gives it its value, or says which it may have.
    statement: String,
}

/// What is assumed at the end of an entry procedure.
enum End {
    /// Exactly these actions are enabled.
    State(Vec<Assumption>),
    /// The actions' flags, and what is known of the flags.
    Flags(Vec<Flag>, Vec<String>),
    /// One formula.
    Formula(String),
    /// Nothing.
    Nothing,
}

macro_rules! templates {
    ($($(#[$doc:meta])* $name:ident($path:literal) { $($field:ident: $ty:ty),* })*) => {
        $(
            $(#[$doc])*
            #[derive(Template)]
            #[template(path = $path)]
            struct $name<'q> {
                q: &'q Frame,
                $($field: $ty),*
            }
        )*
    };
}

templates! {
    InitialStateText("questions/initial_state.bpl") { target: Vec<Assumption> }
    TransitionText("questions/transition.bpl") { target: Vec<Assumption> }
    ExceptionalExitText("questions/exceptional_exit.bpl") { target: Vec<Assumption> }
    NecessarilyEnabledText("questions/necessarily_enabled.bpl") { action: &'q str, disabled: String }
    NecessarilyDisabledText("questions/necessarily_disabled.bpl") { action: &'q str, enabled: String }
    AnyOtherTargetText("questions/any_other_target.bpl") { flags: Vec<Flag>, known: Vec<String> }
    InvariantViolationText("questions/invariant_violation.bpl") { broken: String }
    ExitText("questions/exit.bpl") {}
    ConsistentStateText("questions/consistent_state.bpl") { target: Vec<Assumption> }
    AnyOtherStateText("questions/any_other_state.bpl") { flags: Vec<Flag>, known: Vec<String> }
}

impl Encoding<'_> {
    /// The text of a question.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn question(&self, question: &Question) -> Result<EncodedQuestion, askama::Error> {
        Builder::new(self).build(question)
    }
}

impl Builder<'_, '_> {
    fn build(mut self, question: &Question) -> Result<EncodedQuestion, askama::Error> {
        self.name_parameters(question);
        let mut frame = self.frame(question);
        let end = self.end(question);
        frame.reads_after = unique(std::mem::take(&mut self.reads));
        let q = &frame;
        let text = match (question, end) {
            (Question::ConsistentState(_), End::State(target)) => {
                ConsistentStateText { q, target }.render()?
            }
            (Question::Transition(Step::Construct { .. }, _), End::State(target)) => {
                InitialStateText { q, target }.render()?
            }
            (
                Question::Transition(
                    Step::Call {
                        exit: Exit::Exception(_),
                        ..
                    },
                    _,
                ),
                End::State(target),
            ) => ExceptionalExitText { q, target }.render()?,
            (_, End::State(target)) => TransitionText { q, target }.render()?,
            (Question::AnyOtherState(_), End::Flags(flags, known)) => {
                AnyOtherStateText { q, flags, known }.render()?
            }
            (_, End::Flags(flags, known)) => AnyOtherTargetText { q, flags, known }.render()?,
            (Question::NecessarilyEnabled(_, action), End::Formula(disabled)) => {
                let action = &self.encoding.actions[*action].name;
                NecessarilyEnabledText {
                    q,
                    action,
                    disabled,
                }
                .render()?
            }
            (Question::NecessarilyDisabled(_, action), End::Formula(enabled)) => {
                let action = &self.encoding.actions[*action].name;
                NecessarilyDisabledText { q, action, enabled }.render()?
            }
            (_, End::Formula(broken)) => InvariantViolationText { q, broken }.render()?,
            (_, End::Nothing) => ExitText { q }.render()?,
        };
        Ok(EncodedQuestion {
            entry: Entry {
                name: frame.name.clone(),
                text,
            },
            before: self.recorded_before,
            after: self.recorded_after,
            replayable: self.replayable,
        })
    }

    /// What is assumed where the question ends.
    fn end(&mut self, question: &Question) -> End {
        let guards = &self.encoding.actions;
        match question {
            Question::ConsistentState(set) | Question::Transition(_, set) => {
                let mut target = self.state(set);
                target.extend(self.known_of_state(set));
                End::State(target)
            }
            Question::AnyOtherState(known) | Question::AnyOtherTarget(_, known) => {
                self.flags(known)
            }
            Question::NecessarilyEnabled(_, action) => {
                End::Formula(self.encode(&guards[*action].guard.disabled))
            }
            Question::NecessarilyDisabled(_, action) => {
                End::Formula(self.encode(&guards[*action].guard.enabled))
            }
            Question::InvariantViolation(_) => {
                End::Formula(Term::not(Term::all(self.invariant())).to_string())
            }
            Question::Exit(_) => End::Nothing,
        }
    }

    /// One flag an action, the known sets as formulas over the flags, and what the class says of its states.
    fn flags(&mut self, known: &BTreeSet<ActionSet>) -> End {
        let encoding = self.encoding;
        let mut flags = Vec::new();
        for action in &encoding.actions {
            let name = format!("{}#enabled", action.name);
            let enabled = self.term(&action.guard.enabled);
            let statement = if action.guard.is_exact() {
                format!("{name} := {enabled};")
            } else {
                let disabled = Box::new(self.term(&action.guard.disabled));
                let flag = Box::new(Term::atom(&name));
                format!("assume {};", Term::If(flag, Box::new(enabled), disabled))
            };
            self.recorded_after.push(name.clone());
            flags.push(Flag { name, statement });
        }
        let is = |set: &ActionSet| {
            let literals = flags.iter().enumerate().map(|(index, flag)| {
                if set.contains(index) {
                    Term::atom(&flag.name)
                } else {
                    Term::not(Term::atom(&flag.name))
                }
            });
            Term::all(literals)
        };
        let mut lines: Vec<String> = known
            .iter()
            .map(|set| Term::not(is(set)).to_string())
            .collect();
        for (set, e) in self.known_of_states() {
            let assumed = self.term(&e);
            lines.push(Term::binary("==>", is(&set), assumed).to_string());
        }
        End::Flags(flags, lines)
    }
}
