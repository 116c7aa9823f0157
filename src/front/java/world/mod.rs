//! Classes as they belong together: who extends whom, where a member is found, what a class offers its callers.
//!
//! | module | what it holds |
//! |---|---|
//! | `atomic` | fields that are read and written through objects which nobody else has |
//! | `lookup` | fields and methods, found as the machine finds them |
//! | [`studied`] | a class with all that it inherits, as one |
//! | [`initialiser`] | what is known of static fields, from what initialises classes |
//! | `standard` | exceptions that every program knows, where there is no JDK |
//! | [`written`] | conditions that authors wrote down |
//! | [`nesting`] | what compilers add for classes in classes, and for `switch` over enums |

mod atomic;
pub(super) mod documented;
pub mod initialiser;
mod lookup;
pub mod nesting;
mod standard;
pub mod studied;
pub mod written;

use std::sync::Arc;

use super::classfile::{AtomicFields, ClassFile, Method};
use super::classpath::{ClassPath, DAMAGED, Unreadable};
use super::memo::Memo;
use super::types::ClassName;

/// The classes of a class path, read when they are asked for.
#[derive(Debug, Default)]
pub struct World {
    class_path: ClassPath,
    loaded: Memo<ClassName, LoadedClass>,
    /// The fields of nests that are read and written through other objects, by the classes that host them.
    atomics: Memo<ClassName, Arc<AtomicFields>>,
}

/// What became of a class file.
type LoadedClass = Result<Option<Arc<ClassFile>>, Unreadable>;

/// A method of a class.
#[derive(Clone, Debug)]
pub struct MethodOf {
    /// The class that declares it.
    pub class: Arc<ClassFile>,
    /// Which of its methods it is.
    index: usize,
}

impl MethodOf {
    /// The method of that number of a class; nothing where there is none.
    pub fn new(class: &Arc<ClassFile>, index: usize) -> Option<MethodOf> {
        let class = Arc::clone(class);
        (index < class.methods.len()).then_some(MethodOf { class, index })
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.class.methods[self.index]
    }

    /// Whether it is the same method.
    pub fn is(&self, other: &MethodOf) -> bool {
        self.class.name == other.class.name && self.index == other.index
    }
}

/// As a caller writes it, with its class.
impl std::fmt::Display for MethodOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let method = self.method();
        write!(f, "{}.{}{}", self.class.name, method.name, method.signature)
    }
}

/// All methods of a class.
pub fn methods_of(class: &Arc<ClassFile>) -> impl Iterator<Item = MethodOf> {
    (0..class.methods.len()).filter_map(|index| MethodOf::new(class, index))
}

impl World {
    /// The classes of a class path.
    pub fn new(class_path: ClassPath) -> World {
        World {
            class_path,
            loaded: Memo::default(),
            atomics: Memo::default(),
        }
    }

    /// The class path.
    pub fn class_path(&self) -> &ClassPath {
        &self.class_path
    }

    /// The names of all classes of a package.
    pub fn of_package(&self, package: &str) -> Vec<ClassName> {
        let mut classes = self.class_path.classes();
        classes.retain(|class| class.package() == package);
        classes
    }

    /// A class; nothing where no place of the class path has it.
    ///
    /// # Errors
    /// Its file cannot be read.
    pub fn load(&self, name: &ClassName) -> Result<Option<Arc<ClassFile>>, Unreadable> {
        self.loaded.get(name, || {
            let class = self.read(name)?;
            Ok(class.map(|class| Arc::new(self.with_atomics(class))))
        })
    }

    /// A class, where its file is there and can be read.
    pub fn class(&self, name: &ClassName) -> Option<Arc<ClassFile>> {
        self.load(name).ok().flatten()
    }

    /// A class as its file has it.
    fn read(&self, name: &ClassName) -> Result<Option<ClassFile>, Unreadable> {
        let Some(bytes) = self.class_path.read(name)? else {
            return Ok(None);
        };
        let place = || {
            self.class_path
                .place_of(name)
                .unwrap_or(std::path::Path::new(""))
                .to_path_buf()
        };
        let wrong = |what: String| Unreadable {
            path: place(),
            what: format!("{name}: {what}"),
        };
        let class = ClassFile::read(bytes);
        let class = class.map_err(|error| wrong(format!("{DAMAGED}: {error}")))?;
        if class.name != *name {
            return Err(wrong(format!("the file says that it is {}", class.name)));
        }
        Ok(Some(class))
    }

    /// A class with its superclasses, nearest first. Where one is not there, the list ends before it; a circle, which no
    /// compiler makes, ends, too.
    pub fn superclasses(&self, class: &Arc<ClassFile>) -> Vec<Arc<ClassFile>> {
        let mut found = vec![Arc::clone(class)];
        while let Some(last) = found.last()
            && let Some(next) = last.superclass.as_ref().and_then(|name| self.class(name))
        {
            if found.iter().any(|class| class.name == next.name) {
                break;
            }
            found.push(next);
        }
        found
    }

    /// Whether a class is another one, or extends or implements it; nothing where a class in between is not there.
    pub fn is_subclass(&self, name: &ClassName, of: &ClassName) -> Option<bool> {
        if name == of || of.is("java/lang/Object") {
            return Some(true);
        }
        let mut known = true;
        let mut seen = std::collections::HashSet::new();
        let mut work = vec![name.clone()];
        while let Some(name) = work.pop() {
            if name == *of {
                return Some(true);
            }
            if !seen.insert(name.clone()) {
                continue;
            }
            match (self.class(&name), standard::superclass(name.internal())) {
                (Some(class), _) => {
                    work.extend(class.superclass.iter().chain(&class.interfaces).cloned());
                }
                (None, Some(superclass)) => work.push(ClassName::new(superclass)),
                (None, None) => known &= name.is("java/lang/Object"),
            }
        }
        known.then_some(false)
    }
}
