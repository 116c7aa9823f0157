//! The automaton of a class as a Boogie program, and questions about whole runs of it (after the 2016 Corral
//! thesis, Algorithms 8 to 10).
//!
//! A procedure a state chooses one of its actions, a procedure a state and action makes the call (parameters, the
//! real body, one numbered edge a target), and the constructors are where a run starts. Unlike in the thesis, the
//! action's `requires` and the invariant are assumed. The procedures do not call each other: a question's entry
//! calls one after the other, as many as the run has calls. So runs of any length need no recursion, the bound of
//! an engine is left to the loops of the bodies, and runs come in order of their lengths.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::engine::{self, Entry};
use crate::lang::formula;
use crate::lang::ir::{Expr, RoutineRef};

use super::expr::ExprEncoder;
use super::question::{Assumption, Builder, Frame, unique};
use super::routine::modified_globals;
use super::term::Term;
use super::{ActionSet, Encoding, Exit, Step};

/// An automaton, by positions instead of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Automaton {
    /// The states: id and enabled actions. A state's number in the Boogie text is its position, from 1.
    pub states: Vec<(String, ActionSet)>,
    /// The edges. An edge's number in the Boogie text is its position, from 1.
    pub edges: Vec<Edge>,
}

/// An edge of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// What is called, and where.
    pub origin: Origin,
    /// How the call ends.
    pub exit: Exit,
    /// The state it leads to; none where a constructor ends in an exception.
    pub target: Option<usize>,
}

/// What is called, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A constructor, by its position.
    Constructor(usize),
    /// An action, by its position, in a state.
    Call {
        /// The state.
        state: usize,
        /// The action.
        action: usize,
    },
}

/// A run to look for: so many calls, the last of which takes one of some edges.
#[derive(Clone, Debug)]
pub struct Runs {
    /// The objects that the run may begin with: the state that each is in, and what is known of it. None where the
    /// first call makes the object.
    pub start: Vec<(usize, Expr)>,
    /// For each call, the states it may be made in; none for a constructor.
    pub states: Vec<BTreeSet<usize>>,
    /// The edges looked for.
    pub edges: BTreeSet<usize>,
    /// For each call, clauses over the fields that are known to hold after it.
    pub known: Vec<Vec<Expr>>,
}

/// A question about runs, and how to read the values on its trace: first what is recorded before there is an
/// object, last the numbers of the edges.
#[derive(Clone, Debug)]
pub struct EncodedRuns {
    /// The entry procedure.
    pub entry: Entry,
    /// How many values are recorded before the first call.
    pub before: usize,
    /// Whether all values of the object are recorded, so that a trace can be replayed.
    pub replayable: bool,
}

/// `templates/confirm/automaton.bpl`
#[derive(Template)]
#[template(path = "confirm/automaton.bpl")]
struct AutomatonText {
    states: Vec<(usize, String)>,
    procedures: Vec<String>,
}

/// `templates/confirm/edges.bpl`
#[derive(Template)]
#[template(path = "confirm/edges.bpl")]
struct CallText<'q> {
    comment: String,
    name: String,
    params: &'static str,
    q: &'q Frame,
    gone: Vec<Gone>,
    edges: Vec<EdgeText>,
}

struct Gone {
    number: usize,
    exit: String,
}

struct EdgeText {
    number: usize,
    exit: Vec<String>,
    target: usize,
    target_name: String,
    assumptions: Vec<Assumption>,
}

/// `templates/confirm/state.bpl`
#[derive(Template)]
#[template(path = "confirm/state.bpl")]
struct StateText {
    comment: String,
    name: String,
    params: &'static str,
    modifies: String,
    calls: Vec<(String, String)>,
}

/// `templates/confirm/runs.bpl`
#[derive(Template)]
#[template(path = "confirm/runs.bpl")]
struct RunsText<'q> {
    question: String,
    name: String,
    modifies: String,
    q: &'q Frame,
    start: Vec<String>,
    calls: Vec<LayerText>,
    wanted: String,
}

struct LayerText {
    number: usize,
    /// A state's number (0: no object yet) and what is called there.
    from: Vec<(usize, String)>,
    known: Vec<String>,
}

