//! Tests from the runs that the second pass confirmed.
//!
//! Every run is run again with nothing but its arguments (`concrete`), so that what a class leaves open is known of
//! every call. Few and short ones are chosen that cover what is asked for (`choose`), and written as text, as JSON,
//! or as code in another language (`text`, `code`). For pairs of transitions more runs are needed than the second
//! pass has; they are found by running the class (`explore`). What one test does alone is done on the way of another
//! where it can be (`join`).

mod choose;
mod code;
mod concrete;
mod explore;
mod items;
mod join;
mod model;
mod objects;
mod text;

pub use choose::suite;
pub use code::{CodeError, TestLanguage};
pub(crate) use code::{java_word, rust_name, rust_word};
pub use model::{Argument, Coverage, SCHEMA, Suite, Test, TestCall, Uncovered};
pub use objects::{ObjectCall, ObjectState, Objects, objects};
pub use text::text;

/// What is wanted of a suite.
#[derive(Clone, Copy, Debug, Default)]
pub struct SuiteOptions {
    /// What is to be covered.
    pub cover: Coverage,
    /// The language that the tests are to be written in, if any: calls whose values it cannot write are left out.
    pub language: Option<TestLanguage>,
}
