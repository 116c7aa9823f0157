//! One class, as a line: read, its EPA found, and if that is wanted each edge confirmed or refuted, all within its time.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::line::{
    Contradiction, SCHEMA, SurveyLine, SurveyOutcome, SurveyReason, SurveySizes, SurveyedClass,
};
use crate::analysis::{Analysis, AnalysisError};
use crate::ask::Disagreement;
use crate::engine::Choice;
use crate::epa::{self, Abstraction};
use crate::load::{self, LoadError, LoadRequest};
use crate::query::Extent;
use crate::time::millis_since;

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
}

/// What is found in time.
struct Findings {
    abstraction: Abstraction,
    confirmed: bool,
    in_time: bool,
    contradictions: Vec<Contradiction>,
}

/// Examines a class. Whatever happens, a panic of ours included, comes back as a line.
pub fn examine(class: &SurveyedClass, how: &Examination) -> SurveyLine {
    let start = Instant::now();
    let made = catch_unwind(AssertUnwindSafe(|| how.find(class)));
    let ms = millis_since(start);
    let without = |outcome, reason| SurveyLine::without(class.clone(), outcome, reason, ms);
    match made {
        Ok(Ok(found)) => found.line(class, how.each, ms),
        Ok(Err(failure)) => {
            let (outcome, reason) = why(&failure, how.each);
            without(outcome, reason)
        }
        Err(panic) => without(SurveyOutcome::Failed, panicked(panic.as_ref())),
    }
}

impl Examination {
    fn find(&self, class: &SurveyedClass) -> Result<Findings, AnalysisError> {
        let within = self.choice.config.interrupt.within(self.each);
        let request = LoadRequest {
            path: (&class.file).into(),
            class: class.class.clone(),
            interrupt: within.clone(),
            ..self.load.clone()
        };
        let input = load::load(&request)?;
        let mut choice = self.choice.clone();
        choice.config.interrupt = within;
        let analysis = Analysis::new(input, choice)?;
        let made = analysis.epa(&self.epa)?;
        if analysis.is_interrupted() {
            return Err(LoadError::Interrupted.into());
        }
        let mut found = Findings {
            abstraction: made.abstraction,
            confirmed: false,
            in_time: true,
            contradictions: made.disagreements.into_iter().map(contradiction).collect(),
        };
        if let Some(extent) = &self.confirm {
            let second = analysis.confirm(&found.abstraction, extent)?;
            found.in_time = !analysis.is_interrupted();
            let untold = second.untold().map(|message| Contradiction {
                question: None,
                message,
            });
            let told = second.disagreements.into_iter().map(contradiction);
            found.contradictions.extend(told.chain(untold));
            // What a pass that was broken off found would differ from run to run.
            if found.in_time {
                found.abstraction = second.abstraction;
                found.confirmed = true;
            }
        }
        Ok(found)
    }
}

impl Findings {
    fn line(self, class: &SurveyedClass, each: Duration, ms: u64) -> SurveyLine {
        let mut epa = self.abstraction.epa();
        epa.runs.clear();
        epa.stats.wall_ms = 0;
        SurveyLine {
            schema: SCHEMA.into(),
            of: class.clone(),
            outcome: match self.in_time {
                true => SurveyOutcome::Done,
                false => SurveyOutcome::Unfinished,
            },
            reason: (!self.in_time).then(|| out_of_time(each)),
            sizes: Some(SurveySizes::of(&epa, self.confirmed)),
            findings: epa.findings.clone(),
            contradictions: self.contradictions,
            epa: Some(epa),
            ms,
        }
    }
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
        AnalysisError::Load(LoadError::Interrupted) => {
            (SurveyOutcome::Unfinished, out_of_time(each))
        }
        AnalysisError::Load(
            wrong @ (LoadError::Text(_) | LoadError::Contract(_) | LoadError::Request { .. }),
        ) => (SurveyOutcome::Refused, not_taken(wrong)),
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
        place,
    }
}

/// That the time is over.
pub(super) fn out_of_time(each: Duration) -> SurveyReason {
    SurveyReason::new("time", format!("not done within {} s", each.as_secs_f64()))
}

/// What a panic says.
pub(super) fn panicked(panic: &(dyn Any + Send)) -> SurveyReason {
    let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
    let said = said.unwrap_or_else(|| "it does not say why".into());
    SurveyReason::new("internal", format!("internal error: {said}"))
}
