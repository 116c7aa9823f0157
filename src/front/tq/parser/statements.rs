//! Statements.

use super::super::ast::{
    BlockSyntax, CaseSyntax, CatchSyntax, ExprSyntax, ExprSyntaxKind, ForSyntax, Ident, Origin,
    Rhs, StmtSyntax, StmtSyntaxKind, TypeSyntax,
};
use super::super::token::TokenKind;
use super::{Failed, Parsed, Parser};
use crate::ir::Diagnostic;

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<BlockSyntax> {
        self.nested(Self::block_inside)
    }

    fn block_inside(&mut self) -> Parsed<BlockSyntax> {
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
            if self.skip_empty_statement() {
                continue;
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
        Ok(BlockSyntax { statements })
    }

    /// Whether something starts here that cannot stand in a body.
    pub(super) fn at_outside(&self) -> bool {
        let inside = ["var", "invariant", "initially", "fact"];
        let constant = self.is_word("const") && self.balanced;
        let member = self.at_member() && !constant && !inside.contains(&self.text());
        member || self.is_word("class")
    }

    fn skip_statement(&mut self, start: usize) {
        while !self.is_end() && !self.is("}") && !self.at_outside() {
            if self.at > start && self.at_statement_word() {
                return;
            }
            let group = self.is("{");
            let ends = self.is(";") || group;
            self.skip_group();
            if group {
                // `= { … };` is one slip.
                self.eat(";");
            }
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
                    | "for"
                    | "switch"
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

    fn statement(&mut self) -> Parsed<StmtSyntax> {
        let start = self.span();
        let kind = self.statement_kind()?;
        Ok(StmtSyntax {
            kind,
            span: self.since(start),
            origin: Origin::default(),
        })
    }

    pub(super) fn statement_kind(&mut self) -> Parsed<StmtSyntaxKind> {
        let word = match self.token().kind {
            TokenKind::Keyword => self.text(),
            _ => "",
        };
        match word {
            "var" => self.var_statement(),
            "if" => self.if_statement(),
            "switch" => self.switch_statement(),
            "while" => self.while_statement(None),
            "for" => self.for_statement(None),
            "break" => self.jump("break").map(StmtSyntaxKind::Break),
            "continue" => self.jump("continue").map(StmtSyntaxKind::Continue),
            "return" => self.return_statement(),
            "havoc" => self.havoc_statement(),
            "assume" => self.condition_statement(StmtSyntaxKind::Assume),
            "assert" => self.condition_statement(StmtSyntaxKind::Assert),
            "throw" => self.throw_statement(),
            "try" => self.try_statement(),
            "const" => self.constant_in_body(),
            _ if self.is("{") => self.block().map(StmtSyntaxKind::Block),
            _ if self.at_label() => self.labelled(),
            _ => match self.other_statement() {
                Some(statement) => statement,
                None => self.assignment_or_call(),
            },
        }
    }

    fn at_label(&self) -> bool {
        self.is_name()
            && self.text_ahead(1) == ":"
            && matches!(self.text_ahead(2), "while" | "for" | "{")
    }

    fn labelled(&mut self) -> Parsed<StmtSyntaxKind> {
        let label = self.name("a label")?;
        self.expect(":")?;
        if self.is("{") {
            let body = self.block()?;
            return Ok(StmtSyntaxKind::Labelled(label, body));
        }
        if self.is_word("for") {
            return self.for_statement(Some(label));
        }
        self.while_statement(Some(label))
    }

    /// `break` or `continue`: the label behind it, if there is one.
    fn jump(&mut self, word: &str) -> Parsed<Option<Ident>> {
        self.bump();
        // What stands on the next line is a statement of its own where only the `;` is missing.
        let is_label = self.is_on_line_of_last() || self.text_ahead(1) == ";";
        let label = if self.is_name() && is_label {
            Some(self.name("a label")?)
        } else {
            None
        };
        self.end_of_jump(word)?;
        Ok(label)
    }

    pub(super) fn throw_statement(&mut self) -> Parsed<StmtSyntaxKind> {
        self.bump();
        let exception = if self.is(";") {
            None
        } else {
            Some(self.thrown_exception()?)
        };
        self.semicolon()?;
        Ok(StmtSyntaxKind::Throw(exception))
    }

    fn condition_statement(
        &mut self,
        kind: impl FnOnce(ExprSyntax) -> StmtSyntaxKind,
    ) -> Parsed<StmtSyntaxKind> {
        self.bump();
        let e = self.expr()?;
        self.end_of_condition()?;
        Ok(kind(e))
    }

    pub(super) fn var_statement(&mut self) -> Parsed<StmtSyntaxKind> {
        self.bump();
        let name = self.name("the name of a variable")?;
        if !self.eat(":") {
            return Err(self.other_declared("var", &name));
        }
        let ty = self.ty()?;
        let value = if self.assignment_sign() {
            Some(self.rhs()?)
        } else {
            None
        };
        self.end_of_declaration("var")?;
        Ok(StmtSyntaxKind::Var { name, ty, value })
    }

    fn return_statement(&mut self) -> Parsed<StmtSyntaxKind> {
        self.bump();
        let mut values = Vec::new();
        if !self.is(";") && !self.is("}") {
            values.push(self.expr()?);
            while self.eat(",") {
                values.push(self.expr()?);
            }
        }
        self.semicolon()?;
        Ok(StmtSyntaxKind::Return(values))
    }

    fn havoc_statement(&mut self) -> Parsed<StmtSyntaxKind> {
        self.bump();
        let kind = match self.eat("?") {
            true => StmtSyntaxKind::Guess,
            false => StmtSyntaxKind::Havoc,
        };
        let mut places = vec![self.place()?];
        while self.eat(",") {
            places.push(self.place()?);
        }
        self.semicolon()?;
        Ok(kind(places))
    }

    /// What is chosen by, where `*` stands for either. The parentheses around it need not be there.
    fn condition(&mut self) -> Parsed<ExprSyntax> {
        if self.is("(") && self.is_star(1, ")") {
            self.bump();
            let star = self.lone_star(")");
            self.expect(")")?;
            return star.map_or_else(|| self.expr(), Ok);
        }
        let star = self.lone_star("{").or_else(|| self.lone_star("invariant"));
        star.map_or_else(|| self.expr(), Ok)
    }

    /// Whether the token `ahead` is a `*` with `end` behind it.
    fn is_star(&self, ahead: usize, end: &str) -> bool {
        self.text_ahead(ahead) == "*" && self.text_ahead(ahead + 1) == end
    }

    /// A `*` that is all there is before `end`.
    fn lone_star(&mut self, end: &str) -> Option<ExprSyntax> {
        if !self.is_star(0, end) {
            return None;
        }
        let span = self.span();
        self.bump();
        Some(ExprSyntax {
            kind: Box::new(ExprSyntaxKind::Star),
            span,
        })
    }

    fn if_statement(&mut self) -> Parsed<StmtSyntaxKind> {
        self.bump();
        let condition = self.condition()?;
        self.other_block_start()?;
        let then = self.block()?;
        let other = self.other_else_if();
        let otherwise = if !other && !self.eat_word("else") {
            None
        } else if other || self.is_word("if") {
            let start = self.span();
            let kind = self.nested(Self::if_statement)?;
            let span = self.since(start);
            Some(BlockSyntax {
                statements: vec![StmtSyntax {
                    kind,
                    span,
                    origin: Origin::default(),
                }],
            })
        } else {
            self.other_block_start()?;
            Some(self.block()?)
        };
        Ok(StmtSyntaxKind::If {
            condition,
            then,
            otherwise,
        })
    }

    fn switch_statement(&mut self) -> Parsed<StmtSyntaxKind> {
        self.bump();
        let subject = self.expr()?;
        if !self.is("{") {
            let help = "the cases stand in braces: `switch (e) { case A { … } default { … } }`";
            return Err(self.expected_with("`{`", help));
        }
        let open = self.at;
        match self.cases() {
            Ok((cases, default)) => Ok(StmtSyntaxKind::Switch {
                subject,
                cases,
                default,
            }),
            Err(Failed) => {
                // What is behind the slip is a part of the cases, and no statement.
                self.at = open;
                self.skip_group();
                Ok(StmtSyntaxKind::Block(BlockSyntax::default()))
            }
        }
    }

    /// The cases in their braces, and what is done in no case.
    fn cases(&mut self) -> Parsed<(Vec<CaseSyntax>, Option<BlockSyntax>)> {
        self.bump();
        let mut cases = Vec::new();
        while self.is_word("case") {
            cases.push(self.nested(Self::case)?);
        }
        if cases.is_empty() && !self.is_word("default") {
            let help =
                "each case is a block: `case A, B { … }`; `default { … }` stands behind them";
            return Err(self.expected_with("`case`", help));
        }
        let default = if self.eat_word("default") {
            self.case_start()?;
            Some(self.block()?)
        } else {
            None
        };
        if !self.eat("}") {
            return Err(self.end_of_cases(default.is_some()));
        }
        Ok((cases, default))
    }

    fn case(&mut self) -> Parsed<CaseSyntax> {
        let span = self.span();
        self.bump();
        self.other_case()?;
        let mut values = vec![self.expr()?];
        while self.eat(",") {
            values.push(self.expr()?);
        }
        self.case_start()?;
        let body = self.block()?;
        Ok(CaseSyntax { values, body, span })
    }

    fn while_statement(&mut self, label: Option<Ident>) -> Parsed<StmtSyntaxKind> {
        self.bump();
        let condition = self.condition()?;
        let (invariants, body) = self.rounds()?;
        Ok(StmtSyntaxKind::While {
            label,
            condition,
            invariants,
            body,
        })
    }

    fn for_statement(&mut self, label: Option<Ident>) -> Parsed<StmtSyntaxKind> {
        self.bump();
        self.other_count()?;
        let name = self.name("the variable that counts")?;
        let ty = if self.eat(":") {
            Some(self.ty()?)
        } else {
            None
        };
        if !self.assignment_sign() {
            return Err(self.no_count("`:=`"));
        }
        let from = self.expr()?;
        let down = self.is_word("downto");
        if !down && !self.is_word("to") {
            return Err(self.no_count("`to` or `downto`"));
        }
        self.bump();
        let to = self.expr()?;
        let (invariants, body) = self.rounds()?;
        Ok(StmtSyntaxKind::For(ForSyntax {
            label,
            name,
            ty,
            from,
            down,
            to,
            invariants,
            body,
        }))
    }

    /// Behind the head of a loop: its invariants, and its body.
    fn rounds(&mut self) -> Parsed<(Vec<ExprSyntax>, BlockSyntax)> {
        let mut invariants = Vec::new();
        while self.eat_word("invariant") {
            invariants.push(self.expr()?);
            self.eat(";");
        }
        self.other_block_start()?;
        Ok((invariants, self.block()?))
    }

    fn try_statement(&mut self) -> Parsed<StmtSyntaxKind> {
        self.bump();
        let body = self.block()?;
        let mut catches = Vec::new();
        let mut start = self.span();
        while self.at_handler() {
            let exceptions = self.caught()?;
            let body = self.block()?;
            catches.push(CatchSyntax {
                exceptions,
                body,
                span: start,
            });
            start = self.span();
        }
        let finally = if self.eat_word("finally") {
            Some(self.block()?)
        } else {
            None
        };
        if catches.is_empty() && finally.is_none() {
            return Err(self.expected("`catch` or `finally`"));
        }
        Ok(StmtSyntaxKind::Try {
            body,
            catches,
            finally,
        })
    }

    fn assignment_or_call(&mut self) -> Parsed<StmtSyntaxKind> {
        let first = self.place()?;
        let mut targets = vec![first];
        while self.eat(",") {
            targets.push(self.place()?);
        }
        self.reject_increment(&targets)?;
        if self.assignment_sign() {
            let value = self.rhs()?;
            self.end_of_assignment()?;
            return Ok(StmtSyntaxKind::Assign { targets, value });
        }
        match targets.pop() {
            Some(call)
                if targets.is_empty() && matches!(*call.kind, ExprSyntaxKind::Call { .. }) =>
            {
                self.semicolon()?;
                Ok(StmtSyntaxKind::Call(call))
            }
            Some(e) if targets.is_empty() => Err(self.no_statement(&e)),
            _ => Err(self.expected("`:=`")),
        }
    }

    /// Says what to write for `x += 1` and `x++`.
    fn reject_increment(&mut self, targets: &[ExprSyntax]) -> Parsed<()> {
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

    pub(super) fn rhs(&mut self) -> Parsed<Rhs> {
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
        let start = self.span();
        let ty = self.element_type()?;
        if self.eat("[") {
            if self.is("]") {
                let help = "write `new T[n]`, with the length of the array";
                return Err(self.expected_with("an expression", help));
            }
            let length = self.expr()?;
            self.expect("]")?;
            let fill = if self.eat("(") {
                let fill = self.expr()?;
                self.expect(")")?;
                Some(fill)
            } else {
                None
            };
            self.end_of_allocation()?;
            return Ok(Rhs::NewArray {
                element: ty,
                length,
                fill,
            });
        }
        let constructed = self.is("(") || self.is(".");
        let class = match ty {
            TypeSyntax::Name(class) if constructed => class,
            ty => return self.other_allocation(&ty, start),
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
        self.end_of_allocation()?;
        Ok(Rhs::New {
            class,
            constructor,
            args,
        })
    }
}
