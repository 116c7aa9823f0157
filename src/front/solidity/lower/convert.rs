//! Conversions between types.

use num_bigint::{BigInt, Sign};
use num_traits::One;

use super::action::LoweredAction;
use super::class::limits;
use super::{Low, refuse};
use crate::front::solidity::FileRange;
use crate::front::solidity::ast::Int;
use crate::front::solidity::flat::{
    ChainValue, EnumId, FlatExpr, FlatExprKind, FlatLiteral, FlatType,
};
use crate::front::tq::ast;
use crate::front::tq::build::{self, binary, choice, compare, equal, int, or};
use crate::ir::{BinaryOp, CompareOp};

/// What an address is as a number.
pub(super) const ADDRESS: Int = Int {
    signed: false,
    bits: 160,
};
/// What time is in at most.
const SECONDS: Int = Int {
    signed: false,
    bits: 64,
};

impl LoweredAction<'_, '_> {
    /// The operand's value in another type.
    pub(super) fn conversion(&mut self, inner: &FlatExpr, e: &FlatExpr) -> Low<ast::ExprSyntax> {
        if let Some(address) = self.same_address(inner, e) {
            return self.value(address);
        }
        let value = self.value(inner)?;
        let (from, to) = (
            self.class.underlying(&inner.ty),
            self.class.underlying(&e.ty),
        );
        let is_address = |ty: &FlatType| matches!(ty, FlatType::Address | FlatType::Contract(_));
        self.class.makes_addresses |= is_address(&to) && !is_address(&from);
        match (&from, &to) {
            _ if from == to => Ok(value),
            (FlatType::Bytes | FlatType::String, FlatType::Bytes | FlatType::String)
            | (
                FlatType::Address | FlatType::Contract(_),
                FlatType::Address | FlatType::Contract(_),
            ) => Ok(value),
            // Time never gets so far that it would be cut.
            (FlatType::Int(_), FlatType::Int(to)) if is_time(inner) && *to == SECONDS => Ok(value),
            (FlatType::Int(from), FlatType::Int(to)) => Ok(self.resized(value, *from, *to)),
            (FlatType::Int(_), FlatType::Enum(id)) => self.member_at(*id, value, e.place),
            (FlatType::Enum(id), FlatType::Int(_)) => self.position(*id, &value, e.place),
            (FlatType::FixedBytes(from), FlatType::FixedBytes(to)) => {
                Ok(self.cut(value, *from, *to))
            }
            (FlatType::Bytes | FlatType::String, FlatType::FixedBytes(size)) => {
                if let FlatExprKind::Literal(FlatLiteral::Bytes(bytes)) = &inner.kind {
                    return Ok(int(first_bytes(bytes, *size)));
                }
                let called = format!("bytes{size}_of");
                self.unknown(&called, vec![(from.clone(), value)], &to, e.place)
            }
            (from, to) => match (self.word(from), self.word(to)) {
                // Bytes have no bound in the class: they may be any number.
                (Some(_), Some(ty)) if matches!(from, FlatType::FixedBytes(_)) => {
                    Ok(self.wrapped(value, ty))
                }
                // Addresses have one from now on, and are not cut to what they fit in: as a remainder, no solver would see any
                // more that two of them are not the same key of a mapping.
                (Some(word), Some(to)) => {
                    self.class.counts_addresses |= !matches!(from, FlatType::Int(_));
                    Ok(self.resized(value, word, to))
                }
                _ => refuse(e.place, "this conversion is not taken yet"),
            },
        }
    }

