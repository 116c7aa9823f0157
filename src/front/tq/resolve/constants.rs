//! Constants with a value: each becomes a literal, so that a use of it is a literal, too.

use std::collections::HashMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};

use super::super::ast::{self, Ident};
use super::cycles::{order, shown};
use super::expressions::make;
use super::scope::{Position, Scope};
use super::{Resolver, TypeEntity, ValueEntity};
use crate::ir::Diagnostic;
use crate::ir::span::Span;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{ClassId, Expr, ExprKind, MachineInt, Type};

/// The largest constant, in bits: more than the longest literal has.
const MAX_BITS: u64 = 4096;

/// A constant: its class, and its index there.
type ConstantRef = (ClassId, usize);

impl<'a> Resolver<'a> {
    pub(super) fn constants(&mut self) {
        let all: Vec<ConstantRef> = self
            .classes
            .iter()
            .enumerate()
            .flat_map(|(class, info)| {
                (0..info.constants.len()).map(move |index| (ClassId(class), index))
            })
            .collect();
        let numbers: HashMap<ConstantRef, usize> =
            all.iter().enumerate().map(|(i, &c)| (c, i)).collect();
        let needs: Vec<Vec<usize>> = all
            .iter()
            .map(|constant| {
                let needed = self.needed(*constant);
                needed
                    .iter()
                    .filter_map(|c| numbers.get(c).copied())
                    .collect()
            })
            .collect();
        let order = order(&needs);
        for cycle in order.cycles {
            let cycle: Vec<ConstantRef> = cycle.iter().map(|&i| all[i]).collect();
            self.cyclic_constants(&cycle);
        }
        for index in order.nodes {
            self.constant_value(all[index]);
        }
    }

    /// The constants that occur in the value of a constant.
    fn needed(&self, (class, index): ConstantRef) -> Vec<ConstantRef> {
        let mut needed = Vec::new();
        let mut open = vec![self.class_info(class).constants[index].expr];
        while let Some(e) = open.pop() {
            let (owner, name) = match &*e.kind {
                ast::ExprSyntaxKind::Name(name) => (Some(class), name),
                ast::ExprSyntaxKind::Dot(object, name) => (self.class_before_dot(object), name),
                _ => {
                    open.extend(e.children());
                    continue;
                }
            };
            let Some(owner) = owner else { continue };
            let value = self.class_info(owner).values.get(name.name.as_str());
            if let Some(&ValueEntity::Constant(index)) = value {
                needed.push((owner, index));
            }
        }
        needed
    }

    fn class_before_dot(&self, object: &ast::ExprSyntax) -> Option<ClassId> {
        let ast::ExprSyntaxKind::Name(name) = &*object.kind else {
            return None;
        };
        match self.types.get(name.name.as_str()) {
            Some(TypeEntity::Class(class)) => Some(*class),
            _ => None,
        }
    }

    fn cyclic_constants(&mut self, cycle: &[ConstantRef]) {
        let constants = cycle
            .iter()
            .map(|&(class, index)| &self.class_info(class).constants[index]);
        let names: Vec<&Ident> = constants.map(|constant| constant.name).collect();
        let place = names.first().map_or(Span::default(), |name| name.span);
        let shown = shown(names.iter().map(|name| name.name.as_str()).collect());
        let message = format!("the value of a constant needs itself: {shown}");
        self.report(Diagnostic::error(message).at(place, ""));
    }

    fn constant_value(&mut self, (class, index): ConstantRef) {
        let constant = &self.class_info(class).constants[index];
        let (expr, ty) = (constant.expr, constant.ty.clone());
        let Some(ty) = ty else { return };
        let Some(value) = Scope::new(self, class, Position::Constant).value(expr, &ty) else {
            return;
        };
        match evaluate(&value) {
            Ok(literal) if ty == Type::Nat && is_negative(&literal) => {
                self.report(Diagnostic::error("a `nat` is never negative").at(value.span, ""));
            }
            Ok(literal) if is_outside(&literal, &ty) => {
                let ty = self.program.type_name(&ty);
                let message = format!("this is no value of `{ty}`");
                self.report(Diagnostic::error(message).at(value.span, ""));
            }
            Ok(literal) => self.classes[class.0].constants[index].value = Some(literal),
            Err((span, message)) => self.report(Diagnostic::error(message).at(span, "")),
        }
    }
}

fn is_negative(e: &Expr) -> bool {
    matches!(&*e.kind, ExprKind::Int(value) if value.is_negative())
}

