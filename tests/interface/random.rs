//! Random classes: no execution of any length that keeps to a synthesised interface raises the exception, the learner
//! and the game agree, every interface is certified, and what is said of prohibitions is so. Checked by running
//! everything: objects have few values.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use proptest::prelude::*;
use tranquera::engine::EngineConfig;
use tranquera::interface::model::Interface;
use tranquera::interface::synthesis::{
    Precision, SupersetCheck, SynthesisOptions, Synthesised, synthesise_by_rounds,
};
use tranquera::interp::{Configuration, Interpreter, Outcome, Replay, Value};
use tranquera::ir::{ExceptionId, RoutineRef};
use tranquera::query::Subject;
use tranquera::query::kinds::interface::{Abstracted, Forbidden, Params};

use crate::support::tape::Tape;
use crate::support::{class, random, real};

/// A class whose fields have values of 0 to 4; its actions may raise E, and sometimes F.
fn random_class(tape: &mut Tape) -> String {
    let mut text = String::from(
        "exception E; exception F;\nclass Random {\n  var a: int;\n  var b: int;\n  \
         constructor(k: int) requires 0 <= k <= 2 { a := k; b := 0; }\n",
    );
    for index in 0..3 {
        let _ = write!(text, "  action m{index}(k: int) requires 0 <= k <= 2");
        if tape.chance(20) {
            let _ = write!(text, " requires {}", atom(tape));
        }
        text.push_str(" {");
        if tape.chance(70) {
            let thrown = if tape.chance(70) { "E" } else { "F" };
            let _ = write!(text, " if ({}) {{ throw {thrown}; }}", atom(tape));
        }
        for _ in 0..1 + tape.below(2) {
            if tape.chance(40) {
                let _ = write!(text, " if ({}) {{ {} }}", atom(tape), statement(tape));
            } else {
                let _ = write!(text, " {}", statement(tape));
            }
        }
        if tape.chance(20) {
            let _ = write!(text, " if ({}) {{ throw F; }}", atom(tape));
        }
        text.push_str(" }\n");
    }
    text + "}\n"
}

fn atom(tape: &mut Tape) -> String {
    let field = tape.pick(&["a", "b", "a", "b", "k"]);
    let op = tape.pick(&["==", "!=", "<"]);
    format!("{field} {op} {}", tape.number(0, 3))
}

fn statement(tape: &mut Tape) -> String {
    let field = tape.pick(&["a", "b"]);
    let value = match tape.below(5) {
        0 => tape.number(0, 4).to_string(),
        1 => "k".to_string(),
        2 => (*tape.pick(&["a", "b"])).to_string(),
        _ => format!("({} + {}) mod 5", tape.pick(&["a", "b"]), tape.number(1, 4)),
    };
    format!("{field} := {value};")
}

/// A class, run concretely.
struct Concrete<'a> {
    subject: &'a Subject,
    interface: &'a Interface,
    exception: ExceptionId,
}