impl Encoding<'_> {
    /// The class's program with the automaton behind it.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn automaton(&self, automaton: &Automaton) -> Result<engine::Program, askama::Error> {
        let mut procedures = Vec::new();
        let mut constructors = Vec::new();
        for constructor in 0..self.constructors.len() {
            let origin = Origin::Constructor(constructor);
            procedures.push(self.call_text(automaton, origin)?);
            constructors.push(origin);
        }
        procedures.push(self.choice_text("an object is made", "$make".into(), &constructors)?);
        for (state, (id, enabled)) in automaton.states.iter().enumerate() {
            let mut calls = Vec::new();
            for action in enabled.iter() {
                let origin = Origin::Call { state, action };
                procedures.push(self.call_text(automaton, origin)?);
                calls.push(origin);
            }
            let comment = format!("{id}: any of its actions is called");
            procedures.push(self.choice_text(&comment, format!("$from_{id}"), &calls)?);
        }
        let text = AutomatonText {
            states: (automaton.states.iter().enumerate())
                .map(|(i, (_, enabled))| (i + 1, self.action_names(enabled)))
                .collect(),
            procedures,
        };
        let mut program = self.program();
        program.text.push_str(&text.render()?);
        Ok(program)
    }

    fn action_names(&self, set: &ActionSet) -> String {
        let names: Vec<&str> = set.iter().map(|a| self.actions[a].name.as_str()).collect();
        names.join(", ")
    }

    /// The name of the procedure of a call.
    fn call_name(&self, origin: Origin) -> String {
        match origin {
            Origin::Constructor(constructor) => format!("$make.{}", constructor + 1),
            Origin::Call { state, action } => {
                format!("$from_S{}.{}", state + 1, self.actions[action].name)
            }
        }
    }

    fn this_param(&self) -> &'static str {
        if self.layout.flat { "" } else { "this: Ref" }
    }

    fn this_argument(&self) -> &'static str {
        if self.layout.flat { "" } else { "this" }
    }

    /// What is called.
    fn routine_of(&self, origin: Origin) -> Option<RoutineRef> {
        match origin {
            Origin::Constructor(constructor) => self.constructors[constructor].routine,
            Origin::Call { action, .. } => Some(self.actions[action].routine),
        }
    }

    fn modified_by(&self, origins: &[Origin]) -> String {
        let globals: BTreeSet<String> = origins
            .iter()
            .filter_map(|origin| self.routine_of(*origin))
            .flat_map(|routine| modified_globals(&self.layout, self.effects.routine(routine)))
            .collect();
        Vec::from_iter(globals).join(", ")
    }

    fn choice_text(
        &self,
        comment: &str,
        name: String,
        calls: &[Origin],
    ) -> Result<String, askama::Error> {
        let calls_text = calls.iter().enumerate().map(|(i, origin)| {
            let call = format!(
                "call {}({});",
                self.call_name(*origin),
                self.this_argument()
            );
            (format!("call_{}", i + 1), call)
        });
        StateText {
            comment: comment.into(),
            name,
            params: self.this_param(),
            modifies: self.modified_by(calls),
            calls: calls_text.collect(),
        }
        .render()
    }

    fn call_text(&self, automaton: &Automaton, origin: Origin) -> Result<String, askama::Error> {
        let mut builder = Builder::new(self);
        let mut frame = Frame::default();
        let invariant: Vec<String> = builder
            .invariant()
            .iter()
            .map(ToString::to_string)
            .collect();
        let invariant_reads = std::mem::take(&mut builder.reads);
        if let Origin::Call { state, .. } = origin {
            frame.reads_before.clone_from(&invariant_reads);
            frame.source = builder.known_of_state(&automaton.states[state].1);
        }
        let routine = self.routine_of(origin);
        match routine {
            Some(routine) => builder.call(routine, &Exit::Any, &mut frame),
            None => {
                let start = builder.start();
                frame.requires = builder.encode_conjuncts(start);
                frame.reads_before.append(&mut builder.reads);
            }
        }
        frame.invariant_after = invariant;
        builder.reads = invariant_reads;
        frame.after = builder.record_configuration(&mut |b| &mut b.recorded_after);
        let throws = routine.is_some_and(|r| !self.exceptions_of(r).is_empty());
        let mut gone = Vec::new();
        let mut edges = Vec::new();
        let own = automaton
            .edges
            .iter()
            .enumerate()
            .filter(|(_, e)| e.origin == origin);
        for (index, edge) in own {
            let exit = match routine {
                Some(routine) => builder.exit(routine, &edge.exit, throws),
                None => vec![],
            };
            let number = index + 1;
            match edge.target {
                None => gone.push(Gone {
                    number,
                    exit: if exit.is_empty() {
                        "true".into()
                    } else {
                        exit.join(" && ")
                    },
                }),
                Some(target) => {
                    let (id, enabled) = &automaton.states[target];
                    let mut assumptions = builder.state(enabled);
                    assumptions.extend(builder.known_of_state(enabled));
                    edges.push(EdgeText {
                        number,
                        exit,
                        target: target + 1,
                        target_name: id.clone(),
                        assumptions,
                    });
                }
            }
        }
        frame.reads_before = unique(frame.reads_before);
        frame.reads_after = unique(std::mem::take(&mut builder.reads));
        frame.locals = std::mem::take(&mut builder.locals);
        CallText {
            comment: match origin {
                Origin::Constructor(constructor) => self.constructors[constructor].display.clone(),
                Origin::Call { state, action } => {
                    format!(
                        "{}, called in {}",
                        self.actions[action].name, automaton.states[state].0
                    )
                }
            },
            name: self.call_name(origin),
            params: self.this_param(),
            q: &frame,
            gone,
            edges,
        }
        .render()
    }

    /// The question whether there is such a run.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn runs(&self, automaton: &Automaton, runs: &Runs) -> Result<EncodedRuns, askama::Error> {
        let mut builder = Builder::new(self);
        let mut frame = Frame {
            configuration: builder.configuration(runs.start.is_empty()),
            ..Frame::default()
        };
        frame.configuration.extend(builder.promises());
        frame.invariant = builder
            .invariant_of_others()
            .iter()
            .map(ToString::to_string)
            .collect();
        frame.before = builder.record_configuration(&mut |b| &mut b.recorded_before);
        let start: Vec<String> = (runs.start.iter())
            .map(|(state, known)| {
                let number = Term::atom((state + 1).to_string());
                let state = Term::binary("==", Term::atom("$state"), number);
                Term::binary("&&", state, builder.term(known)).to_string()
            })
            .collect();
        frame.locals = std::mem::take(&mut builder.locals);
        let exprs = ExprEncoder::new(&self.layout, &builder.names);
        let mut calls = Vec::new();
        for (index, states) in runs.states.iter().enumerate() {
            let this = self.this_argument();
            let from = if index == 0 && runs.start.is_empty() {
                vec![(0, format!("call $make({this});"))]
            } else {
                let call = |s: &usize| {
                    (
                        s + 1,
                        format!("call $from_{}({this});", automaton.states[*s].0),
                    )
                };
                states.iter().map(call).collect()
            };
            let known = runs.known.get(index).map(Vec::as_slice).unwrap_or_default();
            calls.push(LayerText {
                number: index + 1,
                from,
                known: known.iter().map(|e| exprs.encode(e).to_string()).collect(),
            });
        }
        let wanted: Vec<String> = runs
            .edges
            .iter()
            .map(|e| format!("$edge == {}", e + 1))
            .collect();
        let name = format!(
            "runs.of_{}_calls.to_{}_edges.from_edge_{}",
            runs.states.len(),
            runs.edges.len(),
            runs.edges.first().map_or(0, |e| e + 1)
        );
        let origins: Vec<Origin> = automaton.edges.iter().map(|e| e.origin).collect();
        let all: Vec<Origin> = (0..self.constructors.len())
            .map(Origin::Constructor)
            .chain(
                automaton
                    .states
                    .iter()
                    .enumerate()
                    .flat_map(|(state, (_, set))| {
                        set.iter().map(move |action| Origin::Call { state, action })
                    }),
            )
            .chain(origins)
            .collect();
        let text = RunsText {
            question: self.runs_sentence(automaton, runs),
            name: name.clone(),
            modifies: self.modified_by(&all),
            q: &frame,
            start,
            calls,
            wanted: if wanted.is_empty() {
                "false".into()
            } else {
                wanted.join(" || ")
            },
        }
        .render()?;
        Ok(EncodedRuns {
            entry: Entry { name, text },
            before: builder.recorded_before.len(),
            replayable: builder.replayable,
        })
    }

    /// The question as a sentence.
    pub fn runs_sentence(&self, automaton: &Automaton, runs: &Runs) -> String {
        let edges: Vec<String> = runs
            .edges
            .iter()
            .map(|e| self.edge_name(automaton, &automaton.edges[*e]))
            .collect();
        let calls = runs.states.len();
        let noun = if calls == 1 { "call" } else { "calls" };
        format!(
            "is there a run of {calls} {noun} that ends with {}?",
            edges.join(" or ")
        )
    }

    /// An edge as it is shown: `S1 -insert_money-> S2`.
    pub fn edge_name(&self, automaton: &Automaton, edge: &Edge) -> String {
        let target = edge
            .target
            .map_or("nothing", |t| automaton.states[t].0.as_str());
        let exception = match &edge.exit {
            Exit::Exception(e) => format!(" ! {}", self.source().exception(*e)),
            _ => String::new(),
        };
        match edge.origin {
            Origin::Constructor(constructor) => {
                format!(
                    "{}{exception} -> {target}",
                    self.constructors[constructor].display
                )
            }
            Origin::Call { state, action } => {
                let label = self.outcome_label(action, &edge.exit);
                let outcome = if label.is_empty() {
                    label
                } else {
                    format!("[{label}]")
                };
                format!(
                    "{} -{}{outcome}{exception}-> {target}",
                    automaton.states[state].0, self.actions[action].name
                )
            }
        }
    }
}

