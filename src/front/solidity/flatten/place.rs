//! Places in storage and memory: forms of them, types along the way, what is checked.

use num_bigint::{BigInt, Sign};

use super::writer::RoutineWriter;
use super::{Flat, Flattener, Rejection};
use crate::front::solidity::flat::{
    AccessStep, ConstantId, FlatBinaryOp, FlatExpr, FlatExprKind, FlatLiteral, FlatStmtKind,
    FlatType, Lvalue, Overflow, Root, VariableId, Why,
};
use crate::front::solidity::place::FileRange;

/// The form of a place in storage: which variable it begins with and how it goes on, without keys and indices.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Form {
    variable: VariableId,
    steps: Vec<FormStep>,
}

/// A step, without what it is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FormStep {
    Member(usize),
    Key,
    Index,
}

impl Form {
    /// The form of a place; none if it is not in storage.
    pub(super) fn of(lvalue: &Lvalue) -> Option<Form> {
        let Root::Variable(variable) = lvalue.root else {
            return None;
        };
        let steps = lvalue.steps.iter().map(|step| match step {
            AccessStep::Member(member) => FormStep::Member(*member),
            AccessStep::Key(_) => FormStep::Key,
            AccessStep::Index { .. } => FormStep::Index,
        });
        Some(Form {
            variable,
            steps: steps.collect(),
        })
    }
}

/// What tells constants apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum ConstantKey {
    /// A number.
    Number(BigInt),
    /// A constant of the program.
    Named(ConstantId),
}

/// The constant that an expression is, whatever its type.
pub(super) fn constant(expr: &FlatExpr) -> Option<ConstantKey> {
    match &expr.kind {
        FlatExprKind::Literal(FlatLiteral::Number(value)) => {
            Some(ConstantKey::Number(value.clone()))
        }
        FlatExprKind::Literal(FlatLiteral::Bytes(bytes)) if bytes.len() == 32 => {
            let value = BigInt::from_bytes_be(Sign::Plus, bytes);
            Some(ConstantKey::Number(value))
        }
        FlatExprKind::Constant(id) => Some(ConstantKey::Named(*id)),
        FlatExprKind::Convert(inner) if inner.ty.is_value() => constant(inner),
        _ => None,
    }
}

/// The keys and indices of a place, in order.
pub(super) fn told(lvalue: &Lvalue) -> impl Iterator<Item = &FlatExpr> {
    lvalue.steps.iter().filter_map(|step| match step {
        AccessStep::Member(_) => None,
        AccessStep::Key(index) | AccessStep::Index { index, .. } => Some(index),
    })
}

/// A place with other keys and indices.
pub(super) fn retold(lvalue: &Lvalue, told: impl IntoIterator<Item = FlatExpr>) -> Lvalue {
    let mut told = told.into_iter();
    let mut lvalue = lvalue.clone();
    for step in &mut lvalue.steps {
        if let AccessStep::Key(index) | AccessStep::Index { index, .. } = step
            && let Some(other) = told.next()
        {
            *index = other;
        }
    }
    lvalue
}

impl Flattener<'_> {
    /// The type of what a step leads to.
    pub(super) fn step_type(&self, from: &FlatType, step: &AccessStep) -> Option<FlatType> {
        match (from, step) {
            (FlatType::Struct(id), AccessStep::Member(member)) => {
                let (_, ty) = self.types.members(*id).get(*member)?;
                Some(ty.clone())
            }
            (FlatType::Mapping(_, value), AccessStep::Key(_)) => Some(value.as_ref().clone()),
            (FlatType::Array(element, _), AccessStep::Index { .. }) => {
                Some(element.as_ref().clone())
            }
            (FlatType::Bytes | FlatType::String, AccessStep::Index { .. }) => {
                Some(FlatType::FixedBytes(1))
            }
            _ => None,
        }
    }

    /// The place that is left when the last steps are taken away.
    pub(super) fn prefix(&self, lvalue: &Lvalue, steps: usize) -> Option<Lvalue> {
        let Root::Variable(variable) = lvalue.root else {
            return None;
        };
        let kept: Vec<AccessStep> = lvalue.steps.iter().take(steps).cloned().collect();
        let mut ty = self.variables.get(variable.index())?.ty.clone();
        for step in &kept {
            ty = self.step_type(&ty, step)?;
        }
        Some(Lvalue {
            root: lvalue.root.clone(),
            steps: kept,
            ty,
            place: lvalue.place,
        })
    }
}

