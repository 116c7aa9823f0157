//! The kinds of question, a function each: it says what is asked, gives it a name and a sentence, and that is all that there is
//! to a kind.

mod calls;
mod conditions;
mod coverage;
pub mod interface;
mod named;
mod proofs;
mod runs;

pub use calls::{
    ANY_OTHER_TARGET, ANY_OTHER_WAY, KINDS, any_other_exit, any_other_state, any_other_target,
    any_other_way, certain_transition, certainly, consistent_state, exit, guards,
    invariant_violation, necessarily_disabled, necessarily_enabled, state, stays, transition,
};
pub use conditions::{asked_for, such_call, such_configuration};
pub use coverage::{coverage, reads_of_null};
pub use named::{Missing, QuestionArguments, QuestionKind};
pub use proofs::{
    after_calls, breaks, breaks_some, breaks_some_in, calls, is_own, lacks_some, may_change,
    still_breaks, still_ends, still_takes,
};
pub use runs::{behind_runs, run};
