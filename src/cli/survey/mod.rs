//! `tranquera survey`: every class of a code base, a line of JSON each.

mod how;
mod lines;
mod merge;
mod worker;

use std::path::PathBuf;
use std::time::Duration;

use crate::epa;
use crate::load::ListedJava;
use crate::survey::{self, Earlier, Found, Search, Shard, SurveyLine, SurveyTally, SurveyedClass};
use crate::view::survey as view;

use super::confirm::ExtentArguments;
use super::front::FrontArguments;
use super::input::{EngineArguments, Exceptional};
use super::output::{self, Colour};
use super::{Failure, interrupt, progress};

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
    /// Make the second pass: confirm each edge by a run, or refute it by a proof
    #[arg(long)]
    confirm: bool,
    /// Take the lines of an earlier run whose class and options are unchanged
    #[arg(long, value_name = "FILE")]
    resume: Vec<PathBuf>,
    /// Examine only the part I of N; the parts of all machines together are the whole
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Split by the times in the lines of an earlier run, so that parts take equally long
    #[arg(long, value_name = "FILE", requires = "shard")]
    times: Vec<PathBuf>,
    /// Look into files that `.gitignore` and the like name, and into hidden ones
    #[arg(long)]
    no_ignore: bool,
    /// Examine classes of Java without a protocol too
    #[arg(long)]
    all: bool,
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

impl SurveyArguments {
    fn survey(&self) -> Result<(), Failure> {
        for path in &self.paths {
            self.output.spare(path)?;
        }
        let earlier = Earlier::new(lines::read(&self.resume)?);
        let found = self.found()?;
        let (mut known, mut asked) = (Vec::new(), Vec::new());
        for class in found.classes {
            match earlier.still(&class) {
                Some(line) => known.push(line),
                None => asked.push(class),
            }
        }
        let mut run = Run {
            tally: SurveyTally::default(),
            lines: Lines::start(&self.output),
            ended: 0,
        };
        let reused = known.len();
        for line in found.unread.into_iter().chain(known) {
            run.tally.add(&line);
            run.lines.add(line)?;
        }
        run.lines.begin()?;
        self.ask(&asked, &mut run)?;
        run.lines.end()?;
        let summary = view::SurveySummary {
            tally: &run.tally,
            files: found.files,
            left_out: found.left_out,
            known: reused,
            missing: asked.len() - run.ended,
        };
        output::complain(&summary.text(self.color.on(&std::io::stderr())));
        judge(&run.tally)
    }

    /// Examines classes, and writes their lines as they end.
    fn ask(&self, classes: &[SurveyedClass], run: &mut Run<'_>) -> Result<(), Failure> {
        let workers = Workers::new(self.each, self.engine.memory)?;
        let mut wrong = Ok(());
        let told = |line: SurveyLine| {
            run.tally.add(&line);
            let read = run.lines.add(line);
            run.ended += 1;
            let goes_on = matches!(read, Ok(true));
            if !goes_on {
                // Those that are under way would be for nobody.
                interrupt::cancel();
                wrong = read.map(|_| ());
            }
            goes_on
        };
        progress::again();
        let examine = |class: &SurveyedClass| workers.examine(class);
        survey::run(classes, self.engine.jobs(), examine, told);
        wrong
    }

    /// The classes to examine.
    fn found(&self) -> Result<Found, Failure> {
        let bad = |message| Failure::BadInput(format!("error: {message}"));
        let examination = self.examination()?;
        let search = Search {
            paths: self.paths.clone(),
            no_ignore: self.no_ignore,
            java: ListedJava {
                all: self.all,
                packages: self.package.clone(),
            },
            options: how::options(&examination, &self.front)?,
            limits: how::limits(&examination),
            load: examination.load,
        };
        let mut found = survey::find(&search).map_err(bad)?;
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
        if let Some(shard) = self.shard {
            let times = Earlier::new(lines::read(&self.times)?);
            let unread = found.unread.iter().map(|line| &line.of);
            let all: Vec<&SurveyedClass> = found.classes.iter().chain(unread).collect();
            let mut taken = shard.takes(all, &times).into_iter();
            found.classes.retain(|_| taken.next().unwrap_or_default());
            found.unread.retain(|_| taken.next().unwrap_or_default());
        }
        Ok(found)
    }

    fn examination(&self) -> Result<survey::Examination, Failure> {
        Ok(survey::Examination {
            load: crate::load::LoadRequest {
                solidity: self.front.solidity(),
                java: self.front.java(),
                z3: self.engine.z3.clone(),
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
