//! What is different in the order of calls, in sentences.

use crate::epa::diff::{CallEnd, EdgeDiff, EpaDiff, Ids, OrderChange, Possibility};
use crate::view::escape::visible;

/// A change of the order of calls, as a sentence without its end.
pub fn sentence(change: &OrderChange) -> String {
    match change {
        OrderChange::Action { name, is_new: true } => format!("{} is a new action", quoted(name)),
        OrderChange::Action { name, .. } => format!("the action {} is gone", quoted(name)),
        OrderChange::Callable { name, now: true } => format!("{} can be called now", quoted(name)),
        OrderChange::Callable { name, .. } => {
            format!("{} can no longer be called at all", quoted(name))
        }
        OrderChange::End { end, now, certain } => ending(end, *now, *certain),
        OrderChange::Then {
            after,
            then,
            was,
            is,
        } => followed(&after_words(after), &listed(then), (*was, *is)),
        OrderChange::Stuck { after, was, is } => stuck(&after_words(after), (*was, *is)),
    }
}

/// An edge that changed, as a sentence without its end: where it leads, by what can be called there.
pub fn edge_sentence(diff: &EpaDiff, edge: &EdgeDiff) -> String {
    let place = |ids: &Ids| {
        let state = diff.states.iter().find(|state| state.ids == *ids);
        let names = state.map(|state| state.enabled.iter().map(|name| visible(name)));
        let names: Vec<String> = names.into_iter().flatten().collect();
        format!("{{{}}}", names.join(", "))
    };
    let from = edge
        .source
        .as_ref()
        .map(|ids| format!("from {}, ", place(ids)));
    let from = from.unwrap_or_default();
    let call = call_words(&CallEnd::of(edge));
    let to = match &edge.target {
        Some(ids) => format!("lead to {}", place(ids)),
        None => "make no object".to_owned(),
    };
    match (&edge.was, &edge.is) {
        (Some(_), None) => format!("{from}{call} can no longer {to}"),
        (None, _) => format!("{from}{call} can {to} now{}", doubted(edge)),
        _ => {
            let what = super::what_changed(edge).join("; ");
            format!("{from}that {call} can {to}: {what}")
        }
    }
}

/// What is to be said of an edge that is not certain.
fn doubted(edge: &EdgeDiff) -> &'static str {
    use crate::epa::wire::Certainty;
    match &edge.is {
        Some(facts) if facts.verdict == Certainty::Maybe => " (not certain)",
        _ => "",
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", visible(name))
}

/// `a`; `a` and `b`; `a`, `b` and `c`
fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

fn ending(end: &CallEnd, now: bool, certain: bool) -> String {
    let name = quoted(&end.name);
    let how = match (&end.exception, &end.outcome) {
        (Some(exception), _) => format!("raise {}", quoted(exception)),
        (None, Some(outcome)) => format!("end with {}", quoted(outcome)),
        (None, None) if end.constructor => "make an object".to_owned(),
        (None, None) => "end normally".to_owned(),
    };
    match (now, certain) {
        (true, true) => format!("{name} can {how} now"),
        (true, false) => format!("it is no longer ruled out that {name} can {how}"),
        (false, _) => format!("{name} can no longer {how}"),
    }
}

/// The call with the way it ends, as the subject of a sentence.
fn call_words(call: &CallEnd) -> String {
    let name = quoted(&call.name);
    match (&call.exception, &call.outcome) {
        (Some(exception), _) => format!("{name} with {}", quoted(exception)),
        (None, Some(outcome)) => format!("{name} with {}", quoted(outcome)),
        (None, None) => name,
    }
}

/// When: after the call.
fn after_words(call: &CallEnd) -> String {
    let name = quoted(&call.name);
    match (&call.exception, &call.outcome) {
        (Some(exception), _) => format!("after {name} raises {}", quoted(exception)),
        (None, Some(outcome)) => format!("after {name} ends with {}", quoted(outcome)),
        (None, None) if call.constructor && call.name == "initially" => "at first".to_owned(),
        (None, None) => format!("after {name}"),
    }
}

fn followed(after: &str, then: &str, change: (Possibility, Possibility)) -> String {
    use Possibility::{Always, Never, Sometimes, Unknown};
    match change {
        (_, Never) => format!("{after}, {then} can no longer be called"),
        (Never, Unknown) => format!("{after}, it is no longer ruled out that {then} can be called"),
        (Never, Sometimes | Always) => format!("{after}, {then} can be called now"),
        (_, Unknown) => format!("{after}, it is no longer certain that {then} can be called"),
        (Unknown, _) => format!("{after}, it is certain now that {then} can be called"),
        (_, Always) => format!("{after}, {then} can always be called now"),
        (_, Sometimes) => format!("{after}, {then} cannot always be called any more"),
    }
}

