//! The calls of a question: what each is given, what it requires, how it ends; and several of them, one after the other.

use std::collections::BTreeSet;

use askama::Template;

use super::builder::{Builder, unique};
use super::start::{Invariant, StartText};
use super::{CallLayout, RecordedPlace, TraceLayout, TraceSlot};
use crate::encode::Encoding;
use crate::encode::routine::{exception_name, modified_globals, procedure_name};
use crate::encode::term::BoogieTerm;
use crate::ir::{
    CompareOp, ExceptionId, Expr, ExprKind, Routine, RoutineKind, RoutineRef, Type, VarId, formula,
};
use crate::query::{Call, Callee, End, Exit, Holds, Query, Wrong};

/// A call, as lines of text.
#[derive(Default)]
pub(in crate::encode) struct CallText {
    /// Facts about what is read from the heap before it.
    pub(in crate::encode) reads: Vec<String>,
    /// Facts about its arguments, and what it requires.
    pub(in crate::encode) requires: Vec<String>,
    /// What is recorded before it.
    pub(in crate::encode) records: Vec<String>,
    pub(in crate::encode) call: String,
    /// Facts about what is read from the heap after it.
    pub(in crate::encode) reads_after: Vec<String>,
    /// How it ends.
    pub(in crate::encode) exit: Vec<String>,
    /// What is recorded after it.
    pub(in crate::encode) records_after: Vec<String>,
    pub(in crate::encode) invariant: Vec<String>,
}

/// What a call requires, where it is asked about apart.
#[derive(Default)]
pub(super) struct Required {
    /// What violates its requires clauses, where that must not happen.
    pub(super) violated: Vec<String>,
    /// What meets them.
    pub(super) allowed: Vec<String>,
    /// That it has ended in an exception that must not happen.
    pub(super) raised: String,
}

