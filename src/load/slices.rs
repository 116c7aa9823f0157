//! The slice of a class, as a class of its own.

use std::path::Path;

use super::{Input, LoadError, LoadRequest, choice, made};
use crate::front::tq;
use crate::ir::RoutineRef;
use crate::ir::backwards::Which;
use crate::ir::slice::slice;

impl Input {
    /// The part of the program on which the abstraction of the class depends, as a text of its own. Its places are in that
    /// text; what was dropped stands there in comments.
    ///
    /// # Errors
    /// The text is no class: a mistake of ours.
    pub fn sliced(&self) -> Result<Input, LoadError> {
        self.sliced_as(&format!("{} (slice)", self.loaded.source.name))
    }

    /// The same, its text called so.
    pub(super) fn sliced_as(&self, name: &str) -> Result<Input, LoadError> {
        let program = &self.loaded.program;
        let slice = slice(program, self.class, &self.actions, &Which::All);
        let source = &self.loaded.source;
        let written = tq::text_of(&slice, source);
        let loaded = made(Path::new(&source.name), name, &written.text)?;
        let loaded = loaded.made_from(&written, source);
        let request = LoadRequest {
            class: Some(program.class(self.class).name.clone()),
            ..LoadRequest::default()
        };
        let slice = choice::chosen(loaded, &request, self.notes.clone())?;
        let left = &slice.loaded.program.class(slice.class).routines;
        let unsure = self.unsure.iter().filter_map(|(routine, note)| {
            let name = &program.routine(*routine).name;
            let index = left.iter().position(|routine| routine.name == *name)?;
            let class = slice.class;
            Some((RoutineRef { class, index }, note.clone()))
        });
        Ok(Input {
            unsure: unsure.collect(),
            places: self.places.clone(),
            messages: self.messages.clone(),
            java_calls: self.java_calls.clone(),
            ..slice
        })
    }
}
