//! What has become of the protocols that were expected, as data: what `tranquera check --format json` prints.

use serde::Serialize;

use crate::epa::diff::{EpaDiff, OrderChange};
use crate::epa::wire::EpaFinding;
use crate::load::Places;

/// The name and version of the JSON format.
const SCHEMA: &str = "tranquera/check/1";

/// All classes that were looked at, by the files that are expected of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckReport {
    /// The name and version of the format.
    schema: &'static str,
    /// The classes.
    pub checks: Vec<Checked>,
}

/// What has become of one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checked {
    /// The file with the EPA that is expected.
    pub expected: String,
    /// The source; none where there is none.
    pub source: Option<String>,
    /// The class; none where it is not known.
    pub class: Option<String>,
    /// What was found out.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What was found out about one.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Outcome {
    /// It is as expected.
    Same(CheckedClass),
    /// It is not.
    Changed {
        /// What is different in the order of calls.
        order: Vec<OrderChange>,
        /// What is different.
        diff: Box<EpaDiff>,
        /// The class.
        #[serde(flatten)]
        class: CheckedClass,
    },
    /// The file was written.
    Written {
        /// What became of it.
        file: Updated,
        /// The class.
        #[serde(flatten)]
        class: CheckedClass,
    },
    /// It could not be checked.
    NotChecked {
        /// Why, and the way out.
        message: String,
    },
}

/// What became of a file that was to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Updated {
    /// It is new.
    New,
    /// It says something else now.
    Replaced,
    /// It was right already.
    Kept,
}

/// What is known of a class whose EPA was computed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CheckedClass {
    /// What is worth a look.
    pub findings: Vec<EpaFinding>,
    /// Where it stands.
    #[serde(skip)]
    pub places: Places,
}

impl CheckReport {
    /// A report of these.
    pub fn of(checks: Vec<Checked>) -> CheckReport {
        CheckReport {
            schema: SCHEMA,
            checks,
        }
    }

    /// How many are not as expected.
    pub fn changed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Changed { .. }))
    }

    /// How many files were to be written, and say what their classes do.
    pub fn written(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Written { .. }))
    }

    /// How many could not be checked.
    pub fn not_checked(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::NotChecked { .. }))
    }

    fn count(&self, wanted: fn(&Outcome) -> bool) -> usize {
        let outcomes = self.checks.iter().map(|check| &check.outcome);
        outcomes.filter(|outcome| wanted(outcome)).count()
    }
}

impl Checked {
    /// What it is called: the class with its source, as far as they are known.
    pub fn name(&self) -> String {
        match (&self.source, &self.class) {
            (Some(source), Some(class)) => format!("{source}: {class}"),
            (Some(source), None) => source.clone(),
            (None, _) => self.expected.clone(),
        }
    }

    /// The class, where its EPA was computed.
    pub fn computed(&self) -> Option<&CheckedClass> {
        match &self.outcome {
            Outcome::Same(class)
            | Outcome::Changed { class, .. }
            | Outcome::Written { class, .. } => Some(class),
            Outcome::NotChecked { .. } => None,
        }
    }
}
