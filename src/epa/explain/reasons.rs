//! What lets a call be made, and end as it does: the clauses, and of each the alternatives that hold of the
//! witness.

use serde::Serialize;

use super::Explainer;
use crate::ask::{Answer, Witness};
use crate::ir::{BinaryOp, Expr, ExprKind, formula};
use crate::query::ActionId;

/// A condition of the edge, as it is met by the witness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What the condition is about: `invariant`, ``before, `pop` can be called``, …
    pub about: String,
    /// The condition.
    pub condition: String,
    /// Where it has alternatives (`a || b`, `a ==> b`): those that hold of the witness.
    pub by: Vec<String>,
}

/// A condition to be watched.
struct Watched {
    about: String,
    condition: Expr,
    alternatives: Vec<Expr>,
}

impl Explainer<'_> {
    /// A call that takes the edge, and what lets it.
    ///
    /// # Errors
    /// The engine does not know such a call; a sentence says why.
    pub(super) fn reasons(&self) -> Result<(Box<Witness>, Vec<Reason>), String> {
        let (before, after) = (self.conditions_before(), self.conditions_after());
        let watched = |conditions: &[Watched]| {
            let alternatives = conditions.iter().flat_map(|w| w.alternatives.iter());
            alternatives.map(|e| self.total(e)).collect::<Vec<Expr>>()
        };
        let mut query = self.taken("witness");
        query.start.watched = watched(&before);
        query.watched = watched(&after);
        match self.desk.ask(&query) {
            Answer::Yes(witness) | Answer::Guess(witness) => {
                let mut reasons = self.met(&before, &witness.held_before());
                reasons.extend(self.met(&after, &witness.held_after()));
                Ok((witness, reasons))
            }
            Answer::No => Err("no call takes it, says the engine now".into()),
            Answer::Unknown(doubt) => Err(doubt.to_string()),
        }
    }

    /// The invariant's clauses with alternatives, what the call requires, and the actions that can be called
    /// before or after, but not both.
    fn conditions_before(&self) -> Vec<Watched> {
        let subject = self.subject();
        let mut found = Vec::new();
        if !self.step.callee.is_constructor() {
            found.extend(self.invariants("invariant, before"));
        }
        if let Some(routine) = subject.routine(self.step.callee) {
            let requires = &subject.program.routine(routine).requires;
            found.extend(requires.iter().map(|e| watched("requires", e)));
        }
        if let Some(source) = &self.step.source {
            let changing = |a: &ActionId| source.contains(*a) != self.target.contains(*a);
            for action in subject.action_ids().filter(changing) {
                found.push(self.enabledness(action, source.contains(action), "before"));
            }
        }
        found
    }

    fn conditions_after(&self) -> Vec<Watched> {
        let subject = self.subject();
        let mut found = Vec::new();
        if let Some(routine) = subject.routine(self.step.callee) {
            let declared = subject.program.routine(routine);
            if declared.body.is_none() {
                found.extend(declared.ensures.iter().map(|e| watched("ensures", e)));
            }
        }
        found.extend(self.invariants("invariant, after"));
        let changes = |a: &ActionId| {
            let before = self.step.source.as_ref().map(|s| s.contains(*a));
            before != Some(self.target.contains(*a))
        };
        for action in subject.action_ids().filter(changes) {
            found.push(self.enabledness(action, self.target.contains(action), "after"));
        }
        found
    }

    fn invariants(&self, about: &str) -> Vec<Watched> {
        let subject = self.subject();
        let clauses = &subject.program.class(subject.class).invariants;
        let all = clauses.iter().map(|e| watched(about, e));
        all.filter(|w| w.alternatives.len() > 1).collect()
    }

    fn enabledness(&self, action: ActionId, enabled: bool, when: &str) -> Watched {
        let action = &self.subject()[action];
        let (condition, word) = match enabled {
            true => (&action.guard.enabled, "can"),
            false => (&action.guard.disabled, "cannot"),
        };
        watched(
            &format!("{when}, `{}` {word} be called", action.shown),
            condition,
        )
    }

    fn met(&self, conditions: &[Watched], held: &[bool]) -> Vec<Reason> {
        let mut held = held.iter();
        let mut reasons = Vec::new();
        for condition in conditions {
            let truths: Vec<bool> = held
                .by_ref()
                .take(condition.alternatives.len())
                .copied()
                .collect();
            let holding = condition.alternatives.iter().zip(&truths);
            let holding = holding.filter(|(_, t)| **t).map(|(e, _)| self.text(e));
            reasons.push(Reason {
                about: condition.about.clone(),
                condition: self.text(&condition.condition),
                by: match condition.alternatives.len() {
                    1 => Vec::new(),
                    _ => holding.collect(),
                },
            });
        }
        reasons
    }
}

fn watched(about: &str, condition: &Expr) -> Watched {
    Watched {
        about: about.to_owned(),
        condition: condition.clone(),
        alternatives: alternatives(condition),
    }
}

/// `a || b`, `a ==> b` (that is, `!a || b`) and `!(a && b)`, taken apart.
fn alternatives(e: &Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut stack = vec![e.clone()];
    while let Some(e) = stack.pop() {
        match &*e.kind {
            ExprKind::Binary(BinaryOp::Or, a, b) => stack.extend([b.clone(), a.clone()]),
            ExprKind::Binary(BinaryOp::Implies, a, b) => {
                stack.extend([b.clone(), formula::not(a.clone())]);
            }
            ExprKind::Not(inner) => match &*inner.kind {
                ExprKind::Binary(BinaryOp::And, a, b) => {
                    stack.extend([formula::not(b.clone()), formula::not(a.clone())]);
                }
                _ => found.push(e),
            },
            _ => found.push(e),
        }
    }
    found
}
