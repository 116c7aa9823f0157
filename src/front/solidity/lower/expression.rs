//! Expressions. What may revert in them is looked at before.

use num_bigint::{BigInt, Sign};

use super::action::Action;
use super::class::Ghost;
use super::{Low, refuse};
use crate::front::solidity::Place;
use crate::front::solidity::flat::{
    BinaryOp as Op, Builtin, Encoding, Env, Expr, ExprKind, Literal, Lvalue, Root, Type, UnaryOp,
};
use crate::front::tq::ast;
use crate::front::tq::build::{self, and, binary, choice, compare, conditional, int, not, or};
use crate::ir::{BinaryOp, CompareOp};

impl Action<'_, '_> {
    /// The value of an expression of a value type, or of a string.
    pub fn value(&mut self, e: &Expr) -> Low<ast::Expr> {
        self.count(e.place)?;
        match &e.kind {
            ExprKind::Literal(literal) => self.literal(literal, e),
            ExprKind::Constant(id) => {
                if let Some(known) = self.class.user_constant(*id) {
                    return Ok(known);
                }
                let contract = self.class.contract;
                match contract.constants.get(id.index()) {
                    Some(constant) => self.value(&constant.value),
                    None => refuse(e.place, "there is no such constant"),
                }
            }
            ExprKind::Env(env) => self.environment(*env, e),
            ExprKind::Read(lvalue) | ExprKind::Load(lvalue) => self.read(lvalue),
            ExprKind::Copy(inner) if is_text(&inner.ty) => self.value(inner),
            ExprKind::StorageLength(lvalue) => self.storage_length(lvalue, e.place),
            ExprKind::Length(inner) if is_text(&inner.ty) => {
                let text = self.value(inner)?;
                self.unknown("length", vec![(inner.ty.clone(), text)], &e.ty, e.place)
            }
            ExprKind::ByteAt(bytes, index) => self.byte_at(bytes, index, e.place),
            ExprKind::Unary(op, inner, overflow) => {
                let value = self.value(inner)?;
                match op {
                    UnaryOp::Not => Ok(not(value)),
                    UnaryOp::Minus | UnaryOp::BitNot => self.unary(*op, value, *overflow, e),
                }
            }
            ExprKind::Binary(op @ (Op::And | Op::Or), left, right, _) => {
                self.short_circuit(*op, left, right)
            }
            ExprKind::Binary(op, left, right, overflow) => {
                let (a, b) = (self.value(left)?, self.value(right)?);
                self.operation(*op, (left, a), (right, b), *overflow, e)
            }
            ExprKind::Conditional(condition, yes, no) => self.conditional(condition, yes, no),
            ExprKind::Convert(inner) => self.conversion(inner, e),
            ExprKind::Default => self.class.zero(&e.ty, e.place),
            ExprKind::Builtin(builtin, arguments) => self.builtin(builtin, arguments, e),
            ExprKind::NewArray(_) | ExprKind::NewElements(_) => {
                refuse(e.place, "arrays in memory are not taken yet")
            }
            ExprKind::NewStruct(_) => refuse(e.place, "structs in memory are not taken yet"),
            ExprKind::Slice(..) => refuse(e.place, "parts of the data of a call are not taken yet"),
            ExprKind::Copy(_) | ExprKind::Length(_) => {
                refuse(e.place, "arrays and structs in memory are not taken yet")
            }
        }
    }

    fn literal(&mut self, literal: &Literal, e: &Expr) -> Low<ast::Expr> {
        match (literal, self.class.underlying(&e.ty)) {
            (Literal::Bool(value), _) => Ok(build::bool(*value)),
            (Literal::Number(value), Type::Enum(id)) => {
                let number = usize::try_from(value).unwrap_or(usize::MAX);
                self.class.member(id, number, e.place)
            }
            (Literal::Number(value), _) => Ok(self.class.number(value.clone(), "NUMBER")),
            (Literal::Bytes(bytes), Type::FixedBytes(_)) => {
                let value = BigInt::from_bytes_be(Sign::Plus, bytes);
                Ok(self.class.number(value, "BYTES"))
            }
            (Literal::Bytes(bytes), _) => Ok(self.class.literal(bytes)),
        }
    }

