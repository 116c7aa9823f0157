//! What is told on standard error while a command works: log lines where they are asked for, else, on a terminal, a line
//! that says how far it is.
//!
//! The library says what it does by `tracing` events; nothing here is known to it.

use std::io::{self, IsTerminal};

use tracing::Level;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use super::progress;

/// How much is told.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Messages")]
pub(super) struct Messages {
    /// Say what is being done: -v the steps, -vv each question and its answer
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
    /// Show no progress
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Write the messages as JSON, one a line; each question and its answer is one
    #[arg(long, global = true)]
    log_json: bool,
}

impl Messages {
    /// Takes those flags out of arguments that another command reads for itself.
    pub(super) fn take(&mut self, arguments: &mut Vec<String>) {
        arguments.retain(|argument| {
            match argument.as_str() {
                "--verbose" => self.verbose = self.verbose.saturating_add(1),
                "-q" | "--quiet" => self.quiet = true,
                "--log-json" => self.log_json = true,
                other => match other.strip_prefix('-') {
                    Some(letters) if !letters.is_empty() && letters.bytes().all(|b| b == b'v') => {
                        let more = u8::try_from(letters.len()).unwrap_or(u8::MAX);
                        self.verbose = self.verbose.saturating_add(more);
                    }
                    _ => return true,
                },
            }
            false
        });
    }

    /// Is nothing to be said but what was asked for?
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    fn level(&self) -> Option<Level> {
        match self.verbose {
            0 if self.log_json => Some(Level::DEBUG),
            0 => None,
            1 => Some(Level::INFO),
            2 => Some(Level::DEBUG),
            _ => Some(Level::TRACE),
        }
    }

    /// From now on it is told.
    pub(super) fn start(&self) {
        let level = self.level();
        let filter = LevelFilter::from(level);
        let lines = (!self.log_json).then(|| {
            let lines = fmt::layer().with_writer(io::stderr).with_target(false);
            lines
                .with_ansi(io::stderr().is_terminal())
                .compact()
                .with_filter(filter)
        });
        let json = self.log_json.then(|| {
            let lines = fmt::layer().json().flatten_event(true);
            lines
                .with_writer(io::stderr)
                .with_target(false)
                .with_filter(filter)
        });
        let shown = level.is_none() && !self.quiet && io::stderr().is_terminal();
        let progress = shown.then(progress::start);
        // A second subscriber in one process: then the first one stays.
        let _ = tracing_subscriber::registry()
            .with(lines)
            .with(json)
            .with(progress)
            .try_init();
    }
}
