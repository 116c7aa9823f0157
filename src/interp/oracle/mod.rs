//! The abstraction of a class over a finite domain, by running everything: the definition (DESIGN 1.3) read as
//! a program.
//!
//! Nothing is clever here. All configurations that satisfy the invariant are listed, reachable or not; in each,
//! every action is run with every parameter and every choice. An execution that leaves the domain is listed
//! under [`Oracle::escaped`] and gives no edge: the result says nothing about what is outside. It is the
//! abstraction of the class itself only where nothing escapes and the domain has all parameters that matter.
//!
//! The objects around are part of a configuration: a parameter is one of them. Their fields and elements have
//! values of their declared types.

mod domain;
mod explore;
mod runs;
mod space;

use std::collections::{BTreeMap, BTreeSet};

pub use domain::Domain;
pub use explore::{OracleError, explore};
pub use runs::{OracleRuns, runs};

/// A state: the names of the enabled actions.
pub type EnabledSet = BTreeSet<String>;

/// An edge from a constructor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OracleConstructorEdge {
    /// `VendingMachine()`, `FiniteStack(int)`; `initially` where there is no constructor.
    pub name: String,
    /// The state reached, or the exception the constructor ends in.
    pub end: Result<EnabledSet, String>,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct OracleTransition {
    /// Where the action is called.
    pub source: EnabledSet,
    /// The action.
    pub action: String,
    /// The values of its outcomes (`ok`, `!ok`, `Sign`; several with `, ` between), where it has some.
    pub outcome: Option<String>,
    /// The exception it ends in.
    pub exception: Option<String>,
    /// Where it ends.
    pub target: EnabledSet,
}

/// A way to run a routine, without where it ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoutineRun {
    /// Where the action is called; none for a constructor.
    pub source: Option<EnabledSet>,
    /// The action, or the constructor as in [`OracleConstructorEdge::name`].
    pub routine: String,
    /// The values of its outcomes, as in [`OracleTransition::outcome`].
    pub outcome: Option<String>,
    /// The exception it ends in.
    pub exception: Option<String>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Oracle {
    /// All states that some configuration is in.
    pub states: BTreeSet<EnabledSet>,
    /// The constructors' edges.
    pub constructors: BTreeSet<OracleConstructorEdge>,
    /// The transitions, exceptional ones among them.
    pub transitions: BTreeSet<OracleTransition>,
    /// Who can end with the invariant broken.
    pub violations: BTreeSet<RoutineRun>,
    /// Who can end, with the invariant intact, outside the domain.
    pub escaped: BTreeSet<RoutineRun>,
    /// Who has an execution of which the end is not known, and why. (Running out of fuel can mean that it has
    /// none.)
    pub undecided: BTreeMap<RoutineRun, String>,
}

impl Oracle {
    /// Only what the initial states lead to, by normal transitions, and by exceptional ones if so wanted.
    #[must_use]
    pub fn reachable(&self, exceptional: bool) -> Oracle {
        let ends = self.constructors.iter().map(|edge| edge.end.as_ref());
        let mut states: BTreeSet<EnabledSet> = ends.filter_map(Result::ok).cloned().collect();
        loop {
            let followed = |t: &&OracleTransition| exceptional || t.exception.is_none();
            let new: Vec<EnabledSet> = self
                .transitions
                .iter()
                .filter(followed)
                .filter(|t| states.contains(&t.source) && !states.contains(&t.target))
                .map(|t| t.target.clone())
                .collect();
            if new.is_empty() {
                break;
            }
            states.extend(new);
        }
        let from = |exit: &RoutineRun| exit.source.as_ref().is_none_or(|s| states.contains(s));
        let kept =
            |exits: &BTreeSet<RoutineRun>| exits.iter().filter(|e| from(e)).cloned().collect();
        Oracle {
            constructors: self.constructors.clone(),
            transitions: self
                .transitions
                .iter()
                .filter(|t| states.contains(&t.source))
                .cloned()
                .collect(),
            violations: kept(&self.violations),
            escaped: kept(&self.escaped),
            undecided: self
                .undecided
                .iter()
                .filter(|(exit, _)| from(exit))
                .map(|(exit, reason)| (exit.clone(), reason.clone()))
                .collect(),
            states,
        }
    }
}
