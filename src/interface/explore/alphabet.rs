//! The letters: what is seen of each action.

use crate::encode::interface::{InterfaceEncoding, Observation};
use crate::interface::abstraction::{Alphabet, LetterOf};

/// How it is written that a call ended normally, where it may also fail.
pub const WENT_WELL: &str = "ok";

/// The letters: what is seen of each action. Where they are to be uniform, as in the paper, where the return values
/// are those of all methods, every action gets a letter for failing if one can fail; those of actions that cannot
/// fail never occur.
pub fn alphabet(interface: &InterfaceEncoding<'_>, uniform: bool) -> Alphabet {
    let encoding = interface.encoding();
    let can_fail = |seen: &Vec<Observation>| seen.contains(&Observation::Failed);
    let any_can_fail = uniform && interface.observations.iter().any(can_fail);
    let mut letters = Vec::new();
    for (action, seen) in interface.observations.iter().enumerate() {
        for observation in seen {
            let label = match observation {
                Observation::Ended => None,
                Observation::Failed => Some("!ok".to_string()),
                Observation::Normal(exit) => {
                    let outcome = encoding.outcome_label(action, exit);
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
        actions: encoding.actions.iter().map(|a| a.name.clone()).collect(),
        letters,
    }
}
