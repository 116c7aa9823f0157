//! The automaton of a class as a Boogie program, and questions about whole runs of it (after the 2016 Corral
//! thesis, Algorithms 8 to 10).
//!
//! A procedure a state chooses one of its actions, a procedure a state and action makes the call (parameters, the
//! real body, one numbered edge a target), and the constructors are where a run starts (`program`). Unlike in the
//! thesis, the action's `requires` and the invariant are assumed. The procedures do not call each other: a question's
//! entry calls one after the other, as many as the run has calls (`runs`). So runs of any length need no recursion,
//! the bound of an engine is left to the loops of the bodies, and runs come in order of their lengths. Which runs there
//! can be at all, the automaton tells by itself (`automaton`).

mod automaton;
mod program;
mod runs;

pub use automaton::{Automaton, Edge, Origin};
pub use runs::{EncodedRuns, Runs};
