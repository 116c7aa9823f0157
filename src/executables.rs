//! Executables in the file system.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The first executable of that name in the folders of a `PATH`.
pub(crate) fn on_path(path: Option<&OsStr>, name: &Path) -> Option<PathBuf> {
    std::env::split_paths(path?)
        .filter(|folder| folder.is_absolute())
        .find_map(|folder| executable(&folder.join(name)))
}

/// The absolute path of a file, if it may be executed. What we start runs in a folder of its own, where a relative
/// path would mean something else.
pub(crate) fn executable(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let metadata = path.metadata().ok()?;
    let executable = metadata.is_file() && metadata.permissions().mode() & 0o111 != 0;
    executable.then_some(path)
}
