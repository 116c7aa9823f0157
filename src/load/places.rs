//! Where a class and its routines stand in the user's own files. What a front end makes of a class is a text of its own,
//! whose places say nothing to a person.

use std::collections::BTreeMap;
use std::fmt;

use super::Input;
use crate::front::solidity::{FileRange, Files};
use crate::ir::span::Span;
use crate::ir::{RoutineKind, RoutineRef, Source};

/// A place in a file of the user's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UserPlace {
    /// The file.
    pub file: String,
    /// The line and the column (both from 1, in characters) where it begins.
    pub start: (usize, usize),
    /// Where it ends: behind its last character.
    pub end: (usize, usize),
}

impl UserPlace {
    /// A place of Solidity's, where its file is there.
    pub(super) fn of_range(files: &Files, range: FileRange) -> Option<UserPlace> {
        let file = files.get(range.file)?;
        Some(UserPlace {
            file: file.name.clone(),
            start: file.line_column(range.start)?,
            end: file.line_column(range.end)?,
        })
    }
}

/// Where it begins, as compilers say it: `door.tq:3:1`.
impl fmt::Display for UserPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.start;
        write!(f, "{}:{line}:{column}", self.file)
    }
}

/// Where a class and its routines stand, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The class.
    pub class: Option<UserPlace>,
    /// Its actions by their names, its constructors as they are shown: `FiniteStack(int)`.
    pub routines: BTreeMap<String, UserPlace>,
}

impl Places {
    /// Of an action or constructor; or else of the class.
    pub fn of(&self, callee: Option<&str>) -> Option<&UserPlace> {
        let routine = callee.and_then(|name| self.routines.get(name));
        routine.or(self.class.as_ref())
    }

    /// Those in the text of the class.
    pub(super) fn in_text(input: &Input) -> Places {
        let (program, source) = (&input.loaded.program, &input.loaded.source);
        let class = program.class(input.class);
        let routines = class.routines.iter().enumerate();
        let routines = routines.map(|(index, routine)| {
            let reference = RoutineRef {
                class: input.class,
                index,
            };
            let name = match routine.kind {
                RoutineKind::Constructor => program.signature(reference),
                RoutineKind::Action | RoutineKind::Procedure => routine.shown().to_owned(),
            };
            (name, place(source, routine.span))
        });
        Places {
            routines: routines.collect(),
            class: Some(place(source, class.span)),
        }
    }
}

fn place(source: &Source, span: Span) -> UserPlace {
    UserPlace {
        file: source.name.clone(),
        start: source.line_column(span.start as usize),
        end: source.line_column(span.end as usize),
    }
}
