//! The JSON of an EPA, as tests read it.
#![allow(dead_code)] // Each group of tests needs a part of it.

use serde_json::Value;

/// The items of a list that has to be there.
pub fn list<'a>(json: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    let list = json[key].as_array();
    list.unwrap_or_else(|| panic!("no list of {key}: {json}"))
        .iter()
}

/// A text; empty where there is none.
pub fn text<'a>(json: &'a Value, key: &str) -> &'a str {
    json[key].as_str().unwrap_or_default()
}

/// The states in their order, each with what can be called in it.
pub fn states(epa: &Value) -> impl Iterator<Item = (&str, Vec<&str>)> {
    list(epa, "states").map(|state| {
        let enabled = list(state, "enabled").filter_map(Value::as_str);
        (text(state, "id"), enabled.collect())
    })
}
