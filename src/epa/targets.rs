//! Where a call can end: the two strategies of finding its target states.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use rayon::prelude::*;

use crate::encode::{Encoding, Question, Step};
use crate::query::ActionSet;

use super::ask::Asker;
use super::desk::Answer;

/// How targets are found. Both find the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Ask for any target that is not known yet, read it off the trace, until there is none.
    Guided,
    /// The published algorithm (TOSEM 2013, Algorithm 1): necessarily enabled and disabled actions first, then
    /// every candidate that is left.
    Enumerate,
}

impl Strategy {
    /// `guided`, `enumerate`
    pub fn name(self) -> &'static str {
        match self {
            Strategy::Guided => "guided",
            Strategy::Enumerate => "enumerate",
        }
    }
}

/// The targets of a call. An uncertain one has its reason.
pub type Targets = BTreeMap<ActionSet, Option<String>>;

/// More candidates than this are not asked one by one.
const MOST_CANDIDATES: u32 = 16;

/// Why the targets of a call cannot be found.
#[derive(Debug, thiserror::Error)]
pub enum Stopped {
    /// There are too many candidates to ask about one by one.
    #[error(
        "{sentence}: the engine does not know ({reason}), and there are 2^{undecided} candidates to ask one by one"
    )]
    TooManyCandidates {
        /// What was asked.
        sentence: String,
        /// Why the engine does not know.
        reason: String,
        /// How many actions may or may not be enabled afterwards.
        undecided: usize,
    },
    /// The engine refused the Boogie text: an error of ours.
    #[error(
        "the engine refused a question, which is an error of Tranquera's ({0}); --keep DIR keeps the text"
    )]
    Rejected(String),
}

/// Finds targets.
pub struct TargetFinder<'a> {
    encoding: &'a Encoding<'a>,
    asker: &'a Asker<'a>,
    strategy: Strategy,
    /// All states in which there is a configuration at all; none where the engine does not know them.
    consistent: OnceLock<Option<BTreeSet<ActionSet>>>,
}

impl<'a> TargetFinder<'a> {
    /// For one class.
    pub fn new(encoding: &'a Encoding<'a>, asker: &'a Asker<'a>, strategy: Strategy) -> Self {
        TargetFinder {
            encoding,
            asker,
            strategy,
            consistent: OnceLock::new(),
        }
    }

    /// The states in which the call can end.
    ///
    /// # Errors
    /// The engine knows too little to tell in any reasonable number of questions.
    pub fn targets(&self, step: &Step) -> Result<Targets, Stopped> {
        match self.strategy {
            Strategy::Guided => self.guided(step),
            Strategy::Enumerate => {
                let candidates = self.candidates(step, None, "")?;
                Ok(self.ask_each(step, candidates))
            }
        }
    }

    fn guided(&self, step: &Step) -> Result<Targets, Stopped> {
        let mut known = BTreeSet::new();
        let reason = loop {
            match self
                .asker
                .ask(&Question::AnyOtherTarget(step.clone(), known.clone()))
            {
                Answer::No => return Ok(certain(known)),
                Answer::Unknown(reason) => break reason,
                Answer::Yes(trace) => match self.asker.target_of(&trace) {
                    Some(target) if known.insert(target.clone()) => {}
                    _ => {
                        break "not-understood: the trace does not say in which state the call ends".into();
                    }
                },
            }
        };
        if let Some(message) = self.asker.rejected() {
            return Err(Stopped::Rejected(message.to_string()));
        }
        if self.asker.is_interrupted() {
            return Ok(certain(known));
        }
        // What is left cannot be found as a whole: ask about each candidate by itself.
        let consistent = self
            .consistent
            .get_or_init(|| self.consistent_states())
            .as_ref();
        let mut candidates = self.candidates(step, consistent, &reason)?;
        candidates.retain(|c| !known.contains(c));
        let mut targets = certain(known);
        targets.extend(self.ask_each(step, candidates));
        Ok(targets)
    }

