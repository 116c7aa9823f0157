//! What holds in each state of an EPA: a list for a terminal, one for a document, and members of the class.

use super::ViewOptions;
use super::escape::{self, visible};
use super::text::page::{Style, TextPage};
use crate::epa::{StateInvariants, StateKnowledge};

const NOTHING: &str = "nothing was found";
const NO_OBJECT: &str = "no object is ever here, for this cannot all hold:";

/// Writes the list.
pub fn text(found: &StateInvariants, options: &ViewOptions) -> String {
    let mut page = TextPage::new(options.width, options.colour);
    page.line(&[(Style::Title, &visible(&found.class))]);
    if !found.everywhere.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "In every state")]);
        clauses(&mut page, &found.everywhere);
    }
    for state in &found.states {
        page.blank();
        let initial = if state.initial { " (initial)" } else { "" };
        let head = format!("{}{initial}: {}", visible(&state.id), calls(state));
        page.line(&[(Style::Heading, &head)]);
        if !state.possible {
            page.words(&[(Style::Plain, " ".into())], NO_OBJECT);
        } else if state.holds.is_empty() && found.everywhere.is_empty() {
            page.words(&[(Style::Plain, " ".into())], NOTHING);
        }
        clauses(&mut page, &state.holds);
    }
    if !found.notes.is_empty() {
        page.blank();
        page.line(&[(Style::Heading, "Notes")]);
    }
    for note in &found.notes {
        page.words(&[(Style::Plain, " ".into())], &visible(note));
    }
    page.finish()
}

fn clauses(page: &mut TextPage, clauses: &[String]) {
    for clause in clauses {
        page.words(&[(Style::Plain, " ".into())], &visible(clause));
    }
}

/// `{write, close}`
fn calls(state: &StateKnowledge) -> String {
    format!("{{{}}}", visible(&state.enabled.join(", ")))
}

/// Writes the list for a document: a line a state.
pub fn markdown(found: &StateInvariants) -> String {
    let mut out = format!("# {}: what holds\n\n", escape::markdown(&found.class));
    if !found.everywhere.is_empty() {
        out.push_str(&format!(
            "In every state: {}.\n\n",
            codes(&found.everywhere)
        ));
    }
    for state in &found.states {
        let initial = if state.initial { " (initial)" } else { "" };
        let id = escape::markdown(&state.id);
        let calls = escape::markdown(&calls(state));
        let holds = match (state.possible, state.holds.is_empty()) {
            (false, _) => format!("{NO_OBJECT} {}", codes(&state.holds)),
            (true, true) if found.everywhere.is_empty() => NOTHING.to_owned(),
            (true, true) => "nothing else".to_owned(),
            (true, false) => codes(&state.holds),
        };
        out.push_str(&format!("- **{id}**{initial}, in {calls}: {holds}\n"));
    }
    for (index, note) in found.notes.iter().enumerate() {
        let before = if index == 0 { "\n" } else { "" };
        out.push_str(&format!("{before}{}\n", escape::markdown(note)));
    }
    out
}

fn codes(clauses: &[String]) -> String {
    let codes: Vec<String> = clauses
        .iter()
        .map(|clause| format!("`{}`", visible(clause)))
        .collect();
    codes.join(", ")
}

/// Writes members of the class, a line each.
pub fn tq(found: &StateInvariants) -> String {
    let lines = found.members().into_iter();
    lines.map(|member| format!("{member}\n")).collect()
}
