//! Questions with conditions of their own: about the premises of an EPA (its invariant, what is assumed of its
//! states, how its guards are split), and about one of its edges.

use askama::Template;

use crate::ir::CompareOp;
use crate::ir::Expr;
use crate::ir::formula;
use crate::query::Entry;

use super::Encoding;
use super::question::name::question_name;
use super::question::{Builder, EncodedQuestion, Exit, Frame, Question, Step, unique};
use super::routine::old_globals;
use super::term::Term;
use crate::query::ActionSet;

/// Is there a configuration, or a call, for which all of this holds?
#[derive(Clone, Debug)]
pub struct Probe {
    /// The kind of question, for statistics and the beginning of its name.
    pub kind: &'static str,
    /// What tells it from others of its kind after the same call, in its name.
    pub label: String,
    /// The call; none for a question about configurations.
    pub step: Option<Step>,
    /// Whether the call is made: else only what it requires is asked for.
    pub made: bool,
    /// Whether the parameters meet what the call requires.
    pub required: bool,
    /// Whether the invariant holds where the question begins.
    pub invariant: bool,
    /// What holds besides where the question begins; it may speak of the call's parameters.
    pub before: Vec<Expr>,
    /// Whether the invariant holds where the question ends. Not asked of questions without a call.
    pub invariant_after: Holds,
    /// What holds where the question ends.
    pub after: Vec<Expr>,
    /// Formulas whose truth where the question begins is recorded.
    pub watched_before: Vec<Expr>,
    /// Formulas whose truth where the question ends is recorded.
    pub watched_after: Vec<Expr>,
}

/// Whether something is asked to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// It is.
    Yes,
    /// It is asked not to hold.
    No,
    /// Either way.
    Either,
}

impl Probe {
    /// About configurations in which the invariant holds.
    pub fn of_configurations(kind: &'static str, label: impl Into<String>) -> Self {
        Probe {
            kind,
            label: label.into(),
            step: None,
            made: false,
            required: true,
            invariant: true,
            before: Vec::new(),
            invariant_after: Holds::Either,
            after: Vec::new(),
            watched_before: Vec::new(),
            watched_after: Vec::new(),
        }
    }

    /// About a call, made where the invariant holds.
    pub fn of_call(kind: &'static str, label: impl Into<String>, step: Step) -> Self {
        Probe {
            step: Some(step),
            made: true,
            ..Probe::of_configurations(kind, label)
        }
    }
}

/// `templates/questions/probe.bpl`
#[derive(Template)]
#[template(path = "questions/probe.bpl")]
struct ProbeText<'q> {
    q: &'q Frame,
    watched: Vec<String>,
    target: Vec<String>,
}

