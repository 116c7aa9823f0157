//! Questions about a class, each as an entry procedure whose end is reached exactly when the answer is yes.

use std::collections::BTreeSet;

use askama::Template;

use crate::engine::Entry;
use crate::lang::ast::{CompareOp, RoutineKind};
use crate::lang::formula;
use crate::lang::ir::{ClassId, ExceptionId, Expr, ExprKind, FieldRef, RoutineRef, Type, VarId};

use super::ActionSet;
use super::body::record;
use super::expr::ExprEncoder;
use super::names::Names;
use super::program::Encoding;
use super::question_name::question_name;
use super::routine::{
    bound_vars, exception_name, invariant_of, modified_globals, procedure_name, promises,
};
use super::term::Term;

/// One call, from where and how it ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Making an object: an index into [`Encoding::constructors`].
    Construct {
        /// Which constructor.
        constructor: usize,
        /// How it ends.
        exit: Exit,
    },
    /// Calling an action.
    Call {
        /// The source state: exactly these actions are enabled. None for any state.
        source: Option<ActionSet>,
        /// Which action: an index into [`Encoding::actions`].
        action: usize,
        /// How it ends.
        exit: Exit,
    },
}

impl Step {
    /// How the call ends.
    pub fn exit(&self) -> &Exit {
        match self {
            Step::Construct { exit, .. } | Step::Call { exit, .. } => exit,
        }
    }
}

/// How a call ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Exit {
    /// Normally.
    Normal,
    /// Normally, and each result by which the action's edges are split has this value (by its index).
    Outcome(Vec<usize>),
    /// In an exception.
    Exception(ExceptionId),
    /// In any way at all.
    Any,
}

/// A question about a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Question {
    /// Is there a configuration in which exactly these actions are enabled?
    ConsistentState(ActionSet),
    /// Is there a configuration whose enabled actions are none of these sets?
    AnyOtherState(BTreeSet<ActionSet>),
    /// Can the call end with the action disabled? (If not, it is necessarily enabled: in B⁺.)
    NecessarilyEnabled(Step, usize),
    /// Can the call end with the action enabled? (If not, it is necessarily disabled: in B⁻.)
    NecessarilyDisabled(Step, usize),
    /// Can the call end in this state?
    Transition(Step, ActionSet),
    /// Can the call end in a state that is none of these?
    AnyOtherTarget(Step, BTreeSet<ActionSet>),
    /// Can the call end in a configuration that breaks the invariant?
    InvariantViolation(Step),
    /// Can the call end this way, wherever it leaves the object?
    Exit(Step),
}

impl Question {
    /// The kind of question, for statistics and file names.
    pub fn kind(&self) -> &'static str {
        match self {
            Question::ConsistentState(_) => "consistent-state",
            Question::AnyOtherState(_) => "any-other-state",
            Question::NecessarilyEnabled(..) => "necessarily-enabled",
            Question::NecessarilyDisabled(..) => "necessarily-disabled",
            Question::Transition(step, _) => match step {
                Step::Construct { .. } => "initial-state",
                Step::Call {
                    exit: Exit::Exception(_),
                    ..
                } => "exceptional-exit",
                Step::Call { .. } => "transition",
            },
            Question::AnyOtherTarget(..) => "any-other-target",
            Question::InvariantViolation(_) => "invariant-violation",
            Question::Exit(_) => "exit",
        }
    }

    /// The call that is asked about, if any.
    pub fn step(&self) -> Option<&Step> {
        match self {
            Question::ConsistentState(_) | Question::AnyOtherState(_) => None,
            Question::NecessarilyEnabled(step, _)
            | Question::NecessarilyDisabled(step, _)
            | Question::Transition(step, _)
            | Question::AnyOtherTarget(step, _)
            | Question::InvariantViolation(step)
            | Question::Exit(step) => Some(step),
        }
    }
}

/// A question as text, and how to read the values on its trace.
#[derive(Clone, Debug)]
pub struct EncodedQuestion {
    /// The entry procedure.
    pub entry: Entry,
    /// What the first recorded values are: the configuration before the call, then the parameters.
    pub before: Vec<String>,
    /// What the last recorded values are: the configuration after the call, then, for the questions after *any*
    /// target, whether each action is enabled.
    pub after: Vec<String>,
    /// Whether every value of the configuration and of the parameters is recorded, so that a trace can be
    /// replayed.
    pub replayable: bool,
}

