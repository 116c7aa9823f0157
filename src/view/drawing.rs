//! An EPA made ready for drawing: the nodes and edges every picture has, and what their labels say.
//!
//! Edges with the same ends and the same look are one edge with several labels.

use std::collections::{BTreeMap, BTreeSet};

use super::{Options, ViewError, escape::visible};
use crate::epa::Epa;
use crate::epa::diff::Change;
use crate::epa::model::{Certainty, Confirmation, ConstructorEdge, Transition};

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The class.
    pub class: String,
    /// What the picture shows.
    pub title: String,
    /// The nodes: constructors first, then states, then the exceptions that constructors end in.
    pub nodes: Vec<Node>,
    /// The edges, by the ends' order of first appearance.
    pub edges: Vec<Edge>,
    /// The marks that occur, each with what it means.
    pub legend: Vec<(&'static str, &'static str)>,
    /// How many transitions are not drawn: idle loops, then exceptional edges.
    pub hidden: Hidden,
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
pub enum Node {
    /// Where constructors begin. Constructors with the same edges share it.
    Start {
        /// Their names.
        constructors: Vec<String>,
    },
    /// A state.
    State {
        /// Its id.
        id: String,
        /// Its enabled actions.
        enabled: Vec<String>,
        /// Whether a constructor may end here.
        initial: bool,
        /// What became of it, where two EPAs are drawn as one.
        change: Change,
    },
    /// An exception that a constructor ends in.
    Exception {
        /// Its name.
        name: String,
    },
}

/// An edge between two [`Drawing::nodes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node it leaves.
    pub source: usize,
    /// The node it ends in.
    pub target: usize,
    /// How it looks.
    pub look: Look,
    /// What is written at it; nothing for a constructor's edge without marks.
    pub labels: Vec<Label>,
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// What became of the edge, where two EPAs are drawn as one.
    pub difference: Difference,
    /// `action`, `action[outcome]` or `action ! E`; nothing, or `! E`, on a constructor's edge.
    pub name: String,
    /// The marks that occur: `?`, `*`.
    pub marks: Vec<&'static str>,
    /// The action; none on a constructor's edge.
    pub action: Option<String>,
    /// Where the edge is in [`Epa::transitions`]; none on a constructor's edge.
    pub transition: Option<usize>,
    /// Whether it can break the invariant.
    pub violates: bool,
    /// Why it is uncertain.
    pub reason: Option<String>,
}

impl Label {
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

impl Drawing {
    /// Makes an EPA ready.
    ///
    /// # Errors
    ///
    /// [`ViewError::UnknownState`] where an edge ends at a state that is not listed.
    pub fn of(epa: &Epa, options: &Options) -> Result<Drawing, ViewError> {
        Drawing::of_differences(epa, &Differences::default(), options)
    }

    /// Makes two EPAs ready that have been made one.
    ///
    /// # Errors
    ///
    /// As [`Drawing::of`].
    pub fn of_differences(
        epa: &Epa,
        differences: &Differences,
        options: &Options,
    ) -> Result<Drawing, ViewError> {
        let mut builder = Builder::new(epa, differences);
        builder.constructors(options)?;
        builder.transitions(options)?;
        Ok(builder.finish())
    }
}

impl Drawing {
    /// Whether there is a difference between two EPAs in it.
    pub fn has_differences(&self) -> bool {
        let state = |n: &Node| matches!(n, Node::State { change, .. } if *change != Change::Same);
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
            if let Node::State { id, .. } = node {
                states.push(claim(written(id)));
            }
        }
        let mut states = states.into_iter();
        let id = |node: &Node| match node {
            Node::State { .. } => states.next().unwrap_or_default(),
            Node::Start { .. } => claim("start".to_owned()),
            Node::Exception { .. } => claim("exception".to_owned()),
        };
        self.nodes.iter().map(id).collect()
    }

