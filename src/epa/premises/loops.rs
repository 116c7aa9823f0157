//! The invariants of loops: proved before all else, and then relied on. A wrong one would hide behaviour, so there is no EPA with
//! one; one that cannot be proved is not used.

use std::collections::{BTreeMap, BTreeSet};

use super::invariant::start_words;
use super::{NotProved, Proved, all_asked, with_program};
use crate::ask::{Desk, words};
use crate::encode::Encoding;
use crate::engine::Engine;
use crate::ir::span::Span;
use crate::ir::{ExceptionId, Expr, expr_text, loops};
use crate::query::{Callee, Exit, Step, kinds};

/// A loop's invariant that some execution breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the loop invariant `{clause}` does not hold: {how}")]
pub struct WrongLoopInvariant {
    /// The clause.
    pub clause: String,
    /// Where it stands.
    pub span: Span,
    /// The call that breaks it, with its values.
    pub how: String,
}

/// Proves the invariants of a class's loops that are written: in every call of an action or a constructor, made where the class's own
/// invariant holds, each of them holds whenever its loop looks at its condition. All are proved together, and what cannot be is left
/// out; none where there is nothing to prove.
///
/// # Errors
/// An invariant does not hold, the engine cannot be run, or it was interrupted.
pub(super) fn prove_written(
    encoding: &Encoding,
    engine: &dyn Engine,
) -> Result<Option<Proved>, NotProved> {
    let program = &encoding.subject.program;
    let clauses = loops::invariants(program);
    if clauses.is_empty() {
        return Ok(None);
    }
    let mut notes = BTreeMap::new();
    let kept = proved(encoding, engine, |index, doubt| match doubt {
        LoopDoubt::Wrong(wrong) => Err(wrong.into()),
        LoopDoubt::Unknown(why) => {
            let text = clauses
                .get(index)
                .map(|clause| expr_text(&encoding.subject.program, encoding.subject.class, clause));
            let text = text.unwrap_or_default();
            let note = format!(
                "the loop invariant `{text}` could not be proved ({why}), and is not relied on"
            );
            notes.insert(index, note);
            Ok(())
        }
    })?;
    Ok(Some(Proved {
        encoding: with_program(encoding, loops::believed(program, &kept))?,
        notes: notes.into_values().collect(),
        settled: BTreeSet::new(),
        open: None,
    }))
}

/// The class with those guesses in its constructors' loops that are proved; none where there are none.
///
/// # Errors
/// The engine cannot be run, or it was interrupted.
pub(super) fn prove_guesses(
    encoding: &Encoding,
    engine: &dyn Engine,
) -> Result<Option<Proved>, NotProved> {
    let subject = &encoding.subject;
    let Some(guessed) = loops::with_guesses(&subject.program, subject.class) else {
        return Ok(None);
    };
    let encoding = with_program(encoding, guessed)?;
    let kept = proved(&encoding, engine, |_, _| Ok(()))?;
    if kept.is_empty() {
        return Ok(None);
    }
    let believed = loops::believed(&encoding.subject.program, &kept);
    Ok(Some(Proved {
        encoding: with_program(&encoding, believed)?,
        notes: Vec::new(),
        settled: BTreeSet::new(),
        open: None,
    }))
}

/// Those of the invariants of loops, by their places, that are proved together; of each of the others it is told why it is not.
fn proved(
    encoding: &Encoding,
    engine: &dyn Engine,
    mut tell: impl FnMut(usize, LoopDoubt) -> Result<(), NotProved>,
) -> Result<BTreeSet<usize>, NotProved> {
    let clauses = loops::invariants(&encoding.subject.program);
    let mut kept: BTreeSet<usize> = (0..clauses.len()).collect();
    while !kept.is_empty() {
        let unproved = unproved(encoding, engine, &clauses, &kept)?;
        if unproved.is_empty() {
            break;
        }
        for (index, doubt) in unproved {
            kept.remove(&index);
            tell(index, doubt)?;
        }
    }
    Ok(kept)
}

/// Why it is not known that a loop's invariant holds.
enum LoopDoubt {
    /// It does not.
    Wrong(WrongLoopInvariant),
    /// The engine says this.
    Unknown(String),
}

/// Those of the invariants that are not proved where all of them are checked, with what is to be said of each.
fn unproved(
    encoding: &Encoding,
    engine: &dyn Engine,
    clauses: &[Expr],
    kept: &BTreeSet<usize>,
) -> Result<BTreeMap<usize, LoopDoubt>, NotProved> {
    let (program, raised) = loops::checked(&encoding.subject.program, kept);
    let checked = with_program(encoding, program)?;
    let desk = Desk::open(&checked, engine)?;
    let all = kept.iter().zip(raised).filter_map(|(index, exception)| {
        let doubt = doubt(&desk, clauses.get(*index)?, exception)?;
        Some((*index, doubt))
    });
    let all = all.collect();
    all_asked(&desk)?;
    Ok(all)
}

/// Why it is not known that an invariant holds; none where it does.
fn doubt(desk: &Desk<'_>, clause: &Expr, raised: ExceptionId) -> Option<LoopDoubt> {
    let subject = desk.subject();
    let exit = Exit::Exception(raised);
    let constructors = subject.constructor_ids();
    let constructors = constructors.map(|id| Step::construct(id, exit.clone()));
    let actions = subject.action_ids();
    let actions = actions.map(|id| Step::anywhere(id, exit.clone()));
    for step in constructors.chain(actions) {
        let raises = |routine| subject.effects.routine(routine).throws.contains(&raised);
        if !subject.routine(step.callee).is_some_and(raises) {
            continue;
        }
        match desk.ask(&kinds::exit(subject, &step)).settled() {
            Ok(None) => {}
            Err(doubt) => return Some(LoopDoubt::Unknown(doubt.to_string())),
            Ok(Some(witness)) => match witness.not_replayed() {
                Some(why) => return Some(LoopDoubt::Unknown(why.to_owned())),
                None => {
                    let start = start_words(subject, step.callee, &witness);
                    let after = words(&witness.after(&subject.program));
                    let wrong = wrong(desk, clause, step.callee, &start, &after);
                    return Some(LoopDoubt::Wrong(wrong));
                }
            },
        }
    }
    None
}

fn wrong(
    desk: &Desk<'_>,
    clause: &Expr,
    callee: Callee,
    start: &str,
    after: &str,
) -> WrongLoopInvariant {
    let subject = desk.subject();
    let from = match start {
        "" => String::new(),
        start => format!(", from {start}"),
    };
    let there = match after {
        "" => String::new(),
        after => format!("; there, {after}"),
    };
    WrongLoopInvariant {
        clause: expr_text(&subject.program, subject.class, clause),
        span: clause.span,
        how: format!("{} breaks it{from}{there}", subject.called_words(callee)),
    }
}
