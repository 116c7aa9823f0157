//! Places in the user's own files.

use std::fmt;
use std::sync::Arc;

use crate::ir::UserLine;

/// A file of a project, by its number in [`Files`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// A range of bytes of a file, end excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileRange {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

/// A source file.
#[derive(Clone, Debug)]
pub struct SolidityFile {
    /// What it is called in messages: the path that the user wrote, or the name that the compiler knows it by.
    pub name: String,
    /// Its text, where it could be had. Trees that other tools have written come without it.
    pub text: Option<Arc<str>>,
    /// Where each line starts.
    lines: Vec<u32>,
}

/// The files that places point into.
#[derive(Clone, Debug, Default)]
pub struct Files(Vec<SolidityFile>);

impl SolidityFile {
    fn new(name: String, text: Option<Arc<str>>) -> SolidityFile {
        let mut lines = vec![0];
        let ends = text.as_deref().unwrap_or_default().match_indices('\n');
        lines.extend(ends.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)));
        SolidityFile { name, text, lines }
    }

    /// The line (from 1) and column (from 1, in characters) of a byte offset; none without the text, or behind it.
    pub fn line_column(&self, offset: u32) -> Option<(usize, usize)> {
        let text = self.text.as_deref()?;
        let line = self.lines.partition_point(|&start| start <= offset);
        let start = *self.lines.get(line.checked_sub(1)?)?;
        let before = text.get(start as usize..offset as usize)?;
        Some((line, before.chars().count() + 1))
    }
}

impl Files {
    /// The line in which a place begins, where its file is there. What a compiler added has no place.
    pub fn line(&self, place: FileRange) -> Option<UserLine> {
        let file = self.get(place.file).filter(|_| place.start < place.end)?;
        let (line, _) = file.line_column(place.start)?;
        Some(UserLine {
            file: file.name.as_str().into(),
            line: u32::try_from(line).ok()?,
        })
    }

    /// Adds a file.
    pub fn add(&mut self, name: impl Into<String>, text: Option<Arc<str>>) -> FileId {
        let id = FileId(u32::try_from(self.0.len()).unwrap_or(u32::MAX));
        self.0.push(SolidityFile::new(name.into(), text));
        id
    }

    /// A file.
    pub fn get(&self, id: FileId) -> Option<&SolidityFile> {
        self.0.get(id.0 as usize)
    }

    /// All files.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SolidityFile)> {
        (0..).map(FileId).zip(&self.0)
    }

    /// The file of that name.
    pub fn named(&self, name: &str) -> Option<FileId> {
        self.iter()
            .find_map(|(id, file)| (file.name == name).then_some(id))
    }

    /// `contracts/Vault.sol:12:5`, or with the byte offset where the text is not known.
    pub fn show(&self, place: FileRange) -> impl fmt::Display + '_ {
        Shown { files: self, place }
    }
}

struct Shown<'a> {
    files: &'a Files,
    place: FileRange,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(file) = self.files.get(self.place.file) else {
            return f.write_str("?");
        };
        match file.line_column(self.place.start) {
            Some((line, column)) => write!(f, "{}:{line}:{column}", file.name),
            None => write!(f, "{}, byte {}", file.name, self.place.start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_line_and_a_column() {
        let mut files = Files::default();
        let file = files.add("a.sol", Some("contract\n  é C {}\n".into()));
        let bare = files.add("b.sol", None);
        let shown = |file, start| {
            let place = FileRange {
                file,
                start,
                end: start,
            };
            files.show(place).to_string()
        };
        assert_eq!(shown(file, 0), "a.sol:1:1");
        assert_eq!(shown(file, 9), "a.sol:2:1");
        assert_eq!(shown(file, 14), "a.sol:2:5");
        // Inside of a character, and behind the end.
        assert_eq!(shown(file, 12), "a.sol, byte 12");
        assert_eq!(shown(file, 99), "a.sol, byte 99");
        assert_eq!(shown(bare, 3), "b.sol, byte 3");
        assert_eq!(files.named("b.sol"), Some(bare));
    }
}
