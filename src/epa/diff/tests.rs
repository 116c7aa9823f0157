//! Every kind of difference on EPAs made by hand.

use super::*;
use crate::epa::wire::{Certainty, Confirmation, ConstructorEdge};
use crate::view::samples::{self, HOSTILE, constructor, table, transition};

fn compare(old: &Epa, new: &Epa) -> EpaDiff {
    EpaDiff::of(old, new, &[]).unwrap()
}

fn rename(old: &str, new: &str) -> Rename {
    Rename {
        old: old.to_owned(),
        new: new.to_owned(),
    }
}

/// A gate of two states.
fn gate() -> Epa {
    table(
        "Gate",
        "open,close",
        "S1={open} S2={close}",
        "Gate()->S1",
        "S1: open->S2\nS2: close->S1",
    )
}

/// The edges that differ: `- S1 open S2`, ids as in both EPAs.
fn edges(edges: &[EdgeDiff]) -> Vec<String> {
    let name = |ids: &Option<Ids>| match ids {
        None => "none".to_owned(),
        Some(Ids { old, new }) => {
            let id = |id: &Option<String>| id.clone().unwrap_or_else(|| "none".to_owned());
            format!("{}|{}", id(old), id(new))
        }
    };
    let line = |e: &EdgeDiff| {
        let exception = e
            .exception
            .as_ref()
            .map_or(String::new(), |x| format!("!{x}"));
        let outcome = e
            .outcome
            .as_ref()
            .map_or(String::new(), |o| format!("[{o}]"));
        format!(
            "{:?} {} {}{outcome}{exception} {}",
            e.change,
            name(&e.source),
            e.action,
            name(&e.target)
        )
    };
    let different = edges.iter().filter(|e| e.change != Change::Same);
    different.map(line).collect()
}

#[test]
fn an_epa_does_not_differ_from_itself() {
    for (name, epa) in samples::all() {
        if crate::epa::read::check(&epa).is_err() {
            continue;
        }
        let diff = compare(&epa, &epa);
        assert!(!diff.different, "{name}");
        assert_eq!(diff.states.len(), epa.states.len(), "{name}");
        assert_eq!(diff.transitions.len(), epa.transitions.len(), "{name}");
        assert_eq!(diff.constructors.len(), epa.constructors.len(), "{name}");
    }
}

#[test]
fn states_are_matched_by_what_they_enable() {
    // The same automaton: other ids, another order, and the sets written in another order.
    let old = table(
        "C",
        "a,b",
        "S1={a,b} S2={b}",
        "C()->S1",
        "S1: a->S2; b->S1\nS2: b->S1",
    );
    let new = table(
        "C",
        "b,a",
        "T9={b} X={b,a}",
        "C()->X",
        "T9: b->X\nX: b->X; a->T9",
    );
    let diff = compare(&old, &new);
    assert!(!diff.different);
    let ids: Vec<_> = diff
        .states
        .iter()
        .map(|s| (s.ids.old.as_deref(), s.ids.new.as_deref()))
        .collect();
    assert_eq!(ids, [(Some("S1"), Some("X")), (Some("S2"), Some("T9"))]);
}

#[test]
fn states_and_transitions_come_and_go() {
    let new = table(
        "Gate",
        "open,close,lock",
        "S1={open} S2={close,lock} S3={}",
        "Gate()->S1",
        "S1: open->S2\nS2: close->S1; lock->S3",
    );
    let diff = compare(&gate(), &new);
    assert!(diff.different);
    let actions: Vec<_> = diff
        .actions
        .iter()
        .map(|a| (a.name.as_str(), a.change))
        .collect();
    assert_eq!(
        actions,
        [
            ("open", Change::Same),
            ("close", Change::Same),
            ("lock", Change::Added)
        ]
    );
    let states: Vec<_> = diff
        .states
        .iter()
        .map(|s| (s.enabled.join(" "), s.change))
        .collect();
    assert_eq!(
        states,
        [
            ("open".to_owned(), Change::Same),
            ("close".to_owned(), Change::Removed),
            ("close lock".to_owned(), Change::Added),
            (String::new(), Change::Added),
        ]
    );
    assert_eq!(
        edges(&diff.transitions),
        [
            "Removed S1|S1 open S2|none",
            "Added S1|S1 open none|S2",
            "Removed S2|none close S1|S1",
            "Added none|S2 close S1|S1",
            "Added none|S2 lock none|S3",
        ]
    );
    // The other way round everything is the other way round.
    let back = compare(&new, &gate());
    let count = |diff: &EpaDiff, change| {
        diff.transitions
            .iter()
            .filter(|e| e.change == change)
            .count()
    };
    assert_eq!(count(&back, Change::Added), 2);
    assert_eq!(count(&back, Change::Removed), 3);
}

