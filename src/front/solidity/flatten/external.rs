//! Calls that leave the contract, and those that come back at once: `this.f()`.

use std::sync::Arc;

use super::call::CallOptions;
use super::member::is_this;
use super::types::in_memory;
use super::writer::{RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{
    CallExpression, Declaration, Expression, ExpressionKind as E, FunctionDefinition, FunctionType,
    Location, Mutability, SolidityType as Ast, VariableDeclaration,
};
use crate::front::solidity::flat::{
    AbiEncoding, FlatExpr, FlatExprKind, FlatStmtKind, FlatType, LocalId, Outside, OutsideKind,
    RoutineId, SolidityBuiltin,
};
use crate::front::solidity::place::FileRange;
use crate::front::solidity::solc::Version;

/// The code of this contract would run, and it is not known which.
const TO_ITSELF: &str =
    "the contract sends a message to itself that is not a call of one of its functions";

/// What goes with a call, evaluated.
struct Sent {
    target: FlatExpr,
    value: Option<FlatExpr>,
    arguments: Vec<FlatExpr>,
}

impl RoutineWriter<'_, '_> {
    /// `contract.f(…)`
    pub(super) fn external_call(
        &mut self,
        e: &Expression,
        call: &CallExpression,
        callee: &Expression,
        options: &CallOptions<'_>,
        ty: &FunctionType,
    ) -> Flat<WrittenValue> {
        let E::Member {
            base,
            member,
            declaration,
        } = &callee.kind
        else {
            let what = "a call of a function that is a value is not taken";
            return Err(Rejection::at(e.place, what));
        };
        let declaration = declaration
            .and_then(|id| self.f.program.declaration(id))
            .cloned();
        let parameters: &[Arc<VariableDeclaration>] = match &declaration {
            Some(Declaration::Function(function)) => &function.parameters,
            _ => &[],
        };
        let arguments = self.in_order(call, parameters);
        let types: Vec<Option<Ast>> = if parameters.is_empty() {
            ty.parameters.clone()
        } else {
            parameters.iter().map(|p| Some(p.ty.clone())).collect()
        };
        let to = |at: usize| types.get(at).cloned().flatten().map(|ty| in_memory(&ty));
        let sent = self.sent(base, options, &arguments, to)?;
        if is_this(&sent.target) {
            let known = self.own(&declaration);
            let known = known.ok_or_else(|| Rejection::at(e.place, TO_ITSELF))?;
            return self.call_self(&known, sent, ty, e.place);
        }
        let is_static = match &declaration {
            Some(Declaration::Function(function)) => function.mutability <= Mutability::View,
            Some(Declaration::Variable(_)) => true,
            _ => false,
        };
        let signature = match &declaration {
            Some(Declaration::Function(f)) => self.f.signature_of(f.id),
            Some(Declaration::Variable(variable)) => self.f.getter_signature(variable),
            _ => None,
        };
        let contract = match &base.ty {
            Ast::Contract(id) => self.f.program.contract(*id).map(|known| known.name.clone()),
            _ => None,
        };
        let (results, values): (Vec<LocalId>, Vec<WrittenValue>) = self
            .result_locals(&ty.results, e.place)?
            .into_iter()
            .unzip();
        let kind = OutsideKind::Function {
            contract: contract.unwrap_or_default(),
            signature: signature.unwrap_or_else(|| member.clone()),
            results: results
                .iter()
                .map(|local| super::internal::local_type(self, *local))
                .collect(),
            // Before 0.5 the machine did not see to it.
            is_static: is_static && self.f.program.version >= Version::new(0, 5, 0),
        };
        self.outside(kind, sent, None, results, e.place)?;
        Ok(self.given_back(values))
    }

    /// Whom, with what, and the arguments, in the order in which they are evaluated.
    fn sent(
        &mut self,
        target: &Expression,
        options: &CallOptions<'_>,
        arguments: &[&Expression],
        to: impl Fn(usize) -> Option<Ast>,
    ) -> Flat<Sent> {
        let mut all = vec![target];
        all.extend(options.iter().map(|(_, option)| *option));
        all.extend(arguments);
        let mut values = self.sequence(&all, false)?.into_iter();
        let target_value = values.next().unwrap_or(WrittenValue::Word);
        let target = self.plain(target_value, target.place)?;
        let mut value = None;
        for (name, option) in options {
            let given = values.next().unwrap_or(WrittenValue::Word);
            let given = self.plain(given, option.place)?;
            if *name == "value" {
                value = Some(self.convert(given, &FlatType::UINT));
            } else {
                // How much gas there is, and the salt of an address, change nothing that is looked at.
                self.for_reverts(WrittenValue::Expr(given), option.place)?;
            }
        }
        let arguments = self.plain_all(values.collect(), arguments, to)?;
        Ok(Sent {
            target,
            value,
            arguments,
        })
    }

    fn outside(
        &mut self,
        kind: OutsideKind,
        sent: Sent,
        success: Option<LocalId>,
        results: Vec<LocalId>,
        place: FileRange,
    ) -> Flat<()> {
        let outside = Outside {
            kind,
            target: Some(sent.target),
            value: sent.value,
            arguments: sent.arguments,
            success,
            results,
        };
        self.write(FlatStmtKind::Outside(outside), place)
    }

    /// The function of this contract that a message to itself reaches.
    fn own(&self, declaration: &Option<Declaration>) -> Option<Declaration> {
        match declaration {
            Some(Declaration::Function(function)) => {
                let dispatched = self.f.hierarchy.dispatch(self.f.program, function);
                let getter = || self.f.getter_for(function).map(Declaration::Variable);
                match dispatched.body {
                    Some(_) if self.is_ours(&dispatched) => Some(Declaration::Function(dispatched)),
                    _ => getter().or_else(|| self.by_signature(function)),
                }
            }
            Some(Declaration::Variable(variable)) => {
                Some(Declaration::Variable(Arc::clone(variable)))
            }
            _ => None,
        }
    }

    fn is_ours(&self, function: &FunctionDefinition) -> bool {
        let contract = self.f.program.contract_of(function.id);
        contract.is_some_and(|contract| self.f.hierarchy.position(contract).is_some())
    }

    /// A function of an interface that the contract does not name among its bases, but has.
    fn by_signature(&self, function: &FunctionDefinition) -> Option<Declaration> {
        let wanted = self.f.signature_of(function.id)?;
        let contracts = self.f.hierarchy.linearized.iter();
        let mut functions = contracts.flat_map(|contract| super::hierarchy::functions(contract));
        let found = functions.find(|f| {
            f.body.is_some()
                && f.name == function.name
                && self.f.signature_of(f.id).as_deref() == Some(&wanted)
        })?;
        Some(Declaration::Function(Arc::clone(found)))
    }

    /// `this.f(…)`
    fn call_self(
        &mut self,
        known: &Declaration,
        sent: Sent,
        ty: &FunctionType,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        let (routine, payable) = self.own_routine(known, place)?;
        let (results, values): (Vec<LocalId>, Vec<WrittenValue>) =
            self.result_locals(&ty.results, place)?.into_iter().unzip();
        let kind = FlatStmtKind::CallSelf {
            routine,
            payable,
            arguments: sent.arguments,
            value: sent.value,
            results,
        };
        self.write(kind, place)?;
        Ok(self.given_back(values))
    }

    fn own_routine(&mut self, known: &Declaration, place: FileRange) -> Flat<(RoutineId, bool)> {
        use super::instance::{Made, Static};
        match known {
            Declaration::Function(function) => {
                let statics = vec![Static::Nothing; function.parameters.len()];
                let payable = function.mutability == Mutability::Payable;
                match self.f.instance(function, statics, place)? {
                    Made::Routine(routine, _) | Made::Opaque(_, routine) => Ok((routine, payable)),
                }
            }
            Declaration::Variable(variable) => {
                self.f.getter(variable).map(|routine| (routine, false))
            }
            _ => Err(Rejection::at(
                place,
                "what is called here is not understood",
            )),
        }
    }

    /// `.call`, `.staticcall`, `.send`, `.transfer`
    pub(super) fn low_level(
        &mut self,
        e: &Expression,
        call: &CallExpression,
        callee: &Expression,
        options: &CallOptions<'_>,
        kind: &str,
    ) -> Flat<WrittenValue> {
        let E::Member { base, .. } = &callee.kind else {
            let what = "a call of a function that is a value is not taken";
            return Err(Rejection::at(e.place, what));
        };
        if kind == "baredelegatecall" || kind == "barecallcode" {
            let what = "`delegatecall` runs code on this contract's storage that is not known here";
            return Err(Rejection::at(e.place, what));
        }
        let arguments: Vec<&Expression> = call.arguments.iter().collect();
        let takes_bytes =
            self.f.program.version >= Version::new(0, 5, 0) && !matches!(kind, "send" | "transfer");
        let to = |_| takes_bytes.then_some(Ast::Bytes(Location::Memory));
        let mut sent = self.sent(base, options, &arguments, to)?;
        if is_this(&sent.target) {
            return Err(Rejection::at(e.place, TO_ITSELF));
        }
        sent.target = self.convert(sent.target, &FlatType::Address);
        if kind == "send" || kind == "transfer" {
            return self.ether(sent, kind, e.place);
        }
        self.encode_old(&mut sent, e.place);
        let success = self.temporary(FlatType::Bool, e.place);
        let data = self.temporary(FlatType::Bytes, e.place);
        let kind = if kind == "barestaticcall" {
            OutsideKind::StaticCall
        } else {
            OutsideKind::Call
        };
        self.outside(kind, sent, Some(success), vec![data], e.place)?;
        let success = WrittenValue::Expr(FlatExpr::local(success, FlatType::Bool, e.place));
        if self.f.program.version < Version::new(0, 5, 0) {
            return Ok(success);
        }
        let data = WrittenValue::Expr(FlatExpr::local(data, FlatType::Bytes, e.place));
        Ok(WrittenValue::Tuple(vec![Some(success), Some(data)]))
    }

    /// Before 0.5 any number of arguments was written one behind the other.
    fn encode_old(&self, sent: &mut Sent, place: FileRange) {
        let [
            FlatExpr {
                ty: FlatType::Bytes,
                ..
            },
        ] = sent.arguments.as_slice()
        else {
            let arguments = std::mem::take(&mut sent.arguments);
            let kind =
                FlatExprKind::Builtin(SolidityBuiltin::Encode(AbiEncoding::Packed), arguments);
            sent.arguments = vec![FlatExpr::new(kind, FlatType::Bytes, place)];
            return;
        };
    }

    /// `.send(v)`, `.transfer(v)`
    fn ether(&mut self, mut sent: Sent, kind: &str, place: FileRange) -> Flat<WrittenValue> {
        let value = sent.arguments.pop();
        sent.value = value.map(|value| self.convert(value, &FlatType::UINT));
        if kind == "transfer" {
            self.outside(OutsideKind::Transfer, sent, None, Vec::new(), place)?;
            return Ok(WrittenValue::Tuple(Vec::new()));
        }
        let success = self.temporary(FlatType::Bool, place);
        self.outside(OutsideKind::Send, sent, Some(success), Vec::new(), place)?;
        Ok(WrittenValue::Expr(FlatExpr::local(
            success,
            FlatType::Bool,
            place,
        )))
    }

    /// `new C(…)`
    pub(super) fn create(
        &mut self,
        e: &Expression,
        call: &CallExpression,
        callee: &Expression,
        options: &CallOptions<'_>,
    ) -> Flat<WrittenValue> {
        let Ast::Contract(id) = &e.ty else {
            return Err(Rejection::at(
                callee.place,
                "what is made here is not understood",
            ));
        };
        let constructor = self.constructor_parameters(*id);
        let arguments = self.in_order(call, &constructor);
        let mut all: Vec<&Expression> = options.iter().map(|(_, option)| *option).collect();
        all.extend(&arguments);
        let mut values = self.sequence(&all, false)?.into_iter();
        let mut value = None;
        for (name, option) in options {
            let given = values.next().unwrap_or(WrittenValue::Word);
            let given = self.plain(given, option.place)?;
            if *name == "value" {
                value = Some(self.convert(given, &FlatType::UINT));
            }
        }
        let arguments = self.plain_all(values.collect(), &arguments, |at| {
            constructor
                .get(at)
                .map(|parameter| in_memory(&parameter.ty))
        })?;
        let ty = self.f.ty(&e.ty, e.place)?;
        let made = self.temporary(ty.clone(), e.place);
        let contract = match &ty {
            FlatType::Contract(name) => name.to_string(),
            _ => String::new(),
        };
        let outside = Outside {
            kind: OutsideKind::Create { contract },
            target: None,
            value,
            arguments,
            success: None,
            results: vec![made],
        };
        self.write(FlatStmtKind::Outside(outside), e.place)?;
        Ok(WrittenValue::Expr(FlatExpr::local(made, ty, e.place)))
    }

    fn constructor_parameters(
        &self,
        contract: crate::front::solidity::ast::NodeId,
    ) -> Vec<Arc<VariableDeclaration>> {
        use crate::front::solidity::ast::FunctionKind;
        let contract = self.f.program.contract(contract);
        let mut functions = contract
            .into_iter()
            .flat_map(|contract| super::hierarchy::functions(contract));
        let constructor = functions.find(|f| f.kind == FunctionKind::Constructor);
        constructor.map_or_else(Vec::new, |f| f.parameters.clone())
    }

    /// Whether an expression's type lives in the data of the call.
    pub(super) fn in_calldata(e: &Expression) -> bool {
        e.ty.location() == Some(Location::Calldata)
    }
}
