//! What somebody else's code may do.

use std::collections::BTreeSet;

use tranquera::front::java::classfile::MethodRef;
use tranquera::front::java::classpath::ClassPath;
use tranquera::front::java::effects::exceptions::{is_checked, may_raise};
use tranquera::front::java::effects::frame::{How, frame};
use tranquera::front::java::effects::writers::Writers;
use tranquera::front::java::types::{ClassName, JavaType, MethodSignature};
use tranquera::front::java::world::World;
use tranquera::front::java::world::studied::Studied;

use crate::corpus;

fn studied(class: &str) -> (World, Writers, Studied) {
    let (class_path, names) = corpus::fixtures();
    let world = World::new(class_path);
    let writers = Writers::of(&world, &names);
    let class = world.class(&ClassName::new(class)).expect("a class");
    let studied = Studied::of(&world, &class);
    (world, writers, studied)
}

#[test]
fn what_never_escapes_is_changed_by_nobody() {
    let (world, writers, gate) = studied("protocols.Gate");
    let frame = frame(&world, &writers, &gate);
    assert!(frame.escapes.is_empty(), "{:?}", frame.escapes);
    assert!(frame.changed(true).is_empty());
    let own: Vec<&str> = frame.by_callbacks.iter().map(String::as_str).collect();
    assert_eq!(own, ["closed", "open", "passed"]);
}

#[test]
fn what_a_nested_class_assigns_is_known() {
    let (world, writers, nested) = studied("shapes.Nested");
    let frame = frame(&world, &writers, &nested);
    // `new Walk()` and `new Iterator() { … }` get the object, and the second one counts it down.
    assert!(
        frame
            .escapes
            .iter()
            .all(|escape| matches!(escape.how, How::Argument(_)))
    );
    assert_eq!(frame.escapes.len(), 2);
    let others: Vec<String> = frame
        .by_others
        .iter()
        .map(|(field, classes)| format!("{field}: {classes:?}"))
        .collect();
    assert_eq!(others, ["size: [shapes/Nested$1]"]);
    assert_eq!(frame.changed(false), BTreeSet::from(["size".to_owned()]));
}

/// By the handle that both classes use; and the names by which the initialiser finds the fields are nobody else's.
#[test]
fn what_is_written_through_a_handle_is_known() {
    let (_, writers, beacon) = studied("protocols.Beacon");
    let others = beacon.fields.iter().map(|own| {
        let classes = writers.outside(&beacon, own);
        let open = writers.is_open(&beacon, own);
        format!("{}: {classes:?} {open}", own.name)
    });
    let others: Vec<String> = others.collect();
    assert_eq!(
        others,
        ["level: [] false", "lit: [protocols/Beacon$Keeper] false"]
    );
    // Its updater is given away.
    let (_, writers, leaky) = studied("protocols.Leaky");
    let own = leaky.fields.iter().find(|own| own.name == "updated");
    assert!(writers.is_open(&leaky, own.expect("it")));
}

/// Before Java 11, compilers had a class within another one assign its fields by static methods of that one.
#[test]
#[ignore = "needs a JDK"]
fn what_a_nested_class_assigns_by_methods_that_compilers_add_is_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let compiled = std::process::Command::new("javac")
        .args(["--release", "8", "-Xlint:-options", "-d"])
        .arg(folder.path())
        .arg(corpus::sources().join("shapes/Nested.java"))
        .status();
    assert!(compiled.expect("a JDK").success());
    let mut class_path = ClassPath::new();
    let names = class_path.add(folder.path()).expect("class files");
    let world = World::new(class_path);
    let writers = Writers::of(&world, &names);
    let class = world
        .class(&ClassName::new("shapes/Nested"))
        .expect("a class");
    let frame = frame(&world, &writers, &Studied::of(&world, &class));
    assert_eq!(frame.changed(false), BTreeSet::from(["size".to_owned()]));
}

#[test]
fn lambdas_hold_what_they_capture() {
    let (world, writers, modern) = studied("shapes.Modern");
    let counter = modern.chain[0]
        .methods
        .iter()
        .find(|method| &*method.name == "counter");
    // It is no public method: nobody can call it from outside, so nothing escapes by it.
    assert!(counter.is_some_and(|method| !method.access.is_public()));
    assert!(frame(&world, &writers, &modern).escapes.is_empty());
}

#[test]
fn waiting_is_noticed() {
    let (world, writers, constants) = studied("shapes.Constants");
    let frame = frame(&world, &writers, &constants);
    assert!(!frame.waits, "`finish` is no action");
}

fn handler(class: Option<&str>) -> Option<ClassName> {
    class.map(ClassName::new)
}

#[test]
fn a_call_raises_what_it_declares_and_what_somebody_expects() {
    let (world, _, _) = studied("protocols.Gate");
    let call = |class: &str| MethodRef {
        owner: JavaType::Class(ClassName::new(class)),
        name: "pass".into(),
        signature: MethodSignature::parse("()V").expect("a descriptor"),
        of_interface: false,
    };
    let handlers = [
        handler(Some("java/lang/IllegalStateException")),
        handler(Some("java/io/EOFException")),
    ];
    let raises = may_raise(&world, &call("protocols/Gate"), &handlers);
    assert_eq!(
        raises.declared,
        BTreeSet::from([ClassName::new("java/io/IOException")])
    );
    // `EOFException` would have to be declared; that it is a kind of `IOException` says the declaration.
    assert_eq!(
        raises.expected,
        BTreeSet::from([ClassName::new("java/lang/IllegalStateException")])
    );
    assert!(!raises.unknown && !raises.anything);
    let raises = may_raise(
        &world,
        &call("nowhere/Gate"),
        &[handler(Some("nowhere/Failed")), handler(None)],
    );
    assert!(raises.unknown && raises.anything);
    assert_eq!(
        raises.expected,
        BTreeSet::from([ClassName::new("nowhere/Failed")])
    );
    assert_eq!(
        is_checked(&world, &ClassName::new("shapes/Faults$Failed")),
        Some(true)
    );
    assert_eq!(
        is_checked(&world, &ClassName::new("shapes/Faults$Refused")),
        Some(false)
    );
    assert_eq!(is_checked(&world, &ClassName::new("nowhere/Failed")), None);
}
