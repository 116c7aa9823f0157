//! Findings in words: the kind by which programs know them, and a sentence for a person.

use super::{Assumed, Broken, CallOccurrence, Finding, Seen, WayIn};
use crate::ask::words;
use crate::ir::ExceptionId;
use crate::query::{ActionId, Callee, Exit, Names};

/// The kind of [`Finding::AlwaysViolates`], which the XML tells at the edge.
pub const ALWAYS_VIOLATES: &str = "always-violates";

/// What a deadlock means.
const UNLESS_MEANT: &str = "unless objects are meant to end like this, a `requires` or an `ensures` is too strong, or \
                            the invariant is too weak";

impl Finding {
    /// The kind, as it is printed.
    pub fn kind(&self) -> &'static str {
        match self {
            Finding::Deadlock { .. } => "deadlock-state",
            Finding::Sink(..) => "sink-state",
            Finding::HighFanIn { .. } => "high-fan-in",
            Finding::MixedControl { .. } => "mixed-control",
            Finding::BlockedEnvironment { .. } => "blocked-environment",
            Finding::Missing(_) => "missing-action",
            Finding::LeadsNowhere(..) => "no-transition",
            Finding::AlwaysViolates(..) => ALWAYS_VIOLATES,
            Finding::MayViolate(.., Seen::Run(_)) => "broken-invariant",
            Finding::MayViolate(..) => "possible-violation",
            Finding::Mirrored(_) => "mirrored-actions",
            Finding::Nondeterministic { .. } => "nondeterministic-action",
            Finding::LeftOpen { .. } => "left-open",
            Finding::Forgotten { .. } => "forgotten-call",
            Finding::Unforeseen { .. } => "unforeseen-refusal",
            Finding::PerKey { .. } => "per-key",
            Finding::RuntimeError { doubt: None, .. }
            | Finding::RuntimeError {
                seen: Seen::Run(_), ..
            } => "runtime-error",
            Finding::RuntimeError { doubt: Some(_), .. } => "possible-runtime-error",
            Finding::ContradictoryInvariant(_) => "contradictory-invariant",
            Finding::ContradictoryStart(_) => "contradictory-start",
            Finding::NoObject { .. } => "no-object",
            Finding::BrokenInvariant(_) | Finding::SomewhereBroken { .. } => "broken-invariant",
            Finding::ContradictoryAssumption { .. } => "contradictory-assumption",
            Finding::FalseAssumption { .. } => "false-assumption",
            Finding::UnprovedAssumption { .. } => "unproved-assumption",
        }
    }

    /// The finding as a sentence.
    pub fn message(&self, names: &Names) -> String {
        match self {
            Finding::Deadlock { .. }
            | Finding::Sink(..)
            | Finding::HighFanIn { .. }
            | Finding::MixedControl { .. }
            | Finding::BlockedEnvironment { .. } => self.of_states(names),
            Finding::Missing(_)
            | Finding::LeadsNowhere(..)
            | Finding::AlwaysViolates(..)
            | Finding::MayViolate(..)
            | Finding::Mirrored(_)
            | Finding::Nondeterministic { .. }
            | Finding::LeftOpen { .. }
            | Finding::Forgotten { .. }
            | Finding::Unforeseen { .. }
            | Finding::PerKey { .. }
            | Finding::RuntimeError { .. } => self.of_actions(names),
            _ => self.of_premises(names),
        }
    }

    fn of_states(&self, names: &Names) -> String {
        match self {
            Finding::Deadlock { state, ways, known } => {
                let meaning = match known {
                    WayIn::Run => format!(
                        ", and a run gets there (`tranquera confirm` shows it); {UNLESS_MEANT}"
                    ),
                    WayIn::NoRun => ", but no run was found that gets there".to_owned(),
                    WayIn::Certain => format!(
                        "; {UNLESS_MEANT} (`tranquera confirm` says whether an object gets there, `tranquera explain` \
                         how)"
                    ),
                    WayIn::Uncertain => {
                        ", but no certain edge does, so it may be that no object ever gets there"
                            .to_owned()
                    }
                };
                format!(
                    "in {} no action can be called any more; {} there{meaning}",
                    names.state(*state),
                    ways_in(names, ways)
                )
            }
            Finding::Sink(state, enabled) => format!(
                "{} is never left: all that {} can do there is loop; either this is where objects end, or a way out \
                 is missing",
                names.state(*state),
                actions(names, enabled.iter())
            ),
            Finding::HighFanIn {
                state,
                entering,
                average,
            } => format!(
                "{entering} transitions from other states end in {} (on average {average:.1} do): what happened before \
                 is forgotten there, and a `requires` may be too weak",
                names.state(*state)
            ),
            Finding::MixedControl {
                states,
                ours,
                theirs,
            } => {
                let why = "where the two take turns, one of them should have to wait";
                let (ours, theirs) = (
                    actions(names, ours.iter().copied()),
                    actions(names, theirs.iter().copied()),
                );
                let ids = names.states(states.iter().copied());
                match ids.as_slice() {
                    [only] => format!(
                        "in {only} both the program ({ours}) and its environment ({theirs}) may act; {why}"
                    ),
                    all => format!(
                        "in {} both the program and its environment may act, in {} for example {ours} and {theirs}; \
                         {why}",
                        listed(&shortened(all.to_vec())),
                        all.first().map_or("", String::as_str)
                    ),
                }
            }
            Finding::BlockedEnvironment { states, for_ever } => {
                let stay = match for_ever {
                    true => "and the program can go on there for ever",
                    false => "until the program has gone through them",
                };
                format!(
                    "in {}, which are connected, no monitored action can be called: the environment is blocked, {stay}",
                    listed(&shortened(names.states(states.iter().copied())))
                )
            }
            _ => String::new(),
        }
    }

    fn of_actions(&self, names: &Names) -> String {
        match self {
            Finding::Missing(action) => format!(
                "`{}` can be called in no state that is reached: what it requires contradicts the invariant, or \
                 nothing ever establishes it",
                names.action(*action)
            ),
            Finding::LeadsNowhere(state, action) => format!(
                "`{}` can be called in {}, but never comes to an end there: it always fails, loops for ever, or \
                 ensures what cannot be",
                names.action(*action),
                names.state(*state)
            ),
            Finding::AlwaysViolates(site, seen) => {
                let place = match site.state {
                    Some(state) => format!(" can happen in {}, but", names.state(state)),
                    None => String::new(),
                };
                format!(
                    "`{}`{place} always breaks the invariant: it does too much, or requires too little{}",
                    site.label(names),
                    seen.words()
                )
            }
            Finding::MayViolate(site, _, seen @ Seen::Run(_)) => format!(
                "`{}`{} breaks the invariant{}",
                site.label(names),
                site.place(names),
                seen.words()
            ),
            Finding::MayViolate(site, doubt, seen) => format!(
                "`{}`{} may break the invariant, which could not be ruled out ({doubt}){}",
                site.label(names),
                site.place(names),
                seen.words()
            ),
            Finding::Mirrored(alike) => format!(
                "{} can be called in the same states and lead to the same states: one may be a copy of the other that \
                 was never adapted",
                actions(names, alike.iter().copied())
            ),
            Finding::Nondeterministic {
                action,
                state,
                targets,
                others,
            } => {
                let elsewhere = match others {
                    0 => String::new(),
                    1 => ", and one other state is like that".to_owned(),
                    n => format!(", and {n} other states are like that"),
                };
                format!(
                    "from {}, `{}` may end in {} states ({}){elsewhere}: what it ensures, or the invariant, may say too \
                     little",
                    names.state(*state),
                    names.action(*action),
                    targets.len(),
                    listed(&names.states(targets.iter().copied()))
                )
            }
            Finding::LeftOpen {
                state,
                actions: failing,
                target,
                new,
            } => format!(
                "called in {}, {} may end by an exception in {}, as when all goes well: {} can be called there, and could \
                 not be before, so what was begun is not taken back",
                names.state(*state),
                actions(names, failing.iter().copied()),
                names.state(*target),
                actions(names, new.iter().copied())
            ),
            Finding::Forgotten {
                state,
                action,
                without,
            } => {
                let (state, action) = (names.state(*state), names.action(*action));
                format!(
                    "{state} is as {}, but for `{action}`, which leads back there: who forgets to call it goes on as if \
                     nothing were open",
                    names.state(*without)
                )
            }
            Finding::Unforeseen {
                state,
                actions: refusing,
                exceptions,
            } => format!(
                "{} can be called in {}, and yet may be refused there by {}: without arguments, nothing that a caller does \
                 decides it",
                actions(names, refusing.iter().copied()),
                names.state(*state),
                listed(&raised(names, exceptions))
            ),
            Finding::PerKey {
                field,
                actions: asking,
            } => format!(
                "whether {} can be called depends on what `{field}` has at a key that the call brings, and the EPA says \
                 only that there is some such key; `--track {field}` shows the life of one (of a Solidity contract)",
                actions(names, asking.iter().copied())
            ),
            Finding::RuntimeError {
                action,
                exception,
                doubt,
                seen,
            } => {
                let action = names.action(*action);
                let exit = Exit::Exception(*exception);
                let exception = names.exception(&exit).unwrap_or_default();
                let words = seen.words();
                match doubt {
                    Some(doubt) if !matches!(seen, Seen::Run(_)) => format!(
                        "`{action}` may end in {exception}, which could not be ruled out ({doubt}){words}"
                    ),
                    _ => format!("`{action}` can end in {exception}{words}"),
                }
            }
            _ => String::new(),
        }
    }

    fn of_premises(&self, names: &Names) -> String {
        match self {
            Finding::ContradictoryInvariant(clauses) => format!(
                "no object can exist, so there is no state: {}",
                contradict(clauses)
            ),
            Finding::ContradictoryStart(clauses) => format!(
                "no object can start, so there is no state: {}",
                contradict(clauses)
            ),
            Finding::NoObject {
                constructor,
                never_required,
            } => {
                let name = names.callee(Callee::Constructor(*constructor));
                let why = match never_required {
                    true => "what it requires can never be met",
                    false => "it always fails, loops for ever, or ensures what cannot be",
                };
                format!("`{name}` never makes an object: {why}")
            }
            Finding::BrokenInvariant(broken) => broken.words(names),
            Finding::SomewhereBroken { site, doubt, seen } => format!(
                "`{}` breaks the invariant; which clause of it is not known ({doubt}){}",
                site.label(names),
                seen.words()
            ),
            Finding::ContradictoryAssumption {
                assumed,
                no_such_state,
            } => {
                let words = format!(
                    "`{}` is assumed of {}",
                    assumed.clause,
                    assumed.place(names)
                );
                match no_such_state {
                    true => {
                        format!("{words}, but no configuration enables exactly these actions")
                    }
                    false => format!(
                        "{words}, but contradicts what holds there: the state is lost, with all that leads to it"
                    ),
                }
            }
            Finding::FalseAssumption {
                assumed,
                constructor,
                end,
            } => format!(
                "`{}` is assumed of {}, but `{}` ends there without it ({}): the EPA lacks what such objects can do",
                assumed.clause,
                assumed.place(names),
                names.callee(Callee::Constructor(*constructor)),
                words(end)
            ),
            Finding::UnprovedAssumption {
                assumed,
                callee,
                from,
            } => {
                let (clause, place) = (&assumed.clause, assumed.place(names));
                let call = names.callee(*callee);
                match from {
                    Ok((set, state, start)) => {
                        let from = Assumed {
                            clause: String::new(),
                            state: (set.clone(), *state),
                        };
                        format!(
                            "`{clause}` is assumed of {place}, but not proved: `{call}`, called in {} with {start}, ends \
                             there without it; if an object can come so far, the EPA lacks what it can do",
                            from.place(names)
                        )
                    }
                    Err(doubt) => format!(
                        "`{clause}` is assumed of {place}, but not proved: whether `{call}` establishes it is not known \
                         ({doubt})"
                    ),
                }
            }
            _ => String::new(),
        }
    }
}

