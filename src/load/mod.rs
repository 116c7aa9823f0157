//! From what a user names to a class under study: the front end that reads it is chosen, and where its language has no
//! contracts, what each action requires is found in the bodies.
//!
//! | file | what it holds |
//! |---|---|
//! | `language` | the list of languages, and how a file shows which it is in |
//! | `list` | the classes of a file that have a state |
//! | `choice` | which class of a program, and which of its actions |
//! | `solidity`, `java` | from their front ends to a class |
//! | `states` | what states are told apart by besides their actions |
//! | `guards` | what actions require, from their bodies |
//! | `scope` | how much of that decides when they are enabled |
//! | `contracts` | contracts that are put into a class |
//! | `places` | where they stand in the user's own files |
//! | `complaints` | what is wrong, one thing after the other, with places |
//! | `slices` | the slice of a class, as a class of its own |

mod choice;
mod complaints;
mod contracts;
mod guards;
mod java;
mod language;
mod list;
mod places;
mod scope;
mod slices;
mod solidity;
mod states;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

pub use complaints::LoadComplaint;
pub use contracts::{Contracts, WrittenContracts};
pub use guards::{GuardReading, Unsure};
pub use language::Language;
pub use list::{ClassList, ListedClass, ListedJava, list};
pub use places::{Places, UserPlace};
pub use scope::GuardScope;

pub use crate::front::solidity::{LowerOptions, Others, Time, Track};

use crate::engine::{EngineError, Interrupt};
use crate::front::solidity::Complaints;
use crate::front::solidity::solc::{ProjectLayout, Version};
use crate::front::tq;
use crate::ir::{ClassId, Diagnostics, JavaCalls, Messages, RoutineRef};
use crate::query::{Predicate, Subject};

/// What is to be read, and how.
#[derive(Clone, Debug, Default)]
pub struct LoadRequest {
    /// The file; for Java also a folder, or a JDK.
    pub path: PathBuf,
    /// The class or contract; otherwise the last one of the file.
    pub class: Option<String>,
    /// Only these of its actions, if any are named.
    pub actions: Vec<String>,
    /// Not these of its actions.
    pub without: Vec<String>,
    /// What states are told apart by besides their actions: predicates, and fields of an enum.
    pub marks: Vec<String>,
    /// What the Solidity compiler is told, and how contracts are taken.
    pub solidity: Solidity,
    /// Where Java classes are.
    pub java: Java,
    /// The Z3 executable with which guards are found; otherwise `TRANQUERA_Z3`, then the path.
    pub z3: Option<PathBuf>,
    /// Of how many actions guards are found at once; otherwise of one a core.
    pub jobs: Option<usize>,
    /// From when on it is not looked at any more what bodies refuse: what is not known by then is left open.
    pub until: Option<Instant>,
    /// What ends it.
    pub interrupt: Interrupt,
}

/// What the Solidity compiler is told, and how contracts are taken.
#[derive(Clone, Debug, Default)]
pub struct Solidity {
    /// Where the compiler is.
    pub solc: Option<PathBuf>,
    /// The compiler's version, for trees that do not say it.
    pub version: Option<Version>,
    /// Where sources are.
    pub layout: ProjectLayout,
    /// What decides when a function is enabled.
    pub guards: GuardScope,
    /// How the contract is taken.
    pub lower: LowerOptions,
}

/// Where Java classes are.
#[derive(Clone, Debug, Default)]
pub struct Java {
    /// The classes that those under study refer to: jars and folders.
    pub class_path: Vec<PathBuf>,
    /// The JDK; otherwise `JAVA_HOME`, then that of `javac` or `java`.
    pub jdk: Option<PathBuf>,
    /// Whether all of a class is kept, not only what its protocol depends on.
    pub whole: bool,
}

