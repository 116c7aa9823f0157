//! Blocks and their commands.

use super::{Lowering, local, negated};
use crate::boogie::ast::Pos;
use crate::boogie::typed::{Block, Call, CmdKind, Expr, Jump, Procedure, Type, Var};
use crate::reach::graph::{Failure, Simple, Unsupported};

/// Does calling it do nothing but note its arguments?
fn is_record(procedure: &Procedure) -> bool {
    procedure.name.starts_with("boogie_si_record")
        && procedure.body.is_none()
        && procedure.outs == 0
        && procedure.modifies.is_empty()
}

impl Lowering<'_> {
    pub(super) fn block(
        &mut self,
        block: &Block,
        node: usize,
        blocks: &[usize],
        returns: usize,
    ) -> Result<(), Unsupported> {
        if let Some(n) = self.proc.nodes.get_mut(node) {
            n.label = Some(block.label.clone());
            n.pos = block.cmds.first().map_or(block.pos, |c| c.pos);
        }
        let mut at = node;
        for cmd in &block.cmds {
            at = self.command(at, cmd.pos, &cmd.kind)?;
        }
        match &block.jump {
            Jump::Return(_) => self.edge(at, returns),
            Jump::Goto(targets) => {
                for target in targets {
                    if let Some(target) = blocks.get(*target) {
                        self.edge(at, *target);
                    }
                }
            }
        }
        Ok(())
    }

    fn command(&mut self, at: usize, pos: Pos, kind: &CmdKind) -> Result<usize, Unsupported> {
        match kind {
            CmdKind::Assume(e) => {
                let e = self.expr(e)?;
                self.cmd(at, Some(pos), Simple::Assume(e));
            }
            CmdKind::Assert(e, text) => {
                let e = self.expr(e)?;
                self.cmd(at, Some(pos), Simple::Assign(Vec::new()));
                return Ok(self.check(at, pos, e, Failure::Assert(pos, text.clone())));
            }
            CmdKind::Assign(pairs) => {
                let pairs = pairs.iter().map(|(v, e)| Ok((*v, self.expr(e)?)));
                let pairs = pairs.collect::<Result<_, Unsupported>>()?;
                self.cmd(at, Some(pos), Simple::Assign(pairs));
            }
            CmdKind::Havoc(vars) => self.havoc(at, Some(pos), vars)?,
            CmdKind::Call(call) => return self.call(at, pos, call),
        }
        Ok(at)
    }

    pub(super) fn havoc(
        &mut self,
        at: usize,
        pos: Option<Pos>,
        vars: &[Var],
    ) -> Result<(), Unsupported> {
        self.cmd(at, pos, Simple::Havoc(vars.to_vec()));
        for var in vars {
            let declared = match var {
                Var::Global(i) => self.context.program.globals.get(*i),
                Var::Local(i) => self.procedure.vars.get(*i),
            };
            if let Some(e) = declared.and_then(|v| v.where_.as_ref()) {
                let e = self.expr(e)?;
                self.assume(at, e);
            }
        }
        Ok(())
    }

    fn call(&mut self, at: usize, pos: Pos, call: &Call) -> Result<usize, Unsupported> {
        let Some(callee) = self.context.procedure(call.callee) else {
            return Err(Unsupported::new(pos, "there is no such procedure"));
        };
        if is_record(callee) {
            for arg in call.args.iter().flatten() {
                let arg = self.expr(arg)?;
                self.cmd(at, Some(pos), Simple::Record(call.cexpr.clone(), arg));
            }
            return Ok(at);
        }
        let args = call
            .args
            .iter()
            .map(|a| a.as_ref().map(|a| self.expr(a)).transpose());
        let args: Vec<Option<Expr>> = args.collect::<Result<_, _>>()?;
        let (at, args) = self.preconditions(at, pos, call, callee, args)?;
        let mut outs = call.outs.clone();
        let fails = self
            .context
            .may_fail
            .get(call.callee)
            .copied()
            .unwrap_or(true);
        let callee = match call.callee < self.context.program.procedures.len() {
            true => call.callee,
            false => call.callee + self.context.shift,
        };
        if !fails {
            self.cmd(at, Some(pos), Simple::Call { callee, args, outs });
            return Ok(at);
        }
        let failed = self.fresh("failed", Type::Bool);
        outs.push(Some(Var::Local(failed)));
        self.cmd(at, Some(pos), Simple::Call { callee, args, outs });
        if self.proc.error.is_none() {
            self.assume(at, negated(local(failed, Type::Bool)));
            return Ok(at);
        }
        let fail = self.fail(at, pos, Failure::Callee);
        self.assume(fail, local(failed, Type::Bool));
        let ok = self.node(pos);
        self.assume(ok, negated(local(failed, Type::Bool)));
        self.edge(at, ok);
        Ok(ok)
    }
}
