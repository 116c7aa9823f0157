//! Random small contracts: integers, booleans, enums, structs, mappings, arrays, modifiers, inheritance, effects inside
//! expressions. A few are recorded with the fixtures (`random/`); on request, many new ones are compiled and compared.

mod write;

use std::path::{Path, PathBuf};

use tranquera::front::solidity::{self, SolidityOptions};

use crate::code::codes;
use crate::compare::{Count, compare};
use crate::fixture::{Fixture, folder};
use crate::print;
use write::contract;

/// A file of random contracts.
fn file(pragma: &str, seeds: std::ops::Range<u64>) -> String {
    let checked = pragma.contains("0.8");
    let mut text = format!("// SPDX-License-Identifier: MIT\npragma solidity {pragma};\n\n");
    for seed in seeds {
        text.push_str(&contract(seed, &format!("R{seed}"), checked));
        text.push('\n');
    }
    text
}

/// What is compared: the compiler's versions, and its two ways.
const KINDS: [(&str, bool); 4] = [
    ("^0.8.0", false),
    ("^0.8.0", true),
    ("^0.7.0", false),
    ("^0.6.0", false),
];

/// `TRANQUERA_RANDOM` says which: `FIRST..END`.
#[test]
#[ignore = "needs the compiler, in several versions: scripts/setup solc"]
fn many_random_contracts() {
    let std::ops::Range { start, end } = range("0..40");
    for (pragma, via_ir) in KINDS {
        let mut total = Count::default();
        let mut at = start;
        while at < end {
            let next = (at + 20).min(end);
            let (_folder, recorded) = compiled(&file(pragma, at..next), via_ir);
            let count = compare_all(&recorded);
            total.made += count.made;
            total.success += count.success;
            total.revert += count.revert;
            total.skipped += count.skipped;
            at = next;
        }
        println!("{pragma} {via_ir}: {total:?}");
        assert!(total.success > total.revert / 4, "{total:?}");
    }
}

/// The numbers that `TRANQUERA_RANDOM` asks for: `FIRST..END`.
pub fn range(otherwise: &str) -> std::ops::Range<u64> {
    let range = std::env::var("TRANQUERA_RANDOM").unwrap_or(otherwise.to_owned());
    let (first, end) = range.split_once("..").expect("FIRST..END");
    first.parse().expect("a number")..end.parse().expect("a number")
}

/// What the compiler makes of a text, recorded in a folder.
pub fn compiled(text: &str, via_ir: bool) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("random.sol");
    std::fs::write(&path, text).expect("written");
    let profile = format!("[profile.default]\nvia_ir = {via_ir}\n");
    std::fs::write(folder.path().join("foundry.toml"), profile).expect("written");
    let options = SolidityOptions::default();
    let outputs = ["evm.bytecode.object"];
    let (version, answer) = solidity::compile(&path, &options, &outputs)
        .unwrap_or_else(|complaints| panic!("{complaints}\n{text}"));
    let json = serde_json::json!({
        "solcVersion": version.to_string(),
        "input": { "settings": { "viaIR": via_ir } },
        "output": answer,
    });
    let recorded = folder.path().join("random.json");
    std::fs::write(&recorded, json.to_string()).expect("written");
    (folder, recorded)
}

fn compare_all(path: &Path) -> Count {
    let fixture = Fixture::read(path);
    let codes = codes(path);
    let mut total = Count::default();
    for contract in fixture.contracts() {
        if contract.name.ends_with("Base") {
            continue;
        }
        let flat = fixture.flat(&contract);
        assert!(flat.refused.is_empty(), "{}", print::contract(&flat, true));
        let count = compare(&flat, &codes[&contract.name], &contract.name, 4, 25);
        total.made += count.made;
        total.success += count.success;
        total.revert += count.revert;
        total.skipped += count.skipped;
    }
    total
}

/// The recorded ones are what is made here.
#[test]
fn recorded_random_contracts_are_random() {
    let write = std::env::var_os("TRANQUERA_RECORD").is_some();
    for (name, pragma) in [
        ("checked", "^0.8.0"),
        ("ir/random", "^0.8.0"),
        ("wrapping", "^0.7.0"),
    ] {
        let path = if name.contains('/') {
            folder().join(format!("{name}.sol"))
        } else {
            folder().join(format!("random/{name}.sol"))
        };
        let text = file(pragma, 0..2);
        if write {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, &text).expect("written");
        }
        let recorded = std::fs::read_to_string(&path).expect("read");
        assert_eq!(recorded, text, "{}", path.display());
    }
}
