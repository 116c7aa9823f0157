//! Statements.

use super::*;

impl BoogieParser {
    /// Statements up to a closing brace, which is left.
    pub(super) fn stmts(&mut self) -> Parsed<Vec<BoogieStmt>> {
        let mut all = Vec::new();
        while !self.is("}") && !self.is("}|") {
            if *self.peek() == BoogieToken::End {
                return self.unexpected("a statement or `}`");
            }
            all.push(self.stmt()?);
        }
        Ok(all)
    }

    fn block(&mut self) -> Parsed<Vec<BoogieStmt>> {
        self.expect("{")?;
        let stmts = self.nested(|p| p.stmts())?;
        self.expect("}")?;
        Ok(stmts)
    }

    fn stmt(&mut self) -> Parsed<BoogieStmt> {
        let pos = self.pos();
        let word = match self.peek() {
            BoogieToken::Ident(word) => word.clone(),
            _ => return self.unexpected("a statement"),
        };
        let kind = match word.as_str() {
            "if" => self.if_stmt()?,
            "while" => self.while_stmt()?,
            _ if self.is_name() => self.named_stmt(&word)?,
            _ => {
                self.at += 1;
                let kind = self.keyword_stmt(&word)?;
                self.expect(";")?;
                kind
            }
        };
        Ok(BoogieStmt { pos, kind })
    }

    /// A statement that begins with a name: a label or an assignment.
    fn named_stmt(&mut self, word: &str) -> Parsed<BoogieStmtKind> {
        if matches!(self.peek_at(1), BoogieToken::Sym(":")) {
            let label = self.name()?;
            self.at += 1;
            return Ok(BoogieStmtKind::Label(label));
        }
        let starts_assignment = matches!(
            self.peek_at(1),
            BoogieToken::Sym(":=" | "[" | "," | "->" | "(")
        );
        match word {
            _ if starts_assignment => {}
            "hide" | "reveal" | "push" | "pop" | "pushScope" | "popScope" => {
                return self.show();
            }
            "async" => return self.concurrent("an asynchronous call"),
            "par" => return self.concurrent("a parallel call"),
            "yield" => return self.concurrent("`yield` (concurrency)"),
            _ => {}
        }
        if matches!(self.peek_at(1), BoogieToken::Sym("(")) {
            return self.unpack();
        }
        let lhs = self.list(|p| p.lhs())?;
        self.expect(":=")?;
        self.attributes()?;
        let rhs = self.list(|p| p.expr())?;
        self.expect(";")?;
        if lhs.len() != rhs.len() {
            let pos = lhs.first().map_or(Pos::default(), |l| l.pos);
            return Err(Error::new(
                pos,
                format!("{} targets are assigned {} values", lhs.len(), rhs.len()),
            ));
        }
        Ok(BoogieStmtKind::Assign(lhs, rhs))
    }

    fn concurrent<T>(&self, what: &str) -> Parsed<T> {
        Err(Error::unsupported(self.pos(), what, SEQUENTIAL))
    }

    /// `C(x, y) := e;`
    fn unpack(&mut self) -> Parsed<BoogieStmtKind> {
        let constructor = self.name()?;
        self.expect("(")?;
        let targets = self.list_until(")", |p| p.name_at())?;
        self.expect(":=")?;
        self.attributes()?;
        let value = self.expr()?;
        self.expect(";")?;
        Ok(BoogieStmtKind::Unpack(constructor, targets, value))
    }

    /// `hide f;`, `reveal *;`, `push;`, `pop;`
    fn show(&mut self) -> Parsed<BoogieStmtKind> {
        let word = self.name()?;
        let show = match word.as_str() {
            "push" | "pushScope" => Show::Push,
            "pop" | "popScope" => Show::Pop,
            _ => {
                let what = match self.eat("*") {
                    true => None,
                    false => Some(self.name()?),
                };
                match word.as_str() {
                    "hide" => Show::Hide(what),
                    _ => Show::Reveal(what),
                }
            }
        };
        self.expect(";")?;
        Ok(BoogieStmtKind::Show(show))
    }

