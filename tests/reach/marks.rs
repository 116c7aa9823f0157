//! What must not take long, and what must not overflow. What explodes is out of time, even on a busy machine: at its
//! worst all of this takes seconds.

use std::fmt::Write;
use std::time::Duration;

use tranquera::engine::{Builtin, Engine, EngineConfig};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Verdict};

fn ask(program: &str, entry: &str, bound: u32) -> Verdict {
    let config = EngineConfig {
        limits: Limits {
            recursion_bound: bound,
            timeout: Duration::from_secs(120),
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let engine = Builtin::new(&config);
    let program = QuestionProgram::new("Marks", program);
    let session = engine.open(&program).expect("the program is right");
    session.ask(&EntryProcedure {
        name: "q".into(),
        text: entry.into(),
        limit: None,
    })
}

fn chain(length: u32) -> String {
    let mut text = String::from("var g: int;\n");
    for i in 0..length {
        let next = match i + 1 < length {
            true => format!("call p{}();", i + 1),
            false => String::new(),
        };
        let _ = writeln!(
            text,
            "procedure p{i}() modifies g; {{ if (*) {{ g := g + 1; }} else {{ g := g + 2; }} {next} }}"
        );
    }
    text
}

#[test]
fn a_chain_of_a_hundred_procedures_with_a_branch_each() {
    let entry = |target: &str| {
        format!(
            "procedure {{:entrypoint}} q() modifies g; {{ g := 0; call p0(); assume {target}; assert {{:reached}} false; }}"
        )
    };
    let program = chain(100);
    let verdict = ask(&program, &entry("g == 150"), 1);
    assert!(matches!(verdict, Verdict::Reached(_)), "{verdict:?}");
    let verdict = ask(&program, &entry("g == 201"), 1);
    assert_eq!(verdict, Verdict::Unreachable);
}

#[test]
fn a_loop_of_25_iterations_with_a_branch_in_each() {
    let entry = |target: &str| {
        format!(
            "procedure {{:entrypoint}} q() {{ var i, x: int; i := 0; x := 0; while (i < 25) {{ \
             if (*) {{ x := x + 1; }} else {{ x := x + 2; }} i := i + 1; }} assume {target}; assert {{:reached}} false; }}"
        )
    };
    for (target, reached) in [("x == 40", true), ("x > 50", false), ("x < 25", false)] {
        let verdict = ask("", &entry(target), 30);
        assert_eq!(
            matches!(verdict, Verdict::Reached(_)),
            reached,
            "{verdict:?}"
        );
    }
}

#[test]
fn a_body_of_ten_thousand_statements() {
    let mut body = String::new();
    for i in 0..10_000 {
        let _ = writeln!(body, "  x := x + {}; g := g + x;", i % 7);
    }
    let program =
        format!("var g: int;\nprocedure p() modifies g; {{\n  var x: int; x := 0;\n{body}}}\n");
    let entry =
        "procedure {:entrypoint} q() modifies g; { g := 0; call p(); assert {:reached} false; }";
    let verdict = ask(&program, entry, 1);
    assert!(matches!(verdict, Verdict::Reached(_)), "{verdict:?}");
}

#[test]
fn two_hundred_branches_in_a_row() {
    let mut body = String::new();
    for i in 0..200 {
        let _ = writeln!(body, "  if (x > {i}) {{ y := y + 1; }}");
    }
    let entry = format!(
        "procedure {{:entrypoint}} q() {{ var x, y: int; y := 0;\n{body} assume y == 100; assume x != 100; assert {{:reached}} false; }}"
    );
    let verdict = ask("", &entry, 1);
    assert!(
        !matches!(verdict, Verdict::Unknown(_) | Verdict::Reached(_)),
        "{verdict:?}"
    );
}

#[test]
fn a_chain_of_calls_three_thousand_long() {
    let mut program = String::from("var g: int;\n");
    for i in 0..3_000 {
        let _ = writeln!(
            program,
            "procedure p{i}() modifies g; {{ call p{}(); }}",
            i + 1
        );
    }
    program.push_str("procedure p3000() modifies g; { g := 1; }\n");
    let entry = "procedure {:entrypoint} q() modifies g; { g := 0; call p0(); assume g != 1; assert {:reached} false; }";
    let verdict = ask(&program, entry, 1);
    assert_eq!(verdict, Verdict::Unreachable);
}

#[test]
fn branches_that_add_up() {
    let body =
        "if (*) { g := g + 1; } else { if (*) { h := h + 1; } else { g := g + 2; h := h - 1; } }\n";
    let program = format!(
        "var g: int; var h: int;\nprocedure p() modifies g, h; {{ {} }}\n",
        body.repeat(8)
    );
    let entry = |target: &str| {
        format!(
            "procedure {{:entrypoint}} q() modifies g, h; {{ g := 0; h := 0; call p(); assume {target}; assert {{:reached}} false; }}"
        )
    };
    for target in ["g == 16 && h == -8", "g == 0 && h == 8", "g == 5"] {
        let verdict = ask(&program, &entry(target), 1);
        assert!(
            matches!(verdict, Verdict::Reached(_)),
            "{target}: {verdict:?}"
        );
    }
    for target in ["g + h != 8", "g > 16", "h > 8"] {
        let verdict = ask(&program, &entry(target), 1);
        assert_eq!(verdict, Verdict::Unreachable, "{target}");
    }
}

#[test]
fn calls_that_exclude_each_other() {
    let mut program = String::from("var g: int;\n");
    for i in 0..12 {
        let next = i + 1;
        let _ = writeln!(
            program,
            "procedure p{i}(x: int) modifies g; {{ if (x > g) {{ g := g + 1; call p{next}(x); }} else if (*) {{ call p{next}(g); }} else {{ g := g + 2; call p{next}(x + 1); }} }}"
        );
    }
    program += "procedure p12(x: int) modifies g; { }\n";
    let entry = |target: &str| {
        format!(
            "procedure {{:entrypoint}} q() modifies g; {{ g := 0; call p0(100); assume {target}; assert {{:reached}} false; }}"
        )
    };
    // With 100 > g throughout, the first branch is the only one.
    let verdict = ask(&program, &entry("g == 12"), 1);
    assert!(matches!(verdict, Verdict::Reached(_)), "{verdict:?}");
    let verdict = ask(&program, &entry("g != 12"), 1);
    assert_eq!(verdict, Verdict::Unreachable);
}
