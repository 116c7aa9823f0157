//! The documents: every command in them is run, what they show of its output is what is printed, and their links lead
//! somewhere.
//!
//! The commands of a document are run one after the other in a folder of their own, with a copy of `fixtures/` in it. A
//! block of `diff` changes a file there, as the reader is told to.

#[path = "support/markdown.rs"]
mod markdown;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use markdown::{Block, Document};

/// Commands that are not run here, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("./scripts/demo", "builds the program, in release"),
    ("./scripts/test", "runs this test"),
    ("scripts/setup z3", "installs, on a machine that lacks it"),
    ("cargo doc --no-deps", "a step of .ci/run"),
    ("sudo apt-get install --yes z3", "installs"),
    (
        "cargo install --locked --git ADDRESS-OF-TRANQUERA",
        "fetches and builds the program",
    ),
    (
        "cargo install --locked --path .",
        "builds the program, in release",
    ),
    ("cargo bench --locked --bench engines", "takes ten minutes"),
    (
        "cargo run --release -- reproduce --format markdown",
        "ten seconds in release, a minute here; tests/reproduce.rs runs it on a part",
    ),
];

/// What stands in a command of the text for something of the reader's, and what it is tried with.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("COMMAND", "epa"),
    ("SHELL", "bash"),
    ("N", "8"),
    ("FORMAT", "svg"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text_of(path: &Path) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The pages of the guide.
fn pages() -> Vec<PathBuf> {
    let files = std::fs::read_dir(root().join("docs")).expect("a folder");
    let names = files.map(|file| Path::new("docs").join(file.expect("a file").file_name()));
    let mut pages: Vec<PathBuf> = names
        .filter(|p| p.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.sort();
    pages
}

/// Every document that a reader of the project meets.
fn documents() -> Vec<(PathBuf, Document)> {
    let beside = ["README.md", "fixtures/README.md"].map(PathBuf::from);
    let all = pages().into_iter().chain(beside);
    all.map(|path| {
        let document = markdown::read(&text_of(&path));
        (path, document)
    })
    .collect()
}

#[test]
fn commands_do_what_the_documents_say() {
    let documents = documents();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((path, document)) =
                    documents.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    let found = Reader::new(path).follow(document);
                    wrong.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Somebody who does what a document says.
struct Reader<'a> {
    path: &'a Path,
    folder: tempfile::TempDir,
    /// The exit status of the last command.
    status: i32,
}

impl<'a> Reader<'a> {
    fn new(path: &'a Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let copied = Command::new("cp")
            .arg("-r")
            .arg(root().join("fixtures"))
            .arg(folder.path())
            .status();
        assert!(copied.expect("cp runs").success());
        Reader {
            path,
            folder,
            status: 0,
        }
    }

    /// Does all of it; what does not go as it says.
    fn follow(mut self, document: &Document) -> Vec<String> {
        let mut wrong = Vec::new();
        for block in &document.blocks {
            let place = format!("{}:{}", self.path.display(), block.line);
            match block.language.as_str() {
                "diff" => wrong.extend(self.change(block).err().map(|e| format!("{place}: {e}"))),
                _ => self.run(block, &place, &mut wrong),
            }
        }
        wrong.extend(self.wrong_pictures());
        wrong
    }

    fn run(&mut self, block: &Block, place: &str, wrong: &mut Vec<String>) {
        for command in markdown::commands(block) {
            if NOT_RUN.iter().any(|(text, _)| *text == command.text) {
                continue;
            }
            let tells = command.text == "echo $?";
            if self.status != 0 && !tells {
                wrong.push(format!("{place}: exit status {} is not told", self.status));
            }
            let printed = self.output(&command.text);
            if block.language != "console" && self.status != 0 {
                wrong.push(format!("{place}: `{}` failed:\n{printed}", command.text));
                self.status = 0;
            }
            let lines: Vec<&str> = printed.lines().collect();
            if command
                .output
                .is_some_and(|shown| !markdown::shows(&shown, &lines))
            {
                wrong.push(format!("{place}: `{}` prints:\n{printed}", command.text));
            }
        }
    }

    /// What a command prints, errors included.
    fn output(&mut self, command: &str) -> String {
        let program = Path::new(env!("CARGO_BIN_EXE_tranquera"))
            .parent()
            .expect("a folder");
        let path = std::env::var("PATH").expect("PATH");
        let script = format!("exec 2>&1; (exit {}); {command}", self.status);
        let run = Command::new("sh")
            .args(["-c", &script])
            .current_dir(self.folder.path())
            .env("PATH", format!("{}:{path}", program.display()))
            .env("TRANQUERA_CACHE", self.folder.path().join(".cache"))
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        self.status = run.status.code().unwrap_or(-1);
        String::from_utf8(run.stdout).expect("UTF-8")
    }

    /// Changes a file as a block of `diff` says: `+++ FILE`, then lines to find and lines to put there.
    fn change(&self, block: &Block) -> Result<(), String> {
        let (mut old, mut new, mut file) = (String::new(), String::new(), None);
        for line in block.text.lines() {
            let (mark, rest) = line.split_at_checked(1).unwrap_or((" ", ""));
            match mark {
                _ if line.starts_with("--- ") || line.starts_with("@@") => {}
                _ if line.starts_with("+++ ") => file = Some(&line[4..]),
                "-" => writeln!(old, "{rest}").expect("written"),
                "+" => writeln!(new, "{rest}").expect("written"),
                _ => [&mut old, &mut new]
                    .into_iter()
                    .for_each(|t| writeln!(t, "{rest}").expect("written")),
            }
        }
        let file = self
            .folder
            .path()
            .join(file.ok_or("a diff without a file")?);
        let text =
            std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        if text.matches(&old).count() != 1 {
            return Err(format!("the lines to change are not there once:\n{old}"));
        }
        std::fs::write(&file, text.replace(&old, &new)).map_err(|e| e.to_string())
    }

    /// Pictures beside the documents that are not those that the commands have made.
    fn wrong_pictures(&self) -> Vec<String> {
        let made = std::fs::read_dir(self.folder.path()).expect("a folder");
        let names = made.map(|file| file.expect("a file").file_name());
        let is_wrong = |name: &std::ffi::OsString| {
            let shown = root().join("docs").join(name);
            let is_picture = Path::new(name).extension().is_some_and(|e| e == "svg");
            is_picture
                && shown.exists()
                && std::fs::read(shown).ok() != std::fs::read(self.folder.path().join(name)).ok()
        };
        names
            .filter(is_wrong)
            .map(|name| {
                format!(
                    "{}: makes another docs/{}",
                    self.path.display(),
                    name.display()
                )
            })
            .collect()
    }
}

/// Classes are shown as the program reads them.
#[test]
fn classes_in_the_text_are_right() {
    let is_whole = |text: &str| text.lines().any(|line| line.starts_with("class "));
    for (path, document) in documents() {
        let classes = document
            .blocks
            .iter()
            .filter(|b| b.language == "tq" && is_whole(&b.text));
        for block in classes {
            let name = format!("{}:{}", path.display(), block.line);
            tranquera::lang::parse_text(&name, &block.text).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

/// A command in a block that is not marked as one would not be run.
#[test]
fn no_command_hides() {
    for (path, document) in documents() {
        for block in &document.blocks {
            let is_run = matches!(block.language.as_str(), "sh" | "console" | "yaml");
            for line in block.text.lines().map(str::trim_start).filter(|_| !is_run) {
                let is_command = ["$ ", "tranquera ", "cargo "]
                    .iter()
                    .any(|start| line.starts_with(start));
                assert!(
                    !is_command,
                    "{}:{}: `{line}` is not run",
                    path.display(),
                    block.line
                );
            }
        }
    }
}

#[test]
fn what_is_not_run_is_there() {
    let documents = documents();
    let blocks = documents.iter().flat_map(|(_, document)| &document.blocks);
    let commands: Vec<String> = blocks
        .flat_map(markdown::commands)
        .map(|c| c.text)
        .collect();
    for (command, _) in NOT_RUN {
        assert!(
            commands.iter().any(|c| c == command),
            "`{command}` is in no document"
        );
    }
}

/// What the program says to a command line.
fn tranquera(line: &str) -> std::process::Output {
    let program = Path::new(env!("CARGO_BIN_EXE_tranquera"))
        .parent()
        .expect("a folder");
    Command::new("sh")
        .args(["-c", line])
        .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
        .output()
        .expect("a shell")
}

/// The commands in the middle of text are ones that the program understands. (Asked for help, it reads the arguments
/// before, and does nothing.)
#[test]
fn commands_in_the_text_are_understood() {
    for (path, document) in documents() {
        for span in document
            .spans
            .iter()
            .filter(|s| s.text.starts_with("tranquera "))
        {
            let words = span.text.split(' ').map(|word| {
                let tried = PLACEHOLDERS
                    .iter()
                    .find(|(placeholder, _)| *placeholder == word);
                tried.map_or(word, |(_, example)| example)
            });
            let line = words.collect::<Vec<&str>>().join(" ");
            // `reach` leaves its arguments to Corral's reading.
            let asked = if line.starts_with("tranquera reach") {
                "tranquera reach --help"
            } else {
                &line
            };
            let run = tranquera(&format!("{asked} --help"));
            let said = String::from_utf8_lossy(&run.stderr);
            assert!(
                run.status.success(),
                "{}:{}: `{line}`: {said}",
                path.display(),
                span.line
            );
        }
    }
}

/// Every long option that a document or a script names is one that there is.
#[test]
fn options_in_the_text_are_there() {
    let completions = tranquera("tranquera completions bash").stdout;
    let known = String::from_utf8(completions).expect("UTF-8");
    // Options of cargo, apt-get and the scripts.
    let others =
        "--bench --bin --git --lib --locked --no-deps --notation --path --quiet --release --yes";
    let known: BTreeSet<&str> = known.split_whitespace().chain(others.split(' ')).collect();
    let option = regex::Regex::new(r"(?:^|[^\w-])(--[a-z][a-z-]+)").expect("an expression");
    let said = |(path, document): (PathBuf, Document)| {
        let spans = document.spans.into_iter().map(|span| span.text);
        let blocks = document
            .blocks
            .iter()
            .flat_map(markdown::commands)
            .map(|c| c.text);
        (
            path,
            spans.chain(blocks).collect::<Vec<String>>().join("\n"),
        )
    };
    let scripts = ["scripts/demo", "scripts/test"].map(PathBuf::from);
    let scripts = scripts.map(|path| (path.clone(), text_of(&path)));
    for (path, text) in documents().into_iter().map(said).chain(scripts) {
        for found in option.captures_iter(&text) {
            assert!(
                known.contains(&found[1]),
                "{}: {}",
                path.display(),
                &found[1]
            );
        }
    }
}

/// On a forge and in the book. There the pages are files of one folder, beside a copy of `fixtures/`, and `.md` becomes
/// `.html`.
#[test]
fn links_lead_somewhere() {
    let anchors_of = |path: &Path| markdown::read(&text_of(path)).anchors;
    for (path, document) in documents() {
        for link in &document.links {
            let place = format!("{}:{}: {}", path.display(), link.line, link.text);
            if link.text.contains("://") {
                continue;
            }
            let (file, anchor) = link.text.split_once('#').unwrap_or((&link.text, ""));
            let target = if file.is_empty() {
                path.clone()
            } else {
                path.with_file_name(file)
            };
            assert!(
                root().join(&target).exists(),
                "{place}: there is no such file"
            );
            if !anchor.is_empty() {
                assert!(
                    anchors_of(&target).iter().any(|a| a == anchor),
                    "{place}: there is no such heading"
                );
            }
            if path.starts_with("docs") && file.starts_with("..") {
                let is_copied = file.starts_with("../fixtures") && !file.ends_with(".md");
                assert!(is_copied, "{place}: leads nowhere in the book");
            }
        }
    }
}

/// No page is left out of the guide.
#[test]
fn every_page_is_a_chapter() {
    let summary = Path::new("docs/SUMMARY.md");
    let links = markdown::read(&text_of(summary)).links;
    let mut chapters: Vec<PathBuf> = links
        .iter()
        .map(|link| summary.with_file_name(&link.text))
        .collect();
    chapters.push(summary.to_owned());
    chapters.sort();
    assert_eq!(chapters, pages());
}
