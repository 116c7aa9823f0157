//! A protocol file for JaTyC, the Java Typestate Checker (<https://github.com/jdmota/java-typestate-checker>).
//!
//! A protocol gives each state its methods, and each method the state behind it. That may depend on a boolean or an
//! enum that the method returns, but not on whether it raises an exception.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::ir::{Program, Type, VarId};
use crate::query::Exit;
use crate::suite::java_word;

use super::{ActionHeader, Exported, NotExported, declared, state_name};

/// `templates/interface/protocol.txt`
#[derive(Template)]
#[template(path = "interface/protocol.txt")]
struct Protocol<'e> {
    class: &'e str,
    name: String,
    promise: String,
    states: Vec<(String, Vec<String>)>,
}

/// The protocol.
///
/// # Errors
/// The interface depends on something that a protocol cannot say.
pub fn protocol(exported: &Exported<'_>) -> Result<String, NotExported> {
    let states = &exported.automaton.states;
    // A state in which nothing may be called any more is the end of the protocol.
    let is_end = |q: usize| states.get(q).is_some_and(|s| s.legal.is_empty());
    let target = |q: usize| {
        if is_end(q) {
            "end".to_string()
        } else {
            state_name(q)
        }
    };
    let mut written = Vec::new();
    for (q, state) in states.iter().enumerate() {
        if is_end(q) && q > 0 {
            continue;
        }
        let mut methods = Vec::new();
        for action in &state.legal {
            let header = exported.action(*action);
            let ends = exported.ends(state, *action);
            let leads = destination(exported, *action, &header, &ends, &target).map_err(|why| {
                NotExported::CannotSay(format!("{} in {}: {why}", header.shown, state_name(q)))
            })?;
            let signature = signature(exported.program(), &header)?;
            methods.push(format!("{signature}: {leads}"));
        }
        written.push((state_name(q), methods));
    }
    let text = Protocol {
        class: exported.class(),
        name: match exported.java {
            // In a file of its own package.
            Some(java) => java.class.rsplit('.').next().unwrap_or_default().to_owned(),
            None => java_word(exported.class()),
        },
        promise: exported.promise(),
        states: written,
    };
    Ok(text.render()? + "\n")
}

/// The state behind a call, or the states by what it returns.
fn destination(
    exported: &Exported<'_>,
    action: usize,
    header: &ActionHeader<'_>,
    ends: &[(usize, usize)],
    target: &dyn Fn(usize) -> String,
) -> Result<String, String> {
    let targets: BTreeSet<usize> = ends.iter().map(|(_, q)| *q).collect();
    if let (Some(only), 1) = (targets.first(), targets.len()) {
        return Ok(target(*only));
    }
    let seen = |index: usize| exported.interface.seen[action].get(index);
    let failed = ends
        .iter()
        .find(|(index, _)| seen(*index).is_some_and(Exit::is_failure));
    let normal: BTreeSet<usize> = ends
        .iter()
        .filter(|end| Some(*end) != failed)
        .map(|(_, q)| *q)
        .collect();
    if failed.is_some_and(|(_, q)| !normal.contains(q) || normal.len() > 1) {
        return Err(
            "where it leads depends on whether it raises an exception, which a protocol cannot say"
                .into(),
        );
    }
    let ([outcome], [_]) = (header.outcomes, header.results) else {
        return Err("where it leads depends on more than the one value that it returns".into());
    };
    let program = exported.program();
    let labels: Vec<String> = match &program.var(*outcome).ty {
        Type::Enum(id) => program.enums[id.0].members.clone(),
        _ => vec!["false".into(), "true".into()],
    };
    let by_value: BTreeMap<usize, usize> = ends
        .iter()
        .filter_map(|(index, q)| match seen(*index)? {
            Exit::Outcome(values) => Some((*values.first()?, *q)),
            _ => None,
        })
        .collect();
    // A value that is never returned here has to be there all the same: nothing may follow it.
    let decisions: Vec<String> = labels
        .iter()
        .enumerate()
        .map(|(value, label)| {
            let target = by_value.get(&value).map_or("end".into(), |q| target(*q));
            format!("{label}: {target}")
        })
        .collect();
    Ok(format!("<{}>", decisions.join(", ")))
}

fn signature(program: &Program, header: &ActionHeader<'_>) -> Result<String, NotExported> {
    if let Some(call) = header.java {
        let types: Vec<&str> = call.parameters.iter().map(|p| p.ty.as_str()).collect();
        let mut written = types.iter().copied().chain([&*call.result, &*call.name]);
        if !written.all(is_of_java) {
            let shown = call.name.escape_debug();
            return Err(NotExported::CannotSay(format!(
                "`{shown}` has no name in Java"
            )));
        }
        return Ok(format!(
            "{} {}({})",
            call.result,
            call.name,
            types.join(", ")
        ));
    }
    let ty = |var: &VarId| java_type(program, &program.var(*var).ty);
    let result = match header.results {
        [] => "void".to_string(),
        [one] => ty(one),
        _ => {
            return Err(NotExported::CannotSay(format!(
                "{}: a Java method returns at most one value",
                header.name
            )));
        }
    };
    let params: Vec<String> = header.params.iter().map(ty).collect();
    Ok(format!(
        "{result} {}({})",
        java_word(header.name),
        params.join(", ")
    ))
}

/// Whether a source can say this: names with dots between them, and brackets behind them.
fn is_of_java(text: &str) -> bool {
    let name = text.trim_end_matches("[]");
    let is_name = |part: &str| {
        let is_letter = |c: char| c.is_alphabetic() || matches!(c, '_' | '$');
        let is_fine = |c: char| is_letter(c) || c.is_numeric();
        part.starts_with(is_letter) && part.chars().all(is_fine)
    };
    name.split('.').all(is_name)
}

/// The Java type that has the values. An unsigned type is the next larger signed one.
fn java_type(program: &Program, ty: &Type) -> String {
    match ty {
        Type::Int | Type::Nat => "int".into(),
        Type::Bool => "boolean".into(),
        // A value of the next larger type that Java has.
        Type::Machine(m) | Type::Within(m) => match ((*m).usual().signed, (*m).usual().bits) {
            (true, 8) => "byte",
            (true, 16) | (false, 8) => "short",
            (true, 32) | (false, 16) => "int",
            _ => "long",
        }
        .into(),
        Type::Array { element, .. } => format!("{}[]", java_type(program, element)),
        Type::Map(..) => "java.util.Map".into(),
        Type::Enum(_) | Type::Opaque(_) | Type::Class { .. } | Type::Null => {
            declared(program, ty).map_or("Object".into(), java_word)
        }
    }
}
