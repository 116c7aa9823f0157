//! Few and short tests that cover what can be covered.

use std::collections::{BTreeMap, BTreeSet};

use crate::encode::Encoding;
use crate::epa::confirm::Confirmations;
use crate::lang::ir::VarId;

use super::Options;
use super::concrete::{Step, Walk, Walker};
use super::items::{Item, covered_by, name, refusal, wanted};
use super::model::{Argument, Cover, SCHEMA, Suite, Test, TestCall, Uncovered};

/// A suite from what the second pass found.
pub fn suite(encoding: &Encoding<'_>, found: &Confirmations, options: &Options) -> Suite {
    let walker = Walker { encoding, found };
    let (walks, objections) = walks(&walker, options);
    let candidates: Vec<Candidate> = (walks.iter())
        .map(|walk| Candidate::new(found, &walk.steps, options.cover))
        .collect();
    let chosen = choose(found, candidates, options.cover);
    let mut covered = BTreeSet::new();
    let mut tests = Vec::new();
    for candidate in &chosen {
        let new: Vec<Item> = candidate.items.difference(&covered).copied().collect();
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
                why: why(found, item, &objections),
            });
        }
    }
    Suite {
        schema: SCHEMA,
        class: found.class.clone(),
        cover: options.cover,
        tests,
        covered: names,
        uncovered,
    }
}

/// The runs of the second pass that can be tests; and by edge, why others cannot.
fn walks(walker: &Walker<'_>, options: &Options) -> (Vec<Walk>, BTreeMap<usize, String>) {
    let (mut walks, mut objections) = (Vec::new(), BTreeMap::new());
    for (index, edge) in walker.found.edges.iter().enumerate() {
        let Some(run) = &edge.run else {
            continue;
        };
        let walk = walker
            .walk(run)
            .and_then(|walk| match refused(walker, options, &walk.steps) {
                None => Ok(walk),
                Some(why) => Err(why),
            });
        match walk {
            Ok(walk) => walks.push(walk),
            Err(why) => {
                objections.insert(index, why);
            }
        }
    }
    (walks, objections)
}

/// Why calls cannot be written in the language that is asked for.
fn refused(walker: &Walker<'_>, options: &Options, steps: &[Step]) -> Option<String> {
    let language = options.language?;
    steps.iter().find_map(|step| {
        let call = test_call(walker, step);
        call.arguments.iter().find_map(|argument| {
            let why = language.literal(walker.program(), argument).err()?;
            Some(format!(
                "`{}` needs {} = {}: {why}",
                call.name, argument.name, argument.text
            ))
        })
    })
}

/// Why something that is asked for is not covered.
fn why(found: &Confirmations, item: Item, objections: &BTreeMap<usize, String>) -> String {
    if let Some(refusal) = refusal(found, item) {
        return refusal;
    }
    let edges = match item {
        Item::State(state) => found
            .states
            .get(state)
            .and_then(|s| s.by_edge)
            .into_iter()
            .collect(),
        Item::Edge(edge) => vec![edge],
        Item::Pair(first, second) => vec![first, second],
    };
    let objection = edges.iter().find_map(|e| objections.get(e));
    match objection {
        Some(why) => format!("confirmed, but there is no test: {why}"),
        None => "no run is known that takes both, one right after the other".into(),
    }
}

/// A run that may become a test.
#[derive(Clone)]
struct Candidate {
    steps: Vec<Step>,
    items: BTreeSet<Item>,
}

impl Candidate {
    fn new(found: &Confirmations, steps: &[Step], cover: Cover) -> Candidate {
        Candidate {
            steps: steps.to_vec(),
            items: covered_by(found, steps, cover),
        }
    }
}

/// Chooses runs that cover all that the candidates cover: always the one that covers most of what is left, of these
/// the shortest, of these the first. Then what the others cover too is left out.
fn choose(found: &Confirmations, candidates: Vec<Candidate>, cover: Cover) -> Vec<Candidate> {
    let mut left: BTreeSet<Item> = candidates
        .iter()
        .flat_map(|c| c.items.iter().copied())
        .collect();
    let mut chosen: Vec<Candidate> = Vec::new();
    while !left.is_empty() {
        let gain = |c: &Candidate| c.items.intersection(&left).count();
        // The first of the best: `max_by_key` would give the last.
        let best =
            (candidates.iter().rev()).max_by_key(|c| (gain(c), std::cmp::Reverse(c.steps.len())));
        let Some(best) = best else {
            break;
        };
        left = left.difference(&best.items).copied().collect();
        chosen.push(best.clone());
    }
    // From the last on: the first ones were the best.
    for index in (0..chosen.len()).rev() {
        let others = others(&chosen, index);
        if chosen[index].items.is_subset(&others) {
            chosen.remove(index);
            continue;
        }
        let mut steps = chosen[index].steps.clone();
        while let [first @ .., _] = steps.as_slice()
            && !first.is_empty()
        {
            let shorter = covered_by(found, first, cover);
            let lost = chosen[index]
                .items
                .difference(&shorter)
                .any(|i| !others.contains(i));
            if lost {
                break;
            }
            steps.pop();
        }
        chosen[index] = Candidate::new(found, &steps, cover);
    }
    chosen
}

/// What all but one cover.
fn others(chosen: &[Candidate], but: usize) -> BTreeSet<Item> {
    let others = chosen.iter().enumerate().filter(|(index, _)| *index != but);
    others.flat_map(|(_, c)| c.items.iter().copied()).collect()
}

/// A call with all that is known of it.
fn test_call(walker: &Walker<'_>, step: &Step) -> TestCall {
    let program = walker.program();
    let routine = walker
        .callee(step.edge)
        .and_then(|callee| walker.routine(callee));
    let (params, results) = match routine.map(|r| program.routine(r)) {
        Some(routine) => (routine.params.as_slice(), routine.results.as_slice()),
        None => (&[][..], &[][..]),
    };
    let named = |vars: &[VarId], values: &[crate::interp::Value]| -> Vec<Argument> {
        let pairs = vars.iter().zip(values);
        let arguments = pairs.map(|(var, value)| {
            let var = program.var(*var);
            Argument {
                name: var.name.clone(),
                type_name: program.type_name(&var.ty),
                text: value.display(program),
                ty: var.ty.clone(),
                value: value.clone(),
            }
        });
        arguments.collect()
    };
    let edge = &walker.found.edges[step.edge];
    let state = super::items::state_after(walker.found, step.edge);
    TestCall {
        edge: edge.edge.clone(),
        name: edge.action.clone(),
        arguments: named(params, &step.arguments),
        results: named(results, &step.results),
        exception: edge.exception.clone(),
        target: edge.target.clone(),
        enabled: state.map_or_else(Vec::new, |s| walker.found.states[s].enabled.clone()),
        open: step.open,
        routine,
        fallible: routine.is_some_and(|r| !program.routine(r).throws.is_empty())
            || (walker.found.edges.iter()).any(|e| {
                e.exception.is_some()
                    && e.action == edge.action
                    && e.source.is_some() == edge.source.is_some()
            }),
    }
}
