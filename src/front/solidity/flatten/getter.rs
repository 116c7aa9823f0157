//! Getters of public variables: a key for each mapping, an index for each array, and of a struct all members but those that
//! are mappings and arrays.

use std::sync::Arc;

use super::types::{in_memory, signature};
use super::writer::{RoutineWriter, WrittenValue};
use super::{Flat, Flattener, Rejection};
use crate::front::solidity::ast::{
    Changes, FunctionDefinition, Mutability, SolidityType as Ast, VariableDeclaration, Visibility,
};
use crate::front::solidity::flat::{
    AccessStep, FlatExpr, FlatExprKind, FlatRoutine, FlatType, LocalId, Lvalue, Root, RoutineId,
};
use crate::front::solidity::place::FileRange;

/// The types of the parameters of a getter, and of what they lead to.
fn parameters(ty: &Ast) -> (Vec<Ast>, Ast) {
    let mut parameters = Vec::new();
    let mut ty = ty.clone();
    loop {
        ty = match ty {
            Ast::Mapping(key, value) => {
                parameters.push(in_memory(&key));
                value.as_ref().clone()
            }
            Ast::Array(element, ..) => {
                parameters.push(Ast::Int(crate::front::solidity::ast::Int {
                    signed: false,
                    bits: 256,
                }));
                element.as_ref().clone()
            }
            other => return (parameters, other),
        };
    }
}

impl Flattener<'_> {
    /// `balances(address)`
    pub(super) fn getter_signature(&self, variable: &VariableDeclaration) -> Option<String> {
        let (parameters, _) = parameters(&variable.ty);
        signature(self.program, &variable.name, &parameters)
    }

    /// The public variable whose getter implements a function.
    pub(super) fn getter_for(
        &self,
        function: &FunctionDefinition,
    ) -> Option<Arc<VariableDeclaration>> {
        let types = |function: &FunctionDefinition| -> Vec<Ast> {
            let parameters = function.parameters.iter();
            parameters.map(|p| in_memory(&p.ty)).collect()
        };
        let wanted = types(function);
        let mut variables = self.hierarchy.variables().map(|(_, variable)| variable);
        let found = variables.find(|variable| {
            variable.visibility == Visibility::Public
                && variable.name == function.name
                && parameters(&variable.ty).0 == wanted
        });
        found.cloned()
    }

    /// The routine of a getter.
    pub(super) fn getter(&mut self, variable: &Arc<VariableDeclaration>) -> Flat<RoutineId> {
        if let Some(known) = self.getters.get(&variable.id) {
            return Ok(*known);
        }
        let contract = self.program.contract_of(variable.id);
        let place = variable.place;
        let mut writer = RoutineWriter::new(self, contract);
        let (locals, value) = writer.getter_value(variable)?;
        let results = writer.getter_results(value, place)?;
        let routine = FlatRoutine {
            name: String::new(),
            place,
            mutability: if variable.changes == Changes::Constant {
                Mutability::Pure
            } else {
                Mutability::View
            },
            locals: writer.locals,
            parameters: locals,
            results,
            body: writer.out,
        };
        let id = RoutineId::of(self.routines.len());
        self.plans.insert(id, vec![variable.name.clone()]);
        self.routines.push(Some(routine));
        self.getters.insert(variable.id, id);
        Ok(id)
    }
}

impl RoutineWriter<'_, '_> {
    /// What a getter looks at, with its parameters.
    fn getter_value(
        &mut self,
        variable: &Arc<VariableDeclaration>,
    ) -> Flat<(Vec<LocalId>, WrittenValue)> {
        let place = variable.place;
        if variable.changes == Changes::Constant {
            let (constant, ty) = self.f.constant(variable)?;
            let expr = FlatExpr::new(FlatExprKind::Constant(constant), ty, place);
            return Ok((Vec::new(), WrittenValue::Expr(expr)));
        }
        let id = self.f.variable_ids.get(&variable.id).copied();
        let known = id.and_then(|id| self.f.variables.get(id.index()));
        let (Some(id), Some(known)) = (id, known) else {
            return Err(self.f.untaken(variable.id, place));
        };
        let mut lvalue = Lvalue {
            root: Root::Variable(id),
            steps: Vec::new(),
            ty: known.ty.clone(),
            place,
        };
        let mut locals = Vec::new();
        loop {
            let step: fn(FlatExpr) -> AccessStep = match &lvalue.ty {
                FlatType::Mapping(..) => AccessStep::Key,
                FlatType::Array(..) => |index| AccessStep::Index {
                    index,
                    checked: true,
                },
                _ => break,
            };
            let ty = match &lvalue.ty {
                FlatType::Mapping(key, _) => key.as_ref().clone(),
                _ => FlatType::UINT,
            };
            let local = self.local("key", ty.clone(), place);
            locals.push(local);
            lvalue = self.step(lvalue, step(FlatExpr::local(local, ty, place)), place)?;
        }
        Ok((locals, self.contents(lvalue, place)))
    }

    fn getter_results(&mut self, value: WrittenValue, place: FileRange) -> Flat<Vec<LocalId>> {
        let mut parts = Vec::new();
        match value {
            WrittenValue::Place(lvalue) => match lvalue.ty.clone() {
                FlatType::Struct(id) => {
                    let members = self.f.types.members(id).to_vec();
                    for (number, (name, ty)) in members.into_iter().enumerate() {
                        if matches!(ty, FlatType::Mapping(..) | FlatType::Array(..)) {
                            continue;
                        }
                        let member =
                            self.step(lvalue.clone(), AccessStep::Member(number), place)?;
                        parts.push((name, self.contents(member, place)));
                    }
                }
                _ => parts.push((String::new(), WrittenValue::Place(lvalue))),
            },
            value => parts.push((String::new(), value)),
        }
        let mut results = Vec::new();
        for (name, part) in parts {
            let expr = self.plain(part, place)?;
            let local = self.local(&name, expr.ty.clone(), place);
            self.set_local(local, expr, place)?;
            results.push(local);
        }
        if results.is_empty() {
            return Err(Rejection::at(place, "this getter gives nothing"));
        }
        Ok(results)
    }
}
