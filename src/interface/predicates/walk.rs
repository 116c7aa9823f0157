//! Looking backwards through a body: what the atoms behind it speak of before it.

use std::cell::Cell;

use crate::ir::{
    BuiltinException, Condition, Expr, ExprKind, FieldRef, Place, Program, RoutineRef, Stmt,
    StmtKind,
};
use crate::ir::{formula, formula::Substitution};
use crate::query::kinds::interface::Forbidden;

use super::atoms::PredicateList;

/// Calls inside calls are looked into no further than this.
const CALL_DEPTH: usize = 6;

/// What is carried backwards through a body.
#[derive(Clone, Default)]
pub(super) struct Carried {
    pub(super) atoms: PredicateList,
    /// Whether the conditions on the way matter: what must not happen does further on.
    wanted: bool,
}

/// Looking backwards through the bodies of a class.
pub(super) struct PredicateWalk<'a> {
    pub(super) program: &'a Program,
    pub(super) forbidden: &'a Forbidden,
    /// What holds where a body ends.
    pub(super) exit: PredicateList,
    /// Whether what must not happen is looked for.
    pub(super) guards: bool,
    /// Whether conditions matter on which it depends what is assigned.
    pub(super) conditions: bool,
    /// How many statements may still be looked at.
    pub(super) fuel: &'a Cell<usize>,
}

