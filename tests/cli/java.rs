//! `tranquera java`: the list of classes, and what is said of what is no class.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

use crate::support::epa::{list, states, text};
use crate::support::program::{root, stderr, stdout, tranquera, with_file};

/// The program where no JDK is found, so that the answer is the same everywhere.
fn java(arguments: &[&str]) -> Command {
    let mut command = tranquera(["java"]);
    command
        .env_remove("JAVA_HOME")
        .env("PATH", "/nonexistent")
        .args(arguments);
    command
}

fn classes() -> PathBuf {
    root().join("fixtures/java/classes")
}

fn fixture(class: &str) -> Vec<u8> {
    std::fs::read(classes().join(class)).expect("a class file")
}

/// An archive with these files, as they are.
fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write;
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for (path, content) in entries {
        let (mut entry, config) = archive.new_file(path).start().expect("an entry");
        let mut writer = config.wrap(Vec::new());
        writer.write_all(content).expect("room");
        let (_, descriptor) = writer.finish().expect("a checksum");
        entry.write_all(content).expect("room");
        entry.finish(descriptor).expect("an entry");
    }
    archive.finish().expect("an archive");
    bytes
}

/// What is complained of a path that cannot be taken, without the path.
fn refused(path: &Path) -> String {
    let path = path.to_str().expect("UTF-8");
    let run = java(&[path]).assert().code(2).stdout("");
    stderr(&run).replace(path, "PATH")
}

#[test]
fn a_folder_is_listed_class_by_class() {
    let run = java(&["fixtures/java/classes", "--list"])
        .assert()
        .success();
    insta::assert_snapshot!("java_list", stdout(&run));
    insta::assert_snapshot!("java_list_without_a_jdk", stderr(&run));
    let run = java(&["fixtures/java/classes", "--with-protocol"])
        .assert()
        .success();
    // By hand: three annotations, three interfaces, three enums and two exceptions are left out. Of the
    // helpers and their users only a hose, a pool, a depot, a row, and a spool with its nine parts refuse by themselves what
    // their callers call, and of the classes that use others of their class all three do; of one it is only written
    // down.
    let listed = stdout(&run);
    assert_eq!(listed.lines().count(), 35, "{listed}");
    assert!(
        listed.ends_with(
            "34 of 65 classes have a protocol; interfaces, enums and exceptions are not listed (11)\n"
        ),
        "{listed}"
    );
    let of = |package: &str| {
        let run = java(&["fixtures/java/classes", "--package", package]).assert();
        let listed = stdout(&run.success());
        (listed.lines().filter_map(|line| line.split_once(' ')))
            .map(|(class, _)| class.to_owned())
            .collect::<Vec<String>>()
    };
    let inside = of("protocols");
    let (last, classes) = inside.split_last().expect("a last line");
    assert_eq!(last, "8");
    assert_eq!(
        classes,
        [
            "Barrier",
            "Beacon",
            "Beacon$Keeper",
            "Funnel",
            "Gate",
            "Leaky",
            "Line",
            "Plain",
            "Session",
            "Tape",
            "Written"
        ]
        .map(|c| format!("protocols.{c}"))
    );
    assert_eq!(of("proto"), ["0"]);
}

#[test]
fn the_list_as_json_has_the_actions_that_refuse() {
    let path = "fixtures/java/classes/protocols/Gate.class";
    let run = java(&[path, "--format", "json"])
        .assert()
        .success()
        .stderr("");
    let list: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    assert_eq!(list["schema"], "tranquera/java/1");
    let classes = list["classes"].as_array().expect("classes");
    assert_eq!(classes.len(), 1, "only the one that was named");
    assert_eq!(classes[0]["class"], "protocols.Gate");
    assert_eq!(classes[0]["actions"], 5);
    // By hand, from the source: `lock` and `pass` begin with `ensureOpen`, and `open` asks `isOpen`.
    let guards: Vec<(&str, Vec<&str>)> = classes[0]["protocol"]
        .as_array()
        .expect("guards")
        .iter()
        .map(|guard| {
            let actions = guard["actions"].as_array().expect("actions").iter();
            let actions = actions.filter_map(Value::as_str).collect();
            (guard["exception"].as_str().expect("text"), actions)
        })
        .collect();
    let expected = [
        ("java.io.IOException", vec!["lock()", "pass()"]),
        ("java.lang.IllegalStateException", vec!["open()"]),
    ];
    assert_eq!(guards, expected);
}

