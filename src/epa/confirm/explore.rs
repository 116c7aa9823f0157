//! Configurations that objects reach, found by running the class: explicit-state model checking, breadth first, with the
//! values that a class suggests (`trial`).
//!
//! What is reached is reached, and each edge on the way is confirmed by the run that takes it, however long: a run of
//! hundreds of calls, which no solver finds in one question, is a matter of milliseconds here. That nothing else can be
//! reached is never concluded here, as other values might lead there: that is a proof's to show.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::{PoisonError, RwLock};

use num_bigint::BigInt;
use rayon::prelude::*;

use super::runs::RunTeller;
use crate::ask::{PerformedCall, Run};
use crate::epa::Abstraction;
use crate::epa::trial::{Argument, EveryChoice, Given, Trial};
use crate::epa::walk::{Standing, Taken, Walker};
use crate::interp::{Configuration, Decision, Replay, Value};
use crate::ir::Type;
use crate::query::{Callee, EdgeId, Exit, StateId, Subject};

/// No more configurations are reached than these.
const MOST_CONFIGURATIONS: usize = 20_000;
/// No more calls are made than these; nor more than those that made the last find, and so many again.
const MOST_CALLS: usize = 400_000;
const MOST_IN_VAIN: usize = 6_000;
/// Nor more than these, since the last find, from as many configurations in each state.
const MOST_SPREAD: usize = 10_000;
/// So many more calls, and so many more configurations, are for going round loops.
const MOST_CALLS_REPEATED: usize = 100_000;
const MOST_REPEATED: usize = 10_000;
/// Configurations with more objects, fields and elements than these are not kept: there would be no memory for many of them.
const MOST_VALUES: usize = 400;
/// Of no more ends of calls than these it is kept where the object stands.
const MOST_KNOWN: usize = 50_000;
/// Steps of the interpreter for one call: what takes longer is left to the engine.
const FUEL: u64 = 10_000;
/// From so many configurations all calls are made at once, by whatever cores there are.
const AT_ONCE: usize = 32;
/// No more ways in which the class leaves open how a call goes are tried than these.
const MOST_WAYS: usize = 32;

/// A call, with all that decides how it goes.
#[derive(Clone, Debug)]
struct DecidedCall {
    callee: Callee,
    arguments: Vec<Argument>,
    /// What was decided of that which the class leaves open.
    decisions: Vec<Decision>,
}

/// A call that was made, and how it went.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The edge it takes.
    pub edge: EdgeId,
    call: DecidedCall,
}

/// A call that was made, and ends as no edge of the EPA says.
#[derive(Clone, Debug)]
pub(super) struct Stray {
    /// What it does.
    pub does: Astray,
    call: DecidedCall,
}

/// What a call does that leads out of the EPA.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Astray {
    /// The state it is made in; none where it makes an object.
    pub source: Option<StateId>,
    /// What is called.
    pub callee: Callee,
    /// How it ends.
    pub exit: Exit,
    /// Whether the invariant does not hold there.
    pub breaks: bool,
}

/// A configuration that was reached.
#[derive(Debug)]
pub(super) struct Reached {
    /// The configuration, in canonical form.
    pub now: Configuration,
    /// The state of the EPA it is in.
    pub state: StateId,
    /// How many calls lead to it.
    pub calls: u32,
    /// The configuration before the last of them, and that call.
    before: Option<usize>,
    step: Step,
}

/// What was reached.
pub(super) struct Explored {
    /// The configurations, in the order in which they were found: nearer ones first, then what is far away.
    pub reached: Vec<Reached>,
    /// Whether the values that were tried lead to no others.
    pub is_whole: bool,
    /// Whether all values that there are were tried.
    is_exact: bool,
    first: First,
    /// The edges that no shorter run takes.
    nearest: BTreeSet<EdgeId>,
    /// What the class does although no edge of its EPA says so: each once, with the configuration that it was first done from.
    astray: Vec<(Option<usize>, Stray)>,
}

/// Runs a class from its constructors on.
pub(super) struct Runner<'a> {
    pub walker: Walker<'a>,
    pub trial: Trial<'a>,
    /// Where objects stand that calls have ended with: most calls end with one that was there before, and a guard or an invariant
    /// may be long.
    standing: RwLock<HashMap<Configuration, Standing>>,
    /// Where runs may lead.
    within: Within<'a>,
}

