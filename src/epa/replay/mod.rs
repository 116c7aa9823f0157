//! Checking an engine's "reached" by running it: the witness's values are put into the concrete interpreter, and
//! every claim of the question is looked at there.

mod objection;
mod recorded;

use crate::encode::question::EncodedQuestion;
use crate::encode::{Encoding, Exit, Question, Step};
use crate::interp::{Configuration, Entry, Event, Interpreter, Outcome, Value};
use crate::ir::Source;
use crate::ir::{Expr, FieldRef, Program, RoutineRef};
use crate::query::ActionSet;
use crate::query::{Recorded, Trace};

pub use objection::Objection;
pub(crate) use objection::{claim, cut_short, judged, this};
pub(crate) use recorded::{Recorder, read, value};

/// What running a witness shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// It does what the engine claims.
    Confirmed,
    /// It does not, and how so.
    Contradicted(String),
    /// It cannot be run: something in it is not recorded, or not decidable for the interpreter.
    NotRun,
}

/// Runs the witness of a question that was answered "reached".
pub fn replay(
    encoding: &Encoding<'_>,
    question: &Question,
    encoded: &EncodedQuestion,
    trace: &Trace,
) -> Replayed {
    let replay = Replay {
        encoding,
        question,
        encoded,
        trace,
        interpreter: Interpreter::new(encoding.source()),
    };
    judged(replay.run().map(|_| ()))
}

/// Runs such a witness for a person: the lines of the statements executed, where it can be run, and does what the engine
/// claims.
pub fn path(
    encoding: &Encoding<'_>,
    source: &Source,
    question: &Question,
    encoded: &EncodedQuestion,
    trace: &Trace,
) -> Option<Vec<u32>> {
    let replay = Replay {
        encoding,
        question,
        encoded,
        trace,
        interpreter: Interpreter::new(encoding.source()).with_log(),
    };
    Some(lines(source, &replay.run().ok()?))
}

/// The lines of the statements executed.
pub(crate) fn lines(source: &Source, log: &[Entry]) -> Vec<u32> {
    let starts = log.iter().filter_map(|entry| match entry.event {
        Event::Statement(span) => Some(span.start),
        _ => None,
    });
    let line = |start: u32| u32::try_from(source.line_column(start as usize).0).unwrap_or(u32::MAX);
    starts.map(line).collect()
}

struct Replay<'a> {
    encoding: &'a Encoding<'a>,
    question: &'a Question,
    encoded: &'a EncodedQuestion,
    trace: &'a Trace,
    interpreter: Interpreter<'a>,
}

