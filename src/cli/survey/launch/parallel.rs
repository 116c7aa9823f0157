//! GNU parallel: the parts are its arguments, here or over ssh. It is a child of ours, and ends with us.

use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::group::Group;

use super::super::super::Failure;
use super::super::super::input::quoted;
use super::{JobFolder, Scheduler, not_taken, program, said};

/// So often is a part tried at least, where there is more than one machine. One word of the user's may name many of them.
const FEWEST_TRIES: usize = 3;

/// GNU parallel, and the run of it that is under way.
pub(super) struct Parallel {
    parallel: PathBuf,
    more: Vec<String>,
    hosts: Vec<String>,
    at_once: usize,
    running: Option<Group>,
}

impl Parallel {
    /// GNU parallel with these arguments and hosts more, for so many classes at once in each part.
    ///
    /// # Errors
    /// It is not here; `moreutils` has another program of that name.
    pub(super) fn new(
        more: Vec<String>,
        hosts: Vec<String>,
        at_once: usize,
    ) -> Result<Self, Failure> {
        let help =
            "GNU parallel is a package of that name in most systems: `apt-get install parallel`";
        let parallel = program("parallel", help)?;
        let version = said(&parallel, &["--version"]).unwrap_or_default();
        if !version.starts_with("GNU parallel") {
            let shown = parallel.display();
            return Err(Failure::NoEngine(format!(
                "error: {shown} is not GNU parallel\nhelp: {help}"
            )));
        }
        Ok(Parallel {
            parallel,
            more,
            hosts,
            at_once,
            running: None,
        })
    }
}

impl Scheduler for Parallel {
    fn submit(&mut self, job: &JobFolder, parts: &[usize]) -> Result<String, Failure> {
        let wrong = |error: std::io::Error| {
            not_taken(
                "parallel",
                &error.to_string(),
                "its messages are in the job's folder",
            )
        };
        let mut options = OpenOptions::new();
        let messages = options
            .create(true)
            .append(true)
            .open(job.messages().join("parallel.txt"));
        let messages = messages.map_err(wrong)?;
        let mut command = Command::new(&self.parallel);
        // A part takes the cores of so many classes.
        command.arg(format!("--jobs={}%", (100 / self.at_once).max(1)));
        for host in &self.hosts {
            command.args(["--sshlogin", host]);
        }
        if !self.hosts.is_empty() {
            // A machine that is lost takes parts as fast as they fail there: they go to the others, each of which may be lost
            // too. Those that do not answer when the job begins are not counted on.
            let tries = self.hosts.len().saturating_add(1).max(FEWEST_TRIES);
            command.args(["--filter-hosts".to_owned(), format!("--retries={tries}")]);
        }
        command.args(&self.more);
        command.arg(quoted(&job.script().display().to_string()));
        command.arg(":::").args(parts.iter().map(usize::to_string));
        command
            .stdin(Stdio::null())
            .stdout(messages.try_clone().map_err(wrong)?)
            .stderr(messages);
        self.running = Some(Group::spawn(&mut command).map_err(wrong)?);
        Ok("GNU parallel".to_owned())
    }

    fn is_alive(&mut self) -> Result<bool, String> {
        let ended = self.running.as_ref().map(Group::child_ended);
        match ended {
            Some(ended) => ended.map(|ended| !ended).map_err(|error| error.to_string()),
            None => Ok(false),
        }
    }

    fn cancel(&mut self) {
        self.running = None;
    }

    fn how_to_cancel(&self) -> Option<String> {
        None
    }

    fn adopt(&mut self, _: &str) {}

    fn id(&self) -> Option<&str> {
        None
    }
}
