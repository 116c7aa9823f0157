//! Copies: `super.clone()` gives another object with the same values, and what the method then does to it is done to no object
//! that anybody calls. But others get it, and a rule of the class is one of its copies as well. So where it is asked what the
//! class keeps, a method that makes a copy is looked at as if it did to its own object what it does to the copy: that one
//! ends as the copy does.

use std::collections::BTreeSet;

use super::raises::uncast;
use crate::front::java::classfile::InvokeKind;
use crate::front::java::tree::{
    JavaExpr, JavaStatement, JavaStep, MethodBody, Role, StepKind, VariableId,
};

/// The body with the object itself in the place of its copy, if it makes one, and what it does to the one and what it sees of
/// the other cannot be mixed up.
pub(super) fn as_the_object_itself(mut body: MethodBody) -> MethodBody {
    let copies = copies(&body);
    let mut parameters = body.parameters.iter().copied();
    let this = parameters.find(|id| body.variables[id.index()].role == Role::This);
    let Some(this) = this.filter(|_| !copies.is_empty() && is_left_alone(&body, &copies)) else {
        return body;
    };
    let mut put = |e: &mut JavaExpr| {
        if let JavaExpr::Variable(id) = e
            && copies.contains(id)
        {
            *id = this;
        }
    };
    change(&mut body.statements, &mut put);
    body
}

/// The variables that hold nothing but a copy of the object.
fn copies(body: &MethodBody) -> BTreeSet<VariableId> {
    let mut defined: Vec<(VariableId, &StepKind)> = Vec::new();
    for statement in &body.statements {
        statement.visit(&mut |part| {
            if let JavaStatement::Step(step) = part {
                defined.extend(step.kind.defines().map(|variable| (variable, &step.kind)));
            }
        });
    }
    let mut found: BTreeSet<VariableId> = defined.iter().map(|(variable, _)| *variable).collect();
    loop {
        let others = defined.iter().filter(|(_, kind)| match kind {
            StepKind::Call(..) => !is_copying(kind, body),
            StepKind::Assign(_, value) => match uncast(value) {
                JavaExpr::Variable(from) => !found.contains(from),
                _ => true,
            },
            _ => true,
        });
        let others: Vec<VariableId> = others.map(|(variable, _)| *variable).collect();
        let before = found.len();
        found.retain(|variable| !others.contains(variable));
        if found.len() == before {
            return found;
        }
    }
}

/// `super.clone()`
fn is_copying(kind: &StepKind, body: &MethodBody) -> bool {
    let StepKind::Call(_, call) = kind else {
        return false;
    };
    let mut object = call.receiver.iter();
    call.kind == InvokeKind::Special
        && &*call.method.name == "clone"
        && call.arguments.is_empty()
        && object.any(|object| object.is_this(&body.variables))
}

/// Whether nothing is done to the object once there is a copy, and nothing is seen of it once something is done to the copy.
fn is_left_alone(body: &MethodBody, copies: &BTreeSet<VariableId>) -> bool {
    let is_copy = |e: &JavaExpr| matches!(uncast(e), JavaExpr::Variable(id) if copies.contains(id));
    let sees = |e: &JavaExpr| e.any(&|part| part.is_this(&body.variables));
    let (mut is_there, mut is_changed, mut alone) = (false, false, true);
    for statement in &body.statements {
        statement.visit(&mut |part| {
            alone &= !matches!(part, JavaStatement::Loop { .. });
            alone &= !(is_changed && part.expressions().into_iter().any(sees));
            let JavaStatement::Step(JavaStep { kind, .. }) = part else {
                return;
            };
            let (object, given) = match kind {
                StepKind::SetField(object, ..) => (Some(object), [].as_slice()),
                StepKind::Call(_, call) => (call.receiver.as_ref(), call.arguments.as_slice()),
                StepKind::New(_, new) => (None, new.arguments.as_slice()),
                StepKind::Dynamic(_, call) => (None, call.arguments.as_slice()),
                _ => return,
            };
            let is_itself = |e: &JavaExpr| e.may_be_this(&body.variables);
            let mut handed = object.into_iter().chain(given);
            alone &= !(is_there && handed.any(is_itself));
            is_changed |= object.is_some_and(is_copy) || given.iter().any(is_copy);
            is_there |= is_copying(kind, body);
        });
    }
    alone
}

fn change(statements: &mut [JavaStatement], put: &mut impl FnMut(&mut JavaExpr)) {
    for statement in statements {
        for e in statement.expressions_mut() {
            e.change(put);
        }
        for part in statement.parts_mut() {
            change(part, put);
        }
    }
}
