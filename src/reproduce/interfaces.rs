//! The published table of interface synthesis, reproduced: each class in the paper's way, and exactly.
//!
//! A row is as it should be when both ways give an automaton of the expected size that is certified and most
//! permissive, when the paper's way ends as in the paper (whether one step further was needed, and whether it could
//! say that nothing is missing), and when it takes no more membership queries than are expected.

use serde::{Deserialize, Serialize};

use crate::interface::model::{Interface, Permissive, Queries};

/// The name and version of the JSON format of what was published.
pub const SCHEMA: &str = "tranquera/fixture-interfaces/1";

/// What was published.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedInterfaces {
    /// [`SCHEMA`].
    pub schema: String,
    /// The paper, and which table of it.
    pub source: String,
    /// The machine that the paper's times are from.
    pub machine: String,
    /// The rows, in the order of the table.
    pub subjects: Vec<InterfaceSubject>,
}

/// What was published about one class, and what is expected here.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterfaceSubject {
    /// The class's file beside `published.json`, without `.tq`.
    pub name: String,
    /// What the paper calls it.
    pub subject: String,
    /// What must not be raised.
    pub exception: String,
    /// The predicates.
    pub predicates: Vec<String>,
    /// The paper's figures.
    pub published: InterfaceFigures,
    /// What the interface here must have.
    pub expected: Expected,
    /// What else there is to know about the figures.
    pub note: Option<String>,
}

/// The figures of the paper's table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InterfaceFigures {
    /// Membership queries.
    pub member: usize,
    /// Subset queries.
    pub subset: usize,
    /// Superset queries.
    pub superset: usize,
    /// Whether one step further found a counter-example; none where that was not needed.
    pub one_step_further: Option<bool>,
    /// Whether the result was said to be most permissive.
    pub most_permissive: bool,
    /// The time of the run.
    pub seconds: f64,
}

/// What is expected of the interface here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// States.
    pub states: usize,
    /// Transitions.
    pub transitions: usize,
    /// No more membership queries than this, in either way.
    pub member: usize,
}

/// The paper's table beside ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InterfaceTable {
    /// The paper, and which table of it.
    pub source: String,
    /// The machine that the paper's times are from.
    pub machine: String,
    /// The rows, in the order of the table.
    pub rows: Vec<InterfaceRow>,
}

/// One row of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InterfaceRow {
    /// What the paper calls the class.
    pub subject: String,
    /// The paper's figures.
    pub published: InterfaceFigures,
    /// The paper's way, here.
    pub by_the_paper: LearnedFigures,
    /// With the exact check.
    pub exactly: LearnedFigures,
    /// What else there is to know about the figures.
    pub note: Option<String>,
    /// What is not as it should be: a sentence each.
    pub wrong: Vec<String>,
}

/// What was found here in one of the two ways.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LearnedFigures {
    /// States of the interface.
    pub states: usize,
    /// Its transitions.
    pub transitions: usize,
    /// The learner's queries.
    #[serde(flatten)]
    pub queries: Queries,
    /// Whether this way could say that the result is most permissive.
    pub most_permissive: bool,
    /// Whether it is, by the exact check.
    pub is_most_permissive: bool,
    /// Whether it is certified on the class itself.
    pub certified: bool,
    /// The time it took.
    pub seconds: f64,
}

impl InterfaceRow {
    /// Compares the interfaces of a class with what was published.
    pub fn of(
        subject: &InterfaceSubject,
        by_the_paper: &Interface,
        exactly: &Interface,
    ) -> InterfaceRow {
        let (by_the_paper, exactly) = (
            LearnedFigures::of(by_the_paper),
            LearnedFigures::of(exactly),
        );
        InterfaceRow {
            subject: subject.subject.clone(),
            published: subject.published,
            note: subject.note.clone(),
            wrong: wrong(subject, &by_the_paper, &exactly),
            by_the_paper,
            exactly,
        }
    }
}

impl LearnedFigures {
    fn of(interface: &Interface) -> LearnedFigures {
        LearnedFigures {
            states: interface.states.len(),
            transitions: interface.transitions.len(),
            queries: interface.stats.learner,
            most_permissive: interface.verdict.permissive != Permissive::Maximal,
            is_most_permissive: interface.verdict.most_permissive,
            certified: interface.certificate.holds,
            seconds: interface.stats.wall_ms as f64 / 1000.0,
        }
    }
}

fn wrong(
    subject: &InterfaceSubject,
    by_the_paper: &LearnedFigures,
    exactly: &LearnedFigures,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let expected = &subject.expected;
    for (way, found) in [("the paper's way", by_the_paper), ("exactly", exactly)] {
        for (what, expected, ours) in [
            ("states", expected.states, found.states),
            ("transitions", expected.transitions, found.transitions),
        ] {
            if expected != ours {
                wrong.push(format!("{way}: {ours} {what}, but {expected} are expected"));
            }
        }
        let (most, member) = (expected.member, found.queries.member);
        if member > most {
            wrong.push(format!(
                "{way}: {member} membership queries, but at most {most} are expected"
            ));
        }
        if !found.certified {
            wrong.push(format!("{way}: not certified"));
        }
        if !found.is_most_permissive {
            wrong.push(format!("{way}: not most permissive"));
        }
    }
    let published = &subject.published;
    if by_the_paper.queries.one_step_further != published.one_step_further {
        wrong.push("one step further is not as published".into());
    }
    if by_the_paper.most_permissive != published.most_permissive {
        wrong.push("what is said to be most permissive is not as published".into());
    }
    wrong
}
