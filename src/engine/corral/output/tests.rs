use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use super::super::understand;
use super::*;
use crate::process::{Ending, ProcessOutput};

const BUG: &str = include_str!("../../testdata/corral/bug.txt");
const VALUES: &str = include_str!("../../testdata/corral/values.txt");
const NOBUG: &str = include_str!("../../testdata/corral/nobug.txt");
const LOOP: &str = include_str!("../../testdata/corral/loop.txt");
const LOOP_2019: &str = include_str!("../../testdata/corral/loop-2019.txt");
const MISSING_2020: &str = include_str!("../../testdata/corral/prover-missing-2020.txt");

/// A text that asks in these lines.
fn asking(lines: &[usize]) -> String {
    let line = |number: usize| {
        if lines.contains(&number) {
            "  assert {:reached} false;\n"
        } else {
            "\n"
        }
    };
    (1..=20).map(line).collect()
}

fn of(output: &str) -> Result<Verdict, EngineDoubt> {
    let file = if output.contains(" bug.bpl(") {
        "bug.bpl"
    } else {
        "q.bpl"
    };
    verdict(output, &asking(&[9, 12]), file, 3)
}

fn run(stdout: &str, stderr: &str, code: i32) -> ProcessOutput {
    ProcessOutput {
        stdout: stdout.to_owned(),
        stderr: stderr.to_owned(),
        ending: Ending::Exited(ExitStatus::from_raw(code << 8)),
    }
}

#[test]
fn a_recorded_bug() {
    let Ok(Verdict::Reached(trace)) = of(BUG) else {
        panic!("not reached");
    };
    let steps: Vec<_> = trace
        .steps
        .iter()
        .map(|step| (step.line, step.event.as_str(), step.depth))
        .collect();
    let expected = [
        (7, "anon0", 0),
        (8, "anon0", 0),
        (9, "anon0", 0),
        (10, "call inc", 0),
        (18, "anon0", 1),
        (10, "return inc", 0),
        (11, "call inc", 0),
        (18, "anon0", 1),
        (11, "return inc", 0),
        (12, "anon0", 0),
    ];
    assert_eq!(steps, expected);
    assert_eq!(trace.values, []);
}

#[test]
fn recorded_values_have_names() {
    let Ok(Verdict::Reached(trace)) = of(VALUES) else {
        panic!("not reached: {:?}", of(VALUES));
    };
    let values: Vec<_> = trace
        .values
        .iter()
        .map(|it| (it.name.as_deref(), it.value.as_str()))
        .collect();
    let expected = [
        ("x", "6"),
        ("y", "-5"),
        ("b", "true"),
        ("m", "{\"6\":9,\"*\":2}"),
    ];
    assert_eq!(values, expected.map(|(name, value)| (Some(name), value)));
}

#[test]
fn recorded_proofs() {
    assert_eq!(of(NOBUG), Ok(Verdict::Unreachable));
    assert_eq!(of(LOOP), Ok(Verdict::BoundHit { bound: 3 }));
    assert_eq!(of(LOOP_2019), Ok(Verdict::BoundHit { bound: 3 }));
}

#[test]
fn no_bugs_without_a_solver_is_no_verdict() {
    let said = understand(&run(MISSING_2020, "", 0), &asking(&[9]), "q.bpl", 3);
    let doubt = said.expect_err("no solver ran");
    assert_eq!(doubt.reason, Reason::ProverMissing);
    assert!(doubt.detail.contains("/nowhere/z3"), "{}", doubt.detail);
}

#[test]
fn another_assertion_is_not_ours() {
    let said = verdict(BUG, &asking(&[9]), "bug.bpl", 3);
    assert_eq!(said.map_err(|doubt| doubt.reason), Err(Reason::Rejected));
}

#[test]
fn a_truncated_output_is_never_a_verdict() {
    for whole in [BUG, VALUES, NOBUG, LOOP, LOOP_2019] {
        for end in 0..whole.len() {
            let cut = whole.get(..end).expect("ASCII");
            assert!(of(cut).is_err(), "{cut}");
        }
    }
}

