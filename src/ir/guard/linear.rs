//! Linear integer terms.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::ir::formula;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{Expr, ExprKind, Type, VarId};

/// `constant + Σ coefficient · atom`, where an atom is any integer expression that is not itself a sum.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    /// The constant.
    pub constant: BigInt,
    /// The atoms with their coefficients, none of them zero, in the order first met.
    pub atoms: Vec<(Expr, BigInt)>,
}

impl Linear {
    /// A constant.
    pub(crate) fn constant(value: impl Into<BigInt>) -> Self {
        Linear {
            constant: value.into(),
            atoms: Vec::new(),
        }
    }

    /// An integer expression as a linear term. Whatever is not a sum becomes an atom.
    pub(crate) fn of(e: &Expr) -> Linear {
        let wraps = matches!(e.ty, Type::Machine(_));
        match &*e.kind {
            ExprKind::Int(value) => Linear::constant(value.clone()),
            ExprKind::Neg(a) if !wraps => Linear::of(a).scaled(&-BigInt::one()),
            ExprKind::Convert(a) if !wraps => Linear::of(a),
            ExprKind::Binary(BinaryOp::Add, a, b) if !wraps => Linear::of(a).plus(&Linear::of(b)),
            ExprKind::Binary(BinaryOp::Sub, a, b) if !wraps => Linear::of(a).minus(&Linear::of(b)),
            ExprKind::Binary(BinaryOp::Mul, a, b) if !wraps => {
                let (x, y) = (Linear::of(a), Linear::of(b));
                if x.atoms.is_empty() {
                    y.scaled(&x.constant)
                } else if y.atoms.is_empty() {
                    x.scaled(&y.constant)
                } else {
                    Linear::atom(e)
                }
            }
            _ => Linear::atom(e),
        }
    }

    fn atom(e: &Expr) -> Linear {
        Linear {
            constant: BigInt::zero(),
            atoms: vec![(e.clone(), BigInt::one())],
        }
    }

    /// The sum.
    pub(crate) fn plus(&self, other: &Linear) -> Linear {
        let mut sum = self.clone();
        sum.constant += &other.constant;
        for (atom, coefficient) in &other.atoms {
            match sum.atoms.iter_mut().find(|(a, _)| formula::same(a, atom)) {
                Some((_, c)) => *c += coefficient,
                None => sum.atoms.push((atom.clone(), coefficient.clone())),
            }
        }
        sum.atoms.retain(|(_, c)| !c.is_zero());
        sum
    }

    /// The difference.
    pub(crate) fn minus(&self, other: &Linear) -> Linear {
        self.plus(&other.scaled(&-BigInt::one()))
    }

    /// The term plus a constant.
    pub(crate) fn plus_constant(&self, value: &BigInt) -> Linear {
        Linear {
            constant: &self.constant + value,
            atoms: self.atoms.clone(),
        }
    }

    /// The product with a constant.
    pub(crate) fn scaled(&self, factor: &BigInt) -> Linear {
        if factor.is_zero() {
            return Linear::constant(0);
        }
        Linear {
            constant: &self.constant * factor,
            atoms: self
                .atoms
                .iter()
                .map(|(a, c)| (a.clone(), c * factor))
                .collect(),
        }
    }

    /// Takes the variable out: its coefficient, and the rest. `None` where the variable occurs inside an atom.
    pub(crate) fn split(&self, var: VarId) -> Option<(BigInt, Linear)> {
        let mut coefficient = BigInt::zero();
        let mut rest = Linear::constant(self.constant.clone());
        for (atom, c) in &self.atoms {
            match &*atom.kind {
                ExprKind::Var(id) if *id == var => coefficient += c,
                _ if formula::mentions(atom, &[var]) => return None,
                _ => rest.atoms.push((atom.clone(), c.clone())),
            }
        }
        Some((coefficient, rest))
    }

