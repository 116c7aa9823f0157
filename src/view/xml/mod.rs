//! The EPA as the XML that the tools of the LaFHIS group share (Contractor.NET, contractorj, the EPA benchmark).
//!
//! ```xml
//! <abstraction initial_state="I" input_format="code-with-pre" name="Linear">
//!   <label name="a0"/> …
//!   <state name="S1">
//!     <enabled_label name="a0"/> …
//!     <transition destination="S2" label="a0" uncertain="false" violates_invariant="false"/> …
//!   </state> …
//! </abstraction>
//! ```
//!
//! - Constructors are labels too, and leave the initial state, which nothing enters.
//! - `exitCode` names the exception an action ends in (`Ok`, or no such attribute: none); `returnType` the outcome.
//! - A constructor's edge back to the initial state made no object.
//! - An edge to the state `ERROR`, which enables nothing, says that the action can break the invariant; where it is
//!   the action's only edge, that it always does.
//!
//! Reasons, what the second pass found, notes and statistics have no place in it.

mod read;
#[cfg(test)]
mod tests;
mod write;

pub use read::{XmlError, read};
pub(super) use write::render;

const ROOT: &str = "abstraction";
const LABEL: &str = "label";
const STATE: &str = "state";
const ENABLED: &str = "enabled_label";
const TRANSITION: &str = "transition";

/// The `exitCode` of an action that ends normally.
const NORMAL: &str = "Ok";
/// The state in which edges end that break the invariant.
const ERROR: &str = "ERROR";
