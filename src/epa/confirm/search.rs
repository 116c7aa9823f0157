//! The search for runs, in the order of their lengths.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::ConfirmOptions;
use super::candidates::Observed;
use super::closure::{MOST_CONFIGURATIONS, close};
use super::frontier::{Frontier, may_go_on};
use super::mishaps::Mishap;
use super::proof::{Goal, Prover, Refutation};
use super::refute::Depth;
use super::report::Confirmed;
use super::runs::{RunTeller, Walked};
use crate::ask::AskError;
use crate::ask::{Answer, Desk, Disagreement, Doubt, QueryCounts, Run};
use crate::encode::Encoding;
use crate::engine::Engine;
use crate::epa::abstraction::{Abstraction, EdgeKnowledge};
use crate::interp::{Configuration, Value};
use crate::ir::{Expr, formula};
use crate::query::kinds::{self, after_calls};
use crate::query::{Automaton, Callee, Edge, EdgeId, StateId, Walk};
use crate::time::millis_since;

/// After so many lengths at which nothing new is found, a proof is tried.
const LENGTHS_BEFORE_PROOF: u32 = 2;
/// After so many lengths it is tried to reach every configuration: runs that are longer take a while to find.
pub(super) const LENGTHS_BEFORE_CLOSURE: u32 = 3;
/// Runs of so few edges are looked for before all that may be said of the class is tried against them, up to these lengths, as
/// long as one length takes no longer than this.
const LAST_EDGES: usize = 12;
const LENGTHS_FOR_LAST: u32 = 6;
const TIME_OF_LENGTH: Duration = Duration::from_secs(3);
/// The runs that exploration finds are made shorter, where they can be, as far as these lengths; of a class that has many
/// configurations, only as far as the others: there, a question about runs of four calls takes longer than it is worth.
const LENGTHS_FOR_SHORTEST: u32 = 6;
const LENGTHS_WHERE_MANY: u32 = 3;
/// These are many configurations.
const MANY_CONFIGURATIONS: usize = 5_000;
/// No more calls are added at once to a run that is known than these.
const MOST_CALLS_BEHIND: usize = 3;
/// No more edges than these are few: what each of them alone needs may be looked for.
pub(super) const FEW_EDGES: usize = 24;
/// Where no more edges than these are left, a proof is tried before longer runs.
const NOT_MANY_EDGES: usize = 60;
/// No more combinations of arguments of one call are kept than this.
const MOST_GIVEN: usize = 12;
/// No more configurations are kept than this.
pub(super) const MOST_SEEN: usize = 400;
/// Nor are there more from which runs go on than this.
const MOST_REACHED: usize = 2_000;

/// What was found of an edge.
pub(super) struct EdgeRun {
    pub calls: u32,
    pub shortest: bool,
    pub run: Run,
}

impl EdgeRun {
    /// A run, and whether none is shorter.
    pub(super) fn by(run: Run, shortest: bool) -> Self {
        EdgeRun {
            calls: u32::try_from(run.calls.len()).unwrap_or(u32::MAX),
            shortest,
            run,
        }
    }
}

/// Where the questions are put, within the time for the second pass.
pub(super) struct Desks<'a> {
    /// For proofs.
    pub prover: Desk<'a>,
    /// For runs.
    pub searcher: Desk<'a>,
    /// For runs of any of several edges.
    pub several: Desk<'a>,
    begun: Instant,
    time: Duration,
    /// What was asked at desks that are gone, and the answers there that were contradicted.
    elsewhere: Mutex<(QueryCounts, Vec<Disagreement>)>,
}

/// When the time is over. So long a time that there is no moment at its end is no limit.
fn deadline(begun: Instant, time: Duration) -> Option<Instant> {
    begun.checked_add(time)
}

