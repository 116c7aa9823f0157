//! Classes as texts of the language.

use tranquera::front::java::lower;
use tranquera::front::java::types::ClassName;
use tranquera::front::java::world::World;
use tranquera::front::tq;

use crate::corpus;

fn text_of(class: &str) -> String {
    let (class_path, _) = corpus::fixtures();
    let world = World::new(class_path);
    let class = world.class(&ClassName::new(class)).expect("a class");
    lower::lower(&world, &class, &Default::default()).text
}

/// Every class of the fixtures that has code of its own gives a text that is read without a complaint.
#[test]
fn every_fixture_is_a_class_of_the_language() {
    let (class_path, names) = corpus::fixtures();
    let world = World::new(class_path);
    let mut count = 0;
    for name in names {
        let class = world.class(&name).expect("a class");
        if class.access.is_interface() {
            continue;
        }
        let text = lower::lower(&world, &class, &Default::default()).text;
        let loaded = tq::parse_text(&name.to_string(), &text);
        let loaded = loaded.unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
        assert!(loaded.warnings.is_empty(), "{}\n{text}", loaded.warnings);
        let formatted = tq::format(&name.to_string(), &text, tq::LINE_WIDTH);
        assert_eq!(formatted.expect("formatted"), text);
        count += 1;
    }
    // By hand: 65 listed, three enums, two exceptions, and the table of a `switch`.
    assert_eq!(count, 71);
}

#[test]
fn texts_are_for_people_to_read() {
    for class in [
        "protocols.Gate",
        "protocols.Line",
        "shapes.Nested$Walk",
        "helpers.Hose",
    ] {
        let name = format!("text_{}", class.replace(['.', '$'], "_"));
        insta::assert_snapshot!(name, text_of(class));
    }
}

/// Whether an action's own code raises an error where what it uses is null.
fn refuses_null(text: &str, action: &str) -> bool {
    let (_, behind) = text
        .split_once(&format!("action {action}()"))
        .expect("the action");
    let body = behind.split("\n  }").next().expect("a body");
    body.contains("NullDereference")
}

/// By hand: `take` makes `token` null, though no instruction assigns it; `label` nobody assigns but the constructor, as other
/// packages' subclasses only have it of their own objects. The updater of `updated` is given away: whoever is given it may write.
#[test]
fn fields_that_are_found_by_name_change() {
    let text = text_of("shapes.ByName");
    assert!(refuses_null(&text, "token"), "{text}");
    assert!(!refuses_null(&text, "label"), "{text}");
    let (_, take) = text.split_once("action take()").expect("the action");
    let body = take.split("\n  }").next().expect("a body");
    assert!(body.contains("token := null"), "{text}");
    let text = text_of("protocols.Leaky");
    assert!(text.contains("havoc updated"), "{text}");
    let text = text_of("shapes.ByName$Namesake");
    assert!(!refuses_null(&text, "token"), "{text}");
}

/// By hand: `maybe` is what callers give, `early` is looked at before it is assigned, `some` is assigned on one way only, and
/// a subclass makes `seen` of its own objects null; the others no object has null.
#[test]
fn what_is_never_null_is_not_asked_for() {
    let kept = ["maybe", "early", "some"].as_slice();
    let below = &["maybe", "early", "some", "seen"];
    for (class, expected) in [("shapes.Kept", kept), ("shapes.Kept$Below", below)] {
        let text = text_of(class);
        let actions = [
            "made", "again", "given", "maybe", "early", "some", "renew", "seen",
        ];
        let may_be_null = actions
            .into_iter()
            .filter(|action| refuses_null(&text, action));
        let may_be_null: Vec<&str> = may_be_null.collect();
        assert_eq!(may_be_null, expected, "{class}: {text}");
    }
}

/// What raises that there is no memory raises nothing here, and such a call is none.
#[test]
fn memory_lasts() {
    let text = text_of("shapes.Reserve");
    assert!(!text.contains("OutOfMemoryError"), "{text}");
    let (_, behind) = text.split_once("action grow(").expect("the action");
    let body = behind.split("\n  }").next().expect("a body");
    assert_eq!(body.matches("assume false;").count(), 1, "{body}");
}
