//! Classes as they belong together.

use std::sync::Arc;

use tranquera::front::java::classfile::{
    ClassFile, InvokeKind, JavaFieldRef, MethodRef, PoolConstant,
};
use tranquera::front::java::types::{ClassName, JavaType, MethodSignature};
use tranquera::front::java::world::initialiser::{self, StaticValue};
use tranquera::front::java::world::studied::Studied;
use tranquera::front::java::world::{World, methods_of, nesting};

use crate::corpus;

fn world() -> World {
    World::new(corpus::fixtures().0)
}

fn class(world: &World, name: &str) -> Arc<ClassFile> {
    world
        .class(&ClassName::new(name))
        .unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn actions_are_public_methods_and_those_that_are_inherited() {
    let world = world();
    let gate = Studied::of(&world, &class(&world, "protocols.Gate"));
    let actions: Vec<String> = gate.actions.iter().map(ToString::to_string).collect();
    let expected = [
        "protocols.Gate.open()",
        "protocols.Gate.pass()",
        "protocols.Gate.close()",
        "protocols.Gate.passed()",
        "protocols.Barrier.lock()",
    ];
    assert_eq!(actions, expected);
    let fields: Vec<&str> = gate
        .fields
        .iter()
        .map(|field| field.name.as_str())
        .collect();
    assert_eq!(fields, ["open", "closed", "passed", "limit"]);
    assert_eq!(gate.constructors.len(), 1);
    assert_eq!(gate.missing, None);
}

#[test]
fn a_class_without_public_constructors_has_all_of_them() {
    let world = world();
    let walk = Studied::of(&world, &class(&world, "shapes.Nested$Walk"));
    assert_eq!(walk.constructors.len(), 1);
    let actions: Vec<&str> = walk
        .actions
        .iter()
        .map(|action| &*action.method().name)
        .collect();
    // The bridge `next()Object` is the compiler's.
    assert_eq!(actions, ["hasNext", "next"]);
}

fn call(owner: &str, name: &str, descriptor: &str) -> MethodRef {
    MethodRef {
        owner: JavaType::Class(ClassName::new(owner)),
        name: name.into(),
        signature: MethodSignature::parse(descriptor).expect("a descriptor"),
        of_interface: false,
    }
}

#[test]
fn calls_on_the_object_itself_find_what_the_studied_class_has() {
    let world = world();
    let gate = Studied::of(&world, &class(&world, "protocols.Gate"));
    let found = |kind, owner: &str, name: &str| {
        let method = gate.own_method(&world, kind, &call(owner, name, "()V"));
        method.map(|method| method.to_string())
    };
    let own = Some("protocols.Gate.close()".to_owned());
    assert_eq!(
        found(InvokeKind::Virtual, "protocols.Barrier", "close"),
        own
    );
    let of_super = Some("protocols.Barrier.close()".to_owned());
    assert_eq!(
        found(InvokeKind::Special, "protocols.Barrier", "close"),
        of_super
    );
    let helper = Some("protocols.Barrier.ensureOpen()".to_owned());
    assert_eq!(
        found(InvokeKind::Virtual, "protocols.Gate", "ensureOpen"),
        helper
    );
    assert_eq!(found(InvokeKind::Virtual, "protocols.Gate", "notify"), None);
}

#[test]
fn fields_are_found_in_the_class_that_declares_them() {
    let world = world();
    let field = |class: &str, name: &str| JavaFieldRef {
        class: ClassName::new(class),
        name: name.into(),
        ty: JavaType::Boolean,
    };
    let found = world
        .field(&field("protocols.Gate", "open"))
        .expect("a field");
    assert_eq!(found.0.name.to_string(), "protocols.Barrier");
    assert!(world.field(&field("protocols.Gate", "nowhere")).is_none());
}

#[test]
fn subclasses_are_known_as_far_as_there_are_files() {
    let world = world();
    let is = |class: &str, of: &str| world.is_subclass(&ClassName::new(class), &ClassName::new(of));
    assert_eq!(is("protocols.Gate", "protocols.Barrier"), Some(true));
    assert_eq!(is("protocols.Barrier", "protocols.Gate"), Some(false));
    assert_eq!(is("shapes.Nested$Walk", "java.util.Iterator"), Some(true));
    assert_eq!(
        is("shapes.Faults$Refused", "java.lang.RuntimeException"),
        Some(true)
    );
    assert_eq!(
        is("shapes.Faults$Failed", "java.lang.RuntimeException"),
        Some(false)
    );
    assert_eq!(is("shapes.Nested$Walk", "java.lang.Runnable"), None);
}

#[test]
fn a_switch_over_an_enum_says_which_constants_it_means() {
    let world = world();
    let table = class(&world, "shapes.Modern$1");
    let field = table
        .fields
        .iter()
        .find(|field| field.name.starts_with("$SwitchMap"))
        .expect("a table");
    let field = JavaFieldRef {
        class: table.name.clone(),
        name: field.name.clone(),
        ty: field.ty.clone(),
    };
    let map = nesting::switch_map(&world, &field).expect("a table");
    let map: Vec<(&str, i32)> = map
        .iter()
        .map(|(name, number)| (name.as_str(), *number))
        .collect();
    assert_eq!(map, [("BLUE", 2), ("RED", 1)]);
    let colour = class(&world, "shapes.Modern$Colour");
    let constants: Vec<&str> = nesting::enum_constants(&colour)
        .iter()
        .map(|f| &*f.name)
        .collect();
    assert_eq!(constants, ["RED", "GREEN", "BLUE"]);
}

#[test]
fn what_compilers_add_is_known_by_name_and_flags() {
    let world = world();
    let walk = class(&world, "shapes.Nested$Walk");
    let outer: Vec<&str> = walk
        .fields
        .iter()
        .filter(|f| nesting::is_outer_object(f))
        .map(|f| &*f.name)
        .collect();
    assert_eq!(outer, ["this$0"]);
    let modern = class(&world, "shapes.Modern");
    let lambdas = methods_of(&modern).filter(nesting::is_lambda_body).count();
    assert_eq!(lambdas, 1);
}

#[test]
fn constants_and_plain_assignments_of_the_initialiser_are_known() {
    let world = world();
    let known = initialiser::constants(&class(&world, "shapes.Constants"));
    let of = |name: &str| known.get(name).cloned();
    assert_eq!(
        of("LIMIT"),
        Some(StaticValue::Constant(PoolConstant::Int(10)))
    );
    assert_eq!(of("FLAG"), Some(StaticValue::Boolean(true)));
    assert_eq!(
        of("BIG"),
        Some(StaticValue::Constant(PoolConstant::Long(1 << 40)))
    );
    assert_eq!(of("TABLE"), Some(StaticValue::Array(Some(3))));
    assert_eq!(of("LOCK"), Some(StaticValue::Object(ClassName::object())));
    assert_eq!(of("COMPUTED"), Some(StaticValue::Unknown));
    assert_eq!(of("PLAIN"), Some(StaticValue::Unknown));
    assert_eq!(of("mutable"), None);
    let modern = initialiser::constants(&class(&world, "shapes.Modern"));
    assert_eq!(
        modern.get("$assertionsDisabled"),
        Some(&StaticValue::Boolean(true))
    );
}

#[test]
fn conditions_are_found_in_the_three_ways_in_which_they_are_written() {
    let world = world();
    let studied = Studied::of(&world, &class(&world, "protocols.Written"));
    let written = &studied.written;
    let conditions = written.preconditions.iter();
    let mut found: Vec<String> = conditions
        .map(|found| format!("{} if {}", found.action, found.method))
        .collect();
    found.sort();
    let expected = [
        "protocols.Written.drop(int) if protocols.Written.drop_pre()",
        "protocols.Written.drop(int) if protocols.Written.drop_pre(int)",
        "protocols.Written.pop() if protocols.Written.pop_pre()",
        "protocols.Written.push(int) if protocols.Written.canPush()",
    ];
    assert_eq!(found, expected);
    let always: Vec<String> = written.invariants.iter().map(ToString::to_string).collect();
    assert_eq!(always, ["protocols.Written.inv()"]);
    let texts = written.texts.iter().map(|found| {
        let of = found.of.as_ref().map(ToString::to_string);
        (of.unwrap_or_default(), found.text.to_string())
    });
    let peek = "protocols.Written.peek(int)";
    let expected = ["size > 0", "i >= 0"].map(|text| (peek.to_owned(), text.to_owned()));
    assert_eq!(texts.collect::<Vec<_>>(), expected);
    // What says when they may be called is nothing that is called.
    let actions = studied.actions.iter().map(|action| &*action.method().name);
    assert_eq!(actions.collect::<Vec<_>>(), ["push", "pop", "drop", "peek"]);
}

/// The fields of a class that are read and written through objects which only it has, with what stands for them.
fn atomics(world: &World, name: &str) -> Vec<String> {
    let class = class(world, name);
    let all = (class.atomics.holders.iter()).chain(&class.atomics.accessors);
    all.map(|(field, plain)| format!("{field}: {} {}", plain.ty, plain.name))
        .collect()
}

#[test]
fn a_field_with_a_holder_that_nobody_else_has_is_a_plain_field() {
    let world = world();
    let found = atomics(&world, "protocols.Session");
    let expected = [
        "protocols.Session.left: int left",
        "protocols.Session.mode: protocols.Session$Mode mode",
    ];
    assert_eq!(found, expected);
    let session = class(&world, "protocols.Session");
    let types: Vec<String> = session.fields.iter().map(|f| f.ty.to_string()).collect();
    assert_eq!(types, ["protocols.Session$Mode", "int"]);
    assert!(session.fields.iter().all(|field| !field.access.is_final()));
}

#[test]
fn what_a_class_and_its_nest_alone_write_fields_through_is_known() {
    let world = world();
    let expected = [
        "protocols.Beacon.LEVEL: int level",
        "protocols.Beacon.LIT: boolean lit",
    ];
    assert_eq!(atomics(&world, "protocols.Beacon"), expected);
    // Who sees the private members of another class knows the same.
    assert_eq!(atomics(&world, "protocols.Beacon$Keeper"), expected);
}

/// Given from outside, given away, called by others, replaced, and written by what may fail for no reason.
#[test]
fn what_others_have_as_well_is_no_plain_field() {
    assert!(atomics(&world(), "protocols.Leaky").is_empty());
}
