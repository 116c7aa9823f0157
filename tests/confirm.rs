//! The second pass: every edge confirmed by a shortest run, or refuted by an invariant. The expected lengths are
//! those of `fixtures/corral-2016/expected.txt`, which come from the reference, and for random classes those that
//! running everything finds.

#[path = "support/boogie_reads.rs"]
mod boogie_reads;
#[path = "support/class.rs"]
mod class;
#[path = "support/real.rs"]
mod real;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use boogie_reads::boogie_objections;
use tranquera::encode::{Encoding, Exit, Step};
use tranquera::engine::{EngineConfig, Limits};
use tranquera::epa::confirm::{self, Confirmations, Status};
use tranquera::epa::model::Confirmation;
use tranquera::epa::{self, Epa, Exceptions, Strategy};
use tranquera::lang::{Loaded, parse_text};

/// An edge: the enabled actions of its source (none for a constructor), what is called, the enabled actions of its
/// target.
type Edge = (Option<BTreeSet<String>>, String, BTreeSet<String>);

fn config(bound: u32) -> EngineConfig {
    EngineConfig {
        limits: Limits {
            recursion_bound: bound,
            timeout: Duration::from_secs(30),
            ..Limits::default()
        },
        ..EngineConfig::default()
    }
}

struct Pass {
    epa: Epa,
    found: Confirmations,
}

fn second_pass(
    loaded: &Loaded,
    encoding: &Encoding<'_>,
    engine: &'static str,
    max_calls: u32,
) -> Pass {
    let low = real::engine(engine, &config(3));
    let high = real::engine(engine, &config(12));
    let options = epa::Options {
        strategy: Strategy::Guided,
        jobs: 1,
        recursion_bound: 3,
        pure_shortcut: true,
        exceptions: Exceptions::Declared,
        violations: false,
    };
    let epa = epa::construct(encoding, low.as_ref(), &options)
        .expect("an EPA")
        .epa;
    let options = confirm::Options {
        engine: low.as_ref(),
        searcher: high.as_ref(),
        source: &loaded.source,
        max_calls,
        time: Duration::from_secs(3000),
    };
    let found = confirm::confirm(encoding, &epa, &options).expect("a second pass");
    assert_eq!(found.errors, Vec::<String>::new());
    Pass { epa, found }
}

