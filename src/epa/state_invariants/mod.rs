//! What holds in each state of an EPA: clauses that are true of every object that calls lead to the state.
//!
//! | file | what it holds |
//! |---|---|
//! | `candidates` | clauses that may hold, made of what the class itself compares |
//! | `search` | of these, the ones that every edge establishes where it ends, if those of its source hold where it begins |
//! | `fewest` | of these, as few as say the same, in the order of what they tell |
//!
//! What is found is proved edge by edge: a call that begins where the clauses of a state hold ends where those of the other do.
//! So it is true of every object that calls along the edges of the EPA lead to the state, however many they are.

mod candidates;
mod fewest;
mod search;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Abstraction;
use super::findings::listed;
use crate::ask::{AskError, Desk, Disagreement};
use crate::encode::Encoding;
use crate::engine::Engine;
use crate::ir::ExceptionId;
use crate::ir::{Expr, expr_text, formula};
use crate::query::{ActionId, Callee, Exit, StateId, Step, Subject, kinds};

use fewest::Fewest;
use search::StateSearch;

/// The name and version of the JSON format.
const SCHEMA: &str = "tranquera/invariants/1";

/// What holds in the states of an EPA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateInvariants {
    /// Its name and version: `tranquera/invariants/1`.
    pub schema: &'static str,
    /// The class.
    pub class: String,
    /// What holds in every state.
    pub everywhere: Vec<String>,
    /// The states, with what holds in each of them besides.
    pub states: Vec<StateKnowledge>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// What holds in a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StateKnowledge {
    /// The state's id.
    pub id: String,
    /// The actions that can be called in it.
    pub enabled: Vec<String>,
    /// Whether a constructor may end in it.
    pub initial: bool,
    /// Whether some object may be in it: if not, what holds there contradicts itself.
    pub possible: bool,
    /// What holds of every object in it, besides what holds in every state.
    pub holds: Vec<String>,
    /// All of that in one expression.
    pub assumes: String,
}

impl StateKnowledge {
    /// `state { a, b } assumes e;`
    pub fn member(&self) -> String {
        let enabled = match self.enabled.is_empty() {
            true => "{ }".to_owned(),
            false => format!("{{ {} }}", self.enabled.join(", ")),
        };
        format!("state {enabled} assumes {};", self.assumes)
    }
}

impl StateInvariants {
    /// What the class would say of its states: of those of which there is something to say.
    pub fn members(&self) -> Vec<String> {
        let told = self.states.iter().filter(|state| state.assumes != "true");
        told.map(StateKnowledge::member).collect()
    }
}

/// A clause that holds in a state.
#[derive(Clone, Debug)]
struct Known {
    state: StateId,
    clause: Expr,
}

/// What holds in each state of an EPA, as far as it is found in this time; and the answers that were contradicted.
///
/// # Errors
/// The engine cannot be run.
///
/// # Examples
/// A door that is locked while it is shut:
///
/// ```
/// use std::time::Duration;
/// use tranquera::{encode::Encoding, engine::Builtin, epa, front::tq};
///
/// let text = "class Door {
///     var open: bool;
///     var locked: bool;
///     constructor() { open := false; locked := false; }
///     action swing() requires !locked { open := !open; }
///     action turn() requires !open { locked := !locked; }
/// }";
/// let door = tq::parse_text("door.tq", text)?;
/// let class = door.program.class_named("Door").ok_or("no door")?;
/// let encoding = Encoding::of_class(&door.program, class)?;
/// let made = epa::construct(&encoding, &Builtin::default(), &epa::ConstructOptions::default())?;
/// let minute = Duration::from_secs(60);
/// let (found, _) = epa::state_invariants(&encoding, &Builtin::default(), &made.abstraction, minute)?;
///
/// let told: Vec<String> = found.states.iter().map(|s| format!("{:?}: {:?}", s.enabled, s.holds)).collect();
/// assert_eq!(told, [
///     r#"["swing", "turn"]: ["!open", "!locked"]"#,
///     r#"["swing"]: ["open", "!locked"]"#,
///     r#"["turn"]: ["!open", "locked"]"#,
/// ]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn state_invariants(
    encoding: &Encoding,
    engine: &dyn Engine,
    epa: &Abstraction,
    time: Duration,
) -> Result<(StateInvariants, Vec<Disagreement>), AskError> {
    let desk = Desk::open(encoding, engine)?.until(Instant::now().checked_add(time));
    let subject = desk.subject();
    let search = StateSearch { desk: &desk, epa };
    let known = search.known(&candidates::of_class(subject));
    // What is proved by now is; what of it says the same is told in time that is over, too.
    let shown = Desk::open(encoding, engine)?;
    let found = Teller {
        desk: &shown,
        epa,
        known: &known,
    };
    let mut found = found.tell();
    if desk.is_over() {
        found.notes.push(format!(
            "the {} s that it is given are over: more may hold (`--invariant-time` is for more)",
            time.as_secs_f64()
        ));
    }
    if desk.is_interrupted() {
        found
            .notes
            .push("interrupted: more may hold than is said".to_owned());
    }
    let disagreements = [&desk, &shown];
    let disagreements = disagreements.iter().flat_map(|desk| desk.disagreements());
    Ok((found, disagreements.collect()))
}

