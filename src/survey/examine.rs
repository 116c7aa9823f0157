//! One class, as a line: read, its EPA found, and if that is wanted each edge confirmed or refuted, all within its time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::line::{
    Contradiction, SCHEMA, SurveyLine, SurveyOutcome, SurveyReason, SurveySizes, SurveyedClass,
};
use crate::analysis::{Analysis, AnalysisError};
use crate::ask::{Disagreement, OpenQuestion};
use crate::engine::Choice;
use crate::epa::{self, Abstraction};
use crate::load::{self, LoadError, LoadRequest, Places};
use crate::query::Extent;
use crate::time::millis_since;
use crate::words::counted;

/// The part of a class's time in which it is asked about its calls, where an EPA is wanted whatever is known by then.
const ASKED: f64 = 0.75;

/// The part of the time of a class after which no more is read of what its bodies refuse, where a coarse EPA is wanted.
const READ: f64 = 0.4;

/// How each class is examined.
#[derive(Clone, Debug)]
pub struct Examination {
    /// How files are read; which file and class is the survey's to say.
    pub load: LoadRequest,
    /// The engine.
    pub choice: Choice,
    /// How an EPA is found. With one question at once the same class always gives the same line.
    pub epa: epa::ConstructOptions,
    /// The second pass, and how far it may go.
    pub confirm: Option<Extent>,
    /// The time for each class, that for reading it included.
    pub each: Duration,
    /// Whether an EPA is wanted in which what was not asked in time is uncertain, rather than none.
    pub coarse: bool,
}

/// What is found in time.
enum Found {
    /// All edges of its EPA.
    Epa(Box<Findings>),
    /// Not all of them: how far it went.
    Part(String),
}

struct Findings {
    abstraction: Abstraction,
    confirmed: bool,
    /// How far it went, where not all was done in time.
    late: Option<String>,
    /// Whether there are edges that were not asked about in time.
    coarse: bool,
    contradictions: Vec<Contradiction>,
}

/// Examines a class. Whatever happens, a panic of ours included, comes back as a line.
pub fn examine(class: &SurveyedClass, how: &Examination) -> SurveyLine {
    let start = Instant::now();
    let made = catch_unwind(AssertUnwindSafe(|| how.find(class, start)));
    let ms = millis_since(start);
    let without = |outcome, reason| SurveyLine::without(class.clone(), outcome, reason, ms);
    match made {
        Ok(Ok(Found::Epa(found))) => found.line(class, how.each, ms),
        Ok(Ok(Found::Part(progress))) => {
            without(SurveyOutcome::Unfinished, out_of_time(how.each, progress))
        }
        Ok(Err(failure)) => {
            let (outcome, reason) = why(&failure, how.each);
            without(outcome, reason)
        }
        Err(panic) => without(SurveyOutcome::Failed, panicked(panic.as_ref())),
    }
}

impl Examination {
    fn find(&self, class: &SurveyedClass, start: Instant) -> Result<Found, AnalysisError> {
        let within = self.choice.config.interrupt.within(self.each);
        let request = LoadRequest {
            path: (&class.file).into(),
            class: class.class.clone(),
            interrupt: within.clone(),
            until: self
                .coarse
                .then(|| start.checked_add(self.each.mul_f64(READ)))
                .flatten(),
            ..self.load.clone()
        };
        let input = load::load(&request)?;
        let mut choice = self.choice.clone();
        choice.config.interrupt = within;
        let analysis = Analysis::new(input, choice)?;
        let made = analysis.epa(&epa::ConstructOptions {
            time: self
                .coarse
                .then(|| self.asked().saturating_sub(start.elapsed())),
            ..self.epa.clone()
        })?;
        let late = made.open.map(|open| {
            let states = made.abstraction.states().count();
            progress(states, &open, &analysis.input().places)
        });
        let late = match late {
            Some(progress) if !made.is_whole => return Ok(Found::Part(progress)),
            late => late,
        };
        let mut found = Findings {
            abstraction: made.abstraction,
            confirmed: false,
            late,
            coarse: made.is_late,
            contradictions: made.disagreements.into_iter().map(contradiction).collect(),
        };
        let is_whole = found.late.is_none() && !found.coarse;
        if let Some(extent) = self.confirm.as_ref().filter(|_| is_whole) {
            let second = analysis.confirm(&found.abstraction, extent)?;
            let is_late = analysis.is_interrupted();
            found.late =
                is_late.then(|| "its EPA was found, and its second pass was going on".into());
            let untold = second.untold().map(|message| Contradiction {
                question: None,
                message,
            });
            let told = second.disagreements.into_iter().map(contradiction);
            found.contradictions.extend(told.chain(untold));
            // What a pass that was broken off found would differ from run to run.
            if !is_late {
                found.abstraction = second.abstraction;
                found.confirmed = true;
            }
        }
        Ok(Found::Epa(Box::new(found)))
    }

