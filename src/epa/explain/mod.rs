//! Why an edge is there, and what would have to hold for it to go away (TSE 2012, §2).
//!
//! A call that takes the edge shows how it comes about (`reasons`). Then clauses that the class itself suggests
//! (`clauses`) are tried at the places where one could be added: the invariant, what the call requires, what it
//! ensures. With one assumed, it is asked again whether the call can take the edge. A call that still does rules
//! out all clauses that hold of it, so that a few questions decide about hundreds of clauses. What is left is
//! added to the class, and the whole EPA computed again: that says what else would go (`effect`).

mod clauses;
mod edge;
mod effect;
mod reasons;

use serde::Serialize;

use crate::ask::{Answer, Desk, Named, Witness};
use crate::encode::Encoding;
use crate::engine::Engine;
use crate::ir::{Expr, expr_text, formula};
use crate::query::{
    AbstractState, Callee, EdgeId, Effort, End, Exit, Holds, Query, Step, Subject, kinds,
};

pub use clauses::ClauseKind;
pub use edge::{EdgeError, entering, find};
pub use effect::Effect;
pub use reasons::Reason;

use clauses::{ClauseCandidate, is_weaker};

use super::abstraction::Abstraction;
use super::construct::{ConstructError, ConstructOptions};

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/explanation/1";

/// Why an edge is there, and what would take it away.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The class.
    pub class: String,
    /// The edge, as it was named.
    pub edge: String,
    /// A call that takes it; none where the engine does not know one.
    pub witness: Option<Taken>,
    /// Why there is no witness.
    pub doubt: Option<String>,
    /// What lets the call be made, and end as it does.
    pub reasons: Vec<Reason>,
    /// What would take the edge away, the gentlest change first.
    pub changes: Vec<ClauseChange>,
    /// How many clauses were tried.
    pub tried: usize,
    /// Whether it was decided of all of them whether they take the edge away.
    pub complete: bool,
    /// How many take it away but are not among the changes: what else they do was not computed.
    pub left_out: usize,
}

/// A call that takes an edge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// The fields where it begins. A constructor starts from arbitrary ones, so they are left out.
    pub before: Vec<Named>,
    /// The arguments.
    pub arguments: Vec<Named>,
    /// The fields where it ends.
    pub after: Vec<Named>,
}

/// A clause that takes the edge away.
#[derive(Clone, Debug, Serialize)]
pub struct ClauseChange {
    /// Where it is added.
    pub place: PlaceName,
    /// The clause, as it is written in the class: `invariant x > 0;`, `requires x > 0`.
    pub clause: String,
    /// The calls that do not keep it, as they are now: for an invariant, constructors and actions. Empty for an
    /// invariant that every call keeps, which only has to be said.
    pub broken_by: Vec<String>,
    /// What it does to the EPA.
    pub effect: Effect,
}

/// A [`ClauseKind`] in the JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlaceName {
    /// The invariant.
    Invariant,
    /// What the call requires.
    Requires,
    /// What the call ensures.
    Ensures,
}

impl From<ClauseKind> for PlaceName {
    fn from(place: ClauseKind) -> Self {
        match place {
            ClauseKind::Invariant => PlaceName::Invariant,
            ClauseKind::Requires => PlaceName::Requires,
            ClauseKind::Ensures => PlaceName::Ensures,
        }
    }
}

