//! JSON from outside, as deep as it may be: serde goes down a level with each level of the text, so that how deep this is is looked
//! at before.

use serde::Deserialize;

/// The place of the bracket that is nested deeper than so many levels, if there is one.
pub(super) fn too_deep(text: &str, most: usize) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    text.bytes().position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > most
    })
}

/// What a text says whose depth has been looked at.
///
/// # Errors
/// It is no JSON, there is something behind it, or it is not what is wanted.
pub(super) fn read<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    let value = T::deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}
