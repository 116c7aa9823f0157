//! How the built-in engine's cost grows: with the actions, the length of a body, the depth of calls.
//!
//! Each row is measured in a process of its own: what a process has let go of still counts as its memory.

use std::fmt::Write;
use std::process::Command;

use tranquera::front::tq;

use super::epa_of;

/// The argument that asks for a single row.
pub const ROW: &str = "growth-row";

const ACTIONS: &str = "actions";
const STATEMENTS: &str = "statements of a body";
const DEPTH: &str = "depth of calls";

/// Classes of growing size.
pub fn growth() {
    println!("### How the cost grows\n");
    println!("| what | size | states | questions | whole EPA | a question, median | peak memory |");
    println!("|---|---|---|---|---|---|---|");
    let rows: [(&str, &[usize]); 3] = [
        (ACTIONS, &[4, 8, 16, 32, 64]),
        (STATEMENTS, &[10, 100, 1_000, 10_000]),
        (DEPTH, &[1, 10, 50, 100]),
    ];
    let own = std::env::current_exe().expect("this program has a file");
    for (what, sizes) in rows {
        for size in sizes {
            let status = Command::new(&own)
                .args([ROW, what, &size.to_string()])
                .status()
                .expect("this program can be run");
            assert!(status.success(), "{what}, {size}: {status}");
        }
    }
    println!();
}

/// Measures and prints one row.
pub fn row(what: &str, size: &str) {
    let n: usize = size.parse().expect("a number");
    let source = match what {
        ACTIONS => ring(n),
        STATEMENTS => long_body(n),
        _ => call_chain(n),
    };
    let loaded = tq::parse_text(what, &source).unwrap_or_else(|d| panic!("{}", d.render(false)));
    let (constructed, measured) = epa_of(&loaded, "builtin");
    let timing = &measured.value;
    println!(
        "| {what} | {size} | {} | {} | {:.3} s | {:.2} ms | {} MiB |",
        constructed.abstraction.automaton.states.len(),
        timing.questions.len(),
        timing.wall.as_secs_f64(),
        timing.median().as_secs_f64() * 1e3,
        measured.peak_mib,
    );
}

/// `n` actions, of which one can be called at a time, in turn.
fn ring(n: usize) -> String {
    let mut text = format!(
        "class Ring {{\n  var s: int;\n  invariant 0 <= s < {n};\n  constructor() {{ s := 0; }}\n"
    );
    for i in 0..n {
        let next = (i + 1) % n;
        let _ = writeln!(text, "  action a{i}() requires s == {i} {{ s := {next}; }}");
    }
    text + "}\n"
}

/// A body of `n` statements, every fifth of them a branch.
fn long_body(n: usize) -> String {
    let mut text = String::from(
        "class Long {\n  var x: int;\n  var y: int;\n  constructor() { x := 0; y := 0; }\n  action go(p: int) requires x == 0 {\n",
    );
    for i in 0..n {
        let _ = match i % 5 {
            0 => writeln!(text, "    if (p > {i}) {{ y := y + 1; }}"),
            _ => writeln!(text, "    y := y + {};", i % 3),
        };
    }
    text + "    x := 1;\n  }\n  action done() requires x == 1 { x := 0; }\n}\n"
}

/// Procedures that call each other `n` deep, a branch in each.
fn call_chain(n: usize) -> String {
    let mut text = String::from(
        "class Chain {\n  var x: int;\n  constructor() { x := 0; }\n  action go(p: int) requires x == 0 { p0(p); if (x > 0) { x := 1; } else { x := 2; } }\n  action done() requires x == 1 { x := 0; }\n",
    );
    for i in 0..n {
        let next = i + 1;
        let _ = writeln!(
            text,
            "  procedure p{i}(p: int) {{ if (p > {i}) {{ x := x + 1; }} p{next}(p); }}"
        );
    }
    let _ = writeln!(text, "  procedure p{n}(p: int) {{ }}");
    text + "}\n"
}
