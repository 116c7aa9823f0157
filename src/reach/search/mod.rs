//! Stratified inlining (Lal, Qadeer, Lahiri 2012; the behaviour of Corral's classic search).
//!
//! A tree of inlined procedures grows from the entry. Calls at its edge are *open*. With open calls free, the solver's
//! "no" is a proof; with open calls blocked, its "yes" is an execution. The search goes
//!
//! 1. Over-approximate: block only the open calls that lie deeper than the current bound. "No": unreachable, unless
//!    the proof needed a blocked call; then the bound is raised, up to the limit. "Yes" along a path without open
//!    calls: reached.
//! 2. Under-approximate: block all open calls. "Yes": reached.
//! 3. Inline the open calls on the path found in step 1, and begin again.
//!
//! Procedures that cannot recur are inlined at once, as long as there are not too many. The depth of a call is how often
//! its procedure occurs on the chain of calls to it.
//!
//! Where there are too many, only leaves are inlined before a path asks for them, and with what a path asks for the calls
//! that no execution of it gets around. Quantified facts are only instantiated:
//!
//! ```text
//!   over-approximation ── no ──────────────► unreachable, or a higher bound
//!        │ yes, or "unknown" but for the quantified facts: a *guide*
//!        ▼
//!   a path with open calls ────────────────► inline them, and again
//!   a path without ── yes ─────────────────► reached
//!        │ guide
//!        ▼
//!   confirm: a model of all facts, with the same ways, in two seconds ── yes ─► reached;  unknown ─► presumed
//! ```
//!
//! Z3 looks for models of quantified facts (MBQI) at every "yes", for ever where there is none that it could write down, though
//! all but the last of these models are only asked for a path. Which path is taken does not matter for what is
//! true: a "no" is a proof with the instances alone. The solver then looks for models along paths, too:
//! [`Manner::AlongPaths`](super::solver::Manner). (Where that search takes long, another one runs beside it, which decides otherwise:
//! `reach::bounded`.) By turns, what to inline is found by executions on concrete values (`directed`).
//!
//! In small programs models are looked for, and where maps are what facts are said of, first among those whose maps are the same at
//! nearly all keys ([`Models::Shaped`]).

mod answer;
mod directed;
mod inputs;
pub mod invariants;
mod replay;
mod shape;
mod size;
mod tree;
mod walk;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::error::ReachError;
use super::program::PreparedEntry;
use super::simulate::Summaries;
use super::smt::{Check, QUANTIFIERS, Smt, SolverFailure};
use super::solver::Solver;
use crate::events;
use crate::ids::Table;
use crate::internal::Internal;
use crate::time::{at_most, by_the_clock};
pub use answer::{
    Effort, ExecutionStep, Happening, Replay, SearchAnswer, SearchExecution, SearchStats,
};
use directed::{Directed, Turns};
use replay::Replayed;
pub use size::Sizes;
use tree::{Instance, InstanceId, Open};
use walk::Decisions;

/// How long a model of quantified facts is looked for that has a given execution, in processor time.
const CONFIRM: Duration = Duration::from_secs(2);

/// What the search may use up.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// How often one procedure may recur on a stack.
    pub bound: u32,
    /// How long a chain of calls may be, loops counting as calls; none for no limit.
    pub stack_depth: Option<u32>,
    /// When to stop.
    pub deadline: Instant,
    /// How much processor time the solver may use; none for as much as there is until then.
    pub work: Option<Duration>,
    /// Are the solver's own figures wanted?
    pub figures: bool,
    /// Are executions on concrete values gone along, too, by turns?
    pub along_executions: bool,
    /// Among which models an execution is looked for.
    pub models: Models,
}

/// Among which models an execution is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Models {
    /// Among all.
    All,
    /// Among those in which every map that has any value has the same at all keys but so many. None among these is no answer.
    Shaped {
        /// At most so many have another one.
        keys: usize,
    },
    /// Quantified facts are only instantiated, also where the program is small: what would be "reached" is
    /// [`SearchAnswer::Presumed`].
    Instances,
}

/// Why a search ends without an answer.
enum SearchStop {
    Solver(SolverFailure),
    Program(ReachError),
}

