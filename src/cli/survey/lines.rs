//! Where the lines of a survey go as its classes end: to standard output or a file, whole; and at the end into a page.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::survey::{Earlier, LineFiles, NotLines, SurveyLine};
use crate::view::survey::{self as view, NoPage, SurveyPage};

use super::super::output::WholeFile;
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

/// The lines of earlier runs.
pub(super) fn earlier(files: &[PathBuf]) -> Result<Earlier, Failure> {
    Earlier::of(files).map_err(|error| wrong(&error))
}

/// The lines as they are written. None of them is held.
pub(super) struct Lines<'a> {
    to: &'a OutputArguments,
    /// Where those go that are known before anything is asked, if it is a file: it is made of them as a whole, so that one that
    /// is read and written in the same run is never without them.
    known: Option<WholeFile>,
    file: Option<File>,
    page: Option<Page>,
    /// Whether a person looks on as lines are printed.
    watched: bool,
}

/// A page that is wanted, and the lines that it will show, in a file of its own: those that are printed cannot be read again.
#[derive(Default)]
struct Page {
    lines: LineFiles,
    index: SurveyPage,
}

impl<'a> Lines<'a> {
    /// Begins with the lines that are known before anything is asked.
    pub(super) fn start(to: &'a OutputArguments) -> Result<Self, Failure> {
        Ok(Lines {
            to,
            known: to.output.as_deref().map(whole).transpose()?,
            file: None,
            page: to.page.is_some().then(Page::default),
            watched: to.output.is_none() && io::stdout().is_terminal(),
        })
    }

    /// From now on each line is written as it comes. Where a file cannot be written, this is said before anything is asked.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        if let Some(Page { lines, index }) = &self.page {
            page(self.to, |file| index.sketch(lines, file))?;
        }
        let (Some(path), Some(known)) = (&self.to.output, self.known.take()) else {
            return Ok(());
        };
        progress::clear();
        let file = known.commit();
        let file = file.and_then(|()| OpenOptions::new().append(true).open(path));
        self.file = Some(file.map_err(|error| output::cannot_write(path, &error))?);
        Ok(())
    }

    /// Writes a line. Whether anybody reads on.
    pub(super) fn add(&mut self, line: &SurveyLine) -> Result<bool, Failure> {
        let text = text(line)?;
        let mut read = true;
        match (&mut self.known, &mut self.file, &self.to.output) {
            (Some(known), _, Some(path)) => put(known, &text, path)?,
            // In one go, so that a line is whole or not there.
            (None, Some(file), Some(path)) => put(file, &text, path)?,
            _ if self.watched => output::write(None, &view::brief(line))?,
            _ => read = print(&text)?,
        }
        if let Some(page) = &mut self.page {
            let at = page.lines.keep(&text).map_err(|error| wrong(&error))?;
            page.index.add(line, at);
        }
        Ok(read)
    }

    /// Writes the page.
    pub(super) fn end(self) -> Result<(), Failure> {
        match self.page {
            Some(Page { lines, mut index }) => page(self.to, |file| index.write(&lines, file)),
            None => Ok(()),
        }
    }
}

/// Writes the page, if one is wanted.
pub(super) fn page(
    to: &OutputArguments,
    write: impl FnOnce(&mut WholeFile) -> Result<(), NoPage>,
) -> Result<(), Failure> {
    let Some(path) = &to.page else { return Ok(()) };
    progress::clear();
    let mut file = whole(path)?;
    let written = write(&mut file);
    let written = written.and_then(|()| Ok(file.commit()?));
    written.map_err(|error| match error {
        NoPage::Lines(gone) => wrong(&gone),
        NoPage::Unwritten(error) => output::cannot_write(path, &error),
    })
}

/// A file that will take the place of what is there.
pub(super) fn whole(path: &Path) -> Result<WholeFile, Failure> {
    WholeFile::new(path).map_err(|error| output::cannot_write(path, &error))
}

/// Writes a text to a file.
pub(super) fn put(file: &mut impl Write, text: &str, path: &Path) -> Result<(), Failure> {
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| output::cannot_write(path, &error))
}

/// That lines cannot be read.
pub(super) fn wrong(error: &NotLines) -> Failure {
    Failure::BadInput(format!("error: {error}"))
}

/// A line of JSON.
pub(super) fn text(line: &SurveyLine) -> Result<String, Failure> {
    let json = serde_json::to_string(line);
    let json = json.map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    Ok(json + "\n")
}

/// To standard output, at once. Whether anybody reads on: a reader that has seen enough (`head`) is no failure.
pub(super) fn print(text: &str) -> Result<bool, Failure> {
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
