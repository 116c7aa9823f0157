//! What the routines of a class require, from their bodies: where the language of the class has no contracts, a call can
//! be made where it need not be refused.

use super::{Failure, Request};
use crate::front::tq::Loaded;
use crate::ir::{ClassId, RoutineKind, RoutineRef};
use crate::typestate::precondition::Options;
use crate::typestate::requires::{self, Inferred};

/// What stands between a call and its normal end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// No clause is missing for a call that cannot fail: all that decides is among its parameters.
    Safe,
    /// What is outside may decide, too: some of what it may do lets the call end normally.
    Possible,
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
    let options = Options {
        z3: request.z3.clone(),
        interrupt: request.interrupt.clone(),
        ..Options::default()
    };
    let routines = requires::routines(program, class, &actions);
    let infer = match reading {
        Reading::Safe => requires::requires,
        Reading::Possible => requires::possible,
    };
    let found: Vec<Inferred> = infer(program, class, &routines, &options)?;
    if request.interrupt.is_set() {
        return Err(Failure::Interrupted);
    }
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
