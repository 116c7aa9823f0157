//! Decisions from a sequence of numbers: random classes that shrink by shrinking the sequence.

/// Numbers that are used up one after the other; then only zeros, the simplest decision everywhere.
pub struct Tape {
    numbers: std::vec::IntoIter<u16>,
}

impl Tape {
    pub fn new(numbers: Vec<u16>) -> Tape {
        Tape {
            numbers: numbers.into_iter(),
        }
    }

    /// A number below `count`.
    pub fn below(&mut self, count: usize) -> usize {
        usize::from(self.numbers.next().unwrap_or(0)) % count.max(1)
    }

    /// A number from `low` to `high`.
    pub fn number(&mut self, low: i64, high: i64) -> i64 {
        let span = usize::try_from(high - low + 1).unwrap_or(1);
        low + i64::try_from(self.below(span)).unwrap_or(0)
    }

    /// True in about `percent` of the cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
