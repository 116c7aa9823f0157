//! The compiler: found, given a project's sources, and heard.

mod imports;
mod locate;
mod names;
mod project;
mod run;
mod scan;
mod standard;
mod version;

pub use locate::{Compiler, CompilerPlaces, Form, Missing, VARIABLE};
pub use project::{Project, ProjectLayout, Remapping};
pub use run::CompilerLimits;
pub use version::{Requirement, Version};

pub(super) use imports::{read, text_of};
pub(super) use run::run;
pub(super) use standard::{errors, input, missing, requirements, unread};
