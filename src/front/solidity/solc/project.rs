//! How a project is laid out: its root, where imports are looked for, which compiler it wants.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::version::Version;

/// What the user says of the layout; the rest is found.
#[derive(Clone, Debug, Default)]
pub struct ProjectLayout {
    /// `--base-path`: the folder that names of files are relative to.
    pub base_path: Option<PathBuf>,
    /// `--include-path`: where else imports are looked for.
    pub include_paths: Vec<PathBuf>,
    /// Remappings: `context:prefix=target`.
    pub remappings: Vec<String>,
}

/// A project.
#[derive(Clone, Debug, Default)]
pub struct Project {
    /// The folder that names of files are relative to.
    pub root: PathBuf,
    /// Where else imports are looked for, in order.
    pub includes: Vec<PathBuf>,
    /// Where libraries are that are imported by their folders' names.
    pub libraries: Vec<PathBuf>,
    /// Other names for imports, the later ones first among equals.
    pub remappings: Vec<Remapping>,
    /// The compiler that it wants: a version, or a path.
    pub compiler: Option<String>,
    /// The machine that it compiles for.
    pub evm_version: Option<String>,
    /// Whether it uses the compiler's newer way to code.
    pub via_ir: bool,
}

/// `context:prefix=target`: imports in files whose names begin with the context, and that begin with the prefix, begin
/// with the target instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remapping {
    /// The beginning of the names of the files that it holds for.
    pub context: String,
    /// The beginning of the import.
    pub prefix: String,
    /// What stands there instead.
    pub target: String,
}

impl Remapping {
    /// Reads one; blanks and comments (`#`) are none.
    pub fn parse(line: &str) -> Option<Remapping> {
        let line = line.split('#').next()?.trim();
        let (from, target) = line.split_once('=')?;
        let (context, prefix) = from.split_once(':').unwrap_or(("", from));
        (!prefix.is_empty()).then(|| Remapping {
            context: context.to_owned(),
            prefix: prefix.to_owned(),
            target: target.to_owned(),
        })
    }

    /// As the compiler takes it.
    pub fn text(&self) -> String {
        let colon = if self.context.is_empty() { "" } else { ":" };
        format!("{}{colon}{}={}", self.context, self.prefix, self.target)
    }
}

/// Files that say that a folder is the root of a project.
const MARKS: &[&str] = &[
    "foundry.toml",
    "hardhat.config.js",
    "hardhat.config.ts",
    "hardhat.config.cjs",
    "hardhat.config.mjs",
    "truffle-config.js",
    "remappings.txt",
    "package.json",
    "node_modules",
    ".git",
];

/// What a `foundry.toml` says under a profile.
#[derive(Deserialize)]
struct Profile {
    libs: Option<Vec<String>>,
    remappings: Option<Vec<String>>,
    include_paths: Option<Vec<String>>,
    solc: Option<String>,
    solc_version: Option<String>,
    evm_version: Option<String>,
    via_ir: Option<bool>,
}

impl Project {
    /// The project of a file, which must be an absolute path.
    ///
    /// # Errors
    /// A sentence, if what the user says cannot be understood, or a `foundry.toml` cannot be read.
    pub fn of(file: &Path, layout: &ProjectLayout) -> Result<Project, String> {
        let root = match &layout.base_path {
            Some(path) => absolute(path),
            None => find_root(file),
        };
        let mut project = Project {
            root: root.clone(),
            libraries: vec![root.join("lib")],
            ..Project::default()
        };
        for remapping in &layout.remappings {
            let read = Remapping::parse(remapping).ok_or_else(|| {
                format!("`{remapping}` is not a remapping: context:prefix=target")
            })?;
            project.remappings.push(read);
        }
        project.read_foundry()?;
        let listed = std::fs::read_to_string(root.join("remappings.txt")).unwrap_or_default();
        let listed = listed.lines().filter_map(Remapping::parse);
        project.remappings.extend(listed);
        let named = layout.include_paths.iter().map(|path| absolute(path));
        project.includes.extend(named);
        let packages = root.ancestors().map(|folder| folder.join("node_modules"));
        project.includes.extend(packages);
        Ok(project)
    }

