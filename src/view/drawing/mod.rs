//! An EPA made ready for drawing: the nodes and edges every picture has, and what their labels say.
//!
//! Edges with the same ends and the same look are one edge with several labels.

mod build;

use std::collections::BTreeSet;

use super::{ViewError, ViewOptions, escape::visible};
use crate::epa::Epa;
use crate::epa::diff::Change;
use crate::epa::wire::{Certainty, Confirmation, Transition};
use build::Builder;

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The class.
    pub class: String,
    /// What the picture shows.
    pub title: String,
    /// The nodes: constructors first, then states, then the exceptions that constructors end in.
    pub nodes: Vec<DrawnNode>,
    /// The edges, by the ends' order of first appearance.
    pub edges: Vec<DrawnEdge>,
    /// The marks that occur, each with what it means.
    pub legend: Vec<(&'static str, &'static str)>,
    /// How many transitions are not drawn: idle loops, then exceptional edges.
    pub hidden: Hidden,
    /// What the second pass came to, in sentences; nothing where there was none.
    pub second_pass: Vec<String>,
}

/// How many edges are left out on request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Self loops of actions that do nothing but loop.
    pub idle_loops: usize,
    /// Edges that end in an exception.
    pub exceptional: usize,
}

impl Hidden {
    /// What is left out, in words; nothing where nothing is.
    pub fn sentences(self) -> Vec<String> {
        let one = |count: usize, singular: &str, plural: &str| match count {
            0 => None,
            1 => Some(format!("not shown: 1 {singular}")),
            n => Some(format!("not shown: {n} {plural}")),
        };
        let loops = one(
            self.idle_loops,
            "self loop of an action that does nothing else",
            "self loops of actions that do nothing else",
        );
        let exceptional = one(
            self.exceptional,
            "edge that ends in an exception",
            "edges that end in an exception",
        );
        loops.into_iter().chain(exceptional).collect()
    }
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DrawnNode {
    /// Where constructors begin. Constructors with the same edges share it.
    Start {
        /// Their names.
        constructors: Vec<String>,
    },
    /// A state.
    State {
        /// Its id.
        id: String,
        /// Its enabled actions, and the predicates that hold.
        enabled: Vec<String>,
        /// Whether no action is.
        dead: bool,
        /// Whether a constructor may end here.
        initial: bool,
        /// What became of it, where two EPAs are drawn as one.
        change: Change,
        /// Whether the second pass showed that no object is ever in it.
        refuted: bool,
        /// The shortest run that gets there, a line a call, where one is known.
        run: Vec<String>,
    },
    /// An exception that a constructor ends in.
    Exception {
        /// Its name.
        name: String,
    },
}

/// An edge between two [`Drawing::nodes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnEdge {
    /// The node it leaves.
    pub source: usize,
    /// The node it ends in.
    pub target: usize,
    /// How it looks.
    pub look: Look,
    /// What is written at it; nothing for a constructor's edge without marks.
    pub labels: Vec<DrawnLabel>,
    /// What the second pass found of a constructor's edge, in lines. Of other edges, each label tells.
    pub found: Vec<String>,
}

impl DrawnEdge {
    /// What the second pass found of all that is drawn as this edge, in lines, label by label.
    pub fn all_found(&self) -> Vec<String> {
        let labels = self.labels.iter().filter(|label| !label.found.is_empty());
        let labels = labels.flat_map(|label| {
            let name = std::iter::once(format!("{}:", label.name));
            name.chain(label.found.iter().cloned())
        });
        self.found.iter().cloned().chain(labels).collect()
    }
}

/// What tells edges apart at sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Look {
    /// Whether it is uncertain.
    pub maybe: bool,
    /// Whether it ends in an exception.
    pub exceptional: bool,
    /// What the second pass says.
    pub status: Status,
    /// What became of it, where two EPAs are drawn as one.
    pub change: Change,
}

/// What the second pass says of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// There was no second pass.
    Plain,
    /// A whole trace takes it.
    Confirmed,
    /// Neither is known.
    Unconfirmed,
    /// No trace takes it.
    Refuted,
}

