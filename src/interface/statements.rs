//! The paper's own precision: the abstraction made statement by statement.
//!
//! A question sees a whole call, and with it every test and assignment on the way. The paper's tool abstracts each
//! statement by itself: between two of them nothing is known of the fields but the predicates. The same comes out of
//! questions about a body that forgets: before each statement but the first the fields take any values for which
//! the predicates are what they were. Such a body does whatever the real one does, and more. (A field whose type
//! promises something, as `nat` does, keeps its value: within a body it need not keep the promise, which arbitrary
//! values do.)

use crate::ir::CompareOp;
use crate::ir::span::Span;
use crate::ir::{
    Block, ClassId, Expr, ExprKind, FieldRef, Place, Program, Stmt, StmtKind, Type, Var, VarId,
};
use crate::ir::{facts, formula};

/// The program, with bodies of the class that forget everything but the predicates between statements.
pub fn forgetful(program: &Program, class: ClassId, predicates: &[Expr]) -> Program {
    let mut forgetful = program.clone();
    let flags: Vec<VarId> = (1..=predicates.len())
        .map(|number| {
            forgetful.vars.push(Var {
                name: format!("was_{number}"),
                ty: Type::Bool,
            });
            VarId(forgetful.vars.len() - 1)
        })
        .collect();
    let step = forget(program, class, predicates, &flags);
    let Some(declared) = forgetful.classes.get_mut(class.0) else {
        return forgetful;
    };
    for routine in &mut declared.routines {
        if let Some(body) = &mut routine.body {
            let first = body.first().map(|stmt| inside(stmt, &step));
            let rest: Block = behind(body.get(1..).unwrap_or_default(), &step);
            *body = first.into_iter().chain(rest).collect();
        }
    }
    forgetful
}

/// The statements that forget.
fn forget(program: &Program, class: ClassId, predicates: &[Expr], flags: &[VarId]) -> Block {
    let this = formula::this(class);
    let stmt = |kind| Stmt {
        kind,
        span: Span::default(),
    };
    let total = predicates
        .iter()
        .map(|p| formula::clause_under_invariant(program, p));
    let formulas: Vec<Expr> = total.collect();
    let kept = flags.iter().zip(&formulas);
    let remember = kept
        .clone()
        .map(|(flag, formula)| stmt(StmtKind::Assign(Place::Var(*flag), formula.clone())));
    let fields = program.class(class).fields.iter().enumerate();
    let lose = fields
        .filter(|(_, field)| !field.constant && facts::invariant(&field.ty).is_none())
        .map(|(index, _)| {
            let field = FieldRef { class, index };
            stmt(StmtKind::Havoc(Place::Field(this.clone(), field)))
        });
    let recall = kept.map(|(flag, formula)| {
        let flag = formula::expr(ExprKind::Var(*flag), Type::Bool);
        let same = formula::compare(CompareOp::Eq, flag, formula.clone());
        stmt(StmtKind::Assume(same))
    });
    remember.chain(lose).chain(recall).collect()
}

/// Statements with something forgotten before each, also of those inside them.
fn behind(block: &[Stmt], step: &[Stmt]) -> Block {
    block
        .iter()
        .flat_map(|stmt| step.iter().cloned().chain([inside(stmt, step)]))
        .collect()
}

/// The statement, with something forgotten before each of those in it.
fn inside(stmt: &Stmt, step: &[Stmt]) -> Stmt {
    stmt.map_blocks(|block| behind(block, step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq::parse_text;

    /// The statements of an action's body, each as what it does.
    fn kinds(text: &str) -> Vec<&'static str> {
        let loaded = parse_text("c.tq", text).expect("a class");
        let this = formula::this(ClassId(0));
        let field = FieldRef {
            class: ClassId(0),
            index: 0,
        };
        let x = formula::expr(ExprKind::Field(this, field), Type::Int);
        let predicate = formula::compare(CompareOp::Eq, x, formula::int(0));
        let forgetful = forgetful(&loaded.program, ClassId(0), &[predicate]);
        let routines = forgetful.classes[0].routines.iter();
        let action = routines.rev().find_map(|r| r.body.as_ref());
        let body = action.expect("a body").iter();
        body.map(|stmt| match stmt.kind {
            StmtKind::Assign(Place::Var(_), _) => "remember",
            StmtKind::Havoc(_) => "lose",
            StmtKind::Assume(_) => "recall",
            _ => "own",
        })
        .collect()
    }

    #[test]
    fn all_but_the_first_statement_forget() {
        let class =
            "class C { var x: int; constructor() { x := 0; } action a() { x := 1; x := 2; } }";
        assert_eq!(kinds(class), ["own", "remember", "lose", "recall", "own"]);
    }

    #[test]
    fn a_promise_need_not_be_kept_within_a_body() {
        let class =
            "class C { var x: nat; constructor() { x := 0; } action a() { x := 0 - 1; x := 0; } }";
        assert_eq!(kinds(class), ["own", "remember", "recall", "own"]);
    }
}