    /// The version that it wants, if it names one.
    pub fn version(&self) -> Option<Version> {
        Version::parse(self.compiler.as_deref()?)
    }

    fn read_foundry(&mut self) -> Result<(), String> {
        let path = self.root.join("foundry.toml");
        let Ok(text) = std::fs::read_to_string(&path) else {
            return Ok(());
        };
        let wrong = |error: toml::de::Error| format!("`{}`: {error}", path.display());
        let table: toml::Table = text.parse().map_err(wrong)?;
        // `[profile.default]`; in old files, `[default]`.
        let profiles = table.get("profile").and_then(toml::Value::as_table);
        let Some(profile) = profiles.unwrap_or(&table).get("default") else {
            return Ok(());
        };
        let profile: Profile = profile.clone().try_into().map_err(wrong)?;
        if let Some(libraries) = profile.libs {
            self.libraries = libraries.iter().map(|path| self.root.join(path)).collect();
        }
        let remappings = profile.remappings.unwrap_or_default();
        let remappings = remappings.iter().filter_map(|line| Remapping::parse(line));
        self.remappings.extend(remappings);
        let includes = profile.include_paths.unwrap_or_default();
        let includes = includes.iter().map(|path| self.root.join(path));
        self.includes.extend(includes);
        self.compiler = profile.solc.or(profile.solc_version);
        self.evm_version = profile.evm_version;
        self.via_ir = profile.via_ir.unwrap_or(false);
        Ok(())
    }
}

/// The nearest folder around a file that has a mark; else where we are, if the file is inside; else the file's own.
fn find_root(file: &Path) -> PathBuf {
    let own = file.parent().unwrap_or(file);
    let marked = own
        .ancestors()
        .find(|folder| MARKS.iter().any(|mark| folder.join(mark).exists()));
    let here = std::env::current_dir().ok();
    let here = here.filter(|here| file.starts_with(here));
    marked
        .map(Path::to_owned)
        .or(here)
        .unwrap_or(own.to_owned())
}

fn absolute(path: &Path) -> PathBuf {
    let resolved = path.canonicalize().or_else(|_| std::path::absolute(path));
    resolved.unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foundry_project_is_understood() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        std::fs::create_dir_all(root.join("src/deep")).expect("made");
        std::fs::write(
            root.join("foundry.toml"),
            "[profile.default]\nsrc = 'src'\nlibs = ['lib', 'node_modules']\nremappings = ['@a/=lib/a/']\n\
             solc = '0.8.23'\nevm_version = 'cancun'\nvia_ir = true\n[profile.ci]\nvia_ir = false\n[fmt]\nx = 1\n",
        )
        .expect("written");
        std::fs::write(
            root.join("remappings.txt"),
            "# comment\n\nlib/b:c/=lib/b/c/\n",
        )
        .expect("written");
        let layout = ProjectLayout {
            remappings: vec!["x=y".to_owned()],
            ..ProjectLayout::default()
        };
        let project = Project::of(&root.join("src/deep/A.sol"), &layout).expect("read");
        assert_eq!(project.root, root);
        let remappings: Vec<String> = project.remappings.iter().map(Remapping::text).collect();
        assert_eq!(remappings, ["x=y", "@a/=lib/a/", "lib/b:c/=lib/b/c/"]);
        assert_eq!(
            project.libraries,
            [root.join("lib"), root.join("node_modules")]
        );
        assert_eq!(project.version(), Some(Version::new(0, 8, 23)));
        assert_eq!(project.evm_version.as_deref(), Some("cancun"));
        assert!(project.via_ir);
        assert_eq!(project.includes.first(), Some(&root.join("node_modules")));
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("A.sol");
        let layout = ProjectLayout {
            remappings: vec!["nothing".to_owned()],
            ..ProjectLayout::default()
        };
        let said = Project::of(&file, &layout).expect_err("no remapping");
        assert!(said.contains("`nothing` is not a remapping"), "{said}");
        for text in ["[profile", "[profile.default]\nlibs = 3\n"] {
            std::fs::write(folder.path().join("foundry.toml"), text).expect("written");
            let said = Project::of(&file, &ProjectLayout::default()).expect_err("no TOML");
            assert!(said.contains("foundry.toml"), "{said}");
        }
    }
}
