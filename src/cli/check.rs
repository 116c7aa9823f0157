//! `tranquera check`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::analysis::PageOptions;
use crate::check::expected::is_expectation;
use crate::check::{
    CheckReport, Checked, CheckedClass, Expected, Kept, KeptWith, Outcome, Unclear, Updated,
};
use crate::epa::Epa;
use crate::epa::diff::EpaDiff;
use crate::ir::Source;
use crate::load::{self, ListedJava, LoadRequest};
use crate::query::Extent;
use crate::view::{self, check::CheckFormat};

use super::folders::files_in;
use super::front::FrontArguments;
use super::infer::InferArguments;
use super::input::{ClassArguments, EngineArguments, Exceptional};
use super::output::{self, Colour, TextOutput};
use super::{Failure, interrupt};

#[derive(Debug, clap::Args)]
pub(super) struct CheckArguments {
    /// Folders in which expected EPAs are looked for, such EPAs, and sources that have some beside them: `gate.Gate.epa.json`
    /// is expected of the class `Gate` of `gate.tq`
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Only this class
    #[arg(long, value_name = "NAME", visible_alias = "contract")]
    class: Option<String>,
    /// Write what is expected from now on; of a source, for all of its classes, or the one named
    #[arg(long)]
    update: bool,
    /// Expect something of these actions only; the file says so, and no later run needs to
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        requires = "update",
        conflicts_with = "without"
    )]
    actions: Vec<String>,
    /// Expect something of all actions but these; the file says so, and no later run needs to
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "update")]
    without: Vec<String>,
    /// Tell states apart by this, too (see `tranquera epa --help`); the file says so, and no later run needs to
    #[arg(long = "states", value_name = "WHAT", requires = "update")]
    marks: Vec<String>,
    /// Make the second pass, and do not expect what it refutes; the file says so, and no later run needs to
    #[arg(long, requires = "update")]
    confirm: bool,
    /// What to print
    #[arg(long, short, value_enum, default_value_t)]
    format: CheckFormat,
    #[command(flatten)]
    output: TextOutput,
    /// Which exceptional edges to look for; the same as when the expected EPAs were written
    #[arg(long, value_name = "WHICH", value_enum, default_value_t)]
    exceptions: Exceptional,
    #[command(flatten)]
    front: FrontArguments,
    #[command(flatten)]
    infer: InferArguments,
    #[command(flatten)]
    engine: EngineArguments,
}

/// What is to be checked: what is expected of a class, or why that is not known.
type Task = (PathBuf, Result<Expected, Failure>);

pub(super) fn run(arguments: &CheckArguments) -> Result<(), Failure> {
    let tasks = arguments.tasks()?;
    if tasks.is_empty() {
        return Err(nothing(&arguments.paths));
    }
    let mut checks = Vec::new();
    for (file, task) in tasks {
        checks.push(arguments.checked(&file, task)?);
    }
    let report = CheckReport::of(checks);
    let text = view::check::render(&report, arguments.format)
        .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    arguments.output.write(&text)?;
    judge(&report)
}

/// Where nothing is expected, nothing would ever be found: that is no success.
fn nothing(paths: &[PathBuf]) -> Failure {
    let places: Vec<String> = paths
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    Failure::BadInput(format!(
        "error: there is no expected EPA (*.epa.json) in {}\nhelp: `tranquera check --update FILE` writes those of the classes of a file",
        places.join(", ")
    ))
}

/// How the command ends. What could not be checked was said already.
fn judge(report: &CheckReport) -> Result<(), Failure> {
    let (changed, failed) = (report.changed(), report.not_checked());
    let help = "\nhelp: if that is meant, `tranquera check --update` writes down what is expected from now on";
    match (changed, failed) {
        (0, 0) => Ok(()),
        (_, 0) => Err(Failure::DoesNotHold(format!(
            "failed: protocols that changed: {changed}{help}"
        ))),
        (0, _) => Err(Failure::BadInput(format!(
            "error: protocols that could not be checked: {failed}"
        ))),
        _ => Err(Failure::BadInput(format!(
            "error: protocols that could not be checked: {failed}; that changed: {changed}{help}"
        ))),
    }
}

