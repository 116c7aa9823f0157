//! The search for runs, in the order of their lengths.

use std::collections::{BTreeMap, BTreeSet};

use crate::encode::Encoding;
use crate::encode::confirm::{Automaton, EncodedRuns, Origin, Runs};
use crate::encode::induction::after_calls;
use crate::epa::desk::Disagreement;
use crate::epa::model::Epa;
use crate::ir::Expr;
use crate::ir::formula;
use crate::query::{Program, Trace, Verdict};

use super::asker::Asker;
use super::automaton::automaton_of;
use super::candidates::{Candidates, Observed, closest};
use super::closure::close;
use super::model::Confirmations;
use super::proof::{Prover, Refutation};
use super::replay::{Replay, Replayer};
use super::{Failure, Options};
use crate::epa::run::{Call, Run};

/// After so many lengths at which nothing new is found, a proof is tried.
const LENGTHS_BEFORE_PROOF: u32 = 2;
/// After so many lengths it is tried to reach every configuration: runs that are longer take a while to find.
const LENGTHS_BEFORE_CLOSURE: u32 = 3;
/// No more configurations are kept than this.
const MOST_SEEN: usize = 400;

/// What was found of an edge.
pub struct Found {
    pub calls: u32,
    pub shortest: bool,
    pub run: Run,
}

impl Found {
    /// A run that none is shorter than.
    pub fn shortest(run: Run) -> Self {
        Found {
            calls: u32::try_from(run.calls.len()).unwrap_or(u32::MAX),
            shortest: true,
            run,
        }
    }
}

/// What is known so far.
pub struct Search<'a> {
    pub encoding: &'a Encoding<'a>,
    pub options: &'a Options<'a>,
    pub automaton: Automaton,
    pub text: Program,
    /// The edges that may be taken, as far as is known.
    pub live: BTreeSet<usize>,
    pub found: BTreeMap<usize, Found>,
    /// The edges of which the answer at some length is not known, and the last length at which it was.
    pub unsure: BTreeMap<usize, u32>,
    /// All lengths up to this one were asked about.
    pub done: u32,
    pub seen: Vec<Observed>,
    /// Clauses that hold after every call; they may speak of the number of calls.
    pub known: Vec<Expr>,
    /// Clauses that hold of all configurations that objects can be in, and of no others; none where these are not
    /// known.
    pub closure: Vec<Expr>,
    pub refutation: Option<Refutation>,
    pub disagreements: Vec<Disagreement>,
    pub errors: Vec<String>,
}

/// Finds out which edges of an EPA some object takes.
///
/// # Errors
/// The engine cannot be run at all, or the EPA is not one of this class.
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
/// let epa = epa::construct(&encoding, &engine, &epa::Options::default())?.epa;
///
/// let options = epa::confirm::Options::new(&engine, &loaded.source);
/// let found = epa::confirm::confirm(&encoding, &epa, &options)?;
/// assert_eq!(found.proof.ok_or("nothing was refuted")?.invariant, ["change >= 0"]);
/// let pruned = found.epa.ok_or("no EPA")?;
/// assert_eq!((epa.states.len(), pruned.states.len()), (4, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn confirm(
    encoding: &Encoding<'_>,
    epa: &Epa,
    options: &Options<'_>,
) -> Result<Confirmations, Failure> {
    let automaton = automaton_of(encoding, epa).ok_or(Failure::AnotherClass)?;
    let text = encoding.automaton(&automaton)?;
    let asker = Asker::new(options, &text)?;
    let mut search = Search {
        encoding,
        options,
        live: (0..automaton.edges.len()).collect(),
        automaton,
        text,
        found: BTreeMap::new(),
        unsure: BTreeMap::new(),
        done: 0,
        seen: Vec::new(),
        known: Vec::new(),
        closure: Vec::new(),
        refutation: None,
        disagreements: Vec::new(),
        errors: Vec::new(),
    };
    let stopped = search.run(&asker);
    Ok(search.report(epa, stopped, asker.counts()))
}