impl Pass {
    fn of_text(text: &str, max_calls: u32) -> Pass {
        let loaded = parse_text("class.tq", text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        second_pass(&loaded, &class::encode(&loaded), "builtin", max_calls)
    }

    fn enabled(&self, id: &str) -> BTreeSet<String> {
        let state = self.epa.state(id).expect("a state");
        state.enabled.iter().cloned().collect()
    }

    /// What was found of each edge.
    fn statuses(&self) -> BTreeMap<Edge, Status> {
        let edges = self.found.edges.iter();
        edges
            .map(|e| {
                let source = e.source.as_deref().map(|s| self.enabled(s));
                let target = self.enabled(e.target.as_deref().expect("a target"));
                ((source, e.action.clone(), target), e.status.clone())
            })
            .collect()
    }

    fn status(&self, edge: &str) -> &Status {
        let found = self.found.edges.iter().find(|e| e.edge == edge);
        &found.unwrap_or_else(|| panic!("no edge {edge}")).status
    }

    fn invariant(&self) -> &[String] {
        self.found
            .proof
            .as_ref()
            .map_or(&[], |p| p.invariant.as_slice())
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corral-2016")
}

/// An edge as the reference names it: constructors are all one.
type Reference = (Option<BTreeSet<String>>, Option<String>, BTreeSet<String>);

/// A length in calls; none where the reference says that no run takes the edge.
type Length = Option<u32>;

/// The lengths of one class, as `expected.txt` gives them.
struct Lengths {
    name: String,
    pure: Vec<String>,
    /// The edges that the file gives lengths for.
    edges: BTreeMap<Reference, Length>,
}

/// Reads the lengths of every class off `expected.txt`. Its notation is explained at its beginning.
fn expected() -> Vec<Lengths> {
    let text = std::fs::read_to_string(folder().join("expected.txt")).expect("the expected EPAs");
    let mut classes = Vec::new();
    for section in text.split("\n[").skip(1) {
        let (name, rest) = section.split_once(']').expect("a name");
        let (rest, _) = rest.split_once("\nbound 3:").unwrap_or((rest, ""));
        let mut short = BTreeMap::new();
        let mut states: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let mut lengths = Lengths {
            name: name.into(),
            pure: vec![],
            edges: BTreeMap::new(),
        };
        for line in rest.lines().skip(1).filter(|l| !l.starts_with('#')) {
            if let Some(pairs) = line.strip_prefix("short:") {
                short.extend(
                    pairs
                        .split_whitespace()
                        .map(|p| p.split_once('=').expect("a pair")),
                );
            } else if let Some(names) = line.strip_prefix("pure:") {
                lengths.pure = names.split_whitespace().map(Into::into).collect();
            } else if line.contains("={") {
                for state in line.split_whitespace() {
                    let (id, names) = state.split_once("={").expect("a state");
                    let names = names
                        .trim_end_matches('}')
                        .split(',')
                        .filter(|n| !n.is_empty());
                    let names = names.map(|n| short.get(n).copied().unwrap_or(n).to_string());
                    states.insert(id, names.chain(lengths.pure.iter().cloned()).collect());
                }
            } else if line.contains("->") {
                edges_of(line, &short, &states, &mut lengths);
            }
        }
        classes.push(lengths);
    }
    classes
}

fn edges_of(
    line: &str,
    short: &BTreeMap<&str, &str>,
    states: &BTreeMap<&str, BTreeSet<String>>,
    lengths: &mut Lengths,
) {
    // `S1: a->S2[2] b->S3[2]` or `I -C-> S1[1]; S1 -a-> S2[2] S3[--]`
    let mut chains: Vec<(&str, &str, &str)> = Vec::new();
    if let Some((source, rest)) = line.split_once(": ") {
        let mut action = "";
        for word in rest.split_whitespace() {
            let target = match word.split_once("->") {
                Some((name, target)) => {
                    action = name;
                    target
                }
                None => word,
            };
            chains.push((source, action, target));
        }
    } else {
        for chain in line.split(';') {
            let (head, targets) = chain.split_once("->").expect("an edge");
            let (source, action) = head.trim().split_once(" -").unwrap_or((head.trim(), ""));
            chains.extend(targets.split_whitespace().map(|t| (source, action, t)));
        }
    }
    for (source, action, target) in chains {
        let Some((target, length)) = target.trim_end_matches([';', ']']).split_once('[') else {
            continue;
        };
        let action = short.get(action).copied().unwrap_or(action);
        let is_constructor = source.trim() == "I";
        lengths.edges.insert(
            (
                (!is_constructor).then(|| states[source.trim()].clone()),
                (!is_constructor).then(|| action.to_string()),
                states[target].clone(),
            ),
            (length != "--").then(|| length.parse().expect("a length")),
        );
    }
}

#[test]
fn every_edge_of_the_papers_classes_has_a_run_of_the_length_in_the_reference() {
    let mut compared = BTreeSet::new();
    for lengths in expected() {
        let loaded = class::load(&folder().join(format!("{}.tq", lengths.name)));
        let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 12);
        for ((source, action, target), status) in pass.statuses() {
            let key = (
                source.clone(),
                source.as_ref().map(|_| action.clone()),
                target,
            );
            let name = format!("{}: {key:?}", lengths.name);
            match lengths.edges.get(&key) {
                Some(None) => assert_eq!(status, Status::Refuted { unreached: false }, "{name}"),
                Some(Some(calls)) => {
                    compared.insert((lengths.name.clone(), key));
                    let expected = Status::Confirmed {
                        calls: *calls,
                        shortest: true,
                    };
                    assert_eq!(status, expected, "{name}");
                }
                // The loop classes, and the self loops of pure actions, have no lengths in the reference.
                None => assert!(
                    matches!(status, Status::Confirmed { shortest: true, .. }),
                    "{name}: {status:?}"
                ),
            }
        }
    }
    // All edges with a length in the file.
    let all = expected();
    let all = all.iter().flat_map(|l| l.edges.values()).flatten();
    assert_eq!(compared.len(), all.count());
    assert!(compared.len() > 130, "{}", compared.len());
}

#[test]
fn a_refuted_edge_leaves_the_epa_with_what_only_it_reached() {
    let loaded = class::load(&folder().join("vending_machine.tq"));
    let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 8);
    assert_eq!(pass.invariant(), ["change >= 0"]);
    let epa = pass.found.epa.as_ref().expect("an EPA");
    assert!(
        epa.states.iter().all(|s| !s.enabled.is_empty()),
        "the deadlock is gone"
    );
    assert_eq!(epa.states.len(), 3);
    assert!(epa.findings.iter().all(|f| f.kind != "deadlock-state"));
    assert!(
        epa.transitions
            .iter()
            .all(|t| matches!(t.confirmation, Some(Confirmation::Confirmed { .. })))
    );
    let refuted = epa.refuted.as_ref().expect("what was refuted");
    assert_eq!(refuted.invariant, ["change >= 0"]);
    assert_eq!(refuted.transitions.len(), 1);
    assert_eq!(refuted.states.len(), 1);
    assert_eq!(refuted.states[0].enabled, Vec::<String>::new());
}

