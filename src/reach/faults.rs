//! Mistakes made on purpose, for the test that none of them becomes an answer. Outside tests nothing is left of them.

/// A mistake that the engine could make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A call leads to a procedure that is not there.
    UnknownCallee,
    /// An edge leads to a node that is not there.
    EdgeToNowhere,
    /// A loop's procedure has not all nodes of the loop.
    LostLoopNode,
    /// A procedure uses a global that its effects do not tell of.
    MissingUse,
    /// A procedure writes a global that its effects do not tell of.
    MissingWrite,
    /// A variable has no value though it was given one.
    LostValue,
    /// A block is not there any more when the formula is written.
    LostBlock,
    /// A call gets fewer results than there are.
    LostResult,
    /// A callee gets less than it takes.
    ShortInterface,
    /// A call is of a site that is not there.
    UnknownSite,
    /// An inlined procedure is not known to its caller.
    LostInstance,
    /// The model's decision about a way was not read.
    LostDecision,
    /// What the program assumes is not said to the solver.
    LostAssumption,
    /// What a procedure's results are is not said to it.
    FreeResults,
    /// Who waits for what a call comes to is not told.
    LostCaller,
}

/// The right value; in a test that asks for this mistake, what the mistake makes of it.
#[cfg(not(test))]
#[inline(always)]
pub(super) fn at<T>(_: Fault, right: T, _: impl FnOnce(T) -> T) -> T {
    right
}

#[cfg(test)]
thread_local! {
    /// The mistake that the test on this thread asks for.
    static PRESENT: std::cell::Cell<Option<Fault>> = const { std::cell::Cell::new(None) };
}

#[cfg(test)]
pub(super) fn at<T>(fault: Fault, right: T, mistake: impl FnOnce(T) -> T) -> T {
    match PRESENT.get() == Some(fault) {
        true => mistake(right),
        false => right,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, PRESENT};
    use crate::boogie::{check, parse};
    use crate::engine::{Builtin, Engine, EngineConfig};
    use crate::query::{EntryProcedure, Limits, QuestionProgram, Reason, Verdict};
    use crate::reach::lower::ProcedureMode;
    use crate::reach::program::Prepared;
    use crate::reach::simulate::simulate;

    /// Branches, a loop, a global that is written below, a value that is read behind a join: every mistake has its place.
    const PROGRAM: &str = "var g: int;
        procedure add(n: int) returns (done: bool) modifies g;
        { if (n > 3) { g := g + n; } else { g := g + 1; } done := true; }
        procedure twice(n: int) modifies g;
        { var i: int; var b: bool;
          i := 0; while (i < 2) { call b := add(n); if (b) { i := i + 1; } else { i := i + 2; } } }";

    /// An entry that ends with this assumption.
    fn ask(end: &str) -> Verdict {
        let limits = Limits {
            recursion_bound: 6,
            ..Limits::default()
        };
        let engine = Builtin::new(&EngineConfig {
            limits,
            ..EngineConfig::default()
        })
        .unbounded(false);
        let program = QuestionProgram::new("Faulty", PROGRAM);
        let entry = EntryProcedure {
            name: "q".into(),
            text: format!(
                "procedure {{:entrypoint}} q() modifies g; {{ var n: int; g := 0; call twice(n); assume {end}; \
                 assert {{:reached}} false; }}"
            ),
            limit: None,
        };
        match engine.open(&program) {
            Ok(session) => session.ask(&entry),
            Err(error) => panic!("{error}"),
        }
    }

    /// What can be reached, and what cannot.
    const REACHED: &str = "g == 10";
    const UNREACHABLE: &str = "g == 1";

    #[test]
    fn without_a_mistake_there_are_answers() {
        assert!(matches!(ask(REACHED), Verdict::Reached(_)));
        assert_eq!(ask(UNREACHABLE), Verdict::Unreachable);
    }

    /// The answer with a mistake must be none.
    fn ask_with(fault: Fault, end: &str) {
        PRESENT.set(Some(fault));
        let verdict = ask(end);
        PRESENT.set(None);
        let Verdict::Unknown(unknown) = verdict else {
            panic!("{fault:?} became an answer: {verdict:?}");
        };
        assert_eq!(unknown.reason, Reason::Crash, "{fault:?}: {unknown:?}");
        assert!(
            unknown.detail.starts_with("internal error"),
            "{fault:?}: {unknown:?}"
        );
    }

    #[test]
    fn no_mistake_becomes_an_answer() {
        let all = [
            Fault::UnknownCallee,
            Fault::EdgeToNowhere,
            Fault::LostLoopNode,
            Fault::MissingUse,
            Fault::MissingWrite,
            Fault::LostValue,
            Fault::LostBlock,
            Fault::LostResult,
            Fault::ShortInterface,
            Fault::UnknownSite,
            Fault::LostInstance,
            Fault::LostDecision,
        ];
        for fault in all {
            ask_with(fault, REACHED);
        }
    }

    /// What is found there is no execution of the program.
    #[test]
    fn no_mistake_becomes_an_execution() {
        for fault in [Fault::LostAssumption, Fault::FreeResults] {
            ask_with(fault, UNREACHABLE);
        }
    }

    /// Whether it is shown that no call of `down`, which has these two ways, results in 2.
    fn is_simulated_in_vain(first: &str, second: &str) -> bool {
        let text = format!(
            "procedure down(n: int) returns (r: int) {{ if (*) {{ {first} }} else {{ {second} }} }}
             procedure main(n: int) {{ var r: int; call r := down(n); assert r != 2; }}"
        );
        let typed = check(&parse(&text).unwrap()).unwrap();
        let main = typed.procedure("main").unwrap();
        let prepared = Prepared::with_main(typed, Some(main)).unwrap();
        let entry = prepared.entry(&[], main, ProcedureMode::Entry).unwrap();
        simulate(&entry).unwrap().is_unreachable
    }

    #[test]
    fn what_is_not_told_is_found_all_the_same() {
        for fault in [None, Some(Fault::LostCaller)] {
            PRESENT.set(fault);
            let (again, end) = ("call r := down(n - 1); r := r + 1;", "r := 1;");
            for (first, second) in [(again, end), (end, again)] {
                assert!(!is_simulated_in_vain(first, second), "{fault:?}: {first}");
            }
            let again = "call r := down(n - 1);";
            assert!(is_simulated_in_vain(again, end), "{fault:?}");
            PRESENT.set(None);
        }
    }
}
