//! Operators.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use tranquera::front::solidity::flat::{BinaryOp, Expr, Overflow, UnaryOp};

use super::convert::{bits, wrap};
use super::{Frame, Machine, Run, Value, underlying, unsupported};

impl Machine<'_> {
    pub(super) fn unary(
        &mut self,
        frame: &Frame,
        op: UnaryOp,
        inner: &Expr,
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
                let value = self.arithmetic(BinaryOp::Sub, &zero, &value, &inner.ty, overflow)?;
                Ok(Value::Number(value))
            }
            (op, value) => unsupported(format!("{op:?} of {value:?}")),
        }
    }

    pub(super) fn binary(
        &mut self,
        frame: &Frame,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        overflow: Overflow,
    ) -> Run<Value> {
        if op == BinaryOp::And || op == BinaryOp::Or {
            let left = self.truth(frame, left)?;
            let decided = left == (op == BinaryOp::Or);
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

fn compare(op: BinaryOp, a: &Value, b: &Value) -> Run<bool> {
    let order = match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => a.cmp(b),
        (Value::Fixed(a), Value::Fixed(b)) => a.cmp(b),
        _ => return unsupported(format!("{a:?} compared with {b:?}")),
    };
    Ok(match op {
        BinaryOp::Eq => order.is_eq(),
        BinaryOp::Ne => order.is_ne(),
        BinaryOp::Lt => order.is_lt(),
        BinaryOp::Le => order.is_le(),
        BinaryOp::Gt => order.is_gt(),
        _ => order.is_ge(),
    })
}

fn shifted(op: BinaryOp, bytes: &[u8], by: &BigInt) -> Vec<u8> {
    let size = bytes.len();
    let value = super::convert::from_bytes(bytes);
    let Some(by) = by.to_u32().filter(|by| *by < 256) else {
        return vec![0; size];
    };
    let value = match op {
        BinaryOp::Shl => value << by,
        _ => value >> by,
    };
    super::convert::to_bytes(&value, size)
}
