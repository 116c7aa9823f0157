//! Fields that a class reads and writes through other objects, those of `java.util.concurrent.atomic` and the like.

use std::collections::BTreeMap;

use super::reference::JavaFieldRef;

/// The fields of a class, and of the classes that see its private members, that are only read and written through objects
/// which nobody else has. To calls that come one after the other, they are plain fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AtomicFields {
    /// Fields that hold such an object, `AtomicBoolean closed`, each with the plain field that stands for it: that of the
    /// same name and of the type of what the object holds.
    pub holders: BTreeMap<JavaFieldRef, JavaFieldRef>,
    /// Static fields with an updater, a handle or an offset, each with the field that it is for.
    pub accessors: BTreeMap<JavaFieldRef, JavaFieldRef>,
}

impl AtomicFields {
    /// The field that is meant where code speaks of one of these; nothing where that is none of them.
    pub fn meant(&self, field: &JavaFieldRef) -> Option<&JavaFieldRef> {
        self.holders.get(field).or(self.accessors.get(field))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.holders.is_empty() && self.accessors.is_empty()
    }
}
