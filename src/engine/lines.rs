//! What the grammars of the engines' outputs share: lines, numbers, places in the Boogie file.

/// The lines of an output, one at a time, with one line to look ahead.
///
/// Only whole lines count: text after the last line break is a line that broke off, and is not given out.
#[derive(Clone, Debug)]
pub(super) struct Lines<'a> {
    rest: &'a str,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lines { rest: text }
    }

    /// The next line, which stays.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.rest.split_once('\n').map(|(line, _)| line)
    }

    /// Takes the next line if `wanted` makes something of it.
    pub(super) fn next_if_map<T>(
        &mut self,
        wanted: impl FnOnce(&'a str) -> Option<T>,
    ) -> Option<T> {
        let (line, rest) = self.rest.split_once('\n')?;
        let made = wanted(line)?;
        self.rest = rest;
        Some(made)
    }

    /// Takes the next line if it is this one.
    pub(super) fn next_if(&mut self, wanted: &str) -> bool {
        self.next_if_map(|line| (line == wanted).then_some(()))
            .is_some()
    }

    /// What has not been taken, a line that broke off with it.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        self.next_if_map(Some)
    }
}

/// A place in the Boogie file, as `file(line,column)` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoogiePlace {
    pub line: u32,
    pub column: u32,
}

/// Decimal digits, nothing else.
pub(super) fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// `N one` or `N many`: a number and what is counted.
pub(super) fn count(text: &str, one: &str, many: &str) -> Option<u32> {
    let (digits, noun) = text.split_once(' ')?;
    let count = number(digits)?;
    (noun == if count == 1 { one } else { many }).then_some(count)
}

/// Splits `FILE(line,column)REST` for exactly this file.
pub(super) fn place<'a>(text: &'a str, file: &str) -> Option<(BoogiePlace, &'a str)> {
    let (inside, rest) = text
        .strip_prefix(file)?
        .strip_prefix('(')?
        .split_once(')')?;
    let (line, column) = inside.split_once(',')?;
    let place = BoogiePlace {
        line: number(line)?,
        column: number(column)?,
    };
    Some((place, rest))
}

/// How many spaces a text starts with, and what follows them.
pub(super) fn indented(text: &str) -> (usize, &str) {
    let rest = text.trim_start_matches(' ');
    (text.len() - rest.len(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_breaks_off_is_not_a_line() {
        let mut lines = Lines::new("one\n\ntwo");
        assert_eq!(lines.next(), Some("one"));
        assert_eq!(lines.next(), Some(""));
        assert_eq!(lines.next(), None);
        assert_eq!(lines.rest(), "two");
    }

    #[test]
    fn numbers_are_digits_and_fit() {
        assert_eq!(number("007"), Some(7));
        for odd in ["", "-1", "+1", " 1", "1 ", "4294967296", "١"] {
            assert_eq!(number(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_count_agrees_with_its_noun() {
        assert_eq!(count("1 error", "error", "errors"), Some(1));
        assert_eq!(count("20 errors", "error", "errors"), Some(20));
        assert_eq!(count("1 errors", "error", "errors"), None);
        assert_eq!(count("0 error", "error", "errors"), None);
    }

    #[test]
    fn a_place_is_of_one_file() {
        let expected = BoogiePlace {
            line: 18,
            column: 5,
        };
        assert_eq!(place("q.bpl(18,5): x", "q.bpl"), Some((expected, ": x")));
        for odd in ["q.bpl(18): x", "r.bpl(18,5): x", "q.bpl(18,5", "q.bpl(a,5)"] {
            assert_eq!(place(odd, "q.bpl"), None, "{odd}");
        }
    }
}
