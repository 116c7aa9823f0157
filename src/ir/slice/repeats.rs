//! What routines without a body do twice, with nobody looking in between: then once is enough, for what they leave in a field
//! may be anything each time.
//!
//! ```text
//! var a: Other := new Other();
//! a.changes();
//! assume x != null;              x is a variable
//! var b: Other := new Other();   dropped
//! b.changes();                   dropped
//! ```

use std::collections::BTreeMap;

use crate::ir::effects::walk;
use crate::ir::{
    Block, Condition, Expr, ExprKind, Place, Program, RoutineRef, Stmt, StmtKind, VarId, formula,
};

/// A body without such calls.
pub(super) fn without_repeats(program: &Program, body: &Block) -> Block {
    let mut mentioned = BTreeMap::new();
    for stmt in walk::statements([body.as_slice()]) {
        for place in walk::places(stmt) {
            if let Place::Var(var) = place {
                *mentioned.entry(*var).or_default() += 1;
            }
        }
        let expressions = walk::evaluated(stmt).into_iter();
        let operands = walk::places(stmt).into_iter();
        for e in expressions.chain(operands.flat_map(walk::place_operands)) {
            formula::contains(e, &mut |e| {
                if let ExprKind::Var(var) = &*e.kind {
                    *mentioned.entry(*var).or_default() += 1;
                }
                false
            });
        }
    }
    Repeats { program, mentioned }.block(body)
}

struct Repeats<'p> {
    program: &'p Program,
    /// How often the body speaks of each variable.
    mentioned: BTreeMap<VarId, usize>,
}

impl Repeats<'_> {
    fn block(&self, block: &Block) -> Block {
        let mut kept = Block::new();
        // The routine that was run last, where nobody has looked at what it left.
        let mut last = None;
        let mut rest = block.as_slice();
        while let Some((first, behind)) = rest.split_first() {
            rest = behind;
            let changed = behind.first().and_then(|call| self.changes(first, call));
            if let (Some(routine), Some((call, behind))) = (changed, behind.split_first()) {
                if last != Some(routine) {
                    kept.extend([first.clone(), call.clone()]);
                }
                last = changed;
                rest = behind;
                continue;
            }
            if !looks_at_nothing(first) {
                last = None;
            }
            kept.push(first.map_blocks(|inner| self.block(inner)));
        }
        kept
    }

    /// What is run where these two statements make an object for nothing else than to call a routine without a body on it.
    fn changes(&self, made: &Stmt, call: &Stmt) -> Option<RoutineRef> {
        let StmtKind::New {
            target: Place::Var(object),
            constructor,
            args,
            ..
        } = &made.kind
        else {
            return None;
        };
        let StmtKind::Call {
            targets,
            receiver,
            routine,
            args: given,
        } = &call.kind
        else {
            return None;
        };
        let does_nothing = |constructor: RoutineRef| {
            let body = &self.program.routine(constructor).body;
            body.as_ref().is_some_and(Vec::is_empty)
        };
        let called = self.program.routine(*routine);
        let changes_alone = called.body.is_none()
            && called.requires.is_empty()
            && called.ensures.is_empty()
            && called.throws.is_empty();
        let is_alone = args.is_empty()
            && given.is_empty()
            && targets.is_empty()
            && formula::is_var(receiver, *object)
            && self.mentioned.get(object) == Some(&2)
            && constructor.is_some_and(does_nothing);
        (changes_alone && is_alone).then_some(*routine)
    }
}

/// Whether a statement neither looks at anything but variables nor changes anything else.
fn looks_at_nothing(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assign(Place::Var(_), e) | StmtKind::Assume(e) => is_of_variables(e),
        StmtKind::Havoc(Place::Var(_)) => true,
        StmtKind::Throw(_)
        | StmtKind::ThrowAgain
        | StmtKind::Return
        | StmtKind::Break(_)
        | StmtKind::Continue(_) => true,
        StmtKind::If(condition, then, otherwise) => {
            let decided = match condition {
                Condition::Any => true,
                Condition::Expr(e) => is_of_variables(e),
            };
            decided && then.iter().chain(otherwise).all(looks_at_nothing)
        }
        _ => false,
    }
}

fn is_of_variables(e: &Expr) -> bool {
    !formula::contains(e, &mut |e| {
        matches!(
            &*e.kind,
            ExprKind::Field(..)
                | ExprKind::Length(_)
                | ExprKind::Element(..)
                | ExprKind::Call { .. }
                | ExprKind::Quantified(..)
                | ExprKind::Old(_)
                | ExprKind::This
        )
    })
}
