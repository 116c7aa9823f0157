//! A concrete interpreter of typed programs, and an explicit-state oracle on top of it.
//!
//! [`Interpreter`] runs a routine on a [`Configuration`]; whatever the program leaves open is asked of [`Choices`].
//! [`oracle`] finds the abstraction of a class over a finite domain by running everything.
//!
//! What the language definition leaves to its readers, and what is done here:
//! - An assignment evaluates the operands of its places (the object; the array and the index), then the
//!   right-hand side (a call is made, an object created), then checks the places, then writes, left to right.
//! - A call evaluates the receiver, raises `NullDereference` if it is null, evaluates the arguments, and raises
//!   `RequiresViolation` if a `requires` clause or a parameter type's invariant fact (`nat`, not null) is false.
//! - A new object's fields without an initial value are arbitrary, then the fields with one get it, then the
//!   constructor's body runs. Without a constructor it satisfies the `initially` clauses and the invariant.
//! - A routine without a body may change, of the fields in its frame, those of its own class on `this` only,
//!   those of other classes on every object; never a `const`. If it ends normally its `ensures` hold; if it
//!   ends in an exception of its `throws`, its frame is arbitrary.
//! - The invariant of a configuration is that of the object under analysis and of every object of another class;
//!   of the other objects of its own class, and of the elements of arrays, only what their types promise.
//! - The result of a routine has an arbitrary value until it is assigned; a type's invariant fact is not
//!   checked on it.

mod choices;
mod eval;
mod exec;
mod log;
mod machine;
mod objects;
mod odometer;
pub mod oracle;
mod places;
mod quantifier;
mod regions;
mod residues;
mod state;
#[cfg(test)]
mod tests;
mod value;

pub use choices::{ChoiceRequest, Choices, Decision, NoDecision, Purpose, Replay};
pub use eval::{EvalError, EvalScope, Fuel, Locals};
pub use exec::{CALL_DEPTH_LIMIT, Execution, Interpreter, Moment, Outcome};
pub use log::{Event, LogEntry};
pub use odometer::Odometer;
pub use state::{Configuration, HeapObject, satisfies};
pub use value::{Keys, Map, ObjectId, Value, wrap};
