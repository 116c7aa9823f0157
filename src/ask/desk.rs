//! Putting questions to an engine, checking what it says, and keeping count: whatever the questions are about.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::hurry::{Hurry, Rounds};
use super::reading::{Misread, TraceReading};
use super::replay::{PerformedCall, Replayed, Trust, is_shown_by, replay};
use super::{Doubt, QueryCounts, Witness};
use crate::encode::{EncodedQuery, Encoding};
use crate::engine::{Engine, EngineError, Session};
use crate::events;
use crate::query::{
    Automaton, Callee, End, Query, QuestionProgram, Reason, Subject, Trace, Unknown, Verdict,
};
use crate::time::millis_since;

/// What answers that running the class gave are counted as.
const RUN: &str = "run";

/// A yes whose trace does not tell what was asked.
const UNREADABLE: Doubt = Doubt::NotUnderstood("the trace does not say what holds");

/// An engine's answer that a replay, or another engine, contradicted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// What was asked, what the engine says, and what the replay shows.
    pub message: String,
    /// The name of the question.
    pub name: String,
    /// Its Boogie text.
    pub text: String,
}

/// An answer to a question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Certainly yes.
    Yes(Box<Witness>),
    /// Yes, if values that are not known can be as this takes them.
    Guess(Box<Witness>),
    /// Certainly no.
    No,
    /// Not known, and why.
    Unknown(Doubt),
}

impl Answer {
    /// Whether it is certainly no.
    pub fn is_no(&self) -> bool {
        matches!(self, Answer::No)
    }

    /// Why it is not certain, if it is not.
    pub fn doubt(&self) -> Option<Doubt> {
        match self {
            Answer::Yes(_) | Answer::No => None,
            Answer::Guess(_) => Some(Doubt::Values),
            Answer::Unknown(doubt) => Some(doubt.clone()),
        }
    }

    /// What is certain of it: a witness, or that there is none. A guess is not.
    ///
    /// # Errors
    /// Why it is not certain.
    pub fn settled(self) -> Result<Option<Box<Witness>>, Doubt> {
        match self {
            Answer::Yes(witness) => Ok(Some(witness)),
            Answer::No => Ok(None),
            Answer::Guess(_) => Err(Doubt::Values),
            Answer::Unknown(doubt) => Err(doubt),
        }
    }
}

/// A question that was put, and its answer.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The question.
    pub query: Query,
    /// The answer.
    pub answer: Answer,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

impl Heard {
    /// What is called first in the question.
    pub fn asked(&self) -> Option<Callee> {
        self.query.calls.first().map(|call| call.callee)
    }
}

/// The question at which somebody, or the time, interrupted the asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenQuestion {
    /// The question as a sentence.
    pub sentence: String,
    /// What it is about, as it is shown: an action, or a constructor with its types. None where it is about many calls, or
    /// about no call.
    pub callee: Option<String>,
}

/// What was found by asking for another until there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// All there are.
    All,
    /// There may be more: why that is not known.
    Some(Doubt),
}

/// Puts questions about a class to an engine's session, checks what it says and counts it.
pub struct Desk<'a> {
    encoding: &'a Encoding,
    session: Box<dyn Session + 'a>,
    program: QuestionProgram,
    counts: Mutex<BTreeMap<&'static str, QueryCounts>>,
    /// What an engine said when it refused a question as no legal Boogie.
    rejected: OnceLock<String>,
    /// The first question that was interrupted: then no more are put.
    open: OnceLock<OpenQuestion>,
    /// How long the engine works for an answer at most.
    longest: Duration,
    /// From then on, no more are put either.
    deadline: Option<Instant>,
    /// Whether a question was not answered for that.
    late: AtomicBool,
    /// Whether the program asked about is the one that the interpreter runs.
    replays: bool,
    disagreements: Mutex<Vec<Disagreement>>,
    /// The desk where what the class itself does is asked; none where this one does that.
    exact: Option<Box<Desk<'a>>>,
    /// The desk where it is asked what the class does without values that are not known; none where this one does that.
    certain: Option<Box<Desk<'a>>>,
    /// The desk where it is asked also when the time is over; none where this one does that.
    patient: Option<Box<Desk<'a>>>,
    /// How the time is shared among the questions, where there is one for all of them.
    hurry: Option<Hurry>,
}

