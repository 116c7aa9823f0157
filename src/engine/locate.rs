//! Where the executables are, which versions they are, and how to get what is missing.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::EngineError;
use crate::executables::{executable, on_path};
use crate::process::{Ending, Interrupt, Job, OUTPUT};

/// An executable that engines are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// The Boogie verifier.
    Boogie,
    /// The Corral reachability checker.
    Corral,
    /// The Z3 solver.
    Z3,
}

/// An executable that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// What it is.
    pub tool: Tool,
    /// Where it is: an absolute path.
    pub path: PathBuf,
}

/// What a search depends on, besides the file system.
#[derive(Clone, Debug, Default)]
struct SearchPlaces {
    /// The tool's own environment variable.
    variable: Option<OsString>,
    /// `PATH`.
    path: Option<OsString>,
    /// `HOME`.
    home: Option<PathBuf>,
}

impl Tool {
    /// All of them.
    pub const ALL: [Tool; 3] = [Tool::Boogie, Tool::Corral, Tool::Z3];

    /// The name of the executable.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Boogie => "boogie",
            Tool::Corral => "corral",
            Tool::Z3 => "z3",
        }
    }

    /// The environment variable that says where it is.
    pub fn variable(self) -> &'static str {
        match self {
            Tool::Boogie => "TRANQUERA_BOOGIE",
            Tool::Corral => "TRANQUERA_CORRAL",
            Tool::Z3 => "TRANQUERA_Z3",
        }
    }

    /// How to get it.
    pub fn hint(self) -> &'static str {
        match self {
            Tool::Boogie => {
                "Debian: apt-get install boogie z3 (Debian 12 has Boogie 2.4.1); elsewhere a build of Boogie 2.4 (versions \
                 after 2.8 no longer have stratified inlining); then --boogie PATH or TRANQUERA_BOOGIE if it is not on PATH"
            }
            Tool::Corral => {
                "dotnet tool install --global Corral (needs .NET and Z3), then --corral PATH or \
                 TRANQUERA_CORRAL if it is not on PATH"
            }
            Tool::Z3 => {
                "Debian: apt-get install z3; macOS: brew install z3; without root: pip install z3-solver; then --z3 PATH \
                 or TRANQUERA_Z3 if it is not on PATH"
            }
        }
    }

    /// Looks for it: the path that was named, else the environment variable, else `PATH`, else where its
    /// own installer puts it (`~/.dotnet/tools`; for Z3 where Python's `z3-solver` wheel puts executables).
    ///
    /// # Errors
    /// [`EngineError::Missing`], in the name of `engine`, if it is in none of these places. What was named
    /// and is not there is missing: nothing else is taken in its stead.
    pub fn locate(
        self,
        engine: &'static str,
        named: Option<&Path>,
    ) -> Result<Located, EngineError> {
        let surroundings = SearchPlaces {
            variable: std::env::var_os(self.variable()),
            path: std::env::var_os("PATH"),
            home: std::env::var_os("HOME").map(PathBuf::from),
        };
        self.locate_in(&surroundings, named)
            .map(|path| Located { tool: self, path })
            .map_err(|executable| {
                let named = executable != self.name();
                let hint = if named && Path::new(&executable).is_file() {
                    format!("the file is there, but may not be executed: chmod +x '{executable}'")
                } else {
                    self.hint().to_owned()
                };
                EngineError::Missing {
                    engine,
                    executable,
                    hint,
                }
            })
    }

    /// As [`Tool::locate`]; the error is what was looked for.
    fn locate_in(self, around: &SearchPlaces, named: Option<&Path>) -> Result<PathBuf, String> {
        let variable = around.variable.as_deref().filter(|value| !value.is_empty());
        if let Some(named) = named.or(variable.map(Path::new)) {
            // A bare name is looked for as a shell would look for it.
            let bare = named.components().count() == 1 && !named.is_absolute();
            let found = if bare {
                on_path(around.path.as_deref(), named)
            } else {
                None
            };
            return found
                .or_else(|| executable(named))
                .ok_or_else(|| named.display().to_string());
        }
        on_path(around.path.as_deref(), Path::new(self.name()))
            .or_else(|| self.installed(around))
            .ok_or_else(|| self.name().to_owned())
    }

    /// Where its installer puts it.
    fn installed(self, around: &SearchPlaces) -> Option<PathBuf> {
        let home = around.home.as_deref();
        match self {
            Tool::Boogie => None,
            Tool::Corral => executable(&home?.join(".dotnet/tools/corral")),
            Tool::Z3 => home
                .and_then(|home| executable(&home.join(".local/bin/z3")))
                .or_else(|| {
                    python_folders(around)
                        .iter()
                        .find_map(|folder| executable(&folder.join("bin/z3")))
                }),
        }
    }
}

