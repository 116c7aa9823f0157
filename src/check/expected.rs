//! Which file is expected of which class: `gate.Gate.epa.json` is the EPA of the class `Gate` of `gate.tq`, or of the
//! contract of that name of `gate.sol`, beside it.
//!
//! Names of files and of classes may have dots in them, so a name is read by what stands beside it. Where two sources have
//! the same stem, the name says which: `gate.sol.Gate.epa.json`. A name without a class (`gate.epa.json`) leaves that to
//! the EPA inside, which names its class.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::load::Language;

/// What the name of such a file ends with.
const ENDING: &str = ".epa.json";

/// A file with an EPA, and what it is expected of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expected {
    /// The file.
    pub file: PathBuf,
    /// The source of the class.
    pub source: PathBuf,
    /// The class; none where the EPA inside says it.
    pub class: Option<String>,
}

/// Why it is not clear what an EPA is expected of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    /// There is no source.
    #[error(
        "{file}: there is no source beside it that it could be expected of\nhelp: if the class is gone, delete this file; if it was moved or renamed, move this file along"
    )]
    NoSource {
        /// The file, as it is shown.
        file: String,
    },
    /// There are several.
    #[error(
        "{file}: this may be expected of {first} or of {second}\nhelp: say which in its name: {clear}"
    )]
    Several {
        /// The file, as it is shown.
        file: String,
        /// One source.
        first: String,
        /// Another one.
        second: String,
        /// A name that is clear.
        clear: String,
    },
    /// A name that no file can have.
    #[error("no file can be named after the class `{class}`")]
    Name {
        /// The class.
        class: String,
    },
}

/// Whether a file is called as one that holds what is expected of a class.
pub fn is_expectation(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str);
    name.and_then(|name| name.strip_suffix(ENDING))
        .is_some_and(|rest| !rest.is_empty())
}

impl Expected {
    /// What the EPA in a file is expected of, by its name and by what stands beside it.
    ///
    /// # Errors
    /// There is no source, or more than one.
    pub fn of(file: &Path) -> Result<Expected, Unclear> {
        let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let rest = name.strip_suffix(ENDING).unwrap_or(name);
        let folder = file.parent().unwrap_or(Path::new(""));
        let beside = sources_in(folder);
        for (stem, class) in splits(rest) {
            let sources = named(&beside, stem);
            let expected = |source: &String| Expected {
                file: file.to_owned(),
                source: folder.join(source),
                class: class.map(str::to_owned),
            };
            match sources.as_slice() {
                [] => {}
                [only] => return Ok(expected(only)),
                [first, second, ..] => {
                    let class = class.map(|class| format!(".{class}")).unwrap_or_default();
                    return Err(Unclear::Several {
                        file: file.display().to_string(),
                        first: first.to_string(),
                        second: second.to_string(),
                        clear: format!("{first}{class}{ENDING}"),
                    });
                }
            }
        }
        Err(Unclear::NoSource {
            file: file.display().to_string(),
        })
    }

    /// The file in which the EPA of a class of a source is to be kept.
    ///
    /// # Errors
    /// No file can have such a name.
    pub fn for_class(source: &Path, class: &str) -> Result<Expected, Unclear> {
        let unclear = || Unclear::Name {
            class: class.to_owned(),
        };
        let name = source
            .file_name()
            .and_then(OsStr::to_str)
            .ok_or_else(unclear)?;
        if class.is_empty() || class.contains(['/', '\\', '\0']) {
            return Err(unclear());
        }
        let folder = source.parent().unwrap_or(Path::new(""));
        let file = |stem: &str| folder.join(format!("{stem}.{class}{ENDING}"));
        let wanted = Expected {
            file: file(name),
            source: source.to_owned(),
            class: Some(class.to_owned()),
        };
        // The shorter name, wherever it is read as what it says.
        let stem = source.file_stem().and_then(OsStr::to_str);
        let short = stem.map(file).and_then(|file| Expected::of(&file).ok());
        let same = |short: &Expected| short.source == wanted.source && short.class == wanted.class;
        Ok(short.filter(same).unwrap_or(wanted))
    }
}

