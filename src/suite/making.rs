//! How a test can make an object that a run is given: the call of a constructor after which its fields have just these values.

use crate::interp::{Configuration, HeapObject, Interpreter, Odometer, Outcome, Value};
use crate::ir::{ClassId, Program, RoutineRef, Type};

use super::concrete::{Unassigned, is_same_end, with_spare_arrays};

/// No more calls of constructors are tried for one object.
const MOST_TRIED: usize = 500;

/// Steps of the interpreter for one of them.
const FUEL: u64 = 10_000;

/// A constructor and what it is called with, so that the object has these fields: whatever the class leaves open.
///
/// Parameters are tried with the values that the fields have, and a few that are often meant. An object whose fields lead to
/// other objects is not made.
pub(super) fn made_by(
    program: &Program,
    class: ClassId,
    fields: &[Value],
) -> Option<(RoutineRef, Vec<Value>)> {
    if fields.iter().any(|value| matches!(value, Value::Ref(_))) {
        return None;
    }
    let mut left = MOST_TRIED;
    let constructors = program.constructors(class).into_iter().flatten();
    constructors
        .filter(|constructor| program.routine(*constructor).hidden.is_empty())
        .find_map(|constructor| {
            let arguments = arguments_of(program, constructor, fields, &mut left)?;
            Some((constructor, arguments))
        })
}

/// What a constructor has to be called with.
fn arguments_of(
    program: &Program,
    constructor: RoutineRef,
    fields: &[Value],
    left: &mut usize,
) -> Option<Vec<Value>> {
    let declared = &program.class(constructor.class).fields;
    let params = program.routine(constructor).params.iter();
    let choices: Vec<Vec<Value>> = params
        .map(|param| {
            let ty = &program.var(*param).ty;
            let held = declared.iter().zip(fields);
            let like = held.filter(|(field, _)| is_alike(&field.ty, ty));
            let mut values: Vec<Value> = like.map(|(_, value)| value.clone()).collect();
            values.extend(usual_values(program, ty));
            values.dedup();
            values
        })
        .collect();
    if choices.iter().any(Vec::is_empty) {
        return None;
    }
    let mut odometer = Odometer::default();
    loop {
        *left = left.checked_sub(1)?;
        let picked = choices.iter().filter_map(|values| {
            let index = odometer.pick(values.len());
            values.get(index).cloned()
        });
        let arguments: Vec<Value> = picked.collect();
        if makes(program, constructor, &arguments, fields) {
            return Some(arguments);
        }
        if !odometer.advance() {
            return None;
        }
    }
}

/// Whether a value of one type may be one of the other.
fn is_alike(field: &Type, param: &Type) -> bool {
    let is_integer = |ty: &Type| {
        matches!(
            ty,
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_)
        )
    };
    field == param || (is_integer(field) && is_integer(param))
}

fn usual_values(program: &Program, ty: &Type) -> Vec<Value> {
    match ty {
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
            vec![Value::int(0), Value::int(1)]
        }
        Type::Enum(id) => {
            let declared = program.enums.get(id.0);
            let members = 0..declared.map_or(0, |declared| declared.members.len());
            members.map(|index| Value::Member(*id, index)).collect()
        }
        Type::Class { nullable, .. } | Type::Array { nullable, .. } if *nullable => {
            vec![Value::Null]
        }
        _ => Vec::new(),
    }
}

/// Whether the call makes an object with these fields, whatever its fields are before they are assigned.
fn makes(
    program: &Program,
    constructor: RoutineRef,
    arguments: &[Value],
    fields: &[Value],
) -> bool {
    let interpreter = Interpreter::new(program).with_fuel(FUEL);
    let nothing = with_spare_arrays(program, constructor.class, &Configuration::empty());
    if !matches!(
        interpreter.may_call(&nothing, None, constructor, arguments),
        Ok(true)
    ) {
        return false;
    }
    let run = |last: bool| {
        interpreter.construct(
            &nothing,
            constructor.class,
            Some(constructor),
            arguments.to_vec(),
            &mut Unassigned { last },
        )
    };
    let (one, other) = (run(false), run(true));
    if !matches!(one.outcome, Outcome::Normal(_)) || !is_same_end(&one, &other) {
        return false;
    }
    let end = &one.configuration;
    let made = end.this.and_then(|this| end.object(this));
    matches!(made, Some(HeapObject::Instance { fields: found, .. }) if found == fields)
}
