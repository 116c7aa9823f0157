//! The type under test.

use super::names::word;
use super::{CodeError, TestLanguage};

/// The type under test.
pub(super) struct TestedType {
    /// Its name.
    pub name: String,
    /// The module, package or namespace it is in; empty for none.
    pub home: String,
}

impl TestedType {
    /// The type of this path; without one, the type that is named like the class.
    pub(super) fn new(
        language: TestLanguage,
        class: &str,
        path: Option<&str>,
    ) -> Result<TestedType, CodeError> {
        let (separator, example) = match language {
            TestLanguage::Rust => ("::", "a path like `crate::parking::Gate` is wanted"),
            TestLanguage::Java => (".", "a name like `org.example.Gate` is wanted"),
            TestLanguage::CSharp => (".", "a name like `Example.Gate` is wanted"),
        };
        let home = match language {
            TestLanguage::Rust => "crate".to_string(),
            _ => String::new(),
        };
        let Some(path) = path else {
            let name = word(language, class);
            return Ok(TestedType { name, home });
        };
        let is_name = |part: &str| {
            let mut chars = part.chars();
            let first = chars
                .next()
                .is_some_and(|c| c == '_' || c.is_ascii_alphabetic());
            first && chars.all(|c| c == '_' || c.is_ascii_alphanumeric())
        };
        if !path.split(separator).all(is_name) {
            return Err(CodeError::Subject(path.into(), example));
        }
        Ok(match path.rsplit_once(separator) {
            Some((home, name)) => TestedType {
                name: name.into(),
                home: home.into(),
            },
            None => TestedType {
                name: path.into(),
                home,
            },
        })
    }
}
