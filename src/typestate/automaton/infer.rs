//! The inference: backwards from the error until no new state appears.

use std::collections::{BTreeSet, VecDeque};

use crate::ir::formula;
use crate::ir::{Expr, RoutineRef};

use crate::typestate::precondition::{Case, NormalForm, PathAnalysis, PreconditionTarget};

use super::model::{
    CallEdge, ComputedPrecondition, ERROR, EdgeDoubt, InitialEdge, TypestateAutomaton,
    TypestateState,
};

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Inference {
    /// The actions, in the order declared.
    pub actions: Vec<RoutineRef>,
    /// The normal form of the preconditions; it must be the analysis's own.
    pub mode: NormalForm,
    /// No more states than this, the error counted.
    pub max_states: usize,
}

/// Infers the automaton of the analysis's class.
pub fn infer(analysis: &mut PathAnalysis, wanted: &Inference) -> TypestateAutomaton {
    let mut search = AutomatonSearch {
        analysis,
        states: vec![TypestateState {
            condition: Vec::new(),
        }],
        edges: Vec::new(),
        dead: BTreeSet::new(),
        waiting: VecDeque::from([ERROR]),
        preconditions: Vec::new(),
        max_states: wanted.max_states.max(1),
        finite: true,
    };
    while let Some(target) = search.waiting.pop_front() {
        search.predecessors(&wanted.actions, target);
    }
    let initial = search.constructors();
    search.finish(wanted, initial)
}

struct AutomatonSearch<'s> {
    analysis: &'s mut PathAnalysis,
    states: Vec<TypestateState>,
    edges: Vec<CallEdge>,
    dead: BTreeSet<RoutineRef>,
    /// States whose predecessors are not known yet.
    waiting: VecDeque<usize>,
    preconditions: Vec<ComputedPrecondition>,
    max_states: usize,
    finite: bool,
}

impl AutomatonSearch<'_> {
    fn cases(&mut self, routine: Option<RoutineRef>, target: usize) -> Vec<Case> {
        let condition = formula::all(self.states[target].condition.iter().cloned());
        let wanted = match target {
            ERROR => PreconditionTarget::Error,
            _ => PreconditionTarget::State(&condition),
        };
        let found = self.analysis.precondition(routine, wanted);
        self.preconditions.push(ComputedPrecondition {
            routine,
            cases: found.formula(),
            target: (target != ERROR).then_some(condition),
        });
        found.cases
    }

    /// The edges into a state; their sources are states to go on from.
    fn predecessors(&mut self, actions: &[RoutineRef], target: usize) {
        for action in actions {
            if self.dead.contains(action) {
                continue;
            }
            for case in self.cases(Some(*action), target) {
                if !self.analysis.possible_case(&case) {
                    continue;
                }
                if target == ERROR && always(&case) && self.never_ends_normally(*action) {
                    self.dead.insert(*action);
                }
                let Some(source) = self.state(case.fields.clone()) else {
                    self.finite = false;
                    continue;
                };
                self.edges.push(CallEdge {
                    source,
                    action: *action,
                    doubt: doubt(&case),
                    guard: case.params,
                    target,
                    implied: false,
                });
            }
        }
    }

    /// A call that can end in the error from anywhere may end normally too, where it makes choices.
    fn never_ends_normally(&mut self, action: RoutineRef) -> bool {
        let anywhere = formula::bool(true);
        let ends = self
            .analysis
            .precondition(Some(action), PreconditionTarget::State(&anywhere));
        ends.cases.is_empty()
    }

    /// The state of this condition: one that says the same, or a new one; none where there are too many.
    fn state(&mut self, condition: Vec<Expr>) -> Option<usize> {
        let known = (ERROR + 1..self.states.len()).find(|s| {
            let other = self.states[*s].condition.clone();
            same_literals(&other, &condition)
                || self.implies(&other, &condition) && self.implies(&condition, &other)
        });
        if known.is_some() {
            return known;
        }
        if self.states.len() >= self.max_states {
            return None;
        }
        self.states.push(TypestateState { condition });
        let new = self.states.len() - 1;
        self.waiting.push_back(new);
        Some(new)
    }

    fn implies(&mut self, from: &[Expr], to: &[Expr]) -> bool {
        let from: Vec<&Expr> = from.iter().collect();
        self.analysis.follows_all(&from, to)
    }

    fn constructors(&mut self) -> Vec<InitialEdge> {
        let class = self.analysis.class();
        let constructors = self.analysis.program().constructors(class);
        let mut edges = Vec::new();
        for constructor in constructors {
            for target in 0..self.states.len() {
                for case in self.cases(constructor, target) {
                    edges.push(InitialEdge {
                        constructor,
                        doubt: doubt(&case),
                        guard: case.params,
                        target,
                        implied: false,
                    });
                }
            }
        }
        edges
    }

    fn finish(mut self, wanted: &Inference, initial: Vec<InitialEdge>) -> TypestateAutomaton {
        let mut epsilon = Vec::new();
        for from in ERROR + 1..self.states.len() {
            for to in ERROR + 1..self.states.len() {
                let (a, b) = (
                    self.states[from].condition.clone(),
                    self.states[to].condition.clone(),
                );
                if from != to && self.implies(&a, &b) {
                    epsilon.push((from, to));
                }
            }
        }
        let mut automaton = TypestateAutomaton {
            program: self.analysis.program().clone(),
            class: self.analysis.class(),
            actions: wanted.actions.clone(),
            mode: wanted.mode,
            invariant: self.analysis.invariant().to_vec(),
            states: self.states,
            edges: self.edges,
            initial,
            epsilon,
            dead: self.dead.into_iter().collect(),
            finite: self.finite,
            unreachable: 0,
            notes: Vec::new(),
            preconditions: self.preconditions,
            questions: 0,
        };
        // In a part, what no constructor leads to may still be on a way that was not followed.
        if automaton.finite {
            remove_unreachable(&mut automaton);
        }
        mark_implied(self.analysis, &mut automaton);
        automaton.notes = notes(self.analysis, &automaton);
        automaton.questions = self.analysis.questions();
        automaton
    }
}

