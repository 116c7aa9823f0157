//! Axioms that are definitions: `forall x :: f(x) == e` defines `f`, and `c == 5` defines `c`. Said as definitions
//! they cost the solver nothing, and take no quantifier reasoning away from what needs it.

use std::collections::{BTreeSet, HashMap};

use petgraph::graphmap::DiGraphMap;
use petgraph::visit::DfsPostOrder;

use crate::boogie::ast::QuantKind;
use crate::boogie::typed::{
    BinOp, BoogieType, ConstId, FunctionId, TypedExpr, TypedExprKind, TypedProgram,
};
use crate::ids::Table;
use crate::internal::Internal;

use super::dag::cyclic_components;

/// What axioms define.
#[derive(Default)]
pub(super) struct Definitions {
    /// Functions: number, the numbers of the parameters, the body.
    pub functions: Vec<(FunctionId, Vec<u32>, TypedExpr)>,
    /// Constants that are literals.
    pub consts: HashMap<ConstId, TypedExpr>,
    /// The axioms that said so.
    pub axioms: BTreeSet<usize>,
}

/// Finds the definitions among the axioms of a program.
pub(super) fn find(program: &TypedProgram) -> Result<Definitions, Internal> {
    let mut found = Definitions::default();
    let mut bodies = called_by_bodies(program);
    for (i, axiom) in program.axioms.iter().enumerate() {
        match &axiom.expr.kind {
            TypedExprKind::Binary(BinOp::Eq | BinOp::Iff, l, r) => {
                let pair = [(l, r), (r, l)]
                    .into_iter()
                    .find_map(|(c, value)| match c.kind {
                        TypedExprKind::Const(c) if is_literal(value) => Some((c, value)),
                        _ => None,
                    });
                if let Some((c, value)) = pair.filter(|(c, _)| !found.consts.contains_key(c)) {
                    found.consts.insert(c, (**value).clone());
                    found.axioms.insert(i);
                }
            }
            TypedExprKind::Quantified(q)
                if q.kind == QuantKind::Forall && q.type_params.is_empty() =>
            {
                let TypedExprKind::Binary(BinOp::Eq | BinOp::Iff, l, r) = &q.body.kind else {
                    continue;
                };
                for (call, body) in [(l, r), (r, l)] {
                    let Some((f, params)) = defined(program, call, &q.vars)? else {
                        continue;
                    };
                    if bodies.at(f)?.is_some() || reaches(&bodies, called(body), f)? {
                        continue;
                    }
                    *bodies.at_mut(f)? = Some(called(body));
                    found.functions.push((f, params, (**body).clone()));
                    found.axioms.insert(i);
                    break;
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

fn is_literal(e: &TypedExpr) -> bool {
    match &e.kind {
        TypedExprKind::Int(_) | TypedExprKind::Bool(_) | TypedExprKind::Bv(..) => true,
        TypedExprKind::Neg(e) => matches!(e.kind, TypedExprKind::Int(_)),
        _ => false,
    }
}

/// The function that a call names, if its arguments are the bound variables, each once.
fn defined(
    program: &TypedProgram,
    call: &TypedExpr,
    vars: &[(u32, BoogieType)],
) -> Result<Option<(FunctionId, Vec<u32>)>, Internal> {
    let TypedExprKind::Call(f, types, args) = &call.kind else {
        return Ok(None);
    };
    let function = program.functions.at(*f)?;
    if function.builtin.is_some() || !types.is_empty() || args.len() != vars.len() {
        return Ok(None);
    }
    let params = args.iter().map(|a| match a.kind {
        TypedExprKind::Bound(n) => Some(n),
        _ => None,
    });
    let Some(params) = params.collect::<Option<Vec<u32>>>() else {
        return Ok(None);
    };
    let bound: BTreeSet<u32> = vars.iter().map(|(n, _)| *n).collect();
    let once = params.iter().copied().collect::<BTreeSet<_>>() == bound;
    Ok(once.then_some((*f, params)))
}

fn called(e: &TypedExpr) -> BTreeSet<FunctionId> {
    let mut all = BTreeSet::new();
    e.visit(&mut |e| {
        if let TypedExprKind::Call(f, ..) = e.kind {
            all.insert(f);
        }
    });
    all
}

/// What the bodies of functions call; none where there is no body.
type Bodies = Table<FunctionId, Option<BTreeSet<FunctionId>>>;

fn called_by_bodies(program: &TypedProgram) -> Bodies {
    let bodies = program.functions.iter().map(|f| f.body.as_ref());
    bodies.map(|body| body.map(called)).collect()
}

/// Do the calls lead to `target`, through bodies?
fn reaches(
    bodies: &Bodies,
    mut from: BTreeSet<FunctionId>,
    target: FunctionId,
) -> Result<bool, Internal> {
    let mut seen = BTreeSet::new();
    while let Some(f) = from.pop_first() {
        if f == target {
            return Ok(true);
        }
        if seen.insert(f) {
            from.extend(bodies.at(f)?.iter().flatten());
        }
    }
    Ok(false)
}

/// Which function calls which in its body.
fn call_graph(program: &TypedProgram) -> DiGraphMap<FunctionId, ()> {
    let mut graph = DiGraphMap::new();
    for (f, callees) in called_by_bodies(program).pairs() {
        graph.add_node(f);
        // The walk takes the last of several edges first.
        for callee in callees.iter().flatten() {
            graph.add_edge(f, *callee, ());
        }
    }
    graph
}

/// The functions that are defined by themselves.
pub(super) fn recursive(program: &TypedProgram) -> BTreeSet<FunctionId> {
    let components = cyclic_components(&call_graph(program));
    components.into_iter().flatten().collect()
}

/// The functions, those that a body calls before the function.
pub(super) fn definition_order(program: &TypedProgram) -> Vec<FunctionId> {
    let graph = call_graph(program);
    let mut walk = DfsPostOrder::empty(&graph);
    let mut order = Vec::new();
    for root in program.functions.ids() {
        walk.move_to(root);
        while let Some(f) = walk.next(&graph) {
            order.push(f);
        }
    }
    order
}
