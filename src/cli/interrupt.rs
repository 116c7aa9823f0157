//! Ctrl-C: the questions being asked end, and the command says what it knows so far.

use std::process::ExitCode;
use std::sync::OnceLock;

use crate::engine::Interrupt;

use super::Failure;

/// The exit status of a program that Ctrl-C ended, as shells expect it.
pub const EXIT: u8 = 130;

/// A process has one Ctrl-C. Empty until somebody can be told of it.
static LISTENER: OnceLock<Interrupt> = OnceLock::new();

/// What Ctrl-C sets; whoever asks engines hands this to them.
pub fn token() -> Interrupt {
    LISTENER.get_or_init(Interrupt::default).clone()
}

/// From now on Ctrl-C, a hang-up and a request to terminate set the token. Where nobody has asked for it, and the second
/// time, they end the process at once.
pub fn catch() {
    let handler = || match LISTENER.get() {
        Some(interrupt) if !interrupt.is_set() => interrupt.set(),
        _ => std::process::exit(EXIT.into()),
    };
    // Without a handler Ctrl-C does what it always does.
    let _ = ctrlc::set_handler(handler);
}

/// Whether the process was told to end.
pub fn is_set() -> bool {
    LISTENER.get().is_some_and(Interrupt::is_set)
}

/// Where the process was told to end, what is known says nothing as a whole.
///
/// # Errors
/// [`Failure::Interrupted`]
pub fn check() -> Result<(), Failure> {
    if is_set() {
        Err(Failure::Interrupted)
    } else {
        Ok(())
    }
}

/// The exit status, if the command was interrupted.
pub fn exit_code() -> Option<ExitCode> {
    is_set().then(|| ExitCode::from(EXIT))
}
