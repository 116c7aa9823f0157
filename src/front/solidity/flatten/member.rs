//! Names, and what is behind a point.

use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::One;

use super::types::signature;
use super::writer::{Binding, RoutineWriter, WrittenValue};
use super::{Flat, Flattener, Rejection};
use crate::front::solidity::ast::{
    Changes, Declaration, Expression, ExpressionKind as E, FunctionDefinition, Int, Magic, NodeId,
    SolidityType as Ast, VariableDeclaration,
};
use crate::front::solidity::flat::{
    AccessStep, ChainValue, Constant, ConstantId, FlatExpr, FlatExprKind, FlatLiteral, FlatType,
    Lvalue, Root, SolidityBuiltin,
};
use crate::front::solidity::place::FileRange;

impl RoutineWriter<'_, '_> {
    /// A function, by its id.
    pub(super) fn function(&self, id: NodeId) -> Option<Arc<FunctionDefinition>> {
        match self.f.program.declaration(id)? {
            Declaration::Function(function) => Some(Arc::clone(function)),
            _ => None,
        }
    }

    pub(super) fn name(
        &mut self,
        e: &Expression,
        name: &str,
        declaration: Option<NodeId>,
    ) -> Flat<WrittenValue> {
        if let Some(binding) = declaration.and_then(|id| self.bindings.get(&id)) {
            return match binding.clone() {
                Binding::Local(local) => {
                    let ty = self.locals.get(local.index()).map(|local| local.ty.clone());
                    let ty = ty.ok_or_else(Rejection::default)?;
                    Ok(WrittenValue::Expr(FlatExpr::local(local, ty, e.place)))
                }
                Binding::Pointer(number) => self.pointed(number, e.place).map(WrittenValue::Place),
                Binding::Function(function) => Ok(WrittenValue::Function(function)),
                Binding::Constant(expr) => Ok(WrittenValue::Expr(expr)),
            };
        }
        let known = declaration
            .and_then(|id| self.f.program.declaration(id))
            .cloned();
        match known {
            Some(declaration) => self.declared(e, &declaration, true),
            None => self.always_there(e, name),
        }
    }

    /// What a name stands for that is declared in a contract or a file.
    fn declared(
        &mut self,
        e: &Expression,
        declaration: &Declaration,
        dispatch: bool,
    ) -> Flat<WrittenValue> {
        match declaration {
            Declaration::Variable(variable) => self.variable(variable, e.place),
            Declaration::Function(function) if dispatch => {
                let function = self.f.hierarchy.dispatch(self.f.program, function);
                Ok(WrittenValue::Function(function))
            }
            Declaration::Function(function) => Ok(WrittenValue::Function(Arc::clone(function))),
            _ => Ok(WrittenValue::Word),
        }
    }

    fn always_there(&mut self, e: &Expression, name: &str) -> Flat<WrittenValue> {
        match (name, &e.ty) {
            ("this", _) => {
                let ty = self.f.ty(&e.ty, e.place)?;
                Ok(env(ChainValue::This, ty, e.place))
            }
            ("now", Ast::Int(_)) => Ok(env(ChainValue::Timestamp, FlatType::UINT, e.place)),
            (
                _,
                Ast::Magic(_) | Ast::Super(_) | Ast::Module(_) | Ast::Function(_) | Ast::Name(_),
            ) => Ok(WrittenValue::Word),
            // A local variable whose declaration was not taken has been complained of already.
            _ => Err(Rejection::default()),
        }
    }

    fn variable(
        &mut self,
        variable: &Arc<VariableDeclaration>,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        if variable.changes == Changes::Constant {
            let (constant, ty) = self.f.constant(variable)?;
            return Ok(WrittenValue::Expr(FlatExpr::new(
                FlatExprKind::Constant(constant),
                ty,
                place,
            )));
        }
        let id = self.f.variable_ids.get(&variable.id).copied();
        let id = id.ok_or_else(|| self.f.untaken(variable.id, place))?;
        let ty = self
            .f
            .variables
            .get(id.index())
            .map(|known| known.ty.clone());
        let lvalue = Lvalue {
            root: Root::Variable(id),
            steps: Vec::new(),
            ty: ty.ok_or_else(Rejection::default)?,
            place,
        };
        Ok(self.contents(lvalue, place))
    }

