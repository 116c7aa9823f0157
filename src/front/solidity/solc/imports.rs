//! A file and all that it imports, read as the compiler would read them.
//!
//! The compiler is given every text under its *source unit name*, and never looks at a file itself: so it makes no
//! difference which version it is, whether it is a program or a script, and what it may read. What a name means is told
//! in `names`; where it is looked for is what `solc`, Hardhat and Foundry do together.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::names::{combine, name_of, remap};
use super::project::{Project, Remapping};
use super::scan::scan;

/// The largest source file, in bytes.
const MAX_SIZE: u64 = 16 << 20;
/// The most files that are read.
const MAX_FILES: usize = 10_000;

/// The texts of a file and of what it imports.
#[derive(Clone, Debug, Default)]
pub(in crate::front::solidity) struct ImportedTexts {
    /// The texts by their names.
    pub texts: BTreeMap<String, ImportedText>,
    /// The name of the file that was asked for.
    pub main: String,
    /// Remappings: the project's, and those for libraries that were found.
    pub remappings: Vec<Remapping>,
}

/// A text.
#[derive(Clone, Debug)]
pub(in crate::front::solidity) struct ImportedText {
    pub text: Arc<str>,
    /// What its pragmas say, and where.
    pub pragmas: Vec<(String, Range<usize>)>,
}

/// Why a text cannot be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::front::solidity) struct Unread {
    /// The file that imports it, and where; none for the file that was asked for.
    pub importer: Option<(String, Range<usize>)>,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// Reads a file, given by its absolute path, and all that it imports.
///
/// # Errors
/// All files that cannot be read.
pub(in crate::front::solidity) fn read(
    file: &Path,
    project: &Project,
) -> Result<ImportedTexts, (ImportedTexts, Vec<Unread>)> {
    let mut reader = ImportReader {
        project,
        sources: ImportedTexts {
            remappings: project.remappings.clone(),
            main: name_of(file, &project.root),
            ..ImportedTexts::default()
        },
        unread: Vec::new(),
    };
    reader.read(file);
    if reader.unread.is_empty() {
        Ok(reader.sources)
    } else {
        Err((reader.sources, reader.unread))
    }
}

struct ImportReader<'a> {
    project: &'a Project,
    sources: ImportedTexts,
    unread: Vec<Unread>,
}

/// A name to read, where it is, and who imports it.
struct PendingImport {
    name: String,
    path: PathBuf,
    importer: Option<(String, Range<usize>)>,
}

impl ImportReader<'_> {
    fn read(&mut self, file: &Path) {
        let mut wanted = vec![PendingImport {
            name: self.sources.main.clone(),
            path: file.to_owned(),
            importer: None,
        }];
        while let Some(next) = wanted.pop() {
            if self.sources.texts.contains_key(&next.name) {
                continue;
            }
            let full = self.sources.texts.len() >= MAX_FILES;
            match text_of(&next.path) {
                _ if full => self.complain(next.importer, "too many files are imported", None),
                Err(what) => self.complain(next.importer, what, None),
                Ok(text) => wanted.extend(self.add(next, text.into())),
            }
        }
    }

    /// Keeps a text, and says what it imports.
    fn add(&mut self, read: PendingImport, text: Arc<str>) -> Vec<PendingImport> {
        let scanned = scan(&text);
        let source = ImportedText {
            text,
            pragmas: scanned.pragmas,
        };
        self.sources.texts.insert(read.name.clone(), source);
        let imports = scanned.imports.into_iter();
        imports
            .filter_map(|(import, range)| self.import(&read, &import, range))
            .collect()
    }

    fn import(
        &mut self,
        from: &PendingImport,
        import: &str,
        range: Range<usize>,
    ) -> Option<PendingImport> {
        let importer = Some((from.name.clone(), range));
        let direct = combine(&from.name, import);
        let name = remap(&self.sources.remappings, &from.name, &direct);
        let mut found = self.find(&name).map(|path| (name.clone(), path));
        // A library by its folder's name, as Foundry finds it.
        if found.is_none()
            && let Some(remapping) = self.library(&name)
        {
            self.sources.remappings.push(remapping);
            let name = remap(&self.sources.remappings, &from.name, &direct);
            found = self.find(&name).map(|path| (name, path));
        }
        let Some((name, path)) = found else {
            let help = self.hint(import, from);
            let what = format!("`{name}` is not there");
            self.complain(importer, what, help);
            return None;
        };
        Some(PendingImport {
            name,
            path,
            importer,
        })
    }

    /// The file of a name: under the root, or under one of the other folders.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let folders = std::iter::once(&self.project.root).chain(&self.project.includes);
        let mut paths = folders.map(|folder| folder.join(name));
        paths.find(|path| path.is_file())
    }

    /// `solmate/tokens/ERC20.sol` in `lib/solmate/src/tokens/ERC20.sol`
    fn library(&self, name: &str) -> Option<Remapping> {
        let (first, rest) = name.split_once('/')?;
        let folders = self.project.libraries.iter();
        let candidates = folders.flat_map(|library| {
            ["", "src/", "contracts/"].map(|inside| library.join(first).join(inside))
        });
        let found = candidates
            .into_iter()
            .find(|folder| folder.join(rest).is_file())?;
        Some(Remapping {
            context: String::new(),
            prefix: format!("{first}/"),
            target: format!("{}/", name_of(&found, &self.project.root)),
        })
    }

    fn hint(&self, import: &str, from: &PendingImport) -> Option<String> {
        let beside = from.path.parent()?.join(import);
        if import.starts_with('.') && beside.is_file() {
            let outside =
                "it is outside of the project; name a folder around both with --base-path";
            return Some(outside.to_owned());
        }
        let package = match import.split('/').collect::<Vec<_>>().as_slice() {
            [scope, package, ..] if scope.starts_with('@') => format!("{scope}/{package}"),
            [package, _, ..] => (*package).to_owned(),
            _ => return None,
        };
        let root = self.project.root.display();
        Some(format!(
            "install it in the project (npm install {package}, forge install), or say where it is with --include-path or \
             --remapping; it was looked for in `{root}`, its node_modules and its lib"
        ))
    }

    fn complain(
        &mut self,
        importer: Option<(String, Range<usize>)>,
        what: impl Into<String>,
        help: Option<String>,
    ) {
        self.unread.push(Unread {
            importer,
            what: what.into(),
            help,
        });
    }
}

