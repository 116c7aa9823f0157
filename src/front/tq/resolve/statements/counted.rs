//! `for`, spelt out: a loop whose variable nobody else assigns.
//!
//! The bounds are looked at once, before the first round. Going up, the variable is moved behind a round, so that one is a block
//! that `continue` leaves; going down, it is moved before the round, and `continue` goes on with the next one by itself.

use super::super::super::ast::{ExprSyntax, ForSyntax, Ident};
use super::super::expressions::make;
use super::super::scope::{Enclosing, Scope, VariableKind};
use super::super::types::is_integer;
use crate::ir::effects::walk;
use crate::ir::span::Span;
use crate::ir::{
    BinaryOp, Block, CompareOp, Condition, Diagnostic, Expr, ExprKind, LabelId, Place, Stmt,
    StmtKind, Type, VarId,
};

impl<'a> Scope<'_, 'a> {
    pub(super) fn for_loop(&mut self, counted: &'a ForSyntax, span: Span, out: &mut Block) {
        let ty = self.counter_type(counted);
        self.resolver.not_a_type(&counted.name);
        let var = self.resolver.variable(&counted.name.name, ty.clone());
        // The bounds do not see the variable, and are found out in the order in which they stand.
        let from = self.bound(&counted.from, ty.as_ref());
        let to = self.bound(&counted.to, ty.as_ref());
        let kind = match counted.down {
            true => Enclosing::Loop,
            false => Enclosing::Counted {
                round: self.new_label(),
            },
        };
        let (invariants, (id, body)) = self.block(|scope| {
            scope.declare(&counted.name, var, VariableKind::Counter);
            let invariants = scope.loop_invariants(&counted.invariants);
            let body = scope.called(counted.label.as_ref(), kind, |scope| {
                scope.statements(&counted.body)
            });
            (invariants, body)
        });
        let (Some(ty), Some(from), Some(to)) = (ty, from, to) else {
            return;
        };
        let counter = Counter {
            var,
            ty: &ty,
            name: &counted.name,
        };
        let stmt = |kind| Stmt { kind, span };
        out.push(stmt(StmtKind::Assign(Place::Var(var), from)));
        let to = self.kept(to, &ty, out);
        let (condition, rounds) = match kind {
            Enclosing::Counted { round } => {
                let next = counter.moved(BinaryOp::Add);
                let rounds = [one_round(round, body, span), vec![stmt(next)]].concat();
                (counter.compared(CompareOp::Lt, to), rounds)
            }
            Enclosing::Block | Enclosing::Loop => {
                let next = counter.moved(BinaryOp::Sub);
                let rounds = [vec![stmt(next)], body].concat();
                (counter.compared(CompareOp::Gt, to), rounds)
            }
        };
        out.push(stmt(StmtKind::While {
            label: id,
            condition: Condition::Expr(condition),
            invariants,
            body: rounds,
        }));
    }

    fn counter_type(&mut self, counted: &'a ForSyntax) -> Option<Type> {
        let Some(written) = &counted.ty else {
            return Some(Type::Int);
        };
        let ty = self.resolver.ty(written)?;
        if is_integer(&ty.of_value()) {
            return Some(ty);
        }
        let is = format!("this is of type `{}`", self.type_name(&ty));
        self.report(
            Diagnostic::error("a `for` counts with integers")
                .at(counted.name.span, is)
                .help("leave the type out, or write an integer type"),
        );
        None
    }

    fn bound(&mut self, e: &'a ExprSyntax, ty: Option<&Type>) -> Option<Expr> {
        match ty {
            Some(ty) => self.value(e, ty),
            None => {
                self.expr(e, None);
                None
            }
        }
    }

    /// A bound as it is before the first round, whatever is assigned after that.
    fn kept(&mut self, bound: Expr, ty: &Type, out: &mut Block) -> Expr {
        if matches!(*bound.kind, ExprKind::Int(_)) {
            return bound;
        }
        let span = bound.span;
        let kept = self.resolver.variable("bound'", Some(ty.clone()));
        let kind = StmtKind::Assign(Place::Var(kept), bound);
        out.push(Stmt { kind, span });
        make(ExprKind::Var(kept), ty.of_value(), span)
    }
}

/// A round as a block, where something leaves it.
fn one_round(round: LabelId, body: Block, span: Span) -> Block {
    let mut inside = walk::statements([body.as_slice()]).into_iter();
    if !inside.any(|stmt| matches!(stmt.kind, StmtKind::Break(left) if left == round)) {
        return body;
    }
    let kind = StmtKind::Labelled(round, body);
    vec![Stmt { kind, span }]
}

/// The variable of a `for`.
struct Counter<'a> {
    var: VarId,
    ty: &'a Type,
    name: &'a Ident,
}

impl Counter<'_> {
    fn span(&self) -> Span {
        self.name.span
    }

    fn value(&self) -> Expr {
        make(ExprKind::Var(self.var), self.ty.of_value(), self.span())
    }

    fn compared(&self, op: CompareOp, bound: Expr) -> Expr {
        let kind = ExprKind::Compare(op, self.value(), bound);
        make(kind, Type::Bool, self.span())
    }

    /// To the next number, or to the one before.
    fn moved(&self, op: BinaryOp) -> StmtKind {
        let one = make(ExprKind::Int(1.into()), self.ty.of_value(), self.span());
        let kind = ExprKind::Binary(op, self.value(), one);
        let next = make(kind, self.ty.of_value(), self.span());
        StmtKind::Assign(Place::Var(self.var), next)
    }
}
