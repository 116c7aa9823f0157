//! Questions as data: programs and entries, what comes back, how far an engine may go.

mod action_set;
mod limits;
mod program;
mod verdict;

pub use action_set::ActionSet;
pub use limits::Limits;
pub use program::{Entry, Program};
pub use verdict::{PathStep, Reason, Recorded, Trace, Unknown, Verdict};