/// A line that assumes something, with a remark.
pub(super) struct Assumption {
    pub(super) term: String,
    pub(super) remark: String,
}

/// A variable that says whether an action is enabled.
struct Flag {
    name: String,
    /// The statement that gives it its value, or says which it may have.
    statement: String,
}

/// What is assumed at the end of an entry procedure.
enum End {
    /// Exactly these actions are enabled.
    State(Vec<Assumption>),
    /// The actions' flags, and what is known of the flags.
    Flags(Vec<Flag>, Vec<String>),
    /// One formula.
    Formula(String),
    /// Nothing.
    Nothing,
}

/// What all entry procedures share.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) name: String,
    pub(super) question: String,
    pub(super) modifies: String,
    pub(super) locals: Vec<(String, String)>,
    /// The configuration is well-typed.
    pub(super) configuration: Vec<String>,
    pub(super) invariant: Vec<String>,
    /// Clauses that are assumed besides the invariant, to see what follows from them.
    pub(super) hypothesis: Vec<String>,
    /// The source state; empty for constructors.
    pub(super) source: Vec<Assumption>,
    /// Facts and requires clauses of the parameters.
    pub(super) requires: Vec<String>,
    pub(super) before: Vec<String>,
    pub(super) call: String,
    /// How the call ends.
    pub(super) exit: Vec<String>,
    pub(super) invariant_after: Vec<String>,
    pub(super) after: Vec<String>,
    /// Facts about what is read from the heap, before and after the call.
    pub(super) reads_before: Vec<String>,
    pub(super) reads_after: Vec<String>,
}

