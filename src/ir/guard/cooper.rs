//! Elimination of an integer variable from a formula of linear arithmetic: D. C. Cooper, "Theorem Proving in
//! Arithmetic without Multiplication", Machine Intelligence 7, 1972.
//!
//! The formula is brought into negation normal form with atoms `0 < t`, `0 == t`, `0 != t`, `k | t`; the
//! variable's coefficients are made ±1; then `∃x. φ(x)` holds exactly when `φ` holds arbitrarily far out, or
//! within one period of some bound that an atom sets.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::ir::formula;
use crate::ir::{BinaryOp, CompareOp};
use crate::ir::{Expr, ExprKind, Type, VarId};

use super::elimination::Stuck;
use super::linear::Linear;
use crate::ir::formula::mentions;

/// The most disjuncts that a result may have.
const LIMIT: usize = 64;

/// A formula in negation normal form.
#[derive(Clone, Debug)]
enum Formula {
    /// A formula without the variable.
    Other(Expr),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Atom(Atom),
}

/// An atom `kind(coefficient · x + rest)`.
#[derive(Clone, Debug)]
struct Atom {
    kind: AtomKind,
    coefficient: BigInt,
    rest: Linear,
}

#[derive(Clone, Debug)]
enum AtomKind {
    /// `0 < t`
    Positive,
    /// `0 == t`
    Zero,
    /// `0 != t`
    NonZero,
    /// `k | t`
    Divides(BigInt),
    /// not `k | t`
    NotDivides(BigInt),
}

/// `∃ var. e`
pub(super) fn exists(var: VarId, e: &Expr) -> Result<Expr, Stuck> {
    let normal = normal_form(var, e, true)?;
    if let Some(result) = by_equation(&normal) {
        return Ok(result);
    }
    let unit = with_unit_coefficients(normal)?;
    let period = period(&unit)
        .to_usize()
        .filter(|p| *p <= LIMIT)
        .ok_or(Stuck::Size)?;
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    bounds(&unit, &mut lower, &mut upper);
    let down = lower.len() <= upper.len();
    let edges = if down { lower } else { upper };
    if (edges.len() + 1) * period > LIMIT {
        return Err(Stuck::Size);
    }
    let mut cases = Vec::new();
    for step in 1..=period {
        let offset = if down {
            BigInt::from(step)
        } else {
            -BigInt::from(step)
        };
        cases.push(far_out(&unit, down, &Linear::constant(offset.clone())));
        for edge in &edges {
            cases.push(at(&unit, &edge.plus_constant(&offset)));
        }
    }
    Ok(formula::any(cases))
}

/// A conjunction with an equation for the variable: the equation says what it is.
fn by_equation(normal: &Formula) -> Option<Expr> {
    let parts: &[Formula] = match normal {
        Formula::And(parts) => parts,
        atom => std::slice::from_ref(atom),
    };
    let solution = parts.iter().find_map(|part| match part {
        Formula::Atom(Atom {
            kind: AtomKind::Zero,
            coefficient,
            rest,
        }) if coefficient.abs().is_one() => Some(rest.scaled(&-coefficient)),
        _ => None,
    })?;
    Some(at(normal, &solution))
}

fn normal_form(var: VarId, e: &Expr, positive: bool) -> Result<Formula, Stuck> {
    if !mentions(e, &[var]) {
        return Ok(Formula::Other(if positive {
            e.clone()
        } else {
            formula::not(e.clone())
        }));
    }
    let both = |a: &Expr, b: &Expr, sign_a: bool, sign_b: bool| -> Result<Vec<Formula>, Stuck> {
        Ok(vec![
            normal_form(var, a, sign_a)?,
            normal_form(var, b, sign_b)?,
        ])
    };
    let choose = |conjunction: bool, parts| {
        if conjunction {
            Formula::And(parts)
        } else {
            Formula::Or(parts)
        }
    };
    match &*e.kind {
        ExprKind::Not(inner) => normal_form(var, inner, !positive),
        ExprKind::Binary(BinaryOp::And, a, b) => {
            Ok(choose(positive, both(a, b, positive, positive)?))
        }
        ExprKind::Binary(BinaryOp::Or, a, b) => {
            Ok(choose(!positive, both(a, b, positive, positive)?))
        }
        ExprKind::Binary(BinaryOp::Implies, a, b) => {
            Ok(choose(!positive, both(a, b, !positive, positive)?))
        }
        ExprKind::Binary(BinaryOp::Iff, a, b) => equivalence(var, a, b, positive),
        ExprKind::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b) if a.ty == Type::Bool => {
            equivalence(var, a, b, positive == (*op == CompareOp::Eq))
        }
        ExprKind::If(c, a, b) => Ok(Formula::Or(vec![
            Formula::And(vec![
                normal_form(var, c, true)?,
                normal_form(var, a, positive)?,
            ]),
            Formula::And(vec![
                normal_form(var, c, false)?,
                normal_form(var, b, positive)?,
            ]),
        ])),
        ExprKind::Compare(op, a, b) => {
            let op = if positive { *op } else { op.negated() };
            comparison(var, op, a, b)
        }
        _ => Err(Stuck::Form),
    }
}

