//! Conditions worked out by hand, without a solver.

use std::cell::Cell;

use super::*;
use crate::front::tq;
use crate::ir::expr_text;

const LIMITS: BackwardLimits = BackwardLimits {
    bound: 3,
    cases: 40,
};

/// The analysis of a class with these members, and its routine `m`.
fn analysis(members: &str) -> (Backwards, RoutineRef) {
    let text = format!("exception Bad; exception Failed; class C {{ {members} }}");
    let loaded = tq::parse_text("test", &text).expect("well-formed");
    let program = &loaded.program;
    let class = ClassId(0);
    let mut routines = program.class(class).routines.iter();
    let index = routines.position(|r| r.name == "m").expect("it");
    let routine = RoutineRef { class, index };
    (Backwards::new(program, class, LIMITS, || false), routine)
}

/// When `m` of the class can end normally, or is refused: `literal && …`, with `?` behind what is not known.
fn of(members: &str, refused: bool) -> Vec<String> {
    let (mut backwards, routine) = analysis(members);
    let class = routine.class;
    let normally = WantedEnd {
        normal: Some(formula::bool(true)),
        ..WantedEnd::default()
    };
    let found = match refused {
        true => backwards.refusals(
            routine,
            (&Which::All.into(), RefusalsOf::States),
            &mut |_| false,
        ),
        false => backwards.before(Some(routine), &normally, &mut |_| false),
    };
    let text = |case: &Vec<Expr>, mark: &str| {
        let literals = case
            .iter()
            .map(|e| expr_text(backwards.program(), class, e));
        format!("{}{mark}", literals.collect::<Vec<_>>().join(" && "))
    };
    let surely = found.surely.iter().map(|case| text(case, ""));
    surely
        .chain(found.perhaps.iter().map(|case| text(case, " ?")))
        .collect()
}

#[test]
fn what_is_required_keeps_calls_from_exceptions() {
    let class = "var open: bool; var count: int;
        invariant count >= 0;
        action m(n: int) requires open && n > 0 {
            var i: int := 0;
            if (!open || n <= 0) { throw Bad; }
            while (i < n) { i := i + 1; WORK }
        }";
    let raised = |work: &str| {
        let (mut backwards, routine) = analysis(&class.replace("WORK", work));
        let of = |name: &str| {
            let mut all = backwards.program().exceptions.iter();
            ExceptionId(all.position(|e| e == name).expect("it"))
        };
        [of("Bad"), of("Failed")].map(|e| backwards.may_raise(routine, e))
    };
    assert_eq!(raised(""), [false, false]);
    // Neither in the first rounds nor later: the loop does not write it.
    assert_eq!(raised("if (!open) { throw Bad; }"), [false, false]);
    // What the loop writes may be anything after some rounds.
    assert_eq!(raised("if (i > 100) { throw Failed; }"), [false, true]);
    // The invariant holds when the call begins, and is not known behind a write.
    assert_eq!(raised("if (count < 0) { throw Failed; }"), [false, false]);
    assert_eq!(
        raised("if (count < 0) { throw Failed; } count := count - n;"),
        [false, true]
    );
}

#[test]
fn what_others_decide_is_decided_for_the_better() {
    let class = "var open: bool;
        procedure library() returns (n: int) ensures n > 2 throws Failed;
        action m() {
            var n: int;
            if (!open) { throw Bad; }
            if (*) { throw Bad; }
            n := library();
            if (n < LIMIT) { throw Bad; }
        }";
    let may = class.replace("LIMIT", "5");
    assert_eq!(of(&may, false), ["open"]);
    assert_eq!(of(&may, true), ["!open"]);
    // Nobody answers more than anything.
    let never = class.replace("n < LIMIT", "n != n + 1");
    assert!(of(&never, false).is_empty());
    assert_eq!(of(&never, true), [""]);
}

