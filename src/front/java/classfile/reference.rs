//! What the constant pool stands for: members of classes, values, method handles.

use std::fmt;
use std::sync::Arc;

use super::text::Text;
use crate::front::java::types::{ClassName, ComputationalType, JavaType, MethodSignature};

/// A field, as code refers to it. The class is where the search for it begins (JVMS 5.4.3.2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JavaFieldRef {
    /// The class it is looked for in.
    pub class: ClassName,
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: JavaType,
}

impl fmt::Display for JavaFieldRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.class, self.name)
    }
}

/// A method, as code refers to it. The owner is where the search for it begins (JVMS 5.4.3.3).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodRef {
    /// A class or interface, or an array, whose methods are those of `Object` and `clone`.
    pub owner: JavaType,
    /// Its name; `<init>` for a constructor.
    pub name: Arc<str>,
    /// Its parameters and result.
    pub signature: MethodSignature,
    /// Whether the owner is said to be an interface.
    pub of_interface: bool,
}

impl MethodRef {
    /// The class it is looked for in; of an array, `Object`.
    pub fn class(&self) -> ClassName {
        match &self.owner {
            JavaType::Class(name) => name.clone(),
            _ => ClassName::object(),
        }
    }

    /// Whether it is a constructor.
    pub fn is_constructor(&self) -> bool {
        &*self.name == "<init>"
    }

    /// Whether it is this method of this class.
    pub fn is(&self, class: &str, name: &str) -> bool {
        &*self.name == name && matches!(&self.owner, JavaType::Class(owner) if owner.is(class))
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
pub enum PoolConstant {
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
    Class(JavaType),
    /// The type of a method, as an object.
    MethodType(MethodSignature),
    /// A method or field, as an object.
    MethodHandle(Handle),
    /// A value that a bootstrap method works out.
    Dynamic(Dynamic<JavaType>),
}

impl PoolConstant {
    /// Its type; nothing for `null`, which has any.
    pub fn ty(&self) -> Option<JavaType> {
        Some(match self {
            PoolConstant::Null => return None,
            PoolConstant::Int(_) => JavaType::Int,
            PoolConstant::Long(_) => JavaType::Long,
            PoolConstant::Float(_) => JavaType::Float,
            PoolConstant::Double(_) => JavaType::Double,
            PoolConstant::String(_) => JavaType::class("java/lang/String"),
            PoolConstant::Class(_) => JavaType::class("java/lang/Class"),
            PoolConstant::MethodType(_) => JavaType::class("java/lang/invoke/MethodType"),
            PoolConstant::MethodHandle(_) => JavaType::class("java/lang/invoke/MethodHandle"),
            PoolConstant::Dynamic(dynamic) => dynamic.ty.clone(),
        })
    }

    /// Whether it is worked out where it is needed first, which may fail.
    pub fn is_resolved(&self) -> bool {
        matches!(
            self,
            PoolConstant::Class(_)
                | PoolConstant::MethodType(_)
                | PoolConstant::MethodHandle(_)
                | PoolConstant::Dynamic(_)
        )
    }

    /// What it is to the machine.
    pub fn kind(&self) -> ComputationalType {
        self.ty()
            .map_or(ComputationalType::Reference, |ty| ty.kind())
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
    Field(JavaFieldRef),
    /// A method or constructor.
    Method(MethodRef),
}
