//! What was resolved and typed, as a syntax tree again: so that there is one printer.

use super::ast::{self, Pos, UnOp};
use super::typed::{
    BoogieType, LocalId, Quantified, TypeCon, TypeId, TypedExpr, TypedExprKind, TypedProgram,
    VariableRef,
};
use crate::ids::Table;
use crate::internal::Internal;

/// What local variables are called.
pub type LocalNames<'a> = dyn Fn(LocalId) -> Result<String, Internal> + 'a;

impl BoogieType {
    /// The type as it is written, with numbers for type parameters.
    pub fn show(&self, cons: &Table<TypeId, TypeCon>) -> String {
        self.untyped(cons).to_string()
    }

    /// The type as a tree, with numbers for type parameters.
    pub fn untyped(&self, cons: &Table<TypeId, TypeCon>) -> ast::TypeExpr {
        let named = |name: String| ast::TypeKind::Named(name, Vec::new());
        let kind = match self {
            BoogieType::Bool => ast::TypeKind::Bool,
            BoogieType::Int => ast::TypeKind::Int,
            BoogieType::Real => ast::TypeKind::Real,
            BoogieType::Bv(width) => ast::TypeKind::Bv(*width),
            BoogieType::Float(significand, exponent) => {
                named(format!("float{significand}e{exponent}"))
            }
            BoogieType::Rounding => named("rmode".into()),
            BoogieType::Str => named("string".into()),
            BoogieType::Regex => named("regex".into()),
            BoogieType::Con(con, args) => {
                // Only a bug of ours shows a type of another program.
                let con = cons.at(*con);
                let name = con.map_or_else(|bug| bug.to_string(), |c| c.name.clone());
                ast::TypeKind::Named(name, args.iter().map(|t| t.untyped(cons)).collect())
            }
            BoogieType::Map(m) => ast::TypeKind::Map(
                (0..m.params).map(|i| format!("t{i}")).collect(),
                m.domain.iter().map(|t| t.untyped(cons)).collect(),
                Box::new(m.range.untyped(cons)),
            ),
            BoogieType::Param(n) => named(format!("a{n}")),
            BoogieType::Bound(0, i) => named(format!("t{i}")),
            BoogieType::Bound(out, i) => named(format!("t{i}'{out}")),
            BoogieType::Meta(_) => named("?".into()),
        };
        let pos = Pos::default();
        ast::TypeExpr { pos, kind }
    }
}

impl TypedProgram {
    /// An expression of this program as a tree. Bound variables are called by their numbers.
    ///
    /// # Errors
    ///
    /// A name that leads nowhere, which cannot be.
    pub fn untyped(
        &self,
        expr: &TypedExpr,
        locals: &LocalNames<'_>,
    ) -> Result<ast::BoogieExpr, Internal> {
        Untyping {
            program: self,
            locals,
        }
        .expr(expr)
    }

    /// What a variable is called.
    ///
    /// # Errors
    ///
    /// There is none, which cannot be.
    pub fn name_of(&self, var: VariableRef, locals: &LocalNames<'_>) -> Result<String, Internal> {
        match var {
            VariableRef::Global(global) => Ok(self.globals.at(global)?.name.clone()),
            VariableRef::Local(local) => locals(local),
        }
    }
}

struct Untyping<'a> {
    program: &'a TypedProgram,
    locals: &'a LocalNames<'a>,
}

/// What a bound variable is called.
fn bound(number: u32) -> String {
    format!("b{number}")
}

