//! Every kind of finding on an EPA made by hand, and what must not be found.

use super::*;
use crate::epa::read::read;
use crate::epa::wire::{Certainty, Confirmation, Epa};
use crate::view::samples::{self, table, transition};

/// What the class says besides, by names.
#[derive(Default)]
struct Said {
    control: Vec<(&'static str, Control)>,
    violations: Vec<Finding>,
}

fn findings(epa: &Epa, said: &Said) -> (Abstraction, Vec<Finding>) {
    let mut epa = read(epa).unwrap();
    for outcomes in &mut epa.names.outcomes {
        outcomes.insert(vec![1], "ok".into());
    }
    let action = |name: &str| {
        epa.names
            .actions
            .iter()
            .position(|a| a == name)
            .map(ActionId)
    };
    let control = said.control.iter();
    let besides = Besides {
        control: control
            .filter_map(|(name, control)| Some((action(name)?, *control)))
            .collect(),
        violations: said.violations.clone(),
        ..Besides::default()
    };
    let findings = of_shape(&epa, &besides);
    (epa, findings)
}

/// What is found, without the sentences.
fn found(epa: &Epa, said: &Said) -> Vec<(String, Option<String>, Option<String>)> {
    let (epa, findings) = findings(epa, said);
    let entry = |f: &Finding| {
        (
            f.kind().to_owned(),
            f.state().map(|id| epa.names.state(id).to_owned()),
            f.callee().map(|callee| epa.names.callee(callee).to_owned()),
        )
    };
    findings.iter().map(entry).collect()
}

fn entry(
    kind: &str,
    state: Option<&str>,
    action: Option<&str>,
) -> (String, Option<String>, Option<String>) {
    (
        kind.to_owned(),
        state.map(str::to_owned),
        action.map(str::to_owned),
    )
}

fn message(epa: &Epa, said: &Said) -> String {
    let (epa, findings) = findings(epa, said);
    let messages = findings.iter().map(|f| f.message(&epa.names));
    messages.collect::<Vec<String>>().join("\n")
}

fn nothing() -> Said {
    Said::default()
}

/// A call of an action in the first state, with the outcome `ok`.
fn call(action: usize) -> CallOccurrence {
    CallOccurrence {
        state: Some(StateId(0)),
        callee: Callee::Action(ActionId(action)),
        exit: Exit::Outcome(vec![1]),
    }
}

fn violation(found: Finding) -> Said {
    Said {
        violations: vec![found],
        ..nothing()
    }
}

fn controls(ours: &[&'static str], theirs: &[&'static str]) -> Said {
    let ours = ours.iter().map(|a| (*a, Control::Controllable));
    let theirs = theirs.iter().map(|a| (*a, Control::Monitored));
    Said {
        control: ours.chain(theirs).collect(),
        ..nothing()
    }
}

#[test]
fn a_deadlock() {
    let epa = table(
        "C",
        "a,b",
        "S1={a,b} S2={}",
        "C()->S1",
        "S1: a->S1; b->S1 S2",
    );
    assert_eq!(
        found(&epa, &nothing()),
        [entry("deadlock-state", Some("S2"), None)]
    );
    assert_eq!(
        message(&epa, &nothing()),
        "in S2 no action can be called any more; `b` from S1 leads there; unless objects are meant to end like \
         this, a `requires` or an `ensures` is too strong, or the invariant is too weak (`tranquera confirm` says \
         whether an object gets there, `tranquera explain` how)"
    );
}

#[test]
fn a_deadlock_that_may_not_be_reached_says_so() {
    let mut epa = table(
        "C",
        "a,b",
        "S1={a,b} S2={}",
        "C()->S1",
        "S1: a->S1; b->S1 S2",
    );
    for transition in epa.transitions.iter_mut().filter(|t| t.target == "S2") {
        transition.verdict = Certainty::Maybe;
    }
    assert_eq!(
        message(&epa, &nothing()),
        "in S2 no action can be called any more; `b` from S1 leads there, but no certain edge does, so it may be \
         that no object ever gets there"
    );
}

#[test]
fn a_deadlock_says_what_the_second_pass_found() {
    let mut epa = table(
        "C",
        "a,b",
        "S1={a,b} S2={}",
        "C()->S1",
        "S1: a->S1; b->S1 S2",
    );
    let mut looked_for = |confirmation: Confirmation| {
        for transition in epa.transitions.iter_mut().filter(|t| t.target == "S2") {
            transition.confirmation = Some(confirmation.clone());
        }
        message(&epa, &nothing())
    };
    assert_eq!(
        looked_for(Confirmation::Confirmed { calls: 2 }),
        "in S2 no action can be called any more; `b` from S1 leads there, and a run gets there (`tranquera confirm` \
         shows it); unless objects are meant to end like this, a `requires` or an `ensures` is too strong, or the \
         invariant is too weak"
    );
    assert_eq!(
        looked_for(Confirmation::Unconfirmed { bound: 9 }),
        "in S2 no action can be called any more; `b` from S1 leads there, but no run was found that gets there"
    );
}

#[test]
fn a_deadlock_with_many_ways_in_names_some() {
    let epa = table(
        "C",
        "a,b,c,d",
        "S1={a,b,c,d} S2={}",
        "C()->S1",
        "S1: a->S1 S2; b->S1 S2; c->S2 S1; d->S2 S1",
    );
    let text = message(&epa, &nothing());
    assert!(
        text.contains("`a` from S1, `b` from S1 and 2 more lead there"),
        "{text}"
    );
}

#[test]
fn a_sink() {
    let epa = table(
        "C",
        "a,b",
        "S1={a} S2={b}",
        "C()->S1",
        "S1: a->S2; \nS2: b->S2",
    );
    assert_eq!(
        found(&epa, &nothing()),
        [entry("sink-state", Some("S2"), None)]
    );
}

#[test]
fn a_state_with_a_way_out_is_no_sink_even_if_only_a_failing_one() {
    let mut epa = table(
        "C",
        "a,b",
        "S1={a} S2={b}",
        "C()->S1",
        "S1: a->S2\nS2: b->S2",
    );
    let mut failing = transition("S2", "b", "S1");
    failing.exception = Some("E".to_owned());
    epa.transitions.push(failing);
    assert_eq!(found(&epa, &nothing()), []);
}

#[test]
fn the_only_state_is_no_sink() {
    let epa = table("C", "a", "S1={a}", "C()->S1", "S1: a->S1");
    assert_eq!(found(&epa, &nothing()), []);
}

#[test]
fn a_missing_action() {
    let epa = table("C", "a,b", "S1={a}", "C()->S1", "S1: a->S1");
    assert_eq!(
        found(&epa, &nothing()),
        [entry("missing-action", None, Some("b"))]
    );
}

#[test]
fn an_action_that_leads_nowhere() {
    let epa = table("C", "a,b", "S1={a,b}", "C()->S1", "S1: a->S1");
    assert_eq!(
        found(&epa, &nothing()),
        [entry("no-transition", Some("S1"), Some("b"))]
    );
}

#[test]
fn an_action_that_always_breaks_the_invariant() {
    let epa = table("C", "a,b", "S1={a,b}", "C()->S1", "S1: a->S1");
    let known = violation(Finding::AlwaysViolates(call(1), Seen::default()));
    assert_eq!(
        found(&epa, &known),
        [entry("always-violates", Some("S1"), Some("b"))]
    );
    assert!(message(&epa, &known).starts_with("`b[ok]` can happen in S1, but always breaks"));
    // It is one even where the action can also end otherwise; and a constructor is in no state.
    let also = table("C", "a,b", "S1={a,b}", "C()->S1", "S1: a->S1; b->S1");
    assert_eq!(found(&also, &known).len(), 1);
    let site = CallOccurrence {
        state: None,
        callee: Callee::Constructor(ConstructorId(0)),
        exit: Exit::Normal,
    };
    let constructor = violation(Finding::AlwaysViolates(site, Seen::default()));
    assert_eq!(
        found(&also, &constructor),
        [entry("always-violates", None, Some("C()"))]
    );
}

/// What is not known is no `never`: an engine that gave in must not make an action look as if it led nowhere.
#[test]
fn an_action_that_may_break_the_invariant() {
    let epa = table("C", "a,b", "S1={a,b}", "C()->S1", "S1: a->S1");
    let known = violation(Finding::MayViolate(
        call(1),
        Doubt::Told("timeout: 60 s".into()),
        Seen::default(),
    ));
    assert_eq!(
        found(&epa, &known),
        [entry("possible-violation", Some("S1"), Some("b"))]
    );
    assert_eq!(
        message(&epa, &known),
        "`b[ok]` in S1 may break the invariant, which could not be ruled out (timeout: 60 s)"
    );
}

#[test]
fn mirrored_actions() {
    let epa = table(
        "C",
        "a,b,c,d",
        "S1={a,b,c} S2={d}",
        "C()->S1",
        "S1: a->S2; b->S1 S2; c->S2\nS2: d->S1",
    );
    assert_eq!(
        found(&epa, &nothing()),
        [entry("mirrored-actions", None, Some("a"))]
    );
    assert!(message(&epa, &nothing()).starts_with("`a` and `c` can be called"));
}

#[test]
fn getters_and_uncertain_actions_are_not_mirrored() {
    let getters = table(
        "C",
        "a,get,size",
        "S1={a,get,size}",
        "C()->S1",
        "S1: a->S1; get->S1; size->S1",
    );
    assert_eq!(found(&getters, &nothing()), []);
    let mut unknown = table("C", "a,b", "S1={a,b} S2={}", "C()->S1", "S1: a->S2; b->S2");
    for transition in &mut unknown.transitions {
        transition.verdict = Certainty::Maybe;
    }
    assert_eq!(
        found(&unknown, &nothing()),
        [entry("deadlock-state", Some("S2"), None)]
    );
}

#[test]
fn actions_that_only_end_differently_are_not_mirrored() {
    // The same ends, but one of them fails.
    let mut epa = table(
        "C",
        "a,b,c",
        "S1={a,b} S2={c}",
        "C()->S1",
        "S1: a->S2; b->S2\nS2: c->S1",
    );
    epa.transitions[1].exception = Some("E".to_owned());
    assert_eq!(found(&epa, &nothing()), []);
}

/// `spokes` states, each with two actions that lead to a hub; from there one action leads to each of them.
fn wheel(spokes: usize) -> Epa {
    let states: Vec<String> = (1..=spokes)
        .map(|i| format!("S{i}={{a{i},b{i}}}"))
        .collect();
    let names: Vec<String> = (1..=spokes).map(|i| format!("a{i},b{i},c{i}")).collect();
    let hub: Vec<String> = (1..=spokes).map(|i| format!("c{i}")).collect();
    let into: Vec<String> = (1..=spokes)
        .map(|i| format!("S{i}: a{i}->Hub; b{i}->Hub S{i}"))
        .collect();
    let out: Vec<String> = (1..=spokes).map(|i| format!("c{i}->S{i}")).collect();
    table(
        "Wheel",
        &names.join(","),
        &format!("{} Hub={{{}}}", states.join(" "), hub.join(",")),
        "Wheel()->S1",
        &format!("{}\nHub: {}", into.join("\n"), out.join("; ")),
    )
}

#[test]
fn high_fan_in() {
    // 15 spokes: 30 transitions end in the hub, and 45 move in all, over 16 states.
    let hub = wheel(15);
    assert_eq!(
        found(&hub, &nothing()),
        [entry("high-fan-in", Some("Hub"), None)]
    );
    let message = message(&hub, &nothing());
    assert!(
        message.starts_with("30 transitions from other states end in Hub (on average 2.8 do)"),
        "{message}"
    );
    // 28 are too few; the self loops do not count.
    assert_eq!(found(&wheel(14), &nothing()), []);
}

#[test]
fn a_high_fan_in_where_every_state_has_one_is_no_finding() {
    // Three states, 16 actions that lead from each to each of the others: 32 end in each, but so they do everywhere. (No
    // two states enable the same actions: in two of them there is one more.)
    let actions: Vec<String> = (1..=16).map(|i| format!("a{i}")).collect();
    let all = actions.join(",");
    let edges = |targets: &str| {
        let edges: Vec<String> = actions.iter().map(|a| format!("{a}->{targets}")).collect();
        edges.join("; ")
    };
    let epa = table(
        "C",
        &format!("{all},b,c"),
        &format!("S1={{{all}}} S2={{{all},b}} S3={{{all},c}}"),
        "C()->S1",
        &format!(
            "S1: {}\nS2: {}; b->S2\nS3: {}; c->S3",
            edges("S2 S3"),
            edges("S1 S3"),
            edges("S1 S2")
        ),
    );
    let findings = found(&epa, &nothing());
    assert_eq!(findings, [entry("mirrored-actions", None, Some("a1"))]);
}

#[test]
fn a_highly_nondeterministic_action() {
    let edges = |targets: &str| format!("S1: a->{targets}\nS2: b->S1\nS3: c->S1\nS4: d->S1");
    let make = |targets| {
        table(
            "C",
            "a,b,c,d",
            "S1={a} S2={b} S3={c} S4={d}",
            "C()->S1",
            &edges(targets),
        )
    };
    let mut four = make("S1 S2 S3 S4");
    assert_eq!(
        found(&four, &nothing()),
        [entry("nondeterministic-action", Some("S1"), Some("a"))]
    );
    assert!(
        message(&four, &nothing())
            .starts_with("from S1, `a` may end in 4 states (S1, S2, S3 and S4): what it ensures")
    );
    // Three are ordinary, and so are four of which one is not certain, or of which each result has two.
    assert_eq!(found(&make("S2 S3 S4"), &nothing()), []);
    four.transitions[0].verdict = Certainty::Maybe;
    assert_eq!(found(&four, &nothing()), []);
    let mut split = make("S1 S2 S3 S4");
    for transition in &mut split.transitions[..2] {
        transition.outcome = Some("ok".to_owned());
    }
    assert_eq!(found(&split, &nothing()), []);
}

#[test]
fn mixed_control_in_one_state_and_in_several() {
    let epa = table(
        "C",
        "a,b,c",
        "S1={a,b} S2={a,c}",
        "C()->S1",
        "S1: a->S1; b->S2\nS2: a->S1; c->S2",
    );
    let one = controls(&["a"], &["b"]);
    assert_eq!(
        found(&epa, &one),
        [entry("mixed-control", Some("S1"), None)]
    );
    assert!(
        message(&epa, &one)
            .starts_with("in S1 both the program (`a`) and its environment (`b`) may act")
    );
    let both = controls(&["a"], &["b", "c"]);
    assert_eq!(found(&epa, &both), [entry("mixed-control", None, None)]);
    assert!(message(&epa, &both).starts_with(
        "in S1 and S2 both the program and its environment may act, in S1 for example `a` and `b`"
    ));
    // Actions that are not marked belong to nobody.
    assert_eq!(found(&epa, &controls(&["a"], &[])), []);
}

/// The classes of the 2016 thesis, as the reference has their EPAs: what a reviewer should see, and no more.
#[test]
fn the_small_classes_are_quiet() {
    let nothing_found: [Epa; 4] = [
        samples::finite_stack(),
        samples::door(),
        samples::atm(),
        samples::list_itr(),
    ];
    for epa in nothing_found {
        assert_eq!(found(&epa, &nothing()), [], "{}", epa.class);
    }
    assert_eq!(
        found(&samples::linear(), &nothing()),
        [entry("sink-state", Some("S4"), None)]
    );
    assert_eq!(
        found(&samples::vending_machine(), &nothing()),
        [entry("deadlock-state", Some("S2"), None)]
    );
}

/// The seven loops in one class (§4 of the reference, exact): three of the methods do the same, one may do anything.
#[test]
fn the_seven_loops() {
    let methods = "m1,m2,m3,m4,m5,m6,m7";
    let epa = table(
        "TestCorral",
        &format!("{methods},t1,t10"),
        &format!("S1={{{methods}}} S2={{t1}} S3={{}} S4={{t10}}"),
        "TestCorral()->S1",
        "S1: m1->S2; m2->S4; m3->S3 S1 S2 S4; m4->S4; m5->S1; m6->S1; m7->S4\nS2: t1->S2\nS4: t10->S4",
    );
    assert_eq!(
        found(&epa, &nothing()),
        [
            entry("deadlock-state", Some("S3"), None),
            entry("sink-state", Some("S2"), None),
            entry("sink-state", Some("S4"), None),
            entry("mirrored-actions", None, Some("m2")),
            entry("nondeterministic-action", Some("S1"), Some("m3")),
        ]
    );
    assert!(message(&epa, &nothing()).contains("`m2`, `m4` and `m7` can be called"));
}

#[test]
fn failures_of_operations() {
    let fails = |doubt, seen| Finding::RuntimeError {
        action: ActionId(0),
        exception: ExceptionId(0),
        doubt,
        seen,
    };
    assert_eq!(fails(None, Seen::NoRun).kind(), "runtime-error");
    let doubt = || Some(Doubt::Told("timeout".into()));
    let possible = fails(doubt(), Seen::NotLookedFor);
    assert_eq!(possible.kind(), "possible-runtime-error");
    // What an object does is possible no longer.
    let done = fails(doubt(), Seen::Run(Box::default()));
    assert_eq!(done.kind(), "runtime-error");
    let names = crate::query::Names {
        actions: vec!["a".into()],
        exceptions: vec!["IndexOutOfRange".into()],
        ..Default::default()
    };
    assert_eq!(
        done.message(&names),
        "`a` can end in IndexOutOfRange; some object does it (`tranquera confirm` shows the run)"
    );
    assert_eq!(
        possible.message(&names),
        "`a` may end in IndexOutOfRange, which could not be ruled out (timeout)"
    );
}

/// TSE 2012, §5.5: the initial and the second version of MS-WINSRA had states of high fan-in that led to faults; the
/// final one had not.
#[test]
fn the_versions_of_winsra() {
    for (version, expected) in [("initial", true), ("second", true), ("final", false)] {
        let path = format!(
            "{}/fixtures/tse-2012/winsra_{version}.epa.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(path).unwrap();
        let epa: Epa = serde_json::from_str(&text).unwrap();
        let (_, findings) = findings(&epa, &nothing());
        assert_eq!(
            findings
                .iter()
                .any(|f| matches!(f, Finding::HighFanIn { .. })),
            expected,
            "{version}"
        );
    }
}

#[test]
fn many_states_of_mixed_control_are_one_short_finding() {
    let states: Vec<String> = (1..=5).map(|i| format!("S{i}={{a,b,c{i}}}")).collect();
    let names: Vec<String> = (1..=5).map(|i| format!("c{i}")).collect();
    let edges: Vec<String> = (1..=5)
        .map(|i| format!("S{i}: a->S{i}; b->S{i}; c{i}->S{}", i % 5 + 1))
        .collect();
    let epa = table(
        "C",
        &format!("a,b,{}", names.join(",")),
        &states.join(" "),
        "C()->S1",
        &edges.join("\n"),
    );
    let text = message(&epa, &controls(&["a"], &["b"]));
    assert!(
        text.starts_with("in S1, S2 and 3 more both the program"),
        "{text}"
    );
}

/// TSE 2012, §6: a connected subset without a monitored action blocks the environment.
#[test]
fn a_blocked_environment() {
    let epa = |second: &str| {
        table(
            "C",
            "a,b,c,lost",
            "S1={a,lost} S2={b} S3={c} S4={a}",
            "C()->S1",
            &format!("S1: a->S2 S4; lost->S1\nS2: b->S3\nS3: c->{second}\nS4: a->S1"),
        )
    };
    let known = controls(&["a", "b", "c"], &["lost"]);
    let blocked = |epa: &Epa, said: &Said| -> Vec<(Option<StateId>, String)> {
        let (epa, all) = findings(epa, said);
        let found = all
            .iter()
            .filter(|f| matches!(f, Finding::BlockedEnvironment { .. }));
        found.map(|f| (f.state(), f.message(&epa.names))).collect()
    };
    // S2 and S3 lead to each other; S4 stands alone, and is no finding.
    let found = blocked(&epa("S1 S2"), &known);
    let message = "in S2 and S3, which are connected, no monitored action can be called: the environment is blocked, \
                   and the program can go on there for ever";
    assert_eq!(found, [(Some(StateId(1)), message.to_owned())]);
    // Without a way back the program comes to an end of it.
    let found = blocked(&epa("S1"), &known);
    assert!(
        found[0]
            .1
            .ends_with("is blocked, until the program has gone through them")
    );
    // Where S3 takes in what is lost, or nothing is monitored, there is nothing to say.
    assert_eq!(
        blocked(&epa("S1 S2"), &controls(&["a", "b"], &["lost", "c"])),
        []
    );
    assert_eq!(blocked(&epa("S1 S2"), &controls(&["a", "b", "c"], &[])), []);
}

/// A connection that may fail when it is open already, and one that does not open when it fails.
#[test]
fn an_exception_that_leaves_more_to_be_called_than_there_was() {
    let mut epa = table(
        "C",
        "open,read,close",
        "S1={open} S2={read,close}",
        "C()->S1",
        "S1: open->S2\nS2: read->S2; close->S1",
    );
    assert_eq!(found(&epa, &nothing()), []);
    let fails = |source: &str, action: &str, target: &str| {
        let mut failing = transition(source, action, target);
        failing.exception = Some("Timeout".to_owned());
        failing
    };
    // Where it was, and to where less can be called.
    epa.transitions.push(fails("S1", "open", "S1"));
    epa.transitions.push(fails("S2", "close", "S1"));
    epa.transitions.push(fails("S2", "read", "S1"));
    epa.transitions.push(fails("S2", "read", "S2"));
    let other = found(&epa, &nothing());
    assert!(
        !other.iter().any(|(kind, ..)| kind == "left-open"),
        "{other:?}"
    );
    epa.transitions.push(fails("S1", "open", "S2"));
    let all = found(&epa, &nothing());
    assert!(all.contains(&entry("left-open", Some("S1"), Some("open"))));
    let words = "called in S1, `open` may end by an exception in S2, as when all goes well: `read` and `close` can be called \
                 there, and could not be before, so what was begun is not taken back";
    assert!(message(&epa, &nothing()).contains(words));
    // What is not certain is no reproach.
    let last = epa.transitions.last_mut().expect("the last one");
    last.verdict = Certainty::Maybe;
    let none = found(&epa, &nothing());
    assert!(!none.iter().any(|(kind, ..)| kind == "left-open"));
}

#[test]
fn a_call_that_nothing_reminds_of() {
    let of = |made: &str, edges: &str| {
        let states = "S1={begin,write} S2={begin,write,end}";
        table("C", "begin,write,end", states, made, edges)
    };
    let edges = "S1: begin->S2; write->S1\nS2: begin->S2; write->S2; end->S1";
    let epa = of("C()->S1", edges);
    let finding = entry("forgotten-call", Some("S2"), Some("end"));
    assert_eq!(found(&epa, &nothing()), std::slice::from_ref(&finding));
    assert_eq!(
        message(&epa, &nothing()),
        "S2 is as S1, but for `end`, which leads back there: who forgets to call it goes on as if nothing were open"
    );
    // It begins something; or leads elsewhere, too.
    assert!(!found(&of("C()->S2", edges), &nothing()).contains(&finding));
    let ends_or_not = of("C()->S1", &format!("{edges}; end->S2"));
    assert!(!found(&ends_or_not, &nothing()).contains(&finding));
}

#[test]
fn a_refusal_that_nobody_can_foresee() {
    let mut epa = table(
        "C",
        "take,put",
        "S1={take,put} S2={put}",
        "C()->S1",
        "S1: take->S1; put->S2\nS2: put->S1",
    );
    let mut refused = transition("S1", "take", "S1");
    refused.exception = Some("Busy".to_owned());
    epa.transitions.push(refused);
    let told = |refusing: bool, without_arguments: bool| {
        let read = read(&epa).unwrap();
        let all = 0..read.names.exceptions.len();
        let besides = Besides {
            refusing: all.map(ExceptionId).filter(|_| refusing).collect(),
            without_arguments: read.action_ids().filter(|_| without_arguments).collect(),
            ..Besides::default()
        };
        let findings = of_shape(&read, &besides).into_iter();
        let found = findings.filter(|f| f.kind() == "unforeseen-refusal");
        let messages: Vec<String> = found.map(|f| f.message(&read.names)).collect();
        messages
    };
    let words = "`take` can be called in S1, and yet may be refused there by Busy: without arguments, nothing that a caller \
                 does decides it";
    assert_eq!(told(true, true), [words]);
    // An argument may decide it, or it is no refusal.
    assert!(told(true, false).is_empty());
    assert!(told(false, true).is_empty());
}
