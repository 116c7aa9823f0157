//! The built-in engine on small programs whose answers are known.

use tranquera::engine::{Builtin, Engine, EngineConfig};
use tranquera::query::{Entry, Limits, Program, Verdict};

fn split(text: &str) -> (Program, Entry) {
    let at = text.find("procedure {:entrypoint}").expect("an entry");
    let (program, entry) = text.split_at(at);
    let name = entry
        .trim_start_matches("procedure {:entrypoint} ")
        .split('(')
        .next()
        .expect("a name");
    (
        Program {
            name: "t".into(),
            text: program.into(),
        },
        Entry {
            name: name.trim().into(),
            text: entry.into(),
        },
    )
}

fn ask(text: &str, bound: u32, unbounded: bool) -> Verdict {
    let (program, entry) = split(text);
    let config = EngineConfig {
        limits: Limits {
            recursion_bound: bound,
            ..Limits::default()
        },
        ..EngineConfig::default()
    };
    let engine = Builtin::new(&config).unbounded(unbounded);
    let session = engine.open(&program).expect("the program is right");
    session.ask(&entry)
}

#[test]
fn first() {
    let p = "var g: int;\nprocedure inc(d: int) modifies g; { g := g + d; }\nprocedure boogie_si_record_int(x: int);\n";
    let main = |e: &str| {
        format!("{p}procedure {{:entrypoint}} main() modifies g; {{ var x: int; var i: int; {e} }}")
    };
    println!(
        "{:?}",
        ask(
            &main(
                "havoc x; assume x > 0; g := 0; call inc(x); call inc(x); call {:cexpr \"g\"} boogie_si_record_int(g); assert g != 10;"
            ),
            3,
            false
        )
    );
    println!(
        "{:?}",
        ask(
            &main("havoc x; assume x > 0; g := 0; call inc(x); call inc(x); assert g != 11;"),
            3,
            false
        )
    );
    println!(
        "{:?}",
        ask(
            &main("i := 0; g := 0; while (i < 10) { call inc(1); i := i + 1; } assert g != 10;"),
            3,
            false
        )
    );
    println!(
        "{:?}",
        ask(
            &main("i := 0; g := 0; while (i < 10) { call inc(1); i := i + 1; } assert g != 10;"),
            10,
            false
        )
    );
    println!(
        "{:?}",
        ask(
            &main("i := 0; g := 0; while (i < 10) { call inc(1); i := i + 1; } assert g != 10;"),
            11,
            false
        )
    );
    println!(
        "{:?}",
        ask(
            &main("i := 0; g := 0; while (i < 10) { call inc(1); i := i + 1; } assert g == 10;"),
            11,
            false
        )
    );
    println!(
        "{:?}",
        ask(
            &main("i := 0; g := 0; while (i < 10) { call inc(1); i := i + 1; } assert g == 10;"),
            12,
            false
        )
    );
    println!(
        "{:?}",
        ask(
            &main("i := 0; g := 0; while (i < 10) { i := i + 1; } assert i >= 10;"),
            1,
            false
        )
    );
}
