//! `tranquera reach`: the built-in engine by itself, a stand-in for Corral.

mod figures;
mod flags;
mod known;
mod more;
mod origins;
mod report;
mod sources;
mod trace;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use crate::boogie::ast::{BoogieProgram, Decl};
use crate::boogie::typed;
use crate::engine::{EngineError, Tool};
use crate::reach::lower::ProcedureMode;
use crate::reach::print::{Stage, print};
use crate::reach::program::Prepared;
use crate::reach::question::{self, ReachOptions};
use crate::reach::search::{SearchAnswer, SearchExecution};
use crate::reach::smt::{Config, SolverFailure};
use crate::reach::solver::Pool;

use super::{interrupt, output};
use flags::{Flags, Printed, Style};
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

/// The status of a program that was killed, which Corral has where `/killAfter` ends it.
const KILLED: u8 = 137;

/// Runs the command. With `quiet` nothing is said of flags that have no meaning.
pub(super) fn run(arguments: &ReachArguments, quiet: bool) -> ExitCode {
    let (text, status) = match answer(&arguments.arguments, quiet) {
        Ok((text, status)) => (text, ExitCode::from(status)),
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

/// What is printed, and the exit status.
fn answer(arguments: &[String], quiet: bool) -> Result<(String, u8), NoAnswer> {
    let flags = Flags::parse(arguments).map_err(|e| NoAnswer(format!("Usage error: {e}\n")))?;
    if !quiet {
        say_what_has_no_meaning(&flags);
    }
    if flags.files.is_empty() {
        return Err(NoAnswer(
            "Usage error: No input file given (its name ends in .bpl)\n".into(),
        ));
    }
    let (sources, tree, typed) =
        SourceFiles::read(&flags.files, flags.library).map_err(NoAnswer)?;
    let inputs: Vec<&Path> = flags.files.iter().map(Path::new).collect();
    for path in flags.read_program.iter().chain(&flags.final_program) {
        output::spare(&inputs, Some(path)).map_err(|e| NoAnswer(format!("Error, {e}\n")))?;
    }
    let shown = read_program(&flags, &tree)?;
    let main = main_procedure(&flags, &typed)?;
    let question = Question {
        flags: &flags,
        sources: &sources,
        main,
        options: options(&flags),
    };
    if let Some(path) = &flags.final_program {
        let text = question.final_program(&tree, typed.clone())?;
        written(path, &text)?;
    }
    drop(tree);
    let (text, status) = match flags.print {
        None => question.answer(typed)?,
        Some(Printed::Stage(stage)) => (question.stage(typed, stage)?, 0),
        Some(Printed::Smt) => (question.dialogue(typed)?, 0),
    };
    Ok((shown + &text, status))
}

/// One line for each reason.
fn say_what_has_no_meaning(flags: &Flags) {
    for (why, named) in &flags.meaningless {
        let have = if named.len() == 1 { "has" } else { "have" };
        let named = named.join(", ");
        output::complain(&format!("note: {named} {have} no meaning here: {why}"));
    }
}

fn written(path: &Path, text: &str) -> Result<(), NoAnswer> {
    let result = output::write(Some(path), text);
    result.map_err(|e| NoAnswer(format!("Error, {e}\n")))
}

/// Prints the program as it was read, where Boogie's `/print` asks for it: what comes before the answer.
fn read_program(flags: &Flags, tree: &BoogieProgram) -> Result<String, NoAnswer> {
    match &flags.read_program {
        Some(path) if path.as_os_str() == "-" => Ok(tree.to_string()),
        Some(path) => written(path, &tree.to_string()).map(|()| String::new()),
        None => Ok(String::new()),
    }
}

/// What the flags say of how a question is to be answered.
fn options(flags: &Flags) -> ReachOptions {
    let bound = flags.recursion_bound.unwrap_or(1);
    ReachOptions {
        bound: bound.saturating_add(flags.loop_bound),
        stack_depth: flags.stack_depth,
        timeout: flags.limit().unwrap_or(A_DAY),
        work: None,
        unbounded: flags.unbounded,
        unbounded_timeout: flags.limit().unwrap_or(Duration::from_secs(60)),
        mode: match flags.to_end {
            true => ProcedureMode::EntryToEnd,
            false => ProcedureMode::Entry,
        },
        figures: figures::are_wanted(),
        presume: false,
        shapes: true,
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

    /// The program with its loops extracted, from which verification conditions are made.
    fn final_program(
        &self,
        tree: &BoogieProgram,
        typed: typed::TypedProgram,
    ) -> Result<String, NoAnswer> {
        let mut rest = tree.clone();
        let is_code = |d: &Decl| matches!(d, Decl::Procedure(_) | Decl::Implementation(_));
        rest.decls.retain(|d| !is_code(d));
        let code = self.stage(typed, Stage::Loops)?;
        // What records values does so of any type there.
        let record = match code.contains(" boogie_si_record(") {
            true => "procedure boogie_si_record<T>(value: T);\n\n",
            false => "",
        };
        Ok(format!("{rest}\n{record}{code}"))
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

    /// The answer, with as many executions as are wanted, and the exit status.
    fn answer(&self, typed: typed::TypedProgram) -> Result<(String, u8), NoAnswer> {
        let pool = self.pool(self.flags.prover_log.clone())?;
        let wanted = self.flags.cex;
        let main = typed.procedures.at(self.main).map(|p| p.name.clone());
        let main = main.unwrap_or_default();
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
        figures::say(&answer, &stats);
        let report = report::ReachReport {
            sources: self.sources,
            flags: self.flags,
            program: &prepared.typed,
            answer: &answer,
            more: &more,
            stats,
            main: &main,
        };
        if matches!(answer, SearchAnswer::Unknown(SolverFailure::Timeout))
            && self
                .flags
                .kill_after
                .is_some_and(|limit| Some(limit) == self.flags.limit())
            && !self.flags.json
        {
            return Ok(("Corral timed out\n".into(), KILLED));
        }
        for (name, text) in report.files() {
            written(Path::new(&name), &text)?;
        }
        let status = u8::from(self.flags.style == Style::Inlining && !self.flags.json);
        match self.flags.json {
            true => report.json(),
            false => report.text(),
        }
        .map(|text| (text, status))
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
