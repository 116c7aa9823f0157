//! Shares of an amount, `a * b div c`, and what is linear of them.
//!
//! Whether a product of variables can have a value is what solvers decide by luck. Of a share `s` this is known without the
//! product, where none of the three is negative:
//!
//! ```text
//! b <= c ==> s <= a        a part is no more than the whole
//! b >= c ==> s >= a
//! a == 0 || b == 0 ==> s == 0
//! ```
//!
//! and the same with `a` and `b` in each other's place. Every share meets these. So where no value that does will do, no share
//! does; where one will, whether the share is such a one has to be worked out.

use num_bigint::Sign;

use super::effects::walk::{evaluated, place_operands, places, statements};
use super::formula::{all, any, compare, contains, implies, int, map_children};
use super::{BinaryOp, CompareOp, Expr, ExprKind, Program, Type};

/// A share of an amount.
#[derive(Clone, Copy, Debug)]
pub struct Share<'e> {
    /// The amount.
    pub amount: &'e Expr,
    /// The part of the whole that the share is of the amount.
    pub part: &'e Expr,
    /// The whole.
    pub whole: &'e Expr,
}

impl<'e> Share<'e> {
    /// The share that an expression is.
    pub fn of(e: &'e Expr) -> Option<Self> {
        let ExprKind::Binary(BinaryOp::Div, product, whole) = &*e.kind else {
            return None;
        };
        let ExprKind::Binary(BinaryOp::Mul, amount, part) = &*product.kind else {
            return None;
        };
        // Machine integers wrap around: they are no shares.
        let is_share = e.ty == Type::Int
            && product.ty == Type::Int
            && ![amount, part].into_iter().any(is_number);
        is_share.then_some(Share {
            amount,
            part,
            whole,
        })
    }

    /// What is linear of it, said of a value that stands for it, wherever its operands are what they are.
    pub fn linear(&self, value: &Expr) -> Expr {
        self.linear_but_for(value, &is_natural)
    }

    /// The same where what types promise of fields and parameters holds: not inside of bodies, where a `nat` may be negative.
    pub fn linear_as_promised(&self, program: &Program, value: &Expr) -> Expr {
        self.linear_but_for(value, &|e| is_promised(program, e))
    }

    /// What is linear of it where its operands have the signs that are not known.
    fn linear_but_for(&self, value: &Expr, is_natural: &dyn Fn(&Expr) -> bool) -> Expr {
        let bound = |factor: &Expr, other: &Expr, op: CompareOp| {
            implies(
                compare(op, other.clone(), self.whole.clone()),
                compare(op, value.clone(), factor.clone()),
            )
        };
        let with_zero = |e: &Expr, op| compare(op, e.clone(), int(0));
        let factors = [(self.amount, self.part), (self.part, self.amount)];
        let bounds = factors
            .into_iter()
            .flat_map(|(a, b)| [CompareOp::Le, CompareOp::Ge].map(|op| bound(a, b, op)));
        let is_nothing = any(factors.map(|(factor, _)| with_zero(factor, CompareOp::Eq)));
        let known = bounds.chain([
            implies(is_nothing, with_zero(value, CompareOp::Eq)),
            with_zero(value, CompareOp::Ge),
        ]);
        let factors = [self.amount, self.part].into_iter();
        let signs = factors.filter(|e| !is_natural(e));
        let signs = signs.map(|e| (e, CompareOp::Ge));
        // Where nothing is divided, as in the branch that is not taken, nothing is known.
        let signs = signs.chain([(self.whole, CompareOp::Gt)]);
        implies(all(signs.map(|(e, op)| with_zero(e, op))), all(known))
    }
}

fn is_number(e: &Expr) -> bool {
    matches!(&*e.kind, ExprKind::Int(_))
}

/// Whether it is known from its form that it is not negative.
fn is_natural(e: &Expr) -> bool {
    match &*e.kind {
        ExprKind::Int(value) => value.sign() != Sign::Minus,
        ExprKind::Length(_) => true,
        _ => false,
    }
}

/// Whether it is not negative where what types promise holds.
fn is_promised(program: &Program, e: &Expr) -> bool {
    let promised = |ty: &Type| match ty {
        Type::Nat => true,
        Type::Within(machine) | Type::Machine(machine) => !machine.signed,
        _ => false,
    };
    let both = |one, other| is_promised(program, one) && is_promised(program, other);
    match &*e.kind {
        ExprKind::Var(id) => program.vars.get(id.0).is_some_and(|var| promised(&var.ty)),
        ExprKind::Field(_, field) => promised(&program.field(*field).ty),
        ExprKind::Select(map, _) => matches!(&map.ty, Type::Map(_, value) if promised(value)),
        ExprKind::If(_, one, other) => both(one, other),
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Mul, one, other) => both(one, other),
        _ => is_natural(e),
    }
}

