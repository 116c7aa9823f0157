//! The premises of an EPA, checked: what the construction takes for granted, and what a reader therefore should
//! know of.
//!
//! The invariant is assumed before and after every call. Here it is asked whether it can hold at all (`start`),
//! and which call breaks which clause of it (`invariant`). What a class says of one of its states is assumed as
//! well; here it is tried to be proved (`assumptions`). What a class says of when an action can be called is
//! checked before all else (`splits`), and so are the invariants of loops (`loops`),
//! what totals add up (`totals`), and whether calls can be made of which the bodies do not show it (`calls`).

mod assumptions;
mod calls;
mod invariant;
mod loops;
mod splits;
mod start;
mod totals;

pub use loops::WrongLoopInvariant;
pub use splits::WrongSplit;
pub(super) use splits::check_splits;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ask::{Desk, OpenQuestion};
use crate::encode::Encoding;
use crate::engine::Engine;
use crate::ir::{Expr, Program, RoutineRef, expr_text};
use crate::query::{AbstractState, StateId, Subject};

use super::construct::{ConstructError, ConstructOptions};
use super::explore::ExploredEdges;
use super::findings::Finding;

/// A class of which something was proved that is relied on.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The class, with what was proved.
    pub encoding: Encoding,
    /// What is to be said of it.
    pub notes: Vec<String>,
    /// The actions of which every call can be made that their clauses allow: that was not known before.
    pub settled: BTreeSet<RoutineRef>,
    /// The question at which this was interrupted, where it was: then more may be proved with more time.
    pub open: Option<OpenQuestion>,
}

/// Why something is not proved, or nothing is known to be.
enum NotProved {
    Failed(ConstructError),
    Interrupted(OpenQuestion),
}

impl<E: Into<ConstructError>> From<E> for NotProved {
    fn from(failure: E) -> Self {
        NotProved::Failed(failure.into())
    }
}

/// Proves what is relied on before anything is asked of a class's calls: the invariants of its loops, those of some guesses for the loops
/// of its constructors that have none, and that totals are sums. None where there is nothing to prove. `trial` is the
/// engine for what is only tried, with how many questions it is asked at once.
///
/// # Errors
/// A loop's invariant does not hold, or the engine cannot be run.
pub fn prove(
    encoding: &Encoding,
    engine: &dyn Engine,
    (trial, jobs): (&dyn Engine, usize),
) -> Result<Option<Proved>, ConstructError> {
    let mut all: Option<Proved> = None;
    // Each relies on what was proved before.
    for prove in [
        loops::prove_written,
        loops::prove_guesses,
        totals::prove_totals,
    ] {
        let before = all.as_ref().map_or(encoding, |proved| &proved.encoding);
        let found = match prove(before, engine) {
            Ok(None) => continue,
            Ok(Some(found)) => found,
            Err(NotProved::Failed(failure)) => return Err(failure),
            Err(NotProved::Interrupted(open)) => Proved {
                encoding: before.clone(),
                notes: Vec::new(),
                settled: BTreeSet::new(),
                open: Some(open),
            },
        };
        let notes = all.map_or(Vec::new(), |proved| proved.notes);
        let proved = Proved {
            notes: [notes, found.notes].concat(),
            ..found
        };
        if proved.open.is_some() {
            return Ok(Some(proved));
        }
        all = Some(proved);
    }
    let before = all.as_ref().map_or(encoding, |proved| &proved.encoding);
    let Some(found) = calls::prove_calls(before, trial, jobs)? else {
        return Ok(all);
    };
    Ok(Some(Proved {
        notes: all.map_or(Vec::new(), |proved| proved.notes),
        ..found
    }))
}

/// The desk, unless what was asked there was interrupted.
fn all_asked(desk: &Desk<'_>) -> Result<(), NotProved> {
    match desk.open_question() {
        Some(open) => Err(NotProved::Interrupted(open.clone())),
        None => Ok(()),
    }
}

/// The class in another program with the same actions.
fn with_program(encoding: &Encoding, program: Program) -> Result<Encoding, askama::Error> {
    Encoding::new(Arc::new(encoding.subject.in_program(program)))
}

/// What was found out about the premises.
#[derive(Clone, Debug, Default)]
pub(super) struct Premises {
    /// What does not hold, or is not known to.
    pub findings: Vec<Finding>,
    /// What was proved.
    pub notes: Vec<String>,
}

/// Checks the premises of what was explored.
pub(super) fn check(
    desk: &Desk<'_>,
    options: &ConstructOptions,
    explored: &ExploredEdges,
) -> Premises {
    let (states, _) = explored.states();
    let premises = PremiseChecker {
        desk,
        options,
        ids: states.into_iter().zip((0..).map(StateId)).collect(),
    };
    let mut found = Premises::default();
    if premises.ids.is_empty() {
        found.findings.extend(premises.why_no_object(explored));
    }
    if options.violations {
        found.findings.extend(premises.broken_clauses(explored));
        premises.assumptions(&mut found);
    }
    // An object is made, but where it is assumed that nothing is: that is told already.
    let findings = &mut found.findings;
    if findings.iter().any(Finding::takes_a_state_away) {
        findings.retain(|finding| !matches!(finding, Finding::NoObject { .. }));
    }
    found
}

struct PremiseChecker<'a> {
    desk: &'a Desk<'a>,
    options: &'a ConstructOptions,
    /// The states that were reached, with their numbers.
    ids: BTreeMap<AbstractState, StateId>,
}

impl PremiseChecker<'_> {
    fn subject(&self) -> &Subject {
        self.desk.subject()
    }

    fn text(&self, e: &Expr) -> String {
        expr_text(&self.subject().program, self.subject().class, e)
    }

    fn id(&self, state: &AbstractState) -> Option<StateId> {
        self.ids.get(state).copied()
    }
}
