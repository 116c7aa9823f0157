//! Expressions. What may revert in them is looked at before.

use num_bigint::{BigInt, Sign};

use super::action::LoweredAction;
use super::class::Ghost;
use super::convert::ADDRESS;
use super::memory::is_held;
use super::{Low, refuse};
use crate::front::solidity::FileRange;
use crate::front::solidity::flat::{
    AbiEncoding, ChainValue, FlatBinaryOp as Op, FlatExpr, FlatExprKind, FlatLiteral, FlatType,
    Lvalue, Root, SolidityBuiltin, UnaryOp,
};
use crate::front::tq::ast;
use crate::front::tq::build::{self, and, binary, choice, compare, conditional, int, not, or};
use crate::ir::{BinaryOp, CompareOp};

impl LoweredAction<'_, '_> {
    /// The value of an expression of a value type, or of a string.
    pub(super) fn value(&mut self, e: &FlatExpr) -> Low<ast::ExprSyntax> {
        self.count(e.place)?;
        match &e.kind {
            FlatExprKind::Literal(literal) => self.literal(literal, e),
            FlatExprKind::Constant(id) => {
                if let Some(known) = self.class.user_constant(*id) {
                    return Ok(known);
                }
                let contract = self.class.contract;
                match contract.constants.get(id.index()) {
                    Some(constant) => self.value(&constant.value),
                    None => refuse(e.place, "there is no such constant"),
                }
            }
            FlatExprKind::Env(env) => self.environment(*env, e),
            FlatExprKind::Read(lvalue) | FlatExprKind::Load(lvalue) => self.read(lvalue),
            FlatExprKind::Copy(inner) if is_text(&inner.ty) => self.value(inner),
            FlatExprKind::StorageLength(lvalue) => self.storage_length(lvalue, e.place),
            FlatExprKind::Length(inner) if is_text(&inner.ty) => {
                let text = self.value(inner)?;
                self.unknown("length", vec![(inner.ty.clone(), text)], &e.ty, e.place)
            }
            FlatExprKind::ByteAt(bytes, index) => self.byte_at(bytes, index, e.place),
            FlatExprKind::Unary(op, inner, overflow) => {
                let value = self.value(inner)?;
                match op {
                    UnaryOp::Not => Ok(not(value)),
                    UnaryOp::Minus | UnaryOp::BitNot => self.unary(*op, value, *overflow, e),
                }
            }
            FlatExprKind::Binary(op @ (Op::And | Op::Or), left, right, _) => {
                self.short_circuit(*op, left, right)
            }
            FlatExprKind::Binary(op, left, right, overflow) => {
                if let Some(share) = self.as_share(e) {
                    return self.share_of(&share, e);
                }
                let (a, b) = (self.value(left)?, self.value(right)?);
                self.operation(*op, (left, a), (right, b), *overflow, e)
            }
            FlatExprKind::Conditional(condition, yes, no) => self.conditional(condition, yes, no),
            FlatExprKind::Convert(inner) => self.conversion(inner, e),
            FlatExprKind::Default => self.class.zero(&e.ty, e.place),
            FlatExprKind::Builtin(builtin, arguments) => self.builtin(builtin, arguments, e),
            FlatExprKind::Length(inner) => self.held_length(inner),
            FlatExprKind::NewArray(length) => {
                let length = (length.ty.clone(), self.value(length)?);
                self.unknown("zeros", vec![length], &e.ty, e.place)
            }
            FlatExprKind::Slice(base, start, end) if is_text(&base.ty) => {
                self.slice(base, (start.as_deref(), end.as_deref()), e)
            }
            FlatExprKind::Slice(..) => refuse(
                e.place,
                "parts of an array in the data of a call are not taken yet",
            ),
            FlatExprKind::NewElements(_) | FlatExprKind::NewStruct(_) | FlatExprKind::Copy(_) => {
                refuse(e.place, "an array or struct is no single value")
            }
        }
    }

    fn literal(&mut self, literal: &FlatLiteral, e: &FlatExpr) -> Low<ast::ExprSyntax> {
        match (literal, self.class.underlying(&e.ty)) {
            (FlatLiteral::Bool(value), _) => Ok(build::bool(*value)),
            (FlatLiteral::Number(value), FlatType::Enum(id)) => {
                let number = usize::try_from(value).unwrap_or(usize::MAX);
                self.class.member(id, number, e.place)
            }
            (FlatLiteral::Number(value), ty) => {
                if matches!(ty, FlatType::Address | FlatType::Contract(_)) {
                    self.class.addresses.insert(value.clone());
                }
                Ok(self.class.number(value.clone(), "NUMBER"))
            }
            (FlatLiteral::Bytes(bytes), FlatType::FixedBytes(_)) => {
                let value = BigInt::from_bytes_be(Sign::Plus, bytes);
                Ok(self.class.number(value, "BYTES"))
            }
            (FlatLiteral::Bytes(bytes), _) => Ok(self.class.literal(bytes)),
        }
    }

