//! Integers where ways meet.
//!
//! Where every way gives an integer the same sum but for the constant (`x + 1` on one, `x + 3` on the other), its value
//! behind is said outright: `x + 1 + 2*k`, with an *indicator* `k` that is 1 on the second way and 0 on the first. All
//! integers that meet in a node share its indicators. So linear arithmetic sees the bounds of what a hundred branches
//! add up to, and that two variables are counted up by turns; equations that hold on one way each say the same, but
//! only by going through the ways one by one. And the sum needs neither a name nor a row of the solver's at every meeting.
//!
//! An indicator of an earlier meeting stays in the sum where some of the ways did not come through there: on those it is
//! 0. Between which bounds all ways together keep the sum is then said as well, for of the indicators' excluding each
//! other linear arithmetic knows nothing.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use num_traits::Signed;

use fixedbitset::FixedBitSet;

use super::term::{Symbol, Term, TermKind};
use crate::internal::{Internal, Sure};

/// Terms larger than this are not looked into.
const MAX_SIZE: u32 = 100;

/// How many different vectors of constants a meeting may have.
const MAX_CLASSES: usize = 8;

/// A sum: terms with their factors, and a constant.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sum {
    parts: Vec<(Term, BigInt)>,
    constant: BigInt,
}

impl Sum {
    fn of(term: &Term) -> Self {
        let mut sum = Sum::default();
        match term.size() <= MAX_SIZE {
            true => sum.add(term, &BigInt::from(1)),
            false => sum.add_part(term, &BigInt::from(1)),
        }
        sum.parts.retain(|(_, factor)| *factor != BigInt::ZERO);
        sum
    }

    fn add(&mut self, term: &Term, factor: &BigInt) {
        match term.kind() {
            TermKind::Int(n) => self.constant += n * factor,
            TermKind::App(op, args, _) if op == "+" => {
                args.iter().for_each(|a| self.add(a, factor))
            }
            TermKind::App(op, args, _) if op == "*" => match args.as_slice() {
                [number, term] => match number.kind() {
                    TermKind::Int(n) => self.add(term, &(n * factor)),
                    _ => self.add_part(term, factor),
                },
                _ => self.add_part(term, factor),
            },
            _ => self.add_part(term, factor),
        }
    }

    fn add_part(&mut self, term: &Term, factor: &BigInt) {
        match self.parts.iter_mut().find(|(t, _)| t == term) {
            Some((_, f)) => *f += factor,
            None => self.parts.push((term.clone(), factor.clone())),
        }
    }

    fn factor(&self, term: &Term) -> Option<&BigInt> {
        self.parts.iter().find(|(t, _)| t == term).map(|(_, f)| f)
    }

    fn term(&self) -> Term {
        let one = BigInt::from(1);
        let mut operands: Vec<Term> = Vec::new();
        for (term, factor) in &self.parts {
            operands.push(match *factor == one {
                true => term.clone(),
                false => Term::app("*", vec![Term::int(factor.clone()), term.clone()]),
            });
        }
        match (operands.len(), operands.pop()) {
            (_, None) => Term::int(self.constant.clone()),
            (1, Some(only)) => Term::plus(Some(only), self.constant.clone()),
            (_, Some(last)) => {
                operands.push(last);
                Term::plus(Some(Term::app("+", operands)), self.constant.clone())
            }
        }
    }
}

/// The indicators made so far: the bit of the meeting that each belongs to.
#[derive(Default)]
pub(super) struct Indicators(BTreeMap<Symbol, usize>);

impl Indicators {
    fn meeting_of(&self, term: &Term) -> Option<usize> {
        match term.kind() {
            TermKind::Symbol(n) => self.0.get(n).copied(),
            _ => None,
        }
    }
}

/// An integer that gets its value in a meeting.
struct Joined<P> {
    place: P,
    sum: Sum,
    /// The part of the sum that not all ways share.
    strays: Vec<(Term, BigInt)>,
    /// The bounds of that part and the way's constant together.
    bounds: (BigInt, BigInt),
}

