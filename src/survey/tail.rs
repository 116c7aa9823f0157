//! The lines of a file that another process writes, perhaps on another machine, as they come.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::line::{SCHEMA, SurveyLine};

/// How far a file is read.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    /// Which file of that name it was: whoever begins anew puts another one in its place.
    inode: u64,
    /// How many bytes of it are read, up to the end of a line.
    read: u64,
}

impl Tail {
    /// Of a file that need not be there yet.
    pub fn new(path: PathBuf) -> Self {
        Tail {
            path,
            inode: 0,
            read: 0,
        }
    }

    /// The whole lines that have come since the last time; all of them where another file has taken its place. What is no line
    /// of a survey, as a machine leaves it on which the power goes, is left out.
    pub fn lines(&mut self) -> Vec<SurveyLine> {
        // It is opened each time: that is when a file that machines share is looked at anew.
        let text = self.more().unwrap_or_default();
        let lines = text
            .split(|&byte| byte == b'\n')
            .filter_map(|line| serde_json::from_slice::<SurveyLine>(line).ok());
        lines.filter(|line| line.schema == SCHEMA).collect()
    }

    /// What has come since, up to the end of a line.
    fn more(&mut self) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        let found = file.metadata()?;
        if found.ino() != self.inode || found.len() < self.read {
            (self.inode, self.read) = (found.ino(), 0);
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let whole = text.iter().rposition(|&byte| byte == b'\n');
        text.truncate(whole.map_or(0, |at| at + 1));
        self.read += text.len() as u64;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(class: &str) -> String {
        let line = SurveyLine::made_up("door.tq", class);
        serde_json::to_string(&line).expect("JSON")
    }

    fn classes(tail: &mut Tail) -> Vec<String> {
        let lines = tail.lines().into_iter();
        lines.filter_map(|line| line.of.class).collect()
    }

    #[test]
    fn lines_come_once_and_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("part.jsonl");
        let put = |text: &str| std::fs::write(&path, text).expect("written");
        let mut tail = Tail::new(path.clone());
        assert_eq!(classes(&mut tail), [""; 0]);
        let (a, b) = (line("A"), line("B"));
        put(&format!("{a}\n{}", &b[..20]));
        assert_eq!(classes(&mut tail), ["A"]);
        assert_eq!(classes(&mut tail), [""; 0]);
        put(&format!("{a}\n{b}\nnonsense\n\0\0\0\n{}\n", line("C")));
        assert_eq!(classes(&mut tail), ["B", "C"]);
    }

    #[test]
    fn a_file_that_takes_its_place_is_read_from_its_beginning() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, other) = (folder.path().join("part"), folder.path().join("other"));
        let mut tail = Tail::new(path.clone());
        std::fs::write(&path, format!("{}\n", line("A"))).expect("written");
        assert_eq!(classes(&mut tail), ["A"]);
        let text = format!("{}\n{}\n{}\n", line("B"), line("A"), line("C"));
        std::fs::write(&other, text).expect("written");
        std::fs::rename(&other, &path).expect("renamed");
        assert_eq!(classes(&mut tail), ["B", "A", "C"]);
    }
}
