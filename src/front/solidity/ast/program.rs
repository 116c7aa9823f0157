//! All trees of a compilation, and the declarations in them by their ids.

use std::collections::HashMap;
use std::sync::Arc;

use super::{ContractDefinition, Declaration, EnumDefinition, NodeId, Struct, Unit, UserValue};
use crate::front::solidity::place::Files;
use crate::front::solidity::solc::Version;

/// The trees of a compilation.
#[derive(Clone, Debug)]
pub struct SolidityProgram {
    /// The files that their places point into.
    pub files: Arc<Files>,
    /// The version of the compiler.
    pub version: Version,
    /// Which of the compiler's two ways to code was taken: they differ in the order of evaluation.
    pub via_ir: bool,
    /// The trees, in the order of their ids.
    pub units: Vec<Unit>,
    declarations: HashMap<NodeId, Declared>,
}

/// A declaration, and the contract in which it stands.
#[derive(Clone, Debug)]
struct Declared {
    declaration: Declaration,
    contract: Option<NodeId>,
}

impl SolidityProgram {
    /// Trees of one compilation.
    pub fn new(
        files: Arc<Files>,
        version: Version,
        via_ir: bool,
        mut units: Vec<Unit>,
    ) -> SolidityProgram {
        units.sort_by_key(|unit| unit.id);
        let mut declarations = HashMap::new();
        for unit in &units {
            for item in &unit.items {
                declare(&mut declarations, item, None);
            }
        }
        SolidityProgram {
            files,
            version,
            via_ir,
            units,
            declarations,
        }
    }

    /// What an id stands for.
    pub fn declaration(&self, id: NodeId) -> Option<&Declaration> {
        self.declarations.get(&id).map(|known| &known.declaration)
    }

    /// The contract in which something is declared.
    pub fn contract_of(&self, id: NodeId) -> Option<NodeId> {
        self.declarations.get(&id)?.contract
    }

    /// The contract with that id.
    pub fn contract(&self, id: NodeId) -> Option<&Arc<ContractDefinition>> {
        match self.declaration(id)? {
            Declaration::Contract(contract) => Some(contract),
            _ => None,
        }
    }

    /// The struct with that id.
    pub fn structure(&self, id: NodeId) -> Option<&Arc<Struct>> {
        match self.declaration(id)? {
            Declaration::Struct(structure) => Some(structure),
            _ => None,
        }
    }

    /// The enum with that id.
    pub fn enumeration(&self, id: NodeId) -> Option<&Arc<EnumDefinition>> {
        match self.declaration(id)? {
            Declaration::Enum(enumeration) => Some(enumeration),
            _ => None,
        }
    }

    /// The user's value type with that id.
    pub fn user_value(&self, id: NodeId) -> Option<&Arc<UserValue>> {
        match self.declaration(id)? {
            Declaration::UserValue(value) => Some(value),
            _ => None,
        }
    }

    /// All contracts, interfaces and libraries, file by file in the order of their ids.
    pub fn contracts(&self) -> impl Iterator<Item = &Arc<ContractDefinition>> {
        let items = self.units.iter().flat_map(|unit| &unit.items);
        items.filter_map(|item| match item {
            Declaration::Contract(contract) => Some(contract),
            _ => None,
        })
    }
}

fn declare(known: &mut HashMap<NodeId, Declared>, item: &Declaration, contract: Option<NodeId>) {
    if let Declaration::Contract(inner) = item {
        for item in &inner.items {
            declare(known, item, Some(inner.id));
        }
    }
    known.insert(
        item.id(),
        Declared {
            declaration: item.clone(),
            contract,
        },
    );
}
