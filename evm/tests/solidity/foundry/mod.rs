//! Tests for Foundry that are made from confirmed runs: each passes on its contract, and some test fails on a contract without a
//! guard that its states depend on.
//!
//! The tests are in `evm/tests/foundry`, with a stand-in for forge-std and what the compiler makes of them all, so that nothing
//! here needs the compiler.

mod cheats;
mod mutants;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use revm::primitives::{Address, U256, keccak256};
use serde_json::{Value, json};
use tranquera::front::solidity::{self, SolidityOptions};
use tranquera::suite::{ContractTests, SuiteOptions, WrittenIn};

pub use cheats::Cheats;

use crate::epas::confirmed;
use crate::evm::{Call, Chain, Ended, Outside};
use crate::fixture;

/// A contract that is tested.
struct Tested {
    /// The fixture.
    file: &'static str,
    contract: &'static str,
    /// Guards that states depend on, as they are written.
    guards: &'static [&'static str],
}

const TESTED: [Tested; 3] = [
    Tested {
        file: "prize",
        contract: "Prize",
        guards: &[
            "require(step == Step.Decided, \"nobody has won\");",
            "require(taken, \"not taken\");",
        ],
    },
    Tested {
        file: "benchmarks/two_step",
        contract: "TwoStep",
        guards: &[
            "require(owner == msg.sender);",
            "require(pending == msg.sender);",
        ],
    },
    Tested {
        file: "savings",
        contract: "Savings",
        guards: &[
            "require(block.timestamp < until);",
            "require(block.timestamp >= until);",
        ],
    },
];

/// The guards of benchmarks that no test misses, and why.
const NOT_FOUND: &[&str] = &[
    // What comes after it asks for what never is.
    "Auction: line 36: require(block.timestamp >= end);",
    // It stands in a function that the contract overrides.
    "SimpleAuction: line 17: require(block.timestamp < end);",
    "SimpleAuction: line 36: require(block.timestamp >= end);",
    "SimpleAuction: line 37: require(ended);",
    // Before there is a wallet, nothing is left; a sale is closed when nothing is left, or the last block is over.
    "TokenSale: line 26: require(wallet != address(0) && !closed);",
];

/// Where the tests are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foundry")
}

fn recorded_tests(contract: &str) -> String {
    let path = folder().join(format!("{contract}.t.sol"));
    std::fs::read_to_string(&path).unwrap_or_default()
}

/// The tests of a contract, made anew.
fn tests(path: &Path, contract: &str) -> Result<String, String> {
    let (analysis, _, found) = confirmed(path, contract, &[])?;
    let messages = analysis.input().messages.clone().expect("a contract");
    let written = WrittenIn::Contract(ContractTests::Foundry, &messages);
    let options = SuiteOptions {
        written: Some(written),
        messages: Some(&messages),
        ..SuiteOptions::default()
    };
    let suite = analysis.tests(&found, &options);
    let text = written.render(analysis.subject(), &suite, None);
    text.map_err(|error| error.to_string())
}

/// What the compiler makes of a contract's tests: the code of the test contract, and its tests by their names.
fn compiled(file: &str, source: &str, contract: &str, tests: &str) -> (String, Vec<String>) {
    let folder_of_all = tempfile::tempdir().expect("a folder");
    let at = folder_of_all.path();
    let write = |name: &str, text: &str| {
        let path = at.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    };
    let stand_in = folder().join("forge-std/Test.sol");
    write(
        "forge-std/Test.sol",
        &std::fs::read_to_string(stand_in).expect("read"),
    );
    write(file, source);
    write("suite.t.sol", tests);
    let mut options = SolidityOptions::default();
    options.layout.base_path = Some(at.to_owned());
    let outputs = ["evm.bytecode.object", "evm.methodIdentifiers"];
    let (_, answer) = solidity::compile(&at.join("suite.t.sol"), &options, &outputs)
        .unwrap_or_else(|complaints| panic!("{complaints}\n{tests}"));
    let made = &answer["contracts"]["suite.t.sol"][format!("{contract}Test")]["evm"];
    let code = made["bytecode"]["object"]
        .as_str()
        .expect("code")
        .to_owned();
    let methods = made["methodIdentifiers"]
        .as_object()
        .expect("methods")
        .keys();
    let methods = methods.filter(|name| name.starts_with("test_"));
    (code, methods.cloned().collect())
}

/// Runs tests; by their names, whether they pass.
fn run(code: &str, tests: &[String]) -> BTreeMap<String, bool> {
    let bytes = (0..code.len()).step_by(2);
    let bytes = bytes.map(|at| u8::from_str_radix(&code[at..at + 2], 16).expect("code"));
    let bytes: Vec<u8> = bytes.collect();
    let mut chain = Chain::default();
    chain.set_code(cheats::vm(), vec![0]);
    let sender = Address::with_last_byte(0xf0);
    let mut during = Outside {
        test: Some(Cheats::default()),
        ..Outside::default()
    };
    let made = chain.deploy(sender, &bytes, U256::ZERO, &mut during);
    let to = made.expect("the test contract");
    let passes = tests.iter().map(|name| {
        let mut during = Outside {
            test: Some(Cheats::default()),
            ..Outside::default()
        };
        let call = Call {
            sender,
            to,
            value: U256::ZERO,
            data: keccak256(name.as_bytes())[..4].to_vec(),
        };
        let ended = chain.clone().call(&call, &mut during);
        let failed = during.test.is_some_and(|test| test.failed);
        (name.clone(), matches!(ended, Ended::Success(_)) && !failed)
    });
    passes.collect()
}