impl PredicateWalk<'_> {
    pub(super) fn routine(&self, routine: RoutineRef, depth: usize) -> Carried {
        let at_end = Carried {
            atoms: self.exit.clone(),
            wanted: false,
        };
        match &self.program.routine(routine).body {
            Some(body) => self.block(body, at_end, depth),
            None => at_end,
        }
    }

    fn block(&self, block: &[Stmt], behind: Carried, depth: usize) -> Carried {
        let statements = block.iter().rev();
        statements.fold(behind, |behind, stmt| self.statement(stmt, behind, depth))
    }

    fn statement(&self, stmt: &Stmt, behind: Carried, depth: usize) -> Carried {
        self.fuel.set(self.fuel.get().saturating_sub(1));
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                let assigned = self.assigned(place, Some(value), behind);
                self.with_hazards(assigned, [value])
            }
            StmtKind::Havoc(place) | StmtKind::Guess(place) => self.assigned(place, None, behind),
            StmtKind::New { target, .. } | StmtKind::NewArray { target, .. } => {
                self.assigned(target, None, behind)
            }
            StmtKind::Assume(e) => self.with_hazards(behind, [e]),
            StmtKind::Assert(e) => {
                let mut before = behind;
                if self.looks_for(BuiltinException::AssertionFailure) {
                    before
                        .atoms
                        .add_all(&formula::inline_functions(self.program, e));
                    before.wanted = true;
                }
                self.with_hazards(before, [e])
            }
            StmtKind::If(condition, then, otherwise) => {
                let then = self.block(then, behind.clone(), depth);
                let otherwise = self.block(otherwise, behind.clone(), depth);
                self.branch(condition, then, otherwise)
            }
            StmtKind::While {
                condition, body, ..
            } => {
                let once = self.block(body, behind.clone(), depth);
                self.branch(condition, once, behind.clone())
            }
            StmtKind::Labelled(_, body) => self.block(body, behind, depth),
            StmtKind::Break(_) | StmtKind::Continue(_) => behind,
            StmtKind::Return => Carried {
                atoms: self.exit.clone(),
                wanted: false,
            },
            StmtKind::Throw(exception) => {
                let forbidden = self.forbidden.exceptions.contains(exception);
                Carried {
                    atoms: if forbidden {
                        PredicateList::default()
                    } else {
                        self.exit.clone()
                    },
                    wanted: self.guards && forbidden,
                }
            }
            // Which exception it is depends on what was caught: it may be one that must not happen.
            StmtKind::ThrowAgain => Carried {
                atoms: self.exit.clone(),
                wanted: self.guards,
            },
            StmtKind::Try { body, catches } => {
                let mut before = self.block(body, behind.clone(), depth);
                for catch in catches {
                    let handled = self.block(&catch.body, behind.clone(), depth);
                    before.atoms.extend(handled.atoms);
                    before.wanted |= handled.wanted;
                }
                before
            }
            StmtKind::Call {
                targets,
                receiver,
                routine,
                args,
            } => {
                let assigned = targets
                    .iter()
                    .fold(behind, |behind, place| self.assigned(place, None, behind));
                self.called(receiver, *routine, args, assigned, depth)
            }
        }
    }

    fn looks_for(&self, exception: BuiltinException) -> bool {
        self.guards && self.forbidden.exceptions.contains(&exception.id())
    }

    /// With the conditions under which evaluating these raises what must not happen.
    fn with_hazards<'e>(
        &self,
        mut behind: Carried,
        exprs: impl IntoIterator<Item = &'e Expr>,
    ) -> Carried {
        for e in exprs {
            for hazard in formula::hazards(self.program, e) {
                if self.looks_for(hazard.exception) {
                    behind.atoms.add_all(&hazard.when);
                    behind.wanted = true;
                }
            }
        }
        behind
    }

    /// Before a branch. Its condition matters where what must not happen depends on it: it is on one side only, or on
    /// both under different conditions; and where the sides assign differently and that is looked for.
    fn branch(&self, condition: &Condition, then: Carried, otherwise: Carried) -> Carried {
        let same = |a: &PredicateList, b: &PredicateList| {
            let all_in = |a: &PredicateList, b: &PredicateList| {
                a.0.iter().all(|x| b.0.iter().any(|y| formula::same(x, y)))
            };
            all_in(a, b) && all_in(b, a)
        };
        let differs = !same(&then.atoms, &otherwise.atoms);
        let thrown = match (then.wanted, otherwise.wanted) {
            (true, true) => differs,
            (one, other) => one || other,
        };
        let differs = self.conditions && differs;
        let mut before = Carried {
            atoms: PredicateList::default(),
            wanted: then.wanted || otherwise.wanted,
        };
        if let Condition::Expr(e) = condition {
            if thrown || differs {
                before
                    .atoms
                    .add_all(&formula::inline_functions(self.program, e));
            }
            before = self.with_hazards(before, [e]);
        }
        before.atoms.extend(then.atoms);
        before.atoms.extend(otherwise.atoms);
        before
    }

    /// Before an assignment: the value in the place of what is assigned. Where it is not known, what speaks of it is
    /// dropped.
    fn assigned(&self, place: &Place, value: Option<&Expr>, behind: Carried) -> Carried {
        let value = value.map(|e| formula::inline_functions(self.program, e));
        let atoms = match (place, value) {
            (Place::Var(id), Some(value)) => {
                let substitution = Substitution::one(*id, value);
                behind.atoms.map(|e| substitution.apply(e))
            }
            (Place::Field(object, field), Some(value)) if is_this(object) => {
                behind.atoms.map(|e| formula::with_field(e, *field, &value))
            }
            (Place::Var(id), None) => PredicateList(
                (behind.atoms.0.into_iter())
                    .filter(|e| !formula::vars_of(e).contains(id))
                    .collect(),
            ),
            (Place::Field(_, field), None) => PredicateList(
                (behind.atoms.0.into_iter())
                    .filter(|e| !reads(e, *field))
                    .collect(),
            ),
            _ => behind.atoms,
        };
        Carried { atoms, ..behind }
    }

    /// Before a call of a routine of the object itself: the same, through its body.
    fn called(
        &self,
        receiver: &Expr,
        routine: RoutineRef,
        args: &[Expr],
        behind: Carried,
        depth: usize,
    ) -> Carried {
        let declared = self.program.routine(routine);
        let (Some(body), true) = (
            &declared.body,
            is_this(receiver) && depth < CALL_DEPTH && self.fuel.get() > 0,
        ) else {
            return self.with_hazards(behind, args);
        };
        let inner = PredicateWalk {
            exit: behind.atoms.clone(),
            ..*self
        };
        let inside = inner.block(body, behind, depth + 1);
        let arguments = args
            .iter()
            .map(|arg| formula::inline_functions(self.program, arg));
        let substitution = Substitution {
            vars: declared.params.iter().copied().zip(arguments).collect(),
            this: None,
        };
        let before = Carried {
            atoms: inside.atoms.map(|e| substitution.apply(e)),
            wanted: inside.wanted,
        };
        self.with_hazards(before, args)
    }
}

fn is_this(e: &Expr) -> bool {
    matches!(&*e.kind, ExprKind::This)
}

fn reads(e: &Expr, field: FieldRef) -> bool {
    formula::contains(
        e,
        &mut |e| matches!(&*e.kind, ExprKind::Field(_, f) if *f == field),
    )
}
