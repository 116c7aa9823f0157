//! Names: which are identifiers, which are taken, which are near to each other.

use crate::ir::{Hint, MachineInt};

/// Words that are never names. All other words of the language (`state`, `outcomes`, `pure`, …) are words only
/// where they are looked for.
pub(super) const RESERVED: [&str; 41] = [
    "action",
    "assert",
    "assume",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "constructor",
    "continue",
    "default",
    "div",
    "else",
    "ensures",
    "exists",
    "false",
    "finally",
    "for",
    "forall",
    "function",
    "havoc",
    "if",
    "invariant",
    "mod",
    "modifies",
    "new",
    "null",
    "old",
    "procedure",
    "requires",
    "return",
    "switch",
    "then",
    "this",
    "throw",
    "throws",
    "true",
    "try",
    "var",
    "while",
    "returns",
];

/// The types that are always there and take no arguments, but for machine integers of other widths.
pub(super) const BUILTIN_TYPES: [&str; 11] = [
    "int", "nat", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
];

/// Whether the word is never a name.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Whether the word names a type of integers to which a value can be converted (`u8(e)`).
pub(super) fn is_conversion(word: &str) -> bool {
    word == "int" || MachineInt::named(word).is_some()
}

/// Whether the word names a type that is always there.
pub(super) fn is_builtin_type(word: &str) -> bool {
    matches!(word, "nat" | "bool" | "array" | "map") || is_conversion(word)
}

/// Whether a name may start with this character.
pub(super) fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Whether a name may go on with this character.
pub(super) fn continues_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether the text is a name: letters, digits and `_`, no digit first, not reserved.
pub fn is_identifier(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(continues_name) && !is_reserved(text)
}

/// Whether a text can be shown in the place of a name, in lists of such names and beside arrows: it can be seen, and has no
/// braces and arrows, and commas only in parentheses, which are closed.
pub(crate) fn is_showable(text: &str) -> bool {
    let mut depth = 0_usize;
    let is_fine = |c: char| match c {
        '(' => {
            depth += 1;
            true
        }
        ')' => depth.checked_sub(1).inspect(|less| depth = *less).is_some(),
        ',' => depth > 0,
        '"' | '{' | '}' | '→' => false,
        c => !c.is_control(),
    };
    let is_fine = text.chars().all(is_fine);
    is_fine && depth == 0 && !text.trim().is_empty() && !text.contains("->")
}

/// Whether the text can name anything: no reserved word, and no type that is always there.
pub(crate) fn is_free_name(text: &str) -> bool {
    is_identifier(text) && !is_builtin_type(text)
}

/// The candidate nearest to a misspelt name, if one is near; the first of several equally near.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let allowed = (name.len() / 3).clamp(1, 3);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= allowed)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The hint that names the nearest candidate.
pub(super) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<Hint> {
    nearest(name, candidates)
        .map(|candidate| Hint::instead(format!("did you mean `{candidate}`?"), candidate))
}

/// The least number of inserted, deleted, replaced or (adjacent) swapped bytes, letters' case aside (the
/// "optimal string alignment" distance).
fn distance(a: &str, b: &str) -> usize {
    // A name can be as long as a file; nobody misspells those.
    const LONGEST: usize = 64;
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() > LONGEST || b.len() > LONGEST {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i];
        for j in 1..=b.len() {
            let replaced = row[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}
