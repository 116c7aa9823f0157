//! The code that the compiler made of a contract.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

/// Code that makes a contract.
#[derive(Clone, Default)]
pub struct Code {
    pub bytes: Vec<u8>,
    /// Where the addresses of libraries go. Libraries have no libraries here.
    pub links: Vec<(usize, Code)>,
}

/// The code of each contract that is recorded in a file.
pub fn codes(path: &Path) -> BTreeMap<String, Code> {
    let text = std::fs::read_to_string(path).expect("read");
    let json: Value = serde_json::from_str(&text).expect("JSON");
    of_answer(&json["output"])
}

/// The code of each contract in the compiler's answer.
fn of_answer(output: &Value) -> BTreeMap<String, Code> {
    let objects = |key: &str| output[key].as_object().into_iter().flatten();
    let contracts = objects("contracts").flat_map(|(_, contracts)| contracts.as_object());
    let contracts = contracts.flatten().filter_map(|(name, contract)| {
        let object = contract.pointer("/evm/bytecode/object")?.as_str()?;
        (!object.is_empty()).then(|| (name.clone(), object))
    });
    let contracts: BTreeMap<String, &str> = contracts.collect();
    let codes = contracts.iter();
    codes
        .map(|(name, object)| (name.clone(), code_of(object, &contracts)))
        .collect()
}

/// Where a library's address goes stands `__$`, the beginning of the hash of its name, `$__`.
fn code_of(object: &str, contracts: &BTreeMap<String, &str>) -> Code {
    let mut links = Vec::new();
    let mut text = object.to_owned();
    while let Some(at) = text.find("__$") {
        let hash = text[at + 3..at + 37].to_owned();
        let (_, library) = contracts
            .iter()
            .find(|(name, _)| {
                let files = ["libraries.sol", "public_library.sol"];
                let names = files.map(|file| format!("{file}:{name}"));
                names.iter().any(|name| {
                    let full = revm::primitives::keccak256(name.as_bytes()).to_string();
                    full[2..36] == hash
                })
            })
            .expect("a library");
        links.push((at / 2, code_of(library, contracts)));
        text.replace_range(at..at + 40, &"0".repeat(40));
    }
    Code {
        bytes: hex_bytes(&text).expect("hexadecimal"),
        links,
    }
}

fn hex_bytes(hex: &str) -> Option<Vec<u8>> {
    let pairs = (0..hex.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok())
        .collect()
}
