//! Loops as what any number of their rounds may leave behind: for questions about all runs of a call that need no bound.
//!
//! ```text
//! l: while (c) { … }          if (!i) { throw X; }
//!                             havoc all that a round writes that is not the last one;
//!                             assume i;
//!                             l: { if (c) { } else { break l; }
//!                                  round: { …, with `break round` for `continue l` }
//!                                  if (!i) { throw X; }
//!                                  assume false; }
//! ```
//!
//! Where no run raises `X`, `i` holds before every round: by induction, for it is believed before each. Then the runs of the
//! cut program end in all ways in which those of the other one do, and in more: of the rounds before the last one only that is
//! known. (M. Barnett, K. R. M. Leino, Weakest-Precondition of Unstructured Programs, PASTE 2005, section 3.)

use std::collections::BTreeSet;

use super::{before_another_round, first_free_label, redirected};
use crate::ir::effects::walk::{evaluated, place_operands, places, statements, visit};
use crate::ir::effects::{Effects, Written};
use crate::ir::facts;
use crate::ir::span::Span;
use crate::ir::{
    Block, Class, ClassId, ExceptionId, Expr, ExprKind, FieldRef, LabelId, Place, Program, Routine,
    RoutineKind, RoutineRef, Stmt, StmtKind, Type, formula,
};

/// A clause before the rounds of a loop: the number of the loop, and that of the clause.
pub type OfRounds = (usize, usize);

/// A program whose loops are cut.
pub struct CutLoops {
    /// The program.
    pub program: Program,
    /// What it raises where a clause does not hold before a round; no handler catches it.
    pub raised: Vec<(ExceptionId, OfRounds)>,
}

/// The program with all loops cut. Before the rounds of those in the class's own routines, each of the clauses over its fields is
/// believed that a round may change and that is not dropped. None where a loop does what cannot be left to chance: what it writes
/// is not any value of a type, or what it makes is told apart from what was there. `effects` are those of the program.
pub fn cut(
    (program, effects): (&Program, &Effects),
    class: ClassId,
    clauses: &[Expr],
    dropped: &BTreeSet<OfRounds>,
) -> Option<CutLoops> {
    let mut whole = program.clone();
    let others = ClassId(whole.classes.len());
    whole.classes.push(Class::new("Rounds", Span::default()));
    let mut cutter = Cutter {
        told_apart: ToldApart::of(program),
        program: whole,
        others,
        effects,
        clauses,
        dropped,
        class,
        at: class,
        loops: 0,
        labels: 0,
        raised: Vec::new(),
        is_possible: true,
    };
    for (at, declared) in program.classes.iter().enumerate() {
        cutter.at = ClassId(at);
        for (index, routine) in declared.routines.iter().enumerate() {
            if let Some(body) = &routine.body {
                cutter.labels = first_free_label(body);
                let cut = cutter.block(body);
                cutter.program.classes[at].routines[index].body = Some(cut);
            }
        }
    }
    let raised = cutter.raised;
    let mut program = cutter.program;
    let names = (1..=raised.len()).map(|n| format!("InRounds.{n}"));
    program.exceptions.extend(names);
    cutter.is_possible.then_some(CutLoops { program, raised })
}

struct Cutter<'a> {
    program: Program,
    /// A class of which an object changes fields of all objects: none of its own, so that it is like any other to them.
    others: ClassId,
    told_apart: ToldApart,
    effects: &'a Effects,
    clauses: &'a [Expr],
    dropped: &'a BTreeSet<OfRounds>,
    class: ClassId,
    /// The class whose routines are being gone through.
    at: ClassId,
    /// How many loops there were so far.
    loops: usize,
    labels: usize,
    raised: Vec<(ExceptionId, OfRounds)>,
    is_possible: bool,
}

