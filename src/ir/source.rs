//! A source text and its lines.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use super::diagnostic::{Diagnostic, Diagnostics};
use super::span::Span;

/// The longest text that is parsed, in bytes.
pub const MAX_SIZE: usize = 4 << 20;

/// The longest JSON that is read, in bytes. It is much longer than the text for the same tree.
pub const MAX_JSON_SIZE: usize = 64 << 20;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A source text with its name.
#[derive(Clone, Debug)]
pub struct Source {
    /// What the text is called in diagnostics: mostly a path.
    pub name: String,
    /// The text.
    pub text: String,
    /// Where each line starts.
    lines: Vec<usize>,
    /// Of what lines of the user's own files a front end made its lines, as far as that is known.
    origins: BTreeMap<usize, UserLine>,
}

/// A line of a file of the user's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UserLine {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

impl Source {
    /// A text that is already in memory. A byte order mark before it is no part of it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with(BYTE_ORDER_MARK) {
            text.drain(..BYTE_ORDER_MARK.len_utf8());
        }
        let starts = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(starts).collect();
        Source {
            name: name.into(),
            text,
            lines,
            origins: BTreeMap::new(),
        }
    }

    /// The text, made by a front end of these lines of the user's files: by its own lines, from 1.
    pub fn made_of(self, origins: BTreeMap<usize, UserLine>) -> Source {
        Source { origins, ..self }
    }

    /// The line of the user's that the line of a byte offset was made of.
    pub fn origin(&self, offset: usize) -> Option<&UserLine> {
        self.origins.get(&self.line(offset))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read, is a directory, is larger than [`MAX_JSON_SIZE`] or is not UTF-8.
    pub fn read(path: &Path) -> Result<Source, Diagnostics> {
        let name = path.display().to_string();
        let fail = |diagnostic: Diagnostic| {
            Diagnostics::new(Arc::new(Source::new(name.clone(), "")), diagnostic.into())
        };
        if path.is_dir() {
            let message = format!("`{name}` is a directory, not a file");
            return Err(fail(Diagnostic::error(message)));
        }
        let bytes = read_up_to(path, MAX_JSON_SIZE + 1)
            .map_err(|error| fail(Diagnostic::error(format!("cannot read `{name}`: {error}"))))?;
        check_size(&name, bytes.len(), MAX_JSON_SIZE).map_err(fail)?;
        String::from_utf8(bytes)
            .map(|text| Source::new(name.clone(), text))
            .map_err(|error| not_utf8(&name, &error))
    }

    /// The line (from 1) of a byte offset.
    pub fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|&start| start <= offset)
    }

    /// The line (from 1) and column (from 1, in characters) of a byte offset.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let line = self.line(offset);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or("");
        (line, before.chars().count() + 1)
    }

    /// The byte range of the lines from the one of `span.start` to the one of `span.end`, and the number
    /// (from 1) of the first.
    pub(crate) fn line_range(&self, span: Span) -> (std::ops::Range<usize>, usize) {
        let (first, last) = (span.start as usize, span.end as usize);
        let line = self.lines.partition_point(|&start| start <= first);
        let after = self.lines.partition_point(|&start| start <= last);
        let start = self.lines.get(line - 1).copied().unwrap_or(0);
        let end = self.lines.get(after).copied().unwrap_or(self.text.len());
        (start..end, line)
    }

    /// The text at a place; empty if the place is not in the text.
    pub fn at(&self, span: Span) -> &str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }
}

/// An error if a text of this many bytes is too large.
pub(crate) fn check_size(name: &str, size: usize, limit: usize) -> Result<(), Diagnostic> {
    if size <= limit {
        return Ok(());
    }
    let limit = limit >> 20;
    Err(Diagnostic::error(format!(
        "`{name}` is larger than {limit} MiB"
    )))
}

fn read_up_to(path: &Path, limit: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(limit as u64)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Diagnostics {
    let at = error.utf8_error().valid_up_to();
    let mark = error.as_bytes().starts_with("\u{feff}".as_bytes());
    let byte = error.as_bytes().get(at).copied().unwrap_or_default();
    let source = Source::new(name, String::from_utf8_lossy(error.as_bytes()));
    // The text before the bad byte is unchanged but for the byte order mark, and the replacement character is
    // three bytes long.
    let at = if mark {
        at - BYTE_ORDER_MARK.len_utf8()
    } else {
        at
    };
    let diagnostic = Diagnostic::error("the file is not valid UTF-8")
        .at(Span::new(at, at + 3), format!("the byte 0x{byte:02X}"))
        .help("save the file as UTF-8");
    Diagnostics::new(Arc::new(source), diagnostic.into())
}
