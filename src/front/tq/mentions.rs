//! Which name of a text stands for what is declared where.

use crate::ir::span::Span;

/// A name that stands for something that the text declares elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Mention {
    /// The name.
    pub place: Span,
    /// The name in the declaration.
    pub declared: Span,
}

/// All mentions of a text.
#[derive(Clone, Debug, Default)]
pub struct Mentions(Vec<Mention>);

impl Mentions {
    /// In the order of the text. What was looked at twice is mentioned once.
    pub(super) fn of(mut found: Vec<Mention>) -> Mentions {
        found.sort_by_key(|mention| mention.place.start);
        found.dedup_by_key(|mention| mention.place.start);
        Mentions(found)
    }

    /// The name at this byte of the text, or right before it, as a cursor stands behind what was written last.
    pub fn at(&self, offset: u32) -> Option<&Mention> {
        let behind = self.0.partition_point(|m| m.place.start <= offset);
        let last = self.0.get(behind.checked_sub(1)?)?;
        (offset <= last.place.end).then_some(last)
    }
}
