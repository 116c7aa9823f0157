//! Why no object is ever made: an EPA without a state says nothing by itself.

use crate::encode::{Probe, Step};
use crate::epa::ask::Probed;
use crate::epa::explore::{Explored, Violation};
use crate::epa::findings;
use crate::epa::model::Finding;
use crate::ir::formula;

use super::Checker;
use super::invariant::Clause;

impl Checker<'_> {
    /// Why there is no state: what contradicts itself, or what each constructor fails at.
    pub(super) fn why_no_object(&self, explored: &Explored) -> Vec<Finding> {
        let clauses = self.clauses();
        if let Some(conflict) = self.conflict(&clauses) {
            let message = format!(
                "no object can exist, so there is no state: {}",
                self.contradict(&conflict)
            );
            let kind = findings::CONTRADICTORY_INVARIANT;
            return vec![findings::finding(kind, None, None, message)];
        }
        let edges = explored.constructors.iter();
        edges
            .filter(|e| e.violation == Violation::Never && e.targets.is_empty())
            .filter_map(|e| self.why_not_made(&e.step, &clauses))
            .collect()
    }

    fn why_not_made(&self, step: &Step, clauses: &[Clause]) -> Option<Finding> {
        let Step::Construct { constructor, .. } = step else {
            return None;
        };
        let declared = &self.encoding.constructors[*constructor];
        let Some(_) = declared.routine else {
            let conflict =
                self.conflict(&[self.starting_clauses().as_slice(), clauses].concat())?;
            let message = format!(
                "no object can start, so there is no state: {}",
                self.contradict(&conflict)
            );
            let kind = findings::CONTRADICTORY_START;
            return Some(findings::finding(kind, None, None, message));
        };
        let name = &declared.display;
        let mut probe = Probe::of_call("constructible", "requires", step.clone());
        probe.made = false;
        let message = match self.asker.probe(&probe) {
            Probed::No => {
                format!("`{name}` never makes an object: what it requires can never be met")
            }
            Probed::Yes(_) | Probed::Unknown(_) => format!(
                "`{name}` never makes an object: it always fails, loops for ever, or ensures what cannot be"
            ),
        };
        let kind = findings::NO_OBJECT;
        Some(findings::finding(kind, None, Some(name), message))
    }

    /// `initially` and the values that fields are declared with.
    fn starting_clauses(&self) -> Vec<Clause> {
        let program = self.encoding.source();
        let declared = program.class(self.encoding.class());
        let initially = declared.initially.iter().map(|e| Clause {
            text: format!("`initially {};`", self.text(e)),
            formula: formula::clause(program, e),
        });
        let values = self.encoding.declared_values();
        let declared = values.into_iter().map(|(field, formula)| Clause {
            text: format!("the value that `{field}` is declared with"),
            formula,
        });
        initially.chain(declared).collect()
    }

    /// A smallest set of these clauses that no configuration satisfies, each of them needed; none where there is a
    /// configuration, or it is not known.
    fn conflict(&self, clauses: &[Clause]) -> Option<Vec<Clause>> {
        let contradict = |chosen: &[Clause], label: String| {
            let mut probe = Probe::of_configurations("contradiction", label);
            probe.invariant = false;
            probe.before = chosen.iter().map(|c| c.formula.clone()).collect();
            self.asker.probe(&probe) == Probed::No
        };
        if !contradict(clauses, "all".into()) {
            return None;
        }
        let mut kept = clauses.to_vec();
        for index in (0..clauses.len()).rev() {
            let mut fewer = kept.clone();
            fewer.remove(index);
            if contradict(&fewer, format!("without_{}", index + 1)) {
                kept = fewer;
            }
        }
        Some(kept)
    }

    fn contradict(&self, conflict: &[Clause]) -> String {
        let texts: Vec<&str> = conflict.iter().map(|c| c.text.as_str()).collect();
        let verb = match conflict.len() {
            1 => "can never hold",
            _ => "contradict each other",
        };
        format!("{} {verb}", findings::listed(&texts))
    }
}
