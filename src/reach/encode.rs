//! The verification condition of a procedure: a formula over its interface that is true when it has an execution from
//! its entry to its exit.
//!
//! Every node of the (acyclic) graph has a Boolean that says "the execution comes through here". It implies what the
//! node assumes and that one of its ways out is taken; a way out implies the next node's Boolean and, where ways meet,
//! that the variables' new names equal what they were called on this way. So the formula is as large as the graph, not
//! as its number of paths. A call implies the Boolean of its *site*, which is the guard of the callee's own formula once
//! that is there; until then the callee's results are free.
//!
//! The formula is a text with places for names, so that one encoding serves every inlined copy.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;

use super::dag::{Bits, Graph, for_reads, for_writes, meeting_points, useful};
use super::effects::Effects;
use super::graph::{Failure, Proc, Simple, Unsupported};
use super::linear::{Indicators, Meeting};
use super::shared::Shared;
use super::symbols::Symbols;
use super::term::{Template, Term};
use crate::boogie::ast::Pos;
use crate::boogie::typed::{BinOp, Expr, ExprKind, Type, Var};

/// An assigned term larger than this gets a name.
const NAMED_SIZE: u32 = 8;

/// As is a sum that is larger than this where ways meet.
const SUM_SIZE: u32 = 24;

/// The verification condition of a procedure.
#[derive(Clone, Debug)]
pub struct Vc {
    /// The procedure's name.
    pub name: Arc<str>,
    /// Is it a loop?
    pub is_loop: bool,
    /// The sorts of its symbols: first the guard, then the interface, then its own.
    pub sorts: Vec<String>,
    /// How many symbols are the guard and the interface.
    pub interface: u32,
    /// The formula: these all hold.
    pub facts: Vec<Template>,
    /// Its calls.
    pub sites: Vec<Site>,
    /// What to read off a model: the nodes, the first being the entry.
    pub nodes: Vec<VcNode>,
    /// The entry node.
    pub entry: usize,
}

impl Vc {
    /// A condition that says nothing.
    pub(super) fn nothing() -> Self {
        Vc {
            name: "".into(),
            is_loop: false,
            sorts: Vec::new(),
            interface: 0,
            facts: Vec::new(),
            sites: Vec::new(),
            nodes: Vec::new(),
            entry: 0,
        }
    }
}

/// A call.
#[derive(Clone, Debug)]
pub struct Site {
    /// The callee.
    pub callee: usize,
    /// Its Boolean.
    pub guard: u32,
    /// What the callee's interface stands for: names and literals.
    pub interface: Vec<Template>,
}

/// A node of a verification condition.
#[derive(Clone, Debug, Default)]
pub struct VcNode {
    /// The next nodes, each with the symbol that says it is next; none if it is the only one.
    pub next: Vec<(Option<u32>, usize)>,
    /// What happens there, for the trace.
    pub events: Vec<Event>,
    /// Why the procedure fails there.
    pub failure: Option<Failure>,
}

/// Something for the trace.
#[derive(Clone, Debug)]
pub enum Event {
    /// A block of the text begins.
    Block(Pos, String),
    /// A command.
    Command(Pos),
    /// A call: the number of its site.
    Call(Option<Pos>, usize),
    /// A recorded value, and its type.
    Record(Pos, Option<String>, Template, Type),
}

/// The sorts of a procedure's interface: parameters, then results.
pub fn interface(proc: &Proc, effects: &Effects) -> (Vec<Var>, Vec<Var>) {
    let ins = proc.ins.iter().map(|i| Var::Local(*i));
    let outs = proc.outs.iter().map(|i| Var::Local(*i));
    (
        ins.chain(effects.uses.iter().map(|g| Var::Global(*g)))
            .collect(),
        outs.chain(effects.writes.iter().map(|g| Var::Global(*g)))
            .collect(),
    )
}

/// What is known of the procedures that are called.
pub trait Callees {
    /// The globals that the procedure of that number uses and writes.
    fn effects(&self, callee: usize) -> &Effects;
    /// The types of the results by name of that procedure.
    fn result_types(&self, callee: usize) -> Vec<Type>;
    /// The types of the parameters by name of that procedure.
    fn param_types(&self, callee: usize) -> Vec<Type>;
    /// Does that procedure call none?
    fn is_leaf(&self, callee: usize) -> bool;
}

