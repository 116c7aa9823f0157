//! Which call breaks which clause of the invariant, with the values of one that does.

use crate::encode::{Exit, Holds, Probe, Step};
use crate::epa::Exceptions;
use crate::epa::ask::Probed;
use crate::epa::assemble::exit_label;
use crate::epa::explore::{Edges, Explored, Violation};
use crate::epa::findings;
use crate::epa::model::Finding;
use crate::epa::witness::{Named, Witness, words};
use crate::ir::CompareOp;
use crate::ir::formula;
use crate::ir::{Expr, Type};

use super::Checker;

/// A part of the invariant that is spoken of by itself.
#[derive(Clone)]
pub(super) struct Clause {
    /// As it is written: `invariant x > 0;`; or what it is.
    pub(super) text: String,
    pub(super) formula: Expr,
}

impl Checker<'_> {
    /// The invariant's clauses, and what the fields' types promise.
    pub(super) fn clauses(&self) -> Vec<Clause> {
        let program = self.encoding.source();
        let class = self.encoding.class();
        let declared = program.class(class);
        let written = declared.invariants.iter().map(|e| Clause {
            text: format!("`invariant {};`", self.text(e)),
            formula: formula::clause_under_invariant(program, e),
        });
        let values = formula::own_fields(program, class);
        let promised = declared
            .fields
            .iter()
            .zip(values)
            .filter_map(|(field, value)| {
                let (op, other) = match &field.ty {
                    Type::Nat => (CompareOp::Ge, formula::int(0)),
                    Type::Class {
                        nullable: false, ..
                    }
                    | Type::Array {
                        nullable: false, ..
                    } => (CompareOp::Ne, formula::null()),
                    _ => return None,
                };
                let name = program.type_name(&field.ty);
                Some(Clause {
                    text: format!("the type of `{}: {name}`", field.name),
                    formula: formula::compare(op, value, other),
                })
            });
        written.chain(promised).collect()
    }

    /// A finding for each call that, from a state that is reached, can end with a clause broken.
    pub(super) fn broken_clauses(&self, explored: &Explored) -> Vec<Finding> {
        let clauses = self.clauses();
        let steps = self.violating_steps(explored);
        steps
            .iter()
            .flat_map(|(step, certain)| self.broken_by(step, *certain, &clauses))
            .collect()
    }

    /// The calls of which it is known that they break the invariant, or not known that they do not: each once, with
    /// every way it may end, and whether it is known.
    fn violating_steps(&self, explored: &Explored) -> Vec<(Step, bool)> {
        let certain = |e: &&Edges| e.violation == Violation::Certain;
        let constructors = explored.constructors.iter().filter(certain);
        let mut steps: Vec<(Step, bool)> = constructors.map(|e| (e.step.clone(), true)).collect();
        for action in &explored.violating {
            let of_action =
                |e: &&Edges| matches!(&e.step, Step::Call { action: a, .. } if a == action);
            let edges: Vec<&Edges> = explored.calls.iter().filter(of_action).collect();
            let raised = |e: &Edges| match e.step.exit() {
                Exit::Exception(e) => Some(*e),
                _ => None,
            };
            let step = |exit| Step::Call {
                source: None,
                action: *action,
                exit,
            };
            if edges.iter().any(|e| raised(e).is_none() && certain(e)) {
                steps.push((step(Exit::Normal), true));
            }
            if self.options.exceptions == Exceptions::Ignored {
                continue;
            }
            let routine = self.encoding.actions[*action].routine;
            for exception in self.encoding.exceptions_of(routine) {
                let mut of_exit = edges.iter().filter(|e| raised(e) == Some(*exception));
                // The failures of operations may have no edges; then nothing is known of them yet.
                let mut failures = explored.runtime_errors.iter();
                let fails = failures.any(|r| r.by == *action && r.exception == *exception);
                if fails || of_exit.any(certain) {
                    steps.push((step(Exit::Exception(*exception)), !fails));
                }
            }
        }
        steps
    }

    /// What one call breaks, a finding for each set of clauses that are broken at once.
    fn broken_by(&self, step: &Step, certain: bool, clauses: &[Clause]) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut doubt = None;
        let mut left: Vec<usize> = (0..clauses.len()).collect();
        while let Some(first) = left.first().copied() {
            let mut probe =
                self.in_reached_states("broken-clause", format!("clause_{}", first + 1), step);
            probe.after = vec![formula::not(clauses[first].formula.clone())];
            probe.watched_after = left.iter().map(|c| clauses[*c].formula.clone()).collect();
            let mut broken = vec![first];
            match self.asker.probe(&probe) {
                Probed::No => {}
                Probed::Unknown(why) => doubt = Some(why),
                Probed::Yes(witness) => {
                    let held = left.iter().zip(&witness.held_after);
                    broken = held.filter(|(_, held)| !**held).map(|(c, _)| *c).collect();
                    let texts: Vec<&str> =
                        broken.iter().map(|c| clauses[*c].text.as_str()).collect();
                    found.push(self.broken(step, &findings::listed(&texts), &witness));
                }
            }
            left.retain(|c| *c != first && !broken.contains(c));
        }
        if found.is_empty() {
            // Every clause of its own holds: it can only be what others keep.
            let label = "of_another_object".into();
            let mut probe = self.in_reached_states("broken-clause", label, step);
            probe.invariant_after = Holds::No;
            match (self.asker.probe(&probe), doubt) {
                (Probed::Yes(witness), None) => {
                    let what = self.encoding.kept_by_others();
                    found.push(self.broken(step, what, &witness));
                }
                (Probed::Yes(witness), Some(_)) => {
                    found.push(self.broken(step, "a clause of the invariant", &witness));
                }
                (Probed::Unknown(why), _) => found.push(self.not_known(step, certain, &why)),
                (Probed::No, _) => {}
            }
        }
        found
    }

    fn in_reached_states(&self, kind: &'static str, label: String, step: &Step) -> Probe {
        let mut probe = Probe::of_call(kind, label, step.clone());
        if matches!(step, Step::Call { .. }) {
            let states = self.ids.keys().map(|state| self.encoding.in_state(state));
            probe.before = vec![formula::any(states)];
            let actions = self.encoding.actions.iter();
            probe.watched_before = actions.map(|a| a.guard.enabled.clone()).collect();
        }
        probe
    }

    /// What is said of a call where the engine does not know which clause it breaks, or whether it breaks one.
    fn not_known(&self, step: &Step, certain: bool, doubt: &str) -> Finding {
        let (action, label) = match step {
            Step::Construct { constructor, .. } => {
                let name = &self.encoding.constructors[*constructor].display;
                (name, name.clone())
            }
            Step::Call { action, exit, .. } => {
                let label = exit_label(self.encoding, *action, exit);
                (&self.encoding.actions[*action].name, label)
            }
        };
        if certain {
            let message = format!(
                "`{label}` breaks the invariant; which clause of it is not known ({doubt})"
            );
            return findings::finding(findings::BROKEN_INVARIANT, None, Some(action), message);
        }
        let exit = findings::Exit {
            state: None,
            action: action.clone(),
            label,
        };
        findings::may_violate(&exit, doubt)
    }

    fn broken(&self, step: &Step, clauses: &str, witness: &Witness) -> Finding {
        let end = {
            let changed: Vec<&Named> = witness.changed();
            match (changed.is_empty(), witness.after.is_empty()) {
                (false, _) => format!(" with {}", words(changed)),
                (true, false) => " with no field changed".to_owned(),
                (true, true) => String::new(),
            }
        };
        let ending = self.ending(step.exit());
        match step {
            Step::Construct { constructor, .. } => {
                let name = &self.encoding.constructors[*constructor].display;
                let start = match witness.start_words() {
                    start if start.is_empty() => String::new(),
                    start => format!(" {start}"),
                };
                let message = format!("`{name}` does not establish {clauses}:{start} it ends{end}");
                findings::finding(findings::BROKEN_INVARIANT, None, Some(name), message)
            }
            Step::Call { action, .. } => {
                let name = &self.encoding.actions[*action].name;
                let enabled = witness.held_before.iter().enumerate();
                let state = enabled.filter(|(_, held)| **held).map(|(a, _)| a).collect();
                let id = self.ids.get(&state).map(String::as_str);
                let place = id.map_or(String::new(), |id| format!(" in {id}"));
                let start = match witness.start_words() {
                    start if start.is_empty() => String::new(),
                    start => format!(" with {start}"),
                };
                let message =
                    format!("`{name}` breaks {clauses}:{place}{start}, it ends{ending}{end}");
                findings::finding(findings::BROKEN_INVARIANT, id, Some(name), message)
            }
        }
    }
}
