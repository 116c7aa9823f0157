//! From an EPA to its drawing: which edges are drawn as one, and what is written at them.

use std::collections::BTreeMap;

use super::{
    Difference, Differences, Drawing, DrawnEdge, DrawnLabel, DrawnNode, Hidden, Look, MAYBE,
    REFUTED, Status, UNCONFIRMED, VIOLATES, change_mark, idle_actions, name_of, status,
    status_mark,
};
use crate::ask::Run;
use crate::epa::Epa;
use crate::epa::diff::Change;
use crate::epa::wire::{Certainty, Confirmation, ConstructorEdge, EpaState, Transition};
use crate::view::escape::visible;
use crate::view::{ViewError, ViewOptions, second_pass};

/// The edges found so far, and where they are by their ends and look.
pub(super) struct Builder<'a> {
    epa: &'a Epa,
    differences: &'a Differences,
    states: BTreeMap<&'a str, usize>,
    /// The runs by the edges that they confirm: constructors' edges first, then transitions.
    runs: BTreeMap<usize, &'a Run>,
    starts: Vec<DrawnNode>,
    exceptions: Vec<String>,
    edges: Vec<Pending>,
    index: BTreeMap<(EdgeEnd, EdgeEnd, Look), usize>,
    hidden: Hidden,
}

/// An edge, before the nodes are numbered.
struct Pending {
    source: EdgeEnd,
    target: EdgeEnd,
    look: Look,
    labels: Vec<DrawnLabel>,
    found: Vec<String>,
}

/// An end of an edge, before the nodes are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EdgeEnd {
    Start(usize),
    State(usize),
    Exception(usize),
}

/// Where a transition is listed.
#[derive(Clone, Copy, Debug)]
enum TransitionPlace {
    /// In [`Epa::transitions`].
    Kept(usize),
    /// Among those that were refuted.
    Refuted(usize),
}

