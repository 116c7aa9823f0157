//! Answers without a bound: the seven loop classes of the 2016 thesis (its §5.1; the exact answers are in the project's
//! reference, computed there by a direct encoding), and loops and recursion besides.

use tranquera::engine::{Builtin, Engine, EngineConfig};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Verdict};

fn verdict(program: &str, entry: &str, bound: u32) -> Verdict {
    let config = EngineConfig {
        limits: Limits {
            recursion_bound: bound,
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let engine = Builtin::new(&config);
    let program = QuestionProgram::new("Test", program);
    let session = engine.open(&program).expect("the program is right");
    session.ask(&EntryProcedure {
        name: "q".into(),
        text: entry.into(),
        limit: None,
    })
}

fn said(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Reached(_) => "reached",
        Verdict::Unreachable => "unreachable",
        Verdict::BoundHit { .. } => "bound hit",
        Verdict::Presumed(_) => "presumed",
        Verdict::Unknown(_) => "unknown",
    }
}

/// The targets that the action `M` with this body reaches from `Estado == 0`, of `M`, `T1`, `T10` and nothing enabled.
fn targets(params: &str, body: &str) -> Vec<&'static str> {
    let program = format!(
        "var Estado: int;\nprocedure M({params}) modifies Estado;\n{{ var i: int; i := 0; {body} }}\n"
    );
    let arguments = if params.is_empty() { "" } else { "cota" };
    let all = [
        ("{}", "Estado != 0 && Estado != 1 && Estado != 10"),
        ("{M}", "Estado == 0"),
        ("{T1}", "Estado == 1"),
        ("{T10}", "Estado == 10"),
    ];
    let mut reached = Vec::new();
    for (name, target) in all {
        let entry = format!(
            "procedure {{:entrypoint}} q() modifies Estado; {{ var cota: int; assume Estado == 0; \
             call M({arguments}); assume {target}; assert {{:reached}} false; }}"
        );
        match verdict(&program, &entry, 3) {
            Verdict::Reached(_) => reached.push(name),
            Verdict::Unreachable => {}
            other => panic!("{body}, target {name}: {other:?}"),
        }
    }
    reached
}

#[test]
fn the_seven_loop_classes_are_exact() {
    let count = |n: u32| format!("while (i < {n}) {{ Estado := Estado + 1; i := i + 1; }}");
    assert_eq!(targets("", &count(1)), ["{T1}"]);
    assert_eq!(targets("", &count(10)), ["{T10}"]);
    let by_parameter = "while (i < cota) { Estado := Estado + 1; i := i + 1; }";
    assert_eq!(
        targets("cota: int", by_parameter),
        ["{}", "{M}", "{T1}", "{T10}"]
    );
    assert_eq!(
        targets("", &format!("{} Estado := 10;", count(30))),
        ["{T10}"]
    );
    assert_eq!(
        targets("", "while (i < 30) { return; } Estado := 10;"),
        ["{M}"]
    );
    assert_eq!(
        targets(
            "",
            "while (i < 30) { if (i == 10) { return; } i := i + 1; } Estado := 10;"
        ),
        ["{M}"]
    );
    assert_eq!(
        targets(
            "",
            &format!("{} if (Estado == 30) {{ Estado := 10; }}", count(30))
        ),
        ["{T10}"]
    );
}

#[test]
fn loops_and_recursion_of_any_depth() {
    let cases = [
        // A loop whose invariant relates two variables.
        (
            "",
            "var x, y, n: int; x := 0; y := 0; while (x < n) { x := x + 1; y := y + 2; } assume y mod 2 != 0;",
            "unreachable",
        ),
        (
            "",
            "var x, y, n: int; x := 0; y := 0; while (x < n) { x := x + 1; y := y + 1; } assume x != y;",
            "unreachable",
        ),
        // Reached after 17 rounds.
        (
            "",
            "var x: int; x := 0; while (x < 17) { x := x + 1; } assume x == 17;",
            "reached",
        ),
        // A recursive procedure.
        (
            "procedure down(n: int) returns (r: int) { if (n <= 0) { r := 0; } else { call r := down(n - 1); r := r + 1; } }",
            "var n, r: int; assume n >= 0; call r := down(n); assume r < 0;",
            "unreachable",
        ),
        (
            "procedure down(n: int) returns (r: int) { if (n <= 0) { r := 0; } else { call r := down(n - 1); r := r + 1; } }",
            "var n, r: int; call r := down(9); assume r == 9;",
            "reached",
        ),
        // Two procedures that call each other, with a global.
        (
            "var g: int; procedure a(n: int) modifies g; { g := g + 1; if (n > 0) { call b(n - 1); } } \
             procedure b(n: int) modifies g; { if (n > 0) { call a(n - 1); } }",
            "var n: int; assume g == 0; call a(n); assume g < 1;",
            "unreachable",
        ),
        // An assertion that fails inside a loop inside a procedure.
        (
            "procedure p() { var i: int; i := 0; while (true) { assert i < 12; i := i + 1; } }",
            "call p(); assume false;",
            "reached",
        ),
        // A constant that is only known to be positive.
        (
            "const N: int; axiom N > 0;",
            "var i: int; i := 0; while (i < N) { i := i + 1; } assume i != N;",
            "unreachable",
        ),
        // Values that can only be compared.
        (
            "type T; const unique a, b: T;",
            "var x: T; var i: int; x := a; i := 0; while (i < 100) { if (x == a) { x := b; } else { x := a; } i := i + 1; } \
             assume x != a && x != b;",
            "unreachable",
        ),
    ];
    for (program, body, wanted) in cases {
        let modifies = if program.contains("var g") {
            "modifies g; "
        } else {
            ""
        };
        let (vars, stmts) = match body
            .rsplit_once("int; ")
            .or_else(|| body.split_once("bool; "))
        {
            Some((vars, stmts)) => (format!("{vars}int;"), stmts),
            None => (String::new(), body),
        };
        let entry = format!(
            "procedure {{:entrypoint}} q() {modifies}{{ {vars} {stmts} assert {{:reached}} false; }}"
        );
        let verdict = verdict(program, &entry, 3);
        assert_eq!(said(&verdict), wanted, "{program}\n{entry}\n{verdict:?}");
    }
}