    /// The targets that the necessarily enabled (B⁺) and disabled (B⁻) actions leave. An unknown answer leaves
    /// the action undecided, which costs only time.
    fn candidates(
        &self,
        step: &Step,
        consistent: Option<&BTreeSet<ActionSet>>,
        reason: &str,
    ) -> Result<Vec<ActionSet>, Stopped> {
        let actions = 0..self.encoding.actions.len();
        let decided: Vec<(bool, bool)> = actions
            .into_par_iter()
            .map(|a| {
                let never_disabled = self
                    .asker
                    .ask(&Question::NecessarilyEnabled(step.clone(), a))
                    == Answer::No;
                let never_enabled = self
                    .asker
                    .ask(&Question::NecessarilyDisabled(step.clone(), a))
                    == Answer::No;
                (never_disabled, never_enabled)
            })
            .collect();
        if let Some(message) = self.asker.rejected() {
            return Err(Stopped::Rejected(message.to_string()));
        }
        if self.asker.is_interrupted() {
            // Nothing is known of the candidates, which may be thousands. Whoever asks says that there may be more.
            return Ok(vec![]);
        }
        if decided.iter().any(|(on, off)| *on && *off) {
            // Neither enabled nor disabled: the call never ends in a configuration at all.
            return Ok(vec![]);
        }
        if let Some(consistent) = consistent {
            let fits = |set: &ActionSet| {
                decided
                    .iter()
                    .enumerate()
                    .all(|(a, (on, off))| if set.contains(a) { !off } else { !on })
            };
            return Ok(consistent.iter().filter(|set| fits(set)).cloned().collect());
        }
        let undecided: Vec<usize> = (0..decided.len())
            .filter(|a| !decided[*a].0 && !decided[*a].1)
            .collect();
        if undecided.len() > MOST_CANDIDATES as usize {
            let question = Question::AnyOtherTarget(step.clone(), BTreeSet::new());
            return Err(Stopped::TooManyCandidates {
                sentence: self.encoding.sentence(&question),
                reason: reason.to_string(),
                undecided: undecided.len(),
            });
        }
        let base: Vec<usize> = (0..decided.len()).filter(|a| decided[*a].0).collect();
        let mut sets: Vec<ActionSet> = (0u32..1 << undecided.len())
            .map(|chosen| {
                let extra = undecided
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| chosen >> i & 1 == 1)
                    .map(|(_, a)| *a);
                base.iter().copied().chain(extra).collect()
            })
            .collect();
        sets.sort();
        Ok(sets)
    }

    fn ask_each(&self, step: &Step, candidates: Vec<ActionSet>) -> Targets {
        let answers: Vec<(ActionSet, Answer)> = candidates
            .into_par_iter()
            .map(|target| {
                let answer = self
                    .asker
                    .ask(&Question::Transition(step.clone(), target.clone()));
                (target, answer)
            })
            .collect();
        let interrupted = self.asker.is_interrupted();
        answers
            .into_iter()
            .filter_map(|(target, answer)| match answer {
                Answer::Yes(_) => Some((target, None)),
                Answer::No => None,
                Answer::Unknown(_) if interrupted => None,
                Answer::Unknown(reason) => Some((target, Some(reason))),
            })
            .collect()
    }

    /// All states in which there is a configuration, found one after the other.
    fn consistent_states(&self) -> Option<BTreeSet<ActionSet>> {
        let mut known = BTreeSet::new();
        loop {
            match self.asker.ask(&Question::AnyOtherState(known.clone())) {
                Answer::No => return Some(known),
                Answer::Yes(trace) if known.insert(self.asker.target_of(&trace)?) => {}
                _ => return None,
            }
        }
    }
}

fn certain(known: BTreeSet<ActionSet>) -> Targets {
    known.into_iter().map(|target| (target, None)).collect()
}
