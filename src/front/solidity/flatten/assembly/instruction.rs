//! Instructions of the machine, in assembly.

use num_traits::ToPrimitive;

use super::super::place::ConstantKey;
use super::super::writer::RoutineWriter;
use super::super::{Flat, Rejection};
use super::word::{Word, converted, from_bool, is_not_zero, operate, signed};
use super::{AssemblyScope, is_zero};
use crate::front::solidity::ast::YulExpression;
use crate::front::solidity::flat::{
    ChainValue, FlatBinaryOp, FlatExpr, FlatExprKind, FlatStmtKind, FlatType, Outside, OutsideKind,
    Overflow, SolidityBuiltin, UnaryOp,
};
use crate::front::solidity::place::FileRange;

impl RoutineWriter<'_, '_> {
    /// An instruction, or a function of the block. Arguments are evaluated from right to left.
    pub(super) fn instruction<'a>(
        &mut self,
        scope: &mut AssemblyScope<'a>,
        name: &str,
        arguments: &'a [YulExpression],
        place: FileRange,
    ) -> Flat<Vec<Word>> {
        if let Some(what) = refused(name) {
            return Err(Rejection::at(place, what));
        }
        let literal_zero = is_zero(arguments.get(2));
        let mut words = Vec::new();
        for argument in arguments.iter().rev() {
            let mark = self.out.len();
            let word = self.word(scope, argument, place)?;
            self.freeze_words(&mut words, mark)?;
            words.push(word);
        }
        words.reverse();
        if let Some(words) = self.storage_instruction(scope, name, &words, place)? {
            return Ok(words);
        }
        match name {
            "mload" => return Ok(vec![self.load(&words, place)]),
            "mstore" | "mstore8" | "mcopy" | "calldatacopy" | "returndatacopy" | "codecopy"
            | "datacopy" => return self.stored_at(words.first(), place),
            "extcodecopy" => return self.stored_at(words.get(1), place),
            "log0" | "log1" | "log2" | "log3" | "log4" | "pop" => return Ok(Vec::new()),
            "revert" | "invalid" => return self.revert_here(place),
            "call" | "staticcall" => {
                let ether = name == "call" && !literal_zero;
                return self.call_here(name, words, ether, place);
            }
            "create" | "create2" => return self.create_here(words, place),
            _ => {}
        }
        if let Some(word) = environment(name, place) {
            return Ok(vec![word]);
        }
        if unknown(name) {
            return Ok(vec![Word::unknown(Vec::new())]);
        }
        if arity(name) == Some(words.len()) {
            return self.compute(name, words, place).map(|word| vec![word]);
        }
        self.yul_call(scope, name, words, place)
    }

    /// An instruction that reads or writes storage, or finds out where something is there; none if it does not.
    fn storage_instruction(
        &mut self,
        scope: &mut AssemblyScope<'_>,
        name: &str,
        words: &[Word],
        place: FileRange,
    ) -> Flat<Option<Vec<Word>>> {
        match (name, words) {
            ("mstore", [address, word]) => Ok(scratch(address).map(|at| {
                scope.scratch.insert(at, word.clone());
                Vec::new()
            })),
            ("keccak256" | "sha3", [_, _]) => {
                let word = self.hashed(scope, words, place)?;
                Ok(Some(vec![word.unwrap_or(Word::unknown(Vec::new()))]))
            }
            ("sload" | "tload", [slot]) => {
                let word = self.load_slot(slot.clone(), name == "tload", place)?;
                Ok(Some(vec![word]))
            }
            ("sstore" | "tstore", [slot, value]) => {
                self.store_slot(slot.clone(), value.clone(), name == "tstore", place)?;
                Ok(Some(Vec::new()))
            }
            ("add", [a, b]) => Ok(self.moved(a, b, place)?.map(|word| vec![word])),
            _ => Ok(None),
        }
    }

    fn freeze_words(&mut self, words: &mut [Word], mark: usize) -> Flat<()> {
        use super::super::writer::WrittenValue;
        let mut values: Vec<WrittenValue> = Vec::new();
        for word in words.iter() {
            values.push(
                word.value
                    .clone()
                    .map_or(WrittenValue::Word, WrittenValue::Expr),
            );
        }
        self.freeze(values.iter_mut(), mark)?;
        for (word, value) in words.iter_mut().zip(values) {
            if let WrittenValue::Expr(expr) = value {
                word.value = Some(expr);
            }
        }
        Ok(())
    }

    /// At the beginning of an array or `bytes` stands its length.
    fn load(&self, words: &[Word], place: FileRange) -> Word {
        let Some(Word {
            objects,
            at_start: true,
            ..
        }) = words.first()
        else {
            return Word::unknown(Vec::new());
        };
        match objects.first() {
            Some(object) if has_length(&object.ty) => {
                let kind = FlatExprKind::Length(Box::new(object.clone()));
                Word::known(FlatExpr::new(kind, FlatType::UINT, place))
            }
            _ => Word::unknown(Vec::new()),
        }
    }

    /// What is written into an object of the contract makes its contents anything. Free memory is nobody's.
    fn stored_at(&mut self, address: Option<&Word>, place: FileRange) -> Flat<Vec<Word>> {
        for object in address.map_or(&[][..], |word| &word.objects) {
            self.hidden = true;
            let note = "assembly writes into memory here: what stands there then may be anything";
            self.note(place, note);
            self.write(FlatStmtKind::HavocMemory(object.clone()), place)?;
        }
        Ok(Vec::new())
    }

    /// `call(gas, address, value, in, insize, out, outsize)`, `staticcall` without the value.
    fn call_here(
        &mut self,
        name: &str,
        words: Vec<Word>,
        ether: bool,
        place: FileRange,
    ) -> Flat<Vec<Word>> {
        let is_call = name == "call";
        let mut words = words.into_iter().skip(1);
        let target = words
            .next()
            .ok_or_else(|| Rejection::at(place, "an argument is missing"))?;
        let target = self.known(target, place)?;
        let value = if is_call { words.next() } else { None };
        let value = match value {
            Some(value) if ether => Some(self.known(value, place)?),
            _ => None,
        };
        let out = words.nth(2);
        let success = self.temporary(FlatType::Bool, place);
        let outside = Outside {
            kind: if is_call {
                OutsideKind::Call
            } else {
                OutsideKind::StaticCall
            },
            target: Some(converted(target, FlatType::Address)),
            value,
            arguments: Vec::new(),
            success: Some(success),
            results: Vec::new(),
        };
        self.write(FlatStmtKind::Outside(outside), place)?;
        self.hidden = true;
        self.stored_at(out.as_ref(), place)?;
        let success = FlatExpr::local(success, FlatType::Bool, place);
        Ok(vec![Word::known(from_bool(success, place))])
    }

    /// `create(value, in, insize)`: the address, or zero.
    fn create_here(&mut self, words: Vec<Word>, place: FileRange) -> Flat<Vec<Word>> {
        let value = words.into_iter().next();
        let value = value.ok_or_else(|| Rejection::at(place, "an argument is missing"))?;
        let value = self.known(value, place)?;
        let success = self.temporary(FlatType::Bool, place);
        let made = self.temporary(FlatType::Address, place);
        let outside = Outside {
            kind: OutsideKind::Create {
                contract: String::new(),
            },
            target: None,
            value: Some(value),
            arguments: Vec::new(),
            success: Some(success),
            results: vec![made],
        };
        self.write(FlatStmtKind::Outside(outside), place)?;
        self.hidden = true;
        let made = converted(
            FlatExpr::local(made, FlatType::Address, place),
            FlatType::UINT,
        );
        let kind = FlatExprKind::Conditional(
            Box::new(FlatExpr::local(success, FlatType::Bool, place)),
            Box::new(made),
            Box::new(FlatExpr::number(0, FlatType::UINT, place)),
        );
        Ok(vec![Word::known(FlatExpr::new(
            kind,
            FlatType::UINT,
            place,
        ))])
    }

    /// An instruction that computes. Of addresses it gives addresses in the same objects.
    fn compute(&mut self, name: &str, words: Vec<Word>, place: FileRange) -> Flat<Word> {
        let objects: Vec<FlatExpr> = words.iter().flat_map(|word| word.objects.clone()).collect();
        if words.iter().any(|word| word.slot.is_some()) {
            return Err(Rejection::at(
                place,
                "assembly computes with a slot of storage",
            ));
        }
        if words.iter().any(|word| word.value.is_none()) {
            return Ok(Word::unknown(objects));
        }
        let mut values = words.into_iter().filter_map(|word| word.value);
        let mut next = || {
            values
                .next()
                .unwrap_or(FlatExpr::number(0, FlatType::UINT, place))
        };
        let (a, b, c) = (next(), next(), next());
        let value = match name {
            "add" => operate(FlatBinaryOp::Add, a, b),
            "sub" => operate(FlatBinaryOp::Sub, a, b),
            "mul" => operate(FlatBinaryOp::Mul, a, b),
            "div" => self.divided(FlatBinaryOp::Div, a, b, place)?,
            "mod" => self.divided(FlatBinaryOp::Mod, a, b, place)?,
            "sdiv" => self.divided(FlatBinaryOp::Div, signed(a), signed(b), place)?,
            "smod" => self.divided(FlatBinaryOp::Mod, signed(a), signed(b), place)?,
            "exp" => operate(FlatBinaryOp::Exp, a, b),
            "and" => operate(FlatBinaryOp::BitAnd, a, b),
            "or" => operate(FlatBinaryOp::BitOr, a, b),
            "xor" => operate(FlatBinaryOp::BitXor, a, b),
            "not" => {
                let kind = FlatExprKind::Unary(UnaryOp::BitNot, Box::new(a), Overflow::Wrapping);
                FlatExpr::new(kind, FlatType::UINT, place)
            }
            // The shifted word comes second.
            "shl" => operate(FlatBinaryOp::Shl, b, a),
            "shr" => operate(FlatBinaryOp::Shr, b, a),
            "sar" => operate(FlatBinaryOp::Shr, signed(b), a),
            "lt" => from_bool(operate(FlatBinaryOp::Lt, a, b), place),
            "gt" => from_bool(operate(FlatBinaryOp::Gt, a, b), place),
            "slt" => from_bool(operate(FlatBinaryOp::Lt, signed(a), signed(b)), place),
            "sgt" => from_bool(operate(FlatBinaryOp::Gt, signed(a), signed(b)), place),
            "eq" => from_bool(operate(FlatBinaryOp::Eq, a, b), place),
            "iszero" => from_bool(is_not_zero(a, place).negated(), place),
            "byte" => self.byte(a, b, place)?,
            "addmod" => self.modulo(SolidityBuiltin::AddMod, (a, b, c), place)?,
            "mulmod" => self.modulo(SolidityBuiltin::MulMod, (a, b, c), place)?,
            "extcodesize" => of_address(SolidityBuiltin::CodeLength, a, FlatType::UINT, place),
            "extcodehash" => of_address(
                SolidityBuiltin::CodeHash,
                a,
                FlatType::FixedBytes(32),
                place,
            ),
            "balance" => of_address(SolidityBuiltin::BalanceOf, a, FlatType::UINT, place),
            _ => return Ok(Word::unknown(objects)),
        };
        Ok(Word {
            value: Some(converted(value, FlatType::UINT)),
            ..Word::unknown(objects)
        })
    }

    /// A division, which by zero gives zero.
    fn divided(
        &mut self,
        op: FlatBinaryOp,
        a: FlatExpr,
        b: FlatExpr,
        place: FileRange,
    ) -> Flat<FlatExpr> {
        let b = if self.is_stable(&b) { b } else { self.keep(b)? };
        let zero = || Box::new(FlatExpr::number(0, b.ty.clone(), place));
        let is_zero = operate(FlatBinaryOp::Eq, b.clone(), *zero());
        let ty = a.ty.clone();
        let quotient = operate(op, a, b.clone());
        let kind = FlatExprKind::Conditional(Box::new(is_zero), zero(), Box::new(quotient));
        Ok(FlatExpr::new(kind, ty, place))
    }

    /// `addmod`, `mulmod`: by zero they give zero.
    fn modulo(
        &mut self,
        builtin: SolidityBuiltin,
        (a, b, n): (FlatExpr, FlatExpr, FlatExpr),
        place: FileRange,
    ) -> Flat<FlatExpr> {
        let n = if self.is_stable(&n) { n } else { self.keep(n)? };
        let zero = || FlatExpr::number(0, FlatType::UINT, place);
        let is_zero = operate(FlatBinaryOp::Eq, n.clone(), zero());
        let value = FlatExprKind::Builtin(builtin, vec![a, b, n]);
        let value = FlatExpr::new(value, FlatType::UINT, place);
        let kind = FlatExprKind::Conditional(Box::new(is_zero), Box::new(zero()), Box::new(value));
        Ok(FlatExpr::new(kind, FlatType::UINT, place))
    }

    /// `byte(n, x)`: the n-th byte from the left, or zero.
    fn byte(&mut self, n: FlatExpr, word: FlatExpr, place: FileRange) -> Flat<FlatExpr> {
        let n = if self.is_stable(&n) { n } else { self.keep(n)? };
        let inside = operate(
            FlatBinaryOp::Lt,
            n.clone(),
            FlatExpr::number(32, FlatType::UINT, place),
        );
        let bytes = converted(word, FlatType::FixedBytes(32));
        let kind = FlatExprKind::ByteAt(Box::new(bytes), Box::new(n));
        let byte = converted(
            FlatExpr::new(kind, FlatType::FixedBytes(1), place),
            FlatType::UINT,
        );
        let zero = FlatExpr::number(0, FlatType::UINT, place);
        let kind = FlatExprKind::Conditional(Box::new(inside), Box::new(byte), Box::new(zero));
        Ok(FlatExpr::new(kind, FlatType::UINT, place))
    }
}