impl Builder<'_> {
    /// The call, up to where it ends.
    pub(in crate::encode) fn call(&mut self, call: &Call, layout: &mut CallLayout) -> CallText {
        let mut text = CallText::default();
        let Some(routine) = self.encoding.subject.routine(call.callee) else {
            // Without a constructor an object starts anywhere that its declarations allow.
            let start = self.encoding.subject.declared_start();
            text.requires = self.encode_conjuncts(start);
            text.reads.append(&mut self.reads);
            return text;
        };
        let actuals = self.arguments(routine, &mut text, layout);
        if call.required {
            let requires = self.requires(routine);
            text.requires.extend(requires);
        }
        text.reads.append(&mut self.reads);
        let throws = self.called(routine, &actuals, &mut text);
        text.exit = self.exit(routine, &call.exit, throws);
        if !call.made {
            text.call.clear();
            text.exit.clear();
        }
        text
    }

    /// What is recorded of what a call is given.
    pub(super) fn given(&mut self, callee: Callee, layout: &mut CallLayout) {
        if let Some(routine) = self.encoding.subject.routine(callee) {
            self.arguments(routine, &mut CallText::default(), layout);
        }
    }

    /// What is passed: any values of the parameters' types.
    fn arguments(
        &mut self,
        routine: RoutineRef,
        text: &mut CallText,
        layout: &mut CallLayout,
    ) -> Vec<String> {
        let storage = &self.encoding.storage;
        let program = &self.encoding.subject.program;
        let declared = program.routine(routine);
        let mut actuals = Vec::new();
        if storage.in_heap(routine.class) {
            actuals.push("this".to_string());
        }
        for param in &declared.params {
            let name = self.declare(*param);
            let (ty, value) = (&program.var(*param).ty, BoogieTerm::atom(&name));
            let facts = storage.typing(ty, &value).into_iter();
            let facts = facts.chain(storage.promise(ty, &value));
            text.requires.extend(facts.map(|f| f.to_string()));
            if declared.kind == RoutineKind::Constructor && storage.leads_to(ty, storage.class) {
                let this = BoogieTerm::atom("this");
                let other = BoogieTerm::binary("!=", value.clone(), this);
                text.requires.push(other.to_string());
            }
            let slot = TraceSlot {
                label: name.clone(),
                place: RecordedPlace::Argument(*param),
            };
            let record = self.record(ty, &value, slot, &mut layout.arguments);
            text.records.push(record);
            actuals.push(name);
        }
        actuals
    }

    /// The routine's requires clauses.
    fn requires(&mut self, routine: RoutineRef) -> Vec<String> {
        self.required_of(routine, |_, _| true)
    }

    /// The conjuncts of those `requires` clauses that are asked for.
    fn required_of(
        &mut self,
        routine: RoutineRef,
        which: impl Fn(&Routine, &Expr) -> bool,
    ) -> Vec<String> {
        let program = &self.encoding.subject.program;
        let declared = program.routine(routine);
        let clauses = declared.requires.iter().filter(|e| which(declared, e));
        clauses
            .flat_map(|e| self.encode_conjuncts(formula::clause_under_invariant(program, e)))
            .collect()
    }

    /// The call with these arguments. Whether it may end in an exception.
    fn called(&mut self, routine: RoutineRef, actuals: &[String], text: &mut CallText) -> bool {
        let subject = &self.encoding.subject;
        let declared = subject.program.routine(routine);
        let results = declared.results.iter();
        let mut outs: Vec<String> = results.map(|result| self.declare(*result)).collect();
        let throws = !subject.exceptions_of(routine).is_empty();
        if throws {
            self.locals.push(("thrown".into(), "Exception".into()));
            outs.push("thrown".into());
        }
        let assignment = match outs.is_empty() {
            true => String::new(),
            false => format!("{} := ", outs.join(", ")),
        };
        let name = procedure_name(&subject.program, routine);
        text.call = format!("call {assignment}{name}({});", actuals.join(", "));
        throws
    }

    /// That a call ends this way.
    pub(in crate::encode) fn exit(
        &mut self,
        routine: RoutineRef,
        exit: &Exit,
        throws: bool,
    ) -> Vec<String> {
        let program = &self.encoding.subject.program;
        match exit {
            Exit::Any => vec![],
            Exit::Exception(e) if throws => {
                vec![format!("thrown == {}", exception_name(program, *e))]
            }
            Exit::OtherException(others) if throws => {
                let mut conditions = vec!["thrown != Exception.none".to_string()];
                conditions.extend(self.not_raised(routine, others));
                conditions
            }
            Exit::Exception(_) | Exit::OtherException(_) => vec!["false".into()],
            Exit::Without(others) => self.not_raised(routine, others).into_iter().collect(),
            Exit::Normal => throws.then(normally).into_iter().collect(),
            Exit::Outcome(values) => {
                let split = program.routine(routine).outcomes.clone();
                let values = split.into_iter().zip(values);
                let values = values.map(|(var, value)| self.outcome_condition(var, *value));
                let values: Vec<String> = values.collect();
                throws.then(normally).into_iter().chain(values).collect()
            }
        }
    }

    fn not_raised(&self, routine: RoutineRef, others: &BTreeSet<ExceptionId>) -> Option<String> {
        let raised = self.raised(routine, others)?;
        Some(BoogieTerm::not(raised).to_string())
    }

    /// That the routine has ended in one of these exceptions; none where it never does.
    pub(super) fn raised(
        &self,
        routine: RoutineRef,
        exceptions: &BTreeSet<ExceptionId>,
    ) -> Option<BoogieTerm> {
        let subject = &self.encoding.subject;
        let thrown = subject.exceptions_of(routine);
        let raised = exceptions.iter().filter(|e| thrown.contains(e)).map(|e| {
            let name = BoogieTerm::atom(exception_name(&subject.program, *e));
            BoogieTerm::binary("==", BoogieTerm::atom("thrown"), name)
        });
        raised.reduce(|a, b| BoogieTerm::binary("||", a, b))
    }

    fn outcome_condition(&mut self, var: VarId, value: usize) -> String {
        let program = &self.encoding.subject.program;
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

    /// How a call does what must not happen, where its requires clauses are looked at apart.
    pub(super) fn required(&mut self, routine: RoutineRef, wrong: &Wrong) -> Required {
        use crate::query::Refusal;
        let allowed = self.requires(routine);
        let violated = match &wrong.refused {
            None => vec![],
            Some(Refusal::ForArguments) => {
                let given = self.required_of(routine, |declared, e| !declared.is_about_outside(e));
                vec![format!("!({})", conjunction(&given))]
            }
            Some(Refusal::Always(disabled)) => vec![self.encode(disabled)],
        };
        let raised = self.raised(routine, &wrong.raised);
        Required {
            violated,
            allowed,
            raised: raised.map_or("false".into(), |raised| raised.to_string()),
        }
    }
}

