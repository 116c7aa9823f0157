//! A Rust module in which each state of the interface is a type, and only the calls that are safe are its methods.

use std::collections::BTreeSet;

use askama::Template;
use heck::ToUpperCamelCase;

use crate::ir::{Program, Type, VarId};
use crate::query::Exit;
use crate::suite::{rust_name, rust_word};

use super::{ActionHeader, Exported, NotExported, declared, state_name};

/// `templates/interface/typestate.rs.txt`
#[derive(Template)]
#[template(path = "interface/typestate.rs.txt")]
struct Module<'e> {
    class: &'e str,
    subject: String,
    promise: String,
    enums: Vec<(String, Vec<String>)>,
    types: Vec<String>,
    fallible: bool,
    methods: Vec<Method>,
    states: Vec<StateText>,
}

/// The function that every state has besides its calls.
const INTO_INNER: &str = "into_inner";

/// What is asked of the class itself.
struct Method {
    signature: String,
}

struct StateText {
    name: String,
    calls: Vec<ExportedCall>,
}

/// A call from a state.
struct ExportedCall {
    name: String,
    params: String,
    arguments: String,
    /// What it returns.
    returns: String,
    /// The enum by which its ends are told apart, if they are: its name, and variants with what they hold.
    ends: Option<(String, Vec<(String, String)>)>,
    /// The pattern of each end, and the expression for it.
    arms: Vec<(String, String)>,
}

/// The module.
///
/// # Errors
/// Two actions have the same name in Rust's style.
pub fn typestate(exported: &Exported<'_>) -> Result<String, NotExported> {
    let program = exported.program();
    let actions = 0..exported.interface.subject.actions.len();
    let mut names = BTreeSet::from([INTO_INNER.to_string()]);
    for action in actions.clone() {
        let name = exported.action(action).name;
        if !names.insert(rust_name(name)) {
            return Err(NotExported::CannotSay(format!(
                "`{name}` has the same name in Rust as something else: {}",
                rust_name(name)
            )));
        }
    }
    let mut types: BTreeSet<String> = BTreeSet::new();
    let mut enums: BTreeSet<usize> = BTreeSet::new();
    for action in actions.clone() {
        let header = exported.action(action);
        for var in header.params.iter().chain(header.results) {
            collect(program, &program.var(*var).ty, &mut types, &mut enums);
        }
    }
    let can_fail = |action: usize| exported.interface.seen[action].iter().any(Exit::is_failure);
    let methods = actions.clone().map(|action| {
        let header = exported.action(action);
        let result = result_type(program, &header, "Self");
        let result = match (can_fail(action), result.as_str()) {
            (true, result) => format!(" -> Result<{result}, Self::Error>"),
            (false, "()") => String::new(),
            (false, result) => format!(" -> {result}"),
        };
        let params = params(program, &header, "Self");
        let params = if params.is_empty() {
            params
        } else {
            format!(", {params}")
        };
        Method {
            signature: format!("fn {}(&mut self{params}){result};", rust_name(header.name)),
        }
    });
    let mut states = Vec::new();
    for (q, state) in exported.automaton.states.iter().enumerate() {
        let mut calls = Vec::new();
        for action in &state.legal {
            calls.push(call(exported, q, *action, can_fail(*action)));
        }
        states.push(StateText {
            name: state_name(q),
            calls,
        });
    }
    let text = Module {
        class: exported.class(),
        subject: rust_word(exported.class()),
        promise: exported.promise(),
        enums: enums
            .iter()
            .map(|id| {
                let declared = &program.enums[*id];
                let members = declared.members.iter().map(|m| rust_word(m)).collect();
                (rust_word(&declared.name), members)
            })
            .collect(),
        types: types.into_iter().collect(),
        fallible: actions.clone().any(can_fail),
        methods: methods.collect(),
        states,
    };
    Ok(text.render()? + "\n")
}

