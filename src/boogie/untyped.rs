//! What was resolved and typed, as a syntax tree again: so that there is one printer.

use super::ast::{self, Pos, UnOp};
use super::typed::{Expr, ExprKind, LocalId, Program, Quantified, Type, TypeCon, TypeId, Var};
use crate::ids::Table;
use crate::internal::Internal;

/// What local variables are called.
pub type LocalNames<'a> = dyn Fn(LocalId) -> Result<String, Internal> + 'a;

impl Type {
    /// The type as it is written, with numbers for type parameters.
    pub fn show(&self, cons: &Table<TypeId, TypeCon>) -> String {
        self.untyped(cons).to_string()
    }

    /// The type as a tree, with numbers for type parameters.
    pub fn untyped(&self, cons: &Table<TypeId, TypeCon>) -> ast::Type {
        let named = |name: String| ast::TypeKind::Named(name, Vec::new());
        let kind = match self {
            Type::Bool => ast::TypeKind::Bool,
            Type::Int => ast::TypeKind::Int,
            Type::Real => ast::TypeKind::Real,
            Type::Bv(width) => ast::TypeKind::Bv(*width),
            Type::Float(significand, exponent) => named(format!("float{significand}e{exponent}")),
            Type::Rounding => named("rmode".into()),
            Type::Str => named("string".into()),
            Type::Regex => named("regex".into()),
            Type::Con(con, args) => {
                // Only a bug of ours shows a type of another program.
                let con = cons.at(*con);
                let name = con.map_or_else(|bug| bug.to_string(), |c| c.name.clone());
                ast::TypeKind::Named(name, args.iter().map(|t| t.untyped(cons)).collect())
            }
            Type::Map(m) => ast::TypeKind::Map(
                (0..m.params).map(|i| format!("t{i}")).collect(),
                m.domain.iter().map(|t| t.untyped(cons)).collect(),
                Box::new(m.range.untyped(cons)),
            ),
            Type::Param(n) => named(format!("a{n}")),
            Type::Bound(0, i) => named(format!("t{i}")),
            Type::Bound(out, i) => named(format!("t{i}'{out}")),
            Type::Meta(_) => named("?".into()),
        };
        let pos = Pos::default();
        ast::Type { pos, kind }
    }
}

impl Program {
    /// An expression of this program as a tree. Bound variables are called by their numbers.
    ///
    /// # Errors
    ///
    /// A name that leads nowhere, which cannot be.
    pub fn untyped(&self, expr: &Expr, locals: &LocalNames<'_>) -> Result<ast::Expr, Internal> {
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
    pub fn name_of(&self, var: Var, locals: &LocalNames<'_>) -> Result<String, Internal> {
        match var {
            Var::Global(global) => Ok(self.globals.at(global)?.name.clone()),
            Var::Local(local) => locals(local),
        }
    }
}

struct Untyping<'a> {
    program: &'a Program,
    locals: &'a LocalNames<'a>,
}

/// What a bound variable is called.
fn bound(number: u32) -> String {
    format!("b{number}")
}

impl Untyping<'_> {
    fn expr(&self, e: &Expr) -> Result<ast::Expr, Internal> {
        let name = |name: &str| ast::ExprKind::Var(name.into());
        let kind = match &e.kind {
            ExprKind::Bool(b) => ast::ExprKind::Bool(*b),
            ExprKind::Int(n) => ast::ExprKind::Int(n.clone()),
            ExprKind::Real(r) => ast::ExprKind::Real(r.clone()),
            ExprKind::Bv(value, width) => ast::ExprKind::Bv(value.clone(), *width),
            ExprKind::Literal(text) => name(text),
            ExprKind::Var(var) => name(&self.program.name_of(*var, self.locals)?),
            ExprKind::Old(global) => {
                let global = name(&self.program.globals.at(*global)?.name);
                ast::ExprKind::Old(Box::new(at_no_place(global)))
            }
            ExprKind::Const(id) => name(&self.program.consts.at(*id)?.name),
            ExprKind::Bound(n) => ast::ExprKind::Var(bound(*n)),
            ExprKind::Call(f, _, args) => {
                let name = self.program.functions.at(*f)?.name.clone();
                ast::ExprKind::Call(name, self.exprs(args)?)
            }
            ExprKind::Not(e) => ast::ExprKind::Unary(UnOp::Not, self.boxed(e)?),
            ExprKind::Neg(e) => ast::ExprKind::Unary(UnOp::Neg, self.boxed(e)?),
            ExprKind::Binary(op, l, r) => {
                ast::ExprKind::Binary(*op, self.boxed(l)?, self.boxed(r)?)
            }
            ExprKind::Chain(op, all) => match all.as_slice() {
                [] => ast::ExprKind::Bool(*op == ast::ChainOp::And),
                [one] => return self.expr(one),
                all => ast::ExprKind::Chain(*op, self.exprs(all)?),
            },
            ExprKind::Ite(c, a, b) => {
                ast::ExprKind::Ite(self.boxed(c)?, self.boxed(a)?, self.boxed(b)?)
            }
            ExprKind::Select(m, i, _) => ast::ExprKind::Select(self.boxed(m)?, self.exprs(i)?),
            ExprKind::Store(m, i, e, _) => {
                ast::ExprKind::Store(self.boxed(m)?, self.exprs(i)?, self.boxed(e)?)
            }
            ExprKind::Extract(e, high, low) => ast::ExprKind::Extract(self.boxed(e)?, *high, *low),
            ExprKind::Quantified(q) => ast::ExprKind::Quantified(Box::new(self.quantified(q)?)),
            ExprKind::Instances(all) => {
                let parts = all.iter().map(|(_, e)| self.expr(e));
                ast::ExprKind::Call("instances".into(), parts.collect::<Result<_, _>>()?)
            }
            ExprKind::Let(binds, body) => {
                let names = binds.iter().map(|(n, _)| bound(*n)).collect();
                let values = binds.iter().map(|(_, e)| self.expr(e));
                let values = values.collect::<Result<_, _>>()?;
                ast::ExprKind::Let(names, values, self.boxed(body)?)
            }
            ExprKind::ToInt(e) => ast::ExprKind::ToInt(self.boxed(e)?),
            ExprKind::ToReal(e) => ast::ExprKind::ToReal(self.boxed(e)?),
            // The engine replaces code expressions by what they mean before anything is printed.
            ExprKind::Code(_) => name("|{ … }|"),
        };
        Ok(at_no_place(kind))
    }

    fn boxed(&self, e: &Expr) -> Result<Box<ast::Expr>, Internal> {
        self.expr(e).map(Box::new)
    }

    fn exprs(&self, all: &[Expr]) -> Result<Vec<ast::Expr>, Internal> {
        all.iter().map(|e| self.expr(e)).collect()
    }

    fn quantified(&self, q: &Quantified) -> Result<ast::Quantified, Internal> {
        let var = |(number, ty): &(u32, Type)| ast::VarDecl {
            pos: Pos::default(),
            attrs: Vec::new(),
            name: bound(*number),
            ty: ty.untyped(&self.program.types),
            where_: None,
        };
        let triggers = q.triggers.iter().map(|t| self.exprs(t));
        Ok(ast::Quantified {
            kind: q.kind,
            type_params: q.type_params.iter().map(|n| format!("a{n}")).collect(),
            vars: q.vars.iter().map(var).collect(),
            attrs: Vec::new(),
            triggers: triggers.collect::<Result<_, _>>()?,
            body: self.expr(&q.body)?,
        })
    }
}

fn at_no_place(kind: ast::ExprKind) -> ast::Expr {
    ast::Expr::new(Pos::default(), kind)
}
