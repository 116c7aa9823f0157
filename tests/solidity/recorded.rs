//! What is recorded beside each contract, made anew by the compiler.

use std::path::Path;

use serde_json::{Value, json};
use tranquera::front::solidity::{self, SolidityOptions};

use crate::fixture::{folder, with_extension};

/// What the reader of trees never looks at.
const UNUSED: &[&str] = &[
    "argumentTypes",
    "baseFunctions",
    "contractDependencies",
    "documentation",
    "errorSelector",
    "eventSelector",
    "evmVersion",
    "exportedSymbols",
    "flags",
    "functionReturnParameters",
    "internalFunctionIDs",
    "isConstant",
    "isLValue",
    "isPure",
    "isSimpleCounterLoop",
    "lValueRequested",
    "license",
    "memberLocation",
    "nameLocation",
    "nameLocations",
    "nativeSrc",
    "overloadedDeclarations",
    "overrides",
    "pathNode",
    "scope",
    "superFunction",
    "symbolAliases",
    "typeString",
    "usedErrors",
    "usedEvents",
    "valueSize",
    "virtual",
];

/// Takes away what nobody looks at.
fn strip(json: &mut Value) {
    match json {
        Value::Object(fields) => {
            let is_variable = fields.get("nodeType") == Some(&json!("VariableDeclaration"));
            fields.retain(|key, value| {
                let unused = UNUSED.contains(&key.as_str()) || value.is_null();
                !(unused || (is_variable && key == "typeName"))
            });
            fields.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// What is recorded of a file.
fn record(path: &Path) -> String {
    let mut options = SolidityOptions::default();
    options.layout.base_path = path.parent().map(Path::to_owned);
    let (version, mut answer) = solidity::compile(path, &options, &["evm.bytecode.object"])
        .unwrap_or_else(|complaints| panic!("{}: {complaints}", path.display()));
    strip(&mut answer["sources"]);
    let via_ir = path.parent().is_some_and(|folder| folder.ends_with("ir"));
    let recorded = json!({
        "solcVersion": version.to_string(),
        "input": { "settings": { "viaIR": via_ir } },
        "output": { "sources": answer["sources"], "contracts": answer["contracts"] },
    });
    format!("{recorded}\n")
}

/// With `TRANQUERA_RECORD=1` what is different is written; `TRANQUERA_SOLIDITY` says which.
#[test]
#[ignore = "needs the compiler, in several versions: scripts/setup solc"]
fn made_anew() {
    let write = std::env::var_os("TRANQUERA_RECORD").is_some();
    let only = std::env::var("TRANQUERA_SOLIDITY").ok();
    let mut different = Vec::new();
    for path in with_extension(&folder(), "sol") {
        let name = path.display().to_string();
        if only
            .as_ref()
            .is_some_and(|only| !name.contains(only.as_str()))
        {
            continue;
        }
        let json = path.with_extension("json");
        let made = record(&path);
        if std::fs::read_to_string(&json).ok().as_ref() != Some(&made) {
            different.push(name);
            if write {
                std::fs::write(&json, made).expect("written");
            }
        }
    }
    assert!(
        write || different.is_empty(),
        "not as recorded: {different:#?}"
    );
}
