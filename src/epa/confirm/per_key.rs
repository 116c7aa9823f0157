//! Clauses about what maps have at every key: who is owed something has voted, and what has no owner is not for sale.
//!
//! ```text
//! forall id: nat :: phase[id] == Open ==> seller[id] != 0
//! forall id: nat :: id >= count ==> phase[id] == None
//! ```
//!
//! Of what was seen, one key after the other is looked at: those that are written in some map, those near the object's numbers, and
//! one of the others. Whatever two comparisons no such key contradicts is said of all keys.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_bigint::BigInt;

use super::candidates::Observed;
use super::observables;
use super::proof::Prover;
use super::search::{ConfirmSearch, Desks};
use crate::encode::Encoding;
use crate::interp::{Configuration, Interpreter, Locals, Moment, Value};
use crate::ir::{
    CompareOp, Expr, ExprKind, Field, FieldRef, Program, Quantifier, Type, VarId, formula,
};
use crate::query::Subject;

/// Of no more maps is it said what they have in common at a key.
const MOST_MAPS: usize = 8;
/// With no more numbers of the class is it compared what they have.
const MOST_NUMBERS: usize = 4;
/// Nor with more numbers of the object.
const MOST_FIELDS: usize = 4;
/// Of no more configurations, and of each at no more keys, is it looked at.
const MOST_SEEN: usize = 100;
const MOST_KEYS: usize = 24;
/// No more clauses are made than these.
const MOST_CLAUSES: usize = 600;

/// A comparison at a key, and its opposite.
struct Atom {
    holds: Expr,
    /// The maps that it looks at.
    maps: BTreeSet<usize>,
    /// Whether it compares what a map has with values alone.
    is_of_values: bool,
}

/// Something that is said of what maps have at every key.
pub(super) struct PerKey {
    key: VarId,
    body: Expr,
}

/// What nothing seen contradicts, of one comparison first.
pub(super) fn clauses(
    subject: &Subject,
    (atoms, numbers): (&[Expr], &BTreeSet<BigInt>),
    seen: &[Observed],
) -> Vec<PerKey> {
    let program = &subject.program;
    let fields = formula::own_fields(program, subject.class);
    let mut by_key: BTreeMap<VarId, Vec<Expr>> = BTreeMap::new();
    for field in &fields {
        let Type::Map(key, _) = &field.ty else {
            continue;
        };
        if let Some(var) = key_variable(subject, key) {
            by_key.entry(var).or_default().push(field.clone());
        }
    }
    let all = by_key.into_iter().flat_map(|(key, maps)| {
        let about = AtKey {
            program,
            key,
            maps: maps.into_iter().take(MOST_MAPS).collect(),
            integers: integers(&fields),
        };
        let bodies = about.bodies(atoms, numbers, seen).into_iter();
        bodies.map(move |body| PerKey { key, body })
    });
    all.take(MOST_CLAUSES).collect()
}

/// Those of the clauses that all calls keep where these hold: for one key, of which nothing is said, as if each had a life of its own.
/// (That is not all that could be kept. What one key has may be what another one had; but a question about hundreds of formulas for
/// all keys takes seconds, and one about one key milliseconds.)
pub(super) fn kept(
    search: &ConfirmSearch<'_>,
    desks: &Desks<'_>,
    (clauses, known): (Vec<PerKey>, &[Expr]),
) -> Vec<Expr> {
    let subject = &search.encoding.subject;
    let mut program = Program::clone(&subject.program);
    let fields = &mut program.classes[subject.class.0].fields;
    let mut keys: BTreeMap<VarId, FieldRef> = BTreeMap::new();
    for PerKey { key, .. } in &clauses {
        keys.entry(*key).or_insert_with(|| {
            let index = fields.len();
            fields.push(Field {
                name: format!("some.key.{index}"),
                ty: subject.program.var(*key).ty.clone(),
                constant: true,
                value: None,
                span: Default::default(),
            });
            FieldRef {
                class: subject.class,
                index,
            }
        });
    }
    let with_keys = Arc::new(subject.in_program(program));
    let own = formula::own_fields(&with_keys.program, subject.class);
    let of_some = clauses.iter().filter_map(|PerKey { key, body }| {
        let some = own.get(keys.get(key)?.index)?.clone();
        Some(formula::Substitution::one(*key, some).apply(body))
    });
    let of_some = of_some.collect();
    let Ok(encoding) = Encoding::new(with_keys) else {
        return Vec::new();
    };
    let Some(desk) = desks.about(&encoding, search.options.engine) else {
        return Vec::new();
    };
    let prover = Prover {
        automaton: &search.automaton,
        mishaps: &[],
        desk: &desk,
        runner: None,
    };
    let kept = prover.inductive(known, of_some).into_iter();
    let of_all = kept.map(|body| {
        keys.iter().fold(body, |body, (key, field)| {
            let all = formula::with_field(&body, *field, &formula::var(&subject.program, *key));
            match formula::same(&all, &body) {
                true => body,
                false => forall(*key, all),
            }
        })
    });
    let of_all = of_all.collect();
    desks.take_note_of(&desk);
    of_all
}

