//! Where a call can end: the two strategies of finding its target states.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::runs::Runs;
use crate::ask::{Answer, Completeness, Desk, Doubt, Heard, Witness};
use crate::query::{
    AbstractState, ActionId, Callee, Exit, Frames, Mark, Query, StateEnd, Step, Subject, kinds,
};

/// How targets are found. Both find the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Ask for any target that is not known yet, read it off the trace, until there is none. Of a call that changes nothing that
    /// tells states apart it is only asked whether it can end: where, is known.
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

/// The ways in which a call can end, by their positions.
pub(super) type Ways = BTreeMap<usize, TargetState>;

/// The targets of a call.
pub(super) type Targets = BTreeMap<AbstractState, TargetState>;

/// What is known of a target.
#[derive(Clone, Debug, Default)]
pub(super) struct TargetState {
    /// Why it is not certain, if it is not.
    pub doubt: Option<Doubt>,
    /// The question that was asked about it; none where nothing was, for nothing else can be.
    pub heard: Option<Arc<Heard>>,
    /// Whether a call is known that certainly begins and ends in its states, where there are guesses.
    pub begins_and_ends_certainly: bool,
}

impl TargetState {
    /// What an answer that is not "no" says of what is asked about.
    pub(super) fn of(heard: Heard) -> Option<TargetState> {
        if heard.answer.is_no() {
            return None;
        }
        Some(TargetState {
            doubt: heard.answer.doubt(),
            heard: Some(Arc::new(heard)),
            begins_and_ends_certainly: false,
        })
    }

    /// What shows that it is one, if there is something.
    pub(super) fn witness(&self) -> Option<&Witness> {
        match &self.heard.as_deref()?.answer {
            Answer::Yes(witness) | Answer::Guess(witness) => Some(witness),
            Answer::No | Answer::Unknown(_) => None,
        }
    }

    /// Whether nobody asked about it by itself, although it is not certain.
    pub(super) fn is_unasked(&self) -> bool {
        self.doubt.is_some() && self.heard.is_none()
    }

    /// One of which it was not asked any more.
    pub(super) fn open() -> TargetState {
        TargetState {
            doubt: Some(Doubt::Interrupted),
            ..TargetState::default()
        }
    }
}

/// What is known of a mark behind a call; both where the call does not end.
struct Decided {
    /// Whether it never ends without the mark.
    on: bool,
    /// Whether it never ends with it.
    off: bool,
}

impl Decided {
    /// Whether the call may end in a state that has the mark, or has it not.
    fn allows(&self, has: bool) -> bool {
        match has {
            true => !self.off,
            false => !self.on,
        }
    }
}

/// What is wrong with a trace that shows nothing new.
const UNTOLD: &str = "the trace does not say in which state the call ends";

/// More candidates than this are not asked one by one.
const MOST_CANDIDATES: u32 = 16;

/// Where a call leaves a guess as it is, and may change no more marks than these, each state that they leave is asked for.
const MOST_FREE: usize = 3;

/// More states than these are not taken for where a call may lead to, of which it was not asked in time.
const MOST_UNASKED: usize = 64;

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
        /// How many actions may or may not be enabled afterwards, and predicates hold.
        undecided: usize,
    },
    /// Not all was asked in time, and it is not known which states there are, or there are too many.
    #[error(
        "the time was over before all was asked, and there are more states than can be drawn, or it is not known which there are"
    )]
    TimeOver,
    /// The engine refused the Boogie text: an error of ours.
    #[error(
        "the engine refused a question, which is an error of Tranquera's ({0}); --keep DIR keeps the text"
    )]
    Rejected(String),
}

/// Finds targets.
pub(super) struct TargetFinder<'a> {
    desk: &'a Desk<'a>,
    /// Whether there are targets that were not asked about, as there was no time for it.
    unasked: AtomicBool,
    /// What calls leave as it is, where that is made use of: the published algorithm knows nothing of it.
    frames: Option<Frames>,
    /// What running the class shows, where that is made use of.
    runs: Option<Runs<'a>>,
    /// All states in which there is a configuration at all; none where the engine does not know them.
    consistent: OnceLock<Option<BTreeSet<AbstractState>>>,
}

