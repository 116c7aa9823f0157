//! `tranquera fmt`

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use similar::TextDiff;

use crate::front::tq;
use crate::ir::MAX_SIZE;
use crate::ir::Source;

use super::Failure;
use super::folders::files_in;
use super::output::{self, Colour};

/// What standard input is called on the command line, and in messages.
const STDIN: (&str, &str) = ("-", "<stdin>");

#[derive(Debug, clap::Args)]
pub(super) struct FmtArguments {
    /// Files, and folders whose `.tq` files are meant, those of their folders included; `-` is standard input, which
    /// is formatted to standard output
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Change nothing, but list the files that are not formatted, and exit with status 1 if there are any
    #[arg(long)]
    check: bool,
    /// Change nothing, but show what would change, and exit with status 1 if there is anything
    #[arg(long)]
    diff: bool,
    /// How wide a line may be, in characters
    #[arg(long, value_name = "N", default_value_t = tq::LINE_WIDTH as u16, value_parser = clap::value_parser!(u16).range(20..=1000))]
    line_width: u16,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
}

/// A text before and after.
struct Formatted {
    name: String,
    /// Where it is written back to.
    file: Option<PathBuf>,
    before: String,
    after: String,
}

impl Formatted {
    fn changed(&self) -> bool {
        self.before != self.after
    }

    fn diff(&self) -> String {
        let diff = TextDiff::from_lines(&self.before, &self.after);
        let mut diff = diff.unified_diff();
        diff.header(&self.name, &format!("{} (formatted)", self.name));
        diff.to_string()
    }
}

pub(super) fn run(arguments: &FmtArguments) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    let mut unformatted = 0;
    for path in inputs(&arguments.paths)? {
        match arguments.one(&path) {
            Ok(changed) => unformatted += usize::from(changed),
            Err(Failure::BadInput(text)) => wrong.push(text.trim_end().to_owned()),
            Err(other) => return Err(other),
        }
    }
    if !wrong.is_empty() {
        return Err(Failure::BadInput(wrong.join("\n\n")));
    }
    let broken = match unformatted {
        _ if arguments.writes() => None,
        0 => None,
        1 => Some("1 file is not formatted".to_owned()),
        n => Some(format!("{n} files are not formatted")),
    };
    Failure::unless_well(broken.as_slice())
}

impl FmtArguments {
    fn writes(&self) -> bool {
        !self.check && !self.diff
    }

    /// Formats one text. Whether it changed.
    fn one(&self, path: &Path) -> Result<bool, Failure> {
        let formatted = self.formatted(path)?;
        let changed = formatted.changed();
        if self.diff && changed {
            output::write(None, &formatted.diff())?;
        } else if self.check && changed {
            output::write(None, &format!("{}\n", formatted.name))?;
        } else if self.writes() {
            match &formatted.file {
                None => output::write(None, &formatted.after)?,
                Some(file) if changed => output::write(Some(file), &formatted.after)?,
                // What is right already is not touched.
                Some(_) => {}
            }
        }
        Ok(changed)
    }

    fn formatted(&self, path: &Path) -> Result<Formatted, Failure> {
        let coloured = self.color.on(&io::stderr());
        let (file, source) = if path == Path::new(STDIN.0) {
            (None, standard_input()?)
        } else {
            let source = Source::read(path);
            let source = source.map_err(|wrong| Failure::BadInput(wrong.render(coloured)))?;
            (Some(path.to_owned()), source)
        };
        let after = tq::format(&source.name, &source.text, self.line_width.into())
            .map_err(|wrong| Failure::BadInput(wrong.render(coloured)))?;
        Ok(Formatted {
            name: source.name,
            file,
            before: source.text,
            after,
        })
    }
}

fn standard_input() -> Result<Source, Failure> {
    let mut text = String::new();
    io::stdin()
        .lock()
        .take(MAX_SIZE as u64 + 1)
        .read_to_string(&mut text)
        .map_err(|error| {
            Failure::BadInput(format!("error: cannot read standard input: {error}"))
        })?;
    Ok(Source::new(STDIN.1, text))
}

/// The files meant, in order, those of a folder by their names.
fn inputs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if paths.len() > 1 && paths.iter().any(|path| path == Path::new(STDIN.0)) {
        return Err(Failure::BadInput("error: `-` stands alone".into()));
    }
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let found = files_in(path, |file| file.extension().is_some_and(|e| e == "tq"));
            files.extend(found.map_err(|error| {
                Failure::BadInput(format!("error: cannot read {}: {error}", path.display()))
            })?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}
