//! Functions that are always there.

use super::types::in_memory;
use super::writer::{RoutineWriter, WrittenValue};
use super::{Flat, Rejection};
use crate::front::solidity::ast::{
    CallExpression, Expression, ExpressionKind as E, SolidityType as Ast,
};
use crate::front::solidity::flat::{
    AbiEncoding, AccessStep, ChainValue, FlatBinaryOp, FlatExpr, FlatExprKind, FlatStmtKind,
    FlatType, LocalId, Lvalue, SolidityBuiltin, Why,
};
use crate::front::solidity::place::FileRange;
use crate::front::solidity::solc::Version;

const WORD: FlatType = FlatType::FixedBytes(32);

impl RoutineWriter<'_, '_> {
    pub(super) fn builtin(
        &mut self,
        e: &Expression,
        call: &CallExpression,
        callee: &Expression,
        kind: &str,
    ) -> Flat<WrittenValue> {
        let place = e.place;
        match kind {
            "require" => self.require(call, place),
            "assert" => {
                let condition = self.argument_as(call, 0, &Ast::Bool)?;
                self.nothing(FlatStmtKind::Require(condition, Why::Assert), place)
            }
            "revert" => {
                let message = Self::message(call.arguments.first());
                self.nothing(FlatStmtKind::Revert(Why::Require(message)), place)
            }
            "keccak256" | "sha3" | "sha256" | "ripemd160" => self.hash(e, call, kind),
            "ecrecover" => {
                let arguments =
                    self.plain_arguments(call, &[bytes32(), uint(8), bytes32(), bytes32()])?;
                Ok(self.builtin_value(
                    SolidityBuiltin::EcRecover,
                    arguments,
                    FlatType::Address,
                    place,
                ))
            }
            "addmod" | "mulmod" => self.modular(call, kind, place),
            "gasleft" => Ok(super::member::env(
                ChainValue::GasLeft,
                FlatType::UINT,
                place,
            )),
            "blockhash" | "blobhash" => {
                let builtin = match kind {
                    "blockhash" => SolidityBuiltin::BlockHash,
                    _ => SolidityBuiltin::BlobHash,
                };
                let arguments = self.plain_arguments(call, &[uint(256)])?;
                Ok(self.builtin_value(builtin, arguments, WORD, place))
            }
            "arraypush" | "bytearraypush" => self.array_push(e, call, callee),
            "arraypop" => {
                let array = self.array(callee)?;
                self.nothing(FlatStmtKind::Pop(array), place)
            }
            "bytesconcat" | "stringconcat" => {
                let arguments = self.free_arguments(call)?;
                let ty = self.f.ty(&e.ty, place)?;
                Ok(self.builtin_value(SolidityBuiltin::Concat, arguments, ty, place))
            }
            "wrap" | "unwrap" => self.wrap(e, call),
            "metatype" => Ok(WrittenValue::Word),
            "abidecode" => self.decode(e, call),
            _ if kind.starts_with("abiencode") => self.encode(call, kind, place),
            // Events of old versions, by number.
            _ if kind.starts_with("log") => {
                call.arguments.iter().try_for_each(|e| self.effect(e))?;
                Ok(WrittenValue::Tuple(Vec::new()))
            }
            "selfdestruct" => Err(Rejection::at(
                place,
                "`selfdestruct` ends the contract's life",
            )),
            other => Err(Rejection::at(place, format!("`{other}` is not taken"))),
        }
    }

    fn nothing(&mut self, kind: FlatStmtKind, place: FileRange) -> Flat<WrittenValue> {
        self.write(kind, place)?;
        Ok(WrittenValue::Tuple(Vec::new()))
    }

    fn argument_as(&mut self, call: &CallExpression, at: usize, to: &Ast) -> Flat<FlatExpr> {
        let argument = call.arguments.get(at);
        let argument =
            argument.ok_or_else(|| Rejection::at(call.callee.place, "an argument is missing"))?;
        self.value_as(argument, to)
    }

