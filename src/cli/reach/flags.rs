//! Corral's flags, as `/name:value`, `--name value` or `--name=value`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::known::{MEANINGLESS, REFUSED};
use crate::front::tq::nearest;
use crate::reach::print::Stage;

/// The flags, for people.
pub(super) const HELP: &str = "\
Flags, in Corral's form or the usual one (/recursionBound:3, --recursionBound 3, --recursion-bound=3):
  main:P               the entry procedure (default: the first {:entrypoint}); also /proc:P
  recursionBound:N     how often a procedure, or the iteration of a loop, may recur on a stack
                       (default 1); also /loopUnroll:N
  maxStaticLoopBound:N added to the recursion bound
  stackDepthBound:N    how long a chain of calls may be; also /bopt:stackDepthBound:N
  unbounded            where the bound is hit, look for a proof or an execution without a bound
  timeLimit:SECONDS    wall-clock time for the whole question
  killAfter:SECONDS    the same; it then ends as Corral does, with status 137
  printDataValues:1    show the values recorded by boogie_si_record* procedures
  cex:N                up to N executions that fail, each elsewhere (default 1)
  noTrace              no trace
  tryCTrace            the trace in the places that {:sourceloc \"f\", line, col}, or
                       {:sourcefile \"f\"} and {:sourceline n}, say
  tryCTrace:sdv        the same, and in defect.tt and stack.txt
  noTraceOnDisk        but not to these files
  si, sdv              what is printed at the end, as Corral does with these flags
  json                 the answer as JSON
  z3:PATH              the solver; also /z3exe, and /bopt:proverOpt:PROVER_PATH=PATH
  memory:MIB           memory for the solver (default 4096)
  proverLog:FILE       append everything said to the solver to a file
  stratifiedInline:1   Boogie's own reading: can the entry reach its end? Assertions are assumptions
  print:STAGE          instead of an answer, what the engine makes of the program: lowered, loops,
                       passive, vc (verification conditions), or smt (what is said to the solver)
  print:FILE.bpl       the program as it was read, into a file, or with `-` before the answer
  printFinalProg:FILE  the program with loops extracted, into a file
  lib:base             Boogie's library: maps, Option, Set, Map and so on; also /lib
  concat:FILE          another file of the program
  flags:FILE           more flags, from a file; lines that begin with `#` are comments
Several files are one program. Flags of Corral and Boogie that have no meaning here (abstraction,
other searches, the solver's settings) are accepted, and a line on standard error says why each has
none, unless --quiet is given. Flags that ask for something else (/smoke, /verifySnapshots and so
on) are refused, as are those that neither of them has.";

/// What the flags say.
#[derive(Clone, Debug)]
pub(super) struct Flags {
    /// Several files are one program.
    pub files: Vec<String>,
    /// Files that `/concat` names, until all arguments are read.
    concat: Vec<String>,
    pub main: Option<String>,
    pub recursion_bound: Option<u32>,
    pub loop_bound: u32,
    pub stack_depth: Option<u32>,
    pub unbounded: bool,
    pub time_limit: Option<Duration>,
    pub values: bool,
    pub trace: bool,
    pub json: bool,
    pub z3: Option<PathBuf>,
    pub memory_mib: u64,
    pub prover_log: Option<PathBuf>,
    pub to_end: bool,
    /// How many executions that fail at different places are looked for.
    pub cex: usize,
    /// What is printed instead of an answer.
    pub print: Option<Printed>,
    /// Where the program is printed to, as it was read.
    pub read_program: Option<PathBuf>,
    /// Where the program with its loops extracted is written to.
    pub final_program: Option<PathBuf>,
    /// When everything is to end, at the latest.
    pub kill_after: Option<Duration>,
    /// In what places the trace is told.
    pub places: TracePlaces,
    /// May files with traces be written?
    pub trace_files: bool,
    pub style: Style,
    /// Is Boogie's library part of the program?
    pub library: bool,
    /// Flags without a meaning here, with why, each once.
    pub meaningless: Vec<(&'static str, Vec<String>)>,
}

/// In what places a trace is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TracePlaces {
    /// Those of the Boogie program.
    Boogie,
    /// Those of the sources that it was made from.
    Sources,
    /// The same, and in the Static Driver Verifier's files.
    Driver,
}

/// Whose last lines are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Corral's usual ones.
    Corral,
    /// Those of its plain stratified inlining.
    Inlining,
    /// Those it has for the Static Driver Verifier.
    Driver,
}

/// What can be printed instead of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Printed {
    /// A stage of the program.
    Stage(Stage),
    /// What is said to the solver.
    Smt,
}

impl Printed {
    /// What has that name.
    fn named(name: &str) -> Result<Self, String> {
        let mut stages = Stage::ALL.into_iter();
        if let Some((_, stage)) = stages.find(|(n, _)| *n == name) {
            return Ok(Printed::Stage(stage));
        }
        if name == "smt" {
            return Ok(Printed::Smt);
        }
        let names: Vec<&str> = Stage::ALL.iter().map(|(name, _)| *name).collect();
        Err(format!(
            "/print takes {} or smt, not {name}",
            names.join(", ")
        ))
    }
}

impl Default for Flags {
    fn default() -> Self {
        Flags {
            files: Vec::new(),
            concat: Vec::new(),
            main: None,
            recursion_bound: None,
            loop_bound: 0,
            stack_depth: None,
            unbounded: false,
            time_limit: None,
            values: false,
            trace: true,
            json: false,
            z3: None,
            memory_mib: 4096,
            prover_log: None,
            to_end: false,
            cex: 1,
            print: None,
            read_program: None,
            final_program: None,
            kill_after: None,
            places: TracePlaces::Boogie,
            trace_files: true,
            style: Style::Corral,
            library: false,
            meaningless: Vec::new(),
        }
    }
}

/// The flags that mean something here.
const MEANINGFUL: &[&str] = &[
    "main",
    "proc",
    "recursionBound",
    "maxStaticLoopBound",
    "stackDepthBound",
    "unbounded",
    "timeLimit",
    "killAfter",
    "printDataValues",
    "cex",
    "noTrace",
    "tryCTrace",
    "noTraceOnDisk",
    "si",
    "sdv",
    "json",
    "z3",
    "z3exe",
    "memory",
    "memLimit",
    "proverMemoryLimit",
    "proverLog",
    "stratifiedInline",
    "print",
    "printFinalProg",
    "concat",
    "flags",
    "bopt",
    "loopUnroll",
    "errorTrace",
    "lib",
];

/// Flags that take a value, which in the `--` form may be the next argument.
const WITH_VALUE: &[&str] = &[
    "main",
    "recursionbound",
    "maxstaticloopbound",
    "stackdepthbound",
    "timelimit",
    "killafter",
    "printdatavalues",
    "z3",
    "z3exe",
    "memory",
    "proverlog",
    "flags",
    "concat",
    "stratifiedinline",
    "k",
    "track",
    "cex",
    "print",
    "printfinalprog",
    "bopt",
    "v",
];

/// A name as it is compared: `recursion-bound` is `recursionBound`.
fn plain(name: &str) -> String {
    name.replace('-', "").to_lowercase()
}

/// The flags in the text of a file. Besides flags, Corral's files have comments, and lines that name variables for its
/// abstraction (`TrackVars = x, y`).
fn in_file(text: &str) -> Vec<String> {
    let lines = text.lines();
    let flags = lines.filter(|line| !line.starts_with('#') && !line.starts_with("Track"));
    flags
        .flat_map(str::split_whitespace)
        .map(str::to_string)
        .collect()
}

impl Flags {
    /// Reads the arguments.
    ///
    /// # Errors
    ///
    /// A flag that is not known, or a value that is not one.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut flags = Flags::default();
        flags.read(arguments, None)?;
        let more = std::mem::take(&mut flags.concat);
        if !flags.files.is_empty() {
            flags.files.extend(more);
        }
        Ok(flags)
    }

    /// Reads the arguments of the command line, or of the file of flags `from`.
    fn read(&mut self, arguments: &[String], from: Option<&Path>) -> Result<(), String> {
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let (body, dashes) = match (
                argument.strip_prefix("--"),
                argument.strip_prefix(['/', '-']),
            ) {
                (Some(body), _) => (body, true),
                (None, Some(_))
                    if argument.starts_with('/')
                        && argument.ends_with(".bpl")
                        && !argument.contains(':') =>
                {
                    (argument.as_str(), false)
                }
                (None, Some(body)) => (body, false),
                (None, None) => (argument.as_str(), false),
            };
            if body == argument {
                if !argument.ends_with(".bpl") {
                    return Err(format!(
                        "Invalid flag: {argument} (an input file's name ends in .bpl)"
                    ));
                }
                self.files.push(argument.clone());
                continue;
            }
            let cut = body.find([':', '=']);
            let name = cut.map_or(body, |at| body.get(..at).unwrap_or(body));
            let mut value = cut.and_then(|at| body.get(at + 1..)).map(str::to_string);
            if value.is_none() && dashes && WITH_VALUE.contains(&plain(name).as_str()) {
                value = arguments.next().cloned();
            }
            self.flag(argument, name, value.as_deref(), from)?;
        }
        Ok(())
    }

    fn flag(
        &mut self,
        argument: &str,
        name: &str,
        value: Option<&str>,
        from: Option<&Path>,
    ) -> Result<(), String> {
        let invalid = || format!("Invalid flag: {argument}");
        let text = || value.map(str::to_string).ok_or_else(invalid);
        let number = || text()?.parse::<u32>().map_err(|_| invalid());
        match plain(name).as_str() {
            "main" | "proc" => self.main = Some(text()?),
            "cex" => self.cex = number()?.max(1) as usize,
            // Boogie's flag of that name says where to print the program.
            "print" => match text()? {
                file if file.ends_with(".bpl") || file == "-" => {
                    self.read_program = Some(file.into());
                }
                name => self.print = Some(Printed::named(&name)?),
            },
            "printfinalprog" => self.final_program = Some(text()?.into()),
            "recursionbound" => self.recursion_bound = Some(number()?),
            "maxstaticloopbound" => self.loop_bound = number()?,
            "stackdepthbound" => self.stack_depth = Some(number()?),
            "unbounded" => self.unbounded = true,
            "timelimit" => {
                let limit = Duration::from_secs(u64::from(number()?));
                self.time_limit = (!limit.is_zero()).then_some(limit);
            }
            "killafter" => {
                let limit = Duration::from_secs(u64::from(number()?));
                self.kill_after = (!limit.is_zero()).then_some(limit);
            }
            "printdatavalues" => self.values = number()? > 0,
            "notrace" => self.trace = false,
            "tryctrace" => {
                self.places = match value {
                    None => TracePlaces::Sources,
                    Some("sdv") => TracePlaces::Driver,
                    Some(_) => return Err(invalid()),
                }
            }
            "notraceondisk" => self.trace_files = false,
            "si" => self.style = Style::Inlining,
            "sdv" => {
                self.style = Style::Driver;
                self.places = TracePlaces::Driver;
            }
            "json" => self.json = true,
            "z3" | "z3exe" => self.z3 = Some(text()?.into()),
            "memory" | "memlimit" => self.memory_mib = u64::from(number()?),
            "proverlog" => self.prover_log = Some(text()?.into()),
            "stratifiedinline" => self.to_end = number()? == 1,
            "flags" => {
                if from.is_some() {
                    return Err("A file of flags names another".into());
                }
                let path = text()?;
                let more = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
                self.read(&in_file(&more), Some(Path::new(&path)))?;
            }
            "concat" => {
                let file = PathBuf::from(text()?);
                let folder = from.and_then(Path::parent);
                let file = folder.map_or(file.clone(), |folder| folder.join(file));
                self.concat.push(file.to_string_lossy().into_owned());
            }
            "bopt" => {
                let option = text()?;
                if let Some(path) = option.strip_prefix("proverOpt:PROVER_PATH=") {
                    self.z3 = Some(path.into());
                } else {
                    let (name, value) = match option.split_once([':', '=']) {
                        Some((name, value)) => (name, Some(value)),
                        None => (option.as_str(), None),
                    };
                    match plain(name).as_str() {
                        "bopt" | "flags" | "concat" => return Err(invalid()),
                        _ => self.flag(argument, name, value, from)?,
                    }
                }
            }
            // Measured: what Boogie finds with so many unrollings is found within that bound.
            "loopunroll" => self.recursion_bound = Some(number()?),
            "lib" => match value {
                None | Some("base") => self.library = true,
                Some(other) => {
                    let there = "of Boogie's libraries there is `base`";
                    return Err(format!("/lib:{other} is not supported: {there}"));
                }
            },
            "errortrace" => self.trace = number()? > 0,
            "provermemorylimit" => self.memory_mib = u64::from(number()?),
            other if let Some((name, why)) = listed(REFUSED, other) => {
                return Err(format!("/{name} is not supported: {why}"));
            }
            other => match listed(MEANINGLESS, other) {
                Some((_, why)) => self.note_meaningless(why, argument),
                None => return Err(unknown(argument, name)),
            },
        }
        Ok(())
    }

    fn note_meaningless(&mut self, why: &'static str, argument: &str) {
        let argument = argument.to_string();
        match self.meaningless.iter_mut().find(|(w, _)| *w == why) {
            Some((_, flags)) if flags.contains(&argument) => {}
            Some((_, flags)) => flags.push(argument),
            None => self.meaningless.push((why, vec![argument])),
        }
    }

    /// How long an answer may take.
    pub(super) fn limit(&self) -> Option<Duration> {
        let limits = [self.time_limit, self.kill_after];
        limits.into_iter().flatten().min()
    }
}

/// The flag with this plain name, if it is one of these, and what is said of it.
fn listed(
    table: &[(&'static str, &'static [&'static str])],
    flag: &str,
) -> Option<(&'static str, &'static str)> {
    let mut all = table
        .iter()
        .flat_map(|(why, flags)| flags.iter().map(move |name| (*name, *why)));
    all.find(|(name, _)| plain(name) == flag)
}

/// What is said of a flag that there is not, with the one that was probably meant.
fn unknown(argument: &str, name: &str) -> String {
    let tables = MEANINGLESS.iter().chain(REFUSED);
    let of_tables = tables.flat_map(|(_, flags)| *flags);
    let all = MEANINGFUL.iter().chain(of_tables).copied();
    match nearest(name, all) {
        Some(meant) => format!("Invalid flag: {argument} (did you mean /{meant}?)"),
        None => format!("Invalid flag: {argument}"),
    }
}
