//! How much of what a function requires decides when it is enabled: all of it, or what it requires of the state alone.
//! The second is what published abstractions of contracts have: their guards are predicates over the fields.

use std::collections::BTreeSet;

use crate::ir::{BinaryOp, Expr, ExprKind, Program, RoutineKind, VarId, formula};
use crate::typestate::requires::Inferred;

/// What decides when a function of a contract is enabled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuardScope {
    /// That there are a sender, a value and arguments with which a call does not revert.
    #[default]
    Exact,
    /// What is required of the state: each clause that names the sender, the value, an argument or what the outside answers
    /// says nothing of it. It restricts the calls themselves as before.
    State,
}

impl GuardScope {
    /// The clauses that decide it, of those that were found, and what is to be said of the others. A constructor has no state
    /// that it could be enabled in.
    pub(super) fn kept(self, program: &Program, found: &mut [Inferred]) -> Vec<String> {
        if self == GuardScope::Exact {
            return Vec::new();
        }
        let mut narrowed = Vec::new();
        for inferred in found {
            let routine = program.routine(inferred.routine);
            if routine.kind != RoutineKind::Action {
                continue;
            }
            let all = inferred.clauses.len();
            let clauses = without_settled(&inferred.clauses).into_iter();
            let given: BTreeSet<VarId> = routine.params.iter().copied().collect();
            let of_state = |clause: &Expr| formula::vars_of(clause).is_disjoint(&given);
            inferred.clauses = clauses.filter(of_state).collect();
            if inferred.clauses.len() < all {
                narrowed.push(format!("`{}`", routine.shown()));
            }
        }
        if narrowed.is_empty() {
            return Vec::new();
        }
        vec![format!(
            "what is required of the sender, the value and the arguments does not decide whether these are enabled: {}",
            narrowed.join(", ")
        )]
    }
}

/// The clauses, each without what another one rules out: of `balance >= amount` and `open || balance < amount`, the second
/// one is `open`. So a clause that names an argument only because it was found behind another one is of the state.
fn without_settled(clauses: &[Expr]) -> Vec<Expr> {
    let shorter = clauses.iter().enumerate().map(|(index, clause)| {
        let is_ruled_out = |part: &Expr| {
            let denied = formula::not(part.clone());
            let others = clauses.iter().enumerate().filter(|(at, _)| *at != index);
            others
                .into_iter()
                .any(|(_, other)| formula::same(other, &denied))
        };
        let parts = disjuncts_of(clause);
        formula::any(parts.into_iter().filter(|part| !is_ruled_out(part)))
    });
    shorter.collect()
}

fn disjuncts_of(e: &Expr) -> Vec<Expr> {
    match &*e.kind {
        ExprKind::Binary(BinaryOp::Or, left, right) => {
            [disjuncts_of(left), disjuncts_of(right)].concat()
        }
        ExprKind::Binary(BinaryOp::Implies, left, right) => {
            [vec![formula::not(left.clone())], disjuncts_of(right)].concat()
        }
        _ => vec![e.clone()],
    }
}