    /// The legend, a line a mark, and what is left out.
    pub fn legend_lines(&self) -> Vec<String> {
        let marks = self
            .legend
            .iter()
            .map(|(mark, meaning)| format!("{mark}  {meaning}"));
        marks.chain(self.hidden.sentences()).collect()
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

/// The edges found so far, and where they are by their ends and look.
struct Builder<'a> {
    epa: &'a Epa,
    differences: &'a Differences,
    states: BTreeMap<&'a str, usize>,
    starts: Vec<Node>,
    exceptions: Vec<String>,
    edges: Vec<(End, End, Look, Vec<Label>)>,
    index: BTreeMap<(End, End, Look), usize>,
    hidden: Hidden,
}

/// An end of an edge, before the nodes are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Start(usize),
    State(usize),
    Exception(usize),
}

/// What a constructor's edge shows besides the name: constructors for which it is all the same are drawn as one.
type Fate<'a> = (
    Option<&'a str>,
    Option<&'a str>,
    Look,
    bool,
    Option<&'a str>,
    Difference,
);

impl<'a> Builder<'a> {
    fn new(epa: &'a Epa, differences: &'a Differences) -> Self {
        Builder {
            epa,
            differences,
            states: epa
                .states
                .iter()
                .enumerate()
                .map(|(i, s)| (s.id.as_str(), i))
                .collect(),
            starts: Vec::new(),
            exceptions: Vec::new(),
            edges: Vec::new(),
            index: BTreeMap::new(),
            hidden: Hidden::default(),
        }
    }