/// Whether runs may lead to a configuration.
pub(super) type Within<'a> = &'a (dyn Fn(&Configuration) -> bool + Sync);

/// The edges that were taken, each with the configuration that it was first taken from, and the call.
type First = BTreeMap<EdgeId, (Option<usize>, Step)>;

impl<'a> Runner<'a> {
    /// A runner that tries the values that a class suggests, and these arguments.
    pub(super) fn new(
        subject: &'a Subject,
        epa: &'a Abstraction,
        given: BTreeMap<Callee, Vec<Vec<Value>>>,
    ) -> Self {
        Runner {
            walker: Walker::new(subject, epa).with_fuel(FUEL),
            trial: Trial::new(subject, given),
            standing: RwLock::default(),
            within: &|_| true,
        }
    }

    /// A runner whose runs lead nowhere else.
    pub(super) fn through(self, within: Within<'a>) -> Self {
        Runner { within, ..self }
    }

    /// With so many steps of the interpreter for one call.
    pub(super) fn with_fuel(mut self, fuel: u64) -> Self {
        self.walker = self.walker.with_fuel(fuel);
        self
    }

    /// A runner that tries more of what bodies may choose.
    pub(super) fn with_all_choices(self) -> Self {
        Runner {
            trial: self.trial.with_all_choices(),
            ..self
        }
    }

    /// A runner that tries these numbers, too.
    pub(super) fn with_hints(mut self, hints: BTreeSet<BigInt>) -> Self {
        self.trial = self.trial.with_hints(hints);
        self
    }

    /// Explores runs of at most so many calls until it is enough, or nothing new is found.
    pub(super) fn explore(&self, most_calls: u32, aim: &Aim<'_>) -> Explored {
        let mut exploration = Exploration {
            runner: self,
            index: HashMap::new(),
            calls: 0,
            last_find: 0,
            is_large: false,
            explored: Explored {
                reached: Vec::new(),
                is_whole: false,
                is_exact: true,
                first: BTreeMap::new(),
                nearest: BTreeSet::new(),
                astray: Vec::new(),
            },
        };
        let next = exploration.run(most_calls, aim);
        if exploration.explored.is_exact {
            // What breadth first finds first is as near as can be; what is found from now on is not.
            exploration.explored.nearest = exploration.explored.edges().collect();
        }
        if !exploration.explored.is_whole {
            exploration.spread(next, most_calls, aim);
            exploration.repeat(most_calls, aim);
        }
        exploration.explored
    }

    /// Makes a call again, with all that there is to tell of it; none where it does not take its edge.
    pub(super) fn perform(
        &self,
        now: Option<&Configuration>,
        step: &Step,
    ) -> Option<PerformedCall> {
        match self.make(now, &step.call)? {
            (Taken::Edge { edge, .. }, performed) if edge == step.edge => Some(performed),
            _ => None,
        }
    }

    /// Makes a call again, with all that there is to tell of it; none where it does something else.
    fn go_astray(&self, now: Option<&Configuration>, stray: &Stray) -> Option<PerformedCall> {
        let does = &stray.does;
        let (taken, performed) = self.make(now, &stray.call)?;
        let is_it = matches!(&taken, Taken::Astray { exit, breaks } if *exit == does.exit && *breaks == does.breaks);
        is_it.then_some(performed)
    }

    /// Makes a call: what becomes of it, and all that there is to tell of it.
    fn make(
        &self,
        now: Option<&Configuration>,
        call: &DecidedCall,
    ) -> Option<(Taken, PerformedCall)> {
        let source = match now {
            None => None,
            Some(now) => Some(self.walker.state_of(now)?),
        };
        let given = self.given(now, &self.walker.parameters(call.callee));
        let arguments: Option<Vec<Value>> = call.arguments.iter().map(|a| given.value(a)).collect();
        let arguments = arguments?;
        let mut choices = Replay::new(call.decisions.clone());
        let execution = self
            .walker
            .execute_with_log(&given.now, call.callee, &arguments, &mut choices)
            .ok()?;
        // Of runs that take a value that is not known none is kept.
        let performed = PerformedCall::of(call.callee, given.now, arguments, execution.clone());
        let taken = self.walker.taken(source, call.callee, execution);
        Some((taken, performed))
    }

