//! Exploration of a class: breadth-first over the states reached (TOSEM 2013, Algorithm 1).

use std::collections::BTreeSet;

use rayon::prelude::*;

use crate::ask::{Answer, Completeness, Desk, Doubt};
use crate::events;
use crate::ir::backwards::{BackwardLimits, Backwards};
use crate::ir::formula;
use crate::ir::{BuiltinException, ExceptionId};
use crate::process::Interrupt;
use crate::query::{AbstractState, ActionId, Callee, Exit, Step, Subject, kinds};

use super::construct::{ConstructOptions, Exceptions};
use super::targets::{self, Stopped, TargetFinder, TargetState, Targets};

/// How far bodies are followed to see which exceptions a call may end in.
const BACKWARDS: BackwardLimits = BackwardLimits { bound: 1, cases: 0 };

/// The edges of one call.
#[derive(Clone, Debug)]
pub(super) struct EdgesOfCall {
    pub step: Step,
    pub targets: Targets,
    pub violation: Violation,
    /// Whether there may be more targets, for the questions were interrupted.
    pub open: bool,
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

/// Something may be raised.
#[derive(Clone, Debug)]
pub(super) struct Raised {
    /// The constructor or action.
    pub by: Callee,
    /// What.
    pub exception: ExceptionId,
    /// What is known of it.
    pub target: TargetState,
}

/// Explores one class.
pub(super) struct EpaExplorer<'a> {
    /// Who is asked, about which class.
    pub desk: &'a Desk<'a>,
    /// How targets are found.
    pub finder: TargetFinder<'a>,
    /// What is wanted.
    pub options: &'a ConstructOptions,
}

/// What is known of the actions before any state is.
struct ActionFacts {
    /// What each action may raise that is to have edges.
    raises: Vec<Vec<Raised>>,
    /// The actions that, from some state, may end where the invariant does not hold.
    violating: BTreeSet<ActionId>,
}