impl<'a> Desks<'a> {
    fn open(
        encoding: &'a Encoding,
        automaton: &Automaton,
        options: &ConfirmOptions<'a>,
    ) -> Result<Self, AskError> {
        let begun = Instant::now();
        let deadline = deadline(begun, options.extent.time);
        let open = |engine| Desk::along(encoding, automaton, engine);
        Ok(Desks {
            prover: open(options.engine)?.until(deadline),
            searcher: open(options.searcher)?.until(deadline),
            several: open(options.several)?.until(deadline),
            begun,
            time: options.extent.time,
            elsewhere: Mutex::default(),
        })
    }

    /// A desk for runs along another automaton.
    pub(super) fn along(
        &self,
        search: &ConfirmSearch<'a>,
        automaton: &Automaton,
    ) -> Result<Desk<'a>, AskError> {
        let desk = Desk::along(search.encoding, automaton, search.options.searcher)?;
        Ok(desk.until(deadline(self.begun, self.time)))
    }

    /// A desk for proofs about another program, until the time is over; none where there can be none.
    pub(super) fn about<'e>(
        &self,
        encoding: &'e Encoding,
        engine: &'e dyn Engine,
    ) -> Option<Desk<'e>> {
        let desk = Desk::open(encoding, engine).ok()?;
        Some(desk.until(deadline(self.begun, self.time)))
    }

    /// Takes note of what was asked at such a desk.
    pub(super) fn take_note_of(&self, desk: &Desk<'_>) {
        let mut elsewhere = self.elsewhere();
        elsewhere.0 = QueryCounts::sum([&elsewhere.0, &desk.total()]);
        elsewhere.1.extend(desk.disagreements());
    }

    fn elsewhere(&self) -> MutexGuard<'_, (QueryCounts, Vec<Disagreement>)> {
        self.elsewhere
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no more is to be asked.
    pub(super) fn is_out_of_time(&self) -> bool {
        let desks = self.all();
        desks
            .iter()
            .any(|desk| desk.is_interrupted() || desk.is_over())
    }

    /// Whether more than this part of the time is over.
    pub(super) fn is_past(&self, part: f64) -> bool {
        self.begun.elapsed() >= self.time.mul_f64(part)
    }

    /// How long the second pass has taken, in milliseconds.
    pub(super) fn elapsed_ms(&self) -> u64 {
        millis_since(self.begun)
    }

    /// The answers that a replay or another engine contradicted.
    pub(super) fn disagreements(&self) -> Vec<Disagreement> {
        let desks = self.all();
        let mut found: Vec<_> = desks.iter().flat_map(|desk| desk.disagreements()).collect();
        found.extend(self.elsewhere().1.iter().cloned());
        found
    }

    /// What was asked at all of them.
    pub(super) fn counts(&self) -> QueryCounts {
        let here = QueryCounts::sum(&self.all().map(Desk::total));
        QueryCounts::sum([&here, &self.elsewhere().0])
    }

    fn all(&self) -> [&Desk<'a>; 3] {
        [&self.prover, &self.searcher, &self.several]
    }
}

