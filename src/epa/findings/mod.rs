//! What is worth a look in an EPA: the structural heuristics of TSE 2012, §6, and others. `docs/findings.md` explains each kind.
//!
//! A finding is not an error. It says what a person who validates a class by its EPA should look at first. Inside it is a
//! [`Finding`]; its words are put together where it is shown (`words`).

mod actions;
mod control;
mod ends;
mod keyed;
mod states;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};

pub use keyed::KeyedActions;
use keyed::keyed_of;
pub use words::ALWAYS_VIOLATES;
pub(super) use words::listed;

use super::abstraction::{Abstraction, EdgeKnowledge};
use crate::ask::{Doubt, Named, Run};
use crate::ir::{Control, ExceptionId};
use crate::query::{AbstractState, ActionId, Callee, ConstructorId, Edge, Exit, StateId, Subject};

/// Something worth a look.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Nothing can be called any more.
    Deadlock {
        /// In this state.
        state: StateId,
        /// What leads there: a call, and from where.
        ways: Vec<(Callee, Option<StateId>)>,
        /// What is known of these edges.
        known: WayIn,
    },
    /// A state that is never left, though calls can be made in it.
    Sink(StateId, AbstractState),
    /// A state in which very many transitions end.
    HighFanIn {
        /// The state.
        state: StateId,
        /// How many come from others.
        entering: usize,
        /// How many do on average.
        average: f64,
    },
    /// States in which both the program and its environment may act: in the first, these and those.
    MixedControl {
        /// The states.
        states: Vec<StateId>,
        /// What the program may do in the first of them.
        ours: Vec<ActionId>,
        /// What its environment may do there.
        theirs: Vec<ActionId>,
    },
    /// Connected states in none of which the environment may act.
    BlockedEnvironment {
        /// The states.
        states: Vec<StateId>,
        /// Whether the program can go on there for ever.
        for_ever: bool,
    },
    /// An action that can be called in no state.
    Missing(ActionId),
    /// An action that can be called in a state, but leads nowhere from there.
    LeadsNowhere(StateId, ActionId),
    /// A call that, from a state, always breaks the invariant.
    AlwaysViolates(CallOccurrence, Seen),
    /// It could not be ruled out that a call, from a state, breaks the invariant.
    MayViolate(CallOccurrence, Doubt, Seen),
    /// Actions that nothing tells apart.
    Mirrored(Vec<ActionId>),
    /// An action that, from one state, may end in many.
    Nondeterministic {
        /// The action.
        action: ActionId,
        /// The state from which there are most.
        state: StateId,
        /// Those.
        targets: Vec<StateId>,
        /// In how many other states it is alike.
        others: usize,
    },
    /// Actions that may end in exceptions where they end when all goes well: in a state in which more can be called.
    LeftOpen {
        /// The state that they are called in.
        state: StateId,
        /// The actions.
        actions: Vec<ActionId>,
        /// The state that they end in.
        target: StateId,
        /// What can be called there, and could not before.
        new: Vec<ActionId>,
    },
    /// A state that only one action tells from another, which leads from it there.
    Forgotten {
        /// The state.
        state: StateId,
        /// The action.
        action: ActionId,
        /// The other state.
        without: StateId,
    },
    /// Actions without arguments that may be refused in a state in which they can be called.
    Unforeseen {
        /// The state; the first of those.
        state: StateId,
        /// The actions.
        actions: Vec<ActionId>,
        /// The exceptions by which they are refused.
        exceptions: Vec<ExceptionId>,
    },
    /// Actions that can be called for some keys of a map, as far as the EPA says.
    PerKey {
        /// The map.
        field: String,
        /// Those.
        actions: Vec<ActionId>,
    },
    /// An operation in an action's body can fail, or that could not be ruled out.
    RuntimeError {
        /// The action.
        action: ActionId,
        /// What it raises.
        exception: ExceptionId,
        /// Why that is not certain.
        doubt: Option<Doubt>,
        /// Whether an object does it.
        seen: Seen,
    },
    /// An invariant that no configuration satisfies: these contradict each other.
    ContradictoryInvariant(Vec<String>),
    /// `initially` cannot hold where the invariant does: these contradict each other.
    ContradictoryStart(Vec<String>),
    /// A constructor that never makes an object.
    NoObject {
        /// The constructor.
        constructor: ConstructorId,
        /// Whether that is for what it requires, which can never be met.
        never_required: bool,
    },
    /// A call that breaks a clause of the invariant.
    BrokenInvariant(Broken),
    /// A call that breaks the invariant, and it is not known which clause.
    SomewhereBroken {
        /// The call, with the way it ends.
        site: CallOccurrence,
        /// Why that is not known.
        doubt: Doubt,
        /// Whether an object does it.
        seen: Seen,
    },
    /// What is assumed of a state cannot hold there.
    ContradictoryAssumption {
        /// What.
        assumed: Assumed,
        /// Whether there is no such state at all, whatever is assumed.
        no_such_state: bool,
    },
    /// What is assumed of a state does not hold of every object in it: a constructor ends there without it.
    FalseAssumption {
        /// What.
        assumed: Assumed,
        /// The constructor.
        constructor: ConstructorId,
        /// How it ends.
        end: Vec<Named>,
    },
    /// It could not be proved that what is assumed of a state holds of every object in it.
    UnprovedAssumption {
        /// What.
        assumed: Assumed,
        /// The call that ends there without it, or of which that is not known.
        callee: Callee,
        /// From which state, and with what; or why that is not known.
        from: Result<(AbstractState, Option<StateId>, String), Doubt>,
    },
}

