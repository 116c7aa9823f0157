//! The constructor: what all contracts of the hierarchy do when the contract is made.
//!
//! The two ways of the compiler differ. The older one first sets all state variables that have a value, base first, then
//! goes from the most derived constructor to the bases, evaluating arguments on the way, and executes the bodies on the way
//! back. The newer one evaluates all arguments first; then each contract, base first, sets its variables and executes its
//! body.

use std::sync::Arc;

use super::assign::AssignTarget;
use super::tidy::tidy;
use super::walk::Occurrences;
use super::writer::RoutineWriter;
use super::{Flat, Flattener, Rejection};
use crate::front::solidity::ast::{
    Changes, ContractDefinition, Declaration, Expression, FunctionDefinition, Mutability, NodeId,
    VariableDeclaration,
};
use crate::front::solidity::flat::{FlatRoutine, LocalId, Lvalue, Root};

impl Flattener<'_> {
    /// The constructor's routine.
    pub(super) fn constructor(&mut self, contract: &ContractDefinition) -> Flat<FlatRoutine> {
        let own = self.hierarchy.constructor(0).filter(|(at, _)| *at == 0);
        let own = own.map(|(_, function)| function);
        let via_ir = self.via_ir();
        let mut writer = RoutineWriter::new(self, Some(contract.id));
        let parameters = writer.constructor_parameters_declared(own.as_ref())?;
        if via_ir {
            writer.bind_all_bases()?;
            writer.base_first()?;
        } else {
            let contracts = writer.f.hierarchy.linearized.clone();
            for contract in contracts.iter().rev() {
                writer.initializers(contract);
            }
            writer.outward(0)?;
        }
        if !writer.refusals.is_empty() {
            let mut refusals = writer.refusals;
            refusals.dedup();
            return Err(Rejection(refusals));
        }
        let (mut body, notes) = (writer.out, writer.notes);
        tidy(&mut body);
        let locals = writer.locals;
        self.notes.extend(notes);
        Ok(FlatRoutine {
            name: "constructor".to_owned(),
            place: own.map_or(contract.place, |function| function.place),
            mutability: Mutability::Payable,
            locals,
            parameters,
            results: Vec::new(),
            body,
        })
    }

    /// The arguments that a base's constructor gets, and the contract in which they are given.
    fn base_arguments(&self, base: NodeId) -> Option<(NodeId, Vec<Expression>)> {
        self.hierarchy.linearized.iter().find_map(|contract| {
            let listed = contract.bases.iter();
            let listed = listed.filter(|inheritance| inheritance.base == base);
            let listed = listed.filter_map(|inheritance| inheritance.arguments.clone());
            let functions = super::hierarchy::functions(contract);
            let modifiers = functions.flat_map(|function| &function.modifiers);
            let modifiers = modifiers.filter(|call| call.target == base);
            let given = modifiers.filter_map(|call| call.arguments.clone());
            let mut all = listed
                .chain(given)
                .filter(|arguments| !arguments.is_empty());
            all.next().map(|arguments| (contract.id, arguments))
        })
    }
}

impl RoutineWriter<'_, '_> {
    fn constructor_parameters_declared(
        &mut self,
        own: Option<&Arc<FunctionDefinition>>,
    ) -> Flat<Vec<LocalId>> {
        let contracts = self.f.hierarchy.linearized.clone();
        let mut declared = Vec::new();
        for contract in &contracts {
            for function in super::hierarchy::functions(contract) {
                use crate::front::solidity::ast::FunctionKind;
                if function.kind == FunctionKind::Constructor
                    && let Some(body) = &function.body
                {
                    let occurrences = Occurrences::of(body);
                    self.assigned.extend(occurrences.assigned);
                    self.in_assembly.extend(occurrences.in_assembly);
                    declared.extend(occurrences.declared);
                }
            }
        }
        let mut parameters = Vec::new();
        for parameter in own.map_or(&[][..], |own| &own.parameters) {
            let ty = super::types::in_memory(&parameter.ty);
            let ty = self.f.ty(&ty, parameter.place)?;
            let local = self.local(&parameter.name, ty, parameter.place);
            let binding = super::writer::Binding::Local(local);
            self.bindings.insert(parameter.id, binding);
            parameters.push(local);
        }
        self.hoist(&declared)?;
        Ok(parameters)
    }

