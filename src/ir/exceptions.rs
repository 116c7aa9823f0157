//! The exceptions that no program declares.

use super::ExceptionId;

/// The exceptions that an operation itself can raise; each is an ordinary exception that can be caught.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BuiltinException {
    /// A field, element or routine of `null`.
    NullDereference,
    /// An array index outside `0 .. length - 1`.
    IndexOutOfRange,
    /// `div` or `mod` by zero.
    DivisionByZero,
    /// `new T[n]` with a negative `n`.
    NegativeLength,
    /// An `assert` that does not hold.
    AssertionFailure,
    /// A call, inside a body, of a routine whose `requires` does not hold.
    RequiresViolation,
}

impl BuiltinException {
    /// All of them, in the order of their ids.
    pub const ALL: [BuiltinException; 6] = [
        BuiltinException::NullDereference,
        BuiltinException::IndexOutOfRange,
        BuiltinException::DivisionByZero,
        BuiltinException::NegativeLength,
        BuiltinException::AssertionFailure,
        BuiltinException::RequiresViolation,
    ];

    /// The one of this name.
    pub fn named(name: &str) -> Option<BuiltinException> {
        BuiltinException::ALL
            .into_iter()
            .find(|builtin| builtin.name() == name)
    }

    /// Its id in every program.
    pub fn id(self) -> ExceptionId {
        ExceptionId(self as usize)
    }

    /// Its name in the source language.
    pub fn name(self) -> &'static str {
        match self {
            BuiltinException::NullDereference => "NullDereference",
            BuiltinException::IndexOutOfRange => "IndexOutOfRange",
            BuiltinException::DivisionByZero => "DivisionByZero",
            BuiltinException::NegativeLength => "NegativeLength",
            BuiltinException::AssertionFailure => "AssertionFailure",
            BuiltinException::RequiresViolation => "RequiresViolation",
        }
    }
}