/// A class under study, with the text in which its places are.
#[derive(Clone, Debug)]
pub struct Input {
    /// The text, as it was written or made, and the program that it is.
    pub loaded: tq::Loaded,
    /// The class.
    pub class: ClassId,
    /// The actions under study, in the order declared.
    pub actions: Vec<RoutineRef>,
    /// The predicates that states are told apart by besides these.
    pub predicates: Vec<Predicate>,
    /// How these were named.
    marks: Vec<String>,
    /// What is to be said of how it was read, in sentences.
    pub notes: Vec<String>,
    /// What is to be said of actions of which it was not found everywhere when they can be called.
    pub unsure: Unsure,
    /// Where it stands in the user's own files, as far as that is known.
    pub places: Places,
    /// The messages that its routines stand for, where it was made of a contract.
    pub messages: Option<Arc<Messages>>,
    /// The calls that its routines stand for, where it was made of a class of Java.
    pub java_calls: Option<Arc<JavaCalls>>,
    /// Whether its language keeps all of its invariants: they say what values of types are, and nobody need ask.
    pub is_kept: bool,
}

impl Input {
    /// All that is to be said of how it was read.
    pub fn told(&self) -> impl Iterator<Item = &String> {
        self.notes.iter().chain(self.unsure.values())
    }

    /// The last class of a program, with all its actions.
    ///
    /// # Errors
    /// There is no class.
    pub fn last(loaded: tq::Loaded) -> Result<Self, LoadError> {
        let request = LoadRequest {
            path: PathBuf::from(&loaded.source.name),
            ..LoadRequest::default()
        };
        choice::chosen(loaded, &request, Vec::new())
    }

    /// A class of a program, with all its actions.
    ///
    /// # Errors
    /// There is no such class.
    pub fn of_class(loaded: tq::Loaded, class: &str) -> Result<Self, LoadError> {
        let request = LoadRequest {
            path: PathBuf::from(&loaded.source.name),
            class: Some(class.to_owned()),
            ..LoadRequest::default()
        };
        choice::chosen(loaded, &request, Vec::new())
    }

    /// The class with the actions under study.
    pub fn subject(&self) -> Subject {
        let program = Arc::clone(&self.loaded.program);
        let subject = Subject::new(program, self.class, &self.actions);
        subject.told_apart_by(self.predicates.clone())
    }
}

/// Why there is no class to study.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// What is wrong with a text of the input language.
    #[error("{0}")]
    Text(Diagnostics),
    /// What is wrong with a contract.
    #[error("{0}")]
    Contract(Complaints),
    /// What is wrong with the request.
    #[error("{message}{}", help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default())]
    Request {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
    /// Guards cannot be found, for there is no solver.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// It was ended before it was done.
    #[error("interrupted")]
    Interrupted,
}

impl LoadError {
    /// As a person reads it, with ANSI colours or without.
    pub fn render(&self, coloured: bool) -> String {
        match self {
            LoadError::Text(diagnostics) => diagnostics.render(coloured),
            LoadError::Contract(complaints) => complaints.render(coloured).trim_end().to_owned(),
            other => format!("error: {other}"),
        }
    }

    /// The first thing that is wrong, and its place, in a line each.
    pub fn first(&self) -> (String, Option<String>) {
        match self {
            LoadError::Text(wrong) => wrong.first(),
            LoadError::Contract(wrong) => wrong.first(),
            other => (other.to_string(), None),
        }
    }

    fn request(message: impl Into<String>) -> LoadError {
        LoadError::Request {
            message: message.into(),
            help: None,
        }
    }
}

/// Reads a file, and finds the class and the actions in it.
///
/// # Errors
/// All that is wrong with it; or guards cannot be found, for there is no solver.
pub fn load(request: &LoadRequest) -> Result<Input, LoadError> {
    let input = match Language::of(&request.path) {
        Language::Tq => {
            let loaded = tq::load(&request.path).map_err(LoadError::Text)?;
            choice::chosen(loaded, request, Vec::new())
        }
        Language::Solidity => solidity::load(request),
        Language::Java => java::load(request),
    };
    input?.told_apart_by(&request.marks)
}

/// The text that a front end made, as a program. What is wrong with it is our mistake, not the user's.
fn made(path: &Path, name: &str, text: &str) -> Result<tq::Loaded, LoadError> {
    tq::parse_text(name, text).map_err(|wrong| {
        let path = path.display();
        let message = "this is a mistake of Tranquera: what it made of";
        LoadError::request(format!("{message} {path} is no class\n{wrong}"))
    })
}
