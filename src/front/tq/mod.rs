//! The input language `.tq`.
//!
//! Text is read into a syntax tree ([`ast`]), which is what the printer and JSON work on; names and types are
//! then resolved into the typed program ([`crate::ir`]), which is what everything behind this room works on.
//! Whatever is wrong with a text is said in [`Diagnostics`], all at once.

pub mod ast;
pub mod build;
mod draft;
mod format;
mod habits;
mod json;
mod lexer;
mod mentions;
mod names;
mod origins;
mod parser;
mod parts;
mod predicates;
mod printer;
mod resolve;
mod sink;
mod token;
mod typed;

use std::path::Path;
use std::sync::Arc;

pub use draft::{Draft, DraftMethod, names as draft_names};
pub use format::{LINE_WIDTH, format};
pub use json::{from_json, to_json};
pub use mentions::{Mention, Mentions};
pub use names::is_identifier as is_name;
pub(crate) use names::{is_free_name, is_showable, nearest};
pub use parser::MAX_DEPTH;
pub(crate) use predicates::parse_expression;
pub use predicates::{Predicates, with_predicates};
pub use printer::{Comments, print, print_with_comments};
pub(crate) use sink::sink;
pub use typed::{SlicedText, text_of};

use crate::ir::source;
use crate::ir::{self, DiagnosticSink, Diagnostics, MAX_SIZE, Source};

/// A text that was read without an error.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The text and its name.
    pub source: Arc<Source>,
    /// The syntax tree.
    pub file: ast::FileSyntax,
    /// The typed program.
    pub program: Arc<ir::Program>,
    /// Which name stands for what is declared where.
    pub mentions: Mentions,
    /// What may not say what was meant.
    pub warnings: Diagnostics,
}

/// Reads, parses and resolves a file: `.tq` text, or its tree as JSON. It is JSON if its name ends in `.json` or
/// its text starts with `{`; its diagnostics then show the tree printed as text.
///
/// # Errors
/// Whatever is wrong: a file that cannot be read, syntax, names, types.
pub fn load(path: &Path) -> Result<Loaded, Diagnostics> {
    parse_source(Source::read(path)?)
}

/// Parses and resolves a text, or JSON (see [`load`]); `name` is what it is called in diagnostics.
///
/// # Errors
/// Whatever is wrong with it.
///
/// # Examples
/// ```
/// use tranquera::front::tq;
///
/// let text = "class Door { var open: bool; action enter() requires opne { } }";
/// let wrong = tq::parse_text("door.tq", text).unwrap_err();
/// assert!(wrong.to_string().contains("opne"));
///
/// let right = tq::parse_text("door.tq", &text.replace("opne", "open"))?;
/// assert_eq!(right.program.classes[0].name, "Door");
/// # Ok::<(), tranquera::ir::Diagnostics>(())
/// ```
pub fn parse_text(name: &str, text: &str) -> Result<Loaded, Diagnostics> {
    parse_source(Source::new(name, text))
}

/// Parses a text, without a look at names and types.
///
/// # Errors
/// What is wrong with its syntax.
pub fn parse_syntax(name: &str, text: &str) -> Result<ast::FileSyntax, Diagnostics> {
    let source = Arc::new(Source::new(name, text));
    let mut found = DiagnosticSink::default();
    let (file, _) = syntax(&source, &mut found);
    if found.errors() > 0 {
        return Err(Diagnostics::new(source, found));
    }
    Ok(file)
}

/// The typed program of a tree that stands in no text.
///
/// # Errors
/// What is wrong with names and types in it. The places are none.
pub(crate) fn program_of(file: &ast::FileSyntax) -> Result<ir::Program, Diagnostics> {
    let mut found = DiagnosticSink::default();
    let (program, _) = resolve::program(file, false, &mut found);
    match found.errors() {
        0 => Ok(program),
        _ => Err(Diagnostics::new(Arc::new(Source::new("", "")), found)),
    }
}

/// The tree, and whether parts of the text are missing in it because of errors.
fn syntax(source: &Source, found: &mut DiagnosticSink) -> (ast::FileSyntax, bool) {
    if let Err(too_large) = source::check_size(&source.name, source.text.len(), MAX_SIZE) {
        found.push(too_large);
        return (ast::FileSyntax::default(), true);
    }
    let tokens = lexer::tokens(source, found);
    parser::file(source, &tokens, found)
}

fn parse_source(source: Source) -> Result<Loaded, Diagnostics> {
    let source = Arc::new(source);
    if json::is_json(&source) {
        let file = from_json(&source.name, &source.text)?;
        let name = format!("{} (as text)", source.name);
        return resolved(Arc::new(Source::new(name, print(&file))));
    }
    resolved(source)
}

/// Parses and resolves `.tq` text.
fn resolved(source: Arc<Source>) -> Result<Loaded, Diagnostics> {
    let mut found = DiagnosticSink::default();
    let (file, holes) = syntax(&source, &mut found);
    let (program, mentions) = resolve::program(&file, holes, &mut found);
    if found.errors() > 0 {
        return Err(Diagnostics::new(source, found));
    }
    Ok(Loaded {
        program: Arc::new(program),
        mentions,
        warnings: Diagnostics::new(Arc::clone(&source), found),
        source,
        file,
    })
}

#[cfg(test)]
mod tests;
