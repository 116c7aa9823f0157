//! Solvers that know a program: a process that has been told what all questions about it share, and a pool of them.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::program::Prepared;
use super::smt::{Config, Smt, SolverFailure};

/// Said to every solver first. There is no `set-logic`: under a quantifier-free logic, Z3 4.8.12 refuses constant arrays.
/// Bounds are not passed on from row to row: with the sums of [`super::linear`] that costs more than it saves (nested
/// loops of 20 rounds: 12 s with, 1.5 s without).
const OPTIONS: &str = "(set-option :print-success false)\n(set-option :produce-unsat-cores true)\n\
                       (set-option :produce-models true)\n(set-option :smt.arith.propagation_mode 0)\n";

/// Said to those that are asked about a large program, beside [`OPTIONS`]. The older arithmetic costs less for bounds and equations
/// that come and go with decisions. Without the first line, Z3 ignores what it is told of decisions.
const LARGE: &str = "(set-option :smt.auto_config false)\n(set-option :smt.arith.solver 2)\n";

/// Booleans are decided in the order in which they come to matter, from the entry along a path. By activity, as usually, ways are
/// chosen in all procedures, also in those that no path comes through, and calls there are inlined next.
const ALONG_PATHS: &str = "(set-option :smt.case_split 3)\n";

/// How a solver looks for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As it does by itself.
    Usual,
    /// Along the paths of a large program, without regard to what they do not come through.
    AlongPaths,
    /// In a large program, where most conflicts were lately.
    ByActivity,
}

/// A solver process, and how much it has been told.
pub struct Solver {
    smt: Smt,
    manner: Manner,
    told: usize,
    /// Whether it was asked something before.
    used: bool,
}

/// How much a solver had been told when a question began.
#[derive(Clone, Copy, Debug)]
pub struct Mark(usize);

impl Solver {
    /// Starts a solver.
    ///
    /// # Errors
    ///
    /// The process cannot be started.
    pub fn start(config: &Config, manner: Manner) -> std::io::Result<Self> {
        let mut smt = Smt::start(config)?;
        smt.say(OPTIONS);
        if manner != Manner::Usual {
            smt.say(LARGE);
        }
        if manner == Manner::AlongPaths {
            smt.say(ALONG_PATHS);
        }
        Ok(Solver {
            smt,
            manner,
            told: 0,
            used: false,
        })
    }

    /// Whether it was asked something before.
    pub fn is_used(&self) -> bool {
        self.used
    }

    /// The process.
    pub fn smt(&mut self) -> &mut Smt {
        &mut self.smt
    }

    /// Begins a question: what is said from now on can be taken back.
    pub fn push(&mut self) -> Mark {
        self.used = true;
        self.smt.say("(push 1)");
        Mark(self.told)
    }

    /// Takes back what was said since.
    pub fn pop(&mut self, mark: Mark) {
        self.smt.say("(pop 1)");
        self.told = mark.0;
    }

    /// Tells the solver what it does not know yet of the program.
    pub fn update(&mut self, prepared: &Prepared) {
        let symbols = prepared.symbols();
        for command in symbols.commands.iter().skip(self.told) {
            self.smt.say(command);
        }
        self.told = symbols.commands.len();
    }
}

/// Solvers for one program.
pub struct Pool {
    config: Config,
    idle: Mutex<Vec<Solver>>,
}

impl Pool {
    /// An empty pool.
    pub fn new(config: Config) -> Self {
        Pool {
            config,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// How its solvers are started.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// An idle solver of that manner, or a new one, that knows the program.
    ///
    /// # Errors
    ///
    /// The process cannot be started, or does not understand the program.
    pub fn take(&self, prepared: &Prepared, manner: Manner) -> Result<Solver, SolverFailure> {
        match self.idle(manner) {
            Some(solver) => Self::informed(solver, prepared),
            None => self.fresh(prepared, manner),
        }
    }

    /// A new solver of that manner that knows the program.
    ///
    /// # Errors
    ///
    /// The process cannot be started, or does not understand the program.
    pub fn fresh(&self, prepared: &Prepared, manner: Manner) -> Result<Solver, SolverFailure> {
        let solver = Solver::start(&self.config, manner);
        let solver = solver.map_err(|e| SolverFailure::Died(e.to_string()))?;
        Self::informed(solver, prepared)
    }

    fn informed(mut solver: Solver, prepared: &Prepared) -> Result<Solver, SolverFailure> {
        let before = solver.told;
        solver.update(prepared);
        if solver.told > before {
            let lines = solver
                .smt
                .ask("", Instant::now() + Duration::from_secs(60))?;
            if let Some(error) = lines.iter().find(|l| l.contains("error")) {
                return Err(SolverFailure::NotUnderstood(error.clone()));
            }
        }
        Ok(solver)
    }

    /// The last idle solver of that manner.
    fn idle(&self, manner: Manner) -> Option<Solver> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let place = idle.iter().rposition(|s| s.manner == manner)?;
        Some(idle.remove(place))
    }

    /// Gives a solver back for later questions. What was to stop it for this one stops it no more.
    pub fn give(&self, mut solver: Solver) {
        if !solver.smt.is_spent() {
            solver.smt.stop_by(self.config.stop.clone());
            self.idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(solver);
        }
    }
}
