//! Property simulation: all executions at once, each state told apart from others by a few values only.
//!
//! In a driver of a thousand procedures most of what is done has nothing to do with the question: whether a lock is held, at what
//! interrupt level a request is passed on. That is in a few globals which get a few constants. So the program is gone
//! through with what is known at each place: which of a few values a variable has or has not, and which variables have the same
//! value. Where ways meet, what two of them know is put together if they agree in the globals and Booleans that have
//! one value each (the *property*); otherwise both go on. So what a local variable is worth stays tied to whether
//! the lock was taken, without one state for each way (ESP: Das, Lerner, Seigle, *Path-Sensitive Program Verification in
//! Polynomial Time*, PLDI 2002, section 3).
//!
//! What a procedure makes of what is known at a call is found once (*functional approach*: Sharir, Pnueli 1981; by a
//! worklist as in Reps, Horwitz, Sagiv, POPL 1995):
//!
//! ```text
//! caller:   state ── call ──► context: procedure, what is known of parameters and globals
//!                               │ through its nodes, each before its successors
//!                               ▼
//!           states ◄────────── exits: what is known at its end, also of what it was given
//! ```
//!
//! Every execution is among those that are looked at, whatever its recursion and whatever functions without definition are. So
//! where no state comes to the entry's exit, that is a proof, for every bound; otherwise nothing is said. Loops are procedures that
//! call themselves ([`super::loops`]).

mod call;
mod expr;
mod fact;
mod frame;
mod state;
mod summary;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use expr::{Constants, Scope, constants};
use frame::{Frame, Property};
use rustc_hash::FxHashMap;
use state::State;

use super::encode::Callees;
use super::error::Result;
use super::faults::{self, Fault};
use super::graph::{NodeId, ProcId, Simple};
use super::program::PreparedEntry;
use crate::boogie::typed::{TypedExpr, TypedExprKind, VariableRef};
use crate::ids::{Table, id};
use crate::internal::{Internal, Sure};
use call::Given;
use summary::Calls;
pub use summary::Summaries;

id! {
    /// What is known of a procedure where it is called.
    ContextId;
}

/// How much is done before it is given up, and how much to go through it once more: variables of states that are looked at, and
/// commands.
const FUEL: usize = 15_000_000;

/// So many calls are gone through at once, one within the other.
const DEPTH: usize = 60;

/// For so many different calls, a procedure is looked at for each of them; then for all together that agree in the property.
const APART: usize = 12;

/// For so many it is looked at all.
const CALLS: usize = 100;

/// So many states are told apart at one place. Of 24 drivers none has more than 26; where there are many more, each way through
/// the program has its own.
const STATES: usize = 40;

/// What was found, and what it took.
#[derive(Clone, Debug, Default)]
pub struct Simulated {
    /// Is it shown that the entry's exit is not reached? Otherwise it may be.
    pub is_unreachable: bool,
    /// What holds of all calls in executions from the entry; nothing where it was given up.
    pub summaries: Arc<Summaries>,
    /// Why it was given up, if it was.
    pub given_up: Option<TooMuch>,
    /// With how many different states procedures are called.
    pub contexts: usize,
    /// How many commands were executed on states.
    pub commands: usize,
}

/// Goes through all that the entry comes to.
///
/// # Errors
///
/// A mistake in the engine.
pub fn simulate(entry: &PreparedEntry<'_>) -> Result<Simulated> {
    let typed = &entry.prepared.typed;
    let constants = constants(typed);
    let frame = |proc| Frame::new(proc, entry, &typed.globals);
    let mut frames = BTreeMap::from([(None, frame(entry.root_proc())?)]);
    for number in entry.reached()? {
        frames.insert(Some(number), frame(entry.proc(number)?)?);
    }
    let mut simulation = Simulation {
        entry,
        frames: &frames,
        constants: &constants,
        contexts: Table::new(),
        numbers: FxHashMap::default(),
        together: BTreeMap::new(),
        calls: BTreeMap::new(),
        work: BTreeSet::new(),
        is_new: false,
        depth: 0,
        commands: 0,
        fuel: FUEL,
    };
    let (is_unreachable, given_up) = match simulation.exits() {
        Ok(exits) => (exits == 0, None),
        Err(Stop::GivenUp(why)) => (false, Some(why)),
        Err(Stop::Internal(bug)) => return Err(bug.into()),
    };
    Ok(Simulated {
        is_unreachable,
        summaries: match given_up {
            None => simulation.summaries()?.into(),
            Some(_) => Arc::default(),
        },
        given_up,
        contexts: simulation.contexts.len(),
        commands: simulation.commands,
    })
}