impl Automaton {
    /// The call that an edge is about, and the state that it leads to; none where a constructor ends in an exception.
    pub fn call_of(&self, edge: &Edge) -> (Step, Option<ActionSet>) {
        let state = |index: usize| self.states.get(index).map(|(_, set)| set.clone());
        let exit = edge.exit.clone();
        let step = match edge.origin {
            Origin::Constructor(constructor) => Step::Construct { constructor, exit },
            Origin::Call {
                state: source,
                action,
            } => Step::Call {
                source: state(source),
                action,
                exit,
            },
        };
        (step, edge.target.and_then(state))
    }

    /// The states in which call number `index` (from 0; the constructor) of a run of `calls` calls can be made,
    /// for a run whose last edge is one of these and that takes edges of `live` only. None where there is no such
    /// run in the automaton.
    fn layers(
        &self,
        calls: usize,
        wanted: &BTreeSet<usize>,
        live: &BTreeSet<usize>,
    ) -> Option<Vec<BTreeSet<usize>>> {
        let live: Vec<&Edge> = live.iter().filter_map(|e| self.edges.get(*e)).collect();
        let source = |e: &Edge| match e.origin {
            Origin::Constructor(_) => None,
            Origin::Call { state, .. } => Some(state),
        };
        let mut forward: Vec<BTreeSet<usize>> = vec![BTreeSet::new()];
        for index in 1..calls {
            let from = &forward[index - 1];
            let next = live.iter().filter(|e| match source(e) {
                None => index == 1,
                Some(state) => index > 1 && from.contains(&state),
            });
            let next = next.filter_map(|e| e.target).collect();
            forward.push(next);
        }
        let mut needed: BTreeSet<usize> = BTreeSet::new();
        let mut first = false;
        for edge in wanted.iter().filter_map(|e| self.edges.get(*e)) {
            match source(edge) {
                None => first |= calls == 1,
                Some(state) => {
                    needed.insert(state);
                }
            }
        }
        if calls == 1 {
            return first.then(|| vec![BTreeSet::new()]);
        }
        for index in (1..calls).rev() {
            forward[index] = forward[index].intersection(&needed).copied().collect();
            if forward[index].is_empty() {
                return None;
            }
            let here = &forward[index];
            needed = live
                .iter()
                .filter(|e| e.target.is_some_and(|t| here.contains(&t)))
                .filter_map(|e| source(e))
                .collect();
        }
        Some(forward)
    }

