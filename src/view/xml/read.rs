//! Reading the XML: tolerant of what the tools do differently, strict on what would make an EPA contradict itself.

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::{ENABLED, ERROR, LABEL, NORMAL, ROOT, STATE, TRANSITION};
use crate::epa::findings::ALWAYS_VIOLATES;
use crate::epa::read::Flaw;
use crate::epa::read::check;
use crate::epa::wire::sort_transitions;
use crate::epa::wire::{
    Certainty, ConstructorEdge, Epa, EpaFinding, EpaState, EpaStats, SCHEMA, Transition,
};

/// Why a text is not an EPA in XML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum XmlError {
    /// It is not XML.
    #[error("this is not well-formed XML: {problem}")]
    Syntax {
        /// Where, in bytes from the start.
        offset: usize,
        /// What is wrong.
        problem: String,
    },
    /// It is XML, but not of this kind.
    #[error("{problem}")]
    Content {
        /// Where, in bytes from the start.
        offset: usize,
        /// What is wrong.
        problem: String,
    },
    /// It says what cannot be.
    #[error(transparent)]
    Flaw(#[from] Flaw),
}

impl XmlError {
    /// Where the text is wrong, in bytes from its start; none where it is wrong as a whole.
    pub fn offset(&self) -> Option<usize> {
        match self {
            XmlError::Syntax { offset, .. } | XmlError::Content { offset, .. } => Some(*offset),
            XmlError::Flaw(_) => None,
        }
    }
}

/// Reads an EPA.
///
/// Labels that are used but not listed are taken as listed; elements and attributes that are not known are skipped;
/// `uncertain` and `violates_invariant` may be missing. An initial state that something enters is a state like any
/// other, in which objects begin without a constructor (`initially`).
///
/// # Errors
///
/// A text that is not XML, not of this kind, or contradicts itself ([`check`]).
pub fn read(text: &str) -> Result<Epa, XmlError> {
    let epa = parse(text)?.epa()?;
    check(&epa)?;
    Ok(epa)
}

/// What the text says, before it is known what it means.
#[derive(Default)]
struct Document {
    name: String,
    initial: String,
    labels: Vec<String>,
    states: Vec<RawState>,
}

#[derive(Default)]
struct RawState {
    name: String,
    enabled: Vec<String>,
    edges: Vec<RawEdge>,
}

struct RawEdge {
    label: String,
    destination: String,
    outcome: Option<String>,
    exception: Option<String>,
    uncertain: bool,
    violates: bool,
}

