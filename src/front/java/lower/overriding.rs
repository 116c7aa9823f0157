//! Which methods of an abstract class its objects may have others for.
//!
//! No object is of an abstract class itself, but of a subclass, which is often not there to be seen. What it has in the place of
//! a method that is not public is anything. Its public methods are taken to be those of the class under study: they
//! are what is asked about.

use super::helpers::{Helpers, OwnerId};
use crate::front::java::classfile::{Access, InvokeKind};
use crate::front::java::tree::Invocation;
use crate::front::java::world::MethodOf;
use crate::front::java::world::studied::Studied;

/// Whether a call on the object under study itself may run another method than the one found, which is no action.
pub(super) fn may_be_overridden(
    helpers: &Helpers<'_>,
    call: &Invocation,
    found: &MethodOf,
) -> bool {
    let studied = helpers.class(OwnerId::STUDIED);
    if !studied.class().access.is_abstract() || !may_be_another(call.kind, found) {
        return false;
    }
    is_open(studied, found) || helpers.is_overridden(studied, &call.method)
}

/// Whether what a call of a method runs depends on the object.
fn may_be_another(kind: InvokeKind, found: &MethodOf) -> bool {
    let access = found.method().access;
    let fixed = access.is_private() || access.is_final() || access.is_static();
    matches!(kind, InvokeKind::Virtual | InvokeKind::Interface) && !fixed
}

/// Whether other packages can have another method for it. Where only its package can make a subclass, all of them are there.
fn is_open(class: &Studied, found: &MethodOf) -> bool {
    let is_seen = |access: Access| access.is_public() || access.is_protected();
    let mut constructors = class.constructors.iter();
    is_seen(found.method().access) && constructors.any(|one| is_seen(one.method().access))
}

/// Whether an object of a helper class is one of a subclass in another package, which may have another method than the one found.
pub(super) fn may_be_elsewhere(class: &Studied, kind: InvokeKind, found: &MethodOf) -> bool {
    let is_abstract = class.class().access.is_abstract();
    let is_public = class.class().access.is_public();
    is_abstract && is_public && may_be_another(kind, found) && is_open(class, found)
}
