//! Calls like one that breaks clauses: where one shows that some clauses are not kept, a few others like it show that of many
//! more, and each is a matter of microseconds.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::explore::Runner;
use super::observables::value;
use crate::ask::{PerformedCall, is_exit};
use crate::epa::trial::EveryChoice;
use crate::epa::walk::Standing;
use crate::interp::{Configuration, ObjectId, Value};
use crate::ir::{Expr, FieldRef};
use crate::query::{Callee, Exit};

/// No more calls are made than these.
const MOST: usize = 64;

/// A call that might be made, and what it is made on.
struct Like {
    before: Configuration,
    arguments: Vec<Value>,
    /// Whether the object is another one.
    is_other_object: bool,
}

/// What may be another one.
enum Part {
    Argument(usize),
    Field(ObjectId, FieldRef),
}

impl Runner<'_> {
    /// Which of the clauses are broken by calls that differ from this one in one of their arguments, or in one field of the object
    /// that all of `assumed` holds of; that end in the same way, and keep the invariant of the class: the clauses' positions.
    pub(super) fn broken_by_the_like(
        &self,
        call: &PerformedCall,
        exit: &Exit,
        (assumed, clauses): (&[Expr], &[Expr]),
    ) -> BTreeSet<usize> {
        let program = self.walker.program();
        let is = |now: &Configuration, clause: &Expr, truth: bool| {
            value(program, now, clause) == Some(Value::Bool(truth))
        };
        let mut broken = BTreeSet::new();
        let mut ends: Vec<Configuration> = Vec::new();
        for like in self.like(call) {
            let before = &like.before;
            let may_be = || self.is_kept(before) && assumed.iter().all(|e| is(before, e, true));
            if like.is_other_object && !may_be() {
                continue;
            }
            let Some(end) = self.end(call.callee, &like, exit) else {
                continue;
            };
            if ends.contains(&end) {
                continue;
            }
            let left = (0..clauses.len()).filter(|at| !broken.contains(at));
            let left: Vec<usize> = left.filter(|at| is(&end, &clauses[*at], false)).collect();
            broken.extend(left);
            ends.push(end);
        }
        broken
    }

    /// The call with one of its parts another: first one of each, then a second one, as long as there are any.
    fn like(&self, call: &PerformedCall) -> Vec<Like> {
        let given = call.arguments.iter().filter_map(|value| match value {
            Value::Int(n) => Some(n),
            _ => None,
        });
        let around: BTreeSet<BigInt> = given.flat_map(|n| [n - 1, n.clone(), n + 1]).collect();
        let types = self.walker.parameters(call.callee);
        let arguments = types.iter().zip(&call.arguments).enumerate();
        let arguments = arguments.map(|(at, (ty, now))| (Part::Argument(at), *ty, now));
        let class = self.walker.subject.class;
        let fields = self.walker.program().class(class).fields.iter().enumerate();
        let fields = fields.filter_map(|(index, field)| {
            let (this, of) = (call.before.this?, FieldRef { class, index });
            let now = call.before.field(this, of)?;
            Some((Part::Field(this, of), &field.ty, now))
        });
        let parts = arguments.chain(fields).map(|(part, ty, now)| {
            let suggested = self.trial.others(&call.before, ty, &around).into_iter();
            (part, suggested.filter(move |other| other != now))
        });
        let mut parts: Vec<_> = parts.collect();
        let mut like = Vec::new();
        loop {
            let known = like.len();
            for (part, others) in &mut parts {
                if let Some(other) = others.next() {
                    like.push(call_with(call, part, other));
                }
            }
            if like.len() == known || like.len() >= MOST {
                return like;
            }
        }
    }

    /// Whether the invariant of the class holds.
    fn is_kept(&self, now: &Configuration) -> bool {
        matches!(self.standing(now), Standing::In(_) | Standing::Nowhere)
    }

    /// Where the call ends, if it may be made and ends in this way.
    fn end(&self, callee: Callee, like: &Like, exit: &Exit) -> Option<Configuration> {
        let (now, arguments) = (&like.before, like.arguments.as_slice());
        self.walker.may_call(now, callee, arguments).ok()?;
        let mut choices = EveryChoice::but_initial(&self.trial);
        let execution = self.walker.run(now, callee, arguments, &mut choices)?;
        let ends_so = is_exit(self.walker.subject, callee, exit, &execution.outcome);
        let end = execution.configuration;
        (ends_so && self.is_kept(&end)).then_some(end)
    }
}

/// The call with this part another.
fn call_with(call: &PerformedCall, part: &Part, other: Value) -> Like {
    let mut like = Like {
        before: call.before.clone(),
        arguments: call.arguments.clone(),
        is_other_object: matches!(part, Part::Field(..)),
    };
    match part {
        Part::Argument(at) => like.arguments[*at] = other,
        Part::Field(this, field) => {
            like.before.set_field(*this, *field, other);
        }
    }
    like
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::encode::Encoding;
    use crate::engine::Builtin;
    use crate::epa::{ConstructOptions, construct};
    use crate::ir::{ClassId, CompareOp, formula};
    use crate::query::kinds::calls;

    /// A call with these numbers.
    fn execution_of(
        runner: &Runner<'_>,
        callee: Callee,
        before: Configuration,
        numbers: &[i64],
    ) -> PerformedCall {
        let numbers = numbers.iter().map(|n| Value::Int((*n).into()));
        let (arguments, mut choices) = (Vec::from_iter(numbers), EveryChoice::new(&runner.trial));
        let execution = runner.walker.run(&before, callee, &arguments, &mut choices);
        let execution = execution.expect("a call");
        PerformedCall::of(callee, before, arguments, execution)
    }

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
        let call = execution_of(&runner, callee, Configuration::empty(), &[3, 3]);
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
            formula::not(big.clone()),
            // What the constructor does not take.
            formula::not(is(&b, 7)),
            // A call alone does not say how many there were before it.
            formula::compare(CompareOp::Lt, a.clone(), calls()),
        ];
        let broken = runner.broken_by_the_like(&call, &Exit::Normal, (&[], &clauses));
        assert_eq!(broken, BTreeSet::from([0, 1, 3]));

        let five = execution_of(
            &runner,
            Callee::Constructor(id),
            Configuration::empty(),
            &[5, 3],
        );
        let next = Callee::Action(subject.action_ids().next().expect("an action"));
        let call = execution_of(&runner, next, five.end, &[]);
        let clauses = [is(&b, 50), formula::not(big.clone()), is(&a, 5)];
        let broken =
            |assumed: &[Expr]| runner.broken_by_the_like(&call, &Exit::Normal, (assumed, &clauses));
        // An object that is big is another one, unless none is.
        assert_eq!(broken(&[]), BTreeSet::from([1]));
        assert_eq!(broken(&[formula::not(big)]), BTreeSet::new());
    }
}
