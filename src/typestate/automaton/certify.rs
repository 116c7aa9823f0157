//! The coverage questions: an engine that runs the class's real bodies says that no call ends in a target which no
//! case of its precondition allows.

use super::ComputedPrecondition;
use crate::ask::{Answer, AskError, Desk, Disagreement, Doubt};
use crate::encode::Encoding;
use crate::engine::Engine;
use crate::ir::{Program, RoutineRef};
use crate::query::{Callee, Exit, Step, TargetClaim, kinds};

/// What an engine says of the preconditions of one routine.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// The action or constructor; none for making an object of a class without one.
    pub routine: Option<RoutineRef>,
    /// How many preconditions it is about.
    pub preconditions: usize,
    /// What the engine says: no execution escapes them if it is [`Answer::No`].
    pub answer: Answer,
}

/// Asks of each routine whether a call of it escapes its preconditions; one question a routine. The encoding's actions
/// must be those of the preconditions.
///
/// # Errors
/// The engine cannot be run.
pub fn certify(
    encoding: &Encoding,
    engine: &dyn Engine,
    preconditions: &[ComputedPrecondition],
) -> Result<(Vec<Certificate>, Vec<Disagreement>), AskError> {
    let desk = Desk::open(encoding, engine)?;
    let subject = desk.subject();
    let constructors = subject.constructor_ids().map(Callee::Constructor);
    let callees = constructors.chain(subject.action_ids().map(Callee::Action));
    let mut certificates = Vec::new();
    for callee in callees {
        let routine = subject.routine(callee);
        let of_routine = preconditions.iter().filter(|p| p.routine == routine);
        let covers = of_routine.map(|p| TargetClaim {
            target: p.target.clone(),
            cases: p.cases.clone(),
        });
        let covers: Vec<TargetClaim> = covers.collect();
        if covers.is_empty() {
            continue;
        }
        let step = Step {
            callee,
            source: None,
            exit: Exit::Any,
        };
        certificates.push(Certificate {
            routine,
            preconditions: covers.len(),
            answer: desk.ask(&kinds::coverage(subject, &step, covers)),
        });
    }
    Ok((certificates, desk.disagreements()))
}

/// What a person should know of the certificates: those that are missing, and those that are refused.
pub fn notes(program: &Program, certificates: &[Certificate]) -> Vec<String> {
    let name = |routine: Option<RoutineRef>| match routine {
        Some(routine) => program.routine(routine).shown().to_owned(),
        None => "initially".into(),
    };
    let not_certified = |c: &Certificate, doubt: &Doubt| {
        let name = name(c.routine);
        format!("the preconditions of `{name}` are not certified: {doubt}")
    };
    let notes = certificates.iter().filter_map(|c| match &c.answer {
        Answer::No => None,
        Answer::Yes(_) => Some(format!(
            "the preconditions of `{}` are too strong: the engine found a call that none of their cases allows",
            name(c.routine)
        )),
        Answer::Unknown(Doubt::Bound(bound)) => Some(format!(
            "the preconditions of `{}` are not certified: the engine's bound of {bound} was hit",
            name(c.routine)
        )),
        Answer::Guess(_) => Some(not_certified(c, &Doubt::Values)),
        Answer::Unknown(doubt) => Some(not_certified(c, doubt)),
    });
    notes.collect()
}
