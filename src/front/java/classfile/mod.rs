//! Class files (JVMS 4), read without trust: any bytes give a class or an error with its place, and nothing else.
//!
//! What is outside of methods is read at once, code only where it is asked for ([`ClassFile::code`]): of most classes
//! nobody needs it, and one bad body does not spoil a class. Attributes are read that something here needs; the others
//! are skipped by their lengths. Names have to be Unicode; string constants need not be.

mod access;
mod annotation;
mod atomic;
mod attribute;
mod bytes;
mod class;
mod code;
mod decode;
mod instruction;
mod pool;
mod reference;
mod text;

pub use access::Access;
pub use annotation::{Annotation, ElementValue};
pub use atomic::AtomicFields;
pub use bytes::{Malformed, Result};
pub use class::{
    Bootstrap, ClassField, ClassFile, EnclosingMethod, InnerClass, LARGEST, Method, Parameter,
    RecordComponent,
};
pub use code::{Code, Handler, LocalVariable};
pub use instruction::{
    Against, ArithmeticOp, Comparison, Element, Instruction, InvokeKind, LocalSlot, Monitor, Pc,
    Relation, StackOp, Switch,
};
pub use pool::{Index, Pool};
pub use reference::{
    Dynamic, Handle as MethodHandle, HandleKind, HandleTarget, JavaFieldRef, MethodRef,
    PoolConstant,
};
pub use text::Text;