impl<'a> TargetFinder<'a> {
    /// For one class. Which states there are at all is asked also when the desk's time is over.
    /// Actions with bodies of so many statements are run first.
    pub(super) fn new(desk: &'a Desk<'a>, strategy: Strategy, large: usize) -> Self {
        TargetFinder {
            desk,
            unasked: AtomicBool::new(false),
            frames: match strategy {
                Strategy::Guided => Some(Frames::of(desk.subject())),
                Strategy::Enumerate => None,
            },
            runs: match strategy {
                Strategy::Guided => Runs::new(desk, large),
                Strategy::Enumerate => None,
            },
            consistent: OnceLock::new(),
        }
    }

    fn subject(&self) -> &'a Subject {
        self.desk.subject()
    }

    /// What running the class shows, where that is made use of.
    pub(super) fn runs(&self) -> Option<&Runs<'a>> {
        self.runs.as_ref()
    }

    /// What these witnesses show is known to the runs to come.
    pub(super) fn learn<'t>(&self, targets: impl Iterator<Item = &'t TargetState>) {
        if let Some(runs) = &self.runs {
            runs.learn(targets);
        }
    }

    /// From now on, what is asked again is answered where that is known, and may take more time where it is not. It is about so many
    /// calls.
    pub(super) fn begin_again(&self, left: usize) {
        self.desk.begin_again(left);
        self.unasked.store(false, Ordering::Relaxed);
    }

    /// Whether there are targets that nobody asked about, as there was no time for it.
    pub(super) fn left_unasked(&self) -> bool {
        self.desk.ran_late() || self.desk.is_open() || self.unasked.load(Ordering::Relaxed)
    }

    /// The states in which the call can end.
    ///
    /// # Errors
    /// The engine knows too little to tell in any reasonable number of questions.
    pub(super) fn targets(&self, step: &Step) -> Result<Targets, Stopped> {
        match &self.frames {
            Some(frames) => match self.left(frames, step) {
                Some(left) => self.among(step, left, self.seen(step)),
                None => {
                    let mut targets = self.guided(step, self.seen(step))?;
                    // What counts as both may be found as the other one.
                    targets.retain(|target, _| self.is_as_left(step, target));
                    Ok(targets)
                }
            },
            None => {
                let candidates = self.candidates(step, None)?;
                Ok(self.ask_each(step, candidates))
            }
        }
    }

    /// Those of these states in which the call can end; in some of them running the class shows it.
    fn among(
        &self,
        step: &Step,
        mut states: Vec<AbstractState>,
        seen: Targets,
    ) -> Result<Targets, Stopped> {
        let mut targets = seen;
        targets.retain(|target, _| self.is_as_left(step, target));
        states.retain(|state| !targets.contains_key(state));
        targets.extend(self.ask_each(step, states));
        self.is_accepted().map(|()| targets)
    }

    /// The states in which running the class shows that the call can end.
    fn seen(&self, step: &Step) -> Targets {
        let (Some(source), Callee::Action(action)) = (&step.source, step.callee) else {
            return Targets::new();
        };
        let exit = std::slice::from_ref(&step.exit);
        let mut seen = self.seen_of_all(source, action, exit, None).into_iter();
        seen.next().unwrap_or_default()
    }

    /// The same for each of some ways to end, or of calls like the one that a witness shows; nothing where no class is run.
    fn seen_of_all(
        &self,
        source: &AbstractState,
        action: ActionId,
        exits: &[Exit],
        like: Option<&Witness>,
    ) -> Vec<Targets> {
        let runs = self.runs.as_ref();
        runs.map_or_else(Vec::new, |runs| runs.targets(source, action, exits, like))
    }

    /// The states in which the action, called in a state, can end in each of these ways. Where nothing but a proof is left, that is one
    /// for all ways: it is what takes long, and much of it is the same for each.
    ///
    /// # Errors
    /// The engine knows too little to tell in any reasonable number of questions.
    pub(super) fn targets_of_all(
        &self,
        source: &AbstractState,
        action: ActionId,
        exits: &[Exit],
    ) -> Result<Vec<Targets>, Stopped> {
        let step = |exit: &Exit| Step::call(source.clone(), action, exit.clone());
        let each = || exits.iter().map(|exit| self.targets(&step(exit))).collect();
        let (Some(frames), [first, _, ..]) = (&self.frames, exits) else {
            return each();
        };
        match self.left(frames, &step(first)).as_deref() {
            Some([only]) => self.ways_to(only, source, action, exits),
            Some(left) => {
                let mut seen = self.seen_of_all(source, action, exits, None).into_iter();
                let targets = exits.iter().map(|exit| {
                    let seen = seen.next().unwrap_or_default();
                    self.among(&step(exit), left.to_vec(), seen)
                });
                targets.collect()
            }
            None => self.ends(source, action, exits),
        }
    }

    /// The same where there is but one state in which the call can end.
    pub(super) fn ways_to(
        &self,
        target: &AbstractState,
        source: &AbstractState,
        action: ActionId,
        exits: &[Exit],
    ) -> Result<Vec<Targets>, Stopped> {
        let to = |known: Option<TargetState>| -> Targets {
            let known = known.map(|known| (target.clone(), known));
            known.into_iter().collect()
        };
        let alone = |exit: &Exit| {
            let step = Step::call(source.clone(), action, exit.clone());
            let query = kinds::transition(self.subject(), &step, target);
            TargetState::of(self.desk.hear(query))
        };
        if let [exit] = exits {
            return Ok(vec![to(alone(exit))]);
        }
        let to_it = |seen: Vec<Targets>| {
            let seen = seen.into_iter().enumerate();
            let to_it = seen.filter_map(|(at, mut seen)| Some((at, seen.remove(target)?)));
            to_it.collect::<Ways>()
        };
        let seen = to_it(self.seen_of_all(source, action, exits, None));
        let callee = Callee::Action(action);
        let (mut found, all) = ways(self.desk, (callee, Some(source)), exits, seen, |witness| {
            to_it(self.seen_of_all(source, action, exits, Some(witness)))
        });
        self.is_accepted()?;
        let is_open = all != Completeness::All && !self.desk.is_interrupted();
        let targets = exits.iter().enumerate().map(|(at, exit)| {
            let left = || is_open.then(|| alone(exit)).flatten();
            to(found.remove(&at).or_else(left))
        });
        Ok(targets.collect())
    }

    fn ends(
        &self,
        source: &AbstractState,
        action: ActionId,
        exits: &[Exit],
    ) -> Result<Vec<Targets>, Stopped> {
        let subject = self.subject();
        let next = |known: &BTreeSet<StateEnd>| {
            Some(kinds::any_other_way(subject, source, action, exits, known))
        };
        let end = |witness: &Witness| {
            let (exit, held) = witness.place(true)?;
            Some((exit, subject.state_where(held)))
        };
        let ends = |seen: Vec<Targets>| {
            let seen = seen.into_iter().enumerate();
            let ends = seen.flat_map(|(exit, seen)| {
                let ends = seen.into_iter();
                ends.map(move |(state, target)| ((exit, state), target))
            });
            ends.collect::<BTreeMap<StateEnd, TargetState>>()
        };
        let known = ends(self.seen_of_all(source, action, exits, None));
        let like = |witness: &Witness| ends(self.seen_of_all(source, action, exits, Some(witness)));
        let (found, all) = until_none(self.desk, known, next, end, like, UNTOLD);
        self.is_accepted()?;
        let mut targets = vec![Targets::new(); exits.len()];
        for ((exit, state), target) in found {
            if let Some(targets) = targets.get_mut(exit) {
                targets.insert(state, target);
            }
        }
        let is_open = all != Completeness::All && !self.desk.is_interrupted();
        for (exit, targets) in exits.iter().zip(&mut targets) {
            let step = Step::call(source.clone(), action, exit.clone());
            if is_open {
                *targets = self.guided(&step, std::mem::take(targets))?;
            }
            targets.retain(|target, _| self.is_as_left(&step, target));
        }
        Ok(targets)
    }

    /// Whether the engine takes the questions that it is given.
    fn is_accepted(&self) -> Result<(), Stopped> {
        match self.desk.rejected() {
            Some(message) => Err(Stopped::Rejected(message.to_string())),
            None => Ok(()),
        }
    }

    /// These targets, and all others that the call has.
    fn guided(&self, step: &Step, known: Targets) -> Result<Targets, Stopped> {
        let next = |known: &BTreeSet<AbstractState>| {
            Some(kinds::any_other_target(self.subject(), step, known))
        };
        let (mut targets, found) = all_states(self.desk, known, next);
        let Completeness::Some(reason) = found else {
            return Ok(targets);
        };
        self.is_accepted()?;
        if self.desk.is_interrupted() {
            return Ok(targets);
        }
        let consistent = self.consistent();
        self.is_accepted()?;
        if self.desk.is_interrupted() {
            return Ok(targets);
        }
        // Where there is a time for all questions, one that takes long is not asked in parts, and no other one before all were asked.
        let is_left = match (reason.is_of_time(), consistent) {
            (true, _) => self.desk.is_hurried(),
            (false, known) => self.desk.is_first_round() && known.is_some(),
        };
        if is_left {
            let unasked = self.unasked_among(step, consistent.ok_or(Stopped::TimeOver)?, &reason);
            for (state, target) in unasked {
                targets.entry(state).or_insert(target);
            }
            return Ok(targets);
        }
        // What is left cannot be found as a whole: ask about each candidate by itself.
        let is_new = |state: &AbstractState| !targets.contains_key(state);
        let candidates = match consistent {
            Some(states) => {
                let may_be = |state: &&AbstractState| is_new(state) && self.is_as_left(step, state);
                self.left_of(step, states.iter().filter(may_be).cloned().collect())?
            }
            None => {
                let mut candidates = self.candidates(step, Some(reason))?;
                candidates.retain(is_new);
                candidates
            }
        };
        targets.extend(self.ask_each(step, candidates));
        Ok(targets)
    }

    /// All targets of a call of which it is asked in the second round, for too little is known of it; none where it is asked now.
    pub(super) fn unasked(&self, step: &Step, doubt: Option<&Doubt>) -> Option<Targets> {
        let doubt = doubt.filter(|doubt| doubt.may_end_in_time())?;
        if !self.desk.is_first_round() {
            return None;
        }
        Some(self.unasked_among(step, self.consistent()?, doubt))
    }

    /// All of these states that the call may end in, for want of an answer.
    fn unasked_among(
        &self,
        step: &Step,
        states: &BTreeSet<AbstractState>,
        doubt: &Doubt,
    ) -> Targets {
        self.unasked.store(true, Ordering::Relaxed);
        let states = states.iter().filter(|state| self.is_as_left(step, state));
        let target = || TargetState {
            doubt: Some(doubt.clone()),
            ..TargetState::default()
        };
        states.map(|state| (state.clone(), target())).collect()
    }

    /// All states in which there is a configuration; none where they are not all known.
    fn consistent(&self) -> Option<&BTreeSet<AbstractState>> {
        let known = self.consistent.get_or_init(|| self.consistent_states());
        known.as_ref()
    }

    /// The states that a call can end in for all that it leaves as it is, where these are but one, or where a question about all
    /// others would say less than that; none where they are not known, or too many.
    fn left(&self, frames: &Frames, step: &Step) -> Option<Vec<AbstractState>> {
        let (Callee::Action(action), Some(source)) = (step.callee, &step.source) else {
            return None;
        };
        let subject = self.subject();
        let (kept, free): (Vec<Mark>, Vec<Mark>) =
            subject.marks().partition(|mark| frames.keep(action, *mark));
        // Of a guess, a question about all others says less than is known of it here.
        let is_guess = |mark: &Mark| !subject.guard(*mark).is_exact();
        let most = if kept.iter().any(is_guess) {
            MOST_FREE
        } else {
            0
        };
        if free.len() > most {
            return None;
        }
        let base: AbstractState = kept.into_iter().filter(|mark| source.has(*mark)).collect();
        Some(with_some_of(&base, &free))
    }

    /// Whether a state has all that the call leaves as it is.
    fn is_as_left(&self, step: &Step, target: &AbstractState) -> bool {
        let mut marks = self.subject().marks();
        marks.all(|mark| {
            let kept = self.kept(step, mark);
            kept.is_none_or(|has| has == target.has(mark))
        })
    }

    /// Whether a state has the mark behind the call, where that cannot change it: whether it had it before.
    fn kept(&self, step: &Step, mark: Mark) -> Option<bool> {
        let (Callee::Action(action), Some(source)) = (step.callee, &step.source) else {
            return None;
        };
        let frames = self.frames.as_ref()?;
        frames.keep(action, mark).then(|| source.has(mark))
    }

    /// Those of these states that the necessarily enabled and disabled actions leave. Of what comes together in all of them, or never
    /// does, only the first is asked about, and of what all or none of them have nothing.
    fn left_of(
        &self,
        step: &Step,
        mut states: Vec<AbstractState>,
    ) -> Result<Vec<AbstractState>, Stopped> {
        let mut differing: BTreeMap<Vec<bool>, Mark> = BTreeMap::new();
        for mark in self.subject().marks() {
            let mut have: Vec<bool> = states.iter().map(|state| state.has(mark)).collect();
            let first = have.first().copied();
            have.iter_mut().for_each(|has| *has = Some(*has) != first);
            if have.contains(&true) {
                differing.entry(have).or_insert(mark);
            }
        }
        // To ask about each state takes no more questions, and says more.
        if states.len() <= 2 * differing.len() {
            return Ok(states);
        }
        let differing: Vec<Mark> = differing.into_values().collect();
        let decided: Vec<(Mark, Decided)> = differing
            .into_par_iter()
            .map(|mark| (mark, self.decided(step, mark)))
            .collect();
        self.is_accepted()?;
        if self.desk.is_interrupted() {
            return Ok(vec![]);
        }
        states.retain(|state| {
            let mut decided = decided.iter();
            decided.all(|(mark, decided)| decided.allows(state.has(*mark)))
        });
        Ok(states)
    }

    /// What is known of a mark behind a call.
    fn decided(&self, step: &Step, mark: Mark) -> Decided {
        if let Some(has) = self.kept(step, mark) {
            return Decided { on: has, off: !has };
        }
        let subject = self.subject();
        let is_no = |query: &Query| self.desk.ask(query).is_no();
        Decided {
            on: is_no(&kinds::necessarily_enabled(subject, step, mark)),
            off: is_no(&kinds::necessarily_disabled(subject, step, mark)),
        }
    }

    /// The targets that the necessarily enabled (B⁺) and disabled (B⁻) actions leave. An unknown answer leaves
    /// the action undecided, which costs only time.
    fn candidates(
        &self,
        step: &Step,
        reason: Option<Doubt>,
    ) -> Result<Vec<AbstractState>, Stopped> {
        let subject = self.subject();
        let marks: Vec<Mark> = subject.marks().collect();
        let decided: Vec<Decided> = marks
            .par_iter()
            .map(|mark| self.decided(step, *mark))
            .collect();
        self.is_accepted()?;
        if self.desk.is_interrupted() {
            // Nothing is known of the candidates, which may be thousands. Whoever asks says that there may be more.
            return Ok(vec![]);
        }
        if decided.iter().any(|mark| mark.on && mark.off) {
            // Neither enabled nor disabled: the call never ends in a configuration at all.
            return Ok(vec![]);
        }
        let undecided: Vec<usize> = (0..decided.len())
            .filter(|a| !decided[*a].on && !decided[*a].off)
            .collect();
        if undecided.len() > MOST_CANDIDATES as usize {
            let question = kinds::any_other_target(subject, step, &BTreeSet::new());
            return Err(Stopped::TooManyCandidates {
                sentence: question.sentence,
                reason: reason.map_or(String::new(), |doubt| doubt.to_string()),
                undecided: undecided.len(),
            });
        }
        let base = (0..decided.len()).filter(|a| decided[*a].on);
        let base: AbstractState = base.map(|at| marks[at]).collect();
        let undecided: Vec<Mark> = undecided.into_iter().map(|at| marks[at]).collect();
        Ok(with_some_of(&base, &undecided))
    }

    fn ask_each(&self, step: &Step, candidates: Vec<AbstractState>) -> Targets {
        let answers: Vec<(AbstractState, Heard)> = candidates
            .into_par_iter()
            .map(|target| {
                let query = kinds::transition(self.subject(), step, &target);
                (target, self.desk.hear(query))
            })
            .collect();
        let interrupted = self.desk.is_interrupted();
        let targets = answers.into_iter().filter_map(|(state, heard)| {
            let target = TargetState::of(heard)?;
            let is_open = interrupted && target.doubt.is_some();
            (!is_open).then_some((state, target))
        });
        targets.collect()
    }

    /// All states in which there is a configuration; none where they are not all known, or too many for the time that there is.
    fn consistent_states(&self) -> Option<BTreeSet<AbstractState>> {
        let most = match self.desk.is_hurried() {
            true => MOST_UNASKED,
            false => usize::MAX,
        };
        let next = |known: &BTreeSet<AbstractState>| {
            (known.len() <= most).then(|| kinds::any_other_state(self.subject(), known))
        };
        let (known, found) = all_states(self.desk.patient(), Targets::new(), next);
        // One more than those is found before it is not asked any more.
        let is_all = found == Completeness::All && known.len() <= most;
        is_all.then(|| known.into_keys().collect())
    }
}

