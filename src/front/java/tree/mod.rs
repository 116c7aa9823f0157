//! Structured Java: what a body does, as a tree that can be read, walked and lowered.
//!
//! Three layers: expressions ([`Expr`]) have values and no effects, steps ([`Step`]) have one effect each, statements
//! ([`Statement`]) put them in order. All meanings are Java's. Every step, and every statement that evaluates
//! something, has its [`Place`]: the instruction and the line of the source.

mod expression;
mod print;
mod statement;
mod step;

pub use expression::{Expr, Operands, Role, Variable, VariableId, joined, of_kind};
pub use print::{print, print_expression};
pub use statement::{Body, Catch, Label, Note, Statement, may_complete};
pub use step::{Call, CallSite, DynamicCall, New, Part, Place, Step, StepKind};
