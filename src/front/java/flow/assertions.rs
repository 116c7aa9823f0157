//! Assertions, which are not checked unless the machine is told to: what a compiler makes of them is never run.

use super::graph::{BlockExit, ControlFlowGraph};
use crate::front::java::classfile::{PoolConstant, Relation};
use crate::front::java::tree::JavaExpr;
use crate::front::java::types::JavaType;

/// The field by which a class asks whether its assertions are checked.
const DISABLED: &str = "$assertionsDisabled";

/// Goes past the assertions. With them go the exceptions that only they raise, which would else be looked for in each question.
pub(super) fn pass(flow: &mut ControlFlowGraph) {
    for block in &mut flow.blocks {
        let BlockExit::If {
            condition,
            then,
            otherwise,
            ..
        } = &block.exit
        else {
            continue;
        };
        if let Some(holds) = known(condition) {
            block.exit = BlockExit::Goto(if holds { *then } else { *otherwise });
        }
    }
}

/// What a condition is that looks whether assertions are checked.
fn known(condition: &JavaExpr) -> Option<bool> {
    let JavaExpr::Relation(relation, _, asked, zero) = condition else {
        return None;
    };
    let (JavaExpr::Static(field), JavaExpr::Constant(PoolConstant::Int(0))) = (&**asked, &**zero)
    else {
        return None;
    };
    if &*field.name != DISABLED || field.ty != JavaType::Boolean {
        return None;
    }
    match relation {
        Relation::NotEqual => Some(true),
        Relation::Equal => Some(false),
        _ => None,
    }
}
