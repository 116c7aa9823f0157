//! Where compilers are. There may be many, and a file says which versions it takes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::version::{Requirement, Version};
use crate::executables::{executable, on_path};

/// The environment variable that says where the compiler is.
pub const VARIABLE: &str = "TRANQUERA_SOLC";

/// A compiler that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// What it is.
    pub form: Form,
    /// Its version, where that is known without running it.
    pub version: Option<Version>,
    /// Where it was found, for people: `PATH`, `Foundry's versions`.
    pub origin: &'static str,
}

/// The forms that the compiler is shipped in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// An executable.
    Native(PathBuf),
    /// `soljson.js`, which Node runs.
    Script {
        /// Node's executable.
        node: PathBuf,
        /// The script.
        script: PathBuf,
    },
}

/// What a search depends on, besides the file system.
#[derive(Clone, Debug, Default)]
pub struct CompilerPlaces {
    /// What the user named: an executable, `solcjs`, or the folder of npm's package.
    pub named: Option<PathBuf>,
    /// The environment variable.
    pub variable: Option<OsString>,
    /// `PATH`.
    pub path: Option<OsString>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Where programs keep the user's data: `~/.local/share`.
    pub data: Option<PathBuf>,
    /// Where programs keep what can be made again: `~/.cache`.
    pub cache: Option<PathBuf>,
    /// The project's folder, and those around it: they may have `node_modules`.
    pub projects: Vec<PathBuf>,
}

impl CompilerPlaces {
    /// Those of this process.
    pub fn here(named: Option<&Path>, project: &Path) -> CompilerPlaces {
        CompilerPlaces {
            named: named.map(Path::to_owned),
            variable: std::env::var_os(VARIABLE),
            path: std::env::var_os("PATH"),
            home: dirs::home_dir(),
            data: dirs::data_dir(),
            cache: dirs::cache_dir(),
            projects: project.ancestors().map(Path::to_owned).collect(),
        }
    }

    /// What the user named, if there is such a compiler; else the first of the lists that has one that will do, and of that
    /// list the newest.
    ///
    /// # Errors
    /// What was found instead.
    pub fn choose(&self, requirements: &[Requirement]) -> Result<Compiler, Missing> {
        let variable = self.variable.as_deref().filter(|value| !value.is_empty());
        if let Some(named) = self.named.as_deref().or(variable.map(Path::new)) {
            return self
                .named(named)
                .ok_or_else(|| Missing::Named(named.to_owned()));
        }
        let does = |version| requirements.iter().all(|all| all.accepts(version));
        let mut seen = Vec::new();
        for list in self.lists() {
            let will_do = list.iter().filter(|found| found.version.is_some_and(does));
            if let Some(newest) = will_do.max_by_key(|found| found.version) {
                return Ok(newest.clone());
            }
            seen.extend(list);
        }
        Err(Missing::Any(seen))
    }

    /// All that can be found without being named, by where it is.
    pub fn lists(&self) -> Vec<Vec<Compiler>> {
        vec![
            self.on_path(),
            self.installed(),
            self.in_projects(),
            self.script_on_path(),
        ]
    }

    /// A path that the user gave. A bare name is looked for as a shell would look for it.
    fn named(&self, named: &Path) -> Option<Compiler> {
        let bare = named.components().count() == 1 && !named.is_absolute();
        let found = if bare {
            on_path(self.path.as_deref(), named)
        } else {
            None
        };
        let path = found.or_else(|| std::path::absolute(named).ok())?;
        if let Some(script) = script_of(&path) {
            return self.script(script, None, "named");
        }
        Some(Compiler {
            form: Form::Native(executable(&path)?),
            version: None,
            origin: "named",
        })
    }

    fn on_path(&self) -> Vec<Compiler> {
        let found = on_path(self.path.as_deref(), Path::new("solc"));
        let Some(path) = found.filter(|path| script_of(path).is_none()) else {
            return Vec::new();
        };
        vec![Compiler {
            version: super::run::native_version(&path),
            form: Form::Native(path),
            origin: "PATH",
        }]
    }

    fn script_on_path(&self) -> Vec<Compiler> {
        ["solcjs", "solc"]
            .into_iter()
            .filter_map(|name| script_of(&on_path(self.path.as_deref(), Path::new(name))?))
            .filter_map(|script| self.script(script, None, "PATH"))
            .collect()
    }

