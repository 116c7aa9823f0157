//! Both passes of every class, several times: what is found is the same each time, and takes about as long.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

/// So often each class is asked about.
const TIMES: usize = 10;
/// So many classes are shown, those whose times differ most.
const SHOWN: usize = 10;

/// What one class took.
struct Steady {
    class: String,
    times: Vec<Duration>,
    /// How many different answers there were.
    answers: usize,
    /// How many edges and mishaps are neither confirmed nor refuted.
    open: usize,
}

impl Steady {
    fn fastest(&self) -> f64 {
        self.times.first().map_or(0.0, Duration::as_secs_f64)
    }

    fn median(&self) -> f64 {
        let middle = self.times.get(self.times.len() / 2);
        middle.map_or(0.0, Duration::as_secs_f64)
    }

    fn slowest(&self) -> f64 {
        self.times.last().map_or(0.0, Duration::as_secs_f64)
    }

    fn ratio(&self) -> f64 {
        self.slowest() / self.fastest()
    }
}

/// The classes of the fixtures, with and without those that take long.
pub fn steady(with_long: bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut classes: Vec<Steady> = files(root, with_long)
        .iter()
        .map(|file| asked_often(root, file))
        .collect();
    classes.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    println!("### Both passes, {TIMES} times\n");
    println!("| class | fastest | median | slowest | ratio | open |");
    println!("|---|---|---|---|---|---|");
    for class in classes.iter().take(SHOWN) {
        println!(
            "| {} | {:.2} s | {:.2} s | {:.2} s | {:.1} | {} |",
            class.class,
            class.fastest(),
            class.median(),
            class.slowest(),
            class.ratio(),
            class.open,
        );
    }
    let differ: Vec<&str> = classes
        .iter()
        .filter(|class| class.answers != 1)
        .map(|class| class.class.as_str())
        .collect();
    let open: Vec<&str> = classes
        .iter()
        .filter(|class| class.open > 0)
        .map(|class| class.class.as_str())
        .collect();
    let longest = classes.iter().map(Steady::median).fold(0.0, f64::max);
    println!(
        "\n{} classes. Different answers: {differ:?}. Something left open: {open:?}. The longest median is {longest:.1} s.\n",
        classes.len()
    );
}

/// The classes in the project's own language, but for those of clients.
fn files(root: &Path, with_long: bool) -> Vec<PathBuf> {
    let mut open = vec![root.join("fixtures")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_long = name.starts_with("winsra") && !with_long;
            match path.is_dir() {
                true if !["java", "solidity", "clients"].contains(&name.as_str()) => {
                    open.push(path)
                }
                false if name.ends_with(".tq") && !is_long => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn asked_often(root: &Path, file: &Path) -> Steady {
    let mut times = Vec::new();
    let mut answers = BTreeSet::new();
    let mut open = 0;
    for _ in 0..TIMES {
        let start = Instant::now();
        let run = Command::new(env!("CARGO_BIN_EXE_tranquera"))
            .args(["confirm", "--no-cache", "--format", "json"])
            .arg(file)
            .output()
            .expect("it runs");
        times.push(start.elapsed());
        let found: Value = serde_json::from_slice(&run.stdout).expect("JSON");
        let (answer, left) = answer(&found);
        answers.insert(answer);
        open = open.max(left);
    }
    times.sort();
    let class = file.strip_prefix(root.join("fixtures")).unwrap_or(file);
    Steady {
        class: class.with_extension("").display().to_string(),
        times,
        answers: answers.len(),
        open,
    }
}

/// What was found, but for the runs' own values, which are one of many; and how much is open.
fn answer(found: &Value) -> (String, usize) {
    let all = |name: &str| found[name].as_array().cloned().unwrap_or_default();
    let judged: Vec<Value> = all("edges").into_iter().chain(all("mishaps")).collect();
    let is_open = |judged: &&Value| judged["status"] == "unconfirmed";
    let said = judged.iter().map(|judged| {
        let parts = ["edge", "mishap", "status", "calls", "shortest"];
        parts.map(|part| judged[part].to_string()).join(" ")
    });
    let said: Vec<String> = said.collect();
    let open = judged.iter().filter(is_open).count();
    (format!("{}\n{}", said.join("\n"), found["proof"]), open)
}