    /// The address that becomes an address again by way of a number: nobody looks at the number. (`address(uint160(a))` is how an
    /// address was made payable once, and assembly has words alone.)
    fn same_address<'e>(&self, number: &'e FlatExpr, e: &FlatExpr) -> Option<&'e FlatExpr> {
        let FlatExprKind::Convert(address) = &number.kind else {
            return None;
        };
        let is_address = |e: &FlatExpr| {
            let ty = self.class.underlying(&e.ty);
            matches!(ty, FlatType::Address | FlatType::Contract(_))
        };
        let is_wide = |ty: &FlatType| matches!(ty, FlatType::Int(int) if !int.signed && int.bits >= ADDRESS.bits);
        let is_same = is_address(e) && is_address(address) && is_wide(&number.ty);
        is_same.then_some(address)
    }

    /// The integer that the bytes of a value are.
    fn word(&self, ty: &FlatType) -> Option<Int> {
        let unsigned = |bits| Int {
            signed: false,
            bits,
        };
        match ty {
            FlatType::Int(int) => Some(*int),
            FlatType::Address | FlatType::Contract(_) => Some(ADDRESS),
            FlatType::FixedBytes(size) => Some(unsigned(8 * u16::from(*size))),
            _ => None,
        }
    }

    fn resized(&mut self, value: ast::ExprSyntax, from: Int, to: Int) -> ast::ExprSyntax {
        let ((least, most), (low, high)) = (limits(from), limits(to));
        if least >= low && most <= high {
            value
        } else {
            self.wrapped(value, to)
        }
    }

    /// The first bytes, or zeros behind them.
    fn cut(&mut self, value: ast::ExprSyntax, from: u8, to: u8) -> ast::ExprSyntax {
        let unit = BigInt::one() << (8 * u32::from(from.abs_diff(to)));
        let unit = self.class.number(unit, "UNIT");
        if to > from {
            binary(BinaryOp::Mul, value, unit)
        } else {
            binary(BinaryOp::Div, value, unit)
        }
    }

    fn members_of(&mut self, id: EnumId, place: FileRange) -> Low<Vec<ast::ExprSyntax>> {
        let count = self.class.enumeration(id).1.len();
        (0..count)
            .map(|number| self.class.member(id, number, place))
            .collect()
    }

    /// The number of an enum's member.
    pub(super) fn position(
        &mut self,
        id: EnumId,
        value: &ast::ExprSyntax,
        place: FileRange,
    ) -> Low<ast::ExprSyntax> {
        let members = self.members_of(id, place)?;
        let mut numbered = members.into_iter().enumerate().rev();
        let last = numbered.next().map_or(0, |(last, _)| last);
        Ok(numbered.fold(int(last), |rest, (number, member)| {
            choice(equal(value.clone(), member), int(number), rest)
        }))
    }

    /// The member of an enum with a number; it reverts where there is none.
    fn member_at(
        &mut self,
        id: EnumId,
        value: ast::ExprSyntax,
        place: FileRange,
    ) -> Low<ast::ExprSyntax> {
        let members = self.members_of(id, place)?;
        let count = members.len();
        let inside = vec![(CompareOp::Le, value.clone()), (CompareOp::Lt, int(count))];
        self.check(build::expr(ast::ExprSyntaxKind::Compare(int(0), inside)));
        let mut numbered = members.into_iter().enumerate().rev();
        let Some((_, last)) = numbered.next() else {
            return refuse(place, "the enum has no members");
        };
        Ok(numbered.fold(last, |rest, (number, member)| {
            choice(equal(value.clone(), int(number)), member, rest)
        }))
    }

    /// That a value is one of the members for whose numbers something holds.
    pub(super) fn among(
        &mut self,
        id: EnumId,
        value: &ast::ExprSyntax,
        holds: impl Fn(BigInt) -> bool,
        place: FileRange,
    ) -> Low<ast::ExprSyntax> {
        let members = self.members_of(id, place)?;
        let (inside, outside): (Vec<_>, Vec<_>) = members
            .into_iter()
            .enumerate()
            .partition(|(number, _)| holds(BigInt::from(*number)));
        let all = |members: Vec<(usize, ast::ExprSyntax)>, op| {
            members
                .into_iter()
                .map(move |(_, member)| compare(op, value.clone(), member))
        };
        if inside.len() > outside.len() {
            let none = all(outside, CompareOp::Ne);
            return Ok(none.fold(build::bool(true), build::and));
        }
        Ok(all(inside, CompareOp::Eq).fold(build::bool(false), or))
    }
}

fn is_time(e: &FlatExpr) -> bool {
    matches!(
        e.kind,
        FlatExprKind::Env(ChainValue::Timestamp | ChainValue::Number)
    )
}

/// The number that the first bytes are, with zeros behind them.
fn first_bytes(bytes: &[u8], size: u8) -> BigInt {
    let all = bytes.iter().copied().chain(std::iter::repeat(0));
    let first: Vec<u8> = all.take(usize::from(size)).collect();
    BigInt::from_bytes_be(Sign::Plus, &first)
}