    /// What version managers have installed.
    fn installed(&self) -> Vec<Compiler> {
        let home = |path: &str| self.home.as_ref().map(|home| home.join(path));
        let data = |path: &str| self.data.as_ref().map(|data| data.join(path));
        let cache = |path: &str| self.cache.as_ref().map(|cache| cache.join(path));
        let folders = [
            ("Foundry's versions", data("svm")),
            ("Foundry's versions", home(".svm")),
            ("solc-select's versions", home(".solc-select/artifacts")),
            ("solcx's versions", home(".solcx")),
            (
                "Hardhat's versions",
                cache("hardhat-nodejs/compilers-v2/linux-amd64"),
            ),
            (
                "Hardhat's versions",
                cache("hardhat-nodejs/compilers-v2/macosx-amd64"),
            ),
            (
                "Hardhat's versions",
                cache("hardhat-nodejs/compilers-v2/wasm"),
            ),
            ("Tranquera's versions", data("tranquera/solc")),
        ];
        let existing = folders.into_iter().filter_map(|(origin, folder)| {
            let entries = std::fs::read_dir(folder?).ok()?;
            Some((origin, entries))
        });
        existing
            .flat_map(|(origin, entries)| {
                let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
                paths.filter_map(move |path| self.installation(&path, origin))
            })
            .collect()
    }

    /// `0.8.30/solc-0.8.30`, `solc-0.8.30/solc-0.8.30`, `solc-v0.8.30`, `solc-linux-amd64-v0.8.30+commit.73712a01`,
    /// `soljson-v0.8.30+commit.73712a01.js`, `0.8.30/node_modules/solc`.
    fn installation(&self, path: &Path, origin: &'static str) -> Option<Compiler> {
        let name = path.file_name()?.to_str()?;
        let version = version_in_name(name)?;
        if name.starts_with("soljson-") && path.is_file() {
            return self.script(path.to_owned(), Some(version), origin);
        }
        let package = path.join("node_modules/solc");
        if let Some(script) = script_of(&package) {
            return self.script(script, Some(version), origin);
        }
        let inside = [
            format!("solc-{version}"),
            "bin/solc".to_owned(),
            "solc".to_owned(),
        ];
        let inside = inside.iter().map(|name| path.join(name));
        let found = std::iter::once(path.to_owned())
            .chain(inside)
            .find_map(|path| executable(&path))?;
        Some(Compiler {
            form: Form::Native(found),
            version: Some(version),
            origin,
        })
    }

    /// npm's packages in the project: `solc`, and others under names such as `solc-0.7`.
    fn in_projects(&self) -> Vec<Compiler> {
        let folders = self
            .projects
            .iter()
            .map(|folder| folder.join("node_modules"));
        let packages = folders.filter_map(|folder| std::fs::read_dir(folder).ok());
        let packages = packages.flatten().filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_str()?;
            name.starts_with("solc").then_some(path)
        });
        packages
            .filter_map(|package| self.script(script_of(&package)?, None, "node_modules"))
            .collect()
    }

    /// A compiler that Node runs. Without a version, it is looked for in npm's package.
    fn script(
        &self,
        script: PathBuf,
        version: Option<Version>,
        origin: &'static str,
    ) -> Option<Compiler> {
        let path = self.path.as_deref();
        let node = ["node", "nodejs"]
            .into_iter()
            .find_map(|name| on_path(path, Path::new(name)))?;
        Some(Compiler {
            version: version.or_else(|| package_version(&script)),
            form: Form::Script { node, script },
            origin,
        })
    }
}

/// Why there is no compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// What was named is not there, or needs Node, which is not there.
    Named(PathBuf),
    /// None will do. These were found.
    Any(Vec<Compiler>),
}

/// The `soljson.js` that a path means: itself, in npm's package, or beside npm's `solcjs`.
fn script_of(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    if path.is_dir() {
        return Some(path.join("soljson.js")).filter(|script| script.is_file());
    }
    let name = path.file_name()?.to_str()?;
    if name.starts_with("soljson") && name.ends_with(".js") {
        return Some(path);
    }
    // An executable that happens to lie beside a script is not one.
    let script = path.parent()?.join("soljson.js");
    let runs_it = name == "solcjs" || name.ends_with(".js");
    Some(script).filter(|script| runs_it && script.is_file())
}

fn package_version(script: &Path) -> Option<Version> {
    let name = script.file_name()?.to_str()?;
    if let Some(version) = version_in_name(name) {
        return Some(version);
    }
    let text = std::fs::read_to_string(script.with_file_name("package.json")).ok()?;
    let package: serde_json::Value = serde_json::from_str(&text).ok()?;
    Version::parse(package.get("version")?.as_str()?)
}

