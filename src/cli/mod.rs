//! The command line: arguments into calls, results into text and an exit status.
//!
//! One file a command. Exit status: 0 done; 1 what was asked to hold does not; 2 bad input or usage; 3 an engine
//! could not be run at all; 130 it was interrupted, and what it printed is what was known by then.

mod cache;
mod check;
mod confirm;
mod diff;
mod engines;
mod epa;
mod explain;
mod fmt;
mod folders;
mod front;
mod infer;
mod input;
mod interface;
mod interrupt;
mod invariants;
mod java;
mod log;
mod lsp;
mod new;
mod output;
mod parse;
mod progress;
mod query;
mod reach;
mod reproduce;
mod roles;
mod saves;
mod shell;
mod slice;
mod survey;
mod tests;
mod typestate;
mod verify;
mod version;
mod watch;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

/// Computes what a class lets its callers do: the enabledness-preserving abstraction (EPA), a small automaton
/// whose states are the sets of actions that can be called.
#[derive(Debug, Parser)]
#[command(name = "tranquera", version, propagate_version = true)]
struct CommandLine {
    #[command(flatten)]
    messages: log::Messages,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Begin a class: from its methods, and what comes after what
    New(new::NewArguments),
    /// Compute the EPA of a class and show it
    Epa(epa::EpaArguments),
    /// Confirm each edge of the EPA by a whole run, or refute it by a proof
    Confirm(confirm::ConfirmArguments),
    /// Find which calls never raise an exception, after which history: the safe and most permissive interface
    Interface(interface::InterfaceArguments),
    /// Find what holds of every object in each state of the EPA
    Invariants(invariants::InvariantsArguments),
    /// Make tests from the confirmed runs: as text, as JSON, or as code
    Tests(tests::Arguments),
    /// Show who can call which function of a contract in which state, what is lost with a role, and where ether is stuck
    Roles(roles::RolesArguments),
    /// Say why an edge of the EPA is there, and what would take it away
    Explain(explain::ExplainArguments),
    /// Infer what can go wrong with a class, without contracts: its typestate automaton
    Typestate(typestate::TypestateArguments),
    /// Check that client code never reaches the error; exit with status 1 if it may
    Verify(verify::VerifyArguments),
    /// Compare two EPAs, or the EPAs of two classes; exit with status 1 if they differ
    Diff(diff::DiffArguments),
    /// Compare classes with the EPAs kept beside them; exit with status 1 if a protocol changed
    Check(check::CheckArguments),
    /// Find the EPAs of a whole code base: a line of JSON a class, and a page
    #[command(mut_arg("jobs", |jobs| jobs.help("Classes examined at once [default: one a core]")))]
    Survey(survey::SurveyArguments),
    /// Print or save the Boogie text of questions about a class
    Query(query::QueryArguments),
    /// Check a file and print it, tidied up or as JSON
    Parse(parse::ParseArguments),
    /// Print the part of a class on which it depends which calls are refused, and how they end
    Slice(slice::Arguments),
    /// Format files, in place
    Fmt(fmt::FmtArguments),
    /// Serve an editor: the language server protocol, over standard input and output
    Lsp(lsp::LspArguments),
    /// Look into jars and other places with Java classes: which of them have a protocol
    Java(java::JavaListArguments),
    /// Ask the built-in engine whether an assertion of a Boogie program can fail, in Corral's way
    Reach(reach::ReachArguments),
    /// Compute the EPAs of the published case studies again and show them beside the published figures
    Reproduce(reproduce::ReproduceArguments),
    /// Check which engines work here, and say how to get what is missing
    Engines(engines::EnginesArguments),
    /// Show where answers are kept from one run to the next, or forget them
    Cache(cache::CacheArguments),
    /// Print what a shell needs to complete the command line
    Completions(shell::Completions),
    /// Write manual pages
    Man(shell::Man),
}

/// Why a command ends without doing what was asked.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// What was asked to hold does not.
    #[error("{0}")]
    DoesNotHold(String),
    /// The input or the usage is wrong. The text is a whole report of its own.
    #[error("{0}")]
    BadInput(String),
    /// An engine could not be run.
    #[error("{0}")]
    NoEngine(String),
    /// It was interrupted, and what is known by then would say nothing.
    #[error("interrupted")]
    Interrupted,
}

impl Failure {
    /// What a command ends with that was asked whether something holds: well, if nothing is broken.
    fn unless_well(broken: &[String]) -> Result<(), Failure> {
        if broken.is_empty() {
            Ok(())
        } else {
            Err(Failure::does_not_hold(broken))
        }
    }

    /// That what was asked to hold does not, and what is broken.
    fn does_not_hold(broken: &[String]) -> Failure {
        Failure::DoesNotHold(format!("failed: {}", broken.join("; ")))
    }

    fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Failure::DoesNotHold(_) => 1,
            Failure::BadInput(_) => 2,
            Failure::NoEngine(_) => 3,
            Failure::Interrupted => interrupt::EXIT,
        })
    }
}

/// Runs the program on the process's arguments.
pub fn main() -> ExitCode {
    let mut arguments = match CommandLine::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are not errors; clap knows, and 2 is its status for bad usage too.
            let _ = error.print();
            if error.kind() == ErrorKind::DisplayVersion && version::is_long(std::env::args_os()) {
                let _ = output::write(None, &version::engines());
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    interrupt::catch();
    if let Command::Reach(reach) = &mut arguments.command {
        arguments.messages.take(&mut reach.arguments);
    }
    let quiet = arguments.messages.is_quiet();
    arguments.messages.start();
    let result = match arguments.command {
        Command::New(arguments) => new::run(&arguments),
        Command::Epa(arguments) => epa::run(&arguments),
        Command::Confirm(arguments) => confirm::run(&arguments),
        Command::Invariants(arguments) => invariants::run(&arguments),
        Command::Roles(arguments) => roles::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Interface(arguments) => interface::run(&arguments),
        Command::Tests(arguments) => tests::run(&arguments),
        Command::Typestate(arguments) => typestate::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Diff(arguments) => diff::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Survey(arguments) => survey::run(&arguments),
        Command::Query(arguments) => query::run(&arguments),
        Command::Parse(arguments) => parse::run(&arguments),
        Command::Slice(arguments) => slice::run(&arguments),
        Command::Fmt(arguments) => fmt::run(&arguments),
        Command::Lsp(arguments) => lsp::run(&arguments),
        Command::Java(arguments) => java::run(&arguments),
        Command::Reach(arguments) => {
            let status = reach::run(&arguments, quiet);
            return interrupt::exit_code().unwrap_or(status);
        }
        Command::Reproduce(arguments) => reproduce::run(&arguments),
        Command::Engines(arguments) => engines::run(&arguments),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Completions(arguments) => shell::completions(&arguments),
        Command::Man(arguments) => shell::man(&arguments),
    };
    let status = match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&failure.to_string());
            failure.exit_code()
        }
    };
    // Whatever came of it, the user ended it.
    interrupt::exit_code().unwrap_or(status)
}
