//! The automaton as procedures behind the class's program.

use std::collections::BTreeSet;

use askama::Template;

use crate::encode::Encoding;
use crate::encode::query::{Builder, CallLayout, CallText, Line, modified, unique};
use crate::query::{
    self, AbstractState, Automaton, Call, Callee, Edge, Exit, Holds, StateId, kinds,
};

/// `templates/walk/automaton.bpl`
#[derive(Template)]
#[template(path = "walk/automaton.bpl")]
struct AutomatonText {
    states: Vec<(usize, String)>,
    procedures: Vec<String>,
}

/// `templates/walk/edges.bpl`
#[derive(Template)]
#[template(path = "walk/edges.bpl")]
struct EdgesText {
    comment: String,
    name: String,
    params: &'static str,
    modifies: String,
    locals: Vec<(String, String)>,
    state: Vec<Line>,
    c: CallText,
    gone: Vec<Gone>,
    broken: Vec<Gone>,
    edges: Vec<EdgeText>,
}

/// An edge that leads to no state: there is no object, or it does not matter where it is left.
struct Gone {
    number: usize,
    condition: String,
}

struct EdgeText {
    number: usize,
    exit: Vec<String>,
    target: usize,
    target_name: String,
    assumptions: Vec<Line>,
}

/// `templates/walk/state.bpl`
#[derive(Template)]
#[template(path = "walk/state.bpl")]
struct StateText {
    comment: String,
    name: String,
    params: &'static str,
    modifies: String,
    calls: Vec<(String, String)>,
}

/// What is called, and in which state: where edges begin.
type CallInState = (Option<StateId>, Callee);

