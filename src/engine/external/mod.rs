//! Engines that are processes, one for each question: a folder of its own, a file, a run, a verdict.
//!
//! [`External`] is such an engine, whatever it runs; what differs from one to the next is its [`Driver`]. How one
//! question is asked is in `opened`, why a run may give no verdict in `doubt`, what is shown of an output in `shown`.

mod doubt;
mod opened;
mod shown;

use std::ffi::OsString;
use std::marker::PhantomData;
use std::path::Path;

pub(super) use doubt::{EngineDoubt, failure};

use super::{Engine, EngineConfig, EngineError, Located, Session, Tool};
use crate::process::ProcessOutput;
use crate::query::{EntryProcedure, Limits, QuestionProgram, Verdict};
use opened::ExternalSession;

/// The question's file in its folder. One fixed name: no engine sees a path with odd characters.
pub(super) const FILE: &str = "q.bpl";

/// What differs from one external engine to the next.
pub(super) trait Driver: Send + Sync + 'static {
    /// The engine's name.
    const NAME: &'static str;
    /// Its executable.
    const TOOL: Tool;
    /// Whether its processes can live with a limit on their address space.
    const LIMIT_ADDRESS_SPACE: bool;
    /// The arguments for a question in [`FILE`].
    fn arguments(means: &Means, entry: &EntryProcedure) -> Vec<OsString>;
    /// Whether a line of standard output is the last one.
    fn closes(line: &str) -> bool;
    /// What its output says about a question whose whole text is given. `folder` is where it ran.
    ///
    /// # Errors
    /// A doubt, where it does not say anything that holds.
    fn understand(
        run: &ProcessOutput,
        text: &str,
        folder: &Path,
        bound: u32,
    ) -> Result<Verdict, EngineDoubt>;
}

/// What questions are asked with.
#[derive(Debug)]
pub(super) struct Means {
    pub executable: Located,
    pub z3: Located,
    /// The recursion bound.
    pub bound: u32,
}

/// An engine that is a process, and its solver.
pub(super) struct External<D> {
    config: EngineConfig,
    driver: PhantomData<D>,
}

impl<D: Driver> External<D> {
    pub(super) fn new(config: &EngineConfig) -> Self {
        External {
            config: config.clone(),
            driver: PhantomData,
        }
    }

    fn means(&self) -> Result<Means, EngineError> {
        let locate = |tool: Tool| tool.locate(D::NAME, self.config.named(tool));
        Ok(Means {
            executable: locate(D::TOOL)?,
            z3: locate(Tool::Z3)?,
            bound: self.config.limits.recursion_bound,
        })
    }
}

impl<D: Driver> Engine for External<D> {
    fn name(&self) -> &'static str {
        D::NAME
    }

    fn version(&self) -> Result<String, EngineError> {
        let means = self.means()?;
        Ok(format!(
            "{}, {}",
            self.config.versions.of(&means.executable, D::NAME)?,
            self.config.versions.of(&means.z3, D::NAME)?
        ))
    }

    fn limits(&self) -> Limits {
        self.config.limits
    }

    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(ExternalSession::<D>::new(
            self.means()?,
            &self.config,
            program,
        )?))
    }
}

/// Whether a line of a question's text holds the assertion that is asked about.
pub(super) fn asks_at(text: &str, line: u32) -> bool {
    let index = usize::try_from(line)
        .ok()
        .and_then(|line| line.checked_sub(1));
    index
        .and_then(|index| text.lines().nth(index))
        .is_some_and(|line| line.contains("{:reached}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_is_at_its_line() {
        let text = "procedure q() {\n  assert {:reached} false;\n}\n";
        assert!(asks_at(text, 2));
        for line in [0, 1, 3, 4, u32::MAX] {
            assert!(!asks_at(text, line), "{line}");
        }
    }
}