impl<P> Joined<P> {
    /// What the way's constant, less that of `sum`, and those of the strays that the way has can add up to.
    fn bounds(sum: &Sum, ways: &[Option<Sum>], strays: &[(Term, BigInt)]) -> (BigInt, BigInt) {
        let (mut least, mut most) = (BigInt::ZERO, BigInt::ZERO);
        for way in ways.iter().flatten() {
            let constant = &way.constant - &sum.constant;
            let (mut low, mut high) = (constant.clone(), constant);
            for (_, factor) in strays.iter().filter(|(t, _)| way.factor(t).is_some()) {
                match factor.is_negative() {
                    true => low += factor,
                    false => high += factor,
                }
            }
            least = least.min(low);
            most = most.max(high);
        }
        (least, most)
    }
}

/// A node where ways meet, while the integers that meet there are collected.
pub(super) struct Meeting<'a, P> {
    indicators: &'a Indicators,
    /// The meetings that each way has come through.
    passed: &'a [FixedBitSet],
    joined: Vec<Joined<P>>,
    /// For each way the constants of the integers so far, less those of the first way.
    vectors: Vec<Vec<BigInt>>,
    /// For each way the indicators of earlier meetings that are 0 on it.
    absent: Vec<BTreeSet<Symbol>>,
}

/// What a meeting says.
pub(super) struct Met<P> {
    /// The values behind it.
    pub values: Vec<(P, Term)>,
    /// What holds in the node.
    pub here: Vec<Term>,
    /// What holds on each way.
    pub on_way: Vec<Vec<Term>>,
    /// What always holds.
    pub always: Vec<Term>,
}

impl<'a, P> Meeting<'a, P> {
    /// A meeting of ways that have come through these earlier ones.
    pub(super) fn new(indicators: &'a Indicators, passed: &'a [FixedBitSet]) -> Self {
        Meeting {
            indicators,
            passed,
            joined: Vec::new(),
            vectors: vec![Vec::new(); passed.len()],
            absent: vec![BTreeSet::new(); passed.len()],
        }
    }

    /// Takes an integer with its value on each way; none where its value does not matter. Gives it back if it cannot be
    /// said as a sum.
    pub(super) fn add(&mut self, place: P, values: &[Option<Term>]) -> Result<(), P> {
        let sums: Vec<Option<Sum>> = values.iter().map(|v| v.as_ref().map(Sum::of)).collect();
        let Some((sum, absent)) = self.common(&sums) else {
            return Err(place);
        };
        let offset = |s: &Option<Sum>| match s {
            Some(s) => &s.constant - &sum.constant,
            None => BigInt::ZERO,
        };
        let offsets: Vec<BigInt> = sums.iter().map(offset).collect();
        let with_offsets = self.vectors.iter().zip(&offsets);
        let classes: BTreeSet<(&Vec<BigInt>, &BigInt)> = with_offsets.collect();
        if classes.len() > MAX_CLASSES {
            return Err(place);
        }
        for (vector, offset) in self.vectors.iter_mut().zip(offsets) {
            vector.push(offset);
        }
        for (all, more) in self.absent.iter_mut().zip(absent) {
            all.extend(more);
        }
        let is_stray = |t: &Term| sums.iter().flatten().any(|s| s.factor(t).is_none());
        let parts = sum.parts.iter().filter(|(t, _)| is_stray(t));
        let strays: Vec<(Term, BigInt)> = parts.cloned().collect();
        let bounds = Joined::<P>::bounds(&sum, &sums, &strays);
        self.joined.push(Joined {
            place,
            sum,
            strays,
            bounds,
        });
        Ok(())
    }

