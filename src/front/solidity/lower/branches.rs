//! Branches that no call takes are left out, and with them the fields of which nothing else speaks.
//!
//! ```text
//! if (from == 0) { throw Revert; }
//! if (from == 0) { supply := supply + amount; } else { … }      just the `else`
//! ```
//!
//! What several functions share is written for all of them: a token's `_update` mints, burns and moves, and a function that only
//! moves does the rest in no call. Each field that is left brings what is known of its kind, and questions about it.

use std::collections::{BTreeMap, BTreeSet};

use crate::front::tq::ast::{
    BlockSyntax, ContractClause, ExprSyntax, ExprSyntaxKind, Rhs, RoutineSyntax, StmtSyntax,
    StmtSyntaxKind, all_statements,
};
use crate::front::tq::build::equal;
use crate::ir::{BinaryOp, CompareOp};

/// Leaves out the branches of a routine that it never takes. `constants` are the names that have one value for ever.
pub(super) fn only_possible(routine: &mut RoutineSyntax, constants: &BTreeSet<String>) {
    let Some(body) = &mut routine.body else {
        return;
    };
    let mut assigned = BTreeSet::new();
    assigned_in(body, &mut assigned);
    let params = routine.params.iter().map(|param| param.name.name.clone());
    let mut branches = Branches {
        fixed: params
            .filter(|param| !assigned.contains(param))
            .chain(constants.iter().cloned())
            .collect(),
        values: BTreeMap::new(),
        known: Vec::new(),
    };
    for clause in &routine.contract {
        if let ContractClause::Requires(e) = clause {
            branches.learn(e, true);
        }
    }
    branches.block(body);
}

/// The variables that statements give values, inner ones included.
fn assigned_in(block: &BlockSyntax, found: &mut BTreeSet<String>) {
    for statement in all_statements(&block.statements) {
        match &statement.kind {
            StmtSyntaxKind::Var { name, .. } => {
                found.insert(name.name.clone());
            }
            StmtSyntaxKind::Assign {
                targets: places, ..
            }
            | StmtSyntaxKind::Havoc(places) => {
                found.extend(places.iter().filter_map(variable));
            }
            _ => {}
        }
    }
}

/// The variable that a place is, or is in.
pub(super) fn variable(place: &ExprSyntax) -> Option<String> {
    match &*place.kind {
        ExprSyntaxKind::Name(known) => Some(known.name.clone()),
        ExprSyntaxKind::Index(base, _) => variable(base),
        _ => None,
    }
}

/// What is known at a statement.
struct Branches {
    /// Names whose values do not change during the call.
    fixed: BTreeSet<String>,
    /// What variables are now, where that is such a name or a literal.
    values: BTreeMap<String, ExprSyntax>,
    /// Conditions over such names, and whether they hold.
    known: Vec<(ExprSyntax, bool)>,
}

impl Branches {
    fn block(&mut self, block: &mut BlockSyntax) {
        let mut rest: Vec<StmtSyntax> = std::mem::take(&mut block.statements);
        rest.reverse();
        while let Some(mut statement) = rest.pop() {
            if let StmtSyntaxKind::If {
                condition,
                then,
                otherwise,
            } = &mut statement.kind
                && let Some(holds) = self.decided(condition)
            {
                let taken = match holds {
                    true => std::mem::take(&mut then.statements),
                    false => otherwise.take().unwrap_or_default().statements,
                };
                rest.extend(taken.into_iter().rev());
                continue;
            }
            self.statement(&mut statement);
            // Nothing comes behind.
            if matches!(statement.kind, StmtSyntaxKind::Throw(_)) {
                rest.clear();
            }
            if !is_nothing(&statement) {
                block.statements.push(statement);
            }
        }
    }

    fn statement(&mut self, statement: &mut StmtSyntax) {
        match &mut statement.kind {
            StmtSyntaxKind::Var { name, value, .. } => {
                let value = value.as_ref().and_then(Rhs::expression);
                self.set(&name.name, value);
            }
            StmtSyntaxKind::Assign { targets, value } => match targets.as_slice() {
                [only] => match &*only.kind {
                    ExprSyntaxKind::Name(known) => self.set(&known.name, value.expression()),
                    _ => self.forget(variable(only)),
                },
                all => self.forget(all.iter().filter_map(variable)),
            },
            StmtSyntaxKind::Havoc(places) => self.forget(places.iter().filter_map(variable)),
            StmtSyntaxKind::Assume(e) => self.learn(e, true),
            StmtSyntaxKind::If {
                condition,
                then,
                otherwise,
            } => {
                let condition = condition.clone();
                self.inside(then, Some((&condition, true)));
                if let Some(otherwise) = otherwise {
                    self.inside(otherwise, Some((&condition, false)));
                }
                let ends = |block: &BlockSyntax| {
                    let last = block.statements.last();
                    last.is_some_and(|last| matches!(last.kind, StmtSyntaxKind::Throw(_)))
                };
                // Only the other branch goes on.
                if ends(then) {
                    self.learn(&condition, false);
                } else if otherwise.as_ref().is_some_and(ends) {
                    self.learn(&condition, true);
                }
            }
            _ => {
                for inner in statement.blocks_mut() {
                    self.inside(inner, None);
                }
            }
        }
    }

