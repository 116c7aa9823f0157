//! Calls like one that breaks clauses: where one shows that some clauses are not kept, a few others like it show that of many
//! more, and each is a matter of microseconds.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::explore::Runner;
use super::observables::value;
use super::trial::EveryChoice;
use crate::ask::PerformedCall;
use crate::epa::walk::Standing;
use crate::interp::{Configuration, Outcome, Value};
use crate::ir::Expr;
use crate::query::Exit;

/// No more calls are made than these.
const MOST: usize = 32;

impl Runner<'_> {
    /// Which of the clauses are broken by calls that differ from this one in one of their arguments, end in the same way, and keep
    /// the invariant of the class: the clauses' positions.
    pub(super) fn broken_by_the_like(
        &self,
        call: &PerformedCall,
        exit: &Exit,
        clauses: &[Expr],
    ) -> BTreeSet<usize> {
        let mut broken = BTreeSet::new();
        let mut ends: Vec<Configuration> = Vec::new();
        for arguments in self.like(call).into_iter().take(MOST) {
            let Some(end) = self.end(call, &arguments, exit) else {
                continue;
            };
            if ends.contains(&end) {
                continue;
            }
            for (at, clause) in clauses.iter().enumerate() {
                if !broken.contains(&at)
                    && value(self.walker.program(), &end, clause) == Some(Value::Bool(false))
                {
                    broken.insert(at);
                }
            }
            ends.push(end);
        }
        broken
    }

    /// The arguments with one of them another: first one of each, then a second one, as long as there are any.
    fn like(&self, call: &PerformedCall) -> Vec<Vec<Value>> {
        let given = call.arguments.iter().filter_map(|value| match value {
            Value::Int(n) => Some(n),
            _ => None,
        });
        let around: BTreeSet<BigInt> = given.flat_map(|n| [n - 1, n.clone(), n + 1]).collect();
        let types = self.walker.parameters(call.callee);
        let others = types.iter().zip(&call.arguments).map(|(ty, argument)| {
            let suggested = self.trial.others(&call.before, ty, &around);
            suggested.into_iter().filter(move |other| other != argument)
        });
        let mut others: Vec<_> = others.collect();
        let mut like = Vec::new();
        while like.len() < MOST {
            let known = like.len();
            for (at, others) in others.iter_mut().enumerate() {
                if let Some(other) = others.next() {
                    let mut arguments = call.arguments.clone();
                    arguments[at] = other;
                    like.push(arguments);
                }
            }
            if like.len() == known {
                break;
            }
        }
        like
    }

    /// Where the call ends if it is given this, if it may be made and ends in this way.
    fn end(&self, call: &PerformedCall, arguments: &[Value], exit: &Exit) -> Option<Configuration> {
        let (now, callee) = (&call.before, call.callee);
        self.walker.may_call(now, callee, arguments).ok()?;
        let mut choices = EveryChoice::but_initial(&self.trial);
        let execution = self.walker.run(now, callee, arguments, &mut choices)?;
        let is_so = match (&execution.outcome, exit) {
            (Outcome::Normal(_), Exit::Normal) => true,
            (Outcome::Exception(raised), Exit::Exception(wanted)) => raised == wanted,
            _ => false,
        };
        let end = execution.configuration;
        let keeps = || {
            let standing = self.walker.standing(&end);
            matches!(standing, Standing::In(_) | Standing::Nowhere)
        };
        (is_so && keeps()).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::encode::Encoding;
    use crate::engine::Builtin;
    use crate::epa::{ConstructOptions, construct};
    use crate::interp::Replay;
    use crate::ir::{ClassId, CompareOp, formula};
    use crate::query::Callee;
    use crate::query::kinds::calls;

    /// By hand: of a pair made with 3 and 3, others differ in one of the two, and only those that the constructor takes.
    #[test]
    fn one_call_that_breaks_clauses_leads_to_others() {
        let text = "class Pair {
            var a: int; var b: int; var big: bool;
            invariant b < 100;
            constructor(x: int, y: int) requires x >= 0 && y != 7 { a := x; b := y; big := x > 1000; }
            action next() requires a == 5 { b := 50; }
        }";
        let loaded = crate::front::tq::parse_text("pair.tq", text).expect("a class");
        let encoding = Encoding::of_class(&loaded.program, ClassId(0)).expect("encoded");
        let made = construct(&encoding, &Builtin::default(), &ConstructOptions::default());
        let epa = made.expect("an EPA").abstraction;
        let subject = &encoding.subject;
        let runner = Runner::new(subject, &epa, BTreeMap::new());
        let id = subject.constructor_ids().next().expect("a constructor");
        let callee = Callee::Constructor(id);
        let arguments = vec![Value::Int(3.into()), Value::Int(3.into())];
        let (empty, mut choices) = (Configuration::empty(), Replay::new(Vec::new()));
        let execution = runner.walker.run(&empty, callee, &arguments, &mut choices);
        let execution = execution.expect("a constructor");
        let call = PerformedCall {
            callee,
            before: empty,
            arguments,
            refused: false,
            outcome: execution.outcome,
            end: execution.configuration,
            log: Vec::new(),
        };
        let [a, b, big] =
            [0, 1, 2].map(|at| formula::own_fields(&subject.program, subject.class)[at].clone());
        let is = |e: &Expr, n: i64| formula::compare(CompareOp::Eq, e.clone(), formula::int(n));
        let clauses = [
            // It breaks this itself.
            is(&a, 2),
            formula::compare(CompareOp::Eq, a.clone(), b.clone()),
            formula::or(is(&a, 3), is(&b, 3)),
            is(&b, 3),
            // Nothing suggests so large a number.
            formula::not(big),
            // What the constructor does not take.
            formula::not(is(&b, 7)),
            // A call alone does not say how many there were before it.
            formula::compare(CompareOp::Lt, a.clone(), calls()),
        ];
        let broken = runner.broken_by_the_like(&call, &Exit::Normal, &clauses);
        assert_eq!(broken, BTreeSet::from([0, 1, 3]));
    }
}