/// The files and folders of a folder that a front end may read.
fn sources_in(folder: &Path) -> Vec<String> {
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let entries = entries.filter_map(Result::ok);
    let names = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let is_source = !is_expectation(Path::new(&name)) && extension(&name).is_some();
        (is_source && entry.path().is_file()).then_some(name)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The extension, where it is that of a source.
fn extension(name: &str) -> Option<&str> {
    let extension = Path::new(name).extension().and_then(OsStr::to_str)?;
    Language::reads(extension).then_some(extension)
}

/// The ways to read a name as that of a source and a class, the longest source first.
fn splits(rest: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let dots = rest.rmatch_indices('.').map(|(at, _)| at);
    let split = dots.map(move |at| (&rest[..at], Some(&rest[at + 1..])));
    std::iter::once((rest, None))
        .chain(split)
        .filter(|(stem, class)| !stem.is_empty() && class.is_none_or(|class| !class.is_empty()))
}

/// The sources that a part of a name says: the one that is called so, or else those with another extension. JSON is read
/// by its contents, and may be anything: it is taken only where there is nothing else.
fn named<'a>(beside: &'a [String], stem: &str) -> Vec<&'a String> {
    if let Some(whole) = beside.iter().find(|name| *name == stem) {
        return vec![whole];
    }
    let of_stem = |name: &&String| Path::new(name).file_stem() == Some(OsStr::new(stem));
    let (json, others): (Vec<&String>, Vec<&String>) = (beside.iter())
        .filter(of_stem)
        .partition(|name| extension(name) == Some("json"));
    if others.is_empty() { json } else { others }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of each name in a folder with these files.
    fn read(files: &[&str], name: &str) -> Result<(String, Option<String>), Unclear> {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            std::fs::write(folder.path().join(file), "").expect("written");
        }
        let expected = Expected::of(&folder.path().join(name))?;
        let source = expected.source.file_name().expect("a name");
        Ok((source.to_string_lossy().into_owned(), expected.class))
    }

    #[test]
    fn a_name_is_read_by_what_stands_beside_it() {
        let some = |source: &str, class: &str| Ok((source.to_owned(), Some(class.to_owned())));
        assert_eq!(read(&["a.tq"], "a.C.epa.json"), some("a.tq", "C"));
        assert_eq!(
            read(&["a.jar"], "a.org.x.C.epa.json"),
            some("a.jar", "org.x.C")
        );
        let two = ["a-1.2.jar", "a-1.jar"];
        assert_eq!(read(&two, "a-1.2.C.epa.json"), some("a-1.2.jar", "C"));
        assert_eq!(read(&two, "a-1.C.epa.json"), some("a-1.jar", "C"));
        assert_eq!(read(&["a.tq", "a.json"], "a.C.epa.json"), some("a.tq", "C"));
        assert_eq!(read(&["a.json"], "a.C.epa.json"), some("a.json", "C"));
        let both = ["a.sol", "a.tq"];
        assert_eq!(read(&both, "a.sol.C.epa.json"), some("a.sol", "C"));
        assert!(matches!(
            read(&both, "a.C.epa.json"),
            Err(Unclear::Several { .. })
        ));
        assert!(matches!(
            read(&["b.tq"], "a.C.epa.json"),
            Err(Unclear::NoSource { .. })
        ));
        assert_eq!(read(&["a.tq"], "a.epa.json"), Ok(("a.tq".to_owned(), None)));
    }

    #[test]
    fn a_new_file_has_the_shortest_name_that_is_clear() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let named = |source: &str, class: &str| {
            let made = Expected::for_class(&at(source), class).expect("a name");
            assert_eq!(
                Expected::of(&made.file).expect("clear"),
                made,
                "it is read again"
            );
            made.file
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned()
        };
        std::fs::write(at("a.tq"), "").expect("written");
        assert_eq!(named("a.tq", "C"), "a.C.epa.json");
        std::fs::write(at("a.sol"), "").expect("written");
        assert_eq!(named("a.tq", "C"), "a.tq.C.epa.json");
        // `a.C` would be another source.
        std::fs::write(at("b.tq"), "").expect("written");
        std::fs::write(at("b.C.tq"), "").expect("written");
        assert_eq!(named("b.tq", "C"), "b.tq.C.epa.json");
        assert!(Expected::for_class(&at("a.tq"), "../C").is_err());
    }
}