/// What a clause says of the outside no caller can break: where it does not hold, nothing happens.
#[test]
fn what_the_outside_answers_is_what_is_known_of_it() {
    let class = "var open: bool;
        procedure ask(n: int, hidden answer: int) returns (r: int) requires n > 0 requires 0 <= answer && answer <= n
        { r := answer; }
        action m(k: int) {
            var r: int;
            if (!open) { throw Bad; }
            try { r := ask(k); } catch RequiresViolation { throw Failed; }
            if (r < LIMIT) { throw Bad; }
        }";
    let some = class.replace("LIMIT", "3");
    assert_eq!(of(&some, false), ["open && k > -1 && k > 2 && k > 0"]);
    let none = class.replace("LIMIT", "k + 1");
    assert!(of(&none, false).is_empty());
}

/// What a branch does that nothing depends on is not there twice behind it: a thousand ways are as good as one.
#[test]
fn ways_come_together() {
    let branches: String = (0..10)
        .map(|i| format!("if (p == {i}) {{ x := x + {i}; }} else {{ y := {i}; }}"))
        .collect();
    let class = format!(
        "var s: int; var x: int; var y: int;
         action m(p: int) {{ {branches} if (s == 3) {{ throw Bad; }} }}"
    );
    assert_eq!(of(&class, false), ["s != 3"]);
}

#[test]
fn loops_that_change_nothing_that_matters_are_none() {
    let class = "var s: int; var t: int;
        action m(n: int) { while (t < n) { t := t + 2; } if (s == 3) { throw Bad; } }";
    assert_eq!(of(class, false), ["s != 3"]);
    let class =
        "var s: int; action m() { while (s > 0) { s := s - 1; } if (s < 0) { throw Bad; } }";
    // Without a solver, nobody says that the one follows from the other.
    assert_eq!(of(class, true), ["s < 1 && s < 0"]);
}

/// A remainder by a large number is any number below it: to try them all would take forever.
#[test]
fn the_remainder_of_what_somebody_else_chooses_is_a_number() {
    let class = "var open: bool;
        procedure read() returns (n: int) { var any: int; havoc any; n := any mod 2147483648; }
        action m(p: int) {
            var n: int;
            n := read();
            if (n == 0 || n == p) { return; }
            if (!open || n < LEAST) { throw Bad; }
        }";
    assert!(of(&class.replace("LEAST", "5"), true).is_empty());
    let negative = class.replace("n == 0 || n == p", "n < 0");
    assert_eq!(of(&negative.replace("LEAST", "5"), true), ["!open"]);
    assert_eq!(of(&negative.replace("LEAST", "2147483648"), true), [""]);
}

/// However often a loop goes on, what it does not write is what it was before.
#[test]
fn beyond_the_bound_only_what_a_loop_writes_is_not_known() {
    let class = "var open: bool; var s: int;
        procedure add(i: int) { if (!open) { throw Bad; } s := s + i; }
        action m(n: int) {
            var i: int := 0;
            while (i < n) { add(i); WRITE i := i + 1; }
            if (s == 7) { s := 8; }
        }";
    let kept = class.replace("WRITE", "");
    assert_eq!(of(&kept, true), ["n > 0 && !open"]);
    let written = class.replace("WRITE", "if (*) { open := false; }");
    assert!(of(&written, true).iter().any(|case| case.ends_with('?')));
}

/// An exception that is raised again is that of whoever raised it first.
#[test]
fn what_is_raised_again_is_what_was_caught() {
    let class = "var s: int;
        procedure library() throws Failed;
        action m() {
            try { library(); if (s == 3) { throw Bad; } } catch Bad, Failed { s := 0; throw; }
        }";
    assert_eq!(of(class, true), ["s == 3"]);
}

/// In each round of a recursion, the variables are others.
#[test]
fn a_routine_within_itself_has_its_own_variables() {
    let class = "var s: int;
        procedure down(n: int) returns (r: int) {
            var below: int := 0;
            if (n > 0) { below := down(n - 1); }
            r := below + n;
        }
        action m() { var sum: int; sum := down(2); if (sum == s) { throw Bad; } }";
    assert_eq!(of(class, true), ["s == 3"]);
}

