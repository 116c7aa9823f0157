//! Pages that the editor was asked to open. They follow their texts: each is drawn again with the EPA of its class, and the
//! browser shows the new one by itself.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::analysis::{Analysis, Drawn, PageOptions};
use crate::cli::output::write_whole;
use crate::view::{self, EpaFormat, ViewOptions, ViewSubject};

/// A page that is open.
struct Page {
    file: PathBuf,
    /// Whether the editor was told where it is since it was last asked for.
    shown: bool,
}

/// The pages that are open, by text and class. They are gone with the server.
#[derive(Default)]
pub(super) struct Pages {
    /// Made for the first page.
    folder: Option<TempDir>,
    open: HashMap<(String, String), Page>,
}

impl Pages {
    /// The file of a page, if it is open.
    pub(super) fn file(&self, text: &str, class: &str) -> Option<PathBuf> {
        let key = (text.to_owned(), class.to_owned());
        Some(self.open.get(&key)?.file.clone())
    }

    /// Has a page from now on, which is to be shown.
    ///
    /// # Errors
    /// There can be no folder for it.
    pub(super) fn open(&mut self, text: &str, class: &str) -> io::Result<()> {
        let key = (text.to_owned(), class.to_owned());
        if let Some(page) = self.open.get_mut(&key) {
            page.shown = false;
            return Ok(());
        }
        let folder = match self.folder.take() {
            Some(folder) => folder,
            None => tempfile::Builder::new().prefix("tranquera-").tempdir()?,
        };
        // Two texts can have a class of the same name.
        let name = format!("{class}-{}.html", self.open.len() + 1);
        let file = folder.path().join(name);
        self.folder = Some(folder);
        self.open.insert(key, Page { file, shown: false });
        Ok(())
    }

    /// Whether a page, which has been drawn, is still to be shown; only the first to ask is to show it.
    pub(super) fn is_to_be_shown(&mut self, text: &str, class: &str) -> bool {
        let key = (text.to_owned(), class.to_owned());
        let page = self.open.get_mut(&key);
        page.is_some_and(|page| !std::mem::replace(&mut page.shown, true))
    }
}

/// Draws a page of a class into its file: whether it was, or an edit came in between; or why there can be none.
pub(super) fn draw(analysis: &Analysis, file: &Path) -> Result<bool, String> {
    let wanted = PageOptions {
        page: true,
        ..PageOptions::default()
    };
    let drawn = analysis.draw(&wanted).map_err(|error| error.to_string())?;
    if analysis.is_interrupted() {
        return Ok(false);
    }
    let text = rendered(&drawn)?;
    write_whole(file, &text).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(true)
}

fn rendered(drawn: &Drawn) -> Result<String, String> {
    let subject = ViewSubject {
        epa: &drawn.epa,
        background: drawn.background.as_ref(),
    };
    let options = ViewOptions {
        reloads: true,
        ..ViewOptions::default()
    };
    view::render(subject, EpaFormat::Html, &options).map_err(|error| error.to_string())
}