#[test]
fn certainty_violation_and_confirmation_can_change() {
    let old = gate();
    let mut new = gate();
    new.transitions[0].verdict = Certainty::Maybe;
    new.transitions[0].reason = Some("timeout".to_owned());
    new.transitions[1].violates_invariant = true;
    let diff = compare(&old, &new);
    assert_eq!(
        diff.transitions
            .iter()
            .map(|e| e.aspects.clone())
            .collect::<Vec<_>>(),
        [vec![Aspect::Certainty], vec![Aspect::Violation]]
    );
    assert!(diff.transitions.iter().all(|e| e.change == Change::Changed));

    let mut confirmed = gate();
    let mut not = gate();
    confirmed.constructors[0].confirmation = Some(Confirmation::Confirmed { calls: 1 });
    not.constructors[0].confirmation = Some(Confirmation::Unconfirmed { bound: 5 });
    let diff = compare(&confirmed, &not);
    assert_eq!(diff.constructors[0].aspects, [Aspect::Confirmation]);
    // An EPA without a second pass says nothing about it, and a longer trace is a trace.
    assert!(!compare(&old, &not).different);
    not.constructors[0].confirmation = Some(Confirmation::Confirmed { calls: 2 });
    assert!(!compare(&confirmed, &not).different);
}

#[test]
fn what_is_no_difference() {
    let mut new = gate();
    new.class = "Other".to_owned();
    new.notes.push("a note".to_owned());
    new.stats.wall_ms = 12;
    new.transitions[0].reason = Some("a reason".to_owned());
    assert!(!compare(&gate(), &new).different);
}

#[test]
fn constructors_outcomes_and_exceptions_tell_edges_apart() {
    let mut old = gate();
    let mut new = gate();
    old.transitions[0].outcome = Some("ok".to_owned());
    new.transitions[0].exception = Some("Stuck".to_owned());
    new.constructors = vec![
        constructor("Gate()", "S2"),
        ConstructorEdge {
            target: None,
            exception: Some("Stuck".to_owned()),
            ..constructor("Gate()", "")
        },
    ];
    let diff = compare(&old, &new);
    assert_eq!(
        edges(&diff.transitions),
        [
            "Removed S1|S1 open[ok] S2|S2",
            "Added S1|S1 open!Stuck S2|S2"
        ]
    );
    assert_eq!(
        edges(&diff.constructors),
        [
            "Removed none Gate() S1|S1",
            "Added none Gate() S2|S2",
            "Added none Gate()!Stuck none"
        ]
    );
}

#[test]
fn a_state_that_becomes_initial_has_changed() {
    let mut new = gate();
    new.states[1].initial = true;
    let diff = compare(&gate(), &new);
    assert_eq!(diff.states[0].change, Change::Same);
    assert_eq!(diff.states[1].change, Change::Changed);
    assert_eq!(
        (diff.states[1].was_initial, diff.states[1].is_initial),
        (Some(false), Some(true))
    );
}

#[test]
fn renamings_are_only_seen_when_asked_for() {
    let new = table(
        "Gate",
        "lift,close",
        "S1={lift} S2={close}",
        "make()->S1",
        "S1: lift->S2\nS2: close->S1",
    );
    assert!(compare(&gate(), &new).different);
    let asked = [rename("open", "lift"), rename("Gate()", "make()")];
    let diff = EpaDiff::of(&gate(), &new, &asked).unwrap();
    assert!(!diff.different);
    assert_eq!(diff.renamed, asked);
    assert_eq!(diff.actions[0].name, "lift");
}

#[test]
fn names_can_be_exchanged() {
    let new = table(
        "Gate",
        "open,close",
        "S1={close} S2={open}",
        "Gate()->S1",
        "S1: close->S2\nS2: open->S1",
    );
    let both = [rename("open", "close"), rename("close", "open")];
    assert!(compare(&gate(), &new).different);
    assert!(!EpaDiff::of(&gate(), &new, &both).unwrap().different);
}

#[test]
fn renamings_that_make_no_sense() {
    let new = table(
        "Gate",
        "lift,close,open",
        "S1={lift}",
        "Gate()->S1",
        "S1: lift->S1",
    );
    let of = |renamed: &[Rename]| EpaDiff::of(&gate(), &new, renamed).unwrap_err();
    assert_eq!(
        of(&[rename("push", "lift")]),
        RenameError::NotInOld("push".to_owned())
    );
    assert_eq!(
        of(&[rename("open", "push")]),
        RenameError::NotInNew("push".to_owned())
    );
    assert_eq!(
        of(&[rename("open", "close")]),
        RenameError::Taken("close".to_owned())
    );
    assert_eq!(
        of(&[rename("open", "lift"), rename("close", "lift")]),
        RenameError::Twice("lift".to_owned())
    );
    assert_eq!(
        of(&[rename("open", "lift"), rename("open", "close")]),
        RenameError::Twice("open".to_owned())
    );
}

#[test]
fn hostile_names_are_names() {
    let mut old = gate();
    let mut new = gate();
    for name in HOSTILE {
        old.actions.push(name.to_owned());
        new.actions.push(name.to_owned());
        old.transitions.push(transition("S1", name, "S2"));
    }
    let diff = compare(&old, &new);
    let removed = diff
        .transitions
        .iter()
        .filter(|e| e.change == Change::Removed);
    assert_eq!(removed.count(), HOSTILE.len());
}
