//! What the page tells besides the EPA: where it comes from.

use std::collections::BTreeSet;

use serde::Serialize;

use super::lines::Lines;
use crate::encode::confirm::Automaton;
use crate::encode::{Encoding, Question};
use crate::epa::Epa;
use crate::epa::answers::{ANY_OTHER_TARGET, EdgeAnswer};
use crate::epa::confirm::automaton_of;
use crate::epa::explain::Explanation;
use crate::ir::{Expr, ExprKind, RoutineRef};
use crate::ir::{Source, expr_text, formula};
use crate::query::ActionSet;
use crate::suite::{Objects, objects};

/// The class and the questions behind an EPA.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Background {
    /// What the source text is called: mostly a path.
    pub file: String,
    /// The source text.
    pub source: String,
    /// The fields of the class.
    pub fields: Vec<Field>,
    /// The invariant, a clause each, as it would be written in the class.
    pub invariant: Vec<String>,
    /// The actions under study, in the EPA's order.
    pub actions: Vec<RoutineText>,
    /// The constructors.
    pub constructors: Vec<RoutineText>,
    /// The Boogie text of the class, which all questions share.
    pub program: String,
    /// The lines of all questions, each once: they share most of them.
    pub lines: Vec<String>,
    /// For each edge the question whether there is one: the constructors' edges first, then the transitions, then in
    /// the same order those that were refuted. None where the EPA is not one of the class. It is the one that was
    /// answered; where none was, the one that the edge would answer.
    pub questions: Vec<Option<QuestionText>>,
    /// Objects to walk with.
    pub objects: Objects,
    /// Why the states are there in which nothing can be called.
    pub deadlocks: Vec<Deadlock>,
    /// What names the class on the command line, behind `tranquera COMMAND`.
    pub named: String,
}

/// Why a state is there in which nothing can be called.
#[derive(Clone, Debug, Serialize)]
pub struct Deadlock {
    /// Its id.
    pub state: String,
    /// Why one of the edges is there that lead to it.
    pub explanation: Explanation,
}

/// A field of the class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type, as written in the source.
    pub ty: String,
}

/// A constructor or action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RoutineText {
    /// Its name, as the EPA has it.
    pub name: String,
    /// Where it begins in the source text: a line, from 1.
    pub line: usize,
    /// Its parameters with their types, as written in the source.
    pub parameters: Vec<String>,
    /// Its `requires` clauses.
    pub requires: Vec<String>,
    /// What the `requires` clauses come to.
    pub condition: String,
    /// When it can be called, said of the fields alone. None for a constructor, and where it cannot be written.
    pub enabled: Option<String>,
    /// When it cannot be called, said of the fields alone.
    pub disabled: Option<String>,
    /// What a person should know about how exact that is.
    pub note: Option<String>,
}

/// A question to an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QuestionText {
    /// Its name, as `tranquera query` gives its file.
    pub name: String,
    /// As a sentence.
    pub sentence: String,
    /// Its entry procedure, which stands behind [`Background::program`]: each line by its place in
    /// [`Background::lines`].
    pub text: Vec<usize>,
}

impl Background {
    /// What is behind an EPA of this class.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn of(encoding: &Encoding<'_>, source: &Source, epa: &Epa) -> Result<Self, askama::Error> {
        let teller = Teller { encoding, source };
        let mut lines = Lines::default();
        let questions = teller.questions(epa, &mut lines)?;
        let program = encoding.source();
        let class = program.class(encoding.class());
        let actions = encoding.actions.iter().map(|action| RoutineText {
            enabled: teller.closed(&action.guard.enabled),
            disabled: teller.closed(&action.guard.disabled),
            note: action.guard.note.clone(),
            ..teller.routine(&action.name, Some(action.routine))
        });
        let constructors = encoding.constructors.iter();
        Ok(Background {
            file: source.name.clone(),
            source: source.text.clone(),
            fields: (class.fields.iter())
                .map(|field| Field {
                    name: field.name.clone(),
                    ty: program.type_name(&field.ty),
                })
                .collect(),
            invariant: class.invariants.iter().map(|e| teller.text(e)).collect(),
            actions: actions.collect(),
            constructors: constructors
                .map(|c| teller.routine(&c.display, c.routine))
                .collect(),
            program: encoding.program().text,
            lines: lines.all,
            questions,
            objects: objects(encoding, epa),
            deadlocks: Vec::new(),
            named: source.name.clone(),
        })
    }
}

