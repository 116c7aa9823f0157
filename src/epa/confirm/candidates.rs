//! Clauses that may be invariants: made of what the class itself compares and of the values that were seen.
//!
//! Only clauses over what the object alone can change are made (`observables`): what others hold, others may change.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use super::affine::{Equality, equalities};
use super::cover::is;
use super::observables::{self, Observable};
use super::per_key::{self, PerKey};
use crate::interp::{Configuration, Interpreter, Value};
use crate::ir::effects::walk::evaluated;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{Block, Expr, ExprKind, Program, Stmt, StmtKind, Type};
use crate::ir::{expr_text, formula};
use crate::query::Subject;
use crate::query::kinds::{after_calls, calls, is_own};

/// No more numbers than these are compared with.
const MOST_NUMBERS: usize = 24;
/// No more cases of one number are made than this.
const MOST_CASES: usize = 12;
/// No more simple clauses are made than this.
const MOST_ATOMS: usize = 600;
/// Numbers that are no further from each other than this, give or take, are close.
const CLOSE: i32 = 2;
/// No more implications are made than this.
const MOST_IMPLICATIONS: usize = 1_500;
/// Of no more values of one configuration it is said that they do not go together, in no more clauses for all of them.
const MOST_VALUES: usize = 20;
const MOST_AGAINST: usize = 600;

/// Under no more conditions of the object is it said what its maps have.
const MOST_CONDITIONS: usize = 8;

/// A configuration that a run reached, with the number of calls made until then.
pub(super) type Observed = (u32, Configuration);

/// The clauses that hold of everything seen, each kind made when it is asked for.
pub(super) struct Candidates<'a> {
    maker: Maker<'a>,
    /// Comparisons, whether they hold or not.
    atoms: Vec<Expr>,
    /// Conditions of implications, with where they hold.
    conditions: OnceCell<Vec<(Expr, Vec<bool>)>>,
    /// What the numbers have in common under these conditions.
    common: OnceCell<Vec<Common>>,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(subject: &'a Subject, seen: &'a [Observed]) -> Self {
        let maker = Maker::new(subject, seen);
        Candidates {
            atoms: maker.atoms(),
            conditions: OnceCell::new(),
            common: OnceCell::new(),
            maker,
        }
    }

    /// Comparisons, as they are, and what the numbers have in common.
    pub(super) fn atoms(&self) -> Vec<Expr> {
        let mut atoms = self.maker.holding(self.atoms.clone());
        atoms.extend(self.maker.equalities());
        atoms
    }

    /// What the numbers have in common under a condition, but for what is known of them anyway. (What holds of everything seen need
    /// not hold elsewhere.)
    pub(super) fn equalities(&self, known: &[Expr]) -> Vec<Expr> {
        self.maker.conditional_equalities(self.common(), known)
    }

    /// Bounds of sums that do not change under a condition, but do elsewhere.
    pub(super) fn sums(&self) -> Vec<Expr> {
        self.maker.sums(self.common())
    }

    fn common(&self) -> &[Common] {
        let all = || self.maker.common(self.conditions());
        self.common.get_or_init(all)
    }

    /// Implications between comparisons.
    pub(super) fn implications(&self) -> Vec<Expr> {
        self.maker.implications(self.conditions(), &self.atoms)
    }

    fn conditions(&self) -> &[(Expr, Vec<bool>)] {
        let all = || self.maker.conditions(&self.atoms);
        self.conditions.get_or_init(all)
    }

    /// Clauses that these configurations break, and nothing seen does: that some of the values of one do not go together.
    pub(super) fn against(&self, odd: &[Configuration], together: Together) -> Vec<Expr> {
        let clauses = odd.iter().flat_map(|odd| self.maker.against(odd, together));
        let mut clauses = self.maker.distinct(clauses.collect());
        clauses.truncate(MOST_AGAINST);
        clauses
    }

    /// What maps have at every key, by itself, together, and where the class compares something of the object.
    pub(super) fn per_key(&self) -> Vec<PerKey> {
        let Mentioned { atoms, numbers } = &self.maker.mentioned;
        let mut atoms = self.maker.distinct(atoms.clone());
        atoms.truncate(MOST_CONDITIONS);
        per_key::clauses(self.maker.subject, (&atoms, numbers), self.maker.seen)
    }

    /// Bounds that grow with the number of calls.
    pub(super) fn growth(&self) -> Vec<Expr> {
        self.maker.growth()
    }
}

