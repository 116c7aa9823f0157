//! Predicates, found in the text of a class.
//!
//! The first are the atoms of the conditions under which the class does what must not happen. Where an interface
//! prohibits a call that would do no harm, because the predicates are too few to see that, more are found by looking
//! at the predicates from before the call in between: the atoms of their weakest preconditions through its
//! assignments. Nothing here has to be sound: any predicates give a safe interface.

use std::cell::Cell;

use crate::encode::Encoding;
use crate::encode::guard::linear::Linear;
use crate::encode::interface::Forbidden;
use crate::lang::ast::{BinaryOp, CompareOp};
use crate::lang::formula::{self, Substitution};
use crate::lang::ir::{
    BuiltinException, Condition, Expr, ExprKind, FieldRef, Place, Program, RoutineRef, Stmt,
    StmtKind, Type,
};

/// Calls inside calls are looked into no further than this.
const CALL_DEPTH: usize = 6;

/// No more atoms than this are followed through one body, and none that is longer than this.
const MOST_ATOMS: usize = 64;
const LONGEST_ATOM: usize = 60;

/// No more statements than this are looked at in one walk; calls behind are not looked into.
const MOST_STATEMENTS: usize = 10_000;

/// Predicates in an order, none twice.
#[derive(Clone, Debug, Default)]
struct Atoms(Vec<Expr>);

impl Atoms {
    /// Adds the atoms of a boolean expression.
    fn add_all(&mut self, e: &Expr) {
        let mut open = vec![e.clone()];
        while let Some(e) = open.pop() {
            match *e.kind {
                ExprKind::Binary(
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff,
                    a,
                    b,
                ) => open.extend([b, a]),
                ExprKind::Not(a) => open.push(a),
                ExprKind::If(c, a, b) if e.ty == Type::Bool => open.extend([b, a, c]),
                kind => self.add(normal(&Expr {
                    kind: Box::new(kind),
                    ..formula::bool(true)
                })),
            }
        }
    }

    /// Adds an atom, unless it is there or says nothing.
    fn add(&mut self, atom: Expr) {
        let constant = formula::is_bool(&atom, true) || formula::is_bool(&atom, false);
        let known = self.0.iter().any(|a| formula::same(a, &atom));
        let fits = self.0.len() < MOST_ATOMS && is_short(&atom);
        if !constant && !known && fits {
            self.0.push(atom);
        }
    }

    fn extend(&mut self, other: Atoms) {
        for atom in other.0 {
            self.add(atom);
        }
    }

    /// Each atom with something put in.
    fn map(self, change: impl Fn(&Expr) -> Expr) -> Atoms {
        let mut changed = Atoms::default();
        for atom in &self.0 {
            changed.add_all(&change(atom));
        }
        changed
    }

    /// The predicates about the object: those that speak of its fields, and of no variable.
    fn of_object(self) -> Atoms {
        let speaks = |e: &Expr| {
            let local = formula::contains(e, &mut |e| {
                matches!(
                    &*e.kind,
                    ExprKind::Var(_) | ExprKind::Old(_) | ExprKind::Quantified(..)
                )
            });
            let field = formula::contains(e, &mut |e| matches!(&*e.kind, ExprKind::Field(..)));
            field && !local
        };
        Atoms(self.0.into_iter().filter(speaks).collect())
    }
}

fn is_short(e: &Expr) -> bool {
    let mut size = 0;
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        size += 1;
        if size > LONGEST_ATOM {
            return false;
        }
        open.extend(e.children());
    }
    true
}

/// An atom in one of the ways to write it and its negation: `==`, `<` or `<=`, integers with the variables to the
/// left of the constant.
fn normal(atom: &Expr) -> Expr {
    let ExprKind::Compare(op, a, b) = &*atom.kind else {
        return atom.clone();
    };
    let op = match op {
        CompareOp::Ne => CompareOp::Eq,
        CompareOp::Ge => CompareOp::Lt,
        CompareOp::Gt => CompareOp::Le,
        op => *op,
    };
    let integer = |e: &Expr| matches!(e.ty, Type::Int | Type::Nat | Type::Machine(_));
    if !integer(a) || !integer(b) {
        return formula::compare(op, a.clone(), b.clone());
    }
    let compared = Linear::of(a).minus(&Linear::of(b)).compared_to_zero(op);
    match *compared.kind {
        // Putting the variables to the left may have turned the comparison round.
        ExprKind::Compare(CompareOp::Ge, a, b) => formula::compare(CompareOp::Lt, a, b),
        ExprKind::Compare(CompareOp::Gt, a, b) => formula::compare(CompareOp::Le, a, b),
        _ => compared,
    }
}

/// Finds predicates in a class.
pub struct Discovery<'a> {
    encoding: &'a Encoding<'a>,
    forbidden: &'a Forbidden,
}

/// What is carried backwards through a body.
#[derive(Clone, Default)]
struct Carried {
    atoms: Atoms,
    /// Whether the conditions on the way matter: what must not happen does further on.
    wanted: bool,
}

/// Looking backwards through the bodies of a class.
struct Walk<'a> {
    program: &'a Program,
    forbidden: &'a Forbidden,
    /// What holds where a body ends.
    exit: Atoms,
    /// Whether what must not happen is looked for.
    guards: bool,
    /// Whether conditions matter on which it depends what is assigned.
    conditions: bool,
    /// How many statements may still be looked at.
    fuel: &'a Cell<usize>,
}

