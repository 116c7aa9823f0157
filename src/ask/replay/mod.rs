//! Checking an engine's "reached" by running it: the witness's values are put into the concrete interpreter, and every claim
//! of the question is looked at there. There is one replay for all kinds of questions.

mod claims;
mod recorder;
mod world;

use super::reading::{TraceReading, is_value_of};
use super::run::UserPath;
use crate::encode::Encoding;
use crate::encode::query::{CallLayout, RecordedPlace, TraceLayout, TraceSlot};
use crate::interp::{
    Configuration, Decision, EvalError, Event, Execution, HeapObject, Interpreter, Locals,
    LogEntry, Moment, ObjectId, Outcome, Value,
};
use crate::ir::{Expr, Program, RoutineRef, Source, UserLine};
use crate::query::{
    Call, Callee, Clause, End, Exit, Holds, Query, Recorded, Refusal, Subject, kinds,
};

use claims::has_outcome;
use recorder::Recorder;
use world::World;

/// What running a witness shows.
pub(super) enum Replayed {
    /// It does what the engine claims.
    Confirmed(Performed),
    /// It does not, and how so.
    Contradicted(String),
    /// It cannot be run, and why: something in it is not recorded, or not decidable for the interpreter.
    NotRun(String),
    /// It cannot be run, as the arrays in it are too large.
    TooLarge,
}

/// What is taken for granted of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// What the interpreter cannot decide is as the engine says.
    Engine,
    /// Nothing: it is to decide all of it.
    Nothing,
}

/// Calls that were made in the interpreter.
#[derive(Clone, Debug)]
pub(crate) struct Performed {
    /// The object that they begin with; where it is made by them, the arbitrary values of its fields.
    pub(crate) start: Configuration,
    /// Each call.
    pub(crate) calls: Vec<PerformedCall>,
}

impl PerformedCall {
    /// One that was made, with all that there is to tell of it; of a value that is not known it takes none.
    pub(crate) fn of(
        callee: Callee,
        before: Configuration,
        arguments: Vec<Value>,
        execution: Execution,
    ) -> Self {
        PerformedCall {
            callee,
            before,
            arguments,
            refused: false,
            outcome: execution.outcome,
            end: execution.configuration,
            decisions: execution.decisions,
            log: execution.log.unwrap_or_default(),
            guessed: false,
        }
    }
}

impl Performed {
    /// Whether some call took a value that is not known.
    pub(crate) fn takes_guess(&self) -> bool {
        self.calls.iter().any(|call| call.guessed)
    }
}

/// A call that was made in the interpreter.
#[derive(Clone, Debug)]
pub(crate) struct PerformedCall {
    /// What was called.
    pub(crate) callee: Callee,
    /// What there was before it, with what it is given.
    pub(crate) before: Configuration,
    /// Its arguments.
    pub(crate) arguments: Vec<Value>,
    /// Whether it was refused: its requires clauses do not hold.
    pub(crate) refused: bool,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// The configuration where it ended.
    pub(crate) end: Configuration,
    /// What was decided in it.
    pub(crate) decisions: Vec<Decision>,
    /// What happened in it.
    pub(crate) log: Vec<LogEntry>,
    /// Whether it took a value that is not known.
    pub(crate) guessed: bool,
}

/// Why a replay is not a confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Objection {
    /// Something is not as claimed.
    Wrong(String),
    /// Something is not recorded, or cannot be decided.
    CannotTell(String),
}

impl From<EvalError> for Objection {
    fn from(_: EvalError) -> Self {
        Objection::CannotTell("a clause cannot be decided".into())
    }
}

