//! Text as class files have it (JVMS 4.4.7): "modified UTF-8".
//!
//! It differs from UTF-8 in two points: the character 0 takes two bytes, and what lies beyond the first 65,536 characters
//! is a pair of surrogates, three bytes each. A surrogate may also stand alone, and then the text is no Unicode text.

use std::sync::Arc;

/// The value of a string constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Text {
    /// Proper Unicode.
    Plain(Arc<str>),
    /// UTF-16 with a surrogate that stands alone.
    Units(Arc<[u16]>),
}

impl Text {
    /// The UTF-16 of a string constant, as text.
    pub fn of_units(units: &[u16]) -> Text {
        match String::from_utf16(units) {
            Ok(plain) => Text::Plain(plain.into()),
            Err(_) => Text::Units(units.into()),
        }
    }

    /// To be shown; a surrogate that stands alone becomes `\u{fffd}`.
    pub fn shown(&self) -> String {
        match self {
            Text::Plain(text) => text.to_string(),
            Text::Units(units) => String::from_utf16_lossy(units),
        }
    }
}

/// The UTF-16 units of modified UTF-8; nothing where it is none.
pub(super) fn units(bytes: &[u8]) -> Option<Vec<u16>> {
    let mut found = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        let (unit, after) = match *rest {
            [] => return Some(found),
            [one @ 0x01..=0x7f, ref after @ ..] => (u16::from(one), after),
            [one @ 0xc0..=0xdf, two @ 0x80..=0xbf, ref after @ ..] => {
                (u16::from(one & 0x1f) << 6 | low(two), after)
            }
            [
                one @ 0xe0..=0xef,
                two @ 0x80..=0xbf,
                three @ 0x80..=0xbf,
                ref after @ ..,
            ] => {
                let high = u16::from(one & 0x0f) << 12;
                (high | low(two) << 6 | low(three), after)
            }
            _ => return None,
        };
        found.push(unit);
        rest = after;
    }
}

/// The six bits that a byte behind the first one carries.
fn low(byte: u8) -> u16 {
    u16::from(byte & 0x3f)
}

/// Whether these bytes mean the same in modified and in real UTF-8, as nearly all do.
pub(super) fn is_plain(bytes: &[u8]) -> bool {
    !bytes.contains(&0)
        && bytes.iter().all(|byte| *byte < 0xf0)
        && std::str::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Option<Text> {
        units(bytes).map(|units| Text::of_units(&units))
    }

    #[test]
    fn modified_utf8_differs_from_utf8() {
        assert_eq!(decoded(b"abc"), Some(Text::Plain("abc".into())));
        assert_eq!(decoded("é€".as_bytes()), Some(Text::Plain("é€".into())));
        assert_eq!(decoded(&[0xc0, 0x80]), Some(Text::Plain("\0".into())));
        let pair = [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80];
        assert_eq!(decoded(&pair), Some(Text::Plain("😀".into())));
        let lone = [0xed, 0xa0, 0xbd];
        assert_eq!(decoded(&lone), Some(Text::Units([0xd83d].into())));
    }

    #[test]
    fn what_is_none_is_refused() {
        for bytes in [
            &[0][..],
            &[0x80],
            &[0xc3],
            &[0xe2, 0x82],
            &[0xf0, 0x9f, 0x98, 0x80],
        ] {
            assert_eq!(decoded(bytes), None, "{bytes:x?}");
        }
    }

    #[test]
    fn plain_bytes_are_what_both_read_alike() {
        assert!(is_plain("Größe".as_bytes()));
        assert!(!is_plain("😀".as_bytes()));
        assert!(!is_plain(&[0xc0, 0x80]));
        assert!(!is_plain(b"\0"));
    }
}