/// The version in a file's name: `solc-linux-amd64-v0.8.30+commit.73712a01`. A nightly build is none.
fn version_in_name(name: &str) -> Option<Version> {
    let text = match name.rsplit_once("-v") {
        Some((_, version)) => version,
        None => name.get(name.find(|c: char| c.is_ascii_digit())?..)?,
    };
    let text = text.split('+').next()?;
    Version::parse(text.trim_end_matches(".exe").trim_end_matches(".js"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Folder {
            Folder(tempfile::tempdir().expect("a folder"))
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.path().canonicalize().expect("there").join(path)
        }

        fn file(&self, path: &str, text: &str) -> PathBuf {
            let path = self.at(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, text).expect("written");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set");
            path
        }

        fn around(&self) -> CompilerPlaces {
            CompilerPlaces {
                path: Some(self.at("bin").into()),
                home: Some(self.at("home")),
                data: Some(self.at("data")),
                cache: Some(self.at("cache")),
                projects: vec![self.at("project/contracts"), self.at("project")],
                ..CompilerPlaces::default()
            }
        }
    }

    fn any(pragma: &str) -> Vec<Requirement> {
        vec![Requirement::parse(pragma).expect("a pragma")]
    }

    #[test]
    fn the_pragma_chooses_among_what_is_installed() {
        let folder = Folder::new();
        let around = folder.around();
        folder.file(
            "bin/solc",
            "#!/bin/sh\necho 'Version: 0.8.19+commit.7dd6d404.Linux.g++'\n",
        );
        folder.file("bin/node", "");
        folder.file("data/svm/0.7.6/solc-0.7.6", "");
        folder.file("home/.svm/0.7.5/solc-0.7.5", "");
        folder.file("home/.solc-select/artifacts/solc-0.6.12/solc-0.6.12", "");
        folder.file("home/.solcx/solc-v0.5.17", "");
        let hardhat = "cache/hardhat-nodejs/compilers-v2";
        folder.file(
            &format!("{hardhat}/linux-amd64/solc-linux-amd64-v0.8.30+commit.73712a01"),
            "",
        );
        folder.file(
            &format!("{hardhat}/wasm/soljson-v0.4.26+commit.4563c3fc.js"),
            "",
        );
        folder.file(
            "data/tranquera/solc/0.8.37/node_modules/solc/soljson.js",
            "",
        );
        folder.file("project/node_modules/solc/soljson.js", "");
        folder.file(
            "project/node_modules/solc/package.json",
            r#"{"version": "0.4.18"}"#,
        );
        let chosen = |pragma: &str| {
            let found = around.choose(&any(pragma)).expect("one will do");
            format!("{} {}", found.version.expect("its version"), found.origin)
        };
        assert_eq!(chosen("^0.8.0"), "0.8.19 PATH");
        assert_eq!(chosen(">=0.8.20"), "0.8.37 Tranquera's versions");
        assert_eq!(chosen("0.8.30"), "0.8.30 Hardhat's versions");
        assert_eq!(chosen("^0.7.0"), "0.7.6 Foundry's versions");
        assert_eq!(chosen("0.7.5"), "0.7.5 Foundry's versions");
        assert_eq!(chosen("^0.6.0"), "0.6.12 solc-select's versions");
        assert_eq!(chosen("^0.5.0"), "0.5.17 solcx's versions");
        assert_eq!(chosen("^0.4.20"), "0.4.26 Hardhat's versions");
        assert_eq!(chosen("^0.4.11 <0.4.20"), "0.4.18 node_modules");
        let Err(Missing::Any(seen)) = around.choose(&any("^0.3.0")) else {
            panic!("there is none")
        };
        assert_eq!(seen.len(), 9);
    }

    #[test]
    fn what_is_named_is_taken_or_nothing() {
        let folder = Folder::new();
        let native = folder.file("native/solc", "");
        let package = folder.file("npm/node_modules/solc/soljson.js", "");
        folder.file("npm/node_modules/solc/solc.js", "");
        folder.file("bin/solc", "");
        folder.file("bin/node", "");
        let mut around = folder.around();
        around.variable = Some(native.clone().into());
        let form = |around: &CompilerPlaces| around.choose(&[]).map(|found| found.form);
        assert_eq!(form(&around), Ok(Form::Native(native.clone())));
        for named in ["npm/node_modules/solc", "npm/node_modules/solc/solc.js"] {
            around.named = Some(folder.at(named));
            let script = Form::Script {
                node: folder.at("bin/node"),
                script: package.clone(),
            };
            assert_eq!(form(&around), Ok(script), "{named}");
        }
        let nowhere = folder.at("nowhere/solc");
        around.named = Some(nowhere.clone());
        assert_eq!(form(&around), Err(Missing::Named(nowhere)));
    }

    #[test]
    fn a_name_says_a_version() {
        let version = Some(Version::new(0, 8, 30));
        for name in [
            "0.8.30",
            "solc-0.8.30",
            "solc-v0.8.30",
            "soljson-v0.8.30+commit.73712a01.js",
            "solc-linux-amd64-v0.8.30+commit.73712a01",
        ] {
            assert_eq!(version_in_name(name), version, "{name}");
        }
        for name in [
            "solc",
            "list.json",
            "soljson-v0.8.31-nightly.2025.1.1+commit.1.js",
            ".global-version",
        ] {
            assert_eq!(version_in_name(name), None, "{name}");
        }
    }
}
