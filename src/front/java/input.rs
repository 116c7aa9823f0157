//! What a user names, as classes: jars, folders, class files, the image of a JDK, Java sources.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::classfile::ClassFile;
use super::classpath::{ClassPath, Compiled, Jdk, Unreadable, compile, find_jdk};
use super::types::ClassName;
use super::world::World;
use crate::front::tq::nearest;

/// What is to be looked into, and where the classes are found that it refers to.
#[derive(Clone, Copy, Debug)]
pub struct JavaRequest<'a> {
    /// Jars, folders, class files, Java sources, JDKs.
    pub paths: &'a [PathBuf],
    /// More of them, whose classes are only referred to.
    pub class_path: &'a [PathBuf],
    /// The folder of the JDK; one is looked for where none is named.
    pub jdk: Option<&'a Path>,
}

/// The classes that a user named, in a world where those are found that they refer to.
#[derive(Debug)]
pub struct JavaInput {
    /// All classes.
    pub world: World,
    /// Those that were named.
    pub named: Vec<ClassName>,
    /// What was found there and is not looked into, in sentences.
    pub remarks: Vec<String>,
    /// Whether there is a JDK, so that the classes of the class library are known.
    pub with_jdk: bool,
    /// Class files of sources, which live as long as this.
    _compiled: Vec<Compiled>,
}

/// Opens what a user names.
///
/// # Errors
/// A path leads to nothing of the kind, or to nothing that can be read; a source cannot be compiled; there is no class in
/// all of it; the JDK that was named is none.
pub fn open(request: &JavaRequest<'_>) -> Result<JavaInput, Unreadable> {
    let jdk = match request.jdk {
        Some(home) => Some(Jdk::at(home)?),
        None => find_jdk(),
    };
    let mut opening = Opening {
        request,
        jdk: jdk.as_ref(),
        class_path: ClassPath::new(),
        named: Vec::new(),
        remarks: Vec::new(),
        compiled: Vec::new(),
    };
    for path in request.paths {
        opening.named(path)?;
    }
    let mut seen = HashSet::new();
    opening.named.retain(|class| seen.insert(class.clone()));
    for path in request.class_path {
        opening.class_path.add(path)?;
    }
    // What is named may be a JDK itself, and then is not to be mixed with another one.
    let object = opening.class_path.read(&ClassName::object())?;
    if let (None, Some(jdk)) = (object, &jdk) {
        opening.class_path.add_jdk(jdk)?;
    }
    let Opening {
        class_path,
        named,
        remarks,
        compiled,
        ..
    } = opening;
    Ok(JavaInput {
        with_jdk: class_path.place_of(&ClassName::object()).is_some(),
        world: World::new(class_path),
        named,
        remarks,
        _compiled: compiled,
    })
}

/// Why a class cannot be studied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoClass {
    /// Several classes were named, and none was chosen.
    #[error("there are {0} classes, and one has to be chosen")]
    NotChosen(usize),
    /// There is no such class.
    #[error("there is no class `{wanted}`{}", nearest.as_ref().map_or_else(String::new, |name| format!(": did you mean `{name}`?")))]
    Unknown {
        /// What was asked for.
        wanted: String,
        /// A class with a name like that.
        nearest: Option<String>,
    },
    /// Several classes have this name, in different packages.
    #[error("several classes are called `{0}`: {list}", list = .1.join(", "))]
    Ambiguous(String, Vec<String>),
    /// It has no objects of its own.
    #[error("{0} is an interface: it has no fields, and code in classes only")]
    Interface(ClassName),
    /// Its file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

impl JavaInput {
    /// The class of a name: with its package or, where only one of the named classes is called so, without; `.` or `$`
    /// before a nested class. Where only one class was named, no name is needed.
    ///
    /// # Errors
    /// There is none, there are several, or it cannot be read.
    pub fn class(&self, wanted: Option<&str>) -> Result<Arc<ClassFile>, NoClass> {
        let name = match (wanted, self.named.as_slice()) {
            (Some(wanted), _) => self.find(wanted)?,
            (None, [only]) => only.clone(),
            (None, all) => return Err(NoClass::NotChosen(all.len())),
        };
        let class = self.world.load(&name)?;
        match class {
            Some(class) if class.access.is_interface() => Err(NoClass::Interface(name)),
            Some(class) => Ok(class),
            None => Err(self.unknown(&name.to_string())),
        }
    }

