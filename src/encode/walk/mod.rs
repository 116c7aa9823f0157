//! The automaton of a class as a Boogie program, and questions about whole walks along it (after the 2016 Corral
//! thesis, Algorithms 8 to 10).
//!
//! A procedure a state chooses one of its actions, a procedure a state and action makes the call (parameters, the
//! real body, one numbered edge a target), and the constructors are where a run starts (`program`). Unlike in the
//! thesis, the action's `requires` and the invariant are assumed. The procedures do not call each other: a question's
//! entry calls one after the other, as many as the run has calls (`walks`). So runs of any length need no recursion,
//! the bound of an engine is left to the loops of the bodies, and runs come in order of their lengths.

mod program;
mod walks;

pub(super) use walks::text;
