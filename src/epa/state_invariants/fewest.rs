//! As few clauses as say the same as all: a person reads them.

use std::collections::BTreeSet;

use crate::ask::{Answer, Desk};
use crate::ir::{Expr, formula};
use crate::query::{AbstractState, kinds};

/// Leaves out what others say.
pub(super) struct Fewest<'a> {
    pub desk: &'a Desk<'a>,
}

impl Fewest<'_> {
    /// Whether no configuration is in a state where these clauses hold.
    pub(super) fn is_none(&self, state: &AbstractState, clauses: &[Expr]) -> bool {
        let nothing = [formula::bool(false)];
        self.lacking(Some(state), clauses, &nothing).is_empty()
    }

    /// As few of the clauses as say the same as all, where the invariant and `known` hold. That some actions can be called and
    /// others not is no reason to leave out what follows: it is what a reader wants to know of the state.
    pub(super) fn of(&self, known: &[Expr], clauses: &[Expr]) -> Vec<Expr> {
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        let mut left: Vec<usize> = (0..clauses.len()).collect();
        let some = |of: &[usize]| {
            of.iter()
                .map(|i| clauses[*i].clone())
                .collect::<Vec<Expr>>()
        };
        // Each question shows at least one clause that does not follow from those kept so far, or that there is none.
        loop {
            let so_far = kept.iter().map(|i| clauses[*i].clone());
            let assumed: Vec<Expr> = known.iter().cloned().chain(so_far).collect();
            let lacking = self.lacking(None, &assumed, &some(&left));
            let Some(next) = lacking.first() else {
                break;
            };
            // Those before it are not seen to lack here, and may elsewhere.
            kept.insert(left.remove(*next));
        }
        let kept: Vec<usize> = kept.into_iter().collect();
        self.without_what_follows(known, some(&kept))
    }

    /// As few of the clauses as leave nothing in the state.
    pub(super) fn contradiction(&self, state: &AbstractState, clauses: Vec<Expr>) -> Vec<Expr> {
        let mut kept = clauses;
        let mut index = kept.len();
        while index > 0 {
            index -= 1;
            let mut others = kept.clone();
            others.remove(index);
            if self.is_none(state, &others) {
                kept = others;
            }
        }
        kept
    }

    /// Without clauses that those behind them make superfluous.
    fn without_what_follows(&self, known: &[Expr], kept: Vec<Expr>) -> Vec<Expr> {
        let mut kept = kept;
        let mut index = kept.len();
        while index > 0 {
            index -= 1;
            let others = kept.iter().enumerate().filter(|(i, _)| *i != index);
            let others = others.map(|(_, clause)| clause);
            let assumed: Vec<Expr> = known.iter().chain(others).cloned().collect();
            if self
                .lacking(None, &assumed, &kept[index..=index])
                .is_empty()
            {
                kept.remove(index);
            }
        }
        kept
    }

    /// Clauses, by their positions, that do not hold in some configuration of a state, or of any, where these are assumed: those
    /// that one such configuration shows, or all where that is not known.
    fn lacking(
        &self,
        state: Option<&AbstractState>,
        assumed: &[Expr],
        clauses: &[Expr],
    ) -> Vec<usize> {
        if clauses.is_empty() {
            return vec![];
        }
        let query = kinds::lacks_some(self.desk.subject(), state, assumed, clauses);
        let all = || (0..clauses.len()).collect();
        match self.desk.ask(&query) {
            Answer::No => vec![],
            Answer::Unknown(_) => all(),
            Answer::Yes(witness) | Answer::Guess(witness) => {
                let lacking: Vec<usize> = witness.broken_after().collect();
                if lacking.is_empty() { all() } else { lacking }
            }
        }
    }
}
