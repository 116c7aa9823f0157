//! Routines of functions: one for each form of the static arguments with which a function is called.

use std::sync::Arc;

use super::place::{ConstantKey, Form, constant, retold, told};
use super::types::in_memory;
use super::walk::Occurrences;
use super::writer::{RoutineWriter, WrittenValue};
use super::{Flat, Flattener, MAX_CALLS, Rejection};
use crate::front::solidity::ast::{
    ContractKind, FunctionDefinition, Mutability, NodeId, VariableDeclaration,
};
use crate::front::solidity::flat::{
    FlatExpr, FlatRoutine, FlatStmt, FlatStmtKind, FlatType, LocalId, Lvalue, NotTaken, Opaque,
    OpaqueId, RoutineId,
};
use crate::front::solidity::place::FileRange;
use crate::front::solidity::solc::Version;

/// What of an argument is decided when the code is made.
#[derive(Clone, Debug)]
pub(super) enum Static {
    /// Nothing: it is a value.
    Nothing,
    /// To which place, up to its keys, a storage reference refers.
    Place(Lvalue),
    /// Which function it is.
    Function(Arc<FunctionDefinition>),
    /// Which constant it is, where assembly may take that for a place in storage.
    Constant(FlatExpr),
}

/// What tells routines of a function apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct InstanceKey {
    function: NodeId,
    statics: Vec<Option<KeyPart>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum KeyPart {
    Place(Form),
    Function(NodeId),
    Constant(ConstantKey),
}

/// What has become of a function.
#[derive(Clone, Debug)]
pub(super) enum Instance {
    /// It is being written.
    Open(RoutineId),
    /// It is there.
    Made(Made),
    /// It is not taken.
    Refused(Vec<NotTaken>),
}

/// What a call becomes.
#[derive(Clone, Debug)]
pub(super) enum Made {
    /// A call of a routine, which gives these back.
    Routine(RoutineId, Vec<InstanceResult>),
    /// A call of a function of which only the signature is known. There is a routine, too, which calls it.
    Opaque(OpaqueId, RoutineId),
}

/// A result of a routine.
#[derive(Clone, Debug)]
pub(super) enum InstanceResult {
    /// A value.
    Value(FlatType),
    /// A place of this form; the routine gives back its keys.
    Place(Lvalue),
}

impl InstanceResult {
    /// The result in the routine that calls, with variables for what is given back.
    pub(super) fn in_caller(
        &self,
        writer: &mut RoutineWriter<'_, '_>,
        place: FileRange,
        locals: &mut Vec<LocalId>,
    ) -> WrittenValue {
        let mut given = |ty: &FlatType| {
            let local = writer.temporary(ty.clone(), place);
            locals.push(local);
            FlatExpr::local(local, ty.clone(), place)
        };
        match self {
            InstanceResult::Value(ty) => WrittenValue::Expr(given(ty)),
            InstanceResult::Place(lvalue) => {
                let keys: Vec<FlatExpr> = told(lvalue).map(|key| given(&key.ty)).collect();
                let mut lvalue = retold(lvalue, keys);
                lvalue.place = place;
                WrittenValue::Place(lvalue)
            }
        }
    }
}

