//! Few and short tests that cover what can be covered.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::epa::confirm::Confirmed;
use crate::epa::walk::Walker;
use crate::interp::{HeapObject, Value};
use crate::ir::VarId;
use crate::query::{EdgeId, Exit, Subject};

use super::SuiteOptions;
use super::concrete::ConcreteCall;
use super::explore::explore;
use super::items::{CoverItem, Goal, name, refusal, wanted};
use super::join::join;
use super::model::{Argument, Coverage, SCHEMA, Suite, Test, TestCall, Uncovered};

/// A suite from what the second pass found.
pub fn suite(subject: &Subject, found: &Confirmed, options: &SuiteOptions<'_>) -> Suite {
    let walker = Walker::new(subject, &found.abstraction);
    let (walks, objections) = walks(&walker, found, options);
    let goal = Goal::new(found, options.cover);
    let mut candidates: Vec<Candidate> = (walks.iter())
        .map(|walk| Candidate::new(&goal, walk))
        .collect();
    let mut looked_at = None;
    if options.cover == Coverage::Pairs {
        let missing = missing_pairs(found, &candidates);
        let accepts =
            |step: &ConcreteCall| refused(&walker, options, std::slice::from_ref(step)).is_none();
        let explored = explore(&walker, &walks, &missing, &accepts);
        looked_at = Some(explored.configurations);
        let runs = explored.runs.values();
        candidates.extend(runs.map(|steps| Candidate::new(&goal, steps)));
    }
    let chosen = join(&walker, &goal, choose(&goal, &candidates));
    let chosen = without_repetition(&goal, chosen);
    let mut covered = BTreeSet::new();
    let mut tests = Vec::new();
    for candidate in &chosen {
        let new: Vec<CoverItem> = candidate.items.difference(&covered).copied().collect();
        covered.extend(new.iter().copied());
        tests.push(Test {
            calls: candidate
                .steps
                .iter()
                .map(|s| test_call(&walker, s))
                .collect(),
            covers: new.iter().map(|item| name(found, *item)).collect(),
        });
    }
    let (mut names, mut uncovered) = (Vec::new(), Vec::new());
    for item in wanted(found, options.cover) {
        if covered.contains(&item) {
            names.push(name(found, item));
        } else {
            uncovered.push(Uncovered {
                item: name(found, item),
                why: why(found, item, &objections, looked_at.unwrap_or(0)),
            });
        }
    }
    Suite {
        schema: SCHEMA,
        class: found.abstraction.names.class.clone(),
        cover: options.cover,
        tests,
        covered: names,
        uncovered,
    }
}

/// The runs of the second pass that can be tests; and by edge, why others cannot.
fn walks(
    walker: &Walker<'_>,
    found: &Confirmed,
    options: &SuiteOptions<'_>,
) -> (Vec<Vec<ConcreteCall>>, BTreeMap<EdgeId, String>) {
    let subject = walker.subject;
    let (mut walks, mut objections) = (Vec::new(), BTreeMap::new());
    for (index, edge) in found.edges.iter().enumerate() {
        let Some(run) = &edge.run else {
            continue;
        };
        let can_answer = |callee| {
            let routine = walker.routine(callee).zip(options.written);
            routine.is_some_and(|(routine, written)| written.can_answer(subject, routine))
        };
        let walk =
            walker
                .walk(run, &can_answer)
                .and_then(|walk| match refused(walker, options, &walk) {
                    None => Ok(walk),
                    Some(why) => Err(why),
                });
        match walk {
            Ok(walk) => walks.push(walk),
            Err(why) => {
                objections.insert(EdgeId(index), why);
            }
        }
    }
    (walks, objections)
}

/// Why calls cannot be written in the language that is asked for.
fn refused(
    walker: &Walker<'_>,
    options: &SuiteOptions<'_>,
    steps: &[ConcreteCall],
) -> Option<String> {
    let written = options.written?;
    let calls: Vec<TestCall> = steps.iter().map(|step| test_call(walker, step)).collect();
    written.objection(walker.subject, &calls)
}

/// The pairs that no candidate covers.
fn missing_pairs(found: &Confirmed, candidates: &[Candidate]) -> BTreeSet<(EdgeId, EdgeId)> {
    let covered: BTreeSet<CoverItem> = candidates
        .iter()
        .flat_map(|c| c.items.iter().copied())
        .collect();
    let wanted = wanted(found, Coverage::Pairs).into_iter();
    wanted
        .filter(|item| !covered.contains(item))
        .filter_map(|item| match item {
            CoverItem::Pair(first, second) => Some((first, second)),
            CoverItem::State(_) | CoverItem::Edge(_) => None,
        })
        .collect()
}

/// Why something that is asked for is not covered. For pairs, so many configurations were looked at.
fn why(
    found: &Confirmed,
    item: CoverItem,
    objections: &BTreeMap<EdgeId, String>,
    looked_at: usize,
) -> String {
    if let Some(refusal) = refusal(found, item) {
        return refusal;
    }
    let edges = match item {
        CoverItem::State(state) => found
            .states
            .get(state.0)
            .and_then(|s| s.by_edge)
            .into_iter()
            .collect(),
        CoverItem::Edge(edge) => vec![edge],
        CoverItem::Pair(first, second) => vec![first, second],
    };
    let objection = edges.iter().find_map(|e| objections.get(e));
    match objection {
        Some(why) => format!("confirmed, but there is no test: {why}"),
        None => format!(
            "no run is known that takes one right after the other; configurations looked at: {looked_at}"
        ),
    }
}

