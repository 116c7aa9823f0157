//! Symbolic execution: the way through a procedure's nodes, and what is known meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use super::names::{Names, is_wide};
use super::passive::{Passive, PassiveBlock, Slot, Values};
use super::{Callees, InlineSite, SiteId, Sources, Style, for_reads, for_writes, interface};
use crate::boogie::typed::{BoogieType, GlobalId, TypedExpr, TypedVariable, VariableRef};
use crate::ids::{Id, Table};
use crate::internal::{Internal, Sure, internal};
use crate::reach::dag::{DagEdges, useful};
use crate::reach::effects::GlobalEffects;
use crate::reach::error::Result;
use crate::reach::faults::{self, Fault};
use crate::reach::graph::{NodeId, Proc};
use crate::reach::linear::Indicators;
use crate::reach::shared::{Shared, SharedId};
use crate::reach::symbols::Symbols;
use crate::reach::term::{Symbol, Term};

/// An assigned term larger than this gets a name.
pub(super) const NAMED_SIZE: u32 = 8;

/// As is a sum that is larger than this where ways meet.
pub(super) const SUM_SIZE: u32 = 24;

/// A site that several calls share: its guard, and what the callee is given.
#[derive(Clone)]
pub(super) struct SharedSite {
    pub site: SiteId,
    pub guard: Term,
    pub params: Vec<Term>,
}

pub(super) struct Encoder<'a> {
    pub(super) proc: &'a Proc,
    pub(super) style: Style,
    pub(super) callees: &'a dyn Callees,
    pub(super) symbols: &'a mut Symbols,
    globals: &'a Table<GlobalId, TypedVariable>,
    effects: &'a GlobalEffects,
    pub(super) sorts: Table<Symbol, String>,
    pub(super) sites: Table<SiteId, InlineSite>,
    /// The results of each site.
    pub(super) results: Table<SiteId, Vec<Term>>,
    /// Which calls share a site, and the sites that are shared.
    pub(super) shared: Shared,
    pub(super) shared_sites: BTreeMap<SharedId, SharedSite>,
    pub(super) slots: BTreeMap<VariableRef, Slot>,
    /// Which meetings values will have the names of, and these names.
    pub(super) names: Names,
    meeting_names: BTreeMap<(NodeId, Slot), Term>,
    pub(super) indicators: Indicators,
    /// How many meetings of ways there have been.
    pub(super) meetings: usize,
    /// The symbols that stand for any value.
    pub(super) free: Vec<Symbol>,
    pub(super) sources: Sources,
}

/// What does not change on the way through the nodes.
pub(super) struct Ways {
    pub edges: DagEdges,
    /// The slots whose values matter at the beginning of each node.
    pub live: BTreeMap<NodeId, FixedBitSet>,
    /// The variable of each slot.
    pub vars: Table<Slot, VariableRef>,
    /// The slots of the results, and the symbols for them.
    pub outs: Vec<(Slot, Term)>,
}

/// The blocks made so far.
pub(super) type Blocks = BTreeMap<NodeId, PassiveBlock>;

impl<'a> Encoder<'a> {
    pub(super) fn new(
        proc: &'a Proc,
        effects: &'a GlobalEffects,
        style: Style,
        callees: &'a dyn Callees,
        globals: &'a Table<GlobalId, TypedVariable>,
        symbols: &'a mut Symbols,
    ) -> Self {
        Encoder {
            proc,
            style,
            callees,
            symbols,
            globals,
            effects,
            sorts: Table::new(),
            sites: Table::new(),
            results: Table::new(),
            shared: Shared::default(),
            shared_sites: BTreeMap::new(),
            slots: BTreeMap::new(),
            names: Names::default(),
            meeting_names: BTreeMap::new(),
            indicators: Indicators::default(),
            meetings: 0,
            free: Vec::new(),
            sources: Sources::default(),
        }
    }

    pub(super) fn fresh(&mut self, sort: impl Into<String>) -> Symbol {
        self.sorts.push(sort.into())
    }

    pub(super) fn fresh_of(&mut self, ty: &BoogieType) -> Result<Term> {
        let sort = self.symbols.sort(ty)?;
        Ok(Term::symbol(self.fresh(sort)))
    }

    /// Any value of a type.
    pub(super) fn any_of(&mut self, ty: &BoogieType) -> Result<Term> {
        self.free.push(self.sorts.next_id());
        self.fresh_of(ty)
    }

    /// Any value of a variable, and what the sources tell of it.
    pub(super) fn any_value(&mut self, var: VariableRef) -> Result<(Term, (Symbol, BoogieType))> {
        let (symbol, ty) = (self.sorts.next_id(), self.ty(var)?);
        Ok((self.any_of(&ty)?, (symbol, ty)))
    }

    pub(super) fn fresh_bool(&mut self) -> Term {
        Term::symbol(self.fresh("Bool"))
    }

