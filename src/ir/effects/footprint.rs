//! What the value of a formula depends on, and whether a routine may change that.
//!
//! ```text
//! open && seats[0] == 0          the fields `open` and `seats`, and the elements of arrays of `int`
//! exists b: Box :: b.full        the field `full`, and which boxes there are
//! ```
//!
//! Nobody looks at who is the same as whom: what is written in one object or array may be what is read in another. So a field
//! counts as written wherever it is written in any object, an element wherever one of its type is.

use std::collections::BTreeSet;

use super::{RoutineEffects, walk};
use crate::ir::{Expr, ExprKind, FieldRef, Program, Type};

/// What the value of a formula depends on, besides its free variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// The fields it reads, of any object.
    fields: BTreeSet<FieldRef>,
    /// The element types of the arrays of which it reads an element.
    elements: BTreeSet<Type>,
    /// The element types of the arrays of which it reads the length.
    lengths: BTreeSet<Type>,
    /// The types over the values of which it goes.
    domains: BTreeSet<Type>,
    /// Whether it depends on what cannot be told.
    is_unknown: bool,
}

impl Footprint {
    /// Of a formula, with the functions that it calls.
    pub fn of(program: &Program, formula: &Expr) -> Footprint {
        let mut found = Footprint::default();
        walk::visit_through_functions(program, formula, |e| found.add(program, e));
        found
    }

    /// It depends on which values of a type there are, too.
    pub fn add_values(&mut self, ty: &Type) {
        self.domains.insert(ty.clone());
    }

    /// What the expression looks at itself, its parts apart.
    fn add(&mut self, program: &Program, e: &Expr) {
        match &*e.kind {
            ExprKind::Field(_, field) => drop(self.fields.insert(*field)),
            ExprKind::Element(array, _) => match element_of(array) {
                Some(element) => drop(self.elements.insert(element)),
                None => self.is_unknown = true,
            },
            ExprKind::Length(array) => match element_of(array) {
                Some(element) => drop(self.lengths.insert(element)),
                None => self.is_unknown = true,
            },
            ExprKind::Quantified(_, vars, _) => {
                for var in vars {
                    // One that was made up on the way is in no program.
                    match program.vars.get(var.0) {
                        Some(var) => drop(self.domains.insert(var.ty.clone())),
                        None => self.is_unknown = true,
                    }
                }
            }
            // What was there before a call is another thing behind it.
            ExprKind::Old(_) => self.is_unknown = true,
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Member(..)
            | ExprKind::Named(..)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Var(_)
            | ExprKind::Select(..)
            | ExprKind::Everywhere(_)
            | ExprKind::Store(..)
            | ExprKind::Call { .. }
            | ExprKind::Convert(_)
            | ExprKind::Neg(_)
            | ExprKind::Not(_)
            | ExprKind::Binary(..)
            | ExprKind::Compare(..)
            | ExprKind::If(..) => {}
        }
    }
}

/// The type of the elements of what is no `null` that stands for itself.
fn element_of(array: &Expr) -> Option<Type> {
    match &array.ty {
        Type::Array { element, .. } => Some((**element).clone()),
        _ => None,
    }
}

impl RoutineEffects {
    /// Whether running the routine, however it ends, may change a value that depends on this.
    ///
    /// The length of an array stays what it is; but a new array has one too, and that nobody leads to it yet is not looked at.
    pub fn may_change(&self, what: &Footprint) -> bool {
        what.is_unknown
            || !self.writes.is_disjoint(&what.fields)
            || !self.writes_elements.is_disjoint(&what.elements)
            || !self.allocates_arrays.is_disjoint(&what.lengths)
            || what.domains.iter().any(|ty| self.may_make(ty))
    }

    /// Whether there may be more values of a type behind it.
    fn may_make(&self, ty: &Type) -> bool {
        match ty {
            Type::Class { class, .. } => self.allocates.contains(class),
            Type::Array { element, .. } => self.allocates_arrays.contains(element),
            Type::Map(key, value) => self.may_make(key) || self.may_make(value),
            Type::Int
            | Type::Nat
            | Type::Within(_)
            | Type::Bool
            | Type::Machine(_)
            | Type::Enum(_)
            | Type::Opaque(_)
            | Type::Null => false,
        }
    }
}
