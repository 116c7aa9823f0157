//! The published case studies, reproduced: our EPA of each class beside the figures of the paper.
//!
//! A row is as it should be when its counts are the expected ones, when these equal the published ones or the
//! difference is explained, when no answer was uncertain, and when what the paper found is there to be seen.
//! Questions and times are shown beside the published ones, but not compared: they are those of another algorithm on
//! another machine.

pub mod circumstances;
pub mod interfaces;
pub mod published;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::epa::Epa;
use crate::epa::wire::Transition;
use circumstances::Circumstances;
use interfaces::InterfaceTable;
use published::{Counts, Fault, Figures, Published, PublishedSubject};

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/reproduction/1";

/// All papers' tables.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reproduction {
    schema: &'static str,
    /// When, where and how it was made.
    pub made: Circumstances,
    /// The engine that answered.
    pub engine: String,
    /// Whether every row is as it should be.
    pub holds: bool,
    /// One for each paper on EPAs.
    pub tables: Vec<FigureTable>,
    /// One for each paper on interfaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<InterfaceTable>,
}

/// The rows of one paper's table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureTable {
    /// The paper, and which table of it.
    pub source: String,
    /// The machine that the paper's times are from.
    pub machine: String,
    /// The classes, in the order of the table.
    pub rows: Vec<Row>,
}

/// One class: what was published, and what was found here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The class's file, without `.tq`.
    pub name: String,
    /// What the paper calls the class.
    pub subject: String,
    /// The paper's figures.
    pub published: Figures,
    /// What was found here.
    pub ours: Ours,
    /// How the two compare.
    pub agreement: Agreement,
    /// Why they differ, where that is explained.
    pub difference: Option<String>,
    /// What else there is to know about the figures.
    pub note: Option<String>,
    /// What the paper found by looking.
    pub faults: Vec<Observation>,
    /// What is not as it should be: a sentence each.
    pub wrong: Vec<String>,
}

/// What was found here of a class.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ours {
    /// The size of the EPA.
    #[serde(flatten)]
    pub counts: Counts,
    /// Questions asked.
    pub questions: u64,
    /// Questions without a certain answer.
    pub uncertain: u64,
    /// The time it took.
    pub seconds: f64,
}

/// How our counts compare with the published ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// Every count that was published is ours.
    Equal,
    /// They differ, as expected, and it is explained why.
    Explained,
    /// The paper gives neither states nor transitions; ours are the expected ones.
    Unpublished,
    /// They differ, or are not the expected ones, and nothing explains it.
    Unexplained,
}

/// Whether something that a paper found is there to be seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Observation {
    /// The finding, in a sentence.
    pub says: String,
    /// Whether the EPA here shows it.
    pub seen: bool,
}

impl Reproduction {
    /// All tables together, as this engine gives them.
    pub fn of(made: Circumstances, engine: &str, tables: Vec<FigureTable>) -> Reproduction {
        Reproduction {
            schema: SCHEMA,
            made,
            engine: engine.to_owned(),
            holds: tables
                .iter()
                .flat_map(|t| &t.rows)
                .all(|r| r.wrong.is_empty()),
            tables,
            interfaces: vec![],
        }
    }

    /// With these tables of papers on interfaces.
    #[must_use]
    pub fn with_interfaces(self, interfaces: Vec<InterfaceTable>) -> Reproduction {
        let mut rows = interfaces.iter().flat_map(|t| &t.rows);
        Reproduction {
            holds: self.holds && rows.all(|r| r.wrong.is_empty()),
            interfaces,
            ..self
        }
    }

    /// What is not as it should be: of which class, and a sentence.
    pub fn wrong(&self) -> impl Iterator<Item = (&str, &[String])> {
        let epas = self.rows().map(|r| (r.subject.as_str(), &r.wrong));
        let interfaces = self.interfaces.iter().flat_map(|t| &t.rows);
        let interfaces = interfaces.map(|r| (r.subject.as_str(), &r.wrong));
        let all = epas.chain(interfaces);
        all.filter(|(_, wrong)| !wrong.is_empty())
            .map(|(subject, wrong)| (subject, wrong.as_slice()))
    }

    /// All rows of all tables of EPAs.
    pub fn rows(&self) -> impl Iterator<Item = &Row> {
        self.tables.iter().flat_map(|table| &table.rows)
    }
}

impl FigureTable {
    /// The table of a paper, with these rows.
    pub fn of(published: &Published, rows: Vec<Row>) -> FigureTable {
        FigureTable {
            source: published.source.clone(),
            machine: published.machine.clone(),
            rows,
        }
    }
}

