//! Expressions as text.

use super::Printer;
use crate::front::solidity::flat::{
    Builtin, Encoding, Env, Expr, ExprKind, Literal, Lvalue, Overflow, Root, Step, Type, UnaryOp,
};

impl Printer<'_> {
    pub(super) fn expr(&self, expr: &Expr) -> String {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(literal, &expr.ty),
            ExprKind::Constant(id) => {
                let constant = self.contract.constants.get(id.index());
                constant.map_or("?", |constant| &constant.name).to_owned()
            }
            ExprKind::Env(env) => environment(*env).to_owned(),
            ExprKind::Read(lvalue) => self.lvalue(lvalue),
            ExprKind::Load(lvalue) => format!("load({})", self.lvalue(lvalue)),
            ExprKind::Copy(inner) => format!("copy({})", self.expr(inner)),
            ExprKind::StorageLength(lvalue) => format!("{}.length", self.lvalue(lvalue)),
            ExprKind::Length(inner) => format!("{}.length", self.tight(inner)),
            ExprKind::ByteAt(base, index) => {
                format!("{}[{}]", self.tight(base), self.expr(index))
            }
            ExprKind::Unary(op, inner, overflow) => {
                let op = match (op, overflow) {
                    (UnaryOp::Not, _) => "!",
                    (UnaryOp::BitNot, _) => "~",
                    (UnaryOp::Minus, Overflow::Checked) => "-",
                    (UnaryOp::Minus, Overflow::Wrapping) => "-%",
                };
                format!("{op}{}", self.tight(inner))
            }
            ExprKind::Binary(op, left, right, overflow) => {
                let (left, right) = (self.tight(left), self.tight(right));
                format!("{left} {}{} {right}", op.text(), wraps(expr, *overflow))
            }
            ExprKind::Conditional(condition, yes, no) => {
                let (yes, no) = (self.tight(yes), self.tight(no));
                format!("{} ? {yes} : {no}", self.tight(condition))
            }
            ExprKind::Convert(inner) => format!("{}({})", self.ty(&expr.ty), self.expr(inner)),
            ExprKind::Default => format!("zero({})", self.ty(&expr.ty)),
            ExprKind::NewArray(length) => {
                format!("new {}({})", self.ty(&expr.ty), self.expr(length))
            }
            ExprKind::NewStruct(members) => {
                format!("new {}({})", self.ty(&expr.ty), self.exprs(members))
            }
            ExprKind::NewElements(elements) => {
                format!("new {}[{}]", self.ty(&expr.ty), self.exprs(elements))
            }
            ExprKind::Slice(base, start, end) => {
                let bound = |bound: &Option<Box<Expr>>| {
                    bound.as_ref().map_or(String::new(), |e| self.expr(e))
                };
                format!("{}[{}:{}]", self.tight(base), bound(start), bound(end))
            }
            ExprKind::Builtin(builtin, arguments) => {
                format!("{}({})", builtin_name(builtin), self.exprs(arguments))
            }
        }
    }

    pub(super) fn exprs(&self, list: &[Expr]) -> String {
        let list: Vec<String> = list.iter().map(|expr| self.expr(expr)).collect();
        list.join(", ")
    }

    /// In brackets where it has several parts.
    fn tight(&self, expr: &Expr) -> String {
        let text = self.expr(expr);
        match expr.kind {
            ExprKind::Binary(..) | ExprKind::Conditional(..) => format!("({text})"),
            _ => text,
        }
    }

    pub(super) fn lvalue(&self, lvalue: &Lvalue) -> String {
        let mut text = match &lvalue.root {
            Root::Variable(id) => {
                let variable = self.contract.variable(*id);
                variable.map_or("?", |variable| &variable.name).to_owned()
            }
            Root::Local(id) => self.local(*id).to_owned(),
            Root::Memory(base) => self.tight(base),
        };
        let mut ty = match &lvalue.root {
            Root::Variable(id) => self
                .contract
                .variable(*id)
                .map(|variable| variable.ty.clone()),
            Root::Local(_) => None,
            Root::Memory(base) => Some(base.ty.clone()),
        };
        for step in &lvalue.steps {
            match step {
                Step::Member(number) => {
                    text.push('.');
                    text.push_str(&self.member(ty.as_ref(), *number));
                }
                Step::Key(key) => text.push_str(&format!("[{}]", self.expr(key))),
                Step::Index { index, checked } => {
                    let mark = if *checked { "" } else { "~" };
                    text.push_str(&format!("[{mark}{}]", self.expr(index)));
                }
            }
            ty = ty.and_then(|ty| self.inside(&ty, step));
        }
        text
    }

    fn member(&self, ty: Option<&Type>, number: usize) -> String {
        let Some(Type::Struct(id)) = ty else {
            return number.to_string();
        };
        let structure = self.contract.structure(*id);
        let member = structure.and_then(|structure| structure.members.get(number));
        member.map_or_else(|| number.to_string(), |(name, _)| name.clone())
    }

    fn inside(&self, ty: &Type, step: &Step) -> Option<Type> {
        match (ty, step) {
            (Type::Struct(id), Step::Member(number)) => {
                let (_, ty) = self.contract.structure(*id)?.members.get(*number)?;
                Some(ty.clone())
            }
            (Type::Mapping(_, inner) | Type::Array(inner, _), _) => Some(inner.as_ref().clone()),
            _ => None,
        }
    }

    fn literal(&self, literal: &Literal, ty: &Type) -> String {
        match (literal, ty) {
            (Literal::Bool(value), _) => value.to_string(),
            (Literal::Number(value), Type::Enum(id)) => {
                let enumeration = self.contract.enums.get(id.index());
                let number = usize::try_from(value.clone()).ok();
                let member = enumeration
                    .zip(number)
                    .and_then(|(known, number)| Some((known, known.members.get(number)?)));
                member.map_or_else(
                    || value.to_string(),
                    |(known, member)| format!("{}.{member}", known.name),
                )
            }
            (Literal::Number(value), Type::Address | Type::Contract(_)) => {
                format!("address({value})")
            }
            (Literal::Number(value), _) => value.to_string(),
            (Literal::Bytes(bytes), Type::String) => {
                format!("{:?}", String::from_utf8_lossy(bytes))
            }
            (Literal::Bytes(bytes), _) => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("hex\"{digits}\"")
            }
        }
    }
}

