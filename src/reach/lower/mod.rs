//! Procedures of the text as control-flow graphs, with contracts, where clauses and failing assertions made explicit.
//!
//! An assertion is a branch: on with what it says assumed, or out of the procedure with the *error result* set.
//! A call of a procedure that may fail branches on its error result in the same way (Corral's error bit, without
//! a global variable). A procedure without a body gets one: its results and `modifies` are arbitrary, its
//! postconditions hold.

mod code;
mod command;
mod preconditions;

pub(super) use code::without_code;

use super::graph::{Cmd, Failure, Node, Proc, Simple, Unsupported};
use crate::boogie::ast::Pos;
use crate::boogie::typed::{BinOp, CmdKind, Expr, ExprKind, Procedure, Program, Type, Var};

/// What makes a procedure of the text special.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
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
    pub program: &'a Program,
    /// Procedures added to it.
    pub added: &'a [Procedure],
    /// Which procedures may fail, by number.
    pub may_fail: &'a [bool],
    /// How many loops of the program's procedures are numbered between those and the added ones.
    pub shift: usize,
}

impl<'a> Context<'a> {
    /// The procedure of that number.
    pub fn procedure(&self, index: usize) -> Option<&'a Procedure> {
        match index.checked_sub(self.program.procedures.len()) {
            None => self.program.procedures.get(index),
            Some(i) => self.added.get(i),
        }
    }
}

/// Which procedures may fail: those with something to check, and those that call them. `known` are those of the
/// program, if `added` are asked about.
pub fn may_fail(program: &Program, added: &[Procedure], known: &[bool]) -> Vec<bool> {
    let all: Vec<&Procedure> = program.procedures.iter().chain(added).collect();
    let checks = |p: &Procedure| {
        p.requires.iter().any(|c| !c.free) || p.body.is_some() && p.ensures.iter().any(|c| !c.free)
    };
    let mut fail: Vec<bool> = known.to_vec();
    for p in all.iter().skip(known.len()) {
        let asserts = cmds(p).any(|c| matches!(&c.kind, CmdKind::Assert(..)));
        fail.push(asserts || checks(p));
    }
    loop {
        let mut changed = false;
        for (i, p) in all.iter().enumerate().skip(known.len()) {
            let calls_failing = || {
                cmds(p).any(|c| match &c.kind {
                    CmdKind::Call(call) => fail.get(call.callee).copied().unwrap_or(false),
                    _ => false,
                })
            };
            if fail.get(i) == Some(&false) && calls_failing() {
                if let Some(slot) = fail.get_mut(i) {
                    *slot = true;
                }
                changed = true;
            }
        }
        if !changed {
            return fail;
        }
    }
}

fn cmds(p: &Procedure) -> impl Iterator<Item = &crate::boogie::typed::Cmd> {
    p.body.iter().flat_map(|b| &b.blocks).flat_map(|b| &b.cmds)
}

/// The graph of a procedure.
///
/// # Errors
///
/// A construct that the engine cannot do.
pub fn lower(context: &Context<'_>, index: usize, mode: Mode) -> Result<Proc, Unsupported> {
    let Some(procedure) = context.procedure(index) else {
        return Err(Unsupported::new(
            Pos::default(),
            "there is no such procedure",
        ));
    };
    if !procedure.type_params.is_empty() {
        return Err(Unsupported::new(
            procedure.pos,
            format!(
                "{}: a procedure with type parameters is not supported",
                procedure.name
            ),
        ));
    }
    let fails = match mode {
        Mode::Callee => context.may_fail.get(index).copied().unwrap_or(true),
        Mode::Entry => true,
        Mode::EntryToEnd => false,
    };
    let mut vars: Vec<(String, Type)> = procedure
        .vars
        .iter()
        .map(|v| (v.name.clone(), v.ty.clone()))
        .collect();
    let mut outs: Vec<usize> = (procedure.ins..procedure.ins + procedure.outs).collect();
    let error = fails.then(|| {
        vars.push(("error".into(), Type::Bool));
        vars.len() - 1
    });
    outs.extend(error);
    let mut lowering = Lowering {
        context,
        procedure,
        mode,
        proc: Proc {
            name: procedure.name.clone(),
            is_loop: false,
            extra_bound: procedure.extra_bound,
            vars,
            ins: (0..procedure.ins).collect(),
            outs,
            error,
            nodes: Vec::new(),
            exit: 0,
        },
        olds: Vec::new(),
        codes: 0,
    };
    lowering.run()?;
    Ok(lowering.proc)
}