/// Whether this number is none that the type promises.
fn is_outside(e: &Expr, ty: &Type) -> bool {
    match (&*e.kind, ty) {
        (ExprKind::Int(value), Type::Within(m)) => *value < (*m).min() || *value > (*m).max(),
        _ => false,
    }
}

/// The literal that an expression over literals is equal to, or what is wrong with it, and where.
fn evaluate(e: &Expr) -> Result<Expr, (Span, &'static str)> {
    let kind = match &*e.kind {
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Member(..)
        | ExprKind::Named(..)
        | ExprKind::Null => return Ok(e.clone()),
        ExprKind::Convert(inner) => ExprKind::Int(wrapped(integer(inner)?, &e.ty)),
        ExprKind::Neg(inner) => ExprKind::Int(wrapped(-integer(inner)?, &e.ty)),
        ExprKind::Not(inner) => ExprKind::Bool(!boolean(inner)?),
        ExprKind::Binary(op, left, right) => binary(*op, left, right, e)?,
        ExprKind::Compare(op, left, right) => {
            ExprKind::Bool(compare(*op, &evaluate(left)?, &evaluate(right)?))
        }
        ExprKind::If(condition, then, otherwise) => {
            let chosen = if boolean(condition)? { then } else { otherwise };
            return evaluate(chosen);
        }
        _ => return Err((e.span, "this is not a constant value")),
    };
    Ok(make(kind, e.ty.clone(), e.span))
}

fn integer(e: &Expr) -> Result<BigInt, (Span, &'static str)> {
    match &*evaluate(e)?.kind {
        ExprKind::Int(value) => Ok(value.clone()),
        _ => Err((e.span, "this is not a constant integer")),
    }
}

fn boolean(e: &Expr) -> Result<bool, (Span, &'static str)> {
    match *evaluate(e)?.kind {
        ExprKind::Bool(value) => Ok(value),
        _ => Err((e.span, "this is not a constant boolean")),
    }
}

fn binary(
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    whole: &Expr,
) -> Result<ExprKind, (Span, &'static str)> {
    let value = match op {
        BinaryOp::And => return Ok(ExprKind::Bool(boolean(left)? && boolean(right)?)),
        BinaryOp::Or => return Ok(ExprKind::Bool(boolean(left)? || boolean(right)?)),
        BinaryOp::Implies => return Ok(ExprKind::Bool(!boolean(left)? || boolean(right)?)),
        BinaryOp::Iff => return Ok(ExprKind::Bool(boolean(left)? == boolean(right)?)),
        BinaryOp::Add => integer(left)? + integer(right)?,
        BinaryOp::Sub => integer(left)? - integer(right)?,
        BinaryOp::Mul => integer(left)? * integer(right)?,
        BinaryOp::Div | BinaryOp::Mod => {
            let (a, b) = (integer(left)?, integer(right)?);
            if b.is_zero() {
                return Err((right.span, "division by zero"));
            }
            let (quotient, remainder) = euclidean(&a, &b);
            if op == BinaryOp::Div {
                quotient
            } else {
                remainder
            }
        }
    };
    let value = wrapped(value, &whole.ty);
    if value.bits() > MAX_BITS {
        return Err((whole.span, "this constant is too large"));
    }
    Ok(ExprKind::Int(value))
}

/// Quotient and remainder, where the remainder is never negative.
fn euclidean(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let remainder = a.mod_floor(&b.abs());
    ((a - &remainder) / b, remainder)
}

/// The value in the range of a machine type; as it is in any other type.
fn wrapped(value: BigInt, ty: &Type) -> BigInt {
    match ty {
        Type::Machine(machine) => {
            let (min, modulus) = (MachineInt::min(*machine), machine.modulus());
            (value - &min).mod_floor(&modulus) + min
        }
        _ => value,
    }
}

fn compare(op: CompareOp, left: &Expr, right: &Expr) -> bool {
    match (&*left.kind, &*right.kind) {
        (ExprKind::Int(a), ExprKind::Int(b)) => op.holds(a.cmp(b)),
        (ExprKind::Bool(a), ExprKind::Bool(b)) => op.holds(a.cmp(b)),
        (ExprKind::Member(_, a), ExprKind::Member(_, b))
        | (ExprKind::Named(_, a), ExprKind::Named(_, b)) => op.holds(a.cmp(b)),
        // All that is left is `null`.
        _ => op == CompareOp::Eq,
    }
}
