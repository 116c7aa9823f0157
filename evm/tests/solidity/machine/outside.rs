//! Calls that leave the contract, or come back to it.

use num_bigint::{BigInt, BigUint};
use num_traits::Zero;
use tranquera::front::solidity::flat::{
    CatchKind, FlatCatch, FlatStmt, FlatStmtKind, FlatType, Outside, OutsideKind,
};

use super::exec::Flow;
use super::{Data, Frame, Machine, Message, Object, Run, Stop, Value, decode, unsupported};
use crate::evm::{Answer, made};

impl Machine<'_> {
    pub(super) fn outside(&mut self, frame: &mut Frame, outside: &Outside) -> Run<()> {
        let answer = self.ask(frame, outside)?;
        if let Some(local) = outside.success {
            frame.locals.insert(local, Value::Bool(answer.success));
        } else if !answer.success {
            return Err(Stop::Revert);
        }
        self.received(frame, outside, &answer)
    }

    /// What the outside answers. Ether goes if it succeeds.
    fn ask(&mut self, frame: &Frame, outside: &Outside) -> Run<Answer> {
        let target = match &outside.target {
            Some(target) => self.number(frame, target)?,
            None => BigInt::zero(),
        };
        let value = match &outside.value {
            Some(value) => self.number(frame, value)?,
            None => BigInt::zero(),
        };
        self.evals(frame, &outside.arguments)?;
        let target = target.to_biguint().unwrap_or_default();
        if target == self.world.own && outside.target.is_some() {
            return unsupported("a message to itself by its address");
        }
        if target < BigUint::from(0x12_u8) && outside.target.is_some() && !target.is_zero() {
            return unsupported("a contract of the machine");
        }
        if matches!(outside.kind, OutsideKind::Unimplemented { .. }) {
            return unsupported("a function without a body");
        }
        if matches!(outside.kind, OutsideKind::Function { .. })
            && !self.world.with_code.contains(&target)
        {
            // The compiled code looks whether there is code, sometimes; then it reverts, else what comes back is wrong.
            return unsupported("a call of an account without code");
        }
        let value = value.to_biguint().unwrap_or_default();
        if value > self.world.balance {
            return Ok(Answer {
                success: false,
                data: Vec::new(),
            });
        }
        let answer = self.answer();
        if answer.success {
            self.world.balance -= value;
        }
        Ok(answer)
    }

    fn received(&mut self, frame: &mut Frame, outside: &Outside, answer: &Answer) -> Run<()> {
        match &outside.kind {
            OutsideKind::Create { .. } => {
                let number = if answer.success {
                    self.world.made += 1;
                    BigInt::from_bytes_be(
                        num_bigint::Sign::Plus,
                        made(self.world.made - 1).as_slice(),
                    )
                } else {
                    BigInt::zero()
                };
                for local in &outside.results {
                    frame.locals.insert(*local, Value::Number(number.clone()));
                }
                Ok(())
            }
            OutsideKind::Call | OutsideKind::StaticCall => {
                for local in &outside.results {
                    let data = self.new_object(Object::Bytes(answer.data.clone()));
                    frame.locals.insert(*local, data);
                }
                Ok(())
            }
            OutsideKind::Function { .. } => self.decoded(frame, &answer.data, &outside.results),
            OutsideKind::Transfer | OutsideKind::Send | OutsideKind::Unimplemented { .. } => Ok(()),
        }
    }

    /// `this.f()`: a message to itself.
    pub(super) fn call_self(&mut self, frame: &mut Frame, statement: &FlatStmtKind) -> Run<()> {
        let FlatStmtKind::CallSelf {
            routine,
            payable,
            arguments,
            value,
            results,
        } = statement
        else {
            return Ok(());
        };
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.eval(frame, argument)?;
            values.push(self.copy(&value)?);
        }
        let value = match value {
            Some(value) => self.number(frame, value)?.to_biguint().unwrap_or_default(),
            None => BigUint::default(),
        };
        if value > self.world.balance || (!payable && !value.is_zero()) {
            return Err(Stop::Revert);
        }
        let message = Message {
            sender: self.world.own.clone(),
            value,
            data: None,
        };
        let given = self.call(*routine, values, &message)?;
        for (local, value) in results.iter().zip(given) {
            let copy = self.copy(&value)?;
            frame.locals.insert(*local, copy);
        }
        Ok(())
    }

    pub(super) fn attempt(
        &mut self,
        frame: &mut Frame,
        attempt: &FlatStmt,
        success: &[FlatStmt],
        catches: &[FlatCatch],
    ) -> Run<Flow> {
        let before = (self.state.clone(), self.world.clone());
        let failed = match &attempt.kind {
            FlatStmtKind::Outside(outside) => {
                let answer = self.ask(frame, outside)?;
                if answer.success {
                    self.received(frame, outside, &answer)?;
                    None
                } else {
                    Some(answer.data)
                }
            }
            call => match self.call_self(frame, call) {
                Ok(()) => None,
                Err(Stop::Revert) => {
                    (self.state, self.world) = before;
                    // What it said is not kept.
                    if catches
                        .iter()
                        .any(|catch| catch.parameter.is_some() || catch.kind != CatchKind::Any)
                    {
                        return unsupported("what a message to itself says when it fails");
                    }
                    Some(Vec::new())
                }
                Err(other) => return Err(other),
            },
        };
        let Some(said) = failed else {
            return self.block(frame, success);
        };
        self.caught(frame, &said, catches)
    }

    fn caught(&mut self, frame: &mut Frame, said: &[u8], catches: &[FlatCatch]) -> Run<Flow> {
        for catch in catches {
            let (selector, ty) = match catch.kind {
                CatchKind::Error => (Some([0x08, 0xc3, 0x79, 0xa0]), FlatType::String),
                CatchKind::Panic => (Some([0x4e, 0x48, 0x7b, 0x71]), FlatType::UINT),
                CatchKind::Any => (None, FlatType::Bytes),
            };
            let data = match selector {
                None => Some(vec![Data::Bytes(said.to_vec())]),
                Some(selector) => said
                    .strip_prefix(&selector)
                    .and_then(|rest| decode(self.contract, std::slice::from_ref(&ty), rest)),
            };
            let Some(data) = data else { continue };
            if let (Some(local), Some(data)) = (catch.parameter, data.first()) {
                let value = self.take_in(&ty, data)?;
                frame.locals.insert(local, value);
            }
            return self.block(frame, &catch.body);
        }
        Err(Stop::Revert)
    }
}
