//! Boogie expressions as SMT terms.

use super::{Env, Symbols};
use crate::boogie::ast::{Pos, QuantKind};
use crate::boogie::typed::{
    BinOp, BoogieType, ChainOp, FunctionId, MapType, Quantified, SolverFunction, TypedExpr,
    TypedExprKind, VariableRef,
};
use crate::internal::internal;
use crate::reach::error::{Result, Unsupported};
use crate::reach::lambda;
use crate::reach::polymap::{self, PolyMap};
use crate::reach::term::Term;
use crate::reach::words::{decimal, float_operation, mapped_at, select, store};

/// The power of reals, of which, as in Boogie, nothing is known.
const POWER: &str = "real_pow";

impl Symbols {
    /// The term of an expression without variables.
    pub(super) fn global_term(&mut self, expr: &TypedExpr) -> Result<Term> {
        self.term(expr, &|_| Err(internal("a variable where there is none")))
    }

    /// The term of an expression.
    ///
    /// # Errors
    ///
    /// A construct that cannot be said to the solver.
    pub fn term(&mut self, expr: &TypedExpr, env: &Env<'_>) -> Result<Term> {
        Ok(match &expr.kind {
            TypedExprKind::Bool(b) => Term::bool(*b),
            TypedExprKind::Int(n) => Term::int(n.clone()),
            TypedExprKind::Real(r) => Term::atom(decimal(r)?),
            TypedExprKind::Bv(value, width) => Term::atom(format!("(_ bv{value} {width})")),
            TypedExprKind::Literal(text) => Term::atom(text.clone()),
            TypedExprKind::Var(var) => env(*var)?,
            TypedExprKind::Old(global) => env(VariableRef::Global(*global))?,
            TypedExprKind::Const(id) => self.consts.at(*id)?.clone(),
            TypedExprKind::Bound(n) => Term::atom(format!("b{n}")),
            TypedExprKind::Call(f, types, args) => self.call(*f, types, args, &expr.ty, env)?,
            TypedExprKind::Not(e) => self.term(e, env)?.not(),
            TypedExprKind::Neg(e) => {
                let e = self.term(e, env)?;
                match expr.ty {
                    BoogieType::Int => Term::arithmetic("-", Term::int(0), e),
                    _ => Term::app("-", vec![e]),
                }
            }
            TypedExprKind::Binary(op, l, r) => self.binary(*op, l, r, env)?,
            TypedExprKind::Chain(op, operands) => {
                let operands = operands
                    .iter()
                    .map(|e| self.term(e, env))
                    .collect::<Result<Vec<_>>>()?;
                match op {
                    ChainOp::And => Term::and(operands),
                    ChainOp::Or => Term::or(operands),
                }
            }
            TypedExprKind::Ite(c, a, b) => {
                let c = self.term(c, env)?;
                c.ite(self.term(a, env)?, self.term(b, env)?)
            }
            TypedExprKind::Select(map, indices, types) => {
                let term = self.term(map, env)?;
                let component = match &map.ty {
                    BoogieType::Map(m) if m.params > 0 => {
                        self.poly_map(m)?.component(types)?.select(term)
                    }
                    _ => term,
                };
                select(component, self.terms(indices, env)?)
            }
            TypedExprKind::Store(map, indices, value, types) => {
                let term = self.term(map, env)?;
                let indices = self.terms(indices, env)?;
                let value = self.term(value, env)?;
                match &map.ty {
                    BoogieType::Map(m) if m.params > 0 => {
                        let poly = self.poly_map(m)?;
                        let component = poly.component(types)?;
                        self.shared(term, |map| {
                            let old = component.select(map.clone());
                            poly.with(&map, &component, store(old, &indices, value))
                        })
                    }
                    _ => store(term, &indices, value),
                }
            }
            TypedExprKind::Instances(all) => {
                let BoogieType::Map(m) = &expr.ty else {
                    return Err(internal("this is not a map").into());
                };
                let poly = self.poly_map(m)?;
                let mut parts = Vec::new();
                for component in &poly.components {
                    let part = all.iter().find(|(types, _)| *types == component.types);
                    let Some((_, part)) = part else {
                        return Err(polymap::unknown_types().into());
                    };
                    parts.push(self.term(part, env)?);
                }
                Term::app(poly.constructor, parts)
            }
            TypedExprKind::Extract(e, high, low) => {
                let e = self.term(e, env)?;
                Term::app(format!("(_ extract {} {low})", high - 1), vec![e])
            }
            TypedExprKind::Quantified(q) => {
                let mut triggers = Vec::new();
                for trigger in &q.triggers {
                    let trigger = trigger.iter().map(|e| self.term(e, env));
                    triggers.push(trigger.collect::<Result<Vec<_>>>()?);
                }
                if !q.type_params.is_empty() {
                    let what = "a quantifier over types is not supported by this engine";
                    return Err(Unsupported::new(q.pos, what).into());
                }
                let mut vars = Vec::new();
                for (n, ty) in &q.vars {
                    vars.push(format!("(b{n} {})", self.sort(ty)?));
                }
                let body = self.term(&q.body, env)?;
                if body.as_bool().is_some() && q.kind != QuantKind::Lambda {
                    return Ok(body);
                }
                match q.kind {
                    QuantKind::Forall => {
                        Term::binder(format!("forall ({})", vars.join(" ")), triggers, body)
                    }
                    QuantKind::Exists => {
                        Term::binder(format!("exists ({})", vars.join(" ")), triggers, body)
                    }
                    QuantKind::Lambda if is_constant(q) => {
                        Term::app(format!("(as const {})", self.sort(&expr.ty)?), vec![body])
                    }
                    QuantKind::Lambda => {
                        Term::binder(format!("lambda ({})", vars.join(" ")), Vec::new(), body)
                    }
                }
            }
            TypedExprKind::Let(binds, body) => {
                let mut terms = Vec::new();
                for (n, e) in binds {
                    terms.push((format!("b{n}"), self.term(e, env)?));
                }
                Term::let_in(terms, self.term(body, env)?)
            }
            TypedExprKind::ToInt(e) => Term::app("to_int", vec![self.term(e, env)?]),
            TypedExprKind::ToReal(e) => Term::app("to_real", vec![self.term(e, env)?]),
            TypedExprKind::Code(code) => {
                let what = "a code expression is not supported here";
                return Err(Unsupported::new(code.pos, what).into());
            }
        })
    }