    /// Sets the state variables of a contract that have a value.
    fn initializers(&mut self, contract: &Arc<ContractDefinition>) {
        let outside = self.contract.replace(contract.id);
        for item in &contract.items {
            if let Declaration::Variable(variable) = item
                && variable.changes != Changes::Constant
                && let Some(value) = &variable.value
                && let Err(stop) = self.initializer(variable, value)
            {
                self.refusals.extend(stop.0);
            }
        }
        self.contract = outside;
    }

    fn initializer(&mut self, variable: &Arc<VariableDeclaration>, value: &Expression) -> Flat<()> {
        let id = self.f.variable_ids.get(&variable.id).copied();
        let known = id.and_then(|id| self.f.variables.get(id.index()));
        let (Some(id), Some(known)) = (id, known) else {
            return Err(self.f.untaken(variable.id, variable.place));
        };
        let lvalue = Lvalue {
            root: Root::Variable(id),
            steps: Vec::new(),
            ty: known.ty.clone(),
            place: variable.place,
        };
        let given = self.expression(value)?;
        self.store(
            AssignTarget::Place(lvalue),
            given,
            &value.ty,
            &variable.ty,
            value.place,
        )
    }

    /// The older way: arguments from derived to base, then bodies from base to derived.
    fn outward(&mut self, from: usize) -> Flat<()> {
        let Some((at, function)) = self.f.hierarchy.constructor(from) else {
            return Ok(());
        };
        if at > 0 {
            self.bind_base(at, &function)?;
        }
        self.outward(at + 1)?;
        self.constructor_body(at, &function);
        Ok(())
    }

    /// The newer way, first part: all arguments from derived to base.
    fn bind_all_bases(&mut self) -> Flat<()> {
        let mut from = 1;
        while let Some((at, function)) = self.f.hierarchy.constructor(from) {
            self.bind_base(at, &function)?;
            from = at + 1;
        }
        Ok(())
    }

    /// The newer way, second part: each contract's variables, then its body, base first.
    fn base_first(&mut self) -> Flat<()> {
        let contracts = self.f.hierarchy.linearized.clone();
        for (at, contract) in contracts.iter().enumerate().rev() {
            self.initializers(contract);
            let own = self.f.hierarchy.constructor(at);
            if let Some((found, function)) = own
                && found == at
            {
                self.constructor_body(at, &function);
            }
        }
        Ok(())
    }

    fn constructor_body(&mut self, at: usize, function: &Arc<FunctionDefinition>) {
        let contract = self.f.hierarchy.linearized.get(at).map(|known| known.id);
        let outside = std::mem::replace(&mut self.contract, contract);
        if let Err(stop) = self.body(function) {
            self.refusals.extend(stop.0);
        }
        self.contract = outside;
    }

    /// Binds the parameters of a base's constructor to what it is given.
    fn bind_base(&mut self, at: usize, function: &Arc<FunctionDefinition>) -> Flat<()> {
        let base = self.f.hierarchy.linearized.get(at).map(|known| known.id);
        let given = base.and_then(|base| self.f.base_arguments(base));
        let Some((contract, arguments)) = given else {
            // An abstract contract need not give its bases what they want. Then it is unknown.
            return function
                .parameters
                .iter()
                .try_for_each(|parameter| self.unknown_parameter(parameter));
        };
        let outside = self.contract.replace(contract);
        let result = self.bind(&function.parameters, &arguments);
        self.contract = outside;
        result
    }

    fn unknown_parameter(&mut self, parameter: &Arc<VariableDeclaration>) -> Flat<()> {
        use crate::front::solidity::flat::FlatStmtKind;
        self.declare(parameter, None, parameter.place)?;
        let Some((local, _)) = self.bound(parameter.id) else {
            return Ok(());
        };
        self.note(
            parameter.place,
            format!(
                "nobody says what `{}` of this constructor is: it may be anything",
                parameter.name
            ),
        );
        self.write(FlatStmtKind::Havoc(local), parameter.place)
    }
}
