//! Writing the XML.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{ENABLED, ERROR, LABEL, NORMAL, ROOT, STATE, TRANSITION};
use crate::epa::findings::ALWAYS_VIOLATES;
use crate::epa::wire::{Certainty, ConstructorEdge, Epa, Transition};
use crate::view::ViewError;
use crate::view::escape::xml_attribute;

/// What the earlier tools call contracts with bodies.
const INPUT_FORMAT: &str = "code-with-pre";
/// What the state before every constructor is called.
const INITIAL: &str = "I";

/// Writes the XML.
///
/// # Errors
///
/// [`ViewError::NotInXml`] where a reader would take the text for something else.
pub(in crate::view) fn render(epa: &Epa) -> Result<String, ViewError> {
    let constructors = constructors(epa);
    check(epa, &constructors)?;
    let names = StateNames::of(epa);
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let root = [
        ("initial_state", names.initial.as_str()),
        ("input_format", INPUT_FORMAT),
        ("name", &epa.class),
    ];
    open(&mut text, 0, ROOT, &root, ">");
    // The format knows no predicates: they are labels that no transition has.
    let labels = epa.actions.iter().chain(&epa.predicates);
    let labels = labels.map(String::as_str);
    for label in labels.chain(constructors.iter().copied()) {
        open(&mut text, 1, LABEL, &[("name", label)], "/>");
    }
    state(
        &mut text,
        &names.initial,
        &initial_state(epa, &constructors, &names),
    );
    for s in &epa.states {
        let mut content = String::new();
        for action in &s.enabled {
            open(&mut content, 2, ENABLED, &[("name", action)], "/>");
        }
        for t in epa.transitions.iter().filter(|t| t.source == s.id) {
            XmlEdge::of(t, names.state(&t.target)).write(&mut content);
        }
        for action in always_violating(epa, Some(&s.id)) {
            XmlEdge::violating(action).write(&mut content);
        }
        state(&mut text, names.state(&s.id), &content);
    }
    if names.has_error {
        state(&mut text, ERROR, "");
    }
    text.push_str("</abstraction>\n");
    Ok(text)
}

/// The constructors, each once, in order.
fn constructors(epa: &Epa) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for edge in &epa.constructors {
        if !names.contains(&edge.name.as_str()) {
            names.push(&edge.name);
        }
    }
    names.extend(always_violating(epa, None));
    names
}

/// What the format cannot tell apart.
fn check(epa: &Epa, constructors: &[&str]) -> Result<(), ViewError> {
    let fail = |what: String| {
        Err(ViewError::NotInXml {
            class: epa.class.clone(),
            what,
        })
    };
    if let Some(both) = constructors
        .iter()
        .find(|c| epa.actions.iter().any(|a| a == *c))
    {
        return fail(format!("`{both}` is both an action and a constructor"));
    }
    let transitions = epa.transitions.iter().map(|t| &t.exception);
    let mut exceptions = transitions.chain(epa.constructors.iter().map(|c| &c.exception));
    if exceptions.any(|e| e.as_deref() == Some(NORMAL)) {
        return fail(format!("an exception is called `{NORMAL}`"));
    }
    let made_nothing = |c: &&ConstructorEdge| c.target.is_none() && c.exception.is_none();
    if let Some(edge) = epa.constructors.iter().find(made_nothing) {
        return fail(format!("the constructor `{}` ends nowhere", edge.name));
    }
    let listed = |id: &String| epa.states.iter().any(|s| s.id == *id);
    let ends = epa.transitions.iter().flat_map(|t| [&t.source, &t.target]);
    let mut ends = ends.chain(epa.constructors.iter().filter_map(|c| c.target.as_ref()));
    match ends.find(|id| !listed(id)) {
        Some(id) => Err(ViewError::UnknownState {
            class: epa.class.clone(),
            state: id.clone(),
        }),
        None => Ok(()),
    }
}

/// What the states are called.
struct StateNames {
    initial: String,
    /// What a state is called whose id is [`ERROR`].
    not_error: String,
    has_error: bool,
}