impl Flattener<'_> {
    /// What a call of a function with these static arguments becomes.
    pub(super) fn instance(
        &mut self,
        function: &Arc<FunctionDefinition>,
        statics: Vec<Static>,
        place: FileRange,
    ) -> Flat<Made> {
        let parts = statics.iter().map(|known| match known {
            Static::Nothing => None,
            Static::Place(lvalue) => Form::of(lvalue).map(KeyPart::Place),
            Static::Function(function) => Some(KeyPart::Function(function.id)),
            Static::Constant(expr) => constant(expr).map(KeyPart::Constant),
        });
        let key = InstanceKey {
            function: function.id,
            statics: parts.collect(),
        };
        match self.instances.get(&key) {
            Some(Instance::Made(made)) => return Ok(made.clone()),
            Some(Instance::Refused(refusals)) => return Err(Rejection(refusals.clone())),
            Some(Instance::Open(routine)) => return self.recursive(*routine, function, place),
            None => {}
        }
        if self.calls >= MAX_CALLS {
            return Err(Rejection::at(
                place,
                "functions call each other too deeply here",
            ));
        }
        self.calls += 1;
        let made = self.make(&key, function, statics);
        self.calls -= 1;
        let instance = match &made {
            Ok(made) => Instance::Made(made.clone()),
            Err(stop) => Instance::Refused(stop.0.clone()),
        };
        self.instances.insert(key, instance);
        made
    }

    /// A call of a function that is being written.
    fn recursive(
        &mut self,
        routine: RoutineId,
        function: &Arc<FunctionDefinition>,
        place: FileRange,
    ) -> Flat<Made> {
        let mut results = Vec::new();
        for result in &function.results {
            if result.ty.in_storage() {
                let what =
                    "a function that calls itself and gives back a storage reference is not taken";
                return Err(Rejection::at(place, what));
            }
            let ty = self.ty(&in_memory(&result.ty), result.place)?;
            results.push(InstanceResult::Value(ty));
        }
        Ok(Made::Routine(routine, results))
    }

    fn make(
        &mut self,
        key: &InstanceKey,
        function: &Arc<FunctionDefinition>,
        statics: Vec<Static>,
    ) -> Flat<Made> {
        let id = RoutineId::of(self.routines.len());
        self.routines.push(None);
        self.instances.insert(key.clone(), Instance::Open(id));
        match self.write_function(function, statics) {
            Ok((routine, results)) => {
                let names = self.routine_names(function);
                self.plans.insert(id, names);
                if let Some(slot) = self.routines.get_mut(id.index()) {
                    *slot = Some(routine);
                }
                Ok(Made::Routine(id, results))
            }
            Err(stop) => match self.opaque(function, stop) {
                Ok(opaque) => {
                    self.fill_opaque(id, function, opaque)?;
                    Ok(Made::Opaque(opaque, id))
                }
                Err(stop) => {
                    self.dead.insert(id, stop.0.clone());
                    Err(stop)
                }
            },
        }
    }

    /// Writes the routine of a function.
    fn write_function(
        &mut self,
        function: &Arc<FunctionDefinition>,
        statics: Vec<Static>,
    ) -> Flat<(FlatRoutine, Vec<InstanceResult>)> {
        let contract = self.program.contract_of(function.id);
        let mut writer = RoutineWriter::new(self, contract);
        let occurrences = function.body.as_ref().map(Occurrences::of);
        let occurrences = occurrences.unwrap_or_default();
        writer.assigned = occurrences.assigned;
        writer.in_assembly = occurrences.in_assembly;
        let mut parameters = Vec::new();
        for (parameter, known) in function.parameters.iter().zip(statics) {
            writer.parameter(parameter, known, &mut parameters)?;
        }
        for result in &function.results {
            writer.declare_result(result)?;
        }
        writer.hoist(&occurrences.declared)?;
        writer.body(function)?;
        let (results, given) = writer.results(&function.results)?;
        writer.finish(function, parameters, results, given)
    }

    /// A function that is not taken, but changes nothing: only its signature is known then.
    fn opaque(&mut self, function: &Arc<FunctionDefinition>, stop: Rejection) -> Flat<OpaqueId> {
        // Before 0.5 nobody checked that a function that says so changes nothing.
        let promised = function.mutability <= Mutability::View
            && self.program.version >= Version::new(0, 5, 0);
        let variables = || function.parameters.iter().chain(&function.results);
        let is_plain = |variable: &Arc<VariableDeclaration>| {
            !matches!(
                variable.ty,
                crate::front::solidity::ast::SolidityType::Function(_)
            )
        };
        let gives_places = function.results.iter().any(|result| result.ty.in_storage());
        if !promised || gives_places || !variables().all(is_plain) || stop.0.is_empty() {
            return Err(stop);
        }
        let mut parameters = Vec::new();
        let mut in_place = false;
        for parameter in &function.parameters {
            if parameter.ty.in_storage() {
                in_place = true;
            } else {
                parameters.push(self.ty(&in_memory(&parameter.ty), parameter.place)?);
            }
        }
        let mut results = Vec::new();
        for result in &function.results {
            results.push(self.ty(&in_memory(&result.ty), result.place)?);
        }
        let name = self.routine_names(function).swap_remove(0);
        let is_pure = function.mutability == Mutability::Pure && !in_place;
        self.opaque.push(Opaque {
            name,
            place: function.place,
            is_pure,
            parameters,
            results,
            because: stop.0,
        });
        Ok(OpaqueId::of(self.opaque.len() - 1))
    }

    /// Calls that were written while the function was being written go to a routine; it calls the opaque function.
    fn fill_opaque(
        &mut self,
        id: RoutineId,
        function: &Arc<FunctionDefinition>,
        opaque: OpaqueId,
    ) -> Flat<()> {
        let Some(known) = self.opaque.get(opaque.index()).cloned() else {
            return Ok(());
        };
        let mut writer = RoutineWriter::new(self, None);
        let place = function.place;
        let mut local = |ty: &FlatType| (writer.local("_", ty.clone(), place), ty.clone());
        let parameters: Vec<(LocalId, FlatType)> =
            known.parameters.iter().map(&mut local).collect();
        let results: Vec<(LocalId, FlatType)> = known.results.iter().map(&mut local).collect();
        let ids = |list: &[(LocalId, FlatType)]| list.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        let arguments = parameters.iter();
        let arguments = arguments.map(|(id, ty)| FlatExpr::local(*id, ty.clone(), place));
        let kind = FlatStmtKind::Opaque {
            function: opaque,
            arguments: arguments.collect(),
            results: ids(&results),
        };
        let locals = writer.locals;
        self.plans.insert(id, vec![known.name]);
        let routine = FlatRoutine {
            name: String::new(),
            place,
            mutability: function.mutability,
            parameters: ids(&parameters),
            results: ids(&results),
            locals,
            body: vec![FlatStmt::new(kind, place)],
        };
        if let Some(slot) = self.routines.get_mut(id.index()) {
            *slot = Some(routine);
        }
        Ok(())
    }

    /// `transfer`; `ERC20.transfer` where a more derived contract has one too, and of a library. There is at least one.
    fn routine_names(&self, function: &Arc<FunctionDefinition>) -> Vec<String> {
        use crate::front::solidity::ast::FunctionKind as K;
        let plain = match function.kind {
            K::Function => function.name.as_str(),
            K::Constructor => "constructor",
            K::Receive => "receive",
            K::Fallback => "fallback",
        };
        let types = function.parameters.iter().map(|parameter| &parameter.ty);
        let full = super::types::signature(self.program, plain, types);
        let full = full.unwrap_or_else(|| plain.to_owned());
        let Some(contract) = self.contract_of(function.id) else {
            return vec![plain.to_owned(), full];
        };
        let name = &contract.name;
        let mut names = vec![format!("{name}.{plain}"), format!("{name}.{full}")];
        if contract.kind != ContractKind::Library {
            names.insert(0, plain.to_owned());
        }
        names
    }
}