impl<'a> Discovery<'a> {
    /// For one class.
    pub fn new(encoding: &'a Encoding<'a>, forbidden: &'a Forbidden) -> Self {
        Discovery {
            encoding,
            forbidden,
        }
    }

    /// The atoms of the conditions under which actions do what must not happen, in the order of the actions.
    pub fn guards(&self) -> Vec<Expr> {
        let program = self.encoding.source();
        let mut found = Atoms::default();
        for action in &self.encoding.actions {
            if self.forbidden.requires && !program.routine(action.routine).requires.is_empty() {
                let enabled = formula::inline_functions(program, &action.guard.enabled);
                found.add_all(&enabled);
            }
            let fuel = Cell::new(MOST_STATEMENTS);
            let walk = self.walk(Atoms::default(), true, false, &fuel);
            found.extend(walk.routine(action.routine, 0).atoms);
        }
        found.of_object().0
    }

    /// The predicates as seen from before the call of an action, as far as they are new.
    pub fn before(&self, action: usize, predicates: &[Expr]) -> Vec<Expr> {
        let program = self.encoding.source();
        let mut known = Atoms::default();
        for predicate in predicates {
            known.add_all(&formula::inline_functions(program, predicate));
        }
        let routine = self.encoding.actions[action].routine;
        // What is assigned first; where that gives nothing new, on what it depends.
        for conditions in [false, true] {
            let fuel = Cell::new(MOST_STATEMENTS);
            let walk = self.walk(known.clone(), false, conditions, &fuel);
            let found = walk.routine(routine, 0).atoms.of_object();
            let is_new = |e: &Expr| !known.0.iter().any(|k| formula::same(k, e));
            let new: Vec<Expr> = found.0.into_iter().filter(is_new).collect();
            if !new.is_empty() {
                return new;
            }
        }
        vec![]
    }

    fn walk<'w>(
        &'w self,
        exit: Atoms,
        guards: bool,
        conditions: bool,
        fuel: &'w Cell<usize>,
    ) -> Walk<'w> {
        Walk {
            program: self.encoding.source(),
            forbidden: self.forbidden,
            exit,
            guards,
            conditions,
            fuel,
        }
    }
}

impl Walk<'_> {
    fn routine(&self, routine: RoutineRef, depth: usize) -> Carried {
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
            StmtKind::Havoc(place) => self.assigned(place, None, behind),
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
                self.branch(condition, then, otherwise, behind.wanted)
            }
            StmtKind::While {
                condition, body, ..
            } => {
                let once = self.block(body, behind.clone(), depth);
                self.branch(condition, once, behind.clone(), behind.wanted)
            }
            StmtKind::Break | StmtKind::Continue => behind,
            StmtKind::Return => Carried {
                atoms: self.exit.clone(),
                wanted: false,
            },
            StmtKind::Throw(exception) => {
                let forbidden = self.forbidden.exceptions.contains(exception);
                Carried {
                    atoms: if forbidden {
                        Atoms::default()
                    } else {
                        self.exit.clone()
                    },
                    wanted: self.guards && forbidden,
                }
            }
            StmtKind::Try { body, catches } => {
                let mut before = self.block(body, behind.clone(), depth);
                for (_, handler) in catches {
                    let handled = self.block(handler, behind.clone(), depth);
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

    /// Before a branch. Its condition matters where what must not happen is on one side of it only, or where the
    /// sides assign differently and that is looked for.
    fn branch(
        &self,
        condition: &Condition,
        then: Carried,
        otherwise: Carried,
        behind: bool,
    ) -> Carried {
        let same = |a: &Atoms, b: &Atoms| {
            let all_in =
                |a: &Atoms, b: &Atoms| a.0.iter().all(|x| b.0.iter().any(|y| formula::same(x, y)));
            all_in(a, b) && all_in(b, a)
        };
        let thrown = (then.wanted || otherwise.wanted) && !behind;
        let differs = self.conditions && !same(&then.atoms, &otherwise.atoms);
        let mut before = Carried {
            atoms: Atoms::default(),
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
                behind.atoms.map(|e| with_field(e, *field, &value))
            }
            (Place::Var(id), None) => Atoms(
                (behind.atoms.0.into_iter())
                    .filter(|e| !formula::vars_of(e).contains(id))
                    .collect(),
            ),
            (Place::Field(_, field), None) => Atoms(
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
        let inner = Walk {
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

/// The expression with a value in the place of a field of the object.
fn with_field(e: &Expr, field: FieldRef, value: &Expr) -> Expr {
    match &*e.kind {
        ExprKind::Field(object, f) if *f == field && is_this(object) => value.clone(),
        _ => formula::map_children(e, |child| with_field(child, field, value)),
    }
}

/// Those that are not known yet, each once.
pub fn new_among(found: impl IntoIterator<Item = Expr>, known: &[Expr]) -> Vec<Expr> {
    let known: Vec<Expr> = known.iter().map(normal).collect();
    let mut atoms = Atoms::default();
    for predicate in found {
        if !known.iter().any(|k| formula::same(k, &predicate)) {
            atoms.add(predicate);
        }
    }
    atoms.0
}
