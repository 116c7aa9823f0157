//! A difference as a text for a terminal: only what is different.

use super::{state_name, what_changed};
use crate::epa::diff::{ActionDiff, Change, EdgeDiff, EpaDiff, Ids, StateDiff};
use crate::epa::wire::Certainty;
use crate::view::ViewOptions;
use crate::view::drawing::{MAYBE, VIOLATES, change_mark};
use crate::view::escape::visible;
use crate::view::text::page::{Style, TextPage};

/// Writes the text.
pub(super) fn render(diff: &EpaDiff, options: &ViewOptions) -> String {
    let mut page = TextPage::new(options.width, options.colour);
    headline(diff, &mut page);
    renamed(diff, &mut page);
    actions(&diff.actions, &mut page);
    states(&diff.states, &mut page);
    let changed = |edges: &[EdgeDiff]| -> Vec<EdgeDiff> {
        let changed = edges.iter().filter(|e| e.change != Change::Same);
        changed.cloned().collect()
    };
    let constructors = changed(&diff.constructors);
    if !constructors.is_empty() {
        heading("Constructors", &mut page);
        constructors.iter().for_each(|e| edge(e, &mut page));
    }
    transitions(diff, &changed(&diff.transitions), &mut page);
    legend(diff, &mut page);
    page.finish()
}

fn heading(text: &str, page: &mut TextPage) {
    page.blank();
    page.line(&[(Style::Heading, text)]);
}

fn headline(diff: &EpaDiff, page: &mut TextPage) {
    let (old, new) = (visible(&diff.classes.old), visible(&diff.classes.new));
    let name = if old == new {
        new
    } else {
        format!("{old} → {new}")
    };
    page.line(&[(Style::Title, &name)]);
    if !diff.different {
        let (states, transitions) = (diff.states.len(), diff.transitions.len());
        let text = format!("no difference: states {states}, transitions {transitions}");
        page.line(&[(Style::Plain, &text)]);
        return;
    }
    let actions: Vec<Change> = diff.actions.iter().map(|a| a.change).collect();
    let states: Vec<Change> = diff.states.iter().map(|s| s.change).collect();
    let edges = |edges: &[EdgeDiff]| edges.iter().map(|e| e.change).collect::<Vec<_>>();
    let counts = [
        ("actions", actions),
        ("states", states),
        ("constructor edges", edges(&diff.constructors)),
        ("transitions", edges(&diff.transitions)),
    ];
    for (what, changes) in counts {
        let text = format!("{what}: {}", count(&changes));
        page.line(&[(Style::Plain, &text)]);
    }
}

/// `2 added, 1 removed, 5 the same`: what occurs.
pub(super) fn count(changes: &[Change]) -> String {
    let words = [
        (Change::Added, "added"),
        (Change::Removed, "removed"),
        (Change::Changed, "changed"),
        (Change::Same, "the same"),
    ];
    let counted = words.map(|(wanted, word)| {
        let count = changes.iter().filter(|c| **c == wanted).count();
        (count, word)
    });
    let parts: Vec<String> = counted
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{n} {word}"))
        .collect();
    if parts.is_empty() {
        "none".to_owned()
    } else {
        parts.join(", ")
    }
}

fn renamed(diff: &EpaDiff, page: &mut TextPage) {
    if diff.renamed.is_empty() {
        return;
    }
    heading("Renamed, as asked", page);
    for rename in &diff.renamed {
        let text = format!("  {} → {}", visible(&rename.old), visible(&rename.new));
        page.line(&[(Style::Plain, &text)]);
    }
}

/// The beginning of a line: the mark, in its colour.
pub(super) fn marked(change: Change) -> (Style, String) {
    let style = match change {
        Change::Same => Style::Plain,
        Change::Added => Style::Added,
        Change::Removed => Style::Removed,
        Change::Changed => Style::Warning,
    };
    let mark = change_mark(change).map_or(" ", |(mark, _)| mark);
    (style, format!("  {mark}"))
}

fn actions(actions: &[ActionDiff], page: &mut TextPage) {
    let changed: Vec<&ActionDiff> = actions
        .iter()
        .filter(|a| a.change != Change::Same)
        .collect();
    if changed.is_empty() {
        return;
    }
    heading("Actions", page);
    for action in changed {
        page.words(&[marked(action.change)], &visible(&action.name));
    }
}