#[test]
fn a_jar_says_what_in_it_is_not_looked_into() {
    let (gate, barrier) = (
        fixture("protocols/Gate.class"),
        fixture("protocols/Barrier.class"),
    );
    let jar = archive(&[
        ("protocols/Gate.class", &gate),
        ("protocols/Barrier.class", &barrier),
        ("META-INF/versions/21/protocols/Gate.class", &gate),
        ("BOOT-INF/lib/other.jar", b"PK"),
        ("protocols/Broken.class", b"\xca\xfe\xba\xbe\0\0\0\x3d"),
    ]);
    let (_folder, path) = with_file("some.jar", jar);
    let path = path.to_str().expect("UTF-8");
    let run = java(&[path]).assert().success();
    assert!(stdout(&run).ends_with("2 of 2 classes have a protocol\n"));
    insta::assert_snapshot!("java_jar", stderr(&run).replace(path, "some.jar"));
}

#[test]
fn what_is_no_place_of_classes_is_refused_with_its_reason() {
    let (_folder, nothing) = with_file("empty.jar", "");
    let (_folder, text) = with_file("some.jar", "no archive");
    let jar = archive(&[("protocols/Gate.class", &fixture("protocols/Gate.class"))]);
    let (_folder, truncated) = with_file("some.jar", &jar[..jar.len() / 2]);
    let (_folder, resources) = with_file("some.jar", archive(&[("lib/other.jar", b"PK")]));
    let class = fixture("protocols/Gate.class");
    let (_folder, short) = with_file("Gate.class", &class[..class.len() / 2]);
    let (_folder, source) = with_file("Gate.java", "class Gate { }");
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("nowhere", root().join("nowhere")),
        ("empty", nothing),
        ("text", text),
        ("truncated", truncated),
        ("resources", resources),
        ("short class", short),
        ("source without a compiler", source),
        ("folder", folder.path().to_path_buf()),
    ];
    let said = cases.map(|(name, path)| format!("{name}: {}", refused(&path)));
    insta::assert_snapshot!("java_refused", said.join("\n"));
}

#[test]
fn a_class_of_an_encrypted_jar_is_named() {
    let class = fixture("protocols/Gate.class");
    let mut jar = archive(&[("protocols/Gate.class", &class)]);
    // The flag in both headers, behind their signatures.
    for (signature, flags) in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)] {
        let at = jar.windows(4).position(|four| four == signature);
        jar[at.expect("a header") + flags] |= 1;
    }
    let (_folder, path) = with_file("some.jar", jar);
    let run = java(&[path.to_str().expect("UTF-8")]).assert().success();
    assert_eq!(stdout(&run), "0 of 0 classes have a protocol\n");
    assert!(
        stderr(&run).contains("protocols.Gate: it is encrypted"),
        "{}",
        stderr(&run)
    );
}

/// The EPA of a class.
fn epa_of(class: &[&str]) -> Value {
    let run = tranquera(["epa", "--format", "json"])
        .args(class)
        .assert()
        .success();
    serde_json::from_str(&stdout(&run)).expect("JSON")
}

/// The EPA of a class: states, and edges in order.
fn epa(class: &[&str]) -> (Vec<String>, Vec<String>) {
    let epa = epa_of(class);
    // Names of one word each: `write(byte[],int)`.
    let word = |name: &str| name.replace(' ', "");
    let states = states(&epa).map(|(id, enabled)| {
        let enabled: Vec<String> = enabled.into_iter().map(word).collect();
        format!("{id} {}", enabled.join(" "))
    });
    let edges = list(&epa, "transitions").map(|edge| {
        let doubt = match text(edge, "verdict") {
            "reached" => "",
            _ => " ?",
        };
        let thrown = edge["exception"].as_str();
        let thrown = thrown.map_or(String::new(), |e| format!(" ! {}", word(e)));
        let (source, target) = (text(edge, "source"), text(edge, "target"));
        format!(
            "{source} {}{thrown} {target}{doubt}",
            word(text(edge, "action"))
        )
    });
    let (states, mut edges): (Vec<String>, Vec<String>) = (states.collect(), edges.collect());
    edges.sort();
    (states, edges)
}

/// By hand: a line is idle, open or closed. `open` may fail because of the far end, and then it is closed.
#[test]
fn a_class_has_its_epa_and_is_printed_as_a_text_that_has_the_same() {
    let jar = "fixtures/java/classes";
    let (states, edges) = epa(&[jar, "--class", "Line"]);
    let expected = [
        "S1 open close reads",
        "S2 read close reads",
        "S3 close reads",
    ];
    assert_eq!(states, expected);
    let expected = [
        "S1 close S3",
        "S1 open ! IOException(othercode) S3",
        "S1 open S2",
        "S1 reads S1",
        "S2 close S3",
        "S2 read ! IOException(othercode) S2",
        "S2 read S2",
        "S2 reads S2",
        "S3 close S3",
        "S3 reads S3",
    ];
    assert_eq!(edges, expected);
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("line.tq");
    let out = text.to_str().expect("UTF-8");
    let mut parse = tranquera(["parse", jar, "--class", "Line", "--format", "tq", "-o", out]);
    parse.assert().success().stdout("").stderr("");
    assert_eq!(epa(&[out]), (states, edges));
}

