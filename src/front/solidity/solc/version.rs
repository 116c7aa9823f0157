//! Versions of the compiler, and which of them a file's pragma takes.
//!
//! The rules are the compiler's own. They look like npm's but differ: a part that is left out is any number, `^0.5` is
//! `^0.5.x`, and blanks may stand between the parts of a number.

use std::fmt;

/// A version of the compiler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// `0`, so far.
    pub major: u32,
    /// Changes with what the language means.
    pub minor: u32,
    /// Changes with what it can do.
    pub patch: u32,
}

/// The versions that a pragma takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// One of these has to hold, all of it.
    alternatives: Vec<Vec<Comparison>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Comparison {
    operator: VersionOperator,
    /// The parts that are written; `None` for one that is `*`, `x` or `X`.
    parts: Vec<Option<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VersionOperator {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Tilde,
    Caret,
}

impl Version {
    /// A version.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Version {
        Version {
            major,
            minor,
            patch,
        }
    }

    /// Reads `0.8.30`, and `0.8.30+commit.73712a01.Linux.g++`. A version that is not a release (`0.8.31-nightly…`) is none.
    pub fn parse(text: &str) -> Option<Version> {
        let number = text.split('+').next()?;
        let mut parts = number.split('.').map(|part| part.parse().ok());
        let version = Version::new(parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some(version)
    }

    /// The first version in what a program prints.
    pub fn find(text: &str) -> Option<Version> {
        let words = text.split(|c: char| c.is_whitespace() || matches!(c, ',' | '"'));
        words.filter_map(Version::parse).next()
    }

    /// Whether arithmetic is checked unless told otherwise.
    pub fn is_checked(self) -> bool {
        self >= Version::new(0, 8, 0)
    }

    fn parts(self) -> [u32; 3] {
        [self.major, self.minor, self.patch]
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Requirement {
    /// Reads what stands between `pragma solidity` and its semicolon. None if it is not understood.
    pub fn parse(text: &str) -> Option<Requirement> {
        let alternatives = text.split("||").map(conjunction);
        Some(Requirement {
            alternatives: alternatives.collect::<Option<_>>()?,
        })
    }

    /// Whether it takes a version.
    pub fn accepts(&self, version: Version) -> bool {
        let mut alternatives = self.alternatives.iter();
        alternatives.any(|all| all.iter().all(|comparison| comparison.accepts(version)))
    }
}

impl Comparison {
    fn accepts(&self, version: Version) -> bool {
        let order = |written: usize| self.order(version, written);
        let written = self.parts.len();
        match self.operator {
            VersionOperator::Equal => order(written).is_eq(),
            VersionOperator::Less => order(written).is_lt(),
            VersionOperator::LessOrEqual => order(written).is_le(),
            VersionOperator::Greater => order(written).is_gt(),
            VersionOperator::GreaterOrEqual => order(written).is_ge(),
            // Nothing but the last part may grow.
            VersionOperator::Tilde => order(written).is_ge() && order(written.clamp(1, 2)).is_le(),
            // The first part that is not zero stays; below 1.0 that is the second one.
            VersionOperator::Caret => {
                let zero = self.parts.first() == Some(&Some(0)) && written != 1;
                let fixed = if zero { 2 } else { 1 };
                order(written).is_ge() && order(fixed).is_le()
            }
        }
    }

    /// How a version stands to the first parts of the one that is written.
    fn order(&self, version: Version, parts: usize) -> std::cmp::Ordering {
        let ours = version.parts().into_iter();
        let pairs = ours.zip(&self.parts).take(parts);
        pairs
            .filter_map(|(ours, written)| Some(ours.cmp(&(*written)?)))
            .find(|order| order.is_ne())
            .unwrap_or(std::cmp::Ordering::Equal)
    }
}

/// `>=0.4.22 <0.9.0`, `0.5.0 - 0.7.0`: all of it has to hold.
fn conjunction(text: &str) -> Option<Vec<Comparison>> {
    let mut comparisons = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (operator, after) = operator(rest);
        let (parts, after) = number(after)?;
        rest = after.trim_start();
        comparisons.push(Comparison { operator, parts });
        if let Some(to) = rest.strip_prefix('-') {
            // A range stands alone.
            let [from] = comparisons.as_mut_slice() else {
                return None;
            };
            if from.operator != VersionOperator::Equal {
                return None;
            }
            from.operator = VersionOperator::GreaterOrEqual;
            let (parts, after) = number(to)?;
            let operator = VersionOperator::LessOrEqual;
            comparisons.push(Comparison { operator, parts });
            return after.trim().is_empty().then_some(comparisons);
        }
    }
    (!comparisons.is_empty()).then_some(comparisons)
}

fn operator(text: &str) -> (VersionOperator, &str) {
    let operators = [
        (">=", VersionOperator::GreaterOrEqual),
        ("<=", VersionOperator::LessOrEqual),
        (">", VersionOperator::Greater),
        ("<", VersionOperator::Less),
        ("=", VersionOperator::Equal),
        ("~", VersionOperator::Tilde),
        ("^", VersionOperator::Caret),
    ];
    operators
        .into_iter()
        .find_map(|(written, operator)| Some((operator, text.strip_prefix(written)?)))
        .unwrap_or((VersionOperator::Equal, text))
}

/// One to three parts with points between them, in quotes or not.
fn number(text: &str) -> Option<(Vec<Option<u32>>, &str)> {
    let mut rest = text.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    rest = rest.strip_prefix(['"', '\'']).unwrap_or(rest);
    let mut parts = Vec::new();
    loop {
        let (part, after) = part(rest)?;
        parts.push(part);
        let after_blanks = after.trim_start();
        match after_blanks.strip_prefix('.') {
            Some(next) => rest = next.trim_start(),
            None => {
                rest = after;
                break;
            }
        }
    }
    if let Some(quote) = quote {
        rest = rest.trim_start().strip_prefix(quote)?;
    }
    (parts.len() <= 3).then_some((parts, rest))
}

fn part(text: &str) -> Option<(Option<u32>, &str)> {
    if let Some(rest) = text.strip_prefix(['*', 'x', 'X']) {
        return Some((None, rest));
    }
    let end = text.find(|c: char| !c.is_ascii_digit());
    let (digits, rest) = text.split_at(end.unwrap_or(text.len()));
    Some((Some(digits.parse().ok()?), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(pragma: &str, version: &str) -> bool {
        let requirement = Requirement::parse(pragma).unwrap_or_else(|| panic!("`{pragma}`"));
        requirement.accepts(Version::parse(version).expect("a version"))
    }

    /// What `solc` itself says: each was tried with it.
    #[test]
    fn pragmas_mean_what_they_mean_to_the_compiler() {
        for (pragma, yes, no) in [
            ("^0.8.0", vec!["0.8.0", "0.8.30"], vec!["0.7.6", "0.9.0"]),
            ("^0.5", vec!["0.5.0", "0.5.17"], vec!["0.6.0", "0.4.26"]),
            ("^0", vec!["0.4.26", "0.8.30"], vec!["1.0.0"]),
            ("^1.2.3", vec!["1.2.3", "1.9.0"], vec!["1.2.2", "2.0.0"]),
            ("~0.8.4", vec!["0.8.4", "0.8.30"], vec!["0.8.3", "0.9.0"]),
            ("~0", vec!["0.4.0", "0.8.1"], vec!["1.0.0"]),
            ("0.8.19", vec!["0.8.19"], vec!["0.8.20"]),
            ("=0.8.19", vec!["0.8.19"], vec!["0.8.18"]),
            ("0.8", vec!["0.8.0", "0.8.30"], vec!["0.7.6"]),
            ("*", vec!["0.4.11", "0.8.30"], vec![]),
            ("0.x", vec!["0.4.11", "0.8.30"], vec!["1.0.0"]),
            (
                ">=0.4.22<0.9.0",
                vec!["0.4.22", "0.8.30"],
                vec!["0.4.21", "0.9.0"],
            ),
            (">= 0.4.22 < 0.9.0", vec!["0.4.22"], vec!["0.9.0"]),
            (
                ">0.5.0 <=0.7",
                vec!["0.5.1", "0.7.6"],
                vec!["0.5.0", "0.8.0"],
            ),
            ("0.5.0 - 0.6.12", vec!["0.5.0", "0.6.12"], vec!["0.7.0"]),
            ("^0.5.0 || ^0.7.0", vec!["0.5.3", "0.7.1"], vec!["0.6.0"]),
            ("\"0.8.4\"", vec!["0.8.4"], vec!["0.8.5"]),
            ("0 . 8 . 4", vec!["0.8.4"], vec!["0.8.5"]),
        ] {
            for version in yes {
                assert!(takes(pragma, version), "{pragma} takes {version}");
            }
            for version in no {
                assert!(!takes(pragma, version), "{pragma} does not take {version}");
            }
        }
    }

    #[test]
    fn what_is_no_requirement_is_none() {
        for text in [
            "",
            "||",
            "^",
            "latest",
            "0.8.0.1",
            "1 - 2 3",
            "^1 - 2",
            "99999999999",
            "'0.8",
        ] {
            assert_eq!(Requirement::parse(text), None, "{text}");
        }
    }

    #[test]
    fn versions_are_read() {
        let version = Some(Version::new(0, 8, 30));
        assert_eq!(Version::parse("0.8.30"), version);
        assert_eq!(
            Version::parse("0.8.30+commit.73712a01.Emscripten.clang"),
            version
        );
        let said = "solc, the solidity compiler commandline interface\nVersion: 0.8.30+commit.73712a01.Linux.g++\n";
        assert_eq!(Version::find(said), version);
        for text in [
            "",
            "0.8",
            "0.8.31-nightly.2025.7.1+commit.1",
            "v0.8.30",
            "0.8.30.1",
        ] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
