//! What the parts of a class, and of an automaton over it, are called: the one way from positions to words.

use std::collections::BTreeMap;

use super::{AbstractState, ActionId, Callee, ConstructorId, Edge, Exit, StateId, Subject};
use crate::ir::ExceptionId;

/// What the parts of a class, and of an automaton over it, are called.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The class.
    pub class: String,
    /// The actions, in the order declared.
    pub actions: Vec<String>,
    /// The predicates that states are told apart by.
    pub predicates: Vec<String>,
    /// The ways to make an object.
    pub constructors: Vec<String>,
    /// The states.
    pub states: Vec<String>,
    /// All exceptions.
    pub exceptions: Vec<String>,
    /// What the outcomes of each action are called.
    pub outcomes: Vec<BTreeMap<Vec<usize>, String>>,
}

impl Names {
    /// What the parts of a class are called, and this many states.
    pub fn of(subject: &Subject, states: usize) -> Names {
        let actions = subject.action_ids();
        let outcomes = actions.map(|action| {
            let exits = subject.normal_exits(action).into_iter();
            let split = exits.filter_map(|exit| {
                let label = subject.outcome_label(action, &exit);
                match exit {
                    Exit::Outcome(values) => Some((values, label)),
                    _ => None,
                }
            });
            split.collect()
        });
        Names {
            class: subject.name().to_owned(),
            actions: subject.actions.iter().map(|a| a.shown.clone()).collect(),
            predicates: subject.predicates.iter().map(|p| p.name.clone()).collect(),
            constructors: subject
                .constructors
                .iter()
                .map(|c| c.shown.clone())
                .collect(),
            states: (0..states).map(|i| StateId(i).to_string()).collect(),
            exceptions: (0..subject.program.exceptions.len())
                .map(|id| subject.program.exception_shown(ExceptionId(id)).to_owned())
                .collect(),
            outcomes: outcomes.collect(),
        }
    }

    /// A state's name.
    pub fn state(&self, id: StateId) -> &str {
        self.states.get(id.0).map_or("", String::as_str)
    }

    /// The names of states.
    pub fn states(&self, ids: impl IntoIterator<Item = StateId>) -> Vec<String> {
        ids.into_iter()
            .map(|id| self.state(id).to_owned())
            .collect()
    }

    /// An action's name.
    pub fn action(&self, id: ActionId) -> &str {
        self.actions.get(id.0).map_or("", String::as_str)
    }

    /// The names of the actions that can be called in a state.
    pub fn enabled(&self, state: &AbstractState) -> Vec<String> {
        state.iter().map(|id| self.action(id).to_owned()).collect()
    }

    /// What a state is told apart by: the names of the actions that can be called in it, and of the predicates that hold.
    pub fn marks(&self, state: &AbstractState) -> Vec<String> {
        let holds = state.predicates().map(|id| self.predicates.get(id.0));
        let holds = holds.map(|name| name.cloned().unwrap_or_default());
        self.enabled(state).into_iter().chain(holds).collect()
    }

    /// The name of what is called.
    pub fn callee(&self, callee: Callee) -> &str {
        match callee {
            Callee::Action(id) => self.action(id),
            Callee::Constructor(ConstructorId(i)) => {
                self.constructors.get(i).map_or("", String::as_str)
            }
        }
    }

    /// The outcome of a call, where its edges are split by outcome.
    pub fn outcome(&self, callee: Callee, exit: &Exit) -> Option<&str> {
        match (callee, exit) {
            (Callee::Action(id), Exit::Outcome(values)) => {
                self.outcomes.get(id.0)?.get(values).map(String::as_str)
            }
            _ => None,
        }
    }

    /// The exception that a call ends in.
    pub fn exception(&self, exit: &Exit) -> Option<&str> {
        match exit {
            Exit::Exception(id) => self.exceptions.get(id.0).map(String::as_str),
            _ => None,
        }
    }

    /// A call with the way it ends: `pop`, `pop[ok]`, `pop!Empty`.
    pub fn label(&self, callee: Callee, exit: &Exit) -> String {
        let outcome = self.outcome(callee, exit).map(|o| format!("[{o}]"));
        let exception = self.exception(exit).map(|e| format!("!{e}"));
        let end: String = outcome.into_iter().chain(exception).collect();
        self.callee(callee).to_owned() + &end
    }

    /// An edge as it is shown: `S1 -insert_money-> S2`.
    pub fn edge(&self, edge: &Edge) -> String {
        let target = edge.target.map_or("nothing", |t| self.state(t));
        let outcome = self
            .outcome(edge.callee, &edge.exit)
            .map(|o| format!("[{o}]"));
        let exception = self.exception(&edge.exit).map(|e| format!(" ! {e}"));
        let end: String = outcome.into_iter().chain(exception).collect();
        let name = self.callee(edge.callee);
        match edge.source {
            Some(source) => format!("{} -{name}{end}-> {target}", self.state(source)),
            None => format!("{name}{end} -> {target}"),
        }
    }
}

/// The names of a list, which may be shown with their types: `close, write(byte[], int)`.
pub fn names_in(list: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = list.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let names = parts.map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// What is called, without the types of parameters with which it may be shown.
pub fn without_types(name: &str) -> &str {
    match name.rfind('(') {
        Some(at) if at > 0 && name.ends_with(')') => &name[..at],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::{names_in, without_types};

    #[test]
    fn names_with_types_are_taken_as_one() {
        let list = "push, write(byte[], int), close ,";
        assert_eq!(names_in(list), ["push", "write(byte[], int)", "close"]);
        let plain =
            ["write(byte[], int)", "pop", "open (twice) now", "(re)open"].map(without_types);
        assert_eq!(plain, ["write", "pop", "open (twice) now", "(re)open"]);
    }
}