impl Concrete<'_> {
    fn run(
        &self,
        start: Option<&Configuration>,
        routine: RoutineRef,
    ) -> Vec<(Outcome, Configuration)> {
        let interpreter = Interpreter::new(&self.subject.program);
        let may_call = |arguments: &Vec<Value>| match start {
            None => true,
            Some(now) => {
                let this = now.this.expect("an object");
                interpreter.may_call(now, Some(this), routine, arguments) == Ok(true)
            }
        };
        let values = (0..=2).map(|k| vec![Value::int(k)]).filter(may_call);
        let run = |arguments: Vec<Value>| {
            let mut choices = Replay::new([]);
            let execution = match start {
                None => {
                    // The fields without a value are assigned by every constructor here.
                    let start = [0, 0].map(|v| tranquera::interp::Decision::Value(Value::int(v)));
                    let mut choices = Replay::new(start);
                    let empty = Configuration::empty();
                    let class = self.subject.class;
                    interpreter.construct(&empty, class, Some(routine), arguments, &mut choices)
                }
                Some(now) => {
                    let this = now.this.expect("an object");
                    interpreter.call(now, this, routine, arguments, &mut choices)
                }
            };
            (execution.outcome, execution.configuration)
        };
        values.map(run).collect()
    }

    fn starts(&self) -> Vec<Configuration> {
        let constructor = self.subject.constructors[0].routine.expect("a constructor");
        let ends = self.run(None, constructor).into_iter();
        ends.map(|(outcome, end)| {
            assert!(matches!(outcome, Outcome::Normal(_)), "{outcome:?}");
            end
        })
        .collect()
    }

    fn calls(&self, now: &Configuration, action: &str) -> Vec<(Outcome, Configuration)> {
        let found = self.subject.actions.iter().find(|a| a.name == action);
        self.run(Some(now), found.expect("an action").routine)
    }

    fn raises(&self, outcome: &Outcome) -> bool {
        *outcome == Outcome::Exception(self.exception)
    }

    /// Where the interface says that a call leads which ended like this.
    fn follows(&self, state: &str, action: &str, outcome: &Outcome) -> String {
        let failed = matches!(outcome, Outcome::Exception(_));
        let fits = |seen: &Option<String>| match seen.as_deref() {
            None => true,
            Some("!ok") => failed,
            Some(_) => !failed,
        };
        let mut transitions = self.interface.transitions.iter();
        let found = transitions.find(|t| t.source == state && t.action == action && fits(&t.seen));
        let found = found.unwrap_or_else(|| panic!("{action} in {state} ends as {outcome:?}"));
        found.target.clone()
    }

    /// Every execution that keeps to the interface, of any length: there are few objects.
    fn is_safe(&self) {
        let mut seen = BTreeSet::new();
        let mut open: Vec<(Configuration, String)> = self
            .starts()
            .into_iter()
            .map(|c| (c, "Q1".to_string()))
            .collect();
        while let Some((now, state)) = open.pop() {
            if !seen.insert((format!("{now:?}"), state.clone())) {
                continue;
            }
            let declared = self.interface.states.iter().find(|s| s.id == state);
            for action in &declared.expect("a state").legal {
                for (outcome, end) in self.calls(&now, action) {
                    assert!(!self.raises(&outcome), "{action} in {state} raises E");
                    let target = self.follows(&state, action, &outcome);
                    open.push((end, target));
                }
            }
        }
    }

    /// The objects after a history as it is printed: `m0[ok], m1`.
    fn after(&self, history: &str) -> Vec<Configuration> {
        let mut objects = self.starts();
        for letter in history.split(", ").filter(|l| *l != "the start") {
            let (action, seen) = letter.split_once('[').unwrap_or((letter, "ok]"));
            let wanted_failure = seen == "!ok]";
            objects = objects
                .iter()
                .flat_map(|now| self.calls(now, action))
                .filter(|(outcome, _)| {
                    matches!(outcome, Outcome::Exception(_)) == wanted_failure
                        && !self.raises(outcome)
                })
                .map(|(_, end)| end)
                .collect();
        }
        objects
    }

    /// A prohibition with a witness is real; where it is said to be an artefact, the call can be made and does no harm.
    fn prohibitions_are_right(&self) {
        for p in &self.interface.prohibitions {
            if let Some(witness) = &p.witness {
                let last = witness.calls.last().expect("a call");
                assert_eq!(last.exception.as_deref(), Some("E"));
                assert_eq!(witness.not_replayed, None);
            }
            for artefact in &p.artefacts {
                let objects = self.after(&artefact.after);
                assert!(
                    !objects.is_empty(),
                    "after {} there is nothing",
                    artefact.after
                );
                let calls = objects.iter().flat_map(|now| self.calls(now, &p.action));
                let ends: Vec<Outcome> = calls.map(|(outcome, _)| outcome).collect();
                assert!(!ends.is_empty(), "{artefact:?}: no call");
                assert!(ends.iter().all(|o| !self.raises(o)), "{artefact:?}");
            }
            assert_eq!(p.unknown, Vec::<String>::new());
        }
    }
}

fn check(text: &str, options: SynthesisOptions) -> Result<(), TestCaseError> {
    let loaded = class::parse(text);
    let subject = Arc::new(class::subject(&loaded));
    let position = loaded.program.exceptions.iter().position(|e| e == "E");
    let exception = ExceptionId(position.expect("E"));
    let forbidden = Forbidden {
        exceptions: BTreeSet::from([exception]),
        requires: false,
    };
    let forall = Params::Forall;
    let abstracted = Abstracted::new(Arc::clone(&subject), vec![], forbidden, forall, false);
    let engine = real::engine("builtin", &EngineConfig::default());
    let found = synthesise_by_rounds(abstracted, engine.as_ref(), &options, 1);
    let Synthesised {
        interface,
        disagreements,
        ..
    } = found.expect("an interface");
    prop_assert!(disagreements.is_empty(), "{disagreements:?}\n{text}");
    prop_assert!(
        interface.certificate.holds,
        "{:?}\n{text}",
        interface.certificate
    );
    if options.superset == SupersetCheck::Exact {
        prop_assert!(interface.verdict.most_permissive, "{text}");
        if options.feasibility {
            prop_assert!(interface.verdict.learner_agrees, "{text}");
        }
    }
    let concrete = Concrete {
        subject: &subject,
        interface: &interface,
        exception,
    };
    concrete.is_safe();
    concrete.prohibitions_are_right();
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 60, ..random::cases(24) })]

    #[test]
    fn interfaces_of_random_classes_are_safe(
        numbers in prop::collection::vec(any::<u16>(), 80),
        jist in any::<bool>(),
        feasibility in any::<bool>(),
        statements in any::<bool>(),
    ) {
        let text = random_class(&mut Tape::new(numbers));
        let options = SynthesisOptions {
            precision: if statements { Precision::Statement } else { Precision::Call },
            superset: if jist { SupersetCheck::Jist } else { SupersetCheck::Exact },
            feasibility,
            jobs: 2,
            witnesses: true,
        };
        check(&text, options)?;
    }
}
