use super::*;

const NOISE: &str = "Prover error: line 18 column 28: unknown parameter 'model_compress'\n\
                     Legal parameters are:\n  auto_config (bool) (default: true)\n  unicode (bool)\n  \
                     memory_max_size (unsigned int) (default: 0)\n";
const VERIFIED: &str = "\nBoogie program verifier finished with 1 verified, 0 errors\n";
const ONE_ERROR: &str = "\nBoogie program verifier finished with 0 verified, 1 error\n";
const TEXT: &str = "procedure {:entrypoint} main() {\n  assert {:reached} false;\n}\n";
const REACHED: &str = "q.bpl(2,3): Error BP5001: This assertion might not hold.\nExecution trace:\n    \
                       q.bpl(2,3): anon0\n";

macro_rules! recorded {
    ($name:literal) => {
        verdict(
            include_str!(concat!("../../testdata/boogie/", $name, ".txt")),
            include_str!(concat!("../../testdata/boogie/", $name, ".bpl")),
            "q.bpl",
            3,
        )
    };
}

fn of(output: &str) -> Result<Verdict, EngineDoubt> {
    verdict(output, TEXT, "q.bpl", 3)
}

fn reason(output: &str) -> Option<Reason> {
    of(output).err().map(|doubt| doubt.reason)
}

fn values(trace: &Trace) -> Vec<&str> {
    trace
        .values
        .iter()
        .map(|recorded| recorded.value.as_str())
        .collect()
}

fn reached(said: Result<Verdict, EngineDoubt>) -> Trace {
    match said {
        Ok(Verdict::Reached(trace)) => trace,
        other => panic!("not reached: {other:?}"),
    }
}

#[test]
fn a_recorded_bug() {
    let trace = reached(recorded!("bug"));
    assert_eq!(values(&trace), ["10", "false", "-10"]);
    let steps: Vec<_> = trace
        .steps
        .iter()
        .map(|step| (step.line, step.event.as_str(), step.depth))
        .collect();
    let inc = [(0, "call inc", 0), (19, "anon0", 1), (0, "return inc", 0)];
    let expected: Vec<_> = std::iter::once((8, "anon0", 0))
        .chain(inc)
        .chain(inc)
        .collect();
    assert_eq!(steps, expected);
}

#[test]
fn a_recorded_trace_through_loops_and_recursion() {
    let trace = reached(recorded!("calls"));
    // g, then i and k for i = 0, then i, k = 1, k = 0, then g == 2.
    assert_eq!(values(&trace), ["0", "0", "0", "1", "1", "0", "true"]);
    let depths: Vec<_> = trace.steps.iter().map(|step| step.depth).collect();
    assert_eq!(depths.iter().max(), Some(&2));
    assert_eq!(
        trace.steps.last().map(|step| step.event.as_str()),
        Some("done")
    );
}

#[test]
fn recorded_proofs() {
    assert_eq!(recorded!("nobug"), Ok(Verdict::Unreachable));
    assert_eq!(recorded!("loop"), Ok(Verdict::BoundHit { bound: 3 }));
}

#[test]
fn recorded_errors_that_are_not_asked_about() {
    for said in [recorded!("early"), recorded!("requires")] {
        assert_eq!(said.map_err(|doubt| doubt.reason), Err(Reason::Rejected));
    }
}

#[test]
fn verdicts_with_and_without_noise() {
    for noise in ["".to_owned(), NOISE.to_owned(), NOISE.repeat(2)] {
        assert_eq!(of(&format!("{noise}{VERIFIED}")), Ok(Verdict::Unreachable));
        let bound = "Stratified Inlining: Reached recursion bound of 3\n";
        assert_eq!(
            of(&format!("{noise}{bound}{VERIFIED}")),
            Ok(Verdict::BoundHit { bound: 3 })
        );
        assert!(matches!(
            of(&format!("{noise}{REACHED}{ONE_ERROR}")),
            Ok(Verdict::Reached(_))
        ));
    }
}

#[test]
fn only_that_noise_is_noise() {
    let head = "Prover error: line 18 column 28: unknown parameter 'model_compress'\n";
    let legal = "Legal parameters are:\n";
    for odd in [
        head.to_owned(),
        format!("{head}{legal}"),
        format!("{head}  model (bool) (default: true)\n"),
        NOISE.replace("model_compress", "model_validate"),
        NOISE.replace("line 18", "line x"),
        format!("{NOISE}  and more\n"),
        format!("{NOISE}Legal parameters are:\n"),
        "Prover error: line 40 column 10: model is not available\n".to_owned(),
    ] {
        assert_eq!(
            reason(&format!("{odd}{VERIFIED}")),
            Some(Reason::NotUnderstood),
            "{odd}"
        );
    }
}