/// The edges of an EPA that end normally.
fn normal(edges: Vec<String>) -> Vec<String> {
    let is_normal = |edge: &String| !edge.contains(" ! ");
    edges.into_iter().filter(is_normal).collect()
}

/// By hand. What a vessel refuses, its filler refuses; of `leak`, which is overridden in the package, nobody knows whether it
/// opens the vessel. A valve that is attached may have been shut before.
#[test]
fn a_class_refuses_what_its_helpers_refuse() {
    let jar = "fixtures/java/classes";
    let (states, edges) = epa(&[jar, "--class", "helpers.Filler"]);
    assert_eq!(states, ["S1 fill seal open leak", "S2 open leak"]);
    let expected = [
        "S1 fill S1",
        "S1 leak S1",
        "S1 leak S2",
        "S1 open S1",
        "S1 seal S2",
        "S2 leak S1",
        "S2 leak S2",
        "S2 open S1",
    ];
    assert_eq!(normal(edges), expected);
    let (states, edges) = epa(&[jar, "--class", "helpers.Hose"]);
    assert_eq!(states, ["S1 attach end", "S2 end", "S3 push end"]);
    let expected = [
        "S1 attach S2",
        "S1 attach S3",
        "S1 end S1",
        "S2 end S2",
        "S3 end S2",
        "S3 push S3",
    ];
    assert_eq!(normal(edges), expected);
}

/// By hand: `open` sets a bit and `close` takes it away, exactly; what `open` mixes into the other number is not known, and what it does
/// with it is uncertain.
#[test]
fn a_bit_of_a_number_is_known_and_what_is_mixed_is_not() {
    let (states, edges) = epa(&["fixtures/java/classes", "--class", "shapes.Flags"]);
    assert_eq!(
        states,
        ["S1 open even", "S2 close", "S3 close even", "S4 open"]
    );
    let expected = [
        "S1 even S1",
        "S1 open S2 ?",
        "S1 open S3 ?",
        "S2 close S4",
        "S3 close S1",
        "S3 even S3",
        "S4 open S2 ?",
        "S4 open S3 ?",
    ];
    assert_eq!(edges, expected);
}

/// By hand: a funnel holds 0, 1 to 7, or 8. It is never given more than there is room for, as long as `InputStream.read` does what
/// its documentation says and `Math.min` is what it is: else there were something to be mopped up.
#[test]
fn what_is_documented_of_the_results_of_other_code_is_believed() {
    let jar = "fixtures/java/classes";
    let (states, edges) = epa(&[jar, "--class", "Funnel"]);
    assert_eq!(states, ["S1 fill", "S2 empty", "S3 fill empty"]);
    let expected = [
        "S1 fill ! IOException(othercode) S1",
        "S1 fill S1",
        "S1 fill S2",
        "S1 fill S3",
        "S2 empty S1",
        "S3 empty S1",
        "S3 fill ! IOException(othercode) S3",
        "S3 fill S2",
        "S3 fill S3",
    ];
    assert_eq!(edges, expected);
    let run = tranquera(["parse", jar, "--class", "Funnel", "--format", "tq"]).assert();
    let text = stdout(&run.success());
    let believed = "within the bounds that its documentation gives, of: InputStream.read\n";
    assert!(text.contains(believed), "{text}");
}

/// What is shown is called as in Java; and that is how it can be named.
#[test]
fn methods_and_exceptions_are_called_as_in_java() {
    let class = ["fixtures/java/classes", "--class", "protocols.Tape"];
    let chosen = ["--actions", "read(byte[], int, int),close"];
    let (states, _) = epa(&[&class[..], &chosen].concat());
    assert_eq!(states, ["S1 read(byte[],int,int) close"]);
    let run = tranquera(["epa"]).args(class).assert().success();
    let shown = stdout(&run);
    for part in ["Tape(Reel)", "read(byte[], int, int)"] {
        assert!(shown.contains(part), "{shown}");
    }
    for part in ["with_", "read_bytes"] {
        assert!(!shown.contains(part), "{shown}");
    }
}