/// The versions of executables that were asked for theirs. Clones share what they know, so that a process asks each
/// executable once, however many engines it makes; one that was replaced meanwhile is asked again.
#[derive(Clone, Debug, Default)]
pub struct Versions(Arc<Mutex<BTreeMap<PathBuf, KnownVersion>>>);

/// A version, and the file that has it.
#[derive(Clone, Debug)]
struct KnownVersion {
    version: String,
    length: u64,
    modified: Option<SystemTime>,
}

impl Versions {
    /// The version of an executable, as [`Located::version`].
    ///
    /// # Errors
    /// [`EngineError::Io`] if it cannot be run.
    pub fn of(&self, located: &Located, engine: &'static str) -> Result<String, EngineError> {
        let file = located.path.metadata().ok();
        let length = file.as_ref().map_or(0, std::fs::Metadata::len);
        let modified = file.and_then(|file| file.modified().ok());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&KnownVersion| (known.length, known.modified) == (length, modified);
        if let Some(known) = known.get(&located.path).filter(same) {
            return Ok(known.version.clone());
        }
        let version = located.version(engine)?;
        let entry = KnownVersion {
            version: version.clone(),
            length,
            modified,
        };
        known.insert(located.path.clone(), entry);
        Ok(version)
    }
}

impl Located {
    /// Its name and version, as it says it.
    ///
    /// # Errors
    /// [`EngineError::Io`] if it cannot be run.
    pub fn version(&self, engine: &'static str) -> Result<String, EngineError> {
        let number = self
            .version_number(PATIENCE)
            .map_err(|source| EngineError::Io {
                engine,
                what: format!("cannot run `{}`", self.path.display()),
                source,
            })?;
        let number = number.as_deref().unwrap_or("of unknown version");
        Ok(format!("{} {number}", self.tool.name()))
    }

    /// The number of its version, if it says one.
    ///
    /// # Errors
    /// It cannot be run, or does not end in time.
    pub fn version_number(&self, timeout: Duration) -> std::io::Result<Option<String>> {
        let argument: &[&str] = match self.tool {
            Tool::Z3 => &["--version"],
            // Both print their name and version, then complain that there is no such file.
            Tool::Boogie | Tool::Corral => &["none.bpl"],
        };
        let output = ask(&self.path, argument, timeout)?;
        Ok(version_in(&output).map(str::to_owned))
    }
}

/// The first word after `version` in a program's output: `4.8.12`.
fn version_in(output: &str) -> Option<&str> {
    let (_, after) = output.split_once(" version ")?;
    let version = after.split([' ', ',', '\n', '\r']).next()?;
    version
        .starts_with(|first: char| first.is_ascii_digit())
        .then_some(version)
}

/// Folders of the Python installation that may hold a `bin`.
fn python_folders(around: &SearchPlaces) -> Vec<PathBuf> {
    let Some(python) = on_path(around.path.as_deref(), Path::new("python3")) else {
        return Vec::new();
    };
    let script = "import site, sys; print(sys.prefix); print(site.getuserbase())";
    let output = ask(&python, &["-c", script], PATIENCE).unwrap_or_default();
    output
        .lines()
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .collect()
}

