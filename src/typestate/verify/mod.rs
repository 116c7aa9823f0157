//! Client code against a class: which of its calls can end in the error, by which path, with which values.
//!
//! The client's calls are marked (`instrument`), and an engine is asked of each whether an execution of the client
//! ends in its error: the client and the class run together, with as many objects as the client makes, and loops
//! without a bound where the engine finds a proof. So "verified" is said only where the engine says *unreachable*
//! of every call. Against an automaton that is given as data, the class's routines do what the automaton says
//! ([`monitor`]).

mod instrument;
pub mod monitor;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use crate::ask::{AskError, Desk, Disagreement, Witness};
use crate::encode::Encoding;
use crate::engine::Engine;
use crate::ir::{
    BuiltinException, ClassId, ExceptionId, Program, RoutineKind, RoutineRef, Source, StmtKind,
    Type,
};
use crate::query::{ActionId, Exit, Query, Recorded, Step, Subject, kinds};

use instrument::{Marked, WatchedCall, mark};

/// The name and version of the JSON format.
pub const SCHEMA: &str = "tranquera/verify/1";

/// What is verified.
#[derive(Clone, Debug)]
pub struct VerifyTask {
    /// The client's classes.
    pub clients: Vec<ClassId>,
    /// The classes whose use is watched.
    pub watched: Vec<ClassId>,
    /// The client's routines from which executions start.
    pub entries: Vec<RoutineRef>,
    /// What a person should know of what it is checked against.
    pub notes: Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VerifyReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// Whether no call can reach the error.
    pub verified: bool,
    /// The routines from which executions started: `NotConnected.main`.
    pub entries: Vec<String>,
    /// How many calls of the watched classes there are.
    pub calls: usize,
    /// The calls that can end in the error, and what else can go wrong.
    pub findings: Vec<ClientFinding>,
    /// What the engine does not know.
    pub undecided: Vec<Undecided>,
    /// What "verified" does not say.
    pub notes: Vec<String>,
}

/// Something that can go wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClientFinding {
    /// The routine from which the execution starts.
    pub entry: String,
    /// The call; none where the client raises the exception itself.
    pub call: Option<ClientCall>,
    /// The exception.
    pub exception: String,
    /// Whether the call ends so whenever it is reached: none where no execution is behind it.
    pub always: bool,
    /// The values that the execution starts from.
    pub inputs: Vec<(String, String)>,
    /// The calls made, in order; the last one is the one that fails.
    pub path: Vec<ClientCall>,
}

/// A call in the client.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClientCall {
    /// The line.
    pub line: usize,
    /// As it is written.
    pub text: String,
    /// The parameters' names and values.
    pub arguments: Vec<(String, String)>,
}

/// A question that was not answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Undecided {
    /// The routine from which executions start.
    pub entry: String,
    /// The call; none for what the client does itself.
    pub call: Option<ClientCall>,
    /// The exception in which it may end.
    pub exception: String,
    /// Why it is not known.
    pub reason: String,
}

/// The routines of the client that none of its others calls; all of them where each is called.
pub fn entries(program: &Program, clients: &[ClassId]) -> Vec<RoutineRef> {
    let mut all = Vec::new();
    let mut called = BTreeSet::new();
    for class in clients {
        for (index, routine) in program.class(*class).routines.iter().enumerate() {
            let Some(body) = &routine.body else { continue };
            if routine.kind != RoutineKind::Constructor {
                all.push(RoutineRef {
                    class: *class,
                    index,
                });
            }
            let mut blocks = vec![body];
            while let Some(block) = blocks.pop() {
                for stmt in block {
                    if let StmtKind::Call { routine, .. } = &stmt.kind {
                        called.insert(*routine);
                    }
                    blocks.extend(stmt.blocks());
                }
            }
        }
    }
    let uncalled: Vec<RoutineRef> = all
        .iter()
        .copied()
        .filter(|r| !called.contains(r))
        .collect();
    if uncalled.is_empty() { all } else { uncalled }
}

