//! What a model gives an execution: the calls that it knows, and the values of what stands for any.

use std::collections::HashMap;
use std::time::Instant;

use super::tree::{Instance, InstanceId};
use super::{Search, SearchStop};
use crate::boogie::typed::BoogieType;
use crate::ids::{Id, Table};
use crate::internal::Internal;
use crate::process::Interrupt;
use crate::reach::concrete::Value;
use crate::reach::encode::SiteId;
use crate::reach::term::Symbol;

/// The input values of a model.
pub(super) struct ModelInputs<'s> {
    pub(super) instances: &'s Table<InstanceId, Instance>,
    /// The values of symbols by name.
    pub(super) values: HashMap<String, Value>,
    /// When an execution on them ends at the latest, and what ends it before.
    pub(super) end: Instant,
    pub(super) stop: Interrupt,
}

impl ModelInputs<'_> {
    /// The copy of the entry.
    pub(super) fn entry() -> InstanceId {
        InstanceId::new(0)
    }

    /// The copy of what one calls at a site, if there is one.
    pub(super) fn callee(
        &self,
        caller: InstanceId,
        site: SiteId,
    ) -> Result<Option<InstanceId>, Internal> {
        self.instances.at(caller)?.child(site)
    }

    /// The value of a symbol of a copy; none where the model was not asked for it.
    pub(super) fn value(&self, call: Option<InstanceId>, symbol: Symbol) -> Option<Value> {
        let name = self.instances.at(call?).ok()?.named(symbol).ok()?;
        self.values.get(&name).cloned()
    }

    /// Is there no more time?
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_set() || Instant::now() >= self.end
    }
}

impl Search<'_, '_> {
    /// The input values of the model by name: those that some copies choose, or begin with.
    pub(super) fn inputs(
        &mut self,
        copies: impl IntoIterator<Item = InstanceId>,
    ) -> Result<HashMap<String, Value>, SearchStop> {
        let mut names = Vec::new();
        let mut types: Vec<&BoogieType> = Vec::new();
        for copy in copies {
            let instance = self.instances.at(copy)?;
            let sources = &instance.vc.sources;
            let first = sources.first.iter().map(|(_, value)| value);
            for (symbol, ty) in first.chain(sources.choices.values().flatten()) {
                names.push(instance.named(*symbol)?);
                types.push(ty);
            }
        }
        let deadline = self.deadline();
        let values = self.solver.smt().values(&names, deadline)?;
        let program = &self.entry.prepared.typed;
        let values = values.iter().zip(types);
        let values = values.map(|(value, ty)| Value::of_model(value, ty, program));
        Ok(names.into_iter().zip(values).collect())
    }
}
