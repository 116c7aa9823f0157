//! Elimination of a variable that is looked into: an object, an array, a map.
//!
//! A caller can make any object, array or map it likes. So the variable either *is* something that it is compared to,
//! or it is different from all of that, and then what is read of it is free: each field, the length, each element and
//! each value at a key is a variable of its own, to be eliminated in turn. Two reads at the same place read the same
//! (W. Ackermann, "Solvable Cases of the Decision Problem", 1954). What an object of another class holds satisfies the
//! invariant of that class.
//!
//! ```text
//! ∃ t: T. t != this && !t.closed
//!     t is this:        this != this && …             false
//!     t is another one: true && ∃ closed. !closed     true
//! ```

use super::elimination::{Elimination, Stuck};
use super::equality::{self, is_var};
use super::type_fact;
use crate::ir::formula::mentions;
use crate::ir::formula::{self, Substitution};
use crate::ir::{ClassId, CompareOp, Expr, ExprKind, Type, VarId};

/// A variable that stands for what is read of a value.
#[derive(Clone, Debug)]
pub(super) struct ContentVariable {
    /// The variable whose value is looked into.
    of: VarId,
    /// What is read.
    read: Expr,
    /// What stands for it.
    var: VarId,
    /// Whether it has been eliminated already.
    gone: bool,
}

/// Values are not looked into further than this.
const DEPTH: usize = 4;

/// The most things that a value may be compared to, if it is looked into as well: each is a case.
const CASES: usize = 8;

/// The most places of a value that are read.
const READS: usize = 16;

impl Elimination<'_> {
    /// `∃ var. e`, of an object, an array or a map.
    pub(super) fn look_into(&mut self, var: VarId, e: Expr) -> Result<Expr, Stuck> {
        if self.depth == DEPTH {
            return Err(Stuck::Size);
        }
        self.depth += 1;
        let result = self.by_cases(var, e);
        self.depth -= 1;
        result
    }

    fn by_cases(&mut self, var: VarId, e: Expr) -> Result<Expr, Stuck> {
        let ty = self.type_of(var);
        let others = equality::compared_to(var, &e)?;
        let is_read = read_of(var, &e, &mut Vec::new())?.is_some();
        let is_map = matches!(ty, Type::Map(..));
        if !is_read && !is_map {
            return equality::exists(var, &e);
        }
        if others.len() > CASES {
            return Err(Stuck::Size);
        }
        let mut cases = Vec::new();
        for other in &others {
            cases.push(match &*other.kind {
                ExprKind::Null => self.free(var, equality::as_null(var, &e))?,
                _ if is_map && other.ty != ty => return Err(Stuck::Form),
                _ => self.same_as(var, other, e.clone())?,
            });
        }
        if is_map && !others.is_empty() && !has_many_values(&ty) {
            return Err(Stuck::Form);
        }
        let mut different = equality::different(var, &e);
        if let Type::Class { class, .. } = ty
            && class != self.class
        {
            different = formula::and(different, self.invariant_of(var, class));
        }
        cases.push(self.free(var, different)?);
        Ok(formula::any(cases))
    }

    /// The formula where the variable is that.
    fn same_as(&self, var: VarId, other: &Expr, e: Expr) -> Result<Expr, Stuck> {
        let (substitution, mut e) = (Substitution::one(var, other.clone()), e);
        // What is read of the other one may have a name already, and be this very variable.
        for _ in 0..=READS {
            if !mentions(&e, &[var]) {
                return Ok(e);
            }
            e = self.named(&substitution.apply(&e))?;
        }
        Err(Stuck::Size)
    }

    /// The formula with the variables that stand for parts of values, wherever such a part is read.
    fn named(&self, e: &Expr) -> Result<Expr, Stuck> {
        let mut gone = false;
        let named = self.with_names(e, &mut gone);
        if gone {
            // It has been eliminated already, from formulas that did not know of this.
            return Err(Stuck::Form);
        }
        Ok(named)
    }

    fn with_names(&self, e: &Expr, gone: &mut bool) -> Expr {
        let e = formula::map_children(e, |child| self.with_names(child, gone));
        let part = self.parts.iter().find(|p| formula::same(&p.read, &e));
        match part {
            Some(part) => {
                *gone |= part.gone;
                formula::expr(ExprKind::Var(part.var), e.ty)
            }
            None => e,
        }
    }

    /// `∃ var. e`, of a value that is compared to nothing but its own parts: all that is read of it is free.
    fn free(&mut self, var: VarId, e: Expr) -> Result<Expr, Stuck> {
        let mark = self.parts.len();
        let result = self.free_parts(var, e);
        self.parts.truncate(mark);
        result
    }

    fn free_parts(&mut self, var: VarId, e: Expr) -> Result<Expr, Stuck> {
        let mut e = e;
        loop {
            while let Some(read) = read_of(var, &e, &mut Vec::new())? {
                e = self.with_part(var, read, e)?;
            }
            // Values that are looked into themselves come first: one of them may be the value that it is a part of, and
            // then more is read of that.
            let next = self
                .parts
                .iter()
                .position(|p| p.of == var && !p.gone && is_looked_into(&self.type_of(p.var)));
            let Some(next) = next else { break };
            let part = self.parts[next].var;
            e = self.exists(part, e)?;
            self.parts[next].gone = true;
        }
        let plain = self.parts.iter().filter(|p| p.of == var && !p.gone);
        let plain: Vec<VarId> = plain.map(|p| p.var).collect();
        let e = self.exists_all(&plain, e)?;
        match mentions(&e, &[var]) {
            true => equality::exists(var, &e),
            false => Ok(e),
        }
    }

    /// The formula with a variable in the place of what is read, and what is known of it.
    fn with_part(&mut self, var: VarId, read: Expr, e: Expr) -> Result<Expr, Stuck> {
        let ty = match &*read.kind {
            ExprKind::Length(_) => Type::Nat,
            ExprKind::Field(_, field) => self.program.field(*field).ty.clone(),
            _ => match self.type_of(var) {
                Type::Array { element, .. } => *element,
                Type::Map(_, value) => *value,
                _ => return Err(Stuck::Form),
            },
        };
        let fresh = self.fresh_var(ty.clone());
        let value = formula::expr(ExprKind::Var(fresh), read.ty.clone());
        let mut known: Vec<Expr> = type_fact(&ty, value.clone()).into_iter().collect();
        for earlier in self.parts.iter().filter(|p| p.of == var) {
            let (Some(here), Some(there)) = (place_of(&read), place_of(&earlier.read)) else {
                continue;
            };
            if earlier.gone || self.parts.len() > READS {
                return Err(Stuck::Size);
            }
            let earlier = formula::expr(ExprKind::Var(earlier.var), read.ty.clone());
            let same_place = formula::compare(CompareOp::Eq, here.clone(), there.clone());
            let same_value = formula::compare(CompareOp::Eq, value.clone(), earlier);
            known.push(formula::implies(same_place, same_value));
        }
        let e = replaced(&read, fresh, &e);
        self.parts.push(ContentVariable {
            of: var,
            read,
            var: fresh,
            gone: false,
        });
        Ok(formula::all(known.into_iter().chain([e])))
    }

    /// What the invariants of its class say of an object.
    fn invariant_of(&self, var: VarId, class: ClassId) -> Expr {
        let ty = Type::Class {
            class,
            nullable: true,
        };
        let substitution = Substitution {
            this: Some(formula::expr(ExprKind::Var(var), ty)),
            ..Substitution::default()
        };
        let clauses = self.program.class(class).invariants.iter();
        formula::all(clauses.map(|clause| {
            substitution.apply(&formula::clause_under_invariant(self.program, clause))
        }))
    }
}

