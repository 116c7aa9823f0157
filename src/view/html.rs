//! The EPA as one page to explore: the picture, all that is known as data, and a script that shows it.
//!
//! The page needs nothing else: no network, no file beside it. Its script is bundled from `web/` (see
//! `web/README.md`) and lies beside the template, so that building this program needs no tool of the web.

mod background;

use askama::Template;
use serde::Serialize;

use super::drawing::{Drawing, Hidden};
use super::{Options, Subject, ViewError, svg};
use crate::epa::Epa;
use crate::fingerprint::fingerprint;

pub use background::{Background, Field, QuestionText, RoutineText};

const STYLE: &str = include_str!("../../templates/view/page.css");
const RELOAD: &str = include_str!("../../templates/view/reload.js");
const SCRIPT: &str = include_str!("../../templates/view/page.js");

/// The page.
#[derive(Template)]
#[template(path = "view/epa.html")]
struct Page<'a> {
    class: &'a str,
    picture: String,
    data: String,
    style: &'a str,
    script: &'a str,
    /// What tells this page from others, and the script that looks whether its file still holds it.
    reload: Option<(String, &'a str)>,
}

/// What the script is given.
#[derive(Serialize)]
struct Data<'a> {
    epa: &'a Epa,
    background: Option<&'a Background>,
    /// Whether loops of actions that do nothing else are shown at first.
    idle_loops: bool,
    /// Whether edges that end in an exception are shown at first.
    exceptional: bool,
}

/// Writes the page.
///
/// # Errors
///
/// [`ViewError::TooLarge`], and errors of the template and of JSON.
pub(super) fn render(subject: Subject<'_>, options: &Options) -> Result<String, ViewError> {
    // The picture has everything: the page itself hides and shows.
    let all = Options {
        idle_loops: true,
        exceptional: true,
        ..*options
    };
    let drawing = Drawing::of(subject.epa, &all)?;
    let drawing = Drawing {
        // The page has a legend of its own.
        legend: Vec::new(),
        hidden: Hidden::default(),
        second_pass: Vec::new(),
        ..drawing
    };
    let data = Data {
        epa: subject.epa,
        background: subject.background,
        idle_loops: options.idle_loops,
        exceptional: options.exceptional,
    };
    let picture = svg::render_for_page(&drawing, &all)?;
    let data = embedded(&data)?;
    let stamp = || format!("{:016x}", fingerprint(&format!("{picture}{data}")));
    let page = Page {
        class: &drawing.class,
        reload: options.reloads.then(|| (stamp(), RELOAD)),
        picture,
        data,
        style: STYLE,
        script: SCRIPT,
    };
    Ok(page.render()? + "\n")
}

/// The data as JSON that may stand in a `script` element: only `<` could end the element or begin a comment, and in
/// JSON it occurs in texts alone, where it can be written as an escape.
fn embedded(data: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string(data)?.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests;