    pub(super) fn member(
        &mut self,
        e: &Expression,
        base: &Expression,
        member: &str,
        declaration: Option<NodeId>,
    ) -> Flat<WrittenValue> {
        match &base.ty {
            Ast::Magic(magic) => self.magic(e, *magic, member),
            Ast::Meta(ty) => self.meta(e, ty, member),
            Ast::Name(ty) => self.of_name(e, ty, member, declaration),
            Ast::Module(_) => self.by_declaration(e, declaration, true),
            Ast::Super(_) => self.by_declaration(e, declaration, false),
            Ast::Function(_) => self.of_function(e, base, member),
            Ast::Struct(..) => self.struct_member(e, base, member),
            Ast::Array(..) | Ast::Bytes(_) | Ast::String(_) if member == "length" => {
                self.length(e, base)
            }
            Ast::FixedBytes(size) if member == "length" => {
                let ty = FlatType::Int(Int {
                    signed: false,
                    bits: 8,
                });
                Ok(WrittenValue::Expr(FlatExpr::number(*size, ty, e.place)))
            }
            Ast::Address | Ast::Contract(_) => self.of_address(e, base, member),
            _ => Ok(WrittenValue::Word),
        }
    }

    fn by_declaration(
        &mut self,
        e: &Expression,
        declaration: Option<NodeId>,
        dispatch: bool,
    ) -> Flat<WrittenValue> {
        match declaration
            .and_then(|id| self.f.program.declaration(id))
            .cloned()
        {
            Some(declaration) => self.declared(e, &declaration, dispatch),
            None => Ok(WrittenValue::Word),
        }
    }

    /// `E.A`, `Base.x`, `Library.f`
    fn of_name(
        &mut self,
        e: &Expression,
        ty: &Ast,
        member: &str,
        declaration: Option<NodeId>,
    ) -> Flat<WrittenValue> {
        let Ast::Enum(id) = ty else {
            return self.by_declaration(e, declaration, false);
        };
        let declared = self.f.program.enumeration(*id).cloned();
        let number = declared.and_then(|declared| {
            let mut members = declared.members.iter();
            members.position(|name| name == member)
        });
        let number =
            number.ok_or_else(|| Rejection::at(e.place, "this enum has no such member"))?;
        let ty = self.f.ty(ty, e.place)?;
        Ok(WrittenValue::Expr(FlatExpr::number(number, ty, e.place)))
    }

    fn struct_member(
        &mut self,
        e: &Expression,
        base: &Expression,
        member: &str,
    ) -> Flat<WrittenValue> {
        let value = self.expression(base)?;
        let (WrittenValue::Place(Lvalue { ty, .. }) | WrittenValue::Expr(FlatExpr { ty, .. })) =
            &value
        else {
            return Err(Rejection::at(e.place, "this has no members"));
        };
        let FlatType::Struct(id) = ty else {
            return Err(Rejection::at(e.place, "this has no members"));
        };
        let mut members = self.f.types.members(*id).iter();
        let number = members.position(|(name, _)| name == member);
        let number =
            number.ok_or_else(|| Rejection::at(e.place, "this struct has no such member"))?;
        let lvalue = match value {
            WrittenValue::Place(lvalue) => {
                self.step(lvalue, AccessStep::Member(number), e.place)?
            }
            WrittenValue::Expr(base) => self.inside(base, AccessStep::Member(number), e.place)?,
            _ => return Err(Rejection::default()),
        };
        Ok(self.contents(lvalue, e.place))
    }

    fn length(&mut self, e: &Expression, base: &Expression) -> Flat<WrittenValue> {
        let expr = match self.expression(base)? {
            WrittenValue::Place(lvalue) => self.storage_length(lvalue, e.place),
            value => {
                let inner = self.plain(value, e.place)?;
                match &inner.ty {
                    FlatType::Array(_, Some(length)) => {
                        let literal = FlatLiteral::Number(length.clone().into());
                        FlatExpr::new(FlatExprKind::Literal(literal), FlatType::UINT, e.place)
                    }
                    _ => {
                        let kind = FlatExprKind::Length(Box::new(inner));
                        FlatExpr::new(kind, FlatType::UINT, e.place)
                    }
                }
            }
        };
        Ok(WrittenValue::Expr(expr))
    }

