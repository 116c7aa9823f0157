//! Lines where they lie in files. Of a line is held where it is, and it is read again when it is wanted: lines are twelve
//! kilobytes each in memory, and there may be a million.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::line::{SCHEMA, SurveyLine};

/// Why a file is none of a survey.
#[derive(Debug, thiserror::Error)]
pub enum NotLines {
    /// It cannot be read.
    #[error("cannot read {0}: {1}")]
    Unreadable(String, io::Error),
    /// A line of it is none of a survey.
    #[error("{0}:{1}: this is no line of a survey ({SCHEMA}): {2}")]
    Line(String, usize, String),
    /// A line is not any more where it was.
    #[error("{0} changed while it was read")]
    Changed(String),
    /// Lines cannot be laid down.
    #[error("no lines can be kept beside memory: {0}")]
    Unkept(io::Error),
}

/// Where a line is.
#[derive(Clone, Copy, Debug)]
pub struct LineAt {
    file: usize,
    start: u64,
    bytes: usize,
}

/// A file with lines.
#[derive(Debug)]
enum Source {
    /// One of the user's. It is opened when it is read: there may be more of them than a process may have open.
    Named(PathBuf),
    /// One of our own, that nobody else sees.
    Own(File),
}

/// Files with lines of surveys.
#[derive(Debug, Default)]
pub struct LineFiles {
    files: Vec<Source>,
    /// The named file that was read last.
    open: Mutex<Option<(usize, File)>>,
    /// Which file is our own, and where the next line goes.
    own: Option<(usize, u64)>,
}

impl LineFiles {
    /// Reads a file through, and tells each line and where it is. A last line that is cut off, as a machine leaves it on which
    /// the power goes, is none.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is none; those before it were told.
    pub fn scan(
        &mut self,
        path: &Path,
        mut told: impl FnMut(SurveyLine, LineAt),
    ) -> Result<(), NotLines> {
        let name = path.display().to_string();
        let unreadable = |error| NotLines::Unreadable(name.clone(), error);
        let mut from = BufReader::new(File::open(path).map_err(unreadable)?);
        let file = self.files.len();
        self.files.push(Source::Named(path.to_owned()));
        let (mut start, mut text) = (0, Vec::new());
        for number in 1.. {
            text.clear();
            let bytes = from.read_until(b'\n', &mut text).map_err(unreadable)?;
            if bytes == 0 {
                break;
            }
            let at = LineAt { file, start, bytes };
            start += bytes as u64;
            let whole = text.ends_with(b"\n");
            let line = String::from_utf8_lossy(&text);
            if line.trim().is_empty() {
                continue;
            }
            match serde_json::from_str::<SurveyLine>(&line) {
                Ok(line) if line.schema == SCHEMA => told(line, at),
                Ok(line) => {
                    let other = format!("it is {}", line.schema);
                    return Err(NotLines::Line(name, number, other));
                }
                Err(_) if !whole && begins(&line) => {}
                Err(error) => return Err(NotLines::Line(name, number, error.to_string())),
            }
        }
        Ok(())
    }

    /// Lays a line down in a file of our own.
    ///
    /// # Errors
    /// There is no place for it.
    pub fn keep(&mut self, text: &str) -> Result<LineAt, NotLines> {
        let (file, start) = match self.own {
            Some(own) => own,
            None => {
                let own = tempfile::tempfile().map_err(NotLines::Unkept)?;
                self.files.push(Source::Own(own));
                (self.files.len() - 1, 0)
            }
        };
        if let Some(Source::Own(own)) = self.files.get_mut(file) {
            let written = own.seek(SeekFrom::Start(start));
            let written = written.and_then(|_| own.write_all(text.as_bytes()));
            written.map_err(NotLines::Unkept)?;
        }
        let bytes = text.len();
        self.own = Some((file, start + bytes as u64));
        Ok(LineAt { file, start, bytes })
    }

    /// The line that is there.
    ///
    /// # Errors
    /// It cannot be read, or is not there any more.
    pub fn read(&self, at: LineAt) -> Result<SurveyLine, NotLines> {
        let name = || match self.files.get(at.file) {
            Some(Source::Named(path)) => path.display().to_string(),
            Some(Source::Own(_)) | None => "a temporary file".to_owned(),
        };
        let text = self.bytes(at);
        let text = text.map_err(|error| NotLines::Unreadable(name(), error))?;
        let line = serde_json::from_str(&String::from_utf8_lossy(&text));
        line.map_err(|_| NotLines::Changed(name()))
    }

    fn bytes(&self, at: LineAt) -> io::Result<Vec<u8>> {
        let mut text = vec![0; at.bytes];
        let mut fill = |mut file: &File| {
            file.seek(SeekFrom::Start(at.start))?;
            file.read_exact(&mut text)
        };
        match self.files.get(at.file) {
            Some(Source::Own(file)) => fill(file)?,
            Some(Source::Named(path)) => {
                let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                match &*open {
                    Some((which, file)) if *which == at.file => fill(file)?,
                    _ => {
                        let file = File::open(path)?;
                        fill(&file)?;
                        *open = Some((at.file, file));
                    }
                }
            }
            None => return Err(io::ErrorKind::NotFound.into()),
        }
        Ok(text)
    }
}

/// Whether a text may be the beginning of a line of a survey.
fn begins(text: &str) -> bool {
    let begin = format!("{{\"schema\":\"{SCHEMA}\"");
    text.starts_with(&begin) || begin.starts_with(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(class: &str) -> String {
        let line = SurveyLine::made_up("dóor.tq", class);
        serde_json::to_string(&line).expect("JSON") + "\n"
    }

    fn class(line: Result<SurveyLine, NotLines>) -> Option<String> {
        line.expect("a line").of.class
    }

    #[test]
    fn lines_are_read_where_they_lie() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = ["one", "two"].map(|name| folder.path().join(name));
        let cut = text("Cut");
        let texts = [
            format!("{}\r\n \n{}", text("A").trim_end(), text("B")),
            format!("{}{}", text("C"), &cut[..cut.len() - 20]),
        ];
        let mut files = LineFiles::default();
        let mut at = Vec::new();
        for (path, text) in paths.iter().zip(texts) {
            std::fs::write(path, text).expect("written");
            let told = |line: SurveyLine, place| at.push((line.of.class, place));
            files.scan(path, told).expect("lines");
        }
        for name in ["D", "E"] {
            let place = files.keep(&text(name)).expect("kept");
            at.push((Some(name.to_owned()), place));
        }
        let names: Vec<&str> = at.iter().filter_map(|(name, _)| name.as_deref()).collect();
        assert_eq!(names, ["A", "B", "C", "D", "E"]);
        // In any order, and more than once.
        for (name, place) in at.iter().rev().chain(&at) {
            assert_eq!(class(files.read(*place)), *name);
        }
        // What takes a file's place is not taken for what was there.
        std::fs::write(&paths[1], text("Another, and longer")).expect("written");
        let gone = files.read(at[2].1).expect_err("another file");
        assert!(matches!(gone, NotLines::Changed(_)), "{gone}");
    }
}
