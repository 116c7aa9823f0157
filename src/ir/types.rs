//! Types.

use num_bigint::BigInt;

use super::{ClassId, EnumId, OpaqueId};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// Unbounded integers.
    Int,
    /// Integers that are not negative. Only a declared type: an expression of this type is [`Type::Int`].
    Nat,
    /// Integers that are values of a machine type, but for that they do not wrap. Only a declared type: an expression of
    /// this type is [`Type::Int`].
    Within(MachineInt),
    /// Booleans.
    Bool,
    /// Integers that wrap.
    Machine(MachineInt),
    /// An enum.
    Enum(EnumId),
    /// An opaque type.
    Opaque(OpaqueId),
    /// A reference to an object.
    Class {
        /// Its class.
        class: ClassId,
        /// Whether it may be `null`.
        nullable: bool,
    },
    /// A reference to an array.
    Array {
        /// The type of its elements.
        element: Box<Type>,
        /// Whether it may be `null`.
        nullable: bool,
    },
    /// A total map (a value, not a reference).
    Map(Box<Type>, Box<Type>),
    /// The type of `null` where nothing says more.
    Null,
}

impl Type {
    /// Whether a value of this type may be a reference to an object of the class, or hold one.
    pub fn leads_to(&self, to: ClassId) -> bool {
        match self {
            Type::Class { class, .. } => *class == to,
            Type::Array { element, .. } => element.leads_to(to),
            Type::Map(key, value) => key.leads_to(to) || value.leads_to(to),
            _ => false,
        }
    }

    /// The type of an expression for something declared with this type: `nat` and `int in u8` are `int` with a promise,
    /// which belongs to the place and not to the value.
    pub fn of_value(&self) -> Type {
        match self {
            Type::Nat | Type::Within(_) => Type::Int,
            other => other.clone(),
        }
    }

    /// The type with `null` among its values, where it is one of references: references that differ only in whether they
    /// may be `null` share their storage. (Arrays whose elements differ in it do not: the one cannot be assigned to the
    /// other.)
    pub fn with_null(&self) -> Type {
        match self {
            Type::Class { class, .. } => Type::Class {
                class: *class,
                nullable: true,
            },
            Type::Array { element, .. } => Type::Array {
                element: element.clone(),
                nullable: true,
            },
            other => other.clone(),
        }
    }
}

/// A machine integer type, `i8` to `u256`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MachineInt {
    /// Whether it has negative values.
    pub signed: bool,
    /// A multiple of 8, up to 256.
    pub bits: u32,
}

impl MachineInt {
    /// All of them.
    pub fn all() -> impl Iterator<Item = MachineInt> {
        let widths = (8..=256).step_by(8);
        widths.flat_map(|bits| [true, false].map(|signed| MachineInt { signed, bits }))
    }

    /// The machine integer type of this name.
    pub fn named(name: &str) -> Option<MachineInt> {
        let signed = name.starts_with('i');
        let digits = name.strip_prefix(if signed { 'i' } else { 'u' })?;
        let bits = digits.parse().ok()?;
        let machine = MachineInt { signed, bits };
        let is_one = bits % 8 == 0 && (8..=256).contains(&bits);
        (is_one && machine.name() == name).then_some(machine)
    }

    /// The smallest type of 8, 16, 32 or 64 bits that has these values; the largest, if none has them all. Most languages
    /// have no others.
    pub fn usual(self) -> MachineInt {
        let usual = [8, 16, 32].into_iter().find(|bits| self.bits <= *bits);
        MachineInt {
            bits: usual.unwrap_or(64),
            ..self
        }
    }

    /// `i8`, `u64`, …
    pub fn name(self) -> String {
        format!("{}{}", if self.signed { 'i' } else { 'u' }, self.bits)
    }

    /// The smallest value.
    pub fn min(self) -> BigInt {
        if self.signed {
            -(BigInt::from(1) << (self.bits - 1))
        } else {
            BigInt::from(0)
        }
    }

    /// The largest value.
    pub fn max(self) -> BigInt {
        (BigInt::from(1) << (self.bits - u32::from(self.signed))) - 1
    }

    /// The number of values, 2^bits.
    pub fn modulus(self) -> BigInt {
        BigInt::from(1) << self.bits
    }
}