/// Where conditions are too large to be kept, what is asked for first is still known.
#[test]
fn of_conditions_that_are_cut_the_first_is_kept() {
    let class = "var open: bool; var a: int; var b: int; var c: int; var d: int;
        action m() {
            var i: int := 0;
            if (!open) { throw Bad; }
            while (i < a) {
                if (a == b + i && c == d || b == d && a != c + i || a == d && b != c) { throw Bad; }
                i := i + 1;
            }
        }";
    let whole = of(class, true);
    let (mut backwards, routine) = analysis(class);
    backwards.most_atoms = Some(3);
    backwards.start();
    let cut = backwards.refusals_within(routine, (&Which::All.into(), RefusalsOf::Calls));
    let cut = backwards.found(cut, &mut |_| false).expect("few cases");
    let text = |cases: &[Vec<Expr>]| -> Vec<String> {
        let literals = |case: &Vec<Expr>| {
            let literals = case.iter();
            let literals = literals.map(|e| expr_text(backwards.program(), routine.class, e));
            literals.collect::<Vec<_>>().join(" && ")
        };
        cases.iter().map(literals).collect()
    };
    assert_eq!(text(&cut.surely), ["!open"]);
    assert!(!cut.perhaps.is_empty(), "the rest is open");
    assert!(whole.contains(&"!open".to_owned()), "{whole:?}");
}

/// What suffices with the fewest rounds does end so.
#[test]
fn a_loop_that_may_be_left_at_once_suffices() {
    let class = "var open: bool; var left: int;
        procedure some() returns (n: int) { havoc n; assume n <= left; }
        action m() {
            if (!open) { throw Bad; }
            var whole: array<int>? := null;
            var count: int := 0;
            var n: int;
            while (true) {
                n := some();
                if (n <= 0) { break; }
                count := count + n;
                left := left - n;
            }
            if (count > 0) { whole := new int[count]; }
            if (whole == null && count > 0) { throw Bad; }
            if (whole != null && whole.length != count) { throw Bad; }
        }";
    let (mut backwards, routine) = analysis(class);
    let normally = WantedEnd {
        normal: Some(formula::bool(true)),
        ..WantedEnd::default()
    };
    backwards.start();
    let node = backwards.in_first_rounds(Some(routine), &normally);
    let found = backwards
        .found((node, node), &mut |_| false)
        .expect("few cases");
    let surely = found.surely.iter().flatten();
    let surely: Vec<String> = surely
        .map(|e| expr_text(backwards.program(), routine.class, e))
        .collect();
    assert_eq!(surely, ["open"]);
}

/// What is surely so where conditions are cut is so, and what is so is not excluded; and so of the runs with fewest rounds.
#[test]
fn conditions_that_are_cut_are_around_those_that_are_not() {
    let mut compared = 0;
    for path in classes() {
        let text = std::fs::read_to_string(&path).expect("read");
        let Ok(loaded) = tq::parse_text("test", &text) else {
            continue;
        };
        for (index, class) in loaded.program.classes.iter().enumerate() {
            let mut backwards = Backwards::new(&loaded.program, ClassId(index), LIMITS, || false);
            for at in 0..class.routines.len() {
                let routine = RoutineRef {
                    class: ClassId(index),
                    index: at,
                };
                let normally = WantedEnd {
                    normal: Some(formula::bool(true)),
                    ..WantedEnd::default()
                };
                backwards.start();
                let whole = backwards.between(Some(routine), &normally);
                let (whole_surely, whole_perhaps) = backwards.closed(whole);
                let first_rounds = backwards.in_first_rounds(Some(routine), &normally);
                let (suffices, _) = backwards.closed(Between::exactly(first_rounds));
                if !backwards.diagrams.is_full() {
                    let within = backwards
                        .diagrams
                        .choice(suffices, whole_perhaps, Bdd::TRUE);
                    let name = &class.routines[at].name;
                    assert_eq!(within, Bdd::TRUE, "{}: {name}", path.display());
                }
                for most in [1, 2, 4] {
                    backwards.most_atoms = Some(most);
                    let cut = backwards.between(Some(routine), &normally);
                    backwards.most_atoms = None;
                    let (surely, perhaps) = backwards.closed(cut);
                    if backwards.diagrams.is_full() {
                        continue;
                    }
                    compared += 1;
                    let name = &class.routines[at].name;
                    let within = backwards.diagrams.choice(surely, whole_perhaps, Bdd::TRUE);
                    assert_eq!(within, Bdd::TRUE, "{}: {name}", path.display());
                    let around = backwards.diagrams.choice(whole_surely, perhaps, Bdd::TRUE);
                    assert_eq!(around, Bdd::TRUE, "{}: {name}", path.display());
                }
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

/// What is looked at when time is over is not known, and nothing else is said of it.
#[test]
fn when_time_is_over_the_rest_is_not_known() {
    let text =
        "class C { var n: int; action m(k: int) { while (n < k) { n := n + 1; } assert n == k; } }";
    let loaded = tq::parse_text("test", text).expect("well-formed");
    let class = ClassId(0);
    let routine = RoutineRef { class, index: 0 };
    let before = |looks: usize| {
        let looked = Cell::new(0);
        let is_over = move || looked.replace(looked.get() + 1) >= looks;
        let mut backwards = Backwards::new(&loaded.program, class, LIMITS, is_over);
        let which = (&Which::All.into(), RefusalsOf::Calls);
        let found = backwards.refusals(routine, which, &mut |_| false);
        let reasons = backwards.reasons().iter().copied().collect::<Vec<_>>();
        (found.surely.len(), found.perhaps.len(), reasons)
    };
    let whole = before(usize::MAX);
    assert_ne!(whole.0, 0);
    let ends: Vec<_> = (0..20).map(before).collect();
    assert_eq!(ends[0], (0, 1, vec![NO_TIME]));
    assert_eq!(ends[19], whole);
    for end in ends {
        assert!(
            end == whole || end.0 == 0 && end.2.contains(&NO_TIME),
            "{end:?}"
        );
    }
}

/// The classes of the papers, and those of the tests.
fn classes() -> Vec<std::path::PathBuf> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("fixtures"), root.join("tests/classes")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "tq" => found.push(path),
                _ => {}
            }
        }
    }
    found
}

