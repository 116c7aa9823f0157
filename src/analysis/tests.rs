//! Analyses beside each other, and analyses that end early.

use std::collections::BTreeSet;
use std::time::Duration;

use rayon::prelude::*;

use super::Analysis;
use crate::engine::{Choice, EngineConfig};
use crate::epa;
use crate::front::tq;
use crate::load::{Contracts, GuardReading, Input, LoadError};
use crate::query::Extent;

/// A lift with this many floors: it has three states, whatever they are.
fn lift(floors: u32) -> Input {
    let text = format!(
        "class Lift {{
             var at: int;
             invariant 0 <= at <= {floors};
             constructor() {{ at := 0; }}
             action up() requires at < {floors} {{ at := at + 1; }}
             action down() requires at > 0 {{ at := at - 1; }}
         }}"
    );
    let loaded = tq::parse_text("lift.tq", &text).expect("a class");
    Input::last(loaded).expect("a class")
}

fn sequentially() -> epa::ConstructOptions {
    epa::ConstructOptions {
        jobs: 1,
        ..epa::ConstructOptions::default()
    }
}

#[test]
fn classes_are_analysed_side_by_side_and_one_that_has_no_time_does_not_disturb() {
    let all: Vec<u32> = (2..8).collect();
    let choice = Choice::default();
    let states = all.par_iter().map(|floors| {
        let time = match floors {
            5 => Duration::ZERO,
            _ => Duration::from_secs(3000),
        };
        let analysis = Analysis::new(lift(*floors), choice.clone()).expect("encoded");
        let made = analysis.within(time).epa(&sequentially()).expect("an EPA");
        let certain = made
            .abstraction
            .edges()
            .filter(|(.., known)| known.doubt.is_none());
        (made.abstraction.states().count(), certain.count())
    });
    let states: Vec<(usize, usize)> = states.collect();
    for (floors, (states, certain)) in all.iter().zip(states) {
        match floors {
            // Nothing was asked: what there may be is there, and nothing of it is certain.
            5 => assert_eq!(certain, 0),
            // 0, between, and the top: one edge of the constructor, and two steps between neighbours.
            2 => assert_eq!((states, certain), (3, 1 + 4)),
            // As above, and between is next to itself, up and down.
            _ => assert_eq!((states, certain), (3, 1 + 6)),
        }
    }
}

/// Whatever was not asked in time is there, uncertain, to each of the three states; and no edge is lost.
#[test]
fn an_epa_in_no_time_has_all_edges() {
    let analysis = Analysis::new(lift(7), Choice::default()).expect("encoded");
    let whole = analysis.epa(&sequentially()).expect("an EPA");
    let timed = epa::ConstructOptions {
        time: Some(Duration::ZERO),
        ..sequentially()
    };
    let coarse = analysis.epa(&timed).expect("an EPA");
    assert!(coarse.is_late && coarse.is_whole && !whole.is_late);
    let edges = |made: &epa::Constructed| -> BTreeSet<[String; 3]> {
        let epa = made.epa();
        let enabled = |id: &str| {
            let state = epa.states.iter().find(|state| state.id == id);
            state.map_or(String::new(), |state| state.enabled.join(" "))
        };
        let transitions = epa.transitions.iter();
        let edges = transitions.map(|edge| {
            let (source, target) = (enabled(&edge.source), enabled(&edge.target));
            [source, edge.action.clone(), target]
        });
        edges.collect()
    };
    assert!(edges(&whole).is_subset(&edges(&coarse)));
    // Each of four calls (two in the middle, one at each end), and the constructor, to three states.
    let all = coarse.abstraction.edges();
    assert_eq!(
        all.filter(|(.., known)| known.doubt.is_some()).count(),
        3 * 5
    );
    assert!(
        coarse.abstraction.findings.is_empty(),
        "{:?}",
        coarse.abstraction.findings
    );
    let notes = &coarse.abstraction.notes;
    assert!(
        notes
            .iter()
            .any(|note| note.starts_with("the time was over"))
    );
}

#[test]
fn a_pass_that_is_interrupted_refutes_nothing() {
    let analysis = Analysis::new(lift(3), Choice::default()).expect("encoded");
    let made = analysis.epa(&sequentially()).expect("an EPA");
    let analysis = analysis.within(Duration::ZERO);
    assert!(analysis.is_interrupted());
    let found = analysis
        .confirm(&made.abstraction, &Extent::DEFAULT)
        .expect("a second pass");
    assert_eq!(
        found.abstraction.edges().count(),
        made.abstraction.edges().count()
    );
}

#[test]
fn contracts_that_were_not_looked_for_to_the_end_are_none() {
    let mut config = EngineConfig::default();
    config.interrupt = config.interrupt.within(Duration::ZERO);
    let wanted = Contracts {
        requires: Some(GuardReading::Safe),
        invariants: true,
    };
    let found = lift(3).with_contracts(&wanted, &config);
    assert!(matches!(found, Err(LoadError::Interrupted)));
}