    fn plain_arguments(&mut self, call: &CallExpression, types: &[Ast]) -> Flat<Vec<FlatExpr>> {
        let arguments: Vec<&Expression> = call.arguments.iter().collect();
        let values = self.sequence(&arguments, false)?;
        self.plain_all(values, &arguments, |at| types.get(at).cloned())
    }

    /// Arguments of any types.
    fn free_arguments(&mut self, call: &CallExpression) -> Flat<Vec<FlatExpr>> {
        let arguments: Vec<&Expression> = call.arguments.iter().collect();
        let values = self.sequence(&arguments, false)?;
        let mut exprs = Vec::new();
        for (value, argument) in values.into_iter().zip(arguments) {
            // What is in the data of the call is read where it is.
            let to = if Self::in_calldata(argument) {
                argument.ty.clone()
            } else {
                super::expression::mobile(&argument.ty)
            };
            let value = self.coerce(value, &argument.ty, &to, argument.place)?;
            exprs.push(self.plain(value, argument.place)?);
        }
        Ok(exprs)
    }

    /// `require(c)`, `require(c, message)`, `require(c, E(…))`: what the second one does is done whether it fails or not.
    fn require(&mut self, call: &CallExpression, place: FileRange) -> Flat<WrittenValue> {
        let condition = self.argument_as(call, 0, &Ast::Bool)?;
        let mut condition = WrittenValue::Expr(condition);
        let mut why = Why::Require(None);
        if let Some(second) = call.arguments.get(1) {
            let mark = self.out.len();
            if second.ty == Ast::Error {
                why = Why::Error(self.error_name(second));
                if let E::Call(error) = &second.kind {
                    error.arguments.iter().try_for_each(|e| self.effect(e))?;
                }
            } else {
                why = Why::Require(Self::message(Some(second)));
                self.effect(second)?;
            }
            self.freeze([&mut condition], mark)?;
        }
        let condition = self.plain(condition, place)?;
        self.nothing(FlatStmtKind::Require(condition, why), place)
    }

    fn hash(&mut self, e: &Expression, call: &CallExpression, kind: &str) -> Flat<WrittenValue> {
        let builtin = match kind {
            "sha256" => SolidityBuiltin::Sha256,
            "ripemd160" => SolidityBuiltin::Ripemd160,
            _ => SolidityBuiltin::Keccak256,
        };
        let mut arguments = self.free_arguments(call)?;
        // Before 0.5 any number of arguments was written one behind the other.
        if self.f.program.version < Version::new(0, 5, 0) {
            let is_bytes = matches!(arguments.as_slice(), [one] if one.ty == FlatType::Bytes);
            if !is_bytes {
                let kind =
                    FlatExprKind::Builtin(SolidityBuiltin::Encode(AbiEncoding::Packed), arguments);
                arguments = vec![FlatExpr::new(kind, FlatType::Bytes, e.place)];
            }
        }
        let arguments = arguments
            .into_iter()
            .map(|argument| self.convert(argument, &FlatType::Bytes))
            .collect();
        let ty = self.f.ty(&e.ty, e.place)?;
        Ok(self.builtin_value(builtin, arguments, ty, e.place))
    }

