//! A Java class as a class of the language. An action requires what its own code asks for before it goes on; what other code
//! may raise refuses nothing.

use std::sync::Arc;

use super::guards::{GuardReading, guarded};
use super::{Input, LoadError, LoadRequest, choice, made};
use crate::front::java::input::{self, JavaInput, JavaRequest, NoClass};
use crate::front::java::lower;
use crate::front::tq::Loaded;
use crate::typestate::requires::{Inferred, called_inside, given, written};

/// What is named, with all that it refers to.
pub(super) fn open(request: &LoadRequest) -> Result<JavaInput, LoadError> {
    input::open(&JavaRequest {
        paths: std::slice::from_ref(&request.path),
        class_path: &request.java.class_path,
        jdk: request.java.jdk.as_deref(),
    })
    .map_err(|error| LoadError::request(error.to_string()))
}

/// The class that is wanted. The last class of the text is the one under study.
pub(super) fn load(request: &LoadRequest) -> Result<Input, LoadError> {
    let path = &request.path;
    let opened = open(request)?;
    let found = opened.class(request.class.as_deref()).map_err(|error| {
        let help = match error {
            NoClass::NotChosen(_) | NoClass::Ambiguous(..) => {
                Some("name one with --class; `tranquera java` lists them")
            }
            NoClass::Unknown { .. } => Some("`tranquera java` lists the classes"),
            NoClass::Interface(_) | NoClass::Unreadable(_) => None,
        };
        LoadError::Request {
            message: format!("{}: {error}", path.display()),
            help: help.map(str::to_owned),
        }
    })?;
    let name = format!("{} (as text)", found.name);
    let lowered = lower::lower(&opened.world, &found);
    let plain = made(path, &name, &lowered.text)?;
    let whole = LoadRequest {
        class: None,
        ..request.clone()
    };
    let all = choice::chosen(plain, &whole, Vec::new())?;
    let (studied, left) = match request.java.whole {
        true => (all, whole),
        // A slice has no other actions than were asked for.
        false => {
            let all_left = LoadRequest {
                actions: Vec::new(),
                without: Vec::new(),
                ..whole
            };
            (all.sliced_as(&name)?, all_left)
        }
    };
    let (plain, class) = (studied.loaded, studied.class);
    let refused = GuardReading::Possible(Vec::new());
    let (found, unsure) = guarded(&plain.program, class, &refused, request)?;
    let notes = opened.remarks.iter().cloned().chain(lowered.notes);
    let notes = notes.chain(unsure).collect();
    // Where bodies call an action, its clauses stay out of the text: they are for callers from outside.
    let inside = called_inside(&plain.program);
    let (kept_out, outside): (Vec<Inferred>, Vec<Inferred>) = found
        .into_iter()
        .partition(|found| inside.contains(&found.routine));
    let text = written(&plain.program, class, &plain.source, &outside, &[]);
    let loaded = made(path, &name, &text)?;
    let unsure = outside.into_iter().map(|found| Inferred {
        clauses: Vec::new(),
        ..found
    });
    let others: Vec<Inferred> = kept_out.into_iter().chain(unsure).collect();
    let program = Arc::new(given(&loaded.program, &others));
    choice::chosen(Loaded { program, ..loaded }, &left, notes)
}
