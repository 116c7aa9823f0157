use std::collections::BTreeSet;

use super::{last_class, program};
use crate::interp::oracle::{Domain, EnabledSet, Oracle, OracleError, RoutineRun, explore};

fn oracle(text: &str, domain: &Domain) -> Oracle {
    let program = program(text);
    explore(&program, last_class(&program), domain).expect("an abstraction")
}

fn show(state: &EnabledSet) -> String {
    let names: Vec<&str> = state.iter().map(String::as_str).collect();
    format!("{{{}}}", names.join(","))
}

fn show_exit(exit: &RoutineRun) -> String {
    let source = exit.source.as_ref().map_or("I".to_owned(), show);
    let exception = exit.exception.as_ref().map(|e| format!("!{e}"));
    format!("{source} {}{}", exit.routine, exception.unwrap_or_default())
}

/// The edges, as `{a,b} act -> {a}`, with `[outcome]` or `!Exception` behind the action; constructors leave `I`.
fn edges(oracle: &Oracle) -> BTreeSet<String> {
    let constructors = oracle.constructors.iter().map(|edge| match &edge.end {
        Ok(target) => format!("I {} -> {}", edge.name, show(target)),
        Err(exception) => format!("I {}!{exception}", edge.name),
    });
    let transitions = oracle.transitions.iter().map(|t| {
        let outcome = t.outcome.as_ref().map(|o| format!("[{o}]"));
        let exception = t.exception.as_ref().map(|e| format!("!{e}"));
        let suffix = outcome.or(exception).unwrap_or_default();
        format!(
            "{} {}{suffix} -> {}",
            show(&t.source),
            t.action,
            show(&t.target)
        )
    });
    constructors.chain(transitions).collect()
}

fn check(oracle: &Oracle, expected: &[&str]) {
    let expected: BTreeSet<String> = expected.iter().map(|e| (*e).to_owned()).collect();
    let edges = edges(oracle);
    let missing: Vec<_> = expected.difference(&edges).collect();
    let extra: Vec<_> = edges.difference(&expected).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "missing: {missing:#?}\nnot expected: {extra:#?}"
    );
}

/// Nothing left the domain, nothing broke the invariant, everything was decided.
fn check_clean(oracle: &Oracle) {
    assert_eq!(oracle.escaped, BTreeSet::new());
    assert_eq!(oracle.violations, BTreeSet::new());
    assert!(oracle.undecided.is_empty());
}

// Reference §3.1
#[test]
fn linear() {
    let text = "class Linear { var N: int; invariant 0 <= N && N <= 3;
        constructor() ensures N == 0 { N := 0; }
        action a0() requires N == 0 ensures N == old(N) + 1 { N := N + 1; }
        action a1() requires N == 1 ensures N == old(N) + 1 { N := N + 1; }
        action a2() requires N == 2 ensures N == old(N) + 1 { N := N + 1; }
        pure action get_N() returns (n: int) { n := N; } }";
    let found = oracle(text, &Domain::integers(-1..=4));
    check_clean(&found);
    check(
        &found,
        &[
            "I Linear() -> {a0,get_N}",
            "{a0,get_N} a0 -> {a1,get_N}",
            "{a1,get_N} a1 -> {a2,get_N}",
            "{a2,get_N} a2 -> {get_N}",
            "{a0,get_N} get_N -> {a0,get_N}",
            "{a1,get_N} get_N -> {a1,get_N}",
            "{a2,get_N} get_N -> {a2,get_N}",
            "{get_N} get_N -> {get_N}",
        ],
    );
    assert_eq!(found.states.len(), 4);
    assert_eq!(found.reachable(false), found);
}

fn vending_machine(change: &str) -> Oracle {
    let text = format!(
        "class VendingMachine {{ var selling: bool; var change: {change};
        invariant change > 0 ==> selling;
        constructor() ensures !selling && change == 0 {{ selling := false; change := 0; }}
        action DisplayPrice(item: nat) requires !selling {{ }}
        action Buy(item: nat, money: nat) requires !selling ensures selling
          {{ selling := true; if (money > 0) {{ change := 5; }} }}
        action ReturnChange() requires selling requires change > 0 {{ change := 0; }}
        action ReturnItem() requires change == 0 requires selling {{ selling := false; }} }}"
    );
    let domain = Domain {
        parameters: 0..=2,
        ..Domain::integers(-2..=6)
    };
    let found = oracle(&text, &domain);
    check_clean(&found);
    found
}

