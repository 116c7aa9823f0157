//! From tokens to the syntax tree, by recursive descent.
//!
//! The grammar is in `docs/language.md`; tests make sentences of it for this parser, and find in it what this parser takes.
//! `if … else` and quantifiers extend as far to the right as they can. The reserved words are listed in `names.rs`; all
//! other words of the grammar may be used as names.
//!
//! After an error the parser goes on at the next statement, member or item, so that one run reports all errors.
//! The depth of the tree is limited ([`MAX_DEPTH`]), so that nothing that walks it runs out of stack.

mod expressions;
mod habits;
mod items;
mod routines;
mod statements;
mod types;

use super::ast::{ExprSyntax, FileSyntax, Ident};
use super::lexer::Tokens;
use super::token::{Token, TokenKind};
use crate::ir::source::Source;
use crate::ir::span::Span;
use crate::ir::{Diagnostic, DiagnosticSink, Hint};

/// How deep statements and expressions may be nested in each other.
pub const MAX_DEPTH: u32 = 256;

/// Something could not be parsed; it has been reported.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// The tree of a whole file, and whether declarations may be missing in it because of errors, which are
/// reported in `found`.
pub(super) fn file(
    source: &Source,
    tokens: &Tokens,
    found: &mut DiagnosticSink,
) -> (FileSyntax, bool) {
    let mut parser = Parser::new(source, tokens, found);
    let file = parser.file();
    (file, parser.holes)
}

/// The tree of a text that is one expression, unless it is reported why it is none.
pub(super) fn expression(
    source: &Source,
    tokens: &Tokens,
    found: &mut DiagnosticSink,
) -> Option<ExprSyntax> {
    let mut parser = Parser::new(source, tokens, found);
    let expression = parser.expr().ok()?;
    if !parser.is_end() {
        parser.expected("the end of the expression");
        return None;
    }
    Some(expression)
}

struct Parser<'a> {
    source: &'a Source,
    tokens: &'a [Token],
    /// The next token.
    at: usize,
    /// How deep the descent is.
    depth: u32,
    found: &'a mut DiagnosticSink,
    /// The token at which the last error was reported: there is one error a token at most.
    reported_at: Option<usize>,
    /// Whether it has been reported already why the text ends where it does.
    end_is_no_news: bool,
    /// Whether a declaration may have been skipped.
    holes: bool,
    /// Whether this is the key in `m[k`.
    in_key: bool,
    /// The class around.
    class: Option<&'a str>,
    /// Whether as many braces are closed as are opened.
    balanced: bool,
}

impl<'a> Parser<'a> {
    fn new(source: &'a Source, tokens: &'a Tokens, found: &'a mut DiagnosticSink) -> Self {
        Parser {
            source,
            tokens: &tokens.list,
            at: 0,
            depth: 0,
            found,
            reported_at: None,
            end_is_no_news: tokens.cut_off,
            holes: tokens.cut_off,
            in_key: false,
            class: None,
            balanced: is_balanced(&tokens.list),
        }
    }

    fn token(&self) -> Token {
        self.ahead(0)
    }

    /// The token `n` behind the next; the end, if there are fewer.
    fn ahead(&self, n: usize) -> Token {
        let end = Token {
            kind: TokenKind::End,
            span: Span::new(self.source.text.len(), self.source.text.len()),
        };
        self.tokens.get(self.at + n).copied().unwrap_or(end)
    }

