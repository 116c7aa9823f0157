//! The questions as Boogie text.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tranquera::encode::Encoding;
use tranquera::front::tq::with_predicates;
use tranquera::query::kinds::interface::{Abstracted, Cube, History, Params};
use tranquera::query::{Callee, ConstructorId, EntryProcedure};

use crate::support::boogie_reads::boogie_objections;
use crate::support::class;
use crate::support::program::root;
use crate::synthesised::{LAST_RET, forbidden};

/// One question of each kind about a class, as entries.
fn entries(abstracted: &Abstracted, encoding: &Encoding) -> Vec<EntryProcedure> {
    let subject = &abstracted.subject;
    let width = abstracted.predicates.len();
    let (all, none) = (Cube(vec![true; width]), Cube(vec![false; width]));
    let both = BTreeSet::from([all.clone(), none.clone()]);
    let known = BTreeSet::from([(0, none.clone())]);
    let mut found = Vec::new();
    for constructor in subject.constructor_ids() {
        found.push(abstracted.any_other_end(None, Callee::Constructor(constructor), &known));
        found.push(abstracted.starts_outside(constructor, &both));
    }
    for action in subject.action_ids() {
        let callee = Callee::Action(action);
        found.push(abstracted.raises(&none, action));
        found.push(abstracted.any_other_end(Some(&none), callee, &known));
        found.push(abstracted.end(Some(&all), callee, &(0, none.clone())));
        let targets = BTreeMap::from([(0, both.clone())]);
        found.push(abstracted.escapes("Q1", &both, action, &targets));
        let last = abstracted.seen(action).len() - 1;
        found.push(abstracted.history(&History {
            constructor: ConstructorId(0),
            calls: vec![(action, 0), (action, last)],
            last: Some(action),
        }));
    }
    let entries = found.iter();
    entries
        .map(|query| encoding.query(query).expect("encoded").entry)
        .collect()
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
    then: impl FnOnce(&Abstracted, &Encoding) -> T,
) -> T {
    let (file, exceptions, predicates) = subject;
    let mut loaded = class::load(&root().join(file));
    let class = tranquera::ir::ClassId(loaded.program.classes.len() - 1);
    let texts: Vec<String> = predicates.iter().map(ToString::to_string).collect();
    let predicates = with_predicates(&loaded, class, ("--predicate", &texts)).expect("predicates");
    loaded.program = predicates.program;
    let subject = Arc::new(class::subject(&loaded));
    let encoding = Encoding::new(Arc::clone(&subject)).expect("a class can be encoded");
    let forbidden = forbidden(&loaded, exceptions);
    let abstracted = Abstracted::new(subject, predicates.exprs, forbidden, params, false);
    then(&abstracted, &encoding)
}

#[test]
fn boogie_takes_every_kind_of_question() {
    for subject in SUBJECTS {
        for params in [Params::Forall, Params::Exists] {
            with_subject(subject, params, |abstracted, encoding| {
                let mut program = encoding.program();
                for entry in entries(abstracted, encoding) {
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
        let text = with_subject(subject, Params::Forall, |abstracted, encoding| {
            let all: Vec<String> = entries(abstracted, encoding)
                .into_iter()
                .map(|e| e.text)
                .collect();
            all.join("\n")
        });
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("{name}.interface"), text);
        });
    }
}
