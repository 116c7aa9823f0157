//! Building and taking apart typed expressions: what the analyses that reason about contracts have in common.

mod build;
mod choice;
mod defined;
mod look;
mod quantifier;
mod rewrite;
mod tidy;

pub use build::{
    all, and, any, bool, compare, expr, implies, int, is_bool, members, not, null, or, own_fields,
    this, var,
};
pub use choice::{choice, chosen, inner_choice};
pub use defined::{Hazard, clause, clause_under_invariant, hazards};
pub use look::{
    conjuncts, conjuncts_of, contains, fields_of, mentions, own_field, same, size, vars_of,
};
pub use quantifier::{bound_on, guard_of, is_var};
pub use rewrite::{Substitution, inline_functions, map_children, with_field};
pub use tidy::tidy;
