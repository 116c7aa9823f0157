//! Confirmed runs against the machine: each has to lead where it is said to lead.

use std::path::Path;

use tranquera::ask::{Run, words};
use tranquera::front::solidity::{self, FlattenOptions};

use super::replay::{NotSo, Replay};
use super::{QUICK, actions, assert_none, confirmed, in_reach, left_out};
use crate::code::{Code, codes};
use crate::compare::linked;
use crate::evm::Chain;
use crate::fixture::{Fixture, folder, recorded};

/// Does all confirmed runs of a contract, once they are retold: what is wrong with each that is not as it is told, and how many
/// there are.
fn replay(
    path: &Path,
    contract: &str,
    code: &Code,
    retell: fn(&mut Run),
) -> Result<(Vec<String>, usize), String> {
    let fixture = Fixture::read(path);
    let contracts = fixture.contracts();
    let definition = contracts.iter().find(|known| known.name == contract);
    let definition = definition.expect("the contract");
    let without = left_out(&fixture.flat(definition)).ok_or("its constructor is not taken")?;
    let options = FlattenOptions {
        without: without.clone(),
    };
    let flat = solidity::flatten(&fixture.loaded.program, definition, &options).expect("memory");
    let (_, epa, confirmed) = confirmed(path, contract, &without)?;
    let epa = epa.epa();
    let states = epa.states.iter().map(|state| {
        let enabled = state.enabled.iter().cloned().collect();
        (state.id.clone(), enabled)
    });
    let mut chain = Chain::default();
    let code = linked(code, &mut chain);
    let replay = Replay {
        flat: &flat,
        messages: &solidity::lower(&flat, &solidity::LowerOptions::default())
            .expect("taken")
            .messages,
        actions: &actions(&flat, &epa),
        made_of: (chain, code),
        states: &states.collect(),
    };
    let runs = confirmed.edges.into_iter().filter_map(|edge| edge.run);
    let mut runs: Vec<Run> = runs.collect();
    runs.iter_mut().for_each(retell);
    let wrong = runs.iter().filter_map(|run| {
        let why = match replay.run(run).err()? {
            NotSo::NotDone(what) => {
                println!("  {what}: not done here");
                return None;
            }
            NotSo::Wrong(why) => why,
        };
        let calls = run.calls.iter();
        let calls = calls.map(|call| format!("{}({})", call.name, words(&call.arguments)));
        Some(format!(
            "{why}\n  {}",
            calls.collect::<Vec<_>>().join("\n  ")
        ))
    });
    Ok((wrong.collect(), runs.len()))
}

/// All contracts of a file: the runs that are not as they are told.
fn replay_file(path: &Path) -> Vec<String> {
    let codes = codes(path);
    let fixture = Fixture::read(path);
    let mut wrong = Vec::new();
    for contract in in_reach(&fixture) {
        let name = format!("{}:{}", fixture.name, contract.name);
        match replay(path, &contract.name, &codes[&contract.name], |_| {}) {
            Err(why) => println!("{name}: {why}"),
            Ok((found, runs)) => {
                println!(
                    "{name}: {runs} runs, {} of them not as they are told",
                    found.len()
                );
                wrong.extend(found.into_iter().map(|why| format!("{name}: {why}")));
            }
        }
    }
    wrong
}

#[test]
fn the_machine_does_the_confirmed_runs_of_some_fixtures() {
    for name in QUICK {
        assert_none(&replay_file(&folder().join(format!("{name}.json"))));
    }
}

/// A run that nobody can do is found, and so is one that leads elsewhere.
#[test]
fn a_run_that_is_told_wrongly_is_found() {
    let path = folder().join("benchmarks/two_step.json");
    let code = &codes(&path)["TwoStep"];
    let by_a_stranger = |run: &mut Run| {
        let last = run.calls.last_mut().expect("a call");
        let sender = last
            .arguments
            .iter_mut()
            .find(|named| named.name == "msg_sender");
        sender.expect("somebody").value = "1234567".to_owned();
    };
    let elsewhere = |run: &mut Run| {
        let last = run.calls.last_mut().expect("a call");
        let other = if last.target.as_deref() == Some("S1") {
            "S2"
        } else {
            "S1"
        };
        last.target = Some(other.to_owned());
    };
    // Anybody can make the contract.
    let (wrong, runs) = replay(&path, "TwoStep", code, by_a_stranger).expect("taken");
    assert_eq!((wrong.len(), runs), (7, 8), "{wrong:#?}");
    let (wrong, runs) = replay(&path, "TwoStep", code, elsewhere).expect("taken");
    assert_eq!((wrong.len(), runs), (8, 8), "{wrong:#?}");
}

/// `TRANQUERA_SOLIDITY` says which.
#[test]
#[ignore = "takes many minutes"]
fn the_machine_does_the_confirmed_runs_of_all_fixtures() {
    let only = std::env::var("TRANQUERA_SOLIDITY").unwrap_or_default();
    let mut wrong = Vec::new();
    for path in recorded() {
        if path.display().to_string().contains(&only) {
            wrong.extend(replay_file(&path));
        }
    }
    assert_none(&wrong);
}
