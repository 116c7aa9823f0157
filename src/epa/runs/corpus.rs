//! Objects and calls that are known, to begin others with.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use fastrand::Rng;

use super::Runs;
use crate::ask::PerformedCall;
use crate::interp::Configuration;
use crate::query::{AbstractState, ActionId, Callee};

/// Of each state no more objects are kept than these, and of each action no more calls.
const MOST_OBJECTS: usize = 8;
const MOST_CALLS: usize = 64;
/// So often each constructor is called.
const MOST_MADE: usize = 60;

/// What witnesses have shown so far.
#[derive(Default)]
pub(super) struct Corpus {
    /// Objects, by the states they are in.
    objects: BTreeMap<AbstractState, Vec<Configuration>>,
    /// Calls, with the states they began in.
    calls: BTreeMap<ActionId, Vec<(AbstractState, Arc<PerformedCall>)>>,
}

impl Corpus {
    /// The objects in this state, or in any in which the action can be called.
    pub(super) fn objects(
        &self,
        source: Option<&AbstractState>,
        action: ActionId,
    ) -> Vec<Configuration> {
        let is_wanted = |state: &AbstractState| match source {
            Some(source) => state == source,
            None => state.contains(action),
        };
        let known = self.objects.iter().filter(|(state, _)| is_wanted(state));
        known.flat_map(|(_, objects)| objects).cloned().collect()
    }

    /// The calls of the action in this state, or in any.
    pub(super) fn calls(
        &self,
        source: Option<&AbstractState>,
        action: ActionId,
    ) -> Vec<Arc<PerformedCall>> {
        let known = self.calls.get(&action).into_iter().flatten();
        let wanted = known.filter(|(state, _)| source.is_none_or(|source| source == state));
        wanted.map(|(_, call)| Arc::clone(call)).collect()
    }
}

impl Runs<'_> {
    /// Keeps objects that constructors make.
    pub(super) fn keep_made(&self) {
        let mut corpus = self.corpus.write().unwrap_or_else(PoisonError::into_inner);
        for constructor in self.subject().constructor_ids() {
            let mut dice = Rng::with_seed(2);
            for _ in 0..MOST_MADE {
                if let Some(made) = self.made(constructor, &mut dice) {
                    self.keep_object(&made, &mut corpus);
                }
            }
        }
    }

    /// Keeps a call that a witness makes, and the objects before and behind it.
    pub(super) fn keep_call(&self, call: &PerformedCall, corpus: &mut Corpus) {
        self.keep_object(&call.end, corpus);
        let (Some(state), Callee::Action(action)) =
            (self.keep_object(&call.before, corpus), call.callee)
        else {
            return;
        };
        let known = corpus.calls.entry(action).or_default();
        if known.len() < MOST_CALLS {
            let told = PerformedCall {
                log: Vec::new(),
                ..call.clone()
            };
            known.push((state, Arc::new(told)));
        }
    }

    /// Keeps an object that others can be called on: what is left in the middle of a body may break the invariant. Its state.
    fn keep_object(&self, now: &Configuration, corpus: &mut Corpus) -> Option<AbstractState> {
        now.this?;
        let class = self.subject().class;
        if self.interpreter().invariant_holds(now, class) != Ok(true) {
            return None;
        }
        let state = self.state_of(now)?;
        let is_full = |state| {
            corpus
                .objects
                .get(state)
                .is_some_and(|o| o.len() >= MOST_OBJECTS)
        };
        if !is_full(&state) {
            // What there is beside it may make it another state's.
            let kept = self.with_others(now.canonical(), &mut Rng::with_seed(0));
            let known = corpus.objects.entry(self.state_of(&kept)?).or_default();
            if known.len() < MOST_OBJECTS && !known.contains(&kept) {
                known.push(kept);
            }
        }
        Some(state)
    }
}
