//! A quantified integer that a formula only compares, in sums, multiples, quotients and remainders by numbers.
//!
//! ```text
//! exists x: nat :: x <= 1000 && 10 * t + 7 * ((x + 1) mod 4) + x div 2 <= limit
//! ```
//!
//! Along the numbers of one remainder (by 4, here) each side of each comparison is a straight line, so that the comparison changes
//! its answer at one place at most. A number of each stretch between these places, for each remainder, decides (the test points of
//! Cooper 1972, found by evaluating the sides at two numbers).

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use super::eval::{EvalError, Evaluator};
use super::value::Value;
use crate::ir::formula::mentions;
use crate::ir::{BinaryOp, Expr, ExprKind, Type, VarId};

/// There are no more remainders than these.
const MOST_REMAINDERS: u64 = 1 << 10;
/// More numbers than this are not tried.
const MOST: usize = 1 << 13;

/// The ends of an interval; an open one is unbounded.
pub(super) type Ends<'a> = (Option<&'a BigInt>, Option<&'a BigInt>);

/// A comparison of integers that mentions the variable: its sides.
type Sides<'e> = (&'e Expr, &'e Expr);

impl Evaluator<'_> {
    /// Numbers that decide a formula for all values of an integer variable in an interval; none where more is asked of it. `open` are
    /// the variables that have no value here.
    pub(super) fn residues(
        &mut self,
        var: VarId,
        open: &[VarId],
        body: &Expr,
        ends: Ends<'_>,
    ) -> Result<Option<BTreeSet<BigInt>>, EvalError> {
        let others: Vec<VarId> = open.iter().copied().filter(|other| *other != var).collect();
        if mentions(body, &others) {
            return Ok(None);
        }
        let mut comparisons = Vec::new();
        let Some(period) = self.period_of_formula(body, var, &mut comparisons)? else {
            return Ok(None);
        };
        let Some(remainders) = period.to_u64().filter(|n| *n <= MOST_REMAINDERS) else {
            return Ok(None);
        };
        let mut points = BTreeSet::new();
        for remainder in 0..remainders {
            let line = Line {
                first: BigInt::from(remainder),
                step: period.clone(),
            };
            points.insert(line.first.clone());
            points.extend(ends.0.map(|low| line.up_from(low)));
            points.extend(ends.1.map(|high| line.down_from(high)));
            for (a, b) in &comparisons {
                let mut difference = |at: &BigInt| -> Result<BigInt, EvalError> {
                    self.bound.push((var, Value::Int(at.clone())));
                    let sides = (self.integer(a), self.integer(b));
                    self.bound.pop();
                    Ok(sides.0?.into_owned() - sides.1?.into_owned())
                };
                let at = [BigInt::zero(), BigInt::one()].map(|place| difference(&line.at(&place)));
                let (first, slope) = match at {
                    // It may be that nobody looks there.
                    [Err(EvalError::Undefined(_)), _] | [_, Err(EvalError::Undefined(_))] => {
                        return Ok(None);
                    }
                    [first, second] => {
                        let first = first?;
                        let slope = second? - &first;
                        (first, slope)
                    }
                };
                if !slope.is_zero() {
                    let change = (-first).div_floor(&slope);
                    points.extend((-1..=1).map(|by| line.at(&(&change + by))));
                }
            }
            if points.len() > MOST {
                return Ok(None);
            }
        }
        Ok(Some(points))
    }

    /// By how much the variable may grow so that each comparison's sides grow by the same, wherever that begins; and the comparisons.
    /// None where something else is asked of the variable.
    fn period_of_formula<'e>(
        &mut self,
        e: &'e Expr,
        var: VarId,
        comparisons: &mut Vec<Sides<'e>>,
    ) -> Result<Option<BigInt>, EvalError> {
        if !mentions(e, &[var]) {
            return Ok(Some(BigInt::one()));
        }
        match e.kind.as_ref() {
            ExprKind::Compare(_, a, b) if a.ty == Type::Int && b.ty == Type::Int => {
                comparisons.push((a, b));
                self.common_period([a, b], |this, side| this.period(side, var))
            }
            ExprKind::Not(_) | ExprKind::If(..) | ExprKind::Binary(..) if e.ty == Type::Bool => {
                self.common_period(e.children(), |this, part| {
                    this.period_of_formula(part, var, comparisons)
                })
            }
            _ => Ok(None),
        }
    }

    /// The same of a number.
    fn period(&mut self, e: &Expr, var: VarId) -> Result<Option<BigInt>, EvalError> {
        if !mentions(e, &[var]) {
            return Ok(Some(BigInt::one()));
        }
        if e.ty != Type::Int {
            return Ok(None);
        }
        match e.kind.as_ref() {
            ExprKind::Var(_) => Ok(Some(BigInt::one())),
            ExprKind::Neg(inner) => self.period(inner, var),
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
                self.common_period([a, b], |this, part| this.period(part, var))
            }
            ExprKind::Binary(BinaryOp::Mul, a, b)
                if !mentions(a, &[var]) || !mentions(b, &[var]) =>
            {
                self.common_period([a, b], |this, part| this.period(part, var))
            }
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Mod, a, by) if !mentions(by, &[var]) => {
                let by = match self.integer(by) {
                    // It may be that nobody looks there.
                    Err(EvalError::Undefined(_)) => return Ok(None),
                    by => by?.into_owned(),
                };
                let period = self.period(a, var)?;
                Ok(period
                    .filter(|_| by.is_positive())
                    .map(|period| period * by))
            }
            _ => Ok(None),
        }
    }

    fn common_period<'e>(
        &mut self,
        parts: impl IntoIterator<Item = &'e Expr>,
        mut of: impl FnMut(&mut Self, &'e Expr) -> Result<Option<BigInt>, EvalError>,
    ) -> Result<Option<BigInt>, EvalError> {
        let mut common = BigInt::one();
        for part in parts {
            match of(self, part)? {
                Some(period) => common = common.lcm(&period),
                None => return Ok(None),
            }
        }
        Ok(Some(common))
    }
}

/// The numbers of one remainder.
struct Line {
    first: BigInt,
    step: BigInt,
}

impl Line {
    fn at(&self, place: &BigInt) -> BigInt {
        &self.first + place * &self.step
    }

    /// The largest that is no more than a number.
    fn down_from(&self, n: &BigInt) -> BigInt {
        self.at(&(n - &self.first).div_floor(&self.step))
    }

    /// The smallest that is no less than a number.
    fn up_from(&self, n: &BigInt) -> BigInt {
        self.at(&(n - &self.first).div_ceil(&self.step))
    }
}
