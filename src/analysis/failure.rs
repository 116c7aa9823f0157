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
pub enum AnalysisError {
    /// An engine cannot be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is no engine of that name.
    #[error(transparent)]
    NoSuchEngine(#[from] NoSuchEngine),
    /// There is no class to study.
    #[error(transparent)]
    Load(#[from] load::LoadError),
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
    /// It was not done in the time that it was given.
    #[error("{0}")]
    OutOfTime(String),
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
    /// Somebody who calls a class.
    #[error("`{0}` is no contract in Solidity: it does not say who calls it")]
    Sender(String),
    /// Any procedure of a client.
    #[error("{0} has no procedure")]
    Procedure(String),
    /// A routine of a client.
    #[error("the client has no routine `{0}`")]
    Routine(String),
}

impl AnalysisError {
    fn given_up(why: &impl ToString) -> AnalysisError {
        AnalysisError::GivenUp(why.to_string())
    }
}

impl From<epa::ConstructError> for AnalysisError {
    fn from(failure: epa::ConstructError) -> Self {
        match failure {
            epa::ConstructError::Engine(error) => AnalysisError::Engine(error),
            epa::ConstructError::Split(wrong) => AnalysisError::Split(wrong),
            epa::ConstructError::Stopped(late @ epa::Stopped::TimeOver) => {
                AnalysisError::OutOfTime(late.to_string())
            }
            other => AnalysisError::given_up(&other),
        }
    }
}

impl From<ask::AskError> for AnalysisError {
    fn from(failure: ask::AskError) -> Self {
        match failure {
            ask::AskError::Engine(error) => AnalysisError::Engine(error),
            other => AnalysisError::given_up(&other),
        }
    }
}

impl From<synthesis::SynthesisError> for AnalysisError {
    fn from(failure: synthesis::SynthesisError) -> Self {
        match failure {
            synthesis::SynthesisError::Engine(error) => AnalysisError::Engine(error),
            other => AnalysisError::given_up(&other),
        }
    }
}

impl From<TooLarge> for AnalysisError {
    fn from(too_large: TooLarge) -> Self {
        AnalysisError::given_up(&too_large)
    }
}

impl From<askama::Error> for AnalysisError {
    fn from(error: askama::Error) -> Self {
        AnalysisError::GivenUp(format!("the class cannot be encoded: {error}"))
    }
}

impl From<Diagnostics> for AnalysisError {
    fn from(wrong: Diagnostics) -> Self {
        AnalysisError::Load(load::LoadError::Text(wrong))
    }
}
