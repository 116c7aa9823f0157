//! Names and types of bodies, and structured statements to blocks.

use std::collections::HashMap;

use super::expr::{CheckResult, ExprChecker};
use super::structured::count_plain;
use crate::boogie::ast::{self, BoogieStmtKind, Pos};
use crate::boogie::error::Error;
use crate::boogie::typed::{
    BlockId, BoogieType, CmdKind, Jump, LocalId, ProcedureId, TypedBlock, TypedBody, TypedCmd,
    TypedExpr, TypedExprKind, TypedProcedure, VariableRef,
};
use crate::boogie::visible::has_flag;
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure};

/// The signatures of procedures: those of the program, and those of an entry added to it.
pub(super) struct Signatures<'p> {
    pub base: &'p Table<ProcedureId, TypedProcedure>,
    pub added: &'p [TypedProcedure],
    pub added_names: &'p HashMap<String, ProcedureId>,
}

impl<'p> Signatures<'p> {
    pub(super) fn knows(&self, id: ProcedureId) -> bool {
        id.index() < self.base.len() + self.added.len()
    }

    pub(super) fn at(&self, id: ProcedureId) -> Result<&'p TypedProcedure, Internal> {
        match id.index().checked_sub(self.base.len()) {
            None => self.base.at(id),
            Some(i) => self.added.get(i).sure(),
        }
    }
}

/// Something that can be left by `break`.
pub(super) struct Breakable {
    pub(super) label: Option<String>,
    pub(super) is_loop: bool,
    pub(super) done: BlockId,
}

/// A block in the making.
pub(super) struct DraftBlock {
    pub(super) block: TypedBlock,
    pub(super) placed: bool,
    pub(super) value: Option<TypedExpr>,
}

/// Makes the blocks of a body.
pub(super) struct BodyChecker<'c, 'p> {
    pub exprs: &'c mut ExprChecker<'p>,
    pub signatures: &'c Signatures<'c>,
    /// All that is wrong so far; checking goes on behind a bad statement.
    pub errors: Vec<Error>,
    pub(super) blocks: Table<BlockId, DraftBlock>,
    pub(super) labels: HashMap<String, BlockId>,
    pub(super) breakables: Vec<Breakable>,
    pub(super) current: Option<BlockId>,
    /// Numbers for plain blocks, and for the blocks of structured statements behind those.
    pub(super) anon: u32,
    pub(super) structured: u32,
    pub(super) in_code: bool,
    /// The local variable that is true as long as `{:selective_checking}` makes assumptions of assertions.
    pub unchecked: Option<LocalId>,
}

impl<'c, 'p> BodyChecker<'c, 'p> {
    pub(super) fn new(exprs: &'c mut ExprChecker<'p>, signatures: &'c Signatures<'c>) -> Self {
        BodyChecker {
            exprs,
            signatures,
            errors: Vec::new(),
            blocks: Table::new(),
            labels: HashMap::new(),
            breakables: Vec::new(),
            current: None,
            anon: 0,
            structured: 0,
            in_code: false,
            unchecked: None,
        }
    }

    /// The blocks of a body, whose locals are in scope already.
    pub(super) fn body(mut self, body: &ast::ProcedureBody) -> Result<TypedBody, Vec<Error>> {
        self.run(body);
        self.missing_labels();
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let blocks = self.blocks.into_iter().map(|d| d.block).collect();
        Ok(TypedBody {
            blocks,
            end: body.end,
        })
    }

    pub(super) fn run(&mut self, body: &ast::ProcedureBody) {
        self.structured = count_plain(&body.stmts);
        self.stmts(&body.stmts);
        self.seal(Jump::Return(body.end));
        if self.blocks.is_empty() {
            self.start("anon0".into(), body.end);
            self.seal(Jump::Return(body.end));
        }
    }

    /// Changes a block. That there is none cannot be; it is told with what else is wrong.
    pub(super) fn change(&mut self, block: BlockId, change: impl FnOnce(&mut DraftBlock)) {
        match self.blocks.at_mut(block) {
            Ok(draft) => change(draft),
            Err(bug) => self.errors.push(bug.into()),
        }
    }

