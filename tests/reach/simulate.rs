//! Property simulation: what it shows, and that it shows nothing wrong. (That of random programs is in `random.rs`.)

use std::path::Path;
use std::time::{Duration, Instant};

use tranquera::boogie::typed::{ProcedureId, TypedProgram};
use tranquera::boogie::{check, parse};
use tranquera::engine;
use tranquera::reach::error::ReachError;
use tranquera::reach::lower::ProcedureMode;
use tranquera::reach::program::Prepared;
use tranquera::reach::search::{Budget, Large, SearchAnswer, Sizes, search};
use tranquera::reach::simulate::simulate;
use tranquera::reach::smt::Config;
use tranquera::reach::solver::{Manner, Pool};

/// Whether it is shown that the program's entry does not fail.
fn is_shown(text: &str) -> Result<bool, ReachError> {
    let typed = check(&parse(text).expect(text)).expect(text);
    let main = entry(&typed).expect("an entry");
    let prepared = Prepared::with_main(typed, Some(main))?;
    let mut all = true;
    for main in &prepared.mains {
        let entry = prepared.entry(&[], *main, ProcedureMode::Entry)?;
        all &= simulate(&entry)?.is_unreachable;
    }
    Ok(all)
}

fn entry(typed: &TypedProgram) -> Option<ProcedureId> {
    typed.procedure("main").or(typed.procedure("P"))
}

/// What is done with a lock that is taken where `x` is not null; `{}` is for what is done in between.
const LOCK: &str = "
    var lock: int; var mem: [int]int; var other: int;
    procedure acquire() modifies lock; { assert lock == 0; lock := 1; }
    procedure release() modifies lock; { assert lock == 1; lock := 0; }
    procedure work(n: int) modifies other; { other := other + n; if (n > 0) { call work(n - 1); } }
    procedure main(x: int) modifies lock, mem, other; {
      var held: bool;
      lock := 0; held := false;
      if (x != 0) { call acquire(); held := true; }
      call work(x);
      {}
      assert lock == 0;
    }";

#[test]
fn a_lock_is_followed_with_what_it_hangs_on() {
    for (between, shown) in [
        ("if (x != 0) { call release(); }", true),
        ("if (held) { call release(); }", true),
        ("if (x == 0) { return; } call release();", true),
        // Whatever the recursion, and how often round.
        (
            "while (*) { call work(3); } if (held) { call release(); }",
            true,
        ),
        (
            "while (*) { if (held) { call release(); call acquire(); } } if (held) { call release(); }",
            true,
        ),
        // Where it says nothing: it fails where `x` is null, or not, or is changed.
        ("call release();", false),
        ("if (x == 0) { call release(); }", false),
        ("if (x > 0) { call release(); }", false),
        ("havoc held; if (held) { call release(); }", false),
        (
            "while (*) { if (held) { call release(); } } if (held) { call release(); }",
            false,
        ),
    ] {
        let found = is_shown(&LOCK.replace("{}", between)).expect("a program");
        assert_eq!(found, shown, "{between}");
    }
}

/// As drivers do with interrupt levels: the old one is put into memory where a parameter says, read from there, given back.
const LEVEL: &str = "
    var level, before: int; var mem: [int]int;
    procedure raise(p: int) modifies level, before, mem;
    { before := level; level := 2; assume p > 0; mem[p] := before; }
    procedure lower(to: int) modifies level; { level := to; }
    procedure note(p: int) modifies mem; { mem[p] := 7; }
    procedure fresh() returns (p: int); ensures p > 0;
    procedure main() modifies level, before, mem; {
      var p, q, kept: int;
      level := 0;
      call p := fresh(); call q := fresh();
      call raise(p);
      {}
      call lower(kept);
      assert level < 2;
    }";

#[test]
fn what_is_put_into_memory_is_found_there() {
    for (between, shown) in [
        ("kept := mem[p];", true),
        ("kept := mem[p]; call note(p);", true),
        ("kept := mem[q];", false),
        ("call note(q); kept := mem[p];", false),
        ("mem[q] := 7; kept := mem[p];", false),
        (
            "if (p == q) { kept := mem[q]; } else { kept := mem[p]; }",
            true,
        ),
        ("havoc mem; kept := mem[p];", false),
    ] {
        let found = is_shown(&LEVEL.replace("{}", between)).expect("a program");
        assert_eq!(found, shown, "{between}");
    }
}

/// Whether it is shown that an entry does not fail: by property simulation, and by a search that goes by its summaries. Small programs are
/// asked of neither otherwise.
pub fn shown_by(typed: TypedProgram, entry: &str) -> [bool; 2] {
    let main = typed.procedure(entry).expect("an entry");
    let prepared = Prepared::with_main(typed, Some(main)).expect("a program");
    let entry = prepared.entry(&[], main, ProcedureMode::Entry);
    let entry = entry.expect("an entry");
    let simulated = simulate(&entry).expect("no mistake");
    let large = Large {
        sizes: Sizes::of(&entry).expect("sizes"),
        summaries: simulated.summaries,
    };
    let z3 = engine::Tool::Z3.locate("reach", None).expect("Z3");
    let pool = Pool::new(Config::new(z3.path));
    let mut solver = pool.take(&prepared, Manner::AlongPaths).expect("a solver");
    let budget = Budget::until(8, Instant::now() + Duration::from_secs(6));
    let (answer, _) = search(&entry, &mut solver, budget, Some(large));
    let is_searched_in_vain = matches!(answer, SearchAnswer::Unreachable);
    [simulated.is_unreachable, is_searched_in_vain]
}

/// Of the results of a call that fails nothing is said but that it does: what they are worth in its verification condition is
/// what they would be worth had it gone on. (Random program 179, by which it was found.)
#[test]
fn nothing_is_said_of_what_a_call_that_fails_leaves() {
    let text = "
        var g: int; var b: bool;
        procedure first() modifies b; { havoc b; }
        procedure last(n: int) modifies g; { assert b; g := n + 1; }
        procedure main() modifies g, b; { g := 0; b := false; call first(); call last(2); }";
    let typed = check(&parse(text).expect(text)).expect(text);
    assert_eq!(shown_by(typed, "main"), [false; 2]);
}

#[test]
fn nothing_is_shown_of_programs_that_fail() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reach/programs");
    let mut seen = 0;
    for folder in ["reached", "presumed"] {
        let files = std::fs::read_dir(programs.join(folder)).expect("a folder");
        for file in files.flatten() {
            let text = std::fs::read_to_string(file.path()).expect("a program");
            // Some are more than one file, or have another entry.
            let Ok(tree) = parse(&text) else { continue };
            let Ok(typed) = check(&tree) else { continue };
            if entry(&typed).is_none() || text.contains("/stratifiedInline:1") {
                continue;
            }
            seen += 1;
            let shown = is_shown(&text);
            assert_eq!(shown, Ok(false), "{}", file.path().display());
        }
    }
    assert!(seen > 80, "{seen}");
}
