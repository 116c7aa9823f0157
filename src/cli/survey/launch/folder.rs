//! The folder of a job: what is run, what it said, and the lines of its parts. All machines see it under the same path.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::survey::{ClassKey, Earlier};

use super::super::super::input::quoted;
use super::super::super::{Failure, output};
use super::super::worker::again;

/// What the answers of a part depend on, beside its arguments.
const ENVIRONMENT: [&str; 9] = [
    "PATH",
    "HOME",
    "JAVA_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "TRANQUERA_BOOGIE",
    "TRANQUERA_CORRAL",
    "TRANQUERA_CACHE",
    "TRANQUERA_SOLC",
];

/// The folder, and how many parts the survey has.
pub(in super::super) struct JobFolder {
    folder: PathBuf,
    parts: usize,
}

impl JobFolder {
    /// Makes the folder, as far as it is not there.
    ///
    /// # Errors
    /// It cannot be written.
    pub(in super::super) fn new(folder: &Path, parts: usize) -> Result<Self, Failure> {
        let make = || -> io::Result<PathBuf> {
            let folder = std::path::absolute(folder)?;
            for inside in ["classes", "parts", "messages"] {
                fs::create_dir_all(folder.join(inside))?;
            }
            // What is in there is nobody's source.
            fs::write(folder.join(".gitignore"), "*\n")?;
            Ok(folder)
        };
        let folder = make().map_err(|error| cannot(folder, &error))?;
        Ok(JobFolder { folder, parts })
    }

    /// Writes what a part runs, which is this command again with the number of the part, and the classes of each part.
    ///
    /// # Errors
    /// It cannot be written, or a word of the command is no text.
    pub(in super::super) fn write(&self, classes: &[Vec<ClassKey>]) -> Result<(), Failure> {
        for (part, classes) in (1..).zip(classes) {
            let lines = classes
                .iter()
                .map(|class| serde_json::json!(class).to_string() + "\n");
            output::write(
                Some(&self.file("classes", part)),
                &lines.collect::<String>(),
            )?;
        }
        let path = self.script();
        output::write(Some(&path), &self.text()?)?;
        let executable = fs::set_permissions(&path, fs::Permissions::from_mode(0o755));
        executable.map_err(|error| cannot(&path, &error))
    }

    /// The classes of a part.
    ///
    /// # Errors
    /// They cannot be read: no launcher has written them.
    pub(in super::super) fn classes(&self, part: usize) -> Result<HashSet<ClassKey>, Failure> {
        let path = self.file("classes", part);
        let wrong = |error: &dyn std::fmt::Display| {
            let shown = path.display();
            Failure::BadInput(format!(
                "error: --task is for --launcher itself: {shown}: {error}"
            ))
        };
        let text = fs::read_to_string(&path).map_err(|error| wrong(&error))?;
        let classes = text.lines().map(serde_json::from_str);
        classes
            .collect::<Result<_, _>>()
            .map_err(|error| wrong(&error))
    }

    fn text(&self) -> Result<String, Failure> {
        let of = self.parts;
        let here = |error: io::Error| Failure::BadInput(format!("error: {error}"));
        let folder = word(std::env::current_dir().map_err(here)?.into())?;
        let program = word(std::env::current_exe().map_err(here)?.into())?;
        let mut exports = String::new();
        for name in ENVIRONMENT {
            if let Some(value) = std::env::var_os(name) {
                exports.push_str(&format!("export {name}={}\n", word(value)?));
            }
        }
        let task = format!("--task=PART/{of}");
        // Which part, the shell knows.
        let words = again(&task)
            .into_iter()
            .map(|argument| match argument == *task {
                true => Ok(format!("--task=\"$part\"/{of}")),
                false => word(argument),
            });
        let words = words.collect::<Result<Vec<String>, Failure>>()?.join(" ");
        Ok(format!(
            "#!/bin/sh\n# One of {of} parts of a survey: `job.sh 1` examines the first one.\n\
             part=${{1:-${{SLURM_ARRAY_TASK_ID:-$HQ_TASK_ID}}}}\n{exports}cd {folder} || exit 3\nexec {program} {words}\n"
        ))
    }

    /// What a part runs.
    pub(super) fn script(&self) -> PathBuf {
        self.folder.join("job.sh")
    }

    /// Where schedulers put what parts say beside their lines.
    pub(super) fn messages(&self) -> PathBuf {
        self.folder.join("messages")
    }

    /// Where the lines of this part are.
    pub(in super::super) fn lines(&self, part: usize) -> PathBuf {
        self.file("parts", part)
    }

    fn file(&self, inside: &str, part: usize) -> PathBuf {
        let name = format!("{part}-of-{}.jsonl", self.parts);
        self.folder.join(inside).join(name)
    }

    /// Adds the lines of a part that an earlier run has left here. What cannot be read is asked again.
    pub(in super::super) fn keep(&self, part: usize, earlier: &mut Earlier) {
        let _ = earlier.add(&self.lines(part));
    }

    /// How many parts there are.
    pub(super) fn parts(&self) -> usize {
        self.parts
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// Notes which job is under way, or that none is. Where that cannot be noted, only a later run misses it.
    pub(super) fn note(&self, id: Option<&str>) {
        let file = self.folder.join("submitted");
        let _ = match id {
            Some(id) => fs::write(file, id),
            None => fs::remove_file(file),
        };
    }

    /// The job that was under way when an earlier run ended.
    pub(super) fn noted(&self) -> Option<String> {
        let id = fs::read_to_string(self.folder.join("submitted")).ok()?;
        Some(id.trim().to_owned()).filter(|id| !id.is_empty())
    }

    /// The end of what was said last in there.
    pub(super) fn last_words(&self) -> Option<String> {
        let files = fs::read_dir(self.messages()).ok()?;
        let files = files.filter_map(|file| {
            let path = file.ok()?.path();
            let found = path.metadata().ok().filter(|found| found.len() > 0)?;
            Some((found.modified().ok()?, path))
        });
        let (_, path) = files.max()?;
        let text = String::from_utf8_lossy(&fs::read(&path).ok()?).into_owned();
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let end = lines
            .get(lines.len().saturating_sub(3)..)
            .unwrap_or_default();
        Some(format!("{}: {}", path.display(), end.join("; ")))
    }
}

/// A word for the shell.
fn word(text: OsString) -> Result<String, Failure> {
    let not_text = |text: OsString| {
        let shown = text.to_string_lossy().into_owned();
        Failure::BadInput(format!(
            "error: `{shown}` is not UTF-8, and a job needs that"
        ))
    };
    text.into_string()
        .map(|text| quoted(&text))
        .map_err(not_text)
}

fn cannot(path: &Path, error: &io::Error) -> Failure {
    Failure::BadInput(format!("error: cannot write {}: {error}", path.display()))
}
