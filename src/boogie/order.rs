//! What the `extends` and `complete` clauses of constants say, as axioms on the partial order `<:` (*This is Boogie 2* §2).

use super::ast::{self, ChainOp, Pos, QuantKind};
use super::error::Error;
use super::typed::{
    Axiom, BinOp, BoogieType, ConstId, GlobalName, Quantified, TypedExpr, TypedExprKind,
    TypedProgram,
};

/// A constant and what it says of its place.
struct Child<'a> {
    constant: ConstId,
    ty: BoogieType,
    pos: Pos,
    order: &'a ast::ConstOrder,
    /// The constants right above it, and whether the edge is unique.
    parents: Vec<(ConstId, bool)>,
}

/// The axioms. `fresh` is the number of the bound variable they share.
///
/// # Errors
///
/// A parent that is no constant, or has another type.
pub(super) fn axioms(
    decls: &[ast::Decl],
    program: &TypedProgram,
    fresh: u32,
) -> Result<Vec<Axiom>, Error> {
    let children = children(decls, program)?;
    let mut all = Vec::new();
    for child in &children {
        let c = || constant(child.constant, &child.ty);
        let x = || bound(fresh, &child.ty);
        let mut say = |expr: TypedExpr| {
            all.push(Axiom {
                pos: child.pos,
                expr,
            });
        };
        let for_all = |trigger: Vec<TypedExpr>, body: TypedExpr| {
            TypedExpr::bool(TypedExprKind::Quantified(Box::new(Quantified {
                kind: QuantKind::Forall,
                pos: child.pos,
                type_params: Vec::new(),
                vars: vec![(fresh, child.ty.clone())],
                triggers: vec![trigger],
                body,
            })))
        };
        for (parent, _) in &child.parents {
            let p = || constant(*parent, &child.ty);
            say(binary(BinOp::Subtype, c(), p()));
            say(binary(BinOp::Ne, c(), p()));
            // Nothing is between them.
            let between = vec![
                binary(BinOp::Subtype, c(), x()),
                binary(BinOp::Subtype, x(), p()),
            ];
            let ends = vec![binary(BinOp::Eq, x(), c()), binary(BinOp::Eq, x(), p())];
            let both = chain(ChainOp::And, between.clone());
            let body = binary(BinOp::Implies, both, chain(ChainOp::Or, ends));
            say(for_all(between, body));
        }
        // What is above it is above a parent.
        let above = binary(BinOp::Subtype, c(), x());
        let mut ways = vec![binary(BinOp::Eq, x(), c())];
        let parents = child.parents.iter().map(|(p, _)| constant(*p, &child.ty));
        ways.extend(parents.map(|p| binary(BinOp::Subtype, p, x())));
        let body = binary(BinOp::Implies, above.clone(), chain(ChainOp::Or, ways));
        say(for_all(vec![above], body));
        if child.order.complete {
            // What is below it is below a child.
            let below = binary(BinOp::Subtype, x(), c());
            let mut ways = vec![binary(BinOp::Eq, x(), c())];
            let own = children
                .iter()
                .filter(|d| d.parents.iter().any(|(p, _)| *p == child.constant));
            ways.extend(own.map(|d| binary(BinOp::Subtype, x(), constant(d.constant, &child.ty))));
            let body = binary(BinOp::Implies, below.clone(), chain(ChainOp::Or, ways));
            say(for_all(vec![below], body));
        }
        // What is below it by a unique edge is below no sibling by another.
        let unique = child.parents.iter().filter(|(_, unique)| *unique);
        for (parent, _) in unique {
            let siblings = children
                .iter()
                .filter(|d| d.constant > child.constant && d.parents.contains(&(*parent, true)));
            for sibling in siblings {
                let d = constant(sibling.constant, &child.ty);
                let both = vec![
                    binary(BinOp::Subtype, x(), c()),
                    binary(BinOp::Subtype, x(), d),
                ];
                let body = TypedExprKind::Not(Box::new(chain(ChainOp::And, both.clone())));
                say(for_all(both, TypedExpr::bool(body)));
            }
        }
    }
    Ok(all)
}

fn children<'a>(decls: &'a [ast::Decl], program: &TypedProgram) -> Result<Vec<Child<'a>>, Error> {
    let find = |name: &str| match program.names.vars.get(name) {
        Some(GlobalName::Const(id)) => Ok(Some((*id, &program.consts.at(*id)?.ty))),
        _ => Ok::<_, Error>(None),
    };
    let mut all = Vec::new();
    for decl in decls {
        let ast::Decl::Const(decl) = decl else {
            continue;
        };
        let (Some(order), Some((constant, ty))) = (&decl.order, find(&decl.name)?) else {
            continue;
        };
        let mut parents = Vec::new();
        for parent in &order.parents {
            match find(&parent.name)? {
                Some((p, parent_ty)) if parent_ty == ty => parents.push((p, parent.unique)),
                _ => {
                    let message = format!("{} is no constant of this type", parent.name);
                    return Err(Error::new(parent.pos, message));
                }
            }
        }
        all.push(Child {
            constant,
            ty: ty.clone(),
            pos: decl.pos,
            order,
            parents,
        });
    }
    Ok(all)
}

fn constant(id: ConstId, ty: &BoogieType) -> TypedExpr {
    TypedExpr {
        kind: TypedExprKind::Const(id),
        ty: ty.clone(),
    }
}

fn bound(number: u32, ty: &BoogieType) -> TypedExpr {
    TypedExpr {
        kind: TypedExprKind::Bound(number),
        ty: ty.clone(),
    }
}

fn binary(op: BinOp, l: TypedExpr, r: TypedExpr) -> TypedExpr {
    TypedExpr::bool(TypedExprKind::Binary(op, Box::new(l), Box::new(r)))
}

fn chain(op: ChainOp, operands: Vec<TypedExpr>) -> TypedExpr {
    TypedExpr::bool(TypedExprKind::Chain(op, operands))
}