    pub(super) fn draft(&mut self, label: String, pos: Pos) -> BlockId {
        self.blocks.push(DraftBlock {
            block: TypedBlock {
                label,
                pos,
                cmds: Vec::new(),
                jump: Jump::Goto(Vec::new()),
            },
            placed: false,
            value: None,
        })
    }

    /// Goes on in this block; what came before falls through to it.
    pub(super) fn enter(&mut self, block: BlockId, pos: Pos) {
        self.seal(Jump::Goto(vec![block]));
        self.change(block, |draft| {
            draft.placed = true;
            draft.block.pos = pos;
        });
        self.current = Some(block);
    }

    pub(super) fn start(&mut self, label: String, pos: Pos) -> BlockId {
        let block = self.draft(label, pos);
        self.enter(block, pos);
        block
    }

    /// Ends the current block, if there is one.
    pub(super) fn seal(&mut self, jump: Jump) {
        if let Some(block) = self.current.take() {
            self.change(block, |draft| draft.block.jump = jump);
        }
    }

    pub(super) fn push(&mut self, pos: Pos, kind: CmdKind) {
        let block = self.ensure_block(pos);
        self.change(block, |draft| draft.block.cmds.push(TypedCmd { pos, kind }));
    }

    fn plain_label(&mut self) -> String {
        self.anon += 1;
        format!("anon{}", self.anon - 1)
    }

    fn label_block(&mut self, name: &str) -> BlockId {
        if let Some(block) = self.labels.get(name) {
            return *block;
        }
        let block = self.draft(name.to_string(), Pos::default());
        self.labels.insert(name.to_string(), block);
        block
    }

    /// A list of statements: a sequence of Boogie's "big blocks".
    pub(super) fn stmts(&mut self, stmts: &[ast::BoogieStmt]) {
        let mut label: Option<&str> = None;
        let mut fresh = true;
        for stmt in stmts {
            let structured = matches!(
                stmt.kind,
                BoogieStmtKind::If(..) | BoogieStmtKind::While(..)
            );
            if fresh && !matches!(stmt.kind, BoogieStmtKind::Label(_)) {
                // The blocks of a branch begin inside the branch's own block.
                if self.current.is_none() {
                    let name = self.plain_label();
                    self.start(name, stmt.pos);
                } else {
                    self.anon += 1;
                }
            }
            fresh = structured;
            if let Err(error) = self.stmt(stmt, label.take()) {
                self.errors.push(error);
            }
            match &stmt.kind {
                BoogieStmtKind::Label(name) => label = Some(name),
                BoogieStmtKind::Goto(_) | BoogieStmtKind::Return(_) | BoogieStmtKind::Break(_) => {
                    fresh = true
                }
                _ => {}
            }
        }
        if stmts.is_empty() {
            self.anon += 1;
        }
    }