    fn read(&mut self, lvalue: &Lvalue) -> Low<ast::ExprSyntax> {
        match &lvalue.root {
            Root::Local(id) => {
                // One whose type is not taken is complained of here.
                self.class.ty(&lvalue.ty, lvalue.place)?;
                self.variable(*id, lvalue.place)
            }
            Root::Variable(_) => {
                let spot = self.spot(lvalue)?;
                self.leaf(&spot)
            }
            Root::Memory(base) => self.read_memory(base, lvalue),
        }
    }

    fn storage_length(&mut self, lvalue: &Lvalue, place: FileRange) -> Low<ast::ExprSyntax> {
        let spot = self.spot(lvalue)?;
        match &spot.ty {
            FlatType::Array(_, Some(length)) => Ok(int(length.clone())),
            FlatType::Array(..) => self.leaf(&spot.length()),
            ty if is_text(ty) => {
                let text = self.leaf(&spot)?;
                self.unknown(
                    "length",
                    vec![(spot.ty.clone(), text)],
                    &FlatType::UINT,
                    place,
                )
            }
            _ => refuse(place, "this has no length"),
        }
    }

    fn byte_at(
        &mut self,
        bytes: &FlatExpr,
        index: &FlatExpr,
        place: FileRange,
    ) -> Low<ast::ExprSyntax> {
        let FlatType::FixedBytes(size) = self.class.underlying(&bytes.ty) else {
            return refuse(place, "single bytes are not taken yet");
        };
        let FlatExprKind::Literal(FlatLiteral::Number(at)) = &index.kind else {
            return refuse(
                place,
                "a byte at an index that is not a number is not taken yet",
            );
        };
        let value = self.value(bytes)?;
        match u8::try_from(at) {
            Ok(at) if at < size => {
                let unit = BigInt::from(1) << (8 * u32::from(size - 1 - at));
                let unit = self.class.number(unit, "UNIT");
                let shifted = binary(BinaryOp::Div, value, unit);
                Ok(binary(BinaryOp::Mod, shifted, int(256)))
            }
            _ => {
                self.check(build::bool(false));
                Ok(int(0))
            }
        }
    }

    /// `&&`, `||`: what may revert on the right is looked at only where the right side is.
    fn short_circuit(&mut self, op: Op, left: &FlatExpr, right: &FlatExpr) -> Low<ast::ExprSyntax> {
        let a = self.value(left)?;
        let (checks, b) = self.nested(|action| action.value(right))?;
        let (looked_at, both) = if op == Op::And {
            (a.clone(), and(a, b))
        } else {
            (not(a.clone()), or(a, b))
        };
        if !checks.is_empty() {
            self.out.push(conditional(looked_at, checks, Vec::new()));
        }
        Ok(both)
    }

    fn conditional(
        &mut self,
        condition: &FlatExpr,
        yes: &FlatExpr,
        no: &FlatExpr,
    ) -> Low<ast::ExprSyntax> {
        let condition = self.value(condition)?;
        let (yes_checks, yes) = self.nested(|action| action.value(yes))?;
        let (no_checks, no) = self.nested(|action| action.value(no))?;
        self.check_branches(&condition, yes_checks, no_checks);
        Ok(choice(condition, yes, no))
    }

    /// What is looked at where a condition holds, and where it does not.
    pub(super) fn check_branches(
        &mut self,
        condition: &ast::ExprSyntax,
        yes: Vec<ast::StmtSyntax>,
        no: Vec<ast::StmtSyntax>,
    ) {
        if !yes.is_empty() {
            self.out.push(conditional(condition.clone(), yes, no));
        } else if !no.is_empty() {
            self.out
                .push(conditional(not(condition.clone()), no, Vec::new()));
        }
    }

    /// A part of `bytes`: an unknown function of them and of where it begins and ends.
    fn slice(
        &mut self,
        base: &FlatExpr,
        (start, end): (Option<&FlatExpr>, Option<&FlatExpr>),
        e: &FlatExpr,
    ) -> Low<ast::ExprSyntax> {
        let bytes = self.value(base)?;
        let whole = vec![(base.ty.clone(), bytes.clone())];
        let length = self.unknown("length", whole, &FlatType::UINT, e.place)?;
        let start = match start {
            Some(start) => self.value(start)?,
            None => int(0),
        };
        let end = match end {
            Some(end) => {
                let end = self.value(end)?;
                self.check(compare(CompareOp::Le, end.clone(), length));
                end
            }
            None => length,
        };
        self.check(compare(CompareOp::Le, start.clone(), end.clone()));
        let arguments = vec![
            (base.ty.clone(), bytes),
            (FlatType::UINT, start),
            (FlatType::UINT, end),
        ];
        self.unknown("slice", arguments, &e.ty, e.place)
    }

    /// An expression of any type, for what may revert in it.
    pub(super) fn evaluate(&mut self, e: &FlatExpr) -> Low<()> {
        match is_held(&e.ty) {
            true => self.held(e).map(|_| ()),
            false => self.value(e).map(|_| ()),
        }
    }

