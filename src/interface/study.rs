//! A class under study, with what is looked at, and the desk where its questions are put.

use crate::ask::{Answer, Desk};
use crate::query::Query;
use crate::query::kinds::interface::Abstracted;

/// What an interface is made of by asking.
pub struct Study<'a> {
    /// The class, what must never happen to it, and what is looked at.
    pub abstracted: &'a Abstracted,
    /// Where its questions are put.
    pub desk: Desk<'a>,
}

impl Study<'_> {
    /// Puts a question.
    pub fn ask(&self, query: &Query) -> Answer {
        self.desk.ask(query)
    }
}
