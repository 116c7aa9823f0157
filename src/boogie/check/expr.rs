//! Names and types of expressions.

use std::collections::HashMap;

use crate::boogie::ast::{self, BoogieExprKind as Ast, Pos, UnOp};
use crate::boogie::error::Error;
use crate::boogie::float;
use crate::boogie::typed::{
    BoogieType, GlobalName, LocalId, TypedExpr, TypedExprKind, TypedProgram, VariableRef,
};
use crate::boogie::types::{Metas, TypeResolver, TypeScope};
use crate::ids::Id;

pub(super) type CheckResult<T> = Result<T, Error>;

/// A local variable in scope.
#[derive(Clone, Debug)]
pub(super) struct LocalName {
    pub id: LocalId,
    pub ty: BoogieType,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateContext {
    /// In a function or axiom: no variables.
    Global,
    /// In a precondition or where clause: variables, but no `old`.
    OneState,
    /// In a postcondition or body.
    TwoState,
}

/// Checks the expressions of one declaration.
pub(super) struct ExprChecker<'p> {
    pub program: &'p TypedProgram,
    pub place: StateContext,
    pub scope: TypeScope,
    pub locals: HashMap<String, LocalName>,
    pub bound: Vec<(String, u32, BoogieType)>,
    pub metas: Metas,
    pub fresh: u32,
    /// Variables of the procedure that code expressions brought with them.
    pub code_locals: Vec<(String, BoogieType)>,
    pub first_code_local: LocalId,
    in_old: bool,
}

impl<'p> ExprChecker<'p> {
    pub(super) fn new(program: &'p TypedProgram, place: StateContext, fresh: u32) -> Self {
        ExprChecker {
            program,
            place,
            scope: TypeScope::default(),
            locals: HashMap::new(),
            bound: Vec::new(),
            metas: Metas::default(),
            fresh,
            code_locals: Vec::new(),
            first_code_local: LocalId::new(0),
            in_old: false,
        }
    }

    pub(super) fn number(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh - 1
    }

    pub(super) fn resolve_type(&self, ty: &ast::TypeExpr) -> CheckResult<BoogieType> {
        let types = TypeResolver {
            names: &self.program.names,
            cons: &self.program.types,
        };
        types.resolve(ty, &self.scope)
    }

    /// A whole expression of a type.
    pub(super) fn of_type(
        &mut self,
        expr: &ast::BoogieExpr,
        ty: &BoogieType,
        what: &str,
    ) -> CheckResult<TypedExpr> {
        self.metas = Metas::default();
        let mut typed = self.expr(expr)?;
        self.same(&typed.ty, ty, expr.pos, what)?;
        self.finish(&mut typed);
        Ok(typed)
    }

    /// Fills in the types that were found by unification. What nothing determines is `int`, as in Boogie.
    pub(super) fn finish(&self, expr: &mut TypedExpr) {
        if !self.metas.is_empty() {
            zonk(expr, &mut |ty| *ty = self.metas.settled(ty));
        }
    }

    pub(super) fn same(
        &mut self,
        found: &BoogieType,
        wanted: &BoogieType,
        pos: Pos,
        what: &str,
    ) -> CheckResult<()> {
        if self.metas.unify(found, wanted) {
            return Ok(());
        }
        let (found, wanted) = (self.show(found), self.show(wanted));
        Err(Error::new(
            pos,
            format!("{what} has type {found}, not {wanted}"),
        ))
    }

    pub(super) fn show(&self, ty: &BoogieType) -> String {
        self.metas.zonk(ty).show(&self.program.types)
    }

    pub(super) fn operand(
        &mut self,
        expr: &ast::BoogieExpr,
        ty: &BoogieType,
        op: &str,
    ) -> CheckResult<TypedExpr> {
        let typed = self.expr(expr)?;
        self.same(&typed.ty, ty, expr.pos, &format!("an operand of `{op}`"))?;
        Ok(typed)
    }

