//! The construction of an EPA: breadth-first over the states reached (TOSEM 2013, Algorithm 1).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use rayon::prelude::*;

use crate::encode::{ActionSet, Encoding, Exit, Question, Step};
use crate::engine::{Engine, EngineError};

use super::ask::{Answer, Asker};
use super::findings;
use super::model::{self, Certainty, ConstructorEdge, Epa, QueryCounts, State, Stats, Transition};
use super::targets::{Stopped, Strategy, TargetFinder, Targets};

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
    /// Whether exceptional exits are asked about.
    pub exceptions: bool,
    /// Whether invariant violations are asked about.
    pub violations: bool,
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
}

/// The edges of one call.
#[derive(Clone, Debug)]
struct Edges {
    step: Step,
    targets: Targets,
    violates: bool,
}

/// Constructs the EPA of a class.
///
/// # Errors
/// The engine cannot be run at all, or knows so little that there would be too much to ask.
pub fn construct(
    encoding: &Encoding<'_>,
    engine: &dyn Engine,
    options: &Options,
) -> Result<Epa, Failure> {
    let start = Instant::now();
    let session = engine.open(&encoding.program())?;
    let asker = Asker::new(encoding, session.as_ref());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.max(1))
        .build()?;
    let construction = Construction {
        encoding,
        asker: &asker,
        finder: TargetFinder::new(encoding, &asker, options.strategy),
        options,
    };
    let (constructors, calls) = pool.install(|| construction.explore())?;
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
    Ok(assemble(encoding, constructors, calls, stats))
}

struct Construction<'a> {
    encoding: &'a Encoding<'a>,
    asker: &'a Asker<'a>,
    finder: TargetFinder<'a>,
    options: &'a Options,
}

impl Construction<'_> {
    /// The edges of the constructors, then those of every state found, each in a fixed order.
    fn explore(&self) -> Result<(Vec<Edges>, Vec<Edges>), Stopped> {
        let constructors: Vec<Step> = (0..self.encoding.constructors.len())
            .map(|constructor| Step::Construct {
                constructor,
                exit: Exit::Normal,
            })
            .collect();
        let violating = self.violating_actions();
        let constructors = self.all_edges(constructors, &violating)?;
        let mut seen: BTreeSet<ActionSet> = BTreeSet::new();
        let mut frontier: Vec<ActionSet> = new_states(&constructors, &mut seen);
        let mut calls = Vec::new();
        while !frontier.is_empty() {
            let steps = frontier
                .iter()
                .flat_map(|state| self.steps_from(state))
                .collect();
            let edges = self.all_edges(steps, &violating)?;
            frontier = new_states(&edges, &mut seen);
            calls.extend(edges);
        }
        Ok((constructors, calls))
    }

    /// Every call of an enabled action, in every way it may end.
    fn steps_from(&self, state: &ActionSet) -> Vec<Step> {
        let mut steps = Vec::new();
        for action in state.iter() {
            let mut exits = self.encoding.normal_exits(action);
            if self.options.exceptions {
                let thrown = self
                    .encoding
                    .exceptions_of(self.encoding.actions[action].routine);
                exits.extend(thrown.iter().map(|e| Exit::Exception(*e)));
            }
            let step = |exit| Step::Call {
                source: Some(state.clone()),
                action,
                exit,
            };
            steps.extend(exits.into_iter().map(step));
        }
        steps
    }

    fn all_edges(
        &self,
        steps: Vec<Step>,
        violating: &BTreeSet<usize>,
    ) -> Result<Vec<Edges>, Stopped> {
        steps
            .into_par_iter()
            .map(|step| self.edges(step, violating))
            .collect()
    }

    fn edges(&self, step: Step, violating: &BTreeSet<usize>) -> Result<Edges, Stopped> {
        if let Some(targets) = self.without_asking(&step) {
            return Ok(Edges {
                step,
                targets,
                violates: false,
            });
        }
        let targets = self.finder.targets(&step)?;
        let may_violate = match &step {
            Step::Construct { .. } => self.options.violations && self.encoding.has_invariant(),
            Step::Call { action, .. } => violating.contains(action),
        };
        let violates = may_violate
            && matches!(
                self.asker.ask(&Question::InvariantViolation(step.clone())),
                Answer::Yes(_)
            );
        Ok(Edges {
            step,
            targets,
            violates,
        })
    }

    /// A pure action changes nothing: where it cannot fail either, it is a self loop.
    fn without_asking(&self, step: &Step) -> Option<Targets> {
        let Step::Call {
            source: Some(source),
            action,
            exit,
        } = step
        else {
            return None;
        };
        if !self.options.pure_shortcut || !self.encoding.is_pure(*action) {
            return None;
        }
        let routine = self.encoding.actions[*action].routine;
        let plain = *exit == Exit::Normal && self.encoding.exceptions_of(routine).is_empty();
        if plain {
            return Some(Targets::from([(source.clone(), None)]));
        }
        // It may also end otherwise, so whether it ends like this is a question, but where is not.
        match self
            .asker
            .ask(&Question::Transition(step.clone(), source.clone()))
        {
            Answer::Yes(_) => Some(Targets::from([(source.clone(), None)])),
            Answer::No => Some(Targets::new()),
            Answer::Unknown(reason) => Some(Targets::from([(source.clone(), Some(reason))])),
        }
    }

    /// The actions that, from some state, may end where the invariant does not hold. Only of these is it asked
    /// state by state.
    fn violating_actions(&self) -> BTreeSet<usize> {
        if !self.options.violations || !self.encoding.has_invariant() {
            return BTreeSet::new();
        }
        let changing: Vec<usize> = (0..self.encoding.actions.len())
            .filter(|a| {
                self.encoding
                    .changes_something(self.encoding.actions[*a].routine)
            })
            .collect();
        changing
            .into_par_iter()
            .filter(|action| {
                let step = Step::Call {
                    source: None,
                    action: *action,
                    exit: Exit::Any,
                };
                self.asker.ask(&Question::InvariantViolation(step)) != Answer::No
            })
            .collect()
    }
}

