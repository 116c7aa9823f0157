//! What is different between two EPAs, for a person's terminal, as JSON, and as pictures.
//!
//! `+` is in the new EPA only, `-` in the old one only, `≠` in both but not the same. The marks are in every
//! format, so nothing depends on colours. A state that is in both is called `S2/S3` where its ids differ.

mod brief;
mod order;
#[cfg(test)]
mod tests;
mod text;

use std::collections::{BTreeMap, BTreeSet};

pub use order::{edge_sentence, sentence};

use super::drawing::{Difference, Differences, Drawing};
use super::escape::visible;
use super::picture::{self, PictureFormat};
use super::{ViewError, ViewOptions};
use crate::epa::Epa;
use crate::epa::diff::{Aspect, Change, EdgeDiff, EdgeFacts, EpaDiff, Ids, StateDiff};
use crate::epa::wire::{
    self, Certainty, Confirmation, ConstructorEdge, EpaState, EpaStats, Transition,
};

/// Shows a difference. The text ends with a newline. Everything that can differ is shown, so of the options only
/// the direction, the colours and the width matter.
///
/// # Errors
///
/// [`ViewError`]: a picture that would be too large.
pub fn render(
    diff: &EpaDiff,
    format: PictureFormat,
    options: &ViewOptions,
) -> Result<String, ViewError> {
    picture::render(
        format,
        diff,
        || text::render(diff, options),
        || drawing(diff),
        options,
    )
}

/// What is different in a few lines: how much, and the first of it by name. Of the options only the colours and the width
/// matter.
pub fn brief(diff: &EpaDiff, options: &ViewOptions) -> String {
    brief::render(diff, options)
}

/// What a state is called: its id where it is the same, both where they differ, else the one with its mark.
fn state_name(ids: &Ids) -> String {
    match (&ids.old, &ids.new) {
        (Some(old), Some(new)) if old == new => visible(old),
        (Some(old), Some(new)) => format!("{}/{}", visible(old), visible(new)),
        (Some(old), None) => format!("-{}", visible(old)),
        (None, Some(new)) => format!("+{}", visible(new)),
        (None, None) => String::new(),
    }
}

/// What changed about an edge, in words.
fn what_changed(edge: &EdgeDiff) -> Vec<String> {
    let (Some(was), Some(is)) = (&edge.was, &edge.is) else {
        return Vec::new();
    };
    let word = |aspect: &Aspect| match aspect {
        Aspect::Certainty if is.verdict == Certainty::Maybe => "certain → uncertain".to_owned(),
        Aspect::Certainty => "uncertain → certain".to_owned(),
        Aspect::Violation if is.violates_invariant => "can now break the invariant".to_owned(),
        Aspect::Violation => "can no longer break the invariant".to_owned(),
        Aspect::Confirmation => format!(
            "{} → {}",
            confirmation(was.confirmation.as_ref()),
            confirmation(is.confirmation.as_ref())
        ),
    };
    edge.aspects.iter().map(word).collect()
}

fn confirmation(confirmation: Option<&Confirmation>) -> &'static str {
    match confirmation {
        None => "not tried",
        Some(Confirmation::Confirmed { .. }) => "confirmed",
        Some(Confirmation::Refuted) => "refuted",
        Some(Confirmation::Unconfirmed { .. }) => "unconfirmed",
    }
}

/// Both EPAs as one drawing.
fn drawing(diff: &EpaDiff) -> Result<Drawing, ViewError> {
    let differences = Differences {
        states: diff.states.iter().map(|s| s.change).collect(),
        constructors: diff.constructors.iter().map(difference).collect(),
        transitions: diff.transitions.iter().map(difference).collect(),
    };
    let options = ViewOptions {
        exceptional: true,
        ..ViewOptions::default()
    };
    let mut drawing = Drawing::of_differences(&merged(diff), &differences, &options)?;
    drawing.title = format!(
        "The differences between the enabledness-preserving abstractions of {} (old) and {} (new)",
        visible(&diff.classes.old),
        visible(&diff.classes.new)
    );
    Ok(drawing)
}

fn difference(edge: &EdgeDiff) -> Difference {
    let what = what_changed(edge);
    Difference {
        change: edge.change,
        what: (!what.is_empty()).then(|| format!("({})", what.join("; "))),
    }
}

/// Both EPAs as one. What they disagree on is as in the new one.
fn merged(diff: &EpaDiff) -> Epa {
    let names = DistinctNames::of(diff);
    Epa {
        schema: wire::SCHEMA.to_owned(),
        class: if diff.classes.old == diff.classes.new {
            diff.classes.new.clone()
        } else {
            format!("{} → {}", diff.classes.old, diff.classes.new)
        },
        actions: diff.actions.iter().map(|a| a.name.clone()).collect(),
        predicates: diff.predicates.clone(),
        states: diff.states.iter().map(|s| names.state(s)).collect(),
        constructors: diff
            .constructors
            .iter()
            .map(|e| names.constructor(e))
            .collect(),
        transitions: diff
            .transitions
            .iter()
            .map(|e| names.transition(e))
            .collect(),
        refuted: None,
        runs: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        stats: EpaStats::default(),
    }
}

/// What the states are called in a picture: no two the same, whatever their ids are.
struct DistinctNames<'a>(BTreeMap<&'a Ids, String>);

impl<'a> DistinctNames<'a> {
    fn of(diff: &'a EpaDiff) -> Self {
        let mut names = BTreeMap::new();
        let mut taken = BTreeSet::new();
        for state in &diff.states {
            let mark = match state.change {
                Change::Changed => "≠",
                _ => "",
            };
            let mut name = format!("{mark}{}", state_name(&state.ids));
            while !taken.insert(name.clone()) {
                name.push('\'');
            }
            names.insert(&state.ids, name);
        }
        DistinctNames(names)
    }

    fn name(&self, ids: &Ids) -> String {
        self.0.get(ids).cloned().unwrap_or_default()
    }

    fn state(&self, state: &StateDiff) -> EpaState {
        EpaState {
            id: self.name(&state.ids),
            enabled: state.enabled.clone(),
            initial: state.is_initial.or(state.was_initial).unwrap_or(false),
        }
    }

    fn constructor(&self, edge: &EdgeDiff) -> ConstructorEdge {
        let facts = facts(edge);
        ConstructorEdge {
            name: edge.action.clone(),
            target: edge.target.as_ref().map(|ids| self.name(ids)),
            exception: edge.exception.clone(),
            verdict: facts.verdict,
            reason: facts.reason,
            violates_invariant: facts.violates_invariant,
            confirmation: facts.confirmation,
            answer: None,
        }
    }

    fn transition(&self, edge: &EdgeDiff) -> Transition {
        let facts = facts(edge);
        let end = |ids: &Option<Ids>| ids.as_ref().map_or(String::new(), |ids| self.name(ids));
        Transition {
            source: end(&edge.source),
            action: edge.action.clone(),
            target: end(&edge.target),
            outcome: edge.outcome.clone(),
            exception: edge.exception.clone(),
            verdict: facts.verdict,
            reason: facts.reason,
            violates_invariant: facts.violates_invariant,
            confirmation: facts.confirmation,
            answer: None,
        }
    }
}

/// What the new EPA says of an edge, or else the old one.
fn facts(edge: &EdgeDiff) -> EdgeFacts {
    let facts = edge.is.as_ref().or(edge.was.as_ref()).cloned();
    facts.unwrap_or(EdgeFacts {
        verdict: Certainty::Reached,
        reason: None,
        violates_invariant: false,
        confirmation: None,
    })
}
