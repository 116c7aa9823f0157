//! A routine while it is written.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::modifier::Layers;
use super::pointer::Pointer;
use super::{Flat, Flattener, Rejection};
use crate::front::solidity::ast::{self, NodeId};
use crate::front::solidity::flat::effects::Touched;
use crate::front::solidity::flat::{
    AccessStep, FlatBlock, FlatExpr, FlatExprKind, FlatStmt, FlatStmtKind, FlatType, LabelId,
    Local, LocalId, Lvalue, NotTaken, Note, Overflow, Root,
};
use crate::front::solidity::place::FileRange;

/// What an expression of the syntax tree comes to.
#[derive(Clone, Debug)]
pub(super) enum WrittenValue {
    /// A value, or a reference into memory.
    Expr(FlatExpr),
    /// A place in storage, of a reference type.
    Place(Lvalue),
    /// Several; a hole is none.
    Tuple(Vec<Option<WrittenValue>>),
    /// A function of this contract, a library or a file.
    Function(Arc<ast::FunctionDefinition>),
    /// Something that is not a value, and whose type says all: the name of a type, `msg`, `super`.
    Word,
}

/// What a variable of the syntax tree is.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A local variable.
    Local(LocalId),
    /// A storage reference, by its number.
    Pointer(usize),
    /// A function.
    Function(Arc<ast::FunctionDefinition>),
    /// A constant, which assembly may take for a place in storage.
    Constant(FlatExpr),
}

/// Writes a routine.
pub(super) struct RoutineWriter<'f, 'p> {
    pub f: &'f mut Flattener<'p>,
    /// The contract or library in which what is being written stands; none for what stands in a file.
    pub contract: Option<NodeId>,
    pub locals: Vec<Local>,
    names: HashSet<String>,
    /// The last number that was put behind a name.
    numbers: HashMap<String, u64>,
    labels: usize,
    pub bindings: HashMap<NodeId, Binding>,
    pub pointers: Vec<Pointer>,
    /// What has been written of the block that is being written.
    pub out: FlatBlock,
    /// The labels behind which, and in which, the loops go on.
    pub loops: Vec<(LabelId, LabelId)>,
    /// Where `return` goes, and which variables get what is returned.
    pub returns: Option<Returns>,
    /// The modifiers that are still to come, where `_` stands.
    pub layers: Option<Layers>,
    pub unchecked: bool,
    /// Variables that are assigned somewhere, other than where they are declared.
    pub assigned: HashSet<NodeId>,
    /// Variables that occur in assembly.
    pub in_assembly: HashSet<NodeId>,
    pub refusals: Vec<NotTaken>,
    /// What is taken with less precision than it has.
    pub notes: Vec<Note>,
    /// Whether something was written that may have any value.
    pub hidden: bool,
}

/// Where `return` goes.
#[derive(Clone, Debug)]
pub(super) struct Returns {
    pub label: LabelId,
    /// The variables that get what is returned; none in a modifier.
    pub results: Vec<Arc<ast::VariableDeclaration>>,
}

impl<'f, 'p> RoutineWriter<'f, 'p> {
    pub(super) fn new(f: &'f mut Flattener<'p>, contract: Option<NodeId>) -> RoutineWriter<'f, 'p> {
        RoutineWriter {
            f,
            contract,
            locals: Vec::new(),
            names: HashSet::new(),
            numbers: HashMap::new(),
            labels: 0,
            bindings: HashMap::new(),
            pointers: Vec::new(),
            out: FlatBlock::new(),
            loops: Vec::new(),
            returns: None,
            layers: None,
            unchecked: false,
            assigned: HashSet::new(),
            in_assembly: HashSet::new(),
            refusals: Vec::new(),
            notes: Vec::new(),
            hidden: false,
        }
    }

    /// A new local variable, with a name that no other has.
    pub(super) fn local(&mut self, name: &str, ty: FlatType, place: FileRange) -> LocalId {
        let base = if name.is_empty() { "_" } else { name };
        let mut name = base.to_owned();
        while !self.names.insert(name.clone()) {
            let number = self.numbers.entry(base.to_owned()).or_insert(1);
            *number += 1;
            name = format!("{base}'{number}");
        }
        self.locals.push(Local { name, place, ty });
        LocalId::of(self.locals.len() - 1)
    }

    /// A new local variable that the user did not write.
    pub(super) fn temporary(&mut self, ty: FlatType, place: FileRange) -> LocalId {
        self.local("$", ty, place)
    }

    /// A temporary variable with a value, written now.
    pub(super) fn keep(&mut self, expr: FlatExpr) -> Flat<FlatExpr> {
        let (ty, place) = (expr.ty.clone(), expr.place);
        let local = self.temporary(ty.clone(), place);
        self.write(FlatStmtKind::Declare(local, Some(expr)), place)?;
        Ok(FlatExpr::local(local, ty, place))
    }

    pub(super) fn note(&mut self, place: FileRange, what: impl Into<String>) {
        let what = what.into();
        self.notes.push(Note { place, what });
    }

    pub(super) fn label(&mut self) -> LabelId {
        self.labels += 1;
        LabelId::of(self.labels - 1)
    }

    pub(super) fn write(&mut self, kind: FlatStmtKind, place: FileRange) -> Flat<()> {
        self.f.count(place)?;
        self.out.push(FlatStmt::new(kind, place));
        Ok(())
    }