fn equivalence(var: VarId, a: &Expr, b: &Expr, positive: bool) -> Result<Formula, Stuck> {
    Ok(Formula::Or(vec![
        Formula::And(vec![
            normal_form(var, a, true)?,
            normal_form(var, b, positive)?,
        ]),
        Formula::And(vec![
            normal_form(var, a, false)?,
            normal_form(var, b, !positive)?,
        ]),
    ]))
}

fn comparison(var: VarId, op: CompareOp, a: &Expr, b: &Expr) -> Result<Formula, Stuck> {
    if let Some(atom) = remainder(var, op, a, b).or_else(|| remainder(var, op, b, a)) {
        return Ok(atom);
    }
    let difference = Linear::of(b).minus(&Linear::of(a));
    let one = BigInt::one();
    let (kind, term) = match op {
        CompareOp::Lt => (AtomKind::Positive, difference),
        CompareOp::Le => (AtomKind::Positive, difference.plus_constant(&one)),
        CompareOp::Gt => (AtomKind::Positive, difference.scaled(&-&one)),
        CompareOp::Ge => (
            AtomKind::Positive,
            difference.scaled(&-&one).plus_constant(&one),
        ),
        CompareOp::Eq => (AtomKind::Zero, difference),
        CompareOp::Ne => (AtomKind::NonZero, difference),
    };
    atom_of(var, kind, &term, 0)
}

/// How deep quotients and remainders may be nested.
const DEPTH: usize = 4;

/// The largest divisor that is taken apart.
const DIVISOR: u32 = 16;

/// `kind(term)`. A quotient or remainder that depends on the variable is taken apart: by each remainder `r` that
/// there can be.
fn atom_of(var: VarId, kind: AtomKind, term: &Linear, depth: usize) -> Result<Formula, Stuck> {
    if let Some((coefficient, rest)) = term.split(var) {
        let atom = Atom {
            kind,
            coefficient,
            rest,
        };
        return Ok(if atom.coefficient.is_zero() {
            Formula::Other(instance(&atom, &Linear::constant(0)))
        } else {
            Formula::Atom(atom)
        });
    }
    let (division, factor, rest) = term.division(var).ok_or(Stuck::Form)?;
    let size = division.divisor.abs();
    if depth == DEPTH || size > BigInt::from(DIVISOR) {
        return Err(Stuck::Size);
    }
    let mut cases = Vec::new();
    let mut r = BigInt::zero();
    while r < size {
        let divided = division.dividend.plus_constant(&-&r);
        let known = if division.is_quotient {
            // k · (t div k) is t - r; and multiplied by |k|, the term has the same sign.
            let signed = &factor * division.divisor.signum();
            rest.scaled(&size).plus(&divided.scaled(&signed))
        } else {
            rest.plus_constant(&(&factor * &r))
        };
        cases.push(Formula::And(vec![
            atom_of(var, AtomKind::Divides(size.clone()), &divided, depth + 1)?,
            atom_of(var, kind.clone(), &known, depth + 1)?,
        ]));
        r += 1;
    }
    Ok(Formula::Or(cases))
}

/// `t mod k == r` and its negation, as divisibility.
fn remainder(var: VarId, op: CompareOp, left: &Expr, right: &Expr) -> Option<Formula> {
    let (ExprKind::Binary(BinaryOp::Mod, term, modulus), ExprKind::Int(r)) =
        (&*left.kind, &*right.kind)
    else {
        return None;
    };
    let ExprKind::Int(k) = &*modulus.kind else {
        return None;
    };
    let (k, equal) = (k.abs(), op == CompareOp::Eq);
    if k.is_zero() || !matches!(op, CompareOp::Eq | CompareOp::Ne) {
        return None;
    }
    if r.is_negative() || *r >= k {
        return Some(Formula::Other(formula::bool(!equal)));
    }
    let (coefficient, rest) = Linear::of(term).plus_constant(&-r).split(var)?;
    let kind = if equal {
        AtomKind::Divides(k)
    } else {
        AtomKind::NotDivides(k)
    };
    let atom = Atom {
        kind,
        coefficient,
        rest,
    };
    Some(if atom.coefficient.is_zero() {
        Formula::Other(instance(&atom, &Linear::constant(0)))
    } else {
        Formula::Atom(atom)
    })
}