/// What the second pass says of a call that does what no edge tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Seen {
    /// There was none.
    #[default]
    NotLookedFor,
    /// Some object does it: in this run, told in the EPA that is left.
    Run(Box<Run>),
    /// No run was found.
    NoRun,
}

/// What is known of the edges that lead into a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayIn {
    /// A run takes one of them.
    Run,
    /// Runs were looked for, and none was found.
    NoRun,
    /// One of them is certain; runs were not looked for.
    Certain,
    /// None of them is certain; runs were not looked for.
    Uncertain,
}

/// A call, where it is made and how it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOccurrence {
    /// The state it is made in; none for a constructor, or for any state.
    pub state: Option<StateId>,
    /// What is called.
    pub callee: Callee,
    /// How it ends.
    pub exit: Exit,
}

/// What a call breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The call, and the state of one that does.
    pub site: CallOccurrence,
    /// The clauses, in words.
    pub clauses: String,
    /// What it starts from, in words.
    pub start: String,
    /// The fields that it changes; none where all of them are as they were.
    pub changed: Vec<Named>,
    /// Whether any field is known where it ends.
    pub is_seen: bool,
    /// Whether an object does it.
    pub seen: Seen,
}

/// What a class assumes of one of its states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumed {
    /// The clause, as it is written.
    pub clause: String,
    /// The actions that the state enables, and the state, where it was reached.
    pub state: (AbstractState, Option<StateId>),
}

impl Finding {
    /// Whether it is about what the construction takes for granted.
    fn is_premise(&self) -> bool {
        matches!(
            self,
            Finding::ContradictoryInvariant(_)
                | Finding::ContradictoryStart(_)
                | Finding::NoObject { .. }
                | Finding::BrokenInvariant(_)
                | Finding::SomewhereBroken { .. }
                | Finding::ContradictoryAssumption { .. }
                | Finding::FalseAssumption { .. }
                | Finding::UnprovedAssumption { .. }
        )
    }

    /// Whether what is assumed of a state leaves nothing of it.
    pub(super) fn takes_a_state_away(&self) -> bool {
        matches!(
            self,
            Finding::ContradictoryAssumption {
                no_such_state: false,
                ..
            }
        )
    }

    /// Whether it is about a call that breaks the invariant, whatever else it does.
    fn is_violation(&self) -> bool {
        matches!(self, Finding::AlwaysViolates(..) | Finding::MayViolate(..))
    }

    /// The call that breaks clauses of the invariant, where it is about that.
    pub(in crate::epa) fn broken_at(&self) -> Option<&CallOccurrence> {
        match self {
            Finding::BrokenInvariant(Broken { site, .. })
            | Finding::SomewhereBroken { site, .. } => Some(site),
            _ => None,
        }
    }

    /// As [`Finding::broken_at`].
    pub(in crate::epa) fn broken_at_mut(&mut self) -> Option<&mut CallOccurrence> {
        match self {
            Finding::BrokenInvariant(Broken { site, .. })
            | Finding::SomewhereBroken { site, .. } => Some(site),
            _ => None,
        }
    }

    /// Notes what the second pass says of it, where it is about what no edge tells.
    pub(in crate::epa) fn set_seen(&mut self, now: Seen) {
        match self {
            Finding::AlwaysViolates(_, seen)
            | Finding::MayViolate(.., seen)
            | Finding::RuntimeError { seen, .. }
            | Finding::SomewhereBroken { seen, .. } => *seen = now,
            Finding::BrokenInvariant(broken) => broken.seen = now,
            _ => {}
        }
    }