impl From<SolverFailure> for SearchStop {
    fn from(failure: SolverFailure) -> Self {
        SearchStop::Solver(failure)
    }
}

impl From<ReachError> for SearchStop {
    fn from(error: ReachError) -> Self {
        SearchStop::Program(error)
    }
}

impl From<Internal> for SearchStop {
    fn from(bug: Internal) -> Self {
        SearchStop::Program(bug.into())
    }
}

struct Search<'a, 'p> {
    entry: &'a PreparedEntry<'p>,
    solver: &'a mut Solver,
    budget: Budget,
    /// What it goes by where it is too much to inline all of the procedures.
    large: Option<Large>,
    instances: Table<InstanceId, Instance>,
    open: Vec<Open>,
    symbols: u32,
    text: usize,
    turns: Turns,
    stats: SearchStats,
}

/// The answer that the solver does not know.
fn unknown(reason: String) -> SearchAnswer {
    SearchAnswer::Unknown(SolverFailure::Incomplete(reason))
}

/// Whether text of the solver's says something of all values of a kind, or of some.
fn is_quantified(text: &str) -> bool {
    text.contains("(forall ") || text.contains("(exists ")
}

/// What a check is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aim {
    /// Open calls are free.
    Over,
    /// Open calls are free, and the ways are those of an execution but for some.
    Near,
    /// Open calls are blocked.
    Under,
    /// The ways are those of an execution.
    Confirm,
}

/// What a check says to the search.
enum Said {
    /// There is none.
    No,
    /// There may be one, which the solver's decisions describe; of quantified facts only for this reason.
    Guide(Option<String>),
    /// No answer.
    Unknown(String),
}

/// What the search of a large program goes by.
#[derive(Clone)]
pub struct Large {
    /// How large the procedures are, from [`Sizes::too_large`].
    pub sizes: Sizes,
    /// What is known of calls that are open.
    pub summaries: Arc<Summaries>,
}

/// Answers a question. The solver must know what all questions share; what this question adds is taken back.
pub fn search(
    entry: &PreparedEntry<'_>,
    solver: &mut Solver,
    budget: Budget,
    large: Option<Large>,
) -> (SearchAnswer, SearchStats) {
    let run = |search: &mut Search<'_, '_>| {
        let answer = search.run();
        search.smt().work_for(None);
        let mut stats = std::mem::take(&mut search.stats);
        stats.inlined = search.instances.len();
        stats.bytes = search.text;
        if budget.figures {
            let deadline = search.deadline();
            stats.solver = search.smt().statistics(deadline).unwrap_or_default();
        }
        (answer, stats)
    };
    let before = budget.work.map(|_| solver.smt().worked());
    let (answer, mut stats) = begun(entry, solver, budget, large, run);
    if let Some(before) = before {
        stats.worked = solver.smt().worked().saturating_sub(before);
    }
    let answer = match answer {
        Ok(SearchAnswer::Unreachable | SearchAnswer::BoundHit(_))
            if matches!(budget.models, Models::Shaped { .. }) =>
        {
            let none = "no execution with maps of a simple shape";
            SearchAnswer::Unknown(SolverFailure::Incomplete(none.into()))
        }
        Ok(answer) => answer,
        Err(SearchStop::Solver(failure)) => SearchAnswer::Unknown(failure),
        Err(SearchStop::Program(error)) => error.into(),
    };
    (answer, stats)
}

/// Runs a search that has not begun. What it tells the solver is taken back.
fn begun<T>(
    entry: &PreparedEntry<'_>,
    solver: &mut Solver,
    budget: Budget,
    large: Option<Large>,
    run: impl FnOnce(&mut Search<'_, '_>) -> T,
) -> T {
    let mut search = Search {
        entry,
        solver,
        budget,
        large,
        instances: Table::new(),
        open: Vec::new(),
        symbols: 0,
        text: 0,
        turns: Turns::new(budget.along_executions),
        stats: SearchStats::default(),
    };
    let mark = search.solver.push();
    search.smt().work_for(budget.work);
    if search.only_instances() {
        search.smt().models_of_quantifiers(false);
    }
    let made = run(&mut search);
    search.smt().work_for(None);
    if search.only_instances() {
        search.smt().models_of_quantifiers(true);
    }
    search.solver.pop(mark);
    made
}

