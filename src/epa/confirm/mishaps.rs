//! What calls do that no edge tells: they end in an error of the operations themselves, or where the invariant does not hold.
//!
//! The first pass asks what a call can do from any configuration in which the invariant holds. Here that is judged as edges are:
//! some object does it, with the run that shows it, or a proof says that none ever does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::explore::{Aim, Astray, Explored};
use super::frontier::may_go_on;
use super::proof::Goal;
use super::runs::RunTeller;
use super::search::{ConfirmSearch, Desks};
use crate::ask::{Answer, Desk, Run};
use crate::epa::abstraction::Abstraction;
use crate::epa::findings::{CallOccurrence, Finding};
use crate::ir::{Expr, formula};
use crate::query::{Automaton, Callee, Edge, EdgeId, Exit, Query, StateId, Step, Subject, kinds};

/// From no more configurations than these a question goes on.
const MOST_STARTS: usize = 32;
/// Nor are there more such questions about one mishap.
const MOST_QUESTIONS: usize = 8;
/// Running the class reaches no more configurations than these.
const MOST_REACHED: usize = 2_000;
/// The longest runs that the engine is asked for at once.
const MOST_CALLS: usize = 4;

/// What a call does that no edge tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mishap {
    /// The call; in whatever state where none is said.
    pub site: CallOccurrence,
    /// Whether it is that the invariant does not hold where it ends; else, that it ends in this exception at all.
    pub breaks: bool,
}

impl Mishap {
    /// All that the first pass found, or could not rule out.
    pub(super) fn all_of(epa: &Abstraction) -> Vec<Mishap> {
        let mut all: Vec<Mishap> = Vec::new();
        let violating = epa.edges().filter(|(.., known)| known.violates_invariant);
        let of_edges = violating.map(|(_, edge, _)| {
            Mishap::breaking(CallOccurrence {
                state: edge.source,
                callee: edge.callee,
                exit: edge.exit.clone(),
            })
        });
        for mishap in of_edges.chain(epa.findings.iter().filter_map(Mishap::of_finding)) {
            if !all.contains(&mishap) {
                all.push(mishap);
            }
        }
        // Which clause is broken is said of a call in all its states: these may be known one by one.
        let broken = epa.findings.iter().filter_map(Finding::broken_at);
        for site in broken {
            if !all.iter().any(|mishap| mishap.is_at(site)) {
                all.push(Mishap::breaking(CallOccurrence {
                    state: None,
                    ..site.clone()
                }));
            }
        }
        all
    }

    fn breaking(site: CallOccurrence) -> Mishap {
        Mishap { site, breaks: true }
    }

    pub(super) fn of_finding(finding: &Finding) -> Option<Mishap> {
        match finding {
            Finding::AlwaysViolates(site, _) | Finding::MayViolate(site, ..) => {
                Some(Mishap::breaking(site.clone()))
            }
            Finding::RuntimeError {
                action, exception, ..
            } => Some(Mishap {
                site: CallOccurrence {
                    state: None,
                    callee: Callee::Action(*action),
                    exit: Exit::Exception(*exception),
                },
                breaks: false,
            }),
            _ => None,
        }
    }

    /// Whether it is a call that breaks the invariant and ends like this one, in whatever state.
    pub(super) fn is_at(&self, site: &CallOccurrence) -> bool {
        let is_alike = match (&self.site.exit, &site.exit) {
            (Exit::Normal | Exit::Outcome(_), Exit::Normal | Exit::Outcome(_)) => true,
            (one, other) => one == other,
        };
        self.breaks && self.site.callee == site.callee && is_alike
    }

    /// Whether it is in one of the states that are reached, or in any.
    pub(super) fn is_reached(&self, reachable: &BTreeSet<StateId>) -> bool {
        (self.site.state).is_none_or(|state| reachable.contains(&state))
    }

    /// Whether a call that was run did this.
    fn is_done_by(&self, done: &Astray) -> bool {
        let state = self.site.state;
        let is_here = done.callee == self.site.callee && (state.is_none() || state == done.source);
        match self.breaks {
            true => is_here && done.breaks && (self.is_at(&done.site())),
            false => is_here && done.exit == self.site.exit,
        }
    }

    fn step(&self, automaton: &Automaton) -> Step {
        Step {
            callee: self.site.callee,
            source: self.site.state.map(|state| automaton[state].clone()),
            exit: self.site.exit.clone(),
        }
    }

