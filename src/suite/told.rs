//! Calls and tests with all that is known of them: names, types, the state that a call leads to.

use super::concrete::ConcreteCall;
use super::model::{Argument, RefusedCall, Test, TestCall};
use super::refuse::{ConcreteRefusal, RefusingTest};
use crate::epa::walk::Walker;
use crate::interp::{Configuration, HeapObject, Value};
use crate::ir::{Field, Program, VarId};
use crate::query::{Edge, Exit};

/// A test with all that is known of it.
pub(super) fn told(walker: &Walker<'_>, test: &RefusingTest, covers: Vec<String>) -> Test {
    let refused = |refused: &[ConcreteRefusal]| -> Vec<RefusedCall> {
        let refused = refused.iter().map(|refused| refused_call(walker, refused));
        refused.collect()
    };
    let calls = test.steps.iter().enumerate().map(|(at, step)| TestCall {
        refuses: test
            .refused
            .get(&at)
            .map_or_else(Vec::new, |it| refused(it)),
        ..test_call(walker, step)
    });
    Test {
        refuses: refused(&test.first),
        calls: calls.collect(),
        covers,
    }
}

/// A call with all that is known of it.
pub(super) fn test_call(walker: &Walker<'_>, step: &ConcreteCall) -> TestCall {
    let program = walker.program();
    let routine = walker
        .callee(step.edge)
        .and_then(|callee| walker.routine(callee));
    let (params, results) = match routine.map(|r| program.routine(r)) {
        Some(routine) => (routine.params.as_slice(), routine.results.as_slice()),
        None => (&[][..], &[][..]),
    };
    let (names, automaton) = (&walker.epa.names, walker.automaton());
    let edge = &automaton[step.edge];
    let fails = |e: &&Edge| matches!(e.exit, Exit::Exception(_));
    let same_call = |e: &Edge| e.callee == edge.callee;
    let elsewhere = |e: &Edge| {
        same_call(e) && e.source == edge.source && e.exit == edge.exit && e.target != edge.target
    };
    TestCall {
        edge: names.edge(edge),
        name: names.callee(edge.callee).to_owned(),
        arguments: named(program, params, &step.arguments),
        objects: step.objects.clone(),
        results: named(program, results, &step.results),
        exception: names.exception(&edge.exit).map(str::to_owned),
        raised: match edge.exit {
            Exit::Exception(id) => Some(id),
            _ => None,
        },
        target: edge.target.map(|t| names.state(t).to_owned()),
        enabled: edge
            .target
            .map_or_else(Vec::new, |t| names.enabled(&automaton[t])),
        open: step.open,
        refuses: vec![],
        is_only_way: !automaton.edges.iter().any(elsewhere),
        fields: fields_after(walker, step),
        routine,
        fallible: routine.is_some_and(|r| !program.routine(r).throws.is_empty())
            || automaton.edges.iter().filter(fails).any(same_call),
    }
}

/// A call that is refused, with all that is known of it.
pub(super) fn refused_call(walker: &Walker<'_>, refused: &ConcreteRefusal) -> RefusedCall {
    let program = walker.program();
    let params = &program.routine(refused.routine).params;
    RefusedCall {
        name: walker.epa.names.callee(refused.callee).to_owned(),
        arguments: named(program, params, &refused.arguments),
        needs: refused.needs.clone(),
        routine: refused.routine,
    }
}

/// The values of variables, with their names.
fn named(program: &Program, vars: &[VarId], values: &[Value]) -> Vec<Argument> {
    let vars = vars.iter().map(|var| program.var(*var));
    let pairs = vars.zip(values);
    pairs
        .map(|(var, value)| Argument::new(program, &var.name, &var.ty, value))
        .collect()
}

/// The fields after a call, where they are known.
fn fields_after(walker: &Walker<'_>, step: &ConcreteCall) -> Vec<Argument> {
    let program = walker.program();
    let held = step.end.iter().flat_map(|end| held(program, end));
    held.map(|(field, value)| Argument::new(program, &field.name, &field.ty, value))
        .collect()
}

/// The fields of the object itself with what they hold, if there is one.
pub(super) fn held<'c>(
    program: &'c Program,
    now: &'c Configuration,
) -> impl Iterator<Item = (&'c Field, &'c Value)> {
    let object = now.this.and_then(|this| now.object(this));
    let held = object.and_then(|object| match object {
        HeapObject::Instance { class, fields } => Some((program.class(*class), fields)),
        HeapObject::Array { .. } => None,
    });
    let pairs = held.map(|(class, fields)| class.fields.iter().zip(fields));
    pairs.into_iter().flatten()
}