    /// A block that may be entered more than once, or not at all, or be left early. Its condition is one before it changes
    /// anything.
    fn inside(&mut self, block: &mut BlockSyntax, given: Option<(&ExprSyntax, bool)>) {
        let mut assigned = BTreeSet::new();
        assigned_in(block, &mut assigned);
        let known = self.known.len();
        if let Some((condition, holds)) = given {
            self.learn(condition, holds);
        } else {
            // A round of a loop begins with what the last one left.
            self.forget(assigned.iter().cloned());
        }
        self.block(block);
        self.known.truncate(known);
        self.forget(assigned);
    }

    fn set(&mut self, variable: &str, value: Option<&ExprSyntax>) {
        let value = value.map(|value| self.seen(value));
        match value.filter(|value| self.is_atom(value)) {
            Some(value) => drop(self.values.insert(variable.to_owned(), value)),
            None => drop(self.values.remove(variable)),
        }
    }

    fn forget(&mut self, variables: impl IntoIterator<Item = String>) {
        for variable in variables {
            self.values.remove(&variable);
        }
    }

    /// The expression with what variables are now.
    fn seen(&self, e: &ExprSyntax) -> ExprSyntax {
        let mut seen = e.clone();
        self.see(&mut seen);
        seen
    }

    fn see(&self, e: &mut ExprSyntax) {
        match &*e.kind {
            ExprSyntaxKind::Name(known) => {
                if let Some(value) = self.values.get(&known.name) {
                    *e = value.clone();
                }
            }
            // Names that are bound inside are others.
            ExprSyntaxKind::Quantified { .. } => {}
            _ => e
                .children_mut()
                .into_iter()
                .for_each(|inner| self.see(inner)),
        }
    }

    fn is_atom(&self, e: &ExprSyntax) -> bool {
        match &*e.kind {
            ExprSyntaxKind::Name(known) => self.fixed.contains(&known.name),
            ExprSyntaxKind::Int(_) | ExprSyntaxKind::Bool(_) => true,
            _ => false,
        }
    }

    /// Takes note of a condition, where it is one that does not change.
    fn learn(&mut self, e: &ExprSyntax, holds: bool) {
        match &*e.kind {
            ExprSyntaxKind::Not(inner) => self.learn(inner, !holds),
            ExprSyntaxKind::Binary(BinaryOp::And, a, b) if holds => {
                self.learn(a, true);
                self.learn(b, true);
            }
            ExprSyntaxKind::Binary(BinaryOp::Or, a, b) if !holds => {
                self.learn(a, false);
                self.learn(b, false);
            }
            ExprSyntaxKind::Name(_) => {
                let seen = self.seen(e);
                if matches!(*seen.kind, ExprSyntaxKind::Name(_)) && self.is_atom(&seen) {
                    self.known.push((seen, holds));
                }
            }
            _ => {
                if let Some((a, b, is_equal)) = self.equality(e) {
                    self.known.push((equal(a, b), is_equal == holds));
                }
            }
        }
    }

    /// Whether a condition holds, where that is known.
    fn decided(&self, e: &ExprSyntax) -> Option<bool> {
        match &*e.kind {
            ExprSyntaxKind::Bool(value) => Some(*value),
            ExprSyntaxKind::Not(inner) => self.decided(inner).map(|holds| !holds),
            ExprSyntaxKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let ends = *op == BinaryOp::Or;
                match (self.decided(a), self.decided(b)) {
                    (Some(holds), _) | (_, Some(holds)) if holds == ends => Some(ends),
                    (Some(_), Some(_)) => Some(!ends),
                    _ => None,
                }
            }
            ExprSyntaxKind::Name(_) => {
                let seen = self.seen(e);
                match *seen.kind {
                    ExprSyntaxKind::Bool(value) => Some(value),
                    _ => self.looked_up(&seen),
                }
            }
            _ => {
                let (a, b, is_equal) = self.equality(e)?;
                let same = match (&*a.kind, &*b.kind) {
                    (ExprSyntaxKind::Int(x), ExprSyntaxKind::Int(y)) => Some(x == y),
                    (ExprSyntaxKind::Bool(x), ExprSyntaxKind::Bool(y)) => Some(x == y),
                    _ if a == b => Some(true),
                    _ => self.looked_up(&equal(a, b)),
                };
                same.map(|same| same == is_equal)
            }
        }
    }

    fn looked_up(&self, e: &ExprSyntax) -> Option<bool> {
        let mut known = self.known.iter();
        known.find(|(known, _)| known == e).map(|(_, holds)| *holds)
    }

    /// `a == b`, `a != b`, of names that do not change and literals.
    fn equality(&self, e: &ExprSyntax) -> Option<(ExprSyntax, ExprSyntax, bool)> {
        let ExprSyntaxKind::Compare(a, rest) = &*e.kind else {
            return None;
        };
        let [(op @ (CompareOp::Eq | CompareOp::Ne), b)] = rest.as_slice() else {
            return None;
        };
        let (a, b) = (self.seen(a), self.seen(b));
        let both = self.is_atom(&a) && self.is_atom(&b);
        both.then_some((a, b, *op == CompareOp::Eq))
    }
}