impl Search<'_> {
    /// Goes on until all is found out, or the bound or the time is used up. Says why it stopped before all was.
    fn run(&mut self, asker: &Asker<'_>) -> Option<String> {
        let mut dry = 0;
        let mut proved_with = None;
        for calls in 1..=self.options.max_calls {
            if self.wanted().is_empty() {
                return None;
            }
            if asker.is_out_of_time() {
                break;
            }
            match self.at_length(asker, calls) {
                Some(true) => dry = 0,
                Some(false) => dry += 1,
                None => {}
            }
            self.done = calls;
            if calls == LENGTHS_BEFORE_CLOSURE && self.close(asker) {
                // No run, however long, shows anything else.
                self.done = self.options.max_calls;
                proved_with = None;
                break;
            }
            if dry >= LENGTHS_BEFORE_PROOF && proved_with != Some(self.found.len()) {
                proved_with = Some(self.found.len());
                self.prove(asker);
            }
        }
        if !self.wanted().is_empty() && proved_with != Some(self.found.len()) {
            self.prove(asker);
        }
        if self.wanted().is_empty() {
            None
        } else if asker.is_out_of_time() {
            Some(format!(
                "the time is over, after runs of {} calls",
                self.done
            ))
        } else {
            Some(format!(
                "runs of more than {} calls were not looked for",
                self.options.max_calls
            ))
        }
    }

    /// Tries to reach every configuration. Whether that was done.
    fn close(&mut self, asker: &Asker<'_>) -> bool {
        if self.wanted().is_empty() {
            return false;
        }
        match close(self, asker) {
            Some(closure) => {
                self.seen = closure.configurations;
                self.closure = closure.clauses;
                true
            }
            None => false,
        }
    }

    /// The edges not found so far.
    pub fn wanted(&self) -> BTreeSet<usize> {
        self.live
            .iter()
            .filter(|e| !self.found.contains_key(e))
            .copied()
            .collect()
    }

    /// Finds all edges that a run of this length ends with. Whether there were any; none if the automaton has no
    /// such run.
    fn at_length(&mut self, asker: &Asker<'_>, calls: u32) -> Option<bool> {
        let mut wanted = self.wanted();
        wanted.retain(|edge| !self.is_excluded(asker, calls, *edge));
        let mut any = None;
        while let Some(runs) = self.runs(calls, &wanted) {
            any = any.or(Some(false));
            match self.look_for(asker, &runs) {
                Looked::Found(edges) => {
                    wanted.retain(|e| !edges.contains(e));
                    any = Some(true);
                }
                Looked::None => return any,
                Looked::Unsure if runs.edges.len() > 1 => {
                    for edge in runs.edges {
                        any = any.max(self.one_at_length(asker, calls, edge));
                    }
                    return any;
                }
                Looked::Unsure => {
                    self.doubt(&runs.edges, calls);
                    return any;
                }
            }
        }
        any
    }

    /// Whether there is no need to look for a run of so many calls that ends with the edge.
    fn is_excluded(&self, asker: &Asker<'_>, calls: u32, edge: usize) -> bool {
        if self.runs(calls, &BTreeSet::from([edge])).is_none() {
            return true;
        }
        // The call before ends in the edge's source: a run of that length, and so looked for already.
        if self.unsure.is_empty()
            && let Origin::Call { state, .. } = self.automaton.edges[edge].origin
            && !self.found.iter().any(|(e, found)| {
                found.calls < calls && self.automaton.edges[*e].target == Some(state)
            })
        {
            return true;
        }
        if self.known.is_empty() {
            return false;
        }
        // What is known to hold after the call before may leave no room for the edge.
        let known: Vec<Expr> = (self.known.iter())
            .map(|clause| after_calls(clause, formula::int(calls.saturating_sub(1))))
            .collect();
        let prover = Prover {
            encoding: self.encoding,
            automaton: &self.automaton,
            asker,
        };
        prover.is_refuted(&self.automaton.edges[edge], &known)
    }

    fn one_at_length(&mut self, asker: &Asker<'_>, calls: u32, edge: usize) -> Option<bool> {
        let edge = BTreeSet::from([edge]);
        if edge.iter().all(|e| self.found.contains_key(e)) {
            return None;
        }
        let runs = self.runs(calls, &edge)?;
        match self.look_for(asker, &runs) {
            Looked::Found(_) => Some(true),
            Looked::None => Some(false),
            Looked::Unsure => {
                self.doubt(&edge, calls);
                Some(false)
            }
        }
    }

    fn doubt(&mut self, edges: &BTreeSet<usize>, calls: u32) {
        for edge in edges {
            self.unsure.entry(*edge).or_insert(calls - 1);
        }
    }

    /// The runs of this length that end with one of these edges, if the automaton has any.
    fn runs(&self, calls: u32, wanted: &BTreeSet<usize>) -> Option<Runs> {
        let runs = self.automaton.runs(calls as usize, wanted, &self.live)?;
        let after = |call: u32| {
            let known = self.known.iter();
            known.map(|e| after_calls(e, formula::int(call))).collect()
        };
        Some(Runs {
            // What holds after the last call is of no use to anybody.
            known: (1..calls).map(after).collect(),
            ..runs
        })
    }

    fn look_for(&mut self, asker: &Asker<'_>, runs: &Runs) -> Looked {
        let Ok(encoded) = self.encoding.runs(&self.automaton, runs) else {
            return Looked::Unsure;
        };
        match asker.search(&encoded.entry) {
            Verdict::Unreachable => Looked::None,
            Verdict::Reached(trace) => self.take(runs, &encoded, &trace),
            Verdict::BoundHit { .. } | Verdict::Unknown(_) => Looked::Unsure,
        }
    }

    /// Takes a trace that was found, if it is right.
    fn take(&mut self, runs: &Runs, encoded: &EncodedRuns, trace: &Trace) -> Looked {
        match self.replay(runs, encoded, trace) {
            Some(replay) => Looked::Found(self.keep(replay)),
            None => Looked::Unsure,
        }
    }

    /// What running a trace shows; none where that is not what the engine says, which is an error of ours.
    pub fn replay(&mut self, runs: &Runs, encoded: &EncodedRuns, trace: &Trace) -> Option<Replay> {
        let replayer = Replayer {
            encoding: self.encoding,
            automaton: &self.automaton,
            source: self.options.source,
        };
        let how = match replayer.replay(runs, encoded, trace) {
            Ok(replay) if replay.edges.last().is_some_and(|e| runs.edges.contains(e)) => {
                return Some(replay);
            }
            Ok(_) => "its last edge is none of these".to_owned(),
            Err(how) => how,
        };
        let sentence = self.encoding.runs_sentence(&self.automaton, runs);
        let error = format!("{sentence} The engine says yes, but its trace does not replay: {how}");
        self.errors.push(error.clone());
        self.disagreements.push(Disagreement {
            message: error,
            name: encoded.entry.name.clone(),
            text: self.text.with(&encoded.entry),
        });
        None
    }

    /// Every edge on the way is confirmed by the run up to it.
    fn keep(&mut self, replay: Replay) -> BTreeSet<usize> {
        let mut edges = BTreeSet::new();
        for (index, edge) in replay.edges.iter().enumerate() {
            edges.insert(*edge);
            if self.found.contains_key(edge) {
                continue;
            }
            let calls: Vec<Call> = replay.run.calls.iter().take(index + 1).cloned().collect();
            self.found.insert(
                *edge,
                Found {
                    calls: u32::try_from(index + 1).unwrap_or(u32::MAX),
                    shortest: !self.unsure.contains_key(edge),
                    run: Run {
                        calls,
                        ..replay.run.clone()
                    },
                },
            );
        }
        for (index, configuration) in replay.configurations.into_iter().enumerate() {
            let observed = (u32::try_from(index + 1).unwrap_or(u32::MAX), configuration);
            let is_object = observed.1.this.is_some();
            if is_object && self.seen.len() < MOST_SEEN && !self.seen.contains(&observed) {
                self.seen.push(observed);
            }
        }
        edges
    }

    /// Looks for an invariant; refutes by it what it refutes.
    fn prove(&mut self, asker: &Asker<'_>) {
        let prover = Prover {
            encoding: self.encoding,
            automaton: &self.automaton,
            asker,
        };
        let wanted = self.wanted();
        let candidates = Candidates::new(self.encoding, &self.seen);
        let mut clauses = prover.inductive(&[], candidates.atoms());
        let mut refutation = prover.refute(&clauses, &wanted);
        let open = |refutation: &Option<Refutation>| match refutation {
            Some(found) => wanted.difference(&found.edges).next().is_some(),
            None => true,
        };
        if open(&refutation) {
            // Where all configurations are known, so is what holds of them.
            let more = match self.closure.as_slice() {
                [] => candidates.implications(),
                all => all.to_vec(),
            };
            let more = prover.inductive(&clauses, more);
            if !more.is_empty() {
                clauses.extend(more);
                refutation = prover.refute(&clauses, &wanted).or(refutation);
            }
        }
        if open(&refutation) && self.closure.is_empty() {
            let growing = prover.inductive(&clauses, candidates.growth());
            self.known = closest(clauses.into_iter().chain(growing).collect());
        }
        if let Some(refutation) = refutation {
            self.withdraw(refutation);
        }
    }

    /// Takes the refuted edges away, and what only they led to.
    fn withdraw(&mut self, refutation: Refutation) {
        let left: BTreeSet<usize> = self.live.difference(&refutation.edges).copied().collect();
        let (_, live) = self.automaton.reachable(&left);
        // A run is a run: a proof against it would be wrong.
        if let Some(edge) = self.found.keys().find(|e| !live.contains(e)) {
            let edge = self
                .encoding
                .edge_name(&self.automaton, &self.automaton.edges[*edge]);
            self.errors.push(format!(
                "the invariant found leaves no room for {edge}, which a run takes; it is not used"
            ));
            return;
        }
        self.live = live;
        self.refutation = Some(match self.refutation.take() {
            None => refutation,
            Some(before) => before.and(refutation),
        });
    }
}

/// What came of looking for a run.
enum Looked {
    /// One was found, with these edges.
    Found(BTreeSet<usize>),
    /// There is none.
    None,
    /// That is not known.
    Unsure,
}