/// What is known so far.
pub(super) struct ConfirmSearch<'a> {
    pub encoding: &'a Encoding,
    pub options: &'a ConfirmOptions<'a>,
    /// The EPA.
    pub before: &'a Abstraction,
    pub automaton: Arc<Automaton>,
    /// The edges that may be taken, as far as is known.
    pub live: BTreeSet<EdgeId>,
    pub found: BTreeMap<EdgeId, EdgeRun>,
    /// The edges of which the answer at some length is not known, and the last length at which it was.
    pub unsure: BTreeMap<EdgeId, u32>,
    /// All lengths up to this one were asked about.
    pub done: u32,
    /// Up to this one, also of the edges of which a longer run is known.
    asked_for_shorter: u32,
    /// What the engine's runs led to.
    pub seen: Vec<Observed>,
    /// Some of what was reached when the class was run last, from all over.
    pub sample: Vec<Observed>,
    /// The configurations that runs lead to, as far as they can be written.
    pub frontier: Frontier<'a>,
    /// Those of them from which it was tried in vain to take an edge out of a state by so many calls.
    pub gone_on_from: BTreeMap<(StateId, usize), BTreeSet<usize>>,
    /// What calls are given in the runs found.
    pub given: BTreeMap<Callee, Vec<Vec<Value>>>,
    /// How many configurations it is worth to reach one by one with the engine.
    pub most_reached: usize,
    /// As far as these lengths, it is worth to look for shorter runs than those that are known.
    pub lengths_for_shortest: u32,
    /// Clauses that hold after every call; they may speak of the number of calls.
    pub known: Vec<Expr>,
    /// Clauses that hold of all configurations that objects can be in, and of no others, as far as is known; none
    /// where that is nothing.
    pub closure: Vec<Expr>,
    pub refutation: Option<Refutation>,
    /// Objects that would take edges for which there is no run, for all that is proved: no object may be like them, or the
    /// run has to be found.
    pub odd: Vec<Configuration>,
    /// How many edges were found when an invariant was looked for last, and how far.
    proved_with: Option<(usize, Depth)>,
    /// What calls do that no edge tells, as far as the first pass could not rule it out.
    pub mishaps: Vec<Mishap>,
    /// Runs that end in some of that.
    pub mishap_runs: BTreeMap<usize, Run>,
    /// The edges that no run takes without a value that is not known. With one, it shows nothing.
    guessed: BTreeSet<EdgeId>,
    /// What contradicts itself: errors of ours.
    pub errors: Vec<String>,
}

/// The edges that take a value which is not known, and those to which all ways take one.
fn guessed(before: &Abstraction) -> BTreeSet<EdgeId> {
    let edges = before.automaton.edges.iter().zip(&before.known);
    let certain = edges.filter(|(_, known)| known.doubt != Some(Doubt::Values));
    let certain: Vec<(Option<StateId>, Option<StateId>)> = certain
        .map(|(edge, _)| (edge.source, edge.target))
        .collect();
    let mut states: BTreeSet<StateId> = BTreeSet::new();
    loop {
        let begins = |source: Option<StateId>| source.is_none_or(|state| states.contains(&state));
        let led_to = certain.iter().filter(|(source, _)| begins(*source));
        let led_to: Vec<StateId> = led_to.filter_map(|(_, target)| *target).collect();
        let before = states.len();
        states.extend(led_to);
        if states.len() == before {
            break;
        }
    }
    let is_guessed = |(edge, known): (&Edge, &EdgeKnowledge)| {
        let is_led_to = edge.source.is_none_or(|source| states.contains(&source));
        known.doubt == Some(Doubt::Values) || !is_led_to
    };
    let edges = before.automaton.edges.iter().zip(&before.known).enumerate();
    edges
        .filter(|(_, edge)| is_guessed(*edge))
        .map(|(at, _)| EdgeId(at))
        .collect()
}