/// A run that may become a test.
#[derive(Clone)]
pub(super) struct Candidate {
    /// Its calls.
    pub steps: Vec<ConcreteCall>,
    /// What they cover of what is asked for.
    pub items: BTreeSet<CoverItem>,
}

impl Candidate {
    /// A run as it is.
    pub(super) fn new(goal: &Goal<'_>, steps: &[ConcreteCall]) -> Candidate {
        Candidate {
            steps: steps.to_vec(),
            items: goal.covered_by(steps),
        }
    }
}

/// Chooses runs that cover all that the candidates cover: always the one that covers most of what is left, of these
/// the shortest, of these the first. Then what the others cover too is left out.
fn choose(goal: &Goal<'_>, candidates: &[Candidate]) -> Vec<Candidate> {
    let mut left: BTreeSet<CoverItem> = candidates
        .iter()
        .flat_map(|c| c.items.iter().copied())
        .collect();
    let rank = |gain: usize, index: usize, candidate: &Candidate| {
        (gain, Reverse(candidate.steps.len()), Reverse(index))
    };
    let mut queue: BinaryHeap<_> = (candidates.iter().enumerate())
        .map(|(index, candidate)| rank(candidate.items.len(), index, candidate))
        .collect();
    let mut chosen: Vec<Candidate> = Vec::new();
    while let Some((before, _, Reverse(index))) = queue.pop() {
        let Some(candidate) = candidates.get(index) else {
            continue;
        };
        // What a run adds only gets less: one that still adds as much as it did is the best.
        let gain = candidate.items.intersection(&left).count();
        if gain == 0 {
            continue;
        }
        if gain < before {
            queue.push(rank(gain, index, candidate));
            continue;
        }
        left.retain(|item| !candidate.items.contains(item));
        chosen.push(candidate.clone());
    }
    without_repetition(goal, chosen)
}

/// Leaves out the tests, and the last calls of tests, that cover nothing that the others do not.
fn without_repetition(goal: &Goal<'_>, chosen: Vec<Candidate>) -> Vec<Candidate> {
    let mut times: BTreeMap<CoverItem, usize> = BTreeMap::new();
    for item in chosen.iter().flat_map(|c| &c.items) {
        *times.entry(*item).or_default() += 1;
    }
    let mut kept: Vec<Candidate> = Vec::new();
    // From the last on: the first ones were the best.
    for mut candidate in chosen.into_iter().rev() {
        while let [front @ .., _] = candidate.steps.as_slice() {
            let shorter = goal.covered_by(front);
            let lost: Vec<CoverItem> = candidate.items.difference(&shorter).copied().collect();
            if lost
                .iter()
                .any(|item| times.get(item).is_none_or(|n| *n < 2))
            {
                break;
            }
            for item in &lost {
                times.entry(*item).and_modify(|n| *n -= 1);
            }
            candidate.steps.pop();
            candidate.items = shorter;
        }
        if !candidate.items.is_empty() {
            kept.push(candidate);
        }
    }
    kept.reverse();
    kept
}

/// A call with all that is known of it.
fn test_call(walker: &Walker<'_>, step: &ConcreteCall) -> TestCall {
    let program = walker.program();
    let routine = walker
        .callee(step.edge)
        .and_then(|callee| walker.routine(callee));
    let (params, results) = match routine.map(|r| program.routine(r)) {
        Some(routine) => (routine.params.as_slice(), routine.results.as_slice()),
        None => (&[][..], &[][..]),
    };
    let named = |vars: &[VarId], values: &[Value]| -> Vec<Argument> {
        let vars = vars.iter().map(|var| program.var(*var));
        let pairs = vars.zip(values);
        pairs
            .map(|(var, value)| Argument::new(program, &var.name, &var.ty, value))
            .collect()
    };
    let (names, automaton) = (&walker.epa.names, walker.automaton());
    let edge = &automaton[step.edge];
    let fails = |e: &&crate::query::Edge| matches!(e.exit, Exit::Exception(_));
    let same_call = |e: &crate::query::Edge| e.callee == edge.callee;
    TestCall {
        edge: names.edge(edge),
        name: names.callee(edge.callee).to_owned(),
        arguments: named(params, &step.arguments),
        objects: step.objects.clone(),
        results: named(results, &step.results),
        exception: names.exception(&edge.exit).map(str::to_owned),
        target: edge.target.map(|t| names.state(t).to_owned()),
        enabled: edge
            .target
            .map_or_else(Vec::new, |t| names.enabled(&automaton[t])),
        open: step.open,
        fields: fields_after(walker, step),
        routine,
        fallible: routine.is_some_and(|r| !program.routine(r).throws.is_empty())
            || automaton.edges.iter().filter(fails).any(same_call),
    }
}

/// The fields after a call, where they are known.
fn fields_after(walker: &Walker<'_>, step: &ConcreteCall) -> Vec<Argument> {
    let program = walker.program();
    let end = step.end.as_ref();
    let object = end.and_then(|end| end.object(end.this?));
    let Some(HeapObject::Instance { class, fields }) = object else {
        return Vec::new();
    };
    let pairs = program.class(*class).fields.iter().zip(fields);
    pairs
        .map(|(field, value)| Argument::new(program, &field.name, &field.ty, value))
        .collect()
}