impl EpaExplorer<'_> {
    fn subject(&self) -> &Subject {
        self.desk.subject()
    }

    /// Finds everything, in an order that does not depend on the number of threads.
    ///
    /// # Errors
    /// See [`TargetFinder::targets`].
    pub(super) fn explore(&self) -> Result<ExploredEdges, Stopped> {
        let known = ActionFacts {
            raises: self.raised_by_actions(),
            violating: self.violating_actions(),
        };
        let constructors = self.subject().constructor_ids();
        let made: Vec<Step> = constructors
            .map(|id| Step::construct(id, Exit::Normal))
            .collect();
        let made = made.into_par_iter().map(|step| {
            let found = self.or_nothing(self.finder.targets(&step))?;
            Ok(self.edges(step, found, &known))
        });
        let mut constructors = made.collect::<Result<Vec<EdgesOfCall>, Stopped>>()?;
        let mut seen: BTreeSet<AbstractState> = BTreeSet::new();
        let mut frontier: Vec<AbstractState> = new_states(&constructors, &mut seen);
        events::states(seen.len());
        let mut calls = Vec::new();
        while !frontier.is_empty() {
            let called = frontier
                .par_iter()
                .flat_map_iter(|state| state.iter().map(move |action| (state, action)));
            let edges = called.map(|(state, action)| self.edges_from(state, action, &known));
            let edges = edges.collect::<Result<Vec<Vec<EdgesOfCall>>, Stopped>>()?;
            let edges: Vec<EdgesOfCall> = edges.into_iter().flatten().collect();
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
            failing_constructors: self.failing_constructors(),
            runtime_errors: self.runtime_errors(),
            violating: known.violating,
        })
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
            let such = raised.filter(move |raised| raised.target.doubt.is_none() == is_certain);
            such.map(|raised| Exit::Exception(raised.exception))
        };
        let together: Vec<Exit> = normal.into_iter().chain(raised(true)).collect();
        // What could not be decided from anywhere would keep all else from being decided.
        let alone = raised(false).map(|exit| vec![exit]);
        let mut edges = Vec::new();
        for exits in [together].into_iter().chain(alone) {
            let mut found = self.or_nothing(self.found(source, action, &exits))?;
            found.resize(exits.len(), Targets::new());
            for (exit, found) in exits.into_iter().zip(found) {
                let step = Step::call(source.clone(), action, exit);
                edges.push(self.edges(step, found, known));
            }
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

    /// The edges of a call with these targets.
    fn edges(&self, step: Step, mut targets: Targets, known: &ActionFacts) -> EdgesOfCall {
        self.doubt_guesses(&step, &mut targets);
        let may_violate = match step.callee {
            // Without a constructor an object starts in its invariant.
            Callee::Constructor(_) => {
                self.options.violations
                    && self.subject().routine(step.callee).is_some()
                    && self.subject().has_invariant()
            }
            Callee::Action(action) => known.violating.contains(&action),
        };
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
                let question = || kinds::certain_transition(subject, step, set);
                !self.desk.leaves_out() && matches!(self.desk.ask(&question()), Answer::Yes(_))
            };
            if target.doubt.is_none() && (from_doubt || is_doubtful(set) || !is_certain()) {
                target.doubt = Some(guess.clone());
            }
        }
    }

    /// The exceptions that each action may raise from some state, and are to have edges. Which exceptions a body could
    /// raise at all is known from its text; whether one ever does is asked once, before it is asked state by state.
    fn raised_by_actions(&self) -> Vec<Vec<Raised>> {
        let actions = self.subject().action_ids();
        let raised = self.raised_by(actions.clone().map(Callee::Action), |e| self.has_edges(e));
        let of = |action| {
            let raised = raised.iter().filter(|r| r.by == Callee::Action(action));
            raised.cloned().collect()
        };
        actions.map(of).collect()
    }

    /// The failures of the operations themselves that are only reported. They decide nothing else, and may take long:
    /// they are asked about last.
    fn runtime_errors(&self) -> Vec<Raised> {
        if self.options.exceptions == Exceptions::Ignored || self.desk.leaves_out() {
            return vec![];
        }
        let actions = self.subject().action_ids().map(Callee::Action);
        self.raised_by(actions, |e| !self.has_edges(e))
    }

    /// Whether an exception is to have edges.
    fn has_edges(&self, exception: ExceptionId) -> bool {
        match self.options.exceptions {
            Exceptions::Ignored => false,
            Exceptions::All => true,
            _ => exception.0 >= BuiltinException::ALL.len(),
        }
    }

    fn failing_constructors(&self) -> Vec<Raised> {
        match self.options.exceptions {
            Exceptions::Ignored => vec![],
            _ => {
                let constructors = self.subject().constructor_ids();
                self.raised_by(constructors.map(Callee::Constructor), |_| true)
            }
        }
    }

    /// What these calls, from some configuration, do or may raise of such exceptions.
    fn raised_by(
        &self,
        callees: impl Iterator<Item = Callee>,
        such: impl Fn(ExceptionId) -> bool,
    ) -> Vec<Raised> {
        let subject = self.subject();
        let could: Vec<(Callee, Vec<ExceptionId>)> = callees
            .map(|callee| {
                let exceptions = subject.thrown_by(callee).into_iter();
                (callee, exceptions.filter(|e| such(*e)).collect())
            })
            .collect();
        let could = self.not_refused(could);
        let raised = could
            .into_par_iter()
            .flat_map(|(by, exceptions)| self.raised_of(by, exceptions));
        raised.collect()
    }

    /// Which of these exceptions a call, from some configuration, does or may raise. That it raises no other one is asked once for all
    /// of them, and of each by itself only where that is not known; of those without edges not where it took all the time there was.
    fn raised_of(&self, by: Callee, exceptions: Vec<ExceptionId>) -> Vec<Raised> {
        if let [exception] = exceptions.as_slice() {
            return self.raised_alone(by, *exception).into_iter().collect();
        }
        let exits: Vec<Exit> = exceptions.iter().map(|e| Exit::Exception(*e)).collect();
        let (mut found, all) = targets::ways(self.desk, by, None, &exits);
        let left = exits.len() - found.len();
        // What gets no edges is not worth as much time again for each.
        let decides = exceptions.iter().any(|e| self.has_edges(*e));
        let is_enough = |doubt: &Doubt| left == 1 || (!decides && doubt.is_of_time());
        let raised = exceptions
            .into_iter()
            .enumerate()
            .filter_map(|(at, exception)| {
                let target = match (found.remove(&at), &all) {
                    (Some(target), _) => target,
                    (None, Completeness::All) => return None,
                    // That was the question of which nothing is known.
                    (None, Completeness::Some(doubt)) if is_enough(doubt) => TargetState {
                        doubt: Some(doubt.clone()),
                        heard: None,
                    },
                    (None, Completeness::Some(_)) => return self.raised_alone(by, exception),
                };
                Some(Raised {
                    by,
                    exception,
                    target,
                })
            });
        raised.collect()
    }

    fn raised_alone(&self, by: Callee, exception: ExceptionId) -> Option<Raised> {
        let step = Step {
            callee: by,
            source: None,
            exit: Exit::Exception(exception),
        };
        let heard = self.desk.hear(kinds::exit(self.subject(), &step));
        Some(Raised {
            by,
            exception,
            target: TargetState::of(heard)?,
        })
    }

    /// Those of such exceptions that a legal call may end in, as far as going backwards through bodies says. What was found
    /// in a body to be required keeps calls from most of the exceptions in it, and to prove that of each is far dearer where
    /// there are loops: none of these is asked.
    fn not_refused(
        &self,
        mut could: Vec<(Callee, Vec<ExceptionId>)>,
    ) -> Vec<(Callee, Vec<ExceptionId>)> {
        let subject = self.subject();
        let from_body = |callee: &Callee| {
            let routine = subject.routine(*callee)?;
            let declared = subject.program.routine(routine);
            declared.from_body.is_some().then_some(routine)
        };
        let time = Interrupt::default().until(self.desk.deadline());
        let analysis = || {
            let time = time.clone();
            let is_over = move || time.is_set();
            Backwards::new(&subject.program, subject.class, BACKWARDS, is_over)
        };
        let mut backwards = None;
        let mut may = |by: &Callee, exception: &ExceptionId| {
            let asked = from_body(by).filter(|_| !self.desk.leaves_out());
            asked.is_none_or(|routine| {
                let backwards = backwards.get_or_insert_with(analysis);
                backwards.may_raise(routine, *exception)
            })
        };
        for (by, exceptions) in &mut could {
            exceptions.retain(|exception| may(by, exception));
        }
        could
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
        let violating = changing.into_par_iter().filter(|action| {
            let step = Step::anywhere(*action, Exit::Any);
            !self
                .desk
                .ask(&kinds::invariant_violation(subject, &step))
                .is_no()
        });
        violating.collect()
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
