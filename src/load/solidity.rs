//! A contract as a class. What its functions require is that they do not revert.

use super::guards::{GuardReading, guarded};
use super::{Input, LoadError, LoadRequest, choice, made};
use crate::front::solidity::{self, SolidityOptions, solc::CompilerLimits};
use crate::front::tq;
use crate::typestate::requires::written;

/// The contract that is wanted. Its class is the only one, and has no other actions than were asked for.
pub(super) fn load(request: &LoadRequest) -> Result<Input, LoadError> {
    let options = SolidityOptions {
        solc: request.solidity.solc.clone(),
        layout: request.solidity.layout.clone(),
        limits: CompilerLimits {
            interrupt: request.interrupt.clone(),
            ..CompilerLimits::default()
        },
        version: request.solidity.version,
    };
    let wanted = solidity::SolidityRequest {
        options,
        contract: request.class.clone(),
        only: request.actions.clone(),
        without: request.without.clone(),
    };
    let read = solidity::read(&request.path, &wanted).map_err(LoadError::Contract)?;
    let lowered = read.lowered;
    let path = &request.path;
    let name = format!("{} (as text)", path.display());
    // All that the outside decides is a parameter of the class.
    let plain = made(path, &name, &tq::print(&lowered.file))?;
    let whole = LoadRequest {
        class: Some(lowered.class.clone()),
        actions: Vec::new(),
        without: Vec::new(),
        ..request.clone()
    };
    let class = choice::chosen(plain.clone(), &whole, Vec::new())?.class;
    let (found, unsure) = guarded(&plain.program, class, &GuardReading::Safe, request)?;
    let text = written(&plain.program, class, &plain.source, &found, &[]);
    let settled = lowered.settled(made(path, &name, &text)?.file);
    let notes = read.notes.into_iter().chain(unsure).collect();
    choice::chosen(made(path, &name, &tq::print(&settled))?, &whole, notes)
}