macro_rules! templates {
    ($($(#[$doc:meta])* $name:ident($path:literal) { $($field:ident: $ty:ty),* })*) => {
        $(
            $(#[$doc])*
            #[derive(Template)]
            #[template(path = $path)]
            struct $name<'q> {
                q: &'q Frame,
                $($field: $ty),*
            }
        )*
    };
}

templates! {
    InitialStateText("questions/initial_state.bpl") { target: Vec<Assumption> }
    TransitionText("questions/transition.bpl") { target: Vec<Assumption> }
    ExceptionalExitText("questions/exceptional_exit.bpl") { target: Vec<Assumption> }
    NecessarilyEnabledText("questions/necessarily_enabled.bpl") { action: &'q str, disabled: String }
    NecessarilyDisabledText("questions/necessarily_disabled.bpl") { action: &'q str, enabled: String }
    AnyOtherTargetText("questions/any_other_target.bpl") { flags: Vec<Flag>, known: Vec<String> }
    InvariantViolationText("questions/invariant_violation.bpl") { broken: String }
    ExitText("questions/exit.bpl") {}
    ConsistentStateText("questions/consistent_state.bpl") { target: Vec<Assumption> }
    AnyOtherStateText("questions/any_other_state.bpl") { flags: Vec<Flag>, known: Vec<String> }
}

impl Encoding<'_> {
    /// The text of a question.
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn question(&self, question: &Question) -> Result<EncodedQuestion, askama::Error> {
        Builder::new(self).build(question)
    }

    /// A question as a sentence.
    pub fn sentence(&self, question: &Question) -> String {
        let state = |set: &ActionSet| {
            let names: Vec<&str> = set.iter().map(|a| self.actions[a].name.as_str()).collect();
            format!("{{{}}}", names.join(", "))
        };
        let call = question.step().map(|step| match step {
            Step::Construct { constructor, .. } => {
                format!("`{}`", self.constructors[*constructor].display)
            }
            Step::Call { source, action, .. } => format!(
                "`{}`, called in {},",
                self.actions[*action].name,
                source.as_ref().map_or("any state".into(), state),
            ),
        });
        let call = call.unwrap_or_default();
        let end = question
            .step()
            .map(|step| self.end_words(step))
            .unwrap_or_default();
        match question {
            Question::ConsistentState(set) => {
                format!("is there a configuration in {}?", state(set))
            }
            Question::AnyOtherState(_) => {
                "is there a configuration in a state not known yet?".into()
            }
            Question::NecessarilyEnabled(_, a) => {
                format!(
                    "can {call} {end} with `{}` disabled?",
                    self.actions[*a].name
                )
            }
            Question::NecessarilyDisabled(_, a) => {
                format!("can {call} {end} with `{}` enabled?", self.actions[*a].name)
            }
            Question::Transition(_, target) => format!("can {call} {end} in {}?", state(target)),
            Question::AnyOtherTarget(..) => format!("can {call} {end} in a state not known yet?"),
            Question::InvariantViolation(_) => {
                format!("can {call} {end} where the invariant does not hold?")
            }
            Question::Exit(step) => match step.exit() {
                Exit::Exception(e) => format!("can {call} raise {}?", self.source().exception(*e)),
                _ => format!("can {call} {end}?"),
            },
        }
    }

    /// How the call ends, as a verb.
    fn end_words(&self, step: &Step) -> String {
        match step.exit() {
            Exit::Normal | Exit::Any => "end".into(),
            Exit::Exception(e) => format!("raise {} and end", self.source().exception(*e)),
            Exit::Outcome(_) => match step {
                Step::Call { action, exit, .. } => {
                    format!("end as [{}]", self.outcome_label(*action, exit))
                }
                Step::Construct { .. } => "end".into(),
            },
        }
    }

    /// How an outcome is shown: `ok`, `!ok`, `Sent`; several joined by commas. Empty for other exits.
    pub fn outcome_label(&self, action: usize, exit: &Exit) -> String {
        let Exit::Outcome(values) = exit else {
            return String::new();
        };
        let program = self.source();
        let split = &program.routine(self.actions[action].routine).outcomes;
        let labels: Vec<String> = split
            .iter()
            .zip(values)
            .map(|(var, value)| match &program.var(*var).ty {
                Type::Enum(id) => program.enums[id.0]
                    .members
                    .get(*value)
                    .cloned()
                    .unwrap_or_default(),
                _ if *value == 1 => program.var(*var).name.clone(),
                _ => format!("!{}", program.var(*var).name),
            })
            .collect();
        labels.join(", ")
    }

    /// The normal exits of an action: one, or one for each combination of the outcomes it is split by.
    pub fn normal_exits(&self, action: usize) -> Vec<Exit> {
        let program = self.source();
        let split = &program.routine(self.actions[action].routine).outcomes;
        let mut combinations: Vec<Vec<usize>> = vec![vec![]];
        for var in split {
            let values: Vec<usize> = match &program.var(*var).ty {
                Type::Enum(id) => (0..program.enums[id.0].members.len()).collect(),
                _ => vec![1, 0],
            };
            combinations = combinations
                .into_iter()
                .flat_map(|c| {
                    values
                        .iter()
                        .map(move |v| c.iter().copied().chain([*v]).collect())
                })
                .collect();
        }
        if split.is_empty() {
            vec![Exit::Normal]
        } else {
            combinations.into_iter().map(Exit::Outcome).collect()
        }
    }
}

/// Builds one procedure of a question.
pub(super) struct Builder<'e, 'a> {
    pub(super) encoding: &'e Encoding<'a>,
    pub(super) names: Names,
    pub(super) locals: Vec<(String, String)>,
    pub(super) recorded_before: Vec<String>,
    pub(super) recorded_after: Vec<String>,
    pub(super) replayable: bool,
    /// Facts about what the formulas encoded so far read from the heap.
    pub(super) reads: Vec<String>,
}

impl<'e, 'a> Builder<'e, 'a> {
    pub(super) fn new(encoding: &'e Encoding<'a>) -> Self {
        Builder {
            encoding,
            names: Names::default(),
            locals: Vec::new(),
            recorded_before: Vec::new(),
            recorded_after: Vec::new(),
            replayable: true,
            reads: Vec::new(),
        }
    }

    fn build(mut self, question: &Question) -> Result<EncodedQuestion, askama::Error> {
        self.name_parameters(question);
        let mut frame = self.frame(question);
        let end = self.end(question);
        frame.reads_after = unique(std::mem::take(&mut self.reads));
        let q = &frame;
        let text = match (question, end) {
            (Question::ConsistentState(_), End::State(target)) => {
                ConsistentStateText { q, target }.render()?
            }
            (Question::Transition(Step::Construct { .. }, _), End::State(target)) => {
                InitialStateText { q, target }.render()?
            }
            (
                Question::Transition(
                    Step::Call {
                        exit: Exit::Exception(_),
                        ..
                    },
                    _,
                ),
                End::State(target),
            ) => ExceptionalExitText { q, target }.render()?,
            (_, End::State(target)) => TransitionText { q, target }.render()?,
            (Question::AnyOtherState(_), End::Flags(flags, known)) => {
                AnyOtherStateText { q, flags, known }.render()?
            }
            (_, End::Flags(flags, known)) => AnyOtherTargetText { q, flags, known }.render()?,
            (Question::NecessarilyEnabled(_, action), End::Formula(disabled)) => {
                let action = &self.encoding.actions[*action].name;
                NecessarilyEnabledText {
                    q,
                    action,
                    disabled,
                }
                .render()?
            }
            (Question::NecessarilyDisabled(_, action), End::Formula(enabled)) => {
                let action = &self.encoding.actions[*action].name;
                NecessarilyDisabledText { q, action, enabled }.render()?
            }
            (_, End::Formula(broken)) => InvariantViolationText { q, broken }.render()?,
            (_, End::Nothing) => ExitText { q }.render()?,
        };
        Ok(EncodedQuestion {
            entry: Entry {
                name: frame.name.clone(),
                text,
            },
            before: self.recorded_before,
            after: self.recorded_after,
            replayable: self.replayable,
        })
    }

    /// The parameters and results of the call come before all others, so that they have their own names.
    pub(super) fn name_parameters(&mut self, question: &Question) {
        let routine = match question.step() {
            None => None,
            Some(Step::Construct { constructor, .. }) => {
                self.encoding.constructors[*constructor].routine
            }
            Some(Step::Call { action, .. }) => Some(self.encoding.actions[*action].routine),
        };
        if let Some(routine) = routine {
            let program = self.encoding.source();
            let declared = program.routine(routine);
            let vars = declared.params.iter().chain(&declared.results).copied();
            self.names.add(program, vars, "");
        }
    }

    /// What is assumed where the question ends.
    fn end(&mut self, question: &Question) -> End {
        let guards = &self.encoding.actions;
        match question {
            Question::ConsistentState(set) | Question::Transition(_, set) => {
                let mut target = self.state(set);
                target.extend(self.known_of_state(set));
                End::State(target)
            }
            Question::AnyOtherState(known) | Question::AnyOtherTarget(_, known) => {
                self.flags(known)
            }
            Question::NecessarilyEnabled(_, action) => {
                End::Formula(self.encode(&guards[*action].guard.disabled))
            }
            Question::NecessarilyDisabled(_, action) => {
                End::Formula(self.encode(&guards[*action].guard.enabled))
            }
            Question::InvariantViolation(_) => {
                End::Formula(Term::not(Term::all(self.invariant())).to_string())
            }
            Question::Exit(_) => End::Nothing,
        }
    }

    pub(super) fn encode(&mut self, e: &Expr) -> String {
        self.term(e).to_string()
    }

    fn term(&mut self, e: &Expr) -> Term {
        self.names.add_bound(self.encoding.source(), bound_vars(e));
        let exprs = ExprEncoder::new(&self.encoding.layout, &self.names);
        self.reads
            .extend(exprs.closed_reads(e).iter().map(Term::to_string));
        exprs.encode(e)
    }

    /// The formula's conjuncts, one a line.
    pub(super) fn encode_conjuncts(&mut self, e: Expr) -> Vec<String> {
        formula::conjuncts_of(e)
            .iter()
            .filter(|c| !formula::is_bool(c, true))
            .map(|c| self.encode(c))
            .collect()
    }

    pub(super) fn frame(&mut self, question: &Question) -> Frame {
        let encoding = self.encoding;
        let mut frame = Frame {
            name: question_name(self.encoding, question),
            question: encoding.sentence(question),
            modifies: String::new(),
            locals: Vec::new(),
            configuration: self
                .configuration(matches!(question.step(), Some(Step::Construct { .. }))),
            invariant: Vec::new(),
            hypothesis: Vec::new(),
            source: Vec::new(),
            requires: Vec::new(),
            before: Vec::new(),
            call: String::new(),
            exit: Vec::new(),
            invariant_after: Vec::new(),
            after: Vec::new(),
            reads_before: Vec::new(),
            reads_after: Vec::new(),
        };
        let invariant: Vec<String> = self.invariant().iter().map(Term::to_string).collect();
        let invariant_reads = std::mem::take(&mut self.reads);
        if !matches!(question.step(), Some(Step::Construct { .. })) {
            frame.reads_before.clone_from(&invariant_reads);
        }
        let of_others: Vec<String> = self
            .invariant_of_others()
            .iter()
            .map(Term::to_string)
            .collect();
        match question.step() {
            None => {
                frame.invariant = invariant;
                frame.before = self.record_configuration(&mut |b| &mut b.recorded_before);
            }
            Some(Step::Construct { constructor, exit }) => {
                let routine = encoding.constructors[*constructor].routine;
                frame.configuration.extend(self.promises());
                // Where nothing is run, an object starts in its invariant.
                frame.invariant = match routine {
                    Some(_) => of_others,
                    None => invariant.clone(),
                };
                frame.before = self.record_configuration(&mut |b| &mut b.recorded_before);
                match routine {
                    Some(routine) => self.call(routine, exit, &mut frame),
                    None => {
                        // Without a constructor an object starts anywhere that its declarations allow.
                        let start = self.start();
                        frame.requires = self.encode_conjuncts(start);
                        frame.reads_before.append(&mut self.reads);
                    }
                }
                frame.invariant_after = invariant;
            }
            Some(Step::Call {
                source,
                action,
                exit,
            }) => {
                frame.invariant = invariant.clone();
                if let Some(source) = source {
                    frame.source = self.state(source);
                    frame.source.extend(self.known_of_state(source));
                }
                frame.before = self.record_configuration(&mut |b| &mut b.recorded_before);
                self.call(encoding.actions[*action].routine, exit, &mut frame);
                frame.invariant_after = invariant;
            }
        }
        if question.step().is_some() {
            self.reads.extend(invariant_reads);
            frame.after = self.record_configuration(&mut |b| &mut b.recorded_after);
        }
        if matches!(
            question,
            Question::InvariantViolation(_) | Question::Exit(_)
        ) {
            frame.invariant_after.clear();
        }
        if matches!(
            question,
            Question::AnyOtherState(_) | Question::AnyOtherTarget(..)
        ) {
            let flags = encoding
                .actions
                .iter()
                .map(|a| (format!("{}#enabled", a.name), "bool".to_string()));
            self.locals.extend(flags);
        }
        frame.reads_before = unique(std::mem::take(&mut frame.reads_before));
        frame.locals = std::mem::take(&mut self.locals);
        frame
    }

    /// The call itself: parameters, `requires`, the procedure, how it ends.
    pub(super) fn call(&mut self, routine: RoutineRef, exit: &Exit, frame: &mut Frame) {
        let encoding = self.encoding;
        let (program, layout) = (encoding.source(), &encoding.layout);
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
        for clause in &declared.requires {
            frame
                .requires
                .extend(self.encode_conjuncts(formula::clause_under_invariant(program, clause)));
        }
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

    pub(super) fn exit(&mut self, routine: RoutineRef, exit: &Exit, throws: bool) -> Vec<String> {
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

    fn declare(&mut self, id: VarId) -> String {
        let program = self.encoding.source();
        let name = self.names.of(program, id);
        let ty = self.encoding.layout.boogie_type(&program.var(id).ty);
        self.locals.push((name.clone(), ty));
        name
    }

    fn this(&self) -> Expr {
        formula::expr(
            ExprKind::This,
            Type::Class {
                class: self.encoding.class(),
                nullable: false,
            },
        )
    }

    /// What is true of every configuration: values are in the ranges of their types, and references lead to
    /// objects that exist. Where `this` is new, it is the last object, and nothing leads to it.
    pub(super) fn configuration(&mut self, new: bool) -> Vec<String> {
        let layout = &self.encoding.layout;
        let program = layout.program;
        let mut facts = Vec::new();
        let at_least_zero =
            |global: String| Term::binary("<=", Term::atom("0"), Term::atom(global));
        for element in &layout.arrays {
            facts.push(at_least_zero(format!("{}.alloc", layout.array(element))));
        }
        for class in (0..program.classes.len()).map(ClassId) {
            if layout.in_heap(class) {
                facts.push(at_least_zero(layout.objects(class)));
            }
        }
        if !layout.flat {
            self.locals.push(("this".into(), "Ref".into()));
            let this = Term::atom("this");
            facts.push(Term::binary("<", Term::atom("0"), this.clone()));
            facts.push(Term::binary(
                if new { "==" } else { "<=" },
                this,
                Term::atom(layout.objects(layout.class)),
            ));
        }
        let own = program.class(layout.class);
        for (index, field) in own.fields.iter().enumerate() {
            let at = FieldRef {
                class: layout.class,
                index,
            };
            let value = ExprEncoder::new(layout, &self.names).field(&self.this(), at);
            facts.extend(layout.typing(&field.ty, &value));
        }
        let start = layout
            .closed()
            .into_iter()
            .map(|(global, _)| global)
            .chain(layout.counters());
        let own = layout.objects(layout.class);
        facts.extend(start.map(|global| {
            let before = Term::atom(format!("start.{global}"));
            let now = Term::atom(&global);
            if new && !layout.flat && global == own {
                Term::binary("==", now, Term::binary("+", before, Term::atom("1")))
            } else {
                Term::binary("==", now, before)
            }
        }));
        facts.iter().map(Term::to_string).collect()
    }

    /// The invariant: of the object itself, and of every object of another class that has one.
    pub(super) fn invariant(&mut self) -> Vec<Term> {
        let this = self.this();
        let layout = &self.encoding.layout;
        let (mut terms, reads) = invariant_of(layout, &mut self.names, layout.class, &this);
        self.reads.extend(reads.iter().map(Term::to_string));
        terms.extend(self.invariant_of_others());
        terms
    }

    /// The invariants of every object of another class; of the other objects of this class and of the elements of
    /// arrays, what their types promise.
    pub(super) fn invariant_of_others(&mut self) -> Vec<Term> {
        let layout = &self.encoding.layout;
        let arrays = layout.arrays.iter();
        let mut terms: Vec<Term> = arrays.filter_map(|e| layout.every_array(e)).collect();
        for class in (0..layout.program.classes.len())
            .map(ClassId)
            .filter(|c| layout.in_heap(*c))
        {
            let ty = Type::Class {
                class,
                nullable: false,
            };
            let name = self.names.fresh("object");
            let object = self.names.alias(&name);
            let that = formula::expr(ExprKind::Var(object), ty);
            let inner = if class == layout.class {
                promises(layout, &self.names, class, &that)
            } else {
                invariant_of(layout, &mut self.names, class, &that).0
            };
            if !inner.is_empty() {
                let o = Term::atom(&name);
                let exists = Term::binary(
                    "&&",
                    Term::binary("<", Term::atom("0"), o.clone()),
                    Term::binary("<=", o, Term::atom(layout.objects(class))),
                );
                let body = Term::binary("==>", exists, Term::all(inner));
                terms.push(Term::Quantified(
                    "forall",
                    format!("{name}: Ref"),
                    Box::new(body),
                ));
            }
        }
        terms
    }

    /// How an object of a class without a constructor starts: with the values its fields are declared with, and
    /// where `initially` holds.
    pub(super) fn start(&self) -> Expr {
        let program = self.encoding.source();
        let class = self.encoding.class();
        let own = program.class(class);
        let values = own.fields.iter().enumerate().filter_map(|(index, field)| {
            let at = ExprKind::Field(self.this(), FieldRef { class, index });
            let value = field.value.clone()?;
            Some(formula::compare(
                CompareOp::Eq,
                formula::expr(at, value.ty.clone()),
                value,
            ))
        });
        let initially = own.initially.iter().map(|e| formula::clause(program, e));
        formula::all(values.chain(initially))
    }

    /// What the fields' types promise; true of the arbitrary values that a constructor starts from, too.
    pub(super) fn promises(&self) -> Vec<String> {
        let layout = &self.encoding.layout;
        promises(layout, &self.names, layout.class, &self.this())
            .iter()
            .map(Term::to_string)
            .collect()
    }

    /// Exactly these actions are enabled.
    pub(super) fn state(&mut self, state: &ActionSet) -> Vec<Assumption> {
        let encoding = self.encoding;
        let mut lines = Vec::new();
        for (index, action) in encoding.actions.iter().enumerate() {
            let (formula, word) = if state.contains(index) {
                (&action.guard.enabled, "enabled")
            } else {
                (&action.guard.disabled, "disabled")
            };
            lines.push(Assumption {
                term: self.encode(formula),
                remark: format!("{} is {word}", action.name),
            });
        }
        lines
    }

    /// What the class says of one state: `state { … } assumes e`.
    pub(super) fn known_of_state(&mut self, state: &ActionSet) -> Vec<Assumption> {
        let known = self.known_of_states();
        let of_this = known.into_iter().filter(|(set, _)| set == state);
        of_this
            .map(|(_, e)| Assumption {
                term: self.encode(&e),
                remark: "known of this state".into(),
            })
            .collect()
    }

    /// What the class says of its states.
    fn known_of_states(&self) -> Vec<(ActionSet, Expr)> {
        let encoding = self.encoding;
        let program = encoding.source();
        let position = |index: &usize| {
            let mut actions = encoding.actions.iter();
            actions.position(|a| a.routine.index == *index)
        };
        let states = program.class(encoding.class()).states.iter();
        states
            .filter_map(|s| {
                let set: Option<ActionSet> = s.enabled.iter().map(position).collect();
                Some((set?, formula::clause_under_invariant(program, &s.assumes)))
            })
            .collect()
    }

    /// One flag an action, the known sets as formulas over the flags, and what the class says of its states.
    fn flags(&mut self, known: &BTreeSet<ActionSet>) -> End {
        let encoding = self.encoding;
        let mut flags = Vec::new();
        for action in &encoding.actions {
            let name = format!("{}#enabled", action.name);
            let enabled = self.term(&action.guard.enabled);
            let statement = if action.guard.is_exact() {
                format!("{name} := {enabled};")
            } else {
                let disabled = Box::new(self.term(&action.guard.disabled));
                let flag = Box::new(Term::atom(&name));
                format!("assume {};", Term::If(flag, Box::new(enabled), disabled))
            };
            self.recorded_after.push(name.clone());
            flags.push(Flag { name, statement });
        }
        let is = |set: &ActionSet| {
            let literals = flags.iter().enumerate().map(|(index, flag)| {
                if set.contains(index) {
                    Term::atom(&flag.name)
                } else {
                    Term::not(Term::atom(&flag.name))
                }
            });
            Term::all(literals)
        };
        let mut lines: Vec<String> = known
            .iter()
            .map(|set| Term::not(is(set)).to_string())
            .collect();
        for (set, e) in self.known_of_states() {
            let assumed = self.term(&e);
            lines.push(Term::binary("==>", is(&set), assumed).to_string());
        }
        End::Flags(flags, lines)
    }

    /// Statements that record the fields of the object.
    pub(super) fn record_configuration(
        &mut self,
        list: &mut dyn FnMut(&mut Self) -> &mut Vec<String>,
    ) -> Vec<String> {
        let layout = &self.encoding.layout;
        let program = layout.program;
        let own = program.class(layout.class);
        let mut lines = Vec::new();
        if program.classes.len() > 1 || !layout.arrays.is_empty() {
            self.replayable = false;
        }
        for (index, field) in own.fields.iter().enumerate() {
            let at = FieldRef {
                class: layout.class,
                index,
            };
            let value = ExprEncoder::new(layout, &self.names).field(&self.this(), at);
            match record(&field.ty, &field.name, &value) {
                Some(line) => {
                    lines.push(line);
                    list(self).push(field.name.clone());
                }
                None => self.replayable = false,
            }
        }
        lines
    }

    fn record_value(
        &mut self,
        name: &str,
        ty: &Type,
        value: &Term,
        lines: &mut Vec<String>,
        before: bool,
    ) {
        match record(ty, name, value) {
            Some(line) => {
                lines.push(line);
                let list = if before {
                    &mut self.recorded_before
                } else {
                    &mut self.recorded_after
                };
                list.push(name.to_string());
            }
            None => self.replayable = false,
        }
    }
}

/// The lines without repetitions.
pub(super) fn unique(lines: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    lines
        .into_iter()
        .filter(|line| seen.insert(line.clone()))
        .collect()
}
