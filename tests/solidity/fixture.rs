//! Contracts with what the compiler made of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tranquera::front::solidity::ast::{self, ContractKind};
use tranquera::front::solidity::{self, FlattenOptions, LoadedContracts, SolidityOptions, flat};

/// A file with its trees.
pub struct Fixture {
    pub name: String,
    pub loaded: LoadedContracts,
}

/// `fixtures/solidity`, from any package of this project.
pub fn folder() -> PathBuf {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut folders = folders.map(|folder| folder.join("fixtures/solidity"));
    folders
        .find(|folder| folder.is_dir())
        .expect("the fixtures")
}

/// All recorded files, below `fixtures/solidity`.
pub fn recorded() -> Vec<PathBuf> {
    let mut found = with_extension(&folder(), "json");
    found.sort();
    assert!(!found.is_empty());
    found
}

pub fn with_extension(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(with_extension(&path, extension));
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    found
}

impl Fixture {
    pub fn read(path: &Path) -> Fixture {
        let loaded = solidity::load(path, &SolidityOptions::default())
            .unwrap_or_else(|complaints| panic!("{}: {complaints}", path.display()));
        let name = path
            .strip_prefix(folder())
            .unwrap_or(path)
            .with_extension("");
        Fixture {
            name: name.display().to_string(),
            loaded,
        }
    }

    /// The contracts that can be made.
    pub fn contracts(&self) -> Vec<Arc<ast::ContractDefinition>> {
        let contracts = self.loaded.program.contracts();
        let concrete = contracts.filter(|c| c.kind == ContractKind::Contract && !c.is_abstract);
        concrete.cloned().collect()
    }

    pub fn flat(&self, contract: &ast::ContractDefinition) -> flat::Contract {
        let options = FlattenOptions::default();
        solidity::flatten(&self.loaded.program, contract, &options).expect("memory")
    }
}
