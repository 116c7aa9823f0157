//! The construction of an EPA, from its first question to its statistics.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::encode::Encoding;
use crate::engine::{Engine, EngineError};
use crate::query::Limits;

use super::answers::Heard;
use super::ask::Asker;
use super::assemble::assemble;
use super::desk::Disagreement;
use super::explore::Explorer;
use super::model::{Epa, QueryCounts, Stats};
use super::premises::{self, WrongSplit};
use super::targets::{Stopped, Strategy, TargetFinder};

/// What is wanted of a construction.
#[derive(Clone, Debug)]
pub struct Options {
    /// How targets are found.
    pub strategy: Strategy,
    /// How many questions are asked at once; at least one.
    pub jobs: usize,
    /// The recursion bound of the engine, for the record.
    pub recursion_bound: u32,
    /// Whether pure actions are taken as self loops without being asked.
    pub pure_shortcut: bool,
    /// Which exceptional edges are looked for.
    pub exceptions: Exceptions,
    /// Whether invariant violations are asked about.
    pub violations: bool,
}

impl Default for Options {
    /// What `tranquera epa` does when it is told nothing else: all of it, with a question a core.
    fn default() -> Self {
        Options {
            strategy: Strategy::Guided,
            jobs: std::thread::available_parallelism().map_or(1, |n| n.get()),
            recursion_bound: Limits::default().recursion_bound,
            pure_shortcut: true,
            exceptions: Exceptions::Declared,
            violations: true,
        }
    }
}

/// Which exceptional edges are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceptions {
    /// None.
    Ignored,
    /// Those of the exceptions that the file declares. That an operation itself can fail (null dereference, index
    /// out of range, a failed assertion, …) is a finding, not an edge.
    Declared,
    /// Those of every exception.
    All,
}

/// Why there is no EPA.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The engine could not be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The engine knows too little.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The worker threads could not be started.
    #[error("cannot start the worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// What the class says of when an action can be called does not hold, or is not known to.
    #[error(transparent)]
    Split(#[from] WrongSplit),
    /// The text of a class cannot be made.
    #[error("the class cannot be encoded: {0}")]
    Template(#[from] askama::Error),
}

/// What is said of a result that is not whole.
const PARTIAL: &str = "interrupted before all was asked: what is open is drawn `?` to every state found so far; \
                       there may be more states, and nothing is said of findings";

/// An EPA, and what happened on the way.
#[derive(Clone, Debug)]
pub struct Constructed {
    /// The EPA.
    pub epa: Epa,
    /// Answers of the engine that a replay contradicted.
    pub disagreements: Vec<Disagreement>,
    /// The answers on which the edges rest, among others: for [`answers::tell`](super::answers::tell).
    pub heard: Vec<Heard>,
}

/// Constructs the EPA of a class.
///
/// # Errors
/// The engine cannot be run at all, or knows so little that there would be too much to ask.
///
/// # Examples
/// A lamp that can be dropped while it burns, and that nobody can mend:
///
/// ```
/// use tranquera::{encode::Encoding, engine::Builtin, epa, front::tq};
///
/// let text = "class Lamp {
///     var on: bool;
///     var broken: bool;
///     constructor() { on := false; broken := false; }
///     action toggle() requires !broken { on := !on; }
///     action drop() requires on { on := false; broken := true; }
/// }";
/// let lamp = tq::parse_text("lamp.tq", text)?;
/// let class = lamp.program.class_named("Lamp").ok_or("no lamp")?;
/// let encoding = Encoding::of_class(&lamp.program, class)?;
/// let epa = epa::construct(&encoding, &Builtin::default(), &epa::Options::default())?.epa;
///
/// let enabled: Vec<String> = epa.states.iter().map(|s| s.enabled.join(", ")).collect();
/// assert_eq!(enabled, ["toggle", "toggle, drop", ""]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn construct(
    encoding: &Encoding<'_>,
    engine: &dyn Engine,
    options: &Options,
) -> Result<Constructed, Failure> {
    let start = Instant::now();
    let session = engine.open(&encoding.program())?;
    let asker = Asker::new(encoding, session.as_ref());
    premises::check_splits(encoding, &asker)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.max(1))
        .build()?;
    let finder = TargetFinder::new(encoding, &asker, options.strategy);
    let explorer = Explorer {
        encoding,
        asker: &asker,
        finder,
        options,
    };
    let explored = pool.install(|| explorer.explore())?;
    let premises = premises::check(encoding, &asker, options, &explored);
    let counts = asker.counts();
    let stats = Stats {
        engine: engine.name().into(),
        recursion_bound: options.recursion_bound,
        strategy: options.strategy.name().into(),
        precision: precision(&counts),
        queries: total(&counts),
        queries_by_kind: counts,
        wall_ms: start.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
    };
    let mut epa = assemble(encoding, explored, premises, stats);
    if asker.is_interrupted() {
        // What was not asked tells nothing of the class.
        epa.findings.clear();
        epa.notes.push(PARTIAL.into());
    }
    Ok(Constructed {
        epa,
        disagreements: asker.disagreements(),
        heard: asker.heard(),
    })
}

fn total(counts: &BTreeMap<String, QueryCounts>) -> QueryCounts {
    counts
        .values()
        .fold(QueryCounts::default(), |sum, c| QueryCounts {
            total: sum.total + c.total,
            reached: sum.reached + c.reached,
            unreachable: sum.unreachable + c.unreachable,
            bound_hit: sum.bound_hit + c.bound_hit,
            unknown: sum.unknown + c.unknown,
        })
}

fn precision(counts: &BTreeMap<String, QueryCounts>) -> f64 {
    let all = total(counts);
    if all.total == 0 {
        1.0
    } else {
        (all.reached + all.unreachable) as f64 / all.total as f64
    }
}
