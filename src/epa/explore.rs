//! Exploration of a class: breadth-first over the states reached (TOSEM 2013, Algorithm 1).

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::ask::{Answer, Desk, Doubt};
use crate::events;
use crate::ir::formula;
use crate::query::{AbstractState, ActionId, Exit, Step, Subject, kinds};

use super::alike::Alike;
use super::construct::ConstructOptions;
use super::raised::Raised;
use super::targets::{Stopped, TargetFinder, TargetState, Targets};

/// The edges of one call.
#[derive(Clone, Debug)]
pub(super) struct EdgesOfCall {
    pub step: Step,
    pub targets: Targets,
    pub violation: Violation,
    /// Whether there may be more targets, for the questions were interrupted.
    pub open: bool,
    /// Whether the time was over by then: perhaps not all was asked.
    pub late: bool,
}

/// Whether a call may end where the invariant does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Violation {
    /// It never does, or that was not asked.
    Never,
    /// It could not be ruled out, and why.
    Possible(Doubt),
    /// It can.
    Certain,
}

/// Everything that was found.
pub(super) struct ExploredEdges {
    /// The edges of the constructors, in the order declared.
    pub constructors: Vec<EdgesOfCall>,
    /// The edges of the states, in the order in which the states were found.
    pub calls: Vec<EdgesOfCall>,
    /// The constructors that may end in an exception.
    pub failing_constructors: Vec<Raised>,
    /// What actions may raise that gets no edges: failures of the operations themselves.
    pub runtime_errors: Vec<Raised>,
    /// The actions that, from some configuration, may end where the invariant does not hold.
    pub violating: BTreeSet<ActionId>,
}

impl ExploredEdges {
    /// How many edges are there by a guess alone.
    pub(super) fn guesses(&self) -> usize {
        let edges = self.constructors.iter().chain(&self.calls);
        let targets = edges.flat_map(|e| e.targets.values());
        targets
            .filter(|t| matches!(t.doubt, Some(Doubt::Guess(_) | Doubt::Values)))
            .count()
    }

    /// Whether all edges were asked about.
    pub(super) fn is_whole(&self) -> bool {
        let mut edges = self.constructors.iter().chain(&self.calls);
        edges.all(|edges| !edges.open)
    }

    /// The states in the order in which they are first met, and how many of them are initial. The edges come
    /// breadth-first, so this is the order of their numbers.
    pub(super) fn states(&self) -> (Vec<AbstractState>, usize) {
        let mut seen = BTreeSet::new();
        let mut states = new_states(&self.constructors, &mut seen);
        let initial = states.len();
        states.extend(new_states(&self.calls, &mut seen));
        (states, initial)
    }
}

/// Explores one class.
pub(super) struct EpaExplorer<'a> {
    /// Who is asked, about which class.
    pub desk: &'a Desk<'a>,
    /// How targets are found.
    pub finder: TargetFinder<'a>,
    /// What is wanted.
    pub options: &'a ConstructOptions,
    /// The actions of which only the first is asked about.
    pub alike: Alike,
}

/// What is known of the actions before any state is.
struct ActionFacts {
    /// What each action may raise that is to have edges.
    raises: Vec<Vec<Raised>>,
    /// The actions that, from some state, may end where the invariant does not hold.
    violating: BTreeSet<ActionId>,
}

