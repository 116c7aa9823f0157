//! `tranquera survey`: every class of a code base, a line of JSON each.

mod how;
mod launch;
mod lines;
mod merge;
mod worker;

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::Duration;

use crate::epa;
use crate::load::ListedJava;
use crate::survey::{
    self, ClassKey, Earlier, Found, Search, Shard, SurveyLine, SurveyTally, SurveyedClass,
};
use crate::view::survey as view;

use super::confirm::ExtentArguments;
use super::front::FrontArguments;
use super::input::{EngineArguments, Exceptional};
use super::output::{self, Colour};
use super::{Failure, interrupt, progress};

use launch::{Follower, JobFolder, LaunchArguments, Launcher};
use lines::{Lines, OutputArguments};
use worker::Workers;

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct SurveyArguments {
    #[command(subcommand)]
    command: Option<SurveyCommand>,
    /// Files and folders: classes in `.tq` text, contracts in Solidity, jars and class files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Time for each class, that for reading it included: 20s, 2m, 500ms
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration)]
    each: Duration,
    /// Of a class that is not done in time, make a coarse EPA: what was not asked by then is drawn `?`
    #[arg(long)]
    coarse: bool,
    /// Make the second pass: confirm each edge by a run, or refute it by a proof
    #[arg(long)]
    confirm: bool,
    /// Take the lines of an earlier run whose class and options are unchanged
    #[arg(long, value_name = "FILE")]
    resume: Vec<PathBuf>,
    /// Examine only the part I of N; the parts of all machines together are the whole
    #[arg(long, value_name = "I/N", group = "split")]
    shard: Option<Shard>,
    /// Split by the times in the lines of an earlier run, so that parts take equally long
    #[arg(long, value_name = "FILE", requires = "split")]
    times: Vec<PathBuf>,
    /// Look into files that `.gitignore` and the like name, and into hidden ones
    #[arg(long)]
    no_ignore: bool,
    /// Examine classes of Java without a protocol too
    #[arg(long)]
    all: bool,
    /// Of Java, examine only public classes
    #[arg(long)]
    public: bool,
    /// Of Java, examine only the classes of this package: java.io; those of packages below it are others
    #[arg(long, value_name = "NAME")]
    package: Vec<String>,
    #[command(flatten)]
    output: OutputArguments,
    /// Which exceptional edges to look for
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    exceptions: Exceptional,
    /// Colours: auto, always or never
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    color: Colour,
    #[command(flatten)]
    launch: LaunchArguments,
    #[command(flatten)]
    extent: ExtentArguments,
    #[command(flatten)]
    front: FrontArguments,
    #[command(flatten)]
    engine: EngineArguments,
    /// Examine the class that standard input names: what the command starts for each class
    #[arg(long, hide = true)]
    examine: bool,
}

#[derive(Debug, clap::Subcommand)]
enum SurveyCommand {
    /// Put the lines of several runs together, in an order that depends on the classes alone
    Merge(merge::MergeArguments),
}

/// How far a survey is.
struct Run<'a> {
    tally: SurveyTally,
    lines: Lines<'a>,
    /// Classes that were examined.
    ended: usize,
    /// What is to be said at the end of what went wrong.
    wrong: Result<(), Failure>,
}

/// A time with its unit, of seconds where it has none.
fn duration(text: &str) -> Result<Duration, String> {
    let unit = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let factor = match unit {
        "ms" => Some(0.001),
        "" | "s" => Some(1.0),
        "m" | "min" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    };
    let seconds = number
        .trim()
        .parse::<f64>()
        .ok()
        .zip(factor)
        .map(|(n, factor)| n * factor);
    match seconds {
        Some(n) if (0.001..=1e6).contains(&n) => Ok(Duration::from_secs_f64(n)),
        _ => Err("a time such as 20s, 2m or 500ms, at least a millisecond".into()),
    }
}

pub(super) fn run(arguments: &SurveyArguments) -> Result<(), Failure> {
    match &arguments.command {
        Some(SurveyCommand::Merge(merge)) => merge::run(merge),
        None if arguments.examine => worker::examine(&arguments.examination()?),
        None => arguments.survey(),
    }
}

impl Run<'_> {
    /// Counts and writes a line of a class that was examined. Whether anybody reads on.
    fn tell(&mut self, line: SurveyLine) -> bool {
        self.tally.add(&line);
        let read = self.lines.add(&line);
        self.ended += 1;
        let goes_on = matches!(read, Ok(true));
        if !goes_on {
            // Those that are under way would be for nobody.
            interrupt::cancel();
            self.wrong = read.map(|_| ());
        }
        goes_on
    }
}