fn stuck(after: &str, change: (Possibility, Possibility)) -> String {
    use Possibility::{Always, Never, Sometimes, Unknown};
    match change {
        (_, Never) => format!("{after}, something can always be called now"),
        (Never, Unknown) => {
            format!("{after}, it is no longer ruled out that nothing can be called")
        }
        (Never, Sometimes) => format!("{after}, it can happen now that nothing can be called"),
        (_, Always) => format!("{after}, nothing can be called any more"),
        (_, Unknown) => format!("{after}, it is no longer certain that nothing can be called"),
        (Unknown, _) => format!("{after}, it is certain now that nothing can be called"),
        (_, Sometimes) => format!("{after}, something can be called now"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::epa::Epa;
    use crate::epa::wire::Certainty;
    use crate::view::samples::table;

    /// A file of which edges are given.
    fn file(edges: &str) -> Epa {
        let states = "S1={open} S2={write,close} S3={}";
        table("File", "open,write,close", states, "File()->S1", edges)
    }

    fn sentences(old: &Epa, new: &Epa) -> Vec<String> {
        let diff = EpaDiff::of(old, new, &[]).expect("no renaming");
        diff.order().iter().map(sentence).collect()
    }

    const FILE: &str = "S1: open->S2\nS2: write->S2\nS2: close->S1";

    #[test]
    fn what_can_be_called_after_a_call() {
        let file_now = |edges: &str| sentences(&file(FILE), &file(edges));
        assert_eq!(file_now(FILE), Vec::<String>::new());
        // `close` forgets to close.
        assert_eq!(
            file_now("S1: open->S2\nS2: write->S2\nS2: close->S2"),
            [
                "after `close`, `write` and `close` can be called now",
                "after `close`, `open` can no longer be called",
            ]
        );
        // It closes only sometimes.
        assert_eq!(
            file_now("S1: open->S2\nS2: write->S2\nS2: close->S1\nS2: close->S2"),
            [
                "after `close`, `write` and `close` can be called now",
                "after `close`, `open` cannot always be called any more",
            ]
        );
        // It may end where nothing can be called.
        assert_eq!(
            file_now("S1: open->S2\nS2: write->S2\nS2: close->S1\nS2: close->S3"),
            [
                "after `close`, `open` cannot always be called any more",
                "after `close`, it can happen now that nothing can be called",
            ]
        );
        // It never ends.
        assert_eq!(
            file_now("S1: open->S2\nS2: write->S2"),
            ["`close` can no longer end normally"]
        );
    }

    #[test]
    fn what_is_not_certain_is_not_said_to_be() {
        let mut doubtful = file(FILE);
        let close = doubtful
            .transitions
            .iter_mut()
            .find(|t| t.action == "close");
        close.expect("there").verdict = Certainty::Maybe;
        assert_eq!(
            sentences(&file(FILE), &doubtful),
            ["after `close`, it is no longer certain that `open` can be called"]
        );
        assert_eq!(
            sentences(&doubtful, &file(FILE)),
            ["after `close`, it is certain now that `open` can be called"]
        );
    }

    #[test]
    fn actions_come_and_go() {
        let more = table(
            "File",
            "open,write,close,flush",
            "S1={open} S2={write,close,flush}",
            "File()->S1",
            "S1: open->S2\nS2: write->S2\nS2: close->S1\nS2: flush->S2",
        );
        assert_eq!(
            sentences(&file(FILE), &more),
            [
                "`flush` is a new action",
                "after `open`, `flush` can be called now",
                "after `write`, `flush` can be called now",
            ]
        );
        assert_eq!(
            sentences(&more, &file(FILE)),
            [
                "the action `flush` is gone",
                "after `open`, `flush` can no longer be called",
                "after `write`, `flush` can no longer be called",
            ]
        );
        let less = table(
            "File",
            "open,write,close",
            "S1={open}",
            "File()->S1",
            "S1: open->S1",
        );
        assert_eq!(
            sentences(&file(FILE), &less),
            [
                "`write` can no longer be called at all",
                "`close` can no longer be called at all",
                "after `open`, `open` can be called now",
                "after `open`, `write` and `close` can no longer be called",
            ]
        );
    }

    /// Where the order of calls is as it was, the edge itself is told.
    #[test]
    fn edges_in_words() {
        let old = file("S1: open->S2\nS2: write->S2\nS2: close->S1\nS2: close->S2");
        let mut new = old.clone();
        let last = new.transitions.last_mut().expect("there");
        last.exception = Some("Full".to_owned());
        let diff = EpaDiff::of(&old, &new, &[]).expect("no renaming");
        let edges = diff.transitions.iter();
        let changed = edges.filter(|edge| edge.change != crate::epa::diff::Change::Same);
        let words: Vec<String> = changed.map(|edge| edge_sentence(&diff, edge)).collect();
        assert_eq!(
            words,
            [
                "from {write, close}, `close` can no longer lead to {write, close}",
                "from {write, close}, `close` with `Full` can lead to {write, close} now",
            ]
        );
    }
}
