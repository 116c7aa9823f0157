//! What moves values on a stack, and how deep instructions reach into it.

use crate::front::java::classfile::{Instruction, InvokeKind, StackOp};

/// Moves the values of a stack, of which some are two entries wide. Nothing where there are too few, or one would be cut.
pub(crate) fn rearrange<T: Clone>(
    stack: &mut Vec<T>,
    op: StackOp,
    width: impl Fn(&T) -> usize,
) -> Option<()> {
    // What is copied, in entries, and what it is put below.
    let (copied, below) = match op {
        StackOp::Pop => return take(stack, 1, &width).map(|_| ()),
        StackOp::Pop2 => return take(stack, 2, &width).map(|_| ()),
        StackOp::Swap => {
            let top = take(stack, 1, &width)?;
            let under = take(stack, 1, &width)?;
            stack.extend(top);
            stack.extend(under);
            return Some(());
        }
        StackOp::Dup => (1, 0),
        StackOp::DupX1 => (1, 1),
        StackOp::DupX2 => (1, 2),
        StackOp::Dup2 => (2, 0),
        StackOp::Dup2X1 => (2, 1),
        StackOp::Dup2X2 => (2, 2),
    };
    let top = take(stack, copied, &width)?;
    let under = take(stack, below, &width)?;
    stack.extend(top.iter().cloned());
    stack.extend(under);
    stack.extend(top);
    Some(())
}

/// Takes values of so many entries from the top.
fn take<T>(stack: &mut Vec<T>, entries: usize, width: impl Fn(&T) -> usize) -> Option<Vec<T>> {
    let mut taken = 0;
    let mut at = stack.len();
    while taken < entries {
        at = at.checked_sub(1)?;
        taken += width(stack.get(at)?);
    }
    (taken == entries).then(|| stack.split_off(at))
}

/// How many values an instruction takes from the stack at most, those that it puts back included.
pub(crate) fn taken(instruction: &Instruction) -> usize {
    match instruction {
        Instruction::Invoke(kind, method) => {
            method.signature.parameters.len() + usize::from(*kind != InvokeKind::Static)
        }
        Instruction::InvokeDynamic(site) => site.ty.parameters.len(),
        Instruction::NewArray(_, lengths) => usize::from(*lengths),
        Instruction::Nop
        | Instruction::Push(_)
        | Instruction::Load(..)
        | Instruction::Increment(..)
        | Instruction::Goto(_)
        | Instruction::GetStatic(_)
        | Instruction::New(_)
        | Instruction::Return(None) => 0,
        // `dup2_x2` is the one that reaches deepest.
        Instruction::Stack(_) => 4,
        _ => 3,
    }
}