impl RoutineWriter<'_, '_> {
    /// A place one step further.
    pub(super) fn step(
        &self,
        mut from: Lvalue,
        step: AccessStep,
        place: FileRange,
    ) -> Flat<Lvalue> {
        if let Some(inside) = self.overlaid(&from, &step) {
            return Ok(Lvalue { place, ..inside });
        }
        let ty = self.f.step_type(&from.ty, &step);
        from.ty = ty.ok_or_else(|| Rejection::at(place, "this place is not understood"))?;
        from.steps.push(step);
        from.place = place;
        Ok(from)
    }

    /// Assembly may take a place for a struct that begins there. Its first member is the place itself.
    fn overlaid(&self, from: &Lvalue, step: &AccessStep) -> Option<Lvalue> {
        let natural = self.f.prefix(from, from.steps.len())?.ty;
        let (FlatType::Struct(_), AccessStep::Member(0)) = (&from.ty, step) else {
            return None;
        };
        let member = self.f.step_type(&from.ty, step)?;
        (natural != from.ty && natural == member).then(|| Lvalue {
            ty: member,
            ..from.clone()
        })
    }

    /// A place in what a reference refers to.
    pub(super) fn inside(
        &self,
        base: FlatExpr,
        step: AccessStep,
        place: FileRange,
    ) -> Flat<Lvalue> {
        let ty = self.f.step_type(&base.ty, &step);
        Ok(Lvalue {
            root: Root::Memory(Box::new(base)),
            steps: vec![step],
            ty: ty.ok_or_else(|| Rejection::at(place, "this place is not understood"))?,
            place,
        })
    }

    /// The length of an array or of `bytes` in storage.
    pub(super) fn storage_length(&self, lvalue: Lvalue, place: FileRange) -> FlatExpr {
        let kind = match &lvalue.ty {
            FlatType::Array(_, Some(length)) => {
                FlatExprKind::Literal(FlatLiteral::Number(length.clone().into()))
            }
            _ => FlatExprKind::StorageLength(lvalue),
        };
        FlatExpr::new(kind, FlatType::UINT, place)
    }

    /// A reference to a place is taken: what is checked on the way there is checked now, and not when it is used.
    pub(super) fn taken(&mut self, mut lvalue: Lvalue) -> Flat<Lvalue> {
        for at in 0..lvalue.steps.len() {
            let Some(AccessStep::Index {
                index,
                checked: true,
            }) = lvalue.steps.get(at)
            else {
                continue;
            };
            let (index, place) = (index.clone(), lvalue.place);
            let container = self.f.prefix(&lvalue, at);
            let container =
                container.ok_or_else(|| Rejection::at(place, "this place is not understood"))?;
            let length = self.storage_length(container, place);
            self.require_below(index, length, place)?;
            if let Some(AccessStep::Index { checked, .. }) = lvalue.steps.get_mut(at) {
                *checked = false;
            }
        }
        Ok(lvalue)
    }

    /// Reverts unless an index is below a length.
    pub(super) fn require_below(
        &mut self,
        index: FlatExpr,
        length: FlatExpr,
        place: FileRange,
    ) -> Flat<()> {
        let kind = FlatExprKind::Binary(
            FlatBinaryOp::Lt,
            Box::new(index),
            Box::new(length),
            Overflow::Wrapping,
        );
        let below = FlatExpr::new(kind, FlatType::Bool, place);
        self.write(FlatStmtKind::Require(below, Why::Panic(0x32)), place)
    }

    /// What a place holds, as a value: a place of a reference type in storage stays one.
    pub(super) fn contents(&self, lvalue: Lvalue, place: FileRange) -> super::writer::WrittenValue {
        use super::writer::WrittenValue;
        if lvalue.in_storage() && !lvalue.ty.is_value() {
            return WrittenValue::Place(lvalue);
        }
        let ty = lvalue.ty.clone();
        WrittenValue::Expr(FlatExpr::new(FlatExprKind::Read(lvalue), ty, place))
    }
}
