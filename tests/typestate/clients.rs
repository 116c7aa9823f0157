//! Random clients: a client is verified just where running it with every argument meets no error.

use std::fmt::Write;

use proptest::prelude::Rng;
use proptest::test_runner::{TestRng, TestRunner};
use tranquera::engine::{Builtin, EngineConfig};
use tranquera::interp::{
    ChoiceRequest, Choices, Configuration, Interpreter, NoDecision, Outcome, Value,
};
use tranquera::ir::{ClassId, ExceptionId, RoutineRef, Type};
use tranquera::typestate::verify::{VerifyReport, VerifyTask, entries, verify};

use crate::support::program::root;
use crate::support::{class, random};

fn below(random: &mut TestRng, count: u32) -> u32 {
    random.next_u32() % count
}

/// Statements on two streams and two sinks, which may be the same.
fn statements(random: &mut TestRng, depth: u32, text: &mut String) {
    for _ in 0..=below(random, 4) {
        let (o, i) = (below(random, 2), below(random, 2));
        let _ = match below(random, if depth == 0 { 7 } else { 9 }) {
            0 | 1 => writeln!(text, "o{o}.connect(i{i});"),
            2 => writeln!(text, "o{o}.write({i});"),
            3 => writeln!(text, "o{o}.close();"),
            4 => writeln!(text, "o{o} := new PipedOutputStream();"),
            5 => writeln!(text, "i{i} := new PipedInputStream();"),
            6 => writeln!(text, "o{o}.flush();"),
            7 => {
                let _ = writeln!(text, "if (b{o}) {{");
                statements(random, depth - 1, text);
                let _ = writeln!(text, "}} else {{");
                statements(random, depth - 1, text);
                writeln!(text, "}}")
            }
            _ => {
                let _ = writeln!(text, "k := 0; while (k < n) {{ k := k + 1;");
                statements(random, 0, text);
                writeln!(text, "}}")
            }
        };
    }
}

fn client(random: &mut TestRng) -> String {
    let mut text = String::from(
        "class Client { procedure main(b0: bool, b1: bool, n: int) requires n <= 3 {\n",
    );
    for (name, class) in [("o", "PipedOutputStream"), ("i", "PipedInputStream")] {
        for number in 0..2 {
            let _ = writeln!(
                text,
                "var {name}{number}: {class}? := null; {name}{number} := new {class}();"
            );
        }
    }
    text.push_str("var k: int := 0;\n");
    statements(random, 2, &mut text);
    text.push_str("} }\n");
    text
}

fn outcomes(text: &str) -> (VerifyReport, Vec<Outcome>) {
    let library = root().join("fixtures/typestate-2012/piped_output_stream_closed.tq");
    let library = std::fs::read_to_string(library).expect("a fixture");
    let loaded = class::parse(&format!("{text}{library}"));
    let program = &loaded.program;
    let client = ClassId(0);
    let wanted = VerifyTask {
        clients: vec![client],
        watched: (1..program.classes.len()).map(ClassId).collect(),
        entries: entries(program, &[client]),
        notes: Vec::new(),
    };
    let engine = Builtin::new(&EngineConfig::default());
    let (report, disagreements) = verify(program, &loaded.source, &wanted, &engine).expect("Z3");
    let main = RoutineRef {
        class: client,
        index: 0,
    };
    let interpreter = Interpreter::new(program);
    let mut outcomes = Vec::new();
    for case in 0..16 {
        let start = Configuration::with_this(client, Vec::new());
        let this = start.this.expect("an object");
        let bit = |n: usize| Value::Bool(case >> n & 1 == 1);
        let args = vec![bit(0), bit(1), Value::int(case >> 2)];
        let mut free = AnyField;
        outcomes.push(
            interpreter
                .call(&start, this, main, args, &mut free)
                .outcome,
        );
    }
    assert_eq!(disagreements, []);
    (report, outcomes)
}

/// The fields of new objects before their constructors assign them: what they are does not matter, but they have to be
/// something.
struct AnyField;

impl Choices for AnyField {
    fn value(&mut self, request: &ChoiceRequest<'_>) -> Result<Value, NoDecision> {
        Ok(match request.ty {
            Type::Bool => Value::Bool(true),
            Type::Class { .. } | Type::Array { .. } => Value::Null,
            _ => Value::int(7),
        })
    }

    fn branch(&mut self) -> Result<bool, NoDecision> {
        Err(NoDecision::Unknown("there are no choices".into()))
    }

    fn exit(
        &mut self,
        _: RoutineRef,
        _: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, NoDecision> {
        Ok(None)
    }
}

#[test]
fn a_client_is_verified_where_no_run_of_it_fails() {
    let mut runner = TestRunner::new(random::cases(12));
    let (mut good, mut bad) = (0, 0);
    for _ in 0..runner.config().cases {
        let text = client(runner.rng());
        let (report, outcomes) = outcomes(&text);
        let fails = |o: &Outcome| matches!(o, Outcome::Exception(_));
        let ends = |o: &Outcome| matches!(o, Outcome::Exception(_) | Outcome::Normal(_));
        assert!(outcomes.iter().all(ends), "{outcomes:?}\n{text}");
        assert!(
            report.undecided.is_empty(),
            "{:?}\n{text}",
            report.undecided
        );
        let failing = outcomes.iter().any(fails);
        assert_eq!(report.verified, !failing, "{report:?}\n{text}");
        *(if failing { &mut bad } else { &mut good }) += 1;
    }
    assert!(good >= 1 && bad >= 3, "{good} good, {bad} bad");
}
