//! The flags of classes, fields and methods (JVMS tables 4.1-B, 4.5-A, 4.6-A).

/// Which modifiers something has. A few bits mean one thing for a field and another for a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Access(pub u16);

impl Access {
    fn has(self, bit: u16) -> bool {
        self.0 & bit != 0
    }

    /// `public`
    pub fn is_public(self) -> bool {
        self.has(0x0001)
    }

    /// `private`
    pub fn is_private(self) -> bool {
        self.has(0x0002)
    }

    /// `protected`
    pub fn is_protected(self) -> bool {
        self.has(0x0004)
    }

    /// `static`
    pub fn is_static(self) -> bool {
        self.has(0x0008)
    }

    /// `final`
    pub fn is_final(self) -> bool {
        self.has(0x0010)
    }

    /// Without `final`.
    pub(super) fn without_final(self) -> Access {
        Access(self.0 & !0x0010)
    }

    /// Of a method: made by the compiler to call one of another signature.
    pub fn is_bridge(self) -> bool {
        self.has(0x0040)
    }

    /// Of a class: an interface, annotations included.
    pub fn is_interface(self) -> bool {
        self.has(0x0200)
    }

    /// `abstract`
    pub fn is_abstract(self) -> bool {
        self.has(0x0400)
    }

    /// Not in the source.
    pub fn is_synthetic(self) -> bool {
        self.has(0x1000)
    }

    /// Of a class: an annotation.
    pub fn is_annotation(self) -> bool {
        self.has(0x2000)
    }

    /// Of a class: an enum; of a field: one of its constants.
    pub fn is_enum(self) -> bool {
        self.has(0x4000)
    }
}