/// The elements, one after the other. Nothing here recurs, so no depth of nesting is too deep.
fn parse(text: &str) -> Result<Document, XmlError> {
    let mut reader = Reader::from_str(text);
    let mut document = Document::default();
    let mut depth = 0_usize;
    let mut in_state = false;
    let mut seen_root = false;
    loop {
        let offset = position(reader.buffer_position());
        let event = reader.read_event().map_err(|error| XmlError::Syntax {
            offset: position(reader.error_position()),
            problem: error.to_string(),
        })?;
        let (element, empty) = match event {
            Event::Start(element) => (element, false),
            Event::Empty(element) => (element, true),
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                in_state = in_state && depth > 1;
                continue;
            }
            Event::Eof if depth > 0 || !seen_root => {
                let problem = if seen_root {
                    "the text ends before its last element does".to_owned()
                } else {
                    format!("there is no element `{ROOT}`")
                };
                return Err(XmlError::Syntax { offset, problem });
            }
            Event::Eof => return Ok(document),
            _ => continue,
        };
        let element = Element::of(&element, offset)?;
        match (depth, element.name.as_str()) {
            (0, ROOT) if !seen_root => {
                seen_root = true;
                document.name = element.get("name").unwrap_or_default().to_owned();
                document.initial = element.need("initial_state")?.to_owned();
            }
            (0, other) => {
                let problem = format!("the root element is `{other}`; one `{ROOT}` is wanted");
                return Err(element.wrong(problem));
            }
            (1, LABEL) => document.labels.push(element.need("name")?.to_owned()),
            (1, STATE) => {
                in_state = !empty;
                document.states.push(RawState {
                    name: element.need("name")?.to_owned(),
                    ..RawState::default()
                });
            }
            (2, name) if in_state => {
                if let Some(state) = document.states.last_mut() {
                    match name {
                        ENABLED => state.enabled.push(element.need("name")?.to_owned()),
                        TRANSITION => state.edges.push(RawEdge::of(&element)?),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        if !empty {
            depth += 1;
        }
    }
}

fn position(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// An element with the attributes that mean something.
struct Element {
    name: String,
    attributes: BTreeMap<&'static str, String>,
    offset: usize,
}

/// The attributes that mean something.
const ATTRIBUTES: [&str; 8] = [
    "name",
    "initial_state",
    "label",
    "destination",
    "uncertain",
    "violates_invariant",
    "exitCode",
    "returnType",
];

impl Element {
    fn of(element: &BytesStart<'_>, offset: usize) -> Result<Element, XmlError> {
        let mut found = Element {
            name: element.local_name().as_ref().to_owned(),
            attributes: BTreeMap::new(),
            offset,
        };
        let syntax = |problem: String| XmlError::Syntax { offset, problem };
        // The reader's own check for attributes that occur twice takes time in the square of their number.
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| syntax(error.to_string()))?;
            let name = attribute.key.as_ref();
            let Some(known) = ATTRIBUTES.iter().find(|known| **known == name) else {
                continue;
            };
            let value = attribute
                .normalized_value(XmlVersion::Explicit1_0)
                .map_err(|error| syntax(error.to_string()))?;
            if found.attributes.insert(known, value.into_owned()).is_some() {
                return Err(syntax(format!("the attribute `{known}` is there twice")));
            }
        }
        Ok(found)
    }

    fn wrong(&self, problem: String) -> XmlError {
        XmlError::Content {
            offset: self.offset,
            problem,
        }
    }

    fn get(&self, attribute: &str) -> Option<&str> {
        self.attributes.get(attribute).map(String::as_str)
    }

    fn need(&self, attribute: &str) -> Result<&str, XmlError> {
        self.get(attribute).ok_or_else(|| {
            self.wrong(format!(
                "the element `{}` has no attribute `{attribute}`",
                self.name
            ))
        })
    }

    /// A truth value, in any of the ways it is written; false where it is missing.
    fn truth(&self, attribute: &str) -> Result<bool, XmlError> {
        match self.get(attribute).map(str::to_ascii_lowercase).as_deref() {
            None | Some("" | "false" | "0") => Ok(false),
            Some("true" | "1") => Ok(true),
            Some(other) => {
                Err(self.wrong(format!("`{attribute}` is `{other}`, not true or false")))
            }
        }
    }
}

impl RawEdge {
    fn of(element: &Element) -> Result<RawEdge, XmlError> {
        let exit = element.get("exitCode");
        let outcome = element.get("returnType").filter(|o| !o.is_empty());
        Ok(RawEdge {
            label: element.need("label")?.to_owned(),
            destination: element.need("destination")?.to_owned(),
            outcome: outcome.map(str::to_owned),
            exception: exit
                .filter(|e| !e.is_empty() && *e != NORMAL)
                .map(str::to_owned),
            uncertain: element.truth("uncertain")?,
            violates: element.truth("violates_invariant")?,
        })
    }

    fn verdict(&self) -> Certainty {
        if self.uncertain {
            Certainty::Maybe
        } else {
            Certainty::Reached
        }
    }

    /// Which call it is of, and how that ends.
    fn end(&self) -> (String, Option<String>) {
        (self.label.clone(), self.exception.clone())
    }
}

impl Document {
    /// What the text means.
    fn epa(mut self) -> Result<Epa, XmlError> {
        let mut findings = self.take_error_state();
        let start = self.take_start()?;
        for finding in &mut findings {
            // A constructor is called in no state.
            let in_state = |id: &String| start.as_ref().is_none_or(|s| s.name != *id);
            finding.state = finding.state.take().filter(in_state);
        }
        let actions = self.actions(start.as_ref());
        let constructors = match start {
            Some(start) => start
                .edges
                .into_iter()
                .map(|e| constructor(e, &start.name))
                .collect(),
            None => vec![ConstructorEdge::certain("initially", Some(&self.initial))],
        };
        let mut epa = Epa {
            schema: SCHEMA.to_owned(),
            class: self.name,
            states: states(&self.states, &actions, &constructors),
            transitions: self.states.into_iter().flat_map(transitions).collect(),
            actions,
            predicates: Vec::new(),
            constructors,
            refuted: None,
            runs: Vec::new(),
            findings,
            notes: Vec::new(),
            stats: EpaStats {
                precision: 1.0,
                ..EpaStats::default()
            },
        };
        sort_transitions(&mut epa);
        Ok(epa)
    }

    /// Takes out the state [`ERROR`], if it is what its name says, and marks the actions that lead there. Those of
    /// which no other edge is left are findings.
    fn take_error_state(&mut self) -> Vec<EpaFinding> {
        let error = |s: &RawState| s.name == ERROR;
        let states = self.states.iter();
        let real = states
            .filter(|s| error(s))
            .any(|s| !s.enabled.is_empty() || !s.edges.is_empty());
        let edges = self.states.iter().flat_map(|s| &s.edges);
        let kept = edges
            .filter(|e| e.destination == ERROR)
            .any(|e| !e.violates);
        if real || kept || self.initial == ERROR {
            return Vec::new();
        }
        self.states.retain(|s| !error(s));
        let mut findings: Vec<EpaFinding> = Vec::new();
        for state in &mut self.states {
            let edges = std::mem::take(&mut state.edges);
            let (violating, mut edges): (Vec<_>, Vec<_>) =
                edges.into_iter().partition(|e| e.destination == ERROR);
            let ends: BTreeSet<_> = violating.iter().map(RawEdge::end).collect();
            for edge in &mut edges {
                edge.violates |= ends.contains(&edge.end());
            }
            let mut known: BTreeSet<&String> = edges.iter().map(|e| &e.label).collect();
            let always = violating.iter().filter(|e| known.insert(&e.label));
            findings.extend(always.map(|edge| EpaFinding {
                kind: ALWAYS_VIOLATES.to_owned(),
                message: format!(
                    "`{}` always breaks the invariant in {}",
                    edge.label, state.name
                ),
                state: Some(state.name.clone()),
                action: Some(edge.label.clone()),
                run: None,
            }));
            state.edges = edges;
        }
        findings
    }

    /// Takes out the initial state; none where it is a state like any other.
    fn take_start(&mut self) -> Result<Option<RawState>, XmlError> {
        let place = self.states.iter().position(|s| s.name == self.initial);
        let Some(place) = place else {
            return Err(XmlError::Flaw(Flaw::UnknownState {
                edge: "initial_state".to_owned(),
                state: self.initial.clone(),
            }));
        };
        let enters = |e: &RawEdge, from_start: bool| {
            e.destination == self.initial && !(from_start && e.exception.is_some())
        };
        let entered = self
            .states
            .iter()
            .any(|s| s.edges.iter().any(|e| enters(e, s.name == self.initial)));
        Ok((!entered).then(|| self.states.remove(place)))
    }

    /// The labels that are not constructors': those listed, then those that are only used.
    fn actions(&self, start: Option<&RawState>) -> Vec<String> {
        let constructors: BTreeSet<&String> =
            start.into_iter().flat_map(RawState::labels).collect();
        let used: BTreeSet<&String> = self.states.iter().flat_map(RawState::labels).collect();
        let listed = self
            .labels
            .iter()
            .filter(|l| !constructors.contains(l) || used.contains(l));
        let mut seen = BTreeSet::new();
        listed
            .chain(self.states.iter().flat_map(RawState::labels))
            .filter(|label| seen.insert(*label))
            .cloned()
            .collect()
    }
}

impl RawState {
    fn labels(&self) -> impl Iterator<Item = &String> {
        self.enabled
            .iter()
            .chain(self.edges.iter().map(|e| &e.label))
    }
}

fn constructor(edge: RawEdge, start: &str) -> ConstructorEdge {
    ConstructorEdge {
        verdict: edge.verdict(),
        name: edge.label,
        target: Some(edge.destination).filter(|d| d != start),
        exception: edge.exception,
        reason: None,
        violates_invariant: edge.violates,
        confirmation: None,
        answer: None,
    }
}

fn states(raw: &[RawState], actions: &[String], constructors: &[ConstructorEdge]) -> Vec<EpaState> {
    let made = constructors.iter().filter(|c| c.exception.is_none());
    let initial: BTreeSet<&String> = made.filter_map(|c| c.target.as_ref()).collect();
    let order: BTreeMap<&String, usize> = actions.iter().zip(0..).collect();
    raw.iter()
        .map(|s| {
            let mut enabled = s.enabled.clone();
            enabled.sort_by_key(|a| order.get(a).copied());
            enabled.dedup();
            EpaState {
                id: s.name.clone(),
                enabled,
                initial: initial.contains(&s.name),
            }
        })
        .collect()
}

fn transitions(state: RawState) -> impl Iterator<Item = Transition> {
    let source = state.name;
    state.edges.into_iter().map(move |e| Transition {
        source: source.clone(),
        verdict: e.verdict(),
        action: e.label,
        target: e.destination,
        outcome: e.outcome,
        exception: e.exception,
        reason: None,
        violates_invariant: e.violates,
        confirmation: None,
        answer: None,
    })
}
