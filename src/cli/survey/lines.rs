//! Where the lines of a survey go as its classes end: to standard output or a file, whole; and at the end into a page.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::survey::{self, SurveyLine};
use crate::view::survey as view;

use super::super::{Failure, output, progress};

#[derive(Debug, clap::Args)]
pub(super) struct OutputArguments {
    /// Write the lines here instead of to standard output, as their classes end
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Write a page with a table, pictures and findings here; it needs nothing beside it
    #[arg(long, value_name = "FILE")]
    pub(super) page: Option<PathBuf>,
}

impl OutputArguments {
    /// Refuses to write over what is read.
    pub(super) fn spare(&self, input: &Path) -> Result<(), Failure> {
        output::spare(&[input], self.output.as_deref())?;
        output::spare(&[input], self.page.as_deref())
    }
}

/// The lines of files.
pub(super) fn read(files: &[PathBuf]) -> Result<Vec<SurveyLine>, Failure> {
    let mut all = Vec::new();
    for file in files {
        let lines =
            survey::read(file).map_err(|error| Failure::BadInput(format!("error: {error}")))?;
        all.extend(lines);
    }
    Ok(all)
}

/// The lines as they are written.
pub(super) struct Lines<'a> {
    to: &'a OutputArguments,
    /// Those that are known before anything is asked, where they go to a file: it is made of them as a whole, so that one that
    /// is read and written in the same run is never without them.
    known: Option<String>,
    file: Option<File>,
    /// All lines, where a page is wanted.
    kept: Vec<SurveyLine>,
    /// Whether a person looks on as lines are printed.
    watched: bool,
}

impl<'a> Lines<'a> {
    /// Begins with the lines that are known before anything is asked.
    pub(super) fn start(to: &'a OutputArguments) -> Self {
        Lines {
            to,
            known: to.output.is_some().then(String::new),
            file: None,
            kept: Vec::new(),
            watched: to.output.is_none() && io::stdout().is_terminal(),
        }
    }

    /// From now on each line is written as it comes. Where a file cannot be written, this is said before anything is asked.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        page(self.to, &self.kept)?;
        let (Some(path), Some(known)) = (&self.to.output, self.known.take()) else {
            return Ok(());
        };
        output::write(Some(path), &known)?;
        let file = OpenOptions::new().append(true).open(path);
        self.file = Some(file.map_err(|error| cannot(path, &error))?);
        Ok(())
    }

    /// Writes a line. Whether anybody reads on.
    pub(super) fn add(&mut self, line: SurveyLine) -> Result<bool, Failure> {
        let text = text(&line)?;
        let mut read = true;
        match (&mut self.known, &mut self.file, &self.to.output) {
            (Some(known), ..) => known.push_str(&text),
            // In one go, so that a line is whole or not there.
            (None, Some(file), Some(path)) => {
                file.write_all(text.as_bytes())
                    .map_err(|error| cannot(path, &error))?;
            }
            _ if self.watched => output::write(None, &view::brief(&line))?,
            _ => read = print(&text)?,
        }
        if self.to.page.is_some() {
            self.kept.push(line);
        }
        Ok(read)
    }

    /// Writes the page.
    pub(super) fn end(self) -> Result<(), Failure> {
        let mut kept = self.kept;
        SurveyLine::sort(&mut kept);
        page(self.to, &kept)
    }
}

/// Writes the page, if one is wanted.
pub(super) fn page(to: &OutputArguments, lines: &[SurveyLine]) -> Result<(), Failure> {
    let Some(path) = &to.page else { return Ok(()) };
    let page = view::page(lines).map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    output::write(Some(path), &page)
}

/// A line of JSON.
pub(super) fn text(line: &SurveyLine) -> Result<String, Failure> {
    let json = serde_json::to_string(line);
    let json = json.map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    Ok(json + "\n")
}

/// To standard output, at once. Whether anybody reads on: a reader that has seen enough (`head`) is no failure.
fn print(text: &str) -> Result<bool, Failure> {
    progress::clear();
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::BadInput(format!(
            "error: cannot write to standard output: {error}"
        ))),
    }
}

fn cannot(path: &Path, error: &io::Error) -> Failure {
    Failure::BadInput(format!("error: cannot write {}: {error}", path.display()))
}
