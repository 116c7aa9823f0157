//! The call that a question asks about: what it is given, what it requires, how it ends.

use super::Exit;
use super::builder::{Builder, Frame};
use crate::encode::routine::{exception_name, modified_globals, procedure_name};
use crate::encode::term::Term;
use crate::ir::formula;
use crate::ir::{CompareOp, RoutineKind};
use crate::ir::{ExprKind, RoutineRef, Type, VarId};

impl Builder<'_, '_> {
    /// The call itself: parameters, `requires`, the procedure, how it ends.
    pub(in crate::encode) fn call(&mut self, routine: RoutineRef, exit: &Exit, frame: &mut Frame) {
        let actuals = self.arguments(routine, frame);
        let requires = self.requires(routine);
        frame.requires.extend(requires);
        self.called(routine, actuals, exit, frame);
    }

    /// What is passed: any values of the parameters' types.
    pub(in crate::encode) fn arguments(
        &mut self,
        routine: RoutineRef,
        frame: &mut Frame,
    ) -> Vec<String> {
        let (program, layout) = (self.encoding.source(), &self.encoding.layout);
        let declared = program.routine(routine);
        let mut actuals = Vec::new();
        if layout.in_heap(routine.class) {
            actuals.push("this".to_string());
        }
        for param in &declared.params {
            let name = self.declare(*param);
            let (ty, value) = (&program.var(*param).ty, Term::atom(&name));
            let facts = layout
                .typing(ty, &value)
                .into_iter()
                .chain(layout.promise(ty, &value));
            frame.requires.extend(facts.map(|f| f.to_string()));
            if declared.kind == RoutineKind::Constructor && layout.leads_to(ty, layout.class) {
                let this = Term::atom("this");
                let other = Term::binary("!=", value.clone(), this);
                frame.requires.push(other.to_string());
            }
            self.record_value(&name, ty, &value, &mut frame.before, true);
            actuals.push(name);
        }
        actuals
    }

    /// The routine's requires clauses.
    pub(in crate::encode) fn requires(&mut self, routine: RoutineRef) -> Vec<String> {
        let program = self.encoding.source();
        let clauses = program.routine(routine).requires.iter();
        clauses
            .flat_map(|e| self.encode_conjuncts(formula::clause_under_invariant(program, e)))
            .collect()
    }

    /// The call with these arguments, and how it ends.
    pub(in crate::encode) fn called(
        &mut self,
        routine: RoutineRef,
        actuals: Vec<String>,
        exit: &Exit,
        frame: &mut Frame,
    ) {
        let encoding = self.encoding;
        let (program, layout) = (encoding.source(), &encoding.layout);
        let declared = program.routine(routine);
        frame.reads_before.append(&mut self.reads);
        let mut outs: Vec<String> = declared
            .results
            .iter()
            .map(|result| self.declare(*result))
            .collect();
        let throws = !encoding.effects.routine(routine).throws.is_empty();
        if throws {
            self.locals.push(("thrown".into(), "Exception".into()));
            outs.push("thrown".into());
        }
        let assignment = if outs.is_empty() {
            String::new()
        } else {
            format!("{} := ", outs.join(", "))
        };
        frame.call = format!(
            "call {assignment}{}({});",
            procedure_name(program, routine),
            actuals.join(", ")
        );
        frame.modifies = modified_globals(layout, encoding.effects.routine(routine)).join(", ");
        frame.exit = self.exit(routine, exit, throws);
    }

    pub(in crate::encode) fn exit(
        &mut self,
        routine: RoutineRef,
        exit: &Exit,
        throws: bool,
    ) -> Vec<String> {
        let program = self.encoding.source();
        match exit {
            Exit::Exception(e) if throws => {
                vec![format!("thrown == {}", exception_name(program, *e))]
            }
            Exit::Exception(_) => vec!["false".into()],
            Exit::Any => vec![],
            Exit::Normal | Exit::Outcome(_) => {
                let mut conditions = Vec::new();
                if throws {
                    conditions.push("thrown == Exception.none".into());
                }
                if let Exit::Outcome(values) = exit {
                    let split = program.routine(routine).outcomes.clone();
                    for (var, value) in split.into_iter().zip(values) {
                        conditions.push(self.outcome_condition(var, *value));
                    }
                }
                conditions
            }
        }
    }

    fn outcome_condition(&mut self, var: VarId, value: usize) -> String {
        let program = self.encoding.source();
        let e = formula::var(program, var);
        let condition = match &program.var(var).ty {
            Type::Enum(id) => {
                let member = formula::expr(ExprKind::Member(*id, value), Type::Enum(*id));
                formula::compare(CompareOp::Eq, e, member)
            }
            _ if value == 1 => e,
            _ => formula::not(e),
        };
        self.encode(&condition)
    }
}
