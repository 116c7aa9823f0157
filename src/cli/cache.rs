//! `tranquera cache`, and where the answers are kept.

use std::ffi::OsStr;
use std::path::PathBuf;

use crate::engine::cache::Store;

use super::{Failure, output};

/// Names another folder; `off` for none.
const VARIABLE: &str = "TRANQUERA_CACHE";

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print where the answers are kept, and how many there are
    Show,
    /// Forget all answers
    Clear,
}

/// The store for this user; none where it is switched off, or where there is no place for it.
pub fn store() -> Option<Store> {
    let folder = match std::env::var_os(VARIABLE) {
        Some(value) if value.is_empty() || value == OsStr::new("off") => return None,
        Some(folder) => PathBuf::from(folder),
        None => dirs::cache_dir()?.join("tranquera"),
    };
    Some(Store::new(folder))
}

pub fn run(arguments: &Arguments) -> Result<(), Failure> {
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
    let noun = if size.verdicts == 1 {
        "answer"
    } else {
        "answers"
    };
    let text = match arguments.command {
        Command::Show => format!(
            "{}\n{} {noun}, {} KiB\n",
            store.folder().display(),
            size.verdicts,
            size.bytes.div_ceil(1024)
        ),
        Command::Clear => {
            store.clear().map_err(fail)?;
            format!("{} {noun} forgotten\n", size.verdicts)
        }
    };
    output::write(None, &text)
}
