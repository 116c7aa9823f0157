//! One question, asked of an external process: a folder of its own, a file, a run, a verdict.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;

use super::keep::{self, Asked, Process};
use super::process::{Ending, Job, Run};
use super::{EngineConfig, EngineError, Entry, Program, Reason, Session, Unknown, Verdict};

/// The question's file in its folder. One fixed name: no engine sees a path with odd characters.
pub(super) const FILE: &str = "q.bpl";

/// How much of an output is shown, at each end.
const SHOWN: usize = 4000;

/// A doubt: why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    pub reason: Reason,
    pub detail: String,
}

impl Doubt {
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Doubt {
            reason,
            detail: detail.into(),
        }
    }
}

/// What differs from one external engine to the next.
pub(super) trait Driver: Send + Sync {
    /// The engine's name.
    fn name(&self) -> &'static str;
    /// Its executable.
    fn executable(&self) -> &Path;
    /// The arguments for a question in [`FILE`].
    fn arguments(&self, entry: &Entry) -> Vec<OsString>;
    /// Whether its processes can live with a limit on their address space.
    fn limit_address_space(&self) -> bool;
    /// Whether a line of standard output is the last one.
    fn closes(line: &str) -> bool
    where
        Self: Sized;
    /// What its output says about a question whose whole text is given. `folder` is where it ran.
    ///
    /// # Errors
    /// A doubt, where it does not say anything that holds.
    fn understand(&self, run: &Run, text: &str, folder: &Path) -> Result<Verdict, Doubt>;
}

/// A program opened by an external engine.
#[derive(Debug)]
pub(super) struct Opened<'a, D> {
    driver: D,
    config: &'a EngineConfig,
    program: Program,
}

impl<D: Driver> Session for Opened<'_, D> {
    fn ask(&self, entry: &Entry) -> Verdict {
        let text = self.program.with(entry);
        let arguments = self.driver.arguments(entry);
        let (run, verdict) = match self.run(&text, &arguments) {
            Ok(ran) => ran,
            Err(error) => {
                return Verdict::Unknown(Unknown {
                    reason: Reason::Crash,
                    detail: format!("cannot run {}: {error}", self.driver.name()),
                    output: String::new(),
                });
            }
        };
        let Some(folder) = &self.config.keep_dir else {
            return verdict;
        };
        let asked = Asked {
            entry: &entry.name,
            engine: self.driver.name(),
            text: &text,
            verdict: &verdict,
            process: Some(Process {
                executable: self.driver.executable(),
                arguments: &arguments,
                run: &run,
            }),
        };
        keep::keep(folder, &asked)
    }
}

impl<'a, D: Driver> Opened<'a, D> {
    /// Opens a program. The folder to keep questions in is made now, so that it is known early if it cannot be.
    ///
    /// # Errors
    /// [`EngineError::Io`], if that folder cannot be made.
    pub fn new(
        driver: D,
        config: &'a EngineConfig,
        program: &Program,
    ) -> Result<Self, EngineError> {
        keep::make_folder(config, driver.name())?;
        Ok(Opened {
            driver,
            config,
            program: program.clone(),
        })
    }

