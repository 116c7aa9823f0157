//! Formatting: from a text to the same text, laid out in the one usual way.
//!
//! What is written are the words of the text itself, each with the comments before it, in their order; the syntax
//! tree says only what belongs together. So nothing can be lost that the tree does not know: comments, and
//! parentheses that are not needed. Where a line may break is said in a document of the `pretty` crate, which breaks
//! as few lines as the width allows, the outermost first.
//!
//! Two things are left to the author, as in gofmt: blank lines, of which one is kept; and whether a routine, a
//! statement with blocks, a function or an enum that fits a line stands on one.

mod expressions;
mod gap;
mod items;
mod statements;

use std::sync::Arc;

use pretty::{Arena, DocAllocator, DocBuilder};

use super::ast::FileSyntax;
use super::json;
use super::lexer::{self, Tokens};
use super::parser;
use super::token::{Token, TokenKind};
use crate::ir::source::{MAX_SIZE, Source, check_size};
use crate::ir::span::Span;
use crate::ir::{Diagnostic, DiagnosticSink, Diagnostics};

/// How wide a line may be, unless one says otherwise, in characters.
pub const LINE_WIDTH: usize = 100;

/// How far what is inside is moved to the right, in characters.
const INDENT: isize = 2;

/// A part of the result.
type Doc<'a> = DocBuilder<'a, Arena<'a>>;

/// The text, formatted: lines of at most `width` characters where words and comments allow it, and line ends like the
/// first one of the text. Formatting the result again changes nothing.
///
/// # Errors
/// What is wrong with its syntax; a text that would be too large to be read again.
pub fn format(name: &str, text: &str, width: usize) -> Result<String, Diagnostics> {
    let source = Arc::new(Source::new(name, text));
    if json::is_json(&source) {
        let tree = Diagnostic::error(format!("`{name}` is a tree as JSON, not text"))
            .help("`tranquera parse` prints it as text");
        return Err(Diagnostics::new(source, tree.into()));
    }
    let mut found = DiagnosticSink::default();
    let Some((file, tokens)) = read(&source, &mut found) else {
        return Err(Diagnostics::new(source, found));
    };
    let formatted = lines(&render(&source, &file, &tokens, width));
    let longer = format!("{} (formatted)", source.name);
    if let Err(too_large) = check_size(&longer, formatted.len(), MAX_SIZE) {
        return Err(Diagnostics::new(source, too_large.into()));
    }
    if !says_the_same(&source, &file, &tokens, &formatted) {
        let broken = Diagnostic::error("formatting would change what this file says")
            .help("this is an error of tranquera, not of the file; please report it with the file");
        return Err(Diagnostics::new(source, broken.into()));
    }
    Ok(if has_windows_line_ends(text) {
        formatted.replace('\n', "\r\n")
    } else {
        formatted
    })
}

/// The tree and the tokens of a text without errors.
fn read(source: &Source, found: &mut DiagnosticSink) -> Option<(FileSyntax, Tokens)> {
    if let Err(too_large) = check_size(&source.name, source.text.len(), MAX_SIZE) {
        found.push(too_large);
        return None;
    }
    let tokens = lexer::tokens(source, found);
    let (file, _) = parser::file(source, &tokens, found);
    (found.errors() == 0).then_some((file, tokens))
}

fn render(source: &Source, file: &FileSyntax, tokens: &Tokens, width: usize) -> String {
    let arena = Arena::new();
    let doc = TokenLayout::new(source, tokens, &arena).file(file);
    let mut text = String::new();
    // Writing to a string does not fail; if it did, the comparison below would show it.
    let _ = doc.1.render_fmt(width, &mut text);
    text
}

/// The text without blanks at the end of lines and of the whole, but for one line end.
fn lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    let mut text = lines.join("\n");
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

fn has_windows_line_ends(text: &str) -> bool {
    text.find('\n')
        .is_some_and(|end| text.get(..end).is_some_and(|line| line.ends_with('\r')))
}

/// Whether the result has the tree of the source, its words and its comments.
fn says_the_same(source: &Source, file: &FileSyntax, tokens: &Tokens, formatted: &str) -> bool {
    let result = Source::new(source.name.as_str(), formatted);
    read(&result, &mut DiagnosticSink::default()).is_some_and(|(again, its_tokens)| {
        again == *file
            && words(source, tokens).eq(words(&result, &its_tokens))
            && comments(source, tokens).eq(comments(&result, &its_tokens))
    })
}