impl Untyping<'_> {
    fn expr(&self, e: &TypedExpr) -> Result<ast::BoogieExpr, Internal> {
        let name = |name: &str| ast::BoogieExprKind::Var(name.into());
        let kind = match &e.kind {
            TypedExprKind::Bool(b) => ast::BoogieExprKind::Bool(*b),
            TypedExprKind::Int(n) => ast::BoogieExprKind::Int(n.clone()),
            TypedExprKind::Real(r) => ast::BoogieExprKind::Real(r.clone()),
            TypedExprKind::Bv(value, width) => ast::BoogieExprKind::Bv(value.clone(), *width),
            TypedExprKind::Literal(text) => name(text),
            TypedExprKind::Var(var) => name(&self.program.name_of(*var, self.locals)?),
            TypedExprKind::Old(global) => {
                let global = name(&self.program.globals.at(*global)?.name);
                ast::BoogieExprKind::Old(Box::new(at_no_place(global)))
            }
            TypedExprKind::Const(id) => name(&self.program.consts.at(*id)?.name),
            TypedExprKind::Bound(n) => ast::BoogieExprKind::Var(bound(*n)),
            TypedExprKind::Call(f, _, args) => {
                let name = self.program.functions.at(*f)?.name.clone();
                ast::BoogieExprKind::Call(name, self.exprs(args)?)
            }
            TypedExprKind::Not(e) => ast::BoogieExprKind::Unary(UnOp::Not, self.boxed(e)?),
            TypedExprKind::Neg(e) => ast::BoogieExprKind::Unary(UnOp::Neg, self.boxed(e)?),
            TypedExprKind::Binary(op, l, r) => {
                ast::BoogieExprKind::Binary(*op, self.boxed(l)?, self.boxed(r)?)
            }
            TypedExprKind::Chain(op, all) => match all.as_slice() {
                [] => ast::BoogieExprKind::Bool(*op == ast::ChainOp::And),
                [one] => return self.expr(one),
                all => ast::BoogieExprKind::Chain(*op, self.exprs(all)?),
            },
            TypedExprKind::Ite(c, a, b) => {
                ast::BoogieExprKind::Ite(self.boxed(c)?, self.boxed(a)?, self.boxed(b)?)
            }
            TypedExprKind::Select(m, i, _) => {
                ast::BoogieExprKind::Select(self.boxed(m)?, self.exprs(i)?)
            }
            TypedExprKind::Store(m, i, e, _) => {
                ast::BoogieExprKind::Store(self.boxed(m)?, self.exprs(i)?, self.boxed(e)?)
            }
            TypedExprKind::Extract(e, high, low) => {
                ast::BoogieExprKind::Extract(self.boxed(e)?, *high, *low)
            }
            TypedExprKind::Quantified(q) => {
                ast::BoogieExprKind::Quantified(Box::new(self.quantified(q)?))
            }
            TypedExprKind::Instances(all) => {
                let parts = all.iter().map(|(_, e)| self.expr(e));
                ast::BoogieExprKind::Call("instances".into(), parts.collect::<Result<_, _>>()?)
            }
            TypedExprKind::Let(binds, body) => {
                let names = binds.iter().map(|(n, _)| bound(*n)).collect();
                let values = binds.iter().map(|(_, e)| self.expr(e));
                let values = values.collect::<Result<_, _>>()?;
                ast::BoogieExprKind::Let(names, values, self.boxed(body)?)
            }
            TypedExprKind::ToInt(e) => ast::BoogieExprKind::ToInt(self.boxed(e)?),
            TypedExprKind::ToReal(e) => ast::BoogieExprKind::ToReal(self.boxed(e)?),
            // The engine replaces code expressions by what they mean before anything is printed.
            TypedExprKind::Code(_) => name("|{ … }|"),
        };
        Ok(at_no_place(kind))
    }

    fn boxed(&self, e: &TypedExpr) -> Result<Box<ast::BoogieExpr>, Internal> {
        self.expr(e).map(Box::new)
    }

    fn exprs(&self, all: &[TypedExpr]) -> Result<Vec<ast::BoogieExpr>, Internal> {
        all.iter().map(|e| self.expr(e)).collect()
    }

    fn quantified(&self, q: &Quantified) -> Result<ast::QuantifiedExpr, Internal> {
        let var = |(number, ty): &(u32, BoogieType)| ast::VarDecl {
            pos: Pos::default(),
            attrs: Vec::new(),
            name: bound(*number),
            ty: ty.untyped(&self.program.types),
            where_: None,
        };
        let triggers = q.triggers.iter().map(|t| self.exprs(t));
        Ok(ast::QuantifiedExpr {
            kind: q.kind,
            type_params: q.type_params.iter().map(|n| format!("a{n}")).collect(),
            vars: q.vars.iter().map(var).collect(),
            attrs: Vec::new(),
            triggers: triggers.collect::<Result<_, _>>()?,
            body: self.expr(&q.body)?,
        })
    }
}

fn at_no_place(kind: ast::BoogieExprKind) -> ast::BoogieExpr {
    ast::BoogieExpr::new(Pos::default(), kind)
}
