//! A routine's parameters and results: variables for values, one for each key of a storage reference, none for functions.

use std::sync::Arc;

use super::instance::{InstanceResult, Static};
use super::place::{retold, told};
use super::tidy::tidy;
use super::types::in_memory;
use super::writer::{Binding, RoutineWriter};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{FunctionDefinition, Location, Mutability, VariableDeclaration};
use crate::front::solidity::flat::{FlatExpr, FlatRoutine, LocalId};

impl RoutineWriter<'_, '_> {
    /// A parameter: a variable for a value, one for each key of a storage reference, none for a function.
    pub(super) fn parameter(
        &mut self,
        parameter: &Arc<VariableDeclaration>,
        known: Static,
        parameters: &mut Vec<LocalId>,
    ) -> Flat<()> {
        match known {
            Static::Function(function) => {
                if !self.is_set_once(parameter.id) {
                    let what = "a variable that holds different functions is not taken";
                    return Err(Rejection::at(parameter.place, what));
                }
                self.bindings
                    .insert(parameter.id, Binding::Function(function));
            }
            Static::Constant(expr) => {
                self.bindings.insert(parameter.id, Binding::Constant(expr));
            }
            Static::Place(lvalue) => {
                let once = self.is_set_once(parameter.id);
                let number = self.declare_pointer(parameter, once);
                let mut keys = Vec::new();
                for key in told(&lvalue) {
                    let name = format!("{}.key", parameter.name);
                    let hole = self.local(&name, key.ty.clone(), parameter.place);
                    parameters.push(hole);
                    keys.push(FlatExpr::local(hole, key.ty.clone(), parameter.place));
                }
                let target = retold(&lvalue, keys);
                if let Some(pointer) = self.pointers.get_mut(number) {
                    pointer.target = Some(target);
                    if !once {
                        pointer.holes = parameters
                            .iter()
                            .rev()
                            .take(told(&lvalue).count())
                            .rev()
                            .copied()
                            .collect();
                    }
                }
            }
            Static::Nothing => {
                if parameter.ty.in_storage() {
                    let what = "a storage reference is expected";
                    return Err(Rejection::at(parameter.place, what));
                }
                let ty = self.f.ty(&in_memory(&parameter.ty), parameter.place)?;
                let local = self.local(&parameter.name, ty, parameter.place);
                self.bindings.insert(parameter.id, Binding::Local(local));
                parameters.push(local);
            }
        }
        Ok(())
    }

    /// A result. Nothing is written: results begin as zero.
    pub(super) fn declare_result(&mut self, result: &Arc<VariableDeclaration>) -> Flat<()> {
        if result.ty.in_storage() {
            self.declare_pointer(result, false);
            return Ok(());
        }
        let ty = self.f.ty(&in_memory(&result.ty), result.place)?;
        let local = self.local(&result.name, ty, result.place);
        self.bindings.insert(result.id, Binding::Local(local));
        Ok(())
    }

    /// The variables that are given back, and what they are.
    pub(super) fn results(
        &mut self,
        results: &[Arc<VariableDeclaration>],
    ) -> Flat<(Vec<LocalId>, Vec<InstanceResult>)> {
        let (mut locals, mut given) = (Vec::new(), Vec::new());
        for result in results {
            match self.bindings.get(&result.id).cloned() {
                Some(Binding::Local(local)) => {
                    locals.push(local);
                    given.push(InstanceResult::Value(super::internal::local_type(
                        self, local,
                    )));
                }
                Some(Binding::Pointer(number)) => {
                    let pointer = self.pointers.get(number).cloned();
                    let target = pointer.as_ref().and_then(|pointer| pointer.target.clone());
                    let (Some(pointer), Some(target)) = (pointer, target) else {
                        // What is not taken in the body has been complained of there.
                        if !self.refusals.is_empty() {
                            continue;
                        }
                        let what = "the storage reference that is given back refers to nothing";
                        return Err(Rejection::at(result.place, what));
                    };
                    locals.extend(pointer.holes);
                    given.push(InstanceResult::Place(target));
                }
                _ => {
                    return Err(Rejection::at(
                        result.place,
                        "functions as values are not taken",
                    ));
                }
            }
        }
        Ok((locals, given))
    }

    /// The routine, if all of it is taken.
    pub(super) fn finish(
        self,
        function: &FunctionDefinition,
        parameters: Vec<LocalId>,
        results: Vec<LocalId>,
        given: Vec<InstanceResult>,
    ) -> Flat<(FlatRoutine, Vec<InstanceResult>)> {
        if !self.refusals.is_empty() {
            let mut refusals = self.refusals;
            refusals.sort_by_key(|refusal| refusal.place);
            refusals.dedup();
            return Err(Rejection(refusals));
        }
        // What assembly in a pure function gives is not known, but always the same for the same arguments.
        if self.hidden && is_pure_of_values(function) {
            let what = "assembly computes something here that is not understood";
            return Err(Rejection::at(function.place, what));
        }
        self.f.notes.extend(self.notes);
        let mut body = self.out;
        tidy(&mut body);
        let routine = FlatRoutine {
            name: String::new(),
            place: function.place,
            mutability: function.mutability,
            locals: self.locals,
            parameters,
            results,
            body,
        };
        Ok((routine, given))
    }
}

fn is_pure_of_values(function: &FunctionDefinition) -> bool {
    let places = |variables: &[Arc<VariableDeclaration>]| {
        variables.iter().any(|variable| {
            matches!(
                variable.ty.location(),
                Some(Location::Storage | Location::Transient)
            )
        })
    };
    function.mutability == Mutability::Pure
        && !places(&function.parameters)
        && !places(&function.results)
}