/// Which values of a configuration are said not to go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Together {
    /// Two of which nothing seen has both, and three of which nothing seen has more than two.
    Fewest,
    /// Three of which nothing seen has some two: if other objects have these two, they may not have the third.
    Three,
}

/// What the object's numbers have in common wherever a condition holds that does not hold everywhere.
struct Common {
    condition: Expr,
    equalities: Vec<Equality>,
    /// The numbers, by position, that are always the same there and not everywhere, with what they are.
    constants: Vec<(usize, BigInt)>,
}

/// How far two numbers of the object are from each other.
struct Difference {
    numbers: [Observable; 2],
    /// In each configuration that was seen; none where one of them has no value.
    values: Vec<Option<BigInt>>,
}

impl Difference {
    /// Bounds where a condition holds, if they are close there, and not everywhere: a position and the one before it. (That they are
    /// always as far from each other is an [`Equality`].)
    fn bounds_where(&self, when: &[bool]) -> Vec<Expr> {
        let here = self.values.iter().zip(when).filter(|(_, when)| **when);
        let here: BTreeSet<&BigInt> = here.filter_map(|(value, _)| value.as_ref()).collect();
        let everywhere: BTreeSet<&BigInt> = self.values.iter().flatten().collect();
        let (Some(low), Some(high)) = (here.first(), here.last()) else {
            return Vec::new();
        };
        if low == high || *high - *low > BigInt::from(CLOSE) {
            return Vec::new();
        }
        let factors = [1, -1].map(BigInt::from);
        let bound = |op, number| compare_sum(&self.numbers, &factors, op, number);
        let mut bounds = Vec::new();
        if everywhere.first().is_some_and(|least| least < low) {
            bounds.push(bound(CompareOp::Ge, *low));
        }
        if everywhere.last().is_some_and(|most| most > high) {
            bounds.push(bound(CompareOp::Le, *high));
        }
        bounds
    }
}

/// What the class mentions.
#[derive(Default)]
struct Mentioned {
    atoms: Vec<Expr>,
    numbers: BTreeSet<BigInt>,
}

/// The clauses that the class by itself suggests: simple ones, and implications between them.
pub fn clauses_of_class(subject: &Subject) -> (Vec<Expr>, Vec<Expr>) {
    let maker = Maker::new(subject, &[]);
    let atoms = maker.atoms();
    let implications = maker.implications(&maker.conditions(&atoms), &atoms);
    (atoms, implications)
}

/// The simple clauses that the class by itself suggests.
pub fn atoms_of_class(subject: &Subject) -> Vec<Expr> {
    Maker::new(subject, &[]).atoms()
}

/// The numbers that the class mentions, zero and one among them.
pub(in crate::epa) fn numbers_of_class(subject: &Subject) -> BTreeSet<BigInt> {
    Maker::new(subject, &[]).mentioned.numbers
}

/// The clauses without bounds that others of them are closer than.
pub(super) fn closest(clauses: Vec<Expr>) -> Vec<Expr> {
    let mut best: Vec<(Bound, usize)> = Vec::new();
    let mut beaten = BTreeSet::new();
    for (index, clause) in clauses.iter().enumerate() {
        let Some(bound) = bound_of(clause) else {
            continue;
        };
        match best
            .iter_mut()
            .find(|(other, _)| other.shape == bound.shape && same_all(&other.parts, &bound.parts))
        {
            None => best.push((bound, index)),
            Some((other, at)) => {
                let closer = if bound.shape.upper {
                    bound.number < other.number
                } else {
                    bound.number > other.number
                };
                if closer {
                    beaten.insert(*at);
                    (*other, *at) = (bound, index);
                } else {
                    beaten.insert(index);
                }
            }
        }
    }
    let mut index = 0;
    let mut clauses = clauses;
    clauses.retain(|_| {
        index += 1;
        !beaten.contains(&(index - 1))
    });
    clauses
}

