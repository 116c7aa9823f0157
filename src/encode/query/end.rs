//! What is asked of the end of a question, and its text as a whole: a template for each kind of end.

use std::collections::BTreeSet;

use askama::Template;

use super::builder::{Builder, Line, unique};
use super::call::{CallText, Required, conjunction, modified};
use super::start::{Invariant, StartText};
use super::{CallLayout, TraceLayout, TraceSlot};
use crate::encode::Encoding;
use crate::encode::term::BoogieTerm;
use crate::ir::{Expr, RoutineRef};
use crate::query::{
    AbstractState, Call, Clause, End, EndPlace, Escape, Exit, Holds, Mark, Places, Query, StateEnd,
    TargetClaim, Wrong,
};

/// The variable that says what is seen of a call.
const OBSERVED: &str = "observed";

macro_rules! templates {
    ($($(#[$doc:meta])* $name:ident($path:literal) { $($field:ident: $ty:ty),* })*) => {
        $(
            $(#[$doc])*
            #[derive(Template)]
            #[template(path = $path)]
            struct $name {
                q: StartText,
                c: CallText,
                $($field: $ty),*
            }
        )*
    };
}

templates! {
    /// What holds at the end: a state, or some formulas.
    HoldsText("questions/holds.bpl") { watched: Vec<String>, remark: String, lines: Vec<Line> }
    /// A state that is not known yet.
    OtherStateText("questions/other_state.bpl") { observed: Option<String>, flags: Vec<Flag>, known: Vec<String> }
    /// One of several formulas does not hold.
    FailsText("questions/fails.bpl") { lines: Vec<Line>, clauses: Vec<Flag>, broken: String }
    /// A place that predicates tell apart.
    PlaceText("questions/place.bpl") { observed: Option<String>, predicates: Vec<Flag>, known: Vec<String>, wanted: Option<String> }
    /// What must not happen.
    ForbiddenText("questions/forbidden.bpl") { wrong: Required }
    /// What must not happen, or an end where nothing says so.
    EscapesText("questions/escapes.bpl") { wrong: Required, observed: Option<String>, escaped: String }
    /// A target that none of its cases allows.
    UncoveredText("questions/uncovered.bpl") { covers: Vec<CoverText> }
}

/// A variable that says whether something holds.
struct Flag {
    name: String,
    /// The statement that gives it its value, or says which it may have.
    statement: String,
}

struct CoverText {
    flag: String,
    cases: String,
    reached: String,
}

/// A question after one call at most, up to its end.
struct Whole<'e, 'q> {
    builder: Builder<'e>,
    query: &'q Query,
    routine: Option<RoutineRef>,
    q: StartText,
    c: CallText,
    layout: TraceLayout,
}

/// The text of a question after one call at most.
pub(super) fn text(
    encoding: &Encoding,
    query: &Query,
) -> Result<(String, TraceLayout), askama::Error> {
    let whole = Whole::new(encoding, query);
    match &query.end {
        End::Anywhere => whole.holds(String::new(), Vec::new()),
        End::State(clauses) => {
            let mut whole = whole;
            let lines = whole.builder.lines(clauses);
            let remark = "the target: exactly these actions can be called";
            whole.holds(remark.into(), lines)
        }
        End::Holds { remark, formulas } => whole.formulas(remark, formulas),
        End::OtherState {
            exits,
            known,
            assumed,
        } => whole.other_state(exits, known, assumed),
        End::Fails { state, clauses } => whole.fails(state, clauses),
        End::Place(places) => whole.place(places),
        End::Forbidden(wrong) => whole.forbidden(wrong),
        End::Escapes(escape) => whole.escapes(escape),
        End::Uncovered(covers) => whole.uncovered(covers),
    }
}

impl<'e, 'q> Whole<'e, 'q> {
    fn new(encoding: &'e Encoding, query: &'q Query) -> Self {
        let mut builder = Builder::new(encoding);
        let call = query.calls.first();
        let routine = call.and_then(|call| encoding.subject.routine(call.callee));
        if let Some(routine) = routine {
            builder.name_variables(routine, "");
        }
        let mut layout = TraceLayout::default();
        let (mut q, invariant) = builder.start(query, &mut layout);
        let mut c = CallText::default();
        if let Some(call) = call {
            let mut of_call = CallLayout::default();
            c = builder.call(&required_first(call, &query.end), &mut of_call);
            layout.calls.push(of_call);
            q.modifies = modified(encoding, call.callee).join(", ");
        } else {
            c.reads.append(&mut builder.reads);
        }
        q.reads.append(&mut c.reads);
        q.requires.append(&mut c.requires);
        q.records.append(&mut c.records);
        let mut whole = Whole {
            builder,
            query,
            routine,
            q,
            c,
            layout,
        };
        whole.given();
        if let Some(call) = call {
            whole.behind(call, invariant);
        }
        whole
    }

    /// What holds besides where the question begins, and what is recorded of it.
    fn given(&mut self) {
        let query = self.query;
        let given = query.start.given.iter();
        let given: Vec<String> = given.map(|e| self.builder.encode(e)).collect();
        self.q.requires.extend(given);
        let watched = &query.start.watched;
        let watched = self
            .builder
            .watch("before", watched, &mut self.layout.watched);
        self.q.records.extend(watched);
        let ends = end_formulas(&query.end).chain(&query.watched);
        let kept = self.builder.keep_old(ends);
        self.q.records.extend(kept);
        self.q.reads.append(&mut self.builder.reads);
    }

    /// The object behind the call.
    fn behind(&mut self, call: &Call, invariant: Invariant) {
        self.builder.reads.extend(invariant.reads);
        if let Some(of_call) = self.layout.calls.first_mut() {
            self.c.records_after = self.builder.record_behind(&mut of_call.after);
        }
        if call.invariant == Holds::Yes {
            self.c.invariant = invariant.whole;
        }
    }

    /// The layout, and what all texts have in common, once all is encoded.
    fn finish(mut self) -> (StartText, CallText, TraceLayout) {
        let facts = self.builder.facts(self.query);
        self.c.reads_after = unique(std::mem::take(&mut self.builder.reads));
        self.c.reads_after.extend(facts);
        self.q.reads = unique(self.q.reads);
        if self.query.calls.is_empty() {
            // Where nothing is called, nothing of what was read has changed.
            self.c
                .reads_after
                .retain(|fact| !self.q.reads.contains(fact));
        }
        self.q.locals = self.builder.locals;
        for (id, ghost) in &self.query.ghosts {
            let name = self
                .builder
                .names
                .of(&self.builder.encoding.subject.program, *id);
            let ty = self.builder.encoding.storage.boogie_type(&ghost.ty);
            self.q.locals.push((name, ty));
        }
        (self.q, self.c, self.layout)
    }

    fn holds(
        mut self,
        remark: String,
        lines: Vec<Line>,
    ) -> Result<(String, TraceLayout), askama::Error> {
        let formulas = &self.query.watched;
        let watched = self.builder.watch("after", formulas, &mut self.layout.end);
        let (q, c, layout) = self.finish();
        let text = HoldsText {
            q,
            c,
            watched,
            remark,
            lines,
        };
        Ok((text.render()?, layout))
    }

    fn formulas(
        mut self,
        remark: &str,
        formulas: &[Expr],
    ) -> Result<(String, TraceLayout), askama::Error> {
        let broken = self
            .query
            .calls
            .last()
            .is_some_and(|call| call.invariant == Holds::No);
        let mut terms = Vec::new();
        if broken {
            terms.extend(self.builder.broken());
        }
        terms.extend(formulas.iter().map(|e| self.builder.encode(e)));
        let line = |term| Line {
            term,
            remark: String::new(),
        };
        self.holds(remark.into(), terms.into_iter().map(line).collect())
    }

    /// One flag a mark, the known ends as formulas over the flags, and what the class says of its states.
    fn other_state(
        mut self,
        exits: &[Exit],
        known: &BTreeSet<StateEnd>,
        assumed: &[(AbstractState, Expr)],
    ) -> Result<(String, TraceLayout), askama::Error> {
        let observed = (!exits.is_empty()).then(|| self.observed(exits));
        if observed.is_some() {
            self.layout.end.push(TraceSlot::number(OBSERVED.into()));
        }
        let subject = &self.builder.encoding.subject;
        let mut flags = Vec::new();
        for mark in subject.marks() {
            let guard = subject.guard(mark);
            let name = match mark {
                Mark::Enabled(action) => format!("{}#enabled", subject[action].name),
                Mark::Holds(predicate) => format!("predicate#{}", predicate.0 + 1),
            };
            let enabled = self.builder.term(&guard.enabled);
            let statement = if guard.is_exact() {
                format!("{name} := {enabled};")
            } else {
                let disabled = Box::new(self.builder.term(&guard.disabled));
                let flag = Box::new(BoogieTerm::atom(&name));
                format!(
                    "assume {};",
                    BoogieTerm::If(flag, Box::new(enabled), disabled)
                )
            };
            self.layout.end.push(TraceSlot::truth(name.clone()));
            self.builder.locals.push((name.clone(), "bool".into()));
            flags.push(Flag { name, statement });
        }
        let is = |state: &AbstractState, marks: usize| {
            let flags = flags.iter().zip(subject.marks()).take(marks);
            let literals = flags.map(|(flag, mark)| literal(&flag.name, state.has(mark)));
            BoogieTerm::all(literals)
        };
        let is_end = |(exit, state): &StateEnd| {
            let state = is(state, flags.len());
            match observed {
                Some(_) => BoogieTerm::all([is_seen(*exit), state]),
                None => state,
            }
        };
        let mut lines: Vec<String> = known
            .iter()
            .map(|end| BoogieTerm::not(is_end(end)).to_string())
            .collect();
        for (state, e) in assumed {
            let assumed = self.builder.term(e);
            // The class speaks of what can be called alone.
            let enables = is(state, subject.actions.len());
            lines.push(BoogieTerm::binary("==>", enables, assumed).to_string());
        }
        let (mut q, c, layout) = self.finish();
        if observed.is_some() {
            q.locals.push((OBSERVED.into(), "int".into()));
        }
        let text = OtherStateText {
            q,
            c,
            observed,
            flags,
            known: lines,
        };
        Ok((text.render()?, layout))
    }

    /// Flags of formulas, each recorded; their variables are declared once all else is.
    fn flags(&mut self, formulas: &[Expr]) -> Vec<Flag> {
        let flags = formulas.iter().enumerate().map(|(index, e)| {
            let name = format!("holds.{}", index + 1);
            let statement = format!("{name} := {};", self.builder.encode(e));
            self.layout.end.push(TraceSlot::truth(name.clone()));
            Flag { name, statement }
        });
        flags.collect()
    }

    fn fails(
        mut self,
        state: &[Clause],
        formulas: &[Expr],
    ) -> Result<(String, TraceLayout), askama::Error> {
        let lines = self.builder.lines(state);
        let clauses = self.flags(formulas);
        let all: Vec<&str> = clauses.iter().map(|flag| flag.name.as_str()).collect();
        let all = if all.is_empty() {
            "true".into()
        } else {
            all.join(" && ")
        };
        let (mut q, c, layout) = self.finish();
        declare(&mut q, &clauses);
        let text = FailsText {
            q,
            c,
            lines,
            clauses,
            broken: format!("!({all})"),
        };
        Ok((text.render()?, layout))
    }

    fn place(mut self, places: &Places) -> Result<(String, TraceLayout), askama::Error> {
        let observed = places.seen.as_ref().map(|seen| self.observed(seen));
        if observed.is_some() {
            self.layout.end.push(TraceSlot::number(OBSERVED.into()));
        }
        let predicates = self.flags(&places.predicates);
        let is = |place: &EndPlace| {
            let (seen, holds) = place;
            let seen = observed.is_some().then(|| is_seen(*seen));
            let literals = predicates.iter().zip(holds);
            let literals = literals.map(|(flag, holds)| literal(&flag.name, *holds));
            BoogieTerm::all(seen.into_iter().chain(literals))
        };
        let known = places.known.iter();
        let known = known
            .map(|place| BoogieTerm::not(is(place)).to_string())
            .collect();
        let wanted = places.wanted.as_ref().map(|place| is(place).to_string());
        let (mut q, c, layout) = self.finish();
        if observed.is_some() {
            q.locals.push((OBSERVED.into(), "int".into()));
        }
        declare(&mut q, &predicates);
        let text = PlaceText {
            q,
            c,
            observed,
            predicates,
            known,
            wanted,
        };
        Ok((text.render()?, layout))
    }

    /// What is seen of the call, as its position among what there is to be seen.
    fn observed(&mut self, seen: &[Exit]) -> String {
        let Some(routine) = self.routine else {
            return "0".into();
        };
        let subject = &self.builder.encoding.subject;
        let throws = !subject.exceptions_of(routine).is_empty();
        let last = BoogieTerm::atom(seen.len().saturating_sub(1).to_string());
        let cases = seen.iter().enumerate().rev().skip(1);
        let term = cases.fold(last, |rest, (index, exit)| {
            let conditions = self.builder.exit(routine, exit, throws);
            let all = BoogieTerm::all(conditions.into_iter().map(BoogieTerm::atom));
            let index = Box::new(BoogieTerm::atom(index.to_string()));
            BoogieTerm::If(Box::new(all), index, Box::new(rest))
        });
        term.to_string()
    }

    /// What the call requires, apart from its arguments' types.
    fn required(&mut self, wrong: &Wrong) -> Required {
        let Some(routine) = self.routine else {
            return Required::default();
        };
        let behind = std::mem::take(&mut self.builder.reads);
        let required = self.builder.required(routine, wrong);
        self.q.reads.append(&mut self.builder.reads);
        self.builder.reads = behind;
        required
    }

    fn forbidden(mut self, wrong: &Wrong) -> Result<(String, TraceLayout), askama::Error> {
        let wrong = self.required(wrong);
        if let Some(of_call) = self.layout.calls.first_mut() {
            // What it leaves behind does not matter.
            of_call.after.clear();
            if !wrong.violated.is_empty() {
                of_call.refused = Some(TraceSlot::truth("refused".into()));
            }
        }
        let (q, c, layout) = self.finish();
        let text = ForbiddenText { q, c, wrong };
        Ok((text.render()?, layout))
    }

    fn escapes(mut self, escape: &Escape) -> Result<(String, TraceLayout), askama::Error> {
        let required = escape.wrong.as_ref().map(|wrong| self.required(wrong));
        let observed = escape.seen.as_ref().map(|seen| self.observed(seen));
        let mut inside = Vec::new();
        for (seen, region) in &escape.inside {
            let region = format!("({})", self.builder.encode(region));
            inside.push(match observed {
                Some(_) => {
                    let both = BoogieTerm::binary("&&", is_seen(*seen), BoogieTerm::atom(region));
                    format!("({both})")
                }
                None => region,
            });
        }
        let outside = match inside.is_empty() {
            true => "true".into(),
            false => format!("!({})", inside.join(" || ")),
        };
        let (mut q, mut c, layout) = self.finish();
        if observed.is_some() {
            q.locals.push((OBSERVED.into(), "int".into()));
        }
        let escaped = match &required {
            None => outside,
            Some(required) => {
                // A call that raises what it must not need not keep the invariant to count.
                let kept = std::mem::take(&mut c.invariant);
                let ends: Vec<String> = kept.into_iter().chain([outside]).collect();
                let ends = conjunction(&ends);
                match required.raised.as_str() {
                    "false" => ends,
                    raised => format!("{raised} || ({ends})"),
                }
            }
        };
        let text = EscapesText {
            q,
            c,
            wrong: required.unwrap_or_default(),
            observed,
            escaped,
        };
        Ok((text.render()?, layout))
    }

    fn uncovered(mut self, covers: &[TargetClaim]) -> Result<(String, TraceLayout), askama::Error> {
        let mut locals = self.builder.locals.iter();
        let throws = locals.any(|(name, _)| name == "thrown");
        let mut texts = Vec::new();
        for (index, cover) in covers.iter().enumerate() {
            let reached = match (&cover.target, throws) {
                (None, true) => "thrown != Exception.none".to_string(),
                (None, false) => "false".into(),
                (Some(target), throws) => {
                    let normally = BoogieTerm::atom("thrown == Exception.none");
                    let target = BoogieTerm::atom(format!("({})", self.builder.encode(target)));
                    BoogieTerm::all(throws.then_some(normally).into_iter().chain([target]))
                        .to_string()
                }
            };
            texts.push(CoverText {
                flag: format!("covered.{}", index + 1),
                cases: self.builder.encode(&cover.cases),
                reached,
            });
        }
        let (mut q, c, layout) = self.finish();
        let flags = texts.iter().map(|text| (text.flag.clone(), "bool".into()));
        q.locals.extend(flags);
        let text = UncoveredText {
            q,
            c,
            covers: texts,
        };
        Ok((text.render()?, layout))
    }
}

/// The call as it is encoded first: where its requires clauses are looked at apart, they come later.
fn required_first(call: &Call, end: &End) -> Call {
    let apart = match end {
        End::Forbidden(_) => true,
        End::Escapes(escape) => escape.wrong.is_some(),
        _ => false,
    };
    Call {
        required: call.required && !apart,
        ..call.clone()
    }
}

/// The formulas that are asked for at the end, which may speak of what was before.
fn end_formulas(end: &End) -> impl Iterator<Item = &Expr> {
    match end {
        End::Holds { formulas, .. } => formulas.iter(),
        _ => [].iter(),
    }
}

fn literal(flag: &str, holds: bool) -> BoogieTerm {
    match holds {
        true => BoogieTerm::atom(flag),
        false => BoogieTerm::not(BoogieTerm::atom(flag)),
    }
}

fn is_seen(index: usize) -> BoogieTerm {
    BoogieTerm::binary(
        "==",
        BoogieTerm::atom(OBSERVED),
        BoogieTerm::atom(index.to_string()),
    )
}

fn declare(q: &mut StartText, flags: &[Flag]) {
    let flags = flags.iter().map(|flag| (flag.name.clone(), "bool".into()));
    q.locals.extend(flags);
}