impl CallOccurrence {
    /// The call with the way it ends: `pop[ok]`, `pop!Empty`.
    pub(in crate::epa) fn label(&self, names: &Names) -> String {
        match self.callee {
            Callee::Constructor(_) => names.callee(self.callee).to_owned(),
            Callee::Action(_) => names.label(self.callee, &self.exit),
        }
    }

    /// ` in S1`
    fn place(&self, names: &Names) -> String {
        self.state
            .map_or(String::new(), |state| format!(" in {}", names.state(state)))
    }
}

impl Seen {
    fn words(&self) -> &'static str {
        match self {
            Seen::NotLookedFor => "",
            Seen::Run(_) => "; some object does it (`tranquera confirm` shows the run)",
            Seen::NoRun => "; but no run was found that does it",
        }
    }
}

impl Assumed {
    /// The state as a reader knows it: its id, or its actions where it has none.
    pub fn place(&self, names: &Names) -> String {
        match &self.state {
            (_, Some(id)) => names.state(*id).to_owned(),
            (set, None) => format!("{{{}}}", names.marks(set).join(", ")),
        }
    }
}

impl Broken {
    fn words(&self, names: &Names) -> String {
        let end = match (self.changed.is_empty(), self.is_seen) {
            (false, _) => format!(" with {}", words(&self.changed)),
            (true, true) => " with no field changed".to_owned(),
            (true, false) => String::new(),
        };
        let name = names.callee(self.site.callee);
        let clauses = &self.clauses;
        let seen = self.seen.words();
        match self.site.callee {
            Callee::Constructor(_) => {
                let start = match self.start.as_str() {
                    "" => String::new(),
                    start => format!(" {start}"),
                };
                format!("`{name}` does not establish {clauses}:{start} it ends{end}{seen}")
            }
            Callee::Action(_) => {
                let start = match self.start.as_str() {
                    "" => String::new(),
                    start => format!(" with {start}"),
                };
                let ending = match &self.site.exit {
                    Exit::Exception(_) => {
                        format!(" in {}", names.exception(&self.site.exit).unwrap_or(""))
                    }
                    _ => String::new(),
                };
                let place = self.site.place(names);
                format!("`{name}` breaks {clauses}:{place}{start}, it ends{ending}{end}{seen}")
            }
        }
    }
}

