//! The text of an assembly block, which is all that versions before 0.6 give.

use num_bigint::BigUint;

use super::{Yul, YulBlock, YulCase, YulExpression};
use crate::front::solidity::place::FileRange;

/// How deep blocks and calls may be nested in each other.
const MAX_DEPTH: u32 = 128;

/// Reads the text of a block, braces included. None where it is not Yul: 0.4 also knew stack instructions, labels and
/// jumps. All statements are said to be at `place`.
pub(in crate::front::solidity::ast) fn parse(text: &str, place: FileRange) -> Option<YulBlock> {
    let mut parser = YulParser {
        tokens: tokens(text)?,
        next: 0,
        depth: 0,
        place,
    };
    let block = parser.block()?;
    (parser.next == parser.tokens.len()).then_some(block)
}

/// The value of a number, or of `true` and `false`.
pub(in crate::front::solidity::ast) fn value(text: &str) -> Option<BigUint> {
    match text {
        "true" => Some(BigUint::from(1_u8)),
        "false" => Some(BigUint::default()),
        _ => match text.strip_prefix("0x") {
            Some(hex) => BigUint::parse_bytes(hex.as_bytes(), 16),
            None => BigUint::parse_bytes(text.as_bytes(), 10),
        },
    }
    .filter(|value| value.bits() <= 256)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum YulToken {
    /// A name, a word, or a number.
    Word(String),
    /// A string literal.
    Text(Vec<u8>),
    /// `{ } ( ) , : := ->`
    Symbol(&'static str),
}

fn tokens(text: &str) -> Option<Vec<YulToken>> {
    let mut rest = text.trim_start();
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (token, after) = if rest.starts_with("//") {
            (None, rest.split_once('\n').map_or("", |(_, after)| after))
        } else if rest.starts_with("/*") {
            (None, rest.split_once("*/")?.1)
        } else if first == '"' || first == '\'' {
            let (bytes, after) = string(rest.get(1..)?, first)?;
            (Some(YulToken::Text(bytes)), after)
        } else if belongs(first) {
            let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            (Some(YulToken::Word(word.to_owned())), after)
        } else {
            let symbols = [":=", "->", "{", "}", "(", ")", ",", ":"];
            let symbol = symbols.into_iter().find(|s| rest.starts_with(s))?;
            (Some(YulToken::Symbol(symbol)), rest.get(symbol.len()..)?)
        };
        tokens.extend(token);
        rest = after.trim_start();
    }
    Some(tokens)
}

fn belongs(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.')
}

/// The bytes of a string up to its closing quote. An escape that is not known makes it none.
fn string(text: &str, quote: char) -> Option<(Vec<u8>, &str)> {
    let mut bytes = Vec::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Some((bytes, text.get(at + 1..)?));
        }
        if c != '\\' {
            bytes.extend(c.to_string().bytes());
            continue;
        }
        match chars.next()?.1 {
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            'x' => {
                let digits: String = [chars.next()?.1, chars.next()?.1].iter().collect();
                bytes.push(u8::from_str_radix(&digits, 16).ok()?);
            }
            same @ ('\\' | '\'' | '"') => bytes.push(u8::try_from(same).ok()?),
            _ => return None,
        }
    }
    None
}

struct YulParser {
    tokens: Vec<YulToken>,
    next: usize,
    depth: u32,
    place: FileRange,
}

impl YulParser {
    fn block(&mut self) -> Option<YulBlock> {
        self.symbol("{")?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut statements = Vec::new();
        while !self.take("}") {
            statements.push((self.statement()?, self.place));
        }
        self.depth -= 1;
        Some(YulBlock(statements))
    }

    fn statement(&mut self) -> Option<Yul> {
        if self.peek() == Some(&YulToken::Symbol("{")) {
            return self.block().map(Yul::Block);
        }
        let word = match self.peek()? {
            YulToken::Word(word) => word.clone(),
            _ => return None,
        };
        match word.as_str() {
            "let" => self.declaration(),
            "if" => {
                self.next += 1;
                Some(Yul::If(self.expression()?, self.block()?))
            }
            "for" => {
                self.next += 1;
                Some(Yul::For(
                    self.block()?,
                    self.expression()?,
                    self.block()?,
                    self.block()?,
                ))
            }
            "switch" => self.switch(),
            "function" => self.function(),
            "break" => self.single(Yul::Break),
            "continue" => self.single(Yul::Continue),
            "leave" => self.single(Yul::Leave),
            _ => self.assignment_or_call(),
        }
    }

    fn single(&mut self, statement: Yul) -> Option<Yul> {
        self.next += 1;
        Some(statement)
    }

    fn declaration(&mut self) -> Option<Yul> {
        self.next += 1;
        let names = self.names()?;
        let value = if self.take(":=") {
            Some(self.expression()?)
        } else {
            None
        };
        Some(Yul::Let(names, value))
    }

