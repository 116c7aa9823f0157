//! Trees that nobody has made with a compiler: whatever they say, there is an answer, and no panic.

use std::path::Path;

use serde_json::{Value, json};
use tranquera::front::solidity::{self, FlattenOptions, SolidityOptions};

use crate::fixture::{folder, recorded};
use crate::print;
use crate::rng::Rng;

/// How often each tree is changed; `PROPTEST_CASES` asks for another number.
const CASES: usize = 4;

fn try_all(path: &Path) {
    if let Ok(loaded) = solidity::load(path, &SolidityOptions::default()) {
        for contract in loaded.program.contracts() {
            let flat = solidity::flatten(&loaded.program, contract, &FlattenOptions::default());
            let text = print::contract(&flat.expect("memory"), true);
            assert!(!text.is_empty());
        }
    }
}

/// All places in JSON.
fn count(json: &Value) -> usize {
    1 + match json {
        Value::Object(fields) => fields.values().map(count).sum::<usize>(),
        Value::Array(items) => items.iter().map(count).sum(),
        _ => 0,
    }
}

/// The place with that number.
fn at<'a>(json: &'a mut Value, number: &mut usize) -> Option<&'a mut Value> {
    if *number == 0 {
        return Some(json);
    }
    *number -= 1;
    match json {
        Value::Object(fields) => fields.values_mut().find_map(|value| at(value, number)),
        Value::Array(items) => items.iter_mut().find_map(|value| at(value, number)),
        _ => None,
    }
}

fn change(rng: &mut Rng, json: &mut Value) {
    let size = count(json);
    let other = {
        let mut number = rng.below(size);
        at(json, &mut number).cloned().unwrap_or(Value::Null)
    };
    let mut number = rng.below(size);
    let Some(place) = at(json, &mut number) else {
        return;
    };
    match place {
        Value::Object(fields) if rng.one_in(2) => {
            let keys: Vec<String> = fields.keys().cloned().collect();
            if let Some(key) = keys.get(rng.below(keys.len())) {
                fields.remove(key);
            }
        }
        Value::Array(items) if rng.one_in(2) => {
            if rng.one_in(2) {
                items.pop();
            } else {
                items.push(other);
            }
        }
        Value::Number(id) => {
            let id = id.as_i64().unwrap_or(0);
            *place = json!(id + i64::try_from(rng.below(9)).expect("small") - 4);
        }
        Value::String(text) if rng.one_in(2) => {
            let types = [
                "t_uint8",
                "t_bool",
                "t_address",
                "t_bytes_memory_ptr",
                "t_bytes32",
                "t_rational_5_by_1",
                "t_rational_1_by_3",
                "t_tuple$__$",
                "t_string_storage",
                "t_array$_t_uint256_$dyn_storage",
                "t_function_internal_pure$__$returns$__$",
                "view",
                "=",
                "0:4294967295:0",
            ];
            *text = (*rng.pick(&types)).to_owned();
        }
        place => *place = other,
    }
}

#[test]
fn changed_trees_do_no_harm() {
    let cases = std::env::var("PROPTEST_CASES").ok();
    let cases = cases.and_then(|cases| cases.parse().ok()).unwrap_or(CASES);
    let temporary = tempfile::tempdir().expect("a folder");
    let path = temporary.path().join("changed.json");
    for recorded in recorded() {
        let text = std::fs::read_to_string(&recorded).expect("read");
        let whole: Value = serde_json::from_str(&text).expect("JSON");
        let seed = recorded.display().to_string().bytes().map(u64::from).sum();
        let mut rng = Rng::new(seed);
        for _ in 0..cases {
            let mut json = whole.clone();
            for _ in 0..1 + rng.below(3) {
                change(&mut rng, &mut json["output"]["sources"]);
            }
            std::fs::write(&path, json.to_string()).expect("written");
            try_all(&path);
        }
    }
}

fn tree(nodes: Value) -> Value {
    let unit = json!({
        "nodeType": "SourceUnit", "id": 900, "src": "0:9:0", "absolutePath": "a.sol", "nodes": nodes,
    });
    json!({ "solcVersion": "0.8.0", "output": { "sources": { "a.sol": { "ast": unit } } } })
}

fn contract(items: Value) -> Value {
    json!([{
        "nodeType": "ContractDefinition", "id": 1, "src": "0:9:0", "name": "C", "contractKind": "contract",
        "linearizedBaseContracts": [1, 1, 1], "baseContracts": [], "nodes": items,
    }])
}

