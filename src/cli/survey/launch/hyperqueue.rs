//! HyperQueue: the parts are a task array.

use std::path::PathBuf;

use serde::Deserialize;

use super::super::super::Failure;
use super::{JobFolder, Scheduler, not_taken, program, ranges, said};

/// HyperQueue's command, and the task array that it was given last.
pub(super) struct HyperQueue {
    hq: PathBuf,
    more: Vec<String>,
    at_once: usize,
    job: Option<String>,
}

/// What `hq job info` says of a job, as far as it matters.
#[derive(Deserialize)]
struct Job {
    info: Info,
}

#[derive(Deserialize)]
struct Info {
    task_stats: Tasks,
}

#[derive(Deserialize)]
struct Tasks {
    running: u64,
    waiting: u64,
}

impl HyperQueue {
    /// HyperQueue with these arguments more, for so many classes at once in each part.
    ///
    /// # Errors
    /// Its command is not here.
    pub(super) fn new(more: Vec<String>, at_once: usize) -> Result<Self, Failure> {
        let help = "`hq` is one file: put it on PATH, and start `hq server start` here and `hq worker start` on each machine";
        Ok(HyperQueue {
            hq: program("hq", help)?,
            more,
            at_once,
            job: None,
        })
    }
}

/// Whether any task waits or runs, from `hq --output-mode=json job info`.
fn is_alive(json: &str) -> Result<bool, String> {
    let jobs: Vec<Job> =
        serde_json::from_str(json).map_err(|error| format!("{error} in {json}"))?;
    let mut tasks = jobs.iter().map(|job| &job.info.task_stats);
    Ok(tasks.any(|tasks| tasks.running > 0 || tasks.waiting > 0))
}

impl Scheduler for HyperQueue {
    fn submit(&mut self, job: &JobFolder, parts: &[usize]) -> Result<String, Failure> {
        let messages = job.messages().display().to_string();
        let mut arguments = vec![
            "--output-mode=quiet".to_owned(),
            "submit".to_owned(),
            "--name=tranquera".to_owned(),
            format!("--array={}", ranges(parts)),
            format!("--cpus={}", self.at_once),
            "--stdout=none".to_owned(),
            format!("--stderr={messages}/hq-%{{JOB_ID}}-%{{TASK_ID}}.txt"),
        ];
        arguments.extend(self.more.iter().cloned());
        arguments.push("--".to_owned());
        arguments.push(job.script().display().to_string());
        let id = said(&self.hq, &arguments).map_err(|words| {
            let help =
                "`hq server start` starts a server, and `hq worker start` on each machine a worker";
            not_taken("hq submit", &words, help)
        })?;
        self.job = Some(id.clone());
        Ok(format!("job {id} of HyperQueue"))
    }

    fn is_alive(&mut self) -> Result<bool, String> {
        match &self.job {
            Some(id) => is_alive(&said(&self.hq, &["--output-mode=json", "job", "info", id])?),
            None => Ok(false),
        }
    }

    fn cancel(&mut self) {
        if let Some(id) = &self.job {
            // Who cannot reach the server has been told.
            let _ = said(&self.hq, &["job", "cancel", id]);
        }
    }

    fn how_to_cancel(&self) -> Option<String> {
        self.job.as_ref().map(|id| format!("hq job cancel {id}"))
    }

    fn adopt(&mut self, id: &str) {
        self.job = Some(id.to_owned());
    }

    fn id(&self) -> Option<&str> {
        self.job.as_deref()
    }
}
