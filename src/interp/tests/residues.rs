use fastrand::Rng;

use super::{int, last_class, program};
use crate::interp::{Configuration, EvalError, HeapObject, Interpreter};

/// What a clause about an integer `x`, which is 7, says.
fn holds(clause: &str) -> Result<bool, EvalError> {
    let program = program(&format!("class C {{ var x: int; invariant {clause}; }}"));
    let mut now = Configuration::empty();
    let this = now.allocate(HeapObject::Instance {
        class: last_class(&program),
        fields: vec![int(7)],
    });
    now.this = Some(this);
    let clauses = &program.class(last_class(&program)).invariants;
    Interpreter::new(&program).all_hold(&now, this, clauses)
}

#[test]
fn sums_quotients_and_remainders() {
    let cases = [
        ("forall i: int :: i >= 2 ==> i mod 2 == 0 || i >= 3", true),
        ("exists i: int :: 2 * i == x", false),
        ("exists i: int :: 3 * i == x - 1", true),
        (
            "forall i: int :: i div 2 + i div 2 == i || i mod 2 == 1",
            true,
        ),
        (
            "forall i: int :: (i div 4) mod 2 == 0 ==> i mod 8 < 4",
            true,
        ),
        (
            "forall i: int :: (i div 4) mod 2 == 0 ==> i mod 8 < 3",
            false,
        ),
        (
            "exists i: nat :: 4 * i <= 99997 && 10000 * x + 1100 * ((i + 1) mod 10) + 11 * (i mod 10) > 79987",
            true,
        ),
        (
            "exists i: nat :: 4 * i <= 99997 && 10000 * x + 1100 * ((i + 1) mod 10) + 11 * (i mod 10) > 79988",
            false,
        ),
        ("exists i: nat :: i + i < 0", false),
        ("exists i: int :: i + i < 0", true),
        // Far away.
        (
            "exists i: int :: 3 * i > 1000000000000000000000 && 3 * i < 1000000000000000000003",
            true,
        ),
        (
            "exists i: int :: 3 * i > 1000000000000000000001 && 3 * i < 1000000000000000000002",
            false,
        ),
    ];
    for (clause, expected) in cases {
        assert_eq!(holds(clause), Ok(expected), "{clause}");
    }
}

/// More than that is asked of it, or by numbers that are not known to be positive.
#[test]
fn other_formulas_are_not_decided() {
    let others = [
        "exists i: int :: i * i == 49",
        "exists i: int :: (i + 1) mod (x - 7) == 0",
        "exists i: int :: 2 * i == 8 && i div (x - 8) > 0",
        "exists i: int, j: int :: 2 * i + 3 * j == x",
    ];
    for clause in others {
        let answer = holds(clause);
        assert!(
            matches!(answer, Err(EvalError::Undetermined(_))),
            "{clause}: {answer:?}"
        );
    }
}

/// `a * i + b * ((i + c) mod k) + d * (i div k) < e`, or with another comparison.
struct Comparison {
    factors: [i64; 3],
    shift: i64,
    by: i64,
    op: &'static str,
    bound: i64,
}

impl Comparison {
    fn random(dice: &mut Rng) -> Comparison {
        let mut factor = || dice.i64(-3..=3);
        Comparison {
            factors: [factor(), factor(), factor()],
            shift: dice.i64(0..4),
            by: dice.i64(1..=5),
            op: ["<", "<=", ">", ">=", "==", "!="][dice.usize(..6)],
            bound: dice.i64(-40..=40),
        }
    }

    fn text(&self) -> String {
        let Comparison {
            factors: [a, b, c],
            shift,
            by,
            op,
            bound,
        } = self;
        format!("({a}) * i + ({b}) * ((i + {shift}) mod {by}) + ({c}) * (i div {by}) {op} {bound}")
    }

    fn holds(&self, i: i64) -> bool {
        let [a, b, c] = self.factors;
        let sum = a * i + b * (i + self.shift).rem_euclid(self.by) + c * i.div_euclid(self.by);
        match self.op {
            "<" => sum < self.bound,
            "<=" => sum <= self.bound,
            ">" => sum > self.bound,
            ">=" => sum >= self.bound,
            "==" => sum == self.bound,
            _ => sum != self.bound,
        }
    }
}

/// No comparison changes its answer farther away than some hundreds: trying all numbers up to thousands decides.
#[test]
fn as_trying_all_numbers_says() {
    let mut dice = Rng::with_seed(7);
    let mut seen = [0; 2];
    for _ in 0..400 {
        let all: Vec<Comparison> = (0..dice.usize(1..=4))
            .map(|_| Comparison::random(&mut dice))
            .collect();
        let is_any = dice.bool();
        let sides: Vec<String> = all.iter().map(Comparison::text).collect();
        let body = sides.join(if is_any { " || " } else { " && " });
        let (from, range) = match dice.u8(..3) {
            0 => (-3000, ""),
            1 => (0, "i >= 0 && "),
            _ => (-5, "i > -6 && "),
        };
        let holds_at = |i: i64| match is_any {
            true => all.iter().any(|c| c.holds(i)),
            false => all.iter().all(|c| c.holds(i)),
        };
        let expected = (from..=3000).any(holds_at);
        let clause = format!("exists i: int :: {range}({body})");
        assert_eq!(holds(&clause), Ok(expected), "{clause}");
        let opposite = format!("forall i: int :: !({range}({body}))");
        assert_eq!(holds(&opposite), Ok(!expected), "{opposite}");
        seen[usize::from(expected)] += 1;
    }
    assert!(seen.iter().all(|times| *times > 20), "{seen:?}");
}
