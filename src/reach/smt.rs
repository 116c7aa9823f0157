//! A Z3 process that is spoken to in SMT-LIB over its pipes.
//!
//! An answer is waited for with a deadline, and a process that does not answer in time is killed; so is every process whose
//! handle is dropped, or that would outlive us.
//!
//! The solver is given no time limit of its own. After a check that ran into one, what Z3 4.8.12 was doing then stays half done:
//! later models break asserted bounds, and "unsat" is said of what has a model. So that process would be of no use either, and
//! the thread that watches the limit costs a small check a third of its time.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::group::Group;
use crate::process::Interrupt;

use super::talk::{Silence, Talk};

/// What a solver that was asked something can fail with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverFailure {
    /// No answer in time; the process is killed.
    Timeout,
    /// The process ran out of memory.
    Memory,
    /// The question was ended from another thread; the process is killed.
    Interrupted,
    /// The process ended.
    Died(String),
    /// The solver gave up, for this reason.
    Incomplete(String),
    /// An error message, or an answer of another form.
    NotUnderstood(String),
}

/// What a check says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// There is a model.
    Sat,
    /// There is none.
    Unsat,
    /// The solver does not know, for this reason.
    Unknown(String),
}

/// A running solver.
pub struct Smt {
    process: Group,
    /// None when the process was ended.
    talk: Option<Talk>,
    /// What is to be sent with the next question.
    pending: String,
    marks: u64,
    /// Whether a check was cut short: for want of memory, mostly.
    cut_short: bool,
    /// When it has worked enough.
    enough: Option<Enough>,
    /// How long it had worked when it was ended.
    worked: Duration,
    /// A copy of everything sent.
    log: Option<std::fs::File>,
    stop: Interrupt,
}

/// When a process has worked enough.
#[derive(Clone, Copy, Debug)]
enum Enough {
    /// When it has used so much processor time since it began.
    Worked(Duration),
    /// Then, where nobody says what it has used.
    At(Instant),
}

/// The reason of "unknown" where quantified facts were only instantiated.
pub const QUANTIFIERS: &str = "incomplete quantifiers";

/// How many generations of instances there are by default.
const USUAL_GENERATIONS: u32 = 20;

/// How many there are where models of quantified facts are not looked for.
const FEW_GENERATIONS: u32 = 10;

/// How often a waiting thread looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(5);

/// The memory of a solver where nobody says how much, in MiB.
const MEMORY_MIB: u64 = 4096;

/// How to start solvers.
#[derive(Clone, Debug)]
pub struct Config {
    /// The executable.
    pub z3: PathBuf,
    /// Memory for the process, in MiB.
    pub memory_mib: u64,
    /// A file to which everything said to the solvers is appended.
    pub log: Option<PathBuf>,
    /// Ends what is being asked.
    pub stop: Interrupt,
}

impl Config {
    /// Solvers of this executable, with the usual memory.
    pub fn new(z3: PathBuf) -> Self {
        Config {
            z3,
            memory_mib: MEMORY_MIB,
            log: None,
            stop: Interrupt::default(),
        }
    }
}

impl Smt {
    /// Starts a solver.
    ///
    /// # Errors
    ///
    /// The process cannot be started.
    pub fn start(config: &Config) -> std::io::Result<Self> {
        let mut command = Command::new(&config.z3);
        command
            .arg("-in")
            .arg("-smt2")
            .arg(format!("-memory:{}", config.memory_mib));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = Group::spawn(&mut command)?;
        let missing = || std::io::Error::other("the solver has no pipes");
        let stdin = process.child().stdin.take().ok_or_else(missing)?;
        let stdout = process.child().stdout.take().ok_or_else(missing)?;
        let talk = Talk::over(stdin, stdout)?;
        let log = match &config.log {
            Some(path) => Some(
                std::fs::OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(path)?,
            ),
            None => None,
        };
        Ok(Smt {
            process,
            talk: Some(talk),
            pending: String::new(),
            marks: 0,
            cut_short: false,
            enough: None,
            worked: Duration::ZERO,
            log,
            stop: config.stop.clone(),
        })
    }

    /// Says something that has no answer. It is sent with the next question.
    pub fn say(&mut self, text: &str) {
        self.pending.push_str(text);
        if !text.ends_with('\n') {
            self.pending.push('\n');
        }
    }

