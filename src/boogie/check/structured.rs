//! `if` and `while` to blocks, named as Boogie names them.

use super::stmt::{BodyChecker, Breakable};
use crate::boogie::ast::{self, BoogieStmtKind, Pos};
use crate::boogie::typed::{BlockId, BoogieType, CmdKind, Jump, TypedExpr, TypedExprKind};

impl BodyChecker<'_, '_> {
    fn structured_number(&mut self) -> u32 {
        self.structured += 1;
        self.structured - 1
    }

    fn condition(&mut self, guard: &ast::BranchGuard) -> Option<TypedExpr> {
        let guard = guard.as_ref()?;
        match self.exprs.of_type(guard, &BoogieType::Bool, "a condition") {
            Ok(e) => Some(e),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    /// A branch: a block that assumes the condition, the statements, and on to `done`.
    fn branch(
        &mut self,
        name: String,
        pos: Pos,
        guard: Option<TypedExpr>,
        stmts: Option<&[ast::BoogieStmt]>,
        done: BlockId,
    ) -> BlockId {
        let start = match (&guard, stmts.and_then(<[_]>::first)) {
            (None, Some(first)) => first.pos,
            _ => pos,
        };
        let block = self.start(name, start);
        if let Some(guard) = guard {
            self.push(pos, CmdKind::Assume(guard));
        }
        if let Some(stmts) = stmts {
            self.stmts(stmts);
        }
        self.seal(Jump::Goto(vec![done]));
        block
    }

    pub(super) fn if_stmt(
        &mut self,
        pos: Pos,
        label: Option<&str>,
        arms: &[(ast::BranchGuard, Vec<ast::BoogieStmt>)],
        otherwise: Option<&[ast::BoogieStmt]>,
    ) {
        let done = self.draft(String::new(), pos);
        self.breakables.push(Breakable {
            label: label.map(str::to_string),
            is_loop: false,
            done,
        });
        for (i, (guard, stmts)) in arms.iter().enumerate() {
            let number = self.structured_number();
            let guard = self.condition(guard);
            self.ensure_block(pos);
            let from = self.current.take();
            let negated = guard
                .clone()
                .map(|g| TypedExpr::bool(TypedExprKind::Not(Box::new(g))));
            let then = self.branch(format!("anon{number}_Then"), pos, guard, Some(stmts), done);
            let name = format!("anon{number}_Else");
            let last = i + 1 == arms.len();
            let or_else = match last {
                true => self.branch(name, pos, negated, otherwise, done),
                false => {
                    let block = self.start(name, pos);
                    if let Some(negated) = negated {
                        self.push(pos, CmdKind::Assume(negated));
                    }
                    block
                }
            };
            if let Some(from) = from {
                self.change(from, |draft| {
                    draft.block.jump = Jump::Goto(vec![then, or_else])
                });
            }
        }
        self.breakables.pop();
        self.go_on(done, pos);
    }

    /// Goes on behind a structured statement.
    fn go_on(&mut self, done: BlockId, pos: Pos) {
        self.enter(done, pos);
        let label = format!("anon{}", self.anon);
        self.change(done, |draft| draft.block.label = label);
    }

    pub(super) fn while_stmt(
        &mut self,
        pos: Pos,
        label: Option<&str>,
        guard: &ast::BranchGuard,
        invariants: &[ast::SpecCondition],
        body: &[ast::BoogieStmt],
    ) {
        let number = self.structured_number();
        let done = self.draft(String::new(), pos);
        let guard = self.condition(guard);
        let head = self.start(format!("anon{number}_LoopHead"), pos);
        for invariant in invariants {
            match self
                .exprs
                .of_type(&invariant.expr, &BoogieType::Bool, "an invariant")
            {
                Ok(e) if invariant.free => self.push(invariant.pos, CmdKind::Assume(e)),
                Ok(e) => {
                    let text = format!("assert {};", invariant.expr);
                    let done = self.assertion(invariant.pos, &invariant.attrs, e, text);
                    self.errors.extend(done.err());
                }
                Err(error) => self.errors.push(error),
            }
        }
        let head_end = self.current.take();
        self.breakables.push(Breakable {
            label: label.map(str::to_string),
            is_loop: true,
            done,
        });
        let negated = guard
            .clone()
            .map(|g| TypedExpr::bool(TypedExprKind::Not(Box::new(g))));
        let inside = self.branch(
            format!("anon{number}_LoopBody"),
            pos,
            guard,
            Some(body),
            head,
        );
        self.breakables.pop();
        let exit = self.branch(format!("anon{number}_LoopDone"), pos, negated, None, done);
        if let Some(head_end) = head_end {
            self.change(head_end, |draft| {
                draft.block.jump = Jump::Goto(vec![exit, inside])
            });
        }
        self.go_on(done, pos);
    }
}

/// How many of Boogie's plain blocks a list of statements makes.
pub(super) fn count_plain(stmts: &[ast::BoogieStmt]) -> u32 {
    let mut count = u32::from(stmts.is_empty());
    let mut fresh = true;
    for stmt in stmts {
        count += u32::from(fresh && !matches!(stmt.kind, BoogieStmtKind::Label(_)));
        fresh = false;
        match &stmt.kind {
            BoogieStmtKind::If(arms, otherwise) => {
                count += arms.iter().map(|(_, s)| count_plain(s)).sum::<u32>();
                count += otherwise.as_deref().map_or(0, count_plain);
                fresh = true;
            }
            BoogieStmtKind::While(_, _, body) => {
                count += count_plain(body);
                fresh = true;
            }
            BoogieStmtKind::Goto(_) | BoogieStmtKind::Return(_) | BoogieStmtKind::Break(_) => {
                fresh = true
            }
            _ => {}
        }
    }
    count
}