/// All is recorded of what the compiler makes of the tests of a contract, and of those without its guards.
fn record(tested: &Tested) -> Value {
    let path = fixture::folder().join(format!("{}.sol", tested.file));
    let source = std::fs::read_to_string(&path).expect("read");
    let file = path.file_name().expect("a name").to_string_lossy();
    let tests = recorded_tests(tested.contract);
    let (code, names) = compiled(&file, &source, tested.contract, &tests);
    let mutants = tested.guards.iter().map(|guard| {
        assert!(source.contains(guard), "{guard}");
        let mutant = source.replace(guard, "");
        (
            guard.to_string(),
            compiled(&file, &mutant, tested.contract, &tests).0,
        )
    });
    json!({
        "tests": names,
        "code": code,
        "without": mutants.collect::<BTreeMap<String, String>>(),
    })
}

/// The stored code's tests pass on their contracts, and find what is missing in those without a guard.
#[test]
fn recorded_tests_pass_and_find_that_a_guard_is_missing() {
    let text = std::fs::read_to_string(folder().join("recorded.json")).expect("read");
    let recorded: Value = serde_json::from_str(&text).expect("JSON");
    for tested in &TESTED {
        let recorded = &recorded[tested.contract];
        let names: Vec<String> = serde_json::from_value(recorded["tests"].clone()).expect("names");
        let text = recorded_tests(tested.contract);
        assert_eq!(text.matches("function test_").count(), names.len());
        let results = run(recorded["code"].as_str().expect("code"), &names);
        assert!(
            results.values().all(|passes| *passes),
            "{}: {results:#?}",
            tested.contract
        );
        for guard in tested.guards {
            let results = run(recorded["without"][guard].as_str().expect("code"), &names);
            let fails = results.values().any(|passes| !passes);
            assert!(fails, "{} without {guard}: {results:#?}", tested.contract);
        }
    }
}

/// With `TRANQUERA_RECORD=1` what is different is written.
#[test]
#[ignore = "needs the compiler: scripts/setup solc"]
fn recorded_tests_are_made_anew() {
    let write = std::env::var_os("TRANQUERA_RECORD").is_some();
    let mut all = serde_json::Map::new();
    for tested in &TESTED {
        let path = fixture::folder().join(format!("{}.json", tested.file));
        let tests = tests(&path, tested.contract).expect("tests");
        if write {
            let path = folder().join(format!("{}.t.sol", tested.contract));
            std::fs::write(path, &tests).expect("written");
        }
        assert_eq!(recorded_tests(tested.contract), tests);
        all.insert(tested.contract.to_owned(), record(tested));
    }
    let path = folder().join("recorded.json");
    let text = format!("{}\n", Value::Object(all));
    if write {
        std::fs::write(&path, &text).expect("written");
    }
    assert!(
        std::fs::read_to_string(path).expect("read") == text,
        "recorded.json"
    );
}

/// Tests of all benchmarks pass on their contracts, and find each guard that is missing, but for those of which it is known why
/// not. `TRANQUERA_SOLIDITY` says which.
#[test]
#[ignore = "needs the compiler, and takes many minutes: scripts/setup solc"]
fn tests_of_all_benchmarks_pass_and_find_each_guard_that_is_missing() {
    let only = std::env::var("TRANQUERA_SOLIDITY").unwrap_or_default();
    let mut not_found = Vec::new();
    for path in fixture::recorded() {
        let name = path.display().to_string();
        if !name.contains("benchmarks") || !name.contains(&only) {
            continue;
        }
        let source = path.with_extension("sol");
        let file = source
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let source = std::fs::read_to_string(&source).expect("read");
        for contract in fixture::Fixture::read(&path).contracts() {
            let tests = match tests(&path, &contract.name) {
                Ok(tests) => tests,
                Err(why) => {
                    println!(
                        "{}: {}",
                        contract.name,
                        why.lines().next().unwrap_or_default()
                    );
                    continue;
                }
            };
            let (code, names) = compiled(&file, &source, &contract.name, &tests);
            let results = run(&code, &names);
            println!("{}: {} tests", contract.name, names.len());
            let wrong = results.values().any(|passes| !passes);
            assert!(!wrong, "{}: {results:#?}\n{tests}", contract.name);
            let mutants = mutants::of(&source, &contract.name);
            let mut found = 0;
            for mutant in &mutants {
                let (code, names) = compiled(&file, &mutant.source, &contract.name, &tests);
                match run(&code, &names).values().any(|passes| !passes) {
                    true => found += 1,
                    false => not_found.push(format!("{}: {}", contract.name, mutant.without)),
                }
            }
            println!("  mutants found: {found} of {}", mutants.len());
        }
    }
    let unknown = not_found
        .iter()
        .filter(|mutant| !NOT_FOUND.contains(&mutant.as_str()));
    let unknown: Vec<&String> = unknown.collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
}
