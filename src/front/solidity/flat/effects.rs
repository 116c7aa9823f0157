//! What an expression reads, and what statements change: whether a value may still be computed after something was done.

use std::collections::BTreeSet;

use super::{
    BinaryOp, Builtin, Env, Expr, ExprKind, LocalId, Lvalue, Outside, Overflow, Root, RoutineId,
    Step, Stmt, StmtKind, Type,
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
    pub fn meets(&self, changed: &Touched) -> bool {
        (self.state && changed.state)
            || (self.memory && changed.memory)
            || !self.locals.is_disjoint(&changed.locals)
    }

    /// Adds what an expression reads.
    pub fn read(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(_) | ExprKind::Constant(_) | ExprKind::Default => {}
            ExprKind::Env(env) => {
                self.state |= matches!(env, Env::Balance | Env::ReturnSize | Env::GasLeft);
            }
            ExprKind::Read(lvalue) | ExprKind::Load(lvalue) | ExprKind::StorageLength(lvalue) => {
                self.read_lvalue(lvalue);
            }
            ExprKind::Copy(inner) | ExprKind::Length(inner) => {
                self.memory = true;
                self.read(inner);
            }
            ExprKind::Unary(_, inner, _) | ExprKind::NewArray(inner) => self.read(inner),
            ExprKind::Convert(inner) => {
                self.memory |= !inner.ty.is_value() && expr.ty.is_value();
                self.read(inner);
            }
            ExprKind::Binary(_, left, right, _) | ExprKind::ByteAt(left, right) => {
                self.read(left);
                self.read(right);
            }
            ExprKind::Conditional(condition, yes, no) => {
                [condition, yes, no]
                    .iter()
                    .for_each(|inner| self.read(inner));
            }
            ExprKind::NewStruct(inner) | ExprKind::NewElements(inner) => {
                inner.iter().for_each(|inner| self.read(inner));
            }
            ExprKind::Slice(base, start, end) => {
                self.read(base);
                start.iter().chain(end).for_each(|inner| self.read(inner));
            }
            ExprKind::Builtin(builtin, arguments) => {
                self.state |= matches!(
                    builtin,
                    Builtin::BalanceOf | Builtin::CodeOf | Builtin::CodeLength | Builtin::CodeHash
                );
                for argument in arguments {
                    self.memory |= !argument.ty.is_value();
                    self.read(argument);
                }
            }
        }
    }

    /// Adds what is read to find a place, and what is there.
    pub fn read_lvalue(&mut self, lvalue: &Lvalue) {
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
    pub fn read_steps(&mut self, lvalue: &Lvalue) {
        if let Root::Memory(base) = &lvalue.root {
            self.read(base);
        }
        for step in &lvalue.steps {
            match step {
                Step::Member(_) => {}
                Step::Key(index) | Step::Index { index, .. } => self.read(index),
            }
        }
    }

    /// Adds what statements change. `writes` says whether a routine may change storage.
    pub fn change(&mut self, block: &[Stmt], writes: &dyn Fn(RoutineId) -> bool) {
        for statement in block {
            self.change_one(&statement.kind, writes);
            for inner in statement.kind.blocks() {
                self.change(inner, writes);
            }
        }
    }

    /// Adds what a statement changes, but for the blocks in it.
    fn change_one(&mut self, statement: &StmtKind, writes: &dyn Fn(RoutineId) -> bool) {
        match statement {
            StmtKind::Declare(local, _) | StmtKind::Havoc(local) => {
                self.locals.insert(*local);
            }
            StmtKind::Assign(lvalue, _) => match &lvalue.root {
                Root::Variable(_) => self.state = true,
                Root::Memory(_) => self.memory = true,
                Root::Local(id) => {
                    self.locals.insert(*id);
                }
            },
            StmtKind::Push(..) | StmtKind::Pop(_) | StmtKind::Resize(..) => self.state = true,
            StmtKind::HavocMemory(_) => self.memory = true,
            StmtKind::Evaluate(_)
            | StmtKind::Leave(_)
            | StmtKind::Require(..)
            | StmtKind::Revert(_)
            | StmtKind::If(..)
            | StmtKind::While(..)
            | StmtKind::Labelled(..) => {}
            StmtKind::Call {
                routine,
                arguments,
                results,
            } => {
                self.state |= writes(*routine);
                self.memory |= arguments.iter().any(|argument| !argument.ty.is_value());
                self.locals.extend(results);
            }
            StmtKind::CallSelf { results, .. } => {
                self.state = true;
                self.locals.extend(results);
            }
            StmtKind::Opaque { results, .. } | StmtKind::Decode(_, results) => {
                self.locals.extend(results);
            }
            StmtKind::Outside(outside) => self.change_outside(outside),
            StmtKind::Try {
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
pub(in crate::front::solidity) fn may_revert(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Constant(_) | ExprKind::Env(_) | ExprKind::Default => {
            false
        }
        ExprKind::Read(lvalue) | ExprKind::Load(lvalue) | ExprKind::StorageLength(lvalue) => {
            place_may_revert(lvalue)
        }
        ExprKind::Copy(inner) | ExprKind::Length(inner) => may_revert(inner),
        ExprKind::ByteAt(..) | ExprKind::NewArray(_) | ExprKind::Slice(..) => true,
        ExprKind::Unary(_, inner, overflow) => *overflow == Overflow::Checked || may_revert(inner),
        ExprKind::Binary(op, left, right, overflow) => {
            let arithmetic = match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Exp => {
                    *overflow == Overflow::Checked
                }
                BinaryOp::Div | BinaryOp::Mod => true,
                _ => false,
            };
            arithmetic || may_revert(left) || may_revert(right)
        }
        ExprKind::Conditional(condition, yes, no) => {
            [condition, yes, no].iter().any(|inner| may_revert(inner))
        }
        ExprKind::Convert(inner) => matches!(expr.ty, Type::Enum(_)) || may_revert(inner),
        ExprKind::NewStruct(inner) | ExprKind::NewElements(inner) => inner.iter().any(may_revert),
        ExprKind::Builtin(_, arguments) => arguments.iter().any(may_revert),
    }
}

fn place_may_revert(lvalue: &Lvalue) -> bool {
    let root = match &lvalue.root {
        Root::Memory(base) => may_revert(base),
        Root::Variable(_) | Root::Local(_) => false,
    };
    let step = |step: &Step| match step {
        Step::Member(_) => false,
        Step::Key(index) => may_revert(index),
        Step::Index { index, checked } => *checked || may_revert(index),
    };
    root || lvalue.steps.iter().any(step)
}
