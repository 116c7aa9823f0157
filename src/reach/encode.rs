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

use super::dag::{Bits, Graph, for_reads, for_writes, useful};
use super::effects::Effects;
use super::graph::{Failure, Proc, Simple, Unsupported};
use super::symbols::Symbols;
use super::term::{Template, Term};
use crate::boogie::ast::Pos;
use crate::boogie::typed::{Expr, ExprKind, Type, Var};

/// An assigned term larger than this gets a name.
const NAMED_SIZE: u32 = 8;

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
}

/// Encodes an acyclic procedure. A root has no guard and no interface: its formula is true when the whole program has
/// an execution.
///
/// # Errors
///
/// A construct that cannot be said to the solver.
pub fn encode(
    proc: &Proc,
    effects: &Effects,
    root: bool,
    callees: &dyn Callees,
    globals: &[crate::boogie::typed::Variable],
    symbols: &mut Symbols,
) -> Result<Vc, Unsupported> {
    let encoder = Encoder {
        proc,
        callees,
        globals,
        symbols,
        sorts: Vec::new(),
        sites: Vec::new(),
        slots: BTreeMap::new(),
    };
    encoder.run(effects, root)
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
    definitions: Vec<(u32, Term)>,
    /// The ways out: the next node, its Boolean, and what it implies.
    edges: Vec<(usize, Option<Term>, Vec<Term>)>,
    env: Slots,
    events: Vec<Event>,
    dead: bool,
}

struct Encoder<'a> {
    proc: &'a Proc,
    callees: &'a dyn Callees,
    globals: &'a [crate::boogie::typed::Variable],
    symbols: &'a mut Symbols,
    sorts: Vec<String>,
    sites: Vec<Site>,
    slots: BTreeMap<Var, usize>,
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
        for n in &order {
            let draft = if *n == 0 {
                Draft {
                    guard: (!root).then_some(guard.clone()),
                    env: std::mem::take(&mut env),
                    ..Draft::default()
                }
            } else {
                self.join(*n, &graph, &live, &vars, &out_symbols, &mut drafts)?
            };
            let draft = self.node(*n, draft, &out_symbols)?;
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
            let terms: Vec<(usize, Term)> = preds
                .iter()
                .enumerate()
                .filter(|(_, p)| counts(p))
                .filter_map(|(i, p)| Some((i, drafts.get(p)?.env.get(slot)?.clone()?)))
                .collect();
            let Some((_, first)) = terms.first() else {
                continue;
            };
            if out.is_none() && terms.iter().all(|(_, t)| t == first) {
                if let Some(place) = draft.env.get_mut(slot) {
                    *place = Some(first.clone());
                }
                continue;
            }
            let ty = vars.get(slot).map_or(Type::Bool, |v| self.ty(*v));
            let joined = match out {
                Some(symbol) => symbol,
                None => self.fresh_of(&ty)?,
            };
            if ty == Type::Int && terms.len() == preds.len() {
                draft.facts.extend(between(&joined, &terms));
            }
            for (i, term) in terms {
                if let Some((_, _, facts)) = ways.get_mut(i) {
                    facts.push(joined.equal(&term));
                }
            }
            if let Some(place) = draft.env.get_mut(slot) {
                *place = Some(joined);
            }
        }
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
        for cmd in &node.cmds {
            if draft.dead {
                break;
            }
            let call = matches!(cmd.kind, Simple::Call { .. } | Simple::Record(..));
            if let (Some(pos), false) = (cmd.pos, call) {
                draft.events.push(Event::Command(pos));
            }
            self.command(&mut draft, cmd.pos, &cmd.kind)?;
        }
        if n == self.proc.exit {
            for (slot, symbol) in outs {
                let value = draft.env.get(*slot).cloned().flatten();
                if let Some(value) = value.filter(|v| v != symbol) {
                    draft.facts.push(symbol.equal(&value));
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
        draft.definitions.push((symbol, term));
        Ok(Term::symbol(symbol))
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
                    let limit = if matches!(e.kind, ExprKind::Var(_)) {
                        u32::MAX
                    } else {
                        NAMED_SIZE
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
            Simple::Call { callee, args, outs } => self.call(draft, pos, *callee, args, outs)?,
        }
        Ok(())
    }

    fn call(
        &mut self,
        draft: &mut Draft,
        pos: Option<Pos>,
        callee: usize,
        args: &[Option<Expr>],
        outs: &[Option<Var>],
    ) -> Result<(), Unsupported> {
        let effects = self.callees.effects(callee);
        let mut interface: Vec<Term> = Vec::new();
        for (arg, ty) in args.iter().zip(self.callees.param_types(callee)) {
            interface.push(match arg {
                None => self.fresh_of(&ty)?,
                Some(e) => {
                    let term = self.term(&draft.env, e)?;
                    self.named(draft, term, &e.ty, 1)?
                }
            });
        }
        for global in &effects.uses {
            let var = Var::Global(*global);
            let slot = self.slots.get(&var).and_then(|s| draft.env.get(*s));
            let term = slot.cloned().flatten().unwrap_or_else(|| Term::bool(false));
            let ty = self.ty(var);
            interface.push(self.named(draft, term, &ty, 1)?);
        }
        for (out, ty) in outs.iter().zip(self.callees.result_types(callee)) {
            let symbol = self.fresh_of(&ty)?;
            interface.push(symbol.clone());
            if let Some(var) = out {
                self.put(&mut draft.env, *var, symbol);
            }
        }
        for global in &effects.writes {
            let symbol = self.fresh_of(&self.ty(Var::Global(*global)))?;
            interface.push(symbol.clone());
            self.put(&mut draft.env, Var::Global(*global), symbol);
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
        let guard = match guard.kind() {
            super::term::Kind::Symbol(n) => *n,
            _ => 0,
        };
        let interface = interface
            .iter()
            .map(|t| {
                let mut template = Template::default();
                template.term(t);
                template
            })
            .collect();
        self.sites.push(Site {
            callee,
            guard,
            interface,
        });
        draft.events.push(Event::Call(pos, self.sites.len() - 1));
        Ok(())
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
        let mut text = Vec::new();
        let mut nodes = Vec::new();
        if places.is_empty() {
            fact(&mut text, (!root).then_some(&guard), &Term::bool(false));
            nodes.push(VcNode::default());
        }
        let mut sites = Vec::new();
        for n in order.iter().filter(|n| places.contains_key(n)) {
            let Some(draft) = drafts.get(n) else { continue };
            for (symbol, term) in &draft.definitions {
                let definition = Term::app("=", vec![Term::symbol(*symbol), term.clone()]);
                fact(&mut text, None, &definition);
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
            let all = Term::and(facts);
            if all.as_bool() != Some(true) {
                fact(&mut text, draft.guard.as_ref(), &all);
            }
            let mut events = draft.events.clone();
            for event in &mut events {
                if let Event::Call(_, site) = event
                    && let Some(s) = self.sites.get(*site)
                {
                    *site = sites.len();
                    sites.push(s.clone());
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
fn between(joined: &Term, terms: &[(usize, Term)]) -> Vec<Term> {
    let offsets: Vec<(Option<Term>, BigInt)> = terms.iter().map(|(_, t)| t.offset()).collect();
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