/// These states, and those that a question after any other one finds, asked again until there is none, or no question.
fn all_states(
    desk: &Desk<'_>,
    found: Targets,
    next: impl Fn(&BTreeSet<AbstractState>) -> Option<Query>,
) -> (Targets, Completeness) {
    let state = |witness: &Witness| Some(desk.subject().state_where(witness.held_after()));
    until_none(desk, found, next, state, |_| BTreeMap::new(), UNTOLD)
}

/// The ways, by their positions, in which a call can end: asked after any other one until there is none, so that one proof says
/// that there is no other; some are known already. From a state, or from anywhere.
pub(super) fn ways(
    desk: &Desk<'_>,
    (callee, source): (Callee, Option<&AbstractState>),
    exits: &[Exit],
    known: Ways,
    like: impl Fn(&Witness) -> Ways,
) -> (Ways, Completeness) {
    let next = |known: &BTreeSet<usize>| {
        let query = || kinds::any_other_exit(desk.subject(), callee, source, exits, known);
        (known.len() < exits.len()).then(query)
    };
    let way = |witness: &Witness| witness.place(true).map(|(exit, _)| exit);
    let untold = "the trace does not say how the call ends";
    until_none(desk, known, next, way, like, untold)
}

/// What is found already, and what a question after any other finds, asked again until there is none. `shown` says what a witness
/// shows, `like` what is seen of calls like it.
fn until_none<K: Ord + Clone>(
    desk: &Desk<'_>,
    mut found: BTreeMap<K, TargetState>,
    next: impl Fn(&BTreeSet<K>) -> Option<Query>,
    shown: impl Fn(&Witness) -> Option<K>,
    like: impl Fn(&Witness) -> BTreeMap<K, TargetState>,
    untold: &'static str,
) -> (BTreeMap<K, TargetState>, Completeness) {
    let all = desk.until_none(
        &mut found,
        |found| next(&found.keys().cloned().collect()),
        |found, witness, heard| {
            let target = TargetState::of(heard.clone()).unwrap_or_default();
            let is_new = shown(witness).is_some_and(|shown| found.insert(shown, target).is_none());
            if is_new {
                for (shown, target) in like(witness) {
                    let known = found.entry(shown).or_insert_with(|| target.clone());
                    if known.doubt.is_some() {
                        *known = target;
                    }
                }
            }
            is_new
        },
        untold,
    );
    (found, all)
}

