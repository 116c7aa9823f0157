//! What the second pass found, in lines for a person: the word on an edge, and a run call by call.

use super::escape::visible;
use crate::ask::{Named, Run, RunCall, RunObject};
use crate::epa::wire::{Confirmation, Epa};
use crate::query::without_types;
use crate::words::counted;

/// What the second pass says of an edge, in a few words.
pub fn words(confirmation: &Confirmation) -> String {
    match confirmation {
        Confirmation::Confirmed { calls, .. } => confirmed(*calls),
        Confirmation::Refuted => "refuted: no object takes it".to_owned(),
        Confirmation::Unconfirmed { bound } => {
            format!("not confirmed: no run of up to {bound} calls")
        }
    }
}

/// How many edges were confirmed, refuted and left open: those that occur; none where there was no second pass.
pub fn counts(epa: &Epa) -> Option<String> {
    let constructors = epa.constructors.iter().map(|c| &c.confirmation);
    let transitions = epa.transitions.iter().map(|t| &t.confirmation);
    let kept = constructors.chain(transitions);
    let (mut confirmed, mut unconfirmed, mut refuted) = (0, 0, 0);
    for confirmation in kept.flatten() {
        match confirmation {
            Confirmation::Confirmed { .. } => confirmed += 1,
            Confirmation::Unconfirmed { .. } => unconfirmed += 1,
            Confirmation::Refuted => refuted += 1,
        }
    }
    if let Some(gone) = &epa.refuted {
        refuted += gone.constructors.len() + gone.transitions.len();
    }
    let all = [
        (confirmed, "confirmed"),
        (unconfirmed, "unconfirmed"),
        (refuted, "refuted"),
    ];
    let parts: Vec<String> = all
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, word)| format!("{n} {word}"))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// That a run of so many calls confirms.
pub fn confirmed(calls: u32) -> String {
    format!("confirmed, {}", counted(calls, "call"))
}

/// A run, a line a call: what is called with what, what it gives, where it ends, what the fields are then, and which
/// lines of the class it went through.
pub fn lines(run: &Run) -> Vec<String> {
    let mut lines = Vec::new();
    let mut told: Vec<&RunObject> = Vec::new();
    for (call, number) in run.calls.iter().zip(1_usize..) {
        lines.push(format!("{number}. {}", call_line(call)));
        for object in &call.objects {
            // What another call was given just so is known.
            if !told.contains(&object) {
                lines.push(format!("   {}", visible(&object.words())));
                told.push(object);
            }
        }
    }
    let doubt = run.not_replayed.iter();
    lines.extend(doubt.map(|why| format!("(not run by the interpreter: {})", visible(why))));
    lines
}

/// What is called with what, what it gives, where it ends, and what the fields are then.
pub(super) fn call_line(call: &RunCall) -> String {
    let name = visible(without_types(&call.name));
    let mut line = format!("{name}({})", values(&call.arguments));
    if !call.results.is_empty() {
        line.push_str(&format!(" returns {}", values(&call.results)));
    }
    if let Some(exception) = &call.exception {
        line.push_str(&format!(" ! {}", visible(exception)));
    }
    let target = call.target.as_deref().map(visible);
    match (call.edge, &call.exception) {
        (Some(_), _) => {
            let target = target.as_deref().unwrap_or("nothing");
            line.push_str(&format!(" -> {target}"));
        }
        (None, None) => line.push_str(" -> where the invariant does not hold"),
        (None, Some(_)) => {}
    }
    if !call.fields.is_empty() {
        line.push_str(&format!("  [{}]", values(&call.fields)));
    }
    if !call.user_path.is_empty() {
        let files = call.user_path.iter();
        let files = files.map(|p| format!("{} {}", visible(&p.file), place(&p.lines)));
        line.push_str(&format!("  ({})", files.collect::<Vec<_>>().join("; ")));
    } else if !call.path.is_empty() {
        line.push_str(&format!("  ({})", place(&call.path)));
    }
    line
}

fn values(named: &[Named]) -> String {
    let texts = named
        .iter()
        .map(|v| format!("{} = {}", visible(&v.name), visible(&v.value)));
    texts.collect::<Vec<_>>().join(", ")
}

fn place(lines: &[u32]) -> String {
    let one = lines.iter().all(|line| Some(line) == lines.first());
    format!("{} {}", if one { "line" } else { "lines" }, path(lines))
}

/// The lines of a path: those that follow each other as a range, a range that is repeated with how often.
fn path(lines: &[u32]) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match ranges.last_mut() {
            // Two statements of one line are one place.
            Some((_, last)) if *last == line || last.checked_add(1) == Some(line) => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    let mut shown: Vec<((u32, u32), usize)> = Vec::new();
    for range in ranges {
        match shown.last_mut() {
            Some((known, times)) if *known == range => *times += 1,
            _ => shown.push((range, 1)),
        }
    }
    let texts = shown.into_iter().map(|((first, last), times)| {
        let range = match last - first {
            0 => first.to_string(),
            1 if times == 1 => format!("{first}, {last}"),
            _ => format!("{first}-{last}"),
        };
        match times {
            1 => range,
            n => format!("{range} ({n} times)"),
        }
    });
    texts.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{path, place};

    #[test]
    fn statements_of_one_line_are_in_one_line() {
        assert_eq!(place(&[9, 9, 9]), "line 9");
        assert_eq!(place(&[9, 9, 10]), "lines 9, 10");
    }

    #[test]
    fn lines_that_follow_each_other_are_a_range() {
        assert_eq!(path(&[3]), "3");
        assert_eq!(path(&[3, 4]), "3, 4");
        assert_eq!(path(&[3, 4, 5, 9]), "3-5, 9");
        assert_eq!(path(&[3, 3, 4, 5]), "3-5");
        assert_eq!(path(&[u32::MAX, 0]), format!("{}, 0", u32::MAX));
    }

    #[test]
    fn a_loop_is_told_once() {
        assert_eq!(path(&[2, 3, 4, 3, 4, 3, 4, 9]), "2-4, 3-4 (2 times), 9");
        assert_eq!(path(&[5, 7, 5, 7]), "5, 7, 5, 7");
    }
}
