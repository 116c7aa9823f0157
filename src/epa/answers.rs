//! What the engine answered to the questions behind the edges of an EPA, for a person to look at.

use serde::{Deserialize, Serialize};

use super::abstraction::{Abstraction, EdgeKnowledge};
use super::wire::Epa;
use crate::ask::{Answer, Doubt, Heard, Named, Witness, lines};
use crate::ir::Source;
use crate::query::{AbstractState, Callee, Edge, End, Subject};

/// What an engine answered to the question behind an edge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeAnswer {
    /// The engine, with its version and its solver's; `interpreter` where running the class showed it before an engine was asked.
    pub engine: String,
    /// The kind of question: `transition`, `exceptional-exit`, `any-other-target`, `any-other-way`, `any-other-exit` or `exit`.
    pub kind: String,
    /// The action that was asked about, where that is another one, which does the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// The ids of the states that a question of the kind `any-other-target` or `any-other-way` leaves out: they were known already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<String>,
    /// `reached`, `bound-hit` or `unknown`.
    pub verdict: String,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Whether it was kept from an earlier run of the program: then the time is that of looking it up.
    pub kept: bool,
    /// The call that the engine found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<AnswerCall>,
    /// What the engine printed, or its trace as text; empty where there is neither.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub output: String,
}

/// A call that an engine found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerCall {
    /// The fields before it; none for a constructor.
    pub before: Vec<Named>,
    /// The arguments.
    pub arguments: Vec<Named>,
    /// The fields after it.
    pub after: Vec<Named>,
    /// Whether the concrete interpreter made the same call, and it did what the engine says.
    pub replayed: bool,
    /// The lines of the statements executed, where that is so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<u32>,
}

/// Adds to the edges of an EPA the answers that they rest on. An edge without an answer rests on none: its action cannot
/// change anything, or nothing was asked any more.
pub fn tell(
    subject: &Subject,
    source: &Source,
    engine: &str,
    abstraction: &Abstraction,
    epa: &mut Epa,
) {
    let teller = AnswerTeller {
        subject,
        source,
        engine,
        abstraction,
    };
    let all = || {
        abstraction
            .automaton
            .edges
            .iter()
            .zip(&abstraction.known)
            .enumerate()
    };
    let is_gone = |index: usize| {
        abstraction
            .gone
            .edges
            .contains(&crate::query::EdgeId(index))
    };
    let answers = |gone: bool| {
        let edges = all().filter(move |(index, _)| is_gone(*index) == gone);
        edges
            .map(|(_, (edge, known))| teller.answer(edge, known).map(Box::new))
            .collect::<Vec<_>>()
    };
    put(answers(false), &mut epa.constructors, &mut epa.transitions);
    if let Some(refuted) = &mut epa.refuted {
        put(
            answers(true),
            &mut refuted.constructors,
            &mut refuted.transitions,
        );
    }
}

/// Puts the answers into the edges, constructors' first.
fn put(
    answers: Vec<Option<Box<EdgeAnswer>>>,
    constructors: &mut [super::wire::ConstructorEdge],
    transitions: &mut [super::wire::Transition],
) {
    let constructors = constructors.iter_mut().map(|edge| &mut edge.answer);
    let transitions = transitions.iter_mut().map(|edge| &mut edge.answer);
    for (place, answer) in constructors.chain(transitions).zip(answers) {
        *place = answer;
    }
}

struct AnswerTeller<'a> {
    subject: &'a Subject,
    source: &'a Source,
    engine: &'a str,
    abstraction: &'a Abstraction,
}

impl AnswerTeller<'_> {
    fn answer(&self, edge: &Edge, known: &EdgeKnowledge) -> Option<EdgeAnswer> {
        let heard = known.heard.as_deref()?;
        let answer = EdgeAnswer {
            engine: match &heard.answer {
                Answer::Yes(witness) if witness.is_run() => "interpreter".to_owned(),
                _ => self.engine.to_owned(),
            },
            kind: heard.query.kind.to_owned(),
            asked: self.asked(edge, heard),
            known: self.left_out(edge, heard),
            ms: heard.ms,
            ..EdgeAnswer::default()
        };
        Some(match &heard.answer {
            Answer::Yes(witness) | Answer::Guess(witness) => EdgeAnswer {
                verdict: match heard.answer {
                    Answer::Yes(_) => "reached".to_owned(),
                    _ => "unknown".to_owned(),
                },
                kept: witness.trace.kept,
                call: Some(self.call(edge.callee, witness)),
                output: witness.trace.text(),
                ..answer
            },
            Answer::Unknown(Doubt::Bound(_)) => EdgeAnswer {
                verdict: "bound-hit".to_owned(),
                ..answer
            },
            Answer::Unknown(doubt) => EdgeAnswer {
                verdict: "unknown".to_owned(),
                output: match doubt {
                    Doubt::Engine(unknown) => unknown.output.clone(),
                    _ => String::new(),
                },
                ..answer
            },
            Answer::No => return None,
        })
    }

    fn asked(&self, edge: &Edge, heard: &Heard) -> Option<String> {
        let asked = heard.asked()?;
        (asked != edge.callee).then(|| self.subject.shown(asked).to_owned())
    }

    /// The ids of the states that the question left out for an edge's way to end, those that the EPA has.
    fn left_out(&self, edge: &Edge, heard: &Heard) -> Vec<String> {
        let End::OtherState { exits, known, .. } = &heard.query.end else {
            return Vec::new();
        };
        let exit = exits.iter().position(|exit| *exit == edge.exit);
        let exit = exit.unwrap_or_default();
        let known = |state: &AbstractState| known.contains(&(exit, state.clone()));
        let states = self
            .abstraction
            .automaton
            .states
            .iter()
            .zip(&self.abstraction.names.states);
        let known = states.filter(|(state, _)| known(state));
        known.map(|(_, id)| id.clone()).collect()
    }

    fn call(&self, callee: Callee, witness: &Witness) -> AnswerCall {
        let program = &self.subject.program;
        let performed = witness
            .performed()
            .and_then(|performed| performed.calls.first());
        AnswerCall {
            before: match callee {
                Callee::Constructor(_) => Vec::new(),
                Callee::Action(_) => witness.before(program),
            },
            arguments: witness.arguments(self.subject),
            after: witness.after(program),
            replayed: performed.is_some(),
            path: performed.map_or(Vec::new(), |call| lines(self.source, &call.log)),
        }
    }
}