    /// The sum that all ways share, with the first way's constant, and for each way the indicators that are 0 on it.
    fn common(&self, sums: &[Option<Sum>]) -> Option<(Sum, Vec<BTreeSet<Symbol>>)> {
        let mut common = Sum {
            constant: sums.iter().flatten().next()?.constant.clone(),
            parts: Vec::new(),
        };
        for (term, factor) in sums.iter().flatten().flat_map(|s| &s.parts) {
            match common.factor(term) {
                None => common.parts.push((term.clone(), factor.clone())),
                Some(known) if known != factor => return None,
                Some(_) => {}
            }
        }
        // Constants alone tell the solver more as they are.
        if common.parts.is_empty() {
            return None;
        }
        let mut absent = vec![BTreeSet::new(); sums.len()];
        for (term, _) in &common.parts {
            for ((sum, passed), absent) in sums.iter().zip(self.passed).zip(&mut absent) {
                if sum.as_ref().is_none_or(|s| s.factor(term).is_some()) {
                    continue;
                }
                let meeting = self.indicators.meeting_of(term)?;
                if passed.contains(meeting) {
                    return None;
                }
                if let TermKind::Symbol(n) = term.kind() {
                    absent.insert(*n);
                }
            }
        }
        Some((common, absent))
    }

    /// What the meeting says, and its indicators; new symbols are made by `fresh`.
    pub(super) fn meet(
        self,
        fresh: &mut dyn FnMut() -> Symbol,
    ) -> Result<(Met<P>, Vec<Symbol>), Internal> {
        let none = vec![BigInt::ZERO; self.joined.len()];
        let mut classes: Vec<(&Vec<BigInt>, Symbol)> = Vec::new();
        let mut class_of = Vec::new();
        for vector in &self.vectors {
            let known = classes.iter().position(|(v, _)| *v == vector);
            class_of.push(match known {
                _ if *vector == none => None,
                Some(class) => Some(class),
                None => {
                    classes.push((vector, fresh()));
                    Some(classes.len() - 1)
                }
            });
        }
        let is = |k: Symbol, value: u32| Term::app("=", vec![Term::symbol(k), Term::int(value)]);
        let mut on_way: Vec<Vec<Term>> = Vec::new();
        for (own, absent) in class_of.iter().zip(&self.absent) {
            let own_values = classes.iter().enumerate();
            let mut facts: Vec<Term> = own_values
                .map(|(class, (_, k))| is(*k, u32::from(*own == Some(class))))
                .collect();
            facts.extend(absent.iter().map(|k| is(*k, 0)));
            on_way.push(facts);
        }
        let mut always = Vec::new();
        for (_, k) in &classes {
            always.push(Term::app("<=", vec![Term::int(0), Term::symbol(*k)]));
            always.push(Term::app("<=", vec![Term::symbol(*k), Term::int(1)]));
        }
        if classes.len() > 1 {
            let all = classes.iter().map(|(_, k)| Term::symbol(*k)).collect();
            always.push(Term::app("<=", vec![Term::app("+", all), Term::int(1)]));
        }
        let (mut values, mut here) = (Vec::new(), Vec::new());
        for (column, joined) in self.joined.into_iter().enumerate() {
            let mut chosen: Vec<(Term, BigInt)> = Vec::new();
            for (vector, k) in &classes {
                let offset = vector.get(column).sure()?;
                if *offset != BigInt::ZERO {
                    chosen.push((Term::symbol(*k), offset.clone()));
                }
            }
            if !joined.strays.is_empty() {
                let vary = Sum {
                    parts: joined.strays.into_iter().chain(chosen.clone()).collect(),
                    constant: BigInt::ZERO,
                };
                let (least, most) = joined.bounds;
                here.push(Term::compare("<=", Term::int(least), vary.term()));
                here.push(Term::compare("<=", vary.term(), Term::int(most)));
            }
            let mut sum = joined.sum;
            sum.parts.extend(chosen);
            values.push((joined.place, sum.term()));
        }
        let made = classes.iter().map(|(_, k)| *k).collect();
        let met = Met {
            values,
            here,
            on_way,
            always,
        };
        Ok((met, made))
    }
}

impl Indicators {
    /// Notes indicators of the meeting with that bit.
    pub(super) fn made(&mut self, indicators: Vec<Symbol>, meeting: usize) {
        self.0.extend(indicators.into_iter().map(|k| (k, meeting)));
    }
}