/// The states with all marks of this one, and some of these besides, in order.
fn with_some_of(base: &AbstractState, marks: &[Mark]) -> Vec<AbstractState> {
    let mut states: Vec<AbstractState> = (0u32..1 << marks.len())
        .map(|chosen| {
            let mut state = base.clone();
            let some = marks.iter().enumerate();
            let some = some.filter(|(at, _)| chosen >> at & 1 == 1);
            some.for_each(|(_, mark)| state.mark(*mark));
            state
        })
        .collect();
    states.sort();
    states
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::encode::Encoding;
    use crate::engine::Builtin;
    use crate::front::tq;

    /// Switches that know nothing of each other: each number of them is in twice as many states as one less.
    fn switches(number: usize) -> Encoding {
        let switch = |at: usize| {
            format!("var s{at}: bool; action a{at}() requires s{at} {{ s{at} := false; }}")
        };
        let switches: String = (0..number).map(switch).collect();
        let loaded = tq::parse_text("switches.tq", &format!("class S {{ {switches} }}"));
        let program = loaded.expect("well-formed").program;
        let class = program.class_named("S").expect("it");
        Encoding::of_class(&program, class).expect("encoded")
    }

    /// Of too many states none is known: some of them would be taken for all that there are.
    #[test]
    fn states_that_are_too_many_are_not_all_known() {
        for (number, hurried, expected) in
            [(6, true, Some(64)), (7, true, None), (7, false, Some(128))]
        {
            let encoding = switches(number);
            let engine = Builtin::default();
            let open = || Desk::open(&encoding, &engine).expect("Z3");
            let desk = match hurried {
                true => open().hurried(Instant::now() + Duration::from_secs(3000), open()),
                false => open(),
            };
            let finder = TargetFinder::new(&desk, Strategy::Guided, usize::MAX);
            let known = finder.consistent_states().map(|known| known.len());
            assert_eq!(known, expected, "{number} switches");
        }
    }
}
