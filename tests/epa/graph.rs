//! EPAs as sets of lines that can be compared: `I C() -> {a,b}`, `{a} act[ok] -> {b}`, `{a} act!E -> {b}`; who can
//! break the invariant as `{a} act *`.

use std::collections::{BTreeMap, BTreeSet};

use tranquera::encode::Encoding;
use tranquera::engine::{EngineConfig, kind};
use tranquera::epa::wire::Certainty;
use tranquera::epa::{ConstructOptions, Constructed, Exceptions, Strategy, construct};
use tranquera::front::tq::Loaded;
use tranquera::interp::oracle::{
    EnabledSet, Oracle, OracleConstructorEdge, OracleRuns, OracleTransition,
};
use tranquera::query::Limits;

use crate::support::class;

/// An EPA in lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// All edges.
    pub edges: BTreeSet<String>,
    /// Who can break the invariant.
    pub violations: BTreeSet<String>,
    /// Edges that are not certain, with the reason; and what a replay contradicts.
    pub doubts: Vec<String>,
}

/// A state in braces, its actions sorted.
pub fn state<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    let names: BTreeSet<&str> = names.into_iter().map(String::as_str).collect();
    let names: Vec<&str> = names.into_iter().collect();
    format!("{{{}}}", names.join(","))
}

/// A call, with how it ended.
pub fn label(action: &str, outcome: Option<&String>, exception: Option<&String>) -> String {
    let outcome = outcome.map_or(String::new(), |o| format!("[{o}]"));
    let exception = exception.map_or(String::new(), |e| format!("!{e}"));
    format!("{action}{outcome}{exception}")
}

/// An edge of a constructor, as a line.
fn constructor(edge: &OracleConstructorEdge) -> String {
    match &edge.end {
        Ok(target) => format!("I {} -> {}", edge.name, state(target)),
        Err(exception) => format!("I {}!{exception}", edge.name),
    }
}

/// A transition, as a line.
fn transition(t: &OracleTransition) -> String {
    let label = label(&t.action, t.outcome.as_ref(), t.exception.as_ref());
    format!("{} {label} -> {}", state(&t.source), state(&t.target))
}

/// The edges that objects take, as lines, with the calls of the shortest run of each.
pub fn lengths(runs: &OracleRuns) -> BTreeMap<String, u32> {
    let constructors = runs.constructors.iter();
    let constructors = constructors.map(|(edge, calls)| (constructor(edge), *calls));
    let transitions = runs.transitions.iter();
    let transitions = transitions.map(|(t, calls)| (transition(t), *calls));
    constructors.chain(transitions).collect()
}

/// What an engine finds.
pub fn by_engine(loaded: &Loaded, engine: &str, strategy: Strategy) -> Graph {
    of_encoding(&class::encode(loaded), engine, strategy)
}

/// What an engine finds behind what running all actions at random shows.
pub fn behind_runs(loaded: &Loaded, engine: &str) -> Graph {
    of_encoding_from(&class::encode(loaded), engine, Strategy::Guided, 0)
}

/// All edges, each of them asked about.
pub fn all_of_it() -> ConstructOptions {
    ConstructOptions {
        jobs: 2,
        pure_shortcut: false,
        exceptions: Exceptions::All,
        violations: true,
        large: usize::MAX,
        ..ConstructOptions::default()
    }
}

/// What an engine finds of a class that is encoded.
pub fn of_encoding(encoding: &Encoding, engine: &str, strategy: Strategy) -> Graph {
    of_encoding_from(encoding, engine, strategy, usize::MAX)
}

/// The same, where actions of so many statements are run first.
fn of_encoding_from(encoding: &Encoding, engine: &str, strategy: Strategy, large: usize) -> Graph {
    // Two rounds of a loop that is left early are within 5 for Boogie, not within 3.
    let limits = Limits {
        recursion_bound: 5,
        ..Limits::default()
    };
    let config = EngineConfig {
        limits,
        ..EngineConfig::default()
    };
    let engine = (kind(engine).expect("known").make)(&config);
    let options = ConstructOptions {
        strategy,
        large,
        ..all_of_it()
    };
    match construct(encoding, engine.as_ref(), &options) {
        Ok(constructed) => of_constructed(&constructed),
        Err(failure) => Graph {
            doubts: vec![failure.to_string()],
            ..Graph::default()
        },
    }
}