/// A state at a node that is to be gone on from. What is called later is looked at first, and a node before its successors.
type Item = (Reverse<ContextId>, usize, usize);

/// A procedure with what is known where it is called; none is the entry.
struct CallContext {
    proc: Option<ProcId>,
    /// The states at the beginning of each node, by its place in the order.
    states: Vec<Vec<(Property, State)>>,
    /// The states at its end.
    exits: Vec<(Property, State)>,
    /// Who waits for more of these.
    callers: BTreeSet<Item>,
}

struct Simulation<'a, 'p> {
    entry: &'a PreparedEntry<'p>,
    frames: &'a BTreeMap<Option<ProcId>, Frame<'a>>,
    constants: &'a Constants,
    contexts: Table<ContextId, CallContext>,
    /// The context for a call in a state.
    numbers: FxHashMap<(Option<ProcId>, State), ContextId>,
    /// What calls of a procedure with a property have in common, where there are too many.
    together: BTreeMap<(ProcId, Property), State>,
    /// How many contexts a procedure has.
    calls: BTreeMap<ProcId, usize>,
    work: BTreeSet<Item>,
    /// Was anything found since that was last asked?
    is_new: bool,
    /// How many calls are gone through, one within the other.
    depth: usize,
    commands: usize,
    fuel: usize,
}

/// Why it was given up: there is too much of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooMuch {
    /// States that are told apart at one place.
    States,
    /// States that one procedure is called in.
    Calls,
    /// Work.
    Work,
}

/// Why there is no end.
enum Stop {
    /// It would take too long: there is too much of this.
    GivenUp(TooMuch),
    /// There is a mistake in the engine.
    Internal(Internal),
}

impl From<Internal> for Stop {
    fn from(bug: Internal) -> Self {
        Stop::Internal(bug)
    }
}

