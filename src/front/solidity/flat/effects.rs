//! What an expression reads, and what statements change: whether a value may still be computed after something was done.

use std::collections::BTreeSet;

use super::{
    AccessStep, ChainValue, FlatBinaryOp, FlatExpr, FlatExprKind, FlatStmt, FlatStmtKind, FlatType,
    LocalId, Lvalue, Outside, Overflow, Root, RoutineId, SolidityBuiltin,
};

/// Things that are read, or changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::front::solidity) struct Touched {
    /// Storage, or balances.
    pub state: bool,
    /// Contents of memory.
    pub memory: bool,
    /// Local variables.
    pub locals: BTreeSet<LocalId>,
}

impl Touched {
    /// Whether what is read here is changed there.
    pub(crate) fn meets(&self, changed: &Touched) -> bool {
        (self.state && changed.state)
            || (self.memory && changed.memory)
            || !self.locals.is_disjoint(&changed.locals)
    }

    /// Adds what an expression reads.
    pub(crate) fn read(&mut self, expr: &FlatExpr) {
        match &expr.kind {
            FlatExprKind::Literal(_) | FlatExprKind::Constant(_) | FlatExprKind::Default => {}
            FlatExprKind::Env(env) => {
                self.state |= matches!(
                    env,
                    ChainValue::Balance | ChainValue::ReturnSize | ChainValue::GasLeft
                );
            }
            FlatExprKind::Read(lvalue)
            | FlatExprKind::Load(lvalue)
            | FlatExprKind::StorageLength(lvalue) => {
                self.read_lvalue(lvalue);
            }
            FlatExprKind::Copy(inner) | FlatExprKind::Length(inner) => {
                self.memory = true;
                self.read(inner);
            }
            FlatExprKind::Unary(_, inner, _) | FlatExprKind::NewArray(inner) => self.read(inner),
            FlatExprKind::Convert(inner) => {
                self.memory |= !inner.ty.is_value() && expr.ty.is_value();
                self.read(inner);
            }
            FlatExprKind::Binary(_, left, right, _) | FlatExprKind::ByteAt(left, right) => {
                self.read(left);
                self.read(right);
            }
            FlatExprKind::Conditional(condition, yes, no) => {
                [condition, yes, no]
                    .iter()
                    .for_each(|inner| self.read(inner));
            }
            FlatExprKind::NewStruct(inner) | FlatExprKind::NewElements(inner) => {
                inner.iter().for_each(|inner| self.read(inner));
            }
            FlatExprKind::Slice(base, start, end) => {
                self.read(base);
                start.iter().chain(end).for_each(|inner| self.read(inner));
            }
            FlatExprKind::Builtin(builtin, arguments) => {
                self.state |= matches!(
                    builtin,
                    SolidityBuiltin::BalanceOf
                        | SolidityBuiltin::CodeOf
                        | SolidityBuiltin::CodeLength
                        | SolidityBuiltin::CodeHash
                );
                for argument in arguments {
                    self.memory |= !argument.ty.is_value();
                    self.read(argument);
                }
            }
        }
    }

    /// Adds what is read to find a place, and what is there.
    pub(crate) fn read_lvalue(&mut self, lvalue: &Lvalue) {
        match &lvalue.root {
            Root::Variable(_) => self.state = true,
            Root::Local(id) => {
                self.locals.insert(*id);
            }
            Root::Memory(base) => {
                self.memory = true;
                self.read(base);
            }
        }
        self.read_steps(lvalue);
    }

    /// Adds what is read to find a place.
    pub(crate) fn read_steps(&mut self, lvalue: &Lvalue) {
        if let Root::Memory(base) = &lvalue.root {
            self.read(base);
        }
        for step in &lvalue.steps {
            match step {
                AccessStep::Member(_) => {}
                AccessStep::Key(index) | AccessStep::Index { index, .. } => self.read(index),
            }
        }
    }

    /// Adds what statements change. `writes` says whether a routine may change storage.
    pub(crate) fn change(&mut self, block: &[FlatStmt], writes: &dyn Fn(RoutineId) -> bool) {
        for statement in block {
            self.change_one(&statement.kind, writes);
            for inner in statement.kind.blocks() {
                self.change(inner, writes);
            }
        }
    }

