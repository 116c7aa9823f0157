//! A contract and its bases: which function a name means.

use std::collections::HashSet;
use std::sync::Arc;

use super::types::same_parameters;
use crate::front::solidity::ast::{
    ContractDefinition, Declaration, FunctionDefinition, FunctionKind, Modifier, NodeId,
    SolidityProgram, VariableDeclaration, Visibility,
};

/// How many bases are looked at. Nobody has so many.
const MAX_BASES: usize = 500;

/// The contract that is flattened, with all its bases.
pub(super) struct Hierarchy {
    /// Itself and its bases, most derived first.
    pub linearized: Vec<Arc<ContractDefinition>>,
}

impl Hierarchy {
    pub(super) fn of(program: &SolidityProgram, contract: &ContractDefinition) -> Hierarchy {
        let mut seen = HashSet::new();
        let ids = contract.linearized.iter().filter(|id| seen.insert(**id));
        Hierarchy {
            linearized: ids
                .filter_map(|id| program.contract(*id).cloned())
                .take(MAX_BASES)
                .collect(),
        }
    }

    /// Where a contract stands in the linearisation.
    pub(super) fn position(&self, contract: NodeId) -> Option<usize> {
        self.linearized
            .iter()
            .position(|known| known.id == contract)
    }

    /// The function that a call to `function` by its plain name reaches.
    pub(super) fn dispatch(
        &self,
        program: &SolidityProgram,
        function: &Arc<FunctionDefinition>,
    ) -> Arc<FunctionDefinition> {
        let ours = program
            .contract_of(function.id)
            .and_then(|contract| self.position(contract));
        if ours.is_none() || function.visibility == Visibility::Private {
            return Arc::clone(function);
        }
        self.implementation(function, 0)
            .unwrap_or_else(|| Arc::clone(function))
    }

    /// The function that `super.f` reaches from a contract.
    pub(super) fn behind(
        &self,
        contract: NodeId,
        function: &FunctionDefinition,
    ) -> Option<Arc<FunctionDefinition>> {
        self.implementation(function, self.position(contract)? + 1)
    }

    /// The first contract's, from a position on, that has the same name and parameters and a body.
    fn implementation(
        &self,
        function: &FunctionDefinition,
        from: usize,
    ) -> Option<Arc<FunctionDefinition>> {
        let contracts = self.linearized.iter().skip(from);
        let mut functions = contracts.flat_map(|contract| functions(contract));
        functions
            .find(|other| {
                other.name == function.name
                    && other.kind == function.kind
                    && other.body.is_some()
                    && (other.visibility != Visibility::Private || other.id == function.id)
                    && same_parameters(&other.parameters, &function.parameters)
            })
            .cloned()
    }

    /// The modifier that a use of `modifier` by its plain name means.
    pub(super) fn modifier(
        &self,
        program: &SolidityProgram,
        modifier: &Arc<Modifier>,
    ) -> Arc<Modifier> {
        let ours = program
            .contract_of(modifier.id)
            .and_then(|contract| self.position(contract));
        if ours.is_none() {
            return Arc::clone(modifier);
        }
        let mut items = self.linearized.iter().flat_map(|contract| &contract.items);
        items
            .find_map(|item| match item {
                Declaration::Modifier(other)
                    if other.name == modifier.name && other.body.is_some() =>
                {
                    Some(Arc::clone(other))
                }
                _ => None,
            })
            .unwrap_or_else(|| Arc::clone(modifier))
    }

    /// The next constructor, from a position on.
    pub(super) fn constructor(&self, from: usize) -> Option<(usize, Arc<FunctionDefinition>)> {
        let contracts = self.linearized.iter().enumerate().skip(from);
        contracts
            .filter_map(|(at, contract)| {
                let mut functions = functions(contract);
                let found = functions.find(|f| f.kind == FunctionKind::Constructor)?;
                Some((at, Arc::clone(found)))
            })
            .next()
    }

    /// State variables and constants of all contracts, base first.
    pub(super) fn variables(
        &self,
    ) -> impl Iterator<Item = (&Arc<ContractDefinition>, &Arc<VariableDeclaration>)> {
        let contracts = self.linearized.iter().rev();
        contracts.flat_map(|contract| {
            contract.items.iter().filter_map(move |item| match item {
                Declaration::Variable(variable) => Some((contract, variable)),
                _ => None,
            })
        })
    }
}

/// The functions of a contract.
pub(super) fn functions(
    contract: &ContractDefinition,
) -> impl Iterator<Item = &Arc<FunctionDefinition>> {
    contract.items.iter().filter_map(|item| match item {
        Declaration::Function(function) => Some(function),
        _ => None,
    })
}
