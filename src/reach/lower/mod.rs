//! Procedures of the text as control-flow graphs, with contracts, where clauses and failing assertions made explicit.
//!
//! An assertion is a branch: on with what it says assumed, or out of the procedure with the *error result* set.
//! A call of a procedure that may fail branches on its error result in the same way (Corral's error bit, without
//! a global variable). A procedure without a body gets one: its results and `modifies` are arbitrary, its
//! postconditions hold.

mod code;
mod command;
mod preconditions;
mod summary;

pub(super) use code::without_code;

use super::error::{ReachError, Result, Unsupported};
use super::faults::{self, Fault};
use super::graph::{Cmd, FailedCheck, GraphNode, LocalVar, NodeId, Proc, ProcId, Simple, local};
use crate::boogie::ast::Pos;
use crate::boogie::typed::{
    self, BinOp, BlockId, BoogieType, CmdKind, GlobalId, LocalId, ProcedureId, TypedExpr,
    TypedExprKind, TypedProcedure, TypedProgram, VariableRef,
};
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure};

/// What makes a procedure of the text special.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcedureMode {
    /// It is called: its preconditions are checked, and it may return or fail.
    Callee,
    /// It is the entry, and the question is whether it can fail: preconditions are assumed, normal returns are no
    /// concern.
    Entry,
    /// It is the entry, and the question is whether it can return; assertions are assumptions (Boogie's own
    /// stratified inlining).
    EntryToEnd,
}

/// What is known of all procedures before they are lowered.
pub struct Context<'a> {
    /// The program.
    pub program: &'a TypedProgram,
    /// Procedures added to it.
    pub added: &'a [TypedProcedure],
    /// Which procedures may fail.
    pub may_fail: &'a Table<ProcedureId, bool>,
    /// How many loops of the program's procedures are numbered between those and the added ones.
    pub loops: usize,
}

impl<'a> Context<'a> {
    /// The procedure of that number.
    ///
    /// # Errors
    ///
    /// There is none, which cannot be.
    pub fn procedure(&self, id: ProcedureId) -> Result<&'a TypedProcedure, Internal> {
        match id.index().checked_sub(self.program.procedures.len()) {
            None => self.program.procedures.at(id),
            Some(i) => self.added.get(i).sure(),
        }
    }

    /// The number of a procedure's graph: behind those of the program come those of its loops, then those that are added.
    pub fn graph_of(&self, id: ProcedureId) -> ProcId {
        let added = id.index() >= self.program.procedures.len();
        ProcId::new(id.index() + if added { self.loops } else { 0 })
    }
}

/// Which procedures may fail: those with something to check, and those that call them. `known` are those of the
/// program, if `added` are asked about.
///
/// # Errors
///
/// A call of a procedure that is not there, which cannot be.
pub fn may_fail(
    program: &TypedProgram,
    added: &[TypedProcedure],
    known: &Table<ProcedureId, bool>,
) -> Result<Table<ProcedureId, bool>, Internal> {
    let all: Vec<&TypedProcedure> = program.procedures.iter().chain(added).collect();
    let checks = |p: &TypedProcedure| {
        p.requires.iter().any(|c| !c.free) || p.body.is_some() && p.ensures.iter().any(|c| !c.free)
    };
    let mut fail = known.clone();
    for p in all.iter().skip(known.len()) {
        let asserts = cmds(p).any(|c| matches!(&c.kind, CmdKind::Assert(..)));
        fail.push(asserts || checks(p));
    }
    let mut callers: Table<ProcedureId, Vec<ProcedureId>> = Table::like(&fail, Vec::new());
    for (i, p) in all.iter().enumerate().skip(known.len()) {
        for cmd in cmds(p) {
            if let CmdKind::Call(call) = &cmd.kind {
                callers.at_mut(call.callee)?.push(ProcedureId::new(i));
            }
        }
    }
    let mut work: Vec<ProcedureId> = fail.pairs().filter(|(_, f)| **f).map(|(p, _)| p).collect();
    while let Some(callee) = work.pop() {
        for caller in callers.at(callee)? {
            let fails = fail.at_mut(*caller)?;
            if !std::mem::replace(fails, true) {
                work.push(*caller);
            }
        }
    }
    Ok(fail)
}

fn cmds(p: &TypedProcedure) -> impl Iterator<Item = &typed::TypedCmd> {
    p.body.iter().flat_map(|b| &b.blocks).flat_map(|b| &b.cmds)
}

