//! EPAs to draw in tests: the classes of the 2016 thesis, written from the reference's own tables, and made-up ones
//! that hold everything an EPA can hold.

use crate::epa::Epa;
use crate::epa::model::{
    Certainty, Confirmation, ConstructorEdge, Finding, QueryCounts, Refuted, SCHEMA, State, Stats,
    Transition,
};
use crate::epa::run::{Call, Named, Run};

/// An EPA from a table as the reference writes it: `S1={a,b} S2={}`; constructor edges `C()->S1`; and edges
/// `S1: a->S2 S3; b->S1`, one source a line.
pub fn table(class: &str, actions: &str, states: &str, constructors: &str, edges: &str) -> Epa {
    let starts: Vec<(&str, &str)> = constructors
        .split_whitespace()
        .filter_map(|c| c.split_once("->"))
        .collect();
    let names = |list: &str| {
        list.split(',')
            .filter(|a| !a.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let state = |(id, set): (&str, &str)| State {
        id: id.to_owned(),
        enabled: names(set.trim_matches(['{', '}'])),
        initial: starts.iter().any(|(_, target)| *target == id),
    };
    let mut transitions = Vec::new();
    for (source, rest) in edges.lines().filter_map(|line| line.split_once(':')) {
        for (action, targets) in rest.split(';').filter_map(|e| e.split_once("->")) {
            for target in targets.split_whitespace() {
                transitions.push(transition(source.trim(), action.trim(), target));
            }
        }
    }
    Epa {
        schema: SCHEMA.to_owned(),
        class: class.to_owned(),
        actions: names(actions),
        states: states
            .split_whitespace()
            .filter_map(|s| s.split_once('='))
            .map(state)
            .collect(),
        constructors: starts
            .iter()
            .map(|(name, target)| constructor(name, target))
            .collect(),
        transitions,
        refuted: None,
        runs: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        stats: Stats {
            engine: "boogie".to_owned(),
            recursion_bound: 3,
            strategy: "guided".to_owned(),
            precision: 1.0,
            ..Stats::default()
        },
    }
}

pub fn transition(source: &str, action: &str, target: &str) -> Transition {
    Transition::certain(source, action, target)
}

/// A run of two calls, with everything that a run can tell.
fn run(edge: usize) -> Run {
    let named = |name: &str, value: &str| Named {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    let call = |edge, name: &str, target: &str, path| Call {
        edge,
        name: name.to_owned(),
        arguments: vec![named("count", "3")],
        results: vec![],
        exception: None,
        target: Some(target.to_owned()),
        fields: vec![named("open", "true"), named("left", "2 < 3")],
        path,
    };
    let last = Call {
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

pub fn constructor(name: &str, target: &str) -> ConstructorEdge {
    ConstructorEdge::certain(name, Some(target))
}

pub fn linear() -> Epa {
    table(
        "Linear",
        "a0,a1,a2,get_N",
        "S1={a0,get_N} S2={a1,get_N} S3={a2,get_N} S4={get_N}",
        "Linear()->S1",
        "S1: a0->S2; get_N->S1\nS2: a1->S3; get_N->S2\nS3: a2->S4; get_N->S3\nS4: get_N->S4",
    )
}

pub fn vending_machine() -> Epa {
    let mut epa = table(
        "VendingMachine",
        "DisplayPrice,Buy,ReturnChange,ReturnItem",
        "S1={DisplayPrice,Buy} S2={} S3={ReturnChange} S4={ReturnItem}",
        "VendingMachine()->S1",
        "S1: DisplayPrice->S1; Buy->S2 S3 S4\nS3: ReturnChange->S4\nS4: ReturnItem->S1",
    );
    epa.findings.push(Finding {
        kind: "deadlock-state".to_owned(),
        state: Some("S2".to_owned()),
        action: None,
        message: "In S2 nothing can be called, and Buy leads there from S1.".to_owned(),
    });
    epa.stats.queries = QueryCounts {
        total: 48,
        reached: 20,
        unreachable: 28,
        ..QueryCounts::default()
    };
    let kinds = [
        ("transition", 8, 6, 2),
        ("necessarily enabled", 20, 7, 13),
        ("necessarily disabled", 20, 7, 13),
    ];
    epa.stats.queries_by_kind = kinds
        .into_iter()
        .map(|(kind, total, reached, unreachable)| {
            (
                kind.to_owned(),
                QueryCounts {
                    total,
                    reached,
                    unreachable,
                    ..QueryCounts::default()
                },
            )
        })
        .collect();
    epa.stats.wall_ms = 2_345;
    epa
}

pub fn finite_stack() -> Epa {
    table(
        "FiniteStack",
        "Pop,Push,get_Max,get_Next",
        "S1={Push,get_Max,get_Next} S2={Pop,Push,get_Max,get_Next} S3={Pop,get_Max,get_Next}",
        "FiniteStack()->S1 FiniteStack(int)->S1",
        "S1: Push->S2; get_Max->S1; get_Next->S1\n\
         S2: Pop->S1 S2; Push->S2 S3; get_Max->S2; get_Next->S2\n\
         S3: Pop->S2; get_Max->S3; get_Next->S3",
    )
}

pub fn door() -> Epa {
    table(
        "Door",
        "Open,Close,Start,Stop,Alarm,Safe",
        "S1={Open,Start,Alarm} S2={Close,Start,Alarm} S3={Stop,Alarm} S4={Start,Safe} S5={Stop,Safe} \
         S6={Close,Stop,Alarm}",
        "Door()->S1",
        "S1: Open->S2; Start->S3; Alarm->S4\nS2: Close->S1; Start->S3; Alarm->S4\nS3: Stop->S1; Alarm->S5\n\
         S4: Start->S5; Safe->S2\nS5: Stop->S4; Safe->S6\nS6: Close->S3; Stop->S2; Alarm->S5",
    )
}

pub fn atm() -> Epa {
    let long = |text: &str| {
        let names = [
            ("IC", "InsertCard"),
            ("EP", "EnterPassword"),
            ("TC", "TakeCard"),
            ("DM", "DisplayMainScreen"),
            ("RP", "RequestPassword"),
            ("EC", "EjectCard"),
            ("RT", "RequestTakeCard"),
            ("CM", "CanceledMessage"),
        ];
        names
            .into_iter()
            .fold(text.to_owned(), |text, (short, long)| {
                text.replace(short, long)
            })
    };
    table(
        "ATM",
        &long("IC,EP,TC,DM,RP,EC,RT,CM"),
        &long(
            "S1={IC,EP,DM,RP} S2={EP,RP,EC,CM} S3={IC,DM} S4={EC,CM} S5={IC,EP,TC,RP,RT} S6={EP,TC,RP,EC,RT,CM} \
             S7={IC,TC,RT} S8={TC,EC,RT,CM}",
        ),
        "ATM()->S1",
        &long(
            "S1: IC->S2; EP->S3; DM->S1; RP->S1\nS2: EP->S4; RP->S2; EC->S5; CM->S2\nS3: IC->S4; DM->S3\n\
             S4: EC->S5; CM->S4\nS5: IC->S6; EP->S7; TC->S1; RP->S5; RT->S5\n\
             S6: EP->S8; TC->S1; RP->S6; EC->S5; RT->S6; CM->S6\nS7: IC->S8; TC->S3; RT->S7\n\
             S8: TC->S3; EC->S5; RT->S8; CM->S8",
        ),
    )
}

pub fn list_itr() -> Epa {
    table(
        "ListItr",
        "next,previous,remove,set,add",
        "S1={add} S2={next,add} S3={previous,add} S4={next,previous,add} S5={previous,remove,set,add} \
         S6={next,previous,remove,set,add} S7={next,remove,set,add}",
        "ListItr(ArrayList,int)->S1 ListItr(ArrayList,int)->S2 ListItr(ArrayList,int)->S3 \
         ListItr(ArrayList,int)->S4",
        "S1: add->S3\nS2: next->S5 S6; add->S4\nS3: previous->S7 S6; add->S3\n\
         S4: next->S5 S6; previous->S7 S6; add->S4\n\
         S5: previous->S7 S6; remove->S1 S3; set->S5; add->S3\n\
         S6: next->S5 S6; previous->S7 S6; remove->S2 S3 S4; set->S6; add->S4\n\
         S7: next->S5 S6; remove->S1 S2; set->S7; add->S4",
    )
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
        states: vec![State {
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
        Finding {
            kind: "deadlock-state".to_owned(),
            state: Some("S3".to_owned()),
            action: None,
            message: "In S3 nothing can be called, and close leads there from S2.".to_owned(),
        },
        Finding {
            kind: "can-violate".to_owned(),
            state: Some("S2".to_owned()),
            action: Some("close".to_owned()),
            message: "From S2, close can end in a configuration that breaks the invariant `pending >= 0`, which \
                      the result then assumes to hold."
                .to_owned(),
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
        epa.states.push(State {
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
        epa.findings.push(Finding {
            kind: name.clone(),
            state: None,
            action: None,
            message: name.clone(),
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
        epa.states.push(State {
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

/// Every sample, by name.
pub fn all() -> Vec<(&'static str, Epa)> {
    vec![
        ("linear", linear()),
        ("vending_machine", vending_machine()),
        ("finite_stack", finite_stack()),
        ("door", door()),
        ("atm", atm()),
        ("list_itr", list_itr()),
        ("everything", everything()),
        ("hostile", hostile()),
        ("dense", scattered(16, 80, 7)),
        ("large", scattered(60, 130, 11)),
        ("empty", table("Empty", "", "", "", "")),
        ("single", table("Single", "", "S1={}", "Single()->S1", "")),
    ]
}
