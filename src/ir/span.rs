//! Places in a source text.

use std::hash::{Hash, Hasher};

/// A range of bytes of the source text, end excluded.
///
/// A span is a remark on a node, not a part of it: all spans are equal, so that two trees compare equal when
/// they say the same thing, wherever it is written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span from the byte offset `start` up to `end`, excluded.
    pub fn new(start: usize, end: usize) -> Self {
        // A source text is limited to far less than 4 GiB (see [`MAX_SIZE`](super::MAX_SIZE)), so nothing is cut off here.
        Span {
            start: start as u32,
            end: end as u32,
        }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl Hash for Span {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