/// The graph of a procedure.
///
/// # Errors
///
/// A construct that the engine cannot do.
pub fn lower(context: &Context<'_>, id: ProcedureId, mode: ProcedureMode) -> Result<Proc> {
    let procedure = context.procedure(id)?;
    if !procedure.type_params.is_empty() {
        let what = "a procedure with type parameters is not supported";
        let what = format!("{}: {what}", procedure.name);
        return Err(Unsupported::new(procedure.pos, what).into());
    }
    let fails = match mode {
        ProcedureMode::Callee => *context.may_fail.at(id)?,
        ProcedureMode::Entry => true,
        ProcedureMode::EntryToEnd => false,
    };
    let vars = procedure.vars.iter().map(|v| LocalVar {
        name: v.name.clone(),
        ty: v.ty.clone(),
    });
    let mut proc = Proc {
        name: procedure.name.clone(),
        extra_bound: procedure.extra_bound,
        vars: vars.collect(),
        ins: procedure.params().collect(),
        outs: procedure.results().collect(),
        ..Proc::empty()
    };
    proc.error = fails.then(|| proc.fresh("error", BoogieType::Bool));
    proc.outs.extend(proc.error);
    let mut lowering = Lowering {
        context,
        procedure,
        mode,
        proc,
        olds: Vec::new(),
        codes: 0,
    };
    lowering.run()?;
    Ok(lowering.proc)
}

pub(super) struct Lowering<'a> {
    context: &'a Context<'a>,
    procedure: &'a TypedProcedure,
    mode: ProcedureMode,
    proc: Proc,
    /// Globals whose value at the beginning is wanted, and the local variables that hold it.
    olds: Vec<(GlobalId, LocalId)>,
    /// How many code expressions there were.
    codes: u32,
}

fn truth(value: bool) -> TypedExpr {
    TypedExpr::bool(TypedExprKind::Bool(value))
}

fn negated(e: TypedExpr) -> TypedExpr {
    TypedExpr::bool(TypedExprKind::Not(Box::new(e)))
}

