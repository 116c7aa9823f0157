//! A Java source through a compiler that is installed, into class files in a folder that goes away again.
//!
//! `javac` is asked first. A source that it does not take is given to `ecj`, where that is installed: it makes class
//! files of what it understands, and puts an error in the place of what it does not. Annotation processors are not run:
//! nobody who looks at a class wants its build to happen.

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{Jdk, Unreadable};
use crate::group::Group;

/// A compiler that has not come to an end by then never will.
const PATIENCE: Duration = Duration::from_secs(120);

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
    Err(Unreadable::new(
        source,
        format!("it cannot be compiled\n{}", said.trim_end()),
    ))
}

fn compilers(jdk: Option<&Jdk>) -> Vec<Compiler> {
    let javac = jdk
        .and_then(|jdk| jdk.command("javac"))
        .or_else(|| on_path("javac"));
    let javac = javac.map(|program| Compiler {
        program,
        flags: &["-g", "-nowarn", "-proc:none", "-encoding", "UTF-8"],
        proceeds: false,
    });
    let ecj = on_path("ecj").map(|program| Compiler {
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

fn on_path(command: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut candidates = std::env::split_paths(&path).map(|folder| folder.join(command));
    candidates.find(|candidate| candidate.is_file())
}

impl Compiler {
    /// The folder with what it made, and what it said; or only that, if it made nothing.
    fn compile(&self, source: &Path, class_path: &[PathBuf]) -> Result<(TempDir, String), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.program.display());
        let folder = TempDir::new().map_err(failed)?;
        let log = folder.path().join("messages.txt");
        let succeeded = self.run(source, class_path, folder.path(), &log)?;
        let said = std::fs::read(&log).map_err(failed)?;
        let said = String::from_utf8_lossy(&said).into_owned();
        std::fs::remove_file(&log).map_err(failed)?;
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

    /// Whether it succeeds.
    fn run(
        &self,
        source: &Path,
        class_path: &[PathBuf],
        folder: &Path,
        log: &Path,
    ) -> Result<bool, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", self.program.display());
        let output = File::create(log).map_err(failed)?;
        let errors = output.try_clone().map_err(failed)?;
        let mut command = Command::new(&self.program);
        command.args(self.flags).arg("-d").arg(folder);
        command.arg("-classpath").arg(joined(class_path));
        if let Some(root) = source_root(source) {
            command.arg("-sourcepath").arg(root);
        }
        command
            .arg(source)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors);
        let mut group = Group::spawn(&mut command).map_err(failed)?;
        let start = Instant::now();
        while !group.child_ended().map_err(failed)? {
            if start.elapsed() > PATIENCE {
                return Err(format!("{} did not come to an end", self.program.display()));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        group.end().map(|status| status.success()).map_err(failed)
    }
}

/// The class path as the compilers take it; never empty, for that would mean the current folder.
fn joined(class_path: &[PathBuf]) -> OsString {
    let joined = std::env::join_paths(class_path).unwrap_or_default();
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
    let folder = std::path::absolute(source).ok()?.parent()?.to_path_buf();
    let parts: Vec<&str> = package.split('.').filter(|part| !part.is_empty()).collect();
    let root = folder.ancestors().nth(parts.len())?;
    let below = parts
        .iter()
        .fold(root.to_path_buf(), |path, part| path.join(part));
    (below == folder).then(|| root.to_path_buf())
}