/// Verifies a client. `source` is the text of the whole program.
///
/// # Errors
/// The engine cannot be run.
pub fn verify(
    program: &Program,
    source: &Source,
    wanted: &VerifyTask,
    engine: &dyn Engine,
) -> Result<(VerifyReport, Vec<Disagreement>), AskError> {
    let marked = mark(program, &wanted.clients, &wanted.watched, None);
    let mut verifier = Verifier {
        program,
        source,
        wanted,
        engine,
        marked: &marked,
        findings: Vec::new(),
        undecided: Vec::new(),
        passes: BTreeMap::new(),
        disagreements: Vec::new(),
    };
    for entry in &wanted.entries {
        verifier.entry(*entry)?;
    }
    let (findings, undecided) = (verifier.findings, verifier.undecided);
    let report = VerifyReport {
        schema: SCHEMA.into(),
        verified: findings.is_empty() && undecided.is_empty(),
        entries: wanted.entries.iter().map(|e| name(program, *e)).collect(),
        calls: marked.sites.len(),
        findings,
        undecided,
        notes: wanted
            .notes
            .iter()
            .cloned()
            .chain(skipped(program))
            .collect(),
    };
    Ok((report, verifier.disagreements))
}

/// The routines of which nothing is known.
fn skipped(program: &Program) -> Option<String> {
    let all = program.classes.iter().flat_map(|class| {
        let silent = class.routines.iter().filter(|r| {
            let contract = r.requires.len() + r.ensures.len() + r.throws.len();
            let frame = r.modifies.as_ref().map_or(0, Vec::len);
            r.body.is_none() && contract + frame == 0
        });
        silent.map(|r| format!("`{}.{}`", class.name, r.name))
    });
    let all: Vec<String> = all.collect();
    (!all.is_empty()).then(|| {
        format!(
            "these have no body, and their contracts say nothing, so they are taken to do nothing: {}",
            all.join(", ")
        )
    })
}

struct Verifier<'v> {
    program: &'v Program,
    source: &'v Source,
    wanted: &'v VerifyTask,
    engine: &'v dyn Engine,
    marked: &'v Marked,
    findings: Vec<ClientFinding>,
    undecided: Vec<Undecided>,
    /// Whether a call can end normally, by entry and number.
    passes: BTreeMap<(RoutineRef, usize), bool>,
    disagreements: Vec<Disagreement>,
}

impl Verifier<'_> {
    fn entry(&mut self, entry: RoutineRef) -> Result<(), AskError> {
        let encoding = Encoding::new(Arc::new(of_entry(&self.marked.program, entry)))?;
        let desk = Desk::open(&encoding, self.engine)?;
        for exception in encoding.subject.exceptions_of(entry) {
            let site = self.site_of(*exception);
            let original = match site {
                Some((_, error)) => error,
                // What the client throws itself is its own matter, but not what it does wrong.
                None if BuiltinException::ALL.iter().any(|b| b.id() == *exception) => *exception,
                None => continue,
            };
            let call = site.map(|(number, _)| self.call(number, Vec::new()));
            let error = self.program.exception_shown(original).to_string();
            let answer = desk.ask(&raises(desk.subject(), *exception));
            let reason = match answer.settled() {
                Ok(None) => continue,
                Ok(Some(witness)) => {
                    let path = self.path(&witness.trace.values);
                    let inputs = inputs(desk.subject(), &witness);
                    let always = match site {
                        Some((number, _)) => !self.passes(entry, number)?,
                        None => false,
                    };
                    self.findings.push(ClientFinding {
                        entry: name(self.program, entry),
                        call: path.last().cloned().filter(|_| site.is_some()).or(call),
                        exception: error,
                        always,
                        inputs,
                        path,
                    });
                    continue;
                }
                Err(doubt) => doubt.to_string(),
            };
            self.undecided.push(Undecided {
                entry: name(self.program, entry),
                call,
                exception: error,
                reason,
            });
        }
        self.disagreements.extend(desk.disagreements());
        Ok(())
    }

    /// The call of which the exception is an error, and the error.
    fn site_of(&self, exception: ExceptionId) -> Option<(usize, ExceptionId)> {
        let sites = self.marked.sites.iter().enumerate();
        let mut found = sites.filter_map(|(n, s)| Some((n, *s.errors.get(&exception)?)));
        found.next()
    }

    /// Whether an execution may get behind the call.
    fn passes(&mut self, entry: RoutineRef, number: usize) -> Result<bool, AskError> {
        if let Some(known) = self.passes.get(&(entry, number)) {
            return Ok(*known);
        }
        let (clients, watched) = (&self.wanted.clients, &self.wanted.watched);
        let marked = mark(self.program, clients, watched, Some(number));
        let encoding = Encoding::new(Arc::new(of_entry(&marked.program, entry)))?;
        let desk = Desk::open(&encoding, self.engine)?;
        let passed = marked.sites.get(number).map(|s| s.passed);
        let passes = passed.is_none_or(|passed| !desk.ask(&raises(desk.subject(), passed)).is_no());
        self.disagreements.extend(desk.disagreements());
        self.passes.insert((entry, number), passes);
        Ok(passes)
    }

    fn call(&self, number: usize, arguments: Vec<(String, String)>) -> ClientCall {
        let span = self.marked.sites.get(number).map(|s| s.span);
        let span = span.unwrap_or_default();
        ClientCall {
            line: self.source.line_column(span.start as usize).0,
            text: self.source.at(span).trim().to_string(),
            arguments,
        }
    }

    /// The calls that an execution makes.
    fn path(&self, values: &[Recorded]) -> Vec<ClientCall> {
        let mut objects = PathObjects::default();
        let mut calls: Vec<(usize, Vec<(String, String)>)> = Vec::new();
        for recorded in values {
            let Some(label) = recorded.name.as_deref() else {
                continue;
            };
            let sites = self.marked.sites.iter().enumerate();
            if let Some((number, _)) = sites.clone().find(|(_, s)| s.mark == label) {
                calls.push((number, Vec::new()));
            } else if let Some((number, arguments)) = calls.last_mut() {
                let site = self.marked.sites.get(*number);
                let argument = site.and_then(|s| argument(s, label));
                if let Some((name, ty)) = argument {
                    let value = objects.shown(self.program, ty, &recorded.value);
                    arguments.push((name.to_string(), value));
                }
            }
        }
        let calls = calls.into_iter();
        let calls = calls.map(|(number, arguments)| self.call(number, arguments));
        calls.collect()
    }
}

