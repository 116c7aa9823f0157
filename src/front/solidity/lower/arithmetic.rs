//! Arithmetic: within a type's range, or wrapping around.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use super::action::LoweredAction;
use super::class::limits;
use super::{Low, refuse};
use crate::front::solidity::ast::Int;
use crate::front::solidity::flat::{
    FlatBinaryOp as Op, FlatExpr, FlatExprKind, FlatLiteral, FlatType, Overflow, UnaryOp,
};
use crate::front::tq::ast;
use crate::front::tq::build::{self, binary, choice, compare, equal, int, not, or};
use crate::ir::{BinaryOp, CompareOp};

/// The largest power that is written as a product.
const MAX_POWER: u32 = 32;

impl LoweredAction<'_, '_> {
    /// `-x`, `~x`
    pub(super) fn unary(
        &mut self,
        op: UnaryOp,
        value: ast::ExprSyntax,
        overflow: Overflow,
        e: &FlatExpr,
    ) -> Low<ast::ExprSyntax> {
        let ty = match self.class.underlying(&e.ty) {
            FlatType::FixedBytes(size) => Some(Int {
                signed: false,
                bits: 8 * u16::from(size),
            }),
            _ => self.integer(&e.ty),
        };
        let Some(ty) = ty else {
            return refuse(e.place, "this operator is not taken yet");
        };
        let minus = build::expr(ast::ExprSyntaxKind::Neg(value.clone()));
        match (op, ty.signed) {
            (UnaryOp::BitNot, false) => {
                let (_, most) = self.class.limits(ty);
                let others = binary(BinaryOp::Sub, most, value);
                // Of bytes no bound is known.
                Ok(match self.integer(&e.ty) {
                    Some(_) => others,
                    None => self.wrapped(others, ty),
                })
            }
            (UnaryOp::BitNot, true) => Ok(binary(BinaryOp::Sub, minus, int(1))),
            (_, true) if overflow == Overflow::Checked => {
                let (least, _) = self.class.limits(ty);
                self.check(compare(CompareOp::Ne, value, least));
                Ok(minus)
            }
            _ => Ok(self.wrapped(minus, ty)),
        }
    }

    /// An operator between two values, but `&&` and `||`.
    pub(super) fn operation(
        &mut self,
        op: Op,
        (left, a): (&FlatExpr, ast::ExprSyntax),
        (right, b): (&FlatExpr, ast::ExprSyntax),
        overflow: Overflow,
        e: &FlatExpr,
    ) -> Low<ast::ExprSyntax> {
        if op.is_boolean() {
            return self.comparison(op, (left, a), (right, b));
        }
        let Some(ty) = self.integer(&e.ty) else {
            return self.bits(op, (left, a), (right, b), e);
        };
        let arithmetic = |op| binary(op, a.clone(), b.clone());
        let value = match op {
            Op::Add => arithmetic(BinaryOp::Add),
            Op::Sub => arithmetic(BinaryOp::Sub),
            Op::Mul => arithmetic(BinaryOp::Mul),
            Op::Div | Op::Mod => {
                self.check(compare(CompareOp::Ne, b.clone(), int(0)));
                return Ok(self.divided(op, a, b, ty, overflow));
            }
            Op::Exp => match power(right) {
                Some(times) => {
                    let factors = std::iter::repeat_n(a.clone(), times as usize);
                    let product = factors.reduce(|x, y| binary(BinaryOp::Mul, x, y));
                    product.unwrap_or_else(|| int(1))
                }
                None => {
                    let arguments =
                        vec![(left.ty.clone(), a.clone()), (right.ty.clone(), b.clone())];
                    self.unknown("power", arguments, &e.ty, e.place)?
                }
            },
            Op::Shl | Op::Shr | Op::ShrToZero => {
                return self.shifted(op, (left, a), (right, b), ty, e);
            }
            _ => return self.bits(op, (left, a), (right, b), e),
        };
        match overflow {
            Overflow::Wrapping => Ok(self.wrapped(value, ty)),
            Overflow::Checked => {
                self.check_range(op, &value, (a, b), ty);
                Ok(value)
            }
        }
    }