/// Explains an edge of the EPA of a class.
///
/// # Errors
/// The engine cannot be run, or the EPA of a changed class cannot be computed.
pub fn explain(
    encoding: &Encoding,
    engine: &dyn Engine,
    options: &ConstructOptions,
    epa: &Abstraction,
    name: &str,
    edge: EdgeId,
    effort: Effort,
) -> Result<Explanation, ConstructError> {
    let desk = Desk::open(encoding, engine)?;
    let taken = &epa.automaton[edge];
    let explainer = Explainer {
        desk: &desk,
        step: epa.automaton.step(taken),
        target: epa.automaton.target(taken).cloned().unwrap_or_default(),
        effort,
    };
    let mut explanation = Explanation {
        schema: SCHEMA,
        class: epa.names.class.clone(),
        edge: name.to_owned(),
        witness: None,
        doubt: None,
        reasons: Vec::new(),
        changes: Vec::new(),
        tried: 0,
        complete: true,
        left_out: 0,
    };
    match explainer.reasons() {
        Ok((witness, reasons)) => {
            explanation.witness = Some(explainer.told(&witness));
            explanation.reasons = reasons;
        }
        Err(doubt) => explanation.doubt = Some(doubt),
    }
    let tried = explainer.search();
    explanation.tried = tried.number;
    explanation.complete = tried.complete;
    // What every call keeps anyway comes first: it is most likely to be what was forgotten.
    let mut working: Vec<(bool, ClauseCandidate)> = tried
        .working
        .into_iter()
        .map(|candidate| (!explainer.is_kept(&candidate), candidate))
        .collect();
    working.sort_by_key(|(not_kept, _)| *not_kept);
    let mut changes = Vec::new();
    for (_, candidate) in working.iter().take(effort.effects) {
        let effect = match effect::of(desk.subject(), engine, options, epa, edge, candidate) {
            // The class says when the action can be called, and with the clause that is not so any more.
            Err(ConstructError::Split(_)) => continue,
            other => other?,
        };
        if effect.removes_edge && effect.leaves_call {
            changes.push(explainer.change(candidate, effect));
        }
    }
    explanation.left_out = working.len().saturating_sub(effort.effects);
    // The gentlest first: what every call keeps anyway, then what takes the least away.
    changes.sort_by_key(|c| {
        (
            !c.broken_by.is_empty(),
            c.effect.removed.len() + c.effect.added.len(),
            c.clause.len(),
        )
    });
    explanation.changes = changes;
    Ok(explanation)
}

/// What the search found.
struct Tried {
    working: Vec<ClauseCandidate>,
    number: usize,
    complete: bool,
}

struct Explainer<'a> {
    desk: &'a Desk<'a>,
    /// The edge's call, and where it ends.
    step: Step,
    target: AbstractState,
    effort: Effort,
}

