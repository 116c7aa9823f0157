//! Type expressions to types, and unification.

use super::ast;
use super::error::Error;
use super::float::float_type;
use super::typed::{BoogieType, MapType, NameTable, TypeCon, TypeId, TypeName};
use crate::ids::Table;

/// How many nodes the expansion of one type expression may have.
const MAX_SIZE: u32 = 10_000;

/// What a type variable's name means.
#[derive(Clone, Debug)]
pub(super) enum Param {
    /// A parameter of a function, procedure or quantifier, or a synonym's argument.
    Is(BoogieType),
    /// A parameter of the map type that many binders out from the innermost (counted from the outermost), and which.
    Map(u32, u32),
}

/// Type variables in scope, innermost last.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeScope {
    params: Vec<(String, Param)>,
    binders: u32,
}

impl TypeScope {
    /// Adds the parameters of a function, procedure or quantifier.
    pub(super) fn push(&mut self, names: &[String], numbers: &[u32]) {
        let pairs = names.iter().zip(numbers);
        self.params
            .extend(pairs.map(|(name, n)| (name.clone(), Param::Is(BoogieType::Param(*n)))));
    }

    pub(super) fn pop(&mut self, count: usize) {
        self.params
            .truncate(self.params.len().saturating_sub(count));
    }
}

/// Resolves type expressions.
pub(super) struct TypeResolver<'a> {
    pub names: &'a NameTable,
    pub cons: &'a Table<TypeId, TypeCon>,
}

impl TypeResolver<'_> {
    /// The type a type expression means.
    pub(super) fn resolve(
        &self,
        ty: &ast::TypeExpr,
        scope: &TypeScope,
    ) -> Result<BoogieType, Error> {
        let mut scope = scope.clone();
        self.resolve_in(ty, &mut scope, 0, &mut 0)
    }

    fn resolve_in(
        &self,
        ty: &ast::TypeExpr,
        scope: &mut TypeScope,
        depth: u32,
        size: &mut u32,
    ) -> Result<BoogieType, Error> {
        *size += 1;
        if *size > MAX_SIZE || depth > super::parser::MAX_DEPTH {
            return Err(Error::new(
                ty.pos,
                "this type is too large, or a synonym of itself",
            ));
        }
        Ok(match &ty.kind {
            ast::TypeKind::Bool => BoogieType::Bool,
            ast::TypeKind::Int => BoogieType::Int,
            ast::TypeKind::Real => BoogieType::Real,
            ast::TypeKind::Bv(width) => BoogieType::Bv(*width),
            ast::TypeKind::Map(params, domain, range) => {
                let binders = scope.binders;
                if !params.is_empty() {
                    scope.binders += 1;
                }
                for (i, name) in (0..).zip(params) {
                    scope.params.push((name.clone(), Param::Map(binders, i)));
                }
                let domain = domain
                    .iter()
                    .map(|t| self.resolve_in(t, scope, depth + 1, size))
                    .collect::<Result<_, _>>()?;
                let range = self.resolve_in(range, scope, depth + 1, size)?;
                scope.pop(params.len());
                scope.binders = binders;
                let params = params.len() as u32;
                BoogieType::Map(Box::new(MapType {
                    params,
                    domain,
                    range,
                }))
            }
            ast::TypeKind::Named(name, args) => {
                let found = scope.params.iter().rev().find(|(n, _)| n == name);
                if let Some((_, param)) = found {
                    if let Some(arg) = args.first() {
                        return Err(Error::new(
                            arg.pos,
                            format!("the type variable `{name}` takes no arguments"),
                        ));
                    }
                    return Ok(match param {
                        Param::Is(ty) => shifted(ty, scope.binders, 0),
                        Param::Map(binder, i) => BoogieType::Bound(scope.binders - binder - 1, *i),
                    });
                }
                let args = args
                    .iter()
                    .map(|t| self.resolve_in(t, scope, depth + 1, size))
                    .collect::<Result<Vec<_>, _>>()?;
                let arity = |wanted: usize| match wanted == args.len() {
                    true => Ok(()),
                    false => Err(Error::new(
                        ty.pos,
                        format!(
                            "the type `{name}` takes {wanted} arguments, not {}",
                            args.len()
                        ),
                    )),
                };
                match self.names.types.get(name) {
                    Some(TypeName::Con(con)) => {
                        arity(self.cons.at(*con)?.arity)?;
                        BoogieType::Con(*con, args)
                    }
                    Some(TypeName::Synonym(params, meaning)) => {
                        arity(params.len())?;
                        let params = params
                            .iter()
                            .cloned()
                            .zip(args.into_iter().map(Param::Is))
                            .collect();
                        let mut inner = TypeScope { params, binders: 0 };
                        self.resolve_in(meaning, &mut inner, depth + 1, size)?
                    }
                    None => match builtin(name) {
                        Some(ty) if args.is_empty() => ty,
                        _ => return Err(Error::new(ty.pos, format!("undeclared type: {name}"))),
                    },
                }
            }
        })
    }
}

