//! Questions about a clause that is to be an inductive invariant: whether every call keeps it, and what follows
//! from it.

use askama::Template;

use crate::ir::{Expr, ExprKind, Type, VarId};
use crate::ir::{formula, formula::Substitution};
use crate::query::Entry;

use super::Encoding;
use super::question::name::question_name;
use super::question::{Assumption, Builder, Frame, Question, Step};
use crate::query::ActionSet;

/// `templates/confirm/induction.bpl`
#[derive(Template)]
#[template(path = "confirm/induction.bpl")]
struct InductionText<'q> {
    q: &'q Frame,
    clauses: Vec<(String, String)>,
    broken: String,
}

/// `templates/confirm/inductive.bpl`
#[derive(Template)]
#[template(path = "confirm/inductive.bpl")]
struct InductiveText<'q> {
    q: &'q Frame,
    broken: String,
}

/// `templates/confirm/refutation.bpl`
#[derive(Template)]
#[template(path = "confirm/refutation.bpl")]
struct RefutationText<'q> {
    q: &'q Frame,
    target: Vec<Assumption>,
}

/// The number of calls made so far, the constructor counted: clauses may mention it as a variable.
pub const CALLS: VarId = VarId(usize::MAX / 4);

/// The number of calls made so far, as an expression.
pub fn calls() -> Expr {
    formula::expr(ExprKind::Var(CALLS), Type::Int)
}

/// A clause with the number of calls put in.
pub fn after_calls(clause: &Expr, calls: Expr) -> Expr {
    Substitution::one(CALLS, calls).apply(clause)
}

