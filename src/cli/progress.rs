//! The line that says how far a command is, while it takes over a second.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::words::counted;
use indicatif::{ProgressBar, ProgressStyle};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// A command that is done by then shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// From one look at the figures to the next.
const TICK: Duration = Duration::from_millis(100);

/// What is shown. A process has one terminal.
static SHOWN: Mutex<Shown> = Mutex::new(Shown {
    figures: None,
    turn: 0,
    line: None,
});

/// The line, and what it shows.
struct Shown {
    /// Empty where nothing is to be shown.
    figures: Option<Arc<ProgressFigures>>,
    /// How often the line was taken away.
    turn: u64,
    /// Empty while there is none.
    line: Option<ProgressBar>,
}

fn shown() -> MutexGuard<'static, Shown> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The figures, counted from what the library says it does.
#[derive(Debug, Default)]
pub(super) struct ProgressFigures {
    asked: AtomicU64,
    answered: AtomicU64,
    states: AtomicU64,
    /// Of a survey: how many classes have ended, and how many there are.
    surveyed: AtomicU64,
    of: AtomicU64,
}

/// Counts, and shows what is counted from the second second on.
pub(super) fn start() -> Counter {
    let figures = Arc::new(ProgressFigures::default());
    shown().figures = Some(figures.clone());
    again();
    Counter(figures)
}

/// Begins anew, where something is shown at all.
pub(super) fn again() {
    clear();
    let (figures, turn) = {
        let shown = shown();
        (shown.figures.clone(), shown.turn)
    };
    if let Some(figures) = figures {
        for figure in [&figures.asked, &figures.answered, &figures.states] {
            figure.store(0, Ordering::Relaxed);
        }
        // It ends with the process, or when the line is taken away. Where there can be no thread, there is no line.
        let _ = std::thread::Builder::new().spawn(move || show(&figures, turn));
    }
}

/// Counts what the library says it does.
#[derive(Debug)]
pub(super) struct Counter(Arc<ProgressFigures>);

impl<S: Subscriber> Layer<S> for Counter {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        event.record(&mut FieldReader(&self.0));
    }
}

/// Reads the fields of an event (see [`crate::events`]).
struct FieldReader<'a>(&'a ProgressFigures);

impl Visit for FieldReader<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        let figure = match field.name() {
            "states" => &self.0.states,
            "surveyed" => &self.0.surveyed,
            "of" => &self.0.of,
            _ => return,
        };
        figure.store(value, Ordering::Relaxed);
    }

    fn record_debug(&mut self, field: &Field, _: &dyn std::fmt::Debug) {
        match field.name() {
            "asking" => self.0.asked.fetch_add(1, Ordering::Relaxed),
            "verdict" => self.0.answered.fetch_add(1, Ordering::Relaxed),
            _ => 0,
        };
    }
}

/// Takes the line away: what comes now is the result.
pub(super) fn clear() {
    let mut shown = shown();
    shown.turn += 1;
    if let Some(line) = shown.line.take() {
        line.finish_and_clear();
    }
}

/// Shows the line until it is taken away.
fn show(figures: &ProgressFigures, turn: u64) {
    let start = Instant::now();
    std::thread::sleep(PATIENCE);
    loop {
        let mut shown = shown();
        if shown.turn != turn {
            return;
        }
        let line = shown.line.get_or_insert_with(new_line);
        line.set_message(figures.sentence(start.elapsed()));
        line.tick();
        drop(shown);
        std::thread::sleep(TICK);
    }
}

fn new_line() -> ProgressBar {
    let line = ProgressBar::new_spinner();
    let style = ProgressStyle::with_template("{spinner} {msg}");
    style.map_or(line.clone(), |style| line.with_style(style))
}

impl ProgressFigures {
    fn sentence(&self, time: Duration) -> String {
        let count = |figure: &AtomicU64| figure.load(Ordering::Relaxed);
        if count(&self.of) > 0 {
            let (surveyed, of) = (count(&self.surveyed), count(&self.of));
            return format!(
                "{surveyed} of {}, {} s",
                counted(of, "class"),
                time.as_secs()
            );
        }
        let (asked, answered, states) = (
            count(&self.asked),
            count(&self.answered),
            count(&self.states),
        );
        let states = match states {
            0 => String::new(),
            n => format!(", {} found", counted(n, "state")),
        };
        format!(
            "{asked} questions asked, {answered} answered{states}, {} s",
            time.as_secs()
        )
    }
}
