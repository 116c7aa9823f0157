//! What is known of the values of expressions, and what conditions tell of them.

use std::collections::BTreeMap;

use super::fact::Fact;
use super::frame::{Frame, has_plain_values};
use super::state::{Class, State};
use crate::boogie::typed::{
    BinOp, BoogieType, ChainOp, ConstId, TypedExpr, TypedExprKind, TypedProgram,
};
use crate::internal::Internal;
use crate::reach::concrete::{Value, literal};

/// The constants of which an axiom says what they are.
pub(super) type Constants = BTreeMap<ConstId, Value>;

/// The constants of which an axiom says what they are.
pub(super) fn constants(program: &TypedProgram) -> Constants {
    let defined = program.axioms.iter().filter_map(|axiom| {
        let TypedExprKind::Binary(BinOp::Eq, left, right) = &axiom.expr.kind else {
            return None;
        };
        match (&left.kind, &right.kind) {
            (TypedExprKind::Const(constant), _) => Some((*constant, literal(right)?)),
            (_, TypedExprKind::Const(constant)) => Some((*constant, literal(left)?)),
            _ => None,
        }
    });
    defined.collect()
}

/// Where expressions are looked at.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    /// The procedure that they are in.
    pub frame: &'a Frame<'a>,
    /// What is known of constants.
    pub constants: &'a Constants,
}

impl Scope<'_> {
    /// The value of an expression.
    pub(super) fn value(&self, state: &mut State, expr: &TypedExpr) -> Result<Class, Internal> {
        if let Some(value) = literal(expr) {
            return Ok(state.value(Fact::only(value)));
        }
        let fact = match &expr.kind {
            TypedExprKind::Var(var) => match self.frame.slot(*var) {
                Some(slot) => return state.read(slot, &expr.ty),
                None => None,
            },
            TypedExprKind::Const(constant) => self.constants.get(constant).cloned().map(Fact::only),
            TypedExprKind::Select(map, keys, _) if has_plain_values(&expr.ty) => {
                let TypedExprKind::Var(map) = map.kind else {
                    return Ok(state.value(Fact::of_type(&expr.ty)));
                };
                let cell = (map, self.keys(state, keys)?);
                return Ok(state.select(cell, &expr.ty));
            }
            TypedExprKind::Neg(e) => {
                let zero = Fact::only(Value::Int(0.into()));
                let class = self.value(state, e)?;
                Fact::operation(BinOp::Sub, &zero, state.fact(class)?)
            }
            TypedExprKind::Not(_) | TypedExprKind::Chain(..) => Some(self.truth(state, expr)?),
            TypedExprKind::Binary(..) if expr.ty == BoogieType::Bool => {
                Some(self.truth(state, expr)?)
            }
            TypedExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(state, left)?, self.value(state, right)?);
                Fact::operation(*op, state.fact(left)?, state.fact(right)?)
            }
            _ => None,
        };
        Ok(state.value(fact.unwrap_or_else(|| Fact::of_type(&expr.ty))))
    }

    /// The values of the keys of an element.
    pub(super) fn keys(
        &self,
        state: &mut State,
        keys: &[TypedExpr],
    ) -> Result<Vec<Class>, Internal> {
        keys.iter().map(|key| self.value(state, key)).collect()
    }

    /// Which values a condition can have.
    fn truth(&self, state: &State, expr: &TypedExpr) -> Result<Fact, Internal> {
        let mut possible = std::collections::BTreeSet::new();
        for wanted in [false, true] {
            if self.assume(&mut state.clone(), expr, wanted)? {
                possible.insert(Value::Bool(wanted));
            }
        }
        Ok(Fact::OneOf(possible))
    }

    /// Takes it that a condition has this value. Whether that can be; where it cannot, the state is of no use any more.
    pub(super) fn assume(
        &self,
        state: &mut State,
        expr: &TypedExpr,
        wanted: bool,
    ) -> Result<bool, Internal> {
        match &expr.kind {
            TypedExprKind::Bool(b) => Ok(*b == wanted),
            TypedExprKind::Not(e) => self.assume(state, e, !wanted),
            TypedExprKind::Chain(op, all) => {
                let parts: Vec<(&TypedExpr, bool)> = all.iter().map(|e| (e, wanted)).collect();
                match (*op == ChainOp::And) == wanted {
                    true => self.assume_all(state, &parts),
                    false => self.assume_any(state, &parts),
                }
            }
            TypedExprKind::Binary(op, left, right) => {
                self.assume_binary(state, (*op, left, right), wanted)
            }
            _ => {
                let class = self.value(state, expr)?;
                state.refine(class, &Fact::only(Value::Bool(wanted)))
            }
        }
    }

    fn assume_all(
        &self,
        state: &mut State,
        parts: &[(&TypedExpr, bool)],
    ) -> Result<bool, Internal> {
        for (part, wanted) in parts {
            if !self.assume(state, part, *wanted)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn assume_any(
        &self,
        state: &mut State,
        parts: &[(&TypedExpr, bool)],
    ) -> Result<bool, Internal> {
        let mut any: Option<State> = None;
        for (part, wanted) in parts {
            let mut one = state.clone();
            if self.assume(&mut one, part, *wanted)? {
                any = Some(match any {
                    Some(others) => others.or(&one)?,
                    None => one,
                });
            }
        }
        Ok(match any {
            Some(any) => {
                *state = any;
                true
            }
            None => false,
        })
    }

    fn assume_binary(
        &self,
        state: &mut State,
        (op, left, right): (BinOp, &TypedExpr, &TypedExpr),
        wanted: bool,
    ) -> Result<bool, Internal> {
        match (op, wanted) {
            (BinOp::Implies, true) => self.assume_any(state, &[(left, false), (right, true)]),
            (BinOp::Implies, false) => self.assume_all(state, &[(left, true), (right, false)]),
            (BinOp::Explies, true) => self.assume_any(state, &[(left, true), (right, false)]),
            (BinOp::Explies, false) => self.assume_all(state, &[(left, false), (right, true)]),
            (BinOp::Eq | BinOp::Iff, _) | (BinOp::Ne, _) => {
                if !has_plain_values(&left.ty) {
                    return Ok(true);
                }
                let (left, right) = (self.value(state, left)?, self.value(state, right)?);
                match (op == BinOp::Ne) != wanted {
                    true => state.unify(left, right),
                    false => differ(state, left, right),
                }
            }
            (BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, _) if left.ty == BoogieType::Int => {
                let op = if wanted { op } else { op.negated() };
                let (left, right) = (self.value(state, left)?, self.value(state, right)?);
                compare(state, op, left, right)
            }
            _ => Ok(true),
        }
    }
}

/// Takes it that two values are not the same.
fn differ(state: &mut State, left: Class, right: Class) -> Result<bool, Internal> {
    if left == right {
        return Ok(false);
    }
    let mut possible = true;
    for (one, other) in [(left, right), (right, left)] {
        if let Some(value) = state.fact(other)?.value().cloned() {
            possible &= state.refine(one, &Fact::NoneOf([value].into()))?;
        }
    }
    Ok(possible)
}

/// Takes it that two integers compare like that.
fn compare(state: &mut State, op: BinOp, left: Class, right: Class) -> Result<bool, Internal> {
    if left == right {
        return Ok(matches!(op, BinOp::Le | BinOp::Ge));
    }
    let related = state.fact(left)?.related(op, state.fact(right)?);
    let possible = state.refine(left, &related)?;
    let related = state.fact(right)?.related(op.mirrored(), state.fact(left)?);
    Ok(possible && state.refine(right, &related)?)
}
