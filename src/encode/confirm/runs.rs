//! Whether there is a run of so many calls that ends with one of some edges.

use std::collections::BTreeSet;

use askama::Template;

use crate::encode::expr::ExprEncoder;
use crate::encode::question::{Builder, Frame};
use crate::encode::term::Term;
use crate::encode::{Encoding, Exit};
use crate::ir::Expr;
use crate::query::Entry;
use crate::words::counted;

use super::{Automaton, Edge, Origin};

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
        let text = RunsText {
            question: self.runs_sentence(automaton, runs),
            name: name.clone(),
            modifies: self.modified_by(&self.origins(automaton)),
            q: &frame,
            start,
            calls: self.layer_texts(automaton, runs, &exprs),
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

    /// The calls one after the other, each from the states it may be made in.
    fn layer_texts(
        &self,
        automaton: &Automaton,
        runs: &Runs,
        exprs: &ExprEncoder<'_>,
    ) -> Vec<LayerText> {
        let this = self.this_argument();
        let from = |index: usize, states: &BTreeSet<usize>| {
            if index == 0 && runs.start.is_empty() {
                return vec![(0, format!("call $make({this});"))];
            }
            let id = |s: usize| automaton.states[s].0.as_str();
            let call = |s: &usize| (s + 1, format!("call $from_{}({this});", id(*s)));
            states.iter().map(call).collect()
        };
        let layers = runs.states.iter().enumerate();
        layers
            .map(|(index, states)| {
                let known = runs.known.get(index).map(Vec::as_slice).unwrap_or_default();
                LayerText {
                    number: index + 1,
                    from: from(index, states),
                    known: known.iter().map(|e| exprs.encode(e).to_string()).collect(),
                }
            })
            .collect()
    }

    /// All that is called anywhere in the automaton.
    fn origins(&self, automaton: &Automaton) -> Vec<Origin> {
        let constructors = (0..self.constructors.len()).map(Origin::Constructor);
        let states = automaton.states.iter().enumerate();
        let calls = states.flat_map(|(state, (_, set))| {
            set.iter().map(move |action| Origin::Call { state, action })
        });
        constructors.chain(calls).collect()
    }

    /// The question as a sentence.
    pub fn runs_sentence(&self, automaton: &Automaton, runs: &Runs) -> String {
        let edges: Vec<String> = runs
            .edges
            .iter()
            .map(|e| self.edge_name(automaton, &automaton.edges[*e]))
            .collect();
        let calls = counted(runs.states.len(), "call");
        let from = match runs.start.len() {
            0 => String::new(),
            1 => " from one configuration".into(),
            n => format!(" from one of {n} configurations"),
        };
        format!(
            "is there a run of {calls}{from} that ends with {}?",
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
