//! Numbers in their ranges, and values in other types.

use num_bigint::{BigInt, Sign};
use num_traits::{One, ToPrimitive, Zero};
use tranquera::front::solidity::ast::Int;
use tranquera::front::solidity::flat::{FlatBinaryOp, FlatType, Overflow};

use super::{Machine, Object, Run, Stop, Value, underlying, unsupported};

/// The number in the range, by wrapping around.
pub fn wrap(value: &BigInt, int: Int) -> BigInt {
    let size = BigInt::one() << u32::from(int.bits);
    let mut value = ((value % &size) + &size) % &size;
    if int.signed && value >= (BigInt::one() << (u32::from(int.bits) - 1)) {
        value -= size;
    }
    value
}

const ADDRESS: Int = Int {
    signed: false,
    bits: 160,
};

fn fit(value: BigInt, int: Int, overflow: Overflow) -> Run<BigInt> {
    let wrapped = wrap(&value, int);
    if overflow == Overflow::Checked && wrapped != value {
        return Err(Stop::Revert);
    }
    Ok(wrapped)
}

/// A number as bytes, the last ones.
pub fn to_bytes(value: &BigInt, size: usize) -> Vec<u8> {
    let modulus = BigInt::one() << (8 * size);
    let value = ((value % &modulus) + &modulus) % &modulus;
    let (_, digits) = value.to_bytes_be();
    let digits = if value.is_zero() { Vec::new() } else { digits };
    let mut bytes = vec![0; size - digits.len()];
    bytes.extend(digits);
    bytes
}

pub fn from_bytes(bytes: &[u8]) -> BigInt {
    BigInt::from_bytes_be(Sign::Plus, bytes)
}

impl Machine<'_> {
    pub(super) fn int_of(&self, ty: &FlatType) -> Run<Int> {
        match underlying(self.contract, ty) {
            FlatType::Int(int) => Ok(*int),
            FlatType::Address | FlatType::Contract(_) => Ok(ADDRESS),
            other => unsupported(format!("arithmetic on {other:?}")),
        }
    }

    pub(super) fn convert(&mut self, value: Value, from: &FlatType, to: &FlatType) -> Run<Value> {
        let from = underlying(self.contract, from).clone();
        let to = underlying(self.contract, to).clone();
        match (value, &to) {
            (Value::Number(value), FlatType::Int(int)) => Ok(Value::Number(wrap(&value, *int))),
            (Value::Number(value), FlatType::Address | FlatType::Contract(_)) => {
                Ok(Value::Number(wrap(&value, ADDRESS)))
            }
            (Value::Number(value), FlatType::Enum(id)) => {
                let count = self.contract.enums[id.index()].members.len();
                if value < BigInt::zero() || value >= BigInt::from(count) {
                    return Err(Stop::Revert);
                }
                Ok(Value::Number(value))
            }
            (Value::Number(value), FlatType::FixedBytes(size)) => {
                Ok(Value::Fixed(to_bytes(&value, usize::from(*size))))
            }
            (Value::Fixed(bytes), FlatType::Int(int)) => {
                Ok(Value::Number(wrap(&from_bytes(&bytes), *int)))
            }
            (Value::Fixed(bytes), FlatType::Address | FlatType::Contract(_)) => {
                Ok(Value::Number(wrap(&from_bytes(&bytes), ADDRESS)))
            }
            (Value::Fixed(mut bytes), FlatType::FixedBytes(size)) => {
                bytes.resize(usize::from(*size), 0);
                Ok(Value::Fixed(bytes))
            }
            (value @ Value::Reference(_), FlatType::FixedBytes(size)) => {
                match self.object(&value)? {
                    Object::Bytes(bytes) => {
                        let mut bytes = bytes.clone();
                        bytes.resize(usize::from(*size), 0);
                        Ok(Value::Fixed(bytes))
                    }
                    Object::List(_) => unsupported("a list as bytes"),
                }
            }
            (value @ Value::Reference(_), _) => Ok(value),
            (value @ Value::Bool(_), FlatType::Bool) => Ok(value),
            (value, to) => unsupported(format!("{value:?} from {from:?} to {to:?}")),
        }
    }

    /// An operator between numbers. `ty` is the type of the left one.
    pub(super) fn arithmetic(
        &self,
        op: FlatBinaryOp,
        a: &BigInt,
        b: &BigInt,
        ty: &FlatType,
        overflow: Overflow,
    ) -> Run<BigInt> {
        let int = self.int_of(ty)?;
        match op {
            FlatBinaryOp::Add => fit(a + b, int, overflow),
            FlatBinaryOp::Sub => fit(a - b, int, overflow),
            FlatBinaryOp::Mul => fit(a * b, int, overflow),
            FlatBinaryOp::Div | FlatBinaryOp::Mod if b.is_zero() => Err(Stop::Revert),
            // Truncates, as Solidity does.
            FlatBinaryOp::Div => fit(a / b, int, overflow),
            FlatBinaryOp::Mod => Ok(a % b),
            FlatBinaryOp::Exp => self.power(a, b, int, overflow),
            FlatBinaryOp::Shl => Ok(match b.to_u32().filter(|b| *b < 256) {
                Some(b) => wrap(&(a << b), int),
                None => BigInt::zero(),
            }),
            FlatBinaryOp::Shr => Ok(match b.to_u32().filter(|b| *b < 256) {
                Some(b) => a >> b,
                None if a < &BigInt::zero() => BigInt::from(-1),
                None => BigInt::zero(),
            }),
            FlatBinaryOp::ShrToZero => Ok(match b.to_u32().filter(|b| *b < 256) {
                Some(b) => a / (BigInt::one() << b),
                None => BigInt::zero(),
            }),
            FlatBinaryOp::BitAnd | FlatBinaryOp::BitOr | FlatBinaryOp::BitXor => {
                let size = usize::from(int.bits / 8);
                let pairs = to_bytes(a, size).into_iter().zip(to_bytes(b, size));
                let bytes: Vec<u8> = pairs.map(|(a, b)| bits(op, a, b)).collect();
                Ok(wrap(&from_bytes(&bytes), int))
            }
            _ => unsupported(format!("{op:?} of numbers")),
        }
    }

    fn power(&self, a: &BigInt, b: &BigInt, int: Int, overflow: Overflow) -> Run<BigInt> {
        if overflow == Overflow::Wrapping {
            let size = BigInt::one() << 256;
            return Ok(wrap(&a.modpow(b, &size), int));
        }
        let mut result = BigInt::one();
        // 0, 1 and -1 never leave the range.
        if a.magnitude() <= &num_bigint::BigUint::one() {
            let odd = b.bit(0);
            return Ok(match a.sign() {
                Sign::NoSign if b.is_zero() => result,
                Sign::NoSign => BigInt::zero(),
                Sign::Minus if odd => -result,
                _ => result,
            });
        }
        let Some(times) = b.to_u32().filter(|b| *b <= 512) else {
            return Err(Stop::Revert);
        };
        for _ in 0..times {
            result = fit(result * a, int, Overflow::Checked)?;
        }
        Ok(result)
    }
}

pub fn bits(op: FlatBinaryOp, a: u8, b: u8) -> u8 {
    match op {
        FlatBinaryOp::BitAnd => a & b,
        FlatBinaryOp::BitOr => a | b,
        _ => a ^ b,
    }
}