fn of_address(
    builtin: SolidityBuiltin,
    word: FlatExpr,
    ty: FlatType,
    place: FileRange,
) -> FlatExpr {
    let address = converted(word, FlatType::Address);
    FlatExpr::new(FlatExprKind::Builtin(builtin, vec![address]), ty, place)
}

/// Which of the first two words of memory an address is.
fn scratch(address: &Word) -> Option<u32> {
    match super::super::place::constant(address.value.as_ref()?)? {
        ConstantKey::Number(at) => at.to_u32().filter(|at| [0, 0x20].contains(at)),
        ConstantKey::Named(_) => None,
    }
}

fn has_length(ty: &FlatType) -> bool {
    matches!(
        ty,
        FlatType::Bytes | FlatType::String | FlatType::Array(_, None)
    )
}

/// What the call and the chain give.
fn environment(name: &str, place: FileRange) -> Option<Word> {
    let (env, ty) = match name {
        "caller" => (ChainValue::Sender, FlatType::Address),
        "callvalue" => (ChainValue::Value, FlatType::UINT),
        "address" => (ChainValue::This, FlatType::Address),
        "origin" => (ChainValue::Origin, FlatType::Address),
        "gasprice" => (ChainValue::GasPrice, FlatType::UINT),
        "gas" => (ChainValue::GasLeft, FlatType::UINT),
        "timestamp" => (ChainValue::Timestamp, FlatType::UINT),
        "number" => (ChainValue::Number, FlatType::UINT),
        "chainid" => (ChainValue::ChainId, FlatType::UINT),
        "basefee" => (ChainValue::BaseFee, FlatType::UINT),
        "blobbasefee" => (ChainValue::BlobBaseFee, FlatType::UINT),
        "coinbase" => (ChainValue::Coinbase, FlatType::Address),
        "difficulty" | "prevrandao" => (ChainValue::Difficulty, FlatType::UINT),
        "gaslimit" => (ChainValue::GasLimit, FlatType::UINT),
        "selfbalance" => (ChainValue::Balance, FlatType::UINT),
        "returndatasize" => (ChainValue::ReturnSize, FlatType::UINT),
        "calldatasize" => {
            let data = FlatExpr::new(FlatExprKind::Env(ChainValue::Data), FlatType::Bytes, place);
            let length = FlatExprKind::Length(Box::new(data));
            return Some(Word::known(FlatExpr::new(length, FlatType::UINT, place)));
        }
        _ => return None,
    };
    let value = FlatExpr::new(FlatExprKind::Env(env), ty, place);
    Some(Word::known(converted(value, FlatType::UINT)))
}

/// Instructions whose result is not followed.
fn unknown(name: &str) -> bool {
    matches!(
        name,
        "calldataload" | "codesize" | "msize" | "pc" | "blobhash" | "blockhash"
    )
}

/// How many arguments the instructions take that compute.
fn arity(name: &str) -> Option<usize> {
    Some(match name {
        "not" | "iszero" | "clz" | "extcodesize" | "extcodehash" | "balance" => 1,
        "add" | "sub" | "mul" | "div" | "mod" | "sdiv" | "smod" | "exp" | "and" | "or" | "xor"
        | "shl" | "shr" | "sar" | "lt" | "gt" | "slt" | "sgt" | "eq" | "byte" | "signextend" => 2,
        "addmod" | "mulmod" => 3,
        _ => return None,
    })
}

/// Why an instruction is not taken, if it is not.
fn refused(name: &str) -> Option<&'static str> {
    Some(match name {
        "delegatecall" | "callcode" => {
            "`delegatecall` runs code on this contract's storage that is not known here"
        }
        "selfdestruct" | "suicide" => "`selfdestruct` ends the contract's life",
        "return" | "stop" => "assembly ends the call here",
        _ => return None,
    })
}
