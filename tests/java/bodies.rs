//! What a tree does is what the code does: run beside each other, in worlds made up.

use cafebabe::attributes::AttributeData;
use rayon::prelude::*;
use tranquera::front::java::classfile::{ClassFile, Code, Method};
use tranquera::front::java::flow::body_of;
use tranquera::front::java::tree::MethodBody;
use tranquera::front::java::types::{ClassName, JavaType};

use crate::machine::{self, Outcome, Outside, Value};
use crate::print::print;
use crate::{corpus, oracle};

/// What runs a body, in either form.
type Runs<'a> = dyn Fn(&mut Outside, &[Value]) -> machine::Result<Option<Value>> + 'a;

/// Runs the code and the tree of a method in the same world. What they do has to be the same, as far as both come.
pub fn compare(
    class: &ClassName,
    method: &Method,
    code: &Code,
    body: &MethodBody,
    seed: u64,
) -> Result<usize, String> {
    let run = |on: &Runs| {
        let mut outside = Outside::new(seed);
        let this = (!method.access.is_static()).then(|| JavaType::Class(class.clone()));
        let arguments = machine::arguments(&mut outside, this, &method.signature.parameters);
        let result = on(&mut outside, &arguments);
        // A truth value is cut where it is returned.
        let result = result.map(|value| match (value, &method.signature.result) {
            (Some(Value::Int(number)), Some(JavaType::Boolean)) => Some(Value::Int(number & 1)),
            (value, _) => value,
        });
        (outside.events.clone(), machine::outcome(&outside, result))
    };
    let (code_events, code_outcome) =
        run(&|outside, arguments| machine::code::run(code, outside, arguments));
    let (tree_events, tree_outcome) =
        run(&|outside, arguments| machine::tree::run(body, outside, arguments));
    let both = code_events.len().min(tree_events.len());
    let tired = [&code_outcome, &tree_outcome]
        .iter()
        .any(|outcome| **outcome == Outcome::Fuel);
    let same = if tired {
        code_events[..both] == tree_events[..both]
    } else {
        code_events == tree_events && code_outcome == tree_outcome
    };
    if same {
        return Ok(both);
    }
    let first = (0..both)
        .find(|at| code_events[*at] != tree_events[*at])
        .unwrap_or(both);
    let behind = |events: &[String]| {
        events[first.saturating_sub(3)..]
            .iter()
            .take(8)
            .cloned()
            .collect::<Vec<_>>()
    };
    Err(format!(
        "{class}.{}{} with seed {seed}: event {first} differs\ncode: {:#?} {code_outcome:?}\ntree: {:#?} {tree_outcome:?}\n{}",
        method.name,
        method.signature,
        behind(&code_events),
        behind(&tree_events),
        print(body),
    ))
}

/// Compares all methods of a class. How many there are.
fn compare_class(class: &ClassFile, bytes: &[u8], seeds: u64) -> Result<usize, String> {
    let theirs = cafebabe::parse_class(bytes).expect("cafebabe reads it");
    let mut count = 0;
    for (method, their) in class.methods.iter().zip(&theirs.methods) {
        let code = their
            .attributes
            .iter()
            .find_map(|attribute| match &attribute.data {
                AttributeData::Code(code) => Some(oracle::code(code)),
                _ => None,
            });
        let Some(code) = code else { continue };
        let body = body_of(class, method);
        let body = body.map_err(|error| format!("{}.{}: {error}", class.name, method.name))?;
        let body = body.expect("a body");
        for seed in 0..seeds {
            compare(&class.name, method, &code, &body, seed)?;
        }
        count += 1;
    }
    Ok(count)
}

#[test]
fn trees_of_the_fixtures_do_what_their_code_does() {
    let (class_path, names) = corpus::fixtures();
    for name in &names {
        let bytes = corpus::bytes(&class_path, name);
        let class = ClassFile::read(bytes.clone()).expect("a class");
        compare_class(&class, &bytes, 200).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
#[ignore = "takes minutes; reads what is installed, or what TRANQUERA_JAVA names"]
fn trees_of_what_is_installed_do_what_their_code_does() {
    let (class_path, names) = corpus::installed();
    let seeds = std::env::var("TRANQUERA_SEEDS")
        .ok()
        .and_then(|seeds| seeds.parse().ok())
        .unwrap_or(5);
    let results: Vec<Result<usize, String>> = names
        .par_iter()
        .map(|name| {
            let bytes = corpus::bytes(&class_path, name);
            compare_class(
                &ClassFile::read(bytes.clone()).expect("a class"),
                &bytes,
                seeds,
            )
        })
        .collect();
    let wrong: Vec<&String> = results
        .iter()
        .filter_map(|result| result.as_ref().err())
        .collect();
    for error in wrong.iter().take(5) {
        println!("{error}");
    }
    let count: usize = results.iter().flatten().sum();
    println!("{count} bodies agree, {} classes do not", wrong.len());
    assert!(wrong.is_empty());
}

#[test]
fn trees_are_readable() {
    let (class_path, names) = corpus::fixtures();
    for name in &names {
        let class = corpus::class(&class_path, name);
        let mut text = String::new();
        for method in &class.methods {
            let body = body_of(&class, method).expect("a tree");
            let Some(body) = body else { continue };
            text += &format!("// {}{}\n{}", method.name, method.signature, print(&body));
            for note in &body.notes {
                text += &format!("// {note:?}\n");
            }
            text += "\n";
        }
        if text.is_empty() {
            continue;
        }
        insta::assert_snapshot!(format!("tree_{}", name.simple().replace('$', "_")), text);
    }
}