/// A bound by a number: its condition, what is bounded, and what grows, as far as there are any.
struct Bound {
    shape: BoundShape,
    parts: Vec<Expr>,
    number: BigInt,
}

#[derive(PartialEq, Eq)]
struct BoundShape {
    upper: bool,
    conditional: bool,
    growing: bool,
}

fn bound_of(clause: &Expr) -> Option<Bound> {
    let (condition, bound) = match &*clause.kind {
        ExprKind::Binary(BinaryOp::Implies, p, q) => (Some(p), q),
        _ => (None, clause),
    };
    let ExprKind::Compare(op @ (CompareOp::Le | CompareOp::Ge), e, limit) = &*bound.kind else {
        return None;
    };
    let (number, rise) = match &*limit.kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, number, rise) => (number, Some(rise)),
        _ => (limit, None),
    };
    let ExprKind::Int(number) = &*number.kind else {
        return None;
    };
    Some(Bound {
        shape: BoundShape {
            upper: *op == CompareOp::Le,
            conditional: condition.is_some(),
            growing: rise.is_some(),
        },
        parts: condition
            .into_iter()
            .chain([e])
            .chain(rise)
            .cloned()
            .collect(),
        number: number.clone(),
    })
}

/// What bounds what lies between two numbers: they do, and the closest of others.
fn around(low: &BigInt, high: &BigInt, others: &BTreeSet<BigInt>) -> Vec<(CompareOp, BigInt)> {
    let lower = others.range(..low).rev().take(2);
    let lower = [low].into_iter().chain(lower);
    let higher = others.range(high..).filter(|n| *n != high).take(2);
    let higher = [high].into_iter().chain(higher);
    let lower = lower.map(|n| (CompareOp::Ge, n.clone()));
    let higher = higher.map(|n| (CompareOp::Le, n.clone()));
    lower.chain(higher).collect()
}

fn bounded(number: &Observable, (op, limit): (CompareOp, BigInt)) -> Expr {
    formula::compare(op, number.e.clone(), formula::int(limit))
}

fn is_number(e: &Expr) -> bool {
    matches!(e.ty, Type::Int | Type::Machine(_))
}

/// An equality of numbers as a clause.
fn sum_is(numbers: &[Observable], equality: &Equality) -> Expr {
    compare_sum(numbers, &equality.factors, CompareOp::Eq, &equality.sum)
}

/// What the sum of numbers, each times a factor, is compared with a number: what has a negative factor is on the other side.
fn compare_sum(numbers: &[Observable], factors: &[BigInt], op: CompareOp, number: &BigInt) -> Expr {
    let zero = BigInt::from(0);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for (Observable { e, .. }, factor) in numbers.iter().zip(factors) {
        let side = if *factor > zero {
            &mut left
        } else {
            &mut right
        };
        let times = if *factor > zero {
            factor.clone()
        } else {
            -factor
        };
        if times == BigInt::from(1) {
            side.push(whole(e));
        } else if times > zero {
            side.push(in_sum(BinaryOp::Mul, formula::int(times), whole(e)));
        }
    }
    if *number < zero {
        left.push(formula::int(-number));
    } else if *number > zero || right.is_empty() {
        right.push(formula::int(number.clone()));
    }
    if left.is_empty() {
        left.push(formula::int(zero));
    }
    let sum = |terms: Vec<Expr>| {
        let mut terms = terms.into_iter();
        let first = terms.next().unwrap_or_else(|| formula::int(0));
        terms.fold(first, |all, term| in_sum(BinaryOp::Add, all, term))
    };
    formula::compare(op, sum(left), sum(right))
}

fn in_sum(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    formula::expr(ExprKind::Binary(op, a, b), Type::Int)
}

/// A number as one that does not wrap.
fn whole(e: &Expr) -> Expr {
    match e.ty {
        Type::Int => e.clone(),
        _ => formula::expr(ExprKind::Convert(e.clone()), Type::Int),
    }
}

fn same_all(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| formula::same(a, b))
}