/// Whether the operator is marked as one that wraps around.
fn wraps(expr: &Expr, overflow: Overflow) -> &'static str {
    use crate::front::solidity::flat::BinaryOp::{Add, Exp, Mul, Sub};
    match &expr.kind {
        ExprKind::Binary(Add | Sub | Mul | Exp, ..) if overflow == Overflow::Wrapping => "%",
        _ => "",
    }
}

fn environment(env: Env) -> &'static str {
    match env {
        Env::This => "this",
        Env::Balance => "this.balance",
        Env::Sender => "msg.sender",
        Env::Value => "msg.value",
        Env::Data => "msg.data",
        Env::Selector => "msg.sig",
        Env::Origin => "tx.origin",
        Env::GasPrice => "tx.gasprice",
        Env::GasLeft => "gasleft",
        Env::Timestamp => "block.timestamp",
        Env::Number => "block.number",
        Env::ChainId => "block.chainid",
        Env::BaseFee => "block.basefee",
        Env::BlobBaseFee => "block.blobbasefee",
        Env::Coinbase => "block.coinbase",
        Env::Difficulty => "block.prevrandao",
        Env::GasLimit => "block.gaslimit",
        Env::ReturnSize => "returndatasize",
    }
}

fn builtin_name(builtin: &Builtin) -> String {
    match builtin {
        Builtin::Keccak256 => "keccak256",
        Builtin::Sha256 => "sha256",
        Builtin::Ripemd160 => "ripemd160",
        Builtin::EcRecover => "ecrecover",
        Builtin::AddMod => "addmod",
        Builtin::MulMod => "mulmod",
        Builtin::BlockHash => "blockhash",
        Builtin::BlobHash => "blobhash",
        Builtin::BalanceOf => "balance",
        Builtin::CodeOf => "code",
        Builtin::CodeLength => "codesize",
        Builtin::CodeHash => "codehash",
        Builtin::Concat => "concat",
        Builtin::Encode(Encoding::Standard) => "abi.encode",
        Builtin::Encode(Encoding::Packed) => "abi.encodePacked",
        Builtin::Encode(Encoding::Selector) => "abi.encodeWithSelector",
        Builtin::Encode(Encoding::Signature) => "abi.encodeWithSignature",
        Builtin::ContractCode(name) => return format!("code<{name}>"),
        Builtin::InterfaceId(name) => return format!("interfaceId<{name}>"),
        Builtin::SelectorOf(signature) => return format!("selector<{signature}>"),
    }
    .to_owned()
}