    /// Adds what a statement changes, but for the blocks in it.
    fn change_one(&mut self, statement: &FlatStmtKind, writes: &dyn Fn(RoutineId) -> bool) {
        match statement {
            FlatStmtKind::Declare(local, _) | FlatStmtKind::Havoc(local) => {
                self.locals.insert(*local);
            }
            FlatStmtKind::Assign(lvalue, _) => match &lvalue.root {
                Root::Variable(_) => self.state = true,
                Root::Memory(_) => self.memory = true,
                Root::Local(id) => {
                    self.locals.insert(*id);
                }
            },
            FlatStmtKind::Push(..) | FlatStmtKind::Pop(_) | FlatStmtKind::Resize(..) => {
                self.state = true
            }
            FlatStmtKind::HavocMemory(_) => self.memory = true,
            FlatStmtKind::Evaluate(_)
            | FlatStmtKind::Leave(_)
            | FlatStmtKind::Require(..)
            | FlatStmtKind::Revert(_)
            | FlatStmtKind::If(..)
            | FlatStmtKind::While(..)
            | FlatStmtKind::Labelled(..) => {}
            FlatStmtKind::Call {
                routine,
                arguments,
                results,
            } => {
                self.state |= writes(*routine);
                self.memory |= arguments.iter().any(|argument| !argument.ty.is_value());
                self.locals.extend(results);
            }
            FlatStmtKind::CallSelf { results, .. } => {
                self.state = true;
                self.locals.extend(results);
            }
            FlatStmtKind::Opaque { results, .. } | FlatStmtKind::Decode(_, results) => {
                self.locals.extend(results);
            }
            FlatStmtKind::Outside(outside) => self.change_outside(outside),
            FlatStmtKind::Try {
                attempt, catches, ..
            } => {
                self.change_one(&attempt.kind, writes);
                self.locals
                    .extend(catches.iter().filter_map(|catch| catch.parameter));
            }
        }
    }

    /// The outside changes balances; it does not call back.
    fn change_outside(&mut self, outside: &Outside) {
        self.state = true;
        self.locals.extend(&outside.results);
        self.locals.extend(outside.success);
    }
}

/// Whether evaluating an expression may revert.
pub(in crate::front::solidity) fn may_revert(expr: &FlatExpr) -> bool {
    match &expr.kind {
        FlatExprKind::Literal(_)
        | FlatExprKind::Constant(_)
        | FlatExprKind::Env(_)
        | FlatExprKind::Default => false,
        FlatExprKind::Read(lvalue)
        | FlatExprKind::Load(lvalue)
        | FlatExprKind::StorageLength(lvalue) => place_may_revert(lvalue),
        FlatExprKind::Copy(inner) | FlatExprKind::Length(inner) => may_revert(inner),
        FlatExprKind::ByteAt(..) | FlatExprKind::NewArray(_) | FlatExprKind::Slice(..) => true,
        FlatExprKind::Unary(_, inner, overflow) => {
            *overflow == Overflow::Checked || may_revert(inner)
        }
        FlatExprKind::Binary(op, left, right, overflow) => {
            let arithmetic = match op {
                FlatBinaryOp::Add | FlatBinaryOp::Sub | FlatBinaryOp::Mul | FlatBinaryOp::Exp => {
                    *overflow == Overflow::Checked
                }
                FlatBinaryOp::Div | FlatBinaryOp::Mod => true,
                _ => false,
            };
            arithmetic || may_revert(left) || may_revert(right)
        }
        FlatExprKind::Conditional(condition, yes, no) => {
            [condition, yes, no].iter().any(|inner| may_revert(inner))
        }
        FlatExprKind::Convert(inner) => matches!(expr.ty, FlatType::Enum(_)) || may_revert(inner),
        FlatExprKind::NewStruct(inner) | FlatExprKind::NewElements(inner) => {
            inner.iter().any(may_revert)
        }
        FlatExprKind::Builtin(_, arguments) => arguments.iter().any(may_revert),
    }
}

fn place_may_revert(lvalue: &Lvalue) -> bool {
    let root = match &lvalue.root {
        Root::Memory(base) => may_revert(base),
        Root::Variable(_) | Root::Local(_) => false,
    };
    let step = |step: &AccessStep| match step {
        AccessStep::Member(_) => false,
        AccessStep::Key(index) => may_revert(index),
        AccessStep::Index { index, checked } => *checked || may_revert(index),
    };
    root || lvalue.steps.iter().any(step)
}