struct Maker<'a> {
    subject: &'a Subject,
    program: &'a Program,
    seen: &'a [Observed],
    mentioned: Mentioned,
}

impl<'a> Maker<'a> {
    fn new(subject: &'a Subject, seen: &'a [Observed]) -> Self {
        let program = &subject.program;
        let mut maker = Maker {
            subject,
            program,
            seen,
            mentioned: Mentioned::default(),
        };
        maker
            .mentioned
            .numbers
            .extend([BigInt::from(0), BigInt::from(1)]);
        let class = program.class(subject.class);
        let clauses = class.invariants.iter().chain(&class.initially);
        let contracts = class
            .routines
            .iter()
            .flat_map(|r| r.requires.iter().chain(&r.ensures));
        for e in clauses.chain(contracts) {
            maker.look_at(e);
        }
        for field in class.fields.iter().filter_map(|f| f.value.as_ref()) {
            maker.look_at(field);
        }
        for routine in &class.routines {
            if let Some(body) = &routine.body {
                maker.look_into(body);
            }
        }
        maker
    }

    fn look_into(&mut self, body: &Block) {
        let mut blocks: Vec<&[Stmt]> = vec![body];
        while let Some(block) = blocks.pop() {
            for stmt in block {
                evaluated(stmt).into_iter().for_each(|e| self.look_at(e));
                if let StmtKind::While { invariants, .. } = &stmt.kind {
                    invariants.iter().for_each(|e| self.look_at(e));
                }
                blocks.extend(stmt.blocks().into_iter().map(Vec::as_slice));
            }
        }
    }

    /// Keeps the comparisons and the numbers of an expression.
    fn look_at(&mut self, e: &Expr) {
        let e = formula::inline_functions(self.program, e);
        let mut stack = vec![&e];
        while let Some(e) = stack.pop() {
            match &*e.kind {
                ExprKind::Int(n) => {
                    self.mentioned.numbers.insert(n.clone());
                }
                ExprKind::Compare(..) | ExprKind::Field(..)
                    if e.ty == Type::Bool && self.is_usable(e) =>
                {
                    self.mentioned.atoms.push(e.clone());
                }
                _ => {}
            }
            stack.extend(e.children());
        }
    }

    fn is_usable(&self, e: &Expr) -> bool {
        is_own(self.subject, e)
            && formula::contains(e, &mut |e| matches!(&*e.kind, ExprKind::Field(..)))
            && formula::hazards(self.program, e).is_empty()
    }

    /// What is behind the fields.
    fn inside(&self) -> Vec<Observable> {
        observables::inside(self.subject, self.seen, &self.mentioned.numbers)
    }

    fn integers(&self) -> Vec<Observable> {
        let mut fields = observables::fields(self.subject);
        fields.retain(|field| is_number(&field.e));
        fields
    }

    fn lengths(&self) -> impl Iterator<Item = Observable> {
        let is_length = |seen: &Observable| matches!(*seen.e.kind, ExprKind::Length(_));
        self.inside().into_iter().filter(is_length)
    }

    /// The values that were seen, where a condition holds of the configurations by position.
    fn range(&self, seen: &Observable, when: &[bool]) -> Option<(BigInt, BigInt)> {
        let values = self.seen.iter().zip(when).filter(|(_, when)| **when);
        let numbers = values.filter_map(|((_, configuration), _)| {
            match seen.value(self.program, configuration)? {
                Value::Int(n) => Some(n),
                _ => None,
            }
        });
        let numbers: Vec<BigInt> = numbers.collect();
        Some((numbers.iter().min()?.clone(), numbers.iter().max()?.clone()))
    }

    /// Bounds of a number; by all numbers of the class, where no value was seen.
    fn bounds(&self, number: &Observable) -> Vec<Expr> {
        let bounds = self.bounds_where(number, &vec![true; self.seen.len()]);
        let bounds = bounds.unwrap_or_else(|| {
            let all = [CompareOp::Ge, CompareOp::Le, CompareOp::Eq];
            let numbers = self.mentioned.numbers.iter().take(MOST_NUMBERS);
            numbers
                .flat_map(|n| all.map(|op| (op, n.clone())))
                .collect()
        });
        let bounds = bounds.into_iter();
        bounds.map(|bound| bounded(number, bound)).collect()
    }

