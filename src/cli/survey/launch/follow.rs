//! A job from its submission to its last line: the lines are collected as they come, and what a lost machine did not finish is
//! submitted again.

use std::collections::{BTreeSet, HashMap};
use std::thread;
use std::time::{Duration, Instant};

use crate::survey::{ClassKey, SurveyLine, SurveyOutcome, SurveyReason, SurveyedClass, Tail};
use crate::words::counted;

use super::super::super::{Failure, interrupt, output, progress};
use super::{JobFolder, Scheduler};

/// From one look at the files to the next, and how much longer for each of them.
const TICK: Duration = Duration::from_millis(200);
const TICK_A_PART: Duration = Duration::from_millis(2);
/// From one question to the scheduler to the next: at first, and at last, as many look at the same one.
const ASK: Duration = Duration::from_secs(1);
const ASK_LATER: Duration = Duration::from_secs(20);
/// How long lines may take to be seen here after their job has ended. A part whose lines are seen too late is submitted for
/// nothing, and ends at once.
const LATE: Duration = Duration::from_secs(3);
/// A survey is given up when so many jobs, one after the other, have brought no line.
const FRUITLESS: usize = 2;
/// No more jobs are submitted.
const MOST_ROUNDS: usize = 10;

/// A class whose line is waited for.
struct Wanted<'c> {
    class: &'c SurveyedClass,
    part: usize,
}

/// What collects lines.
pub(in super::super) struct Follower<'a, 'c> {
    folder: &'a JobFolder,
    scheduler: Box<dyn Scheduler>,
    /// Those whose lines have come are gone.
    wanted: HashMap<ClassKey, Wanted<'c>>,
    total: usize,
    tails: Vec<Tail>,
    /// Whether lines came that another program or engine made.
    foreign: bool,
}

/// How it ended.
pub(in super::super) struct Launched {
    /// What is missing when no more is submitted, as lines that say so.
    pub(in super::super) lost: Vec<SurveyLine>,
    /// What there is to say of that.
    pub(in super::super) why: String,
}