/// By hand: a tape that is closed cannot be read, but nothing of it can be, and it can be wound by nothing: `windAll(0)` ends
/// before the first of the loops that are in each other, whatever more rounds of them do.
#[test]
fn loops_in_loops_leave_open_only_what_is_behind_their_first_rounds() {
    let (states, edges) = epa(&["fixtures/java/classes", "--class", "protocols.Tape"]);
    let expected = [
        "S1 read() read(byte[],int,int) wind windAll close",
        "S2 read(byte[],int,int) wind windAll close",
    ];
    assert_eq!(states, expected);
    let expected = [
        "S1 close S2",
        "S1 read() S1",
        "S1 read(byte[],int,int) S1",
        "S1 wind S1",
        "S1 windAll S1",
        "S2 close S2",
        "S2 read(byte[],int,int) S2",
        "S2 wind S2",
        "S2 windAll S2",
    ];
    assert_eq!(normal(edges), expected);
}

/// By hand: an open depot takes what its shelf takes, which is one of a subclass: `Shelf` is abstract, and refuses everything.
#[test]
fn what_a_helper_does_that_is_of_another_package_is_not_known() {
    let (states, edges) = epa(&["fixtures/java/classes", "--class", "helpers.Depot"]);
    assert_eq!(states, ["S1 open", "S2 bring"]);
    assert_eq!(normal(edges), ["S1 open S2", "S2 bring S2"]);
}

/// By hand. What makes the parts of a spool is a method of the spool, which refuses places that it does not have: of the eight turns a
/// feeler begins at one, or behind the last; and it goes on from there, turn by turn.
#[test]
fn objects_of_a_hidden_class_begin_as_the_class_around_makes_them() {
    let jar = "fixtures/java/classes";
    let (states, edges) = epa(&[jar, "--class", "helpers.Spool$Feeler"]);
    assert_eq!(states, ["S1 next", "S2 back", "S3 next back"]);
    let expected = [
        "S1 next S3",
        "S2 back S3",
        "S3 back S1",
        "S3 back S3",
        "S3 next S2",
        "S3 next S3",
    ];
    assert_eq!(normal(edges), expected);
    let made = |class: &str| -> Vec<String> {
        let epa = epa_of(&[jar, "--class", class]);
        let made = list(&epa, "constructors").filter(|edge| !edge["target"].is_null());
        let made = made.map(|edge| format!("{} {}", text(edge, "name"), text(edge, "target")));
        made.collect()
    };
    let expected = [
        "Spool.feeler(int) S1",
        "Spool.feeler(int) S2",
        "Spool.feeler(int) S3",
        "Spool.feeler() S1",
    ];
    assert_eq!(made("helpers.Spool$Feeler"), expected);
    // It has no name, and something left at first.
    assert_eq!(made("helpers.Spool$1"), ["Spool.backwards(int) S1"]);
    // By a negative place, and for something else.
    let expected = [
        "Spool.cut(int) S1",
        "Spool.cut(int) S2",
        "Spool.cut(Object) S1",
    ];
    assert_eq!(made("helpers.Spool$Cut"), expected);
    // Whoever waits before it is made, waits for another object.
    assert_eq!(made("helpers.Spool$Bead"), ["Spool.bead() S1"]);
}

/// By hand. Bytes for an archive may fail to be written when its entry is open already; and a funnel can be filled on and on, and
/// emptied or not.
#[test]
fn findings_speak_of_what_is_left_open_and_of_what_is_forgotten() {
    let findings = |jar: &str, class: &str| -> Vec<String> {
        let epa = epa_of(&[jar, "--class", class]);
        let findings = list(&epa, "findings");
        let told = findings.map(|f| format!("{} {}", text(f, "kind"), text(f, "action")));
        told.collect()
    };
    let archive = findings("fixtures/java/goldens/classes", "goldens.ZipOutputStream");
    assert!(
        archive.contains(&"left-open putNextEntry".to_owned()),
        "{archive:?}"
    );
    let funnel = findings("fixtures/java/classes", "protocols.Funnel");
    assert!(
        funnel.contains(&"forgotten-call empty".to_owned()),
        "{funnel:?}"
    );
}

/// By hand: what is put somewhere else before it is given back, or made in a loop, what may be given back in the place of another
/// object, and what is not the last that is done, may be made otherwise: so the constructor is all that is known.
#[test]
fn a_method_that_does_more_than_to_make_an_object_is_not_taken_for_its_constructor() {
    for part in ["Knot", "Drop", "Ply", "Lap", "Burr"] {
        let (class, made) = (format!("helpers.Spool${part}"), format!("{part}(boolean)"));
        let arguments = ["--class", &class, "--format", "tq"];
        let mut run = tranquera(["parse", "fixtures/java/classes"]);
        let text = stdout(&run.args(arguments).assert().success());
        assert!(text.contains(&format!("shown as \"{made}\"")), "{text}");
    }
}

