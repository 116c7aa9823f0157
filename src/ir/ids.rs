//! How the parts of a program refer to each other: by position.

/// Declares positions: `id! { /// Index into a list. NodeId; }`
macro_rules! id {
    ($($(#[$doc:meta])* $name:ident;)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub struct $name(pub usize);
        )+
    };
}
pub(crate) use id;

id! {
    /// Index into [`Program::enums`](super::Program::enums).
    EnumId;
    /// Index into [`Program::opaques`](super::Program::opaques).
    OpaqueId;
    /// Index into [`Program::exceptions`](super::Program::exceptions).
    ExceptionId;
    /// Index into [`Program::classes`](super::Program::classes).
    ClassId;
    /// Index into [`Program::vars`](super::Program::vars): a parameter, result, local or bound variable of the whole program, so that
    /// no two variables are ever confused, whatever they are called.
    VarId;
    /// A loop, or a labelled block, of a body: no two of the same routine have the same.
    LabelId;
}

/// A field of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldRef {
    /// The class that declares it.
    pub class: ClassId,
    /// Index into [`Class::fields`](super::Class::fields).
    pub index: usize,
}

/// A constructor, action or procedure of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoutineRef {
    /// The class that declares it.
    pub class: ClassId,
    /// Index into [`Class::routines`](super::Class::routines).
    pub index: usize,
}

/// A function of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionRef {
    /// The class that declares it.
    pub class: ClassId,
    /// Index into [`Class::functions`](super::Class::functions).
    pub index: usize,
}
