//! The Boogie text of every kind of question, as a person sees it; and that Boogie takes all of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tranquera::ask::Desk;
use tranquera::boogie;
use tranquera::encode::Encoding;
use tranquera::engine::EngineConfig;
use tranquera::ir::ExceptionId;
use tranquera::query::{
    AbstractState, ActionId, Callee, ConstructorId, EntryProcedure, Exit, Mark, Query,
    QuestionProgram, Step, Subject, kinds,
};

use crate::support::boogie_reads::boogie_objections;
use crate::support::program::root;
use crate::support::{class, real};

/// The classes whose questions are shown: which, and the actions and states that the questions are about.
struct Example {
    file: &'static str,
    /// The action that is called.
    action: &'static str,
    /// How it is called: the actions enabled before.
    source: &'static [&'static str],
    /// The actions enabled afterwards.
    target: &'static [&'static str],
    /// The action that is asked about.
    of: &'static str,
    /// The exception that is raised.
    exception: &'static str,
}

const EXAMPLES: &[Example] = &[
    Example {
        file: "fixtures/corral-2016/vending_machine.tq",
        action: "Buy",
        source: &["DisplayPrice", "Buy"],
        target: &["ReturnItem"],
        of: "ReturnChange",
        exception: "AssertionFailure",
    },
    Example {
        file: "fixtures/corral-2016/door.tq",
        action: "Close",
        source: &["Close", "Start", "Alarm"],
        target: &["Open", "Start"],
        of: "Alarm",
        exception: "AssertionFailure",
    },
    Example {
        file: "fixtures/corral-2016/list_itr.tq",
        action: "next",
        source: &["next", "add"],
        target: &["set", "remove", "add", "previous"],
        of: "previous",
        exception: "IndexOutOfRange",
    },
    Example {
        file: "tests/support/mailbox.tq",
        action: "post",
        source: &["post", "settle", "largest"],
        target: &["post", "send", "largest"],
        of: "send",
        exception: "Full",
    },
];

fn path(file: &str) -> PathBuf {
    root().join(file)
}

/// Questions about one class.
struct Asking<'a> {
    encoding: &'a Encoding,
    example: &'a Example,
}

impl Asking<'_> {
    fn action(&self, name: &str) -> ActionId {
        let action = self.encoding.subject.action_named(name);
        action.unwrap_or_else(|| panic!("{}: no action {name}", self.example.file))
    }

    fn state(&self, names: &[&str]) -> AbstractState {
        names.iter().map(|name| self.action(name)).collect()
    }

    fn call(&self, exit: Exit) -> Step {
        let action = self.action(self.example.action);
        Step::call(self.state(self.example.source), action, exit)
    }

    /// One question of each kind, about calls and about constructors.
    fn questions(&self) -> Vec<Query> {
        let subject: &Subject = &self.encoding.subject;
        let exceptions = &subject.program.exceptions;
        let exception = exceptions.iter().position(|e| e == self.example.exception);
        let exception = Exit::Exception(ExceptionId(exception.expect("an exception")));
        let target = self.state(self.example.target);
        let known: BTreeSet<AbstractState> = [target.clone(), AbstractState::default()].into();
        let of = self.action(self.example.of);
        let action = self.action(self.example.action);
        let normal = self.call(subject.normal_exits(action).swap_remove(0));
        let mut questions = vec![
            kinds::consistent_state(subject, &target),
            kinds::any_other_state(subject, &known),
        ];
        for constructor in subject.constructor_ids() {
            let new = Step::construct(constructor, Exit::Normal);
            questions.push(kinds::transition(subject, &new, &target));
        }
        let new = Step::construct(ConstructorId(0), Exit::Normal);
        let fails = self.call(exception.clone());
        questions.extend([
            kinds::any_other_target(subject, &new, &known),
            kinds::invariant_violation(subject, &new),
            kinds::necessarily_enabled(subject, &normal, Mark::Enabled(of)),
            kinds::necessarily_disabled(subject, &normal, Mark::Enabled(of)),
            kinds::transition(subject, &normal, &target),
            kinds::any_other_target(subject, &normal, &known),
            kinds::invariant_violation(subject, &self.call(Exit::Any)),
            kinds::invariant_violation(subject, &Step::anywhere(action, Exit::Any)),
            kinds::exit(subject, &Step::anywhere(action, exception.clone())),
            kinds::transition(subject, &fails, &target),
        ]);
        let (source, callee) = (self.state(self.example.source), Callee::Action(action));
        let mut exits = subject.normal_exits(action);
        exits.push(exception);
        let ends = known.iter().map(|state| (exits.len() - 1, state.clone()));
        let exceptional = &exits[exits.len() - 1..];
        questions.extend([
            kinds::any_other_way(subject, &source, action, &exits, &ends.collect()),
            kinds::any_other_exit(subject, callee, Some(&source), &exits, &[0].into()),
            kinds::any_other_exit(subject, callee, None, exceptional, &BTreeSet::new()),
        ]);
        questions
    }

    fn entries(&self) -> Vec<EntryProcedure> {
        let text = |query| self.encoding.query(&query).expect("encoded").entry;
        self.questions().into_iter().map(text).collect()
    }
}