impl SurveyArguments {
    fn survey(&self) -> Result<(), Failure> {
        if let Some(part) = self.launch.task {
            return self.part(&part);
        }
        for path in &self.paths {
            self.output.spare(path)?;
        }
        let earlier = lines::earlier(&self.resume)?;
        match self.launch.launcher {
            Some(launcher) => self.launch(launcher, earlier),
            None => {
                let mut found = self.found(&self.paths)?;
                self.keep_to_shard(&mut found)?;
                self.all(found, &earlier, &self.output, |asked, run| {
                    self.ask(asked, self.engine.jobs(), run)
                })
            }
        }
    }

    /// What a launcher's job runs: a part, from where an earlier try has come. Only its own files are looked into: searched by
    /// each part anew, a million classes would take longer to find than to examine.
    fn part(&self, part: &Shard) -> Result<(), Failure> {
        let folder = JobFolder::new(&self.launch.job_folder, part.of())?;
        let output = OutputArguments {
            output: Some(folder.lines(part.number())),
            page: None,
        };
        let classes = folder.classes(part.number())?;
        let files: BTreeSet<PathBuf> = classes.iter().map(|(file, _)| file.into()).collect();
        let files: Vec<PathBuf> = files.into_iter().filter(|file| file.exists()).collect();
        let mut found = self.found(&files)?;
        found.classes.retain(|class| classes.contains(&class.key()));
        found.unread.clear();
        let mut earlier = Earlier::default();
        folder.keep(part.number(), &mut earlier);
        self.all(found, &earlier, &output, |asked, run| {
            self.ask(asked, self.at_once(), run)
        })
    }

    /// All parts, by a scheduler.
    fn launch(&self, launcher: Launcher, mut earlier: Earlier) -> Result<(), Failure> {
        let mut scheduler = self.launch.scheduler(launcher, self.at_once())?;
        let found = self.found(&self.paths)?;
        let of = self.launch.parts(found.classes.len());
        let folder = JobFolder::new(&self.launch.job_folder, of)?;
        launch::refuse_two(&folder, scheduler.as_mut())?;
        let parts = self.parts_of(&found, of)?;
        let parts: HashMap<ClassKey, usize> = (found.classes.iter().map(SurveyedClass::key))
            .zip(parts)
            .collect();
        let mut classes = vec![Vec::new(); of];
        for class in found.classes.iter().filter(|class| !earlier.still(class)) {
            let key = class.key();
            let part = parts.get(&key).and_then(|part| classes.get_mut(part - 1));
            part.into_iter().for_each(|part| part.push(key.clone()));
        }
        for part in 1..=of {
            folder.keep(part, &mut earlier);
        }
        self.all(found, &earlier, &self.output, |asked, run| {
            if asked.is_empty() {
                return Ok(());
            }
            folder.write(&classes)?;
            let part = |class: &SurveyedClass| parts.get(&class.key()).copied().unwrap_or(1);
            let asked = asked.iter().map(|class| (class, part(class)));
            let follower = Follower::new(&folder, scheduler, asked);
            let launched = follower.run(&mut |line| run.tell(line))?;
            if !launched.lost.is_empty() {
                run.wrong = Err(Failure::NoEngine(launched.why));
            }
            for line in launched.lost {
                run.tell(line);
            }
            Ok(())
        })
    }

    /// How many classes a part examines at once.
    fn at_once(&self) -> usize {
        self.engine.jobs.map_or(1, usize::from)
    }

