//! Bitvectors, by the operations of SMT-LIB.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};

use super::Value;

/// Wider ones are not known.
const MOST_BITS: u32 = 1 << 14;

/// The result of an operation of the solver's on these values: `bvadd`, or `zero_extend 8`. Not known of what is no such operation.
pub(super) fn operation(word: &str, args: &[Value]) -> Value {
    let word = word.trim_start_matches("(_ ").trim_end_matches(')');
    let (op, index) = match word.split_once(' ') {
        Some((op, index)) => (op, index.parse().ok()),
        None => (word, None),
    };
    let found = match (args, index) {
        ([Value::Bits(a, width)], None) => unary(op, a, *width),
        ([Value::Bits(a, width)], Some(more)) => extended(op, a, *width, more),
        ([Value::Bits(a, width), Value::Bits(b, same)], None) if width == same => {
            binary(op, a, b, *width)
        }
        _ => None,
    };
    found.unwrap_or(Value::Unknown)
}

/// `high ++ low`
pub(super) fn concatenated(high: &Value, low: &Value) -> Value {
    match (high, low) {
        (Value::Bits(a, width), Value::Bits(b, more)) => of_width((a << *more) + b, width + more),
        _ => Value::Unknown,
    }
}

/// `value[high:low]`, without the bit `high`.
pub(super) fn extracted(value: &Value, high: u32, low: u32) -> Value {
    match (value, high.checked_sub(low)) {
        (Value::Bits(a, _), Some(width)) => cut(a >> low, width),
        _ => Value::Unknown,
    }
}

/// A number as so many bits, if it is less than their modulus.
pub(super) fn of_width(number: BigUint, width: u32) -> Value {
    match width <= MOST_BITS && number.bits() <= u64::from(width) {
        true => Value::Bits(number, width),
        false => Value::Unknown,
    }
}

/// The lowest bits of a number.
fn cut(number: BigUint, width: u32) -> Value {
    Value::Bits(number % modulus(width), width)
}

fn modulus(width: u32) -> BigUint {
    BigUint::one() << width
}

/// The number that bits are in two's complement.
fn signed(bits: &BigUint, width: u32) -> BigInt {
    let number = BigInt::from(bits.clone());
    match bits.bits() == u64::from(width) {
        true => number - BigInt::from(modulus(width)),
        false => number,
    }
}

/// The bits of a number in two's complement.
fn wrapped(number: &BigInt, width: u32) -> Option<Value> {
    let modulus = BigInt::from(modulus(width));
    let rest = ((number % &modulus) + &modulus) % modulus;
    Some(Value::Bits(rest.to_biguint()?, width))
}

fn unary(op: &str, a: &BigUint, width: u32) -> Option<Value> {
    let all = modulus(width) - 1u8;
    match op {
        "bvnot" => Some(Value::Bits(all - a, width)),
        "bvneg" => Some(cut(all - a + 1u8, width)),
        "bv2nat" | "bv2int" => Some(Value::Int(a.clone().into())),
        _ => None,
    }
}

fn extended(op: &str, a: &BigUint, width: u32, more: u32) -> Option<Value> {
    let wider = width.checked_add(more).filter(|w| *w <= MOST_BITS)?;
    match op {
        "zero_extend" => Some(Value::Bits(a.clone(), wider)),
        "sign_extend" => wrapped(&signed(a, width), wider),
        _ => None,
    }
}

