//! That a total is the sum of what was given out (`ir::totals`): proved before all else where the constructors suggest it, and then
//! relied on. What is not proved is not said.

use std::collections::BTreeSet;

use super::{NotProved, Proved, all_asked, with_program};
use crate::ask::Desk;
use crate::encode::Encoding;
use crate::engine::Engine;
use crate::ir::{Expr, expr_text, totals};
use crate::query::{Exit, Step, Subject, kinds};

/// The class with those equations of its sums and totals as invariants that every constructor establishes and every call keeps;
/// none where there are none.
///
/// # Errors
/// The engine cannot be run, or it was interrupted.
pub(super) fn prove_totals(
    encoding: &Encoding,
    engine: &dyn Engine,
) -> Result<Option<Proved>, NotProved> {
    let subject = &encoding.subject;
    let equations = totals::equations(&subject.program, subject.class);
    if equations.is_empty() {
        return Ok(None);
    }
    let desk = Desk::open(encoding, engine)?;
    let is_proved = |equation: &&Expr| {
        let equation = std::slice::from_ref(*equation);
        let breaks = |step: &Step| kinds::breaks(subject, step, equation, equation);
        steps(subject)
            .iter()
            .all(|step| desk.ask(&breaks(step)).is_no())
    };
    let proved: Vec<Expr> = equations.iter().filter(is_proved).cloned().collect();
    all_asked(&desk)?;
    if proved.is_empty() {
        return Ok(None);
    }
    let text = |e| expr_text(&subject.program, subject.class, e);
    let notes = proved.iter().map(|equation| {
        let equation = text(equation);
        format!("`{equation}` is proved of all objects, and relied on")
    });
    let notes = notes.collect();
    let mut program = (*subject.program).clone();
    if let Some(class) = program.classes.get_mut(subject.class.0) {
        class.invariants.extend(proved);
    }
    Ok(Some(Proved {
        encoding: with_program(encoding, program)?,
        notes,
        settled: BTreeSet::new(),
        open: None,
    }))
}

/// All ways in which a call may end.
fn steps(subject: &Subject) -> Vec<Step> {
    let constructors = subject.constructor_ids();
    let constructors = constructors.map(|id| Step::construct(id, Exit::Normal));
    let actions = subject.action_ids().flat_map(|action| {
        let thrown = &subject.effects.routine(subject[action].routine).throws;
        let exceptional = thrown.iter().map(|id| Exit::Exception(*id));
        let exits = [Exit::Normal].into_iter().chain(exceptional);
        exits.map(move |exit| Step::anywhere(action, exit))
    });
    constructors.chain(actions).collect()
}
