//! The commands of a node.

use crate::boogie::ast::Pos;
use crate::boogie::typed::{BinOp, ExprKind, Type, Var};
use crate::reach::graph::{Simple, Unsupported};
use crate::reach::term::{Template, Term};

use super::encoder::{Draft, Encoder, NAMED_SIZE, SUM_SIZE};
use super::{Event, Style};

impl Encoder<'_> {
    /// The commands of a node.
    pub(super) fn node(
        &mut self,
        n: usize,
        mut draft: Draft,
        vars: &[Var],
        outs: &[(usize, Term)],
    ) -> Result<Draft, Unsupported> {
        let Some(node) = self.proc.nodes.get(n) else {
            return Ok(draft);
        };
        if draft.dead {
            return Ok(draft);
        }
        if let Some(label) = &node.label {
            draft.events.push(Event::Block(node.pos, label.clone()));
        }
        for (i, cmd) in node.cmds.iter().enumerate() {
            if draft.dead {
                break;
            }
            let call = matches!(cmd.kind, Simple::Call { .. } | Simple::Record(..));
            if let (Some(pos), false) = (cmd.pos, call) {
                draft.events.push(Event::Command(pos));
            }
            if let Simple::Call { callee, args, outs } = &cmd.kind {
                let shared = self.shared.place((n, i));
                self.call(&mut draft, cmd.pos, shared, *callee, args, outs)?;
            } else {
                self.command(&mut draft, cmd.pos, &cmd.kind)?;
            }
        }
        if n == self.proc.exit {
            for (slot, symbol) in outs {
                let value = draft.env.get(*slot).cloned().flatten();
                if let Some(value) = value.filter(|v| v != symbol) {
                    // Nothing else says what a result is; linear arithmetic then need not know who is called.
                    let is_int = vars.get(*slot).is_some_and(|v| self.ty(*v) == Type::Int);
                    match is_int && self.style != Style::Clause {
                        true => draft.always.push(symbol.equal(&value)),
                        false => draft.facts.push(symbol.equal(&value)),
                    }
                }
            }
        }
        Ok(draft)
    }

    fn command(
        &mut self,
        draft: &mut Draft,
        pos: Option<Pos>,
        cmd: &Simple,
    ) -> Result<(), Unsupported> {
        match cmd {
            Simple::Assume(e) => {
                let term = self.term(&draft.env, e)?;
                match term.as_bool() {
                    Some(true) => {}
                    Some(false) => draft.dead = true,
                    None => draft.facts.push(term),
                }
            }
            Simple::Assign(pairs) => {
                let mut values = Vec::new();
                for (var, e) in pairs {
                    let term = self.term(&draft.env, e)?;
                    let limit = match e.kind {
                        ExprKind::Var(_) => u32::MAX,
                        // Sums get a name where ways have met, not on a single way.
                        ExprKind::Binary(BinOp::Add | BinOp::Sub, ..) if e.ty == Type::Int => {
                            3 * SUM_SIZE
                        }
                        _ => NAMED_SIZE,
                    };
                    values.push((*var, self.named(draft, term, &e.ty, limit)?));
                }
                for (var, term) in values {
                    self.put(&mut draft.env, var, term);
                }
            }
            Simple::Havoc(vars) => {
                for var in vars {
                    let symbol = self.fresh_of(&self.ty(*var))?;
                    self.put(&mut draft.env, *var, symbol);
                }
            }
            Simple::Record(name, e) => {
                let term = self.term(&draft.env, e)?;
                let mut value = Template::default();
                value.term(&term);
                let pos = pos.unwrap_or_default();
                draft
                    .events
                    .push(Event::Record(pos, name.clone(), value, e.ty.clone()));
            }
            Simple::Call { .. } => {}
        }
        Ok(())
    }
}