    /// The run in which an object does it, where it is about what no edge tells.
    pub fn run(&self) -> Option<&Run> {
        match self {
            Finding::AlwaysViolates(_, Seen::Run(run))
            | Finding::MayViolate(.., Seen::Run(run))
            | Finding::RuntimeError {
                seen: Seen::Run(run),
                ..
            }
            | Finding::SomewhereBroken {
                seen: Seen::Run(run),
                ..
            }
            | Finding::BrokenInvariant(Broken {
                seen: Seen::Run(run),
                ..
            }) => Some(run),
            _ => None,
        }
    }

    /// The state that it is about.
    pub fn state(&self) -> Option<StateId> {
        match self {
            Finding::Deadlock { state, .. }
            | Finding::Sink(state, _)
            | Finding::HighFanIn { state, .. }
            | Finding::LeadsNowhere(state, _)
            | Finding::Nondeterministic { state, .. }
            | Finding::LeftOpen { state, .. }
            | Finding::Forgotten { state, .. }
            | Finding::Unforeseen { state, .. } => Some(*state),
            Finding::MixedControl { states, .. } => match states.as_slice() {
                [only] => Some(*only),
                _ => None,
            },
            Finding::BlockedEnvironment { states, .. } => states.first().copied(),
            Finding::AlwaysViolates(site, _) | Finding::MayViolate(site, ..) => site.state,
            Finding::BrokenInvariant(broken) => broken.site.state,
            Finding::ContradictoryAssumption { assumed, .. }
            | Finding::FalseAssumption { assumed, .. }
            | Finding::UnprovedAssumption { assumed, .. } => assumed.state.1,
            Finding::Missing(_)
            | Finding::Mirrored(_)
            | Finding::PerKey { .. }
            | Finding::RuntimeError { .. }
            | Finding::ContradictoryInvariant(_)
            | Finding::ContradictoryStart(_)
            | Finding::NoObject { .. }
            | Finding::SomewhereBroken { .. } => None,
        }
    }

    /// The action or constructor that it is about.
    pub fn callee(&self) -> Option<Callee> {
        match self {
            Finding::Missing(action)
            | Finding::LeadsNowhere(_, action)
            | Finding::Nondeterministic { action, .. }
            | Finding::Forgotten { action, .. }
            | Finding::RuntimeError { action, .. } => Some(Callee::Action(*action)),
            Finding::Mirrored(actions)
            | Finding::LeftOpen { actions, .. }
            | Finding::Unforeseen { actions, .. } => actions.first().copied().map(Callee::Action),
            Finding::AlwaysViolates(site, _)
            | Finding::MayViolate(site, ..)
            | Finding::SomewhereBroken { site, .. } => Some(site.callee),
            Finding::BrokenInvariant(broken) => Some(broken.site.callee),
            Finding::NoObject { constructor, .. }
            | Finding::FalseAssumption { constructor, .. } => {
                Some(Callee::Constructor(*constructor))
            }
            Finding::UnprovedAssumption { callee, .. } => Some(*callee),
            Finding::Deadlock { .. }
            | Finding::Sink(..)
            | Finding::HighFanIn { .. }
            | Finding::MixedControl { .. }
            | Finding::BlockedEnvironment { .. }
            | Finding::PerKey { .. }
            | Finding::ContradictoryInvariant(_)
            | Finding::ContradictoryStart(_)
            | Finding::ContradictoryAssumption { .. } => None,
        }
    }
}

/// What is known of a class besides its EPA.
#[derive(Clone, Debug, Default)]
pub struct Besides {
    /// What was found out about what the construction takes for granted.
    pub premises: Vec<Finding>,
    /// What was found, or could not be ruled out, about calls that break the invariant.
    pub violations: Vec<Finding>,
    /// Who decides that an action is called, where the class says so.
    pub control: BTreeMap<ActionId, Control>,
    /// The actions that ask what a map has at a key that the call brings.
    pub keyed: Vec<KeyedActions>,
    /// The actions that callers give nothing, and of which it is known when they can be called.
    pub without_arguments: BTreeSet<ActionId>,
    /// The exceptions by which bodies refuse calls that are not to be made, where it is known which these are.
    pub refusing: BTreeSet<ExceptionId>,
}

impl Besides {
    /// What the class itself says.
    pub fn of_class(subject: &Subject) -> Besides {
        Besides {
            control: control_of(subject),
            keyed: keyed_of(subject),
            without_arguments: without_arguments(subject),
            refusing: subject.program.refusing.clone(),
            ..Besides::default()
        }
    }
}