    fn constructors(&mut self, options: &Options) -> Result<(), ViewError> {
        let mut groups: Vec<(Vec<&str>, Vec<Fate<'a>>)> = Vec::new();
        for (name, fates) in self.constructor_fates(options) {
            match groups.iter_mut().find(|(_, known)| *known == fates) {
                Some((names, _)) => names.push(name),
                None => groups.push((vec![name], fates)),
            }
        }
        for (names, fates) in groups {
            let start = End::Start(self.starts.len());
            self.starts.push(Node::Start {
                constructors: names.into_iter().map(visible).collect(),
            });
            for fate in fates {
                self.constructor_edge(start, fate)?;
            }
        }
        Ok(())
    }

    /// The constructors with an edge to draw, in order, each with what becomes of it.
    fn constructor_fates(&mut self, options: &Options) -> Vec<(&'a str, Vec<Fate<'a>>)> {
        let mut all: Vec<(&str, Vec<Fate<'_>>)> = Vec::new();
        for (index, edge) in self.epa.constructors.iter().enumerate() {
            if edge.exception.is_some() && !options.exceptional {
                self.hidden.exceptional += 1;
                continue;
            }
            let difference = self.differences.constructors.get(index);
            let fate = fate(edge, difference.cloned().unwrap_or_default());
            match all.iter_mut().find(|(name, _)| *name == edge.name) {
                Some((_, fates)) => fates.push(fate),
                None => all.push((&edge.name, vec![fate])),
            }
        }
        all
    }

    fn constructor_edge(&mut self, start: End, fate: Fate<'_>) -> Result<(), ViewError> {
        let (target, exception, look, violates, reason, difference) = fate;
        let target = match (target, exception) {
            (Some(id), _) => self.state(id)?,
            (None, Some(name)) => self.exception(name),
            // Neither a state nor an exception: nothing to draw an edge to.
            (None, None) => return Ok(()),
        };
        let label = Label {
            difference,
            // An edge to the exception itself need not say so again.
            name: match (exception, target) {
                (Some(name), End::State(_)) => format!("! {}", visible(name)),
                _ => String::new(),
            },
            marks: marks(look.maybe, violates),
            action: None,
            transition: None,
            violates,
            reason: reason.map(visible),
        };
        let label = Some(label).filter(|l| !l.text().is_empty());
        self.edge(start, target, look, label);
        Ok(())
    }

    fn transitions(&mut self, options: &Options) -> Result<(), ViewError> {
        let idle = idle_actions(self.epa);
        for (index, transition) in self.epa.transitions.iter().enumerate() {
            let source = self.state(&transition.source)?;
            let target = self.state(&transition.target)?;
            if transition.exception.is_some() && !options.exceptional {
                self.hidden.exceptional += 1;
            } else if !options.idle_loops && idle.contains(transition.action.as_str()) {
                self.hidden.idle_loops += 1;
            } else {
                let difference = self.differences.transitions.get(index);
                let difference = difference.cloned().unwrap_or_default();
                let look = Look {
                    change: difference.change,
                    maybe: transition.verdict == Certainty::Maybe,
                    exceptional: transition.exception.is_some(),
                    status: status(transition.confirmation.as_ref()),
                };
                let label = Label {
                    difference,
                    name: name_of(transition),
                    marks: marks(look.maybe, transition.violates_invariant),
                    action: Some(visible(&transition.action)),
                    transition: Some(index),
                    violates: transition.violates_invariant,
                    reason: transition.reason.as_deref().map(visible),
                };
                self.edge(source, target, look, Some(label));
            }
        }
        Ok(())
    }

    fn state(&self, id: &str) -> Result<End, ViewError> {
        let found = self.states.get(id).copied();
        found
            .map(End::State)
            .ok_or_else(|| ViewError::UnknownState {
                class: visible(&self.epa.class),
                state: visible(id),
            })
    }

    fn exception(&mut self, name: &str) -> End {
        let known = self.exceptions.iter().position(|e| e == name);
        End::Exception(known.unwrap_or_else(|| {
            self.exceptions.push(name.to_owned());
            self.exceptions.len() - 1
        }))
    }

    fn edge(&mut self, source: End, target: End, look: Look, label: Option<Label>) {
        let next = self.edges.len();
        let place = *self.index.entry((source, target, look)).or_insert(next);
        if place == next {
            self.edges.push((source, target, look, Vec::new()));
        }
        if let (Some((.., labels)), Some(label)) = (self.edges.get_mut(place), label) {
            labels.push(label);
        }
    }

    fn finish(self) -> Drawing {
        let starts = self.starts.len();
        let states = self.epa.states.len();
        let number = |end: End| match end {
            End::Start(i) => i,
            End::State(i) => starts + i,
            End::Exception(i) => starts + states + i,
        };
        let mut nodes = self.starts;
        let changes = &self.differences.states;
        let states = self.epa.states.iter().enumerate();
        nodes.extend(states.map(|(i, s)| Node::State {
            id: visible(&s.id),
            enabled: s.enabled.iter().map(|a| visible(a)).collect(),
            initial: s.initial,
            change: changes.get(i).copied().unwrap_or_default(),
        }));
        nodes.extend(
            self.exceptions
                .iter()
                .map(|e| Node::Exception { name: visible(e) }),
        );
        let edges: Vec<Edge> = self
            .edges
            .into_iter()
            .map(|(source, target, look, labels)| Edge {
                source: number(source),
                target: number(target),
                look,
                labels,
            })
            .collect();
        let maybe = edges.iter().any(|e| e.look.maybe);
        let violates = edges.iter().flat_map(|e| &e.labels).any(|l| l.violates);
        let marks = [(maybe, MAYBE), (violates, VIOLATES)];
        let mut legend: Vec<_> = marks
            .into_iter()
            .filter_map(|(occurs, mark)| occurs.then_some(mark))
            .collect();
        for change in [Change::Added, Change::Removed, Change::Changed] {
            let state = |n: &Node| matches!(n, Node::State { change: c, .. } if *c == change);
            if nodes.iter().any(state) || edges.iter().any(|e| e.look.change == change) {
                legend.extend(change_mark(change));
            }
        }
        let class = visible(&self.epa.class);
        Drawing {
            title: format!("The enabledness-preserving abstraction of {class}"),
            class,
            nodes,
            edges,
            legend,
            hidden: self.hidden,
        }
    }
}

fn fate(edge: &ConstructorEdge, difference: Difference) -> Fate<'_> {
    let look = Look {
        change: difference.change,
        maybe: edge.verdict == Certainty::Maybe,
        exceptional: edge.exception.is_some(),
        status: status(edge.confirmation.as_ref()),
    };
    let reason = edge.reason.as_deref();
    (
        edge.target.as_deref(),
        edge.exception.as_deref(),
        look,
        edge.violates_invariant,
        reason,
        difference,
    )
}

/// The marks of an edge, in their order.
fn marks(maybe: bool, violates: bool) -> Vec<&'static str> {
    let all = [(maybe, MAYBE.0), (violates, VIOLATES.0)];
    all.into_iter()
        .filter_map(|(occurs, mark)| occurs.then_some(mark))
        .collect()
}