/// What becomes of a constructor: its edges, and in the same order what the second pass found of each.
#[derive(Default)]
struct Life<'a> {
    fates: Vec<Fate<'a>>,
    found: Vec<Vec<String>>,
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
    pub(super) fn new(epa: &'a Epa, differences: &'a Differences) -> Self {
        let ids = epa.states.iter().chain(refuted_states(epa));
        Builder {
            epa,
            differences,
            states: ids.enumerate().map(|(i, s)| (s.id.as_str(), i)).collect(),
            runs: (epa.runs.iter())
                .filter_map(|run| Some((run.confirms()?, run)))
                .collect(),
            starts: Vec::new(),
            exceptions: Vec::new(),
            edges: Vec::new(),
            index: BTreeMap::new(),
            hidden: Hidden::default(),
        }
    }

    pub(super) fn constructors(&mut self, options: &ViewOptions) -> Result<(), ViewError> {
        let mut groups: Vec<(Vec<&str>, Life<'a>)> = Vec::new();
        for (name, life) in self.lives(options) {
            match groups
                .iter_mut()
                .find(|(_, known)| known.fates == life.fates)
            {
                Some((names, known)) => {
                    names.push(name);
                    for (all, more) in known.found.iter_mut().zip(life.found) {
                        all.extend(more);
                    }
                }
                None => groups.push((vec![name], life)),
            }
        }
        for (names, life) in groups {
            let start = EdgeEnd::Start(self.starts.len());
            self.starts.push(DrawnNode::Start {
                constructors: names.into_iter().map(visible).collect(),
            });
            for (fate, found) in life.fates.into_iter().zip(life.found) {
                self.constructor_edge(start, fate, found)?;
            }
        }
        Ok(())
    }

    /// The constructors with an edge to draw, in order, each with what becomes of it.
    fn lives(&mut self, options: &ViewOptions) -> Vec<(&'a str, Life<'a>)> {
        let refuted = self.epa.refuted.iter().flat_map(|r| &r.constructors);
        let mut all: Vec<(&str, Life<'a>)> = Vec::new();
        for (index, edge) in self.epa.constructors.iter().chain(refuted).enumerate() {
            if edge.exception.is_some() && !options.exceptional {
                self.hidden.exceptional += 1;
                continue;
            }
            let difference = self.differences.constructors.get(index);
            let fate = fate(edge, difference.cloned().unwrap_or_default());
            let position = all.iter().position(|(name, _)| *name == edge.name);
            let position = position.unwrap_or_else(|| {
                all.push((&edge.name, Life::default()));
                all.len() - 1
            });
            if let Some((_, life)) = all.get_mut(position) {
                life.fates.push(fate);
                let run = self.runs.get(&index).copied();
                life.found.push(found(edge.confirmation.as_ref(), run));
            }
        }
        all
    }

    fn constructor_edge(
        &mut self,
        start: EdgeEnd,
        fate: Fate<'_>,
        found: Vec<String>,
    ) -> Result<(), ViewError> {
        let (target, exception, look, violates, reason, difference) = fate;
        let target = match (target, exception) {
            (Some(id), _) => self.state(id)?,
            (None, Some(name)) => self.exception(name),
            // Neither a state nor an exception: nothing to draw an edge to.
            (None, None) => return Ok(()),
        };
        let label = DrawnLabel {
            difference,
            // An edge to the exception itself need not say so again.
            name: match (exception, target) {
                (Some(name), EdgeEnd::State(_)) => format!("! {}", visible(name)),
                _ => String::new(),
            },
            marks: marks(look, violates),
            action: None,
            transition: None,
            refuted: None,
            violates,
            reason: reason.map(visible),
            found: Vec::new(),
        };
        let labels = Some(label).filter(|l| !l.text().is_empty());
        self.add(Pending {
            source: start,
            target,
            look,
            labels: labels.into_iter().collect(),
            found,
        });
        Ok(())
    }

    pub(super) fn transitions(&mut self, options: &ViewOptions) -> Result<(), ViewError> {
        let idle = idle_actions(self.epa);
        for (index, transition) in self.epa.transitions.iter().enumerate() {
            if transition.exception.is_some() && !options.exceptional {
                self.hidden.exceptional += 1;
            } else if !options.idle_loops && idle.contains(transition.action.as_str()) {
                self.hidden.idle_loops += 1;
            } else {
                self.transition(transition, TransitionPlace::Kept(index))?;
            }
        }
        Ok(())
    }

    /// The transitions that no object takes: drawn too, for somebody may look for them.
    pub(super) fn refuted(&mut self, options: &ViewOptions) -> Result<(), ViewError> {
        let refuted = self.epa.refuted.iter().flat_map(|r| &r.transitions);
        for (index, transition) in refuted.enumerate() {
            if transition.exception.is_none() || options.exceptional {
                self.transition(transition, TransitionPlace::Refuted(index))?;
            }
        }
        Ok(())
    }

    /// An edge for a transition.
    fn transition(
        &mut self,
        transition: &Transition,
        place: TransitionPlace,
    ) -> Result<(), ViewError> {
        let (index, refuted) = match place {
            TransitionPlace::Kept(index) => (Some(index), None),
            TransitionPlace::Refuted(index) => (None, Some(index)),
        };
        let difference = index.and_then(|index| self.differences.transitions.get(index));
        let difference = difference.cloned().unwrap_or_default();
        let look = Look {
            change: difference.change,
            maybe: transition.verdict == Certainty::Maybe,
            exceptional: transition.exception.is_some(),
            status: status(transition.confirmation.as_ref()),
        };
        let run = index.and_then(|index| self.runs.get(&(self.epa.constructors.len() + index)));
        let label = DrawnLabel {
            difference,
            name: name_of(transition),
            marks: marks(look, transition.violates_invariant),
            action: Some(visible(&transition.action)),
            transition: index,
            refuted,
            violates: transition.violates_invariant,
            reason: transition.reason.as_deref().map(visible),
            found: found(transition.confirmation.as_ref(), run.copied()),
        };
        self.add(Pending {
            source: self.state(&transition.source)?,
            target: self.state(&transition.target)?,
            look,
            labels: vec![label],
            found: Vec::new(),
        });
        Ok(())
    }

    fn state(&self, id: &str) -> Result<EdgeEnd, ViewError> {
        let found = self.states.get(id).copied();
        found
            .map(EdgeEnd::State)
            .ok_or_else(|| ViewError::UnknownState {
                class: visible(&self.epa.class),
                state: visible(id),
            })
    }

    fn exception(&mut self, name: &str) -> EdgeEnd {
        let known = self.exceptions.iter().position(|e| e == name);
        EdgeEnd::Exception(known.unwrap_or_else(|| {
            self.exceptions.push(name.to_owned());
            self.exceptions.len() - 1
        }))
    }

    /// Adds an edge, or what is written at it to the edge of the same ends and the same look.
    fn add(&mut self, edge: Pending) {
        let next = self.edges.len();
        let key = (edge.source, edge.target, edge.look);
        let place = *self.index.entry(key).or_insert(next);
        match self.edges.get_mut(place) {
            Some(known) => {
                known.labels.extend(edge.labels);
                known.found.extend(edge.found);
            }
            None => self.edges.push(edge),
        }
    }

    pub(super) fn finish(self) -> Drawing {
        let starts = self.starts.len();
        let states = self.states.len();
        let number = |end: EdgeEnd| match end {
            EdgeEnd::Start(i) => i,
            EdgeEnd::State(i) => starts + i,
            EdgeEnd::Exception(i) => starts + states + i,
        };
        let mut nodes = self.starts;
        let changes = &self.differences.states;
        let mut runs = shortest_runs(self.epa);
        let states = self.epa.states.iter().enumerate();
        nodes.extend(states.map(|(i, state)| DrawnNode::State {
            id: visible(&state.id),
            enabled: enabled(state),
            dead: self.epa.is_dead(state),
            initial: state.initial,
            change: changes.get(i).copied().unwrap_or_default(),
            refuted: false,
            run: (runs.remove(state.id.as_str())).map_or_else(Vec::new, second_pass::lines),
        }));
        nodes.extend(refuted_states(self.epa).map(|state| DrawnNode::State {
            id: visible(&state.id),
            enabled: enabled(state),
            dead: self.epa.is_dead(state),
            initial: false,
            change: Change::Same,
            refuted: true,
            run: Vec::new(),
        }));
        nodes.extend(
            self.exceptions
                .iter()
                .map(|e| DrawnNode::Exception { name: visible(e) }),
        );
        let edges: Vec<DrawnEdge> = self
            .edges
            .into_iter()
            .map(|edge| DrawnEdge {
                source: number(edge.source),
                target: number(edge.target),
                look: edge.look,
                labels: edge.labels,
                found: edge.found,
            })
            .collect();
        let maybe = edges.iter().any(|e| e.look.maybe);
        let violates = edges.iter().flat_map(|e| &e.labels).any(|l| l.violates);
        let status = |wanted| edges.iter().any(|e: &DrawnEdge| e.look.status == wanted);
        let marks = [
            (maybe, MAYBE),
            (violates, VIOLATES),
            (status(Status::Unconfirmed), UNCONFIRMED),
            (status(Status::Refuted), REFUTED),
        ];
        let mut legend: Vec<_> = marks
            .into_iter()
            .filter_map(|(occurs, mark)| occurs.then_some(mark))
            .collect();
        for change in [Change::Added, Change::Removed, Change::Changed] {
            let state =
                |n: &DrawnNode| matches!(n, DrawnNode::State { change: c, .. } if *c == change);
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
            second_pass: Vec::new(),
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
fn marks(look: Look, violates: bool) -> Vec<&'static str> {
    let marks = [look.maybe.then_some(MAYBE), violates.then_some(VIOLATES)];
    let all = marks.into_iter().chain([status_mark(look.status)]);
    all.flatten().map(|(mark, _)| mark).collect()
}

/// What the second pass found of an edge, in lines.
fn found(confirmation: Option<&Confirmation>, run: Option<&Run>) -> Vec<String> {
    let words = confirmation.map(second_pass::words);
    let lines = run.map_or_else(Vec::new, second_pass::lines);
    words.into_iter().chain(lines).collect()
}

/// For each state the shortest of the runs that end there.
fn shortest_runs(epa: &Epa) -> BTreeMap<&str, &Run> {
    let mut shortest: BTreeMap<&str, &Run> = BTreeMap::new();
    for run in &epa.runs {
        let target = run.calls.last().and_then(|call| call.target.as_deref());
        if let Some(target) = target {
            let known = shortest.entry(target).or_insert(run);
            if run.calls.len() < known.calls.len() {
                *known = run;
            }
        }
    }
    shortest
}

fn refuted_states(epa: &Epa) -> impl Iterator<Item = &EpaState> {
    epa.refuted.iter().flat_map(|r| &r.states)
}

fn enabled(state: &EpaState) -> Vec<String> {
    state.enabled.iter().map(|a| visible(a)).collect()
}

/// What the second pass came to, in sentences; nothing where there was none.
pub(super) fn sentences(epa: &Epa) -> Vec<String> {
    let counts = second_pass::counts(epa).map(|counts| format!("second pass: {counts}"));
    let invariant = epa.refuted.iter().flat_map(|r| &r.invariant);
    let invariant = invariant.map(|clause| format!("refuted by: invariant {};", visible(clause)));
    counts.into_iter().chain(invariant).collect()
}
