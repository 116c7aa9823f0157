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
    let (next, examine) = (AtomicUsize::new(0), &examine);
    // A line that nobody takes keeps back who has the next one, so that they do not heap up.
    let (sender, lines) = mpsc::sync_channel(jobs.max(1));
    let work = |sender: mpsc::SyncSender<SurveyLine>| {
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
        drop(sender);
        // Where there can be no thread, this one does it.
        if started == 0 {
            for (ended, line) in (1..).zip(classes.iter().map_while(examine)) {
                crate::events::surveyed(ended, classes.len());
                if !told(line) {
                    break;
                }
            }
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
