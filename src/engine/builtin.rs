//! The built-in engine: stratified inlining over Z3, in this process.

use std::sync::OnceLock;
use std::time::Duration;

use super::keep::{self, KeptQuestion};
use super::{Engine, EngineConfig, EngineError, Located, Session, Tool};
use crate::boogie::typed::ProcedureId;
use crate::boogie::{check, check_entry, parse, parse_from, typed};
use crate::ids::Id;
use crate::internal::Internal;
use crate::query::{
    EntryProcedure, Limits, PathStep, QuestionProgram, Reason, Recorded, Trace, Unknown, Verdict,
};
use crate::reach::error::ReachError;
use crate::reach::lower::ProcedureMode;
use crate::reach::program::Prepared;
use crate::reach::question::{ReachOptions, ask};
use crate::reach::search::{Happening, SearchAnswer, SearchExecution};
use crate::reach::smt::{Config, SolverFailure};
use crate::reach::solver::Pool;
use crate::reach::values::show;
use crate::time::at_most;

/// How much processor time the solver has for a proof that holds for every number of rounds: those that come, come sooner.
const PROOF: Duration = Duration::from_secs(6);

/// The engine's name.
pub(super) const NAME: &str = "builtin";

/// The built-in engine.
#[derive(Debug)]
pub struct Builtin {
    config: EngineConfig,
    /// Is the unbounded search tried, where the bound is hit or the bounded search takes long?
    unbounded: bool,
    z3: OnceLock<Located>,
}

impl Builtin {
    /// The engine with these limits; Z3 is looked for when it is first needed.
    pub fn new(config: &EngineConfig) -> Self {
        Builtin {
            config: config.clone(),
            unbounded: true,
            z3: OnceLock::new(),
        }
    }

    /// The same engine, with or without the unbounded search.
    #[must_use]
    pub fn unbounded(mut self, unbounded: bool) -> Self {
        self.unbounded = unbounded;
        self
    }

    fn z3(&self) -> Result<&Located, EngineError> {
        if let Some(located) = self.z3.get() {
            return Ok(located);
        }
        let located = Tool::Z3.locate(NAME, self.config.named(Tool::Z3))?;
        Ok(self.z3.get_or_init(|| located))
    }
}

impl Default for Builtin {
    /// The engine with the usual limits, and the Z3 that is found on this machine.
    fn default() -> Self {
        Builtin::new(&EngineConfig::default())
    }
}

impl Engine for Builtin {
    fn name(&self) -> &'static str {
        NAME
    }

    fn version(&self) -> Result<String, EngineError> {
        let z3 = self.config.versions.of(self.z3()?, NAME)?;
        Ok(format!("tranquera {}, {z3}", env!("CARGO_PKG_VERSION")))
    }

    fn limits(&self) -> Limits {
        self.config.limits
    }

    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        keep::make_folder(&self.config, NAME)?;
        let rejected = |message: String| EngineError::Rejected {
            engine: NAME,
            message,
        };
        // The tree is not needed any more once it is checked, and takes as much memory as all the rest.
        let typed = {
            let tree = parse(&program.text).map_err(|e| rejected(e.to_string()))?;
            check(&tree).map_err(|e| rejected(e.to_string()))?
        };
        let prepared = match Prepared::new(typed) {
            Ok(prepared) => Ok(prepared),
            Err(ReachError::Unsupported(what)) => return Err(rejected(what.to_string())),
            Err(ReachError::Internal(bug)) => Err(bug),
        };
        let config = Config {
            z3: self.z3()?.path.clone(),
            memory_mib: self.config.limits.memory_mib,
            log: None,
            stop: self.config.interrupt.clone(),
        };
        Ok(Box::new(BuiltinSession {
            engine: self,
            prepared,
            pool: Pool::new(config),
            lines: program.text.lines().count() as u32,
            program: program.clone(),
        }))
    }
}

/// A program that the built-in engine has opened.
struct BuiltinSession<'e> {
    engine: &'e Builtin,
    /// The program; where a mistake of ours came in between, that is the answer to all questions.
    prepared: Result<Prepared, Internal>,
    pool: Pool,
    lines: u32,
    program: QuestionProgram,
}

impl Session for BuiltinSession<'_> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        self.kept(entry, self.answer(entry, false))
    }

    fn presume(&self, entry: &EntryProcedure) -> Verdict {
        self.kept(entry, self.answer(entry, true))
    }
}

