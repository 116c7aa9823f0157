//! EPAs of the classes of open texts, and pages of them, made beside the answers. An edit ends what is being computed of the
//! text before.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::client::Client;
use super::pages::{self, Pages};
use crate::analysis::Analysis;
use crate::cli::cache;
use crate::engine::{Choice, EngineConfig, Interrupt};
use crate::epa::{ConstructOptions, Epa};
use crate::front::tq::Loaded;
use crate::ir::RoutineKind;
use crate::load::Input;

/// The stack of a thread that analyses, in bytes: what a command has.
const STACK: usize = 8 << 20;

/// The EPAs of a text, by their classes.
pub(super) type KnownEpas = BTreeMap<String, Arc<Epa>>;

/// What is computed of one text.
#[derive(Default)]
struct Work {
    interrupt: Interrupt,
    known: KnownEpas,
}

/// All that is computed, by the names of the texts.
#[derive(Clone)]
pub(super) struct Background {
    works: Arc<Mutex<HashMap<String, Work>>>,
    pages: Arc<Mutex<Pages>>,
    client: Client,
}

impl Background {
    /// Nothing yet. The editor is told when something is there.
    pub(super) fn new(client: Client) -> Background {
        Background {
            works: Arc::default(),
            pages: Arc::default(),
            client,
        }
    }

    fn works(&self) -> MutexGuard<'_, HashMap<String, Work>> {
        self.works.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known by now of a text.
    pub(super) fn known(&self, name: &str) -> KnownEpas {
        let works = self.works();
        works
            .get(name)
            .map(|work| work.known.clone())
            .unwrap_or_default()
    }

    /// Ends what is computed of a text, and forgets what was.
    pub(super) fn forget(&self, name: &str) {
        if let Some(work) = self.works().remove(name) {
            work.interrupt.set();
        }
    }

    /// Ends all.
    pub(super) fn end(&self) {
        self.works().values().for_each(|work| work.interrupt.set());
    }

    /// Computes the EPAs of a text, instead of those of the text that had this name before.
    pub(super) fn compute(&self, name: &str, loaded: &Loaded) {
        self.forget(name);
        let work = Work::default();
        let interrupt = work.interrupt.clone();
        self.works().insert(name.to_owned(), work);
        let (shared, name, loaded) = (self.clone(), name.to_owned(), loaded.clone());
        beside(move || {
            for class in acting(&loaded) {
                if let Ok(analysis) = analysis(&loaded, &class, &interrupt) {
                    shared.compute_class(&name, &class, &analysis);
                }
            }
        });
    }

    /// Computes what there is to know of a class, and draws its page anew if it is open.
    fn compute_class(&self, name: &str, class: &str, analysis: &Analysis) {
        let Ok(made) = analysis.epa(&ConstructOptions::default()) else {
            return;
        };
        let mut works = self.works();
        // An edit in between took the work away: this is of a text that is gone.
        if analysis.is_interrupted() {
            return;
        }
        if let Some(work) = works.get_mut(name) {
            work.known.insert(class.to_owned(), Arc::new(made.epa()));
        }
        drop(works);
        self.client.has_lenses();
        self.draw_page(name, class, analysis);
    }

    /// Opens a page of a class, which then follows the text.
    pub(super) fn open_page(&self, name: &str, class: &str, loaded: &Loaded) {
        if let Err(error) = self.pages().open(name, class) {
            return self
                .client
                .complain(&format!("there can be no page: {error}"));
        }
        let Some(interrupt) = self.works().get(name).map(|work| work.interrupt.clone()) else {
            return;
        };
        let (shared, loaded) = (self.clone(), loaded.clone());
        let (name, class) = (name.to_owned(), class.to_owned());
        beside(move || match analysis(&loaded, &class, &interrupt) {
            Ok(analysis) => shared.draw_page(&name, &class, &analysis),
            Err(why) => shared.no_page(&class, &why),
        });
    }

    /// Draws a page if it is open, and shows it if that is still to be done.
    fn draw_page(&self, name: &str, class: &str, analysis: &Analysis) {
        let Some(file) = self.pages().file(name, class) else {
            return;
        };
        match pages::draw(analysis, &file) {
            Ok(false) => {}
            Ok(true) => {
                if self.pages().is_to_be_shown(name, class) {
                    self.client.show(&file);
                }
            }
            Err(why) => self.no_page(class, &why),
        }
    }

    fn no_page(&self, class: &str, why: &str) {
        self.client.complain(&format!("no page of {class}: {why}"));
    }
}

/// Runs something beside everything else. Where there can be no thread, there are no lenses and no pages.
fn beside(work: impl FnOnce() + Send + 'static) {
    let _ = std::thread::Builder::new().stack_size(STACK).spawn(work);
}

/// The classes that have actions.
fn acting(loaded: &Loaded) -> Vec<String> {
    let classes = loaded.program.classes.iter();
    let acting = classes.filter(|class| class.routines_of(RoutineKind::Action).count() > 0);
    acting.map(|class| class.name.clone()).collect()
}

/// What a class is analysed with, or why it cannot be.
fn analysis(loaded: &Loaded, class: &str, interrupt: &Interrupt) -> Result<Analysis, String> {
    let input = Input::of_class(loaded.clone(), class).map_err(|error| error.to_string())?;
    let config = EngineConfig {
        interrupt: interrupt.clone(),
        ..EngineConfig::default()
    };
    let choice = Choice {
        config,
        answers: cache::store(),
        ..Choice::default()
    };
    Analysis::new(input, choice).map_err(|error| error.to_string())
}
