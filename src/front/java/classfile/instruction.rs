//! The machine's instructions (JVMS 6.5), the 202 of them in 29 kinds.

use std::fmt;

use super::reference::{Dynamic, JavaFieldRef, MethodRef, PoolConstant};
use crate::front::java::types::{ClassName, ComputationalType, JavaType, MethodSignature};

/// A place in a method's code, in bytes from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pc(pub u16);

impl fmt::Display for Pc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The number of a local variable of a method's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalSlot(pub u16);

/// An instruction, with what it refers to looked up.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction {
    /// Does nothing.
    Nop,
    /// Pushes a value.
    Push(PoolConstant),
    /// Pushes a local variable.
    Load(ComputationalType, LocalSlot),
    /// Pops into a local variable.
    Store(ComputationalType, LocalSlot),
    /// Pops an index and an array, and pushes the element.
    LoadElement(Element),
    /// Pops a value, an index and an array, and sets the element.
    StoreElement(Element),
    /// Moves what is on the stack.
    Stack(StackOp),
    /// Pops two operands and pushes what comes out.
    Binary(ArithmeticOp, ComputationalType),
    /// Pops a number and pushes it negated.
    Negate(ComputationalType),
    /// Adds a constant to a local variable.
    Increment(LocalSlot, i16),
    /// Pops a number of this kind and pushes it as one of that type.
    Convert(ComputationalType, JavaType),
    /// Pops two numbers and pushes -1, 0 or 1.
    Compare(Comparison),
    /// Pops one or two values, and jumps if they are so related.
    If(Relation, Against, Pc),
    /// Jumps.
    Goto(Pc),
    /// Pushes where it is and jumps: a subroutine, which compilers made until Java 5.
    Subroutine(Pc),
    /// Goes back to where the subroutine was called, which is in a local variable.
    EndSubroutine(LocalSlot),
    /// Pops an `int` and jumps to where it says.
    Switch(Switch),
    /// Ends the method; with a value of that kind, if there is one.
    Return(Option<ComputationalType>),
    /// Pops an object and pushes its field.
    GetField(JavaFieldRef),
    /// Pops a value and an object, and sets the field.
    PutField(JavaFieldRef),
    /// Pushes a class's field.
    GetStatic(JavaFieldRef),
    /// Pops a value and sets a class's field.
    PutStatic(JavaFieldRef),
    /// Pops arguments and, but for static methods, an object, and pushes the result, if there is one.
    Invoke(InvokeKind, MethodRef),
    /// Pops arguments and pushes what a call site gives that is worked out when it is first run.
    InvokeDynamic(Dynamic<MethodSignature>),
    /// Pushes an object whose constructor has yet to be called.
    New(ClassName),
    /// Pops so many lengths and pushes an array of that type.
    NewArray(JavaType, u8),
    /// Pops an array and pushes its length.
    Length,
    /// Pops an exception and raises it.
    Throw,
    /// Pops a reference and pushes it, if it is of that type.
    Cast(JavaType),
    /// Pops a reference and pushes whether it is of that type.
    InstanceOf(JavaType),
    /// Pops an object and enters or leaves its monitor.
    Monitor(Monitor),
}

/// What the elements of an array are to the instructions that read and write them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Element {
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// An object, an array or `null`.
    Reference,
    /// `byte` or `boolean`: the array itself says which.
    ByteOrBoolean,
    /// `char`
    Char,
    /// `short`
    Short,
}

impl Element {
    /// What an element is on the stack.
    pub fn kind(self) -> ComputationalType {
        match self {
            Element::Long => ComputationalType::Long,
            Element::Float => ComputationalType::Float,
            Element::Double => ComputationalType::Double,
            Element::Reference => ComputationalType::Reference,
            Element::Int | Element::ByteOrBoolean | Element::Char | Element::Short => {
                ComputationalType::Int
            }
        }
    }
}

