//! Whether formulas of the input language can hold together, asked of Z3.
//!
//! The formulas speak of one configuration: `this`, parameters, and the heap as it is before a call. What the declared
//! types say of every value that a formula mentions is known without being said, and so are the invariants of
//! objects of other classes, and that a field read from `null` (which no execution does) has its type's first value.
//!
//! These questions do not go through the desk ([`crate::ask`]): there is no program and no call, so nothing to replay, and an
//! automaton asks thousands. They are terms of the built-in engine, said to its solver's process, counted, and told to
//! whoever listens as its checks are. What is concluded from them is certified through the desk
//! ([`super::automaton`]), by calls of the real bodies.

mod terms;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::engine::{EngineError, Interrupt, Tool};
use crate::events;
use crate::ir::formula;
use crate::ir::{ClassId, Expr, Program};
use crate::reach::smt::{Check, Config, Smt};
use crate::time::by_the_clock;

use terms::Translation;

/// Processor time for one question.
const PATIENCE: Duration = Duration::from_millis(2000);

/// Memory for the solver, in MiB.
const MEMORY_MIB: u64 = 2048;

/// What the solver says of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Satisfiability {
    /// They can hold together.
    Satisfiable,
    /// They cannot.
    Unsatisfiable,
    /// It does not know.
    Unknown,
}

/// A solver that is asked about formulas. Answers are remembered.
pub struct FormulaSolver {
    config: Config,
    smt: Smt,
    declared: BTreeSet<String>,
    answers: BTreeMap<String, Satisfiability>,
    class: ClassId,
    asked: u64,
    null_cells: bool,
}

impl FormulaSolver {
    /// Starts Z3 for questions about a class; `z3` names the executable, else it is looked for. An interrupted question
    /// is not answered.
    ///
    /// # Errors
    /// There is no Z3, or it cannot be started.
    pub fn start(
        class: ClassId,
        z3: Option<&Path>,
        interrupt: &Interrupt,
    ) -> Result<Self, EngineError> {
        const WHO: &str = "typestate";
        let located = Tool::Z3.locate(WHO, z3)?;
        let config = Config {
            z3: located.path,
            memory_mib: MEMORY_MIB,
            log: None,
            stop: interrupt.clone(),
        };
        let smt = started(&config).map_err(|source| EngineError::Io {
            engine: WHO,
            what: "z3".into(),
            source,
        })?;
        Ok(FormulaSolver {
            config,
            smt,
            declared: BTreeSet::new(),
            answers: BTreeMap::new(),
            class,
            asked: 0,
            null_cells: true,
        })
    }

    /// How many questions went to Z3.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// Whether it is known from now on what a field read from `null` is. Without it, nothing follows from a formula
    /// that is not defined.
    pub fn know_null_cells(&mut self, known: bool) {
        self.null_cells = known;
    }

    /// Whether all the formulas can hold at once.
    pub fn satisfiable(&mut self, program: &Program, formulas: &[&Expr]) -> Satisfiability {
        if formulas.iter().any(|f| formula::is_bool(f, false)) {
            return Satisfiability::Unsatisfiable;
        }
        let mut translation = Translation::new(program, self.class, self.null_cells);
        for formula in formulas {
            translation.assert(formula);
        }
        let questions = translation.questions();
        let says_less = translation.says_less();
        let mut answer = Satisfiability::Satisfiable;
        for question in questions {
            let known = self.answers.get(&question).copied();
            let part = known.unwrap_or_else(|| self.ask(translation.declarations(), question));
            match part {
                Satisfiability::Unsatisfiable => return part,
                Satisfiability::Unknown => answer = part,
                // Where a product is left out, more can hold together than does with it.
                Satisfiability::Satisfiable if says_less => answer = Satisfiability::Unknown,
                Satisfiability::Satisfiable => {}
            }
        }
        answer
    }

    /// Asks whether the assertions can hold together, and remembers the answer.
    fn ask(&mut self, declarations: &[String], question: String) -> Satisfiability {
        self.renew();
        for declaration in declarations {
            if self.declared.insert(declaration.clone()) {
                self.smt.say(declaration);
            }
        }
        self.asked += 1;
        self.smt.say("(push 1)");
        self.smt.say(&question);
        let start = Instant::now();
        let quantified = ["(forall ", "(exists "]
            .iter()
            .any(|q| question.contains(q));
        self.smt.work_for(Some(PATIENCE));
        let deadline = start + by_the_clock(PATIENCE);
        let checked = match quantified {
            // A solver that goes on from question to question does not simplify what it is told as a whole, and so goes on
            // instantiating facts over maps of maps where it could say at once that they hold.
            true => self.smt.check_afresh(deadline),
            false => self.smt.check(&[], deadline),
        };
        let (answer, said) = match checked {
            Ok(Check::Sat) => (Satisfiability::Satisfiable, "sat"),
            Ok(Check::Unsat) => (Satisfiability::Unsatisfiable, "unsat"),
            // Whatever goes wrong with a solver, it is not an answer.
            Ok(Check::Unknown(_)) | Err(_) => (Satisfiability::Unknown, "unknown"),
        };
        self.smt.say("(pop 1)");
        events::check(&events::Checked {
            aim: "Formula",
            inlined: 0,
            open: 0,
            assumed: 0,
            bytes: question.len(),
            said,
            time: start.elapsed(),
        });
        self.answers.insert(question, answer);
        answer
    }