    /// `addmod`, `mulmod`: the compiler's older way evaluates them from right to left.
    fn modular(
        &mut self,
        call: &CallExpression,
        kind: &str,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        let arguments: Vec<&Expression> = call.arguments.iter().collect();
        let values = self.sequence(&arguments, true)?;
        let mut exprs = self.plain_all(values, &arguments, |_| Some(uint(256)))?;
        let builtin = match kind {
            "addmod" => SolidityBuiltin::AddMod,
            _ => SolidityBuiltin::MulMod,
        };
        let last = exprs.pop();
        let modulus = last.ok_or_else(|| Rejection::at(place, "an argument is missing"))?;
        let zero = FlatExpr::number(0, FlatType::UINT, place);
        let modulus = if self.is_stable(&modulus) {
            modulus
        } else {
            self.keep(modulus)?
        };
        if self.f.program.version >= Version::new(0, 5, 0) {
            let valid = self.arithmetic(FlatBinaryOp::Ne, modulus.clone(), zero, place);
            self.write(FlatStmtKind::Require(valid, Why::Panic(0x12)), place)?;
            exprs.push(modulus);
            return Ok(self.builtin_value(builtin, exprs, FlatType::UINT, place));
        }
        // Until 0.4 the result was zero.
        let invalid = self.arithmetic(FlatBinaryOp::Eq, modulus.clone(), zero.clone(), place);
        exprs.push(modulus);
        let value = FlatExprKind::Builtin(builtin, exprs);
        let value = FlatExpr::new(value, FlatType::UINT, place);
        let kind = FlatExprKind::Conditional(Box::new(invalid), Box::new(zero), Box::new(value));
        Ok(WrittenValue::Expr(FlatExpr::new(
            kind,
            FlatType::UINT,
            place,
        )))
    }

    /// The array in storage that `push` or `pop` is called of.
    fn array(&mut self, callee: &Expression) -> Flat<Lvalue> {
        let E::Member { base, .. } = &callee.kind else {
            return Err(Rejection::at(
                callee.place,
                "functions as values are not taken",
            ));
        };
        match self.expression(base)? {
            WrittenValue::Place(lvalue) => Ok(lvalue),
            _ => Err(Rejection::at(
                callee.place,
                "an array in storage is expected",
            )),
        }
    }

    fn array_push(
        &mut self,
        e: &Expression,
        call: &CallExpression,
        callee: &Expression,
    ) -> Flat<WrittenValue> {
        let array = self.array(callee)?;
        let mut array = WrittenValue::Place(array);
        let mut element = None;
        if let Some(argument) = call.arguments.first() {
            let mark = self.out.len();
            let value = self.expression(argument)?;
            self.freeze([&mut array], mark)?;
            element = Some(value);
        }
        let WrittenValue::Place(array) = array else {
            return Err(Rejection::default());
        };
        let element = match (element, call.arguments.first()) {
            (Some(value), Some(argument)) => Some(self.pushed(&array, value, argument)?),
            _ => None,
        };
        let length = self.storage_length(array.clone(), e.place);
        let reference = matches!(&e.ty, Ast::Tuple(items) if items.is_empty());
        if reference {
            return self.nothing(FlatStmtKind::Push(array, element), e.place);
        }
        // The new element, or (until 0.5) the new length.
        let old_length = self.keep(length)?;
        let array = self.settled(array)?;
        self.write(FlatStmtKind::Push(array.clone(), element), e.place)?;
        if call.arguments.is_empty() && self.f.program.version >= Version::new(0, 6, 0) {
            let step = AccessStep::Index {
                index: old_length,
                checked: false,
            };
            let lvalue = self.step(array, step, e.place)?;
            return Ok(self.contents(lvalue, e.place));
        }
        Ok(WrittenValue::Expr(self.storage_length(array, e.place)))
    }

    /// What is pushed, as the array takes it.
    fn pushed(
        &mut self,
        array: &Lvalue,
        value: WrittenValue,
        argument: &Expression,
    ) -> Flat<FlatExpr> {
        let expr = self.plain(value, argument.place)?;
        Ok(match &array.ty {
            FlatType::Array(element, _) => self.convert(expr, &element.as_ref().clone()),
            _ => self.convert(expr, &FlatType::FixedBytes(1)),
        })
    }

