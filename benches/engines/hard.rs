//! Programs that are hard for a search: those on which Corral and Boogie were measured to be slow, and shapes in which
//! ways, calls or rounds multiply. Each has a question that is reached and one that is not.

use std::fmt::Write;
use std::time::Duration;

use tranquera::engine::{self, EngineConfig};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Verdict};

use super::measure::measure;

/// How long Boogie is given.
const PATIENCE: Duration = Duration::from_secs(10);

/// A procedure `go` over the globals `g` and `h`, and two questions about where it can end.
struct Hard {
    what: &'static str,
    bound: u32,
    text: String,
    reached: String,
    unreachable: String,
}

/// The programs, with the built-in engine and with Boogie.
pub fn hard() {
    println!("### Hard programs\n");
    println!("| program | question | builtin | boogie |");
    println!("|---|---|---|---|");
    for hard in [
        chain(100),
        rounds(25),
        tree(8),
        drivers(10),
        branches(1_000),
        nested(20),
        machine(10, 15),
    ] {
        for (question, condition) in [
            ("reached", &hard.reached),
            ("unreachable", &hard.unreachable),
        ] {
            let ours = answer(&hard, condition, "builtin", Duration::from_secs(60));
            let theirs = answer(&hard, condition, "boogie", PATIENCE);
            println!("| {} | {question} | {ours} | {theirs} |", hard.what);
        }
    }
    println!();
}

/// How long an engine takes, with its answer where that is not definite.
fn answer(hard: &Hard, condition: &str, engine: &str, timeout: Duration) -> String {
    let config = EngineConfig {
        limits: Limits {
            recursion_bound: hard.bound,
            timeout,
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let engine = (engine::kind(engine).expect("there is such an engine").make)(&config);
    let text = format!(
        "procedure {{:entrypoint}} main() modifies g, h;\n{{\n  g := 0;\n  h := 0;\n  call go();\n  assume {condition};\n  assert {{:reached}} false;\n}}\n"
    );
    let entry = EntryProcedure {
        name: "main".into(),
        text,
        limit: None,
    };
    let program = QuestionProgram::new("hard", format!("var g: int;\nvar h: int;\n{}", hard.text));
    let (verdict, measured) = measure(|| {
        let session = engine.open(&program).expect("the program is legal");
        session.ask(&entry)
    });
    let time = format!("{:.2} s", measured.value.as_secs_f64());
    match verdict {
        Verdict::Reached(_) | Verdict::Unreachable => time,
        Verdict::BoundHit { .. } => format!("bound hit, {time}"),
        Verdict::Presumed(_) => format!("presumed, {time}"),
        Verdict::Unknown(unknown) => format!("{:?}, {time}", unknown.reason),
    }
}

fn chain(n: usize) -> Hard {
    let mut text = String::from("procedure go() modifies g; { call p0(); }\n");
    for i in 0..n {
        let _ = writeln!(
            text,
            "procedure p{i}() modifies g; {{ if (*) {{ g := g + 1; }} call p{}(); }}",
            i + 1
        );
    }
    let _ = writeln!(text, "procedure p{n}() modifies g; {{ }}");
    Hard {
        what: "a chain of 100 procedures with a branch each",
        bound: 3,
        text,
        reached: format!("g == {}", n / 2),
        unreachable: format!("g > {n}"),
    }
}

fn rounds(n: usize) -> Hard {
    Hard {
        what: "a loop of 25 iterations with a branch each",
        bound: n as u32 + 1,
        text: format!(
            "procedure go() modifies g; {{\n  var i: int;\n  i := 0;\n  while (i < {n}) {{\n    if (*) {{ g := g + 1; }}\n    i := i + 1;\n  }}\n}}\n"
        ),
        reached: "g == 17".into(),
        unreachable: format!("g > {n}"),
    }
}

/// Each procedure calls the next one twice, one after the other.
fn tree(depth: usize) -> Hard {
    let mut text = String::from("procedure go() modifies g; { call p0(); }\n");
    for i in 0..depth {
        let next = i + 1;
        let _ = writeln!(
            text,
            "procedure p{i}() modifies g; {{ if (*) {{ g := g + 1; }} call p{next}(); call p{next}(); }}"
        );
    }
    let _ = writeln!(
        text,
        "procedure p{depth}() modifies g; {{ if (*) {{ g := g + 1; }} }}"
    );
    let most = (1 << (depth + 1)) - 1;
    Hard {
        what: "a call tree with 256 leaves and a branch in each procedure",
        bound: 3,
        text,
        reached: format!("g == {}", most / 2),
        unreachable: format!("g > {most}"),
    }
}

/// Each routine calls the next one in three branches, holding a lock now and then: `h` is the lock.
fn drivers(n: usize) -> Hard {
    let mut text = String::from("procedure go() modifies g, h; { call d0(0); }\n");
    for i in 0..n {
        let next = i + 1;
        let _ = writeln!(
            text,
            "procedure d{i}(p: int) modifies g, h; {{\n  var s: int;\n  h := h + 1;\n  if (s > 0) {{ g := g + 1; h := h - 1; call d{next}(s); }}\n  else if (s == p) {{ h := h - 1; if (g > {i}) {{ return; }} call d{next}(p); }}\n  else {{ g := g - 1; h := h - 1; call d{next}(g); }}\n}}"
        );
    }
    let _ = writeln!(text, "procedure d{n}(p: int) modifies g, h; {{ }}");
    Hard {
        what: "ten routines that each call the next in three branches",
        bound: 3,
        text,
        reached: "g == 4".into(),
        unreachable: "h != 0".into(),
    }
}

/// Branches one after the other, each counting up one of two variables.
fn branches(n: usize) -> Hard {
    let body = "  if (*) { g := g + 1; } else { h := h + 1; }\n".repeat(n);
    Hard {
        what: "1,000 branches one after the other",
        bound: 3,
        text: format!("procedure go() modifies g, h; {{\n{body}}}\n"),
        reached: format!("g == {}", n / 3),
        unreachable: format!("g + h != {n}"),
    }
}

fn nested(n: usize) -> Hard {
    Hard {
        what: "a loop of 20 iterations in a loop of 20",
        bound: n as u32 + 1,
        text: format!(
            "procedure go() modifies g; {{\n  var i: int;\n  var j: int;\n  i := 0;\n  while (i < {n}) {{\n    j := 0;\n    while (j < {n}) {{\n      if (*) {{ g := g + 1; }}\n      j := j + 1;\n    }}\n    i := i + 1;\n  }}\n}}\n"
        ),
        reached: "g == 257".into(),
        unreachable: format!("g > {}", n * n),
    }
}

/// A machine of some states, each with three ways on, in a loop of some steps.
fn machine(states: usize, steps: usize) -> Hard {
    let mut text = format!(
        "procedure go() modifies g, h; {{\n  var e: int;\n  var i: int;\n  i := 0;\n  while (i < {steps}) {{\n    havoc e;\n"
    );
    for s in 0..states {
        let _ = writeln!(
            text,
            "    {}if (h == {s}) {{ if (e > {s}) {{ h := {}; g := g + 1; }} else if (e == 0 - {s}) {{ h := {}; }} }}",
            if s == 0 { "" } else { "else " },
            (s + 1) % states,
            (7 * s + 3) % states,
        );
    }
    text += "    i := i + 1;\n  }\n}\n";
    Hard {
        what: "a machine of 10 states, 15 steps",
        bound: steps as u32 + 1,
        text,
        reached: format!("h == 7 && g == {}", steps - 2),
        unreachable: format!("g > {steps}"),
    }
}
