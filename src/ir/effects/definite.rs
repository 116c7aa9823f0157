//! Whether a routine is deterministic, its callees apart: no choice in its body, and nothing read that was not
//! assigned before (definite assignment, as in the Java language).

use std::collections::BTreeSet;

use super::walk;
use super::{Effects, by_chance};
use crate::ir::RoutineKind;
use crate::ir::{
    Condition, Expr, ExprKind, FieldRef, Place, Program, RoutineRef, Stmt, StmtKind, VarId,
};

/// Blocks nested deeper than this are not looked into: the routine then counts as not deterministic.
const DEPTH_LIMIT: usize = 200;

/// Something that has an arbitrary value until it is assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    Var(VarId),
    /// A field of the object that a constructor makes.
    Field(FieldRef),
}

/// The slots that may not be assigned yet; none of them where control cannot come.
type Open = BTreeSet<Slot>;

/// Whether the routine decides everything, assumed its callees do. `effects` has the fields read by every routine.
pub(super) fn deterministic(program: &Program, effects: &Effects, reference: RoutineRef) -> bool {
    let routine = program.routine(reference);
    let Some(body) = &routine.body else {
        return false;
    };
    let mut open: Open = routine.results.iter().copied().map(Slot::Var).collect();
    if routine.kind == RoutineKind::Constructor {
        let class = reference.class;
        let fields = program.class(class).fields.iter().enumerate();
        open.extend(
            fields
                .filter(|(_, field)| field.value.is_none())
                .map(|(index, _)| Slot::Field(FieldRef { class, index })),
        );
    }
    let mut check = Check {
        program,
        effects,
        outputs: open.clone(),
        chance: false,
    };
    let end = check.block(body, open, &mut Open::new(), 0);
    check.ends(&end);
    !check.chance
}

struct Check<'a> {
    program: &'a Program,
    effects: &'a Effects,
    /// What must be assigned when the routine ends normally.
    outputs: Open,
    /// Something was found that the inputs do not decide.
    chance: bool,
}

impl Check<'_> {
    fn ends(&mut self, open: &Open) {
        self.chance |= !open.is_disjoint(&self.outputs);
    }

    /// What is open behind the block; what is open at a `break` is added to `breaks`.
    fn block(&mut self, block: &[Stmt], mut open: Open, breaks: &mut Open, depth: usize) -> Open {
        if depth > DEPTH_LIMIT {
            self.chance = true;
            return open;
        }
        for stmt in block {
            open = self.statement(stmt, open, breaks, depth);
        }
        open
    }

    fn statement(&mut self, stmt: &Stmt, mut open: Open, breaks: &mut Open, depth: usize) -> Open {
        let places = walk::places(stmt);
        let operands = places.iter().flat_map(|place| walk::place_operands(place));
        for expr in walk::evaluated(stmt).into_iter().chain(operands) {
            self.reads(expr, &open);
        }
        match &stmt.kind {
            StmtKind::Havoc(Place::Var(v)) => {
                open.insert(Slot::Var(*v));
                return open;
            }
            StmtKind::Havoc(_) | StmtKind::NewArray { .. } => self.chance = true,
            StmtKind::Call { routine, .. } => self.calls(*routine, &open),
            StmtKind::New { constructor, .. } => match constructor {
                Some(routine) => self.calls(*routine, &open),
                None => self.chance = true,
            },
            StmtKind::If(condition, then, otherwise) => {
                self.branches(condition);
                let mut end = self.block(then, open.clone(), breaks, depth + 1);
                end.extend(self.block(otherwise, open, breaks, depth + 1));
                return end;
            }
            StmtKind::While {
                condition, body, ..
            } => {
                self.branches(condition);
                open.extend(reopened(body));
                if let Condition::Expr(e) = condition {
                    self.reads(e, &open);
                }
                let mut broken = open.clone();
                self.block(body, open, &mut broken, depth + 1);
                return broken;
            }
            StmtKind::Break => {
                breaks.extend(open);
                return Open::new();
            }
            StmtKind::Return => {
                self.ends(&open);
                return Open::new();
            }
            StmtKind::Continue | StmtKind::Throw(_) => return Open::new(),
            StmtKind::Try { body, catches } => {
                let mut caught = open.clone();
                caught.extend(reopened(body));
                let mut end = self.block(body, open, breaks, depth + 1);
                for (_, handler) in catches {
                    end.extend(self.block(handler, caught.clone(), breaks, depth + 1));
                }
                return end;
            }
            StmtKind::Assign(..) | StmtKind::Assume(_) | StmtKind::Assert(_) => {}
        }
        for place in places {
            close(place, &mut open);
        }
        open
    }

    fn branches(&mut self, condition: &Condition) {
        self.chance |= by_chance(condition);
    }

    fn reads(&mut self, expr: &Expr, open: &Open) {
        if open.is_empty() {
            return;
        }
        walk::visit_through_functions(self.program, expr, |e| match e.kind.as_ref() {
            ExprKind::Var(v) => self.chance |= open.contains(&Slot::Var(*v)),
            ExprKind::Field(_, field) => self.chance |= open.contains(&Slot::Field(*field)),
            _ => {}
        });
    }

    fn calls(&mut self, callee: RoutineRef, open: &Open) {
        let reads = &self.effects.routine(callee).reads;
        self.chance |= reads
            .iter()
            .any(|field| open.contains(&Slot::Field(*field)));
    }
}

fn close(place: &Place, open: &mut Open) {
    match place {
        Place::Var(v) => {
            open.remove(&Slot::Var(*v));
        }
        Place::Field(object, field) if matches!(*object.kind, ExprKind::This) => {
            open.remove(&Slot::Field(*field));
        }
        _ => {}
    }
}

/// The variables that get an arbitrary value somewhere in the block.
fn reopened(block: &[Stmt]) -> Open {
    let mut found = Open::new();
    let mut blocks = vec![block];
    while let Some(block) = blocks.pop() {
        for stmt in block {
            if let StmtKind::Havoc(Place::Var(v)) = &stmt.kind {
                found.insert(Slot::Var(*v));
            }
            blocks.extend(stmt.blocks().into_iter().map(Vec::as_slice));
        }
    }
    found
}