/// Every row of the table of failures in `reference/engines.md`.
#[test]
fn the_table_of_failures() {
    let skipped = "Prover error: (error \"out of memory\")\n\
                   Advisory: main SKIPPED because of internal error: unexpected prover output\n\
                   Verification inconclusive (main)\n\n\
                   Boogie program verifier finished with 0 verified, 0 errors, 1 inconclusive\n";
    let rows = [
        (
            "q.bpl(3,9): error: \":\" expected\nq.bpl(4,1): error: x\n2 parse errors detected in q.bpl\n",
            Reason::Rejected,
        ),
        (
            "q.bpl(3,2): Error: undeclared identifier: y\n1 name resolution errors detected in q.bpl\n",
            Reason::Rejected,
        ),
        (
            "q.bpl(4,2): Error: mismatched types in assignment command (cannot assign bool to int)\n\
             2 type checking errors detected in q.bpl\n",
            Reason::Rejected,
        ),
        (
            "\nBoogie program verifier finished with 0 verified, 0 errors\n",
            Reason::Rejected,
        ),
        (
            "*** Error: '/foo': Filename extension '' is not supported. Input files must be BoogiePL programs \
             (.bpl).\n",
            Reason::Rejected,
        ),
        (
            "q.bpl(1,25): Verification of 'main' timed out after 3 seconds\n\n\
             Boogie program verifier finished with 0 verified, 0 errors, 1 time out\n",
            Reason::Timeout,
        ),
        (
            "q.bpl(1,25): Verification of 'main' timed out after 3 seconds\n\
             (0,0): Timed out on BP5001: This assertion might not hold.\nExecution trace:\n    \
             q.bpl(3,3): anon0\n\nBoogie program verifier finished with 0 verified, 0 errors, 1 time out\n",
            Reason::Timeout,
        ),
        (
            "Verification out of resource (main)\n\n\
             Boogie program verifier finished with 0 verified, 0 errors, 1 out of resource\n",
            Reason::Timeout,
        ),
        (skipped, Reason::Memory),
        ("Prover error: (error \"out of memory\")\n", Reason::Memory),
        (
            "Prover error: Unexpected prover response: foo\nVerification inconclusive (main)\n\n\
             Boogie program verifier finished with 0 verified, 0 errors, 1 inconclusive\n",
            Reason::NotUnderstood,
        ),
        (
            "Verification inconclusive (main)\n\n\
             Boogie program verifier finished with 0 verified, 0 errors, 1 inconclusive\n",
            Reason::SolverIncomplete,
        ),
        (
            "Advisory: main SKIPPED because of internal error: x\n\n\
             Boogie program verifier finished with 1 verified, 0 errors\n",
            Reason::Crash,
        ),
        ("", Reason::NotUnderstood),
        ("garbage\n", Reason::NotUnderstood),
    ];
    for (output, expected) in rows {
        assert_eq!(reason(output), Some(expected), "{output}");
        assert_eq!(
            reason(&format!("{NOISE}{output}")),
            Some(expected),
            "with noise: {output}"
        );
    }
}

#[test]
fn the_first_message_of_a_rejection_is_told() {
    let output = "q.bpl(3,2): Error: undeclared identifier: y\nq.bpl(4,2): Error: other\n\
                  2 name resolution errors detected in q.bpl\n";
    let detail = of(output).map_err(|doubt| doubt.detail);
    assert_eq!(
        detail,
        Err("q.bpl(3,2): Error: undeclared identifier: y".to_owned())
    );
}

#[test]
fn a_truncated_output_is_never_a_verdict() {
    let bound = "Stratified Inlining: Reached recursion bound of 3\n";
    for whole in [
        format!("{NOISE}{VERIFIED}"),
        format!("{NOISE}{bound}{VERIFIED}"),
        include_str!("../../testdata/boogie/bug.txt").to_owned(),
    ] {
        for end in 0..whole.len() {
            let cut = whole.get(..end).expect("ASCII");
            let said = verdict(
                cut,
                include_str!("../../testdata/boogie/bug.bpl"),
                "q.bpl",
                3,
            );
            assert_eq!(
                said.map_err(|doubt| doubt.reason),
                Err(Reason::NotUnderstood),
                "{cut}"
            );
        }
    }
}

#[test]
fn contradictions_are_not_understood() {
    let bound = "Stratified Inlining: Reached recursion bound of 3\n";
    for odd in [
        format!("{REACHED}{VERIFIED}"),
        ONE_ERROR.to_owned(),
        format!("{REACHED}{REACHED}{ONE_ERROR}"),
        format!("{bound}{REACHED}{ONE_ERROR}"),
        format!("{bound}{ONE_ERROR}"),
        format!("{bound}{bound}{VERIFIED}"),
        format!("Stratified Inlining: Reached recursion bound of 4\n{VERIFIED}"),
        "\nBoogie program verifier finished with 2 verified, 0 errors\n".to_owned(),
        "\nBoogie program verifier finished with 10 verified, 0 errors\n".to_owned(),
        "\nBoogie program verifier finished with 1 verified, 0 errors, 1 surprise\n".to_owned(),
        format!("{VERIFIED}{VERIFIED}"),
        format!("{VERIFIED}more\n"),
        format!("{VERIFIED}more"),
        VERIFIED.trim_start().to_owned(),
        format!("{REACHED}    odd = 5\n{ONE_ERROR}"),
        format!("{REACHED}  value = 5\n{ONE_ERROR}"),
        format!("{REACHED}    Inlined call to procedure p begins\n{ONE_ERROR}"),
        format!("{REACHED}    Inlined call to procedure p ends\n{ONE_ERROR}"),
        REACHED.replace("q.bpl(2,3): anon0", "r.bpl(2,3): anon0") + ONE_ERROR,
    ] {
        assert_eq!(reason(&odd), Some(Reason::NotUnderstood), "{odd}");
    }
}