/// What was found.
pub fn of_constructed(constructed: &Constructed) -> Graph {
    let epa = constructed.epa();
    let mut graph = Graph::default();
    let states: BTreeMap<&str, String> = epa
        .states
        .iter()
        .map(|s| (s.id.as_str(), state(&s.enabled)))
        .collect();
    for edge in &epa.constructors {
        let line = match (&edge.target, &edge.exception) {
            (Some(target), _) => format!("I {} -> {}", edge.name, states[target.as_str()]),
            (None, exception) => format!("I {}", label(&edge.name, None, exception.as_ref())),
        };
        graph.edge(line, edge.verdict, edge.reason.as_ref());
        if edge.violates_invariant {
            graph.violations.insert(format!("I {} *", edge.name));
        }
    }
    for t in &epa.transitions {
        let source = &states[t.source.as_str()];
        let label = label(&t.action, t.outcome.as_ref(), t.exception.as_ref());
        let line = format!("{source} {label} -> {}", states[t.target.as_str()]);
        graph.edge(line, t.verdict, t.reason.as_ref());
        if t.violates_invariant {
            graph.violations.insert(format!("{source} {label} *"));
        }
    }
    for finding in epa.findings.iter().filter(|f| f.kind == "always-violates") {
        let source = finding.state.as_ref().map_or("I", |s| &states[s.as_str()]);
        let exit = finding.message.split('`').nth(1).unwrap_or_default();
        graph.violations.insert(format!("{source} {exit} *"));
    }
    for finding in epa
        .findings
        .iter()
        .filter(|f| f.kind == "possible-violation")
    {
        let source = finding.state.as_ref().map_or("I", |s| &states[s.as_str()]);
        let exit = finding.message.split('`').nth(1).unwrap_or_default();
        let line = format!("{source} {exit} *");
        graph.violations.insert(line.clone());
        graph.doubts.push(line);
    }
    let disagreements = constructed.disagreements.iter();
    graph.doubts.extend(disagreements.map(|d| format!("{d:?}")));
    graph
}

impl Graph {
    fn edge(&mut self, line: String, verdict: Certainty, reason: Option<&String>) {
        if verdict != Certainty::Reached {
            let reason = reason.map_or("", |r| r);
            self.doubts.push(format!("{line}: {reason}"));
        }
        self.edges.insert(line);
    }

    /// What the definition gives, of what can be reached.
    pub fn of_oracle(oracle: &Oracle) -> Graph {
        let oracle = oracle.reachable(true);
        let mut graph = Graph::default();
        let constructors = oracle.constructors.iter().map(constructor);
        let transitions = oracle.transitions.iter().map(transition);
        graph.edges = constructors.chain(transitions).collect();
        for exit in &oracle.violations {
            let source = exit
                .source
                .as_ref()
                .map_or("I".to_owned(), |s: &EnabledSet| state(s));
            let label = label(
                &exit.routine,
                exit.outcome.as_ref(),
                exit.exception.as_ref(),
            );
            graph.violations.insert(format!("{source} {label} *"));
        }
        graph
    }

    /// Where two graphs differ, line by line; empty where they do not.
    pub fn differences(&self, other: &Graph) -> Vec<String> {
        let mut lines = Vec::new();
        for (mine, theirs) in [
            (&self.edges, &other.edges),
            (&self.violations, &other.violations),
        ] {
            lines.extend(mine.difference(theirs).map(|line| format!("- {line}")));
            lines.extend(theirs.difference(mine).map(|line| format!("+ {line}")));
        }
        lines.extend(other.doubts.iter().map(|doubt| format!("? {doubt}")));
        lines
    }
}