#[test]
fn what_is_outside_the_grammar_is_not_understood() {
    for odd in [
        NOBUG.replace(
            "Program has no bugs\n",
            "Program has no bugs\nError: something\n",
        ),
        NOBUG.replace("Program has no bugs", "Program has few bugs"),
        LOOP.replace("bound of 3", "bound of 4"),
        LOOP.replace("Reached recursion", "Reached another"),
        LOOP.replace("Program has no bugs\n", ""),
        format!("{NOBUG}more\n"),
        format!("{NOBUG}more"),
        BUG.replace("(1,0)    bug.bpl(8,3)", "(2,0)    bug.bpl(8,3)"),
        BUG.replace("(CALL inc)", "(FORK inc)"),
        BUG.replace("ASSERTION FAILS assert", "ASSERTION FAILS: Requires"),
        BUG.replace("bug.bpl(12,1)", "bug.bpl(11,1)"),
        BUG.replace(";\n )\n", ";\n"),
        VALUES.replace("(x = 6)", "(x = 6, y = 7)"),
        VALUES.replace("(x = 6)", "(x = )"),
        NOBUG.replace("0.29 s", "soon"),
    ] {
        assert_eq!(
            of(&odd).map_err(|doubt| doubt.reason),
            Err(Reason::NotUnderstood),
            "{odd}"
        );
    }
}

/// Every row of the table of failures in `reference/engines.md`, and the messages below it.
#[test]
fn the_table_of_failures() {
    let unhandled = "Unhandled exception. cba.Util.InvalidProg: ";
    let rows = [
        (
            "q.bpl(3,9): error: \":\" expected\nFailed to read q.bpl\n",
            unhandled,
            1,
            Reason::Rejected,
        ),
        (
            "q.bpl(3,2): Error: undeclared identifier: y\n2 name resolution errors in q.bpl\n",
            unhandled,
            1,
            Reason::Rejected,
        ),
        (
            "Single threaded program detected\nq.bpl(4,2): Error: mismatched types\n",
            unhandled,
            1,
            Reason::Rejected,
        ),
        (
            "Error, Invalid input: Main procedure not specified\n",
            "",
            1,
            Reason::Rejected,
        ),
        (
            "Error, Invalid input: Implementation of main procedure not found\n",
            "",
            1,
            Reason::Rejected,
        ),
        (
            "Usage error: Invalid flag: /x\nusage\n",
            "",
            1,
            Reason::Rejected,
        ),
        (
            "Error, internal bug: Z3 ran out of resources\n",
            "",
            1,
            Reason::Timeout,
        ),
        (
            "Error, internal bug: Timeout reached!\n",
            "",
            1,
            Reason::Timeout,
        ),
        (
            "Error, internal bug: z3 timed out\n",
            "",
            1,
            Reason::Timeout,
        ),
        ("Corral timed out\n", "", 137, Reason::Timeout),
        (
            "Error, internal bug: z3 out of memory\n",
            "",
            1,
            Reason::Memory,
        ),
        (
            "Prover error: (error \"out of memory\")\nCorral encountered a prover error. Giving up.\n",
            "",
            255,
            Reason::Memory,
        ),
        (
            "",
            "Unhandled Exception: System.IO.IOException: Write fault on path /t\n",
            1,
            Reason::Crash,
        ),
        (
            "Prover error: Unexpected prover response: foo\nCorral encountered a prover error. Giving up.\n",
            "",
            255,
            Reason::NotUnderstood,
        ),
        (
            "",
            "ProverException: Cannot find prover specified with z3exe: /n\n",
            1,
            Reason::ProverMissing,
        ),
        (
            "",
            "InsufficientDetailsToConstructCexPath: Must find a successor\n",
            1,
            Reason::SolverIncomplete,
        ),
        (
            "Error, internal bug: z3 says inconclusive\n",
            "",
            1,
            Reason::SolverIncomplete,
        ),
        (
            "Error, internal bug: z3 unknown response\n",
            "",
            1,
            Reason::SolverIncomplete,
        ),
        (
            "Error, internal bug: Refinement unable to make progress\n",
            "",
            1,
            Reason::Crash,
        ),
        (
            "Error, internal bug: Failed to find the failing assert\n",
            "",
            1,
            Reason::Crash,
        ),
        ("Stopping: Done\n", "", 1, Reason::Crash),
        ("", "", 3, Reason::Crash),
        ("", "", 0, Reason::NotUnderstood),
        ("garbage\n", "", 0, Reason::NotUnderstood),
    ];
    for (stdout, stderr, code, expected) in rows {
        let said = understand(&run(stdout, stderr, code), &asking(&[9]), "q.bpl", 3);
        assert_eq!(
            said.map_err(|doubt| doubt.reason),
            Err(expected),
            "{stdout}{stderr}"
        );
    }
}

#[test]
fn a_proof_with_a_failure_behind_it_is_none() {
    for bad in [
        "Error, internal bug: x\n",
        "Corral timed out\n",
        "Unhandled exception\n",
    ] {
        let said = understand(
            &run(&format!("{NOBUG}{bad}"), "", 0),
            &asking(&[9]),
            "q.bpl",
            3,
        );
        assert!(said.is_err(), "{bad}");
    }
}
