//! Numbers with their nouns, as all texts say them.

use std::fmt::Display;

/// `1 call`, `2 calls`
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