impl<'a, 'c> Follower<'a, 'c> {
    /// Waits for the lines of these classes, each with its part.
    pub(in super::super) fn new(
        folder: &'a JobFolder,
        scheduler: Box<dyn Scheduler>,
        classes: impl IntoIterator<Item = (&'c SurveyedClass, usize)>,
    ) -> Self {
        let wanted: HashMap<_, _> = classes
            .into_iter()
            .map(|(class, part)| (class.key(), Wanted { class, part }))
            .collect();
        // What is there already was read by whoever found the classes.
        let tails = (1..=folder.parts()).map(|part| Tail::new(folder.lines(part)));
        let mut tails: Vec<Tail> = tails.collect();
        for tail in &mut tails {
            tail.lines();
        }
        Follower {
            folder,
            scheduler,
            total: wanted.len(),
            wanted,
            tails,
            foreign: false,
        }
    }

    /// Submits, follows and collects until all is told, or nothing more is to be had. Once `told` says no, all is ended.
    ///
    /// # Errors
    /// The scheduler does not take the job.
    pub(in super::super) fn run(
        mut self,
        told: &mut dyn FnMut(SurveyLine) -> bool,
    ) -> Result<Launched, Failure> {
        let (mut rounds, mut fruitless) = (0, 0);
        while !self.wanted.is_empty() && rounds < MOST_ROUNDS && fruitless < FRUITLESS {
            let before = self.wanted.len();
            rounds += 1;
            self.submit(rounds)?;
            let ended = self.follow(told);
            self.folder.note(None);
            if !ended {
                self.scheduler.cancel();
                // What was done until now is kept.
                self.collect(told);
                return Ok(self.launched(rounds, false));
            }
            fruitless = match self.wanted.len() < before {
                true => 0,
                false => fruitless + 1,
            };
        }
        Ok(self.launched(rounds, true))
    }

    fn submit(&mut self, round: usize) -> Result<(), Failure> {
        let parts: BTreeSet<usize> = self.wanted.values().map(|wanted| wanted.part).collect();
        let parts: Vec<usize> = parts.into_iter().collect();
        if round > 1 {
            output::complain(&format!(
                "{} not examined when the job ended: submitted again",
                counted(self.wanted.len(), "class")
            ));
        }
        let name = self.scheduler.submit(self.folder, &parts)?;
        self.folder.note(self.scheduler.id());
        output::complain(&format!(
            "{name}: {} in {}, {}",
            counted(self.wanted.len(), "class"),
            counted(parts.len(), "part"),
            self.folder.path().display()
        ));
        progress::again();
        Ok(())
    }

    /// Collects until all lines have come or the job has ended. Whether it was not broken off.
    fn follow(&mut self, told: &mut dyn FnMut(SurveyLine) -> bool) -> bool {
        let tick = TICK + TICK_A_PART * u32::try_from(self.tails.len()).unwrap_or(u32::MAX);
        let (mut pause, mut asked, mut warned) = (ASK, Instant::now(), false);
        loop {
            if interrupt::is_set() || !self.collect(told) {
                return false;
            }
            if self.wanted.is_empty() {
                return true;
            }
            if asked.elapsed() >= pause {
                match self.scheduler.is_alive() {
                    Ok(true) => {}
                    Ok(false) => return self.late(told),
                    Err(words) if !warned => {
                        warned = true;
                        output::complain(&format!(
                            "warning: the scheduler does not say how far it is: {words}"
                        ));
                        progress::again();
                    }
                    Err(_) => {}
                }
                asked = Instant::now();
                pause = (pause * 2).min(ASK_LATER);
            }
            thread::sleep(tick);
        }
    }

    /// Collects what is seen late, or again after a part was begun anew more than once between two looks.
    fn late(&mut self, told: &mut dyn FnMut(SurveyLine) -> bool) -> bool {
        let start = Instant::now();
        loop {
            let tails = (1..=self.folder.parts()).map(|part| Tail::new(self.folder.lines(part)));
            self.tails = tails.collect();
            if interrupt::is_set() || !self.collect(told) {
                return false;
            }
            if self.wanted.is_empty() || start.elapsed() >= LATE {
                return true;
            }
            thread::sleep(TICK);
        }
    }

    /// Tells the lines that have come. Whether anybody listens on.
    fn collect(&mut self, told: &mut dyn FnMut(SurveyLine) -> bool) -> bool {
        let mut tails = std::mem::take(&mut self.tails);
        let mut heard = true;
        'all: for tail in &mut tails {
            for line in tail.lines() {
                if self.takes(&line) {
                    crate::events::surveyed(self.total - self.wanted.len(), self.total);
                    heard = told(line);
                }
                if !heard {
                    break 'all;
                }
            }
        }
        self.tails = tails;
        heard
    }

    /// Whether this is a line that is waited for; it is not from now on.
    fn takes(&mut self, line: &SurveyLine) -> bool {
        let key = line.of.key();
        let Some(wanted) = self.wanted.get(&key) else {
            return false;
        };
        let same = *wanted.class == line.of;
        self.foreign |= !same && wanted.class.fingerprint == line.of.fingerprint;
        if same {
            self.wanted.remove(&key);
        }
        same
    }

    /// What it came to.
    fn launched(self, rounds: usize, given_up: bool) -> Launched {
        let mut lost: Vec<SurveyLine> = (self.wanted.values())
            .filter(|_| given_up)
            .map(|wanted| lost(wanted.class, rounds))
            .collect();
        SurveyLine::sort(&mut lost);
        Launched {
            why: self.why(&lost, rounds),
            lost,
        }
    }

    fn why(&self, lost: &[SurveyLine], rounds: usize) -> String {
        let mut text = format!(
            "error: {} not examined, though submitted {}",
            counted(lost.len(), "class"),
            counted(rounds, "time"),
        );
        if self.foreign {
            text.push_str("\nlines came of another build of Tranquera, or of another version of its engine, than is here");
        }
        if let Some(words) = self.folder.last_words() {
            text.push_str(&format!("\nthe last words in {words}"));
        }
        let script = self.folder.script();
        text + &format!(
            "\nhelp: `sh {} 1` runs the first part here; the same command once more goes on from what is done",
            script.display()
        )
    }
}

/// That nobody finished a class.
fn lost(class: &SurveyedClass, rounds: usize) -> SurveyLine {
    let message = format!(
        "the job of its part ended without it, {}",
        counted(rounds, "time")
    );
    SurveyLine::without(
        class.clone(),
        SurveyOutcome::Failed,
        SurveyReason::new("lost", message),
        0,
    )
}
