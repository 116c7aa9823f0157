//! At which types a quantifier over types says something of what the program uses.

use std::collections::{BTreeMap, BTreeSet};

use super::{UsedTypes, height, too_many};
use crate::boogie::typed::{BoogieType, FunctionId, MapType, Quantified, TypedExpr, TypedExprKind};
use crate::reach::error::Result;

/// How many types one quantifier may be instantiated at.
const MAX_TUPLES: usize = 1_000;

/// Something with types in it that the program may use.
enum Pattern {
    /// A function at types.
    Function(FunctionId, Vec<BoogieType>),
    /// An access to a map with type parameters, at types.
    Map(MapType, Vec<BoogieType>),
    /// A type.
    Type(BoogieType),
}

type TypeBindings = BTreeMap<u32, BoogieType>;

/// The types for a quantifier's parameters at which one of its functions or maps is used, in the order of the parameters.
/// For a parameter that no function and map tells of, the types of the bound variables do, or else any type will do.
pub(super) fn candidates(
    q: &Quantified,
    seen: &UsedTypes,
    depth: usize,
) -> Result<BTreeSet<Vec<BoogieType>>> {
    let params = &q.type_params;
    let mut patterns = Vec::new();
    let exprs = q.triggers.iter().flatten().chain([&q.body]);
    exprs.for_each(|e| e.visit(&mut |e| collect(e, params, &mut patterns)));
    let told = |patterns: &[Pattern], n: u32| patterns.iter().any(|p| p.mentions(n));
    for (_, ty) in &q.vars {
        let untold = params
            .iter()
            .any(|n| mentions(ty, *n) && !told(&patterns, *n));
        if untold && !matches!(ty, BoogieType::Param(_)) {
            patterns.push(Pattern::Type(ty.clone()));
        }
    }
    let mut whole: BTreeSet<Vec<BoogieType>> = BTreeSet::new();
    let mut single: BTreeMap<u32, BTreeSet<BoogieType>> = BTreeMap::new();
    let shallow = |ty: &&BoogieType| height(ty) <= depth;
    for pattern in &patterns {
        for found in pattern.matches(seen) {
            let types: Vec<BoogieType> = params
                .iter()
                .filter_map(|n| found.get(n).cloned())
                .collect();
            if types.iter().any(|t| !shallow(&t)) {
                continue;
            }
            if types.len() == params.len() {
                whole.insert(types);
            } else {
                let pairs = params
                    .iter()
                    .filter_map(|n| Some((*n, found.get(n)?.clone())));
                pairs.for_each(|(n, t)| {
                    single.entry(n).or_default().insert(t);
                });
            }
        }
    }
    let covered = patterns
        .iter()
        .any(|p| params.iter().all(|n| p.mentions(*n)));
    if !covered {
        let any: BTreeSet<BoogieType> = seen.types.iter().filter(shallow).cloned().collect();
        let none = BTreeSet::new();
        let sets: Vec<&BTreeSet<BoogieType>> = params
            .iter()
            .map(|n| match told(&patterns, *n) {
                true => single.get(n).unwrap_or(&none),
                false => &any,
            })
            .collect();
        whole.extend(product(&sets, MAX_TUPLES).ok_or_else(|| too_many(q.pos))?);
    }
    whole.retain(|types| !holds_itself(q, params, types));
    match whole.len() > MAX_TUPLES {
        true => Err(too_many(q.pos)),
        false => Ok(whole),
    }
}

/// All tuples; none if there are too many.
pub(super) fn product(sets: &[&BTreeSet<BoogieType>], most: usize) -> Option<Vec<Vec<BoogieType>>> {
    let mut all = vec![Vec::new()];
    for set in sets {
        if all.len().saturating_mul(set.len()) > most {
            return None;
        }
        let longer = |tuple: &Vec<BoogieType>| {
            let tuple = tuple.clone();
            set.iter().map(move |t| {
                let mut tuple = tuple.clone();
                tuple.push(t.clone());
                tuple
            })
        };
        all = all.iter().flat_map(longer).collect();
    }
    Some(all)
}

