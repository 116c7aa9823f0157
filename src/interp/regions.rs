//! A quantified integer of which a formula only asks what maps have there, and whether it is less or more than something.
//!
//! Between the keys at which these maps differ from their defaults, and the numbers that it is compared with, the formula has
//! one answer: a number of each such region, and these numbers themselves, decide.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::eval::{EvalError, Evaluator};
use super::value::Value;
use crate::ir::effects::walk;
use crate::ir::formula::mentions;
use crate::ir::{Expr, ExprKind, VarId, formula};

/// More numbers than this are not tried.
const MOST: usize = 1 << 12;

/// What a formula asks of a variable.
#[derive(Default)]
struct VariableUses<'e> {
    /// What is at it in these maps.
    maps: Vec<&'e Expr>,
    /// How it compares with these.
    bounds: Vec<&'e Expr>,
}

impl Evaluator<'_> {
    /// Numbers that decide a formula for all values of an integer variable; none where more is asked of it. `open` are the
    /// variables that have no value here.
    pub(super) fn regions(
        &mut self,
        var: VarId,
        open: &[VarId],
        body: &Expr,
    ) -> Result<Option<BTreeSet<BigInt>>, EvalError> {
        let mut hidden = open.to_vec();
        walk::visit(body, |e| {
            if let ExprKind::Quantified(_, vars, _) = e.kind.as_ref() {
                hidden.extend(vars);
            }
        });
        let mut asked = VariableUses::default();
        if !asked.collect(body, var, &hidden) {
            return Ok(None);
        }
        let mut points = BTreeSet::new();
        for map in asked.maps {
            let map = match self.map(map) {
                // It may be that nobody looks there.
                Err(EvalError::Undefined(_)) => return Ok(None),
                other => other?,
            };
            points.extend(map.exceptions().keys().filter_map(|key| match key {
                Value::Int(n) => Some(n.clone()),
                _ => None,
            }));
        }
        for bound in asked.bounds {
            points.insert(match self.integer(bound) {
                Err(EvalError::Undefined(_)) => return Ok(None),
                other => other?.into_owned(),
            });
        }
        if points.len() > MOST {
            return Ok(None);
        }
        let around = points.iter().flat_map(|n| [n - 1, n.clone(), n + 1]);
        Ok(Some(around.chain([BigInt::ZERO]).collect()))
    }
}

impl<'e> VariableUses<'e> {
    /// Whether this is all that is asked of the variable. What it is asked together with must have a value: none of these is
    /// in it.
    fn collect(&mut self, e: &'e Expr, var: VarId, hidden: &[VarId]) -> bool {
        let is_known = |e: &Expr| !mentions(e, hidden);
        match e.kind.as_ref() {
            ExprKind::Select(map, key) if formula::is_var(key, var) && is_known(map) => {
                self.maps.push(map);
                true
            }
            ExprKind::Compare(_, a, b) if formula::is_var(a, var) && is_known(b) => {
                self.bounds.push(b);
                true
            }
            ExprKind::Compare(_, a, b) if formula::is_var(b, var) && is_known(a) => {
                self.bounds.push(a);
                true
            }
            ExprKind::Var(other) => *other != var,
            // What was there before has other maps.
            ExprKind::Old(inner) => !mentions(inner, &[var]),
            _ => {
                let mut inner = e.children().into_iter();
                inner.all(|inner| self.collect(inner, var, hidden))
            }
        }
    }
}
