//! Operators.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use tranquera::front::solidity::flat::{FlatBinaryOp, FlatExpr, Overflow, UnaryOp};

use super::convert::{bits, wrap};
use super::{Frame, Machine, Run, Value, underlying, unsupported};

impl Machine<'_> {
    pub(super) fn unary(
        &mut self,
        frame: &Frame,
        op: UnaryOp,
        inner: &FlatExpr,
        overflow: Overflow,
    ) -> Run<Value> {
        let value = self.eval(frame, inner)?;
        match (op, value) {
            (UnaryOp::Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
            (UnaryOp::BitNot, Value::Fixed(bytes)) => {
                Ok(Value::Fixed(bytes.iter().map(|byte| !byte).collect()))
            }
            (UnaryOp::BitNot, Value::Number(value)) => {
                let int = self.int_of(&inner.ty)?;
                Ok(Value::Number(wrap(&(-value - BigInt::one()), int)))
            }
            (UnaryOp::Minus, Value::Number(value)) => {
                let zero = BigInt::zero();
                let value =
                    self.arithmetic(FlatBinaryOp::Sub, &zero, &value, &inner.ty, overflow)?;
                Ok(Value::Number(value))
            }
            (op, value) => unsupported(format!("{op:?} of {value:?}")),
        }
    }

    pub(super) fn binary(
        &mut self,
        frame: &Frame,
        op: FlatBinaryOp,
        left: &FlatExpr,
        right: &FlatExpr,
        overflow: Overflow,
    ) -> Run<Value> {
        if op == FlatBinaryOp::And || op == FlatBinaryOp::Or {
            let left = self.truth(frame, left)?;
            let decided = left == (op == FlatBinaryOp::Or);
            let value = if decided {
                left
            } else {
                self.truth(frame, right)?
            };
            return Ok(Value::Bool(value));
        }
        let (a, b) = (self.eval(frame, left)?, self.eval(frame, right)?);
        if op.is_boolean() {
            return compare(op, &a, &b).map(Value::Bool);
        }
        match (&a, &b) {
            (Value::Number(a), Value::Number(b)) => {
                let value = self.arithmetic(op, a, b, &left.ty, overflow)?;
                Ok(Value::Number(value))
            }
            (Value::Fixed(a), Value::Fixed(b)) => {
                let pairs = a.iter().zip(b);
                Ok(Value::Fixed(pairs.map(|(a, b)| bits(op, *a, *b)).collect()))
            }
            (Value::Fixed(bytes), Value::Number(by)) => Ok(Value::Fixed(shifted(op, bytes, by))),
            _ => unsupported(format!(
                "{op:?} of {a:?} and {b:?} ({:?})",
                underlying(self.contract, &left.ty)
            )),
        }
    }
}

fn compare(op: FlatBinaryOp, a: &Value, b: &Value) -> Run<bool> {
    let order = match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => a.cmp(b),
        (Value::Fixed(a), Value::Fixed(b)) => a.cmp(b),
        _ => return unsupported(format!("{a:?} compared with {b:?}")),
    };
    Ok(match op {
        FlatBinaryOp::Eq => order.is_eq(),
        FlatBinaryOp::Ne => order.is_ne(),
        FlatBinaryOp::Lt => order.is_lt(),
        FlatBinaryOp::Le => order.is_le(),
        FlatBinaryOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    })
}

fn shifted(op: FlatBinaryOp, bytes: &[u8], by: &BigInt) -> Vec<u8> {
    let size = bytes.len();
    let value = super::convert::from_bytes(bytes);
    let Some(by) = by.to_u32().filter(|by| *by < 256) else {
        return vec![0; size];
    };
    let value = match op {
        FlatBinaryOp::Shl => value << by,
        _ => value >> by,
    };
    super::convert::to_bytes(&value, size)
}
