//! `tranquera survey --launcher`: the parts of a survey as a job of a scheduler that is there already. What the machines share
//! is a folder: each part writes its lines into a file of it, and what is missing when the job has ended is submitted again.

mod folder;
mod follow;
mod hyperqueue;
mod parallel;
mod slurm;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::executables;
use crate::survey::{MOST_PARTS, Shard};

use super::super::Failure;

pub(super) use folder::JobFolder;
pub(super) use follow::Follower;

/// A part has about so many classes where nothing is said.
const CLASSES: usize = 32;
/// No more parts are made where nothing is said: Slurm takes jobs of a thousand by default.
const PARTS: usize = 512;

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Several machines")]
pub(super) struct LaunchArguments {
    /// Write a job of parts for this scheduler, submit it, follow it and collect its lines
    #[arg(long, value_name = "NAME", value_enum, group = "split")]
    pub(super) launcher: Option<Launcher>,
    /// How many parts the job has [default: one for some 32 classes, 512 at most]
    #[arg(long, value_name = "N", requires = "launcher", value_parser = parts)]
    parts: Option<usize>,
    /// Give this to the scheduler as well, to `sbatch`, `hq submit` or `parallel`: --launcher-arg=--partition=long
    #[arg(
        long,
        value_name = "ARGUMENT",
        requires = "launcher",
        allow_hyphen_values = true
    )]
    launcher_arg: Vec<String>,
    /// Machines for GNU parallel to reach by ssh, as it takes them: user@host, or 4/host for four parts at once
    #[arg(long, value_name = "HOST", requires = "launcher")]
    sshlogin: Vec<String>,
    /// Where the job, its messages and its parts are kept, where all machines see it
    #[arg(long, value_name = "DIR", default_value = "survey-job")]
    pub(super) job_folder: PathBuf,
    /// Examine this part for a launcher: what its job runs
    #[arg(long, value_name = "I/N", hide = true)]
    pub(super) task: Option<Shard>,
}

fn parts(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (1..=MOST_PARTS).contains(&n) => Ok(n),
        _ => Err(format!("a number from 1 to {MOST_PARTS}")),
    }
}

/// A scheduler that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Launcher {
    /// Slurm: a job array, by sbatch
    Slurm,
    /// HyperQueue: a task array, by hq
    Hyperqueue,
    /// GNU parallel: here, or over ssh
    Parallel,
}

/// What a scheduler is asked to do. Each holds the job that it was given last.
pub(super) trait Scheduler {
    /// Submits these parts as one job. What to call it, for a person.
    ///
    /// # Errors
    /// It does not take the job.
    fn submit(&mut self, job: &JobFolder, parts: &[usize]) -> Result<String, Failure>;

    /// Whether anything of the job waits or runs; also where the scheduler itself begins a part again, whose machine was lost.
    ///
    /// # Errors
    /// The scheduler does not say, with its words.
    fn is_alive(&mut self) -> Result<bool, String>;

    /// Ends the job.
    fn cancel(&mut self);

    /// The command by which a person ends the job, if that outlives us.
    fn how_to_cancel(&self) -> Option<String>;

    /// Takes a job that was submitted by an earlier run, by what [`Scheduler::id`] gave.
    fn adopt(&mut self, id: &str);

    /// What the scheduler calls the job, where it is known beyond this process.
    fn id(&self) -> Option<&str>;
}

impl LaunchArguments {
    /// The scheduler, if it is here.
    ///
    /// # Errors
    /// Its program is not here, or an option is none of its own.
    pub(super) fn scheduler(
        &self,
        launcher: Launcher,
        at_once: usize,
    ) -> Result<Box<dyn Scheduler>, Failure> {
        if launcher != Launcher::Parallel && !self.sshlogin.is_empty() {
            let message = "error: --sshlogin is for --launcher parallel: other schedulers know their machines";
            return Err(Failure::BadInput(message.into()));
        }
        let more = self.launcher_arg.clone();
        Ok(match launcher {
            Launcher::Slurm => Box::new(slurm::Slurm::new(more, at_once)?),
            Launcher::Hyperqueue => Box::new(hyperqueue::HyperQueue::new(more, at_once)?),
            Launcher::Parallel => {
                let hosts = self.sshlogin.clone();
                Box::new(parallel::Parallel::new(more, hosts, at_once)?)
            }
        })
    }

    /// How many parts so many classes make.
    pub(super) fn parts(&self, classes: usize) -> usize {
        let usual = || classes.div_ceil(CLASSES).next_power_of_two().min(PARTS);
        self.parts.unwrap_or_else(usual)
    }
}

/// Refuses a second job in one folder, which would do all twice.
///
/// # Errors
/// The job of an earlier run is still at work there.
pub(super) fn refuse_two(folder: &JobFolder, scheduler: &mut dyn Scheduler) -> Result<(), Failure> {
    let Some(id) = folder.noted() else {
        return Ok(());
    };
    scheduler.adopt(&id);
    match (scheduler.is_alive(), scheduler.how_to_cancel()) {
        (Ok(true), Some(cancel)) => Err(Failure::BadInput(format!(
            "error: job {id} of an earlier run is still at work in {}\nhelp: wait for it, end it (`{cancel}`), or give another \
             --job-folder",
            folder.path().display()
        ))),
        _ => Ok(()),
    }
}

/// A program of a scheduler.
fn program(name: &str, help: &str) -> Result<PathBuf, Failure> {
    let path = std::env::var_os("PATH");
    let found = executables::on_path(path.as_deref(), Path::new(name));
    let missing = || format!("error: there is no `{name}` on PATH\nhelp: {help}");
    found.ok_or_else(|| Failure::NoEngine(missing()))
}

/// What a program prints that takes a moment; its words where it fails.
fn said(program: &Path, arguments: &[impl AsRef<OsStr>]) -> Result<String, String> {
    let mut command = Command::new(program);
    // Its words are read.
    command.args(arguments).env("LC_ALL", "C.UTF-8");
    let output = command.output().map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => {
            let words = [text(&output.stderr), text(&output.stdout)];
            let words: Vec<String> = words.into_iter().filter(|text| !text.is_empty()).collect();
            match words.is_empty() {
                true => Err(output.status.to_string()),
                false => Err(words.join("\n")),
            }
        }
    }
}

/// That a scheduler does not take a job.
fn not_taken(program: &str, words: &str, help: &str) -> Failure {
    Failure::NoEngine(format!(
        "error: `{program}` does not take the job: {words}\nhelp: {help}"
    ))
}

/// Numbers as array jobs have them: `1-3,7`.
fn ranges(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let words = ranges.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    words.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(ranges(&[5]), "5");
    }
}
