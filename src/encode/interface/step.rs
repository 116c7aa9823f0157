//! One call in one cube: can it do what must not happen, and where else can it end?

use std::collections::BTreeSet;

use askama::Template;

use crate::encode::question::name::capped;
use crate::encode::question::{Frame, unique};
use crate::encode::term::Term;
use crate::query::Entry;

use super::call::{Call, OBSERVED};
use super::{Cube, InterfaceEncoding};

/// A question as text, and how to read the values on its trace.
#[derive(Clone, Debug)]
pub struct EncodedStep {
    /// The entry procedure.
    pub entry: Entry,
    /// Whether every value of the configuration and of the parameters is recorded, so that a trace can be
    /// replayed.
    pub replayable: bool,
}

/// Where a call may end: what is seen (by its position among the action's observations), and the cube.
pub type End = (usize, Cube);

/// `templates/interface/raises.bpl`
#[derive(Template)]
#[template(path = "interface/raises.bpl")]
struct RaisesText<'q> {
    q: &'q Frame,
    violated: Vec<String>,
    allowed: Vec<String>,
    raised: String,
}

/// `templates/interface/successor.bpl`
#[derive(Template)]
#[template(path = "interface/successor.bpl")]
struct SuccessorText<'q> {
    q: &'q Frame,
    observed: Option<String>,
    predicates: Vec<(String, String)>,
    known: Vec<String>,
    wanted: Option<String>,
}

impl<'a> InterfaceEncoding<'a> {
    /// Can the action, called in the cube, do what must not happen?
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn raises(&self, source: &Cube, action: usize) -> Result<EncodedStep, askama::Error> {
        let mut call = self.call(Some(source), action);
        let action_name = &self.encoding.actions[action].name;
        call.frame.name = format!("raises.from_cube_{}.by_{action_name}", source.word());
        call.frame.question = format!(
            "can {} {}?",
            self.called(Some(source), action),
            self.forbidden_words()
        );
        let text = RaisesText {
            raised: self.raised(call.routine).to_string(),
            q: &call.frame,
            violated: call.violated,
            allowed: call.allowed,
        }
        .render()?;
        Ok(encoded(&call.frame, text, call.builder.replayable))
    }

    /// Can the call end anywhere else than at the ends known? An action is called in a cube, and does not do what
    /// must not happen; a constructor (`source` is none) ends normally. The last values on the trace are what is
    /// seen, for an action, and the truth values of the predicates.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn any_other_end(
        &self,
        source: Option<&Cube>,
        routine: usize,
        known: &BTreeSet<End>,
    ) -> Result<EncodedStep, askama::Error> {
        self.successor(source, routine, known, None)
    }

    /// Can the call end just there?
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn end(
        &self,
        source: Option<&Cube>,
        routine: usize,
        end: &End,
    ) -> Result<EncodedStep, askama::Error> {
        self.successor(source, routine, &BTreeSet::new(), Some(end))
    }

    fn successor(
        &self,
        source: Option<&Cube>,
        routine: usize,
        known: &BTreeSet<End>,
        wanted: Option<&End>,
    ) -> Result<EncodedStep, askama::Error> {
        let mut call = match source {
            Some(cube) => self.call(Some(cube), routine),
            None => self.start(routine),
        };
        let observed = source.map(|_| self.observed(&mut call.builder, routine));
        self.end_well(&mut call, routine, source.is_some());
        let predicates = self.predicate_flags(&mut call);
        let is = |(seen, cube): &End| {
            let mut all = Vec::new();
            if source.is_some() {
                all.push(Term::binary(
                    "==",
                    Term::atom(OBSERVED),
                    Term::atom(seen.to_string()),
                ));
            }
            all.extend(predicates.iter().zip(&cube.0).map(|((name, _), holds)| {
                let flag = Term::atom(name);
                if *holds { flag } else { Term::not(flag) }
            }));
            Term::all(all)
        };
        let known_terms = known.iter().map(|end| Term::not(is(end)).to_string());
        let (known_terms, wanted_term) =
            (known_terms.collect(), wanted.map(|end| is(end).to_string()));
        call.frame.name = format!(
            "successor{}{}",
            self.called_word(source, routine),
            ends_word(known, wanted)
        );
        let called = self.called(source, routine);
        call.frame.question = match wanted {
            Some((_, cube)) => format!("can {called} end where {}?", self.cube_text(cube)),
            None => format!("can {called} end anywhere not known yet?"),
        };
        if observed.is_some() {
            call.frame.locals.push((OBSERVED.into(), "int".into()));
        }
        let flags = predicates
            .iter()
            .map(|(name, _)| (name.clone(), "bool".into()));
        call.frame.locals.extend(flags);
        let text = SuccessorText {
            q: &call.frame,
            observed,
            predicates,
            known: known_terms,
            wanted: wanted_term,
        }
        .render()?;
        Ok(encoded(&call.frame, text, call.builder.replayable))
    }

    /// The predicates as statements that set a flag each.
    fn predicate_flags(&self, call: &mut Call<'_, 'a>) -> Vec<(String, String)> {
        let flags: Vec<(String, String)> = self
            .predicates
            .iter()
            .enumerate()
            .map(|(index, p)| {
                let formula = self.formula(p);
                (
                    format!("holds.{}", index + 1),
                    call.builder.encode(&formula),
                )
            })
            .collect();
        call.frame.reads_after.append(&mut call.builder.reads);
        call.frame.reads_after = unique(std::mem::take(&mut call.frame.reads_after));
        flags
    }
}

pub(super) fn encoded(frame: &Frame, text: String, replayable: bool) -> EncodedStep {
    EncodedStep {
        entry: Entry {
            name: frame.name.clone(),
            text,
        },
        replayable,
    }
}

fn ends_word(known: &BTreeSet<End>, wanted: Option<&End>) -> String {
    let word = |(seen, cube): &End| format!("{seen}_{}", cube.word());
    match wanted {
        Some(end) => format!(".to_{}", word(end)),
        None => {
            let words: Vec<String> = known.iter().map(word).collect();
            format!(".outside_{}", capped(&words, "end"))
        }
    }
}