    fn check_range(
        &mut self,
        op: Op,
        value: &ast::ExprSyntax,
        (a, b): (ast::ExprSyntax, ast::ExprSyntax),
        ty: Int,
    ) {
        let (least, most) = self.class.limits(ty);
        let holds = if ty.signed {
            let chain = vec![(CompareOp::Le, value.clone()), (CompareOp::Le, most)];
            build::expr(ast::ExprSyntaxKind::Compare(least, chain))
        } else if op == Op::Sub {
            compare(CompareOp::Ge, a, b)
        } else {
            compare(CompareOp::Le, value.clone(), most)
        };
        self.check(holds);
    }

    /// The value in the range of a type, by wrapping around.
    pub(super) fn wrapped(&mut self, value: ast::ExprSyntax, ty: Int) -> ast::ExprSyntax {
        let (least, _) = limits(ty);
        let size = BigInt::one() << u32::from(ty.bits);
        let size = self.class.number(size, &format!("SIZE_{}", ty.bits));
        if ty.signed {
            let half = self.class.number(-least, &format!("SIZE_{}", ty.bits - 1));
            let shifted = binary(BinaryOp::Add, value, half.clone());
            let inside = binary(BinaryOp::Mod, shifted, size);
            binary(BinaryOp::Sub, inside, half)
        } else {
            binary(BinaryOp::Mod, value, size)
        }
    }

    /// `div` and `mod` round down; here it is towards zero.
    fn divided(
        &mut self,
        op: Op,
        a: ast::ExprSyntax,
        b: ast::ExprSyntax,
        ty: Int,
        overflow: Overflow,
    ) -> ast::ExprSyntax {
        let word = if op == Op::Div {
            BinaryOp::Div
        } else {
            BinaryOp::Mod
        };
        if !ty.signed {
            return binary(word, a, b);
        }
        let minus = |e: ast::ExprSyntax| build::expr(ast::ExprSyntaxKind::Neg(e));
        let positive = compare(CompareOp::Ge, a.clone(), int(0));
        let opposite = minus(binary(word, minus(a.clone()), b.clone()));
        let value = choice(positive, binary(word, a.clone(), b.clone()), opposite);
        if op == Op::Mod {
            return value;
        }
        match overflow {
            Overflow::Wrapping => self.wrapped(value, ty),
            Overflow::Checked => {
                let (least, _) = self.class.limits(ty);
                self.check(or(not(equal(a, least)), not(equal(b, int(-1)))));
                value
            }
        }
    }

    fn shifted(
        &mut self,
        op: Op,
        (left, value): (&FlatExpr, ast::ExprSyntax),
        (by, places): (&FlatExpr, ast::ExprSyntax),
        ty: Int,
        e: &FlatExpr,
    ) -> Low<ast::ExprSyntax> {
        let Some(by) = number(by).and_then(ToPrimitive::to_u32) else {
            let called = match op {
                Op::Shl => "shift_left",
                _ => "shift_right",
            };
            let arguments = vec![(left.ty.clone(), value), (by.ty.clone(), places)];
            let shifted = self.unknown(called, arguments, &e.ty, e.place)?;
            return Ok(self.wrapped(shifted, ty));
        };
        let unit = BigInt::one() << by.min(u32::from(ty.bits));
        let unit = self
            .class
            .number(unit, &format!("SIZE_{}", by.min(u32::from(ty.bits))));
        Ok(match op {
            Op::Shl => {
                let product = binary(BinaryOp::Mul, value, unit);
                self.wrapped(product, ty)
            }
            Op::ShrToZero => self.divided(Op::Div, value, unit, ty, Overflow::Wrapping),
            _ => binary(BinaryOp::Div, value, unit),
        })
    }

