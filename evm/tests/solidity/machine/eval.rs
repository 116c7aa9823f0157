//! Expressions.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use tranquera::front::solidity::flat::{
    AccessStep, ChainValue, FlatExpr, FlatExprKind, FlatLiteral, FlatType, Lvalue, Root,
};

use super::{Cell, Frame, MAX_LENGTH, Machine, Object, Run, Stop, Value, unsupported};

impl Machine<'_> {
    pub(super) fn eval(&mut self, frame: &Frame, expr: &FlatExpr) -> Run<Value> {
        self.burn()?;
        match &expr.kind {
            FlatExprKind::Literal(literal) => Ok(match literal {
                FlatLiteral::Bool(value) => Value::Bool(*value),
                FlatLiteral::Number(value) => Value::Number(value.clone()),
                FlatLiteral::Bytes(bytes) if expr.ty.is_value() => Value::Fixed(bytes.clone()),
                FlatLiteral::Bytes(bytes) => self.new_object(Object::Bytes(bytes.clone())),
            }),
            FlatExprKind::Constant(id) => {
                let value = self.contract.constants[id.index()].value.clone();
                self.eval(frame, &value)
            }
            FlatExprKind::Env(env) => self.env(frame, *env),
            FlatExprKind::Read(lvalue) => self.read(frame, lvalue),
            FlatExprKind::Load(lvalue) => {
                let cell = self.cell(frame, lvalue)?.clone();
                self.load(&cell, &lvalue.ty)
            }
            FlatExprKind::Copy(inner) => {
                let value = self.eval(frame, inner)?;
                self.copy(&value)
            }
            FlatExprKind::StorageLength(lvalue) => match self.cell(frame, lvalue)? {
                Cell::Array(length, _) => Ok(Value::Number((*length).into())),
                Cell::Bytes(bytes) => Ok(Value::Number(bytes.len().into())),
                other => unsupported(format!("the length of {other:?}")),
            },
            FlatExprKind::Length(inner) => {
                let value = self.eval(frame, inner)?;
                let length = match self.object(&value)? {
                    Object::Bytes(bytes) => bytes.len(),
                    Object::List(items) => items.len(),
                };
                Ok(Value::Number(length.into()))
            }
            FlatExprKind::ByteAt(base, index) => {
                let Value::Fixed(bytes) = self.eval(frame, base)? else {
                    return unsupported("a byte of what is no bytes");
                };
                let index = self.number(frame, index)?;
                let byte = index.to_usize().and_then(|index| bytes.get(index).copied());
                byte.map(|byte| Value::Fixed(vec![byte]))
                    .ok_or(Stop::Revert)
            }
            FlatExprKind::Unary(op, inner, overflow) => self.unary(frame, *op, inner, *overflow),
            FlatExprKind::Binary(op, left, right, overflow) => {
                self.binary(frame, *op, left, right, *overflow)
            }
            FlatExprKind::Conditional(condition, yes, no) => {
                let branch = if self.truth(frame, condition)? {
                    yes
                } else {
                    no
                };
                self.eval(frame, branch)
            }
            FlatExprKind::Convert(inner) => {
                let value = self.eval(frame, inner)?;
                self.convert(value, &inner.ty, &expr.ty)
            }
            FlatExprKind::Default => self.zero(&expr.ty),
            FlatExprKind::NewArray(length) => self.new_array(frame, length, &expr.ty),
            FlatExprKind::NewStruct(inner) => self.new_struct(frame, inner, &expr.ty),
            FlatExprKind::NewElements(inner) => {
                let mut values = Vec::new();
                for inner in inner {
                    values.push(Some(self.eval(frame, inner)?));
                }
                Ok(self.new_object(Object::List(values)))
            }
            FlatExprKind::Slice(base, start, end) => {
                self.slice(frame, base, start.as_deref(), end.as_deref())
            }
            FlatExprKind::Builtin(builtin, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.eval(frame, argument)?);
                }
                self.builtin(builtin, arguments, values)
            }
        }
    }

    pub(super) fn truth(&mut self, frame: &Frame, expr: &FlatExpr) -> Run<bool> {
        match self.eval(frame, expr)? {
            Value::Bool(value) => Ok(value),
            other => unsupported(format!("{other:?} as a condition")),
        }
    }

    pub(super) fn number(&mut self, frame: &Frame, expr: &FlatExpr) -> Run<BigInt> {
        match self.eval(frame, expr)? {
            Value::Number(value) => Ok(value),
            other => unsupported(format!("{other:?} as a number")),
        }
    }

    fn env(&mut self, frame: &Frame, env: ChainValue) -> Run<Value> {
        let number = |value: &num_bigint::BigUint| Value::Number(BigInt::from(value.clone()));
        let message = &frame.message;
        Ok(match env {
            ChainValue::This => number(&self.world.own),
            ChainValue::Balance => number(&self.world.balance),
            ChainValue::Sender => number(&message.sender),
            ChainValue::Value => number(&message.value),
            ChainValue::Origin => number(&self.world.origin),
            ChainValue::Data | ChainValue::Selector => {
                let Some(mut data) = message.data.clone() else {
                    return unsupported("the bytes of a message to itself");
                };
                if env == ChainValue::Data {
                    return Ok(self.new_object(Object::Bytes(data)));
                }
                data.resize(4, 0);
                Value::Fixed(data)
            }
            ChainValue::Timestamp => Value::Number(self.world.time.into()),
            ChainValue::Number => Value::Number(self.world.number.into()),
            ChainValue::ChainId => Value::Number(1.into()),
            ChainValue::GasPrice | ChainValue::BaseFee | ChainValue::Coinbase => {
                Value::Number(0.into())
            }
            ChainValue::Difficulty => Value::Number(7.into()),
            ChainValue::ReturnSize => Value::Number(self.world.returned.into()),
            ChainValue::GasLeft | ChainValue::GasLimit | ChainValue::BlobBaseFee => {
                return unsupported(format!("{env:?}"));
            }
        })
    }

    fn read(&mut self, frame: &Frame, lvalue: &Lvalue) -> Run<Value> {
        match &lvalue.root {
            Root::Variable(_) => {
                if let Some((AccessStep::Index { .. }, _)) = lvalue.steps.split_last()
                    && lvalue.ty == FlatType::FixedBytes(1)
                    && let Some(byte) = self.storage_byte(frame, lvalue)?
                {
                    return Ok(Value::Fixed(vec![byte]));
                }
                match self.cell(frame, lvalue)? {
                    Cell::Value(value) => Ok(value.clone()),
                    other => unsupported(format!("{other:?} as a value")),
                }
            }
            Root::Local(id) => {
                let value = frame.locals.get(id).cloned();
                match value {
                    Some(value) => Ok(value),
                    None => self.zero(&lvalue.ty),
                }
            }
            Root::Memory(base) => {
                let base_value = self.eval(frame, base)?;
                let at = self.memory_index(frame, &base_value, &lvalue.steps)?;
                match self.object(&base_value)? {
                    Object::Bytes(bytes) => Ok(Value::Fixed(vec![bytes[at]])),
                    Object::List(items) => match &items[at] {
                        Some(value) => Ok(value.clone()),
                        None => unsupported("a mapping in memory"),
                    },
                }
            }
        }
    }

    /// A byte of `bytes` in storage; none if it is not one.
    fn storage_byte(&mut self, frame: &Frame, lvalue: &Lvalue) -> Run<Option<u8>> {
        let Some((AccessStep::Index { index, .. }, before)) = lvalue.steps.split_last() else {
            return Ok(None);
        };
        let outer = Lvalue {
            steps: before.to_vec(),
            ..lvalue.clone()
        };
        let Cell::Bytes(bytes) = self.cell(frame, &outer)?.clone() else {
            return Ok(None);
        };
        let index = self.number(frame, index)?.to_usize();
        let byte = index.and_then(|index| bytes.get(index).copied());
        byte.map(Some).ok_or(Stop::Revert)
    }

    /// The slot of an object that a step leads to.
    pub(super) fn memory_index(
        &mut self,
        frame: &Frame,
        base: &Value,
        steps: &[AccessStep],
    ) -> Run<usize> {
        let [step] = steps else {
            return unsupported("several steps into memory");
        };
        match step {
            AccessStep::Member(member) => Ok(*member),
            AccessStep::Key(_) => unsupported("a mapping in memory"),
            AccessStep::Index { index, .. } => {
                let index = self.number(frame, index)?;
                let length = match self.object(base)? {
                    Object::Bytes(bytes) => bytes.len(),
                    Object::List(items) => items.len(),
                };
                index
                    .to_usize()
                    .filter(|index| *index < length)
                    .ok_or(Stop::Revert)
            }
        }
    }

    /// The cell that a place in storage is.
    pub(super) fn cell(&mut self, frame: &Frame, lvalue: &Lvalue) -> Run<&mut Cell> {
        let path = self.path(frame, lvalue)?;
        let Root::Variable(id) = lvalue.root else {
            return unsupported("a place that is not in storage");
        };
        let contract = self.contract;
        let mut ty = contract.variables[id.index()].ty.clone();
        let mut cell = &mut self.state[id.index()];
        for (step, key) in lvalue.steps.iter().zip(path) {
            (cell, ty) = match (cell, step, &ty) {
                (Cell::Struct(cells), AccessStep::Member(member), FlatType::Struct(id)) => {
                    let inner = contract.structure(*id).expect("a struct").members[*member]
                        .1
                        .clone();
                    (&mut cells[*member], inner)
                }
                (Cell::Mapping(cells), AccessStep::Key(_), FlatType::Mapping(_, value)) => {
                    let zero = || Cell::zero(contract, value);
                    (
                        cells.entry(key).or_insert_with(zero),
                        value.as_ref().clone(),
                    )
                }
                (
                    Cell::Array(length, cells),
                    AccessStep::Index { checked, .. },
                    FlatType::Array(element, _),
                ) => {
                    let index = super::convert::from_bytes(&key);
                    let index = index.to_u64().filter(|index| !checked || index < length);
                    let index = index.ok_or(Stop::Revert)?;
                    let zero = || Cell::zero(contract, element);
                    (
                        cells.entry(index).or_insert_with(zero),
                        element.as_ref().clone(),
                    )
                }
                (cell, step, ty) => {
                    return unsupported(format!("{step:?} into {cell:?} of {ty:?}"));
                }
            };
        }
        Ok(cell)
    }

    /// What the steps of a place are told: keys as bytes, indices as numbers.
    fn path(&mut self, frame: &Frame, lvalue: &Lvalue) -> Run<Vec<Vec<u8>>> {
        let mut path = Vec::new();
        for step in &lvalue.steps {
            path.push(match step {
                AccessStep::Member(_) => Vec::new(),
                AccessStep::Key(key) => {
                    let value = self.eval(frame, key)?;
                    self.key(&value)?
                }
                AccessStep::Index { index, .. } => {
                    let index = self.number(frame, index)?;
                    index.to_biguint().unwrap_or_default().to_bytes_be()
                }
            });
        }
        Ok(path)
    }

    /// A key of a mapping, as the machine hashes it.
    pub(super) fn key(&self, value: &Value) -> Run<Vec<u8>> {
        Ok(match value {
            Value::Bool(value) => super::convert::to_bytes(&BigInt::from(u8::from(*value)), 32),
            Value::Number(value) => super::convert::to_bytes(value, 32),
            Value::Fixed(bytes) => {
                let mut bytes = bytes.clone();
                bytes.resize(32, 0);
                bytes
            }
            Value::Reference(_) => match self.object(value)? {
                Object::Bytes(bytes) => bytes.clone(),
                Object::List(_) => return unsupported("a list as a key"),
            },
        })
    }

    pub(super) fn zero(&mut self, ty: &FlatType) -> Run<Value> {
        let cell = Cell::zero(self.contract, ty);
        self.load(&cell, ty)
    }

    fn new_array(&mut self, frame: &Frame, length: &FlatExpr, ty: &FlatType) -> Run<Value> {
        let length = self.number(frame, length)?;
        let length = length.to_u64().filter(|length| *length <= MAX_LENGTH);
        // The machine has no memory for more.
        let length = length.ok_or(Stop::Revert)?;
        let object = match ty {
            FlatType::Array(element, _) => {
                let mut values = Vec::new();
                for _ in 0..length {
                    values.push(Some(self.zero(element)?));
                }
                Object::List(values)
            }
            _ => Object::Bytes(vec![0; usize::try_from(length).expect("small")]),
        };
        Ok(self.new_object(object))
    }

    fn new_struct(&mut self, frame: &Frame, given: &[FlatExpr], ty: &FlatType) -> Run<Value> {
        let FlatType::Struct(id) = ty else {
            return unsupported("a struct that is none");
        };
        let members = &self.contract.structure(*id).expect("a struct").members;
        let mut given = given.iter();
        let mut values = Vec::new();
        for (_, ty) in members {
            values.push(match (ty, given.len()) {
                (FlatType::Mapping(..), _) | (_, 0) => None,
                _ => match given.next() {
                    Some(value) => Some(self.eval(frame, value)?),
                    None => None,
                },
            });
        }
        Ok(self.new_object(Object::List(values)))
    }

    fn slice(
        &mut self,
        frame: &Frame,
        base: &FlatExpr,
        start: Option<&FlatExpr>,
        end: Option<&FlatExpr>,
    ) -> Run<Value> {
        let base = self.eval(frame, base)?;
        let object = self.object(&base)?.clone();
        let length = match &object {
            Object::Bytes(bytes) => bytes.len(),
            Object::List(items) => items.len(),
        };
        let mut bound = |bound: Option<&FlatExpr>, otherwise: usize| match bound {
            Some(bound) => {
                let bound = self.number(frame, bound)?.to_usize();
                bound.filter(|bound| *bound <= length).ok_or(Stop::Revert)
            }
            None => Ok(otherwise),
        };
        let (start, end) = (bound(start, 0)?, bound(end, length)?);
        if start > end {
            return Err(Stop::Revert);
        }
        let part = match object {
            Object::Bytes(bytes) => Object::Bytes(bytes[start..end].to_vec()),
            Object::List(items) => Object::List(items[start..end].to_vec()),
        };
        Ok(self.new_object(part))
    }

    /// A deep copy of what is in memory.
    pub(super) fn copy(&mut self, value: &Value) -> Run<Value> {
        let Value::Reference(_) = value else {
            return Ok(value.clone());
        };
        let copy = match self.object(value)?.clone() {
            Object::Bytes(bytes) => Object::Bytes(bytes),
            Object::List(items) => {
                let mut copies = Vec::new();
                for item in items {
                    copies.push(match item {
                        Some(item) => Some(self.copy(&item)?),
                        None => None,
                    });
                }
                Object::List(copies)
            }
        };
        Ok(self.new_object(copy))
    }
}