    /// How long it is asked about a class, where an EPA is wanted whatever is known by then: what is left is for what states there
    /// are, and for writing it down.
    fn asked(&self) -> Duration {
        self.each.mul_f64(ASKED)
    }
}

impl Findings {
    fn line(self, class: &SurveyedClass, each: Duration, ms: u64) -> SurveyLine {
        let mut epa = self.abstraction.epa();
        epa.forget_runs();
        epa.stats.wall_ms = 0;
        SurveyLine {
            schema: SCHEMA.into(),
            of: class.clone(),
            outcome: match self.late {
                Some(_) => SurveyOutcome::Unfinished,
                None if self.coarse => SurveyOutcome::Coarse,
                None => SurveyOutcome::Done,
            },
            reason: match self.late {
                Some(progress) => Some(out_of_time(each, progress)),
                None => self.coarse.then(|| not_all_asked(each)),
            },
            sizes: Some(SurveySizes::of(&epa, self.confirmed)),
            findings: epa.findings.clone(),
            contradictions: self.contradictions,
            epa: Some(epa),
            ms,
        }
    }
}

/// How far it went: how many states were found, and what was not answered, with its place.
fn progress(states: usize, open: &OpenQuestion, places: &Places) -> String {
    let found = match states {
        0 => "no state was found".to_owned(),
        states => format!("{} found", counted(states, "state")),
    };
    let place = places.of(open.callee.as_deref());
    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
    let question = &open.sentence;
    format!("{found} by then, with an open question: {question}{place}")
}

fn contradiction(of: Disagreement) -> Contradiction {
    Contradiction {
        question: Some(of.name),
        message: of.message,
    }
}

/// Why there is no EPA.
fn why(failure: &AnalysisError, each: Duration) -> (SurveyOutcome, SurveyReason) {
    let refused = |kind| {
        (
            SurveyOutcome::Refused,
            SurveyReason::new(kind, failure.to_string()),
        )
    };
    match failure {
        AnalysisError::Load(LoadError::Interrupted) => (
            SurveyOutcome::Unfinished,
            out_of_time(each, "it was still being read".into()),
        ),
        AnalysisError::Load(
            wrong @ (LoadError::Text(_) | LoadError::Contract(_) | LoadError::Request { .. }),
        ) => (SurveyOutcome::Refused, not_taken(wrong)),
        AnalysisError::OutOfTime(why) => {
            (SurveyOutcome::Unfinished, out_of_time(each, why.clone()))
        }
        AnalysisError::GivenUp(_) => refused("too-large"),
        AnalysisError::Split(_) => refused("not-taken"),
        other => (
            SurveyOutcome::Failed,
            SurveyReason::new("engine", other.to_string()),
        ),
    }
}

/// Why a class, or a file, is refused.
pub(super) fn not_taken(wrong: &LoadError) -> SurveyReason {
    let (message, place) = wrong.first();
    SurveyReason {
        kind: match wrong {
            LoadError::Contract(_) => "not-taken",
            _ => "unreadable",
        }
        .into(),
        message,
        progress: None,
        place,
    }
}

/// That the time is over, and how far it went by then.
fn out_of_time(each: Duration, progress: String) -> SurveyReason {
    let seconds = each.as_secs_f64();
    SurveyReason {
        progress: Some(progress),
        ..SurveyReason::new("time", format!("not done within {seconds} s"))
    }
}

/// That there are edges that were not asked about.
fn not_all_asked(each: Duration) -> SurveyReason {
    let seconds = each.as_secs_f64();
    SurveyReason::new("time", format!("not all was asked within {seconds} s"))
}

/// What a panic says.
pub(super) fn panicked(panic: &(dyn Any + Send)) -> SurveyReason {
    let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
    let said = said.unwrap_or_else(|| "it does not say why".into());
    SurveyReason::new("internal", format!("internal error: {said}"))
}
