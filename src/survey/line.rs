//! What is said of a class: a line of JSON of the schema `tranquera/survey/1`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::epa::Epa;
use crate::epa::wire::{Certainty, Confirmation, EpaFinding};
use crate::load::Language;

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/survey/1";

/// The file, and the class in it.
pub type ClassKey = (String, Option<String>);

/// Where a line stands among others: by the file, then by the place in it and the name of the class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinePlace {
    pub(super) file: String,
    pub(super) line: Option<usize>,
    pub(super) class: Option<String>,
}

/// A class of a survey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurveyedClass {
    /// The file, or for Java the jar or folder, as it was found below the path that was named.
    pub file: String,
    /// The class; none where the file as a whole could not be read.
    pub class: Option<String>,
    /// The line of its declaration (from 1), where the file is a text.
    pub line: Option<usize>,
    /// The language.
    pub language: Language,
    /// A hash of the class's name and of all files that are read for it; not of where they lie.
    pub fingerprint: String,
    /// A hash of the program, its engine, and the options that an answer depends on. All classes of a survey share it.
    #[serde(with = "shared")]
    pub options: Arc<str>,
    /// The limits of time and memory; they matter only to what is not known. They are shared, too.
    #[serde(with = "shared")]
    pub limits: Arc<str>,
}

/// Words that many classes share, as text.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(words: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(words)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(from).map(Arc::from)
    }
}

/// What a survey says of a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurveyLine {
    /// [`SCHEMA`].
    pub schema: String,
    /// The class.
    #[serde(flatten)]
    pub of: SurveyedClass,
    /// What came of it.
    pub outcome: SurveyOutcome,
    /// Why it is not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<SurveyReason>,
    /// How large the EPA is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<SurveySizes>,
    /// What is worth a look.
    #[serde(default)]
    pub findings: Vec<EpaFinding>,
    /// Answers of the engine that were contradicted: mistakes, of the engine or of this program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<Contradiction>,
    /// The EPA, without the runs of the second pass and without its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epa: Option<Epa>,
    /// Wall-clock time in milliseconds. With it and [`SurveyReason::progress`] alone two runs of the same survey may differ, where
    /// the same classes are done in time.
    pub ms: u64,
}

/// What came of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SurveyOutcome {
    /// Its EPA is known, and the second pass is made if it was asked for.
    Done,
    /// It has an EPA in which edges are uncertain because they were not asked about in time.
    Coarse,
    /// It cannot be taken.
    Refused,
    /// Its time or its memory was over. Where there are sizes, the EPA is known, but not all findings, or the second pass is not made.
    Unfinished,
    /// This program, or the machine, failed.
    Failed,
}

/// Why a class is not done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurveyReason {
    /// In a word: `unreadable`, `not-taken`, `too-large`, `time`, `memory`, `internal`, `engine`,
    /// `lost`.
    pub kind: String,
    /// A sentence for a person.
    pub message: String,
    /// How far it went, where its time was over: what was found, and what was not answered, with its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<String>,
    /// The place in the user's files (`door.tq:3:1`).
    pub place: Option<String>,
}

/// An answer that was contradicted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// The name of the question, where it is one.
    pub question: Option<String>,
    /// What was asked, answered and shown.
    pub message: String,
}

/// How large an EPA is, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurveySizes {
    /// Actions under study.
    pub actions: usize,
    /// States.
    pub states: usize,
    /// Edges of constructors and of actions, those that end in an exception included.
    pub edges: usize,
    /// Edges that are not certain.
    pub uncertain: usize,
    /// Edges that a run confirmed, if the second pass was made.
    pub confirmed: Option<usize>,
    /// Edges that a proof took away, if the second pass was made.
    pub refuted: Option<usize>,
}