/// Diagrams that are kept say what they said, beside others that are made later; and there is room again.
#[test]
fn what_is_kept_of_diagrams_is_what_it_was() {
    let mut diagrams = Diagrams::new(Rc::new(|| false));
    let atoms: Vec<Bdd> = (0..5).map(|atom| diagrams.atom(atom)).collect();
    let both = diagrams.and(atoms[0], atoms[1]);
    let mut one = diagrams.or(both, atoms[2]);
    let not_one = diagrams.not(one);
    let mut other = diagrams.choice(atoms[3], not_one, one);
    let table = |diagrams: &mut Diagrams, node: Bdd| -> Vec<Bdd> {
        let rows = (0..32_u32).map(|row| {
            (0..5).fold(node, |node, atom| {
                diagrams.given(node, atom, row & (1 << atom) != 0)
            })
        });
        rows.collect()
    };
    let before = [one, other].map(|node| table(&mut diagrams, node));
    diagrams.keep_only([&mut one, &mut other]);
    assert_eq!([one, other].map(|node| table(&mut diagrams, node)), before);
    // Equal ones are one, as before.
    let atoms: Vec<Bdd> = (0..3).map(|atom| diagrams.atom(atom)).collect();
    let both = diagrams.and(atoms[0], atoms[1]);
    assert_eq!(diagrams.or(atoms[2], both), one);
    // Each time others, which are more than a fifth of what there is room for.
    let fill = |diagrams: &mut Diagrams, time: u32| {
        let mut all = Bdd::FALSE;
        for row in 0..600_u32 {
            let mut product = Bdd::TRUE;
            for bit in 0..20 {
                let atom = diagrams.atom(10 + 20 * time + bit);
                let holds = row.wrapping_mul(0x9E37_79B9) & (1 << (bit + 10)) != 0;
                let literal = if holds { atom } else { diagrams.not(atom) };
                product = diagrams.and(literal, product);
            }
            all = diagrams.or(all, product);
        }
    };
    for time in 0..5 {
        fill(&mut diagrams, time);
        diagrams.keep_only([&mut one, &mut other]);
    }
    assert!(!diagrams.is_full());
    assert_eq!([one, other].map(|node| table(&mut diagrams, node)), before);
    (5..10).for_each(|time| fill(&mut diagrams, time));
    assert!(diagrams.is_full());
}
