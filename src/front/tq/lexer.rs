//! From text to tokens.

use super::names::{continues_name, is_reserved, starts_name};
use super::token::{SYMBOLS, Token, TokenKind};
use crate::ir::source::Source;
use crate::ir::span::Span;
use crate::ir::{Diagnostic, Found};

/// The longest integer that is read, in digits.
pub(super) const MAX_DIGITS: usize = 1000;

/// The tokens of a text.
pub(super) struct Tokens {
    /// The tokens, the end last.
    pub list: Vec<Token>,
    /// The comments between them.
    pub comments: Vec<Span>,
    /// Whether an open comment hides the end of the text.
    pub cut_off: bool,
}

/// The tokens of a source text. What cannot be read is reported.
pub(super) fn tokens(source: &Source, found: &mut Found) -> Tokens {
    let mut lexer = Lexer {
        text: &source.text,
        at: 0,
        comments: Vec::new(),
        cut_off: false,
        found,
    };
    let mut list = Vec::new();
    loop {
        let token = lexer.next();
        list.push(token);
        if token.kind == TokenKind::End {
            return Tokens {
                list,
                comments: lexer.comments,
                cut_off: lexer.cut_off,
            };
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    comments: Vec<Span>,
    cut_off: bool,
    found: &'a mut Found,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn next(&mut self) -> Token {
        self.skip_blanks();
        let start = self.at;
        let kind = match self.rest().chars().next() {
            None => TokenKind::End,
            Some(c) if starts_name(c) => self.word(),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(_) => self.symbol().unwrap_or_else(|| self.stray()),
        };
        let span = Span::new(start, self.at);
        Token { kind, span }
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += blanks;
            let start = self.at;
            let rest = self.rest();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.skip_comment();
            } else {
                return;
            }
            self.comments.push(Span::new(start, self.at));
        }
    }

    /// Skips a `/* … */`, with the comments inside it.
    fn skip_comment(&mut self) {
        let start = self.at;
        let mut open = 0_usize;
        let bytes = self.text.as_bytes();
        while let Some(two) = bytes.get(self.at..self.at + 2) {
            match two {
                b"/*" => open += 1,
                b"*/" => open -= 1,
                _ => {
                    self.at += 1;
                    continue;
                }
            }
            self.at += 2;
            if open == 0 {
                return;
            }
        }
        self.at = self.text.len();
        self.cut_off = true;
        self.found.push(
            Diagnostic::error("this comment is not closed")
                .at(Span::new(start, start + 2), "opened here")
                .help("comments nest: every `/*` needs its own `*/`"),
        );
    }

    fn word(&mut self) -> TokenKind {
        let rest = self.rest();
        let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
        self.at += length;
        if is_reserved(&rest[..length]) {
            TokenKind::Keyword
        } else {
            TokenKind::Name
        }
    }

    fn number(&mut self) -> TokenKind {
        let start = self.at;
        let rest = self.rest();
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
        self.at += length;
        let fraction = self.rest().strip_prefix('.').unwrap_or("");
        let fraction = fraction.len()
            - fraction
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .len();
        if fraction > 0 {
            self.at += 1 + fraction;
        }
        let place = Span::new(start, self.at);
        if fraction > 0 {
            self.found
                .push(Diagnostic::error("there are only whole numbers").at(place, ""));
        } else if length > digits {
            self.found.push(
                Diagnostic::error("this is neither a number nor a name")
                    .at(place, "")
                    .help("numbers are decimal digits only, and names do not start with a digit"),
            );
        } else if digits > MAX_DIGITS {
            self.found.push(
                Diagnostic::error(format!("this number has {digits} digits"))
                    .at(place, "")
                    .help(format!("the longest number has {MAX_DIGITS} digits")),
            );
        }
        TokenKind::Number
    }

    fn symbol(&mut self) -> Option<TokenKind> {
        let rest = self.rest();
        let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol))?;
        self.at += symbol.len();
        Some(TokenKind::Symbol(symbol))
    }

    /// Reports characters that no token starts with: all that stand together, at once.
    fn stray(&mut self) -> TokenKind {
        let start = self.at;
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or(' ');
        let stray = |c: char| !c.is_ascii_graphic() && !matches!(c, ' ' | '\t' | '\r' | '\n');
        let length = if stray(first) {
            rest.find(|c| !stray(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        self.at += length;
        let what = match first {
            '\0' => "unexpected NUL byte".to_owned(),
            c if c.is_control() => format!("unexpected control character U+{:04X}", c as u32),
            c => format!("unexpected character `{c}`"),
        };
        self.found.push(
            Diagnostic::error(what)
                .at(Span::new(start, self.at), "")
                .maybe_help(hint(first)),
        );
        TokenKind::Stray
    }
}

/// What was meant by a character that the language does not have.
fn hint(c: char) -> Option<String> {
    let meant = match c {
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '∧' => "&&",
        '∨' => "||",
        '¬' => "!",
        '→' | '⇒' => "==>",
        '⇔' | '↔' => "<==>",
        '∀' => "forall",
        '∃' => "exists",
        '"' | '\'' | '“' | '”' | '‘' | '’' => {
            return Some("there are no strings".to_owned());
        }
        '#' => return Some("a comment starts with `//`".to_owned()),
        c if c.is_alphabetic() => {
            return Some("names are made of the letters a to z, digits and `_`".to_owned());
        }
        _ => return None,
    };
    Some(format!("write `{meant}`"))
}
