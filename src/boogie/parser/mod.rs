//! Boogie tokens to the syntax tree.
//!
//! By recursive descent, with a limit on nesting so that no input overflows the stack. Chains of `&&`, `||` and
//! `else if` are read in a loop and may be as long as they like.

mod decl;
mod expr;
mod stmt;

use super::ast::*;
use super::error::{Error, Errors};
use super::lexer::{BoogieToken, Spanned, tokens};
use super::preprocess::preprocess;

/// How deep expressions, types and statements may nest.
pub const MAX_DEPTH: u32 = 100;

/// How high the tree of an expression may be; a chain of `+` is as high as it is long.
pub const MAX_HEIGHT: u32 = 400;

const KEYWORDS: &[&str] = &[
    "assert",
    "assume",
    "async",
    "axiom",
    "bool",
    "break",
    "call",
    "const",
    "div",
    "else",
    "ensures",
    "exists",
    "false",
    "forall",
    "free",
    "function",
    "goto",
    "havoc",
    "if",
    "implementation",
    "int",
    "invariant",
    "lambda",
    "mod",
    "modifies",
    "old",
    "par",
    "procedure",
    "real",
    "requires",
    "return",
    "returns",
    "then",
    "true",
    "type",
    "unique",
    "var",
    "where",
    "while",
    "yield",
    "finite",
    "extends",
    "complete",
];

/// Words that are names unless the grammar wants them at that place.
const SOFT: &[&str] = &[
    "async", "par", "yield", "finite", "complete", "extends", "lambda",
];

/// Parses a program.
///
/// # Errors
///
/// The first thing in the text that is not Boogie, or not supported.
pub fn parse(text: &str) -> Result<BoogieProgram, Errors> {
    parse_from(text, 1)
}

/// Parses a text whose first line has this number.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_from(text: &str, first_line: u32) -> Result<BoogieProgram, Errors> {
    parse_with(text, first_line, &[])
}

/// Parses a text whose first line has this number, `#if` being true of these names.
///
/// # Errors
///
/// As [`parse`].
pub fn parse_with(
    text: &str,
    first_line: u32,
    defines: &[String],
) -> Result<BoogieProgram, Errors> {
    let text = preprocess(text, defines, first_line)?;
    let tokens = tokens(&text, first_line)?;
    let mut parser = BoogieParser {
        tokens,
        at: 0,
        depth: 0,
        height: 0,
    };
    Ok(parser.program()?)
}

/// What is said to those who write concurrent programs.
const SEQUENTIAL: &str = "programs have one thread, so write the order of what happens as calls";

type Parsed<T> = Result<T, Error>;

pub(super) struct BoogieParser {
    tokens: Vec<Spanned>,
    at: usize,
    depth: u32,
    /// The height of the highest tree read in the current scope.
    height: u32,
}

