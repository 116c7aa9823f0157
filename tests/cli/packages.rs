//! What packages are made of: the crate, the Debian package, the image of the container. What takes minutes is done on request.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::support::program::{PROGRAM, root};

fn manifest() -> toml::Table {
    let text = std::fs::read_to_string(root().join("Cargo.toml")).expect("there");
    text.parse().expect("TOML")
}

fn strings(list: &toml::Value) -> Vec<&str> {
    let list = list.as_array().expect("a list").iter();
    list.map(|one| one.as_str().expect("a text")).collect()
}

/// The files of the crate, as cargo lists them.
fn in_crate() -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args([
            "package",
            "--list",
            "--allow-dirty",
            "--offline",
            "--package",
            "tranquera",
        ])
        .output()
        .expect("cargo");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success());
    text.lines().map(str::to_owned).collect()
}

/// All that is compiled in is in the crate, and the tests with their classes are not.
#[test]
fn the_crate_holds_what_is_needed() {
    let files = in_crate();
    for needed in [
        "src/main.rs",
        "src/front/solidity/solc/run_soljson.js",
        "docs/library.md",
        "README.md",
        "Cargo.lock",
    ] {
        assert!(files.contains(needed), "{needed}");
    }
    for folder in ["templates", "boogie-prelude"] {
        for entry in ignore::Walk::new(root().join(folder)) {
            let entry = entry.expect("a file");
            let name = entry
                .path()
                .strip_prefix(root())
                .expect("inside")
                .display()
                .to_string();
            assert!(entry.path().is_dir() || files.contains(&name), "{name}");
        }
    }
    for folder in [
        "tests/",
        "fixtures/",
        "evm/",
        "web/",
        "benches/",
        ".github/",
    ] {
        assert!(
            !files.iter().any(|file| file.starts_with(folder)),
            "{folder}"
        );
    }
}

/// The crate builds by itself; cargo says nothing but that the tests are not in it.
#[test]
#[ignore = "builds the crate anew"]
fn the_crate_can_be_published() {
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args([
            "publish",
            "--dry-run",
            "--allow-dirty",
            "--package",
            "tranquera",
        ])
        .output()
        .expect("cargo");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let warnings = said.lines().filter(|line| line.starts_with("warning: "));
    let expected = [
        "warning: ignoring test `",
        "warning: ignoring benchmark `",
        "warning: aborting upload due to dry run",
    ];
    let odd: Vec<&str> = warnings
        .filter(|line| !expected.iter().any(|e| line.starts_with(e)))
        .collect();
    assert!(odd.is_empty(), "{odd:#?}");
}

/// Each file of the Debian package is there, or made by the program.
#[test]
fn the_debian_package_has_its_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let extras = folder.path().join("extras");
    let script = root().join("scripts/extras");
    let made = Command::new(script).arg(PROGRAM).arg(&extras).status();
    assert!(made.expect("bash").success());
    let manifest = manifest();
    let deb = &manifest["package"]["metadata"]["deb"];
    assert_eq!(deb["depends"].as_str(), Some("z3"));
    for asset in deb["assets"].as_array().expect("a list") {
        let [source, target, mode] = strings(asset)[..] else {
            panic!("{asset:?}");
        };
        let file = match source.strip_prefix("target/extras/") {
            Some(made) => extras.join(made.replace("*.1", "tranquera.1")),
            // What cargo-deb takes for the program.
            None if source == "target/release/tranquera" => Path::new(PROGRAM).to_owned(),
            None => root().join(source),
        };
        assert!(file.metadata().is_ok_and(|file| file.len() > 0), "{source}");
        assert!(!target.starts_with('/'), "{target}");
        assert_eq!(mode, if target == "usr/bin/" { "755" } else { "644" });
    }
    let pages = std::fs::read_dir(extras.join("man"))
        .expect("a folder")
        .count();
    assert!(pages > 20, "{pages}");
}

/// What the build of the image is given is enough for cargo, and has all files of the crate.
#[test]
fn the_image_is_built_of_what_is_needed() {
    let context = tempfile::tempdir().expect("a folder");
    let rules = std::fs::read_to_string(root().join(".dockerignore")).expect("there");
    let rules: Vec<&str> = rules
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    let (first, rest) = rules.split_first().expect("rules");
    assert_eq!(*first, "*");
    let kept = rest
        .iter()
        .map(|rule| rule.strip_prefix('!').expect("what is kept"));
    let kept: Vec<&str> = kept.collect();
    let copied = Command::new("bash")
        .current_dir(root())
        .args(["-c", "cp -r --parents $KEPT \"$CONTEXT\""])
        .env("KEPT", kept.join(" "))
        .env("CONTEXT", context.path())
        .status();
    assert!(copied.expect("bash").success());
    // Targets that the manifests name have to be there, too.
    let read = Command::new(env!("CARGO"))
        .current_dir(context.path())
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
            "--locked",
        ])
        .output()
        .expect("cargo");
    let said = String::from_utf8_lossy(&read.stderr);
    assert!(read.status.success(), "{said}");
    for file in in_crate() {
        let made = ["Cargo.toml.orig", ".cargo_vcs_info.json", "CHANGELOG.md"];
        let is_there = context.path().join(&file).exists();
        assert!(made.contains(&file.as_str()) || is_there, "{file}");
    }
    let recipe = std::fs::read_to_string(root().join("Dockerfile")).expect("there");
    for wanted in [
        "FROM debian:",
        "z3",
        "cargo install --locked",
        "ENTRYPOINT [\"tranquera\"]",
    ] {
        assert!(recipe.contains(wanted), "{wanted}");
    }
}

/// What the workflow of a release runs is there, and in this project.
#[test]
fn a_release_runs_what_is_there() {
    let yaml =
        std::fs::read_to_string(root().join(".github/workflows/release.yml")).expect("there");
    assert!(yaml.contains("run: scripts/release \"$TARGET\" release"));
    for script in ["scripts/release", "scripts/extras"] {
        let checked = Command::new("bash")
            .current_dir(root())
            .args(["-n", script])
            .status();
        assert!(checked.expect("bash").success(), "{script}");
    }
}