    /// What is written meanwhile, as a block of its own.
    pub(super) fn nested<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Flat<T>,
    ) -> Flat<(FlatBlock, T)> {
        let outer = std::mem::take(&mut self.out);
        let result = write(self);
        let inner = std::mem::replace(&mut self.out, outer);
        result.map(|value| (inner, value))
    }

    /// How arithmetic behaves here.
    pub(super) fn overflow(&self) -> Overflow {
        if self.unchecked || !self.f.program.version.is_checked() {
            Overflow::Wrapping
        } else {
            Overflow::Checked
        }
    }

    /// A block that can be left by a label.
    pub(super) fn labelled(
        &mut self,
        label: LabelId,
        body: FlatBlock,
        place: FileRange,
    ) -> Flat<()> {
        self.write(FlatStmtKind::Labelled(label, body), place)
    }

    /// Keeps values as they were before what has been written since `mark`, where that changes them.
    pub(super) fn freeze<'v>(
        &mut self,
        values: impl IntoIterator<Item = &'v mut WrittenValue>,
        mark: usize,
    ) -> Flat<()> {
        let changed = self.changed_since(mark);
        if changed == Touched::default() {
            return Ok(());
        }
        // What is kept is written before what changes it.
        let after = self.out.split_off(mark.min(self.out.len()));
        let mut result = Ok(());
        for value in values {
            result = result.and_then(|()| self.freeze_value(value, &changed));
        }
        self.out.extend(after);
        result
    }

    /// What has been changed by what has been written since `mark`.
    pub(super) fn changed_since(&self, mark: usize) -> Touched {
        let mut changed = Touched::default();
        changed.change(self.out.get(mark..).unwrap_or_default(), &|id| {
            self.f.writes(id)
        });
        changed
    }

    fn freeze_value(&mut self, value: &mut WrittenValue, changed: &Touched) -> Flat<()> {
        match value {
            WrittenValue::Expr(expr) => self.freeze_expr(expr, changed),
            WrittenValue::Place(lvalue) => self.freeze_steps(lvalue, changed),
            WrittenValue::Tuple(items) => items
                .iter_mut()
                .flatten()
                .try_for_each(|item| self.freeze_value(item, changed)),
            WrittenValue::Function(_) | WrittenValue::Word => Ok(()),
        }
    }

    fn freeze_expr(&mut self, expr: &mut FlatExpr, changed: &Touched) -> Flat<()> {
        let mut read = Touched::default();
        read.read(expr);
        if !read.meets(changed) {
            return Ok(());
        }
        *expr = self.keep(expr.clone())?;
        Ok(())
    }

    /// Keeps what says where a place is, not what it holds.
    pub(super) fn freeze_steps(&mut self, lvalue: &mut Lvalue, changed: &Touched) -> Flat<()> {
        if let Root::Memory(base) = &mut lvalue.root {
            self.freeze_expr(base, changed)?;
        }
        for step in &mut lvalue.steps {
            match step {
                AccessStep::Member(_) => {}
                AccessStep::Key(index) | AccessStep::Index { index, .. } => {
                    self.freeze_expr(index, changed)?
                }
            }
        }
        Ok(())
    }

    /// Expressions in their order, or backwards; each is kept from what the later ones do. The compiler's newer way goes
    /// by where they stand in the text.
    pub(super) fn sequence(
        &mut self,
        expressions: &[&ast::Expression],
        backwards: bool,
    ) -> Flat<Vec<WrittenValue>> {
        let mut order: Vec<(usize, &ast::Expression)> =
            expressions.iter().copied().enumerate().collect();
        if self.f.via_ir() {
            order.sort_by_key(|(_, expression)| expression.place.start);
        } else if backwards {
            order.reverse();
        }
        let mut values: Vec<(usize, WrittenValue)> = Vec::new();
        for (at, expression) in order {
            let mark = self.out.len();
            let value = self.expression(expression)?;
            self.freeze(values.iter_mut().map(|(_, value)| value), mark)?;
            values.push((at, value));
        }
        values.sort_by_key(|(at, _)| *at);
        Ok(values.into_iter().map(|(_, value)| value).collect())
    }

    /// Two expressions in the order in which operands are evaluated: the compiler's older way begins with the right one.
    pub(super) fn operands(
        &mut self,
        left: &ast::Expression,
        right: &ast::Expression,
    ) -> Flat<(WrittenValue, WrittenValue)> {
        let values = self.sequence(&[left, right], true)?;
        match <[WrittenValue; 2]>::try_from(values) {
            Ok([left, right]) => Ok((left, right)),
            Err(_) => Err(Rejection::default()),
        }
    }

    /// Whether an expression has the same value wherever it stands in the routine.
    pub(super) fn is_stable(&self, expr: &FlatExpr) -> bool {
        match &expr.kind {
            FlatExprKind::Literal(_) | FlatExprKind::Constant(_) => true,
            FlatExprKind::Env(env) => {
                use crate::front::solidity::flat::ChainValue;
                !matches!(
                    env,
                    ChainValue::Balance | ChainValue::ReturnSize | ChainValue::GasLeft
                )
            }
            FlatExprKind::Convert(inner) => inner.ty.is_value() && self.is_stable(inner),
            FlatExprKind::Read(Lvalue {
                root: Root::Local(local),
                steps,
                ..
            }) => steps.is_empty() && expr.ty.is_value() && self.never_changes(*local),
            _ => false,
        }
    }

    /// Whether a local variable has one value only. Those that the user did not write have.
    fn never_changes(&self, local: LocalId) -> bool {
        let mut bindings = self.bindings.iter();
        let variable =
            bindings.find(|(_, binding)| matches!(binding, Binding::Local(id) if *id == local));
        match variable {
            Some((id, _)) => !self.assigned.contains(id),
            None => !self
                .pointers
                .iter()
                .any(|pointer| pointer.holes.contains(&local)),
        }
    }
}
