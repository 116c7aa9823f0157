//! What statements may write, with all that they call.

use std::collections::BTreeSet;

use super::Effects;
use super::walk::places;
use crate::ir::{ClassId, FieldRef, Place, Stmt, StmtKind, Type, VarId};

/// What statements may write.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Variables of their own routine.
    pub vars: BTreeSet<VarId>,
    /// Fields, of any object.
    pub fields: BTreeSet<FieldRef>,
    /// The types of the elements of arrays, new ones included.
    pub elements: BTreeSet<Type>,
    /// The classes of objects that are made.
    pub made: BTreeSet<ClassId>,
}

impl Written {
    /// What these statements write, by the effects of what they call; not those inside them.
    pub(crate) fn of(effects: &Effects, statements: &[&Stmt]) -> Written {
        let mut written = Written::default();
        for stmt in statements {
            for place in places(stmt) {
                match place {
                    Place::Var(var) => drop(written.vars.insert(*var)),
                    Place::Field(_, field) => drop(written.fields.insert(*field)),
                    Place::Element(array, _) => {
                        if let Type::Array { element, .. } = &array.ty {
                            written.elements.insert((**element).clone());
                        }
                    }
                }
            }
            match &stmt.kind {
                StmtKind::New { class, .. } => drop(written.made.insert(*class)),
                StmtKind::NewArray { element, .. } => {
                    written.elements.insert(element.clone());
                }
                _ => {}
            }
            if let Some(routine) = stmt.called() {
                let effects = effects.routine(routine);
                written.fields.extend(&effects.writes);
                written.elements.extend(effects.writes_elements.clone());
                written.elements.extend(effects.allocates_arrays.clone());
                written.made.extend(&effects.allocates);
            }
        }
        written
    }
}
