//! A Java source through a compiler that is installed, into class files in a folder that goes away again.
//!
//! `javac` is asked first. A source that it does not take is given to `ecj`, where that is installed: it makes class
//! files of what it understands, and puts an error in the place of what it does not. Annotation processors are not run:
//! nobody who looks at a class wants its build to happen.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

use super::{Jdk, Unreadable};
use crate::executables::on_path;
use crate::process::{Ending, Interrupt, Job, OUTPUT};

/// A compiler that has not come to an end by then never will.
const PATIENCE: Duration = Duration::from_secs(120);
/// More memory than that no compiler needs for one source.
const MEMORY_MIB: u64 = 4096;

/// The class files of a source. They are deleted with this.
#[derive(Debug)]
pub struct Compiled {
    folder: TempDir,
    /// What the compiler complained of, if not everything could be compiled.
    pub complaints: Option<String>,
}

impl Compiled {
    /// The folder with the class files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// A compiler and how it is called.
struct Compiler {
    program: PathBuf,
    flags: &'static [&'static str],
    /// Whether it makes class files of what it understands of a faulty source.
    proceeds: bool,
}

/// Compiles a source together with what it needs from its own source folder and from a class path.
///
/// # Errors
/// No compiler is installed, or none takes the source: then with what it says.
pub fn compile(
    source: &Path,
    class_path: &[PathBuf],
    jdk: Option<&Jdk>,
) -> Result<Compiled, Unreadable> {
    let compilers = compilers(jdk);
    if compilers.is_empty() {
        let advice =
            "no compiler is installed: install a JDK (`javac`) or `ecj`, or give class files";
        return Err(Unreadable::new(source, advice));
    }
    let mut complaints = None;
    for compiler in &compilers {
        match compiler.compile(source, class_path) {
            Ok((folder, said)) => {
                let complaints = compiler.proceeds.then(|| said.trim().to_owned());
                let complaints = complaints.filter(|said| !said.is_empty());
                return Ok(Compiled { folder, complaints });
            }
            Err(said) => {
                complaints.get_or_insert(said);
            }
        }
    }
    let said = complaints.unwrap_or_default();
    let message = format!("it cannot be compiled\n{}", said.trim_end());
    Err(Unreadable::new(source, message))
}

fn compilers(jdk: Option<&Jdk>) -> Vec<Compiler> {
    let path = std::env::var_os("PATH");
    let installed = |name: &str| on_path(path.as_deref(), Path::new(name));
    let javac = jdk.and_then(|jdk| jdk.command("javac"));
    let javac = javac
        .or_else(|| installed("javac"))
        .map(|program| Compiler {
            program,
            flags: &["-g", "-nowarn", "-proc:none", "-encoding", "UTF-8"],
            proceeds: false,
        });
    let ecj = installed("ecj").map(|program| Compiler {
        program,
        flags: &[
            "-g",
            "-nowarn",
            "-proc:none",
            "-proceedOnError",
            "-encoding",
            "UTF-8",
        ],
        proceeds: true,
    });
    javac.into_iter().chain(ecj).collect()
}

impl Compiler {
    /// The folder with what it made, and what it said; or only that, if it made nothing.
    fn compile(&self, source: &Path, class_path: &[PathBuf]) -> Result<(TempDir, String), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.program.display());
        let folder = TempDir::new().map_err(failed)?;
        let source = std::path::absolute(source).map_err(failed)?;
        let run = Job {
            executable: &self.program,
            arguments: &self.arguments(&source, class_path, folder.path()),
            directory: folder.path(),
            input: None,
            timeout: PATIENCE,
            memory_mib: MEMORY_MIB,
            output: OUTPUT,
            limit_address_space: false,
            closes: |_| false,
            interrupt: &Interrupt::default(),
        }
        .run()
        .map_err(failed)?;
        let said = run.stderr + &run.stdout;
        let succeeded = match run.ending {
            Ending::Exited(status) => status.success(),
            ending => return Err(format!("{}: {ending:?}\n{said}", self.program.display())),
        };
        let made = std::fs::read_dir(folder.path())
            .map_err(failed)?
            .next()
            .is_some();
        if made && (succeeded || self.proceeds) {
            Ok((folder, said))
        } else {
            Err(said)
        }
    }

    fn arguments(&self, source: &Path, class_path: &[PathBuf], folder: &Path) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = self.flags.iter().map(OsString::from).collect();
        arguments.extend([
            "-d".into(),
            folder.into(),
            "-classpath".into(),
            joined(class_path),
        ]);
        if let Some(root) = source_root(source) {
            arguments.extend(["-sourcepath".into(), root.into()]);
        }
        arguments.push(source.into());
        arguments
    }
}

/// The class path as the compilers take it; never empty, for that would mean the current folder.
fn joined(class_path: &[PathBuf]) -> OsString {
    let absolute = class_path
        .iter()
        .filter_map(|path| std::path::absolute(path).ok());
    let joined = std::env::join_paths(absolute).unwrap_or_default();
    if joined.is_empty() {
        OsString::from("/nonexistent")
    } else {
        joined
    }
}

/// The folder in which the packages of a source lie: as many folders up as its `package` has parts.
fn source_root(source: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(source).ok()?;
    let declared = text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix("package ")?;
        rest.split_once(';').map(|(name, _)| name.trim().to_owned())
    });
    let package = declared.unwrap_or_default();
    let folder = source.parent()?;
    let parts: Vec<&str> = package.split('.').filter(|part| !part.is_empty()).collect();
    let root = folder.ancestors().nth(parts.len())?;
    let below = parts
        .iter()
        .fold(root.to_path_buf(), |path, part| path.join(part));
    (below == folder).then(|| root.to_path_buf())
}
