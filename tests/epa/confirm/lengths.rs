//! The lengths of the shortest runs, beside those of `fixtures/corral-2016/expected.txt`, which come from the reference.

use std::collections::{BTreeMap, BTreeSet};

use tranquera::epa::confirm::Status;

use super::pass::{folder, second_pass};
use crate::support::class;

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
