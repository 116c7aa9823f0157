//! From a stack machine's code to a control-flow graph of steps and expressions, and to a tree.
//!
//! ```text
//! Code ─► blocks ─► frames ─► variables ─► lift ─► Flow ─► atomic ─► simpler ─► reducible ─► structure ─► Body
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | `blocks` | basic blocks, and which handlers stand guard over which |
//! | `frames` | the types of what is on the stack and in the local variables, by data flow |
//! | `variables` | local variables of the machine into variables of the source, split by live range |
//! | `lift` | the stack away: symbolic execution, block by block |
//! | `stack` | the variables in which blocks hand over what is on the stack |
//! | `sites` | what `invokedynamic` calls |
//! | [`atomic`] | what is read and written through objects of `java.util.concurrent.atomic`, as plain fields |
//! | `assertions` | which are not checked |
//! | [`graph`] | the result: blocks of steps with an exit and handlers |
//! | `conditions`, `temporaries`, `booleans`, `ends` | what a compiler took apart is put together again |
//! | `receiver` | the object itself, where it has other names |
//! | `reducible` | a single entry for every loop |
//! | [`dominance`] | which blocks are on every way to others, and what they say of loops |
//! | [`dependence`] | which conditions decide whether a block is run |

mod assertions;
pub mod atomic;
mod blocks;
mod booleans;
mod conditions;
pub mod dependence;
pub mod dominance;
mod ends;
mod error;
mod frames;
pub mod graph;
mod lift;
mod receiver;
mod reducible;
mod sites;
mod stack;
mod temporaries;
mod variables;

pub use error::Refused;
use frames::Frame;
use graph::ControlFlowGraph;

use super::classfile::{ClassFile, Code, Instruction, Method};
use super::structure;
use super::tree::{MethodBody, Note, VariableId};

/// The graph of a method's body; nothing where it is abstract or native.
///
/// # Errors
/// The code is malformed, or something in it is not taken.
pub fn flow_of(class: &ClassFile, method: &Method) -> Result<Option<ControlFlowGraph>, Refused> {
    let Some(code) = class.code(method)? else {
        return Ok(None);
    };
    Ok(Some(built(class, method, &code)?.0))
}

/// The body of a method as a tree; nothing where it is abstract or native.
///
/// # Errors
/// The code is malformed, or something in it is not taken.
pub fn body_of(class: &ClassFile, method: &Method) -> Result<Option<MethodBody>, Refused> {
    let Some(code) = class.code(method)? else {
        return Ok(None);
    };
    let (flow, notes) = built(class, method, &code)?;
    structure::structure(&flow, notes).map(Some)
}

/// The graph of a method's body, as it stands in its class: nothing is put together again, and nothing left out.
fn lifted(class: &ClassFile, method: &Method) -> Result<Option<ControlFlowGraph>, Refused> {
    let Some(code) = class.code(method)? else {
        return Ok(None);
    };
    Ok(Some(lift(class, method, &code)?.0))
}

/// The graph, and the variables that may be truth values.
fn lift(
    class: &ClassFile,
    method: &Method,
    code: &Code,
) -> Result<(ControlFlowGraph, Vec<VariableId>), Refused> {
    let receiver = (!method.access.is_static()).then_some(&class.name);
    let blocks = blocks::blocks(code)?;
    let entry = Frame::entry(receiver, &method.signature, code.max_locals);
    let frames = frames::frames(code, &blocks, entry)?;
    let variables = variables::variables(code, &blocks, &frames, method, &class.name)?;
    let open = variables.open.clone();
    let flow = lift::lift(code, &blocks, &frames, variables, &class.bootstraps)?;
    Ok((flow, open))
}

fn built(
    class: &ClassFile,
    method: &Method,
    code: &Code,
) -> Result<(ControlFlowGraph, Vec<Note>), Refused> {
    let (mut flow, open) = lift(class, method, code)?;
    atomic::rewrite(&mut flow, &class.atomics);
    let mut notes = Vec::new();
    assertions::pass(&mut flow);
    receiver::rename(&mut flow);
    conditions::simplify(&mut flow);
    let copied = ends::copy_ends(&mut flow);
    if copied > 0 {
        notes.push(Note::CopiedEnds(copied));
        conditions::simplify(&mut flow);
    }
    temporaries::sweep(&mut flow);
    booleans::find_booleans(&mut flow, &open, method.signature.result.as_ref());
    flow.prune();
    let irreducible = reducible::make_reducible(&mut flow);
    if irreducible > 0 {
        notes.push(Note::Irreducible(irreducible));
    }
    let monitors = code
        .instructions
        .iter()
        .any(|(_, i)| matches!(i, Instruction::Monitor(_)));
    if monitors {
        notes.push(Note::Monitors);
    }
    Ok((flow, notes))
}