impl EpaExplorer<'_> {
    pub(super) fn subject(&self) -> &Subject {
        self.desk.subject()
    }

    /// Finds the edges that lead to states, in an order that does not depend on the number of threads.
    ///
    /// # Errors
    /// See [`TargetFinder::targets`].
    pub(super) fn explore(&self) -> Result<ExploredEdges, Stopped> {
        let constructors = self.subject().constructor_ids();
        let made: Vec<Step> = constructors
            .map(|id| Step::construct(id, Exit::Normal))
            .collect();
        let made = made.into_par_iter().map(|step| {
            let found = self.or_nothing(self.finder.targets(&step))?;
            let may_violate = self.may_violate_made(&step);
            Ok(self.edges(step, found, may_violate))
        });
        let mut constructors = made.collect::<Result<Vec<EdgesOfCall>, Stopped>>()?;
        self.finder.learn(all_targets(&constructors));
        let known = ActionFacts {
            raises: self.raised_by_actions(),
            violating: self.violating_actions(),
        };
        let firsts = self.alike.firsts();
        let raised = firsts.flat_map(|action| &known.raises[action.0]);
        self.finder.learn(raised.map(|raised| &raised.target));
        let mut seen: BTreeSet<AbstractState> = BTreeSet::new();
        let mut frontier: Vec<AbstractState> = new_states(&constructors, &mut seen);
        events::states(seen.len());
        let mut calls = Vec::new();
        while !frontier.is_empty() {
            let edges = self.edges_of_states(&frontier, &known)?;
            frontier = new_states(&edges, &mut seen);
            events::states(seen.len());
            calls.extend(edges);
        }
        for edges in constructors.iter_mut().chain(&mut calls) {
            edges.close(&seen);
        }
        Ok(ExploredEdges {
            constructors,
            calls,
            failing_constructors: vec![],
            runtime_errors: vec![],
            violating: known.violating,
        })
    }

    /// The same, with what is raised and leads to no state.
    pub(super) fn with_failures(&self, explored: ExploredEdges) -> ExploredEdges {
        ExploredEdges {
            failing_constructors: self.failing_constructors(),
            runtime_errors: self.runtime_errors(),
            ..explored
        }
    }

    /// The edges of all actions that are enabled in these states.
    fn edges_of_states(
        &self,
        states: &[AbstractState],
        known: &ActionFacts,
    ) -> Result<Vec<EdgesOfCall>, Stopped> {
        let called = states.iter().flat_map(|state| {
            let asked = move |action: &ActionId| self.alike.asked_in(state, *action) == *action;
            let asked = state.iter().filter(asked);
            asked.map(move |action| (state, action))
        });
        // Each by itself: of a single state, too, all actions are asked about at once.
        let called: Vec<(&AbstractState, ActionId)> = called.collect();
        let called = called.into_par_iter().with_max_len(1);
        let found = called.map(|(state, action)| self.edges_from(state, action, known));
        let found = found.collect::<Result<Vec<Vec<EdgesOfCall>>, Stopped>>()?;
        self.finder
            .learn(found.iter().flat_map(|edges| all_targets(edges)));
        let mut found = found.into_iter();
        let mut edges = Vec::new();
        for state in states {
            let mut of_asked = BTreeMap::new();
            for action in state.iter() {
                // The first of those that do the same comes before the others.
                let asked = self.alike.asked_in(state, action);
                let of_asked = of_asked
                    .entry(asked)
                    .or_insert_with(|| found.next().unwrap_or_default());
                edges.extend(of_asked.iter().map(|edges| edges.also_of(action)));
            }
        }
        Ok(edges)
    }

    /// The edges of an action that is enabled in a state, for every way in which it may end.
    fn edges_from(
        &self,
        source: &AbstractState,
        action: ActionId,
        known: &ActionFacts,
    ) -> Result<Vec<EdgesOfCall>, Stopped> {
        let normal = self.subject().normal_exits(action);
        let raised = |is_certain: bool| {
            let raised = known.raises[action.0].iter();
            raised.filter(move |raised| raised.target.doubt.is_none() == is_certain)
        };
        let certainly = raised(true).map(|raised| Exit::Exception(raised.exception));
        let together: Vec<Exit> = normal.into_iter().chain(certainly).collect();
        let may_violate = known.violating.contains(&action);
        let targets = self.or_nothing(self.found(source, action, &together))?;
        let targets = targets.into_iter().chain(std::iter::repeat(Targets::new()));
        let together = together.into_iter().zip(targets);
        let mut edges: Vec<EdgesOfCall> = together
            .map(|(exit, targets)| {
                let step = Step::call(source.clone(), action, exit);
                self.edges(step, targets, may_violate)
            })
            .collect();
        // What could not be decided from anywhere would keep all else from being decided.
        for raised in raised(false) {
            let step = Step::call(source.clone(), action, Exit::Exception(raised.exception));
            let exit = std::slice::from_ref(&step.exit);
            let unasked = self.finder.unasked(&step, raised.target.doubt.as_ref());
            let targets = match unasked {
                Some(unasked) => unasked,
                None => {
                    let mut found = self.or_nothing(self.found(source, action, exit))?;
                    found.pop().unwrap_or_default()
                }
            };
            edges.push(self.edges(step, targets, may_violate));
        }
        edges.sort_by_key(|edges| match edges.step.exit {
            Exit::Exception(exception) => Some(exception),
            // Normal ends come first, as they are.
            _ => None,
        });
        Ok(edges)
    }

    /// What was found; where it was interrupted, that it was given up says nothing of the class.
    fn or_nothing<T: Default>(&self, found: Result<T, Stopped>) -> Result<T, Stopped> {
        match found {
            Err(_) if self.desk.is_interrupted() => Ok(T::default()),
            found => found,
        }
    }

    /// The targets of a call for each of some ways in which it may end.
    fn found(
        &self,
        source: &AbstractState,
        action: ActionId,
        exits: &[Exit],
    ) -> Result<Vec<Targets>, Stopped> {
        let subject = self.subject();
        if !self.options.pure_shortcut || !subject.is_pure(action) {
            return self.finder.targets_of_all(source, action, exits);
        }
        // A pure action changes nothing: where it cannot fail either, it is a self loop.
        let never_fails = subject.exceptions_of(subject[action].routine).is_empty();
        if exits == [Exit::Normal] && never_fails {
            let stays = Targets::from([(source.clone(), TargetState::default())]);
            return Ok(vec![stays]);
        }
        // It may also end otherwise, so whether it ends like this is a question, but where is not.
        self.finder.ways_to(source, source, action, exits)
    }

    /// Whether it is to be asked of a constructor whether it breaks the invariant: without one an object starts in it.
    fn may_violate_made(&self, step: &Step) -> bool {
        self.options.violations
            && self.subject().routine(step.callee).is_some()
            && self.subject().has_invariant()
    }

    /// The edges of a call with these targets.
    fn edges(&self, step: Step, mut targets: Targets, may_violate: bool) -> EdgesOfCall {
        self.doubt_guesses(&step, &mut targets);
        let violation = match may_violate {
            false => Violation::Never,
            true => match self
                .desk
                .ask(&kinds::invariant_violation(self.subject(), &step))
                .settled()
            {
                Ok(Some(_)) => Violation::Certain,
                Ok(None) => Violation::Never,
                Err(doubt) => Violation::Possible(doubt),
            },
        };
        EdgesOfCall {
            step,
            targets,
            violation,
            open: self.desk.is_interrupted(),
            late: self.desk.is_over(),
        }
    }

    /// Where guards are over-approximated, a configuration may be taken to be in a state that it is not in. What is
    /// certain of an edge is what is found between configurations that are certainly in their states. Of an action that is
    /// certainly enabled nowhere, there are none in a state with it.
    fn doubt_guesses(&self, step: &Step, targets: &mut Targets) {
        let subject = self.subject();
        let guessed: Vec<ActionId> = subject.guessed().collect();
        if guessed.is_empty() {
            return;
        }
        let names = guessed.iter().map(|id| subject[*id].shown.clone());
        let guess = Doubt::Guess(names.collect());
        let never: Vec<ActionId> = guessed
            .into_iter()
            .filter(|id| formula::is_bool(&subject[*id].guard.certainly_enabled(), false))
            .collect();
        let is_doubtful = |set: &AbstractState| never.iter().any(|id| set.contains(*id));
        let from_doubt = step.source.as_ref().is_some_and(is_doubtful);
        for (set, target) in targets {
            // Where it is not asked any more, the question is not made either: a guess may be a large formula.
            let is_certain = || {
                let runs = self.finder.runs();
                if target.begins_and_ends_certainly
                    || runs.is_some_and(|runs| runs.is_certain(step, set, target))
                {
                    return true;
                }
                let question = || kinds::certain_transition(subject, step, set);
                !self.desk.leaves_out() && matches!(self.desk.ask(&question()), Answer::Yes(_))
            };
            if target.doubt.is_none() && (from_doubt || is_doubtful(set) || !is_certain()) {
                target.doubt = Some(guess.clone());
            }
        }
    }

    /// The actions that, from some state, may end where the invariant does not hold. Only of these is it asked
    /// state by state.
    fn violating_actions(&self) -> BTreeSet<ActionId> {
        let subject = self.subject();
        if !self.options.violations || !subject.has_invariant() {
            return BTreeSet::new();
        }
        let changing = subject.action_ids();
        let changing = changing.filter(|a| subject.changes_something(subject[*a].routine));
        let changing: Vec<ActionId> = changing.collect();
        let firsts = changing.par_iter().copied();
        let firsts = firsts.filter(|action| self.alike.is_first(*action));
        let violating = firsts.filter(|action| {
            let step = Step::anywhere(*action, Exit::Any);
            !self
                .desk
                .ask(&kinds::invariant_violation(subject, &step))
                .is_no()
        });
        let violating: BTreeSet<ActionId> = violating.collect();
        let changing = changing.into_iter();
        changing
            .filter(|action| violating.contains(&self.alike.first(*action)))
            .collect()
    }
}

impl EdgesOfCall {
    /// What may be missing is put in, as uncertain: any of these states may be a target.
    fn close(&mut self, states: &BTreeSet<AbstractState>) {
        if self.open {
            for state in states {
                self.targets
                    .entry(state.clone())
                    .or_insert_with(TargetState::open);
            }
        }
    }
}

/// What is known of all targets.
fn all_targets(edges: &[EdgesOfCall]) -> impl Iterator<Item = &TargetState> {
    edges.iter().flat_map(|edges| edges.targets.values())
}

/// The targets that were not seen before, in the order of the edges.
pub(super) fn new_states(
    edges: &[EdgesOfCall],
    seen: &mut BTreeSet<AbstractState>,
) -> Vec<AbstractState> {
    edges
        .iter()
        .flat_map(|e| e.targets.keys())
        .filter(|t| seen.insert((*t).clone()))
        .cloned()
        .collect()
}
