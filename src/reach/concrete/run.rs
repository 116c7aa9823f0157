//! One execution from the entry on, as far as it goes.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Value;
use super::eval::{Scope, Undefined};
use crate::boogie::ast::Pos;
use crate::boogie::typed::{BoogieType, GlobalId, LocalId, TypedExpr, VariableRef};
use crate::ids::{Table, id};
use crate::internal::{Internal, Sure};
use crate::reach::encode::{SiteId, Vc, VcNodeId};
use crate::reach::error::{ReachError, Result};
use crate::reach::graph::{NodeId, Proc, ProcId, Simple};
use crate::reach::program::PreparedEntry;
use crate::reach::shared::CallPlace;
use crate::reach::term::Symbol;

/// After so many commands an execution is given up.
const STEPS: usize = 200_000;

/// The same after so many calls.
const CALLS: usize = 5_000;

/// An execution is guesswork where of so many ways more than one is taken though it is not known to be the right one.
const GUESSES: usize = 10;

/// So many nodes are looked at to see whether a way can be taken.
const AHEAD: usize = 8;

id! {
    /// A call of a run.
    pub(in crate::reach) RunId;
}

/// Where the values come from that nothing determines.
pub(in crate::reach) trait Inputs {
    /// A call of which something is known.
    type Call: Copy;
    /// So often values are chosen where a command gives any, until what is assumed of them holds.
    const DRAWS: usize;
    /// The entry.
    fn entry(&self) -> Self::Call;
    /// The call that a known one makes at a site; none where nothing is known of it.
    fn callee(&self, caller: Self::Call, site: SiteId) -> Result<Option<Self::Call>, Internal>;
    /// The value of a symbol of a call's verification condition that stands for any.
    fn any(&mut self, call: Option<Self::Call>, symbol: Symbol, ty: &BoogieType) -> Value;
    /// The value of what the program does not define.
    fn undefined(&self, what: Undefined<'_>, ty: &BoogieType) -> Value;
    /// The way that a call takes from a node with several; none if any may be taken that can be.
    fn way(&self, call: Option<Self::Call>, from: VcNodeId) -> Result<Option<VcNodeId>, Internal>;
    /// One of so many ways, at least one, that can all be taken.
    fn pick(&mut self, ways: usize) -> usize;
    /// Is there no more time?
    fn is_over(&self) -> bool;
}

/// How an execution ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::reach) enum End {
    /// At the end of the entry, which is what is asked for.
    Fails,
    /// What is assumed does not hold there, or no way leads on.
    Blocked(Option<Pos>),
    /// It was given up: it is too long, or something in it cannot be executed.
    #[default]
    GivenUp,
}

/// An execution.
#[derive(Default)]
pub(in crate::reach) struct Run {
    /// Its calls, each before those that it makes; the first is the entry.
    pub(in crate::reach) frames: Table<RunId, RunFrame>,
    /// The ways that were taken where there are several, in order: the call, the node, and the next one.
    pub(in crate::reach) ways: Vec<(RunId, NodeId, NodeId)>,
    /// How it ends.
    pub(in crate::reach) end: End,
    /// The checks that it passes, and where it is blocked: at least so many parts of what is assumed there keep it from failing, or from
    /// going on.
    pub(in crate::reach) passed: BTreeMap<CheckPlace, usize>,
    /// How many conditions were assumed, and of how many of these it is not known whether they hold.
    pub(in crate::reach) assumed: usize,
    pub(in crate::reach) unknown: usize,
    /// Does it hang on what the program does not define?
    pub(in crate::reach) has_undefined: bool,
    /// The values that were recorded, in order.
    pub(in crate::reach) records: Vec<Value>,
    /// Does it end in a procedure that the entry calls?
    is_cut_short: bool,
    guesses: usize,
}

impl Run {
    /// Was it mostly not known which way is taken, or is it none at all?
    pub(in crate::reach) fn leads_nowhere(&self) -> bool {
        self.is_cut_short || self.is_guesswork()
    }

    fn is_guesswork(&self) -> bool {
        self.guesses * GUESSES > self.ways.len()
    }
}

/// Where something is checked: the procedure, none for the entry, and the node that leads to the failure.
type CheckPlace = (Option<ProcId>, NodeId);

/// A call of an execution.
pub(in crate::reach) struct RunFrame {
    /// Who makes it, and where; none for the entry.
    pub(in crate::reach) caller: Option<(RunId, SiteId)>,
}

/// Can a way be taken? What is better comes later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Possible {
    /// It cannot: no way from there leads on, or so many parts of what is assumed are false.
    No(Option<usize>),
    Unknown,
    /// Nothing is assumed on it.
    Free,
    /// All holds that is assumed on it. A loop goes on so long as this is true of its body.
    Yes,
}

