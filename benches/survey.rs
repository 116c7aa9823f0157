//! How the cost of a survey, and the memory of who makes it, grow with the number of classes. Prints the tables of
//! `docs/performance.md`:
//!
//! ```sh
//! cargo bench --bench survey                # 1,000, 3,000 and 10,000 classes: half an hour
//! cargo bench --bench survey -- 100 200     # so many
//! cargo bench --bench survey -- write DIR 5 # only writes five of the classes
//! ```
//!
//! Every class is another one. They are small protocols of fields that are true or false and of a counter with bounds. Those
//! that tests generate would not do: their calls break invariants more often than not, so that there is next to nothing to
//! survey.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// From one look at the memory of processes to the next. What a process itself remembers as its most is never missed but for
/// what it takes after the last look.
const LOOK: Duration = Duration::from_millis(5);
/// From one look at all processes to the next.
const LOOK_AROUND: Duration = Duration::from_millis(100);
/// So many files are changed before the survey that asks only what changed.
const CHANGED: usize = 10;

fn main() {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    if let [what, folder, count] = words.as_slice()
        && what == "write"
    {
        write_classes(Path::new(folder), count.parse().expect("a number"));
        return;
    }
    let counts = words.iter().map(|word| word.parse().expect("a number"));
    let counts: Vec<usize> = counts.collect();
    let counts = match counts.is_empty() {
        true => vec![1000, 3000, 10_000],
        false => counts,
    };
    println!(
        "| classes | what | wall clock | processor | memory of the survey | the largest of a class | lines, page |"
    );
    println!("|---|---|---|---|---|---|---|");
    for count in counts {
        survey(count);
    }
}

/// All that is done with so many classes.
fn survey(count: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    write_classes(&at("classes"), count);
    let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
    let run = |what: &str, line: &str, outputs: &[&str]| {
        let of = measure(folder.path(), &words(line));
        let bytes = outputs.iter().map(|name| {
            let length = at(name).metadata().map_or(0, |found| found.len());
            format!("{:.1} MB", length as f64 / 1e6)
        });
        let largest = match of.largest_kib {
            0 => String::new(),
            kib => format!("{} MiB", kib / 1024),
        };
        println!(
            "| {count} | {what} | {:.1} s | {:.1} s | {:.1} MiB | {largest} | {} |",
            of.wall.as_secs_f64(),
            of.processor.as_secs_f64(),
            of.own_kib as f64 / 1024.0,
            bytes.collect::<Vec<_>>().join(", "),
        );
    };
    let survey = "survey classes --jobs 2 --output lines";
    run("survey", survey, &["lines"]);
    run("the same again, by kept answers", survey, &["lines"]);
    let again = format!("{survey} --resume lines");
    run("`--resume`, nothing changed", &again, &["lines"]);
    for number in 0..CHANGED.min(count) {
        let file = file(&at("classes"), number * (count / CHANGED).max(1));
        let text = fs::read_to_string(&file).expect("a class");
        fs::write(&file, text + "// changed\n").expect("written");
    }
    let what = format!("`--resume`, {CHANGED} changed");
    run(&what, &again, &["lines"]);
    let what = "`--resume --page`, nothing changed";
    let line = format!("{again} --page page.html");
    run(what, &line, &["lines", "page.html"]);
    let line = "survey merge lines lines --output merged --page page.html";
    run(
        "`merge` of the lines with themselves, `--page`",
        line,
        &["merged", "page.html"],
    );
    let lines = |name: &str| fs::read_to_string(at(name)).expect("lines").lines().count();
    assert_eq!((lines("lines"), lines("merged")), (count, count));
}

/// What a run took.
struct Measured {
    wall: Duration,
    processor: Duration,
    /// The most memory of the process itself.
    own_kib: u64,
    /// The most memory of a process that it started.
    largest_kib: u64,
}