impl<'a> Desk<'a> {
    /// Opens a class's program.
    ///
    /// # Errors
    /// The engine cannot be run at all.
    pub fn open(encoding: &'a Encoding, engine: &'a dyn Engine) -> Result<Self, EngineError> {
        let open = |other: Option<&'a Encoding>| -> Result<_, EngineError> {
            other.map(|other| Desk::open(other, engine)).transpose()
        };
        let others = [open(encoding.exact())?, open(encoding.certain())?];
        Desk::over(encoding, encoding.program(), others, engine)
    }

    /// Opens a class's program with an automaton of its calls behind it, for questions about walks.
    ///
    /// # Errors
    /// The engine cannot be run at all.
    pub fn along(
        encoding: &'a Encoding,
        automaton: &Automaton,
        engine: &'a dyn Engine,
    ) -> Result<Self, super::AskError> {
        let program = encoding.automaton(automaton)?;
        let along = |other: Option<&'a Encoding>| -> Result<_, super::AskError> {
            let desk = other.map(|other| Desk::along(other, automaton, engine));
            desk.transpose()
        };
        let others = [along(encoding.exact())?, along(encoding.certain())?];
        Ok(Desk::over(encoding, program, others, engine)?)
    }

    fn over(
        encoding: &'a Encoding,
        program: QuestionProgram,
        others: [Option<Desk<'a>>; 2],
        engine: &'a dyn Engine,
    ) -> Result<Self, EngineError> {
        let [exact, certain] = others.map(|other| other.map(Box::new));
        Ok(Desk {
            session: engine.open(&program)?,
            encoding,
            program,
            counts: Mutex::default(),
            rejected: OnceLock::new(),
            open: OnceLock::new(),
            longest: engine.limits().timeout,
            deadline: None,
            late: AtomicBool::new(false),
            replays: true,
            disagreements: Mutex::default(),
            exact,
            certain,
            patient: None,
            hurry: None,
        })
    }

    /// The same, which puts no questions from then on; but some to another desk for the same class. Each question may take a part of
    /// the time that is left.
    #[must_use]
    pub fn hurried(self, deadline: Instant, patient: Desk<'a>) -> Self {
        let longest = self.longest;
        Desk {
            patient: Some(Box::new(patient)),
            ..self
                .until(Some(deadline))
                .in_rounds(&Arc::new(Rounds::new(deadline, longest)))
        }
    }

    /// The same, whose questions share the time that is left.
    fn in_rounds(self, rounds: &Arc<Rounds>) -> Self {
        Desk {
            hurry: Some(Hurry::new(rounds)),
            ..self.with_others(|other| other.in_rounds(rounds))
        }
    }

    /// The same, with its desks for other programs changed.
    fn with_others(self, change: impl Fn(Desk<'a>) -> Desk<'a>) -> Self {
        let [exact, certain] =
            [self.exact, self.certain].map(|other| other.map(|other| Box::new(change(*other))));
        Desk {
            exact,
            certain,
            ..self
        }
    }

    /// Whether all questions are put for the first time, in a part of the time that there is for all.
    pub fn is_first_round(&self) -> bool {
        self.rounds().is_some_and(Rounds::is_first)
    }

    fn rounds(&self) -> Option<&Rounds> {
        self.hurry.as_ref().map(|hurry| hurry.rounds.as_ref())
    }

    /// Whether more time might make another answer of what was put in this round.
    pub fn is_open(&self) -> bool {
        self.rounds().is_some_and(Rounds::is_open)
    }

    /// From now on, what is put again is answered where that is known, and may take more time where it is not. It is about so many
    /// calls.
    pub fn begin_again(&self, left: usize) {
        if let Some(rounds) = self.rounds() {
            rounds.begin_again(left);
        }
    }

    /// From now on, there is the time again that the rounds left; what was late in the second one is not any more.
    pub fn end_rounds(&self) {
        if let Some(rounds) = self.rounds() {
            rounds.end();
        }
        self.on_time();
    }

    fn on_time(&self) {
        self.late.store(false, Ordering::Relaxed);
        let others = self.exact.iter().chain(&self.certain);
        others.for_each(|other| other.on_time());
    }

    /// Whether there is a time for all questions but those that a patient desk answers.
    pub fn is_hurried(&self) -> bool {
        self.patient.is_some()
    }

    /// Where it is asked also when the time is over.
    pub fn patient(&self) -> &Desk<'a> {
        self.patient.as_deref().unwrap_or(self)
    }

    /// The same, which puts no questions from then on.
    #[must_use]
    pub fn until(self, deadline: Option<Instant>) -> Self {
        Desk {
            deadline,
            ..self.with_others(|other| other.until(deadline))
        }
    }

    /// From when on it puts no questions.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The same, for a program that does more than the class: its witnesses are not run.
    #[must_use]
    pub fn without_replay(self) -> Self {
        Desk {
            replays: false,
            ..self.with_others(Desk::without_replay)
        }
    }

    /// The class that the questions are about.
    pub fn subject(&self) -> &'a Subject {
        &self.encoding.subject
    }

    /// Puts a question, and keeps it with its answer.
    pub fn hear(&self, query: Query) -> Heard {
        let start = Instant::now();
        let answer = self.ask(&query);
        Heard {
            query,
            answer,
            ms: millis_since(start),
        }
    }

    /// Puts a question. A "reached" is replayed where it can be, and not believed if the replay contradicts it.
    pub fn ask(&self, query: &Query) -> Answer {
        if self.is_interrupted() {
            return Answer::Unknown(Doubt::Interrupted);
        }
        if self.leaves_out() {
            return Answer::Unknown(Doubt::TimeOver);
        }
        let mut encoded = match self.encoding.query(query) {
            Ok(encoded) => encoded,
            Err(error) => {
                let doubt = Doubt::engine(Reason::Rejected, error.to_string());
                return self.unknown(query, doubt);
            }
        };
        let Some(hurry) = &self.hurry else {
            return self.put(query, &encoded);
        };
        hurry.answer(encoded.entry.text.clone(), |limit| {
            encoded.entry.limit = Some(limit);
            self.put(query, &encoded)
        })
    }

    fn put(&self, query: &Query, encoded: &EncodedQuery) -> Answer {
        let session = self.session.as_ref();
        let verdict = match self.replays && can_be_presumed(query) {
            true => events::presume(session, &encoded.entry),
            false => events::ask(session, &encoded.entry),
        };
        match verdict {
            Verdict::Presumed(trace) => match self.performed(query, encoded, trace) {
                Some(witness) => self.yes(query, witness),
                None => self.heard(query, encoded, events::ask(session, &encoded.entry)),
            },
            verdict => self.heard(query, encoded, verdict),
        }
    }

    /// What an engine's verdict comes to.
    fn heard(&self, query: &Query, encoded: &EncodedQuery, verdict: Verdict) -> Answer {
        match verdict {
            Verdict::Unreachable => {
                self.count(query.kind, &Verdict::Unreachable);
                Answer::No
            }
            Verdict::Reached(trace) => self.reached(query, encoded, trace),
            Verdict::Presumed(_) => {
                let why =
                    "an execution was found, but not a model of all that is said of all values";
                self.unknown(query, Doubt::engine(Reason::SolverIncomplete, why.into()))
            }
            Verdict::BoundHit { bound } => self.unknown(query, Doubt::Bound(bound)),
            Verdict::Unknown(unknown) => {
                if unknown.reason == Reason::Disagreement {
                    self.disagree(query, encoded, &unknown.detail);
                }
                self.unknown(query, Doubt::Engine(unknown))
            }
        }
    }

    /// A "yes", once its trace is read and run.
    fn reached(&self, query: &Query, encoded: &EncodedQuery, trace: Trace) -> Answer {
        let believed = match TraceReading::of(&encoded.layout, query, &trace) {
            Ok(reading) => match (self.believe(query, encoded, trace, reading), &self.exact) {
                (Ok(witness), _) if witness.performed().is_some() => Ok(witness),
                (_, Some(exact)) => return self.asked_exactly(exact, query),
                (believed, None) => believed,
            },
            Err(Misread::Foreign(how)) => {
                let doubt = Doubt::NotUnderstood(how);
                let claim = format!("the engine says yes, but its trace is another one: {doubt}");
                self.disagree(query, encoded, &claim);
                Err(doubt)
            }
            Err(Misread::Unreadable) => {
                if let Some(exact) = &self.exact {
                    return self.asked_exactly(exact, query);
                }
                // It is a yes, but not one from which anything can be concluded.
                self.count(query.kind, &Verdict::Reached(Trace::default()));
                return Answer::Unknown(UNREADABLE);
            }
        };
        match believed {
            Ok(witness) => self.yes(query, witness),
            Err(doubt) => self.unknown(query, doubt),
        }
    }

    fn yes(&self, query: &Query, witness: Witness) -> Answer {
        self.count(query.kind, &Verdict::Reached(Trace::default()));
        let takes_guess = |witness: &Witness| {
            let performed = witness.performed();
            performed.is_none_or(|performed| performed.takes_guess())
        };
        match &self.certain {
            Some(certain) if takes_guess(&witness) => match certain.ask(&named(query, "certain")) {
                Answer::Yes(other) => Answer::Yes(other),
                _ => Answer::Guess(Box::new(witness)),
            },
            _ => Answer::Yes(Box::new(witness)),
        }
    }

    /// An execution that may be none, where it does all that is asked for when it is run, and nothing is left to believe.
    fn performed(&self, query: &Query, encoded: &EncodedQuery, trace: Trace) -> Option<Witness> {
        let layout = &encoded.layout;
        let reading = TraceReading::of(layout, query, &trace).ok()?;
        let why = match replay(self.encoding, query, layout, &reading, Trust::Nothing) {
            Replayed::Confirmed(performed) => {
                return Some(Witness {
                    trace,
                    reading,
                    layout: layout.clone(),
                    replayed: Ok(performed),
                    is_run: false,
                });
            }
            Replayed::Contradicted(why) | Replayed::NotRun(why) => why,
            Replayed::TooLarge => "its arrays are too large".into(),
        };
        events::presumed_wrongly(&encoded.entry.name, &why);
        None
    }

    /// The answer "yes" to a question about one call, where this call that was made in the interpreter is one that it asks for, so that
    /// no engine has to be asked; none where it is not, or that cannot be decided without one, in so many steps for each formula.
    pub(crate) fn shown(
        &self,
        query: &Query,
        performed: &PerformedCall,
        fuel: u64,
    ) -> Option<Witness> {
        let is_decided = self.replays
            && can_be_presumed(query)
            && matches!(query.end, End::Anywhere | End::State(_))
            && query.watched.is_empty()
            && query.start.watched.is_empty();
        if !is_decided || !is_shown_by(self.subject(), query, performed, fuel) {
            return None;
        }
        self.count(RUN, &Verdict::Reached(Trace::default()));
        Some(Witness::of_run(performed.clone()))
    }

    /// What the class itself does, where the program asked about does something else.
    fn asked_exactly(&self, exact: &Desk<'_>, query: &Query) -> Answer {
        let answer = exact.ask(&named(query, "exact"));
        match answer {
            Answer::Yes(_) | Answer::Guess(_) => {
                self.count(query.kind, &Verdict::Reached(Trace::default()));
                answer
            }
            Answer::No => {
                self.count(query.kind, &Verdict::Unreachable);
                Answer::No
            }
            Answer::Unknown(doubt) => self.unknown(query, doubt),
        }
    }

    /// Runs what a trace claims.
    fn believe(
        &self,
        query: &Query,
        encoded: &EncodedQuery,
        trace: Trace,
        reading: TraceReading,
    ) -> Result<Witness, Doubt> {
        // Where another program is asked about, what it does besides is not to be believed.
        let trust = match self.exact {
            None => Trust::Engine,
            Some(_) => Trust::Nothing,
        };
        let replayed = match self.replays {
            true => replay(self.encoding, query, &encoded.layout, &reading, trust),
            false => Replayed::NotRun("the program asked about does more than the class".into()),
        };
        let replayed = match replayed {
            Replayed::Confirmed(performed) => Ok(performed),
            Replayed::NotRun(why) => Err(why),
            Replayed::TooLarge => match self.smaller(query) {
                Some(witness) => return Ok(witness),
                None => Err("its arrays are too large".into()),
            },
            // The program asked about does more than the class: no engine is wrong.
            Replayed::Contradicted(how) if self.exact.is_some() => {
                return Err(Doubt::engine(Reason::NotReplayed, how));
            }
            Replayed::Contradicted(how) => {
                let claim = format!("the engine says yes, but its witness does not replay: {how}");
                self.disagree(query, encoded, &claim);
                return Err(Doubt::engine(Reason::NotReplayed, how));
            }
        };
        Ok(Witness {
            trace,
            reading,
            layout: encoded.layout.clone(),
            replayed,
            is_run: false,
        })
    }

    /// A witness of a walk with short arrays, that can be run, if there is one: a solver takes any lengths.
    fn smaller(&self, query: &Query) -> Option<Witness> {
        if query.short_arrays || query.walk.is_none() {
            return None;
        }
        let query = query.clone().with_short_arrays();
        let encoded = self.encoding.query(&query).ok()?;
        let Verdict::Reached(trace) = events::ask(self.session.as_ref(), &encoded.entry) else {
            return None;
        };
        let reading = TraceReading::of(&encoded.layout, &query, &trace).ok()?;
        let found = self.believe(&query, &encoded, trace, reading).ok()?;
        found.performed().is_some().then_some(found)
    }

    /// Counts an answer that is none.
    fn unknown(&self, query: &Query, doubt: Doubt) -> Answer {
        let verdict = match &doubt {
            Doubt::Bound(bound) => Verdict::BoundHit { bound: *bound },
            _ => Verdict::Unknown(Unknown {
                reason: Reason::NotUnderstood,
                detail: String::new(),
                output: String::new(),
            }),
        };
        self.count(query.kind, &verdict);
        if let Doubt::Engine(why) = &doubt {
            match why.reason {
                // The engine ends by itself when the time is over.
                Reason::Interrupted if self.deadline.is_some_and(|end| Instant::now() >= end) => {
                    self.late.store(true, Ordering::Relaxed);
                    return Answer::Unknown(Doubt::TimeOver);
                }
                // Those that were put beside the first one do not matter.
                Reason::Interrupted => drop(self.open.set(self.as_open(query))),
                Reason::Rejected => {
                    // The first one is enough.
                    let _ = self.rejected.set(format!("{}: {}", query.kind, why.detail));
                }
                _ => {}
            }
        }
        Answer::Unknown(doubt)
    }

    fn as_open(&self, query: &Query) -> OpenQuestion {
        let subject = self.subject();
        OpenQuestion {
            sentence: query.sentence.clone(),
            callee: match query.calls.as_slice() {
                [call] => Some(subject.shown(call.callee).to_owned()),
                _ => None,
            },
        }
    }

    fn disagree(&self, query: &Query, encoded: &EncodedQuery, claim: &str) {
        lock(&self.disagreements).push(Disagreement {
            message: format!("{} {claim}", query.sentence),
            name: encoded.entry.name.clone(),
            text: self.program.with(&encoded.entry),
        });
    }

    /// Asks for another until there is none: `next` gives the question after what is known so far, none where that is all that there
    /// can be, and `take` adds what a witness shows, and says whether it was new.
    pub fn until_none<K>(
        &self,
        known: &mut K,
        next: impl Fn(&K) -> Option<Query>,
        mut take: impl FnMut(&mut K, &Witness, &Heard) -> bool,
        nothing_new: &'static str,
    ) -> Completeness {
        loop {
            let Some(query) = next(known) else {
                return Completeness::All;
            };
            let heard = self.hear(query);
            match &heard.answer {
                Answer::No => return Completeness::All,
                Answer::Unknown(doubt) if *doubt != UNREADABLE => {
                    return Completeness::Some(doubt.clone());
                }
                Answer::Yes(witness) | Answer::Guess(witness) if take(known, witness, &heard) => {}
                // To ask on would be to ask the same for ever.
                _ => return Completeness::Some(Doubt::NotUnderstood(nothing_new)),
            }
        }
    }

    /// The answers that a replay or another engine contradicted, in the order of their names.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        let others = self.exact.iter().chain(&self.certain).chain(&self.patient);
        let others = others.flat_map(|other| other.disagreements());
        let mut found = lock(&self.disagreements).clone();
        found.extend(others);
        found.sort_by(|a, b| a.name.cmp(&b.name));
        found
    }

    fn count(&self, kind: &'static str, verdict: &Verdict) {
        lock(&self.counts).entry(kind).or_default().count(verdict);
    }

    /// What the engine said if it refused a question: an error of ours, so that asking on would tell nothing.
    pub fn rejected(&self) -> Option<&str> {
        let patient = self.patient.as_ref();
        let own = self.rejected.get().map(String::as_str);
        own.or_else(|| patient.and_then(|patient| patient.rejected()))
    }

    /// Whether the questions were interrupted: what was not answered by then stays open.
    pub fn is_interrupted(&self) -> bool {
        self.open_question().is_some()
    }

    /// The first question that was interrupted.
    pub fn open_question(&self) -> Option<&OpenQuestion> {
        let patient = self.patient.as_ref();
        let own = self.open.get();
        own.or_else(|| patient.and_then(|patient| patient.open_question()))
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        let end = self.rounds().map(Rounds::deadline).or(self.deadline);
        end.is_some_and(|end| Instant::now() >= end)
    }

    /// Whether the time is over: what is not asked for that is left open.
    pub fn leaves_out(&self) -> bool {
        let is_over = self.is_over();
        if is_over {
            self.late.store(true, Ordering::Relaxed);
        }
        is_over
    }

    /// Whether a question was not answered, or not even made, because the time was over.
    pub fn ran_late(&self) -> bool {
        let mut others = self.exact.iter().chain(&self.certain);
        self.late.load(Ordering::Relaxed) || others.any(|other| other.ran_late())
    }

    /// The questions asked so far, by kind.
    pub fn counts(&self) -> BTreeMap<String, QueryCounts> {
        let mut named: BTreeMap<String, QueryCounts> = BTreeMap::new();
        for (kind, counts) in lock(&self.counts).iter() {
            named.insert((*kind).to_owned(), *counts);
        }
        for (kind, counts) in self.patient.iter().flat_map(|patient| patient.counts()) {
            let known = named.entry(kind).or_default();
            *known = QueryCounts::sum([&*known, &counts]);
        }
        named
    }

    /// All questions asked so far.
    pub fn total(&self) -> QueryCounts {
        QueryCounts::sum(lock(&self.counts).values())
    }
}

/// The same question, put about another program.
fn named(query: &Query, about: &str) -> Query {
    Query {
        name: format!("{}.{about}", query.name),
        ..query.clone()
    }
}

/// Whether the replay looks at all that the question takes for granted: at that of one call, made or not. Of a walk, a history
/// and a call that is refused it trusts an engine in part, which is right of what that found, and not of what it presumes.
fn can_be_presumed(query: &Query) -> bool {
    let is_one_call = query.walk.is_none() && query.ghosts.is_empty() && query.calls.len() <= 1;
    let is_looked_at = !matches!(
        query.end,
        End::Forbidden(_) | End::Escapes(_) | End::Uncovered(_)
    );
    is_one_call && is_looked_at
}

/// The data behind a lock. A worker that panicked leaves it whole: every change is a single step.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