    fn lhs(&mut self) -> Parsed<Lhs> {
        let (name, pos) = self.name_at()?;
        let mut path = Vec::new();
        loop {
            if self.eat("[") {
                path.push(AccessPath::Index(self.list_until("]", |p| p.expr())?));
            } else if self.eat("->") {
                path.push(AccessPath::Field(self.name()?));
            } else {
                return Ok(Lhs { pos, name, path });
            }
        }
    }

    /// A statement behind its keyword, up to its `;`.
    fn keyword_stmt(&mut self, word: &str) -> Parsed<BoogieStmtKind> {
        Ok(match word {
            "assume" => {
                let attrs = self.attributes()?;
                BoogieStmtKind::Assume(attrs, self.expr()?)
            }
            "assert" => {
                let attrs = self.attributes()?;
                BoogieStmtKind::Assert(attrs, self.expr()?)
            }
            "havoc" => BoogieStmtKind::Havoc(self.names_at()?),
            "call" => BoogieStmtKind::Call(self.call(false)?),
            "free" => {
                self.expect_word("call")?;
                BoogieStmtKind::Call(self.call(true)?)
            }
            "break" => BoogieStmtKind::Break(match self.is_name() {
                true => Some(self.name()?),
                false => None,
            }),
            "return" => {
                self.attributes()?;
                BoogieStmtKind::Return(match self.is(";") {
                    true => None,
                    false => Some(self.expr()?),
                })
            }
            "goto" => {
                self.attributes()?;
                BoogieStmtKind::Goto(self.names_at()?)
            }
            _ => {
                self.at -= 1;
                return self.unexpected("a statement");
            }
        })
    }

    /// A call behind `call`.
    fn call(&mut self, free: bool) -> Parsed<BoogieCall> {
        let pos = self.pos();
        if self.is_word("forall") {
            let what = "`call forall` (which Boogie has not any more)";
            let instead = "assume what the lemma says, as `(forall …)`, or call it with values";
            return Err(Error::unsupported(pos, what, instead));
        }
        let attrs = self.attributes()?;
        if self.is_word("async") && matches!(self.peek_at(1), BoogieToken::Ident(_)) {
            return self.concurrent("an asynchronous call");
        }
        let mut outs = Vec::new();
        if !matches!(self.peek_at(1), BoogieToken::Sym("(")) {
            outs = self.list(|p| match p.eat("*") {
                true => Ok(None),
                false => Ok(Some(p.name_at()?)),
            })?;
            self.expect(":=")?;
        }
        let name = self.name()?;
        self.expect("(")?;
        let args = self.list_until(")", |p| match p.eat("*") {
            true => Ok(None),
            false => Ok(Some(p.expr()?)),
        })?;
        if self.is("|") {
            return self.concurrent("a parallel call");
        }
        Ok(BoogieCall {
            free,
            attrs,
            outs,
            name,
            args,
        })
    }

    fn guard(&mut self) -> Parsed<BranchGuard> {
        self.expect("(")?;
        let guard = match self.eat("*") {
            true => None,
            false => Some(self.expr()?),
        };
        self.expect(")")?;
        Ok(guard)
    }

    fn if_stmt(&mut self) -> Parsed<BoogieStmtKind> {
        let mut arms = Vec::new();
        loop {
            self.expect_word("if")?;
            self.attributes()?;
            let guard = self.guard()?;
            arms.push((guard, self.block()?));
            if !self.eat_word("else") {
                return Ok(BoogieStmtKind::If(arms, None));
            }
            if !self.is_word("if") {
                return Ok(BoogieStmtKind::If(arms, Some(self.block()?)));
            }
        }
    }

    fn while_stmt(&mut self) -> Parsed<BoogieStmtKind> {
        self.expect_word("while")?;
        let guard = self.guard()?;
        let mut invariants = Vec::new();
        loop {
            let pos = self.pos();
            let free = self.eat_word("free");
            if !self.eat_word("invariant") {
                if free {
                    return self.unexpected("`invariant`");
                }
                break;
            }
            let attrs = self.attributes()?;
            let expr = self.expr()?;
            self.expect(";")?;
            invariants.push(SpecCondition {
                pos,
                free,
                attrs,
                expr,
            });
        }
        Ok(BoogieStmtKind::While(guard, invariants, self.block()?))
    }
}
