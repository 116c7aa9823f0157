//! Slices: the part of a class on which its abstraction depends has the abstraction of the class. What is expected comes from
//! running everything of the *whole* class, or from paper; and the text of a slice is a class again.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::Config;
use tranquera::epa::Strategy as Targets;
use tranquera::front::tq::{self, Loaded};
use tranquera::ir::backwards::Which;
use tranquera::ir::slice::{Slice, slice};

use crate::oracle::{Class, expected};
use crate::support::program::root;
use crate::support::tape::Tape;
use crate::support::{class, random};
use crate::{features, graph};

fn sliced(loaded: &Loaded) -> Slice {
    let program = &loaded.program;
    let actions = class::actions(program);
    slice(program, class::last(program), &actions, &Which::All)
}

/// The text of the slice of the last class.
fn text_of(text: &str) -> String {
    let loaded = class::parse(text);
    tq::text_of(&sliced(&loaded), &loaded.source).text
}

#[test]
fn directed_classes_and_their_slices_have_the_same_abstraction() {
    features::check(|case| {
        let slice = text_of(&case.text);
        Some(graph::by_engine(
            &class::parse(&slice),
            "builtin",
            Targets::Guided,
        ))
    });
}

/// How often something was dropped, of how many classes.
#[derive(Default)]
struct Seen {
    classes: usize,
    smaller: usize,
}

fn check(class: &Class, seen: &mut Seen) -> Result<(), TestCaseError> {
    let loaded = class::parse(&class.text);
    let slice = sliced(&loaded);
    let text = tq::text_of(&slice, &loaded.source).text;
    // A slice declares variables at the beginning of bodies, without a value: where there is no array, that has no run.
    let declares = |line: &str| line.contains(": array<") && line.ends_with(">;");
    if class.domain.arrays == 0 && text.lines().any(declares) {
        return Err(TestCaseError::reject("there is no array to be had"));
    }
    let Some(whole) = expected(&class.text, &class.domain) else {
        return Err(TestCaseError::reject("the oracle does not say it all"));
    };
    let Some(part) = expected(&text, &class.domain) else {
        return Err(TestCaseError::reject("the oracle does not say it all"));
    };
    seen.classes += 1;
    seen.smaller += usize::from(!slice.dropped.is_empty());
    let differences = whole.differences(&part);
    prop_assert!(
        differences.is_empty(),
        "- class, + slice:\n{}\n{}\n{text}",
        differences.join("\n"),
        class.text
    );
    Ok(())
}

fn run(of: fn(&mut Tape) -> Class, cases: u32) {
    let config = random::cases(cases);
    let config = Config {
        max_shrink_iters: 200,
        max_global_rejects: 20 * config.cases + 100,
        ..config
    };
    let seen = RefCell::new(Seen::default());
    let numbers = prop::collection::vec(any::<u16>(), 60..300);
    random::check_cases(config, numbers, |numbers| {
        check(&of(&mut Tape::new(numbers)), &mut seen.borrow_mut())
    });
    let Seen { classes, smaller } = seen.into_inner();
    assert!(
        5 * smaller >= classes,
        "only {smaller} of {classes} became smaller"
    );
}

#[test]
fn random_classes_and_their_slices_have_the_same_abstraction() {
    run(Class::of_numbers, 30);
}

#[test]
fn random_classes_with_heaps_and_their_slices_have_the_same_abstraction() {
    run(Class::of_heaps, 10);
}

#[test]
fn the_papers_classes_and_their_slices_are_read_again() {
    let mut read = 0;
    for folder in [
        "corral-2016",
        "tosem-2013",
        "tse-2012",
        "typestate-2012",
        "openjdk-17",
    ] {
        let files = std::fs::read_dir(root().join("fixtures").join(folder)).expect("a folder");
        let files = files.map(|entry| entry.expect("an entry").path());
        for path in files.filter(|path| path.extension().is_some_and(|e| e == "tq")) {
            let loaded = class::load(&path);
            let whole = tq::text_of(&Slice::whole(&loaded.program), &loaded.source).text;
            let again = class::parse(&whole);
            // Nothing is lost on the way, and nothing comes in.
            assert_eq!(
                tq::text_of(&Slice::whole(&again.program), &again.source).text,
                whole,
                "{}",
                path.display()
            );
            let slice = tq::text_of(&sliced(&loaded), &loaded.source).text;
            let warnings = class::parse(&slice).warnings;
            assert!(warnings.is_empty(), "{}", warnings.render(false));
            read += 1;
        }
    }
    assert!(read > 30, "{read}");
}
