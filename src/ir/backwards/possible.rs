//! Conditions that nothing meets. A diagram knows of its atoms that each holds or does not; that `a < b` and `b < a` do not
//! both, it does not know. What nothing meets because integers are in an order is found here and there on the way, where
//! little is spoken of: in front of loops it would be said anew of each round.
//!
//! The inequalities of a path through the diagram are added up until no integer is left in them (J. Fourier's and
//! T. Motzkin's elimination; what no fractions meet, no integers do).

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::Backwards;
use super::diagram::Bdd;
use crate::ir::formula;
use crate::ir::guard::linear::Linear;
use crate::ir::{CompareOp, Expr, ExprKind, Type};

/// Diagrams with more atoms than this are left as they are.
const MOST_ATOMS: usize = 12;

/// So are those with more paths.
const MOST_PATHS: usize = 64;

/// With more inequalities than this, they are taken to be met.
const MOST_INEQUALITIES: usize = 60;

impl Backwards {
    /// The condition without the cases that nothing meets, as far as that can be seen, where it speaks of less then.
    pub(super) fn if_possible(&mut self, node: Bdd) -> Bdd {
        let atoms = self.diagrams.support(node).len();
        if node == Bdd::FALSE || atoms > MOST_ATOMS {
            return node;
        }
        let mut paths = MOST_PATHS;
        match self.paths_that_may_be(node, &mut Vec::new(), &mut paths) {
            Some(found) if self.diagrams.support(found).len() < atoms => found,
            _ => node,
        }
    }

    /// The paths to `true` that may be met behind these literals; nothing where there are too many of them.
    fn paths_that_may_be(
        &mut self,
        node: Bdd,
        literals: &mut Vec<Expr>,
        paths: &mut usize,
    ) -> Option<Bdd> {
        let Some((atom, yes, no)) = self.diagrams.top(node) else {
            if node == Bdd::FALSE {
                return Some(node);
            }
            *paths = paths.checked_sub(1)?;
            return Some(Bdd::of(may_be_met(literals)));
        };
        let shown = self.atoms.shown(atom).clone();
        literals.push(shown.clone());
        let yes = self.paths_that_may_be(yes, literals, paths)?;
        literals.pop();
        literals.push(formula::not(shown));
        let no = self.paths_that_may_be(no, literals, paths)?;
        literals.pop();
        let atom = self.diagrams.atom(atom);
        Some(self.diagrams.choice(atom, yes, no))
    }
}

/// That a sum is not negative.
type Inequality = Linear;

/// Whether integers may meet all of these.
fn may_be_met(literals: &[Expr]) -> bool {
    let mut all: Vec<Inequality> = literals.iter().flat_map(inequalities).collect();
    let mut lengths: Vec<Expr> = Vec::new();
    for (term, _) in all.iter().flat_map(|sum| &sum.atoms) {
        let is_length = matches!(&*term.kind, ExprKind::Length(_));
        if is_length && !lengths.iter().any(|other| formula::same(other, term)) {
            lengths.push(term.clone());
        }
    }
    all.extend(lengths.iter().map(Linear::of));
    loop {
        if all.iter().any(is_never) {
            return false;
        }
        let Some(term) = fewest(&all) else {
            return true;
        };
        all = without(&term, all);
        if all.len() > MOST_INEQUALITIES {
            return true;
        }
    }
}

fn is_never(sum: &Inequality) -> bool {
    sum.atoms.is_empty() && sum.constant.is_negative()
}