    fn magic(&mut self, e: &Expression, magic: Magic, member: &str) -> Flat<WrittenValue> {
        let (what, ty) = match (magic, member) {
            (Magic::Message, "sender") => (ChainValue::Sender, FlatType::Address),
            (Magic::Message, "value") => (ChainValue::Value, FlatType::UINT),
            (Magic::Message, "data") => (ChainValue::Data, FlatType::Bytes),
            (Magic::Message, "sig") => (ChainValue::Selector, FlatType::FixedBytes(4)),
            (Magic::Message, "gas") => (ChainValue::GasLeft, FlatType::UINT),
            (Magic::Transaction, "origin") => (ChainValue::Origin, FlatType::Address),
            (Magic::Transaction, "gasprice") => (ChainValue::GasPrice, FlatType::UINT),
            (Magic::Block, "timestamp") => (ChainValue::Timestamp, FlatType::UINT),
            (Magic::Block, "number") => (ChainValue::Number, FlatType::UINT),
            (Magic::Block, "chainid") => (ChainValue::ChainId, FlatType::UINT),
            (Magic::Block, "basefee") => (ChainValue::BaseFee, FlatType::UINT),
            (Magic::Block, "blobbasefee") => (ChainValue::BlobBaseFee, FlatType::UINT),
            (Magic::Block, "coinbase") => (ChainValue::Coinbase, FlatType::Address),
            (Magic::Block, "difficulty" | "prevrandao") => (ChainValue::Difficulty, FlatType::UINT),
            (Magic::Block, "gaslimit") => (ChainValue::GasLimit, FlatType::UINT),
            _ => return Ok(WrittenValue::Word),
        };
        Ok(env(what, ty, e.place))
    }

    fn of_address(
        &mut self,
        e: &Expression,
        base: &Expression,
        member: &str,
    ) -> Flat<WrittenValue> {
        let (builtin, ty) = match member {
            "balance" => (SolidityBuiltin::BalanceOf, FlatType::UINT),
            "code" => (SolidityBuiltin::CodeOf, FlatType::Bytes),
            "codehash" => (SolidityBuiltin::CodeHash, FlatType::FixedBytes(32)),
            _ => return Ok(WrittenValue::Word),
        };
        let value = self.expression(base)?;
        let address = self.plain(value, base.place)?;
        if builtin == SolidityBuiltin::BalanceOf && is_this(&address) {
            return Ok(env(ChainValue::Balance, ty, e.place));
        }
        Ok(self.builtin_value(builtin, vec![address], ty, e.place))
    }

    /// `type(T).max` and the like.
    fn meta(&mut self, e: &Expression, of: &Ast, member: &str) -> Flat<WrittenValue> {
        let place = e.place;
        match (of, member) {
            (Ast::Int(int), "min" | "max") => {
                let value = bound(*int, member == "max");
                Ok(WrittenValue::Expr(FlatExpr::number(
                    value,
                    FlatType::Int(*int),
                    place,
                )))
            }
            (Ast::Enum(_), "min" | "max") => {
                let ty = self.f.ty(of, place)?;
                let last = match ty {
                    FlatType::Enum(id) if member == "max" => {
                        self.f.types.count(id).saturating_sub(1)
                    }
                    _ => 0,
                };
                Ok(WrittenValue::Expr(FlatExpr::number(last, ty, place)))
            }
            (Ast::Contract(id), _) => {
                let contract = self.f.program.contract(*id);
                let name = contract.map_or_else(String::new, |contract| contract.name.clone());
                match member {
                    "name" => {
                        let literal = FlatExprKind::Literal(FlatLiteral::Bytes(name.into_bytes()));
                        Ok(WrittenValue::Expr(FlatExpr::new(
                            literal,
                            FlatType::String,
                            place,
                        )))
                    }
                    "interfaceId" => {
                        let builtin = SolidityBuiltin::InterfaceId(name);
                        Ok(self.builtin_value(builtin, Vec::new(), FlatType::FixedBytes(4), place))
                    }
                    _ => {
                        let builtin = SolidityBuiltin::ContractCode(format!("{name}.{member}"));
                        Ok(self.builtin_value(builtin, Vec::new(), FlatType::Bytes, place))
                    }
                }
            }
            _ => Err(Rejection::at(place, "this is not known of a type")),
        }
    }

