//! The Boogie text of every kind of question, as a person sees it; and that Boogie takes all of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tranquera::boogie;
use tranquera::encode::{Encoding, Exit, Question, Step};
use tranquera::ir::ExceptionId;
use tranquera::query::ActionSet;
use tranquera::query::{Entry, Program};

use crate::support::boogie_reads::boogie_objections;
use crate::support::class;
use crate::support::program::root;

/// The classes whose questions are shown: which, and the actions and states that the questions are about.
struct Subject {
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

const SUBJECTS: &[Subject] = &[
    Subject {
        file: "fixtures/corral-2016/vending_machine.tq",
        action: "Buy",
        source: &["DisplayPrice", "Buy"],
        target: &["ReturnItem"],
        of: "ReturnChange",
        exception: "AssertionFailure",
    },
    Subject {
        file: "fixtures/corral-2016/door.tq",
        action: "Close",
        source: &["Close", "Start", "Alarm"],
        target: &["Open", "Start"],
        of: "Alarm",
        exception: "AssertionFailure",
    },
    Subject {
        file: "fixtures/corral-2016/list_itr.tq",
        action: "next",
        source: &["next", "add"],
        target: &["set", "remove", "add", "previous"],
        of: "previous",
        exception: "IndexOutOfRange",
    },
    Subject {
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
    encoding: &'a Encoding<'a>,
    subject: &'a Subject,
}

impl Asking<'_> {
    fn action(&self, name: &str) -> usize {
        let position = self.encoding.actions.iter().position(|a| a.name == name);
        position.unwrap_or_else(|| panic!("{}: no action {name}", self.subject.file))
    }

    fn state(&self, names: &[&str]) -> ActionSet {
        names.iter().map(|name| self.action(name)).collect()
    }

    fn call(&self, exit: Exit) -> Step {
        Step::Call {
            source: Some(self.state(self.subject.source)),
            action: self.action(self.subject.action),
            exit,
        }
    }

    /// One question of each kind, about calls and about constructors.
    fn questions(&self) -> Vec<Question> {
        let exceptions = &self.encoding.source().exceptions;
        let exception = exceptions.iter().position(|e| e == self.subject.exception);
        let exception = Exit::Exception(ExceptionId(exception.expect("an exception")));
        let target = self.state(self.subject.target);
        let known: BTreeSet<ActionSet> = [target.clone(), ActionSet::default()].into();
        let of = self.action(self.subject.of);
        let action = self.action(self.subject.action);
        let normal = self.encoding.normal_exits(action).swap_remove(0);
        let anywhere = |exit: Exit| Step::Call {
            source: None,
            action,
            exit,
        };
        let mut questions = vec![
            Question::ConsistentState(target.clone()),
            Question::AnyOtherState(known.clone()),
        ];
        for constructor in 0..self.encoding.constructors.len() {
            let by = |exit| Step::Construct { constructor, exit };
            questions.push(Question::Transition(by(Exit::Normal), target.clone()));
        }
        let new = Step::Construct {
            constructor: 0,
            exit: Exit::Normal,
        };
        questions.extend([
            Question::AnyOtherTarget(new.clone(), known.clone()),
            Question::InvariantViolation(new),
            Question::NecessarilyEnabled(self.call(normal.clone()), of),
            Question::NecessarilyDisabled(self.call(normal.clone()), of),
            Question::Transition(self.call(normal.clone()), target.clone()),
            Question::AnyOtherTarget(self.call(normal), known),
            Question::InvariantViolation(self.call(Exit::Any)),
            Question::InvariantViolation(anywhere(Exit::Any)),
            Question::Exit(anywhere(exception.clone())),
            Question::Transition(self.call(exception), target),
        ]);
        questions
    }

    fn entries(&self) -> Vec<Entry> {
        let text = |question| self.encoding.question(&question).expect("encoded").entry;
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
    for subject in SUBJECTS {
        let loaded = class::load(&path(subject.file));
        let encoding = class::encode(&loaded);
        let entries = Asking {
            encoding: &encoding,
            subject,
        }
        .entries();
        let text: Vec<String> = entries.into_iter().map(|entry| entry.text).collect();
        let name = stem(subject.file);
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("{name}.program"), encoding.program().text);
            insta::assert_snapshot!(format!("{name}.questions"), text.join("\n"));
        });
    }
}

/// The program with many entries, in one file.
fn whole(program: &Program, entries: &[Entry]) -> String {
    let mut text = program.text.clone();
    for entry in entries {
        text = Program {
            name: program.name.clone(),
            text,
        }
        .with(entry);
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
    for subject in SUBJECTS {
        let loaded = class::load(&path(subject.file));
        let encoding = class::encode(&loaded);
        let entries = Asking {
            encoding: &encoding,
            subject,
        }
        .entries();
        let text = whole(&encoding.program(), &entries);
        assert_eq!(objections(&text), None, "{}", subject.file);
        assert_eq!(boogie_objections(&text), None, "{}", subject.file);
    }
}

#[test]
fn an_objection_of_boogies_is_noticed() {
    for text in ["procedure p() { assert x; }", "procedure p( {"] {
        assert!(objections(text).is_some(), "{text}");
        assert!(boogie_objections(text).is_some(), "{text}");
    }
}
