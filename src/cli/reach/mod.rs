//! `tranquera reach`: the built-in engine by itself, a stand-in for Corral.

mod flags;
mod known;
mod more;
mod report;
mod sources;

use std::process::ExitCode;
use std::time::Duration;

use crate::boogie::typed;
use crate::engine::{EngineError, Tool};
use crate::reach::lower::Mode;
use crate::reach::program::Prepared;
use crate::reach::question::{self, Options};
use crate::reach::search::{Answer, Execution};
use crate::reach::smt::Config;
use crate::reach::solver::Pool;
use crate::reach::stop::Stop;

use super::{interrupt, output};
use flags::Flags;
use sources::Sources;

/// Exit status 0: there is an answer (bug, no bug, or none within the bound). 1: there is none, and why is said.
#[derive(Debug, clap::Args)]
#[command(after_long_help = flags::HELP)]
pub struct Arguments {
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

pub fn run(arguments: &Arguments) -> ExitCode {
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
    let (sources, typed) = Sources::read(&flags.files).map_err(NoAnswer)?;
    let main = main_procedure(&flags, &typed)?;
    let z3 = Tool::Z3
        .locate("builtin", flags.z3.as_deref())
        .map_err(|error| {
            let hint = match &error {
                EngineError::Missing { hint, .. } => format!(" ({hint})"),
                _ => String::new(),
            };
            NoAnswer(format!("Error, {error}{hint}\n"))
        })?;
    let pool = Pool::new(Config {
        z3: z3.path,
        memory_mib: flags.memory_mib,
        log: flags.prover_log.clone(),
        stop: Stop::by(interrupt::token().flag()),
    });
    let options = Options {
        bound: flags
            .recursion_bound
            .unwrap_or(1)
            .saturating_add(flags.loop_bound),
        stack_depth: flags.stack_depth,
        timeout: flags.time_limit.unwrap_or(A_DAY),
        unbounded: flags.unbounded,
        unbounded_timeout: flags.time_limit.unwrap_or(Duration::from_secs(60)),
        mode: if flags.to_end {
            Mode::EntryToEnd
        } else {
            Mode::Entry
        },
    };
    let ask = |program: typed::Program| {
        let prepared = Prepared::with_main(program, Some(main))
            .map_err(|e| NoAnswer(report::not_prepared(&sources, &e)))?;
        Ok(question::ask_twice(prepared, &pool, &options))
    };
    let mut rest = (flags.cex > 1).then(|| typed.clone());
    let (prepared, answer, mut stats) = ask(typed)?;
    let mut more: Vec<Execution> = Vec::new();
    if let (Some(rest), Answer::Reached(first)) = (&mut rest, &answer) {
        while more.len() + 1 < flags.cex && more::disable(rest, more.last().unwrap_or(first)) {
            let (_, answer, cost) = ask(rest.clone())?;
            stats.inlined += cost.inlined;
            stats.checks += cost.checks;
            let Answer::Reached(execution) = answer else {
                break;
            };
            more.push(execution);
        }
    }
    let report = report::Report {
        sources: &sources,
        flags: &flags,
        program: &prepared.typed,
        answer: &answer,
        more: &more,
        stats,
    };
    match flags.json {
        true => report.json(),
        false => report.text(),
    }
    .map_err(NoAnswer)
}

fn main_procedure(flags: &Flags, typed: &typed::Program) -> Result<typed::ProcedureId, NoAnswer> {
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
