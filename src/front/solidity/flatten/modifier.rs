//! Modifiers: the function's body stands where the modifier has `_`.
//!
//! `return` leaves the body or the modifier in which it stands; then goes on what is behind the `_` around it.

use std::sync::Arc;

use super::walk::Occurrences;
use super::writer::{Binding, Returns, RoutineWriter};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{
    BlockStatement, Declaration, Expression, FunctionDefinition, Modifier, ModifierCall, NodeId,
};
use crate::front::solidity::flat::{FlatExpr, FlatExprKind, FlatStmtKind, LocalId};
use crate::front::solidity::place::FileRange;

/// What is still to come where `_` stands.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    /// The function.
    pub function: Arc<FunctionDefinition>,
    /// Its modifiers.
    modifiers: Arc<Vec<(Arc<Modifier>, ModifierCall)>>,
    /// The first that is still to come.
    next: usize,
    /// Whether the body may be executed several times.
    repeated: bool,
}

impl RoutineWriter<'_, '_> {
    /// Writes a function's body with its modifiers around it.
    pub(super) fn body(&mut self, function: &Arc<FunctionDefinition>) -> Flat<()> {
        let mut modifiers = Vec::new();
        let mut repeated = false;
        for call in &function.modifiers {
            // Of a constructor, arguments of bases stand there too.
            if self.f.program.contract(call.target).is_some() {
                continue;
            }
            let modifier = self.modifier_of(call)?;
            let body = modifier.body.as_ref();
            let occurrences = body.map(Occurrences::of).unwrap_or_default();
            repeated |= occurrences.placeholders > 1;
            self.assigned.extend(occurrences.assigned);
            self.in_assembly.extend(occurrences.in_assembly);
            modifiers.push((modifier, call.clone()));
        }
        self.layers = Some(Layers {
            function: Arc::clone(function),
            modifiers: Arc::new(modifiers),
            next: 0,
            repeated,
        });
        self.next_layer(function.place)
    }

    fn modifier_of(&self, call: &ModifierCall) -> Flat<Arc<Modifier>> {
        match self.f.program.declaration(call.target) {
            Some(Declaration::Modifier(modifier)) if call.qualified => Ok(Arc::clone(modifier)),
            Some(Declaration::Modifier(modifier)) => {
                Ok(self.f.hierarchy.modifier(self.f.program, modifier))
            }
            _ => Err(Rejection::at(
                call.place,
                "the modifier is missing in the trees",
            )),
        }
    }

    /// Writes what stands where `_` stands: the next modifier, or the body.
    pub(super) fn next_layer(&mut self, place: FileRange) -> Flat<()> {
        self.f.count(place)?;
        let Some(layers) = self.layers.clone() else {
            return Err(Rejection::at(place, "`_` stands outside of a modifier"));
        };
        // What the modifier around has declared is looked at again behind the `_`.
        let bindings = self.bindings.clone();
        let (unchecked, contract) = (std::mem::take(&mut self.unchecked), self.contract);
        let (returns, loops) = (self.returns.take(), std::mem::take(&mut self.loops));
        let result = match layers.modifiers.get(layers.next) {
            Some((modifier, call)) => self.one_modifier(&layers, modifier, call),
            None => self.innermost(&layers),
        };
        self.bindings = bindings;
        self.unchecked = unchecked;
        self.contract = contract;
        self.returns = returns;
        self.loops = loops;
        self.layers = Some(layers);
        result
    }

    fn one_modifier(
        &mut self,
        layers: &Layers,
        modifier: &Arc<Modifier>,
        call: &ModifierCall,
    ) -> Flat<()> {
        let arguments = call.arguments.as_deref().unwrap_or_default();
        self.bind(&modifier.parameters, arguments)?;
        let Some(body) = &modifier.body else {
            return Err(Rejection::at(call.place, "the modifier has no body"));
        };
        self.layers = Some(Layers {
            next: layers.next + 1,
            ..layers.clone()
        });
        self.contract = self.f.program.contract_of(modifier.id);
        self.leavable(body, Vec::new())
    }

    fn innermost(&mut self, layers: &Layers) -> Flat<()> {
        let function = &layers.function;
        let Some(body) = &function.body else {
            return Ok(());
        };
        if layers.repeated && self.f.via_ir() {
            self.begin_again(function)?;
        }
        self.contract = self.f.program.contract_of(function.id);
        self.layers = None;
        self.leavable(body, function.results.clone())
    }

    /// The compiler's newer way gives each execution of the body the arguments as they came, and results of zero.
    fn begin_again(&mut self, function: &FunctionDefinition) -> Flat<()> {
        for parameter in &function.parameters {
            if let Some((local, expr)) = self.bound(parameter.id) {
                let name = self
                    .locals
                    .get(local.index())
                    .map(|local| local.name.clone());
                let ty = expr.ty.clone();
                let fresh = self.local(&name.unwrap_or_default(), ty, parameter.place);
                self.write(FlatStmtKind::Declare(fresh, Some(expr)), parameter.place)?;
                self.bindings.insert(parameter.id, Binding::Local(fresh));
            }
        }
        for result in &function.results {
            if let Some((local, expr)) = self.bound(result.id) {
                let zero = FlatExpr::new(FlatExprKind::Default, expr.ty, result.place);
                self.set_local(local, zero, result.place)?;
            }
        }
        Ok(())
    }

    /// A variable that is a local one.
    pub(super) fn bound(&self, variable: NodeId) -> Option<(LocalId, FlatExpr)> {
        let Some(Binding::Local(local)) = self.bindings.get(&variable) else {
            return None;
        };
        let known = self.locals.get(local.index())?;
        Some((
            *local,
            FlatExpr::local(*local, known.ty.clone(), known.place),
        ))
    }

    /// A body that `return` leaves.
    fn leavable(
        &mut self,
        body: &BlockStatement,
        results: Vec<Arc<crate::front::solidity::ast::VariableDeclaration>>,
    ) -> Flat<()> {
        let label = self.label();
        self.returns = Some(Returns { label, results });
        let (inner, ()) = self.nested(|w| {
            w.block(body);
            Ok(())
        })?;
        self.labelled(label, inner, body.place)
    }

    /// Parameters that are known by their arguments' values: those of modifiers and base constructors.
    pub(super) fn bind(
        &mut self,
        parameters: &[Arc<crate::front::solidity::ast::VariableDeclaration>],
        arguments: &[Expression],
    ) -> Flat<()> {
        let present: Vec<&Expression> = arguments.iter().collect();
        let values = self.sequence(&present, false)?;
        for ((parameter, value), argument) in parameters.iter().zip(values).zip(arguments) {
            let value = self.coerce(value, &argument.ty, &parameter.ty, argument.place)?;
            self.declare(parameter, Some(value), argument.place)?;
        }
        Ok(())
    }
}