/// Clauses that cannot hold together.
fn contradict(clauses: &[String]) -> String {
    let verb = match clauses.len() {
        1 => "can never hold",
        _ => "contradict each other",
    };
    format!("{} {verb}", listed(clauses))
}

/// What leads into a state.
fn ways_in(names: &Names, ways: &[(Callee, Option<crate::query::StateId>)]) -> String {
    let way = |(callee, source): &(Callee, Option<crate::query::StateId>)| match source {
        None => format!("`{}`", names.callee(*callee)),
        Some(source) => format!("`{}` from {}", names.callee(*callee), names.state(*source)),
    };
    let ways: Vec<String> = ways.iter().map(way).collect();
    let verb = if ways.len() == 1 { "leads" } else { "lead" };
    match shortened(ways).as_slice() {
        [] => "nothing leads".to_owned(),
        ways => format!("{} {verb}", listed(ways)),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn listed<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [all @ .., last] => {
            let all: Vec<&str> = all.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", all.join(", "), last.as_ref())
        }
    }
}

/// Names of exceptions.
fn raised(names: &Names, exceptions: &[ExceptionId]) -> Vec<String> {
    let exits = exceptions.iter().map(|id| Exit::Exception(*id));
    exits
        .filter_map(|exit| names.exception(&exit).map(str::to_owned))
        .collect()
}

/// Names of actions, in a sentence.
fn actions(names: &Names, actions: impl IntoIterator<Item = ActionId>) -> String {
    let quoted = actions
        .into_iter()
        .map(|id| format!("`{}`", names.action(id)));
    listed(&quoted.collect::<Vec<String>>())
}

/// How many ways into a state, or states, a sentence names.
const NAMED: usize = 3;

/// A list that is not too long for a sentence.
fn shortened(mut names: Vec<String>) -> Vec<String> {
    if names.len() > NAMED {
        let more = format!("{} more", names.len() - NAMED + 1);
        names.truncate(NAMED - 1);
        names.push(more);
    }
    names
}