fn states(states: &[StateDiff], page: &mut TextPage) {
    let changed: Vec<&StateDiff> = states.iter().filter(|s| s.change != Change::Same).collect();
    if changed.is_empty() {
        return;
    }
    heading("States", page);
    for state in changed {
        let (style, mark) = marked(state.change);
        let id = state.ids.new.as_ref().or(state.ids.old.as_ref());
        let id = match state.change {
            Change::Changed => state_name(&state.ids),
            _ => id.map(|id| visible(id)).unwrap_or_default(),
        };
        let head = [(style, mark), (Style::Heading, id)];
        page.items(&head, "{", &names(&state.enabled), ",");
        page.append(match (state.change, state.was_initial, state.is_initial) {
            (Change::Changed, _, Some(true)) => "}: initial now",
            (Change::Changed, ..) => "}: no longer initial",
            (_, Some(true), _) | (_, _, Some(true)) => "}, initial",
            _ => "}",
        });
    }
}

fn names(names: &[String]) -> Vec<(Style, String)> {
    names.iter().map(|n| (Style::Plain, visible(n))).collect()
}

/// The edges that changed, by the state they leave.
fn transitions(diff: &EpaDiff, changed: &[EdgeDiff], page: &mut TextPage) {
    if changed.is_empty() {
        return;
    }
    heading("Transitions", page);
    for state in &diff.states {
        let leaving = |e: &&EdgeDiff| e.source.as_ref() == Some(&state.ids);
        let edges: Vec<&EdgeDiff> = changed.iter().filter(leaving).collect();
        if edges.is_empty() {
            continue;
        }
        let head = [(Style::Heading, format!("  from {}", state_name(&state.ids)))];
        page.items(&head, "{", &names(&state.enabled), ",");
        page.append("}");
        edges.iter().for_each(|e| edge(e, page));
    }
}

fn edge(edge: &EdgeDiff, page: &mut TextPage) {
    let (style, mark) = marked(edge.change);
    let head = [(style, format!("  {mark}"))];
    page.words(&head, &edge_words(edge, state_name));
}

/// An edge without its source, and what changed about it.
pub(super) fn edge_words(edge: &EdgeDiff, name: impl Fn(&Ids) -> String) -> String {
    let mut text = visible(&edge.action);
    if let Some(outcome) = &edge.outcome {
        text.push_str(&format!("[{}]", visible(outcome)));
    }
    if let Some(exception) = &edge.exception {
        text.push_str(&format!(" ! {}", visible(exception)));
    }
    let target = edge.target.as_ref().map(name);
    text.push_str(&format!(" → {}", target.unwrap_or("no object".to_owned())));
    let facts = edge.is.as_ref().or(edge.was.as_ref());
    if facts.is_some_and(|f| f.verdict == Certainty::Maybe) {
        text.push_str(&format!(" {}", MAYBE.0));
    }
    if facts.is_some_and(|f| f.violates_invariant) {
        text.push_str(&format!(" {}", VIOLATES.0));
    }
    let what = what_changed(edge);
    if !what.is_empty() {
        text.push_str(&format!(": {}", what.join("; ")));
    }
    if let Some(reason) = facts.and_then(|f| f.reason.as_ref()) {
        text.push_str(&format!(" ({})", visible(reason)));
    }
    text
}

/// The marks that occur, with what they mean.
fn legend(diff: &EpaDiff, page: &mut TextPage) {
    if !diff.different {
        return;
    }
    let states = diff.states.iter().map(|s| s.change);
    let edges = diff.constructors.iter().chain(&diff.transitions);
    let changes: Vec<Change> = diff
        .actions
        .iter()
        .map(|a| a.change)
        .chain(states)
        .chain(edges.map(|e| e.change))
        .collect();
    heading("Legend", page);
    let all = [Change::Added, Change::Removed, Change::Changed];
    for (mark, meaning) in all
        .into_iter()
        .filter(|c| changes.contains(c))
        .filter_map(change_mark)
    {
        page.line(&[(Style::Plain, &format!("  {mark}  {meaning}"))]);
    }
    let renumbered = diff.states.iter().find(|s| match (&s.ids.old, &s.ids.new) {
        (Some(old), Some(new)) => old != new,
        _ => false,
    });
    if let Some(state) = renumbered {
        let name = state_name(&state.ids);
        let text = format!("  {name}  the same state: its ids in the old and in the new EPA");
        page.line(&[(Style::Plain, &text)]);
    }
}