    /// The runs of this length that end with one of the edges wanted and take only `live` ones, if there are any.
    pub fn runs(
        &self,
        calls: usize,
        wanted: &BTreeSet<usize>,
        live: &BTreeSet<usize>,
    ) -> Option<Runs> {
        let states = self.layers(calls, wanted, live)?;
        let last = states.last()?;
        let is_last = |edge: &usize| match self.edges[*edge].origin {
            Origin::Constructor(_) => calls == 1,
            Origin::Call { state, .. } => last.contains(&state),
        };
        Some(Runs {
            edges: wanted.iter().copied().filter(is_last).collect(),
            start: vec![],
            states,
            known: vec![],
        })
    }

    /// The states that some run may reach by these edges, and the edges it may take.
    pub fn reachable(&self, live: &BTreeSet<usize>) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let mut by_state: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
        for index in live {
            if let Some(edge) = self.edges.get(*index) {
                let source = match edge.origin {
                    Origin::Constructor(_) => None,
                    Origin::Call { state, .. } => Some(state),
                };
                by_state.entry(source).or_default().push(*index);
            }
        }
        let mut states = BTreeSet::new();
        let mut edges = BTreeSet::new();
        let mut open = vec![None];
        while let Some(at) = open.pop() {
            for index in by_state.get(&at).into_iter().flatten() {
                edges.insert(*index);
                if let Some(target) = self.edges[*index].target
                    && states.insert(target)
                {
                    open.push(Some(target));
                }
            }
        }
        (states, edges)
    }
}

/// Clauses as one formula's negation.
pub(super) fn some_fails(clauses: &[Expr]) -> Expr {
    formula::not(formula::all(clauses.iter().cloned()))
}