    /// Every call on an object (or every making of one), with every argument and choice that is tried: the call where it
    /// takes an edge, and where it ends. Of the calls only these.
    pub(super) fn steps(
        &self,
        from: Option<(&Configuration, StateId)>,
        these: &dyn Fn(Callee) -> bool,
        visit: &mut dyn FnMut(Result<(Step, Configuration), Stray>),
    ) -> Made {
        let (now, source) = (from.map(|(now, _)| now), from.map(|(_, state)| state));
        let subject = self.walker.subject;
        let callees: Vec<Callee> = match source {
            None => subject.constructor_ids().map(Callee::Constructor).collect(),
            Some(state) => {
                let enabled = &self.walker.automaton()[state];
                let ids = subject.action_ids().filter(|id| enabled.contains(*id));
                ids.map(Callee::Action).collect()
            }
        };
        let mut made = Made::default();
        for callee in callees.into_iter().filter(|callee| these(*callee)) {
            let types = self.walker.parameters(callee);
            let given = self.given(now, &types);
            let may = |arguments: &[Value]| self.walker.may_call(&given.now, callee, arguments);
            let (tried, all_tried) = self.trial.arguments(&given, callee, &types, &may);
            made.not_all |= !all_tried;
            for arguments in tried {
                self.ways((&given, source), callee, &arguments, &mut made, visit);
            }
        }
        made
    }

    /// The same, with all that the calls do.
    fn calls(
        &self,
        from: Option<(&Configuration, StateId)>,
        these: &dyn Fn(Callee) -> bool,
    ) -> CallsMade {
        let mut did = Vec::new();
        let made = self.steps(from, these, &mut |step| did.push(step));
        CallsMade { made, did }
    }

    /// What a call is made on, with what it can be given, and what the fields of a new object can hold before they are assigned.
    pub(super) fn given(&self, now: Option<&Configuration>, parameters: &[&Type]) -> Given {
        if let Some(now) = now {
            return self.trial.given(now.clone(), parameters);
        }
        let class = self.walker.program().class(self.walker.subject.class);
        let fields = class.fields.iter().map(|field| &field.ty);
        let types: Vec<&Type> = parameters.iter().copied().chain(fields).collect();
        self.trial.given(Configuration::empty(), &types)
    }

    /// One call in all ways that its choices leave open, as far as they are tried.
    fn ways(
        &self,
        from: (&Given, Option<StateId>),
        callee: Callee,
        arguments: &[Value],
        made: &mut Made,
        visit: &mut dyn FnMut(Result<(Step, Configuration), Stray>),
    ) {
        let mut ends: Vec<Way> = Vec::new();
        let mut choices = EveryChoice::but_initial(&self.trial);
        self.each_way(from, (callee, arguments), &mut choices, made, &mut |way| {
            if !ends.iter().any(|end| end.is_like(&way)) {
                ends.push(way);
            }
        });
        // What a field holds before it is assigned matters.
        if choices.is_initial_left_out() && ends.len() > 1 {
            made.not_all = true;
            let mut choices = EveryChoice::new(&self.trial);
            self.each_way(from, (callee, arguments), &mut choices, made, &mut |way| {
                if !ends.iter().any(|end| end.is_like(&way)) {
                    ends.push(way);
                }
            });
        }
        for end in ends {
            visit(end.0);
        }
    }

    fn each_way(
        &self,
        (given, source): (&Given, Option<StateId>),
        (callee, arguments): (Callee, &[Value]),
        choices: &mut EveryChoice<'_, '_>,
        made: &mut Made,
        visit: &mut dyn FnMut(Way),
    ) {
        for _ in 0..MOST_WAYS {
            made.calls += 1;
            let Some(execution) = self.walker.run(&given.now, callee, arguments, choices) else {
                return;
            };
            let decisions = execution.decisions.clone();
            let call = DecidedCall {
                callee,
                arguments: arguments.iter().map(|value| given.name(value)).collect(),
                decisions,
            };
            let standing = |end: &Configuration| self.standing(end);
            match self.walker.taken_to(source, callee, execution, standing) {
                Taken::Edge { edge, end, .. } if (self.within)(&end) => {
                    visit(Way(Ok((Step { edge, call }, end))));
                }
                Taken::Edge { .. } => made.not_all = true,
                Taken::Astray { exit, breaks } => {
                    let does = Astray {
                        source,
                        callee,
                        exit,
                        breaks,
                    };
                    visit(Way(Err(Stray { does, call })));
                }
                Taken::Open => made.not_all = true,
                Taken::Refused => {}
            }
            if !choices.advance() {
                made.not_all |= !choices.are_all;
                return;
            }
        }
        made.not_all = true;
    }

