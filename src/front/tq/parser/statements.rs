//! Statements.

use super::super::ast::{Block, Catch, Expr, ExprKind, Rhs, Stmt, StmtKind, Type};
use super::super::token::TokenKind;
use super::{Failed, Parsed, Parser};
use crate::ir::Diagnostic;

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.nested(Self::block_inside)
    }

    fn block_inside(&mut self) -> Parsed<Block> {
        let open = self.span();
        if !self.eat("{") {
            return Err(
                self.expected_with("`{`", "the parts of a statement stand in braces: `{ … }`")
            );
        }
        let mut statements = Vec::new();
        while !self.eat("}") {
            if self.is_end() || self.at_outside() {
                self.report(
                    Diagnostic::error("this block is not closed")
                        .at(self.behind(), "expected `}` here")
                        .at(open, "opened here"),
                );
                break;
            }
            let start = self.at;
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Failed) => {
                    self.skip_statement(start);
                    self.holes |= self.declares(start);
                }
            }
        }
        Ok(Block { statements })
    }

    /// Whether something starts here that cannot stand in a body.
    fn at_outside(&self) -> bool {
        let inside = ["var", "invariant", "initially"];
        let member = self.at_member() && !inside.contains(&self.text());
        member || self.is_word("class")
    }

    fn skip_statement(&mut self, start: usize) {
        while !self.is_end() && !self.is("}") && !self.at_outside() {
            if self.at > start && self.at_statement_word() {
                return;
            }
            let ends = self.is(";") || self.is("{");
            self.skip_group();
            if ends && !self.is_word("else") && !self.is_word("catch") {
                return;
            }
        }
    }

    /// Whether a variable is declared in the tokens since `start`.
    fn declares(&self, start: usize) -> bool {
        let tokens = self.tokens.get(start..self.at).unwrap_or_default();
        tokens
            .iter()
            .any(|token| self.source.at(token.span) == "var")
    }

    fn at_statement_word(&self) -> bool {
        self.token().kind == TokenKind::Keyword
            && matches!(
                self.text(),
                "var"
                    | "while"
                    | "break"
                    | "continue"
                    | "return"
                    | "havoc"
                    | "assume"
                    | "assert"
                    | "throw"
                    | "try"
            )
    }

    fn statement(&mut self) -> Parsed<Stmt> {
        let start = self.span();
        let kind = self.statement_kind()?;
        Ok(Stmt {
            kind,
            span: self.since(start),
        })
    }

    fn statement_kind(&mut self) -> Parsed<StmtKind> {
        let word = match self.token().kind {
            TokenKind::Keyword => self.text(),
            _ => "",
        };
        match word {
            "var" => self.var_statement(),
            "if" => self.if_statement(),
            "while" => self.while_statement(),
            "break" => self.simple(StmtKind::Break),
            "continue" => self.simple(StmtKind::Continue),
            "return" => self.return_statement(),
            "havoc" => self.havoc_statement(),
            "assume" => self.condition_statement(StmtKind::Assume),
            "assert" => self.condition_statement(StmtKind::Assert),
            "throw" => {
                self.bump();
                let exception = self.name("the name of an exception")?;
                self.semicolon()?;
                Ok(StmtKind::Throw(exception))
            }
            "try" => self.try_statement(),
            _ if self.is("{") => self.block().map(StmtKind::Block),
            _ if self.at_foreign() => {
                self.foreign();
                Ok(StmtKind::Block(Block::default()))
            }
            _ => self.assignment_or_call(),
        }
    }

    fn simple(&mut self, kind: StmtKind) -> Parsed<StmtKind> {
        self.bump();
        self.semicolon()?;
        Ok(kind)
    }

    fn condition_statement(&mut self, kind: impl FnOnce(Expr) -> StmtKind) -> Parsed<StmtKind> {
        self.bump();
        let e = self.expr()?;
        self.semicolon()?;
        Ok(kind(e))
    }

    fn var_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let name = self.name("the name of a variable")?;
        if self.is(":=") || self.is("=") {
            let diagnostic = Diagnostic::error(format!("the type of `{}` is missing", name.name))
                .at(name.span, "")
                .help(format!(
                    "write `var {}: int := …;`, with its type",
                    name.name
                ));
            return Err(self.fail(diagnostic));
        }
        self.expect(":")?;
        let ty = self.ty()?;
        let value = if self.assignment_sign() {
            Some(self.rhs()?)
        } else {
            None
        };
        self.semicolon()?;
        Ok(StmtKind::Var { name, ty, value })
    }

    fn return_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        if self.eat(";") {
            return Ok(StmtKind::Return(None));
        }
        if self.is("}") {
            self.semicolon()?;
            return Ok(StmtKind::Return(None));
        }
        let value = self.expr()?;
        self.semicolon()?;
        Ok(StmtKind::Return(Some(value)))
    }

    fn havoc_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let mut places = vec![self.place()?];
        while self.eat(",") {
            places.push(self.place()?);
        }
        self.semicolon()?;
        Ok(StmtKind::Havoc(places))
    }

    /// `( condition )`, where `*` stands for either.
    fn condition(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let condition = match self.lone_star(")") {
            Some(star) => star,
            None => self.expr()?,
        };
        self.expect(")")?;
        Ok(condition)
    }

    /// A `*` that is all there is before `end`.
    fn lone_star(&mut self, end: &str) -> Option<Expr> {
        let alone = self.is("*") && matches!(self.ahead(1).kind, TokenKind::Symbol(s) if s == end);
        if !alone {
            return None;
        }
        let span = self.span();
        self.bump();
        Some(Expr {
            kind: Box::new(ExprKind::Star),
            span,
        })
    }

    fn if_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let condition = self.condition()?;
        let then = self.block()?;
        let otherwise = if !self.eat_word("else") {
            None
        } else if self.is_word("if") {
            let start = self.span();
            let kind = self.nested(Self::if_statement)?;
            let span = self.since(start);
            Some(Block {
                statements: vec![Stmt { kind, span }],
            })
        } else {
            Some(self.block()?)
        };
        Ok(StmtKind::If {
            condition,
            then,
            otherwise,
        })
    }

    fn while_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let condition = self.condition()?;
        let mut invariants = Vec::new();
        while self.eat_word("invariant") {
            invariants.push(self.expr()?);
            self.eat(";");
        }
        let body = self.block()?;
        Ok(StmtKind::While {
            condition,
            invariants,
            body,
        })
    }

    fn try_statement(&mut self) -> Parsed<StmtKind> {
        self.bump();
        let body = self.block()?;
        let mut catches = Vec::new();
        while self.eat_word("catch") {
            let exception = self.name("the name of an exception")?;
            let body = self.block()?;
            catches.push(Catch { exception, body });
        }
        if catches.is_empty() {
            return Err(self.expected("`catch`"));
        }
        Ok(StmtKind::Try { body, catches })
    }

    fn assignment_or_call(&mut self) -> Parsed<StmtKind> {
        let first = self.place()?;
        let mut targets = vec![first];
        while self.eat(",") {
            targets.push(self.place()?);
        }
        self.reject_increment(&targets)?;
        if self.assignment_sign() {
            let value = self.rhs()?;
            self.semicolon()?;
            return Ok(StmtKind::Assign { targets, value });
        }
        match targets.pop() {
            Some(call) if targets.is_empty() && matches!(*call.kind, ExprKind::Call { .. }) => {
                self.semicolon()?;
                Ok(StmtKind::Call(call))
            }
            Some(e) if targets.is_empty() => Err(self.no_statement(&e)),
            _ => Err(self.expected("`:=`")),
        }
    }

    /// Whether a statement starts here that only other languages have.
    fn at_foreign(&self) -> bool {
        matches!(self.text(), "for" | "foreach" | "switch" | "do") && self.is_before_block()
    }

    /// Says what to write for such a statement, and skips it.
    fn foreign(&mut self) {
        let word = self.text();
        let help = match word {
            "switch" => "write `if (…) { … } else if (…) { … }`",
            "do" => "write a `while`, and its body once before it",
            _ => "write a `while`, with what it starts with before it",
        };
        self.report(
            Diagnostic::error(format!("there is no `{word}`"))
                .at(self.span(), "")
                .help(help),
        );
        while !self.is("{") && !self.is_end() {
            self.bump();
        }
        self.skip_group();
        if word == "do" && self.eat_word("while") {
            while !self.is(";") && !self.is("}") && !self.is_end() {
                self.bump();
            }
            self.eat(";");
        }
    }

    /// Whether a block follows this word, or what stands in parentheses behind it.
    fn is_before_block(&self) -> bool {
        let mut open = 0_usize;
        for ahead in 1.. {
            match self.text_ahead(ahead) {
                "(" => open += 1,
                ")" if open > 0 => open -= 1,
                "{" => return open == 0,
                "" => return false,
                _ if open == 0 => return false,
                _ => {}
            }
        }
        false
    }

    /// Says what to write for `x += 1` and `x++`.
    fn reject_increment(&mut self, targets: &[Expr]) -> Parsed<()> {
        let operator = match (self.text(), self.text_ahead(1)) {
            ("+=" | "++", _) | ("+", "+") => "+",
            ("-=", _) | ("-", "-") => "-",
            ("*=", _) => "*",
            _ => return Ok(()),
        };
        let target = targets
            .first()
            .map_or("", |target| self.source.at(target.span));
        let target = super::shortened(target);
        let diagnostic = Diagnostic::error("there is no such assignment")
            .at(self.span(), "")
            .help(format!("write `{target} := {target} {operator} …;`"));
        Err(self.fail(diagnostic))
    }

    fn no_statement(&mut self, e: &Expr) -> Failed {
        if self.is("==") {
            let diagnostic = Diagnostic::error("a comparison is not a statement")
                .at(self.span(), "")
                .help("write `:=` to assign");
            return self.fail(diagnostic);
        }
        let name = matches!(*e.kind, ExprKind::Name(_));
        if name && (self.is_name() || self.is(":")) {
            self.holes = true;
            let declared = super::shortened(self.source.at(e.span));
            let declared = if self.is(":") {
                declared
            } else {
                self.text().to_owned()
            };
            let diagnostic = Diagnostic::error("this is not a statement")
                .at(e.span, "")
                .help(format!(
                    "a variable is declared with `var {declared}: T := …;`"
                ));
            return self.fail(diagnostic);
        }
        self.expected("`:=`")
    }

    fn rhs(&mut self) -> Parsed<Rhs> {
        if let Some(star) = self.lone_star(";") {
            return Ok(Rhs::Expr(star));
        }
        if self.eat_word("new") {
            return self.allocation();
        }
        self.expr().map(Rhs::Expr)
    }

    /// Behind `new`.
    fn allocation(&mut self) -> Parsed<Rhs> {
        let ty = self.ty()?;
        if self.eat("[") {
            let length = self.expr()?;
            self.expect("]")?;
            return Ok(Rhs::NewArray {
                element: ty,
                length,
            });
        }
        let Type::Name(class) = ty else {
            return Err(self.expected("`[`"));
        };
        let constructor = if self.eat(".") {
            Some(self.name("the name of a constructor")?)
        } else {
            None
        };
        if !self.is("(") {
            return Err(self.expected("`(` or `[`"));
        }
        let args = self.args()?;
        Ok(Rhs::New {
            class,
            constructor,
            args,
        })
    }
}