impl Replay<'_> {
    /// What happened in the call, where the interpreter notes it.
    fn run(&self) -> Result<Vec<Entry>, Objection> {
        if !self.encoded.replayable {
            return Err(Objection::CannotTell(
                "its values are not all recorded".into(),
            ));
        }
        let values = &self.trace.values;
        let between =
            self.encoded.before.len()..values.len().saturating_sub(self.encoded.after.len());
        let (Some(before), Some(chosen), Some(after)) = (
            values.get(..between.start),
            values.get(between.clone()),
            values.get(between.end..),
        ) else {
            return Err(cut_short());
        };
        let start = self.fields(before)?;
        let interpreter = &self.interpreter;
        let mut log = None;
        let end = match self.question.step() {
            None => start,
            Some(Step::Construct { constructor, exit }) => {
                let routine = self.encoding.constructors[*constructor].routine;
                let args = self.arguments(routine, before)?;
                if let Some(routine) = routine {
                    let may =
                        interpreter.may_call(&Configuration::empty(), None, routine, &args)?;
                    claim(may, || {
                        "the constructor's requires clauses do not hold".into()
                    })?;
                }
                let mut choices = Recorder::new(chosen, &start);
                let empty = Configuration::empty();
                let execution = interpreter.construct(
                    &empty,
                    self.encoding.class(),
                    routine,
                    args,
                    &mut choices,
                );
                self.check_exit(&execution.outcome, exit, None)?;
                log = execution.log;
                execution.configuration
            }
            Some(Step::Call {
                source,
                action,
                exit,
            }) => {
                let this = this(&start)?;
                let routine = self.encoding.actions[*action].routine;
                let args = self.arguments(Some(routine), before)?;
                claim(
                    interpreter.invariant_holds(&start, self.encoding.class())?,
                    || "the invariant does not hold before the call".into(),
                )?;
                if let Some(source) = source {
                    self.check_state(interpreter, &start, source, "before the call")?;
                }
                let may = interpreter.may_call(&start, Some(this), routine, &args)?;
                claim(may, || "the requires clauses do not hold".into())?;
                let mut choices = Recorder::new(chosen, &start);
                let execution = interpreter.call(&start, this, routine, args, &mut choices);
                self.check_exit(&execution.outcome, exit, Some(*action))?;
                log = execution.log;
                execution.configuration
            }
        };
        self.check_fields(&end, after)?;
        self.check_end(interpreter, &end, after)?;
        Ok(log.unwrap_or_default())
    }

    fn program(&self) -> &Program {
        self.encoding.source()
    }

    /// The configuration whose fields have the recorded values.
    fn fields(&self, recorded: &[Recorded]) -> Result<Configuration, Objection> {
        let class = self.encoding.class();
        let fields = &self.program().class(class).fields;
        let values = fields.iter().zip(recorded).map(|(f, r)| read(&f.ty, r));
        let values: Vec<Value> = values.collect::<Result<_, _>>()?;
        if values.len() != fields.len() {
            return Err(cut_short());
        }
        Ok(Configuration::with_this(class, values))
    }

    /// The recorded arguments: they come behind the fields.
    fn arguments(
        &self,
        routine: Option<RoutineRef>,
        recorded: &[Recorded],
    ) -> Result<Vec<Value>, Objection> {
        let Some(routine) = routine else {
            return Ok(vec![]);
        };
        let fields = self.program().class(self.encoding.class()).fields.len();
        let params = &self.program().routine(routine).params;
        let recorded = recorded.get(fields..).unwrap_or_default();
        if recorded.len() != params.len() {
            return Err(cut_short());
        }
        let pairs = params.iter().zip(recorded);
        pairs
            .map(|(p, r)| read(&self.program().var(*p).ty, r))
            .collect()
    }

    fn check_exit(
        &self,
        outcome: &Outcome,
        exit: &Exit,
        action: Option<usize>,
    ) -> Result<(), Objection> {
        let matches = match (outcome, exit) {
            (Outcome::OutOfFuel | Outcome::Undetermined(_), _) => {
                return Err(Objection::CannotTell(self.words(outcome)));
            }
            (Outcome::Blocked, _) => false,
            (_, Exit::Any) | (Outcome::Normal(_), Exit::Normal) => true,
            (Outcome::Normal(results), Exit::Outcome(wanted)) => {
                action.is_some_and(|a| has_outcome(self.encoding, a, results, wanted))
            }
            (Outcome::Exception(raised), Exit::Exception(wanted)) => raised == wanted,
            (Outcome::Normal(_) | Outcome::Exception(_), _) => false,
        };
        claim(matches, || {
            format!("the call ends otherwise: {}", self.words(outcome))
        })
    }

    fn words(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Normal(_) => "normally".into(),
            Outcome::Exception(e) => format!("in {}", self.program().exception(*e)),
            Outcome::Blocked => "not at all".into(),
            Outcome::OutOfFuel => "not within the steps allowed".into(),
            Outcome::Undetermined(reason) => reason.clone(),
        }
    }

    /// The fields are what the engine says they are.
    fn check_fields(&self, end: &Configuration, recorded: &[Recorded]) -> Result<(), Objection> {
        if self.question.step().is_none() {
            return Ok(());
        }
        let this = this(end)?;
        let class = self.encoding.class();
        for (index, field) in self.program().class(class).fields.iter().enumerate() {
            let claimed = read(&field.ty, recorded.get(index).ok_or_else(cut_short)?)?;
            let found = end.field(this, FieldRef { class, index });
            let (name, program) = (&field.name, self.program());
            claim(found == Some(&claimed), || {
                let found = found.map_or_else(String::new, |v| v.display(program));
                format!("`{name}` ends as {found}, not {}", claimed.display(program))
            })?;
        }
        Ok(())
    }

    /// What the question asks of the end holds there.
    fn check_end(
        &self,
        interpreter: &Interpreter<'_>,
        end: &Configuration,
        recorded: &[Recorded],
    ) -> Result<(), Objection> {
        let invariant = interpreter.invariant_holds(end, self.encoding.class());
        match self.question {
            Question::Exit(_) => return Ok(()),
            Question::InvariantViolation(_) => {
                return claim(!invariant?, || "the invariant holds after the call".into());
            }
            _ => claim(invariant?, || {
                "the invariant does not hold after the call".into()
            })?,
        }
        match self.question {
            Question::ConsistentState(target) | Question::Transition(_, target) => {
                self.check_state(interpreter, end, target, "at the end")
            }
            Question::NecessarilyEnabled(_, action) => self.check_guard(
                interpreter,
                end,
                &self.encoding.actions[*action].guard.disabled,
                "at the end",
            ),
            Question::NecessarilyDisabled(_, action) => self.check_guard(
                interpreter,
                end,
                &self.encoding.actions[*action].guard.enabled,
                "at the end",
            ),
            Question::AnyOtherState(known) | Question::AnyOtherTarget(_, known) => {
                let flags = recorded.len().saturating_sub(self.encoding.actions.len());
                let target: ActionSet = recorded[flags..]
                    .iter()
                    .enumerate()
                    .filter(|(_, r)| r.value.eq_ignore_ascii_case("true"))
                    .map(|(action, _)| action)
                    .collect();
                claim(!known.contains(&target), || {
                    "the state is one of those known already".into()
                })?;
                self.check_state(interpreter, end, &target, "at the end")
            }
            Question::InvariantViolation(_) | Question::Exit(_) => Ok(()),
        }
    }

    /// Exactly these actions are enabled.
    fn check_state(
        &self,
        interpreter: &Interpreter<'_>,
        now: &Configuration,
        state: &ActionSet,
        when: &str,
    ) -> Result<(), Objection> {
        for (index, action) in self.encoding.actions.iter().enumerate() {
            let guard = if state.contains(index) {
                &action.guard.enabled
            } else {
                &action.guard.disabled
            };
            self.check_guard(interpreter, now, guard, when)?;
        }
        Ok(())
    }

    fn check_guard(
        &self,
        interpreter: &Interpreter<'_>,
        now: &Configuration,
        guard: &Expr,
        when: &str,
    ) -> Result<(), Objection> {
        let holds = interpreter.all_hold(now, this(now)?, [guard])?;
        claim(holds, || format!("other actions are enabled {when}"))
    }
}

/// Whether an action's results have these values of the outcomes by which its edges are split.
pub(crate) fn has_outcome(
    encoding: &Encoding<'_>,
    action: usize,
    results: &[Value],
    wanted: &[usize],
) -> bool {
    let routine = encoding.source().routine(encoding.actions[action].routine);
    routine.outcomes.iter().zip(wanted).all(|(var, wanted)| {
        let result = routine
            .results
            .iter()
            .position(|r| r == var)
            .and_then(|i| results.get(i));
        match result {
            Some(Value::Bool(b)) => usize::from(*b) == *wanted,
            Some(Value::Member(_, index)) => index == wanted,
            _ => false,
        }
    })
}