/// What a verification condition is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The entry: no guard and no interface. It is true when the whole program has an execution.
    Root,
    /// A procedure that is called.
    Callee,
    /// A piece of a procedure as a Horn clause: as few variables as can be.
    Clause,
}

/// Encodes an acyclic procedure.
///
/// # Errors
///
/// A construct that cannot be said to the solver.
pub fn encode(
    proc: &Proc,
    effects: &Effects,
    style: Style,
    callees: &dyn Callees,
    globals: &[crate::boogie::typed::Variable],
    symbols: &mut Symbols,
) -> Result<Vc, Unsupported> {
    let encoder = Encoder {
        proc,
        style,
        callees,
        globals,
        symbols,
        sorts: Vec::new(),
        sites: Vec::new(),
        results: Vec::new(),
        shared: Shared::default(),
        shared_sites: BTreeMap::new(),
        slots: BTreeMap::new(),
        indicators: Indicators::default(),
        meetings: 0,
    };
    encoder.run(effects, style == Style::Root)
}

type Slots = Vec<Option<Term>>;

/// A node while it is encoded.
#[derive(Default)]
struct Draft {
    /// The node's Boolean; none is `true`.
    guard: Option<Term>,
    /// What the guard implies.
    facts: Vec<Term>,
    /// What holds whether or not the execution comes here: names for terms.
    always: Vec<Term>,
    /// The meetings of ways that it has come through.
    passed: Bits,
    /// The ways out: the next node, its Boolean, and what it implies.
    edges: Vec<(usize, Option<Term>, Vec<Term>)>,
    env: Slots,
    events: Vec<Event>,
    dead: bool,
}

struct Encoder<'a> {
    proc: &'a Proc,
    style: Style,
    callees: &'a dyn Callees,
    globals: &'a [crate::boogie::typed::Variable],
    symbols: &'a mut Symbols,
    sorts: Vec<String>,
    sites: Vec<Site>,
    /// The results of each site.
    results: Vec<Vec<Term>>,
    /// Which calls share a site, and the sites that are shared: number, guard, and what the callee is given.
    shared: Shared,
    shared_sites: BTreeMap<usize, (usize, Term, Vec<Term>)>,
    slots: BTreeMap<Var, usize>,
    indicators: Indicators,
    /// How many meetings of ways there have been.
    meetings: usize,
}