    /// Asks something; the lines of the answer.
    ///
    /// # Errors
    ///
    /// No answer by the deadline, or no process.
    pub fn ask(&mut self, text: &str, deadline: Instant) -> Result<Vec<String>, SolverFailure> {
        self.say(text);
        self.marks += 1;
        let mark = format!("-- {}", self.marks);
        self.say(&format!("(echo \"{mark}\")"));
        let text = std::mem::take(&mut self.pending);
        if let Some(log) = &mut self.log {
            // The log is a convenience; a full disk must not change an answer.
            let _ = log.write_all(text.as_bytes());
        }
        if let Some(talk) = &mut self.talk {
            talk.say(&text);
        }
        let mut lines = Vec::new();
        loop {
            let Some(talk) = &mut self.talk else {
                return Err(self.died());
            };
            let left = deadline.saturating_duration_since(Instant::now());
            match talk.line(left.min(GLANCE)) {
                Ok(line) if line.trim_matches('"') == mark => return Ok(lines),
                Ok(line) if line.contains("out of memory") => {
                    self.kill();
                    return Err(SolverFailure::Memory);
                }
                Ok(line) => lines.push(line),
                Err(Silence::Forever) => return Err(self.died()),
                Err(Silence::Yet) if self.stop.is_set() => {
                    self.kill();
                    return Err(SolverFailure::Interrupted);
                }
                Err(Silence::Yet) if left.is_zero() || self.has_worked_enough() => {
                    self.kill();
                    return Err(SolverFailure::Timeout);
                }
                Err(Silence::Yet) => {}
            }
        }
    }

    fn died(&mut self) -> SolverFailure {
        self.kill();
        SolverFailure::Died("the solver's process ended".into())
    }

    /// Says what ends the questions from now on.
    pub fn stop_by(&mut self, stop: Interrupt) {
        self.stop = stop;
    }

    /// What stops it.
    pub fn stop(&self) -> Interrupt {
        self.stop.clone()
    }

    /// From now on the process may use so much processor time, and is then killed; without one, as much as it likes.
    ///
    /// What is only tried for a while is measured so: by the clock, what else the machine does would decide which of several
    /// ways leads to an answer, and whether one does. The clock's limit is then a longer one.
    pub fn work_for(&mut self, work: Option<Duration>) {
        self.enough = work.map(|work| match self.process.worked() {
            Some(worked) => Enough::Worked(worked + work),
            None => Enough::At(Instant::now() + work),
        });
    }

    /// How much processor time the process has used; nothing where the system does not say.
    pub fn worked(&self) -> Duration {
        match self.talk {
            Some(_) => self.process.worked().unwrap_or_default(),
            None => self.worked,
        }
    }

    fn has_worked_enough(&self) -> bool {
        match self.enough {
            None => false,
            Some(Enough::Worked(limit)) => self.process.worked().is_some_and(|w| w >= limit),
            Some(Enough::At(limit)) => Instant::now() >= limit,
        }
    }

    /// Is the process of no use any more? What it was told is lost, and its next check is not answered.
    pub fn is_spent(&self) -> bool {
        self.cut_short || self.talk.is_none()
    }

    fn kill(&mut self) {
        self.worked = self.worked();
        self.talk = None;
        // Whatever cannot be ended is not waited for either.
        let _ = self.process.end();
    }

    /// Asks `check-sat-assuming`.
    ///
    /// # Errors
    ///
    /// As [`Smt::ask`]; also error messages of the solver.
    pub fn check(
        &mut self,
        assumptions: &[String],
        deadline: Instant,
    ) -> Result<Check, SolverFailure> {
        let question = match assumptions {
            [] => "(check-sat)".to_string(),
            _ => format!("(check-sat-assuming ({}))", assumptions.join(" ")),
        };
        self.checked(&question, deadline)
    }

    /// Asks whether all that was said can hold at once, of a solver within the solver that has learned nothing yet: it
    /// simplifies the whole first, which a solver that is told more and more cannot.
    ///
    /// # Errors
    ///
    /// As [`Smt::ask`]; also error messages of the solver.
    pub fn check_afresh(&mut self, deadline: Instant) -> Result<Check, SolverFailure> {
        self.checked("(check-sat-using smt)", deadline)
    }