    /// Where the object stands that a call ends with.
    pub(super) fn standing(&self, end: &Configuration) -> Standing {
        let known = self.standing.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(end) {
            return *known;
        }
        drop(known);
        let standing = self.walker.standing(end);
        let mut known = self
            .standing
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST_KNOWN && size(end) <= MOST_VALUES {
            known.insert(end.clone(), standing);
        }
        standing
    }
}

/// How a call went: where it led, or what it does that no edge says.
struct Way(Result<(Step, Configuration), Stray>);

impl Way {
    /// Whether it leads to the same place.
    fn is_like(&self, other: &Way) -> bool {
        match (&self.0, &other.0) {
            (Ok((step, end)), Ok((other, other_end))) => {
                step.edge == other.edge && end == other_end
            }
            (Err(one), Err(other)) => one.does == other.does,
            _ => false,
        }
    }
}

/// How many objects, fields and elements there are.
fn size(now: &Configuration) -> usize {
    let sizes = now.objects().map(|(_, object)| 1 + object.values().len());
    sizes.sum()
}

/// What calls were made.
#[derive(Default)]
pub(super) struct Made {
    /// How many.
    calls: usize,
    /// Whether there are others, or some of them end nobody knows where.
    not_all: bool,
}

/// Calls that were made, and what they do.
struct CallsMade {
    made: Made,
    did: Vec<Result<(Step, Configuration), Stray>>,
}

/// What is looked for.
pub(super) struct Aim<'f> {
    /// Whether what was found is enough.
    pub enough: &'f dyn Fn(&Explored) -> bool,
    /// Whether a call in this state might do what is looked for and no edge says.
    pub astray: &'f dyn Fn(Option<StateId>, Callee) -> bool,
}

impl<'f> Aim<'f> {
    /// Edges, until it is enough.
    pub(super) fn edges(enough: &'f dyn Fn(&Explored) -> bool) -> Self {
        let astray = &|_, _| false;
        Aim { enough, astray }
    }
}

impl Reached {
    /// The edge that it was reached by.
    pub(super) fn edge(&self) -> EdgeId {
        self.step.edge
    }
}

struct Exploration<'r, 'a> {
    runner: &'r Runner<'a>,
    index: HashMap<Configuration, usize>,
    calls: usize,
    /// The number of calls when an edge was last found.
    last_find: usize,
    /// Whether some configuration was too large to be kept.
    is_large: bool,
    explored: Explored,
}

impl Exploration<'_, '_> {
    /// Breadth first. How many configurations were gone on from.
    fn run(&mut self, most_calls: u32, aim: &Aim<'_>) -> usize {
        self.expand(None, &|_| true);
        let mut next = 0;
        let mut made = VecDeque::new();
        while next < self.explored.reached.len() {
            let in_vain = self.calls - self.last_find;
            if (aim.enough)(&self.explored)
                || self.calls > MOST_CALLS
                || in_vain > self.last_find + MOST_IN_VAIN
                || self.explored.reached.len() > MOST_CONFIGURATIONS
            {
                return next;
            }
            if self.explored.reached[next].calls >= most_calls {
                return next;
            }
            if made.is_empty() {
                let last = self.explored.reached.len().min(next + AT_ONCE);
                made.extend(self.made_from(&Vec::from_iter(next..last)));
            }
            if let Some(calls) = made.pop_front() {
                self.take(Some(next), calls);
            }
            next += 1;
        }
        self.explored.is_whole = !self.is_large && !self.explored.reached.is_empty();
        next
    }

    /// Goes on from those that are left, from as many in each state: where there are many in the states near the beginning, breadth
    /// first never gets to what is behind the others.
    fn spread(&mut self, first: usize, most_calls: u32, aim: &Aim<'_>) {
        let mut turns = Turns::default();
        let (mut added, begun) = (first, self.calls);
        loop {
            for at in added..self.explored.reached.len() {
                turns.add(self.explored.reached[at].state, at);
            }
            added = self.explored.reached.len();
            let in_vain = self.calls - self.last_find.max(begun);
            if (aim.enough)(&self.explored)
                || in_vain > MOST_SPREAD
                || added > MOST_CONFIGURATIONS + MOST_REPEATED
            {
                return;
            }
            let mut next: Vec<usize> = std::iter::from_fn(|| turns.next()).take(AT_ONCE).collect();
            if next.is_empty() {
                return;
            }
            next.retain(|at| self.explored.reached[*at].calls < most_calls);
            let made = self.made_from(&next);
            for (at, calls) in next.into_iter().zip(made) {
                self.take(Some(at), calls);
            }
        }
    }