impl Cutter<'_> {
    fn block(&mut self, block: &Block) -> Block {
        block.iter().flat_map(|stmt| self.statement(stmt)).collect()
    }

    fn statement(&mut self, stmt: &Stmt) -> Block {
        let StmtKind::While {
            label,
            condition,
            body,
            ..
        } = &stmt.kind
        else {
            return vec![stmt.map_blocks(|block| self.block(block))];
        };
        let number = self.loops;
        self.loops += 1;
        let at = |kind: StmtKind| Stmt {
            kind,
            span: stmt.span,
        };
        let written = Written::of(self.effects, &before_another_round(*label, body));
        self.is_possible &= self.is_any(&written);
        let believed = self.believed(number, &written);
        let checks = self.checks(number, &believed, stmt);
        let round = LabelId(self.labels);
        self.labels += 1;
        let body = redirected(&self.block(body), *label, round);
        let mut cut = vec![
            at(StmtKind::If(
                condition.clone(),
                Vec::new(),
                vec![at(StmtKind::Break(*label))],
            )),
            at(StmtKind::Labelled(round, body)),
        ];
        cut.extend(checks.clone());
        cut.push(at(StmtKind::Assume(formula::bool(false))));
        let assumed = believed.iter().map(|(_, clause)| {
            let clause = formula::clause(&self.program, clause);
            at(StmtKind::Assume(clause))
        });
        let assumed: Block = assumed.collect();
        let mut all = checks;
        all.extend(self.havoc(number, written, stmt));
        all.extend(assumed);
        all.push(at(StmtKind::Labelled(*label, cut)));
        all
    }

    /// The clauses that are believed before the rounds of a loop.
    fn believed(&self, number: usize, written: &Written) -> Vec<(usize, Expr)> {
        let clauses = self.clauses.iter().enumerate();
        let believed = clauses.filter(|(at, clause)| {
            self.at == self.class
                && !self.dropped.contains(&(number, *at))
                && !formula::fields_of(clause).is_disjoint(&written.fields)
        });
        believed.map(|(at, clause)| (at, clause.clone())).collect()
    }

    /// Statements that may raise an exception where a clause does not hold: of several, each may.
    fn checks(&mut self, number: usize, believed: &[(usize, Expr)], of: &Stmt) -> Block {
        let mut checks = Vec::new();
        for (at, clause) in believed {
            let exception = ExceptionId(self.program.exceptions.len() + self.raised.len());
            self.raised.push((exception, (number, *at)));
            let fails = formula::not(formula::clause(&self.program, clause));
            checks.push(Stmt::maybe(Stmt::throw_where(fails, exception, of.span)));
        }
        checks
    }

    /// Whatever is written gets any value, also one that its type does not promise; fields those of all objects, by a routine
    /// without a body.
    fn havoc(&mut self, number: usize, written: Written, of: &Stmt) -> Block {
        let at = |kind: StmtKind| Stmt {
            kind,
            span: of.span,
        };
        let mut havoc = Vec::new();
        for var in written.vars {
            let ty = self.program.var(var).ty.of_value().with_null();
            let any = self.program.new_var(format!("any.{number}.{}", var.0), ty);
            havoc.push(at(StmtKind::Havoc(Place::Var(any))));
            let any = formula::var(&self.program, any);
            havoc.push(at(StmtKind::Assign(Place::Var(var), any)));
        }
        if written.fields.is_empty() {
            return havoc;
        }
        let name = format!("rounds_{number}");
        let routine = Routine {
            modifies: Some(written.fields.into_iter().collect()),
            ..Routine::new(RoutineKind::Procedure, name, of.span)
        };
        let class = self.others;
        let routines = &mut self.program.classes[class.0].routines;
        routines.push(routine);
        let routine = RoutineRef {
            class,
            index: routines.len() - 1,
        };
        let ty = Type::Class {
            class,
            nullable: false,
        };
        let other = self.program.new_var(format!("rounds.{number}"), ty);
        havoc.push(at(StmtKind::New {
            target: Place::Var(other),
            class,
            constructor: None,
            args: Vec::new(),
        }));
        havoc.push(at(StmtKind::Call {
            targets: Vec::new(),
            receiver: formula::var(&self.program, other),
            routine,
            args: Vec::new(),
        }));
        havoc
    }

    /// Whether what is written may be any value of its type, and what is made like what was there.
    fn is_any(&self, written: &Written) -> bool {
        let promises =
            |field: &FieldRef| facts::invariant(&self.program.field(*field).ty).is_some();
        let told_apart = &self.told_apart;
        let alike = |ty: &Type| {
            let all = told_apart.compared.iter().chain(&told_apart.named);
            matches!(ty, Type::Opaque(_)) && !all.into_iter().any(|other| holds(other, ty))
        };
        // An object that was made is any one that was there, of which nothing else is said.
        let made = |class: &ClassId| {
            let ty = Type::Class {
                class: *class,
                nullable: false,
            };
            let is_named = told_apart.named.iter().any(|other| holds(other, &ty));
            self.program.class(*class).fields.is_empty() && !is_named
        };
        !written.fields.iter().any(promises)
            && written.elements.iter().all(alike)
            && written.made.iter().all(made)
    }
}

/// The types of values that somebody tells apart.
#[derive(Default)]
struct ToldApart {
    /// Of values that are compared.
    compared: BTreeSet<Type>,
    /// Of values that something is looked up by, or that all or some are spoken of.
    named: BTreeSet<Type>,
}

impl ToldApart {
    fn of(program: &Program) -> ToldApart {
        let mut found = ToldApart::default();
        let mut look = |e: &Expr| match &*e.kind {
            ExprKind::Compare(_, a, b) => {
                found.compared.extend([a.ty.clone(), b.ty.clone()]);
            }
            ExprKind::Select(map, key) | ExprKind::Store(map, key, _) => {
                found.named.extend([map.ty.clone(), key.ty.clone()]);
            }
            ExprKind::Quantified(_, vars, _) => {
                let types = vars.iter().map(|var| program.var(*var).ty.clone());
                found.named.extend(types);
            }
            _ => {}
        };
        for class in &program.classes {
            for routine in &class.routines {
                for stmt in statements(routine.body.as_deref()) {
                    let inside = places(stmt).into_iter().flat_map(place_operands);
                    for e in evaluated(stmt).into_iter().chain(inside) {
                        visit(e, &mut look);
                    }
                }
                let clauses = routine.requires.iter().chain(&routine.ensures);
                clauses.for_each(|e| visit(e, &mut look));
            }
            let clauses = class.invariants.iter().chain(&class.initially);
            let bodies = class.functions.iter().map(|function| &function.body);
            clauses.chain(bodies).for_each(|e| visit(e, &mut look));
        }
        found
    }
}

/// Whether a value of a type is one of the other, or holds some; references hold nothing.
fn holds(ty: &Type, other: &Type) -> bool {
    match ty {
        Type::Map(key, value) => holds(key, other) || holds(value, other),
        ty => ty.with_null() == other.with_null(),
    }
}
