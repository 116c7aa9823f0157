//! `tranquera cache`, and where the answers are kept.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::engine::cache::Store;
use crate::words::counted;

use super::{Failure, output};

/// Names another folder; `off` for none.
pub(super) const VARIABLE: &str = "TRANQUERA_CACHE";

#[derive(Debug, clap::Args)]
pub(super) struct CacheArguments {
    #[command(subcommand)]
    command: CacheCommand,
}

#[derive(Debug, clap::Subcommand)]
enum CacheCommand {
    /// Print where the answers are kept, and how many there are
    Show,
    /// Forget all answers
    Clear,
}

/// The store for this user; none where it is switched off, or where there is no place for it.
pub(super) fn store() -> Option<Store> {
    let folder = match std::env::var_os(VARIABLE) {
        Some(value) if value.is_empty() || value == OsStr::new("off") => return None,
        Some(folder) => PathBuf::from(folder),
        None => dirs::cache_dir()?.join("tranquera"),
    };
    Some(Store::new(folder))
}

/// How it stands with what is kept.
#[derive(Debug, Serialize)]
pub(super) struct Health {
    /// Where it is; none where nothing is kept.
    folder: Option<PathBuf>,
    /// Whether more can be kept.
    writable: bool,
    /// How many answers there are.
    answers: u64,
    /// How long they are together, in bytes.
    bytes: u64,
}

/// Looks how it stands with what is kept. Nothing is left in the folder, nor is one made.
pub(super) fn health() -> Health {
    let folder = store().map(|store| store.folder().to_owned());
    let size = store().and_then(|store| store.size().ok());
    let size = size.unwrap_or_default();
    Health {
        writable: folder.as_deref().is_some_and(is_writable),
        folder,
        answers: size.verdicts,
        bytes: size.bytes,
    }
}

/// Whether files can be made in a folder, or the folder itself can.
fn is_writable(folder: &Path) -> bool {
    match folder.ancestors().find(|folder| folder.exists()) {
        Some(there) => tempfile::tempfile_in(there).is_ok(),
        None => false,
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(folder) = &self.folder else {
            return write!(f, "not kept");
        };
        let writable = if self.writable {
            ""
        } else {
            ", and the folder cannot be written to: no more are kept"
        };
        write!(
            f,
            "{} in {}, {} KiB{writable}",
            self.answers,
            folder.display(),
            self.bytes.div_ceil(1024)
        )
    }
}

pub(super) fn run(arguments: &CacheArguments) -> Result<(), Failure> {
    let Some(store) = store() else {
        return Err(Failure::BadInput(format!(
            "error: no answers are kept\nhelp: {VARIABLE} names the folder; it is `off` or empty, or there is no folder \
             for what programs keep"
        )));
    };
    let fail = |error: std::io::Error| {
        Failure::BadInput(format!("error: {}: {error}", store.folder().display()))
    };
    let size = store.size().map_err(fail)?;
    let answers = counted(size.verdicts, "answer");
    let text = match arguments.command {
        CacheCommand::Show => format!(
            "{}\n{answers}, {} KiB\n",
            store.folder().display(),
            size.bytes.div_ceil(1024)
        ),
        CacheCommand::Clear => {
            store.clear().map_err(fail)?;
            format!("{answers} forgotten\n")
        }
    };
    output::write(None, &text)
}
