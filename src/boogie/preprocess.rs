//! Conditional compilation: `#if NAME`, `#if !NAME`, `#elsif`, `#else`, `#endif`, each on a line of its own.

use std::borrow::Cow;

use super::ast::Pos;
use super::error::Error;

/// One `#if` that is open.
struct Level {
    line: u32,
    /// Is the branch that is being read part of the program?
    included: bool,
    /// May a later branch be?
    open: bool,
    seen_else: bool,
}

/// The text with the lines that are left out, and the directives, empty, so that places stay as they are.
///
/// # Errors
///
/// A directive without its `#if`, an `#if` without its `#endif`.
pub(super) fn preprocess<'t>(
    text: &'t str,
    defines: &[String],
    first_line: u32,
) -> Result<Cow<'t, str>, Error> {
    let directive = |line: &str| line.trim_start().starts_with("#if");
    if !text.lines().any(directive) {
        return Ok(Cow::Borrowed(text));
    }
    let holds = |name: &str| {
        let bare = name.trim_start_matches(|c: char| c == '!' || c.is_whitespace());
        let negations = name.len() - name.replace('!', "").len();
        defines.iter().any(|d| d == bare) == negations.is_multiple_of(2)
    };
    let mut levels: Vec<Level> = Vec::new();
    let mut out = String::new();
    for (line, number) in text.lines().zip(first_line..) {
        let misplaced = || {
            let pos = Pos {
                line: number,
                col: 1,
            };
            Error::new(pos, format!("misplaced {}", line.trim()))
        };
        let around = |levels: &[Level]| levels.iter().all(|l| l.included);
        let word = line.trim();
        if let Some(name) = word.strip_prefix("#if") {
            let included = holds(name.trim());
            levels.push(Level {
                line: number,
                included,
                open: !included,
                seen_else: false,
            });
        } else if word.starts_with("#elsif") || word == "#else" {
            let level = levels.last_mut().filter(|l| !l.seen_else);
            let level = level.ok_or_else(misplaced)?;
            let name = word.strip_prefix("#elsif");
            level.seen_else = name.is_none();
            level.included = level.open && name.is_none_or(|n| holds(n.trim()));
            level.open &= !level.included;
        } else if word == "#endif" {
            levels.pop().ok_or_else(misplaced)?;
        } else if around(&levels) {
            out.push_str(line);
        }
        out.push('\n');
    }
    match levels.last() {
        Some(level) => {
            let pos = Pos {
                line: level.line,
                col: 1,
            };
            Err(Error::new(pos, "this #if has no #endif"))
        }
        None => Ok(Cow::Owned(out)),
    }
}
