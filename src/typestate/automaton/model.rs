//! The automaton as data.

use crate::ir::{ClassId, Expr, Program, RoutineRef};

use crate::typestate::precondition::NormalForm;

/// The index of the error state.
pub const ERROR: usize = 0;

/// A typestate automaton.
#[derive(Clone, Debug)]
pub struct TypestateAutomaton {
    /// The program that the formulas are about.
    pub program: Program,
    /// The class.
    pub class: ClassId,
    /// The actions, in the order declared.
    pub actions: Vec<RoutineRef>,
    /// The normal form of the preconditions.
    pub mode: NormalForm,
    /// What every object is taken to keep.
    pub invariant: Vec<Expr>,
    /// The states; the first is [`ERROR`].
    pub states: Vec<TypestateState>,
    /// The edges of calls.
    pub edges: Vec<CallEdge>,
    /// The edges of constructors.
    pub initial: Vec<InitialEdge>,
    /// Who is in the first state is in the second.
    pub epsilon: Vec<(usize, usize)>,
    /// The actions that always end in the error.
    pub dead: Vec<RoutineRef>,
    /// Whether the search came to its end within the number of states allowed.
    pub finite: bool,
    /// The number of states that were found but cannot be reached from a constructor; they are not in `states`.
    pub unreachable: usize,
    /// What a person should know about how exact it is.
    pub notes: Vec<String>,
    /// The preconditions that it was made of.
    pub preconditions: Vec<ComputedPrecondition>,
    /// How many questions the solver was asked.
    pub questions: u64,
}

/// A state: a condition on the fields.
#[derive(Clone, Debug)]
pub struct TypestateState {
    /// Its literals; none in the error state, and none in the state that every object is in.
    pub condition: Vec<Expr>,
}

/// An edge of a call. One of its kind is there for each case of a precondition.
#[derive(Clone, Debug)]
pub struct CallEdge {
    /// The state it leaves.
    pub source: usize,
    /// The action.
    pub action: RoutineRef,
    /// What holds of the parameters (and of the fields along with them).
    pub guard: Vec<Expr>,
    /// The state it leads to.
    pub target: usize,
    /// Why it is not certain that a call can take it, if it is not.
    pub doubt: Option<EdgeDoubt>,
    /// Whether another edge says more: from a weaker source under a weaker guard to a stronger target.
    pub implied: bool,
}

/// An edge of a constructor.
#[derive(Clone, Debug)]
pub struct InitialEdge {
    /// The constructor; none where the class has none.
    pub constructor: Option<RoutineRef>,
    /// What holds of the parameters.
    pub guard: Vec<Expr>,
    /// The state it leads to.
    pub target: usize,
    /// Why it is not certain, if it is not.
    pub doubt: Option<EdgeDoubt>,
    /// Whether another edge says more.
    pub implied: bool,
}

/// A precondition that was computed on the way.
#[derive(Clone, Debug)]
pub struct ComputedPrecondition {
    /// The action or constructor; none for making an object of a class without one.
    pub routine: Option<RoutineRef>,
    /// The target: what holds after a normal end; none for the error.
    pub target: Option<Expr>,
    /// When a call can end there.
    pub cases: Expr,
}

/// Why an edge is not certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeDoubt {
    /// A loop or recursion goes on beyond the bound there.
    Widened,
    /// Something of the condition could not be said of fields and parameters.
    Loosened,
}

impl EdgeDoubt {
    /// The doubt as a word.
    pub fn name(self) -> &'static str {
        match self {
            EdgeDoubt::Widened => "bound-hit",
            EdgeDoubt::Loosened => "loosened",
        }
    }
}

impl TypestateAutomaton {
    /// The error state's name, or the number of another state.
    pub fn id(&self, state: usize) -> String {
        match state {
            ERROR => "error".into(),
            n => format!("T{n}"),
        }
    }
}
