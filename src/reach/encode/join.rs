//! The beginning of a block: its Boolean, and the values of variables where ways meet.
//!
//! ```text
//!  x = a   x = b          a new name for x:      way 1 ⟹ x' = a,  way 2 ⟹ x' = b
//!     └──┬──┘             the same on all ways:  x stays a
//!        x'               sums that differ by a constant: see `linear`
//! ```
//!
//! A block with one way in takes its values as they are, and if that way is the only one out of the block before, its
//! Boolean too.

use num_bigint::BigInt;

use fixedbitset::FixedBitSet;

use super::Style;
use super::encoder::{Blocks, Encoder, SUM_SIZE, Ways};
use super::passive::{PassiveBlock, PassiveEdge, Slot};
use crate::boogie::typed::BoogieType;
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure};
use crate::reach::dag::union;
use crate::reach::error::Result;
use crate::reach::graph::NodeId;
use crate::reach::linear::{Meeting, Met};
use crate::reach::term::Term;

/// The ways that meet in a block, while it is made.
struct Joining {
    node: NodeId,
    block: PassiveBlock,
    /// Where each way comes from.
    preds: Vec<NodeId>,
    /// What each way implies.
    facts: Vec<Vec<Term>>,
}

impl Encoder<'_> {
    /// The beginning of a block that others lead to.
    pub(super) fn join(
        &mut self,
        n: NodeId,
        ways: &Ways,
        blocks: &mut Blocks,
    ) -> Result<PassiveBlock> {
        let all = ways.edges.preds(n)?;
        let mut preds = Vec::new();
        for p in all {
            if !blocks.get(p).sure()?.dead {
                preds.push(*p);
            }
        }
        match preds.as_slice() {
            [] => Ok(PassiveBlock {
                dead: true,
                ..PassiveBlock::default()
            }),
            [only] if all.len() == 1 => self.go_on(*only, n, ways, blocks),
            _ => self.meet(n, preds, ways, blocks),
        }
    }

    /// The beginning of a block that only one other leads to.
    fn go_on(
        &mut self,
        from: NodeId,
        to: NodeId,
        ways: &Ways,
        blocks: &mut Blocks,
    ) -> Result<PassiveBlock> {
        let only_way_out = ways.edges.succs(from)?.len() == 1;
        let taken = (!only_way_out).then(|| self.fresh_bool());
        let before = blocks.get_mut(&from).sure()?;
        let (guard, env) = match only_way_out {
            true => (before.guard.clone(), std::mem::take(&mut before.env)),
            false => (taken.clone(), before.env.clone()),
        };
        before.edges.push(PassiveEdge {
            to,
            taken,
            facts: Vec::new(),
        });
        Ok(PassiveBlock {
            guard,
            env,
            passed: before.passed.clone(),
            ..PassiveBlock::default()
        })
    }

    /// The beginning of a block where ways meet.
    fn meet(
        &mut self,
        n: NodeId,
        preds: Vec<NodeId>,
        ways: &Ways,
        blocks: &mut Blocks,
    ) -> Result<PassiveBlock> {
        let guard = self.fresh_bool();
        let mut taken = Vec::new();
        for p in &preds {
            let only_way_out = ways.edges.succs(*p)?.len() == 1;
            taken.push((!only_way_out).then(|| self.fresh_bool()));
        }
        let mut joining = Joining {
            node: n,
            facts: vec![vec![guard.clone()]; preds.len()],
            block: PassiveBlock {
                guard: Some(guard),
                env: Table::like(&ways.vars, None),
                ..PassiveBlock::default()
            },
            preds,
        };
        let passed = joining
            .preds
            .iter()
            .map(|p| Ok(blocks.get(p).sure()?.passed.clone()));
        let passed: Vec<FixedBitSet> = passed.collect::<Result<_, Internal>>()?;
        let indicators = std::mem::take(&mut self.indicators);
        let mut meeting = Meeting::new(&indicators, &passed);
        for slot in ways.live.get(&n).sure()?.ones().map(Slot::new) {
            self.join_slot(slot, ways, blocks, &mut joining, &mut meeting)?;
        }
        let (met, made) = meeting.meet(&mut || self.fresh("Int"))?;
        self.indicators = indicators;
        self.indicators.made(made, self.meetings);
        self.take_sums(met, &mut joining)?;
        joining.block.passed = union(&passed);
        joining.block.passed.grow(self.meetings + 1);
        joining.block.passed.insert(self.meetings);
        self.meetings += 1;
        let edges = joining.preds.iter().zip(taken).zip(joining.facts);
        for ((p, taken), facts) in edges {
            let edge = PassiveEdge {
                to: n,
                taken,
                facts,
            };
            blocks.get_mut(p).sure()?.edges.push(edge);
        }
        Ok(joining.block)
    }

    /// The value of a variable where ways meet.
    fn join_slot<'m>(
        &mut self,
        slot: Slot,
        ways: &Ways,
        blocks: &Blocks,
        joining: &mut Joining,
        meeting: &mut Meeting<'m, (Slot, Option<Term>)>,
    ) -> Result<()> {
        let values = self.values_on_ways(slot, blocks, joining)?;
        let Some(first) = values.iter().flatten().next() else {
            return Ok(());
        };
        let is_exit = joining.node == self.proc.exit;
        let outs = ways.outs.iter().filter(|_| is_exit);
        let out = outs
            .clone()
            .find(|(s, _)| *s == slot)
            .map(|(_, t)| t.clone());
        if out.is_none() && values.iter().flatten().all(|t| t == first) {
            *joining.block.env.at_mut(slot)? = Some(first.clone());
            return Ok(());
        }
        let var = *ways.vars.at(slot)?;
        let ty = self.ty(var)?;
        // The name that others may have, too.
        let shared = match (&out, self.names.met(joining.node, slot)?) {
            (Some(_), _) => out.clone().filter(|_| self.shares_results()),
            (None, Some(meeting)) => Some(self.name_of_meeting(meeting, var)?),
            (None, None) => None,
        };
        // Who has it already, also on a way that says nothing of a result: then nothing may be said of it behind the ways.
        let is_taken = shared.is_some() && values.iter().any(|v| v.is_none() || *v == shared);
        let mut left = Some((slot, out));
        if let (BoogieType::Int, true, false) = (&ty, self.style != Style::Clause, is_taken) {
            left = left.and_then(|place| meeting.add(place, &values).err());
        }
        let Some((slot, out)) = left else {
            return Ok(());
        };
        let joined = match out.or(shared) {
            Some(symbol) => symbol,
            None => self.fresh_of(&ty)?,
        };
        if ty == BoogieType::Int && values.iter().all(Option::is_some) {
            let values: Vec<&Term> = values.iter().flatten().collect();
            joining.block.facts.extend(between(&joined, &values));
        }
        for (value, facts) in values.iter().zip(&mut joining.facts) {
            let other = value.as_ref().filter(|v| **v != joined);
            facts.extend(other.map(|v| joined.equal(v)));
        }
        *joining.block.env.at_mut(slot)? = Some(joined);
        Ok(())
    }

    /// What a variable is worth on each way; none where that does not matter: where the procedure fails, its results other
    /// than the error say nothing.
    fn values_on_ways(
        &self,
        slot: Slot,
        blocks: &Blocks,
        joining: &Joining,
    ) -> Result<Vec<Option<Term>>, Internal> {
        let is_exit = joining.node == self.proc.exit;
        let is_error = self.error_slot() == Some(slot);
        let mut values = Vec::new();
        for p in &joining.preds {
            let fails = self.proc.nodes.at(*p)?.failure.is_some();
            values.push(match is_exit && !is_error && fails {
                true => None,
                false => blocks.get(p).sure()?.env.at(slot)?.clone(),
            });
        }
        Ok(values)
    }

    /// Takes over the values that the meeting found to be sums.
    fn take_sums(&mut self, met: Met<(Slot, Option<Term>)>, joining: &mut Joining) -> Result<()> {
        for ((slot, out), sum) in met.values {
            let value = match out {
                Some(symbol) => {
                    let says = match self.shares_results() {
                        true => &mut joining.block.facts,
                        false => &mut joining.block.always,
                    };
                    says.push(symbol.equal(&sum));
                    symbol
                }
                None => self.named(&mut joining.block, sum, &BoogieType::Int, SUM_SIZE)?,
            };
            *joining.block.env.at_mut(slot)? = Some(value);
        }
        joining.block.always.extend(met.always);
        joining.block.facts.extend(met.here);
        for (facts, more) in joining.facts.iter_mut().zip(met.on_way) {
            facts.extend(more);
        }
        Ok(())
    }
}

/// Where all ways give an integer the same base and different offsets, it lies between them. That follows from the
/// ways' equations, but only by going through them one by one; said outright, linear arithmetic sees it at once.
fn between(joined: &Term, values: &[&Term]) -> Vec<Term> {
    let offsets: Vec<(Option<Term>, BigInt)> = values.iter().map(|t| t.offset()).collect();
    let Some((base, _)) = offsets.first() else {
        return Vec::new();
    };
    if offsets.iter().any(|(b, _)| b != base) {
        return Vec::new();
    }
    let numbers = || offsets.iter().map(|(_, n)| n);
    let (Some(least), Some(most)) = (numbers().min(), numbers().max()) else {
        return Vec::new();
    };
    let at = |n: &BigInt| Term::plus(base.clone(), n.clone());
    vec![
        Term::app("<=", vec![at(least), joined.clone()]),
        Term::app("<=", vec![joined.clone(), at(most)]),
    ]
}