impl BoogieParser {
    fn peek(&self) -> &BoogieToken {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> &BoogieToken {
        self.tokens
            .get(self.at + ahead)
            .map_or(&BoogieToken::End, |t| &t.token)
    }

    fn pos(&self) -> Pos {
        let last = self.tokens.last();
        self.tokens
            .get(self.at)
            .or(last)
            .map_or(Pos::default(), |t| t.pos)
    }

    fn next(&mut self) -> BoogieToken {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek(), BoogieToken::Sym(s) if *s == symbol)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), BoogieToken::Ident(s) if s == word)
    }

    /// Takes the symbol if it is next.
    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    /// Takes the word if it is next.
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn unexpected<T>(&self, wanted: &str) -> Parsed<T> {
        let found = match self.peek() {
            BoogieToken::Ident(s) => format!("`{s}`"),
            BoogieToken::Int(_)
            | BoogieToken::Real(_)
            | BoogieToken::Bv(..)
            | BoogieToken::Float(_) => "a number".to_string(),
            BoogieToken::Str(_) => "a string".to_string(),
            BoogieToken::Sym(s) => format!("`{s}`"),
            BoogieToken::End => "the end of the text".to_string(),
        };
        Err(Error::new(
            self.pos(),
            format!("expected {wanted}, found {found}"),
        ))
    }

    fn expect(&mut self, symbol: &str) -> Parsed<()> {
        if self.eat(symbol) {
            return Ok(());
        }
        self.unexpected(&format!("`{symbol}`"))
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        self.unexpected(&format!("`{word}`"))
    }

    fn is_name(&self) -> bool {
        match self.peek() {
            BoogieToken::Ident(s) => SOFT.contains(&s.as_str()) || !KEYWORDS.contains(&s.as_str()),
            _ => false,
        }
    }

    fn name(&mut self) -> Parsed<String> {
        if !self.is_name() {
            return self.unexpected("a name");
        }
        match self.next() {
            // A backslash makes a name of any word, and is part of none. Where the word is a keyword it stays, to be printed.
            BoogieToken::Ident(s) => Ok(match s.strip_prefix('\\') {
                Some(word) if !KEYWORDS.contains(&word) => word.to_string(),
                _ => s,
            }),
            _ => self.unexpected("a name"),
        }
    }

    fn name_at(&mut self) -> Parsed<(String, Pos)> {
        let pos = self.pos();
        Ok((self.name()?, pos))
    }

    fn names_at(&mut self) -> Parsed<Vec<(String, Pos)>> {
        self.list(|p| p.name_at())
    }

    /// One or more, with commas between.
    fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = vec![one(self)?];
        while self.eat(",") {
            all.push(one(self)?);
        }
        Ok(all)
    }

    /// None or more, with commas between, up to a closing symbol, which is taken.
    fn list_until<T>(
        &mut self,
        close: &str,
        one: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let all = self.list(one)?;
        self.expect(close)?;
        Ok(all)
    }

    /// Runs a part of the parser one level deeper.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(Error::new(
                self.pos(),
                format!("this is nested more than {MAX_DEPTH} levels deep"),
            ));
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Runs a part of the parser, and tells the height of the highest tree in it.
    fn measured<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<(T, u32)> {
        let outer = std::mem::take(&mut self.height);
        let result = part(self)?;
        let height = std::mem::replace(&mut self.height, outer);
        Ok((result, height))
    }

    /// Notes that a tree of this height was read.
    fn grow(&mut self, height: u32, pos: Pos) -> Parsed<()> {
        if height > MAX_HEIGHT {
            return Err(Error::new(
                pos,
                format!("the tree of this expression is more than {MAX_HEIGHT} levels high"),
            ));
        }
        self.height = self.height.max(height);
        Ok(())
    }

    /// `{:name e, "s"}`, as many as there are.
    fn attributes(&mut self) -> Parsed<Vec<Attribute>> {
        let mut all = Vec::new();
        while self.is("{") && matches!(self.peek_at(1), BoogieToken::Sym(":")) {
            self.at += 2;
            all.push(self.attribute()?);
        }
        Ok(all)
    }

    /// The rest of an attribute behind `{:`.
    fn attribute(&mut self) -> Parsed<Attribute> {
        let name = match self.next() {
            BoogieToken::Ident(s) => s,
            _ => {
                self.at -= 1;
                return self.unexpected("the name of an attribute");
            }
        };
        let args = self.list_until("}", |p| {
            let arg = p.expr()?;
            Ok(match arg.kind {
                BoogieExprKind::Str(text) => AttrArg::Str(text),
                _ => AttrArg::Expr(arg),
            })
        })?;
        Ok(Attribute { name, args })
    }

    fn type_params(&mut self) -> Parsed<Vec<String>> {
        if !self.eat("<") {
            return Ok(Vec::new());
        }
        self.list_until(">", |p| p.name())
    }

    fn ty(&mut self) -> Parsed<TypeExpr> {
        self.nested(|p| {
            if let Some(atom) = p.type_atom()? {
                return Ok(atom);
            }
            let pos = p.pos();
            if p.is("[") || p.is("<") {
                return p.map_type();
            }
            let name = match p.is_name() {
                true => p.name()?,
                false => return p.unexpected("a type"),
            };
            let mut args = Vec::new();
            loop {
                if let Some(atom) = p.type_atom()? {
                    args.push(atom);
                } else if p.is_name() && !p.is_word("extends") && !p.is_uses() {
                    let pos = p.pos();
                    let kind = TypeKind::Named(p.name()?, Vec::new());
                    args.push(TypeExpr { pos, kind });
                } else if p.is("[") || p.is("<") && matches!(p.peek_at(1), BoogieToken::Ident(_)) {
                    args.push(p.map_type()?);
                    break;
                } else {
                    break;
                }
            }
            Ok(TypeExpr {
                pos,
                kind: TypeKind::Named(name, args),
            })
        })
    }

    /// Does `uses { … }` begin here?
    fn is_uses(&self) -> bool {
        self.is_word("uses") && matches!(self.peek_at(1), BoogieToken::Sym("{"))
    }

    fn type_atom(&mut self) -> Parsed<Option<TypeExpr>> {
        let pos = self.pos();
        let kind = match self.peek() {
            BoogieToken::Ident(s) => match s.as_str() {
                "bool" => TypeKind::Bool,
                "int" => TypeKind::Int,
                "real" => TypeKind::Real,
                s => match s.strip_prefix("bv").map(|w| (w, w.parse())) {
                    Some((w, Ok(width))) if !w.starts_with('+') => TypeKind::Bv(width),
                    _ => return Ok(None),
                },
            },
            BoogieToken::Sym("(") => {
                self.at += 1;
                let inner = self.ty()?;
                self.expect(")")?;
                return Ok(Some(inner));
            }
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(TypeExpr { pos, kind }))
    }

    fn map_type(&mut self) -> Parsed<TypeExpr> {
        let pos = self.pos();
        let params = self.type_params()?;
        self.expect("[")?;
        let domain = self.list_until("]", |p| p.ty())?;
        let range = self.ty()?;
        Ok(TypeExpr {
            pos,
            kind: TypeKind::Map(params, domain, Box::new(range)),
        })
    }

    /// `{attrs} x, y: T where e`, as one declaration a name.
    fn vars_of_type(&mut self) -> Parsed<Vec<VarDecl>> {
        let attrs = self.attributes()?;
        let names = self.names_at()?;
        self.expect(":")?;
        let ty = self.ty()?;
        let where_ = match self.eat_word("where") {
            true => Some(self.expr()?),
            false => None,
        };
        let decls = names.into_iter().map(|(name, pos)| VarDecl {
            pos,
            attrs: attrs.clone(),
            name,
            ty: ty.clone(),
            where_: where_.clone(),
        });
        Ok(decls.collect())
    }
}
