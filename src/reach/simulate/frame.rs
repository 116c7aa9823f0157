//! A procedure as it is gone through: in which order, and which of its variables matter where.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::state::{Slot, State};
use crate::boogie::typed::{BoogieType, GlobalId, LocalId, TypedVariable, VariableRef};
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure};
use crate::reach::concrete::Value;
use crate::reach::dag::useful;
use crate::reach::encode::{Callees, for_reads, for_writes};
use crate::reach::graph::{NodeId, Proc};
use crate::reach::segments::liveness;

/// The values of the variables by which states are told apart; of the others, what several states know is put together.
pub(super) type Property = Vec<Option<Value>>;

/// A procedure as it is gone through.
pub(super) struct Frame<'a> {
    /// The procedure.
    pub proc: &'a Proc,
    /// The nodes on a way from its entry to its exit, each before its successors.
    pub order: Vec<NodeId>,
    /// Where in the order they are.
    pub places: BTreeMap<NodeId, usize>,
    /// What it is given: parameters, then globals; and what remembers what that was at the beginning.
    pub inputs: Vec<(VariableRef, Slot)>,
    slots: BTreeMap<VariableRef, Slot>,
    /// Of each slot its type.
    types: Table<Slot, BoogieType>,
    told_apart: Vec<Slot>,
    /// What matters at the beginning of each node.
    live: Table<NodeId, FixedBitSet>,
    /// What its callers look at when it has ended.
    at_exit: FixedBitSet,
}

impl<'a> Frame<'a> {
    /// That of a procedure.
    pub(super) fn new(
        proc: &'a Proc,
        callees: &dyn Callees,
        globals: &Table<GlobalId, TypedVariable>,
    ) -> Result<Self, Internal> {
        let order = useful(proc)?;
        let mut used = BTreeSet::new();
        for node in &order {
            for cmd in &proc.nodes.at(*node)?.cmds {
                let mut add = |v| {
                    used.insert(v);
                };
                for_reads(&cmd.kind, callees, &mut add)?;
                for_writes(&cmd.kind, callees, &mut add)?;
            }
        }
        let is_global = |v: &&VariableRef| matches!(v, VariableRef::Global(_));
        let used_globals: Vec<VariableRef> = used.iter().filter(is_global).copied().collect();
        let locals = |all: &[LocalId]| -> Vec<VariableRef> {
            all.iter().copied().map(VariableRef::Local).collect()
        };
        let (ins, outs) = (locals(&proc.ins), locals(&proc.outs));
        used.extend(ins.iter().chain(&outs));
        let at_exit: Vec<VariableRef> = outs.iter().chain(&used_globals).copied().collect();
        let mut frame = Frame {
            proc,
            places: order.iter().enumerate().map(|(i, n)| (*n, i)).collect(),
            order,
            inputs: Vec::new(),
            slots: BTreeMap::new(),
            types: Table::new(),
            told_apart: Vec::new(),
            live: Table::new(),
            at_exit: FixedBitSet::new(),
        };
        for var in used {
            let ty = match var {
                VariableRef::Local(local) => &proc.vars.at(local)?.ty,
                VariableRef::Global(global) => &globals.at(global)?.ty,
            };
            if has_plain_values(ty) {
                let slot = frame.types.push(ty.clone());
                frame.slots.insert(var, slot);
                if matches!(var, VariableRef::Global(_)) || *ty == BoogieType::Bool {
                    frame.told_apart.push(slot);
                }
            }
        }
        for var in ins.into_iter().chain(used_globals) {
            if let Some(slot) = frame.slot(var) {
                let ty = frame.types.at(slot)?.clone();
                frame.inputs.push((var, frame.types.push(ty)));
            }
        }
        let live = liveness(proc, &at_exit, callees)?;
        frame.live = live.iter().map(|vars| frame.kept(vars)).collect();
        frame.at_exit = frame.kept(&at_exit);
        Ok(frame)
    }

    /// The slots of these variables, and what remembers what is given.
    fn kept<'v>(&self, vars: impl IntoIterator<Item = &'v VariableRef>) -> FixedBitSet {
        let slots = vars.into_iter().filter_map(|v| self.slot(*v));
        let remembered = self.inputs.iter().map(|(_, remembered)| *remembered);
        slots.chain(remembered).map(Id::index).collect()
    }

    /// The slot of a variable; none of one whose values are not looked at, such as a map.
    pub(super) fn slot(&self, var: VariableRef) -> Option<Slot> {
        self.slots.get(&var).copied()
    }

    /// The type of what is in a slot.
    pub(super) fn ty(&self, slot: Slot) -> Result<&BoogieType, Internal> {
        self.types.at(slot)
    }

    /// How many slots there are.
    pub(super) fn width(&self) -> usize {
        self.types.len()
    }

    /// Where nothing is known of any variable.
    pub(super) fn anything(&self) -> State {
        State::of(self.types.len())
    }

    /// Remembers what it is given.
    pub(super) fn begin(&self, state: &mut State) -> Result<(), Internal> {
        for (var, remembered) in &self.inputs {
            let slot = self.slot(*var).sure()?;
            let class = state.read(slot, self.ty(slot)?)?;
            state.write(*remembered, Some(class))?;
        }
        Ok(())
    }

    /// What of a state matters at the beginning of a node.
    pub(super) fn before(&self, node: NodeId, state: &mut State) -> Result<(), Internal> {
        state.keep_only(self.live.at(node)?)
    }

    /// What of a state matters to a caller.
    pub(super) fn behind(&self, state: &mut State) -> Result<(), Internal> {
        state.keep_only(&self.at_exit)
    }

    /// Are states told apart by what is in this slot?
    pub(super) fn tells_apart(&self, slot: Slot) -> bool {
        self.told_apart.contains(&slot)
    }

    /// By what a state is told apart from others.
    pub(super) fn property(&self, state: &State) -> Result<Property, Internal> {
        let facts = self.told_apart.iter().map(|slot| state.fact_of(*slot));
        facts
            .map(|fact| Ok(fact?.and_then(|f| f.value().cloned())))
            .collect()
    }
}

/// Are the values of this type such that nothing but themselves is equal to them?
pub(super) fn has_plain_values(ty: &BoogieType) -> bool {
    matches!(
        ty,
        BoogieType::Bool | BoogieType::Int | BoogieType::Bv(_) | BoogieType::Con(..)
    )
}
