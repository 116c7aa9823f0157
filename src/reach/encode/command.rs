//! The commands of a block, executed symbolically.

use crate::boogie::ast::Pos;
use crate::boogie::typed::{BinOp, BoogieType, TypedExpr, TypedExprKind, VariableRef};
use crate::reach::error::Result;
use crate::reach::faults::{self, Fault};
use crate::reach::graph::{NodeId, Simple};
use crate::reach::shared::CallPlace;
use crate::reach::term::{Template, Term};

use super::encoder::{Encoder, NAMED_SIZE, SUM_SIZE, Ways};
use super::passive::PassiveBlock;
use super::{Style, TraceEvent};

impl Encoder<'_> {
    /// The commands of a node, in the block that has been begun for it.
    pub(super) fn node(
        &mut self,
        n: NodeId,
        mut block: PassiveBlock,
        ways: &Ways,
    ) -> Result<PassiveBlock> {
        if block.dead {
            return Ok(block);
        }
        let node = self.proc.nodes.at(n)?;
        block.failure.clone_from(&node.failure);
        if let Some(label) = &node.label {
            block
                .events
                .push(TraceEvent::Block(node.pos, label.clone()));
        }
        for (i, cmd) in node.cmds.iter().enumerate() {
            if block.dead {
                break;
            }
            let call = matches!(cmd.kind, Simple::Call { .. } | Simple::Record(..));
            if let (Some(pos), false) = (cmd.pos, call) {
                block.events.push(TraceEvent::Command(pos));
            }
            self.command(&mut block, cmd.pos, (n, i), &cmd.kind)?;
        }
        if n == self.proc.exit {
            self.results(&mut block, ways)?;
        }
        Ok(block)
    }

    /// At the exit the symbols of the results get their values.
    fn results(&mut self, block: &mut PassiveBlock, ways: &Ways) -> Result<()> {
        for (slot, symbol) in &ways.outs {
            let value = block.env.at(*slot)?.clone();
            let value = faults::at(Fault::FreeResults, value, |_| None);
            if let Some(value) = value.filter(|v| v != symbol) {
                // Where nothing else says what a result is, linear arithmetic need not know who is called.
                let is_int = self.ty(*ways.vars.at(*slot)?)? == BoogieType::Int;
                match is_int && self.style != Style::Clause && !self.shares_results() {
                    true => block.always.push(symbol.equal(&value)),
                    false => block.facts.push(symbol.equal(&value)),
                }
            }
        }
        Ok(())
    }

    fn command(
        &mut self,
        block: &mut PassiveBlock,
        pos: Option<Pos>,
        place: CallPlace,
        cmd: &Simple,
    ) -> Result<()> {
        match cmd {
            Simple::Assume(e) => {
                let term = self.term(&block.env, e)?;
                let term = faults::at(Fault::LostAssumption, term, |_| Term::bool(true));
                match term.as_bool() {
                    Some(true) => {}
                    Some(false) => block.dead = true,
                    None => block.facts.push(term),
                }
            }
            Simple::Assign(pairs) => self.assign(block, pairs)?,
            Simple::Havoc(vars) => {
                let mut chosen = Vec::new();
                for var in vars {
                    let (value, source) = self.any_value(*var)?;
                    chosen.push(source);
                    self.put(&mut block.env, *var, value)?;
                }
                self.sources.choices.insert(place, chosen);
            }
            Simple::Record(name, e) => {
                let value = Template::of(&self.term(&block.env, e)?);
                let pos = pos.unwrap_or_default();
                let record = TraceEvent::Record(pos, name.clone(), value, e.ty.clone());
                block.events.push(record);
            }
            Simple::Call { callee, args, outs } => {
                self.call(block, pos, place, (*callee, args, outs))?;
            }
        }
        Ok(())
    }

    fn assign(
        &mut self,
        block: &mut PassiveBlock,
        pairs: &[(VariableRef, TypedExpr)],
    ) -> Result<()> {
        let mut values: Vec<(VariableRef, Term)> = Vec::new();
        for (var, e) in pairs {
            let term = self.term(&block.env, e)?;
            let limit = match e.kind {
                TypedExprKind::Var(_) => u32::MAX,
                // Sums get a name where ways have met, not on a single way.
                TypedExprKind::Binary(BinOp::Add | BinOp::Sub, ..) if e.ty == BoogieType::Int => {
                    3 * SUM_SIZE
                }
                _ => NAMED_SIZE,
            };
            values.push((*var, self.named(block, term, &e.ty, limit)?));
        }
        for (var, term) in values {
            self.put(&mut block.env, var, term)?;
        }
        Ok(())
    }
}
