//! Exploration of a class: breadth-first over the states reached (TOSEM 2013, Algorithm 1).

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::encode::{Encoding, Exit, Question, Step};
use crate::events;
use crate::ir::{BuiltinException, ExceptionId};
use crate::query::ActionSet;

use super::ask::Asker;
use super::construct::{Exceptions, Options};
use super::desk::{Answer, INTERRUPTED};
use super::targets::{Stopped, TargetFinder, Targets};

/// The edges of one call.
#[derive(Clone, Debug)]
pub struct Edges {
    pub step: Step,
    pub targets: Targets,
    pub violation: Violation,
    /// Whether there may be more targets, for the questions were interrupted.
    pub open: bool,
}

/// Whether a call may end where the invariant does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// It never does, or that was not asked.
    Never,
    /// It could not be ruled out, and why.
    Possible(String),
    /// It can.
    Certain,
}

/// Everything that was found.
pub struct Explored {
    /// The edges of the constructors, in the order declared.
    pub constructors: Vec<Edges>,
    /// The edges of the states, in the order in which the states were found.
    pub calls: Vec<Edges>,
    /// The constructors that may end in an exception.
    pub failing_constructors: Vec<Raised>,
    /// What actions may raise that gets no edges: failures of the operations themselves.
    pub runtime_errors: Vec<Raised>,
    /// The actions that, from some configuration, may end where the invariant does not hold.
    pub violating: BTreeSet<usize>,
}

impl Explored {
    /// The states in the order in which they are first met, and how many of them are initial. The edges come
    /// breadth-first, so this is the order of their numbers.
    pub fn states(&self) -> (Vec<ActionSet>, usize) {
        let mut seen = BTreeSet::new();
        let mut states = new_states(&self.constructors, &mut seen);
        let initial = states.len();
        states.extend(new_states(&self.calls, &mut seen));
        (states, initial)
    }

    /// The states with their ids.
    pub fn ids(&self) -> BTreeMap<ActionSet, String> {
        let numbered = self.states().0.into_iter().enumerate();
        numbered
            .map(|(i, set)| (set, format!("S{}", i + 1)))
            .collect()
    }
}

/// Something may be raised.
#[derive(Clone, Debug)]
pub struct Raised {
    /// The constructor or action.
    pub by: usize,
    /// What.
    pub exception: ExceptionId,
    /// Why it is not certain, if it is not.
    pub doubt: Option<String>,
}

/// Explores one class.
pub struct Explorer<'a> {
    /// The class.
    pub encoding: &'a Encoding<'a>,
    /// Who is asked.
    pub asker: &'a Asker<'a>,
    /// How targets are found.
    pub finder: TargetFinder<'a>,
    /// What is wanted.
    pub options: &'a Options,
}

/// What is known of the actions before any state is.
struct Known {
    /// The exceptions of which each action may have edges.
    raises: Vec<Vec<ExceptionId>>,
    /// The actions that, from some state, may end where the invariant does not hold.
    violating: BTreeSet<usize>,
}

