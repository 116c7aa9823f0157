//! The commands, as a person or a script meets them: what is read, what is printed and written, and the exit status.

mod answers;
mod borders;
mod cache;
mod check;
mod deepen;
mod diff;
mod documents;
mod engines;
mod explain;
mod files;
mod fmt;
mod goldens;
mod invariants;
mod java;
mod jvm;
mod launch;
mod lines;
mod lsp;
mod new;
mod packages;
mod query;
mod refusals;
mod reproduce;
mod slice;
mod survey;
#[path = "../support"]
mod support {
    pub mod chromium;
    pub mod epa;
    pub mod program;
    pub mod protocol;
    pub mod running;
    pub mod tape;
}
mod usage;
mod watch;
