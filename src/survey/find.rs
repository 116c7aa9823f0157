//! The classes of files and folders: which files of a folder are read, and what is in each.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::WalkBuilder;
use rayon::prelude::*;

use super::examine::{not_taken, panicked};
use super::line::{SurveyLine, SurveyOutcome, SurveyReason, SurveyedClass};
use crate::front::java::classpath::root_of_class_file;
use crate::load::{self, ClassList, Language, ListedJava, LoadRequest};

/// So many files are read side by side before what is in them is put together.
const AT_A_TIME: usize = 1024;

/// Where classes are looked for, and how.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// Whether the rules of `.gitignore` and the like are ignored, and hidden files are looked into.
    pub no_ignore: bool,
    /// Which classes of Java are examined.
    pub java: ListedJava,
    /// How files are read.
    pub load: LoadRequest,
    /// What the lines give as their options and limits.
    pub options: Arc<str>,
    /// See [`SurveyedClass::limits`].
    pub limits: Arc<str>,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The classes that have a state, in the order of files and of the places in them.
    pub classes: Vec<SurveyedClass>,
    /// What could not be read.
    pub unread: Vec<SurveyLine>,
    /// How many classes were left out, for they have no state.
    pub left_out: usize,
    /// How many files were read.
    pub files: usize,
}

/// Finds all classes that have a state. Files are read side by side; the result does not depend on it.
///
/// # Errors
/// A path leads nowhere, or a folder cannot be looked into.
pub fn find(search: &Search) -> Result<Found, String> {
    let mut files = BTreeSet::new();
    for path in &search.paths {
        search.collect(path, &mut files)?;
    }
    let files: Vec<PathBuf> = files.into_iter().collect();
    let mut found = Found::default();
    // Some at a time: beside the classes themselves there is nothing that grows with them.
    for files in files.chunks(AT_A_TIME) {
        let lists = files.par_iter().map(|file| search.look_into(file));
        for list in lists.collect::<Vec<Found>>() {
            found.classes.extend(list.classes);
            found.unread.extend(list.unread);
            found.left_out += list.left_out;
            found.files += 1;
        }
    }
    Ok(found)
}

impl Search {
    /// The files that a path stands for.
    fn collect(&self, path: &Path, files: &mut BTreeSet<PathBuf>) -> Result<(), String> {
        if !path.exists() {
            return Err(format!("there is no file or folder {}", path.display()));
        }
        // A JDK has its classes in one file.
        if path.is_file() || path.join("lib/modules").is_file() {
            files.insert(path.to_owned());
            return Ok(());
        }
        let mut walk = WalkBuilder::new(path);
        walk.standard_filters(!self.no_ignore)
            .sort_by_file_name(Ord::cmp);
        let (mut sources, mut roots) = (Vec::new(), Vec::<PathBuf>::new());
        for entry in walk.build() {
            let entry = entry.map_err(|error| error.to_string())?;
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                continue;
            }
            let file = entry.into_path();
            match file.extension().and_then(|extension| extension.to_str()) {
                Some("tq" | "sol" | "jar" | "war" | "jmod") => {
                    files.insert(file);
                }
                Some("java") => sources.push(file),
                Some("class") if !roots.iter().any(|root| file.starts_with(root)) => {
                    roots.push(root_of_classes(&file, path));
                }
                _ => {}
            }
        }
        // Where class files are, sources are where they come from.
        let archive = |file: &PathBuf| Language::of(file) == Language::Java;
        if roots.is_empty() && !files.iter().any(archive) {
            files.extend(sources);
        }
        files.extend(roots);
        Ok(())
    }

    /// What is in a file.
    fn look_into(&self, file: &Path) -> Found {
        let request = LoadRequest {
            path: file.to_owned(),
            ..self.load.clone()
        };
        let (outcome, reason) =
            match catch_unwind(AssertUnwindSafe(|| load::list(&request, &self.java))) {
                Ok(Ok(list)) => return self.found(file, &list),
                Ok(Err(wrong)) => (SurveyOutcome::Refused, not_taken(&wrong)),
                Err(panic) => (SurveyOutcome::Failed, panicked(panic.as_ref())),
            };
        let content = std::fs::read(file).map(|bytes| blake3::hash(&bytes));
        let content = content.unwrap_or_else(|_| blake3::hash(&[]));
        Found {
            unread: vec![self.unread(file, None, content, outcome, reason)],
            ..Found::default()
        }
    }

    fn found(&self, file: &Path, list: &ClassList) -> Found {
        let classes = list.classes.iter();
        let classes =
            classes.map(|class| self.class(file, Some(&class.name), class.line, list.content));
        let unread = list.unreadable.iter().map(|(name, what)| {
            let reason = SurveyReason::new("unreadable", what.clone());
            self.unread(
                file,
                Some(name),
                list.content,
                SurveyOutcome::Refused,
                reason,
            )
        });
        Found {
            classes: classes.collect(),
            unread: unread.collect(),
            left_out: list.left_out,
            ..Found::default()
        }
    }

    fn unread(
        &self,
        file: &Path,
        class: Option<&str>,
        content: blake3::Hash,
        outcome: SurveyOutcome,
        reason: SurveyReason,
    ) -> SurveyLine {
        SurveyLine::without(self.class(file, class, None, content), outcome, reason, 0)
    }

    fn class(
        &self,
        file: &Path,
        class: Option<&str>,
        line: Option<usize>,
        content: blake3::Hash,
    ) -> SurveyedClass {
        let mut hash = blake3::Hasher::new();
        hash.update(content.as_bytes());
        hash.update(class.unwrap_or_default().as_bytes());
        let hash = hash.finalize().to_hex();
        SurveyedClass {
            file: file.display().to_string(),
            class: class.map(str::to_owned),
            line,
            language: Language::of(file),
            fingerprint: hash.chars().take(32).collect(),
            options: self.options.clone(),
            limits: self.limits.clone(),
        }
    }
}

/// The folder to read a class file with all that belong to it: the one in which its packages begin, but nothing beside what
/// was named; or the file itself.
fn root_of_classes(file: &Path, named: &Path) -> PathBuf {
    match root_of_class_file(file) {
        Some(root) if named.starts_with(&root) || root == Path::new(".") => named.to_owned(),
        Some(root) => root,
        None => file.to_owned(),
    }
}
