//! Where class files come from: folders, archives (`.jar`, `.war`, `.zip`, `.jmod`), a JDK's own image.
//!
//! A class path is a list of such places; the first that has a class wins, as for `java` itself. Of a jar with
//! several versions of a class the base version is taken. Nothing is unpacked to disk, and no size that a file claims
//! is believed before it is checked.

mod compile;
mod folder;
mod image;
mod jdk;
mod zip;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use compile::{Compiled, compile};
pub use folder::root_of_class_file;
pub use image::Image;
pub use jdk::{Jdk, find as find_jdk};

use super::types::ClassName;
use folder::Folder;
use zip::Zip;

/// What is said of a class file that cannot be read.
pub(super) const DAMAGED: &str = "the class file is cut off or damaged";

/// Why class files cannot be had from somewhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}", path.display())]
pub struct Unreadable {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong with it.
    pub what: String,
}

impl Unreadable {
    /// That something is wrong with a file or folder.
    pub(super) fn new(path: &Path, what: impl Into<String>) -> Unreadable {
        let (path, what) = (path.to_path_buf(), what.into());
        Unreadable { path, what }
    }

    fn io(path: &Path, error: &std::io::Error) -> Unreadable {
        Unreadable::new(path, error.to_string())
    }
}

/// One place with class files.
#[derive(Debug)]
enum ClassSource {
    Folder(Folder),
    Zip(Zip),
    Image(Image),
}

/// A list of places with class files, the first that has a class wins.
#[derive(Debug, Default)]
pub struct ClassPath {
    sources: Vec<ClassSource>,
}

impl ClassPath {
    /// A class path without a place.
    pub fn new() -> ClassPath {
        ClassPath::default()
    }

    /// Adds a place behind the others: a folder, an archive, an image, or a single class file, which brings those
    /// beside it along. Returns the classes that it was named for: all of a folder or archive, one of a class file.
    ///
    /// # Errors
    /// It is nothing of the kind, or cannot be read.
    pub fn add(&mut self, path: &Path) -> Result<Vec<ClassName>, Unreadable> {
        let (source, named) = open(path)?;
        let named = named.unwrap_or_else(|| source.classes());
        self.sources.push(source);
        Ok(named)
    }

    /// Adds the classes of a JDK behind the others.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn add_jdk(&mut self, jdk: &Jdk) -> Result<(), Unreadable> {
        for path in jdk.archives() {
            self.add(path)?;
        }
        Ok(())
    }

    /// What the place that was added last holds and is not looked into, in sentences without their ends.
    pub fn remarks_on_last(&self) -> Vec<String> {
        match self.sources.last() {
            Some(ClassSource::Folder(folder)) => folder.remarks(),
            Some(ClassSource::Zip(zip)) => zip.remarks(),
            Some(ClassSource::Image(_)) | None => Vec::new(),
        }
    }

    /// All classes, in the order of their places and, in each, of their names. One that several places have is there
    /// once.
    pub fn classes(&self) -> Vec<ClassName> {
        let mut seen = std::collections::HashSet::new();
        let all = self.sources.iter().flat_map(ClassSource::classes);
        all.filter(|class| seen.insert(class.clone())).collect()
    }

    /// The bytes of a class file; nothing where no place has it.
    ///
    /// # Errors
    /// The place that has it cannot be read.
    pub fn read(&self, class: &ClassName) -> Result<Option<Arc<[u8]>>, Unreadable> {
        let found = self
            .sources
            .iter()
            .find_map(|source| source.read(class).transpose());
        found.transpose()
    }

    /// The file or folder that has a class.
    pub fn place_of(&self, class: &ClassName) -> Option<&Path> {
        let has = self.sources.iter().find(|source| source.has(class));
        has.map(ClassSource::path)
    }
}

impl ClassSource {
    fn path(&self) -> &Path {
        match self {
            ClassSource::Folder(folder) => folder.path(),
            ClassSource::Zip(zip) => zip.path(),
            ClassSource::Image(image) => image.path(),
        }
    }

    fn classes(&self) -> Vec<ClassName> {
        match self {
            ClassSource::Folder(folder) => folder.classes(),
            ClassSource::Zip(zip) => zip.classes(),
            ClassSource::Image(image) => image.classes(),
        }
    }

    fn has(&self, class: &ClassName) -> bool {
        match self {
            ClassSource::Folder(folder) => folder.has(class),
            ClassSource::Zip(zip) => zip.has(class),
            ClassSource::Image(image) => image.has(class),
        }
    }

    fn read(&self, class: &ClassName) -> Result<Option<Arc<[u8]>>, Unreadable> {
        match self {
            ClassSource::Folder(folder) => folder.read(class),
            ClassSource::Zip(zip) => zip.read(class),
            ClassSource::Image(image) => image.read(class),
        }
    }
}

/// Opens a place by what it is, which its name does not decide. A single class file also says which class it is.
fn open(path: &Path) -> Result<(ClassSource, Option<Vec<ClassName>>), Unreadable> {
    let kind = std::fs::metadata(path).map_err(|error| Unreadable::io(path, &error))?;
    if kind.is_dir() {
        return Ok((ClassSource::Folder(Folder::open(path)?), None));
    }
    match first_bytes(path)? {
        [b'P', b'K', ..] | [b'J', b'M', ..] => Ok((ClassSource::Zip(Zip::open(path)?), None)),
        [0, 0, 0, 0] => Err(Unreadable::new(path, "the file is empty")),
        [0xca, 0xfe, 0xba, 0xbe] => {
            let (folder, class) = Folder::around(path)?;
            Ok((ClassSource::Folder(folder), Some(vec![class])))
        }
        image if image::is_image(image) => Ok((ClassSource::Image(Image::open(path)?), None)),
        _ => Err(Unreadable::new(
            path,
            "neither a class file, nor an archive of class files, nor a folder",
        )),
    }
}

fn first_bytes(path: &Path) -> Result<[u8; 4], Unreadable> {
    use std::io::Read;
    let mut first = Vec::new();
    let file = std::fs::File::open(path);
    let read = file.and_then(|file| file.take(4).read_to_end(&mut first));
    read.map_err(|error| Unreadable::io(path, &error))?;
    first.resize(4, 0);
    Ok(first.first_chunk().copied().unwrap_or_default())
}

/// That archives lie where classes are looked for: how many, and one of them.
fn remark_on_archives(count: usize, example: &str) -> Option<String> {
    let more = match count {
        0 => return None,
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    Some(format!(
        "archives in it ({example}{more}) are not looked into: unpack and name them"
    ))
}

/// The class that a path inside of an archive stands for: `org/example/Conn.class`. Nothing for what is no class.
fn class_of_entry(path: &str) -> Option<ClassName> {
    let name = path.strip_suffix(".class")?;
    let simple = name.rsplit('/').next()?;
    let special = matches!(simple, "module-info" | "package-info" | "");
    (!special).then(|| ClassName::new(name))
}
