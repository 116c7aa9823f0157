//! Words of assembly, and the contract's variables as words.

use num_bigint::{BigInt, BigUint};

use super::super::writer::{Binding, RoutineWriter};
use super::super::{Flat, Rejection};
use super::{AssemblyScope, AssemblyVariable, StorageSlot};
use crate::front::solidity::ast::{Int, Reference, Suffix, YulExpression};
use crate::front::solidity::flat::{
    FlatBinaryOp, FlatExpr, FlatExprKind, FlatStmtKind, FlatType, Lvalue, Overflow,
};
use crate::front::solidity::place::FileRange;

/// A word.
#[derive(Clone, Debug)]
pub(super) struct Word {
    /// Its value, if it is known: a `uint256`.
    pub value: Option<FlatExpr>,
    /// The objects in memory whose address it may have.
    pub objects: Vec<FlatExpr>,
    /// Whether it is the address at which the one object begins, where its length stands.
    pub at_start: bool,
    /// The slot of storage that it is.
    pub slot: Option<StorageSlot>,
}

impl Word {
    pub(super) fn known(value: FlatExpr) -> Word {
        Word {
            value: Some(value),
            ..Word::unknown(Vec::new())
        }
    }

    pub(super) fn unknown(objects: Vec<FlatExpr>) -> Word {
        Word {
            value: None,
            objects,
            at_start: false,
            slot: None,
        }
    }

    pub(super) fn slot(slot: StorageSlot) -> Word {
        Word {
            slot: Some(slot),
            ..Word::unknown(Vec::new())
        }
    }

    pub(super) fn number(value: impl Into<BigInt>, place: FileRange) -> Word {
        Word::known(FlatExpr::number(value, FlatType::UINT, place))
    }
}

const INT: FlatType = FlatType::Int(Int {
    signed: true,
    bits: 256,
});

/// An operator on words.
pub(super) fn operate(op: FlatBinaryOp, left: FlatExpr, right: FlatExpr) -> FlatExpr {
    let place = left.place;
    let ty = if op.is_boolean() {
        FlatType::Bool
    } else {
        left.ty.clone()
    };
    let kind = FlatExprKind::Binary(op, Box::new(left), Box::new(right), Overflow::Wrapping);
    FlatExpr::new(kind, ty, place)
}

/// A value as one of another type.
pub(super) fn converted(expr: FlatExpr, to: FlatType) -> FlatExpr {
    if expr.ty == to {
        return expr;
    }
    let place = expr.place;
    FlatExpr::new(FlatExprKind::Convert(Box::new(expr)), to, place)
}

/// The word as a number with a sign.
pub(super) fn signed(word: FlatExpr) -> FlatExpr {
    converted(word, INT)
}

/// One or zero.
pub(super) fn from_bool(condition: FlatExpr, place: FileRange) -> FlatExpr {
    let number = |value: u8| Box::new(FlatExpr::number(value, FlatType::UINT, place));
    let kind = FlatExprKind::Conditional(Box::new(condition), number(1), number(0));
    FlatExpr::new(kind, FlatType::UINT, place)
}

pub(super) fn is_not_zero(word: FlatExpr, place: FileRange) -> FlatExpr {
    // `iszero(iszero(x))` of a condition is the condition.
    if let FlatExprKind::Conditional(condition, yes, no) = &word.kind
        && is_number(yes, 1)
        && is_number(no, 0)
    {
        return condition.as_ref().clone();
    }
    operate(
        FlatBinaryOp::Ne,
        word,
        FlatExpr::number(0, FlatType::UINT, place),
    )
}

fn is_number(expr: &FlatExpr, number: u8) -> bool {
    use crate::front::solidity::flat::FlatLiteral;
    matches!(&expr.kind, FlatExprKind::Literal(FlatLiteral::Number(value)) if *value == BigInt::from(number))
}

pub(super) fn equal(word: FlatExpr, number: &BigUint, place: FileRange) -> FlatExpr {
    let number = FlatExpr::number(BigInt::from(number.clone()), FlatType::UINT, place);
    operate(FlatBinaryOp::Eq, word, number)
}