    /// The question whether the call does it, where these clauses hold.
    pub(super) fn question(
        &self,
        subject: &Subject,
        automaton: &Automaton,
        assumed: &[Expr],
    ) -> Query {
        let step = self.step(automaton);
        match self.breaks {
            true => kinds::still_breaks(subject, &step, assumed),
            false => kinds::still_ends(subject, &step, assumed),
        }
    }
}

impl Astray {
    fn site(&self) -> CallOccurrence {
        CallOccurrence {
            state: self.source,
            callee: self.callee,
            exit: self.exit.clone(),
        }
    }
}

impl ConfirmSearch<'_> {
    /// Finds out of each mishap whether some object does it.
    pub(super) fn judge_mishaps(&mut self, desks: &Desks<'_>) {
        let steps: [&mut dyn FnMut(&mut Self); 5] = [
            &mut |search| search.prove_of_mishaps(desks),
            &mut |search| search.run_into_mishaps(desks),
            &mut |search| search.reach_mishaps(desks),
            &mut |search| search.walk_into_mishaps(desks),
            // What was seen meanwhile says more of the class.
            &mut |search| search.prove_of_mishaps(desks),
        ];
        for step in steps {
            if self.open_mishaps().is_empty() || desks.is_out_of_time() {
                return;
            }
            step(self);
        }
    }

    /// The mishaps of which nothing is known so far. What no edge leads to, no object does.
    fn open_mishaps(&self) -> BTreeSet<usize> {
        let (reachable, _) = self.automaton.reachable(&self.live);
        let all = self.mishaps.iter().enumerate().filter(|(at, mishap)| {
            mishap.is_reached(&reachable)
                && !self.mishap_runs.contains_key(at)
                && !self.is_never(*at)
        });
        all.map(|(at, _)| at).collect()
    }

    /// Whether of some mishap nothing is known.
    pub(super) fn is_any_mishap_open(&self) -> bool {
        !self.open_mishaps().is_empty()
    }

    /// The states in which calls may do what is not known of them.
    pub(super) fn open_mishap_states(&self) -> BTreeSet<StateId> {
        let open = self.open_mishaps().into_iter();
        open.flat_map(|at| self.states_of(at)).collect()
    }

    /// The states in which a call may do this.
    fn states_of(&self, mishap: usize) -> impl Iterator<Item = StateId> + '_ {
        let site = &self.mishaps[mishap].site;
        self.automaton.state_ids().filter(move |state| {
            let is_enabled = match site.callee {
                Callee::Action(action) => self.automaton[*state].contains(action),
                Callee::Constructor(_) => false,
            };
            is_enabled && site.state.is_none_or(|only| only == *state)
        })
    }

    /// Whether it was proved that no object does this.
    pub(super) fn is_never(&self, mishap: usize) -> bool {
        let refutation = self.refutation.as_ref();
        refutation.is_some_and(|r| r.goals.contains(&Goal::Mishap(mishap)))
    }

    fn prove_of_mishaps(&mut self, desks: &Desks<'_>) {
        let open = self.open_mishaps().into_iter().map(Goal::Mishap);
        self.prove_few(desks, open.collect());
    }

    /// Runs the class, with values that it suggests.
    fn run_into_mishaps(&mut self, desks: &Desks<'_>) {
        let Some(runner) = self.runner() else {
            return;
        };
        let open = self.open_mishaps();
        let enough = |explored: &Explored| {
            let is_done = |at: &usize| explored.astray().any(|d| self.mishaps[*at].is_done_by(d));
            let is_enough = explored.reached.len() > MOST_REACHED;
            is_enough || desks.is_out_of_time() || open.iter().all(is_done)
        };
        let astray = |state, callee| {
            let is_there = |at: &usize| {
                let site = &self.mishaps[*at].site;
                site.state == state && site.callee == callee
            };
            open.iter().any(is_there)
        };
        let aim = Aim {
            enough: &enough,
            astray: &astray,
        };
        let explored = runner.explore(self.options.extent.max_calls, &aim);
        for at in open {
            let such = |done: &Astray| self.mishaps[at].is_done_by(done);
            if let Some(run) = explored.run_astray(&runner, &self.teller(), such) {
                self.mishap_runs.insert(at, run);
            }
        }
        self.observe(&explored);
        self.go_on_behind(&runner, &explored);
    }

    /// Asks the engine for the call from configurations that runs lead to, those of the shortest runs first.
    fn reach_mishaps(&mut self, desks: &Desks<'_>) {
        for at in self.open_mishaps() {
            if let Some(run) = self.reach_mishap(desks, at) {
                self.mishap_runs.insert(at, run);
            }
        }
    }

    fn reach_mishap(&self, desks: &Desks<'_>, at: usize) -> Option<Run> {
        let mishap = &self.mishaps[at];
        let plain = mishap.question(&self.encoding.subject, &self.automaton, &[]);
        if mishap.site.callee.is_constructor() {
            return self.run_behind(desks, mishap, &plain, &[]);
        }
        if !may_go_on(&self.encoding.subject) {
            return None;
        }
        let reached = self.frontier.reached();
        let is_here = |at: &usize| mishap.site.state.is_none_or(|s| s == reached[*at].state);
        let mut from: Vec<usize> = (0..reached.len()).filter(is_here).collect();
        from.sort_by_key(|at| reached[*at].run.calls.len());
        let mut chunks = from.chunks(MOST_STARTS).take(MOST_QUESTIONS);
        chunks.find_map(|chunk| {
            let is_over = desks.is_out_of_time();
            let run = || self.run_behind(desks, mishap, &plain, chunk);
            if is_over { None } else { run() }
        })
    }

    /// Looks for runs of a few calls.
    fn walk_into_mishaps(&mut self, desks: &Desks<'_>) {
        let mut automaton = Automaton::clone(&self.automaton);
        let mut mishaps: BTreeMap<EdgeId, usize> = BTreeMap::new();
        for at in self.open_mishaps() {
            for edge in self.mishap_edges(at) {
                mishaps.insert(EdgeId(automaton.edges.len()), at);
                automaton.edges.push(edge);
            }
        }
        let automaton = Arc::new(automaton);
        // An engine that cannot be run at all was told of before.
        let Ok(desk) = desks.along(self, &automaton) else {
            return;
        };
        let mut calls = 1;
        while calls <= MOST_CALLS && !desks.is_out_of_time() {
            let is_open = |at: &usize| !self.mishap_runs.contains_key(at);
            let wanted = mishaps.iter().filter(|(_, at)| is_open(at));
            let wanted: BTreeSet<EdgeId> = wanted.map(|(edge, _)| *edge).collect();
            match self.walk_into(&desk, &automaton, calls, &wanted) {
                Some((edge, run)) => {
                    self.mishap_runs
                        .extend(mishaps.get(&edge).map(|at| (*at, run)));
                }
                None => calls += 1,
            }
        }
    }

    /// A run of so many calls that takes one of these edges, and which.
    fn walk_into(
        &self,
        desk: &Desk<'_>,
        automaton: &Arc<Automaton>,
        calls: usize,
        wanted: &BTreeSet<EdgeId>,
    ) -> Option<(EdgeId, Run)> {
        let live = self.live.union(wanted).copied().collect();
        let walk = automaton.walks(None, calls, wanted, &live)?;
        let Answer::Yes(witness) = desk.ask(&kinds::run(&self.encoding.subject, walk)) else {
            return None;
        };
        let teller = RunTeller {
            automaton,
            ..self.teller()
        };
        let walked = teller.tell(self.encoding, &witness);
        Some((*walked.edges.last()?, walked.run))
    }

    /// A mishap as edges, from each state in which it may happen.
    fn mishap_edges(&self, at: usize) -> Vec<Edge> {
        let Mishap { site, breaks } = &self.mishaps[at];
        let sources = match site.callee {
            Callee::Constructor(_) => vec![None],
            Callee::Action(_) => self.states_of(at).map(Some).collect(),
        };
        let edges = sources.into_iter().map(|source| Edge {
            source,
            callee: site.callee,
            exit: site.exit.clone(),
            target: None,
            breaks: *breaks,
        });
        edges.collect()
    }

    /// A run that ends in a mishap, by one call from one of these configurations (or the making of an object).
    fn run_behind(
        &self,
        desks: &Desks<'_>,
        mishap: &Mishap,
        plain: &Query,
        from: &[usize],
    ) -> Option<Run> {
        let reached = self.frontier.reached();
        let question = match mishap.site.callee.is_constructor() {
            true => plain.clone(),
            false => {
                let known = from.iter().map(|at| reached[*at].is.clone());
                kinds::behind_runs(plain.clone(), formula::any(known))
            }
        };
        let Answer::Yes(witness) = desks.searcher.ask(&question) else {
            return None;
        };
        let performed = witness.performed()?;
        let call = performed.calls.first()?;
        let mut run = match mishap.site.callee.is_constructor() {
            true => Run::default(),
            false => {
                let start = self.frontier.values(&performed.start)?;
                let before = from.iter().find(|at| reached[**at].values == start)?;
                reached[*before].run.clone()
            }
        };
        run.replayed = true;
        let last = self.teller().done_astray(&mishap.site.exit, call);
        run.calls.push(last);
        Some(run)
    }
}
