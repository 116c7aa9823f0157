//! What can be called from outside, and the contract that comes of it.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::instance::{Made, Static};
use super::reached::{compact, name_routines, note_opaque, unreached};
use super::types::signature;
use super::{Flat, FlattenOptions, Flattener, Rejection};
use crate::front::solidity::ast::{
    self, Changes, Declaration, FunctionDefinition, FunctionKind, Mutability, NodeId,
    VariableDeclaration, Visibility,
};
use crate::front::solidity::flat::{
    Contract, EntryKind, EntryPoint, FlatRoutine, Lifetime, NotTaken, Refused, RoutineId,
    VariableId,
};
use crate::front::solidity::place::FileRange;

/// What can be called, while it is not certain that it is taken.
pub(super) struct EntryParts {
    constructor: Flat<FlatRoutine>,
    entries: Vec<(Draft, Flat<RoutineId>)>,
}

/// An entry without its routine.
struct Draft {
    name: String,
    kind: EntryKind,
    mutability: Mutability,
    signature: String,
    place: FileRange,
}

/// What an entry is made of.
enum EntrySource {
    Function(Arc<FunctionDefinition>),
    Getter(Arc<VariableDeclaration>),
}

impl Flattener<'_> {
    /// Flattens all that can be called.
    pub(super) fn parts(&mut self, options: &FlattenOptions) -> EntryParts {
        self.declare_variables();
        let constructor = match self.hierarchy.linearized.first().cloned() {
            Some(contract) => self.constructor(&contract),
            None => Err(Rejection::default()),
        };
        let mut sources = self.sources();
        self.name_apart(&mut sources);
        let mut entries = Vec::new();
        for (draft, source) in sources {
            if options.without.contains(&draft.name) {
                continue;
            }
            let routine = match source {
                EntrySource::Function(function) => self.entry_routine(&function),
                EntrySource::Getter(variable) => self.getter(&variable),
            };
            entries.push((draft, routine));
        }
        EntryParts {
            constructor,
            entries,
        }
    }

    fn declare_variables(&mut self) {
        let declared: Vec<(String, Arc<VariableDeclaration>)> = self
            .hierarchy
            .variables()
            .filter(|(_, variable)| variable.changes != Changes::Constant)
            .map(|(contract, variable)| (contract.name.clone(), Arc::clone(variable)))
            .collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, variable) in &declared {
            *counts.entry(&variable.name).or_default() += 1;
        }
        let counts: BTreeMap<String, usize> = counts
            .into_iter()
            .map(|(name, count)| (name.to_owned(), count))
            .collect();
        for (contract, variable) in declared {
            let name = match counts.get(&variable.name) {
                Some(1) => variable.name.clone(),
                _ => format!("{contract}.{}", variable.name),
            };
            self.declare_variable(name, &variable);
        }
    }

    fn declare_variable(&mut self, name: String, variable: &Arc<VariableDeclaration>) {
        let ty = match self.ty(&variable.ty, variable.place) {
            Ok(ty) => ty,
            Err(stop) => {
                self.untaken.insert(variable.id, stop.0);
                return;
            }
        };
        let lifetime = match variable.changes {
            Changes::Immutable => Lifetime::Immutable,
            Changes::Transient => Lifetime::Transient,
            Changes::Mutable | Changes::Constant => Lifetime::Storage,
        };
        let id = VariableId::of(self.variables.len());
        self.variables
            .push(crate::front::solidity::flat::StateVariable {
                name,
                place: variable.place,
                ty,
                lifetime,
                slot: None,
            });
        self.variable_ids.insert(variable.id, id);
    }

    /// Why a variable is not there.
    pub(super) fn untaken(&self, variable: NodeId, place: FileRange) -> Rejection {
        match self.untaken.get(&variable) {
            Some(refusals) => Rejection(refusals.clone()),
            None => Rejection::at(place, "a variable is missing in the trees"),
        }
    }

    /// What can be called: of each signature the most derived one.
    fn sources(&self) -> Vec<(Draft, EntrySource)> {
        let mut sources = Vec::new();
        let mut seen = HashSet::new();
        for contract in &self.hierarchy.linearized {
            for item in &contract.items {
                let found = match item {
                    Declaration::Function(function) => self.callable(function),
                    Declaration::Variable(variable)
                        if variable.visibility == Visibility::Public =>
                    {
                        self.gettable(variable)
                    }
                    _ => None,
                };
                if let Some((draft, source)) = found
                    && seen.insert(draft.signature.clone())
                {
                    sources.push((draft, source));
                }
            }
        }
        sources
    }

    fn callable(&self, function: &Arc<FunctionDefinition>) -> Option<(Draft, EntrySource)> {
        let outside = matches!(
            function.visibility,
            Visibility::External | Visibility::Public
        );
        let (kind, name) = match function.kind {
            FunctionKind::Function => (EntryKind::Function, function.name.as_str()),
            FunctionKind::Receive => (EntryKind::Receive, "receive"),
            FunctionKind::Fallback => (EntryKind::Fallback, "fallback"),
            FunctionKind::Constructor => return None,
        };
        if !outside || function.body.is_none() {
            return None;
        }
        let types = function.parameters.iter().map(|parameter| &parameter.ty);
        let signature = match kind {
            EntryKind::Function => signature(self.program, name, types)?,
            _ => format!("{name}()()"),
        };
        let draft = Draft {
            name: name.to_owned(),
            kind,
            mutability: function.mutability,
            signature,
            place: function.place,
        };
        Some((draft, EntrySource::Function(Arc::clone(function))))
    }

    fn gettable(&self, variable: &Arc<VariableDeclaration>) -> Option<(Draft, EntrySource)> {
        let draft = Draft {
            name: variable.name.clone(),
            kind: EntryKind::Getter,
            mutability: Mutability::View,
            signature: self.getter_signature(variable)?,
            place: variable.place,
        };
        Some((draft, EntrySource::Getter(Arc::clone(variable))))
    }

    /// Those with the same name are told apart by the types of their parameters.
    fn name_apart(&self, sources: &mut [(Draft, EntrySource)]) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (draft, _) in sources.iter() {
            *counts.entry(draft.name.clone()).or_default() += 1;
        }
        for (draft, _) in sources {
            if counts.get(&draft.name).is_some_and(|count| *count > 1) {
                draft.name = draft.signature.clone();
            }
        }
    }

    fn entry_routine(&mut self, function: &Arc<FunctionDefinition>) -> Flat<RoutineId> {
        let statics = vec![Static::Nothing; function.parameters.len()];
        match self.instance(function, statics, function.place)? {
            Made::Routine(routine, _) | Made::Opaque(_, routine) => Ok(routine),
        }
    }

    /// The contract, with the routines that are reached and no others.
    pub(super) fn finish(self, contract: &ast::ContractDefinition, parts: EntryParts) -> Contract {
        let dead = &self.dead;
        let mut routines = self.routines;
        let mut refused = Vec::new();
        let mut entries = Vec::new();
        let constructor_id = RoutineId::of(routines.len());
        let (constructor_routine, constructor_place) = match parts.constructor {
            Ok(routine) => (Some(routine), contract.place),
            Err(stop) => {
                refused.push(Refused {
                    name: "constructor".to_owned(),
                    kind: EntryKind::Constructor,
                    mutability: Mutability::Payable,
                    place: contract.place,
                    because: stop.0,
                });
                (None, contract.place)
            }
        };
        routines.push(constructor_routine);
        for (draft, routine) in parts.entries {
            let routine = routine.and_then(|id| unreached(&routines, dead, id).map(|()| id));
            match routine {
                Ok(routine) => entries.push(draft.entry(routine)),
                Err(stop) => refused.push(draft.refused(stop.0)),
            }
        }
        if let Err(stop) = unreached(&routines, dead, constructor_id)
            && !refused
                .iter()
                .any(|known| known.kind == EntryKind::Constructor)
        {
            refused.push(Refused {
                name: "constructor".to_owned(),
                kind: EntryKind::Constructor,
                mutability: Mutability::Payable,
                place: constructor_place,
                because: stop.0,
            });
        }
        let constructor = EntryPoint {
            name: "constructor".to_owned(),
            kind: EntryKind::Constructor,
            mutability: constructor_mutability(&self.hierarchy),
            signature: constructor_signature(self.program, &self.hierarchy),
            routine: constructor_id,
            place: constructor_place,
        };
        let (structs, enums, aliases) = self.types.finish();
        let mut flat = Contract {
            name: contract.name.clone(),
            place: contract.place,
            files: Arc::clone(&self.program.files),
            version: self.program.version,
            structs,
            enums,
            aliases,
            variables: self.variables,
            constants: self.constants,
            opaque: self.opaque,
            routines: Vec::new(),
            constructor,
            entries,
            refused,
            notes: self.notes,
        };
        name_routines(&flat, &mut routines, &self.plans);
        compact(&mut flat, routines);
        note_opaque(&mut flat);
        flat
    }
}

impl Draft {
    fn entry(self, routine: RoutineId) -> EntryPoint {
        EntryPoint {
            name: self.name,
            kind: self.kind,
            mutability: self.mutability,
            signature: self.signature.trim_end_matches("()()").to_owned(),
            routine,
            place: self.place,
        }
    }

    fn refused(self, because: Vec<NotTaken>) -> Refused {
        Refused {
            name: self.name,
            kind: self.kind,
            mutability: self.mutability,
            place: self.place,
            because,
        }
    }
}

fn constructor_mutability(hierarchy: &super::hierarchy::Hierarchy) -> Mutability {
    let own = hierarchy.constructor(0).filter(|(at, _)| *at == 0);
    own.map_or(Mutability::Nonpayable, |(_, function)| function.mutability)
}

fn constructor_signature(
    program: &ast::SolidityProgram,
    hierarchy: &super::hierarchy::Hierarchy,
) -> String {
    let own = hierarchy.constructor(0).filter(|(at, _)| *at == 0);
    let parameters = own.map_or_else(Vec::new, |(_, function)| function.parameters.clone());
    let types = parameters.iter().map(|parameter| &parameter.ty);
    signature(program, "constructor", types).unwrap_or_else(|| "constructor()".to_owned())
}
