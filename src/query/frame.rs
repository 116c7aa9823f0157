//! What calls leave as it is: one that changes nothing that tells states apart ends in the state that it is made in.

use std::collections::BTreeSet;

use super::{ActionId, Mark, Subject};
use crate::ir::effects::Footprint;

/// What the calls of each action leave as it is, however they end.
#[derive(Clone, Debug)]
pub struct Frames {
    /// Of each action, the marks that a state has behind the call if and only if it had them before.
    kept: Vec<BTreeSet<Mark>>,
    /// How many marks there are.
    marks: usize,
}

impl Frames {
    /// As far as that is known from what routines write, and from what marks depend on.
    ///
    /// A mark that is over-approximated is not kept: one configuration may count as one that has it, and as one that has it not.
    /// What is certain of a mark does not tell states apart.
    pub fn of(subject: &Subject) -> Frames {
        let exact = subject
            .marks()
            .filter(|mark| subject.guard(*mark).is_exact());
        let depends: Vec<(Mark, Footprint)> = exact
            .map(|mark| {
                let enabled = &subject.guard(mark).enabled;
                (mark, Footprint::of(&subject.program, enabled))
            })
            .collect();
        let kept_by = |action: ActionId| {
            let effects = subject.effects.routine(subject[action].routine);
            let kept = depends.iter().filter(|(_, on)| !effects.may_change(on));
            kept.map(|(mark, _)| *mark).collect()
        };
        Frames {
            kept: subject.action_ids().map(kept_by).collect(),
            marks: subject.marks().len(),
        }
    }

    /// Whether a state has this mark behind each call of the action if and only if it had it before.
    pub fn keep(&self, action: ActionId, mark: Mark) -> bool {
        self.kept[action.0].contains(&mark)
    }

    /// Whether each call of the action that ends at all ends in the state that it was made in.
    pub fn keep_state(&self, action: ActionId) -> bool {
        self.kept[action.0].len() == self.marks
    }
}
