//! A difference in a few lines, for somebody who has just seen the old EPA and sees the new one.

use super::text::{count, edge_words, marked};
use crate::epa::diff::{Change, EdgeDiff, EpaDiff, Ids, StateDiff};
use crate::view::ViewOptions;
use crate::view::escape::visible;
use crate::view::text::page::{Style, TextPage};

/// How many things that changed are named; the others are counted.
const NAMED: usize = 8;

/// Writes the lines.
pub(super) fn render(diff: &EpaDiff, options: &ViewOptions) -> String {
    let mut page = TextPage::new(options.width, options.colour);
    let actions: Vec<Change> = diff.actions.iter().map(|a| a.change).collect();
    let states: Vec<Change> = diff.states.iter().map(|s| s.change).collect();
    let edges = || diff.constructors.iter().chain(&diff.transitions);
    let edge_changes: Vec<Change> = edges().map(|e| e.change).collect();
    let counts = [
        ("actions", actions),
        ("states", states),
        ("edges", edge_changes),
    ];
    let counted: Vec<String> = (counts.iter())
        .filter(|(_, changes)| changes.iter().any(|c| *c != Change::Same))
        .map(|(what, changes)| format!("{what}: {}", count(changes)))
        .collect();
    if counted.is_empty() {
        page.line(&[(Style::Plain, "No difference to the last picture")]);
        return page.finish();
    }
    page.words(
        &[(Style::Heading, "Since the last picture:".to_owned())],
        &counted.join("; "),
    );
    let states = diff.states.iter().map(|s| (s.change, state(s)));
    let edges = edges().map(|e| (e.change, edge(e)));
    let changed: Vec<(Change, String)> = (states.chain(edges))
        .filter(|(change, _)| *change != Change::Same)
        .collect();
    for (change, words) in changed.iter().take(NAMED) {
        page.words(&[marked(*change)], words);
    }
    let others = changed.len().saturating_sub(NAMED);
    if others > 0 {
        page.line(&[(Style::Faint, &format!("  … and {others} more"))]);
    }
    page.finish()
}

/// What a state is called in the picture that is seen; one that is gone, as it was called.
fn name(ids: &Ids) -> String {
    match (&ids.new, &ids.old) {
        (Some(new), _) => visible(new),
        (None, Some(old)) => format!("the old {}", visible(old)),
        (None, None) => String::new(),
    }
}

fn state(state: &StateDiff) -> String {
    let enabled: Vec<String> = state.enabled.iter().map(|a| visible(a)).collect();
    let initial = match (state.change, state.is_initial) {
        (Change::Changed, Some(true)) => ", initial now",
        (Change::Changed, _) => ", no longer initial",
        _ => "",
    };
    format!("{} {{{}}}{initial}", name(&state.ids), enabled.join(", "))
}

fn edge(edge: &EdgeDiff) -> String {
    let source = edge.source.as_ref().map(name);
    let source = source.map_or(String::new(), |source| format!("{source} "));
    format!("{source}{}", edge_words(edge, name))
}
