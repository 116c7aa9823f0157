//! What the routines of a class require, from their bodies: where the language of the class has no contracts, a call can
//! be made where it need not be refused.

use std::collections::BTreeSet;

use super::{Failure, Request};
use crate::engine::EngineConfig;
use crate::ir::backwards::Which;
use crate::ir::{ClassId, ExceptionId, Program, RoutineKind, RoutineRef};
use crate::typestate::precondition::Options;
use crate::typestate::requires::{self, Inferred};

/// What stands between a call and its normal end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The clauses without which a call may end in an exception, whatever `*` and what it calls do. None is missing for a call
    /// that cannot fail: all that decides is among its parameters.
    Safe,
    /// Those without which a call is refused: it can end in one of these exceptions (all, if none is named), raised by a body,
    /// and it cannot end otherwise, whatever `*` and routines without a body do.
    Possible(Vec<String>),
}

impl Reading {
    /// The clauses that routines get.
    pub(super) fn infer(
        &self,
        program: &Program,
        class: ClassId,
        routines: &[RoutineRef],
        options: &Options,
    ) -> Result<Vec<Inferred>, Failure> {
        let reading = match self {
            Reading::Safe => requires::Reading::Safe,
            Reading::Possible(names) if names.is_empty() => requires::Reading::Possible(Which::All),
            Reading::Possible(names) => {
                requires::Reading::Possible(Which::These(exceptions(program, names)?))
            }
        };
        let found = requires::requires(program, class, routines, &reading, options)?;
        // What was not asked any more would be missing.
        match options.interrupt.is_set() {
            true => Err(Failure::Interrupted),
            false => Ok(found),
        }
    }
}

/// Exceptions by their names.
fn exceptions(program: &Program, names: &[String]) -> Result<BTreeSet<ExceptionId>, Failure> {
    let named = names.iter().map(|name| {
        let position = program.exceptions.iter().position(|e| e == name);
        position.map(ExceptionId).ok_or_else(|| {
            let all = program.exceptions.join(", ");
            Failure::request(format!("there is no exception `{name}` (there are: {all})"))
        })
    });
    named.collect()
}

/// What the routines of the class require, as its bodies do, and what is to be said of it.
pub(super) fn guarded(
    program: &Program,
    class: ClassId,
    reading: &Reading,
    request: &Request,
) -> Result<(Vec<Inferred>, Vec<String>), Failure> {
    let actions = program.class(class).routines_of(RoutineKind::Action);
    let actions: Vec<RoutineRef> = actions.map(|index| RoutineRef { class, index }).collect();
    let options = Options::within(&EngineConfig {
        z3: request.z3.clone(),
        interrupt: request.interrupt.clone(),
        ..EngineConfig::default()
    });
    let routines = requires::routines(program, class, &actions);
    let found = reading.infer(program, class, &routines, &options)?;
    let notes = found.iter().filter(|inferred| inferred.note.is_some());
    let notes = notes.map(|inferred| {
        let name = &program.routine(inferred.routine).name;
        format!(
            "`{name}` may be called in fewer states than it is drawn in: not everything that it does could be followed"
        )
    });
    let notes = notes.collect();
    Ok((found, notes))
}