fn mentions(ty: &BoogieType, param: u32) -> bool {
    ty.any(&|t| *t == BoogieType::Param(param))
}

fn collect(e: &TypedExpr, params: &[u32], patterns: &mut Vec<Pattern>) {
    let pattern = match &e.kind {
        TypedExprKind::Call(f, types, _) if !types.is_empty() => {
            Pattern::Function(*f, types.clone())
        }
        TypedExprKind::Select(m, _, types) | TypedExprKind::Store(m, _, _, types) => match &m.ty {
            BoogieType::Map(map) if map.params > 0 => Pattern::Map((**map).clone(), types.clone()),
            _ => return,
        },
        _ => return,
    };
    if params.iter().any(|n| pattern.mentions(*n)) {
        patterns.push(pattern);
    }
}

/// Would an access at these types make a map an element or index of itself?
fn holds_itself(q: &Quantified, params: &[u32], types: &[BoogieType]) -> bool {
    let mut found = false;
    q.body.visit(&mut |e| {
        if let TypedExprKind::Select(m, _, at) | TypedExprKind::Store(m, _, _, at) = &e.kind
            && !at.is_empty()
        {
            let map = m.ty.substitute(params, types);
            let at = at.iter().map(|t| t.substitute(params, types));
            found |= at.into_iter().any(|t| t.any(&|part| *part == map));
        }
    });
    found
}

impl Pattern {
    fn mentions(&self, param: u32) -> bool {
        match self {
            Pattern::Function(_, types) => types.iter().any(|t| mentions(t, param)),
            Pattern::Map(map, types) => {
                let parts = map.domain.iter().chain([&map.range]).chain(types);
                parts.into_iter().any(|t| mentions(t, param))
            }
            Pattern::Type(ty) => mentions(ty, param),
        }
    }

    /// What the parameters stand for in each use.
    fn matches(&self, seen: &UsedTypes) -> Vec<TypeBindings> {
        let mut all = Vec::new();
        match self {
            Pattern::Function(f, types) => {
                for (_, used) in seen.functions.iter().filter(|(g, _)| g == f) {
                    let mut found = TypeBindings::new();
                    if fits_all(types, used, &mut found) {
                        all.push(found);
                    }
                }
            }
            Pattern::Map(map, types) => {
                let map = BoogieType::Map(Box::new(map.clone()));
                for (used_map, uses) in &seen.maps {
                    let used_map = BoogieType::Map(Box::new(used_map.clone()));
                    for used in uses {
                        let mut found = TypeBindings::new();
                        if fits(&map, &used_map, &mut found) && fits_all(types, used, &mut found) {
                            all.push(found);
                        }
                    }
                }
            }
            Pattern::Type(ty) => {
                for used in &seen.types {
                    let mut found = TypeBindings::new();
                    if fits(ty, used, &mut found) {
                        all.push(found);
                    }
                }
            }
        }
        all
    }
}

fn fits_all(patterns: &[BoogieType], types: &[BoogieType], found: &mut TypeBindings) -> bool {
    let pairs = patterns.iter().zip(types);
    patterns.len() == types.len() && pairs.into_iter().all(|(p, t)| fits(p, t, found))
}

/// Is the type an instance of the pattern?
fn fits(pattern: &BoogieType, ty: &BoogieType, found: &mut TypeBindings) -> bool {
    match (pattern, ty) {
        (BoogieType::Param(n), _) => match found.get(n) {
            Some(known) => known == ty,
            None => {
                // A map's own type parameter is no type by itself.
                let closed = !matches!(ty, BoogieType::Bound(..));
                if closed {
                    found.insert(*n, ty.clone());
                }
                closed
            }
        },
        (BoogieType::Con(c, ps), BoogieType::Con(d, ts)) => c == d && fits_all(ps, ts, found),
        (BoogieType::Map(p), BoogieType::Map(t)) => {
            p.params == t.params
                && fits_all(&p.domain, &t.domain, found)
                && fits(&p.range, &t.range, found)
        }
        _ => pattern == ty,
    }
}
