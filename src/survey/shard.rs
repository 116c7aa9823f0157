//! The part of a survey that one of several machines makes. Each finds all classes and takes its own: the split depends on the
//! classes alone, and on the times of an earlier run where those are given.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
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
pub const MOST_PARTS: usize = 100_000;

impl FromStr for Shard {
    type Err = WrongShard;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || WrongShard(text.to_owned());
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let (index, of): (usize, usize) = match (index.parse(), of.parse()) {
            (Ok(index), Ok(of)) => (index, of),
            _ => return Err(wrong()),
        };
        match (1..=of).contains(&index) && of <= MOST_PARTS {
            true => Ok(Shard {
                index: index - 1,
                of,
            }),
            false => Err(wrong()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

impl Shard {
    /// Which part, from 1.
    pub fn number(&self) -> usize {
        self.index + 1
    }

    /// Of how many.
    pub fn of(&self) -> usize {
        self.of
    }
}

/// For each class the part, from 1, that it belongs to. Without times a class's own fingerprint decides, so that other classes
/// do not move it; with times the parts take about equally long: the longest class first, each to the part that has least by
/// then (Graham 1969: at most a third more than the best there is). A class without a time counts as the median of the others.
pub fn split<'c>(
    of: usize,
    classes: impl IntoIterator<Item = &'c SurveyedClass>,
    times: &Earlier,
) -> Vec<usize> {
    let classes: Vec<&SurveyedClass> = classes.into_iter().collect();
    let known: Vec<Option<u64>> = classes.iter().map(|class| times.ms(class)).collect();
    let mut sorted: Vec<u64> = known.iter().copied().flatten().collect();
    sorted.sort_unstable();
    let Some(&median) = sorted.get(sorted.len() / 2) else {
        let by_content = |class: &&SurveyedClass| class.number() % (of.max(1) as u64);
        return (classes.iter())
            .map(|class| by_content(class) as usize + 1)
            .collect();
    };
    let mut order: Vec<(u64, usize)> = (known.iter().enumerate())
        .map(|(at, ms)| (ms.unwrap_or(median), at))
        .collect();
    let name = |at: usize| classes.get(at).map(|c| (&c.fingerprint, &c.file, &c.class));
    order.sort_by_key(|&(ms, at)| (Reverse(ms), name(at)));
    // Whoever has least comes first, and of those that have the same the first of them.
    let mut load: BinaryHeap<Reverse<(u64, usize)>> =
        (1..=of).map(|part| Reverse((0, part))).collect();
    let mut parts = vec![1; classes.len()];
    for (ms, at) in order {
        let Some(Reverse((least, part))) = load.pop() else {
            break;
        };
        // A class that takes no time counts too.
        load.push(Reverse((least.saturating_add(ms.max(1)), part)));
        if let Some(taken) = parts.get_mut(at) {
            *taken = part;
        }
    }
    parts
}

impl SurveyedClass {
    /// A number that its content decides.
    fn number(&self) -> u64 {
        let digits = self.fingerprint.get(..16).unwrap_or_default();
        u64::from_str_radix(digits, 16).unwrap_or_default()
    }
}
