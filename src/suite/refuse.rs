//! What bodies refuse: for each condition that a body asks for, a call that is refused only because it does not hold. Without
//! the condition, the call would be made, and its test would fail.

use std::collections::BTreeMap;

use super::concrete::ConcreteCall;
use crate::epa::confirm::{Asked, Exercise};
use crate::epa::walk::Walker;
use crate::interp::{Configuration, Value};
use crate::ir::{ClassId, Expr, Messages, RoutineRef, expr_text, formula};
use crate::query::Callee;

/// A call that is refused, with its values.
#[derive(Clone, Debug)]
pub(super) struct ConcreteRefusal {
    pub callee: Callee,
    pub routine: RoutineRef,
    pub arguments: Vec<Value>,
    /// What it needs.
    pub needs: String,
}

/// A test, with what is refused after its calls, by their places.
#[derive(Clone, Debug)]
pub(super) struct RefusingTest {
    /// What is refused before any.
    pub first: Vec<ConcreteRefusal>,
    pub steps: Vec<ConcreteCall>,
    pub refused: BTreeMap<usize, Vec<ConcreteRefusal>>,
}

impl RefusingTest {
    /// A test after whose calls nothing is refused so far.
    pub(super) fn of(steps: Vec<ConcreteCall>) -> RefusingTest {
        RefusingTest {
            first: Vec::new(),
            steps,
            refused: BTreeMap::new(),
        }
    }
}

/// What decides which refusals become a part of a test.
pub(super) struct Writer<'f> {
    /// The calls that lead to a configuration of the exercise, if a test can make them.
    pub walk_to: &'f dyn Fn(usize) -> Option<Vec<ConcreteCall>>,
    /// Whether a refusal can be written after these calls, where they are the first of a test, or all of it.
    pub accepts: &'f dyn Fn(&[ConcreteCall], bool, &ConcreteRefusal) -> bool,
}

/// No more runs are looked at than these for what no test shows.
const MOST_RUNS: usize = 200;

/// Looks for calls that show conditions: on the way of a test that is there, or at the end of one more.
pub(super) fn refuse(
    walker: &Walker<'_>,
    exercise: &Exercise<'_>,
    messages: &Messages,
    writer: &Writer<'_>,
    tests: &mut Vec<RefusingTest>,
) {
    let constructors = walker.subject.constructor_ids().map(Callee::Constructor);
    let actions = walker.subject.action_ids().map(Callee::Action);
    let asking = constructors.chain(actions).filter_map(|callee| {
        let routine = walker.routine(callee)?;
        let declared = walker.program().routine(routine);
        let form = messages
            .form(declared)
            .filter(|_| !messages.is_no_call(declared))?;
        let asked = Asked {
            callee,
            clauses: form.clauses,
            conditions: exercise.conditions(callee),
        };
        Some((routine, asked))
    });
    let mut search = RefusalSearch {
        walker,
        exercise,
        writer,
        open: asking.collect(),
    };
    tests.extend(search.unmade());
    for test in tests.iter_mut() {
        for at in 0..test.steps.len() {
            let end = test.steps.get(at).and_then(|step| step.end.as_ref());
            let found = end.map_or_else(Vec::new, |end| search.refused(end));
            search.take(test, at, &found);
        }
    }
    tests.extend(search.further());
}

struct RefusalSearch<'s, 'a> {
    walker: &'s Walker<'s>,
    exercise: &'s Exercise<'a>,
    writer: &'s Writer<'s>,
    /// What asks for conditions that no test shows so far.
    open: Vec<(RoutineRef, Asked<'a>)>,
}

impl<'a> RefusalSearch<'_, 'a> {
    /// Constructors that are refused, each in a test of its own.
    fn unmade(&mut self) -> Vec<RefusingTest> {
        let mut tests = Vec::new();
        for (condition, refusal) in self.refused(&Configuration::empty()) {
            if self.is_open(condition) && (self.writer.accepts)(&[], true, &refusal) {
                self.close(condition);
                tests.push(RefusingTest {
                    first: vec![refusal],
                    ..RefusingTest::of(Vec::new())
                });
            }
        }
        tests
    }

    /// Runs of the exercise, each for what is refused at its end and no other test shows.
    fn further(&mut self) -> Vec<RefusingTest> {
        let (mut tests, mut runs) = (Vec::new(), 0);
        for at in self.exercise.spread() {
            if runs == MOST_RUNS || self.exercise.is_spent() {
                break;
            }
            let now = self.exercise.reached(at);
            let found = now.map_or_else(Vec::new, |now| self.refused(now));
            if found.is_empty() {
                continue;
            }
            runs += 1;
            let Some(steps) = (self.writer.walk_to)(at) else {
                continue;
            };
            let mut test = RefusingTest::of(steps);
            if let Some(last) = test.steps.len().checked_sub(1) {
                self.take(&mut test, last, &found);
            }
            if !test.refused.is_empty() {
                tests.push(test);
            }
        }
        tests
    }

    /// Adds what is refused after a call of a test, of that what no test shows so far.
    fn take(&mut self, test: &mut RefusingTest, at: usize, found: &[(&'a Expr, ConcreteRefusal)]) {
        let Some(steps) = test.steps.get(..=at) else {
            return;
        };
        let mut taken: Vec<ConcreteRefusal> = Vec::new();
        for (condition, refusal) in found {
            if self.is_open(condition) && (self.writer.accepts)(steps, false, refusal) {
                self.close(condition);
                taken.push(refusal.clone());
            }
        }
        // That time goes on for it leaves nothing to be done after it.
        let is_last = taken.is_empty() && at + 1 == test.steps.len();
        let mut others = found.iter().filter(|_| is_last);
        if let Some((condition, refusal)) =
            others.find(|(_, refusal)| (self.writer.accepts)(steps, true, refusal))
        {
            self.close(condition);
            taken.push(refusal.clone());
        }
        if !taken.is_empty() {
            test.refused.insert(at, taken);
        }
    }

    /// The calls that open conditions refuse here, each for one of them alone.
    fn refused(&self, now: &Configuration) -> Vec<(&'a Expr, ConcreteRefusal)> {
        let mut found = Vec::new();
        let is_object = now.this.is_some();
        let open = self.open.iter();
        for (routine, asked) in open.filter(|(_, asked)| asked.callee.is_constructor() != is_object)
        {
            for (arguments, condition) in self.exercise.refused_for(now, asked) {
                let refusal = ConcreteRefusal {
                    routine: *routine,
                    callee: asked.callee,
                    arguments,
                    needs: self.words(routine.class, condition),
                };
                found.push((condition, refusal));
            }
        }
        found
    }

    /// What a call needs. A `revert` that is come to, whatever decides that, has no condition of its own.
    fn words(&self, class: ClassId, condition: &Expr) -> String {
        match formula::is_bool(condition, false) {
            true => "to come to no revert".to_owned(),
            false => expr_text(self.walker.program(), class, condition),
        }
    }

    fn is_open(&self, condition: &Expr) -> bool {
        let mut open = self.open.iter().flat_map(|(_, asked)| &asked.conditions);
        open.any(|open| std::ptr::eq(*open, condition))
    }

    fn close(&mut self, condition: &Expr) {
        for (_, asked) in &mut self.open {
            let conditions = &mut asked.conditions;
            conditions.retain(|open| !std::ptr::eq(*open, condition));
        }
    }
}