/// The text of a file.
pub(in crate::front::solidity) fn text_of(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| format!("cannot read `{shown}`: {error}");
    let metadata = path.metadata().map_err(cannot)?;
    if metadata.is_dir() {
        return Err(format!("`{shown}` is a directory, not a file"));
    }
    if metadata.len() > MAX_SIZE {
        return Err(format!("`{shown}` is larger than {} MiB", MAX_SIZE >> 20));
    }
    let bytes = std::fs::read(path).map_err(cannot)?;
    String::from_utf8(bytes).map_err(|_| format!("`{shown}` is not valid UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
    }

    #[test]
    fn all_that_is_imported_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        write(
            root,
            &[
                (
                    "foundry.toml",
                    "[profile.default]\nremappings = ['@oz/=node_modules/@oz/contracts/']\n",
                ),
                (
                    "src/A.sol",
                    "import './B.sol'; import '@oz/C.sol'; import 'solmate/D.sol'; import 'pkg/E.sol';",
                ),
                (
                    "src/B.sol",
                    "import '../src/A.sol'; pragma solidity ^0.8.0;",
                ),
                ("node_modules/@oz/contracts/C.sol", "import './sub/F.sol';"),
                ("node_modules/@oz/contracts/sub/F.sol", ""),
                ("lib/solmate/src/D.sol", ""),
                ("node_modules/pkg/E.sol", ""),
            ],
        );
        let project = Project::of(
            &root.join("src/A.sol"),
            &super::super::ProjectLayout::default(),
        )
        .expect("a project");
        let sources = read(&root.join("src/A.sol"), &project).expect("all there");
        let names: Vec<&str> = sources.texts.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "lib/solmate/src/D.sol",
                "node_modules/@oz/contracts/C.sol",
                "node_modules/@oz/contracts/sub/F.sol",
                "pkg/E.sol",
                "src/A.sol",
                "src/B.sol"
            ]
        );
        assert_eq!(sources.main, "src/A.sol");
        assert_eq!(sources.texts["src/B.sol"].pragmas[0].0, "^0.8.0");
        assert_eq!(
            sources.remappings.last().map(Remapping::text).as_deref(),
            Some("solmate/=lib/solmate/src/")
        );
    }

    #[test]
    fn all_that_is_missing_is_said() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("inner");
        write(
            &root,
            &[
                ("remappings.txt", ""),
                (
                    "A.sol",
                    "import '../out.sol'; import './no.sol'; import '@oz/contracts/C.sol';",
                ),
                ("../out.sol", ""),
            ],
        );
        let project = Project::of(&root.join("A.sol"), &super::super::ProjectLayout::default())
            .expect("a project");
        let (_, unread) = read(&root.join("A.sol"), &project).expect_err("nothing is there");
        let said: Vec<&str> = unread.iter().map(|unread| unread.what.as_str()).collect();
        assert_eq!(
            said,
            [
                "`out.sol` is not there",
                "`no.sol` is not there",
                "`@oz/contracts/C.sol` is not there"
            ]
        );
        let help = |at: usize| unread[at].help.clone().unwrap_or_default();
        assert!(help(0).contains("--base-path"), "{}", help(0));
        assert!(help(2).contains("npm install @oz/contracts"), "{}", help(2));
    }
}
