//! Instructions of the machine, in assembly.

use num_traits::ToPrimitive;

use super::super::place::ConstantKey;
use super::super::writer::Writer;
use super::super::{Flat, Stop};
use super::word::{Word, converted, from_bool, is_not_zero, operate, signed};
use super::{Scope, is_zero};
use crate::front::solidity::ast::YulExpression;
use crate::front::solidity::flat::{
    BinaryOp, Builtin, Env, Expr, ExprKind, Outside, OutsideKind, Overflow, StmtKind, Type, UnaryOp,
};
use crate::front::solidity::place::Place;

impl Writer<'_, '_> {
    /// An instruction, or a function of the block. Arguments are evaluated from right to left.
    pub(super) fn instruction<'a>(
        &mut self,
        scope: &mut Scope<'a>,
        name: &str,
        arguments: &'a [YulExpression],
        place: Place,
    ) -> Flat<Vec<Word>> {
        if let Some(what) = refused(name) {
            return Err(Stop::at(place, what));
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
        scope: &mut Scope<'_>,
        name: &str,
        words: &[Word],
        place: Place,
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
        use super::super::writer::Value;
        let mut values: Vec<Value> = Vec::new();
        for word in words.iter() {
            values.push(word.value.clone().map_or(Value::Word, Value::Expr));
        }
        self.freeze(values.iter_mut(), mark)?;
        for (word, value) in words.iter_mut().zip(values) {
            if let Value::Expr(expr) = value {
                word.value = Some(expr);
            }
        }
        Ok(())
    }

    /// At the beginning of an array or `bytes` stands its length.
    fn load(&self, words: &[Word], place: Place) -> Word {
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
                let kind = ExprKind::Length(Box::new(object.clone()));
                Word::known(Expr::new(kind, Type::UINT, place))
            }
            _ => Word::unknown(Vec::new()),
        }
    }

    /// What is written into an object of the contract makes its contents anything. Free memory is nobody's.
    fn stored_at(&mut self, address: Option<&Word>, place: Place) -> Flat<Vec<Word>> {
        for object in address.map_or(&[][..], |word| &word.objects) {
            self.hidden = true;
            let note = "assembly writes into memory here: what stands there then may be anything";
            self.note(place, note);
            self.write(StmtKind::HavocMemory(object.clone()), place)?;
        }
        Ok(Vec::new())
    }

    /// `call(gas, address, value, in, insize, out, outsize)`, `staticcall` without the value.
    fn call_here(
        &mut self,
        name: &str,
        words: Vec<Word>,
        ether: bool,
        place: Place,
    ) -> Flat<Vec<Word>> {
        let is_call = name == "call";
        let mut words = words.into_iter().skip(1);
        let target = words
            .next()
            .ok_or_else(|| Stop::at(place, "an argument is missing"))?;
        let target = self.known(target, place)?;
        let value = if is_call { words.next() } else { None };
        let value = match value {
            Some(value) if ether => Some(self.known(value, place)?),
            _ => None,
        };
        let out = words.nth(2);
        let success = self.temporary(Type::Bool, place);
        let outside = Outside {
            kind: if is_call {
                OutsideKind::Call
            } else {
                OutsideKind::StaticCall
            },
            target: Some(converted(target, Type::Address)),
            value,
            arguments: Vec::new(),
            success: Some(success),
            results: Vec::new(),
        };
        self.write(StmtKind::Outside(outside), place)?;
        self.hidden = true;
        self.stored_at(out.as_ref(), place)?;
        let success = Expr::local(success, Type::Bool, place);
        Ok(vec![Word::known(from_bool(success, place))])
    }

    /// `create(value, in, insize)`: the address, or zero.
    fn create_here(&mut self, words: Vec<Word>, place: Place) -> Flat<Vec<Word>> {
        let value = words.into_iter().next();
        let value = value.ok_or_else(|| Stop::at(place, "an argument is missing"))?;
        let value = self.known(value, place)?;
        let success = self.temporary(Type::Bool, place);
        let made = self.temporary(Type::Address, place);
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
        self.write(StmtKind::Outside(outside), place)?;
        self.hidden = true;
        let made = converted(Expr::local(made, Type::Address, place), Type::UINT);
        let kind = ExprKind::Conditional(
            Box::new(Expr::local(success, Type::Bool, place)),
            Box::new(made),
            Box::new(Expr::number(0, Type::UINT, place)),
        );
        Ok(vec![Word::known(Expr::new(kind, Type::UINT, place))])
    }

    /// An instruction that computes. Of addresses it gives addresses in the same objects.
    fn compute(&mut self, name: &str, words: Vec<Word>, place: Place) -> Flat<Word> {
        let objects: Vec<Expr> = words.iter().flat_map(|word| word.objects.clone()).collect();
        if words.iter().any(|word| word.slot.is_some()) {
            return Err(Stop::at(place, "assembly computes with a slot of storage"));
        }
        if words.iter().any(|word| word.value.is_none()) {
            return Ok(Word::unknown(objects));
        }
        let mut values = words.into_iter().filter_map(|word| word.value);
        let mut next = || values.next().unwrap_or(Expr::number(0, Type::UINT, place));
        let (a, b, c) = (next(), next(), next());
        let value = match name {
            "add" => operate(BinaryOp::Add, a, b),
            "sub" => operate(BinaryOp::Sub, a, b),
            "mul" => operate(BinaryOp::Mul, a, b),
            "div" => self.divided(BinaryOp::Div, a, b, place)?,
            "mod" => self.divided(BinaryOp::Mod, a, b, place)?,
            "sdiv" => self.divided(BinaryOp::Div, signed(a), signed(b), place)?,
            "smod" => self.divided(BinaryOp::Mod, signed(a), signed(b), place)?,
            "exp" => operate(BinaryOp::Exp, a, b),
            "and" => operate(BinaryOp::BitAnd, a, b),
            "or" => operate(BinaryOp::BitOr, a, b),
            "xor" => operate(BinaryOp::BitXor, a, b),
            "not" => {
                let kind = ExprKind::Unary(UnaryOp::BitNot, Box::new(a), Overflow::Wrapping);
                Expr::new(kind, Type::UINT, place)
            }
            // The shifted word comes second.
            "shl" => operate(BinaryOp::Shl, b, a),
            "shr" => operate(BinaryOp::Shr, b, a),
            "sar" => operate(BinaryOp::Shr, signed(b), a),
            "lt" => from_bool(operate(BinaryOp::Lt, a, b), place),
            "gt" => from_bool(operate(BinaryOp::Gt, a, b), place),
            "slt" => from_bool(operate(BinaryOp::Lt, signed(a), signed(b)), place),
            "sgt" => from_bool(operate(BinaryOp::Gt, signed(a), signed(b)), place),
            "eq" => from_bool(operate(BinaryOp::Eq, a, b), place),
            "iszero" => from_bool(is_not_zero(a, place).negated(), place),
            "byte" => self.byte(a, b, place)?,
            "addmod" => self.modulo(Builtin::AddMod, (a, b, c), place)?,
            "mulmod" => self.modulo(Builtin::MulMod, (a, b, c), place)?,
            "extcodesize" => of_address(Builtin::CodeLength, a, Type::UINT, place),
            "extcodehash" => of_address(Builtin::CodeHash, a, Type::FixedBytes(32), place),
            "balance" => of_address(Builtin::BalanceOf, a, Type::UINT, place),
            _ => return Ok(Word::unknown(objects)),
        };
        Ok(Word {
            value: Some(converted(value, Type::UINT)),
            ..Word::unknown(objects)
        })
    }

    /// A division, which by zero gives zero.
    fn divided(&mut self, op: BinaryOp, a: Expr, b: Expr, place: Place) -> Flat<Expr> {
        let b = if self.is_stable(&b) { b } else { self.keep(b)? };
        let zero = || Box::new(Expr::number(0, b.ty.clone(), place));
        let is_zero = operate(BinaryOp::Eq, b.clone(), *zero());
        let ty = a.ty.clone();
        let quotient = operate(op, a, b.clone());
        let kind = ExprKind::Conditional(Box::new(is_zero), zero(), Box::new(quotient));
        Ok(Expr::new(kind, ty, place))
    }

    /// `addmod`, `mulmod`: by zero they give zero.
    fn modulo(
        &mut self,
        builtin: Builtin,
        (a, b, n): (Expr, Expr, Expr),
        place: Place,
    ) -> Flat<Expr> {
        let n = if self.is_stable(&n) { n } else { self.keep(n)? };
        let zero = || Expr::number(0, Type::UINT, place);
        let is_zero = operate(BinaryOp::Eq, n.clone(), zero());
        let value = ExprKind::Builtin(builtin, vec![a, b, n]);
        let value = Expr::new(value, Type::UINT, place);
        let kind = ExprKind::Conditional(Box::new(is_zero), Box::new(zero()), Box::new(value));
        Ok(Expr::new(kind, Type::UINT, place))
    }

    /// `byte(n, x)`: the n-th byte from the left, or zero.
    fn byte(&mut self, n: Expr, word: Expr, place: Place) -> Flat<Expr> {
        let n = if self.is_stable(&n) { n } else { self.keep(n)? };
        let inside = operate(BinaryOp::Lt, n.clone(), Expr::number(32, Type::UINT, place));
        let bytes = converted(word, Type::FixedBytes(32));
        let kind = ExprKind::ByteAt(Box::new(bytes), Box::new(n));
        let byte = converted(Expr::new(kind, Type::FixedBytes(1), place), Type::UINT);
        let zero = Expr::number(0, Type::UINT, place);
        let kind = ExprKind::Conditional(Box::new(inside), Box::new(byte), Box::new(zero));
        Ok(Expr::new(kind, Type::UINT, place))
    }
}

