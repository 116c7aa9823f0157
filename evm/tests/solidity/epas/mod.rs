//! EPAs against the real machine: what explicit exploration of the compiled contract finds has to be in the EPA.
//!
//! An EPA that has lost an edge is wrong. One that has an edge which the exploration does not find need not be: only some
//! values are tried, and only so many configurations are looked at. How many there are is told.

mod explore;
mod protocols;
mod replay;
mod runs;
mod tried;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tranquera::analysis::Analysis;
use tranquera::engine::Choice;
use tranquera::epa::confirm::Confirmed;
use tranquera::epa::wire::Confirmation;
use tranquera::epa::{Abstraction, ConstructOptions, Epa};
use tranquera::front::solidity::ast::ContractDefinition;
use tranquera::front::solidity::{self, FlattenOptions, flat};
use tranquera::load::{LoadRequest, load};

use crate::code::{Code, codes};
use crate::compare::linked;
use crate::fixture::{Fixture, folder, recorded};
use crate::random::{compiled, range};
use explore::{Action, Exploration, Extent, State, chain};

/// How many calls are tried before an edge is said to be lost.
const SURE: usize = 20_000;
/// How much time a question gets, and the whole second pass. What is open then stays.
const QUESTION: Duration = Duration::from_secs(5);
const SECOND_PASS: Duration = Duration::from_secs(10);

/// The edges of an EPA; those that a run confirms apart.
#[derive(Default)]
struct Said {
    edges: BTreeSet<(Option<State>, String, State)>,
    confirmed: BTreeSet<(Option<State>, String, State)>,
}

impl Said {
    fn of(epa: &Epa) -> Said {
        let states: BTreeMap<&str, State> = epa
            .states
            .iter()
            .map(|state| (state.id.as_str(), state.enabled.iter().cloned().collect()))
            .collect();
        let mut said = Said::default();
        let made = epa.constructors.iter().map(|edge| {
            let target = edge.target.as_deref();
            (None, String::new(), target, &edge.confirmation)
        });
        let moves = epa.transitions.iter().map(|edge| {
            let source = Some(states[edge.source.as_str()].clone());
            let target = Some(edge.target.as_str());
            (source, edge.action.clone(), target, &edge.confirmation)
        });
        for (source, action, target, confirmation) in made.chain(moves) {
            let Some(target) = target else { continue };
            let edge = (source, action, states[target].clone());
            if matches!(confirmation, Some(Confirmation::Confirmed { .. })) {
                said.confirmed.insert(edge.clone());
            }
            said.edges.insert(edge);
        }
        said
    }
}

/// What came of it.
#[derive(Clone, Debug, Default)]
struct Verdict {
    /// Edges that the machine takes.
    seen: usize,
    /// Of them, those that are not in the EPA, with the calls.
    lost: Vec<String>,
    /// Edges that a run confirms, and that were not seen.
    unseen: Vec<String>,
    /// How many configurations were looked at, of how many.
    size: (usize, usize),
}

/// The EPA of a contract before and after the second pass.
pub fn confirmed(
    path: &Path,
    contract: &str,
    without: &[String],
) -> Result<(Analysis, Abstraction, Confirmed), String> {
    let request = LoadRequest {
        path: path.to_owned(),
        class: Some(contract.to_owned()),
        without: without.to_vec(),
        ..LoadRequest::default()
    };
    let input = load(&request).map_err(|wrong| wrong.render(false))?;
    let mut choice = Choice::default();
    choice.config.limits.timeout = QUESTION;
    let analysis = Analysis::new(input, choice).map_err(|wrong| wrong.to_string())?;
    let made = analysis.epa(&ConstructOptions::default());
    let made = made.map_err(|wrong| wrong.to_string())?;
    let extent = tranquera::query::Extent {
        time: SECOND_PASS,
        ..Default::default()
    };
    let confirmed = analysis.confirm(&made.abstraction, &extent);
    let confirmed = confirmed.map_err(|wrong| wrong.to_string())?;
    assert!(confirmed.errors.is_empty(), "{:?}", confirmed.errors);
    Ok((analysis, made.abstraction, confirmed))
}

