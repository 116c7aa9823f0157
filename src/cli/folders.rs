//! The files of folders that a command takes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of a folder and its folders that are wanted, by their names; but of none that is hidden, and of none through a
/// link.
pub(super) fn files_in(folder: &Path, wanted: fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    add_folder(folder, wanted, &mut files)?;
    Ok(files)
}

fn add_folder(
    folder: &Path,
    wanted: fn(&Path) -> bool,
    files: &mut Vec<PathBuf>,
) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if entry.file_type()?.is_dir() {
            if !hidden {
                add_folder(&path, wanted, files)?;
            }
        } else if !hidden && wanted(&path) && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