/// Instructions that move what is on the stack; "2" means two entries, or one `long` or `double`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackOp {
    /// `pop`
    Pop,
    /// `pop2`
    Pop2,
    /// `dup`
    Dup,
    /// `dup_x1`
    DupX1,
    /// `dup_x2`
    DupX2,
    /// `dup2`
    Dup2,
    /// `dup2_x1`
    Dup2X1,
    /// `dup2_x2`
    Dup2X2,
    /// `swap`
    Swap,
}

/// What is done with two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArithmeticOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, towards zero.
    Divide,
    /// `%`, with the sign of the dividend.
    Remainder,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `>>>`
    ShiftRightUnsigned,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

impl ArithmeticOp {
    /// Whether the right operand is a number of bits, an `int` whatever the left one is.
    pub fn is_shift(self) -> bool {
        matches!(
            self,
            ArithmeticOp::ShiftLeft | ArithmeticOp::ShiftRight | ArithmeticOp::ShiftRightUnsigned
        )
    }
}

/// How two values are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `>=`
    AtLeast,
    /// `>`
    Greater,
    /// `<=`
    AtMost,
}

impl Relation {
    /// What holds where this does not (of floating-point numbers: and neither is `NaN`).
    pub fn negated(self) -> Relation {
        match self {
            Relation::Equal => Relation::NotEqual,
            Relation::NotEqual => Relation::Equal,
            Relation::Less => Relation::AtLeast,
            Relation::AtLeast => Relation::Less,
            Relation::Greater => Relation::AtMost,
            Relation::AtMost => Relation::Greater,
        }
    }
}

/// What a conditional jump compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Against {
    /// An `int` with 0.
    Zero,
    /// A reference with `null`.
    Null,
    /// Two `int`s.
    Int,
    /// Two references.
    Reference,
}

/// Instructions that compare numbers; those of floating-point numbers say what comes out where one is `NaN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `lcmp`
    Long,
    /// `fcmpl`: -1
    FloatLess,
    /// `fcmpg`: 1
    FloatGreater,
    /// `dcmpl`: -1
    DoubleLess,
    /// `dcmpg`: 1
    DoubleGreater,
}

impl Comparison {
    /// What is compared.
    pub fn kind(self) -> ComputationalType {
        match self {
            Comparison::Long => ComputationalType::Long,
            Comparison::FloatLess | Comparison::FloatGreater => ComputationalType::Float,
            Comparison::DoubleLess | Comparison::DoubleGreater => ComputationalType::Double,
        }
    }

    /// What comes out where an operand is `NaN`; nothing where it cannot be.
    pub fn of_nan(self) -> Option<i32> {
        match self {
            Comparison::Long => None,
            Comparison::FloatLess | Comparison::DoubleLess => Some(-1),
            Comparison::FloatGreater | Comparison::DoubleGreater => Some(1),
        }
    }
}

/// Where a `switch` goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// For these values, in rising order.
    pub cases: Vec<(i32, Pc)>,
    /// For all others.
    pub default: Pc,
}

/// How a method is found that is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InvokeKind {
    /// By the class that the object has.
    Virtual,
    /// By the class that the object has, from an interface.
    Interface,
    /// Exactly this one: a constructor, a private method, or one of the superclass.
    Special,
    /// A method of a class.
    Static,
}

/// What is done with a monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Monitor {
    /// `monitorenter`
    Enter,
    /// `monitorexit`
    Exit,
}

impl Instruction {
    /// Where it may jump to, in order.
    pub fn targets(&self) -> Vec<Pc> {
        match self {
            Instruction::If(_, _, target)
            | Instruction::Goto(target)
            | Instruction::Subroutine(target) => vec![*target],
            Instruction::Switch(switch) => {
                let cases = switch.cases.iter().map(|(_, target)| *target);
                cases.chain([switch.default]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the instruction behind it may come next.
    pub fn falls_through(&self) -> bool {
        !matches!(
            self,
            Instruction::Goto(_)
                | Instruction::Subroutine(_)
                | Instruction::EndSubroutine(_)
                | Instruction::Switch(_)
                | Instruction::Return(_)
                | Instruction::Throw
        )
    }
}
