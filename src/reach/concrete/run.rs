//! One execution from the entry on, as far as it goes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::eval::{Scope, Value};
use crate::boogie::typed::{BoogieType, GlobalId, LocalId, TypedExpr, VariableRef};
use crate::ids::{Table, id};
use crate::internal::{Internal, Sure};
use crate::reach::encode::{SiteId, Vc};
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

/// So often a value is chosen anew if what is assumed of it does not hold.
const DRAWS: usize = 20;

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
    /// The entry.
    fn entry(&self) -> Self::Call;
    /// The call that a known one makes at a site; none where nothing is known of it.
    fn callee(&self, caller: Self::Call, site: SiteId) -> Result<Option<Self::Call>, Internal>;
    /// The value of a symbol of a call's verification condition that stands for any.
    fn any(&mut self, call: Option<Self::Call>, symbol: Symbol, ty: &BoogieType) -> Value;
    /// One of so many ways, at least one, that can all be taken.
    fn pick(&mut self, ways: usize) -> usize;
}

/// An execution.
#[derive(Default)]
pub(in crate::reach) struct Run {
    /// Its calls, each before those that it makes; the first is the entry.
    pub(in crate::reach) frames: Table<RunId, RunFrame>,
    /// The ways that were taken where there are several, in order: the call, the node, and the next one.
    pub(in crate::reach) ways: Vec<(RunId, NodeId, NodeId)>,
    /// Does it come to the end of the entry, which is what is asked for?
    pub(in crate::reach) fails: bool,
    /// Does it end in a procedure that the entry calls, where something is assumed that does not hold, or something was too much?
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

/// A call of an execution.
pub(in crate::reach) struct RunFrame {
    /// Who makes it, and where; none for the entry.
    pub(in crate::reach) caller: Option<(RunId, SiteId)>,
}

/// Can a way be taken? What is better comes later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Possible {
    No,
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
    proc: &'e Proc,
    vc: Arc<Vc>,
    node: NodeId,
    cmd: usize,
    locals: Table<LocalId, Value>,
    /// What gets the results.
    outs: &'e [Option<VariableRef>],
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
        (proc, entry.root()?),
        locals,
        &[],
    )?;
    for _ in 0..STEPS {
        // Where nearly nothing is known, it is soon seen.
        let is_lost = runner.made.guesses > GUESSES && runner.made.is_guesswork();
        if is_lost || runner.made.frames.len() > CALLS || !runner.step()? {
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
        (proc, vc): (&'e Proc, Arc<Vc>),
        locals: Table<LocalId, Value>,
        outs: &'e [Option<VariableRef>],
    ) -> Result<(), Internal> {
        self.stack.push(Active {
            run: self.made.frames.push(frame),
            call,
            proc,
            vc: vc.clone(),
            node: proc.entry(),
            cmd: 0,
            locals,
            outs,
        });
        for (var, (symbol, ty)) in &vc.sources.first {
            let value = self.inputs.any(call, *symbol, ty);
            self.set(*var, value)?;
        }
        Ok(())
    }

    /// The next command, or the next node. Does it go on?
    fn step(&mut self) -> Result<bool> {
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

    fn command(&mut self, place: CallPlace, cmd: &'e Simple) -> Result<bool> {
        match cmd {
            Simple::Assume(e) => Ok(self.value(e)? != Value::Bool(false)),
            Simple::Record(..) => Ok(true),
            Simple::Assign(pairs) => {
                let mut values = Vec::new();
                for (var, e) in pairs {
                    values.push((*var, self.value(e)?));
                }
                for (var, value) in values {
                    self.set(var, value)?;
                }
                Ok(true)
            }
            Simple::Havoc(vars) => {
                // What is assumed of the values behind is heeded.
                for draws in 0..DRAWS {
                    self.draw(place, vars, draws > 0)?;
                    let active = self.stack.last().sure()?;
                    if self.possible(active, active.node, active.cmd)? != Possible::No {
                        return Ok(true);
                    }
                }
                Ok(false)
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
            let value = self.inputs.any(call, *symbol, ty);
            self.set(*var, value)?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        place: CallPlace,
        callee: ProcId,
        given: Vec<Value>,
        outs: &'e [Option<VariableRef>],
    ) -> Result<bool> {
        let active = self.stack.last().sure()?;
        let Some(site) = active.vc.sources.calls.get(&place).copied() else {
            return Ok(false);
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
                return Ok(false);
            }
        }
        let mut locals = Table::like(&proc.vars, Value::Unknown);
        for (var, value) in proc.ins.iter().zip(given) {
            *locals.at_mut(*var)? = value;
        }
        let vc = match self.entry.vc(callee) {
            Ok(vc) => vc,
            // A proof need not go into it; an execution ends here.
            Err(ReachError::Unsupported(_)) => return Ok(false),
            Err(error) => return Err(error),
        };
        let caller = Some(caller);
        self.enter(RunFrame { caller }, call, (proc, vc), locals, outs)?;
        Ok(true)
    }

    /// At the end of a node: to the next one, or back to the caller.
    fn leave_node(&mut self) -> Result<bool> {
        let active = self.stack.last().sure()?;
        if active.node == active.proc.exit {
            return self.leave();
        }
        let mut ways = Vec::new();
        for next in active.proc.succs(active.node)? {
            ways.push((self.possible(active, *next, 0)?, *next));
        }
        let best = ways.iter().map(|(possible, _)| *possible).max();
        let Some(possible) = best.filter(|best| *best != Possible::No) else {
            return Ok(false);
        };
        ways.retain(|(p, _)| *p == possible);
        let (_, next) = *ways.get(self.inputs.pick(ways.len())).sure()?;
        let active = self.stack.last().sure()?;
        let place = *active.vc.sources.nodes.get(&active.node).sure()?;
        if active.vc.nodes.at(place)?.next.len() > 1 {
            self.made.guesses += usize::from(possible == Possible::Unknown);
            self.made.ways.push((active.run, active.node, next));
        }
        let active = self.stack.last_mut().sure()?;
        (active.node, active.cmd) = (next, 0);
        Ok(true)
    }

    /// Back to the caller, with the results.
    fn leave(&mut self) -> Result<bool> {
        let done = self.stack.pop().sure()?;
        if self.stack.is_empty() {
            self.made.fails = true;
            return Ok(false);
        }
        for (out, var) in done.proc.outs.iter().zip(done.outs) {
            if let Some(var) = var {
                self.set(*var, done.locals.at(*out)?.clone())?;
            }
        }
        Ok(true)
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
                return Ok(Possible::No);
            }
            let cmds = active.proc.nodes.at(node)?.cmds.iter();
            for cmd in cmds.skip(first.take().unwrap_or_default()) {
                let variable = |v: VariableRef| match changed.get(&v) {
                    Some(value) => value.clone(),
                    None => self.variable(active, v),
                };
                let scope = Scope::new(&self.entry.prepared.typed, &variable);
                match &cmd.kind {
                    Simple::Assume(e) => match scope.value(e) {
                        Value::Bool(true) if possible == Possible::Free => possible = Possible::Yes,
                        Value::Bool(true) => {}
                        Value::Bool(false) => return Ok(Possible::No),
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

    fn value(&self, expr: &TypedExpr) -> Result<Value, Internal> {
        let active = self.stack.last().sure()?;
        let variable = |v| self.variable(active, v);
        let scope = Scope::new(&self.entry.prepared.typed, &variable);
        Ok(scope.value(expr))
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
