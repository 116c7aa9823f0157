//! Places in storage and memory: forms of them, types along the way, what is checked.

use num_bigint::{BigInt, Sign};

use super::writer::Writer;
use super::{Flat, Flattener, Stop};
use crate::front::solidity::flat::{
    BinaryOp, ConstantId, Expr, ExprKind, Literal, Lvalue, Overflow, Root, Step, StmtKind, Type,
    VariableId, Why,
};
use crate::front::solidity::place::Place;

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
    pub fn of(lvalue: &Lvalue) -> Option<Form> {
        let Root::Variable(variable) = lvalue.root else {
            return None;
        };
        let steps = lvalue.steps.iter().map(|step| match step {
            Step::Member(member) => FormStep::Member(*member),
            Step::Key(_) => FormStep::Key,
            Step::Index { .. } => FormStep::Index,
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
pub(super) fn constant(expr: &Expr) -> Option<ConstantKey> {
    match &expr.kind {
        ExprKind::Literal(Literal::Number(value)) => Some(ConstantKey::Number(value.clone())),
        ExprKind::Literal(Literal::Bytes(bytes)) if bytes.len() == 32 => {
            let value = BigInt::from_bytes_be(Sign::Plus, bytes);
            Some(ConstantKey::Number(value))
        }
        ExprKind::Constant(id) => Some(ConstantKey::Named(*id)),
        ExprKind::Convert(inner) if inner.ty.is_value() => constant(inner),
        _ => None,
    }
}

/// The keys and indices of a place, in order.
pub(super) fn told(lvalue: &Lvalue) -> impl Iterator<Item = &Expr> {
    lvalue.steps.iter().filter_map(|step| match step {
        Step::Member(_) => None,
        Step::Key(index) | Step::Index { index, .. } => Some(index),
    })
}

/// A place with other keys and indices.
pub(super) fn retold(lvalue: &Lvalue, told: impl IntoIterator<Item = Expr>) -> Lvalue {
    let mut told = told.into_iter();
    let mut lvalue = lvalue.clone();
    for step in &mut lvalue.steps {
        if let Step::Key(index) | Step::Index { index, .. } = step
            && let Some(other) = told.next()
        {
            *index = other;
        }
    }
    lvalue
}

impl Flattener<'_> {
    /// The type of what a step leads to.
    pub fn step_type(&self, from: &Type, step: &Step) -> Option<Type> {
        match (from, step) {
            (Type::Struct(id), Step::Member(member)) => {
                let (_, ty) = self.types.members(*id).get(*member)?;
                Some(ty.clone())
            }
            (Type::Mapping(_, value), Step::Key(_)) => Some(value.as_ref().clone()),
            (Type::Array(element, _), Step::Index { .. }) => Some(element.as_ref().clone()),
            (Type::Bytes | Type::String, Step::Index { .. }) => Some(Type::FixedBytes(1)),
            _ => None,
        }
    }

    /// The place that is left when the last steps are taken away.
    pub fn prefix(&self, lvalue: &Lvalue, steps: usize) -> Option<Lvalue> {
        let Root::Variable(variable) = lvalue.root else {
            return None;
        };
        let kept: Vec<Step> = lvalue.steps.iter().take(steps).cloned().collect();
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

impl Writer<'_, '_> {
    /// A place one step further.
    pub fn step(&self, mut from: Lvalue, step: Step, place: Place) -> Flat<Lvalue> {
        if let Some(inside) = self.overlaid(&from, &step) {
            return Ok(Lvalue { place, ..inside });
        }
        let ty = self.f.step_type(&from.ty, &step);
        from.ty = ty.ok_or_else(|| Stop::at(place, "this place is not understood"))?;
        from.steps.push(step);
        from.place = place;
        Ok(from)
    }

    /// Assembly may take a place for a struct that begins there. Its first member is the place itself.
    fn overlaid(&self, from: &Lvalue, step: &Step) -> Option<Lvalue> {
        let natural = self.f.prefix(from, from.steps.len())?.ty;
        let (Type::Struct(_), Step::Member(0)) = (&from.ty, step) else {
            return None;
        };
        let member = self.f.step_type(&from.ty, step)?;
        (natural != from.ty && natural == member).then(|| Lvalue {
            ty: member,
            ..from.clone()
        })
    }

    /// A place in what a reference refers to.
    pub fn inside(&self, base: Expr, step: Step, place: Place) -> Flat<Lvalue> {
        let ty = self.f.step_type(&base.ty, &step);
        Ok(Lvalue {
            root: Root::Memory(Box::new(base)),
            steps: vec![step],
            ty: ty.ok_or_else(|| Stop::at(place, "this place is not understood"))?,
            place,
        })
    }

    /// The length of an array or of `bytes` in storage.
    pub fn storage_length(&self, lvalue: Lvalue, place: Place) -> Expr {
        let kind = match &lvalue.ty {
            Type::Array(_, Some(length)) => {
                ExprKind::Literal(Literal::Number(length.clone().into()))
            }
            _ => ExprKind::StorageLength(lvalue),
        };
        Expr::new(kind, Type::UINT, place)
    }

    /// A reference to a place is taken: what is checked on the way there is checked now, and not when it is used.
    pub fn taken(&mut self, mut lvalue: Lvalue) -> Flat<Lvalue> {
        for at in 0..lvalue.steps.len() {
            let Some(Step::Index {
                index,
                checked: true,
            }) = lvalue.steps.get(at)
            else {
                continue;
            };
            let (index, place) = (index.clone(), lvalue.place);
            let container = self.f.prefix(&lvalue, at);
            let container =
                container.ok_or_else(|| Stop::at(place, "this place is not understood"))?;
            let length = self.storage_length(container, place);
            self.require_below(index, length, place)?;
            if let Some(Step::Index { checked, .. }) = lvalue.steps.get_mut(at) {
                *checked = false;
            }
        }
        Ok(lvalue)
    }

    /// Reverts unless an index is below a length.
    pub fn require_below(&mut self, index: Expr, length: Expr, place: Place) -> Flat<()> {
        let kind = ExprKind::Binary(
            BinaryOp::Lt,
            Box::new(index),
            Box::new(length),
            Overflow::Wrapping,
        );
        let below = Expr::new(kind, Type::Bool, place);
        self.write(StmtKind::Require(below, Why::Panic(0x32)), place)
    }

    /// What a place holds, as a value: a place of a reference type in storage stays one.
    pub fn contents(&self, lvalue: Lvalue, place: Place) -> super::writer::Value {
        use super::writer::Value;
        if lvalue.in_storage() && !lvalue.ty.is_value() {
            return Value::Place(lvalue);
        }
        let ty = lvalue.ty.clone();
        Value::Expr(Expr::new(ExprKind::Read(lvalue), ty, place))
    }
}
