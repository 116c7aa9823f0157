//! The letters: what is seen of each action.

use crate::interface::abstraction::{Alphabet, LetterOf};
use crate::query::kinds::interface::Abstracted;
use crate::query::{ActionId, Exit};

/// How it is written that a call ended normally, where it may also fail.
pub const WENT_WELL: &str = "ok";

/// The letters: what is seen of each action. Where they are to be uniform, as in the paper, where the return values
/// are those of all methods, every action gets a letter for failing if one can fail; those of actions that cannot
/// fail never occur.
pub fn alphabet(abstracted: &Abstracted, uniform: bool) -> Alphabet {
    let subject = &abstracted.subject;
    let can_fail = |seen: &Vec<Exit>| seen.iter().any(Exit::is_failure);
    let any_can_fail = uniform && abstracted.seen.iter().any(can_fail);
    let mut letters = Vec::new();
    for (action, seen) in abstracted.seen.iter().enumerate() {
        for exit in seen {
            let label = match exit {
                Exit::Without(_) => None,
                Exit::OtherException(_) => Some("!ok".to_string()),
                _ => {
                    let outcome = subject.outcome_label(ActionId(action), exit);
                    match (outcome.is_empty(), can_fail(seen)) {
                        (false, _) => Some(outcome),
                        (true, true) => Some(WENT_WELL.into()),
                        (true, false) => None,
                    }
                }
            };
            letters.push(LetterOf { action, label });
        }
        if any_can_fail && !can_fail(seen) {
            let label = Some("!ok".into());
            letters.push(LetterOf { action, label });
        }
    }
    Alphabet {
        actions: subject.actions.iter().map(|a| a.shown.clone()).collect(),
        letters,
    }
}