    /// Runs the engine in a folder of its own, and judges the run while that is there.
    fn run(&self, text: &str, arguments: &[OsString]) -> std::io::Result<(Run, Verdict)> {
        let folder = tempfile::Builder::new().prefix("tranquera-").tempdir()?;
        std::fs::write(folder.path().join(FILE), text)?;
        let limits = &self.config.limits;
        let run = Job {
            executable: self.driver.executable(),
            arguments,
            directory: folder.path(),
            timeout: limits.timeout,
            memory_mib: limits.memory_mib,
            limit_address_space: self.driver.limit_address_space(),
            closes: D::closes,
            interrupt: &self.config.interrupt,
        }
        .run()?;
        let verdict = match self.broken_off(&run) {
            Some(doubt) => Err(doubt),
            None => self
                .driver
                .understand(&run, text, folder.path())
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
    fn broken_off(&self, run: &Run) -> Option<Doubt> {
        let limits = &self.config.limits;
        match run.ending {
            Ending::Exited(_) | Ending::Lingered => None,
            Ending::Timeout => {
                let seconds = limits.timeout.as_secs_f64();
                Some(Doubt::new(
                    Reason::Timeout,
                    format!("no answer within {seconds} s"),
                ))
            }
            Ending::Memory => {
                let detail = format!("it took more than {} MiB", limits.memory_mib);
                Some(Doubt::new(Reason::Memory, detail))
            }
            Ending::Flooded => Some(Doubt::new(Reason::NotUnderstood, "it printed too much")),
            Ending::Interrupted => Some(Doubt::new(Reason::Interrupted, "")),
        }
    }
}

/// A verdict counts only from a run that ended as it should: with status 0 (or by our hand, after its last line)
/// and nothing on standard error.
fn ended_well(run: &Run) -> Result<(), Doubt> {
    if let Some(doubt) = failure(run) {
        return Err(doubt);
    }
    match run.stderr.lines().find(|line| !line.trim().is_empty()) {
        None => Ok(()),
        Some(line) => Err(Doubt::new(
            Reason::NotUnderstood,
            format!("on standard error: {line}"),
        )),
    }
}

/// How a run failed, if its status says so: by a signal, or with an error of its own. Standard error often
/// says more.
pub(super) fn failure(run: &Run) -> Option<Doubt> {
    let Ending::Exited(status) = run.ending else {
        return None;
    };
    if status.success() {
        return None;
    }
    let first = run
        .stderr
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let reason = failure_reason(&run.stderr);
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => format!("ended by signal {signal}"),
        (None, Some(code)) => format!("exit status {code}"),
        (None, None) => status.to_string(),
    };
    let separator = if first.is_empty() { "" } else { ": " };
    let first: String = first.chars().take(300).collect();
    Some(Doubt::new(reason, format!("{how}{separator}{first}")))
}

/// What an unhandled exception was about.
fn failure_reason(stderr: &str) -> Reason {
    let about = |words: &[&str]| words.iter().any(|word| stderr.contains(word));
    if about(&["Cannot find prover", "Cannot find specified prover"]) {
        Reason::ProverMissing
    } else if about(&["out of memory", "OutOfMemoryException", "Out of memory"]) {
        Reason::Memory
    } else if about(&["Error: unknown switch"]) {
        Reason::Rejected
    } else {
        Reason::Crash
    }
}

/// What an engine printed, cut to a readable length.
fn shown(run: &Run) -> String {
    let stdout = cut(&run.stdout);
    let stderr = cut(&run.stderr);
    match (stdout.is_empty(), stderr.is_empty()) {
        (_, true) => stdout,
        (true, false) => stderr,
        (false, false) => {
            let end = if stdout.ends_with('\n') { "" } else { "\n" };
            format!("{stdout}{end}{stderr}")
        }
    }
}

/// The head and the tail of a long text.
fn cut(text: &str) -> String {
    if text.len() <= 2 * SHOWN {
        return text.to_owned();
    }
    let head = (0..=SHOWN)
        .rev()
        .find_map(|end| text.get(..end))
        .unwrap_or_default();
    let tail = (text.len() - SHOWN..=text.len())
        .find_map(|start| text.get(start..))
        .unwrap_or_default();
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n… {left_out} bytes left out …\n{tail}")
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
    fn a_long_output_is_cut_in_the_middle() {
        assert_eq!(cut("short"), "short");
        let long = format!("head{}tail", "é".repeat(100_000));
        let cut = cut(&long);
        assert!(cut.starts_with("head") && cut.ends_with("tail"));
        assert!(cut.len() < 2 * SHOWN + 100);
        assert!(cut.contains("bytes left out"));
    }

    #[test]
    fn the_question_is_at_its_line() {
        let text = "procedure q() {\n  assert {:reached} false;\n}\n";
        assert!(asks_at(text, 2));
        for line in [0, 1, 3, 4, u32::MAX] {
            assert!(!asks_at(text, line), "{line}");
        }
    }
}