    fn text_ahead(&self, n: usize) -> &'a str {
        self.source.at(self.ahead(n).span)
    }

    fn text(&self) -> &'a str {
        self.text_ahead(0)
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The place just behind the last token.
    fn behind(&self) -> Span {
        let end = match self.at.checked_sub(1).and_then(|i| self.tokens.get(i)) {
            Some(token) => token.span.end as usize,
            None => 0,
        };
        Span::new(end, end)
    }

    /// From the start of `from` to the end of the last token.
    fn since(&self, from: Span) -> Span {
        from.to(self.behind())
    }

    fn bump(&mut self) {
        if self.at < self.tokens.len() {
            self.at += 1;
        }
    }

    fn is_end(&self) -> bool {
        self.token().kind == TokenKind::End
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.token().kind, TokenKind::Symbol(found) if found == symbol)
    }

    fn is_name(&self) -> bool {
        self.token().kind == TokenKind::Name
    }

    /// Whether the next token is this word, reserved or not.
    fn is_word(&self, word: &str) -> bool {
        matches!(self.token().kind, TokenKind::Name | TokenKind::Keyword) && self.text() == word
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        if found {
            self.bump();
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.eat(symbol) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{symbol}`")))
        }
    }

    fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{word}`")))
        }
    }

    fn name(&mut self, what: &str) -> Parsed<Ident> {
        if !self.is_name() {
            return Err(self.expected(what));
        }
        let ident = Ident {
            name: self.text().to_owned(),
            span: self.span(),
        };
        self.bump();
        Ok(ident)
    }

    /// Names with commas between them.
    fn names(&mut self, what: &str) -> Parsed<Vec<Ident>> {
        let mut names = vec![self.name(what)?];
        while self.eat(",") {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// A `;`. If only the `;` is missing, that is reported and nothing else.
    fn semicolon(&mut self) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        let behind = self.behind();
        let between = Span::new(behind.end as usize, self.span().start as usize);
        let next_starts_anew = self.source.at(between).contains('\n')
            || self.is("}")
            || self.is_end()
            || self.token().kind == TokenKind::Keyword;
        if !next_starts_anew {
            return Err(self.expected("`;`"));
        }
        self.report(
            Diagnostic::error("a `;` is missing")
                .at(behind, "expected `;` here")
                .help(Hint::instead("statements and members end with `;`", ";")),
        );
        Ok(())
    }

    /// Reports that something else stands here.
    fn expected(&mut self, what: &str) -> Failed {
        let diagnostic = self.unexpected(what, what);
        self.fail(diagnostic)
    }

    fn expected_with(&mut self, what: &str, help: impl Into<Hint>) -> Failed {
        let diagnostic = self.unexpected(what, what).help(help);
        self.fail(diagnostic)
    }

    fn unexpected(&self, what: &str, in_short: &str) -> Diagnostic {
        let token = self.token();
        let text = self.text();
        let found = match token.kind {
            TokenKind::End => "the end of the file".to_owned(),
            TokenKind::Keyword => format!("the reserved word `{text}`"),
            _ => format!("`{}`", shortened(text)),
        };
        let reserved = token.kind == TokenKind::Keyword && what.starts_with("the name");
        let help = format!("`{text}` is a word of the language and cannot be a name");
        Diagnostic::error(format!("expected {what}, found {found}"))
            .at(token.span, format!("expected {in_short}"))
            .maybe_help(reserved.then_some(help))
    }

    fn fail(&mut self, diagnostic: Diagnostic) -> Failed {
        self.report(diagnostic);
        Failed
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        let stray = self.token().kind == TokenKind::Stray;
        let no_news = stray || self.end_is_no_news && self.is_end();
        if !no_news && self.reported_at != Some(self.at) {
            self.reported_at = Some(self.at);
            self.found.push(diagnostic);
        }
    }

    /// Reports something about tokens before the next one, which is read as what is meant.
    fn report_at(&mut self, diagnostic: Diagnostic) {
        self.found.push(diagnostic);
    }

    /// Goes one level deeper, if the limit allows.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(self.span()));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Refuses a text that is nested too deeply. Nobody writes such a text, so the rest of it is not looked at.
    fn too_deep(&mut self, place: Span) -> Failed {
        let failed = self.fail(
            Diagnostic::error("this is nested too deeply")
                .at(place, "")
                .help(format!(
                    "at most {MAX_DEPTH} levels; an operator in a chain like `a + b + c` is a level, too"
                )),
        );
        self.at = self.tokens.len();
        self.end_is_no_news = true;
        self.holes = true;
        failed
    }

    /// How many `{` are open that were opened since the token `start`.
    fn open_since(&self, start: usize) -> usize {
        let tokens = self.tokens.get(start..self.at).unwrap_or_default();
        tokens.iter().fold(0, |open, token| match token.kind {
            TokenKind::Symbol("{") => open + 1,
            TokenKind::Symbol("}") => open.saturating_sub(1),
            _ => open,
        })
    }

    /// Skips a `{ … }` with all that is in it, or one token.
    fn skip_group(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.token().kind {
                TokenKind::End => return,
                TokenKind::Symbol("{") => open += 1,
                TokenKind::Symbol("}") => open = open.saturating_sub(1),
                _ => {}
            }
            self.bump();
            if open == 0 {
                return;
            }
        }
    }
}

fn is_balanced(tokens: &[Token]) -> bool {
    let count = |symbol| {
        let is_one = |token: &&Token| token.kind == TokenKind::Symbol(symbol);
        tokens.iter().filter(is_one).count()
    };
    count("{") == count("}")
}

/// A text short enough for a message.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
