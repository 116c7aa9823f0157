//! Questions as data: the class they are about ([`Subject`]), what is asked of it ([`Query`], its kinds in [`kinds`]), the
//! text that an engine gets, what comes back, and how far an engine may go.
//!
//! Nothing here knows how a question is written down, who answers it, or what is concluded from the answer.

mod abstract_state;
mod automaton;
mod call;
mod frame;
mod ids;
pub mod kinds;
mod limits;
mod names;
mod program;
mod question;
mod subject;
mod verdict;
mod words;

pub use abstract_state::AbstractState;
pub use automaton::{Automaton, Edge, Walk};
pub use call::{Call, Exit, Holds, Step};
pub use frame::Frames;
pub use ids::{ActionId, Callee, ConstructorId, EdgeId, Mark, PredicateId, StateId};
pub use kinds::interface::Forbidden;
pub(crate) use limits::LEAST;
pub use limits::{Effort, Extent, Limits};
pub use names::{Names, names_in, without_types};
pub use program::{EntryProcedure, QuestionProgram};
pub use question::{
    Clause, End, EndPlace, Escape, Places, Query, Refusal, SHORT, Start, StateEnd, TargetClaim,
    Wrong,
};
pub use subject::{Action, Constructor, Predicate, Subject};
pub use verdict::{PathStep, Reason, Recorded, Trace, Unknown, Verdict};