    pub(super) fn ty(&self, var: VariableRef) -> Result<BoogieType, Internal> {
        Ok(match var {
            VariableRef::Local(i) => self.proc.vars.at(i)?.ty.clone(),
            VariableRef::Global(i) => self.globals.at(i)?.ty.clone(),
        })
    }

    pub(super) fn slot(&self, var: VariableRef) -> Result<Slot, Internal> {
        self.slots.get(&var).copied().sure()
    }

    /// The whole procedure.
    pub(super) fn run(mut self) -> Result<Passive> {
        let (ins, outs) = match self.style {
            Style::Root => (Vec::new(), Vec::new()),
            _ => interface(self.proc, self.effects),
        };
        let order = useful(self.proc)?;
        let vars = self.number_slots(&order, &ins, &outs)?;
        let live = self.liveness(&order, &outs)?;
        let guard = self.fresh_bool();
        let mut env: Values = Table::like(&vars, None);
        for var in &ins {
            let symbol = self.fresh_of(&self.ty(*var)?)?;
            *env.at_mut(self.slot(*var)?)? = Some(symbol);
        }
        let mut ways = Ways {
            edges: DagEdges::new(self.proc, &order)?,
            live,
            vars,
            outs: Vec::new(),
        };
        for var in &outs {
            let symbol = self.fresh_of(&self.ty(*var)?)?;
            ways.outs.push((self.slot(*var)?, symbol));
        }
        let interface = self.sorts.len();
        self.first_values(&ways, &mut env)?;
        self.shared = Shared::find(self.proc, &order, &ways.edges, self.callees)?;
        self.find_names(&order, &ways)?;
        let mut meetings = 0;
        for n in &order {
            meetings += usize::from(ways.edges.preds(*n)?.len() > 1);
        }
        let entry = PassiveBlock {
            guard: (self.style != Style::Root).then_some(guard),
            env,
            passed: FixedBitSet::with_capacity(meetings),
            ..PassiveBlock::default()
        };
        let mut blocks = Blocks::new();
        let mut entry = Some(entry);
        for n in &order {
            let block = match *n == self.proc.entry() {
                true => entry.take().sure()?,
                false => self.join(*n, &ways, &mut blocks)?,
            };
            let block = self.node(*n, block, &ways)?;
            blocks.insert(*n, block);
        }
        Ok(Passive {
            name: self.proc.name.as_str().into(),
            is_loop: self.proc.is_loop,
            style: self.style,
            sorts: self.sorts,
            interface,
            free: self.free,
            sites: self.sites,
            sources: self.sources,
            blocks: leading_to_exit(&order, self.proc.exit, blocks)?,
        })
    }

    /// Finds which meetings values will have the names of.
    fn find_names(&mut self, order: &[NodeId], ways: &Ways) -> Result<(), Internal> {
        let proc = self.proc;
        let mut is_any_wide = self.shares_results();
        for callee in proc.calls() {
            is_any_wide |= is_wide(self.callees.effects(callee)?);
        }
        if !is_any_wide {
            return Ok(());
        }
        let error = self.error_slot();
        self.names = Names::find(proc, error, order, ways, &self.slots, self.callees)?;
        let outs = ways.outs.iter();
        let outs = outs.map(|(slot, symbol)| ((proc.exit, *slot), symbol.clone()));
        self.meeting_names = outs.collect();
        Ok(())
    }

    /// The name that a variable has where ways meet in a node.
    pub(super) fn name_of_meeting(&mut self, n: NodeId, var: VariableRef) -> Result<Term> {
        let place = (n, self.slot(var)?);
        if let Some(known) = self.meeting_names.get(&place) {
            return Ok(known.clone());
        }
        let name = self.fresh_of(&self.ty(var)?)?;
        self.meeting_names.insert(place, name.clone());
        Ok(name)
    }

    /// The slot of the error result.
    pub(super) fn error_slot(&self) -> Option<Slot> {
        let error = self.proc.error.map(VariableRef::Local)?;
        self.slots.get(&error).copied()
    }

    /// May others have the names of this procedure's results? Then what it says of them hangs on its Boolean.
    pub(super) fn shares_results(&self) -> bool {
        is_wide(self.effects)
    }

    /// What a variable is worth at the entry that is not given: any value.
    fn first_values(&mut self, ways: &Ways, env: &mut Values) -> Result<()> {
        let live = ways.live.get(&self.proc.entry()).sure()?;
        for slot in live.ones().map(Slot::new) {
            if env.at(slot)?.is_none() {
                let var = *ways.vars.at(slot)?;
                let (value, source) = self.any_value(var)?;
                self.sources.first.push((var, source));
                *env.at_mut(slot)? = Some(value);
            }
        }
        Ok(())
    }

    pub(super) fn put(
        &self,
        env: &mut Values,
        var: VariableRef,
        term: Term,
    ) -> Result<(), Internal> {
        let value = faults::at(Fault::LostValue, Some(term), |_| None);
        *env.at_mut(self.slot(var)?)? = value;
        Ok(())
    }