/// Arrays of up to 8,192 numbers, each filled piece by piece from a ring: two loops, and a third one in what they call. The bound is
/// hit, and Spacer does not get on with the ring.
fn filling(wanted: &str) -> String {
    format!(
        "var length: [int]int; var ring: int; var position: int; var elements: [int, int]int;
         procedure read(b: int, off: int, len: int) returns (n: int, failed: bool) modifies position, elements; {{
           var c: int;
           failed := false; n := 0;
           if (off < 0 || len < 0 || off + len > length[b]) {{ failed := true; return; }}
           while (n < len) {{
             position := (position + 1) mod length[ring];
             c := elements[ring, position];
             if (c == -1) {{ return; }}
             elements[b, off + n] := c;
             n := n + 1; }} }}
         procedure fill(len: int, first: int) returns (failed: bool) modifies length, position, elements; {{
           var left, b, filled, n: int;
           left := len; b := first; failed := false;
           while (left > 0) {{
             b := b + 1;
             length[b] := if left < 8192 then left else 8192;
             filled := 0; n := 1;
             while (n > 0) {{
               call n, failed := read(b, filled, if length[b] - filled < left then {wanted} else left);
               if (failed) {{ return; }}
               filled := filled + n;
               left := left - n; }} }} }}"
    )
}

/// By hand: never more is asked for than there is room, as `filled + left` stays what it is, and nothing is read but what is asked for.
#[test]
fn what_loops_keep_serves_all_questions_about_a_program() {
    let entry = |end: &str| {
        format!(
            "procedure {{:entrypoint}} q(len: int, first: int) modifies length, position, elements; {{
               var failed: bool;
               assume len >= 0; call failed := fill(len, first); assume {end}; assert {{:reached}} false; }}"
        )
    };
    let (right, wrong) = (
        filling("length[b] - filled"),
        filling("length[b] - filled + 1"),
    );
    let cases = [
        (&right, "failed", "unreachable"),
        (&right, "!failed", "reached"),
        (&wrong, "failed", "reached"),
    ];
    for (program, end, wanted) in cases {
        let verdict = verdict(program, &entry(end), 3);
        assert_eq!(said(&verdict), wanted, "{end}\n{program}\n{verdict:?}");
    }
}

/// The questions of one session: what was found for the first serves the others, whatever they ask.
#[test]
fn what_was_found_for_one_question_shows_nothing_wrong_of_another() {
    let program = filling("length[b] - filled");
    let engine = Builtin::new(&EngineConfig {
        limits: Limits {
            recursion_bound: 3,
            ..Limits::default()
        },
        ..EngineConfig::default()
    });
    let session = engine.open(&QuestionProgram::new("Test", program));
    let session = session.expect("the program is right");
    let cases = [
        ("assume len >= 0;", "failed", "unreachable"),
        // Nothing is read then.
        ("assume len < 0;", "failed", "unreachable"),
        // What is known of loops does not depend on where a question begins: here from the middle of `fill`.
        (
            "assume len >= 0 && length[first] >= len; call n, failed := read(first, 0, len);",
            "failed || n > len",
            "unreachable",
        ),
        (
            "assume len > 0; call n, failed := read(first, 0, len);",
            "failed",
            "reached",
        ),
        (
            "assume len >= 0 && length[first] >= len; call n, failed := read(first, 0, len);",
            "n == len",
            "reached",
        ),
    ];
    for (begin, end, wanted) in cases {
        let text = format!(
            "procedure {{:entrypoint}} q(len: int, first: int) modifies length, position, elements; {{
               var failed: bool; var n: int;
               {begin} {} assume {end}; assert {{:reached}} false; }}",
            match begin.contains("read") {
                true => "",
                false => "call failed := fill(len, first);",
            }
        );
        let verdict = session.ask(&EntryProcedure {
            name: "q".into(),
            text: text.clone(),
            limit: None,
        });
        assert_eq!(said(&verdict), wanted, "{text}\n{verdict:?}");
    }
}
