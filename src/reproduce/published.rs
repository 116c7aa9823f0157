//! `published.json`: what a paper published about its classes, written by hand (`fixtures/README.md`).

use serde::{Deserialize, Serialize};

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/fixture-published/1";

/// What one paper published.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// [`SCHEMA`].
    pub schema: String,
    /// The paper, and which table of it.
    pub source: String,
    /// The machine that the paper's times are from.
    pub machine: String,
    /// The classes, in the order of the table.
    pub subjects: Vec<PublishedSubject>,
}

/// What was published about one class, and what is expected here.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSubject {
    /// The class's file beside `published.json`, without `.tq`.
    pub name: String,
    /// What the paper calls it.
    pub subject: String,
    /// The paper's figures.
    pub published: Figures,
    /// What the EPA here must have.
    pub expected: Counts,
    /// Why the two differ; none where they do not.
    pub difference: Option<String>,
    /// What else there is to know about the figures.
    pub note: Option<String>,
    /// What the paper found by looking.
    pub findings: Vec<Fault>,
}

/// The figures of a paper's table; none where the paper does not give one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Actions under study.
    pub actions: Option<u64>,
    /// States that can be reached.
    pub states: Option<u64>,
    /// Transitions, without constructors.
    pub transitions: Option<u64>,
    /// Questions asked.
    pub questions: Option<u64>,
    /// Certain answers ÷ questions.
    pub certainty: Option<f64>,
    /// The time of the run.
    pub seconds: Option<f64>,
    /// Questions of the earlier algorithm that the paper compares with.
    #[serde(default)]
    pub naive_questions: Option<u64>,
    /// The time of that algorithm.
    #[serde(default)]
    pub naive_seconds: Option<f64>,
}

/// The size of an EPA, counted as the papers count: without constructors, exceptional transitions apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Actions under study.
    pub actions: u64,
    /// States.
    pub states: u64,
    /// Transitions that end normally.
    pub transitions: u64,
    /// Transitions that end in an exception.
    pub exceptional: u64,
}

/// What a paper found by looking at an EPA, as a transition that is there or is not.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The paper's finding, in a sentence.
    pub says: String,
    /// The actions enabled before.
    pub source: Vec<String>,
    /// The action, with `!` and the exception where it ends in one.
    pub label: String,
    /// The actions enabled after.
    pub target: Vec<String>,
    /// Whether the transition is there.
    pub present: bool,
}

/// Why a text is not what was published.
#[derive(Debug, thiserror::Error)]
pub enum Flaw {
    /// It is not the JSON of this format.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is the JSON of another format.
    #[error("the schema is `{0}`, not `{SCHEMA}`")]
    Schema(String),
}

impl Published {
    /// Reads the JSON.
    ///
    /// # Errors
    /// [`Flaw`]: the text is no JSON, or not of this format.
    pub fn parse(text: &str) -> Result<Published, Flaw> {
        let published: Published = serde_json::from_str(text)?;
        if published.schema == SCHEMA {
            Ok(published)
        } else {
            Err(Flaw::Schema(published.schema))
        }
    }
}