impl StateNames {
    fn of(epa: &Epa) -> StateNames {
        let mut taken: BTreeSet<String> = epa.states.iter().map(|s| s.id.clone()).collect();
        taken.insert(ERROR.to_owned());
        let mut free = |wanted: &str| {
            let mut name = wanted.to_owned();
            let mut number = 1;
            while !taken.insert(name.clone()) {
                number += 1;
                name = format!("{wanted}_{number}");
            }
            name
        };
        let states = epa.states.iter().map(|s| Some(s.id.as_str()));
        let mut places = states.chain([None]);
        let has_error = places.any(|place| !always_violating(epa, place).is_empty());
        StateNames {
            initial: free(INITIAL),
            not_error: free(ERROR),
            has_error,
        }
    }

    fn state<'a>(&'a self, id: &'a str) -> &'a str {
        if id == ERROR { &self.not_error } else { id }
    }
}

/// The calls that always break the invariant, however they end: in a state, or of constructors.
fn always_violating<'a>(epa: &'a Epa, state: Option<&'a str>) -> BTreeSet<&'a str> {
    let findings = epa.findings.iter();
    let here = findings.filter(|f| f.kind == ALWAYS_VIOLATES && f.state.as_deref() == state);
    let mut calls: BTreeSet<&str> = here.filter_map(|f| f.action.as_deref()).collect();
    match state {
        Some(id) => {
            let leaving = epa.transitions.iter().filter(|t| t.source == id);
            leaving.for_each(|t| {
                calls.remove(t.action.as_str());
            });
        }
        None => epa.constructors.iter().for_each(|c| {
            calls.remove(c.name.as_str());
        }),
    }
    calls
}

/// What is in the state that every constructor leaves.
fn initial_state(epa: &Epa, constructors: &[&str], names: &StateNames) -> String {
    let mut text = String::new();
    for constructor in constructors {
        open(&mut text, 2, ENABLED, &[("name", constructor)], "/>");
    }
    for edge in &epa.constructors {
        let target = edge.target.as_deref().map(|id| names.state(id));
        let written = XmlEdge {
            label: &edge.name,
            target: target.unwrap_or(&names.initial),
            outcome: None,
            exception: edge.exception.as_deref(),
            uncertain: edge.verdict == Certainty::Maybe,
            violates: edge.violates_invariant,
        };
        written.write(&mut text);
    }
    for constructor in always_violating(epa, None) {
        XmlEdge::violating(constructor).write(&mut text);
    }
    text
}

fn state(text: &mut String, name: &str, content: &str) {
    if content.is_empty() {
        open(text, 1, STATE, &[("name", name)], "/>");
    } else {
        open(text, 1, STATE, &[("name", name)], ">");
        text.push_str(content);
        text.push_str("  </state>\n");
    }
}

/// A transition as it is written.
struct XmlEdge<'a> {
    label: &'a str,
    target: &'a str,
    outcome: Option<&'a str>,
    exception: Option<&'a str>,
    uncertain: bool,
    violates: bool,
}

impl<'a> XmlEdge<'a> {
    fn of(t: &'a Transition, target: &'a str) -> Self {
        XmlEdge {
            label: &t.action,
            target,
            outcome: t.outcome.as_deref(),
            exception: t.exception.as_deref(),
            uncertain: t.verdict == Certainty::Maybe,
            violates: t.violates_invariant,
        }
    }

    /// The edge of an action that always breaks the invariant.
    fn violating(action: &'a str) -> Self {
        XmlEdge {
            label: action,
            target: ERROR,
            outcome: None,
            exception: None,
            uncertain: false,
            violates: true,
        }
    }

    fn write(&self, text: &mut String) {
        let truth = |value| if value { "true" } else { "false" };
        let mut attributes = vec![("destination", self.target)];
        attributes.extend(self.exception.map(|e| ("exitCode", e)));
        attributes.push(("label", self.label));
        attributes.extend(self.outcome.map(|o| ("returnType", o)));
        attributes.push(("uncertain", truth(self.uncertain)));
        attributes.push(("violates_invariant", truth(self.violates)));
        open(text, 2, TRANSITION, &attributes, "/>");
    }
}

/// A tag on a line of its own.
fn open(text: &mut String, level: usize, name: &str, attributes: &[(&str, &str)], end: &str) {
    text.push_str(&"  ".repeat(level));
    text.push('<');
    text.push_str(name);
    for (name, value) in attributes {
        // Writing to a `String` cannot fail.
        let _ = write!(text, " {name}=\"{}\"", xml_attribute(value));
    }
    text.push_str(end);
    text.push('\n');
}
