//! From text to tokens.

use num_bigint::BigInt;

use super::names::{continues_name, is_conversion, is_reserved, starts_name};
use super::token::{SYMBOLS, Token, TokenKind};
use crate::ir::source::Source;
use crate::ir::span::Span;
use crate::ir::{Diagnostic, DiagnosticSink};

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
pub(super) fn tokens(source: &Source, found: &mut DiagnosticSink) -> Tokens {
    let mut lexer = TqLexer {
        text: &source.text,
        at: 0,
        comments: Vec::new(),
        cut_off: false,
        found,
    };
    let mut list = Vec::new();
    loop {
        let token = lexer.next(&list);
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

struct TqLexer<'a> {
    text: &'a str,
    at: usize,
    comments: Vec<Span>,
    cut_off: bool,
    found: &'a mut DiagnosticSink,
}

impl<'a> TqLexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next token behind these.
    fn next(&mut self, before: &[Token]) -> Token {
        self.skip_blanks();
        let start = self.at;
        let kind = match self.rest().chars().next() {
            None => TokenKind::End,
            Some(c) if starts_name(c) => self.word(),
            Some(c) if c.is_ascii_digit() => self.number(),
            Some('"') if self.is_shown_as(before) => {
                self.shown_text().unwrap_or_else(|| self.stray())
            }
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
            } else if rest.starts_with("# ") || rest.starts_with('#') && self.at_line_start() {
                // No comment, but meant as one, so that its words are not looked at.
                self.at += rest.find('\n').unwrap_or(rest.len());
                self.stray_character('#', Span::new(start, start + 1));
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
            self.found.push(
                Diagnostic::error("there are only whole numbers")
                    .at(place, "")
                    .help("count in a smaller unit: 150 cents are 1.50"),
            );
        } else if length > digits {
            let help = number_meant(&rest[..length]).map(|number| format!("write `{number}`"));
            self.found.push(
                Diagnostic::error("this is neither a number nor a name")
                    .at(place, "")
                    .help("numbers are decimal digits only, and names do not start with a digit")
                    .maybe_help(help),
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

    /// Whether the last words are `shown as`: only there is a text in quotes one of the language.
    fn is_shown_as(&self, before: &[Token]) -> bool {
        let is = |token: &Token, word: &str| {
            let place = token.span.start as usize..token.span.end as usize;
            self.text.get(place) == Some(word)
        };
        matches!(before, [.., shown, behind] if is(shown, "shown") && is(behind, "as"))
    }

    /// A text in quotes, which ends on its line.
    fn shown_text(&mut self) -> Option<TokenKind> {
        let inside = self.rest().strip_prefix('"')?;
        let length = inside.find(['"', '\n'])?;
        let closed = inside.get(length..)?.starts_with('"');
        closed.then(|| {
            self.at += length + 2;
            TokenKind::Text
        })
    }

    /// Reports characters that no token starts with: all that stand together, at once.
    fn stray(&mut self) -> TokenKind {
        let start = self.at;
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or(' ');
        let stray = |c: char| !c.is_ascii_graphic() && !matches!(c, ' ' | '\t' | '\r' | '\n');
        self.at += if stray(first) && closing_quote(first).is_none() {
            rest.find(|c| !stray(c) || closing_quote(c).is_some())
                .unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        if closing_quote(first).is_some() && !self.is_behind_name(start) {
            self.string(first, start);
        } else {
            if matches!(first, '\\' | '@') {
                self.at += self.word_length();
            }
            self.stray_character(first, Span::new(start, self.at));
        }
        TokenKind::Stray
    }

    /// A text in quotes, up to the end of its line, behind the first quote.
    fn string(&mut self, quote: char, start: usize) {
        let rest = self.rest();
        let line = rest.find('\n').map_or(rest, |end| &rest[..end]);
        let close = closing_quote(quote).unwrap_or(quote);
        if let Some(end) = line.find(close) {
            self.at += end + close.len_utf8();
        }
        self.found.push(
            Diagnostic::error("there are no strings")
                .at(Span::new(start, self.at), "")
                .help(
                    "an `enum` has values with names; those of `type T;`, declared outside of the class, can be \
                     compared for equality",
                ),
        );
    }

    /// Whether a name or a number ends just before this offset.
    fn is_behind_name(&self, at: usize) -> bool {
        let before = self
            .text
            .get(..at)
            .and_then(|text| text.chars().next_back());
        before.is_some_and(|c| continues_name(c) || c == ')' || c == ']')
    }

    /// Whether nothing but blanks is on the line so far.
    fn at_line_start(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or("");
        before
            .trim_end_matches([' ', '\t'])
            .chars()
            .next_back()
            .is_none_or(|c| c == '\n')
    }

    fn word_length(&self) -> usize {
        let rest = self.rest();
        rest.find(|c| !continues_name(c)).unwrap_or(rest.len())
    }

    fn stray_character(&mut self, first: char, place: Span) {
        let help = match first {
            '@' if !self.is_behind_name(place.start as usize) => {
                Some("there are no annotations".to_owned())
            }
            _ => hint(first),
        };
        let what = match first {
            '\0' => "unexpected NUL byte".to_owned(),
            c if c.is_control() => format!("unexpected control character U+{:04X}", c as u32),
            c => format!("unexpected character `{c}`"),
        };
        self.found
            .push(Diagnostic::error(what).at(place, "").maybe_help(help));
    }
}

/// What ends a text that starts with this character, if a text does.
fn closing_quote(c: char) -> Option<char> {
    match c {
        '"' | '\'' => Some(c),
        '“' => Some('”'),
        '‘' => Some('’'),
        '”' | '’' => Some(c),
        _ => None,
    }
}

/// The number that is meant by one in the way of other languages: `0xff`, `1_000`, `5L`, `1e3`.
fn number_meant(text: &str) -> Option<String> {
    const LONGEST: usize = 64;
    if text.len() > LONGEST {
        return None;
    }
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    let lower = plain.to_ascii_lowercase();
    for (prefix, base) in [("0x", 16), ("0b", 2), ("0o", 8)] {
        if let Some(digits) = lower.strip_prefix(prefix) {
            let number = BigInt::parse_bytes(digits.as_bytes(), base)?;
            return Some(number.to_string());
        }
    }
    let is_decimal = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if is_decimal(&plain) {
        return Some(plain);
    }
    if let Some((digits, exponent)) = lower.split_once('e')
        && is_decimal(digits)
    {
        let zeros: usize = exponent.parse().ok().filter(|n| *n <= LONGEST)?;
        return Some(format!("{digits}{}", "0".repeat(zeros)));
    }
    let digits = plain.find(|c: char| !c.is_ascii_digit())?;
    let (number, suffix) = plain.split_at(digits);
    match suffix {
        "l" | "L" | "u" | "U" | "ul" | "UL" | "n" | "i" => Some(number.to_owned()),
        _ if is_conversion(suffix) => Some(format!("{suffix}({number})")),
        _ => None,
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
        '\'' | '’' | '@' => {
            return Some("the value of `x` before a call is `old(x)`, in an `ensures`".to_owned());
        }
        '\\' => return Some("words stand alone: `old(…)`, and results by their names".to_owned()),
        '`' => return Some("names stand alone".to_owned()),
        '#' => return Some("a comment starts with `//`".to_owned()),
        c if c.is_alphabetic() => {
            return Some("names are made of the letters a to z, digits and `_`".to_owned());
        }
        _ => return None,
    };
    Some(format!("write `{meant}`"))
}
