//! A contract as a class. What its functions require is that they do not revert.

use super::guards::{Reading, guarded};
use super::{Failure, Input, Request, choice, made};
use crate::front::solidity::{self, Options, solc::Limits};
use crate::front::tq;
use crate::typestate::requires::written;

/// The contract that is wanted. Its class is the only one, and has no other actions than were asked for.
pub(super) fn load(request: &Request) -> Result<Input, Failure> {
    let options = Options {
        solc: request.solidity.solc.clone(),
        layout: request.solidity.layout.clone(),
        limits: Limits {
            interrupt: request.interrupt.clone(),
            ..Limits::default()
        },
        version: request.solidity.version,
    };
    let wanted = solidity::Request {
        options,
        contract: request.class.clone(),
        only: request.actions.clone(),
        without: request.without.clone(),
    };
    let read = solidity::read(&request.path, &wanted).map_err(Failure::Contract)?;
    let lowered = read.lowered;
    let path = &request.path;
    let name = format!("{} (as text)", path.display());
    // All that the outside decides is a parameter of the class.
    let plain = made(path, &name, &tq::print(&lowered.file))?;
    let whole = Request {
        class: Some(lowered.class.clone()),
        actions: Vec::new(),
        without: Vec::new(),
        ..request.clone()
    };
    let class = choice::chosen(plain.clone(), &whole, Vec::new())?.class;
    let (found, unsure) = guarded(&plain.program, class, &Reading::Safe, request)?;
    let text = written(&plain.program, class, &plain.source, &found, &[]);
    let settled = lowered.settled(made(path, &name, &text)?.file);
    let notes = read.notes.into_iter().chain(unsure).collect();
    choice::chosen(made(path, &name, &tq::print(&settled))?, &whole, notes)
}