impl BuiltinSession<'_> {
    /// The verdict, once the question is kept where that is wanted.
    fn kept(&self, entry: &EntryProcedure, verdict: Verdict) -> Verdict {
        let Some(folder) = &self.engine.config.keep_dir else {
            return verdict;
        };
        let asked = KeptQuestion {
            entry: &entry.name,
            engine: NAME,
            text: &self.program.with(entry),
            verdict: &verdict,
            process: None,
        };
        keep::keep(folder, &asked)
    }

    /// The answer; where `presume` says so, an execution will do that may be none.
    fn answer(&self, entry: &EntryProcedure, presume: bool) -> Verdict {
        if self.engine.config.interrupt.is_set() {
            return unknown(Reason::Interrupted, "");
        }
        let prepared = match &self.prepared {
            Ok(prepared) => prepared,
            Err(bug) => return unknown(Reason::Crash, &bug.to_string()),
        };
        let rejected = |message: String| unknown(Reason::Rejected, &message);
        let tree = match parse_from(&entry.text, self.lines + 1) {
            Ok(tree) => tree,
            Err(e) => return rejected(e.to_string()),
        };
        match check_entry(&prepared.typed, &tree) {
            Ok(added) => self.ask_added(prepared, &added, entry, presume),
            Err(e) => rejected(e.to_string()),
        }
    }

    fn ask_added(
        &self,
        prepared: &Prepared,
        added: &[typed::TypedProcedure],
        entry: &EntryProcedure,
        presume: bool,
    ) -> Verdict {
        let Some(at) = added.iter().position(|p| p.name == entry.name) else {
            let message = format!(
                "the text of the entry `{}` has no procedure of that name",
                entry.name
            );
            return unknown(Reason::Rejected, &message);
        };
        let config = &self.engine.config;
        let timeout = config.timeout(entry);
        let work = config.limits.work;
        let options = ReachOptions {
            bound: config.limits.recursion_bound,
            stack_depth: None,
            timeout,
            work,
            unbounded: self.engine.unbounded,
            unbounded_timeout: at_most(timeout.min(PROOF), work),
            mode: ProcedureMode::Entry,
            figures: false,
            presume,
            shapes: self.program.maps,
        };
        let main = ProcedureId::new(prepared.typed.procedures.len() + at);
        let (answer, _) = ask(prepared, &self.pool, added, main, &options);
        match answer {
            SearchAnswer::Presumed(execution) if presume => {
                Verdict::Presumed(trace(&execution, &prepared.typed))
            }
            answer => verdict(answer, &prepared.typed),
        }
    }
}

fn unknown(reason: Reason, detail: &str) -> Verdict {
    Verdict::Unknown(Unknown {
        reason,
        detail: detail.to_string(),
        output: String::new(),
    })
}

/// The verdict that an answer is.
fn verdict(answer: SearchAnswer, program: &typed::TypedProgram) -> Verdict {
    match answer {
        SearchAnswer::Reached(execution) => Verdict::Reached(trace(&execution, program)),
        SearchAnswer::Presumed(_) => {
            let why = "an execution was found, but not a model of all quantified axioms";
            unknown(Reason::SolverIncomplete, why)
        }
        SearchAnswer::Unreachable => Verdict::Unreachable,
        SearchAnswer::BoundHit(bound) => Verdict::BoundHit { bound },
        SearchAnswer::Unknown(SolverFailure::Timeout) => unknown(Reason::Timeout, ""),
        SearchAnswer::Unknown(SolverFailure::Memory) => unknown(Reason::Memory, ""),
        SearchAnswer::Unknown(SolverFailure::Interrupted) => unknown(Reason::Interrupted, ""),
        SearchAnswer::Unknown(SolverFailure::Died(how)) => unknown(Reason::Crash, &how),
        SearchAnswer::Unknown(SolverFailure::Incomplete(why)) => {
            unknown(Reason::SolverIncomplete, &why)
        }
        SearchAnswer::Unknown(SolverFailure::NotUnderstood(what)) => {
            unknown(Reason::NotUnderstood, &what)
        }
        SearchAnswer::Unsupported(what) => unknown(Reason::Rejected, &what.to_string()),
        SearchAnswer::Broken(bug) => unknown(Reason::Crash, &bug.to_string()),
    }
}

fn trace(execution: &SearchExecution, program: &typed::TypedProgram) -> Trace {
    let mut trace = Trace::default();
    for step in &execution.steps {
        let event = match &step.event {
            Happening::Block(label) => label.clone(),
            Happening::Call(name) => format!("call {name}"),
            Happening::Return(name) => format!("return {name}"),
            Happening::Command | Happening::Unwind(_) => continue,
            Happening::Record(name, value, ty) => {
                trace.values.push(Recorded {
                    name: name.clone(),
                    value: show(value, ty, program),
                });
                continue;
            }
        };
        trace.steps.push(PathStep {
            line: step.pos.line,
            event,
            depth: step.depth,
        });
    }
    trace
}