    /// Finds lines for all classes: those that still hold, and those that `ask` tells.
    fn all(
        &self,
        found: Found,
        earlier: &Earlier,
        output: &OutputArguments,
        ask: impl FnOnce(&[SurveyedClass], &mut Run<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let classes = found.classes.into_iter();
        let (known, asked): (Vec<_>, Vec<_>) = classes.partition(|class| earlier.still(class));
        let mut run = Run {
            tally: SurveyTally::default(),
            lines: Lines::start(output)?,
            ended: 0,
            wrong: Ok(()),
        };
        let reused = known.len();
        let again = known.into_iter().map(|class| earlier.line(&class));
        for line in found.unread.into_iter().map(Ok).chain(again) {
            let line = line.map_err(|error| lines::wrong(&error))?;
            run.tally.add(&line);
            run.lines.add(&line)?;
        }
        run.lines.begin()?;
        ask(&asked, &mut run)?;
        run.lines.end()?;
        let summary = view::SurveySummary {
            tally: &run.tally,
            files: found.files,
            left_out: found.left_out,
            known: reused,
            missing: asked.len() - run.ended,
        };
        output::complain(&summary.text(self.color.on(&std::io::stderr())));
        judge(&run.tally)?;
        run.wrong
    }

    /// Examines classes, and writes their lines as they end.
    fn ask(&self, asked: &[SurveyedClass], jobs: usize, run: &mut Run<'_>) -> Result<(), Failure> {
        let workers = Workers::new(self.each, self.engine.memory)?;
        progress::again();
        let examine = |class: &SurveyedClass| workers.examine(class);
        survey::run(asked, jobs, examine, |line| run.tell(line));
        std::mem::replace(&mut run.wrong, Ok(()))
    }

    /// The classes to examine.
    fn found(&self, paths: &[PathBuf]) -> Result<Found, Failure> {
        let bad = |message| Failure::BadInput(format!("error: {message}"));
        let examination = self.examination()?;
        let search = Search {
            paths: paths.to_vec(),
            no_ignore: self.no_ignore,
            java: ListedJava {
                all: self.all,
                with_abstract: true,
                public: self.public,
                packages: self.package.clone(),
            },
            options: how::options(&examination, &self.front)?,
            limits: how::limits(&examination),
            load: examination.load,
        };
        let found = survey::find(&search).map_err(bad)?;
        interrupt::check()?;
        if found.classes.is_empty() && found.unread.is_empty() {
            let others = match found.left_out {
                0 => String::new(),
                n => format!(" ({} without)", crate::words::counted(n, "class")),
            };
            let help = "help: it reads .tq, .sol, jars and class files; --no-ignore looks into what .gitignore names, \
                        --all takes classes of Java without a protocol";
            return Err(bad(format!(
                "there is no class with a state in there{others}\n{help}"
            )));
        }
        Ok(found)
    }

    /// Leaves out what other machines examine.
    fn keep_to_shard(&self, found: &mut Found) -> Result<(), Failure> {
        if let Some(shard) = self.shard {
            let parts = self.parts_of(found, shard.of())?;
            let mut taken = parts.into_iter().map(|part| part == shard.number());
            found.classes.retain(|_| taken.next().unwrap_or_default());
            found.unread.retain(|_| taken.next().unwrap_or_default());
        }
        Ok(())
    }

    /// Which of so many parts each class belongs to, and then each file that cannot be read.
    fn parts_of(&self, found: &Found, of: usize) -> Result<Vec<usize>, Failure> {
        let times = lines::earlier(&self.times)?;
        let unread = found.unread.iter().map(|line| &line.of);
        let all = found.classes.iter().chain(unread);
        Ok(survey::split(of, all, &times))
    }

    fn examination(&self) -> Result<survey::Examination, Failure> {
        Ok(survey::Examination {
            load: crate::load::LoadRequest {
                solidity: self.front.solidity(),
                java: self.front.java(),
                z3: self.engine.z3.clone(),
                jobs: Some(1),
                interrupt: interrupt::token(),
                ..crate::load::LoadRequest::default()
            },
            choice: self.engine.choice()?,
            epa: epa::ConstructOptions {
                jobs: 1,
                ..self.engine.epa_options(self.exceptions)
            },
            confirm: self.confirm.then(|| self.extent.extent()),
            each: self.each,
            coarse: self.coarse,
        })
    }
}

/// Whether no answer was contradicted.
fn judge(tally: &SurveyTally) -> Result<(), Failure> {
    match tally.contradictions {
        0 => Ok(()),
        n => Err(Failure::DoesNotHold(format!(
            "failed: answers that were contradicted: {n}\nhelp: the lines name the classes; `tranquera epa` saves the questions"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_unit_or_is_in_seconds() {
        for (text, ms) in [
            ("20s", 20_000),
            ("1.5", 1_500),
            ("500ms", 500),
            ("2m", 120_000),
            ("1h", 3_600_000),
        ] {
            assert_eq!(duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for text in [
            "",
            "s",
            "0",
            "-1s",
            "nan",
            "inf",
            "1e99h",
            "20 parsecs",
            "0.1ms",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