impl Encoding<'_> {
    /// The text of a question with conditions of its own. On its trace, the values of `watched_before` come right
    /// behind those before the call, and those of `watched_after` last.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn probe(&self, probe: &Probe) -> Result<EncodedQuestion, askama::Error> {
        let base = match &probe.step {
            None => Question::ConsistentState(ActionSet::default()),
            // What follows from `state … assumes` is asked for by the probe itself.
            Some(Step::Call { action, exit, .. }) => Question::Transition(
                Step::Call {
                    source: None,
                    action: *action,
                    exit: exit.clone(),
                },
                ActionSet::default(),
            ),
            Some(step) => Question::Transition(step.clone(), ActionSet::default()),
        };
        let mut builder = Builder::new(self);
        builder.name_parameters(&base);
        let mut frame = builder.frame(&base);
        frame.reads_after = std::mem::take(&mut builder.reads);
        if !probe.invariant {
            frame.invariant.clear();
        }
        if !probe.required {
            // What is left are the facts of the parameters' types.
            let clauses = self.requires_lines(&base);
            frame
                .requires
                .truncate(frame.requires.len().saturating_sub(clauses));
        }
        if let Some(Step::Call {
            source: Some(source),
            ..
        }) = &probe.step
        {
            frame.source = builder.state(source);
        }
        frame.name = probe_name(self, probe);
        frame.question = self.probe_sentence(probe);
        for e in &probe.before {
            frame.requires.push(builder.encode(e));
        }
        let watched_before: Vec<String> = builder.watch("before", &probe.watched_before);
        frame.before.extend(watched_before);
        let ends: Vec<Expr> = probe
            .after
            .iter()
            .chain(&probe.watched_after)
            .cloned()
            .collect();
        for (global, ty) in old_globals(&self.layout, &ends) {
            frame.locals.push((format!("old.{global}"), ty));
            frame.before.push(format!("old.{global} := {global};"));
        }
        frame.reads_before.append(&mut builder.reads);
        frame.reads_before = unique(std::mem::take(&mut frame.reads_before));
        if !probe.made {
            frame.call.clear();
            frame.exit.clear();
        }
        let mut target = Vec::new();
        match (probe.step.is_some(), probe.invariant_after) {
            (true, Holds::Yes) => {}
            (true, Holds::No) => {
                frame.invariant_after.clear();
                target.push(Term::not(Term::all(builder.invariant())).to_string());
            }
            (true, Holds::Either) | (false, _) => frame.invariant_after.clear(),
        }
        for e in &probe.after {
            target.push(builder.encode(e));
        }
        let watched = builder.watch("after", &probe.watched_after);
        frame.reads_after.append(&mut builder.reads);
        frame.reads_after = unique(std::mem::take(&mut frame.reads_after));
        let text = ProbeText {
            q: &frame,
            watched,
            target,
        }
        .render()?;
        Ok(EncodedQuestion {
            entry: Entry {
                name: frame.name,
                text,
            },
            before: builder.recorded_before,
            after: builder.recorded_after,
            replayable: builder.replayable,
        })
    }

    /// How many lines say what the call requires: they are the last of its parameters'.
    fn requires_lines(&self, question: &Question) -> usize {
        let routine = match question.step() {
            Some(Step::Call { action, .. }) => Some(self.actions[*action].routine),
            Some(Step::Construct { constructor, .. }) => self.constructors[*constructor].routine,
            None => None,
        };
        let Some(routine) = routine else { return 0 };
        let program = self.source();
        let clauses = program.routine(routine).requires.iter();
        let conjuncts = clauses
            .flat_map(|e| formula::conjuncts_of(formula::clause_under_invariant(program, e)));
        conjuncts.filter(|e| !formula::is_bool(e, true)).count()
    }

    fn probe_sentence(&self, probe: &Probe) -> String {
        let what = probe.kind.replace('-', " ");
        match &probe.step {
            None => format!("{what}: is there such a configuration?"),
            Some(step) => format!("{what}: is there such a call of {}?", self.called(step)),
        }
    }

    /// In just this state, as a formula. Where a guard is over-approximated it may hold of other configurations
    /// too.
    pub fn in_state(&self, state: &ActionSet) -> Expr {
        formula::all(self.actions.iter().enumerate().map(|(index, action)| {
            if state.contains(index) {
                action.guard.enabled.clone()
            } else {
                action.guard.disabled.clone()
            }
        }))
    }

    /// In this state and certainly in no other, as a formula. Where a guard is over-approximated it may not hold
    /// of all configurations in the state.
    pub fn only_in_state(&self, state: &ActionSet) -> Expr {
        formula::all(self.actions.iter().enumerate().map(|(index, action)| {
            formula::not(if state.contains(index) {
                action.guard.disabled.clone()
            } else {
                action.guard.enabled.clone()
            })
        }))
    }

    /// What the class says of its states: `state { … } assumes e`.
    pub fn assumptions(&self) -> Vec<(ActionSet, Expr)> {
        Builder::new(self).known_of_states()
    }

    /// The values that fields are declared with, as formulas, each with the name of its field.
    pub fn declared_values(&self) -> Vec<(String, Expr)> {
        let (program, class) = (self.source(), self.class());
        let fields = program.class(class).fields.iter();
        let named = fields.zip(formula::own_fields(program, class));
        named
            .filter_map(|(field, at)| {
                let value = field.value.clone()?;
                Some((
                    field.name.clone(),
                    formula::compare(CompareOp::Eq, at, value),
                ))
            })
            .collect()
    }

    /// The name of a question after how a call ends, for the names of questions made of it.
    fn exit_name(&self, step: &Step) -> String {
        question_name(self, &Question::Exit(step.clone()))
    }
}

fn probe_name(encoding: &Encoding<'_>, probe: &Probe) -> String {
    let kind = probe.kind.replace('-', "_");
    let of = probe.step.as_ref().map(|step| {
        let any = match step.exit() {
            Exit::Any => ".however",
            _ => "",
        };
        format!(".{}{any}", encoding.exit_name(step))
    });
    format!("{kind}{}.{}", of.unwrap_or_default(), probe.label)
}

impl Builder<'_, '_> {
    /// Statements that record whether formulas hold.
    fn watch(&mut self, when: &str, formulas: &[Expr]) -> Vec<String> {
        let lines = formulas.iter().enumerate().map(|(index, e)| {
            let value = self.encode(e);
            let number = index + 1;
            format!("call {{:cexpr \"{when}.{number}\"}} boogie_si_record_bool({value});")
        });
        lines.collect()
    }
}