/// Finds out which edges of an EPA some object takes.
///
/// # Errors
/// The engine cannot be run at all.
///
/// # Examples
/// The vending machine's deadlock is one that no object reaches:
///
/// ```
/// use std::path::Path;
/// use tranquera::{encode::Encoding, engine::Builtin, epa, front::tq};
///
/// let loaded = tq::load(Path::new("fixtures/corral-2016/vending_machine.tq"))?;
/// let class = loaded.program.class_named("VendingMachine").ok_or("no such class")?;
/// let encoding = Encoding::of_class(&loaded.program, class)?;
/// let engine = Builtin::default();
/// let before = epa::construct(&encoding, &engine, &epa::ConstructOptions::default())?.abstraction;
///
/// let options = epa::confirm::ConfirmOptions::new(&engine, &loaded.source);
/// let found = epa::confirm::confirm(&encoding, &before, &options)?;
/// assert_eq!(found.proof.ok_or("nothing was refuted")?.invariant, ["change >= 0"]);
/// assert_eq!((before.states().count(), found.abstraction.states().count()), (4, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn confirm(
    encoding: &Encoding,
    before: &Abstraction,
    options: &ConfirmOptions<'_>,
) -> Result<Confirmed, AskError> {
    let automaton = Arc::clone(&before.automaton);
    let desks = Desks::open(encoding, &automaton, options)?;
    let mut search = ConfirmSearch {
        encoding,
        options,
        before,
        live: (0..automaton.edges.len()).map(EdgeId).collect(),
        automaton,
        found: BTreeMap::new(),
        unsure: BTreeMap::new(),
        done: 0,
        asked_for_shorter: 0,
        seen: Vec::new(),
        sample: Vec::new(),
        frontier: Frontier::new(&encoding.subject),
        gone_on_from: BTreeMap::new(),
        given: BTreeMap::new(),
        most_reached: MOST_CONFIGURATIONS,
        lengths_for_shortest: LENGTHS_FOR_SHORTEST,
        known: Vec::new(),
        closure: Vec::new(),
        refutation: None,
        odd: Vec::new(),
        proved_with: None,
        mishaps: Mishap::all_of(before),
        mishap_runs: BTreeMap::new(),
        guessed: guessed(before),
        errors: Vec::new(),
    };
    let stopped = search.run(&desks);
    Ok(search.report(&desks, stopped))
}

