//! What is known while a procedure is encoded, and the way through its nodes.

use std::collections::{BTreeMap, BTreeSet};

use crate::boogie::typed::{Expr, Type, Var};
use crate::reach::dag::{Bits, Graph, for_reads, for_writes, useful};
use crate::reach::effects::Effects;
use crate::reach::graph::{Proc, Unsupported};
use crate::reach::linear::Indicators;
use crate::reach::shared::Shared;
use crate::reach::symbols::Symbols;
use crate::reach::term::Term;

use super::{Callees, Event, Site, Style, Vc, interface};

/// An assigned term larger than this gets a name.
pub(super) const NAMED_SIZE: u32 = 8;

/// As is a sum that is larger than this where ways meet.
pub(super) const SUM_SIZE: u32 = 24;

pub(super) type Slots = Vec<Option<Term>>;

/// A node while it is encoded.
#[derive(Default)]
pub(super) struct Draft {
    /// The node's Boolean; none is `true`.
    pub(super) guard: Option<Term>,
    /// What the guard implies.
    pub(super) facts: Vec<Term>,
    /// What holds whether or not the execution comes here: names for terms.
    pub(super) always: Vec<Term>,
    /// The meetings of ways that it has come through.
    pub(super) passed: Bits,
    /// The ways out: the next node, its Boolean, and what it implies.
    pub(super) edges: Vec<(usize, Option<Term>, Vec<Term>)>,
    pub(super) env: Slots,
    pub(super) events: Vec<Event>,
    pub(super) dead: bool,
}

pub(super) struct Encoder<'a> {
    pub(super) proc: &'a Proc,
    pub(super) style: Style,
    pub(super) callees: &'a dyn Callees,
    pub(super) globals: &'a [crate::boogie::typed::Variable],
    pub(super) symbols: &'a mut Symbols,
    pub(super) sorts: Vec<String>,
    pub(super) sites: Vec<Site>,
    /// The results of each site.
    pub(super) results: Vec<Vec<Term>>,
    /// Which calls share a site, and the sites that are shared: number, guard, and what the callee is given.
    pub(super) shared: Shared,
    pub(super) shared_sites: BTreeMap<usize, (usize, Term, Vec<Term>)>,
    pub(super) slots: BTreeMap<Var, usize>,
    pub(super) indicators: Indicators,
    /// How many meetings of ways there have been.
    pub(super) meetings: usize,
}

