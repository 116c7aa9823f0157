//! That every call of an action can be made, where its body could not be followed so far as to say when: because of loops that go on
//! beyond the bound, mostly. It is asked of runs ([`calm`]).

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::super::construct::{ConstructError, LARGE};
use super::super::runs::Runs;
use super::{Proved, with_program};
use crate::ask::Desk;
use crate::encode::Encoding;
use crate::engine::{Engine, EngineError};
use crate::ir::{Program, RoutineRef, calm, guard};
use crate::query::{ActionId, Callee, Exit, kinds};

/// The class in which actions are known to be enabled wherever what was found in their bodies does not forbid it: those of which
/// each such call can end normally. None where there are none. What cannot be asked any more is not known. So many questions are
/// asked at once.
///
/// # Errors
/// The engine cannot be run.
pub(super) fn prove_calls(
    encoding: &Encoding,
    engine: &dyn Engine,
    jobs: usize,
) -> Result<Option<Proved>, ConstructError> {
    let subject = &encoding.subject;
    let program = &subject.program;
    // Else it is of calls with their parameters that is said what is not known, and not of states.
    if program.refusing.is_empty() {
        return Ok(None);
    }
    let is_open = |action: &ActionId| {
        let routine = subject[*action].routine;
        let found = &program.routine(routine).from_body;
        found.as_ref().is_some_and(|found| found.certain.is_some())
            && !guard::guard(program, routine).is_certain()
            && calm::can_be_calmed(program, routine)
    };
    let mut open: Vec<ActionId> = subject.action_ids().filter(is_open).collect();
    if open.is_empty() {
        return Ok(None);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.max(1))
        .build()?;
    let mut changed = (**program).clone();
    let mut settled = BTreeSet::new();
    // What others answer may be chosen as well: that yes is always no, say.
    for answer in [false, true] {
        if open.is_empty() {
            break;
        }
        let asked = with_program(encoding, calm::calmed(program, answer))?;
        let desk = match Desk::open(&asked, engine) {
            Ok(desk) => desk,
            // That is a mistake of ours, and nothing is known then.
            Err(EngineError::Rejected { .. }) => break,
            Err(failure) => return Err(failure.into()),
        };
        let runs = Runs::new(&desk, LARGE);
        let (proved, rest): (Vec<ActionId>, Vec<ActionId>) = pool.install(|| {
            let all = open.into_par_iter();
            all.partition(|action| always_ends(&desk, runs.as_ref(), *action))
        });
        open = rest;
        for action in proved {
            let routine = subject[action].routine;
            if let Some(known) = without_doubt(&changed, routine) {
                changed = known;
                settled.insert(routine);
            }
        }
    }
    if settled.is_empty() {
        return Ok(None);
    }
    Ok(Some(Proved {
        encoding: with_program(encoding, changed)?,
        notes: Vec::new(),
        settled,
        open: None,
    }))
}

/// Whether every call of an action ends normally.
fn always_ends(desk: &Desk<'_>, runs: Option<&Runs<'_>>, action: ActionId) -> bool {
    let callee = Callee::Action(action);
    let thrown = desk.subject().thrown_by(callee).into_iter();
    let exits: Vec<Exit> = thrown.map(Exit::Exception).collect();
    let query = || kinds::any_other_exit(desk.subject(), callee, None, &exits, &BTreeSet::new());
    // One run that ends otherwise is found sooner than the engine finds it.
    let is_seen = || runs.is_some_and(|runs| !runs.ways(action, &exits, None).is_empty());
    !exits.is_empty() && !is_seen() && desk.ask(&query()).is_no()
}

/// The program in which calls of a routine can be made wherever its clauses allow it; none where these do not say it of the
/// configuration alone.
fn without_doubt(program: &Program, routine: RoutineRef) -> Option<Program> {
    let mut known = program.clone();
    let declared = known.classes.get_mut(routine.class.0)?;
    let declared = declared.routines.get_mut(routine.index)?;
    declared.from_body.as_mut()?.certain = None;
    guard::guard(&known, routine).is_certain().then_some(known)
}