/// An objection unless it holds.
fn claim(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Objection> {
    match holds {
        true => Ok(()),
        false => Err(Objection::Wrong(otherwise())),
    }
}

fn cut_short() -> Objection {
    Objection::Wrong("the trace is shorter than the run".into())
}

/// The object that the calls are of.
fn this(now: &Configuration) -> Result<ObjectId, Objection> {
    now.this
        .ok_or_else(|| Objection::CannotTell("there is no object".into()))
}

/// Runs the witness of a question that was answered "reached".
pub(super) fn replay(
    encoding: &Encoding,
    query: &Query,
    layout: &TraceLayout,
    reading: &TraceReading,
    trust: Trust,
) -> Replayed {
    let replay = Replay {
        subject: &encoding.subject,
        query,
        layout,
        reading,
        interpreter: Interpreter::new(&encoding.subject.program).with_log(),
        trust,
    };
    let claimed = match calls_of(encoding, query, layout, reading) {
        Ok(claimed) => claimed,
        Err(Objection::Wrong(how)) => return Replayed::Contradicted(how),
        Err(Objection::CannotTell(why)) => return Replayed::NotRun(why),
    };
    let mut world = World::new(encoding, &layout.start, &reading.start);
    let mut result = replay.run(&mut world, &claimed);
    // A body may choose an object to which nothing led before: then all begins again, where it is there.
    while world.begins_again() {
        result = replay.run(&mut world, &claimed);
    }
    match result {
        Ok(performed) => Replayed::Confirmed(performed),
        Err(_) if world.is_too_large => Replayed::TooLarge,
        // What was put in for a value that the trace does not have need not be what the engine had.
        Err(Objection::Wrong(_)) if world.guessed => {
            Replayed::NotRun("its values are not all recorded".into())
        }
        Err(Objection::Wrong(how)) => Replayed::Contradicted(how),
        Err(Objection::CannotTell(why)) => Replayed::NotRun(why),
    }
}

/// Whether a call that was made in the interpreter is one that a question asks for, which is of one call and records nothing: nothing
/// is taken for granted.
pub(super) fn is_shown_by(
    subject: &Subject,
    query: &Query,
    performed: &PerformedCall,
    fuel: u64,
) -> bool {
    let [call] = query.calls.as_slice() else {
        return false;
    };
    let (layout, reading) = (TraceLayout::default(), TraceReading::default());
    let replay = Replay {
        subject,
        query,
        layout: &layout,
        reading: &reading,
        interpreter: Interpreter::new(&subject.program).with_fuel(fuel),
        trust: Trust::Nothing,
    };
    let is_it = call.made && call.callee == performed.callee;
    let is_certain = !performed.refused && !performed.guessed;
    is_it && is_certain && replay.check_call(call, performed).is_ok()
}

/// A call that is claimed.
struct Claimed {
    call: Call,
    layout: CallLayout,
    /// The state that it is made in, and the one that it leads to, where the claim says so.
    source: Vec<Clause>,
    target: Option<(String, Vec<Clause>)>,
}

/// The calls that are claimed: those of the question, or those of the edges that the walk takes.
fn calls_of(
    encoding: &Encoding,
    query: &Query,
    layout: &TraceLayout,
    reading: &TraceReading,
) -> Result<Vec<Claimed>, Objection> {
    let Some(walk) = &query.walk else {
        let calls = query.calls.iter().zip(&layout.calls);
        let claimed = calls.map(|(call, layout)| Claimed {
            call: call.clone(),
            layout: layout.clone(),
            source: vec![],
            target: None,
        });
        return Ok(claimed.collect());
    };
    let wrong = || Objection::Wrong("the edges on the trace do not follow each other".into());
    let edges = reading.edges().ok_or_else(wrong)?;
    let mut at = None;
    let mut claimed = Vec::new();
    for id in &edges {
        let edge = walk.automaton.edges.get(id.0).ok_or_else(wrong)?;
        let begins = claimed.is_empty() && !walk.start.is_empty();
        if edge.source != at && !begins {
            return Err(wrong());
        }
        at = edge.target;
        let state = |state| kinds::certainly(&encoding.subject, &walk.automaton[state]);
        claimed.push(Claimed {
            call: Call {
                callee: edge.callee,
                required: true,
                made: true,
                exit: edge.exit.clone(),
                invariant: match edge.target {
                    _ if edge.breaks => Holds::No,
                    Some(_) => Holds::Yes,
                    None => Holds::Either,
                },
            },
            layout: encoding.call_layout(edge.callee, edge.target.is_some()),
            source: match edge.source {
                Some(source) if begins => state(source),
                _ => vec![],
            },
            target: edge
                .target
                .map(|target| (target.to_string(), state(target))),
        });
    }
    claim(
        edges.last().is_some_and(|e| walk.wanted.contains(e)),
        || "its last edge is none of these".into(),
    )?;
    Ok(claimed)
}

struct Replay<'a> {
    subject: &'a Subject,
    query: &'a Query,
    layout: &'a TraceLayout,
    reading: &'a TraceReading,
    interpreter: Interpreter<'a>,
    trust: Trust,
}

