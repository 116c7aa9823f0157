//! The EPA as one page to explore: the picture, all that is known as data, and a script that shows it.
//!
//! The page needs nothing else: no network, no file beside it. Its script is bundled from `web/` (see
//! `web/README.md`) and lies beside the template, so that building this program needs no tool of the web.

mod background;
mod lines;

use askama::Template;
use serde::Serialize;

use super::drawing::{Drawing, Hidden};
use super::{ViewError, ViewOptions, ViewSubject, svg};
use crate::epa::Epa;
use crate::fingerprint::fingerprint;
use lines::DistinctLines;

pub use background::{Background, Deadlock, FieldView, QuestionText, RoutineText};

const STYLE: &str = include_str!("../../../templates/view/page.css");
const RELOAD: &str = include_str!("../../../templates/view/reload.js");
const SCRIPT: &str = include_str!("../../../templates/view/page.js");

/// The page.
#[derive(Template)]
#[template(path = "view/epa.html")]
struct Page<'a> {
    class: &'a str,
    picture: String,
    /// The same with an arrow for every label, where that is another one, and not too large.
    split: Option<String>,
    data: String,
    style: &'a str,
    script: &'a str,
    /// What tells this page from others, and the script that looks whether its file still holds it.
    reload: Option<(String, &'a str)>,
}

/// What the script is given.
#[derive(Serialize)]
struct PageData<'a> {
    /// Without what the engines printed.
    epa: Epa,
    /// What the engines printed, in the order of [`Background::questions`]: each line by its place in `output_lines`.
    outputs: Vec<Option<Vec<usize>>>,
    output_lines: Vec<String>,
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
pub(super) fn render(subject: ViewSubject<'_>, options: &ViewOptions) -> Result<String, ViewError> {
    // The picture has everything: the page itself hides and shows.
    let all = ViewOptions {
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
    let mut epa = subject.epa.clone();
    let mut lines = DistinctLines::default();
    let data = PageData {
        outputs: take_outputs(&mut epa, &mut lines),
        output_lines: lines.all,
        epa,
        background: subject.background,
        idle_loops: options.idle_loops,
        exceptional: options.exceptional,
    };
    // Large ones take seconds to lay out.
    let (picture, split) = rayon::join(
        || svg::render_for_page(&drawing, &all),
        || split_picture(&drawing, &all),
    );
    let (picture, split, data) = (picture?, split?, embedded(&data)?);
    let stamp = || format!("{:016x}", fingerprint(&format!("{picture}{data}")));
    let page = Page {
        class: &drawing.class,
        reload: options.reloads.then(|| (stamp(), RELOAD)),
        picture,
        split,
        data,
        style: STYLE,
        script: SCRIPT,
    };
    Ok(page.render()? + "\n")
}

/// The picture with an arrow for every label, where that is another one, and not too large.
fn split_picture(drawing: &Drawing, options: &ViewOptions) -> Result<Option<String>, ViewError> {
    let split = drawing.split();
    if split == *drawing {
        return Ok(None);
    }
    match svg::render_for_page(&split, options) {
        Ok(picture) => Ok(Some(picture)),
        Err(ViewError::TooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Takes what the engines printed out of the answers.
fn take_outputs(epa: &mut Epa, lines: &mut DistinctLines) -> Vec<Option<Vec<usize>>> {
    let Epa {
        constructors,
        transitions,
        refuted,
        ..
    } = epa;
    let refuted = refuted.iter_mut();
    let (gone_constructors, gone): (Vec<_>, Vec<_>) = refuted
        .map(|refuted| (&mut refuted.constructors, &mut refuted.transitions))
        .unzip();
    let answers = constructors.iter_mut().map(|edge| &mut edge.answer);
    let answers = answers.chain(transitions.iter_mut().map(|edge| &mut edge.answer));
    let gone_constructors = gone_constructors.into_iter().flatten();
    let answers = answers.chain(gone_constructors.map(|edge| &mut edge.answer));
    let answers = answers.chain(gone.into_iter().flatten().map(|edge| &mut edge.answer));
    answers
        .map(|answer| {
            let output = std::mem::take(&mut answer.as_mut()?.output);
            (!output.is_empty()).then(|| lines.places_of(&output))
        })
        .collect()
}

/// The data as JSON that may stand in a `script` element: only `<` could end the element or begin a comment, and in
/// JSON it occurs in texts alone, where it can be written as an escape.
fn embedded(data: &impl Serialize) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string(data)?.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests;