    /// The calls on each of these configurations.
    fn made_from(&self, these: &[usize]) -> Vec<CallsMade> {
        let made = these.par_iter().map(|at| {
            let reached = &self.explored.reached[*at];
            let from = Some((&reached.now, reached.state));
            self.runner.calls(from, &|_| true)
        });
        made.collect()
    }

    /// Goes round the loops of the EPA, as often as that changes the object: what a counter has to reach is far away, breadth
    /// first. Then on from where that takes edges which were not taken before.
    fn repeat(&mut self, most_calls: u32, aim: &Aim<'_>) {
        let most_calls_made = self.calls + MOST_CALLS_REPEATED;
        let most_reached = self.explored.reached.len() + MOST_REPEATED;
        let mut gone_round = BTreeSet::new();
        while let Some((edge, first)) = self.loop_but(&gone_round) {
            gone_round.insert(edge);
            let begun = self.calls;
            let mut passed = BTreeSet::new();
            let mut next = vec![first];
            while let Some(at) = next.pop() {
                let is_over = self.calls > most_calls_made;
                let is_full = self.explored.reached.len() > most_reached;
                if is_over || is_full || (aim.enough)(&self.explored) {
                    return;
                }
                // What this loop does not show another one may.
                if self.calls - self.last_find.max(begun) > MOST_IN_VAIN {
                    break;
                }
                if passed.insert(at) && self.explored.reached[at].calls < most_calls {
                    next.extend(self.worth_going_on(at, edge, aim));
                }
            }
        }
    }

    /// A loop of the EPA that was taken, but for these, and the first configuration that it led to.
    fn loop_but(&self, known: &BTreeSet<EdgeId>) -> Option<(EdgeId, usize)> {
        let automaton = self.runner.walker.automaton();
        let mut reached = self.explored.reached.iter().enumerate();
        let found = reached.find(|(_, reached)| {
            let edge = &automaton[reached.step.edge];
            edge.source == edge.target && !known.contains(&reached.step.edge)
        });
        found.map(|(at, reached)| (reached.step.edge, at))
    }

    /// Makes the calls on a configuration that may take an edge which was not taken before, or this loop, or do what is looked
    /// for: where that leads by such an edge, and, to be looked at first, where it leads by the loop.
    fn worth_going_on(&mut self, at: usize, edge: EdgeId, aim: &Aim<'_>) -> Vec<usize> {
        let automaton = self.runner.walker.automaton();
        let state = self.explored.reached.get(at).map(|reached| reached.state);
        let taken: BTreeSet<EdgeId> = self.explored.first.keys().copied().collect();
        let not_taken = (0..automaton.edges.len()).map(EdgeId);
        let not_taken =
            not_taken.filter(|edge| !taken.contains(edge) && automaton[*edge].source == state);
        let looked_for: BTreeSet<Callee> = not_taken
            .chain([edge])
            .map(|edge| automaton[edge].callee)
            .collect();
        let ends = self.expand(Some(at), &|callee| {
            looked_for.contains(&callee) || (aim.astray)(state, callee)
        });
        let first = ends.iter().filter(|(edge, _)| !taken.contains(edge));
        let round = ends.iter().find(|(by, end)| *by == edge && *end != at);
        first.chain(round).map(|(_, end)| *end).collect()
    }

    /// Makes these calls on a configuration. Where they lead, with the edges that they take.
    fn expand(
        &mut self,
        at: Option<usize>,
        these: &dyn Fn(Callee) -> bool,
    ) -> Vec<(EdgeId, usize)> {
        let from = at.and_then(|at| self.explored.reached.get(at));
        let from = from.map(|reached| (&reached.now, reached.state));
        let calls = self.runner.calls(from, these);
        self.take(at, calls)
    }

