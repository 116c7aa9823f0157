//! Names that no format can be broken with.
//!
//! Names come from a class file or from JSON somebody wrote, so they may hold anything.

use std::fmt::Write;

/// The text with its invisible characters shown as `\u{…}`: controls (which steer a terminal, end a line, or may not
/// be in XML at all), characters that reverse the direction of writing, and characters of no width that hide.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_invisible(c) {
            // Writing to a `String` cannot fail.
            let _ = write!(shown, "{}", c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}')
}

/// The text inside a DOT string that is a label: a backslash begins an escape there, `&` an HTML entity.
pub fn dot_label(text: &str) -> String {
    dot_id(text).replace('&', "&amp;")
}

/// The text inside a DOT string that names something.
pub fn dot_id(text: &str) -> String {
    visible(text).replace('\\', "\\\\").replace('"', "\\\"")
}

/// The text inside a Mermaid state diagram. Whatever could mean something to its parser or to Markdown becomes an
/// entity of Mermaid's own (`#` code `;`).
pub fn mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        let plain =
            c.is_alphanumeric() || matches!(c, '_' | ' ' | ',' | '.' | '(' | ')' | '?' | '!');
        if plain {
            out.push(c);
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}

/// The text in a line or a table cell of Markdown.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in visible(text).chars() {
        if matches!(
            c,
            '\\' | '|' | '*' | '_' | '`' | '<' | '[' | ']' | '&' | '#'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// The text as the value of an XML attribute. White space other than a blank is written as a reference, for a reader
/// makes blanks of it; what XML cannot hold at all is shown as `\u{…}`.
pub fn xml_attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        // Writing to a `String` cannot fail.
        let _ = match c {
            '&' => out.write_str("&amp;"),
            '<' => out.write_str("&lt;"),
            '>' => out.write_str("&gt;"),
            '"' => out.write_str("&quot;"),
            '\t' | '\n' | '\r' | '\u{85}' | '\u{2028}' => write!(out, "&#{};", u32::from(c)),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => write!(out, "{}", c.escape_unicode()),
            c => out.write_char(c),
        };
    }
    out
}
