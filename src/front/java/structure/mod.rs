//! From a control-flow graph to a tree: which statements lie in which.
//!
//! | module | what it does |
//! |---|---|
//! | `shape` | the order of blocks, by dominators: loops, labelled blocks, jumps |
//! | `cover` | handlers around statements |
//! | `tidy` | fewer labels and jumps |
//! | `check` | every jump leads out of something it is in |

mod check;
mod cover;
mod shape;
mod tidy;

use std::collections::HashSet;

use super::flow::Refused;
use super::flow::graph::ControlFlowGraph;
use super::tree::{BodyVariable, JavaExpr, JavaStatement, MethodBody, Note, Role, VariableId};

/// Makes a tree of a graph in which every loop has one entry.
///
/// # Errors
/// The tree would be too deep, or is wrong, which would be a mistake of this program.
pub(super) fn structure(flow: &ControlFlowGraph, notes: Vec<Note>) -> Result<MethodBody, Refused> {
    let layout = shape::BlockLayout::of(flow);
    let shapes = layout.shapes()?;
    let (statements, variables) = cover::cover(flow, &layout, shapes);
    let statements = tidy::tidy(statements);
    check::check(&statements)?;
    let mut body = MethodBody {
        variables,
        parameters: flow.parameters.clone(),
        statements,
        notes,
    };
    keep_used(&mut body);
    Ok(body)
}

/// Forgets variables that nobody speaks of, and names those that have no name yet.
fn keep_used(body: &mut MethodBody) {
    let mut used: HashSet<VariableId> = body.parameters.iter().copied().collect();
    for statement in &body.statements {
        statement.visit(&mut |part| collect(part, &mut used));
    }
    let mut ids = vec![None; body.variables.len()];
    let mut kept: Vec<BodyVariable> = Vec::new();
    for (number, variable) in body.variables.iter().enumerate() {
        let id = VariableId(u32::try_from(number).unwrap_or(u32::MAX));
        if used.contains(&id) {
            ids[number] = Some(VariableId(u32::try_from(kept.len()).unwrap_or(u32::MAX)));
            kept.push(variable.clone());
        }
    }
    name_all(&mut kept);
    body.variables = kept;
    let rename = |id: &mut VariableId| {
        if let Some(Some(new)) = ids.get(id.index()) {
            *id = *new;
        }
    };
    body.parameters.iter_mut().for_each(rename);
    rename_all(&mut body.statements, &rename);
}

fn collect(statement: &JavaStatement, used: &mut HashSet<VariableId>) {
    for expression in statement.expressions() {
        expression.visit(&mut |part| {
            if let JavaExpr::Variable(variable) = part {
                used.insert(*variable);
            }
        });
    }
    match statement {
        JavaStatement::Step(step) => used.extend(step.kind.defines()),
        JavaStatement::Try { catches, .. } => {
            used.extend(catches.iter().map(|catch| catch.variable))
        }
        _ => {}
    }
}

/// Numbers the temporary variables, around the names of the source.
fn name_all(variables: &mut [BodyVariable]) {
    let taken: HashSet<String> = variables
        .iter()
        .map(|variable| variable.name.clone())
        .collect();
    let mut number = 0;
    for variable in variables
        .iter_mut()
        .filter(|variable| variable.role == Role::Temporary)
    {
        loop {
            number += 1;
            variable.name = format!("t{number}");
            if !taken.contains(&variable.name) {
                break;
            }
        }
    }
}

fn rename_all(statements: &mut [JavaStatement], rename: &impl Fn(&mut VariableId)) {
    for statement in statements {
        for expression in statement.expressions_mut() {
            expression.change(&mut |part| {
                if let JavaExpr::Variable(variable) = part {
                    rename(variable);
                }
            });
        }
        match statement {
            JavaStatement::Step(step) => {
                let mut defined = step.kind.defines();
                defined.iter_mut().for_each(rename);
                step.kind.redefine(defined);
            }
            JavaStatement::Try { catches, .. } => {
                catches
                    .iter_mut()
                    .for_each(|catch| rename(&mut catch.variable));
            }
            _ => {}
        }
        for part in statement.parts_mut() {
            rename_all(part, rename);
        }
    }
}