/// Who decides that an action is called, where the class says so.
fn control_of(subject: &Subject) -> BTreeMap<ActionId, Control> {
    let actions = subject.action_ids();
    let control = |id: ActionId| subject.program.routine(subject[id].routine).control;
    actions.filter_map(|id| Some((id, control(id)?))).collect()
}

/// The actions that callers give nothing, and of which it is known when they can be called.
fn without_arguments(subject: &Subject) -> BTreeSet<ActionId> {
    let routine = |id: ActionId| subject.program.routine(subject[id].routine);
    let actions = subject.action_ids();
    let known = actions.filter(|id| subject[*id].guard.is_certain());
    known
        .filter(|id| routine(*id).given().next().is_none())
        .collect()
}

/// What there is to say of an EPA: first of what it takes for granted, then what its shape shows of its states and
/// its actions.
pub fn of_shape(epa: &Abstraction, besides: &Besides) -> Vec<Finding> {
    let shape = EpaShape::of(epa);
    let mut findings = besides.premises.clone();
    findings.extend(states::deadlocks(&shape));
    findings.extend(states::sinks(&shape));
    findings.extend(states::high_fan_in(&shape));
    findings.extend(control::mixed_control(&shape, besides));
    findings.extend(control::blocked_environment(&shape, besides));
    findings.extend(actions::missing(&shape));
    findings.extend(besides.violations.iter().cloned());
    findings.extend(actions::leading_nowhere(&shape, besides));
    findings.extend(actions::mirrored(&shape));
    findings.extend(actions::nondeterministic(&shape));
    findings.extend(ends::left_open(&shape));
    findings.extend(ends::forgotten(&shape));
    findings.extend(ends::unforeseen(&shape, besides));
    findings.extend(keyed::per_key(&shape, besides));
    findings
}

/// The findings of an EPA that has lost states and edges since they were made: what its shape shows is looked for
/// again, and what is said of calls in states that are gone goes with them.
pub fn after_pruning(epa: &Abstraction, subject: &Subject) -> Vec<Finding> {
    let is_there = |f: &&Finding| f.state().is_none_or(|id| !epa.gone.states.contains(&id));
    let old = |wanted: fn(&Finding) -> bool| {
        let found = epa.findings.iter().filter(is_there);
        found
            .filter(|f| wanted(f))
            .cloned()
            .collect::<Vec<Finding>>()
    };
    let besides = Besides {
        premises: old(Finding::is_premise),
        violations: old(Finding::is_violation),
        ..Besides::of_class(subject)
    };
    let mut findings = of_shape(epa, &besides);
    findings.extend(old(|f| matches!(f, Finding::RuntimeError { .. })));
    findings
}

/// A transition, with what is known of it.
#[derive(Clone, Copy)]
struct KnownTransition<'a> {
    source: StateId,
    target: StateId,
    edge: &'a Edge,
    known: &'a EdgeKnowledge,
}

/// An EPA with its transitions by their ends.
struct EpaShape<'a> {
    epa: &'a Abstraction,
    states: Vec<(StateId, &'a AbstractState)>,
    transitions: Vec<KnownTransition<'a>>,
    leaving: BTreeMap<StateId, Vec<KnownTransition<'a>>>,
    entering: BTreeMap<StateId, Vec<KnownTransition<'a>>>,
}

impl<'a> EpaShape<'a> {
    fn of(epa: &'a Abstraction) -> Self {
        let mut shape = EpaShape {
            epa,
            states: epa.states().collect(),
            transitions: Vec::new(),
            leaving: BTreeMap::new(),
            entering: BTreeMap::new(),
        };
        for (source, target, edge, known) in epa.transitions() {
            let transition = KnownTransition {
                source,
                target,
                edge,
                known,
            };
            shape.transitions.push(transition);
            shape.leaving.entry(source).or_default().push(transition);
            shape.entering.entry(target).or_default().push(transition);
        }
        shape
    }

    /// What can be called in a state.
    fn enabled(&self, state: StateId) -> Option<&'a AbstractState> {
        let mut states = self.states.iter();
        states.find(|(id, _)| *id == state).map(|(_, set)| *set)
    }

    fn leaving(&self, state: StateId) -> &[KnownTransition<'a>] {
        self.leaving.get(&state).map_or(&[], Vec::as_slice)
    }

    fn entering(&self, state: StateId) -> &[KnownTransition<'a>] {
        self.entering.get(&state).map_or(&[], Vec::as_slice)
    }
}
