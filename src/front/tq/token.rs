//! Tokens: the words of a source text.

use crate::ir::span::Span;

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// What a token is; its text is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, or a word that is special only in some places.
    Name,
    /// A reserved word.
    Keyword,
    /// Decimal digits.
    Number,
    /// A text in quotes: how something is shown.
    Text,
    /// One of [`SYMBOLS`].
    Symbol(&'static str),
    /// Characters that belong to no token; they have been reported.
    Stray,
    /// The end of the text.
    End,
}

/// All symbols; where one is a prefix of another, the longer one stands first. Some are no part of the
/// language: they are what people write by mistake, and are read as one symbol so that the hint fits.
pub(super) const SYMBOLS: [&str; 51] = [
    "<==>", "==>", "===", "!==", "<==", "<=>", "::", ":=", "==", "=>", "!=", "<=", ">=", "&&",
    "||", "+=", "-=", "*=", "/=", "%=", "->", "<>", "=<", "**", "<<", "..", "??", "{", "}", "(",
    ")", "[", "]", "<", ">", ",", ";", ":", ".", "?", "=", "!", "&", "|", "+", "-", "*", "/", "%",
    "^", "~",
];
