//! Questions to the outside. What it answers are parameters; what the contract itself holds stays as it is.

use num_traits::Zero;

use super::action::LoweredAction;
use super::class::Ghost;
use super::memory::is_held;
use super::reenter;
use super::{Low, refuse};
use crate::front::solidity::FileRange;
use crate::front::solidity::flat::{
    Attempt, CatchKind, FlatCatch, FlatExpr, FlatExprKind, FlatLiteral, FlatStmt, FlatStmtKind,
    FlatType, LocalId, Outside, OutsideKind,
};
use crate::front::tq::ast;
use crate::front::tq::build::{self, and, assign, binary, compare, conditional, equal, int, name};
use crate::ir::{BinaryOp, Called, CompareOp, MessagePart};

impl<'c> LoweredAction<'_, 'c> {
    /// A question. If it may not fail, that it does is a revert, and no call of this action then.
    pub(super) fn outside(&mut self, outside: &'c Outside, place: FileRange) -> Low<()> {
        let value = self.asked(outside)?;
        self.calls(outside);
        match outside.success {
            None => {
                self.pay(value);
                self.may_be_called_back(&outside.kind, place);
                self.answered(&outside.results, answer_name(&outside.kind), place)?;
            }
            Some(success) => {
                let succeeds = self.taken(&outside.kind, place)?;
                let own = self.own(success, place)?;
                let covered = self.covered(value.as_ref());
                self.out.push(assign(name(&own), and(succeeds, covered)));
                let (paid, ()) = self.nested(|action| {
                    action.pay_covered(value);
                    action.may_be_called_back(&outside.kind, place);
                    Ok(())
                })?;
                if !paid.is_empty() {
                    self.out.push(conditional(name(&own), paid, Vec::new()));
                }
                self.answered(&outside.results, answer_name(&outside.kind), place)?;
            }
        }
        if let (OutsideKind::Create { .. }, [made]) = (&outside.kind, outside.results.as_slice()) {
            let made = self.own(*made, place)?;
            self.check(compare(CompareOp::Ne, name(made), int(0)));
        }
        Ok(())
    }

    /// What has to be known of who is called.
    fn calls(&mut self, outside: &Outside) {
        let called = match &outside.kind {
            OutsideKind::Transfer
            | OutsideKind::Send
            | OutsideKind::Call
            | OutsideKind::StaticCall => Called::Anybody,
            OutsideKind::Function { results, .. }
                if results.is_empty() && outside.success.is_none() =>
            {
                Called::Code
            }
            OutsideKind::Function { .. }
            | OutsideKind::Create { .. }
            | OutsideKind::Unimplemented { .. } => Called::Unknown,
        };
        self.called = self.called.max(called);
        self.must_be_taken |= outside.success.is_none();
    }

    /// Whether a call that may fail succeeds.
    fn taken(&mut self, kind: &OutsideKind, place: FileRange) -> Low<ast::ExprSyntax> {
        let taken = self.hidden("success", &FlatType::Bool, place)?;
        let is_plain = matches!(
            kind,
            OutsideKind::Send | OutsideKind::Call | OutsideKind::StaticCall
        );
        // In a loop, each round has its own.
        if let Some(part) = self.parts.last_mut()
            && is_plain
            && self.loops == 0
        {
            *part = MessagePart::Taken;
        }
        Ok(taken)
    }

    /// Says that what is called outside may call back here, if that is wanted; or that it is taken not to.
    fn may_be_called_back(&mut self, kind: &OutsideKind, place: FileRange) {
        let may_call_back = !matches!(
            kind,
            OutsideKind::Transfer
                | OutsideKind::Send
                | OutsideKind::StaticCall
                | OutsideKind::Function {
                    is_static: true,
                    ..
                }
        );
        if !may_call_back {
            return;
        }
        // Of a contract that is being made there is nothing to call.
        let is_split = self.class.reentrant && !self.in_constructor && self.loops == 0;
        if is_split {
            self.outside += 1;
            self.out.push(reenter::mark(self.outside));
        } else {
            let what = match self.class.reentrant && self.loops > 0 {
                true => {
                    "what is called outside in a loop is taken not to call back into the contract"
                }
                false => "what is called outside is taken not to call back into the contract",
            };
            self.class.note(place, what);
        }
    }

    /// What is looked at before a question; the ether that goes with it.
    fn asked(&mut self, outside: &Outside) -> Low<Option<ast::ExprSyntax>> {
        if let Some(target) = &outside.target {
            self.evaluate(target)?;
        }
        // What a library is told to send may turn out to be nothing.
        let value = match &outside.value {
            Some(value) if !is_zero(value) => Some(self.value(value)?).filter(|e| *e != int(0)),
            _ => None,
        };
        for argument in &outside.arguments {
            // What is given to the outside is lost there; only whether it reverts matters.
            if crate::front::solidity::flat::effects::may_revert(argument) {
                self.evaluate(argument)?;
            }
        }
        Ok(value)
    }

    /// That there is as much ether.
    fn covered(&mut self, value: Option<&ast::ExprSyntax>) -> ast::ExprSyntax {
        match value {
            Some(value) => {
                let balance = self.class.ghost(Ghost::Balance);
                compare(CompareOp::Ge, balance, value.clone())
            }
            None => build::bool(true),
        }
    }

    fn pay(&mut self, value: Option<ast::ExprSyntax>) {
        let covered = self.covered(value.as_ref());
        self.check(covered);
        self.pay_covered(value);
    }

    fn pay_covered(&mut self, value: Option<ast::ExprSyntax>) {
        if let Some(value) = value {
            let balance = self.class.ghost(Ghost::Balance);
            let rest = binary(BinaryOp::Sub, balance.clone(), value);
            self.out.push(assign(balance, rest));
        }
    }

    /// Variables get what nobody in the contract decides.
    pub(super) fn answered(
        &mut self,
        results: &[LocalId],
        called: &str,
        place: FileRange,
    ) -> Low<()> {
        for result in results {
            let Some(routine) = self.routine() else {
                return refuse(place, "there is no such routine");
            };
            let (_, ty) = self.declared(routine, *result, place)?;
            if is_held(&ty) {
                let answer = self.hidden_held(called, &ty, place)?;
                let own = self.own_held(*result, place)?;
                self.put(&own, answer);
                continue;
            }
            let answer = self.hidden(called, &ty, place)?;
            let own = self.own(*result, place)?;
            self.out.push(assign(name(own), answer));
        }
        Ok(())
    }

    /// The ether with which the contract calls itself; it has as much, and keeps it.
    pub(super) fn own_ether(
        &mut self,
        payable: bool,
        value: Option<&FlatExpr>,
    ) -> Low<ast::ExprSyntax> {
        let Some(value) = value.filter(|value| !is_zero(value)) else {
            return Ok(int(0));
        };
        let value = self.value(value)?;
        let covered = self.covered(Some(&value));
        self.check(covered);
        if !payable {
            self.check(equal(value.clone(), int(0)));
        }
        Ok(value)
    }

    /// `try`: of a call outside only. One of the contract itself would have to be undone.
    pub(super) fn attempt(
        &mut self,
        attempt: &'c Attempt,
        success: &'c [FlatStmt],
        catches: &'c [FlatCatch],
        place: FileRange,
    ) -> Low<()> {
        let FlatStmtKind::Outside(outside) = &attempt.kind else {
            return refuse(
                place,
                "`try` of a call of the contract itself is not taken yet",
            );
        };
        let value = self.asked(outside)?;
        self.called = Called::Unknown;
        let answered = self.hidden("success", &FlatType::Bool, place)?;
        let succeeds = and(answered, self.covered(value.as_ref()));
        let (paid, ()) = self.nested(|action| {
            action.pay_covered(value);
            action.answered(&outside.results, answer_name(&outside.kind), place)?;
            let success: Vec<&FlatStmt> = success.iter().collect();
            action.sequence(&success, &[])
        })?;
        let failed = self.caught(catches, place)?;
        self.out.push(conditional(succeeds, paid, failed));
        Ok(())
    }

    /// What happens where a call fails: which branch fits is the outside's choice.
    fn caught(&mut self, catches: &'c [FlatCatch], place: FileRange) -> Low<Vec<ast::StmtSyntax>> {
        let mut rest = vec![self.revert()];
        for catch in catches.iter().rev() {
            let (written, ()) = self.nested(|action| {
                if let Some(parameter) = catch.parameter {
                    action.answered(&[parameter], "reason", place)?;
                }
                let body: Vec<&FlatStmt> = catch.body.iter().collect();
                action.sequence(&body, &[])
            })?;
            rest = match catch.kind {
                CatchKind::Any => written,
                CatchKind::Error | CatchKind::Panic => {
                    let fits = self.hidden("says_so", &FlatType::Bool, place)?;
                    vec![conditional(fits, written, rest)]
                }
            };
        }
        Ok(rest)
    }
}

fn is_zero(e: &FlatExpr) -> bool {
    matches!(&e.kind, FlatExprKind::Literal(FlatLiteral::Number(value)) if value.is_zero())
}

fn answer_name(kind: &OutsideKind) -> &str {
    match kind {
        OutsideKind::Function { signature, .. } => signature.split('(').next().unwrap_or("answer"),
        OutsideKind::Create { .. } => "made",
        OutsideKind::Unimplemented { name } => name,
        _ => "answer",
    }
}
