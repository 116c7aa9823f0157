//! What running the class shows, before an engine is asked.
//!
//! Most answers about a call are "yes", and of a large body each of them takes an engine a second, an interpreter less than one
//! thousandth of that. So an action with a large body is called first, again and again, on objects that witnesses of earlier answers
//! left behind, with any arguments, and any choices where the class leaves something open; or as in a call that is known up to some
//! choice, and otherwise from there. What such a call shows is looked at as closely as what an engine claims, and nothing of it is
//! taken for granted ([`Desk::shown`]). The engine is asked for the rest: what no run came upon, and that there is nothing else.
//!
//! ```text
//! constructors, a round of states ── witnesses ──► corpus: objects by their states, calls
//!                                                       │ call, at random
//!                                                       ▼
//!                      ends, each a "yes" ──► the question after any other ── a witness ──► calls like this one
//! ```
//!
//! Which runs are made depends on nothing but the class and the witnesses before: dice are thrown from the same seed each time.

mod attempt;
mod beside;
mod corpus;
mod made;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;

use fastrand::Rng;

use super::targets::{TargetState, Targets, Ways};
use super::trial::Trial;
use super::walk::enabled;
use crate::ask::{Answer, Desk, Heard, PerformedCall, Witness, is_exit};
use crate::events::{self, Tried};
use crate::interp::{Configuration, Event, Interpreter};
use crate::ir::Type;
use crate::ir::effects::walk;
use crate::query::{AbstractState, ActionId, Callee, Exit, Query, Step, Subject, kinds};

use corpus::Corpus;

/// An action is called no more often than this in one state, and no longer than so often without anything new.
const MOST_RUNS: usize = 1_000;
const MOST_IDLE: usize = 150;
/// Nor after so many statements and choices of all these runs.
const MOST_WORK: usize = 200_000;
/// Calls like one that a witness shows are made no longer than so often without anything new.
const MOST_IDLE_AROUND: usize = 40;
/// So often it is looked at whether a call certainly begins and ends in its states.
const MOST_DOUBTED: usize = 60;
/// Steps of the interpreter for one call, and for one formula.
const FUEL: u64 = 10_000;
/// No more calls than these are kept of what one call in one state shows.
const MOST_KNOWN: usize = 64;

/// Calls of a class at random.
pub(super) struct Runs<'a> {
    desk: &'a Desk<'a>,
    trial: Trial<'a>,
    /// The actions that are called.
    tried: BTreeSet<ActionId>,
    /// The types of references in the program.
    types: Vec<Type>,
    corpus: RwLock<Corpus>,
}

/// One action in one state, tried.
struct Series<'s> {
    /// The state; none for any.
    source: Option<&'s AbstractState>,
    action: ActionId,
    /// Objects to call it on.
    objects: Vec<Configuration>,
    /// Calls of it that are known.
    calls: Vec<Arc<PerformedCall>>,
    /// Calls of it in other states.
    elsewhere: Vec<Arc<PerformedCall>>,
    /// It is tried no longer than so often without anything new.
    idle: usize,
}

impl<'a> Runs<'a> {
    /// Of the class that a desk is about: of those actions whose bodies have as many statements as this, those of what they call
    /// among them. None where there are none.
    pub(super) fn new(desk: &'a Desk<'a>, large: usize) -> Option<Self> {
        let subject = desk.subject();
        let is_large = |action: &ActionId| {
            let reached = walk::reachable(&subject.program, &[subject[*action].routine]);
            let bodies = reached
                .iter()
                .filter_map(|routine| subject.program.routine(*routine).body.as_deref());
            walk::statements(bodies).len() >= large
        };
        let tried: BTreeSet<ActionId> = subject.action_ids().filter(is_large).collect();
        (!tried.is_empty()).then(|| {
            let runs = Runs {
                desk,
                trial: Trial::new(subject, BTreeMap::new()),
                tried,
                types: beside::references(&subject.program),
                corpus: RwLock::default(),
            };
            runs.keep_made();
            runs
        })
    }