/// The actions of a contract as its EPA calls them; what is refused is left out, if that can be.
fn actions<'f>(flat: &'f flat::Contract, epa: &Epa) -> Vec<Action<'f>> {
    let lowered = solidity::lower(flat, &solidity::LowerOptions::default()).expect("taken");
    let entries = flat.entries.iter().filter(|entry| !entry.is_view());
    let named = lowered.places.iter().zip(entries);
    let mut actions: Vec<Action<'f>> = named
        .map(|((name, _), entry)| Action {
            name: name.clone(),
            entry: Some(entry),
        })
        .collect();
    let more = epa.actions.iter().filter(|name| {
        let known = |action: &Action<'_>| action.name == **name;
        !actions.iter().any(known)
    });
    let more: Vec<Action<'f>> = more
        .map(|name| Action {
            name: name.clone(),
            entry: None,
        })
        .collect();
    assert!(more.len() <= 1, "time is one action");
    actions.extend(more);
    actions
}

/// What of a contract is not taken, if all of it can be left out.
fn left_out(flat: &flat::Contract) -> Option<Vec<String>> {
    let Err(refused) = solidity::lower(flat, &solidity::LowerOptions::default()) else {
        return Some(Vec::new());
    };
    let can_be = refused
        .iter()
        .all(|r| r.kind != flat::EntryKind::Constructor);
    can_be.then(|| refused.iter().map(|r| r.name.clone()).collect())
}

/// Explores a contract, and compares with what its EPA says.
fn judge(
    path: &Path,
    contract: &str,
    code: &Code,
    extent: Extent,
    says: fn(&Epa) -> Said,
) -> Result<Verdict, String> {
    let fixture = Fixture::read(path);
    let contracts = fixture.contracts();
    let definition = contracts.iter().find(|known| known.name == contract);
    let definition = definition.expect("the contract");
    let without = left_out(&fixture.flat(definition)).ok_or("its constructor is not taken")?;
    let options = FlattenOptions {
        without: without.clone(),
    };
    let flat = solidity::flatten(&fixture.loaded.program, definition, &options).expect("memory");
    let epa = confirmed(path, contract, &without)?.2.abstraction.epa();
    let mut chain = chain();
    let code = linked(code, &mut chain);
    let actions = actions(&flat, &epa);
    let exploration = Exploration::new(&flat, (chain, code), actions, extent);
    Ok(verdict(&exploration, &says(&epa)))
}

fn verdict(exploration: &Exploration<'_>, said: &Said) -> Verdict {
    let edges = exploration.edges();
    let mut verdict = Verdict {
        seen: edges.len(),
        size: exploration.size(),
        ..Verdict::default()
    };
    for (edge, calls) in &edges {
        if said.edges.contains(edge) {
            continue;
        }
        // Some call may only not have been tried that can be made there.
        for call in calls.iter().take(3) {
            let state = |at| exploration.state_with(at, SURE);
            let edge = (call.source.map(state), edge.1.clone(), state(call.target));
            if !said.edges.contains(&edge) {
                let told = exploration.told(call.target);
                verdict.lost.push(format!("{edge:?}\n  {told}"));
                break;
            }
        }
    }
    let unseen = said.confirmed.iter();
    let unseen = unseen.filter(|edge| !edges.contains_key(*edge));
    verdict.unseen = unseen.map(|edge| format!("{edge:?}")).collect();
    verdict
}

/// Contracts for which the persons, keys and numbers here are not enough, of a file: addresses that are numbers, of which one is larger
/// than another, or that the code names; those that want code at an address, or call somebody who has to have some; those where
/// everybody has voted, or each operation was scheduled, as soon as all that are tried have; and where two numbers have to be zero.
const OUT_OF_REACH: [(&str, &str); 7] = [
    ("addresses", "Addresses"),
    ("answers", "Gate"),
    ("modifiers", "Modifiers"),
    ("prize", "Prize"),
    ("roles", "Roles"),
    ("tracked", "Ballot"),
    ("benchmarks/timelock", "Timelock"),
];

/// The contracts of a file that are not out of reach.
fn in_reach(fixture: &Fixture) -> Vec<Arc<ContractDefinition>> {
    let mut contracts = fixture.contracts();
    contracts.retain(|known| !OUT_OF_REACH.contains(&(fixture.name.as_str(), known.name.as_str())));
    contracts
}

