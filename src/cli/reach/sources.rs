//! The files of one program, read as one text after the other: which line of which file a line is.

use crate::boogie::ast::{self, Pos};
use crate::boogie::{Errors, check, parse_with, typed};

/// The files, and the number of the first line of each.
pub(super) struct SourceFiles(Vec<(String, u32)>);

impl SourceFiles {
    /// Reads and checks the files; what is wrong comes as Corral says it.
    ///
    /// # Errors
    ///
    /// The message: a file that cannot be read, or is no Boogie program.
    pub(super) fn read(files: &[String]) -> Result<(Self, typed::TypedProgram), String> {
        let mut sources = SourceFiles(Vec::new());
        let mut tree = ast::BoogieProgram::default();
        let mut first_line = 1;
        for (number, file) in files.iter().enumerate() {
            let text = std::fs::read_to_string(file)
                .map_err(|e| format!("Error, cannot read {file}: {e}\n"))?;
            sources.0.push((file.clone(), first_line));
            // What Boogie defines for the files of its command line.
            let defines = [format!("FILE_{number}")];
            let part = parse_with(&text, first_line, &defines).map_err(|e| {
                let list = sources.list(&e, "error");
                let (n, name) = (e.0.len(), short(file));
                format!("{list}{n} parse errors detected in {name}\n")
            })?;
            tree.decls.extend(part.decls);
            first_line += text.lines().count() as u32 + 1;
        }
        let typed = check(&tree).map_err(|e| {
            let list = sources.list(&e, "Error");
            let (n, name) = (e.0.len(), short(sources.main_file()));
            format!("{list}{n} name resolution or type checking errors detected in {name}\n")
        })?;
        Ok((sources, typed))
    }

    /// The first file.
    pub(super) fn main_file(&self) -> &str {
        self.0.first().map_or("", |(file, _)| file)
    }

    /// Is there more than one file?
    pub(super) fn several(&self) -> bool {
        self.0.len() > 1
    }

    /// The file that a place is in, and the place in it.
    pub(super) fn place(&self, pos: Pos) -> (&str, Pos) {
        let found = self.0.iter().rfind(|(_, first)| *first <= pos.line);
        let (file, first) = found.map_or((self.main_file(), 1), |(file, first)| (file, *first));
        let line = (pos.line + 1).saturating_sub(first);
        (file, Pos { line, ..pos })
    }

    fn list(&self, errors: &Errors, what: &str) -> String {
        let lines = errors.0.iter().map(|e| {
            let (file, pos) = self.place(e.pos);
            let name = short(file);
            format!("{name}({},{}): {what}: {}\n", pos.line, pos.col, e.message)
        });
        lines.collect()
    }
}

/// The file's own name, without its folder.
pub(super) fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}
