//! Why no object is ever made: an EPA without a state says nothing by itself.

use super::PremiseChecker;
use super::invariant::InvariantPart;
use crate::epa::explore::{ExploredEdges, Violation};
use crate::epa::findings::Finding;
use crate::ir::formula;
use crate::query::{Callee, Step, kinds};

impl PremiseChecker<'_> {
    /// Why there is no state: what contradicts itself, or what each constructor fails at.
    pub(super) fn why_no_object(&self, explored: &ExploredEdges) -> Vec<Finding> {
        let clauses = self.clauses();
        if let Some(conflict) = self.conflict(&clauses) {
            return vec![Finding::ContradictoryInvariant(texts(&conflict))];
        }
        let edges = explored.constructors.iter();
        edges
            .filter(|e| matches!(e.violation, Violation::Never) && e.targets.is_empty())
            .filter_map(|e| self.why_not_made(&e.step, &clauses))
            .collect()
    }

    fn why_not_made(&self, step: &Step, clauses: &[InvariantPart]) -> Option<Finding> {
        let Callee::Constructor(constructor) = step.callee else {
            return None;
        };
        if self.subject().routine(step.callee).is_none() {
            let all = [self.starting_clauses().as_slice(), clauses].concat();
            return Some(Finding::ContradictoryStart(texts(&self.conflict(&all)?)));
        }
        let mut query = kinds::such_call(self.subject(), "constructible", "requires", step);
        for call in &mut query.calls {
            call.made = false;
        }
        Some(Finding::NoObject {
            constructor,
            never_required: self.desk.ask(&query).is_no(),
        })
    }

    /// `initially` and the values that fields are declared with.
    fn starting_clauses(&self) -> Vec<InvariantPart> {
        let program = &self.subject().program;
        let declared = program.class(self.subject().class);
        let initially = declared.initially.iter().map(|e| InvariantPart {
            text: format!("`initially {};`", self.text(e)),
            formula: formula::clause(program, e),
        });
        let values = self.subject().declared_values();
        let declared = values.into_iter().map(|(field, formula)| InvariantPart {
            text: format!("the value that `{field}` is declared with"),
            formula,
        });
        initially.chain(declared).collect()
    }

    /// A smallest set of these clauses that no configuration satisfies, each of them needed; none where there is a
    /// configuration, or it is not known.
    fn conflict(&self, clauses: &[InvariantPart]) -> Option<Vec<InvariantPart>> {
        let contradict = |chosen: &[InvariantPart], label: &str| {
            let mut query = kinds::such_configuration("contradiction", label);
            query.start.invariant = false;
            query.start.given = chosen.iter().map(|c| c.formula.clone()).collect();
            self.desk.ask(&query).is_no()
        };
        if !contradict(clauses, "all") {
            return None;
        }
        let mut kept = clauses.to_vec();
        for index in (0..clauses.len()).rev() {
            let mut fewer = kept.clone();
            fewer.remove(index);
            if contradict(&fewer, &format!("without_{}", index + 1)) {
                kept = fewer;
            }
        }
        Some(kept)
    }
}

fn texts(clauses: &[InvariantPart]) -> Vec<String> {
    clauses.iter().map(|c| c.text.clone()).collect()
}