/// How long a program may take to say its version. mono and .NET usually need half a second.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a program prints to standard output, given a short time.
fn ask(program: &Path, arguments: &[&str], timeout: Duration) -> std::io::Result<String> {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let directory = tempfile::tempdir()?;
    let job = Job {
        executable: program,
        arguments: &arguments,
        directory: directory.path(),
        input: None,
        timeout,
        memory_mib: 1024,
        output: OUTPUT,
        limit_address_space: false,
        closes: |_| false,
        interrupt: &Interrupt::default(),
    };
    let run = job.run()?;
    if run.ending == Ending::Timeout {
        let text = format!("it does not end within {} s", timeout.as_secs_f64());
        return Err(std::io::Error::new(std::io::ErrorKind::TimedOut, text));
    }
    Ok(run.stdout)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn file(path: &Path, mode: u32) {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, "").expect("written");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
    }

    #[test]
    fn the_named_one_goes_before_the_variable_before_the_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in [
            "named/z3",
            "variable's own/z3",
            "path/z3",
            "home/.local/bin/z3",
        ] {
            file(&at(name), 0o755);
        }
        file(&at("first/z3"), 0o644);
        let mut around = SearchPlaces {
            variable: Some(at("variable's own/z3").into()),
            path: Some(std::env::join_paths([at("first"), at("path")]).expect("joined")),
            home: Some(at("home")),
        };
        let named = at("named/z3");
        assert_eq!(Tool::Z3.locate_in(&around, Some(&named)), Ok(named));
        assert_eq!(
            Tool::Z3.locate_in(&around, None),
            Ok(at("variable's own/z3"))
        );
        around.variable = None;
        assert_eq!(
            Tool::Z3.locate_in(&around, Some(Path::new("z3"))),
            Ok(at("path/z3"))
        );
        assert_eq!(
            Tool::Z3.locate_in(&around, None),
            Ok(at("path/z3")),
            "not the one that is no executable"
        );
        around.path = Some(at("first").into());
        assert_eq!(
            Tool::Z3.locate_in(&around, None),
            Ok(at("home/.local/bin/z3"))
        );
        assert_eq!(
            Tool::Boogie.locate_in(&around, None),
            Err("boogie".to_owned())
        );
    }

    #[test]
    fn what_was_named_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bin");
        file(&path.join("boogie"), 0o755);
        let around = SearchPlaces {
            path: Some(path.into()),
            ..SearchPlaces::default()
        };
        assert!(Tool::Boogie.locate_in(&around, None).is_ok());
        let named = folder.path().join("not there");
        let expected = Err(named.display().to_string());
        assert_eq!(Tool::Boogie.locate_in(&around, Some(&named)), expected);
        let around = SearchPlaces {
            variable: Some(named.into()),
            ..around
        };
        assert_eq!(Tool::Boogie.locate_in(&around, None), expected);
    }

    #[test]
    fn a_missing_one_says_how_to_get_it() {
        let error = Tool::Boogie
            .locate("boogie", Some(Path::new("/no/boogie")))
            .expect_err("missing");
        let EngineError::Missing {
            executable, hint, ..
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!(executable, "/no/boogie");
        assert!(hint.contains("apt-get install boogie z3"), "{hint}");
    }

    #[test]
    fn an_executable_is_asked_for_its_version_once_until_it_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, asked) = (folder.path().join("z3"), folder.path().join("asked"));
        let install = |version: &str| {
            let said = format!("Z3 version {version} - 64 bit");
            let script = format!(
                "#!/bin/sh\necho x >> '{}'\necho '{said}'\n",
                asked.display()
            );
            // Moved into place, as installers do it.
            let new = folder.path().join("new");
            file(&new, 0o755);
            std::fs::write(&new, script).expect("written");
            std::fs::rename(&new, &path).expect("moved");
            // It cannot be run while another thread, which is starting a process, holds it open.
            let busy = std::io::ErrorKind::ExecutableFileBusy;
            let mut command = std::process::Command::new(&path);
            while command.output().is_err_and(|error| error.kind() == busy) {}
            std::fs::remove_file(&asked).expect("it ran");
        };
        let located = Located {
            tool: Tool::Z3,
            path: path.clone(),
        };
        let versions = Versions::default();
        for version in ["4.8.12", "4.13.0.1"] {
            install(version);
            for _ in 0..2 {
                let said = versions.clone().of(&located, "builtin").expect("it runs");
                assert_eq!(said, format!("z3 {version}"));
            }
            assert_eq!(std::fs::read_to_string(&asked).expect("noted"), "x\n");
        }
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(version_in("Z3 version 4.8.12 - 64 bit\n"), Some("4.8.12"));
        let boogie =
            "Boogie program verifier version 2.4.1.10503, Copyright (c) 2003-2014, Microsoft.\n";
        assert_eq!(version_in(boogie), Some("2.4.1.10503"));
        assert_eq!(
            version_in("Corral program verifier version 1.0.0.0\n"),
            Some("1.0.0.0")
        );
        assert_eq!(version_in("usage: no version here\n"), None);
    }
}
