//! Which classes have a protocol.

use tranquera::front::java::protocol::{MethodSummaries, list, protocol};
use tranquera::front::java::types::ClassName;
use tranquera::front::java::world::World;
use tranquera::front::java::world::studied::Studied;

use crate::corpus;

#[test]
fn a_refusal_has_its_place_its_action_and_its_fields() {
    let (class_path, _) = corpus::fixtures();
    let world = World::new(class_path);
    let class = world
        .class(&ClassName::new("protocols.Gate"))
        .expect("a class");
    let gate = Studied::of(&world, &class);
    let found = protocol(&world, &MethodSummaries::default(), &gate);
    assert!(found.refused.is_empty());
    let mut lines: Vec<String> = found
        .refusals
        .iter()
        .map(|refusal| {
            let action = &gate.actions[refusal.action];
            let line = refusal.line.unwrap_or(0);
            let fields: Vec<&str> = refusal.fields.iter().map(String::as_str).collect();
            let exception = refusal.exception.as_ref().map_or("-", ClassName::simple);
            let by = &refusal.method;
            format!(
                "{} ! {exception} in {by}:{line} {:?} {fields:?}",
                action.method().name,
                refusal.kind
            )
        })
        .collect();
    lines.sort();
    let expected = [
        "lock ! IOException in protocols.Barrier.ensureOpen():20 Own [\"closed\", \"open\"]",
        "open ! IllegalStateException in protocols.Gate.open():19 Own [\"closed\", \"open\"]",
        "pass ! IOException in protocols.Barrier.ensureOpen():20 Own [\"closed\", \"open\"]",
        "pass ! IOException in protocols.Gate.pass():27 Own [\"limit\", \"passed\"]",
    ];
    assert_eq!(lines, expected);
}

#[test]
#[ignore = "needs a JDK; the figures are in docs"]
fn the_classes_of_the_papers_have_the_protocols_that_are_known() {
    let (class_path, _) = corpus::installed();
    let world = World::new(class_path);
    let names = [
        "java/io/PipedOutputStream",
        "java/io/StringReader",
        "java/util/OptionalInt",
        "java/security/KeyStore$PasswordProtection",
        "java/util/Formatter",
        "java/util/ArrayList$ListItr",
        "java/net/Socket",
        "java/security/Signature",
        "java/util/zip/ZipOutputStream",
        "java/util/regex/Matcher",
        "java/util/Scanner",
    ];
    let names: Vec<ClassName> = names.iter().map(|name| ClassName::new(name)).collect();
    let found = list::list(&world, &names);
    assert_eq!(found.entries.len(), names.len());
    for entry in &found.entries {
        assert!(entry.has_protocol(), "{entry:?}");
    }
}
