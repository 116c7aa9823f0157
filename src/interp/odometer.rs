//! Going through all combinations of choices.

/// One run after the other, like an odometer: a run takes its choices by [`Odometer::pick`], as many as it comes to, and
/// [`Odometer::advance`] goes to the next run.
#[derive(Clone, Debug, Default)]
pub struct Odometer {
    /// The choices of this run so far: which, of how many.
    digits: Vec<(usize, usize)>,
    next: usize,
}

impl Odometer {
    /// One of `count`, which is at least one.
    pub fn pick(&mut self, count: usize) -> usize {
        if self.next == self.digits.len() {
            self.digits.push((0, count));
        }
        let (digit, _) = self.digits[self.next];
        self.next += 1;
        digit
    }

    /// Goes to the next run, if there is one.
    pub fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((digit, count)) = self.digits.pop() {
            if digit + 1 < count {
                self.digits.push((digit + 1, count));
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_taken_once() {
        let mut odometer = Odometer::default();
        let mut paths = Vec::new();
        loop {
            // A second choice only where the first was 1.
            let first = odometer.pick(3);
            let second = (first == 1).then(|| odometer.pick(2));
            paths.push((first, second));
            if !odometer.advance() {
                break;
            }
        }
        let expected = [(0, None), (1, Some(0)), (1, Some(1)), (2, None)];
        assert_eq!(paths, expected);
    }
}
