//! Quantified expressions, where finitely many values decide.
//!
//! A variable is tried at all values of its type where they are few (`bool`, enums, machine integers of up to 16
//! bits), and otherwise at the values that a guard leaves: `forall i: int :: lo <= i && i < hi ==> …` and
//! `exists i: int :: lo <= i && i < hi && …`, in any order and with several variables, the bounds of one by
//! another too. At every value outside, the guard is false and defined, so such a value decides nothing: that
//! is checked, as what stands before a bound in the guard could be undefined there. Where a formula only asks what maps have at
//! it, regions decide (`regions`), and where it only compares sums, quotients and remainders of it, a few numbers of each remainder
//! (`residues`). Where none of these applies the answer is [`EvalError::Undetermined`].

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::eval::{EvalError, Evaluator, undetermined};
use super::value::Value;
use crate::ir::effects::may_raise;
use crate::ir::{CompareOp, Quantifier};
use crate::ir::{Expr, Type, VarId};
use crate::ir::{facts, facts::Fact, formula, formula::mentions};

/// A variable is tried at no more values than this.
const VALUES_LIMIT: u64 = 1 << 16;

/// A quantifier has no more variables than this.
const VARIABLES_LIMIT: usize = 16;

/// The integers from `low` to `high`; an open end is unbounded.
#[derive(Clone, Debug, Default)]
struct Interval {
    low: Option<BigInt>,
    high: Option<BigInt>,
}

impl Interval {
    fn narrow(&mut self, op: CompareOp, bound: &BigInt) {
        match op {
            CompareOp::Lt => self.at_most(bound - 1),
            CompareOp::Le => self.at_most(bound.clone()),
            CompareOp::Gt => self.at_least(bound + 1),
            CompareOp::Ge => self.at_least(bound.clone()),
            CompareOp::Eq => {
                self.at_most(bound.clone());
                self.at_least(bound.clone());
            }
            CompareOp::Ne => {}
        }
    }

    fn at_least(&mut self, bound: BigInt) {
        self.low = Some(self.low.take().map_or(bound.clone(), |low| low.max(bound)));
    }

    fn at_most(&mut self, bound: BigInt) {
        self.high = Some(
            self.high
                .take()
                .map_or(bound.clone(), |high| high.min(bound)),
        );
    }

    fn make_empty(&mut self) {
        self.low = Some(BigInt::from(1));
        self.high = Some(BigInt::from(0));
    }

    fn is_empty(&self) -> bool {
        matches!((&self.low, &self.high), (Some(low), Some(high)) if low > high)
    }

    fn contains(&self, n: &BigInt) -> bool {
        self.low.as_ref().is_none_or(|low| n >= low)
            && self.high.as_ref().is_none_or(|high| n <= high)
    }

    /// The values, where both ends are known and they are few.
    fn values(&self) -> Option<Vec<Value>> {
        let (low, high) = (self.low.as_ref()?, self.high.as_ref()?);
        if low > high {
            return Some(Vec::new());
        }
        let count = (high - low)
            .to_u64()
            .filter(|count| *count < VALUES_LIMIT)?;
        Some((0..=count).map(|n| Value::Int(low + n)).collect())
    }
}

