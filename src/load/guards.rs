//! What the routines of a class require, from their bodies: where the language of the class has no contracts, a call can
//! be made where it need not be refused.

use super::{Failure, Request};
use crate::engine::EngineConfig;
use crate::front::tq::Loaded;
use crate::ir::{ClassId, Program, RoutineKind, RoutineRef};
use crate::typestate::precondition::Options;
use crate::typestate::requires::{self, Inferred};

/// What stands between a call and its normal end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The clauses without which a call may end in an exception, whatever `*` and what it calls do. None is missing for a call
    /// that cannot fail: all that decides is among its parameters.
    Safe,
    /// Those without which a call cannot end normally, whatever these do. What is outside may decide, too: some of what it may
    /// do lets the call end normally.
    Possible,
}

impl Reading {
    /// The clauses that routines get.
    pub(super) fn infer(
        self,
        program: &Program,
        class: ClassId,
        routines: &[RoutineRef],
        options: &Options,
    ) -> Result<Vec<Inferred>, Failure> {
        let infer = match self {
            Reading::Safe => requires::requires,
            Reading::Possible => requires::possible,
        };
        let found = infer(program, class, routines, options)?;
        // What was not asked any more would be missing.
        match options.interrupt.is_set() {
            true => Err(Failure::Interrupted),
            false => Ok(found),
        }
    }
}

/// The text of a program whose class requires what its bodies do, and what is to be said of it.
pub(super) fn guarded(
    loaded: &Loaded,
    class: ClassId,
    reading: Reading,
    request: &Request,
) -> Result<(String, Vec<String>), Failure> {
    let program = &loaded.program;
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
    let text = requires::written(program, class, &loaded.source, &found, &[]);
    Ok((text, notes))
}
