//! Clauses that may be invariants of a class: what is compared in it, and what it may rely on.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use crate::ir::CompareOp;
use crate::ir::effects::walk::{evaluated, statements, visit};
use crate::ir::formula;
use crate::ir::{Class, ClassId, Expr, ExprKind, FieldRef, Place, Program, Stmt, StmtKind, Type};

/// Which clauses are proposed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// All.
    All,
    /// Few: over these fields only, and integers only with each other, with 0 and with numbers that are assigned to them or
    /// compared with them.
    FewOver(BTreeSet<FieldRef>),
}

impl Proposed {
    fn has(&self, field: FieldRef) -> bool {
        match self {
            Proposed::All => true,
            Proposed::FewOver(fields) => fields.contains(&field),
        }
    }
}

/// The fields of a class, by what they hold, each with whether it is a constant.
struct OwnFields {
    integers: Vec<(Expr, bool)>,
    booleans: Vec<Expr>,
    references: Vec<Expr>,
    arrays: Vec<Expr>,
}

impl OwnFields {
    fn of(program: &Program, class: ClassId, proposed: &Proposed) -> OwnFields {
        let mut own = OwnFields {
            integers: Vec::new(),
            booleans: Vec::new(),
            references: Vec::new(),
            arrays: Vec::new(),
        };
        let fields = formula::own_fields(program, class).into_iter();
        let fields = fields.zip(&program.class(class).fields).enumerate();
        let fields = fields.filter(|(index, _)| {
            proposed.has(FieldRef {
                class,
                index: *index,
            })
        });
        for (_, (field, declared)) in fields {
            match &declared.ty {
                Type::Int | Type::Nat | Type::Within(_) | Type::Machine(_) => {
                    own.integers.push((field, declared.constant));
                }
                Type::Bool => own.booleans.push(field),
                Type::Class { nullable: true, .. } => own.references.push(field),
                Type::Array { nullable, .. } => {
                    if *nullable {
                        own.references.push(field.clone());
                    }
                    own.arrays.push(field);
                }
                _ => {}
            }
        }
        own
    }
}

/// That references are not null, and the same as others; that arrays are as long as the class makes them and positions within them; comparisons of the
/// integer fields with each other and with the numbers that the class mentions; the boolean fields. Where several say the same,
/// those in front are the ones to keep.
pub(super) fn candidates(program: &Program, class: ClassId, proposed: &Proposed) -> Vec<Expr> {
    let declared = program.class(class);
    let own = OwnFields::of(program, class, proposed);
    let mut clauses: Vec<Expr> = own.references.iter().map(not_null).collect();
    clauses.extend(lengths(declared, &own));
    let mut last = Vec::new();
    for (index, (f, constant)) in own.integers.iter().enumerate() {
        // Of a constant, nothing is learnt.
        if *constant {
            continue;
        }
        let numbers = match proposed {
            Proposed::All => numbers(declared),
            Proposed::FewOver(_) => numbers_of(declared, f),
        };
        for number in numbers {
            let to = |op| formula::compare(op, f.clone(), formula::int(number.clone()));
            clauses.extend([CompareOp::Eq, CompareOp::Ge, CompareOp::Le].map(to));
            last.push(to(CompareOp::Ne));
        }
        let others = own.integers.iter().enumerate().filter(|(i, _)| *i != index);
        clauses.extend(others.map(|(_, (g, _))| at_most(f, g.clone())));
    }
    for (index, f) in own.references.iter().enumerate() {
        let others = own.references.iter().skip(index + 1);
        let alike = others.filter(|g| g.ty == f.ty);
        last.extend(alike.map(|g| formula::compare(CompareOp::Eq, f.clone(), g.clone())));
    }
    for f in own.booleans {
        clauses.push(f.clone());
        clauses.push(formula::not(f));
    }
    clauses.append(&mut last);
    clauses
}

fn not_null(reference: &Expr) -> Expr {
    formula::compare(CompareOp::Ne, reference.clone(), formula::null())
}

fn at_most(a: &Expr, b: Expr) -> Expr {
    formula::compare(CompareOp::Le, a.clone(), b)
}

/// What is said of the lengths of arrays, where they are there.
fn lengths(declared: &Class, own: &OwnFields) -> Vec<Expr> {
    let made: BTreeSet<BigInt> = statements(bodies(declared))
        .into_iter()
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::NewArray { length, .. } => number(length),
            _ => None,
        })
        .collect();
    let mut clauses = Vec::new();
    for array in &own.arrays {
        let length = formula::expr(ExprKind::Length(array.clone()), Type::Int);
        let is_nullable = matches!(array.ty, Type::Array { nullable: true, .. });
        let none = formula::compare(CompareOp::Eq, array.clone(), formula::null());
        let mut say = |clause| {
            clauses.push(match is_nullable {
                true => formula::or(none.clone(), clause),
                false => clause,
            });
        };
        for n in &made {
            say(formula::compare(
                CompareOp::Eq,
                length.clone(),
                formula::int(n.clone()),
            ));
        }
        say(formula::compare(
            CompareOp::Gt,
            length.clone(),
            formula::int(0),
        ));
        for (f, constant) in &own.integers {
            if !constant {
                say(at_most(f, length.clone()));
            }
        }
    }
    clauses
}

fn number(e: &Expr) -> Option<BigInt> {
    match &*e.kind {
        ExprKind::Int(n) => Some(n.clone()),
        _ => None,
    }
}

/// The bodies of a class.
fn bodies(declared: &Class) -> impl Iterator<Item = &[Stmt]> {
    declared.routines.iter().filter_map(|r| r.body.as_deref())
}

/// The numbers that a class assigns to a field or compares with it, and 0.
fn numbers_of(class: &Class, field: &Expr) -> BTreeSet<BigInt> {
    let is_it = |e: &Expr| formula::same(e, field);
    let mut found = BTreeSet::from([BigInt::from(0)]);
    for stmt in statements(bodies(class)) {
        if let StmtKind::Assign(Place::Field(object, written), value) = &stmt.kind {
            let of_this = matches!(*object.kind, ExprKind::This);
            let same = matches!(&*field.kind, ExprKind::Field(_, f) if f == written);
            found.extend(number(value).filter(|_| of_this && same));
        }
        for e in evaluated(stmt) {
            visit(e, |e| {
                if let ExprKind::Compare(_, a, b) = &*e.kind {
                    let with = [(a, b), (b, a)];
                    let with = with.into_iter().filter(|(a, _)| is_it(a));
                    found.extend(with.filter_map(|(_, b)| number(b)));
                }
            });
        }
    }
    found
}

/// The numbers in a class, and 0.
fn numbers(class: &Class) -> BTreeSet<BigInt> {
    let mut found = BTreeSet::from([BigInt::from(0)]);
    let mut see = |e: &Expr| visit(e, |e| found.extend(number(e)));
    for routine in &class.routines {
        routine.requires.iter().for_each(&mut see);
    }
    for stmt in statements(bodies(class)) {
        evaluated(stmt).into_iter().for_each(&mut see);
    }
    for field in &class.fields {
        field.value.iter().for_each(&mut see);
    }
    found
}
