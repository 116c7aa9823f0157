//! What the engine answered to the questions behind the edges of an EPA, for a person to look at.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::encode::confirm::{Automaton, Edge};
use crate::encode::{Encoding, Probe, Question, Step};
use crate::ir::Source;
use crate::query::ActionSet;
use crate::query::{Trace, Verdict};

use super::ask::target_of;
use super::confirm::automaton_of;
use super::model::Epa;
use super::replay::path;
use super::witness::{Named, Witness};

/// The kind of a question that names no target, but leaves some out.
pub const ANY_OTHER_TARGET: &str = "any-other-target";

/// What an engine answered to the question behind an edge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeAnswer {
    /// The engine, with its version and its solver's.
    pub engine: String,
    /// The kind of question: `transition`, `any-other-target` or `exit`.
    pub kind: String,
    /// The ids of the states that a question of the kind `any-other-target` leaves out: they were known already.
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

/// A question about a call, and what an engine said.
#[derive(Clone, Debug)]
pub struct Heard {
    pub(super) question: Question,
    pub(super) verdict: Verdict,
    pub(super) ms: u64,
}

/// A call, and where it ends.
type Place = (Step, Option<ActionSet>);

/// Adds to the edges of an EPA of this class the answers that they rest on. An edge without an answer rests on none: its
/// action cannot change anything, or nothing was asked any more.
pub fn tell(
    encoding: &Encoding<'_>,
    source: &Source,
    engine: &str,
    heard: &[Heard],
    epa: &mut Epa,
) {
    let Some(automaton) = automaton_of(encoding, epa) else {
        return;
    };
    let teller = Teller {
        encoding,
        source,
        engine,
        automaton: &automaton,
        heard: by_place(encoding, heard),
    };
    let mut answers = automaton.edges.iter().map(|edge| teller.answer(edge));
    let constructors = epa.constructors.iter_mut().map(|edge| &mut edge.answer);
    let transitions = epa.transitions.iter_mut().map(|edge| &mut edge.answer);
    for answer in constructors.chain(transitions) {
        *answer = answers.next().flatten().map(Box::new);
    }
}

/// The answers by what they are about. A question that names its target says more than one that was not answered, and
/// comes later.
fn by_place<'h>(encoding: &Encoding<'_>, heard: &'h [Heard]) -> BTreeMap<Place, &'h Heard> {
    let places = heard.iter().filter_map(|one| {
        let step = one.question.step()?.clone();
        let target = match (&one.question, &one.verdict) {
            (Question::Transition(_, target), _) => Some(target.clone()),
            (Question::AnyOtherTarget(..), Verdict::Reached(trace)) => {
                Some(target_of(encoding, trace)?)
            }
            (Question::Exit(_), _) => None,
            _ => return None,
        };
        Some(((step, target), one))
    });
    places.collect()
}

struct Teller<'a> {
    encoding: &'a Encoding<'a>,
    source: &'a Source,
    engine: &'a str,
    automaton: &'a Automaton,
    heard: BTreeMap<Place, &'a Heard>,
}

impl Teller<'_> {
    fn answer(&self, edge: &Edge) -> Option<EdgeAnswer> {
        let heard = self.heard.get(&self.automaton.call_of(edge))?;
        let known = match &heard.question {
            Question::AnyOtherTarget(_, known) => self.ids(known),
            _ => Vec::new(),
        };
        let answer = EdgeAnswer {
            engine: self.engine.to_owned(),
            kind: heard.question.kind().to_owned(),
            known,
            ms: heard.ms,
            ..EdgeAnswer::default()
        };
        Some(match &heard.verdict {
            Verdict::Reached(trace) => EdgeAnswer {
                verdict: "reached".to_owned(),
                kept: trace.kept,
                call: self.call(&heard.question, trace),
                output: trace.text(),
                ..answer
            },
            Verdict::BoundHit { .. } => EdgeAnswer {
                verdict: "bound-hit".to_owned(),
                ..answer
            },
            Verdict::Unknown(unknown) => EdgeAnswer {
                verdict: "unknown".to_owned(),
                output: unknown.output.clone(),
                ..answer
            },
            Verdict::Unreachable => return None,
        })
    }

    /// The ids of states, those that the EPA has.
    fn ids(&self, sets: &BTreeSet<ActionSet>) -> Vec<String> {
        let states = self.automaton.states.iter();
        let known = states.filter(|(_, set)| sets.contains(set));
        known.map(|(id, _)| id.clone()).collect()
    }

    fn call(&self, question: &Question, trace: &Trace) -> Option<AnswerCall> {
        let encoded = self.encoding.question(question).ok()?;
        let probe = Probe::of_call("", "", question.step()?.clone());
        let witness = Witness::of(self.encoding, &probe, &encoded, trace)?;
        let path = path(self.encoding, self.source, question, &encoded, trace);
        Some(AnswerCall {
            before: witness.before,
            arguments: witness.arguments,
            after: witness.after,
            replayed: path.is_some(),
            path: path.unwrap_or_default(),
        })
    }
}