    /// Asks a question whose answer is "sat", "unsat" or "unknown".
    fn checked(&mut self, question: &str, deadline: Instant) -> Result<Check, SolverFailure> {
        if self.is_spent() || Instant::now() >= deadline || self.has_worked_enough() {
            return Err(SolverFailure::Timeout);
        }
        let lines = self.ask(question, deadline)?;
        let mut said = lines.iter().map(|l| l.trim());
        match (said.next(), said.next()) {
            (Some("sat"), None) => Ok(Check::Sat),
            (Some("unsat"), None) => Ok(Check::Unsat),
            (Some("unknown"), None) => {
                let reason = self.ask("(get-info :reason-unknown)", deadline)?.join(" ");
                let reason = reason.replace("(:reason-unknown", "");
                let reason = reason
                    .trim_matches(|c: char| "() \"".contains(c))
                    .to_string();
                let failure = match reason.as_str() {
                    "timeout" | "canceled" => SolverFailure::Timeout,
                    r if r.contains("memout") || r.contains("memory") => SolverFailure::Memory,
                    _ => return Ok(Check::Unknown(reason)),
                };
                self.cut_short = true;
                Err(failure)
            }
            _ => Err(SolverFailure::NotUnderstood(lines.join("\n"))),
        }
    }

    /// Says whether, from now on, models of quantified facts are looked for. Where not, instances by their triggers are all that
    /// is asked of them, and "yes" becomes "unknown" with the reason [`QUANTIFIERS`].
    ///
    /// Instances of instances then end sooner: axioms such as `BOR(a, BOR(b, c)) == BOR(BOR(a, b), c)` make more of them with each
    /// generation.
    pub fn models_of_quantifiers(&mut self, on: bool) {
        let generations = match on {
            true => USUAL_GENERATIONS,
            false => FEW_GENERATIONS,
        };
        self.say(&format!(
            "(set-option :smt.mbqi {on})\n(set-option :smt.qi.lazy_threshold {generations})"
        ));
    }

    /// The solver's own figures about all it was asked.
    ///
    /// # Errors
    ///
    /// As [`Smt::ask`].
    pub fn statistics(
        &mut self,
        deadline: Instant,
    ) -> Result<Vec<(String, String)>, SolverFailure> {
        let text = self.ask("(get-info :all-statistics)", deadline)?.join(" ");
        let words: Vec<&str> = text
            .split(|c: char| c.is_whitespace() || "()".contains(c))
            .filter(|word| !word.is_empty())
            .collect();
        let pairs = words.chunks_exact(2).map(|pair| {
            let (name, value) = (pair.first(), pair.last());
            let name = name.map_or("", |n| n.trim_start_matches(':'));
            (
                name.to_string(),
                value.map_or(String::new(), |v| v.to_string()),
            )
        });
        Ok(pairs.collect())
    }

    /// The assumptions that the last "unsat" needed.
    ///
    /// # Errors
    ///
    /// As [`Smt::ask`].
    pub fn core(&mut self, deadline: Instant) -> Result<Vec<String>, SolverFailure> {
        let text = self.ask("(get-unsat-core)", deadline)?.join(" ");
        match parse(&text) {
            Some(Sexp::List(items)) => Ok(items.iter().map(Sexp::to_string).collect()),
            _ => Err(SolverFailure::NotUnderstood(text)),
        }
    }

    /// The values of terms in the last model. One that the solver has no value of, for a quantifier or a function is in it, is
    /// the term as it stands.
    ///
    /// # Errors
    ///
    /// As [`Smt::ask`].
    pub fn values(
        &mut self,
        terms: &[String],
        deadline: Instant,
    ) -> Result<Vec<Sexp>, SolverFailure> {
        let all = match self.values_of_all(terms, deadline) {
            Err(SolverFailure::NotUnderstood(_)) => None,
            other => Some(other),
        };
        if let Some(all) = all {
            return all;
        }
        let mut values = Vec::new();
        for term in terms {
            match self.values_of_all(std::slice::from_ref(term), deadline) {
                Ok(mut one) => values.append(&mut one),
                Err(SolverFailure::NotUnderstood(_)) => {
                    values.push(parse(term).unwrap_or_else(|| Sexp::Atom(term.clone())));
                }
                Err(other) => return Err(other),
            }
        }
        Ok(values)
    }