    fn terms(&mut self, exprs: &[TypedExpr], env: &Env<'_>) -> Result<Vec<Term>> {
        exprs.iter().map(|e| self.term(e, env)).collect()
    }

    /// What is made of a term that occurs in it more than once.
    fn shared(&mut self, term: Term, make: impl FnOnce(Term) -> Term) -> Term {
        if term.is_atomic() {
            return make(term);
        }
        self.lets += 1;
        let name = format!("m{}", self.lets);
        Term::let_in(vec![(name.clone(), term)], make(Term::atom(name)))
    }

    /// The sort of a map type with type parameters, and its parts.
    pub(super) fn poly_map(&mut self, map: &MapType) -> Result<PolyMap> {
        match self.maps.get(map) {
            Some(Some(known)) => return Ok(known.clone()),
            Some(None) => {
                let what = "a map with type parameters that holds maps of its own type";
                let what = format!("{what} is not supported");
                return Err(Unsupported::new(Pos::default(), what).into());
            }
            None => {}
        }
        self.maps.insert(map.clone(), None);
        let number = self.maps.len();
        let mut parts = Vec::new();
        for types in self.map_instances.get(map).cloned().unwrap_or_default() {
            let (domain, range) = map.open(&types);
            let part = BoogieType::Map(Box::new(MapType {
                params: 0,
                domain,
                range,
            }));
            parts.push((types, self.sort(&part)?));
        }
        let (poly, declaration) = PolyMap::new(number, parts);
        self.commands.push(declaration);
        self.maps.insert(map.clone(), Some(poly.clone()));
        Ok(poly)
    }

