//! Expressions: what they do is written before, what they are is given back.

use super::writer::{RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{
    CallKind, Expression, ExpressionKind as E, Literal as AstLiteral, Location, SolidityType as Ast,
};
use crate::front::solidity::flat::{
    AccessStep, FlatExpr, FlatExprKind, FlatLiteral, FlatStmtKind, FlatType, Lvalue, Root,
    SolidityBuiltin,
};
use crate::front::solidity::place::FileRange;

impl RoutineWriter<'_, '_> {
    /// An expression for its value.
    pub(super) fn expression(&mut self, e: &Expression) -> Flat<WrittenValue> {
        self.f.count(e.place)?;
        // The compiler has computed what consists of literals.
        if let Ast::Rational(numerator, denominator) = &e.ty {
            return self.rational(numerator, denominator, e.place);
        }
        match &e.kind {
            E::Literal(literal) => self.literal(literal, e),
            E::Name { name, declaration } => self.name(e, name, *declaration),
            E::Member {
                base,
                member,
                declaration,
            } => self.member(e, base, member, *declaration),
            E::Index {
                base,
                index: Some(index),
            } => self.index(e, base, index),
            E::Index { index: None, .. } | E::TypeName | E::New(_) => Ok(WrittenValue::Word),
            E::Slice { base, start, end } => self.slice(e, base, start.as_deref(), end.as_deref()),
            E::Call(call) => match call.kind {
                CallKind::Function => self.call(e, call),
                CallKind::Conversion => self.conversion(e, call),
                CallKind::Struct => self.new_struct(e, call),
            },
            E::Options { .. } => Err(Rejection::at(e.place, "functions as values are not taken")),
            E::Unary {
                operator,
                prefix,
                operand,
                function,
            } => self.unary(e, *operator, *prefix, operand, *function),
            E::Binary {
                operator,
                left,
                right,
                common,
                function,
            } => self.binary(e, *operator, (left, right), common, *function),
            E::Conditional { condition, yes, no } => self.conditional(e, condition, yes, no),
            E::Assign {
                operator,
                target,
                value,
            } => self.assign(e, *operator, target, value),
            E::Tuple(items) => self.tuple(items),
            E::Array(elements) => self.elements(e, elements),
        }
    }

    /// An expression for what it does.
    pub(super) fn effect(&mut self, e: &Expression) -> Flat<()> {
        match &e.kind {
            E::Tuple(items) => {
                return items
                    .iter()
                    .flatten()
                    .try_for_each(|item| self.effect(item));
            }
            E::Assign {
                operator,
                target,
                value,
            } => return self.assign_only(e, *operator, target, value),
            E::Unary {
                operator,
                operand,
                function: None,
                ..
            } if operator.assigns() => return self.step_only(e, *operator, operand),
            _ => {}
        }
        let value = self.expression(e)?;
        self.for_reverts(value, e.place)
    }

    /// Keeps what may revert, though nobody wants its value.
    pub(super) fn for_reverts(&mut self, value: WrittenValue, place: FileRange) -> Flat<()> {
        match value {
            WrittenValue::Expr(expr)
                if crate::front::solidity::flat::effects::may_revert(&expr) =>
            {
                self.write(FlatStmtKind::Evaluate(expr), place)
            }
            WrittenValue::Place(lvalue) => self.taken(lvalue).map(|_| ()),
            WrittenValue::Tuple(items) => {
                let mut items = items.into_iter().flatten();
                items.try_for_each(|item| self.for_reverts(item, place))
            }
            WrittenValue::Expr(_) | WrittenValue::Function(_) | WrittenValue::Word => Ok(()),
        }
    }

    fn literal(&mut self, literal: &AstLiteral, e: &Expression) -> Flat<WrittenValue> {
        let expr = match literal {
            AstLiteral::Bool(value) => FlatExpr::bool(*value, e.place),
            AstLiteral::Bytes(bytes) => {
                let ty = match &e.ty {
                    Ast::StringLiteral => FlatType::String,
                    other => self.f.ty(other, e.place)?,
                };
                let literal = FlatLiteral::Bytes(bytes.clone());
                FlatExpr::new(FlatExprKind::Literal(literal), ty, e.place)
            }
            // A number that is not of a literal's type is an address.
            AstLiteral::Number(text) => {
                let digits = text.trim_start_matches("0x").replace('_', "");
                let value = num_bigint::BigInt::parse_bytes(digits.as_bytes(), 16);
                let value =
                    value.ok_or_else(|| Rejection::at(e.place, "this number is not read"))?;
                let ty = self.f.ty(&e.ty, e.place)?;
                FlatExpr::number(value, ty, e.place)
            }
        };
        Ok(WrittenValue::Expr(expr))
    }

    fn index(
        &mut self,
        e: &Expression,
        base: &Expression,
        index: &Expression,
    ) -> Flat<WrittenValue> {
        if matches!(base.ty, Ast::Name(_)) {
            return Ok(WrittenValue::Word);
        }
        let (base_value, index_value) = self.base_and_index(base, index)?;
        match base_value {
            WrittenValue::Place(lvalue) => {
                let step = match &lvalue.ty {
                    FlatType::Mapping(key, _) => {
                        AccessStep::Key(self.convert(index_value, &key.clone()))
                    }
                    _ => AccessStep::Index {
                        index: self.convert(index_value, &FlatType::UINT),
                        checked: true,
                    },
                };
                let lvalue = self.step(lvalue, step, e.place)?;
                Ok(self.contents(lvalue, e.place))
            }
            WrittenValue::Expr(base) => {
                let index = self.convert(index_value, &FlatType::UINT);
                if matches!(self.f.types.underlying(&base.ty), FlatType::FixedBytes(_)) {
                    let kind = FlatExprKind::ByteAt(Box::new(base), Box::new(index));
                    return Ok(WrittenValue::Expr(FlatExpr::new(
                        kind,
                        FlatType::FixedBytes(1),
                        e.place,
                    )));
                }
                let checked = true;
                let lvalue = self.inside(base, AccessStep::Index { index, checked }, e.place)?;
                Ok(self.contents(lvalue, e.place))
            }
            _ => Err(Rejection::at(e.place, "this cannot be indexed")),
        }
    }

    /// The base first, then the index: both ways of the compiler do so.
    fn base_and_index(
        &mut self,
        base: &Expression,
        index: &Expression,
    ) -> Flat<(WrittenValue, FlatExpr)> {
        let mut base_value = self.expression(base)?;
        let mark = self.out.len();
        let to = match &base.ty {
            Ast::Mapping(key, _) => super::types::in_memory(key),
            _ => index.ty.clone(),
        };
        let index_value = self.value_as(index, &to)?;
        self.freeze([&mut base_value], mark)?;
        Ok((base_value, index_value))
    }

    fn slice(
        &mut self,
        e: &Expression,
        base: &Expression,
        start: Option<&Expression>,
        end: Option<&Expression>,
    ) -> Flat<WrittenValue> {
        let parts: Vec<&Expression> = std::iter::once(base).chain(start).chain(end).collect();
        let mut values = self.sequence(&parts, false)?.into_iter();
        let base_value = values.next().unwrap_or(WrittenValue::Word);
        let base_expr = self.plain(base_value, base.place)?;
        let mut bound = |writer: &mut Self, present: Option<&Expression>| match present {
            Some(_) => {
                let value = values.next().unwrap_or(WrittenValue::Word);
                let expr = writer.plain(value, e.place)?;
                Ok(Some(Box::new(writer.convert(expr, &FlatType::UINT))))
            }
            None => Ok(None),
        };
        let from = bound(self, start)?;
        let to = bound(self, end)?;
        let ty = base_expr.ty.clone();
        let kind = FlatExprKind::Slice(Box::new(base_expr), from, to);
        Ok(WrittenValue::Expr(FlatExpr::new(kind, ty, e.place)))
    }

    fn tuple(&mut self, items: &[Option<Expression>]) -> Flat<WrittenValue> {
        if let [Some(one)] = items {
            return self.expression(one);
        }
        let present: Vec<&Expression> = items.iter().flatten().collect();
        let mut values = self.sequence(&present, false)?.into_iter();
        let values = items
            .iter()
            .map(|item| item.as_ref().and_then(|_| values.next()));
        Ok(WrittenValue::Tuple(values.collect()))
    }

    fn elements(&mut self, e: &Expression, elements: &[Expression]) -> Flat<WrittenValue> {
        let Ast::Array(element, ..) = &e.ty else {
            return Ok(WrittenValue::Word);
        };
        // `[uint256]`: not a value, but the name of a type in `abi.decode`.
        if elements.iter().any(|e| matches!(e.ty, Ast::Name(_))) {
            return Ok(WrittenValue::Word);
        }
        let to = super::types::in_memory(element);
        let present: Vec<&Expression> = elements.iter().collect();
        let values = self.sequence(&present, false)?;
        let exprs = self.plain_all(values, &present, |_| Some(to.clone()))?;
        let ty = self.f.ty(&e.ty, e.place)?;
        Ok(WrittenValue::Expr(FlatExpr::new(
            FlatExprKind::NewElements(exprs),
            ty,
            e.place,
        )))
    }

    /// Values as expressions of the types that they are to have; without one, of their own in memory.
    pub(super) fn plain_all(
        &mut self,
        values: Vec<WrittenValue>,
        of: &[&Expression],
        to: impl Fn(usize) -> Option<Ast>,
    ) -> Flat<Vec<FlatExpr>> {
        let mut exprs = Vec::new();
        for (at, (value, e)) in values.into_iter().zip(of).enumerate() {
            let to = to(at).unwrap_or_else(|| mobile(&e.ty));
            let value = self.coerce(value, &e.ty, &to, e.place)?;
            exprs.push(self.plain(value, e.place)?);
        }
        Ok(exprs)
    }

    /// `bytes(s)` of a string in storage is the same place.
    pub(super) fn retyped(
        &mut self,
        mut lvalue: Lvalue,
        to: &Ast,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        let to = self.f.ty(to, place)?;
        match (&lvalue.ty, &to) {
            (FlatType::Bytes | FlatType::String, FlatType::Bytes | FlatType::String) => {
                lvalue.ty = to;
                Ok(WrittenValue::Place(lvalue))
            }
            (from, _) if *from == to => Ok(WrittenValue::Place(lvalue)),
            _ => {
                let loaded = self.plain(WrittenValue::Place(lvalue), place)?;
                Ok(WrittenValue::Expr(self.convert(loaded, &to)))
            }
        }
    }

    /// The value of a function that is always there.
    pub(super) fn builtin_value(
        &self,
        builtin: SolidityBuiltin,
        arguments: Vec<FlatExpr>,
        ty: FlatType,
        place: FileRange,
    ) -> WrittenValue {
        WrittenValue::Expr(FlatExpr::new(
            FlatExprKind::Builtin(builtin, arguments),
            ty,
            place,
        ))
    }

    /// Whether a place has been found whose finding again would do something again.
    pub(super) fn settled(&mut self, mut lvalue: Lvalue) -> Flat<Lvalue> {
        if let Root::Memory(base) = &lvalue.root
            && makes_something(base)
        {
            let kept = self.keep(base.as_ref().clone())?;
            lvalue.root = Root::Memory(Box::new(kept));
        }
        Ok(lvalue)
    }
}

/// Whether an expression makes something new in memory each time it is evaluated.
fn makes_something(expr: &FlatExpr) -> bool {
    match &expr.kind {
        FlatExprKind::Read(Lvalue {
            root: Root::Memory(base),
            ..
        }) => makes_something(base),
        FlatExprKind::Read(_) => false,
        FlatExprKind::Convert(inner) => makes_something(inner),
        _ => !expr.ty.is_value(),
    }
}

/// The type that a value has when nothing says what it is to be: literals get one, and all is in memory.
pub(super) fn mobile(ty: &Ast) -> Ast {
    match ty {
        Ast::Rational(numerator, _) => Ast::Int(super::types::smallest(numerator)),
        Ast::StringLiteral => Ast::String(Location::Memory),
        Ast::Tuple(items) => {
            let items = items.iter().map(|item| item.as_ref().map(mobile));
            Ast::Tuple(items.collect())
        }
        other => super::types::in_memory(other),
    }
}