impl ConfirmSearch<'_> {
    /// Goes on until all is found out, or the bound or the time is used up. Says why it stopped before all was.
    fn run(&mut self, desks: &Desks<'_>) -> Option<String> {
        let mut dry = 0;
        self.run_briefly(desks);
        // Of many edges, each question to the engine finds one; to run the class farther finds them at once.
        if self.wanted().len() > NOT_MANY_EDGES {
            self.explore(desks);
        }
        for calls in 1..=self.options.extent.max_calls {
            if calls <= self.done {
                continue;
            }
            if self.wanted_at(calls).is_empty() || desks.is_out_of_time() {
                break;
            }
            match self.at_length(desks, calls) {
                Some(true) => dry = 0,
                Some(false) => dry += 1,
                None => {}
            }
            self.done = calls;
            if calls == LENGTHS_BEFORE_CLOSURE && !self.wanted().is_empty() {
                self.go_beyond(desks);
                if self.close(desks) {
                    // No run, however long, shows anything else.
                    self.done = self.options.extent.max_calls;
                    self.proved_with = None;
                    break;
                }
            }
            if dry >= LENGTHS_BEFORE_PROOF {
                self.prove_anew(desks, Depth::Far);
            }
        }
        self.prove_anew(desks, Depth::Far);
        self.judge_mishaps(desks);
        if self.wanted().is_subset(&self.guessed)
            && !(self.is_any_mishap_open() && desks.is_out_of_time())
        {
            None
        } else if desks.is_out_of_time() {
            let time = desks.time.as_secs_f64();
            Some(format!(
                "the {time} s that it is given are over, after runs of {} calls (`--confirm-time` is for more)",
                self.done
            ))
        } else {
            Some(format!(
                "runs of more than {} calls were not looked for (`--max-calls` is for longer ones)",
                self.options.extent.max_calls
            ))
        }
    }

    /// Takes edges by longer runs than the engine was asked for, and refutes what is left.
    fn go_beyond(&mut self, desks: &Desks<'_>) {
        self.explore(desks);
        self.extend(desks, 1);
        // Where not many edges are left, a proof may be nearer than what a few calls more show; but these calls are nearer than all
        // that may be said of the class, which is tried in vain where the edges can be taken.
        if self.wanted().len() <= NOT_MANY_EDGES {
            self.prove_anew(desks, Depth::Near);
        }
        self.extend(desks, MOST_CALLS_BEHIND);
        self.take_last(desks);
        self.prove_anew(desks, Depth::Far);
        if self.wanted().len() <= FEW_EDGES {
            self.explore_odd(desks);
            self.extend(desks, MOST_CALLS_BEHIND);
            self.prove_anew(desks, Depth::Far);
        }
    }

    /// Looks for longer runs of the last edges. That an edge can be taken is sooner seen by a run of a few calls more than by all
    /// that may be said of the class, of which in the end nothing refutes it.
    fn take_last(&mut self, desks: &Desks<'_>) {
        for calls in self.done + 1..=LENGTHS_FOR_LAST.min(self.options.extent.max_calls) {
            let wanted = self.wanted().len();
            let begun = Instant::now();
            if wanted == 0 || wanted > LAST_EDGES || desks.is_out_of_time() {
                return;
            }
            self.at_length(desks, calls);
            self.done = calls;
            if begun.elapsed() > TIME_OF_LENGTH {
                return;
            }
            // What is seen of more objects tells better what none of them is like.
            self.prove_anew(desks, Depth::Near);
        }
    }

    /// Looks for an invariant, where edges are left, and more was found since that was done last or it was not done so far.
    pub(super) fn prove_anew(&mut self, desks: &Desks<'_>, depth: Depth) {
        let found = self.found.len();
        let is_done = self
            .proved_with
            .is_some_and(|(with, as_far)| with == found && depth <= as_far);
        if !self.wanted().is_empty() && !is_done {
            self.proved_with = Some((found, depth));
            self.prove_edges(desks, depth);
        }
    }

    /// Takes note of how many configurations there are.
    pub(super) fn note_size(&mut self, configurations: usize) {
        if configurations >= MANY_CONFIGURATIONS {
            self.lengths_for_shortest = LENGTHS_WHERE_MANY;
        }
    }

    /// Tries to reach every configuration. Whether that was done.
    fn close(&mut self, desks: &Desks<'_>) -> bool {
        let is_open = !may_go_on(&self.encoding.subject);
        if self.unsettled().is_empty() || is_open || self.most_reached == 0 {
            return false;
        }
        match close(self, desks) {
            Some(closure) => {
                self.seen = closure.configurations;
                self.sample.clear();
                self.closure = closure.clauses;
                true
            }
            None => false,
        }
    }

    /// The edges not found so far.
    pub(super) fn wanted(&self) -> BTreeSet<EdgeId> {
        self.live
            .iter()
            .filter(|e| !self.found.contains_key(e))
            .copied()
            .collect()
    }

    /// The edges not found so far, and those of which a shorter run may be found.
    pub(super) fn unsettled(&self) -> BTreeSet<EdgeId> {
        let is_settled = |edge: &EdgeId| self.found.get(edge).is_some_and(|found| found.shortest);
        let live = self.live.iter().copied();
        live.filter(|edge| !is_settled(edge)).collect()
    }

    /// The edges that a run of this length would tell something new of: those not found so far, and those of which a
    /// shorter run may be found.
    fn wanted_at(&self, calls: u32) -> BTreeSet<EdgeId> {
        let mut wanted = self.wanted();
        wanted.retain(|edge| !self.guessed.contains(edge));
        wanted.extend(self.longer_at(calls).unwrap_or_default());
        wanted
    }

    /// The edges of which a run of this length would be shorter than the one that is known; none where that is not worth asking.
    fn longer_at(&self, calls: u32) -> Option<Vec<EdgeId>> {
        let longer = |found: &EdgeRun| !found.shortest && found.calls > calls;
        let longer = self.found.iter().filter(|(_, found)| longer(found));
        let longer: Vec<EdgeId> = longer.map(|(edge, _)| *edge).collect();
        // A call less in each of a hundred runs is not worth questions about all runs of this length, but where they are short.
        let is_worth = longer.len() <= FEW_EDGES || calls <= LENGTHS_BEFORE_CLOSURE;
        (is_worth && calls <= self.lengths_for_shortest).then_some(longer)
    }

    /// Finds all edges that a run of this length ends with. Whether there were any; none if the automaton has no
    /// such run.
    fn at_length(&mut self, desks: &Desks<'_>, calls: u32) -> Option<bool> {
        if self.longer_at(calls).is_some() && self.asked_for_shorter + 1 == calls {
            self.asked_for_shorter = calls;
        }
        let any = self.edges_at_length(desks, calls);
        if self.asked_for_shorter == calls {
            let unsure = &self.unsure;
            for (edge, found) in &mut self.found {
                // All lengths below were asked about, too.
                found.shortest |= found.calls == calls + 1 && !unsure.contains_key(edge);
            }
        }
        any
    }

    fn edges_at_length(&mut self, desks: &Desks<'_>, calls: u32) -> Option<bool> {
        let mut wanted = self.wanted_at(calls);
        wanted.retain(|edge| !self.is_excluded(desks, calls, *edge));
        let mut any = None;
        while let Some(walk) = self.walk(calls, &wanted) {
            any = any.or(Some(false));
            let looked_for = walk.wanted.clone();
            match self.look_for(desks, walk) {
                Looked::Found(edges) => {
                    wanted.retain(|e| !edges.contains(e));
                    any = Some(true);
                }
                Looked::None => return any,
                Looked::Unsure if looked_for.len() > 1 => {
                    for edge in looked_for {
                        any = any.max(self.one_at_length(desks, calls, edge));
                    }
                    return any;
                }
                Looked::Unsure => {
                    self.doubt(&looked_for, calls);
                    return any;
                }
            }
        }
        any
    }

    /// Whether there is no need to look for a run of so many calls that ends with the edge.
    fn is_excluded(&self, desks: &Desks<'_>, calls: u32, id: EdgeId) -> bool {
        if self.walk(calls, &BTreeSet::from([id])).is_none() {
            return true;
        }
        let edge = &self.automaton[id];
        // The call before ends in the edge's source: a run of that length, and so looked for already.
        let leads_there = |(e, found): (&EdgeId, &EdgeRun)| {
            let may_be_shorter = found.calls < calls || !found.shortest;
            may_be_shorter && self.automaton[*e].target == edge.source
        };
        if self.unsure.is_empty() && edge.source.is_some() && !self.found.iter().any(leads_there) {
            return true;
        }
        if self.known.is_empty() {
            return false;
        }
        // What is known to hold after the call before may leave no room for the edge.
        let known: Vec<Expr> = (self.known.iter())
            .map(|clause| after_calls(clause, formula::int(calls.saturating_sub(1))))
            .collect();
        self.prover(desks).refutes(Goal::Edge(id), &known)
    }

    /// Who proves.
    pub(super) fn prover<'p>(&'p self, desks: &'p Desks<'_>) -> Prover<'p> {
        Prover {
            automaton: &self.automaton,
            mishaps: &self.mishaps,
            desk: &desks.prover,
            runner: None,
        }
    }

    fn one_at_length(&mut self, desks: &Desks<'_>, calls: u32, edge: EdgeId) -> Option<bool> {
        if !self.wanted_at(calls).contains(&edge) {
            return None;
        }
        let edge = BTreeSet::from([edge]);
        let walk = self.walk(calls, &edge)?;
        match self.look_for(desks, walk) {
            Looked::Found(_) => Some(true),
            Looked::None => Some(false),
            Looked::Unsure => {
                self.doubt(&edge, calls);
                Some(false)
            }
        }
    }

    fn doubt(&mut self, edges: &BTreeSet<EdgeId>, calls: u32) {
        for edge in edges {
            self.unsure.entry(*edge).or_insert(calls - 1);
        }
    }

    /// The walks of this length that end with one of these edges, if the automaton has any.
    fn walk(&self, calls: u32, wanted: &BTreeSet<EdgeId>) -> Option<Walk> {
        let walk = self
            .automaton
            .walks(None, calls as usize, wanted, &self.live)?;
        let after = |call: u32| {
            let known = self.known.iter();
            known.map(|e| after_calls(e, formula::int(call))).collect()
        };
        Some(Walk {
            // What holds after the last call is of no use to anybody.
            known: (1..calls).map(after).collect(),
            ..walk
        })
    }

    fn look_for(&mut self, desks: &Desks<'_>, walk: Walk) -> Looked {
        let desk = match walk.wanted.len() {
            1 => &desks.searcher,
            _ => &desks.several,
        };
        let query = kinds::run(&self.encoding.subject, walk);
        match desk.ask(&query) {
            Answer::No => Looked::None,
            Answer::Guess(_) | Answer::Unknown(_) => Looked::Unsure,
            Answer::Yes(witness) => {
                let walked = self.teller().tell(self.encoding, &witness);
                Looked::Found(self.keep(walked))
            }
        }
    }

    /// Who tells what a walk is.
    pub(super) fn teller(&self) -> RunTeller<'_> {
        RunTeller {
            subject: &self.encoding.subject,
            names: &self.before.names,
            automaton: &self.automaton,
            edges: self.automaton.edges.len(),
            source: self.options.source,
        }
    }

    /// Every edge on the way is confirmed by the run up to it.
    fn keep(&mut self, walked: Walked) -> BTreeSet<EdgeId> {
        let mut edges = BTreeSet::new();
        let mut ends = walked.configurations.into_iter();
        for (index, edge) in walked.edges.iter().enumerate() {
            edges.insert(*edge);
            let run = walked.run.up_to(index + 1);
            if let Some(end) = ends.next() {
                self.arrive(end, self.automaton[*edge].target, &run);
            }
            let known = self.found.get(edge);
            let are_asked = known.is_none() || self.asked_for_shorter as usize >= index;
            let shortest = are_asked && !self.unsure.contains_key(edge);
            match known {
                Some(known) if known.shortest || known.run.calls.len() <= index + 1 => {}
                _ => {
                    self.found.insert(*edge, EdgeRun::by(run, shortest));
                }
            }
        }
        for (callee, arguments) in walked.given {
            let known = self.given.entry(callee).or_default();
            if known.len() < MOST_GIVEN
                && arguments.iter().all(is_plain)
                && !known.contains(&arguments)
            {
                known.push(arguments);
            }
        }
        edges
    }

    /// What was seen of objects.
    pub(super) fn all_seen(&self) -> Vec<Observed> {
        [self.seen.as_slice(), &self.sample].concat()
    }

    /// Keeps what a run showed of an object.
    pub(super) fn see(&mut self, observed: Observed) {
        let is_object = observed.1.this.is_some();
        if is_object && self.seen.len() < MOST_SEEN && !self.seen.contains(&observed) {
            self.seen.push(observed);
        }
    }

    /// Keeps a configuration that a run leads to, where it can be written: runs go on from there.
    pub(super) fn reach(&mut self, end: &Configuration, state: StateId, run: Run) {
        if self.frontier.reached().len() < MOST_REACHED
            && let Some(values) = self.frontier.values(end)
        {
            // From what cannot be written, no run goes on.
            let _is_written = self.frontier.add(values, state, run).is_ok();
        }
    }

    /// Keeps what is where a run ends, and the configuration that it leads to.
    pub(super) fn arrive(&mut self, end: Configuration, state: Option<StateId>, run: &Run) {
        if let Some(state) = state {
            self.reach(&end, state, run.clone());
        }
        self.see((u32::try_from(run.calls.len()).unwrap_or(u32::MAX), end));
    }
}

/// Whether a value is the same in every configuration.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::Ref(_) => false,
        Value::Map(map) => map.values().all(is_plain) && map.exceptions().keys().all(is_plain),
        _ => true,
    }
}

/// What came of looking for a run.
enum Looked {
    /// One was found, with these edges.
    Found(BTreeSet<EdgeId>),
    /// There is none.
    None,
    /// That is not known.
    Unsure,
}