    /// Keeps what calls do. Where they lead, with the edges that they take.
    fn take(
        &mut self,
        at: Option<usize>,
        CallsMade { made, did }: CallsMade,
    ) -> Vec<(EdgeId, usize)> {
        self.calls += made.calls;
        self.explored.is_exact &= !made.not_all;
        let mut ends = Vec::new();
        for step in did {
            match step {
                Ok((step, end)) => {
                    let edge = step.edge;
                    ends.extend(self.keep(at, step, &end).map(|end| (edge, end)));
                }
                Err(stray) => self.keep_stray(at, stray),
            }
        }
        ends
    }

    /// Keeps what is done that no edge says, the first time that it is.
    fn keep_stray(&mut self, before: Option<usize>, stray: Stray) {
        let is_known = |known: &Astray| *known == stray.does;
        if !self.explored.astray().any(is_known) {
            self.explored.astray.push((before, stray));
            self.last_find = self.calls;
        }
    }

    /// Keeps a step, and where it leads, if an object is left and it is not too large.
    fn keep(&mut self, before: Option<usize>, step: Step, end: &Configuration) -> Option<usize> {
        if let Entry::Vacant(first) = self.explored.first.entry(step.edge) {
            first.insert((before, step.clone()));
            self.last_find = self.calls;
        }
        let state = self.runner.walker.automaton()[step.edge].target?;
        let now = end.canonical();
        if let Some(known) = self.index.get(&now) {
            return Some(*known);
        }
        if size(&now) > MOST_VALUES {
            self.is_large = true;
            self.explored.is_exact = false;
            return None;
        }
        let calls = before.and_then(|at| self.explored.reached.get(at));
        let id = self.explored.reached.len();
        self.index.insert(now.clone(), id);
        self.explored.reached.push(Reached {
            now,
            state,
            calls: calls.map_or(0, |reached| reached.calls) + 1,
            before,
            step,
        });
        Some(id)
    }
}

/// The configurations to go on from, by turns of their states.
#[derive(Default)]
struct Turns {
    open: BTreeMap<StateId, VecDeque<usize>>,
    /// How often each state had its turn.
    taken: BTreeMap<StateId, usize>,
}

impl Turns {
    fn add(&mut self, state: StateId, at: usize) {
        self.open.entry(state).or_default().push_back(at);
    }

    /// One in the state that had the fewest turns.
    fn next(&mut self) -> Option<usize> {
        let open = self.open.iter_mut().filter(|(_, left)| !left.is_empty());
        let times = |state: &StateId| self.taken.get(state).copied().unwrap_or(0);
        let (state, left) = open.min_by_key(|(state, _)| times(state))?;
        let turn = self.taken.entry(*state).or_default();
        *turn += 1;
        // By turns from what is near, and from what was found last, which is far.
        match *turn % 2 {
            0 => left.pop_back(),
            _ => left.pop_front(),
        }
    }
}

