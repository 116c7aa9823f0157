//! Static fields that never change, where their values are none that the language can write: objects, and arrays.
//!
//! In the class under study they are fields whose types and facts say what is known of their values. Of a helper there are many
//! objects: what is known of all of them would be one more thing that holds for all, which is hard for a solver. So there it
//! is said where such a field is read.

use super::helpers::OwnerId;
use crate::front::java::world::initialiser::StaticValue;
use crate::front::tq::ast::{ExprSyntax, Member, TypeSyntax};
use crate::front::tq::build::{and, compare, dot, equal, ident, int, name, null};
use crate::ir::CompareOp;

/// Such a field.
#[derive(Debug)]
pub(super) struct UnknownConstant {
    /// Its name.
    pub here: String,
    /// Whose field it is.
    owner: OwnerId,
    ty: TypeSyntax,
    /// Whether it is known not to be null, where its type has that.
    is_there: bool,
    /// Of an array: how long it is.
    length: Option<i32>,
}

impl UnknownConstant {
    /// A constant of a type, with what the initialiser of its class says of it.
    pub(super) fn new(
        (owner, here): (OwnerId, String),
        ty: TypeSyntax,
        known: Option<&StaticValue>,
    ) -> UnknownConstant {
        use StaticValue::{Array, Constant, Object};
        let (may_be_null, is_array) = match &ty {
            TypeSyntax::Nullable(ty) => (true, matches!(**ty, TypeSyntax::Array(_))),
            _ => (false, false),
        };
        let length = match known {
            Some(Array(length)) if is_array => *length,
            _ => None,
        };
        UnknownConstant {
            here,
            owner,
            ty,
            is_there: may_be_null && matches!(known, Some(Object(_) | Array(_) | Constant(_))),
            length,
        }
    }

    /// Its declaration.
    pub(super) fn declaration(&self) -> Member {
        let ty = match &self.ty {
            TypeSyntax::Nullable(ty) if self.is_there && self.is_own() => (**ty).clone(),
            ty => ty.clone(),
        };
        Member::Const {
            name: ident(self.here.as_str()),
            ty,
            value: None,
        }
    }

    /// How long the array is, where that is known: of no other one is it ever made.
    pub(super) fn length_fact(&self) -> Option<Member> {
        let is_long = self.is_long(&name(&self.here))?;
        self.is_own().then_some(Member::Fact(is_long))
    }

    /// What is to be said of its value where it is read, as this expression.
    pub(super) fn known_where_read(&self, read: &ExprSyntax) -> Option<ExprSyntax> {
        if self.is_own() || !self.is_there {
            return None;
        }
        let is_there = compare(CompareOp::Ne, read.clone(), null());
        Some(match self.is_long(read) {
            Some(is_long) => and(is_there, is_long),
            None => is_there,
        })
    }

    fn is_long(&self, array: &ExprSyntax) -> Option<ExprSyntax> {
        Some(equal(dot(array.clone(), "length"), int(self.length?)))
    }

    fn is_own(&self) -> bool {
        self.owner == OwnerId::STUDIED
    }
}
