//! Invariants to try for loops that have none: what a constructor's loop makes of a new object is nowhere else to be seen.
//!
//! ```text
//! while (i < payees.length)       total >= i, total == total_of_shares, total <= MAX, …
//! {
//!     shares[payees[i]] := amounts[i];
//!     total := total + amounts[i];
//!     i := i + 1;
//! }
//! ```
//!
//! None of them is relied on that is not proved.

use std::collections::BTreeSet;

use crate::ir::effects::walk::{places, statements};
use crate::ir::formula::{self, compare};
use crate::ir::{
    Block, ClassId, CompareOp, Condition, Expr, ExprKind, FieldRef, Place, Program, RoutineKind,
    Stmt, StmtKind, Type, VarId,
};

/// Loops that change more numbers than these get no invariants.
const MOST_NUMBERS: usize = 5;

/// The program with invariants to try in the loops of a class's constructors that have none; none where there is no such loop.
pub fn with_guesses(program: &Program, class: ClassId) -> Option<Program> {
    let mut guessed = program.clone();
    let mut any = false;
    for routine in &mut guessed.classes.get_mut(class.0)?.routines {
        if let (RoutineKind::Constructor, Some(body)) = (routine.kind, &mut routine.body) {
            *body = Guesser { program, class }.block(body, &mut any);
        }
    }
    any.then_some(guessed)
}

/// Guesses invariants.
struct Guesser<'a> {
    program: &'a Program,
    class: ClassId,
}

impl Guesser<'_> {
    fn block(&self, block: &Block, any: &mut bool) -> Block {
        let statement = |stmt: &Stmt| {
            let mut stmt = stmt.map_blocks(|block| self.block(block, any));
            if let StmtKind::While {
                condition: Condition::Expr(condition),
                invariants,
                body,
                ..
            } = &mut stmt.kind
                && invariants.is_empty()
            {
                *invariants = self.guesses(condition, body);
                *any |= !invariants.is_empty();
            }
            stmt
        };
        block.iter().map(statement).collect()
    }

    /// What may hold whenever a loop looks at its condition.
    fn guesses(&self, condition: &Expr, body: &Block) -> Vec<Expr> {
        let (fields, vars) = self.changed(condition, body);
        let own = formula::own_fields(self.program, self.class);
        let numbers: Vec<Expr> = vars
            .iter()
            .map(|var| formula::var(self.program, *var))
            .chain(
                fields
                    .iter()
                    .filter_map(|field| own.get(field.index).cloned()),
            )
            .collect();
        // Where no field is changed, the object is what it was.
        if fields.is_empty() || numbers.len() > MOST_NUMBERS {
            return Vec::new();
        }
        let speaks_of_it = |clause: &&Expr| {
            let is_field =
                |e: &Expr| matches!(&*e.kind, ExprKind::Field(_, f) if fields.contains(f));
            formula::contains(clause, &mut |e| is_field(e))
        };
        let invariants = &self.program.class(self.class).invariants;
        let kept = invariants.iter().filter(speaks_of_it).cloned();
        let zero = numbers
            .iter()
            .map(|n| compare(CompareOp::Ge, n.clone(), formula::int(0)));
        let pairs = numbers.iter().enumerate().flat_map(|(at, one)| {
            let others = numbers.iter().skip(at + 1);
            others.flat_map(|other| {
                let all = [CompareOp::Eq, CompareOp::Le, CompareOp::Ge];
                all.map(|op| compare(op, one.clone(), other.clone()))
            })
        });
        kept.chain(zero).chain(pairs).collect()
    }

    /// The numbers that a loop changes: fields of the object, and variables that its condition looks at.
    fn changed(&self, condition: &Expr, body: &Block) -> (BTreeSet<FieldRef>, BTreeSet<VarId>) {
        let looked_at = formula::vars_of(condition);
        let (mut fields, mut vars) = (BTreeSet::new(), BTreeSet::new());
        let written = statements([body.as_slice()]);
        for place in written.into_iter().flat_map(places) {
            let is_number = self.program.place_type(place).of_value() == Type::Int;
            match place {
                Place::Field(object, field)
                    if is_number && matches!(*object.kind, ExprKind::This) =>
                {
                    fields.insert(*field);
                }
                Place::Var(var) if is_number && looked_at.contains(var) => {
                    vars.insert(*var);
                }
                _ => {}
            }
        }
        fields.retain(|field| field.class == self.class);
        (fields, vars)
    }
}
