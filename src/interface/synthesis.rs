//! The whole way from a class to its interface.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use rayon::ThreadPool;

use super::abstraction::{CubeGame, Letter, LetterOf};
use super::automaton::{Dfa, InterfaceAutomaton};
use super::certify::{certify, regions};
use super::explore::{ExploredClass, Stopped, WENT_WELL, explore};
use super::game::{self, Solved, TooLarge};
use super::inclusion::{self, Infeasible};
use super::jist::Jist;
use super::learner::{Learned, NotLearned, learn};
use super::minimize::{relaxed, strict};
use super::model::{
    FoundPredicate, Interface, InterfaceState, InterfaceStats, InterfaceTransition,
    InterfaceVerdict, SCHEMA,
};
use super::predicates::{Discovery, new_among};
use super::statements::forgetful;
use super::study::Study;
use super::teacher::Exact;
use super::tightness::{forbidden_names, prohibitions};
use crate::ask::{Desk, Disagreement, QueryCounts};
use crate::encode::Encoding;
use crate::engine::{Engine, EngineError};
use crate::ir::{Expr, RoutineRef};
use crate::query::kinds::{self, interface::Abstracted, interface::Params};
use crate::query::{Callee, Exit, Step, Subject};
use crate::time::millis_since;

/// No more predicates than this are taken on by themselves.
const MOST_PREDICATES: usize = 10;

/// How the learner's superset queries are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SupersetCheck {
    /// Exactly.
    #[default]
    Exact,
    /// As in the paper: a sufficient condition, then one step further.
    Jist,
}

impl SupersetCheck {
    /// `exact`, `jist`
    pub fn name(self) -> &'static str {
        match self {
            SupersetCheck::Exact => "exact",
            SupersetCheck::Jist => "jist",
        }
    }
}

/// How much of a call the abstraction sees at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// All of it.
    #[default]
    Call,
    /// One statement, as in the paper: see [`super::statements`].
    Statement,
}

impl Precision {
    /// `call`, `statement`
    pub fn name(self) -> &'static str {
        match self {
            Precision::Call => "call",
            Precision::Statement => "statement",
        }
    }
}

/// What is wanted of a synthesis.
#[derive(Clone, Copy, Debug)]
pub struct SynthesisOptions {
    /// How much of a call the abstraction sees at once.
    pub precision: Precision,
    /// How superset queries are answered.
    pub superset: SupersetCheck,
    /// Whether the automaton is to show what cannot be seen.
    pub feasibility: bool,
    /// How many questions are asked at once.
    pub jobs: usize,
    /// Whether runs are looked for behind the prohibitions.
    pub witnesses: bool,
}