impl CheckArguments {
    /// All that is to be checked or written, in order, each file once.
    fn tasks(&self) -> Result<Vec<Task>, Failure> {
        let mut tasks = Vec::new();
        for path in &self.paths {
            let unreadable = |error: std::io::Error| {
                Failure::BadInput(format!("error: cannot read {}: {error}", path.display()))
            };
            if path.is_dir() {
                let files = files_in(path, is_expectation).map_err(unreadable)?;
                tasks.extend(files.into_iter().map(|file| named(tidy(&file))));
            } else if is_expectation(path) {
                // Whether it is there shows when it is read.
                tasks.push(named(tidy(path)));
            } else {
                path.metadata().map_err(unreadable)?;
                tasks.extend(self.of_source(&tidy(path))?);
            }
        }
        let mut seen = BTreeSet::new();
        tasks.retain(|(file, _)| seen.insert(file.clone()));
        if let Some(wanted) = &self.class {
            tasks.retain(|(file, task)| is_of(file, task, wanted));
        }
        Ok(tasks)
    }

    /// What is expected of a source, and with `--update` what is to be.
    fn of_source(&self, source: &Path) -> Result<Vec<Task>, Failure> {
        let folder = match source.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let beside = std::fs::read_dir(folder).map_err(|error| {
            Failure::BadInput(format!("error: cannot read {}: {error}", folder.display()))
        })?;
        let files = beside.filter_map(|entry| Some(tidy(&entry.ok()?.path())));
        let mut files: Vec<PathBuf> = files.filter(|file| is_expectation(file)).collect();
        files.sort();
        let mut tasks: Vec<Task> = files
            .into_iter()
            .map(named)
            .filter(|(_, task)| {
                task.as_ref()
                    .is_ok_and(|expected| expected.source == source)
            })
            .collect();
        if self.update {
            for class in self.classes(source)? {
                if !tasks.iter().any(|(file, task)| is_of(file, task, &class)) {
                    let expected = Expected::for_class(source, &class).map_err(unclear)?;
                    tasks.push((expected.file.clone(), Ok(expected)));
                }
            }
        } else if tasks.is_empty() {
            return Err(nothing(&[source.to_owned()]));
        }
        Ok(tasks)
    }

    /// The classes of a source of which something is to be expected.
    fn classes(&self, source: &Path) -> Result<Vec<String>, Failure> {
        if let Some(class) = &self.class {
            return Ok(vec![class.clone()]);
        }
        let request = LoadRequest {
            path: source.to_owned(),
            solidity: self.front.solidity(),
            java: self.front.java(),
            z3: self.engine.z3.clone(),
            interrupt: interrupt::token(),
            ..LoadRequest::default()
        };
        let listed = load::list(&request, &ListedJava::default())
            .map_err(|failure| Colour::Auto.told(failure))?;
        Ok(listed.classes.into_iter().map(|class| class.name).collect())
    }

    /// What has become of one. What is wrong with it is said, and the others are looked at all the same; but where no engine
    /// can be run, or somebody ended it, there is nothing to say of any.
    fn checked(&self, file: &Path, task: Result<Expected, Failure>) -> Result<Checked, Failure> {
        let mut checked = Checked {
            expected: file.display().to_string(),
            source: None,
            class: None,
            outcome: Outcome::Same(CheckedClass::default()),
        };
        let found = task.and_then(|expected| {
            checked.source = Some(expected.source.display().to_string());
            checked.class = expected.class.clone();
            self.outcome(&expected, &mut checked.class)
        });
        checked.outcome = match found {
            Ok(outcome) => outcome,
            Err(Failure::BadInput(message)) => {
                output::complain(&message);
                Outcome::NotChecked { message }
            }
            Err(other) => return Err(other),
        };
        Ok(checked)
    }

    /// What was found out about a class, whose name is learned where it is not known.
    fn outcome(&self, expected: &Expected, class: &mut Option<String>) -> Result<Outcome, Failure> {
        let is_new = self.update && !expected.file.exists();
        let before = match is_new {
            true => None,
            false => Some(read(&expected.file)?),
        };
        if class.is_none() {
            *class = before
                .as_ref()
                .and_then(|(_, kept)| Some(kept.as_ref().ok()?.epa.class.clone()));
        }
        if let (Some((_, Err(failure))), false) = (&before, self.update) {
            return Err(Failure::BadInput(failure.clone()));
        }
        let with = self.asked().unwrap_or_else(|| match &before {
            Some((_, Ok(kept))) => kept.with.clone(),
            _ => KeptWith::default(),
        });
        let arguments = ClassArguments {
            file: expected.source.clone(),
            class: class.clone(),
            actions: with.actions.clone(),
            without: with.without.clone(),
            marks: with.marks.clone(),
            color: Colour::Never,
            front: self.front.clone(),
        };
        let computed = self.computed(&arguments, with.confirm);
        let (epa, checked) = computed.map_err(|failure| expected_of(failure, expected))?;
        match before {
            before if self.update => {
                let before = before.map(|(text, _)| text);
                let file = write(&expected.file, before.as_deref(), Kept { epa, with })?;
                Ok(Outcome::Written {
                    file,
                    class: checked,
                })
            }
            Some((_, Ok(before))) => compared(&before.epa, &epa, checked),
            // Read above.
            _ => Ok(Outcome::Same(checked)),
        }
    }