    fn wrap(&mut self, e: &Expression, call: &CallExpression) -> Flat<WrittenValue> {
        let [argument] = call.arguments.as_slice() else {
            return Err(Rejection::at(e.place, "an argument is missing"));
        };
        let value = self.expression(argument)?;
        let expr = self.plain(value, e.place)?;
        let to = self.f.ty(&e.ty, e.place)?;
        // A literal takes the elementary type first.
        let underlying = self.f.types.underlying(&to).clone();
        let expr = match to {
            FlatType::Alias(_) => self.convert(expr, &underlying),
            _ => expr,
        };
        Ok(WrittenValue::Expr(self.convert(expr, &to)))
    }

    fn encode(
        &mut self,
        call: &CallExpression,
        kind: &str,
        place: FileRange,
    ) -> Flat<WrittenValue> {
        let encoding = match kind {
            "abiencode" => AbiEncoding::Standard,
            "abiencodepacked" => AbiEncoding::Packed,
            "abiencodewithselector" => AbiEncoding::Selector,
            "abiencodewithsignature" => AbiEncoding::Signature,
            "abiencodecall" => return self.encode_call(call, place),
            other => return Err(Rejection::at(place, format!("`{other}` is not taken"))),
        };
        let mut arguments = self.free_arguments(call)?;
        if encoding == AbiEncoding::Selector
            && let Some(first) = arguments.first_mut()
        {
            *first = self.convert(first.clone(), &FlatType::FixedBytes(4));
        }
        let builtin = SolidityBuiltin::Encode(encoding);
        Ok(self.builtin_value(builtin, arguments, FlatType::Bytes, place))
    }

    /// `abi.encodeCall(f, (a, b))`
    fn encode_call(&mut self, call: &CallExpression, place: FileRange) -> Flat<WrittenValue> {
        let [callee, arguments] = call.arguments.as_slice() else {
            return Err(Rejection::at(place, "an argument is missing"));
        };
        let id = match &callee.kind {
            E::Member { declaration, .. } | E::Name { declaration, .. } => *declaration,
            _ => None,
        };
        let signature = id.and_then(|id| self.f.signature_of(id));
        let signature =
            signature.ok_or_else(|| Rejection::at(place, "this has no selector that is known"))?;
        let selector = FlatExprKind::Builtin(SolidityBuiltin::SelectorOf(signature), Vec::new());
        let selector = FlatExpr::new(selector, FlatType::FixedBytes(4), place);
        let listed: Vec<&Expression> = match &arguments.kind {
            E::Tuple(items) => items.iter().flatten().collect(),
            _ => vec![arguments],
        };
        let types = match &callee.ty {
            Ast::Function(ty) => ty.parameters.clone(),
            _ => Vec::new(),
        };
        let values = self.sequence(&listed, false)?;
        let encoded = self.plain_all(values, &listed, |at| {
            types.get(at).cloned().flatten().map(|ty| in_memory(&ty))
        })?;
        let mut all = vec![selector];
        all.extend(encoded);
        let builtin = SolidityBuiltin::Encode(AbiEncoding::Selector);
        Ok(self.builtin_value(builtin, all, FlatType::Bytes, place))
    }

    /// `abi.decode(data, (T, U))`
    fn decode(&mut self, e: &Expression, call: &CallExpression) -> Flat<WrittenValue> {
        let [data, _] = call.arguments.as_slice() else {
            return Err(Rejection::at(e.place, "an argument is missing"));
        };
        let value = self.expression(data)?;
        let data = self.plain(value, data.place)?;
        let types = match &e.ty {
            Ast::Tuple(types) => types.clone(),
            one => vec![Some(one.clone())],
        };
        let (results, values): (Vec<LocalId>, Vec<WrittenValue>) =
            self.result_locals(&types, e.place)?.into_iter().unzip();
        self.write(FlatStmtKind::Decode(data, results), e.place)?;
        Ok(self.given_back(values))
    }
}

fn uint(bits: u16) -> Ast {
    Ast::Int(crate::front::solidity::ast::Int {
        signed: false,
        bits,
    })
}

fn bytes32() -> Ast {
    Ast::FixedBytes(32)
}