/// Whether what is inside of an expression is about other values than those that there are now.
pub fn is_apart(e: &Expr) -> bool {
    matches!(
        &*e.kind,
        ExprKind::Quantified(..) | ExprKind::Everywhere(_) | ExprKind::Old(_)
    )
}

/// Whether some routine or clause of a program speaks of a share.
pub fn has_shares(program: &Program) -> bool {
    let is_there = |e: &Expr| contains(e, &mut |e| Share::of(e).is_some());
    program.classes.iter().any(|class| {
        let functions = class.functions.iter().map(|function| &function.body);
        let states = class.states.iter().map(|state| &state.assumes);
        let mut clauses = class.invariants.iter().chain(&class.initially);
        clauses.any(is_there)
            || functions.chain(states).any(is_there)
            || class.routines.iter().any(|routine| {
                let mut clauses = routine.requires.iter().chain(&routine.ensures);
                clauses.any(is_there)
                    || statements(routine.body.as_deref()).into_iter().any(|stmt| {
                        let places = places(stmt).into_iter().flat_map(place_operands);
                        evaluated(stmt).into_iter().chain(places).any(is_there)
                    })
            })
    })
}

/// An expression with something else in the place of its shares, those inside of others first. What is said of each of many
/// values, or of earlier ones, stays.
pub fn replaced(e: &Expr, by: &mut dyn FnMut(Share<'_>, &Expr) -> Expr) -> Expr {
    if is_apart(e) {
        return e.clone();
    }
    let e = map_children(e, |child| replaced(child, by));
    match Share::of(&e) {
        Some(share) => by(share, &e),
        None => e,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq::parse_text;
    use crate::interp::{Configuration, Interpreter, ObjectId, Value};
    use crate::ir::{ClassId, RoutineKind};

    /// What is linear of the share in the clause of an action, in all small configurations, with `s` as what stands for it.
    fn truths(fields: &str, share: &str) -> Vec<([i64; 4], bool)> {
        let text =
            format!("class C {{ {fields} var s: int; action f() requires {share} == s {{ }} }}");
        let program = parse_text("c.tq", &text)
            .expect("it is well-formed")
            .program;
        let class = program.class(ClassId(0));
        let routine = class
            .routines_of(RoutineKind::Action)
            .next()
            .expect("an action");
        let clause = class.routines[routine].requires.first().expect("a clause");
        let ExprKind::Compare(_, share, value) = &*clause.kind else {
            panic!("no comparison");
        };
        let share = Share::of(share).expect("a share");
        let linear = match fields.contains("nat") {
            true => share.linear_as_promised(&program, value),
            false => share.linear(value),
        };
        let interpreter = Interpreter::new(&program);
        let mut found = Vec::new();
        for n in 0..7_i64.pow(4) {
            let [a, b, c, s] = [n % 7, n / 7 % 7, n / 49 % 7, n / 343].map(|n| n - 2);
            let fields = [a, b, c, s].map(Value::int).to_vec();
            let now = Configuration::with_this(ClassId(0), fields);
            let holds = interpreter.all_hold(&now, ObjectId(0), [&linear]);
            found.push(([a, b, c, s], holds.expect("decided")));
        }
        found
    }

    /// Of naturals this is asked where they are none too: that no sign is asked of them may say too much there.
    #[test]
    fn what_is_linear_holds_of_each_share() {
        for fields in [
            "var a: int; var b: int; var c: int;",
            "var a: nat; var b: nat; var c: nat;",
        ] {
            for ([a, b, c, s], holds) in truths(fields, "a * b div c") {
                let promised = fields.contains("int") || [a, b, c].iter().all(|n| *n >= 0);
                if c == 0 {
                    assert!(holds || !promised, "{a} * {b} div 0: anything is possible");
                } else if promised && s == (a * b).div_euclid(c) {
                    assert!(holds, "{a} * {b} div {c} == {s}");
                }
            }
        }
    }

    #[test]
    fn what_is_linear_says_something() {
        let wrong = |([a, b, c, s], holds): &([i64; 4], bool)| {
            *a >= 0 && *b >= 0 && *c > 0 && b <= c && s > a && *holds
        };
        assert!(
            !truths("var a: nat; var b: nat; var c: nat;", "a * b div c")
                .iter()
                .any(wrong)
        );
    }

    #[test]
    fn machine_integers_are_no_shares() {
        let text =
            "class C { var a: u8; var b: u8; var c: u8; action f() requires a * b div c == 1 { } }";
        let program = parse_text("c.tq", text).expect("it is well-formed").program;
        assert!(!has_shares(&program));
        let text = text.replace("u8", "int in u8");
        let program = parse_text("c.tq", &text)
            .expect("it is well-formed")
            .program;
        assert!(has_shares(&program));
    }
}
