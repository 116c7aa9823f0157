//! The beginning of a node: its Boolean, and the variables where ways meet.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use crate::boogie::typed::{Type, Var};
use crate::reach::dag::{Bits, Graph};
use crate::reach::graph::Unsupported;
use crate::reach::linear::Meeting;
use crate::reach::term::Term;

use super::Style;
use super::encoder::{Draft, Encoder, SUM_SIZE};

impl Encoder<'_> {
    /// The beginning of a node: its Boolean, and the variables where ways meet.
    pub(super) fn join(
        &mut self,
        n: usize,
        graph: &Graph,
        live: &BTreeMap<usize, Bits>,
        vars: &[Var],
        outs: &[(usize, Term)],
        drafts: &mut BTreeMap<usize, Draft>,
    ) -> Result<Draft, Unsupported> {
        let preds: Vec<usize> = graph
            .preds(n)
            .iter()
            .copied()
            .filter(|p| drafts.get(p).is_some_and(|d| !d.dead))
            .collect();
        let mut draft = Draft::default();
        let alone = |p: &usize| graph.succs(*p).len() == 1;
        match preds.as_slice() {
            [] => {
                draft.dead = true;
                return Ok(draft);
            }
            [only] if graph.preds(n).len() == 1 => {
                let lone = alone(only);
                let guard = match lone {
                    true => drafts.get(only).and_then(|d| d.guard.clone()),
                    false => Some(self.fresh_bool()),
                };
                if let Some(p) = drafts.get_mut(only) {
                    draft.env = match lone {
                        true => std::mem::take(&mut p.env),
                        false => p.env.clone(),
                    };
                    draft.passed = p.passed.clone();
                    p.edges
                        .push((n, guard.clone().filter(|_| !lone), Vec::new()));
                }
                draft.guard = guard;
                return Ok(draft);
            }
            _ => {}
        }
        let guard = self.fresh_bool();
        draft.guard = Some(guard.clone());
        draft.env = vec![None; vars.len()];
        let mut ways: Vec<(usize, Option<Term>, Vec<Term>)> = Vec::new();
        for p in &preds {
            let edge = match alone(p) {
                true => None,
                false => Some(self.fresh_bool()),
            };
            ways.push((*p, edge, vec![guard.clone()]));
        }
        let is_exit = n == self.proc.exit;
        let error = self
            .proc
            .error
            .and_then(|e| self.slots.get(&Var::Local(e)).copied());
        let passed: Vec<Bits> = preds
            .iter()
            .filter_map(|p| drafts.get(p).map(|d| d.passed.clone()))
            .collect();
        let indicators = std::mem::take(&mut self.indicators);
        let mut meeting = Meeting::new(&indicators, &passed);
        for slot in live.get(&n).into_iter().flat_map(Bits::iter) {
            let out = outs
                .iter()
                .find(|(s, _)| is_exit && *s == slot)
                .map(|(_, t)| t.clone());
            // Where the procedure fails, its other results say nothing.
            let counts = |p: &usize| {
                !is_exit
                    || error == Some(slot)
                    || self.proc.nodes.get(*p).is_some_and(|n| n.failure.is_none())
            };
            let value = |p: &usize| {
                let draft = drafts.get(p).filter(|_| counts(p))?;
                draft.env.get(slot)?.clone()
            };
            let terms: Vec<Option<Term>> = preds.iter().map(value).collect();
            let Some(first) = terms.iter().flatten().next() else {
                continue;
            };
            if out.is_none() && terms.iter().flatten().all(|t| t == first) {
                if let Some(place) = draft.env.get_mut(slot) {
                    *place = Some(first.clone());
                }
                continue;
            }
            let ty = vars.get(slot).map_or(Type::Bool, |v| self.ty(*v));
            let summed = ty == Type::Int && self.style != Style::Clause;
            let Some((slot, out)) = (match summed {
                true => meeting.add((slot, out), &terms).err(),
                false => Some((slot, out)),
            }) else {
                continue;
            };
            let joined = match out {
                Some(symbol) => symbol,
                None => self.fresh_of(&ty)?,
            };
            if ty == Type::Int && terms.iter().all(Option::is_some) {
                let terms: Vec<&Term> = terms.iter().flatten().collect();
                draft.facts.extend(between(&joined, &terms));
            }
            for (term, (_, _, facts)) in terms.iter().zip(&mut ways) {
                if let Some(term) = term {
                    facts.push(joined.equal(term));
                }
            }
            if let Some(place) = draft.env.get_mut(slot) {
                *place = Some(joined);
            }
        }
        let (met, made) = meeting.meet(&mut || self.fresh("Int"));
        self.indicators = indicators;
        self.indicators.made(made, self.meetings);
        for ((slot, out), sum) in met.values {
            let value = match out {
                Some(symbol) => {
                    draft.always.push(symbol.equal(&sum));
                    symbol
                }
                None => self.named(&mut draft, sum, &Type::Int, SUM_SIZE)?,
            };
            if let Some(place) = draft.env.get_mut(slot) {
                *place = Some(value);
            }
        }
        draft.always.extend(met.always);
        draft.facts.extend(met.here);
        for ((_, _, facts), more) in ways.iter_mut().zip(met.on_way) {
            facts.extend(more);
        }
        draft.passed = Bits::joined(&passed);
        draft.passed.set(self.meetings, true);
        self.meetings += 1;
        for (p, edge, facts) in ways {
            if let Some(p) = drafts.get_mut(&p) {
                p.edges.push((n, edge, facts));
            }
        }
        Ok(draft)
    }
}

/// Where all ways give an integer the same base and different offsets, it lies between them. That follows from the
/// ways' equations, but only by going through them one by one; said outright, linear arithmetic sees it at once.
fn between(joined: &Term, terms: &[&Term]) -> Vec<Term> {
    let offsets: Vec<(Option<Term>, BigInt)> = terms.iter().map(|t| t.offset()).collect();
    let Some((base, _)) = offsets.first() else {
        return Vec::new();
    };
    if offsets.iter().any(|(b, _)| b != base) {
        return Vec::new();
    }
    let least = offsets
        .iter()
        .map(|(_, n)| n)
        .min()
        .cloned()
        .unwrap_or_default();
    let most = offsets
        .iter()
        .map(|(_, n)| n)
        .max()
        .cloned()
        .unwrap_or_default();
    vec![
        Term::app("<=", vec![Term::plus(base.clone(), least), joined.clone()]),
        Term::app("<=", vec![joined.clone(), Term::plus(base.clone(), most)]),
    ]
}
