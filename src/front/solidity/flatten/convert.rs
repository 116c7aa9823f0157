//! Conversions, said and unsaid, between types and between storage, memory and the data of a call.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive, Zero};

use super::types::smallest;
use super::writer::{RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{Expression, Int, Location, SolidityType as Ast};
use crate::front::solidity::flat::{FlatExpr, FlatExprKind, FlatLiteral, FlatType};
use crate::front::solidity::place::FileRange;

impl RoutineWriter<'_, '_> {
    /// An expression as a value of a type, converted where the language does that by itself.
    pub(super) fn expression_as(
        &mut self,
        expression: &Expression,
        to: &Ast,
    ) -> Flat<WrittenValue> {
        let value = self.expression(expression)?;
        self.coerce(value, &expression.ty, to, expression.place)
    }

    /// An expression of a value type, or a reference into memory.
    pub(super) fn value_as(&mut self, expression: &Expression, to: &Ast) -> Flat<FlatExpr> {
        let value = self.expression_as(expression, to)?;
        self.plain(value, expression.place)
    }

    /// The expression that a value is; what is in storage is copied.
    pub(super) fn plain(&mut self, value: WrittenValue, place: FileRange) -> Flat<FlatExpr> {
        match value {
            WrittenValue::Expr(expr) => Ok(expr),
            WrittenValue::Place(lvalue) => {
                let ty = lvalue.ty.clone();
                Ok(FlatExpr::new(FlatExprKind::Load(lvalue), ty, place))
            }
            WrittenValue::Tuple(_) => Err(Rejection::at(
                place,
                "several values stand where one is expected",
            )),
            WrittenValue::Function(_) => {
                Err(Rejection::at(place, "functions as values are not taken"))
            }
            WrittenValue::Word => Err(Rejection::at(place, "this has no value")),
        }
    }

    /// A value of one type as one of another.
    pub(super) fn coerce(
        &mut self,
        value: WrittenValue,
        from: &Ast,
        to: &Ast,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        match (value, from, to) {
            (WrittenValue::Tuple(items), Ast::Tuple(from), Ast::Tuple(to)) => {
                self.coerce_tuple(items, from, to, place)
            }
            (WrittenValue::Function(function), ..) => Ok(WrittenValue::Function(function)),
            (WrittenValue::Place(lvalue), _, to) if to.in_storage() => {
                Ok(WrittenValue::Place(lvalue))
            }
            (value, from, to) => {
                let expr = self.plain(value, place)?;
                let copied = from.location() == Some(Location::Calldata)
                    && to.location() == Some(Location::Memory);
                let expr = if copied {
                    let ty = expr.ty.clone();
                    FlatExpr::new(FlatExprKind::Copy(Box::new(expr)), ty, place)
                } else {
                    expr
                };
                let to = self.f.ty(to, place)?;
                Ok(WrittenValue::Expr(self.convert(expr, &to)))
            }
        }
    }

    fn coerce_tuple(
        &mut self,
        items: Vec<Option<WrittenValue>>,
        from: &[Option<Ast>],
        to: &[Option<Ast>],
        place: FileRange,
    ) -> Flat<WrittenValue> {
        let mut coerced = Vec::new();
        for (at, item) in items.into_iter().enumerate() {
            let types = (from.get(at), to.get(at));
            coerced.push(match (item, types) {
                (Some(item), (Some(Some(from)), Some(Some(to)))) => {
                    Some(self.coerce(item, from, to, place)?)
                }
                (item, _) => item,
            });
        }
        Ok(WrittenValue::Tuple(coerced))
    }

    /// An expression as one of another type. A literal becomes a literal.
    pub(super) fn convert(&self, expr: FlatExpr, to: &FlatType) -> FlatExpr {
        if expr.ty == *to {
            return expr;
        }
        let literal = match &expr.kind {
            FlatExprKind::Literal(literal) => self.convert_literal(literal, &expr.ty, to),
            _ => None,
        };
        if let Some(literal) = literal {
            return FlatExpr::new(FlatExprKind::Literal(literal), to.clone(), expr.place);
        }
        // The elements of an array take the type of the place that it is assigned to.
        if !to.is_value() && !matches!(to, FlatType::Bytes | FlatType::String) {
            return expr;
        }
        let place = expr.place;
        FlatExpr::new(FlatExprKind::Convert(Box::new(expr)), to.clone(), place)
    }

    fn convert_literal(
        &self,
        literal: &FlatLiteral,
        from: &FlatType,
        to: &FlatType,
    ) -> Option<FlatLiteral> {
        match (literal, self.f.types.underlying(to)) {
            (FlatLiteral::Number(value), FlatType::Int(int)) => {
                Some(FlatLiteral::Number(wrapped(value.clone(), *int)))
            }
            (FlatLiteral::Number(value), FlatType::Address | FlatType::Contract(_)) => {
                let address = Int {
                    signed: false,
                    bits: 160,
                };
                Some(FlatLiteral::Number(wrapped(value.clone(), address)))
            }
            // A member that is not there has to revert when it is converted, not before.
            (FlatLiteral::Number(value), FlatType::Enum(id)) => value
                .to_usize()
                .filter(|member| *member < self.f.types.count(*id))
                .map(|member| FlatLiteral::Number(member.into())),
            (FlatLiteral::Number(value), FlatType::FixedBytes(size)) => {
                Some(FlatLiteral::Bytes(last_bytes(value, usize::from(*size))))
            }
            (FlatLiteral::Bytes(bytes), FlatType::FixedBytes(size)) => {
                let mut bytes = bytes.clone();
                bytes.resize(usize::from(*size), 0);
                Some(FlatLiteral::Bytes(bytes))
            }
            (FlatLiteral::Bytes(bytes), FlatType::Int(int))
                if matches!(from, FlatType::FixedBytes(_)) =>
            {
                let value = BigInt::from_bytes_be(Sign::Plus, bytes);
                Some(FlatLiteral::Number(wrapped(value, *int)))
            }
            (FlatLiteral::Bytes(bytes), FlatType::Bytes | FlatType::String) if !from.is_value() => {
                Some(FlatLiteral::Bytes(bytes.clone()))
            }
            _ => None,
        }
    }

    /// A literal number.
    pub(super) fn rational(
        &self,
        numerator: &BigInt,
        denominator: &BigInt,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        if !denominator.is_one() {
            return Err(Rejection::at(place, "fractions are not taken"));
        }
        let ty = FlatType::Int(smallest(numerator));
        Ok(WrittenValue::Expr(FlatExpr::number(
            numerator.clone(),
            ty,
            place,
        )))
    }
}

/// A number wrapped into the range of a type.
pub(super) fn wrapped(value: BigInt, int: Int) -> BigInt {
    let size = BigInt::one() << u32::from(int.bits);
    let mut value = value % &size;
    if value.sign() == Sign::Minus {
        value += &size;
    }
    if int.signed && value.bit(u64::from(int.bits) - 1) {
        value -= size;
    }
    value
}

/// The last bytes of a number, all of them.
fn last_bytes(value: &BigInt, size: usize) -> Vec<u8> {
    let modulus = BigInt::one() << (8 * size);
    let mut value = value % &modulus;
    if value.sign() == Sign::Minus {
        value += modulus;
    }
    let digits = value
        .to_biguint()
        .unwrap_or_else(BigUint::zero)
        .to_bytes_be();
    let mut bytes = vec![0; size.saturating_sub(digits.len())];
    bytes.extend(digits);
    bytes.split_off(bytes.len() - size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_wrap() {
        let int = |signed, bits| Int { signed, bits };
        for (value, to, expected) in [
            (256, int(false, 8), 0),
            (-1, int(false, 8), 255),
            (128, int(true, 8), -128),
            (-129, int(true, 8), 127),
            (-5, int(true, 256), -5),
        ] {
            assert_eq!(wrapped(value.into(), to), expected.into(), "{value}");
        }
    }

    #[test]
    fn a_number_has_last_bytes() {
        assert_eq!(last_bytes(&0x1234.into(), 1), [0x34]);
        assert_eq!(last_bytes(&0x1234.into(), 3), [0, 0x12, 0x34]);
        assert_eq!(last_bytes(&(-1).into(), 2), [0xff, 0xff]);
        assert_eq!(last_bytes(&0.into(), 2), [0, 0]);
    }
}
