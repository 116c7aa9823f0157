//! The program as it was just built, run in the project's folder.
#![allow(dead_code)] // Each group of tests needs a part of it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use tempfile::TempDir;

/// Where it is.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_tranquera");

/// No run takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(900);

/// The project's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program, which knows nothing from earlier runs.
pub fn tranquera(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .current_dir(root())
        .env_remove("NO_COLOR")
        .env("TRANQUERA_CACHE", "off")
        .timeout(PATIENCE)
        .args(arguments);
    command
}

/// What a run wrote to standard output.
pub fn stdout(run: &Assert) -> String {
    String::from_utf8(run.get_output().stdout.clone()).expect("UTF-8")
}

/// What it wrote to standard error.
pub fn stderr(run: &Assert) -> String {
    String::from_utf8(run.get_output().stderr.clone()).expect("UTF-8")
}

/// What is printed with status 0 and nothing on standard error.
pub fn printed(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
    stdout(&tranquera(arguments).assert().success().stderr(""))
}

/// The same, where it is JSON.
pub fn json(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> serde_json::Value {
    serde_json::from_str(&printed(arguments)).expect("JSON")
}

/// The report of a failure with this status and nothing on standard output.
pub fn failed(arguments: impl IntoIterator<Item = impl AsRef<OsStr>>, status: i32) -> String {
    stderr(&tranquera(arguments).assert().code(status).stdout(""))
}

/// A folder with a file in it. Both are gone when the folder is dropped.
pub fn with_file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, content).expect("written");
    (folder, file)
}

/// The names of what is in a folder, sorted.
pub fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    names.sort();
    names
}