    fn find(&self, wanted: &str) -> Result<ClassName, NoClass> {
        let exact = ClassName::new(wanted);
        if self.world.load(&exact)?.is_some() {
            return Ok(exact);
        }
        let dotted = |name: &str| name.replace(['/', '$'], ".");
        let tail = format!(".{}", dotted(wanted));
        let called = |class: &&ClassName| format!(".{}", dotted(class.internal())).ends_with(&tail);
        let found: Vec<&ClassName> = self.named.iter().filter(called).collect();
        match found.as_slice() {
            [] => Err(self.unknown(wanted)),
            [only] => Ok((*only).clone()),
            several => {
                let names = several.iter().take(MOST_NAMED).map(ToString::to_string);
                Err(NoClass::Ambiguous(wanted.to_owned(), names.collect()))
            }
        }
    }

    fn unknown(&self, wanted: &str) -> NoClass {
        let last = |name: &str| name.rsplit(['.', '/']).next().unwrap_or(name).to_owned();
        let simple: Vec<String> = self
            .named
            .iter()
            .map(|class| last(class.internal()))
            .collect();
        let nearest = nearest(&last(wanted), simple.iter().map(String::as_str));
        let position = nearest.and_then(|name| simple.iter().position(|simple| simple == name));
        NoClass::Unknown {
            wanted: wanted.to_owned(),
            nearest: position
                .and_then(|at| self.named.get(at))
                .map(ToString::to_string),
        }
    }
}

/// No more classes of one name are listed.
const MOST_NAMED: usize = 5;

/// The extensions of files with Java classes.
pub const EXTENSIONS: [&str; 6] = ["jar", "war", "zip", "jmod", "class", "java"];

/// Whether a path leads to Java classes, by what it is and is called.
pub fn is_java(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_image = || path.ends_with("lib/modules");
    path.is_dir() || extension.is_some_and(|found| EXTENSIONS.contains(&found)) || is_image()
}

struct Opening<'a> {
    request: &'a JavaRequest<'a>,
    jdk: Option<&'a Jdk>,
    class_path: ClassPath,
    named: Vec<ClassName>,
    remarks: Vec<String>,
    compiled: Vec<Compiled>,
}

impl Opening<'_> {
    fn named(&mut self, path: &Path) -> Result<(), Unreadable> {
        let is_source = path
            .extension()
            .is_some_and(|extension| extension == "java");
        let found = if is_source && path.is_file() {
            self.source(path)?
        } else if let Some(jdk) = path.is_dir().then(|| Jdk::at(path).ok()).flatten() {
            let mut found = Vec::new();
            for archive in jdk.archives() {
                found.extend(self.class_path.add(archive)?);
            }
            found
        } else {
            self.class_path.add(path)?
        };
        let remarks = self.class_path.remarks_on_last();
        if found.is_empty() {
            let mut what = match path.is_dir() {
                true => "there is no class in this directory".to_owned(),
                false => "there is no class in it".to_owned(),
            };
            for remark in remarks {
                what.push_str("; ");
                what.push_str(&remark);
            }
            return Err(Unreadable::new(path, what));
        }
        let told = remarks
            .into_iter()
            .map(|remark| format!("{}: {remark}", path.display()));
        self.remarks.extend(told);
        self.named.extend(found);
        Ok(())
    }

    fn source(&mut self, path: &Path) -> Result<Vec<ClassName>, Unreadable> {
        let compiled = compile(path, self.request.class_path, self.jdk)?;
        if let Some(said) = &compiled.complaints {
            let remark = format!(
                "{}: not all of it could be compiled\n{said}",
                path.display()
            );
            self.remarks.push(remark);
        }
        let found = self.class_path.add(compiled.folder())?;
        self.compiled.push(compiled);
        Ok(found)
    }
}
