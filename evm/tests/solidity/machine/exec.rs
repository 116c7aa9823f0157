//! Statements.

use std::collections::BTreeMap;

use num_traits::ToPrimitive;
use tranquera::front::solidity::flat::{
    AccessStep, FlatExpr, FlatStmt, FlatStmtKind, FlatType, LabelId, LocalId, Lvalue, Root,
    RoutineId,
};

use super::{
    Cell, Data, Frame, Machine, Message, Object, Run, Stop, Value, decode, local_type, unsupported,
};

/// How statements end.
pub(super) enum Flow {
    On,
    Leave(LabelId),
}

impl Machine<'_> {
    /// Calls a routine: its results.
    pub(super) fn call(
        &mut self,
        id: RoutineId,
        arguments: Vec<Value>,
        message: &Message,
    ) -> Run<Vec<Value>> {
        self.burn()?;
        let contract = self.contract;
        let routine = contract.routine(id).expect("a routine");
        let mut frame = Frame {
            routine: id,
            locals: BTreeMap::new(),
            message: message.clone(),
        };
        for (parameter, argument) in routine.parameters.iter().zip(arguments) {
            frame.locals.insert(*parameter, argument);
        }
        for result in &routine.results {
            let zero = self.zero(&local_type(routine, *result))?;
            frame.locals.insert(*result, zero);
        }
        match self.block(&mut frame, &routine.body)? {
            Flow::On => {}
            Flow::Leave(label) => return unsupported(format!("{label:?} is nowhere")),
        }
        let results = routine.results.iter();
        Ok(results.map(|result| frame.locals[result].clone()).collect())
    }

    pub(super) fn block(&mut self, frame: &mut Frame, block: &[FlatStmt]) -> Run<Flow> {
        for statement in block {
            if let Flow::Leave(label) = self.statement(frame, &statement.kind)? {
                return Ok(Flow::Leave(label));
            }
        }
        Ok(Flow::On)
    }

    fn statement(&mut self, frame: &mut Frame, statement: &FlatStmtKind) -> Run<Flow> {
        self.burn()?;
        match statement {
            FlatStmtKind::Declare(local, value) => {
                let value = match value {
                    Some(value) => self.eval(frame, value)?,
                    None => {
                        let ty = self.type_of(frame, *local);
                        self.zero(&ty)?
                    }
                };
                frame.locals.insert(*local, value);
            }
            FlatStmtKind::Assign(lvalue, value) => self.assign(frame, lvalue, value)?,
            FlatStmtKind::Push(array, element) => self.push(frame, array, element.as_ref())?,
            FlatStmtKind::Pop(array) => self.pop(frame, array)?,
            FlatStmtKind::Resize(array, length) => self.resize(frame, array, length)?,
            FlatStmtKind::Evaluate(expr) => {
                self.eval(frame, expr)?;
            }
            FlatStmtKind::If(condition, yes, no) => {
                let branch = if self.truth(frame, condition)? {
                    yes
                } else {
                    no
                };
                return self.block(frame, branch);
            }
            FlatStmtKind::While(label, condition, body) => {
                while self.truth(frame, condition)? {
                    match self.block(frame, body)? {
                        Flow::On => {}
                        Flow::Leave(left) if left == *label => break,
                        Flow::Leave(left) => return Ok(Flow::Leave(left)),
                    }
                }
            }
            FlatStmtKind::Labelled(label, body) => {
                return Ok(match self.block(frame, body)? {
                    Flow::Leave(left) if left != *label => Flow::Leave(left),
                    _ => Flow::On,
                });
            }
            FlatStmtKind::Leave(label) => return Ok(Flow::Leave(*label)),
            FlatStmtKind::Require(condition, _) => {
                if !self.truth(frame, condition)? {
                    return Err(Stop::Revert);
                }
            }
            FlatStmtKind::Revert(_) => return Err(Stop::Revert),
            FlatStmtKind::Call {
                routine,
                arguments,
                results,
            } => {
                let arguments = self.evals(frame, arguments)?;
                let message = frame.message.clone();
                let given = self.call(*routine, arguments, &message)?;
                frame.locals.extend(results.iter().copied().zip(given));
            }
            FlatStmtKind::Decode(data, results) => {
                let value = self.eval(frame, data)?;
                let Object::Bytes(bytes) = self.object(&value)?.clone() else {
                    return unsupported("decoding what is no bytes");
                };
                self.decoded(frame, &bytes, results)?;
            }
            FlatStmtKind::Outside(outside) => self.outside(frame, outside)?,
            FlatStmtKind::CallSelf { .. } => self.call_self(frame, statement)?,
            FlatStmtKind::Try {
                attempt,
                success,
                catches,
            } => return self.attempt(frame, attempt, success, catches),
            FlatStmtKind::Opaque { .. } | FlatStmtKind::Havoc(_) | FlatStmtKind::HavocMemory(_) => {
                return unsupported("what is not known");
            }
        }
        Ok(Flow::On)
    }

    fn type_of(&self, frame: &Frame, local: LocalId) -> FlatType {
        local_type(
            self.contract.routine(frame.routine).expect("a routine"),
            local,
        )
    }

    pub(super) fn evals(&mut self, frame: &Frame, exprs: &[FlatExpr]) -> Run<Vec<Value>> {
        exprs.iter().map(|expr| self.eval(frame, expr)).collect()
    }

    fn assign(&mut self, frame: &mut Frame, lvalue: &Lvalue, value: &FlatExpr) -> Run<()> {
        use tranquera::front::solidity::flat::FlatExprKind;
        let is_default = matches!(value.kind, FlatExprKind::Default);
        match &lvalue.root {
            Root::Local(local) => {
                let value = self.eval(frame, value)?;
                frame.locals.insert(*local, value);
            }
            Root::Memory(base) => {
                let value = self.eval(frame, value)?;
                let base = self.eval(frame, base)?;
                let at = self.memory_index(frame, &base, &lvalue.steps)?;
                let Value::Reference(object) = base else {
                    return unsupported("no reference");
                };
                match (&mut self.memory[object], value) {
                    (Object::Bytes(bytes), Value::Fixed(byte)) => bytes[at] = byte[0],
                    (Object::List(items), value) => items[at] = Some(value),
                    (object, value) => return unsupported(format!("{value:?} into {object:?}")),
                }
            }
            Root::Variable(_) if is_default => {
                let mut cell = self.cell(frame, lvalue)?.clone();
                self.clear(&mut cell, &lvalue.ty);
                *self.cell(frame, lvalue)? = cell;
            }
            Root::Variable(_) => {
                let value = self.eval(frame, value)?;
                if self.store_byte(frame, lvalue, &value)? {
                    return Ok(());
                }
                let mut cell = self.cell(frame, lvalue)?.clone();
                self.store(&mut cell, &lvalue.ty, &value)?;
                *self.cell(frame, lvalue)? = cell;
            }
        }
        Ok(())
    }

    /// Sets a byte of `bytes` in storage; false if the place is not one.
    fn store_byte(&mut self, frame: &Frame, lvalue: &Lvalue, value: &Value) -> Run<bool> {
        let (Some((AccessStep::Index { index, .. }, before)), Value::Fixed(byte)) =
            (lvalue.steps.split_last(), value)
        else {
            return Ok(false);
        };
        let outer = Lvalue {
            steps: before.to_vec(),
            ..lvalue.clone()
        };
        let index = self.number(frame, index)?.to_usize();
        let Cell::Bytes(bytes) = self.cell(frame, &outer)? else {
            return Ok(false);
        };
        let slot = index.and_then(|index| bytes.get_mut(index));
        *slot.ok_or(Stop::Revert)? = byte[0];
        Ok(true)
    }

    fn push(&mut self, frame: &Frame, array: &Lvalue, element: Option<&FlatExpr>) -> Run<()> {
        let value = match element {
            Some(element) => Some(self.eval(frame, element)?),
            None => None,
        };
        let element_type = match &array.ty {
            FlatType::Array(element, _) => element.as_ref().clone(),
            _ => FlatType::FixedBytes(1),
        };
        let zero = Cell::zero(self.contract, &element_type);
        let mut cell = self.cell(frame, array)?.clone();
        match &mut cell {
            Cell::Bytes(bytes) => bytes.push(match value {
                Some(Value::Fixed(byte)) => byte[0],
                _ => 0,
            }),
            Cell::Array(length, elements) => {
                // What was there before stays, where it is in mappings.
                let new = elements.entry(*length).or_insert(zero);
                if let Some(value) = value {
                    self.store(new, &element_type, &value)?;
                }
                *length += 1;
            }
            other => return unsupported(format!("push to {other:?}")),
        }
        *self.cell(frame, array)? = cell;
        Ok(())
    }

    fn pop(&mut self, frame: &Frame, array: &Lvalue) -> Run<()> {
        let length = match self.cell(frame, array)? {
            Cell::Bytes(bytes) => bytes.len() as u64,
            Cell::Array(length, _) => *length,
            other => return unsupported(format!("pop of {other:?}")),
        };
        let length = length.checked_sub(1).ok_or(Stop::Revert)?;
        self.set_length(frame, array, length)
    }

    fn resize(&mut self, frame: &Frame, array: &Lvalue, length: &FlatExpr) -> Run<()> {
        let length = self.number(frame, length)?.to_u64();
        let length = length
            .filter(|length| *length <= super::MAX_LENGTH)
            .ok_or(Stop::Fuel)?;
        self.set_length(frame, array, length)
    }

    /// What is behind the end becomes zero.
    fn set_length(&mut self, frame: &Frame, array: &Lvalue, new: u64) -> Run<()> {
        let element_type = match &array.ty {
            FlatType::Array(element, _) => element.as_ref().clone(),
            _ => FlatType::FixedBytes(1),
        };
        let mut cell = self.cell(frame, array)?.clone();
        match &mut cell {
            Cell::Bytes(bytes) => bytes.resize(usize::try_from(new).expect("small"), 0),
            Cell::Array(length, elements) => {
                for at in new..*length {
                    if let Some(element) = elements.get_mut(&at) {
                        self.clear(element, &element_type);
                    }
                }
                *length = new;
            }
            other => return unsupported(format!("the length of {other:?}")),
        }
        *self.cell(frame, array)? = cell;
        Ok(())
    }

    /// Data from outside goes into local variables.
    pub(super) fn decoded(
        &mut self,
        frame: &mut Frame,
        bytes: &[u8],
        results: &[LocalId],
    ) -> Run<()> {
        let types: Vec<FlatType> = results
            .iter()
            .map(|local| self.type_of(frame, *local))
            .collect();
        let data: Vec<Data> = decode(self.contract, &types, bytes).ok_or(Stop::Revert)?;
        for ((local, ty), data) in results.iter().zip(&types).zip(&data) {
            let value = self.take_in(ty, data)?;
            frame.locals.insert(*local, value);
        }
        Ok(())
    }
}
