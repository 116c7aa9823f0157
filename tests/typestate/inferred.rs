//! Typestate automata for tests: those of classes, and the expected ones of `fixtures/typestate-2012/automata.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tranquera::ask::Answer;
use tranquera::encode::Encoding;
use tranquera::engine::{Builtin, Engine, EngineConfig};
use tranquera::ir::BinaryOp;
use tranquera::ir::expr_text;
use tranquera::ir::formula;
use tranquera::ir::{ClassId, Expr, ExprKind, Program, RoutineRef};
use tranquera::query::Subject;
use tranquera::typestate::automaton::certify::certify;
use tranquera::typestate::automaton::{ComputedPrecondition, Inference, TypestateAutomaton, infer};
use tranquera::typestate::precondition::{NormalForm, PathAnalysis, PreconditionOptions};
use tranquera::typestate::report::Typestate;

use crate::support::class;
use crate::support::program::root;

/// A class of `fixtures/typestate-2012`.
pub fn fixture(name: &str) -> PathBuf {
    folder().join(format!("{name}.tq"))
}

fn folder() -> PathBuf {
    root().join("fixtures/typestate-2012")
}

/// A class, and the actions that are studied.
pub struct Class {
    program: Arc<Program>,
    class: ClassId,
    actions: Vec<RoutineRef>,
}

impl Class {
    /// The last class of a file, with these invariants besides its own.
    pub fn load(path: &Path, invariant: &[String]) -> Class {
        let text = std::fs::read_to_string(path).expect("a fixture");
        Class::of(&text, invariant)
    }

    /// The last class of a text.
    pub fn of(text: &str, invariant: &[String]) -> Class {
        let end = text.rfind('}').expect("a class");
        let clauses: Vec<String> = invariant
            .iter()
            .map(|e| format!("invariant {e};"))
            .collect();
        let text = format!("{}{}{}", &text[..end], clauses.join(" "), &text[end..]);
        let program = class::parse(&text).program;
        Class {
            class: class::last(&program),
            actions: class::actions(&program),
            program,
        }
    }

    fn encoding(&self) -> Encoding {
        let program = Arc::clone(&self.program);
        let subject = Subject::new(program, self.class, &self.actions);
        Encoding::new(Arc::new(subject)).expect("a text")
    }

    /// Studies these actions only, or all but these.
    pub fn keep(&mut self, only: &[String], without: &[String]) {
        let program = &self.program;
        self.actions.retain(|a| {
            let name = &program.routine(*a).name;
            (only.is_empty() || only.contains(name)) && !without.contains(name)
        });
    }

    /// Its automaton.
    pub fn automaton(&self, mode: NormalForm, max_states: usize) -> TypestateAutomaton {
        let options = PreconditionOptions {
            mode,
            ..PreconditionOptions::default()
        };
        let mut analysis = PathAnalysis::new(&self.program, self.class, options).expect("Z3");
        let wanted = Inference {
            actions: self.actions.clone(),
            mode,
            max_states,
        };
        infer(&mut analysis, &wanted)
    }

    /// Its automaton, with what the built-in engine says of its preconditions.
    pub fn typestate(&self, mode: NormalForm, max_states: usize) -> Typestate {
        let automaton = self.automaton(mode, max_states);
        let encoding = self.encoding();
        let engine = Builtin::new(&EngineConfig::default());
        let (certificates, disagreements) =
            certify(&encoding, &engine, &automaton.preconditions).expect("Z3");
        assert_eq!(disagreements, []);
        Typestate::new(&automaton, Some(&certificates), 0)
    }

    /// What an engine says of the preconditions of each routine.
    pub fn certified_by(&self, engine: &dyn Engine) -> Vec<Answer> {
        let automaton = self.automaton(NormalForm::Prime, 64);
        let encoding = self.encoding();
        let (all, _) = certify(&encoding, engine, &automaton.preconditions).expect("an engine");
        all.into_iter().map(|c| c.answer).collect()
    }

