//! The questions as Boogie text.

use std::collections::{BTreeMap, BTreeSet};

use tranquera::encode::interface::runs::Run;
use tranquera::encode::interface::{Cube, InterfaceEncoding, Params};
use tranquera::front::tq::with_predicates;
use tranquera::query::Entry;

use crate::support::boogie_reads::boogie_objections;
use crate::support::class;
use crate::support::program::root;
use crate::synthesised::{LAST_RET, forbidden};

/// One question of each kind about a class, as entries.
fn entries(interface: &InterfaceEncoding<'_>) -> Vec<Entry> {
    let encoding = interface.encoding();
    let width = interface.predicates.len();
    let (all, none) = (Cube(vec![true; width]), Cube(vec![false; width]));
    let both = BTreeSet::from([all.clone(), none.clone()]);
    let known = BTreeSet::from([(0, none.clone())]);
    let mut found = Vec::new();
    for constructor in 0..encoding.constructors.len() {
        found.push(interface.any_other_end(None, constructor, &known));
        found.push(interface.starts_outside(constructor, &both));
    }
    for action in 0..encoding.actions.len() {
        found.push(interface.raises(&none, action));
        found.push(interface.any_other_end(Some(&none), action, &known));
        found.push(interface.end(Some(&all), action, &(0, none.clone())));
        let targets = BTreeMap::from([(0, both.clone())]);
        found.push(interface.escapes("Q1", &both, action, &targets));
        let calls = vec![
            (action, 0),
            (action, interface.observations[action].len() - 1),
        ];
        let last = Some(action);
        found.push(interface.run(&Run {
            constructor: 0,
            calls,
            last,
        }));
    }
    let entries = found.into_iter();
    entries.map(|step| step.expect("encoded").entry).collect()
}

/// Each file with what is forbidden, and predicates.
const SUBJECTS: &[(&str, &[&str], &[&str])] = &[
    (
        "tests/support/mailbox.tq",
        &["Full", "requires"],
        &["count == 0", "first == null"],
    ),
    (
        "fixtures/corral-2016/list_itr.tq",
        &["requires"],
        &["cursor < list.size", "lastRet == -1"],
    ),
    (
        "fixtures/corral-2016/vending_machine.tq",
        &["AssertionFailure"],
        &[],
    ),
    ("fixtures/tse-2012/atm.tq", &["requires"], &[]),
    (
        "fixtures/jist-2005/list_itr_fixed.tq",
        &["IllegalState"],
        &[LAST_RET],
    ),
];

fn with_subject<T>(
    subject: &(&str, &[&str], &[&str]),
    params: Params,
    then: impl FnOnce(&InterfaceEncoding<'_>) -> T,
) -> T {
    let (file, exceptions, predicates) = subject;
    let mut loaded = class::load(&root().join(file));
    let class = tranquera::ir::ClassId(loaded.program.classes.len() - 1);
    let texts: Vec<String> = predicates.iter().map(ToString::to_string).collect();
    let predicates = with_predicates(&loaded, class, &texts).expect("predicates");
    loaded.program = predicates.program;
    let encoding = class::encode(&loaded);
    let forbidden = forbidden(&loaded, exceptions);
    then(&InterfaceEncoding::new(
        &encoding,
        predicates.exprs,
        forbidden,
        params,
        false,
    ))
}

#[test]
fn boogie_takes_every_kind_of_question() {
    for subject in SUBJECTS {
        for params in [Params::Forall, Params::Exists] {
            with_subject(subject, params, |interface| {
                let mut program = interface.encoding().program();
                for entry in entries(interface) {
                    program.text = program.with(&entry);
                }
                let parsed = tranquera::boogie::parse(&program.text).expect("parsed");
                let objections = tranquera::boogie::check(&parsed).err();
                assert_eq!(objections.map(|e| e.to_string()), None, "{}", subject.0);
                assert_eq!(boogie_objections(&program.text), None, "{}", subject.0);
            });
        }
    }
}

#[test]
fn the_questions_as_text() {
    for (subject, name) in [(&SUBJECTS[0], "mailbox"), (&SUBJECTS[4], "list_itr_fixed")] {
        let text = with_subject(subject, Params::Forall, |interface| {
            let all: Vec<String> = entries(interface).into_iter().map(|e| e.text).collect();
            all.join("\n")
        });
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("{name}.interface"), text);
        });
    }
}