impl RoutineWriter<'_, '_> {
    /// One word.
    pub(super) fn word<'a>(
        &mut self,
        scope: &mut AssemblyScope<'a>,
        e: &'a YulExpression,
        place: FileRange,
    ) -> Flat<Word> {
        let words = self.words(scope, e, place)?;
        match <[Word; 1]>::try_from(words) {
            Ok([word]) => Ok(word),
            Err(_) => Err(Rejection::at(
                place,
                "one value is expected in this assembly",
            )),
        }
    }

    /// What an expression gives: several words, for a function with several results.
    pub(super) fn words<'a>(
        &mut self,
        scope: &mut AssemblyScope<'a>,
        e: &'a YulExpression,
        place: FileRange,
    ) -> Flat<Vec<Word>> {
        self.f.count(place)?;
        match e {
            YulExpression::Literal(value) => {
                Ok(vec![Word::number(BigInt::from(value.clone()), place)])
            }
            YulExpression::Name(name) => self.named(scope, name, place).map(|word| vec![word]),
            YulExpression::Call(name, arguments) => self.instruction(scope, name, arguments, place),
        }
    }

    fn named(&mut self, scope: &AssemblyScope<'_>, name: &str, place: FileRange) -> Flat<Word> {
        let mut scopes = scope.variables.iter().rev();
        match scopes.find_map(|variables| variables.get(name)) {
            Some(AssemblyVariable::Known(local, objects)) => Ok(Word {
                value: Some(FlatExpr::local(*local, FlatType::UINT, place)),
                ..Word::unknown(objects.clone())
            }),
            Some(AssemblyVariable::Slot(slot)) => Ok(Word::slot(slot.clone())),
            Some(AssemblyVariable::Unknown(objects)) => Ok(Word::unknown(objects.clone())),
            None => {
                let reference = scope.reference(name, place)?;
                self.reference(reference, place)
            }
        }
    }

    /// A variable of the contract as a word.
    fn reference(&mut self, reference: &Reference, place: FileRange) -> Flat<Word> {
        if reference.suffix == Suffix::Slot {
            return self.slot_of(reference, place);
        }
        let Some((_, expr)) = self.bound(reference.variable) else {
            return self.constant_word(reference, place);
        };
        match reference.suffix {
            Suffix::Length if !expr.ty.is_value() => {
                let kind = FlatExprKind::Length(Box::new(expr));
                Ok(Word::known(FlatExpr::new(kind, FlatType::UINT, place)))
            }
            Suffix::Value if expr.ty.is_value() => Ok(Word::known(self.to_word(expr))),
            Suffix::Value => Ok(Word {
                at_start: true,
                ..Word::unknown(vec![expr])
            }),
            _ => Ok(Word::unknown(vec![expr])),
        }
    }

    /// Constants may be used in assembly; other state variables only by their slots.
    fn constant_word(&mut self, reference: &Reference, place: FileRange) -> Flat<Word> {
        use crate::front::solidity::ast::{Changes, Declaration};
        let declaration = self.f.program.declaration(reference.variable).cloned();
        let constant = match (&declaration, self.bindings.get(&reference.variable)) {
            (Some(Declaration::Variable(variable)), None)
                if variable.changes == Changes::Constant =>
            {
                self.f.constant(variable)?
            }
            (_, Some(Binding::Constant(expr))) => {
                let expr = expr.clone();
                return Ok(Word::known(self.to_word(expr)));
            }
            _ => {
                let what = format!("`{}` is not understood in this assembly", reference.name);
                return Err(Rejection::at(place, what));
            }
        };
        let (id, ty) = constant;
        let expr = FlatExpr::new(FlatExprKind::Constant(id), ty, place);
        Ok(Word::known(self.to_word(expr)))
    }

    /// A value as a word.
    pub(super) fn to_word(&self, expr: FlatExpr) -> FlatExpr {
        let place = expr.place;
        match self.f.types.underlying(&expr.ty).clone() {
            FlatType::Bool => from_bool(expr, place),
            // Bytes stand at the left of a word.
            FlatType::FixedBytes(_) => {
                converted(converted(expr, FlatType::FixedBytes(32)), FlatType::UINT)
            }
            FlatType::Int(int) if int.signed => converted(converted(expr, INT), FlatType::UINT),
            _ => converted(expr, FlatType::UINT),
        }
    }

    /// A word as a value of a type, as the compiler reads it back.
    pub(super) fn read_back(&self, word: FlatExpr, to: &FlatType) -> FlatExpr {
        let place = word.place;
        match self.f.types.underlying(to).clone() {
            FlatType::Bool => is_not_zero(word, place),
            FlatType::FixedBytes(_) => {
                converted(converted(word, FlatType::FixedBytes(32)), to.clone())
            }
            _ => converted(word, to.clone()),
        }
    }

    /// Sets a variable of the contract.
    pub(super) fn set_reference(
        &mut self,
        reference: &Reference,
        word: Word,
        place: FileRange,
    ) -> Flat<()> {
        if reference.suffix == Suffix::Slot {
            return self.set_slot(reference, word, place);
        }
        let bound = self.bound(reference.variable);
        let (Some((local, expr)), Suffix::Value) = (bound, reference.suffix) else {
            let what =
                "assembly sets the place of a variable, in storage or in the data of the call";
            return Err(Rejection::at(place, what));
        };
        match word.value {
            Some(value) if expr.ty.is_value() => {
                let value = self.read_back(value, &expr.ty);
                let lvalue = Lvalue::local(local, expr.ty, place);
                self.write(FlatStmtKind::Assign(lvalue, value), place)
            }
            // The same object under another name, or a new one with any contents.
            None if word.at_start && !expr.ty.is_value() => {
                let object = word.objects.into_iter().next();
                let object = object.ok_or_else(Rejection::default)?;
                self.set_local(local, converted(object, expr.ty), place)
            }
            _ => {
                self.hidden = true;
                self.write(FlatStmtKind::Havoc(local), place)
            }
        }
    }

    /// A word as an expression: if nothing is known of it, it may be anything.
    pub(super) fn known(&mut self, word: Word, place: FileRange) -> Flat<FlatExpr> {
        if let Some(value) = word.value {
            return Ok(value);
        }
        if word.slot.is_some() {
            return Err(Rejection::at(
                place,
                "assembly computes with a slot of storage",
            ));
        }
        self.hidden = true;
        let local = self.temporary(FlatType::UINT, place);
        self.write(FlatStmtKind::Havoc(local), place)?;
        Ok(FlatExpr::local(local, FlatType::UINT, place))
    }
}
