//! The part of a survey that one of several machines makes. Each finds all classes and takes its own: the split depends on the
//! classes alone, and on the times of an earlier run where those are given.

use std::cmp::Reverse;
use std::str::FromStr;

use super::earlier::Earlier;
use super::line::SurveyedClass;

/// One of several parts, written `I/N`, from `1/N` to `N/N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 0.
    index: usize,
    /// Of how many; at least one.
    of: usize,
}

/// The text is no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no part of a whole: say I/N, with I from 1 to N")]
pub struct WrongShard(String);

/// No survey is split into more parts.
const MOST: usize = 100_000;

impl FromStr for Shard {
    type Err = WrongShard;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || WrongShard(text.to_owned());
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let (index, of): (usize, usize) = match (index.parse(), of.parse()) {
            (Ok(index), Ok(of)) => (index, of),
            _ => return Err(wrong()),
        };
        match (1..=of).contains(&index) && of <= MOST {
            true => Ok(Shard {
                index: index - 1,
                of,
            }),
            false => Err(wrong()),
        }
    }
}

impl Shard {
    /// For each class whether it belongs to this part. Without times a class's own fingerprint decides, so that other classes do
    /// not move it; with times the parts take about equally long: the longest class first, each to the part that has least by
    /// then (Graham 1969: at most a third more than the best there is). A class without a time counts as the median of the others.
    pub fn takes<'c>(
        &self,
        classes: impl IntoIterator<Item = &'c SurveyedClass>,
        times: &Earlier,
    ) -> Vec<bool> {
        let classes: Vec<&SurveyedClass> = classes.into_iter().collect();
        let known: Vec<Option<u64>> = classes.iter().map(|class| times.ms(class)).collect();
        let mut sorted: Vec<u64> = known.iter().copied().flatten().collect();
        sorted.sort_unstable();
        let Some(&median) = sorted.get(sorted.len() / 2) else {
            return classes.iter().map(|class| self.by_content(class)).collect();
        };
        let mut order: Vec<(u64, usize)> = (known.iter().enumerate())
            .map(|(at, ms)| (ms.unwrap_or(median), at))
            .collect();
        let name = |at: usize| classes.get(at).map(|c| (&c.fingerprint, &c.file, &c.class));
        order.sort_by_key(|&(ms, at)| (Reverse(ms), name(at)));
        let mut load = vec![0_u64; self.of];
        let mut taken = vec![false; classes.len()];
        for (ms, at) in order {
            let least = (0..)
                .zip(&load)
                .min_by_key(|(_, load)| **load)
                .map_or(0, |(part, _)| part);
            if let Some(load) = load.get_mut(least) {
                // A class that takes no time counts too.
                *load += ms.max(1);
            }
            if let Some(taken) = taken.get_mut(at) {
                *taken = least == self.index;
            }
        }
        taken
    }

    fn by_content(&self, class: &SurveyedClass) -> bool {
        let digits = class.fingerprint.get(..16).unwrap_or_default();
        let number = u64::from_str_radix(digits, 16).unwrap_or_default();
        number % (self.of as u64) == self.index as u64
    }
}
