//! What the constant pool stands for: members of classes, values, method handles.

use std::fmt;
use std::sync::Arc;

use super::text::Text;
use crate::front::java::types::{ClassName, Kind, Signature, Type};

/// A field, as code refers to it. The class is where the search for it begins (JVMS 5.4.3.2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldRef {
    /// The class it is looked for in.
    pub class: ClassName,
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
}

impl fmt::Display for FieldRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.class, self.name)
    }
}

/// A method, as code refers to it. The owner is where the search for it begins (JVMS 5.4.3.3).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodRef {
    /// A class or interface, or an array, whose methods are those of `Object` and `clone`.
    pub owner: Type,
    /// Its name; `<init>` for a constructor.
    pub name: Arc<str>,
    /// Its parameters and result.
    pub signature: Signature,
    /// Whether the owner is said to be an interface.
    pub of_interface: bool,
}

impl MethodRef {
    /// The class it is looked for in; of an array, `Object`.
    pub fn class(&self) -> ClassName {
        match &self.owner {
            Type::Class(name) => name.clone(),
            _ => ClassName::object(),
        }
    }

    /// Whether it is a constructor.
    pub fn is_constructor(&self) -> bool {
        &*self.name == "<init>"
    }

    /// Whether it is this method of this class.
    pub fn is(&self, class: &str, name: &str) -> bool {
        &*self.name == name && matches!(&self.owner, Type::Class(owner) if owner.is(class))
    }
}

impl fmt::Display for MethodRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}{}", self.owner, self.name, self.signature)
    }
}

/// A value that is worked out when it is needed first, or a call site that is (JVMS 4.4.10).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dynamic<T> {
    /// Which of the class's bootstrap methods works it out.
    pub bootstrap: u16,
    /// A name that the bootstrap method is given.
    pub name: Arc<str>,
    /// The value's type, or what the call takes and gives.
    pub ty: T,
}

/// A value in the constant pool.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// `null`, which is no entry of the pool, but an instruction.
    Null,
    /// An `int`, or anything narrower.
    Int(i32),
    /// A `long`.
    Long(i64),
    /// A `float`.
    Float(f32),
    /// A `double`.
    Double(f64),
    /// A string.
    String(Text),
    /// The object of a class: `String.class`.
    Class(Type),
    /// The type of a method, as an object.
    MethodType(Signature),
    /// A method or field, as an object.
    MethodHandle(Handle),
    /// A value that a bootstrap method works out.
    Dynamic(Dynamic<Type>),
}

impl Constant {
    /// Its type; nothing for `null`, which has any.
    pub fn ty(&self) -> Option<Type> {
        Some(match self {
            Constant::Null => return None,
            Constant::Int(_) => Type::Int,
            Constant::Long(_) => Type::Long,
            Constant::Float(_) => Type::Float,
            Constant::Double(_) => Type::Double,
            Constant::String(_) => Type::class("java/lang/String"),
            Constant::Class(_) => Type::class("java/lang/Class"),
            Constant::MethodType(_) => Type::class("java/lang/invoke/MethodType"),
            Constant::MethodHandle(_) => Type::class("java/lang/invoke/MethodHandle"),
            Constant::Dynamic(dynamic) => dynamic.ty.clone(),
        })
    }

    /// What it is to the machine.
    pub fn kind(&self) -> Kind {
        self.ty().map_or(Kind::Reference, |ty| ty.kind())
    }
}

/// What a method handle does with its target (JVMS table 5.4.3.5-A).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandleKind {
    /// Reads a field of an object.
    GetField,
    /// Reads a field of a class.
    GetStatic,
    /// Writes a field of an object.
    PutField,
    /// Writes a field of a class.
    PutStatic,
    /// Calls a method of the object that it finds there.
    InvokeVirtual,
    /// Calls a method of a class.
    InvokeStatic,
    /// Calls exactly this method of an object.
    InvokeSpecial,
    /// Makes an object.
    NewInvokeSpecial,
    /// Calls a method of an interface.
    InvokeInterface,
}

impl HandleKind {
    pub(super) fn of(number: u8) -> Option<HandleKind> {
        Some(match number {
            1 => HandleKind::GetField,
            2 => HandleKind::GetStatic,
            3 => HandleKind::PutField,
            4 => HandleKind::PutStatic,
            5 => HandleKind::InvokeVirtual,
            6 => HandleKind::InvokeStatic,
            7 => HandleKind::InvokeSpecial,
            8 => HandleKind::NewInvokeSpecial,
            9 => HandleKind::InvokeInterface,
            _ => return None,
        })
    }

    pub(super) fn is_of_field(self) -> bool {
        matches!(
            self,
            HandleKind::GetField
                | HandleKind::GetStatic
                | HandleKind::PutField
                | HandleKind::PutStatic
        )
    }
}

/// A method or a field with what is to be done with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    /// What is done.
    pub kind: HandleKind,
    /// With what.
    pub target: HandleTarget,
}

impl Handle {
    /// The method; nothing where it is a field.
    pub fn method(&self) -> Option<&MethodRef> {
        match &self.target {
            HandleTarget::Method(method) => Some(method),
            HandleTarget::Field(_) => None,
        }
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            HandleTarget::Field(field) => field.fmt(f),
            HandleTarget::Method(method) => method.fmt(f),
        }
    }
}

/// A method or a field.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HandleTarget {
    /// A field.
    Field(FieldRef),
    /// A method or constructor.
    Method(MethodRef),
}
