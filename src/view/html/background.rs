//! What the page tells besides the EPA: where it comes from.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::encode::confirm::Origin;
use crate::encode::{Encoding, Question, Step};
use crate::epa::Epa;
use crate::epa::confirm::automaton_of;
use crate::lang::ir::{Expr, ExprKind, RoutineRef};
use crate::lang::{Source, expr_text, formula};

/// The class and the questions behind an EPA.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
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
    /// the same order those that were refuted. None where the EPA is not one of the class.
    pub questions: Vec<Option<QuestionText>>,
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
        })
    }
}

/// Lines, each kept once.
#[derive(Default)]
struct Lines {
    all: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl Lines {
    /// The places of the lines of a text.
    fn places_of(&mut self, text: &str) -> Vec<usize> {
        text.lines().map(|line| self.place(line)).collect()
    }

    fn place(&mut self, line: &str) -> usize {
        if let Some(place) = self.places.get(line) {
            return *place;
        }
        let place = self.all.len();
        self.all.push(line.to_owned());
        self.places.insert(line.to_owned(), place);
        place
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
        let state = |index: usize| automaton.states.get(index).map(|(_, set)| set.clone());
        let edges = automaton.edges.iter().map(|edge| {
            let exit = edge.exit.clone();
            let step = match edge.origin {
                Origin::Constructor(constructor) => Step::Construct { constructor, exit },
                Origin::Call {
                    state: source,
                    action,
                } => Step::Call {
                    source: state(source),
                    action,
                    exit,
                },
            };
            let question = match edge.target.and_then(state) {
                Some(target) => Question::Transition(step, target),
                None => Question::Exit(step),
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