    /// Bounds of a number where a condition holds of the configurations by position: as close as what was seen allows, and the closest
    /// ones with a number of the class. None where no value was seen.
    fn bounds_where(&self, number: &Observable, when: &[bool]) -> Option<Vec<(CompareOp, BigInt)>> {
        let (low, high) = self.range(number, when)?;
        let is = (low == high).then(|| (CompareOp::Eq, low.clone()));
        let around = around(&low, &high, &self.mentioned.numbers);
        Some(is.into_iter().chain(around).collect())
    }

    /// Simple clauses: comparisons of the class, and of each field with a value.
    fn atoms(&self) -> Vec<Expr> {
        let mut atoms = Vec::new();
        let fields = observables::fields(self.subject);
        let compared = observables::comparisons(self.program, &fields);
        for atom in self.mentioned.atoms.iter().chain(&compared) {
            atoms.push(atom.clone());
            atoms.push(formula::not(atom.clone()));
        }
        for seen in fields.into_iter().chain(self.inside()) {
            let of_values = self.of_values(&seen).into_iter();
            atoms.extend(of_values.map(|atom| seen.where_there(atom)));
        }
        let integers = self.integers();
        for (i, Observable { e: a, .. }) in integers.iter().enumerate() {
            for Observable { e: b, .. } in &integers[i + 1..] {
                for op in [
                    CompareOp::Le,
                    CompareOp::Ge,
                    CompareOp::Eq,
                    CompareOp::Ne,
                    CompareOp::Lt,
                    CompareOp::Gt,
                ] {
                    atoms.push(formula::compare(op, a.clone(), b.clone()));
                }
            }
        }
        let mut atoms = self.distinct(atoms);
        atoms.truncate(MOST_ATOMS);
        atoms
    }

    /// Comparisons with values.
    fn of_values(&self, seen: &Observable) -> Vec<Expr> {
        let e = &seen.e;
        let equal_or_not = |value: Expr| {
            [CompareOp::Eq, CompareOp::Ne].map(|op| formula::compare(op, e.clone(), value.clone()))
        };
        match &e.ty {
            Type::Bool => vec![e.clone(), formula::not(e.clone())],
            Type::Enum(id) => {
                let members = formula::members(self.program, *id).into_iter();
                members.flat_map(equal_or_not).collect()
            }
            Type::Class { .. } | Type::Array { .. } => equal_or_not(formula::null()).into(),
            Type::Int | Type::Machine(_) => self.bounds(seen),
            _ => vec![],
        }
    }

    fn text(&self, e: &Expr) -> String {
        expr_text(self.program, self.subject.class, e)
    }

    /// The clauses without repetitions, shorter ones first.
    fn distinct(&self, clauses: Vec<Expr>) -> Vec<Expr> {
        let mut by_text: BTreeMap<(usize, String), Expr> = BTreeMap::new();
        for clause in clauses {
            if !matches!(&*clause.kind, ExprKind::Bool(_)) {
                let text = self.text(&clause);
                by_text.entry((text.len(), text)).or_insert(clause);
            }
        }
        by_text.into_values().collect()
    }

    /// For each configuration seen, whether the clause holds there; none if that cannot be said.
    fn truth(&self, clause: &Expr) -> Option<Vec<bool>> {
        let interpreter = Interpreter::new(self.program).with_fuel(10_000);
        let values = self.seen.iter().map(|(calls, configuration)| {
            let clause = after_calls(clause, formula::int(*calls));
            interpreter
                .all_hold(configuration, configuration.this?, [&clause])
                .ok()
        });
        values.collect()
    }

    fn holding(&self, clauses: Vec<Expr>) -> Vec<Expr> {
        let holds = |clause: &Expr| self.truth(clause).is_some_and(|t| t.iter().all(|b| *b));
        clauses.into_iter().filter(holds).collect()
    }

