//! Names, and what is behind a point.

use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::One;

use super::types::signature;
use super::writer::{Binding, Value, Writer};
use super::{Flat, Flattener, Stop};
use crate::front::solidity::ast::{
    Changes, Declaration, Expression, ExpressionKind as E, Function, Int, Magic, NodeId,
    Type as Ast, Variable,
};
use crate::front::solidity::flat::{
    Builtin, Constant, ConstantId, Env, Expr, ExprKind, Literal, Lvalue, Root, Step, Type,
};
use crate::front::solidity::place::Place;

impl Writer<'_, '_> {
    /// A function, by its id.
    pub fn function(&self, id: NodeId) -> Option<Arc<Function>> {
        match self.f.program.declaration(id)? {
            Declaration::Function(function) => Some(Arc::clone(function)),
            _ => None,
        }
    }

    pub fn name(&mut self, e: &Expression, name: &str, declaration: Option<NodeId>) -> Flat<Value> {
        if let Some(binding) = declaration.and_then(|id| self.bindings.get(&id)) {
            return match binding.clone() {
                Binding::Local(local) => {
                    let ty = self.locals.get(local.index()).map(|local| local.ty.clone());
                    let ty = ty.ok_or_else(Stop::default)?;
                    Ok(Value::Expr(Expr::local(local, ty, e.place)))
                }
                Binding::Pointer(number) => self.pointed(number, e.place).map(Value::Place),
                Binding::Function(function) => Ok(Value::Function(function)),
                Binding::Constant(expr) => Ok(Value::Expr(expr)),
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
    ) -> Flat<Value> {
        match declaration {
            Declaration::Variable(variable) => self.variable(variable, e.place),
            Declaration::Function(function) if dispatch => {
                let function = self.f.hierarchy.dispatch(self.f.program, function);
                Ok(Value::Function(function))
            }
            Declaration::Function(function) => Ok(Value::Function(Arc::clone(function))),
            _ => Ok(Value::Word),
        }
    }

    fn always_there(&mut self, e: &Expression, name: &str) -> Flat<Value> {
        match (name, &e.ty) {
            ("this", _) => {
                let ty = self.f.ty(&e.ty, e.place)?;
                Ok(env(Env::This, ty, e.place))
            }
            ("now", Ast::Int(_)) => Ok(env(Env::Timestamp, Type::UINT, e.place)),
            (
                _,
                Ast::Magic(_) | Ast::Super(_) | Ast::Module(_) | Ast::Function(_) | Ast::Name(_),
            ) => Ok(Value::Word),
            // A local variable whose declaration was not taken has been complained of already.
            _ => Err(Stop::default()),
        }
    }

    fn variable(&mut self, variable: &Arc<Variable>, place: Place) -> Flat<Value> {
        if variable.changes == Changes::Constant {
            let (constant, ty) = self.f.constant(variable)?;
            return Ok(Value::Expr(Expr::new(
                ExprKind::Constant(constant),
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
            ty: ty.ok_or_else(Stop::default)?,
            place,
        };
        Ok(self.contents(lvalue, place))
    }

    pub fn member(
        &mut self,
        e: &Expression,
        base: &Expression,
        member: &str,
        declaration: Option<NodeId>,
    ) -> Flat<Value> {
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
                let ty = Type::Int(Int {
                    signed: false,
                    bits: 8,
                });
                Ok(Value::Expr(Expr::number(*size, ty, e.place)))
            }
            Ast::Address | Ast::Contract(_) => self.of_address(e, base, member),
            _ => Ok(Value::Word),
        }
    }

    fn by_declaration(
        &mut self,
        e: &Expression,
        declaration: Option<NodeId>,
        dispatch: bool,
    ) -> Flat<Value> {
        match declaration
            .and_then(|id| self.f.program.declaration(id))
            .cloned()
        {
            Some(declaration) => self.declared(e, &declaration, dispatch),
            None => Ok(Value::Word),
        }
    }

    /// `E.A`, `Base.x`, `Library.f`
    fn of_name(
        &mut self,
        e: &Expression,
        ty: &Ast,
        member: &str,
        declaration: Option<NodeId>,
    ) -> Flat<Value> {
        let Ast::Enum(id) = ty else {
            return self.by_declaration(e, declaration, false);
        };
        let declared = self.f.program.enumeration(*id).cloned();
        let number = declared.and_then(|declared| {
            let mut members = declared.members.iter();
            members.position(|name| name == member)
        });
        let number = number.ok_or_else(|| Stop::at(e.place, "this enum has no such member"))?;
        let ty = self.f.ty(ty, e.place)?;
        Ok(Value::Expr(Expr::number(number, ty, e.place)))
    }

    fn struct_member(&mut self, e: &Expression, base: &Expression, member: &str) -> Flat<Value> {
        let value = self.expression(base)?;
        let (Value::Place(Lvalue { ty, .. }) | Value::Expr(Expr { ty, .. })) = &value else {
            return Err(Stop::at(e.place, "this has no members"));
        };
        let Type::Struct(id) = ty else {
            return Err(Stop::at(e.place, "this has no members"));
        };
        let mut members = self.f.types.members(*id).iter();
        let number = members.position(|(name, _)| name == member);
        let number = number.ok_or_else(|| Stop::at(e.place, "this struct has no such member"))?;
        let lvalue = match value {
            Value::Place(lvalue) => self.step(lvalue, Step::Member(number), e.place)?,
            Value::Expr(base) => self.inside(base, Step::Member(number), e.place)?,
            _ => return Err(Stop::default()),
        };
        Ok(self.contents(lvalue, e.place))
    }

    fn length(&mut self, e: &Expression, base: &Expression) -> Flat<Value> {
        let expr = match self.expression(base)? {
            Value::Place(lvalue) => self.storage_length(lvalue, e.place),
            value => {
                let inner = self.plain(value, e.place)?;
                match &inner.ty {
                    Type::Array(_, Some(length)) => {
                        let literal = Literal::Number(length.clone().into());
                        Expr::new(ExprKind::Literal(literal), Type::UINT, e.place)
                    }
                    _ => {
                        let kind = ExprKind::Length(Box::new(inner));
                        Expr::new(kind, Type::UINT, e.place)
                    }
                }
            }
        };
        Ok(Value::Expr(expr))
    }

    fn magic(&mut self, e: &Expression, magic: Magic, member: &str) -> Flat<Value> {
        let (what, ty) = match (magic, member) {
            (Magic::Message, "sender") => (Env::Sender, Type::Address),
            (Magic::Message, "value") => (Env::Value, Type::UINT),
            (Magic::Message, "data") => (Env::Data, Type::Bytes),
            (Magic::Message, "sig") => (Env::Selector, Type::FixedBytes(4)),
            (Magic::Message, "gas") => (Env::GasLeft, Type::UINT),
            (Magic::Transaction, "origin") => (Env::Origin, Type::Address),
            (Magic::Transaction, "gasprice") => (Env::GasPrice, Type::UINT),
            (Magic::Block, "timestamp") => (Env::Timestamp, Type::UINT),
            (Magic::Block, "number") => (Env::Number, Type::UINT),
            (Magic::Block, "chainid") => (Env::ChainId, Type::UINT),
            (Magic::Block, "basefee") => (Env::BaseFee, Type::UINT),
            (Magic::Block, "blobbasefee") => (Env::BlobBaseFee, Type::UINT),
            (Magic::Block, "coinbase") => (Env::Coinbase, Type::Address),
            (Magic::Block, "difficulty" | "prevrandao") => (Env::Difficulty, Type::UINT),
            (Magic::Block, "gaslimit") => (Env::GasLimit, Type::UINT),
            _ => return Ok(Value::Word),
        };
        Ok(env(what, ty, e.place))
    }

    fn of_address(&mut self, e: &Expression, base: &Expression, member: &str) -> Flat<Value> {
        let (builtin, ty) = match member {
            "balance" => (Builtin::BalanceOf, Type::UINT),
            "code" => (Builtin::CodeOf, Type::Bytes),
            "codehash" => (Builtin::CodeHash, Type::FixedBytes(32)),
            _ => return Ok(Value::Word),
        };
        let value = self.expression(base)?;
        let address = self.plain(value, base.place)?;
        if builtin == Builtin::BalanceOf && is_this(&address) {
            return Ok(env(Env::Balance, ty, e.place));
        }
        Ok(self.builtin_value(builtin, vec![address], ty, e.place))
    }

    /// `type(T).max` and the like.
    fn meta(&mut self, e: &Expression, of: &Ast, member: &str) -> Flat<Value> {
        let place = e.place;
        match (of, member) {
            (Ast::Int(int), "min" | "max") => {
                let value = bound(*int, member == "max");
                Ok(Value::Expr(Expr::number(value, Type::Int(*int), place)))
            }
            (Ast::Enum(_), "min" | "max") => {
                let ty = self.f.ty(of, place)?;
                let last = match ty {
                    Type::Enum(id) if member == "max" => self.f.types.count(id).saturating_sub(1),
                    _ => 0,
                };
                Ok(Value::Expr(Expr::number(last, ty, place)))
            }
            (Ast::Contract(id), _) => {
                let contract = self.f.program.contract(*id);
                let name = contract.map_or_else(String::new, |contract| contract.name.clone());
                match member {
                    "name" => {
                        let literal = ExprKind::Literal(Literal::Bytes(name.into_bytes()));
                        Ok(Value::Expr(Expr::new(literal, Type::String, place)))
                    }
                    "interfaceId" => {
                        let builtin = Builtin::InterfaceId(name);
                        Ok(self.builtin_value(builtin, Vec::new(), Type::FixedBytes(4), place))
                    }
                    _ => {
                        let builtin = Builtin::ContractCode(format!("{name}.{member}"));
                        Ok(self.builtin_value(builtin, Vec::new(), Type::Bytes, place))
                    }
                }
            }
            _ => Err(Stop::at(place, "this is not known of a type")),
        }
    }

    /// `f.selector`, `f.address`
    fn of_function(&mut self, e: &Expression, base: &Expression, member: &str) -> Flat<Value> {
        if member == "address"
            && let E::Member { base: contract, .. } = &base.kind
        {
            let value = self.expression(contract)?;
            let expr = self.plain(value, e.place)?;
            return Ok(Value::Expr(self.convert(expr, &Type::Address)));
        }
        if member != "selector" {
            return Ok(Value::Word);
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
            return Err(Stop::at(e.place, "functions as values are not taken"));
        };
        let signature = self.f.signature_of(*id);
        let signature =
            signature.ok_or_else(|| Stop::at(e.place, "this has no selector that is known"))?;
        if matches!(e.ty, Ast::FixedBytes(32)) {
            // An event's.
            let text = ExprKind::Literal(Literal::Bytes(signature.into_bytes()));
            let text = Expr::new(text, Type::Bytes, e.place);
            let ty = Type::FixedBytes(32);
            return Ok(self.builtin_value(Builtin::Keccak256, vec![text], ty, e.place));
        }
        let builtin = Builtin::SelectorOf(signature);
        Ok(self.builtin_value(builtin, Vec::new(), Type::FixedBytes(4), e.place))
    }
}

impl Flattener<'_> {
    /// The signature of a function, getter, event or error.
    pub fn signature_of(&self, id: NodeId) -> Option<String> {
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
    pub fn constant(&mut self, variable: &Arc<Variable>) -> Flat<(ConstantId, Type)> {
        let ty = super::types::in_memory(&variable.ty);
        let flat = self.ty(&ty, variable.place)?;
        if let Some(known) = self.constant_ids.get(&variable.id) {
            return Ok((*known, flat));
        }
        let value = variable.value.as_ref();
        let value = value.ok_or_else(|| Stop::at(variable.place, "a constant has no value"))?;
        let contract = self.program.contract_of(variable.id);
        let mut writer = Writer::new(self, contract);
        let value = writer.value_as(value, &ty)?;
        if !writer.out.is_empty() {
            let what = "a constant's value that calls functions is not taken";
            return Err(Stop::at(variable.place, what));
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

pub(super) fn env(what: Env, ty: Type, place: Place) -> Value {
    Value::Expr(Expr::new(ExprKind::Env(what), ty, place))
}

/// Whether an address is the contract's own, as far as the text shows.
pub(super) fn is_this(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Env(Env::This) => true,
        ExprKind::Convert(inner) => is_this(inner),
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