impl Look {
    /// The names of the look, for a style sheet: `edge` and what is special.
    pub fn classes(self) -> String {
        let mut classes = vec!["edge"];
        if self.maybe {
            classes.push("maybe");
        }
        if self.exceptional {
            classes.push("exceptional");
        }
        match self.status {
            Status::Plain => {}
            Status::Confirmed => classes.push("confirmed"),
            Status::Unconfirmed => classes.push("unconfirmed"),
            Status::Refuted => classes.push("refuted"),
        }
        classes.extend(class_of(self.change));
        classes.join(" ")
    }
}

/// One line of an edge's label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrawnLabel {
    /// What became of the edge, where two EPAs are drawn as one.
    pub difference: Difference,
    /// `action`, `action[outcome]` or `action ! E`; nothing, or `! E`, on a constructor's edge.
    pub name: String,
    /// The marks that occur: `?`, `*`, `~`, `x`.
    pub marks: Vec<&'static str>,
    /// The action; none on a constructor's edge.
    pub action: Option<String>,
    /// Where the edge is in [`Epa::transitions`]; none on a constructor's edge, and where it was refuted.
    pub transition: Option<usize>,
    /// Where the edge is among the transitions that were refuted.
    pub refuted: Option<usize>,
    /// Whether it can break the invariant.
    pub violates: bool,
    /// Why it is uncertain.
    pub reason: Option<String>,
    /// What the second pass found, in lines: in a few words, then the run, a line a call.
    pub found: Vec<String>,
}

impl DrawnLabel {
    /// The name with the marks behind it; before it the mark of a difference, and at the end what it is.
    pub fn text(&self) -> String {
        let mark = change_mark(self.difference.change).map(|(mark, _)| mark);
        let name = Some(self.name.as_str()).filter(|name| !name.is_empty());
        mark.into_iter()
            .chain(name)
            .chain(self.marks.iter().copied())
            .chain(self.difference.what.as_deref())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// What became of an edge, where two EPAs are drawn as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Whether it is in both.
    pub change: Change,
    /// What changed about it.
    pub what: Option<String>,
}

/// What is different, where two EPAs are drawn as one; in the order of that EPA's own lists.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    /// Of its states.
    pub states: Vec<Change>,
    /// Of the constructors' edges.
    pub constructors: Vec<Difference>,
    /// Of its transitions.
    pub transitions: Vec<Difference>,
}

/// The mark of a difference, and what it means.
pub fn change_mark(change: Change) -> Option<(&'static str, &'static str)> {
    match change {
        Change::Same => None,
        Change::Added => Some(("+", "only in the new EPA")),
        Change::Removed => Some(("-", "only in the old EPA")),
        Change::Changed => Some(("≠", "in both, but not the same")),
    }
}

/// The name of a difference, for a style sheet.
pub fn class_of(change: Change) -> Option<&'static str> {
    match change {
        Change::Same => None,
        Change::Added => Some("added"),
        Change::Removed => Some("removed"),
        Change::Changed => Some("changed"),
    }
}

/// The mark of an uncertain edge.
pub const MAYBE: (&str, &str) = (
    "?",
    "not certain: an engine could not decide, so the edge stays",
);
/// The mark of an action that can break the invariant.
pub const VIOLATES: (&str, &str) = ("*", "the action can break the invariant from this state");

/// The mark of an edge that the second pass could not confirm.
pub const UNCONFIRMED: (&str, &str) = (
    "~",
    "not confirmed: no trace from a constructor was found within the bound",
);
/// The mark of an edge that it refuted.
pub const REFUTED: (&str, &str) = ("x", "refuted: no trace from a constructor takes it");

/// The mark of what the second pass says, where it has one.
pub const fn status_mark(status: Status) -> Option<(&'static str, &'static str)> {
    match status {
        Status::Plain | Status::Confirmed => None,
        Status::Unconfirmed => Some(UNCONFIRMED),
        Status::Refuted => Some(REFUTED),
    }
}

impl Drawing {
    /// Makes an EPA ready.
    ///
    /// # Errors
    ///
    /// [`ViewError::UnknownState`] where an edge ends at a state that is not listed.
    pub fn of(epa: &Epa, options: &ViewOptions) -> Result<Drawing, ViewError> {
        let drawing = Drawing::of_differences(epa, &Differences::default(), options)?;
        Ok(Drawing {
            second_pass: build::sentences(epa),
            ..drawing
        })
    }