impl Budget {
    /// A search with this bound that goes on until then, among all models.
    pub fn until(bound: u32, deadline: Instant) -> Budget {
        Budget {
            bound,
            stack_depth: None,
            deadline,
            work: None,
            figures: false,
            along_executions: false,
            models: Models::All,
        }
    }

    /// The same for what is only tried: with so much processor time at most.
    pub fn for_a_try(self, work: Duration) -> Budget {
        let clock = Instant::now() + by_the_clock(work);
        Budget {
            deadline: self.deadline.min(clock),
            work: Some(at_most(work, self.work)),
            ..self
        }
    }

    /// How much time there is: of the clock's or of the solver's, whichever is less.
    pub fn time(&self) -> Duration {
        let time = self.deadline.saturating_duration_since(Instant::now());
        at_most(time, self.work)
    }

    /// What is left of it for later searches.
    pub fn without(self, worked: Duration) -> Budget {
        Budget {
            work: self.work.map(|work| work.saturating_sub(worked)),
            ..self
        }
    }
}

impl Search<'_, '_> {
    fn smt(&mut self) -> &mut Smt {
        self.solver.smt()
    }

    /// The tree as it is before anything is asked: the entry, and what is inlined in any case.
    fn begin_at_entry(&mut self) -> Result<(), SearchStop> {
        let root = self.entry.root()?;
        self.add(root, vec!["true".into()], None)?;
        self.inline_eagerly()
    }

    fn run(&mut self) -> Result<SearchAnswer, SearchStop> {
        self.begin_at_entry()?;
        let mut bound = self.budget.bound.min(1);
        loop {
            let limit = bound;
            let said = self.check(Aim::Over, |open| open.too_deep || open.depth > limit)?;
            let doubt = match said {
                Said::No => {
                    let blocked = self.open.iter().any(|o| o.too_deep || o.depth > bound);
                    if !blocked || !self.core_has_open()? {
                        return Ok(SearchAnswer::Unreachable);
                    }
                    if bound >= self.budget.bound {
                        return Ok(SearchAnswer::BoundHit(self.budget.bound));
                    }
                    bound += 1;
                    continue;
                }
                Said::Guide(doubt) => doubt,
                Said::Unknown(reason) => return self.doubtful(reason),
            };
            let decisions = self.decisions()?;
            let open = self.path(&decisions)?;
            if open.is_empty() {
                return self.found(&decisions, doubt);
            }
            match self.directed()? {
                Directed::To(answer) => return Ok(answer),
                Directed::Deeper => continue,
                Directed::Nowhere => {}
            }
            if let Some(answer) = self.under()? {
                return Ok(answer);
            }
            self.inline(&open)?;
        }
    }

    /// Looks for an execution without open calls.
    fn under(&mut self) -> Result<Option<SearchAnswer>, SearchStop> {
        let doubt = match self.check(Aim::Under, |_| true)? {
            Said::Guide(doubt) => doubt,
            // Inlining may still help; "reached" or "unreachable" will then be said by a later check.
            Said::No | Said::Unknown(_) => return Ok(None),
        };
        let decisions = self.decisions()?;
        self.found(&decisions, doubt).map(Some)
    }

    /// The over-approximation has no answer. An execution may be found all the same.
    fn doubtful(&mut self, reason: String) -> Result<SearchAnswer, SearchStop> {
        let found = match self.open.is_empty() {
            true => None,
            false => self.under()?,
        };
        Ok(found.unwrap_or(unknown(reason)))
    }

    /// What a check said. An "unknown" that is a "yes" but for the quantified facts, which were only instantiated, is a guide, too: what the
    /// solver has instead of a model still shows where to go.
    fn read(&self, said: Check) -> Said {
        match said {
            Check::Unsat => Said::No,
            Check::Sat => Said::Guide(None),
            Check::Unknown(reason) => match self.only_instances() && reason.contains(QUANTIFIERS) {
                true => Said::Guide(Some(reason)),
                false => Said::Unknown(reason),
            },
        }
    }

