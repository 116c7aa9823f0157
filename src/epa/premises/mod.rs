//! The premises of an EPA, checked: what the construction takes for granted, and what a reader therefore should
//! know of.
//!
//! The invariant is assumed before and after every call. Here it is asked whether it can hold at all (`start`),
//! and which call breaks which clause of it (`invariant`). What a class says of one of its states is assumed as
//! well; here it is tried to be proved (`assumptions`). What a class says of when an action can be called is
//! checked before all else (`splits`).

mod assumptions;
mod invariant;
mod splits;
mod start;

pub use splits::{WrongSplit, check_splits};

use std::collections::BTreeMap;

use crate::encode::{Encoding, Exit};
use crate::ir::Expr;
use crate::ir::expr_text;
use crate::query::ActionSet;

use super::ask::Asker;
use super::construct::Options;
use super::explore::Explored;
use super::model::Finding;

/// What was found out about the premises.
#[derive(Clone, Debug, Default)]
pub struct Premises {
    /// What does not hold, or is not known to.
    pub findings: Vec<Finding>,
    /// What was proved.
    pub notes: Vec<String>,
}

/// Checks the premises of what was explored.
pub fn check(
    encoding: &Encoding<'_>,
    asker: &Asker<'_>,
    options: &Options,
    explored: &Explored,
) -> Premises {
    let premises = Checker {
        encoding,
        asker,
        options,
        ids: explored.ids(),
    };
    let mut found = Premises::default();
    if premises.ids.is_empty() {
        found.findings.extend(premises.why_no_object(explored));
    }
    if options.violations {
        found.findings.extend(premises.broken_clauses(explored));
        premises.assumptions(&mut found);
    }
    found
}

struct Checker<'a> {
    encoding: &'a Encoding<'a>,
    asker: &'a Asker<'a>,
    options: &'a Options,
    /// The states that were reached, with their ids.
    ids: BTreeMap<ActionSet, String>,
}

impl Checker<'_> {
    fn text(&self, e: &Expr) -> String {
        expr_text(self.encoding.source(), self.encoding.class(), e)
    }

    /// The state as a reader knows it: its id, or its actions where it has none.
    fn state_words(&self, state: &ActionSet) -> String {
        match self.ids.get(state) {
            Some(id) => id.clone(),
            None => {
                let names = state.iter().map(|a| self.encoding.actions[a].name.as_str());
                format!("{{{}}}", names.collect::<Vec<&str>>().join(", "))
            }
        }
    }

    /// ` in Jammed`, where the call ends in an exception.
    fn ending(&self, exit: &Exit) -> String {
        match exit {
            Exit::Exception(e) => format!(" in {}", self.encoding.source().exception(*e)),
            _ => String::new(),
        }
    }
}