    fn subject(&self) -> &'a Subject {
        self.desk.subject()
    }

    fn interpreter(&self) -> Interpreter<'a> {
        Interpreter::new(&self.subject().program).with_fuel(FUEL)
    }

    /// The state that an object is in; none where that cannot be told.
    fn state_of(&self, now: &Configuration) -> Option<AbstractState> {
        enabled(self.subject(), &self.interpreter(), now)
    }

    /// Keeps the calls that the witnesses of these make, and their objects.
    pub(super) fn learn<'t>(&self, targets: impl Iterator<Item = &'t TargetState>) {
        let mut corpus = self.corpus.write().unwrap_or_else(PoisonError::into_inner);
        let made = targets.filter_map(|target| target.witness()?.performed());
        for call in made.filter_map(|made| made.calls.first()) {
            self.keep_call(call, &mut corpus);
        }
    }

    /// The states in which the action, called in this state, is seen to end in each of these ways: in any call, or in calls like the
    /// one that a witness shows.
    pub(super) fn targets(
        &self,
        source: &AbstractState,
        action: ActionId,
        exits: &[Exit],
        like: Option<&Witness>,
    ) -> Vec<Targets> {
        let mut seen = Seen::of(exits);
        let series = self.series(Some(source), action, like);
        self.run(series, |call| self.note(source, exits, call, &mut seen));
        seen.ends
    }

    /// The ways, by their positions, in which the action is seen to end, called on whatever object; in any call, or in calls like the
    /// one that a witness shows.
    pub(super) fn ways(&self, action: ActionId, exits: &[Exit], like: Option<&Witness>) -> Ways {
        let mut found = Ways::new();
        let series = self.series(None, action, like);
        self.run(series, |call| self.note_way(exits, call, &mut found));
        found
    }

    /// Whether the call that a witness shows certainly begins and ends in these states, as far as the interpreter can tell.
    pub(super) fn is_certain(
        &self,
        step: &Step,
        target: &AbstractState,
        known: &TargetState,
    ) -> bool {
        let call = known.witness().and_then(performed);
        let query = || kinds::certain_transition(self.subject(), step, target);
        call.is_some_and(|call| self.desk.shown(&query(), call, FUEL).is_some())
    }

    /// The action in this state, with what is known of it, or with the call that a witness shows; none where it is not tried.
    fn series<'s>(
        &self,
        source: Option<&'s AbstractState>,
        action: ActionId,
        like: Option<&Witness>,
    ) -> Option<Series<'s>> {
        if !self.is_tried(action) {
            return None;
        }
        if let Some(witness) = like {
            return Some(Series {
                source,
                action,
                objects: Vec::new(),
                calls: vec![Arc::new(performed(witness)?.clone())],
                elsewhere: Vec::new(),
                idle: MOST_IDLE_AROUND,
            });
        }
        let corpus = self.corpus.read().unwrap_or_else(PoisonError::into_inner);
        Some(Series {
            source,
            action,
            objects: corpus.objects(source, action),
            calls: corpus.calls(source, action),
            elsewhere: match source {
                Some(_) => corpus.calls(None, action),
                None => Vec::new(),
            },
            idle: MOST_IDLE,
        })
    }

    fn is_tried(&self, action: ActionId) -> bool {
        self.tried.contains(&action) && !self.is_stopped()
    }

    fn is_stopped(&self) -> bool {
        self.desk.is_interrupted() || self.desk.is_over()
    }

    /// Makes calls, one after the other; `take` says whether a call showed anything new.
    fn run(&self, series: Option<Series<'_>>, mut take: impl FnMut(&PerformedCall) -> bool) {
        let known = |series: &Series<'_>| !series.objects.is_empty() || !series.calls.is_empty();
        let Some(mut series) = series.filter(known) else {
            return;
        };
        let begin = Instant::now();
        let mut dice = Rng::with_seed(1);
        let mut tried = Tried::default();
        let mut idle = 0;
        let mut covered = BTreeSet::new();
        let mut work = 0;
        let is_left = |tried: &Tried, idle, work| {
            tried.runs < MOST_RUNS && idle < series.idle && work < MOST_WORK && !self.is_stopped()
        };
        while is_left(&tried, idle, work) {
            tried.runs += 1;
            idle += 1;
            let Some(call) = self.attempt(&series, &mut dice, &mut work) else {
                continue;
            };
            tried.ended += 1;
            let is_new = take(&call);
            if is_new {
                tried.shown += 1;
            }
            let lines = call.log.iter().filter_map(|entry| match entry.event {
                Event::Statement(span) => Some(span.start),
                _ => None,
            });
            let before = covered.len();
            covered.extend(lines);
            if is_new || covered.len() > before {
                idle = 0;
                if series.calls.len() < MOST_KNOWN {
                    series.calls.push(Arc::new(call));
                }
            }
        }
        let step = Step {
            source: series.source.cloned(),
            ..Step::anywhere(series.action, Exit::Any)
        };
        events::tried(&self.subject().step_words(&step), &tried, begin);
    }

    /// Which of these ways a call has ended in.
    fn exit_of(&self, exits: &[Exit], call: &PerformedCall) -> Option<usize> {
        exits
            .iter()
            .position(|exit| is_exit(self.subject(), call.callee, exit, &call.outcome))
    }

    /// Adds how a call has ended, if that is new.
    fn note_way(&self, exits: &[Exit], call: &PerformedCall, found: &mut Ways) -> bool {
        let ended = self.exit_of(exits, call);
        let Some(at) = ended.filter(|at| !found.contains_key(at)) else {
            return false;
        };
        let step = Step {
            callee: call.callee,
            source: None,
            exit: exits[at].clone(),
        };
        let shown = self.shown(kinds::exit(self.subject(), &step), call);
        let is_new = shown.is_some();
        found.extend(shown.map(|target| (at, target)));
        is_new
    }

    /// Adds where a call has ended, if that is new; or that it certainly begins and ends there, if that is.
    fn note(
        &self,
        source: &AbstractState,
        exits: &[Exit],
        call: &PerformedCall,
        seen: &mut Seen,
    ) -> bool {
        let (subject, at) = (self.subject(), self.exit_of(exits, call));
        let ended = at.and_then(|at| Some((exits.get(at)?, seen.ends.get_mut(at)?)));
        let Some((exit, targets)) = ended else {
            return false;
        };
        let Some(target) = self.state_of(&call.end) else {
            return false;
        };
        let step = Step {
            callee: call.callee,
            source: Some(source.clone()),
            exit: exit.clone(),
        };
        let is_known = targets.contains_key(&target);
        if !is_known {
            let shown = self.shown(kinds::transition(subject, &step, &target), call);
            let Some(shown) = shown else { return false };
            targets.insert(target.clone(), shown);
        }
        let Some(known) = targets.get_mut(&target) else {
            return false;
        };
        // Such a question may be about a large formula.
        if subject.is_guess() && !known.begins_and_ends_certainly && seen.doubted < MOST_DOUBTED {
            seen.doubted += 1;
            let question = kinds::certain_transition(subject, &step, &target);
            if self.desk.shown(&question, call, FUEL).is_some() {
                known.begins_and_ends_certainly = true;
                return true;
            }
        }
        !is_known
    }

    /// That this call answers a question with yes; none where it does not.
    fn shown(&self, query: Query, call: &PerformedCall) -> Option<TargetState> {
        let witness = self.desk.shown(&query, call, FUEL)?;
        TargetState::of(Heard {
            query,
            answer: Answer::Yes(Box::new(witness)),
            ms: 0,
        })
    }
}

/// What a series of calls has shown.
struct Seen {
    /// Where they end, by the ways in which they do.
    ends: Vec<Targets>,
    /// How often it was looked at whether a call certainly begins and ends there.
    doubted: usize,
}

impl Seen {
    fn of(exits: &[Exit]) -> Seen {
        Seen {
            ends: vec![Targets::new(); exits.len()],
            doubted: 0,
        }
    }
}

/// The call of an action that a witness shows, if it is one that was made.
fn performed(witness: &Witness) -> Option<&PerformedCall> {
    let call = witness.performed()?.calls.first();
    call.filter(|call| matches!(call.callee, Callee::Action(_)) && !call.refused)
}