/// What is being executed.
struct Active<'e, C> {
    run: RunId,
    call: Option<C>,
    /// Its number; none for the entry.
    number: Option<ProcId>,
    proc: &'e Proc,
    vc: Arc<Vc>,
    node: NodeId,
    cmd: usize,
    locals: Table<LocalId, Value>,
    /// What gets the results.
    outs: &'e [Option<VariableRef>],
}

impl<C> Active<'_, C> {
    /// Does an execution that comes to a node soon fail, whatever it does?
    fn fails_from(&self, mut node: NodeId) -> Result<bool, Internal> {
        for _ in 0..AHEAD {
            if self.proc.nodes.at(node)?.failure.is_some() {
                return Ok(true);
            }
            let next = self.proc.succs(node)?.iter();
            let mut next = next.filter(|next| self.vc.sources.nodes.contains_key(next));
            match (next.next(), next.next()) {
                (Some(only), None) => node = *only,
                _ => return Ok(false),
            }
        }
        Ok(false)
    }

    /// The node of the graph that one of the verification condition comes from.
    fn node_at(&self, place: VcNodeId) -> Result<NodeId, Internal> {
        let nodes = &self.vc.sources.nodes;
        let next = self.proc.succs(self.node)?.iter();
        let mut next = next.filter(|next| nodes.get(next) == Some(&place));
        next.next().copied().sure()
    }
}

struct Runner<'e, 'p, I: Inputs> {
    entry: &'e PreparedEntry<'p>,
    bound: u32,
    inputs: &'e mut I,
    globals: Table<GlobalId, Value>,
    stack: Vec<Active<'e, I::Call>>,
    made: Run,
}

/// Executes the entry on these values, until it fails, or no way leads on, or a procedure recurs more often than `bound`.
///
/// # Errors
///
/// A construct among what it calls that the engine cannot do.
pub(in crate::reach) fn run<I: Inputs>(
    entry: &PreparedEntry<'_>,
    bound: u32,
    inputs: &mut I,
) -> Result<Run> {
    let call = Some(inputs.entry());
    let mut runner = Runner {
        entry,
        bound,
        inputs,
        globals: Table::like(&entry.prepared.typed.globals, Value::Unknown),
        stack: Vec::new(),
        made: Run::default(),
    };
    let proc = entry.root_proc();
    let locals = Table::like(&proc.vars, Value::Unknown);
    runner.enter(
        RunFrame { caller: None },
        call,
        (None, proc, entry.root()?),
        locals,
        &[],
    )?;
    for _ in 0..STEPS {
        // Where nearly nothing is known, it is soon seen.
        let is_lost = runner.made.guesses > GUESSES && runner.made.is_guesswork();
        if is_lost || runner.made.frames.len() > CALLS || runner.inputs.is_over() {
            break;
        }
        if let Some(end) = runner.step()? {
            runner.made.end = end;
            break;
        }
    }
    runner.made.is_cut_short = runner.stack.len() > 1;
    Ok(runner.made)
}