fn is_looked_into(ty: &Type) -> bool {
    matches!(ty, Type::Class { .. } | Type::Array { .. } | Type::Map(..))
}

/// Whether there is always one more map of this type, whatever is read of it: a key that is not read, with a value that
/// another map does not have there.
fn has_many_values(ty: &Type) -> bool {
    let Type::Map(key, value) = ty else {
        return false;
    };
    let has_two = !matches!(**value, Type::Enum(_) | Type::Map(..) | Type::Null);
    has_two && matches!(**key, Type::Int | Type::Nat | Type::Opaque(_))
}

/// The index or key of what is read of an array or a map.
fn place_of(read: &Expr) -> Option<&Expr> {
    match &*read.kind {
        ExprKind::Element(_, place) | ExprKind::Select(_, place) => Some(place),
        _ => None,
    }
}

/// Something that is read of the value of a variable and does not itself depend on another such read; none where
/// nothing is read of it.
///
/// # Errors
/// Where a quantifier says what is read, this is not one place, and there is no variable for it.
fn read_of(var: VarId, e: &Expr, bound: &mut Vec<VarId>) -> Result<Option<Expr>, Stuck> {
    let before = bound.len();
    if let ExprKind::Quantified(_, vars, _) = &*e.kind {
        bound.extend(vars);
    }
    for child in e.children() {
        if let Some(found) = read_of(var, child, bound)? {
            return Ok(Some(found));
        }
    }
    bound.truncate(before);
    let (of, place) = match &*e.kind {
        ExprKind::Field(of, _) | ExprKind::Length(of) => (of, None),
        ExprKind::Element(of, place) | ExprKind::Select(of, place) => (of, Some(place)),
        _ => return Ok(None),
    };
    match place {
        _ if !is_var(var, of) => Ok(None),
        Some(place) if mentions(place, bound) || mentions(place, &[var]) => Err(Stuck::Form),
        _ => Ok(Some(e.clone())),
    }
}

/// The expression with every occurrence of a part replaced by a variable.
fn replaced(part: &Expr, by: VarId, e: &Expr) -> Expr {
    if formula::same(part, e) {
        return formula::expr(ExprKind::Var(by), e.ty.clone());
    }
    formula::map_children(e, |child| replaced(part, by, child))
}
