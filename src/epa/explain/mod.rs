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

use crate::encode::{Encoding, Exit, Holds, Probe, Step};
use crate::engine::Engine;
use crate::ir::Expr;
use crate::ir::expr_text;
use crate::ir::formula;

pub use clauses::Place;
pub use edge::{Edge, EdgeError, entering, find};
pub use effect::Effect;
pub use reasons::Reason;

use clauses::{Candidate, is_weaker};

use super::ask::{Asker, Probed};
use super::construct::{Failure, Options};
use super::model::Epa;
use super::witness::Witness;

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/explanation/1";

/// How much is done to find clauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// No more questions than these are asked about clauses.
    pub questions: usize,
    /// No more clauses than these are added to the class to see what they do.
    pub effects: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Effort {
            questions: 250,
            effects: 16,
        }
    }
}

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
    pub witness: Option<Witness>,
    /// Why there is no witness.
    pub doubt: Option<String>,
    /// What lets the call be made, and end as it does.
    pub reasons: Vec<Reason>,
    /// What would take the edge away, the gentlest change first.
    pub changes: Vec<Change>,
    /// How many clauses were tried.
    pub tried: usize,
    /// Whether it was decided of all of them whether they take the edge away.
    pub complete: bool,
    /// How many take it away but are not among the changes: what else they do was not computed.
    pub left_out: usize,
}

/// A clause that takes the edge away.
#[derive(Clone, Debug, Serialize)]
pub struct Change {
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

/// A [`Place`] in the JSON.
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

impl From<Place> for PlaceName {
    fn from(place: Place) -> Self {
        match place {
            Place::Invariant => PlaceName::Invariant,
            Place::Requires => PlaceName::Requires,
            Place::Ensures => PlaceName::Ensures,
        }
    }
}

/// Explains an edge of the EPA of a class.
///
/// # Errors
/// The engine cannot be run, or the EPA of a changed class cannot be computed.
pub fn explain(
    encoding: &Encoding<'_>,
    engine: &dyn Engine,
    options: &Options,
    epa: &Epa,
    name: &str,
    edge: &Edge,
    effort: Effort,
) -> Result<Explanation, Failure> {
    let session = engine.open(&encoding.program())?;
    let asker = Asker::new(encoding, session.as_ref());
    let explainer = Explainer {
        encoding,
        asker: &asker,
        edge,
        effort,
    };
    let mut explanation = Explanation {
        schema: SCHEMA,
        class: epa.class.clone(),
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
            explanation.witness = Some(witness);
            explanation.reasons = reasons;
        }
        Err(doubt) => explanation.doubt = Some(doubt),
    }
    let tried = explainer.search();
    explanation.tried = tried.number;
    explanation.complete = tried.complete;
    // What every call keeps anyway comes first: it is most likely to be what was forgotten.
    let mut working: Vec<(bool, Candidate)> = tried
        .working
        .into_iter()
        .map(|candidate| (!explainer.is_kept(&candidate), candidate))
        .collect();
    working.sort_by_key(|(not_kept, _)| *not_kept);
    let mut changes = Vec::new();
    for (_, candidate) in working.iter().take(effort.effects) {
        let effect = match effect::of(encoding, engine, options, epa, edge, candidate) {
            // The class says when the action can be called, and with the clause that is not so any more.
            Err(Failure::Split(_)) => continue,
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
    working: Vec<Candidate>,
    number: usize,
    complete: bool,
}

struct Explainer<'a> {
    encoding: &'a Encoding<'a>,
    asker: &'a Asker<'a>,
    edge: &'a Edge,
    effort: Effort,
}

impl Explainer<'_> {
    fn text(&self, e: &Expr) -> String {
        expr_text(self.encoding.source(), self.encoding.class(), e)
    }

    /// Can the call take the edge?
    fn taken(&self, label: String) -> Probe {
        let mut probe = Probe::of_call("explained-edge", label, self.edge.step.clone());
        probe.invariant_after = Holds::Yes;
        probe.after = vec![self.encoding.in_state(&self.edge.target)];
        for (state, e) in self.encoding.assumptions() {
            if state == self.edge.target {
                probe.after.push(e.clone());
            }
            if matches!(&self.edge.step, Step::Call { source: Some(source), .. } if *source == state)
            {
                probe.before.push(e);
            }
        }
        probe
    }