impl<'e, I: Inputs> Runner<'e, '_, I> {
    /// Begins a call whose parameters have their values.
    fn enter(
        &mut self,
        frame: RunFrame,
        call: Option<I::Call>,
        (number, proc, vc): (Option<ProcId>, &'e Proc, Arc<Vc>),
        locals: Table<LocalId, Value>,
        outs: &'e [Option<VariableRef>],
    ) -> Result<(), Internal> {
        self.stack.push(Active {
            run: self.made.frames.push(frame),
            call,
            number,
            proc,
            vc: vc.clone(),
            node: proc.entry(),
            cmd: 0,
            locals,
            outs,
        });
        for (var, (symbol, ty)) in &vc.sources.first {
            self.give_any(call, (*var, *symbol, ty))?;
        }
        Ok(())
    }

    /// Gives a variable the value of a symbol that stands for any.
    fn give_any(
        &mut self,
        call: Option<I::Call>,
        (var, symbol, ty): (VariableRef, Symbol, &BoogieType),
    ) -> Result<(), Internal> {
        let value = self.inputs.any(call, symbol, ty);
        self.made.has_undefined |= value.has_names();
        self.set(var, value)
    }

    /// The next command, or the next node. How it ends, if it does.
    fn step(&mut self) -> Result<Option<End>> {
        let active = self.stack.last_mut().sure()?;
        let node = active.proc.nodes.at(active.node)?;
        let place = (active.node, active.cmd);
        match node.cmds.get(active.cmd) {
            None => self.leave_node(),
            Some(cmd) => {
                active.cmd += 1;
                self.command(place, &cmd.kind)
            }
        }
    }

    fn command(&mut self, place: CallPlace, cmd: &'e Simple) -> Result<Option<End>> {
        match cmd {
            Simple::Assume(e) => {
                let holds = self.value(e)?;
                self.made.assumed += 1;
                self.made.unknown += usize::from(holds == Value::Unknown);
                match holds == Value::Bool(false) {
                    true => Ok(Some(self.blocked()?)),
                    false => Ok(None),
                }
            }
            Simple::Record(_, e) => {
                let value = self.value(e)?;
                self.made.records.push(value);
                Ok(None)
            }
            Simple::Assign(pairs) => {
                let mut values = Vec::new();
                for (var, e) in pairs {
                    values.push((*var, self.value(e)?));
                }
                for (var, value) in values {
                    self.set(var, value)?;
                }
                Ok(None)
            }
            Simple::Havoc(vars) => {
                // What is assumed of the values behind is heeded.
                for draws in 0..I::DRAWS {
                    self.draw(place, vars, draws > 0)?;
                    let active = self.stack.last().sure()?;
                    let possible = self.possible(active, active.node, active.cmd)?;
                    if !matches!(possible, Possible::No(_)) {
                        return Ok(None);
                    }
                }
                Ok(Some(self.blocked()?))
            }
            Simple::Call { callee, args, outs } => {
                let mut given = Vec::new();
                for arg in args {
                    given.push(match arg {
                        Some(e) => self.value(e)?,
                        None => Value::Unknown,
                    });
                }
                self.call(place, *callee, given, outs)
            }
        }
    }

    /// Gives variables any values; others than before if these would not do.
    fn draw(&mut self, place: CallPlace, vars: &[VariableRef], anew: bool) -> Result<(), Internal> {
        let active = self.stack.last().sure()?;
        let (call, vc) = (active.call.filter(|_| !anew), active.vc.clone());
        let chosen = vc.sources.choices.get(&place).sure()?;
        for (var, (symbol, ty)) in vars.iter().zip(chosen) {
            self.give_any(call, (*var, *symbol, ty))?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        place: CallPlace,
        callee: ProcId,
        given: Vec<Value>,
        outs: &'e [Option<VariableRef>],
    ) -> Result<Option<End>> {
        let active = self.stack.last().sure()?;
        let Some(site) = active.vc.sources.calls.get(&place).copied() else {
            return Ok(Some(End::GivenUp));
        };
        let caller = (active.run, site);
        let call = match active.call {
            Some(call) => self.inputs.callee(call, site)?,
            None => None,
        };
        let proc = self.entry.proc(callee)?;
        if self.entry.is_recursive(callee)? {
            let same = self.stack.iter().filter(|a| std::ptr::eq(a.proc, proc));
            if same.count() as u32 >= self.bound.saturating_add(proc.extra_bound) {
                return Ok(Some(End::GivenUp));
            }
        }
        let mut locals = Table::like(&proc.vars, Value::Unknown);
        for (var, value) in proc.ins.iter().zip(given) {
            *locals.at_mut(*var)? = value;
        }
        let vc = match self.entry.vc(callee) {
            Ok(vc) => vc,
            // A proof need not go into it; an execution ends here.
            Err(ReachError::Unsupported(_)) => return Ok(Some(End::GivenUp)),
            Err(error) => return Err(error),
        };
        let caller = Some(caller);
        let callee = (Some(callee), proc, vc);
        self.enter(RunFrame { caller }, call, callee, locals, outs)?;
        Ok(None)
    }

    /// At the end of a node: to the next one, or back to the caller.
    fn leave_node(&mut self) -> Result<Option<End>> {
        let active = self.stack.last().sure()?;
        if active.node == active.proc.exit {
            return self.leave();
        }
        let place = *active.vc.sources.nodes.get(&active.node).sure()?;
        let several = active.vc.nodes.at(place)?.next.len() > 1;
        let known = match several {
            true => self.inputs.way(active.call, place)?,
            false => None,
        };
        let next = match known {
            Some(next) => active.node_at(next)?,
            None => match self.possible_way(several)? {
                Some(next) => next,
                None => return Ok(Some(self.blocked()?)),
            },
        };
        let active = self.stack.last_mut().sure()?;
        if several {
            self.made.ways.push((active.run, active.node, next));
        }
        (active.node, active.cmd) = (next, 0);
        Ok(None)
    }

    /// One of the ways that can best be taken; none where there is no such.
    fn possible_way(&mut self, several: bool) -> Result<Option<NodeId>> {
        let active = self.stack.last().sure()?;
        let mut ways = Vec::new();
        for next in active.proc.succs(active.node)? {
            ways.push((self.possible(active, *next, 0)?, *next));
        }
        let best = ways.iter().map(|(possible, _)| *possible).max();
        let best = best.filter(|best| !matches!(best, Possible::No(_)));
        for (possible, next) in &ways {
            if let Possible::No(Some(misses)) = possible
                && (best.is_none() || active.fails_from(*next)?)
            {
                let passed = self.made.passed.entry((active.number, *next));
                let least = passed.or_insert(*misses);
                *least = (*least).min(*misses);
            }
        }
        let Some(possible) = best else {
            return Ok(None);
        };
        ways.retain(|(p, _)| *p == possible);
        let (_, next) = *ways.get(self.inputs.pick(ways.len())).sure()?;
        self.made.guesses += usize::from(several && possible == Possible::Unknown);
        Ok(Some(next))
    }

    /// Back to the caller, with the results.
    fn leave(&mut self) -> Result<Option<End>> {
        let done = self.stack.pop().sure()?;
        if self.stack.is_empty() {
            return Ok(Some(End::Fails));
        }
        for (out, var) in done.proc.outs.iter().zip(done.outs) {
            if let Some(var) = var {
                self.set(*var, done.locals.at(*out)?.clone())?;
            }
        }
        Ok(None)
    }

    /// The end of an execution that does not go on from here.
    fn blocked(&self) -> Result<End, Internal> {
        let active = self.stack.last().sure()?;
        let node = active.proc.nodes.at(active.node)?;
        let before = node.cmds.iter().take(active.cmd).rev();
        Ok(End::Blocked(before.filter_map(|cmd| cmd.pos).next()))
    }

    /// Can an execution go on in this node with that command? Only what is assumed before the next call or choice of a value is
    /// looked at.
    fn possible(
        &self,
        active: &Active<'_, I::Call>,
        mut node: NodeId,
        first: usize,
    ) -> Result<Possible> {
        let mut first = Some(first);
        let mut changed: BTreeMap<VariableRef, Value> = BTreeMap::new();
        let mut possible = Possible::Free;
        for _ in 0..AHEAD {
            if !active.vc.sources.nodes.contains_key(&node) {
                return Ok(Possible::No(None));
            }
            let cmds = active.proc.nodes.at(node)?.cmds.iter();
            for cmd in cmds.skip(first.take().unwrap_or_default()) {
                let variable = |v: VariableRef| match changed.get(&v) {
                    Some(value) => value.clone(),
                    None => self.variable(active, v),
                };
                let undefined =
                    |what: Undefined<'_>, ty: &BoogieType| self.inputs.undefined(what, ty);
                let scope = Scope::new(&self.entry.prepared.typed, &variable, &undefined);
                match &cmd.kind {
                    Simple::Assume(e) => match scope.value(e) {
                        Value::Bool(true) if possible == Possible::Free => possible = Possible::Yes,
                        Value::Bool(true) => {}
                        Value::Bool(false) => {
                            return Ok(Possible::No(Some(scope.misses(e, true))));
                        }
                        _ => possible = Possible::Unknown,
                    },
                    Simple::Assign(pairs) => {
                        let values: Vec<(VariableRef, Value)> =
                            pairs.iter().map(|(v, e)| (*v, scope.value(e))).collect();
                        changed.extend(values);
                    }
                    Simple::Record(..) => {}
                    Simple::Havoc(_) | Simple::Call { .. } => return Ok(possible),
                }
            }
            match active.proc.succs(node)? {
                [only] => node = *only,
                _ => return Ok(possible),
            }
        }
        Ok(possible)
    }

    fn value(&mut self, expr: &TypedExpr) -> Result<Value, Internal> {
        let active = self.stack.last().sure()?;
        let variable = |v| self.variable(active, v);
        let has_undefined = Cell::new(false);
        let undefined = |what: Undefined<'_>, ty: &BoogieType| {
            has_undefined.set(true);
            self.inputs.undefined(what, ty)
        };
        let scope = Scope::new(&self.entry.prepared.typed, &variable, &undefined);
        let value = scope.value(expr);
        self.made.has_undefined |= has_undefined.get();
        Ok(value)
    }

    fn variable(&self, active: &Active<'_, I::Call>, var: VariableRef) -> Value {
        let known = match var {
            VariableRef::Local(v) => active.locals.at(v).ok(),
            VariableRef::Global(g) => self.globals.at(g).ok(),
        };
        known.cloned().unwrap_or(Value::Unknown)
    }

    fn set(&mut self, var: VariableRef, value: Value) -> Result<(), Internal> {
        match var {
            VariableRef::Local(v) => *self.stack.last_mut().sure()?.locals.at_mut(v)? = value,
            VariableRef::Global(g) => *self.globals.at_mut(g)? = value,
        }
        Ok(())
    }
}
