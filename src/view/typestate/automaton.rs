//! The automaton made ready for drawing.

use crate::epa::diff::Change;
use crate::typestate::report::{EdgeReport, Typestate};
use crate::view::drawing::{self, Drawing, DrawnLabel, DrawnNode, Hidden, Look, Status};
use crate::view::escape::visible;

use super::{DOUBT, condition, label, shown};

/// The automaton made ready for drawing.
pub(super) fn automaton(typestate: &Typestate, all: bool) -> Drawing {
    let nodes = Nodes::of(typestate, all);
    let mut edges = nodes.calls(all);
    edges.extend(nodes.inclusions());
    let doubts = typestate.constructors.iter().chain(&typestate.transitions);
    let doubtful = doubts.into_iter().any(|e| e.doubt.is_some());
    Drawing {
        class: visible(&typestate.class),
        title: format!("Typestates of {}", visible(&typestate.class)),
        nodes: nodes.drawn(),
        edges,
        legend: doubtful.then_some(DOUBT).into_iter().collect(),
        hidden: Hidden::default(),
        second_pass: Vec::new(),
    }
}

/// What is drawn as a node: the constructors, then the states.
struct Nodes<'t> {
    typestate: &'t Typestate,
    starts: Vec<&'t str>,
}

impl<'t> Nodes<'t> {
    fn of(typestate: &'t Typestate, all: bool) -> Self {
        let mut starts: Vec<&str> = Vec::new();
        for edge in shown(&typestate.constructors, all) {
            if !starts.contains(&edge.name.as_str()) {
                starts.push(&edge.name);
            }
        }
        Nodes { typestate, starts }
    }

    fn drawn(&self) -> Vec<DrawnNode> {
        let starts = self.starts.iter().map(|name| DrawnNode::Start {
            constructors: vec![visible(name)],
        });
        let states = self.typestate.states.iter().map(|state| {
            if state.id == self.typestate.error() {
                DrawnNode::Exception {
                    name: visible(&state.id),
                }
            } else {
                let enabled = condition(state);
                DrawnNode::State {
                    id: visible(&state.id),
                    dead: enabled.is_empty(),
                    enabled,
                    initial: state.initial,
                    change: Change::Same,
                    refuted: false,
                    run: Vec::new(),
                }
            }
        });
        starts.chain(states).collect()
    }

    fn state(&self, id: &str) -> Option<usize> {
        let found = self.typestate.states.iter().position(|s| s.id == id);
        found.map(|index| self.starts.len() + index)
    }

    fn source(&self, edge: &EdgeReport) -> Option<usize> {
        match &edge.source {
            Some(source) => self.state(source),
            None => self.starts.iter().position(|name| *name == edge.name),
        }
    }

    /// The calls; those that look alike between the same ends are one edge.
    fn calls(&self, all: bool) -> Vec<drawing::DrawnEdge> {
        let mut edges: Vec<drawing::DrawnEdge> = Vec::new();
        let constructors = shown(&self.typestate.constructors, all);
        for edge in constructors.chain(shown(&self.typestate.transitions, all)) {
            let (Some(source), Some(target)) = (self.source(edge), self.state(&edge.target)) else {
                continue;
            };
            let look = Look {
                maybe: edge.doubt.is_some(),
                exceptional: edge.target == self.typestate.error(),
                status: Status::Plain,
                change: Change::Same,
            };
            let label = label_of(edge);
            let same = |e: &&mut drawing::DrawnEdge| {
                (e.source, e.target, e.look) == (source, target, look)
            };
            match edges.iter_mut().find(same) {
                Some(known) => known.labels.extend(label),
                None => edges.push(drawing::DrawnEdge {
                    source,
                    target,
                    look,
                    labels: label.into_iter().collect(),
                    found: Vec::new(),
                }),
            }
        }
        edges
    }

    /// Which states are in which; what follows from two others is not drawn.
    fn inclusions(&self) -> Vec<drawing::DrawnEdge> {
        let epsilon = &self.typestate.epsilon;
        let known = |a: &str, b: &str| epsilon.iter().any(|(x, y)| x == a && y == b);
        let follows = |from: &str, to: &str| {
            let mut between = self.typestate.states.iter();
            between.any(|s| known(from, &s.id) && known(&s.id, to))
        };
        let direct = epsilon.iter().filter(|(from, to)| !follows(from, to));
        direct
            .filter_map(|(from, to)| Some(within(self.state(from)?, self.state(to)?)))
            .collect()
    }
}

/// What is written at an edge: nothing at that of a constructor without a guard, whose name is its node's.
fn label_of(edge: &EdgeReport) -> Option<DrawnLabel> {
    let name = match (&edge.source, edge.guard.is_empty()) {
        (None, true) => return None,
        (None, false) => format!("when {}", edge.guard.join(" && ")),
        _ => label(edge),
    };
    Some(DrawnLabel {
        name: visible(&name),
        marks: edge.doubt.iter().map(|_| DOUBT.0).collect(),
        action: edge.source.as_ref().map(|_| edge.name.clone()),
        reason: edge.doubt.clone(),
        ..DrawnLabel::default()
    })
}

/// The edge that says that who is in the one state is in the other.
fn within(source: usize, target: usize) -> drawing::DrawnEdge {
    drawing::DrawnEdge {
        source,
        target,
        look: Look {
            maybe: true,
            exceptional: false,
            status: Status::Plain,
            change: Change::Same,
        },
        labels: vec![DrawnLabel {
            name: "is also in".into(),
            ..DrawnLabel::default()
        }],
        found: Vec::new(),
    }
}
