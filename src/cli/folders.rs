//! The files of folders that a command takes.

use std::io;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

/// The files of a folder and its folders that are wanted, by their names; but of none that is hidden, and of no folder through
/// a link.
pub(super) fn files_in(folder: &Path, wanted: fn(&Path) -> bool) -> io::Result<Vec<PathBuf>> {
    let walk = WalkBuilder::new(folder)
        .standard_filters(false)
        .hidden(true)
        .sort_by_file_name(Ord::cmp)
        .build();
    let mut files = Vec::new();
    for entry in walk {
        let path = entry.map_err(io_error)?.into_path();
        if wanted(&path) && path.is_file() {
            files.push(path);
        }
    }
    Ok(files)
}

fn io_error(error: ignore::Error) -> io::Error {
    let message = error.to_string();
    error
        .into_io_error()
        .unwrap_or_else(|| io::Error::other(message))
}