    /// The object's numbers in each configuration that was seen; none where one of them has no value.
    fn rows(&self) -> Vec<Option<Vec<BigInt>>> {
        let integers = self.integers();
        let rows = self.seen.iter().map(|(_, now)| {
            let numbers = integers
                .iter()
                .map(|number| match number.value(self.program, now)? {
                    Value::Int(n) => Some(n),
                    _ => None,
                });
            numbers.collect()
        });
        rows.collect()
    }

    /// Equalities between sums of the object's numbers, which hold of all that was seen.
    fn equalities(&self) -> Vec<Expr> {
        let rows: Vec<Vec<BigInt>> = self.rows().into_iter().flatten().collect();
        let integers = self.integers();
        let found = equalities(&rows).into_iter();
        found.map(|equality| sum_is(&integers, &equality)).collect()
    }

    /// What the numbers have in common where each of these conditions holds, if it does not hold of everything seen.
    fn common(&self, conditions: &[(Expr, Vec<bool>)]) -> Vec<Common> {
        let all = self.rows();
        let everywhere: Vec<Vec<BigInt>> = all.iter().flatten().cloned().collect();
        let is_always = |column: usize, number: &BigInt, rows: &[Vec<BigInt>]| {
            rows.iter().all(|row| row.get(column) == Some(number))
        };
        let conditions = conditions.iter();
        let conditions =
            conditions.filter(|(_, when)| when.contains(&true) && when.contains(&false));
        let common = conditions.map(|(condition, when)| {
            let here = all.iter().zip(when).filter(|(_, when)| **when);
            let here: Vec<Vec<BigInt>> = here.filter_map(|(row, _)| row.clone()).collect();
            let first = here.first().into_iter().flatten().enumerate();
            let constants = first.filter(|(column, number)| {
                is_always(*column, number, &here) && !is_always(*column, number, &everywhere)
            });
            Common {
                condition: condition.clone(),
                equalities: equalities(&here),
                constants: constants.map(|(at, number)| (at, number.clone())).collect(),
            }
        });
        common.collect()
    }

    /// Bounds of what is the same wherever some condition holds, and not everywhere: by numbers of the class and by the most and
    /// the least that was seen. What was paid too much is so no more than there ever is.
    fn sums(&self, common: &[Common]) -> Vec<Expr> {
        let integers = self.integers();
        let equalities = common.iter().flat_map(|common| &common.equalities);
        let factors: BTreeSet<&Vec<BigInt>> = equalities.map(|e| &e.factors).collect();
        // Sums are negative as well.
        let numbers = self.mentioned.numbers.iter();
        let numbers: BTreeSet<BigInt> = numbers.flat_map(|n| [n.clone(), -n]).collect();
        let all = self.rows();
        let mut found = Vec::new();
        for factors in factors {
            let sum = |row: &Vec<BigInt>| row.iter().zip(factors).map(|(n, f)| n * f).sum();
            let sums: BTreeSet<BigInt> = all.iter().flatten().map(sum).collect();
            let ends = sums.first().zip(sums.last());
            if let Some((low, high)) = ends.filter(|(low, high)| low < high) {
                let bounds = around(low, high, &numbers).into_iter();
                found.extend(bounds.map(|(op, n)| compare_sum(&integers, factors, op, &n)));
            }
        }
        let mut found = self.distinct(found);
        found.truncate(MOST_ATOMS);
        found
    }

    /// What the numbers have in common under conditions, and which of them is always the same there; but for what is known.
    fn conditional_equalities(&self, common: &[Common], known: &[Expr]) -> Vec<Expr> {
        let integers = self.integers();
        let mut found = Vec::new();
        for Common {
            condition: p,
            equalities,
            constants,
        } in common
        {
            let here = equalities
                .iter()
                .map(|equality| sum_is(&integers, equality));
            let new = here.filter(|q| !known.iter().any(|e| formula::same(e, q)));
            let constants = constants.iter().filter_map(|(at, number)| {
                Some(bounded(integers.get(*at)?, (CompareOp::Eq, number.clone())))
            });
            let constants = constants.filter(|q| !formula::same(p, q));
            found.extend(new.chain(constants).map(|q| formula::implies(p.clone(), q)));
        }
        let mut found = self.distinct(found);
        found.truncate(MOST_ATOMS);
        found
    }