fn variable(id: usize, name: &str, ty: &str) -> Value {
    json!({
        "nodeType": "VariableDeclaration", "id": id, "src": "0:1:0", "name": name, "visibility": "public",
        "typeDescriptions": { "typeIdentifier": ty },
    })
}

fn structure(id: usize, inside: usize) -> Value {
    let ty = format!("t_struct$_S_${inside}_storage_ptr");
    json!({
        "nodeType": "StructDefinition", "id": id, "src": "0:1:0", "name": "S", "canonicalName": "S",
        "members": [variable(100_000 + id, "m", &ty)],
    })
}

fn function(id: usize, body: Value, statement: impl Fn(Value) -> Value) -> Value {
    let nothing = json!({ "nodeType": "ParameterList", "src": "0:1:0", "parameters": [] });
    json!({
        "nodeType": "FunctionDefinition", "id": id, "src": "0:1:0", "name": format!("f{id}"), "kind": "function",
        "visibility": "public", "stateMutability": "nonpayable", "modifiers": [], "parameters": nothing,
        "returnParameters": nothing,
        "body": { "nodeType": "Block", "src": "0:1:0", "statements": [statement(body)] },
    })
}

fn call(id: usize, argument: Option<Value>) -> Value {
    let ty = json!({ "typeIdentifier": "t_function_internal_nonpayable$__$returns$__$" });
    let none = json!({ "typeIdentifier": "t_tuple$__$" });
    json!({
        "nodeType": "FunctionCall", "src": "0:1:0", "kind": "functionCall", "names": [],
        "arguments": argument.into_iter().collect::<Vec<Value>>(), "typeDescriptions": none,
        "expression": {
            "nodeType": "Identifier", "src": "0:1:0", "name": "f", "referencedDeclaration": id, "typeDescriptions": ty,
        },
    })
}

fn attempt(json: &Value) {
    let temporary = tempfile::tempdir().expect("a folder");
    let path = temporary.path().join("odd.json");
    std::fs::write(&path, json.to_string()).expect("written");
    try_all(&path);
}

#[test]
fn what_contains_itself_or_has_no_end_is_refused() {
    let state = variable(3, "s", "t_struct$_S_$10_storage");
    attempt(&tree(contract(json!([structure(10, 10), state]))));
    let mut chain: Vec<Value> = (10..5000).map(|id| structure(id, id + 1)).collect();
    chain.push(state.clone());
    attempt(&tree(contract(json!(chain))));
    let mut ring: Vec<Value> = (10..50)
        .map(|id| structure(id, 10 + (id + 1) % 40))
        .collect();
    ring.push(state);
    attempt(&tree(contract(json!(ring))));
}

#[test]
fn long_chains_of_deep_calls_are_cut() {
    let statement =
        |e| json!({ "nodeType": "ExpressionStatement", "src": "0:1:0", "expression": e });
    let mut functions = Vec::new();
    for id in 10..150 {
        let mut inner = call(id + 1, None);
        for _ in 0..100 {
            inner = json!({
                "nodeType": "TupleExpression", "src": "0:1:0", "components": [inner],
                "typeDescriptions": { "typeIdentifier": "t_tuple$__$" },
            });
        }
        functions.push(function(id, inner, statement));
    }
    attempt(&tree(contract(json!(functions))));
    // Each calls itself, with itself as an argument.
    let itself = function(10, call(10, Some(call(10, None))), statement);
    attempt(&tree(contract(json!([itself]))));
}

#[test]
fn files_that_are_something_else_are_said_to_be() {
    let temporary = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        (
            "a.json",
            "{\"sources\": {\"a\": {\"ast\": {\"nodeType\": \"SourceUnit\"}}}}",
        ),
        ("b.json", "not JSON"),
        ("c.json", ""),
        ("d.json", "[[[[[[[["),
        ("e.json", "{\"ast\": 3}"),
    ] {
        let path = temporary.path().join(name);
        std::fs::write(&path, text).expect("written");
        let said = solidity::load(&path, &SolidityOptions::default()).expect_err("no tree");
        assert!(said.to_string().starts_with("error: "), "{said}");
    }
    let none = solidity::load(
        &temporary.path().join("none.json"),
        &SolidityOptions::default(),
    );
    assert!(
        none.expect_err("not there")
            .to_string()
            .contains("cannot be read")
    );
    assert!(folder().is_dir());
}
