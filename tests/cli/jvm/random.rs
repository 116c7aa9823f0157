//! Random classes that are small enough for the machine to run all there is of them (`Explorer.java`): the second pass confirms
//! exactly the edges that are found so, and leaves none open. Where a loop goes on for longer than is followed, some may be.
//!
//! `TRANQUERA_JAVA_RANDOM=FIRST..END` asks for others. A class on which the two disagree is printed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::grammar;
use crate::support::epa::{list, states, text};
use crate::support::program::{root, stdout, tranquera};
use crate::support::tape::Tape;

/// A class is made of so many decisions; the other ones are the simplest.
const DECISIONS: usize = 400;

/// `call {close,read} read normally {close}`, or `new (int) {close}`.
type Edge = String;

fn asked() -> Range<u64> {
    let Ok(range) = std::env::var("TRANQUERA_JAVA_RANDOM") else {
        return 0..60;
    };
    let (first, end) = range.split_once("..").expect("FIRST..END");
    first.parse().expect("a number")..end.parse().expect("a number")
}

/// The decisions that make up the class of a number (SplitMix64).
fn tape(number: u64) -> Tape {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as u16
    };
    Tape::new(std::iter::repeat_with(next).take(DECISIONS).collect())
}

/// Classes, compiled, and the program that explores them.
struct Compiled {
    folder: tempfile::TempDir,
}

impl Compiled {
    fn new(texts: &BTreeMap<String, String>) -> Compiled {
        let folder = tempfile::tempdir().expect("a folder");
        let sources = tempfile::tempdir().expect("a folder");
        let mut compiler = Command::new("javac");
        compiler.args(["-g", "-nowarn", "-d"]).arg(folder.path());
        compiler.arg(root().join("tests/cli/jvm/Explorer.java"));
        for (name, text) in texts {
            let file = sources.path().join(format!("{name}.java"));
            std::fs::write(&file, text).expect("written");
            compiler.arg(file);
        }
        let done = compiler.output().expect("a JDK");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said}");
        Compiled { folder }
    }

    /// All edges of these classes, by exploring them.
    fn explored(&self, texts: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<Edge>> {
        let mut machine = Command::new("java");
        machine.arg("-cp").arg(self.folder.path()).arg("Explorer");
        let done = machine.args(texts.keys()).output().expect("a JDK");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said}");
        let mut found = BTreeMap::new();
        let mut edges = &mut BTreeSet::new();
        for line in String::from_utf8(done.stdout).expect("UTF-8").lines() {
            if line.contains(' ') {
                edges.insert(line.to_owned());
            } else {
                edges = found.entry(line.to_owned()).or_default();
            }
        }
        found
    }
}

/// What the second pass leaves of an EPA.
#[derive(Default)]
struct Judged {
    confirmed: BTreeSet<Edge>,
    open: BTreeSet<Edge>,
}

impl Judged {
    fn of(classes: &Path, class: &str) -> Judged {
        let mut command = tranquera(["epa", "--class", class, "--confirm", "--format", "json"]);
        let run = command.arg(classes).assert().success();
        let epa: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
        let place = |mut enabled: Vec<&str>| {
            enabled.sort_unstable();
            format!("{{{}}}", enabled.join(","))
        };
        let places = states(&epa).map(|(id, enabled)| (id, place(enabled)));
        let places: BTreeMap<&str, String> = places.collect();
        let mut judged = Judged::default();
        for edge in list(&epa, "constructors") {
            // An object that was not made is nowhere.
            if edge["exception"].is_null() {
                let types = types(class, text(edge, "name"));
                let line = format!("new {types} {}", places[text(edge, "target")]);
                judged.put(edge, line);
            }
        }
        for edge in list(&epa, "transitions") {
            let end = edge["exception"].as_str().unwrap_or("normally");
            let [source, target] = ["source", "target"].map(|key| &places[text(edge, key)]);
            let action = text(edge, "action");
            judged.put(edge, format!("call {source} {action} {end} {target}"));
        }
        judged
    }

    fn put(&mut self, edge: &Value, line: Edge) {
        match text(&edge["confirmation"], "status") {
            "confirmed" => self.confirmed.insert(line),
            _ => self.open.insert(line),
        };
    }

    /// What is wrong, if this is all there is; whether or not it is all to be decided.
    fn differences(&self, explored: &BTreeSet<Edge>, decided: bool) -> Vec<String> {
        let drawn = || self.confirmed.iter().chain(&self.open);
        let is_there =
            |edge: &str| drawn().any(|other| other == edge || !decided && covers(other, edge));
        let lost = explored.iter().filter(|edge| !is_there(edge));
        let lost = lost.map(|edge| format!("lost:  {edge}"));
        let wrong = self.confirmed.difference(explored);
        let wrong = wrong.map(|edge| format!("wrong: {edge}"));
        let open = self.open.iter().filter(|_| decided);
        let open = open.map(|edge| format!("open:  {edge}"));
        lost.chain(wrong).chain(open).collect()
    }
}

/// Whether an edge is drawn so, where more is taken to be enabled than is: what cannot be decided is.
fn covers(drawn: &str, edge: &str) -> bool {
    let names = |place: &str| -> BTreeSet<String> {
        let names = place.trim_matches(['{', '}']).split(',');
        names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let mut words = drawn.split(' ').zip(edge.split(' '));
    words.all(|(drawn, word)| {
        drawn == word || word.starts_with('{') && names(drawn).is_superset(&names(word))
    })
}

/// Of `Name(int, Object)`, the types.
fn types(class: &str, constructor: &str) -> String {
    let types = constructor.strip_prefix(class).expect("the class");
    types.replace(' ', "")
}

/// Each of these classes does what its EPA says, and nothing else.
fn compare(texts: &BTreeMap<String, String>) {
    let compiled = Compiled::new(texts);
    let explored = compiled.explored(texts);
    let (mut edges, mut open, mut wrong) = (0, 0, Vec::new());
    for (name, text) in texts {
        let explored = &explored[name];
        let judged = Judged::of(compiled.folder.path(), name);
        let differences = judged.differences(explored, !grammar::has_long_loop(text));
        if !differences.is_empty() {
            // At once: the others take minutes.
            println!("{}\n{text}", differences.join("\n"));
            wrong.push(name);
        }
        edges += explored.len();
        open += judged.open.len();
    }
    println!("{} classes, {edges} edges; {open} are open", texts.len());
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
#[ignore = "needs a JDK; takes minutes"]
fn random_classes_do_what_running_everything_finds() {
    let texts = asked().map(|number| {
        let name = format!("Random{number}");
        let text = grammar::class(&name, &mut tape(number));
        (name, text)
    });
    compare(&texts.collect());
}

/// What random classes have shown, made small.
#[test]
#[ignore = "needs a JDK; takes minutes"]
fn classes_that_were_wrong_once_do_what_running_everything_finds() {
    let files = std::fs::read_dir(root().join("tests/cli/jvm/once")).expect("a folder");
    let texts = files.map(|file| {
        let path = file.expect("a file").path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        (name.into_owned(), text)
    });
    compare(&texts.collect());
}
