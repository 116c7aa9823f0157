//! The automaton as procedures behind the class's program.

use std::collections::BTreeSet;

use askama::Template;

use crate::encode::question::{Assumption, Builder, Frame, unique};
use crate::encode::routine::modified_globals;
use crate::encode::{Encoding, Exit};
use crate::ir::RoutineRef;
use crate::query;
use crate::query::ActionSet;

use super::{Automaton, Origin};

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

impl Encoding<'_> {
    /// The class's program with the automaton behind it.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn automaton(&self, automaton: &Automaton) -> Result<query::Program, askama::Error> {
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

    pub(super) fn this_argument(&self) -> &'static str {
        if self.layout.flat { "" } else { "this" }
    }

    /// What is called.
    fn routine_of(&self, origin: Origin) -> Option<RoutineRef> {
        match origin {
            Origin::Constructor(constructor) => self.constructors[constructor].routine,
            Origin::Call { action, .. } => Some(self.actions[action].routine),
        }
    }

    pub(super) fn modified_by(&self, origins: &[Origin]) -> String {
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
        let (gone, edges) = self.ends(automaton, origin, &mut builder);
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
    /// The edges of a call: those that end without an object, and those that end in a state.
    fn ends(
        &self,
        automaton: &Automaton,
        origin: Origin,
        builder: &mut Builder<'_, '_>,
    ) -> (Vec<Gone>, Vec<EdgeText>) {
        let routine = self.routine_of(origin);
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
        (gone, edges)
    }
}
