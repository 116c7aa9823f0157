//! A contract as a class. What its functions require is that they do not revert.

use std::sync::Arc;

use super::guards::{GuardReading, guarded};
use super::{Input, LoadError, LoadRequest, Places, UserPlace, choice, made};
use crate::front::solidity::{self, SolidityOptions, solc::CompilerLimits};
use crate::front::tq;
use crate::ir::{RoutineKind, RoutineRef};
use crate::typestate::requires::written;

/// The contract that is wanted. Its class is the only one, and has no other actions than were asked for.
pub(super) fn load(request: &LoadRequest) -> Result<Input, LoadError> {
    let wanted = solidity::SolidityRequest {
        options: options(request),
        contract: request.class.clone(),
        only: request.actions.clone(),
        without: request.without.clone(),
        lower: request.solidity.lower.clone(),
    };
    let read = solidity::read(&request.path, &wanted).map_err(LoadError::Contract)?;
    let lowered = read.lowered;
    let path = &request.path;
    let name = format!("{} (as text)", path.display());
    // All that the outside decides is a parameter of the class.
    let plain = made(path, &name, &tq::print(&lowered.file))?.made_of(&lowered.file);
    let whole = LoadRequest {
        class: Some(lowered.class.clone()),
        actions: Vec::new(),
        without: Vec::new(),
        ..request.clone()
    };
    let class = choice::chosen(plain.clone(), &whole, Vec::new())?.class;
    // What the outside answers in a loop is no parameter, for each round has its own; nor is what is taken as an unknown
    // function when the contract is made.
    let reading = GuardReading::Calls(vec![lowered.revert.clone()]);
    let (mut found, unsure) = guarded(&plain.program, class, &reading, request)?;
    let narrowed = request.solidity.guards.kept(&plain.program, &mut found);
    let text = written(&plain.program, class, &plain.source, &found, &[]);
    let settled = lowered.settled(made(path, &name, &text)?.made_as(&plain).file);
    let notes = read
        .notes
        .into_iter()
        .chain(unsure.into_values())
        .chain(narrowed)
        .collect();
    let loaded = made(path, &name, &tq::print(&settled))?.made_of(&settled);
    let input = choice::chosen(loaded, &whole, notes)?;
    let places = places(&input, &read.places);
    let messages = (lowered.messages).required_by(plain.program.class(class));
    Ok(Input {
        places,
        messages: Some(Arc::new(messages)),
        is_kept: true,
        ..input
    })
}

/// What the request says of how Solidity is read.
pub(super) fn options(request: &LoadRequest) -> SolidityOptions {
    SolidityOptions {
        solc: request.solidity.solc.clone(),
        layout: request.solidity.layout.clone(),
        limits: CompilerLimits {
            interrupt: request.interrupt.clone(),
            ..CompilerLimits::default()
        },
        version: request.solidity.version,
    }
}

/// Where the contract and its functions stand. The constructor is the only one.
fn places(input: &Input, known: &solidity::ContractPlaces) -> Places {
    let place = |range| UserPlace::of_range(&known.files, range);
    let program = &input.loaded.program;
    let constructors = program
        .class(input.class)
        .routines_of(RoutineKind::Constructor);
    let constructors = constructors.filter_map(|index| {
        let class = input.class;
        let name = program.signature(RoutineRef { class, index });
        Some((name, place(known.constructor)?))
    });
    let entries = known.entries.iter();
    let entries = entries.filter_map(|(name, range)| Some((name.clone(), place(*range)?)));
    Places {
        class: place(known.contract),
        routines: constructors.chain(entries).collect(),
    }
}
