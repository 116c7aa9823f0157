//! The calls by which these fields are read and written.

use super::names::Names;
use super::operation::{Operation, Through, operation};
use crate::front::java::classfile::{AtomicFields, JavaFieldRef};
use crate::front::java::tree::{Invocation, JavaExpr};

/// A call that reads or writes such a field.
pub(super) struct AtomicCall<'a> {
    /// The field that it goes through.
    pub field: JavaFieldRef,
    /// Whose field is read or written: the object, or what holds or names the holder that it has.
    pub object: &'a JavaExpr,
    /// What it does.
    pub operation: Operation,
    /// With what.
    pub arguments: &'a [JavaExpr],
    /// The other expressions of the call, which are evaluated for nothing.
    pub rest: Vec<&'a JavaExpr>,
}

/// What a call does to such a field; nothing where it is none of these calls.
pub(super) fn atomic_call<'a>(
    call: &'a Invocation,
    fields: &AtomicFields,
    names: &Names,
) -> Option<AtomicCall<'a>> {
    let (through, operation) = operation(&call.method)?;
    let receiver = call.receiver.as_ref()?;
    let all = call.arguments.as_slice();
    let (field, object, arguments, rest) = match (through, all) {
        (Through::Holder, arguments) => {
            let field = names.field(fields, receiver)?;
            fields.holders.get(field)?;
            (field, receiver, arguments, vec![])
        }
        (Through::Accessor, [object, arguments @ ..]) => {
            let field = names.field(fields, receiver)?;
            (field, object, arguments, vec![])
        }
        (Through::Offset, [object, offset, arguments @ ..]) => {
            let field = names.field(fields, offset)?;
            (field, object, arguments, vec![receiver])
        }
        _ => return None,
    };
    let wanted = match operation {
        Operation::Get | Operation::Text => 0,
        Operation::Calculate(_, by, _) => usize::from(by == super::operation::By::Argument),
        Operation::Set | Operation::GetAndSet => 1,
        Operation::CompareAndSet | Operation::CompareAndExchange => 2,
        Operation::Apply(_) => arguments.len().clamp(1, 2),
    };
    (arguments.len() == wanted).then(|| AtomicCall {
        field: field.clone(),
        object,
        operation,
        arguments,
        rest,
    })
}
