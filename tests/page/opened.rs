//! Pages, open in a browser.

use std::collections::BTreeMap;
use std::sync::Mutex;

use serde_json::json;
use tranquera::epa::Epa;
use tranquera::view::{EpaFormat, ViewOptions, render};

use crate::support::chromium::Browser;
use crate::support::program::{stdout, tranquera};

pub const VENDING_MACHINE: &str = "fixtures/corral-2016/vending_machine.tq";

/// The page of a class, open in a browser.
pub fn page_of(arguments: &[&str]) -> Browser {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    std::fs::write(&file, text_of(arguments)).expect("written");
    Browser::open(&file)
}

/// The text of such a page, each made once.
pub fn text_of(arguments: &[&str]) -> String {
    static MADE: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().expect("no test ends while it makes a page");
    let text = made.entry(arguments.join(" ")).or_insert_with(|| {
        let mut command = tranquera(["epa", "--format", "html"]);
        stdout(&command.args(arguments).assert().success())
    });
    text.clone()
}

/// The page of an EPA alone, without the class behind it.
pub fn page_of_epa(epa: &serde_json::Value) -> Browser {
    let epa: Epa = serde_json::from_value(epa.clone()).expect("an EPA");
    let text = render(&epa, EpaFormat::Html, &ViewOptions::default()).expect("a page");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("page.html");
    std::fs::write(&file, text).expect("written");
    Browser::open(&file)
}

pub fn transition(source: &str, action: &str, target: &str) -> serde_json::Value {
    json!({
        "source": source, "action": action, "target": target, "outcome": null, "exception": null,
        "verdict": "reached", "reason": null, "violates_invariant": false, "confirmation": null,
    })
}

pub fn epa(
    states: Vec<serde_json::Value>,
    actions: &[&str],
    transitions: Vec<serde_json::Value>,
) -> serde_json::Value {
    json!({
        "schema": "tranquera/epa/1", "class": "</script><b>Class</b>", "actions": actions, "states": states,
        "constructors": [{ "name": "Class(int, int)", "target": "S1", "verdict": "reached", "reason": null }],
        "transitions": transitions,
    })
}

pub fn contains_all(text: &str, wanted: &[&str]) {
    for part in wanted {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

/// The label of an action's edge between two states, as an expression.
pub fn label(source: &str, action: &str, target: &str) -> String {
    format!(
        "document.querySelector('.labels [data-source=\"{source}\"][data-target=\"{target}\"] [data-action=\"{action}\"]')"
    )
}

/// The page of a contract tells where its ether is stuck, with the run that leaves it there.
#[test]
fn ether_that_is_stuck_is_told() {
    let browser = page_of(&[
        "fixtures/solidity/benchmarks/refund_escrow_owned.json",
        "--contract",
        "RefundEscrowOwned",
    ]);
    let findings = browser.text(".findings");
    let said = "stuck-ether from S4 no call leads on that sends ether: what the contract has there can never be got out any more";
    assert!(findings.contains(said), "{findings}");
    let stuck = findings.split("stuck-ether").nth(1).unwrap_or_default();
    let run = stuck
        .split("A run that gets there: ")
        .nth(1)
        .unwrap_or_default();
    let calls: Vec<&str> = run
        .split("), ")
        .filter_map(|call| call.split('(').next())
        .collect();
    assert_eq!(calls, ["RefundEscrowOwned", "deposit", "renounceOwnership"]);
    assert!(findings.contains("lost-role"), "{findings}");
}

/// It has the table of who can call what in which state, and of each state what of it is of that state.
#[test]
fn who_can_call_what_is_a_table() {
    let browser = page_of(&[
        "fixtures/solidity/benchmarks/refund_escrow_owned.json",
        "--contract",
        "RefundEscrowOwned",
    ]);
    let matrix = tranquera(["roles", "--format", "markdown"])
        .args(["fixtures/solidity/benchmarks/refund_escrow_owned.json"])
        .args(["--contract", "RefundEscrowOwned"])
        .assert()
        .success();
    // A row of Markdown without its bars and blanks is what the row's cells say one after the other.
    let row = |line: &str| {
        let cells = line.split('|').map(str::trim);
        cells
            .filter(|cell| !cell.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let matrix = stdout(&matrix).replace('\\', "");
    let rows = matrix.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<String> = rows.skip(1).map(row).collect();
    assert!(
        rows.iter().any(|row| row.starts_with("renounceOwnership ")),
        "{rows:?}"
    );
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let table = words(&browser.text(".access tbody")).replace(" –", "");
    for row in rows {
        assert!(table.contains(&row), "no `{row}` in {table}");
    }
    browser.click("[data-show-state=S1]");
    let here = words(&browser.text(".access"));
    assert!(here.contains("Who can call what here"), "{here}");
    assert!(here.contains("close owner"), "{here}");
}
