//! `c ? a : b`, of values, of several values, of storage references.

use super::place::{Form, retold, told};
use super::writer::{RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{Expression, SolidityType as Ast};
use crate::front::solidity::flat::{FlatExpr, FlatExprKind, FlatStmt, FlatStmtKind, Lvalue};
use crate::front::solidity::place::FileRange;

impl RoutineWriter<'_, '_> {
    pub(super) fn conditional(
        &mut self,
        e: &Expression,
        condition: &Expression,
        yes: &Expression,
        no: &Expression,
    ) -> Flat<WrittenValue> {
        let condition = self.value_as(condition, &Ast::Bool)?;
        let (yes_block, yes_value) = self.nested(|w| w.expression_as(yes, &e.ty))?;
        let (no_block, no_value) = self.nested(|w| w.expression_as(no, &e.ty))?;
        if yes_block.is_empty() && no_block.is_empty() {
            return self.choose(condition, yes_value, no_value, e.place);
        }
        self.choose_written(e, condition, (yes_block, yes_value), (no_block, no_value))
    }

    /// A choice between values that need nothing to be done.
    fn choose(
        &mut self,
        condition: FlatExpr,
        yes: WrittenValue,
        no: WrittenValue,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        match (yes, no) {
            (WrittenValue::Expr(yes), WrittenValue::Expr(no)) => {
                let ty = yes.ty.clone();
                let kind =
                    FlatExprKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
                Ok(WrittenValue::Expr(FlatExpr::new(kind, ty, place)))
            }
            (WrittenValue::Tuple(yes), WrittenValue::Tuple(no)) => {
                let condition = self.keep(condition)?;
                let mut items = Vec::new();
                for pair in yes.into_iter().zip(no) {
                    items.push(match pair {
                        (Some(yes), Some(no)) => {
                            Some(self.choose(condition.clone(), yes, no, place)?)
                        }
                        _ => None,
                    });
                }
                Ok(WrittenValue::Tuple(items))
            }
            (WrittenValue::Place(yes), WrittenValue::Place(no)) => {
                self.choose_place(condition, yes, no, place)
            }
            _ => Err(Rejection::at(place, "functions as values are not taken")),
        }
    }

    /// A choice between storage references: of places of one form, the keys are chosen.
    fn choose_place(
        &mut self,
        condition: FlatExpr,
        yes: Lvalue,
        no: Lvalue,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        if Form::of(&yes) != Form::of(&no) {
            let what = "a storage reference may refer to places in different variables";
            return Err(Rejection::at(place, what));
        }
        let condition = self.keep(condition)?;
        // What is checked on the way to the place is checked only on the way that is taken.
        let (yes_block, yes) = self.nested(|w| w.taken(yes))?;
        let (no_block, no) = self.nested(|w| w.taken(no))?;
        if !(yes_block.is_empty() && no_block.is_empty()) {
            self.write(
                FlatStmtKind::If(condition.clone(), yes_block, no_block),
                place,
            )?;
        }
        let keys: Vec<FlatExpr> = told(&yes)
            .zip(told(&no))
            .map(|(yes, no)| {
                let kind = FlatExprKind::Conditional(
                    Box::new(condition.clone()),
                    Box::new(yes.clone()),
                    Box::new(no.clone()),
                );
                FlatExpr::new(kind, yes.ty.clone(), place)
            })
            .collect();
        Ok(WrittenValue::Place(retold(&yes, keys)))
    }

    /// A choice between values that need something to be done: they go into variables.
    fn choose_written(
        &mut self,
        e: &Expression,
        condition: FlatExpr,
        (mut yes_block, yes): (Vec<FlatStmt>, WrittenValue),
        (mut no_block, no): (Vec<FlatStmt>, WrittenValue),
    ) -> Flat<WrittenValue> {
        let (WrittenValue::Expr(yes), WrittenValue::Expr(no)) = (yes, no) else {
            let what = "a choice between storage references, or of several values, that calls functions is not taken";
            return Err(Rejection::at(e.place, what));
        };
        let ty = yes.ty.clone();
        let local = self.temporary(ty.clone(), e.place);
        let set = |expr: FlatExpr| {
            let kind = FlatStmtKind::Declare(local, Some(expr));
            FlatStmt::new(kind, e.place)
        };
        yes_block.push(set(yes));
        no_block.push(set(no));
        self.write(FlatStmtKind::If(condition, yes_block, no_block), e.place)?;
        Ok(WrittenValue::Expr(FlatExpr::local(local, ty, e.place)))
    }
}
