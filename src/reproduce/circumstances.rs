//! When, where and how figures were made: times say nothing without.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::words::counted;
use crate::workers::a_core_each;
use serde::Serialize;

/// When, where and how a reproduction was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Circumstances {
    /// The day, in universal time: `2026-02-28`.
    pub date: String,
    /// The processor in general terms, and how many cores there are.
    pub machine: String,
    /// The command, as it could be repeated.
    pub command: String,
}

impl Circumstances {
    /// Here and now.
    pub fn now(command: &str) -> Circumstances {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let cores = a_core_each();
        Circumstances {
            date: day(since.unwrap_or(Duration::ZERO)),
            machine: format!("{}, {}", processor(), counted(cores, "core")),
            command: command.to_owned(),
        }
    }
}

/// What the system calls its processor; its architecture where it does not say.
fn processor() -> String {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = told.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    match model {
        Some(model) if !model.is_empty() => model,
        _ => std::env::consts::ARCH.to_owned(),
    }
}

/// The day of a time since 1970, in the Gregorian calendar.
fn day(since: Duration) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut days = since.as_secs() / 86_400;
    let mut year = 1970;
    // A clock that is set to no year of ours is not worth a loop of ages.
    while year < 9999 {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        days -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days() {
        // From any almanac.
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (86_399, "1970-01-01"),
            (86_400, "1970-01-02"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_709_164_800, "2024-02-29"),
            (1_735_603_200, "2024-12-31"),
            (1_735_689_600, "2025-01-01"),
            (4_107_542_400, "2100-03-01"),
        ] {
            assert_eq!(day(Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn a_machine_has_a_name_and_cores() {
        let here = Circumstances::now("x");
        assert!(here.machine.ends_with(" cores") || here.machine.ends_with(", 1 core"));
        assert!(!here.machine.starts_with(','));
    }
}
