//! The one question: is there an execution that starts like this, makes these calls, and ends like that?

use std::collections::BTreeSet;

use super::{AbstractState, Call, Callee, Exit, Forbidden, Holds, Step, Walk};
use crate::ir::{ExceptionId, Expr, Var, VarId};

/// A short array has no more elements than this.
pub const SHORT: u32 = 1_000;

/// A question about a class.
///
/// What kinds of question there are is said in [`kinds`](super::kinds): a kind is a function that gives one of these.
#[derive(Clone, Debug)]
pub struct Query {
    /// Its kind, for the counts: `any-other-target`.
    pub kind: &'static str,
    /// Its name, which is also that of its entry procedure and of the file it is saved in. Different questions about one
    /// class have different names.
    pub name: String,
    /// The question as a sentence.
    pub sentence: String,
    /// Where it starts.
    pub start: Start,
    /// What may be taken to hold wherever an expression is looked at.
    pub facts: Vec<Expr>,
    /// Variables that the question itself speaks of: any values of their types.
    pub ghosts: Vec<(VarId, Var)>,
    /// The calls, one after the other; none for a question about configurations.
    pub calls: Vec<Call>,
    /// Or whatever calls an automaton allows.
    pub walk: Option<Walk>,
    /// Whether a walk begins where no array has more than [`SHORT`] elements.
    pub short_arrays: bool,
    /// Formulas whose truth where it ends is recorded.
    pub watched: Vec<Expr>,
    /// What is asked of where it ends.
    pub end: End,
}

/// Where a question starts.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Whether the invariant holds. (Before an object is made, that of all others does in any case.)
    pub invariant: bool,
    /// What holds of the object besides.
    pub known: Vec<Expr>,
    /// In which state it is, clause by clause.
    pub state: Vec<Clause>,
    /// What holds besides, and may speak of the first call's arguments.
    pub given: Vec<Expr>,
    /// Formulas whose truth is recorded; they may speak of the first call's arguments.
    pub watched: Vec<Expr>,
}

/// A formula, with what it says of whom.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The formula.
    pub formula: Expr,
    /// `push is enabled`
    pub remark: String,
}

/// What is asked of the end of a question.
#[derive(Clone, Debug)]
pub enum End {
    /// Nothing: that the calls end as they are to is all.
    Anywhere,
    /// The object is in this state.
    State(Vec<Clause>),
    /// It is in a state in which it is not known to end; in which, is recorded. And what is known of some states.
    OtherState {
        /// The ways in which the call may end that are told apart, where that is more than one; which of them, is recorded.
        exits: Vec<Exit>,
        /// None of these.
        known: BTreeSet<StateEnd>,
        /// What holds in a state, if it is that one.
        assumed: Vec<(AbstractState, Expr)>,
    },
    /// These formulas hold, besides what the last call asks of the invariant.
    Holds {
        /// What that says: `push can be called now`.
        remark: String,
        /// The formulas.
        formulas: Vec<Expr>,
    },
    /// One of some formulas does not hold; which, is recorded.
    Fails {
        /// The object is in this state; none for any.
        state: Vec<Clause>,
        /// The formulas.
        clauses: Vec<Expr>,
    },
    /// Somewhere among the places that what is seen of the call, and these predicates, tell apart.
    Place(Places),
    /// The last call does what must not happen.
    Forbidden(Wrong),
    /// The call does what must not happen, or ends in none of the places allowed.
    Escapes(Escape),
    /// It is in a target although, before the call, none of the target's cases held.
    Uncovered(Vec<TargetClaim>),
}

/// A way in which a call may end (by its position among those that are told apart; 0 where there is but one), and in which state.
pub type StateEnd = (usize, AbstractState);

/// What a caller sees of a call (by its position among what there is to be seen), and which predicates hold.
pub type EndPlace = (usize, Vec<bool>);

/// Places where a call may end, told apart.
#[derive(Clone, Debug)]
pub struct Places {
    /// What there is to be seen of the call: the ways in which it may end, of which the last is whatever is left. None where
    /// nothing is looked at.
    pub seen: Option<Vec<Exit>>,
    /// The predicates.
    pub predicates: Vec<Expr>,
    /// It ends in none of these.
    pub known: BTreeSet<EndPlace>,
    /// It ends here.
    pub wanted: Option<EndPlace>,
}

/// How a call does what must not happen.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// It ends in one of these exceptions.
    pub raised: BTreeSet<ExceptionId>,
    /// Or it is refused: its requires clauses do not hold.
    pub refused: Option<Refusal>,
}

/// When a call is refused.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// Where its arguments do not meet its requires clauses.
    ForArguments,
    /// Where no arguments would: this holds.
    Always(Expr),
}

/// How a call escapes what is said of it.
#[derive(Clone, Debug)]
pub struct Escape {
    /// It does what must not happen; none where that is not looked at.
    pub wrong: Option<Wrong>,
    /// What there is to be seen of it, as in [`Places`].
    pub seen: Option<Vec<Exit>>,
    /// Or it ends in none of these: what is seen, and what holds then.
    pub inside: Vec<(usize, Expr)>,
}

/// What is claimed of a target.
#[derive(Clone, Debug)]
pub struct TargetClaim {
    /// The target: where this holds of the object after a normal end, or none for any exception.
    pub target: Option<Expr>,
    /// A call that ends there was in this before.
    pub cases: Expr,
}

impl Query {
    /// About configurations in which the invariant holds; nothing is asked of them yet.
    pub fn of_configurations(kind: &'static str, name: String, sentence: String) -> Self {
        Query {
            kind,
            name,
            sentence,
            start: Start {
                invariant: true,
                ..Start::default()
            },
            facts: Vec::new(),
            ghosts: Vec::new(),
            calls: Vec::new(),
            walk: None,
            short_arrays: false,
            watched: Vec::new(),
            end: End::Anywhere,
        }
    }

    /// About a call, made where the invariant holds and arguments meet what it requires; nothing is asked of its end yet.
    pub fn of_call(kind: &'static str, name: String, sentence: String, step: &Step) -> Self {
        Query {
            calls: vec![Call {
                callee: step.callee,
                required: true,
                made: true,
                exit: step.exit.clone(),
                invariant: Holds::Either,
            }],
            ..Query::of_configurations(kind, name, sentence)
        }
    }

    /// The same of a walk, from where arrays are short.
    #[must_use]
    pub fn with_short_arrays(self) -> Self {
        Query {
            name: format!("{}.of_short_arrays", self.name),
            short_arrays: true,
            ..self
        }
    }

    /// The first thing that is called, if anything is.
    pub fn first(&self) -> Option<Callee> {
        self.calls.first().map(|call| call.callee)
    }

    /// Whether there is no object yet where it starts.
    pub fn is_fresh(&self) -> bool {
        self.first().is_some_and(Callee::is_constructor)
    }

    /// The same, where the invariant holds where the last call ends; or does not.
    #[must_use]
    pub fn ending_where(mut self, invariant: Holds) -> Self {
        if let Some(call) = self.calls.last_mut() {
            call.invariant = invariant;
        }
        self
    }
}

impl Forbidden {
    /// How a call does what must not happen: it raises one of the exceptions, or `refused` says how it is refused.
    pub(super) fn wrong(&self, refused: Option<Refusal>) -> Wrong {
        Wrong {
            raised: self.exceptions.clone(),
            refused,
        }
    }
}
