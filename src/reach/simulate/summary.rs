//! What is known of calls from the states that procedures are called in, and end in: facts for a search that has not looked into
//! them.

use std::collections::{BTreeMap, BTreeSet};

use super::frame::Frame;
use super::state::State;
use crate::boogie::typed::VariableRef;
use crate::ids::Id;
use crate::internal::Internal;
use crate::reach::concrete::Value;
use crate::reach::effects::GlobalEffects;
use crate::reach::encode::interface;
use crate::reach::graph::ProcId;
use crate::reach::term::{Symbol, Template, Term};

/// How many ways through a procedure a fact tells apart; where there are more, nothing is said.
const WAYS: usize = 40;

/// What is known of the calls of procedures: of each, a fact over the guard and the interface of its verification condition.
pub type Summaries = BTreeMap<ProcId, Template>;

/// What a value is, where it is known: one of these.
type Known = Vec<(Symbol, BTreeSet<Value>)>;

/// The calls of a procedure, by what is known before them: what is known behind them.
pub(super) struct Calls<'a> {
    frame: &'a Frame<'a>,
    before: BTreeMap<VariableRef, Symbol>,
    behind: BTreeMap<VariableRef, Symbol>,
    /// The result that says whether it fails.
    error: Option<Symbol>,
    ways: BTreeMap<Known, BTreeSet<Known>>,
}

impl<'a> Calls<'a> {
    /// None as yet.
    pub(super) fn new(frame: &'a Frame<'a>, effects: &GlobalEffects) -> Self {
        let (ins, outs) = interface(frame.proc, effects);
        // The guard comes first.
        let first_out = 1 + ins.len();
        let outs = outs.into_iter().zip((first_out..).map(Symbol::new));
        let behind: BTreeMap<VariableRef, Symbol> = outs.collect();
        let error = frame.proc.error.map(VariableRef::Local);
        Calls {
            frame,
            before: ins.into_iter().zip((1..).map(Symbol::new)).collect(),
            error: error.and_then(|error| behind.get(&error).copied()),
            behind,
            ways: BTreeMap::new(),
        }
    }

    /// Those in one state, and the states that they end in.
    pub(super) fn add<'s>(
        &mut self,
        given: &State,
        exits: impl Iterator<Item = &'s State>,
    ) -> Result<(), Internal> {
        let before = self.known(&self.before, given, 1)?;
        let behind = exits.map(|exit| self.known_behind(exit));
        let behind = behind.collect::<Result<Vec<Known>, _>>()?;
        self.ways.entry(before).or_default().extend(behind);
        Ok(())
    }

    /// What is known behind a call. Where it fails, or may, that is no more than that: of its other results the verification condition of
    /// a procedure that fails says nothing, so they have any values there (`Encoder::values_on_ways`).
    fn known_behind(&self, exit: &State) -> Result<Known, Internal> {
        let mut known = self.known(&self.behind, exit, usize::MAX)?;
        if let Some(error) = self.error {
            let succeeds = (error, BTreeSet::from([Value::Bool(false)]));
            if !known.contains(&succeeds) {
                known.retain(|(symbol, _)| *symbol == error);
            }
        }
        Ok(known)
    }

    /// What is known of the variables by which states are told apart, if these can be so many values at most.
    fn known(
        &self,
        symbols: &BTreeMap<VariableRef, Symbol>,
        state: &State,
        most: usize,
    ) -> Result<Known, Internal> {
        let mut known = Known::new();
        for (var, symbol) in symbols {
            let Some(slot) = self.frame.slot(*var).filter(|s| self.frame.tells_apart(*s)) else {
                continue;
            };
            let fact = state.fact_of(slot)?.filter(|fact| !fact.is_nothing());
            if let Some(values) = fact.and_then(|fact| fact.values())
                && values.len() <= most
            {
                known.push((*symbol, values.clone()));
            }
        }
        Ok(known)
    }

    /// That a call is one of these; none where that says nothing, or too much.
    pub(super) fn fact(&self) -> Option<Template> {
        let ways: usize = self.ways.values().map(BTreeSet::len).sum();
        if ways > WAYS {
            return None;
        }
        let calls = self.ways.iter().map(|(before, ends)| {
            let ends = ends.iter().map(all_of);
            Term::and([all_of(before), Term::or(ends)])
        });
        let fact = Term::or(calls);
        (fact != Term::bool(true)).then(|| Template::of(&fact))
    }
}

/// That all of it holds.
fn all_of(known: &Known) -> Term {
    Term::and(known.iter().map(|(symbol, values)| {
        let symbol = Term::symbol(*symbol);
        let is_one = values.iter().map(|value| match value {
            Value::Bool(b) => symbol.equal(&Term::bool(*b)),
            Value::Int(n) => symbol.equal(&Term::int(n.clone())),
            // Of others nothing is said.
            _ => Term::bool(true),
        });
        Term::or(is_one)
    }))
}
