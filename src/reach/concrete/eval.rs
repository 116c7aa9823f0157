//! The value of an expression.

use std::cell::Cell;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{Signed, Zero};

use super::map::MapValue;
use crate::boogie::ast::{BinOp, ChainOp};
use crate::boogie::typed::{TypedExpr, TypedExprKind, TypedProgram, VariableRef};

/// How many definitions of functions are gone into, one within the other.
const DEPTH: usize = 50;

/// How many in all for one expression.
const DEFINITIONS: usize = 1_000;

/// Larger integers are not known.
const BITS: u64 = 4_096;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::reach) enum Value {
    /// A Boolean.
    Bool(bool),
    /// An integer.
    Int(BigInt),
    /// A map.
    Map(Rc<MapValue>),
    /// Not known.
    Unknown,
}

impl Value {
    /// The integer that it is.
    pub(in crate::reach) fn int(&self) -> Option<&BigInt> {
        match self {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    fn bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    fn not(self) -> Value {
        self.bool().map_or(Value::Unknown, |b| Value::Bool(!b))
    }
}

/// What expressions are evaluated in.
pub(super) struct Scope<'a> {
    /// The program, for its functions.
    program: &'a TypedProgram,
    /// How many more definitions are gone into.
    fuel: Cell<usize>,
    /// The values of variables.
    variable: &'a dyn Fn(VariableRef) -> Value,
}

impl<'a> Scope<'a> {
    /// Where variables have these values.
    pub(super) fn new(
        program: &'a TypedProgram,
        variable: &'a dyn Fn(VariableRef) -> Value,
    ) -> Self {
        Scope {
            program,
            fuel: Cell::new(0),
            variable,
        }
    }

    /// The value of an expression.
    pub(super) fn value(&self, expr: &TypedExpr) -> Value {
        self.fuel.set(DEFINITIONS);
        self.within(expr, &mut Vec::new(), DEPTH)
    }