// Reference §3.2: the deadlock state {} is real in the abstraction, as the invariant admits change < 0.
#[test]
fn vending_machine_with_signed_change() {
    check(
        &vending_machine("int").reachable(false),
        &[
            "I VendingMachine() -> {Buy,DisplayPrice}",
            "{Buy,DisplayPrice} DisplayPrice -> {Buy,DisplayPrice}",
            "{Buy,DisplayPrice} Buy -> {}",
            "{Buy,DisplayPrice} Buy -> {ReturnChange}",
            "{Buy,DisplayPrice} Buy -> {ReturnItem}",
            "{ReturnChange} ReturnChange -> {ReturnItem}",
            "{ReturnItem} ReturnItem -> {Buy,DisplayPrice}",
        ],
    );
}

// Reference §3.2, case 2b: an unsigned change removes it.
#[test]
fn vending_machine_with_unsigned_change() {
    for unsigned in ["nat", "u8"] {
        let found = vending_machine(unsigned).reachable(false);
        assert_eq!(found.states.len(), 3);
        check(
            &found,
            &[
                "I VendingMachine() -> {Buy,DisplayPrice}",
                "{Buy,DisplayPrice} DisplayPrice -> {Buy,DisplayPrice}",
                "{Buy,DisplayPrice} Buy -> {ReturnChange}",
                "{Buy,DisplayPrice} Buy -> {ReturnItem}",
                "{ReturnChange} ReturnChange -> {ReturnItem}",
                "{ReturnItem} ReturnItem -> {Buy,DisplayPrice}",
            ],
        );
    }
}

// Reference §3.3
#[test]
fn finite_stack() {
    let text = "class FiniteStack { var Max: int; var Next: int;
        invariant Max > 2 && Next >= -1 && Max >= Next;
        constructor() { Max := 5; Next := -1; }
        constructor(size: int) requires size > 2 { Max := size; Next := -1; }
        action Pop() requires Next > -1 { Next := Next - 1; }
        action Push(elem: int) requires Next < Max { Next := Next + 1; } }";
    let domain = Domain {
        parameters: -1..=6,
        ..Domain::integers(-3..=6)
    };
    let found = oracle(text, &domain);
    check_clean(&found);
    check(
        &found,
        &[
            "I FiniteStack() -> {Push}",
            "I FiniteStack(int) -> {Push}",
            "{Push} Push -> {Pop,Push}",
            "{Pop,Push} Pop -> {Push}",
            "{Pop,Push} Pop -> {Pop,Push}",
            "{Pop,Push} Push -> {Pop,Push}",
            "{Pop,Push} Push -> {Pop}",
            "{Pop} Pop -> {Pop,Push}",
        ],
    );
}

// Reference §3.5
#[test]
fn door() {
    let text = "class Door { var emergency: bool; var closed: bool; var moving: bool;
        invariant emergency ==> !closed;
        constructor() { closed := true; emergency := false; moving := false; }
        action Open() requires closed && !moving { closed := false; }
        action Close() requires !closed && !emergency { closed := true; }
        action Start() requires !moving { moving := true; if (!emergency) { closed := true; } }
        action Stop() requires moving { moving := false; }
        action Alarm() requires !emergency { emergency := true; closed := false; }
        action Safe() requires emergency { emergency := false; } }";
    let found = oracle(text, &Domain::integers(0..=0));
    check_clean(&found);
    let (s1, s2, s3) = ("{Alarm,Open,Start}", "{Alarm,Close,Start}", "{Alarm,Stop}");
    let (s4, s5, s6) = ("{Safe,Start}", "{Safe,Stop}", "{Alarm,Close,Stop}");
    let expected = [
        format!("I Door() -> {s1}"),
        format!("{s1} Open -> {s2}"),
        format!("{s1} Start -> {s3}"),
        format!("{s1} Alarm -> {s4}"),
        format!("{s2} Close -> {s1}"),
        format!("{s2} Start -> {s3}"),
        format!("{s2} Alarm -> {s4}"),
        format!("{s3} Stop -> {s1}"),
        format!("{s3} Alarm -> {s5}"),
        format!("{s4} Start -> {s5}"),
        format!("{s4} Safe -> {s2}"),
        format!("{s5} Stop -> {s4}"),
        format!("{s5} Safe -> {s6}"),
        format!("{s6} Close -> {s3}"),
        format!("{s6} Stop -> {s2}"),
        format!("{s6} Alarm -> {s5}"),
    ];
    check(
        &found.reachable(false),
        &expected.each_ref().map(String::as_str),
    );
}

