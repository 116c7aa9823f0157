//! What the amounts in a mapping add up to.
//!
//! ```text
//! owed_sum := owed_sum + highest;              beside each write of `owed`
//! owed[leader] := owed[leader] + highest;
//!
//! fact forall key: nat :: owed[key] <= owed_sum;
//! fact owed_sum > 0 ==> exists key: nat :: owed[key] > 0;
//! ```
//!
//! That what is owed adds up to what is there is what a contract lives by, and no formula over single keys says it. A mapping has
//! few keys that were ever written, so that there is a sum; both facts hold of it.
//!
//! What is written is an amount where it is the one before and something more, or the ether that was sent, or where a variable of
//! the contract goes up by it, too:
//!
//! ```text
//! _shares[account] := shares;
//! _totalShares := _totalShares + shares;
//! ```

use super::Low;
use super::action::LoweredAction;
use super::class::LoweredClass;
use super::layout::{Leaf, LeafKey, Spot};
use crate::front::solidity::flat::FlatType;
use crate::front::tq::ast::{self, ExprSyntaxKind};
use crate::front::tq::build::{self, binary, compare, int, name, param};
use crate::ir::{BinaryOp, CompareOp};

impl LoweredAction<'_, '_> {
    /// Gives a place of a value type in storage a value.
    pub(super) fn write(&mut self, spot: &Spot, value: ast::ExprSyntax) -> Low<()> {
        let (field, key) = (self.leaf(spot)?, spot.key());
        let is_amount = more(&field, &value).is_some() || self.is_sent(&value);
        let is_amount = is_amount || self.totals.go_up_by(&value);
        if let Some(sum) = self.class.sum(&key, is_amount) {
            self.out
                .push(build::assign(sum.clone(), changed(sum, &field, &value)));
        }
        if let Some(by) = more(&field, &value) {
            for amounts in self.totals.goes_up(by) {
                self.class.sum(&amounts, true);
            }
        }
        self.totals.kept.push((key, value.clone()));
        self.out.push(build::assign(field, value));
        Ok(())
    }
}

/// What an action has written so far, where that may be what a total goes up by.
#[derive(Debug, Default)]
pub(super) struct Totals {
    /// What places in storage have got.
    kept: Vec<(LeafKey, ast::ExprSyntax)>,
    /// What some have gone up by.
    by: Vec<ast::ExprSyntax>,
}

impl Totals {
    /// Whether something has gone up by this.
    fn go_up_by(&self, value: &ast::ExprSyntax) -> bool {
        self.by.contains(value)
    }

    /// Something goes up by this: the places that have got just that.
    fn goes_up(&mut self, by: &ast::ExprSyntax) -> Vec<LeafKey> {
        // A one that is written somewhere and added elsewhere is no amount.
        if !matches!(&*by.kind, ExprSyntaxKind::Name(_)) {
            return Vec::new();
        }
        self.by.push(by.clone());
        let same = self.kept.iter().filter(|(_, value)| value == by);
        same.map(|(key, _)| key.clone()).collect()
    }
}

/// What more a value is than the one before.
fn more<'v>(before: &ast::ExprSyntax, value: &'v ast::ExprSyntax) -> Option<&'v ast::ExprSyntax> {
    match &*value.kind {
        ExprSyntaxKind::Binary(BinaryOp::Add, first, by) if first == before => Some(by),
        _ => None,
    }
}

/// A sum where one of its amounts gets another value.
fn changed(
    sum: ast::ExprSyntax,
    amount: &ast::ExprSyntax,
    value: &ast::ExprSyntax,
) -> ast::ExprSyntax {
    match &*value.kind {
        ExprSyntaxKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), before, by)
            if before == amount =>
        {
            binary(*op, sum, by.clone())
        }
        _ => {
            let others = binary(BinaryOp::Sub, sum, amount.clone());
            match &*value.kind {
                ExprSyntaxKind::Int(n) if *n == 0.into() => others,
                _ => binary(BinaryOp::Add, others, value.clone()),
            }
        }
    }
}

impl LoweredClass<'_> {
    /// The sum of the amounts in a mapping, if there is one: where this write or another one adds to an amount there, or keeps
    /// what was sent.
    fn sum(&mut self, key: &LeafKey, is_amount: bool) -> Option<ast::ExprSyntax> {
        let leaf = self.leaves.get(key)?;
        if !self.sums.contains_key(key) {
            if !is_amount || !self.has_amounts(leaf) {
                return None;
            }
            let wanted = format!("{}_sum", leaf.name);
            let sum = self.names.fresh(&wanted);
            self.sums.insert(key.clone(), sum);
        }
        self.sums.get(key).map(|sum| name(sum.as_str()))
    }

    /// Whether there is an amount for each of many keys.
    fn has_amounts(&self, leaf: &Leaf) -> bool {
        let is_unsigned = |ty| matches!(ty, FlatType::Int(int) if !int.signed);
        leaf.indices.len() == 1 && leaf.keys.len() == 1 && is_unsigned(self.underlying(&leaf.value))
    }

    /// The fields that hold the sums.
    pub(super) fn sum_fields(&self) -> impl Iterator<Item = ast::Member> {
        self.sums.values().map(|sum| ast::Member::Var {
            name: build::ident(sum),
            ty: build::ty("nat"),
            value: Some(int(0)),
        })
    }

    /// What holds of any amounts and their sum.
    pub(super) fn sum_facts(&self) -> Vec<ast::ExprSyntax> {
        let mut names = self.names.clone();
        let key = names.fresh("key");
        let mut facts = Vec::new();
        for (leaf, sum) in &self.sums {
            let Some((leaf, ty)) = self
                .leaves
                .get(leaf)
                .and_then(|leaf| Some((leaf, leaf.indices.first()?)))
            else {
                continue;
            };
            let amount = || build::indexed(name(leaf.name.as_str()), [name(key.as_str())]);
            let no_more = compare(CompareOp::Le, amount(), name(sum.as_str()));
            facts.push(build::forall(param(&key, ty.clone()), no_more));
            let some = compare(CompareOp::Gt, amount(), int(0));
            let some = build::exists(param(&key, ty.clone()), some);
            let is_any = compare(CompareOp::Gt, name(sum.as_str()), int(0));
            facts.push(binary(BinaryOp::Implies, is_any, some));
        }
        facts
    }
}
