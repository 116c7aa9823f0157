//! Every run from the constructors: which edges objects take, and after how many calls.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::explore::OracleExplorer;
use super::{Domain, Oracle, OracleConstructorEdge, OracleError, OracleTransition, RoutineRun};
use crate::interp::state::Configuration;
use crate::interp::value::ObjectId;
use crate::ir::{ClassId, Program};

/// What objects do that are made and then called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OracleRuns {
    /// The edges of the constructors that objects take: with one call, each.
    pub constructors: BTreeMap<OracleConstructorEdge, u32>,
    /// The transitions that objects take, with the calls of the shortest run that does, the constructor's among them.
    pub transitions: BTreeMap<OracleTransition, u32>,
    /// The calls with which objects break the invariant. Nothing is called behind them.
    pub violations: BTreeSet<RoutineRun>,
    /// Whether some run left the domain, or is not known whole. More edges may be taken then.
    pub is_cut: bool,
}

/// Makes objects in every heap of the domain, and calls them in every way, until nothing new is reached. What is around an
/// object is there before it is made; nothing but its own calls changes it.
///
/// # Errors
/// A clause cannot be decided, or there is too much to run.
pub fn runs(program: &Program, class: ClassId, domain: &Domain) -> Result<OracleRuns, OracleError> {
    let mut explorer = OracleExplorer::new(program, class, domain);
    let mut runs = OracleRuns::default();
    let mut reached = Reached::default();
    for start in explorer.configurations(false)? {
        let world: Vec<ObjectId> = start.objects().map(|(id, _)| id).collect();
        reached.world = world.len();
        for (edge, end) in explorer.constructors(&start)? {
            if edge.end.is_ok() {
                reached.add(&end, world.iter().copied());
            }
            runs.constructors.insert(edge, 1);
        }
    }
    let mut calls = 1;
    while !reached.new.is_empty() {
        calls += 1;
        for now in std::mem::take(&mut reached.new) {
            let Some(source) = explorer.state(&now)? else {
                continue;
            };
            for (transition, end) in explorer.actions(&now, &source)? {
                runs.transitions.entry(transition).or_insert(calls);
                reached.add(&end, reached.world());
            }
        }
    }
    let Oracle {
        escaped, undecided, ..
    } = &explorer.found;
    runs.is_cut = !escaped.is_empty() || !undecided.is_empty();
    runs.violations = explorer.found.violations;
    Ok(runs)
}

/// The configurations that runs reach, in the form that keeps the objects that were there before: any call may be given them.
#[derive(Default)]
struct Reached {
    all: HashSet<Configuration>,
    /// Those from which nothing was called yet.
    new: Vec<Configuration>,
    /// How many objects were there before; as many in every start.
    world: usize,
}

impl Reached {
    fn add(&mut self, end: &Configuration, world: impl Iterator<Item = ObjectId>) {
        let configuration = end.canonical_with(world);
        if self.all.insert(configuration.clone()) {
            self.new.push(configuration);
        }
    }

    /// The objects that were there before, in a configuration that was reached: they come after the object itself.
    fn world(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (1..=self.world).map(ObjectId)
    }
}