    /// `&`, `|`, `^`: with a mask of ones at the end exact, else a function of which nothing is known.
    fn bits(
        &mut self,
        op: Op,
        (left, a): (&FlatExpr, ast::ExprSyntax),
        (right, b): (&FlatExpr, ast::ExprSyntax),
        e: &FlatExpr,
    ) -> Low<ast::ExprSyntax> {
        let mask = |e: &FlatExpr| number(e).map(|value| value + 1).filter(is_power_of_two);
        let unsigned = self.integer(&e.ty).is_some_and(|ty| !ty.signed);
        if op == Op::BitAnd && unsigned {
            for (e, other) in [(right, &a), (left, &b)] {
                if let Some(size) = mask(e) {
                    let size = self.class.number(size, "SIZE");
                    return Ok(binary(BinaryOp::Mod, other.clone(), size));
                }
            }
        }
        if let Some(known) = self.known_bits(op, &a, &b) {
            return Ok(known);
        }
        let called = match op {
            Op::BitAnd => "bit_and",
            Op::BitOr => "bit_or",
            Op::BitXor => "bit_xor",
            _ => return refuse(e.place, "this operator is not taken yet"),
        };
        let arguments = vec![(left.ty.clone(), a), (right.ty.clone(), b)];
        let value = self.unknown(called, arguments, &e.ty, e.place)?;
        Ok(match self.integer(&e.ty) {
            Some(ty) => self.wrapped(value, ty),
            None => value,
        })
    }

    /// Operations on bits whose outcome is known: on truth values, and those by which one of two numbers is chosen.
    fn known_bits(
        &self,
        op: Op,
        a: &ast::ExprSyntax,
        b: &ast::ExprSyntax,
    ) -> Option<ast::ExprSyntax> {
        if let (Some(a), Some(b)) = (self.truth(a), self.truth(b)) {
            let both = match op {
                Op::BitAnd => build::and(a, b),
                Op::BitOr => or(a, b),
                _ => compare(CompareOp::Ne, a, b),
            };
            return Some(choice(both, int(1), int(0)));
        }
        if op != Op::BitXor {
            return None;
        }
        // `b ^ ((a ^ b) * c)`, where `c` is 0 or 1, is `a` or `b`.
        [(a, b), (b, a)].into_iter().find_map(|(own, other)| {
            let (difference, chosen) = self.product(other)?;
            let (x, y) = self.exclusive(difference)?;
            let instead = match (x == own, y == own) {
                (_, true) => x,
                (true, _) => y,
                _ => return None,
            };
            Some(choice(chosen, instead.clone(), own.clone()))
        })
    }

