//! What a search finds.

use std::time::Duration;

use crate::boogie::ast::Pos;
use crate::boogie::typed::BoogieType;
use crate::internal::Internal;
use crate::reach::error::{ReachError, Unsupported};
use crate::reach::graph::FailedCheck;
use crate::reach::smt::{Sexp, SolverFailure};

/// What the search finds.
#[derive(Clone, Debug)]
pub enum SearchAnswer {
    /// There is an execution.
    Reached(SearchExecution),
    /// There is one if the axioms can hold everywhere. They hold wherever this execution looks at them.
    Presumed(SearchExecution),
    /// There is none.
    Unreachable,
    /// There is none within the bound, and the proof of that needs the bound.
    BoundHit(u32),
    /// The solver did not answer, or not definitely.
    Unknown(SolverFailure),
    /// The program has what the engine cannot do.
    Unsupported(Unsupported),
    /// There is a mistake in the engine.
    Broken(Internal),
}

impl SearchAnswer {
    /// Does it say something of the program, so that no other search for the same need go on? (What one search cannot do may be
    /// what another does not come across.)
    pub fn says_something(&self) -> bool {
        !matches!(
            self,
            SearchAnswer::Unknown(_) | SearchAnswer::Unsupported(_)
        )
    }

    /// How much it says, beside what another search for the same does: the more, the heavier. What is presumed may be refuted within the
    /// bound; and of two that do not know, the one counts that may know with more time.
    pub fn weight(&self) -> u8 {
        match self {
            SearchAnswer::Reached(_) | SearchAnswer::Unreachable => 8,
            SearchAnswer::BoundHit(_) => 7,
            SearchAnswer::Presumed(_) => 6,
            SearchAnswer::Broken(_) => 5,
            SearchAnswer::Unsupported(_) => 4,
            SearchAnswer::Unknown(SolverFailure::Interrupted) => 3,
            SearchAnswer::Unknown(SolverFailure::Timeout) => 2,
            SearchAnswer::Unknown(SolverFailure::Incomplete(_)) => 1,
            SearchAnswer::Unknown(
                SolverFailure::Memory | SolverFailure::Died(_) | SolverFailure::NotUnderstood(_),
            ) => 0,
        }
    }

    /// Is it none because the solver had no time, or did not know?
    pub fn gave_up(&self) -> bool {
        matches!(
            self,
            SearchAnswer::Unknown(SolverFailure::Timeout | SolverFailure::Incomplete(_))
        )
    }
}

impl From<ReachError> for SearchAnswer {
    fn from(error: ReachError) -> Self {
        match error {
            ReachError::Unsupported(what) => SearchAnswer::Unsupported(what),
            ReachError::Internal(bug) => SearchAnswer::Broken(bug),
        }
    }
}

/// An execution, the counterexample to the claim that there is none.
#[derive(Clone, Debug, Default)]
pub struct SearchExecution {
    /// What happens, in order.
    pub steps: Vec<ExecutionStep>,
    /// Why it fails; none if it ends normally.
    pub failure: Option<FailedCheck>,
    /// What executing the program on the values of the model said.
    pub replay: Replay,
}

/// What executing the program said of an execution that was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replay {
    /// Nothing: it was not executed, or the values are not those of a model.
    #[default]
    None,
    /// It was not executed to its end: it is too long, or there is something in it that cannot be executed.
    GivenUp,
    /// It was executed to its end.
    Done {
        /// So many conditions were assumed, and none of them is known not to hold.
        assumed: usize,
        /// Of so many of these it is not known whether they hold.
        unknown: usize,
    },
}

/// A step of an execution.
#[derive(Clone, Debug)]
pub struct ExecutionStep {
    /// Where it is in the text.
    pub pos: Pos,
    /// How deep in the calls.
    pub depth: u32,
    /// What happens.
    pub event: Happening,
}

/// What happens in a step.
#[derive(Clone, Debug)]
pub enum Happening {
    /// A block begins.
    Block(String),
    /// A command is executed.
    Command,
    /// A procedure is called.
    Call(String),
    /// It returns.
    Return(String),
    /// It does not return: something in it failed.
    Unwind(String),
    /// A value is recorded.
    Record(Option<String>, Sexp, BoogieType),
}

/// Figures about searches.
#[derive(Clone, Debug, Default)]
pub struct SearchStats {
    /// How many procedures were inlined, the entry among them.
    pub inlined: usize,
    /// How many questions the solver was asked.
    pub checks: usize,
    /// Of these, over-approximations: open calls were free.
    pub over: Effort,
    /// Under-approximations: open calls were blocked.
    pub under: Effort,
    /// Looks at an execution that was found.
    pub confirming: Effort,
    /// How much processor time the solver used, as far as that was limited.
    pub worked: Duration,
    /// How much text the solver was given in the last search, in bytes.
    pub bytes: usize,
    /// Whether something in it is said of all values of a kind, or of some.
    pub quantified: bool,
    /// Whether there are maps in it that have any value.
    pub maps: bool,
    /// What the solver says about itself after the last search, where somebody wants to know.
    pub solver: Vec<(String, String)>,
}

/// What questions of a kind cost.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// How many there were.
    pub checks: usize,
    /// Until they were answered.
    pub time: Duration,
}

impl Effort {
    fn and(&mut self, more: Effort) {
        self.checks += more.checks;
        self.time += more.time;
    }
}

impl SearchStats {
    /// Adds the figures of a later search for the same answer.
    pub fn and(&mut self, later: SearchStats) {
        self.inlined += later.inlined;
        self.effort(later);
    }

    /// The same, but only the later search counts for what was inlined.
    pub fn then(&mut self, later: SearchStats) {
        self.inlined = later.inlined;
        self.effort(later);
    }

    fn effort(&mut self, later: SearchStats) {
        self.checks += later.checks;
        self.worked += later.worked;
        self.over.and(later.over);
        self.under.and(later.under);
        self.confirming.and(later.confirming);
        self.quantified |= later.quantified;
        self.maps |= later.maps;
        (self.bytes, self.solver) = (later.bytes, later.solver);
    }
}