impl Explored {
    /// The edges that were taken.
    pub(super) fn edges(&self) -> impl Iterator<Item = EdgeId> + '_ {
        self.first.keys().copied()
    }

    /// Whether an edge was taken, and no shorter run takes it.
    pub(super) fn is_nearest(&self, edge: EdgeId) -> bool {
        self.nearest.contains(&edge)
    }

    /// Whether an edge was taken.
    pub(super) fn takes(&self, edge: EdgeId) -> bool {
        self.first.contains_key(&edge)
    }

    /// What the class does although no edge of its EPA says so: each once.
    pub(super) fn astray(&self) -> impl Iterator<Item = &Astray> + '_ {
        self.astray.iter().map(|(_, stray)| &stray.does)
    }

    /// The run that takes an edge; none where none was found, or it is not what it was.
    pub(super) fn run(
        &self,
        runner: &Runner<'_>,
        teller: &RunTeller<'_>,
        edge: EdgeId,
    ) -> Option<Run> {
        let (before, last) = self.first.get(&edge)?;
        self.told(runner, teller, *before, Some(last))
            .map(|(run, _)| run)
    }

    /// The run that does something like this although no edge says so; none where it is not what it was.
    pub(super) fn run_astray(
        &self,
        runner: &Runner<'_>,
        teller: &RunTeller<'_>,
        such: impl Fn(&Astray) -> bool,
    ) -> Option<Run> {
        let (before, stray) = self.astray.iter().find(|(_, stray)| such(&stray.does))?;
        let (mut run, now) = self.told(runner, teller, *before, None)?;
        let performed = runner.go_astray(now.as_ref(), stray)?;
        run.calls
            .push(teller.done_astray(&stray.does.exit, &performed));
        Some(run)
    }

    /// The run that leads to a configuration; none where it is not what it was.
    pub(super) fn run_to(
        &self,
        runner: &Runner<'_>,
        teller: &RunTeller<'_>,
        reached: &Reached,
    ) -> Option<Run> {
        let (run, _) = self.told(runner, teller, reached.before, Some(&reached.step))?;
        Some(run)
    }

    /// The run to a configuration and then on by a call, if there is one to make; and where it ends.
    fn told(
        &self,
        runner: &Runner<'_>,
        teller: &RunTeller<'_>,
        before: Option<usize>,
        last: Option<&Step>,
    ) -> Option<(Run, Option<Configuration>)> {
        let (mut at, mut steps) = (before, Vec::from_iter(last));
        while let Some(reached) = at.and_then(|at| self.reached.get(at)) {
            steps.push(&reached.step);
            at = reached.before;
        }
        steps.reverse();
        let mut now: Option<Configuration> = None;
        let mut calls = Vec::new();
        for step in steps {
            let performed = runner.perform(now.as_ref(), step)?;
            calls.push(teller.done(step.edge, &performed));
            now = Some(performed.end);
        }
        let run = Run {
            calls,
            replayed: true,
            not_replayed: None,
        };
        Some((run, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Encoding;
    use crate::engine::Builtin;
    use crate::epa::{ConstructOptions, construct};
    use crate::ir::ClassId;

    /// A class, and its EPA.
    fn made(text: &str) -> (Encoding, Abstraction) {
        let loaded = crate::front::tq::parse_text("test.tq", text).expect("a class");
        let encoding = Encoding::of_class(&loaded.program, ClassId(0)).expect("encoded");
        let made = construct(&encoding, &Builtin::default(), &ConstructOptions::default());
        (encoding, made.expect("an EPA").abstraction)
    }

    /// Five of those who are not asked anything but who they are: which five they are does not matter.
    #[test]
    fn of_those_whom_nobody_knows_one_is_as_good_as_another() {
        let text = "class Ballot {
            var voted: map<int, bool>; var votes: int;
            invariant 0 <= votes <= 6;
            constructor() { voted := map<int, bool>(false); votes := 0; }
            action vote(who: int) requires !voted[who] && votes < 5 { voted[who] := true; votes := votes + 1; }
            action close() requires votes == 5 { votes := 6; }
        }";
        let (encoding, epa) = made(text);
        let runner = Runner::new(&encoding.subject, &epa, BTreeMap::new());
        let explored = runner.explore(300, &Aim::edges(&|_| false));
        // Nobody has voted, one to five have, and it is closed.
        assert_eq!(explored.reached.len(), 7);
        assert!(explored.is_whole && !explored.is_exact);
        // The making, the votes, the last one, and the closing. (That all integers have voted, no run shows.)
        assert_eq!(explored.edges().count(), 4);
    }

    /// There are 68,921 configurations, and the last edge takes 121 calls: nobody gets there breadth first.
    #[test]
    fn counters_are_moved_by_the_loops_that_move_them() {
        let text = "class Counters {
            var a: int; var b: int; var c: int;
            invariant a <= 40 && b <= 40 && c <= 40;
            constructor() { a := 0; b := 0; c := 0; }
            action first() requires a < 40 { a := a + 1; }
            action second() requires b < 40 { b := b + 1; }
            action third() requires c < 40 { c := c + 1; }
            action clear() requires a + b + c == 120 { a := 0; b := 0; c := 0; }
        }";
        let (encoding, epa) = made(text);
        let all = epa.automaton.edges.len();
        let runner = Runner::new(&encoding.subject, &epa, BTreeMap::new());
        let explored = runner.explore(300, &Aim::edges(&|found| found.edges().count() == all));
        // The making of an object, three loops and ways out in one state, two in three, one in three, and the way back.
        assert_eq!((explored.edges().count(), all), (1 + 6 + 12 + 6 + 1, 26));
        assert!(!explored.is_whole);
        // All values were tried, and what is far away was found all the same by whatever run came by.
        let clear = epa
            .edges()
            .find(|(_, edge, _)| epa.names.callee(edge.callee) == "clear");
        let (clear, ..) = clear.expect("an edge");
        let made = epa.edges().find(|(_, edge, _)| edge.source.is_none());
        let (made, ..) = made.expect("an edge");
        assert!(explored.is_nearest(made) && !explored.is_nearest(clear));
    }
}
