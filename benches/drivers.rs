//! Programs of the Static Driver Verifier, or others like them, with what is recorded of them. Prints the table of
//! `docs/performance.md`:
//!
//! ```sh
//! cargo bench --bench drivers -- DIR          # all of DIR, a minute each
//! cargo bench --bench drivers -- DIR 300      # 300 seconds each
//! cargo bench --bench drivers -- DIR 60 hw_   # those whose name has "hw_" in it
//! ```
//!
//! `DIR/expected.tsv` has a line for each program: the name of its file, `OK` or `NOK`, and in the last column the recorded
//! seconds of other tools, `Vanilla: 146` among them. The file is there as it is, or as `.xz`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// A program, and what is recorded of it.
struct Recorded {
    file: String,
    has_bug: bool,
    /// The seconds of plain Corral, where they are known.
    corral: Option<f64>,
}

/// What a run cost.
struct Cost {
    wall: Duration,
    /// That of the program and its solvers, where the system says it.
    processor: Option<Duration>,
}

fn main() {
    // Cargo passes `--bench`.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    let Some(folder) = words.first().map(PathBuf::from) else {
        println!("cargo bench --bench drivers -- DIR [SECONDS [PART OF THE NAME]]");
        return;
    };
    let limit = words.get(1).map_or("60", String::as_str);
    let part = words.get(2).map_or("", String::as_str);
    println!("| program | recorded | Corral | answer | processor time | wall | checks | inlined |");
    println!("|---|---|---|---|---|---|---|---|");
    let (mut agreed, mut all) = (0, 0);
    for recorded in recorded(&folder).iter().filter(|r| r.file.contains(part)) {
        all += 1;
        agreed += usize::from(row(&folder, recorded, limit));
    }
    println!("\n{agreed} of {all} have the recorded answer.");
}

fn recorded(folder: &Path) -> Vec<Recorded> {
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("expected.tsv");
    let rows = table.lines().skip(1);
    rows.filter_map(|line| {
        let cells: Vec<&str> = line.split('\t').collect();
        Some(Recorded {
            file: (*cells.first()?).into(),
            has_bug: *cells.get(1)? == "NOK",
            corral: vanilla(cells.last()?),
        })
    })
    .collect()
}

/// The seconds behind the first `Vanilla:`.
fn vanilla(runs: &str) -> Option<f64> {
    let run = runs
        .split(',')
        .find_map(|r| r.trim().strip_prefix("Vanilla:"))?;
    run.trim().parse().ok()
}

/// Asks about a program, and prints its row. Is the answer the recorded one?
fn row(folder: &Path, recorded: &Recorded, limit: &str) -> bool {
    let unpacked = tempfile::tempdir().expect("a folder");
    let file = unpacked.path().join(&recorded.file);
    std::fs::write(&file, text(folder, &recorded.file)).expect("a file");
    let (output, cost) = run(&file, limit);
    let said = String::from_utf8_lossy(&output.stdout);
    let notes = String::from_utf8_lossy(&output.stderr);
    let (answer, is_recorded) = match () {
        () if said.contains("Program has a potential bug") => ("a bug", recorded.has_bug),
        () if said.contains("Reached recursion bound") => {
            ("none within the bound", !recorded.has_bug)
        }
        () if said.contains("Program has no bugs") => ("none", !recorded.has_bug),
        () => ("no answer", false),
    };
    let wrong = match is_recorded || answer == "no answer" {
        true => "",
        false => " (another)",
    };
    let seconds = |time: Duration| format!("{:.2} s", time.as_secs_f64());
    println!(
        "| `{}` | {} | {} | {answer}{wrong} | {} | {} | {} | {} |",
        recorded.file.trim_end_matches(".bpl"),
        if recorded.has_bug { "a bug" } else { "none" },
        recorded.corral.map_or("–".into(), |s| format!("{s} s")),
        cost.processor.map_or("–".into(), seconds),
        seconds(cost.wall),
        sum(&notes, "checks="),
        sum(&notes, "inlined="),
    );
    is_recorded
}

fn text(folder: &Path, file: &str) -> Vec<u8> {
    let plain = folder.join(file);
    if plain.exists() {
        return std::fs::read(plain).expect("a program");
    }
    let mut xz = Command::new("xz");
    xz.arg("-dkc").arg(folder.join(format!("{file}.xz")));
    xz.output().expect("xz is installed").stdout
}

fn run(file: &Path, limit: &str) -> (Output, Cost) {
    let (before, begin) = (of_children(), Instant::now());
    let output = Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .arg("reach")
        .arg(file)
        .args([
            "/main:fakeMain",
            "/stratifiedInline:1",
            "/recursionBound:3",
            "/noTrace",
            "-v",
        ])
        .arg(format!("/timeLimit:{limit}"))
        .output()
        .expect("it runs");
    let wall = begin.elapsed();
    let processor = before.zip(of_children()).map(|(b, a)| a.saturating_sub(b));
    (output, Cost { wall, processor })
}

/// The processor time of the children that have ended, and of theirs, as Linux counts it: in hundredths of a second.
fn of_children() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, behind) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = behind.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(13)? + ticks(14)?)))
}

/// The sum of the numbers behind such a word.
fn sum(notes: &str, word: &str) -> u64 {
    let behind = notes.split(word).skip(1);
    let number = |text: &str| {
        let digits = text.split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse::<u64>().ok()
    };
    behind.filter_map(number).sum()
}
