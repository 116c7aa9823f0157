//! `tranquera fmt` on the command line.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use assert_cmd::Command;

use crate::support::program::{root, tranquera};

const ROUGH: &str = "class C{var x:int;// n\n\n\n  action a() requires x>0;{ x:=0; }}";
const FORMATTED: &str = "\
class C {
  var x: int; // n

  action a() requires x > 0 { x := 0; }
}
";
const BROKEN: &str = "class C { var x int; }";

fn fmt(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = tranquera(["fmt"]);
    command.current_dir(folder).args(arguments);
    command
}

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, text).expect("written");
    path
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("readable")
}

#[test]
fn files_and_folders_are_formatted_in_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let meant = ["a.tq", "b/b.tq", "b/c/d.tq"].map(|name| file(folder, name, ROUGH));
    let named = file(folder, "other/named.txt", ROUGH);
    let others = ["b/b.txt", "b/.hidden/e.tq", "b/.f.tq", "g/g.tq"];
    let others = others.map(|name| file(folder, name, ROUGH));
    // A link in a circle is not gone round.
    symlink(folder.join("b"), folder.join("b/c/circle")).expect("a link");
    fmt(folder, &["a.tq", "b", "other/named.txt"])
        .assert()
        .success()
        .stdout("")
        .stderr("");
    for path in meant.iter().chain([&named]) {
        assert_eq!(read(path), FORMATTED, "{}", path.display());
    }
    for path in &others {
        assert_eq!(read(path), ROUGH, "{}", path.display());
    }
}

#[test]
fn what_is_formatted_is_not_touched() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), "a.tq", FORMATTED);
    let before = path.metadata().expect("there");
    fmt(folder.path(), &["a.tq"]).assert().success();
    let after = path.metadata().expect("there");
    assert_eq!(
        (before.ino(), before.mtime_nsec()),
        (after.ino(), after.mtime_nsec())
    );
}

#[test]
fn permissions_and_links_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = file(folder.path(), "a.tq", ROUGH);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
    symlink("a.tq", folder.path().join("link.tq")).expect("a link");
    fmt(folder.path(), &["link.tq"]).assert().success();
    assert_eq!(read(&path), FORMATTED);
    assert_eq!(path.metadata().expect("there").mode() & 0o7777, 0o640);
    assert!(folder.path().join("link.tq").is_symlink());

    let read_only = file(folder.path(), "b.tq", ROUGH);
    fs::set_permissions(&read_only, fs::Permissions::from_mode(0o440)).expect("set");
    let failed = fmt(folder.path(), &["b.tq"]).assert().code(2);
    let said = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(
        said.contains("cannot write b.tq: it is read-only"),
        "{said}"
    );
    assert_eq!(read(&read_only), ROUGH);
    let left = fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 3, "no temporary file stays");
}

#[test]
fn check_lists_and_diff_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let paths = [("a.tq", FORMATTED), ("b.tq", ROUGH), ("c.tq", ROUGH)];
    let paths = paths.map(|(name, text)| file(folder, name, text));
    fmt(folder, &["--check", "a.tq"])
        .assert()
        .success()
        .stdout("");
    fmt(folder, &["--check", "."])
        .assert()
        .code(1)
        .stdout("./b.tq\n./c.tq\n")
        .stderr("failed: 2 files are not formatted\n");
    let diff = "\
--- b.tq
+++ b.tq (formatted)
@@ -1,4 +1,5 @@
-class C{var x:int;// n
-
+class C {
+  var x: int; // n
 
-  action a() requires x>0;{ x:=0; }}
\\ No newline at end of file
+  action a() requires x > 0 { x := 0; }
+}
";
    for arguments in [&["--diff", "b.tq"][..], &["--check", "--diff", "b.tq"]] {
        fmt(folder, arguments)
            .assert()
            .code(1)
            .stdout(diff)
            .stderr("failed: 1 file is not formatted\n");
    }
    let texts = paths.map(|path| read(&path));
    assert_eq!(texts, [FORMATTED, ROUGH, ROUGH], "nothing is written");
}

#[test]
fn standard_input_goes_to_standard_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let piped = |arguments: &[&str], text: &str| {
        let mut command = fmt(folder.path(), arguments);
        command.write_stdin(text).assert()
    };
    piped(&["-"], ROUGH).success().stdout(FORMATTED).stderr("");
    piped(&["-"], FORMATTED).success().stdout(FORMATTED);
    piped(&["-"], "").success().stdout("");
    piped(&["--check", "-"], ROUGH).code(1).stdout("<stdin>\n");
    piped(&["--check", "-"], FORMATTED).success().stdout("");
    let failed = piped(&["-"], BROKEN).code(2).stdout("");
    let said = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(said.contains("--> <stdin>:1:15"), "{said}");
    let failed = piped(&["-", "a.tq"], ROUGH).code(2).stdout("");
    let said = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(said.contains("`-` stands alone"), "{said}");
}

/// Each broken file is reported and left as it is; the others are formatted all the same.
#[test]
fn what_does_not_parse_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (a, b) = (file(folder, "a.tq", BROKEN), file(folder, "b.tq", ROUGH));
    let c = folder.join("c.tq");
    fs::write(&c, b"class C { \xff }").expect("written");
    let failed = fmt(folder, &["a.tq", "b.tq", "c.tq", "d.tq"])
        .assert()
        .code(2)
        .stdout("");
    let said = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    for expected in [
        "error: the type stands behind the name and a `:`\n --> a.tq:1:15",
        "error: the file is not valid UTF-8\n --> c.tq:1:11",
        "error: cannot read `d.tq`",
    ] {
        assert!(said.contains(expected), "{said}");
    }
    assert_eq!((read(&a).as_str(), read(&b).as_str()), (BROKEN, FORMATTED));
    assert_eq!(fs::read(&c).expect("readable"), b"class C { \xff }");
}

#[test]
fn lines_are_as_wide_as_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    fmt(folder.path(), &["--line-width", "30", "-"])
        .write_stdin(FORMATTED)
        .assert()
        .success()
        .stdout(
            "class C {\n  var x: int; // n\n\n  action a()\n    requires x > 0\n  { x := 0; }\n}\n",
        );
    fmt(folder.path(), &["--line-width", "3", "-"])
        .assert()
        .code(2);
    fmt(folder.path(), &[]).assert().code(2);
}

/// Clauses that are written into a formatted file leave it formatted; any other is left as its author wrote it.
#[test]
fn inferred_clauses_are_written_as_the_file_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let neat = read(&root().join("tests/classes/arrays.tq"));
    let neat = neat.split_once("//=").expect("a class").0;
    let untidy = neat.replace("var a: array<int>?;", "var a : array<int>?;");
    let written = |text: &str| {
        let path = file(folder.path(), "a.tq", text);
        Command::cargo_bin("tranquera")
            .expect("built")
            .current_dir(folder.path())
            .env("TRANQUERA_CACHE", "off")
            .args(["epa", "a.tq", "--infer-requires", "--write", "--quiet"])
            .assert()
            .success();
        read(&path)
    };
    let formatted = written(neat);
    assert!(formatted.contains("\n    requires n >= 0\n"), "{formatted}");
    fmt(folder.path(), &["--check", "a.tq"]).assert().success();
    let kept = written(&untidy);
    assert!(
        kept.contains("\n    requires n >= 0\n") && kept.contains("var a :"),
        "{kept}"
    );
}

#[test]
fn the_files_of_this_project_are_formatted() {
    fmt(root(), &["--check", "fixtures", "tests"])
        .assert()
        .success()
        .stdout("");
}
