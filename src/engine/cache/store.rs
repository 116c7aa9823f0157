//! Verdicts in files: one file a verdict, named by its key.
//!
//! A file is written beside its place and moved there, so that it is whole or not there at all, whatever happens to the
//! process and whoever else writes. Its first line has a checksum of the rest: what does not fit is dropped. A folder
//! that cannot be written to costs time, nothing else.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::query::{Trace, Verdict};

/// What files of this form begin with.
const MAGIC: &str = "tranquera-verdict-1";

/// What the names of files begin with that are still being written, or never were to the end.
const NEW: &str = ".new";

/// What an answer depends on, as a number of 256 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerKey(blake3::Hash);

impl AnswerKey {
    /// The key of these parts, in this order; parts that are cut otherwise have another key.
    pub fn of(parts: &[&str]) -> AnswerKey {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        AnswerKey(hasher.finalize())
    }
}

/// A folder of verdicts.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// How much a store holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// The number of verdicts.
    pub verdicts: u64,
    /// Their length, in bytes.
    pub bytes: u64,
}

impl Store {
    /// The store in this folder, which is made when something is put in.
    pub fn new(folder: PathBuf) -> Store {
        Store { folder }
    }

    /// Where it is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The verdict with this key. A file that is not what was written is dropped.
    pub fn get(&self, key: &AnswerKey) -> Option<Verdict> {
        let file = self.file(key);
        let text = fs::read(&file).ok()?;
        let verdict = read(&text);
        if verdict.is_none() {
            // Somebody else may have dropped it first.
            let _ = fs::remove_file(&file);
        }
        verdict
    }

    /// Keeps a verdict. Where that fails it is asked again next time.
    pub fn put(&self, key: &AnswerKey, verdict: &Verdict) {
        let _ = self.try_put(key, verdict);
    }

    fn try_put(&self, key: &AnswerKey, verdict: &Verdict) -> io::Result<()> {
        let file = self.file(key);
        let folder = file.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let mut new = tempfile::Builder::new().prefix(NEW).tempfile_in(folder)?;
        new.write_all(written(verdict)?.as_bytes())?;
        new.persist(&file).map_err(|error| error.error)?;
        Ok(())
    }

    fn file(&self, key: &AnswerKey) -> PathBuf {
        let name = key.0.to_hex();
        let (first, rest) = name.split_at(2);
        self.folder.join(first).join(rest)
    }

    /// How much there is.
    ///
    /// # Errors
    /// The folder cannot be read; one that is not there is empty.
    pub fn size(&self) -> io::Result<StoreSize> {
        let mut size = StoreSize::default();
        for file in self.files()?.iter().filter(|file| !is_new(file)) {
            // It may be gone by now.
            if let Ok(data) = fs::metadata(file) {
                size.verdicts += 1;
                size.bytes += data.len();
            }
        }
        Ok(size)
    }

    /// Removes every verdict, and what killed processes left half written. Nothing else in the folder is touched.
    ///
    /// # Errors
    /// The folder cannot be read, or a file cannot be removed.
    pub fn clear(&self) -> io::Result<()> {
        for file in self.files()? {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// The files in the folders that this store makes.
    fn files(&self) -> io::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for first in entries(&self.folder)? {
            let name = first.file_name().unwrap_or_default().to_string_lossy();
            let ours = name.len() == 2 && name.bytes().all(|b| b.is_ascii_hexdigit());
            if ours && first.is_dir() {
                files.extend(entries(&first)?);
            }
        }
        Ok(files)
    }
}

/// Whether a file is none of the verdicts yet.
fn is_new(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(NEW.as_bytes())
}

/// What is in a folder; nothing where there is none.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(vec![]),
        Err(error) => Err(error),
    }
}

/// The text of a file. The steps of a trace, and what the engine printed, are left out: they count the lines of a whole
/// text, and the key does not depend on all of it.
fn written(verdict: &Verdict) -> io::Result<String> {
    let values = |trace: &Trace| Trace {
        values: trace.values.clone(),
        ..Trace::default()
    };
    let kept = match verdict {
        Verdict::Reached(trace) => Verdict::Reached(values(trace)),
        Verdict::Presumed(trace) => Verdict::Presumed(values(trace)),
        other => other.clone(),
    };
    let body = serde_json::to_string(&kept)?;
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    let _ = write!(text, "{MAGIC} {}\n{body}\n", blake3::hash(body.as_bytes()));
    Ok(text)
}

fn read(text: &[u8]) -> Option<Verdict> {
    let text = std::str::from_utf8(text).ok()?;
    let (head, body) = text.split_once('\n')?;
    let body = body.strip_suffix('\n')?;
    let checksum = head.strip_prefix(MAGIC)?.strip_prefix(' ')?;
    if blake3::hash(body.as_bytes()).to_hex().as_str() != checksum {
        return None;
    }
    serde_json::from_str(body).ok()
}
