//! `enabled when e with p := f`: whether what the class says of when an action can be called is so (TOSEM 2013,
//! §4.2.2).
//!
//! Unlike other premises these are checked before anything else: with a wrong split the EPA would lack behaviour,
//! so there is none.

use crate::ask::{Desk, Doubt};
use crate::ir::expr_text;
use crate::ir::guard::split::{Claim, claims};
use crate::query::{ActionId, Callee, Exit, Query, Step, kinds};

use super::invariant::start_words;

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
pub(crate) fn check_splits(desk: &Desk<'_>) -> Result<(), WrongSplit> {
    let subject = desk.subject();
    for action in subject.action_ids() {
        for claim in claims(&subject.program, subject[action].routine) {
            check(desk, action, &claim)?;
        }
    }
    Ok(())
}

fn check(desk: &Desk<'_>, action: ActionId, claim: &Claim) -> Result<(), WrongSplit> {
    let subject = desk.subject();
    let condition = expr_text(&subject.program, subject.class, &claim.condition);
    let clause = format!("{} {condition}", claim.word);
    let name = subject[action].shown.clone();
    let (refuted, unknown) = (
        |how: String| {
            Err(WrongSplit::Refuted {
                action: name.clone(),
                clause: clause.clone(),
                how,
            })
        },
        |doubt: Doubt| {
            Err(WrongSplit::Unknown {
                action: name.clone(),
                clause: clause.clone(),
                doubt: doubt.to_string(),
            })
        },
    );
    let label = claim.word.replace(' ', "_");
    match desk
        .ask(&asked(
            desk,
            action,
            &label,
            claim.required,
            &claim.refuted_by,
        ))
        .settled()
    {
        Ok(None) => {}
        Err(doubt) => return unknown(doubt),
        Ok(Some(witness)) => {
            let start = start_words(subject, Callee::Action(action), &witness);
            let start = match start.as_str() {
                "" => "in some configuration".to_owned(),
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
    let label = format!("{label}.feasible");
    let feasible = desk.ask(&asked(desk, action, &label, false, &claim.parameters));
    match feasible.settled() {
        Ok(Some(_)) => Ok(()),
        Err(doubt) => unknown(doubt),
        Ok(None) => refuted("no parameters meet what it requires of them alone".to_owned()),
    }
}

/// Is there a call, which is not made, for which all of this holds?
fn asked(
    desk: &Desk<'_>,
    action: ActionId,
    label: &str,
    required: bool,
    given: &[crate::ir::Expr],
) -> Query {
    let step = Step::anywhere(action, Exit::Any);
    let mut query = kinds::such_call(desk.subject(), "split", label, &step);
    for call in &mut query.calls {
        call.made = false;
        call.required = required;
    }
    query.start.given = given.to_vec();
    query
}