    /// Conditions of implications, with where they hold.
    fn conditions(&self, atoms: &[Expr]) -> Vec<(Expr, Vec<bool>)> {
        let mut conditions: Vec<Expr> = Vec::new();
        for action in &self.subject.actions {
            for guard in [&action.guard.enabled, &action.guard.disabled] {
                if self.is_usable(guard) {
                    conditions.push(guard.clone());
                }
            }
        }
        for atom in &self.mentioned.atoms {
            conditions.extend([atom.clone(), formula::not(atom.clone())]);
        }
        let is_bound = |e: &&Expr| match &*e.kind {
            ExprKind::Compare(_, a, b) => is_number(a) && is_number(b),
            _ => false,
        };
        conditions.extend(atoms.iter().filter(|e| !is_bound(e)).cloned());
        let numbers = self.mentioned.numbers.iter().take(MOST_CASES);
        for Observable { e, .. } in self.integers() {
            conditions.extend(
                numbers
                    .clone()
                    .map(|n| formula::compare(CompareOp::Eq, e.clone(), formula::int(n.clone()))),
            );
        }
        self.with_truth(self.distinct(conditions))
    }

    /// `p ==> q`, where `p` was seen both to hold and not to hold, and `q` not to hold.
    fn implications(&self, conditions: &[(Expr, Vec<bool>)], atoms: &[Expr]) -> Vec<Expr> {
        let results = self.with_truth(atoms.to_vec());
        let everywhere = vec![true; self.seen.len()];
        let numbers = self.integers().into_iter().chain(self.lengths());
        let numbers = numbers.filter_map(|number| {
            let range = self.range(&number, &everywhere)?;
            Some((number, range))
        });
        let numbers: Vec<(Observable, (BigInt, BigInt))> = numbers.collect();
        let differences = self.differences();
        let mut found = Vec::new();
        for (p, when) in conditions {
            if !self.seen.is_empty() && (!when.contains(&true) || !when.contains(&false)) {
                continue;
            }
            for (q, then) in &results {
                let fits = when.iter().zip(then).all(|(p, q)| !p || *q);
                let tells = self.seen.is_empty() || then.contains(&false);
                if fits && tells && !formula::same(p, q) {
                    found.push(formula::implies(p.clone(), q.clone()));
                }
            }
            for (number, (low, high)) in &numbers {
                // What holds of all that was seen is no news under a condition.
                let tells = |op: &CompareOp, n: &BigInt| match op {
                    CompareOp::Ge => n > low,
                    CompareOp::Le => n < high,
                    _ => true,
                };
                let bounds = self.bounds_where(number, when).into_iter().flatten();
                let bounds = bounds.filter(|(op, n)| tells(op, n));
                let bounds = bounds.map(|bound| number.where_there(bounded(number, bound)));
                let bounds = bounds.filter(|q| !formula::same(p, q));
                found.extend(bounds.map(|q| formula::implies(p.clone(), q)));
            }
            let bounds = differences.iter().flat_map(|d| d.bounds_where(when));
            found.extend(bounds.map(|q| formula::implies(p.clone(), q)));
        }
        let mut found = self.distinct(found);
        found.truncate(MOST_IMPLICATIONS);
        found
    }

    /// How far two of the object's numbers are from each other.
    fn differences(&self) -> Vec<Difference> {
        let integers = self.integers();
        let rows = self.rows();
        let mut found = Vec::new();
        for (at, a) in integers.iter().enumerate() {
            for (behind, b) in integers.iter().enumerate().skip(at + 1) {
                let values = rows.iter().map(|row| {
                    let row = row.as_ref()?;
                    Some(row.get(at)? - row.get(behind)?)
                });
                found.push(Difference {
                    numbers: [a.clone(), b.clone()],
                    values: values.collect(),
                });
            }
        }
        found
    }

