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

use super::external::{Doubt, Driver, FILE, Opened, failure};
use super::process::Run;
use super::{Engine, EngineConfig, EngineError, Entry, Located, Program, Session, Tool, Verdict};

/// The engine's name.
pub(super) const NAME: &str = "corral";

/// The engine `corral`.
#[derive(Debug)]
pub(super) struct Corral {
    config: EngineConfig,
}

impl Corral {
    pub fn new(config: &EngineConfig) -> Self {
        Corral {
            config: config.clone(),
        }
    }

    fn driver(&self) -> Result<CorralDriver, EngineError> {
        Ok(CorralDriver {
            corral: Tool::Corral.locate(NAME, self.config.named(Tool::Corral))?,
            z3: Tool::Z3.locate(NAME, self.config.named(Tool::Z3))?,
            bound: self.config.limits.recursion_bound,
        })
    }
}

impl Engine for Corral {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> Result<String, EngineError> {
        let driver = self.driver()?;
        Ok(format!(
            "{}, {}",
            self.config.versions.of(&driver.corral, NAME)?,
            self.config.versions.of(&driver.z3, NAME)?
        ))
    }

    fn open(&self, program: &Program) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(Opened::new(
            self.driver()?,
            &self.config,
            program,
        )?))
    }
}

/// How one question is asked of Corral.
#[derive(Debug)]
struct CorralDriver {
    corral: Located,
    z3: Located,
    bound: u32,
}

impl Driver for CorralDriver {
    fn name(&self) -> &'static str {
        NAME
    }

    fn executable(&self) -> &Path {
        &self.corral.path
    }

    fn arguments(&self, entry: &Entry) -> Vec<OsString> {
        let mut z3 = OsString::from("/bopt:proverOpt:PROVER_PATH=");
        z3.push(&self.z3.path);
        vec![
            FILE.into(),
            format!("/main:{}", entry.name).into(),
            format!("/recursionBound:{}", self.bound).into(),
            "/trackAllVars".into(),
            "/printDataValues:1".into(),
            "/noTraceOnDisk".into(),
            z3,
        ]
    }

    /// .NET reserves far more addresses than it uses.
    fn limit_address_space(&self) -> bool {
        false
    }

    fn closes(line: &str) -> bool {
        line.starts_with(output::LAST_LINE)
    }

    fn understand(&self, run: &Run, text: &str, _: &Path) -> Result<Verdict, Doubt> {
        understand(run, text, FILE, self.bound)
    }
}

/// What a run says. Corral prints its troubles to both streams.
fn understand(run: &Run, text: &str, file: &str, bound: u32) -> Result<Verdict, Doubt> {
    output::verdict(&run.stdout, text, file, bound).map_err(|doubt| {
        output::trouble(&run.stdout)
            .or_else(|| output::trouble(&run.stderr))
            .or_else(|| failure(run))
            .unwrap_or(doubt)
    })
}
