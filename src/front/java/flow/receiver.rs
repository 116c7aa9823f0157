//! The object itself under other names: a variable that is only ever assigned `this` is `this`. So are the stack's, where an
//! argument of `super(…)` is decided by a condition: what is called then is called on the object itself.

use std::collections::BTreeSet;

use super::graph::ControlFlowGraph;
use crate::front::java::tree::{JavaExpr, Role, StepKind, VariableId};

/// Puts `this` in the place of its other names.
pub(super) fn rename(flow: &mut ControlFlowGraph) {
    let is_this = |id: &VariableId| flow.variables[id.index()].role == Role::This;
    let Some(this) = flow.parameters.iter().copied().find(is_this) else {
        return;
    };
    let names = names(flow, this);
    if names.is_empty() {
        return;
    }
    for block in &mut flow.blocks {
        block.steps.retain(|step| {
            let defined = step.kind.defines();
            defined.is_none_or(|variable| !names.contains(&variable))
        });
        let steps = block.steps.iter_mut();
        let parts = steps.flat_map(|step| step.kind.expressions_mut());
        for part in parts.chain(block.exit.expression_mut()) {
            part.change(&mut |e| {
                if matches!(e, JavaExpr::Variable(variable) if names.contains(variable)) {
                    *e = JavaExpr::Variable(this);
                }
            });
        }
    }
}

/// The variables that nothing else than the object is ever assigned to: shrunk from all that somewhere are, until nothing
/// else is.
fn names(flow: &ControlFlowGraph, this: VariableId) -> BTreeSet<VariableId> {
    let mut names: BTreeSet<VariableId> = (0..flow.variables.len())
        .filter_map(|at| u32::try_from(at).ok().map(VariableId))
        .filter(|id| !flow.parameters.contains(id))
        .collect();
    for block in &flow.blocks {
        for handler in &block.handlers {
            names.remove(&handler.variable);
        }
    }
    let mut assigned = BTreeSet::new();
    loop {
        let before = names.len();
        for step in flow.blocks.iter().flat_map(|block| &block.steps) {
            let Some(variable) = step.kind.defines() else {
                continue;
            };
            assigned.insert(variable);
            let is_name = match &step.kind {
                StepKind::Assign(_, JavaExpr::Variable(from)) => {
                    *from == this || names.contains(from)
                }
                _ => false,
            };
            if !is_name {
                names.remove(&variable);
            }
        }
        if names.len() == before {
            break;
        }
    }
    names.retain(|variable| assigned.contains(variable));
    // Those that are only assigned each other never get the object: no machine runs such code.
    let grounded = |known: &BTreeSet<VariableId>, variable: &VariableId| {
        let mut steps = flow.blocks.iter().flat_map(|block| &block.steps);
        steps.any(|step| match &step.kind {
            StepKind::Assign(to, JavaExpr::Variable(from)) => {
                to == variable && (*from == this || known.contains(from))
            }
            _ => false,
        })
    };
    let mut known = BTreeSet::new();
    loop {
        let more = names.iter().filter(|name| grounded(&known, name)).copied();
        let more: BTreeSet<VariableId> = more.collect();
        if more.len() == known.len() {
            return known;
        }
        known = more;
    }
}
