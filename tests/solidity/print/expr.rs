//! Expressions as text.

use tranquera::front::solidity::flat::{
    AbiEncoding, AccessStep, ChainValue, FlatBinaryOp, FlatExpr, FlatExprKind, FlatLiteral,
    FlatType, Lvalue, Overflow, Root, SolidityBuiltin, UnaryOp,
};

use super::FlatPrinter;

impl FlatPrinter<'_> {
    pub(super) fn expr(&self, expr: &FlatExpr) -> String {
        match &expr.kind {
            FlatExprKind::Literal(literal) => self.literal(literal, &expr.ty),
            FlatExprKind::Constant(id) => {
                let constant = self.contract.constants.get(id.index());
                constant.map_or("?", |constant| &constant.name).to_owned()
            }
            FlatExprKind::Env(env) => environment(*env).to_owned(),
            FlatExprKind::Read(lvalue) => self.lvalue(lvalue),
            FlatExprKind::Load(lvalue) => format!("load({})", self.lvalue(lvalue)),
            FlatExprKind::Copy(inner) => format!("copy({})", self.expr(inner)),
            FlatExprKind::StorageLength(lvalue) => format!("{}.length", self.lvalue(lvalue)),
            FlatExprKind::Length(inner) => format!("{}.length", self.tight(inner)),
            FlatExprKind::ByteAt(base, index) => {
                format!("{}[{}]", self.tight(base), self.expr(index))
            }
            FlatExprKind::Unary(op, inner, overflow) => {
                let op = match (op, overflow) {
                    (UnaryOp::Not, _) => "!",
                    (UnaryOp::BitNot, _) => "~",
                    (UnaryOp::Minus, Overflow::Checked) => "-",
                    (UnaryOp::Minus, Overflow::Wrapping) => "-%",
                };
                format!("{op}{}", self.tight(inner))
            }
            FlatExprKind::Binary(op, left, right, overflow) => {
                let (left, right) = (self.tight(left), self.tight(right));
                format!("{left} {}{} {right}", symbol(*op), wraps(expr, *overflow))
            }
            FlatExprKind::Conditional(condition, yes, no) => {
                let (yes, no) = (self.tight(yes), self.tight(no));
                format!("{} ? {yes} : {no}", self.tight(condition))
            }
            FlatExprKind::Convert(inner) => format!("{}({})", self.ty(&expr.ty), self.expr(inner)),
            FlatExprKind::Default => format!("zero({})", self.ty(&expr.ty)),
            FlatExprKind::NewArray(length) => {
                format!("new {}({})", self.ty(&expr.ty), self.expr(length))
            }
            FlatExprKind::NewStruct(members) => {
                format!("new {}({})", self.ty(&expr.ty), self.exprs(members))
            }
            FlatExprKind::NewElements(elements) => {
                format!("new {}[{}]", self.ty(&expr.ty), self.exprs(elements))
            }
            FlatExprKind::Slice(base, start, end) => {
                let bound = |bound: &Option<Box<FlatExpr>>| {
                    bound.as_ref().map_or(String::new(), |e| self.expr(e))
                };
                format!("{}[{}:{}]", self.tight(base), bound(start), bound(end))
            }
            FlatExprKind::Builtin(builtin, arguments) => {
                format!("{}({})", builtin_name(builtin), self.exprs(arguments))
            }
        }
    }

    pub(super) fn exprs(&self, list: &[FlatExpr]) -> String {
        let list: Vec<String> = list.iter().map(|expr| self.expr(expr)).collect();
        list.join(", ")
    }

    /// In brackets where it has several parts.
    fn tight(&self, expr: &FlatExpr) -> String {
        let text = self.expr(expr);
        match expr.kind {
            FlatExprKind::Binary(..) | FlatExprKind::Conditional(..) => format!("({text})"),
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
                AccessStep::Member(number) => {
                    text.push('.');
                    text.push_str(&self.member(ty.as_ref(), *number));
                }
                AccessStep::Key(key) => text.push_str(&format!("[{}]", self.expr(key))),
                AccessStep::Index { index, checked } => {
                    let mark = if *checked { "" } else { "~" };
                    text.push_str(&format!("[{mark}{}]", self.expr(index)));
                }
            }
            ty = ty.and_then(|ty| self.inside(&ty, step));
        }
        text
    }

    fn member(&self, ty: Option<&FlatType>, number: usize) -> String {
        let Some(FlatType::Struct(id)) = ty else {
            return number.to_string();
        };
        let structure = self.contract.structure(*id);
        let member = structure.and_then(|structure| structure.members.get(number));
        member.map_or_else(|| number.to_string(), |(name, _)| name.clone())
    }

    fn inside(&self, ty: &FlatType, step: &AccessStep) -> Option<FlatType> {
        match (ty, step) {
            (FlatType::Struct(id), AccessStep::Member(number)) => {
                let (_, ty) = self.contract.structure(*id)?.members.get(*number)?;
                Some(ty.clone())
            }
            (FlatType::Mapping(_, inner) | FlatType::Array(inner, _), _) => {
                Some(inner.as_ref().clone())
            }
            _ => None,
        }
    }

    fn literal(&self, literal: &FlatLiteral, ty: &FlatType) -> String {
        match (literal, ty) {
            (FlatLiteral::Bool(value), _) => value.to_string(),
            (FlatLiteral::Number(value), FlatType::Enum(id)) => {
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
            (FlatLiteral::Number(value), FlatType::Address | FlatType::Contract(_)) => {
                format!("address({value})")
            }
            (FlatLiteral::Number(value), _) => value.to_string(),
            (FlatLiteral::Bytes(bytes), FlatType::String) => {
                format!("{:?}", String::from_utf8_lossy(bytes))
            }
            (FlatLiteral::Bytes(bytes), _) => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                format!("hex\"{digits}\"")
            }
        }
    }
}