    fn read(&mut self, lvalue: &Lvalue) -> Low<ast::Expr> {
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
            Root::Memory(_) => refuse(lvalue.place, "what is inside of memory is not taken yet"),
        }
    }

    fn storage_length(&mut self, lvalue: &Lvalue, place: Place) -> Low<ast::Expr> {
        let spot = self.spot(lvalue)?;
        match &spot.ty {
            Type::Array(_, Some(length)) => Ok(int(length.clone())),
            Type::Array(..) => self.leaf(&spot.length()),
            ty if is_text(ty) => {
                let text = self.leaf(&spot)?;
                self.unknown("length", vec![(spot.ty.clone(), text)], &Type::UINT, place)
            }
            _ => refuse(place, "this has no length"),
        }
    }

    fn byte_at(&mut self, bytes: &Expr, index: &Expr, place: Place) -> Low<ast::Expr> {
        let Type::FixedBytes(size) = self.class.underlying(&bytes.ty) else {
            return refuse(place, "single bytes are not taken yet");
        };
        let ExprKind::Literal(Literal::Number(at)) = &index.kind else {
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
    fn short_circuit(&mut self, op: Op, left: &Expr, right: &Expr) -> Low<ast::Expr> {
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

    fn conditional(&mut self, condition: &Expr, yes: &Expr, no: &Expr) -> Low<ast::Expr> {
        let condition = self.value(condition)?;
        let (yes_checks, yes) = self.nested(|action| action.value(yes))?;
        let (no_checks, no) = self.nested(|action| action.value(no))?;
        if !yes_checks.is_empty() {
            self.out
                .push(conditional(condition.clone(), yes_checks, no_checks));
        } else if !no_checks.is_empty() {
            self.out
                .push(conditional(not(condition.clone()), no_checks, Vec::new()));
        }
        Ok(choice(condition, yes, no))
    }

    fn builtin(&mut self, builtin: &Builtin, arguments: &[Expr], e: &Expr) -> Low<ast::Expr> {
        let mut given = Vec::new();
        for argument in arguments {
            given.push((argument.ty.clone(), self.value(argument)?));
        }
        let called = match builtin {
            Builtin::AddMod | Builtin::MulMod => return self.modular(builtin, given, e.place),
            Builtin::BalanceOf => {
                let own = matches!(
                    arguments,
                    [Expr {
                        kind: ExprKind::Env(Env::This),
                        ..
                    }]
                );
                return if own {
                    Ok(self.class.ghost(Ghost::Balance))
                } else {
                    self.hidden("their_balance", &e.ty, e.place)
                };
            }
            Builtin::CodeLength => return self.hidden("code_length", &e.ty, e.place),
            Builtin::CodeHash => return self.hidden("code_hash", &e.ty, e.place),
            Builtin::CodeOf => return self.hidden("code", &e.ty, e.place),
            Builtin::BlockHash | Builtin::BlobHash => {
                return self.hidden("block_hash", &e.ty, e.place);
            }
            Builtin::Keccak256 => "keccak256".to_owned(),
            Builtin::Sha256 => "sha256".to_owned(),
            Builtin::Ripemd160 => "ripemd160".to_owned(),
            Builtin::EcRecover => "ecrecover".to_owned(),
            Builtin::Concat => "concat".to_owned(),
            Builtin::Encode(encoding) => match encoding {
                Encoding::Standard => "encode".to_owned(),
                Encoding::Packed => "encode_packed".to_owned(),
                Encoding::Selector => "encode_with_selector".to_owned(),
                Encoding::Signature => "encode_with_signature".to_owned(),
            },
            Builtin::ContractCode(contract) => format!("code_of_{contract}"),
            Builtin::InterfaceId(interface) => format!("id_of_{interface}"),
            Builtin::SelectorOf(signature) => format!("selector_of_{signature}"),
        };
        self.unknown(&called, given, &e.ty, e.place)
    }

    fn modular(
        &mut self,
        builtin: &Builtin,
        given: Vec<(Type, ast::Expr)>,
        place: Place,
    ) -> Low<ast::Expr> {
        let given: Vec<ast::Expr> = given.into_iter().map(|(_, value)| value).collect();
        let Ok([a, b, modulus]) = <[ast::Expr; 3]>::try_from(given) else {
            return refuse(place, "three arguments are expected");
        };
        self.check(compare(CompareOp::Ne, modulus.clone(), int(0)));
        let op = match builtin {
            Builtin::AddMod => BinaryOp::Add,
            _ => BinaryOp::Mul,
        };
        Ok(binary(BinaryOp::Mod, binary(op, a, b), modulus))
    }

    /// A function of which nothing is known but that it is one: a constant, which is a map from the arguments.
    pub fn unknown(
        &mut self,
        called: &str,
        arguments: Vec<(Type, ast::Expr)>,
        result: &Type,
        place: Place,
    ) -> Low<ast::Expr> {
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
            if let (true, ast::Type::Name(known)) = (several, self.class.ty(of, place)?) {
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
        Ok(build::indexed(function, arguments))
    }
}

fn is_text(ty: &Type) -> bool {
    matches!(ty, Type::Bytes | Type::String)
}