fn forall(key: VarId, body: Expr) -> Expr {
    let kind = ExprKind::Quantified(Quantifier::Forall, vec![key], body);
    formula::expr(kind, Type::Bool)
}

/// A variable for keys of a type: one that some action looks up in a map, or any other. It does not matter which, as a quantifier
/// hides what else it is.
fn key_variable(subject: &Subject, key: &Type) -> Option<VarId> {
    let program = &subject.program;
    let is_such = |var: &VarId| program.var(*var).ty == *key;
    let class = program.class(subject.class);
    let required = class.routines.iter().flat_map(|routine| &routine.requires);
    let mut looked_up = None;
    for clause in required {
        formula::contains(clause, &mut |e| {
            if let ExprKind::Select(_, at) = &*e.kind
                && let ExprKind::Var(var) = &*at.kind
                && is_such(var)
            {
                looked_up = looked_up.or(Some(*var));
            }
            false
        });
    }
    looked_up.or_else(|| (0..program.vars.len()).map(VarId).find(is_such))
}

/// The numbers among the fields.
fn integers(fields: &[Expr]) -> Vec<Expr> {
    let integers = fields.iter().filter(|field| field.ty == Type::Int);
    integers.take(MOST_FIELDS).cloned().collect()
}

/// Whether it tells something that two comparisons exclude each other: not where the one is the other's opposite, where both are about
/// no map, or about one value of one map.
fn tells(p: &Atom, q: &Atom) -> bool {
    let is_same = p.maps == q.maps && (p.maps.is_empty() || (p.is_of_values && q.is_of_values));
    !is_same && !formula::same(&p.holds, &q.holds)
}

/// What is said of one type of keys.
struct AtKey<'a> {
    program: &'a Program,
    key: VarId,
    maps: Vec<Expr>,
    integers: Vec<Expr>,
}

