//! Made-up EPAs, that hold everything an EPA can hold, and more of it.

use super::{constructor, table, transition};
use crate::ask::{Named, QueryCounts, Run, RunCall};
use crate::epa::Epa;
use crate::epa::wire::{
    Certainty, Confirmation, ConstructorEdge, EpaFinding, EpaState, Refuted, Transition,
};

/// A run of two calls, with everything that a run can tell.
fn run(edge: usize) -> Run {
    let named = |name: &str, value: &str| Named {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    let call = |edge, name: &str, target: &str, path| RunCall {
        edge: Some(edge),
        name: name.to_owned(),
        arguments: vec![named("count", "3")],
        objects: vec![],
        results: vec![],
        exception: None,
        target: Some(target.to_owned()),
        fields: vec![named("open", "true"), named("left", "2 < 3")],
        path,
        user_path: vec![],
    };
    let last = RunCall {
        results: vec![named("ok", "false")],
        exception: Some("Lost".to_owned()),
        ..call(edge, "send", "S2", vec![7, 8, 9, 11, 12, 11, 12])
    };
    Run {
        calls: vec![call(0, "Session(int)", "S1", vec![4]), last],
        replayed: true,
        not_replayed: None,
    }
}

/// A class with one of everything: `?`, `*`, outcomes, exceptions, findings, notes, the second pass's three answers.
pub fn everything() -> Epa {
    let mut epa = table(
        "Session",
        "open,send,close,size",
        "S1={open,size} S2={send,close,size} S3={}",
        "Session()->S1 Session(int)->S1 Session(int)->S2 resumed()->S2",
        "S1: size->S1\nS2: send->S2; close->S3; size->S2",
    );
    let outcome = |target: &str, outcome: &str| Transition {
        outcome: Some(outcome.to_owned()),
        ..transition("S1", "open", target)
    };
    let reason = Some("bound-hit: the loop in `send` was unrolled 3 times".to_owned());
    epa.transitions.extend([
        outcome("S2", "ok"),
        outcome("S1", "!ok"),
        Transition {
            verdict: Certainty::Maybe,
            reason: reason.clone(),
            ..transition("S2", "send", "S3")
        },
        Transition {
            verdict: Certainty::Maybe,
            reason: Some("timeout: no answer in 30 s".to_owned()),
            violates_invariant: true,
            ..transition("S2", "close", "S1")
        },
        Transition {
            exception: Some("Timeout".to_owned()),
            ..transition("S2", "send", "S1")
        },
    ]);
    for constructor in &mut epa.constructors {
        if constructor.name == "resumed()" {
            constructor.verdict = Certainty::Maybe;
            constructor.reason = reason.clone();
            constructor.violates_invariant = true;
        }
    }
    epa.constructors.push(ConstructorEdge {
        target: None,
        exception: Some("Refused".to_owned()),
        ..constructor("Session(int)", "")
    });
    epa.transitions
        .sort_by(|a, b| (&a.source, &a.action).cmp(&(&b.source, &b.action)));
    for (i, transition) in epa.transitions.iter_mut().enumerate() {
        transition.confirmation = match i % 4 {
            0 => Some(Confirmation::Confirmed { calls: 2 }),
            1 => Some(Confirmation::Unconfirmed { bound: 6 }),
            _ => None,
        };
    }
    // As many edges come before the transitions as there are constructors' edges.
    let confirmed = (0..epa.transitions.len()).step_by(4);
    epa.runs = confirmed.map(|i| run(epa.constructors.len() + i)).collect();
    epa.refuted = Some(Refuted {
        invariant: vec!["open ==> pending >= 0".to_owned()],
        states: vec![EpaState {
            id: "S9".to_owned(),
            enabled: vec!["close".to_owned()],
            initial: false,
        }],
        constructors: vec![ConstructorEdge {
            confirmation: Some(Confirmation::Refuted),
            ..constructor("resumed()", "S9")
        }],
        transitions: vec![Transition {
            confirmation: Some(Confirmation::Refuted),
            ..transition("S2", "close", "S9")
        }],
    });
    epa.findings = vec![
        EpaFinding {
            kind: "deadlock-state".to_owned(),
            state: Some("S3".to_owned()),
            action: None,
            message: "In S3 nothing can be called, and close leads there from S2.".to_owned(),
            run: None,
        },
        EpaFinding {
            kind: "can-violate".to_owned(),
            state: Some("S2".to_owned()),
            action: Some("close".to_owned()),
            message: "From S2, close can end in a configuration that breaks the invariant `pending >= 0`, which \
                      the result then assumes to hold."
                .to_owned(),
            run: None,
        },
    ];
    epa.notes = vec![
        "The parameters of `send` could not be eliminated: its guard is over-approximated."
            .to_owned(),
    ];
    epa.stats.queries = QueryCounts {
        total: 31,
        reached: 14,
        unreachable: 13,
        bound_hit: 3,
        unknown: 1,
    };
    epa.stats.precision = 27.0 / 31.0;
    epa.stats.wall_ms = 83_012;
    epa
}

/// Names that try to break out of every format.
pub const HOSTILE: [&str; 14] = [
    "a\"b",
    "a'b",
    "back\\",
    "\\N\\l\\\"",
    "<script>alert(1)</script>",
    "&lt;b&gt;&amp;",
    "]]><!-- --></svg>",
    "array<map<int, bool>>[3]",
    "semi;colon:colon%%{init}",
    "#quot; #35; [*] --> x",
    "línea_año_門_🚪",
    "tab\tnew\nline\r",
    "\u{1b}[31mred\u{0}\u{202e}",
    "{}|~`^$",
];

/// A class whose every name is hostile.
pub fn hostile() -> Epa {
    let names: Vec<String> = HOSTILE.iter().map(|&n| n.to_owned()).collect();
    let mut epa = table("x", "", "", "", "");
    epa.class = HOSTILE.join(" ");
    epa.actions = names.clone();
    for (i, name) in names.iter().enumerate() {
        epa.states.push(EpaState {
            id: name.clone(),
            enabled: names.clone(),
            initial: i == 0,
        });
        let target = names.get(i + 1).unwrap_or(name);
        epa.transitions.push(Transition {
            outcome: Some(name.clone()),
            reason: Some(name.clone()),
            verdict: Certainty::Maybe,
            ..transition(name, name, target)
        });
        epa.transitions.push(Transition {
            exception: Some(name.clone()),
            ..transition(name, name, name)
        });
        epa.findings.push(EpaFinding {
            kind: name.clone(),
            state: None,
            action: None,
            message: name.clone(),
            run: None,
        });
        epa.notes.push(name.clone());
        epa.constructors
            .push(constructor(&format!("{name}()"), &names[0]));
    }
    epa.constructors.push(ConstructorEdge {
        target: None,
        exception: Some(HOSTILE[0].to_owned()),
        ..constructor(&format!("{}()", HOSTILE[4]), "")
    });
    epa
}

/// A random-looking EPA, the same at every call: `states` states and `edges` transitions.
pub fn scattered(states: usize, edges: usize, seed: u64) -> Epa {
    let mut random = Random(seed);
    let actions = [
        "open",
        "close",
        "read_next",
        "write_all",
        "flush",
        "reset_to_initial_position",
        "a",
        "poll",
    ];
    let id = |n: usize| format!("S{}", n + 1);
    let mut epa = table("Scattered", &actions.join(","), "", "", "");
    for n in 0..states {
        let enabled = actions
            .iter()
            .filter(|_| random.below(2) == 0)
            .map(|a| (*a).to_owned());
        let enabled = enabled.collect();
        epa.states.push(EpaState {
            id: id(n),
            enabled,
            initial: n == 0 || random.below(10) == 0,
        });
    }
    epa.constructors = epa
        .states
        .iter()
        .filter(|s| s.initial)
        .map(|s| constructor("Scattered()", &s.id))
        .collect();
    for n in 0..edges {
        // The first ones reach every state.
        let (source, target) = if n + 1 < states {
            (random.below(n + 1), n + 1)
        } else {
            (random.below(states), random.below(states))
        };
        let action = actions[random.below(actions.len())];
        epa.transitions.push(Transition {
            verdict: if random.below(8) == 0 {
                Certainty::Maybe
            } else {
                Certainty::Reached
            },
            violates_invariant: random.below(9) == 0,
            ..transition(&id(source), action, &id(target))
        });
    }
    epa
}

/// A linear congruential generator (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}
