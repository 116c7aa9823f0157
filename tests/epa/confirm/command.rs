//! `tranquera confirm`, and the other commands with `--confirm`.

use std::time::Duration;

use serde_json::Value;
use tranquera::epa::Epa;

use crate::support::program::{self, stdout, tranquera};

/// What a command prints of the vending machine.
fn printed(arguments: &[&str]) -> String {
    let class = "fixtures/corral-2016/vending_machine.tq";
    program::printed([arguments, &[class, "--engine", "builtin"]].concat())
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(&[arguments, &["--format", "json"]].concat())).expect("JSON")
}

#[test]
fn the_command_line() {
    let text = printed(&["confirm"]);
    for line in [
        "S1 -Buy-> S2\n  refuted\n",
        "S3 -ReturnChange-> S4\n  confirmed, 3 calls\n",
        "  invariant change >= 0;\n",
        "7 edges: 6 confirmed, 1 refuted, 0 unconfirmed\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let confirmed = json(&["confirm"]);
    assert_eq!(confirmed["schema"], "tranquera/confirm/1");
    assert_eq!(
        confirmed["proof"]["invariant"],
        serde_json::json!(["change >= 0"])
    );
    let epa = json(&["epa", "--confirm"]);
    assert_eq!(
        epa["refuted"]["states"][0]["enabled"],
        serde_json::json!([])
    );
    assert_eq!(
        epa["transitions"][0]["confirmation"],
        serde_json::json!({ "status": "confirmed", "calls": 2 })
    );
    let text = printed(&["epa", "--confirm"]);
    let refuted =
        "\nRefuted\n  S1 Buy → S2\n  S2 {}: no object is ever in it\n  invariant change >= 0;\n";
    assert!(text.contains(refuted), "{text}");
    let query = printed(&["query", "--kind", "confirm", "--calls", "2"]);
    assert!(
        query.contains("// is there a run of 2 calls that ends with S1 -DisplayPrice-> S1 or"),
        "{query}"
    );
}

/// The runs that the EPA's JSON tells: each goes along edges of the EPA that is left, and each edge that is confirmed
/// has one that ends with it.
#[test]
fn every_confirmed_edge_leads_to_its_run() {
    let json = json(&["epa", "--confirm"]);
    let list = |key: &str| json[key].as_array().expect("a list").clone();
    let edges: Vec<Value> = [list("constructors"), list("transitions")].concat();
    let mut confirmed = 0;
    for (index, edge) in edges.iter().enumerate() {
        assert_eq!(edge["confirmation"]["status"], "confirmed");
        let ends_with_it = |run: &&Value| {
            let last = run["calls"].as_array().and_then(|calls| calls.last());
            last.is_some_and(|call| call["edge"] == index)
        };
        let runs = list("runs");
        let run = runs
            .iter()
            .find(ends_with_it)
            .expect("a run of every edge that is confirmed");
        let calls = run["calls"].as_array().expect("calls");
        assert_eq!(edge["confirmation"]["calls"], calls.len());
        let mut at = Value::Null;
        for call in calls {
            let taken = &edges[usize::try_from(call["edge"].as_u64().expect("a number")).unwrap()];
            let name = taken.get("action").or(taken.get("name"));
            assert_eq!(Some(&call["name"]), name);
            assert_eq!(taken.get("source").unwrap_or(&Value::Null), &at);
            assert_eq!(call["target"], taken["target"]);
            at = taken["target"].clone();
        }
        confirmed += 1;
    }
    assert_eq!(confirmed, 6);
}

/// A picture shows what was refuted and why, and at each edge its run.
#[test]
fn pictures_show_the_second_pass() {
    let svg = printed(&["epa", "--confirm", "--format", "svg"]);
    let last = "3. ReturnChange() -&#62; S4  [selling = true, change = 0]  (line 41)</title>";
    for part in [
        r#"<g class="edge refuted" data-source="S1" data-target="S2">"#,
        r#"<g class="state deadlock refuted" data-state="S2">"#,
        ">refuted by: invariant change &#62;= 0;</text>",
        ">second pass: 6 confirmed, 1 refuted</text>",
        last,
    ] {
        assert!(svg.contains(part), "{part}\n{svg}");
    }
    let dot = printed(&["epa", "--confirm", "--format", "dot"]);
    for part in [
        r#""S1" -> "S2" [class="edge refuted", label="Buy x\l""#,
        r"3. ReturnChange() -> S4  [selling = true, change = 0]  (line 41)\n",
        r"refuted by: invariant change >= 0;\l",
    ] {
        assert!(dot.contains(part), "{part}\n{dot}");
    }
    let mermaid = printed(&["epa", "--confirm", "--format", "mermaid"]);
    assert!(mermaid.contains("S1 --> S2 : Buy x\n"), "{mermaid}");
}

/// Whether `remove` can meet a null in the corrected list depends on the shape of the chain, of which no clause
/// over the list's own fields tells; and the question after runs takes twice as long for each call more. The
/// command keeps to its time all the same, and says what is left.
#[test]
fn the_time_is_kept_to() {
    let run = tranquera(["confirm", "fixtures/tosem-2013/list_fixed.tq"])
        .args(["--exceptions", "all", "--confirm-time", "4"])
        .timeout(Duration::from_secs(300))
        .assert();
    let text = stdout(&run);
    // A busy machine finds less in that time.
    assert!(text.contains("11 edges: "), "{text}");
    assert!(text.contains(" confirmed, 0 refuted, "), "{text}");
    assert!(
        text.contains("unconfirmed\nnot all was found out: the 4 s that it is given are over"),
        "{text}"
    );
    assert!(text.contains("`--confirm-time`"), "{text}");
    let edge = "S3 -remove ! NullDereference-> S3\n  unconfirmed: no run of up to ";
    assert!(text.contains(edge), "{text}");
    // So does the EPA, and counts the time.
    let run = tranquera(["epa", "fixtures/tosem-2013/list_fixed.tq", "--confirm"])
        .args(["--exceptions", "all", "--confirm-time", "2"])
        .args(["--format", "json"])
        .timeout(Duration::from_secs(300))
        .assert();
    let epa: Epa = serde_json::from_str(&stdout(&run)).expect("an EPA");
    let is_it = |note: &String| note.contains("the 2 s that it is given are over");
    assert!(epa.notes.iter().any(is_it), "{:?}", epa.notes);
    assert!(epa.stats.wall_ms >= 2_000, "{}", epa.stats.wall_ms);
}

/// The list as it is printed fails on the empty list, and so never has an element to remove.
#[test]
fn errors_are_judged_behind_the_edges() {
    let class = "fixtures/tosem-2013/list_as_printed.tq";
    let text = program::printed(vec!["confirm", class, "--engine", "builtin"]);
    let (_, errors) = text.split_once("\n\nadd ends in").expect("the errors");
    insta::assert_snapshot!(format!("add ends in{errors}"));
}
