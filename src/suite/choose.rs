//! Few and short tests that cover what can be covered.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::ask::Run;
use crate::epa::confirm::{Confirmed, Exercise};
use crate::epa::walk::Walker;
use crate::interp::{Configuration, Value};
use crate::ir::Source;
use crate::query::{Callee, EdgeId, Subject};

use super::SuiteOptions;
use super::concrete::ConcreteCall;
use super::explore::explore;
use super::items::{CoverItem, Goal, name, refusal, wanted};
use super::join::join;
use super::model::{Coverage, SCHEMA, Suite, TestCall, Uncovered};
use super::refuse::{ConcreteRefusal, RefusingTest, Writer, refuse};
use super::told::{held, refused_call, test_call, told};

/// A suite from what the second pass found of a class, of which this is the text.
pub fn suite(
    subject: &Subject,
    source: &Source,
    found: &Confirmed,
    options: &SuiteOptions<'_>,
) -> Suite {
    let walker = Walker::new(subject, &found.abstraction);
    let (mut walks, mut objections) = walks(&walker, found, options);
    let within = |now: &Configuration| is_shown(&walker, options, now);
    let exercise = options.messages().and_then(|_| {
        let wanted = objections.keys().copied().collect();
        let given = given(&walker, &walks);
        Exercise::new(subject, source, found, given, &wanted, &within)
    });
    if let Some(exercise) = &exercise {
        // Another run may do what its shortest cannot.
        objections.retain(|edge, _| {
            let other = exercise.run(*edge);
            let walk = other.and_then(|run| walk(&walker, &run, options).ok());
            walks.extend(walk.clone());
            walk.is_none()
        });
    }
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
    let mut chosen: Vec<RefusingTest> = (chosen.into_iter())
        .map(|candidate| RefusingTest::of(candidate.steps))
        .collect();
    if let Some((exercise, messages)) = exercise.as_ref().zip(options.messages()) {
        let writer = Writer {
            walk_to: &|at| walk(&walker, &exercise.run_to(at)?, options).ok(),
            accepts: &|steps, is_whole, refused| {
                may_refuse(&walker, options, steps, is_whole, refused)
            },
        };
        refuse(&walker, exercise, messages, &writer, &mut chosen);
    }
    let mut covered = BTreeSet::new();
    let mut tests = Vec::new();
    for test in &chosen {
        let items = goal.covered_by(&test.steps);
        let new: Vec<CoverItem> = items.difference(&covered).copied().collect();
        covered.extend(new.iter().copied());
        let covers = new.iter().map(|item| name(found, *item));
        tests.push(told(&walker, test, covers.collect()));
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
    let (mut walks, mut objections) = (Vec::new(), BTreeMap::new());
    for (index, edge) in found.edges.iter().enumerate() {
        let Some(run) = &edge.run else {
            continue;
        };
        match walk(walker, run, options) {
            Ok(walk) => walks.push(walk),
            Err(why) => {
                objections.insert(EdgeId(index), why);
            }
        }
    }
    (walks, objections)
}

/// The calls of a run; why they cannot be a test, if they cannot.
fn walk(
    walker: &Walker<'_>,
    run: &Run,
    options: &SuiteOptions<'_>,
) -> Result<Vec<ConcreteCall>, String> {
    let walk = walker.walk(run, &|callee| can_answer(walker, options, callee))?;
    match refused(walker, options, &walk) {
        None => Ok(walk),
        Some(why) => Err(why),
    }
}

/// Whether a test can say what the outside answers in a call.
fn can_answer(walker: &Walker<'_>, options: &SuiteOptions<'_>, callee: Callee) -> bool {
    let routine = walker.routine(callee);
    routine.is_some_and(|routine| options.can_answer(walker.subject, routine))
}

/// What calls are given in these runs.
fn given(walker: &Walker<'_>, walks: &[Vec<ConcreteCall>]) -> BTreeMap<Callee, Vec<Vec<Value>>> {
    let mut given: BTreeMap<Callee, Vec<Vec<Value>>> = BTreeMap::new();
    for step in walks.iter().flatten().filter(|step| step.is_plain()) {
        if let Some(callee) = walker.callee(step.edge) {
            let known = given.entry(callee).or_default();
            if !known.contains(&step.arguments) {
                known.push(step.arguments.clone());
            }
        }
    }
    given
}

/// Whether a test can come to this.
fn is_shown(walker: &Walker<'_>, options: &SuiteOptions<'_>, now: &Configuration) -> bool {
    let written = options.written;
    written.is_none_or(|written| written.may_show(held(walker.program(), now)))
}

/// Whether a call that is refused after these can be a part of a test.
fn may_refuse(
    walker: &Walker<'_>,
    options: &SuiteOptions<'_>,
    steps: &[ConcreteCall],
    is_whole: bool,
    refused: &ConcreteRefusal,
) -> bool {
    let is_plain = |value: &Value| !matches!(value, Value::Ref(_));
    let is_answered = walker.is_answered(refused.callee);
    if (is_answered && !can_answer(walker, options, refused.callee))
        || !refused.arguments.iter().all(is_plain)
    {
        return false;
    }
    let Some(written) = options.written else {
        return true;
    };
    let calls: Vec<TestCall> = steps.iter().map(|step| test_call(walker, step)).collect();
    let refused = refused_call(walker, refused);
    written.may_refuse(walker.subject, (&calls, is_whole), &refused)
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