    fn builtin(
        &mut self,
        builtin: &SolidityBuiltin,
        arguments: &[FlatExpr],
        e: &FlatExpr,
    ) -> Low<ast::ExprSyntax> {
        let mut given = Vec::new();
        if arguments.iter().any(|argument| is_held(&argument.ty)) {
            for argument in arguments {
                self.evaluate(argument)?;
            }
            let what = "what is computed of an array or a struct as a whole may be anything";
            self.class.note(e.place, what);
            return self.hidden("computed", &e.ty, e.place);
        }
        for argument in arguments {
            given.push((argument.ty.clone(), self.value(argument)?));
        }
        let called = match builtin {
            SolidityBuiltin::AddMod | SolidityBuiltin::MulMod => {
                return self.modular(builtin, given, e.place);
            }
            SolidityBuiltin::BalanceOf => {
                let own = matches!(
                    arguments,
                    [FlatExpr {
                        kind: FlatExprKind::Env(ChainValue::This),
                        ..
                    }]
                );
                return if own {
                    Ok(self.class.ghost(Ghost::Balance))
                } else {
                    self.hidden("their_balance", &e.ty, e.place)
                };
            }
            SolidityBuiltin::CodeLength => return self.hidden("code_length", &e.ty, e.place),
            SolidityBuiltin::CodeHash => return self.hidden("code_hash", &e.ty, e.place),
            SolidityBuiltin::CodeOf => return self.hidden("code", &e.ty, e.place),
            SolidityBuiltin::BlockHash | SolidityBuiltin::BlobHash => {
                return self.hidden("block_hash", &e.ty, e.place);
            }
            SolidityBuiltin::Keccak256 => "keccak256".to_owned(),
            SolidityBuiltin::Sha256 => "sha256".to_owned(),
            SolidityBuiltin::Ripemd160 => "ripemd160".to_owned(),
            SolidityBuiltin::EcRecover => "ecrecover".to_owned(),
            SolidityBuiltin::Concat => "concat".to_owned(),
            SolidityBuiltin::Encode(encoding) => match encoding {
                AbiEncoding::Standard => "encode".to_owned(),
                AbiEncoding::Packed => "encode_packed".to_owned(),
                AbiEncoding::Selector => "encode_with_selector".to_owned(),
                AbiEncoding::Signature => "encode_with_signature".to_owned(),
            },
            SolidityBuiltin::ContractCode(contract) => format!("code_of_{contract}"),
            SolidityBuiltin::InterfaceId(interface) => format!("id_of_{interface}"),
            SolidityBuiltin::SelectorOf(signature) => format!("selector_of_{signature}"),
        };
        self.unknown(&called, given, &e.ty, e.place)
    }

    fn modular(
        &mut self,
        builtin: &SolidityBuiltin,
        given: Vec<(FlatType, ast::ExprSyntax)>,
        place: FileRange,
    ) -> Low<ast::ExprSyntax> {
        let given: Vec<ast::ExprSyntax> = given.into_iter().map(|(_, value)| value).collect();
        let Ok([a, b, modulus]) = <[ast::ExprSyntax; 3]>::try_from(given) else {
            return refuse(place, "three arguments are expected");
        };
        self.check(compare(CompareOp::Ne, modulus.clone(), int(0)));
        let op = match builtin {
            SolidityBuiltin::AddMod => BinaryOp::Add,
            _ => BinaryOp::Mul,
        };
        Ok(binary(BinaryOp::Mod, binary(op, a, b), modulus))
    }

    /// A function of which nothing is known but that it is one: a constant, which is a map from the arguments.
    pub(super) fn unknown(
        &mut self,
        called: &str,
        arguments: Vec<(FlatType, ast::ExprSyntax)>,
        result: &FlatType,
        place: FileRange,
    ) -> Low<ast::ExprSyntax> {
        let mut key = format!("function {called}");
        let mut wanted = called.to_owned();
        let mut ty = self.class.ty(result, place)?;
        let several = called.starts_with("encode") || called == "concat";
        for (of, _) in arguments.iter().rev() {
            let class_type = self.class.ty(of, place)?;
            ty = build::map(class_type, ty);
        }
        for (of, _) in &arguments {
            key.push_str(&format!(" {of:?}"));
            if let (true, ast::TypeSyntax::Name(known)) = (several, self.class.ty(of, place)?) {
                wanted.push('_');
                wanted.push_str(&known.name);
            }
        }
        self.class.note(
            place,
            format!("`{called}` is taken as an unknown function of its arguments"),
        );
        let function = self.class.constant(key, &wanted, ty, None);
        let arguments = arguments.into_iter().map(|(_, value)| value);
        let value = build::indexed(function, arguments);
        // Nothing says of an unknown function that its values have a bound.
        match self.class.underlying(result) {
            FlatType::Address | FlatType::Contract(_) if self.class.counts_addresses => {
                Ok(self.wrapped(value, ADDRESS))
            }
            _ => Ok(value),
        }
    }
}

fn is_text(ty: &FlatType) -> bool {
    matches!(ty, FlatType::Bytes | FlatType::String)
}
