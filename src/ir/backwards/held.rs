//! Variables that hold what a field holds, as long as they are there: `var es := elements;` where nothing assigns `elements`.
//! They are taken for the field itself, of which more is known.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Backwards;
use crate::ir::effects::walk;
use crate::ir::formula;
use crate::ir::{Expr, ExprKind, FieldRef, Place, RoutineRef, Stmt, StmtKind, VarId};

/// The variables of a routine that hold a field of its object, each with the field.
pub(super) type HeldFields = Rc<BTreeMap<VarId, FieldRef>>;

impl Backwards {
    /// Those of a routine, looked for once.
    pub(super) fn held_in(&mut self, routine: RoutineRef) -> HeldFields {
        if let Some(known) = self.held.get(&routine) {
            return Rc::clone(known);
        }
        let writes = &self.effects.routine(routine).writes;
        let body = self.program.routine(routine).body.as_deref();
        let found = body.map_or_else(BTreeMap::new, |body| {
            let mut found = held(body, body);
            found.retain(|_, field| !writes.contains(field));
            found
        });
        let found = Rc::new(found);
        self.held.insert(routine, Rc::clone(&found));
        found
    }

    /// The fields that variables of the routine hold which is being gone through, as expressions over the whole.
    pub(super) fn held_here(&self) -> impl Iterator<Item = (VarId, Expr)> {
        let held = self.frame.held.iter();
        held.map(|(id, field)| {
            let ty = self.program.field(*field).ty.of_value();
            let read = ExprKind::Field(self.frame.this.clone(), *field);
            (*id, formula::expr(read, ty))
        })
    }
}

/// The variables that a block, or one in it, assigns a field of the object, and that are not spoken of but behind that.
fn held(block: &[Stmt], body: &[Stmt]) -> BTreeMap<VarId, FieldRef> {
    let mut found = BTreeMap::new();
    for (at, stmt) in block.iter().enumerate() {
        if let StmtKind::Assign(Place::Var(id), value) = &stmt.kind
            && let ExprKind::Field(object, field) = &*value.kind
            && matches!(*object.kind, ExprKind::This)
        {
            let (all, behind) = (uses(*id, body), uses(*id, &block[at + 1..]));
            if all.of == behind.of && all.writes == 1 && behind.writes == 0 {
                found.insert(*id, *field);
            }
        }
        for inner in stmt.blocks() {
            found.extend(held(inner, body));
        }
    }
    found
}

/// How often statements speak of a variable, and how often they give it a value.
struct Uses {
    of: usize,
    writes: usize,
}

fn uses(id: VarId, statements: &[Stmt]) -> Uses {
    let mut found = Uses { of: 0, writes: 0 };
    for stmt in walk::statements([statements]) {
        let places = walk::places(stmt);
        let operands = places.iter().flat_map(|place| walk::place_operands(place));
        for e in walk::evaluated(stmt).into_iter().chain(operands) {
            walk::visit(e, |e| {
                found.of += usize::from(matches!(*e.kind, ExprKind::Var(other) if other == id));
            });
        }
        let is_it = |place: &&&Place| matches!(place, Place::Var(other) if *other == id);
        found.writes += places.iter().filter(is_it).count();
    }
    found
}
