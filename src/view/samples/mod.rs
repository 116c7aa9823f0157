//! EPAs to draw in tests.

mod invented;
mod table;
mod thesis;

pub use invented::{HOSTILE, everything, hostile, scattered};
pub use table::{constructor, table, transition};
pub use thesis::{atm, door, finite_stack, linear, list_itr, vending_machine};

use crate::epa::Epa;

/// Every sample, by name.
pub fn all() -> Vec<(&'static str, Epa)> {
    vec![
        ("linear", linear()),
        ("vending_machine", vending_machine()),
        ("finite_stack", finite_stack()),
        ("door", door()),
        ("atm", atm()),
        ("list_itr", list_itr()),
        ("everything", everything()),
        ("hostile", hostile()),
        ("dense", scattered(16, 80, 7)),
        ("large", scattered(60, 130, 11)),
        ("empty", table("Empty", "", "", "", "")),
        ("single", table("Single", "", "S1={}", "Single()->S1", "")),
    ]
}
