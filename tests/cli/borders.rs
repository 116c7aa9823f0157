//! The borders of the house: what `docs/architecture.md` says that a room must not know, it does not import.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::program::root;

/// Which other rooms a room may import.
enum Border {
    /// None but these.
    Only(BTreeSet<String>),
    /// All but these.
    Not(BTreeSet<String>),
}

impl Border {
    /// As the third column of the table says it: `anything else`, ``anything but `ir` ``, or what it is that must not be known,
    /// with the rooms that have to do with it.
    fn read(words: &str) -> Border {
        let named = words.split('`').skip(1).step_by(2).map(str::to_owned);
        match words.starts_with("anything") {
            true => Border::Only(named.collect()),
            false => Border::Not(named.collect()),
        }
    }

    fn allows(&self, room: &str) -> bool {
        match self {
            Border::Only(rooms) => rooms.contains(room),
            Border::Not(rooms) => !rooms.contains(room),
        }
    }
}

/// The rooms of the table that are folders, with their borders.
fn borders() -> BTreeMap<String, Border> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).expect("the plan");
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.split(" | ").collect();
        let [room, _, words] = cells.as_slice() else {
            return None;
        };
        let (_, room) = room.rsplit_once("`src/")?;
        let room = room.strip_suffix("/`")?;
        Some((room.to_owned(), Border::read(words.trim_end_matches(" |"))))
    });
    rows.collect()
}

/// The files of a room, but for its tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_tests = path.file_stem().is_some_and(|name| name == "tests");
        match path.is_dir() {
            _ if is_tests => {}
            true => files(&path, found),
            false if path.extension().is_some_and(|e| e == "rs") => found.push(path),
            false => {}
        }
    }
}

/// The modules at the top of the crate that a text names. `depth` is how many modules it is inside of.
fn imported(text: &str, depth: usize) -> BTreeSet<String> {
    let (text, _) = text
        .split_once("#[cfg(test)]\nmod tests {")
        .unwrap_or((text, ""));
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let text: String = lines.collect::<Vec<&str>>().join("\n");
    let up = "super::".repeat(depth);
    let paths = text
        .split("crate::")
        .skip(1)
        .chain(text.split(up.as_str()).skip(1));
    let mut found = BTreeSet::new();
    for path in paths {
        let list = path
            .strip_prefix('{')
            .and_then(|list| list.split_once("};"));
        // Of `{a::b, c}`, the first word of each.
        let heads = list.map_or(path, |(list, _)| list);
        let heads: Vec<&str> = match list {
            Some(_) => heads.split(',').collect(),
            None => vec![heads],
        };
        for head in heads {
            let word = head
                .trim()
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next();
            found.extend(word.map(str::to_owned));
        }
    }
    found
}

#[test]
fn no_room_knows_what_it_must_not() {
    let (source, borders) = (root().join("src"), borders());
    let rooms = fs::read_dir(&source).expect("a folder");
    let rooms = rooms.map(|entry| entry.expect("an entry").path());
    let rooms: BTreeSet<String> = rooms
        .filter(|path| path.is_dir())
        .map(|path| {
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let planned: BTreeSet<String> = borders.keys().cloned().collect();
    assert_eq!(
        rooms, planned,
        "each room has its line in docs/architecture.md"
    );
    let mut wrong = Vec::new();
    for (room, border) in &borders {
        let mut found = Vec::new();
        files(&source.join(room), &mut found);
        for file in found {
            let inside = file
                .strip_prefix(&source)
                .expect("inside")
                .components()
                .count();
            let is_door = file.file_name().is_some_and(|name| name == "mod.rs");
            let depth = inside - usize::from(is_door);
            let text = fs::read_to_string(&file).expect("a file");
            let others = imported(&text, depth);
            let others = others
                .iter()
                .filter(|other| rooms.contains(*other) && *other != room);
            wrong.extend(
                others
                    .filter(|other| !border.allows(other))
                    .map(|other| format!("{} imports {other}", file.display())),
            );
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn imports_are_found_however_they_are_written() {
    let text = "use crate::engine::{Engine, cache};\nuse crate::{epa::Epa, view};\n// crate::no\nuse super::super::ir;
        fn f() { crate::reach::run(); }\n#[cfg(test)]\nmod tests {\n use crate::cli; }";
    let found: Vec<String> = imported(text, 2).into_iter().collect();
    assert_eq!(found, ["engine", "epa", "ir", "reach", "view"]);
    assert!(!Border::read("anything but `ir`").allows("query"));
    assert!(Border::read("anything but `ir`").allows("ir"));
    assert!(!Border::read("EPAs: `epa`").allows("epa"));
}

/// What only the command line needs is not asked of a program that uses the library.
#[test]
fn the_library_builds_without_the_command_line() {
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(root()).env("RUSTFLAGS", "-Dwarnings");
        let output = command
            .args(arguments)
            .args(["--no-default-features", "--locked"]);
        let output = output.output().expect("cargo runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let tree = cargo(&["tree", "-e", "normal", "--prefix", "none"]);
    for only_there in [
        "clap",
        "ctrlc",
        "indicatif",
        "lsp-server",
        "lsp-types",
        "notify",
        "tracing-subscriber",
    ] {
        let needed = tree
            .lines()
            .any(|line| line.split(' ').next() == Some(only_there));
        assert!(!needed, "{only_there}");
    }
    // Beside the other builds, which have other features.
    cargo(&["check", "--lib", "--target-dir", "target/library"]);
}
