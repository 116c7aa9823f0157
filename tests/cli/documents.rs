//! The documents: every command in them is run, what they show of its output is what is printed, and their links lead
//! somewhere.
//!
//! The commands of a document are run one after the other in a folder of their own, with a copy of `fixtures/` in it. A
//! block of `diff` changes a file there, as the reader is told to.

mod markdown;
mod reader;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use markdown::Document;
use reader::Reader;

use crate::support::program::{PROGRAM, root};

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
    (
        "tranquera epa fixtures/solidity/benchmarks/refund_escrow_owned.sol --contract RefundEscrowOwned --format html --output escrow.html",
        "needs the compiler; another test does it with what the compiler said",
    ),
    ("cargo bench --locked --bench engines", "takes ten minutes"),
    ("cargo bench --locked --bench survey", "takes half an hour"),
    (
        "cargo bench --locked --bench solidity",
        "builds the program, and takes three minutes",
    ),
    (
        "cargo bench --locked --bench editor",
        "builds the program, and takes two minutes",
    ),
    (
        "tranquera reach DRIVER.bpl /main:fakeMain /stratifiedInline:1 /recursionBound:3 /noTrace -v /timeLimit:130",
        "asks about a device driver, which is not here",
    ),
    (
        "tranquera survey \"$JAVA_HOME\" --package java.io --public --each 20s --coarse --jobs 2 --no-cache --output java.io.jsonl",
        "needs a JDK, and takes minutes",
    ),
    (
        "tranquera survey commons-io.jar --public --each 20s --coarse --jobs 2 --no-cache --output commons-io.jsonl",
        "needs that jar, and takes minutes",
    ),
    (
        "tranquera survey src --launcher slurm --parts 64 --output lines.jsonl --page survey.html",
        "needs Slurm; tests/cli/launch/real.rs runs such commands on request",
    ),
    (
        "scripts/test --test cli launch::real -- --ignored --test-threads 1",
        "runs tests of this program",
    ),
    (
        "TRANQUERA_SOLIDITY=solmate cargo test --release --test solidity epas_of_packages -- --ignored --nocapture",
        "fetches a package and a compiler, and runs tests of this program",
    ),
    (
        "cargo run --release -- reproduce --format markdown",
        "ten seconds in release, a minute here; tests/cli/reproduce.rs runs it on a part",
    ),
];

/// What stands in a command of the text for something of the reader's, and what it is tried with.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("COMMAND", "epa"),
    ("SHELL", "bash"),
    ("N", "8"),
    ("FORMAT", "svg"),
];

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
                    let found = Reader::new(path, NOT_RUN).follow(document);
                    wrong.lock().expect("no panic").extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
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
            tranquera::front::tq::parse_text(&name, &block.text).unwrap_or_else(|e| panic!("{e}"));
        }
    }
}

#[test]
fn the_picture_in_mermaid_is_the_one_that_is_drawn() {
    let document = markdown::read(&text_of(Path::new("README.md")));
    let shown = document.blocks.iter().find(|b| b.language == "mermaid");
    let class = "fixtures/corral-2016/vending_machine.tq";
    let drawn = tranquera(&format!("tranquera epa {class} --format mermaid")).stdout;
    assert_eq!(
        shown.expect("a picture").text,
        String::from_utf8_lossy(&drawn)
    );
}

/// Each picture is what the command before it prints; `scripts/gallery` draws them again.
#[test]
fn the_gallery_is_up_to_date() {
    let document = markdown::read(&text_of(Path::new("docs/gallery.md")));
    let mut pictures = 0;
    for pair in document.blocks.windows(2) {
        let [before, picture] = pair else { continue };
        if picture.language != "mermaid" {
            continue;
        }
        let commands = markdown::commands(before);
        let [command] = commands.as_slice() else {
            panic!("docs/gallery.md:{}: no command draws this", picture.line)
        };
        let drawn = tranquera(&command.text).stdout;
        let drawn = String::from_utf8_lossy(&drawn);
        assert_eq!(
            picture.text, drawn,
            "docs/gallery.md:{}: scripts/gallery draws it again",
            picture.line
        );
        pictures += 1;
    }
    assert_eq!(pictures, 12);
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
    let program = Path::new(PROGRAM).parent().expect("a folder");
    Command::new("sh")
        .args(["-c", line])
        .env("PATH", format!("{}:/usr/bin:/bin", program.display()))
        .env("TRANQUERA_CACHE", "off")
        .current_dir(root())
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
    // Options of cargo, apt-get, mono, npm, sbatch, solc, forge and the scripts.
    let others = "--aot --ast --bench --bin --build-info --combined-json --git --ignored --lib --locked --mem-per-cpu --no-deps \
                  --no-fail-fast --no-requeue --nocapture --notation --partition --path --profile --quiet --release --save-dev \
                  --standard-json --test --test-threads --yes";
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
