//! Steps: what has an effect, each one thing. They are the statements that contain no others.

use std::sync::Arc;

use super::expression::{BodyVariable, JavaExpr, VariableId};
use crate::front::java::classfile::{
    InvokeKind, JavaFieldRef, MethodHandle, MethodRef, Monitor, Pc, PoolConstant,
};
use crate::front::java::types::{ClassName, JavaType, MethodSignature};

/// Where something stands: in the code of the method, and in its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePlace {
    /// The instruction. Copies of it, which structuring makes, share it.
    pub pc: Pc,
    /// The line of the class's source file, where the class file says it.
    pub line: Option<u16>,
}

/// Something that is done.
#[derive(Clone, Debug, PartialEq)]
pub struct JavaStep {
    /// Where.
    pub place: CodePlace,
    /// What.
    pub kind: StepKind,
}

/// What is done.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// A variable gets a value.
    Assign(VariableId, JavaExpr),
    /// A field of an object gets a value. Object and value are evaluated, then `NullPointerException` is raised if there
    /// is no object.
    SetField(JavaExpr, JavaFieldRef, JavaExpr),
    /// A field of a class gets a value.
    SetStatic(JavaFieldRef, JavaExpr),
    /// An element of an array, of this type, gets a value. Raises `NullPointerException`,
    /// `ArrayIndexOutOfBoundsException`, and `ArrayStoreException`, once array, index and value are evaluated.
    SetElement(JavaExpr, JavaExpr, JavaExpr, JavaType),
    /// A method is called; a variable gets the result. Object and arguments are evaluated, then
    /// `NullPointerException` is raised if there is no object.
    Call(Option<VariableId>, Invocation),
    /// An object is made by a constructor.
    New(VariableId, New),
    /// An array is made with these lengths of its outer dimensions; its elements are zero, `false` or null. Raises
    /// `NegativeArraySizeException`.
    NewArray(VariableId, JavaType, Vec<JavaExpr>),
    /// A call site is run that the machine worked out when it was first needed: a lambda, a string put together.
    Dynamic(Option<VariableId>, DynamicCall),
    /// A monitor is entered or left. Entering raises `NullPointerException`; leaving never fails in code that a compiler
    /// made.
    Monitor(Monitor, JavaExpr),
    /// An expression is evaluated for the exception it may raise.
    Evaluate(JavaExpr),
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Invocation {
    /// How the method is found.
    pub kind: InvokeKind,
    /// The method, as the caller knows it.
    pub method: MethodRef,
    /// The object; nothing for a static method.
    pub receiver: Option<JavaExpr>,
    /// The arguments.
    pub arguments: Vec<JavaExpr>,
}

/// A new object.
#[derive(Clone, Debug, PartialEq)]
pub struct New {
    /// Its class.
    pub class: ClassName,
    /// The constructor.
    pub constructor: MethodRef,
    /// The constructor's arguments.
    pub arguments: Vec<JavaExpr>,
}

/// A call of what the machine worked out when it was first needed.
#[derive(Clone, Debug, PartialEq)]
pub struct DynamicCall {
    /// What it does.
    pub site: CallSite,
    /// What it takes and gives.
    pub signature: MethodSignature,
    /// The arguments.
    pub arguments: Vec<JavaExpr>,
}

/// What a call site does that a bootstrap method worked out.
#[derive(Clone, Debug, PartialEq)]
pub enum CallSite {
    /// A new object that runs `target` when the one method of its interface is called; what it is given here comes
    /// before the arguments of that call (`LambdaMetafactory`).
    Lambda {
        /// The interface.
        interface: JavaType,
        /// Its method.
        method: Arc<str>,
        /// What is run: the body of a lambda, or the method that `::` names.
        target: MethodHandle,
    },
    /// A new string of these parts (`StringConcatFactory`).
    Concat(Vec<StringPart>),
    /// `equals`, `hashCode` or `toString` of a record (`ObjectMethods`).
    Record(Arc<str>),
    /// Which case of a `switch` over types or enums fits (`SwitchBootstraps`), with the labels.
    Switch(Vec<PoolConstant>),
    /// Anything else: nothing is known but what it takes and gives.
    Other {
        /// What works it out.
        bootstrap: MethodHandle,
        /// The name it is given.
        name: Arc<str>,
    },
}

/// A part of a string that is put together.
#[derive(Clone, Debug, PartialEq)]
pub enum StringPart {
    /// A fixed text.
    Text(Arc<str>),
    /// A constant that stands in the class file.
    Constant(PoolConstant),
    /// The next argument.
    Argument,
}

impl StepKind {
    /// The variable that it assigns.
    pub fn defines(&self) -> Option<VariableId> {
        match self {
            StepKind::Assign(variable, _)
            | StepKind::New(variable, _)
            | StepKind::NewArray(variable, ..) => Some(*variable),
            StepKind::Call(variable, _) | StepKind::Dynamic(variable, ..) => *variable,
            _ => None,
        }
    }

    /// Assigns another variable than it did.
    pub fn redefine(&mut self, other: Option<VariableId>) {
        match (self, other) {
            (StepKind::Assign(variable, _), Some(other))
            | (StepKind::New(variable, _), Some(other))
            | (StepKind::NewArray(variable, ..), Some(other)) => *variable = other,
            (StepKind::Call(variable, _) | StepKind::Dynamic(variable, ..), other) => {
                *variable = other;
            }
            _ => {}
        }
    }

    /// Whether something in memory may be another one afterwards. A new array changes nothing that was there before.
    pub fn writes_memory(&self) -> bool {
        !matches!(
            self,
            StepKind::Assign(..) | StepKind::NewArray(..) | StepKind::Evaluate(_)
        )
    }

    /// Whether it may raise an exception.
    pub fn may_raise(&self, variables: &[BodyVariable]) -> bool {
        let itself = match self {
            StepKind::Assign(..) | StepKind::Evaluate(_) => false,
            StepKind::SetField(object, ..) => !object.is_this(variables),
            StepKind::Monitor(monitor, _) => *monitor == Monitor::Enter,
            _ => true,
        };
        itself
            || self
                .expressions()
                .iter()
                .any(|part| part.may_raise(variables))
    }
}
