//! Whether there is a walk of so many calls that ends with one of some edges.

use std::collections::BTreeSet;

use askama::Template;

use super::program::calls_in;
use crate::encode::Encoding;
use crate::encode::expr::ExprEncoder;
use crate::encode::query::{Builder, StartText, TraceLayout, TraceSlot};
use crate::encode::routine::Part;
use crate::encode::term::BoogieTerm;
use crate::query::{Callee, Query, StateId, Walk};

/// `templates/walk/runs.bpl`
#[derive(Template)]
#[template(path = "walk/runs.bpl")]
struct WalkText {
    q: StartText,
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

/// The text of the question whether there is such a walk. On its traces, the numbers of the edges come last.
pub(in crate::encode) fn text(
    encoding: &Encoding,
    query: &Query,
    walk: &Walk,
) -> Result<(String, TraceLayout), askama::Error> {
    let mut layout = TraceLayout::default();
    let mut builder = Builder::new(encoding);
    let mut q = StartText {
        sentence: query.sentence.clone(),
        name: query.name.clone(),
        configuration: builder.configuration(walk.start.is_empty()),
        ..StartText::default()
    };
    q.configuration.extend(builder.promises());
    q.configuration.extend(builder.promises_of_maps(true));
    if query.short_arrays {
        q.configuration.extend(encoding.storage.short_arrays());
    }
    let others = builder.invariant_of_others(Part::Whole);
    q.invariant = others.iter().map(BoogieTerm::to_string).collect();
    q.records = builder.record_object(&mut layout.start);
    q.records.extend(builder.record_heap(&mut layout.start));
    let start = walk.start.iter().map(|(state, known)| {
        let number = BoogieTerm::atom((state.0 + 1).to_string());
        let state = BoogieTerm::binary("==", BoogieTerm::atom("$state"), number);
        BoogieTerm::binary("&&", state, builder.term(known)).to_string()
    });
    let start = start.collect();
    q.locals = std::mem::take(&mut builder.locals);
    q.modifies = encoding.modified_by(callees(encoding, walk));
    let wanted = walk.wanted.iter();
    let wanted: Vec<String> = wanted.map(|e| format!("$edge == {}", e.0 + 1)).collect();
    let calls = layers(encoding, walk, &builder);
    let edges = calls
        .iter()
        .map(|call| TraceSlot::number(format!("edge.{}", call.number)));
    layout.end = edges.collect();
    let text = WalkText {
        q,
        start,
        calls,
        wanted: match wanted.is_empty() {
            true => "false".into(),
            false => wanted.join(" || "),
        },
    };
    Ok((text.render()?, layout))
}

/// The calls one after the other, each from the states it may be made in.
fn layers(encoding: &Encoding, walk: &Walk, builder: &Builder<'_>) -> Vec<LayerText> {
    let this = encoding.this_argument();
    let exprs = ExprEncoder::new(&encoding.storage, &builder.names);
    let from = |index: usize, states: &BTreeSet<StateId>| {
        if index == 0 && walk.start.is_empty() {
            return vec![(0, format!("call $make({this});"))];
        }
        let call = |s: &StateId| (s.0 + 1, format!("call $from_{s}({this});"));
        states.iter().map(call).collect()
    };
    let layers = walk.layers.iter().enumerate();
    layers
        .map(|(index, states)| {
            let known = walk.known.get(index).map(Vec::as_slice).unwrap_or_default();
            LayerText {
                number: index + 1,
                from: from(index, states),
                known: known.iter().map(|e| exprs.encode(e).to_string()).collect(),
            }
        })
        .collect()
}

/// All that is called anywhere in the automaton.
fn callees(encoding: &Encoding, walk: &Walk) -> Vec<Callee> {
    let automaton = &walk.automaton;
    let made = encoding.subject.constructor_ids().map(Callee::Constructor);
    let states = automaton.state_ids();
    let called = states.flat_map(|state| calls_in(automaton, state));
    made.chain(called.map(|(_, callee)| callee)).collect()
}
