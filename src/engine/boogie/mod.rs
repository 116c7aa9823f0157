//! Boogie 2.4 with stratified inlining, as a process: `boogie` on `PATH`, in Debian's package or another.
//!
//! One process answers one question: Boogie 2.4.1 crashes on the second entry procedure of a file. Facts about
//! its output are in `reference/engines.md` and, beyond those, measured with Debian's Boogie 2.4.1 and Z3 4.8.12:
//!
//! - Every path of an entry must end in its `assert {:reached} false` or in an `assume false`. To Boogie the
//!   *end of the entry procedure* is an error too, an early `return` for instance: `(0,0): Error BP5001`. Such
//!   an answer is none to our question, and is [`Reason::Rejected`].
//! - The noise about `model_compress` cannot be switched off by any option of Boogie's or Z3's, so exactly it
//!   is removed (see the `output` module).
//! - `unknown` can be told from `sat` (see the `dialogue` module).
//! - Recording a bitvector constant (`call boogie_si_record_bv(7bv8)`, also after constant propagation)
//!   crashes Boogie; recorded maps are not readable. Recorded integers and booleans are right.

mod dialogue;
mod output;

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;

use self::dialogue::{LastCheck, last_check};
use super::Tool;
use super::external::{Driver, EngineDoubt, FILE, Means, failure};
use crate::process::ProcessOutput;
use crate::query::{EntryProcedure, Reason, Verdict};

/// The engine's name.
pub(super) const NAME: &str = "boogie";

/// The file that Boogie logs its solver dialogue to.
const LOG: &str = "q.smt2";

/// How questions are asked of Boogie.
pub(super) struct Boogie;

impl Driver for Boogie {
    const NAME: &'static str = NAME;
    const TOOL: Tool = Tool::Boogie;
    const LIMIT_ADDRESS_SPACE: bool = true;

    fn arguments(means: &Means, entry: &EntryProcedure) -> Vec<OsString> {
        let mut z3 = OsString::from("/z3exe:");
        z3.push(&means.z3.path);
        vec![
            "/nologo".into(),
            "/stratifiedInline:1".into(),
            "/extractLoops".into(),
            format!("/recursionBound:{}", means.bound).into(),
            format!("/proc:{}", entry.name).into(),
            format!("/proverLog:{LOG}").into(),
            z3,
            FILE.into(),
        ]
    }

    fn closes(line: &str) -> bool {
        line.starts_with(output::LAST_LINE)
    }

    fn understand(
        run: &ProcessOutput,
        text: &str,
        folder: &Path,
        bound: u32,
    ) -> Result<Verdict, EngineDoubt> {
        let verdict = output::verdict(&run.stdout, text, FILE, bound).map_err(|doubt| {
            match doubt.reason {
                // An output that breaks off is not understood; how it came to that says more.
                Reason::NotUnderstood => failure(run).unwrap_or(doubt),
                _ => doubt,
            }
        })?;
        let log = File::open(folder.join(LOG)).and_then(last_check);
        backed(verdict, log.unwrap_or(LastCheck::None))
    }
}

/// A verdict counts only if the solver was asked, and "reached" only if it was sure.
fn backed(verdict: Verdict, last: LastCheck) -> Result<Verdict, EngineDoubt> {
    match (last, &verdict) {
        (LastCheck::None, _) => {
            let detail = "an answer, but no question to the solver in its log";
            Err(EngineDoubt::new(Reason::NotUnderstood, detail))
        }
        (LastCheck::Unknown, Verdict::Reached(_)) => {
            let detail = "the solver said `unknown`, and Boogie took it for an execution";
            Err(EngineDoubt::new(Reason::SolverIncomplete, detail))
        }
        _ => Ok(verdict),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Trace;

    #[test]
    fn a_reached_that_the_solver_did_not_say_is_none() {
        let reached = Verdict::Reached(Trace::default());
        assert_eq!(
            backed(reached.clone(), LastCheck::Answered),
            Ok(reached.clone())
        );
        let reason = backed(reached, LastCheck::Unknown).map_err(|doubt| doubt.reason);
        assert_eq!(reason, Err(Reason::SolverIncomplete));
    }

    #[test]
    fn an_answer_without_a_solver_is_none() {
        for verdict in [Verdict::Unreachable, Verdict::BoundHit { bound: 3 }] {
            assert_eq!(
                backed(verdict.clone(), LastCheck::Answered),
                Ok(verdict.clone())
            );
            let reason = backed(verdict, LastCheck::None).map_err(|doubt| doubt.reason);
            assert_eq!(reason, Err(Reason::NotUnderstood));
        }
    }
}
