//! Questions by which an interface is checked on the class itself, one call each: does a call that it allows do what
//! must not happen, or lead where it does not say?

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;

use crate::encode::question::Frame;
use crate::encode::term::Term;
use crate::ir::Expr;
use crate::ir::formula;

use super::call::{OBSERVED, conjunction};
use super::step::encoded;
use super::{Cube, EncodedStep, InterfaceEncoding};

/// `templates/interface/escapes.bpl`
#[derive(Template)]
#[template(path = "interface/escapes.bpl")]
struct EscapesText<'q> {
    q: &'q Frame,
    violated: Vec<String>,
    allowed: Vec<String>,
    observed: Option<String>,
    escaped: String,
}

impl InterfaceEncoding<'_> {
    /// Can the action, called where one of the cubes holds, do what must not happen, or end where its observation
    /// does not allow it? An observation without an entry must not be made at all.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn escapes(
        &self,
        label: &str,
        source: &BTreeSet<Cube>,
        action: usize,
        targets: &BTreeMap<usize, BTreeSet<Cube>>,
    ) -> Result<EncodedStep, askama::Error> {
        let mut call = self.call(None, action);
        let region = self.region(source);
        let region = call.builder.encode(&region);
        call.frame.reads_before.append(&mut call.builder.reads);
        call.frame.hypothesis.push(region);
        let observed = self.observed(&mut call.builder, action);
        let action_name = &self.encoding.actions[action].name;
        call.frame.name = format!("escapes.from_{label}.by_{action_name}");
        call.frame.question = format!(
            "can `{action_name}`, called in {label}, {}, or end where the interface does not say?",
            self.forbidden_words()
        );
        let inside = targets.iter().map(|(seen, cubes)| {
            let seen = Term::binary("==", Term::atom(OBSERVED), Term::atom(seen.to_string()));
            let region = Term::atom(format!("({})", call.builder.encode(&self.region(cubes))));
            Term::binary("&&", seen, region).to_string()
        });
        let inside: Vec<String> = inside.map(|t| format!("({t})")).collect();
        self.end_anyhow(&mut call);
        call.frame.locals.push((OBSERVED.into(), "int".into()));
        // A call that raises what it must not need not keep the invariant to count.
        let kept = std::mem::take(&mut call.frame.invariant_after);
        let ends: Vec<String> = kept.into_iter().chain([outside(&inside)]).collect();
        let ends = conjunction(&ends);
        let raised = self.raised(call.routine);
        let escaped = if raised == Term::atom("false") {
            ends
        } else {
            format!("{raised} || ({ends})")
        };
        let text = EscapesText {
            q: &call.frame,
            violated: call.violated,
            allowed: call.allowed,
            observed: Some(observed),
            escaped,
        }
        .render()?;
        Ok(encoded(&call.frame, text, call.builder.replayable))
    }

    /// Can the constructor end normally where none of the cubes holds?
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn starts_outside(
        &self,
        constructor: usize,
        cubes: &BTreeSet<Cube>,
    ) -> Result<EncodedStep, askama::Error> {
        let mut call = self.start(constructor);
        let inside = format!("({})", call.builder.encode(&self.region(cubes)));
        self.end_well(&mut call, constructor, false);
        call.frame.name = format!("escapes{}", self.called_word(None, constructor));
        call.frame.question = format!(
            "can {} end where the interface does not start?",
            self.called(None, constructor)
        );
        let text = EscapesText {
            q: &call.frame,
            violated: vec![],
            allowed: vec![],
            observed: None,
            escaped: outside(&[inside]),
        }
        .render()?;
        Ok(encoded(&call.frame, text, call.builder.replayable))
    }

    /// One of the cubes holds.
    fn region(&self, cubes: &BTreeSet<Cube>) -> Expr {
        formula::any(cubes.iter().map(|cube| self.cube_formula(cube)))
    }
}

/// That none of these holds.
fn outside(inside: &[String]) -> String {
    if inside.is_empty() {
        "true".into()
    } else {
        format!("!({})", inside.join(" || "))
    }
}