/// The targets that were not seen before, in the order of the edges.
fn new_states(edges: &[Edges], seen: &mut BTreeSet<ActionSet>) -> Vec<ActionSet> {
    edges
        .iter()
        .flat_map(|e| e.targets.keys())
        .filter(|t| seen.insert((*t).clone()))
        .cloned()
        .collect()
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

/// Numbers the states and writes everything down. The edges come breadth-first, so the order in which states are
/// first met is the order of their numbers.
fn assemble(
    encoding: &Encoding<'_>,
    constructors: Vec<Edges>,
    calls: Vec<Edges>,
    stats: Stats,
) -> Epa {
    let mut seen = BTreeSet::new();
    let mut states = new_states(&constructors, &mut seen);
    let initial = states.len();
    states.extend(new_states(&calls, &mut seen));
    let ids: BTreeMap<&ActionSet, String> = states
        .iter()
        .enumerate()
        .map(|(i, set)| (set, format!("S{}", i + 1)))
        .collect();
    let id = |set: &ActionSet| ids.get(set).cloned().unwrap_or_default();
    let names = |set: &ActionSet| {
        set.iter()
            .map(|a| encoding.actions[a].name.clone())
            .collect()
    };

    let mut edges = Vec::new();
    for e in &constructors {
        let Step::Construct { constructor, .. } = e.step else {
            continue;
        };
        for (target, doubt) in &e.targets {
            edges.push(ConstructorEdge {
                name: encoding.constructors[constructor].display.clone(),
                target: Some(id(target)),
                exception: None,
                verdict: certainty(doubt),
                reason: doubt.clone(),
                violates_invariant: e.violates,
                confirmation: None,
            });
        }
    }
    let mut transitions = Vec::new();
    for e in &calls {
        let Step::Call {
            source: Some(source),
            action,
            exit,
        } = &e.step
        else {
            continue;
        };
        let label = encoding.outcome_label(*action, exit);
        for (target, doubt) in &e.targets {
            transitions.push(Transition {
                source: id(source),
                action: encoding.actions[*action].name.clone(),
                target: id(target),
                outcome: (!label.is_empty()).then(|| label.clone()),
                exception: match exit {
                    Exit::Exception(e) => Some(encoding.source().exception(*e).to_string()),
                    _ => None,
                },
                verdict: certainty(doubt),
                reason: doubt.clone(),
                violates_invariant: e.violates,
                confirmation: None,
            });
        }
    }
    let mut epa = Epa {
        schema: model::SCHEMA.into(),
        class: encoding.source().class(encoding.class()).name.clone(),
        actions: encoding.actions.iter().map(|a| a.name.clone()).collect(),
        states: states
            .iter()
            .enumerate()
            .map(|(i, set)| State {
                id: id(set),
                enabled: names(set),
                initial: i < initial,
            })
            .collect(),
        constructors: edges,
        transitions,
        findings: Vec::new(),
        notes: encoding
            .actions
            .iter()
            .filter_map(|a| a.guard.note.clone())
            .collect(),
        stats,
    };
    sort_transitions(&mut epa);
    let always_violating = calls
        .iter()
        .filter(|e| e.violates && e.targets.is_empty())
        .filter_map(|e| match &e.step {
            Step::Call {
                source: Some(source),
                action,
                ..
            } => Some((id(source), encoding.actions[*action].name.clone())),
            _ => None,
        });
    let always_violating: Vec<(String, String)> = always_violating.collect();
    epa.findings = findings::of(&epa, &always_violating);
    epa
}

fn certainty(doubt: &Option<String>) -> Certainty {
    if doubt.is_some() {
        Certainty::Maybe
    } else {
        Certainty::Reached
    }
}

/// By source, action, outcome, exception, target; states by number, actions as declared.
fn sort_transitions(epa: &mut Epa) {
    let number: BTreeMap<String, usize> = epa
        .states
        .iter()
        .enumerate()
        .map(|(i, s)| (s.id.clone(), i))
        .collect();
    let position: BTreeMap<String, usize> = epa
        .actions
        .iter()
        .enumerate()
        .map(|(i, a)| (a.clone(), i))
        .collect();
    epa.transitions.sort_by_cached_key(|t| {
        (
            number.get(&t.source).copied(),
            position.get(&t.action).copied(),
            t.exception.clone(),
            number.get(&t.target).copied(),
            t.outcome.clone(),
        )
    });
}
