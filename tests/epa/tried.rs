//! What running a class shows before the engine is asked.

use tranquera::encode::Encoding;
use tranquera::engine::Builtin;
use tranquera::epa::{self, ConstructOptions, Epa, answers};
use tranquera::front::tq::{self, Loaded};

/// A drain takes as many rounds as others say, may fail in each, and ends in one of three states.
const TANK: &str = "exception Burst;
class Tank {
    var open: bool; var level: int;
    invariant 0 <= level <= 9;
    constructor() { open := true; level := 9; }
    action drain(most: int) requires open && most >= 0 {
        var left: int := most;
        while (level > 0 && left > 0) {
            if (*) { throw Burst; }
            level := level - 1;
            left := left - 1;
        }
        if (level == 0) { open := false; }
    }
    action fill() requires level == 0 { level := 9; open := true; }
}";

fn constructed(loaded: &Loaded, encoding: &Encoding, large: usize) -> Epa {
    let options = ConstructOptions {
        large,
        ..ConstructOptions::default()
    };
    let made = epa::construct(encoding, &Builtin::default(), &options).expect("an EPA");
    let mut epa = made.epa();
    answers::tell(
        &encoding.subject,
        &loaded.source,
        "builtin",
        &made.abstraction,
        &mut epa,
    );
    epa
}

/// By hand: open and not empty, open and empty (by a failure in the last round there is none: it is closed there), closed and empty.
#[test]
fn what_runs_show_is_not_asked() {
    let loaded = tq::parse_text("tank.tq", TANK).expect("a class");
    let class = loaded.program.class_named("Tank").expect("it");
    let encoding = Encoding::of_class(&loaded.program, class).expect("encoded");
    let asked = constructed(&loaded, &encoding, usize::MAX);
    let run = constructed(&loaded, &encoding, 0);
    let edges = |epa: &Epa| -> Vec<String> {
        let edges = epa.transitions.iter();
        let line = edges.map(|t| {
            let raised = t.exception.as_deref().unwrap_or("-");
            let verdict = format!("{:?}", t.verdict);
            format!("{} {} {raised} {} {verdict}", t.source, t.action, t.target)
        });
        line.collect()
    };
    assert_eq!(edges(&run), edges(&asked));
    let reached = |epa: &Epa, by_runs: bool| -> u64 {
        let kinds = epa.stats.queries_by_kind.iter();
        let such = kinds.filter(|(kind, _)| (*kind == "run") == by_runs);
        such.map(|(_, counts)| counts.reached).sum()
    };
    assert_eq!(reached(&asked, true), 0);
    assert!(reached(&run, true) > 0);
    assert!(reached(&run, false) < reached(&asked, false));
    let unreachable = |epa: &Epa| epa.stats.queries.unreachable;
    assert_eq!(unreachable(&run), unreachable(&asked));

    let by_runs = run.transitions.iter().filter_map(|t| t.answer.as_deref());
    let by_runs: Vec<_> = by_runs.filter(|a| a.engine == "interpreter").collect();
    assert!(!by_runs.is_empty());
    for answer in by_runs {
        assert_eq!(answer.verdict, "reached");
        assert!(["transition", "exceptional-exit"].contains(&answer.kind.as_str()));
        let call = answer.call.as_ref().expect("a call");
        assert!(call.replayed && !call.path.is_empty(), "{call:?}");
        assert_eq!(call.before.len(), 2);
    }
}