impl Explainer<'_> {
    fn subject(&self) -> &Subject {
        self.desk.subject()
    }

    fn text(&self, e: &Expr) -> String {
        expr_text(&self.subject().program, self.subject().class, e)
    }

    /// A call that takes the edge, for a person.
    fn told(&self, witness: &Witness) -> Taken {
        let program = &self.subject().program;
        Taken {
            before: match self.step.callee {
                Callee::Constructor(_) => Vec::new(),
                Callee::Action(_) => witness.before(program),
            },
            arguments: witness.arguments(self.subject()),
            after: witness.after(program),
        }
    }

    /// Can the call take the edge?
    fn taken(&self, label: &str) -> Query {
        let subject = self.subject();
        let mut query = kinds::such_call(subject, "explained-edge", label, &self.step);
        let mut after = vec![subject.in_state(&self.target)];
        for (state, e) in subject.assumptions() {
            if state.enables_the_same(&self.target) {
                after.push(e.clone());
            }
            let source = self.step.source.as_ref();
            if source.is_some_and(|source| state.enables_the_same(source)) {
                query.start.given.push(e);
            }
        }
        query.end = kinds::asked_for(after);
        query.ending_where(Holds::Yes)
    }

    /// The clauses with which no call takes the edge.
    fn search(&self) -> Tried {
        let mut alive = clauses::candidates(self.subject(), &self.step);
        let mut tried = Tried {
            working: Vec::new(),
            number: alive.len(),
            complete: true,
        };
        let mut questions = 0;
        // A first call rules out all that holds of it, before any clause is assumed.
        let mut assumed: Option<ClauseCandidate> = None;
        loop {
            if questions == self.effort.questions {
                tried.complete = false;
                break;
            }
            questions += 1;
            let query = self.with(assumed.as_ref(), &alive, questions);
            match (self.desk.ask(&query), assumed.take()) {
                (Answer::Yes(witness) | Answer::Guess(witness), _) => {
                    alive = self.not_holding(alive, &witness);
                }
                (Answer::No, Some(candidate)) => {
                    let is_stronger = |other: &ClauseCandidate| {
                        other.place == candidate.place
                            && is_weaker(&candidate.clause, &other.clause)
                    };
                    tried.working.retain(|w| !is_stronger(w));
                    alive.retain(|c| !is_stronger(c));
                    tried.working.push(candidate);
                }
                (Answer::Unknown(_), Some(_)) => tried.complete = false,
                (Answer::No | Answer::Unknown(_), None) => {}
            }
            if alive.is_empty() {
                break;
            }
            assumed = Some(alive.remove(0));
        }
        tried
    }

    /// Can the call take the edge where a clause holds? Of all others it is recorded whether they do.
    fn with(
        &self,
        assumed: Option<&ClauseCandidate>,
        alive: &[ClauseCandidate],
        number: usize,
    ) -> Query {
        let mut query = self.taken(&format!("with_clause_{number}"));
        let constructs = self.step.callee.is_constructor();
        let at = |place: ClauseKind| match place {
            ClauseKind::Invariant => (!constructs, true),
            ClauseKind::Requires => (true, false),
            ClauseKind::Ensures => (false, true),
        };
        if let Some(candidate) = assumed {
            let clause = self.total(&candidate.clause);
            let (before, after) = at(candidate.place);
            if before {
                query.start.given.push(clause.clone());
            }
            if let (true, End::Holds { formulas, .. }) = (after, &mut query.end) {
                formulas.push(clause);
            }
        }
        for candidate in alive {
            let clause = self.total(&candidate.clause);
            let (before, after) = at(candidate.place);
            if before {
                query.start.watched.push(clause.clone());
            }
            if after {
                query.watched.push(clause);
            }
        }
        query
    }

    fn total(&self, e: &Expr) -> Expr {
        formula::clause_under_invariant(&self.subject().program, e)
    }

    /// The clauses that do not hold of a call that takes the edge.
    fn not_holding(&self, alive: Vec<ClauseCandidate>, witness: &Witness) -> Vec<ClauseCandidate> {
        let constructs = self.step.callee.is_constructor();
        let (before, after) = (witness.held_before(), witness.held_after());
        let (mut before, mut after) = (before.iter(), after.iter());
        let held = |values: &mut std::slice::Iter<'_, bool>| *values.next().unwrap_or(&true);
        let mut left = Vec::new();
        for candidate in alive {
            let holds = match candidate.place {
                ClauseKind::Invariant => {
                    let before = constructs || held(&mut before);
                    before & held(&mut after)
                }
                ClauseKind::Requires => held(&mut before),
                ClauseKind::Ensures => held(&mut after),
            };
            if !holds {
                left.push(candidate);
            }
        }
        left
    }

    fn change(&self, candidate: &ClauseCandidate, effect: Effect) -> ClauseChange {
        let text = self.text(&candidate.clause);
        ClauseChange {
            place: candidate.place.into(),
            clause: match candidate.place {
                ClauseKind::Invariant => format!("invariant {text};"),
                ClauseKind::Requires => format!("requires {text}"),
                ClauseKind::Ensures => format!("ensures {text}"),
            },
            broken_by: match candidate.place {
                ClauseKind::Invariant => self.broken_by(&candidate.clause),
                ClauseKind::Requires | ClauseKind::Ensures => Vec::new(),
            },
            effect,
        }
    }

    /// Whether a clause is one of the invariant that every call keeps.
    fn is_kept(&self, candidate: &ClauseCandidate) -> bool {
        candidate.place == ClauseKind::Invariant
            && self.breaking(&candidate.clause).next().is_none()
    }

    fn broken_by(&self, clause: &Expr) -> Vec<String> {
        let name = |step: Step| self.subject().shown(step.callee).to_owned();
        self.breaking(clause).map(name).collect()
    }

    /// The calls that, where a clause and the invariant hold, can end where the clause does not, and constructors
    /// that can. A call of which it is not known counts.
    fn breaking(&self, clause: &Expr) -> impl Iterator<Item = Step> + '_ {
        let subject = self.subject();
        let clause = self.total(clause);
        let constructors = subject.constructor_ids();
        let constructors = constructors.map(|id| Step::construct(id, Exit::Normal));
        let actions = subject.action_ids().map(|id| Step::anywhere(id, Exit::Any));
        let breaks = move |step: &Step| {
            let mut query = kinds::such_call(subject, "kept-clause", "kept", step);
            if !step.callee.is_constructor() {
                query.start.given = vec![clause.clone()];
            }
            query.end = kinds::asked_for(vec![formula::not(clause.clone())]);
            !self.desk.ask(&query.ending_where(Holds::Yes)).is_no()
        };
        constructors.chain(actions).filter(breaks)
    }
}