/// The name of a subject: its file's.
fn stem(file: &str) -> &str {
    Path::new(file)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .expect("a file name")
}

#[test]
fn every_kind_of_question_as_text() {
    for example in EXAMPLES {
        let loaded = class::load(&path(example.file));
        let encoding = class::encode(&loaded);
        let entries = Asking {
            encoding: &encoding,
            example,
        }
        .entries();
        let text: Vec<String> = entries.into_iter().map(|entry| entry.text).collect();
        let name = stem(example.file);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("{name}.program"), encoding.program().text);
            insta::assert_snapshot!(format!("{name}.questions"), text.join("\n"));
        });
    }
}

/// The program with many entries, in one file.
fn whole(program: &QuestionProgram, entries: &[EntryProcedure]) -> String {
    let mut text = program.text.clone();
    for entry in entries {
        text = QuestionProgram::new(program.name.clone(), text).with(entry);
    }
    text
}

/// What our own Boogie parser and type checker have against a text.
fn objections(text: &str) -> Option<String> {
    let parsed = match boogie::parse(text) {
        Ok(parsed) => parsed,
        Err(errors) => return Some(errors.to_string()),
    };
    boogie::check(&parsed)
        .err()
        .map(|errors| errors.to_string())
}

#[test]
fn boogie_takes_every_kind_of_question() {
    for example in EXAMPLES {
        let loaded = class::load(&path(example.file));
        let encoding = class::encode(&loaded);
        let entries = Asking {
            encoding: &encoding,
            example,
        }
        .entries();
        let text = whole(&encoding.program(), &entries);
        assert_eq!(objections(&text), None, "{}", example.file);
        assert_eq!(boogie_objections(&text), None, "{}", example.file);
    }
}

#[test]
fn an_objection_of_boogies_is_noticed() {
    for text in ["procedure p() { assert x; }", "procedure p( {"] {
        assert!(objections(text).is_some(), "{text}");
        assert!(boogie_objections(text).is_some(), "{text}");
    }
}

/// By hand: to look at a lamp leaves it as it is, which no switch does.
#[test]
fn a_call_stays_in_its_state_where_it_ends_in_no_other() {
    let text = "class Lamp {
      var on: bool;
      constructor() { on := false; }
      action press() { on := !on; }
      action off() requires on { on := false; }
      action look() requires on { }
    }";
    let encoding = class::encode(&class::parse(text));
    let engine = real::engine("builtin", &EngineConfig::default());
    let desk = Desk::open(&encoding, engine.as_ref()).expect("opened");
    let subject = desk.subject();
    let stays = |enabled: &[&str], action: &str| {
        let named = |name: &str| subject.action_named(name).expect("an action");
        let state: AbstractState = enabled.iter().map(|name| named(name)).collect();
        let step = Step::call(state, named(action), Exit::Normal);
        desk.ask(&kinds::stays(subject, &step)).is_no()
    };
    let on = ["press", "off", "look"];
    assert!(stays(&on, "look"));
    assert!(!stays(&on, "off"));
    assert!(!stays(&on, "press"));
    assert!(!stays(&["press"], "press"));
}
