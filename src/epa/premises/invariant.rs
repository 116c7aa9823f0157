//! Which call breaks which clause of the invariant, with the values of one that does.

use super::PremiseChecker;
use crate::ask::{Witness, words};
use crate::epa::Exceptions;
use crate::epa::explore::{EdgesOfCall, ExploredEdges, Violation};
use crate::epa::findings::{Broken, CallOccurrence, Finding, Seen, listed};
use crate::ir::{CompareOp, Expr, Type, formula};
use crate::query::{Callee, End, Exit, Holds, Query, Step, Subject, kinds};

/// A part of the invariant that is spoken of by itself.
#[derive(Clone)]
pub(super) struct InvariantPart {
    /// As it is written: `invariant x > 0;`; or what it is.
    pub(super) text: String,
    pub(super) formula: Expr,
}

impl PremiseChecker<'_> {
    /// The invariant's clauses, and what the fields' types promise.
    pub(super) fn clauses(&self) -> Vec<InvariantPart> {
        let program = &self.subject().program;
        let class = self.subject().class;
        let declared = program.class(class);
        let written = declared.breakable().iter().map(|e| InvariantPart {
            text: format!("`invariant {};`", self.text(e)),
            formula: formula::clause_under_invariant(program, e),
        });
        let values = formula::own_fields(program, class);
        let promised = declared
            .fields
            .iter()
            .zip(values)
            .filter_map(|(field, value)| {
                let compared = |op, other| formula::compare(op, value.clone(), other);
                let promise = match &field.ty {
                    Type::Nat => compared(CompareOp::Ge, formula::int(0)),
                    Type::Within(m) => formula::and(
                        compared(CompareOp::Ge, formula::int((*m).min())),
                        compared(CompareOp::Le, formula::int((*m).max())),
                    ),
                    Type::Class {
                        nullable: false, ..
                    }
                    | Type::Array {
                        nullable: false, ..
                    } => compared(CompareOp::Ne, formula::null()),
                    _ => return None,
                };
                let name = program.type_name(&field.ty);
                Some(InvariantPart {
                    text: format!("the type of `{}: {name}`", field.name),
                    formula: promise,
                })
            });
        written.chain(promised).collect()
    }

    /// A finding for each call that, from a state that is reached, can end with a clause broken.
    pub(super) fn broken_clauses(&self, explored: &ExploredEdges) -> Vec<Finding> {
        let clauses = self.clauses();
        let steps = self.violating_steps(explored);
        steps
            .iter()
            .flat_map(|(step, certain)| self.broken_by(step, *certain, &clauses))
            .collect()
    }

    /// The calls of which it is known that they break the invariant, or not known that they do not: each once, with
    /// every way it may end, and whether it is known.
    fn violating_steps(&self, explored: &ExploredEdges) -> Vec<(Step, bool)> {
        let certain = |e: &&EdgesOfCall| matches!(e.violation, Violation::Certain);
        let constructors = explored.constructors.iter().filter(certain);
        let mut steps: Vec<(Step, bool)> = constructors.map(|e| (e.step.clone(), true)).collect();
        for action in &explored.violating {
            let callee = Callee::Action(*action);
            let of_action = |e: &&EdgesOfCall| e.step.callee == callee;
            let edges: Vec<&EdgesOfCall> = explored.calls.iter().filter(of_action).collect();
            let raised = |e: &EdgesOfCall| match &e.step.exit {
                Exit::Exception(e) => Some(*e),
                _ => None,
            };
            if edges.iter().any(|e| raised(e).is_none() && certain(e)) {
                steps.push((Step::anywhere(*action, Exit::Normal), true));
            }
            if self.options.exceptions == Exceptions::Ignored {
                continue;
            }
            let routine = self.subject()[*action].routine;
            for exception in self.subject().exceptions_of(routine) {
                let mut of_exit = edges.iter().filter(|e| raised(e) == Some(*exception));
                // The failures of operations may have no edges; then nothing is known of them yet.
                let mut failures = explored.runtime_errors.iter();
                let fails = failures.any(|r| r.by == callee && r.exception == *exception);
                if fails || of_exit.any(certain) {
                    let step = Step::anywhere(*action, Exit::Exception(*exception));
                    steps.push((step, !fails));
                }
            }
        }
        steps
    }

    /// The end at which a clause does not hold, and all facts do: else there is no run.
    fn without(&self, clause: &InvariantPart) -> End {
        let program = &self.subject().program;
        let facts = program.class(self.subject().class).facts().iter();
        let facts = facts.map(|e| formula::clause_under_invariant(program, e));
        let broken = formula::not(clause.formula.clone());
        kinds::asked_for(facts.chain([broken]).collect())
    }

    /// What one call breaks, a finding for each set of clauses that are broken at once.
    fn broken_by(&self, step: &Step, certain: bool, clauses: &[InvariantPart]) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut doubt = None;
        let mut left: Vec<usize> = (0..clauses.len()).collect();
        while let Some(first) = left.first().copied() {
            let mut query = self.in_reached_states(&format!("clause_{}", first + 1), step);
            query.end = self.without(&clauses[first]);
            query.watched = left.iter().map(|c| clauses[*c].formula.clone()).collect();
            let mut broken = vec![first];
            match self.desk.ask(&query).settled() {
                Ok(None) => {}
                Err(why) => doubt = Some(why),
                Ok(Some(witness)) => {
                    let held = left.iter().zip(witness.held_after());
                    broken = held.filter(|(_, held)| !held).map(|(c, _)| *c).collect();
                    let texts: Vec<&str> =
                        broken.iter().map(|c| clauses[*c].text.as_str()).collect();
                    found.push(self.broken(step, &listed(&texts), &witness));
                }
            }
            left.retain(|c| *c != first && !broken.contains(c));
        }
        if found.is_empty() {
            // Every clause of its own holds: it can only be what others keep.
            let query = self
                .in_reached_states("of_another_object", step)
                .ending_where(Holds::No);
            let query = Query {
                end: kinds::asked_for(vec![]),
                ..query
            };
            match (self.desk.ask(&query).settled(), doubt) {
                (Ok(Some(witness)), None) => {
                    let what = self.subject().kept_by_others();
                    found.push(self.broken(step, what, &witness));
                }
                (Ok(Some(witness)), Some(_)) => {
                    found.push(self.broken(step, "a clause of the invariant", &witness));
                }
                (Err(doubt), _) => {
                    let site = CallOccurrence {
                        state: None,
                        callee: step.callee,
                        exit: step.exit.clone(),
                    };
                    found.push(match certain {
                        true => Finding::SomewhereBroken {
                            site,
                            doubt,
                            seen: Seen::default(),
                        },
                        false => Finding::MayViolate(site, doubt, Seen::default()),
                    });
                }
                (Ok(None), _) => {}
            }
        }
        found
    }

    fn in_reached_states(&self, label: &str, step: &Step) -> Query {
        let mut query = kinds::such_call(self.subject(), "broken-clause", label, step);
        if !step.callee.is_constructor() {
            let states = self.ids.keys().map(|state| self.subject().in_state(state));
            query.start.given = vec![formula::any(states)];
            query.start.watched = self.guards();
        }
        query
    }

    fn broken(&self, step: &Step, clauses: &str, witness: &Witness) -> Finding {
        let program = &self.subject().program;
        let before = match step.callee {
            Callee::Constructor(_) => Vec::new(),
            Callee::Action(_) => witness.before(program),
        };
        let after = witness.after(program);
        let state = match step.callee {
            Callee::Constructor(_) => None,
            Callee::Action(_) => self.id(&self.subject().state_where(witness.held_before())),
        };
        Finding::BrokenInvariant(Broken {
            site: CallOccurrence {
                state,
                callee: step.callee,
                exit: step.exit.clone(),
            },
            clauses: clauses.to_owned(),
            start: self.start_words(step.callee, witness),
            is_seen: !after.is_empty(),
            seen: Seen::default(),
            changed: after.into_iter().filter(|n| !before.contains(n)).collect(),
        })
    }

    pub(super) fn start_words(&self, callee: Callee, witness: &Witness) -> String {
        start_words(self.subject(), callee, witness)
    }
}

/// What a call starts from: `x = 1, y = true, called with n = 3`; empty where there is nothing to say.
pub(super) fn start_words(subject: &Subject, callee: Callee, witness: &Witness) -> String {
    let before = match callee {
        // A constructor starts from arbitrary values.
        Callee::Constructor(_) => Vec::new(),
        Callee::Action(_) => witness.before(&subject.program),
    };
    let arguments = witness.arguments(subject);
    let called = (!arguments.is_empty()).then(|| format!("called with {}", words(&arguments)));
    let before = (!before.is_empty()).then(|| words(&before));
    before
        .into_iter()
        .chain(called)
        .collect::<Vec<String>>()
        .join(", ")
}