    /// Takes out the first quotient or remainder by a number that depends on the variable: it, its coefficient, and
    /// the rest.
    pub(crate) fn division(&self, var: VarId) -> Option<(Division, BigInt, Linear)> {
        let at = self.atoms.iter().position(|(atom, _)| {
            formula::mentions(atom, &[var]) && Division::of(atom).is_some()
        })?;
        let mut rest = self.clone();
        let (atom, factor) = rest.atoms.remove(at);
        Some((Division::of(&atom)?, factor, rest))
    }

    /// `self op 0`, written with positive coefficients on both sides and the constant on the right.
    pub(crate) fn compared_to_zero(&self, op: CompareOp) -> Expr {
        let side = |keep: &dyn Fn(&BigInt) -> bool| {
            let terms = self
                .atoms
                .iter()
                .filter(|(_, c)| keep(c))
                .map(|(atom, c)| scaled_atom(atom, &c.abs()));
            terms.reduce(add)
        };
        let positive = side(&|c| c.is_positive());
        let negative = side(&|c| c.is_negative());
        let constant = -&self.constant;
        match (positive, negative) {
            (None, None) => formula::compare(op, formula::int(0), formula::int(constant)),
            (Some(left), None) => formula::compare(op, left, formula::int(constant)),
            (None, Some(right)) => {
                formula::compare(op.mirrored(), right, formula::int(self.constant.clone()))
            }
            (Some(left), Some(right)) if constant.is_zero() => formula::compare(op, left, right),
            (Some(left), Some(right)) if constant.is_positive() => {
                formula::compare(op, left, add(right, formula::int(constant)))
            }
            (Some(left), Some(right)) => {
                formula::compare(op, add(left, formula::int(-constant)), right)
            }
        }
    }

    /// `k | self`, as `self mod k == 0`.
    pub(crate) fn divisible_by(&self, k: &BigInt) -> Expr {
        if k.is_one() {
            return formula::bool(true);
        }
        if self.atoms.is_empty() {
            return formula::bool((&self.constant % k).is_zero());
        }
        let mut sum = self
            .atoms
            .iter()
            .map(|(atom, c)| scaled_atom(atom, c))
            .reduce(add);
        if !self.constant.is_zero() {
            let constant = formula::int(self.constant.clone());
            sum = Some(match sum {
                Some(sum) => add(sum, constant),
                None => constant,
            });
        }
        let sum = sum.unwrap_or_else(|| formula::int(0));
        let remainder = ExprKind::Binary(BinaryOp::Mod, sum, formula::int(k.clone()));
        formula::compare(
            CompareOp::Eq,
            formula::expr(remainder, Type::Int),
            formula::int(0),
        )
    }
}

/// `t div k` or `t mod k`, for a number `k` other than zero.
#[derive(Clone, Debug)]
pub(crate) struct Division {
    /// `t`
    pub dividend: Linear,
    /// `k`
    pub divisor: BigInt,
    /// Whether it is the quotient.
    pub is_quotient: bool,
}

impl Division {
    fn of(atom: &Expr) -> Option<Division> {
        let ExprKind::Binary(op @ (BinaryOp::Div | BinaryOp::Mod), t, k) = &*atom.kind else {
            return None;
        };
        let divisor = Linear::of(k);
        // The quotient of machine integers may wrap.
        let wraps = *op == BinaryOp::Div && matches!(atom.ty, Type::Machine(_));
        if wraps || !divisor.atoms.is_empty() || divisor.constant.is_zero() {
            return None;
        }
        Some(Division {
            dividend: Linear::of(t),
            divisor: divisor.constant,
            is_quotient: *op == BinaryOp::Div,
        })
    }
}

fn add(a: Expr, b: Expr) -> Expr {
    formula::expr(ExprKind::Binary(BinaryOp::Add, a, b), Type::Int)
}

fn scaled_atom(atom: &Expr, coefficient: &BigInt) -> Expr {
    if coefficient.is_one() {
        return atom.clone();
    }
    formula::expr(
        ExprKind::Binary(
            BinaryOp::Mul,
            formula::int(coefficient.clone()),
            atom.clone(),
        ),
        Type::Int,
    )
}
