//! Whole runs of an object, call by call, without a loop: does this history, with a call behind it, do what must not
//! happen?

use std::collections::BTreeSet;

use askama::Template;

use crate::encode::question::name::capped;
use crate::encode::question::{Builder, Frame, unique};
use crate::encode::routine::modified_globals;
use crate::encode::term::Term;
use crate::encode::{Encoding, Exit};
use crate::ir::{RoutineRef, Type};
use crate::query::Entry;

use super::{EncodedStep, InterfaceEncoding, Observation};

/// A run: an object is made, calls are made of it and seen to end, and a last one does what must not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How the object is made.
    pub constructor: usize,
    /// The calls, each an action and the position of what is seen among its observations.
    pub calls: Vec<(usize, usize)>,
    /// The call that does what must not happen; none where it is only asked whether the calls before it can be.
    pub last: Option<usize>,
}

/// `templates/interface/run.bpl`
#[derive(Template)]
#[template(path = "interface/run.bpl")]
struct RunText<'q> {
    q: &'q Frame,
    calls: Vec<CallText>,
}

struct CallText {
    number: usize,
    what: String,
    /// What is done with the call, as text of its own.
    text: String,
}

/// `templates/interface/seen.bpl`
#[derive(Template)]
#[template(path = "interface/seen.bpl")]
struct SeenText<'q> {
    q: &'q Frame,
}

/// `templates/interface/last.bpl`
#[derive(Template)]
#[template(path = "interface/last.bpl")]
struct LastText<'q> {
    q: &'q Frame,
    violated: Vec<String>,
    allowed: Vec<String>,
    raised: String,
}

impl<'a> InterfaceEncoding<'a> {
    /// Is there such a run?
    ///
    /// # Errors
    /// A template that cannot be rendered, which no input can cause.
    pub fn run(&self, run: &Run) -> Result<EncodedStep, askama::Error> {
        let encoding = self.encoding;
        let mut whole = Whole::new(encoding);
        let (mut builder, mut frame) = whole.begin(true);
        frame.configuration.extend(builder.promises());
        let before = builder.record_configuration(&mut |b| &mut b.recorded_before);
        frame.before = before;
        whole.head = Frame {
            configuration: std::mem::take(&mut frame.configuration),
            invariant: std::mem::take(&mut frame.invariant),
            before: std::mem::take(&mut frame.before),
            ..Frame::default()
        };
        let routine = encoding.constructors[run.constructor].routine;
        match routine {
            Some(routine) => {
                whole.name(&mut builder, routine, 1);
                builder.call(routine, &Exit::Normal, &mut frame);
            }
            None => {
                let start = builder.start();
                frame.requires = builder.encode_conjuncts(start);
                frame.reads_before.append(&mut builder.reads);
            }
        }
        let display = encoding.constructors[run.constructor].display.clone();
        whole.seen(1, display, builder, frame, routine)?;
        for (index, (action, seen)) in run.calls.iter().enumerate() {
            let routine = encoding.actions[*action].routine;
            let (mut builder, mut frame) = whole.begin(false);
            whole.name(&mut builder, routine, index + 2);
            builder.call(routine, &Exit::Any, &mut frame);
            frame.exit = self.seen(&mut builder, *action, *seen);
            let name = encoding.actions[*action].name.clone();
            whole.seen(index + 2, name, builder, frame, Some(routine))?;
        }
        if let Some(action) = run.last {
            let routine = encoding.actions[action].routine;
            let (mut builder, mut frame) = whole.begin(false);
            let number = run.calls.len() + 2;
            whole.name(&mut builder, routine, number);
            let (violated, allowed) = self.begin(&mut builder, routine, Some(action), &mut frame);
            whole.keep(&mut builder, &mut frame, Some(routine));
            let text = LastText {
                raised: self.raised(Some(routine)).to_string(),
                q: &frame,
                violated,
                allowed,
            }
            .render()?;
            let name = &encoding.actions[action].name;
            whole.calls.push(CallText {
                number,
                what: format!("{name}, which does what must not happen"),
                text,
            });
        }
        whole.replayable |= self.is_plain(run);
        whole.head.name = self.run_name(run);
        whole.head.question = self.run_sentence(run);
        whole.render()
    }

    /// Whether a run can be replayed although there are other classes: no value of a run is one that is not
    /// recorded. (A reference that is not null is told from its value.)
    fn is_plain(&self, run: &Run) -> bool {
        let encoding = self.encoding;
        let program = encoding.source();
        let constructor = encoding.constructors[run.constructor].routine;
        let called = run.calls.iter().map(|(action, _)| *action).chain(run.last);
        let routines = constructor
            .into_iter()
            .chain(called.map(|a| encoding.actions[a].routine));
        let params = routines.flat_map(|r| &program.routine(r).params);
        let params = params.map(|p| &program.var(*p).ty);
        let fields = program.class(encoding.class()).fields.iter().map(|f| &f.ty);
        let mut types = params.chain(fields);
        encoding.layout.arrays.is_empty()
            && !types.any(|ty| matches!(ty, Type::Map(..) | Type::Opaque(_)))
    }