/// What a literal says of integers; nothing where it says something else.
fn inequalities(literal: &Expr) -> Vec<Inequality> {
    let (op, a, b) = match &*literal.kind {
        ExprKind::Compare(op, a, b) => (*op, a, b),
        ExprKind::Not(inner) => match &*inner.kind {
            ExprKind::Compare(op, a, b) => (op.negated(), a, b),
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let is_integer = |e: &Expr| matches!(e.ty, Type::Int | Type::Nat | Type::Within(_));
    if !(is_integer(a) && is_integer(b)) {
        return Vec::new();
    }
    let (a, b) = (Linear::of(a), Linear::of(b));
    let less = BigInt::from(-1);
    match op {
        CompareOp::Le => vec![b.minus(&a)],
        CompareOp::Lt => vec![b.minus(&a).plus_constant(&less)],
        CompareOp::Ge => vec![a.minus(&b)],
        CompareOp::Gt => vec![a.minus(&b).plus_constant(&less)],
        CompareOp::Eq => vec![a.minus(&b), b.minus(&a)],
        CompareOp::Ne => Vec::new(),
    }
}

/// The term without which the fewest inequalities are left.
fn fewest(all: &[Inequality]) -> Option<Expr> {
    let mut terms: Vec<(&Expr, usize, usize)> = Vec::new();
    for (term, factor) in all.iter().flat_map(|sum| &sum.atoms) {
        let known = terms
            .iter_mut()
            .find(|(other, ..)| formula::same(other, term));
        let (above, below) = match factor.is_positive() {
            true => (1, 0),
            false => (0, 1),
        };
        match known {
            Some((_, more, less)) => {
                *more += above;
                *less += below;
            }
            None => terms.push((term, above, below)),
        }
    }
    let fewest = terms.into_iter().min_by_key(|(_, a, b)| a * b);
    fewest.map(|(term, ..)| term.clone())
}

/// The inequalities without a term: those without it, and each that bounds it below with each that bounds it above.
fn without(term: &Expr, all: Vec<Inequality>) -> Vec<Inequality> {
    let factor = |sum: &Inequality| {
        let mut of_term = sum
            .atoms
            .iter()
            .filter(|(other, _)| formula::same(other, term));
        of_term
            .next()
            .map_or_else(BigInt::zero, |(_, factor)| factor.clone())
    };
    let (with, mut rest): (Vec<_>, Vec<_>) = all
        .into_iter()
        .map(|sum| (factor(&sum), sum))
        .partition(|(factor, _)| !factor.is_zero());
    let (below, above): (Vec<_>, Vec<_>) = with
        .into_iter()
        .partition(|(factor, _)| factor.is_positive());
    for (up, least) in &below {
        for (down, most) in &above {
            let sum = least.scaled(&down.abs()).plus(&most.scaled(up));
            rest.push((BigInt::zero(), sum));
        }
    }
    rest.into_iter().map(|(_, sum)| sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq;

    /// Whether integers may meet the invariants of a class.
    fn may_be(clauses: &[&str]) -> bool {
        let clauses: String = clauses.iter().map(|e| format!("invariant {e};")).collect();
        let text = format!(
            "type T; class C {{ var a: int; var b: int; var c: int; var x: array<T>; {clauses} }}"
        );
        let loaded = tq::parse_text("test", &text).expect("well-formed");
        let class = loaded.program.classes.last().expect("a class");
        may_be_met(&class.invariants)
    }

    #[test]
    fn what_no_integers_meet_is_seen() {
        assert!(!may_be(&["a < b", "b < c", "c < a"]));
        assert!(!may_be(&["a >= 0", "c - b >= 0", "c - (b - a) < 0"]));
        assert!(!may_be(&["2 * a + 1 <= b", "b <= 2 * c", "a >= c"]));
        assert!(!may_be(&["a == b + 1", "!(a > b)"]));
        assert!(!may_be(&["x.length < a", "a <= 0"]));
        // No fraction is between two neighbours that no integer is.
        assert!(!may_be(&["a < b", "b < a + 1"]));
    }

    #[test]
    fn what_some_meet_is_not_taken_away() {
        assert!(may_be(&["a < b", "b < c"]));
        assert!(may_be(&["a != b", "a >= b", "b >= a - 1"]));
        assert!(may_be(&["x.length <= a", "a <= 0"]));
        // This is not looked at, and may be.
        assert!(may_be(&["a mod 2 == 0", "a mod 2 == 1 || b > 0"]));
        assert!(may_be(&[]));
    }
}
