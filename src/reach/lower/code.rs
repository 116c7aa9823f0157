//! Code expressions: what `|{ … }|` means, as an ordinary expression.
//!
//! It is true when every way through its blocks that passes its assumptions returns true. The ways are walked one by
//! one with the values of the code's own variables put in, up to a limit. A call goes through the callee's body.

use std::collections::HashMap;
use std::convert::Infallible;

use super::Context;
use crate::boogie::ast::QuantKind;
use crate::boogie::typed::{
    BinOp, BlockId, BoogieType, ChainOp, CmdKind, CodeExpr, Jump, LocalId, Quantified, TypedBlock,
    TypedCall, TypedCmd, TypedExpr, TypedExprKind, TypedProcedure, TypedProgram, VariableRef,
};
use crate::ids::{Id, Table};
use crate::internal::Sure;
use crate::reach::error::{ReachError, Result, Unsupported};

/// How many ways, counted by the blocks on them, are walked.
const MAX_STEPS: usize = 2_000;

/// How deep blocks and calls may follow each other on a way.
const MAX_DEPTH: usize = 100;

type LocalValues = HashMap<LocalId, TypedExpr>;

/// The expression that a code expression means. `rewrite` is applied to each of its own expressions first; it takes
/// away the code expressions within. `number` is another for each, so that no variable is mistaken for one of an expression within.
pub(super) fn meaning(
    code: &CodeExpr,
    number: u32,
    context: &Context<'_>,
    rewrite: &mut dyn FnMut(&TypedExpr) -> Result<TypedExpr>,
) -> Result<TypedExpr> {
    let mut walker = Walker {
        code,
        number,
        context,
        rewrite,
        steps: 0,
        unknowns: Vec::new(),
        ways: Vec::new(),
    };
    let frame = CodeFrame {
        blocks: code.blocks.iter().map(|(b, v)| (b, v.as_ref())).collect(),
        callee: None,
        env: LocalValues::new(),
        block: BlockId::new(0),
        cmd: 0,
    };
    walker.walk(vec![frame], Vec::new(), 0)?;
    if walker.unknowns.len() > MOST_UNKNOWN as usize {
        return Err(walker.unsupported("a code expression with so many variables is not supported"));
    }
    let body = TypedExpr::bool(TypedExprKind::Chain(ChainOp::And, walker.ways));
    if walker.unknowns.is_empty() {
        return Ok(body);
    }
    Ok(TypedExpr::bool(TypedExprKind::Quantified(Box::new(
        Quantified {
            kind: QuantKind::Forall,
            pos: code.pos,
            type_params: Vec::new(),
            vars: walker.unknowns,
            triggers: Vec::new(),
            body,
        },
    ))))
}

/// Replaces the code expressions in functions and axioms of a program by what they mean.
///
/// # Errors
///
/// What a code expression there cannot have, such as a call.
pub(in crate::reach) fn without_code(program: &mut TypedProgram) -> Result<()> {
    let nothing = TypedProgram::default();
    let context = Context {
        program: &nothing,
        added: &[],
        may_fail: &Table::new(),
        loops: 0,
    };
    let bodies = program.functions.iter_mut().filter_map(|f| f.body.as_mut());
    let axioms = program.axioms.iter_mut().map(|a| &mut a.expr);
    let mut count = 0;
    for e in bodies.chain(axioms) {
        take_out(e, &context, &mut count)?;
    }
    Ok(())
}

/// Replaces the code expressions in an expression, of which `count` were replaced before.
fn take_out(e: &mut TypedExpr, context: &Context<'_>, count: &mut u32) -> Result<()> {
    e.change(&mut |e| {
        if let TypedExprKind::Code(code) = &e.kind {
            *count += 1;
            let number = *count;
            *e = meaning(code, number, context, &mut |e| {
                let mut e = e.clone();
                take_out(&mut e, context, count)?;
                Ok(e)
            })?;
        }
        Ok(())
    })
}

/// Where execution is in the code, or in a procedure that it calls.
#[derive(Clone)]
struct CodeFrame<'a> {
    blocks: Table<BlockId, (&'a TypedBlock, Option<&'a TypedExpr>)>,
    /// The procedure and its call; none for the code itself.
    callee: Option<(&'a TypedProcedure, &'a TypedCall)>,
    env: LocalValues,
    block: BlockId,
    cmd: usize,
}