    /// The values of terms that all have one.
    fn values_of_all(
        &mut self,
        terms: &[String],
        deadline: Instant,
    ) -> Result<Vec<Sexp>, SolverFailure> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let text = self
            .ask(&format!("(get-value ({}))", terms.join(" ")), deadline)?
            .join("\n");
        let values = match parse(&text) {
            Some(Sexp::List(pairs)) => pairs
                .into_iter()
                .filter_map(|pair| match pair {
                    Sexp::List(mut pair) if pair.len() == 2 => pair.pop(),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        match values.len() == terms.len() {
            true => Ok(values),
            false => Err(SolverFailure::NotUnderstood(text)),
        }
    }
}

impl Drop for Smt {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A parsed answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sexp {
    /// A name or literal.
    Atom(String),
    /// `( … )`.
    List(Vec<Sexp>),
}

impl std::fmt::Display for Sexp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Sexp::Atom(text) => f.write_str(text),
            Sexp::List(items) => {
                f.write_str("(")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { " " } else { "" })?;
                }
                f.write_str(")")
            }
        }
    }
}

/// How deep an answer may nest.
const MAX_NESTING: usize = 2_000;

/// Parses one S-expression. None if the text is not one, or nested too deep.
pub fn parse(text: &str) -> Option<Sexp> {
    let mut stack: Vec<Vec<Sexp>> = vec![Vec::new()];
    let mut chars = text.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        match c {
            '(' if stack.len() > MAX_NESTING => return None,
            '(' => stack.push(Vec::new()),
            ')' => {
                let items = stack.pop()?;
                stack.last_mut()?.push(Sexp::List(items));
            }
            c if c.is_whitespace() => {}
            '|' | '"' => {
                let close = c;
                let mut end = None;
                for (i, c) in chars.by_ref() {
                    if c == close {
                        end = Some(i + 1);
                        break;
                    }
                }
                stack
                    .last_mut()?
                    .push(Sexp::Atom(text.get(start..end?)?.to_string()));
            }
            _ => {
                let mut end = text.len();
                while let Some((i, c)) = chars.peek() {
                    if c.is_whitespace() || "()".contains(*c) {
                        end = *i;
                        break;
                    }
                    chars.next();
                }
                stack
                    .last_mut()?
                    .push(Sexp::Atom(text.get(start..end)?.to_string()));
            }
        }
    }
    let mut top = stack.pop()?;
    match (stack.is_empty(), top.len()) {
        (true, 1) => top.pop(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Tool;

    fn started() -> Smt {
        let z3 = Tool::Z3.locate("tests", None).unwrap();
        Smt::start(&Config::new(z3.path)).unwrap()
    }

    fn within(limit: Duration) -> Instant {
        Instant::now() + limit
    }

    /// Replaying sessions of the built-in engine with limits of some milliseconds, Z3 4.8.12 said "sat" of what is unsatisfiable
    /// in most sessions after the first check that ran into its limit, and "unsat" of what is satisfiable in some.
    #[test]
    fn a_process_is_spent_when_a_check_was_cut_short() {
        let mut smt = started();
        smt.say("(declare-const x Int) (declare-const y Int) (declare-const z Int)");
        smt.say("(push 1) (assert (= (+ (* x x x) (* y y y) (* z z z)) 42))");
        let hard = smt.check(&[], within(Duration::from_millis(50)));
        assert_eq!(hard, Err(SolverFailure::Timeout));
        assert!(smt.is_spent());
        smt.say("(pop 1) (assert (< x 0))");
        let easy = smt.check(&[], within(Duration::from_secs(10)));
        assert_eq!(easy, Err(SolverFailure::Timeout), "no more is asked of it");
    }

    #[test]
    fn a_process_that_has_worked_enough_is_spent() {
        let mut smt = started();
        smt.say("(declare-const x Int) (declare-const y Int) (declare-const z Int)");
        smt.say("(push 1) (assert (= (+ (* x x x) (* y y y) (* z z z)) 42))");
        let work = Duration::from_millis(100);
        smt.work_for(Some(work));
        let hard = smt.check(&[], within(Duration::from_secs(600)));
        assert_eq!(hard, Err(SolverFailure::Timeout));
        assert!(smt.is_spent());
    }

    #[test]
    fn a_process_that_answers_in_time_is_asked_again() {
        let mut smt = started();
        smt.say("(declare-const x Int) (assert (< x 0))");
        let minute = Duration::from_secs(60);
        assert_eq!(smt.check(&[], within(minute)), Ok(Check::Sat));
        assert!(!smt.is_spent());
        smt.say("(assert (> x 0))");
        assert_eq!(smt.check(&[], within(minute)), Ok(Check::Unsat));
    }
}
