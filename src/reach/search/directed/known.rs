//! The values that executions are given.

use std::collections::BTreeSet;

use num_traits::ToPrimitive;

use super::super::inputs::ModelInputs;
use super::super::tree::InstanceId;
use crate::boogie::typed::BoogieType;
use crate::internal::Internal;
use crate::reach::concrete::{Inputs, Undefined, Value};
use crate::reach::encode::{SiteId, VcNodeId};
use crate::reach::term::Symbol;

/// Random numbers (Knuth's linear congruential generator).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A number below a limit, or 0.
    fn below(&mut self, limit: usize) -> usize {
        self.next() as usize % limit.max(1)
    }
}

/// The input values of a model, some of them changed.
pub(super) struct Known<'s> {
    model: ModelInputs<'s>,
    /// The values that an execution was given, in order, which the next ones are given but for those that are changed.
    kept: Vec<Value>,
    /// Those that this execution was given.
    given: Vec<Value>,
    /// Values that occur.
    pool: Vec<Value>,
    random: Random,
    /// One value in so many is another one; none at 0.
    changed: usize,
}

impl<'s> Known<'s> {
    /// The values of a model.
    pub(super) fn new(model: ModelInputs<'s>, seed: u64) -> Known<'s> {
        let ints: BTreeSet<_> = model.values.values().filter_map(Value::int).collect();
        let pool = ints.into_iter().cloned().map(Value::Int).collect();
        Known {
            model,
            kept: Vec::new(),
            given: Vec::new(),
            pool,
            random: Random(seed),
            changed: 0,
        }
    }

    /// Another execution begins; one in so many of its values is another one.
    pub(super) fn again(&mut self, changed: usize) {
        self.changed = changed;
        self.given.clear();
    }

    /// What the last execution was given is what the next ones are.
    pub(super) fn keep(&mut self) {
        self.kept.clone_from(&self.given);
    }

    /// A known value, or another one.
    fn value(&mut self, known: impl FnOnce(&Self) -> Option<Value>, ty: &BoogieType) -> Value {
        let keeps = self.changed == 0 || self.random.below(self.changed) > 0;
        let kept = self.kept.get(self.given.len());
        // Where an execution went another way, another value may have been given there.
        let kept = kept.filter(|value| value.is_of(ty)).cloned();
        let known = keeps.then(|| kept.or_else(|| known(self))).flatten();
        let value = known.unwrap_or_else(|| self.other(ty));
        self.given.push(value.clone());
        value
    }

    fn other(&mut self, ty: &BoogieType) -> Value {
        match (ty, self.pool.get(self.random.below(self.pool.len()))) {
            (BoogieType::Int, Some(value)) => value.clone(),
            _ => Value::made_up(ty, self.random.next()),
        }
    }
}

impl Inputs for Known<'_> {
    type Call = InstanceId;
    const DRAWS: usize = 20;

    fn entry(&self) -> InstanceId {
        ModelInputs::entry()
    }

    fn callee(&self, caller: InstanceId, site: SiteId) -> Result<Option<InstanceId>, Internal> {
        self.model.callee(caller, site)
    }

    fn any(&mut self, call: Option<InstanceId>, symbol: Symbol, ty: &BoogieType) -> Value {
        self.value(|known| known.model.value(call, symbol), ty)
    }

    fn undefined(&self, _: Undefined<'_>, _: &BoogieType) -> Value {
        Value::Unknown
    }

    fn way(&self, _: Option<InstanceId>, _: VcNodeId) -> Result<Option<VcNodeId>, Internal> {
        Ok(None)
    }

    fn is_over(&self) -> bool {
        self.model.is_over()
    }

    fn pick(&mut self, ways: usize) -> usize {
        if ways < 2 {
            return 0;
        }
        let chosen = self.value(|_| None, &BoogieType::Int);
        let chosen = chosen.int().and_then(|n| (n % ways).to_usize());
        chosen.unwrap_or_default()
    }
}