    /// Starts another process where the one there is is of no use any more; but none when it was interrupted, for nothing more
    /// is to be asked then. Without one, what is asked is not known.
    fn renew(&mut self) {
        if self.smt.is_spent()
            && !self.config.stop.is_set()
            && let Ok(smt) = started(&self.config)
        {
            self.smt = smt;
            self.declared.clear();
        }
    }

    /// Whether the formulas exclude each other; false where that is not known.
    pub fn contradictory(&mut self, program: &Program, formulas: &[&Expr]) -> bool {
        self.satisfiable(program, formulas) == Satisfiability::Unsatisfiable
    }

    /// Whether the formulas have this consequence; false where that is not known.
    pub fn implied(&mut self, program: &Program, formulas: &[&Expr], consequence: &Expr) -> bool {
        let denied = formula::not(consequence.clone());
        let mut all = formulas.to_vec();
        all.push(&denied);
        self.contradictory(program, &all)
    }
}

fn started(config: &Config) -> std::io::Result<Smt> {
    let mut smt = Smt::start(config)?;
    smt.say("(set-option :print-success false)");
    Ok(smt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::tq;

    #[test]
    fn facts_about_maps_of_maps_are_seen_to_hold() {
        let text = "class C {
            var shares: map<nat, nat>; var paid: map<nat, nat>; var paid_sum: nat; var of: map<nat, map<nat, nat>>;
            invariant exists unused: nat :: unused != 0 && shares[unused] == 0 && of[unused] == map<nat, nat>(0);
            invariant forall key: nat :: paid[key] <= paid_sum;
            invariant paid_sum > 0 ==> exists key: nat :: paid[key] > 0;
            function some(): bool { shares[3] > 0 }
            function too_much(): bool { paid[3] > paid_sum }
            constructor() { paid_sum := 0; } }";
        let program = tq::parse_text("test", text).expect("well-formed").program;
        let declared = program.class(ClassId(0));
        let mut solver = FormulaSolver::start(ClassId(0), None, &Interrupt::default()).expect("Z3");
        let mut said = |extra: usize| {
            let known = declared.invariants.iter();
            let function = &declared.functions[extra].body;
            let all: Vec<&Expr> = known.chain([function]).collect();
            solver.satisfiable(&program, &all)
        };
        // Shares { 3: 1 }, all else 0.
        assert_eq!(said(0), Satisfiability::Satisfiable);
        assert_eq!(said(1), Satisfiability::Unsatisfiable);
    }

    /// By hand: which of these hold together, and how many questions that takes: `up`, `low` and `mine` speak of different things,
    /// `off` and `low` of the same, and `link` binds what `up` and `low` speak of.
    #[test]
    fn what_speaks_of_other_things_is_asked_apart() {
        let text = "class C {
            var a: int; var b: int; var next: C?; var peer: C?;
            function up(): bool { a > 0 }
            function low(): bool { b < 0 }
            function off(): bool { b > 3 }
            function link(): bool { a == b }
            function mine(): bool { next == this }
            function loose(): bool { peer != this && peer != null }
            function nobody(): bool { this == null }
            constructor() { a := 0; b := 0; next := null; peer := null; } }";
        let program = tq::parse_text("test", text).expect("well-formed").program;
        let declared = program.class(ClassId(0));
        let mut solver = FormulaSolver::start(ClassId(0), None, &Interrupt::default()).expect("Z3");
        let mut said = |names: &[&str]| {
            let named = |name: &&str| declared.functions.iter().find(|f| f.name == **name);
            let bodies: Vec<&Expr> = names.iter().filter_map(named).map(|f| &f.body).collect();
            assert_eq!(bodies.len(), names.len());
            (solver.satisfiable(&program, &bodies), solver.asked())
        };
        use Satisfiability::{Satisfiable, Unsatisfiable};
        assert_eq!(said(&["up"]), (Satisfiable, 1));
        assert_eq!(said(&["up", "low"]), (Satisfiable, 2));
        assert_eq!(said(&["mine", "loose", "low"]), (Satisfiable, 4));
        assert_eq!(said(&["mine", "loose", "up"]), (Satisfiable, 4));
        assert_eq!(said(&["up", "off", "low"]), (Unsatisfiable, 5));
        assert_eq!(said(&["up", "low", "link"]), (Unsatisfiable, 6));
        assert_eq!(said(&["up", "off", "link"]), (Satisfiable, 7));
        // There is an object, whatever else is said.
        assert_eq!(said(&["nobody", "low"]), (Unsatisfiable, 8));
    }
}