/// All words but the separators, some of which can be written or not.
fn words<'a>(source: &'a Source, tokens: &'a Tokens) -> impl Iterator<Item = &'a str> {
    let words = tokens.list.iter().map(|token| source.at(token.span));
    words.filter(|word| !matches!(*word, "," | ";"))
}

/// The comments, blanks at both ends of their lines aside.
fn comments<'a>(source: &'a Source, tokens: &'a Tokens) -> impl Iterator<Item = Vec<&'a str>> {
    let comments = tokens.comments.iter().map(|span| source.at(*span));
    comments.map(|comment| comment.lines().map(str::trim).collect())
}

/// The way through the tokens, with the tree beside it.
struct TokenLayout<'a> {
    arena: &'a Arena<'a>,
    source: &'a Source,
    tokens: &'a [Token],
    comments: &'a [Span],
    /// The next token.
    at: usize,
    /// The next comment.
    comment_at: usize,
    /// Where the last word or comment ends that has been written.
    written: usize,
    /// Whether what stands before the next token is written already.
    gap_is_written: bool,
    /// For each `{`, where its `}` is.
    closers: Vec<usize>,
}

impl<'a> TokenLayout<'a> {
    fn new(source: &'a Source, tokens: &'a Tokens, arena: &'a Arena<'a>) -> Self {
        TokenLayout {
            arena,
            source,
            tokens: &tokens.list,
            comments: &tokens.comments,
            at: 0,
            comment_at: 0,
            written: 0,
            gap_is_written: false,
            closers: closers(&tokens.list),
        }
    }

    fn nil(&self) -> Doc<'a> {
        self.arena.nil()
    }

    fn text(&self, text: &'a str) -> Doc<'a> {
        self.arena.text(text)
    }

    /// The next token, if there is one.
    fn token(&self) -> Option<Token> {
        let token = self.tokens.get(self.at).copied();
        token.filter(|token| token.kind != TokenKind::End)
    }

    /// Where the next token starts.
    fn start(&self) -> usize {
        let end = self.source.text.len();
        self.token().map_or(end, |token| token.span.start as usize)
    }

    /// The text of a token.
    fn word_at(&self, index: usize) -> &'a str {
        let token = self.tokens.get(index);
        token.map_or("", |token| self.source.at(token.span))
    }

    fn is(&self, word: &str) -> bool {
        self.word_at(self.at) == word
    }

    /// Writes the next token, and before it what has not been written of the gap.
    fn word(&mut self) -> Doc<'a> {
        let before = self.gap(gap::Sep::None);
        let word = self.text(self.word_at(self.at));
        if let Some(token) = self.token() {
            self.written = token.span.end as usize;
            self.at += 1;
        }
        self.gap_is_written = false;
        before.append(word)
    }

    /// A token with a separator before it.
    fn word_after(&mut self, sep: gap::Sep) -> Doc<'a> {
        self.gap(sep).append(self.word())
    }

    /// Leaves the next token out if it is this one. The comments around it stay.
    fn omit(&mut self, word: &str) {
        if self.is(word) && !self.gap_is_written {
            self.at += 1;
        }
    }

    /// Whether there is no line end from the next token to the offset `end`.
    fn on_one_line(&self, end: usize) -> bool {
        self.source.line(self.start()) == self.source.line(end)
    }

    /// Whether the next token is the first on its line.
    fn at_line_start(&self) -> bool {
        self.source.line(self.written) < self.source.line(self.start())
    }

    /// Where the block ends whose `{` is this token.
    fn end_of_block(&self, open: usize) -> usize {
        self.closers.get(open).copied().unwrap_or(0)
    }
}

/// For each token that is a `{`, the offset behind its `}`.
fn closers(tokens: &[Token]) -> Vec<usize> {
    let mut closers = vec![0; tokens.len()];
    let mut open = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Symbol("{") => open.push(i),
            TokenKind::Symbol("}") => {
                if let Some(opener) = open.pop().and_then(|i: usize| closers.get_mut(i)) {
                    *opener = token.span.end as usize;
                }
            }
            _ => {}
        }
    }
    closers
}
