//! What the page tells besides the EPA: where it comes from.

use serde::Serialize;

use super::lines::DistinctLines;
use crate::encode::Encoding;
use crate::epa::Abstraction;
use crate::epa::explain::Explanation;
use crate::ir::{Expr, ExprKind, RoutineRef, Source, expr_text, formula};
use crate::query::{Edge, EdgeId, Query, kinds};
use crate::suite::{Objects, objects};
use crate::view::access::AccessTable;

/// The class and the questions behind an EPA.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Background {
    /// What the source text is called: mostly a path.
    pub file: String,
    /// The source text.
    pub source: String,
    /// The fields of the class.
    pub fields: Vec<FieldView>,
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
    /// the same order those that were refuted. It is the one that was answered; where none was, the one that the edge
    /// would answer.
    pub questions: Vec<QuestionText>,
    /// Objects to walk with.
    pub objects: Objects,
    /// Why the states are there in which nothing can be called.
    pub deadlocks: Vec<Deadlock>,
    /// Who can call what, where the class is a contract that asks somebody who he is.
    pub access: Option<AccessTable>,
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
pub struct FieldView {
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
    pub fn of(
        encoding: &Encoding,
        source: &Source,
        epa: &Abstraction,
    ) -> Result<Self, askama::Error> {
        let subject = &encoding.subject;
        let teller = ClassTeller { encoding, source };
        let mut lines = DistinctLines::default();
        let questions = teller.questions(epa, &mut lines)?;
        let program = &subject.program;
        let class = program.class(subject.class);
        let actions = subject.actions.iter().map(|action| RoutineText {
            enabled: teller.closed(&action.guard.enabled),
            disabled: teller.closed(&action.guard.disabled),
            note: action.guard.note.clone(),
            ..teller.routine(&action.shown, Some(action.routine))
        });
        let constructors = subject.constructors.iter();
        Ok(Background {
            file: source.name.clone(),
            source: source.text.clone(),
            fields: (class.fields.iter())
                .map(|field| FieldView {
                    name: field.name.clone(),
                    ty: program.type_name(&field.ty),
                })
                .collect(),
            invariant: class.invariants.iter().map(|e| teller.text(e)).collect(),
            actions: actions.collect(),
            constructors: constructors
                .map(|c| teller.routine(&c.shown, c.routine))
                .collect(),
            program: encoding.program().text,
            lines: lines.all,
            questions,
            objects: objects(subject, epa),
            deadlocks: Vec::new(),
            access: None,
            named: source.name.clone(),
        })
    }
}

/// Turns parts of a class into text.
struct ClassTeller<'a> {
    encoding: &'a Encoding,
    source: &'a Source,
}

impl ClassTeller<'_> {
    fn text(&self, e: &Expr) -> String {
        expr_text(
            &self.encoding.subject.program,
            self.encoding.subject.class,
            e,
        )
    }

    /// The text of a formula, unless it has variables that the class does not.
    fn closed(&self, e: &Expr) -> Option<String> {
        let known = self.encoding.subject.program.vars.len();
        let made_up = formula::contains(e, &mut |part| match &*part.kind {
            ExprKind::Var(var) => var.0 >= known,
            ExprKind::Quantified(_, vars, _) => vars.iter().any(|var| var.0 >= known),
            _ => false,
        });
        (!made_up).then(|| self.text(e))
    }

    fn routine(&self, name: &str, routine: Option<RoutineRef>) -> RoutineText {
        let program = &self.encoding.subject.program;
        let declared = routine.map(|r| program.routine(r));
        let requires = declared.map_or(&[][..], |r| &r.requires);
        // A class without a constructor begins as its `initially` clauses say.
        let span = declared.map_or(program.class(self.encoding.subject.class).span, |r| r.span);
        RoutineText {
            name: name.to_owned(),
            line: self.source.line_column(span.start as usize).0,
            parameters: (declared.iter().flat_map(|r| r.given()))
                .map(|param| program.var(param))
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
        epa: &Abstraction,
        lines: &mut DistinctLines,
    ) -> Result<Vec<QuestionText>, askama::Error> {
        let all = (0..epa.automaton.edges.len()).map(EdgeId);
        let (gone, kept): (Vec<EdgeId>, Vec<EdgeId>) =
            all.partition(|id| epa.gone.edges.contains(id));
        let edges = kept.iter().chain(&gone).map(|id| {
            let query = self.question(epa, *id, &epa.automaton[*id]);
            let entry = self.encoding.query(&query)?.entry;
            Ok(QuestionText {
                name: entry.name,
                sentence: query.sentence,
                text: lines.places_of(&entry.text),
            })
        });
        edges.collect()
    }

    /// The question that an edge rests on, or would.
    fn question(&self, epa: &Abstraction, id: EdgeId, edge: &Edge) -> Query {
        let heard = epa.known.get(id.0).and_then(|known| known.heard.as_ref());
        if let Some(heard) = heard {
            return heard.query.clone();
        }
        let (subject, step) = (&self.encoding.subject, epa.automaton.step(edge));
        match epa.automaton.target(edge) {
            Some(target) => kinds::transition(subject, &step, target),
            None => kinds::exit(subject, &step),
        }
    }
}