/// The values that an execution starts from.
fn inputs(subject: &Subject, witness: &Witness) -> Vec<(String, String)> {
    let fields = witness.before(&subject.program).into_iter();
    let all = fields.chain(witness.arguments(subject));
    all.map(|named| (named.name, named.value)).collect()
}

/// The routine from which executions start is what is asked about.
fn of_entry(program: &Program, entry: RoutineRef) -> Subject {
    Subject::new(Arc::new(program.clone()), entry.class, &[entry])
}

/// Can the entry end in this exception?
fn raises(subject: &Subject, exception: ExceptionId) -> Query {
    kinds::exit(
        subject,
        &Step::anywhere(ActionId(0), Exit::Exception(exception)),
    )
}

fn argument<'s>(site: &'s WatchedCall, label: &str) -> Option<(&'s str, &'s Type)> {
    let mut arguments = site.arguments.iter();
    let found = arguments.find(|(variable, ..)| variable == label)?;
    Some((&found.1, &found.2))
}

/// The objects of a path, numbered as they are seen.
#[derive(Default)]
struct PathObjects(BTreeMap<(String, String), usize>);

impl PathObjects {
    /// A value as the engine says it, as a person reads it.
    fn shown(&mut self, program: &Program, ty: &Type, value: &str) -> String {
        match ty {
            Type::Class { .. } | Type::Array { .. } if value == "0" => "null".into(),
            Type::Class { class, .. } => self.numbered(&program.class(*class).name, value),
            Type::Array { .. } => self.numbered("array", value),
            Type::Enum(id) => {
                let members = program.enums.get(id.0).map(|e| &e.members);
                let index = value.parse::<usize>().ok();
                let member = index.and_then(|i| members?.get(i));
                member.cloned().unwrap_or_else(|| value.to_string())
            }
            _ => value.to_string(),
        }
    }

    fn numbered(&mut self, kind: &str, value: &str) -> String {
        let of_kind = self.0.keys().filter(|(k, _)| k == kind).count();
        let key = (kind.to_string(), value.to_string());
        let number = self.0.entry(key).or_insert(of_kind + 1);
        format!("{kind} {number}")
    }
}

fn name(program: &Program, routine: RoutineRef) -> String {
    let class = &program.class(routine.class).name;
    format!("{class}.{}", program.routine(routine).shown())
}