fn binary(op: &str, a: &BigUint, b: &BigUint, width: u32) -> Option<Value> {
    let (left, right) = (|| signed(a, width), || signed(b, width));
    // A shift by as much as there are bits, or more, leaves none.
    let distance = || b.to_u32().filter(|by| *by < width);
    Some(match op {
        "bvadd" => cut(a + b, width),
        "bvsub" => wrapped(&(left() - right()), width)?,
        "bvmul" => cut(a * b, width),
        "bvand" => Value::Bits(a & b, width),
        "bvor" => Value::Bits(a | b, width),
        "bvxor" => Value::Bits(a ^ b, width),
        "bvshl" => distance().map_or_else(|| cut(BigUint::zero(), width), |by| cut(a << by, width)),
        "bvlshr" => Value::Bits(distance().map_or_else(BigUint::zero, |by| a >> by), width),
        "bvashr" => wrapped(&(left() >> distance().unwrap_or(width)), width)?,
        "bvult" => Value::Bool(a < b),
        "bvule" => Value::Bool(a <= b),
        "bvugt" => Value::Bool(a > b),
        "bvuge" => Value::Bool(a >= b),
        "bvslt" => Value::Bool(left() < right()),
        "bvsle" => Value::Bool(left() <= right()),
        "bvsgt" => Value::Bool(left() > right()),
        "bvsge" => Value::Bool(left() >= right()),
        // Divided by zero all bits are set, and the rest is what was divided.
        "bvudiv" if b.is_zero() => Value::Bits(modulus(width) - 1u8, width),
        "bvurem" if b.is_zero() => Value::Bits(a.clone(), width),
        "bvudiv" => Value::Bits(a / b, width),
        "bvurem" => Value::Bits(a % b, width),
        // Towards zero; the rest has the sign of what is divided.
        "bvsdiv" if !b.is_zero() => wrapped(&(left() / right()), width)?,
        "bvsrem" if !b.is_zero() => wrapped(&(left() % right()), width)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(number: i64, width: u32) -> Value {
        wrapped(&BigInt::from(number), width).unwrap_or(Value::Unknown)
    }

    /// Worked out by hand.
    #[test]
    fn operations_are_those_of_smt_lib() {
        let cases = [
            ("bvadd", 200, 100, 44),
            ("bvsub", 3, 5, 254),
            ("bvmul", 20, 13, 4),
            ("bvudiv", 200, 7, 28),
            ("bvudiv", 200, 0, 255),
            ("bvurem", 200, 7, 4),
            ("bvurem", 200, 0, 200),
            ("bvsdiv", -7, 2, -3),
            ("bvsrem", -7, 2, -1),
            ("bvsdiv", -128, -1, -128),
            ("bvshl", 129, 1, 2),
            ("bvshl", 1, 8, 0),
            ("bvlshr", 129, 1, 64),
            ("bvashr", -128, 1, -64),
            ("bvashr", -128, 9, -1),
            ("bvashr", 64, 9, 0),
            ("bvxor", 12, 10, 6),
        ];
        for (op, a, b, expected) in cases {
            let found = operation(op, &[bits(a, 8), bits(b, 8)]);
            assert_eq!(found, bits(expected, 8), "{op} {a} {b}");
        }
        let less = |op: &str| operation(op, &[bits(-1, 8), bits(1, 8)]);
        assert_eq!(less("bvslt"), Value::Bool(true));
        assert_eq!(less("bvult"), Value::Bool(false));
        assert_eq!(operation("bvneg", &[bits(-128, 8)]), bits(-128, 8));
        assert_eq!(operation("bvnot", &[bits(12, 8)]), bits(-13, 8));
        assert_eq!(operation("sign_extend 8", &[bits(-3, 8)]), bits(-3, 16));
        assert_eq!(
            operation("(_ zero_extend 8)", &[bits(-3, 8)]),
            bits(253, 16)
        );
        assert_eq!(
            operation("bvadd", &[bits(1, 8), bits(1, 16)]),
            Value::Unknown
        );
    }

    #[test]
    fn parts_and_joins() {
        let word = concatenated(&bits(0xAB, 8), &bits(0xC, 4));
        assert_eq!(word, bits(0xABC, 12));
        assert_eq!(extracted(&word, 12, 8), bits(0xA, 4));
        assert_eq!(extracted(&word, 8, 0), bits(0xBC, 8));
    }
}
