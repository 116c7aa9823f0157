//! Where values come from: expressions, and choices.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::{Interruption, Machine, Progress, ill_typed};
use crate::interp::choices::{ChoiceRequest, Decision, Purpose};
use crate::interp::eval::EvalScope;
use crate::interp::exec::Outcome;
use crate::interp::places::{EvaluatedPlace, dereference};
use crate::interp::value::{ObjectId, Value};
use crate::ir::effects::walk;
use crate::ir::formula;
use crate::ir::{ExceptionId, Expr, ExprKind, FieldRef, RoutineRef, Type, VarId};

impl<'p, 'c> Machine<'p, 'c> {
    /// Asks for an arbitrary value of a declared type.
    pub(in crate::interp) fn choose(
        &mut self,
        ty: &Type,
        purpose: Purpose,
    ) -> Result<Value, Interruption> {
        let value = self.choices.value(&ChoiceRequest {
            program: self.program,
            now: &self.now,
            ty,
            purpose,
        })?;
        if !self.now.conforms(self.program, ty, &value) {
            let reason = format!(
                "{} is no value of type {}",
                value.display(self.program),
                self.program.type_name(ty)
            );
            return Err(Interruption::End(Outcome::Undetermined(reason)));
        }
        self.decisions.push(Decision::Value(value.clone()));
        Ok(value)
    }

    /// Whether a condition of an `assume` holds, but for what is taken to.
    pub(super) fn is_so(&mut self, condition: &'p Expr) -> Result<bool, Interruption> {
        let Some(granted) = self.granted else {
            return self.boolean(condition);
        };
        for part in formula::conjuncts(condition) {
            // The same place in the program, not one that reads like it.
            if !std::ptr::eq(part, granted) && !self.boolean(part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A routine without a body is about to change this field of all objects of another class.
    pub(in crate::interp) fn changes(&mut self, field: FieldRef) {
        self.choices.changes(field);
    }

    /// Asks how a routine without a body ends.
    pub(in crate::interp) fn choose_exit(
        &mut self,
        routine: RoutineRef,
        throws: &[ExceptionId],
    ) -> Result<Option<ExceptionId>, Interruption> {
        let exit = self.choices.exit(routine, throws)?;
        if exit.is_some_and(|exception| !throws.contains(&exception)) {
            let reason = "an exception that is not in the `throws` clauses".to_owned();
            return Err(Interruption::End(Outcome::Undetermined(reason)));
        }
        self.decisions.push(Decision::Exit(exit));
        Ok(exit)
    }

    pub(in crate::interp) fn value(&mut self, expr: &Expr) -> Result<Value, Interruption> {
        self.settle(expr)?;
        let frame = self.frame()?;
        let scope = EvalScope {
            program: self.program,
            now: &self.now,
            old: None,
            this: Some(frame.this),
            locals: &frame.locals,
            fuel: &self.fuel,
        };
        Ok(scope.evaluate(expr)?)
    }

    pub(super) fn values(&mut self, exprs: &[Expr]) -> Result<Vec<Value>, Interruption> {
        exprs.iter().map(|e| self.value(e)).collect()
    }

    pub(super) fn boolean(&mut self, expr: &Expr) -> Result<bool, Interruption> {
        match self.value(expr)? {
            Value::Bool(b) => Ok(b),
            _ => Err(ill_typed()),
        }
    }

    pub(in crate::interp) fn integer(&mut self, expr: &Expr) -> Result<BigInt, Interruption> {
        match self.value(expr)? {
            Value::Int(n) => Ok(n),
            _ => Err(ill_typed()),
        }
    }

    pub(super) fn reference(&mut self, expr: &Expr) -> Result<ObjectId, Interruption> {
        let value = self.value(expr)?;
        dereference(&value)
    }

    /// Gives a value to the results that the expression looks at and that have none.
    fn settle(&mut self, expr: &Expr) -> Progress {
        let unassigned = &self.frame()?.unassigned;
        if unassigned.is_empty() {
            return Ok(());
        }
        let mut looked_at = BTreeSet::new();
        walk::visit(expr, |e| match e.kind.as_ref() {
            ExprKind::Var(v) if unassigned.contains(v) => {
                looked_at.insert(*v);
            }
            _ => {}
        });
        for v in looked_at {
            self.variable(v)?;
        }
        Ok(())
    }

    /// The value of a variable; an arbitrary one from now on, if it has none.
    pub(super) fn variable(&mut self, v: VarId) -> Result<Value, Interruption> {
        if let Some(value) = self.frame()?.locals.get(&v) {
            return Ok(value.clone());
        }
        let program = self.program;
        let value = self.choose(&program.var(v).ty, Purpose::Unassigned(v))?;
        self.assign(EvaluatedPlace::Var(v), value.clone())?;
        Ok(value)
    }
}