/// By hand: nobody may swim in a pool whose lane is closed, or that is drained; static methods do both, which find the object
/// by themselves. Which one they find is not known, nor what else they do to it.
#[test]
fn static_methods_change_what_their_class_sees() {
    let (states, edges) = epa(&["fixtures/java/classes", "--class", "helpers.Pool"]);
    assert_eq!(states, ["S1 swim close alarm", "S2 close alarm"]);
    let expected = [
        "S1 alarm S1",
        "S1 alarm S2",
        "S1 close S1",
        "S1 close S2",
        "S1 swim S1",
        "S2 alarm S1",
        "S2 alarm S2",
        "S2 close S1",
        "S2 close S2",
    ];
    assert_eq!(normal(edges), expected);
}

/// By hand. Subclasses may have any `unlock`, which may call this one, and any `label`; of `size`, which is final, and `bolt`,
/// which only this package could override, there is no other.
#[test]
fn an_object_of_an_abstract_class_has_the_methods_of_some_subclass() {
    let (states, edges) = epa(&["fixtures/java/classes", "--class", "shapes.Vault"]);
    assert_eq!(states, ["S1 open name", "S2 read name"]);
    let expected = [
        "S1 name S1",
        "S1 open S1",
        "S1 open S2",
        "S2 name S2",
        "S2 read S2",
    ];
    assert_eq!(normal(edges), expected);
}

/// By hand: what a superclass's constructor is given by a condition is kept, so it can be used; and what a method without
/// code assigns may be anything.
#[test]
fn what_is_done_to_the_object_under_another_name_or_unseen_is_not_lost() {
    let jar = "fixtures/java/classes";
    let (states, edges) = epa(&[jar, "--class", "shapes.Chosen$Picked"]);
    assert_eq!(
        (states, normal(edges)),
        (vec!["S1 use".into()], vec!["S1 use S1".into()])
    );
    let (states, edges) = epa(&[jar, "--class", "shapes.Distant"]);
    assert_eq!(states, ["S1 begin", "S2 begin use"]);
    let expected = [
        "S1 begin S1",
        "S1 begin S2",
        "S2 begin S1",
        "S2 begin S2",
        "S2 use S2",
    ];
    assert_eq!(normal(edges), expected);
}

/// By hand: whoever tends a boiler may do to its lane what its package may, and raises what is declared, after it or not.
#[test]
fn an_action_without_a_body_may_change_helpers_and_raise_what_it_declares() {
    let (states, edges) = epa(&["fixtures/java/classes", "--class", "helpers.Boiler"]);
    assert_eq!(states, ["S1 heat tend", "S2 tend"]);
    let expected = [
        "S1 heat S1",
        "S1 tend ! IOException(othercode) S1",
        "S1 tend ! IOException(othercode) S2",
        "S1 tend S1",
        "S1 tend S2",
        "S2 tend ! IOException(othercode) S1",
        "S2 tend ! IOException(othercode) S2",
        "S2 tend S1",
        "S2 tend S2",
    ];
    assert_eq!(edges, expected);
}

/// By hand: only the desk, which is another class of the package, makes a book somebody's; who is handed one may be handed one that
/// is his. Nothing that its readers call changes whose it is.
#[test]
fn an_object_may_begin_as_others_have_made_it() {
    let jar = "fixtures/java/classes";
    let (mut states, edges) = epa(&[jar, "--class", "shapes.Lent"]);
    let name = |enabled: &str| {
        let state = states.iter().find(|state| state.ends_with(enabled));
        let state = state.expect("it");
        state.split(' ').next().expect("a name").to_owned()
    };
    let (lent, back) = (name(" read giveBack"), name(" giveBack"));
    let back = match back == lent {
        true => name("S3 giveBack"),
        false => back,
    };
    let expected = [
        format!("{back} giveBack {back}"),
        format!("{lent} giveBack {back}"),
        format!("{lent} read {lent}"),
    ];
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(edges, expected);
    states.iter_mut().for_each(|state| drop(state.drain(..2)));
    states.sort();
    assert_eq!(states, [" ", " giveBack", " read giveBack"]);
    let run = tranquera(["parse", jar, "--class", "shapes.Lent", "--format", "tq"]).assert();
    let text = stdout(&run.success());
    assert!(
        text.contains("    // Set by others.\n    havoc reader;"),
        "{text}"
    );
}

