//! Loops with invariants: a program that checks them in every round, and one that relies on them.
//!
//! Both are programs like any other, so that whoever asks, encodes or runs them need not know of loop invariants. A loop `l`
//! with the invariant `i` is looked at where its condition is:
//!
//! ```text
//! checked                                              believed
//!
//! if (!i) { throw X; }
//! l: while (true) {                                    l: while (true) {
//!     assume i;                                            assume i;
//!     if (c) { } else { break l; }                         if (c) { } else { break l; }
//!     round: { …, with `break round` for `continue l` }    …
//!     if (!i) { throw X; }
//! }                                                    }
//! ```
//!
//! No execution raises `X` first where `i` holds in every round. An engine that cannot see how often the loop goes round takes
//! anything for what the rounds before have left behind that satisfies `i`: what it then shows of the checked program is the
//! proof by induction. (R. W. Floyd, Assigning Meanings to Programs, 1967.)

mod again;
mod cut;
mod guesses;

pub(in crate::ir) use again::before_another_round;
pub use cut::{CutLoops, OfRounds, cut};
pub use guesses::with_guesses;

use std::collections::BTreeSet;

use crate::ir::effects::walk::statements;
use crate::ir::span::Span;
use crate::ir::{
    Block, Condition, ExceptionId, Expr, ExprKind, LabelId, Program, Stmt, StmtKind, Type, formula,
};

/// The clauses of all loops' invariants, in the order in which they are written.
pub fn invariants(program: &Program) -> Vec<Expr> {
    let mut clauses = Vec::new();
    let routines = program.classes.iter().flat_map(|class| &class.routines);
    for body in routines.filter_map(|routine| routine.body.as_ref()) {
        add_invariants(body, &mut clauses);
    }
    clauses
}

fn add_invariants(block: &Block, clauses: &mut Vec<Expr>) {
    for stmt in block {
        if let StmtKind::While { invariants, .. } = &stmt.kind {
            clauses.extend_from_slice(invariants);
        }
        for inner in stmt.blocks() {
            add_invariants(inner, clauses);
        }
    }
}

/// The program that checks these invariants, by their places in [`invariants`]; with the exception that each of them raises
/// where it does not hold. No handler catches it.
pub fn checked(program: &Program, which: &BTreeSet<usize>) -> (Program, Vec<ExceptionId>) {
    let mut rewriter = Rewriter::new(program, which);
    rewriter.raised = Some(Vec::new());
    let mut changed = rewriter.program();
    let raised = rewriter.raised.unwrap_or_default();
    let names = (1..=raised.len()).map(|n| format!("LoopInvariant.{n}"));
    changed.exceptions.extend(names);
    (changed, raised)
}

/// The program that relies on these invariants, by their places in [`invariants`].
pub fn believed(program: &Program, which: &BTreeSet<usize>) -> Program {
    Rewriter::new(program, which).program()
}

/// Writes a program anew, with those invariants in its loops that are wanted.
struct Rewriter<'a> {
    program: &'a Program,
    /// The clauses that are wanted, by their places in [`invariants`].
    which: &'a BTreeSet<usize>,
    /// The place of the clause that comes next.
    next: usize,
    /// The exceptions for the clauses so far, where they are checked.
    raised: Option<Vec<ExceptionId>>,
    labels: usize,
}

impl<'a> Rewriter<'a> {
    fn new(program: &'a Program, which: &'a BTreeSet<usize>) -> Rewriter<'a> {
        Rewriter {
            program,
            which,
            next: 0,
            raised: None,
            labels: 0,
        }
    }

    fn program(&mut self) -> Program {
        let mut changed = self.program.clone();
        for class in &mut changed.classes {
            for routine in &mut class.routines {
                if let Some(body) = &routine.body {
                    self.labels = first_free_label(body);
                    routine.body = Some(self.block(body));
                }
            }
        }
        changed
    }

    fn block(&mut self, block: &Block) -> Block {
        block.iter().flat_map(|stmt| self.statement(stmt)).collect()
    }

    /// The statement anew; for a loop that is checked, the check before it as well.
    fn statement(&mut self, stmt: &Stmt) -> Vec<Stmt> {
        let StmtKind::While {
            label,
            condition,
            invariants,
            body,
        } = &stmt.kind
        else {
            return vec![stmt.map_blocks(|block| self.block(block))];
        };
        let first = self.next;
        self.next += invariants.len();
        let numbered = (first..).zip(invariants);
        let wanted = numbered.filter(|(place, _)| self.which.contains(place));
        let clauses: Vec<Expr> = wanted.map(|(_, clause)| clause.clone()).collect();
        if clauses.is_empty() {
            return vec![stmt.map_blocks(|block| self.block(block))];
        }
        let checks = self.checks(&clauses);
        let body = self.block(body);
        let at = |kind: StmtKind| Stmt {
            kind,
            span: stmt.span,
        };
        let assumed = clauses.iter().map(|clause| Stmt {
            kind: StmtKind::Assume(formula::clause(self.program, clause)),
            span: clause.span,
        });
        let leave = vec![at(StmtKind::Break(*label))];
        let mut round: Block = assumed.collect();
        round.push(at(StmtKind::If(condition.clone(), Vec::new(), leave)));
        match checks.is_empty() {
            true => round.extend(body),
            false => round.extend(self.whole(*label, body, stmt.span)),
        }
        round.extend(checks.clone());
        let repeated = at(StmtKind::While {
            label: *label,
            condition: Condition::Expr(formula::expr(ExprKind::Bool(true), Type::Bool)),
            invariants: Vec::new(),
            body: round,
        });
        checks.into_iter().chain([repeated]).collect()
    }

    /// Statements that raise an exception where a clause does not hold; none where that is not wanted.
    fn checks(&mut self, clauses: &[Expr]) -> Vec<Stmt> {
        let Some(raised) = &mut self.raised else {
            return Vec::new();
        };
        let check = |clause: &Expr| {
            let exception = ExceptionId(self.program.exceptions.len() + raised.len());
            raised.push(exception);
            let fails = formula::not(formula::clause(self.program, clause));
            Stmt::throw_where(fails, exception, clause.span)
        };
        clauses.iter().map(check).collect()
    }

    /// The body of a loop, with what comes behind it also where it goes to the next round early.
    fn whole(&mut self, label: LabelId, body: Block, span: Span) -> Block {
        let round = LabelId(self.labels);
        self.labels += 1;
        let body = redirected(&body, label, round);
        vec![Stmt {
            kind: StmtKind::Labelled(round, body),
            span,
        }]
    }
}

/// A block that leaves another one instead of going to a loop's next round.
fn redirected(block: &Block, label: LabelId, round: LabelId) -> Block {
    let statement = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Continue(to) if *to == label => Stmt {
            kind: StmtKind::Break(round),
            span: stmt.span,
        },
        _ => stmt.map_blocks(|block| redirected(block, label, round)),
    };
    block.iter().map(statement).collect()
}

/// A label that no loop or block of a body has, nor any above it.
fn first_free_label(body: &Block) -> usize {
    let all = statements([body.as_slice()]).into_iter();
    let labels = all.filter_map(|stmt| match &stmt.kind {
        StmtKind::While { label, .. } | StmtKind::Labelled(label, _) => Some(label.0 + 1),
        _ => None,
    });
    labels.max().unwrap_or(0)
}
