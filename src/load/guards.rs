//! What the routines of a class require, from their bodies: where the language of the class has no contracts, a call can
//! be made where it need not be refused.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use super::{LoadError, LoadRequest};
use crate::engine::EngineConfig;
use crate::ir::backwards::{Refusing, Which};
use crate::ir::guard;
use crate::ir::{ClassId, ExceptionId, Program, RoutineKind, RoutineRef};
use crate::typestate::precondition::PreconditionOptions;
use crate::typestate::requires::{self, Inferred, given};

/// The routines of which it is not known everywhere when they can be called, with a sentence of each.
pub type Unsure = BTreeMap<RoutineRef, String>;

/// What stands between a call and its normal end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuardReading {
    /// The clauses without which a call may end in an exception, whatever `*` and what it calls do.
    Safe,
    /// Those without which a call, with its parameters, ends in one of these exceptions, whatever `*` does: all that
    /// decides otherwise is among the parameters. Of a state in which each call ends so nothing more is said.
    Calls(Vec<String>),
    /// Those without which a call is refused: it can end in such an exception, raised by a body, and it cannot end otherwise,
    /// whatever `*` and routines without a body do.
    Possible {
        /// The exceptions; all, if none is named.
        refusing: Vec<String>,
        /// Those that stand for what other code raises: that a call can end in one says neither that it is refused nor that it
        /// can be made.
        neither: Vec<String>,
    },
}

impl GuardReading {
    /// The clauses that routines get.
    pub(super) fn infer(
        &self,
        program: &Program,
        class: ClassId,
        routines: &[RoutineRef],
        options: &PreconditionOptions,
    ) -> Result<Vec<Inferred>, LoadError> {
        let reading = match self {
            GuardReading::Safe => requires::ClauseReading::Safe,
            GuardReading::Calls(names) => {
                let exceptions = Which::These(exceptions(program, names)?);
                requires::ClauseReading::Calls(exceptions.into())
            }
            GuardReading::Possible { refusing, neither } => {
                requires::ClauseReading::Possible(possible(program, refusing, neither)?)
            }
        };
        let found = requires::requires(program, class, routines, &reading, options)?;
        // What was not asked any more would be missing.
        match options.interrupt.is_set() {
            true => Err(LoadError::Interrupted),
            false => Ok(found),
        }
    }

    /// The exceptions by which bodies refuse calls that are not to be made; none where something else is read of bodies.
    pub(super) fn refusing(&self, program: &Program) -> Result<BTreeSet<ExceptionId>, LoadError> {
        let GuardReading::Possible { refusing, neither } = self else {
            return Ok(BTreeSet::new());
        };
        let possible = possible(program, refusing, neither)?;
        let all = (0..program.exceptions.len()).map(ExceptionId);
        let refusing = all.filter(|id| possible.exceptions.has(*id));
        let refusing = refusing.filter(|id| !possible.neither.contains(id));
        Ok(refusing.collect())
    }
}

fn possible(
    program: &Program,
    refusing: &[String],
    neither: &[String],
) -> Result<Refusing, LoadError> {
    Ok(Refusing {
        exceptions: match refusing {
            [] => Which::All,
            refusing => Which::These(exceptions(program, refusing)?),
        },
        neither: exceptions(program, neither)?,
    })
}

/// Exceptions by their names.
fn exceptions(program: &Program, names: &[String]) -> Result<BTreeSet<ExceptionId>, LoadError> {
    let named = names.iter().map(|name| {
        program.exception_called(name).ok_or_else(|| {
            let all = program.exceptions.join(", ");
            LoadError::request(format!("there is no exception `{name}` (there are: {all})"))
        })
    });
    named.collect()
}

/// How bodies are looked at.
pub(super) fn options(request: &LoadRequest) -> PreconditionOptions {
    let config = EngineConfig {
        z3: request.z3.clone(),
        interrupt: request.interrupt.clone(),
        ..EngineConfig::default()
    };
    let options = PreconditionOptions::within(&config);
    PreconditionOptions {
        jobs: request.jobs.unwrap_or(options.jobs),
        until: request.until,
        ..options
    }
}

/// What the routines of the class require, as its bodies do, and of which it is not known everywhere.
pub(super) fn guarded(
    program: &Program,
    class: ClassId,
    reading: &GuardReading,
    request: &LoadRequest,
) -> Result<(Vec<Inferred>, Unsure), LoadError> {
    let actions = program.class(class).routines_of(RoutineKind::Action);
    let actions: Vec<RoutineRef> = actions.map(|index| RoutineRef { class, index }).collect();
    let options = options(request);
    let routines = requires::routines(program, class, &actions);
    let found = reading.infer(program, class, &routines, &options)?;
    let with_clauses = LazyCell::new(|| given(program, &found));
    // Of some calls it may not be known, and yet of each state.
    let is_unsure = |inferred: &&Inferred| {
        let is_action = actions.contains(&inferred.routine);
        inferred.note.is_some()
            && !(is_action && guard::guard(&with_clauses, inferred.routine).is_certain())
    };
    let notes = found.iter().filter(is_unsure);
    let notes = notes.map(|inferred| {
        let name = program.routine(inferred.routine).shown();
        let because = match inferred.because.is_empty() {
            true => String::new(),
            false => format!(" ({})", inferred.because.join("; ")),
        };
        let note = format!(
            "`{name}` may be called in fewer states than it is drawn in: not everything that it does could be followed{because}"
        );
        (inferred.routine, note)
    });
    let notes = notes.collect();
    Ok((found, notes))
}
