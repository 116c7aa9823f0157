//! `tranquera reach`: the built-in engine by itself, a stand-in for Corral.

mod flags;
mod report;

use std::process::ExitCode;
use std::time::Duration;

use crate::boogie::{Errors, check, parse, typed};
use crate::engine::{EngineError, Tool};
use crate::reach::graph::Mode;
use crate::reach::program::Prepared;
use crate::reach::question::{self, Options};
use crate::reach::smt::Config;
use crate::reach::solver::Pool;
use crate::reach::stop::Stop;

use super::{interrupt, output};
use flags::Flags;

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
    arguments: Vec<String>,
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
    let Some(file) = &flags.file else {
        return Err(NoAnswer(
            "Usage error: No input file given (its name ends in .bpl)\n".into(),
        ));
    };
    let text = std::fs::read_to_string(file)
        .map_err(|e| NoAnswer(format!("Error, cannot read {file}: {e}\n")))?;
    let typed = typed_program(file, &text)?;
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
    let unsupported = |what: String| NoAnswer(format!("Error, not supported: {file}:{what}\n"));
    let prepared =
        Prepared::with_main(typed, Some(main)).map_err(|e| unsupported(e.to_string()))?;
    let (answer, stats) = question::ask_main(&prepared, &pool, &options);
    let report = report::Report {
        file,
        flags: &flags,
        program: &prepared.typed,
        answer: &answer,
        stats,
    };
    match flags.json {
        true => report.json(),
        false => report.text(),
    }
    .map_err(NoAnswer)
}

/// Parses and checks the text, with Corral's messages.
fn typed_program(file: &str, text: &str) -> Result<typed::Program, NoAnswer> {
    let name = short(file);
    let list = |errors: &Errors, what: &str| {
        let lines = errors.0.iter().map(|e| {
            format!(
                "{name}({},{}): {what}: {}\n",
                e.pos.line, e.pos.col, e.message
            )
        });
        lines.collect::<String>()
    };
    let tree = parse(text).map_err(|e| {
        let list = list(&e, "error");
        NoAnswer(format!(
            "{list}{} parse errors detected in {name}\n",
            e.0.len()
        ))
    })?;
    check(&tree).map_err(|e| {
        let list = list(&e, "Error");
        NoAnswer(format!(
            "{list}{} name resolution or type checking errors detected in {name}\n",
            e.0.len()
        ))
    })
}

fn main_procedure(flags: &Flags, typed: &typed::Program) -> Result<usize, NoAnswer> {
    let invalid = |what: &str| NoAnswer(format!("Error, Invalid input: {what}\n"));
    match &flags.main {
        Some(name) => typed
            .procedure(name)
            .filter(|i| typed.procedures.get(*i).is_some_and(|p| p.body.is_some()))
            .ok_or_else(|| invalid("Implementation of main procedure not found")),
        None => typed
            .procedures
            .iter()
            .position(|p| p.entrypoint && p.body.is_some())
            .ok_or_else(|| invalid("Main procedure not specified")),
    }
}

/// The file's own name, without its folder.
fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}