/// Why there is no interface.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    /// The engine could not be run.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The class could not be explored.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The game is too large.
    #[error(transparent)]
    Game(#[from] TooLarge),
    /// The learner gave up.
    #[error(transparent)]
    Learner(#[from] NotLearned),
    /// The class could not be encoded.
    #[error("the class cannot be encoded: {0}")]
    Encoding(#[from] askama::Error),
    /// The worker threads could not be started.
    #[error("cannot start the worker threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// An interface, and what happened on the way.
#[derive(Clone, Debug)]
pub struct Synthesised {
    /// The interface as it is printed.
    pub interface: Interface,
    /// The automaton.
    pub automaton: InterfaceAutomaton,
    /// The abstraction that it is an interface of.
    pub explored: ExploredClass,
    /// Predicates that may make it more permissive on the class itself.
    pub suggested: Vec<Expr>,
    /// Answers of the engine that a replay contradicted.
    pub disagreements: Vec<Disagreement>,
}

/// Synthesises the interface of a class over the predicates given.
///
/// # Errors
/// The engine cannot be run at all, or there is too much to look at.
pub fn synthesise(
    abstracted: &Abstracted,
    engine: &dyn Engine,
    options: &SynthesisOptions,
) -> Result<Synthesised, SynthesisError> {
    let start = Instant::now();
    let encoding = Encoding::new(Arc::clone(&abstracted.subject))?;
    let study = Study {
        abstracted,
        desk: Desk::open(&encoding, engine)?,
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.max(1))
        .build()?;
    let uniform = options.superset == SupersetCheck::Jist;
    let (explored, mut counts) = match options.precision {
        Precision::Call => (pool.install(|| explore(&study, uniform))?, BTreeMap::new()),
        Precision::Statement => by_statements(abstracted, engine, &pool, uniform)?,
    };
    let abstraction = &explored.abstraction;
    let solved = game::solve(abstraction)?;
    let found = automaton_of(abstraction, &solved, options)?;
    let suggest = |calls: &[usize]| suggested(abstracted, calls);
    let certificate = pool.install(|| certify(&study, &explored, &found.automaton));
    let (prohibitions, suggested) = match options.witnesses {
        true => prohibitions(
            &study,
            &abstraction.alphabet,
            &found.automaton,
            &pool,
            &suggest,
        ),
        false => (vec![], vec![]),
    };
    let (states, transitions) = written(abstracted, &explored, &found.automaton);
    let subject = &abstracted.subject;
    let guards = subject.actions.iter();
    let inexact = guards.filter_map(|a| a.guard.note.clone());
    let by_guards = abstracted.forbidden.requires && abstracted.params == Params::Exists;
    let mut notes: Vec<String> = if by_guards { inexact.collect() } else { vec![] };
    notes.extend(pool.install(|| raising_constructors(&study)));
    counts.extend(study.desk.counts());
    let stats = InterfaceStats {
        engine: engine.name().into(),
        recursion_bound: engine.limits().recursion_bound,
        queries: counts,
        wall_ms: millis_since(start),
        ..sizes(abstraction, &solved, &found.learned, options)
    };
    let interface = Interface {
        schema: SCHEMA.into(),
        class: subject.name().to_owned(),
        forbidden: forbidden_names(abstracted),
        params: match abstracted.params {
            Params::Forall => "forall".into(),
            Params::Exists => "exists".into(),
        },
        predicates: (abstracted.predicates.iter())
            .map(|p| abstracted.predicate_text(p))
            .collect(),
        found: vec![],
        actions: abstraction.alphabet.actions.clone(),
        constructors: (subject.constructors.iter())
            .map(|c| c.shown.clone())
            .collect(),
        states,
        transitions,
        verdict: found.verdict,
        prohibitions,
        certificate,
        bounds: None,
        doubts: explored.doubts.clone(),
        notes,
        stats,
    };
    let disagreements = study.desk.disagreements();
    Ok(Synthesised {
        interface,
        automaton: found.automaton,
        explored,
        suggested: new_among(suggested, &abstracted.predicates),
        disagreements,
    })
}

/// Explores the class as the paper does, statement by statement.
fn by_statements(
    abstracted: &Abstracted,
    engine: &dyn Engine,
    pool: &ThreadPool,
    uniform: bool,
) -> Result<(ExploredClass, BTreeMap<String, QueryCounts>), SynthesisError> {
    let subject = &abstracted.subject;
    let program = forgetful(&subject.program, subject.class, &abstracted.predicates);
    let actions: Vec<RoutineRef> = subject.actions.iter().map(|a| a.routine).collect();
    let forgetful = Arc::new(Subject::new(Arc::new(program), subject.class, &actions));
    let encoding = Encoding::new(Arc::clone(&forgetful))?;
    let forgetful = Abstracted {
        subject: forgetful,
        ..abstracted.clone()
    };
    let study = Study {
        abstracted: &forgetful,
        desk: Desk::open(&encoding, engine)?.without_replay(),
    };
    let explored = pool.install(|| explore(&study, uniform))?;
    Ok((explored, study.desk.counts()))
}

/// What there is to count.
fn sizes(
    abstraction: &CubeGame,
    solved: &Solved,
    learned: &Learned,
    options: &SynthesisOptions,
) -> InterfaceStats {
    let ends = abstraction.post.iter().flat_map(BTreeMap::values);
    InterfaceStats {
        superset: options.superset.name().into(),
        precision: options.precision.name().into(),
        cubes: abstraction.states(),
        edges: ends.map(BTreeSet::len).sum(),
        knowledge_sets: solved.knowledge.len(),
        letters: abstraction.alphabet.letters.len(),
        learner: learned.queries,
        ..InterfaceStats::default()
    }
}

/// Predicates that may tell why a call is not wrong after these: what the class itself looks at before it does what
/// must not happen; then what the last of the calls makes of the predicates, or one before it.
fn suggested(abstracted: &Abstracted, calls: &[usize]) -> Vec<Expr> {
    let discovery = Discovery::new(&abstracted.subject, &abstracted.forbidden);
    let guards = new_among(discovery.guards(), &abstracted.predicates);
    if !guards.is_empty() {
        return guards;
    }
    let last_first = calls.iter().rev();
    last_first
        .map(|action| discovery.before(*action, &abstracted.predicates))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// Synthesises the interface of a class over predicates that are found in its text: first the guards; then, as long
/// as something is prohibited only because the predicates are too few, those that may tell.
///
/// # Errors
/// See [`synthesise`].
pub fn synthesise_by_rounds(
    start: Abstracted,
    engine: &dyn Engine,
    options: &SynthesisOptions,
    rounds: usize,
) -> Result<Synthesised, SynthesisError> {
    let discovery = Discovery::new(&start.subject, &start.forbidden);
    let guards = discovery.guards();
    let mut found: Vec<(Expr, usize)> = guards.into_iter().map(|e| (e, 0)).collect();
    let mut abstracted = start.clone();
    let mut disagreements: Vec<Disagreement> = Vec::new();
    let mut round = 0;
    loop {
        abstracted.predicates = found.iter().map(|(e, _)| e.clone()).collect();
        let mut synthesised = synthesise(&abstracted, engine, options)?;
        disagreements.append(&mut synthesised.disagreements);
        round += 1;
        let next = &synthesised.suggested;
        let too_many = found.len() + next.len() > MOST_PREDICATES;
        if next.is_empty() || round > rounds || too_many {
            synthesised.interface.found = found
                .iter()
                .map(|(e, round)| FoundPredicate {
                    predicate: abstracted.predicate_text(e),
                    round: *round,
                })
                .collect();
            synthesised.disagreements = disagreements;
            return Ok(synthesised);
        }
        found.extend(next.iter().map(|e| (e.clone(), round)));
    }
}

/// The constructors that may raise what must not be raised: then there is no object, and no history to speak of.
fn raising_constructors(study: &Study<'_>) -> Vec<String> {
    let subject = study.desk.subject();
    let forbidden = &study.abstracted.forbidden.exceptions;
    let raised = subject.constructor_ids().flat_map(|constructor| {
        let thrown = subject[constructor]
            .routine
            .map(|r| subject.exceptions_of(r));
        let thrown = thrown.into_iter().flatten().copied();
        thrown.map(move |exception| (constructor, exception))
    });
    let raised = raised.filter(|(constructor, exception)| {
        let step = Step::construct(*constructor, Exit::Exception(*exception));
        forbidden.contains(exception) && !study.ask(&kinds::exit(subject, &step)).is_no()
    });
    raised
        .map(|(constructor, exception)| {
            format!(
                "`{}` itself may raise {}: the interface is about the objects that it makes",
                subject.shown(Callee::Constructor(constructor)),
                subject.program.exception_shown(exception)
            )
        })
        .collect()
}

/// The automaton, and what is known of it.
struct LearnedInterface {
    automaton: InterfaceAutomaton,
    learned: Learned,
    verdict: InterfaceVerdict,
}

/// Solves the game and learns the same; what is printed is the game's automaton, or what the paper's learner found.
fn automaton_of(
    abstraction: &CubeGame,
    solved: &Solved,
    options: &SynthesisOptions,
) -> Result<LearnedInterface, NotLearned> {
    let smallest = |automaton: &InterfaceAutomaton| match options.feasibility {
        true => (strict(automaton), true),
        false => relaxed(automaton),
    };
    let (game, minimal) = smallest(&solved.automaton);
    let learned = match options.superset {
        SupersetCheck::Jist => learn(&Jist { abstraction })?,
        SupersetCheck::Exact => learn(&Exact {
            abstraction,
            infeasible: match options.feasibility {
                true => Infeasible::Rejected,
                false => Infeasible::DontCare,
            },
        })?,
    };
    let by_learner = learned_interface(abstraction, &learned.dfa);
    let most_permissive =
        inclusion::missing_word(abstraction, &learned.dfa, Infeasible::Rejected).is_none();
    let (by_learner, by_learner_minimal) = smallest(&by_learner);
    let learner_agrees = by_learner == game;
    let (automaton, minimal) = match options.superset {
        SupersetCheck::Exact => (game, minimal),
        SupersetCheck::Jist => (by_learner, by_learner_minimal),
    };
    Ok(LearnedInterface {
        verdict: InterfaceVerdict {
            permissive: learned.permissive,
            most_permissive,
            minimal,
            learner_agrees,
        },
        automaton,
        learned,
    })
}

/// What was learned, without what cannot be.
fn learned_interface(abstraction: &CubeGame, dfa: &Dfa) -> InterfaceAutomaton {
    game::feasible(abstraction, &dfa.automaton(&abstraction.alphabet))
}

fn written(
    abstracted: &Abstracted,
    explored: &ExploredClass,
    automaton: &InterfaceAutomaton,
) -> (Vec<InterfaceState>, Vec<InterfaceTransition>) {
    let alphabet = &explored.abstraction.alphabet;
    let id = |q: usize| format!("Q{}", q + 1);
    let regions = regions(&explored.abstraction, automaton);
    let states = automaton.states.iter().zip(regions).enumerate();
    let states = states.map(|(q, (state, region))| InterfaceState {
        id: id(q),
        legal: state
            .legal
            .iter()
            .map(|a| alphabet.actions[*a].clone())
            .collect(),
        cubes: region
            .iter()
            .map(|s| abstracted.cube_text(&explored.cubes[*s]))
            .collect(),
    });
    // That a call went well is not worth saying where it always does.
    let used: BTreeSet<Letter> = automaton
        .states
        .iter()
        .flat_map(|s| s.next.keys().copied())
        .collect();
    let label = |letter: Letter| {
        let LetterOf { action, label } = &alphabet.letters[letter];
        let alone = alphabet
            .of_action(*action)
            .filter(|l| used.contains(l))
            .count()
            == 1;
        label.clone().filter(|label| !(alone && label == WENT_WELL))
    };
    let transitions = automaton.states.iter().enumerate().flat_map(|(q, state)| {
        let label = &label;
        state
            .next
            .iter()
            .map(move |(letter, target)| InterfaceTransition {
                source: id(q),
                action: alphabet.actions[alphabet.letters[*letter].action].clone(),
                seen: label(*letter),
                target: id(*target),
            })
    });
    (states.collect(), transitions.collect())
}