impl Explorer<'_> {
    /// Finds everything, in an order that does not depend on the number of threads.
    ///
    /// # Errors
    /// See [`TargetFinder::targets`].
    pub fn explore(&self) -> Result<Explored, Stopped> {
        let (raises, runtime_errors) = self.raised_by_actions();
        let known = Known {
            raises,
            violating: self.violating_actions(),
        };
        let constructors = (0..self.encoding.constructors.len())
            .map(|constructor| Step::Construct {
                constructor,
                exit: Exit::Normal,
            })
            .collect();
        let mut constructors = self.all_edges(constructors, &known)?;
        let mut seen: BTreeSet<ActionSet> = BTreeSet::new();
        let mut frontier: Vec<ActionSet> = new_states(&constructors, &mut seen);
        events::states(seen.len());
        let mut calls = Vec::new();
        while !frontier.is_empty() {
            let steps = frontier
                .iter()
                .flat_map(|state| self.steps_from(state, &known))
                .collect();
            let edges = self.all_edges(steps, &known)?;
            frontier = new_states(&edges, &mut seen);
            events::states(seen.len());
            calls.extend(edges);
        }
        for edges in constructors.iter_mut().chain(&mut calls) {
            edges.close(&seen);
        }
        Ok(Explored {
            constructors,
            calls,
            failing_constructors: self.failing_constructors(),
            runtime_errors,
            violating: known.violating,
        })
    }

    /// Every call of an enabled action, in every way it may end.
    fn steps_from(&self, state: &ActionSet, known: &Known) -> Vec<Step> {
        let mut steps = Vec::new();
        for action in state.iter() {
            let raised = known.raises[action].iter().map(|e| Exit::Exception(*e));
            for exit in self.encoding.normal_exits(action).into_iter().chain(raised) {
                steps.push(Step::Call {
                    source: Some(state.clone()),
                    action,
                    exit,
                });
            }
        }
        steps
    }

    fn all_edges(&self, steps: Vec<Step>, known: &Known) -> Result<Vec<Edges>, Stopped> {
        steps
            .into_par_iter()
            .map(|step| self.edges(step, known))
            .collect()
    }

    fn edges(&self, step: Step, known: &Known) -> Result<Edges, Stopped> {
        if let Some(targets) = self.without_asking(&step) {
            return Ok(Edges {
                step,
                targets,
                violation: Violation::Never,
                open: self.asker.is_interrupted(),
            });
        }
        let targets = match self.finder.targets(&step) {
            // An engine that is not asked knows nothing.
            Err(_) if self.asker.is_interrupted() => Targets::new(),
            found => found?,
        };
        let may_violate = match &step {
            // Without a constructor an object starts in its invariant.
            Step::Construct { constructor, .. } => {
                self.options.violations
                    && self.encoding.constructors[*constructor].routine.is_some()
                    && self.encoding.has_invariant()
            }
            Step::Call { action, .. } => known.violating.contains(action),
        };
        let violation = if may_violate {
            match self.asker.ask(&Question::InvariantViolation(step.clone())) {
                Answer::Yes(_) => Violation::Certain,
                Answer::No => Violation::Never,
                Answer::Unknown(doubt) => Violation::Possible(doubt),
            }
        } else {
            Violation::Never
        };
        Ok(Edges {
            step,
            targets,
            violation,
            open: self.asker.is_interrupted(),
        })
    }

    /// The exceptions that each action may raise from some state, and are to have edges; and the failures of the
    /// operations themselves that are only reported. Which exceptions a body could raise at all is known from its
    /// text; whether one ever does is asked once, before it is asked state by state.
    fn raised_by_actions(&self) -> (Vec<Vec<ExceptionId>>, Vec<Raised>) {
        let actions = 0..self.encoding.actions.len();
        if self.options.exceptions == Exceptions::Ignored {
            return (actions.map(|_| vec![]).collect(), vec![]);
        }
        let could: Vec<(usize, ExceptionId)> = actions
            .clone()
            .flat_map(|action| {
                let routine = self.encoding.actions[action].routine;
                self.encoding
                    .exceptions_of(routine)
                    .iter()
                    .map(move |e| (action, *e))
            })
            .collect();
        let raised: Vec<Raised> = could
            .into_par_iter()
            .filter_map(|(action, exception)| {
                let step = Step::Call {
                    source: None,
                    action,
                    exit: Exit::Exception(exception),
                };
                self.raised(action, exception, step)
            })
            .collect();
        let (with_edges, errors): (Vec<Raised>, Vec<Raised>) = raised.into_iter().partition(|r| {
            self.options.exceptions == Exceptions::All
                || r.exception.0 >= BuiltinException::ALL.len()
        });
        let of = |action| {
            with_edges
                .iter()
                .filter(|r| r.by == action)
                .map(|r| r.exception)
                .collect()
        };
        (actions.map(of).collect(), errors)
    }

    fn failing_constructors(&self) -> Vec<Raised> {
        if self.options.exceptions == Exceptions::Ignored {
            return vec![];
        }
        let constructors = self.encoding.constructors.iter().enumerate();
        let could: Vec<(usize, ExceptionId)> = constructors
            .filter_map(|(constructor, c)| Some((constructor, c.routine?)))
            .flat_map(|(constructor, routine)| {
                self.encoding
                    .exceptions_of(routine)
                    .iter()
                    .map(move |e| (constructor, *e))
            })
            .collect();
        could
            .into_par_iter()
            .filter_map(|(constructor, exception)| {
                let step = Step::Construct {
                    constructor,
                    exit: Exit::Exception(exception),
                };
                self.raised(constructor, exception, step)
            })
            .collect()
    }

    fn raised(&self, by: usize, exception: ExceptionId, step: Step) -> Option<Raised> {
        match self.asker.ask(&Question::Exit(step)) {
            Answer::No => None,
            Answer::Yes(_) => Some(Raised {
                by,
                exception,
                doubt: None,
            }),
            Answer::Unknown(doubt) => Some(Raised {
                by,
                exception,
                doubt: Some(doubt),
            }),
        }
    }

    /// A pure action changes nothing: where it cannot fail either, it is a self loop.
    fn without_asking(&self, step: &Step) -> Option<Targets> {
        let Step::Call {
            source: Some(source),
            action,
            exit,
        } = step
        else {
            return None;
        };
        if !self.options.pure_shortcut || !self.encoding.is_pure(*action) {
            return None;
        }
        let routine = self.encoding.actions[*action].routine;
        let plain = *exit == Exit::Normal && self.encoding.exceptions_of(routine).is_empty();
        if plain {
            return Some(Targets::from([(source.clone(), None)]));
        }
        // It may also end otherwise, so whether it ends like this is a question, but where is not.
        match self
            .asker
            .ask(&Question::Transition(step.clone(), source.clone()))
        {
            Answer::Yes(_) => Some(Targets::from([(source.clone(), None)])),
            Answer::No => Some(Targets::new()),
            Answer::Unknown(reason) => Some(Targets::from([(source.clone(), Some(reason))])),
        }
    }

    /// The actions that, from some state, may end where the invariant does not hold. Only of these is it asked
    /// state by state.
    fn violating_actions(&self) -> BTreeSet<usize> {
        if !self.options.violations || !self.encoding.has_invariant() {
            return BTreeSet::new();
        }
        let changing: Vec<usize> = (0..self.encoding.actions.len())
            .filter(|a| {
                self.encoding
                    .changes_something(self.encoding.actions[*a].routine)
            })
            .collect();
        changing
            .into_par_iter()
            .filter(|action| {
                let step = Step::Call {
                    source: None,
                    action: *action,
                    exit: Exit::Any,
                };
                self.asker.ask(&Question::InvariantViolation(step)) != Answer::No
            })
            .collect()
    }
}

impl Edges {
    /// What may be missing is put in, as uncertain: any of these states may be a target.
    fn close(&mut self, states: &BTreeSet<ActionSet>) {
        if self.open {
            for state in states {
                let doubt = || Some(INTERRUPTED.into());
                self.targets.entry(state.clone()).or_insert_with(doubt);
            }
        }
    }
}

/// The targets that were not seen before, in the order of the edges.
pub fn new_states(edges: &[Edges], seen: &mut BTreeSet<ActionSet>) -> Vec<ActionSet> {
    edges
        .iter()
        .flat_map(|e| e.targets.keys())
        .filter(|t| seen.insert((*t).clone()))
        .cloned()
        .collect()
}
