//! The syntax tree as JSON, in both directions.
//!
//! What comes in is not trusted: a tree is taken only if it is one that the parser could have made, which is
//! found out by printing and parsing it.

use std::sync::Arc;

use super::ast::FileSyntax;
use super::names::is_identifier;
use super::parser::MAX_DEPTH;
use super::{parse_syntax, print};
use crate::front::json;
use crate::ir::source::{MAX_JSON_SIZE, Source, check_size};
use crate::ir::span::Span;
use crate::ir::{Diagnostic, Diagnostics};
use crate::stack::on_large_stack;

/// How deep the JSON may be nested: a level of the tree is five levels of JSON at most.
const MAX_JSON_DEPTH: usize = 5 * MAX_DEPTH as usize + 32;

/// The stack on which JSON is read, in bytes. JSON can describe trees deeper than those that are taken, and what
/// serde generates needs much for each level; the tests do with an eighth of this, without optimisation.
const STACK: usize = 32 << 20;

/// The tree as JSON text.
pub fn to_json(file: &FileSyntax) -> String {
    let mut text = serde_json::to_string_pretty(file)
        // JSON has all that a tree consists of: structures, lists, strings.
        .unwrap_or_default();
    text.push('\n');
    text
}

/// The tree that a JSON text describes; `name` is what the text is called in diagnostics.
///
/// # Errors
/// A text that is no JSON, or JSON that is no tree of a `.tq` text.
pub fn from_json(name: &str, text: &str) -> Result<FileSyntax, Diagnostics> {
    let source = Arc::new(Source::new(name, text));
    let fail = |diagnostic: Diagnostic| Diagnostics::new(Arc::clone(&source), diagnostic.into());
    check_size(name, text.len(), MAX_JSON_SIZE).map_err(fail)?;
    if let Some(at) = json::too_deep(text, MAX_JSON_DEPTH) {
        let place = Span::new(at, at + 1);
        let diagnostic = Diagnostic::error("this is nested too deeply").at(place, "");
        return Err(fail(diagnostic));
    }
    let (file, printed) = on_large_stack(STACK, || {
        let file = deserialize(&source)?;
        let printed = print(&file);
        Ok((file, printed))
    })
    .unwrap_or_else(|| Err(Diagnostic::error("there is not enough memory to read JSON")))
    .map_err(fail)?;
    let parsed = parse_syntax(&format!("{name} (as text)"), &printed)?;
    if parsed != file {
        return Err(fail(Diagnostic::error(
            "this tree is not one that a text can have: it would be printed as another one",
        )));
    }
    Ok(parsed)
}

/// Whether a source is meant as JSON.
pub(super) fn is_json(source: &Source) -> bool {
    let text = source.text.trim_start();
    source.name.ends_with(".json") || text.starts_with('{')
}

fn deserialize(source: &Source) -> Result<FileSyntax, Diagnostic> {
    json::read(&source.text).map_err(|error| {
        let line = source
            .text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1));
        let start: usize = line.map(str::len).sum();
        let mut at = (start + error.column().saturating_sub(1)).min(source.text.len());
        while !source.text.is_char_boundary(at) {
            at -= 1;
        }
        // The message ends with the place, which the diagnostic shows anyway.
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        Diagnostic::error(format!("this is not the tree of a class: {message}"))
            .at(Span::new(at, at), "")
    })
}

/// A string that is an identifier of the language.
pub(super) fn identifier<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<String, D::Error> {
    let name = <String as serde::Deserialize>::deserialize(deserializer)?;
    if is_identifier(&name) {
        return Ok(name);
    }
    Err(serde::de::Error::custom(format!(
        "`{}` is not a name",
        name.escape_debug()
    )))
}

/// Integers of any size as strings of decimal digits.
pub(super) mod decimal {
    use num_bigint::BigInt;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::super::lexer::MAX_DIGITS;

    pub(crate) fn serialize<S: Serializer>(
        value: &BigInt,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&value.to_string())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BigInt, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let plain = digits.len() <= MAX_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse() {
            Ok(value) if plain => Ok(value),
            _ => Err(D::Error::custom("an integer is a string of decimal digits")),
        }
    }
}
