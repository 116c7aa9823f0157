//! Places in a text: as offsets, as the protocol counts, as people do; and where a place of an earlier text stands in a later
//! one.

use std::ops::Range;
use std::time::{Duration, Instant};

use lsp_types::Position;
use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

use crate::ir::span::Span;
use crate::load::UserPlace;

/// The range of a place, as the protocol counts.
pub(super) fn range(text: &str, span: Span) -> lsp_types::Range {
    lsp_types::Range {
        start: position(text, span.start as usize),
        end: position(text, span.end as usize),
    }
}

/// A line from 0, and in it the UTF-16 units before the place.
fn position(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or(text);
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.matches('\n').count();
    let units = before
        .get(start..)
        .unwrap_or_default()
        .encode_utf16()
        .count();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Position::new(number(line), number(units))
}

/// The place of a position; none where there is no such line.
pub(super) fn offset(text: &str, at: Position) -> Option<u32> {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(at.line as usize).map(str::len).sum();
    let mut units = 0;
    let line = lines.next()?;
    let column = line.char_indices().find(|(_, c)| {
        let is_there = units >= at.character as usize;
        units += c.len_utf16();
        is_there
    });
    let column = column.map_or(line.len(), |(column, _)| column);
    u32::try_from(before + column).ok()
}

/// A place of the user's, in the text that it is of.
pub(super) fn span(text: &str, place: &UserPlace) -> Option<Span> {
    let (start, end) = (offset_of(text, place.start)?, offset_of(text, place.end)?);
    (start <= end).then(|| Span::new(start, end))
}

/// The first line of a place, which may be a whole body.
pub(super) fn first_line(text: &str, place: Span) -> Span {
    let (start, end) = (place.start as usize, place.end as usize);
    let line = text.get(start..end).and_then(|text| text.lines().next());
    Span::new(start, start + line.unwrap_or_default().trim_end().len())
}

/// The name that is at a place.
pub(super) fn word(text: &str, at: u32) -> Option<Span> {
    let (before, after) = text.split_at_checked(at as usize)?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let start = before.trim_end_matches(is_part).len();
    let end = text.len() - after.trim_start_matches(is_part).len();
    (start < end).then(|| Span::new(start, end))
}

/// The offset of a line and a column, both from 1, in characters.
fn offset_of(text: &str, (line, column): (usize, usize)) -> Option<usize> {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines
        .by_ref()
        .take(line.checked_sub(1)?)
        .map(str::len)
        .sum();
    let mut places = text.get(before..)?.char_indices().map(|(at, _)| at);
    let column = places.nth(column.checked_sub(1)?);
    Some(column.map_or(text.len(), |column| before + column))
}

/// How long it may take to find out which lines are still there; what is not found then counts as edited.
const PATIENCE: Duration = Duration::from_millis(50);

/// Where the lines of an earlier text begin in a later one, as far as they are still there.
#[derive(Debug, Default)]
pub(super) struct Moves(Vec<(Range<usize>, Option<usize>)>);

impl Moves {
    /// From one text to another.
    pub(super) fn of(before: &str, now: &str) -> Moves {
        let (before, now) = (lines(before), lines(now));
        let texts = |lines: &[(usize, &str)]| -> Vec<String> {
            lines.iter().map(|(_, text)| (*text).to_owned()).collect()
        };
        let deadline = Instant::now() + PATIENCE;
        let (old, new) = (texts(&before), texts(&now));
        let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
        let mut moves: Vec<(Range<usize>, Option<usize>)> = (before.iter())
            .map(|(start, text)| (*start..start + text.len(), None))
            .collect();
        for op in ops.iter().filter(|op| op.tag() == DiffTag::Equal) {
            let same = op.old_range().zip(op.new_range());
            same.for_each(|(old, new)| {
                if let (Some((_, place)), Some((start, _))) = (moves.get_mut(old), now.get(new)) {
                    *place = Some(*start);
                }
            });
        }
        Moves(moves)
    }

    /// Where a place within a line stands now; none where that line was edited.
    pub(super) fn moved(&self, place: Span) -> Option<Span> {
        let (start, end) = (place.start as usize, place.end as usize);
        let mut lines = self.0.iter();
        let (line, now) = lines.find(|(line, _)| line.start <= start && end <= line.end)?;
        let begin = (*now)? + start - line.start;
        Some(Span::new(begin, begin + end - start))
    }
}

/// The lines of a text, each with its offset.
fn lines(text: &str) -> Vec<(usize, &str)> {
    let mut start = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        start += line.len();
        (start - line.len(), line)
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_no_more_than_its_first_line() {
        let text = "contract C {\n  /* é🐎 */ function f()\n    {}\n}\n";
        let in_text = |start, end| {
            let file = "a.sol".to_owned();
            span(text, &UserPlace { file, start, end })
        };
        let shown = |start, end| {
            let line = first_line(text, in_text(start, end)?);
            text.get(line.start as usize..line.end as usize)
        };
        assert_eq!(shown((2, 12), (3, 7)), Some("function f()"));
        assert_eq!(shown((1, 1), (1, 9)), Some("contract"));
        assert_eq!(shown((4, 1), (4, 2)), Some("}"));
        assert_eq!(in_text((0, 1), (4, 2)), None);
        assert_eq!(in_text((3, 1), (2, 1)), None);
        let place = in_text((2, 12), (3, 7)).expect("there");
        // The horse is two units.
        let start = Position::new(1, 12);
        assert_eq!(range(text, place).start, start);
        assert_eq!(offset(text, start), Some(place.start));
    }

    /// What is found where a line went is that line, whatever was typed above, below and between.
    #[test]
    fn a_place_moves_with_its_line() {
        let before = "one\ntwo é\nthree 🐎 four\nfive";
        let place = |word: &str| {
            let start = before.find(word).expect("there");
            Span::new(start, start + word.len())
        };
        for (now, kept) in [
            (before, &["one", "two", "🐎 four", "five"][..]),
            (
                "zero\none\ntwo é\n2½\n\nthree 🐎 four\nfive",
                &["one", "two", "🐎 four", "five"],
            ),
            ("two é\nthree four\nfive", &["two", "five"]),
            ("one\ntwo è\nthree 🐎 four\nfive\n", &["one", "🐎 four"]),
            ("", &[]),
        ] {
            let moves = Moves::of(before, now);
            for word in ["one", "two", "🐎 four", "five"] {
                let there = moves.moved(place(word));
                let there = there.map(|span| &now[span.start as usize..span.end as usize]);
                let expected = kept.contains(&word).then_some(word);
                assert_eq!(there, expected, "{now:?}");
            }
        }
        // It goes on for more than a line.
        assert_eq!(Moves::of(before, before).moved(Span::new(1, 6)), None);
    }
}
