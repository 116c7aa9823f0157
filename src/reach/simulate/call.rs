//! What a call is given, and what is known behind it.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::expr::Scope;
use super::frame::Frame;
use super::set;
use super::state::{Class, Slot, State};
use crate::boogie::typed::{GlobalId, LocalId, TypedExpr, VariableRef};
use crate::internal::{Internal, Sure};

/// A call in a state.
pub(super) struct Given {
    /// The state of the caller.
    before: State,
    /// What the callee is given, in the order of [`Frame::inputs`].
    values: Vec<Class>,
}

impl Given {
    /// A call with these arguments.
    pub(super) fn new(
        scope: &Scope<'_>,
        mut before: State,
        callee: &Frame<'_>,
        args: &[Option<TypedExpr>],
    ) -> Result<Self, Internal> {
        let params: BTreeMap<LocalId, &Option<TypedExpr>> =
            callee.proc.ins.iter().copied().zip(args).collect();
        let mut values = Vec::new();
        for (var, slot) in &callee.inputs {
            let value = match var {
                VariableRef::Local(param) => match params.get(param).sure()? {
                    Some(arg) => Some(scope.value(&mut before, arg)?),
                    None => None,
                },
                VariableRef::Global(_) => {
                    let own = scope.frame.slot(*var).sure()?;
                    Some(before.read(own, callee.ty(*slot)?)?)
                }
            };
            let anything = super::fact::Fact::of_type(callee.ty(*slot)?);
            values.push(value.unwrap_or_else(|| before.value(anything)));
        }
        Ok(Given { before, values })
    }

    /// What the callee knows at its beginning.
    pub(super) fn seen_by(&self, callee: &Frame<'_>) -> Result<State, Internal> {
        let mut seen = callee.anything();
        let mut names: FxHashMap<Class, Class> = FxHashMap::default();
        for ((var, _), class) in callee.inputs.iter().zip(&self.values) {
            let name = match names.get(class) {
                Some(name) => *name,
                None => seen.value(self.before.fact(*class)?.clone()),
            };
            names.insert(*class, name);
            seen.write(callee.slot(*var).sure()?, Some(name))?;
        }
        seen.canonical()
    }

    /// What the caller knows behind the call where the callee ends so; none if it does not end so here.
    pub(super) fn behind(
        &self,
        (caller, callee): (&Frame<'_>, &Frame<'_>),
        exit: &State,
        writes: &BTreeSet<GlobalId>,
        outs: &[Option<VariableRef>],
    ) -> Result<Option<State>, Internal> {
        let mut state = self.before.clone();
        let width = state.width();
        // What the callee's values are here: each is held by a variable of its own, so that it is followed where two turn out to be
        // the same.
        let mut held: FxHashMap<Class, Slot> = FxHashMap::default();
        let given: Vec<Slot> = self.values.iter().map(|class| state.push(*class)).collect();
        for ((_, remembered), given) in callee.inputs.iter().zip(given) {
            let Some(class) = exit.known(*remembered)? else {
                continue;
            };
            let value = state.known(given)?.sure()?;
            let possible = match held.get(&class) {
                Some(same) => {
                    let same = state.known(*same)?.sure()?;
                    state.unify(same, value)?
                }
                None => {
                    held.insert(class, given);
                    state.refine(value, exit.fact(class)?)?
                }
            };
            if !possible {
                return Ok(None);
            }
        }
        let mut here = |state: &mut State, class: Class| -> Result<Class, Internal> {
            let slot = match held.get(&class) {
                Some(slot) => *slot,
                None => {
                    let new = state.value(exit.fact(class)?.clone());
                    let slot = state.push(new);
                    held.insert(class, slot);
                    slot
                }
            };
            state.known(slot)?.sure()
        };
        for global in writes {
            let var = VariableRef::Global(*global);
            let value = match callee.slot(var) {
                Some(slot) => exit.known(slot)?,
                None => None,
            };
            let value = value.map(|class| here(&mut state, class)).transpose()?;
            set(caller, &mut state, var, value)?;
        }
        for ((map, keys), value) in exit.cells() {
            if matches!(map, VariableRef::Global(_)) {
                let keys = keys.iter().map(|key| here(&mut state, *key));
                let keys = keys.collect::<Result<Vec<Class>, _>>()?;
                let value = here(&mut state, value)?;
                state.learn((*map, keys), value);
            }
        }
        for (out, result) in outs.iter().zip(&callee.proc.outs) {
            let Some(out) = out else { continue };
            let value = match callee.slot(VariableRef::Local(*result)) {
                Some(slot) => exit.known(slot)?,
                None => None,
            };
            let value = value.map(|class| here(&mut state, class)).transpose()?;
            set(caller, &mut state, *out, value)?;
        }
        state.truncate(width);
        Ok(Some(state))
    }
}
