//! Why there is no result.

use crate::ask;
use crate::engine::{EngineError, NoSuchEngine};
use crate::epa::explain::EdgeError;
use crate::epa::{self, WrongSplit};
use crate::interface::game::TooLarge;
use crate::interface::synthesis;
use crate::ir::Diagnostics;
use crate::load;
use crate::typestate::verify::monitor::ProtocolError;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An engine cannot be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is no engine of that name.
    #[error(transparent)]
    NoSuchEngine(#[from] NoSuchEngine),
    /// There is no class to study.
    #[error(transparent)]
    Load(#[from] load::Failure),
    /// What is named is not there.
    #[error(transparent)]
    NotThere(#[from] NotThere),
    /// There is no such edge.
    #[error(transparent)]
    Edge(#[from] EdgeError),
    /// An automaton cannot be used: its file, and why.
    #[error("{0}: {1}")]
    Protocol(String, ProtocolError),
    /// What the class says of when an action can be called does not hold, or is not known to.
    #[error(transparent)]
    Split(#[from] WrongSplit),
    /// It was given up: there is too much to look at, or the machine gives too little.
    #[error("{0}")]
    GivenUp(String),
}

/// What is named is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotThere {
    /// An exception.
    #[error("there is no exception `{name}` in {file} (there are: {}; and `requires`)", there.join(", "))]
    Exception {
        /// Its name.
        name: String,
        /// Where it is missing.
        file: String,
        /// The exceptions that are there.
        there: Vec<String>,
    },
    /// Any procedure of a client.
    #[error("{0} has no procedure")]
    Procedure(String),
    /// A routine of a client.
    #[error("the client has no routine `{0}`")]
    Routine(String),
}

impl Failure {
    fn given_up(why: &impl ToString) -> Failure {
        Failure::GivenUp(why.to_string())
    }
}

impl From<epa::Failure> for Failure {
    fn from(failure: epa::Failure) -> Self {
        match failure {
            epa::Failure::Engine(error) => Failure::Engine(error),
            epa::Failure::Split(wrong) => Failure::Split(wrong),
            other => Failure::given_up(&other),
        }
    }
}

impl From<ask::Failure> for Failure {
    fn from(failure: ask::Failure) -> Self {
        match failure {
            ask::Failure::Engine(error) => Failure::Engine(error),
            other => Failure::given_up(&other),
        }
    }
}

impl From<synthesis::Failure> for Failure {
    fn from(failure: synthesis::Failure) -> Self {
        match failure {
            synthesis::Failure::Engine(error) => Failure::Engine(error),
            other => Failure::given_up(&other),
        }
    }
}

impl From<TooLarge> for Failure {
    fn from(too_large: TooLarge) -> Self {
        Failure::given_up(&too_large)
    }
}

impl From<askama::Error> for Failure {
    fn from(error: askama::Error) -> Self {
        Failure::GivenUp(format!("the class cannot be encoded: {error}"))
    }
}

impl From<Diagnostics> for Failure {
    fn from(wrong: Diagnostics) -> Self {
        Failure::Load(load::Failure::Text(wrong))
    }
}