/// In `test2`, the end of `m2` in the deadlock is refuted; that of `m3` is real. The finding must name only that.
#[test]
fn findings_are_those_of_the_epa_that_is_left() {
    let loaded = class::load(&folder().join("test2.tq"));
    let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 8);
    let deadlock = |epa: &Epa| {
        let found = epa.findings.iter().find(|f| f.kind == "deadlock-state");
        found.expect("the deadlock is real").message.clone()
    };
    assert!(deadlock(&pass.epa).contains("`m2`"));
    let left = deadlock(pass.found.epa.as_ref().expect("an EPA"));
    assert!(left.contains("`m3`") && !left.contains("`m2`"), "{left}");
}

/// A person can paste the invariant into the class, and the EPA then lacks the edge from the beginning.
#[test]
fn the_invariant_found_can_be_pasted_into_the_class() {
    for (name, edges_before) in [("test2", 4), ("vending_machine", 6)] {
        let text = std::fs::read_to_string(folder().join(format!("{name}.tq"))).expect("a class");
        let pass = Pass::of_text(&text, 8);
        assert_eq!(pass.epa.transitions.len(), edges_before);
        let clauses: Vec<String> = pass
            .invariant()
            .iter()
            .map(|c| format!("  invariant {c};\n"))
            .collect();
        let (head, tail) = text.split_once("  constructor").expect("a constructor");
        let pasted = Pass::of_text(&format!("{head}{}  constructor{tail}", clauses.concat()), 8);
        assert_eq!(pasted.epa.transitions.len(), edges_before - 1, "{name}");
        assert!(pasted.found.proof.is_none());
    }
}

#[test]
fn a_run_is_shown_with_its_values() {
    let loaded = class::load(&folder().join("vending_machine.tq"));
    let pass = second_pass(&loaded, &class::encode(&loaded), "builtin", 8);
    let edge = pass
        .found
        .edges
        .iter()
        .find(|e| e.edge == "S3 -ReturnChange-> S4")
        .expect("the edge");
    let run = edge.run.as_ref().expect("a run");
    assert!(run.replayed);
    let names: Vec<&str> = run.calls.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["VendingMachine()", "Buy", "ReturnChange"]);
    // Buy with money leaves change of 5, and that is what ReturnChange takes away.
    let shown = |call: usize, name: &str| {
        let values = run.calls[call]
            .arguments
            .iter()
            .chain(&run.calls[call].fields);
        values
            .filter(|v| v.name == name)
            .map(|v| v.value.clone())
            .collect::<Vec<_>>()
            .concat()
    };
    assert!(shown(1, "money").parse::<i64>().expect("a number") > 0);
    assert_eq!(
        (shown(1, "change").as_str(), shown(2, "change").as_str()),
        ("5", "0")
    );
    assert_eq!(shown(2, "selling"), "true");
    assert!(!run.calls[1].path.is_empty());
}

const DEEP: &str = "
class Counter {
  var n: int;
  invariant 0 <= n <= 51;
  constructor() { n := 0; }
  action up() requires n < 51 { n := n + 1; }
  action down() requires n > 0 { n := n - 1; }
}";