    /// The clauses with which no call takes the edge.
    fn search(&self) -> Tried {
        let mut alive = clauses::candidates(self.encoding, &self.edge.step);
        let mut tried = Tried {
            working: Vec::new(),
            number: alive.len(),
            complete: true,
        };
        let mut questions = 0;
        // A first call rules out all that holds of it, before any clause is assumed.
        let mut assumed: Option<Candidate> = None;
        loop {
            if questions == self.effort.questions {
                tried.complete = false;
                break;
            }
            questions += 1;
            let probe = self.with(assumed.as_ref(), &alive, questions);
            match (self.asker.probe(&probe), assumed.take()) {
                (Probed::Yes(witness), _) => alive = self.not_holding(alive, &witness),
                (Probed::No, Some(candidate)) => {
                    let is_stronger = |other: &Candidate| {
                        other.place == candidate.place
                            && is_weaker(&candidate.clause, &other.clause)
                    };
                    tried.working.retain(|w| !is_stronger(w));
                    alive.retain(|c| !is_stronger(c));
                    tried.working.push(candidate);
                }
                (Probed::Unknown(_), Some(_)) => tried.complete = false,
                (Probed::No | Probed::Unknown(_), None) => {}
            }
            if alive.is_empty() {
                break;
            }
            assumed = Some(alive.remove(0));
        }
        tried
    }

    /// Can the call take the edge where a clause holds? Of all others it is recorded whether they do.
    fn with(&self, assumed: Option<&Candidate>, alive: &[Candidate], number: usize) -> Probe {
        let mut probe = self.taken(format!("with_clause_{number}"));
        let constructs = matches!(self.edge.step, Step::Construct { .. });
        let assumed = assumed.map(|c| (c.place, self.total(&c.clause)));
        match assumed {
            None => {}
            Some((Place::Invariant, clause)) => {
                if !constructs {
                    probe.before.push(clause.clone());
                }
                probe.after.push(clause);
            }
            Some((Place::Requires, clause)) => probe.before.push(clause),
            Some((Place::Ensures, clause)) => probe.after.push(clause),
        }
        for candidate in alive {
            let clause = self.total(&candidate.clause);
            let (before, after) = match candidate.place {
                Place::Invariant => (!constructs, true),
                Place::Requires => (true, false),
                Place::Ensures => (false, true),
            };
            if before {
                probe.watched_before.push(clause.clone());
            }
            if after {
                probe.watched_after.push(clause);
            }
        }
        probe
    }

    fn total(&self, e: &Expr) -> Expr {
        formula::clause_under_invariant(self.encoding.source(), e)
    }

    /// The clauses that do not hold of a call that takes the edge.
    fn not_holding(&self, alive: Vec<Candidate>, witness: &Witness) -> Vec<Candidate> {
        let constructs = matches!(self.edge.step, Step::Construct { .. });
        let mut before = witness.held_before.iter();
        let mut after = witness.held_after.iter();
        let held = |values: &mut std::slice::Iter<'_, bool>| *values.next().unwrap_or(&true);
        let mut left = Vec::new();
        for candidate in alive {
            let holds = match candidate.place {
                Place::Invariant => {
                    let before = constructs || held(&mut before);
                    before & held(&mut after)
                }
                Place::Requires => held(&mut before),
                Place::Ensures => held(&mut after),
            };
            if !holds {
                left.push(candidate);
            }
        }
        left
    }

    fn change(&self, candidate: &Candidate, effect: Effect) -> Change {
        let text = self.text(&candidate.clause);
        Change {
            place: candidate.place.into(),
            clause: match candidate.place {
                Place::Invariant => format!("invariant {text};"),
                Place::Requires => format!("requires {text}"),
                Place::Ensures => format!("ensures {text}"),
            },
            broken_by: match candidate.place {
                Place::Invariant => self.broken_by(&candidate.clause),
                Place::Requires | Place::Ensures => Vec::new(),
            },
            effect,
        }
    }

    /// Whether a clause is one of the invariant that every call keeps.
    fn is_kept(&self, candidate: &Candidate) -> bool {
        candidate.place == Place::Invariant && self.breaking(&candidate.clause).next().is_none()
    }

    fn broken_by(&self, clause: &Expr) -> Vec<String> {
        let encoding = self.encoding;
        let name = |step: Step| match step {
            Step::Construct { constructor, .. } => {
                encoding.constructors[constructor].display.clone()
            }
            Step::Call { action, .. } => encoding.actions[action].name.clone(),
        };
        self.breaking(clause).map(name).collect()
    }

    /// The calls that, where a clause and the invariant hold, can end where the clause does not, and constructors
    /// that can. A call of which it is not known counts.
    fn breaking(&self, clause: &Expr) -> impl Iterator<Item = Step> + '_ {
        let encoding = self.encoding;
        let clause = self.total(clause);
        let constructors = (0..encoding.constructors.len()).map(|constructor| Step::Construct {
            constructor,
            exit: Exit::Normal,
        });
        let actions = (0..encoding.actions.len()).map(|action| Step::Call {
            source: None,
            action,
            exit: Exit::Any,
        });
        let breaks = move |step: &Step| {
            let mut probe = Probe::of_call("kept-clause", "kept", step.clone());
            probe.invariant_after = Holds::Yes;
            if matches!(step, Step::Call { .. }) {
                probe.before = vec![clause.clone()];
            }
            probe.after = vec![formula::not(clause.clone())];
            self.asker.probe(&probe) != Probed::No
        };
        constructors.chain(actions).filter(breaks)
    }
}
