//! Slurm: the parts are a job array.

use std::path::PathBuf;

use super::super::super::Failure;
use super::{JobFolder, Scheduler, not_taken, program, ranges, said};

/// What is said where a part waits for ever.
const HELD: &str = "held";

/// Slurm's commands, and the job array that it was given last.
pub(super) struct Slurm {
    sbatch: PathBuf,
    squeue: PathBuf,
    scancel: PathBuf,
    more: Vec<String>,
    at_once: usize,
    /// `123`, or `123;cluster`.
    job: Option<String>,
}

impl Slurm {
    /// Slurm with these arguments more, for so many classes at once in each part.
    ///
    /// # Errors
    /// Its commands are not here.
    pub(super) fn new(more: Vec<String>, at_once: usize) -> Result<Self, Failure> {
        let help = "run this where jobs of Slurm are submitted; on Debian they come with `apt-get install slurm-client`";
        Ok(Slurm {
            sbatch: program("sbatch", help)?,
            squeue: program("squeue", help)?,
            scancel: program("scancel", help)?,
            more,
            at_once,
            job: None,
        })
    }

    /// The job as the commands name it, and its cluster where there are several.
    fn named(&self) -> Option<(&str, Option<&str>)> {
        let job = self.job.as_deref()?;
        Some(match job.split_once(';') {
            Some((id, cluster)) => (id, Some(cluster)),
            None => (job, None),
        })
    }
}

fn on(cluster: Option<&str>) -> Option<String> {
    cluster.map(|cluster| format!("--clusters={cluster}"))
}

impl Scheduler for Slurm {
    fn submit(&mut self, job: &JobFolder, parts: &[usize]) -> Result<String, Failure> {
        // A percent sign begins a pattern there.
        let messages = job.messages().display().to_string().replace('%', "%%");
        let mut arguments = vec![
            "--parsable".to_owned(),
            "--job-name=tranquera".to_owned(),
            format!("--array={}", ranges(parts)),
            format!("--output={messages}/slurm-%A-%a.txt"),
            "--open-mode=append".to_owned(),
            // What a lost machine did not finish is begun again by Slurm itself.
            "--requeue".to_owned(),
            format!("--cpus-per-task={}", self.at_once),
        ];
        arguments.extend(self.more.iter().cloned());
        arguments.push(job.script().display().to_string());
        let id = said(&self.sbatch, &arguments).map_err(|words| {
            let help = "--launcher-arg gives sbatch more (--launcher-arg=--partition=NAME); --parts is the array's size";
            not_taken("sbatch", &words, help)
        })?;
        let id = id.lines().last().unwrap_or_default().trim().to_owned();
        self.job = Some(id.clone());
        Ok(format!("job {id} of Slurm"))
    }

    fn is_alive(&mut self) -> Result<bool, String> {
        let Some((id, cluster)) = self.named() else {
            return Ok(false);
        };
        let mut arguments = vec!["--noheader".to_owned(), format!("--jobs={id}")];
        arguments.extend(on(cluster));
        arguments.push("--format=%i %T %r".to_owned());
        match said(&self.squeue, &arguments) {
            Ok(text) if text.is_empty() => Ok(false),
            Ok(text) => match text.lines().find(|line| line.to_lowercase().contains(HELD)) {
                Some(line) => Err(format!(
                    "{line}\nhelp: `scontrol release {id}` lets it go on"
                )),
                None => Ok(true),
            },
            // Those that have ended are forgotten after some minutes.
            Err(words) if words.contains("Invalid job id") => Ok(false),
            Err(words) => Err(words),
        }
    }

    fn cancel(&mut self) {
        if let Some((id, cluster)) = self.named() {
            let arguments: Vec<String> = on(cluster).into_iter().chain([id.to_owned()]).collect();
            // Who cannot reach Slurm has been told.
            let _ = said(&self.scancel, &arguments);
        }
    }

    fn how_to_cancel(&self) -> Option<String> {
        let (id, cluster) = self.named()?;
        Some(match on(cluster) {
            Some(cluster) => format!("scancel {cluster} {id}"),
            None => format!("scancel {id}"),
        })
    }

    fn adopt(&mut self, id: &str) {
        self.job = Some(id.to_owned());
    }

    fn id(&self) -> Option<&str> {
        self.job.as_deref()
    }
}
