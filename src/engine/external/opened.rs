//! One question asked of a process.

use std::ffi::OsString;
use std::marker::PhantomData;
use std::time::Duration;

use super::doubt::ended_well;
use super::shown::shown;
use super::{Driver, EngineDoubt, FILE, Means};
use crate::engine::keep::{self, KeptQuestion, Process};
use crate::engine::{EngineConfig, EngineError, Session};
use crate::process::{Ending, Job, OUTPUT, ProcessOutput};
use crate::query::{EntryProcedure, LEAST, QuestionProgram, Reason, Unknown, Verdict};
use crate::time::at_most;

/// A program opened by an external engine.
pub(super) struct ExternalSession<'a, D> {
    means: Means,
    driver: PhantomData<D>,
    config: &'a EngineConfig,
    program: QuestionProgram,
}

impl<D: Driver> Session for ExternalSession<'_, D> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        let text = self.program.with(entry);
        let arguments = D::arguments(&self.means, entry);
        let (run, verdict) = match self.run(&text, &arguments, self.limit(entry)) {
            Ok(ran) => ran,
            Err(error) => {
                return Verdict::Unknown(Unknown {
                    reason: Reason::Crash,
                    detail: format!("cannot run {}: {error}", D::NAME),
                    output: String::new(),
                });
            }
        };
        let Some(folder) = &self.config.keep_dir else {
            return verdict;
        };
        let asked = KeptQuestion {
            entry: &entry.name,
            engine: D::NAME,
            text: &text,
            verdict: &verdict,
            process: Some(Process {
                executable: &self.means.executable.path,
                arguments: &arguments,
                run: &run,
            }),
        };
        keep::keep(folder, &asked)
    }
}

impl<'a, D: Driver> ExternalSession<'a, D> {
    /// Opens a program. The folder to keep questions in is made now, so that it is known early if it cannot be.
    ///
    /// # Errors
    /// [`EngineError::Io`], if that folder cannot be made.
    pub(super) fn new(
        means: Means,
        config: &'a EngineConfig,
        program: &QuestionProgram,
    ) -> Result<Self, EngineError> {
        keep::make_folder(config, D::NAME)?;
        Ok(ExternalSession {
            means,
            driver: PhantomData,
            config,
            program: program.clone(),
        })
    }

    /// How long it may run: in less than some time it does not even begin.
    fn limit(&self, entry: &EntryProcedure) -> Duration {
        let least = LEAST.min(self.config.limits.timeout);
        let limit = self.config.timeout(entry);
        // Of another program it is only seen how long it runs.
        at_most(limit, self.config.limits.work).max(least)
    }

    /// Runs the engine in a folder of its own, and judges the run while that is there.
    fn run(
        &self,
        text: &str,
        arguments: &[OsString],
        timeout: Duration,
    ) -> std::io::Result<(ProcessOutput, Verdict)> {
        let folder = tempfile::Builder::new().prefix("tranquera-").tempdir()?;
        std::fs::write(folder.path().join(FILE), text)?;
        let run = Job {
            executable: &self.means.executable.path,
            arguments,
            directory: folder.path(),
            input: None,
            timeout,
            memory_mib: self.config.limits.memory_mib,
            output: OUTPUT,
            limit_address_space: D::LIMIT_ADDRESS_SPACE,
            closes: D::closes,
            interrupt: &self.config.interrupt,
        }
        .run()?;
        let verdict = match self.broken_off(&run, timeout) {
            Some(doubt) => Err(doubt),
            None => D::understand(&run, text, folder.path(), self.means.bound)
                .and_then(|verdict| ended_well(&run).map(|()| verdict)),
        };
        let mut verdict = verdict.unwrap_or_else(|doubt| {
            Verdict::Unknown(Unknown {
                reason: doubt.reason,
                detail: doubt.detail,
                output: shown(&run),
            })
        });
        if let Verdict::Reached(trace) = &mut verdict {
            trace.output = shown(&run);
        }
        Ok((run, verdict))
    }

    /// Why a run was broken off. Its output then counts for nothing.
    fn broken_off(&self, run: &ProcessOutput, timeout: Duration) -> Option<EngineDoubt> {
        match run.ending {
            Ending::Exited(_) | Ending::Lingered => None,
            Ending::Timeout => {
                let seconds = timeout.as_secs_f64();
                Some(EngineDoubt::new(
                    Reason::Timeout,
                    format!("no answer within {seconds} s"),
                ))
            }
            Ending::Memory => {
                let detail = format!("it took more than {} MiB", self.config.limits.memory_mib);
                Some(EngineDoubt::new(Reason::Memory, detail))
            }
            Ending::Flooded => Some(EngineDoubt::new(
                Reason::NotUnderstood,
                "it printed too much",
            )),
            Ending::Interrupted => Some(EngineDoubt::new(Reason::Interrupted, "")),
        }
    }
}