fn call(exported: &Exported<'_>, q: usize, action: usize, can_fail: bool) -> ExportedCall {
    let program = exported.program();
    let header = exported.action(action);
    let state = &exported.automaton.states[q];
    let ends = exported.ends(state, action);
    let result = result_type(program, &header, "T");
    let with_result = |target: usize| {
        let target = format!("{}<T>", state_name(target));
        match result.as_str() {
            "()" => target,
            result => format!("({result}, {target})"),
        }
    };
    let value = |target: usize| {
        let target = format!("{}(self.0)", state_name(target));
        match result.as_str() {
            "()" => target,
            _ => format!("(result, {target})"),
        }
    };
    let name = rust_name(header.name);
    let seen = |index: usize| &exported.interface.seen[action][index];
    let is_failure = |index: usize| seen(index).is_failure();
    let normal: Vec<(usize, usize)> = ends
        .iter()
        .copied()
        .filter(|(i, _)| !is_failure(*i))
        .collect();
    let failed = ends.iter().find(|(i, _)| is_failure(*i)).map(|(_, q)| *q);
    let one_target = normal
        .iter()
        .all(|(_, q)| Some(q) == normal.first().map(|(_, q)| q));
    let bound = if result == "()" { "()" } else { "result" };
    let ok = |pattern: &str| match can_fail {
        true => format!("Ok({pattern})"),
        false => pattern.to_string(),
    };
    let mut arms = Vec::new();
    let mut enumerated = None;
    let normal_type;
    if one_target {
        normal_type = normal.first().map(|(_, q)| with_result(*q));
        if let Some((_, target)) = normal.first() {
            arms.push((ok(bound), value(*target)));
        }
    } else {
        let ends_name = format!("{}{}", state_name(q), name.to_upper_camel_case());
        let mut variants = Vec::new();
        for (index, target) in &normal {
            let (variant, condition) = outcome(program, &header, seen(*index));
            let pattern = format!("{} if {condition}", ok("result"));
            arms.push((
                pattern,
                format!(
                    "{ends_name}::{variant}(result, {}(self.0))",
                    state_name(*target)
                ),
            ));
            variants.push((variant, format!("{result}, {}<T>", state_name(*target))));
        }
        normal_type = Some(format!("{ends_name}<T>"));
        enumerated = Some((ends_name, variants));
    }
    let returns = match (normal_type, failed) {
        (Some(normal), None) => normal,
        (normal, Some(failed)) => {
            let normal = normal.unwrap_or_else(|| "std::convert::Infallible".into());
            format!("Result<{normal}, (T::Error, {}<T>)>", state_name(failed))
        }
        (None, None) => "std::convert::Infallible".into(),
    };
    if let Some(failed) = failed {
        for (_, value) in &mut arms {
            *value = format!("Ok({value})");
        }
        arms.push((
            "Err(error)".into(),
            format!("Err((error, {}(self.0)))", state_name(failed)),
        ));
    }
    // What cannot be seen here by what is known of the class.
    let complete = one_target && !normal.is_empty() && (failed.is_some() || !can_fail);
    if !complete {
        let never = format!(
            "unreachable!(\"{} never ends like this here\")",
            header.name
        );
        arms.push(("_".into(), never));
    }
    ExportedCall {
        name,
        params: params(program, &header, "T"),
        arguments: argument_names(program, &header).join(", "),
        returns,
        ends: enumerated,
        arms,
    }
}