impl Encoding {
    /// The class's program with an automaton of its calls behind it.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn automaton(
        &self,
        automaton: &Automaton,
    ) -> Result<query::QuestionProgram, askama::Error> {
        let mut procedures = Vec::new();
        let constructors = self.subject.constructor_ids();
        let made: Vec<CallInState> = constructors
            .map(|id| (None, Callee::Constructor(id)))
            .collect();
        for called in &made {
            procedures.push(self.edges_text(automaton, *called)?);
        }
        procedures.push(self.choice_text("an object is made", "$make".into(), &made)?);
        for state in automaton.state_ids() {
            let calls: Vec<CallInState> = calls_in(automaton, state).collect();
            for called in &calls {
                procedures.push(self.edges_text(automaton, *called)?);
            }
            let comment = format!("{state}: any of its actions is called");
            procedures.push(self.choice_text(&comment, format!("$from_{state}"), &calls)?);
        }
        let states = automaton.states.iter().enumerate();
        let text = AutomatonText {
            states: states
                .map(|(i, enabled)| (i + 1, self.subject.state_names(enabled)))
                .collect(),
            procedures,
        };
        let mut program = self.program();
        program.text.push_str(&text.render()?);
        Ok(program)
    }

    /// The name of the procedure of a call.
    fn edges_name(&self, (state, callee): CallInState) -> String {
        match (state, callee) {
            (Some(state), Callee::Action(action)) => {
                format!("$from_{state}.{}", self.subject[action].name)
            }
            (_, Callee::Constructor(id)) => format!("$make.{}", id.0 + 1),
            (None, Callee::Action(action)) => format!("$anywhere.{}", self.subject[action].name),
        }
    }

    fn this_param(&self) -> &'static str {
        if self.storage.flat { "" } else { "this: Ref" }
    }

    pub(super) fn this_argument(&self) -> &'static str {
        if self.storage.flat { "" } else { "this" }
    }

    pub(super) fn modified_by(&self, callees: impl IntoIterator<Item = Callee>) -> String {
        let globals = callees
            .into_iter()
            .flat_map(|callee| modified(self, callee));
        let globals: BTreeSet<String> = globals.collect();
        Vec::from_iter(globals).join(", ")
    }

    fn choice_text(
        &self,
        comment: &str,
        name: String,
        calls: &[CallInState],
    ) -> Result<String, askama::Error> {
        let this = self.this_argument();
        let texts = calls.iter().enumerate().map(|(i, called)| {
            let call = format!("call {}({this});", self.edges_name(*called));
            (format!("call_{}", i + 1), call)
        });
        StateText {
            comment: comment.into(),
            name,
            params: self.this_param(),
            modifies: self.modified_by(calls.iter().map(|(_, callee)| *callee)),
            calls: texts.collect(),
        }
        .render()
    }

    fn edges_text(
        &self,
        automaton: &Automaton,
        call_in_state: CallInState,
    ) -> Result<String, askama::Error> {
        let (source, callee) = call_in_state;
        let routine = self.subject.routine(callee);
        let mut builder = Builder::new(self);
        if let Some(routine) = routine {
            builder.name_variables(routine, "");
        }
        let invariant = builder.invariants();
        let known = source.map(|state| assumed(self, &automaton[state]));
        let state = known.map_or(vec![], |known| builder.lines(&known));
        let call = Call {
            callee,
            required: true,
            made: true,
            exit: Exit::Any,
            invariant: Holds::Yes,
        };
        let mut c = builder.call(&call, &mut CallLayout::default());
        let mut reads = match source {
            Some(_) => invariant.reads.clone(),
            None => vec![],
        };
        reads.append(&mut c.reads);
        c.reads = unique(reads);
        builder.reads = invariant.reads;
        c.invariant = invariant.whole;
        c.records_after = builder.record_behind(&mut Vec::new());
        let own = automaton
            .numbered()
            .filter(|(_, e)| (e.source, e.callee) == call_in_state);
        let (mut gone, mut broken) = (Vec::new(), Vec::new());
        let mut edges = Vec::new();
        for (id, edge) in own {
            let exit = self.exit_text(&mut builder, edge);
            match edge.target {
                None => {
                    let broken_so = edge.breaks.then(|| builder.broken());
                    let ends = exit.into_iter().chain(broken_so.into_iter().flatten());
                    let ends: Vec<String> = ends.collect();
                    let group = if edge.breaks { &mut broken } else { &mut gone };
                    group.push(Gone {
                        number: id.0 + 1,
                        condition: match ends.is_empty() {
                            true => "true".into(),
                            false => ends.join(" && "),
                        },
                    });
                }
                Some(target) => edges.push(EdgeText {
                    number: id.0 + 1,
                    exit,
                    target: target.0 + 1,
                    target_name: target.to_string(),
                    assumptions: builder
                        .lines(&kinds::certainly(&self.subject, &automaton[target])),
                }),
            }
        }
        c.reads_after = unique(std::mem::take(&mut builder.reads));
        let called = self.subject.shown(callee);
        EdgesText {
            comment: match source {
                None => called.to_string(),
                Some(state) => format!("{called}, called in {state}"),
            },
            name: self.edges_name(call_in_state),
            params: self.this_param(),
            modifies: modified(self, callee).join(", "),
            locals: builder.locals,
            state,
            c,
            gone,
            broken,
            edges,
        }
        .render()
    }

    fn exit_text(&self, builder: &mut Builder<'_>, edge: &Edge) -> Vec<String> {
        let Some(routine) = self.subject.routine(edge.callee) else {
            return vec![];
        };
        let throws = !self.subject.exceptions_of(routine).is_empty();
        builder.exit(routine, &edge.exit, throws)
    }
}

/// The calls that a state allows.
pub(super) fn calls_in(
    automaton: &Automaton,
    state: StateId,
) -> impl Iterator<Item = CallInState> + use<'_> {
    let enabled = automaton[state].iter();
    enabled.map(move |action| (Some(state), Callee::Action(action)))
}

/// What the class says of a state.
fn assumed(encoding: &Encoding, state: &AbstractState) -> Vec<query::Clause> {
    let mut clauses = kinds::certainly(&encoding.subject, state);
    // That its actions can be called was asked for where it was entered.
    clauses.drain(..encoding.subject.marks().len());
    clauses
}