    /// How EPAs are to be made from now on, where that is said.
    fn asked(&self) -> Option<KeptWith> {
        let asked = KeptWith {
            actions: self.actions.clone(),
            without: self.without.clone(),
            marks: self.marks.clone(),
            confirm: self.confirm,
        };
        (asked != KeptWith::default()).then_some(asked)
    }

    /// The EPA that a class has now.
    fn computed(
        &self,
        class: &ClassArguments,
        confirm: bool,
    ) -> Result<(Epa, CheckedClass), Failure> {
        let input = self.infer.load(class, &self.engine)?;
        let places = input.places.clone();
        let analysis = self.engine.analysis(input)?;
        let wanted = PageOptions {
            epa: self.engine.epa_options(self.exceptions),
            confirm: confirm.then_some(Extent::DEFAULT),
            ..PageOptions::default()
        };
        let drawn = analysis.draw(&wanted)?;
        interrupt::check()?;
        self.engine.report(&drawn.disagreements)?;
        output::warn(drawn.untold.as_deref());
        if drawn.contradicted > 0 {
            return Err(Failure::BadInput(format!(
                "error: answers that were contradicted: {}",
                drawn.contradicted
            )));
        }
        let findings = drawn.epa.findings.clone();
        Ok((drawn.epa, CheckedClass { findings, places }))
    }
}

/// A path without the `.` in front of it.
fn tidy(path: &Path) -> PathBuf {
    path.strip_prefix(".")
        .map_or(path.to_owned(), Path::to_owned)
}

fn named(file: PathBuf) -> Task {
    let expected = Expected::of(&file).map_err(unclear);
    (file, expected)
}

fn unclear(why: Unclear) -> Failure {
    Failure::BadInput(format!("error: {why}"))
}

/// Whether a file is expected of this class. A name without a class is asked what the EPA inside says.
fn is_of(file: &Path, task: &Result<Expected, Failure>, wanted: &str) -> bool {
    task.as_ref().is_ok_and(|expected| match &expected.class {
        Some(class) => class == wanted,
        None => read(file).is_ok_and(|(_, kept)| kept.is_ok_and(|kept| kept.epa.class == wanted)),
    })
}

/// A file's text, and what is kept in it, or why it is nothing.
fn read(file: &Path) -> Result<(String, Result<Kept, String>), Failure> {
    let source = Source::read(file).map_err(|wrong| Failure::BadInput(wrong.render(false)))?;
    let kept = Kept::read(&source.text).map_err(|error| {
        format!(
            "error: {}: {error}\nhelp: `tranquera check --update {}` writes it anew",
            source.name, source.name
        )
    });
    Ok((source.text, kept))
}

/// Whoever reads why a class cannot be looked at may not know that something is expected of it.
fn expected_of(failure: Failure, expected: &Expected) -> Failure {
    match failure {
        Failure::BadInput(message) if expected.file.exists() => Failure::BadInput(format!(
            "{}\nnote: {} says what is expected of it; if the class is gone, delete that file; if an action is gone that it names, say with `--update` which there are",
            message.trim_end(),
            expected.file.display()
        )),
        other => other,
    }
}

fn compared(before: &Epa, epa: &Epa, class: CheckedClass) -> Result<Outcome, Failure> {
    let diff = EpaDiff::of(before, epa, &[])
        .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    Ok(match diff.different {
        false => Outcome::Same(class),
        true => Outcome::Changed {
            order: diff.order(),
            diff: Box::new(diff),
            class,
        },
    })
}

/// Writes what is expected from now on.
fn write(file: &Path, before: Option<&str>, kept: Kept) -> Result<Updated, Failure> {
    let text = kept
        .text()
        .map_err(|error| Failure::BadInput(format!("error: {error}")))?;
    if before == Some(text.as_str()) {
        return Ok(Updated::Kept);
    }
    output::write(Some(file), &text)?;
    Ok(match before {
        Some(_) => Updated::Replaced,
        None => Updated::New,
    })
}
