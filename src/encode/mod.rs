//! A class and a question about it, as Boogie text.
//!
//! The class becomes a program: its fields are globals (`layout`), its routines procedures (`routine`,
//! `body`). A question becomes one small entry procedure ([`question`]) whose end can be reached exactly when
//! the answer is yes. When an action is enabled is worked out beforehand as a formula over the fields
//! ([`crate::ir::guard`]). What the text looks like is in `templates/`, and what all texts share in `boogie-prelude/`.
//!
//! Nothing here runs anything.

mod body;
pub mod confirm;
pub mod coverage;
mod encoding;
mod expr;
pub mod induction;
pub mod interface;
mod layout;
mod lines;
mod names;
pub mod probe;
mod program;
pub mod question;
mod routine;
mod term;

pub use encoding::Encoding;
pub use interface::runs as interface_runs;
pub(crate) use layout::storage_type;
pub use probe::{Holds, Probe};

pub use question::{Exit, Question, Step};
pub use routine::constructor_display;
