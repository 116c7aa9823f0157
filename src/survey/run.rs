//! Many classes, some at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use super::line::{SurveyLine, SurveyedClass};

/// Examines classes, so many at once, in their order; each line is told on the calling thread as its class ends. Classes whose
/// examination gives nothing (it was interrupted) have no line. Once `told` says no, no more are begun.
pub fn run(
    classes: &[SurveyedClass],
    jobs: usize,
    examine: impl Fn(&SurveyedClass) -> Option<SurveyLine> + Sync,
    mut told: impl FnMut(SurveyLine) -> bool,
) {
    let next = AtomicUsize::new(0);
    let (sender, lines) = mpsc::channel();
    let work = |sender: mpsc::Sender<SurveyLine>| {
        while let Some(class) = classes.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some(line) = examine(class) else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    };
    let work = &work;
    thread::scope(move |scope| {
        let mut started = 0;
        for _ in 0..jobs.clamp(1, classes.len().max(1)) {
            let sender = sender.clone();
            let thread = thread::Builder::new().spawn_scoped(scope, move || work(sender));
            started += usize::from(thread.is_ok());
        }
        // Where there can be no thread, this one does it; the lines wait in the channel.
        match started {
            0 => work(sender),
            _ => drop(sender),
        }
        // The last line is told when the last thread has gone.
        for (ended, line) in (1..).zip(&lines) {
            crate::events::surveyed(ended, classes.len());
            if !told(line) {
                break;
            }
        }
        drop(lines);
    });
}