    /// Are quantified facts only instantiated?
    fn only_instances(&self) -> bool {
        self.large.is_some() || self.budget.models == Models::Instances
    }

    /// The answer where the decisions lead through no open call, and an execution goes that way. Where there is a doubt, a model of all facts
    /// is looked for, with the same ways, unless the execution does not hang on them.
    fn found(
        &mut self,
        decisions: &Decisions,
        doubt: Option<String>,
    ) -> Result<SearchAnswer, SearchStop> {
        let execution = self.execution(decisions)?;
        let Some(reason) = doubt else {
            let execution = self.confirmed(decisions, execution)?;
            return Ok(SearchAnswer::Reached(execution));
        };
        // Whoever asked runs it, which is sooner done than to find a model.
        if self.budget.models == Models::Instances {
            return Ok(SearchAnswer::Presumed(execution));
        }
        let execution = match self.replayed(decisions, execution)? {
            Replayed::Certain(execution) => return Ok(SearchAnswer::Reached(execution)),
            Replayed::Possible(execution) => Some(execution),
            // The values are not those of a model.
            Replayed::Wrong(_) => None,
        };
        // Where several ways are true in the new model, none of them may lead through an open call either.
        let mut assumptions = self.blocking(|_| true);
        assumptions.extend(self.ways(decisions)?);
        self.smt().models_of_quantifiers(true);
        let soon = self.budget.for_a_try(CONFIRM);
        self.smt().work_for(soon.work);
        match self.asked(Aim::Confirm, &assumptions, soon.deadline) {
            Ok(Said::Guide(None)) => {
                let decisions = self.decisions()?;
                let execution = self.execution(&decisions)?;
                Ok(SearchAnswer::Reached(
                    self.confirmed(&decisions, execution)?,
                ))
            }
            Ok(Said::No) => Ok(unknown(reason)),
            Ok(Said::Guide(Some(_)) | Said::Unknown(_)) | Err(SolverFailure::Timeout) => {
                Ok(execution.map_or_else(|| unknown(reason), SearchAnswer::Presumed))
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// Asks with those open calls blocked that `blocked` says.
    fn check(&mut self, aim: Aim, blocked: impl Fn(&Open) -> bool) -> Result<Said, SearchStop> {
        let assumptions = self.blocking(blocked);
        Ok(self.asked(aim, &assumptions, self.budget.deadline)?)
    }

    /// That those open calls are not made.
    fn blocking(&self, blocked: impl Fn(&Open) -> bool) -> Vec<String> {
        let blocked = self.open.iter().filter(|o| blocked(o));
        let mut assumptions: Vec<String> = blocked.map(|o| format!("(not {})", o.guard)).collect();
        assumptions.sort_unstable();
        assumptions.dedup();
        assumptions
    }

    /// Asks under these assumptions, and notes what it costs.
    fn asked(
        &mut self,
        aim: Aim,
        assumptions: &[String],
        deadline: Instant,
    ) -> Result<Said, SolverFailure> {
        let begin = Instant::now();
        let said = self.smt().check(assumptions, deadline);
        let time = begin.elapsed();
        let effort = match aim {
            Aim::Over | Aim::Near => &mut self.stats.over,
            Aim::Under => &mut self.stats.under,
            Aim::Confirm => &mut self.stats.confirming,
        };
        effort.checks += 1;
        effort.time += time;
        self.stats.checks += 1;
        events::check(&events::Checked {
            aim: &format!("{aim:?}"),
            inlined: self.instances.len(),
            open: self.open.len(),
            assumed: assumptions.len(),
            bytes: self.text,
            said: &format!("{said:?}"),
            time,
        });
        said.map(|said| self.read(said))
    }

    /// Did the last proof need a blocked call?
    fn core_has_open(&mut self) -> Result<bool, SearchStop> {
        let deadline = self.deadline();
        Ok(!self.smt().core(deadline)?.is_empty())
    }

    /// A little time for what needs no search.
    fn deadline(&self) -> Instant {
        self.budget
            .deadline
            .max(Instant::now() + Duration::from_secs(5))
    }
}