/// A choice between nothing and nothing.
fn is_nothing(statement: &StmtSyntax) -> bool {
    let is_empty = |block: &BlockSyntax| block.statements.is_empty();
    match &statement.kind {
        StmtSyntaxKind::If {
            then, otherwise, ..
        } => is_empty(then) && otherwise.as_ref().is_none_or(is_empty),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::only_possible;
    use crate::front::tq::ast::{ItemSyntax, Member};
    use crate::front::tq::{parse_syntax, print};

    /// What is left of a body, in a line.
    fn left(body: &str) -> String {
        let text =
            format!("class C {{ var f: int; action a(p: int, q: int, c: bool) {{ {body} }} }}");
        let mut file = parse_syntax("c.tq", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
        for item in &mut file.items {
            let ItemSyntax::Class(class) = item else {
                continue;
            };
            for member in &mut class.members {
                if let Member::Routine(routine) = member {
                    only_possible(routine, &BTreeSet::new());
                }
            }
        }
        let text = print(&file);
        let body = text.split("c: bool)").nth(1).unwrap_or_default();
        let words: Vec<&str> = body.split_whitespace().collect();
        let line = words.join(" ");
        line.trim_end_matches(" } }")
            .trim_start_matches("{ ")
            .to_owned()
    }

    #[test]
    fn what_was_found_out_decides() {
        for (body, expected) in [
            // The second question has the answer of the first.
            (
                "if (p == 0) { throw E; } if (p == 0) { f := 1; } else { f := 2; }",
                "if (p == 0) { throw E; } f := 2;",
            ),
            (
                "assume p != 0 && !c; if (c || p == 0) { f := 1; }",
                "assume p != 0 && !c;",
            ),
            // A variable is what it got.
            (
                "var x: int := p; if (x == p) { f := 1; }",
                "var x: int := p; f := 1;",
            ),
            (
                "if (p == 0) { if (p != 0) { f := 1; } f := 2; } else if (p != 0) { f := 3; }",
                "if (p == 0) { f := 2; } else { f := 3; }",
            ),
            ("if (3 == 0) { throw E; } f := 1;", "f := 1;"),
            ("if (true) { throw E; } f := 1;", "throw E;"),
        ] {
            assert_eq!(left(body), expected, "{body}");
        }
    }

    /// What may be otherwise stays as it is.
    #[test]
    fn what_may_be_otherwise_decides_nothing() {
        for body in [
            // Fields and variables change.
            "assume f == 0; f := f + 1; if (f == 0) { f := 2; }",
            "var x: int := 0; if (c) { x := 1; } if (x == 0) { f := 1; }",
            "var x: int := 0; havoc x; if (x == 0) { f := 1; }",
            // The second round begins with what the first one left.
            "var x: int := 0; while (f > 0) { if (x == 0) { f := 1; } x := 1; }",
            "var x: int := 0; while (f > 0) { x := 1; } if (x == 0) { f := 1; }",
            // A block that is left has not learned all that is in it.
            "l: { if (c) { break l; } assume p == 0; } if (p == 0) { f := 1; }",
            "while (f > 0) { assume p == 0; } if (p == 0) { f := 1; }",
            "if (c) { assume p == 0; } if (p == 0) { f := 1; }",
            "if (c) { f := 2; } if (c && p == q) { f := 1; }",
            // One of two holds.
            "assume p == 0 || c; if (c) { f := 1; }",
            "assume !(p == 0 && c); if (c) { f := 1; }",
            "assume p != q; if (p == 0) { f := 1; }",
        ] {
            assert_eq!(left(body), body, "{body}");
        }
    }
}