#[test]
fn an_edge_that_needs_52_calls_is_confirmed_and_not_refuted() {
    let pass = Pass::of_text(DEEP, 64);
    let calls = |edge: &str| match pass.status(edge) {
        Status::Confirmed { calls, shortest } => (*calls, *shortest),
        other => panic!("{edge}: {other:?}"),
    };
    assert_eq!(calls("S2 -up-> S3"), (52, true));
    assert_eq!(calls("S3 -down-> S2"), (53, true));
    assert!(
        pass.found
            .edges
            .iter()
            .all(|e| matches!(e.status, Status::Confirmed { .. }))
    );
    // With fewer calls it is neither.
    let short = Pass::of_text(DEEP, 20);
    assert_eq!(
        short.status("S2 -up-> S3"),
        &Status::Unconfirmed { bound: 20 }
    );
    assert_eq!(
        short.status("S3 -down-> S2"),
        &Status::Unconfirmed { bound: 20 }
    );
    assert!(short.found.stopped.is_some());
}

/// Two phases, and a way back in the second one: what bounds the one counter depends on the other.
#[test]
fn a_deep_edge_behind_two_phases_is_confirmed() {
    let pass = Pass::of_text(
        "
enum Phase { Filling, Draining, Done }
class Tank {
  var a: int;
  var b: int;
  var phase: Phase;
  constructor() { a := 0; b := 0; phase := Phase.Filling; }
  action fill(k: int)
    requires phase == Phase.Filling && 0 <= k <= 1
  { a := a + k; if (a == 12) { phase := Phase.Draining; } }
  action drain()
    requires phase == Phase.Draining
  { b := b + 1; if (b == 11) { phase := Phase.Done; } }
  action undo()
    requires b > 0 && phase != Phase.Done
  { b := b - 1; }
  action finish()
    requires phase == Phase.Done
  { }
}",
        40,
    );
    let finish = pass
        .found
        .edges
        .iter()
        .find(|e| e.action == "finish")
        .expect("the edge");
    // The constructor, 12 times fill, 11 times drain, finish.
    assert_eq!(
        finish.status,
        Status::Confirmed {
            calls: 25,
            shortest: true
        }
    );
    assert!(
        pass.found
            .edges
            .iter()
            .all(|e| !matches!(e.status, Status::Unconfirmed { .. }))
    );
}

#[test]
fn boogie_does_the_bounded_part_too() {
    let loaded = class::load(&folder().join("test2.tq"));
    let encoding = class::encode(&loaded);
    let ours = second_pass(&loaded, &encoding, "builtin", 5);
    let theirs = second_pass(&loaded, &encoding, "boogie", 5);
    assert_eq!(ours.statuses(), theirs.statuses());
    assert!(
        theirs
            .found
            .edges
            .iter()
            .filter_map(|e| e.run.as_ref())
            .all(|r| r.replayed)
    );
}

/// The automaton as a program with a question after a run, and a question of a proof.
fn texts(file: &str) -> (String, String) {
    let loaded = class::load(&folder().join(file));
    let encoding = class::encode(&loaded);
    let pass = second_pass(&loaded, &encoding, "builtin", 1);
    let automaton = confirm::automaton_of(&encoding, &pass.epa).expect("an automaton");
    let all: BTreeSet<usize> = (0..automaton.edges.len()).collect();
    let runs = automaton.runs(3, &all, &all).expect("runs of three calls");
    let program = encoding.automaton(&automaton).expect("a program");
    let encoded = encoding.runs(&automaton, &runs).expect("a question");
    let step = Step::Call {
        source: None,
        action: 0,
        exit: Exit::Normal,
    };
    let invariants = &loaded.program.class(encoding.class()).invariants;
    let step = encoding
        .breaks(&step, invariants, invariants)
        .expect("a question");
    (program.with(&encoded.entry), program.with(&step))
}

#[test]
fn the_automaton_as_a_program() {
    let (text, _) = texts("test2.tq");
    let (_, automaton) = text
        .split_once("// ---- The automaton")
        .expect("the automaton");
    insta::assert_snapshot!(automaton);
}

#[test]
fn boogie_takes_the_automaton() {
    let files = [
        "test2.tq",
        "finite_stack.tq",
        "list_itr.tq",
        "generic_stack_set.tq",
        "loop3.tq",
    ];
    for file in files {
        let (runs, step) = texts(file);
        for text in [runs, step] {
            assert_eq!(boogie_objections(&text), None, "{file}:\n{text}");
        }
    }
}

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