/// Whether the case says that every call can end in the target.
fn always(case: &Case) -> bool {
    case.fields.is_empty() && case.params.is_empty() && doubt(case).is_none()
}

fn doubt(case: &Case) -> Option<EdgeDoubt> {
    match (case.widened, case.loosened) {
        (true, _) => Some(EdgeDoubt::Widened),
        (false, true) => Some(EdgeDoubt::Loosened),
        (false, false) => None,
    }
}

fn same_literals(a: &[Expr], b: &[Expr]) -> bool {
    let within = |a: &[Expr], b: &[Expr]| a.iter().all(|x| b.iter().any(|y| formula::same(x, y)));
    within(a, b) && within(b, a)
}

/// Leaves out what no constructor leads to. The error stays.
fn remove_unreachable(automaton: &mut TypestateAutomaton) {
    let mut reached = BTreeSet::new();
    let mut open: Vec<usize> = automaton.initial.iter().map(|e| e.target).collect();
    while let Some(state) = open.pop() {
        if !reached.insert(state) {
            continue;
        }
        let calls = automaton.edges.iter().filter(|e| e.source == state);
        open.extend(calls.map(|e| e.target));
        let wider = automaton.epsilon.iter().filter(|(from, _)| *from == state);
        open.extend(wider.map(|(_, to)| *to));
    }
    let stays = |state: usize| state == ERROR || reached.contains(&state);
    let before = automaton.states.len();
    let kept: Vec<usize> = (0..before).filter(|s| stays(*s)).collect();
    let number = |state: usize| kept.iter().position(|s| *s == state);
    automaton.states = kept.iter().map(|s| automaton.states[*s].clone()).collect();
    automaton.unreachable = before - kept.len();
    automaton
        .edges
        .retain(|e| stays(e.source) && stays(e.target));
    for edge in &mut automaton.edges {
        edge.source = number(edge.source).unwrap_or(ERROR);
        edge.target = number(edge.target).unwrap_or(ERROR);
    }
    for edge in &mut automaton.initial {
        edge.target = number(edge.target).unwrap_or(ERROR);
    }
    automaton.epsilon.retain(|(a, b)| stays(*a) && stays(*b));
    for (a, b) in &mut automaton.epsilon {
        *a = number(*a).unwrap_or(ERROR);
        *b = number(*b).unwrap_or(ERROR);
    }
}

/// Marks the edges of which another one says more.
fn mark_implied(analysis: &mut PathAnalysis, automaton: &mut TypestateAutomaton) {
    let wider: BTreeSet<(usize, usize)> = automaton.epsilon.iter().copied().collect();
    let within = |a: usize, b: usize| a == b || wider.contains(&(a, b));
    let mut weaker = |known: &[&Expr], from: &[Expr], to: &[Expr]| {
        let all: Vec<&Expr> = known.iter().copied().chain(from).collect();
        analysis.follows_all(&all, to)
    };
    for index in 0..automaton.edges.len() {
        let edge = &automaton.edges[index];
        let source: Vec<&Expr> = automaton.states[edge.source].condition.iter().collect();
        let stronger = automaton.edges.iter().enumerate().any(|(other, more)| {
            other != index
                && !more.implied
                && more.action == edge.action
                && more.doubt.is_none()
                && within(edge.source, more.source)
                && within(more.target, edge.target)
                && weaker(&source, &edge.guard, &more.guard)
        });
        automaton.edges[index].implied = stronger;
    }
    for index in 0..automaton.initial.len() {
        let edge = &automaton.initial[index];
        let stronger = automaton.initial.iter().enumerate().any(|(other, more)| {
            other != index
                && !more.implied
                && more.constructor == edge.constructor
                && more.doubt.is_none()
                && within(more.target, edge.target)
                && weaker(&[], &edge.guard, &more.guard)
        });
        automaton.initial[index].implied = stronger;
    }
}

fn notes(analysis: &mut PathAnalysis, automaton: &TypestateAutomaton) -> Vec<String> {
    let mut notes = Vec::new();
    let constructors = automaton.initial.iter().map(|e| e.constructor);
    let mut routines: Vec<Option<RoutineRef>> = constructors.collect();
    routines.dedup();
    routines.extend(automaton.actions.iter().copied().map(Some));
    for routine in routines {
        if analysis.may_break_invariant(routine) {
            let name = routine.map_or("initially", |r| analysis.program().routine(r).shown());
            notes.push(format!(
                "`{name}` may break the invariant: an error may be missed after that"
            ));
        }
    }
    let program = analysis.program();
    if !automaton.finite {
        notes.push(format!(
            "not finitely abstractable within {} states: what is shown is a part; calls may end in the \
             error where no edge says so",
            automaton.states.len() + automaton.unreachable
        ));
    }
    let skipped = analysis.skipped().iter().map(|routine| {
        let class = &program.class(routine.class).name;
        format!("`{class}.{}`", program.routine(*routine).shown())
    });
    let skipped: Vec<String> = skipped.collect();
    if !skipped.is_empty() {
        notes.push(format!(
            "calls of these are skipped, as they have no body and their contracts say nothing: {}",
            skipped.join(", ")
        ));
    }
    for action in &automaton.dead {
        notes.push(format!(
            "`{}` always ends in the error",
            program.routine(*action).shown()
        ));
    }
    notes.extend(analysis.reasons().iter().map(|r| format!("widened: {r}")));
    notes
}