/// A type that needs no declaration, and whose name a program may give to a type of its own.
fn builtin(name: &str) -> Option<BoogieType> {
    match name {
        "rmode" => Some(BoogieType::Rounding),
        "string" => Some(BoogieType::Str),
        "regex" => Some(BoogieType::Regex),
        _ => {
            let (significand, exponent) = name.strip_prefix("float")?.split_once('e')?;
            float_type(significand.parse().ok()?, exponent.parse().ok()?)
        }
    }
}

/// The argument of a synonym, used inside so many maps with type parameters of the synonym's own. `inside` are those of the
/// argument itself that stand around this part of it.
fn shifted(ty: &BoogieType, by: u32, inside: u32) -> BoogieType {
    let all = |types: &[BoogieType], inside: u32| -> Vec<BoogieType> {
        types.iter().map(|t| shifted(t, by, inside)).collect()
    };
    match ty {
        BoogieType::Bound(level, i) if *level >= inside => BoogieType::Bound(level + by, *i),
        BoogieType::Con(con, args) => BoogieType::Con(*con, all(args, inside)),
        BoogieType::Map(m) => {
            let inside = inside + u32::from(m.params > 0);
            BoogieType::Map(Box::new(MapType {
                params: m.params,
                domain: all(&m.domain, inside),
                range: shifted(&m.range, by, inside),
            }))
        }
        other => other.clone(),
    }
}

impl BoogieType {
    /// Does any part of the type satisfy this?
    pub fn any(&self, test: &dyn Fn(&BoogieType) -> bool) -> bool {
        test(self)
            || match self {
                BoogieType::Con(_, args) => args.iter().any(|t| t.any(test)),
                BoogieType::Map(m) => m.domain.iter().any(|t| t.any(test)) || m.range.any(test),
                _ => false,
            }
    }

    /// Does it mention a parameter of a map type around it, this many map types with parameters being in between?
    pub fn is_open(&self, binders: u32) -> bool {
        match self {
            BoogieType::Bound(out, _) => *out >= binders,
            BoogieType::Con(_, args) => args.iter().any(|t| t.is_open(binders)),
            BoogieType::Map(m) => {
                let inside = binders + u32::from(m.params > 0);
                m.domain.iter().chain([&m.range]).any(|t| t.is_open(inside))
            }
            _ => false,
        }
    }

    /// The type with its leaves replaced; `leaf` is told how many map binders stand above.
    pub fn map_leaves(
        &self,
        binders: u32,
        leaf: &dyn Fn(&BoogieType, u32) -> Option<BoogieType>,
    ) -> BoogieType {
        if let Some(ty) = leaf(self, binders) {
            return ty;
        }
        match self {
            BoogieType::Con(con, args) => BoogieType::Con(
                *con,
                args.iter().map(|t| t.map_leaves(binders, leaf)).collect(),
            ),
            BoogieType::Map(m) => {
                let inside = binders + u32::from(m.params > 0);
                BoogieType::Map(Box::new(MapType {
                    params: m.params,
                    domain: m
                        .domain
                        .iter()
                        .map(|t| t.map_leaves(inside, leaf))
                        .collect(),
                    range: m.range.map_leaves(inside, leaf),
                }))
            }
            ty => ty.clone(),
        }
    }

    /// The type with numbered parameters replaced.
    pub fn substitute(&self, params: &[u32], args: &[BoogieType]) -> BoogieType {
        if params.is_empty() {
            return self.clone();
        }
        self.map_leaves(0, &|ty, _| match ty {
            BoogieType::Param(n) => {
                let at = params.iter().position(|p| p == n)?;
                args.get(at).cloned()
            }
            _ => None,
        })
    }
}

impl MapType {
    /// The type of a map with these type parameters, which so far are parameters of a binder around it.
    pub(super) fn closed(params: &[u32], domain: Vec<BoogieType>, range: BoogieType) -> BoogieType {
        let leaf = |ty: &BoogieType, binders: u32| match ty {
            BoogieType::Param(n) => {
                let at = params.iter().position(|p| p == n)?;
                Some(BoogieType::Bound(binders, at as u32))
            }
            _ => None,
        };
        let domain = domain.iter().map(|t| t.map_leaves(0, &leaf)).collect();
        BoogieType::Map(Box::new(MapType {
            params: params.len() as u32,
            domain,
            range: range.map_leaves(0, &leaf),
        }))
    }

