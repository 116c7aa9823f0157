//! `enabled when e with p := f`: whether what the class says of when an action can be called is so (TOSEM 2013,
//! §4.2.2).
//!
//! Unlike other premises these are checked before anything else: with a wrong split the EPA would lack behaviour,
//! so there is none.

use crate::encode::{Encoding, Exit, Probe, Step};
use crate::epa::ask::{Asker, Probed};
use crate::ir::expr_text;
use crate::ir::guard::split::{Claim, claims};

/// A split that cannot be relied on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongSplit {
    /// A configuration and parameters contradict it.
    #[error("what `{action}` says of when it can be called is wrong: `{clause}`: {how}")]
    Refuted {
        /// The action.
        action: String,
        /// The clause.
        clause: String,
        /// The values, and what they show.
        how: String,
    },
    /// It could not be shown to be right.
    #[error(
        "what `{action}` says of when it can be called could not be checked: `{clause}` ({doubt}); without the clause the \
         guard is over-approximated"
    )]
    Unknown {
        /// The action.
        action: String,
        /// The clause.
        clause: String,
        /// Why not.
        doubt: String,
    },
}

/// Checks every claim of every split.
///
/// # Errors
/// The first claim that does not hold, or is not known to.
pub fn check_splits(encoding: &Encoding<'_>, asker: &Asker<'_>) -> Result<(), WrongSplit> {
    for (action, declared) in encoding.actions.iter().enumerate() {
        for claim in claims(encoding.source(), declared.routine) {
            check(encoding, asker, action, &claim)?;
        }
    }
    Ok(())
}

fn check(
    encoding: &Encoding<'_>,
    asker: &Asker<'_>,
    action: usize,
    claim: &Claim,
) -> Result<(), WrongSplit> {
    let program = encoding.source();
    let clause = format!(
        "{} {}",
        claim.word,
        expr_text(program, encoding.class(), &claim.condition)
    );
    let name = encoding.actions[action].name.clone();
    let (refuted, unknown) = (
        |how: String| {
            Err(WrongSplit::Refuted {
                action: name.clone(),
                clause: clause.clone(),
                how,
            })
        },
        |doubt: String| {
            Err(WrongSplit::Unknown {
                action: name.clone(),
                clause: clause.clone(),
                doubt,
            })
        },
    );
    let step = Step::Call {
        source: None,
        action,
        exit: Exit::Any,
    };
    let label = claim.word.replace(' ', "_");
    let mut probe = Probe::of_call("split", label.clone(), step.clone());
    probe.made = false;
    probe.required = claim.required;
    probe.before.clone_from(&claim.refuted_by);
    match asker.probe(&probe) {
        Probed::No => {}
        Probed::Unknown(doubt) => return unknown(doubt),
        Probed::Yes(witness) => {
            let start = match witness.start_words() {
                start if start.is_empty() => "in some configuration".to_owned(),
                start => format!("with {start}"),
            };
            let what = match claim.required {
                true => "it can be called, and the condition does not hold",
                false => "the condition holds, and it cannot be called like this",
            };
            return refuted(format!("{start}, {what}"));
        }
    }
    if claim.parameters.is_empty() {
        return Ok(());
    }
    let mut probe = Probe::of_call("split", format!("{label}.feasible"), step);
    probe.made = false;
    probe.required = false;
    probe.before.clone_from(&claim.parameters);
    match asker.probe(&probe) {
        Probed::Yes(_) => Ok(()),
        Probed::Unknown(doubt) => unknown(doubt),
        Probed::No => refuted("no parameters meet what it requires of them alone".to_owned()),
    }
}
