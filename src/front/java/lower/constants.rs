//! Static fields that never change, where their values are none that the language can write: objects, and arrays.

use crate::front::java::world::initialiser::StaticValue;
use crate::front::tq::ast::{Member, TypeSyntax};
use crate::front::tq::build::{dot, equal, ident, int, name};

/// Such a field.
#[derive(Debug)]
pub(super) struct UnknownConstant {
    /// Its name.
    pub here: String,
    ty: TypeSyntax,
    /// Of an array: how long it is.
    length: Option<i32>,
}

impl UnknownConstant {
    /// A constant of a type, with what the initialiser of its class says of it.
    pub(super) fn new(
        here: String,
        ty: TypeSyntax,
        known: Option<&StaticValue>,
    ) -> UnknownConstant {
        use StaticValue::{Array, Constant, Object};
        let ty = match (ty, known) {
            (TypeSyntax::Nullable(ty), Some(Object(_) | Array(_) | Constant(_))) => *ty,
            (ty, _) => ty,
        };
        let length = match (&ty, known) {
            (TypeSyntax::Array(_), Some(Array(length))) => *length,
            _ => None,
        };
        UnknownConstant { here, ty, length }
    }

    /// Its declaration.
    pub(super) fn declaration(&self) -> Member {
        Member::Const {
            name: ident(self.here.as_str()),
            ty: self.ty.clone(),
            value: None,
        }
    }

    /// How long the array is, where that is known: of no other one is it ever made.
    pub(super) fn length_fact(&self) -> Option<Member> {
        let length = dot(name(&self.here), "length");
        Some(Member::Fact(equal(length, int(self.length?))))
    }
}