fn symbol(op: FlatBinaryOp) -> &'static str {
    match op {
        FlatBinaryOp::Add => "+",
        FlatBinaryOp::Sub => "-",
        FlatBinaryOp::Mul => "*",
        FlatBinaryOp::Div => "/",
        FlatBinaryOp::Mod => "%",
        FlatBinaryOp::Exp => "**",
        FlatBinaryOp::Shl => "<<",
        FlatBinaryOp::Shr | FlatBinaryOp::ShrToZero => ">>",
        FlatBinaryOp::BitAnd => "&",
        FlatBinaryOp::BitOr => "|",
        FlatBinaryOp::BitXor => "^",
        FlatBinaryOp::Eq => "==",
        FlatBinaryOp::Ne => "!=",
        FlatBinaryOp::Lt => "<",
        FlatBinaryOp::Le => "<=",
        FlatBinaryOp::Gt => ">",
        FlatBinaryOp::Ge => ">=",
        FlatBinaryOp::And => "&&",
        FlatBinaryOp::Or => "||",
    }
}

/// Whether the operator is marked as one that wraps around.
fn wraps(expr: &FlatExpr, overflow: Overflow) -> &'static str {
    use tranquera::front::solidity::flat::FlatBinaryOp::{Add, Exp, Mul, Sub};
    match &expr.kind {
        FlatExprKind::Binary(Add | Sub | Mul | Exp, ..) if overflow == Overflow::Wrapping => "%",
        _ => "",
    }
}

fn environment(env: ChainValue) -> &'static str {
    match env {
        ChainValue::This => "this",
        ChainValue::Balance => "this.balance",
        ChainValue::Sender => "msg.sender",
        ChainValue::Value => "msg.value",
        ChainValue::Data => "msg.data",
        ChainValue::Selector => "msg.sig",
        ChainValue::Origin => "tx.origin",
        ChainValue::GasPrice => "tx.gasprice",
        ChainValue::GasLeft => "gasleft",
        ChainValue::Timestamp => "block.timestamp",
        ChainValue::Number => "block.number",
        ChainValue::ChainId => "block.chainid",
        ChainValue::BaseFee => "block.basefee",
        ChainValue::BlobBaseFee => "block.blobbasefee",
        ChainValue::Coinbase => "block.coinbase",
        ChainValue::Difficulty => "block.prevrandao",
        ChainValue::GasLimit => "block.gaslimit",
        ChainValue::ReturnSize => "returndatasize",
    }
}

fn builtin_name(builtin: &SolidityBuiltin) -> String {
    match builtin {
        SolidityBuiltin::Keccak256 => "keccak256",
        SolidityBuiltin::Sha256 => "sha256",
        SolidityBuiltin::Ripemd160 => "ripemd160",
        SolidityBuiltin::EcRecover => "ecrecover",
        SolidityBuiltin::AddMod => "addmod",
        SolidityBuiltin::MulMod => "mulmod",
        SolidityBuiltin::BlockHash => "blockhash",
        SolidityBuiltin::BlobHash => "blobhash",
        SolidityBuiltin::BalanceOf => "balance",
        SolidityBuiltin::CodeOf => "code",
        SolidityBuiltin::CodeLength => "codesize",
        SolidityBuiltin::CodeHash => "codehash",
        SolidityBuiltin::Concat => "concat",
        SolidityBuiltin::Encode(AbiEncoding::Standard) => "abi.encode",
        SolidityBuiltin::Encode(AbiEncoding::Packed) => "abi.encodePacked",
        SolidityBuiltin::Encode(AbiEncoding::Selector) => "abi.encodeWithSelector",
        SolidityBuiltin::Encode(AbiEncoding::Signature) => "abi.encodeWithSignature",
        SolidityBuiltin::ContractCode(name) => return format!("code<{name}>"),
        SolidityBuiltin::InterfaceId(name) => return format!("interfaceId<{name}>"),
        SolidityBuiltin::SelectorOf(signature) => return format!("selector<{signature}>"),
    }
    .to_owned()
}
