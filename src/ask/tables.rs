//! Maps on a trace, as Corral writes them: `{"6":9,"*":2}`, with what is at all other keys behind `*`. The built-in engine may
//! say besides what is at all other keys that are less than a number: `{"6":9,"<0":7,"*":2}`.

use num_bigint::BigInt;

/// A map on a trace.
pub(super) struct TraceMap<'t> {
    /// Keys with what is at them; no key twice.
    pub(super) entries: Vec<(&'t str, &'t str)>,
    /// What is at all other keys that are less than this number.
    pub(super) below: Option<(BigInt, &'t str)>,
    /// What is at all other keys.
    pub(super) default: &'t str,
}

impl<'t> TraceMap<'t> {
    /// The map that a text is.
    pub(super) fn of(text: &'t str) -> Option<TraceMap<'t>> {
        let inside = text.strip_prefix('{')?.strip_suffix('}')?;
        let (mut entries, mut below, mut default) = (Vec::new(), None, None);
        for entry in parts(inside) {
            let (key, value) = entry.strip_prefix('"')?.split_once("\":")?;
            match key {
                "*" => default = Some(value),
                key => match key.strip_prefix('<') {
                    Some(bound) => below = Some((bound.parse().ok()?, value)),
                    None => entries.push((key, value)),
                },
            }
        }
        Some(TraceMap {
            entries,
            below,
            default: default?,
        })
    }

    /// What is at a key.
    pub(super) fn at(&self, key: &str) -> &'t str {
        let found = self.entries.iter().find(|(known, _)| *known == key);
        let is_less = |bound: &BigInt| key.parse().is_ok_and(|key: BigInt| key < *bound);
        match (found, &self.below) {
            (Some((_, value)), _) => value,
            (None, Some((bound, value))) if is_less(bound) => value,
            (None, _) => self.default,
        }
    }
}

/// What is between the commas that are in no inner map.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    text.split(move |c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_of_maps() {
        let table = TraceMap::of(r#"{"5":{"false":-2,"*":0},"T@Doc!val!1":7,"*":{"*":0}}"#);
        let table = table.expect("a map");
        assert_eq!(table.at("T@Doc!val!1"), "7");
        assert_eq!(table.at("6"), r#"{"*":0}"#);
        let ordered = TraceMap::of(r#"{"-7":1,"<-3":2,"*":4}"#).expect("a map");
        assert_eq!(
            ["-7", "-8", "-3"].map(|key| ordered.at(key)),
            ["1", "2", "4"]
        );
        let inner = TraceMap::of(table.at("5")).expect("a map");
        assert_eq!((inner.at("false"), inner.at("true")), ("-2", "0"));
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "",
            "7",
            "{}",
            "T@[Int]Int!val!3",
            "(lambda ((x Int)) x)",
            "{7:3}",
        ] {
            assert!(TraceMap::of(text).is_none(), "{text}");
        }
    }
}