    fn call(
        &mut self,
        f: FunctionId,
        types: &[BoogieType],
        args: &[TypedExpr],
        result: &BoogieType,
        env: &Env<'_>,
    ) -> Result<Term> {
        let element = match args.last().map(|a| &a.ty) {
            Some(BoogieType::Map(map)) if map.params == 0 => Some(map.range.clone()),
            _ => None,
        };
        let args = self.terms(args, env)?;
        let name = self.instance(f, types)?;
        match name.as_str() {
            "MapConst" => {
                let sort = self.sort(result)?;
                return Ok(Term::app(format!("(as const {sort})"), args));
            }
            "" => {
                // Operations on the elements of maps that are there for elements of each sort.
                let builtin = self.program.functions.at(f)?.builtin.clone();
                if let (Some(SolverFunction::Solver(word)), Some(element)) = (builtin, element) {
                    let sort = self.sort(&element)?;
                    if let Some(name) = mapped_at(&word, &sort) {
                        return Ok(Term::app(name, args));
                    }
                }
                let pos = self.program.functions.at(f)?.pos;
                let what = "this `{:builtin}` is not supported";
                return Err(Unsupported::new(pos, what).into());
            }
            _ => {}
        }
        Ok(Term::app(name, args))
    }

    fn equal(&mut self, l: &Term, r: &Term) -> Term {
        let mut fresh = || {
            self.lets += 1;
            format!("m{}", self.lets)
        };
        lambda::equal(l, r, &mut fresh).unwrap_or_else(|| l.equal(r))
    }

    fn binary(&mut self, op: BinOp, l: &TypedExpr, r: &TypedExpr, env: &Env<'_>) -> Result<Term> {
        let int = l.ty == BoogieType::Int;
        let float = matches!(l.ty, BoogieType::Float(..));
        let sort = self.sort(&l.ty)?;
        let l = self.term(l, env)?;
        let r = self.term(r, env)?;
        let plain = |op: &str, l, r| Term::app(op, vec![l, r]);
        Ok(match op {
            BinOp::Iff | BinOp::Eq => self.equal(&l, &r),
            BinOp::Ne => self.equal(&l, &r).not(),
            BinOp::Implies => l.implies(&r),
            BinOp::Explies => r.implies(&l),
            _ if float && float_operation(op).is_some() => {
                let (name, rounds) = float_operation(op).unwrap_or_default();
                let mode = rounds.then(|| Term::atom("RNE"));
                Term::app(name, mode.into_iter().chain([l, r]).collect())
            }
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Term::compare(op.text(), l, r),
            BinOp::Add | BinOp::Sub | BinOp::Mul if int => Term::arithmetic(op.text(), l, r),
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Mod | BinOp::RealDiv => {
                plain(op.text(), l, r)
            }
            BinOp::Concat => plain("concat", l, r),
            BinOp::Pow => {
                if !self.power {
                    self.power = true;
                    let declaration = format!("(declare-fun {POWER} (Real Real) Real)");
                    self.commands.push(declaration);
                }
                plain(POWER, l, r)
            }
            BinOp::Subtype => {
                let order = self.order(sort);
                plain(&order, l, r)
            }
        })
    }
}

/// Whether nothing that is bound occurs in the body, here or around: a lambda expression is then the same everywhere, and for
/// such arrays the solver has a theory, while of others it knows what it is told by quantifiers. Where one is inside the
/// other, though, Z3 4.8.12 calls `(lambda ((x Int)) ((as const (Array Int Int)) x))` equal to the constant array of
/// `(lambda ((y Int)) y)`: so the two are never mixed.
fn is_constant(q: &Quantified) -> bool {
    let mut constant = true;
    q.body.visit(&mut |e| {
        constant &= match &e.kind {
            TypedExprKind::Bound(_) => false,
            TypedExprKind::Quantified(inner) => {
                inner.kind != QuantKind::Lambda || is_constant(inner)
            }
            _ => true,
        };
    });
    constant
}
