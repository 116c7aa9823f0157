//! `tranquera reach`: the built-in engine by itself, a stand-in for Corral.

mod figures;
mod flags;
mod known;
mod more;
mod report;
mod sources;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::boogie::typed;
use crate::engine::{EngineError, Tool};
use crate::reach::lower::ProcedureMode;
use crate::reach::print::{Stage, print};
use crate::reach::program::Prepared;
use crate::reach::question::{self, ReachOptions};
use crate::reach::search::{SearchAnswer, SearchExecution};
use crate::reach::smt::Config;
use crate::reach::solver::Pool;

use super::{interrupt, output};
use flags::{Flags, Printed};
use sources::SourceFiles;

/// Exit status 0: there is an answer (bug, no bug, or none within the bound). 1: there is none, and why is said.
#[derive(Debug, clap::Args)]
#[command(after_long_help = flags::HELP)]
pub(super) struct ReachArguments {
    /// FILE.bpl and flags, as `/main:P` or `--main P`
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        required = true,
        value_name = "FILE.bpl | FLAG"
    )]
    pub(super) arguments: Vec<String>,
}

/// Without a time limit of the user's there is still one.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Why there is no answer; printed on standard output, as Corral does.
struct NoAnswer(String);

pub(super) fn run(arguments: &ReachArguments) -> ExitCode {
    let (text, status) = match answer(&arguments.arguments) {
        Ok(text) => (text, ExitCode::SUCCESS),
        Err(NoAnswer(text)) => (text, ExitCode::from(1)),
    };
    match output::write(None, &text) {
        Ok(()) => status,
        Err(failure) => {
            output::complain(&failure.to_string());
            failure.exit_code()
        }
    }
}

fn answer(arguments: &[String]) -> Result<String, NoAnswer> {
    let flags = Flags::parse(arguments).map_err(|e| NoAnswer(format!("Usage error: {e}\n")))?;
    if flags.files.is_empty() {
        return Err(NoAnswer(
            "Usage error: No input file given (its name ends in .bpl)\n".into(),
        ));
    }
    let (sources, typed) = SourceFiles::read(&flags.files).map_err(NoAnswer)?;
    let main = main_procedure(&flags, &typed)?;
    let question = Question {
        flags: &flags,
        sources: &sources,
        main,
        options: options(&flags),
    };
    match flags.print {
        None => question.answer(typed),
        Some(Printed::Stage(stage)) => question.stage(typed, stage),
        Some(Printed::Smt) => question.dialogue(typed),
    }
}

/// What the flags say of how a question is to be answered.
fn options(flags: &Flags) -> ReachOptions {
    let bound = flags.recursion_bound.unwrap_or(1);
    ReachOptions {
        bound: bound.saturating_add(flags.loop_bound),
        stack_depth: flags.stack_depth,
        timeout: flags.time_limit.unwrap_or(A_DAY),
        unbounded: flags.unbounded,
        unbounded_timeout: flags.time_limit.unwrap_or(Duration::from_secs(60)),
        mode: match flags.to_end {
            true => ProcedureMode::EntryToEnd,
            false => ProcedureMode::Entry,
        },
        figures: figures::are_wanted(),
    }
}

/// What is asked, of which program.
struct Question<'a> {
    flags: &'a Flags,
    sources: &'a SourceFiles,
    main: typed::ProcedureId,
    options: ReachOptions,
}

impl Question<'_> {
    /// Solvers, with a log of what is said to them.
    fn pool(&self, log: Option<PathBuf>) -> Result<Pool, NoAnswer> {
        let located = Tool::Z3.locate("builtin", self.flags.z3.as_deref());
        let z3 = located.map_err(|error| {
            let hint = match &error {
                EngineError::Missing { hint, .. } => format!(" ({hint})"),
                _ => String::new(),
            };
            NoAnswer(format!("Error, {error}{hint}\n"))
        })?;
        Ok(Pool::new(Config {
            z3: z3.path,
            memory_mib: self.flags.memory_mib,
            log,
            stop: interrupt::token(),
        }))
    }

    fn prepared(&self, program: typed::TypedProgram) -> Result<Prepared, NoAnswer> {
        Prepared::with_main(program, Some(self.main))
            .map_err(|e| NoAnswer(report::not_prepared(self.sources, &e)))
    }

    /// What a program is at a stage.
    fn stage(&self, typed: typed::TypedProgram, stage: Stage) -> Result<String, NoAnswer> {
        print(&self.prepared(typed)?, self.options.mode, stage)
            .map_err(|e| NoAnswer(report::not_prepared(self.sources, &e)))
    }

    /// What is said to the solver.
    fn dialogue(&self, typed: typed::TypedProgram) -> Result<String, NoAnswer> {
        let failed = |e: std::io::Error| NoAnswer(format!("Error, {e}\n"));
        let log = tempfile::NamedTempFile::new().map_err(failed)?;
        let pool = self.pool(Some(log.path().to_path_buf()))?;
        question::ask_twice(self.prepared(typed)?, &pool, &self.options);
        drop(pool);
        std::fs::read_to_string(log.path()).map_err(failed)
    }

    /// The answer, and as many executions as are wanted.
    fn answer(&self, typed: typed::TypedProgram) -> Result<String, NoAnswer> {
        let pool = self.pool(self.flags.prover_log.clone())?;
        let wanted = self.flags.cex;
        let mut rest = (wanted > 1).then(|| typed.clone());
        let (prepared, answer, mut stats) =
            question::ask_twice(self.prepared(typed)?, &pool, &self.options);
        let mut more: Vec<SearchExecution> = Vec::new();
        if let (Some(rest), SearchAnswer::Reached(first)) = (&mut rest, &answer) {
            while more.len() + 1 < wanted && more::disable(rest, more.last().unwrap_or(first)) {
                let again = self.prepared(rest.clone())?;
                let (_, answer, cost) = question::ask_twice(again, &pool, &self.options);
                stats.and(cost);
                let SearchAnswer::Reached(execution) = answer else {
                    break;
                };
                more.push(execution);
            }
        }
        figures::say(&stats);
        let report = report::ReachReport {
            sources: self.sources,
            flags: self.flags,
            program: &prepared.typed,
            answer: &answer,
            more: &more,
            stats,
        };
        match self.flags.json {
            true => report.json(),
            false => report.text(),
        }
        .map_err(NoAnswer)
    }
}

fn main_procedure(
    flags: &Flags,
    typed: &typed::TypedProgram,
) -> Result<typed::ProcedureId, NoAnswer> {
    let invalid = |what: &str| NoAnswer(format!("Error, Invalid input: {what}\n"));
    match &flags.main {
        Some(name) => typed
            .procedure(name)
            .filter(|main| typed.procedures.at(*main).is_ok_and(|p| p.body.is_some()))
            .ok_or_else(|| invalid("Implementation of main procedure not found")),
        None => typed
            .procedures
            .find(|p| p.entrypoint && p.body.is_some())
            .ok_or_else(|| invalid("Main procedure not specified")),
    }
}
