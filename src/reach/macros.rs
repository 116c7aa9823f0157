//! Axioms that are definitions: `forall x :: f(x) == e` defines `f`, and `c == 5` defines `c`. Said as definitions
//! they cost the solver nothing, and take no quantifier reasoning away from what needs it.

use std::collections::{BTreeSet, HashMap};

use crate::boogie::ast::QuantKind;
use crate::boogie::typed::{BinOp, Expr, ExprKind, Program, Type};

/// What axioms define.
#[derive(Default)]
pub(super) struct Definitions {
    /// Functions: number, the numbers of the parameters, the body.
    pub functions: Vec<(usize, Vec<u32>, Expr)>,
    /// Constants that are literals.
    pub consts: HashMap<usize, Expr>,
    /// The axioms that said so.
    pub axioms: BTreeSet<usize>,
}

/// Finds the definitions among the axioms of a program.
pub(super) fn find(program: &Program) -> Definitions {
    let mut found = Definitions::default();
    let mut bodies = called_by_bodies(program);
    for (i, axiom) in program.axioms.iter().enumerate() {
        match &axiom.expr.kind {
            ExprKind::Binary(BinOp::Eq | BinOp::Iff, l, r) => {
                let pair = [(l, r), (r, l)]
                    .into_iter()
                    .find_map(|(c, value)| match c.kind {
                        ExprKind::Const(c) if is_literal(value) => Some((c, value)),
                        _ => None,
                    });
                if let Some((c, value)) = pair.filter(|(c, _)| !found.consts.contains_key(c)) {
                    found.consts.insert(c, (**value).clone());
                    found.axioms.insert(i);
                }
            }
            ExprKind::Quantified(q) if q.kind == QuantKind::Forall && q.type_params.is_empty() => {
                let ExprKind::Binary(BinOp::Eq | BinOp::Iff, l, r) = &q.body.kind else {
                    continue;
                };
                for (call, body) in [(l, r), (r, l)] {
                    let Some((f, params)) = defined(program, call, &q.vars) else {
                        continue;
                    };
                    let taken = bodies.get(f).is_none_or(Option::is_some);
                    let mut calls = called(body);
                    if taken || reaches(&bodies, &mut calls, f) {
                        continue;
                    }
                    if let Some(slot) = bodies.get_mut(f) {
                        *slot = Some(called(body));
                    }
                    found.functions.push((f, params, (**body).clone()));
                    found.axioms.insert(i);
                    break;
                }
            }
            _ => {}
        }
    }
    found
}

fn is_literal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Bv(..) => true,
        ExprKind::Neg(e) => matches!(e.kind, ExprKind::Int(_)),
        _ => false,
    }
}

/// The function that a call names, if its arguments are the bound variables, each once.
fn defined(program: &Program, call: &Expr, vars: &[(u32, Type)]) -> Option<(usize, Vec<u32>)> {
    let ExprKind::Call(f, types, args) = &call.kind else {
        return None;
    };
    let function = program.functions.get(*f)?;
    if function.builtin.is_some() || !types.is_empty() || args.len() != vars.len() {
        return None;
    }
    let params: Option<Vec<u32>> = args
        .iter()
        .map(|a| match a.kind {
            ExprKind::Bound(n) => Some(n),
            _ => None,
        })
        .collect();
    let params = params?;
    let bound: BTreeSet<u32> = vars.iter().map(|(n, _)| *n).collect();
    (params.iter().copied().collect::<BTreeSet<_>>() == bound).then_some((*f, params))
}

fn called(e: &Expr) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    e.visit(&mut |e| {
        if let ExprKind::Call(f, ..) = e.kind {
            all.insert(f);
        }
    });
    all
}

/// What the bodies of functions call; none where there is no body.
fn called_by_bodies(program: &Program) -> Vec<Option<BTreeSet<usize>>> {
    program
        .functions
        .iter()
        .map(|f| f.body.as_ref().map(called))
        .collect()
}

/// Do the calls lead to `target`, through bodies?
fn reaches(bodies: &[Option<BTreeSet<usize>>], from: &mut BTreeSet<usize>, target: usize) -> bool {
    let mut seen = BTreeSet::new();
    while let Some(f) = from.pop_first() {
        if f == target {
            return true;
        }
        if seen.insert(f) {
            from.extend(bodies.get(f).into_iter().flatten().flatten());
        }
    }
    false
}

/// Is the function defined by itself?
pub(super) fn is_recursive(program: &Program, f: usize) -> bool {
    let bodies = called_by_bodies(program);
    let mut from = bodies.get(f).cloned().flatten().unwrap_or_default();
    reaches(&bodies, &mut from, f)
}

/// The functions, those that a body calls before the function.
pub(super) fn definition_order(program: &Program) -> Vec<usize> {
    let bodies = called_by_bodies(program);
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for root in 0..bodies.len() {
        let mut work = vec![(root, false)];
        while let Some((f, done)) = work.pop() {
            if done {
                order.push(f);
            } else if seen.insert(f) {
                work.push((f, true));
                let callees = bodies.get(f).into_iter().flatten().flatten();
                work.extend(callees.filter(|c| !seen.contains(c)).map(|c| (*c, false)));
            }
        }
    }
    order
}
