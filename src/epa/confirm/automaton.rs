//! An EPA by positions, as the encoder takes it.

use crate::encode::confirm::{Automaton, Edge, Origin};
use crate::encode::{Encoding, Exit};
use crate::epa::model::Epa;
use crate::ir::ExceptionId;
use crate::query::ActionSet;

/// The automaton of an EPA of this class: its edges are those of the constructors, then the transitions, in the
/// order of the EPA. None where the EPA is not one of this class.
pub fn automaton_of(encoding: &Encoding<'_>, epa: &Epa) -> Option<Automaton> {
    let action_of = |name: &str| encoding.actions.iter().position(|a| a.name == name);
    let state_of = |id: &str| epa.states.iter().position(|s| s.id == id);
    let exception_of = |name: &str| {
        let position = encoding.source().exceptions.iter().position(|e| e == name);
        position.map(|id| Exit::Exception(ExceptionId(id)))
    };
    let mut automaton = Automaton::default();
    for state in &epa.states {
        let enabled: Option<ActionSet> = state.enabled.iter().map(|a| action_of(a)).collect();
        automaton.states.push((state.id.clone(), enabled?));
    }
    for edge in &epa.constructors {
        let constructor = encoding
            .constructors
            .iter()
            .position(|c| c.display == edge.name)?;
        automaton.edges.push(Edge {
            origin: Origin::Constructor(constructor),
            exit: match &edge.exception {
                Some(name) => exception_of(name)?,
                None => Exit::Normal,
            },
            target: match &edge.target {
                Some(id) => Some(state_of(id)?),
                None => None,
            },
        });
    }
    for edge in &epa.transitions {
        let action = action_of(&edge.action)?;
        let exit = match (&edge.exception, &edge.outcome) {
            (Some(name), _) => exception_of(name)?,
            (None, Some(label)) => encoding
                .normal_exits(action)
                .into_iter()
                .find(|exit| encoding.outcome_label(action, exit) == *label)?,
            (None, None) => Exit::Normal,
        };
        automaton.edges.push(Edge {
            origin: Origin::Call {
                state: state_of(&edge.source)?,
                action,
            },
            exit,
            target: Some(state_of(&edge.target)?),
        });
    }
    Some(automaton)
}
