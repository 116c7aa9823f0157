//! The construction of an EPA, from its first question to its statistics.

use std::time::{Duration, Instant};

use crate::ask::{Desk, Disagreement, Doubt, OpenQuestion, QueryCounts};
use crate::encode::Encoding;
use crate::engine::{Engine, EngineError};
use crate::time::millis_since;
use crate::workers::a_core_each;

use super::abstraction::Abstraction;
use super::alike::Alike;
use super::assemble::assemble;
use super::explore::EpaExplorer;
use super::findings::Finding;
use super::premises::{self, Premises, WrongLoopInvariant, WrongSplit};
use super::targets::{Stopped, Strategy, TargetFinder};
use super::wire::{Epa, EpaStats};

/// What is wanted of a construction.
#[derive(Clone, Debug)]
pub struct ConstructOptions {
    /// How targets are found.
    pub strategy: Strategy,
    /// How many questions are asked at once; at least one.
    pub jobs: usize,
    /// Whether pure actions are taken as self loops without being asked.
    pub pure_shortcut: bool,
    /// Which exceptional edges are looked for.
    pub exceptions: Exceptions,
    /// Whether invariant violations are asked about.
    pub violations: bool,
    /// How long it is asked about calls, all in all. What is not known by then the engine does not know: where a call may lead to is
    /// any state that there is. None: as long as it takes. It takes an engine that stops by itself, which the façade makes:
    /// [`construct`] alone asks as long as it takes.
    pub time: Option<Duration>,
    /// An action whose body has so many statements, those of what it calls among them, is called at random before the engine is asked:
    /// what that shows need not be asked. Not with [`Strategy::Enumerate`].
    pub large: usize,
}

/// A body is large that has as many statements: then an answer takes an engine longer than some hundred runs an interpreter.
pub(super) const LARGE: usize = 100;

/// An engine that stops by itself.
pub struct TimedEngine {
    /// The engine.
    pub engine: Box<dyn Engine>,
    /// When it stops.
    pub until: Instant,
}

impl Default for ConstructOptions {
    /// What `tranquera epa` does when it is told nothing else: all of it, with a question a core.
    fn default() -> Self {
        ConstructOptions {
            strategy: Strategy::Guided,
            jobs: a_core_each(),
            pure_shortcut: true,
            exceptions: Exceptions::Declared,
            violations: true,
            time: None,
            large: LARGE,
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
pub enum ConstructError {
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
    /// The invariant of a loop does not hold.
    #[error(transparent)]
    Loop(#[from] WrongLoopInvariant),
    /// The text of a class cannot be made.
    #[error("the class cannot be encoded: {0}")]
    Template(#[from] askama::Error),
}

/// What is said of an EPA without all its findings.
const WITHOUT_FINDINGS: &str = "interrupted before all findings were looked for: nothing is said of them; all edges were asked about";
/// What is said of a result that took the time it was given.
const LATE: &str = "the time was over before all was asked: what is open is drawn `?`, to every state that there is; \
                    nothing is said of the invariant, nor of what operations may raise";
/// What is said of a result in which calls were not asked about for long.
const UNASKED: &str = "there was no time to ask of each state whether some calls lead there: these are drawn `?`, to every state that there is";
/// What is said of a result that is not whole.
const PARTIAL: &str = "interrupted before all was asked: what is open is drawn `?` to every state found so far; \
                       there may be more states, and nothing is said of findings";

/// An EPA, and what happened on the way.
#[derive(Clone, Debug)]
pub struct Constructed {
    /// The EPA.
    pub abstraction: Abstraction,
    /// Answers of the engine that a replay contradicted.
    pub disagreements: Vec<Disagreement>,
    /// The question at which it was interrupted, where it was.
    pub open: Option<OpenQuestion>,
    /// Whether all edges were asked about: then nothing but findings can be missing.
    pub is_whole: bool,
    /// Whether the time that was given was over before all was asked: then there are edges that nobody asked about.
    pub is_late: bool,
}

impl Constructed {
    /// The EPA as it is printed.
    pub fn epa(&self) -> Epa {
        self.abstraction.epa()
    }
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
/// let epa = epa::construct(&encoding, &Builtin::default(), &epa::ConstructOptions::default())?.epa();
///
/// let enabled: Vec<String> = epa.states.iter().map(|s| s.enabled.join(", ")).collect();
/// assert_eq!(enabled, ["toggle", "toggle, drop", ""]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn construct(
    encoding: &Encoding,
    engine: &dyn Engine,
    options: &ConstructOptions,
) -> Result<Constructed, ConstructError> {
    construct_until(encoding, engine, None, options)
}

/// Constructs the EPA of a class. About calls, an engine that stops by itself is asked, if there is one.
///
/// # Errors
/// See [`construct`]. When the time is over, it is not known which states there are, or there are too many of them.
pub fn construct_until(
    encoding: &Encoding,
    engine: &dyn Engine,
    timed: Option<&TimedEngine>,
    options: &ConstructOptions,
) -> Result<Constructed, ConstructError> {
    let start = Instant::now();
    let desk = Desk::open(encoding, engine)?;
    premises::check_splits(&desk)?;
    let desk = match timed {
        Some(timed) => Desk::open(encoding, timed.engine.as_ref())?.hurried(timed.until, desk),
        None => desk,
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.max(1))
        .build()?;
    let explorer = EpaExplorer {
        desk: &desk,
        finder: TargetFinder::new(&desk, options.strategy, options.large),
        options,
        alike: match options.strategy {
            // The published algorithm asks of each call.
            Strategy::Enumerate => Alike::none(desk.subject()),
            Strategy::Guided => Alike::of(desk.subject()),
        },
    };
    let (explored, is_open) = pool.install(|| explorer.explore_in_rounds())?;
    let explored = pool.install(|| explorer.with_failures(explored));
    let mut premises = Premises::default();
    if !desk.ran_late() {
        premises = premises::check(&desk, options, &explored);
    }
    // The time may have ended while they were checked.
    let ran_late = desk.ran_late();
    if ran_late {
        premises = Premises::default();
        premises.notes.push(LATE.into());
    } else if is_open {
        premises.notes.push(UNASKED.into());
    }
    let is_whole = explored.is_whole();
    let counts = desk.counts();
    let queries = QueryCounts::sum(counts.values());
    let stats = EpaStats {
        engine: engine.name().into(),
        recursion_bound: engine.limits().recursion_bound,
        strategy: options.strategy.name().into(),
        precision: queries.precision(explored.guesses()),
        queries,
        queries_by_kind: counts,
        wall_ms: millis_since(start),
    };
    let mut abstraction = assemble(desk.subject(), explored, premises, stats);
    // What was not asked is told once, in a note.
    let unasked = |finding: &Finding| match finding {
        Finding::MayViolate(_, doubt, _) => *doubt == Doubt::TimeOver,
        Finding::RuntimeError { doubt, .. } => *doubt == Some(Doubt::TimeOver),
        _ => false,
    };
    abstraction.findings.retain(|finding| !unasked(finding));
    let open = desk.open_question().cloned();
    if open.is_some() {
        // What was not asked tells nothing of the class.
        abstraction.findings.clear();
        let note = if is_whole { WITHOUT_FINDINGS } else { PARTIAL };
        abstraction.notes.push(note.into());
    }
    Ok(Constructed {
        abstraction,
        disagreements: desk.disagreements(),
        open,
        is_whole,
        is_late: ran_late || is_open,
    })
}