impl AtKey<'_> {
    fn bodies(
        &self,
        of_object: &[Expr],
        numbers: &BTreeSet<BigInt>,
        seen: &[Observed],
    ) -> Vec<Expr> {
        let mut atoms = self.atoms(numbers);
        atoms.extend(of_object.iter().map(|holds| Atom {
            holds: holds.clone(),
            maps: BTreeSet::new(),
            is_of_values: false,
        }));
        let every = seen.len().div_ceil(MOST_SEEN).max(1);
        let seen = seen.iter().step_by(every);
        let rows: BTreeSet<Vec<Option<bool>>> =
            seen.flat_map(|(_, now)| self.rows(now, &atoms)).collect();
        // Each comparison with its opposite, and where it was seen to hold.
        let sides: Vec<(usize, bool)> = (0..atoms.len())
            .flat_map(|at| [(at, true), (at, false)])
            .collect();
        let is = |row: &Vec<Option<bool>>, (at, side): (usize, bool)| {
            row.get(at).copied().flatten() == Some(side)
        };
        let told = |(at, side): (usize, bool)| match side {
            true => atoms[at].holds.clone(),
            false => formula::not(atoms[at].holds.clone()),
        };
        let always = |side: (usize, bool)| rows.iter().all(|row| is(row, side));
        let mut found = Vec::new();
        let sometimes: Vec<(usize, bool)> = (sides.iter().copied())
            .filter(|side| !always(*side) && !always((side.0, !side.1)))
            .collect();
        let simple = sides.iter().filter(|(at, _)| !atoms[*at].maps.is_empty());
        found.extend(simple.filter(|side| always(**side)).map(|side| told(*side)));
        for (number, p) in sometimes.iter().enumerate() {
            // What is said the other way round is the same.
            for q in &sometimes[number + 1..] {
                if !tells(&atoms[p.0], &atoms[q.0]) {
                    continue;
                }
                let not_q = (q.0, !q.1);
                // Not both: `p ==> !q`.
                if rows.iter().all(|row| !is(row, *p) || is(row, not_q)) {
                    found.push(formula::implies(told(*p), told(not_q)));
                }
            }
        }
        found.truncate(MOST_CLAUSES);
        found
    }

    /// Comparisons of what the maps have at the key, and of the key.
    fn atoms(&self, numbers: &BTreeSet<BigInt>) -> Vec<Atom> {
        let key = formula::var(self.program, self.key);
        let mut atoms = Vec::new();
        let mut amounts: Vec<(usize, Expr)> = Vec::new();
        for (number, map) in self.maps.iter().enumerate() {
            let Type::Map(_, kept) = &map.ty else {
                continue;
            };
            let select = ExprKind::Select(map.clone(), key.clone());
            let there = formula::expr(select, kept.of_value());
            let equal = |value: Expr| formula::compare(CompareOp::Eq, there.clone(), value);
            let of_values: Vec<Expr> = match &there.ty {
                Type::Bool => vec![there.clone()],
                Type::Enum(id) => {
                    let members = formula::members(self.program, *id).into_iter();
                    members.map(equal).collect()
                }
                Type::Opaque(id) => {
                    let names = observables::names_of(self.program, *id).into_iter();
                    names.map(equal).collect()
                }
                Type::Int => {
                    let numbers = numbers.iter().take(MOST_NUMBERS);
                    let bounds = numbers.flat_map(|n| {
                        let ops = [CompareOp::Eq, CompareOp::Le];
                        ops.map(|op| formula::compare(op, there.clone(), formula::int(n.clone())))
                    });
                    bounds.collect()
                }
                _ => Vec::new(),
            };
            let is_amount = there.ty == Type::Int;
            let key = (key.ty == Type::Int).then_some(&key);
            let others = is_amount.then(|| self.compared(&there, key));
            for (is_of_values, all) in [(true, of_values), (false, others.unwrap_or_default())] {
                atoms.extend(all.into_iter().map(|holds| Atom {
                    holds,
                    maps: BTreeSet::from([number]),
                    is_of_values,
                }));
            }
            if is_amount {
                amounts.push((number, there));
            }
        }
        for (at, (one, a)) in amounts.iter().enumerate() {
            for (other, b) in &amounts[at + 1..] {
                for op in [CompareOp::Le, CompareOp::Ge] {
                    atoms.push(Atom {
                        holds: formula::compare(op, a.clone(), b.clone()),
                        maps: BTreeSet::from([*one, *other]),
                        is_of_values: false,
                    });
                }
            }
        }
        if key.ty == Type::Int {
            let zero = formula::compare(CompareOp::Eq, key.clone(), formula::int(0));
            let holds = [zero].into_iter().chain(self.compared(&key, None));
            atoms.extend(holds.map(|holds| Atom {
                holds,
                maps: BTreeSet::new(),
                is_of_values: false,
            }));
        }
        atoms
    }

    /// Comparisons with the object's numbers, and with another one.
    fn compared(&self, number: &Expr, other: Option<&Expr>) -> Vec<Expr> {
        let others = self.integers.iter().chain(other);
        let compared = others.flat_map(|other| {
            let ops = [CompareOp::Le, CompareOp::Ge];
            ops.map(|op| formula::compare(op, number.clone(), other.clone()))
        });
        compared.collect()
    }

    /// Which comparisons hold of a configuration, at each key that tells something.
    fn rows(&self, now: &Configuration, atoms: &[Atom]) -> Vec<Vec<Option<bool>>> {
        let interpreter = Interpreter::new(self.program).with_fuel(10_000);
        let keys = self.keys(now).into_iter();
        let rows = keys.map(|key| {
            let locals = Locals::from([(self.key, key)]);
            let moment = Moment::of(now, &locals);
            let holds = atoms.iter();
            let holds = holds.map(|atom| match interpreter.value(&moment, &atom.holds) {
                Ok(Value::Bool(holds)) => Some(holds),
                _ => None,
            });
            holds.collect()
        });
        rows.collect()
    }

    /// Keys that are written in some map, those near the object's numbers, and one of the others.
    fn keys(&self, now: &Configuration) -> BTreeSet<Value> {
        let maps = self.maps.iter();
        let maps = maps.filter_map(|map| observables::value(self.program, now, map));
        let mut keys: BTreeSet<Value> = BTreeSet::new();
        for map in maps {
            if let Value::Map(map) = map {
                keys.extend(map.exceptions().keys().take(MOST_KEYS).cloned());
            }
        }
        let ty = &self.program.var(self.key).ty;
        match ty {
            Type::Int | Type::Nat => {
                let fields = self.integers.iter();
                let fields = fields.filter_map(|f| observables::value(self.program, now, f));
                let numbers = fields.filter_map(|value| match value {
                    Value::Int(n) => Some(n),
                    _ => None,
                });
                let mut near: BTreeSet<BigInt> = numbers
                    .flat_map(|n| [&n - 1, n.clone(), n + 1])
                    .chain([BigInt::from(0)])
                    .collect();
                let largest = keys.iter().filter_map(|key| match key {
                    Value::Int(n) => Some(n),
                    _ => None,
                });
                let largest = largest.chain(&near).max().cloned();
                near.extend(largest.map(|n| n + 1));
                let near = near.into_iter().map(Value::Int);
                keys.extend(near.filter(|key| now.conforms(self.program, ty, key)));
            }
            Type::Opaque(id) => {
                let others = (0_u64..).map(|n| Value::Opaque(*id, n));
                let mut others = others.filter(|other| !keys.contains(other));
                let another = others.next();
                keys.extend(another);
            }
            _ => {}
        }
        keys
    }
}