    /// That values of a configuration do not go together, as nothing seen has all of them.
    fn against(&self, odd: &Configuration, together: Together) -> Vec<Expr> {
        let mut values = self.distinct(self.values_of(odd));
        values.truncate(MOST_VALUES);
        let values = self.with_truth(values);
        let were_together = |some: &[usize]| {
            let mut seen = 0..self.seen.len();
            seen.any(|at| some.iter().all(|value| values[*value].1[at]))
        };
        let never = |some: &[usize], last: usize| {
            let some = some.iter().map(|value| values[*value].0.clone());
            formula::implies(formula::all(some), formula::not(values[last].0.clone()))
        };
        let mut found = Vec::new();
        for a in 0..values.len() {
            for b in 0..a {
                let are_pair = were_together(&[a, b]);
                if !are_pair && together == Together::Fewest {
                    found.push(never(&[b], a));
                    continue;
                }
                let three = (0..b).filter(|c| {
                    let are_pairs = are_pair && were_together(&[a, *c]) && were_together(&[b, *c]);
                    are_pairs == (together == Together::Fewest) && !were_together(&[a, b, *c])
                });
                found.extend(three.map(|c| never(&[c, b], a)));
            }
        }
        found
    }

    /// What can be said of a configuration: the values of fields that have but a few, and where its numbers are, as the
    /// class compares them.
    fn values_of(&self, now: &Configuration) -> Vec<Expr> {
        let fields = observables::fields(self.subject).into_iter();
        let of_fields = fields.filter_map(|field| match field.e.ty {
            Type::Bool | Type::Enum(_) => {
                is(self.program, &field.e, &field.value(self.program, now)?)
            }
            _ => None,
        });
        let atoms = self.mentioned.atoms.iter();
        let of_numbers = atoms.filter_map(|atom| match &*atom.kind {
            ExprKind::Compare(_, a, _) if is_number(a) => {
                match observables::value(self.program, now, atom)? {
                    Value::Bool(true) => Some(atom.clone()),
                    _ => Some(formula::not(atom.clone())),
                }
            }
            _ => None,
        });
        of_fields.chain(of_numbers).collect()
    }

    fn with_truth(&self, clauses: Vec<Expr>) -> Vec<(Expr, Vec<bool>)> {
        let pairs = clauses.into_iter().filter_map(|clause| {
            let truth = self.truth(&clause)?;
            Some((clause, truth))
        });
        pairs.collect()
    }

    /// Bounds that grow, or fall, by so much a call.
    fn growth(&self) -> Vec<Expr> {
        let steps: Vec<BigInt> = self
            .mentioned
            .numbers
            .iter()
            .filter(|n| **n >= BigInt::from(1))
            .take(4)
            .cloned()
            .collect();
        let mut found = Vec::new();
        let integers = self.integers();
        let mut bounded: Vec<(Expr, Vec<BigInt>)> = Vec::new();
        for (i, number) in integers.iter().enumerate() {
            let e = &number.e;
            let mut starts: BTreeSet<BigInt> = self
                .mentioned
                .numbers
                .iter()
                .take(MOST_NUMBERS)
                .cloned()
                .collect();
            let first: Vec<bool> = self.seen.iter().map(|(calls, _)| *calls == 1).collect();
            starts.extend(
                self.range(number, &first)
                    .into_iter()
                    .flat_map(|(low, high)| [low, high]),
            );
            bounded.push((whole(e), starts.into_iter().collect()));
            for Observable { e: other, .. } in &integers[i + 1..] {
                bounded.push((
                    in_sum(BinaryOp::Add, whole(e), whole(other)),
                    vec![BigInt::from(0), BigInt::from(1)],
                ));
            }
        }
        for (e, numbers) in bounded {
            for step in &steps {
                for start in &numbers {
                    let rise = in_sum(BinaryOp::Mul, formula::int(step.clone()), calls());
                    let high = in_sum(BinaryOp::Add, formula::int(start - step), rise.clone());
                    let low = in_sum(BinaryOp::Sub, formula::int(start + step), rise);
                    found.push(formula::compare(CompareOp::Le, e.clone(), high));
                    found.push(formula::compare(CompareOp::Ge, e.clone(), low));
                }
            }
        }
        let mut found = self.holding(found);
        found.truncate(MOST_ATOMS);
        found
    }
}
