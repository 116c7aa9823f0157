//! Where text goes: standard output, a file, or standard error.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, IntoInnerError, IsTerminal, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::view::ViewOptions;

use super::{Failure, progress};

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Colour {
    /// Whether to colour what is written to this stream.
    pub(super) fn on(self, stream: &impl IsTerminal) -> bool {
        match self {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        }
    }
}

/// How a report is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ReportFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// Where the text of a command goes.
#[derive(Debug, clap::Args)]
pub(super) struct TextOutput {
    /// Write here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl TextOutput {
    /// Refuses to take the place of what the text is made from.
    pub(super) fn spare(&self, inputs: &[&Path]) -> Result<(), Failure> {
        spare(inputs, self.output.as_deref())
    }

    /// Writes the text.
    pub(super) fn write(&self, text: &str) -> Result<(), Failure> {
        write(self.output.as_deref(), text)
    }

    /// Whether it goes to standard output.
    pub(super) fn is_standard(&self) -> bool {
        self.output.is_none()
    }

    /// How it is drawn: a file has no colours.
    pub(super) fn view(&self, colour: Colour) -> ViewOptions {
        ViewOptions {
            colour: self.is_standard() && colour.on(&io::stdout()),
            ..ViewOptions::default()
        }
    }
}

/// Writes to a file, whole or not at all, or to standard output.
pub(super) fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    progress::clear();
    match path {
        Some(path) => write_file(path, text),
        None => match io::stdout().lock().write_all(text.as_bytes()) {
            // A reader that has seen enough (`head`) is no failure.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::BadInput(
                format!("error: cannot write to standard output: {error}"),
            )),
            _ => Ok(()),
        },
    }
}

/// Refuses an output that would take the place of what it is made from, before anything is computed.
pub(super) fn spare(inputs: &[&Path], output: Option<&Path>) -> Result<(), Failure> {
    let same = |input: &&&Path| {
        output.is_some_and(
            |output| match (input.canonicalize(), output.canonicalize()) {
                (Ok(input), Ok(output)) => input.is_file() && input == output,
                _ => false,
            },
        )
    };
    match inputs.iter().find(same) {
        Some(input) => Err(Failure::BadInput(format!(
            "error: --output would overwrite the input {}\nhelp: give another file, or none for standard output",
            input.display()
        ))),
        None => Ok(()),
    }
}

/// A report as JSON.
pub(super) fn json(report: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(report)
        .map(|json| json + "\n")
        .map_err(|error| Failure::BadInput(format!("error: {error}")))
}

/// Saves a question in a folder, which is made if need be, under its name. Returns the file.
pub(super) fn save(folder: &Path, name: &str, text: &str) -> Result<PathBuf, Failure> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Failure::BadInput(format!("error: cannot make {}: {error}", folder.display()))
    })?;
    let file = folder.join(format!("{name}.bpl"));
    write_file(&file, text)?;
    Ok(file)
}

fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    write_whole(path, text).map_err(|error| cannot_write(path, &error))
}

/// That a file cannot be written.
pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::BadInput(format!("error: cannot write {}: {error}", path.display()))
}

/// Puts a whole file where another one may be read at this moment.
pub(super) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let mut file = WholeFile::new(path)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}

/// A file that is written piece by piece, and that as a whole takes the place of another one, which may be read until then.
pub(super) struct WholeFile(Pieces);

enum Pieces {
    /// A device or a pipe cannot be replaced; it is written to.
    Device(BufWriter<File>),
    /// Beside the file whose place it takes.
    Beside(BufWriter<NamedTempFile>, PathBuf),
}

impl WholeFile {
    /// Begins it.
    pub(super) fn new(path: &Path) -> io::Result<WholeFile> {
        if path.exists() && !path.is_file() {
            let device = BufWriter::new(File::create(path)?);
            return Ok(WholeFile(Pieces::Device(device)));
        }
        // A link stays, and what it leads to is replaced.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        if !folder.is_dir() {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                format!("there is no folder {}", folder.display()),
            ));
        }
        let before = target.metadata().map(|before| before.permissions()).ok();
        if before.as_ref().is_some_and(Permissions::readonly) {
            let kind = io::ErrorKind::PermissionDenied;
            return Err(io::Error::new(kind, "it is read-only"));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".tranquera");
        // A temporary file is private; a result is as readable as the user's other files.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        if let Some(before) = before {
            file.as_file().set_permissions(before)?;
        }
        Ok(WholeFile(Pieces::Beside(BufWriter::new(file), target)))
    }

    /// Puts it where it belongs.
    pub(super) fn commit(self) -> io::Result<()> {
        match self.0 {
            Pieces::Device(mut device) => device.flush(),
            Pieces::Beside(file, target) => {
                let file = file.into_inner().map_err(IntoInnerError::into_error)?;
                file.persist(&target).map_err(|error| error.error)?;
                Ok(())
            }
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.0 {
            Pieces::Device(device) => device.write(bytes),
            Pieces::Beside(file, _) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Pieces::Device(device) => device.flush(),
            Pieces::Beside(file, _) => file.flush(),
        }
    }
}

/// Warns, if there is something to warn of.
pub(super) fn warn(of: Option<&str>) {
    if let Some(what) = of {
        complain(&format!("warning: {what}"));
    }
}

/// Writes to standard error.
pub(super) fn complain(text: &str) {
    progress::clear();
    // If standard error is gone there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{}", text.trim_end());
}