impl Row {
    /// Compares the EPA of a class with what was published about it.
    pub fn of(subject: &PublishedSubject, epa: &Epa) -> Row {
        let ours = Ours::of(epa);
        let faults: Vec<Observation> = subject
            .findings
            .iter()
            .map(|fault| Observation::of(fault, epa))
            .collect();
        let agreement = agreement(subject, &ours.counts);
        Row {
            name: subject.name.clone(),
            subject: subject.subject.clone(),
            published: subject.published,
            agreement,
            difference: subject
                .difference
                .clone()
                .filter(|_| agreement == Agreement::Explained),
            note: subject.note.clone(),
            wrong: wrong(subject, &ours, agreement, &faults),
            ours,
            faults,
        }
    }
}

impl Ours {
    fn of(epa: &Epa) -> Ours {
        let raised = epa.transitions.iter().filter(|t| t.exception.is_some());
        let exceptional = raised.count() as u64;
        let answers = &epa.stats.queries;
        Ours {
            counts: Counts {
                actions: epa.actions.len() as u64,
                states: epa.states.len() as u64,
                transitions: epa.transitions.len() as u64 - exceptional,
                exceptional,
            },
            questions: answers.total,
            uncertain: answers.bound_hit + answers.unknown,
            seconds: epa.stats.wall_ms as f64 / 1000.0,
        }
    }
}

/// The counts that a paper may have published, with ours.
fn compared(published: &Figures, ours: &Counts) -> [(&'static str, Option<u64>, u64); 3] {
    [
        ("actions", published.actions, ours.actions),
        ("states", published.states, ours.states),
        ("transitions", published.transitions, ours.transitions),
    ]
}

fn agreement(subject: &PublishedSubject, ours: &Counts) -> Agreement {
    let equal = compared(&subject.published, ours)
        .iter()
        .all(|(_, published, ours)| published.is_none_or(|n| n == *ours));
    let sized = subject.published.states.or(subject.published.transitions);
    match (subject.expected == *ours, equal) {
        (true, true) if sized.is_none() => Agreement::Unpublished,
        (true, true) => Agreement::Equal,
        (true, false) if subject.difference.is_some() => Agreement::Explained,
        _ => Agreement::Unexplained,
    }
}

fn wrong(
    subject: &PublishedSubject,
    ours: &Ours,
    agreement: Agreement,
    faults: &[Observation],
) -> Vec<String> {
    let mut wrong = Vec::new();
    let counts = &ours.counts;
    let expected = &subject.expected;
    for (what, expected, ours) in [
        ("actions", expected.actions, counts.actions),
        ("states", expected.states, counts.states),
        ("transitions", expected.transitions, counts.transitions),
        (
            "exceptional transitions",
            expected.exceptional,
            counts.exceptional,
        ),
    ] {
        if expected != ours {
            wrong.push(format!("{what}: {ours}, but {expected} are expected"));
        }
    }
    if agreement == Agreement::Unexplained && wrong.is_empty() {
        let differing = compared(&subject.published, counts).into_iter().filter_map(
            |(what, published, ours)| {
                let published = published.filter(|n| *n != ours)?;
                Some(format!(
                    "{what}: {ours}, but {published} are published, and nothing explains it"
                ))
            },
        );
        wrong.extend(differing);
    }
    if ours.uncertain > 0 {
        wrong.push(format!(
            "uncertain answers: {} of {}",
            ours.uncertain, ours.questions
        ));
    }
    let unseen = faults.iter().filter(|fault| !fault.seen);
    wrong.extend(unseen.map(|fault| format!("not seen here: {}", fault.says)));
    wrong
}

impl Observation {
    fn of(fault: &Fault, epa: &Epa) -> Observation {
        let there = epa.transitions.iter().any(|t| {
            label(t) == fault.label
                && enables(epa, &t.source, &fault.source)
                && enables(epa, &t.target, &fault.target)
        });
        Observation {
            says: fault.says.clone(),
            seen: there == fault.present,
        }
    }
}

/// The action, with `!` and the exception where it ends in one.
fn label(transition: &Transition) -> String {
    match &transition.exception {
        Some(exception) => format!("{}!{exception}", transition.action),
        None => transition.action.clone(),
    }
}

/// Whether just these actions are enabled in the state.
fn enables(epa: &Epa, state: &str, actions: &[String]) -> bool {
    let actions: BTreeSet<&String> = actions.iter().collect();
    epa.state(state)
        .is_some_and(|state| state.enabled.iter().collect::<BTreeSet<_>>() == actions)
}
