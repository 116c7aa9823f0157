//! What can be seen of an object from inside: its fields, those of objects that it owns, the elements of arrays that it owns, what
//! its maps have at the keys there are. Clauses about these are what proofs are made of: others cannot change them.

use std::collections::BTreeSet;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::candidates::Observed;
use crate::interp::{Configuration, Interpreter, Locals, Moment, Value};
use crate::ir::formula;
use crate::ir::{CompareOp, Expr, ExprKind, FieldRef, OpaqueId, Program, Type};
use crate::query::Subject;

/// Of longer arrays, no more elements are looked at one by one.
const MOST_ELEMENTS: usize = 8;
/// Of maps whose keys are integers, no more keys are looked at than these.
const MOST_KEYS: usize = 4;
/// No more pairs are compared than this.
const MOST_PAIRS: usize = 12;

/// Something that a clause can speak of.
#[derive(Clone, Debug)]
pub(super) struct Observable {
    /// Its value, where it is there.
    pub e: Expr,
    /// That there is such a thing, where that is not always so.
    pub there: Option<Expr>,
}

impl Observable {
    fn always(e: Expr) -> Self {
        Observable { e, there: None }
    }

    /// Its value in a configuration; none where it is not there.
    pub(super) fn value(&self, program: &Program, now: &Configuration) -> Option<Value> {
        let holds = |there: &Expr| value(program, now, there) == Some(Value::Bool(true));
        match self.there.as_ref().is_none_or(holds) {
            true => value(program, now, &self.e),
            false => None,
        }
    }

    /// A clause about it, where it is there.
    pub(super) fn where_there(&self, clause: Expr) -> Expr {
        match &self.there {
            Some(there) => formula::implies(there.clone(), clause),
            None => clause,
        }
    }
}

/// The value of an expression about an object, where it has one.
pub(super) fn value(program: &Program, now: &Configuration, e: &Expr) -> Option<Value> {
    let locals = Locals::new();
    let interpreter = Interpreter::new(program).with_fuel(10_000);
    interpreter.value(&Moment::of(now, &locals), e).ok()
}

/// The object's own fields.
pub(super) fn fields(subject: &Subject) -> Vec<Observable> {
    let fields = formula::own_fields(&subject.program, subject.class);
    fields.into_iter().map(Observable::always).collect()
}

/// What is behind the fields, as far as the object alone knows it; of arrays, as many elements as were seen, and of maps with
/// integers as keys what is at some of these numbers.
pub(super) fn inside(
    subject: &Subject,
    seen: &[Observed],
    numbers: &BTreeSet<BigInt>,
) -> Vec<Observable> {
    let class = subject.class;
    let fields = formula::own_fields(&subject.program, class).into_iter();
    let inside = fields.enumerate().flat_map(|(index, own)| {
        let is_owned = subject.owned().contains(&FieldRef { class, index });
        match &own.ty {
            Type::Class { .. } if is_owned => of_object(&subject.program, &own),
            Type::Array { .. } if is_owned => of_array(&subject.program, &own, seen),
            // Whoever has the array, too, cannot change how long it is.
            Type::Array { .. } => vec![length(&own)],
            Type::Map(key, kept) => of_map(&subject.program, &own, (key, kept), numbers),
            _ => Vec::new(),
        }
    });
    inside.collect()
}

/// That a reference leads somewhere, where that is not always so.
fn is_there(own: &Expr) -> Option<Expr> {
    let nullable = matches!(
        own.ty,
        Type::Class { nullable: true, .. } | Type::Array { nullable: true, .. }
    );
    nullable.then(|| formula::compare(CompareOp::Ne, own.clone(), formula::null()))
}

fn of_object(program: &Program, own: &Expr) -> Vec<Observable> {
    let Type::Class { class, .. } = own.ty else {
        return Vec::new();
    };
    let fields = program.class(class).fields.iter().enumerate();
    let inside = fields.map(|(index, field)| {
        let kind = ExprKind::Field(own.clone(), FieldRef { class, index });
        Observable {
            e: formula::expr(kind, field.ty.of_value()),
            there: is_there(own),
        }
    });
    inside.collect()
}

fn length(array: &Expr) -> Observable {
    Observable {
        e: formula::expr(ExprKind::Length(array.clone()), Type::Int),
        there: is_there(array),
    }
}

fn of_array(program: &Program, own: &Expr, seen: &[Observed]) -> Vec<Observable> {
    let Type::Array { element, .. } = &own.ty else {
        return Vec::new();
    };
    let length = length(own);
    let lengths = seen.iter();
    let lengths = lengths.filter_map(|(_, now)| match length.value(program, now)? {
        Value::Int(n) => n.to_usize(),
        _ => None,
    });
    let longest = lengths.max().unwrap_or(0).min(MOST_ELEMENTS);
    let elements = (0..longest).map(|index| {
        let index = formula::int(index);
        let is_longer = formula::compare(CompareOp::Gt, length.e.clone(), index.clone());
        Observable {
            e: formula::expr(ExprKind::Element(own.clone(), index), element.of_value()),
            there: Some(formula::all(is_there(own).into_iter().chain([is_longer]))),
        }
    });
    let elements: Vec<Observable> = elements.collect();
    [length].into_iter().chain(elements).collect()
}

fn of_map(
    program: &Program,
    own: &Expr,
    (key, kept): (&Type, &Type),
    numbers: &BTreeSet<BigInt>,
) -> Vec<Observable> {
    let keys: Vec<Expr> = match key {
        Type::Bool => [false, true].map(formula::bool).into(),
        Type::Enum(id) => formula::members(program, *id),
        Type::Int => {
            let numbers = numbers.iter().take(MOST_KEYS);
            numbers.map(|n| formula::int(n.clone())).collect()
        }
        // What is kept for nobody, whose number is zero.
        Type::Nat => vec![formula::int(0)],
        _ => Vec::new(),
    };
    let at = |key| formula::expr(ExprKind::Select(own.clone(), key), kept.of_value());
    keys.into_iter().map(at).map(Observable::always).collect()
}

/// Comparisons of what can only be compared: opaque values with those that have names and with each other, references with
/// each other and with null.
pub(super) fn comparisons(program: &Program, all: &[Observable]) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut pairs = Vec::new();
    for (index, one) in all.iter().enumerate() {
        if let Type::Opaque(id) = one.e.ty {
            let names = names_of(program, id).into_iter();
            let equal = names.map(|name| formula::compare(CompareOp::Eq, one.e.clone(), name));
            found.extend(equal.map(|e| one.where_there(e)));
        }
        if one.there.is_none() {
            found.extend(is_there(&one.e));
        }
        let others = all.iter().skip(index + 1);
        let others = others.filter(|other| {
            let is_compared = matches!(
                one.e.ty,
                Type::Opaque(_) | Type::Array { .. } | Type::Class { .. }
            );
            is_compared && one.e.ty.with_null() == other.e.ty.with_null()
        });
        pairs.extend(others.map(|other| {
            let equal = formula::compare(CompareOp::Eq, one.e.clone(), other.e.clone());
            one.where_there(other.where_there(equal))
        }));
    }
    found.extend(pairs.into_iter().take(MOST_PAIRS));
    found
}

/// The values of an opaque type that have names.
pub(super) fn names_of(program: &Program, id: OpaqueId) -> Vec<Expr> {
    let names = program.opaques.get(id.0).map_or(0, |o| o.values.len());
    let name = |index| formula::expr(ExprKind::Named(id, index), Type::Opaque(id));
    (0..names).map(name).collect()
}