    /// Makes two EPAs ready that have been made one.
    ///
    /// # Errors
    ///
    /// As [`Drawing::of`].
    pub fn of_differences(
        epa: &Epa,
        differences: &Differences,
        options: &ViewOptions,
    ) -> Result<Drawing, ViewError> {
        let mut builder = Builder::new(epa, differences);
        builder.constructors(options)?;
        builder.transitions(options)?;
        builder.refuted(options)?;
        Ok(builder.finish())
    }
}

impl Drawing {
    /// The same with an edge for every label.
    pub fn split(&self) -> Drawing {
        let edges = self.edges.iter().flat_map(|edge| {
            let alone = |label: &DrawnLabel| DrawnEdge {
                labels: vec![label.clone()],
                ..edge.clone()
            };
            match edge.labels.as_slice() {
                [] => vec![edge.clone()],
                labels => labels.iter().map(alone).collect(),
            }
        });
        Drawing {
            edges: edges.collect(),
            ..self.clone()
        }
    }

    /// Whether there is a difference between two EPAs in it.
    pub fn has_differences(&self) -> bool {
        let state =
            |n: &DrawnNode| matches!(n, DrawnNode::State { change, .. } if *change != Change::Same);
        self.nodes.iter().any(state) || self.edges.iter().any(|e| e.look.change != Change::Same)
    }

    /// A name for every node, no two the same. `written` makes a state's id one that the format takes.
    pub fn node_ids(&self, written: impl Fn(&str) -> String) -> Vec<String> {
        let mut taken = BTreeSet::new();
        let mut claim = |wanted: String| {
            let mut id = wanted.clone();
            let mut number = 1;
            while !taken.insert(id.clone()) {
                number += 1;
                id = format!("{wanted}_{number}");
            }
            id
        };
        // States first: theirs should stay as they are.
        let mut states: Vec<String> = Vec::new();
        for node in &self.nodes {
            if let DrawnNode::State { id, .. } = node {
                states.push(claim(written(id)));
            }
        }
        let mut states = states.into_iter();
        let id = |node: &DrawnNode| match node {
            DrawnNode::State { .. } => states.next().unwrap_or_default(),
            DrawnNode::Start { .. } => claim("start".to_owned()),
            DrawnNode::Exception { .. } => claim("exception".to_owned()),
        };
        self.nodes.iter().map(id).collect()
    }

    /// The legend, a line a mark; what the second pass came to; and what is left out.
    pub fn legend_lines(&self) -> Vec<String> {
        let marks = self
            .legend
            .iter()
            .map(|(mark, meaning)| format!("{mark}  {meaning}"));
        marks
            .chain(self.second_pass.iter().cloned())
            .chain(self.hidden.sentences())
            .collect()
    }
}

/// What an action is called where it is drawn: `action`, `action[outcome]`, `action ! E`.
pub fn name_of(transition: &Transition) -> String {
    let mut name = visible(&transition.action);
    if let Some(outcome) = &transition.outcome {
        name.push_str(&format!("[{}]", visible(outcome)));
    }
    if let Some(exception) = &transition.exception {
        name.push_str(&format!(" ! {}", visible(exception)));
    }
    name
}

/// The actions that certainly do nothing but loop, wherever they are enabled. Pure actions are among them. (An EPA
/// does not say which actions are pure, and one that always loops tells a reader as little.)
pub fn idle_actions(epa: &Epa) -> BTreeSet<&str> {
    let idle = |t: &Transition| {
        t.source == t.target
            && t.exception.is_none()
            && t.verdict == Certainty::Reached
            && !t.violates_invariant
    };
    let busy: BTreeSet<&str> = epa
        .transitions
        .iter()
        .filter(|t| !idle(t))
        .map(|t| t.action.as_str())
        .collect();
    let all: BTreeSet<&str> = epa.transitions.iter().map(|t| t.action.as_str()).collect();
    all.difference(&busy).copied().collect()
}

/// The second pass's word, without its figures.
pub fn status(confirmation: Option<&Confirmation>) -> Status {
    match confirmation {
        None => Status::Plain,
        Some(Confirmation::Confirmed { .. }) => Status::Confirmed,
        Some(Confirmation::Unconfirmed { .. }) => Status::Unconfirmed,
        Some(Confirmation::Refuted) => Status::Refuted,
    }
}
