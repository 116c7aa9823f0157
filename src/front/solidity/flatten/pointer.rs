//! Storage references. No variable is left of them: what is done to a reference is done to the place it stands for.
//!
//! One that is set once stands for its place itself, with the keys kept where they may change. One that is set again keeps
//! its keys in variables, *holes*, and may only go to places of the same form.

use std::sync::Arc;

use super::place::{Form, retold, told};
use super::writer::{Binding, RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{NodeId, SolidityType, VariableDeclaration};
use crate::front::solidity::flat::{FlatExpr, FlatStmtKind, LocalId, Lvalue};
use crate::front::solidity::place::FileRange;

/// A storage reference.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: SolidityType,
    /// The place it stands for, once that is known.
    pub target: Option<Lvalue>,
    /// The variables that hold its keys; none if it stands for one place for ever.
    pub holes: Vec<LocalId>,
    /// Whether it is set in one place only.
    pub once: bool,
}

impl RoutineWriter<'_, '_> {
    /// A new storage reference, which stands for nothing yet.
    pub(super) fn declare_pointer(
        &mut self,
        variable: &Arc<VariableDeclaration>,
        once: bool,
    ) -> usize {
        self.pointers.push(Pointer {
            name: variable.name.clone(),
            ty: variable.ty.clone(),
            target: None,
            holes: Vec::new(),
            once,
        });
        let number = self.pointers.len() - 1;
        self.bindings.insert(variable.id, Binding::Pointer(number));
        number
    }

    /// Whether a variable is set where it is declared and nowhere else.
    pub(super) fn is_set_once(&self, variable: NodeId) -> bool {
        !self.assigned.contains(&variable)
    }

    /// The place that a storage reference stands for.
    pub(super) fn pointed(&self, number: usize, place: FileRange) -> Flat<Lvalue> {
        let pointer = self.pointers.get(number);
        let target = pointer.and_then(|pointer| pointer.target.clone());
        let mut target = target.ok_or_else(|| {
            let name = pointer.map_or("", |pointer| &pointer.name);
            Rejection::at(
                place,
                format!("the storage reference `{name}` is used before it refers to anything"),
            )
        })?;
        target.place = place;
        Ok(target)
    }

    /// Makes a storage reference stand for a place.
    pub(super) fn set_pointer(
        &mut self,
        number: usize,
        value: WrittenValue,
        place: FileRange,
    ) -> Flat<()> {
        let WrittenValue::Place(target) = value else {
            return Err(Rejection::at(
                place,
                "a storage reference refers to storage",
            ));
        };
        let target = self.taken(target)?;
        let Some(pointer) = self.pointers.get(number).cloned() else {
            return Err(Rejection::default());
        };
        match &pointer.target {
            None if pointer.once => self.fix_pointer(number, target),
            None => self.open_pointer(number, target, place),
            Some(known) if Form::of(known) == Form::of(&target) => {
                self.move_pointer(&pointer, &target, place)
            }
            Some(_) => {
                let name = &pointer.name;
                let what = format!(
                    "the storage reference `{name}` may refer to places in different variables"
                );
                Err(Rejection::at(place, what))
            }
        }
    }

    /// It stands for this place for ever; keys that may change are kept.
    fn fix_pointer(&mut self, number: usize, target: Lvalue) -> Flat<()> {
        let name = self.pointer_name(number);
        let mut keys = Vec::new();
        for key in told(&target).cloned().collect::<Vec<_>>() {
            keys.push(if self.is_stable(&key) {
                key
            } else {
                self.hole(&name, key)?.1
            });
        }
        let target = retold(&target, keys);
        if let Some(pointer) = self.pointers.get_mut(number) {
            pointer.target = Some(target);
        }
        Ok(())
    }

    /// It stands for this place for now. All its keys are kept in variables.
    fn open_pointer(&mut self, number: usize, target: Lvalue, _: FileRange) -> Flat<()> {
        let name = self.pointer_name(number);
        let mut keys = Vec::new();
        let mut holes = Vec::new();
        for key in told(&target).cloned().collect::<Vec<_>>() {
            let (hole, key) = self.hole(&name, key)?;
            holes.push(hole);
            keys.push(key);
        }
        let target = retold(&target, keys);
        if let Some(pointer) = self.pointers.get_mut(number) {
            pointer.target = Some(target);
            pointer.holes = holes;
        }
        Ok(())
    }

    /// Its keys get other values, all at once.
    fn move_pointer(&mut self, pointer: &Pointer, target: &Lvalue, place: FileRange) -> Flat<()> {
        let mut values: Vec<WrittenValue> = told(target).cloned().map(WrittenValue::Expr).collect();
        for (at, hole) in pointer.holes.iter().enumerate() {
            let Some(WrittenValue::Expr(key)) = values.get(at).cloned() else {
                return Err(Rejection::default());
            };
            let mark = self.out.len();
            let lvalue = Lvalue::local(*hole, key.ty.clone(), place);
            self.write(FlatStmtKind::Assign(lvalue, key), place)?;
            self.freeze(values.iter_mut().skip(at + 1), mark)?;
        }
        Ok(())
    }

    fn pointer_name(&self, number: usize) -> String {
        let pointer = self.pointers.get(number);
        pointer.map_or_else(String::new, |pointer| pointer.name.clone())
    }

    /// A variable that holds a key of a storage reference.
    fn hole(&mut self, name: &str, key: FlatExpr) -> Flat<(LocalId, FlatExpr)> {
        let (ty, place) = (key.ty.clone(), key.place);
        let hole = self.local(&format!("{name}.key"), ty.clone(), place);
        self.write(FlatStmtKind::Declare(hole, Some(key)), place)?;
        Ok((hole, FlatExpr::local(hole, ty, place)))
    }
}
