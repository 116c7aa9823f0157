//! What ends the questions being asked: Ctrl-C, after which the command says what it knows so far; and a command that
//! asks anew.

use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::engine::Interrupt;

use super::Failure;

/// The exit status of a program that Ctrl-C ended, as shells expect it.
pub(super) const EXIT: u8 = 130;

/// Whom Ctrl-C is told to. A process has one Ctrl-C.
struct Listeners {
    /// Set to end questions; whoever asks engines hands it to them.
    token: Option<Interrupt>,
    /// Called as well.
    also: Option<Box<dyn Fn() + Send>>,
    /// Whether it came.
    ended: bool,
}

static LISTENERS: Mutex<Listeners> = Mutex::new(Listeners {
    token: None,
    also: None,
    ended: false,
});

fn listeners() -> MutexGuard<'static, Listeners> {
    LISTENERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What ends the questions; whoever asks engines hands this to them.
pub(super) fn token() -> Interrupt {
    let mut listeners = listeners();
    listeners.token.get_or_insert_default().clone()
}

/// From now on Ctrl-C, a hang-up and a request to terminate set the token. Where nobody has asked for it, and the second
/// time, they end the process at once.
pub(super) fn catch() {
    let handler = || {
        let mut listeners = listeners();
        match &listeners.token {
            Some(token) if !listeners.ended => token.set(),
            _ => std::process::exit(EXIT.into()),
        }
        listeners.ended = true;
        if let Some(also) = &listeners.also {
            also();
        }
    };
    // Without a handler Ctrl-C does what it always does.
    let _ = ctrlc::set_handler(handler);
}

/// Calls this too when Ctrl-C comes.
pub(super) fn and_then(also: impl Fn() + Send + 'static) {
    listeners().also = Some(Box::new(also));
}

/// Ends the questions, and not the process.
pub(super) fn cancel() {
    if let Some(token) = &listeners().token {
        token.set();
    }
}

/// Questions can be asked again after [`cancel`], by whoever asks for the token from now on; after Ctrl-C not.
pub(super) fn renew() {
    let mut listeners = listeners();
    if !listeners.ended {
        listeners.token = Some(Interrupt::default());
    }
}

/// Whether the questions were ended.
pub(super) fn is_set() -> bool {
    (listeners().token.as_ref()).is_some_and(Interrupt::is_set)
}

/// Whether the process was told to end.
pub(super) fn is_end() -> bool {
    listeners().ended
}

/// Where the questions were ended, what is known says nothing as a whole.
///
/// # Errors
/// [`Failure::Interrupted`]
pub(super) fn check() -> Result<(), Failure> {
    if is_set() {
        Err(Failure::Interrupted)
    } else {
        Ok(())
    }
}

/// The exit status, if the process was told to end.
pub(super) fn exit_code() -> Option<ExitCode> {
    is_end().then(|| ExitCode::from(EXIT))
}