    /// `f.selector`, `f.address`
    fn of_function(
        &mut self,
        e: &Expression,
        base: &Expression,
        member: &str,
    ) -> Flat<WrittenValue> {
        if member == "address"
            && let E::Member { base: contract, .. } = &base.kind
        {
            let value = self.expression(contract)?;
            let expr = self.plain(value, e.place)?;
            return Ok(WrittenValue::Expr(self.convert(expr, &FlatType::Address)));
        }
        if member != "selector" {
            return Ok(WrittenValue::Word);
        }
        let (E::Member {
            declaration: Some(id),
            ..
        }
        | E::Name {
            declaration: Some(id),
            ..
        }) = &base.kind
        else {
            return Err(Rejection::at(e.place, "functions as values are not taken"));
        };
        let signature = self.f.signature_of(*id);
        let signature = signature
            .ok_or_else(|| Rejection::at(e.place, "this has no selector that is known"))?;
        if matches!(e.ty, Ast::FixedBytes(32)) {
            // An event's.
            let text = FlatExprKind::Literal(FlatLiteral::Bytes(signature.into_bytes()));
            let text = FlatExpr::new(text, FlatType::Bytes, e.place);
            let ty = FlatType::FixedBytes(32);
            return Ok(self.builtin_value(SolidityBuiltin::Keccak256, vec![text], ty, e.place));
        }
        let builtin = SolidityBuiltin::SelectorOf(signature);
        Ok(self.builtin_value(builtin, Vec::new(), FlatType::FixedBytes(4), e.place))
    }
}

impl Flattener<'_> {
    /// The signature of a function, getter, event or error.
    pub(super) fn signature_of(&self, id: NodeId) -> Option<String> {
        match self.program.declaration(id)? {
            Declaration::Function(function) => {
                let types = function.parameters.iter().map(|parameter| &parameter.ty);
                signature(self.program, &function.name, types)
            }
            Declaration::Error(declared) | Declaration::Event(declared) => {
                let types = declared.parameters.iter().map(|parameter| &parameter.ty);
                signature(self.program, &declared.name, types)
            }
            Declaration::Variable(variable) => self.getter_signature(variable),
            _ => None,
        }
    }

    /// A constant: its number and type.
    pub(super) fn constant(
        &mut self,
        variable: &Arc<VariableDeclaration>,
    ) -> Flat<(ConstantId, FlatType)> {
        let ty = super::types::in_memory(&variable.ty);
        let flat = self.ty(&ty, variable.place)?;
        if let Some(known) = self.constant_ids.get(&variable.id) {
            return Ok((*known, flat));
        }
        let value = variable.value.as_ref();
        let value =
            value.ok_or_else(|| Rejection::at(variable.place, "a constant has no value"))?;
        let contract = self.program.contract_of(variable.id);
        let mut writer = RoutineWriter::new(self, contract);
        let value = writer.value_as(value, &ty)?;
        if !writer.out.is_empty() {
            let what = "a constant's value that calls functions is not taken";
            return Err(Rejection::at(variable.place, what));
        }
        let name = match self.contract_of(variable.id) {
            Some(contract) if self.hierarchy.position(contract.id).is_none() => {
                format!("{}.{}", contract.name, variable.name)
            }
            _ => variable.name.clone(),
        };
        let id = ConstantId::of(self.constants.len());
        self.constants.push(Constant {
            name,
            place: variable.place,
            ty: flat.clone(),
            value,
        });
        self.constant_ids.insert(variable.id, id);
        Ok((id, flat))
    }
}

pub(super) fn env(what: ChainValue, ty: FlatType, place: FileRange) -> WrittenValue {
    WrittenValue::Expr(FlatExpr::new(FlatExprKind::Env(what), ty, place))
}

/// Whether an address is the contract's own, as far as the text shows.
pub(super) fn is_this(expr: &FlatExpr) -> bool {
    match &expr.kind {
        FlatExprKind::Env(ChainValue::This) => true,
        FlatExprKind::Convert(inner) => is_this(inner),
        _ => false,
    }
}

/// The least or the greatest value of an integer type.
fn bound(int: Int, greatest: bool) -> BigInt {
    let size = BigInt::one() << u32::from(int.bits - u16::from(int.signed));
    match (greatest, int.signed) {
        (true, _) => size - 1,
        (false, true) => -size,
        (false, false) => BigInt::default(),
    }
}