impl SurveySizes {
    /// The sizes of an EPA; `confirmed` says whether the second pass was made.
    pub fn of(epa: &Epa, confirmed: bool) -> Self {
        let constructors = epa
            .constructors
            .iter()
            .map(|edge| (edge.verdict, &edge.confirmation));
        let transitions = epa
            .transitions
            .iter()
            .map(|edge| (edge.verdict, &edge.confirmation));
        let edges: Vec<_> = constructors.chain(transitions).collect();
        let run = |&&(_, confirmation): &&(Certainty, &Option<Confirmation>)| {
            matches!(confirmation, Some(Confirmation::Confirmed { .. }))
        };
        let refuted = (epa.refuted.as_ref()).map_or(0, |refuted| {
            refuted.constructors.len() + refuted.transitions.len()
        });
        SurveySizes {
            actions: epa.actions.len(),
            states: epa.states.len(),
            edges: edges.len(),
            uncertain: edges
                .iter()
                .filter(|(verdict, _)| *verdict == Certainty::Maybe)
                .count(),
            confirmed: confirmed.then(|| edges.iter().filter(run).count()),
            refuted: confirmed.then_some(refuted),
        }
    }
}

impl SurveyedClass {
    /// What tells different classes of a survey apart: the file, and the class in it.
    pub fn key(&self) -> ClassKey {
        (self.file.clone(), self.class.clone())
    }

    /// Where its line stands among others.
    pub fn place(&self) -> LinePlace {
        LinePlace {
            file: self.file.clone(),
            line: self.line,
            class: self.class.clone(),
        }
    }
}

/// Classes that tests make up.
#[cfg(test)]
impl SurveyedClass {
    pub(crate) fn made_up(file: &str, class: &str) -> Self {
        SurveyedClass {
            file: file.into(),
            class: Some(class.into()),
            line: Some(3),
            language: Language::Tq,
            fingerprint: String::new(),
            options: "".into(),
            limits: "".into(),
        }
    }
}

/// Lines that tests make up.
#[cfg(test)]
impl SurveyLine {
    pub(crate) fn made_up(file: &str, class: &str) -> Self {
        let of = SurveyedClass::made_up(file, class);
        let reason = SurveyReason::new("time", "not done");
        SurveyLine::without(of, SurveyOutcome::Unfinished, reason, 1)
    }
}

impl SurveyLine {
    /// A line that says why there is no EPA.
    pub fn without(
        of: SurveyedClass,
        outcome: SurveyOutcome,
        reason: SurveyReason,
        ms: u64,
    ) -> Self {
        SurveyLine {
            schema: SCHEMA.into(),
            of,
            outcome,
            reason: Some(reason),
            sizes: None,
            findings: Vec::new(),
            contradictions: Vec::new(),
            epa: None,
            ms,
        }
    }

    /// Whether all of it is known, so that more time or memory would change nothing.
    pub fn is_final(&self) -> bool {
        match self.outcome {
            SurveyOutcome::Done => self.sizes.is_some_and(|sizes| sizes.uncertain == 0),
            SurveyOutcome::Refused => true,
            SurveyOutcome::Coarse | SurveyOutcome::Unfinished | SurveyOutcome::Failed => false,
        }
    }

    /// Orders lines by file, then by place and name of the class.
    pub fn sort(lines: &mut [SurveyLine]) {
        lines.sort_by_cached_key(|line| line.of.place());
    }
}

impl SurveyReason {
    /// All that is said.
    pub fn whole(&self) -> String {
        let progress = self.progress.iter().map(String::as_str);
        let parts: Vec<&str> = [self.message.as_str()]
            .into_iter()
            .chain(progress)
            .collect();
        parts.join(": ")
    }

    /// A reason that has no place.
    pub fn new(kind: &str, message: impl Into<String>) -> Self {
        SurveyReason {
            kind: kind.into(),
            message: message.into(),
            progress: None,
            place: None,
        }
    }

    /// The sentence without the names in it, so that reasons that differ in names only are one.
    pub fn in_general(&self) -> String {
        let first = self.message.lines().next().unwrap_or_default();
        let parts = first.split('`').enumerate();
        let parts = parts.map(|(number, part)| if number % 2 == 0 { part } else { "`…`" });
        parts.collect()
    }
}
