//! Which methods of an abstract class its objects may have others for.
//!
//! No object is of an abstract class itself, but of a subclass, which is often not there to be seen. What it has in the place of
//! a method that is not public is anything. Its public methods are taken to be those of the class under study: they
//! are what is asked about.

use super::helpers::{Helpers, OwnerId};
use crate::front::java::classfile::InvokeKind;
use crate::front::java::tree::Invocation;
use crate::front::java::world::MethodOf;

/// Whether a call on the object under study itself may run another method than the one found, which is no action.
pub(super) fn may_be_overridden(
    helpers: &Helpers<'_>,
    call: &Invocation,
    found: &MethodOf,
) -> bool {
    let studied = helpers.class(OwnerId::STUDIED);
    let is_virtual = matches!(call.kind, InvokeKind::Virtual | InvokeKind::Interface);
    let access = found.method().access;
    let fixed = access.is_private() || access.is_final() || access.is_static();
    if !studied.class().access.is_abstract() || !is_virtual || fixed {
        return false;
    }
    // Where only its package can make a subclass, all of them are there.
    let seen_outside = access.is_public() || access.is_protected();
    let mut constructors = studied.constructors.iter().map(|one| one.method().access);
    let made_outside = constructors.any(|access| access.is_public() || access.is_protected());
    (seen_outside && made_outside) || helpers.is_overridden(studied, &call.method)
}
