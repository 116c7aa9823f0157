//! The parts of a class under study and of an automaton over it, by position: each kind of position is a type of its own,
//! so that a state is never taken for an action.

use std::fmt;

use crate::ir::id;

id! {
    /// An action under study: its position in [`Subject::actions`](super::Subject::actions).
    ActionId;
    /// A predicate that states are told apart by: its position in [`Subject::predicates`](super::Subject::predicates).
    PredicateId;
    /// A way to make an object: its position in [`Subject::constructors`](super::Subject::constructors).
    ConstructorId;
    /// A state of an automaton: its position in [`Automaton::states`](super::Automaton::states). Shown as `S1`, `S2`, ….
    StateId;
    /// An edge of an automaton: its position in [`Automaton::edges`](super::Automaton::edges).
    EdgeId;
}

impl fmt::Display for StateId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S{}", self.0 + 1)
    }
}

/// What tells states apart: each of them has this mark, or has it not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mark {
    /// The action can be called.
    Enabled(ActionId),
    /// The predicate holds.
    Holds(PredicateId),
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Callee {
    /// A way to make an object.
    Constructor(ConstructorId),
    /// An action.
    Action(ActionId),
}

impl Callee {
    /// Whether an object is made.
    pub fn is_constructor(self) -> bool {
        matches!(self, Callee::Constructor(_))
    }
}
