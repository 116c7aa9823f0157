//! The files of one program, read as one text after the other: which line of which file a line is.

use std::collections::HashMap;

use super::origins::{SourcePlace, source_places};
use crate::boogie::ast::{self, Pos};
use crate::boogie::{Errors, check, library, parse_with, typed};

/// What Boogie's library is called where a place in it is named.
const LIBRARY: &str = "lib:base";

/// The files of a program.
pub(super) struct SourceFiles {
    /// Each with the number of its first line.
    files: Vec<(String, u32)>,
    /// The places in other sources that commands say they were made from.
    origins: HashMap<(u32, u32), SourcePlace>,
}

impl SourceFiles {
    /// Reads and checks the files; what is wrong comes as Corral says it.
    ///
    /// # Errors
    ///
    /// The message: a file that cannot be read, or is no Boogie program.
    pub(super) fn read(
        files: &[String],
        with_library: bool,
    ) -> Result<(Self, ast::BoogieProgram, typed::TypedProgram), String> {
        let mut sources = SourceFiles {
            files: Vec::new(),
            origins: HashMap::new(),
        };
        let mut tree = ast::BoogieProgram::default();
        let mut first_line = 1;
        let mut texts = Vec::new();
        for file in files {
            let text = std::fs::read_to_string(file);
            texts.push(text.map_err(|e| format!("Error, cannot read {file}: {e}\n"))?);
        }
        let mut users = Vec::new();
        for (number, (file, text)) in files.iter().zip(&texts).enumerate() {
            sources.files.push((file.clone(), first_line));
            // What Boogie defines for the files of its command line.
            let defines = [format!("FILE_{number}")];
            let part = parse_with(text, first_line, &defines).map_err(|e| {
                let list = sources.list(&e, "error");
                let (n, name) = (e.0.len(), short(file));
                format!("{list}{n} parse errors detected in {name}\n")
            })?;
            tree.decls.extend(part.decls);
            users.push((text.as_str(), first_line, defines.to_vec()));
            first_line += text.lines().count() as u32 + 1;
        }
        if with_library {
            sources.files.push((LIBRARY.into(), first_line));
            let part = library(&tree, &users, first_line);
            let part = part.map_err(|e| sources.list(&e, "error"))?;
            tree.decls.extend(part.decls);
        }
        drop(texts);
        let typed = check(&tree).map_err(|e| {
            let list = sources.list(&e, "Error");
            let (n, name) = (e.0.len(), short(sources.main_file()));
            format!("{list}{n} name resolution or type checking errors detected in {name}\n")
        })?;
        sources.origins = source_places(&tree);
        Ok((sources, tree, typed))
    }

    /// The place in other sources that the command at a place says it was made from.
    pub(super) fn source_place(&self, pos: Pos) -> Option<&SourcePlace> {
        self.origins.get(&(pos.line, pos.col))
    }

    /// The first file.
    pub(super) fn main_file(&self) -> &str {
        self.files.first().map_or("", |(file, _)| file)
    }

    /// Is there more than one file?
    pub(super) fn several(&self) -> bool {
        self.files.len() > 1
    }

    /// The file that a place is in, and the place in it.
    pub(super) fn place(&self, pos: Pos) -> (&str, Pos) {
        let found = self.files.iter().rfind(|(_, first)| *first <= pos.line);
        let (file, first) = found.map_or((self.main_file(), 1), |(file, first)| (file, *first));
        let line = (pos.line + 1).saturating_sub(first);
        (file, Pos { line, ..pos })
    }

    fn list(&self, errors: &Errors, what: &str) -> String {
        let lines = errors.0.iter().map(|e| {
            let (file, pos) = self.place(e.pos);
            let name = short(file);
            let first = e.first.map_or_else(String::new, |first| {
                let (file, pos) = self.place(first);
                format!(
                    " (the first is at {}({},{}))",
                    short(file),
                    pos.line,
                    pos.col
                )
            });
            let message = &e.message;
            format!(
                "{name}({},{}): {what}: {message}{first}\n",
                pos.line, pos.col
            )
        });
        lines.collect()
    }
}

/// The file's own name, without its folder.
pub(super) fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}
