//! A folder of class files, as compilers leave it: the folders in it are packages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::zip::is_archive;
use super::{DAMAGED, Unreadable, class_of_entry, remark_on_archives};
use crate::front::java::classfile::{ClassFile, LARGEST};
use crate::front::java::types::ClassName;

/// How deep folders may lie in each other.
const DEEPEST: usize = 64;

/// A folder of class files.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    files: BTreeMap<ClassName, PathBuf>,
    /// How many archives lie in it, and the first of them.
    archives: (usize, String),
}

impl Folder {
    /// All class files below a folder. It may also be one that a package's name leads to: which, a class file in it
    /// says.
    pub(super) fn open(root: &Path) -> Result<Folder, Unreadable> {
        let mut found = FolderListing::default();
        found.collect(root, "", DEEPEST)?;
        let FolderListing { classes, archives } = found;
        let prefix = classes
            .first()
            .and_then(|(entry, path)| missing_prefix(entry, path));
        let prefix = prefix.unwrap_or_default();
        let named = classes.into_iter().filter_map(|(entry, path)| {
            let class = class_of_entry(&format!("{prefix}{entry}"))?;
            Some((class, path))
        });
        let files = named.collect();
        let root = root.to_path_buf();
        Ok(Folder {
            root,
            files,
            archives,
        })
    }

    /// A single class file with those of its package, and of all others below the same root. Also its name.
    pub(super) fn around(path: &Path) -> Result<(Folder, ClassName), Unreadable> {
        let class = name_of(path)?;
        let absolute = std::path::absolute(path).map_err(|error| Unreadable::io(path, &error))?;
        let folder = match root_of(&absolute, &class) {
            Some(root) => Folder::open(root)?,
            // It lies somewhere else than its package says, so nothing beside it is known to belong to it.
            None => Folder {
                root: path.to_path_buf(),
                files: BTreeMap::from([(class.clone(), path.to_path_buf())]),
                archives: (0, String::new()),
            },
        };
        Ok((folder, class))
    }

    /// What it holds and is not looked into.
    pub(super) fn remarks(&self) -> Vec<String> {
        let (count, example) = &self.archives;
        remark_on_archives(*count, example).into_iter().collect()
    }

    pub(super) fn path(&self) -> &Path {
        &self.root
    }

    pub(super) fn classes(&self) -> Vec<ClassName> {
        self.files.keys().cloned().collect()
    }

    pub(super) fn has(&self, class: &ClassName) -> bool {
        self.files.contains_key(class)
    }

    pub(super) fn read(&self, class: &ClassName) -> Result<Option<Arc<[u8]>>, Unreadable> {
        let path = self.files.get(class);
        path.map(|path| read_file(path)).transpose()
    }
}

/// A whole file, if it is no larger than a class file may be.
fn read_file(path: &Path) -> Result<Arc<[u8]>, Unreadable> {
    let failed = |error: std::io::Error| Unreadable::io(path, &error);
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > LARGEST as u64 {
        return Err(Unreadable::new(
            path,
            format!("a class file of {size} bytes"),
        ));
    }
    std::fs::read(path).map(Arc::from).map_err(failed)
}

/// The class that a class file says it is.
fn name_of(path: &Path) -> Result<ClassName, Unreadable> {
    let class = ClassFile::read(read_file(path)?);
    let class = class.map_err(|error| Unreadable::new(path, format!("{DAMAGED}: {error}")))?;
    Ok(class.name)
}

/// The folder in which the packages of a class file begin; nothing where it lies somewhere else than its name says, or cannot
/// be read.
pub fn root_of_class_file(path: &Path) -> Option<PathBuf> {
    let class = name_of(path).ok()?;
    let root = root_of(path, &class)?;
    let here = root.as_os_str().is_empty();
    Some(if here { Path::new(".") } else { root }.to_path_buf())
}

/// The folder in which the packages of a class begin, where its file lies as its name says.
fn root_of<'p>(path: &'p Path, class: &ClassName) -> Option<&'p Path> {
    let parts = class.internal().split('/').count();
    let root = path.ancestors().nth(parts)?;
    let in_place = root.join(format!("{}.class", class.internal())) == path;
    in_place.then_some(root)
}

/// What is missing before the path of a class file to make it its class's name: `org/example/`.
fn missing_prefix(entry: &str, path: &Path) -> Option<String> {
    let class = name_of(path).ok()?;
    let found = entry.strip_suffix(".class")?;
    let prefix = class.internal().strip_suffix(found)?;
    (prefix.is_empty() || prefix.ends_with('/')).then(|| prefix.to_owned())
}

/// What lies in a folder and all folders in it.
#[derive(Default)]
struct FolderListing {
    /// Class files with their paths below the folder, in the order of their names.
    classes: Vec<(String, PathBuf)>,
    /// How many archives, and the path of the first of them.
    archives: (usize, String),
}

impl FolderListing {
    /// Collects what lies in a folder. Links to folders are not followed: they may lead in circles.
    fn collect(&mut self, folder: &Path, entry: &str, depth: usize) -> Result<(), Unreadable> {
        let failed = |error: std::io::Error| Unreadable::io(folder, &error);
        let Some(depth) = depth.checked_sub(1) else {
            return Err(Unreadable::new(folder, "folders in each other too deeply"));
        };
        let mut entries = Vec::new();
        for file in std::fs::read_dir(folder).map_err(failed)? {
            let file = file.map_err(failed)?;
            let is_folder = file.file_type().map_err(failed)?.is_dir();
            entries.push((file.file_name(), file.path(), is_folder));
        }
        entries.sort();
        for (name, path, is_folder) in entries {
            // A name that is no Unicode is no class's.
            let Some(name) = name.to_str() else { continue };
            if is_folder {
                self.collect(&path, &format!("{entry}{name}/"), depth)?;
            } else if class_of_entry(name).is_some() {
                self.classes.push((format!("{entry}{name}"), path));
            } else if is_archive(name) {
                if self.archives.0 == 0 {
                    self.archives.1 = format!("{entry}{name}");
                }
                self.archives.0 += 1;
            }
        }
        Ok(())
    }
}
