//! Numbers with their nouns, as all texts say them.

use std::fmt::Display;

/// `1 call`, `2 calls`, `2 classes`
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = match noun.ends_with('s') {
        _ if count == N::from(1) => "",
        true => "es",
        false => "s",
    };
    format!("{count} {noun}{plural}")
}
