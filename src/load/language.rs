//! The languages that are read, and how a file shows which it is in.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::front::java::input::{EXTENSIONS, is_java};
use crate::front::solidity::is_solidity;

/// A language that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// The input language, as text or as its tree in JSON.
    Tq,
    /// Solidity, or what a compiler has written of it.
    Solidity,
    /// Java: class files, jars, folders of them, a JDK, sources.
    Java,
}

impl Language {
    /// The language of a file, by what it is and is called; in doubt the input language, whose reader says what is wrong.
    pub fn of(path: &Path) -> Language {
        match path {
            path if is_java(path) => Language::Java,
            path if is_solidity(path) => Language::Solidity,
            _ => Language::Tq,
        }
    }

    /// Whether files with this extension are read, or may be: JSON is looked into.
    pub fn reads(extension: &str) -> bool {
        matches!(extension, "tq" | "sol" | "json") || EXTENSIONS.contains(&extension)
    }
}