    pub(super) fn expr(&mut self, expr: &ast::BoogieExpr) -> CheckResult<TypedExpr> {
        let pos = expr.pos;
        Ok(match &expr.kind {
            Ast::Bool(b) => TypedExpr::bool(TypedExprKind::Bool(*b)),
            Ast::Int(n) => of(TypedExprKind::Int(n.clone()), BoogieType::Int),
            Ast::Real(r) => of(TypedExprKind::Real(r.clone()), BoogieType::Real),
            Ast::Bv(value, width) => of(
                TypedExprKind::Bv(value.clone(), *width),
                BoogieType::Bv(*width),
            ),
            Ast::Float(text) => {
                let (smt, ty) = float::literal(text).map_err(|what| Error::new(pos, what))?;
                of(TypedExprKind::Literal(smt), ty)
            }
            Ast::Str(text) => {
                let text = text.replace("\\\"", "\"").replace('"', "\"\"");
                of(
                    TypedExprKind::Literal(format!("\"{text}\"")),
                    BoogieType::Str,
                )
            }
            Ast::Var(name) => self.name(name, pos)?,
            Ast::Call(name, args) => self.call(name, args, pos)?,
            Ast::Old(e) => self.old(e, pos)?,
            Ast::Unary(UnOp::Not, e) => {
                let e = self.operand(e, &BoogieType::Bool, "!")?;
                TypedExpr::bool(TypedExprKind::Not(Box::new(e)))
            }
            Ast::Unary(UnOp::Neg, e) => {
                let e = self.expr(e)?;
                let ty = self.numeric(&e.ty, pos, "-", 1)?;
                of(TypedExprKind::Neg(Box::new(e)), ty)
            }
            Ast::Binary(op, l, r) => self.binary(*op, l, r, pos)?,
            Ast::Chain(op, operands) => {
                let text = match op {
                    ast::ChainOp::And => "&&",
                    ast::ChainOp::Or => "||",
                };
                let operands = operands
                    .iter()
                    .map(|e| self.operand(e, &BoogieType::Bool, text));
                TypedExpr::bool(TypedExprKind::Chain(
                    *op,
                    operands.collect::<Result<_, _>>()?,
                ))
            }
            Ast::Ite(c, a, b) => {
                let c = self.expr(c)?;
                self.same(&c.ty, &BoogieType::Bool, pos, "the condition of `if`")?;
                let a = self.expr(a)?;
                let b_pos = b.pos;
                let b = self.expr(b)?;
                self.same(&b.ty, &a.ty, b_pos, "the `else` branch")?;
                let ty = a.ty.clone();
                of(
                    TypedExprKind::Ite(Box::new(c), Box::new(a), Box::new(b)),
                    ty,
                )
            }
            Ast::Select(map, indices) => {
                let map = self.expr(map)?;
                let (indices, args, range) = self.access(&map.ty, indices, pos)?;
                of(TypedExprKind::Select(Box::new(map), indices, args), range)
            }
            Ast::Store(map, indices, value) => {
                let map = self.expr(map)?;
                let (indices, args, range) = self.access(&map.ty, indices, pos)?;
                let typed = self.expr(value)?;
                self.same(&typed.ty, &range, value.pos, "the stored value")?;
                let ty = map.ty.clone();
                of(
                    TypedExprKind::Store(Box::new(map), indices, Box::new(typed), args),
                    ty,
                )
            }
            Ast::Field(e, field) => {
                let e = self.expr(e)?;
                self.field(e, field, pos)?
            }
            Ast::Update(e, field, new) => {
                let e = self.expr(e)?;
                let new = self.expr(new)?;
                self.update(e, field, new, pos)?
            }
            Ast::Is(e, constructor) => {
                let e = self.expr(e)?;
                self.is_constructor(e, constructor, pos)?
            }
            Ast::Extract(e, high, low) => {
                let e = self.expr(e)?;
                match self.metas.head(&e.ty) {
                    BoogieType::Bv(width) if low <= high && *high <= width && low < high => of(
                        TypedExprKind::Extract(Box::new(e), *high, *low),
                        BoogieType::Bv(high - low),
                    ),
                    BoogieType::Bv(width) => {
                        return Err(Error::new(
                            pos,
                            format!("[{high}:{low}] is not a part of bv{width}"),
                        ));
                    }
                    ty => {
                        let ty = self.show(&ty);
                        return Err(Error::new(
                            pos,
                            format!("[{high}:{low}] of {ty}, which is not a bitvector"),
                        ));
                    }
                }
            }
            Ast::Quantified(q) => self.quantified(q, pos)?,
            Ast::Let(names, values, body) => {
                let values = values
                    .iter()
                    .map(|e| self.expr(e))
                    .collect::<Result<Vec<_>, _>>()?;
                let mut binds = Vec::new();
                let outer = self.bound.len();
                for (name, value) in names.iter().zip(values) {
                    let number = self.number();
                    self.bind(name, number, value.ty.clone(), pos, outer)?;
                    binds.push((number, value));
                }
                let body = self.expr(body);
                self.bound.truncate(outer);
                let body = body?;
                let ty = body.ty.clone();
                of(TypedExprKind::Let(binds, Box::new(body)), ty)
            }
            Ast::ToInt(e) => {
                let e = self.operand(e, &BoogieType::Real, "int")?;
                of(TypedExprKind::ToInt(Box::new(e)), BoogieType::Int)
            }
            Ast::ToReal(e) => {
                let e = self.operand(e, &BoogieType::Int, "real")?;
                of(TypedExprKind::ToReal(Box::new(e)), BoogieType::Real)
            }
            Ast::Coerce(e, ty) => {
                let ty = self.resolve_type(ty)?;
                let typed = self.expr(e)?;
                self.same(&typed.ty, &ty, e.pos, "the coerced expression")?;
                typed
            }
            Ast::Code(body) => self.code(body, pos)?,
        })
    }

