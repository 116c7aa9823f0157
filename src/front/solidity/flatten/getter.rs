//! Getters of public variables: a key for each mapping, an index for each array, and of a struct all members but those that
//! are mappings and arrays.

use std::sync::Arc;

use super::types::{in_memory, signature};
use super::writer::{Value, Writer};
use super::{Flat, Flattener, Stop};
use crate::front::solidity::ast::{
    Changes, Function, Mutability, Type as Ast, Variable, Visibility,
};
use crate::front::solidity::flat::{
    Expr, ExprKind, LocalId, Lvalue, Root, Routine, RoutineId, Step, Type,
};
use crate::front::solidity::place::Place;

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
    pub fn getter_signature(&self, variable: &Variable) -> Option<String> {
        let (parameters, _) = parameters(&variable.ty);
        signature(self.program, &variable.name, &parameters)
    }

    /// The public variable whose getter implements a function.
    pub fn getter_for(&self, function: &Function) -> Option<Arc<Variable>> {
        let types = |function: &Function| -> Vec<Ast> {
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
    pub fn getter(&mut self, variable: &Arc<Variable>) -> Flat<RoutineId> {
        if let Some(known) = self.getters.get(&variable.id) {
            return Ok(*known);
        }
        let contract = self.program.contract_of(variable.id);
        let place = variable.place;
        let mut writer = Writer::new(self, contract);
        let (locals, value) = writer.getter_value(variable)?;
        let results = writer.getter_results(value, place)?;
        let routine = Routine {
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
            labels: writer.labels,
        };
        let id = RoutineId::of(self.routines.len());
        self.plans.insert(id, vec![variable.name.clone()]);
        self.routines.push(Some(routine));
        self.getters.insert(variable.id, id);
        Ok(id)
    }
}

impl Writer<'_, '_> {
    /// What a getter looks at, with its parameters.
    fn getter_value(&mut self, variable: &Arc<Variable>) -> Flat<(Vec<LocalId>, Value)> {
        let place = variable.place;
        if variable.changes == Changes::Constant {
            let (constant, ty) = self.f.constant(variable)?;
            let expr = Expr::new(ExprKind::Constant(constant), ty, place);
            return Ok((Vec::new(), Value::Expr(expr)));
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
            let step: fn(Expr) -> Step = match &lvalue.ty {
                Type::Mapping(..) => Step::Key,
                Type::Array(..) => |index| Step::Index {
                    index,
                    checked: true,
                },
                _ => break,
            };
            let ty = match &lvalue.ty {
                Type::Mapping(key, _) => key.as_ref().clone(),
                _ => Type::UINT,
            };
            let local = self.local("key", ty.clone(), place);
            locals.push(local);
            lvalue = self.step(lvalue, step(Expr::local(local, ty, place)), place)?;
        }
        Ok((locals, self.contents(lvalue, place)))
    }

    fn getter_results(&mut self, value: Value, place: Place) -> Flat<Vec<LocalId>> {
        let mut parts = Vec::new();
        match value {
            Value::Place(lvalue) => match lvalue.ty.clone() {
                Type::Struct(id) => {
                    let members = self.f.types.members(id).to_vec();
                    for (number, (name, ty)) in members.into_iter().enumerate() {
                        if matches!(ty, Type::Mapping(..) | Type::Array(..)) {
                            continue;
                        }
                        let member = self.step(lvalue.clone(), Step::Member(number), place)?;
                        parts.push((name, self.contents(member, place)));
                    }
                }
                _ => parts.push((String::new(), Value::Place(lvalue))),
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
            return Err(Stop::at(place, "this getter gives nothing"));
        }
        Ok(results)
    }
}
