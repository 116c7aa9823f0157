//! `tranquera slice`

use crate::support::program::{failed, printed, stdout, tranquera, with_file};

const LOCKER: &str = "
exception Locked;

class Locker {
  var open: bool;
  var tries: nat;
  var longest: nat;

  constructor() { open := false; tries := 0; longest := 0; }

  procedure remember() { if (tries > longest) { longest := tries; } }

  action unlock(code: int) {
    tries := tries + 1;
    var i: int := 0;
    while (i < tries) { i := i + 1; }
    remember();
    if (code == 7) { open := true; tries := 0; }
  }

  action take() {
    if (!open) { throw Locked; }
  }

  action shut() requires open { open := false; }
}
";

#[test]
fn a_slice_says_what_was_dropped() {
    let (_folder, file) = with_file("locker.tq", LOCKER.replace("nat", "int"));
    let file = file.to_str().expect("UTF-8");
    insta::assert_snapshot!(printed(["slice", file]));
}

#[test]
fn a_slice_is_a_class_with_the_same_abstraction() {
    let (folder, file) = with_file("locker.tq", LOCKER);
    let file = file.to_str().expect("UTF-8");
    let [text, json] = ["slice.tq", "slice.json"].map(|name| folder.path().join(name));
    let [text, json] = [&text, &json].map(|path| path.to_str().expect("UTF-8"));
    assert_eq!(printed(["slice", file, "-o", text]), "");
    assert_eq!(printed(["slice", file, "--format", "json", "-o", json]), "");
    let whole = printed(["epa", file, "--format", "dot"]);
    assert_eq!(printed(["epa", text, "--format", "dot"]), whole);
    assert_eq!(printed(["epa", json, "--format", "dot"]), whole);
}

#[test]
fn a_slice_for_some_actions_has_no_others() {
    let (_folder, file) = with_file("locker.tq", LOCKER);
    let file = file.to_str().expect("UTF-8");
    let slice = printed(["slice", file, "--actions", "shut"]);
    assert!(slice.contains("action shut()"), "{slice}");
    assert!(
        !slice.contains("action take") && !slice.contains("action unlock"),
        "{slice}"
    );
    let wrong = failed(["slice", file, "--class", "Door"], 2);
    assert!(wrong.contains("there is no class `Door`"), "{wrong}");
}

#[test]
fn a_java_class_is_sliced_unless_all_of_it_is_asked_for() {
    let class = ["fixtures/java/classes", "--class", "Line"];
    let text = |command: &[&str], more: &[&str]| {
        let words = [command, &class, more].concat();
        stdout(&tranquera(words).assert().success())
    };
    let sliced = text(&["parse"], &[]);
    let whole = text(&["parse"], &["--whole"]);
    assert!(sliced.contains("// dropped"), "{sliced}");
    assert!(!whole.contains("// dropped"), "{whole}");
    assert!(
        whole.contains("reads := ") && !sliced.contains("reads := "),
        "{sliced}"
    );
    // What is left out changes nothing.
    let epa = |more| text(&["epa", "--format", "dot"], more);
    assert_eq!(epa(&[]), epa(&["--whole"]));
}
