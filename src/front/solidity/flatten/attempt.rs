//! `try … { } catch { }`

use super::types::in_memory;
use super::writer::{RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{Expression, TryClause};
use crate::front::solidity::flat::{CatchKind, FlatCatch, FlatStmtKind, LocalId};
use crate::front::solidity::place::FileRange;

impl RoutineWriter<'_, '_> {
    pub(super) fn attempt(
        &mut self,
        call: &Expression,
        success: &TryClause,
        catches: &[TryClause],
        place: FileRange,
    ) -> Flat<()> {
        let (mut before, value) = self.nested(|w| w.expression(call))?;
        // The call is the last thing that is done for it.
        let attempt = before.pop().filter(|last| {
            matches!(
                last.kind,
                FlatStmtKind::Outside(_) | FlatStmtKind::CallSelf { .. }
            )
        });
        let attempt = attempt.ok_or_else(|| Rejection::at(place, "this call cannot be tried"))?;
        self.out.extend(before);
        let (success_block, ()) = self.nested(|w| {
            w.bind_results(success, value, call)?;
            w.block(&success.block);
            Ok(())
        })?;
        let mut branches = Vec::new();
        for clause in catches {
            branches.push(self.catch(clause)?);
        }
        // `catch Error` and `catch Panic` come before `catch`, wherever they stand.
        branches.sort_by_key(|branch: &FlatCatch| branch.kind == CatchKind::Any);
        let kind = FlatStmtKind::Try {
            attempt: Box::new(attempt),
            success: success_block,
            catches: branches,
        };
        self.write(kind, place)
    }

    /// The results, under the names that the block gives them.
    fn bind_results(
        &mut self,
        success: &TryClause,
        value: WrittenValue,
        call: &Expression,
    ) -> Flat<()> {
        use crate::front::solidity::ast::SolidityType as Ast;
        let values = match value {
            WrittenValue::Tuple(items) => items,
            one => vec![Some(one)],
        };
        let types = match &call.ty {
            Ast::Tuple(types) => types.clone(),
            one => vec![Some(one.clone())],
        };
        let values = values.into_iter().zip(types);
        for (parameter, (value, from)) in success.parameters.iter().zip(values) {
            let (Some(value), Some(from)) = (value, from) else {
                continue;
            };
            let value = self.coerce(value, &from, &parameter.ty, parameter.place)?;
            self.declare(parameter, Some(value), parameter.place)?;
        }
        Ok(())
    }

    fn catch(&mut self, clause: &TryClause) -> Flat<FlatCatch> {
        let kind = match clause.name.as_str() {
            "Error" => CatchKind::Error,
            "Panic" => CatchKind::Panic,
            _ => CatchKind::Any,
        };
        let mut parameter: Option<LocalId> = None;
        let (body, ()) = self.nested(|w| {
            if let Some(variable) = clause.parameters.first() {
                let ty = w.f.ty(&in_memory(&variable.ty), variable.place)?;
                let local = w.local(&variable.name, ty, variable.place);
                let binding = super::writer::Binding::Local(local);
                w.bindings.insert(variable.id, binding);
                parameter = Some(local);
            }
            w.block(&clause.block);
            Ok(())
        })?;
        Ok(FlatCatch {
            kind,
            parameter,
            body,
        })
    }
}