impl Encoder<'_> {
    pub(super) fn fresh(&mut self, sort: impl Into<String>) -> u32 {
        self.sorts.push(sort.into());
        self.sorts.len() as u32 - 1
    }

    pub(super) fn fresh_of(&mut self, ty: &Type) -> Result<Term, Unsupported> {
        let sort = self.symbols.sort(ty)?;
        Ok(Term::symbol(self.fresh(sort)))
    }

    pub(super) fn fresh_bool(&mut self) -> Term {
        Term::symbol(self.fresh("Bool"))
    }

    pub(super) fn ty(&self, var: Var) -> Type {
        let ty = match var {
            Var::Local(i) => self.proc.vars.get(i).map(|(_, ty)| ty),
            Var::Global(i) => self.globals.get(i).map(|g| &g.ty),
        };
        ty.cloned().unwrap_or(Type::Bool)
    }

    pub(super) fn run(mut self, effects: &Effects, root: bool) -> Result<Vc, Unsupported> {
        let proc = self.proc;
        let (ins, outs) = interface(proc, effects);
        let outs = if root { Vec::new() } else { outs };
        let order = useful(proc);
        self.number_slots(&order, &ins, &outs);
        let vars: Vec<Var> = {
            let mut all: Vec<(usize, Var)> = self.slots.iter().map(|(v, s)| (*s, *v)).collect();
            all.sort_unstable();
            all.into_iter().map(|(_, v)| v).collect()
        };
        let live = self.liveness(&order, &outs);
        let guard = self.fresh_bool();
        let mut env: Slots = vec![None; vars.len()];
        let mut out_symbols: Vec<(usize, Term)> = Vec::new();
        if !root {
            for var in &ins {
                let symbol = self.fresh_of(&self.ty(*var))?;
                self.put(&mut env, *var, symbol);
            }
            for var in &outs {
                let symbol = self.fresh_of(&self.ty(*var))?;
                if let Some(slot) = self.slots.get(var) {
                    out_symbols.push((*slot, symbol));
                }
            }
        }
        let interface = self.sorts.len() as u32;
        if let Some(live) = live.get(&0) {
            for slot in live.iter() {
                let missing = env.get(slot).is_some_and(Option::is_none);
                if let (true, Some(var)) = (missing, vars.get(slot)) {
                    let symbol = self.fresh_of(&self.ty(*var))?;
                    self.put(&mut env, *var, symbol);
                }
            }
        }
        let mut drafts: BTreeMap<usize, Draft> = BTreeMap::new();
        let graph = Graph::new(proc, &order);
        self.shared = Shared::find(proc, &order, &graph, self.callees);
        let meetings = order.iter().filter(|n| graph.preds(**n).len() > 1).count();
        for n in &order {
            let draft = if *n == 0 {
                Draft {
                    guard: (!root).then_some(guard.clone()),
                    env: std::mem::take(&mut env),
                    passed: Bits::new(meetings),
                    ..Draft::default()
                }
            } else {
                self.join(*n, &graph, &live, &vars, &out_symbols, &mut drafts)?
            };
            let draft = self.node(*n, draft, &vars, &out_symbols)?;
            drafts.insert(*n, draft);
        }
        self.finish(&order, drafts, guard, root, interface)
    }

    pub(super) fn put(&self, env: &mut Slots, var: Var, term: Term) {
        if let Some(place) = self.slots.get(&var).and_then(|s| env.get_mut(*s)) {
            *place = Some(term);
        }
    }

    /// Gives every variable that occurs a slot.
    fn number_slots(&mut self, order: &[usize], ins: &[Var], outs: &[Var]) {
        let mut vars: BTreeSet<Var> = ins.iter().chain(outs).copied().collect();
        for node in order.iter().filter_map(|n| self.proc.nodes.get(*n)) {
            for cmd in &node.cmds {
                for_reads(&cmd.kind, self.callees, &mut |v| {
                    vars.insert(v);
                });
                for_writes(&cmd.kind, self.callees, &mut |v| {
                    vars.insert(v);
                });
            }
        }
        self.slots = vars.into_iter().enumerate().map(|(i, v)| (v, i)).collect();
    }

    /// The slots whose values matter at the beginning of each node.
    fn liveness(&self, order: &[usize], outs: &[Var]) -> BTreeMap<usize, Bits> {
        let mut live: BTreeMap<usize, Bits> = BTreeMap::new();
        for n in order.iter().rev() {
            let Some(node) = self.proc.nodes.get(*n) else {
                continue;
            };
            let mut bits = Bits::new(self.slots.len());
            if *n == self.proc.exit {
                outs.iter()
                    .filter_map(|v| self.slots.get(v))
                    .for_each(|s| bits.set(*s, true));
            }
            for succ in &node.succs {
                if let Some(next) = live.get(succ) {
                    bits.union(next);
                }
            }
            for cmd in node.cmds.iter().rev() {
                let mut change = |v: Var, on: bool| {
                    if let Some(s) = self.slots.get(&v) {
                        bits.set(*s, on);
                    }
                };
                for_writes(&cmd.kind, self.callees, &mut |v| change(v, false));
                for_reads(&cmd.kind, self.callees, &mut |v| change(v, true));
            }
            live.insert(*n, bits);
        }
        live
    }

    pub(super) fn term(&mut self, env: &Slots, expr: &Expr) -> Result<Term, Unsupported> {
        let slots = &self.slots;
        let value = |var: Var| {
            let slot = slots.get(&var).and_then(|s| env.get(*s));
            // Every variable that is read is live, and has a value.
            slot.cloned().flatten().unwrap_or_else(|| Term::bool(false))
        };
        self.symbols.term(expr, &value)
    }

    /// A term as a name, if it is large.
    pub(super) fn named(
        &mut self,
        draft: &mut Draft,
        term: Term,
        ty: &Type,
        limit: u32,
    ) -> Result<Term, Unsupported> {
        if term.size() <= limit {
            return Ok(term);
        }
        let sort = self.symbols.sort(ty)?;
        let symbol = self.fresh(sort);
        let symbol = Term::symbol(symbol);
        draft
            .always
            .push(Term::app("=", vec![symbol.clone(), term]));
        Ok(symbol)
    }
}