    fn name(&mut self, name: &str, pos: Pos) -> CheckResult<TypedExpr> {
        if let Some((_, number, ty)) = self.bound.iter().rev().find(|(n, ..)| n == name) {
            return Ok(of(TypedExprKind::Bound(*number), ty.clone()));
        }
        if let Some(local) = self.locals.get(name) {
            return Ok(of(
                TypedExprKind::Var(VariableRef::Local(local.id)),
                local.ty.clone(),
            ));
        }
        match self.program.names.vars.get(name) {
            Some(GlobalName::Const(i)) => {
                let ty = self.program.consts.at(*i)?.ty.clone();
                Ok(of(TypedExprKind::Const(*i), ty))
            }
            Some(GlobalName::Global(_)) if self.place == StateContext::Global => Err(Error::new(
                pos,
                format!("the variable {name} cannot be used in a function or axiom"),
            )),
            Some(GlobalName::Global(i)) => {
                let ty = self.program.globals.at(*i)?.ty.clone();
                Ok(match self.in_old {
                    true => of(TypedExprKind::Old(*i), ty),
                    false => of(TypedExprKind::Var(VariableRef::Global(*i)), ty),
                })
            }
            None => match rounding_mode(name) {
                Some(mode) => Ok(of(
                    TypedExprKind::Literal(mode.into()),
                    BoogieType::Rounding,
                )),
                None => Err(Error::new(pos, format!("undeclared identifier: {name}"))),
            },
        }
    }

    fn old(&mut self, e: &ast::BoogieExpr, pos: Pos) -> CheckResult<TypedExpr> {
        if self.place != StateContext::TwoState {
            return Err(Error::new(
                pos,
                "`old` has a meaning only in postconditions and bodies",
            ));
        }
        let outer = std::mem::replace(&mut self.in_old, true);
        let result = self.expr(e);
        self.in_old = outer;
        result
    }

    fn call(&mut self, name: &str, args: &[ast::BoogieExpr], pos: Pos) -> CheckResult<TypedExpr> {
        let program = self.program;
        let Some(index) = program.names.functions.get(name).copied() else {
            return Err(Error::new(
                pos,
                format!("use of undeclared function: {name}"),
            ));
        };
        let function = program.functions.at(index)?;
        if function.params.len() != args.len() {
            return Err(Error::new(
                pos,
                format!(
                    "{name} takes {} arguments, not {}",
                    function.params.len(),
                    args.len()
                ),
            ));
        }
        let type_args: Vec<BoogieType> = function
            .type_params
            .iter()
            .map(|_| self.metas.fresh())
            .collect();
        let mut typed = Vec::new();
        for (arg, (_, param)) in args.iter().zip(&function.params) {
            let wanted = param.substitute(&function.type_params, &type_args);
            let e = self.expr(arg)?;
            self.same(&e.ty, &wanted, arg.pos, &format!("an argument of {name}"))?;
            typed.push(e);
        }
        let result = function
            .result
            .substitute(&function.type_params, &type_args);
        Ok(of(TypedExprKind::Call(index, type_args, typed), result))
    }

    /// The indices of a map access, what the map's type parameters stand for, and the type of the element.
    pub(super) fn access(
        &mut self,
        map: &BoogieType,
        indices: &[ast::BoogieExpr],
        pos: Pos,
    ) -> CheckResult<(Vec<TypedExpr>, Vec<BoogieType>, BoogieType)> {
        let BoogieType::Map(map) = self.metas.head(map) else {
            let ty = self.show(map);
            return Err(Error::new(
                pos,
                format!("an access to {ty}, which is not a map"),
            ));
        };
        if map.domain.len() != indices.len() {
            return Err(Error::new(
                pos,
                format!(
                    "the map takes {} indices, not {}",
                    map.domain.len(),
                    indices.len()
                ),
            ));
        }
        let args: Vec<BoogieType> = (0..map.params).map(|_| self.metas.fresh()).collect();
        let (domain, range) = map.open(&args);
        let mut typed = Vec::new();
        for (index, wanted) in indices.iter().zip(&domain) {
            let e = self.expr(index)?;
            self.same(&e.ty, wanted, index.pos, "the index")?;
            typed.push(e);
        }
        Ok((typed, args, range))
    }
}

/// How floating-point operations round, by SMT-LIB's names, which a program may give to variables of its own.
fn rounding_mode(name: &str) -> Option<&'static str> {
    Some(match name {
        "RNE" | "roundNearestTiesToEven" => "RNE",
        "RNA" | "roundNearestTiesToAway" => "RNA",
        "RTP" | "roundTowardPositive" => "RTP",
        "RTN" | "roundTowardNegative" => "RTN",
        "RTZ" | "roundTowardZero" => "RTZ",
        _ => return None,
    })
}

pub(super) fn of(kind: TypedExprKind, ty: BoogieType) -> TypedExpr {
    TypedExpr { kind, ty }
}

/// Applies `fill` to every type in the expression.
fn zonk(expr: &mut TypedExpr, fill: &mut dyn FnMut(&mut BoogieType)) {
    fill(&mut expr.ty);
    match &mut expr.kind {
        TypedExprKind::Call(_, types, _)
        | TypedExprKind::Select(_, _, types)
        | TypedExprKind::Store(_, _, _, types) => {
            types.iter_mut().for_each(&mut *fill);
        }
        _ => {}
    }
    expr.children_mut().into_iter().for_each(|e| zonk(e, fill));
}