/// By hand: nobody but the constructor sets the reader, whoever calls back, and an array that a class makes for a constant is as long
/// as it was made. So nothing decides but whether the table is open; and nobody is greeted, as the constant is null for ever.
#[test]
fn what_only_constructors_set_stays_and_arrays_keep_their_length() {
    let (mut states, edges) = epa(&["fixtures/java/classes", "--class", "shapes.Table"]);
    assert_eq!(states.len(), 2, "{states:?}");
    let name = |enabled: &str| {
        let state = states.iter().find(|state| state.contains(enabled));
        let state = state.expect("it");
        state.split(' ').next().expect("a name").to_owned()
    };
    let (closed, open) = (name(" open"), name(" last"));
    for edge in [
        format!("{closed} open {open}"),
        format!("{closed} close {closed}"),
        format!("{open} last {closed}"),
        format!("{open} close {closed}"),
    ] {
        assert!(edges.contains(&edge), "{edge}: {edges:?}");
    }
    states.iter_mut().for_each(|state| drop(state.drain(..2)));
    states.sort();
    assert_eq!(states, [" last close", " open close"]);
}

/// Going through the bodies of `Tape` takes seconds. With no time for it each call may be refused in some state, and no edge is certain.
#[test]
fn what_bodies_refuse_is_not_looked_for_when_time_is_over() {
    let class = ["--class", "protocols.Tape", "--format", "json"];
    let mut command = tranquera(["epa", "fixtures/java/classes", "--epa-time", "0.001"]);
    let run = command.args(class).assert().success();
    let epa: serde_json::Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    let said = epa["notes"].to_string();
    for part in [
        "`read()` may be called in fewer states than it is drawn in",
        "(no time was left to look at it)",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let edges = epa["transitions"].as_array().expect("edges");
    assert!(!edges.is_empty());
    let is_certain = |edge: &serde_json::Value| edge["verdict"] == "reached";
    assert!(!edges.iter().any(is_certain), "{epa}");
}

/// By hand: each of the objects that are used may be the object itself, but for the copy, and for what the constructor was
/// given. What is run by others is run, or not.
#[test]
fn another_object_of_the_class_may_be_the_object_itself() {
    let jar = "fixtures/java/classes";
    let (states, edges) = epa(&[jar, "--class", "shapes.Other$Tank"]);
    assert_eq!(states, ["S1 drain pump copy", "S2 drain copy"]);
    let expected = [
        "S1 copy S1",
        "S1 drain S1",
        "S1 drain S2",
        "S1 pump S1",
        "S2 copy S2",
        "S2 drain S2",
    ];
    assert_eq!(normal(edges), expected);
    let (states, edges) = epa(&[jar, "--class", "shapes.Other$Link"]);
    let expected = [
        "S1 join closeNext closeBefore send",
        "S2 join closeNext closeBefore",
    ];
    assert_eq!(states, expected);
    let expected = [
        "S1 closeBefore S1",
        "S1 closeNext S1",
        "S1 closeNext S2",
        "S1 join S1",
        "S1 send S1",
        "S2 closeBefore S2",
        "S2 closeNext S2",
        "S2 join S2",
    ];
    assert_eq!(normal(edges), expected);
    let (states, edges) = epa(&[jar, "--class", "shapes.Other$Later"]);
    assert_eq!(states, ["S1 begin end", "S2 begin end use"]);
    let expected = [
        "S1 begin S1",
        "S1 begin S2",
        "S1 end S1",
        "S2 begin S2",
        "S2 end S1",
        "S2 end S2",
        "S2 use S2",
    ];
    assert_eq!(normal(edges), expected);
}

/// By hand. The package calls `cut`, which is no action, and it keeps what the actions rely on. `clear` ends for rows of any length.
#[test]
fn what_a_class_keeps_whatever_is_called_of_it_is_known() {
    let row = ["fixtures/java/classes", "--class", "helpers.Row"];
    let (states, edges) = epa(&row);
    assert_eq!(states, ["S1 add clear check", "S2 add last clear check"]);
    let expected = [
        "S1 add S2",
        "S1 check S1",
        "S1 clear S1",
        "S2 add S2",
        "S2 check S2",
        "S2 clear S1",
        "S2 last S2",
    ];
    assert_eq!(edges, expected);
    let epa = epa_of(&row);
    for nothing in ["notes", "findings"] {
        let said = epa[nothing].as_array();
        assert!(said.is_none_or(Vec::is_empty), "{epa}");
    }
    let mut command = tranquera(["parse", "--format", "tq"]);
    let text = stdout(&command.args(row).assert().success());
    for clause in ["cells != null", "used >= 0", "used <= cells.length"] {
        assert!(text.contains(&format!("invariant {clause};")), "{text}");
    }
    // `off | len | …` is negative where one of them is.
    for clause in ["off >= 0", "len >= 0", "into != null"] {
        assert!(text.contains(&format!("requires {clause}")), "{text}");
    }
}

/// By hand. What decides is in objects of `java.util.concurrent.atomic`, which nobody else has.
#[test]
fn what_decides_may_be_in_objects_that_only_the_class_has() {
    let session = ["fixtures/java/classes", "--class", "protocols.Session"];
    let (states, edges) = epa(&session);
    assert_eq!(states, ["S1 open", "S2 use close", "S3 close", "S4 "]);
    let expected = [
        "S1 open S2",
        "S2 close S4",
        "S2 use S2",
        "S2 use S3",
        "S3 close S4",
    ];
    assert_eq!(edges, expected);
    let beacon = ["fixtures/java/classes", "--class", "protocols.Beacon"];
    let (states, edges) = epa(&beacon);
    assert_eq!(states, ["S1 light", "S2 raise quench", "S3 quench"]);
    let expected = ["S1 light S2", "S2 quench S1", "S2 raise S3", "S3 quench S1"];
    assert_eq!(edges, expected);
}

/// The reference of this project (java.md, §7) has 3 states and 11 edges by hand, without `write(byte[])`, and without other
/// threads: while a full pipe waits, another one may close it, so `write` also ends where it is closed.
#[test]
#[ignore = "needs a JDK 17"]
fn a_piped_stream_of_the_jdk_has_the_protocol_of_its_other_end() {
    let jdk = tranquera::front::java::classpath::find_jdk().expect("a JDK");
    let home = jdk.home().to_str().expect("UTF-8");
    let (states, edges) = epa(&[home, "--class", "java.io.PipedOutputStream"]);
    let expected = [
        "S1 write(byte[],int,int) flush close write(byte[])",
        "S2 write(int) write(byte[],int,int) flush close write(byte[])",
        "S3 connect flush close",
    ];
    assert_eq!(states, expected);
    let by_hand = [
        "S1 close S1",
        "S1 flush S1",
        "S1 write(byte[],int,int) S1",
        "S2 close S1",
        "S2 flush S2",
        "S2 write(byte[],int,int) S2",
        "S2 write(int) S2",
        "S3 close S3",
        "S3 connect S1",
        "S3 connect S2",
        "S3 flush S3",
    ];
    let while_waiting = [
        "S2 write(byte[]) S1",
        "S2 write(byte[],int,int) S1",
        "S2 write(int) S1",
    ];
    let inherited = ["S1 write(byte[]) S1", "S2 write(byte[]) S2"];
    let mut expected = [by_hand.as_slice(), &while_waiting, &inherited].concat();
    expected.sort_unstable();
    assert_eq!(normal(edges), expected);
}

/// What the sources of OpenJDK 17 say: an optional value is there or not, a reader is open or closed, a password is
/// destroyed or not.
#[test]
#[ignore = "needs a JDK 17"]
fn classes_of_the_jdk_have_the_states_that_their_sources_say() {
    let jdk = tranquera::front::java::classpath::find_jdk().expect("a JDK");
    let home = jdk.home().to_str().expect("UTF-8");
    let cases: [(&str, &[&[&str]]); 3] = [
        (
            "java.util.OptionalInt",
            &[&["getAsInt", "orElseThrow()", "orElseThrow(Supplier)"], &[]],
        ),
        (
            "java.security.KeyStore$PasswordProtection",
            &[&[], &["getPassword"]],
        ),
        (
            "java.io.StringReader",
            &[
                &[],
                &[
                    "read()",
                    "read(char[],int,int)",
                    "skip",
                    "ready",
                    "mark",
                    "reset",
                    "read(CharBuffer)",
                    "read(char[])",
                    "transferTo",
                ],
            ],
        ),
    ];
    for (class, expected) in cases {
        let (states, _) = epa(&[home, "--class", class]);
        let actions = |state: &String| -> Vec<String> {
            state.split(' ').skip(1).map(str::to_owned).collect()
        };
        let all: std::collections::BTreeSet<String> = states.iter().flat_map(actions).collect();
        let missing = |state: &String| -> Vec<String> {
            let here = actions(state);
            all.iter()
                .filter(|action| !here.contains(action))
                .cloned()
                .collect()
        };
        let found: Vec<Vec<String>> = states.iter().map(missing).collect();
        let sorted = |names: &[&str]| {
            let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            names.sort();
            names
        };
        let expected: Vec<Vec<String>> = expected.iter().map(|names| sorted(names)).collect();
        assert_eq!(found, expected, "{class}");
    }
}

#[test]
fn a_class_that_is_not_there_is_answered_with_the_nearest_one() {
    let said = |arguments: &[&str]| {
        let mut command = tranquera(["parse", "fixtures/java/classes"]);
        command.env_remove("JAVA_HOME").env("PATH", "/nonexistent");
        stderr(&command.args(arguments).assert().code(2).stdout(""))
    };
    let cases = [
        said(&[]),
        said(&["--class", "protocols.Gaet"]),
        said(&["--class", "org.example.Nowhere"]),
        said(&["--class", "shapes.Modern$Shape"]),
    ];
    insta::assert_snapshot!("java_class", cases.join("\n"));
    let file = "fixtures/corral-2016/linear.tq";
    let run = tranquera(["parse", file, "--class", "Linear"])
        .assert()
        .code(2);
    assert!(
        stderr(&run).contains("are for Solidity and Java"),
        "{}",
        stderr(&run)
    );
}

#[test]
#[ignore = "needs a JDK; the figures are in docs/java.md"]
fn the_classes_of_a_jdk_are_listed() {
    let jdk = tranquera::front::java::classpath::find_jdk().expect("a JDK");
    let home = jdk.home().to_str().expect("UTF-8");
    let run = tranquera(["java", home, "--with-protocol"])
        .assert()
        .success()
        .stderr("");
    let list = stdout(&run);
    for class in [
        "java.io.PipedOutputStream",
        "java.util.zip.ZipOutputStream",
        "java.net.Socket",
    ] {
        assert!(
            list.lines()
                .any(|line| line.starts_with(&format!("{class} "))),
            "{class}"
        );
    }
}

/// Behind `KnownOIDs.ordinal()` was a condition within a condition for each of hundreds of constants, which was no class of the language.
#[test]
#[ignore = "needs a JDK"]
fn an_enum_may_have_hundreds_of_constants() {
    let jdk = tranquera::front::java::classpath::find_jdk().expect("a JDK");
    let home = jdk.home().to_str().expect("UTF-8");
    let class = ["--class", "java.security.cert.X509CertSelector"];
    let mut command = tranquera(["parse", home]);
    let run = command.args(class).args(["--format", "tq"]).assert();
    assert!(stdout(&run.success()).contains("class X509CertSelector {"));
}

/// `System.out` is final, and null in its own code: the machine sets it. So `list()`, which hands it on, was never enabled.
#[test]
#[ignore = "needs a JDK"]
fn what_the_machine_prints_to_is_not_null() {
    let jdk = tranquera::front::java::classpath::find_jdk().expect("a JDK");
    let home = jdk.home().to_str().expect("UTF-8");
    let class = ["--class", "java.lang.ThreadGroup"];
    let mut command = tranquera(["parse", home]);
    let run = command.args(class).args(["--format", "tq"]).assert();
    let text = stdout(&run.success());
    let (_, list) = text.split_once("action list()").expect("an action");
    let (list, _) = list.split_once("\n  }\n").expect("a body");
    // What it requires of its own fields, which may be null, is another matter.
    let (required, body) = list.split_once("\n  {\n").expect("a body");
    assert!(
        !required.contains("requires false") && !body.contains("null"),
        "{list}"
    );
}

#[test]
#[ignore = "needs a JDK"]
fn a_source_is_compiled_and_listed() {
    let source = "fixtures/java/protocols/Gate.java";
    let run = tranquera(["java", source]).assert().success().stderr("");
    assert!(stdout(&run).contains("protocols.Gate "), "{}", stdout(&run));
}

/// What `Gate` always keeps, by its source: it counts from 0 up to its limit, and its fields are private. So do some of its actions; but
/// of what these alone do not break nothing is said.
#[test]
fn what_a_class_always_keeps_is_an_invariant() {
    let printed = |command: &str, more: &[&str]| {
        let mut command = tranquera([command, "fixtures/java/classes", "--class", "Gate"]);
        stdout(&command.args(more).assert().success())
    };
    let all = printed("parse", &["--format", "tq"]);
    for clause in ["invariant passed >= 0;", "invariant passed <= limit;"] {
        assert!(all.contains(clause), "{all}");
    }
    let some = printed("slice", &["--actions", "pass"]);
    for clause in ["fact passed >= 0;", "fact passed <= limit;"] {
        assert!(some.contains(clause), "{some}");
    }
    let closing = printed("slice", &["--actions", "close"]);
    assert!(!closing.contains("!open;"), "{closing}");
}
