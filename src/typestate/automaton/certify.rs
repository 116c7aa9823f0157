//! The coverage questions: an engine that runs the class's real bodies says that no call ends in a target which no
//! case of its precondition allows.

use crate::encode::coverage::Cover;
use crate::encode::{Encoding, Exit, Step};
use crate::engine::Engine;
use crate::ir::{Program, RoutineRef};
use crate::query::Verdict;

use super::Found;
pub use crate::typestate::Failure;

/// What an engine says of the preconditions of one routine.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The action or constructor; none for making an object of a class without one.
    pub routine: Option<RoutineRef>,
    /// How many preconditions it is about.
    pub preconditions: usize,
    /// What the engine says: no execution escapes them if it is [`Verdict::Unreachable`].
    pub verdict: Verdict,
}

/// Asks of each routine whether a call of it escapes its preconditions; one question a routine. The encoding's actions
/// must be those of the preconditions.
///
/// # Errors
/// The engine cannot be run.
pub fn certify(
    encoding: &Encoding<'_>,
    engine: &dyn Engine,
    preconditions: &[Found],
) -> Result<Vec<Certificate>, Failure> {
    let session = engine.open(&encoding.program())?;
    let mut certificates = Vec::new();
    for (routine, step) in steps(encoding) {
        let covers: Vec<Cover> = preconditions
            .iter()
            .filter(|p| p.routine == routine)
            .map(|p| Cover {
                target: p.target.clone(),
                cases: p.cases.clone(),
            })
            .collect();
        if covers.is_empty() {
            continue;
        }
        let entry = encoding.coverage(&step, &covers)?;
        certificates.push(Certificate {
            routine,
            preconditions: covers.len(),
            verdict: session.ask(&entry),
        });
    }
    Ok(certificates)
}

/// What can be called, and how the call is asked about.
fn steps(encoding: &Encoding<'_>) -> Vec<(Option<RoutineRef>, Step)> {
    let exit = Exit::Any;
    let constructors = encoding.constructors.iter().enumerate();
    let constructors = constructors.map(|(constructor, c)| {
        let exit = exit.clone();
        (c.routine, Step::Construct { constructor, exit })
    });
    let actions = encoding.actions.iter().enumerate().map(|(action, a)| {
        let step = Step::Call {
            source: None,
            action,
            exit: exit.clone(),
        };
        (Some(a.routine), step)
    });
    constructors.chain(actions).collect()
}

/// What a person should know of the certificates: those that are missing, and those that are refused.
pub fn notes(program: &Program, certificates: &[Certificate]) -> Vec<String> {
    let name = |routine: Option<RoutineRef>| match routine {
        Some(routine) => program.routine(routine).name.clone(),
        None => "initially".into(),
    };
    let notes = certificates.iter().filter_map(|c| match &c.verdict {
        Verdict::Unreachable => None,
        Verdict::Reached(_) => Some(format!(
            "the preconditions of `{}` are too strong: the engine found a call that none of their cases allows",
            name(c.routine)
        )),
        Verdict::BoundHit { bound } => Some(format!(
            "the preconditions of `{}` are not certified: the engine's bound of {bound} was hit",
            name(c.routine)
        )),
        Verdict::Unknown(unknown) => Some(format!(
            "the preconditions of `{}` are not certified: {}",
            name(c.routine),
            unknown.words()
        )),
    });
    notes.collect()
}
