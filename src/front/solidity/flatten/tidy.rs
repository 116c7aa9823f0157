//! A body without what says nothing.

use std::collections::BTreeSet;

use crate::front::solidity::flat::{FlatBlock, FlatStmtKind, LabelId};

/// Takes away what says nothing: labels that nobody leaves to, and leaving for where one gets anyway.
pub(super) fn tidy(block: &mut FlatBlock) {
    let mut left = BTreeSet::new();
    drop_tails(block, &mut Vec::new());
    collect_left(block, &mut left);
    unwrap_labels(block, &left);
}

/// Drops a `leave` at the end of a block from whose end one gets to the same point.
fn drop_tails(block: &mut FlatBlock, ends: &mut Vec<LabelId>) {
    // Behind what always leaves or reverts, nothing is reached.
    let stop = block.iter().position(|statement| {
        matches!(
            statement.kind,
            FlatStmtKind::Leave(_) | FlatStmtKind::Revert(_)
        )
    });
    if let Some(at) = stop {
        block.truncate(at + 1);
    }
    let last = block.len().wrapping_sub(1);
    for (at, statement) in block.iter_mut().enumerate() {
        let mut none = Vec::new();
        let here = if at == last { &mut *ends } else { &mut none };
        match &mut statement.kind {
            FlatStmtKind::If(_, yes, no) => {
                drop_tails(yes, here);
                drop_tails(no, here);
            }
            FlatStmtKind::Labelled(label, body) => {
                here.push(*label);
                drop_tails(body, here);
                here.pop();
            }
            FlatStmtKind::While(_, _, body) => drop_tails(body, &mut Vec::new()),
            FlatStmtKind::Try {
                success, catches, ..
            } => {
                drop_tails(success, here);
                for catch in catches {
                    drop_tails(&mut catch.body, here);
                }
            }
            _ => {}
        }
    }
    if let Some(FlatStmtKind::Leave(label)) = block.last().map(|statement| &statement.kind)
        && ends.contains(label)
    {
        block.pop();
    }
}

fn collect_left(block: &FlatBlock, left: &mut BTreeSet<LabelId>) {
    for statement in block {
        if let FlatStmtKind::Leave(label) = statement.kind {
            left.insert(label);
        }
        for block in statement.kind.blocks() {
            collect_left(block, left);
        }
    }
}

fn unwrap_labels(block: &mut FlatBlock, left: &BTreeSet<LabelId>) {
    for mut statement in std::mem::take(block) {
        for block in statement.kind.blocks_mut() {
            unwrap_labels(block, left);
        }
        match statement.kind {
            FlatStmtKind::Labelled(label, mut body) if !left.contains(&label) => {
                block.append(&mut body)
            }
            _ => block.push(statement),
        }
    }
}
