//! What calls leave as it is: one that changes nothing that tells states apart ends in the state that it is made in.

use std::collections::BTreeSet;

use super::{ActionId, Mark, Subject};
use crate::ir::effects::Footprint;
use crate::ir::formula;

/// What the calls of each action leave as it is, however they end.
#[derive(Clone, Debug)]
pub struct Frames {
    /// Of each action, the marks that a state has behind the call if and only if it had them before.
    kept: Vec<BTreeSet<Mark>>,
}

impl Frames {
    /// As far as that is known from what routines write, and from what marks depend on.
    pub fn of(subject: &Subject) -> Frames {
        let depends: Vec<(Mark, Footprint)> = subject
            .marks()
            .filter_map(|mark| Some((mark, depends_on(subject, mark)?)))
            .collect();
        let kept_by = |action: ActionId| {
            let effects = subject.effects.routine(subject[action].routine);
            let kept = depends.iter().filter(|(_, on)| !effects.may_change(on));
            kept.map(|(mark, _)| *mark).collect()
        };
        Frames {
            kept: subject.action_ids().map(kept_by).collect(),
        }
    }

    /// Whether a state has this mark behind each call of the action if and only if it had it before.
    pub fn keep(&self, action: ActionId, mark: Mark) -> bool {
        self.kept[action.0].contains(&mark)
    }
}

/// What it depends on whether an object has a mark; none where that is not known.
///
/// Where a guard is over-approximated, one configuration counts as one in which the action can be called, and as one in which it
/// cannot; which of the two it is, its requires clauses say. So a call that changes nothing that these look at changes neither, and
/// leads from each of the two to the same. What is certain of a mark does not tell states apart.
fn depends_on(subject: &Subject, mark: Mark) -> Option<Footprint> {
    let (program, guard) = (&subject.program, subject.guard(mark));
    if guard.is_exact() {
        return Some(Footprint::of(program, &guard.enabled));
    }
    let Mark::Enabled(action) = mark else {
        return None;
    };
    let routine = program.routine(subject[action].routine);
    // Where not all of a body could be followed, more is looked at than the clauses say.
    let is_whole = routine
        .from_body
        .as_ref()
        .is_none_or(|f| f.certain.is_none());
    let clauses = is_whole.then_some(&routine.requires)?;
    let mut all = Footprint::of(program, &formula::all(clauses.iter().cloned()));
    for param in &routine.params {
        all.add_values(&program.var(*param).ty);
    }
    Some(all)
}