impl Evaluator<'_> {
    /// Whether the body holds for all, or for some, values of the variables.
    pub(super) fn quantified(
        &mut self,
        quantifier: Quantifier,
        vars: &[VarId],
        body: &Expr,
    ) -> Result<bool, EvalError> {
        if vars.len() > VARIABLES_LIMIT {
            return Err(undetermined("a quantifier over too many variables"));
        }
        let guard = formula::guard_of(quantifier, body);
        self.over(quantifier, vars, &guard, body)
    }

    /// All values of the first variable for which finitely many decide, then the other variables. All are tried,
    /// even when one has decided: the body could be undefined at another.
    fn over(
        &mut self,
        quantifier: Quantifier,
        vars: &[VarId],
        guard: &[&Expr],
        body: &Expr,
    ) -> Result<bool, EvalError> {
        if vars.is_empty() {
            return self.boolean(body);
        }
        for (i, var) in vars.iter().enumerate() {
            let Some(values) = self.deciding_values(*var, vars, guard, body)? else {
                continue;
            };
            let others = [&vars[..i], &vars[i + 1..]].concat();
            let undecided = quantifier == Quantifier::Forall;
            let (mut result, mut doubt) = (undecided, None);
            for value in values {
                self.scope.fuel.spend()?;
                self.bound.push((*var, value));
                let instance = self.over(quantifier, &others, guard, body);
                self.bound.pop();
                match (instance, quantifier) {
                    (Ok(holds), Quantifier::Forall) => result &= holds,
                    (Ok(holds), Quantifier::Exists) => result |= holds,
                    // Another value may decide.
                    (Err(undefined @ EvalError::Undefined(_)), _) if self.in_any_order => {
                        doubt = Some(undefined);
                    }
                    (Err(failure), _) => return Err(failure),
                }
            }
            return match doubt {
                Some(undefined) if result == undecided => Err(undefined),
                _ => Ok(result),
            };
        }
        let names: Vec<_> = vars
            .iter()
            .map(|v| self.scope.program.var(*v).name.as_str())
            .collect();
        Err(undetermined(format!(
            "a quantifier over too many values of `{}`",
            names.join("`, `")
        )))
    }

    /// The values of the variable that decide, whatever the others of `open` are; none where they are not known
    /// or too many.
    fn deciding_values(
        &mut self,
        var: VarId,
        open: &[VarId],
        guard: &[&Expr],
        body: &Expr,
    ) -> Result<Option<Vec<Value>>, EvalError> {
        let program = self.scope.program;
        let ty = &program.var(var).ty;
        let mut interval = match ty {
            Type::Bool => {
                return Ok(Some(vec![Value::Bool(false), Value::Bool(true)]));
            }
            Type::Enum(id) => {
                let members = 0..program.enums[id.0].members.len();
                return Ok(Some(members.map(|m| Value::Member(*id, m)).collect()));
            }
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => interval_of(
                facts::typing(program, ty)
                    .or_else(|| facts::invariant(ty))
                    .as_ref(),
            ),
            _ => return Ok(None),
        };
        self.narrow(&mut interval, var, open, guard)?;
        if let Some(values) = interval.values() {
            return Ok(Some(values));
        }
        let points = match self.regions(var, open, body)? {
            None => {
                let ends = (interval.low.as_ref(), interval.high.as_ref());
                self.residues(var, open, body, ends)?
            }
            points => points,
        };
        let Some(mut points) = points else {
            return Ok(None);
        };
        points.extend(interval.low.clone());
        points.extend(interval.high.clone());
        points.retain(|n| interval.contains(n));
        Ok(Some(points.into_iter().map(Value::Int).collect()))
    }

    /// Narrows the interval by the guard, read from left to right for as long as nothing in it can be undefined.
    fn narrow(
        &mut self,
        interval: &mut Interval,
        var: VarId,
        open: &[VarId],
        guard: &[&Expr],
    ) -> Result<(), EvalError> {
        // Whether everything before, if it mentions an open variable at all, is in the interval.
        let mut only_interval = true;
        for conjunct in guard {
            let value = if !mentions(conjunct, open) {
                self.boolean(conjunct).map(|holds| {
                    if !holds {
                        interval.make_empty();
                    }
                })
            } else if let Some((op, bound)) = formula::bound_on(conjunct, var)
                && !mentions(bound, open)
            {
                only_interval &= op != CompareOp::Ne;
                self.integer(bound).map(|n| interval.narrow(op, &n))
            } else {
                only_interval = false;
                let is_defined = || may_raise(self.scope.program, conjunct).is_empty();
                if !self.in_any_order && !is_defined() {
                    return Ok(());
                }
                Ok(())
            };
            match value {
                Ok(()) if interval.is_empty() => return Ok(()),
                Ok(()) => {}
                // What stands behind it may say that it does not matter.
                Err(EvalError::Undefined(_)) if self.in_any_order => {}
                // It is looked at for some values, so the whole is undefined.
                Err(EvalError::Undefined(kind)) if only_interval => {
                    return Err(EvalError::Undefined(kind));
                }
                Err(EvalError::Undefined(_)) => {
                    return Err(undetermined("a guard that may be undefined"));
                }
                Err(other) => return Err(other),
            }
        }
        Ok(())
    }
}

fn interval_of(fact: Option<&Fact>) -> Interval {
    match fact {
        Some(Fact::Range { low, high }) => Interval {
            low: low.clone(),
            high: high.clone(),
        },
        _ => Interval::default(),
    }
}