    /// What the engine says of each action's preconditions when one of their cases is left out, by that case.
    pub fn with_a_case_dropped(&self) -> Vec<(String, Answer)> {
        let automaton = self.automaton(NormalForm::Prime, 64);
        let encoding = self.encoding();
        let engine = Builtin::new(&EngineConfig::default());
        let mut answers = Vec::new();
        let of_action =
            |f: &&ComputedPrecondition| f.routine.is_some_and(|r| self.actions.contains(&r));
        for found in automaton.preconditions.iter().filter(of_action) {
            let cases = disjuncts(&found.cases);
            for left_out in 0..cases.len() {
                let others = cases.iter().enumerate().filter(|(i, _)| *i != left_out);
                let weaker = ComputedPrecondition {
                    cases: formula::any(others.map(|(_, case)| case.clone())),
                    ..found.clone()
                };
                let what = expr_text(&self.program, self.class, &cases[left_out]);
                let (all, _) = certify(&encoding, &engine, &[weaker]).expect("Z3");
                answers.push((what, all.into_iter().next().expect("one").answer));
            }
        }
        answers
    }
}

fn disjuncts(e: &Expr) -> Vec<Expr> {
    match &*e.kind {
        ExprKind::Binary(BinaryOp::Or, a, b) => [disjuncts(a), disjuncts(b)].concat(),
        ExprKind::Bool(false) => vec![],
        _ => vec![e.clone()],
    }
}

/// An expected automaton.
pub struct Expected {
    pub title: String,
    pub file: String,
    pub mode: NormalForm,
    pub only: Vec<String>,
    pub without: Vec<String>,
    pub invariant: Vec<String>,
    /// States, edges, edges of constructors, implications, preconditions, unreachable states.
    pub counts: [usize; 6],
    /// Conditions by name, their conjuncts sorted.
    pub states: BTreeMap<String, String>,
    /// Source, guard, call, target; states by their conditions.
    pub edges: BTreeSet<(String, BTreeSet<String>, String, String)>,
}

/// The expected automata.
pub fn expected() -> Vec<Expected> {
    let text = std::fs::read_to_string(folder().join("automata.txt")).expect("a fixture");
    let mut all: Vec<Expected> = Vec::new();
    for line in text
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
    {
        let (word, rest) = line.split_once(' ').expect("a word and more");
        if word == "automaton" {
            all.push(head(rest));
            continue;
        }
        let case = all.last_mut().expect("an automaton before it");
        match word {
            "counts" => {
                let numbers = rest.split(' ').map(|n| n.parse().expect("a number"));
                for (slot, number) in case.counts.iter_mut().zip(numbers) {
                    *slot = number;
                }
            }
            "state" => {
                let (name, condition) = rest.split_once(' ').unwrap_or((rest, ""));
                let conjuncts: Vec<String> = conjuncts(condition).into_iter().collect();
                case.states.insert(name.into(), conjuncts.join(" && "));
            }
            "edge" => {
                let edge = edge(case, rest);
                assert!(case.edges.insert(edge), "twice: {line}");
            }
            _ => panic!("not understood: {line}"),
        }
    }
    all
}

fn head(rest: &str) -> Expected {
    let mut words = rest.splitn(4, ' ');
    let file = words.next().expect("a file").to_string();
    let mode = match words.next() {
        Some("path") => NormalForm::Path,
        Some("prime") => NormalForm::Prime,
        other => panic!("no mode: {other:?}"),
    };
    let (mut only, mut without, mut invariant) = (vec![], vec![], vec![]);
    if let (Some(word), Some(value)) = (words.next(), words.next()) {
        let names = || value.split(',').map(str::to_string).collect();
        match word {
            "only" => only = names(),
            "without" => without = names(),
            "invariant" => invariant = vec![value.to_string()],
            _ => panic!("not understood: {rest}"),
        }
    }
    Expected {
        title: rest.into(),
        file,
        mode,
        only,
        without,
        invariant,
        counts: [0; 6],
        states: BTreeMap::new(),
        edges: BTreeSet::new(),
    }
}

fn conjuncts(text: &str) -> BTreeSet<String> {
    let parts = text.split("&&").map(str::trim);
    parts
        .filter(|p| !p.is_empty())
        .map(str::to_string)
        .collect()
}

fn edge(case: &Expected, text: &str) -> (String, BTreeSet<String>, String, String) {
    let (ends, call) = text.split_once(" : ").expect("a call");
    let (source, rest) = ends.split_once(" -> ").expect("an arrow");
    let (target, guard) = rest.split_once(' ').unwrap_or((rest, ""));
    let place = |name: &str| match name {
        "init" | "error" => name.to_string(),
        name => case.states.get(name).expect("a state").clone(),
    };
    (
        place(source),
        conjuncts(guard),
        call.to_string(),
        place(target),
    )
}
