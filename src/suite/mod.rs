//! Tests from the runs that the second pass confirmed.
//!
//! Every run is run again with nothing but its arguments (`concrete`), so that what a class leaves open is known of
//! every call. Few and short ones are chosen that cover what is asked for (`choose`), and written as text, as JSON,
//! or as code in another language (`text`, `code`, `java`,
//! `contract`). For pairs of transitions more runs are needed than the second
//! pass has; they are found by running the class (`explore`). What one test does alone is done on the way of another
//! where it can be (`join`). Of contracts it is tested, too, that each condition of a call is asked for (`refuse`).

mod choose;
mod code;
mod concrete;
mod contract;
mod explore;
mod items;
mod java;
mod join;
mod making;
mod model;
mod objects;
mod refuse;
mod text;
mod told;

pub use choose::suite;
pub use code::{CodeError, TestLanguage};
pub(crate) use code::{java_word, rust_name, rust_word};
pub use contract::ContractTests;
pub use model::{Argument, Coverage, RefusedCall, SCHEMA, Suite, Test, TestCall, Uncovered};
pub use objects::{ObjectCall, ObjectState, Objects, objects};
pub use text::text;

use crate::interp::Value;
use crate::ir::{Field, JavaCalls, Messages, RoutineRef};
use crate::query::Subject;

/// What is wanted of a suite.
#[derive(Clone, Copy, Debug, Default)]
pub struct SuiteOptions<'m> {
    /// What is to be covered.
    pub cover: Coverage,
    /// What the tests are to be written in, if it is code: calls that it cannot write are left out.
    pub written: Option<WrittenIn<'m>>,
    /// The messages that the class takes, where it is made of a contract: what its calls need to know, and which of them it
    /// refuses, is known then.
    pub messages: Option<&'m Messages>,
}

impl SuiteOptions<'_> {
    /// Whether a test can say what the class takes as answered by others, of calls of a routine.
    fn can_answer(&self, subject: &Subject, routine: RoutineRef) -> bool {
        self.messages().is_some_and(|messages| {
            contract::can_answer(messages, subject.program.routine(routine))
        })
    }

    /// The messages that the class takes, where tests can send them.
    fn messages(&self) -> Option<&Messages> {
        let is_language = matches!(self.written, Some(WrittenIn::Language(_)));
        self.messages.filter(|_| !is_language)
    }
}

/// What tests are written in.
#[derive(Clone, Copy, Debug)]
pub enum WrittenIn<'m> {
    /// A language that has classes with methods.
    Language(TestLanguage),
    /// Tests of the class in Java that takes these calls.
    Java(&'m JavaCalls),
    /// Tests of a contract that takes these messages.
    Contract(ContractTests, &'m Messages),
}

impl WrittenIn<'_> {
    /// The suite as code. `path` names what is under test; without it, that is named like the class.
    ///
    /// # Errors
    /// The name is none, or a value of the suite cannot be written: it was made for something else.
    pub fn render(
        self,
        subject: &Subject,
        suite: &Suite,
        path: Option<&str>,
    ) -> Result<String, CodeError> {
        match self {
            WrittenIn::Language(language) => language.render(subject, suite, path),
            WrittenIn::Java(calls) => java::render(calls, subject, suite, path),
            WrittenIn::Contract(tests, messages) => tests.render(messages, subject, suite, path),
        }
    }

    /// Whether a test can come to where the fields hold these.
    fn may_show<'f>(self, held: impl Iterator<Item = (&'f Field, &'f Value)>) -> bool {
        match self {
            WrittenIn::Language(_) | WrittenIn::Java(_) => true,
            WrittenIn::Contract(tests, messages) => tests.may_show(messages, held),
        }
    }

    /// Whether what is refused after calls can be written, where they are the first of a test, or all of it.
    fn may_refuse(
        self,
        subject: &Subject,
        calls: (&[TestCall], bool),
        refused: &RefusedCall,
    ) -> bool {
        match self {
            WrittenIn::Language(_) | WrittenIn::Java(_) => false,
            WrittenIn::Contract(tests, messages) => {
                tests.may_refuse(messages, &subject.program, calls, refused)
            }
        }
    }

    /// Why the calls of a test cannot be written, if they cannot.
    fn objection(self, subject: &Subject, calls: &[TestCall]) -> Option<String> {
        match self {
            WrittenIn::Language(language) => language.objection(subject, calls),
            WrittenIn::Java(java) => java::objection(java, subject, calls),
            WrittenIn::Contract(tests, messages) => {
                tests.objection(messages, &subject.program, calls)
            }
        }
    }
}
