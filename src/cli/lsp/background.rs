//! EPAs of the classes of open documents, and pages of them, made beside the answers. An edit ends what is being computed of
//! the text before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::client::Client;
use super::document::Document;
use super::known::{Known, KnownClass};
use super::pages::{self, Pages};
use super::studied::Studied;
use crate::analysis::Analysis;
use crate::engine::Interrupt;
use crate::epa::ConstructOptions;
use crate::load::LoadComplaint;

/// The stack of a thread that analyses, in bytes: what a command has.
const STACK: usize = 8 << 20;

/// What is computed of one document.
#[derive(Default)]
struct Work {
    interrupt: Interrupt,
    known: Known,
}

/// All that is computed, by the names of the documents.
#[derive(Clone)]
pub(super) struct Background {
    works: Arc<Mutex<HashMap<String, Work>>>,
    pages: Arc<Mutex<Pages>>,
    documents: Arc<Mutex<HashMap<String, Document>>>,
    client: Client,
}

impl Background {
    /// Nothing yet. The editor is told when something is there.
    pub(super) fn new(client: Client) -> Background {
        Background {
            works: Arc::default(),
            pages: Arc::default(),
            documents: Arc::default(),
            client,
        }
    }

    /// The open documents, by their names. Whoever holds them may ask what is known, and nobody who knows asks for them.
    pub(super) fn documents(&self) -> MutexGuard<'_, HashMap<String, Document>> {
        locked(&self.documents)
    }

    fn works(&self) -> MutexGuard<'_, HashMap<String, Work>> {
        locked(&self.works)
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        locked(&self.pages)
    }

    /// What is known by now of a document.
    pub(super) fn known(&self, name: &str) -> Known {
        let works = self.works();
        works
            .get(name)
            .map(|work| work.known.clone())
            .unwrap_or_default()
    }

    /// Tells all that there is to say about a document as it is now.
    fn tell(&self, name: &str) {
        if let Some(document) = self.documents().get(name) {
            self.client.has_said(document, &self.known(name));
        }
    }

    /// Has another document under a name, or another state of it: what is studied of it is studied anew.
    pub(super) fn take(&self, name: &str, document: Document) {
        let studied = document.studied();
        self.forget(name);
        self.documents().insert(name.to_owned(), document);
        self.tell(name);
        if let Some(studied) = studied {
            self.compute(name, studied);
        }
    }

    /// Has another state of a document, of which still the same is studied.
    pub(super) fn follow(&self, name: &str, document: Document) {
        self.documents().insert(name.to_owned(), document);
        self.tell(name);
    }

    /// Has a document no longer.
    pub(super) fn close(&self, name: &str) {
        self.forget(name);
        if let Some(document) = self.documents().remove(name) {
            self.client.is_closed(&document);
        }
    }

    /// Ends what is computed of a document, and forgets what was.
    fn forget(&self, name: &str) {
        if let Some(work) = self.works().remove(name) {
            work.interrupt.set();
        }
    }

    /// Ends all.
    pub(super) fn end(&self) {
        self.works().values().for_each(|work| work.interrupt.set());
    }

    /// Computes the EPAs of a document.
    fn compute(&self, name: &str, studied: Studied) {
        let work = Work::default();
        let interrupt = work.interrupt.clone();
        self.works().insert(name.to_owned(), work);
        let (shared, name) = (self.clone(), name.to_owned());
        beside(move || {
            let (classes, wrong) = match studied.classes(&interrupt) {
                Ok(found) => found,
                Err(error) => (Vec::new(), error.complaints()),
            };
            shared.learn_wrong(&name, wrong, &interrupt);
            for class in classes {
                match studied.analysis(&class, &interrupt) {
                    Ok(analysis) => shared.compute_class(&name, &class, &analysis, &interrupt),
                    Err(wrong) => shared.learn_wrong(&name, wrong, &interrupt),
                }
            }
        });
    }

    /// Knows more of a document; but not of a text that is gone, for an edit in between took its work away.
    fn learn(&self, name: &str, interrupt: &Interrupt, add: impl FnOnce(&mut Known)) -> bool {
        let mut works = self.works();
        let work = works.get_mut(name).filter(|_| !interrupt.is_set());
        work.map(|work| add(&mut work.known)).is_some()
    }

    /// Knows what there is no EPA of, and why.
    fn learn_wrong(&self, name: &str, wrong: Vec<LoadComplaint>, interrupt: &Interrupt) {
        let is_news = !wrong.is_empty();
        if self.learn(name, interrupt, |known| known.wrong.extend(wrong)) && is_news {
            self.tell(name);
        }
    }

    /// Computes what there is to know of a class, and draws its page anew if it is open.
    fn compute_class(&self, name: &str, class: &str, analysis: &Analysis, interrupt: &Interrupt) {
        let epa = match analysis.epa(&ConstructOptions::default()) {
            Ok(made) => made.epa(),
            Err(error) => {
                let wrong = vec![LoadComplaint::plain(format!("{class}: {error}"))];
                return self.learn_wrong(name, wrong, interrupt);
            }
        };
        let places = analysis.input().places.clone();
        let has_findings = !epa.findings.is_empty();
        let found = Arc::new(KnownClass { epa, places });
        let add = |known: &mut Known| {
            known.classes.insert(class.to_owned(), found);
        };
        if !self.learn(name, interrupt, add) {
            return;
        }
        if has_findings {
            self.tell(name);
        }
        self.client.has_lenses();
        self.draw_page(name, class, analysis);
    }

    /// Opens a page of a class, which then follows the document.
    pub(super) fn open_page(&self, name: &str, class: &str) {
        let document = self.documents();
        let Some(studied) = document.get(name).and_then(Document::studied) else {
            return;
        };
        drop(document);
        if let Err(error) = self.pages().open(name, class) {
            return self
                .client
                .complain(&format!("there can be no page: {error}"));
        }
        let Some(interrupt) = self.works().get(name).map(|work| work.interrupt.clone()) else {
            return;
        };
        let (shared, name, class) = (self.clone(), name.to_owned(), class.to_owned());
        beside(move || match studied.analysis(&class, &interrupt) {
            Ok(analysis) => shared.draw_page(&name, &class, &analysis),
            Err(wrong) => {
                let why = wrong.into_iter().map(|wrong| wrong.message);
                shared.no_page(&class, &why.collect::<Vec<String>>().join("\n"));
            }
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

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs something beside everything else. Where there can be no thread, there are no lenses and no pages.
fn beside(work: impl FnOnce() + Send + 'static) {
    let _ = std::thread::Builder::new().stack_size(STACK).spawn(work);
}
