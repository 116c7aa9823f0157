//! A file with what is expected of a class: its EPA, and how it was made where that is not as usual, so that it is made so
//! the next time.

use serde::{Deserialize, Serialize};

use crate::epa::Epa;
use crate::epa::read::{self, NoEpa};

/// What was asked for when the EPA was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KeptWith {
    /// The actions that are studied; none where all are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
    /// The actions that are not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// What states are told apart by besides their actions.
    #[serde(rename = "states", skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// Whether the second pass was made, so that what it refutes is not expected.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub confirm: bool,
}

impl KeptWith {
    fn is_usual(&self) -> bool {
        *self == KeptWith::default()
    }
}

/// What is in the file.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The EPA.
    pub epa: Epa,
    /// How it was made.
    pub with: KeptWith,
}

/// What is in the file besides the EPA.
#[derive(Deserialize)]
struct Beside {
    #[serde(default)]
    kept_with: KeptWith,
}

/// The whole file, as it is written.
#[derive(Serialize)]
struct Whole<'a> {
    #[serde(flatten)]
    epa: &'a Epa,
    #[serde(skip_serializing_if = "KeptWith::is_usual")]
    kept_with: &'a KeptWith,
}

impl Kept {
    /// Reads a file.
    ///
    /// # Errors
    /// It holds no EPA, or one that was made in a way that is not known.
    pub fn read(text: &str) -> Result<Kept, NoEpa> {
        let epa = read::from_json(text)?;
        let Beside { kept_with: with } = serde_json::from_str(text)?;
        Ok(Kept { epa, with })
    }

    /// The text of the file.
    ///
    /// # Errors
    /// A name has no text.
    pub fn text(self) -> Result<String, serde_json::Error> {
        let whole = Whole {
            epa: &self.epa.kept(),
            kept_with: &self.with,
        };
        let mut text = serde_json::to_string_pretty(&whole)?;
        text.push('\n');
        Ok(text)
    }
}
