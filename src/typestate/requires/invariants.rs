//! Invariants: clauses are proposed, and those stay that every constructor establishes and every call keeps.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use crate::ask::houdini::{self, Kept};
use crate::engine::EngineError;
use crate::ir::CompareOp;
use crate::ir::formula;
use crate::ir::{Class, ClassId, Expr, ExprKind, FieldRef, Program, RoutineRef, Stmt, Type};
use crate::ir::{effects::walk::evaluated, effects::walk::visit};

use crate::typestate::precondition::{PathAnalysis, PreconditionOptions, PreconditionTarget};

/// No more clauses than these are tried.
const MOST: usize = 120;

/// Clauses over the object's own fields that every constructor establishes and every allowed call of the actions
/// keeps, however it ends; none that follows from the class's own invariant and the others.
///
/// # Errors
/// Z3 cannot be run.
pub fn invariants(
    program: &Program,
    class: ClassId,
    actions: &[RoutineRef],
    options: &PreconditionOptions,
) -> Result<Vec<Expr>, EngineError> {
    let mut analysis = PathAnalysis::new(program, class, options.clone())?;
    let own = analysis.invariant().to_vec();
    let mut clauses = candidates(program, class);
    clauses.truncate(MOST);
    let constructors = program.constructors(class);
    let actions: Vec<_> = actions.iter().copied().map(Some).collect();
    let ask = |routine: &Option<RoutineRef>, assumed: &[Expr], goal: &[Expr]| {
        // Of an object that is only being made, no clause holds yet.
        let assumed = match constructors.contains(routine) {
            true => &[],
            false => assumed,
        };
        analysis.set_invariant(own.iter().chain(assumed).cloned().collect());
        let broken = goal.iter().enumerate();
        let broken = broken.filter(|(_, clause)| breaks(&mut analysis, *routine, clause));
        let broken: BTreeSet<usize> = broken.map(|(index, _)| index).collect();
        match broken.is_empty() {
            true => Kept::All,
            false => Kept::But(broken),
        }
    };
    clauses = houdini::kept(clauses, &constructors, &actions, |_, _| true, ask);
    analysis.set_invariant(own);
    let mut index = clauses.len();
    while index > 0 {
        index -= 1;
        let others = clauses.iter().enumerate().filter(|(i, _)| *i != index);
        let others: Vec<&Expr> = others.map(|(_, c)| c).collect();
        if analysis.follows_all(&others, std::slice::from_ref(&clauses[index])) {
            clauses.remove(index);
        }
    }
    Ok(clauses)
}

/// Whether a call that is allowed may end where the clause does not hold.
fn breaks(analysis: &mut PathAnalysis, routine: Option<RoutineRef>, clause: &Expr) -> bool {
    let broken = formula::not(clause.clone());
    let found = analysis.precondition(routine, PreconditionTarget::Anywhere(&broken));
    found.cases.iter().any(|case| analysis.possible_case(case))
}

/// Comparisons of the integer fields with each other and with the numbers that the class mentions; the boolean fields.
fn candidates(program: &Program, class: ClassId) -> Vec<Expr> {
    let declared = program.class(class);
    let this = formula::expr(
        ExprKind::This,
        Type::Class {
            class,
            nullable: false,
        },
    );
    let field = |index: usize, ty: &Type| {
        let read = ExprKind::Field(this.clone(), FieldRef { class, index });
        formula::expr(read, ty.of_value())
    };
    let of = |wanted: fn(&Type) -> bool| -> Vec<(usize, Expr)> {
        let fields = declared
            .fields
            .iter()
            .enumerate()
            .filter(|(_, f)| wanted(&f.ty));
        fields
            .map(|(index, f)| (index, field(index, &f.ty)))
            .collect()
    };
    let integers = of(|ty| {
        matches!(
            ty,
            Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_)
        )
    });
    // Where several say the same, those in front stay.
    let (mut clauses, mut last) = (Vec::new(), Vec::new());
    for (index, f) in &integers {
        // Of a constant, nothing is learnt.
        if declared.fields[*index].constant {
            continue;
        }
        for number in numbers(declared) {
            let to = |op| formula::compare(op, f.clone(), formula::int(number.clone()));
            clauses.extend([CompareOp::Eq, CompareOp::Ge, CompareOp::Le].map(to));
            last.push(to(CompareOp::Ne));
        }
        for (other, g) in &integers {
            if index != other {
                clauses.push(formula::compare(CompareOp::Le, f.clone(), g.clone()));
            }
        }
    }
    for (_, f) in of(|ty| *ty == Type::Bool) {
        clauses.push(f.clone());
        clauses.push(formula::not(f));
    }
    clauses.append(&mut last);
    clauses
}

/// The numbers in a class, and 0.
fn numbers(class: &Class) -> BTreeSet<BigInt> {
    let mut found = BTreeSet::from([BigInt::from(0)]);
    let mut see = |e: &Expr| {
        visit(e, |e| {
            if let ExprKind::Int(n) = &*e.kind {
                found.insert(n.clone());
            }
        });
    };
    for routine in &class.routines {
        routine.requires.iter().for_each(&mut see);
        let mut blocks: Vec<&Vec<Stmt>> = routine.body.iter().collect();
        while let Some(block) = blocks.pop() {
            for stmt in block {
                evaluated(stmt).into_iter().for_each(&mut see);
                blocks.extend(stmt.blocks());
            }
        }
    }
    for field in &class.fields {
        field.value.iter().for_each(&mut see);
    }
    found
}
