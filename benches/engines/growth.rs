//! How the built-in engine's cost grows: with the actions, the length of a body, the depth of calls; and two marks
//! from the measurements of the external engines.

use std::fmt::Write;

use tranquera::engine::{self, EngineConfig, Entry, Limits, Program, Verdict};
use tranquera::lang;

use super::epa_of;
use super::measure::measure;

/// Classes of growing size.
pub fn growth() {
    println!("### How the cost grows\n");
    println!("| what | size | states | questions | whole EPA | a question, median | peak memory |");
    println!("|---|---|---|---|---|---|---|");
    for n in [4, 8, 16, 32, 64] {
        row("actions", n, &ring(n));
    }
    for n in [10, 100, 1_000, 10_000] {
        row("statements of a body", n, &long_body(n));
    }
    for n in [1, 10, 50, 100] {
        row("depth of calls", n, &call_chain(n));
    }
    println!();
}

fn row(what: &str, size: usize, source: &str) {
    let loaded = lang::parse_text(what, source).unwrap_or_else(|d| panic!("{}", d.render(false)));
    let (constructed, measured) = epa_of(&loaded, "builtin");
    let timing = &measured.value;
    println!(
        "| {what} | {size} | {} | {} | {:.3} s | {:.2} ms | {} MiB |",
        constructed.epa.states.len(),
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

/// The two programs on which the external engines were measured.
pub fn marks() {
    println!("### Two marks\n");
    println!("| program | answer | time |");
    println!("|---|---|---|");
    mark(
        "a chain of 100 procedures with a branch each",
        &chain_program(100),
        3,
    );
    mark(
        "a loop of 25 iterations with a branch each",
        &loop_program(25),
        26,
    );
    println!();
}

fn mark(what: &str, program: &str, bound: u32) {
    let config = EngineConfig {
        limits: Limits {
            recursion_bound: bound,
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let engine = (engine::kind("builtin")
        .expect("there is a built-in engine")
        .make)(&config);
    let entry = Entry {
        name: "main".into(),
        text: "procedure {:entrypoint} main() modifies g;\n{\n  var x: int;\n  g := 0;\n  call go(x);\n  assume g == 7;\n  assert {:reached} false;\n}\n".into(),
    };
    let program = Program {
        name: "mark".into(),
        text: program.into(),
    };
    let (verdict, measured) = measure(|| {
        engine
            .open(&program)
            .expect("the program is legal")
            .ask(&entry)
    });
    let answer = match verdict {
        Verdict::Reached(_) => "reached".to_string(),
        other => format!("{other:?}"),
    };
    println!(
        "| {what} | {answer} | {:.2} s |",
        measured.value.as_secs_f64()
    );
}

fn chain_program(n: usize) -> String {
    let mut text = String::from("var g: int;\nprocedure go(x: int) modifies g; { call p0(x); }\n");
    for i in 0..n {
        let next = i + 1;
        let _ = writeln!(
            text,
            "procedure p{i}(x: int) modifies g; {{ var c: bool; havoc c; if (c) {{ g := g + 1; }} call p{next}(x); }}"
        );
    }
    let _ = writeln!(text, "procedure p{n}(x: int) modifies g; {{ }}");
    text
}

fn loop_program(n: usize) -> String {
    format!(
        "var g: int;\nprocedure go(x: int) modifies g; {{\n  var i: int; var c: bool;\n  i := 0;\n  while (i < {n}) {{\n    havoc c;\n    if (c) {{ g := g + 1; }}\n    i := i + 1;\n  }}\n}}\n"
    )
}