/// The name of an outcome, and how it is told from the result.
fn outcome(program: &Program, header: &ActionHeader<'_>, exit: &Exit) -> (String, String) {
    let Exit::Outcome(values) = exit else {
        return ("Ended".into(), "true".into());
    };
    let mut names = Vec::new();
    let mut conditions = Vec::new();
    for (var, value) in header.outcomes.iter().zip(values) {
        let place = match header.results {
            [_] => "result".to_string(),
            results => {
                let index = results.iter().position(|r| r == var).unwrap_or_default();
                format!("result.{index}")
            }
        };
        let declared = program.var(*var);
        match &declared.ty {
            Type::Enum(id) => {
                let of = &program.enums[id.0];
                let member = of.members.get(*value).map_or("", String::as_str);
                names.push(rust_name(member).to_upper_camel_case());
                let (ty, member) = (rust_word(&of.name), rust_word(member));
                conditions.push(format!("{place} == {ty}::{member}"));
            }
            _ => {
                let name = rust_name(&declared.name).to_upper_camel_case();
                let (name, condition) = match value {
                    1 => (name, place),
                    _ => (format!("Not{name}"), format!("!{place}")),
                };
                names.push(name);
                conditions.push(condition);
            }
        }
    }
    (names.concat(), conditions.join(" && "))
}

fn argument_names(program: &Program, header: &ActionHeader<'_>) -> Vec<String> {
    let params = header.params.iter();
    // Two names may become the same in Rust's style; their places keep them apart.
    let names: Vec<String> = params.map(|p| rust_name(&program.var(*p).name)).collect();
    let twice = |name: &String| names.iter().filter(|n| *n == name).count() > 1;
    let numbered = names.iter().enumerate().map(|(i, name)| {
        if twice(name) {
            format!("{name}_{}", i + 1)
        } else {
            name.clone()
        }
    });
    numbered.collect()
}

fn params(program: &Program, header: &ActionHeader<'_>, of: &str) -> String {
    let names = argument_names(program, header);
    let params = header.params.iter().zip(names);
    let params: Vec<String> = params
        .map(|(p, name)| format!("{name}: {}", rust_type(program, &program.var(*p).ty, of)))
        .collect();
    params.join(", ")
}

fn result_type(program: &Program, header: &ActionHeader<'_>, of: &str) -> String {
    let ty = |var: &VarId| rust_type(program, &program.var(*var).ty, of);
    let types: Vec<String> = header.results.iter().map(ty).collect();
    match types.as_slice() {
        [one] => one.clone(),
        _ => format!("({})", types.join(", ")),
    }
}

/// The Rust type; classes and opaque types are those of the class itself, `of`.
fn rust_type(program: &Program, ty: &Type, of: &str) -> String {
    let optional = |inner: String, nullable: bool| match nullable {
        true => format!("Option<{inner}>"),
        false => inner,
    };
    match ty {
        Type::Int => "i64".into(),
        Type::Nat => "u64".into(),
        Type::Bool => "bool".into(),
        Type::Machine(machine) | Type::Within(machine) => (*machine).usual().name(),
        Type::Array { element, nullable } => optional(
            format!("Vec<{}>", rust_type(program, element, of)),
            *nullable,
        ),
        Type::Map(key, value) => format!(
            "std::collections::BTreeMap<{}, {}>",
            rust_type(program, key, of),
            rust_type(program, value, of)
        ),
        Type::Enum(id) => rust_word(&program.enums[id.0].name),
        Type::Class { nullable, .. } => {
            let name = declared(program, ty).map(rust_word).unwrap_or_default();
            optional(format!("{of}::{name}"), *nullable)
        }
        Type::Opaque(_) | Type::Null => {
            let name = declared(program, ty).map(rust_word).unwrap_or_default();
            format!("{of}::{name}")
        }
    }
}

/// The types that a type is made of and that the file declares.
fn collect(
    program: &Program,
    ty: &Type,
    types: &mut BTreeSet<String>,
    enums: &mut BTreeSet<usize>,
) {
    match ty {
        Type::Enum(id) => {
            enums.insert(id.0);
        }
        Type::Opaque(_) | Type::Class { .. } => {
            types.extend(declared(program, ty).map(rust_word));
        }
        Type::Array { element, .. } => collect(program, element, types, enums),
        Type::Map(key, value) => {
            collect(program, key, types, enums);
            collect(program, value, types, enums);
        }
        _ => {}
    }
}
