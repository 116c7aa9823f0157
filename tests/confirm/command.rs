//! `tranquera confirm`, and the other commands with `--confirm`.

use std::time::Duration;

use crate::pass::folder;

fn tranquera(arguments: &[&str]) -> String {
    let file = folder().join("vending_machine.tq");
    let output = assert_cmd::Command::cargo_bin("tranquera")
        .expect("the program")
        .env("TRANQUERA_CACHE", "off")
        .args(arguments)
        .arg(file)
        .args(["--engine", "builtin"])
        .output()
        .expect("it runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_command_line() {
    let text = tranquera(&["confirm"]);
    for line in [
        "S1 -Buy-> S2\n  refuted\n",
        "S3 -ReturnChange-> S4\n  confirmed, 3 calls\n",
        "  invariant change >= 0;\n",
        "7 edges: 6 confirmed, 1 refuted, 0 unconfirmed\n",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&tranquera(&["confirm", "--format", "json"])).expect("JSON");
    assert_eq!(json["schema"], "tranquera/confirm/1");
    assert_eq!(
        json["proof"]["invariant"],
        serde_json::json!(["change >= 0"])
    );
    let json: serde_json::Value =
        serde_json::from_str(&tranquera(&["epa", "--confirm", "--format", "json"])).expect("JSON");
    assert_eq!(
        json["refuted"]["states"][0]["enabled"],
        serde_json::json!([])
    );
    assert_eq!(
        json["transitions"][0]["confirmation"],
        serde_json::json!({ "status": "confirmed", "calls": 2 })
    );
    let text = tranquera(&["epa", "--confirm"]);
    let refuted =
        "\nRefuted\n  S1 Buy → S2\n  S2 {}: no object is ever in it\n  invariant change >= 0;\n";
    assert!(text.contains(refuted), "{text}");
    let query = tranquera(&["query", "--kind", "confirm", "--calls", "2"]);
    assert!(
        query.contains("// is there a run of 2 calls that ends with S1 -DisplayPrice-> S1 or"),
        "{query}"
    );
}

/// The runs that the EPA's JSON tells: each goes along edges of the EPA that is left, and each edge that is confirmed
/// has one that ends with it.
#[test]
fn every_confirmed_edge_leads_to_its_run() {
    let json: serde_json::Value =
        serde_json::from_str(&tranquera(&["epa", "--confirm", "--format", "json"])).expect("JSON");
    let list = |key: &str| json[key].as_array().expect("a list").clone();
    let edges: Vec<serde_json::Value> = [list("constructors"), list("transitions")].concat();
    let mut confirmed = 0;
    for (index, edge) in edges.iter().enumerate() {
        assert_eq!(edge["confirmation"]["status"], "confirmed");
        let ends_with_it = |run: &&serde_json::Value| {
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
        let mut at = serde_json::Value::Null;
        for call in calls {
            let taken = &edges[usize::try_from(call["edge"].as_u64().expect("a number")).unwrap()];
            let name = taken.get("action").or(taken.get("name"));
            assert_eq!(Some(&call["name"]), name);
            assert_eq!(taken.get("source").unwrap_or(&serde_json::Value::Null), &at);
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
    let svg = tranquera(&["epa", "--confirm", "--format", "svg"]);
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
    let dot = tranquera(&["epa", "--confirm", "--format", "dot"]);
    for part in [
        r#""S1" -> "S2" [class="edge refuted", label="Buy x\l""#,
        r"3. ReturnChange() -> S4  [selling = true, change = 0]  (line 41)\n",
        r"refuted by: invariant change >= 0;\l",
    ] {
        assert!(dot.contains(part), "{part}\n{dot}");
    }
    let mermaid = tranquera(&["epa", "--confirm", "--format", "mermaid"]);
    assert!(mermaid.contains("S1 --> S2 : Buy x\n"), "{mermaid}");
}

/// Whether `remove` can meet a null in the corrected list depends on the shape of the chain, of which no clause
/// over the list's own fields tells; and the question after runs takes twice as long for each call more. The
/// command keeps to its time all the same, and says what is left.
#[test]
fn the_time_is_kept_to() {
    let output = assert_cmd::Command::cargo_bin("tranquera")
        .expect("built")
        .env("TRANQUERA_CACHE", "off")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["confirm", "fixtures/tosem-2013/list_fixed.tq"])
        .args(["--exceptions", "all", "--confirm-time", "4"])
        .timeout(Duration::from_secs(300))
        .output()
        .expect("run");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // A busy machine finds less in that time.
    assert!(text.contains("11 edges: "), "{text}");
    assert!(text.contains(" confirmed, 0 refuted, "), "{text}");
    assert!(
        text.contains("unconfirmed\nnot all was found out: "),
        "{text}"
    );
    let edge = "S3 -remove ! NullDereference-> S3\n  unconfirmed: no run of up to ";
    assert!(text.contains(edge), "{text}");
}
