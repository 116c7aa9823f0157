//! Who can call what in which state, and what is lost with a role; worked out by hand from the contracts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::support::epa::{list, text};
use crate::support::program::{failed, printed, stdout, tranquera};

fn roles(file: &str, contract: &str, more: &[&str]) -> Value {
    let file = format!("fixtures/solidity/{file}.json");
    let words = ["roles", &file, "--contract", contract, "--format", "json"];
    let words = [words.as_slice(), more].concat();
    // Of what is left out beside it, notes may tell.
    let run = tranquera(words).assert().success();
    serde_json::from_str(&stdout(&run)).expect("JSON")
}

fn names(value: &Value) -> Vec<&str> {
    let names = value.as_array().expect("a list").iter();
    names.map(|name| name.as_str().expect("a name")).collect()
}

/// Who can make a call, in one word: those who have a role and nobody else, `others` among them where no role is needed.
fn who(call: &Value) -> String {
    let mut who: Vec<&str> = list(call, "roles")
        .filter(|role| text(role, "can") != "no")
        .map(|role| text(role, "role"))
        .collect();
    if text(call, "others") != "no" {
        who.push("others");
    }
    match names(&call["together"]).as_slice() {
        [] => who.join(" "),
        together => together.join("="),
    }
}

/// Each state as its calls: `hand`, by whom. Nothing may be left open.
type States = BTreeSet<BTreeMap<String, String>>;

fn states(matrix: &Value) -> States {
    let words = matrix.to_string();
    assert!(!words.contains("\"maybe\""), "{words}");
    let calls = |state: &Value| {
        let calls = list(state, "calls");
        calls
            .map(|call| (text(call, "action").to_owned(), who(call)))
            .collect()
    };
    list(matrix, "states").map(calls).collect()
}

/// `hand by keeper, look by others`, a line a state.
fn expected(lines: &str) -> States {
    let lines = lines.lines().map(str::trim);
    let call = |words: &str| {
        let (call, who) = words.split_once(" by ").expect("a call, by somebody");
        (call.to_owned(), who.to_owned())
    };
    let state = |line: &str| match line {
        "-" => BTreeMap::new(),
        line => line.split(", ").map(call).collect(),
    };
    lines.map(state).collect()
}

/// What is lost: the role, what loses it, what can never be called any more, and the last call of the run.
fn lost(matrix: &Value) -> Vec<String> {
    let lost = list(matrix, "lost").map(|lost| {
        let mut calls = names(&lost["never_again"]);
        calls.sort_unstable();
        let run = lost["run"].as_array().expect("a run");
        let last = run.last().expect("a call");
        let given = list(last, "arguments")
            .map(|given| format!("{}={}", text(given, "name"), text(given, "value")));
        let zero: Vec<String> = given.filter(|given| given.ends_with("=0")).collect();
        assert_eq!(text(last, "name"), text(lost, "by"), "{lost}");
        format!(
            "{} by {}({}) in {} calls: {}",
            text(lost, "role"),
            text(lost, "by"),
            zero.join(" "),
            run.len(),
            calls.join(" ")
        )
    });
    lost.collect()
}

#[test]
fn an_owner_in_two_steps() {
    let matrix = roles("benchmarks/two_step", "TwoStep", &[]);
    assert_eq!(
        states(&matrix),
        expected(
            "transferOwnership by owner, renounceOwnership by owner
             transferOwnership by owner, acceptOwnership by pending, renounceOwnership by owner
             -"
        )
    );
    // That `pending` is the zero address as well then ends nothing more.
    assert_eq!(
        lost(&matrix),
        [
            "owner by renounceOwnership() in 2 calls: acceptOwnership renounceOwnership transferOwnership"
        ]
    );
}

/// The owner's functions, the buyer's, and those of the two whom he names. Of the two who have to agree, each can do it once.
/// Who is no longer the buyer is the zero address, but there will be another. Two states are there only before the second pass:
/// nobody inspects or appraises; the owner himself is the buyer.
#[test]
fn a_house_is_sold() {
    let matrix = roles("benchmarks/asset_transfer", "AssetTransfer", &[]);
    assert_eq!(
        states(&matrix),
        expected(
            "terminate by owner
             terminate by owner, modify by owner, makeOffer by others
             terminate by owner, acceptOffer by owner, reject by owner, modifyOffer by buyer, rescindOffer by buyer
             terminate by owner, reject by owner, rescindOffer by buyer, markAppraised by appraiser, markInspected by inspector
             terminate by owner, reject by owner, rescindOffer by buyer, markAppraised by appraiser
             terminate by owner, reject by owner, rescindOffer by buyer, markInspected by inspector
             terminate by owner, reject by owner, rescindOffer by buyer, accept by owner buyer
             terminate by owner, reject by owner, accept by owner
             terminate by owner, rescindOffer by buyer, accept by buyer
             terminate by owner, reject by owner, rescindOffer by buyer
             terminate by owner, rescindOffer by buyer"
        )
    );
    assert_eq!(lost(&matrix), [""; 0]);
}

