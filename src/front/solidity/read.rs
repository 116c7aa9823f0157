//! From a file to the class that one of its contracts is.

use std::path::Path;
use std::sync::Arc;

use super::ast::{ContractDefinition, ContractKind};
use super::complaint::{Complaint, Complaints};
use super::flat::{EntryKind, Refused};
use super::{
    FileRange, FlattenOptions, LowerOptions, LoweredContract, SolidityOptions, SolidityProgram,
    Time, flatten, load, lower,
};
use crate::front::solidity::place::Files;

/// Which contract of a file, and which of its functions.
#[derive(Clone, Debug, Default)]
pub struct SolidityRequest {
    /// How the file is read.
    pub options: SolidityOptions,
    /// The contract; otherwise the last one of the file.
    pub contract: Option<String>,
    /// Only these functions, if any are named.
    pub only: Vec<String>,
    /// Not these.
    pub without: Vec<String>,
    /// How it is taken.
    pub lower: LowerOptions,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Read {
    /// The class.
    pub lowered: LoweredContract,
    /// What it does not say as exactly as the contract does, in sentences with their places.
    pub notes: Vec<String>,
    /// Where it stands.
    pub places: ContractPlaces,
}

/// Where a contract and its functions stand.
#[derive(Clone, Debug)]
pub struct ContractPlaces {
    /// The files that the places point into.
    pub files: Arc<Files>,
    /// The contract.
    pub contract: FileRange,
    /// Its constructor.
    pub constructor: FileRange,
    /// Its functions, by the actions that they are.
    pub entries: Vec<(String, FileRange)>,
}

/// Reads a contract as a class.
///
/// # Errors
/// All that is wrong with the file, or not taken of the contract.
pub fn read(path: &Path, request: &SolidityRequest) -> Result<Read, Complaints> {
    let loaded = load(path, &request.options)?;
    let contract = choose(&loaded.program, loaded.main.as_deref(), request)?;
    let options = FlattenOptions {
        without: request.without.clone(),
    };
    let plain = |what: &str| Complaints::one(Complaint::new(what));
    let mut flat = flatten(&loaded.program, &contract, &options)
        .ok_or_else(|| plain("there is not enough memory"))?;
    for name in request.only.iter().chain(&request.without) {
        let entries = flat.entries.iter().map(|entry| &entry.name);
        let all: Vec<&String> = entries
            .chain(flat.refused.iter().map(|r| &r.name))
            .collect();
        if !request.without.contains(name) && !all.contains(&name) {
            let what = format!("the contract `{}` has no function `{name}`", contract.name);
            return Err(Complaints::one(Complaint::new(what)));
        }
    }
    if !request.only.is_empty() {
        let wanted = |name: &String| request.only.contains(name);
        flat.entries.retain(|entry| wanted(&entry.name));
        flat.refused
            .retain(|refused| refused.kind == EntryKind::Constructor || wanted(&refused.name));
    }
    if let Some(track) = &request.lower.track
        && let Err(mappings) = track.variable(&flat)
    {
        let mapping = &track.mapping;
        let what = format!(
            "the contract `{}` has no mapping `{mapping}`",
            contract.name
        );
        let list = match mappings.as_slice() {
            [] => "there are none".to_owned(),
            names => format!("there are: {}", names.join(", ")),
        };
        return Err(Complaints::one(Complaint::new(what).help(list)));
    }
    if request.lower.reentrant && request.lower.time != Time::Tick {
        let help = "between a call and what it calls back no time goes on; with `--time tick` it does so by itself";
        let complaint = Complaint::new("`--reentrant` does not go with this `--time`").help(help);
        return Err(Complaints::one(complaint));
    }
    let files = Arc::clone(&loaded.program.files);
    let lowered = lower(&flat, &request.lower).map_err(|refused| not_taken(&files, refused))?;
    let notes = flat.notes.iter().chain(&lowered.notes);
    let notes = notes.map(|note| format!("{}: {}", files.show(note.place), note.what));
    Ok(Read {
        notes: notes.collect(),
        places: ContractPlaces {
            files,
            contract: flat.place,
            constructor: flat.constructor.place,
            entries: lowered.places.clone(),
        },
        lowered,
    })
}

fn choose(
    program: &SolidityProgram,
    main: Option<&str>,
    request: &SolidityRequest,
) -> Result<Arc<ContractDefinition>, Complaints> {
    let contracts = program.contracts();
    let contracts: Vec<&Arc<ContractDefinition>> = contracts
        .filter(|contract| contract.kind == ContractKind::Contract)
        .collect();
    let file = |contract: &ContractDefinition| program.files.get(contract.place.file);
    let in_main = |contract: &ContractDefinition| {
        main.is_none_or(|main| file(contract).is_some_and(|file| file.name == main))
    };
    let named = |contract: &ContractDefinition| match &request.contract {
        Some(name) => contract.name == *name,
        None => !contract.is_abstract && in_main(contract),
    };
    let mut found: Vec<&Arc<ContractDefinition>> =
        contracts.iter().copied().filter(|c| named(c)).collect();
    if found.iter().any(|contract| in_main(contract)) {
        found.retain(|contract| in_main(contract));
    }
    // Of one file the last one; of several, it has to be said which.
    let one_file = found.windows(2).all(|pair| match pair {
        [a, b] => a.place.file == b.place.file,
        _ => true,
    });
    if let (Some(last), true) = (found.last(), one_file) {
        return Ok(Arc::clone(last));
    }
    let names: Vec<&str> = contracts
        .iter()
        .map(|contract| contract.name.as_str())
        .collect();
    let what = match (&request.contract, found.is_empty()) {
        (Some(name), true) => format!("there is no contract `{name}`"),
        (Some(name), false) => format!("there are several contracts `{name}`"),
        (None, true) => "there is no contract that could be made".to_owned(),
        (None, false) => "there are several contracts".to_owned(),
    };
    let list = match names.as_slice() {
        [] => "there are none".to_owned(),
        names => format!(
            "say which: --contract NAME (there are: {})",
            names.join(", ")
        ),
    };
    Err(Complaints::one(Complaint::new(what).help(list)))
}

/// What is said of functions that are not taken.
fn not_taken(files: &Arc<Files>, refused: Vec<Refused>) -> Complaints {
    let mut list = Vec::new();
    for refused in &refused {
        let name = &refused.name;
        for because in &refused.because {
            let what = format!("`{name}` is not taken: {}", because.what);
            let complaint = Complaint::new(what).at(because.place, "");
            list.push(match refused.kind {
                EntryKind::Constructor => complaint,
                _ => complaint.help(format!("leave it out: --without {name}")),
            });
        }
    }
    Complaints {
        files: Arc::clone(files),
        list,
    }
}

/// Whether a file is Solidity, or what a compiler has written of it.
pub fn is_solidity(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension {
        Some("sol") => true,
        Some("json") => std::fs::read_to_string(path).is_ok_and(|text| has_trees(&text)),
        _ => false,
    }
}

/// Whether JSON has one of the words of which each form of trees has one.
fn has_trees(text: &str) -> bool {
    use serde::de::IgnoredAny;
    let fields: Result<std::collections::BTreeMap<String, IgnoredAny>, _> =
        serde_json::from_str(text);
    let words = ["sources", "output", "ast", "contracts"];
    fields.is_ok_and(|fields| words.iter().any(|word| fields.contains_key(*word)))
}