impl<'a> Simulation<'a, '_> {
    /// How many states come to the end of the entry.
    fn exits(&mut self) -> Result<usize, Stop> {
        let root = self.frames.get(&None).sure()?;
        let root = self.context(None, root.anything())?;
        self.run_until(root)?;
        // It is gone through once more as a whole: nothing new may come of it, whoever was told of what before.
        self.fuel = FUEL;
        while std::mem::take(&mut self.is_new) {
            for (context, known) in self.contexts.pairs() {
                for (place, states) in known.states.iter().enumerate() {
                    let items = (0..states.len()).map(|number| (Reverse(context), place, number));
                    self.work.extend(items);
                }
            }
            self.run_until(root)?;
        }
        Ok(self.contexts.at(root)?.exits.len())
    }

    /// What holds of calls, after the run.
    fn summaries(&self) -> Result<Summaries, Internal> {
        let mut calls: BTreeMap<ProcId, Calls<'_>> = BTreeMap::new();
        for (proc, frame) in self.frames {
            if let Some(proc) = proc {
                calls.insert(*proc, Calls::new(frame, self.entry.effects(*proc)?));
            }
        }
        for ((proc, given), context) in &self.numbers {
            if let Some(proc) = proc {
                let exits = &self.contexts.at(*context)?.exits;
                let exits = exits.iter().map(|(_, exit)| exit);
                calls.get_mut(proc).sure()?.add(given, exits)?;
            }
        }
        let facts = calls
            .iter()
            .filter_map(|(proc, calls)| Some((*proc, calls.fact()?)));
        Ok(facts.collect())
    }

    /// Goes on until there is nothing left to do in this context, and in those that came up behind it.
    fn run_until(&mut self, first: ContextId) -> Result<(), Stop> {
        while let Some(item) = self.work.first().copied() {
            let (Reverse(context), ..) = item;
            if context < first {
                break;
            }
            self.work.pop_first();
            self.go_on_from(item)?;
        }
        Ok(())
    }

    /// Uses up fuel.
    fn spend(&mut self, fuel: usize) -> Result<(), Stop> {
        self.fuel = self
            .fuel
            .checked_sub(fuel)
            .ok_or(Stop::GivenUp(TooMuch::Work))?;
        Ok(())
    }

    /// The context of a procedure that is called in such a state, which is to be looked at if it is a new one.
    fn context(&mut self, proc: Option<ProcId>, given: State) -> Result<ContextId, Stop> {
        let key = (proc, given);
        if let Some(number) = self.numbers.get(&key) {
            return Ok(*number);
        }
        let frame = self.frames.get(&proc).sure()?;
        let mut first = key.1.clone();
        frame.begin(&mut first)?;
        let number = self.contexts.push(CallContext {
            proc,
            states: vec![Vec::new(); frame.order.len()],
            exits: Vec::new(),
            callers: BTreeSet::new(),
        });
        self.numbers.insert(key, number);
        if let Some(proc) = proc {
            *self.calls.entry(proc).or_default() += 1;
        }
        self.arrive(number, frame, frame.proc.entry(), first)?;
        Ok(number)
    }

    /// A state comes to a node.
    fn arrive(
        &mut self,
        context: ContextId,
        frame: &Frame<'_>,
        node: NodeId,
        mut state: State,
    ) -> Result<(), Stop> {
        // From elsewhere there is no way to the exit.
        let Some(place) = frame.places.get(&node) else {
            return Ok(());
        };
        frame.before(node, &mut state)?;
        let states = &mut self.contexts.at_mut(context)?.states;
        if let Some(number) = put_together(states.get_mut(*place).sure()?, frame, &state)? {
            self.is_new = true;
            self.work.insert((Reverse(context), *place, number));
        }
        Ok(())
    }

    /// Goes through a node, and on to its successors.
    fn go_on_from(&mut self, item: Item) -> Result<(), Stop> {
        let (Reverse(context), place, number) = item;
        let known = self.contexts.at(context)?;
        let frame = self.frames.get(&known.proc).sure()?;
        let states = known.states.get(place).sure()?;
        let mut states = vec![states.get(number).sure()?.1.clone()];
        let at = *frame.order.get(place).sure()?;
        let node = frame.proc.nodes.at(at)?;
        for cmd in &node.cmds {
            states = match &cmd.kind {
                Simple::Call { callee, args, outs } => {
                    self.call(states, (*callee, args, outs), (frame, item))?
                }
                other => self.step(states, other, frame)?,
            };
        }
        for mut state in states {
            self.spend(frame.width() * (node.succs.len() + 1))?;
            for succ in &node.succs {
                self.arrive(context, frame, *succ, state.clone())?;
            }
            if at == frame.proc.exit {
                frame.behind(&mut state)?;
                let known = self.contexts.at_mut(context)?;
                if put_together(&mut known.exits, frame, &state)?.is_some() {
                    self.is_new = true;
                    let callers = known.callers.clone();
                    let callers = faults::at(Fault::LostCaller, callers, |_| BTreeSet::new());
                    self.work.extend(callers);
                }
            }
        }
        Ok(())
    }

    /// What is left of states behind a command that is no call.
    fn step(
        &mut self,
        states: Vec<State>,
        cmd: &Simple,
        frame: &Frame<'_>,
    ) -> Result<Vec<State>, Stop> {
        let scope = Scope {
            frame,
            constants: self.constants,
        };
        let mut behind = Vec::new();
        for mut state in states {
            self.spend(1)?;
            self.commands += 1;
            let goes_on = match cmd {
                Simple::Assume(condition) => scope.assume(&mut state, condition, true)?,
                Simple::Assign(pairs) => {
                    assign(&scope, &mut state, pairs)?;
                    true
                }
                Simple::Havoc(vars) => {
                    for var in vars {
                        set(frame, &mut state, *var, None)?;
                    }
                    true
                }
                Simple::Record(..) | Simple::Call { .. } => true,
            };
            if goes_on {
                behind.push(state);
            }
        }
        Ok(behind)
    }

    /// The context for a call in such a state: that of this state, or one that it is put together in with others. A parameter
    /// that counts up from call to call would have no end otherwise.
    fn called(&mut self, callee: ProcId, mut seen: State) -> Result<ContextId, Stop> {
        let calls = self.calls.get(&callee).copied().unwrap_or_default();
        let is_known = self.numbers.contains_key(&(Some(callee), seen.clone()));
        if !is_known && calls >= APART {
            let own = seen.clone();
            if calls > CALLS {
                return Err(Stop::GivenUp(TooMuch::Calls));
            }
            let property = self.frames.get(&Some(callee)).sure()?.property(&seen)?;
            let key = (callee, property);
            if let Some(others) = self.together.get(&key) {
                seen = others.or(&seen)?;
            }
            self.together.insert(key, seen.clone());
            let context = self.context(Some(callee), seen)?;
            // Whoever comes again with the same comes to the same.
            self.numbers.insert((Some(callee), own), context);
            return Ok(context);
        }
        self.context(Some(callee), seen)
    }

    /// What a call makes of states, as far as that is known by now.
    fn call(
        &mut self,
        states: Vec<State>,
        (callee, args, outs): (ProcId, &[Option<TypedExpr>], &[Option<VariableRef>]),
        (frame, item): (&Frame<'_>, Item),
    ) -> Result<Vec<State>, Stop> {
        let scope = Scope {
            frame,
            constants: self.constants,
        };
        let below = self.frames.get(&Some(callee)).sure()?;
        let writes = &self.entry.effects(callee)?.writes;
        let mut behind: Vec<(Property, State)> = Vec::new();
        for state in states {
            self.commands += 1;
            self.spend(below.width())?;
            let given = Given::new(&scope, state, below, args)?;
            let new = self.contexts.next_id();
            let context = self.called(callee, given.seen_by(below)?)?;
            self.contexts.at_mut(context)?.callers.insert(item);
            // A new one is gone through at once, so that nobody need come here again for what is known at its end.
            if context == new && self.depth < DEPTH {
                self.depth += 1;
                self.run_until(new)?;
                self.depth -= 1;
            }
            let exits = self.contexts.at(context)?.exits.clone();
            for (_, exit) in &exits {
                self.spend(frame.width())?;
                if let Some(state) = given.behind((frame, below), exit, writes, outs)? {
                    put_together(&mut behind, frame, &state)?;
                }
            }
        }
        Ok(behind.into_iter().map(|(_, state)| state).collect())
    }
}

