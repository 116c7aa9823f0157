//! Which exceptions a call of somebody else's method may raise: those that it declares, and those that whoever calls it is
//! prepared for.
//!
//! Any method may raise any unchecked exception, but that is of no use to say. Where a handler around a call names one, the
//! author thinks that it may come.

use std::collections::BTreeSet;

use crate::front::java::classfile::MethodRef;
use crate::front::java::types::ClassName;
use crate::front::java::world::World;

/// The exceptions that a call may raise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MayRaise {
    /// Declared by the method.
    pub declared: BTreeSet<ClassName>,
    /// Unchecked ones, or ones of which nothing is known, that a handler around the call names.
    pub expected: BTreeSet<ClassName>,
    /// Whether a handler around the call catches everything: then there may be more.
    pub anything: bool,
    /// Whether the method is not there, so that what it declares is not known.
    pub unknown: bool,
}

/// What a call of a method may raise under handlers of these classes, or (nothing) of everything.
pub fn may_raise(world: &World, method: &MethodRef, handlers: &[Option<ClassName>]) -> MayRaise {
    let found = world.method(method);
    let mut raises = MayRaise {
        unknown: found.is_none(),
        ..MayRaise::default()
    };
    if let Some(found) = &found {
        raises
            .declared
            .extend(found.method().exceptions.iter().cloned());
    }
    for handler in handlers {
        match handler {
            None => raises.anything = true,
            Some(class) if is_checked(world, class) == Some(true) && !raises.unknown => {}
            Some(class) => {
                raises.expected.insert(class.clone());
            }
        }
    }
    raises
}

/// Whether an exception has to be declared by who raises it; nothing where its superclasses are not there.
pub fn is_checked(world: &World, exception: &ClassName) -> Option<bool> {
    // These two have subclasses of both kinds, so a handler of them expects unchecked ones as well.
    if exception.is("java/lang/Throwable") || exception.is("java/lang/Exception") {
        return Some(false);
    }
    let is = |class: &str| world.is_subclass(exception, &ClassName::new(class));
    match (is("java/lang/RuntimeException"), is("java/lang/Error")) {
        (Some(true), _) | (_, Some(true)) => Some(false),
        (Some(false), Some(false)) => Some(true),
        _ => None,
    }
}
