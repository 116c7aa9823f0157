//! Floating-point literals: `-0x1.8e0f24e8` is minus 1.8 (hexadecimal) times 16 to the 0, with a significand of 24 bits, the
//! leading one included, and an exponent of 8. `0NaN24e8`, `0+oo24e8` and `0-oo24e8` are the values that are no numbers.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

use super::typed::BoogieType;

/// The largest exponent size, in bits: what follows is reckoned in 64.
const MAX_EXPONENT_SIZE: u32 = 60;

/// The largest significand size, in bits.
const MAX_SIGNIFICAND_SIZE: u32 = 10_000;

/// The literal as SMT-LIB writes it, and its type.
///
/// # Errors
///
/// Why it is none: sizes that no format has, or a number that the format does not have. Nothing is rounded.
pub(super) fn literal(text: &str) -> Result<(String, BoogieType), String> {
    let malformed = || format!("{text} is no floating-point number");
    let (rest, exponent_size) = text.rsplit_once('e').ok_or_else(malformed)?;
    let (negative, rest) = match rest.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let number = rest.strip_prefix("0x").map(|hex| hex.rsplit_once('f'));
    let (special, significand_size) = match number {
        Some(parts) => ("", parts.ok_or_else(malformed)?.1),
        None => rest.split_at_checked(4).ok_or_else(malformed)?,
    };
    let size = |digits: &str| digits.parse::<u32>().map_err(|_| malformed());
    let ty = float_type(size(significand_size)?, size(exponent_size)?)
        .ok_or_else(|| format!("no floating-point type has the sizes of {text}"))?;
    let BoogieType::Float(significand, exponent) = ty else {
        return Err(malformed());
    };
    let smt = match special.get(1..).unwrap_or("") {
        "NaN" | "nan" => format!("(_ NaN {exponent} {significand})"),
        "+oo" => format!("(_ +oo {exponent} {significand})"),
        "-oo" => format!("(_ -oo {exponent} {significand})"),
        _ => {
            let digits = number.flatten().ok_or_else(malformed)?.0;
            let (mantissa, power) = digits.rsplit_once('e').ok_or_else(malformed)?;
            let (whole, fraction) = mantissa.split_once('.').ok_or_else(malformed)?;
            let mantissa = format!("{whole}{fraction}");
            let mantissa = BigUint::parse_bytes(mantissa.as_bytes(), 16).ok_or_else(malformed)?;
            let power: i32 = power.parse().map_err(|_| malformed())?;
            let power = 4 * (i64::from(power) - fraction.len() as i64);
            let (biased, bits) =
                fields(mantissa, power, significand, exponent).ok_or_else(|| {
                    format!("{text} is not a number of type float{significand}e{exponent}")
                })?;
            let sign = u8::from(negative);
            let width = significand - 1;
            format!("(fp (_ bv{sign} 1) (_ bv{biased} {exponent}) (_ bv{bits} {width}))")
        }
    };
    Ok((smt, ty))
}

/// The type of these sizes, if there is one.
pub(super) fn float_type(significand: u32, exponent: u32) -> Option<BoogieType> {
    let sizes = (2..=MAX_SIGNIFICAND_SIZE).contains(&significand)
        && (2..=MAX_EXPONENT_SIZE).contains(&exponent);
    sizes.then_some(BoogieType::Float(significand, exponent))
}

/// The biased exponent and the trailing significand of `mantissa * 2^power` (IEEE 754-2019, §3.4), if the format has
/// exactly that number.
fn fields(
    mantissa: BigUint,
    power: i64,
    significand_size: u32,
    exponent_size: u32,
) -> Option<(BigInt, BigUint)> {
    if mantissa.is_zero() {
        return Some((BigInt::ZERO, mantissa));
    }
    let precision = i64::from(significand_size);
    let bias = (1i64 << (exponent_size - 1)) - 1;
    let exponent = i64::try_from(mantissa.bits()).ok()? - 1 + power;
    if exponent > bias {
        return None;
    }
    // A subnormal number counts in units of the smallest normal one's last place.
    let normal = exponent >= 1 - bias;
    let last_place = exponent.max(1 - bias) - (precision - 1);
    let shift = power - last_place;
    let units = match usize::try_from(shift) {
        Ok(shift) => mantissa << shift,
        Err(_) => {
            let shift = u64::try_from(-shift).ok()?;
            if mantissa.trailing_zeros()? < shift {
                return None;
            }
            mantissa >> shift
        }
    };
    Some(match normal {
        true => {
            let leading = BigUint::one() << (significand_size - 1);
            (BigInt::from(exponent + bias), units - leading)
        }
        false => (BigInt::ZERO, units),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of a literal's fields as one number.
    fn bits(text: &str) -> u64 {
        let (smt, _) = literal(text).unwrap_or_else(|e| panic!("{e}"));
        let mut bits = 0;
        for part in smt.split("(_ bv").skip(1) {
            let (value, rest) = part.split_once(' ').unwrap();
            let width: u32 = rest.split(')').next().unwrap().parse().unwrap();
            bits = bits << width | value.parse::<u64>().unwrap();
        }
        bits
    }

    #[test]
    fn literals_have_the_bits_of_rusts_floats() {
        let singles = [
            ("0x1.0e0f24e8", 1.0f32),
            ("-0x1.8e0f24e8", -1.5),
            ("0x0.0e0f24e8", 0.0),
            ("-0x0.0e5f24e8", -0.0),
            ("0x2.4e0f24e8", 2.25),
            ("0x1.8e-1f24e8", 0.09375),
            ("0xf.ffe2f24e8", 4095.0),
            ("0x1.000002e0f24e8", 1.0 + f32::EPSILON),
            ("0x0.ffffffe31f24e8", f32::MAX / 16.0),
            ("0x0.ffffffe32f24e8", f32::MAX),
            ("0x8.0e-38f24e8", f32::from_bits(1)),
            ("0x4.0e-32f24e8", f32::MIN_POSITIVE),
        ];
        for (text, value) in singles {
            assert_eq!(bits(text), u64::from(value.to_bits()), "{text}");
        }
        assert_eq!(bits("0x1.8e1f53e11"), 24.0f64.to_bits());
        assert_eq!(literal("0NaN24e8").unwrap().0, "(_ NaN 8 24)");
        assert_eq!(literal("0-oo53e11").unwrap().0, "(_ -oo 11 53)");
    }

    #[test]
    fn what_a_format_does_not_have_is_no_literal() {
        for text in [
            "0x1.0000001e0f24e8",
            "0x1.0e32f24e8",
            "0x1.0e-38f24e8",
            "0x1.0e0f1e8",
            "0x1.0e0f24e1",
            "0x1.0e0f24e99",
        ] {
            assert!(literal(text).is_err(), "{text}");
        }
    }
}