/// Adds a state to others. Which of them says less than before, if one does.
fn put_together(
    states: &mut Vec<(Property, State)>,
    frame: &Frame<'_>,
    state: &State,
) -> Result<Option<usize>, Stop> {
    let state = state.canonical()?;
    let property = frame.property(&state)?;
    let Some(number) = states.iter().position(|(known, _)| *known == property) else {
        let number = states.len();
        if number == STATES {
            return Err(Stop::GivenUp(TooMuch::States));
        }
        states.push((property, state));
        return Ok(Some(number));
    };
    let (_, known) = states.get_mut(number).sure()?;
    let both = known.or(&state)?;
    let is_new = both != *known;
    *known = both;
    Ok(is_new.then_some(number))
}

/// Gives a variable a value, or any.
fn set(
    frame: &Frame<'_>,
    state: &mut State,
    var: VariableRef,
    class: Option<state::Class>,
) -> Result<(), Internal> {
    match frame.slot(var) {
        Some(slot) => state.write(slot, class),
        None => {
            state.forget(var);
            Ok(())
        }
    }
}

/// Assigns all at once.
fn assign(
    scope: &Scope<'_>,
    state: &mut State,
    pairs: &[(VariableRef, TypedExpr)],
) -> Result<(), Internal> {
    let mut values = Vec::new();
    let mut stores = Vec::new();
    for (var, expr) in pairs {
        if scope.frame.slot(*var).is_some() {
            values.push((*var, Some(scope.value(state, expr)?)));
            continue;
        }
        match &expr.kind {
            TypedExprKind::Store(map, keys, value, _) if matches!(map.kind, TypedExprKind::Var(of) if of == *var) =>
            {
                let keys = scope.keys(state, keys)?;
                let is_plain = frame::has_plain_values(&value.ty);
                let value = is_plain.then(|| scope.value(state, value)).transpose()?;
                stores.push(((*var, keys), value));
            }
            _ => values.push((*var, None)),
        }
    }
    for (var, value) in values {
        set(scope.frame, state, var, value)?;
    }
    for (cell, value) in stores {
        state.store(cell, value)?;
    }
    Ok(())
}
