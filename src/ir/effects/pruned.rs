//! The exceptions that a call may end in where its contract already says what some of its conditions are: a field that nothing
//! in the call writes has the value that it had when it began. `if (closed) throw E` never throws behind `requires !closed`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Effects, raised_by};
use crate::ir::{
    BinaryOp, CompareOp, Condition, ExceptionId, Expr, ExprKind, FieldRef, Program, RoutineRef,
    Stmt, StmtKind, Type, formula,
};

/// Blocks nested deeper than this are not looked into.
const DEPTH_LIMIT: usize = 100;

/// The exceptions that a routine may end in when it is called as its contract says.
pub fn thrown_when_legal(
    program: &Program,
    effects: &Effects,
    routine: RoutineRef,
) -> BTreeSet<ExceptionId> {
    let all = &effects.routine(routine).throws;
    let written = &effects.routine(routine).writes;
    let clauses = program.routine(routine).requires.iter().cloned();
    let mut known = BTreeMap::new();
    for clause in clauses.flat_map(formula::conjuncts_of) {
        known.extend(fact(&clause).filter(|(field, _)| !written.contains(field)));
    }
    if known.is_empty() || all.is_empty() {
        return all.clone();
    }
    let mut pruning = Pruning {
        program,
        effects,
        known,
        found: BTreeMap::from([(routine, BTreeSet::new())]),
    };
    loop {
        let before = pruning.found.clone();
        for routine in before.keys() {
            let throws = pruning.routine(*routine);
            pruning.found.insert(*routine, throws);
        }
        if pruning.found == before {
            let found = before.get(&routine).unwrap_or(all);
            return found.intersection(all).copied().collect();
        }
    }
}

/// What a condition says of a field of the object: the value of a boolean, whether a reference is null.
fn fact(e: &Expr) -> Option<(FieldRef, bool)> {
    match e.kind.as_ref() {
        ExprKind::Not(inner) => fact(inner).map(|(field, value)| (field, !value)),
        ExprKind::Field(object, field) if is_this(object) && e.ty == Type::Bool => {
            Some((*field, true))
        }
        ExprKind::Compare(op @ (CompareOp::Eq | CompareOp::Ne), a, b) => {
            let of_null = |a: &Expr, b: &Expr| match (a.kind.as_ref(), b.kind.as_ref()) {
                (ExprKind::Field(object, field), ExprKind::Null) if is_this(object) => Some(*field),
                _ => None,
            };
            let field = of_null(a, b).or_else(|| of_null(b, a))?;
            Some((field, *op == CompareOp::Eq))
        }
        _ => None,
    }
}

fn is_this(e: &Expr) -> bool {
    matches!(e.kind.as_ref(), ExprKind::This)
}

/// What is found of the routines that are run on the object.
struct Pruning<'a> {
    program: &'a Program,
    effects: &'a Effects,
    known: BTreeMap<FieldRef, bool>,
    /// The exceptions that each of them may end in, as far as it is known yet.
    found: BTreeMap<RoutineRef, BTreeSet<ExceptionId>>,
}

/// What running a block may do.
#[derive(Default)]
struct Ends {
    throws: BTreeSet<ExceptionId>,
    /// Whether its end is never reached.
    never: bool,
}

impl Pruning<'_> {
    fn routine(&mut self, routine: RoutineRef) -> BTreeSet<ExceptionId> {
        match &self.program.routine(routine).body {
            Some(body) => self.block(body, &BTreeSet::new(), DEPTH_LIMIT).throws,
            None => self.effects.routine(routine).throws.clone(),
        }
    }

    /// What a block may end in. `caught` is what the innermost handler around it may raise again.
    fn block(&mut self, block: &[Stmt], caught: &BTreeSet<ExceptionId>, depth: usize) -> Ends {
        let mut ends = Ends::default();
        for stmt in block {
            let stmt_ends = match depth.checked_sub(1) {
                Some(depth) => self.statement(stmt, caught, depth),
                None => Ends {
                    throws: (0..self.program.exceptions.len())
                        .map(ExceptionId)
                        .collect(),
                    never: false,
                },
            };
            ends.throws.extend(stmt_ends.throws);
            if stmt_ends.never {
                ends.never = true;
                break;
            }
        }
        ends
    }

    fn statement(&mut self, stmt: &Stmt, caught: &BTreeSet<ExceptionId>, depth: usize) -> Ends {
        let mut ends = Ends {
            throws: raised_by(self.program, stmt),
            never: false,
        };
        let mut taken: Vec<Ends> = Vec::new();
        match &stmt.kind {
            StmtKind::Return | StmtKind::Throw(_) | StmtKind::Break(_) | StmtKind::Continue(_) => {
                ends.never = true;
            }
            StmtKind::ThrowAgain => {
                ends.throws.extend(caught);
                ends.never = true;
            }
            StmtKind::If(condition, then, otherwise) => {
                let value = match condition {
                    Condition::Any => None,
                    Condition::Expr(e) => self.value(e),
                };
                for (branch, side) in [(then, true), (otherwise, false)] {
                    if value != Some(!side) {
                        taken.push(self.block(branch, caught, depth));
                    }
                }
                ends.never = taken.iter().all(|ends| ends.never);
            }
            StmtKind::While { body, .. } | StmtKind::Labelled(_, body) => {
                taken.push(self.block(body, caught, depth));
            }
            StmtKind::Try { body, catches } => {
                let inner = self.block(body, caught, depth);
                let mut past = inner.throws.clone();
                ends.never = inner.never;
                for catch in catches {
                    let caught = past.iter().filter(|e| catch.exceptions.contains(e));
                    let here: BTreeSet<ExceptionId> = caught.copied().collect();
                    past.retain(|e| !here.contains(e));
                    if here.is_empty() {
                        continue;
                    }
                    let handler = self.block(&catch.body, &here, depth);
                    ends.never &= handler.never;
                    taken.push(handler);
                }
                ends.throws.extend(past);
            }
            StmtKind::Call {
                receiver, routine, ..
            } => ends.throws.extend(self.called(*routine, is_this(receiver))),
            StmtKind::New {
                constructor: Some(routine),
                ..
            } => ends.throws.extend(self.called(*routine, false)),
            _ => {}
        }
        ends.throws
            .extend(taken.into_iter().flat_map(|ends| ends.throws));
        ends
    }

    /// What a call may raise; of another object nothing is known.
    fn called(&mut self, routine: RoutineRef, on_this: bool) -> BTreeSet<ExceptionId> {
        match on_this {
            true => self.found.entry(routine).or_default().clone(),
            false => self.effects.routine(routine).throws.clone(),
        }
    }

    /// The value of a condition, where that is known.
    fn value(&self, e: &Expr) -> Option<bool> {
        if let Some((field, value)) = fact(e) {
            return self.known.get(&field).map(|known| *known == value);
        }
        match e.kind.as_ref() {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::Not(inner) => self.value(inner).map(|value| !value),
            ExprKind::Binary(BinaryOp::And, a, b) => match (self.value(a), self.value(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            ExprKind::Binary(BinaryOp::Or, a, b) => match (self.value(a), self.value(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            _ => None,
        }
    }
}
