//! Values, strings and comments of the languages.

use std::fmt::Write;

use num_bigint::BigInt;

use crate::interp::Value;
use crate::ir::{MachineInt, Program, Type};

use super::TestLanguage;
use super::names::word;

impl TestLanguage {
    /// A value as the language writes it.
    ///
    /// # Errors
    /// Why it cannot, in words.
    pub fn literal(self, program: &Program, ty: &Type, value: &Value) -> Result<String, String> {
        match value {
            Value::Bool(b) => Ok(b.to_string()),
            Value::Int(n) => self.integer(ty, n),
            Value::Member(id, index) => {
                let declared = program.enums.get(id.0);
                let member = declared.and_then(|e| Some((e, e.members.get(*index)?)));
                let (declared, member) = member.ok_or("there is no such value")?;
                let dot = if self == TestLanguage::Rust {
                    "::"
                } else {
                    "."
                };
                Ok(word(self, &declared.name) + dot + &word(self, member))
            }
            Value::Null => Ok(match self {
                TestLanguage::Rust => "None".into(),
                TestLanguage::Java | TestLanguage::CSharp => "null".into(),
            }),
            Value::Opaque(..) => Err("it is a value of a type of which nothing is known".into()),
            Value::Ref(_) => Err("it is an object".into()),
            Value::Map(_) => Err("it is a map".into()),
        }
    }

    fn integer(self, ty: &Type, n: &BigInt) -> Result<String, String> {
        let wide = MachineInt {
            signed: true,
            bits: 64,
        };
        let held = match (ty, self) {
            // Java has no unsigned types; its `long` holds most of them.
            (Type::Machine(machine), TestLanguage::Rust | TestLanguage::CSharp) => {
                (*machine).usual()
            }
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
            (TestLanguage::Rust, ..) => n.to_string(),
            (TestLanguage::Java, true, 64) | (TestLanguage::Java, false, 32 | 64) => {
                format!("{n}L")
            }
            (TestLanguage::Java, ..) => n.to_string(),
            (TestLanguage::CSharp, true, 8) => format!("(sbyte)({n})"),
            (TestLanguage::CSharp, false, 8) => format!("(byte){n}"),
            (TestLanguage::CSharp, true, 16) => format!("(short)({n})"),
            (TestLanguage::CSharp, false, 16) => format!("(ushort){n}"),
            (TestLanguage::CSharp, true, 32) => n.to_string(),
            (TestLanguage::CSharp, false, 32) => format!("{n}U"),
            (TestLanguage::CSharp, true, _) => format!("{n}L"),
            (TestLanguage::CSharp, false, _) => format!("{n}UL"),
        })
    }
}

/// A string of the language. Nothing in the text can end it.
pub(super) fn quoted(language: TestLanguage, text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        // Writing to a `String` cannot fail.
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            _ if language == TestLanguage::Rust => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            // Java reads `\u000a` as a line's end before it reads the string.
            _ if language == TestLanguage::Java && c.is_ascii() => {
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
pub(in crate::suite) fn comment(text: &str) -> String {
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
            quoted(TestLanguage::Rust, text),
            r#""a\"b\\c\u{a}d\u{2028}\u{e9}\u{1f600}""#
        );
        assert_eq!(
            quoted(TestLanguage::Java, text),
            r#""a\"b\\c\012d\u2028\u00e9\ud83d\ude00""#
        );
        assert_eq!(
            quoted(TestLanguage::CSharp, text),
            r#""a\"b\\c\u000ad\u2028\u00e9\ud83d\ude00""#
        );
        assert_eq!(comment(text), "a\"b?c?d???");
    }

    #[test]
    fn integers_are_written_only_where_they_fit() {
        let machine = |signed, bits| Type::Machine(MachineInt { signed, bits });
        let big = BigInt::from(1u8) << 63;
        for language in [TestLanguage::Rust, TestLanguage::Java, TestLanguage::CSharp] {
            assert!(language.integer(&Type::Int, &big).is_err());
            assert!(language.integer(&Type::Int, &-big.clone()).is_ok());
        }
        let text = |language: TestLanguage, ty, n: BigInt| language.integer(&ty, &n);
        assert_eq!(
            text(TestLanguage::CSharp, machine(false, 64), big.clone()),
            Ok("9223372036854775808UL".into())
        );
        assert!(text(TestLanguage::Java, machine(false, 64), big.clone()).is_err());
        assert_eq!(
            text(TestLanguage::CSharp, machine(true, 8), (-5).into()),
            Ok("(sbyte)(-5)".into())
        );
        assert_eq!(
            text(TestLanguage::Java, Type::Nat, 7.into()),
            Ok("7L".into())
        );
        assert_eq!(
            text(TestLanguage::Java, machine(false, 16), 7.into()),
            Ok("7".into())
        );
        assert_eq!(
            text(TestLanguage::Rust, Type::Nat, 7.into()),
            Ok("7".into())
        );
    }
}
