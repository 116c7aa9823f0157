//! EPAs of the classes of open texts, computed beside the answers. An edit ends what is being computed of the text before.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lsp_server::{Message, Request, RequestId};
use lsp_types::request::{CodeLensRefresh, Request as _};

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
pub(super) struct Background {
    works: Arc<Mutex<HashMap<String, Work>>>,
    /// Tells the editor something; none where it cannot be told that there are new lenses.
    tell: Option<Arc<dyn Fn(Message) + Send + Sync>>,
}

impl Background {
    /// Nothing yet. There is more to be told when an EPA is there.
    pub(super) fn new(tell: Option<Arc<dyn Fn(Message) + Send + Sync>>) -> Background {
        Background {
            works: Arc::default(),
            tell,
        }
    }

    fn works(&self) -> MutexGuard<'_, HashMap<String, Work>> {
        self.works.lock().unwrap_or_else(PoisonError::into_inner)
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
        let (works, tell) = (Arc::clone(&self.works), self.tell.clone());
        let (name, loaded) = (name.to_owned(), loaded.clone());
        // Where there can be no thread, there are no lenses.
        let _ = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn(move || {
                for class in acting(&loaded) {
                    let Some(epa) = epa(&loaded, &class, &interrupt) else {
                        continue;
                    };
                    let mut works = works.lock().unwrap_or_else(PoisonError::into_inner);
                    // An edit in between took the work away: this is of a text that is gone.
                    if interrupt.is_set() {
                        return;
                    }
                    if let Some(work) = works.get_mut(&name) {
                        work.known.insert(class, Arc::new(epa));
                    }
                    drop(works);
                    if let Some(tell) = &tell {
                        tell(refresh());
                    }
                }
            });
    }
}

/// That there are new lenses. The answer says nothing, so that all of these may have the same name.
fn refresh() -> Message {
    let id = RequestId::from("tranquera/lenses".to_owned());
    Request::new(
        id,
        CodeLensRefresh::METHOD.to_owned(),
        serde_json::Value::Null,
    )
    .into()
}

/// The classes that have actions.
fn acting(loaded: &Loaded) -> Vec<String> {
    let classes = loaded.program.classes.iter();
    let acting = classes.filter(|class| class.routines_of(RoutineKind::Action).count() > 0);
    acting.map(|class| class.name.clone()).collect()
}

/// The EPA of a class; none where it was ended, or no engine can be run.
fn epa(loaded: &Loaded, class: &str, interrupt: &Interrupt) -> Option<Epa> {
    let input = Input::of_class(loaded.clone(), class).ok()?;
    let config = EngineConfig {
        interrupt: interrupt.clone(),
        ..EngineConfig::default()
    };
    let choice = Choice {
        config,
        answers: cache::store(),
        ..Choice::default()
    };
    let analysis = Analysis::new(input, choice).ok()?;
    let made = analysis.epa(&ConstructOptions::default()).ok()?;
    (!interrupt.is_set()).then(|| made.epa())
}