/// All contracts of a file, one after the other: the edges that they have lost.
fn judge_file(path: &Path, extent: Extent) -> Vec<String> {
    let codes = codes(path);
    let fixture = Fixture::read(path);
    let mut lost = Vec::new();
    for contract in in_reach(&fixture) {
        let name = format!("{}:{}", fixture.name, contract.name);
        let begun = std::time::Instant::now();
        let result = judge(
            path,
            &contract.name,
            &codes[&contract.name],
            extent,
            Said::of,
        );
        let seconds = begun.elapsed().as_secs_f32();
        match result {
            Err(why) => println!("{name}: {why}"),
            Ok(verdict) => {
                let Verdict { seen, size, .. } = verdict;
                let unseen = verdict.unseen.len();
                println!(
                    "{name}: {seen} edges seen in {} of {} configurations, {} lost, {unseen} unseen, {seconds:.1} s",
                    size.0,
                    size.1,
                    verdict.lost.len()
                );
                for edge in &verdict.unseen {
                    println!("  unseen: {edge}");
                }
                let told = verdict.lost.iter().map(|edge| format!("{name}: {edge}"));
                lost.extend(told);
            }
        }
    }
    lost
}

/// Panics where there is something wrong.
fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Those whose EPAs are found quickly.
const QUICK: [&str; 6] = [
    "benchmarks/escrow_vault",
    "benchmarks/greeting",
    "benchmarks/marketplace",
    "benchmarks/provenance",
    "benchmarks/refund_escrow",
    "benchmarks/two_step",
];

/// The random ones that are recorded.
const RECORDED: [u64; 2] = [7, 8];

#[test]
fn what_the_machine_does_is_in_the_epas_of_some_fixtures() {
    let extent = Extent {
        configurations: 40,
        calls: 40,
    };
    let random = RECORDED.map(|seed| format!("random/protocol{seed}"));
    for name in QUICK.map(str::to_owned).into_iter().chain(random) {
        assert_none(&judge_file(&folder().join(format!("{name}.json")), extent));
    }
}

/// What an EPA does not say any more is found to be lost.
#[test]
fn a_lost_edge_is_found() {
    let path = folder().join("benchmarks/greeting.json");
    let code = &codes(&path)["GreetingFixed"];
    let extent = Extent {
        configurations: 10,
        calls: 10,
    };
    let forgetful = |epa: &Epa| {
        let mut said = Said::of(epa);
        said.edges.pop_last();
        said
    };
    let verdict = judge(&path, "GreetingFixed", code, extent, forgetful).expect("taken");
    assert_eq!(verdict.lost.len(), 1, "{verdict:?}");
}

/// `TRANQUERA_SOLIDITY` says which.
#[test]
#[ignore = "takes many minutes"]
fn what_the_machine_does_is_in_the_epas_of_all_fixtures() {
    let only = std::env::var("TRANQUERA_SOLIDITY").unwrap_or_default();
    let extent = Extent {
        configurations: 150,
        calls: 60,
    };
    let mut lost = Vec::new();
    for path in recorded() {
        if path.display().to_string().contains(&only) {
            lost.extend(judge_file(&path, extent));
        }
    }
    assert_none(&lost);
}

/// A file of random contracts, each by itself.
fn file(seed: u64) -> String {
    let pragma = if seed % 4 == 3 { "^0.7.0" } else { "^0.8.0" };
    let contract = protocols::protocol(seed, &format!("P{seed}"), pragma.contains("0.8"));
    format!("// SPDX-License-Identifier: MIT\npragma solidity {pragma};\n\n{contract}")
}

/// `TRANQUERA_RANDOM` says which: `FIRST..END`.
#[test]
#[ignore = "needs the compiler, in several versions: scripts/setup solc"]
fn what_the_machine_does_is_in_the_epas_of_random_contracts() {
    let extent = Extent {
        configurations: 400,
        calls: 60,
    };
    for seed in range("0..20") {
        let (_folder, path) = compiled(&file(seed), false);
        assert_none(&judge_file(&path, extent));
    }
}

/// The recorded ones are what is made here.
#[test]
fn recorded_protocols_are_random() {
    let write = std::env::var_os("TRANQUERA_RECORD").is_some();
    for seed in RECORDED {
        let path = folder().join(format!("random/protocol{seed}.sol"));
        if write {
            std::fs::write(&path, file(seed)).expect("written");
        }
        let recorded = std::fs::read_to_string(&path).expect("read");
        assert_eq!(recorded, file(seed), "{}", path.display());
    }
}