    /// `e` without a last `mod` of a constant.
    fn unwrapped<'e>(&self, e: &'e ast::ExprSyntax) -> &'e ast::ExprSyntax {
        match &*e.kind {
            ast::ExprSyntaxKind::Binary(BinaryOp::Mod, value, _) => value,
            _ => e,
        }
    }

    /// What `if c then 1 else 0` says.
    fn truth(&self, e: &ast::ExprSyntax) -> Option<ast::ExprSyntax> {
        let is = |e: &ast::ExprSyntax, n: u8| matches!(&*e.kind, ast::ExprSyntaxKind::Int(m) if *m == n.into());
        match &*e.kind {
            ast::ExprSyntaxKind::If(condition, yes, no) if is(yes, 1) && is(no, 0) => {
                Some(condition.clone())
            }
            ast::ExprSyntaxKind::Int(_) if is(e, 0) => Some(build::bool(false)),
            ast::ExprSyntaxKind::Int(_) if is(e, 1) => Some(build::bool(true)),
            _ => None,
        }
    }

    /// A product of a number and a truth value.
    fn product<'e>(
        &self,
        e: &'e ast::ExprSyntax,
    ) -> Option<(&'e ast::ExprSyntax, ast::ExprSyntax)> {
        let ast::ExprSyntaxKind::Binary(BinaryOp::Mul, a, b) = &*self.unwrapped(e).kind else {
            return None;
        };
        match (self.truth(a), self.truth(b)) {
            (_, Some(chosen)) => Some((a, chosen)),
            (Some(chosen), _) => Some((b, chosen)),
            _ => None,
        }
    }

    /// `bit_xor[a][b]`
    fn exclusive<'e>(
        &self,
        e: &'e ast::ExprSyntax,
    ) -> Option<(&'e ast::ExprSyntax, &'e ast::ExprSyntax)> {
        let ast::ExprSyntaxKind::Index(inner, b) = &*self.unwrapped(e).kind else {
            return None;
        };
        let ast::ExprSyntaxKind::Index(function, a) = &*inner.kind else {
            return None;
        };
        let ast::ExprSyntaxKind::Name(known) = &*function.kind else {
            return None;
        };
        self.class
            .is_function(&known.name, "bit_xor")
            .then_some((a, b))
    }

    fn comparison(
        &mut self,
        op: Op,
        (left, a): (&FlatExpr, ast::ExprSyntax),
        (right, b): (&FlatExpr, ast::ExprSyntax),
    ) -> Low<ast::ExprSyntax> {
        let word = match op {
            Op::Eq => CompareOp::Eq,
            Op::Ne => CompareOp::Ne,
            Op::Lt => CompareOp::Lt,
            Op::Le => CompareOp::Le,
            Op::Gt => CompareOp::Gt,
            _ => CompareOp::Ge,
        };
        let is_order = !matches!(op, Op::Eq | Op::Ne);
        if let (FlatType::Enum(id), true) = (self.class.underlying(&left.ty), is_order) {
            if let Some(limit) = number(right) {
                return self.among(id, &a, |member| word.holds(member.cmp(limit)), left.place);
            }
            if let Some(limit) = number(left) {
                return self.among(id, &b, |member| word.holds(limit.cmp(&member)), right.place);
            }
            let a = self.position(id, &a, left.place)?;
            let b = self.position(id, &b, right.place)?;
            return Ok(compare(word, a, b));
        }
        if let (false, Some(a), Some(b)) = (is_order, self.truth(&a), self.truth(&b)) {
            let known = |e: &ast::ExprSyntax| match *e.kind {
                ast::ExprSyntaxKind::Bool(value) => Some(value == (op == Op::Eq)),
                _ => None,
            };
            return Ok(match (known(&a), known(&b)) {
                (_, Some(true)) => a,
                (_, Some(false)) => not(a),
                (Some(true), _) => b,
                (Some(false), _) => not(b),
                _ => compare(word, a, b),
            });
        }
        if let (false, Some((a, b))) = (is_order, self.hashed(&a, &b)) {
            return Ok(compare(word, a, b));
        }
        Ok(compare(word, a, b))
    }

    /// What two hashes were made of: they are equal where that is.
    fn hashed(
        &self,
        a: &ast::ExprSyntax,
        b: &ast::ExprSyntax,
    ) -> Option<(ast::ExprSyntax, ast::ExprSyntax)> {
        let of = |e: &ast::ExprSyntax| match &*e.kind {
            ast::ExprSyntaxKind::Index(function, made_of) => match &*function.kind {
                ast::ExprSyntaxKind::Name(known)
                    if self.class.is_function(&known.name, "keccak256") =>
                {
                    Some((known.name.clone(), made_of.clone()))
                }
                _ => None,
            },
            _ => None,
        };
        let ((first, a), (second, b)) = (of(a)?, of(b)?);
        (first == second).then_some((a, b))
    }

    /// The integer type that a type is.
    pub(super) fn integer(&self, ty: &FlatType) -> Option<Int> {
        match self.class.underlying(ty) {
            FlatType::Int(int) => Some(int),
            _ => None,
        }
    }
}

/// A literal's number.
fn number(e: &FlatExpr) -> Option<&BigInt> {
    match &e.kind {
        FlatExprKind::Literal(FlatLiteral::Number(value)) => Some(value),
        _ => None,
    }
}

fn power(e: &FlatExpr) -> Option<u32> {
    number(e)?.to_u32().filter(|power| *power <= MAX_POWER)
}

fn is_power_of_two(value: &BigInt) -> bool {
    !value.is_zero() && (value & (value - BigInt::one())).is_zero()
}