    /// The value where these variables are bound.
    fn within(&self, expr: &TypedExpr, bound: &mut Vec<(u32, Value)>, depth: usize) -> Value {
        match &expr.kind {
            TypedExprKind::Bool(b) => Value::Bool(*b),
            TypedExprKind::Int(n) => Value::Int(n.clone()),
            TypedExprKind::Var(v) => (self.variable)(*v),
            TypedExprKind::Bound(n) => {
                let known = bound.iter().rev().find(|(m, _)| m == n);
                known.map_or(Value::Unknown, |(_, value)| value.clone())
            }
            TypedExprKind::Not(e) => self.within(e, bound, depth).not(),
            TypedExprKind::Neg(e) => match self.within(e, bound, depth) {
                Value::Int(n) => Value::Int(-n),
                _ => Value::Unknown,
            },
            TypedExprKind::Binary(op, l, r) => {
                let l = self.within(l, bound, depth);
                binary(*op, l, self.within(r, bound, depth))
            }
            TypedExprKind::Chain(op, all) => {
                let values = all.iter().map(|e| self.within(e, bound, depth));
                chain(*op, values)
            }
            TypedExprKind::Ite(c, a, b) => match self.within(c, bound, depth) {
                Value::Bool(true) => self.within(a, bound, depth),
                Value::Bool(false) => self.within(b, bound, depth),
                _ => Value::Unknown,
            },
            TypedExprKind::Let(binds, body) => {
                let before = bound.len();
                for (n, e) in binds {
                    let value = self.within(e, bound, depth);
                    bound.push((*n, value));
                }
                let value = self.within(body, bound, depth);
                bound.truncate(before);
                value
            }
            TypedExprKind::Select(map, keys, _) => {
                let map = self.within(map, bound, depth);
                let keys: Vec<Value> = keys.iter().map(|k| self.within(k, bound, depth)).collect();
                map.select(&keys, &expr.ty)
            }
            TypedExprKind::Store(map, keys, value, _) => {
                let map = self.within(map, bound, depth);
                let keys = keys.iter().map(|k| self.within(k, bound, depth)).collect();
                map.store(keys, self.within(value, bound, depth))
            }
            TypedExprKind::Call(function, _, args) => {
                let fuel = self.fuel.get().checked_sub(1);
                let (Some(deeper), Some(fuel)) = (depth.checked_sub(1), fuel) else {
                    return Value::Unknown;
                };
                self.fuel.set(fuel);
                let Ok(function) = self.program.functions.at(*function) else {
                    return Value::Unknown;
                };
                let Some(body) = &function.body else {
                    return Value::Unknown;
                };
                let mut given = Vec::new();
                for ((n, _), e) in function.params.iter().zip(args) {
                    given.push((*n, self.within(e, bound, depth)));
                }
                self.within(body, &mut given, deeper)
            }
            _ => Value::Unknown,
        }
    }
}

fn chain(op: ChainOp, values: impl Iterator<Item = Value>) -> Value {
    // What decides alone.
    let decisive = op == ChainOp::Or;
    let mut all_known = true;
    for value in values {
        match value.bool() {
            Some(b) if b == decisive => return Value::Bool(decisive),
            Some(_) => {}
            None => all_known = false,
        }
    }
    match all_known {
        true => Value::Bool(!decisive),
        false => Value::Unknown,
    }
}

fn binary(op: BinOp, l: Value, r: Value) -> Value {
    match (op, &l, &r) {
        (BinOp::Implies, ..) => chain(ChainOp::Or, [l.not(), r].into_iter()),
        (BinOp::Explies, ..) => chain(ChainOp::Or, [l, r.not()].into_iter()),
        (_, Value::Bool(a), Value::Bool(b)) => match op {
            BinOp::Eq | BinOp::Iff => Value::Bool(a == b),
            BinOp::Ne => Value::Bool(a != b),
            _ => Value::Unknown,
        },
        (_, Value::Int(a), Value::Int(b)) => arithmetic(op, a, b).unwrap_or(Value::Unknown),
        _ => Value::Unknown,
    }
}

fn arithmetic(op: BinOp, a: &BigInt, b: &BigInt) -> Option<Value> {
    if a.bits().max(b.bits()) > BITS {
        return None;
    }
    Some(match op {
        BinOp::Eq => Value::Bool(a == b),
        BinOp::Ne => Value::Bool(a != b),
        BinOp::Lt => Value::Bool(a < b),
        BinOp::Le => Value::Bool(a <= b),
        BinOp::Gt => Value::Bool(a > b),
        BinOp::Ge => Value::Bool(a >= b),
        BinOp::Add => Value::Int(a + b),
        BinOp::Sub => Value::Int(a - b),
        BinOp::Mul => Value::Int(a * b),
        BinOp::Div => Value::Int(euclidean(a, b)?.0),
        BinOp::Mod => Value::Int(euclidean(a, b)?.1),
        _ => return None,
    })
}

/// Quotient and remainder as SMT-LIB has them: the remainder is never negative. By zero they are any.
fn euclidean(a: &BigInt, b: &BigInt) -> Option<(BigInt, BigInt)> {
    if b.is_zero() {
        return None;
    }
    let (mut quotient, mut remainder) = (a / b, a % b);
    if remainder.is_negative() {
        quotient -= b.signum();
        remainder += b.abs();
    }
    Some((quotient, remainder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_euclidean() {
        for (a, b, quotient, remainder) in
            [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -3, 1), (-7, -2, 4, 1)]
        {
            let found = euclidean(&BigInt::from(a), &BigInt::from(b));
            assert_eq!(
                found,
                Some((BigInt::from(quotient), BigInt::from(remainder))),
                "{a} {b}"
            );
        }
        assert_eq!(euclidean(&BigInt::from(1), &BigInt::ZERO), None);
    }

    #[test]
    fn one_operand_may_be_enough() {
        let (yes, no) = (|| Value::Bool(true), || Value::Bool(false));
        assert_eq!(
            chain(ChainOp::And, [Value::Unknown, no()].into_iter()),
            no()
        );
        assert_eq!(
            chain(ChainOp::And, [Value::Unknown, yes()].into_iter()),
            Value::Unknown
        );
        assert_eq!(binary(BinOp::Implies, Value::Unknown, yes()), yes());
        assert_eq!(binary(BinOp::Implies, no(), Value::Unknown), yes());
        assert_eq!(binary(BinOp::Eq, Value::Unknown, yes()), Value::Unknown);
    }
}
