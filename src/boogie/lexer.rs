//! Boogie text to tokens.

use num_bigint::BigInt;

use super::ast::Pos;
use super::error::Error;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name or keyword; a leading backslash, which makes a name of a keyword, is kept.
    Ident(String),
    /// `12`.
    Int(BigInt),
    /// `1.5`, `2e3`.
    Real(String),
    /// `7bv8`.
    Bv(BigInt, u32),
    /// `"…"`, as written between the quotes.
    Str(String),
    /// Punctuation or an operator, in its ASCII form.
    Sym(&'static str),
    /// The end of the text.
    End,
}

/// A token and where it begins.
#[derive(Clone, Debug)]
pub struct Spanned {
    /// The token.
    pub token: Token,
    /// Where it begins.
    pub pos: Pos,
}

/// Longest first among those that share a beginning.
const SYMBOLS: &[&str] = &[
    "<==>", "==>", "<==", "::", ":=", "==", "!=", "<=", ">=", "<:", "&&", "||", "++", "**", "|{",
    "}|", "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", ":", "+", "-", "*", "/", "!", "=", "|",
    "#",
];

/// Other ways to write a symbol.
const UNICODE: &[(char, &str)] = &[
    ('⇔', "<==>"),
    ('⇒', "==>"),
    ('⇐', "<=="),
    ('∧', "&&"),
    ('∨', "||"),
    ('¬', "!"),
    ('≠', "!="),
    ('≤', "<="),
    ('≥', ">="),
    ('•', "::"),
];

const UNICODE_WORDS: &[(char, &str)] = &[('∀', "forall"), ('∃', "exists"), ('λ', "lambda")];

fn ident_start(c: char) -> bool {
    c.is_ascii_alphabetic() || "'~#$^_.?`\\".contains(c)
}

fn ident_rest(c: char) -> bool {
    ident_start(c) && c != '\\' || c.is_ascii_digit()
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    pos: Pos,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.pos.line += 1;
            self.pos.col = 1;
        } else {
            self.pos.col += 1;
        }
        Some(c)
    }

    fn bump_str(&mut self, s: &str) {
        for _ in s.chars() {
            self.bump();
        }
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&keep) {
            self.bump();
        }
        self.text.get(start..self.at).unwrap_or("")
    }

    /// Skips white space, comments (block comments nest) and `#` directives at the start of a line.
    fn skip_blank(&mut self) -> Result<(), Error> {
        loop {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if rest.starts_with("/*") {
                let start = self.pos;
                let mut depth = 0u32;
                loop {
                    let rest = self.rest();
                    if rest.starts_with("/*") {
                        depth += 1;
                        self.bump_str("/*");
                    } else if rest.starts_with("*/") {
                        depth -= 1;
                        self.bump_str("*/");
                        if depth == 0 {
                            break;
                        }
                    } else if self.bump().is_none() {
                        return Err(Error::new(start, "this comment has no end"));
                    }
                }
            } else if self.pos.col == 1 && (rest.starts_with("#if") || rest.starts_with("#e")) {
                return Err(Error::unsupported(
                    self.pos,
                    "conditional compilation (`#if`)",
                ));
            } else if rest.starts_with(char::is_whitespace) {
                self.bump();
            } else {
                return Ok(());
            }
        }
    }

    /// A number: `12`, `12bv8`, `1.5`, `1e5`, `1.5e-3`.
    fn number(&mut self) -> Result<Token, Error> {
        let pos = self.pos;
        if self.rest().starts_with("0x") {
            return Err(Error::unsupported(pos, "a floating-point literal"));
        }
        let digits = self.take_while(|c| c.is_ascii_digit());
        let value: BigInt = digits
            .parse()
            .map_err(|_| Error::new(pos, "this is not a number"))?;
        let rest = self.rest();
        let mut after = rest.chars();
        let first = after.next();
        let second = after.next();
        let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if let Some(width) = rest.strip_prefix("bv")
            && digit(width.chars().next())
        {
            self.bump_str("bv");
            let width = self.take_while(|c| c.is_ascii_digit());
            let width = width
                .parse()
                .map_err(|_| Error::new(pos, "this bitvector is too wide"))?;
            return Ok(Token::Bv(value, width));
        }
        let fraction = first == Some('.') && digit(second);
        let exponent = |a: Option<char>, b: Option<char>, c: Option<char>| {
            a == Some('e') && (digit(b) || b == Some('-') && digit(c))
        };
        if !fraction && !exponent(first, second, after.next()) {
            return Ok(Token::Int(value));
        }
        let mut text = digits.to_string();
        if fraction {
            self.bump();
            text.push('.');
            text.push_str(self.take_while(|c| c.is_ascii_digit()));
        }
        let mut after = self.rest().chars();
        if exponent(after.next(), after.next(), after.next()) {
            self.bump();
            text.push('e');
            if self.peek() == Some('-') {
                self.bump();
                text.push('-');
            }
            text.push_str(self.take_while(|c| c.is_ascii_digit()));
        }
        if self.peek() == Some('f') {
            return Err(Error::unsupported(pos, "a floating-point literal"));
        }
        Ok(Token::Real(text))
    }

    fn string(&mut self) -> Result<Token, Error> {
        let start = self.pos;
        self.bump();
        let from = self.at;
        loop {
            match self.peek() {
                Some('"') => {
                    let text = self.text.get(from..self.at).unwrap_or("").to_string();
                    self.bump();
                    return Ok(Token::Str(text));
                }
                Some('\\') => {
                    self.bump();
                    self.bump();
                }
                None | Some('\n') => return Err(Error::new(start, "this string has no end")),
                Some(_) => {
                    self.bump();
                }
            }
        }
    }

    fn token(&mut self) -> Result<Token, Error> {
        let Some(c) = self.peek() else {
            return Ok(Token::End);
        };
        if c.is_ascii_digit() {
            return self.number();
        }
        if c == '"' {
            return self.string();
        }
        if ident_start(c) {
            let start = self.at;
            self.bump();
            self.take_while(ident_rest);
            let name = self.text.get(start..self.at).unwrap_or("");
            if name != "#" {
                return Ok(Token::Ident(name.to_string()));
            }
            return Ok(Token::Sym("#"));
        }
        if let Some(symbol) = SYMBOLS.iter().find(|s| self.rest().starts_with(**s)) {
            self.bump_str(symbol);
            return Ok(Token::Sym(symbol));
        }
        if let Some((_, symbol)) = UNICODE.iter().find(|(u, _)| *u == c) {
            self.bump();
            return Ok(Token::Sym(symbol));
        }
        if let Some((_, word)) = UNICODE_WORDS.iter().find(|(u, _)| *u == c) {
            self.bump();
            return Ok(Token::Ident((*word).to_string()));
        }
        Err(Error::new(
            self.pos,
            format!("the character `{}` has no meaning here", c.escape_debug()),
        ))
    }
}

/// The tokens of a text whose first line has this number, ending with [`Token::End`].
///
/// # Errors
///
/// At the first character that begins no token, an unfinished string or comment, or a construct of the lexer that
/// is not supported (floating point, conditional compilation).
pub fn tokens(text: &str, first_line: u32) -> Result<Vec<Spanned>, Error> {
    let mut lexer = Lexer {
        text,
        at: 0,
        pos: Pos {
            line: first_line,
            col: 1,
        },
    };
    let mut all = Vec::new();
    loop {
        lexer.skip_blank()?;
        let pos = lexer.pos;
        let token = lexer.token()?;
        let end = token == Token::End;
        all.push(Spanned { token, pos });
        if end {
            return Ok(all);
        }
    }
}
