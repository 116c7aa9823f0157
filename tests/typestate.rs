//! Typestate automata against the goldens of the 2012 thesis's reference.

use std::path::{Path, PathBuf};

use tranquera::lang;
use tranquera::lang::ast::RoutineKind;
use tranquera::lang::ir::{ClassId, RoutineRef};
use tranquera::typestate::automaton::{Automaton, Inference, infer};
use tranquera::typestate::precondition::{Analysis, Mode, Options};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/typestate-2012")
        .join(format!("{name}.tq"))
}

fn automaton(name: &str, mode: Mode, only: &[&str], without: &[&str]) -> Automaton {
    let loaded = lang::load(&fixture(name)).expect("a class");
    let class = ClassId(loaded.program.classes.len() - 1);
    let declared = loaded.program.class(class);
    let actions = declared
        .routines_of(RoutineKind::Action)
        .filter(|i| {
            let name = declared.routines[*i].name.as_str();
            (only.is_empty() || only.contains(&name)) && !without.contains(&name)
        })
        .map(|index| RoutineRef { class, index })
        .collect();
    let options = Options {
        mode,
        ..Options::default()
    };
    let mut analysis = Analysis::new(&loaded.program, class, &[], options).expect("z3");
    let wanted = Inference {
        actions,
        mode,
        max_states: 20,
    };
    infer(&mut analysis, &wanted)
}

#[test]
fn counts() {
    let five = ["initSign", "initVerify", "sign", "verify", "update"];
    for (name, mode, only, without) in [
        ("piped_output_stream_simplified", Mode::Path, &[][..], &[][..]),
        ("piped_output_stream_simplified", Mode::Prime, &[], &[]),
        ("piped_output_stream", Mode::Path, &[], &[]),
        ("piped_output_stream", Mode::Prime, &[], &[]),
        ("piped_output_stream_closed", Mode::Path, &[], &[]),
        ("piped_output_stream_closed", Mode::Prime, &[], &[]),
        ("signature", Mode::Path, &five, &[]),
        ("signature", Mode::Prime, &five, &[]),
        ("signature", Mode::Path, &[], &["toString"]),
        ("signature", Mode::Path, &[], &[]),
        ("signature", Mode::Prime, &[], &[]),
    ] {
        let start = std::time::Instant::now();
        let a = automaton(name, mode, only, without);
        println!(
            "{name} {mode:?}: {} states + {}, {} edges, {} initial, {} epsilon, {} pre, {} questions, {:?}",
            a.states.len(), a.unreachable, a.edges.len(), a.initial.len(), a.epsilon.len(), a.preconditions, a.questions, start.elapsed()
        );
        let text = |e: &[tranquera::lang::ir::Expr]| {
            let parts: Vec<String> = e.iter().map(|e| lang::expr_text(&a.program, a.class, e)).collect();
            parts.join(" && ")
        };
        for (i, s) in a.states.iter().enumerate() { println!("   {i}: {}", text(&s.condition)); }
        for e in &a.edges { println!("   {} --{}: {}--> {}{}", e.source, text(&e.guard), a.program.routine(e.action).name, e.target, if e.implied {" (implied)"} else {""}); }
        for e in &a.initial { println!("   init --{}--> {} {}", text(&e.guard), e.target, if e.implied {" (implied)"} else {""}); }
    }
}
