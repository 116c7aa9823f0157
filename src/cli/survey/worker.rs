//! A class in a process of its own, so that the rest is unharmed by one on which this program hangs, dies, or takes more memory
//! than it may. The process is this program again, with the same arguments, and the class on its standard input.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::engine::Interrupt;
use crate::process::{Ending, Job, ProcessOutput};
use crate::survey::{self, Examination, SurveyLine, SurveyOutcome, SurveyReason, SurveyedClass};
use crate::time::millis_since;

use super::super::{Failure, interrupt, output};
use super::lines;

/// How long a class may go on when its time is over: what is being asked is ended, and the line is written.
const GRACE: Duration = Duration::from_secs(10);
/// No line is longer, in bytes.
const LONGEST: usize = 256 << 20;

/// What the process is told.
#[derive(Serialize, Deserialize)]
struct Request {
    /// Where relative paths are meant.
    folder: PathBuf,
    class: SurveyedClass,
}

/// The arguments of this command, and this one more.
pub(super) fn again(one: &str) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Before `--`, behind which all are paths; no flag before the command has a value.
    let command = arguments.iter().position(|argument| argument == "survey");
    arguments.insert(command.map_or(0, |at| at + 1), one.into());
    arguments
}

/// How processes are started.
pub(super) struct Workers {
    executable: PathBuf,
    arguments: Vec<OsString>,
    folder: PathBuf,
    each: Duration,
    memory_mib: u64,
    interrupt: Interrupt,
}

impl Workers {
    /// Processes with this time and this memory for each class.
    ///
    /// # Errors
    /// This program, or the folder it was started in, is not there any more.
    pub(super) fn new(each: Duration, memory_mib: u64) -> Result<Self, Failure> {
        let gone = |error: io::Error| {
            Failure::NoEngine(format!("error: no process can be started: {error}"))
        };
        Ok(Workers {
            executable: std::env::current_exe().map_err(gone)?,
            arguments: again("--examine"),
            folder: std::env::current_dir().map_err(gone)?,
            each,
            memory_mib,
            interrupt: interrupt::token(),
        })
    }

    /// The line of a class; nothing if it was interrupted.
    pub(super) fn examine(&self, class: &SurveyedClass) -> Option<SurveyLine> {
        if self.interrupt.is_set() {
            return None;
        }
        let start = Instant::now();
        let run = self.run(class);
        let ms = millis_since(start);
        let (outcome, reason) = match run {
            Ok(run) if run.ending == Ending::Interrupted => return None,
            Ok(run) => match serde_json::from_str::<SurveyLine>(&run.stdout) {
                Ok(line) if line.of == *class => return Some(SurveyLine { ms, ..line }),
                _ => self.died(&run),
            },
            Err(error) => {
                let message = format!("no process can be started: {error}");
                (
                    SurveyOutcome::Failed,
                    SurveyReason::new("internal", message),
                )
            }
        };
        Some(SurveyLine::without(class.clone(), outcome, reason, ms))
    }

    fn run(&self, class: &SurveyedClass) -> io::Result<ProcessOutput> {
        let own = tempfile::tempdir()?;
        let input = own.path().join("class.json");
        let request = Request {
            folder: self.folder.clone(),
            class: class.clone(),
        };
        std::fs::write(&input, serde_json::to_vec(&request)?)?;
        let job = Job {
            executable: &self.executable,
            arguments: &self.arguments,
            directory: own.path(),
            input: Some(&input),
            timeout: self.each.saturating_add(GRACE),
            memory_mib: self.memory_mib,
            output: LONGEST,
            // Threads with large stacks reserve more than they use.
            limit_address_space: false,
            closes: |_| false,
            interrupt: &self.interrupt,
        };
        job.run()
    }