fn of_address(builtin: Builtin, word: Expr, ty: Type, place: Place) -> Expr {
    let address = converted(word, Type::Address);
    Expr::new(ExprKind::Builtin(builtin, vec![address]), ty, place)
}

/// Which of the first two words of memory an address is.
fn scratch(address: &Word) -> Option<u32> {
    match super::super::place::constant(address.value.as_ref()?)? {
        ConstantKey::Number(at) => at.to_u32().filter(|at| [0, 0x20].contains(at)),
        ConstantKey::Named(_) => None,
    }
}

fn has_length(ty: &Type) -> bool {
    matches!(ty, Type::Bytes | Type::String | Type::Array(_, None))
}

/// What the call and the chain give.
fn environment(name: &str, place: Place) -> Option<Word> {
    let (env, ty) = match name {
        "caller" => (Env::Sender, Type::Address),
        "callvalue" => (Env::Value, Type::UINT),
        "address" => (Env::This, Type::Address),
        "origin" => (Env::Origin, Type::Address),
        "gasprice" => (Env::GasPrice, Type::UINT),
        "gas" => (Env::GasLeft, Type::UINT),
        "timestamp" => (Env::Timestamp, Type::UINT),
        "number" => (Env::Number, Type::UINT),
        "chainid" => (Env::ChainId, Type::UINT),
        "basefee" => (Env::BaseFee, Type::UINT),
        "blobbasefee" => (Env::BlobBaseFee, Type::UINT),
        "coinbase" => (Env::Coinbase, Type::Address),
        "difficulty" | "prevrandao" => (Env::Difficulty, Type::UINT),
        "gaslimit" => (Env::GasLimit, Type::UINT),
        "selfbalance" => (Env::Balance, Type::UINT),
        "returndatasize" => (Env::ReturnSize, Type::UINT),
        "calldatasize" => {
            let data = Expr::new(ExprKind::Env(Env::Data), Type::Bytes, place);
            let length = ExprKind::Length(Box::new(data));
            return Some(Word::known(Expr::new(length, Type::UINT, place)));
        }
        _ => return None,
    };
    let value = Expr::new(ExprKind::Env(env), ty, place);
    Some(Word::known(converted(value, Type::UINT)))
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