pub(super) struct Lowering<'a> {
    context: &'a Context<'a>,
    procedure: &'a Procedure,
    mode: Mode,
    proc: Proc,
    /// Globals whose value at the beginning is wanted, and the local variables that hold it.
    olds: Vec<(usize, usize)>,
    /// How many code expressions there were.
    codes: u32,
}

pub(super) fn local(index: usize, ty: Type) -> Expr {
    Expr {
        kind: ExprKind::Var(Var::Local(index)),
        ty,
    }
}

fn truth(value: bool) -> Expr {
    Expr::bool(ExprKind::Bool(value))
}

fn negated(e: Expr) -> Expr {
    Expr::bool(ExprKind::Not(Box::new(e)))
}

impl Lowering<'_> {
    fn node(&mut self, pos: Pos) -> usize {
        self.proc.nodes.push(Node {
            pos,
            ..Node::default()
        });
        self.proc.nodes.len() - 1
    }

    pub(super) fn cmd(&mut self, node: usize, pos: Option<Pos>, kind: Simple) {
        if let Some(n) = self.proc.nodes.get_mut(node) {
            n.cmds.push(Cmd { pos, kind });
        }
    }

    pub(super) fn assume(&mut self, node: usize, expr: Expr) {
        self.cmd(node, None, Simple::Assume(expr));
    }

    fn edge(&mut self, from: usize, to: usize) {
        if let Some(n) = self.proc.nodes.get_mut(from) {
            n.succs.push(to);
        }
    }

    pub(super) fn fresh(&mut self, name: &str, ty: Type) -> usize {
        self.proc.vars.push((name.into(), ty));
        self.proc.vars.len() - 1
    }

    fn run(&mut self) -> Result<(), Unsupported> {
        let procedure = self.procedure;
        let entry = self.node(procedure.pos);
        let exit = self.node(procedure.pos);
        let returns = self.node(procedure.body.as_ref().map_or(procedure.pos, |b| b.end));
        self.proc.exit = exit;
        self.wheres_at_entry(entry)?;
        let mut at = entry;
        for requires in &procedure.requires {
            let e = self.expr(&requires.expr)?;
            at = match self.mode == Mode::Callee && !requires.free {
                true => {
                    let failure = Failure::Requires(requires.pos, requires.text.clone());
                    self.check(at, requires.pos, e, failure)
                }
                false => {
                    self.assume(at, e);
                    at
                }
            };
        }
        match &procedure.body {
            Some(body) => {
                let blocks: Vec<usize> = body.blocks.iter().map(|b| self.node(b.pos)).collect();
                for (block, node) in body.blocks.iter().zip(&blocks) {
                    self.block(block, *node, &blocks, returns)?;
                }
                if let Some(first) = blocks.first() {
                    self.edge(at, *first);
                }
            }
            None => {
                let outs = procedure.ins..procedure.ins + procedure.outs;
                let globals = procedure.modifies.iter().map(|g| Var::Global(*g));
                let havoced: Vec<Var> = outs.map(Var::Local).chain(globals).collect();
                self.havoc(at, None, &havoced)?;
                if let Some(first_thread) = thread_id(procedure) {
                    self.assume(at, first_thread);
                }
                self.edge(at, returns);
            }
        }
        self.returns(returns, exit)?;
        self.save_olds(entry);
        Ok(())
    }

    /// Where clauses of what has its first value at the entry.
    fn wheres_at_entry(&mut self, entry: usize) -> Result<(), Unsupported> {
        for global in &self.context.program.globals {
            if let Some(e) = &global.where_ {
                let e = self.expr(e)?;
                self.assume(entry, e);
            }
        }
        for (i, var) in self.procedure.vars.iter().enumerate() {
            if let Some(e) = &var.where_ {
                let e = self.expr(e)?;
                self.assume(entry, e);
            }
            if var.assumption {
                self.assume(entry, local(i, Type::Bool));
            }
        }
        Ok(())
    }

    fn save_olds(&mut self, entry: usize) {
        let saved: Vec<(Var, Expr)> = self
            .olds
            .iter()
            .filter_map(|(global, old)| {
                let ty = self.proc.vars.get(*old)?.1.clone();
                let value = Expr {
                    kind: ExprKind::Var(Var::Global(*global)),
                    ty,
                };
                Some((Var::Local(*old), value))
            })
            .collect();
        if let (false, Some(n)) = (saved.is_empty(), self.proc.nodes.get_mut(entry)) {
            let kind = Simple::Assign(saved);
            n.cmds.insert(0, Cmd { pos: None, kind });
        }
    }

    /// Postconditions, then the end.
    fn returns(&mut self, returns: usize, exit: usize) -> Result<(), Unsupported> {
        let procedure = self.procedure;
        let mut at = returns;
        for ensures in &procedure.ensures {
            let e = self.expr(&ensures.expr)?;
            at = match procedure.body.is_some() && !ensures.free {
                true => {
                    let failure = Failure::Ensures(ensures.pos, ensures.text.clone());
                    self.check(at, ensures.pos, e, failure)
                }
                false => {
                    self.assume(at, e);
                    at
                }
            };
        }
        if self.mode == Mode::Entry {
            return Ok(());
        }
        if let Some(error) = self.proc.error {
            self.cmd(
                at,
                None,
                Simple::Assign(vec![(Var::Local(error), truth(false))]),
            );
        }
        self.edge(at, exit);
        Ok(())
    }

    /// Checks a condition at the end of `node`; the node where it goes on.
    pub(super) fn check(
        &mut self,
        node: usize,
        pos: Pos,
        condition: Expr,
        failure: Failure,
    ) -> usize {
        if self.proc.error.is_none() {
            self.assume(node, condition);
            return node;
        }
        let fail = self.fail(node, pos, failure);
        self.assume(fail, negated(condition.clone()));
        let ok = self.node(pos);
        self.assume(ok, condition);
        self.edge(node, ok);
        ok
    }

    /// A successor of `node` where the procedure fails.
    fn fail(&mut self, node: usize, pos: Pos, failure: Failure) -> usize {
        let fail = self.node(pos);
        self.edge(node, fail);
        if let Some(error) = self.proc.error {
            let set = vec![(Var::Local(error), truth(true))];
            self.cmd(fail, None, Simple::Assign(set));
        }
        let exit = self.proc.exit;
        self.edge(fail, exit);
        if let Some(n) = self.proc.nodes.get_mut(fail) {
            n.failure = Some(failure);
        }
        fail
    }

    /// The expression with `old` values replaced by the local variables that hold them, and code expressions by what
    /// they mean.
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Expr, Unsupported> {
        let mut needs = false;
        expr.visit(&mut |e| needs |= matches!(e.kind, ExprKind::Old(_) | ExprKind::Code(_)));
        if !needs {
            return Ok(expr.clone());
        }
        self.rewrite(expr)
    }

    fn old(&mut self, global: usize, ty: &Type) -> usize {
        if let Some((_, old)) = self.olds.iter().find(|(g, _)| *g == global) {
            return *old;
        }
        let old = self.fresh("old", ty.clone());
        self.olds.push((global, old));
        old
    }

    fn rewrite(&mut self, expr: &Expr) -> Result<Expr, Unsupported> {
        let mut expr = expr.clone();
        expr.change(&mut |e| {
            if let ExprKind::Old(global) = e.kind {
                e.kind = ExprKind::Var(Var::Local(self.old(global, &e.ty)));
            }
            if let ExprKind::Code(code) = &e.kind {
                let context = self.context;
                self.codes += 1;
                let number = self.codes;
                *e = code::meaning(code, number, context, &mut |e| self.rewrite(e))?;
            }
            Ok(())
        })?;
        Ok(expr)
    }
}

/// What Corral's own `corral_getThreadID` returns in a program with one thread.
fn thread_id(procedure: &Procedure) -> Option<Expr> {
    let var = procedure.vars.get(procedure.ins)?;
    if procedure.name != "corral_getThreadID" || procedure.outs != 1 || var.ty != Type::Int {
        return None;
    }
    let one = Expr {
        kind: ExprKind::Int(1.into()),
        ty: Type::Int,
    };
    Some(equal(local(procedure.ins, Type::Int), one))
}

/// An equality of two expressions.
pub(super) fn equal(l: Expr, r: Expr) -> Expr {
    Expr::bool(ExprKind::Binary(BinOp::Eq, Box::new(l), Box::new(r)))
}