    /// Why a process ended without a line.
    fn died(&self, run: &ProcessOutput) -> (SurveyOutcome, SurveyReason) {
        let seconds = self.each.as_secs_f64();
        let (outcome, kind, message) = match run.ending {
            Ending::Timeout => {
                let message =
                    format!("not done within {seconds} s, and it did not stop then: it was ended");
                (SurveyOutcome::Unfinished, "time", message)
            }
            Ending::Memory => {
                let message = format!("more than {} MiB of memory", self.memory_mib);
                (SurveyOutcome::Unfinished, "memory", message)
            }
            Ending::Flooded => (
                SurveyOutcome::Failed,
                "internal",
                "it printed too much".to_owned(),
            ),
            Ending::Exited(status) => (
                SurveyOutcome::Failed,
                "internal",
                last_words(&run.stderr, &status.to_string()),
            ),
            Ending::Lingered | Ending::Interrupted => (
                SurveyOutcome::Failed,
                "internal",
                "it did not end".to_owned(),
            ),
        };
        (outcome, SurveyReason::new(kind, message))
    }
}

/// What a process said before it ended in this way.
fn last_words(said: &str, status: &str) -> String {
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty());
    let words: Vec<&str> = lines.take(3).collect();
    match words.is_empty() {
        true => format!("internal error: the process ended ({status})"),
        false => format!(
            "internal error: the process ended ({status}): {}",
            words.join("; ")
        ),
    }
}

/// Examines the class that standard input names, and prints its line.
pub(super) fn examine(how: &Examination) -> Result<(), Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::BadInput(format!(
            "error: --examine is for `tranquera survey` itself: {error}"
        ))
    };
    let mut text = String::new();
    io::stdin()
        .lock()
        .read_to_string(&mut text)
        .map_err(|error| wrong(&error))?;
    let request: Request = serde_json::from_str(&text).map_err(|error| wrong(&error))?;
    enter(&request.folder).map_err(|error| wrong(&error))?;
    let line = survey::examine(&request.class, how);
    output::write(None, &lines::text(&line)?)
}

fn enter(folder: &Path) -> io::Result<()> {
    std::env::set_current_dir(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What comes of a class where this shell script takes the place of the process.
    fn line(script: &str, each: Duration) -> Option<SurveyLine> {
        let workers = Workers {
            executable: "/bin/sh".into(),
            arguments: ["-c", script].map(OsString::from).to_vec(),
            folder: ".".into(),
            each,
            memory_mib: 64,
            interrupt: Interrupt::default(),
        };
        workers.examine(&SurveyedClass::made_up("door.tq", "Door"))
    }

    fn reason(script: &str) -> (SurveyOutcome, String, String) {
        let line = line(script, Duration::from_secs(100)).expect("a line");
        let reason = line.reason.expect("a reason");
        (line.outcome, reason.kind, reason.message)
    }

    #[test]
    fn a_process_that_dies_is_a_line_with_its_last_words() {
        let (outcome, kind, message) =
            reason("echo 'panicked at x.rs:1:' >&2; echo 'ouch' >&2; exit 101");
        assert_eq!(
            (outcome, kind.as_str()),
            (SurveyOutcome::Failed, "internal")
        );
        assert_eq!(
            message,
            "internal error: the process ended (exit status: 101): panicked at x.rs:1:; ouch"
        );
        let (outcome, _, message) = reason("kill -SEGV $$");
        assert_eq!(outcome, SurveyOutcome::Failed);
        assert!(message.contains("signal: 11"), "{message}");
    }

    #[test]
    fn what_is_no_line_of_the_class_is_no_answer() {
        for script in [
            "echo nonsense",
            "true",
            r#"echo '{"schema":"tranquera/survey/1"}'"#,
        ] {
            assert_eq!(reason(script).0, SurveyOutcome::Failed, "{script}");
        }
    }

    #[test]
    fn too_much_memory_is_said() {
        let (outcome, kind, message) =
            reason("x=$(head -c 300000000 /dev/zero | tr '\\0' x); sleep 100");
        assert_eq!(
            (outcome, kind.as_str()),
            (SurveyOutcome::Unfinished, "memory")
        );
        assert_eq!(message, "more than 64 MiB of memory");
    }

    #[test]
    fn a_process_that_does_not_stop_is_ended() {
        let line = line("sleep 1000", Duration::from_millis(1)).expect("a line");
        assert_eq!(line.outcome, SurveyOutcome::Unfinished);
        assert!(line.ms < 500_000);
    }
}