    fn assignment_or_call(&mut self) -> Option<Yul> {
        let start = self.next;
        let names = self.names()?;
        if self.take(":=") {
            return Some(Yul::Assign(names, self.expression()?));
        }
        self.next = start;
        match self.expression()? {
            call @ YulExpression::Call(..) => Some(Yul::Expression(call)),
            _ => None,
        }
    }

    fn switch(&mut self) -> Option<Yul> {
        self.next += 1;
        let scrutinee = self.expression()?;
        let mut cases = Vec::new();
        loop {
            let value = match self.peek() {
                Some(YulToken::Word(word)) if word == "case" => {
                    self.next += 1;
                    match self.expression()? {
                        YulExpression::Literal(value) => Some(value),
                        _ => return None,
                    }
                }
                Some(YulToken::Word(word)) if word == "default" => {
                    self.next += 1;
                    None
                }
                _ => return Some(Yul::Switch(scrutinee, cases)),
            };
            let body = self.block()?;
            cases.push(YulCase { value, body });
        }
    }

    fn function(&mut self) -> Option<Yul> {
        self.next += 1;
        let name = self.word()?;
        self.symbol("(")?;
        let parameters = if self.take(")") {
            Vec::new()
        } else {
            let names = self.names()?;
            self.symbol(")")?;
            names
        };
        let results = if self.take("->") {
            self.names()?
        } else {
            Vec::new()
        };
        Some(Yul::Function(name, parameters, results, self.block()?))
    }

    /// Names with commas between them; types, which early versions had, are passed over.
    fn names(&mut self) -> Option<Vec<String>> {
        let mut names = Vec::new();
        loop {
            names.push(self.word()?);
            if self.take(":") {
                self.word()?;
            }
            if !self.take(",") {
                return Some(names);
            }
        }
    }

    fn expression(&mut self) -> Option<YulExpression> {
        let token = self.tokens.get(self.next)?.clone();
        self.next += 1;
        let word = match token {
            YulToken::Text(bytes) => return text_value(&bytes).map(YulExpression::Literal),
            YulToken::Word(word) => word,
            YulToken::Symbol(_) => return None,
        };
        if word.starts_with(|c: char| c.is_ascii_digit()) || word == "true" || word == "false" {
            return value(&word).map(YulExpression::Literal);
        }
        if !self.take("(") {
            return Some(YulExpression::Name(word));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut arguments = Vec::new();
        while !self.take(")") {
            if !arguments.is_empty() {
                self.symbol(",")?;
            }
            arguments.push(self.expression()?);
        }
        self.depth -= 1;
        Some(YulExpression::Call(word, arguments))
    }

    fn word(&mut self) -> Option<String> {
        let Some(YulToken::Word(word)) = self.tokens.get(self.next) else {
            return None;
        };
        self.next += 1;
        Some(word.clone())
    }

    fn peek(&self) -> Option<&YulToken> {
        self.tokens.get(self.next)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Some(YulToken::Symbol(next)) if *next == symbol);
        self.next += usize::from(found);
        found
    }

    fn symbol(&mut self, symbol: &str) -> Option<()> {
        self.take(symbol).then_some(())
    }
}

/// The word that a string stands for: its bytes, from the left.
fn text_value(bytes: &[u8]) -> Option<BigUint> {
    let shift = 8 * 32_usize.checked_sub(bytes.len())?;
    Some(BigUint::from_bytes_be(bytes) << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<YulBlock> {
        parse(text, FileRange::default())
    }

    #[test]
    fn statements_are_read() {
        let text = "{ // first\n let x, y := f(1, 0xff) /* then */ x := add(x, \"a\")
            if iszero(x) { revert(0, 0) } switch x case 0 { } default { y := 1 }
            for { let i := 0 } lt(i, 3) { i := add(i, 1) } { if i { break } continue }
            function g(a, b) -> c { c := a leave } pop(g(1, 2)) { } }";
        let block = read(text).expect("a block");
        assert_eq!(block.0.len(), 8);
        let (Yul::Assign(_, YulExpression::Call(_, arguments)), _) = &block.0[1] else {
            panic!("an assignment")
        };
        let a = BigUint::from(0x61_u8) << 248;
        assert!(matches!(&arguments[1], YulExpression::Literal(value) if *value == a));
    }

    #[test]
    fn what_is_not_read_is_none() {
        let deep = format!("{}{}", "{".repeat(100_000), "}".repeat(100_000));
        let nested = format!(
            "{{ pop({}1{}) }}",
            "f(".repeat(100_000),
            ")".repeat(100_000)
        );
        for text in [
            "",
            "{",
            "{ =: x }",
            "{ 3 =: x }",
            "{ loop: jump(loop) }",
            "{ x }",
            "{ } }",
            "{ pop(f(1,)) }",
            "{ let x := 0xzz }",
            "{ mstore(0, \"012345678901234567890123456789012\") }",
            &deep,
            &nested,
        ] {
            assert!(read(text).is_none(), "{}", text.get(..40).unwrap_or(text));
        }
    }
}