    /// The domain and range with the map's own type parameters replaced.
    pub fn open(&self, args: &[BoogieType]) -> (Vec<BoogieType>, BoogieType) {
        if self.params == 0 {
            return (self.domain.clone(), self.range.clone());
        }
        let leaf = |ty: &BoogieType, binders: u32| match ty {
            BoogieType::Bound(out, i) if *out == binders => args.get(*i as usize).cloned(),
            BoogieType::Bound(out, i) if *out > binders => Some(BoogieType::Bound(out - 1, *i)),
            _ => None,
        };
        let domain = self.domain.iter().map(|t| t.map_leaves(0, &leaf)).collect();
        (domain, self.range.map_leaves(0, &leaf))
    }
}

fn collect_params(ty: &BoogieType, params: &mut Vec<u32>) {
    match ty {
        BoogieType::Param(n) => params.push(*n),
        BoogieType::Con(_, args) => args.iter().for_each(|t| collect_params(t, params)),
        BoogieType::Map(m) => {
            let parts = m.domain.iter().chain([&m.range]);
            parts.for_each(|t| collect_params(t, params));
        }
        _ => {}
    }
}

/// What the unknown types turned out to be.
#[derive(Clone, Debug, Default)]
pub(super) struct Metas(Vec<Option<BoogieType>>);

impl Metas {
    pub(super) fn fresh(&mut self) -> BoogieType {
        self.0.push(None);
        BoogieType::Meta(self.0.len() as u32 - 1)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Follows a known meta to what it stands for.
    pub(super) fn head(&self, ty: &BoogieType) -> BoogieType {
        let mut ty = ty.clone();
        while let BoogieType::Meta(n) = ty {
            match self.0.get(n as usize) {
                Some(Some(known)) => ty = known.clone(),
                _ => break,
            }
        }
        ty
    }

    /// The type with everything known filled in.
    pub(super) fn zonk(&self, ty: &BoogieType) -> BoogieType {
        if self.0.is_empty() {
            return ty.clone();
        }
        ty.map_leaves(0, &|t, _| match t {
            BoogieType::Meta(n) => match self.0.get(*n as usize) {
                Some(Some(known)) => Some(self.zonk(known)),
                _ => None,
            },
            _ => None,
        })
    }

    /// The type with everything known filled in, and the rest taken to be `int`.
    pub(super) fn settled(&self, ty: &BoogieType) -> BoogieType {
        self.zonk(ty).map_leaves(0, &|t, _| match t {
            BoogieType::Meta(_) => Some(BoogieType::Int),
            _ => None,
        })
    }

    /// Can two types, that are not the same as they are, be so for some choice of the type parameters in them?
    pub(super) fn could_agree(&self, a: &BoogieType, b: &BoogieType) -> bool {
        let (a, b) = (self.zonk(a), self.zonk(b));
        let undetermined = |t: &BoogieType| matches!(t, BoogieType::Meta(_));
        if a == b || a.any(&undetermined) || b.any(&undetermined) {
            return false;
        }
        let mut params = Vec::new();
        collect_params(&a, &mut params);
        collect_params(&b, &mut params);
        let mut trial = Metas::default();
        let fresh: Vec<BoogieType> = params.iter().map(|_| trial.fresh()).collect();
        trial.unify(
            &a.substitute(&params, &fresh),
            &b.substitute(&params, &fresh),
        )
    }

    /// Makes two types the same, if they can be.
    pub(super) fn unify(&mut self, a: &BoogieType, b: &BoogieType) -> bool {
        let (a, b) = (self.head(a), self.head(b));
        match (&a, &b) {
            (BoogieType::Meta(m), BoogieType::Meta(n)) if m == n => true,
            (BoogieType::Meta(m), other) | (other, BoogieType::Meta(m)) => {
                let other = self.zonk(other);
                // Neither circular nor tied to a parameter of a map type that is out of sight elsewhere.
                if other.any(&|t| *t == BoogieType::Meta(*m)) || other.is_open(0) {
                    return false;
                }
                match self.0.get_mut(*m as usize) {
                    Some(slot) => *slot = Some(other),
                    None => return false,
                }
                true
            }
            (BoogieType::Con(c, cs), BoogieType::Con(d, ds)) => {
                c == d && cs.len() == ds.len() && cs.iter().zip(ds).all(|(x, y)| self.unify(x, y))
            }
            (BoogieType::Map(m), BoogieType::Map(n)) => {
                m.params == n.params
                    && m.domain.len() == n.domain.len()
                    && m.domain
                        .iter()
                        .zip(&n.domain)
                        .all(|(x, y)| self.unify(x, y))
                    && self.unify(&m.range, &n.range)
            }
            _ => a == b,
        }
    }
}