/// Runs the program, in this folder.
fn measure(folder: &Path, arguments: &[String]) -> Measured {
    let before = processor();
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_tranquera"))
        .current_dir(folder)
        .env("TRANQUERA_CACHE", folder.join("answers"))
        .stderr(Stdio::null())
        .args(arguments)
        .spawn()
        .expect("it runs");
    let (mut own_kib, mut largest_kib, mut looked) = (0, 0, Instant::now());
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        own_kib = own_kib.max(number(child.id(), "VmHWM:"));
        if looked.elapsed() >= LOOK_AROUND {
            looked = Instant::now();
            largest_kib = largest_kib.max(largest_below(child.id()));
        }
        thread::sleep(LOOK);
    };
    assert!(status.success(), "{arguments:?}: {status}");
    Measured {
        wall: start.elapsed(),
        processor: processor() - before,
        own_kib,
        largest_kib,
    }
}

/// A number of what the system says of a process.
fn number(process: u32, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let word = line.and_then(|line| line.split_whitespace().next());
    word.and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// The most memory of any process that this one started, and so on.
fn largest_below(process: u32) -> u64 {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut children: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for id in ids {
        children.entry(number(id, "PPid:")).or_default().push(id);
    }
    let (mut family, mut largest) = (vec![process], 0);
    while let Some(id) = family.pop() {
        let below = children.remove(&u64::from(id)).unwrap_or_default();
        for child in &below {
            largest = largest.max(number(*child, "VmHWM:"));
        }
        family.extend(below);
    }
    largest
}

/// The processor time of all processes that this one started and that have ended, with those that they started.
fn processor() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    // Behind the name, which may hold anything, in brackets: the 14th and 15th are those of what was waited for.
    let (_, numbers) = stat.rsplit_once(')').expect("a name");
    let ticks = numbers.split_whitespace().skip(13).take(2);
    let ticks: u64 = ticks
        .map(|word| word.parse::<u64>().expect("a number"))
        .sum();
    Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

fn file(folder: &Path, number: usize) -> PathBuf {
    let inside = folder.join(format!("{:03}", number / 100));
    inside.join(format!("machine{number:06}.tq"))
}

fn write_classes(folder: &Path, count: usize) {
    for number in 0..count {
        let file = file(folder, number);
        fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        fs::write(file, class(number)).expect("written");
    }
}

/// Decisions that are the same for the same number.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: u64) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % count
    }
}

/// A class: one to three fields that are true or false, a counter in two of three, and three to six actions, each of which asks
/// for one or two of them and changes one or two.
fn class(number: usize) -> String {
    let mut dice = Dice((number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let fields = 1 + dice.below(3);
    let most = (dice.below(3) > 0).then(|| 1 + dice.below(20));
    let mut text = format!("class Machine{number} {{\n");
    for field in 0..fields {
        let _ = writeln!(text, "  var is{field}: bool;");
    }
    if let Some(most) = most {
        let _ = writeln!(
            text,
            "  var count: int;\n  invariant 0 <= count && count <= {most};"
        );
    }
    let _ = write!(text, "  constructor() {{");
    for field in 0..fields {
        let _ = write!(text, " is{field} := {};", dice.below(2) == 0);
    }
    if most.is_some() {
        text.push_str(" count := 0;");
    }
    text.push_str(" }\n");
    for action in 0..3 + dice.below(4) {
        let (mut requires, mut body) = (Vec::new(), Vec::new());
        for _ in 0..=dice.below(2) {
            let not = if dice.below(2) == 0 { "!" } else { "" };
            requires.push(format!("{not}is{}", dice.below(fields)));
            let value = ["true", "false", "on"][dice.below(3) as usize];
            body.push(format!("is{} := {value};", dice.below(fields)));
        }
        if let Some(most) = most {
            match dice.below(5) {
                0 | 1 => {
                    let by = 1 + dice.below(most.min(3));
                    requires.push(format!("count + {by} <= {most}"));
                    body.push(format!("count := count + {by};"));
                }
                2 => {
                    requires.push("count > 0".to_owned());
                    body.push("count := count - 1;".to_owned());
                }
                3 => body.push(format!("if (count * 2 > {most}) {{ count := 0; }}")),
                _ => requires.push(format!("count == {}", dice.below(most + 1))),
            }
        }
        requires.dedup();
        let on = match body.iter().any(|line| line.contains(":= on")) {
            true => "on: bool",
            false => "",
        };
        let (requires, body) = (requires.join(" && "), body.join(" "));
        let _ = writeln!(
            text,
            "  action a{action}({on}) requires {requires} {{ {body} }}"
        );
    }
    text + "}\n"
}
