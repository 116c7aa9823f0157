//! Texts that have most of their lines in common.

use std::collections::BTreeMap;

/// Lines, each kept once.
#[derive(Default)]
pub(super) struct DistinctLines {
    /// The lines.
    pub(super) all: Vec<String>,
    places: BTreeMap<String, usize>,
}

impl DistinctLines {
    /// The places of the lines of a text.
    pub(super) fn places_of(&mut self, text: &str) -> Vec<usize> {
        text.lines().map(|line| self.place(line)).collect()
    }

    fn place(&mut self, line: &str) -> usize {
        if let Some(place) = self.places.get(line) {
            return *place;
        }
        let place = self.all.len();
        self.all.push(line.to_owned());
        self.places.insert(line.to_owned(), place);
        place
    }
}
