//! The methods that read and write a field, or what an object holds, at once: what they do to calls that come one after the
//! other.

use crate::front::java::classfile::{ArithmeticOp, MethodRef};
use crate::front::java::types::{ClassName, JavaType};

/// What is read or written through an object, or by its place in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Through {
    /// What the object itself holds: `AtomicInteger`.
    Holder,
    /// A field of the object that is the first argument: an updater, a handle.
    Accessor,
    /// A field of the object that is the first argument, at the offset that is the second one: `Unsafe`.
    Offset,
}

/// Which of two values a method gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// The one before.
    Old,
    /// The one that it has written.
    New,
}

/// How much is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// One.
    One,
    /// What the caller says.
    Argument,
}

/// What a method does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Reads.
    Get,
    /// Writes its argument.
    Set,
    /// Writes its argument, and gives what was there before.
    GetAndSet,
    /// Writes its second argument where its first one is there, and says whether it was.
    CompareAndSet,
    /// The same, and gives what was there.
    CompareAndExchange,
    /// Adds, or takes away.
    Calculate(ArithmeticOp, By, Gives),
    /// Writes what a function makes of what is there, and of its first argument if there are two.
    Apply(Gives),
    /// What is held, as a text.
    Text,
}

const PACKAGE: &str = "java/util/concurrent/atomic/";

/// The type of what an object of such a class holds; of one that holds an object, `Object`.
pub fn held_by(holder: &ClassName) -> Option<JavaType> {
    Some(match holder.internal().strip_prefix(PACKAGE)? {
        "AtomicBoolean" => JavaType::Boolean,
        "AtomicInteger" => JavaType::Int,
        "AtomicLong" => JavaType::Long,
        "AtomicReference" => JavaType::object(),
        _ => return None,
    })
}

/// Whether it is a class whose objects read and write what others hold, or that holds a value.
pub fn is_atomic(class: &ClassName) -> bool {
    class.internal().starts_with(PACKAGE) || through(class).is_some()
}

fn through(class: &ClassName) -> Option<Through> {
    if held_by(class).is_some() {
        return Some(Through::Holder);
    }
    match class.internal() {
        "java/lang/invoke/VarHandle" => Some(Through::Accessor),
        "jdk/internal/misc/Unsafe" | "sun/misc/Unsafe" => Some(Through::Offset),
        name => {
            let updater = name.strip_prefix(PACKAGE)?.ends_with("FieldUpdater");
            updater.then_some(Through::Accessor)
        }
    }
}

/// Whether a method gives what fields are read and written through, or by: an updater, a handle, an offset.
pub(super) fn gives_accessor(method: &MethodRef) -> bool {
    match &*method.name {
        "newUpdater" => through(&method.class()) == Some(Through::Accessor),
        "findVarHandle" => {
            let class = method.class();
            class.is("java/lang/invoke/MethodHandles$Lookup")
                || class.is("jdk/internal/invoke/MhUtil")
        }
        "objectFieldOffset" => through(&method.class()) == Some(Through::Offset),
        _ => false,
    }
}

/// What a method does, and through what.
///
/// Those that may fail for no reason (`weakCompareAndSet`) are none: what they do is not known.
pub(super) fn operation(method: &MethodRef) -> Option<(Through, Operation)> {
    let through = through(&method.class())?;
    let name = plain_name(&method.name, through);
    let calculate = |op, by, gives| Operation::Calculate(op, by, gives);
    let (add, subtract) = (ArithmeticOp::Add, ArithmeticOp::Subtract);
    let operation = match &*name {
        "get" | "intValue" | "longValue" => Operation::Get,
        "set" | "lazySet" | "put" | "putOrdered" => Operation::Set,
        "getAndSet" => Operation::GetAndSet,
        "compareAndSet" | "compareAndSwap" => Operation::CompareAndSet,
        "compareAndExchange" => Operation::CompareAndExchange,
        "getAndIncrement" => calculate(add, By::One, Gives::Old),
        "incrementAndGet" => calculate(add, By::One, Gives::New),
        "getAndDecrement" => calculate(subtract, By::One, Gives::Old),
        "decrementAndGet" => calculate(subtract, By::One, Gives::New),
        "getAndAdd" => calculate(add, By::Argument, Gives::Old),
        "addAndGet" => calculate(add, By::Argument, Gives::New),
        "getAndUpdate" | "getAndAccumulate" => Operation::Apply(Gives::Old),
        "updateAndGet" | "accumulateAndGet" => Operation::Apply(Gives::New),
        "toString" if through == Through::Holder => Operation::Text,
        _ => return None,
    };
    Some((through, operation))
}

/// The name without what makes no difference to calls that come one after the other, and of `Unsafe` without the type.
fn plain_name(name: &str, through: Through) -> String {
    let mut name = name;
    for order in ["Volatile", "Opaque", "Acquire", "Release", "Plain"] {
        name = name.strip_suffix(order).unwrap_or(name);
    }
    if through == Through::Offset {
        for ty in [
            "Reference",
            "Object",
            "Int",
            "Long",
            "Boolean",
            "Byte",
            "Short",
            "Char",
        ] {
            name = name.strip_suffix(ty).unwrap_or(name);
        }
    }
    name.to_owned()
}
