//! One call being put together: what is true before it, the call, how it ends and what is seen of that.

use crate::encode::Exit;
use crate::encode::question::name::question_name;
use crate::encode::question::{Builder, Frame, Question, Step, unique};
use crate::encode::term::Term;
use crate::ir::RoutineRef;
use crate::ir::formula;

use super::{Cube, InterfaceEncoding, Observation, Params};

/// The variable that says what is seen.
pub(super) const OBSERVED: &str = "observed";

/// One call being put together.
pub(super) struct Call<'e, 'a> {
    pub(super) builder: Builder<'e, 'a>,
    pub(super) frame: Frame,
    pub(super) routine: Option<RoutineRef>,
    /// What violates the requires clauses, where that must not happen.
    pub(super) violated: Vec<String>,
    /// What meets them.
    pub(super) allowed: Vec<String>,
}

impl<'a> InterfaceEncoding<'a> {
    /// A call of an action in a cube, or in any, up to where it ends; how is not said yet.
    pub(super) fn call(&self, source: Option<&Cube>, action: usize) -> Call<'a, 'a> {
        let encoding = self.encoding;
        let routine = encoding.actions[action].routine;
        let mut builder = Builder::new(encoding);
        builder.name_variables(routine);
        let mut frame = Frame {
            configuration: builder.configuration(false),
            ..Frame::default()
        };
        frame.invariant = builder.invariant().iter().map(Term::to_string).collect();
        let invariant_reads = unique(std::mem::take(&mut builder.reads));
        frame.reads_before.clone_from(&invariant_reads);
        frame.invariant_after.clone_from(&frame.invariant);
        if let Some(cube) = source {
            for literal in formula::conjuncts_of(self.cube_formula(cube)) {
                let literal = builder.encode(&literal);
                frame.hypothesis.push(literal);
            }
            frame.reads_before.append(&mut builder.reads);
        }
        frame.before = builder.record_configuration(&mut |b| &mut b.recorded_before);
        let (violated, allowed) = self.begin(&mut builder, routine, Some(action), &mut frame);
        frame.reads_after = invariant_reads;
        frame.after = builder.record_configuration(&mut |b| &mut b.recorded_after);
        frame.reads_before = unique(std::mem::take(&mut frame.reads_before));
        frame.locals = std::mem::take(&mut builder.locals);
        Call {
            builder,
            frame,
            routine: Some(routine),
            violated,
            allowed,
        }
    }

    /// The arguments and the call. What violates the requires clauses is returned, where that must not happen, and
    /// what meets them.
    pub(super) fn begin(
        &self,
        builder: &mut Builder<'_, '_>,
        routine: RoutineRef,
        action: Option<usize>,
        frame: &mut Frame,
    ) -> (Vec<String>, Vec<String>) {
        let actuals = builder.arguments(routine, frame);
        let allowed = builder.requires(routine);
        let violated = match (action, self.forbidden.requires && !allowed.is_empty()) {
            (Some(action), true) => match self.params {
                Params::Forall => vec![format!("!({})", conjunction(&allowed))],
                Params::Exists => {
                    let disabled = self.encoding.actions[action].guard.disabled.clone();
                    vec![builder.encode(&disabled)]
                }
            },
            _ => vec![],
        };
        builder.called(routine, actuals, &Exit::Any, frame);
        (violated, allowed)
    }

    /// A constructor's call, up to where it ends.
    pub(super) fn start(&self, constructor: usize) -> Call<'a, 'a> {
        let encoding = self.encoding;
        let step = Step::Construct {
            constructor,
            exit: Exit::Normal,
        };
        let mut builder = Builder::new(encoding);
        let routine = encoding.constructors[constructor].routine;
        if let Some(routine) = routine {
            builder.name_variables(routine);
        }
        let question = Question::Transition(step, Default::default());
        let mut frame = builder.frame(&question);
        frame.name = question_name(encoding, &question);
        frame.reads_after = unique(std::mem::take(&mut builder.reads));
        Call {
            builder,
            frame,
            routine,
            violated: vec![],
            allowed: vec![],
        }
    }

    /// The call meets its requires clauses, and does not end as it must not.
    pub(super) fn end_well(&self, call: &mut Call<'_, 'a>, routine: usize, is_action: bool) {
        let allowed = std::mem::take(&mut call.allowed);
        call.frame.requires.extend(allowed);
        if is_action {
            let declared = self.encoding.actions[routine].routine;
            let raised = self.raised(Some(declared));
            if raised != Term::atom("false") {
                call.frame.exit.push(Term::not(raised).to_string());
            }
        }
        self.end_anyhow(call);
    }

    pub(super) fn end_anyhow(&self, call: &mut Call<'_, 'a>) {
        call.frame.reads_after.append(&mut call.builder.reads);
        call.frame.reads_after = unique(std::mem::take(&mut call.frame.reads_after));
    }

    /// What is seen of the call, as the position among the action's observations.
    pub(super) fn observed(&self, builder: &mut Builder<'_, '_>, action: usize) -> String {
        let routine = self.encoding.actions[action].routine;
        let throws = !self.encoding.exceptions_of(routine).is_empty();
        let seen = &self.observations[action];
        let last = Term::atom(seen.len().saturating_sub(1).to_string());
        let cases = seen.iter().enumerate().rev().skip(1);
        let term = cases.fold(last, |rest, (index, observation)| {
            let conditions = match observation {
                Observation::Normal(exit) => builder.exit(routine, exit, throws),
                Observation::Ended | Observation::Failed => vec![],
            };
            let all = Term::all(conditions.into_iter().map(Term::atom));
            Term::If(
                Box::new(all),
                Box::new(Term::atom(index.to_string())),
                Box::new(rest),
            )
        });
        term.to_string()
    }

    /// The call for a person: of an action where the cube holds, or of a constructor.
    pub(crate) fn called(&self, source: Option<&Cube>, routine: usize) -> String {
        match source {
            Some(cube) => format!(
                "`{}`, called where {},",
                self.encoding.actions[routine].name,
                self.cube_text(cube)
            ),
            None => format!("`{}`", self.encoding.constructors[routine].display),
        }
    }

    pub(super) fn called_word(&self, source: Option<&Cube>, routine: usize) -> String {
        match source {
            Some(cube) => format!(
                ".from_cube_{}.by_{}",
                cube.word(),
                self.encoding.actions[routine].name
            ),
            None => format!(".by_constructor_{}", routine + 1),
        }
    }
}

/// That all of these hold, whatever operators are in them.
pub(super) fn conjunction(clauses: &[String]) -> String {
    match clauses {
        [one] => one.clone(),
        _ => {
            let each: Vec<String> = clauses.iter().map(|c| format!("({c})")).collect();
            each.join(" && ")
        }
    }
}
