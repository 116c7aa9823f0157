//! Boogie text to tokens.

use num_bigint::BigInt;

use super::ast::Pos;
use super::error::Error;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum BoogieToken {
    /// A name or keyword; a leading backslash, which makes a name of a keyword, is kept.
    Ident(String),
    /// `12`.
    Int(BigInt),
    /// `1.5`, `2e3`.
    Real(String),
    /// `7bv8`.
    Bv(BigInt, u32),
    /// `0x1.8e0f24e8`, `0NaN24e8`, `0+oo24e8`: as written.
    Float(String),
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
    pub token: BoogieToken,
    /// Where it begins.
    pub pos: Pos,
}

/// Longest first among those that share a beginning.
const SYMBOLS: &[&str] = &[
    "<==>", "==>", "<==", "::", ":=", "==", "!=", "<=", ">=", "<:", "&&", "||", "++", "**", "->",
    "|{", "}|", "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", ":", "+", "-", "*", "/", "!",
    "=", "|", "#",
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

/// The characters a text begins with that satisfy this, at least one, and what is behind them.
fn leading(text: &str, keep: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    let rest = text.trim_start_matches(&keep);
    let run = text.strip_suffix(rest)?;
    (!run.is_empty()).then_some((run, rest))
}

/// What is behind `24e8`, the sizes of a floating-point literal.
fn float_sizes(text: &str) -> Option<&str> {
    let (_, rest) = leading(text, |c| c.is_ascii_digit())?;
    let (_, rest) = leading(rest.strip_prefix('e')?, |c| c.is_ascii_digit())?;
    Some(rest)
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    pos: Pos,
    /// The number of the text's first line.
    first_line: u32,
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

    /// Goes over what comes next.
    fn bump_str(&mut self, s: &str) {
        self.at += s.len();
        let columns = |text: &str| u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        match s.rsplit_once('\n') {
            None => self.pos.col += columns(s),
            Some((before, line)) => {
                self.pos.line += 1 + before.matches('\n').count() as u32;
                self.pos.col = 1 + columns(line);
            }
        }
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let run = rest.find(|c| !keep(c)).map_or(rest, |end| &rest[..end]);
        self.bump_str(run);
        run
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
            } else if self.pos.col == 1 && rest.starts_with('#') {
                self.pragma()?;
            } else if rest.starts_with(char::is_whitespace) {
                self.take_while(char::is_whitespace);
            } else {
                return Ok(());
            }
        }
    }

    /// `#line N`: the next line has that number. There is no other pragma.
    fn pragma(&mut self) -> Result<(), Error> {
        let pos = self.pos;
        let line = self.take_while(|c| c != '\n');
        let Some(said) = line.strip_prefix("#line") else {
            return Err(Error::new(pos, format!("unrecognized pragma: {line}")));
        };
        let number = said.split_whitespace().next().map(str::parse::<u32>);
        let Some(Ok(number)) = number else {
            return Err(Error::new(
                pos,
                "malformed (#line) pragma: #line N [\"FILE\"]",
            ));
        };
        if self.bump().is_some() {
            self.pos.line = number.saturating_add(self.first_line - 1);
        }
        Ok(())
    }

    /// The length of the floating-point literal that is next: `0x1.8e-2f24e8`, `0NaN24e8`, `0+oo24e8`.
    fn float_length(&self) -> Option<usize> {
        let rest = self.rest().strip_prefix('0')?;
        let behind = match rest.strip_prefix('x') {
            Some(rest) => {
                let (_, rest) = leading(rest, |c| c.is_ascii_hexdigit())?;
                let (run, rest) = leading(rest.strip_prefix('.')?, |c| c.is_ascii_hexdigit())?;
                match (run.strip_suffix('e'), rest.strip_prefix('-')) {
                    (Some(_), Some(rest)) => {
                        let (_, rest) = leading(rest, |c| c.is_ascii_digit())?;
                        float_sizes(rest.strip_prefix('f')?)?
                    }
                    // `e` and `f` are digits too: what they are here shows from the end.
                    _ => {
                        let (run, exponent_size) = run.rsplit_once('e')?;
                        let (run, significand_size) = run.rsplit_once('f')?;
                        let (fraction, exponent) = run.rsplit_once('e')?;
                        let numbers = [exponent, significand_size, exponent_size];
                        numbers
                            .iter()
                            .try_for_each(|n| n.parse::<u32>().ok().map(drop))?;
                        leading(fraction, |_| true)?;
                        rest
                    }
                }
            }
            None => {
                let special = ["NaN", "nan", "+oo", "-oo"];
                float_sizes(special.iter().find_map(|s| rest.strip_prefix(s))?)?
            }
        };
        Some(self.rest().len() - behind.len())
    }

    /// A number: `12`, `12bv8`, `1.5`, `1e5`, `1.5e-3`.
    fn number(&mut self) -> Result<BoogieToken, Error> {
        let pos = self.pos;
        if self.rest().starts_with('0')
            && let Some(length) = self.float_length()
        {
            let text = self.rest().get(..length).unwrap_or("").to_string();
            self.bump_str(&text);
            return Ok(BoogieToken::Float(text));
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
            return Ok(BoogieToken::Bv(value, width));
        }
        let fraction = first == Some('.') && digit(second);
        let exponent = |a: Option<char>, b: Option<char>, c: Option<char>| {
            a == Some('e') && (digit(b) || b == Some('-') && digit(c))
        };
        if !fraction && !exponent(first, second, after.next()) {
            return Ok(BoogieToken::Int(value));
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
        Ok(BoogieToken::Real(text))
    }

    fn string(&mut self) -> Result<BoogieToken, Error> {
        let start = self.pos;
        self.bump();
        let from = self.at;
        loop {
            match self.peek() {
                Some('"') => {
                    let text = self.text.get(from..self.at).unwrap_or("").to_string();
                    self.bump();
                    return Ok(BoogieToken::Str(text));
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

    fn token(&mut self) -> Result<BoogieToken, Error> {
        let Some(c) = self.peek() else {
            return Ok(BoogieToken::End);
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
                return Ok(BoogieToken::Ident(name.to_string()));
            }
            return Ok(BoogieToken::Sym("#"));
        }
        let rest = self.rest();
        if let Some(symbol) = SYMBOLS.iter().find(|s| rest.starts_with(**s)) {
            self.bump_str(symbol);
            return Ok(BoogieToken::Sym(symbol));
        }
        if let Some((_, symbol)) = UNICODE.iter().find(|(u, _)| *u == c) {
            self.bump();
            return Ok(BoogieToken::Sym(symbol));
        }
        if let Some((_, word)) = UNICODE_WORDS.iter().find(|(u, _)| *u == c) {
            self.bump();
            return Ok(BoogieToken::Ident((*word).to_string()));
        }
        let mut message = format!("the character `{}` has no meaning here", c.escape_debug());
        if c == '%' {
            message.push_str(" (any more: the remainder is `mod`, and the quotient `div`)");
        }
        Err(Error::new(self.pos, message))
    }
}

/// The tokens of a text whose first line has this number, ending with [`BoogieToken::End`].
///
/// # Errors
///
/// At the first character that begins no token, an unfinished string or comment, or a pragma that is none.
pub fn tokens(text: &str, first_line: u32) -> Result<Vec<Spanned>, Error> {
    let mut lexer = Lexer {
        text,
        at: 0,
        pos: Pos {
            line: first_line,
            col: 1,
        },
        first_line,
    };
    let mut all = Vec::new();
    loop {
        lexer.skip_blank()?;
        let pos = lexer.pos;
        let token = lexer.token()?;
        let end = token == BoogieToken::End;
        all.push(Spanned { token, pos });
        if end {
            return Ok(all);
        }
    }
}