    pub(super) fn stmt(&mut self, stmt: &ast::BoogieStmt, label: Option<&str>) -> CheckResult<()> {
        let pos = stmt.pos;
        match &stmt.kind {
            BoogieStmtKind::Label(name) => {
                let block = self.label_block(name);
                if self.blocks.at(block)?.placed {
                    return Err(Error::new(
                        pos,
                        format!("the label {name} is declared twice"),
                    ));
                }
                self.enter(block, pos);
            }
            BoogieStmtKind::Assume(attrs, e) => {
                let e = self.exprs.of_type(e, &BoogieType::Bool, "an assumption")?;
                self.push(pos, CmdKind::Assume(e));
                if let (Some(unchecked), true) =
                    (self.unchecked, has_flag(attrs, "start_checking_here"))
                {
                    let checked = TypedExpr::bool(TypedExprKind::Bool(false));
                    self.push(
                        pos,
                        CmdKind::Assign(vec![(VariableRef::Local(unchecked), checked)]),
                    );
                }
            }
            BoogieStmtKind::Assert(attrs, e) => {
                let mut text = String::from("assert ");
                attrs.iter().for_each(|a| text.push_str(&format!("{a} ")));
                text.push_str(&format!("{e};"));
                let e = self.exprs.of_type(e, &BoogieType::Bool, "an assertion")?;
                self.assertion(pos, attrs, e, text)?;
            }
            BoogieStmtKind::Assign(lhs, rhs) => {
                let pairs = self.assign(lhs, rhs)?;
                self.push(pos, CmdKind::Assign(pairs));
            }
            BoogieStmtKind::Unpack(constructor, targets, value) => {
                self.unpack(constructor, targets, value, pos)?;
            }
            BoogieStmtKind::Show(_) => {}
            BoogieStmtKind::Havoc(names) => {
                let vars = names
                    .iter()
                    .map(|(name, pos)| Ok(self.target(name, *pos)?.0))
                    .collect::<CheckResult<Vec<_>>>()?;
                self.push(pos, CmdKind::Havoc(vars));
            }
            BoogieStmtKind::Call(call) => {
                let call = self.call(call, pos)?;
                self.push(pos, CmdKind::Call(call));
            }
            BoogieStmtKind::Goto(names) => {
                let targets = names.iter().map(|(name, pos)| self.goto_target(name, *pos));
                let targets = targets.collect();
                self.ensure_block(pos);
                self.seal(Jump::Goto(targets));
            }
            BoogieStmtKind::Return(value) => {
                let block = self.ensure_block(pos);
                match (value, self.in_code) {
                    (None, false) => {}
                    (Some(e), true) => {
                        let e = self.exprs.of_type(
                            e,
                            &BoogieType::Bool,
                            "the value of a code expression",
                        )?;
                        self.change(block, |draft| draft.value = Some(e));
                    }
                    (Some(_), false) => {
                        return Err(Error::new(
                            pos,
                            "`return` with a value belongs in a code expression",
                        ));
                    }
                    (None, true) => {
                        return Err(Error::new(pos, "a code expression must return a value"));
                    }
                }
                self.seal(Jump::Return(pos));
            }
            BoogieStmtKind::Break(label) => {
                let found = self.breakables.iter().rev().find(|b| match label {
                    Some(_) => b.label == *label,
                    None => b.is_loop,
                });
                let Some(done) = found.map(|b| b.done) else {
                    return Err(Error::new(
                        pos,
                        "this `break` is not inside what it would leave",
                    ));
                };
                self.ensure_block(pos);
                self.seal(Jump::Goto(vec![done]));
            }
            BoogieStmtKind::If(arms, otherwise) => {
                self.if_stmt(pos, label, arms, otherwise.as_deref())
            }
            BoogieStmtKind::While(guard, invariants, body) => {
                self.while_stmt(pos, label, guard, invariants, body)
            }
        }
        Ok(())
    }

    /// The place of a label's own mention in a `goto`, in case the label is missing.
    fn goto_target(&mut self, name: &str, pos: Pos) -> BlockId {
        let block = self.label_block(name);
        self.change(block, |draft| {
            if !draft.placed {
                draft.block.pos = pos;
            }
        });
        block
    }

    /// The current block; a new one if there is none.
    pub(super) fn ensure_block(&mut self, pos: Pos) -> BlockId {
        match self.current {
            Some(block) => block,
            None => {
                let label = self.plain_label();
                self.start(label, pos)
            }
        }
    }

    /// Labels that are jumped to and nowhere declared.
    pub(super) fn missing_labels(&mut self) {
        let missing = self
            .labels
            .iter()
            .filter_map(|(name, block)| match self.blocks.at(*block) {
                Ok(draft) if draft.placed => None,
                Ok(draft) => {
                    let message = format!("undeclared label: {name}");
                    Some(Error::new(draft.block.pos, message))
                }
                Err(bug) => Some(bug.into()),
            });
        let mut missing: Vec<Error> = missing.collect();
        missing.sort_by_key(|e| (e.pos.line, e.pos.col));
        self.errors.extend(missing);
    }
}
