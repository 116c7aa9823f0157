//! Time and memory.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use tranquera::engine::{Engine, EngineError, Session};
use tranquera::query::{EntryProcedure, Limits, QuestionProgram, Verdict};

/// A value, and the most memory that this process and those it started had at once.
pub struct Measured<T> {
    /// The value.
    pub value: T,
    /// In MiB.
    pub peak_mib: u64,
}

/// How long something took.
pub struct Timing {
    /// As a whole.
    pub wall: Duration,
    /// Each question.
    pub questions: Vec<Duration>,
}

impl Timing {
    /// The median of the questions' times.
    pub fn median(&self) -> Duration {
        let mut times = self.questions.clone();
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    }
}

/// Runs something; its wall-clock time, and the peak of memory.
pub fn measure<T>(run: impl FnOnce() -> T) -> (T, Measured<Duration>) {
    let (stop, peak) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let sampler = {
        let (stop, peak) = (Arc::clone(&stop), Arc::clone(&peak));
        thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                peak.fetch_max(resident_kib(), Ordering::Relaxed);
                thread::sleep(Duration::from_millis(5));
            }
        })
    };
    let start = Instant::now();
    let value = run();
    let wall = start.elapsed();
    stop.store(true, Ordering::Relaxed);
    let _ = sampler.join();
    (
        value,
        Measured {
            value: wall,
            peak_mib: peak.load(Ordering::Relaxed) / 1024,
        },
    )
}

/// The memory of this process and all its descendants.
fn resident_kib() -> u64 {
    let mut processes = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        let Ok(status) = fs::read_to_string(entry.path().join("status")) else {
            continue;
        };
        let number = |field: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(field))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        processes.insert(
            id,
            (
                number("PPid:").unwrap_or(0) as u32,
                number("VmRSS:").unwrap_or(0),
            ),
        );
    }
    let mut family = vec![std::process::id()];
    let mut total = 0;
    while let Some(id) = family.pop() {
        total += processes.get(&id).map_or(0, |(_, kib)| *kib);
        family.extend(
            processes
                .iter()
                .filter(|(_, (parent, _))| *parent == id)
                .map(|(child, _)| *child),
        );
    }
    total
}

/// An engine whose answers are timed.
pub struct Timed {
    engine: Box<dyn Engine>,
    times: Mutex<Vec<Duration>>,
}

impl Timed {
    /// This engine, timed.
    pub fn new(engine: Box<dyn Engine>) -> Self {
        Timed {
            engine,
            times: Mutex::default(),
        }
    }

    /// The time of each question so far.
    pub fn times(&self) -> Vec<Duration> {
        self.times.lock().expect("no question panicked").clone()
    }
}

struct TimedSession<'e> {
    session: Box<dyn Session + 'e>,
    times: &'e Mutex<Vec<Duration>>,
}

impl Engine for Timed {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn version(&self) -> Result<String, EngineError> {
        self.engine.version()
    }

    fn limits(&self) -> Limits {
        self.engine.limits()
    }

    fn open(&self, program: &QuestionProgram) -> Result<Box<dyn Session + '_>, EngineError> {
        Ok(Box::new(TimedSession {
            session: self.engine.open(program)?,
            times: &self.times,
        }))
    }
}

impl Session for TimedSession<'_> {
    fn ask(&self, entry: &EntryProcedure) -> Verdict {
        let start = Instant::now();
        let verdict = self.session.ask(entry);
        self.times
            .lock()
            .expect("no question panicked")
            .push(start.elapsed());
        verdict
    }
}