fn normally() -> String {
    "thrown == Exception.none".into()
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

/// The globals that a call may change.
pub(in crate::encode) fn modified(encoding: &Encoding, callee: Callee) -> Vec<String> {
    let routine = encoding.subject.routine(callee);
    let effects = routine.map(|r| encoding.subject.effects.routine(r));
    effects.map_or(vec![], |effects| {
        modified_globals(&encoding.storage, effects)
    })
}

/// `templates/questions/history.bpl`
#[derive(Template)]
#[template(path = "questions/history.bpl")]
struct HistoryText {
    q: StartText,
    calls: Vec<NumberedCall>,
}

/// A call among others.
struct NumberedCall {
    number: usize,
    what: String,
    c: CallText,
    /// How it does what must not happen, where it does.
    wrong: Option<Required>,
}

/// The text of a question after several calls. Each has names of its own.
pub(super) fn texts(
    encoding: &Encoding,
    query: &Query,
) -> Result<(String, TraceLayout), askama::Error> {
    let mut layout = TraceLayout::default();
    let mut builder = Builder::new(encoding);
    let (start, _) = builder.start(query, &mut layout);
    let mut whole = Whole {
        encoding,
        locals: builder.locals,
        modifies: BTreeSet::new(),
        calls: Vec::new(),
    };
    for (index, call) in query.calls.iter().enumerate() {
        let is_last = index + 1 == query.calls.len();
        let wrong = match &query.end {
            End::Forbidden(wrong) if is_last => Some(wrong),
            _ => None,
        };
        layout.calls.push(whole.add(index + 1, call, wrong));
    }
    let mut seen = BTreeSet::new();
    whole.locals.retain(|(name, _)| seen.insert(name.clone()));
    let text = HistoryText {
        q: StartText {
            locals: whole.locals,
            modifies: Vec::from_iter(whole.modifies).join(", "),
            ..start
        },
        calls: whole.calls,
    };
    Ok((text.render()?, layout))
}

/// A question after several calls being put together.
struct Whole<'e> {
    encoding: &'e Encoding,
    locals: Vec<(String, String)>,
    modifies: BTreeSet<String>,
    calls: Vec<NumberedCall>,
}

impl Whole<'_> {
    /// Adds a call: one that is seen to end, with the invariant behind it; or one that does what must not happen.
    fn add(&mut self, number: usize, call: &Call, wrong: Option<&Wrong>) -> CallLayout {
        let mut layout = CallLayout::default();
        let mut builder = Builder::new(self.encoding);
        let subject = &self.encoding.subject;
        let routine = subject.routine(call.callee);
        if let Some(routine) = routine {
            builder.name_variables(routine, &format!("call{number}."));
        }
        let own = Call {
            required: wrong.is_none(),
            ..call.clone()
        };
        let mut c = builder.call(&own, &mut layout);
        let name = subject.shown(call.callee).to_owned();
        let (what, wrong) = match (wrong, routine) {
            (Some(wrong), Some(routine)) => {
                let required = builder.required(routine, wrong);
                c.reads.append(&mut builder.reads);
                let what = format!("{name}, which does what must not happen");
                if !required.violated.is_empty() {
                    layout.refused = Some(TraceSlot::truth("refused".into()));
                }
                (what, Some(required))
            }
            _ => {
                if call.invariant == Holds::Yes {
                    let Invariant { whole, reads, .. } = builder.invariants();
                    c.invariant = whole;
                    builder.reads.extend(reads);
                }
                c.records_after = builder.record_behind(&mut layout.after);
                (name, None)
            }
        };
        c.reads = unique(c.reads);
        c.reads_after = unique(std::mem::take(&mut builder.reads));
        self.locals.append(&mut builder.locals);
        self.modifies.extend(modified(self.encoding, call.callee));
        self.calls.push(NumberedCall {
            number,
            what,
            c,
            wrong,
        });
        layout
    }
}
