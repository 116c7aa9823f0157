//! `tranquera completions` and `tranquera man`: what a shell and `man` need to know of the command line.

use std::path::PathBuf;

use clap::CommandFactory;

use super::{Failure, output};

#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    /// The shell: put what is printed where it looks for completions
    shell: clap_complete::Shell,
}

#[derive(Debug, clap::Args)]
pub(super) struct Man {
    /// The folder to write tranquera.1 and a page for each command to; it is made if need be
    #[arg(default_value = "man")]
    folder: PathBuf,
}

pub(super) fn completions(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    let mut command = super::CommandLine::command();
    clap_complete::generate(arguments.shell, &mut command, "tranquera", &mut script);
    output::write(None, &String::from_utf8_lossy(&script))
}

pub(super) fn man(arguments: &Man) -> Result<(), Failure> {
    let folder = &arguments.folder;
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(super::CommandLine::command(), folder));
    written.map_err(|error| {
        Failure::BadInput(format!(
            "error: cannot write to {}: {error}",
            folder.display()
        ))
    })
}
