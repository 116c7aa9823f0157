//! Which JDK is installed, and where its classes are.

use std::path::{Path, PathBuf};

use super::Unreadable;

/// An installed JDK or JRE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jdk {
    home: PathBuf,
    archives: Vec<PathBuf>,
}

impl Jdk {
    /// The JDK in a folder. From Java 9 on its classes are in `lib/modules` or, in a JDK without that, in `jmods`; before,
    /// in `rt.jar`.
    ///
    /// # Errors
    /// There is none in that folder.
    pub fn at(home: &Path) -> Result<Jdk, Unreadable> {
        let single = ["lib/modules", "jre/lib/rt.jar", "lib/rt.jar"];
        let single = single
            .iter()
            .map(|path| home.join(path))
            .find(|path| path.is_file());
        let archives = single.map_or_else(|| jmods(home), |path| vec![path]);
        if archives.is_empty() {
            return Err(Unreadable::new(
                home,
                "no JDK: it has no lib/modules, no jmods, no rt.jar",
            ));
        }
        let home = home.to_path_buf();
        Ok(Jdk { home, archives })
    }

    /// Its folder.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The files that hold its classes.
    pub fn archives(&self) -> &[PathBuf] {
        &self.archives
    }

    /// One of its commands, `javac`, if it has it.
    pub fn command(&self, name: &str) -> Option<PathBuf> {
        let path = self.home.join("bin").join(name);
        path.is_file().then_some(path)
    }
}

fn jmods(home: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home.join("jmods"))
        .into_iter()
        .flatten()
        .flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    found.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "jmod")
    });
    found.sort();
    found
}

/// The JDK that `JAVA_HOME` names, or else the one that the first `java` on the path belongs to.
pub fn find() -> Option<Jdk> {
    let home = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let named = home.and_then(|home| Jdk::at(&home).ok());
    named
        .or_else(|| on_the_path("javac"))
        .or_else(|| on_the_path("java"))
}

/// The JDK of a command on the path: links lead to `HOME/bin/java`.
fn on_the_path(command: &str) -> Option<Jdk> {
    let path = std::env::var_os("PATH")?;
    let mut candidates = std::env::split_paths(&path).map(|folder| folder.join(command));
    candidates.find_map(|candidate| {
        let real = std::fs::canonicalize(candidate).ok()?;
        // Java 8 has its `java` in `jre/bin`, which has an `rt.jar` in `lib` beside it.
        Jdk::at(real.parent()?.parent()?).ok()
    })
}
