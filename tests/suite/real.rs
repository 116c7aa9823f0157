//! Tests in Java of classes that were read from class files.

use std::path::Path;
use std::process::Command;

use crate::support::program::root;
use crate::{json, run, tests};

const CLASSES: &str = "fixtures/java/classes";

/// What a suite for a class says, and how many of its tests there are.
fn suite(path: &str, class: &str) -> String {
    tests(&[path, "--class", class, "--format", "junit"])
}

#[test]
fn the_tests_of_a_class_of_java_call_the_class_itself() {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("java.gate.junit", suite(CLASSES, "protocols.Gate"));
        insta::assert_snapshot!("java.line.junit", suite(CLASSES, "protocols.Line"));
    });
}

/// By hand: `Line` is made without arguments and has no other code, so all of its edges are tested, as those of the text are.
#[test]
fn what_is_tested_of_a_class_of_java_is_what_is_tested_of_its_text() {
    let class = &[CLASSES, "--class", "protocols.Gate"];
    let covered = json(class)["covered"].as_array().expect("a list").len();
    let written = suite(CLASSES, "protocols.Gate");
    assert!(
        written.contains(&format!("// covered: {covered} edges")),
        "{written}"
    );
    assert!(written.contains("// not covered: "), "{written}");
}

/// A test names what another class is called that has the same members.
#[test]
fn another_class_can_be_tested_in_its_place() {
    let other = ["--subject", "org.example.Barrier"];
    let class = [CLASSES, "--class", "protocols.Gate", "--format", "junit"];
    let written = tests(&[&class[..], &other].concat());
    for line in [
        "package org.example;",
        "class BarrierTest {",
        "Barrier it = new Barrier(1);",
    ] {
        assert!(written.contains(line), "{line}: {written}");
    }
    let output = run(&[&class[..], &["--subject", "a b"]].concat());
    assert_eq!(output.status.code(), Some(2));
}

/// A folder with the tests of classes, compiled; and how they go.
struct Compiled {
    folder: tempfile::TempDir,
    class_path: String,
}

impl Compiled {
    /// The tests of these classes, which are in a folder or a JDK.
    fn of(path: &str, classes: &[&str]) -> Compiled {
        let folder = tempfile::tempdir().expect("a folder");
        let mut files = Vec::new();
        for class in classes {
            let name = class.rsplit(['.', '$']).next().unwrap_or(class);
            let file = folder.path().join(format!("{name}Test.java"));
            std::fs::write(&file, suite(path, class)).expect("written");
            files.push(file.display().to_string());
        }
        let classes = root().join(CLASSES).display().to_string();
        let here = folder.path().display().to_string();
        let compiled = Compiled {
            class_path: format!("{here}:{classes}:/usr/share/java/*"),
            folder,
        };
        let (done, said) = compiled.run("javac", &[&["-d".to_owned(), here][..], &files].concat());
        assert!(done, "{said}");
        compiled
    }

    fn run(&self, program: &str, arguments: &[String]) -> (bool, String) {
        let output = Command::new(program)
            .current_dir(self.folder.path())
            .args(["-cp", &self.class_path])
            .args(arguments)
            .output()
            .expect("a JDK");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        (output.status.success(), said)
    }

    fn junit(&self) -> (bool, String) {
        let launcher = "org.junit.platform.console.ConsoleLauncher";
        let scan = format!("--scan-classpath={}", self.folder.path().display());
        let arguments = [launcher, "--disable-banner", &scan, "--fail-if-no-tests"];
        self.run("java", &arguments.map(str::to_owned))
    }
}

/// The class files of the fixtures with one of their sources changed, in front of the others.
fn changed(tests: &Compiled, source: &str, (from, to): (&str, &str)) {
    let path = root().join("fixtures/java").join(source);
    let text = std::fs::read_to_string(&path).expect("a source");
    assert!(text.contains(from), "{text}");
    let name = Path::new(source).file_name().expect("a name");
    let file = tests.folder.path().join(name);
    std::fs::write(&file, text.replace(from, to)).expect("written");
    let here = tests.folder.path().display().to_string();
    let arguments = ["-d".to_owned(), here, file.display().to_string()];
    let (done, said) = tests.run("javac", &arguments);
    assert!(done, "{said}");
}

#[test]
#[ignore = "needs a JDK and JUnit 5: apt-get install default-jdk-headless junit5"]
fn junit_tests_pass_on_the_classes_that_they_are_made_from() {
    let classes = [
        "protocols.Gate",
        "protocols.Line",
        "protocols.Funnel",
        "protocols.Tape",
    ];
    let (passed, said) = Compiled::of(CLASSES, &classes).junit();
    println!("{said}");
    assert!(passed, "{said}");
}

#[test]
#[ignore = "needs a JDK and JUnit 5: apt-get install default-jdk-headless junit5"]
fn junit_tests_fail_on_a_class_with_a_mistake() {
    let tests = Compiled::of(CLASSES, &["protocols.Gate"]);
    changed(
        &tests,
        "protocols/Gate.java",
        ("if (isOpen())", "if (false)"),
    );
    let (passed, said) = tests.junit();
    assert!(!passed, "{said}");
    assert!(said.contains("refusedIn"), "{said}");
}

#[test]
#[ignore = "needs a JDK 17 and JUnit 5: apt-get install default-jdk-headless junit5"]
fn junit_tests_of_classes_of_the_jdk_pass() {
    let jdk = tranquera::front::java::classpath::find_jdk().expect("a JDK");
    let home = jdk.home().to_str().expect("UTF-8");
    let classes = [
        "java.io.StringReader",
        "java.io.CharArrayReader",
        "java.security.KeyStore$PasswordProtection",
        "java.util.Formatter",
        "java.util.StringTokenizer",
    ];
    let (passed, said) = Compiled::of(home, &classes).junit();
    println!("{said}");
    assert!(passed, "{said}");
}