impl Encoder<'_> {
    fn fresh(&mut self, sort: impl Into<String>) -> u32 {
        self.sorts.push(sort.into());
        self.sorts.len() as u32 - 1
    }

    fn fresh_of(&mut self, ty: &Type) -> Result<Term, Unsupported> {
        let sort = self.symbols.sort(ty)?;
        Ok(Term::symbol(self.fresh(sort)))
    }

    fn fresh_bool(&mut self) -> Term {
        Term::symbol(self.fresh("Bool"))
    }

    fn ty(&self, var: Var) -> Type {
        let ty = match var {
            Var::Local(i) => self.proc.vars.get(i).map(|(_, ty)| ty),
            Var::Global(i) => self.globals.get(i).map(|g| &g.ty),
        };
        ty.cloned().unwrap_or(Type::Bool)
    }

    fn run(mut self, effects: &Effects, root: bool) -> Result<Vc, Unsupported> {
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

    fn put(&self, env: &mut Slots, var: Var, term: Term) {
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

    /// The beginning of a node: its Boolean, and the variables where ways meet.
    fn join(
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

    /// The commands of a node.
    fn node(
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

    fn term(&mut self, env: &Slots, expr: &Expr) -> Result<Term, Unsupported> {
        let slots = &self.slots;
        let value = |var: Var| {
            let slot = slots.get(&var).and_then(|s| env.get(*s));
            // Every variable that is read is live, and has a value.
            slot.cloned().flatten().unwrap_or_else(|| Term::bool(false))
        };
        self.symbols.term(expr, &value)
    }

    /// A term as a name, if it is large.
    fn named(
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

    /// A call; `shared` is the number of the site that it shares with others.
    fn call(
        &mut self,
        draft: &mut Draft,
        pos: Option<Pos>,
        shared: Option<usize>,
        callee: usize,
        args: &[Option<Expr>],
        outs: &[Option<Var>],
    ) -> Result<(), Unsupported> {
        let effects = self.callees.effects(callee);
        let mut given: Vec<(Option<Term>, Type)> = Vec::new();
        for (arg, ty) in args.iter().zip(self.callees.param_types(callee)) {
            let term = arg.as_ref().map(|e| self.term(&draft.env, e)).transpose()?;
            given.push((term, ty));
        }
        for global in &effects.uses {
            let var = Var::Global(*global);
            let slot = self.slots.get(&var).and_then(|s| draft.env.get(*s));
            let term = slot.cloned().flatten().unwrap_or_else(|| Term::bool(false));
            given.push((Some(term), self.ty(var)));
        }
        let site = match shared {
            Some(number) => self.shared_site(draft, number, callee, given)?,
            None => self.own_site(draft, callee, given)?,
        };
        let Some(results) = self.results.get(site).cloned() else {
            return Ok(());
        };
        let by_name = outs.iter().copied();
        let globals = effects.writes.iter().map(|g| Some(Var::Global(*g)));
        for (var, symbol) in by_name.chain(globals).zip(results) {
            if let Some(var) = var {
                self.put(&mut draft.env, var, symbol);
            }
        }
        draft.events.push(Event::Call(pos, site));
        Ok(())
    }

    /// A site for one call.
    fn own_site(
        &mut self,
        draft: &mut Draft,
        callee: usize,
        given: Vec<(Option<Term>, Type)>,
    ) -> Result<usize, Unsupported> {
        let mut interface = Vec::new();
        for (term, ty) in given {
            interface.push(match term {
                None => self.fresh_of(&ty)?,
                Some(term) => self.named(draft, term, &ty, 1)?,
            });
        }
        // The node's own Boolean will do for a site; `true` will not, for a site can be blocked.
        let guard = match &draft.guard {
            Some(guard) => guard.clone(),
            None => {
                let guard = self.fresh_bool();
                draft.facts.push(guard.clone());
                guard
            }
        };
        self.site(callee, &guard, interface)
    }

    /// A site for several calls of which no execution makes more than one: each says what the callee is given.
    fn shared_site(
        &mut self,
        draft: &mut Draft,
        number: usize,
        callee: usize,
        given: Vec<(Option<Term>, Type)>,
    ) -> Result<usize, Unsupported> {
        let (site, guard, params) = match self.shared_sites.get(&number) {
            Some(known) => known.clone(),
            None => {
                let guard = self.fresh_bool();
                let mut params = Vec::new();
                for (_, ty) in &given {
                    params.push(self.fresh_of(ty)?);
                }
                let site = self.site(callee, &guard, params.clone())?;
                let made = (site, guard, params);
                self.shared_sites.insert(number, made.clone());
                made
            }
        };
        draft.facts.push(guard);
        for (param, (term, _)) in params.iter().zip(given) {
            draft.facts.extend(term.map(|t| param.equal(&t)));
        }
        Ok(site)
    }

    /// Adds a site, with symbols for the results.
    fn site(
        &mut self,
        callee: usize,
        guard: &Term,
        mut interface: Vec<Term>,
    ) -> Result<usize, Unsupported> {
        let mut types = self.callees.result_types(callee);
        let effects = self.callees.effects(callee);
        types.extend(effects.writes.iter().map(|g| self.ty(Var::Global(*g))));
        let mut results = Vec::new();
        for ty in types {
            results.push(self.fresh_of(&ty)?);
        }
        interface.extend(results.iter().cloned());
        let template = |t: &Term| {
            let mut template = Template::default();
            template.term(t);
            template
        };
        self.results.push(results);
        self.sites.push(Site {
            callee,
            guard: match guard.kind() {
                super::term::Kind::Symbol(n) => *n,
                _ => 0,
            },
            interface: interface.iter().map(template).collect(),
        });
        Ok(self.sites.len() - 1)
    }

    /// The text of all nodes that lead from the entry to the exit.
    fn finish(
        self,
        order: &[usize],
        mut drafts: BTreeMap<usize, Draft>,
        guard: Term,
        root: bool,
        interface: u32,
    ) -> Result<Vc, Unsupported> {
        let exit = self.proc.exit;
        for n in order.iter().rev() {
            let dead = match drafts.get(n) {
                Some(d) if !d.dead => {
                    *n != exit
                        && !d
                            .edges
                            .iter()
                            .any(|(s, ..)| drafts.get(s).is_some_and(|d| !d.dead))
                }
                _ => true,
            };
            if let Some(d) = drafts.get_mut(n) {
                d.dead = dead;
            }
        }
        let places: BTreeMap<usize, usize> = order
            .iter()
            .filter(|n| drafts.get(n).is_some_and(|d| !d.dead))
            .enumerate()
            .map(|(place, n)| (*n, place))
            .collect();
        let meets = match self.style {
            Style::Clause => BTreeMap::new(),
            _ => meeting_points(order, |n| {
                let edges = drafts.get(&n).map_or(&[][..], |d| d.edges.as_slice());
                let succs = edges.iter().map(|(s, ..)| *s);
                succs.filter(|s| places.contains_key(s)).collect()
            }),
        };
        let mut text = Vec::new();
        let mut nodes = Vec::new();
        if places.is_empty() {
            fact(&mut text, (!root).then_some(&guard), &Term::bool(false));
            nodes.push(VcNode::default());
        }
        let mut sites: Vec<Site> = Vec::new();
        let mut kept: BTreeMap<usize, usize> = BTreeMap::new();
        for n in order.iter().filter(|n| places.contains_key(n)) {
            let Some(draft) = drafts.get(n) else { continue };
            for term in &draft.always {
                fact(&mut text, None, term);
            }
            let mut facts = draft.facts.clone();
            let mut next = Vec::new();
            let mut ways = Vec::new();
            let live: Vec<_> = draft
                .edges
                .iter()
                .filter_map(|e| Some((e, *places.get(&e.0)?)))
                .collect();
            for ((_, edge, implied), place) in live {
                match edge {
                    Some(edge) => {
                        ways.push(edge.clone());
                        let symbol = match edge.kind() {
                            super::term::Kind::Symbol(n) => Some(*n),
                            _ => None,
                        };
                        next.push((symbol, place));
                        if !implied.is_empty() {
                            fact(&mut text, Some(edge), &Term::and(implied.iter().cloned()));
                        }
                    }
                    None => {
                        next.push((None, place));
                        facts.extend(implied.iter().cloned());
                    }
                }
            }
            if !ways.is_empty() {
                facts.push(Term::or(ways));
            }
            // Where all ways lead is known before one is chosen.
            let meets = meets.get(n).and_then(|m| drafts.get(m));
            if let Some(guard) = meets.and_then(|d| d.guard.clone()) {
                facts.push(guard);
            }
            let all = Term::and(facts);
            if all.as_bool() != Some(true) {
                fact(&mut text, draft.guard.as_ref(), &all);
            }
            let mut events = draft.events.clone();
            for event in &mut events {
                if let Event::Call(_, site) = event
                    && let Some(s) = self.sites.get(*site)
                {
                    *site = *kept.entry(*site).or_insert_with(|| {
                        sites.push(s.clone());
                        sites.len() - 1
                    });
                }
            }
            nodes.push(VcNode {
                next,
                events,
                failure: self.proc.nodes.get(*n).and_then(|n| n.failure.clone()),
            });
        }
        Ok(Vc {
            name: self.proc.name.as_str().into(),
            is_loop: self.proc.is_loop,
            sorts: self.sorts,
            interface,
            facts: text,
            sites,
            nodes,
            entry: 0,
        })
    }
}

/// `guard => fact`
fn fact(facts: &mut Vec<Template>, guard: Option<&Term>, fact: &Term) {
    let mut text = Template::default();
    match guard {
        Some(guard) => {
            text.text("(=> ");
            text.term(guard);
            text.text(" ");
            text.term(fact);
            text.text(")");
        }
        None => text.term(fact),
    }
    facts.push(text);
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
