//! Assignments, `++`, `--` and `delete`.

use super::writer::{Binding, RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{
    Binary, Expression, ExpressionKind as E, SolidityType as Ast, Unary,
};
use crate::front::solidity::flat::{
    FlatBinaryOp, FlatExpr, FlatExprKind, FlatStmtKind, FlatType, LocalId, Lvalue,
};
use crate::front::solidity::place::FileRange;

/// What can be assigned to.
#[derive(Clone, Debug)]
pub(super) enum AssignTarget {
    /// A place.
    Place(Lvalue),
    /// A storage reference, by its number.
    Pointer(usize),
    /// The length of an array in storage.
    Length(Lvalue),
    /// Several; a hole takes nothing.
    Tuple(Vec<Option<AssignTarget>>),
}

impl RoutineWriter<'_, '_> {
    /// `target = value`, for its value too.
    pub(super) fn assign(
        &mut self,
        e: &Expression,
        operator: Option<Binary>,
        target: &Expression,
        value: &Expression,
    ) -> Flat<WrittenValue> {
        let assigned = self.do_assign(e, operator, target, value)?;
        self.assigned_value(assigned, e.place)
    }

    /// `target = value`
    pub(super) fn assign_only(
        &mut self,
        e: &Expression,
        operator: Option<Binary>,
        target: &Expression,
        value: &Expression,
    ) -> Flat<()> {
        self.do_assign(e, operator, target, value).map(|_| ())
    }

    /// The value first, then where it goes: both ways of the compiler do so.
    fn do_assign(
        &mut self,
        e: &Expression,
        operator: Option<Binary>,
        target: &Expression,
        value: &Expression,
    ) -> Flat<AssignTarget> {
        let mut right = self.expression(value)?;
        let mark = self.out.len();
        let left = self.target(target)?;
        self.freeze([&mut right], mark)?;
        let Some(operator) = operator else {
            self.store(left.clone(), right, &value.ty, &target.ty, e.place)?;
            return Ok(left);
        };
        let AssignTarget::Place(lvalue) = left else {
            return Err(Rejection::at(e.place, "this cannot be assigned to"));
        };
        let lvalue = self.settled(lvalue)?;
        let right = self.operand(right, operator, value, &target.ty)?;
        let old = FlatExpr::new(
            FlatExprKind::Read(lvalue.clone()),
            lvalue.ty.clone(),
            e.place,
        );
        let new = self.combined(operator, old, right, e.place)?;
        self.write(FlatStmtKind::Assign(lvalue.clone(), new), e.place)?;
        Ok(AssignTarget::Place(lvalue))
    }

    /// The right operand of `x op= y`: of the type of `x`, but for shifts and powers.
    fn operand(
        &mut self,
        right: WrittenValue,
        operator: Binary,
        value: &Expression,
        target: &Ast,
    ) -> Flat<FlatExpr> {
        let to = match operator {
            Binary::Shl | Binary::Shr | Binary::Exp => super::expression::mobile(&value.ty),
            _ => target.clone(),
        };
        let right = self.coerce(right, &value.ty, &to, value.place)?;
        self.plain(right, value.place)
    }

    fn assigned_value(&mut self, target: AssignTarget, place: FileRange) -> Flat<WrittenValue> {
        match target {
            AssignTarget::Place(lvalue) => Ok(self.contents(lvalue, place)),
            AssignTarget::Pointer(number) => self.pointed(number, place).map(WrittenValue::Place),
            AssignTarget::Length(lvalue) => {
                Ok(WrittenValue::Expr(self.storage_length(lvalue, place)))
            }
            AssignTarget::Tuple(items) => {
                let mut values = Vec::new();
                for item in items {
                    values.push(match item {
                        Some(item) => Some(self.assigned_value(item, place)?),
                        None => None,
                    });
                }
                Ok(WrittenValue::Tuple(values))
            }
        }
    }

    /// What an expression that is assigned to means.
    fn target(&mut self, e: &Expression) -> Flat<AssignTarget> {
        match &e.kind {
            E::Tuple(items) => {
                if let [Some(one)] = items.as_slice() {
                    return self.target(one);
                }
                let mut targets: Vec<Option<AssignTarget>> = Vec::new();
                for item in items {
                    let mark = self.out.len();
                    let target = match item {
                        Some(item) => Some(self.target(item)?),
                        None => None,
                    };
                    self.freeze_targets(targets.iter_mut().flatten(), mark)?;
                    targets.push(target);
                }
                Ok(AssignTarget::Tuple(targets))
            }
            E::Name {
                declaration: Some(id),
                ..
            } if matches!(self.bindings.get(id), Some(Binding::Pointer(_))) => {
                match self.bindings.get(id) {
                    Some(Binding::Pointer(number)) => Ok(AssignTarget::Pointer(*number)),
                    _ => Err(Rejection::default()),
                }
            }
            // Until 0.5 the length of an array could be set.
            E::Member { base, member, .. } if member == "length" && base.ty.in_storage() => {
                match self.expression(base)? {
                    WrittenValue::Place(lvalue) => Ok(AssignTarget::Length(lvalue)),
                    _ => Err(Rejection::at(e.place, "this cannot be assigned to")),
                }
            }
            _ => match self.expression(e)? {
                WrittenValue::Place(lvalue)
                | WrittenValue::Expr(FlatExpr {
                    kind: FlatExprKind::Read(lvalue),
                    ..
                }) => Ok(AssignTarget::Place(lvalue)),
                _ => Err(Rejection::at(e.place, "this cannot be assigned to")),
            },
        }
    }

    fn freeze_targets<'t>(
        &mut self,
        targets: impl Iterator<Item = &'t mut AssignTarget>,
        mark: usize,
    ) -> Flat<()> {
        let changed = self.changed_since(mark);
        let after = self.out.split_off(mark.min(self.out.len()));
        let mut result = Ok(());
        for target in targets {
            if let AssignTarget::Place(lvalue) | AssignTarget::Length(lvalue) = target {
                result = result.and_then(|()| self.freeze_steps(lvalue, &changed));
            }
        }
        self.out.extend(after);
        result
    }

    /// Writes a value where it goes. The parts of a tuple go from right to left.
    pub(super) fn store(
        &mut self,
        target: AssignTarget,
        value: WrittenValue,
        from: &Ast,
        to: &Ast,
        place: FileRange,
    ) -> Flat<()> {
        match (target, value) {
            (AssignTarget::Tuple(targets), WrittenValue::Tuple(values)) => {
                self.store_tuple(targets, values, (from, to), place)
            }
            (AssignTarget::Pointer(number), value) => self.set_pointer(number, value, place),
            (AssignTarget::Place(lvalue), value) => {
                let expr = self.stored(&lvalue, value, from, to, place)?;
                self.write(FlatStmtKind::Assign(lvalue, expr), place)
            }
            (AssignTarget::Length(lvalue), value) => {
                let length = self.plain(value, place)?;
                let length = self.convert(length, &FlatType::UINT);
                self.write(FlatStmtKind::Resize(lvalue, length), place)
            }
            (AssignTarget::Tuple(_), _) => Err(Rejection::at(place, "several values are expected")),
        }
    }

    fn store_tuple(
        &mut self,
        targets: Vec<Option<AssignTarget>>,
        mut values: Vec<Option<WrittenValue>>,
        (from, to): (&Ast, &Ast),
        place: FileRange,
    ) -> Flat<()> {
        let part = |ty: &Ast, at: usize| match ty {
            Ast::Tuple(items) => items.get(at).cloned().flatten(),
            _ => None,
        };
        // Until 0.4 a tuple might have fewer places than values, the hole being at either end.
        let shift = match targets.first() {
            Some(None) => values.len().saturating_sub(targets.len()),
            _ => 0,
        };
        let mut targets = targets;
        while let Some(target) = targets.pop() {
            let at = targets.len() + shift;
            let (Some(target), Some(Some(value))) = (target, values.get(at).cloned()) else {
                continue;
            };
            let from = part(from, at).unwrap_or(Ast::Bool);
            let to = part(to, targets.len()).unwrap_or(from.clone());
            let mark = self.out.len();
            self.store(target, value, &from, &to, place)?;
            let waiting = values.iter_mut().take(at).flatten();
            self.freeze(waiting, mark)?;
            self.freeze_targets(targets.iter_mut().flatten(), mark)?;
        }
        Ok(())
    }

    /// A value as the place that it goes to takes it.
    fn stored(
        &mut self,
        lvalue: &Lvalue,
        value: WrittenValue,
        from: &Ast,
        to: &Ast,
        place: FileRange,
    ) -> Flat<FlatExpr> {
        let expr = if lvalue.in_storage() && !lvalue.ty.is_value() {
            // What a reference refers to is copied, from wherever it is.
            self.plain(value, place)?
        } else {
            let value = self.coerce(value, from, &super::types::in_memory(to), place)?;
            self.plain(value, place)?
        };
        Ok(self.convert(expr, &lvalue.ty))
    }

    /// `x++`, `--x`, `delete x`, for what they do.
    pub(super) fn step_only(
        &mut self,
        e: &Expression,
        operator: Unary,
        operand: &Expression,
    ) -> Flat<()> {
        let target = self.target(operand)?;
        self.do_step(target, operator, e.place).map(|_| ())
    }

    /// `x++`, `--x`, `delete x`, for their value too.
    pub(super) fn step_value(
        &mut self,
        e: &Expression,
        operator: Unary,
        prefix: bool,
        operand: &Expression,
    ) -> Flat<WrittenValue> {
        let target = self.target(operand)?;
        let old = match (&target, prefix) {
            (AssignTarget::Place(lvalue), false) => {
                let read = FlatExprKind::Read(lvalue.clone());
                let read = FlatExpr::new(read, lvalue.ty.clone(), e.place);
                Some(self.keep(read)?)
            }
            _ => None,
        };
        let target = self.do_step(target, operator, e.place)?;
        match old {
            Some(old) => Ok(WrittenValue::Expr(old)),
            None if operator == Unary::Delete => Ok(WrittenValue::Word),
            None => self.assigned_value(target, e.place),
        }
    }

    fn do_step(
        &mut self,
        target: AssignTarget,
        operator: Unary,
        place: FileRange,
    ) -> Flat<AssignTarget> {
        if let AssignTarget::Length(lvalue) = target {
            let length = self.storage_length(lvalue.clone(), place);
            let new = self.stepped(length, operator, place);
            self.write(FlatStmtKind::Resize(lvalue.clone(), new), place)?;
            return Ok(AssignTarget::Length(lvalue));
        }
        let AssignTarget::Place(lvalue) = target else {
            return Err(Rejection::at(place, "this cannot be changed so"));
        };
        let lvalue = self.settled(lvalue)?;
        let old = FlatExpr::new(FlatExprKind::Read(lvalue.clone()), lvalue.ty.clone(), place);
        let new = self.stepped(old, operator, place);
        self.write(FlatStmtKind::Assign(lvalue.clone(), new), place)?;
        Ok(AssignTarget::Place(lvalue))
    }

    fn stepped(&self, old: FlatExpr, operator: Unary, place: FileRange) -> FlatExpr {
        let ty = old.ty.clone();
        if operator == Unary::Delete {
            return FlatExpr::new(FlatExprKind::Default, ty, place);
        }
        let op = match operator {
            Unary::Decrement => FlatBinaryOp::Sub,
            _ => FlatBinaryOp::Add,
        };
        let one = FlatExpr::number(1, ty, place);
        self.arithmetic(op, old, one, place)
    }

    /// Sets a local variable.
    pub(super) fn set_local(
        &mut self,
        local: LocalId,
        expr: FlatExpr,
        place: FileRange,
    ) -> Flat<()> {
        let ty = expr.ty.clone();
        let lvalue = Lvalue::local(local, ty, place);
        self.write(FlatStmtKind::Assign(lvalue, expr), place)
    }
}