    /// Gives every variable that occurs a slot.
    fn number_slots(
        &mut self,
        order: &[NodeId],
        ins: &[VariableRef],
        outs: &[VariableRef],
    ) -> Result<Table<Slot, VariableRef>> {
        let mut vars: BTreeSet<VariableRef> = ins.iter().chain(outs).copied().collect();
        let mut written: BTreeSet<VariableRef> = BTreeSet::new();
        for n in order {
            for cmd in &self.proc.nodes.at(*n)?.cmds {
                for_reads(&cmd.kind, self.callees, &mut |v| {
                    vars.insert(v);
                })?;
                for_writes(&cmd.kind, self.callees, &mut |v| {
                    written.insert(v);
                })?;
            }
        }
        vars.extend(&written);
        self.check_effects(&vars, &written)?;
        let vars: Table<Slot, VariableRef> = vars.into_iter().collect();
        self.slots = vars.pairs().map(|(slot, var)| (*var, slot)).collect();
        Ok(vars)
    }

    /// Does a procedure that is called touch no other globals than its callers know of?
    fn check_effects(
        &self,
        all: &BTreeSet<VariableRef>,
        written: &BTreeSet<VariableRef>,
    ) -> Result<(), Internal> {
        let unknown = |vars: &BTreeSet<VariableRef>, known: &BTreeSet<GlobalId>| {
            vars.iter()
                .any(|v| matches!(v, VariableRef::Global(g) if !known.contains(g)))
        };
        let wrong = unknown(all, &self.effects.uses) || unknown(written, &self.effects.writes);
        match self.style == Style::Callee && wrong {
            true => Err(internal(
                "a procedure has effects that its callers do not know of",
            )),
            false => Ok(()),
        }
    }

    /// The slots whose values matter at the beginning of each node.
    fn liveness(
        &self,
        order: &[NodeId],
        outs: &[VariableRef],
    ) -> Result<BTreeMap<NodeId, FixedBitSet>, Internal> {
        let mut live: BTreeMap<NodeId, FixedBitSet> = BTreeMap::new();
        for n in order.iter().rev() {
            let node = self.proc.nodes.at(*n)?;
            let mut bits = FixedBitSet::with_capacity(self.slots.len());
            if *n == self.proc.exit {
                for out in outs {
                    bits.insert(self.slot(*out)?.index());
                }
            }
            // A successor that leads nowhere has no say.
            for next in node.succs.iter().filter_map(|s| live.get(s)) {
                bits.union_with(next);
            }
            for cmd in node.cmds.iter().rev() {
                let mut change = |v: VariableRef, on: bool| {
                    // Every variable of these nodes has a slot: see `number_slots`.
                    if let Some(slot) = self.slots.get(&v) {
                        bits.set(slot.index(), on);
                    }
                };
                for_writes(&cmd.kind, self.callees, &mut |v| change(v, false))?;
                for_reads(&cmd.kind, self.callees, &mut |v| change(v, true))?;
            }
            live.insert(*n, bits);
        }
        Ok(live)
    }

    pub(super) fn term(&mut self, env: &Values, expr: &TypedExpr) -> Result<Term> {
        let slots = &self.slots;
        // Every variable that is read is live, and has a value.
        let value = |var: VariableRef| env.at(slots.get(&var).copied().sure()?)?.clone().sure();
        self.symbols.term(expr, &value)
    }

    /// A term as a name, if it is large.
    pub(super) fn named(
        &mut self,
        block: &mut PassiveBlock,
        term: Term,
        ty: &BoogieType,
        limit: u32,
    ) -> Result<Term> {
        if term.size() <= limit {
            return Ok(term);
        }
        let symbol = self.fresh_of(ty)?;
        block
            .always
            .push(Term::app("=", vec![symbol.clone(), term]));
        Ok(symbol)
    }
}

/// The blocks that are left without those that lead nowhere, in order.
fn leading_to_exit(
    order: &[NodeId],
    exit: NodeId,
    blocks: Blocks,
) -> Result<Vec<(NodeId, PassiveBlock)>, Internal> {
    let mut blocks = faults::at(Fault::LostBlock, blocks, |mut blocks| {
        blocks.pop_last();
        blocks
    });
    for n in order.iter().rev() {
        let block = blocks.get(n).sure()?;
        let mut leads = *n == exit;
        for edge in &block.edges {
            leads |= !blocks.get(&edge.to).sure()?.dead;
        }
        let dead = block.dead || !leads;
        blocks.get_mut(n).sure()?.dead = dead;
    }
    let mut kept = Vec::new();
    for n in order {
        let block = blocks.remove(n).sure()?;
        if !block.dead {
            kept.push((*n, block));
        }
    }
    // Ways to blocks that are not there any more are none.
    let there: BTreeSet<NodeId> = kept.iter().map(|(n, _)| *n).collect();
    for (_, block) in &mut kept {
        block.edges.retain(|e| there.contains(&e.to));
    }
    Ok(kept)
}