impl Lowering<'_> {
    fn node(&mut self, pos: Pos) -> NodeId {
        self.proc.nodes.push(GraphNode {
            pos,
            ..GraphNode::default()
        })
    }

    fn cmd(&mut self, node: NodeId, pos: Option<Pos>, kind: Simple) -> Result<(), Internal> {
        self.proc.nodes.at_mut(node)?.cmds.push(Cmd { pos, kind });
        Ok(())
    }

    fn assume(&mut self, node: NodeId, expr: TypedExpr) -> Result<(), Internal> {
        self.cmd(node, None, Simple::Assume(expr))
    }

    fn edge(&mut self, from: NodeId, to: NodeId) -> Result<(), Internal> {
        let to = faults::at(Fault::EdgeToNowhere, to, |_| NodeId::new(9_999));
        self.proc.nodes.at_mut(from)?.succs.push(to);
        Ok(())
    }

    fn run(&mut self) -> Result<()> {
        let procedure = self.procedure;
        let entry = self.node(procedure.pos);
        let exit = self.node(procedure.pos);
        let returns = self.node(procedure.body.as_ref().map_or(procedure.pos, |b| b.end));
        self.proc.exit = exit;
        self.wheres_at_entry(entry)?;
        let mut at = entry;
        for requires in &procedure.requires {
            let e = self.expr(&requires.expr)?;
            at = match self.mode == ProcedureMode::Callee && !requires.free {
                true => {
                    let failure = FailedCheck::Requires(requires.pos, requires.text.clone());
                    self.check(at, requires.pos, e, failure)?
                }
                false => {
                    self.assume(at, e)?;
                    at
                }
            };
        }
        match &procedure.body {
            Some(body) => {
                let blocks: Table<BlockId, NodeId> =
                    body.blocks.iter().map(|b| self.node(b.pos)).collect();
                for (block, node) in body.blocks.iter().zip(&blocks) {
                    self.block(block, *node, &blocks, returns)?;
                }
                self.edge(at, *blocks.at(BlockId::new(0))?)?;
            }
            None => {
                let globals = procedure.modifies.iter().map(|g| VariableRef::Global(*g));
                let outs = procedure.results().map(VariableRef::Local);
                let havoced: Vec<VariableRef> = outs.chain(globals).collect();
                self.havoc(at, None, &havoced)?;
                if let Some(first_thread) = thread_id(procedure)? {
                    self.assume(at, first_thread)?;
                }
                self.edge(at, returns)?;
            }
        }
        self.returns(returns, exit)?;
        Ok(self.save_olds(entry)?)
    }

    /// Where clauses of what has its first value at the entry.
    fn wheres_at_entry(&mut self, entry: NodeId) -> Result<()> {
        for global in &self.context.program.globals {
            if let Some(e) = &global.where_ {
                let e = self.expr(e)?;
                self.assume(entry, e)?;
            }
        }
        for (i, var) in self.procedure.vars.pairs() {
            if let Some(e) = &var.where_ {
                let e = self.expr(e)?;
                self.assume(entry, e)?;
            }
            if var.assumption {
                self.assume(entry, local(i, BoogieType::Bool))?;
            }
        }
        Ok(())
    }

    fn save_olds(&mut self, entry: NodeId) -> Result<(), Internal> {
        let mut saved: Vec<(VariableRef, TypedExpr)> = Vec::new();
        for (global, old) in &self.olds {
            let ty = self.proc.vars.at(*old)?.ty.clone();
            let kind = TypedExprKind::Var(VariableRef::Global(*global));
            saved.push((VariableRef::Local(*old), TypedExpr { kind, ty }));
        }
        if !saved.is_empty() {
            let cmds = &mut self.proc.nodes.at_mut(entry)?.cmds;
            cmds.insert(0, Cmd::unsaid(Simple::Assign(saved)));
        }
        Ok(())
    }

    /// Postconditions, then the end.
    fn returns(&mut self, returns: NodeId, exit: NodeId) -> Result<()> {
        let procedure = self.procedure;
        let mut at = returns;
        for ensures in &procedure.ensures {
            let e = self.expr(&ensures.expr)?;
            at = match procedure.body.is_some() && !ensures.free {
                true => {
                    let failure = FailedCheck::Ensures(ensures.pos, ensures.text.clone());
                    self.check(at, ensures.pos, e, failure)?
                }
                false => {
                    self.assume(at, e)?;
                    at
                }
            };
        }
        if self.mode == ProcedureMode::Entry {
            return Ok(());
        }
        if let Some(error) = self.proc.error {
            let reset = vec![(VariableRef::Local(error), truth(false))];
            self.cmd(at, None, Simple::Assign(reset))?;
        }
        Ok(self.edge(at, exit)?)
    }

    /// Checks a condition at the end of `node`; the node where it goes on.
    fn check(
        &mut self,
        node: NodeId,
        pos: Pos,
        condition: TypedExpr,
        failure: FailedCheck,
    ) -> Result<NodeId, Internal> {
        if self.proc.error.is_none() {
            self.assume(node, condition)?;
            return Ok(node);
        }
        let fail = self.fail(node, pos, failure)?;
        self.assume(fail, negated(condition.clone()))?;
        let ok = self.node(pos);
        self.assume(ok, condition)?;
        self.edge(node, ok)?;
        Ok(ok)
    }

    /// A successor of `node` where the procedure fails.
    fn fail(&mut self, node: NodeId, pos: Pos, failure: FailedCheck) -> Result<NodeId, Internal> {
        let fail = self.node(pos);
        self.edge(node, fail)?;
        let set = vec![(VariableRef::Local(self.proc.error.sure()?), truth(true))];
        self.cmd(fail, None, Simple::Assign(set))?;
        let exit = self.proc.exit;
        self.edge(fail, exit)?;
        self.proc.nodes.at_mut(fail)?.failure = Some(failure);
        Ok(fail)
    }

    /// The expression with `old` values replaced by the local variables that hold them, and code expressions by what
    /// they mean.
    fn expr(&mut self, expr: &TypedExpr) -> Result<TypedExpr> {
        let mut needs = false;
        expr.visit(&mut |e| {
            needs |= matches!(e.kind, TypedExprKind::Old(_) | TypedExprKind::Code(_))
        });
        if !needs {
            return Ok(expr.clone());
        }
        self.rewrite(expr)
    }

    fn old(&mut self, global: GlobalId, ty: &BoogieType) -> LocalId {
        if let Some((_, old)) = self.olds.iter().find(|(g, _)| *g == global) {
            return *old;
        }
        let old = self.proc.fresh("old", ty.clone());
        self.olds.push((global, old));
        old
    }

    fn rewrite(&mut self, expr: &TypedExpr) -> Result<TypedExpr> {
        let mut expr = expr.clone();
        expr.change(&mut |e| {
            if let TypedExprKind::Old(global) = e.kind {
                e.kind = TypedExprKind::Var(VariableRef::Local(self.old(global, &e.ty)));
            }
            if let TypedExprKind::Code(code) = &e.kind {
                let context = self.context;
                self.codes += 1;
                let number = self.codes;
                *e = code::meaning(code, number, context, &mut |e| self.rewrite(e))?;
            }
            Ok::<(), ReachError>(())
        })?;
        Ok(expr)
    }
}

/// What Corral's own `corral_getThreadID` returns in a program with one thread.
fn thread_id(procedure: &TypedProcedure) -> Result<Option<TypedExpr>, Internal> {
    let Some(result) = procedure.results().next() else {
        return Ok(None);
    };
    let is_int = procedure.vars.at(result)?.ty == BoogieType::Int;
    if procedure.name != "corral_getThreadID" || procedure.outs != 1 || !is_int {
        return Ok(None);
    }
    let one = TypedExpr {
        kind: TypedExprKind::Int(1.into()),
        ty: BoogieType::Int,
    };
    Ok(Some(equal(local(result, BoogieType::Int), one)))
}

/// An equality of two expressions.
pub(super) fn equal(l: TypedExpr, r: TypedExpr) -> TypedExpr {
    TypedExpr::bool(TypedExprKind::Binary(BinOp::Eq, Box::new(l), Box::new(r)))
}
