//! What is studied of a document. A text of the input language is studied as it stands in the editor; of another language it
//! is the file, as it was last saved, for compilers read files.

use std::path::{Path, PathBuf};

use crate::analysis::Analysis;
use crate::cli::cache;
use crate::engine::{Choice, EngineConfig, Interrupt};
use crate::front::tq::Loaded;
use crate::ir::RoutineKind;
use crate::load::{self, Input, Language, ListedJava, LoadComplaint, LoadError, LoadRequest};

/// What is studied.
#[derive(Clone)]
pub(super) enum Studied {
    /// A text of the input language that is right.
    Text(Box<Loaded>),
    /// A file of another language.
    File(PathBuf),
}

/// Whether a path leads to a text of the input language. What has no file is one, too.
pub(super) fn is_text(path: &Path) -> bool {
    Language::of(path) == Language::Tq
}

impl Studied {
    /// Its classes that can be studied, with what is wrong with others; or what is wrong with all of it.
    pub(super) fn classes(
        &self,
        interrupt: &Interrupt,
    ) -> Result<(Vec<String>, Vec<LoadComplaint>), LoadError> {
        match self {
            Studied::Text(loaded) => Ok((acting(loaded), Vec::new())),
            Studied::File(path) => {
                let list = load::list(&request(path, interrupt), &ListedJava::default())?;
                let unreadable = list.unreadable.into_iter();
                let unreadable =
                    unreadable.map(|(name, why)| LoadComplaint::plain(format!("{name}: {why}")));
                let names = list.classes.into_iter().map(|class| class.name);
                Ok((names.collect(), unreadable.collect()))
            }
        }
    }

    /// What a class is analysed with, or why it cannot be.
    pub(super) fn analysis(
        &self,
        class: &str,
        interrupt: &Interrupt,
    ) -> Result<Analysis, Vec<LoadComplaint>> {
        let input = match self {
            Studied::Text(loaded) => Input::of_class(Loaded::clone(loaded), class),
            Studied::File(path) => load::load(&LoadRequest {
                class: Some(class.to_owned()),
                ..request(path, interrupt)
            }),
        };
        let config = EngineConfig {
            interrupt: interrupt.clone(),
            ..EngineConfig::default()
        };
        let choice = Choice {
            config,
            answers: cache::store(),
            ..Choice::default()
        };
        let input = input.map_err(|error| error.complaints())?;
        Analysis::new(input, choice).map_err(|error| vec![LoadComplaint::plain(error.to_string())])
    }
}

fn request(path: &Path, interrupt: &Interrupt) -> LoadRequest {
    LoadRequest {
        path: path.to_owned(),
        interrupt: interrupt.clone(),
        ..LoadRequest::default()
    }
}

/// The classes that have actions.
fn acting(loaded: &Loaded) -> Vec<String> {
    let classes = loaded.program.classes.iter();
    let acting = classes.filter(|class| class.routines_of(RoutineKind::Action).count() > 0);
    acting.map(|class| class.name.clone()).collect()
}
