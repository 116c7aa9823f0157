//! Corral, as a process: `corral` on `PATH` or where .NET installs its tools.
//!
//! Facts about it are in `reference/engines.md`; its source (`source/ConcurrentTrace.cs`) says how a trace is
//! printed. Corral tracks all variables from the start here (`/trackAllVars`): a question starts one solver
//! instead of five, and there are no rounds of refinement to wait for.
//!
//! Corral, too, takes a solver's `unknown` for a bug, and starts several solvers, so its logs do not tell
//! which answer counted. The replay of the witness has to find that out.

mod output;

use std::ffi::OsString;
use std::path::Path;

use super::Tool;
use super::external::{Driver, EngineDoubt, FILE, Means, failure};
use crate::process::ProcessOutput;
use crate::query::{EntryProcedure, Verdict};

/// The engine's name.
pub(super) const NAME: &str = "corral";

/// How questions are asked of Corral.
pub(super) struct Corral;

impl Driver for Corral {
    const NAME: &'static str = NAME;
    const TOOL: Tool = Tool::Corral;
    /// .NET reserves far more addresses than it uses.
    const LIMIT_ADDRESS_SPACE: bool = false;

    fn arguments(means: &Means, entry: &EntryProcedure) -> Vec<OsString> {
        let mut z3 = OsString::from("/bopt:proverOpt:PROVER_PATH=");
        z3.push(&means.z3.path);
        vec![
            FILE.into(),
            format!("/main:{}", entry.name).into(),
            format!("/recursionBound:{}", means.bound).into(),
            "/trackAllVars".into(),
            "/printDataValues:1".into(),
            "/noTraceOnDisk".into(),
            z3,
        ]
    }

    fn closes(line: &str) -> bool {
        line.starts_with(output::LAST_LINE)
    }

    fn understand(
        run: &ProcessOutput,
        text: &str,
        _: &Path,
        bound: u32,
    ) -> Result<Verdict, EngineDoubt> {
        understand(run, text, FILE, bound)
    }
}

/// What a run says. Corral prints its troubles to both streams.
fn understand(
    run: &ProcessOutput,
    text: &str,
    file: &str,
    bound: u32,
) -> Result<Verdict, EngineDoubt> {
    output::verdict(&run.stdout, text, file, bound).map_err(|doubt| {
        output::trouble(&run.stdout)
            .or_else(|| output::trouble(&run.stderr))
            .or_else(|| failure(run))
            .unwrap_or(doubt)
    })
}