// Reference §5.1: the edge from {m2} to {} has no trace, but belongs to the abstraction.
#[test]
fn test2() {
    let text = "class Test2 { var x: int; var y: int;
        constructor() { x := 0; y := 0; }
        action m1() requires x == 0 && y == 0 { x := 5; }
        action m2() requires x > 0 && y == 0 { y := 7; }
        action m3() requires x == 5 && y == 7 { x := 3; y := 3; } }";
    let found = oracle(text, &Domain::integers(-1..=8));
    check_clean(&found);
    check(
        &found,
        &[
            "I Test2() -> {m1}",
            "{m1} m1 -> {m2}",
            "{m2} m2 -> {m3}",
            "{m2} m2 -> {}",
            "{m3} m3 -> {}",
        ],
    );
}

#[test]
fn leaving_the_domain_is_told_apart_from_breaking_the_invariant() {
    let text = "class C { var n: int; invariant n >= 0; constructor() { n := 0; }
        action up() { n := n + 1; } action down() { n := n - 1; } }";
    let found = oracle(text, &Domain::integers(-1..=2));
    let exits = |set: &BTreeSet<RoutineRun>| set.iter().map(show_exit).collect::<Vec<_>>();
    assert_eq!(exits(&found.escaped), ["{down,up} up"]);
    assert_eq!(exits(&found.violations), ["{down,up} down"]);
    check(
        &found,
        &[
            "I C() -> {down,up}",
            "{down,up} up -> {down,up}",
            "{down,up} down -> {down,up}",
        ],
    );
}

#[test]
fn exceptions_and_outcomes() {
    let text = "enum Mode { Slow, Fast } exception E;
        class C { var on: bool; var zero: int;
        constructor() { on := false; zero := 0; throw E; }
        constructor(b: bool) { on := b; zero := 0; }
        action start(m: Mode) returns (ok: bool, mode: Mode) outcomes ok, mode requires !on
          { mode := m; ok := m == Mode.Fast; on := ok; }
        action stop() requires on { on := false; if (*) { throw E; } }
        action crash() requires on { zero := 1 div zero; } }";
    let found = oracle(text, &Domain::integers(0..=0));
    check_clean(&found);
    check(
        &found,
        &[
            "I C()!E",
            "I C(bool) -> {start}",
            "I C(bool) -> {crash,stop}",
            "{start} start[ok, Fast] -> {crash,stop}",
            "{start} start[!ok, Slow] -> {start}",
            "{crash,stop} stop -> {start}",
            "{crash,stop} stop!E -> {start}",
            "{crash,stop} crash!DivisionByZero -> {crash,stop}",
        ],
    );
}

#[test]
fn an_exception_can_leave_the_invariant_broken() {
    let text = "exception E; class C { var n: int; invariant n == 0; constructor() { n := 0; }
        action a() { n := 1; throw E; } action b() { n := 1; } }";
    let found = oracle(text, &Domain::integers(0..=1));
    let exits: Vec<String> = found.violations.iter().map(show_exit).collect();
    assert_eq!(exits, ["{a,b} a!E", "{a,b} b"]);
    check(&found, &["I C() -> {a,b}"]);
}

#[test]
fn contracts_without_bodies() {
    let text =
        "exception E; class C { var n: int; var other: int; invariant 0 <= n <= 2 && other == 0;
        initially n == 0;
        action up() requires n < 2 ensures n > old(n);
        action reset() requires n > 0 throws E ensures n == 0; }";
    let domain = Domain {
        choices: -1..=3,
        ..Domain::integers(0..=2)
    };
    let found = oracle(text, &domain);
    // The frame is arbitrary after an exception; outside the invariant that is a violation.
    let exits: Vec<String> = found.violations.iter().map(show_exit).collect();
    assert_eq!(
        exits,
        [
            "{reset} reset!E",
            "{reset,up} reset!E",
            "{reset,up} up",
            "{up} up"
        ]
    );
    check(
        &found,
        &[
            "I initially -> {up}",
            "{up} up -> {reset,up}",
            "{up} up -> {reset}",
            "{reset,up} up -> {reset}",
            "{reset,up} reset -> {up}",
            "{reset} reset -> {up}",
            "{reset} reset!E -> {up}",
            "{reset} reset!E -> {reset,up}",
            "{reset} reset!E -> {reset}",
            "{reset,up} reset!E -> {up}",
            "{reset,up} reset!E -> {reset,up}",
            "{reset,up} reset!E -> {reset}",
        ],
    );
}