/// Turns parts of a class into text.
struct Teller<'a> {
    encoding: &'a Encoding<'a>,
    source: &'a Source,
}

impl Teller<'_> {
    fn text(&self, e: &Expr) -> String {
        expr_text(self.encoding.source(), self.encoding.class(), e)
    }

    /// The text of a formula, unless it has variables that the class does not.
    fn closed(&self, e: &Expr) -> Option<String> {
        let known = self.encoding.source().vars.len();
        let made_up = formula::contains(e, &mut |part| match &*part.kind {
            ExprKind::Var(var) => var.0 >= known,
            ExprKind::Quantified(_, vars, _) => vars.iter().any(|var| var.0 >= known),
            _ => false,
        });
        (!made_up).then(|| self.text(e))
    }

    fn routine(&self, name: &str, routine: Option<RoutineRef>) -> RoutineText {
        let program = self.encoding.source();
        let declared = routine.map(|r| program.routine(r));
        let requires = declared.map_or(&[][..], |r| &r.requires);
        // A class without a constructor begins as its `initially` clauses say.
        let span = declared.map_or(program.class(self.encoding.class()).span, |r| r.span);
        RoutineText {
            name: name.to_owned(),
            line: self.source.line_column(span.start as usize).0,
            parameters: (declared.iter().flat_map(|r| &r.params))
                .map(|param| program.var(*param))
                .map(|var| format!("{}: {}", var.name, program.type_name(&var.ty)))
                .collect(),
            condition: self.text(&formula::all(requires.iter().cloned())),
            requires: requires.iter().map(|e| self.text(e)).collect(),
            enabled: None,
            disabled: None,
            note: None,
        }
    }

    fn questions(
        &self,
        epa: &Epa,
        lines: &mut Lines,
    ) -> Result<Vec<Option<QuestionText>>, askama::Error> {
        let refuted = epa.refuted.clone().unwrap_or_default();
        let kept = Epa {
            states: [epa.states.as_slice(), &refuted.states].concat(),
            ..epa.clone()
        };
        let gone = Epa {
            constructors: refuted.constructors,
            transitions: refuted.transitions,
            ..kept.clone()
        };
        let mut all = self.questions_of(&kept, lines)?;
        all.extend(self.questions_of(&gone, lines)?);
        Ok(all)
    }

    fn questions_of(
        &self,
        epa: &Epa,
        lines: &mut Lines,
    ) -> Result<Vec<Option<QuestionText>>, askama::Error> {
        let Some(automaton) = automaton_of(self.encoding, epa) else {
            return Ok(vec![None; epa.constructors.len() + epa.transitions.len()]);
        };
        let answers = epa.constructors.iter().map(|edge| &edge.answer);
        let answers = answers.chain(epa.transitions.iter().map(|edge| &edge.answer));
        let edges = automaton.edges.iter().zip(answers).map(|(edge, answer)| {
            let (step, target) = automaton.call_of(edge);
            let known = answer
                .as_deref()
                .and_then(|answer| left_out(&automaton, answer));
            let question = match (target, known) {
                (Some(_), Some(known)) => Question::AnyOtherTarget(step, known),
                (Some(target), None) => Question::Transition(step, target),
                (None, _) => Question::Exit(step),
            };
            let entry = self.encoding.question(&question)?.entry;
            Ok(Some(QuestionText {
                name: entry.name,
                sentence: self.encoding.sentence(&question),
                text: lines.places_of(&entry.text),
            }))
        });
        edges.collect()
    }
}

/// The states that a question about any other target left out; none for other questions.
fn left_out(automaton: &Automaton, answer: &EdgeAnswer) -> Option<BTreeSet<ActionSet>> {
    if answer.kind != ANY_OTHER_TARGET {
        return None;
    }
    let states = automaton.states.iter();
    let known = states.filter(|(id, _)| answer.known.contains(id));
    Some(known.map(|(_, set)| set.clone()).collect())
}
