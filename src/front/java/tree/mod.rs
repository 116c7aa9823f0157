//! Structured Java: what a body does, as a tree that can be read, walked and lowered.
//!
//! Three layers: expressions ([`JavaExpr`]) have values and no effects, steps ([`JavaStep`]) have one effect each, statements
//! ([`JavaStatement`]) put them in order. All meanings are Java's. Every step, and every statement that evaluates
//! something, has its [`CodePlace`]: the instruction and the line of the source.

mod expression;
mod parts;
mod statement;
mod step;

pub use expression::{BodyVariable, JavaExpr, Operands, Role, VariableId, joined, of_kind};
pub use statement::{JavaCatch, JavaStatement, JumpLabel, MethodBody, Note, may_complete};
pub use step::{CallSite, CodePlace, DynamicCall, Invocation, JavaStep, New, StepKind, StringPart};
