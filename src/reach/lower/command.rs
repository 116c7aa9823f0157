//! Blocks and their commands.

use super::{Lowering, negated};
use crate::boogie::ast::Pos;
use crate::boogie::typed::{
    BlockId, BoogieType, CmdKind, Jump, TypedBlock, TypedCall, TypedExpr, TypedProcedure,
    VariableRef,
};
use crate::ids::{Id, Table};
use crate::reach::error::Result;
use crate::reach::faults::{self, Fault};
use crate::reach::graph::{FailedCheck, NodeId, ProcId, Simple, local};

/// Does calling it do nothing but note its arguments?
fn is_record(procedure: &TypedProcedure) -> bool {
    procedure.name.starts_with("boogie_si_record")
        && procedure.body.is_none()
        && procedure.outs == 0
        && procedure.modifies.is_empty()
}

impl Lowering<'_> {
    pub(super) fn block(
        &mut self,
        block: &TypedBlock,
        node: NodeId,
        blocks: &Table<BlockId, NodeId>,
        returns: NodeId,
    ) -> Result<()> {
        let made = self.proc.nodes.at_mut(node)?;
        made.label = Some(block.label.clone());
        made.pos = block.cmds.first().map_or(block.pos, |c| c.pos);
        let mut at = node;
        for cmd in &block.cmds {
            at = self.command(at, cmd.pos, &cmd.kind)?;
        }
        match &block.jump {
            Jump::Return(_) => self.edge(at, returns)?,
            Jump::Goto(targets) => {
                for target in targets {
                    self.edge(at, *blocks.at(*target)?)?;
                }
            }
        }
        Ok(())
    }

    fn command(&mut self, at: NodeId, pos: Pos, kind: &CmdKind) -> Result<NodeId> {
        match kind {
            CmdKind::Assume(e) => {
                let e = self.expr(e)?;
                self.cmd(at, Some(pos), Simple::Assume(e))?;
            }
            CmdKind::Assert(e, text) => {
                let e = self.expr(e)?;
                self.cmd(at, Some(pos), Simple::Assign(Vec::new()))?;
                return Ok(self.check(at, pos, e, FailedCheck::Assert(pos, text.clone()))?);
            }
            CmdKind::Assign(pairs) => {
                let pairs = pairs.iter().map(|(v, e)| Ok((*v, self.expr(e)?)));
                let pairs = pairs.collect::<Result<_>>()?;
                self.cmd(at, Some(pos), Simple::Assign(pairs))?;
            }
            CmdKind::Havoc(vars) => self.havoc(at, Some(pos), vars)?,
            CmdKind::Call(call) => return self.call(at, pos, call),
        }
        Ok(at)
    }

    pub(super) fn havoc(
        &mut self,
        at: NodeId,
        pos: Option<Pos>,
        vars: &[VariableRef],
    ) -> Result<()> {
        self.cmd(at, pos, Simple::Havoc(vars.to_vec()))?;
        for var in vars {
            let declared = match var {
                VariableRef::Global(i) => self.context.program.globals.at(*i)?,
                VariableRef::Local(i) => self.procedure.vars.at(*i)?,
            };
            if let Some(e) = &declared.where_ {
                let e = self.expr(e)?;
                self.assume(at, e)?;
            }
        }
        Ok(())
    }

    fn call(&mut self, at: NodeId, pos: Pos, call: &TypedCall) -> Result<NodeId> {
        let callee = self.context.procedure(call.callee)?;
        if is_record(callee) {
            for arg in call.args.iter().flatten() {
                let arg = self.expr(arg)?;
                self.cmd(at, Some(pos), Simple::Record(call.cexpr.clone(), arg))?;
            }
            return Ok(at);
        }
        let args = call
            .args
            .iter()
            .map(|a| a.as_ref().map(|a| self.expr(a)).transpose());
        let args: Vec<Option<TypedExpr>> = args.collect::<Result<_>>()?;
        let (at, args) = self.preconditions(at, pos, call, callee, args)?;
        let mut outs = call.outs.clone();
        let known = self.summary(at, callee, &args, &outs)?;
        let callee = self.context.graph_of(call.callee);
        let callee = faults::at(Fault::UnknownCallee, callee, |_| ProcId::new(9_999));
        if !*self.context.may_fail.at(call.callee)? {
            self.cmd(at, Some(pos), Simple::Call { callee, args, outs })?;
            return self.assume_all(at, known);
        }
        let failed = self.proc.fresh("failed", BoogieType::Bool);
        outs.push(Some(VariableRef::Local(failed)));
        self.cmd(at, Some(pos), Simple::Call { callee, args, outs })?;
        if self.proc.error.is_none() {
            self.assume(at, negated(local(failed, BoogieType::Bool)))?;
            return self.assume_all(at, known);
        }
        let fail = self.fail(at, pos, FailedCheck::Callee)?;
        self.assume(fail, local(failed, BoogieType::Bool))?;
        let ok = self.node(pos);
        self.assume(ok, negated(local(failed, BoogieType::Bool)))?;
        self.edge(at, ok)?;
        self.assume_all(ok, known)
    }

    fn assume_all(&mut self, node: NodeId, conditions: Vec<TypedExpr>) -> Result<NodeId> {
        for condition in conditions {
            self.assume(node, condition)?;
        }
        Ok(node)
    }
}
