//! Code expressions: what `|{ … }|` means, as an ordinary expression.
//!
//! It is true when every way through its blocks that passes its assumptions returns true. The ways are walked one by
//! one with the values of the code's own variables put in, up to a limit.

use std::collections::HashMap;
use std::convert::Infallible;

use super::graph::Unsupported;
use crate::boogie::ast::QuantKind;
use crate::boogie::typed::{
    BinOp, ChainOp, CmdKind, Code, Expr, ExprKind, Jump, Quantified, Type, Var,
};

/// How many ways, counted by the blocks on them, are walked.
const MAX_STEPS: usize = 2_000;

type Env = HashMap<usize, Expr>;

/// The expression that a code expression means. `rewrite` is applied to each of its expressions first.
pub(super) fn meaning(
    code: &Code,
    rewrite: &mut dyn FnMut(&Expr) -> Result<Expr, Unsupported>,
) -> Result<Expr, Unsupported> {
    let mut walker = Walker {
        code,
        rewrite,
        steps: 0,
        unknowns: Vec::new(),
        ways: Vec::new(),
    };
    walker.walk(0, Env::new(), Vec::new(), 0)?;
    let body = Expr::bool(ExprKind::Chain(ChainOp::And, walker.ways));
    if walker.unknowns.is_empty() {
        return Ok(body);
    }
    Ok(Expr::bool(ExprKind::Quantified(Box::new(Quantified {
        kind: QuantKind::Forall,
        pos: code.pos,
        type_params: Vec::new(),
        vars: walker.unknowns,
        triggers: Vec::new(),
        body,
    }))))
}

struct Walker<'a> {
    code: &'a Code,
    rewrite: &'a mut dyn FnMut(&Expr) -> Result<Expr, Unsupported>,
    steps: usize,
    /// Variables that stand for arbitrary values.
    unknowns: Vec<(u32, Type)>,
    ways: Vec<Expr>,
}

/// Numbers of bound variables that no checked program reaches.
const FIRST_UNKNOWN: u32 = 1 << 30;

impl Walker<'_> {
    fn unsupported(&self, what: &str) -> Unsupported {
        Unsupported::new(self.code.pos, what)
    }

    fn unknown(&mut self, ty: &Type) -> Expr {
        let number = FIRST_UNKNOWN
            + self.code.pos.line.wrapping_mul(1 << 10) % (1 << 29)
            + self.unknowns.len() as u32;
        self.unknowns.push((number, ty.clone()));
        Expr {
            kind: ExprKind::Bound(number),
            ty: ty.clone(),
        }
    }

    fn walk(
        &mut self,
        block: usize,
        mut env: Env,
        mut assumed: Vec<Expr>,
        depth: usize,
    ) -> Result<(), Unsupported> {
        self.steps += 1;
        if self.steps > MAX_STEPS || depth > self.code.blocks.len() || depth > 100 {
            return Err(self.unsupported(
                "a code expression with a loop, or too many ways through it, is not supported",
            ));
        }
        let code = self.code;
        let Some((block, value)) = code.blocks.get(block) else {
            return Ok(());
        };
        for cmd in &block.cmds {
            match &cmd.kind {
                CmdKind::Assume(e) | CmdKind::Assert(e, _) => {
                    let e = self.value(e, &mut env)?;
                    assumed.push(e);
                }
                CmdKind::Assign(pairs) => {
                    let mut values = Vec::new();
                    for (var, e) in pairs {
                        values.push((self.own(*var)?, self.value(e, &mut env)?));
                    }
                    env.extend(values);
                }
                CmdKind::Havoc(vars) => {
                    for var in vars {
                        env.remove(&self.own(*var)?);
                    }
                }
                CmdKind::Call(_) => {
                    return Err(self.unsupported("a call in a code expression is not supported"));
                }
            }
        }
        match &block.jump {
            Jump::Return(_) => {
                if let Some(value) = value {
                    let value = self.value(value, &mut env)?;
                    let assumed = Expr::bool(ExprKind::Chain(ChainOp::And, assumed));
                    let way = ExprKind::Binary(BinOp::Implies, Box::new(assumed), Box::new(value));
                    self.ways.push(Expr::bool(way));
                }
            }
            Jump::Goto(targets) => {
                for target in targets {
                    self.walk(*target, env.clone(), assumed.clone(), depth + 1)?;
                }
            }
        }
        Ok(())
    }

    /// The number of one of the code's own variables.
    fn own(&self, var: Var) -> Result<usize, Unsupported> {
        match var {
            Var::Local(i) if self.code.locals.contains(&i) => Ok(i),
            _ => Err(self.unsupported(
                "a code expression that assigns a variable from outside is not supported",
            )),
        }
    }

    /// The expression with the code's own variables replaced by their values: a `let` of them.
    fn value(&mut self, expr: &Expr, env: &mut Env) -> Result<Expr, Unsupported> {
        let expr = (self.rewrite)(expr)?;
        let mut used: Vec<(usize, Type)> = Vec::new();
        expr.visit(&mut |e| {
            if let ExprKind::Var(Var::Local(i)) = e.kind
                && !used.iter().any(|(u, _)| *u == i)
            {
                used.push((i, e.ty.clone()));
            }
        });
        used.retain(|(i, _)| self.code.locals.contains(i));
        for (i, ty) in &used {
            if !env.contains_key(i) {
                let unknown = self.unknown(ty);
                env.insert(*i, unknown);
            }
        }
        Ok(substitute(&expr, env))
    }
}

fn substitute(expr: &Expr, env: &Env) -> Expr {
    let mut expr = expr.clone();
    let replaced: Result<(), Infallible> = expr.change(&mut |e| {
        if let ExprKind::Var(Var::Local(i)) = &e.kind
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