/// Says what was found.
struct Teller<'a> {
    desk: &'a Desk<'a>,
    epa: &'a Abstraction,
    known: &'a [Known],
}

impl Teller<'_> {
    fn subject(&self) -> &Subject {
        self.desk.subject()
    }

    fn of_state(&self, state: StateId) -> Vec<Expr> {
        let known = self.known.iter().filter(|known| known.state == state);
        known.map(|known| known.clause.clone()).collect()
    }

    fn text(&self, e: &Expr) -> String {
        expr_text(&self.subject().program, self.subject().class, e)
    }

    fn texts(&self, clauses: &[Expr]) -> Vec<String> {
        clauses.iter().map(|e| self.text(e)).collect()
    }

    fn tell(&self) -> StateInvariants {
        let fewest = Fewest { desk: self.desk };
        let states: Vec<StateId> = self.epa.states().map(|(id, _)| id).collect();
        let impossible: BTreeSet<StateId> = states
            .iter()
            .copied()
            .filter(|id| fewest.is_none(&self.epa.automaton[*id], &self.of_state(*id)))
            .collect();
        let possible = states.iter().filter(|id| !impossible.contains(id));
        let everywhere = in_all(possible.map(|id| self.of_state(*id)).collect());
        let everywhere = fewest.of(&[], &everywhere);
        let initial = self.epa.initial();
        let told = states.iter().map(|id| {
            let set = &self.epa.automaton[*id];
            let holds = match impossible.contains(id) {
                true => self.contradiction(*id, &everywhere),
                false => fewest.of(&everywhere, &self.of_state(*id)),
            };
            let known: Vec<Expr> = everywhere.iter().chain(&holds).cloned().collect();
            let holds = holds.into_iter();
            let holds: Vec<Expr> = holds.map(|e| candidates::shortened(e, &known)).collect();
            let whole = match impossible.contains(id) {
                true => holds.clone(),
                false => everywhere.iter().chain(&holds).cloned().collect(),
            };
            StateKnowledge {
                id: self.epa.names.state(*id).to_owned(),
                enabled: self.epa.names.marks(set),
                initial: initial.contains(id),
                possible: !impossible.contains(id),
                holds: self.texts(&holds),
                assumes: self.text(&formula::all(whole)),
            }
        });
        StateInvariants {
            schema: SCHEMA,
            class: self.epa.names.class.clone(),
            states: told.collect(),
            everywhere: self.texts(&everywhere),
            notes: self.not_followed().into_iter().collect(),
        }
    }

    /// Why no object is in a state: for what holds in every state, if that is enough.
    fn contradiction(&self, id: StateId, everywhere: &[Expr]) -> Vec<Expr> {
        let fewest = Fewest { desk: self.desk };
        let (set, here) = (&self.epa.automaton[id], self.of_state(id));
        let common = in_all(vec![everywhere.to_vec(), here.clone()]);
        match fewest.is_none(set, &common) {
            true => fewest.contradiction(set, common),
            false => fewest.contradiction(set, here),
        }
    }

    /// What is said of exceptions that calls may end in and no edge tells.
    fn not_followed(&self) -> Option<String> {
        let subject = self.subject();
        let is_edge = |action: ActionId, exception: ExceptionId| {
            self.epa.edges().any(|(_, edge, _)| {
                edge.callee == Callee::Action(action) && edge.exit == Exit::Exception(exception)
            })
        };
        let mut raised: BTreeSet<ExceptionId> = BTreeSet::new();
        for action in subject.action_ids() {
            for exception in subject.thrown_by(Callee::Action(action)) {
                let step = Step::anywhere(action, Exit::Exception(exception));
                let is_known = raised.contains(&exception) || is_edge(action, exception);
                if !is_known && !self.desk.ask(&kinds::exit(subject, &step)).is_no() {
                    raised.insert(exception);
                }
            }
        }
        let names = raised.iter().map(|e| subject.program.exception_shown(*e));
        let names: Vec<String> = names.map(str::to_owned).collect();
        (!names.is_empty()).then(|| {
            format!(
                "of objects that somebody goes on with after {} nothing is said (`--exceptions all` follows them)",
                listed(&names)
            )
        })
    }
}

/// The clauses that are in all of these.
fn in_all(sets: Vec<Vec<Expr>>) -> Vec<Expr> {
    let mut sets = sets.into_iter();
    let mut common = sets.next().unwrap_or_default();
    for set in sets {
        common.retain(|clause| set.iter().any(|other| formula::same(other, clause)));
    }
    common
}