struct Walker<'a, 'r> {
    code: &'a CodeExpr,
    number: u32,
    context: &'a Context<'a>,
    rewrite: &'r mut dyn FnMut(&TypedExpr) -> Result<TypedExpr>,
    steps: usize,
    /// Variables that stand for arbitrary values.
    unknowns: Vec<(u32, BoogieType)>,
    ways: Vec<TypedExpr>,
}

/// Numbers of bound variables that no checked program reaches.
const FIRST_UNKNOWN: u32 = 1 << 30;

/// How many of them a code expression may have.
const MOST_UNKNOWN: u32 = 1 << 14;

impl<'a> Walker<'a, '_> {
    fn unsupported(&self, what: &str) -> ReachError {
        Unsupported::new(self.code.pos, what).into()
    }

    fn unknown(&mut self, ty: &BoogieType) -> TypedExpr {
        let number = FIRST_UNKNOWN
            + self.number.wrapping_mul(MOST_UNKNOWN) % (1 << 29)
            + self.unknowns.len() as u32;
        self.unknowns.push((number, ty.clone()));
        TypedExpr {
            kind: TypedExprKind::Bound(number),
            ty: ty.clone(),
        }
    }

    fn walk(
        &mut self,
        mut frames: Vec<CodeFrame<'a>>,
        mut assumed: Vec<TypedExpr>,
        depth: usize,
    ) -> Result<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS || depth > MAX_DEPTH {
            return Err(self.unsupported(
                "a code expression with a loop, or too many ways through it, is not supported",
            ));
        }
        let mut frame = frames.pop().sure()?;
        let (block, value) = *frame.blocks.at(frame.block)?;
        while let Some(cmd) = block.cmds.get(frame.cmd) {
            frame.cmd += 1;
            if let CmdKind::Call(call) = &cmd.kind {
                let inner = self.called(call, &mut frame)?;
                frames.push(frame);
                frames.push(inner);
                return self.walk(frames, assumed, depth + 1);
            }
            self.command(cmd, &mut frame, &mut assumed)?;
        }
        match &block.jump {
            Jump::Goto(targets) => {
                for target in targets {
                    let mut next = frames.clone();
                    next.push(CodeFrame {
                        block: *target,
                        cmd: 0,
                        ..frame.clone()
                    });
                    self.walk(next, assumed.clone(), depth + 1)?;
                }
            }
            Jump::Return(_) => match (frame.callee, frames.last_mut()) {
                (Some((callee, call)), Some(caller)) => {
                    self.returned(callee, call, &mut frame.env, caller)?;
                    self.walk(frames, assumed, depth + 1)?;
                }
                _ => {
                    if let Some(value) = value {
                        let value = self.value(value, &mut frame)?;
                        let assumed = TypedExpr::bool(TypedExprKind::Chain(ChainOp::And, assumed));
                        let way = TypedExprKind::Binary(
                            BinOp::Implies,
                            Box::new(assumed),
                            Box::new(value),
                        );
                        self.ways.push(TypedExpr::bool(way));
                    }
                }
            },
        }
        Ok(())
    }

    fn command(
        &mut self,
        cmd: &TypedCmd,
        frame: &mut CodeFrame<'a>,
        assumed: &mut Vec<TypedExpr>,
    ) -> Result<()> {
        match &cmd.kind {
            CmdKind::Assume(e) | CmdKind::Assert(e, _) => assumed.push(self.value(e, frame)?),
            CmdKind::Assign(pairs) => {
                let mut values = Vec::new();
                for (var, e) in pairs {
                    values.push((self.own(*var, frame)?, self.value(e, frame)?));
                }
                frame.env.extend(values);
            }
            CmdKind::Havoc(vars) => {
                for var in vars {
                    let own = self.own(*var, frame)?;
                    frame.env.remove(&own);
                }
            }
            CmdKind::Call(_) => {}
        }
        Ok(())
    }

    /// The beginning of a procedure that is called.
    fn called(&mut self, call: &'a TypedCall, frame: &mut CodeFrame<'a>) -> Result<CodeFrame<'a>> {
        // Outside procedures there are none to be called.
        let callee = self.context.procedure(call.callee).ok();
        let body = callee.and_then(|p| Some((p, p.body.as_ref()?)));
        let Some((callee, body)) = body else {
            return Err(self.unsupported(
                "a call in a code expression, of a procedure without a body, is not supported",
            ));
        };
        let bare = callee.requires.is_empty()
            && callee.ensures.is_empty()
            && callee
                .vars
                .iter()
                .all(|v| v.where_.is_none() && !v.assumption);
        if !bare {
            return Err(self.unsupported(
                "a call in a code expression, of a procedure with a contract, is not supported",
            ));
        }
        let mut env = LocalValues::new();
        for (i, arg) in callee.params().zip(&call.args) {
            if let Some(arg) = arg {
                env.insert(i, self.value(arg, frame)?);
            }
        }
        Ok(CodeFrame {
            blocks: body.blocks.iter().map(|b| (b, None)).collect(),
            callee: Some((callee, call)),
            env,
            block: BlockId::new(0),
            cmd: 0,
        })
    }

    /// Gives the results of a call to the caller's variables.
    fn returned(
        &mut self,
        callee: &TypedProcedure,
        call: &TypedCall,
        env: &mut LocalValues,
        caller: &mut CodeFrame<'a>,
    ) -> Result<()> {
        for (i, out) in callee.results().zip(&call.outs) {
            let Some(out) = out else {
                continue;
            };
            let value = match env.get(&i) {
                Some(value) => value.clone(),
                None => self.unknown(&callee.vars.at(i)?.ty),
            };
            let own = self.own(*out, caller)?;
            caller.env.insert(own, value);
        }
        Ok(())
    }

    fn is_own(&self, local: LocalId, frame: &CodeFrame<'a>) -> bool {
        frame.callee.is_some() || self.code.locals.contains(&local)
    }

    /// The number of a variable that belongs to the code, or to the procedure it calls.
    fn own(&self, var: VariableRef, frame: &CodeFrame<'a>) -> Result<LocalId> {
        match var {
            VariableRef::Local(i) if self.is_own(i, frame) => Ok(i),
            _ => Err(self.unsupported(
                "a code expression that assigns a variable from outside is not supported",
            )),
        }
    }

    /// The expression with the frame's own variables replaced by their values.
    fn value(&mut self, expr: &TypedExpr, frame: &mut CodeFrame<'a>) -> Result<TypedExpr> {
        let expr = match frame.callee {
            None => (self.rewrite)(expr)?,
            Some(_) => in_callee(expr),
        };
        let mut left = false;
        expr.visit(&mut |e| left |= matches!(e.kind, TypedExprKind::Code(_)));
        if left {
            return Err(self.unsupported(
                "a call in a code expression, of a procedure with another code expression, is not supported",
            ));
        }
        let mut used: Vec<(LocalId, BoogieType)> = Vec::new();
        expr.visit(&mut |e| {
            if let TypedExprKind::Var(VariableRef::Local(i)) = e.kind
                && !used.iter().any(|(u, _)| *u == i)
            {
                used.push((i, e.ty.clone()));
            }
        });
        used.retain(|(i, _)| self.is_own(*i, frame));
        for (i, ty) in &used {
            if !frame.env.contains_key(i) {
                let unknown = self.unknown(ty);
                frame.env.insert(*i, unknown);
            }
        }
        Ok(substitute(&expr, &frame.env))
    }
}

/// An expression of a procedure that is called. Nothing it calls changes a global variable, so old values are the present
/// ones.
fn in_callee(expr: &TypedExpr) -> TypedExpr {
    let mut expr = expr.clone();
    let done: Result<(), Infallible> = expr.change(&mut |e| {
        if let TypedExprKind::Old(global) = e.kind {
            e.kind = TypedExprKind::Var(VariableRef::Global(global));
        }
        Ok(())
    });
    match done {
        Ok(()) => expr,
    }
}

fn substitute(expr: &TypedExpr, env: &LocalValues) -> TypedExpr {
    let mut expr = expr.clone();
    let replaced: Result<(), Infallible> = expr.change(&mut |e| {
        if let TypedExprKind::Var(VariableRef::Local(i)) = &e.kind
            && let Some(value) = env.get(i)
        {
            *e = value.clone();
        }
        Ok(())
    });
    match replaced {
        Ok(()) => expr,
    }
}