impl Replay<'_> {
    fn program(&self) -> &Program {
        &self.subject.program
    }

    fn run(&self, world: &mut World<'_>, claimed: &[Claimed]) -> Result<Performed, Objection> {
        let mut now = Configuration::empty();
        world.make_chosen(&mut now)?;
        let fields = self.fields(world, &mut now)?;
        let is_made = match claimed.first() {
            Some(first) => matches!(first.call.callee, Callee::Action(_)),
            None => !self.query.is_fresh(),
        };
        if is_made {
            now.this = world.object(&mut now)?;
        }
        let mut rest = self.reading.calls.as_slice();
        let mut performed: Vec<PerformedCall> = Vec::new();
        let mut start = None;
        for claimed in claimed {
            let arguments = self.arguments(world, &mut now, claimed, &mut rest)?;
            let locals = self.locals(claimed.call.callee, &arguments);
            let before = self.with_object(&now, &fields);
            if is_made {
                now = before.clone();
            }
            if start.is_none() {
                self.check_start(&before, &locals, &mut rest)?;
                start = Some(before.clone());
            }
            self.check_clauses(&before, &claimed.source, || {
                "other actions are enabled before the call".into()
            })?;
            let call = self.call(world, claimed, (&now, &before), arguments, &mut rest)?;
            now = call.end.clone();
            let is_over = call.refused || !claimed.call.made;
            if !is_over {
                self.check_behind(world, claimed, &now, &mut rest)?;
            } else if !call.refused {
                take(&claimed.layout.after, &mut rest)?;
            }
            performed.push(call);
        }
        let start = match start {
            Some(start) => start,
            None => {
                let start = self.with_object(&now, &fields);
                self.check_start(&start, &Locals::new(), &mut rest)?;
                start
            }
        };
        claim(rest.is_empty(), || {
            "the trace goes on behind its end".into()
        })?;
        let performed = Performed {
            start,
            calls: performed,
        };
        self.check_end(&performed)?;
        Ok(performed)
    }

    /// Checks all that the question says of a call that was made.
    fn check_call(&self, call: &Call, performed: &PerformedCall) -> Result<(), Objection> {
        let before = &performed.before;
        let locals = self.locals(call.callee, &performed.arguments);
        self.check_start(before, &locals, &mut &[][..])?;
        if let (Some(routine), true) = (self.subject.routine(call.callee), call.required) {
            self.check_required(routine, call.callee, before, &performed.arguments)?;
        }
        self.check_exit(call, &performed.outcome)?;
        self.check_kept(call, &performed.end)?;
        self.check_end(&Performed {
            start: before.clone(),
            calls: vec![performed.clone()],
        })
    }

    /// The recorded values of the object's fields, where the question starts.
    fn fields(
        &self,
        world: &mut World<'_>,
        now: &mut Configuration,
    ) -> Result<Vec<Value>, Objection> {
        let pairs = self.layout.start.iter().zip(&self.reading.start);
        let of_fields = pairs.filter(|(slot, _)| matches!(slot.place, RecordedPlace::Field(_)));
        let (slots, recorded): (Vec<TraceSlot>, Vec<Recorded>) = of_fields
            .map(|(slot, recorded)| (slot.clone(), recorded.clone()))
            .unzip();
        let values = self.values(world, now, &slots, &recorded)?;
        let fields = &self.program().class(self.subject.class).fields;
        claim(values.len() == fields.len(), || {
            "a field has no value".into()
        })?;
        Ok(values)
    }

    /// The configuration with an object that has these fields, if it has none.
    fn with_object(&self, now: &Configuration, fields: &[Value]) -> Configuration {
        let mut whole = now.clone();
        if whole.this.is_none() {
            whole.this = Some(whole.allocate(HeapObject::Instance {
                class: self.subject.class,
                fields: fields.to_vec(),
            }));
        }
        whole
    }

    fn values(
        &self,
        world: &mut World<'_>,
        now: &mut Configuration,
        slots: &[TraceSlot],
        recorded: &[Recorded],
    ) -> Result<Vec<Value>, Objection> {
        let pairs = slots.iter().zip(recorded);
        let values = pairs.map(|(slot, recorded)| {
            let declared = super::values::declared(self.program(), &slot.place);
            let (_, ty) = declared
                .ok_or_else(|| Objection::CannotTell("it is no value of the class".into()))?;
            world.value(now, ty, &recorded.value)
        });
        values.collect()
    }

    fn arguments(
        &self,
        world: &mut World<'_>,
        now: &mut Configuration,
        claimed: &Claimed,
        rest: &mut &[Recorded],
    ) -> Result<Vec<Value>, Objection> {
        let slots = &claimed.layout.arguments;
        let recorded = take(slots, rest)?;
        self.values(world, now, slots, recorded)
    }

    /// The parameters with their values.
    fn locals(&self, callee: Callee, arguments: &[Value]) -> Locals {
        let params = self.subject.params(callee);
        params
            .iter()
            .copied()
            .zip(arguments.iter().cloned())
            .collect()
    }

    /// Where the question starts, all is as it says.
    fn check_start(
        &self,
        now: &Configuration,
        locals: &Locals,
        rest: &mut &[Recorded],
    ) -> Result<(), Objection> {
        let start = &self.query.start;
        let moment = Moment::of(now, locals);
        let is_anywhere = !self.query.is_fresh() && self.query.walk.is_none();
        if self.trust == Trust::Nothing {
            // What every question takes for granted of where it starts.
            let class = self.subject.class;
            claim(self.interpreter.surroundings_hold(now, class)?, || {
                "what is promised of all there is does not hold before the call".into()
            })?;
            if is_anywhere {
                let facts = self.interpreter.facts_hold(now, self.subject.class)?;
                claim(facts, || "a fact does not hold before the call".into())?;
            }
        }
        if is_anywhere {
            if start.invariant {
                let holds = self.interpreter.invariant_holds(now, self.subject.class)?;
                claim(holds, || {
                    "the invariant does not hold before the call".into()
                })?;
            }
            if !self.query.ghosts.is_empty() {
                self.believed()?;
            } else {
                for known in &start.known {
                    claim(self.formula_holds(now, known)?, || {
                        "what is known does not hold before the call".into()
                    })?;
                }
            }
            self.check_clauses(now, &start.state, || {
                "other actions are enabled before the call".into()
            })?;
        }
        for given in &start.given {
            let holds = self.interpreter.formula_holds(&moment, given)?;
            claim(holds, || {
                "what is asked for does not hold before the call".into()
            })?;
        }
        let watched = take(&self.layout.watched, rest)?;
        for (formula, recorded) in start.watched.iter().zip(watched) {
            self.check_truth(&moment, formula, recorded)?;
        }
        Ok(())
    }

    /// A formula is as true as it is recorded to be. Of one that cannot be decided, an engine is believed that is trusted.
    fn check_truth(
        &self,
        moment: &Moment<'_>,
        formula: &Expr,
        recorded: &Recorded,
    ) -> Result<(), Objection> {
        let claimed = super::values::truth(&recorded.value);
        match self.interpreter.formula_holds(moment, formula) {
            Ok(holds) => claim(claimed == Some(holds), || {
                "a formula does not hold where the trace says so".into()
            }),
            Err(_) => self.believed(),
        }
    }

    /// What is not looked at is as the engine says, where it is trusted.
    fn believed(&self) -> Result<(), Objection> {
        match self.trust {
            Trust::Engine => Ok(()),
            Trust::Nothing => Err(Objection::CannotTell("a formula is not decided".into())),
        }
    }

    fn formula_holds(&self, now: &Configuration, formula: &Expr) -> Result<bool, Objection> {
        let moment = Moment {
            now,
            old: None,
            this: Some(this(now)?),
            locals: &Locals::new(),
        };
        Ok(self.interpreter.formula_holds(&moment, formula)?)
    }

    fn check_clauses(
        &self,
        now: &Configuration,
        clauses: &[Clause],
        otherwise: impl Fn() -> String,
    ) -> Result<(), Objection> {
        for clause in clauses {
            let holds = self.formula_holds(now, &clause.formula)?;
            claim(holds, &otherwise)?;
        }
        Ok(())
    }

    /// Makes the call, and checks that it ends as it is claimed to. `before` is what there is before it, with an object in any
    /// case.
    fn call(
        &self,
        world: &mut World<'_>,
        claimed: &Claimed,
        (now, before): (&Configuration, &Configuration),
        arguments: Vec<Value>,
        rest: &mut &[Recorded],
    ) -> Result<PerformedCall, Objection> {
        let call = &claimed.call;
        let routine = self.subject.routine(call.callee);
        let mut performed = PerformedCall {
            callee: call.callee,
            before: now.clone(),
            arguments,
            refused: false,
            outcome: Outcome::Blocked,
            end: before.clone(),
            decisions: vec![],
            log: vec![],
            guessed: false,
        };
        let refusal = self.refusal();
        let refused = match (&claimed.layout.refused, routine) {
            (Some(slot), Some(_)) => {
                let flag = take(std::slice::from_ref(slot), rest)?;
                super::reading::truths(flag) == [true]
            }
            // Where it is not recorded, a trace that ends here says so.
            (None, Some(_)) => {
                let escapes = matches!(self.query.end, End::Escapes(_));
                escapes && refusal.is_some() && rest.is_empty()
            }
            _ => false,
        };
        if let (true, Some(routine), Some(refusal)) = (refused, routine, refusal) {
            self.check_refused(routine, refusal, now, &performed.arguments)?;
            performed.refused = true;
            return Ok(performed);
        }
        if let (Some(routine), true) = (routine, call.required) {
            self.check_required(routine, call.callee, now, &performed.arguments)?;
        }
        if !call.made {
            return Ok(performed);
        }
        let mut choices = Recorder::new(world, self.subject.class, rest, before);
        let arguments = performed.arguments.clone();
        let execution = match (call.callee, routine) {
            (Callee::Action(_), Some(routine)) => {
                let this = this(now)?;
                self.interpreter
                    .call(now, this, routine, arguments, &mut choices)
            }
            _ => {
                let class = self.subject.class;
                self.interpreter
                    .construct(now, class, routine, arguments, &mut choices)
            }
        };
        // All choices are recorded: a trace that has fewer is not the trace of this run.
        claim(!choices.is_short(), || {
            "the trace is shorter than the run".into()
        })?;
        let (left, guessed) = (choices.left(), choices.has_guessed());
        *rest = &rest[rest.len().saturating_sub(left)..];
        if let (Callee::Constructor(_), Some(made)) = (call.callee, execution.configuration.this) {
            world.is_made(made);
        }
        self.check_exit(call, &execution.outcome)?;
        performed.outcome = execution.outcome;
        performed.end = execution.configuration;
        performed.decisions = execution.decisions;
        performed.log = execution.log.unwrap_or_default();
        performed.guessed = guessed;
        Ok(performed)
    }

    fn check_required(
        &self,
        routine: RoutineRef,
        callee: Callee,
        now: &Configuration,
        arguments: &[Value],
    ) -> Result<(), Objection> {
        let may = match callee {
            Callee::Constructor(_) => self.interpreter.may_call(now, None, routine, arguments)?,
            Callee::Action(_) => {
                self.interpreter
                    .may_call(now, Some(this(now)?), routine, arguments)?
            }
        };
        claim(may, || {
            let name = self.subject.shown(callee);
            format!("the requires clauses of `{name}` do not hold")
        })
    }

    /// When the last call is refused, where that is asked.
    fn refusal(&self) -> Option<&Refusal> {
        match &self.query.end {
            End::Forbidden(wrong) => wrong.refused.as_ref(),
            End::Escapes(escape) => escape.wrong.as_ref()?.refused.as_ref(),
            _ => None,
        }
    }

    fn check_refused(
        &self,
        routine: RoutineRef,
        refusal: &Refusal,
        now: &Configuration,
        arguments: &[Value],
    ) -> Result<(), Objection> {
        let this = this(now)?;
        let refused = match refusal {
            Refusal::ForArguments => {
                !self
                    .interpreter
                    .may_call(now, Some(this), routine, arguments)?
            }
            Refusal::Always(disabled) => self.interpreter.all_hold(now, this, [disabled])?,
        };
        claim(refused, || {
            let name = self.program().routine(routine).shown();
            format!("the requires clauses of `{name}` hold")
        })
    }

    fn check_exit(&self, call: &Call, outcome: &Outcome) -> Result<(), Objection> {
        let wrong = match outcome {
            Outcome::OutOfFuel => Some("a call takes too many steps".to_string()),
            Outcome::Undetermined(why) => Some(why.clone()),
            _ => None,
        };
        if let Some(why) = wrong {
            return Err(Objection::CannotTell(why));
        }
        claim(
            is_exit(self.subject, call.callee, &call.exit, outcome),
            || format!("the call ends otherwise: {}", self.words(outcome)),
        )
    }

    fn words(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Normal(_) => "normally".into(),
            Outcome::Exception(e) => format!("in {}", self.program().exception_shown(*e)),
            Outcome::Blocked => "not at all".into(),
            Outcome::OutOfFuel => "not within the steps allowed".into(),
            Outcome::Undetermined(reason) => reason.clone(),
        }
    }

    /// Behind a call the object is as it is recorded, keeps the invariant if it is to, and is in the state that it is to be in.
    fn check_behind(
        &self,
        world: &World<'_>,
        claimed: &Claimed,
        now: &Configuration,
        rest: &mut &[Recorded],
    ) -> Result<(), Objection> {
        let recorded = take(&claimed.layout.after, rest)?;
        for (slot, recorded) in claimed.layout.after.iter().zip(recorded) {
            let RecordedPlace::Field(field) = slot.place else {
                continue;
            };
            let ty = &self.program().field(field).ty;
            let Some(expected) = world.known_value(now, ty, &recorded.value) else {
                continue;
            };
            let found = now.field(this(now)?, field);
            claim(found == Some(&expected), || {
                let program = self.program();
                let found = found.map_or_else(String::new, |v| v.display(program));
                let expected = expected.display(program);
                format!("`{}` ends as {found}, not {expected}", slot.label)
            })?;
        }
        self.check_kept(&claimed.call, now)?;
        match &claimed.target {
            None => Ok(()),
            Some((name, clauses)) => self.check_clauses(now, clauses, || {
                format!("the object is not in {name} where the trace says so")
            }),
        }
    }

    /// Behind a call the invariant holds, or does not, if it is to.
    fn check_kept(&self, call: &Call, now: &Configuration) -> Result<(), Objection> {
        match call.invariant {
            Holds::Either => {}
            wanted => {
                let class = self.subject.class;
                let holds = self.interpreter.invariant_holds(now, class);
                if wanted == Holds::No {
                    claim(self.interpreter.facts_hold(now, class)?, || {
                        "a fact does not hold after the call".into()
                    })?;
                }
                // Where a call may also do what must not happen, the invariant is a part of that.
                if !matches!(&self.query.end, End::Escapes(e) if e.wrong.is_some()) {
                    claim(holds? == (wanted == Holds::Yes), || match wanted {
                        Holds::Yes => "the invariant does not hold after the call".into(),
                        _ => "the invariant holds after the call".into(),
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// Whether a call has ended this way.
pub(crate) fn is_exit(subject: &Subject, callee: Callee, exit: &Exit, outcome: &Outcome) -> bool {
    match (outcome, exit) {
        (Outcome::Blocked | Outcome::OutOfFuel | Outcome::Undetermined(_), _) => false,
        (_, Exit::Any) | (Outcome::Normal(_), Exit::Normal | Exit::Without(_)) => true,
        (Outcome::Normal(results), Exit::Outcome(wanted)) => {
            has_outcome(subject, callee, results, wanted)
        }
        (Outcome::Exception(raised), Exit::Exception(wanted)) => raised == wanted,
        (Outcome::Exception(raised), Exit::OtherException(others) | Exit::Without(others)) => {
            !others.contains(raised)
        }
        (Outcome::Normal(_) | Outcome::Exception(_), _) => false,
    }
}

/// The next values, which are to be those of these slots.
fn take<'r>(slots: &[TraceSlot], rest: &mut &'r [Recorded]) -> Result<&'r [Recorded], Objection> {
    let (taken, behind) = rest.split_at_checked(slots.len()).ok_or_else(cut_short)?;
    let fits = slots
        .iter()
        .zip(taken)
        .all(|(slot, r)| is_value_of(slot, r));
    claim(fits, || {
        "the trace has other values than were asked for".into()
    })?;
    *rest = behind;
    Ok(taken)
}

/// What is said behind a value that the interpreter does not take.
const CANNOT_RUN: &str = "is not a value that can be run";

/// The lines of the statements executed.
pub(crate) fn lines(source: &Source, log: &[LogEntry]) -> Vec<u32> {
    let line = |start: usize| u32::try_from(source.line_column(start).0).unwrap_or(u32::MAX);
    executed(log).map(line).collect()
}

/// The lines of the user's files that these were made of, file by file in the order in which they are run.
pub(crate) fn user_lines(source: &Source, log: &[LogEntry]) -> Vec<UserPath> {
    let mut found: Vec<UserPath> = Vec::new();
    for UserLine { file, line } in executed(log).filter_map(|start| source.origin(start)) {
        match found.last_mut() {
            Some(last) if *last.file == **file => last.lines.push(*line),
            _ => found.push(UserPath {
                file: file.to_string(),
                lines: vec![*line],
            }),
        }
    }
    found
}

/// Where the statements executed stand, in bytes.
fn executed(log: &[LogEntry]) -> impl Iterator<Item = usize> {
    log.iter().filter_map(|entry| match entry.event {
        Event::Statement(span) => Some(span.start as usize),
        _ => None,
    })
}
