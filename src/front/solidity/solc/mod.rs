//! The compiler: found, given a project's sources, and heard.

mod imports;
mod locate;
mod names;
mod project;
mod run;
mod scan;
mod standard;
mod version;

pub use locate::{Compiler, Form, Missing, Surroundings, VARIABLE};
pub use project::{Layout, Project, Remapping};
pub use run::Limits;
pub use version::{Requirement, Version};

pub(super) use imports::{read, text_of};
pub(super) use run::run;
pub(super) use standard::{errors, input, missing, requirements, unread};
