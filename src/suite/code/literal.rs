//! Values, strings and comments of the languages.

use std::fmt::Write;

use num_bigint::BigInt;

use crate::interp::Value;
use crate::ir::{Machine, Program, Type};

use super::super::model::Argument;
use super::Language;
use super::names::word;

impl Language {
    /// A value as the language writes it.
    ///
    /// # Errors
    /// Why it cannot, in words.
    pub fn literal(self, program: &Program, argument: &Argument) -> Result<String, String> {
        match &argument.value {
            Value::Bool(b) => Ok(b.to_string()),
            Value::Int(n) => self.integer(&argument.ty, n),
            Value::Member(id, index) => {
                let declared = program.enums.get(id.0);
                let member = declared.and_then(|e| Some((e, e.members.get(*index)?)));
                let (declared, member) = member.ok_or("there is no such value")?;
                let dot = if self == Language::Rust { "::" } else { "." };
                Ok(word(self, &declared.name) + dot + &word(self, member))
            }
            Value::Null => Ok(match self {
                Language::Rust => "None".into(),
                Language::Java | Language::CSharp => "null".into(),
            }),
            Value::Opaque(..) => Err("it is a value of a type of which nothing is known".into()),
            Value::Ref(_) => Err("it is an object".into()),
            Value::Map(_) => Err("it is a map".into()),
        }
    }

    fn integer(self, ty: &Type, n: &BigInt) -> Result<String, String> {
        let wide = Machine {
            signed: true,
            bits: 64,
        };
        let held = match (ty, self) {
            // Java has no unsigned types; its `long` holds most of them.
            (Type::Machine(machine), Language::Rust | Language::CSharp) => (*machine).usual(),
            _ => wide,
        };
        if *n < held.min() || *n > held.max() {
            let kind = if held.signed {
                "a signed"
            } else {
                "an unsigned"
            };
            return Err(format!(
                "it does not fit into {kind} integer of {} bits",
                held.bits
            ));
        }
        let machine = match ty {
            Type::Machine(machine) => (*machine).usual(),
            _ => wide,
        };
        Ok(match (self, machine.signed, machine.bits) {
            // The type follows from the method.
            (Language::Rust, ..) => n.to_string(),
            (Language::Java, true, 64) | (Language::Java, false, 32 | 64) => format!("{n}L"),
            (Language::Java, ..) => n.to_string(),
            (Language::CSharp, true, 8) => format!("(sbyte)({n})"),
            (Language::CSharp, false, 8) => format!("(byte){n}"),
            (Language::CSharp, true, 16) => format!("(short)({n})"),
            (Language::CSharp, false, 16) => format!("(ushort){n}"),
            (Language::CSharp, true, 32) => n.to_string(),
            (Language::CSharp, false, 32) => format!("{n}U"),
            (Language::CSharp, true, _) => format!("{n}L"),
            (Language::CSharp, false, _) => format!("{n}UL"),
        })
    }
}

/// A string of the language. Nothing in the text can end it.
pub(super) fn quoted(language: Language, text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        // Writing to a `String` cannot fail.
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            _ if language == Language::Rust => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            // Java reads `\u000a` as a line's end before it reads the string.
            _ if language == Language::Java && c.is_ascii() => {
                let _ = write!(out, "\\{:03o}", u32::from(c));
            }
            _ => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
    out
}

/// The text on one line of a comment. A backslash could begin an escape in Java, even there.
pub(super) fn comment(text: &str) -> String {
    let plain = |c: char| matches!(c, ' '..='~') && c != '\\';
    text.chars()
        .map(|c| if plain(c) { c } else { '?' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_a_string_or_a_comment() {
        let text = "a\"b\\c\nd\u{2028}é\u{1f600}";
        assert_eq!(
            quoted(Language::Rust, text),
            r#""a\"b\\c\u{a}d\u{2028}\u{e9}\u{1f600}""#
        );
        assert_eq!(
            quoted(Language::Java, text),
            r#""a\"b\\c\012d\u2028\u00e9\ud83d\ude00""#
        );
        assert_eq!(
            quoted(Language::CSharp, text),
            r#""a\"b\\c\u000ad\u2028\u00e9\ud83d\ude00""#
        );
        assert_eq!(comment(text), "a\"b?c?d???");
    }

    #[test]
    fn integers_are_written_only_where_they_fit() {
        let machine = |signed, bits| Type::Machine(Machine { signed, bits });
        let big = BigInt::from(1u8) << 63;
        for language in [Language::Rust, Language::Java, Language::CSharp] {
            assert!(language.integer(&Type::Int, &big).is_err());
            assert!(language.integer(&Type::Int, &-big.clone()).is_ok());
        }
        let text = |language: Language, ty, n: BigInt| language.integer(&ty, &n);
        assert_eq!(
            text(Language::CSharp, machine(false, 64), big.clone()),
            Ok("9223372036854775808UL".into())
        );
        assert!(text(Language::Java, machine(false, 64), big.clone()).is_err());
        assert_eq!(
            text(Language::CSharp, machine(true, 8), (-5).into()),
            Ok("(sbyte)(-5)".into())
        );
        assert_eq!(text(Language::Java, Type::Nat, 7.into()), Ok("7L".into()));
        assert_eq!(
            text(Language::Java, machine(false, 16), 7.into()),
            Ok("7".into())
        );
        assert_eq!(text(Language::Rust, Type::Nat, 7.into()), Ok("7".into()));
    }
}
