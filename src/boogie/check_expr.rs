//! Names and types of expressions.

use std::collections::HashMap;

use super::ast::{self, BinOp, ExprKind as Ast, Pos, UnOp};
use super::error::Error;
use super::float;
use super::typed::{Expr, ExprKind, GlobalName, MapType, Program, Quantified, Type, Var};
use super::types::{Metas, Scope, Types};

pub(super) type Checked<T> = Result<T, Error>;

/// A local variable in scope.
#[derive(Clone, Debug)]
pub(super) struct LocalName {
    pub index: usize,
    pub ty: Type,
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a function or axiom: no variables.
    Global,
    /// In a precondition or where clause: variables, but no `old`.
    OneState,
    /// In a postcondition or body.
    TwoState,
}

/// Checks the expressions of one declaration.
pub(super) struct ExprChecker<'p> {
    pub program: &'p Program,
    pub place: Place,
    pub scope: Scope,
    pub locals: HashMap<String, LocalName>,
    pub bound: Vec<(String, u32, Type)>,
    pub metas: Metas,
    pub fresh: u32,
    /// Variables of the procedure that code expressions brought with them.
    pub code_locals: Vec<(String, Type)>,
    pub first_code_local: usize,
    in_old: bool,
}

impl<'p> ExprChecker<'p> {
    pub(super) fn new(program: &'p Program, place: Place, fresh: u32) -> Self {
        ExprChecker {
            program,
            place,
            scope: Scope::default(),
            locals: HashMap::new(),
            bound: Vec::new(),
            metas: Metas::default(),
            fresh,
            code_locals: Vec::new(),
            first_code_local: 0,
            in_old: false,
        }
    }

    pub(super) fn number(&mut self) -> u32 {
        self.fresh += 1;
        self.fresh - 1
    }

    pub(super) fn resolve_type(&self, ty: &ast::Type) -> Checked<Type> {
        let types = Types {
            names: &self.program.names,
            cons: &self.program.types,
        };
        types.resolve(ty, &self.scope)
    }

    /// A whole expression of a type.
    pub(super) fn of_type(&mut self, expr: &ast::Expr, ty: &Type, what: &str) -> Checked<Expr> {
        self.metas = Metas::default();
        let mut typed = self.expr(expr)?;
        self.same(&typed.ty, ty, expr.pos, what)?;
        self.finish(&mut typed);
        Ok(typed)
    }

    /// Fills in the types that were found by unification. What nothing determines is `int`, as in Boogie.
    pub(super) fn finish(&self, expr: &mut Expr) {
        if !self.metas.is_empty() {
            zonk(expr, &mut |ty| *ty = self.metas.settled(ty));
        }
    }

    pub(super) fn same(
        &mut self,
        found: &Type,
        wanted: &Type,
        pos: Pos,
        what: &str,
    ) -> Checked<()> {
        if self.metas.unify(found, wanted) {
            return Ok(());
        }
        let (found, wanted) = (self.show(found), self.show(wanted));
        Err(Error::new(
            pos,
            format!("{what} has type {found}, not {wanted}"),
        ))
    }

    pub(super) fn show(&self, ty: &Type) -> String {
        self.metas.zonk(ty).show(&self.program.types)
    }

