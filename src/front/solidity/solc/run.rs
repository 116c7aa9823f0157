//! One run of the compiler: standard JSON in, standard JSON out, within limits.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::locate::{Compiler, Form};
use super::version::Version;
use crate::process::{Ending, Interrupt, Job, ProcessOutput};

/// Runs a `soljson.js`.
const SCRIPT: &str = include_str!("run_soljson.js");

/// How much the compiler may print, in bytes. The trees of the largest projects are some tens of MB.
const OUTPUT: usize = 512 << 20;

/// How long the compiler may take to say its version.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the compiler may use.
#[derive(Clone, Debug)]
pub struct CompilerLimits {
    /// Wall-clock time.
    pub timeout: Duration,
    /// Memory, in MiB.
    pub memory_mib: u64,
    /// Ends it early.
    pub interrupt: Interrupt,
}

impl Default for CompilerLimits {
    /// Ten minutes and 4 GiB: a project of hundreds of files takes seconds, and a third of a GiB.
    fn default() -> Self {
        CompilerLimits {
            timeout: Duration::from_secs(600),
            memory_mib: 4096,
            interrupt: Interrupt::default(),
        }
    }
}

/// What a compiler said.
#[derive(Clone, Debug)]
pub(in crate::front::solidity) struct Said {
    /// Its version.
    pub version: Version,
    /// The JSON.
    pub json: String,
}

/// Runs a compiler on standard JSON.
///
/// # Errors
/// A sentence that says why there is no answer.
pub(in crate::front::solidity) fn run(
    compiler: &Compiler,
    input: &str,
    limits: &CompilerLimits,
) -> Result<Said, String> {
    let said = match &compiler.form {
        Form::Native(path) => run_native(path, compiler.version, input, limits),
        Form::Script { node, script } => run_script(node, script, input, limits),
    };
    said.map_err(|why| format!("{}: {why}", shown(compiler)))
}

/// `/usr/bin/solc`
pub(in crate::front::solidity) fn shown(compiler: &Compiler) -> String {
    let (Form::Native(path) | Form::Script { script: path, .. }) = &compiler.form;
    format!("`{}`", path.display())
}

/// The version that an executable says it has.
pub(super) fn native_version(path: &Path) -> Option<Version> {
    let limits = CompilerLimits {
        timeout: PATIENCE,
        ..CompilerLimits::default()
    };
    let run = job(path, &["--version".into()], None, &limits).ok()?;
    Version::find(&run.stdout)
}

fn run_native(
    path: &Path,
    version: Option<Version>,
    input: &str,
    limits: &CompilerLimits,
) -> Result<Said, String> {
    let version = version
        .or_else(|| native_version(path))
        .ok_or("it does not say its version; is it the Solidity compiler?")?;
    let run = with_input(path, &["--standard-json".into()], input, limits)?;
    Ok(Said {
        version,
        json: run.stdout,
    })
}

fn run_script(
    node: &Path,
    script: &Path,
    input: &str,
    limits: &CompilerLimits,
) -> Result<Said, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let runner = folder.path().join("run_soljson.js");
    std::fs::write(&runner, SCRIPT).map_err(|error| error.to_string())?;
    let arguments = [runner.into_os_string(), script.to_owned().into_os_string()];
    let run = with_input(node, &arguments, input, limits)?;
    let (first, json) = run.stdout.split_once('\n').unwrap_or_default();
    let version = Version::parse(first)
        .ok_or_else(|| format!("`{first}` is not the version of a release"))?;
    Ok(Said {
        version,
        json: json.to_owned(),
    })
}

/// Runs a program to its end, with a text as its standard input.
fn with_input(
    program: &Path,
    arguments: &[OsString],
    input: &str,
    limits: &CompilerLimits,
) -> Result<ProcessOutput, String> {
    let mut file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
    file.write_all(input.as_bytes())
        .map_err(|error| error.to_string())?;
    let run = job(program, arguments, Some(file.path().to_owned()), limits)
        .map_err(|error| error.to_string())?;
    match run.ending {
        Ending::Exited(status) if status.success() => Ok(run),
        Ending::Exited(status) => Err(format!("{status}: {}", first_line(&run.stderr))),
        Ending::Timeout => Err(format!(
            "it did not end within {} s",
            limits.timeout.as_secs()
        )),
        Ending::Memory => Err(format!("it needs more than {} MiB", limits.memory_mib)),
        Ending::Flooded => Err("it printed more than 512 MiB".to_owned()),
        Ending::Interrupted => Err("it was interrupted".to_owned()),
        Ending::Lingered => Err("it did not end".to_owned()),
    }
}

fn first_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty()).unwrap_or_default()
}

fn job(
    program: &Path,
    arguments: &[OsString],
    input: Option<PathBuf>,
    limits: &CompilerLimits,
) -> std::io::Result<ProcessOutput> {
    let folder = tempfile::tempdir()?;
    Job {
        executable: program,
        arguments,
        directory: folder.path(),
        input: input.as_deref(),
        timeout: limits.timeout,
        memory_mib: limits.memory_mib,
        output: OUTPUT,
        // Node reserves address space by the gigabyte.
        limit_address_space: false,
        closes: |_| false,
        interrupt: &limits.interrupt,
    }
    .run()
}