/// A constant address, somebody who is in a mapping, somebody who is two, anybody but one. The owner who resigns is given back.
#[test]
fn all_kinds_of_callers() {
    let matrix = roles("roles", "Roles", &[]);
    let owners = "admit by owner, appoint by owner, resign by owner";
    assert_eq!(
        states(&matrix),
        expected(&format!(
            "{owners}, rescue by 0x1111
             {owners}, rescue by 0x1111, enter by others
             rescue by 0x1111
             rescue by 0x1111, enter by others
             {owners}, rescue by 0x1111, wait_ by others
             {owners}, rescue by 0x1111, wait_ by others, shut by owner=keeper
             rescue by 0x1111, wait_ by others"
        ))
    );
    assert_eq!(lost(&matrix), [""; 0]);
    let conditions = list(&matrix, "actions").map(|action| names(&action["conditions"]));
    assert_eq!(
        conditions.collect::<Vec<_>>().concat(),
        ["member[msg_sender]"]
    );
}

#[test]
fn who_hands_a_role_to_nobody_loses_it_for_ever() {
    let matrix = roles("roles", "Handed", &[]);
    assert_eq!(
        states(&matrix),
        expected("hand by keeper, finish by keeper, look by others\nlook by others\n-")
    );
    assert_eq!(
        lost(&matrix),
        ["keeper by hand(to=0) in 2 calls: finish hand"]
    );
}

#[test]
fn whoever_makes_it_may_make_it_dead() {
    let matrix = roles("benchmarks/rock_paper_scissors", "RockPaperScissors", &[]);
    let all = "choicePlayer1 choicePlayer2 determineWinner";
    assert_eq!(
        lost(&matrix).into_iter().collect::<BTreeSet<String>>(),
        BTreeSet::from([
            format!("first by RockPaperScissors(a=0 b=0) in 1 calls: {all}"),
            "first by RockPaperScissors(a=0) in 1 calls: choicePlayer1".to_owned(),
            "second by RockPaperScissors(b=0) in 1 calls: choicePlayer2".to_owned(),
        ])
    );
}

#[test]
fn nobody_can_be_made_the_owner_where_that_is_checked() {
    let matrix = roles("benchmarks/escrow_vault", "EscrowVault", &[]);
    assert_eq!(lost(&matrix), [""; 0]);
}

/// Where ether is stuck: what can be called there, and the calls of the run; one of them brings some.
fn stuck(matrix: &Value) -> Vec<String> {
    let stuck = list(matrix, "stuck").map(|stuck| {
        let mut states = list(matrix, "states");
        let state = states.find(|state| text(state, "id") == text(stuck, "state"));
        let calls = list(state.expect("a state"), "calls");
        let calls: Vec<&str> = calls.map(|call| text(call, "action")).collect();
        let given = list(stuck, "run").flat_map(|call| list(call, "arguments"));
        let mut paid = given.filter(|given| text(given, "name") == "msg_value");
        assert!(paid.any(|paid| text(paid, "value") != "0"), "{stuck}");
        let run: Vec<&str> = list(stuck, "run").map(|call| text(call, "name")).collect();
        format!("{{{}}} by {}", calls.join(" "), run.join(" "))
    });
    stuck.collect()
}

#[test]
fn ether_is_stuck_where_no_call_leads_on_that_sends_any() {
    // Behind `close`, the beneficiary still gets everything, whoever owns it.
    let matrix = roles("benchmarks/refund_escrow_owned", "RefundEscrowOwned", &[]);
    let run = "RefundEscrowOwned deposit renounceOwnership";
    assert_eq!(stuck(&matrix), [format!("{{}} by {run}")]);
    let matrix = roles("roles", "Jar", &[]);
    assert_eq!(stuck(&matrix), ["{close} by Jar put close"]);
    for (file, contract) in [("savings", "Savings"), ("ether", "Ether")] {
        assert_eq!(stuck(&roles(file, contract, &[])), [""; 0], "{contract}");
    }
}

/// What is put into the pot is counted, and that is all that is ever done with it.
#[test]
fn ether_is_kept_where_nothing_sends_any() {
    let matrix = roles("roles", "Pot", &[]);
    assert_eq!(names(&matrix["kept"]), ["put"]);
    let words = ["roles", "fixtures/solidity/roles.json", "--contract", "Pot"];
    let said = printed(words.to_vec())
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let expected = "stuck-ether: `put` takes ether, and no call sends any: what comes with it can never be got out any more";
    assert!(said.contains(expected), "{said}");
    for (file, contract) in [("savings", "Savings"), ("roles", "Jar")] {
        assert_eq!(roles(file, contract, &[]).get("kept"), None, "{contract}");
    }
}

#[test]
fn a_matrix_as_text_and_for_documents() {
    for contract in ["Roles", "Handed"] {
        let file = "fixtures/solidity/roles.json";
        let words = ["roles", file, "--contract", contract, "--format"];
        for format in ["text", "markdown"] {
            let shown = printed([words.as_slice(), &[format]].concat());
            insta::assert_snapshot!(format!("roles_{contract}_{format}").to_lowercase(), shown);
        }
    }
}

#[test]
fn other_classes_do_not_say_who_calls_them() {
    let said = failed(["roles", "fixtures/corral-2016/vending_machine.tq"], 2);
    assert!(
        said.contains("`VendingMachine` is no contract in Solidity: it does not say who calls it"),
        "{said}"
    );
}