    /// That a call ends as this observation says.
    fn seen(&self, builder: &mut Builder<'_, '_>, action: usize, seen: usize) -> Vec<String> {
        let routine = self.encoding.actions[action].routine;
        let throws = !self.encoding.exceptions_of(routine).is_empty();
        let raised = self.raised(Some(routine));
        let mut conditions = match self.observations[action].get(seen) {
            Some(Observation::Normal(exit)) => return builder.exit(routine, exit, throws),
            Some(Observation::Failed) if throws => vec!["thrown != Exception.none".to_string()],
            Some(Observation::Failed) | None => vec!["false".to_string()],
            Some(Observation::Ended) => vec![],
        };
        if raised != Term::atom("false") {
            conditions.push(Term::not(raised).to_string());
        }
        conditions
    }

    fn run_name(&self, run: &Run) -> String {
        let calls = run.calls.iter();
        let words: Vec<String> = calls
            .map(|(action, seen)| format!("{}_{seen}", self.encoding.actions[*action].name))
            .collect();
        let last = match run.last {
            Some(action) => format!(".then_{}", self.encoding.actions[action].name),
            None => String::new(),
        };
        format!(
            "run.from_constructor_{}.by_{}{last}",
            run.constructor + 1,
            capped(
                &(if words.is_empty() {
                    vec![]
                } else {
                    vec![words.join("_and_")]
                }),
                "call"
            )
        )
    }

    /// The question as a sentence.
    pub fn run_sentence(&self, run: &Run) -> String {
        let names: Vec<&str> = run
            .calls
            .iter()
            .map(|(action, _)| self.encoding.actions[*action].name.as_str())
            .collect();
        let display = &self.encoding.constructors[run.constructor].display;
        let after = [&[display.as_str()], names.as_slice()].concat().join(", ");
        match run.last {
            Some(action) => format!(
                "can `{}`, called after {after}, {}?",
                self.encoding.actions[action].name,
                self.forbidden_words()
            ),
            None => format!("can these calls be made: {after}?"),
        }
    }
}

/// A run being put together: each call has names of its own.
struct Whole<'e, 'a> {
    encoding: &'e Encoding<'a>,
    head: Frame,
    locals: Vec<(String, String)>,
    modifies: BTreeSet<String>,
    replayable: bool,
    calls: Vec<CallText>,
}

impl<'e, 'a> Whole<'e, 'a> {
    fn new(encoding: &'e Encoding<'a>) -> Self {
        Whole {
            encoding,
            head: Frame::default(),
            locals: vec![],
            modifies: BTreeSet::new(),
            replayable: true,
            calls: vec![],
        }
    }

    /// A call's own builder and frame. The first one's frame has what is true before there is an object.
    fn begin(&mut self, first: bool) -> (Builder<'e, 'a>, Frame) {
        let mut builder = Builder::new(self.encoding);
        let mut frame = Frame::default();
        if first {
            frame.configuration = builder.configuration(true);
            let others = builder.invariant_of_others();
            frame.invariant = others.iter().map(Term::to_string).collect();
        }
        (builder, frame)
    }

    /// Names for the parameters and results of a call that no other call has.
    fn name(&self, builder: &mut Builder<'_, '_>, routine: RoutineRef, number: usize) {
        let program = self.encoding.source();
        let declared = program.routine(routine);
        let vars = declared.params.iter().chain(&declared.results).copied();
        builder.names.add(program, vars, &format!("call{number}."));
    }

    /// A call that is seen to end, with the invariant behind it.
    fn seen(
        &mut self,
        number: usize,
        what: String,
        mut builder: Builder<'e, 'a>,
        mut frame: Frame,
        routine: Option<RoutineRef>,
    ) -> Result<(), askama::Error> {
        frame.invariant_after = builder.invariant().iter().map(Term::to_string).collect();
        frame.after = builder.record_configuration(&mut |b| &mut b.recorded_after);
        self.keep(&mut builder, &mut frame, routine);
        let text = SeenText { q: &frame }.render()?;
        self.calls.push(CallText { number, what, text });
        Ok(())
    }

    /// Keeps what all calls share.
    fn keep(
        &mut self,
        builder: &mut Builder<'e, 'a>,
        frame: &mut Frame,
        routine: Option<RoutineRef>,
    ) {
        frame.reads_before = unique(std::mem::take(&mut frame.reads_before));
        frame.reads_after = unique(std::mem::take(&mut builder.reads));
        self.locals.append(&mut builder.locals);
        self.replayable &= builder.replayable;
        if let Some(routine) = routine {
            let effects = self.encoding.effects.routine(routine);
            self.modifies
                .extend(modified_globals(&self.encoding.layout, effects));
        }
    }

    fn render(mut self) -> Result<EncodedStep, askama::Error> {
        let mut seen = BTreeSet::new();
        self.locals.retain(|(name, _)| seen.insert(name.clone()));
        self.head.locals = self.locals;
        self.head.modifies = Vec::from_iter(self.modifies).join(", ");
        let text = RunText {
            q: &self.head,
            calls: self.calls,
        }
        .render()?;
        Ok(EncodedStep {
            entry: Entry {
                name: self.head.name,
                text,
            },
            replayable: self.replayable,
        })
    }
}