/// Scales every atom so that the variable's coefficients are ±1: a new variable stands for `l · x`, and is
/// divisible by `l`.
fn with_unit_coefficients(normal: Formula) -> Result<Formula, Stuck> {
    let mut multiple = BigInt::one();
    visit(&normal, &mut |atom| {
        multiple = multiple.lcm(&atom.coefficient)
    });
    if multiple.is_one() {
        return Ok(normal);
    }
    let scaled = map_atoms(normal, &|atom: Atom| {
        let factor = &multiple / atom.coefficient.abs();
        let kind = match atom.kind {
            AtomKind::Divides(k) => AtomKind::Divides(k * &factor),
            AtomKind::NotDivides(k) => AtomKind::NotDivides(k * &factor),
            kind => kind,
        };
        Atom {
            kind,
            coefficient: atom.coefficient.signum(),
            rest: atom.rest.scaled(&factor),
        }
    });
    let divisible = Atom {
        kind: AtomKind::Divides(multiple),
        coefficient: BigInt::one(),
        rest: Linear::constant(0),
    };
    Ok(Formula::And(vec![scaled, Formula::Atom(divisible)]))
}

fn visit(formula: &Formula, see: &mut impl FnMut(&Atom)) {
    match formula {
        Formula::Other(_) => {}
        Formula::And(parts) | Formula::Or(parts) => parts.iter().for_each(|part| visit(part, see)),
        Formula::Atom(atom) => see(atom),
    }
}

fn map_atoms(formula: Formula, f: &impl Fn(Atom) -> Atom) -> Formula {
    let each = |parts: Vec<Formula>| parts.into_iter().map(|part| map_atoms(part, f)).collect();
    match formula {
        Formula::Other(e) => Formula::Other(e),
        Formula::And(parts) => Formula::And(each(parts)),
        Formula::Or(parts) => Formula::Or(each(parts)),
        Formula::Atom(atom) => Formula::Atom(f(atom)),
    }
}

/// After how many steps the divisibility atoms repeat.
fn period(formula: &Formula) -> BigInt {
    let mut period = BigInt::one();
    visit(formula, &mut |atom| {
        if let AtomKind::Divides(k) | AtomKind::NotDivides(k) = &atom.kind {
            period = period.lcm(k);
        }
    });
    period
}

/// The last values below which, and the first values above which, an atom changes its truth.
fn bounds(formula: &Formula, lower: &mut Vec<Linear>, upper: &mut Vec<Linear>) {
    let one = BigInt::one();
    visit(formula, &mut |atom| {
        // ±x + rest: the term is zero where x is ∓rest.
        let zero = atom.rest.scaled(&-&atom.coefficient);
        match atom.kind {
            AtomKind::Positive if atom.coefficient.is_positive() => lower.push(zero),
            AtomKind::Positive => upper.push(zero),
            AtomKind::Zero => {
                lower.push(zero.plus_constant(&-&one));
                upper.push(zero.plus_constant(&one));
            }
            AtomKind::NonZero => {
                lower.push(zero.clone());
                upper.push(zero);
            }
            AtomKind::Divides(_) | AtomKind::NotDivides(_) => {}
        }
    });
}

/// The formula where the variable is `value`.
fn at(formula: &Formula, value: &Linear) -> Expr {
    evaluate(formula, &|atom| instance(atom, value))
}

/// The formula where the variable is arbitrarily small (or large), and `value` up to a period.
fn far_out(formula: &Formula, small: bool, value: &Linear) -> Expr {
    evaluate(formula, &|atom| match atom.kind {
        AtomKind::Positive => formula::bool(atom.coefficient.is_negative() == small),
        AtomKind::Zero => formula::bool(false),
        AtomKind::NonZero => formula::bool(true),
        AtomKind::Divides(_) | AtomKind::NotDivides(_) => instance(atom, value),
    })
}

fn evaluate(formula: &Formula, atom: &impl Fn(&Atom) -> Expr) -> Expr {
    match formula {
        Formula::Other(e) => e.clone(),
        Formula::And(parts) => formula::all(parts.iter().map(|part| evaluate(part, atom))),
        Formula::Or(parts) => formula::any(parts.iter().map(|part| evaluate(part, atom))),
        Formula::Atom(a) => atom(a),
    }
}

/// The atom where the variable is `value`.
fn instance(atom: &Atom, value: &Linear) -> Expr {
    let term = atom.rest.plus(&value.scaled(&atom.coefficient));
    match &atom.kind {
        AtomKind::Positive if term.constant.is_positive() && is_natural(&term) => {
            formula::bool(true)
        }
        AtomKind::Positive => term.compared_to_zero(CompareOp::Gt),
        AtomKind::Zero => term.compared_to_zero(CompareOp::Eq),
        AtomKind::NonZero => term.compared_to_zero(CompareOp::Ne),
        AtomKind::Divides(k) => term.divisible_by(k),
        AtomKind::NotDivides(k) => formula::not(term.divisible_by(k)),
    }
}

/// Whether the types of what a sum reads say that nothing in it is negative but the constant.
fn is_natural(sum: &Linear) -> bool {
    let mut atoms = sum.atoms.iter();
    atoms.all(|(atom, coefficient)| coefficient.is_positive() && super::is_natural(atom))
}