    fn operand(&mut self, expr: &ast::Expr, ty: &Type, op: &str) -> Checked<Expr> {
        let typed = self.expr(expr)?;
        self.same(&typed.ty, ty, expr.pos, &format!("an operand of `{op}`"))?;
        Ok(typed)
    }

    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Checked<Expr> {
        let pos = expr.pos;
        Ok(match &expr.kind {
            Ast::Bool(b) => Expr::bool(ExprKind::Bool(*b)),
            Ast::Int(n) => of(ExprKind::Int(n.clone()), Type::Int),
            Ast::Real(r) => of(ExprKind::Real(r.clone()), Type::Real),
            Ast::Bv(value, width) => of(ExprKind::Bv(value.clone(), *width), Type::Bv(*width)),
            Ast::Float(text) => {
                let (smt, ty) = float::literal(text).map_err(|what| Error::new(pos, what))?;
                of(ExprKind::Literal(smt), ty)
            }
            Ast::Str(text) => {
                let text = text.replace("\\\"", "\"").replace('"', "\"\"");
                of(ExprKind::Literal(format!("\"{text}\"")), Type::Str)
            }
            Ast::Var(name) => self.name(name, pos)?,
            Ast::Call(name, args) => self.call(name, args, pos)?,
            Ast::Old(e) => self.old(e, pos)?,
            Ast::Unary(UnOp::Not, e) => {
                let e = self.operand(e, &Type::Bool, "!")?;
                Expr::bool(ExprKind::Not(Box::new(e)))
            }
            Ast::Unary(UnOp::Neg, e) => {
                let e = self.expr(e)?;
                let ty = self.numeric(&e.ty, pos, "-", 1)?;
                of(ExprKind::Neg(Box::new(e)), ty)
            }
            Ast::Binary(op, l, r) => self.binary(*op, l, r, pos)?,
            Ast::Chain(op, operands) => {
                let text = match op {
                    ast::ChainOp::And => "&&",
                    ast::ChainOp::Or => "||",
                };
                let operands = operands.iter().map(|e| self.operand(e, &Type::Bool, text));
                Expr::bool(ExprKind::Chain(*op, operands.collect::<Result<_, _>>()?))
            }
            Ast::Ite(c, a, b) => {
                let c = self.expr(c)?;
                self.same(&c.ty, &Type::Bool, pos, "the condition of `if`")?;
                let a = self.expr(a)?;
                let b_pos = b.pos;
                let b = self.expr(b)?;
                self.same(&b.ty, &a.ty, b_pos, "the `else` branch")?;
                let ty = a.ty.clone();
                of(ExprKind::Ite(Box::new(c), Box::new(a), Box::new(b)), ty)
            }
            Ast::Select(map, indices) => {
                let map = self.expr(map)?;
                let (indices, args, range) = self.access(&map.ty, indices, pos)?;
                of(ExprKind::Select(Box::new(map), indices, args), range)
            }
            Ast::Store(map, indices, value) => {
                let map = self.expr(map)?;
                let (indices, args, range) = self.access(&map.ty, indices, pos)?;
                let typed = self.expr(value)?;
                self.same(&typed.ty, &range, value.pos, "the stored value")?;
                let ty = map.ty.clone();
                of(
                    ExprKind::Store(Box::new(map), indices, Box::new(typed), args),
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
                    Type::Bv(width) if low <= high && *high <= width && low < high => of(
                        ExprKind::Extract(Box::new(e), *high, *low),
                        Type::Bv(high - low),
                    ),
                    Type::Bv(width) => {
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
                of(ExprKind::Let(binds, Box::new(body)), ty)
            }
            Ast::ToInt(e) => {
                let e = self.operand(e, &Type::Real, "int")?;
                of(ExprKind::ToInt(Box::new(e)), Type::Int)
            }
            Ast::ToReal(e) => {
                let e = self.operand(e, &Type::Int, "real")?;
                of(ExprKind::ToReal(Box::new(e)), Type::Real)
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

    /// Brings a bound variable into scope. It may hide any name but that of another of the same binder, which are those
    /// from `first` on.
    fn bind(&mut self, name: &str, number: u32, ty: Type, pos: Pos, first: usize) -> Checked<()> {
        if self.bound.iter().skip(first).any(|(n, ..)| n == name) {
            let message = format!("more than one declaration of variable: {name}");
            return Err(Error::new(pos, message));
        }
        self.bound.push((name.to_string(), number, ty));
        Ok(())
    }

    fn name(&mut self, name: &str, pos: Pos) -> Checked<Expr> {
        if let Some((_, number, ty)) = self.bound.iter().rev().find(|(n, ..)| n == name) {
            return Ok(of(ExprKind::Bound(*number), ty.clone()));
        }
        if let Some(local) = self.locals.get(name) {
            return Ok(of(ExprKind::Var(Var::Local(local.index)), local.ty.clone()));
        }
        match self.program.names.vars.get(name) {
            Some(GlobalName::Const(i)) => {
                let ty = self
                    .program
                    .consts
                    .get(*i)
                    .map_or(Type::Bool, |c| c.ty.clone());
                Ok(of(ExprKind::Const(*i), ty))
            }
            Some(GlobalName::Global(_)) if self.place == Place::Global => Err(Error::new(
                pos,
                format!("the variable {name} cannot be used in a function or axiom"),
            )),
            Some(GlobalName::Global(i)) => {
                let ty = self
                    .program
                    .globals
                    .get(*i)
                    .map_or(Type::Bool, |g| g.ty.clone());
                Ok(match self.in_old {
                    true => of(ExprKind::Old(*i), ty),
                    false => of(ExprKind::Var(Var::Global(*i)), ty),
                })
            }
            None => match rounding_mode(name) {
                Some(mode) => Ok(of(ExprKind::Literal(mode.into()), Type::Rounding)),
                None => Err(Error::new(pos, format!("undeclared identifier: {name}"))),
            },
        }
    }

    fn old(&mut self, e: &ast::Expr, pos: Pos) -> Checked<Expr> {
        if self.place != Place::TwoState {
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

    fn call(&mut self, name: &str, args: &[ast::Expr], pos: Pos) -> Checked<Expr> {
        let program = self.program;
        let found = program.names.functions.get(name);
        let Some((index, function)) = found.and_then(|i| Some((*i, program.functions.get(*i)?)))
        else {
            return Err(Error::new(
                pos,
                format!("use of undeclared function: {name}"),
            ));
        };
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
        let type_args: Vec<Type> = function
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
        Ok(of(ExprKind::Call(index, type_args, typed), result))
    }

    fn numeric(&mut self, ty: &Type, pos: Pos, op: &str, arity: u8) -> Checked<Type> {
        match self.metas.head(ty) {
            Type::Int => Ok(Type::Int),
            Type::Real => Ok(Type::Real),
            // A sign is part of a literal; there is no operator.
            ty @ Type::Float(..) if arity == 2 => Ok(ty),
            Type::Meta(_) if self.metas.unify(ty, &Type::Int) => Ok(Type::Int),
            ty => {
                let ty = self.show(&ty);
                Err(Error::new(
                    pos,
                    format!("`{op}` is applied to {ty}, which is neither int nor real"),
                ))
            }
        }
    }

    fn binary(&mut self, op: BinOp, l: &ast::Expr, r: &ast::Expr, pos: Pos) -> Checked<Expr> {
        let text = op.text();
        let build = |l, r, ty| of(ExprKind::Binary(op, Box::new(l), Box::new(r)), ty);
        Ok(match op {
            BinOp::Iff | BinOp::Implies | BinOp::Explies => {
                let l = self.operand(l, &Type::Bool, text)?;
                let r = self.operand(r, &Type::Bool, text)?;
                build(l, r, Type::Bool)
            }
            BinOp::Eq | BinOp::Ne => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                // Values whose types agree for some choice of type parameters may be compared.
                if !self.metas.could_agree(&l.ty, &r.ty) {
                    self.same(&r.ty, &l.ty, pos, &format!("the right operand of `{text}`"))?;
                }
                build(l, r, Type::Bool)
            }
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                // Where nothing else says which type the left has, the right does.
                if matches!(self.metas.head(&l.ty), Type::Meta(_)) {
                    self.metas.unify(&l.ty, &r.ty);
                }
                let ty = self.numeric(&l.ty, pos, text, 2)?;
                self.same(&r.ty, &ty, pos, &format!("the right operand of `{text}`"))?;
                build(l, r, Type::Bool)
            }
            BinOp::Add | BinOp::Sub | BinOp::Mul => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                // Where nothing else says which type the left has, the right does.
                if matches!(self.metas.head(&l.ty), Type::Meta(_)) {
                    self.metas.unify(&l.ty, &r.ty);
                }
                let ty = self.numeric(&l.ty, pos, text, 2)?;
                self.same(&r.ty, &ty, pos, &format!("the right operand of `{text}`"))?;
                build(l, r, ty)
            }
            BinOp::Div | BinOp::Mod => {
                let l = self.operand(l, &Type::Int, text)?;
                let r = self.operand(r, &Type::Int, text)?;
                build(l, r, Type::Int)
            }
            BinOp::RealDiv => {
                let mut real = |e: &ast::Expr| -> Checked<Expr> {
                    let e = self.expr(e)?;
                    Ok(match self.numeric(&e.ty, pos, text, 2)? {
                        Type::Int => of(ExprKind::ToReal(Box::new(e)), Type::Real),
                        _ => e,
                    })
                };
                let (l, r) = (real(l)?, real(r)?);
                let ty = self.metas.head(&l.ty);
                self.same(&r.ty, &ty, pos, &format!("the right operand of `{text}`"))?;
                build(l, r, ty)
            }
            BinOp::Pow => {
                let l = self.operand(l, &Type::Real, text)?;
                let r = self.operand(r, &Type::Real, text)?;
                build(l, r, Type::Real)
            }
            BinOp::Subtype => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                self.same(&r.ty, &l.ty, pos, "the right operand of `<:`")?;
                build(l, r, Type::Bool)
            }
            BinOp::Concat => {
                let l = self.expr(l)?;
                let r = self.expr(r)?;
                match (self.metas.head(&l.ty), self.metas.head(&r.ty)) {
                    (Type::Bv(m), Type::Bv(n)) => {
                        let width = m
                            .checked_add(n)
                            .ok_or_else(|| Error::new(pos, "this bitvector is too wide"))?;
                        build(l, r, Type::Bv(width))
                    }
                    _ => return Err(Error::new(pos, "the operands of `++` must be bitvectors")),
                }
            }
        })
    }

    /// The indices of a map access, what the map's type parameters stand for, and the type of the element.
    pub(super) fn access(
        &mut self,
        map: &Type,
        indices: &[ast::Expr],
        pos: Pos,
    ) -> Checked<(Vec<Expr>, Vec<Type>, Type)> {
        let Type::Map(map) = self.metas.head(map) else {
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
        let args: Vec<Type> = (0..map.params).map(|_| self.metas.fresh()).collect();
        let (domain, range) = map.open(&args);
        let mut typed = Vec::new();
        for (index, wanted) in indices.iter().zip(&domain) {
            let e = self.expr(index)?;
            self.same(&e.ty, wanted, index.pos, "the index")?;
            typed.push(e);
        }
        Ok((typed, args, range))
    }

    fn quantified(&mut self, q: &ast::Quantified, pos: Pos) -> Checked<Expr> {
        let type_params: Vec<u32> = q.type_params.iter().map(|_| self.number()).collect();
        self.scope.push(&q.type_params, &type_params);
        let bound = self.bound.len();
        let result = self.quantified_inside(q, pos, type_params);
        self.bound.truncate(bound);
        self.scope.pop(q.type_params.len());
        result
    }

    fn quantified_inside(
        &mut self,
        q: &ast::Quantified,
        pos: Pos,
        type_params: Vec<u32>,
    ) -> Checked<Expr> {
        let first = self.bound.len();
        let mut vars = Vec::new();
        for var in &q.vars {
            if var.where_.is_some() {
                let message = "a where clause is not allowed on a bound variable";
                return Err(Error::new(var.pos, message));
            }
            let ty = self.resolve_type(&var.ty)?;
            let number = self.number();
            vars.push((number, ty.clone()));
            self.bind(&var.name, number, ty, var.pos, first)?;
        }
        let lambda = q.kind == ast::QuantKind::Lambda;
        let mut triggers = Vec::new();
        for trigger in &q.triggers {
            let trigger = trigger
                .iter()
                .map(|e| self.expr(e))
                .collect::<Result<Vec<_>, _>>()?;
            triggers.push(trigger);
        }
        let body = self.expr(&q.body)?;
        let ty = match lambda {
            true => {
                let domain = vars.iter().map(|(_, ty)| ty.clone()).collect();
                MapType::closed(&type_params, domain, self.metas.zonk(&body.ty))
            }
            false => {
                self.same(
                    &body.ty,
                    &Type::Bool,
                    q.body.pos,
                    "the body of a quantifier",
                )?;
                Type::Bool
            }
        };
        let quantified = Quantified {
            kind: q.kind,
            pos,
            type_params,
            vars,
            triggers,
            body,
        };
        Ok(of(ExprKind::Quantified(Box::new(quantified)), ty))
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

pub(super) fn of(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty }
}

/// Applies `fill` to every type in the expression.
fn zonk(expr: &mut Expr, fill: &mut dyn FnMut(&mut Type)) {
    fill(&mut expr.ty);
    match &mut expr.kind {
        ExprKind::Call(_, types, _)
        | ExprKind::Select(_, _, types)
        | ExprKind::Store(_, _, _, types) => {
            types.iter_mut().for_each(&mut *fill);
        }
        _ => {}
    }
    expr.children_mut().into_iter().for_each(|e| zonk(e, fill));
}

impl Type {
    /// The type as it is written, with numbers for type parameters.
    pub fn show(&self, cons: &[super::typed::TypeCon]) -> String {
        match self {
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Real => "real".into(),
            Type::Bv(width) => format!("bv{width}"),
            Type::Float(significand, exponent) => format!("float{significand}e{exponent}"),
            Type::Rounding => "rmode".into(),
            Type::Str => "string".into(),
            Type::Regex => "regex".into(),
            Type::Con(con, args) => {
                let mut text = cons.get(*con).map_or(String::new(), |c| c.name.clone());
                for arg in args {
                    let arg = arg.show(cons);
                    match arg.contains(' ') || arg.starts_with(['[', '<']) {
                        true => text.push_str(&format!(" ({arg})")),
                        false => text.push_str(&format!(" {arg}")),
                    }
                }
                text
            }
            Type::Map(m) => {
                let domain: Vec<String> = m.domain.iter().map(|t| t.show(cons)).collect();
                let params = match m.params {
                    0 => String::new(),
                    n => format!(
                        "<{}>",
                        (0..n)
                            .map(|i| format!("t{i}"))
                            .collect::<Vec<_>>()
                            .join(",")
                    ),
                };
                format!("{params}[{}]{}", domain.join(","), m.range.show(cons))
            }
            Type::Param(n) => format!("a{n}"),
            Type::Bound(0, i) => format!("t{i}"),
            Type::Bound(out, i) => format!("t{i}'{out}"),
            Type::Meta(_) => "?".into(),
        }
    }
}
