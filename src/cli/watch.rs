//! `--watch`: something is drawn, and drawn again on every save of a file, until Ctrl-C.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::saves::Saves;
use super::{Failure, interrupt, output, progress};

/// How long a file must be left alone before it is read. Editors take a few milliseconds to save one.
const QUIET: Duration = Duration::from_millis(50);

/// Clears the screen, and goes to its top.
const CLEAR: &str = "\x1b[2J\x1b[H";

/// Why there is something to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    /// The file was saved.
    Saved,
    /// Ctrl-C.
    End,
}

/// Draws, and draws again whenever the file is saved. A save while it is being drawn ends that, and it begins anew. Where
/// drawing fails, that is said, and the next save is waited for. After Ctrl-C this returns.
///
/// `draw` is to give what it has drawn to `show`, which is called only if nothing came in between.
///
/// # Errors
/// The file cannot be watched; or no engine can be run, which no other text in the file will mend.
pub(super) fn on_every_save<T>(
    file: &Path,
    mut draw: impl FnMut() -> Result<T, Failure>,
    mut show: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let (sender, news) = channel();
    let saved = sender.clone();
    let _saves = Saves::of(file, move || {
        interrupt::cancel();
        // Nobody hears it once this function has returned.
        let _ = saved.send(News::Saved);
    })?;
    interrupt::and_then(move || {
        let _ = sender.send(News::End);
    });
    loop {
        interrupt::renew();
        progress::again();
        clear_screen();
        let drawn = draw();
        if interrupt::is_end() {
            return Ok(());
        }
        if !interrupt::is_set() {
            match drawn.and_then(&mut show) {
                Err(failure @ Failure::NoEngine(_)) => return Err(failure),
                Err(failure) => output::complain(&failure.to_string()),
                Ok(()) => {}
            }
            let name = file.display();
            output::complain(&format!("\nWatching {name}; Ctrl-C ends"));
        }
        if next(&news) == News::End {
            return Ok(());
        }
    }
}

/// Waits until the file was saved and is left alone, or for the end.
fn next(news: &Receiver<News>) -> News {
    let mut latest = news.recv().unwrap_or(News::End);
    while latest == News::Saved {
        match news.recv_timeout(QUIET) {
            Ok(more) => latest = more,
            Err(RecvTimeoutError::Timeout) => return News::Saved,
            Err(RecvTimeoutError::Disconnected) => return News::End,
        }
    }
    latest
}

/// Where messages and pictures go to a terminal, only the latest are on it. What scrolled away before stays there.
fn clear_screen() {
    let mut screen = io::stdout().lock();
    if screen.is_terminal() {
        // A terminal that is gone shows nothing anyway.
        let _ = screen
            .write_all(CLEAR.as_bytes())
            .and_then(|()| screen.flush());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saves_at_once_are_one_and_the_end_comes_first() {
        let (sender, news) = channel();
        let send = |what| sender.send(what).expect("heard");
        for _ in 0..5 {
            send(News::Saved);
        }
        assert_eq!(next(&news), News::Saved);
        assert_eq!(news.try_recv().ok(), None, "all were one");
        send(News::Saved);
        send(News::End);
        assert_eq!(next(&news), News::End);
    }
}