impl Encoding<'_> {
    /// Does the call, where all of `assumed` holds, end where one of `clauses` does not? The last values on the
    /// trace say of each whether it does.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn breaks_some(
        &self,
        step: &Step,
        assumed: &[Expr],
        clauses: &[Expr],
    ) -> Result<Entry, askama::Error> {
        let mut builder = Builder::new(self);
        let (mut frame, clauses) = self.induction_frame(&mut builder, step, assumed, clauses);
        let flags: Vec<(String, String)> = clauses
            .iter()
            .enumerate()
            .map(|(i, clause)| (format!("holds.{}", i + 1), builder.encode(clause)))
            .collect();
        frame
            .locals
            .extend(flags.iter().map(|(flag, _)| (flag.clone(), "bool".into())));
        let all: Vec<&str> = flags.iter().map(|(flag, _)| flag.as_str()).collect();
        frame.name = format!("breaks_some.{}", frame.name);
        frame.question = format!(
            "does {} break one of {} clauses?",
            self.called(step),
            clauses.len()
        );
        let text = InductionText {
            q: &frame,
            broken: format!(
                "!({})",
                if all.is_empty() {
                    "true".into()
                } else {
                    all.join(" && ")
                }
            ),
            clauses: flags,
        }
        .render()?;
        Ok(Entry {
            name: frame.name,
            text,
        })
    }

    /// Does the call, where all of `assumed` holds, end where not all of `clauses` do?
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn breaks(
        &self,
        step: &Step,
        assumed: &[Expr],
        clauses: &[Expr],
    ) -> Result<Entry, askama::Error> {
        let mut builder = Builder::new(self);
        let (mut frame, clauses) = self.induction_frame(&mut builder, step, assumed, clauses);
        let broken = builder.encode(&some_fails(&clauses));
        let (what, kind) = match step {
            Step::Construct { .. } => ("end without establishing", "base"),
            Step::Call { .. } => ("break", "step"),
        };
        frame.name = format!("{kind}.{}", frame.name);
        frame.question = format!("can {} {what} the invariant?", self.called(step));
        let text = InductiveText { q: &frame, broken }.render()?;
        Ok(Entry {
            name: frame.name,
            text,
        })
    }

    /// Can the call, where all of `assumed` holds, end in this state?
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn still_takes(
        &self,
        step: &Step,
        assumed: &[Expr],
        target: &ActionSet,
    ) -> Result<Entry, askama::Error> {
        let mut builder = Builder::new(self);
        let (mut frame, _) = self.induction_frame(&mut builder, step, assumed, &[]);
        let question = Question::Transition(step.clone(), target.clone());
        let target = builder.state(target);
        frame.name = format!("refutation.{}", question_name(self, &question));
        frame.question = self.sentence(&question);
        let text = RefutationText { q: &frame, target }.render()?;
        Ok(Entry {
            name: frame.name,
            text,
        })
    }

    /// The frame of the call with the clauses assumed before it, and those to be looked at after it.
    fn induction_frame(
        &self,
        builder: &mut Builder<'_, '_>,
        step: &Step,
        assumed: &[Expr],
        clauses: &[Expr],
    ) -> (Frame, Vec<Expr>) {
        // An object that is made needs nothing but the invariant assumed behind the call; so `Transition` it is,
        // whatever its target.
        let question = Question::Transition(step.clone(), ActionSet::default());
        let mut frame = builder.frame(&question);
        frame.name = question_name(self, &Question::Exit(step.clone()));
        let counted = assumed
            .iter()
            .chain(clauses)
            .any(|e| formula::contains(e, &mut is_calls));
        let (before, after) = match step {
            Step::Construct { .. } => (None, formula::int(1)),
            Step::Call { .. } if counted => {
                let name = builder.names.fresh("calls");
                let var = builder.names.alias(&name);
                frame.locals.push((name.clone(), "int".into()));
                frame.hypothesis.push(format!("1 <= {name}"));
                let calls = formula::expr(ExprKind::Var(var), Type::Int);
                let next = formula::expr(
                    ExprKind::Binary(crate::ir::BinaryOp::Add, calls.clone(), formula::int(1)),
                    Type::Int,
                );
                (Some(calls), next)
            }
            Step::Call { .. } => (Some(calls()), calls()),
        };
        if let Some(before) = before {
            for clause in assumed {
                let clause = builder.encode(&after_calls(clause, before.clone()));
                frame.hypothesis.push(clause);
            }
        }
        frame.reads_after = super::question::unique(std::mem::take(&mut builder.reads));
        let clauses = clauses
            .iter()
            .map(|e| after_calls(e, after.clone()))
            .collect();
        (frame, clauses)
    }

    /// The call of a step, in words.
    pub(super) fn called(&self, step: &Step) -> String {
        match step {
            Step::Construct { constructor, .. } => {
                format!("`{}`", self.constructors[*constructor].display)
            }
            Step::Call { action, .. } => format!("`{}`", self.actions[*action].name),
        }
    }

    /// Whether a call may change what a clause speaks of.
    pub fn may_change(&self, step: &Step, clause: &Expr) -> bool {
        let routine = match step {
            Step::Construct { .. } => return true,
            Step::Call { action, .. } => self.actions[*action].routine,
        };
        let writes = &self.effects.routine(routine).writes;
        formula::contains(clause, &mut |e| {
            is_calls(e) || matches!(&*e.kind, ExprKind::Field(_, field) if writes.contains(field))
        })
    }
}

fn is_calls(e: &Expr) -> bool {
    matches!(&*e.kind, ExprKind::Var(id) if *id == CALLS)
}

/// Whether a clause speaks of nothing but the object's own fields and of the number of calls, without asking the
/// heap: such a clause stays true whatever others do.
pub fn is_own(clause: &Expr) -> bool {
    !formula::contains(clause, &mut |e| match &*e.kind {
        ExprKind::Field(object, _) => !matches!(*object.kind, ExprKind::This),
        ExprKind::Var(id) => *id != CALLS,
        ExprKind::Length(_)
        | ExprKind::Element(..)
        | ExprKind::Select(..)
        | ExprKind::Store(..)
        | ExprKind::Call { .. }
        | ExprKind::Quantified(..)
        | ExprKind::Old(_) => true,
        _ => false,
    })
}

/// Clauses as one formula's negation.
fn some_fails(clauses: &[Expr]) -> Expr {
    formula::not(formula::all(clauses.iter().cloned()))
}