#[test]
fn maps_are_fields_like_others() {
    let text = "class Lock { var held: map<bool, bool>;
        constructor() { held[false] := false; held[true] := false; }
        action lock(k: bool) requires !held[k] { held[k] := true; }
        action unlock(k: bool) requires held[k] { held[k] := false; } }";
    let found = oracle(text, &Domain::integers(0..=0));
    check_clean(&found);
    check(
        &found,
        &[
            "I Lock() -> {lock}",
            "{lock} lock -> {lock,unlock}",
            "{lock,unlock} lock -> {unlock}",
            "{lock,unlock} unlock -> {lock}",
            "{unlock} unlock -> {lock,unlock}",
        ],
    );
}

// Reference §3.7 with a buffer in the heap instead of a boolean.
#[test]
fn objects_and_arrays_around() {
    let text = "class Buffer { var items: array<bool>?; constructor() { items := null; } }
        class LinkedList { var buffer: Buffer?; var size: int; const first: bool;
        invariant buffer == null || size >= 0;
        invariant size <= 2 && -1 <= size;
        constructor() { buffer := new Buffer(); size := 0; }
        action Add(e: bool) requires buffer != null requires size < 2 { size := size + 1; }
        action Remove() requires buffer != null && size > 0 { size := size - 1; }
        action Destroy() requires buffer != null { buffer := null; size := -1; }
        action Look(b: Buffer) returns (r: bool) requires b.items.length > 0 { r := b.items[1]; } }";
    let domain = Domain {
        lengths: 0..=2,
        ..Domain::integers(-1..=2)
    };
    let found = oracle(text, &domain);
    check_clean(&found);
    let seen: BTreeSet<String> = found
        .transitions
        .iter()
        .filter(|t| t.action == "Look")
        .map(|t| format!("{:?}", t.exception))
        .collect();
    let look: BTreeSet<String> = ["None", "Some(\"IndexOutOfRange\")"]
        .map(String::from)
        .into();
    assert_eq!(seen, look);
    let without_look: BTreeSet<String> = edges(&found)
        .iter()
        .filter(|e| !e.contains("Look"))
        .cloned()
        .collect();
    let expected = [
        "I LinkedList() -> {Add,Destroy}",
        "{Add,Destroy} Add -> {Add,Destroy,Remove}",
        "{Add,Destroy} Destroy -> {}",
        "{Add,Destroy,Remove} Add -> {Destroy,Remove}",
        "{Add,Destroy,Remove} Remove -> {Add,Destroy}",
        "{Add,Destroy,Remove} Destroy -> {}",
        "{Destroy,Remove} Remove -> {Add,Destroy,Remove}",
        "{Destroy,Remove} Destroy -> {}",
    ];
    assert_eq!(without_look, expected.map(String::from).into());
}

#[test]
fn what_cannot_be_told_is_said() {
    let unknown = program(
        "class C { var n: int; invariant forall i: int :: i * i >= n; constructor() { n := 0; } }",
    );
    let answer = explore(&unknown, last_class(&unknown), &Domain::integers(0..=1));
    assert!(matches!(answer, Err(OracleError::Undetermined(_))));
    let many = program("class C { var a: int; var b: int; var c: int; constructor() { } }");
    let domain = Domain {
        limit: 1000,
        ..Domain::integers(0..=200)
    };
    let answer = explore(&many, last_class(&many), &domain);
    assert_eq!(answer, Err(OracleError::TooLarge));
    let text = "class C { constructor() { } action spin() { while (true) { } } }";
    let found = oracle(text, &Domain::integers(0..=0));
    let undecided: Vec<String> = found.undecided.keys().map(show_exit).collect();
    assert_eq!(undecided, ["{spin} spin"]);
    check(&found, &["I C() -> {spin}"]);
}

#[test]
fn what_is_known_of_a_state_and_of_the_objects_around() {
    let text = "class D { var v: int; invariant v == 1; }
        class C { var n: int; var d: D?; invariant 0 <= n <= 1;
        state { up } assumes n == 0;
        constructor() { n := 0; d := null; }
        action up() requires d == null { n := 1; }
        action look(e: D) requires e.v != 1 { }
        action spoil() requires d != null { d.v := 2; } }";
    let found = oracle(text, &Domain::integers(0..=2));
    // With n = 1 it is not in {up}, so `up` ends nowhere; no object around has v != 1.
    check(&found, &["I C() -> {up}"]);
    let exits: Vec<String> = found.violations.iter().map(show_exit).collect();
    assert_eq!(exits, ["{spoil} spoil"]);
    assert_eq!(found.states.len(), 2);
}
